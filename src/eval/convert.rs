//! Values of one type become values of another, as Terraform converts them.
//!
//! A leaf keeps its origin through every conversion.

use std::sync::Arc;

use super::number::{Number, Parsed};
use super::set;
use super::types::{Type, converts};
use super::unify::unify;
use super::value::{Data, Entry, Open, Value};

/// What a step of an evaluation comes to.
pub(super) type Outcome = Result<Value, Failure>;

/// An error of Terraform's: the expression has no value. Terraform goes on all the same, for the
/// sake of further messages, with an unknown value of this type.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) ty: Type,
}

impl Failure {
    /// Where Terraform goes on with a value of any type.
    pub(super) const ANY: Failure = Failure { ty: Type::Any };

    pub(super) fn of(ty: Type) -> Self {
        Self { ty }
    }
}

/// `value` as one of type `to`.
///
/// <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/convert/public.go#L49>
pub(super) fn convert(value: &Value, to: &Type) -> Outcome {
    let data = match (&value.data, to) {
        (_, Type::Any) => return Ok(value.clone()),
        (Data::Text(_), Type::Text)
        | (Data::Number(_), Type::Number)
        | (Data::Bool(_), Type::Bool) => {
            return Ok(value.clone());
        }
        (Data::Number(number), Type::Text) => Data::Text(number.to_string().into()),
        (Data::Bool(bool), Type::Text) => Data::Text(bool.to_string().into()),
        (Data::Text(text), Type::Number) => match Number::parse(text) {
            Parsed::Number(number) => Data::Number(Arc::new(number)),
            Parsed::Unsupported => Data::Unknown(Type::Number),
            Parsed::Invalid => return Err(Failure::ANY),
        },
        (Data::Text(text), Type::Bool) => match &**text {
            "true" | "1" => Data::Bool(true),
            "false" | "0" => Data::Bool(false),
            _ => return Err(Failure::ANY),
        },
        _ => return convert_whole(value, to),
    };
    Ok(Value {
        data,
        ..value.clone()
    })
}

fn convert_whole(value: &Value, to: &Type) -> Outcome {
    let with = |data: Data| {
        Ok(Value {
            data,
            ..value.clone()
        })
    };
    if let Data::Open(open) = &value.data {
        return with(convert_open(open, to)?);
    }
    let from = value.ty();
    if from == *to {
        return Ok(value.clone());
    }
    if !converts(&from, to, true) {
        return Err(Failure::ANY);
    }
    if to.is_unsure() {
        return with(loosened(value).data);
    }
    match (&value.data, to) {
        (Data::Null(_), _) => with(Data::Null(filled(&from, to))),
        (Data::Unknown(_), _) => with(Data::Unknown(filled(&from, to))),
        (Data::Tuple(_) | Data::List(..) | Data::Set(..), Type::List(_) | Type::Set(_)) => {
            let hidden = matches!(to, Type::Set(_)) && set::marked_within(value.elements());
            Ok(with(collection(value, to)?)?.marked(hidden))
        }
        (Data::Object(entries) | Data::Map(_, entries), Type::Map(wanted)) => {
            with(map(value, entries, wanted)?)
        }
        (Data::Tuple(elements), Type::Tuple(types)) => {
            let elements = elements.iter().zip(types.iter());
            let elements: Result<Arc<[Value]>, Failure> =
                elements.map(|(it, to)| convert(it, to)).collect();
            with(Data::Tuple(elements?))
        }
        (Data::Object(entries) | Data::Map(_, entries), Type::Object(types)) => {
            let mut found = Vec::with_capacity(types.len());
            for (key, to) in types.iter() {
                let at = entries.binary_search_by(|it| it.key.cmp(key));
                let entry = &entries[at.map_err(|_| Failure::ANY)?];
                found.push(Entry {
                    value: convert(&entry.value, to)?,
                    ..entry.clone()
                });
            }
            with(Data::Object(found.into()))
        }
        _ => with(Data::Unknown(to.clone())),
    }
}

/// The type of an unknown or a null after its conversion: what the wanted type leaves open is as
/// it was.
fn filled(from: &Type, to: &Type) -> Type {
    match (from, to) {
        (_, to) if !to.is_open() => to.clone(),
        (Type::Any | Type::Unsure, to) => to.clone(),
        (from, Type::Any) => from.clone(),
        (Type::List(from) | Type::Set(from), Type::List(to)) => Type::list(filled(from, to)),
        (Type::List(from) | Type::Set(from), Type::Set(to)) => Type::set(filled(from, to)),
        (Type::Map(from), Type::Map(to)) => Type::map(filled(from, to)),
        (Type::Tuple(from), Type::List(to)) if **to == Type::Any => {
            Type::list(unify(from, true).unwrap_or(Type::Unsure))
        }
        (Type::Tuple(from), Type::Set(to)) if **to == Type::Any => {
            Type::set(unify(from, true).unwrap_or(Type::Unsure))
        }
        (Type::Object(from), Type::Map(to)) if **to == Type::Any => {
            let types: Vec<Type> = from.iter().map(|(_, it)| it.clone()).collect();
            Type::map(unify(&types, true).unwrap_or(Type::Unsure))
        }
        _ => Type::Unsure,
    }
}

/// The elements as those of a list or a set.
fn collection(value: &Value, to: &Type) -> Result<Data, Failure> {
    let elements = value.elements();
    let wanted = to.element().unwrap_or(&Type::Any);
    let is_set = matches!(to, Type::Set(_));
    let tuple = matches!(value.data, Data::Tuple(_));
    if let Data::Set(_, elements) = &value.data
        && !is_set
        && elements.len() > 1
        && !value.is_wholly_known()
    {
        // two unknown elements may turn out to be one
        return Ok(Data::Unknown(to.clone()));
    }
    let own = match &value.data {
        Data::List(ty, _) | Data::Set(ty, _) => ty.clone(),
        _ => Type::Any,
    };
    let types: Vec<Type> = match wanted {
        Type::Any if tuple => elements.iter().map(Value::ty).collect(),
        _ => Vec::new(),
    };
    let ty = match wanted {
        Type::Any if elements.is_empty() || !tuple => own,
        Type::Any => unify(&types, true).ok_or(Failure::ANY)?,
        wanted => wanted.clone(),
    };
    if ty == Type::Unsure {
        return Ok(Data::Unknown(to.clone()));
    }
    let converted: Result<Vec<Value>, Failure> =
        elements.iter().map(|it| convert(it, &ty)).collect();
    let converted = converted?;
    let ty = settled(&ty, &converted)?;
    if is_set {
        return Ok(set::build(ty, converted));
    }
    Ok(Data::List(ty, converted.into()))
}

fn map(value: &Value, entries: &[Entry], wanted: &Type) -> Result<Data, Failure> {
    let own = match &value.data {
        Data::Map(ty, _) => Some(ty.clone()),
        _ => None,
    };
    let ty = match (wanted, own) {
        (Type::Any, Some(own)) => own,
        (Type::Any, None) if entries.is_empty() => Type::Any,
        (Type::Any, None) => {
            let types: Vec<Type> = entries.iter().map(|it| it.value.ty()).collect();
            unify(&types, true).ok_or(Failure::ANY)?
        }
        (wanted, _) => wanted.clone(),
    };
    if ty == Type::Unsure {
        return convert_open(
            &Open {
                entries: entries.into(),
                perhaps: Arc::default(),
                more: false,
            },
            &Type::map(Type::Any),
        );
    }
    let mut converted = Vec::with_capacity(entries.len());
    for entry in entries {
        converted.push(Entry {
            value: convert(&entry.value, &ty)?,
            ..entry.clone()
        });
    }
    let values: Vec<Value> = converted.iter().map(|it| it.value.clone()).collect();
    let ty = settled(&ty, &values)?;
    Ok(Data::Map(ty, converted.into()))
}

/// The one type of elements that were converted to a type that may leave something open.
fn settled(ty: &Type, elements: &[Value]) -> Result<Type, Failure> {
    if !ty.is_open() {
        return Ok(ty.clone());
    }
    let mut found: Option<Type> = None;
    for it in elements.iter().map(Value::ty).filter(|it| *it != Type::Any) {
        match &found {
            None => found = Some(it),
            Some(found) if *found == it => {}
            Some(_) => return Err(Failure::ANY),
        }
    }
    Ok(found.unwrap_or_else(|| ty.clone()))
}

/// An open map stays one, as far as its entries are sure to stay what they are.
fn convert_open(open: &Open, to: &Type) -> Result<Data, Failure> {
    let element = match to {
        Type::Map(element) => Some(&**element),
        _ => None,
    };
    match (element, to) {
        (Some(Type::Any), _) | (_, Type::Unsure) => {
            let entries = open.entries.iter().map(|it| Entry {
                value: loosened(&it.value),
                ..it.clone()
            });
            Ok(Data::Open(Arc::new(Open {
                entries: entries.collect(),
                perhaps: open.perhaps.clone(),
                more: open.more,
            })))
        }
        (Some(element), _) => {
            let mut entries = Vec::with_capacity(open.entries.len());
            for it in open.entries.iter() {
                entries.push(Entry {
                    value: convert(&it.value, element)?,
                    ..it.clone()
                });
            }
            Ok(Data::Open(Arc::new(Open {
                entries: entries.into(),
                perhaps: open.perhaps.clone(),
                more: open.more,
            })))
        }
        (None, Type::Object(_) | Type::Any) => Ok(Data::Unknown(to.clone())),
        // an open value is an object or a map
        (None, _) => Err(Failure::ANY),
    }
}

/// What of a value is sure to stay, if it becomes one of a type that we do not know: a text, and
/// the entries of an object.
pub(super) fn loosened(value: &Value) -> Value {
    let data = match &value.data {
        Data::Text(_) | Data::Null(Type::Any) => return value.clone(),
        Data::Null(_) => Data::Null(Type::Unsure),
        Data::Object(entries) | Data::Map(_, entries) => {
            loosened_entries(entries, &Arc::default(), false)
        }
        Data::Open(open) => loosened_entries(&open.entries, &open.perhaps, open.more),
        _ => Data::Unknown(Type::Unsure),
    };
    Value {
        data,
        ..value.clone()
    }
}

fn loosened_entries(entries: &[Entry], perhaps: &Arc<[Arc<str>]>, more: bool) -> Data {
    let entries = entries.iter().map(|it| Entry {
        value: loosened(&it.value),
        ..it.clone()
    });
    Data::Open(Arc::new(Open {
        entries: entries.collect(),
        perhaps: perhaps.clone(),
        more,
    }))
}
