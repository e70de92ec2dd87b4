//! What the whole workspace comes to in a few numbers, for a client that shows them all the time: it
//! is told whenever they are other.
//!
//! What is found is counted by file, so that an edit costs what it changes. Of stacks, of which
//! there are few, all are asked.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;

use crate::checks::Severity;

use super::analysis::Ran;
use super::session::Session;
use super::view::View;

/// `gantrycd/status`, to clients that say `experimental: {gantrycd: {status: true}}`.
enum Told {}

impl Notification for Told {
    type Params = Numbers;
    const METHOD: &'static str = "gantrycd/status";
}

/// What the whole workspace comes to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Numbers {
    stacks: usize,
    /// Objects that several addresses claim.
    duplicates: usize,
    /// When the oldest of the cached states was written, in seconds since 1970.
    oldest_state: Option<u64>,
    /// States that could not be read.
    unreadable: usize,
    /// Whether there are states still to be read.
    loading: bool,
    /// How many of the diagnostics are errors.
    errors: usize,
    warnings: usize,
    /// Another number whenever the tree of stacks may be another.
    tree: u64,
}

/// What the client knows, and what it was counted from.
#[derive(Default)]
pub(super) struct Status {
    told: Option<Numbers>,
    now: Numbers,
    /// Errors and warnings of the files that have any.
    found: HashMap<Arc<Path>, [usize; 2]>,
}

impl Status {
    /// Tells what everything comes to after a run, which concerns `files`.
    pub(super) async fn tell(&mut self, session: &Session, ran: &Ran, files: &BTreeSet<Arc<Path>>) {
        if !session.settings().shows_status {
            return;
        }
        let view = &ran.view;
        if ran.all {
            self.count_all(view);
        } else {
            files.iter().for_each(|it| self.count(view, it));
        }
        if ran.stacks {
            self.now.tree += 1;
            self.ask_stacks(view);
        }
        self.now.loading = ran.reads;
        if self.told != Some(self.now) {
            self.told = Some(self.now);
            session.client.send_notification::<Told>(self.now).await;
        }
    }

    fn count_all(&mut self, view: &View) {
        self.found.clear();
        (self.now.errors, self.now.warnings) = (0, 0);
        let parts = view.parts.iter();
        let files = parts.flat_map(|it| it.lists.files());
        let files: BTreeSet<_> = files.map(|(path, _)| path).collect();
        files.into_iter().for_each(|it| self.count(view, it));
    }

    fn count(&mut self, view: &View, path: &Arc<Path>) {
        let [errors, warnings] = self.found.remove(path).unwrap_or_default();
        self.now.errors -= errors;
        self.now.warnings -= warnings;
        // what stands in no text is told in the log
        let parts = view.parts.iter();
        let parts = parts.filter(|it| it.snapshot.source(path).is_some());
        let (mut errors, mut warnings) = (0, 0);
        for it in parts.flat_map(|it| it.lists.of(path)) {
            match it.severity_in_editor() {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
                Severity::Information | Severity::Hint => {}
            }
        }
        self.now.errors += errors;
        self.now.warnings += warnings;
        if errors + warnings > 0 {
            self.found.insert(path.clone(), [errors, warnings]);
        }
    }

    fn ask_stacks(&mut self, view: &View) {
        let snapshots = view.parts.iter().map(|it| &it.snapshot);
        let stacks = snapshots.clone().flat_map(|it| &it.stacks);
        let states = stacks.clone().filter_map(|it| it.state.as_ref());
        let oldest = states.filter_map(|it| it.modified).min();
        let oldest = oldest.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        self.now.stacks = stacks.clone().count();
        self.now.duplicates = snapshots.map(|it| it.duplicate_count()).sum();
        self.now.oldest_state = oldest.map(|it| it.as_secs());
        self.now.unreadable = stacks.map(|it| it.unreadable.len()).sum();
    }
}
