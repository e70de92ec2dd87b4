//! `check`: what is wrong, for a person or a program.

use std::process::ExitCode;

use serde::Serialize;

use crate::checks::{self, Finding, Severity};
use crate::workspace::Snapshot;

use super::output::{Location, VERSION};
use super::{Format, On, Read, text};

/// Prints the findings below the path that was asked for. The exit code is 1 from a warning
/// upward.
pub(super) fn run(on: &On) -> Result<ExitCode, String> {
    let read = super::read(&on.path)?;
    let mut findings = checks::run(&read.snapshot, &Default::default());
    findings.retain(|it| it.place.path.starts_with(&read.part));
    let summary = Summary::new(&read, &findings);
    match on.format {
        Format::Json => super::print_json(&Report {
            version: VERSION,
            findings: findings
                .iter()
                .map(|it| reported(&read.snapshot, it))
                .collect(),
            summary,
        })?,
        Format::Text => super::print(&text::render(&read.snapshot, &findings, &summary))?,
    }
    Ok(
        match findings.iter().any(|it| it.severity >= Severity::Warning) {
            true => ExitCode::from(1),
            false => ExitCode::SUCCESS,
        },
    )
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

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    findings: Vec<Reported<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Reported<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(flatten)]
    location: Location,
    stack: Option<&'a str>,
    address: Option<&'a str>,
    related: Vec<Related<'a>>,
    fixes: Vec<Fix>,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    #[serde(flatten)]
    location: Location,
}

#[derive(Serialize)]
struct Fix {
    title: String,
    edits: Vec<Edit>,
}

#[derive(Serialize)]
struct Edit {
    #[serde(flatten)]
    location: Location,
    new_text: String,
}

fn reported<'a>(snapshot: &Snapshot, finding: &'a Finding) -> Reported<'a> {
    let related = finding.related.iter().map(|it| Related {
        message: &it.message,
        location: Location::new(snapshot, &it.place),
    });
    let edit = |it: checks::Edit| Edit {
        location: Location::new(snapshot, &it.place),
        new_text: it.new_text,
    };
    let fixes = finding.fixes(snapshot).into_iter().map(|fix| Fix {
        title: fix.title,
        edits: fix.edits.into_iter().map(edit).collect(),
    });
    Reported {
        code: finding.code,
        severity: finding.severity.as_str(),
        message: &finding.message,
        location: Location::new(snapshot, &finding.place),
        stack: finding.stack.as_deref(),
        address: finding.address.as_deref(),
        related: related.collect(),
        fixes: fixes.collect(),
    }
}
