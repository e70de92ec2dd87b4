//! The one task that computes what everything comes to, and tells the client.
//!
//! One run at a time. Changes that arrive meanwhile are taken together by the next run, and a list
//! that belongs to an older version of its document is not sent.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tower_lsp::ls_types::{Diagnostic, MessageType};

use crate::checks::{self, Finding, Settings};
use crate::identity::IdentityRegistry;
use crate::workspace::{Snapshot, Workspace, root_of};

use super::convert::{diagnostic, uri_of};
use super::document::Document;
use super::pages::Pages;
use super::session::{Changes, Session};
use super::watch::{Disk, Watcher};

/// What everything comes to at one revision of the session.
#[derive(Default)]
pub(super) struct View {
    pub(super) revision: u64,
    pub(super) parts: Vec<Part>,
    /// The editor's settings.
    pub(super) editor: Arc<Settings>,
    /// The versions of the open documents that were read.
    pub(super) versions: HashMap<Arc<Path>, i32>,
    /// The help pages of what was found.
    pages: Pages,
}

/// One workspace of a view.
pub(super) struct Part {
    pub(super) snapshot: Snapshot,
    pub(super) findings: Vec<Finding>,
}

impl View {
    /// The workspace that a file belongs to.
    pub(super) fn part(&self, path: &Path) -> Option<&Part> {
        self.parts
            .iter()
            .find(|it| it.snapshot.file(path).is_some())
    }
}

/// Analyses whenever something changed, until the process ends.
pub(super) async fn run(session: Arc<Session>) {
    let mut watcher = Watcher::new(&session);
    let analysis = Arc::new(Mutex::new(Analysis::default()));
    let mut published = Published::default();
    loop {
        let changes = session.take_changes();
        let revision = changes.revision;
        let run = {
            let (session, analysis) = (session.clone(), analysis.clone());
            tokio::task::spawn_blocking(move || {
                let mut analysis = analysis.lock().unwrap_or_else(PoisonError::into_inner);
                let view = analysis.run(&session, changes);
                let directories = analysis.directories();
                (view, directories, analysis.folders.clone())
            })
        };
        match run.await {
            Ok((view, directories, folders)) => {
                let view = Arc::new(view);
                session.view.send_replace(view.clone());
                // before anybody hears of the files and can change them
                watcher.watch(directories, &folders);
                published.publish(&session, &view).await;
            }
            Err(error) => {
                // whoever waits for it learns that nothing is known
                session.view.send_replace(Arc::new(View {
                    revision,
                    ..View::default()
                }));
                let what = format!("the analysis failed and is tried again: {error}");
                session.client.log_message(MessageType::ERROR, what).await;
            }
        }
        session.changed_after(revision).await;
    }
}

#[derive(Default)]
struct Analysis {
    /// The client's folders. Two may belong to one workspace.
    folders: BTreeSet<PathBuf>,
    workspaces: Vec<Workspace>,
    editor: Arc<Settings>,
    /// Of the open documents, those of the texts that the workspaces have.
    versions: HashMap<Arc<Path>, i32>,
    pages: Pages,
}

impl Analysis {
    fn run(&mut self, session: &Session, changes: Changes) -> View {
        self.change_folders(session, &changes);
        if let Some(settings) = &changes.settings {
            self.editor = settings.clone();
        }
        for workspace in &mut self.workspaces {
            workspace.set_variables(&self.editor.variables);
        }
        if changes.disk != Disk::Nothing {
            for workspace in &mut self.workspaces {
                workspace.refresh();
            }
        }
        for path in &changes.documents {
            let document = session.documents.get(path).map(|it| it.clone());
            self.overlay(path, document);
        }
        let part = |workspace: &mut Workspace| {
            let snapshot = workspace.snapshot();
            let findings = checks::run(&snapshot, &self.editor);
            Part { snapshot, findings }
        };
        let parts: Vec<_> = self.workspaces.iter_mut().map(part).collect();
        if session.settings().links_codes {
            for finding in parts.iter().flat_map(|it| &it.findings) {
                self.pages.write(finding.code);
            }
        }
        View {
            revision: changes.revision,
            parts,
            editor: self.editor.clone(),
            versions: self.versions.clone(),
            pages: self.pages.clone(),
        }
    }

    fn change_folders(&mut self, session: &Session, changes: &Changes) {
        for folder in &changes.removed {
            self.folders.remove(folder);
        }
        self.folders.extend(changes.added.iter().cloned());
        let mut roots: BTreeSet<_> = self.folders.iter().map(|it| root_of(it)).collect();
        // without a folder, every open file brings its own
        if roots.is_empty() {
            let documents = session.documents.iter();
            roots.extend(documents.filter_map(|it| it.key().parent().map(root_of)));
        }
        // of two of which one lies within the other, the outer one has all
        let is_within = |root: &Path| roots.iter().any(|it| root != it && root.starts_with(it));
        let outer: Vec<_> = roots.iter().filter(|it| !is_within(it)).collect();
        self.workspaces
            .retain(|it| outer.iter().any(|root| **it.root() == ***root));
        for root in outer {
            if self.workspaces.iter().any(|it| **it.root() == **root) {
                continue;
            }
            let registry = Arc::new(IdentityRegistry::mounted());
            let mut workspace = Workspace::open(root, registry);
            for document in session.documents.iter() {
                workspace.open_document(document.key(), document.source.clone());
                self.versions
                    .insert(document.key().clone(), document.version);
            }
            self.workspaces.push(workspace);
        }
    }

    fn overlay(&mut self, path: &Arc<Path>, document: Option<Document>) {
        match &document {
            Some(document) => _ = self.versions.insert(path.clone(), document.version),
            None => _ = self.versions.remove(path),
        }
        for workspace in &mut self.workspaces {
            match &document {
                Some(it) => _ = workspace.open_document(path, it.source.clone()),
                None => workspace.close_document(path),
            }
        }
    }

    fn directories(&self) -> BTreeSet<PathBuf> {
        let all = self.workspaces.iter().flat_map(|it| it.directories());
        all.map(Into::into).collect()
    }
}

/// What the client was told last of a file.
struct Told {
    list: Vec<Diagnostic>,
    /// The opening of the file at that time. Editors forget what they were told of a file when
    /// they close it.
    opening: Option<u64>,
}

/// What the client was told last, by file.
#[derive(Default)]
struct Published {
    lists: HashMap<Arc<Path>, Told>,
    logged: BTreeSet<String>,
}

impl Published {
    async fn publish(&mut self, session: &Session, view: &View) {
        let settings = session.settings();
        let mut lists: HashMap<Arc<Path>, Vec<Diagnostic>> = HashMap::new();
        let mut unplaced = BTreeSet::new();
        for part in &view.parts {
            for finding in &part.findings {
                let page = view.pages.get(finding.code);
                match diagnostic(&part.snapshot, finding, page, settings) {
                    Some(it) => lists
                        .entry(finding.place.path.clone())
                        .or_default()
                        .push(it),
                    // of a state without configuration: nothing in an editor to underline
                    None => _ = unplaced.insert(finding.message.clone()),
                }
            }
        }
        let gone = self.lists.keys().filter(|it| !lists.contains_key(*it));
        let cleared: Vec<_> = gone.map(|it| (it.clone(), Vec::new())).collect();
        for (path, list) in lists.into_iter().chain(cleared) {
            let (uri, version, opening) = match session.documents.get(&path) {
                Some(open) => (
                    Some(open.uri.clone()),
                    Some(open.version),
                    Some(open.opening),
                ),
                None => (uri_of(&path), None, None),
            };
            let same = |it: &&Told| it.list == list && (opening.is_none() || it.opening == opening);
            if self.lists.get(&path).filter(same).is_some() {
                continue;
            }
            // a newer text is on its way to the next run
            if version != view.versions.get(&path).copied() {
                continue;
            }
            if let Some(uri) = uri {
                session
                    .client
                    .publish_diagnostics(uri, list.clone(), version)
                    .await;
            }
            match list.is_empty() {
                true => _ = self.lists.remove(&path),
                false => _ = self.lists.insert(path, Told { list, opening }),
            }
        }
        for message in &unplaced {
            if !self.logged.contains(message) {
                session
                    .client
                    .log_message(MessageType::WARNING, message)
                    .await;
            }
        }
        self.logged = unplaced;
    }
}
