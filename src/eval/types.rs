//! Types as Terraform's type system `cty` has them, and which of them become which.
//!
//! Knows nothing of values. <https://github.com/zclconf/go-cty/blob/main/docs/convert.md>

use std::sync::Arc;

use super::unify::unify;

/// The type of a value, or what a function wants of its argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Of a literal `null`, and of the elements of a list that never had any. Asked for, it means
    /// anything.
    Any,
    /// There is a type, and we do not know which.
    Unsure,
    /// `true` and `false`.
    Bool,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Elements of one type, in order.
    List(Arc<Type>),
    /// Elements of one type, each once.
    Set(Arc<Type>),
    /// Elements of one type, each with a key.
    Map(Arc<Type>),
    /// Elements of a type each, in order.
    Tuple(Arc<[Type]>),
    /// Elements of a type each, each with a key. Sorted by key.
    Object(Arc<[(Arc<str>, Type)]>),
}

impl Type {
    /// A list of them.
    pub fn list(element: Type) -> Self {
        Type::List(Arc::new(element))
    }

    /// A set of them.
    pub fn set(element: Type) -> Self {
        Type::Set(Arc::new(element))
    }

    /// A map of them.
    pub fn map(element: Type) -> Self {
        Type::Map(Arc::new(element))
    }

    /// Of an object, the type of one attribute.
    pub fn attribute(&self, name: &str) -> Option<&Type> {
        let Type::Object(attributes) = self else {
            return None;
        };
        let at = attributes.binary_search_by(|(key, _)| (**key).cmp(name));
        at.ok().map(|at| &attributes[at].1)
    }

    /// Of a list, a set or a map, the type of its elements.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
            _ => None,
        }
    }

    /// `true`, numbers and texts.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::Bool | Type::Number | Type::Text)
    }

    /// Whether it, or a type within, is not known.
    pub fn is_unsure(&self) -> bool {
        match self {
            Type::Unsure => true,
            Type::Any | Type::Bool | Type::Number | Type::Text => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.is_unsure(),
            Type::Tuple(elements) => elements.iter().any(Type::is_unsure),
            Type::Object(attributes) => attributes.iter().any(|(_, it)| it.is_unsure()),
        }
    }

    /// Whether it, or a type within, could be anything.
    pub fn is_open(&self) -> bool {
        match self {
            Type::Unsure | Type::Any => true,
            Type::Bool | Type::Number | Type::Text => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.is_open(),
            Type::Tuple(elements) => elements.iter().any(Type::is_open),
            Type::Object(attributes) => attributes.iter().any(|(_, it)| it.is_open()),
        }
    }
}

/// Whether a value of one type can become a value of another, as far as the types tell. With
/// `loosely` a conversion may still fail for a value: the text `"a"` is no number.
///
/// <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/convert/conversion.go>
pub fn converts(from: &Type, to: &Type, loosely: bool) -> bool {
    let each = |mut from: std::slice::Iter<'_, Type>, to: &Type| {
        from.all(|it| it == to || converts(it, to, loosely))
    };
    match (from, to) {
        (_, Type::Any | Type::Unsure) => true,
        (Type::Unsure, _) => true,
        (Type::Any, _) => loosely,
        (Type::Bool | Type::Number | Type::Text, Type::Text)
        | (Type::Bool, Type::Bool)
        | (Type::Number, Type::Number) => from != to,
        (Type::Text, Type::Bool | Type::Number) => loosely,
        (Type::Object(from), Type::Object(wanted)) => wanted.iter().all(|(name, to)| {
            let at = from.binary_search_by(|(key, _)| key.cmp(name));
            at.is_ok_and(|at| from[at].1 == *to || converts(&from[at].1, to, loosely))
        }),
        (Type::Tuple(from), Type::Tuple(to)) => {
            let mut pairs = from.iter().zip(to.iter());
            from.len() == to.len()
                && pairs.all(|(from, to)| from == to || converts(from, to, loosely))
        }
        (Type::List(from) | Type::Set(from), Type::List(to)) | (Type::Set(from), Type::Set(to)) => {
            from == to || converts(from, to, loosely)
        }
        (Type::List(from), Type::Set(to)) => loosely && (from == to || converts(from, to, loosely)),
        (Type::Map(from), Type::Map(to)) => from == to || converts(from, to, loosely),
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            from.is_empty()
                || match element(from, to, loosely) {
                    // the only list of anything is one of nothing but anything
                    Some(Type::Any) if **to == Type::Any => from.iter().all(|it| *it == Type::Any),
                    Some(to) => each(from.iter(), &to),
                    None => false,
                }
        }
        (Type::Object(from), Type::Map(to)) => {
            let types: Vec<Type> = from.iter().map(|(_, it)| it.clone()).collect();
            from.is_empty()
                || element(&types, to, loosely).is_some_and(|to| each(types.iter(), &to))
        }
        (Type::Map(from), Type::Object(to)) => {
            let mut wanted = to.iter();
            loosely && wanted.all(|(_, to)| **from == *to || converts(from, to, loosely))
        }
        _ => false,
    }
}

/// What the elements of a collection become: the wanted type, or where that is anything, one that
/// all of them can become.
fn element(types: &[Type], wanted: &Type, loosely: bool) -> Option<Type> {
    match wanted {
        Type::Any => unify(types, loosely),
        wanted => Some(wanted.clone()),
    }
}
