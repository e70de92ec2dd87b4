//! Which values are equal, and the order in which the elements of a set stand.

use std::cmp::Ordering;

use super::types::Type;
use super::value::{Data, Value};

/// Whether two values are equal; `None` if that cannot be known. Marks are no part of it.
///
/// <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/value_ops.go#L121>
pub(super) fn equal(a: &Value, b: &Value) -> Option<bool> {
    match (&a.data, &b.data) {
        (Data::Null(_), Data::Null(_)) => Some(true),
        (Data::Null(_), _) if b.is_known() => Some(false),
        (_, Data::Null(_)) if a.is_known() => Some(false),
        (Data::Bool(a), Data::Bool(b)) => Some(a == b),
        (Data::Number(a), Data::Number(b)) => Some(a.equals(b)),
        (Data::Text(a), Data::Text(b)) => Some(a == b),
        (Data::Open(_), _) | (_, Data::Open(_)) => None,
        (Data::Unknown(_), Data::Unknown(_)) => None,
        (Data::Unknown(ty), _) => differs(b, ty),
        (_, Data::Unknown(ty)) => differs(a, ty),
        _ => equal_within(a, b),
    }
}

/// A known value and an unknown one of another type are never equal.
fn differs(known: &Value, ty: &Type) -> Option<bool> {
    let never = !known.is_null() && !ty.is_open() && known.is_wholly_known() && known.ty() != *ty;
    never.then_some(false)
}

fn equal_within(a: &Value, b: &Value) -> Option<bool> {
    if unsure_within(a) || unsure_within(b) {
        return None;
    }
    if a.ty() != b.ty() {
        return Some(false);
    }
    if let (Data::Set(_, a), Data::Set(_, b)) = (&a.data, &b.data) {
        let known = a.iter().chain(b.iter()).all(Value::is_wholly_known);
        let same = || {
            a.len() == b.len()
                && a.iter()
                    .zip(b.iter())
                    .all(|(a, b)| equal(a, b) == Some(true))
        };
        return known.then(same);
    }
    let pairs = (a.entries(), b.entries());
    if pairs.0.len() != pairs.1.len() || a.elements().len() != b.elements().len() {
        return Some(false);
    }
    if pairs.0.iter().zip(pairs.1).any(|(a, b)| a.key != b.key) {
        return Some(false);
    }
    let mut unknown = false;
    for (a, b) in a.children().zip(b.children()) {
        match equal(a, b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => unknown = true,
        }
    }
    (!unknown).then_some(true)
}

/// Whether the type of something within is not known.
fn unsure_within(value: &Value) -> bool {
    match &value.data {
        Data::Unknown(ty) => ty.is_open(),
        Data::Open(_) => true,
        Data::Null(ty) => ty.is_unsure(),
        _ => value.children().any(unsure_within),
    }
}

/// A set of these elements. Sensitive ones make it all sensitive: see [`marked_within`].
pub(super) fn build(ty: Type, elements: Vec<Value>) -> Data {
    if elements.len() > 1
        && elements
            .iter()
            .any(|it| !it.is_wholly_known() && unsure_within(it))
    {
        return Data::Unknown(Type::set(ty));
    }
    let mut keyed: Vec<(Option<Vec<u8>>, Value)> = elements
        .into_iter()
        .map(|it| (hash_bytes_of(&it, &ty), it.unmarked().0))
        .collect();
    keyed.sort_by(|(a_key, a), (b_key, b)| order(a, b).then_with(|| a_key.cmp(b_key)));
    let mut kept: Vec<Value> = Vec::with_capacity(keyed.len());
    for (_, it) in keyed {
        if kept
            .last()
            .is_none_or(|last| equal(last, &it) != Some(true))
        {
            kept.push(it);
        }
    }
    Data::Set(ty, kept.into())
}

/// Whether a set of these elements is sensitive.
pub(super) fn marked_within(elements: &[Value]) -> bool {
    elements.iter().any(Value::contains_sensitive)
}

/// Nulls behind all others, unknowns behind those; texts by their bytes, `false` before `true`.
///
/// <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/set_internals.go#L70>
fn order(a: &Value, b: &Value) -> Ordering {
    let rank = |it: &Value| match &it.data {
        Data::Null(_) => 2,
        Data::Unknown(_) | Data::Open(_) => 1,
        _ => 0,
    };
    match (&a.data, &b.data) {
        (Data::Text(a), Data::Text(b)) => a.cmp(b),
        (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
        (Data::Number(a), Data::Number(b)) => a.compare(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

fn hash_bytes_of(value: &Value, ty: &Type) -> Option<Vec<u8>> {
    if ty.is_primitive() {
        return None;
    }
    let mut bytes = Vec::new();
    hash_bytes(value, &mut bytes);
    Some(bytes)
}

/// What elements of no order of their own are sorted by.
///
/// <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/set_internals.go#L119>
fn hash_bytes(value: &Value, bytes: &mut Vec<u8>) {
    let (open, close) = match &value.data {
        Data::Null(_) => return bytes.push(b'~'),
        Data::Unknown(_) | Data::Open(_) => return bytes.push(b'?'),
        Data::Bool(value) => return bytes.push(if *value { b'T' } else { b'F' }),
        Data::Number(number) => return bytes.extend(number.format('g', Some(10)).bytes()),
        Data::Text(text) => return quote(text, bytes),
        Data::Map(..) => (b'{', b'}'),
        Data::List(..) | Data::Set(..) => (b'[', b']'),
        Data::Object(_) | Data::Tuple(_) => (b'<', b'>'),
    };
    bytes.push(open);
    if let Data::Map(_, entries) = &value.data {
        for entry in entries.iter() {
            quote(&entry.key, bytes);
            bytes.push(b':');
            hash_bytes(&entry.value, bytes);
            bytes.push(b';');
        }
    } else {
        for it in value.children() {
            hash_bytes(it, bytes);
            bytes.push(b';');
        }
    }
    bytes.push(close);
}

/// As Go's `%q`, which escapes what cannot be seen.
fn quote(text: &str, bytes: &mut Vec<u8>) {
    bytes.push(b'"');
    for character in text.chars() {
        match character {
            '"' => bytes.extend(b"\\\""),
            '\\' => bytes.extend(b"\\\\"),
            '\u{7}' => bytes.extend(b"\\a"),
            '\u{8}' => bytes.extend(b"\\b"),
            '\u{c}' => bytes.extend(b"\\f"),
            '\n' => bytes.extend(b"\\n"),
            '\r' => bytes.extend(b"\\r"),
            '\t' => bytes.extend(b"\\t"),
            '\u{b}' => bytes.extend(b"\\v"),
            it if it.is_ascii_control() => bytes.extend(format!("\\x{:02x}", it as u32).bytes()),
            it => bytes.extend(it.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    bytes.push(b'"');
}
