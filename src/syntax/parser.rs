//! Bodies and expressions, read as Terraform's own parser reads them.
//!
//! A function that fails returns the fault, and whoever holds the nearest bracket goes on behind
//! it: an entry of an object, an element of a list or an attribute that cannot be read becomes
//! [`ExpressionKind::Unreadable`] and costs nothing beside it. Reading never goes back further than
//! a budget allows, so it takes time in proportion to the text, whatever the text is.

mod body;
mod template;
mod value;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::text::{Source, Span};

use super::expression::{Attribute, Body, Expression, ExpressionKind, Name};
use super::lexer::{Lexer, Stop};
use super::{Block, BlockId, Chunk, Fault, File, Kind, header, sound};

/// How many levels a tree may have, so that it can be read, walked and dropped by recursion: reading
/// takes up to 10 kB of stack for a level in a debug build, and a thread has 2 MB.
const MAX_DEPTH: u32 = 150;

/// How many bodies of blocks were parsed, by anybody.
static PARSED: AtomicUsize = AtomicUsize::new(0);

/// How many bodies of blocks this process has parsed. One that was let go and parsed again counts
/// twice.
pub fn parsed_blocks() -> usize {
    PARSED.load(Relaxed)
}

impl File {
    /// What is between the braces of a block. Never fails: see [`Body::unreadable`].
    ///
    /// # Panics
    /// May panic when `id` is another file's.
    pub fn body(&self, id: BlockId) -> Body {
        PARSED.fetch_add(1, Relaxed);
        let Some((_, body, fault)) = self.index.block(id.index()) else {
            panic!("{id:?} is of another file");
        };
        let Some(span) = body else {
            return Body {
                unreadable: fault.into_iter().collect(),
                ..Body::default()
            };
        };
        let mut body = Parser::new(&self.source, span).wary_of(fault).body(true);
        // what is still to be written of a block that is not closed is not in it yet
        if let Some(fault @ Fault::UnclosedBracket(_)) = fault
            && body.unreadable.is_empty()
        {
            body.unreadable.push(fault);
        }
        body
    }

    /// The attributes that stand outside of blocks, as in a file of variables, and what is neither
    /// attribute nor block.
    pub fn top_level(&self) -> Body {
        let mut all = Body::default();
        for at in self.index.others() {
            let body = self.outside(&self.index.chunk(&self.source, at));
            all.attributes.extend(body.attributes);
            all.unreadable.extend(body.unreadable);
        }
        body::find_repeated(&mut all);
        all
    }

    /// The attribute that fills `chunk`, as far as it can be read; `None` where something else
    /// does.
    pub fn attribute(&self, chunk: &Chunk) -> Option<Attribute> {
        match chunk.kind {
            Kind::Attribute { .. } | Kind::Unreadable(_) => {
                self.outside(chunk).attributes.into_iter().next()
            }
            _ => None,
        }
    }

    /// Everything that is wrong with the text: first outside of blocks, then block by block.
    pub fn faults(&self) -> Vec<Fault> {
        self.faults_but(&|_| false)
    }

    /// The same where nothing is wrong with a block of which `is_known` says so, by its text.
    pub fn faults_but(&self, is_known: &dyn Fn(&str) -> bool) -> Vec<Fault> {
        let mut faults = self.top_level().unreadable;
        for at in 0..=self.index.len() {
            let mut parser = Parser::new(&self.source, self.index.space(&self.source, at));
            parser.lines = false;
            // a lone carriage return is no blank
            if parser.next().is_some() {
                faults.push(Fault::Unexpected(parser.here()));
            }
        }
        for (id, block) in self.blocks() {
            let text = self.source.slice(self.block_span(id));
            if block.fault.is_some() || !(is_known(text) || self.is_sound(&block)) {
                self.faults_of(id, &block, &mut faults);
            } else if cfg!(debug_assertions) {
                let first = faults.len();
                self.faults_of(id, &block, &mut faults);
                assert!(first == faults.len(), "{:?} in {text}", &faults[first..]);
            }
        }
        faults
    }

    /// Whether nothing can be wrong with a block.
    fn is_sound(&self, block: &Block) -> bool {
        let text = self.source.text().as_bytes();
        let mut labels = block.labels.iter();
        let body = block.body.and_then(|it| text.get(it.range()));
        labels.all(|it| sound::is_plain(&text[it.text.range()]))
            && body.is_some_and(sound::is_sound)
    }

    fn faults_of(&self, id: BlockId, block: &Block, faults: &mut Vec<Fault>) {
        fn collect(body: &Body, faults: &mut Vec<Fault>) {
            faults.extend(&body.unreadable);
            for block in &body.blocks {
                collect(&block.body, faults);
            }
        }
        let first = faults.len();
        for label in block.labels.iter().filter(|it| it.span != it.text) {
            faults.extend(Parser::new(&self.source, label.span).label().err());
        }
        collect(&self.body(id), faults);
        // where a block does not close, that is why its last line has no end
        let is_open = |it: &Fault| matches!(it, Fault::UnclosedBracket(_));
        if first == faults.len() {
            faults.extend(block.fault);
        } else if !faults[first..].iter().any(is_open) {
            faults.splice(first..first, block.fault.filter(is_open));
        }
    }

    fn outside(&self, chunk: &Chunk) -> Body {
        let fault = match chunk.kind {
            Kind::Unreadable(fault) => Some(fault),
            _ => None,
        };
        let parser = Parser::new(&self.source, chunk.span).wary_of(fault);
        let mut body = parser.body(false);
        if body.unreadable.is_empty() {
            body.unreadable.extend(fault);
        }
        body
    }
}

/// Reads the expression that fills `span` of `source`. Newlines mean nothing in it, as if it stood
/// in parentheses.
pub fn parse_expression(source: &Source, span: Span) -> Expression {
    let mut parser = Parser::new(source, span);
    parser.lines = false;
    match parser.expression() {
        Ok(expression) if parser.next().is_none() => expression,
        _ => unreadable(span),
    }
}

/// Reads the template that fills `span` of `source`, without quotes or markers around it: its
/// escapes are those of a heredoc. So a string of a JSON file is read once its own escapes are
/// decoded.
pub fn parse_template(source: &Source, span: Span) -> Expression {
    Parser::new(source, span).bare_template()
}

type Read<T> = Result<T, Fault>;

struct Parser<'a> {
    source: &'a Source,
    /// From the start of the file to where reading ends.
    text: &'a [u8],
    /// The next byte to read.
    at: usize,
    /// Whether a line's end is more than a blank.
    lines: bool,
    /// How many levels are being read.
    depth: u32,
    /// How many levels the tree has that was read last.
    height: u32,
    /// From this byte on brackets may not close: see [`Parser::next_line`].
    wary: usize,
    /// One more than the blanks before the item at hand; 0 where there is none.
    bound: usize,
    /// How many blocks are open within the text.
    blocks: u32,
    /// What passes over brackets; its `spare` is the budget for reading twice.
    lexer: Lexer<'a, ()>,
    faults: Vec<Fault>,
}

fn unreadable(span: Span) -> Expression {
    Expression {
        span,
        kind: ExpressionKind::Unreadable,
    }
}

impl<'a> Parser<'a> {
    fn new(source: &'a Source, span: Span) -> Self {
        let text = source.text().as_bytes();
        let text = &text[..span.range().end.min(text.len())];
        let mut lexer = Lexer::new(text, 0, ());
        lexer.spare = 16 * span.len();
        Self {
            source,
            text,
            at: span.range().start.min(text.len()),
            lines: true,
            depth: 0,
            height: 0,
            wary: usize::MAX,
            bound: 0,
            blocks: 0,
            lexer,
            faults: Vec::new(),
        }
    }

    /// Expects that brackets do not close behind where the splitter found `fault`.
    fn wary_of(mut self, fault: Option<Fault>) -> Self {
        let brackets = fault.filter(|it| !matches!(it, Fault::SameLine(_)));
        self.wary = brackets.map_or(usize::MAX, |it| it.span().range().start);
        self
    }

    /// The next byte that is neither blank nor comment, which is then at `at`; `\n` for a line's
    /// end, if that is more than a blank. `None` where there is nothing more to read.
    fn next(&mut self) -> Option<u8> {
        loop {
            match self.text.get(self.at..)? {
                [b' ' | b'\t', ..] => self.at += 1,
                [b'\n', ..] | [b'\r', b'\n', ..] => {
                    if self.lines {
                        return Some(b'\n');
                    }
                    if !self.next_line() {
                        return None;
                    }
                }
                [b'#', ..] | [b'/', b'/', ..] => self.at = self.lexer.line_end(self.at),
                [b'/', b'*', ..] => match self.lexer.block_comment(self.at) {
                    Some(end) => self.at = end,
                    None => return Some(b'/'),
                },
                rest => return rest.first().copied(),
            }
        }
    }

    /// Goes on behind the line's end that is here.
    ///
    /// Where brackets do not close, what stands on the next line may be no part of what is open:
    /// it has the shape of an item and is indented no deeper than the item at hand. Then this stays
    /// here and returns false.
    fn next_line(&mut self) -> bool {
        let line = self.at + if self.text[self.at] == b'\r' { 2 } else { 1 };
        if self.at >= self.wary
            && self.bound > 0
            && let Some(at) = header::indented_at_most(self.text, line, self.bound - 1)
            && header::is_item(&self.text[at..])
        {
            return false;
        }
        self.at = line;
        true
    }

    /// Notes the indentation of the item that starts here, if it is the first on its line; returns
    /// what was noted before.
    fn begin(&mut self) -> usize {
        let bound = self.bound;
        if let Some(blanks) = header::indent(self.text, self.at) {
            self.bound = blanks + 1;
        }
        bound
    }

    /// Passes `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        let here = self.next() == Some(byte);
        self.at += usize::from(here);
        here
    }

    /// The byte behind the one at `at`.
    fn second(&self) -> Option<u8> {
        self.text.get(self.at + 1).copied()
    }

    fn is_ellipsis(&self) -> bool {
        self.text[self.at..].starts_with(b"...")
    }

    /// The character at `at`; empty at a line's end.
    fn here(&self) -> Span {
        let rest = self.source.text().get(self.at..self.text.len());
        let character = rest.and_then(|it| it.chars().next());
        match character {
            None | Some('\r' | '\n') => Span::at(self.at),
            Some(character) => Span::new(self.at, self.at + character.len_utf8()),
        }
    }

    /// That `what` does not come next.
    fn missing(&self, what: &'static str) -> Fault {
        Fault::Missing(self.here(), what)
    }

    /// From `start` to here, as text.
    fn text_from(&self, start: usize) -> &'a str {
        self.source.text().get(start..self.at).unwrap_or_default()
    }

    /// The identifier that comes next, which is not passed.
    fn peek_word(&mut self) -> Option<Span> {
        self.next();
        let start = self.at;
        let mut at = start;
        loop {
            match *self.text.get(at).unwrap_or(&b' ') {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => at += 1,
                b'0'..=b'9' | b'-' if at > start => at += 1,
                0x80.. => {
                    let character = self.source.text().get(at..)?.chars().next()?;
                    let fits = match at > start {
                        true => unicode_ident::is_xid_continue(character),
                        false => unicode_ident::is_xid_start(character),
                    };
                    if !fits {
                        break;
                    }
                    at += character.len_utf8();
                }
                _ => break,
            }
        }
        (at > start).then(|| Span::new(start, at))
    }

    /// Passes the identifier that comes next.
    fn word(&mut self) -> Option<Span> {
        let word = self.peek_word()?;
        self.at = word.range().end;
        Some(word)
    }

    /// Passes the identifier that comes next.
    fn name(&mut self) -> Option<Name> {
        let span = self.word()?;
        Some(Name {
            text: self.source.slice(span).into(),
            span,
        })
    }

    fn is_keyword(&mut self, word: &str) -> bool {
        let here = self.peek_word();
        here.is_some_and(|it| self.source.slice(it) == word)
    }

    fn keyword(&mut self, word: &str) -> bool {
        let here = self.is_keyword(word);
        if here {
            self.at += word.len();
        }
        here
    }

    /// Reads with or without attention to lines' ends.
    fn within<T>(&mut self, lines: bool, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.lines, lines);
        let result = read(self);
        self.lines = before;
        result
    }

    /// Reads one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::TooDeep(self.here()));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Puts a level on a tree of `height` levels.
    fn grow(&mut self, height: u32) -> Read<()> {
        self.height = height + 1;
        match self.height > MAX_DEPTH {
            true => Err(Fault::TooDeep(self.here())),
            false => Ok(()),
        }
    }

    /// Passes the bracket that closes the one at `open`.
    fn close(&mut self, open: usize, closer: u8) -> Read<()> {
        match self.take(closer) {
            true => Ok(()),
            false => Err(self.unclosed(open, closer)),
        }
    }

    /// Why the bracket at `open` is not closed here.
    fn unclosed(&mut self, open: usize, closer: u8) -> Fault {
        match (self.next(), closer) {
            (None | Some(b'}'), _) => Fault::UnclosedBracket(Span::new(open, open + 1)),
            (_, b')') => self.missing("`)`"),
            (_, b']') => self.missing("`]`"),
            _ => self.missing("`}`"),
        }
    }

    fn fault(&mut self, fault: Fault) {
        // of brackets that end together without being closed, the innermost is to blame
        let unclosed = |it: &Fault| matches!(it, Fault::UnclosedBracket(_));
        if !(unclosed(&fault) && self.faults.last().is_some_and(unclosed)) {
            self.faults.push(fault);
        }
    }

    /// Passes what cannot be read, up to `closer`, or to a `}` that closes more than that, or to a
    /// line's end or a comma where these end it.
    fn skip(&mut self, closer: u8, commas: bool) {
        while let Some(byte) = self.next() {
            match byte {
                b'\n' | b'}' => return,
                b',' if commas => return,
                _ if byte == closer => return,
                b'(' | b'[' | b'{' => self.pass(),
                b'"' => self.pass_string(),
                b'<' if header::heredoc_start(self.text, self.at).is_some() => self.pass(),
                b'/' if self.second() == Some(b'*') => self.at = self.lexer.line_end(self.at),
                _ => self.at += 1,
            }
        }
    }

    /// Passes what the bracket or the heredoc encloses that opens here, as the splitter does.
    fn pass(&mut self) {
        let start = self.at;
        if self.lexer.spare == 0 {
            self.at = self.lexer.line_end(start);
            return;
        }
        self.lexer.start(self.bound.saturating_sub(1), false);
        self.lexer.at = start;
        let stop = self.lexer.run();
        self.at = self.lexer.at;
        if stop == Stop::End
            && let Some(candidate) = self.lexer.resume(true)
            && candidate.line > start
        {
            self.lexer.spare = self.lexer.spare.saturating_sub(self.at - candidate.line);
            self.at = candidate.line - 1;
        }
    }

    /// Passes a quoted string, or what there is of it on its line.
    fn pass_string(&mut self) {
        self.at += 1;
        loop {
            match self.text[self.at..] {
                [] | [b'\n', ..] => return,
                [b'"', ..] => {
                    self.at += 1;
                    return;
                }
                [b'\\', b, ..] if b != b'\n' => self.at += 2,
                [b'$' | b'%', b'{', ..] => {
                    self.at += 1;
                    self.pass();
                }
                [a @ (b'$' | b'%'), b, b'{', ..] if a == b => self.at += 3,
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What would take time out of proportion, were it read again and again: without the splitter,
    /// which would cut it into pieces.
    #[test]
    fn time_is_in_proportion_to_the_text() {
        for line in [
            "a = [\n",
            "a = {\n",
            "a = f(\n",
            "a = \"${\n",
            "a = <<A\n",
            "a = <<A\n${\n",
            "a = \"${f(\n",
            "a {\n",
            "/*\n",
            "a = \"${\"${\"${\n",
            "[",
            "(",
            "{",
            "\"${",
            "a = b[\n",
            "a = b.\n",
            "a = [for x in\n",
            "a = \"%{if x}\n",
            "a = {\nb\n",
            "a = [\"b\n",
            "a = 1 ? 2\n",
            "<<A\n",
            "a = [<<A\n",
            "a = ${\n",
            "${a+\n",
            "a = 1 /* \n",
            "%{if a}\n",
            "a = (((((\n",
            "a b c\n",
            "]\n",
            "a = 1\n",
            "a1 = {b=[(\"${c",
            "-",
            "1.",
            "a.",
            "a[",
            "\"\\",
            "$${",
            "${<<A\n",
            "a=<<-A\n ${~b~}\n",
            "a = 1 + /*\n",
            "\u{1a}",
            "a = \"\u{1a}\"\n",
            "a = {\n  b = [\n",
            "  a = {\n b = [\n",
            "a = [{\n",
            "${[\n",
            "a \"b",
            "x = a[*].",
            "#\n",
            "/**/",
            "a = !",
            "\"a\" = {",
            "a = f(1,",
            "<<A\n${<<B\n",
            "a = <<A\nB\n",
            "\n",
            "a=1 ",
        ] {
            let lines = line.repeat(30_000 / line.len());
            for text in [
                lines.clone(),
                format!("a = <<E\n{lines}\nE\n"),
                format!("a = [\n{lines}]\n"),
                format!("a = {{\n{lines}}}\n"),
                format!("a = \"{lines}\"\n"),
            ] {
                let source = Source::new(&text);
                let all = Span::new(0, text.len());
                for fault in [None, Some(Fault::Unexpected(Span::at(0)))] {
                    let start = std::time::Instant::now();
                    Parser::new(&source, all).wary_of(fault).body(true);
                    let took = start.elapsed();
                    let head = &text[..text.len().min(20)];
                    assert!(
                        took.as_secs() < 2,
                        "{line:?} in {head:?}, {fault:?}: {took:?}"
                    );
                }
            }
        }
    }
}
