//! The language server over standard input and output.
//!
//! Notifications change the session synchronously and return; one task computes what it all comes
//! to and publishes it; a request waits for the answer to the text that it was asked about.

mod actions;
mod analysis;
mod commands;
mod configuration;
mod convert;
mod document;
mod documents;
mod edge;
mod explain;
mod glance;
mod graph;
mod hierarchy;
mod input;
mod loading;
mod navigation;
mod pages;
mod parent;
mod publish;
mod pull;
mod redact;
mod refresh;
mod refreshing;
mod replay;
mod session;
mod status;
mod symbols;
mod trace;
mod tree;
mod uri;
mod view;
mod watch;

use std::panic::resume_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeAction, CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionParams,
    CompletionResponse, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentDiagnosticParams,
    DocumentDiagnosticReportResult, DocumentLink, DocumentLinkParams, ExecuteCommandParams,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams, InitializeParams,
    InitializeResult, InitializedParams, InlayHint, InlayHintParams, LSPAny, Location,
    ReferenceParams, ServerInfo, WorkDoneProgressCancelParams, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReportResult, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use session::Session;
pub use trace::Options;
use trace::Trace;

/// Serves one client on standard input and output until it says `exit`, closes its end or is gone.
/// The exit code is 0 when it said `shutdown` before, and 1 otherwise.
pub fn serve(options: &Options) -> ExitCode {
    run(async {
        let trace = Trace::new(options)?;
        let clean = edge::serve(tokio::io::stdin(), tokio::io::stdout(), trace).await;
        Ok(match clean {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(1),
        })
    })
}

/// Plays a recorded session to a server, its pauses no longer than this, and prints what it says.
pub fn replay(file: &Path, longest_pause: Duration) -> ExitCode {
    run(async {
        replay::replay(file, longest_pause).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs to the end. The exit code is 2 when that could not begin.
fn run(session: impl Future<Output = std::result::Result<ExitCode, String>>) -> ExitCode {
    let runtime = tokio::runtime::Runtime::new();
    let done = runtime.map_err(|it| it.to_string()).and_then(|runtime| {
        let done = runtime.block_on(session);
        // a blocking read of standard input must not keep the process
        runtime.shutdown_background();
        done
    });
    done.unwrap_or_else(|why| {
        eprintln!("error: {why}");
        ExitCode::from(2)
    })
}

struct Backend {
    session: Arc<Session>,
}

impl Backend {
    fn new(session: Arc<Session>) -> Self {
        Self { session }
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult {
            capabilities: self.session.initialize(&params),
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            offset_encoding: None,
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        if !self.session.start() {
            return;
        }
        self.session.start_configuration();
        watch::register(&self.session);
        tokio::spawn(watch::settle(self.session.clone()));
        tokio::spawn(loading::show(self.session.clone()));
        tokio::spawn(refreshing::every_so_often(self.session.clone()));
        tokio::spawn(analysis::run(self.session.clone()));
    }

    async fn shutdown(&self) -> Result<()> {
        self.session.shut_down();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.session.open(params.text_document);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.session.change(params);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.session.close(&params.text_document.uri);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        let uri = &params.text_document.uri;
        self.session.files_changed([uri].into_iter());
        if let Some(path) = convert::path_of(uri) {
            self.session.saved(&path);
        }
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.session
            .files_changed(params.changes.iter().map(|it| &it.uri));
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.session.change_folders(&params.event);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.session.configure(&params.settings);
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        let view = self.session.view().await;
        let settings = self.session.settings();
        Ok(compute(move || convert::hover(&view, settings, &at)).await)
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let view = self.session.view().await;
        let settings = self.session.settings();
        let list = compute(move || convert::completion(&view, settings, &at)).await;
        Ok(list.map(CompletionResponse::List))
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let session = self.session.clone();
        let view = session.view().await;
        let at = params.text_document_position_params;
        Ok(compute(move || navigation::definition(&session, &view, &at)).await)
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(compute(move || navigation::references(&session, &view, &params)).await)
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let session = self.session.clone();
        let view = session.view().await;
        let uri = params.text_document.uri;
        Ok(compute(move || navigation::links(&session, &view, &uri)).await)
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let session = self.session.clone();
        let view = session.view().await;
        let at = params.text_document_position_params;
        Ok(compute(move || hierarchy::prepared(&session, &view, &at)).await)
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(compute(move || hierarchy::incoming(&session, &view, &params.item)).await)
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(compute(move || hierarchy::outgoing(&session, &view, &params.item)).await)
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let session = self.session.clone();
        let view = session.view().await;
        let uri = params.text_document.uri;
        Ok(compute(move || glance::lenses(&session, &view, &uri)).await)
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        if lens.command.is_some() {
            return Ok(lens);
        }
        let session = self.session.clone();
        let view = session.view().await;
        let resolved = compute(move || glance::resolved(&session, &view, lens)).await;
        resolved.ok_or_else(is_another)
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(compute(move || glance::hints(&session, &view, &params)).await)
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        let waiting = symbols::Waiting::default();
        let is_gone = waiting.gone();
        let session = self.session.clone();
        let view = session.view().await;
        let found = compute(move || {
            let found = symbols::symbols(&session, &view, &params.query, &is_gone);
            Some(WorkspaceSymbolResponse::Nested(found))
        });
        Ok(found.await)
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(pull::of_document(&session, &view, &params))
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(pull::of_workspace(&session, &view, &params))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let session = self.session.clone();
        let view = session.view().await;
        Ok(compute(move || actions::code_actions(&session, &view, &params)).await)
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        commands::execute(self.session.clone(), params)
            .await
            .map(Some)
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        if action.edit.is_some() {
            return Ok(action);
        }
        let session = self.session.clone();
        let view = session.view().await;
        let resolved = compute(move || actions::resolved(&session, &view, action)).await;
        resolved.ok_or_else(is_another)
    }
}

fn is_another() -> Error {
    Error {
        code: ErrorCode::ContentModified,
        message: "The file is another than when this was offered: ask again.".into(),
        data: None,
    }
}

impl Backend {
    /// What stands below a node of the tree of stacks.
    async fn tree(&self, params: tree::Params) -> Result<Vec<tree::Item>> {
        let node = tree::node(&params)?;
        let view = self.session.view().await;
        let settings = self.session.settings();
        let items = compute(move || Some(tree::items(&view, settings, node.as_ref()))).await;
        Ok(items.unwrap_or_default())
    }
}

impl Backend {
    /// The client wants no more of something that it was shown the progress of.
    async fn work_done_progress_cancel(&self, params: WorkDoneProgressCancelParams) {
        self.session.refreshing.cancel(&params.token);
    }
}

/// Computes an answer off the protocol's task. A fault of ours is one of the handler.
async fn compute<T: Send + 'static>(
    answer: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    match tokio::task::spawn_blocking(answer).await {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(fault) => resume_unwind(fault),
            // the server ends
            Err(_) => None,
        },
    }
}
