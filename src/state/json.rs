//! JSON read with indulgence: a value that is not what it should be costs the entry that it stands
//! in, never the file; of a key that stands twice the last value counts; and what nobody asked for
//! is skipped without being built.
//!
//! Knows nothing of states.

mod marks;
mod plain;
mod reader;

use arcstr::ArcStr;

use super::shared::Shared;
use reader::Start;
pub(super) use reader::{Fault, Reader, Scalar};

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

    /// Whether a key stands there with something other than null.
    pub fn is_there(&self) -> bool {
        !matches!(self, Field::Absent)
    }

    /// The value, or what its absence means; `None` is a malformed one.
    pub fn or_default(self) -> Option<T>
    where
        T: Default,
    {
        self.optional().map(Option::unwrap_or_default)
    }
}

/// That a key stands there with something other than null.
pub(super) struct Anything;

/// Whether a key stands there with something other than null.
pub(super) type Seen = Field<Anything>;

/// A list whose entries are read each for itself.
pub(super) type List<T> = Vec<Field<T>>;

/// What a value must be to be read as this type. `None` is a value that is something else.
pub(super) trait Shape: Sized {
    fn scalar(_: Scalar, _: &mut Shared) -> Option<Self> {
        None
    }

    fn object(json: &mut Reader) -> Result<Option<Self>, Fault> {
        json.skip().map(|()| None)
    }

    fn list(json: &mut Reader) -> Result<Option<Self>, Fault> {
        json.skip().map(|()| None)
    }
}

/// Reads an object of these keys, each into its field, and skips every other. What follows the keys
/// is the rest of the implementation of [`Shape`].
macro_rules! object {
    ($type:ty { $($key:pat => $field:ident),+ $(,)? } $($rest:tt)*) => {
        impl $crate::state::json::Shape for $type {
            fn object(
                json: &mut $crate::state::json::Reader,
            ) -> Result<Option<Self>, $crate::state::json::Fault> {
                let mut object = Self::default();
                let mut goes_on = json.enter_object()?;
                while goes_on {
                    match json.key()? {
                        $($key => object.$field = $crate::state::json::Field::read(json)?,)+
                        _ => json.skip()?,
                    }
                    goes_on = json.has_key()?;
                }
                Ok(Some(object))
            }

            $($rest)*
        }
    };
}
pub(super) use object;

impl<T: Shape> Field<T> {
    /// Reads the next value.
    pub fn read(json: &mut Reader) -> Result<Self, Fault> {
        Ok(match json.start()? {
            Start::Null => Field::Absent,
            Start::Object => T::object(json)?.into(),
            Start::List => T::list(json)?.into(),
            Start::Scalar => {
                let (scalar, shared) = json.scalar()?;
                T::scalar(scalar, shared).into()
            }
        })
    }
}

impl<T> From<Option<T>> for Field<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Field::Malformed, Field::Is)
    }
}

impl Shape for Anything {
    fn scalar(_: Scalar, _: &mut Shared) -> Option<Self> {
        Some(Anything)
    }

    fn object(json: &mut Reader) -> Result<Option<Self>, Fault> {
        json.skip().map(|()| Some(Anything))
    }

    fn list(json: &mut Reader) -> Result<Option<Self>, Fault> {
        json.skip().map(|()| Some(Anything))
    }
}

/// A text that is likely to stand there again.
impl Shape for ArcStr {
    fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => Some(shared.text(text)),
            Scalar::Number(_) | Scalar::Bool(_) => None,
        }
    }
}

/// A text that is not: to look for it among the others would be in vain.
pub(super) struct Own(pub ArcStr);

impl Shape for Own {
    fn scalar(scalar: Scalar, _: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => Some(Own(text.into())),
            Scalar::Number(_) | Scalar::Bool(_) => None,
        }
    }
}

impl Shape for i64 {
    fn scalar(scalar: Scalar, _: &mut Shared) -> Option<Self> {
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

impl Shape for u64 {
    fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Number(number) if number.is_u64() => number.as_u64(),
            other => u64::try_from(i64::scalar(other, shared)?).ok(),
        }
    }
}

impl<T: Shape> Shape for List<T> {
    fn list(json: &mut Reader) -> Result<Option<Self>, Fault> {
        // Most resources have one instance, and a Vec starts with room for four.
        let mut entries = Vec::with_capacity(1);
        json.list(|json| {
            entries.push(Field::read(json)?);
            Ok(())
        })?;
        Ok(Some(entries))
    }
}
