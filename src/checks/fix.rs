//! Quick fixes: edits of text that mend a finding.

use crate::config::{ModuleFile, Resource};
use crate::identity::comment::IGNORE;
use crate::syntax::Place as CommentPlace;
use crate::text::Span;
use crate::workspace::{Place, Snapshot, is_editable};

/// A change that a person can choose to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// Its edits, which do not overlap.
    pub edits: Vec<Edit>,
}

/// One replacement of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub place: Place,
    /// What stands there afterwards.
    pub new_text: String,
}

/// Opts a block out by a comment above it, at the top of the comments that already stand there,
/// with the header's own indentation and line end. `None` where it is opted out already, where
/// nobody may edit the file, or where the header does not begin its line.
pub fn ignore_comment(snapshot: &Snapshot, file: &ModuleFile, resource: &Resource) -> Option<Fix> {
    if resource.ignored || !is_editable(&file.path) {
        return None;
    }
    let source = file.source();
    let header_line = source.line_start(resource.span.start);
    let indent = source.slice(Span {
        start: header_line,
        end: resource.span.start,
    });
    if !indent.trim().is_empty() {
        return None;
    }
    let comments = file.syntax.comments_of(resource.block);
    let top = comments
        .iter()
        .filter(|it| matches!(it.place, CommentPlace::Above(_)))
        .map(|it| source.line_start(it.span.start))
        .min();
    let at = Span::at(top.unwrap_or(header_line) as usize);
    let stacks = snapshot.uses(file).iter().map(|it| it.stack);
    let stacks = stacks.collect::<std::collections::BTreeSet<_>>().len();
    let everywhere = match stacks {
        0 | 1 => String::new(),
        _ => format!(" in all {stacks} stacks that use it"),
    };
    Some(Fix {
        title: format!(
            "Ignore {}.{} in gantrycd{everywhere}",
            resource.resource_type, resource.name
        ),
        edits: vec![Edit {
            place: Place {
                path: file.path.clone(),
                span: at,
            },
            new_text: format!("{indent}# {IGNORE}{}", source.line_end()),
        }],
    })
}
