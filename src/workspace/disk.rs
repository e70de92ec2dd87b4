//! What lies on the disk below a workspace's root, and what is worth reading of it.
//!
//! Walks and reads; knows nothing of what it reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ignore::{DirEntry, WalkBuilder};

use crate::config::is_configuration;

/// Directories that hold nothing of the operator's own.
const PASSED_OVER: &[&str] = &[
    ".git",
    "node_modules",
    ".terraform",
    ".terragrunt-cache",
    ".gantrycd",
];

/// When a file was last written and how long it is: the same stamp, the same content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub(super) modified: Option<SystemTime>,
    pub(super) length: u64,
}

impl Stamp {
    /// The stamp of a regular file; `None` for anything else.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self {
            modified: metadata.modified().ok(),
            length: metadata.len(),
        })
    }
}

/// The files that a workspace is made of. Sorted, and each once.
#[derive(Default, Debug)]
pub(super) struct Listing {
    /// Configuration files, those of modules in use under `.terraform` included.
    pub(super) configuration: BTreeSet<PathBuf>,
    /// Of those that are symbolic links, where they really are.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    /// `*.tfstate`, and JSON beside configuration that says that it is `show -json`.
    pub(super) states: BTreeSet<PathBuf>,
    /// Inventories of `.gantrycd/state`.
    pub(super) inventories: BTreeSet<PathBuf>,
    /// Schemas of `.gantrycd/schemas`.
    pub(super) schemas: BTreeSet<PathBuf>,
    /// `.terraform/modules/modules.json`.
    pub(super) manifests: BTreeSet<PathBuf>,
    /// Directories that hold a dependency lock file.
    pub(super) locked: BTreeSet<PathBuf>,
    /// Directories that hold a configuration of Terragrunt.
    pub(super) terragrunt: BTreeSet<PathBuf>,
    /// Directories that were walked.
    pub(super) directories: BTreeSet<PathBuf>,
    /// Directories that nobody lets us list, each with why.
    pub(super) closed: BTreeMap<PathBuf, String>,
}

impl Listing {
    /// Lists what is below `root`. Directories behind symbolic links are not entered: what is in
    /// them is listed where it really is.
    pub(super) fn walk(root: &Path) -> Self {
        let mut listing = Self::default();
        let mut json = Vec::new();
        let walk = WalkBuilder::new(root)
            .standard_filters(false)
            .follow_links(false)
            .filter_entry(|entry| {
                let name = entry.file_name().to_string_lossy();
                entry.depth() == 0 || !PASSED_OVER.contains(&&*name)
            })
            .build();
        for entry in walk {
            let Some(entry) = listing.entry(entry) else {
                continue;
            };
            let kind = entry.file_type();
            if kind.is_some_and(|it| it.is_dir()) {
                listing.directories.insert(entry.into_path());
                continue;
            }
            let is_link = kind.is_some_and(|it| it.is_symlink());
            let is_file = match is_link {
                true => fs::metadata(entry.path()).is_ok_and(|it| it.is_file()),
                false => kind.is_some_and(|it| it.is_file()),
            };
            // a pipe would be waited for until somebody writes into it
            if !is_file {
                continue;
            }
            let Some(name) = entry.file_name().to_str() else {
                continue;
            };
            if super::is_read(root, entry.path()) {
                if is_link && let Some(real) = real_path(root, entry.path()) {
                    listing.links.insert(entry.path().to_path_buf(), real);
                }
                listing.configuration.insert(entry.into_path());
            } else if name == ".terraform.lock.hcl" {
                listing.locked.extend(entry.path().parent().map(Into::into));
            } else if name == "terragrunt.hcl" {
                listing
                    .terragrunt
                    .extend(entry.path().parent().map(Into::into));
            } else if is_link {
                // a state is one state, by whatever name
            } else if name.ends_with(".tfstate") {
                listing.states.insert(entry.into_path());
            } else if name.ends_with(".json") {
                json.push(entry.into_path());
            }
        }
        let configured = listing.configured_directories();
        listing.states.extend(json.into_iter().filter(|path| {
            path.parent().is_some_and(|it| configured.contains(it)) && is_show_json(path)
        }));
        for directory in &configured {
            let manifest = directory.join(".terraform/modules/modules.json");
            if manifest.is_file() {
                listing.manifests.insert(manifest);
            }
        }
        listing.inventories = listing.walk_cache(&root.join(".gantrycd/state"));
        listing.schemas = listing.walk_cache(&root.join(".gantrycd/schemas"));
        listing
    }

    /// What a walk came upon. What was removed meanwhile is left out, and what cannot be listed is
    /// noted: nobody would know that what lies in it was not read.
    fn entry(&mut self, entry: Result<DirEntry, ignore::Error>) -> Option<DirEntry> {
        let why = match entry {
            Ok(entry) => return Some(entry),
            Err(why) => why,
        };
        if let Some(io) = why.io_error()
            && io.kind() == ErrorKind::PermissionDenied
            && let Some(path) = path_of(&why)
        {
            // its own text names the path once more
            let why = format!("{}: nothing in it was read", io.kind());
            self.closed.insert(path.to_path_buf(), why);
        }
        None
    }

    /// The JSON files below a directory of the cache. One that is being written has no name yet.
    fn walk_cache(&mut self, directory: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        // one that is not there is found out by the walk, as is one that is closed
        let files = WalkBuilder::new(directory).standard_filters(false).build();
        for entry in files {
            let Some(entry) = self.entry(entry) else {
                continue;
            };
            if entry.file_type().is_some_and(|it| it.is_dir()) {
                self.directories.insert(entry.into_path());
            } else if entry.path().extension().is_some_and(|it| it == "json") {
                found.insert(entry.into_path());
            }
        }
        found
    }

    /// Whether it says of other things than configuration and states something else.
    pub(super) fn says_other_than(&self, other: &Self) -> bool {
        self.links != other.links
            || self.inventories != other.inventories
            || self.locked != other.locked
            || self.terragrunt != other.terragrunt
    }

    /// Directories that hold configuration.
    fn configured_directories(&self) -> BTreeSet<PathBuf> {
        let modules = self
            .configuration
            .iter()
            .filter(|it| super::snapshot::is_module_file(it));
        let parents = modules.filter_map(|it| it.parent());
        parents.map(Into::into).collect()
    }
}

/// Whether a path, relative to the root, is on the way of a walk, or of what is read besides.
pub(super) fn is_walked(below: &Path) -> bool {
    let mut names = below.components().map(|it| it.as_os_str());
    match names.find(|it| PASSED_OVER.iter().any(|name| *it == *name)) {
        None => true,
        Some(name) if name == ".gantrycd" => names
            .next()
            .is_none_or(|it| it == "state" || it == "schemas"),
        Some(name) if name == ".terraform" => names.next().is_none_or(|it| it == "modules"),
        Some(_) => false,
    }
}

/// The path that a walk could not go on at.
fn path_of(why: &ignore::Error) -> Option<&Path> {
    match why {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } => path_of(err),
        _ => None,
    }
}

/// Where a symbolic link leads, by the name that it has below `root` if it lies there.
fn real_path(root: &Path, link: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(link).ok()?;
    let below = real.strip_prefix(fs::canonicalize(root).ok()?);
    Some(below.map_or(real.clone(), |it| root.join(it)))
}

/// Configuration files directly in a directory.
pub(super) fn configuration_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|it| it.file_name().to_str().is_some_and(is_configuration));
    let mut files: Vec<_> = files
        .map(|it| it.path())
        .filter(|it| it.is_file())
        .collect();
    files.sort();
    files
}

/// Whether a JSON file begins as `terraform show -json` writes it.
fn is_show_json(path: &Path) -> bool {
    let mut head = [0; 64];
    let read = fs::File::open(path).and_then(|mut file| file.read(&mut head));
    let head = String::from_utf8_lossy(&head[..read.unwrap_or(0)]);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.strip_prefix('{')
        .is_some_and(|rest| rest.trim_start().starts_with("\"format_version\""))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_listed_is_noted_and_one_that_is_gone_is_not() {
        let refused = |kind: ErrorKind, path: &str| ignore::Error::WithDepth {
            depth: 1,
            err: Box::new(ignore::Error::WithPath {
                path: path.into(),
                err: Box::new(ignore::Error::Io(kind.into())),
            }),
        };
        let mut listing = Listing::default();
        for (kind, path) in [
            (ErrorKind::PermissionDenied, "/shop/.gantrycd/state"),
            (ErrorKind::NotFound, "/shop/removed"),
        ] {
            assert!(listing.entry(Err(refused(kind, path))).is_none());
        }
        let why = "permission denied: nothing in it was read".to_owned();
        let closed = BTreeMap::from([(PathBuf::from("/shop/.gantrycd/state"), why)]);
        assert_eq!(listing.closed, closed);
    }

    #[test]
    fn a_pipe_or_a_socket_is_no_file_whatever_its_name() {
        let root = tempfile::tempdir().unwrap();
        let names = ["x.tf", "x.tfstate", "x.json"];
        let sockets: Vec<_> = names
            .iter()
            .map(|it| std::os::unix::net::UnixListener::bind(root.path().join(it)))
            .collect();
        assert!(sockets.iter().all(Result::is_ok));
        fs::write(root.path().join("main.tf"), "").unwrap();
        let listing = Listing::walk(root.path());
        assert_eq!(
            listing.configuration,
            BTreeSet::from([root.path().join("main.tf")])
        );
        assert!(listing.states.is_empty());
    }
}
