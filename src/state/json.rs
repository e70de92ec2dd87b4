//! JSON read with indulgence: a value that is not what it should be costs the entry that it stands
//! in, never the file; of a key that stands twice the last value counts; and what nobody asked for
//! is skipped without being built.
//!
//! Knows nothing of states.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// What stands at a key, or at one place of a list.
#[derive(Default)]
pub(super) enum Field<T> {
    /// Nothing, or null.
    #[default]
    Absent,
    /// What should stand there.
    Is(T),
    /// Something else.
    Malformed,
}

impl<T> Field<T> {
    /// The value; `None` when there is none that could be read.
    pub fn get(self) -> Option<T> {
        match self {
            Field::Is(value) => Some(value),
            Field::Absent | Field::Malformed => None,
        }
    }

    /// The value of a key that may be left out; the outer `None` is a malformed one.
    pub fn optional(self) -> Option<Option<T>> {
        match self {
            Field::Is(value) => Some(Some(value)),
            Field::Absent => Some(None),
            Field::Malformed => None,
        }
    }

    /// The value, or what its absence means; `None` is a malformed one.
    pub fn or_default(self) -> Option<T>
    where
        T: Default,
    {
        self.optional().map(Option::unwrap_or_default)
    }
}

/// Whether a key stands there with something other than null.
pub(super) type Seen = Option<IgnoredAny>;

/// A list whose entries are read each for itself.
pub(super) type List<T> = Vec<Field<T>>;

/// A value that is neither list nor object nor null.
pub(super) enum Scalar<'de> {
    Text(Cow<'de, str>),
    Number(Number),
    Bool(bool),
}

/// What a value must be to be read as this type. `None` is a value that is something else.
pub(super) trait Shape<'de>: Sized {
    fn scalar(_: Scalar<'de>) -> Option<Self> {
        None
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_key::<Name>()?.is_some() {
            skip(&mut map)?;
        }
        Ok(None)
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Reads an object of these keys, each into its field, and skips every other. What follows the keys
/// is the rest of the implementation of [`Shape`].
macro_rules! object {
    ($type:ty { $($key:pat => $field:ident),+ $(,)? } $($rest:tt)*) => {
        impl<'de> $crate::state::json::Shape<'de> for $type {
            fn object<A: serde::de::MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
                let mut object = Self::default();
                while let Some(key) = map.next_key::<$crate::state::json::Name>()? {
                    match &*key.0 {
                        $($key => object.$field = map.next_value()?,)+
                        _ => $crate::state::json::skip(&mut map)?,
                    }
                }
                Ok(Some(object))
            }

            $($rest)*
        }
    };
}
pub(super) use object;

/// Passes over the value of the key that was just read.
pub(super) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// A key, in bytes: most are compared once and thrown away, which needs no valid text.
pub(super) struct Name<'de>(pub Cow<'de, [u8]>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Name<'de>, E> {
                Ok(Name(bytes.into()))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Name<'de>, E> {
                Ok(Name(bytes.to_vec().into()))
            }
        }

        deserializer.deserialize_bytes(NameVisitor)
    }
}

impl<'de, T: Shape<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor(PhantomData))
    }
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: Shape<'de>> FieldVisitor<T> {
    fn scalar<E>(scalar: Scalar<'de>) -> Result<Field<T>, E> {
        Ok(T::scalar(scalar).into())
    }
}

impl<T> From<Option<T>> for Field<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Field::Malformed, Field::Is)
    }
}

impl<'de, T: Shape<'de>> Visitor<'de> for FieldVisitor<T> {
    type Value = Field<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Field<T>, E> {
        Ok(Field::Absent)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Field<T>, E> {
        Self::scalar(Scalar::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Field<T>, E> {
        Self::scalar(Scalar::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Field<T>, E> {
        Self::scalar(Scalar::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Field<T>, E> {
        Ok(Number::from_f64(value)
            .and_then(|number| T::scalar(Scalar::Number(number)))
            .into())
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Field<T>, E> {
        Self::scalar(Scalar::Text(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Field<T>, E> {
        Self::scalar(Scalar::Text(value.to_owned().into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Field<T>, A::Error> {
        T::object(map).map(Field::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Field<T>, A::Error> {
        T::list(list).map(Field::from)
    }
}

impl<'de> Shape<'de> for Cow<'de, str> {
    fn scalar(scalar: Scalar<'de>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => Some(text),
            Scalar::Number(_) | Scalar::Bool(_) => None,
        }
    }
}

impl<'de> Shape<'de> for i64 {
    fn scalar(scalar: Scalar<'de>) -> Option<Self> {
        let Scalar::Number(number) = scalar else {
            return None;
        };
        // Some writers put integers as `0.0`. Above 2^53 a float no longer says which integer.
        let exact = |it: &f64| it.fract() == 0.0 && it.abs() <= (1_u64 << 53) as f64;
        number
            .as_i64()
            .or_else(|| Some(number.as_f64().filter(exact)? as i64))
    }
}

impl<'de> Shape<'de> for u64 {
    fn scalar(scalar: Scalar<'de>) -> Option<Self> {
        match scalar {
            Scalar::Number(number) if number.is_u64() => number.as_u64(),
            other => u64::try_from(i64::scalar(other)?).ok(),
        }
    }
}

impl<'de, T: Shape<'de>> Shape<'de> for List<T> {
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        // Most resources have one instance, and a Vec starts with room for four.
        let mut entries = Vec::with_capacity(1);
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(Some(entries))
    }
}
