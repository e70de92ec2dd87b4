//! Quick fixes: edits of text that mend a finding.

use std::collections::BTreeSet;

use crate::config::{Declared, is_override};
use crate::identity::Mode;
use crate::identity::comment::IGNORE;
use crate::syntax::Place as CommentPlace;
use crate::text::Span;
use crate::workspace::{Place, Snapshot, is_editable};

use super::Finding;

/// A change that a person can choose to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// Its edits, which do not overlap.
    pub edits: Vec<Edit>,
    /// Whether it cannot change what a person meant, so that nobody need be asked.
    pub is_safe: bool,
}

/// One replacement of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub place: Place,
    /// What stands there afterwards.
    pub new_text: String,
}

/// The ignore comment on the block that a finding stands in.
pub(super) fn ignore_block(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let block = snapshot.block_at(&finding.place);
    let fix = block.and_then(|it| ignore_comment(snapshot, &it));
    fix.into_iter().collect()
}

/// Opts a block out by a comment above it, at the top of the comments that already stand there,
/// with the header's own indentation and line end. `None` where it is opted out already, where
/// nobody may edit the file, where the block only changes another, or where the header does not begin
/// its line.
pub fn ignore_comment(snapshot: &Snapshot, block: &Declared) -> Option<Fix> {
    let (file, block) = (&block.file, block.block());
    let syntax = file.syntax()?;
    let name = file.path.file_name()?.to_str()?;
    if block.ignored || !is_editable(&file.path) || is_override(name) {
        return None;
    }
    let source = file.source();
    let header_line = source.line_start(block.span.start);
    let indent = source.slice(Span {
        start: header_line,
        end: block.span.start,
    });
    if !indent.trim().is_empty() {
        return None;
    }
    let comments = syntax.comments_of(block.id);
    let top = comments
        .iter()
        .filter(|it| matches!(it.place, CommentPlace::Above(_)))
        .map(|it| source.line_start(it.span.start))
        .min();
    let at = Span::at(top.unwrap_or(header_line) as usize);
    let stacks: BTreeSet<_> = snapshot.uses(file).iter().map(|it| it.stack).collect();
    let everywhere = match stacks.len() {
        0 | 1 => String::new(),
        n => format!(" in all {n} stacks that use it"),
    };
    let (mode, resource_type, name) = block.resource()?;
    let data = match mode {
        Mode::Data => "data.",
        Mode::Managed => "",
    };
    Some(Fix {
        title: format!("Ignore {data}{resource_type}.{name} in gantrycd{everywhere}"),
        edits: vec![Edit {
            place: Place {
                path: file.path.clone(),
                span: at,
            },
            new_text: format!("{indent}# {IGNORE}{}", source.line_end()),
        }],
        is_safe: false,
    })
}
