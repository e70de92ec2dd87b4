//! Quoted strings, heredocs and what is interpolated in them.
//!
//! Terraform first makes a list of tokens, then takes off the blanks that strip markers and the
//! indentation of a heredoc name, then builds the tree. The order matters: a strip marker reaches
//! no further than the line of a heredoc that it touches, and indentation is counted after it.

use memchr::{memchr, memchr3};

use crate::text::{REPLACEMENT, Span};

use super::super::expression::{Expression, ExpressionKind, Part, Template, TemplateFor};
use super::super::{Fault, header};
use super::{Parser, Read, unreadable};

enum Token {
    /// A range of the buffer, and its bytes in the file.
    Literal(usize, usize, Span),
    Interpolation(Expression),
    If(Expression),
    Else,
    EndIf,
    For(Box<TemplateFor>),
    EndFor,
}

/// A template on its way from text to tree.
#[derive(Default)]
struct Tokens {
    list: Vec<(Token, Span)>,
    /// All literals, decoded.
    buffer: String,
    /// Where the literal at hand starts in the buffer and in the file.
    literal: (usize, usize),
    /// Whether the marker `~}` stands before it.
    trims: bool,
    /// How many levels the deepest expression has.
    height: u32,
    /// A directive that could not be read: what the others mean is not known then.
    fault: Option<Fault>,
}

impl Tokens {
    /// Starts a literal at byte `at` of the file.
    fn start(&mut self, at: usize) {
        self.literal = (self.buffer.len(), at);
    }

    /// Ends the literal before byte `at` of the file.
    fn flush(&mut self, at: usize) {
        let (mut from, start) = self.literal;
        if start < at {
            let text = &self.buffer[from..];
            if self.trims {
                from += text.len() - text.trim_start().len();
            }
            let span = Span::new(start, at);
            let token = Token::Literal(from, self.buffer.len(), span);
            self.list.push((token, span));
            self.trims = false;
        }
        self.start(at);
    }

    /// Takes the blanks off the end of the literal before a marker `${~`.
    fn trim_end(&mut self) {
        if let Some((Token::Literal(from, to, _), _)) = self.list.last_mut() {
            *to = *from + self.buffer[*from..*to].trim_end().len();
        }
    }

    /// Takes off the indentation that all lines share, but for blank ones. What is interpolated at
    /// a line's start has none.
    fn dedent(&mut self) {
        let buffer = &self.buffer;
        let mut indents = Vec::new();
        let mut least = usize::MAX;
        let mut line = true;
        for (index, (token, _)) in self.list.iter().enumerate() {
            let text = match *token {
                Token::Literal(from, to, _) => Some(&buffer[from..to]),
                _ => None,
            };
            if std::mem::take(&mut line) {
                let text = text.unwrap_or_default();
                let blanks = text.len() - text.trim_start().len();
                if blanks < text.len() || !text.ends_with('\n') {
                    least = least.min(text[..blanks].chars().count());
                    indents.push(index);
                }
            }
            line = text.is_some_and(|it| it.ends_with('\n'));
        }
        for index in indents {
            if let Token::Literal(from, to, span) = &mut self.list[index].0 {
                let mut characters = buffer[*from..*to].char_indices();
                let cut = characters.nth(least).map_or(*to - *from, |(at, _)| at);
                *from += cut;
                // an escape is longer in the file
                span.start = (span.start + cut as u32).min(span.end);
            }
        }
    }
}

/// A directive that is open, with the parts before it.
enum Open {
    If(Expression, Option<Vec<Part>>),
    For(Box<TemplateFor>),
}

impl<'a> Parser<'a> {
    fn str(&self, from: usize, to: usize) -> &'a str {
        self.source.text().get(from..to).unwrap_or_default()
    }

    fn literal(&self, span: Span) -> Part {
        Part::Literal(self.source.slice(span).into(), span)
    }

    pub(super) fn quoted(&mut self) -> Read<Expression> {
        let quote = self.at;
        let inner = quote + 1;
        self.at = inner;
        let mut tokens = Tokens::default();
        tokens.start(inner);
        loop {
            let rest = &self.text[self.at..];
            let special = |b: &u8| matches!(b, b'"' | b'\\' | b'$' | b'%' | b'\n' | b'\r' | 0x1a);
            let end = rest.iter().position(special);
            let end = end.map_or(self.text.len(), |it| self.at + it);
            if self.at == inner && self.text.get(end) == Some(&b'"') {
                self.at = end + 1;
                let span = Span::new(inner, end);
                let parts = match span.is_empty() {
                    true => Vec::new(),
                    false => vec![self.literal(span)],
                };
                return Ok(self.template(quote, span, parts, false));
            }
            tokens.buffer.push_str(self.str(self.at, end));
            self.at = end;
            match self.text[end..] {
                [b'"', ..] => {
                    tokens.flush(end);
                    self.at += 1;
                    let parts = self.parts(tokens)?;
                    let span = Span::new(inner, end);
                    let whole = self.template(quote, span, parts, false);
                    return Ok(whole);
                }
                [b'\\', ..] => self.escape(&mut tokens),
                [b'$' | b'%', ..] => self.dollar(&mut tokens, Some(quote))?,
                [0x1a, ..] => self.invalid(&mut tokens),
                _ => {
                    self.at = self.lexer.line_end(end);
                    return Err(Fault::UnclosedQuote(Span::new(quote, self.at)));
                }
            }
        }
    }

    fn template(&self, start: usize, inner: Span, parts: Vec<Part>, heredoc: bool) -> Expression {
        Expression {
            span: Span::new(start, self.at),
            kind: ExpressionKind::Template(Template {
                parts,
                inner,
                heredoc,
            }),
        }
    }

    /// A byte that stands for one that was not UTF-8, or for itself.
    fn invalid(&mut self, tokens: &mut Tokens) {
        if self
            .source
            .invalid()
            .binary_search(&(self.at as u32))
            .is_ok()
        {
            self.fault(Fault::Encoding(Span::new(self.at, self.at + 1)));
        }
        tokens.buffer.push(REPLACEMENT);
        self.at += 1;
    }

    fn escape(&mut self, tokens: &mut Tokens) {
        let start = self.at;
        let digits = match self.second() {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let decoded = match self.second() {
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'u' | b'U') => {
                let hex = self.text.get(start + 2..start + 2 + digits);
                let hex = hex.filter(|it| it.iter().all(u8::is_ascii_hexdigit));
                let hex = hex.and_then(|it| std::str::from_utf8(it).ok());
                hex.and_then(|it| u32::from_str_radix(it, 16).ok())
                    .and_then(char::from_u32)
            }
            _ => None,
        };
        match decoded {
            Some(decoded) => {
                tokens.buffer.push(decoded);
                self.at += 2 + digits;
            }
            None => {
                self.at += 1;
                let what = self.here();
                let end = what.range().end;
                self.fault(Fault::Escape(Span::new(start, end)));
                tokens.buffer.push_str(self.str(start, end));
                self.at = end;
            }
        }
    }

    /// At `$` or `%`: an interpolation, a directive, the escape for either, or itself. Fails at the
    /// end of a line, and only in a string, of which the `quote` is known.
    fn dollar(&mut self, tokens: &mut Tokens, quote: Option<usize>) -> Read<()> {
        let start = self.at;
        match self.text[start..] {
            [_, b'{', ..] => {
                tokens.flush(start);
                let result = self.sequence(tokens, quote);
                tokens.start(self.at);
                return result;
            }
            [a, b, b'{', ..] if a == b => {
                tokens.buffer.push_str(self.str(start + 1, start + 3));
                self.at += 3;
            }
            _ => {
                tokens.buffer.push_str(self.str(start, start + 1));
                self.at += 1;
            }
        }
        Ok(())
    }

    /// From `${` or `%{` to its end.
    fn sequence(&mut self, tokens: &mut Tokens, quote: Option<usize>) -> Read<()> {
        let open = self.at;
        let directive = self.text[open] == b'%';
        self.at += 2;
        if self.text.get(self.at) == Some(&b'~') {
            self.at += 1;
            tokens.trim_end();
        }
        self.height = 1;
        let read = self.within(false, |it| {
            let token = match directive {
                true => it.directive()?,
                false => Token::Interpolation(it.expression()?),
            };
            let trims = it.next() == Some(b'~') && it.second() == Some(b'}');
            it.at += usize::from(trims);
            it.close(open, b'}')?;
            Ok((token, trims))
        });
        let fault = match read {
            Ok((token, trims)) => {
                tokens.height = tokens.height.max(self.height);
                tokens.list.push((token, Span::new(open, self.at)));
                tokens.trims = trims;
                return Ok(());
            }
            Err(Fault::UnclosedBracket(_)) => Fault::UnclosedBracket(Span::new(open, open + 2)),
            Err(fault) => fault,
        };
        tokens.trims = false;
        // go on behind it if it ends on its line
        let passed = self.at.saturating_sub(open);
        if passed > self.lexer.spare {
            return Err(fault);
        }
        self.lexer.spare -= passed;
        let end = self.lexer.line_end(open);
        let mut depth = 0;
        let close = self.text[open..end].iter().position(|b| {
            match b {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            *b == b'}' && depth == 0
        });
        self.at = close.map_or(end, |it| open + it + 1);
        if let (None, Some(quote)) = (close, quote) {
            // the quote behind, if there is one, was taken for the start of another string
            return Err(match fault {
                Fault::UnclosedQuote(_) => Fault::UnclosedQuote(Span::new(quote, end)),
                fault => fault,
            });
        }
        if directive {
            tokens.fault.get_or_insert(fault);
        } else {
            self.fault(fault);
            let span = Span::new(open, self.at);
            let token = Token::Interpolation(unreadable(span));
            tokens.list.push((token, span));
        }
        Ok(())
    }

    fn directive(&mut self) -> Read<Token> {
        let word = self.word();
        let word = word.map(|it| self.source.slice(it)).unwrap_or_default();
        Ok(match word {
            "if" => Token::If(self.expression()?),
            "else" => Token::Else,
            "endif" => Token::EndIf,
            "for" => {
                let (key, value, collection) = self.for_head()?;
                Token::For(Box::new(TemplateFor {
                    key,
                    value,
                    collection,
                    body: Vec::new(),
                }))
            }
            "endfor" => Token::EndFor,
            _ => {
                self.at -= word.len();
                return Err(self.missing("`if`, `else`, `endif`, `for` or `endfor`"));
            }
        })
    }

    pub(super) fn heredoc(&mut self) -> Read<Expression> {
        let start = self.at;
        let Some((marker, inner)) = header::heredoc_start(self.text, start) else {
            return Err(self.missing("a value"));
        };
        let flush = self.text[start + 2] == b'-';
        self.at = inner;
        let mut tokens = Tokens::default();
        let Some(end) = self.lines_to(Some(&self.text[marker.range()]), &mut tokens)? else {
            let opening = Fault::UnclosedHeredoc(Span::new(start, marker.range().end));
            let passed = self.at - start;
            if passed <= self.lexer.spare {
                self.lexer.spare -= passed;
                self.at = start;
                self.pass();
            }
            return Err(opening);
        };
        if flush {
            tokens.dedent();
        }
        let parts = self.parts(tokens)?;
        Ok(self.template(start, Span::new(inner, end), parts, true))
    }

    pub(super) fn bare_template(mut self) -> Expression {
        let start = self.at;
        let span = Span::new(start, self.text.len());
        let mut tokens = Tokens::default();
        let read = self.lines_to(None, &mut tokens);
        match read.and_then(|_| self.parts(tokens)) {
            Ok(parts) => self.template(start, span, parts, false),
            Err(_) => unreadable(span),
        }
    }

    /// Reads lines up to one that is the `marker`, and passes it; where that starts. `None` at the
    /// end of the text.
    fn lines_to(&mut self, marker: Option<&[u8]>, tokens: &mut Tokens) -> Read<Option<usize>> {
        loop {
            if let Some(marker) = marker {
                let line = &self.text[self.at..];
                let length = memchr(b'\n', line);
                let line = &line[..length.unwrap_or(line.len())];
                // a newline belongs to the marker, and may stand behind what is read here
                let behind = &self.source.text().as_bytes()[self.text.len()..];
                let newline = length.is_some()
                    || behind.trim_ascii_start().len() < behind.len()
                        && memchr(b'\n', behind)
                            .is_some_and(|it| behind[..it].trim_ascii().is_empty());
                if newline && line.trim_ascii() == marker {
                    let start = self.at;
                    self.at += line.trim_ascii_end().len();
                    return Ok(Some(start));
                }
            }
            tokens.start(self.at);
            loop {
                let rest = &self.text[self.at..];
                let end = memchr3(b'\n', b'$', b'%', rest);
                let end = end.map_or(self.text.len(), |it| self.at + it);
                self.plain(tokens, end);
                match self.text.get(end) {
                    None => {
                        tokens.flush(end);
                        return Ok(None);
                    }
                    Some(b'\n') => {
                        tokens.buffer.push('\n');
                        self.at += 1;
                        tokens.flush(self.at);
                        break;
                    }
                    Some(_) => self.dollar(tokens, None)?,
                }
            }
        }
    }

    /// Text of a heredoc up to byte `end` of its line.
    fn plain(&mut self, tokens: &mut Tokens, end: usize) {
        let text = self.str(self.at, end);
        tokens.buffer.push_str(text);
        let invalid = self.source.invalid();
        let first = invalid.partition_point(|it| (*it as usize) < self.at);
        if invalid.get(first).is_some_and(|it| (*it as usize) < end) {
            self.fault(Fault::Encoding(Span::new(
                invalid[first] as usize,
                invalid[first] as usize + 1,
            )));
        }
        self.at = end;
    }

    /// Builds the tree. Literals that follow each other become one.
    fn parts(&mut self, tokens: Tokens) -> Read<Vec<Part>> {
        if let Some(fault) = tokens.fault {
            return Err(fault);
        }
        let buffer = &tokens.buffer;
        // a text that is nothing but an interpolation has the interpolation's type; an empty
        // literal beside it makes it a text
        let lone = matches!(
            &tokens.list[..],
            [(Token::Literal(..), _), (Token::Interpolation(_), _)]
                | [(Token::Interpolation(_), _), (Token::Literal(..), _)]
        );
        let mut height = tokens.height;
        let mut stack: Vec<(Open, Span, Vec<Part>)> = Vec::new();
        let mut parts = Vec::new();
        let mut list = tokens.list.into_iter().peekable();
        while let Some((token, span)) = list.next() {
            match token {
                Token::Literal(from, to, mut span) => {
                    let mut text = std::borrow::Cow::Borrowed(&buffer[from..to]);
                    while let Some((Token::Literal(from, to, more), _)) =
                        list.next_if(|it| matches!(it.0, Token::Literal(..)))
                    {
                        text.to_mut().push_str(&buffer[from..to]);
                        span.end = more.end;
                    }
                    if lone || !text.is_empty() {
                        parts.push(Part::Literal(text.into(), span));
                    }
                }
                Token::Interpolation(expression) => parts.push(Part::Interpolation(expression)),
                Token::If(condition) => {
                    let before = std::mem::take(&mut parts);
                    stack.push((Open::If(condition, None), span, before));
                }
                Token::For(head) => {
                    let before = std::mem::take(&mut parts);
                    stack.push((Open::For(head), span, before));
                }
                Token::Else => match stack.last_mut() {
                    Some((Open::If(_, then @ None), ..)) => {
                        *then = Some(std::mem::take(&mut parts))
                    }
                    _ => return Err(Fault::Directive(span)),
                },
                Token::EndIf => match stack.pop() {
                    Some((Open::If(condition, then), _, before)) => {
                        let last = std::mem::replace(&mut parts, before);
                        let (then, otherwise) = match then {
                            Some(then) => (then, last),
                            None => (last, Vec::new()),
                        };
                        parts.push(Part::If(Box::new(condition), then, otherwise));
                    }
                    _ => return Err(Fault::Directive(span)),
                },
                Token::EndFor => match stack.pop() {
                    Some((Open::For(mut head), _, before)) => {
                        head.body = std::mem::replace(&mut parts, before);
                        parts.push(Part::For(head));
                    }
                    _ => return Err(Fault::Directive(span)),
                },
            }
            height = height.max(tokens.height + stack.len() as u32);
            if height > super::MAX_DEPTH {
                return Err(Fault::TooDeep(span));
            }
        }
        if let Some((_, span, _)) = stack.pop() {
            return Err(Fault::Directive(span));
        }
        self.grow(height)?;
        Ok(parts)
    }
}
