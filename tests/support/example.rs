//! A copy of the example workspace in a directory of its own, which a test may change.

#![allow(dead_code)] // every test takes a part of it

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A workspace on the disk that goes with the test.
pub struct Example {
    root: PathBuf,
    _directory: TempDir,
}

impl Example {
    /// A copy of `tests/example`.
    pub fn copy() -> Self {
        let example = Self::empty();
        copy(&original(), &example.root);
        example
    }

    /// A directory with nothing in it.
    pub fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        // as the server and the editors spell it: the temporary directory may lie behind a link
        let root = directory.path().canonicalize().unwrap();
        Self {
            root,
            _directory: directory,
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// Writes a file in place, with the directories that it needs.
    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Replaces a file as Terraform does its states: a new file takes the name of the old one.
    pub fn replace(&self, file: &str, content: impl AsRef<[u8]>) {
        let new = self.path(&format!("{file}.new"));
        fs::write(&new, content).unwrap();
        fs::rename(new, self.path(file)).unwrap();
    }

    pub fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }
}

/// The workspace that is copied.
pub fn original() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/example")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => _ = fs::copy(entry.path(), to).unwrap(),
        }
    }
}
