//! The few attributes of a row that identity needs. A state holds secrets in clear: no other
//! attribute, and no other tag, is ever built.

use std::borrow::Cow;

use serde::de::{IgnoredAny, MapAccess};

use super::json::{Field, Name, Scalar, Shape, object, skip};
use crate::identity::{Attributes, IDENTITY_TAG, REALM_TAG, Tags};

pub(super) const IDENTITY_KEY: &[u8] = IDENTITY_TAG.as_bytes();
pub(super) const REALM_KEY: &[u8] = REALM_TAG.as_bytes();

impl<'de> Shape<'de> for Attributes {
    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut attributes = Attributes::default();
        let mut null_tags = false;
        while let Some(key) = map.next_key::<Name>()? {
            match &*key.0 {
                b"arn" => attributes.arn = text(map.next_value()?),
                b"catalog_id" => attributes.catalog_id = text(map.next_value()?),
                name @ (b"tags" | b"tags_all") => {
                    let field: Field<TagMap> = map.next_value()?;
                    null_tags |= matches!(field, Field::Absent);
                    match name {
                        b"tags" => attributes.tags = field.tags(),
                        _ => attributes.tags_all = field.tags(),
                    }
                }
                _ if attributes.complete => skip(&mut map)?,
                _ => attributes.complete = map.next_value::<Option<IgnoredAny>>()?.is_none(),
            }
        }
        // tags that are null are tags that nobody set, of a type that takes them
        attributes.complete &= !null_tags;
        Ok(Some(attributes))
    }
}

fn text<'de, T: From<Cow<'de, str>>>(field: Field<Cow<'de, str>>) -> Option<T> {
    field.get().map(T::from)
}

#[derive(Default)]
struct TagMap {
    identity: Field<TagValue>,
    realm: Field<TagValue>,
}

object!(TagMap { IDENTITY_KEY => identity, REALM_KEY => realm });

impl Field<TagMap> {
    /// `None` when there is no map: a provider may have a list of blocks of that name.
    fn tags(self) -> Option<Tags> {
        self.get().map(|map| Tags {
            identity: map.identity.get().map(|value| value.0),
            realm: map.realm.get().map(|value| value.0),
        })
    }
}

/// A tag's value. What is neither text nor null is taken as it stands in JSON.
struct TagValue(Box<str>);

impl<'de> Shape<'de> for TagValue {
    fn scalar(scalar: Scalar<'de>) -> Option<Self> {
        Some(TagValue(match scalar {
            Scalar::Text(text) => text.into(),
            Scalar::Number(number) => number.to_string().into(),
            Scalar::Bool(value) => value.to_string().into(),
        }))
    }
}

/// `attributes_flat`: the attributes as Terraform 0.11 wrote them, on one level and all text. Still
/// found in states that nobody has applied since.
#[derive(Default)]
pub(super) struct Flat<'de> {
    arn: Field<Cow<'de, str>>,
    catalog_id: Field<Cow<'de, str>>,
    /// The number of tags, which stands there only if they are a map.
    tags: Field<Cow<'de, str>>,
    identity: Field<TagValue>,
    realm: Field<TagValue>,
}

object!(Flat<'de> {
    b"arn" => arn,
    b"catalog_id" => catalog_id,
    b"tags.%" => tags,
    b"tags.gantrycd:resource-identity" => identity,
    b"tags.gantrycd:resource-identity-realm" => realm,
});

impl From<Flat<'_>> for Attributes {
    fn from(flat: Flat) -> Self {
        Attributes {
            arn: text(flat.arn),
            catalog_id: text(flat.catalog_id),
            tags: flat.tags.get().map(|_| Tags {
                identity: flat.identity.get().map(|value| value.0),
                realm: flat.realm.get().map(|value| value.0),
            }),
            ..Attributes::default()
        }
    }
}
