//! What a check took: on standard error, for whoever wonders why it takes long.

use std::fmt;
use std::time::Duration;

use crate::syntax::parsed_blocks;
use crate::workspace::{Phase, Snapshot, Workspace};

/// How much was read, and how long each part of it took.
pub(super) struct Stats {
    counts: Vec<(&'static str, u64)>,
    phases: Vec<(&'static str, Duration)>,
}

impl Stats {
    /// Of a workspace that was just read, whose snapshot took so long.
    pub(super) fn of(workspace: &Workspace, snapshot: &Snapshot, took: Duration) -> Self {
        let [bytes, state_bytes] = workspace.bytes();
        let rows = snapshot.stacks.iter().map(|it| it.records().len());
        let phase = |phase| workspace.progress().took(phase);
        Self {
            counts: vec![
                ("files", workspace.file_count() as u64),
                ("bytes", bytes),
                ("blocks", workspace.block_count() as u64),
                ("states", workspace.state_count() as u64),
                ("bytes of states", state_bytes),
                ("rows", rows.sum::<usize>() as u64),
            ],
            phases: vec![
                ("listing", phase(Phase::Listing)),
                ("configuration", phase(Phase::Configuration)),
                ("states", phase(Phase::States)),
                ("snapshot", took),
            ],
        }
    }

    /// The same, with another part that is now done.
    pub(super) fn and(mut self, part: &'static str, took: Duration) -> Self {
        self.counts.push(("blocks parsed", parsed_blocks() as u64));
        self.phases.push((part, took));
        self
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in &self.counts {
            writeln!(f, "{name:<16}{count:>12}")?;
        }
        for (name, took) in &self.phases {
            writeln!(f, "{name:<16}{:>12.1} ms", took.as_secs_f64() * 1e3)?;
        }
        match peak_memory() {
            Some(peak) => writeln!(f, "{:<16}{:>12.1} MB", "peak memory", peak as f64 / 1e6),
            None => Ok(()),
        }
    }
}

/// The most memory that this process ever held, in bytes. `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
