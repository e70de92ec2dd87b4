//! What the state says, and the rules that decide.

use std::time::SystemTime;

use crate::checks::age;
use crate::identity::{Consulted, Decision, Heard, Mode, Origin, Trace};
use crate::text::visible;
use crate::workspace::StackState;

use super::super::Explained;
use super::{COUNTS, Page, realm};

impl Page<'_> {
    pub(super) fn state(&mut self, it: &Explained) {
        let stack = &self.snapshot.stacks[it.stack];
        let has_row = it.record(self.snapshot).is_some();
        for unreadable in &stack.unreadable {
            let path = visible(&self.snapshot.relative(&unreadable.path));
            let text = format!("{path} is not read: {}", unreadable.problem);
            self.field("state", &text);
        }
        match &stack.state {
            Some(state) => {
                let path = visible(&self.snapshot.relative(&state.path));
                let has_none = if has_row { "" } else { " has no row of it" };
                self.field("state", &format!("{path}{has_none}"));
                for line in about(state) {
                    self.field("", &line);
                }
            }
            None if stack.unreadable.is_empty() => {
                self.field("state", "none of this stack is cached");
            }
            None => {}
        }
    }

    pub(super) fn recorded(&mut self, it: &Explained, trace: &Trace) {
        self.heading(
            "  Recorded: what the state says, rule by rule; the first that decides counts",
        );
        for (at, step) in trace.steps.iter().enumerate() {
            let before = &trace.steps[..at];
            let same = before.iter().position(|it| it.consulted == step.consulted);
            let answer = match (step.rule.passed, &step.decision) {
                (passed, None) => passed,
                ("no", Some(_)) | ("yes", Some(Ok(_))) => "yes",
                ("yes", Some(Err(_))) => "no",
                _ => "",
            };
            let same_as = same.map(|it| self.dim(&format!("  (see {})", it + 1)));
            let number = at + 1;
            let question = step.rule.question;
            let same_as = same_as.unwrap_or_default();
            self.line(&format!("    {number}  {question:<46}  {answer}{same_as}"));
            if same.is_none() {
                self.consulted(it, &step.consulted);
            }
            if let Some(decision) = &step.decision {
                self.decided(it, decision);
            }
        }
        if !trace.not_reached.is_empty() {
            let names: Vec<_> = trace.not_reached.iter().map(|it| it.name).collect();
            self.indented("       not reached: ", &names.join(", "));
        }
    }

    fn consulted(&mut self, of: &Explained, consulted: &[Consulted]) {
        let several = consulted.len() > 1;
        for it in consulted {
            let mut text = match (&it.heard, it.key) {
                (Heard::Nothing(how), _) => self.dim(how),
                (Heard::Text(text), Some(key)) => format!("{key} = {text:?}"),
                (Heard::Text(text), None) => visible(text),
            };
            if let (Some(place), "comment") = (&of.comment, it.section) {
                text += &format!(", {}", self.place(place));
            }
            if it.counts && several && it.key.is_some() {
                text += COUNTS;
            }
            self.line(&format!("         {:<10} {text}", it.section));
        }
    }

    fn decided(&mut self, of: &Explained, decision: &Decision) {
        let text = match decision {
            Err(reason) => format!("no identity: {reason} ({})", reason.name()),
            Ok(identity) => {
                let id = match identity.origin {
                    Origin::Declared => "the id that its tag declares",
                    Origin::Discovered => "this arn",
                    Origin::Unstated => "the id that the inventory states",
                };
                let does = match of.address.mode {
                    Mode::Data => "its owner is looked up by",
                    Mode::Managed => "it claims",
                };
                format!("{does} {id}, in {}", realm(identity.realm.as_ref()))
            }
        };
        self.indented("       => ", &text);
    }
}

/// Format, serial, age and lineage of a state.
fn about(state: &StackState) -> Vec<String> {
    let mut parts = vec![state.file.format.as_str().to_owned()];
    parts.extend(state.file.serial.map(|it| format!("serial {it}")));
    let now = SystemTime::now();
    let written = state.modified.and_then(|it| now.duration_since(it).ok());
    parts.extend(written.map(|it| format!("written {} ago", age(it))));
    let mut lines = vec![parts.join(", ")];
    let lineage = state.file.lineage.as_ref();
    lines.extend(lineage.map(|it| format!("lineage {}", visible(it))));
    lines
}
