//! The one task that computes what everything comes to, and tells the client.
//!
//! One run at a time. Changes that arrive meanwhile are taken together by the next run. What is
//! found in a file and its own stack is told at once; what takes several stacks to find, when nobody
//! types. While a workspace is read, the stacks of the open files come first.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tower_lsp::ls_types::MessageType;

use crate::checks::{Findings, Lists, Settings};
use crate::identity::IdentityRegistry;
use crate::workspace::{Change, Workspace, root_of};

use super::document::Document;
use super::publish::Published;
use super::pull::Pulled;
use super::refresh::{Others, Refreshed, Since};
use super::session::{Changes, Session};
use super::status::Status;
use super::view::{Part, View};
use super::watch::{Disk, Watcher};

/// How long nobody must have typed before what takes several stacks to find is told.
const QUIET: Duration = Duration::from_millis(150);

/// How long typing without a pause may put it off.
const PATIENCE: Duration = Duration::from_secs(1);

/// States that are read in one go before what the client changed meanwhile is looked at.
const AT_ONCE: usize = 64;

/// Analyses whenever something changed, until the process ends.
pub(super) async fn run(session: Arc<Session>) {
    let mut watcher = Watcher::new(&session);
    let analysis = Arc::new(Mutex::new(Analysis::default()));
    let mut told = Told::default();
    let mut revision = 0;
    loop {
        let changes = session.take_changes();
        revision = changes.revision.max(revision);
        if !changes.added.is_empty() {
            session.loading.is(true);
        }
        let ran = in_the_background(&session, &analysis, |session, it| it.run(session, changes));
        let Some(mut ran) = ran.await else {
            session.loading.is(false);
            // what failed once would fail again at once
            session.changed_after(revision).await;
            continue;
        };
        if let Some((directories, folders)) = ran.walked.take() {
            // before anybody hears of the files and can change them
            watcher.watch(directories, &folders);
        }
        told.tell(&session, &ran).await;
        session.loading.is(ran.reads);
        if ran.reads {
            continue;
        }
        if let Some(deferred) = ran.deferred
            && !is_interrupted(&session, revision, deferred).await
        {
            let rest = in_the_background(&session, &analysis, |session, it| it.run_across(session));
            if let Some(rest) = rest.await {
                told.tell(&session, &rest).await;
            }
        }
        session.changed_after(revision).await;
    }
}

/// Whether something changes before it was quiet for long enough, and may be looked at first.
async fn is_interrupted(session: &Session, revision: u64, deferred: Instant) -> bool {
    let patience = (deferred + PATIENCE).saturating_duration_since(Instant::now());
    let quiet = timeout(QUIET.min(patience), session.changed_after(revision));
    quiet.await.is_ok() && !patience.is_zero()
}

/// Runs something on a thread that may compute. `None` when it failed: the client is told, and the
/// next run starts from nothing.
async fn in_the_background(
    session: &Arc<Session>,
    analysis: &Arc<Mutex<Analysis>>,
    run: impl FnOnce(&Session, &mut Analysis) -> Ran + Send + 'static,
) -> Option<Ran> {
    let (of, analysis) = (session.clone(), analysis.clone());
    let ran = tokio::task::spawn_blocking({
        let analysis = analysis.clone();
        move || {
            run(
                &of,
                &mut analysis.lock().unwrap_or_else(PoisonError::into_inner),
            )
        }
    });
    match ran.await {
        Ok(ran) => {
            session.view.send_replace(ran.view.clone());
            Some(ran)
        }
        Err(error) => {
            let mut analysis = analysis.lock().unwrap_or_else(PoisonError::into_inner);
            analysis.start_anew();
            // whoever waits for it learns that nothing is known
            session.view.send_replace(Arc::new(analysis.view.clone()));
            drop(analysis);
            let what = format!("the analysis failed and starts anew: {error}");
            session.say(MessageType::ERROR, what);
            None
        }
    }
}

/// What a run came to.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) view: Arc<View>,
    /// The files of which something else may be to be told.
    files: BTreeSet<Arc<Path>>,
    /// Of these, those of documents that the client changed itself.
    documents: BTreeSet<Arc<Path>>,
    /// Whether every file of which anything is or was told is one of them.
    pub(super) all: bool,
    /// What is other of what is shown beside texts.
    others: Others,
    /// Whether there are states still to be read.
    pub(super) reads: bool,
    /// Whether anything of stacks, claims or dependencies may be other.
    pub(super) stacks: bool,
    /// Since when something is left for when it is quiet.
    deferred: Option<Instant>,
    /// What was not read, when that may be something else.
    warnings: Option<BTreeSet<String>>,
    /// The directories to watch, and the client's folders, when they may be others.
    walked: Option<(BTreeSet<PathBuf>, BTreeSet<PathBuf>)>,
}

/// What the client knows.
#[derive(Default)]
struct Told {
    published: Published,
    pulled: Pulled,
    refreshed: Refreshed,
    logged: HashMap<Arc<Path>, BTreeSet<String>>,
    warnings: BTreeSet<String>,
    status: Status,
}

impl Told {
    async fn tell(&mut self, session: &Arc<Session>, ran: &Ran) {
        let mut files = ran.files.clone();
        if ran.all {
            files.extend(self.published.files().cloned());
            files.extend(self.logged.keys().cloned());
            let of_parts = ran.view.parts.iter().flat_map(|it| it.lists.files());
            files.extend(of_parts.map(|(path, _)| path.clone()));
        }
        match session.settings().pulls {
            true => self.pulled.tell(session, &files, &ran.documents),
            false => self.published.publish(session, &ran.view, &files).await,
        }
        self.refreshed.tell(session, ran.others);
        for path in &files {
            let unplaced = ran.view.unplaced(path).map(|it| it.message.clone());
            let unplaced: BTreeSet<_> = unplaced.collect();
            let before = self.logged.remove(path).unwrap_or_default();
            for message in unplaced.difference(&before) {
                session.say(MessageType::WARNING, message.clone());
            }
            if !unplaced.is_empty() {
                self.logged.insert(path.clone(), unplaced);
            }
        }
        if let Some(warnings) = &ran.warnings {
            for it in warnings.difference(&self.warnings) {
                session.say(MessageType::WARNING, it.clone());
            }
            self.warnings = warnings.clone();
        }
        self.status.tell(session, ran, &files).await;
    }
}

/// Everything that was read, and what was found in it.
#[derive(Default)]
pub(super) struct Analysis {
    /// The client's folders. Two may belong to one workspace.
    folders: BTreeSet<PathBuf>,
    followed: Vec<Followed>,
    view: View,
    /// Since when something is left for when it is quiet.
    deferred: Option<Instant>,
}

/// A workspace, and what was found in it.
struct Followed {
    workspace: Workspace,
    /// `None` while states are still to be read.
    findings: Option<Findings>,
    part: Option<Arc<Part>>,
    /// What changed since the client was told of what is shown beside texts.
    since: Since,
}

impl Analysis {
    fn run(&mut self, session: &Session, changes: Changes) -> Ran {
        let view = &mut self.view;
        view.revision = view.revision.max(changes.revision);
        let mut others = Others::default();
        if let Some(settings) = &changes.settings {
            // of what is still to be read, the client is told then
            if view.editor.shown != settings.shown && !self.followed.is_empty() {
                others = Others::ALL;
            }
            view.editor = settings.clone();
        }
        let is_of_disk = !matches!(changes.disk, Disk::Nothing);
        let is_other = self.change_folders(session, &changes);
        let mut walked = is_other;
        for it in &mut self.followed {
            it.workspace.set_variables(&self.view.editor.variables);
            walked |= match &changes.disk {
                Disk::Nothing => false,
                Disk::Paths(paths) => it.workspace.refresh_paths(paths),
                Disk::Everything => {
                    it.workspace.refresh();
                    true
                }
            };
        }
        for path in &changes.documents {
            let document = session.documents.get(path).map(|it| it.clone());
            self.overlay(path, document);
        }
        let mut ran = Ran {
            files: changes.documents.clone(),
            documents: changes.documents,
            all: is_other,
            others,
            reads: false,
            stacks: is_other,
            deferred: None,
            warnings: None,
            walked: walked.then(|| (self.directories(), self.folders.clone())),
            view: Arc::default(),
        };
        for it in &mut self.followed {
            it.follow(&self.view.editor, &mut self.deferred, &mut ran);
        }
        ran.deferred = self.deferred;
        if !ran.reads && (ran.all || is_of_disk) {
            let all = self.followed.iter();
            ran.warnings = Some(all.flat_map(|it| it.workspace.warnings()).collect());
        }
        self.seen(session, ran)
    }

    /// Looks at what takes several stacks to find.
    fn run_across(&mut self, session: &Session) -> Ran {
        let mut ran = Ran::default();
        self.deferred = None;
        for it in &mut self.followed {
            if let (Some(findings), Some(part)) = (&mut it.findings, &it.part) {
                findings.update_cross(&part.snapshot);
                ran.others.join(it.since.take(&part.snapshot));
                it.part = Some(Arc::new(Part::new(&part.snapshot, findings)));
                ran.files.extend(findings.take_changed());
            }
        }
        self.seen(session, ran)
    }

    /// Puts what was found into a view.
    fn seen(&mut self, session: &Session, mut ran: Ran) -> Ran {
        let parts = self.followed.iter().filter_map(|it| it.part.clone());
        self.view.parts = parts.collect();
        self.view.is_partial = ran.reads;
        if session.settings().links_codes {
            let lists = self.view.parts.iter().map(|it| &it.lists);
            let found: Vec<_> = match ran.all {
                true => lists.flat_map(|it| it.all()).collect(),
                false => {
                    let of = |path| lists.clone().flat_map(move |it: &Lists| it.of(path));
                    ran.files.iter().flat_map(|it| of(it)).collect()
                }
            };
            let codes: BTreeSet<_> = found.iter().map(|it| it.code).collect();
            codes.into_iter().for_each(|it| self.view.pages.write(it));
        }
        ran.view = Arc::new(self.view.clone());
        ran
    }

    /// Follows the client's folders. Returns whether that changes what is followed.
    fn change_folders(&mut self, session: &Session, changes: &Changes) -> bool {
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
        let before = self.followed.len();
        let root = |it: &Followed| it.workspace.root().clone();
        self.followed
            .retain(|it| outer.iter().any(|outer| *root(it) == ***outer));
        let mut is_other = self.followed.len() != before;
        for outer in outer {
            if !self.followed.iter().any(|it| *root(it) == **outer) {
                is_other = true;
                let followed = Followed::begin(session, outer);
                self.followed.push(followed);
                for document in session.documents.iter() {
                    self.overlay(document.key(), Some(document.clone()));
                }
            }
        }
        is_other
    }

    fn overlay(&mut self, path: &Arc<Path>, document: Option<Document>) {
        let versions = &mut self.view.versions;
        match &document {
            Some(document) => _ = versions.insert(path.clone(), document.version),
            None => _ = versions.remove(path),
        }
        for it in &mut self.followed {
            match &document {
                Some(document) => {
                    let source = document.source.clone();
                    it.workspace.open_document(path, source);
                }
                None => it.workspace.close_document(path),
            }
        }
    }

    fn directories(&self) -> BTreeSet<PathBuf> {
        let all = self.followed.iter();
        let all = all.flat_map(|it| it.workspace.directories());
        all.map(Into::into).collect()
    }

    /// Forgets everything but what the client has told.
    fn start_anew(&mut self) {
        *self = Self {
            folders: std::mem::take(&mut self.folders),
            view: View {
                revision: self.view.revision,
                editor: self.view.editor.clone(),
                ..View::default()
            },
            ..Self::default()
        };
    }
}

impl Followed {
    /// Reads the configuration of a workspace, and the states of the stacks that somebody looks at.
    fn begin(session: &Session, root: &Path) -> Self {
        let registry = Arc::new(IdentityRegistry::mounted());
        let mut workspace = Workspace::begin(root, registry, session.loading.progress.clone());
        workspace.use_cache();
        let open = session.documents.iter();
        let open = open.filter_map(|it| Some(it.key().parent()?.to_path_buf()));
        workspace.read_first(open.collect());
        Self {
            workspace,
            findings: None,
            part: None,
            since: Since::default(),
        }
    }

    /// Finds what there is to be found now, or reads on.
    fn follow(&mut self, editor: &Settings, deferred: &mut Option<Instant>, ran: &mut Ran) {
        if !self.workspace.is_read() && self.part.is_some() {
            self.workspace.read_more(AT_ONCE);
        }
        if !self.workspace.is_read() {
            ran.reads = true;
            if self.part.is_none() || !ran.documents.is_empty() {
                let snapshot = self.workspace.snapshot();
                let findings = Findings::new(&snapshot, editor);
                self.part = Some(Arc::new(Part::partial(&snapshot, &findings)));
                ran.all = true;
                ran.stacks = true;
            }
            return;
        }
        let (snapshot, change) = self.workspace.follow();
        ran.stacks |= change.is_of_stacks();
        let findings = match &mut self.findings {
            Some(findings) => {
                findings.update_own(&snapshot, &change, editor);
                if change != Change::default() {
                    deferred.get_or_insert_with(Instant::now);
                    if let Some(before) = &self.part {
                        self.since.follow(&before.snapshot, &change);
                    }
                }
                findings
            }
            None => {
                ran.all = true;
                ran.others = Others::ALL;
                self.findings.insert(Findings::new(&snapshot, editor))
            }
        };
        ran.files.extend(findings.take_changed());
        self.part = Some(Arc::new(Part::new(&snapshot, findings)));
    }
}
