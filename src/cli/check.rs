//! `check`: what is wrong, for a person or a program.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anstream::AutoStream;
use clap::builder::PossibleValuesParser;
use clap::{ColorChoice, ValueEnum};
use serde::Serialize;

use crate::checks::{self, Finding, Severity};
use crate::text::visible;
use crate::workspace::Snapshot;

use super::{Read, apply, github, json, junit, sarif, text};

/// What to check, and how to tell of it.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The workspace, or parts of one where a directory above the first holds gantrycd.hcl: all of
    /// it is read, and what stands in them is reported
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the fixes that cannot change what was meant, and report what is left
    #[arg(long)]
    fix: bool,
    /// The least severity that makes the exit code 1
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Warning)]
    fail_on: FailOn,
    /// Report these codes and no others: separated by commas, or one each time
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = codes())]
    only: Vec<String>,
    /// Do not report these codes
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = codes())]
    exclude: Vec<String>,
    /// Whether the text is coloured: `auto` is on a terminal, where NO_COLOR is not set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
    /// Of the text, print the last line alone, which counts the findings, and not even that where
    /// there are none
    #[arg(short, long)]
    quiet: bool,
    /// Say on standard error how much was read, and how long each part of it took
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person, with the source
    Text,
    /// For a program: one document, with a version
    Json,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// A test report in JUnit's XML
    Junit,
}

#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Information,
    Hint,
    /// Findings leave it at 0
    Never,
}

impl FailOn {
    fn severity(self) -> Option<Severity> {
        Some(match self {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Information => Severity::Information,
            FailOn::Hint => Severity::Hint,
            FailOn::Never => return None,
        })
    }
}

/// The codes of all checks: clap names the nearest one to what is none.
fn codes() -> PossibleValuesParser {
    PossibleValuesParser::new(checks::ALL.iter().map(|it| it.code))
}

/// What a check came to, for a format to print.
pub(super) struct Checked<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) findings: &'a [Finding],
    pub(super) summary: Summary,
}

/// Prints the findings that were asked for.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if arguments.quiet && arguments.format != Format::Text {
        return Err("--quiet is for --format text alone: a document is whole or none".to_owned());
    }
    let parts = parts(&arguments.paths)?;
    let took = Cell::new(Duration::ZERO);
    let find = |snapshot: &Snapshot| {
        let start = Instant::now();
        let mut findings = checks::run(snapshot, &Default::default());
        checks::once_for_each_text(snapshot, &mut findings);
        findings.retain(|it| {
            let is = |code: &String| code == it.code;
            // a fault of the workspace file is one of every part
            let of_all = it.code == "workspace-file";
            (of_all || parts.iter().any(|part| it.place.path.starts_with(part)))
                && (arguments.only.is_empty() || arguments.only.iter().any(is))
                && !arguments.exclude.iter().any(is)
        });
        took.set(start.elapsed());
        findings
    };
    let mut read = super::read(&arguments.paths[0])?;
    let mut is_unwritten = false;
    let findings = match arguments.fix {
        true => {
            let applied = apply::apply(read, find);
            for change in applied.changes.iter().filter(|_| !arguments.quiet) {
                eprintln!("fixed: {}", visible(change));
            }
            for error in &applied.errors {
                eprintln!("error: {error}");
            }
            is_unwritten = !applied.errors.is_empty();
            read = applied.read;
            applied.findings
        }
        false => find(&read.snapshot),
    };
    let checked = Checked {
        snapshot: &read.snapshot,
        findings: &findings,
        summary: Summary::new(&read, &findings),
    };
    arguments.print(&checked)?;
    if arguments.stats {
        eprint!("{}", read.stats.and("checks", took.get()));
    }
    let least = arguments.fail_on.severity();
    let fails = |it: &Finding| least.is_some_and(|least| it.severity >= least);
    Ok(match findings.iter().any(fails) {
        _ if is_unwritten => ExitCode::from(2),
        true => ExitCode::from(1),
        false => ExitCode::SUCCESS,
    })
}

impl Arguments {
    fn print(&self, checked: &Checked) -> Result<(), String> {
        match self.format {
            Format::Text if self.quiet => super::print(&text::render_quietly(checked)),
            Format::Text => super::print(&text::render(checked, self.is_coloured())),
            Format::Json => super::print_json(&json::Report::new(checked)),
            Format::Sarif => super::print_json(&sarif::log(checked)),
            Format::Github => super::print(&github::render(checked)),
            Format::Junit => {
                // where nothing fails the run, the report is all that tells of what would
                let failing = self.fail_on.severity().unwrap_or(Severity::Warning);
                super::print(&junit::render(checked, failing)?)
            }
        }
    }

    fn is_coloured(&self) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
            }
        }
    }
}

/// The absolute paths of what to report, all of one workspace.
fn parts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let parts: Vec<_> = paths
        .iter()
        .map(|it| super::resolve(it))
        .collect::<Result<_, _>>()?;
    let root = super::root_above(&parts[0]);
    match parts.iter().position(|it| !it.starts_with(&root)) {
        None => Ok(parts),
        Some(at) => Err(format!(
            "{} is in another workspace than {}, whose root is {}: check them one by one, or put a \
             gantrycd.hcl above both",
            paths[at].display(),
            paths[0].display(),
            root.display()
        )),
    }
}

/// How much was read and found.
#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) stacks: usize,
    pub(super) files: usize,
    pub(super) rows: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
}

impl Summary {
    fn new(read: &Read, findings: &[Finding]) -> Self {
        let count = |severity| findings.iter().filter(|it| it.severity == severity).count();
        let stacks = &read.snapshot.stacks;
        Self {
            stacks: stacks.len(),
            files: read.files,
            rows: stacks.iter().map(|it| it.rows.len()).sum(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
        }
    }
}
