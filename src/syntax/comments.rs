//! Where the comments of a file stand, seen from its blocks.

use crate::text::Span;

use super::lexer::{Lexer, Notes, Stop};
use super::{BlockId, File, header};

/// One comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comment {
    /// With its marks, without its line's end, in bytes of the file.
    pub span: Span,
    /// Where it stands.
    pub place: Place,
}

/// Where a comment stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the run of whole-line comments directly above the block's keyword. A blank line ends the
    /// run.
    Above(BlockId),
    /// At the end of the line on which the block's `{` stands.
    HeaderLine(BlockId),
    /// Directly in the block's body: on a line of its own, or beside an attribute.
    Body(BlockId),
    /// Elsewhere inside of the block: in a nested block, in a value's brackets, between the words of
    /// a header, or behind the closing brace of a block of several lines.
    Within(BlockId),
    /// Anywhere else.
    Elsewhere,
}

impl Place {
    /// The block to which it belongs.
    pub fn block(self) -> Option<BlockId> {
        match self {
            Place::Above(id) | Place::HeaderLine(id) | Place::Body(id) | Place::Within(id) => {
                Some(id)
            }
            Place::Elsewhere => None,
        }
    }
}

impl File {
    /// Every comment of the file, in order. Reads the text again.
    pub fn comments(&self) -> Vec<Comment> {
        let mut found = Vec::new();
        for at in 0..self.index.len() {
            self.in_space(at, false, &mut found);
            match self.index.block(at) {
                Some((_, body, _)) => self.in_block(BlockId(at as u32), body, &mut found),
                None => {
                    let spans = self.spans(self.index.span(at), false);
                    found.extend(spans.into_iter().map(|span| Comment {
                        span,
                        place: Place::Elsewhere,
                    }));
                }
            }
        }
        self.in_space(self.index.len(), false, &mut found);
        found
    }

    /// The comments that belong to one block, in order. Reads the block, the space above it and the
    /// rest of its last line again.
    pub fn comments_of(&self, id: BlockId) -> Vec<Comment> {
        let mut found = Vec::new();
        let at = id.index();
        self.in_space(at, false, &mut found);
        if let Some((_, body, _)) = self.index.block(at) {
            self.in_block(id, body, &mut found);
        }
        self.in_space(at + 1, true, &mut found);
        found.retain(|it| it.place.block() == Some(id));
        found
    }

    /// The comments within a chunk that is no block, or those on its first line.
    fn spans(&self, within: Span, first_line: bool) -> Vec<Span> {
        let text = &self.source.text().as_bytes()[..within.range().end];
        let mut lexer = Lexer::new(text, within.range().start, Plain::default());
        loop {
            match lexer.run() {
                Stop::Closed => {}
                Stop::LineEnd if first_line => break,
                Stop::LineEnd | Stop::Stray => lexer.at += 1,
                Stop::End => break,
            }
        }
        lexer.notes.0
    }

    /// The comments of the space before the item at `at`: behind the block before it, or above the
    /// one behind.
    fn in_space(&self, at: usize, first_line: bool, found: &mut Vec<Comment>) {
        let space = self.index.space(&self.source, at);
        if space.is_empty() {
            return;
        }
        let comments = self.spans(space, first_line);
        let lines = |from: u32, to: u32| {
            let between = self.source.slice(Span {
                start: from,
                end: to,
            });
            between.bytes().filter(|b| *b == b'\n').count()
        };
        let first = found.len();
        found.extend(comments.iter().map(|span| Comment {
            span: *span,
            place: Place::Elsewhere,
        }));
        // from the end of the block before, along its last line
        let before = at.checked_sub(1).and_then(|it| self.index.block(it));
        if let Some((span, body, _)) = before {
            let id = BlockId(at as u32 - 1);
            let brace = body.map_or(span.end, |it| it.start);
            for comment in &mut found[first..] {
                if lines(span.end, comment.span.start) > 0 {
                    break;
                }
                comment.place = match body {
                    Some(_) if lines(brace, comment.span.start) == 0 => Place::HeaderLine(id),
                    _ => Place::Within(id),
                };
            }
        }
        // from the keyword of the block behind, upward line by line
        if let Some((block, ..)) = self.index.block(at) {
            let id = BlockId(at as u32);
            let mut below = comments.len();
            let mut edge = block.start;
            // a comment before the keyword on its line is not above it
            while below > 0 && lines(comments[below - 1].start, edge) == 0 {
                below -= 1;
                edge = comments[below].start;
            }
            while below > 0 && lines(comments[below - 1].end, edge) == 1 {
                let mut line = below - 1;
                while line > 0 && lines(comments[line - 1].end, comments[line].start) == 0 {
                    line -= 1;
                }
                let from = match line {
                    0 => space.start,
                    _ => comments[line - 1].end,
                };
                if from > 0 && lines(from, comments[line].start) == 0 {
                    break;
                }
                for comment in &mut found[first + line..first + below] {
                    comment.place = Place::Above(id);
                }
                below = line;
                edge = comments[line].start;
            }
        }
    }

    /// The comments of a block, from its keyword to its closing brace.
    fn in_block(&self, id: BlockId, body: Option<Span>, found: &mut Vec<Comment>) {
        let span = self.block_span(id).range();
        let within = |span| Comment {
            span,
            place: Place::Within(id),
        };
        let Some(body) = body else {
            let spans = self.spans(self.block_span(id), false);
            found.extend(spans.into_iter().map(within));
            return;
        };
        let brace = body.start as usize - 1;
        let header = self.spans(Span::new(span.start, brace), false);
        found.extend(header.into_iter().map(within));
        let text = &self.source.text().as_bytes()[..span.end];
        let notes = Body {
            text,
            id,
            header_line: Some(brace + 1),
            statement: brace + 1,
            found: std::mem::take(found),
        };
        let mut lexer = Lexer::new(text, brace, notes);
        // a block that was given what stands behind its first closing brace goes on there
        loop {
            match lexer.run() {
                Stop::End => break,
                Stop::Closed => {}
                Stop::LineEnd | Stop::Stray => lexer.at += 1,
            }
        }
        *found = lexer.notes.found;
    }
}

#[derive(Default)]
struct Plain(Vec<Span>);

impl Notes for Plain {
    fn comment(&mut self, span: Span, _depth: usize) {
        self.0.push(span);
    }
}

/// Places the comments of a block's body while the lexer passes them.
struct Body<'a> {
    text: &'a [u8],
    id: BlockId,
    /// Behind the `{`, and behind the comments that follow it on its line.
    header_line: Option<usize>,
    /// Where the current statement of the body starts, but for blanks and comments before it.
    statement: usize,
    found: Vec<Comment>,
}

impl Notes for Body<'_> {
    fn line(&mut self, start: usize, depth: usize) {
        if depth == 1 {
            self.statement = start;
        }
    }

    fn comment(&mut self, span: Span, depth: usize) {
        let place = if depth > 1 {
            Place::Within(self.id)
        } else if self.ends_header_line(span) {
            Place::HeaderLine(self.id)
        } else if self.stands_in_body(span) {
            Place::Body(self.id)
        } else {
            Place::Within(self.id)
        };
        self.found.push(Comment { span, place });
    }
}

impl Body<'_> {
    fn ends_header_line(&mut self, span: Span) -> bool {
        let Some(from) = self.header_line else {
            return false;
        };
        let on_it = self.text[from..span.range().start]
            .iter()
            .all(|b| matches!(b, b' ' | b'\t'));
        let several = self.text[span.range()].contains(&b'\n');
        self.header_line = (on_it && !several).then_some(span.range().end);
        on_it && {
            let behind = self.text[span.range().end..].iter();
            let mut behind = behind.skip_while(|b| matches!(b, b' ' | b'\t' | b'\r'));
            matches!(behind.next(), Some(b'\n' | b'#' | b'/'))
        }
    }

    /// Whether a comment outside of the body's inner brackets stands on a line of its own or beside
    /// an attribute, and not beside a nested block.
    fn stands_in_body(&mut self, span: Span) -> bool {
        let before = &self.text[self.statement..span.range().start];
        let blanks = before.len() - before.trim_ascii_start().len();
        if blanks == before.len() {
            self.statement = span.range().end;
            return true;
        }
        let name = header::word(self.text, self.statement + blanks);
        name.is_some_and(|it| {
            let behind = &self.text[it.range().end..span.range().start];
            behind.trim_ascii_start().starts_with(b"=")
        })
    }
}
