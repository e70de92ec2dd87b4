//! A byte lexer for HCL that knows only what can hide a bracket: strings, templates, heredocs and
//! comments. It follows Terraform's scanner, and notes where a broken text could be taken up again.
//!
//! It keeps its own stack, so no input is too deep, and it never reads a byte twice but for a
//! heredoc that lost its end.

use memchr::{memchr, memchr3, memmem, memrchr};

use crate::text::Span;

use super::{Fault, header};

/// What hears of comments and lines while the lexer passes them.
pub(super) trait Notes {
    /// A comment, with its marks and without its line's end, and how many brackets are open.
    fn comment(&mut self, _span: Span, _depth: usize) {}

    /// The start of a line within brackets, outside of strings and heredocs.
    fn line(&mut self, _start: usize, _depth: usize) {}
}

impl Notes for () {}

/// Why the lexer stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Behind the bracket that closed the outermost one.
    Closed,
    /// Before a `\n` with no bracket open.
    LineEnd,
    /// Before a closing bracket with none open.
    Stray,
    /// At the end of the text, or where going on is of no use: what is open stays so.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paren,
    Square,
    Brace,
    /// `${` or `%{`.
    Template,
    Quote,
    Heredoc,
}

#[derive(Clone, Copy)]
struct Open {
    at: u32,
    kind: Kind,
}

struct Heredoc {
    /// Its place on the stack of what is open.
    frame: usize,
    marker: Span,
    /// Its first line that looks like the start of an item.
    lines: Candidates,
    /// Behind the marker on the first line that starts with it and goes on with something else.
    near: Option<usize>,
}

/// A place from which to go on should what is open never close.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// The line's start.
    pub line: usize,
    /// The innermost thing open there.
    open: Option<u32>,
}

/// The first lines that look like the start of something at the top level.
#[derive(Clone, Copy, Default)]
struct Candidates {
    /// A header, by its keyword.
    header: Option<Candidate>,
    /// Anything of a block's or an attribute's shape.
    item: Option<Candidate>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Newline,
    Quote,
    Open,
    Close,
    Hash,
    Slash,
    Less,
}

const CODE: [Class; 256] = {
    let mut table = [Class::Plain; 256];
    table[b'\n' as usize] = Class::Newline;
    table[b'"' as usize] = Class::Quote;
    table[b'(' as usize] = Class::Open;
    table[b'[' as usize] = Class::Open;
    table[b'{' as usize] = Class::Open;
    table[b')' as usize] = Class::Close;
    table[b']' as usize] = Class::Close;
    table[b'}' as usize] = Class::Close;
    table[b'#' as usize] = Class::Hash;
    table[b'/' as usize] = Class::Slash;
    table[b'<' as usize] = Class::Less;
    table
};

/// What a quoted string cannot pass over.
const QUOTED: [bool; 256] = {
    let mut table = [false; 256];
    table[b'\n' as usize] = true;
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[b'$' as usize] = true;
    table[b'%' as usize] = true;
    table
};

/// How a stretch of a quoted string ends.
enum Quoted {
    Closed,
    Template,
    Unclosed,
}

pub(super) struct Lexer<'a, N> {
    text: &'a [u8],
    /// The next byte to read.
    pub at: usize,
    /// What hears of comments.
    pub notes: N,
    /// The first thing that is wrong since [`Lexer::start`].
    pub fault: Option<Fault>,
    /// How many bytes may still be read in vain: the bound that keeps a text of nothing but broken
    /// blocks from being read once for each of them.
    pub spare: usize,
    /// Whether to stop at the first line that looks like a header.
    eager: bool,
    /// The indentation beyond which no line looks like a header, in bytes.
    pub indent: usize,
    candidates: Candidates,
    open: Vec<Open>,
    heredocs: Vec<Heredoc>,
    /// The last comments outside of brackets that follow each other with nothing but blanks between.
    comments: Span,
    /// The first `*/` at or behind a place: the place, and where it is.
    comment_end: (usize, Option<usize>),
}

impl<'a, N: Notes> Lexer<'a, N> {
    pub fn new(text: &'a [u8], at: usize, notes: N) -> Self {
        Self {
            text,
            at,
            notes,
            fault: None,
            spare: 16 * text.len(),
            eager: false,
            indent: 0,
            candidates: Candidates::default(),
            open: Vec::new(),
            heredocs: Vec::new(),
            comments: Span::at(0),
            comment_end: (usize::MAX, None),
        }
    }

    /// Forgets what was open and what was wrong; an item that is indented by `indent` bytes starts.
    pub fn start(&mut self, indent: usize, eager: bool) {
        self.fault = None;
        self.eager = eager;
        self.indent = indent;
        self.candidates = Candidates::default();
        self.open.clear();
        self.heredocs.clear();
    }

    /// The first line that looks like a header, of those within brackets.
    pub fn header_within(&self) -> Option<Candidate> {
        self.candidates.header
    }

    /// Where to go on, given that what is open will not close. Where the item's own lines are
    /// `indented` deeper than its start, whatever has an item's shape and is not is the next one.
    pub fn resume(&self, indented: bool) -> Option<Candidate> {
        let Candidates { header, item } = self.candidates;
        let mut heredocs = self.heredocs.iter().map(|it| it.lines);
        // an item is looked for up to the first header only
        let sure = if indented { item.or(header) } else { header };
        sure.or_else(|| heredocs.clone().find_map(|it| it.header))
            .or(item)
            .or_else(|| heredocs.find_map(|it| it.item))
    }

    /// The bracket or quote to blame when the item ends before `candidate`, or with the text.
    pub fn unclosed(&self, candidate: Option<Candidate>) -> Option<Fault> {
        let at = match candidate {
            Some(candidate) => candidate.open,
            None => self.open.last().map(|it| it.at),
        };
        at.map(|at| Fault::UnclosedBracket(Span::new(at as usize, at as usize + 1)))
    }

    /// Reads on until one of the [`Stop`]s.
    pub fn run(&mut self) -> Stop {
        loop {
            let stop = match self.open.last() {
                Some(Open {
                    kind: Kind::Quote,
                    at,
                }) => {
                    let at = *at as usize;
                    self.rest_of_string(at);
                    None
                }
                Some(Open {
                    kind: Kind::Heredoc,
                    ..
                }) => self.heredoc(),
                _ => self.code(),
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
    }

    /// Outside of strings and heredocs; `None` when a template is left.
    fn code(&mut self) -> Option<Stop> {
        loop {
            let rest = &self.text[self.at..];
            match rest.iter().position(|b| CODE[*b as usize] != Class::Plain) {
                Some(plain) => self.at += plain,
                None => {
                    self.at = self.text.len();
                    return self.end();
                }
            }
            let byte = self.text[self.at];
            match CODE[byte as usize] {
                Class::Plain => unreachable!("passed over above"),
                Class::Newline => {
                    if self.open.is_empty() {
                        return Some(Stop::LineEnd);
                    }
                    self.at += 1;
                    self.notes.line(self.at, self.open.len());
                    if !self.heredocs.is_empty() && self.ends_heredoc_in_template() {
                        continue;
                    }
                    if self.looks_at_line() {
                        return Some(Stop::End);
                    }
                }
                Class::Quote => {
                    let quote = self.at;
                    self.at += 1;
                    match self.quoted() {
                        Quoted::Closed => {}
                        Quoted::Template => {
                            self.push(quote, Kind::Quote);
                            self.push(self.at - 2, Kind::Template);
                        }
                        Quoted::Unclosed => self.unclosed_quote(quote),
                    }
                }
                Class::Open => {
                    let kind = match byte {
                        b'(' => Kind::Paren,
                        b'[' => Kind::Square,
                        _ => Kind::Brace,
                    };
                    self.push(self.at, kind);
                    self.at += 1;
                }
                Class::Close => match self.close(byte) {
                    Some(None) => {}
                    Some(stop) => return stop,
                    None => return None,
                },
                Class::Hash => self.line_comment(),
                Class::Slash => match self.text.get(self.at + 1) {
                    Some(b'/') => self.line_comment(),
                    Some(b'*') => match self.block_comment(self.at) {
                        Some(end) => {
                            self.comment(end);
                        }
                        None => {
                            let mark = Span::new(self.at, self.at + 2);
                            self.fault.get_or_insert(Fault::UnclosedComment(mark));
                            self.at = self.line_end(self.at);
                        }
                    },
                    _ => self.at += 1,
                },
                Class::Less => match header::heredoc_start(self.text, self.at) {
                    Some((marker, body)) => {
                        self.push(self.at, Kind::Heredoc);
                        self.heredocs.push(Heredoc {
                            frame: self.open.len() - 1,
                            marker,
                            lines: Candidates::default(),
                            near: None,
                        });
                        self.at = body;
                        return None;
                    }
                    None => self.at += 1,
                },
            }
        }
    }

    fn push(&mut self, at: usize, kind: Kind) {
        self.open.push(Open {
            at: at as u32,
            kind,
        });
    }

    /// A closing bracket: `None` when it ends a template, `Some(None)` to go on.
    ///
    /// A brace outranks the others: it closes what was left open within it, while `)` and `]`
    /// close nothing but their own. So a slip within one line stays there.
    fn close(&mut self, byte: u8) -> Option<Option<Stop>> {
        loop {
            let Some(&Open { at, kind }) = self.open.last() else {
                return Some(Some(Stop::Stray));
            };
            match (byte, kind) {
                (b'}', Kind::Brace) | (b')', Kind::Paren) | (b']', Kind::Square) => {
                    self.open.pop();
                    self.at += 1;
                    return Some(self.open.is_empty().then_some(Stop::Closed));
                }
                (b'}', Kind::Template) => {
                    self.open.pop();
                    self.at += 1;
                    return None;
                }
                (b'}', _) => {
                    self.open.pop();
                    let opener = Span::new(at as usize, at as usize + 1);
                    self.fault.get_or_insert(Fault::UnclosedBracket(opener));
                }
                _ => {
                    let closer = Span::new(self.at, self.at + 1);
                    self.fault.get_or_insert(Fault::UnmatchedBracket(closer));
                    self.at += 1;
                    return Some(None);
                }
            }
        }
    }

    /// Reads on within a quoted string, behind what ends the stretch unless that is a newline.
    fn quoted(&mut self) -> Quoted {
        loop {
            let rest = &self.text[self.at..];
            let Some(plain) = rest.iter().position(|b| QUOTED[*b as usize]) else {
                self.at = self.text.len();
                return Quoted::Unclosed;
            };
            self.at += plain;
            match rest[plain..] {
                [b'"', ..] => {
                    self.at += 1;
                    return Quoted::Closed;
                }
                [b'\n', ..] | [b'\\'] => return Quoted::Unclosed,
                [b'\\', b'\n', ..] => self.at += 1,
                [b'\\', _, ..] => self.at += 2,
                [_, b'{', ..] => {
                    self.at += 2;
                    return Quoted::Template;
                }
                [a, b, b'{', ..] if a == b => self.at += 3,
                _ => self.at += 1,
            }
        }
    }

    /// Goes on in the string that was opened at `quote`, behind a template in it.
    fn rest_of_string(&mut self, quote: usize) {
        match self.quoted() {
            Quoted::Closed => {
                self.open.pop();
            }
            Quoted::Template => self.push(self.at - 2, Kind::Template),
            Quoted::Unclosed => {
                self.open.pop();
                self.unclosed_quote(quote);
            }
        }
    }

    /// A string does not go on behind its line, and so neither does one within a template in it.
    fn unclosed_quote(&mut self, quote: usize) {
        let quoted = Span::new(quote, self.line_end(quote));
        self.fault.get_or_insert(Fault::UnclosedQuote(quoted));
        let line = memrchr(b'\n', &self.text[..self.at]).map_or(0, |it| it + 1);
        let here = self.open.iter().rposition(|it| (it.at as usize) < line);
        let here = here.map_or(0, |it| it + 1);
        if let Some(outermost) = self.open[here..]
            .iter()
            .position(|it| it.kind == Kind::Quote)
        {
            self.open.truncate(here + outermost);
        }
        // a backslash at the end of the text
        if self.at + 1 == self.text.len() && self.text[self.at] != b'\n' {
            self.at += 1;
        }
    }

    /// Within a heredoc's text: to its end, or behind the opening of a template.
    fn heredoc(&mut self) -> Option<Stop> {
        let index = self.heredocs.len() - 1;
        let marker = self.heredocs[index].marker;
        let marker = &self.text[marker.range()];
        loop {
            if self.at == 0 || self.text[self.at - 1] == b'\n' {
                let end =
                    memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |n| self.at + n);
                let line = &self.text[self.at..end];
                let content = line.trim_ascii();
                if content == marker {
                    self.at += line.trim_ascii_end().len();
                    self.pop_heredoc();
                    return None;
                }
                if let Some(lost) = self.heredoc_line(index, marker, content) {
                    return lost;
                }
            }
            match memchr3(b'\n', b'$', b'%', &self.text[self.at..]) {
                None => {
                    self.at = self.text.len();
                    return self.end();
                }
                Some(plain) => self.at += plain,
            }
            match self.text[self.at..] {
                [b'\n', ..] => self.at += 1,
                [_, b'{', ..] => {
                    self.push(self.at, Kind::Template);
                    self.at += 2;
                    return None;
                }
                [a, b, b'{', ..] if a == b => self.at += 3,
                _ => self.at += 1,
            }
        }
    }

    /// Looks at one line of a heredoc's text for signs that the heredoc's end was lost.
    ///
    /// Heredocs do hold code, headers and all. But one that opens a heredoc of the same name
    /// behind such a header would have been ended by that one's end.
    fn heredoc_line(
        &mut self,
        index: usize,
        marker: &[u8],
        content: &[u8],
    ) -> Option<Option<Stop>> {
        let depth = self.open.last().map(|it| it.at);
        let mut lines = self.heredocs[index].lines;
        if lines.header.is_some()
            && let Some(before) = content.strip_suffix(marker)
            && (before.ends_with(b"<<") || before.ends_with(b"<<-"))
        {
            return Some(self.end());
        }
        lines.look(self.text, self.at, self.indent, depth);
        let heredoc = &mut self.heredocs[index];
        heredoc.lines = lines;
        if heredoc.near.is_none()
            && lines.header.is_none()
            && let Some(rest) = content.strip_prefix(marker)
            && !rest.first().copied().is_some_and(header::continues_word)
        {
            let content = self.at + self.text[self.at..].len()
                - self.text[self.at..].trim_ascii_start().len();
            heredoc.near = Some(content + marker.len());
        }
        if self.spare == 0 && (heredoc.near.is_some() || lines.item.or(lines.header).is_some()) {
            return Some(self.end());
        }
        None
    }

    /// Within a template of a heredoc, a line that is the heredoc's end marker: the template was
    /// not closed.
    fn ends_heredoc_in_template(&mut self) -> bool {
        let Some(heredoc) = self.heredocs.last() else {
            return false;
        };
        let marker = &self.text[heredoc.marker.range()];
        let end = self.line_end(self.at);
        let line = &self.text[self.at..end];
        if line.trim_ascii() != marker {
            return false;
        }
        if let Some(template) = self.open.get(heredoc.frame + 1) {
            let opener = Span::new(template.at as usize, template.at as usize + 2);
            self.fault.get_or_insert(Fault::UnclosedBracket(opener));
        }
        self.at = end;
        self.pop_heredoc();
        true
    }

    fn pop_heredoc(&mut self) {
        if let Some(heredoc) = self.heredocs.pop() {
            self.open.truncate(heredoc.frame);
        }
    }

    /// Nothing that is open will close. A heredoc of which a line starts with the marker is taken
    /// to end there, and reading goes on; else it is over.
    fn end(&mut self) -> Option<Stop> {
        let Some(heredoc) = self.heredocs.first() else {
            return Some(Stop::End);
        };
        let frame = heredoc.frame;
        let start = Span::new(self.open[frame].at as usize, heredoc.marker.end as usize);
        match heredoc.near {
            None => {
                self.fault.get_or_insert(Fault::UnclosedHeredoc(start));
                Some(Stop::End)
            }
            Some(near) => {
                let end = Span::new(near - heredoc.marker.len(), near);
                self.fault.get_or_insert(Fault::HeredocEnd(end));
                self.spare = self.spare.saturating_sub(self.at.saturating_sub(near));
                self.at = near;
                self.open.truncate(frame);
                self.heredocs.clear();
                let before = |it: &Candidate| it.line < near;
                self.candidates.header = self.candidates.header.filter(before);
                self.candidates.item = self.candidates.item.filter(before);
                None
            }
        }
    }

    /// At the start of a line within brackets; whether to stop here.
    fn looks_at_line(&mut self) -> bool {
        let depth = self.open.last().map(|it| it.at);
        self.candidates.look(self.text, self.at, self.indent, depth);
        let Candidates { header, item } = self.candidates;
        let first = item.or(header);
        (self.eager && header.is_some()) || first.is_some_and(|it| self.at - it.line >= self.spare)
    }

    /// From `#` or `//` to the end of the line.
    fn line_comment(&mut self) {
        self.comment(self.line_end(self.at));
    }

    fn comment(&mut self, end: usize) {
        let span = Span::new(self.at, end);
        self.at = end;
        self.notes.comment(span, self.open.len());
        if self.open.is_empty() {
            let between = self.text.get(self.comments.range().end..span.range().start);
            let follows = between.is_some_and(|it| it.trim_ascii().is_empty());
            let start = if follows { self.comments } else { span }.start;
            self.comments = Span { start, ..span };
        }
    }

    /// Where the code before the next byte to read stops, but for blanks and comments.
    pub fn code_end(&self, floor: usize) -> usize {
        let comments = self.comments.range();
        let behind = self.text.get(comments.end..self.at);
        let end = match behind {
            Some(it) if comments.start >= floor && it.trim_ascii().is_empty() => comments.start,
            _ => self.at,
        };
        floor + self.text[floor..end].trim_ascii_end().len()
    }

    /// Whether a bracket, a string or a heredoc is open.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The end of the comment whose `/*` stands at byte `at`; `None` when it is not closed, or when
    /// that was the middle of a text whose quote is missing.
    pub fn block_comment(&mut self, at: usize) -> Option<usize> {
        let (from, end) = self.comment_end;
        let start = at + 2;
        if !(from <= start && end.is_none_or(|end| start <= end)) {
            let end = memmem::find(&self.text[start..], b"*/").map(|it| start + it);
            self.comment_end = (start, end);
        }
        let end = self.comment_end.1? + 2;
        (!self.swallows(at, end)).then_some(end)
    }

    /// Whether what looks like a comment from `at` to `end` began within a word, as in `sandbox/**`,
    /// and passes over a header. Any other comment goes to its first `*/`, whatever is in between:
    /// for Terraform it does.
    fn swallows(&self, at: usize, end: usize) -> bool {
        let joins = |b: &u8| !b.is_ascii_whitespace() && !b"{}[](),".contains(b);
        if !self.text[..at].last().is_some_and(joins) {
            return false;
        }
        let mut lines = memchr::memchr_iter(b'\n', &self.text[at..end]).map(|it| at + it + 1);
        lines.any(|line| {
            header::indented_at_most(self.text, line, self.indent)
                .is_some_and(|at| header::is_header(&self.text[at..]))
        })
    }

    /// The end of the line of byte `at`, before its `\n` or `\r\n`.
    pub fn line_end(&self, at: usize) -> usize {
        match memchr(b'\n', &self.text[at..]) {
            Some(0) => at,
            Some(length) if self.text[at + length - 1] == b'\r' => at + length - 1,
            Some(length) => at + length,
            None => self.text.len(),
        }
    }
}

impl Candidates {
    /// Takes note of the line that starts at `line` when it looks like the start of something.
    #[inline]
    fn look(&mut self, text: &[u8], line: usize, indent: usize, open: Option<u32>) {
        if self.header.is_none()
            && let Some(at) = header::indented_at_most(text, line, indent)
        {
            let candidate = Some(Candidate { line, open });
            if header::is_header(&text[at..]) {
                self.header = candidate;
            } else if self.item.is_none() && header::is_item(&text[at..]) {
                self.item = candidate;
            }
        }
    }
}
