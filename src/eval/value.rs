//! Values: what an expression comes to, and for each leaf where it was written.
//!
//! Cheap to clone: everything that can be large is shared. Knows nothing of expressions.

use std::path::Path;
use std::sync::Arc;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::convert::convert;
use super::number::Number;
use super::types::Type;
use crate::text::Span;

/// What an expression comes to.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The value itself.
    pub data: Data,
    /// Whether Terraform hides it. A part of a value may be sensitive where the whole is not.
    pub sensitive: bool,
    /// Where it was written.
    pub origin: Option<Origin>,
}

/// A value itself.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// `null` of some type.
    Null(Type),
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Arc<Number>),
    /// A text, in Unicode's composed form.
    Text(Arc<str>),
    /// `[a, b]`
    Tuple(Arc<[Value]>),
    /// Elements of one type.
    List(Type, Arc<[Value]>),
    /// Elements of one type, each once, in Terraform's order.
    Set(Type, Arc<[Value]>),
    /// Entries of one type, sorted by key.
    Map(Type, Arc<[Entry]>),
    /// `{ a = b }`, sorted by key.
    Object(Arc<[Entry]>),
    /// An object or a map of which only a part is known.
    Open(Arc<Open>),
    /// Not known. Its type may be.
    Unknown(Type),
}

/// An object or a map, nobody knows which, of which some entries are known.
#[derive(Clone, PartialEq, Debug)]
pub struct Open {
    /// The known entries, sorted by key. That an entry is there is certain; its value may be
    /// unknown.
    pub entries: Arc<[Entry]>,
    /// Keys that may be there, and may not; sorted, and none of them among the entries.
    pub perhaps: Arc<[Arc<str>]>,
    /// Whether there may be any other.
    pub more: bool,
}

impl Open {
    /// Whether its keys are all known.
    pub fn is_closed(&self) -> bool {
        !self.more && self.perhaps.is_empty()
    }
}

/// One entry of an object or a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// Where the key was written.
    pub written: Option<Place>,
    /// The value.
    pub value: Value,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file.
    pub path: Arc<Path>,
    /// In bytes of the file.
    pub span: Span,
}

/// Where a value was written, and how it got here.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// Of a literal text, between its quotes (both quotes when it is empty); of what was computed,
    /// the expression that computed it.
    pub place: Place,
    /// The references that it came through, the last one first.
    pub through: Option<Arc<Through>>,
    /// Whether it was computed: it is not written anywhere as it is.
    pub computed: bool,
}

/// A reference that a value came through.
#[derive(PartialEq, Debug)]
pub struct Through {
    /// As it was written: `local.tags`, `var.realm`.
    pub reference: Arc<str>,
    /// Where.
    pub place: Place,
    /// The one before it.
    pub before: Option<Arc<Through>>,
}

/// What a map says of one key.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// It has it.
    Entry(&'a Entry),
    /// It does not.
    Absent,
    /// It may.
    Unknown,
}

impl Origin {
    /// The references that the value came through, the last one first.
    pub fn references(&self) -> impl Iterator<Item = &Through> {
        std::iter::successors(self.through.as_deref(), |it| it.before.as_deref())
    }
}

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self {
            data,
            sensitive: false,
            origin: None,
        }
    }
}

impl Value {
    /// A value of which nothing is known.
    pub fn unknown() -> Self {
        Data::Unknown(Type::Unsure).into()
    }

    /// A value of which the type is known.
    pub fn unknown_of(ty: Type) -> Self {
        Data::Unknown(ty).into()
    }

    /// `null`
    pub fn null(ty: Type) -> Self {
        Data::Null(ty).into()
    }

    /// A text, which is brought into Unicode's composed form as Terraform does.
    pub fn text(text: &str) -> Self {
        Data::Text(normalized(text)).into()
    }

    /// A truth.
    pub fn bool(value: bool) -> Self {
        Data::Bool(value).into()
    }

    /// A count.
    pub fn integer(value: i64) -> Self {
        Number::integer(value).into()
    }

    /// `[a, b]`
    pub fn tuple(elements: impl Into<Arc<[Value]>>) -> Self {
        Data::Tuple(elements.into()).into()
    }

    /// A list of texts.
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<Value> = texts.into_iter().map(Value::text).collect();
        Data::List(Type::Text, texts.into()).into()
    }

    /// An object of `entries` in any order. Of two with one key the last counts.
    pub fn object(entries: Vec<Entry>) -> Self {
        Data::Object(sorted(entries)).into()
    }

    /// An object or a map of which these entries are known, and whether there may be others.
    pub fn open(entries: Vec<Entry>, more: bool) -> Self {
        let entries = sorted(entries);
        let perhaps = Arc::default();
        Data::Open(Arc::new(Open {
            entries,
            perhaps,
            more,
        }))
        .into()
    }

    /// The same with another origin.
    pub fn from_origin(self, origin: Origin) -> Self {
        Self {
            origin: Some(origin),
            ..self
        }
    }

    /// The same, sensitive if either is.
    pub fn marked(self, sensitive: bool) -> Self {
        Self {
            sensitive: self.sensitive || sensitive,
            ..self
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null(_))
    }

    /// Whether it is known, what is within aside.
    pub fn is_known(&self) -> bool {
        !matches!(self.data, Data::Unknown(_) | Data::Open(_))
    }

    /// Whether it and everything within is known.
    pub fn is_wholly_known(&self) -> bool {
        self.is_known() && self.children().all(Value::is_wholly_known)
    }

    /// Whether it or anything within is sensitive.
    pub fn contains_sensitive(&self) -> bool {
        self.sensitive || self.children().any(Value::contains_sensitive)
    }

    /// What is within: elements, or the values of entries.
    pub fn children(&self) -> impl Iterator<Item = &Value> {
        self.elements()
            .iter()
            .chain(self.entries().iter().map(|it| &it.value))
    }

    /// The elements of a tuple, a list or a set.
    pub fn elements(&self) -> &[Value] {
        match &self.data {
            Data::Tuple(elements) | Data::List(_, elements) | Data::Set(_, elements) => elements,
            _ => &[],
        }
    }

    /// The entries of an object or a map, known ones only.
    pub fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(_, entries) | Data::Object(entries) => entries,
            Data::Open(open) => &open.entries,
            _ => &[],
        }
    }

    /// What it says of `key`, as a map. Nothing that is not a map has keys.
    pub fn get(&self, key: &str) -> Found<'_> {
        let entries = self.entries();
        if let Ok(at) = entries.binary_search_by(|it| (*it.key).cmp(key)) {
            return Found::Entry(&entries[at]);
        }
        match &self.data {
            Data::Open(open) if open.more => Found::Unknown,
            Data::Open(open) if open.perhaps.iter().any(|it| **it == *key) => Found::Unknown,
            Data::Unknown(Type::Object(attributes)) => {
                let known = attributes.iter().any(|(name, _)| **name == *key);
                if known { Found::Unknown } else { Found::Absent }
            }
            Data::Unknown(_) => Found::Unknown,
            _ => Found::Absent,
        }
    }

    /// The text that it is.
    pub fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value that it is, or that its text says.
    pub fn as_bool(&self) -> Option<bool> {
        match convert(self, &Type::Bool).ok()?.data {
            Data::Bool(it) => Some(it),
            _ => None,
        }
    }

    /// The whole number that it is, or that its text says.
    pub fn as_integer(&self) -> Option<i64> {
        match &self.data {
            Data::Number(number) => number.as_integer(),
            Data::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Its type.
    pub fn ty(&self) -> Type {
        match &self.data {
            Data::Null(ty) | Data::Unknown(ty) => ty.clone(),
            Data::Bool(_) => Type::Bool,
            Data::Number(_) => Type::Number,
            Data::Text(_) => Type::Text,
            Data::Tuple(elements) => Type::Tuple(elements.iter().map(Value::ty).collect()),
            Data::List(element, _) => Type::list(element.clone()),
            Data::Set(element, _) => Type::set(element.clone()),
            Data::Map(element, _) => Type::map(element.clone()),
            Data::Object(entries) => {
                let types = entries.iter().map(|it| (it.key.clone(), it.value.ty()));
                Type::Object(types.collect())
            }
            Data::Open(_) => Type::Unsure,
        }
    }

    /// The same value with `change` applied to it and to everything within, the innermost first.
    pub fn map_all(&self, change: &mut dyn FnMut(Value) -> Value) -> Value {
        let mut each = |elements: &[Value]| -> Arc<[Value]> {
            elements.iter().map(|it| it.map_all(change)).collect()
        };
        let data = match &self.data {
            Data::Tuple(elements) => Data::Tuple(each(elements)),
            Data::List(ty, elements) => Data::List(ty.clone(), each(elements)),
            Data::Set(ty, elements) => Data::Set(ty.clone(), each(elements)),
            Data::Map(ty, entries) => Data::Map(ty.clone(), map_entries(entries, change)),
            Data::Object(entries) => Data::Object(map_entries(entries, change)),
            Data::Open(open) => Data::Open(Arc::new(Open {
                entries: map_entries(&open.entries, change),
                perhaps: open.perhaps.clone(),
                more: open.more,
            })),
            data => data.clone(),
        };
        change(Value {
            data,
            sensitive: self.sensitive,
            origin: self.origin.clone(),
        })
    }

    /// The same without any mark, and whether there was one.
    pub fn unmarked(&self) -> (Value, bool) {
        if !self.contains_sensitive() {
            return (self.clone(), false);
        }
        let mut plain = |it: Value| Value {
            sensitive: false,
            ..it
        };
        (self.map_all(&mut plain), true)
    }

    /// How many values it holds, itself included; `None` if they are more than `most`, or lie
    /// deeper than is good for the stack. A value can share its parts and so hold many more than
    /// there is memory.
    pub fn size(&self, most: usize) -> Option<usize> {
        let mut left = most;
        self.take_size(&mut left, 100).then(|| most - left)
    }

    fn take_size(&self, left: &mut usize, depth: usize) -> bool {
        if *left == 0 || depth == 0 {
            return false;
        }
        *left -= 1;
        self.children().all(|it| it.take_size(left, depth - 1))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Data::Number(Arc::new(number)).into()
    }
}

impl Entry {
    /// An entry whose key was written nowhere.
    pub fn new(key: &str, value: Value) -> Self {
        Self {
            key: normalized(key),
            written: None,
            value,
        }
    }
}

fn map_entries(entries: &[Entry], change: &mut dyn FnMut(Value) -> Value) -> Arc<[Entry]> {
    let changed = entries.iter().map(|it| Entry {
        key: it.key.clone(),
        written: it.written.clone(),
        value: it.value.map_all(change),
    });
    changed.collect()
}

/// By key; of two with one key the last counts.
fn sorted(mut entries: Vec<Entry>) -> Arc<[Entry]> {
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    if entries.windows(2).any(|it| it[0].key == it[1].key) {
        let mut last: Vec<Entry> = Vec::with_capacity(entries.len());
        for entry in entries {
            match last.last_mut() {
                Some(before) if before.key == entry.key => *before = entry,
                _ => last.push(entry),
            }
        }
        return last.into();
    }
    entries.into()
}

/// <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/value_init.go#L99>
fn normalized(text: &str) -> Arc<str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text.into();
    }
    text.nfc().collect::<String>().into()
}
