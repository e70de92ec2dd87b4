//! The language server and the command line: see the README.

use std::process::ExitCode;

fn main() -> ExitCode {
    gantrycd_ls::cli::run(gantrycd_ls::server::serve)
}
