//! The ignore comment under the cursor: where one would be honoured, it could be written there.

use std::sync::Arc;

use crate::config::ModuleFile;
use crate::identity::comment::{Directive, IGNORE};
use crate::syntax::{Cursor, WordKind};
use crate::text::{Source, Span};
use crate::workspace::Snapshot;

use super::completion::{Completion, CompletionKind};

/// The comment, if it could be written at byte `offset` of a configuration file that is no JSON.
pub(super) fn complete(snapshot: &Snapshot, file: &ModuleFile, offset: u32) -> Option<Completion> {
    let syntax = file.syntax()?;
    let (span, new_text) = match syntax.cursor(offset) {
        Some(cursor) => (
            on_a_line_of_its_own(file.source(), &cursor, offset)?,
            format!("# {IGNORE}"),
        ),
        None => (in_a_comment(file, offset)?, IGNORE.to_owned()),
    };
    is_honoured(snapshot, file, span, &new_text).then(|| Completion {
        name: new_text.clone(),
        kind: CompletionKind::Comment,
        detail: Some("gantrycd: opt out".to_owned()),
        about: "gantrycd gives what this block declares no identity, for duplicates and for \
                dependencies, whether its type takes tags or not."
            .to_owned(),
        span,
        new_text,
        snippet: None,
    })
}

/// What is typed of the comment where an item may begin, outside of any or directly in a block.
fn on_a_line_of_its_own(source: &Source, cursor: &Cursor, offset: u32) -> Option<Span> {
    let is_item = cursor.before.is_empty() && cursor.around.len() <= 1;
    let span = cursor.word.span;
    let typed = source.slice(Span {
        end: offset,
        ..span
    });
    let line = Span {
        start: source.line_start(offset),
        end: span.start,
    };
    let text = source.text();
    let rest = text
        .get(span.range().end..)?
        .lines()
        .next()
        .unwrap_or_default();
    let alone = source.slice(line).trim().is_empty() && rest.trim().is_empty();
    (is_item && alone && cursor.word.kind == WordKind::Name && IGNORE.starts_with(typed))
        .then_some(span)
}

/// What is typed of it within a comment: something, and to the next blank.
fn in_a_comment(file: &ModuleFile, offset: u32) -> Option<Span> {
    let source = file.source();
    let comments = file.syntax()?.comments();
    let comment = comments.iter().map(|it| it.span);
    let comment = comment.rev().find(|it| it.touches(offset))?;
    let text = source.slice(comment);
    let mark = if text.starts_with('#') { 1 } else { 2 };
    let start = comment.start.max(source.line_start(offset));
    let start = match start == comment.start {
        true => start + mark,
        false => start,
    };
    let typed = source.text().get(start as usize..offset as usize)?;
    let starts = typed.char_indices().map(|(at, _)| at);
    let begins = |at: &usize| {
        let before = typed[..*at].chars().next_back();
        before.is_none_or(char::is_whitespace) && IGNORE.starts_with(&typed[*at..])
    };
    let begin = starts.into_iter().find(begins)?;
    let rest = source.slice(Span {
        start: offset,
        end: comment.end,
    });
    let rest = rest.find(char::is_whitespace).unwrap_or(rest.len());
    Some(Span::new(start as usize + begin, offset as usize + rest))
}

/// Whether the comment would opt out a block with it there that gantrycd has identity rules for, and
/// that no other comment opts out already. What is being typed may have to be closed first.
fn is_honoured(snapshot: &Snapshot, file: &ModuleFile, span: Span, new_text: &str) -> bool {
    let mut closers = ["", "\n}"].iter();
    closers.any(|it| opts_out(snapshot, file, (span, new_text, it)) == Some(true))
}

fn opts_out(
    snapshot: &Snapshot,
    file: &ModuleFile,
    (span, new_text, closer): (Span, &str, &str),
) -> Option<bool> {
    let text = file.source().text();
    let (before, behind) = (&text[..span.range().start], &text[span.range().end..]);
    let changed = [before, new_text, closer, behind].concat();
    let trial = Arc::new(ModuleFile::read(file.path.clone(), Source::new(&changed)));
    let at = Span::new(span.range().start, span.range().start + new_text.len());
    let comments = trial
        .comments
        .iter()
        .filter(|it| matches!(it.directive, Directive::Ignore { ignore: true, .. }));
    let mut here = comments.clone().filter(|it| at.contains(it.span));
    let block = here.next()?.honoured()?;
    let mut others = comments.filter(|it| !at.contains(it.span));
    let is_alone = !others.any(|it| it.honoured() == Some(block));
    Some(is_alone && snapshot.supports_block(&trial, &trial.block(block)?))
}

#[cfg(test)]
mod tests {
    use crate::fixture::completions;

    const COMMENT: &str = "# gantrycd:resource-identity: ignore=true";

    fn lines(text: &str) -> Vec<String> {
        let offered = completions(&format!("#- a/main.tf\n{text}"));
        offered.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn above_a_block_and_directly_in_it() {
        for text in [
            "$0\nresource \"aws_kms_alias\" \"k\" {}\n",
            "g$0\nresource \"aws_kms_alias\" \"k\" {}\n",
            "locals {}\n\n$0\n# tfsec:ignore:x\ndata \"aws_vpc\" \"v\" {}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  gan$0\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  name = \"k\"\n  gan$0\n  target = 1\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  name = \"k\"\n  g$0",
        ] {
            let lines = lines(text);
            assert_eq!(lines.len(), 1, "{text}: {lines:?}");
            assert_eq!(lines[0].trim(), COMMENT, "{text}");
        }
    }

    #[test]
    fn in_a_comment_that_is_being_typed() {
        let directive = &COMMENT[2..];
        for length in 1..=directive.len() {
            let typed = &directive[..length];
            for (text, line) in [
                (
                    format!("# {typed}$0\nresource \"aws_kms_alias\" \"k\" {{}}\n"),
                    COMMENT.to_owned(),
                ),
                (
                    format!("#{typed}$0\nresource \"aws_kms_alias\" \"k\" {{}}\n"),
                    format!("#{directive}"),
                ),
                (
                    format!("// é {typed}$0\nresource \"aws_kms_alias\" \"k\" {{}}\n"),
                    format!("// é {directive}"),
                ),
                (
                    format!("/* {typed}$0 */\nresource \"aws_kms_alias\" \"k\" {{}}\n"),
                    format!("/* {directive} */"),
                ),
                (
                    format!("resource \"aws_kms_alias\" \"k\" {{ # {typed}$0\n}}\n"),
                    format!("resource \"aws_kms_alias\" \"k\" {{ {COMMENT}"),
                ),
                (
                    format!("resource \"aws_kms_alias\" \"k\" {{\n  # {typed}$0\n}}\n"),
                    format!("  {COMMENT}"),
                ),
            ] {
                // `igno` behind a whole key is a near miss until it is written
                assert_eq!(lines(&text), [line], "{text}");
            }
        }
    }

    #[test]
    fn silent_where_none_is_honoured() {
        for text in [
            "# $0\nresource \"aws_kms_alias\" \"k\" {}\n",
            "# x$0\nresource \"aws_kms_alias\" \"k\" {}\n",
            "# ngan$0\nresource \"aws_kms_alias\" \"k\" {}\n",
            "# gan$0\n\nresource \"aws_kms_alias\" \"k\" {}\n",
            "# gan$0\nmodule \"m\" {\n  source = \"./m\"\n}\n",
            "# gan$0\nresource \"google_storage_bucket\" \"k\" {}\n",
            "# gan$0\nlocals {}\n",
            "locals {\n  gan$0\n}\n",
            "res$0\nresource \"aws_kms_alias\" \"k\" {}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  lifecycle {\n    # gan$0\n  }\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  lifecycle {\n    gan$0\n  }\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  name = gan$0\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  name$0\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  name = \"# gan$0\"\n}\n",
            "resource \"aws_kms_alias\" \"k\" {\n  name = <<E\n# gan$0\nE\n}\n",
            "# gan$0\n# gantrycd:resource-identity: ignore=true\nresource \"aws_kms_alias\" \"k\" {}\n",
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_kms_alias\" \"k\" {\n  gan$0\n}\n",
            "gan$0 = 1\nresource \"aws_kms_alias\" \"k\" {}\n",
        ] {
            assert_eq!(lines(text), [""; 0], "{text}");
        }
    }
}
