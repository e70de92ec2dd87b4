//! What the formats for a forge and its pipelines share.
//!
//! Paths start at the root of the repository, where a forge looks for files, and not at the
//! workspace's. Lines and columns count from 1, columns in UTF-16 units.

use std::path::Path;

use crate::checks::Finding;
use crate::text::{Encoding, Position};
use crate::workspace::{Place, Snapshot, relative};

/// A snapshot as its repository's forge sees it.
pub(super) struct Forge<'a> {
    snapshot: &'a Snapshot,
    /// The nearest directory above the workspace's root that holds `.git`, or that root itself.
    pub(super) root: &'a Path,
}

/// What a place covers; the end is exclusive. A file that is no text of ours is named at its start.
pub(super) struct Region {
    pub(super) start_line: u32,
    pub(super) start_column: u32,
    pub(super) end_line: u32,
    pub(super) end_column: u32,
}

impl<'a> Forge<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let mut above = snapshot.root.ancestors();
        let root = above.find(|it| it.join(".git").exists());
        Self {
            snapshot,
            root: root.unwrap_or(&snapshot.root),
        }
    }

    pub(super) fn path(&self, place: &Place) -> Box<str> {
        relative(self.root, &place.path)
    }

    pub(super) fn region(&self, place: &Place) -> Region {
        let source = self.snapshot.source(&place.path);
        let at = |offset| {
            let position = source.map(|it| it.position(offset, Encoding::Utf16));
            let Position { line, character } = position.unwrap_or_default();
            (line + 1, character + 1)
        };
        let (start_line, start_column) = at(place.span.start);
        let (end_line, end_column) = at(place.span.end);
        Region {
            start_line,
            start_column,
            end_line,
            end_column,
        }
    }

    /// The message, and a line `path:line: text` for each other place that takes part.
    pub(super) fn message(&self, finding: &Finding) -> String {
        let mut message = finding.message.clone();
        for related in &finding.related {
            let path = self.path(&related.place);
            let line = self.region(&related.place).start_line;
            message += &format!("\n{path}:{line}: {}", related.message);
        }
        message
    }
}
