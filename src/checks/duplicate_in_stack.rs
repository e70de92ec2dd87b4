//! Two addresses of one stack are one object.
//!
//! It was imported twice, or `count` or `for_each` repeats one declared id. gantrycd cannot tell
//! which of the two manages the object.

use crate::workspace::Snapshot;

use super::{Check, Finding, Severity, duplicate};

pub(super) const CHECK: Check = Check {
    code: "duplicate-in-stack",
    severity: Severity::Warning,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for group in snapshot.duplicates.iter().filter(|it| !it.across_stacks) {
        let tell = |claim, others: &str| {
            format!(
                "{} is the same object as {others}: gantrycd cannot tell which of them manages it.",
                duplicate::name(snapshot, claim)
            )
        };
        findings.extend(duplicate::findings(snapshot, group, CHECK.severity, tell));
    }
}
