//! What an object of hashicorp/aws is.

use std::sync::Arc;

use arcstr::ArcStr;

use super::{
    Arn, Attributes, Consulted, Decision, Declaration, Heard, IDENTITY_TAG, Identity,
    IdentityProvider, MalformedRealm, NoIdentity, Origin, REALM_TAG, Realm, Row, Rule, Section,
    Tags,
};

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

    fn rules(&self) -> &'static [Rule] {
        RULES
    }
}

const RULES: &[Rule] = &[
    Rule {
        name: "opt-out-tag",
        question: "Does its identity tag opt it out?",
        passed: "no",
        consults: |it| consulted(it.row, IDENTITY_TAG),
        decide: |it| {
            let opts_out = declaration(it.row).opts_out();
            opts_out.then_some(Err(NoIdentity::OptedOutByTag))
        },
    },
    Rule {
        name: "default-tags-id",
        question: "Does an id stand in default_tags only?",
        passed: "no",
        consults: |it| consulted(it.row, IDENTITY_TAG),
        decide: |it| {
            let refused = declaration(it.row).id_in_default_tags();
            refused.then_some(Err(NoIdentity::IdentityInDefaultTags))
        },
    },
    Rule {
        name: "realm",
        question: "Is its realm malformed?",
        passed: "no",
        consults: |it| consulted(it.row, REALM_TAG),
        decide: |it| {
            let (realm, _) = declaration(it.row).realm?;
            Some(Err(malformed(Realm::check(realm).err()?)))
        },
    },
    Rule {
        name: "declared-id",
        question: "Does its own tag declare an id?",
        passed: "no",
        consults: |it| consulted(it.row, IDENTITY_TAG),
        decide: |it| {
            let id = declaration(it.row).id()?;
            Some(asserted(it.row, id.into(), Origin::Declared))
        },
    },
    Rule {
        name: "foreign-arn",
        question: "Is the arn of its type another object's?",
        passed: "no",
        consults: |it| vec![of_type(it.row)],
        decide: |it| {
            let resource_type = &*it.row.address.resource_type;
            let (_, whose) = FOREIGN.iter().find(|(it, _)| *it == resource_type)?;
            Some(Err(NoIdentity::ForeignArn((*whose).into())))
        },
    },
    Rule {
        name: "other-catalog",
        question: "Does it lie in a catalog of another account?",
        passed: "no",
        consults: |it| match is_in_a_catalog(it.row) {
            true => {
                let catalog = it.row.attributes.catalog_id.as_deref();
                let catalog = Consulted::only("catalog_id", catalog, "absent or null");
                vec![of_type(it.row), catalog, arn(it.row)]
            }
            false => vec![of_type(it.row)],
        },
        decide: |it| Some(Err(other_catalog(it.row)?)),
    },
    Rule {
        name: "arn",
        question: "Does its arn name one object in one account?",
        passed: "yes",
        consults: |it| vec![arn(it.row)],
        decide: |it| Some(discovered(it.row)),
    },
];

fn declaration(row: &Row) -> Declaration<'_> {
    match tags_are_a_selector(row) {
        true => Declaration::default(),
        false => {
            let attributes = &row.attributes;
            Declaration::overlay(attributes.tags.as_deref(), attributes.tags_all.as_deref())
        }
    }
}

fn tags_are_a_selector(row: &Row) -> bool {
    &*row.address.resource_type == TAGS_ARE_A_SELECTOR
}

fn is_in_a_catalog(row: &Row) -> bool {
    IN_A_CATALOG.contains(&&*row.address.resource_type)
}

fn malformed(why: MalformedRealm) -> NoIdentity {
    NoIdentity::MalformedRealm(why.to_string().into())
}

/// The id in the realm that the row declares.
fn asserted(row: &Row, id: ArcStr, origin: Origin) -> Decision {
    let realm = declaration(row).realm().map_err(malformed)?;
    Ok(Identity { id, realm, origin })
}

/// Of an object in a catalog that is not the one of its ARN's account: which it is in. An ARN that
/// names nothing has no account to compare.
fn other_catalog(row: &Row) -> Option<NoIdentity> {
    if !is_in_a_catalog(row) {
        return None;
    }
    let arn = Arn::parse(row.attributes.arn.as_ref()?).ok()?;
    let detail = match row.attributes.catalog_id.as_deref() {
        Some(catalog) if catalog == arn.account => return None,
        Some(catalog) => format!("catalog {catalog}, while the arn has {}", arn.account).into(),
        None => "the state does not say which catalog it is in".into(),
    };
    Some(NoIdentity::OtherCatalog(detail))
}

fn discovered(row: &Row) -> Decision {
    let id = row.attributes.arn.as_ref().filter(|it| !it.is_empty());
    let id = id.ok_or(NoIdentity::NoArn)?;
    Arn::parse(id).map_err(|why| NoIdentity::UnanchoredArn(why.to_string().into()))?;
    asserted(row, id.clone(), Origin::Discovered)
}

/// What the two sections say of a tag, and which of them counts.
fn consulted(row: &Row, key: &'static str) -> Vec<Consulted> {
    let Attributes { tags, tags_all, .. } = &row.attributes;
    if tags_are_a_selector(row) {
        let selector = "not read: these tags select other objects";
        return vec![Consulted::only("tags", None, selector)];
    }
    let declared = declaration(row);
    let declared = match key {
        IDENTITY_TAG => declared.identity,
        _ => declared.realm,
    };
    let section = |section, tags: &Option<Arc<Tags>>, of| {
        let (value, absent) = match tags {
            Some(tags) if key == IDENTITY_TAG => (tags.identity.as_deref(), "no identity tag"),
            Some(tags) => (tags.realm.as_deref(), "no realm tag"),
            None => (None, "absent or null"),
        };
        Consulted {
            section,
            key: Some(key),
            heard: Heard::new(value, absent),
            counts: declared.is_some_and(|(_, it)| it == of),
        }
    };
    let own = section("tags", tags, Section::Own);
    let all = section("tags_all", tags_all, Section::Default);
    vec![own, all]
}

fn of_type(row: &Row) -> Consulted {
    Consulted::only("type", Some(&row.address.resource_type), "")
}

fn arn(row: &Row) -> Consulted {
    let arn = row.attributes.arn.as_deref().filter(|it| !it.is_empty());
    Consulted::only("arn", arn, "absent, null or empty")
}

#[cfg(test)]
mod tests {
    use super::super::{Address, IdentityRegistry, SENSITIVE};
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
                tags: own.map(Into::into),
                tags_all: all.map(Into::into),
                ..Attributes::default()
            },
        }
    }

    /// `id`, `id@realm`, or the reason's name. What the steps come to is the same.
    fn told(row: &Row, ignored: bool) -> String {
        let registry = IdentityRegistry::mounted();
        let trace = registry.case(row, ignored).trace();
        let (last, passed) = trace.steps.split_last().unwrap();
        let looked_up = format!("{:?}", registry.look_up(row, ignored));
        assert_eq!(format!("{:?}", trace.decision), looked_up, "{row:?}");
        assert_eq!(format!("{:?}", last.decision), format!("Some({looked_up})"));
        assert!(passed.iter().all(|it| it.decision.is_none()), "{row:?}");
        match registry.claim(row, ignored) {
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
        row.attributes.tags_all = Some(tags(Some("x"), Some("bad realm")).into());
        assert_eq!(told(&row, false), "identity-in-default-tags");
        row.attributes.tags_all = Some(tags(None, Some("bad realm")).into());
        assert_eq!(told(&row, false), "malformed-realm");
        row.attributes.tags = Some(tags(Some("x"), Some("r")).into());
        assert_eq!(told(&row, false), "x@r", "a declared id knows no type rule");
        row.attributes.tags = None;
        row.attributes.tags_all = None;
        assert_eq!(told(&row, false), "foreign-arn");
    }

    #[test]
    fn each_step_tells_what_it_heard() {
        let mut row = row(
            "aws_glue_connection.c",
            Some("arn:aws:glue:eu-west-1:111122223333:connection/c"),
            Some(tags(None, Some("own"))),
            Some(tags(None, Some("default"))),
        );
        row.attributes.catalog_id = Some("111122223333".into());
        let shown = |row: &Row, ignored| {
            let trace = IdentityRegistry::mounted().case(row, ignored).trace();
            let step = |it: &super::super::RuleStep| {
                let consulted = it.consulted.iter().map(|it| {
                    let heard = match &it.heard {
                        Heard::Text(text) => text,
                        Heard::Nothing(how) => *how,
                    };
                    let counts = if it.counts { "!" } else { "" };
                    format!("{}{counts} {heard}", it.section)
                });
                format!(
                    "{}: {}",
                    it.rule.name,
                    consulted.collect::<Vec<_>>().join(", ")
                )
            };
            let steps = trace.steps.iter().map(step);
            let not_reached = trace.not_reached.iter().map(|it| it.name.to_owned());
            steps.chain(not_reached).collect::<Vec<_>>()
        };
        let no_id = "tags no identity tag, tags_all no identity tag";
        assert_eq!(
            shown(&row, false),
            [
                "provider: provider! registry.terraform.io/hashicorp/aws",
                "comment: comment none that is honoured",
                &format!("opt-out-tag: {no_id}"),
                &format!("default-tags-id: {no_id}"),
                "realm: tags! own, tags_all default",
                &format!("declared-id: {no_id}"),
                "foreign-arn: type! aws_glue_connection",
                "other-catalog: type! aws_glue_connection, catalog_id! 111122223333, \
                 arn! arn:aws:glue:eu-west-1:111122223333:connection/c",
                "arn: arn! arn:aws:glue:eu-west-1:111122223333:connection/c",
            ]
        );
        assert_eq!(
            shown(&row, true)[1..],
            [
                "comment: comment! gantrycd:resource-identity: ignore=true",
                "opt-out-tag",
                "default-tags-id",
                "realm",
                "declared-id",
                "foreign-arn",
                "other-catalog",
                "arn",
            ]
        );
        row.attributes.tags = None;
        assert_eq!(
            shown(&row, false)[4],
            "realm: tags absent or null, tags_all! default"
        );
        row.address = Address::parse("aws_inspector_resource_group.g").unwrap();
        assert_eq!(
            shown(&row, false)[4],
            "realm: tags not read: these tags select other objects"
        );
        row.provider = "provider.aws".into();
        assert_eq!(
            shown(&row, false),
            ["provider: provider! provider.aws", "comment"]
        );
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
