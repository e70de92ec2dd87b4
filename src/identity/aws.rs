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

#[cfg(test)]
mod tests {
    use super::super::{Address, IdentityRegistry, SENSITIVE, Tags};
    use super::*;

    const AWS: &str = "registry.terraform.io/hashicorp/aws";
    const ROLE: &str = "arn:aws:iam::111122223333:role/r";

    fn tags(identity: Option<&str>, realm: Option<&str>) -> Tags {
        Tags {
            identity: identity.map(Into::into),
            realm: realm.map(Into::into),
        }
    }

    fn row(address: &str, arn: Option<&str>, own: Option<Tags>, all: Option<Tags>) -> Row {
        Row {
            address: Address::parse(address).unwrap(),
            provider: AWS.into(),
            deposed: None,
            attributes: Attributes {
                arn: arn.map(Into::into),
                tags: own,
                tags_all: all,
                ..Attributes::default()
            },
        }
    }

    /// `id`, `id@realm`, or the reason's name.
    fn told(row: &Row, ignored: bool) -> String {
        match IdentityRegistry::mounted().claim(row, ignored) {
            Ok(Identity { id, realm, .. }) => match realm {
                Some(realm) => format!("{id}@{realm}"),
                None => id.to_string(),
            },
            Err(reason) => reason.name().to_owned(),
        }
    }

    #[test]
    fn what_the_tags_declare() {
        let role = |own: [Option<&str>; 2], default: [Option<&str>; 2]| {
            let own = tags(own[0], own[1]);
            // as the provider does it: the own tags over the default ones
            let all = Tags {
                identity: own.identity.clone().or(default[0].map(Into::into)),
                realm: own.realm.clone().or(default[1].map(Into::into)),
            };
            told(
                &row("aws_iam_role.r", Some(ROLE), Some(own), Some(all)),
                false,
            )
        };
        let none = [None, None];
        for (own, default, expected) in [
            (none, none, ROLE),
            // the own id
            ([Some("net/a"), None], none, "net/a"),
            ([Some("any text: *?${}"), None], none, "any text: *?${}"),
            ([Some(SENSITIVE), None], none, SENSITIVE),
            ([Some("net/a"), Some("r1")], none, "net/a@r1"),
            ([Some("net/a"), None], [Some("net/b"), None], "net/a"),
            ([Some("net/a"), None], [Some("null"), None], "net/a"),
            // opt-outs
            ([Some("null"), None], none, "opted-out-by-tag"),
            ([Some(""), None], none, "opted-out-by-tag"),
            ([Some("null"), Some("bad realm")], none, "opted-out-by-tag"),
            (
                [Some("null"), None],
                [Some("net/b"), None],
                "opted-out-by-tag",
            ),
            (none, [Some("null"), None], "opted-out-by-tag"),
            (none, [Some(""), None], "opted-out-by-tag"),
            // an id in default tags
            (none, [Some("net/b"), None], "identity-in-default-tags"),
            (
                none,
                [Some("net/b"), Some("bad realm")],
                "identity-in-default-tags",
            ),
            // realms
            (
                [None, Some("r1")],
                none,
                "arn:aws:iam::111122223333:role/r@r1",
            ),
            (
                none,
                [None, Some("r2")],
                "arn:aws:iam::111122223333:role/r@r2",
            ),
            (
                [None, Some("r1")],
                [None, Some("r2")],
                "arn:aws:iam::111122223333:role/r@r1",
            ),
            (
                [None, Some("null")],
                none,
                "arn:aws:iam::111122223333:role/r@null",
            ),
            ([None, Some("")], none, "malformed-realm"),
            ([None, Some("")], [None, Some("r2")], "malformed-realm"),
            ([None, Some("r 1")], [None, Some("r2")], "malformed-realm"),
            (
                [None, Some("r1")],
                [None, Some("r 2")],
                "arn:aws:iam::111122223333:role/r@r1",
            ),
            (none, [None, Some("a/b")], "malformed-realm"),
            ([None, Some(SENSITIVE)], none, "malformed-realm"),
            ([Some("net/a"), Some("a/b")], none, "malformed-realm"),
        ] {
            assert_eq!(role(own, default), expected, "{own:?} over {default:?}");
        }
    }

    #[test]
    fn the_order_of_decision() {
        let optout = tags(Some("null"), Some("bad realm"));
        let mut row = row("aws_cloudwatch_event_target.t", None, Some(optout), None);
        row.provider = "registry.example.com/hashicorp/aws".into();
        assert_eq!(told(&row, true), "unsupported-provider");
        row.provider = "registry.opentofu.org/hashicorp/aws".into();
        assert_eq!(told(&row, true), "opted-out-by-comment");
        assert_eq!(told(&row, false), "opted-out-by-tag");
        row.attributes.tags = None;
        row.attributes.tags_all = Some(tags(Some("x"), Some("bad realm")));
        assert_eq!(told(&row, false), "identity-in-default-tags");
        row.attributes.tags_all = Some(tags(None, Some("bad realm")));
        assert_eq!(told(&row, false), "malformed-realm");
        row.attributes.tags = Some(tags(Some("x"), Some("r")));
        assert_eq!(told(&row, false), "x@r", "a declared id knows no type rule");
        row.attributes.tags = None;
        row.attributes.tags_all = None;
        assert_eq!(told(&row, false), "foreign-arn");
    }

    #[test]
    fn sources() {
        for (source, expected) in [
            ("registry.terraform.io/hashicorp/aws", ROLE),
            ("registry.opentofu.org/hashicorp/aws", ROLE),
            ("registry.example.com/hashicorp/aws", "unsupported-provider"),
            ("registry.terraform.io/acme/aws", "unsupported-provider"),
            ("registry.terraform.io/-/aws", "unsupported-provider"),
            (
                "registry.terraform.io/hashicorp/awscc",
                "unsupported-provider",
            ),
            ("provider.aws", "unsupported-provider"),
            ("hashicorp/aws", "unsupported-provider"),
            ("", "unsupported-provider"),
        ] {
            let mut row = row("aws_iam_role.r", Some(ROLE), None, None);
            row.provider = source.into();
            assert_eq!(told(&row, false), expected, "{source}");
        }
    }

    #[test]
    fn types_whose_arn_is_another_objects() {
        for resource_type in [
            "aws_cloudwatch_event_target",
            "aws_notifications_channel_association",
            "aws_lakeformation_resource",
            "aws_secretsmanager_secret_version",
            "aws_organizations_delegated_administrator",
            "aws_quicksight_group_membership",
            "aws_ses_domain_identity_verification",
        ] {
            for mode in ["", "data."] {
                let row = row(&format!("{mode}{resource_type}.x"), Some(ROLE), None, None);
                assert_eq!(told(&row, false), "foreign-arn", "{mode}{resource_type}");
            }
        }
        for kept in [
            "aws_sns_topic_policy",
            "aws_sns_topic_data_protection_policy",
            "aws_oam_sink_policy",
            "aws_cloudtrail_organization_delegated_admin_account",
            "aws_vpc_ipam_organization_admin_account",
            "aws_ses_active_receipt_rule_set",
        ] {
            let row = row(&format!("{kept}.x"), Some(ROLE), None, None);
            assert_eq!(told(&row, false), ROLE, "{kept}");
        }
    }

    #[test]
    fn types_of_a_catalog() {
        let arn = "arn:aws:glue:eu-west-1:111122223333:database/d";
        for (resource_type, catalog, expected) in [
            ("aws_glue_catalog_database", Some("111122223333"), arn),
            ("aws_glue_catalog_table", Some("111122223333"), arn),
            ("aws_glue_connection", Some("111122223333"), arn),
            ("aws_glue_user_defined_function", Some("111122223333"), arn),
            (
                "aws_glue_catalog_database",
                Some("444455556666"),
                "other-catalog",
            ),
            ("aws_glue_catalog_database", Some(""), "other-catalog"),
            (
                "aws_glue_catalog_database",
                Some(SENSITIVE),
                "other-catalog",
            ),
            ("aws_glue_catalog_table", None, "other-catalog"),
            ("aws_glue_connection", None, "other-catalog"),
            ("aws_glue_user_defined_function", None, "other-catalog"),
            ("aws_glue_job", None, arn),
        ] {
            let mut row = row(&format!("{resource_type}.x"), Some(arn), None, None);
            row.attributes.catalog_id = catalog.map(Into::into);
            assert_eq!(told(&row, false), expected, "{resource_type} {catalog:?}");
        }
        let bare = row("aws_glue_connection.x", None, None, None);
        assert_eq!(told(&bare, false), "no-arn");
    }

    #[test]
    fn arns_that_are_not_there() {
        for (arn, expected) in [
            (None, "no-arn"),
            (Some(""), "no-arn"),
            (Some(SENSITIVE), "unanchored-arn"),
            (Some("r"), "unanchored-arn"),
        ] {
            assert_eq!(
                told(&row("aws_iam_role.r", arn, None, None), false),
                expected
            );
        }
    }

    #[test]
    fn a_selector_is_no_declaration() {
        let arn = "arn:aws:inspector:eu-west-1:111122223333:resourcegroup/0-a";
        let selector = tags(Some("null"), Some("r"));
        let group = row(
            "aws_inspector_resource_group.g",
            Some(arn),
            Some(selector),
            None,
        );
        assert_eq!(told(&group, false), arn);
    }

    #[test]
    fn a_data_source_looks_up_and_never_claims() {
        let registry = IdentityRegistry::mounted();
        let read = tags(None, Some("emu"));
        let data = row("data.aws_iam_role.r", Some(ROLE), Some(read), None);
        assert_eq!(told(&data, false), "data-source");
        let identity = registry.look_up(&data, false).unwrap();
        assert_eq!(
            (&*identity.id, identity.realm.unwrap().as_str()),
            (ROLE, "emu")
        );
        let ignored = registry.look_up(&data, true).unwrap_err();
        assert_eq!(ignored, NoIdentity::OptedOutByComment);
    }
}
