//! The language server and the command line: see the README.

use std::process::ExitCode;

use gantrycd_ls::cli::{self, Serve};
use gantrycd_ls::server::{self, Options};

/// A workspace of a thousand stacks is some millions of small pieces: this is a third faster than what
/// the system has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run(|serve| match serve {
        Serve::Client {
            log,
            record,
            redact,
        } => server::serve(&Options {
            log,
            record,
            redact,
        }),
        Serve::Replay {
            file,
            longest_pause,
        } => server::replay(&file, longest_pause),
    })
}
