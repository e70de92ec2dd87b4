//! What could be written at a place.

use std::path::Path;

use crate::text::Span;
use crate::workspace::Snapshot;

use super::settings;

/// Something that could be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// What a person chooses it by, and types to find it.
    pub name: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What it does, in Markdown.
    pub about: String,
    /// What it takes the place of, on one line, in bytes of the file.
    pub span: Span,
    /// What stands there then.
    pub new_text: String,
}

/// What a [`Completion`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// A block.
    Section,
    /// What can be set.
    Key,
    /// What something can be set to.
    Value,
    /// The name of a stack.
    Stack,
}

/// What could stand at byte `offset` of a file, in the order in which to show it.
pub fn completion(snapshot: &Snapshot, path: &Path, offset: u32) -> Vec<Completion> {
    match snapshot.workspace_file() {
        Some(file) if *file.path == *path => settings::complete(snapshot, file, offset),
        _ => Vec::new(),
    }
}
