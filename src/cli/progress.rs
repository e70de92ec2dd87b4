//! How far reading has come: on standard error, on a terminal, where it takes a while.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::workspace::Progress;

/// Nothing is shown before.
const A_WHILE: Duration = Duration::from_secs(1);

const BETWEEN: Duration = Duration::from_millis(100);

/// Does the work and shows what it counts until it is done.
pub(super) fn shown<T>(work: impl FnOnce(Arc<Progress>) -> T) -> T {
    let progress = Arc::<Progress>::default();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if bar.is_hidden() {
        return work(progress);
    }
    if let Ok(style) = ProgressStyle::with_template("Reading [{bar:40}] {pos} of {len} files") {
        bar.set_style(style.progress_chars("=> "));
    }
    thread::scope(|scope| {
        let counted = progress.clone();
        // dropped when the work is done, even if it panics
        let (working, done) = channel::<()>();
        scope.spawn(move || {
            let mut wait = A_WHILE;
            while done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let (read, found) = counted.counts();
                bar.update(|it| {
                    it.set_len(found as u64);
                    it.set_pos(read as u64);
                });
                wait = BETWEEN;
            }
            bar.finish_and_clear();
        });
        let result = work(progress);
        drop(working);
        result
    })
}
