//! The commands that a client may have the server carry out: which there are, and who does it.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ExecuteCommandParams;

use super::session::Session;
use super::{explain, graph, refreshing};

/// The names of all commands.
pub(super) const ALL: &[&str] = &[
    explain::COMMAND,
    graph::COMMAND,
    refreshing::REFRESH,
    refreshing::STATUS,
];

/// Executes a command.
pub(super) async fn execute(session: Arc<Session>, params: ExecuteCommandParams) -> Result<Value> {
    let arguments = params.arguments;
    let token = params.work_done_progress_params.work_done_token;
    match &*params.command {
        explain::COMMAND => explain::execute(session, arguments).await,
        graph::COMMAND => graph::execute(session, arguments).await,
        refreshing::REFRESH => {
            let first = arguments.into_iter().next().unwrap_or_default();
            let done = refreshing::refresh(session, first, token).await;
            done.map_err(Error::invalid_params)
        }
        refreshing::STATUS => {
            let told = refreshing::status(session).await;
            told.map_err(Error::invalid_params)
        }
        other => Err(Error::invalid_params(format!(
            "there is no command {other}"
        ))),
    }
}
