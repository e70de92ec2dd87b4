//! Lists and tuples made of others.

use std::sync::Arc;

use super::*;
use crate::eval::convert::convert;
use crate::eval::set::equal;
use crate::eval::unify::unify;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed(
        "chunklist",
        &[LIST.marked(), NUMBER.marked()],
        Kind::Any,
        chunklist,
    ),
    fixed("compact", &[TEXTS], Kind::Texts, compact),
    variadic("concat", &[], ANY.marked().opaque(), Kind::Any, concat),
    fixed("distinct", &[LIST], Kind::Any, distinct),
    fixed("flatten", &[ANY.marked().opaque()], Kind::Any, flatten),
    fixed(
        "length",
        &[ANY.unknown().dynamic().marked().opaque()],
        Kind::Number,
        length,
    ),
    fixed("matchkeys", &[LIST, LIST, LIST], Kind::Any, matchkeys),
    variadic("range", &[], NUMBER, Kind::Any, range),
    fixed("reverse", &[ANY.marked().opaque()], Kind::Any, reverse),
    fixed(
        "slice",
        &[ANY.marked().opaque(), NUMBER, NUMBER],
        Kind::Any,
        slice,
    ),
    fixed("sort", &[TEXTS.unknown()], Kind::Texts, sort),
    fixed("sum", &[ANY], Kind::Number, sum),
];

/// A list or a tuple of these elements, as the sequence that they are from.
fn like(sequence: &Value, elements: Vec<Value>) -> Value {
    let data = match &sequence.data {
        Data::List(ty, _) | Data::Set(ty, _) => Data::List(ty.clone(), elements.into()),
        _ => Data::Tuple(elements.into()),
    };
    Value::from(data).marked(sequence.sensitive)
}

pub(super) fn is_sequence(value: &Value) -> bool {
    matches!(value.data, Data::List(..) | Data::Tuple(_))
}

fn chunklist(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (list, size) = (&it[0], integer(&it[1])?);
    let size = usize::try_from(size).map_err(|_| Failure::ANY)?;
    let Data::List(ty, elements) = &list.data else {
        return unsupported(Kind::Any);
    };
    let chunk = |elements: &[Value]| Value::from(Data::List(ty.clone(), elements.into()));
    let chunks: Arc<[Value]> = match size {
        _ if elements.is_empty() => [].into(),
        0 => [chunk(elements)].into(),
        size => elements.chunks(size).map(chunk).collect(),
    };
    let hidden = list.sensitive || it[1].sensitive;
    Ok(Value::from(Data::List(Type::list(ty.clone()), chunks)).marked(hidden))
}

fn compact(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !it[0].is_wholly_known() {
        return unsupported(Kind::Texts);
    }
    let kept = it[0].elements().iter();
    let kept = kept.filter(|it| it.as_text().is_some_and(|it| !it.is_empty()));
    Ok(like(&it[0], kept.cloned().collect()))
}

fn concat(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let hidden = it.iter().any(|it| it.sensitive);
    let Some(first) = it.first() else {
        return Err(Failure::ANY);
    };
    let types: Vec<Type> = it.iter().map(Value::ty).collect();
    let lists = types.iter().all(|it| matches!(it, Type::List(_)));
    if matches!(first.data, Data::List(..))
        && lists
        && let Some(ty) = unify(&types, true)
    {
        let Type::List(element) = &ty else {
            return unsupported(Kind::Any);
        };
        let mut elements = Vec::new();
        for list in it {
            let list = convert(list, &ty).map_err(|_| Failure::ANY)?;
            elements.extend(list.elements().iter().cloned());
        }
        let list = Data::List((**element).clone(), elements.into());
        return Ok(Value::from(list).marked(hidden));
    }
    let mut elements = Vec::new();
    for sequence in it {
        if !is_sequence(sequence) {
            return Err(Failure::ANY);
        }
        elements.extend(sequence.elements().iter().cloned());
    }
    Ok(Value::tuple(elements).marked(hidden))
}

fn distinct(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !it[0].is_wholly_known() {
        return unsupported(Kind::Any);
    }
    let elements = it[0].elements();
    if !evaluator.spend(elements.len().saturating_pow(2) / 4) {
        return unsupported(Kind::Any);
    }
    let mut kept: Vec<Value> = Vec::new();
    for element in elements {
        if !kept.iter().any(|it| equal(it, element) == Some(true)) {
            kept.push(element.clone());
        }
    }
    Ok(like(&it[0], kept))
}

fn flatten(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !is_sequence(&it[0]) && !matches!(it[0].data, Data::Set(..)) {
        return Err(Failure::ANY);
    }
    let mut flat = Vec::new();
    let mut hidden = false;
    match flatten_into(&it[0], &mut flat, &mut hidden) {
        true => Ok(Value::tuple(flat).marked(hidden)),
        false => Ok(Value::unknown().marked(hidden)),
    }
}

/// Whether the result is known.
fn flatten_into(value: &Value, flat: &mut Vec<Value>, hidden: &mut bool) -> bool {
    *hidden |= value.sensitive;
    let elements = value.elements();
    if matches!(value.data, Data::Set(..)) && elements.len() > 1 && !value.is_wholly_known() {
        return false;
    }
    let mut known = true;
    for it in elements {
        known &= match &it.data {
            Data::Tuple(_) | Data::List(..) | Data::Set(..) => flatten_into(it, flat, hidden),
            Data::Unknown(
                Type::Unsure | Type::Any | Type::List(_) | Type::Set(_) | Type::Tuple(_),
            ) => {
                *hidden |= it.sensitive;
                false
            }
            _ => {
                flat.push(it.clone());
                true
            }
        };
    }
    known
}

fn length(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let value = &it[0];
    let length = match &value.data {
        // two unknown elements may turn out to be one
        Data::Set(_, elements) if elements.len() > 1 && !value.is_wholly_known() => None,
        Data::Tuple(elements) | Data::List(_, elements) | Data::Set(_, elements) => {
            Some(elements.len())
        }
        Data::Map(_, entries) | Data::Object(entries) => Some(entries.len()),
        Data::Open(open) if open.is_closed() => Some(open.entries.len()),
        Data::Text(text) => texts::graphemes(text).map(|it| it.len()),
        Data::Unknown(Type::Tuple(types)) => Some(types.len()),
        Data::Unknown(Type::Object(attributes)) => Some(attributes.len()),
        Data::Unknown(Type::Bool | Type::Number) => return Err(Failure::ANY),
        Data::Unknown(_) | Data::Open(_) => None,
        Data::Null(_) | Data::Bool(_) | Data::Number(_) => return Err(Failure::ANY),
    };
    let length = length.map(|it| Value::integer(it as i64));
    Ok(computed(length, Kind::Number)?.marked(value.sensitive))
}

fn matchkeys(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let [values, keys, searched] = it else {
        return Err(Failure::ANY);
    };
    let ty = unify(&[keys.ty(), searched.ty()], true).ok_or(Failure::ANY)?;
    if values.elements().len() != keys.elements().len() {
        return Err(Failure::ANY);
    }
    let (Ok(keys), Ok(searched)) = (convert(keys, &ty), convert(searched, &ty)) else {
        return unsupported(Kind::Any);
    };
    if !it.iter().all(Value::is_wholly_known) {
        return unsupported(Kind::Any);
    }
    let pairs = keys
        .elements()
        .len()
        .saturating_mul(searched.elements().len());
    if !evaluator.spend(pairs) {
        return unsupported(Kind::Any);
    }
    let found = values.elements().iter().zip(keys.elements());
    let found = found.filter(|(_, key)| {
        let mut searched = searched.elements().iter();
        searched.any(|it| equal(key, it) == Some(true))
    });
    Ok(like(values, found.map(|(it, _)| it.clone()).collect()))
}

fn range(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (zero, one) = (Number::integer(0), Number::integer(1));
    let towards = |start: &Number, end: &Number| {
        if end.compare(start).is_lt() {
            one.negated()
        } else {
            one.clone()
        }
    };
    let (start, end, step) = match it {
        [end] => (&zero, number(end)?, towards(&zero, number(end)?)),
        [start, end] => (
            number(start)?,
            number(end)?,
            towards(number(start)?, number(end)?),
        ),
        [start, end, step] => (number(start)?, number(end)?, number(step)?.clone()),
        _ => return Err(Failure::ANY),
    };
    let down = step.compare(&zero).is_lt();
    let order = end.compare(start);
    if if down { order.is_gt() } else { order.is_lt() } {
        return Err(Failure::ANY);
    }
    let mut values: Vec<Value> = Vec::new();
    let mut at = start.clone();
    loop {
        let order = at.compare(end);
        if order.is_eq() || order.is_lt() == down {
            break;
        }
        if values.len() >= 1024 {
            return Err(Failure::ANY);
        }
        values.push(at.clone().into());
        at = match at.plus(&step) {
            Some(next) => next,
            None => return unsupported(Kind::Any),
        };
    }
    Ok(Data::List(Type::Number, values.into()).into())
}

fn reverse(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !is_sequence(&it[0]) && !matches!(it[0].data, Data::Set(..)) {
        return Err(Failure::ANY);
    }
    if matches!(it[0].data, Data::Set(..)) && !it[0].is_wholly_known() {
        return unsupported(Kind::Any);
    }
    Ok(like(
        &it[0],
        it[0].elements().iter().rev().cloned().collect(),
    ))
}

fn slice(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !is_sequence(&it[0]) {
        return Err(Failure::ANY);
    }
    let bound = |it: &Value| usize::try_from(integer(it)?).map_err(|_| Failure::ANY);
    let (start, end) = (bound(&it[1])?, bound(&it[2])?);
    let part = it[0].elements().get(start..end).ok_or(Failure::ANY)?;
    Ok(like(&it[0], part.to_vec()))
}

fn sort(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !it[0].is_wholly_known() {
        return unsupported(Kind::Texts);
    }
    let mut elements = it[0].elements().to_vec();
    if elements.iter().any(Value::is_null) {
        return Err(Failure::ANY);
    }
    elements.sort_by(|a, b| a.as_text().cmp(&b.as_text()));
    Ok(like(&it[0], elements))
}

fn sum(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !matches!(it[0].data, Data::List(..) | Data::Tuple(_) | Data::Set(..)) {
        return Err(Failure::ANY);
    }
    if it[0].elements().is_empty() {
        return Err(Failure::ANY);
    }
    if !it[0].is_wholly_known() {
        return unsupported(Kind::Number);
    }
    let mut sum: Option<Number> = None;
    for value in it[0].elements() {
        let value = convert(value, &Type::Number).map_err(|_| Failure::ANY)?;
        if !value.is_known() {
            return unsupported(Kind::Number);
        }
        let value = number(&value)?;
        let next = match &sum {
            None => Some(value.clone()),
            Some(sum) => sum.plus(value),
        };
        match next {
            Some(next) => sum = Some(next),
            None => return unsupported(Kind::Number),
        }
    }
    computed(sum, Kind::Number)
}
