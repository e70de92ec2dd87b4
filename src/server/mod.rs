//! The language server over standard input and output.
//!
//! Notifications change the session synchronously and return; one task computes what it all comes
//! to and publishes it; a request waits for the answer to the text that it was asked about.

mod actions;
mod analysis;
mod configuration;
mod convert;
mod document;
mod input;
mod pages;
mod session;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::BufReader;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{
    CodeAction, CodeActionParams, CodeActionResponse, CompletionParams, CompletionResponse,
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, Hover, HoverParams, InitializeParams, InitializeResult,
    InitializedParams, MessageType, ServerInfo,
};
use tower_lsp::{LanguageServer, LspService, Server};

use session::Session;

/// More requests than this are never in flight. The framework's own limit of four deadlocks when
/// four of them wait.
const UNLIMITED: usize = 1 << 16;

/// How long the end waits for answers that are still to come.
const GRACE: Duration = Duration::from_millis(500);

/// Serves one client until it says `exit` or closes its end. The exit code is 0 when it said
/// `shutdown` before, and 1 otherwise.
pub fn serve() -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(1);
        }
    };
    let clean = runtime.block_on(async {
        let mut session = None;
        let (service, socket) = LspService::new(|client| {
            let new = Arc::new(Session::new(client));
            session = Some(new.clone());
            Backend { session: new }
        });
        let session = session.expect("the service is made from a session");
        let (to, messages) = tokio::io::duplex(1 << 16);
        let stdin = BufReader::new(tokio::io::stdin());
        let client = session.client.clone();
        let input = input::forward(stdin, to, |why| {
            let client = client.clone();
            tokio::spawn(async move { client.log_message(MessageType::ERROR, why).await });
        });
        let ended = async {
            // an input that fails is at its end
            _ = input.await;
            tokio::time::sleep(GRACE).await;
        };
        let served = Server::new(messages, tokio::io::stdout(), socket)
            .concurrency_level(UNLIMITED)
            .serve(service);
        tokio::select! {
            () = served => {}
            () = ended => {}
        }
        session.was_shut_down()
    });
    // a blocking read of standard input must not keep the process
    runtime.shutdown_background();
    match clean {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}

struct Backend {
    session: Arc<Session>,
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
        self.session.start_configuration();
        watch::register(&self.session);
        tokio::spawn(watch::settle(self.session.clone()));
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
        self.session
            .files_changed([&params.text_document.uri].into_iter());
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

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let view = self.session.view().await;
        let settings = self.session.settings();
        Ok(compute(move || actions::code_actions(&view, settings, &params)).await)
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        if action.edit.is_some() {
            return Ok(action);
        }
        let view = self.session.view().await;
        let settings = self.session.settings();
        let resolved = compute(move || actions::resolved(&view, settings, action)).await;
        resolved.ok_or_else(|| Error {
            code: ErrorCode::ContentModified,
            message: "The file is another than when this was offered: ask again.".into(),
            data: None,
        })
    }
}

/// Computes an answer off the protocol's task. A fault of ours costs this one answer.
async fn compute<T: Send + 'static>(
    answer: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(answer).await.ok().flatten()
}
