//! The few attributes of a row that identity needs. A state holds secrets in clear: no other
//! attribute, and no other tag, is ever built.

use arcstr::ArcStr;

use super::json::{Fault, Field, Own, Reader, Scalar, Shape, object};
use super::shared::Shared;
use crate::identity::{Attributes, IDENTITY_TAG, REALM_TAG, Tags};

pub(super) const IDENTITY_KEY: &[u8] = IDENTITY_TAG.as_bytes();
pub(super) const REALM_KEY: &[u8] = REALM_TAG.as_bytes();

impl Shape for Attributes {
    fn object(json: &mut Reader) -> Result<Option<Self>, Fault> {
        let mut attributes = Attributes::default();
        let mut null_tags = false;
        let mut goes_on = json.enter_object()?;
        while goes_on {
            match json.key()? {
                b"arn" => attributes.arn = Field::<Own>::read(json)?.get().map(|it| it.0),
                b"catalog_id" => attributes.catalog_id = Field::read(json)?.get(),
                b"tags" => {
                    let tags = Field::<TagMap>::read(json)?;
                    null_tags |= matches!(tags, Field::Absent);
                    attributes.tags = tags.tags().map(|it| json.shared.tags(it));
                }
                b"tags_all" => {
                    let tags = Field::<TagMap>::read(json)?;
                    null_tags |= matches!(tags, Field::Absent);
                    attributes.tags_all = tags.tags().map(|it| json.shared.tags(it));
                }
                _ if attributes.complete => json.skip()?,
                _ => attributes.complete = json.skip_null()?,
            }
            goes_on = json.has_key()?;
        }
        // tags that are null are tags that nobody set, of a type that takes them
        attributes.complete &= !null_tags;
        Ok(Some(attributes))
    }
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
struct TagValue(ArcStr);

impl Shape for TagValue {
    fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
        Some(TagValue(match scalar {
            Scalar::Text(text) => shared.text(text),
            Scalar::Number(number) => number.to_string().into(),
            Scalar::Bool(value) => value.to_string().into(),
        }))
    }
}

/// `attributes_flat`: the attributes as Terraform 0.11 wrote them, on one level and all text. Still
/// found in states that nobody has applied since.
#[derive(Default)]
pub(super) struct Flat {
    arn: Field<Own>,
    catalog_id: Field<ArcStr>,
    /// The number of tags, which stands there only if they are a map.
    tags: Field<ArcStr>,
    identity: Field<TagValue>,
    realm: Field<TagValue>,
}

object!(Flat {
    b"arn" => arn,
    b"catalog_id" => catalog_id,
    b"tags.%" => tags,
    b"tags.gantrycd:resource-identity" => identity,
    b"tags.gantrycd:resource-identity-realm" => realm,
});

impl From<Flat> for Attributes {
    fn from(flat: Flat) -> Self {
        Attributes {
            arn: flat.arn.get().map(|it| it.0),
            catalog_id: flat.catalog_id.get(),
            tags: flat.tags.get().map(|_| {
                Tags {
                    identity: flat.identity.get().map(|value| value.0),
                    realm: flat.realm.get().map(|value| value.0),
                }
                .into()
            }),
            ..Attributes::default()
        }
    }
}
