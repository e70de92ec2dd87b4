//! State format 4: what Terraform since 0.12 and OpenTofu keep.

use arcstr::ArcStr;

use super::Record;
use super::attributes::Flat;
use super::json::{Fault, Field, List, Reader, Shape, object};
use super::names::Names;
use super::sensitive::Paths;
use crate::identity::{Address, Attributes, Key, Mode, Row};

/// The rows of `resources`. The file has far more bytes than they: no entry is kept until the next.
#[derive(Default)]
pub(super) struct Resources(pub Vec<Record>);

impl Shape for Resources {
    fn list(json: &mut Reader) -> Result<Option<Self>, Fault> {
        let mut names = Names::default();
        let mut records = Vec::new();
        json.list(|json| {
            if let Some(resource) = Field::<Resource>::read(json)?.get() {
                resource.rows(&mut names, &mut records);
            }
            Ok(())
        })?;
        Ok(Some(Resources(records)))
    }
}

/// One entry of `resources`: a block, with its instances.
#[derive(Default)]
struct Resource {
    module: Field<ArcStr>,
    mode: Field<Mode>,
    resource_type: Field<ArcStr>,
    name: Field<ArcStr>,
    provider: Field<ArcStr>,
    instances: Field<List<Instance>>,
}

object!(Resource {
    b"module" => module,
    b"mode" => mode,
    b"type" => resource_type,
    b"name" => name,
    b"provider" => provider,
    b"instances" => instances,
});

#[derive(Default)]
struct Instance {
    key: Field<Key>,
    deposed: Field<ArcStr>,
    provider: Field<ArcStr>,
    attributes: Field<Attributes>,
    flat: Field<Flat>,
    sensitive: Field<Paths>,
}

object!(Instance {
    b"index_key" => key,
    b"deposed" => deposed,
    b"provider" => provider,
    b"attributes" => attributes,
    b"attributes_flat" => flat,
    b"sensitive_attributes" => sensitive,
});

impl Resource {
    /// Adds the rows of the block's instances. `None` is a block that cannot be told.
    fn rows(self, names: &mut Names, records: &mut Vec<Record>) -> Option<()> {
        let address = Address {
            module: names.module(&self.module.or_default()?)?,
            mode: self.mode.get()?,
            resource_type: label(self.resource_type)?,
            name: label(self.name)?,
            key: None,
        };
        let provider = names.name(source(&self.provider.get().unwrap_or_default()));
        let instances = self.instances.get()?.into_iter();
        let rows = instances.filter_map(|it| it.get()?.row(&address, &provider, names));
        records.extend(rows.map(Record::from));
        Some(())
    }
}

impl Instance {
    fn row(self, block: &Address, provider: &ArcStr, names: &mut Names) -> Option<Row> {
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
pub(super) fn label(field: Field<ArcStr>) -> Option<ArcStr> {
    field.get().filter(|text| !text.is_empty())
}

/// The key of a deposed object; the outer `None` is one that cannot be read.
pub(super) fn deposed(field: Field<ArcStr>) -> Option<Option<ArcStr>> {
    Some(field.optional()?.filter(|key| !key.is_empty()))
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
