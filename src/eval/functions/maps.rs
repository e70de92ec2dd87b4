//! Maps and objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::eval::convert::{convert, loosened};
use crate::eval::value::{Entry, Found, Open, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("keys", &[ANY.unknown().marked().opaque()], Kind::Any, keys),
    variadic(
        "lookup",
        &[
            ANY.unknown().marked().open().opaque(),
            TEXT.unknown().marked(),
        ],
        VERBATIM,
        Kind::Any,
        lookup,
    ),
    variadic("merge", &[], OPAQUE, Kind::Any, merge),
    fixed(
        "transpose",
        &[Parameter::of(Kind::TextsByKey)],
        Kind::TextsByKey,
        transpose,
    ),
    fixed("values", &[ANY.marked().opaque()], Kind::Any, values),
    fixed(
        "zipmap",
        &[TEXTS.marked(), ANY.marked().opaque()],
        Kind::Any,
        zipmap,
    ),
    // gone since 0.12
    variadic("map", &[], VERBATIM, Kind::Any, |_, _| Err(Failure::ANY)),
    variadic("list", &[], VERBATIM, Kind::Any, |_, _| Err(Failure::ANY)),
];

/// A key as a text, written where the key was.
fn key_of(entry: &Entry) -> Value {
    let key = Value::from(Data::Text(entry.key.clone()));
    match &entry.written {
        Some(place) => key.from_origin(Origin {
            place: place.clone(),
            through: None,
            computed: false,
        }),
        None => key,
    }
}

fn keys(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let value = match &it[0].data {
        Data::Object(entries) => Value::tuple(entries.iter().map(key_of).collect::<Vec<_>>()),
        Data::Map(_, entries) => {
            Data::List(Type::Text, entries.iter().map(key_of).collect()).into()
        }
        Data::Unknown(Type::Object(attributes)) => {
            let keys = attributes
                .iter()
                .map(|(key, _)| Data::Text(key.clone()).into());
            Value::tuple(keys.collect::<Vec<_>>())
        }
        Data::Unknown(Type::Map(_)) => Value::unknown_of(Type::list(Type::Text)),
        Data::Unknown(Type::Unsure | Type::Any) | Data::Open(_) => Value::unknown(),
        _ => return Err(Failure::ANY),
    };
    Ok(value.marked(it[0].sensitive))
}

fn values(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let values =
        |entries: &[Entry]| -> Arc<[Value]> { entries.iter().map(|it| it.value.clone()).collect() };
    let value: Value = match &it[0].data {
        Data::Object(entries) => Data::Tuple(values(entries)).into(),
        Data::Map(ty, entries) => Data::List(ty.clone(), values(entries)).into(),
        _ => return Err(Failure::ANY),
    };
    Ok(value.marked(it[0].sensitive))
}

fn lookup(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (map, key, default) = match it {
        [map, key] => (map, key, None),
        [map, key, default] => (map, key, Some(default)),
        _ => return Err(Failure::ANY),
    };
    let hidden = map.sensitive || key.sensitive;
    let unknown = |ty: Type| Ok(Value::unknown_of(ty).marked(hidden));
    let of_map = match &map.data {
        Data::Map(ty, _) => Some(ty),
        Data::Unknown(Type::Map(ty)) => Some(&**ty),
        Data::Object(_) | Data::Open(_) | Data::Unknown(Type::Object(_)) => None,
        Data::Unknown(Type::Unsure | Type::Any) => return unknown(Type::Unsure),
        _ => return Err(Failure::ANY),
    };
    let default = match (default, of_map) {
        (Some(default), Some(ty)) => Some(convert(default, ty).map_err(|_| Failure::ANY)?),
        (default, _) => default.cloned(),
    };
    let ty = of_map.cloned().unwrap_or(Type::Unsure);
    let Some(name) = key.as_text() else {
        return unknown(ty);
    };
    match map.get(name) {
        Found::Entry(entry) => Ok(entry.value.clone().marked(hidden)),
        Found::Unknown => unknown(ty),
        Found::Absent => {
            let default = default.ok_or(Failure::ANY)?;
            // a map would convert it, an object would not
            let default = match &map.data {
                Data::Open(_) => loosened(&default),
                _ => default,
            };
            Ok(default.marked(hidden))
        }
    }
}

/// Of one key, the last argument that has it counts. What may be overridden by an argument that is
/// not known is not known either, and what comes after that argument is.
fn merge(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let mut entries: BTreeMap<Arc<str>, Entry> = BTreeMap::new();
    let mut ty: Option<Type> = None;
    let mut one_type = true;
    let mut perhaps: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut more = false;
    let mut open = false;
    let mut hidden = false;
    for map in it {
        hidden |= map.sensitive;
        match &map.data {
            Data::Object(_) | Data::Map(..) | Data::Open(_) => {}
            Data::Null(ty) | Data::Unknown(ty) if !ty.is_primitive() && !is_list(ty) => {}
            _ => return Err(Failure::ANY),
        }
        let own = map.ty();
        one_type &= ty.as_ref().is_none_or(|ty| *ty == own);
        // one of a type that nobody knows makes an object of all of them
        one_type &= own != Type::Any;
        ty.get_or_insert(own);
        match &map.data {
            Data::Unknown(Type::Object(attributes)) => {
                for (key, ty) in attributes.iter() {
                    let entry = Entry::new(key, Value::unknown_of(ty.clone()));
                    entries.insert(key.clone(), entry);
                }
                continue;
            }
            Data::Unknown(_) => {
                entries.clear();
                more = true;
                open = true;
            }
            Data::Open(part) => {
                open = true;
                if part.more {
                    entries.clear();
                    more = true;
                }
                // what is there already may be overridden
                for key in part.perhaps.iter() {
                    entries.remove(key);
                    perhaps.insert(key.clone());
                }
            }
            _ => {}
        }
        for entry in map.entries() {
            entries.insert(entry.key.clone(), entry.clone());
            perhaps.remove(&entry.key);
        }
    }
    let entries: Arc<[Entry]> = entries.into_values().collect();
    let data = match ty {
        _ if open => Data::Open(Arc::new(Open {
            entries,
            perhaps: perhaps.into_iter().collect(),
            more,
        })),
        Some(Type::Map(ty)) if one_type => Data::Map((*ty).clone(), entries),
        _ => Data::Object(entries),
    };
    Ok(Value::from(data).marked(hidden))
}

fn is_list(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_))
}

fn transpose(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    if !it[0].is_wholly_known() {
        return unsupported(Kind::TextsByKey);
    }
    let mut transposed: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
    // the keys come in order, so the lists of them are sorted
    for entry in it[0].entries() {
        if entry.value.is_null() {
            return Err(Failure::ANY);
        }
        for value in entry.value.elements() {
            let Data::Text(text) = &value.data else {
                return Err(Failure::ANY);
            };
            transposed
                .entry(text.clone())
                .or_default()
                .push(key_of(entry));
        }
    }
    let entries = transposed.into_iter().map(|(key, values)| Entry {
        key,
        written: None,
        value: Data::List(Type::Text, values.into()).into(),
    });
    Ok(Data::Map(Type::list(Type::Text), entries.collect()).into())
}

fn zipmap(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (keys, values) = (&it[0], &it[1]);
    let mut hidden = keys.sensitive || values.sensitive;
    let ty = match &values.data {
        Data::List(ty, _) => Some(ty.clone()),
        Data::Tuple(_) => None,
        _ => return Err(Failure::ANY),
    };
    let (names, values) = (keys.elements(), values.elements());
    if !keys.is_wholly_known() {
        return Ok(Value::unknown().marked(hidden));
    }
    if names.len() != values.len() {
        return Err(Failure::ANY);
    }
    let mut entries: BTreeMap<Arc<str>, Entry> = BTreeMap::new();
    for (key, value) in names.iter().zip(values) {
        hidden |= key.sensitive;
        let Data::Text(name) = &key.data else {
            return Err(Failure::ANY);
        };
        let written = key.origin.as_ref().filter(|it| !it.computed);
        let entry = Entry {
            key: name.clone(),
            written: written.map(|it| it.place.clone()),
            value: value.clone(),
        };
        entries.insert(name.clone(), entry);
    }
    let entries: Arc<[Entry]> = entries.into_values().collect();
    let data = match ty {
        Some(ty) => Data::Map(ty, entries),
        None => Data::Object(entries),
    };
    Ok(Value::from(data).marked(hidden))
}
