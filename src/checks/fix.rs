//! Quick fixes: edits of text that mend a finding.

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

impl Fix {
    /// The same with a title that says how many stacks use the file, when these are several.
    pub fn with_stacks(mut self, snapshot: &Snapshot) -> Self {
        let edit = self.edits.first();
        let file = edit.and_then(|it| snapshot.file(&it.place.path));
        let stacks = file.map_or(0, |it| snapshot.stacks_of(it).len());
        if stacks > 1 {
            self.title += &format!(" in all {stacks} stacks that use it");
        }
        self
    }
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
    let fix = block.and_then(|it| ignore_comment(&it));
    fix.into_iter().collect()
}

/// Opts a block out by a comment above it, at the top of the comments that already stand there,
/// with the header's own indentation and line end. `None` where it is opted out already, where
/// nobody may edit the file, where the block only changes another, or where the header does not begin
/// its line.
pub fn ignore_comment(block: &Declared) -> Option<Fix> {
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
    let (mode, resource_type, name) = block.resource()?;
    let data = match mode {
        Mode::Data => "data.",
        Mode::Managed => "",
    };
    Some(Fix {
        title: format!("Ignore {data}{resource_type}.{name} in gantrycd"),
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

/// Takes the directive at `place` out of its comment, and the comment with it when nothing else is
/// in it; a line that is empty then goes too.
pub(super) fn remove_comment(snapshot: &Snapshot, place: &Place) -> Option<Fix> {
    let file = snapshot.file(&place.path)?;
    let comments = file.syntax()?.comments();
    let comment = comments
        .iter()
        .find(|it| it.span.contains(place.span))?
        .span;
    let source = file.source();
    let text = source.text();
    let mut span = place.span.range();
    // an empty line of a block comment is none of its own
    let is_mark = |it: &str| it.trim().trim_matches(['#', '/', '*']).trim().is_empty();
    let of_comment = [
        &text[comment.range().start..span.start],
        &text[span.end..comment.range().end],
    ];
    if of_comment.iter().all(|it| is_mark(it)) {
        span = comment.range();
    }
    let line_start = source.line_start(span.start as u32) as usize;
    let rest = &text[span.end..];
    let line_end = rest.find('\n').map_or(text.len(), |it| span.end + it + 1);
    let is_alone =
        is_mark(&text[line_start..span.start]) && text[span.end..line_end].trim().is_empty();
    let opens = text[line_start..span.start].contains("/*");
    if is_alone && !opens {
        span = line_start..line_end;
    } else {
        // the blanks before it, not those of the indentation
        let before = text[line_start..span.start].trim_end();
        let behind = text[span.end..line_end].trim_start_matches([' ', '\t']);
        match (before.is_empty(), behind.trim().is_empty()) {
            (false, true) => span.start = line_start + before.len(),
            // code stands behind it: one of the two gaps is enough
            (_, false) => span.end = line_end - behind.len(),
            (true, true) => {}
        }
    }
    Some(Fix {
        title: "Remove the ignore comment".to_owned(),
        edits: vec![Edit {
            place: Place {
                path: place.path.clone(),
                span: Span::new(span.start, span.end),
            },
            new_text: String::new(),
        }],
        is_safe: false,
    })
}
