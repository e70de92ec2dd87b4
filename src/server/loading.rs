//! Shows how far reading a workspace has come, where the client can and it takes long enough to be
//! worth it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tower_lsp::ls_types::ProgressToken;

use crate::workspace::Progress;

use super::session::Session;

/// What takes no longer is not shown.
const SOON: Duration = Duration::from_millis(300);

/// How often the client hears of it.
const OFTEN: Duration = Duration::from_millis(200);

/// Whether a workspace is being read, and how far that has come.
pub(super) struct Loading {
    now: watch::Sender<bool>,
    pub(super) progress: Arc<Progress>,
}

impl Loading {
    pub(super) fn new() -> Self {
        Self {
            now: watch::Sender::new(false),
            progress: Arc::default(),
        }
    }

    /// Whether one is being read from now on.
    pub(super) fn is(&self, now: bool) {
        self.now
            .send_if_modified(|it| std::mem::replace(it, now) != now);
    }
}

/// Shows it whenever it takes long, until the process ends.
pub(super) async fn show(session: Arc<Session>) {
    static TOKENS: AtomicI32 = AtomicI32::new(0);
    let loading = &session.loading;
    let mut now = loading.now.subscribe();
    while session.settings().shows_progress && now.wait_for(|it| *it).await.is_ok() {
        tokio::time::sleep(SOON).await;
        if !*now.borrow_and_update() {
            continue;
        }
        let token = TOKENS.fetch_add(1, Ordering::Relaxed);
        let token = ProgressToken::String(format!("gantrycd-reading-{token}"));
        let client = &session.client;
        if client
            .create_work_done_progress(token.clone())
            .await
            .is_err()
        {
            // it cannot after all
            return;
        }
        let shown = client.progress(token, "gantrycd: reading stacks");
        let shown = shown.with_percentage(0).begin().await;
        while *now.borrow_and_update() {
            let (read, found) = loading.progress.counts();
            let percent = (read * 100).checked_div(found).unwrap_or(0).min(100);
            let message = format!("{read} of {found} files");
            shown.report_with_message(message, percent as u32).await;
            tokio::time::sleep(OFTEN).await;
        }
        shown.finish().await;
    }
}
