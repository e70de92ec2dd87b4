//! Two or more managed resources of different stacks are one object.
//!
//! Each of the stacks plans and applies as if the object were its own: what one sets, the other
//! sets back, and what one destroys is gone for both. gantrycd reports the object and orders
//! neither stack before the other.

use crate::workspace::Snapshot;

use super::{Check, Finding, Severity, duplicate};

pub(super) const CHECK: Check = Check {
    code: "duplicate-identity",
    severity: Severity::Error,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for group in snapshot.duplicates.iter().filter(|it| it.across_stacks) {
        let tell = |claim, others: &str| {
            format!(
                "{} manages the same object as {others}: gantrycd reports it, and what one stack \
                 applies the other undoes.",
                duplicate::name(snapshot, claim)
            )
        };
        findings.extend(duplicate::findings(snapshot, group, CHECK.severity, tell));
    }
}
