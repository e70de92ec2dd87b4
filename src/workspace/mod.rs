//! The stacks of one workspace: configuration and cached state, read together.
//!
//! [`Workspace`] holds what was read and follows changes; a [`Snapshot`] is what it all comes to at
//! one moment, and never changes. Knows nothing of editors or of the command line.

mod cache;
mod change;
mod claims;
mod configured;
mod discover;
mod disk;
mod evaluation;
mod external;
mod follow;
mod ignored_tags;
mod kept;
mod manifest;
mod moves;
mod outlook;
mod plan;
mod progress;
mod read;
mod reading;
mod refresh;
mod rows;
mod schemas;
mod snapshot;
mod stack;
pub mod tag_support;
mod tags;
mod texts;
mod tree;
mod trial;
mod uses;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::eval::Entry;
pub use crate::eval::Place;
pub use change::{Change, GroupKey};
pub use claims::{Claimants, Edge, Group, OfId, When};
pub use configured::{Configured, ConfiguredProvider};
pub use evaluation::{NotKnown, Unknown};
pub use follow::MOST_AT_WORK;
pub use ignored_tags::IgnoredTags;
pub use outlook::{Outlook, Why};
pub use plan::ignores_tags;
pub use progress::{Phase, Progress};
pub use rows::{Planned, PlannedRow, Row, Site};
pub use schemas::{Locked, OfType, SCHEMA_VERSION, Schema, locked};
pub use snapshot::{RowRef, Snapshot, Use, header, is_editable};
pub use stack::{Stack, StackState, Unreadable, relative};
pub use tags::{Said, Stray, Tag, Tags};
pub use texts::Texts;
pub use tree::{Node, Served, Tree, normalize};
pub use trial::Reach;
pub use variables::constant;

use crate::config::ModuleFile;
use crate::identity::IdentityRegistry;
use crate::state::State;
use crate::text::Source;

use cache::{Cache, Writing};
use disk::{Listing, Stamp};
use external::Externals;
use follow::{Present, Touched};
use manifest::Manifest;
use schemas::Schemas;

/// The name of the workspace file, which marks a workspace's root.
const WORKSPACE_FILE: &str = "gantrycd.hcl";

/// The root of the workspace that a directory belongs to: the nearest directory above it that
/// holds the workspace file, or the directory itself.
pub fn root_of(directory: &Path) -> PathBuf {
    let mut above = directory.ancestors();
    let marked = above.find(|it| it.join(WORKSPACE_FILE).is_file());
    marked.unwrap_or(directory).to_path_buf()
}

/// What was read of one workspace. Open documents lie over the disk.
pub struct Workspace {
    root: Arc<Path>,
    registry: Arc<IdentityRegistry>,
    listing: Listing,
    configuration: BTreeMap<Arc<Path>, Configuration>,
    states: BTreeMap<Arc<Path>, StateFile>,
    /// States that are still to be read.
    unread: Vec<(Arc<Path>, Option<StateFile>)>,
    /// The directories whose states are read first.
    first: BTreeSet<PathBuf>,
    /// The files that `local` backends name.
    named: BTreeSet<PathBuf>,
    manifests: BTreeMap<PathBuf, (Option<Stamp>, Arc<Manifest>)>,
    schemas: Schemas,
    externals: Externals,
    /// Values of root variables that an editor's settings give.
    variables: Arc<[Entry]>,
    progress: Arc<Progress>,
    /// What is stored of the states, until all are read.
    cache: Option<Cache>,
    /// The cache that is being written.
    writing: Option<Writing>,
    touched: Touched,
    present: Option<Present>,
}

/// One configuration file, on the disk or in an editor.
#[derive(Default)]
struct Configuration {
    /// What the disk has; `None` when it is only in an editor.
    stamp: Option<Stamp>,
    disk: Option<Arc<ModuleFile>>,
    open: Option<Arc<ModuleFile>>,
    problem: Option<String>,
}

/// One state file.
struct StateFile {
    stamp: Option<Stamp>,
    read: StateRead,
}

/// What reading a state file came to.
#[derive(Clone, Debug, Default)]
struct StateRead {
    /// The last state that could be read.
    state: Option<Arc<State>>,
    /// Why the file as it is now cannot be.
    problem: Option<String>,
}

impl Configuration {
    fn file(&self) -> Option<&Arc<ModuleFile>> {
        self.open.as_ref().or(self.disk.as_ref())
    }
}

impl Workspace {
    /// Reads the workspace below `root`, an absolute path.
    pub fn open(root: &Path, registry: Arc<IdentityRegistry>) -> Self {
        let mut workspace = Self::begin(root, registry, Arc::default());
        workspace.read_all();
        workspace
    }

    /// Reads its configuration and no state yet, counting in `progress` what is read.
    pub fn begin(root: &Path, registry: Arc<IdentityRegistry>, progress: Arc<Progress>) -> Self {
        let mut workspace = Self {
            root: normalize(root).into(),
            registry,
            listing: Listing::default(),
            configuration: BTreeMap::new(),
            states: BTreeMap::new(),
            unread: Vec::new(),
            first: BTreeSet::new(),
            named: BTreeSet::new(),
            manifests: BTreeMap::new(),
            schemas: Schemas::default(),
            externals: Externals::default(),
            variables: Arc::default(),
            progress,
            cache: None,
            writing: None,
            touched: Touched::default(),
            present: None,
        };
        workspace.refresh_listing();
        workspace.refresh_configuration();
        workspace.list_states();
        workspace
    }

    /// Has the states that did not change since somebody stored them come from the user's cache, and
    /// stores them there once all are read.
    pub fn use_cache(&mut self) {
        self.cache = Cache::of_user(&self.root);
    }

    /// The directory that names are relative to.
    pub fn root(&self) -> &Arc<Path> {
        &self.root
    }

    /// The directories that were walked and those of states that lie elsewhere, for whoever watches
    /// them.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        let walked = self.listing.directories.iter().map(|it| &**it);
        let of_states = self.states.keys().filter_map(|it| it.parent());
        let elsewhere = self.externals.directories.iter().map(|it| &**it);
        walked.chain(of_states).chain(elsewhere)
    }

    /// Lays the text of an open document over the disk. Returns whether the file is configuration
    /// of this workspace.
    pub fn open_document(&mut self, path: &Path, source: Source) -> bool {
        let path: Arc<Path> = normalize(path).into();
        if !is_read(&self.root, &path) || !path.starts_with(&self.root) {
            return false;
        }
        let entry = self.configuration.entry(path.clone()).or_default();
        let same = entry
            .disk
            .as_ref()
            .filter(|it| it.source().is_same(&source));
        let file = match (same, entry.file()) {
            (Some(disk), _) => disk.clone(),
            (None, Some(before)) => ModuleFile::read_after(before, path.clone(), source).into(),
            (None, None) => ModuleFile::read(path.clone(), source).into(),
        };
        let before = entry.file().cloned();
        entry.open = Some(file);
        self.touched.of(&path, before.as_ref(), entry.file());
        true
    }

    /// Takes the text of a closed document away from the disk's.
    pub fn close_document(&mut self, path: &Path) {
        let path: Arc<Path> = normalize(path).into();
        if let Some(entry) = self.configuration.get_mut(&path) {
            let before = entry.file().cloned();
            entry.open = None;
            self.touched.of(&path, before.as_ref(), entry.file());
            if entry.disk.is_none() && entry.problem.is_none() {
                self.configuration.remove(&path);
            }
        }
    }

    /// Has root variables have these values, over those of the whole workspace in its file.
    pub fn set_variables(&mut self, variables: &Arc<[Entry]>) {
        self.touched.variables |= *self.variables != **variables;
        self.variables = variables.clone();
    }

    /// What could not be read, each with one line that says why. States aside: these are findings.
    pub fn problems(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.configuration
            .iter()
            .filter_map(|(path, it)| Some((&**path, it.problem.as_deref()?)))
    }

    /// Whether there are directories that nobody lets us list: what lies in them was not read.
    pub fn has_closed_directories(&self) -> bool {
        !self.listing.closed.is_empty()
    }

    /// What was not read, and no finding tells of, in a line each: files, directories that nobody
    /// lets us list, and what `external` blocks name and is not there.
    pub fn warnings(&self) -> Vec<String> {
        let closed = self.listing.closed.iter();
        let closed = closed.map(|(path, why)| (&**path, &**why));
        // what was removed while it was read is missed by nobody
        let is_there = |it: &(&Path, &str)| it.0.symlink_metadata().is_ok();
        let not_read = self.problems().filter(is_there).chain(closed);
        let not_read = not_read.map(|(path, why)| format!("{}: {why}", relative(&self.root, path)));
        let in_vain = self.externals.in_vain.iter();
        let in_vain = in_vain
            .map(|it| format!("{WORKSPACE_FILE}: no file has the path of external \"{it}\""));
        not_read.chain(in_vain).collect()
    }

    /// How long reading took.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// How many bytes there are on the disk of configuration, and of states.
    pub fn bytes(&self) -> [u64; 2] {
        let configuration = self.configuration.values().filter_map(|it| it.stamp);
        let states = self.states.values().filter_map(|it| it.stamp);
        [
            configuration.map(|it| it.length).sum(),
            states.map(|it| it.length).sum(),
        ]
    }

    /// How many blocks there are in the configuration files.
    pub fn block_count(&self) -> usize {
        let files = self.configuration.values().filter_map(|it| it.file());
        files.map(|it| it.blocks().count()).sum()
    }

    /// How many state files there are.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// How many configuration files there are.
    pub fn file_count(&self) -> usize {
        self.configuration.len()
    }

    /// What everything read comes to.
    pub fn snapshot(&mut self) -> Snapshot {
        follow::follow(self).0
    }

    /// The same, and what is other in it than in the snapshot before.
    pub fn follow(&mut self) -> (Snapshot, Change) {
        follow::follow(self)
    }
}

/// Whether two are one and the same, or both are not there.
fn is_same<T: ?Sized>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Whether a file is read as configuration, by its name: of a module, of its variables, or of the
/// workspace whose root this is.
fn is_read(root: &Path, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|it| it.to_str()) else {
        return false;
    };
    crate::config::is_configuration(name)
        || variables::is_variables_file(name)
        || name == WORKSPACE_FILE && path.parent() == Some(root)
}
