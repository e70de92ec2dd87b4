//! State format 4: what Terraform since 0.12 and OpenTofu keep.

use std::borrow::Cow;
use std::sync::Arc;

use super::Record;
use super::attributes::Flat;
use super::json::{Field, List, object};
use super::names::Names;
use super::sensitive::Paths;
use crate::identity::{Address, Attributes, Key, Mode, Row};

/// One entry of `resources`: a block, with its instances.
#[derive(Default)]
pub(super) struct Resource<'de> {
    module: Field<Cow<'de, str>>,
    mode: Field<Mode>,
    resource_type: Field<Cow<'de, str>>,
    name: Field<Cow<'de, str>>,
    provider: Field<Cow<'de, str>>,
    instances: Field<List<Instance<'de>>>,
}

object!(Resource<'de> {
    b"module" => module,
    b"mode" => mode,
    b"type" => resource_type,
    b"name" => name,
    b"provider" => provider,
    b"instances" => instances,
});

#[derive(Default)]
struct Instance<'de> {
    key: Field<Key>,
    deposed: Field<Cow<'de, str>>,
    provider: Field<Cow<'de, str>>,
    attributes: Field<Attributes>,
    flat: Field<Flat<'de>>,
    sensitive: Field<Paths>,
}

object!(Instance<'de> {
    b"index_key" => key,
    b"deposed" => deposed,
    b"provider" => provider,
    b"attributes" => attributes,
    b"attributes_flat" => flat,
    b"sensitive_attributes" => sensitive,
});

impl Resource<'_> {
    /// Adds the rows of the block's instances. `None` is a block that cannot be told.
    pub fn rows(self, names: &mut Names, records: &mut Vec<Record>) -> Option<()> {
        let address = Address {
            module: names.module(&self.module.or_default()?)?,
            mode: self.mode.get()?,
            resource_type: names.name(&label(self.resource_type)?),
            name: label(self.name)?.into(),
            key: None,
        };
        let provider = names.name(source(&self.provider.get().unwrap_or_default()));
        let instances = self.instances.get()?.into_iter();
        let rows = instances.filter_map(|it| it.get()?.row(&address, &provider, names));
        records.extend(rows.map(Record::from));
        Some(())
    }
}

impl Instance<'_> {
    fn row(self, block: &Address, provider: &Arc<str>, names: &mut Names) -> Option<Row> {
        let mut attributes = self
            .attributes
            .get()
            .or_else(|| self.flat.get().map(Attributes::from))
            .unwrap_or_default();
        self.sensitive.sensitive().hide(&mut attributes);
        Some(Row {
            address: Address {
                key: self.key.optional()?,
                ..block.clone()
            },
            provider: match self.provider.get() {
                Some(own) => names.name(source(&own)),
                None => provider.clone(),
            },
            deposed: deposed(self.deposed)?,
            attributes,
        })
    }
}

/// A part that an address cannot do without.
pub(super) fn label<'de>(field: Field<Cow<'de, str>>) -> Option<Cow<'de, str>> {
    field.get().filter(|text| !text.is_empty())
}

/// The key of a deposed object; the outer `None` is one that cannot be read.
pub(super) fn deposed(field: Field<Cow<str>>) -> Option<Option<Box<str>>> {
    Some(
        field
            .optional()?
            .filter(|key| !key.is_empty())
            .map(Into::into),
    )
}

/// The source in `module.m.provider["registry.terraform.io/hashicorp/aws"].alias`. Terraform 0.12
/// wrote `provider.aws`, which names none and stays as it is.
fn source(provider: &str) -> &str {
    let quoted = provider.split_once("[\"").map(|(_, after)| after);
    match quoted.and_then(|after| after.split_once("\"]")) {
        Some((source, _)) => source,
        None => provider,
    }
}
