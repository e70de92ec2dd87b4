//! What an object of hashicorp/aws is.

use super::{Arn, Attributes, Declaration, Identity, IdentityProvider, NoIdentity, Origin, Row};

/// The identity rules of hashicorp/aws: the declared id, or the row's `arn`.
pub struct AwsIdentity;

/// Types whose `arn` names another object than the row itself, and which object that is.
///
/// Foreign too, but kept, since the type's own key admits one row per object and two of them with
/// one ARN are a real conflict: `aws_sns_topic_policy` and
/// `aws_sns_topic_data_protection_policy` (one policy per topic), `aws_oam_sink_policy` (one per
/// sink), `aws_cloudtrail_organization_delegated_admin_account` and
/// `aws_vpc_ipam_organization_admin_account` (one registration per account),
/// `aws_ses_active_receipt_rule_set` (one active rule set per region).
const FOREIGN: &[(&str, &str)] = &[
    (
        "aws_cloudwatch_event_target",
        "it is the target's, which many rules may share",
    ),
    (
        "aws_lakeformation_resource",
        "it is the registered location's",
    ),
    (
        "aws_notifications_channel_association",
        "it is the channel's, which many configurations may share",
    ),
    (
        "aws_organizations_delegated_administrator",
        "it is the account's, which many services may delegate to",
    ),
    (
        "aws_quicksight_group_membership",
        "it is the group's, which many members share",
    ),
    (
        "aws_secretsmanager_secret_version",
        "it is the secret's, which many versions share",
    ),
    (
        "aws_ses_domain_identity_verification",
        "it is the domain identity's",
    ),
];

/// Types of the Glue catalog: the ARN has the account of the caller, the object is in the account
/// of `catalog_id`. Where the two differ, the ARN names an object that is not this one.
const IN_A_CATALOG: &[&str] = &[
    "aws_glue_catalog_database",
    "aws_glue_catalog_table",
    "aws_glue_connection",
    "aws_glue_user_defined_function",
];

/// Its `tags` select the instances to assess; they are not tags of the group, and `tags_all` is
/// not there to carry them.
const TAGS_ARE_A_SELECTOR: &str = "aws_inspector_resource_group";

impl IdentityProvider for AwsIdentity {
    fn sources(&self) -> &'static [&'static str] {
        &[
            "registry.terraform.io/hashicorp/aws",
            "registry.opentofu.org/hashicorp/aws",
        ]
    }

    fn identity(&self, row: &Row) -> Result<Identity, NoIdentity> {
        let declaration = declaration(row);
        if declaration.opts_out() {
            return Err(NoIdentity::OptedOutByTag);
        }
        if declaration.id_in_default_tags() {
            return Err(NoIdentity::IdentityInDefaultTags);
        }
        let realm = declaration
            .realm()
            .map_err(|why| NoIdentity::MalformedRealm(why.to_string().into()))?;
        if let Some(id) = declaration.id() {
            return Ok(Identity {
                id: id.into(),
                realm,
                origin: Origin::Declared,
            });
        }
        let id = discovered(&row.address.resource_type, &row.attributes)?;
        Ok(Identity {
            id,
            realm,
            origin: Origin::Discovered,
        })
    }
}

fn declaration(row: &Row) -> Declaration<'_> {
    if &*row.address.resource_type == TAGS_ARE_A_SELECTOR {
        return Declaration::default();
    }
    let attributes = &row.attributes;
    Declaration::overlay(attributes.tags.as_ref(), attributes.tags_all.as_ref())
}

fn discovered(resource_type: &str, row: &Attributes) -> Result<std::sync::Arc<str>, NoIdentity> {
    if let Some((_, whose)) = FOREIGN.iter().find(|(it, _)| *it == resource_type) {
        return Err(NoIdentity::ForeignArn((*whose).into()));
    }
    let id = row.arn.as_ref().filter(|it| !it.is_empty());
    let id = id.ok_or(NoIdentity::NoArn)?;
    let arn = Arn::parse(id).map_err(|why| NoIdentity::UnanchoredArn(why.to_string().into()))?;
    if IN_A_CATALOG.contains(&resource_type) {
        match row.catalog_id.as_deref() {
            Some(catalog) if catalog == arn.account => {}
            Some(catalog) => {
                let detail = format!("catalog {catalog}, while the arn has {}", arn.account);
                return Err(NoIdentity::OtherCatalog(detail.into()));
            }
            None => {
                let detail = "the state does not say which catalog it is in";
                return Err(NoIdentity::OtherCatalog(detail.into()));
            }
        }
    }
    Ok(id.clone())
}
