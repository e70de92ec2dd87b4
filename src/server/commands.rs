//! The commands that a client may have the server carry out: which there are, and who does it.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ExecuteCommandParams;

use super::session::Session;
use super::{explain, graph};

/// The names of all commands.
pub(super) const ALL: &[&str] = &[explain::COMMAND, graph::COMMAND];

/// Executes a command.
pub(super) async fn execute(session: Arc<Session>, params: ExecuteCommandParams) -> Result<Value> {
    match &*params.command {
        explain::COMMAND => explain::execute(session, params.arguments).await,
        graph::COMMAND => graph::execute(session, params.arguments).await,
        other => Err(Error::invalid_params(format!(
            "there is no command {other}"
        ))),
    }
}
