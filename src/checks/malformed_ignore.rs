//! A comment that was meant to opt a block out, and is not honoured as it is written.
//!
//! The one spelling is `gantrycd:resource-identity: ignore=true`. Anything near it does nothing.

use crate::identity::comment::{Directive, IGNORE};
use crate::workspace::Snapshot;

use super::{Check, Finding, Severity};

pub(super) const CHECK: Check = Check {
    code: "malformed-ignore",
    severity: Severity::Warning,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        for comment in &file.comments {
            if let Directive::NearMiss { fault, .. } = &comment.directive {
                let message = format!(
                    "This comment does nothing: {fault}. gantrycd honours `{IGNORE}` and nothing \
                     near it."
                );
                findings.push(Finding::new(
                    CHECK.severity,
                    &file.path,
                    comment.span,
                    message,
                ));
            }
        }
    }
}
