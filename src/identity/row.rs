//! A row: one resource instance of a state, reduced to what identity needs.

use std::sync::Arc;

use arcstr::ArcStr;

use super::Address;

/// What stands for a sensitive leaf of a state from the moment that it is read.
pub const SENSITIVE: &str = "(sensitive value)";

/// One resource instance of a state.
#[derive(Clone, Debug)]
pub struct Row {
    /// Where the instance stands in its stack.
    pub address: Address,
    /// The provider source, in full (`registry.terraform.io/hashicorp/aws`), or what the state has
    /// in its place (`provider.aws`).
    pub provider: ArcStr,
    /// The key of a deposed object: one that the next apply destroys.
    pub deposed: Option<ArcStr>,
    /// What the state says of it.
    pub attributes: Attributes,
}

impl Row {
    /// The same with other tags: its own, and all of them.
    pub fn with_tags(&self, own: Tags, all: Tags) -> Self {
        Self {
            attributes: Attributes {
                tags: Some(own.into()),
                tags_all: Some(all.into()),
                ..self.attributes.clone()
            },
            ..self.clone()
        }
    }
}

/// The attributes that identity needs. No other is ever kept.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// `arn`; `None` when absent or null.
    pub arn: Option<ArcStr>,
    /// `catalog_id`; `None` when absent or null.
    pub catalog_id: Option<ArcStr>,
    /// The resource's own `tags`; `None` when the row has no map of that name.
    pub tags: Option<Arc<Tags>>,
    /// `tags_all`: the provider's default tags under the resource's own.
    pub tags_all: Option<Arc<Tags>>,
    /// Whether the row names an attribute whose value is null, as a provider writes every row in
    /// full, and has no null in place of its tags. Only such a row proves by what it lacks.
    pub complete: bool,
}

/// The two gantrycd tags of one map of tags. `None` is absent, or null. No other tag is kept.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tags {
    /// The value of `gantrycd:resource-identity`.
    pub identity: Option<ArcStr>,
    /// The value of `gantrycd:resource-identity-realm`.
    pub realm: Option<ArcStr>,
}
