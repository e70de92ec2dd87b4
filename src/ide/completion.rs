//! What could be written at a place.

use std::path::Path;

use crate::text::Span;
use crate::workspace::{Snapshot, is_editable};

use super::{declaring, opting_out, settings};

/// Something that could be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// What a person chooses it by, and types to find it.
    pub name: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What else there is to say of it, in a few words.
    pub detail: Option<String>,
    /// What it does, in Markdown.
    pub about: String,
    /// What it takes the place of, on one line, in bytes of the file.
    pub span: Span,
    /// What stands there then.
    pub new_text: String,
    /// The same with stops for the cursor (`$1`), for editors that have such.
    pub snippet: Option<String>,
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
    /// A comment.
    Comment,
}

/// What could stand at byte `offset` of a file, in the order in which to show it.
pub fn completion(snapshot: &Snapshot, path: &Path, offset: u32) -> Vec<Completion> {
    match snapshot.workspace_file() {
        Some(file) if *file.path == *path => settings::complete(snapshot, file, offset),
        _ => match snapshot.file(path) {
            Some(file) if is_editable(path) => {
                let mut found = declaring::complete(snapshot, file, offset);
                found.extend(opting_out::complete(snapshot, file, offset));
                found
            }
            _ => Vec::new(),
        },
    }
}
