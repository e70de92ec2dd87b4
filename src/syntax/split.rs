//! Cuts a text into top-level chunks, broken ones included.

use memchr::{memchr, memmem, memrchr};

use crate::text::{Source, Span};

use super::header::{self, Head, Next};
use super::lexer::{Lexer, Stop};
use super::{Block, Chunk, Fault, Kind, parse};

/// The chunks of `source`: every byte in exactly one of them, in order.
pub(super) fn split(source: &Source) -> Vec<Chunk> {
    let text = source.text();
    let mut splitter = Splitter {
        source,
        text: text.as_bytes(),
        lexer: Lexer::new(text.as_bytes(), 0, ()),
        chunks: Vec::new(),
        settled: 0,
    };
    loop {
        splitter.space();
        if splitter.lexer.at == text.len() {
            return splitter.chunks;
        }
        splitter.item();
    }
}

struct Splitter<'a> {
    source: &'a Source,
    text: &'a [u8],
    lexer: Lexer<'a, ()>,
    chunks: Vec<Chunk>,
    /// How many chunks a closing bracket too many is not given back to.
    settled: usize,
}

impl Splitter<'_> {
    fn push(&mut self, start: usize, kind: Kind) {
        let span = Span::new(start, self.lexer.at);
        self.chunks.push(Chunk { span, kind });
    }

    /// Blanks and comments.
    fn space(&mut self) {
        let start = self.lexer.at;
        self.lexer.start(0, false);
        loop {
            match self.text[self.lexer.at..] {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.lexer.at += 1,
                [b'#', ..] | [b'/', b'/', ..] => {
                    self.lexer.at = self.lexer.line_end(self.lexer.at);
                }
                [b'/', b'*', ..] => match self.lexer.block_comment(self.lexer.at) {
                    Some(end) => self.lexer.at = end,
                    None => break,
                },
                _ => break,
            }
        }
        if start < self.lexer.at {
            self.push(start, Kind::Space);
        }
    }

    fn item(&mut self) {
        let start = self.lexer.at;
        let own = header::indent(self.text, start);
        let indent = own.unwrap_or(0);
        let crowded = own.is_none() && self.follows_an_item(start);
        self.lexer.start(indent, false);
        let lexer = &mut self.lexer;
        match header::read(self.text, start, |at| lexer.block_comment(at)) {
            Some(head) => match head.next {
                Next::Brace(brace) => self.block(head, brace, indent, crowded),
                Next::Equals => self.attribute(head.word, indent, crowded),
                Next::Other(fault) => self.junk(Some((head, fault)), indent),
            },
            None => self.junk(None, indent),
        }
    }

    /// Whether what ends before `start` on the same line is a block or an attribute.
    fn follows_an_item(&self, start: usize) -> bool {
        let last = self.chunks.iter().rev().find(|it| it.kind != Kind::Space);
        last.is_some_and(|it| {
            !matches!(it.kind, Kind::Unreadable(_))
                && memchr(b'\n', &self.text[it.span.range().end..start]).is_none()
        })
    }

    fn block(&mut self, head: Head, brace: usize, indent: usize, crowded: bool) {
        let start = self.lexer.at;
        self.lexer.start(indent, false);
        self.lexer.at = brace;
        let closed = self.lexer.run() == Stop::Closed;
        let whole = closed && (self.lexer.header_within().is_none() || self.parses(start));
        if !whole {
            self.cut(brace + 1);
            self.cut_at_any_indentation(brace, brace + 1);
        }
        let end = self.lexer.at - usize::from(whole);
        let crowded = crowded.then_some(Fault::SameLine(head.span));
        let block = Block {
            keyword: head.word,
            labels: head.labels,
            header: head.span,
            body: Some(Span::new(brace + 1, end)),
            fault: self.lexer.fault.or(crowded),
        };
        self.push(start, Kind::Block(block));
    }

    /// Whether the parser reads what was lexed from `start` as it stands.
    fn parses(&mut self, start: usize) -> bool {
        let span = Span::new(start, self.lexer.at);
        // parsing costs about ten times what lexing does
        self.lexer.spare = self.lexer.spare.saturating_sub(10 * span.len());
        parse::is_sound(self.source.slice(span))
    }

    /// Ends an item that does not close before the next line that looks like one, or with the text.
    fn cut(&mut self, floor: usize) {
        let resume = self.lexer.resume(self.is_indented(floor));
        let fault = self.lexer.unclosed(resume);
        if self.lexer.fault.is_none() {
            self.lexer.fault = fault;
        }
        let end = resume.map_or(self.text.len(), |it| it.line.max(floor));
        self.lexer.spare = self
            .lexer
            .spare
            .saturating_sub(self.lexer.at.saturating_sub(end));
        self.lexer.at = self.code_end(floor, end);
    }

    /// Looks once more at what was cut, from byte `from` on: the first header in it is the next item,
    /// however deep it is indented.
    fn cut_at_any_indentation(&mut self, from: usize, floor: usize) {
        let mut lexer = Lexer::new(&self.text[..self.lexer.at], from.min(self.lexer.at), ());
        lexer.start(usize::MAX, true);
        lexer.run();
        if let Some(header) = lexer.header_within() {
            self.lexer.at = self.code_end(floor, header.line.max(floor));
        }
    }

    /// Whether the first line behind that of byte `at` is indented deeper than the item that is read.
    fn is_indented(&self, at: usize) -> bool {
        let rest = &self.text[self.lexer.line_end(at)..];
        let code = rest.len() - rest.trim_ascii_start().len();
        let blanks = rest[..code].iter().rev();
        blanks.take_while(|b| matches!(b, b' ' | b'\t')).count() > self.lexer.indent
    }

    /// Where the code before `end` stops, `floor` at the least: blanks and comments on lines of
    /// their own belong to what follows.
    fn code_end(&self, floor: usize, mut end: usize) -> usize {
        loop {
            let code = self.text[floor..end].trim_ascii_end();
            end = floor + code.len();
            let Some(line) = memrchr(b'\n', code) else {
                return end;
            };
            let content = code[line..].trim_ascii_start();
            if content.starts_with(b"#") || content.starts_with(b"//") {
                end = floor + line;
            } else if let Some(inner) = code.strip_suffix(b"*/")
                && let Some(open) = memmem::rfind(inner, b"/*")
                && memmem::find(&inner[open..], b"*/").is_none()
                && let Some(line) = memrchr(b'\n', &inner[..open])
                && inner[line..open].trim_ascii().is_empty()
            {
                end = floor + line;
            } else {
                return end;
            }
        }
    }

    fn attribute(&mut self, name: Span, indent: usize, crowded: bool) {
        let start = self.lexer.at;
        let floor = name.range().end + 1;
        self.lexer.start(indent, false);
        let stop = loop {
            match self.lexer.run() {
                Stop::Closed => {}
                stop => break stop,
            }
        };
        if self.lexer.header_within().is_some() || (stop == Stop::End && self.lexer.is_open()) {
            self.cut(floor);
        } else {
            self.lexer.at = self.lexer.code_end(floor);
        }
        let crowded = crowded.then_some(Fault::SameLine(name));
        let kind = match self.lexer.fault.or(crowded) {
            None => Kind::Attribute { name },
            Some(fault) => Kind::Unreadable(fault),
        };
        self.push(start, kind);
    }

    /// What is neither a block nor an attribute, up to the next line that looks like one, or to the
    /// bracket that closes what a broken header would have opened.
    fn junk(&mut self, head: Option<(Head, Fault)>, indent: usize) {
        let start = self.lexer.at;
        self.lexer.start(indent, true);
        let mut stray = None;
        loop {
            let from = self.lexer.at;
            match self.lexer.run() {
                Stop::Closed => {}
                Stop::Stray => {
                    let at = self.lexer.at;
                    self.lexer.at += 1;
                    let closer = Fault::UnmatchedBracket(Span::new(at, at + 1));
                    if at == start {
                        self.lexer.fault = Some(closer);
                    }
                    let line = memrchr(b'\n', &self.text[..at]).map_or(0, |it| it + 1);
                    if at - line <= indent && self.text[line..at].trim_ascii().is_empty() {
                        stray = Some(closer);
                        break;
                    }
                }
                Stop::LineEnd => {
                    self.lexer.at += 1;
                    if self.starts_item(self.lexer.at, indent) {
                        self.lexer.at = self.code_end(start + 1, self.lexer.at);
                        break;
                    }
                }
                Stop::End => {
                    self.cut(start + 1);
                    self.cut_at_any_indentation(from, start + 1);
                    break;
                }
            }
        }
        let fault = self.lexer.fault;
        let kind = match head {
            Some((head, fault)) if header::is_header(&self.text[start..]) => Kind::Block(Block {
                keyword: head.word,
                labels: head.labels,
                header: head.span,
                body: None,
                fault: Some(fault),
            }),
            Some((_, missing)) => Kind::Unreadable(fault.unwrap_or(missing)),
            None => Kind::Unreadable(fault.unwrap_or_else(|| {
                let end = self.lexer.line_end(start).min(self.lexer.at);
                Fault::Unexpected(Span::new(start, end))
            })),
        };
        self.push(start, kind);
        if let Some(stray) = stray {
            self.give_back(stray);
        }
    }

    /// Whether the line that starts at byte `line` starts an item: surely, by its keyword, or
    /// probably, by its shape, where it is indented no deeper than what is given up for it.
    fn starts_item(&self, line: usize, indent: usize) -> bool {
        header::indented_at_most(self.text, line, usize::MAX).is_some_and(|at| {
            header::is_header(&self.text[at..])
                || at - line <= indent && header::is_item(&self.text[at..])
        })
    }

    /// A closing bracket too many: the block before it ended too early, unless its own brace stands
    /// where it should, and what is indented between the two was meant to be in that block.
    fn give_back(&mut self, stray: Fault) {
        let mut inner = false;
        // what one bracket looked at, the next need not
        let settled = std::mem::replace(&mut self.settled, self.chunks.len());
        for index in (settled..self.chunks.len()).rev() {
            let Chunk { span, kind } = &self.chunks[index];
            let at = span.range().start;
            if *kind == Kind::Space {
                continue;
            }
            let indented = at > 0 && self.text[at - 1] != b'\n';
            if indented && !header::is_header(&self.text[at..]) {
                inner = true;
                continue;
            }
            // the stray bracket itself
            if index + 1 == self.chunks.len() && span.len() == 1 {
                continue;
            }
            let end = self.lexer.at;
            if let (true, false, Kind::Block(Block { body: Some(_), .. })) = (inner, indented, kind)
                && self.ended_early(*span)
            {
                self.chunks.truncate(index + 1);
                self.settled = index + 1;
                let chunk = &mut self.chunks[index];
                chunk.span.end = end as u32;
                if let Kind::Block(block) = &mut chunk.kind {
                    block.fault.get_or_insert(stray);
                    if let Some(body) = &mut block.body {
                        body.end = end as u32 - 1;
                    }
                }
            }
            return;
        }
    }

    /// Whether the block at the left margin that fills `span` ends elsewhere than with a brace at the
    /// margin. Of a block on one line nobody can say, so a blank line or a comment behind it is
    /// taken for its end.
    fn ended_early(&self, span: Span) -> bool {
        let (block, behind) = (&self.text[span.range()], &self.text[span.range().end..]);
        if memchr(b'\n', block).is_some() {
            return !block.ends_with(b"\n}");
        }
        let next = behind.trim_ascii_start();
        let blanks = &behind[..behind.len() - next.len()];
        blanks.iter().filter(|b| **b == b'\n').count() == 1
            && !(next.starts_with(b"#") || next.starts_with(b"/"))
    }
}
