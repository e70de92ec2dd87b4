//! Findings for a program. The fields are stable.

use serde::Serialize;

use crate::checks::{self, Finding};
use crate::workspace::Snapshot;

use super::check::{Checked, Summary};
use super::output::{Location, VERSION};

/// The document of one check.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    version: u32,
    findings: Vec<Reported<'a>>,
    summary: &'a Summary,
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

impl<'a> Report<'a> {
    pub(super) fn new(checked: &'a Checked) -> Self {
        let findings = checked.findings.iter();
        Self {
            version: VERSION,
            findings: findings.map(|it| reported(checked.snapshot, it)).collect(),
            summary: &checked.summary,
        }
    }
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
