//! What a benchmark is told on its command line.

#![allow(dead_code)] // every benchmark takes a part of it

use std::time::Duration;

/// `--stacks 100,1000 --keep --seconds 60 --quiet 100`.
pub struct Options {
    /// How large the workspaces are, one after the other.
    pub stacks: Vec<usize>,
    /// Whether they stay on the disk for the next time.
    pub keep: bool,
    /// How long somebody types.
    pub typing: Duration,
    /// How long the server waits on purpose before it tells of what an edit did to other stacks.
    pub quiet: Duration,
}

impl Options {
    /// Reads the command line. Cargo adds `--bench`.
    pub fn read() -> Self {
        let mut options = Self {
            stacks: vec![100],
            keep: false,
            typing: Duration::from_secs(10),
            quiet: Duration::ZERO,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut numbers = || -> Vec<usize> {
                let numbers = arguments.next().unwrap_or_default();
                let numbers: Result<_, _> = numbers.split(',').map(str::parse).collect();
                numbers.unwrap_or_else(|_| panic!("{argument} is followed by numbers: 100,1000"))
            };
            match argument.as_str() {
                "--bench" => {}
                "--keep" => options.keep = true,
                "--stacks" => options.stacks = numbers(),
                "--seconds" => options.typing = Duration::from_secs(numbers()[0] as u64),
                "--quiet" => options.quiet = Duration::from_millis(numbers()[0] as u64),
                other => panic!("{other} is none of --stacks, --keep, --seconds and --quiet"),
            }
        }
        options
    }
}
