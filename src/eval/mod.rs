//! What an expression comes to, and where each value was written.
//!
//! So far literals are known and everything else is unknown: unknown is silent, never guessed.

use hcl::edit::expr::{Expression, Object, ObjectKey};

use crate::config::Expr;
use crate::text::{REPLACEMENT, Span};

/// What a value is, as far as anybody who reads the file can tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A text, and the bytes that it was written in: between the quotes, or both quotes when it is
    /// empty.
    Known(String, Span),
    /// `null`, which HCL drops from a map.
    Null(Span),
    /// Anything that is not known.
    Unknown(Span),
}

/// One entry of a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// The key as written, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Value,
}

/// A map: the entries that are known, in the order in which they were written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Map {
    /// The known entries. Of two with one key the last counts.
    pub entries: Vec<Entry>,
    /// Whether there may be others.
    pub open: bool,
}

/// What a map says of one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found<'a> {
    /// The entry.
    Entry(&'a Entry),
    /// The map has no such key, or null in its place.
    Absent,
    /// It may have one.
    Unknown,
}

impl Map {
    /// What the map says of `key`.
    pub fn get(&self, key: &str) -> Found<'_> {
        match self.entries.iter().rev().find(|it| it.key == key) {
            Some(Entry {
                value: Value::Null(_),
                ..
            }) => Found::Absent,
            Some(entry) => Found::Entry(entry),
            None if self.open => Found::Unknown,
            None => Found::Absent,
        }
    }

    /// The known text of `key`, and where it was written.
    pub fn known(&self, key: &str) -> Option<(&str, Span)> {
        match self.get(key) {
            Found::Entry(Entry {
                value: Value::Known(text, span),
                ..
            }) => Some((text, *span)),
            _ => None,
        }
    }
}

/// What `expr` is as a map.
pub fn map(expr: &Expr) -> Map {
    match strip(&expr.node) {
        Expression::Object(object) => object_map(expr, object),
        Expression::Null(_) => Map::default(),
        _ => Map {
            entries: Vec::new(),
            open: true,
        },
    }
}

fn object_map(expr: &Expr, object: &Object) -> Map {
    let mut map = Map::default();
    for (key, value) in object {
        let (text, key_span) = match key {
            ObjectKey::Ident(name) => (Some(name.as_str().to_owned()), expr.span(name)),
            ObjectKey::Expression(key) => {
                let text = match text(expr, key) {
                    Value::Known(text, _) => Some(text),
                    Value::Null(_) | Value::Unknown(_) => None,
                };
                (text, expr.span(key))
            }
        };
        match text {
            Some(key) => map.entries.push(Entry {
                key,
                key_span,
                value: self::text(expr, value.expr()),
            }),
            None => map.open = true,
        }
    }
    map
}

/// What a node of `expr` is as a text.
pub fn text(expr: &Expr, node: &Expression) -> Value {
    let node = strip(node);
    let whole = expr.span(node);
    match node {
        Expression::String(text) if !text.contains(REPLACEMENT) => {
            let inner = Span::new(whole.start as usize + 1, whole.end as usize - 1);
            let span = if inner.is_empty() { whole } else { inner };
            Value::Known(text.as_str().to_owned(), span)
        }
        Expression::Bool(value) => Value::Known(value.value().to_string(), whole),
        Expression::Number(number) if number.value().is_i64() || number.value().is_u64() => {
            Value::Known(number.value().to_string(), whole)
        }
        Expression::Null(_) => Value::Null(whole),
        _ => Value::Unknown(whole),
    }
}

fn strip(mut node: &Expression) -> &Expression {
    while let Expression::Parenthesis(inner) = node {
        node = inner.inner();
    }
    node
}
