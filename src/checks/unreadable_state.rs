//! A cached state could not be read.
//!
//! What the stack manages is not known: none of its duplicates is found, and nothing depends on
//! it. In an editor, the rows of the last state that could be read stay.

use crate::text::Span;
use crate::workspace::Snapshot;

use super::{Check, Finding, Severity};

pub(super) const CHECK: Check = Check {
    code: "unreadable-state",
    severity: Severity::Warning,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for stack in &snapshot.stacks {
        for unreadable in &stack.unreadable {
            let kept = stack
                .state
                .as_ref()
                .is_some_and(|it| it.path == unreadable.path);
            let consequence = match kept {
                true => "The rows that it had when it was last read stay.",
                false => "Nothing that it records is known.",
            };
            let message = format!(
                "The state {} of {} is not read: {}. {consequence}",
                snapshot.relative(&unreadable.path),
                stack.name,
                unreadable.problem
            );
            let (path, span) = match stack.backend_place() {
                Some((file, span)) => (&file.path, span),
                None => (&unreadable.path, Span::at(0)),
            };
            let mut finding = Finding::new(CHECK.severity, path, span, message);
            finding.stack = Some(stack.name.clone());
            findings.push(finding);
        }
    }
}
