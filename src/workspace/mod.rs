//! The stacks of one workspace: configuration and cached state, read together.
//!
//! [`Workspace`] holds what was read and follows changes; a [`Snapshot`] is what it all comes to at
//! one moment, and never changes. Knows nothing of editors or of the command line.

mod change;
mod claims;
mod configured;
mod discover;
mod disk;
mod evaluation;
mod ignored_tags;
mod moves;
mod plan;
mod progress;
mod rows;
mod snapshot;
mod stack;
pub mod tag_support;
mod tags;
mod tree;
mod variables;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rayon::prelude::*;
use serde::Deserialize;

use crate::eval::Entry;
pub use crate::eval::Place;
pub use change::{Change, GroupKey};
pub use claims::{Claimants, Edge, Group, When};
pub use configured::{Configured, ConfiguredProvider};
pub use evaluation::{NotKnown, Unknown};
pub use ignored_tags::IgnoredTags;
pub use plan::{Outlook, Why, ignores_tags};
pub use progress::Progress;
pub use rows::{Planned, PlannedRow, Row, Site};
pub use snapshot::{RowRef, Snapshot, Use, header, is_editable};
pub use stack::{Stack, StackState, Unreadable, relative};
pub use tags::{Said, Stray, Tag, Tags};
pub use tree::{Node, Served, Tree, normalize};
pub use variables::constant;

use crate::config::{Backend, Declared, ModuleFile};
use crate::identity::IdentityRegistry;
use crate::state::{self, NotRead, State};
use crate::text::Source;

use disk::{Listing, Stamp};
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
    manifests: BTreeMap<PathBuf, (Option<Stamp>, Arc<Manifest>)>,
    /// Values of root variables that an editor's settings give.
    variables: Arc<[Entry]>,
    progress: Arc<Progress>,
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
        let mut workspace = Self {
            root: normalize(root).into(),
            registry,
            listing: Listing::default(),
            configuration: BTreeMap::new(),
            states: BTreeMap::new(),
            manifests: BTreeMap::new(),
            variables: Arc::default(),
            progress,
        };
        workspace.refresh();
        workspace
    }

    /// The directory that names are relative to.
    pub fn root(&self) -> &Arc<Path> {
        &self.root
    }

    /// The directories that were walked, for whoever watches them.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.listing.directories.iter().map(|it| &**it)
    }

    /// Brings everything up to date with the disk. Only files whose time or length changed are
    /// read. A state that cannot be read any more keeps the rows that it had.
    pub fn refresh(&mut self) {
        self.listing = Listing::walk(&self.root);
        self.refresh_manifests();
        self.refresh_configuration();
        self.refresh_states();
    }

    fn refresh_manifests(&mut self) {
        let mut kept = std::mem::take(&mut self.manifests);
        for path in &self.listing.manifests {
            let stamp = Stamp::of(path);
            let read = match kept.remove(path) {
                Some((old, read)) if old == stamp => read,
                _ => Arc::new(read_manifest(path)),
            };
            self.manifests.insert(path.clone(), (stamp, read));
        }
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
        self.configuration = wanted
            .into_par_iter()
            .inspect(|_| self.progress.read())
            .map(|(path, old)| {
                let stamp = Stamp::of(&path);
                let file = match old {
                    Some(old) if old.stamp == stamp && stamp.is_some() => old,
                    old => Configuration {
                        stamp,
                        open: old.and_then(|it| it.open),
                        ..read_configuration(&path)
                    },
                };
                (path, file)
            })
            .collect();
        // what is only in an editor stays
        for (path, old) in kept {
            if old.open.is_some() {
                let only_open = Configuration {
                    open: old.open,
                    ..Configuration::default()
                };
                self.configuration.insert(path, only_open);
            }
        }
    }

    fn refresh_states(&mut self) {
        let mut kept = std::mem::take(&mut self.states);
        let mut wanted: BTreeSet<PathBuf> = self.listing.states.clone();
        wanted.extend(self.listing.inventories.iter().cloned());
        // a `local` backend may name a file of any name
        wanted.extend(self.local_backend_paths());
        let wanted: Vec<_> = wanted
            .into_iter()
            .filter(|it| it.is_file())
            .map(|path| {
                let old = kept.remove(&*path);
                (Arc::<Path>::from(path), old)
            })
            .collect();
        self.progress.found(wanted.len());
        self.states = wanted
            .into_par_iter()
            .inspect(|_| self.progress.read())
            .map(|(path, old)| {
                let stamp = Stamp::of(&path);
                let file = match old {
                    Some(old) if old.stamp == stamp && stamp.is_some() => old,
                    old => StateFile {
                        stamp,
                        read: read_state(&path, old.map(|it| it.read).unwrap_or_default()),
                    },
                };
                (path, file)
            })
            .collect();
    }

    fn local_backend_paths(&self) -> Vec<PathBuf> {
        let files = self.configuration.values().filter_map(|it| it.file());
        let settings = files.flat_map(|file| {
            let blocks = file.blocks.iter().enumerate();
            let settings = blocks.filter(|(_, it)| *it.keyword == *"terraform");
            settings.map(|(at, _)| Declared::new(file, at))
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
        let file = Arc::new(ModuleFile::read(path.clone(), source));
        let entry = self.configuration.entry(path).or_default();
        entry.open = Some(file);
        true
    }

    /// Takes the text of a closed document away from the disk's.
    pub fn close_document(&mut self, path: &Path) {
        let path = normalize(path);
        if let Some(entry) = self.configuration.get_mut(&*path) {
            entry.open = None;
            if entry.disk.is_none() {
                self.configuration.remove(&*path);
            }
        }
    }

    /// Has root variables have these values, over those of the whole workspace in its file.
    pub fn set_variables(&mut self, variables: &Arc<[Entry]>) {
        self.variables = variables.clone();
    }

    /// What could not be read, each with one line that says why. States aside: these are findings.
    pub fn problems(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.configuration
            .iter()
            .filter_map(|(path, it)| Some((&**path, it.problem.as_deref()?)))
    }

    /// How many configuration files there are.
    pub fn file_count(&self) -> usize {
        self.configuration.len()
    }

    /// What everything read comes to.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self)
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

fn read_configuration(path: &Arc<Path>) -> Configuration {
    let mut read = Configuration::default();
    match std::fs::read(path) {
        Err(error) => read.problem = Some(error.to_string()),
        Ok(bytes) => match Source::decode(&bytes) {
            Err(why) => read.problem = Some(why.to_string()),
            Ok(source) => {
                if let Some(first) = source.invalid().first() {
                    let line = source.position(*first, Default::default()).line + 1;
                    read.problem = Some(format!(
                        "line {line} has a byte that is not UTF-8; the rest of the file was read"
                    ));
                }
                read.disk = Some(Arc::new(ModuleFile::read(path.clone(), source)));
            }
        },
    }
    read
}

fn read_state(path: &Path, old: StateRead) -> StateRead {
    let problem = match std::fs::read(path) {
        Err(error) => error.to_string(),
        Ok(bytes) => match state::read(&bytes) {
            Ok(state) => {
                return StateRead {
                    state: Some(Arc::new(state)),
                    problem: None,
                };
            }
            Err(NotRead::Empty) => return StateRead::default(),
            Err(NotRead::Problem(problem)) => problem.to_string(),
        },
    };
    StateRead {
        state: old.state,
        problem: Some(problem),
    }
}

/// Reads `modules.json`; a damaged one names no module.
fn read_manifest(path: &Path) -> Manifest {
    #[derive(Deserialize)]
    struct Modules {
        #[serde(rename = "Modules", default)]
        modules: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        #[serde(rename = "Key")]
        key: String,
        #[serde(rename = "Dir")]
        directory: PathBuf,
    }
    // `.terraform/modules/modules.json`, with directories relative to the stack's
    let Some(stack) = path.ancestors().nth(3) else {
        return Manifest::default();
    };
    let bytes = std::fs::read(path).unwrap_or_default();
    let modules = serde_json::from_slice(&bytes).unwrap_or(Modules {
        modules: Vec::new(),
    });
    let entries = modules.modules.into_iter();
    entries
        .filter(|it| !it.key.is_empty())
        .map(|it| (it.key, normalize(&stack.join(it.directory))))
        .collect::<HashMap<_, _>>()
}

impl StateFile {
    fn modified(&self) -> Option<SystemTime> {
        self.stamp.as_ref()?.modified
    }
}
