//! Which tags a provider configuration keeps from the state by `ignore_tags`.
//!
//! See <https://registry.terraform.io/providers/hashicorp/aws/latest/docs#ignore_tags-configuration-block>.

use std::sync::Arc;

use crate::eval::{Data, Place, Value};
use crate::identity::{IDENTITY_TAG, REALM_TAG};

/// What `ignore_tags` of a provider configuration says.
#[derive(Clone, Debug, Default)]
pub struct IgnoredTags {
    keys: Vec<(Arc<str>, Option<Place>)>,
    prefixes: Vec<(Arc<str>, Option<Place>)>,
    /// Whether there may be more than is here.
    more: bool,
}

impl IgnoredTags {
    /// A section that nobody can read.
    pub const UNKNOWN: Self = Self {
        keys: Vec::new(),
        prefixes: Vec::new(),
        more: true,
    };

    /// The section with these arguments.
    pub(super) fn of(keys: Option<&Value>, prefixes: Option<&Value>) -> Self {
        let mut more = false;
        let mut texts = |value: Option<&Value>| {
            let Some(value) = value.filter(|it| !it.is_null()) else {
                return Vec::new();
            };
            more |= !matches!(value.data, Data::Tuple(_) | Data::List(..) | Data::Set(..));
            let mut found = Vec::new();
            for element in value.elements() {
                let place = element.origin.as_ref().map(|it| it.place.clone());
                match &element.data {
                    Data::Text(text) => found.push((text.clone(), place)),
                    _ => more = true,
                }
            }
            found
        };
        let (keys, prefixes) = (texts(keys), texts(prefixes));
        Self {
            keys,
            prefixes,
            more,
        }
    }

    /// The entry that certainly keeps the tag with this key from the state, and where it was
    /// written.
    pub fn hiding(&self, key: &str) -> Option<(&str, Option<&Place>)> {
        let keys = self.keys.iter().filter(|(it, _)| **it == *key);
        let prefixes = self
            .prefixes
            .iter()
            .filter(|(it, _)| key.starts_with(&**it));
        let entry = keys.chain(prefixes).next();
        entry.map(|(text, place)| (&**text, place.as_ref()))
    }

    /// Whether it may keep the tag with this key from the state.
    pub fn may_hide(&self, key: &str) -> bool {
        self.more || self.hiding(key).is_some()
    }

    /// Whether it may keep one of gantrycd's two tags from the state.
    pub fn may_hide_ours(&self) -> bool {
        self.may_hide(IDENTITY_TAG) || self.may_hide(REALM_TAG)
    }
}
