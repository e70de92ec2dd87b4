//! The `type` of a variable: what values of it are made into.
//!
//! See <https://developer.hashicorp.com/terraform/language/expressions/type-constraints>.

use std::path::Path;
use std::sync::Arc;

use super::convert::convert;
use super::evaluate::evaluate;
use super::scope::{Resolved, Scope};
use super::types::Type;
use super::value::{Data, Entry, Found, Value};
use crate::syntax::{Expression, ExpressionKind, Key};

/// What values of a variable are made into.
#[derive(Clone, Debug)]
pub struct Constraint(Shape);

#[derive(Clone, Debug)]
enum Shape {
    /// Of a leaf, `any`, or what is not understood.
    Plain(Type),
    List(Box<Shape>),
    Set(Box<Shape>),
    Map(Box<Shape>),
    Tuple(Vec<Shape>),
    Object(Vec<(Arc<str>, Shape, Presence)>),
}

/// Whether an attribute of an object must be there.
#[derive(Clone, Debug)]
enum Presence {
    Required,
    /// And what stands in its place.
    Optional(Value),
}

/// Reads a type constraint. One that is not understood makes every value unknown.
pub fn constraint(expression: &Expression, file: &Arc<Path>) -> Constraint {
    Constraint(shape(expression, file).unwrap_or(Shape::Plain(Type::Unsure)))
}

impl Constraint {
    /// Any value, as it is.
    pub fn any() -> Self {
        Self(Shape::Plain(Type::Any))
    }

    /// The type of the values.
    pub fn ty(&self) -> Type {
        match self.0.ty() {
            // which of all types nobody can tell
            Type::Any => Type::Unsure,
            ty => ty,
        }
    }

    /// What `value` is made into. Unknown when Terraform would refuse it.
    pub fn applied(&self, value: &Value) -> Value {
        let ty = self.0.ty();
        if ty == Type::Unsure {
            return Value::unknown();
        }
        let filled = self.0.filled(value);
        convert(&filled, &ty).unwrap_or_else(|_| Value::unknown_of(self.ty()))
    }
}

impl Shape {
    fn ty(&self) -> Type {
        match self {
            Shape::Plain(ty) => ty.clone(),
            Shape::List(element) => Type::list(element.ty()),
            Shape::Set(element) => Type::set(element.ty()),
            Shape::Map(element) => Type::map(element.ty()),
            Shape::Tuple(elements) => Type::Tuple(elements.iter().map(Shape::ty).collect()),
            Shape::Object(attributes) => {
                let types = attributes
                    .iter()
                    .map(|(name, it, _)| (name.clone(), it.ty()));
                Type::Object(types.collect())
            }
        }
    }

    /// The value with what is missing in objects put in, and what is too much left out.
    fn filled(&self, value: &Value) -> Value {
        let elements = |elements: &[Value], of: &Shape| -> Arc<[Value]> {
            elements.iter().map(|it| of.filled(it)).collect()
        };
        let data = match (self, &value.data) {
            (
                Shape::List(of) | Shape::Set(of),
                Data::Tuple(all) | Data::List(_, all) | Data::Set(_, all),
            ) => Data::Tuple(elements(all, of)),
            (Shape::Tuple(of), Data::Tuple(all)) if of.len() == all.len() => {
                Data::Tuple(all.iter().zip(of).map(|(it, of)| of.filled(it)).collect())
            }
            (Shape::Map(of), Data::Object(entries) | Data::Map(_, entries)) => {
                let filled = entries.iter().map(|it| Entry {
                    value: of.filled(&it.value),
                    ..it.clone()
                });
                Data::Object(filled.collect())
            }
            (Shape::Object(attributes), Data::Object(_) | Data::Map(..)) => {
                let mut entries = Vec::new();
                for (name, of, presence) in attributes {
                    let given = match value.get(name) {
                        Found::Entry(entry) => Some(entry.clone()),
                        Found::Absent | Found::Unknown => None,
                    };
                    match (given, presence) {
                        (Some(entry), Presence::Optional(default)) if entry.value.is_null() => {
                            entries.push(Entry::new(name, default.clone()));
                        }
                        (Some(entry), _) => entries.push(Entry {
                            value: of.filled(&entry.value),
                            ..entry
                        }),
                        (None, Presence::Optional(default)) => {
                            entries.push(Entry::new(name, default.clone()));
                        }
                        // Terraform refuses it
                        (None, Presence::Required) => {}
                    }
                }
                return Value {
                    data: Value::object(entries).data,
                    ..value.clone()
                };
            }
            _ => return value.clone(),
        };
        Value {
            data,
            ..value.clone()
        }
    }
}

fn shape(expression: &Expression, file: &Arc<Path>) -> Option<Shape> {
    let plain = |name: &str| {
        Some(Shape::Plain(match name {
            "string" => Type::Text,
            "number" => Type::Number,
            "bool" => Type::Bool,
            "any" => Type::Any,
            // as Terraform 0.11 had them
            "list" => return Some(Shape::List(Box::new(Shape::Plain(Type::Any)))),
            "map" => return Some(Shape::Map(Box::new(Shape::Plain(Type::Any)))),
            _ => return None,
        }))
    };
    let call = match &expression.kind {
        ExpressionKind::Variable(name) => return plain(name),
        ExpressionKind::Call(call) => call,
        ExpressionKind::Parenthesis(inner) => return shape(inner, file),
        // in quotes, as Terraform 0.11 had it
        _ => return plain(expression.literal()?.0),
    };
    let [argument] = &call.arguments[..] else {
        return None;
    };
    let of = || shape(argument, file).map(Box::new);
    Some(match (&*call.name.text, &argument.kind) {
        ("list", _) => Shape::List(of()?),
        ("set", _) => Shape::Set(of()?),
        ("map", _) => Shape::Map(of()?),
        ("tuple", ExpressionKind::Tuple(elements)) => Shape::Tuple(
            elements
                .iter()
                .map(|it| shape(it, file))
                .collect::<Option<_>>()?,
        ),
        ("object", ExpressionKind::Object(entries)) => {
            let attribute = |entry: &crate::syntax::Entry| {
                let name = match &entry.key {
                    Key::Name(name) => &*name.text,
                    Key::Expression(key) => key.literal()?.0,
                };
                let (of, presence) = attribute(&entry.value, file)?;
                Some((Arc::<str>::from(name), of, presence))
            };
            let mut attributes: Vec<(Arc<str>, Shape, Presence)> =
                entries.iter().map(attribute).collect::<Option<_>>()?;
            attributes.sort_by(|a, b| a.0.cmp(&b.0));
            Shape::Object(attributes)
        }
        _ => return None,
    })
}

/// `type`, `optional(type)` or `optional(type, default)`
fn attribute(expression: &Expression, file: &Arc<Path>) -> Option<(Shape, Presence)> {
    let ExpressionKind::Call(call) = &expression.kind else {
        return Some((shape(expression, file)?, Presence::Required));
    };
    if *call.name.text != *"optional" {
        return Some((shape(expression, file)?, Presence::Required));
    }
    let (of, default) = match &call.arguments[..] {
        [of] => (shape(of, file)?, None),
        [of, default] => (shape(of, file)?, Some(default)),
        _ => return None,
    };
    let default = match default {
        Some(default) => of.filled(&evaluate(default, &Nothing, file)),
        None => Value::null(of.ty()),
    };
    Some((of, Presence::Optional(default)))
}

/// A default may name nothing.
struct Nothing;

impl Scope for Nothing {
    fn reference(&self, _: &str, _: &[&str]) -> Option<Resolved> {
        None
    }
}
