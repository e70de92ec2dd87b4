//! The command line over a snapshot.

mod apply;
mod check;
mod explain;
mod export;
mod forge;
mod github;
mod graph;
mod json;
mod junit;
mod progress;
mod refresh;
mod sarif;
mod stats;
mod text;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::identity::IdentityRegistry;
use crate::output;
use crate::workspace::{Snapshot, Stack, Workspace, root_of};
use stats::Stats;

/// Shows what gantrycd makes of OpenTofu and Terraform stacks.
///
/// Without arguments, on a pipe, it is the language server.
#[derive(Parser)]
#[command(name = "gantrycd-ls", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Speak the language server protocol on standard input and output
    #[arg(long)]
    stdio: bool,
    /// Have the server write to FILE what was said when, and how long it took: neither texts nor
    /// values
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Have the server write to FILE what its client says, texts included, for `replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Record texts with their letters and digits replaced, and paths without a user's name
    #[arg(long, requires = "record")]
    redact: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Report what is wrong: exit code 0 is clean, 1 has findings, 2 could not run
    Check(check::Arguments),
    /// Print every row of every cached state with its identity, duplicates and dependencies
    Export(On),
    /// Explain what a resource is to gantrycd, rule by rule: exit code 0 found it, 1 did not, 2
    /// could not run
    Explain(explain::Arguments),
    /// Draw which stack reads what another owns, and which manage the same objects: exit code 0 drew
    /// it, 1 found no such stack, 2 could not run
    Graph(graph::Arguments),
    /// Ask stacks for their states with the tool that they are applied with, and cache what identity
    /// needs: exit code 0 is done, 1 has nothing new of a stack, 2 could not run
    Refresh(refresh::Arguments),
    /// Cache a state of a stack that somebody hands out
    ImportState(refresh::Import),
    /// Print which state each stack has, its serial and how old it is
    Status(On),
    /// Play a session that was recorded to a server, and print what it says, one line of JSON each
    Replay(Replay),
}

#[derive(clap::Args)]
struct Replay {
    /// What `--record` wrote
    file: PathBuf,
    /// The longest pause between two messages, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 200)]
    longest_pause: u64,
}

/// What is asked of the language server.
pub enum Serve {
    /// To serve a client on standard input and output.
    Client {
        /// Where to write what was said when.
        log: Option<PathBuf>,
        /// Where to write what the client says.
        record: Option<PathBuf>,
        /// Whether to record it unreadable.
        redact: bool,
    },
    /// To play a session that was recorded.
    Replay {
        /// The recording.
        file: PathBuf,
        /// The longest pause between two messages.
        longest_pause: Duration,
    },
}

/// What to work on, and how to tell of it.
#[derive(clap::Args)]
struct On {
    /// The workspace, or a part of it where a directory above holds gantrycd.hcl
    #[arg(default_value = ".")]
    path: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    Text,
    /// For a program: one document, with a version
    Json,
}

/// Runs the command line of this process, `serve` being the language server.
pub fn run(serve: impl FnOnce(Serve) -> ExitCode) -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Export(on)) => export::run(&on),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Graph(arguments)) => graph::run(&arguments),
        Some(Command::Refresh(arguments)) => refresh::run(&arguments),
        Some(Command::ImportState(arguments)) => refresh::import(&arguments),
        Some(Command::Status(on)) => refresh::status(&on),
        Some(Command::Replay(Replay {
            file,
            longest_pause,
        })) => {
            return serve(Serve::Replay {
                file,
                longest_pause: Duration::from_millis(longest_pause),
            });
        }
        None if arguments.stdio || !io::stdin().is_terminal() => {
            return serve(Serve::Client {
                log: arguments.log,
                record: arguments.record,
                redact: arguments.redact,
            });
        }
        None => Arguments::command()
            .print_help()
            .map(|()| ExitCode::from(2))
            .map_err(|it| it.to_string()),
    };
    done.unwrap_or_else(|why| {
        eprintln!("error: {why}");
        ExitCode::from(2)
    })
}

/// A workspace that was read.
struct Read {
    snapshot: Snapshot,
    /// How many configuration files were read.
    files: usize,
    /// What that took.
    stats: Stats,
}

impl Read {
    fn of(workspace: &mut Workspace) -> Self {
        let start = Instant::now();
        let snapshot = workspace.snapshot();
        Self {
            stats: Stats::of(workspace, &snapshot, start.elapsed()),
            files: workspace.file_count(),
            snapshot,
        }
    }

    /// The same workspace as it is now. What is not read of it has been told.
    fn again(&self) -> Self {
        Self::of(&mut open(&self.snapshot.root))
    }
}

fn open(root: &Path) -> Workspace {
    let registry = Arc::new(IdentityRegistry::mounted());
    progress::shown(|progress| {
        let mut workspace = Workspace::begin(root, registry, progress);
        workspace.use_cache();
        workspace.read_all();
        workspace
    })
}

/// The absolute path of what is there. The name of a file may be a link: it is what is read.
fn resolve(path: &Path) -> Result<PathBuf, String> {
    let resolved = match (path.is_dir(), path.parent(), path.file_name()) {
        (false, Some(directory), Some(name)) if path.exists() => Path::new(".")
            .join(directory)
            .canonicalize()
            .map(|it| it.join(name)),
        _ => path.canonicalize(),
    };
    resolved.map_err(|why| format!("{}: {why}", path.display()))
}

/// The root of the workspace that an absolute path is in.
fn root_above(path: &Path) -> PathBuf {
    root_of(match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(path),
    })
}

/// Reads the workspace that `path` is in: the nearest directory above it that holds the workspace
/// file, or `path` itself.
///
/// # Errors
/// When there is nothing there that could be checked.
fn read(path: &Path) -> Result<Read, String> {
    let root = root_above(&resolve(path)?);
    let mut workspace = open(&root);
    for it in workspace.warnings() {
        eprintln!("warning: {it}");
    }
    let read = Read::of(&mut workspace);
    let unread = workspace.problems();
    let unread = unread.filter(|(file, _)| read.snapshot.file(file).is_none());
    let unread = unread.count();
    let stateless = |it: &Stack| it.state.is_none() && it.unreadable.is_empty();
    if unread == read.files && read.snapshot.stacks.iter().all(|it| stateless(it)) {
        let why = match read.files {
            0 if !workspace.has_closed_directories() => {
                "neither configuration nor a state was found"
            }
            _ => "nothing of it could be read",
        };
        return Err(format!("{}: {why}", path.display()));
    }
    Ok(read)
}

/// Warns of states that could not be read, where no finding tells of them.
fn warn_of_states(snapshot: &Snapshot) {
    for it in snapshot.stacks.iter().flat_map(|it| &it.unreadable) {
        let path = snapshot.relative(&it.path);
        eprintln!("warning: {path}: {}", it.problem);
    }
}

/// Whether standard output is a terminal whose reader wants colours.
fn coloured() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Prints to standard output. A reader that has gone away is no error of ours.
///
/// # Errors
/// Whatever else keeps the output from being written.
fn print(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Prints one JSON document.
fn print_json(document: &impl serde::Serialize) -> Result<(), String> {
    print(&crate::output::json(document)?)
}
