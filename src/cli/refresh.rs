//! `refresh`, `import-state` and `status`: states from where they really live, and how old they are.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::ArgGroup;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::checks::{Settings, age};
use crate::refresh::{self, Choice, Event, Outcome, Refresh, Status, Summary, Which, Workspaces};
use crate::workspace::Stack;

use super::{Format, On};
use crate::text::visible;

/// Which stacks to ask for their states, and how.
#[derive(clap::Args)]
#[command(group(ArgGroup::new("which").required(true).args(["stacks", "all", "changed"])))]
pub(super) struct Arguments {
    /// The stacks, by their names as `status` prints them, or by globs: `live/*`, `network@blue`
    #[arg(value_name = "STACK")]
    stacks: Vec<String>,
    /// All stacks with a backend other than `local`, or a `cloud` block
    #[arg(long)]
    all: bool,
    /// Of these, those whose configuration was written after their state was cached, and those of
    /// which none is
    #[arg(long)]
    changed: bool,
    /// A Terraform workspace of each stack, instead of those of which something is cached
    #[arg(long = "workspace", value_name = "NAME")]
    workspaces: Vec<String>,
    /// All Terraform workspaces of each stack
    #[arg(long, conflicts_with = "workspaces")]
    all_workspaces: bool,
    /// Let a state take the place of a newer one
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: Place,
}

/// Where the workspace is.
#[derive(clap::Args)]
pub(super) struct Place {
    /// The workspace, or a part of it where a directory above holds gantrycd.hcl
    #[arg(short = 'C', long, value_name = "PATH", default_value = ".")]
    directory: PathBuf,
}

/// Which stack a state is of, and where it is.
#[derive(clap::Args)]
pub(super) struct Import {
    /// The stack, by its name as `status` prints it
    stack: String,
    /// A state, or what `show -json` printed of one: `-` is standard input
    file: PathBuf,
    /// Let it take the place of a newer one
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: Place,
}

/// Asks stacks for their states. The exit code is 1 when there is nothing new of one of them.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let snapshot = super::read(&arguments.place.directory)?.snapshot;
    let settings = Settings::in_force(&snapshot, &Settings::default()).states;
    let which = match (arguments.all, arguments.changed) {
        (true, _) => Which::All,
        (_, true) => Which::Changed,
        _ => Which::Named(arguments.stacks.clone()),
    };
    let workspaces = match &arguments.workspaces[..] {
        [] if arguments.all_workspaces || settings.all_workspaces() => Workspaces::All,
        [] => Workspaces::Known,
        names => Workspaces::Named(names.to_vec()),
    };
    let targets = refresh::choose(&snapshot, &settings, &Choice { which, workspaces })?;
    if targets.is_empty() {
        super::print(match arguments.changed {
            true => {
                "no stack is to be refreshed: no configuration with a remote backend or a `cloud` \
                 block was written after its state was cached\n"
            }
            false => {
                "no stack is to be refreshed: none has a backend other than `local`, or a `cloud` \
                 block\n"
            }
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let refresh = Refresh {
        snapshot,
        targets,
        settings,
        even_if_older: arguments.force,
        cancel: refresh::Cancel::default(),
    };
    let summary = until_interrupted(refresh)?;
    for it in &summary.done {
        if let Some(note) = &it.note {
            eprintln!("note: {}: {}", it.name, visible(note));
        }
    }
    super::print(&format!("{summary}\n"))?;
    Ok(match summary.is_cancelled() {
        // what a shell says of whoever is interrupted
        true => ExitCode::from(130),
        false if summary.failures().next().is_some() => ExitCode::from(1),
        false => ExitCode::SUCCESS,
    })
}

/// Runs to the end, or until somebody interrupts it. What it has started ends with it.
fn until_interrupted(refresh: Refresh) -> Result<Summary, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|it| it.to_string())?;
    let cancel = refresh.cancel.clone();
    let shown = Shown::new();
    runtime.block_on(async {
        tokio::spawn(async move {
            interrupted().await;
            cancel.cancel();
        });
        Ok(refresh.run(|event| shown.tell(&event)).await)
    })
}

#[cfg(unix)]
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminated = signal(SignalKind::terminate());
    let hung_up = signal(SignalKind::hangup());
    let (Ok(mut terminated), Ok(mut hung_up)) = (terminated, hung_up) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated.recv() => {}
        _ = hung_up.recv() => {}
    }
}

#[cfg(not(unix))]
async fn interrupted() {
    _ = tokio::signal::ctrl_c().await;
}

/// How far it has come: a bar on a terminal, and a line for each stack.
struct Shown {
    bar: ProgressBar,
}

impl Shown {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("Refreshing [{bar:40}] {pos} of {len} stacks");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    fn tell(&self, event: &Event) {
        self.bar.set_length(event.all as u64);
        self.bar.set_position(event.done as u64);
        let line = event.last.and_then(|it| line(&it.name, &it.outcome));
        if let Some(line) = line {
            let line = format!("[{}/{}] {}", event.done, event.all, visible(&line));
            self.bar.suspend(|| eprintln!("{line}"));
        }
        if event.done == event.all {
            self.bar.finish_and_clear();
        }
    }
}

/// What is said of one stack. Nothing of one that nobody waited for.
fn line(name: &str, outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Refreshed { serial, rows, .. } => {
            let serial = serial.map(|it| format!(", serial {it}"));
            let rows = match rows {
                1 => "1 row".to_owned(),
                n => format!("{n} rows"),
            };
            format!("{name}: {rows}{}", serial.unwrap_or_default())
        }
        Outcome::NoState => format!("{name}: no state yet"),
        Outcome::Failed(failure) => format!("{name}: {failure}"),
        Outcome::Cancelled => return None,
    })
}

/// Caches a state that somebody hands out.
pub(super) fn import(arguments: &Import) -> Result<ExitCode, String> {
    let snapshot = super::read(&arguments.place.directory)?.snapshot;
    let file = Some(&*arguments.file).filter(|it| *it != Path::new("-"));
    let imported = refresh::import(&snapshot, &arguments.stack, file, arguments.force);
    let outcome = imported.map_err(|it| visible(&it.to_string()))?;
    if let Some(line) = line(&arguments.stack, &outcome) {
        super::print(&format!("{}\n", visible(&line)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints which state each stack has, its serial and its age.
pub(super) fn status(on: &On) -> Result<ExitCode, String> {
    let snapshot = super::read(&on.path)?.snapshot;
    super::warn_of_states(&snapshot);
    let settings = Settings::in_force(&snapshot, &Settings::default());
    let now = SystemTime::now();
    let is_old = |stack: &Stack| settings.states.is_old(stack, now);
    let since = |stack: &Stack| stack.state.as_ref()?.modified;
    match on.format {
        Format::Json => {
            super::print_json(&Status::of(&snapshot, &settings.states, now))?;
        }
        Format::Text => {
            let lines = snapshot.stacks.iter().map(|stack| {
                let Some(state) = &stack.state else {
                    let unread = stack.unreadable.first();
                    return match unread.map(|it| snapshot.relative(&it.path)) {
                        Some(path) => format!("{}: {path} is not read\n", stack.name),
                        None => format!("{}: no state\n", stack.name),
                    };
                };
                let serial = state.file.serial.map(|it| format!(", serial {it}"));
                let cached = since(stack).and_then(|it| now.duration_since(it).ok());
                let cached = cached.map(|it| format!(", cached {} ago", age(it)));
                let old = match is_old(stack) {
                    Some(1) => ", older than one day".to_owned(),
                    Some(days) => format!(", older than {days} days"),
                    None => String::new(),
                };
                format!(
                    "{}: {}{}{}{old}\n",
                    stack.name,
                    snapshot.relative(&state.path),
                    serial.unwrap_or_default(),
                    cached.unwrap_or_default()
                )
            });
            super::print(&visible_lines(lines))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn visible_lines(lines: impl Iterator<Item = String>) -> String {
    lines
        .map(|it| format!("{}\n", visible(it.trim_end())))
        .collect()
}
