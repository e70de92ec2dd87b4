//! The files that the script changes, and how they were at first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::generate::{Shape, generate};

/// The folders that an editor may open. The last lies within the first.
pub const FOLDERS: [&str; 3] = ["one", "two", "one/live"];

/// A directory with two workspaces.
pub struct Disk {
    root: PathBuf,
    pub at_first: BTreeMap<String, Vec<u8>>,
    directory: TempDir,
}

impl Disk {
    pub fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        // as the server spells it: the temporary directory may lie behind a link
        let root = directory.path().canonicalize().unwrap().join("workspace");
        for (folder, stacks) in [("one", 40), ("two", 10)] {
            let shape = Shape {
                stacks,
                files_per_stack: 5,
                rows_per_stack: 16,
                state_bytes: 38_000,
                largest_file: 20_000,
                seed,
            };
            fs::create_dir_all(root.join(folder)).unwrap();
            generate(&root.join(folder), shape).unwrap();
        }
        let mut disk = Self {
            root,
            at_first: BTreeMap::new(),
            directory,
        };
        for file in disk.files("") {
            disk.at_first
                .insert(file.clone(), fs::read(disk.path(&file)).unwrap());
        }
        disk
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A directory for caches, outside of what the script changes.
    pub fn cache(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// The files that end so, sorted.
    pub fn files(&self, end: &str) -> Vec<String> {
        let mut directories = vec![self.root.clone()];
        let mut files = Vec::new();
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                    continue;
                }
                let file = path.strip_prefix(&self.root).unwrap();
                files.push(file.to_str().unwrap().to_owned());
            }
        }
        files.retain(|it| it.ends_with(end));
        files.sort();
        files
    }

    /// What a text file holds; nothing when it is none.
    pub fn text(&self, file: &str) -> String {
        let bytes = fs::read(self.path(file)).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Writes a file in place. Returns whether it is new.
    pub fn write(&self, file: &str, content: &[u8]) -> bool {
        let path = self.path(file);
        let is_new = !path.exists();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        is_new
    }

    /// Gives a new file the name of the old one.
    pub fn replace(&self, file: &str, content: &[u8]) -> bool {
        let new = format!("{file}.new");
        self.write(&new, content);
        let is_new = !self.path(file).exists();
        fs::rename(self.path(&new), self.path(file)).unwrap();
        is_new
    }

    pub fn remove(&self, file: &str) {
        let path = self.path(file);
        match path.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
}
