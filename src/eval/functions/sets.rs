//! Sets.

use super::*;
use crate::eval::convert::convert;
use crate::eval::set::{build, equal};
use crate::eval::unify::unify;

pub(super) const FUNCTIONS: &[Function] = &[
    variadic(
        "setintersection",
        &[SET],
        SET,
        Kind::Any,
        |evaluator, it| {
            operation(evaluator, it, |a, b| {
                a.iter().filter(|it| has(b, it)).cloned().collect()
            })
        },
    ),
    variadic(
        "setproduct",
        &[],
        ANY.unknown().marked(),
        Kind::Any,
        setproduct,
    ),
    fixed("setsubtract", &[SET, SET], Kind::Any, |evaluator, it| {
        operation(evaluator, it, |a, b| {
            a.iter().filter(|it| !has(b, it)).cloned().collect()
        })
    }),
    variadic("setunion", &[SET], SET, Kind::Any, |evaluator, it| {
        operation(evaluator, it, |a, b| a.iter().chain(b).cloned().collect())
    }),
];

fn has(elements: &[Value], value: &Value) -> bool {
    elements.iter().any(|it| equal(it, value) == Some(true))
}

fn operation(
    evaluator: &Evaluator<'_>,
    sets: &[Value],
    combine: fn(&[Value], &[Value]) -> Vec<Value>,
) -> Outcome {
    if !sets.iter().all(Value::is_wholly_known) {
        return unsupported(Kind::Any);
    }
    let mut types = Vec::new();
    for set in sets {
        let Data::Set(ty, elements) = &set.data else {
            return unsupported(Kind::Any);
        };
        // an empty set of anything can be one of whatever the others are
        if !(elements.is_empty() && *ty == Type::Any) {
            types.push(ty.clone());
        }
    }
    let ty = match types.is_empty() {
        true => Type::Any,
        false => unify(&types, true).ok_or(Failure::ANY)?,
    };
    if ty.is_open() && !types.is_empty() {
        return unsupported(Kind::Any);
    }
    let wanted = Type::set(ty.clone());
    let mut result: Option<Vec<Value>> = None;
    for set in sets {
        let set = convert(set, &wanted).map_err(|_| Failure::ANY)?;
        let elements = set.elements();
        let before = result.as_ref().map_or(0, Vec::len);
        if !set.is_known() || !evaluator.spend(before.saturating_mul(elements.len())) {
            return unsupported(Kind::Any);
        }
        result = Some(match result {
            None => elements.to_vec(),
            Some(before) => combine(&before, elements),
        });
    }
    Ok(build(ty, result.unwrap_or_default()).into())
}

/// All combinations of one element of each: a list of tuples if all are lists, else a set.
fn setproduct(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if it.len() < 2 {
        return Err(Failure::ANY);
    }
    let hidden = it.iter().any(|it| it.sensitive);
    let mut types = Vec::new();
    let mut lists = true;
    let mut known = true;
    for value in it {
        let ty = match &value.data {
            Data::Set(ty, _) => {
                lists = false;
                known &= value.is_wholly_known() || value.elements().len() < 2;
                ty.clone()
            }
            Data::List(ty, _) => ty.clone(),
            Data::Tuple(elements) if elements.is_empty() => Type::Any,
            Data::Tuple(elements) => {
                let types: Vec<Type> = elements.iter().map(Value::ty).collect();
                unify(&types, true).ok_or(Failure::ANY)?
            }
            Data::Unknown(
                Type::Unsure | Type::Any | Type::List(_) | Type::Set(_) | Type::Tuple(_),
            ) => {
                known = false;
                continue;
            }
            _ => return Err(Failure::ANY),
        };
        // elements of several types that have none in common but `Any` are Terraform's own to sort out
        known &= !ty.is_open() || value.elements().iter().all(|it| it.ty() == ty);
        types.push(ty);
    }
    if !known {
        return Ok(Value::unknown().marked(hidden));
    }
    let total = it.iter().fold(it.len(), |total, it| {
        total.saturating_mul(it.elements().len())
    });
    if !evaluator.spend(total) {
        return Ok(Value::unknown().marked(hidden));
    }
    let mut product: Vec<Vec<Value>> = vec![Vec::new()];
    for (value, ty) in it.iter().zip(&types) {
        let mut longer = Vec::with_capacity(product.len() * value.elements().len());
        for before in &product {
            for element in value.elements() {
                let element = convert(element, ty).map_err(|_| Failure::ANY)?;
                longer.push([before.as_slice(), &[element]].concat());
            }
        }
        product = longer;
    }
    let ty = Type::Tuple(types.into());
    let tuples: Vec<Value> = product.into_iter().map(Value::tuple).collect();
    let within = !lists && tuples.iter().any(Value::contains_sensitive);
    let data = match lists {
        true => Data::List(ty, tuples.into()),
        false => build(ty, tuples),
    };
    Ok(Value::from(data).marked(hidden || within))
}
