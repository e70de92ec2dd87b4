//! What `terraform show -json` and `tofu show -json` print, of a state or of a plan.

use arcstr::ArcStr;

use super::json::{Field, List, object};
use super::names::Names;
use super::sensitive::Marks;
use super::v4::{deposed, label};
use super::{Problem, Record};
use crate::identity::{Address, Attributes, Key, Mode, ModulePath, Row};

/// `values` of a state.
#[derive(Default)]
pub(super) struct Values {
    root_module: Field<Module>,
}

object!(Values { b"root_module" => root_module });

/// `prior_state` of a plan: what stood when the plan was made.
#[derive(Default)]
pub(super) struct PriorState {
    pub values: Field<Values>,
}

object!(PriorState { b"values" => values });

#[derive(Default)]
struct Module {
    /// From the root module on, also of a module within a module.
    address: Field<ArcStr>,
    resources: Field<List<Resource>>,
    /// How deep they may lie is bounded by the reader, which enters 128 levels.
    child_modules: Field<List<Module>>,
}

object!(Module {
    b"address" => address,
    b"resources" => resources,
    b"child_modules" => child_modules,
});

#[derive(Default)]
struct Resource {
    mode: Field<Mode>,
    resource_type: Field<ArcStr>,
    name: Field<ArcStr>,
    key: Field<Key>,
    provider: Field<ArcStr>,
    deposed: Field<ArcStr>,
    attributes: Field<Attributes>,
    sensitive: Field<Marks>,
}

// Not `address`: Terraform 0.12 printed it without its module and its key.
object!(Resource {
    b"mode" => mode,
    b"type" => resource_type,
    b"name" => name,
    b"index" => key,
    b"provider_name" => provider,
    b"deposed_key" => deposed,
    b"values" => attributes,
    b"sensitive_values" => sensitive,
});

impl Values {
    pub fn rows(self, names: &mut Names) -> Result<Vec<Record>, Problem> {
        let mut records = Vec::new();
        let mut modules = vec![self.root_module.or_default().ok_or(Problem::NotAState)?];
        while let Some(module) = modules.pop() {
            let children = module
                .child_modules
                .or_default()
                .ok_or(Problem::NotAState)?;
            modules.extend(children.into_iter().rev().filter_map(Field::get));
            let resources = module.resources.or_default().ok_or(Problem::NotAState)?;
            let path = module.address.or_default();
            let Some(path) = path.and_then(|address| names.module(&address)) else {
                continue;
            };
            let rows = resources.into_iter().filter_map(|it| it.get()?.row(&path));
            records.extend(rows.map(Record::from));
        }
        Ok(records)
    }
}

impl Resource {
    fn row(self, module: &ModulePath) -> Option<Row> {
        let mut attributes = self.attributes.get().unwrap_or_default();
        self.sensitive.sensitive().hide(&mut attributes);
        Some(Row {
            address: Address {
                module: module.clone(),
                mode: self.mode.get()?,
                resource_type: label(self.resource_type)?,
                name: label(self.name)?,
                key: self.key.optional()?,
            },
            provider: self.provider.get().unwrap_or_default(),
            deposed: deposed(self.deposed)?,
            attributes,
        })
    }
}
