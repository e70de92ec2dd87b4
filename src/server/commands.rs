//! What an editor can have done by name.
//!
//! One entry for each command; what it does stands elsewhere.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{ExecuteCommandParams, LSPAny};

use super::refreshing;
use super::session::Session;

/// All commands.
pub(super) const ALL: &[&str] = &[refreshing::REFRESH, refreshing::STATUS];

/// Does what is asked, and answers when it is done.
pub(super) async fn execute(
    session: Arc<Session>,
    params: ExecuteCommandParams,
) -> Result<Option<LSPAny>> {
    let argument = params.arguments.into_iter().next().unwrap_or_default();
    let token = params.work_done_progress_params.work_done_token;
    let done = match &*params.command {
        refreshing::REFRESH => refreshing::refresh(session, argument, token).await,
        refreshing::STATUS => refreshing::status(session).await,
        other => Err(format!("there is no command {other}")),
    };
    done.map(Some).map_err(|message| Error {
        code: ErrorCode::InvalidParams,
        message: message.into(),
        data: None,
    })
}
