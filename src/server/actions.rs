//! Code actions: what can be done at a place or in a whole file, with its edit at once, or with its
//! edit when the client asks for it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    Diagnostic, DocumentChanges, NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier,
    Range, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::checks::{Finding, Fix};
use crate::ide::{self, Action};
use crate::text::{Source, Span};
use crate::workspace::Snapshot;

use super::convert::{offset, path_of, range};
use super::session::Session;
use super::view::{Part, View};

/// All safe fixes of a file at once. It is offered to those who ask for its kind, not in the menu
/// of a place.
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.gantrycd");

/// What the edit of an action is worked out from when the client asks for it.
#[derive(Serialize, Deserialize)]
struct Unresolved {
    uri: Uri,
    /// The hash of the text that the action was offered for. A version would not do: a file that is
    /// closed has none, and one that is opened again starts anew.
    text: String,
    /// Bytes of that text.
    start: u32,
    end: u32,
    title: String,
}

pub(super) fn code_actions(
    session: &Session,
    view: &View,
    params: &CodeActionParams,
) -> Option<CodeActionResponse> {
    let settings = session.settings();
    let uri = &params.text_document.uri;
    let path = path_of(uri)?;
    let part = view.part(&path)?;
    let source = part.snapshot.source(&path)?;
    let at = |position| offset(source, position, settings.encoding);
    let (start, end) = (at(params.range.start), at(params.range.end));
    let span = Span {
        start: start.min(end),
        end: start.max(end),
    };
    let actions = offered(part, &path, span, params.context.only.as_deref());
    let actions = actions.into_iter().filter_map(|(kind, action)| {
        let mended = action.mends.and_then(|finding| {
            let range = range(source, finding.place.span, settings.encoding);
            as_sent(finding, range, &params.context.diagnostics)
        });
        let (edit, data) = match settings.resolves_edits {
            false => (
                Some(workspace_edit(session, view, &part.snapshot, &action.fix)?),
                None,
            ),
            true => {
                let unresolved = Unresolved {
                    uri: uri.clone(),
                    text: hash(source),
                    start: span.start,
                    end: span.end,
                    title: action.fix.title.clone(),
                };
                (None, Some(serde_json::to_value(unresolved).ok()?))
            }
        };
        let is_preferred = kind == CodeActionKind::QUICKFIX && action.fix.is_safe;
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: action.fix.title,
            kind: Some(kind),
            diagnostics: mended,
            edit,
            is_preferred: is_preferred.then_some(true),
            data,
            ..Default::default()
        }))
    });
    Some(actions.collect())
}

/// The same action with its edit. `None` where it is not offered any more: the text is another, or
/// what was found is gone.
pub(super) fn resolved(
    session: &Session,
    view: &View,
    mut action: CodeAction,
) -> Option<CodeAction> {
    let of = Unresolved::deserialize(action.data.as_ref()?).ok()?;
    let path = path_of(&of.uri)?;
    let part = view.part(&path)?;
    if hash(part.snapshot.source(&path)?) != of.text {
        return None;
    }
    let span = Span {
        start: of.start,
        end: of.end,
    };
    let kind = action.kind.as_ref()?;
    let mut same = offered(part, &path, span, Some(std::slice::from_ref(kind))).into_iter();
    let (_, found) = same.find(|(_, it)| it.fix.title == of.title)?;
    action.edit = Some(workspace_edit(session, view, &part.snapshot, &found.fix)?);
    Some(action)
}

/// What can be done at a place, of the kinds that are asked for.
fn offered<'a>(
    part: &'a Part,
    path: &Path,
    span: Span,
    only: Option<&[CodeActionKind]>,
) -> Vec<(CodeActionKind, Action<'a>)> {
    let asked = |kind: &CodeActionKind| only?.iter().find(|it| is_kind_of(kind, it));
    let wanted = |kind: &CodeActionKind| only.is_none() || asked(kind).is_some();
    let (snapshot, findings) = (&part.snapshot, part.lists.of(path));
    let here = ide::actions(snapshot, findings, path, span);
    let mut offered: Vec<_> = here
        .into_iter()
        .map(|action| match action.mends {
            Some(_) => (CodeActionKind::QUICKFIX, action),
            None => (CodeActionKind::REFACTOR_REWRITE, action),
        })
        .filter(|(kind, _)| wanted(kind))
        .collect();
    if asked(&FIX_ALL).is_some() {
        let fix = ide::fix_all(snapshot, findings, path);
        offered.extend(fix.map(|fix| (FIX_ALL, Action { fix, mends: None })));
    }
    offered
}

/// Whether `kind` is `asked`, or below it: `refactor` asks for `refactor.rewrite` too.
fn is_kind_of(kind: &CodeActionKind, asked: &CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(asked.as_str());
    rest.is_some_and(|it| it.is_empty() || it.starts_with('.') || asked.as_str().is_empty())
}

/// The diagnostics of a finding as the client sent them; some send only a part of what they were
/// given.
fn as_sent(finding: &Finding, range: Range, sent: &[Diagnostic]) -> Option<Vec<Diagnostic>> {
    let code = NumberOrString::String(finding.code.into());
    let same = sent.iter();
    let same = same.filter(|it| it.range == range && it.code.as_ref() == Some(&code));
    let same: Vec<_> = same.cloned().collect();
    (!same.is_empty()).then_some(same)
}

/// Tells a text from others, as it was when something was offered for it.
pub(super) fn hash(source: &Source) -> String {
    let mut hasher = DefaultHasher::new();
    source.text().hash(&mut hasher);
    // clients keep numbers as floating-point ones
    format!("{:x}", hasher.finish())
}

fn workspace_edit(
    session: &Session,
    view: &View,
    snapshot: &Snapshot,
    fix: &Fix,
) -> Option<WorkspaceEdit> {
    let settings = session.settings();
    let mut files: Vec<(&Path, Vec<TextEdit>)> = Vec::new();
    for edit in &fix.edits {
        let source = snapshot.source(&edit.place.path)?;
        let range = range(source, edit.place.span, settings.encoding);
        let edit_here = TextEdit::new(range, edit.new_text.clone());
        match files
            .iter_mut()
            .find(|(path, _)| **path == *edit.place.path)
        {
            Some((_, edits)) => edits.push(edit_here),
            None => files.push((&edit.place.path, vec![edit_here])),
        }
    }
    if !settings.document_changes {
        let changes = files.into_iter();
        let changes = changes.map(|(path, edits)| Some((session.uri_of(path)?, edits)));
        return Some(WorkspaceEdit::new(changes.collect::<Option<_>>()?));
    }
    let edits = files.into_iter().map(|(path, edits)| {
        Some(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: session.uri_of(path)?,
                version: view.versions.get(path).copied(),
            },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        })
    });
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(edits.collect::<Option<_>>()?)),
        ..Default::default()
    })
}
