//! How a workspace follows the disk: which files there are, which of them are other than they were,
//! and in which order they are read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use rayon::prelude::*;

use crate::config::{Backend, Declared, ModuleFile};
use crate::state::State;

use super::cache::Cache;
use super::disk::{self, Listing, Stamp};
use super::follow::Touched;
use super::manifest::Manifest;
use super::progress::Phase;
use super::read::{read_configuration, read_state};
use super::{
    Configuration, StateFile, StateRead, Workspace, discover, is_read, is_same, normalize,
};

impl Workspace {
    /// Brings everything up to date with the disk. Only files whose time or length changed are
    /// read. A state that cannot be read any more keeps the rows that it had.
    pub fn refresh(&mut self) {
        self.touched.asked = true;
        self.refresh_listing();
        self.refresh_configuration();
        self.list_states();
        self.read_all();
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
        let mut names_states = false;
        for path in paths {
            let path: Arc<Path> = path.into();
            if let Some(old) = self.configuration.remove(&path) {
                let before = old.file().cloned();
                let read = reread(&path, Some(old), &mut self.touched);
                names_states |= before.iter().chain(read.file()).any(names_a_state);
                self.configuration.insert(path.clone(), read);
            }
            if let Some(old) = self.states.remove(&path) {
                let (read, is_other) = reread_state(&path, Some(old), None);
                self.touched.disk |= is_other;
                self.states.insert(path, read);
            }
        }
        if names_states
            && (self.local_backend_paths() != self.named || self.externals() != self.externals)
        {
            self.list_states();
            self.read_all();
        }
        false
    }

    /// Whether a change at a path may be of any concern: it is or was a directory, or its name is
    /// one that is read.
    fn may_concern(&self, path: &Path) -> bool {
        if self.states.contains_key(path) || self.is_external(path) {
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

    pub(super) fn refresh_listing(&mut self) {
        let start = Instant::now();
        let mut listing = Listing::walk(&self.root);
        std::mem::swap(&mut self.listing, &mut listing);
        self.touched.disk |= self.listing.says_other_than(&listing);
        self.refresh_manifests();
        self.touched.disk |= self.schemas.refresh(&self.listing);
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
                    Arc::new(Manifest::read(path))
                }
            };
            self.manifests.insert(path.clone(), (stamp, read));
        }
        self.touched.manifests |= !kept.is_empty();
        let installed: BTreeSet<_> = self
            .manifests
            .values()
            .flat_map(|(_, manifest)| manifest.directories())
            .filter(|it| it.components().any(|part| part.as_os_str() == ".terraform"))
            .collect();
        for directory in installed {
            let files = disk::configuration_in(directory);
            self.listing.configuration.extend(files);
        }
    }

    pub(super) fn refresh_configuration(&mut self) {
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
    pub(super) fn list_states(&mut self) {
        let start = Instant::now();
        let mut kept = std::mem::take(&mut self.states);
        for (path, old) in std::mem::take(&mut self.unread) {
            kept.extend(old.map(|it| (path, it)));
        }
        self.named = self.local_backend_paths();
        let externals = self.externals();
        self.touched.disk |= externals.files != self.externals.files;
        self.externals = externals;
        let mut wanted: BTreeSet<PathBuf> = self.listing.states.clone();
        wanted.extend(self.listing.inventories.iter().cloned());
        // a `local` backend may name a file of any name
        wanted.extend(self.named.iter().cloned());
        wanted.extend(self.externals.files.keys().cloned());
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
                || self.externals.files.contains_key(path)
                || self.named.contains(path)
                || path.ancestors().any(|it| self.first.contains(it))
        };
        let (first, rest) = unread.into_iter().partition(|(path, _)| is_first(path));
        self.unread = rest;
        self.read(first);
    }

    /// Reads all states that are still to be read.
    pub fn read_all(&mut self) {
        while !self.is_read() {
            self.read_more(usize::MAX);
        }
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
            let states = states.filter_map(|(path, it)| it.storable(path));
            self.writing = Some(cache.write_beside(self.root.clone(), states.collect()));
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
}

/// Whether a file may say where a state is: in a backend, or in `states` of the workspace file.
fn names_a_state(file: &Arc<ModuleFile>) -> bool {
    let mut blocks = file.blocks();
    blocks.any(|it| matches!(it.keyword, "terraform" | "states"))
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
    let is_same = is_same(before.state.as_ref(), read.state.as_ref());
    let is_other = is_first || !is_same || before.problem != read.problem;
    (StateFile { stamp, read }, is_other)
}

impl StateFile {
    /// What a cache needs to store it; `None` of one that could not be read.
    fn storable(&self, path: &Arc<Path>) -> Option<(Arc<Path>, Option<Stamp>, Arc<State>)> {
        let state = self
            .read
            .state
            .as_ref()
            .filter(|_| self.read.problem.is_none())?;
        Some((path.clone(), self.stamp, state.clone()))
    }

    pub(super) fn modified(&self) -> Option<SystemTime> {
        self.stamp.as_ref()?.modified
    }
}
