//! What can be done at a place: the fixes of the findings there, and refactorings.

use std::path::Path;

use crate::checks::{Finding, Fix, ignore_comment};
use crate::config::Declared;
use crate::text::Span;
use crate::workspace::Snapshot;

/// Something that can be done at a place.
#[derive(Debug)]
pub enum Action<'a> {
    /// It mends a finding.
    Fix(Fix, &'a Finding),
    /// It changes what gantrycd makes of a resource, where nothing is wrong.
    Refactor(Fix),
}

/// What can be done where `span` touches the file. `findings` are those of the snapshot.
pub fn actions<'a>(
    snapshot: &Snapshot,
    findings: &'a [Finding],
    path: &Path,
    span: Span,
) -> Vec<Action<'a>> {
    let touches = |other: Span| other.start <= span.end && span.start <= other.end;
    let mut actions: Vec<Action> = Vec::new();
    let mut offered: Vec<Fix> = Vec::new();
    let here = findings
        .iter()
        .filter(|it| *it.place.path == *path && touches(it.place.span));
    for finding in here {
        for fix in finding.fixes(snapshot) {
            if !offered.iter().any(|it| it.edits == fix.edits) {
                offered.push(fix.clone());
                actions.push(Action::Fix(fix, finding));
            }
        }
    }
    let Some(file) = snapshot.file(path) else {
        return actions;
    };
    for (at, block) in file.blocks.iter().enumerate() {
        if block.resource().is_none() || !touches(block.header) {
            continue;
        }
        let mut rows = snapshot.rows_of(file, block.id).iter();
        let has_identity = rows.any(|it| {
            let row = snapshot.row(*it);
            row.claim.is_ok() || row.looks_up.is_some() || row.planned_claim().is_some()
        });
        let fix = ignore_comment(snapshot, &Declared::new(file, at)).filter(|_| has_identity);
        if let Some(fix) = fix.filter(|fix| !offered.iter().any(|it| it.edits == fix.edits)) {
            actions.push(Action::Refactor(fix));
        }
    }
    actions
}
