//! Which state each stack has, and how old it is: for programs.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::checks::settings::States;
use crate::workspace::{Snapshot, Stack};

/// Which states the stacks of a workspace have.
#[derive(Serialize)]
pub struct Status<'a> {
    /// Of the format: 1.
    pub version: u32,
    /// Sorted by name.
    pub stacks: Vec<OfStack<'a>>,
}

/// Which state a stack has.
#[derive(Serialize)]
pub struct OfStack<'a> {
    /// The stack's name.
    pub name: &'a str,
    /// Its state; `None` of a stack that has none here.
    pub state: Option<OfState<'a>>,
}

/// What is known of a state.
#[derive(Serialize)]
pub struct OfState<'a> {
    /// Relative to the workspace root, with `/`.
    pub path: Box<str>,
    /// How it is written.
    pub format: &'a str,
    /// Grows with every change of the state.
    pub serial: Option<u64>,
    /// Common to all serials of one state.
    pub lineage: Option<&'a str>,
    /// When it was what the stack had, in seconds since 1970.
    pub cached_at: Option<u64>,
    /// Whether it is older than is set.
    pub is_old: bool,
}

impl<'a> Status<'a> {
    /// Of a workspace under these settings, at this moment.
    pub fn of(snapshot: &'a Snapshot, settings: &States, now: SystemTime) -> Self {
        let stacks = snapshot.stacks.iter().map(|stack| OfStack {
            name: &stack.name,
            state: of_stack(snapshot, settings, stack, now),
        });
        Self {
            version: 1,
            stacks: stacks.collect(),
        }
    }
}

fn of_stack<'a>(
    snapshot: &Snapshot,
    settings: &States,
    stack: &'a Stack,
    now: SystemTime,
) -> Option<OfState<'a>> {
    let state = stack.state.as_ref()?;
    let since = state.modified.map(|it| it.duration_since(UNIX_EPOCH));
    Some(OfState {
        path: snapshot.relative(&state.path),
        format: state.file.format.as_str(),
        serial: state.file.serial,
        lineage: state.file.lineage.as_deref(),
        cached_at: since.and_then(|it| Some(it.ok()?.as_secs())),
        is_old: settings.is_old(stack, now).is_some(),
    })
}
