//! Which resource types take tags, as far as anybody has seen.
//!
//! Advice only. What a resource *is* never depends on this.

use std::collections::HashMap;
use std::sync::LazyLock;

use arcstr::ArcStr;
use serde::{Deserialize, Serialize};

use crate::identity::Mode;
use crate::state::Record;

use super::Stack;
use super::schemas::Schema;

/// Types of hashicorp/aws 6.61.0, observed 2026-11-29 from the provider's generated bindings.
static AWS: LazyLock<Table> = LazyLock::new(|| {
    serde_json::from_str(include_str!("aws-6.61.0.json")).expect("the table ships with the build")
});

/// Data source types of hashicorp/aws 6.25.0 that take an `arn` and show the tags of what they read,
/// observed 2026-11-30 from the provider's generated bindings. Fourteen others take an `arn` and show
/// no tags, `aws_sfn_activity` and `aws_lb_trust_store` among them.
const SHOW_TAGS: &[&str] = &[
    "aws_acmpca_certificate_authority",
    "aws_alb",
    "aws_alb_listener",
    "aws_alb_target_group",
    "aws_batch_job_definition",
    "aws_batch_scheduling_policy",
    "aws_codestarconnections_connection",
    "aws_globalaccelerator_accelerator",
    "aws_globalaccelerator_custom_routing_accelerator",
    "aws_iam_openid_connect_provider",
    "aws_iam_policy",
    "aws_iam_saml_provider",
    "aws_imagebuilder_component",
    "aws_imagebuilder_container_recipe",
    "aws_imagebuilder_distribution_configuration",
    "aws_imagebuilder_image",
    "aws_imagebuilder_image_pipeline",
    "aws_imagebuilder_image_recipe",
    "aws_imagebuilder_infrastructure_configuration",
    "aws_kinesis_stream_consumer",
    "aws_lb",
    "aws_lb_listener",
    "aws_lb_listener_rule",
    "aws_lb_target_group",
    "aws_msk_vpc_connection",
    "aws_networkfirewall_firewall",
    "aws_networkfirewall_firewall_policy",
    "aws_outposts_outpost",
    "aws_secretsmanager_secret",
    "aws_servicecatalogappregistry_attribute_group",
    "aws_ssmcontacts_contact",
    "aws_ssmcontacts_rotation",
    "aws_ssmincidents_response_plan",
    "aws_ssoadmin_permission_set",
];

#[derive(Deserialize)]
struct Table {
    version: String,
    observed: String,
    resources: HashMap<String, Type>,
}

#[derive(Deserialize)]
struct Type {
    tags: Takes,
}

/// How a resource type takes tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    /// `tags` and `tags_all`: the only kind that carries a declaration.
    Map,
    /// Not at all.
    None,
    /// `tag` blocks, or a list of blocks called `tags`.
    Blocks,
    /// A map called `tags` that selects other objects.
    Selector,
}

/// What says how a resource type takes tags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A row of that type that has tags, or one written in full that has none; its address.
    Row(String),
    /// The schema of a provider that the stack has installed: its name and version.
    Schema(String),
    /// The bundled table.
    Bundled,
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Evidence::Row(address) => write!(f, "as {address} in this stack's state shows"),
            Evidence::Schema(provider) => write!(f, "by the schema of {provider}"),
            Evidence::Bundled => write!(
                f,
                "by hashicorp/aws {}, observed {}",
                AWS.version, AWS.observed
            ),
        }
    }
}

impl std::fmt::Display for Takes {
    /// What it comes to for the two tags, behind the name of the type.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Takes::Map => "takes tags",
            Takes::None => "takes no tags",
            Takes::Blocks => "takes tags as blocks, which gantrycd does not read",
            Takes::Selector => "uses its tags to select other objects",
        })
    }
}

/// What the rows of one state show of the types that they are of.
#[derive(Debug, Default)]
pub struct Observed(HashMap<ArcStr, Shown>);

#[derive(Clone, Copy, Debug)]
enum Shown {
    Taken { record: usize },
    NotTaken { record: usize },
}

impl Observed {
    pub(super) fn of(records: &[Record]) -> Self {
        let mut observed: HashMap<ArcStr, Shown> = HashMap::new();
        for (record, it) in records.iter().enumerate() {
            let attributes = &it.row.attributes;
            let shown = if attributes.tags_all.is_some() {
                Shown::Taken { record }
            } else if attributes.complete && attributes.tags.is_none() {
                Shown::NotTaken { record }
            } else {
                continue;
            };
            let address = &it.row.address;
            if address.mode != Mode::Managed {
                continue;
            }
            let known = observed.entry(address.resource_type.clone());
            let known = known.or_insert(shown);
            if matches!(
                (&known, shown),
                (Shown::NotTaken { .. }, Shown::Taken { .. })
            ) {
                *known = shown;
            }
        }
        Self(observed)
    }
}

/// How a resource type takes tags when that is certainly not as a map that reaches the state, and
/// what says so. `source` is the provider source in full. `None` where the type takes them, or
/// where nothing is known.
pub fn untaggable(stack: &Stack, resource_type: &str, source: &str) -> Option<(Takes, Evidence)> {
    let (takes, from) = known(stack, resource_type, source)?;
    (takes != Takes::Map).then(|| (takes, from.evidence(stack)))
}

/// Whether a resource type takes tags as a map that reaches the state. `None` where nothing is
/// known.
pub fn takes_tags(stack: &Stack, resource_type: &str, source: &str) -> Option<bool> {
    let (takes, _) = known(stack, resource_type, source)?;
    Some(takes == Takes::Map)
}

/// Whether a data source type certainly shows the tags of what it reads: as a row of that type in
/// the stack's own state does, or else by what was observed of its provider.
pub(super) fn shows_tags(stack: &Stack, data_type: &str, source: &str) -> bool {
    let rows = stack.records().map(|it| &it.row);
    let mut rows =
        rows.filter(|it| it.address.mode == Mode::Data && *it.address.resource_type == *data_type);
    match rows.next() {
        Some(first) => rows.chain([first]).any(|it| it.attributes.tags.is_some()),
        None => source.ends_with("/hashicorp/aws") && SHOW_TAGS.contains(&data_type),
    }
}

/// How a resource type takes tags, and what says so. `None` where nothing is known.
pub fn support(stack: &Stack, resource_type: &str, source: &str) -> Option<(Takes, Evidence)> {
    let (takes, from) = known(stack, resource_type, source)?;
    Some((takes, from.evidence(stack)))
}

/// What says how a resource type takes tags: a record by its position, a schema, or the table.
#[derive(Clone, Copy)]
enum From<'a> {
    Record(usize),
    Schema(&'a Schema),
    Bundled,
}

impl From<'_> {
    fn evidence(self, stack: &Stack) -> Evidence {
        match self {
            From::Record(row) => Evidence::Row(stack.address(row).to_string()),
            From::Schema(Schema {
                provider,
                provider_version,
                ..
            }) => {
                let (_, name) = provider.split_once('/').unwrap_or(("", provider));
                Evidence::Schema(format!("{name} {provider_version}, which is installed"))
            }
            From::Bundled => Evidence::Bundled,
        }
    }
}

/// How a resource type takes tags, and what says so, the best evidence first.
fn known<'a>(stack: &'a Stack, resource_type: &str, source: &str) -> Option<(Takes, From<'a>)> {
    let without_rows = by_schema(stack, resource_type, source).or_else(|| {
        let bundled = AWS.resources.get(resource_type).map(|it| it.tags);
        let bundled = bundled.filter(|_| source.ends_with("/hashicorp/aws"));
        Some((bundled?, From::Bundled))
    });
    match stack.observed.0.get(resource_type) {
        Some(Shown::Taken { record }) => Some((Takes::Map, From::Record(*record))),
        Some(Shown::NotTaken { record }) => {
            // a row does not show what else its type has of that name
            let takes = without_rows.map(|(takes, _)| takes);
            let takes = takes.filter(|it| *it != Takes::Map);
            Some((takes.unwrap_or(Takes::None), From::Record(*record)))
        }
        None => without_rows,
    }
}

fn by_schema<'a>(stack: &'a Stack, resource_type: &str, source: &str) -> Option<(Takes, From<'a>)> {
    let mut schemas = stack.schemas.iter();
    let schema = schemas.find(|it| *it.provider == *source)?;
    let of_type = schema.resources.get(resource_type)?;
    Some((of_type.tags, From::Schema(schema)))
}
