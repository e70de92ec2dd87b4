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
mod follow;
mod ignored_tags;
mod moves;
mod plan;
mod progress;
mod read;
mod rows;
mod shards;
mod snapshot;
mod stack;
pub mod tag_support;
mod tags;
mod tree;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use rayon::prelude::*;

use crate::eval::Entry;
pub use crate::eval::Place;
pub use change::{Change, GroupKey};
pub use claims::{Claimants, Edge, Group, When};
pub use configured::{Configured, ConfiguredProvider};
pub use evaluation::{NotKnown, Unknown};
pub use ignored_tags::IgnoredTags;
pub use plan::{Outlook, Why, ignores_tags};
pub use progress::{Phase, Progress};
pub use rows::{Planned, PlannedRow, Row, Site};
pub use snapshot::{RowRef, Snapshot, Use, header, is_editable};
pub use stack::{Stack, StackState, Unreadable, relative};
pub use tags::{Said, Stray, Tag, Tags};
pub use tree::{Node, Served, Tree, normalize};
pub use variables::constant;

use crate::config::{Backend, Declared, ModuleFile};
use crate::identity::IdentityRegistry;
use crate::state::State;
use crate::text::Source;

use cache::Cache;
use disk::{Listing, Stamp};
use follow::{Present, Touched};
use read::{read_configuration, read_manifest, read_state};
use tree::Manifest;

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
    /// Values of root variables that an editor's settings give.
    variables: Arc<[Entry]>,
    progress: Arc<Progress>,
    /// What is stored of the states, until all are read.
    cache: Option<Cache>,
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
        Self::open_counted(root, registry, Arc::default())
    }

    /// The same, counting in `progress` what is read.
    pub fn open_counted(
        root: &Path,
        registry: Arc<IdentityRegistry>,
        progress: Arc<Progress>,
    ) -> Self {
        let mut workspace = Self::begin(root, registry, progress);
        while !workspace.is_read() {
            workspace.read_more(usize::MAX);
        }
        workspace
    }

    /// Reads its configuration and no state yet.
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
            variables: Arc::default(),
            progress,
            cache: None,
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
        walked.chain(of_states)
    }

    /// Brings everything up to date with the disk. Only files whose time or length changed are
    /// read. A state that cannot be read any more keeps the rows that it had.
    pub fn refresh(&mut self) {
        self.touched.asked = true;
        self.refresh_listing();
        self.refresh_configuration();
        self.list_states();
        while !self.is_read() {
            self.read_more(usize::MAX);
        }
    }

    /// Brings up to date what these paths may have to do with: a file that is known is read again
    /// by itself. Of what is not, the whole workspace is walked if it may be of any concern. Returns
    /// whether that was done.
    pub fn refresh_paths(&mut self, paths: &BTreeSet<PathBuf>) -> bool {
        self.touched.asked |= !paths.is_empty();
        let paths = paths.iter().map(|it| normalize(it));
        let paths: Vec<PathBuf> = paths.filter(|it| self.may_concern(it)).collect();
        let is_known = |path: &PathBuf| {
            let known = self
                .configuration
                .get(&**path)
                .is_some_and(|it| it.disk.is_some());
            (known || self.states.contains_key(&**path)) && path.is_file()
        };
        if !self.is_read() || !paths.iter().all(is_known) {
            self.refresh();
            return true;
        }
        for path in paths {
            let path: Arc<Path> = path.into();
            if let Some(old) = self.configuration.remove(&path) {
                let read = reread(&path, Some(old), &mut self.touched);
                self.configuration.insert(path.clone(), read);
            }
            if let Some(old) = self.states.remove(&path) {
                let (read, is_other) = reread_state(&path, Some(old), None);
                self.touched.disk |= is_other;
                self.states.insert(path, read);
            }
        }
        if self.local_backend_paths() != self.named {
            self.list_states();
            self.read_more(usize::MAX);
        }
        false
    }

    /// Whether a change at a path may be of any concern: it is or was a directory, or its name is
    /// one that is read.
    fn may_concern(&self, path: &Path) -> bool {
        if self.states.contains_key(path) {
            return true;
        }
        let Ok(below) = path.strip_prefix(&self.root) else {
            return false;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_read = is_read(&self.root, path)
            || name.ends_with(".tfstate")
            || name.ends_with(".json")
            || matches!(&*name, ".terraform.lock.hcl" | "terragrunt.hcl");
        disk::is_walked(below)
            && (is_read || self.listing.directories.contains(path) || path.is_dir())
    }

    fn refresh_listing(&mut self) {
        let start = Instant::now();
        let mut listing = Listing::walk(&self.root);
        std::mem::swap(&mut self.listing, &mut listing);
        self.touched.disk |= self.listing.says_other_than(&listing);
        self.refresh_manifests();
        self.progress.spent(Phase::Listing, start);
    }

    fn refresh_manifests(&mut self) {
        let mut kept = std::mem::take(&mut self.manifests);
        for path in &self.listing.manifests {
            let stamp = Stamp::of(path);
            let read = match kept.remove(path) {
                Some((old, read)) if old == stamp => read,
                _ => {
                    self.touched.manifests = true;
                    Arc::new(read_manifest(path))
                }
            };
            self.manifests.insert(path.clone(), (stamp, read));
        }
        self.touched.manifests |= !kept.is_empty();
        let installed: BTreeSet<_> = self
            .manifests
            .values()
            .flat_map(|(_, manifest)| manifest.values())
            .filter(|it| it.components().any(|part| part.as_os_str() == ".terraform"))
            .collect();
        for directory in installed {
            let files = disk::configuration_in(directory);
            self.listing.configuration.extend(files);
        }
    }

    fn refresh_configuration(&mut self) {
        let start = Instant::now();
        let mut kept = std::mem::take(&mut self.configuration);
        let wanted: Vec<_> = self
            .listing
            .configuration
            .iter()
            .map(|path| {
                let old = kept.remove(&**path);
                (Arc::<Path>::from(&**path), old)
            })
            .collect();
        self.progress.found(wanted.len());
        let read: Vec<_> = wanted
            .into_par_iter()
            .inspect(|_| self.progress.read())
            .map(|(path, old)| {
                let mut touched = Touched::default();
                let file = reread(&path, old, &mut touched);
                (path, file, touched)
            })
            .collect();
        for (path, file, touched) in read {
            self.touched.files.extend(touched.files);
            self.configuration.insert(path, file);
        }
        for (path, old) in kept {
            match old.open {
                // what is only in an editor stays
                Some(open) => {
                    let only_open = Configuration {
                        open: Some(open),
                        ..Configuration::default()
                    };
                    self.configuration.insert(path, only_open);
                }
                None => _ = self.touched.files.insert(path),
            }
        }
        self.progress.spent(Phase::Configuration, start);
    }

    /// Finds out which states there are. Those that are other than they were are still to be read.
    fn list_states(&mut self) {
        let start = Instant::now();
        let mut kept = std::mem::take(&mut self.states);
        for (path, old) in std::mem::take(&mut self.unread) {
            kept.extend(old.map(|it| (path, it)));
        }
        self.named = self.local_backend_paths();
        let mut wanted: BTreeSet<PathBuf> = self.listing.states.clone();
        wanted.extend(self.listing.inventories.iter().cloned());
        // a `local` backend may name a file of any name
        wanted.extend(self.named.iter().cloned());
        for path in wanted {
            let Some(stamp) = Stamp::of(&path) else {
                continue;
            };
            let old = kept.remove(&*path);
            let path: Arc<Path> = path.into();
            match old {
                Some(old) if old.stamp == Some(stamp) => _ = self.states.insert(path, old),
                old => self.unread.push((path, old)),
            }
        }
        self.touched.disk |= !kept.is_empty();
        self.progress.found(self.unread.len());
        self.progress.spent(Phase::Listing, start);
    }

    /// Whether everything was read.
    pub fn is_read(&self) -> bool {
        self.unread.is_empty()
    }

    /// Reads the states of the stacks in these directories before all others. Until everything is
    /// read, snapshots have these stacks only, and of the files those that no other stack can be
    /// part of.
    pub fn read_first(&mut self, directories: BTreeSet<PathBuf>) {
        self.first = directories;
        let unread = std::mem::take(&mut self.unread);
        // of what is known by its name nobody knows yet whose it is
        let is_first = |path: &Path| {
            self.listing.inventories.contains(path)
                || self.named.contains(path)
                || path.ancestors().any(|it| self.first.contains(it))
        };
        let (first, rest) = unread.into_iter().partition(|(path, _)| is_first(path));
        self.unread = rest;
        self.read(first);
    }

    /// Reads some of the states that are still to be read, so many of them at most.
    pub fn read_more(&mut self, most: usize) {
        let from = self.unread.len().saturating_sub(most);
        let some = self.unread.split_off(from);
        self.read(some);
    }

    fn read(&mut self, states: Vec<(Arc<Path>, Option<StateFile>)>) {
        let start = Instant::now();
        let read: Vec<_> = states
            .into_par_iter()
            .inspect(|_| self.progress.read())
            .map(|(path, old)| {
                let (file, is_other) = reread_state(&path, old, self.cache.as_ref());
                (path, file, is_other)
            })
            .collect();
        for (path, file, is_other) in read {
            self.touched.disk |= is_other;
            self.states.insert(path, file);
        }
        if let Some(cache) = self.cache.take_if(|_| self.unread.is_empty()) {
            let states = self.states.iter();
            cache.write(
                &self.root,
                states.filter_map(|(path, it)| it.storable(path)),
            );
        }
        self.progress.spent(Phase::States, start);
    }

    fn local_backend_paths(&self) -> BTreeSet<PathBuf> {
        let files = self.configuration.values().filter_map(|it| it.file());
        let settings = files.flat_map(|file| {
            let settings = file.blocks().filter(|it| it.keyword == "terraform");
            settings.map(|it| Declared::new(file, it.id))
        });
        settings
            .filter_map(|it| discover::local_path(it.file.path.parent()?, &Backend::of(&it)?))
            .collect()
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

/// A configuration file as it is on the disk now.
fn reread(path: &Arc<Path>, old: Option<Configuration>, touched: &mut Touched) -> Configuration {
    let stamp = Stamp::of(path);
    let mut old = match old {
        Some(old) if old.stamp == stamp && stamp.is_some() => return old,
        old => old.unwrap_or_default(),
    };
    let mut read = Configuration {
        stamp,
        ..read_configuration(path)
    };
    let before = old.file().cloned();
    // what was only written anew is what it was
    if let (Some(old), Some(new)) = (&old.disk, &mut read.disk)
        && old.source().is_same(new.source())
    {
        *new = old.clone();
    }
    read.open = old.open.take();
    if before.is_none() {
        touched.files.insert(path.clone());
    }
    touched.of(path, before.as_ref(), read.file());
    read
}

/// A state file as it is on the disk now, and whether that is another state, or another problem.
fn reread_state(path: &Path, old: Option<StateFile>, cache: Option<&Cache>) -> (StateFile, bool) {
    let stamp = Stamp::of(path);
    let is_first = old.is_none();
    let before = match old {
        Some(old) if old.stamp == stamp && stamp.is_some() => return (old, false),
        old => old.map(|it| it.read).unwrap_or_default(),
    };
    let stored = cache.and_then(|it| it.state(path, stamp));
    let read = match stored {
        None => read_state(path, before.clone()),
        state => StateRead {
            state,
            problem: None,
        },
    };
    let is_same = match (&before.state, &read.state) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    };
    let is_other = is_first || !is_same || before.problem != read.problem;
    (StateFile { stamp, read }, is_other)
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

impl StateFile {
    /// What a cache needs to store it; `None` of one that could not be read.
    fn storable<'a>(&'a self, path: &'a Path) -> Option<(&'a Path, Option<Stamp>, &'a Arc<State>)> {
        let state = self
            .read
            .state
            .as_ref()
            .filter(|_| self.read.problem.is_none())?;
        Some((path, self.stamp, state))
    }

    fn modified(&self) -> Option<SystemTime> {
        self.stamp.as_ref()?.modified
    }
}
