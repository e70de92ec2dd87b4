//! What the machine-readable documents share. Stable: paths are relative to the workspace's root,
//! lines and characters count from 0, characters in UTF-16 units. Knows nothing of any document.

use std::time::UNIX_EPOCH;

use serde::Serialize;

pub(super) use crate::state::{Columns, Reason};
use crate::text::{Encoding, Position};
use crate::workspace::{Place, RowRef, Snapshot, StackState};

/// The version of the output format.
pub const VERSION: u32 = 1;

/// A path and a range. A file that is no text of ours (a state) is named at its start.
#[derive(Serialize)]
pub struct Location {
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
    /// Where a place is.
    pub fn new(snapshot: &Snapshot, place: &Place) -> Self {
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
pub struct Named<'a> {
    stack: &'a str,
    address: String,
}

impl<'a> Named<'a> {
    /// The name of a row.
    pub fn new(snapshot: &'a Snapshot, row: RowRef) -> Self {
        Self {
            stack: &snapshot.stack(row).name,
            address: snapshot.address(row).to_string(),
        }
    }
}

/// The state of a stack.
#[derive(Serialize)]
pub struct State<'a> {
    path: Box<str>,
    format: &'a str,
    serial: Option<u64>,
    lineage: Option<&'a str>,
}

impl<'a> State<'a> {
    /// Where a state was read, and as what.
    pub fn new(snapshot: &Snapshot, state: &'a StackState) -> Self {
        Self {
            path: snapshot.relative(&state.path),
            format: state.file.format.as_str(),
            serial: state.file.serial,
            lineage: state.file.lineage.as_deref(),
        }
    }
}

/// The state of a stack, and how old it is.
#[derive(Serialize)]
pub struct StateAndTime<'a> {
    #[serde(flatten)]
    state: State<'a>,
    /// When the file was last written, in seconds since 1970.
    modified: Option<u64>,
}

impl<'a> StateAndTime<'a> {
    /// Where a state was read, as what, and when it was written.
    pub fn new(snapshot: &'a Snapshot, state: &'a StackState) -> Self {
        let modified = state.modified;
        let modified = modified.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        Self {
            state: State::new(snapshot, state),
            modified: modified.map(|it| it.as_secs()),
        }
    }
}

/// One JSON document as it is printed.
///
/// # Errors
/// When it cannot be one.
pub fn json(document: &impl Serialize) -> Result<String, String> {
    let mut text = serde_json::to_string_pretty(document).map_err(|it| it.to_string())?;
    text.push('\n');
    Ok(text)
}
