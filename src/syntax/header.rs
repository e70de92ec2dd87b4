//! What the start of an item looks like: keyword and labels of a block, name of an attribute, marker
//! of a heredoc.
//!
//! The keywords below mean nothing here. They tell, in a text that is broken, where the next block
//! starts; a text that is whole is never cut by them.

use crate::text::Span;

use super::{Fault, Label, Labels};

/// Keywords that stand at the top level with labels behind them.
const LABELLED: &[&[u8]] = &[
    b"resource",
    b"data",
    b"module",
    b"variable",
    b"output",
    b"provider",
    b"ephemeral",
    b"action",
    b"check",
    b"run",
    b"stack",
];

/// Keywords that stand at the top level before their brace.
const BARE: &[&[u8]] = &[
    b"locals",
    b"terraform",
    b"moved",
    b"import",
    b"removed",
    b"checks",
    b"states",
];

/// The start of an item at the top level.
pub(super) struct Head {
    /// The first word.
    pub word: Span,
    pub labels: Labels,
    /// From the word to the end of the last label.
    pub span: Span,
    pub next: Next,
}

/// What stands behind the words and labels of a [`Head`].
pub(super) enum Next {
    /// `{`, at this byte.
    Brace(usize),
    /// `=`.
    Equals,
    /// Neither.
    Other(Fault),
}

/// Reads the start of the item at byte `at`; `None` where no word stands. `comment` gives the end of
/// the `/* */` comment at a byte, if it has one.
pub(super) fn read(
    text: &[u8],
    at: usize,
    mut comment: impl FnMut(usize) -> Option<usize>,
) -> Option<Head> {
    let word = word(text, at)?;
    let mut labels = Labels::default();
    let mut end = word.end as usize;
    let next = loop {
        let mut at = end;
        let unclosed = loop {
            match text[at..] {
                [b' ' | b'\t', ..] => at += 1,
                [b'/', b'*', ..] => match comment(at) {
                    Some(end) => at = end,
                    None => break true,
                },
                _ => break false,
            }
        };
        if unclosed {
            break Next::Other(Fault::UnclosedComment(Span::new(at, at + 2)));
        }
        match text.get(at) {
            Some(b'{') => break Next::Brace(at),
            Some(b'=') if labels.is_empty() => break Next::Equals,
            Some(b'"') => match string_end(text, at) {
                Some(close) => {
                    labels.push(Label {
                        span: Span::new(at, close),
                        text: Span::new(at + 1, close - 1),
                    });
                    end = close;
                }
                None => {
                    let line = text[at..].iter().position(|b| *b == b'\n');
                    let rest = &text[at..line.map_or(text.len(), |it| at + it)];
                    let quoted = Span::new(at, at + rest.trim_ascii_end().len());
                    break Next::Other(Fault::UnclosedQuote(quoted));
                }
            },
            _ => match self::word(text, at) {
                Some(span) => {
                    labels.push(Label { span, text: span });
                    end = span.end as usize;
                }
                None if labels.is_empty() => break Next::Other(Fault::Unexpected(word)),
                None => break Next::Other(Fault::NoBrace(Span::new(word.start as usize, end))),
            },
        }
    };
    Some(Head {
        word,
        labels,
        span: Span::new(word.start as usize, end),
        next,
    })
}

/// How many blanks stand before byte `at`; `None` unless its line starts with them.
pub(super) fn indent(text: &[u8], at: usize) -> Option<usize> {
    let before = &text[..at];
    let blanks = before.iter().rev();
    let blanks = blanks.take_while(|b| matches!(b, b' ' | b'\t')).count();
    let own_line = blanks == at || before[at - blanks - 1] == b'\n';
    own_line.then_some(blanks)
}

/// The word at byte `at`. Every character that is not ASCII is taken for a letter.
pub(super) fn word(text: &[u8], at: usize) -> Option<Span> {
    text.get(at).filter(|b| starts_word(**b))?;
    let rest = &text[at..];
    let length = rest.iter().position(|b| !continues_word(*b));
    Some(Span::new(at, at + length.unwrap_or(rest.len())))
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

pub(super) fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit() || byte == b'-'
}

/// Behind the closing quote of a label that starts at byte `at`, unless its line ends before.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    loop {
        match text.get(end)? {
            b'"' => return Some(end + 1),
            b'\n' => return None,
            b'\\' if text.get(end + 1) != Some(&b'\n') => end += 2,
            _ => end += 1,
        }
    }
}

/// The marker of the heredoc whose `<<` stands at byte `at`, and where its text starts.
pub(super) fn heredoc_start(text: &[u8], at: usize) -> Option<(Span, usize)> {
    let rest = text[at..].strip_prefix(b"<<")?;
    let dash = usize::from(rest.first() == Some(&b'-'));
    let marker = word(text, at + 2 + dash)?;
    match text[marker.end as usize..] {
        [b'\n', ..] => Some((marker, marker.end as usize + 1)),
        [b'\r', b'\n', ..] => Some((marker, marker.end as usize + 2)),
        _ => None,
    }
}

/// The first letter on the line that starts at byte `line`, when at most `indent` blanks stand
/// before it and it may start a word.
#[inline]
pub(super) fn indented_at_most(text: &[u8], line: usize, indent: usize) -> Option<usize> {
    let mut at = line;
    while at - line < indent && matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    text.get(at).filter(|b| starts_word(**b)).map(|_| at)
}

/// Whether `line` starts with a keyword of the top level and what must stand behind it.
pub(super) fn is_header(line: &[u8]) -> bool {
    let Some(word) = word(line, 0) else {
        return false;
    };
    let rest = trim_blanks(&line[word.range().end..]);
    let word = &line[word.range()];
    if BARE.contains(&word) {
        return rest.first() == Some(&b'{');
    }
    LABELLED.contains(&word)
        && match rest.first() {
            Some(b'"') => true,
            Some(b) => starts_word(*b) && brace_follows(rest),
            None => false,
        }
}

/// Whether `line` starts as a block or an attribute does.
pub(super) fn is_item(line: &[u8]) -> bool {
    let Some(word) = word(line, 0) else {
        return false;
    };
    match trim_blanks(&line[word.range().end..]) {
        [b'=', b'=' | b'>', ..] => false,
        [b'=', ..] => true,
        rest => brace_follows(rest),
    }
}

/// Whether nothing but labels stands between here and a `{` on the same line.
fn brace_follows(mut rest: &[u8]) -> bool {
    loop {
        let end = match rest.first() {
            Some(b'{') => return true,
            Some(b'"') => string_end(rest, 0),
            _ => word(rest, 0).map(|it| it.range().end),
        };
        match end {
            Some(end) => rest = trim_blanks(&rest[end..]),
            None => return false,
        }
    }
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().position(|b| !matches!(b, b' ' | b'\t'));
    &text[blanks.unwrap_or(text.len())..]
}
