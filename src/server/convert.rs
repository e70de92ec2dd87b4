//! Between the protocol's terms and ours: URIs and paths, ranges and spans, findings and
//! diagnostics.

use std::path::{Path, PathBuf};

use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    CompletionItem, CompletionItemKind, CompletionList, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DocumentChanges, Documentation, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier,
    Position, Range, TextDocumentEdit, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};

use crate::checks::{Finding, Fix, Severity};
use crate::ide::{self, Action, CompletionKind};
use crate::text::{self, Encoding, Source, Span};
use crate::workspace::{Place, Snapshot, normalize};

use super::analysis::View;
use super::session::Settings;

/// The path of a `file:` URI, without `.` and `..`; `None` for a document that lies in no file.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    is_file
        .then(|| uri.to_file_path())?
        .map(|it| normalize(&it))
}

/// The URI of a path.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_file_path(path)
}

fn position(source: &Source, offset: u32, encoding: Encoding) -> Position {
    let at = source.position(offset, encoding);
    Position::new(at.line, at.character)
}

fn range(source: &Source, span: Span, encoding: Encoding) -> Range {
    Range {
        start: position(source, span.start, encoding),
        end: position(source, span.end, encoding),
    }
}

fn offset(source: &Source, at: Position, encoding: Encoding) -> u32 {
    let at = text::Position {
        line: at.line,
        character: at.character,
    };
    source.offset(at, encoding)
}

/// Where a place is. A file that is no text of ours is named at its start.
fn location(snapshot: &Snapshot, place: &Place, encoding: Encoding) -> Option<Location> {
    let source = snapshot.source(&place.path);
    Some(Location {
        uri: uri_of(&place.path)?,
        range: source
            .map(|it| range(it, place.span, encoding))
            .unwrap_or_default(),
    })
}

/// A finding as a diagnostic; `None` when it stands in no text of ours.
pub(super) fn diagnostic(
    snapshot: &Snapshot,
    finding: &Finding,
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
        message: finding.message.clone(),
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

pub(super) fn code_actions(
    view: &View,
    settings: Settings,
    params: &CodeActionParams,
) -> Option<CodeActionResponse> {
    let path = path_of(&params.text_document.uri)?;
    let part = view.part(&path)?;
    let source = part.snapshot.source(&path)?;
    let at = |position| offset(source, position, settings.encoding);
    let (start, end) = (at(params.range.start), at(params.range.end));
    let span = Span {
        start: start.min(end),
        end: start.max(end),
    };
    let wanted = |kind: &CodeActionKind| {
        let only = params.context.only.as_deref();
        only.is_none_or(|only| only.iter().any(|it| is_kind_of(kind, it)))
    };
    let actions = ide::actions(&part.snapshot, &part.findings, &path, span);
    let actions = actions.into_iter().filter_map(|action| {
        let (kind, fix, finding) = match &action {
            Action::Fix(fix, finding) => (CodeActionKind::QUICKFIX, fix, Some(finding)),
            Action::Refactor(fix) => (CodeActionKind::REFACTOR_REWRITE, fix, None),
        };
        if !wanted(&kind) {
            return None;
        }
        // the diagnostic as the client sent it; some send only a part of what they were given
        let mended = finding.and_then(|finding| {
            let range = range(source, finding.place.span, settings.encoding);
            let code = NumberOrString::String(finding.code.into());
            let sent = params.context.diagnostics.iter();
            let same = sent.filter(|it| it.range == range && it.code.as_ref() == Some(&code));
            let same: Vec<_> = same.cloned().collect();
            (!same.is_empty()).then_some(same)
        });
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: fix.title.clone(),
            kind: Some(kind),
            diagnostics: mended,
            edit: Some(workspace_edit(view, &part.snapshot, settings, fix)?),
            ..Default::default()
        }))
    });
    Some(actions.collect())
}

/// Whether `kind` is `asked`, or below it: `refactor` asks for `refactor.rewrite` too.
fn is_kind_of(kind: &CodeActionKind, asked: &CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(asked.as_str());
    rest.is_some_and(|it| it.is_empty() || it.starts_with('.') || asked.as_str().is_empty())
}

fn workspace_edit(
    view: &View,
    snapshot: &Snapshot,
    settings: Settings,
    fix: &Fix,
) -> Option<WorkspaceEdit> {
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
        let changes = changes.map(|(path, edits)| Some((uri_of(path)?, edits)));
        return Some(WorkspaceEdit::new(changes.collect::<Option<_>>()?));
    }
    let edits = files.into_iter().map(|(path, edits)| {
        Some(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: uri_of(path)?,
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
