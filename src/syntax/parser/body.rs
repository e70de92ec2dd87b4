//! Bodies: attributes and nested blocks.

use crate::text::Span;

use super::super::expression::{Attribute, Body, ExpressionKind, Name, NestedBlock, Part};
use super::super::{Fault, header};
use super::{Parser, Read, unreadable};

/// Says of every attribute but the first of its name that it is one too many.
pub(super) fn find_repeated(body: &mut Body) {
    let names = body.attributes.iter().map(|it| &it.name);
    let mut names: Vec<_> = names.map(|it| (&it.text, it.span)).collect();
    names.sort_unstable();
    let repeated = names.windows(2).filter(|it| it[0].0 == it[1].0);
    let repeated = repeated.map(|it| Fault::Repeated(it[1].1));
    body.unreadable.extend(repeated);
}

impl Parser<'_> {
    /// Reads items up to the end of the text, or to the brace that closes the nested block at hand.
    /// `braces`: whether braces stand around them, which must be on other lines than they are, but
    /// for a single attribute between both.
    pub(super) fn body(mut self, braces: bool) -> Body {
        self.items(braces)
    }

    fn items(&mut self, braces: bool) -> Body {
        let outer = std::mem::take(&mut self.faults);
        let mut body = Body::default();
        let mut one_line = braces && !matches!(self.next(), None | Some(b'\n' | b'}'));
        // the item that stands on the line at hand
        let mut beside: Option<Span> = None;
        loop {
            match self.next() {
                Some(b'\n') => {
                    if let (true, Some(item)) = (one_line, beside) {
                        self.fault(Fault::SameLine(item));
                    }
                    one_line = false;
                    beside = None;
                    if !self.next_line() {
                        break;
                    }
                }
                end @ (None | Some(b'}')) if end.is_none() || self.blocks > 0 => {
                    if braces && beside.is_some() && !one_line {
                        let all = self.source.text().as_bytes();
                        let brace = usize::from(all.get(self.at) == Some(&b'}'));
                        self.fault(Fault::SameLine(Span::new(self.at, self.at + brace)));
                    }
                    break;
                }
                Some(b')' | b']' | b'}') => {
                    self.fault(Fault::UnmatchedBracket(self.here()));
                    self.at += 1;
                }
                _ => {
                    let bound = self.begin();
                    let blocks = body.blocks.len();
                    match self.item(&mut body) {
                        Ok(name) => {
                            if beside.is_some() || one_line && body.blocks.len() > blocks {
                                self.fault(Fault::SameLine(name));
                            }
                            beside = Some(name);
                        }
                        Err(fault) => {
                            self.fault(fault);
                            self.skip(b'}', false);
                            one_line = false;
                        }
                    }
                    self.bound = bound;
                }
            }
        }
        body.unreadable = std::mem::replace(&mut self.faults, outer);
        find_repeated(&mut body);
        body
    }

    /// Reads an attribute or a block; what to underline of it.
    fn item(&mut self, body: &mut Body) -> Read<Span> {
        let start = self.at;
        let Some(name) = self.name() else {
            let end = self.lexer.line_end(start).max(self.here().range().end);
            let line = self.source.slice(Span::new(start, end)).trim_end();
            return Err(Fault::Unexpected(Span::new(start, start + line.len())));
        };
        let span = name.span;
        match self.next() {
            Some(b'=') if !matches!(self.second(), Some(b'=' | b'>')) => {
                self.at += 1;
                let attribute = self.attribute(name);
                body.attributes.push(attribute);
                Ok(span)
            }
            Some(b'"' | b'{') => {
                let block = self.block(name)?;
                let header = block.header;
                body.blocks.push(block.into());
                Ok(header)
            }
            _ if self.peek_word().is_some() => {
                let block = self.block(name)?;
                let header = block.header;
                body.blocks.push(block.into());
                Ok(header)
            }
            _ => Err(Fault::Unexpected(span)),
        }
    }

    fn attribute(&mut self, name: Name) -> Attribute {
        self.next();
        let start = self.at;
        let value = self.expression().and_then(|value| match self.next() {
            None | Some(b'\n' | b'}') => Ok(value),
            // the next item says that it stands on the same line
            _ if header::is_item(&self.text[self.at..]) => Ok(value),
            _ => Err(Fault::Unexpected(self.here())),
        });
        let value = value.unwrap_or_else(|fault| {
            self.fault(fault);
            self.skip(b'}', false);
            unreadable(Span::new(start, self.at.max(start)))
        });
        Attribute {
            name,
            value: value.into(),
        }
    }

    fn block(&mut self, keyword: Name) -> Read<NestedBlock> {
        let mut labels: Vec<Name> = Vec::new();
        let mut header = keyword.span;
        let open = loop {
            match self.next() {
                Some(b'{') => break self.at,
                Some(b'"') => labels.push(self.label()?),
                _ => match self.name() {
                    Some(label) => labels.push(label),
                    None => return Err(Fault::NoBrace(header)),
                },
            }
            header.end = self.at as u32;
        };
        let body = self.nested(|it| {
            it.at += 1;
            it.blocks += 1;
            let body = it.items(true);
            it.blocks -= 1;
            Ok(body)
        });
        let body = match body {
            Ok(body) => {
                if !self.take(b'}') {
                    self.fault(Fault::UnclosedBracket(Span::new(open, open + 1)));
                }
                body
            }
            Err(fault) => {
                self.pass();
                Body {
                    unreadable: vec![fault],
                    ..Body::default()
                }
            }
        };
        Ok(NestedBlock {
            keyword,
            labels,
            header,
            body,
        })
    }

    /// A quoted label, in which nothing is interpolated.
    pub(super) fn label(&mut self) -> Read<Name> {
        let quoted = self.quoted()?;
        let ExpressionKind::Template(mut template) = quoted.kind else {
            return Err(Fault::Unexpected(quoted.span));
        };
        let text = match (template.parts.pop(), template.parts.is_empty()) {
            (None, _) => "".into(),
            (Some(Part::Literal(text, _)), true) => text,
            _ => return Err(Fault::Unexpected(quoted.span)),
        };
        Ok(Name {
            text,
            span: template.inner,
        })
    }
}
