//! How far reading has come, for whoever shows it, and what it took.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Counts files while they are read. States are found after the configuration was read.
#[derive(Default, Debug)]
pub struct Progress {
    found: AtomicUsize,
    read: AtomicUsize,
    /// In nanoseconds, by [`Phase`].
    took: [AtomicU64; 3],
}

/// A part of reading a workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Finding out which files there are.
    Listing,
    /// Reading those that are configuration.
    Configuration,
    /// Reading those that are states.
    States,
}

impl Progress {
    /// How many files were read, and how many there are so far.
    pub fn counts(&self) -> (usize, usize) {
        (self.read.load(Relaxed), self.found.load(Relaxed))
    }

    /// How long a phase took, so far.
    pub fn took(&self, phase: Phase) -> Duration {
        Duration::from_nanos(self.took[phase as usize].load(Relaxed))
    }

    pub(super) fn found(&self, files: usize) {
        self.found.fetch_add(files, Relaxed);
    }

    pub(super) fn read(&self) {
        self.read.fetch_add(1, Relaxed);
    }

    /// Adds what has passed since then to a phase.
    pub(super) fn spent(&self, phase: Phase, since: Instant) {
        let nanos = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.took[phase as usize].fetch_add(nanos, Relaxed);
    }
}
