//! JSON as a stream: a file of any size through a window of a fixed one.
//!
//! Of a value that is skipped, brackets, commas, colons, quotes, words and numbers are all proven;
//! only what its texts hold behind a backslash is not looked at, and whether it is UTF-8. A window
//! grows for nothing but a text that is read.
//!
//! Knows nothing of what it reads, nor of what is done with it.

use std::io::{self, Read};
use std::ops::Range;

use serde_json::Number;

use super::marks::{BLOCK, Marker, Tokens, has_escape};
use super::plain;
use crate::state::shared::Shared;

/// How much is read at once: what fits in the caches nearest to the processor.
const WINDOW: usize = 64 * 1024;

/// How deep what is read may be nested; what is skipped may be deeper.
const DEPTH: u32 = 128;

const CONTROL: &str = "control character (\\u0000-\\u001F) found while parsing a string";

/// Why reading ended early.
#[derive(Debug)]
pub(in crate::state) enum Fault {
    /// The file cannot be read.
    Io(io::Error),
    /// It ends before its JSON does.
    Ended,
    /// It is not JSON.
    Syntax {
        /// The byte that should not be there, counted from the start of the JSON.
        at: u64,
        /// What is wrong with it, without a word of the file.
        what: &'static str,
    },
}

impl Fault {
    /// The same of a file that does not start as a state does.
    pub fn at_the_start(self) -> Self {
        match self {
            Fault::Syntax { at, .. } => Fault::Syntax {
                at,
                what: "a state starts with `{`",
            },
            other => other,
        }
    }
}

/// A value that is neither list nor object nor null.
pub(in crate::state) enum Scalar<'a> {
    Text(&'a str),
    Number(Number),
    Bool(bool),
}

/// What starts at a place.
pub(super) enum Start {
    Null,
    Scalar,
    Object,
    List,
}

/// A file and how far it was read.
pub(in crate::state) struct Reader<'f> {
    file: &'f mut dyn Read,
    /// What comes again and again, for whoever makes something of what is read.
    pub(in crate::state) shared: Shared,
    window: Vec<u8>,
    /// Where the window starts in the JSON.
    before: u64,
    /// How much of the window is filled, and how much of that has its tokens known.
    filled: usize,
    marked: usize,
    marker: Marker,
    /// Where the tokens are in the window, in order, and which is next.
    tokens: Tokens,
    next: usize,
    /// Whether the file has no more bytes.
    ended: bool,
    depth: u32,
    /// What is entered while a value is skipped.
    open: Vec<bool>,
    /// A text that is not as it stands in the file.
    unescaped: String,
}

impl<'f> Reader<'f> {
    pub fn new(file: &'f mut dyn Read) -> Self {
        Self {
            file,
            shared: Shared::default(),
            window: vec![0; WINDOW],
            before: 0,
            filled: 0,
            marked: 0,
            marker: Marker::default(),
            tokens: Tokens::default(),
            next: 0,
            ended: false,
            depth: 0,
            open: Vec::new(),
            unescaped: String::new(),
        }
    }

    /// Reads more; of what was read, the window keeps what is from `kept` on. Returns whether there
    /// is another token.
    fn more(&mut self, kept: usize) -> Result<bool, Fault> {
        debug_assert_eq!(self.next, self.tokens.count);
        self.tokens.count = 0;
        self.next = 0;
        self.window.copy_within(kept..self.filled, 0);
        self.before += kept as u64;
        self.filled -= kept;
        self.marked -= kept;
        while self.tokens.count == 0 && !self.ended {
            if self.filled == self.window.len() {
                // all of it is one text that is read
                self.window.resize(self.window.len() * 2, 0);
            }
            match self.file.read(&mut self.window[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Io(error)),
            }
            self.mark();
        }
        Ok(self.tokens.count > 0)
    }

    /// Finds the tokens of what was read, as far as there are whole blocks.
    fn mark(&mut self) {
        let mut at = self.marked;
        let (blocks, rest) = self.window[at..self.filled].as_chunks::<BLOCK>();
        for block in blocks {
            self.tokens.push(at, self.marker.mark(*block));
            at += BLOCK;
        }
        if self.ended && !rest.is_empty() {
            let mut last = [b' '; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            self.tokens.push(at, self.marker.mark(last));
            at = self.filled;
        }
        self.marked = at;
    }

    /// The next token and its byte.
    #[inline]
    fn token(&mut self) -> Result<(usize, u8), Fault> {
        if self.next == self.tokens.count && !self.more(self.marked)? {
            return Err(Fault::Ended);
        }
        let at = self.tokens.at(self.next);
        self.next += 1;
        Ok((at, self.window[at]))
    }

    /// The byte of the next token, which stays the next; `None` at the end.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>, Fault> {
        if self.next == self.tokens.count && !self.more(self.marked)? {
            return Ok(None);
        }
        Ok(Some(self.window[self.tokens.at(self.next)]))
    }

    fn fault(&self, at: usize, what: &'static str) -> Fault {
        let what = match self.window[..self.filled].get(at) {
            Some(..b' ') => CONTROL,
            _ => what,
        };
        let at = self.before + at as u64;
        Fault::Syntax { at, what }
    }

    /// What starts at the next token. A null is passed over; of all else, nothing is.
    pub(super) fn start(&mut self) -> Result<Start, Fault> {
        Ok(match self.peek()?.ok_or(Fault::Ended)? {
            b'{' => Start::Object,
            b'[' => Start::List,
            b'n' => {
                let (at, _) = self.token()?;
                self.plain(at)?;
                Start::Null
            }
            _ => Start::Scalar,
        })
    }

    /// The scalar that starts at the next token.
    pub fn scalar(&mut self) -> Result<(Scalar<'_>, &mut Shared), Fault> {
        let (at, byte) = self.token()?;
        let scalar = match byte {
            b'"' => {
                let text = self.text_from(at)?;
                let Self {
                    window,
                    unescaped,
                    shared,
                    ..
                } = self;
                let text = match text {
                    Some(range) => std::str::from_utf8(&window[range]).unwrap_or_default(),
                    None => unescaped,
                };
                return Ok((Scalar::Text(text), shared));
            }
            b't' | b'f' => {
                self.plain(at)?;
                Scalar::Bool(byte == b't')
            }
            _ => {
                let range = self.plain(at)?;
                let number = serde_json::from_slice(&self.window[range.clone()]);
                let number = number.map_err(|_| self.fault(range.start, "number out of range"))?;
                Scalar::Number(number)
            }
        };
        Ok((scalar, &mut self.shared))
    }

    /// Where the text is whose quote was just passed; `None` when its escapes had to be read, and it
    /// is in [`Self::unescaped`].
    fn text_from(&mut self, quote: usize) -> Result<Option<Range<usize>>, Fault> {
        let mut start = quote;
        if self.next == self.tokens.count {
            start = 0;
            self.more(quote)?;
        }
        let end = match self.next < self.tokens.count {
            true => self.tokens.at(self.next),
            false if self.marker.is_in_text() => return Err(Fault::Ended),
            false => self.filled,
        };
        let range = self.within(start, end)?;
        if has_escape(&self.window[range.start..], range.len()) {
            self.unescape(range)?;
            return Ok(None);
        }
        match std::str::from_utf8(&self.window[range.clone()]) {
            Ok(_) => Ok(Some(range)),
            Err(error) => {
                let at = range.start + error.valid_up_to();
                Err(self.fault(at, "invalid unicode code point"))
            }
        }
    }

    /// What stands between the quote that starts a text and the one before the token behind it.
    #[inline]
    fn within(&self, quote: usize, next: usize) -> Result<Range<usize>, Fault> {
        let mut end = next - 1;
        while matches!(self.window[end], b' ' | b'\n' | b'\r' | b'\t') {
            end -= 1;
        }
        match self.window[end] {
            b'"' if end > quote => Ok(quote + 1..end),
            _ => Err(self.fault(next, CONTROL)),
        }
    }

    /// Reads the text between two quotes as what its escapes stand for.
    fn unescape(&mut self, text: Range<usize>) -> Result<(), Fault> {
        match serde_json::from_slice(&self.window[text.start - 1..=text.end]) {
            Ok(text) => self.unescaped = text,
            Err(_) => return Err(self.fault(text.start, "invalid escape or invalid UTF-8")),
        }
        Ok(())
    }

    /// Proves the number or the word whose first byte was just passed.
    #[inline]
    fn plain(&mut self, first: usize) -> Result<Range<usize>, Fault> {
        if self.next < self.tokens.count {
            let end = self.tokens.at(self.next);
            // what most of them are
            if let Some([b'n', b'u', b'l', b'l', b',' | b'\n']) =
                self.window[first..end + 1].first_chunk()
            {
                return Ok(first..first + 4);
            }
            return self.proven(first, end);
        }
        // what is wrong already is not read to its end, which may be far
        let here = first..self.marked;
        if let Err((at, what)) = plain::length(&self.window[here.clone()])
            && at < here.len()
        {
            return Err(self.fault(first + at, what));
        }
        self.more(first)?;
        let end = match self.next < self.tokens.count {
            true => self.tokens.at(self.next),
            false => self.filled,
        };
        self.proven(0, end)
    }

    /// The number or the word that alone may stand in these bytes, with spaces behind it.
    fn proven(&self, start: usize, end: usize) -> Result<Range<usize>, Fault> {
        match plain::length(&self.window[start..end]) {
            Ok(length) => Ok(start..start + length),
            Err((at, _)) if start + at == end && end == self.filled => Err(Fault::Ended),
            Err((at, what)) => Err(self.fault(start + at, what)),
        }
    }

    /// Enters what starts with the next token, unless it is empty.
    fn enter(&mut self, end: u8) -> Result<bool, Fault> {
        let (at, _) = self.token()?;
        if self.depth == DEPTH {
            return Err(self.fault(at, "recursion limit exceeded"));
        }
        if self.peek()? == Some(end) {
            self.token()?;
            return Ok(false);
        }
        self.depth += 1;
        Ok(true)
    }

    /// Whether another entry follows; leaves at the end.
    #[inline]
    fn follows(&mut self, end: u8, what: &'static str) -> Result<bool, Fault> {
        match self.token()? {
            (_, b',') => Ok(true),
            (_, byte) if byte == end => {
                self.depth -= 1;
                Ok(false)
            }
            (at, _) => Err(self.fault(at, what)),
        }
    }

    /// Calls for each entry of the list that starts with the next token; the call reads the entry.
    pub fn list(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut goes_on = self.enter(b']')?;
        while goes_on {
            entry(self)?;
            goes_on = self.follows(b']', "expected `,` or `]`")?;
        }
        Ok(())
    }

    /// Enters the object that starts with the next token. Returns whether it has a key.
    pub fn enter_object(&mut self) -> Result<bool, Fault> {
        self.enter(b'}')
    }

    /// Whether the object has another key; leaves it at its end.
    pub fn has_key(&mut self) -> Result<bool, Fault> {
        self.follows(b'}', "expected `,` or `}`")
    }

    /// The next key, in bytes: most are compared once and thrown away, which needs no valid text.
    #[inline]
    pub fn key(&mut self) -> Result<&[u8], Fault> {
        let (mut start, byte) = self.token()?;
        if byte != b'"' {
            return Err(self.fault(start, "key must be a string"));
        }
        if self.next == self.tokens.count {
            // what follows must not push the key out of the window
            self.more(start)?;
            start = 0;
        }
        let colon = self.colon()?;
        let key = self.within(start, colon)?;
        if has_escape(&self.window[key.start..], key.len()) {
            self.unescape(key)?;
            return Ok(self.unescaped.as_bytes());
        }
        Ok(&self.window[key])
    }

    #[inline]
    fn colon(&mut self) -> Result<usize, Fault> {
        match self.token()? {
            (at, b':') => Ok(at),
            (at, _) => Err(self.fault(at, "expected `:`")),
        }
    }

    /// Passes over a key, and the colon behind it.
    #[inline]
    fn skip_key(&mut self) -> Result<(), Fault> {
        match self.token()? {
            (_, b'"') => self.colon().map(|_| ()),
            (at, _) => Err(self.fault(at, "key must be a string")),
        }
    }

    /// Passes over the value that starts with the next token, however deep it is nested.
    #[inline]
    pub fn skip(&mut self) -> Result<(), Fault> {
        let (at, byte) = self.token()?;
        match byte {
            b'"' => Ok(()),
            b'{' | b'[' => {
                self.next -= 1;
                self.skip_nested()
            }
            _ => self.plain(at).map(|_| ()),
        }
    }

    fn skip_nested(&mut self) -> Result<(), Fault> {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        let skipped = self.skip_within(&mut open);
        self.open = open;
        skipped
    }

    /// Passes over a value. `open` has, of each object or list that is entered, innermost last,
    /// whether it is an object.
    fn skip_within(&mut self, open: &mut Vec<bool>) -> Result<(), Fault> {
        loop {
            let (at, byte) = self.token()?;
            match byte {
                b'"' => {}
                b'{' if self.peek()? != Some(b'}') => {
                    open.push(true);
                    self.skip_key()?;
                    continue;
                }
                b'[' if self.peek()? != Some(b']') => {
                    open.push(false);
                    continue;
                }
                b'{' | b'[' => _ = self.token()?,
                _ => _ = self.plain(at)?,
            }
            loop {
                let Some(is_object) = open.last() else {
                    return Ok(());
                };
                match (self.token()?, is_object) {
                    ((_, b','), true) => self.skip_key()?,
                    ((_, b','), false) => {}
                    ((_, b'}'), true) | ((_, b']'), false) => {
                        open.pop();
                        continue;
                    }
                    ((at, _), true) => return Err(self.fault(at, "expected `,` or `}`")),
                    ((at, _), false) => return Err(self.fault(at, "expected `,` or `]`")),
                }
                break;
            }
        }
    }

    /// Passes over the value that starts with the next token. Returns whether it is null.
    pub fn skip_null(&mut self) -> Result<bool, Fault> {
        let is_null = self.peek()? == Some(b'n');
        self.skip().map(|()| is_null)
    }

    /// Proves that nothing follows.
    pub fn end(&mut self) -> Result<(), Fault> {
        match self.peek()? {
            None if self.marker.is_in_text() => Err(Fault::Ended),
            None => Ok(()),
            Some(_) => Err(self.fault(self.tokens.at(self.next), "trailing characters")),
        }
    }
}
