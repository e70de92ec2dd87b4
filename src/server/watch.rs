//! What changes on the disk: who tells of it, and when it is worth reading.
//!
//! Clients that can watch files do so for their folders. What lies elsewhere, as a state that a
//! `local` backend names, and everything of the other clients, is watched here. Either way the
//! paths are collected until it is quiet: a file that is being written, or a branch that is being
//! checked out, is read once. Knows nothing of what is read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};
use tower_lsp::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, MessageType,
    Registration, WatchKind,
};

use super::session::Session;

/// How long the disk must be quiet before it is read.
const QUIET: Duration = Duration::from_millis(60);

/// How long a stream of changes that does not end may put off the reading of the first.
const PATIENCE: Duration = Duration::from_millis(500);

/// Of more paths than this it is cheaper to look at everything.
const MOST_PATHS: usize = 1_000;

/// What changed on the disk.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) enum Disk {
    #[default]
    Nothing,
    /// These, or what is below them where they are directories: they may be new, written, renamed
    /// or gone, and none of ours.
    Paths(BTreeSet<PathBuf>),
    /// Nobody knows what.
    Everything,
}

impl Disk {
    /// These paths.
    pub(super) fn paths(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut disk = Self::Nothing;
        disk.join(Self::Paths(paths.into_iter().collect()));
        disk
    }

    pub(super) fn join(&mut self, later: Self) {
        let all = match (std::mem::take(self), later) {
            (Self::Paths(paths), Self::Nothing) | (Self::Nothing, Self::Paths(paths)) => paths,
            (Self::Paths(mut paths), Self::Paths(mut later)) => {
                paths.append(&mut later);
                paths
            }
            (Self::Nothing, Self::Nothing) => return,
            (Self::Everything, _) | (_, Self::Everything) => return *self = Self::Everything,
        };
        *self = match all.len() {
            0 => Self::Nothing,
            1..=MOST_PATHS => Self::Paths(all),
            _ => Self::Everything,
        };
    }
}

/// Changes on the disk that the session does not know of yet.
pub(super) struct Unsettled {
    waiting: Mutex<Waiting>,
    wake: Notify,
    /// How often the client had told of changes, when the last of them became known.
    settled: watch::Sender<u64>,
}

#[derive(Default)]
struct Waiting {
    disk: Disk,
    /// How often the client told of changes.
    told: u64,
}

impl Unsettled {
    pub(super) fn new() -> Self {
        Self {
            waiting: Mutex::default(),
            wake: Notify::new(),
            settled: watch::Sender::new(0),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Collects what the client tells of.
    pub(super) fn told(&self, disk: Disk) {
        let mut waiting = self.waiting();
        waiting.told += 1;
        waiting.disk.join(disk);
        drop(waiting);
        self.wake.notify_one();
    }

    /// Collects what was seen here, of which the client knows nothing.
    fn seen(&self, disk: Disk) {
        self.waiting().disk.join(disk);
        self.wake.notify_one();
    }

    /// Waits until everything that the client told of before is known to the session.
    pub(super) async fn settled(&self) {
        let told = self.waiting().told;
        // fails when the server ends
        _ = self.settled.subscribe().wait_for(|it| *it >= told).await;
    }

    /// The next changes, when it is quiet, and how often the client had told of some by then.
    async fn next(&self) -> (Disk, u64) {
        self.wake.notified().await;
        let latest = Instant::now() + PATIENCE;
        loop {
            let left = latest.saturating_duration_since(Instant::now());
            let again = timeout(QUIET.min(left), self.wake.notified()).await;
            if again.is_err() || left.is_zero() {
                let mut waiting = self.waiting();
                return (std::mem::take(&mut waiting.disk), waiting.told);
            }
        }
    }
}

/// Tells the session of what changes on the disk, until the process ends.
pub(super) async fn settle(session: Arc<Session>) {
    loop {
        let (disk, told) = session.unsettled.next().await;
        if disk != Disk::Nothing {
            session.disk_changed(disk);
        }
        session.unsettled.settled.send_replace(told);
    }
}

/// Has the client watch its folders.
pub(super) fn register(session: &Session) {
    if !session.settings().watches_files {
        return;
    }
    let watcher = |glob: &str, kind| FileSystemWatcher {
        glob_pattern: GlobPattern::String(glob.into()),
        kind,
    };
    let options = DidChangeWatchedFilesRegistrationOptions {
        watchers: vec![
            watcher("**/*.{tf,tofu,tfvars,tfstate,json,hcl}", None),
            // directories, which have any name: clients tell of those that come or go as a whole,
            // and of nothing in them
            watcher("**/*", Some(WatchKind::Create | WatchKind::Delete)),
        ],
    };
    let registration = Registration {
        id: "gantrycd-files".into(),
        method: "workspace/didChangeWatchedFiles".into(),
        register_options: serde_json::to_value(options).ok(),
    };
    let client = session.client.clone();
    // the client's answer is of no consequence, and must not be waited for
    tokio::spawn(async move { client.register_capability(vec![registration]).await });
}

/// Watches what the client does not.
pub(super) struct Watcher {
    session: Arc<Session>,
    /// `None` while there was nothing to watch, and where the system cannot.
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
    /// Of the watched directories, those that were moved or removed since: the system forgets
    /// them, though another may have their name.
    lost: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// Whether somebody was told that not everything can be watched.
    told: bool,
}

impl Watcher {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        Self {
            session: session.clone(),
            watcher: None,
            watched: BTreeSet::new(),
            lost: Arc::default(),
            told: false,
        }
    }

    /// Watches these directories, each by itself: what lies in between is none of ours. What the
    /// client watches is left to it: all below `folders`. What may have changed after it was read
    /// and before it was watched is read again.
    pub(super) fn watch(&mut self, directories: BTreeSet<PathBuf>, folders: &BTreeSet<PathBuf>) {
        let by_client = |directory: &Path| {
            let mut above = directory.ancestors();
            self.session.settings().watches_files && above.any(|it| folders.contains(it))
        };
        let wanted = directories.into_iter().filter(|it| !by_client(it));
        let wanted: BTreeSet<_> = wanted.collect();
        if self.watcher.is_none() && !wanted.is_empty() {
            self.watcher = self.start();
        }
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        let gone = self.watched.iter();
        for gone in gone.filter(|it| !wanted.contains(*it) || lost.contains(*it)) {
            // an error means that it is gone already
            _ = watcher.unwatch(gone);
        }
        let new = wanted.iter();
        let new = new.filter(|it| !self.watched.contains(*it) || lost.contains(*it));
        let (mut unread, mut failed) = (BTreeSet::new(), None);
        for new in new {
            match watcher.watch(new, RecursiveMode::NonRecursive) {
                Ok(()) => _ = unread.insert(new.clone()),
                // removed meanwhile: that is told of by what is above it
                Err(_) if !new.is_dir() => {}
                // read again when something else changes
                Err(why) => failed = Some(why),
            }
        }
        self.watched = wanted;
        if !unread.is_empty() {
            self.session.disk_changed(Disk::paths(unread));
        }
        if let Some(why) = failed
            && !std::mem::replace(&mut self.told, true)
        {
            let client = self.session.client.clone();
            let what = format!("changes of some directories are not seen as they happen: {why}");
            tokio::spawn(async move { client.log_message(MessageType::WARNING, what).await });
        }
    }

    fn start(&self) -> Option<RecommendedWatcher> {
        let (session, lost) = (self.session.clone(), self.lost.clone());
        let tell = move |event: notify::Result<notify::Event>| {
            let disk = seen(event);
            if let Disk::Paths(paths) = &disk {
                let mut lost = lost.lock().unwrap_or_else(PoisonError::into_inner);
                lost.extend(paths.iter().filter(|it| !it.is_file()).cloned());
            }
            if disk != Disk::Nothing {
                session.unsettled.seen(disk);
            }
        };
        notify::recommended_watcher(tell).ok()
    }
}

/// What an event of the system says that changed.
fn seen(event: notify::Result<notify::Event>) -> Disk {
    match event {
        // of which path is not always said
        Err(_) => Disk::Everything,
        Ok(event) if event.need_rescan() => Disk::Everything,
        Ok(event) => match event.kind {
            EventKind::Access(_) => Disk::Nothing,
            _ => Disk::paths(event.paths),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(from: usize, to: usize) -> Disk {
        Disk::paths((from..to).map(|it| format!("/{it}").into()))
    }

    #[test]
    fn what_changed_adds_up() {
        let joined = |mut first: Disk, later| {
            first.join(later);
            first
        };
        assert_eq!(paths(0, 0), Disk::Nothing);
        assert_eq!(joined(Disk::Nothing, Disk::Nothing), Disk::Nothing);
        assert_eq!(joined(Disk::Nothing, paths(0, 2)), paths(0, 2));
        assert_eq!(joined(paths(0, 2), Disk::Nothing), paths(0, 2));
        assert_eq!(joined(paths(0, 2), paths(1, 3)), paths(0, 3));
        assert_eq!(joined(paths(0, 2), Disk::Everything), Disk::Everything);
        assert_eq!(joined(Disk::Everything, paths(0, 2)), Disk::Everything);
    }

    #[test]
    fn of_too_many_paths_none_is_kept() {
        let mut disk = paths(0, MOST_PATHS);
        assert_ne!(disk, Disk::Everything);
        disk.join(paths(0, MOST_PATHS));
        assert_ne!(disk, Disk::Everything, "the same ones");
        disk.join(paths(MOST_PATHS, MOST_PATHS + 1));
        assert_eq!(disk, Disk::Everything);
    }

    /// What becomes known of changes that come this often, and when.
    async fn known(every: Duration, changes: usize) -> Vec<(Duration, Disk)> {
        let unsettled = Unsettled::new();
        let start = Instant::now();
        let change = async {
            for it in 0..changes {
                unsettled.told(paths(it, it + 1));
                tokio::time::sleep(every).await;
            }
        };
        let mut known = Vec::new();
        let know = async {
            loop {
                let (disk, _) = unsettled.next().await;
                known.push((start.elapsed(), disk));
            }
        };
        _ = timeout(every * changes as u32 + QUIET * 2, async {
            tokio::join!(change, know)
        })
        .await;
        known
    }

    #[tokio::test(start_paused = true)]
    async fn changes_become_known_together_when_it_is_quiet() {
        let of = |at: u64, disk| (Duration::from_millis(at), disk);
        let burst = known(Duration::from_millis(10), 5).await;
        assert_eq!(burst, [of(100, paths(0, 5))]);
        let apart = known(Duration::from_millis(100), 2).await;
        assert_eq!(apart, [of(60, paths(0, 1)), of(160, paths(1, 2))]);
    }

    #[tokio::test(start_paused = true)]
    async fn changes_without_end_become_known_all_the_same() {
        let known = known(Duration::from_millis(10), 1_000).await;
        assert!(known.len() > 15, "{}", known.len());
        let mut at = Duration::ZERO;
        for (next, disk) in known {
            assert!(next - at < PATIENCE + QUIET, "{next:?}");
            assert_ne!(disk, Disk::Nothing);
            at = next;
        }
    }

    #[test]
    fn an_event_says_what_changed() {
        use notify::event::{AccessKind, Flag, RemoveKind};
        let event = |kind| notify::Event::new(kind).add_path("/a".into());
        let removed = event(EventKind::Remove(RemoveKind::Any));
        assert_eq!(seen(Ok(removed.clone())), Disk::paths(["/a".into()]));
        let read = event(EventKind::Access(AccessKind::Any));
        assert_eq!(seen(Ok(read)), Disk::Nothing);
        let overflow = removed.set_flag(Flag::Rescan);
        assert_eq!(seen(Ok(overflow)), Disk::Everything);
        let failed = notify::Error::generic("no more watches");
        assert_eq!(seen(Err(failed)), Disk::Everything);
    }
}
