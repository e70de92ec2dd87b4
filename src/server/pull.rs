//! Diagnostics for clients that ask for them: of a document, and of the whole workspace.
//!
//! Every list has an id, which is its content's: who has it already is told so. When something else
//! is found than a client may have, and not only in what it edits itself, it is told to ask again.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;

use tower_lsp::ls_types::{
    Diagnostic, DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport, Uri,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};

use super::refresh::Again;
use super::session::Session;
use super::uri::path_of;
use super::view::View;

/// Has the client ask again when it has to.
#[derive(Default)]
pub(super) struct Pulled(Again);

impl Pulled {
    /// Something else may be found in these files; of `documents` the client asks by itself, as it
    /// has changed them.
    pub(super) fn tell(
        &self,
        session: &Session,
        files: &BTreeSet<Arc<Path>>,
        documents: &BTreeSet<Arc<Path>>,
    ) {
        if files.is_subset(documents) {
            return;
        }
        let client = session.client.clone();
        self.0.ask(move || {
            let client = client.clone();
            async move { client.workspace_diagnostic_refresh().await }
        });
    }
}

/// What is found in a document.
pub(super) fn of_document(
    session: &Session,
    view: &View,
    params: &DocumentDiagnosticParams,
) -> DocumentDiagnosticReportResult {
    let path = path_of(&params.text_document.uri).unwrap_or_default();
    let list = view.diagnostics(&path, session.settings());
    let id = id_of(&list);
    let report = match params.previous_result_id == Some(id.clone()) {
        true => DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                result_id: id,
            },
        }),
        false => DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(id),
                items: list,
            },
        }),
    };
    DocumentDiagnosticReportResult::Report(report)
}

/// What is found in every file, and that nothing is in those of which the client has something.
pub(super) fn of_workspace(
    session: &Session,
    view: &View,
    params: &WorkspaceDiagnosticParams,
) -> WorkspaceDiagnosticReportResult {
    let previous = params.previous_result_ids.iter();
    let known = |uri: &Uri| {
        let of = path_of(uri);
        let mut previous = previous.clone();
        let known = previous.find(|it| it.uri == *uri || of.is_some() && path_of(&it.uri) == of)?;
        Some(known.value.clone())
    };
    let lists = view.parts.iter().flat_map(|it| it.lists.files());
    let mut uris: Vec<_> = lists.filter_map(|(path, _)| session.uri_of(path)).collect();
    let gone = previous.clone().map(|it| it.uri.clone());
    let gone: Vec<_> = gone.filter(|it| !uris.contains(it)).collect();
    uris.extend(gone);
    let report = |uri: Uri| {
        let path = path_of(&uri).unwrap_or_default();
        let list = view.diagnostics(&path, session.settings());
        let version = view.versions.get(&*path).map(|it| i64::from(*it));
        let id = id_of(&list);
        match known(&uri) {
            Some(known) if known == id => WorkspaceDocumentDiagnosticReport::Unchanged(
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                        result_id: id,
                    },
                },
            ),
            _ => WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
                uri,
                version,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(id),
                    items: list,
                },
            }),
        }
    };
    WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport {
        items: uris.into_iter().map(report).collect(),
    })
}

/// The id of a list: that of no other.
fn id_of(list: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    let text = serde_json::to_string(list).unwrap_or_default();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
