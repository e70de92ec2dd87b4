//! What the machine-readable documents share. Stable: paths are relative to the workspace's root,
//! lines and characters count from 0, characters in UTF-16 units.

use serde::Serialize;

pub(super) use crate::state::{Columns, Reason};
use crate::text::{Encoding, Position};
use crate::workspace::{Place, RowRef, Snapshot, StackState};

/// The version of the output format.
pub(super) const VERSION: u32 = 1;

/// A path and a range. A file that is no text of ours (a state) is named at its start.
#[derive(Serialize)]
pub(super) struct Location {
    path: Box<str>,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: At,
    end: At,
}

#[derive(Serialize)]
struct At {
    line: u32,
    character: u32,
}

impl Location {
    pub(super) fn new(snapshot: &Snapshot, place: &Place) -> Self {
        let source = snapshot.source(&place.path);
        let at = |offset| {
            let position = source.map(|it| it.position(offset, Encoding::Utf16));
            let Position { line, character } = position.unwrap_or_default();
            At { line, character }
        };
        Self {
            path: snapshot.relative(&place.path),
            range: Range {
                start: at(place.span.start),
                end: at(place.span.end),
            },
        }
    }
}

/// A row by name.
#[derive(Serialize)]
pub(super) struct Named<'a> {
    stack: &'a str,
    address: String,
}

impl<'a> Named<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, row: RowRef) -> Self {
        Self {
            stack: &snapshot.stack(row).name,
            address: snapshot.address(row).to_string(),
        }
    }
}

/// The state of a stack.
#[derive(Serialize)]
pub(super) struct State<'a> {
    path: Box<str>,
    format: &'a str,
    serial: Option<u64>,
    lineage: Option<&'a str>,
}

impl<'a> State<'a> {
    pub(super) fn new(snapshot: &Snapshot, state: &'a StackState) -> Self {
        Self {
            path: snapshot.relative(&state.path),
            format: state.file.format.as_str(),
            serial: state.file.serial,
            lineage: state.file.lineage.as_deref(),
        }
    }
}

/// A text in which no control character can speak to a terminal.
pub(super) fn visible(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}
