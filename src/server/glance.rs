//! What an editor shows beside a text: lenses above blocks, whose words and places are worked out when
//! the client asks for them, and the identities behind headers.

use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp::ls_types::{
    CodeLens, Command, InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, Uri,
};

use crate::ide::{self, LensKind};
use crate::text::Span;

use super::actions::hash;
use super::convert::{offset, range};
use super::navigation::{Here, located};
use super::session::Session;
use super::view::View;

/// The command of a lens, which is the client's: it shows places. Its arguments are a URI, a position
/// there, and locations.
const SHOW_REFERENCES: &str = "gantrycd.showReferences";

/// What a lens is worked out from when the client asks for it.
#[derive(Serialize, Deserialize)]
struct Unresolved {
    uri: Uri,
    /// The hash of the text that it was made for.
    text: String,
    /// The byte of that text at which the header begins.
    start: u32,
    about: String,
}

pub(super) fn lenses(session: &Session, view: &View, uri: &Uri) -> Option<Vec<CodeLens>> {
    if !view.editor.shown.code_lens {
        return None;
    }
    let here = Here::new(view, uri)?;
    let text = hash(here.source);
    let lens = |(span, about): (Span, LensKind)| {
        let unresolved = Unresolved {
            uri: uri.clone(),
            text: text.clone(),
            start: span.start,
            about: about.as_str().to_owned(),
        };
        Some(CodeLens {
            range: range(here.source, span, session.settings().encoding),
            command: None,
            data: Some(serde_json::to_value(unresolved).ok()?),
        })
    };
    let spans = ide::lens_spans(here.snapshot, &here.path).into_iter();
    Some(spans.filter_map(lens).collect())
}

/// The same lens with its words and places. `None` where the text is another, or nothing is to be
/// told there any more.
pub(super) fn resolved(session: &Session, view: &View, mut lens: CodeLens) -> Option<CodeLens> {
    let of = Unresolved::deserialize(lens.data.as_ref()?).ok()?;
    let here = Here::new(view, &of.uri)?;
    if hash(here.source) != of.text {
        return None;
    }
    let mut kinds = LensKind::ALL.into_iter();
    let about = kinds.find(|it| it.as_str() == of.about)?;
    let told = ide::lens(here.snapshot, &here.path, of.start, about)?;
    let places = told.targets.iter();
    let places = places.filter_map(|it| located(session, here.snapshot, &it.place));
    let position = range(here.source, told.span, session.settings().encoding).start;
    lens.command = Some(Command {
        title: told.title,
        command: SHOW_REFERENCES.to_owned(),
        arguments: Some(vec![
            json!(of.uri),
            json!(position),
            places.map(|it| json!(it)).collect(),
        ]),
    });
    Some(lens)
}

pub(super) fn hints(
    session: &Session,
    view: &View,
    params: &InlayHintParams,
) -> Option<Vec<InlayHint>> {
    if !view.editor.shown.inlay_hints {
        return None;
    }
    let here = Here::new(view, &params.text_document.uri)?;
    let encoding = session.settings().encoding;
    let at = |position| offset(here.source, position, encoding);
    let (start, end) = (at(params.range.start), at(params.range.end));
    let span = Span {
        start: start.min(end),
        end: start.max(end),
    };
    let hint = |it: ide::Hint| {
        let end = Span {
            start: it.offset,
            end: it.offset,
        };
        InlayHint {
            position: range(here.source, end, encoding).end,
            label: InlayHintLabel::String(it.label),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(it.tooltip)),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        }
    };
    let hints = ide::hints(here.snapshot, &here.path, span).into_iter();
    Some(hints.map(hint).collect())
}
