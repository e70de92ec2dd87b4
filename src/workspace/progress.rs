//! How far reading has come, for whoever shows it.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts files while they are read. States are found after the configuration was read.
#[derive(Default, Debug)]
pub struct Progress {
    found: AtomicUsize,
    read: AtomicUsize,
}

impl Progress {
    /// How many files were read, and how many there are so far.
    pub fn counts(&self) -> (usize, usize) {
        (self.read.load(Relaxed), self.found.load(Relaxed))
    }

    pub(super) fn found(&self, files: usize) {
        self.found.fetch_add(files, Relaxed);
    }

    pub(super) fn read(&self) {
        self.read.fetch_add(1, Relaxed);
    }
}
