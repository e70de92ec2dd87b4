//! Source text as it came from a disk or an editor: spans in bytes, positions in lines.
//!
//! Knows nothing of what the text says.

use std::sync::{Arc, OnceLock};

use line_index::{LineCol, LineIndex, TextSize, WideEncoding, WideLineCol};

/// A half-open range of **bytes** in one text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from byte `start` up to, not including, byte `end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The empty span before byte `offset`.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The same span, `by` bytes further on.
    pub fn shifted(self, by: u32) -> Self {
        Self {
            start: self.start + by,
            end: self.end + by,
        }
    }

    /// The bytes as a range to slice with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether a cursor at byte `offset` touches the span, its end included: an editor's cursor
    /// stands between two characters, so both edges belong to what it touches.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether all of `other` lies within.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// The unit in which a client counts characters within a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the protocol's default.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    fn wide(self) -> Option<WideEncoding> {
        match self {
            Encoding::Utf8 => None,
            Encoding::Utf16 => Some(WideEncoding::Utf16),
            Encoding::Utf32 => Some(WideEncoding::Utf32),
        }
    }
}

/// A place in a text: line and character count from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// Lines end at `\n`; a `\r` before it belongs to the line's end.
    pub line: u32,
    /// In the units of the [`Encoding`] that was asked for.
    pub character: u32,
}

/// What stands in for a byte that is not UTF-8, so that every span stays what it was in the file.
pub const REPLACEMENT: char = '\u{1a}';

/// Bytes that are no text at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotText {
    /// The file starts with a UTF-16 byte order mark, or every other byte of its start is zero.
    Utf16,
    /// The file is longer than 4 GiB, which is as far as a [`Span`] reaches.
    TooLong,
}

impl std::fmt::Display for NotText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NotText::Utf16 => "the file is UTF-16; save it as UTF-8",
            NotText::TooLong => "the file is longer than 4 GiB",
        })
    }
}

/// Whether these bytes look like UTF-16: a byte order mark, or zeros in alternate places.
pub fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
        || matches!(bytes, [a, 0, b, 0, ..] | [0, a, 0, b, ..] if *a != 0 && *b != 0)
}

/// One text, immutable and cheap to clone. Its line index is made when a position is first asked for:
/// of most files none ever is.
#[derive(Clone, Debug)]
pub struct Source {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: Box<str>,
    lines: OnceLock<Box<LineIndex>>,
    /// Whether a UTF-8 byte order mark stood before the text. It is no part of the text.
    bom: bool,
    /// Byte offsets at which [`REPLACEMENT`] stands for a byte that was not UTF-8.
    invalid: Box<[u32]>,
}

impl Source {
    /// The text of an open document, or of a fixture. A byte order mark at its start is kept apart.
    pub fn new(text: &str) -> Self {
        let (text, bom) = match text.strip_prefix('\u{feff}') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        Self::build(text.into(), bom, Box::default())
    }

    /// The text of a file. Bytes that are not UTF-8 become [`REPLACEMENT`], one for one: Terraform
    /// allows them in comments, and one of them must not blind us to the rest of the file.
    ///
    /// # Errors
    /// When the bytes are no text that could be read this way.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotText> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(NotText::TooLong);
        }
        if is_utf16(bytes) {
            return Err(NotText::Utf16);
        }
        let (bytes, bom) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => (rest, true),
            None => (bytes, false),
        };
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Ok(Self::build(text.into(), bom, Box::default()));
        }
        let mut text = String::with_capacity(bytes.len());
        let mut invalid = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for _ in chunk.invalid() {
                invalid.push(text.len() as u32);
                text.push(REPLACEMENT);
            }
        }
        Ok(Self::build(text.into(), bom, invalid.into()))
    }

    fn build(text: Box<str>, bom: bool, invalid: Box<[u32]>) -> Self {
        Self {
            inner: Arc::new(Inner {
                text,
                lines: OnceLock::new(),
                bom,
                invalid,
            }),
        }
    }

    /// Whether another source is the same in every byte.
    pub fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.inner, &other.inner);
        a.text == b.text && a.bom == b.bom && a.invalid == b.invalid
    }

    fn lines(&self) -> &LineIndex {
        let read = || Box::new(LineIndex::new(&self.inner.text));
        self.inner.lines.get_or_init(read)
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The text within `span`; empty where the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.inner.text.get(span.range()).unwrap_or_default()
    }

    /// Whether a byte order mark stood before the text.
    pub fn has_bom(&self) -> bool {
        self.inner.bom
    }

    /// Byte offsets of what was not UTF-8 in the file.
    pub fn invalid(&self) -> &[u32] {
        &self.inner.invalid
    }

    /// The position of byte `offset`, in units of `encoding`. An offset behind the end is the end.
    pub fn position(&self, offset: u32, encoding: Encoding) -> Position {
        let mut offset = (offset as usize).min(self.inner.text.len());
        while !self.inner.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let narrow = self.lines().line_col(TextSize::new(offset as u32));
        let character = encoding
            .wide()
            .and_then(|wide| self.lines().to_wide(wide, narrow))
            .map_or(narrow.col, |wide| wide.col);
        Position {
            line: narrow.line,
            character,
        }
    }

    /// The byte offset of `position`. A character behind the end of its line is the line's end
    /// (before `\r\n`), one within a surrogate pair or a multi-byte character is that character's
    /// start, and a line behind the last one is the end of the text.
    pub fn offset(&self, position: Position, encoding: Encoding) -> u32 {
        let text = &self.inner.text;
        let Some(range) = self.lines().line(position.line) else {
            return text.len() as u32;
        };
        let start = u32::from(range.start()) as usize;
        let line = &text[start..u32::from(range.end()) as usize];
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let column = match encoding.wide() {
            None => position.character,
            Some(wide) => {
                let at = WideLineCol {
                    line: position.line,
                    col: position.character,
                };
                self.lines()
                    .to_utf8(wide, at)
                    .map_or(position.character, |LineCol { col, .. }| col)
            }
        };
        let mut column = (column as usize).min(line.len());
        while !line.is_char_boundary(column) {
            column -= 1;
        }
        (start + column) as u32
    }

    /// Whether there is a line of this number, counted from 0. The cost is not the text's.
    pub fn has_line(&self, line: u32) -> bool {
        self.lines().line(line).is_some()
    }

    /// Number of lines; an empty text has one.
    pub fn line_count(&self) -> u32 {
        self.inner.text.bytes().filter(|b| *b == b'\n').count() as u32 + 1
    }

    /// The byte at which the line of byte `offset` starts.
    pub fn line_start(&self, offset: u32) -> u32 {
        let before = &self.inner.text.as_bytes()[..(offset as usize).min(self.inner.text.len())];
        memchr::memrchr(b'\n', before).map_or(0, |at| at as u32 + 1)
    }

    /// What of a span stands on the line on which it starts.
    pub fn first_line(&self, span: Span) -> Span {
        let line = self.slice(span).lines().next().unwrap_or_default();
        Span {
            start: span.start,
            end: span.start + line.len() as u32,
        }
    }

    /// The text's own line end: what its first line ends with.
    pub fn line_end(&self) -> &'static str {
        let text = self.inner.text.as_bytes();
        match memchr::memchr(b'\n', text) {
            Some(at) if at > 0 && text[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        }
    }
}

/// A text in which no control character can speak to a terminal, and none can make it look like
/// another by turning the direction of what follows.
pub fn visible(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let shown = |c: char| match c.is_control() || turns(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let shown = visible("a\u{1b}[31mb\u{202E}c\u{2066}d\n é日");
        assert_eq!(shown, r"a\u{1b}[31mb\u{202e}c\u{2066}d\n é日");
    }

    #[test]
    fn positions_count_in_the_units_of_the_client() {
        let source = Source::new("a = \"é😀x\"\r\nb\n");
        let x = source.text().find('x').unwrap() as u32;
        for (encoding, character) in [
            (Encoding::Utf8, 11),
            (Encoding::Utf16, 8),
            (Encoding::Utf32, 7),
        ] {
            let position = source.position(x, encoding);
            assert_eq!(position, Position { line: 0, character });
            assert_eq!(source.offset(position, encoding), x);
        }
    }

    #[test]
    fn a_position_outside_the_text_is_its_nearest_place() {
        let source = Source::new("ab\r\ncd");
        let at = |line, character| source.offset(Position { line, character }, Encoding::Utf16);
        assert_eq!(at(0, 99), 2, "before the carriage return");
        assert_eq!(at(1, 99), 6);
        assert_eq!(at(9, 0), 6);
        assert_eq!(source.position(99, Encoding::Utf16).line, 1);
        let surrogates = Source::new("😀");
        let inside = Position {
            line: 0,
            character: 1,
        };
        assert_eq!(surrogates.offset(inside, Encoding::Utf16), 0);
        assert_eq!(
            surrogates.position(2, Encoding::Utf16),
            Position::default(),
            "an offset within a character is that character's start"
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let source = Source::decode(b"\xef\xbb\xbfa").unwrap();
        assert!(source.has_bom());
        assert_eq!(source.position(0, Encoding::Utf16), Position::default());
        assert_eq!(source.text(), "a");
    }

    #[test]
    fn bytes_that_are_not_utf8_keep_their_places() {
        let source = Source::decode(b"# caf\xe9\nx = 1").unwrap();
        assert_eq!(source.text(), "# caf\u{1a}\nx = 1");
        assert_eq!(source.invalid(), [5]);
        assert_eq!(
            Source::decode(b"\xff\xfea\0").unwrap_err(),
            NotText::Utf16,
            "with a byte order mark"
        );
        assert_eq!(Source::decode(b"a\0b\0").unwrap_err(), NotText::Utf16);
    }
}
