//! References, attributes and indexes.
//!
//! <https://github.com/hashicorp/hcl/blob/v2.23.0/ops.go>

use std::sync::Arc;

use super::convert::{Failure, Outcome, convert};
use super::evaluate::{Evaluator, Frame};
use super::types::Type;
use super::value::{Data, Found, Origin, Through, Value};
use crate::syntax::{Expression, ExpressionKind};
use crate::text::Span;

impl Evaluator<'_> {
    /// A name and the attributes behind it.
    pub(super) fn traversal(&self, expression: &Expression, frame: Frame<'_>) -> Outcome {
        let mut names: Vec<&str> = Vec::new();
        let mut root = expression;
        while let ExpressionKind::Attribute(source, name) = &root.kind {
            names.push(&name.text);
            root = source;
        }
        names.reverse();
        let ExpressionKind::Variable(variable) = &root.kind else {
            return self.attributes(root, &names, frame);
        };
        let (value, reference) = self.referred(variable, &names, frame)?;
        Ok(match reference {
            Some(reference) => self.came_through(value, reference, expression.span),
            None => value,
        })
    }

    /// What a path of names refers to, and the reference that it takes to get there.
    fn referred(
        &self,
        variable: &str,
        names: &[&str],
        frame: Frame<'_>,
    ) -> Result<(Value, Option<Arc<str>>), Failure> {
        if let Some(value) = frame.find(variable) {
            return Ok((self.follow(value.clone(), names)?, None));
        }
        let Some(found) = self.scope.reference(variable, names) else {
            return Ok((self.beyond(), None));
        };
        let used = found.used.min(names.len());
        let value = self.follow(found.value, &names[used..])?;
        let reference = [&[variable], &names[..used]].concat().join(".");
        Ok((value, Some(reference.into())))
    }

    fn attributes(&self, source: &Expression, names: &[&str], frame: Frame<'_>) -> Outcome {
        let value = self.expression(source, frame).map_err(|_| Failure::ANY)?;
        self.follow(value, names)
    }

    fn follow(&self, value: Value, names: &[&str]) -> Outcome {
        let mut value = value;
        for name in names {
            value = attribute(&value, name)?;
            if !value.is_known() {
                self.doubt();
            }
        }
        Ok(value)
    }

    /// Notes in every leaf of `value` that it came through a reference.
    fn came_through(&self, value: Value, reference: Arc<str>, span: Span) -> Value {
        let place = self.place(span);
        // leaves that came the same way so far share the rest of it too
        let mut last: Option<Arc<Through>> = None;
        if !self.spend_on(&value) {
            return self.beyond();
        }
        value.map_all(&mut |it| {
            let Some(origin) = &it.origin else {
                return it;
            };
            let same = last
                .as_ref()
                .filter(|last| match (&last.before, &origin.through) {
                    (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                    (None, None) => true,
                    _ => false,
                });
            let through = same.cloned().unwrap_or_else(|| {
                Arc::new(Through {
                    reference: reference.clone(),
                    place: place.clone(),
                    before: origin.through.clone(),
                })
            });
            last = Some(through.clone());
            let origin = Origin {
                through: Some(through),
                ..origin.clone()
            };
            it.from_origin(origin)
        })
    }

    /// An element of what a path of names refers to. Only the element came through the reference:
    /// the whole may be large.
    fn element_of_reference(
        &self,
        source: &Expression,
        key: &Expression,
        frame: Frame<'_>,
    ) -> Option<Outcome> {
        let mut names: Vec<&str> = Vec::new();
        let mut root = source;
        while let ExpressionKind::Attribute(source, name) = &root.kind {
            names.push(&name.text);
            root = source;
        }
        names.reverse();
        let ExpressionKind::Variable(variable) = &root.kind else {
            return None;
        };
        let value = self.referred(variable, &names, frame);
        let key = self.expression(key, frame);
        let (Ok((value, reference)), Ok(key)) = (value, key) else {
            return Some(Err(Failure::ANY));
        };
        let element = match index(&value, &key) {
            Ok(element) => element,
            Err(failure) => return Some(Err(failure)),
        };
        Some(Ok(match reference {
            Some(reference) => self.came_through(element, reference, source.span),
            None => element,
        }))
    }

    pub(super) fn index_expression(
        &self,
        source: &Expression,
        key: &Expression,
        frame: Frame<'_>,
    ) -> Outcome {
        if let Some(outcome) = self.element_of_reference(source, key, frame) {
            return outcome;
        }
        let value = self.expression(source, frame);
        let key = self.expression(key, frame);
        match (value, key) {
            (Ok(value), Ok(key)) => index(&value, &key),
            _ => Err(Failure::ANY),
        }
    }
}

/// `value.name`
pub(super) fn attribute(value: &Value, name: &str) -> Outcome {
    let found = match &value.data {
        Data::Object(_) | Data::Map(..) | Data::Open(_) => match value.get(name) {
            Found::Entry(entry) => entry.value.clone(),
            Found::Unknown => Value::unknown(),
            Found::Absent => return Err(Failure::ANY),
        },
        Data::Unknown(Type::Unsure | Type::Any) => Value::unknown(),
        Data::Unknown(Type::Map(element)) => Value::unknown_of((**element).clone()),
        Data::Unknown(ty @ Type::Object(_)) => match ty.attribute(name) {
            Some(ty) => Value::unknown_of(ty.clone()),
            None => return Err(Failure::ANY),
        },
        // `a.0` is read as an index, so a name is never one
        _ => return Err(Failure::ANY),
    };
    Ok(found.marked(value.sensitive))
}

/// `value[key]`
pub(super) fn index(value: &Value, key: &Value) -> Outcome {
    if value.is_null() || key.is_null() {
        return Err(Failure::ANY);
    }
    let hidden = value.sensitive;
    let ty = match &value.data {
        Data::Open(_) => Type::map(Type::Unsure),
        Data::Unknown(ty) => ty.clone(),
        Data::Tuple(_) => Type::Tuple([].into()),
        Data::Object(_) => Type::Object([].into()),
        _ => value.ty(),
    };
    let key_unsure = matches!(key.data, Data::Unknown(Type::Unsure | Type::Any));
    if key_unsure || matches!(ty, Type::Unsure | Type::Any) {
        return Ok(Value::unknown().marked(hidden));
    }
    match ty {
        Type::List(_) | Type::Tuple(_) => {
            let key = convert(key, &Type::Number)?;
            let found = element(value, &key)?;
            Ok(found.marked(hidden || key.sensitive))
        }
        Type::Map(_) | Type::Object(_) => {
            let is_map = matches!(ty, Type::Map(_));
            let key = convert(key, &Type::Text)?;
            let Some(name) = key.as_text() else {
                return Ok(Value::unknown().marked(hidden));
            };
            // a key's mark stays with the element of a map, and not with an object's attribute
            Ok(attribute(value, name)?.marked(is_map && key.sensitive))
        }
        _ => Err(Failure::ANY),
    }
}

fn element(value: &Value, key: &Value) -> Outcome {
    let Data::Number(number) = &key.data else {
        return Ok(match &value.data {
            Data::List(ty, _) => Value::unknown_of(ty.clone()),
            _ => Value::unknown(),
        });
    };
    let at = number.as_integer().and_then(|it| usize::try_from(it).ok());
    let at = at.ok_or(Failure::ANY)?;
    match &value.data {
        Data::Unknown(Type::Tuple(types)) => match types.get(at) {
            Some(ty) => Ok(Value::unknown_of(ty.clone())),
            None => Err(Failure::ANY),
        },
        Data::Unknown(Type::List(ty)) => Ok(Value::unknown_of((**ty).clone())),
        _ => value.elements().get(at).cloned().ok_or(Failure::ANY),
    }
}
