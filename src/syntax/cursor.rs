//! What a cursor stands in, told from the text before it alone: text that is being typed closes
//! nothing, and has no tree.

use crate::text::Span;

use super::lexer::Lexer;
use super::{File, header};

/// Where a cursor stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// The brackets around it, the outermost first.
    pub around: Vec<Opened>,
    /// What stands before it in the item at hand.
    pub before: Vec<Word>,
    /// The word that it touches, or the text that it is in; an empty word where there is neither.
    pub word: Word,
}

/// A bracket that is open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opened {
    /// `(`, `[` or `{`.
    pub bracket: u8,
    /// What stands before it in its item.
    pub before: Vec<Word>,
}

/// A piece of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// What it is.
    pub kind: WordKind,
    /// Its bytes in the file; of a text, without quotes.
    pub span: Span,
}

/// What a [`Word`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordKind {
    /// A name without quotes.
    Name,
    /// A text in quotes, and whether they are closed.
    Text(bool),
    /// `=`, or the `:` that may stand in its place.
    Equals,
    /// Anything else.
    Other,
}

impl File {
    /// Where a cursor at byte `offset` stands. `None` within comments and heredocs.
    pub fn cursor(&self, offset: u32) -> Option<Cursor> {
        let offset = (offset as usize).min(self.source.text().len());
        // brackets that were not closed before do not reach into the next block; in what is behind
        // a block that is not closed, it goes on
        let before = self.index.started((offset as u32).saturating_sub(1));
        let item = before.checked_sub(1).filter(|_| offset > 0);
        let start = item.map_or(0, |it| self.index.span(it).range().start);
        Scan {
            text: self.source.text().as_bytes(),
            offset,
            around: Vec::new(),
            before: Vec::new(),
        }
        .run(start)
    }
}

struct Scan<'a> {
    text: &'a [u8],
    offset: usize,
    around: Vec<Opened>,
    before: Vec<Word>,
}

impl Scan<'_> {
    fn run(mut self, mut at: usize) -> Option<Cursor> {
        let mut lexer = Lexer::new(self.text, at, ());
        while at < self.text.len() && at <= self.offset {
            if let Some(name) = header::word(self.text, at) {
                at = name.range().end;
                if self.offset <= at {
                    return Some(self.stands_at(WordKind::Name, name));
                }
                self.push(WordKind::Name, name);
                continue;
            }
            // whatever else begins at the cursor is behind it
            if at == self.offset {
                break;
            }
            match self.text[at..] {
                [b' ' | b'\t' | b'\r', ..] => at += 1,
                [b'\n', ..] => {
                    if self.around.last().is_none_or(|it| it.bracket == b'{') {
                        self.before.clear();
                    }
                    at += 1;
                }
                [b',', ..] => {
                    self.before.clear();
                    at += 1;
                }
                [b'#', ..] | [b'/', b'/', ..] => {
                    at = lexer.line_end(at);
                    if self.offset <= at {
                        return None;
                    }
                }
                [b'/', b'*', ..] => {
                    at = lexer.block_comment(at)?;
                    if self.offset < at {
                        return None;
                    }
                }
                [b'"', ..] => {
                    let (inner, is_closed) = self.text_from(at + 1, lexer.line_end(at));
                    let kind = WordKind::Text(is_closed);
                    at = inner.range().end;
                    if self.offset <= at {
                        return Some(self.stands_at(kind, inner));
                    }
                    at += usize::from(is_closed);
                    self.push(kind, inner);
                }
                [b'<', ..] => match header::heredoc_start(self.text, at) {
                    Some((marker, body)) => {
                        let here = Span::new(at, body);
                        at = self.heredoc_end(marker, body)?;
                        if self.offset < at {
                            return None;
                        }
                        self.push(WordKind::Other, here);
                    }
                    None => at = self.push_byte(WordKind::Other, at),
                },
                [bracket @ (b'(' | b'[' | b'{'), ..] => {
                    let before = std::mem::take(&mut self.before);
                    self.around.push(Opened { bracket, before });
                    at += 1;
                }
                [b')' | b']' | b'}', ..] => {
                    if let Some(opened) = self.around.pop() {
                        self.before = opened.before;
                    }
                    at = self.push_byte(WordKind::Other, at);
                }
                [b'=' | b':', ..] => at = self.push_byte(WordKind::Equals, at),
                _ => at = self.push_byte(WordKind::Other, at),
            }
        }
        let here = Span::at(self.offset);
        let is_part = self
            .before
            .last()
            .is_some_and(|it| it.kind == WordKind::Other && it.span.range().end == self.offset);
        let kind = match is_part {
            true => WordKind::Other,
            false => WordKind::Name,
        };
        Some(self.stands_at(kind, here))
    }

    fn stands_at(self, kind: WordKind, span: Span) -> Cursor {
        Cursor {
            around: self.around,
            before: self.before,
            word: Word { kind, span },
        }
    }

    fn push(&mut self, kind: WordKind, span: Span) {
        self.before.push(Word { kind, span });
    }

    /// Pushes what stands in one byte; returns where the next begins.
    fn push_byte(&mut self, kind: WordKind, at: usize) -> usize {
        self.push(kind, Span::new(at, at + 1));
        at + 1
    }

    /// The text behind the quote before byte `start`, and whether it is closed before `line_end`.
    fn text_from(&self, start: usize, line_end: usize) -> (Span, bool) {
        let mut at = start;
        // quotes within `${ … }` are texts of their own
        let mut braces = 0;
        while at < line_end {
            match self.text[at..line_end] {
                [b'\\', _, ..] => at += 2,
                [b'$' | b'%', b'{', ..] => {
                    braces += 1;
                    at += 2;
                }
                [b'}', ..] if braces > 0 => {
                    braces -= 1;
                    at += 1;
                }
                [b'"', ..] if braces == 0 => return (Span::new(start, at), true),
                _ => at += 1,
            }
        }
        (Span::new(start, line_end), false)
    }

    /// Behind the line that holds a heredoc's marker alone.
    fn heredoc_end(&self, marker: Span, body: usize) -> Option<usize> {
        let marker = &self.text[marker.range()];
        let mut at = body;
        for line in self.text[body..].split_inclusive(|it| *it == b'\n') {
            if line.trim_ascii() == marker {
                return Some(at + line.trim_ascii_end().len());
            }
            at += line.len();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    /// What stands around and before a cursor at `|`, and the word there.
    fn at(text: &str) -> Option<(String, String)> {
        let offset = text.find('|').expect("a cursor");
        let source = Source::new(&text.replacen('|', "", 1));
        let cursor = File::split(source.clone()).cursor(offset as u32)?;
        let words = |it: &[Word]| {
            let words: Vec<_> = it.iter().map(|it| source.slice(it.span)).collect();
            words.join(" ")
        };
        let around = cursor.around.iter();
        let mut path: Vec<_> = around
            .map(|it| format!("{} {}", words(&it.before), it.bracket as char))
            .collect();
        path.push(words(&cursor.before));
        let word = source.slice(cursor.word.span).to_owned();
        Some((path.join(" "), word))
    }

    #[test]
    fn brackets_and_words_around_it() {
        for (text, path, word) in [
            ("|", "", ""),
            ("a|b", "", "ab"),
            ("a {\n  b|\n}\n", "a {", "b"),
            (
                "a \"x\" {\n  b = { c: [1, \"d|e\"",
                "a x { b = { c : [",
                "de",
            ),
            ("a {}\nb = |", "b =", ""),
            ("a {} |", "a }", ""),
            ("x = \"${f(\"y\")}|\" # \"", "x =", "${f(\"y\")}"),
            ("x = \"a\\\"|b\"", "x =", "a\\\"b"),
            ("x = <<E\n  {\nE\ny = |", "y =", ""),
            ("x = [\n  1,\n  |\n]", "x = [", ""),
            ("x = [\n  1\n  |\n]", "x = [ 1", ""),
            ("a {\n  b = \"c\n  d = |\n}", "a { d =", ""),
            ("a {\n  b = 1\n\nstates {\n  |", "states {", ""),
        ] {
            let expected = (path.to_owned(), word.to_owned());
            let at = at(text).map(|(path, word)| (path.trim().to_owned(), word));
            assert_eq!(at, Some(expected), "{text}");
        }
    }

    #[test]
    fn none_within_comments_and_heredocs() {
        for text in [
            "# a|",
            "a = 1 // |b\n",
            "/* | */",
            "/* |",
            "x = <<E\n  a|\nE\n",
            "x = <<E\n  a|",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
        assert!(at("|# a").is_some() && at("/* a */|").is_some());
    }

    #[test]
    fn it_touches_its_word_wherever_it_stands() {
        let text = "a \"é\\\" {\r\n  b = \"${\"é\"}\\é\" # é\n  c = <<-E\n é\n  E\n}}]\n\"\\";
        for end in 0..=text.len() {
            let Some(text) = text.get(..end) else {
                continue;
            };
            let file = File::split(Source::new(text));
            for (offset, _) in text.char_indices().chain([(end, ' ')]) {
                if let Some(cursor) = file.cursor(offset as u32) {
                    assert!(
                        cursor.word.span.touches(offset as u32),
                        "{offset} in {text}"
                    );
                    assert!(text.get(cursor.word.span.range()).is_some());
                }
            }
        }
    }
}
