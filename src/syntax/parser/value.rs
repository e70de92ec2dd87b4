//! Expressions.

use crate::text::Span;

use super::super::Fault;
use super::super::expression::{
    BinaryOperator, Call, Entry, Expression, ExpressionKind, For, Key, Name, Splat, UnaryOperator,
};
use super::{Parser, Read, unreadable};

fn expression(start: u32, end: usize, kind: ExpressionKind) -> Expression {
    Expression {
        span: Span::new(start as usize, end),
        kind,
    }
}

/// How tightly an operator binds.
fn precedence(operator: BinaryOperator) -> u8 {
    use BinaryOperator::*;
    match operator {
        Or => 0,
        And => 1,
        Equal | NotEqual => 2,
        Less | LessOrEqual | Greater | GreaterOrEqual => 3,
        Add | Subtract => 4,
        Multiply | Divide | Modulo => 5,
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Read<Expression> {
        self.nested(Self::conditional)
    }

    fn conditional(&mut self) -> Read<Expression> {
        let predicate = self.operation()?;
        if !self.take(b'?') {
            return Ok(predicate);
        }
        let mut height = self.height;
        let then = self.expression()?;
        height = height.max(self.height);
        self.colon()?;
        let otherwise = self.expression()?;
        self.grow(height.max(self.height))?;
        let (start, end) = (predicate.span.start, otherwise.span.range().end);
        let kind = ExpressionKind::Conditional(Box::new([predicate, then, otherwise]));
        Ok(expression(start, end, kind))
    }

    fn colon(&mut self) -> Read<()> {
        if self.next() == Some(b':') && self.second() != Some(b':') {
            self.at += 1;
            return Ok(());
        }
        Err(self.missing("`:`"))
    }

    /// Operands and the operators between them. Operands wait for what is to their right, not on
    /// the stack but on a list: a chain of operators may be long.
    fn operation(&mut self) -> Read<Expression> {
        let mut waiting: Vec<(Expression, u32, BinaryOperator)> = Vec::new();
        let mut right = self.operand()?;
        loop {
            let next = self.operator();
            let binds = |before: &BinaryOperator| match next {
                Some((next, _)) => precedence(*before) >= precedence(next),
                None => true,
            };
            while let Some((left, height, operator)) = waiting.pop_if(|it| binds(&it.2)) {
                self.grow(height.max(self.height))?;
                let (start, end) = (left.span.start, right.span.range().end);
                let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
                right = expression(start, end, kind);
            }
            let Some((operator, width)) = next else {
                return Ok(right);
            };
            self.at += width;
            waiting.push((right, self.height, operator));
            right = self.operand()?;
        }
    }

    /// The operator that comes next, and how many bytes it takes.
    fn operator(&mut self) -> Option<(BinaryOperator, usize)> {
        use BinaryOperator::*;
        let first = self.next()?;
        Some(match (first, self.second()) {
            (b'|', Some(b'|')) => (Or, 2),
            (b'&', Some(b'&')) => (And, 2),
            (b'=', Some(b'=')) => (Equal, 2),
            (b'!', Some(b'=')) => (NotEqual, 2),
            (b'<', Some(b'=')) => (LessOrEqual, 2),
            (b'>', Some(b'=')) => (GreaterOrEqual, 2),
            (b'<', _) => (Less, 1),
            (b'>', _) => (Greater, 1),
            (b'+', _) => (Add, 1),
            (b'-', _) => (Subtract, 1),
            (b'*', _) => (Multiply, 1),
            // else a comment that is not closed
            (b'/', second) if second != Some(b'*') => (Divide, 1),
            (b'%', _) => (Modulo, 1),
            _ => return None,
        })
    }

    /// A term with what stands before and behind it.
    fn operand(&mut self) -> Read<Expression> {
        let mut signs = Vec::new();
        loop {
            let sign = match self.next() {
                Some(b'-') => UnaryOperator::Minus,
                Some(b'!') if self.second() != Some(b'=') => UnaryOperator::Not,
                _ => break,
            };
            signs.push((sign, self.at));
            self.at += 1;
        }
        let term = self.term()?;
        let mut operand = self.steps(term)?;
        for (sign, at) in signs.into_iter().rev() {
            self.grow(self.height)?;
            let end = operand.span.range().end;
            let kind = ExpressionKind::Unary(sign, Box::new(operand));
            operand = expression(at as u32, end, kind);
        }
        Ok(operand)
    }

    /// The attributes, indexes and splats that follow `source`.
    fn steps(&mut self, mut source: Expression) -> Read<Expression> {
        loop {
            let end = self.at;
            source = match self.next() {
                Some(b'.') if !self.is_ellipsis() => {
                    let dot = self.at;
                    self.at += 1;
                    match self.next() {
                        Some(b'*') => self.attribute_splat(source, dot)?,
                        _ => self.step(source)?,
                    }
                }
                Some(b'[') => {
                    let open = self.at;
                    self.at += 1;
                    match self.next() {
                        Some(b'*') => self.full_splat(source, open)?,
                        _ => self.index(source, open)?,
                    }
                }
                _ => {
                    // blanks behind are no part of it
                    self.at = end;
                    return Ok(source);
                }
            };
        }
    }

    /// What stands behind a dot: a name or, of old, a number.
    fn step(&mut self, source: Expression) -> Read<Expression> {
        let start = source.span.start;
        let kind = match self.next() {
            Some(b'0'..=b'9') => {
                let key = self.number()?;
                if self.source.slice(key.span).contains('.') {
                    return Err(Fault::LegacyIndex(key.span));
                }
                ExpressionKind::Index(Box::new(source), Box::new(key))
            }
            _ => match self.name() {
                Some(name) => ExpressionKind::Attribute(Box::new(source), name),
                None => return Err(self.missing("a name")),
            },
        };
        self.grow(self.height)?;
        Ok(expression(start, self.at, kind))
    }

    fn index(&mut self, source: Expression, open: usize) -> Read<Expression> {
        let height = self.height;
        let key = self.enclosed(open, b']');
        self.grow(height.max(self.height))?;
        let start = source.span.start;
        let kind = ExpressionKind::Index(Box::new(source), Box::new(key));
        Ok(expression(start, self.at, kind))
    }

    /// `.*` and the names that follow, from the star on.
    fn attribute_splat(&mut self, source: Expression, dot: usize) -> Read<Expression> {
        self.at += 1;
        let height = std::mem::replace(&mut self.height, 1);
        let mut each = expression(dot as u32, self.at, ExpressionKind::Element);
        loop {
            let end = self.at;
            if self.next() != Some(b'.') || self.is_ellipsis() {
                self.at = end;
                break;
            }
            self.at += 1;
            each = self.step(each)?;
        }
        self.splat(source, each, height)
    }

    /// `[*]` and what follows, from the star on.
    fn full_splat(&mut self, source: Expression, open: usize) -> Read<Expression> {
        self.at += 1;
        self.close(open, b']')?;
        let height = std::mem::replace(&mut self.height, 1);
        let element = expression(open as u32, self.at, ExpressionKind::Element);
        let each = self.nested(|it| it.steps(element))?;
        self.splat(source, each, height)
    }

    fn splat(&mut self, source: Expression, each: Expression, height: u32) -> Read<Expression> {
        self.grow(height.max(self.height))?;
        let start = source.span.start;
        let kind = ExpressionKind::Splat(Box::new(Splat { source, each }));
        Ok(expression(start, self.at, kind))
    }

    fn term(&mut self) -> Read<Expression> {
        self.height = 1;
        match self.next() {
            Some(b'(') => self.parenthesis(),
            Some(b'[') => self.tuple(),
            Some(b'{') => self.object(),
            Some(b'"') => self.quoted(),
            Some(b'<') => self.heredoc(),
            Some(b'0'..=b'9') => self.number(),
            _ => self.named(),
        }
    }

    /// A keyword, a call, or the start of a reference.
    fn named(&mut self) -> Read<Expression> {
        let Some(word) = self.word() else {
            return Err(self.missing("a value"));
        };
        let end = self.at;
        match self.next() {
            Some(b'(') => return self.call(word),
            Some(b':') if self.second() == Some(b':') => return self.call(word),
            _ => self.at = end,
        }
        let kind = match self.source.slice(word) {
            "true" => ExpressionKind::Bool(true),
            "false" => ExpressionKind::Bool(false),
            "null" => ExpressionKind::Null,
            name => ExpressionKind::Variable(name.into()),
        };
        Ok(Expression { span: word, kind })
    }

    fn number(&mut self) -> Read<Expression> {
        let start = self.at;
        let (mut at, mut end) = (start, start);
        loop {
            at += match self.text[at..] {
                [b'0'..=b'9', ..] => 1,
                [b'e' | b'E', b'0'..=b'9', ..] => 2,
                [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] => 3,
                // belongs to the number when more of it follows
                [b'.', ..] => {
                    at += 1;
                    continue;
                }
                _ => break,
            };
            end = at;
        }
        self.at = end;
        let span = Span::new(start, end);
        let text = self.text_from(start);
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let exponents = text.bytes().filter(|b| matches!(b, b'e' | b'E')).count();
        let dots = |text: &str| text.bytes().filter(|b| *b == b'.').count();
        if exponents > 1 || dots(mantissa) > 1 || dots(text) > dots(mantissa) {
            return Err(Fault::Number(span));
        }
        let kind = ExpressionKind::Number(text.into());
        Ok(Expression { span, kind })
    }

    fn parenthesis(&mut self) -> Read<Expression> {
        let open = self.at;
        self.at += 1;
        let inner = self.enclosed(open, b')');
        self.grow(self.height)?;
        let kind = ExpressionKind::Parenthesis(Box::new(inner));
        Ok(expression(open as u32, self.at, kind))
    }

    /// An expression and the bracket behind it, passed even where what is before it cannot be
    /// read.
    fn enclosed(&mut self, open: usize, closer: u8) -> Expression {
        let start = self.at;
        self.within(false, |it| {
            let read = it.expression().and_then(|expression| {
                it.close(open, closer)?;
                Ok(expression)
            });
            read.unwrap_or_else(|fault| {
                it.give_up(fault, closer);
                unreadable(Span::new(start, it.at))
            })
        })
    }

    /// Goes on behind `closer` after a fault.
    fn give_up(&mut self, fault: Fault, closer: u8) {
        self.fault(fault);
        self.skip(closer, false);
        self.take(closer);
        self.height = 1;
    }

    fn tuple(&mut self) -> Read<Expression> {
        let open = self.at;
        self.at += 1;
        if self.within(false, |it| it.is_keyword("for")) {
            return self.for_expression(open, b']');
        }
        let (elements, _) = self.list(open, b']');
        self.grow(self.height)?;
        Ok(expression(
            open as u32,
            self.at,
            ExpressionKind::Tuple(elements),
        ))
    }

    /// The expressions up to `closer`, which is passed, and whether `...` stands behind the last.
    fn list(&mut self, open: usize, closer: u8) -> (Vec<Expression>, bool) {
        self.within(false, |it| {
            let mut elements = Vec::new();
            let mut expands = false;
            let mut height = 0;
            while !it.take(closer) {
                let start = it.at;
                let element = it.expression().and_then(|element| {
                    match it.next() {
                        Some(b',') => it.at += 1,
                        Some(byte) if byte == closer => {}
                        Some(b'.') if closer == b')' && it.is_ellipsis() => {
                            it.at += 3;
                            expands = true;
                            if it.next() != Some(closer) {
                                return Err(it.unclosed(open, closer));
                            }
                        }
                        None | Some(b'}') => return Err(it.unclosed(open, closer)),
                        _ => return Err(it.missing("a comma")),
                    }
                    Ok(element)
                });
                height = height.max(it.height);
                match element {
                    Ok(element) => elements.push(element),
                    Err(fault) => {
                        it.fault(fault);
                        let end = it.at;
                        // a string that is not closed takes the rest of its line
                        if !matches!(it.text[end..], [b'\n', ..] | [b'\r', b'\n', ..]) {
                            it.skip(closer, true);
                        }
                        elements.push(unreadable(Span::new(start, it.at.max(start))));
                        if matches!(it.next(), None | Some(b'}')) {
                            break;
                        }
                        it.take(b',');
                    }
                }
            }
            it.height = height;
            (elements, expands)
        })
    }

    fn call(&mut self, first: Span) -> Read<Expression> {
        let mut text = self.source.slice(first).to_owned();
        let mut span = first;
        while self.next() == Some(b':') && self.second() == Some(b':') {
            self.at += 2;
            let Some(word) = self.word() else {
                return Err(self.missing("a name"));
            };
            text.push_str("::");
            text.push_str(self.source.slice(word));
            span.end = word.end;
        }
        if self.next() != Some(b'(') {
            return Err(self.missing("`(`"));
        }
        let open = self.at;
        self.at += 1;
        let (arguments, expands) = self.list(open, b')');
        self.grow(self.height)?;
        let call = Call {
            name: Name {
                text: text.into(),
                span,
            },
            arguments,
            expands,
        };
        let kind = ExpressionKind::Call(Box::new(call));
        Ok(expression(first.start, self.at, kind))
    }

    fn object(&mut self) -> Read<Expression> {
        let open = self.at;
        self.at += 1;
        let behind = self.at;
        if self.within(false, |it| it.is_keyword("for")) {
            return self.for_expression(open, b'}');
        }
        self.at = behind;
        let entries = self.within(true, |it| it.entries(open));
        self.grow(self.height)?;
        let kind = ExpressionKind::Object(entries);
        Ok(expression(open as u32, self.at, kind))
    }

    fn entries(&mut self, open: usize) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut height = 0;
        let closed = loop {
            match self.next() {
                Some(b'\n') => {
                    if !self.next_line() {
                        break false;
                    }
                }
                Some(b'}') => {
                    self.at += 1;
                    break true;
                }
                None => break false,
                Some(_) => {
                    let bound = self.begin();
                    entries.push(self.entry(open));
                    self.bound = bound;
                    height = height.max(self.height);
                }
            }
        };
        if !closed {
            self.fault(Fault::UnclosedBracket(Span::new(open, open + 1)));
            let nothing = Span::at(self.at);
            entries.push(Entry {
                key: Key::Expression(unreadable(nothing)),
                value: unreadable(nothing),
            });
        }
        self.height = height;
        entries
    }

    fn entry(&mut self, open: usize) -> Entry {
        let mut start = self.at;
        let mut key = None;
        let value = self.entry_value(open, &mut start, &mut key);
        let value = value.unwrap_or_else(|fault| {
            self.fault(fault);
            self.skip(b'}', true);
            self.take(b',');
            self.height = 1;
            unreadable(Span::new(start, self.at.max(start)))
        });
        let key = key.unwrap_or_else(|| Key::Expression(unreadable(value.span)));
        Entry { key, value }
    }

    /// Reads an entry and the comma behind it; the key, and the value's start, as soon as they are
    /// known.
    fn entry_value(
        &mut self,
        open: usize,
        start: &mut usize,
        key: &mut Option<Key>,
    ) -> Read<Expression> {
        let bare = self.next() != Some(b'(');
        let read = self.expression()?;
        let height = self.height;
        let text: Option<Box<str>> = match read.kind {
            ExpressionKind::Bool(true) if bare => Some("true".into()),
            ExpressionKind::Bool(false) if bare => Some("false".into()),
            ExpressionKind::Null if bare => Some("null".into()),
            ExpressionKind::Variable(ref name) if bare => Some(name.clone()),
            _ => None,
        };
        *key = Some(match text {
            Some(text) => Key::Name(Name {
                text,
                span: read.span,
            }),
            None => Key::Expression(read),
        });
        match (self.next(), self.second()) {
            (Some(b'='), Some(b'=' | b'>')) | (Some(b':'), Some(b':')) => {
                return Err(self.missing("`=`"));
            }
            (Some(b'=' | b':'), _) => self.at += 1,
            (None, _) => return Err(self.unclosed(open, b'}')),
            _ => return Err(self.missing("`=`")),
        }
        self.next();
        *start = self.at;
        let value = self.expression()?;
        match self.next() {
            Some(b',') => self.at += 1,
            Some(b'\n' | b'}') => {}
            None => return Err(self.unclosed(open, b'}')),
            _ => return Err(self.missing("a comma or a new line")),
        }
        self.height = height.max(self.height);
        Ok(value)
    }

    fn for_expression(&mut self, open: usize, closer: u8) -> Read<Expression> {
        let read = self.within(false, |it| {
            let read = it.for_parts(closer).and_then(|parts| {
                it.close(open, closer)?;
                Ok(parts)
            });
            read.map_err(|fault| it.give_up(fault, closer))
        });
        let kind = match read {
            Ok(parts) => {
                self.grow(self.height)?;
                ExpressionKind::For(parts)
            }
            Err(()) => ExpressionKind::Unreadable,
        };
        Ok(expression(open as u32, self.at, kind))
    }

    fn for_parts(&mut self, closer: u8) -> Read<Box<For>> {
        self.keyword("for");
        let (key, value, collection) = self.for_head()?;
        let mut height = self.height;
        self.colon()?;
        let mut result = self.expression()?;
        height = height.max(self.height);
        let mut result_key = None;
        if self.next() == Some(b'=') && self.second() == Some(b'>') {
            if closer == b']' {
                return Err(Fault::Unexpected(Span::new(self.at, self.at + 2)));
            }
            self.at += 2;
            result_key = Some(std::mem::replace(&mut result, self.expression()?));
            height = height.max(self.height);
        } else if closer == b'}' {
            return Err(self.missing("`=>`"));
        }
        let groups = self.next() == Some(b'.') && self.is_ellipsis();
        if groups {
            if closer == b']' {
                return Err(Fault::Unexpected(Span::new(self.at, self.at + 3)));
            }
            self.at += 3;
        }
        let mut condition = None;
        if self.keyword("if") {
            condition = Some(self.expression()?);
            height = height.max(self.height);
        }
        self.height = height;
        Ok(Box::new(For {
            key,
            value,
            collection,
            result_key,
            result,
            condition,
            groups,
        }))
    }

    /// `key, value in collection`
    pub(super) fn for_head(&mut self) -> Read<(Option<Name>, Name, Expression)> {
        let Some(mut value) = self.name() else {
            return Err(self.missing("a name"));
        };
        let mut key = None;
        if self.take(b',') {
            let Some(second) = self.name() else {
                return Err(self.missing("a name"));
            };
            key = Some(std::mem::replace(&mut value, second));
        }
        if !self.keyword("in") {
            return Err(self.missing("`in`"));
        }
        Ok((key, value, self.expression()?))
    }
}
