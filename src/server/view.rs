//! What everything comes to at one revision of the session: what answers are made of.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use tower_lsp::ls_types::Diagnostic;

use crate::checks::{Check, Finding, Findings, Lists, Settings};
use crate::workspace::Snapshot;

use super::convert::diagnostic;
use super::pages::Pages;
use super::session;

/// What everything comes to at one revision of the session.
#[derive(Clone, Default)]
pub(super) struct View {
    pub(super) revision: u64,
    pub(super) parts: Vec<Arc<Part>>,
    /// Whether there are stacks still to be read.
    pub(super) is_partial: bool,
    /// The editor's settings.
    pub(super) editor: Arc<Settings>,
    /// The versions of the open documents that were read.
    pub(super) versions: HashMap<Arc<Path>, i32>,
    /// The help pages of what was found.
    pub(super) pages: Pages,
}

/// One workspace of a view.
pub(super) struct Part {
    pub(super) snapshot: Snapshot,
    pub(super) lists: Lists,
}

impl Part {
    pub(super) fn new(snapshot: &Snapshot, findings: &Findings) -> Self {
        Self {
            snapshot: snapshot.clone(),
            lists: findings.lists().clone(),
        }
    }

    /// Of a workspace whose states are still to be read: without what takes several stacks to find,
    /// and what stands in files that stacks which are not there yet may be part of.
    pub(super) fn partial(snapshot: &Snapshot, findings: &Findings) -> Self {
        let takes_one = |it: &Finding| !Check::of(it.code).is_some_and(Check::is_cross_stack);
        let is_there = |it: &Finding| snapshot.file(&it.place.path).is_some();
        Self {
            snapshot: snapshot.clone(),
            lists: findings
                .lists()
                .filtered(|it| takes_one(it) && is_there(it)),
        }
    }
}

impl View {
    /// The workspace that a file belongs to.
    pub(super) fn part(&self, path: &Path) -> Option<&Part> {
        let mut parts = self.parts.iter().map(|it| &**it);
        parts.find(|it| it.snapshot.file(path).is_some())
    }

    /// What is found in a file, as the client is told.
    pub(super) fn diagnostics(&self, path: &Path, settings: session::Settings) -> Vec<Diagnostic> {
        let of_part = |part: &Part| -> Vec<Diagnostic> {
            let found = part.lists.of(path).iter();
            let told = found.filter_map(|it| {
                let page = self.pages.get(it.code);
                diagnostic(&part.snapshot, it, page, settings)
            });
            told.collect()
        };
        self.parts.iter().flat_map(|it| of_part(it)).collect()
    }

    /// What is found of states without a text that an editor could underline.
    pub(super) fn unplaced<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Finding> {
        let parts = self.parts.iter();
        let parts = parts.filter(|it| it.snapshot.file(path).is_none());
        parts.flat_map(|it| it.lists.of(path))
    }
}
