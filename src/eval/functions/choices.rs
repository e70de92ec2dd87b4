//! One of several: an element, the first of some kind, whether there is one.

use super::sequences::is_sequence;
use super::*;
use crate::eval::convert::convert;
use crate::eval::set::equal;
use crate::eval::unify::unify;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed(
        "alltrue",
        &[Parameter::of(Kind::Bools)],
        Kind::Bool,
        |_, it| all_true(&it[0]),
    ),
    fixed(
        "anytrue",
        &[Parameter::of(Kind::Bools)],
        Kind::Bool,
        |_, it| any_true(&it[0]),
    ),
    variadic(
        "coalesce",
        &[],
        ANY.unknown().dynamic().null(),
        Kind::Any,
        coalesce,
    ),
    variadic(
        "coalescelist",
        &[],
        ANY.unknown().dynamic().null(),
        Kind::Any,
        coalescelist,
    ),
    fixed("contains", &[ANY.opaque(), ANY], Kind::Bool, contains),
    fixed(
        "element",
        &[ANY.marked().opaque(), NUMBER],
        Kind::Any,
        element,
    ),
    fixed("index", &[ANY, ANY], Kind::Number, index),
    fixed("one", &[ANY.opaque()], Kind::Any, one),
];

fn all_true(list: &Value) -> Outcome {
    for it in list.elements() {
        match it.data {
            Data::Bool(true) => {}
            Data::Bool(false) | Data::Null(_) => return Ok(Value::bool(false)),
            _ => return unsupported(Kind::Bool),
        }
    }
    Ok(Value::bool(true))
}

fn any_true(list: &Value) -> Outcome {
    let any = |test: fn(&Value) -> bool| list.elements().iter().any(test);
    if any(|it| matches!(it.data, Data::Bool(true))) {
        return Ok(Value::bool(true));
    }
    if any(|it| !it.is_known()) {
        return unsupported(Kind::Bool);
    }
    Ok(Value::bool(false))
}

/// The first that is neither null nor an empty text.
fn coalesce(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let types: Vec<Type> = it.iter().map(Value::ty).collect();
    let ty = unify(&types, true).ok_or(Failure::ANY)?;
    for value in it {
        let Ok(converted) = convert(value, &ty) else {
            // Terraform counts on it that this does not happen
            return unsupported(Kind::Any);
        };
        match &converted.data {
            Data::Null(_) => {}
            Data::Text(text) if text.is_empty() && ty == Type::Text => {}
            _ => return Ok(converted),
        }
    }
    Err(Failure::ANY)
}

fn coalescelist(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if it.is_empty() {
        return Err(Failure::ANY);
    }
    for value in it {
        match &value.data {
            Data::List(..) | Data::Tuple(_) => {}
            Data::Null(Type::List(_) | Type::Tuple(_)) => {}
            Data::Unknown(_) | Data::Open(_) => break,
            _ => return Err(Failure::ANY),
        }
    }
    for value in it {
        match &value.data {
            Data::Null(_) => {}
            Data::List(_, elements) | Data::Tuple(elements) if elements.is_empty() => {}
            _ => return Ok(value.clone()),
        }
    }
    Err(Failure::ANY)
}

fn contains(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !matches!(it[0].data, Data::List(..) | Data::Tuple(_) | Data::Set(..)) {
        return Err(Failure::ANY);
    }
    let mut unknown = false;
    for element in it[0].elements() {
        match equal(&it[1], element) {
            Some(true) => return Ok(Value::bool(true)),
            Some(false) => {}
            None => unknown = true,
        }
    }
    match unknown {
        true => unsupported(Kind::Bool),
        false => Ok(Value::bool(false)),
    }
}

fn element(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !is_sequence(&it[0]) {
        return Err(Failure::ANY);
    }
    let index = integer(&it[1])?;
    let elements = it[0].elements();
    if elements.is_empty() {
        return Err(Failure::ANY);
    }
    let at = index.rem_euclid(elements.len() as i64) as usize;
    if index < 0 && at != 0 && matches!(it[0].data, Data::Tuple(_)) {
        // an error in 1.11, and later the same as of a list
        evaluator.doubt();
        return Err(Failure::ANY);
    }
    Ok(elements[at].clone().marked(it[0].sensitive))
}

fn index(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !is_sequence(&it[0]) {
        return Err(Failure::ANY);
    }
    for (at, element) in it[0].elements().iter().enumerate() {
        match equal(element, &it[1]) {
            Some(true) => return Ok(Value::integer(at as i64)),
            Some(false) => {}
            None => return unsupported(Kind::Number),
        }
    }
    Err(Failure::ANY)
}

fn one(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    match (&it[0].data, it[0].elements()) {
        (Data::Tuple(_) | Data::List(..) | Data::Set(..), [one]) => Ok(one.clone()),
        (Data::Tuple(_), []) => Ok(Value::null(Type::Any)),
        (Data::List(ty, _) | Data::Set(ty, _), []) => Ok(Value::null(ty.clone())),
        (Data::Set(..), _) if !it[0].is_wholly_known() => unsupported(Kind::Any),
        _ => Err(Failure::ANY),
    }
}
