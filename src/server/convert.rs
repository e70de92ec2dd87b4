//! Between the protocol's terms and ours: ranges and spans, findings and
//! diagnostics.

use tower_lsp::ls_types::{
    CodeDescription, CompletionItem, CompletionItemKind, CompletionList, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Documentation, Hover,
    HoverContents, Location, MarkupContent, MarkupKind, NumberOrString, Position, Range,
    TextDocumentPositionParams, TextEdit, Uri,
};

use crate::checks::{Finding, Severity};
use crate::ide::{self, CompletionKind};
use crate::text::{self, Encoding, Source, Span};
use crate::workspace::{Place, Snapshot};

use super::session::Settings;
pub(super) use super::uri::{path_of, uri_of};
use super::view::View;

fn position(source: &Source, offset: u32, encoding: Encoding) -> Position {
    let at = source.position(offset, encoding);
    Position::new(at.line, at.character)
}

pub(super) fn range(source: &Source, span: Span, encoding: Encoding) -> Range {
    Range {
        start: position(source, span.start, encoding),
        end: position(source, span.end, encoding),
    }
}

pub(super) fn offset(source: &Source, at: Position, encoding: Encoding) -> u32 {
    let at = text::Position {
        line: at.line,
        character: at.character,
    };
    source.offset(at, encoding)
}

/// Where a place is. A file that is no text of ours is named at its start.
pub(super) fn location(snapshot: &Snapshot, place: &Place, encoding: Encoding) -> Option<Location> {
    let source = snapshot.source(&place.path);
    Some(Location {
        uri: uri_of(&place.path)?,
        range: source
            .map(|it| range(it, place.span, encoding))
            .unwrap_or_default(),
    })
}

/// A finding as a diagnostic that links to its page; `None` when it stands in no text of ours.
pub(super) fn diagnostic(
    snapshot: &Snapshot,
    finding: &Finding,
    page: Option<&Uri>,
    settings: Settings,
) -> Option<Diagnostic> {
    let source = snapshot.source(&finding.place.path)?;
    let related = finding.related.iter().filter_map(|it| {
        Some(DiagnosticRelatedInformation {
            location: location(snapshot, &it.place, settings.encoding)?,
            message: it.message.clone(),
        })
    });
    Some(Diagnostic {
        range: range(source, finding.place.span, settings.encoding),
        severity: Some(match finding.severity_in_editor() {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.code.into())),
        source: Some("gantrycd".into()),
        code_description: page.map(|it| CodeDescription { href: it.clone() }),
        message: finding.message.clone(),
        tags: (finding.is_unnecessary && settings.unnecessary_tag)
            .then(|| vec![DiagnosticTag::UNNECESSARY]),
        related_information: settings.related_information.then(|| related.collect()),
        ..Default::default()
    })
}

pub(super) fn hover(
    view: &View,
    settings: Settings,
    at: &TextDocumentPositionParams,
) -> Option<Hover> {
    let path = path_of(&at.text_document.uri)?;
    let snapshot = &view.part(&path)?.snapshot;
    let source = snapshot.source(&path)?;
    let link = |place: &Place| {
        let Some(at) = location(snapshot, place, Encoding::Utf16) else {
            return String::new();
        };
        // editors read the line of a link from its fragment, counted from 1
        format!("{}#L{}", at.uri.as_str(), at.range.start.line + 1)
    };
    let offset = offset(source, at.position, settings.encoding);
    let hover = ide::hover(snapshot, &view.editor, &path, offset, &link)?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: hover.markdown,
        }),
        range: Some(range(source, hover.span, settings.encoding)),
    })
}

pub(super) fn completion(
    view: &View,
    settings: Settings,
    at: &TextDocumentPositionParams,
) -> Option<CompletionList> {
    let path = path_of(&at.text_document.uri)?;
    let snapshot = &view.part(&path)?.snapshot;
    let source = snapshot.source(&path)?;
    let offset = offset(source, at.position, settings.encoding);
    let completions = ide::completion(snapshot, &path, offset);
    let items = completions.into_iter().enumerate().map(|(rank, it)| {
        let about = MarkupContent {
            kind: MarkupKind::Markdown,
            value: it.about,
        };
        let range = range(source, it.span, settings.encoding);
        CompletionItem {
            kind: Some(match it.kind {
                CompletionKind::Section => CompletionItemKind::MODULE,
                CompletionKind::Key => CompletionItemKind::PROPERTY,
                CompletionKind::Value => CompletionItemKind::ENUM_MEMBER,
                CompletionKind::Stack => CompletionItemKind::REFERENCE,
            }),
            documentation: (!about.value.is_empty()).then_some(Documentation::MarkupContent(about)),
            // in our order
            sort_text: Some(format!("{rank:04}")),
            filter_text: Some(it.name.clone()),
            label: it.name,
            text_edit: Some(TextEdit::new(range, it.new_text).into()),
            ..Default::default()
        }
    });
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then_some(CompletionList {
        is_incomplete: false,
        items,
    })
}
