//! `tostring` and its kin, and the marks of what is sensitive.

use super::*;
use crate::eval::convert::convert;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("tobool", &[VERBATIM], Kind::Bool, |_, it| {
        to(&it[0], Type::Bool)
    }),
    fixed("tonumber", &[VERBATIM], Kind::Number, |_, it| {
        to(&it[0], Type::Number)
    }),
    fixed("tostring", &[VERBATIM], Kind::Text, |_, it| {
        to(&it[0], Type::Text)
    }),
    fixed("tolist", &[VERBATIM], Kind::Any, |_, it| {
        to(&it[0], Type::list(Type::Any))
    }),
    fixed("toset", &[VERBATIM], Kind::Any, |_, it| {
        to(&it[0], Type::set(Type::Any))
    }),
    fixed("tomap", &[VERBATIM], Kind::Any, |_, it| {
        to(&it[0], Type::map(Type::Any))
    }),
    fixed("sensitive", &[OPAQUE], Kind::Any, |_, it| {
        Ok(it[0].clone().marked(true))
    }),
    fixed("nonsensitive", &[OPAQUE], Kind::Any, |_, it| {
        Ok(Value {
            sensitive: false,
            ..it[0].clone()
        })
    }),
    fixed("issensitive", &[OPAQUE], Kind::Bool, issensitive),
    fixed("ephemeralasnull", &[OPAQUE], Kind::Any, |_, it| {
        Ok(it[0].clone())
    }),
    // of the console only
    fixed("type", &[VERBATIM], Kind::Any, |_, _| {
        unsupported(Kind::Any)
    }),
];

fn to(value: &Value, ty: Type) -> Outcome {
    // the type of a null or of an empty collection is never left open by a conversion's result
    convert(value, &ty)
}

fn issensitive(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    match &it[0] {
        value if value.sensitive => Ok(Value::bool(true)),
        value if !value.is_known() => unsupported(Kind::Bool),
        _ => Ok(Value::bool(false)),
    }
}
