//! `for` expressions and splats.
//!
//! <https://github.com/hashicorp/hcl/blob/v2.23.0/hclsyntax/expression.go#L1385>

use std::collections::BTreeMap;
use std::sync::Arc;

use super::convert::{Failure, Outcome, convert};
use super::evaluate::{Evaluator, Frame, Names};
use super::types::Type;
use super::value::{Data, Entry, Place, Value};
use crate::syntax::{Expression, For, Splat};

/// What one element of a `for` adds to an object.
type Keyed = (Arc<str>, Option<Place>, Value);

impl Evaluator<'_> {
    /// Keys and values; `None` if they are not all known.
    pub(super) fn iterate(
        &self,
        collection: &Value,
    ) -> Result<Option<Vec<(Value, Value)>>, Failure> {
        let keyed = |it: &Entry| {
            let key = Data::Text(it.key.clone()).into();
            let key = match &it.written {
                Some(place) => Value::from_origin(
                    key,
                    super::value::Origin {
                        place: place.clone(),
                        through: None,
                        computed: false,
                    },
                ),
                None => key,
            };
            (key, it.value.clone())
        };
        Ok(match &collection.data {
            Data::Tuple(elements) | Data::List(_, elements) => {
                let elements = elements.iter().enumerate();
                let elements = elements.map(|(at, it)| (Value::integer(at as i64), it.clone()));
                Some(elements.collect())
            }
            Data::Set(_, elements) => {
                let known = elements.len() < 2 || collection.is_wholly_known();
                known.then(|| elements.iter().map(|it| (it.clone(), it.clone())).collect())
            }
            Data::Map(_, entries) | Data::Object(entries) => {
                Some(entries.iter().map(keyed).collect())
            }
            Data::Open(open) if open.is_closed() => Some(open.entries.iter().map(keyed).collect()),
            Data::Open(_) => None,
            Data::Unknown(ty) if ty.is_primitive() => return Err(Failure::ANY),
            Data::Unknown(_) => None,
            Data::Null(_) | Data::Bool(_) | Data::Number(_) | Data::Text(_) => {
                return Err(Failure::ANY);
            }
        })
    }

    pub(super) fn for_expression(&self, it: &For, frame: Frame<'_>) -> Outcome {
        // HCL goes on with what it has of a collection that is an error
        let collection = self.expression(&it.collection, frame);
        let collection = collection.map_err(|failure| match failure.ty {
            Type::Any => Failure::ANY,
            _ => Failure::of(Type::Unsure),
        })?;
        let mut sensitive = collection.sensitive;
        if let Some(condition) = &it.condition {
            self.check_condition(it, condition, frame)?;
        }
        let open = matches!(&collection.data, Data::Open(open) if !open.is_closed());
        let elements = match self.iterate(&collection)? {
            Some(elements) => elements,
            // the entries that are known, if one of the others cannot change them
            None if open && it.result_key.is_some() && !it.groups => collection
                .entries()
                .iter()
                .map(|it| (Data::Text(it.key.clone()).into(), it.value.clone()))
                .collect(),
            None => return Ok(Value::unknown().marked(sensitive)),
        };
        let mut values = Vec::new();
        let mut keyed: Vec<Keyed> = Vec::new();
        let mut known = true;
        let mut failed = false;
        let mut shape_failed = false;
        for (key, value) in elements {
            if !self.spend(1) {
                return Ok(self.beyond());
            }
            let names = Names {
                key: it.key.as_ref().map(|name| (&*name.text, key)),
                value: (&it.value.text, value),
                outer: frame.names,
            };
            let frame = Frame {
                names: Some(&names),
                ..frame
            };
            match self.included(it, frame, &mut sensitive) {
                Ok(Some(true)) => {}
                Ok(Some(false)) => continue,
                Ok(None) => {
                    known = false;
                    continue;
                }
                Err(_) => {
                    shape_failed = true;
                    continue;
                }
            }
            let Some(key) = &it.result_key else {
                match self.expression(&it.result, frame) {
                    Ok(value) => values.push(value),
                    Err(failure) => {
                        failed = true;
                        values.push(Value::unknown_of(failure.ty));
                    }
                }
                continue;
            };
            match self.result(it, key, frame, &mut sensitive, &mut failed) {
                Ok(Some(entry)) => keyed.push(entry),
                Ok(None) => known = false,
                Err(_) => shape_failed = true,
            }
        }
        if shape_failed {
            return Err(Failure::ANY);
        }
        let value = if it.result_key.is_none() {
            match known {
                true => Value::tuple(values),
                false => Value::unknown(),
            }
        } else if it.groups {
            match known {
                true => group(keyed),
                false => Value::unknown(),
            }
        } else {
            let mut entries = Vec::with_capacity(keyed.len());
            let mut seen = std::collections::HashSet::new();
            for (key, written, value) in keyed {
                if !seen.insert(key.clone()) {
                    failed = true;
                    continue;
                }
                entries.push(Entry {
                    key,
                    written,
                    value,
                });
            }
            match known && !open {
                true => Value::object(entries),
                // two equal keys are an error, so those that are known stay what they are
                false => Value::open(entries, true),
            }
        };
        if failed {
            return Err(match known {
                true => Failure::of(value.ty()),
                false => Failure::ANY,
            });
        }
        Ok(value.marked(sensitive))
    }

    /// HCL first evaluates the condition for an element of which nothing is known, to find out
    /// whether it can be one at all.
    fn check_condition(
        &self,
        it: &For,
        condition: &Expression,
        frame: Frame<'_>,
    ) -> Result<(), Failure> {
        let names = Names {
            key: it.key.as_ref().map(|name| (&*name.text, Value::unknown())),
            value: (&it.value.text, Value::unknown()),
            outer: frame.names,
        };
        let frame = Frame {
            names: Some(&names),
            ..frame
        };
        let (value, doubts) = self.doubted(|| self.expression(condition, frame));
        self.forget_doubts(doubts);
        let value = value.map_err(|_| Failure::ANY)?;
        if value.is_null() {
            return Err(Failure::ANY);
        }
        convert(&value, &Type::Bool)
            .map(|_| ())
            .map_err(|_| Failure::ANY)
    }

    /// Whether the condition takes an element; `None` if that is not known.
    fn included(
        &self,
        it: &For,
        frame: Frame<'_>,
        sensitive: &mut bool,
    ) -> Result<Option<bool>, Failure> {
        let Some(condition) = &it.condition else {
            return Ok(Some(true));
        };
        let value = self.expression(condition, frame)?;
        if value.is_null() {
            return Err(Failure::ANY);
        }
        *sensitive |= value.sensitive;
        Ok(match convert(&value, &Type::Bool)?.data {
            Data::Bool(included) => Some(included),
            _ => {
                self.doubt();
                None
            }
        })
    }

    /// One entry of the object; `None` if its key is not known.
    fn result(
        &self,
        it: &For,
        key: &Expression,
        frame: Frame<'_>,
        sensitive: &mut bool,
        failed: &mut bool,
    ) -> Result<Option<Keyed>, Failure> {
        let key_value = self.expression(key, frame)?;
        if key_value.is_null() {
            return Err(Failure::ANY);
        }
        *sensitive |= key_value.sensitive;
        let text = convert(&key_value, &Type::Text)?;
        let value = match self.expression(&it.result, frame) {
            Ok(value) => value,
            Err(failure) => {
                *failed = true;
                Value::unknown_of(failure.ty)
            }
        };
        let Data::Text(name) = text.data else {
            self.doubt();
            return Ok(None);
        };
        let written = match text.origin {
            Some(origin) if !origin.computed => origin.place,
            _ => self.place(key.span),
        };
        Ok(Some((name, Some(written), value)))
    }

    pub(super) fn splat(&self, splat: &Splat, frame: Frame<'_>) -> Outcome {
        let source = self
            .expression(&splat.source, frame)
            .map_err(|_| Failure::ANY)?;
        let hidden = source.sensitive;
        let each = |element: &Value| {
            let frame = Frame {
                element: Some(element),
                ..frame
            };
            self.expression(&splat.each, frame)
        };
        let sequence = matches!(source.ty(), Type::Tuple(_) | Type::List(_) | Type::Set(_));
        match &source.data {
            Data::Null(_) if sequence => return Err(Failure::ANY),
            // what is no sequence is one of one element, or of none when it is null
            Data::Null(_) => return Ok(Value::tuple([]).marked(hidden)),
            Data::Unknown(Type::Unsure | Type::Any) => return Ok(Value::unknown().marked(hidden)),
            Data::Unknown(Type::Tuple(types)) => {
                let elements = types.iter().map(|it| each(&Value::unknown_of(it.clone())));
                let elements: Result<Vec<Value>, Failure> = elements.collect();
                let elements = elements.map_err(|_| Failure::of(Type::Unsure))?;
                return Ok(Value::tuple(elements).marked(hidden));
            }
            Data::Unknown(Type::List(ty) | Type::Set(ty)) => {
                let element = each(&Value::unknown_of((**ty).clone()))?;
                return Ok(Value::unknown_of(Type::list(element.ty())).marked(hidden));
            }
            // it may be null
            Data::Unknown(_) => return Ok(Value::unknown().marked(hidden)),
            _ => {}
        }
        let whole;
        let elements = if sequence {
            source.elements()
        } else {
            whole = [source.clone()];
            &whole[..]
        };
        if matches!(source.data, Data::Set(..)) && elements.len() > 1 && !source.is_wholly_known() {
            return Ok(Value::unknown().marked(hidden));
        }
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            if !self.spend(1) {
                return Ok(self.beyond());
            }
            values.push(each(element));
        }
        if values.iter().any(Result::is_err) {
            let types = values.iter().map(|_| Type::Unsure);
            return Err(Failure::of(match &source.data {
                Data::List(..) | Data::Set(..) => Type::list(Type::Unsure),
                _ => Type::Tuple(types.collect()),
            }));
        }
        let values: Vec<Value> = values.into_iter().flatten().collect();
        if !matches!(source.data, Data::List(..) | Data::Set(..)) {
            return Ok(Value::tuple(values).marked(hidden));
        }
        let ty = match (values.first(), &source.data) {
            (Some(first), _) => first.ty(),
            (None, Data::List(ty, _) | Data::Set(ty, _)) => {
                each(&Value::unknown_of(ty.clone()))?.ty()
            }
            (None, _) => Type::Unsure,
        };
        let ty = if ty == Type::Any {
            let mut types = values.iter().map(Value::ty);
            types.find(|it| *it != Type::Any).unwrap_or(Type::Any)
        } else {
            ty
        };
        if values.iter().any(|it| matches!(it.ty(), Type::Unsure)) {
            return Ok(Value::unknown().marked(hidden));
        }
        if values
            .iter()
            .any(|it| it.ty() != ty && it.ty() != Type::Any)
        {
            return Err(Failure::of(Type::Unsure));
        }
        Ok(Value::from(Data::List(ty, values.into())).marked(hidden))
    }
}

/// The values of each key as a tuple.
fn group(keyed: Vec<Keyed>) -> Value {
    let mut groups: BTreeMap<Arc<str>, (Option<Place>, Vec<Value>)> = BTreeMap::new();
    for (key, written, value) in keyed {
        let group = groups.entry(key).or_insert_with(|| (written, Vec::new()));
        group.1.push(value);
    }
    let entries = groups.into_iter().map(|(key, (written, values))| Entry {
        key,
        written,
        value: Value::tuple(values),
    });
    Value::object(entries.collect())
}
