//! What a data source will read, by its configuration alone.
//!
//! Of a data source that has been read, its row says what it read: the ARN, and the tags of the
//! object, which are its owner's. Of one that has not, only its `arn` argument tells, and no argument
//! tells those tags. What may be said before the first apply is said here, and nothing else.

use std::sync::Arc;

use crate::config::Merged;
use crate::eval::Data;
use crate::identity::{Address, Arn, Attributes, Identity, IdentityRegistry, Realm, Row, Tags};

use super::configured::Configured;
use super::evaluation::{Evaluation, Repetition};
use super::tags::Said;

/// The `arn` argument of a data source in an instance of its module, where it is known.
pub(super) fn arn(
    evaluation: &Evaluation,
    (instance, repetition): (usize, &Repetition),
    resource: &Merged,
) -> Option<Arc<str>> {
    let argument = resource.attribute("arn")?;
    let value = evaluation.evaluate(instance, repetition, argument);
    match value.data {
        // a state keeps what is sensitive to itself
        Data::Text(text) if !value.sensitive => Some(text),
        _ => None,
    }
}

/// Whether an `arn` argument certainly names another object than the ARN that was recorded. Some
/// data sources take an abbreviated one, and record the whole: a secret's without its suffix, an
/// image's with `x.x.x` for the latest version.
pub(super) fn is_another(argument: &str, recorded: &str) -> bool {
    let is_abbreviated = recorded.starts_with(argument) || argument.contains("x.x");
    !is_abbreviated && Arn::parse(argument).is_ok()
}

/// The identity by which the owner of what a data source reads will be looked up, once it has read
/// `arn`. `None` where that is not certain. `shows_tags` says whether the data source certainly
/// shows the tags of what it reads.
///
/// The realm is that of the object which is read, and an ARN alone does not say which object that
/// is: realms are there because ARNs repeat. It is known by what the data source reads through. A
/// provider configuration reaches one environment, and what its `default_tags` declare holds for the
/// objects there. So a data source reads from the realm of its own provider configuration: when an
/// owner claims the ARN in that realm, or without one where the configuration has none, the object is
/// the owner's and shows the owner's tags. Where the two differ nobody can tell. An ARN that one stack
/// alone claims, in a realm, may be another object in the emulator next door, whose owner was not
/// applied yet. The first apply tells.
pub(super) fn in_advance(
    registry: &IdentityRegistry,
    address: &Address,
    configured: &Configured,
    (arn, shows_tags): (&str, bool),
) -> Option<Identity> {
    let (own, default) = (&configured.own, &configured.default);
    // what opts out, or is refused, or declares another id than the ARN
    if !own.identity.is_absent() || !default.identity.is_absent() {
        return None;
    }
    // its own tags are what it looks for, so that what it finds has them
    let realm = match &configured.realm().value {
        Said::Absent => None,
        Said::Text(text, _) => Some(Realm::parse(text).ok()?),
        Said::Sensitive | Said::Unknown => return None,
    };
    if realm.is_some() && (!shows_tags || configured.ignored.may_hide_ours()) {
        return None;
    }
    let tags = realm.map(|it| Tags {
        identity: None,
        realm: Some(it.as_str().into()),
    });
    let row = Row {
        address: address.clone(),
        provider: configured.source.as_deref()?.into(),
        deposed: None,
        attributes: Attributes {
            arn: Some(arn.into()),
            tags: tags.map(Into::into),
            ..Attributes::default()
        },
    };
    registry.look_up(&row, false).ok()
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::workspace::Snapshot;

    const LB: &str = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1";

    /// Every edge as `reader > owner` and when it stands, in order.
    fn told(snapshot: &Snapshot) -> Vec<String> {
        let name = |it| format!("{}/{}", snapshot.stack(it).name, snapshot.address(it));
        let edges = snapshot.edges();
        edges
            .map(|it| format!("{} > {} {:?}", name(it.reader), name(it.owner), it.when))
            .collect()
    }

    fn edges(text: &str) -> Vec<String> {
        told(&Fixture::new(text).snapshot())
    }

    /// The edges of a workspace in which `net` owns a load balancer that nobody has read yet. `reads`
    /// are the files of the stack `web` and of others, `LB` in it is the ARN, and `owner` stands
    /// behind the row.
    fn between(reads: &str, owner: &str) -> Vec<String> {
        let text = format!(
            "#- net/terraform.tfstate\n\
             aws_lb.web arn={LB} {owner}\n#- web/backend.tf\nterraform {{\n  backend \"s3\" {{}}\n}}\n\
             {}\n",
            reads.replace("LB", LB)
        );
        edges(&text)
    }

    const EDGE: &str = "web/data.aws_lb.web > net/aws_lb.web AfterApply";

    fn default_tags(key: &str, value: &str) -> String {
        format!(
            "provider \"aws\" {{\n  default_tags {{\n    tags = {{ \"gantrycd:{key}\" = {value} }}\n  \
             }}\n}}\n"
        )
    }

    #[test]
    fn an_arn_that_is_known_has_its_owner_before_the_first_apply() {
        for reads in [
            "#- web/main.tf\ndata \"aws_lb\" \"web\" {\n  arn = \"LB\"\n}",
            "#- web/main.tf\nlocals {\n  lb = \"LB\"\n}\ndata \"aws_lb\" \"web\" {\n  arn = local.lb\n}",
            "#- web/main.tf\nvariable \"lb\" {\n  default = \"LB\"\n}\n\
             data \"aws_lb\" \"web\" {\n  arn = var.lb\n}",
            "#- web/main.tf\nvariable \"lb\" {}\ndata \"aws_lb\" \"web\" {\n  arn = var.lb\n}\n\
             #- web/terraform.tfvars\nlb = \"LB\"",
            "#- web/main.tf.json\n{\"data\": {\"aws_lb\": {\"web\": {\"arn\": \"LB\"}}}}",
            // a state of other rows
            "#- web/main.tf\ndata \"aws_lb\" \"web\" {\n  arn = \"LB\"\n}\n\
             #- web/terraform.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b",
        ] {
            assert_eq!(between(reads, ""), [EDGE], "{reads}");
        }
    }

    #[test]
    fn every_instance_in_every_module() {
        let found = between(
            r#"
#- web/main.tf
module "m" {
  source   = "../m"
  for_each = toset(["a", "b"])
  arn      = each.key == "a" ? "LB" : "LB2"
}
data "aws_lb" "counted" {
  count = 2
  arn   = ["LB", "LB2"][count.index]
}
data "aws_lb" "none" {
  count = 0
  arn   = "LB"
}
data "aws_lb" "some" {
  count = var.some
  arn   = "LB"
}
variable "some" {}
#- m/main.tf
variable "arn" {}
data "aws_lb" "web" {
  arn = var.arn
}
"#,
            "",
        );
        assert_eq!(
            found,
            [
                "web/data.aws_lb.counted[0] > net/aws_lb.web AfterApply",
                r#"web/module.m["a"].data.aws_lb.web > net/aws_lb.web AfterApply"#,
            ]
        );
    }

    #[test]
    fn nothing_is_read_in_advance_that_is_not_certain() {
        let data = |body: &str| format!("#- web/main.tf\ndata \"aws_lb\" \"web\" {{\n{body}\n}}\n");
        for reads in [
            data("  name = \"LB\""),
            data("  arn = var.lb"),
            data("  arn = null"),
            data("  arn = \"\""),
            data("  arn = \"web\""),
            data("  arn = aws_lb.own.arn"),
            data("  arn = sensitive(\"LB\")"),
            // gantrycd is told nothing by them
            data("  arn = \"LB\" # gantrycd:resource-identity: ignore=true"),
            data("  arn  = \"LB\"\n  tags = { \"gantrycd:resource-identity\" = \"null\" }"),
            data("  arn  = \"LB\"\n  tags = { \"gantrycd:resource-identity\" = \"x\" }"),
            data("  arn  = \"LB\"\n  tags = var.tags"),
            data("  arn = \"LB\"") + &default_tags("resource-identity", "\"null\""),
            data("  arn = \"LB\"") + &default_tags("resource-identity", "var.x"),
            data("  arn = \"LB\"") + &default_tags("resource-identity-realm", "var.x"),
            data("  arn = \"LB\"") + &default_tags("resource-identity-realm", "\"not a realm\""),
            // another type of the same object, another object, another provider
            data("  arn = \"LB\"").replace("aws_lb", "aws_alb"),
            data("  arn = \"LB0\""),
            data("  arn = \"LB\"")
                + "terraform {\n  required_providers {\n    aws = { source = \"acme/aws\" }\n  }\n}\n",
            data("  arn = \"LB\"\n  provider = google"),
            // not all of it can be read
            data("  arn = \"LB\"\n  count = ("),
        ] {
            assert_eq!(between(&reads, ""), [""; 0], "{reads}");
        }
        // of the type of a foreign ARN
        let foreign = "arn:aws:s3:::lake";
        assert!(
            edges(&format!(
                "#- a/terraform.tfstate\naws_lakeformation_resource.r arn={foreign}\n\
                 #- b/main.tf\nterraform {{\n  backend \"s3\" {{}}\n}}\n\
                 data \"aws_lakeformation_resource\" \"r\" {{\n  arn = \"{foreign}\"\n}}\n"
            ))
            .is_empty()
        );
        // its own stack, and a directory that nobody may apply
        let own = format!(
            "#- a/main.tf\nresource \"aws_lb\" \"web\" {{}}\ndata \"aws_lb\" \"web\" {{\n  arn = \"{LB}\"\n}}\n"
        );
        let state = format!("#- a/terraform.tfstate\naws_lb.web arn={LB}\n");
        assert!(edges(&[&*own, &state].concat()).is_empty());
        let elsewhere = own.replace("resource \"aws_lb\" \"web\" {}", "");
        let elsewhere = elsewhere.replace("a/main.tf", "b/main.tf");
        assert!(edges(&[&*elsewhere, &state].concat()).is_empty());
    }

    #[test]
    fn what_the_owner_opts_out_nobody_reads() {
        let data = "#- web/main.tf\ndata \"aws_lb\" \"web\" {\n  arn = \"LB\"\n}\n";
        assert_eq!(between(data, "id=null"), [""; 0]);
        assert_eq!(between(data, "all-id=null"), [""; 0]);
        let ignored = "#- net/main.tf\n# gantrycd:resource-identity: ignore=true\n\
            resource \"aws_lb\" \"web\" {}\n";
        assert_eq!(between(&format!("{data}{ignored}"), ""), [""; 0]);
        // on screen, before it is applied
        let until = |it: &str| format!("{data}#- net/main.tf\n{it}");
        let out = default_tags("resource-identity", "\"null\"");
        let out = until(&format!("{out}resource \"aws_lb\" \"web\" {{}}\n"));
        assert_eq!(between(&out, ""), [""; 0]);
        assert_eq!(between(&until("locals {}\n"), ""), [""; 0]);
    }

    #[test]
    fn an_owner_is_read_from_its_own_realm() {
        let data = "#- web/main.tf\ndata \"aws_lb\" \"web\" {\n  arn = \"LB\"\n}\n";
        let live = default_tags("resource-identity-realm", "\"live\"");
        let applied = |realm: &str| {
            let reads = format!("{data}{live}");
            between(&reads, realm)
        };
        assert_eq!(applied("all-realm=live"), [EDGE]);
        assert_eq!(applied("realm=live"), [EDGE]);
        assert_eq!(applied("all-realm=other"), [""; 0]);
        assert_eq!(applied(""), [""; 0]);
        assert_eq!(between(data, "all-realm=live"), [""; 0]);
        // its own tags are what it looks for
        let own = data.replace(
            "arn =",
            "tags = { \"gantrycd:resource-identity-realm\" = \"mine\" }\n  arn =",
        );
        assert_eq!(between(&format!("{own}{live}"), "realm=mine"), [EDGE]);
        assert_eq!(between(&format!("{own}{live}"), "realm=live"), [""; 0]);
        // the realm never gets to a row without tags
        let ignoring = live.replace(
            "  default_tags",
            "  ignore_tags {\n    key_prefixes = [\"gantrycd:\"]\n  }\n  default_tags",
        );
        assert_eq!(between(&format!("{data}{ignoring}"), "realm=live"), [""; 0]);
        let activity = |row: &str| {
            edges(&format!(
                "#- a/terraform.tfstate\naws_sfn_activity.a arn=arn:aws:states:eu-west-1:111122223333:activity:a realm=live\n\
                 #- b/terraform.tfstate\n{row}\n\
                 #- b/main.tf\n{live}data \"aws_sfn_activity\" \"a\" {{\n  arn = \"arn:aws:states:eu-west-1:111122223333:activity:a\"\n}}\n\
                 data \"aws_sfn_activity\" \"b\" {{}}\n"
            ))
        };
        let b = "data.aws_sfn_activity.b arn=arn:aws:states:eu-west-1:111122223333:activity:b";
        assert!(activity(&format!("{b} untaggable")).is_empty());
        assert!(activity("").is_empty());
        // as a row of this state shows
        assert_eq!(activity(b).len(), 1);
    }

    #[test]
    fn the_provider_configuration_that_serves_it_has_the_realm() {
        let live = "provider \"aws\" {\n  alias = \"live\"\n  default_tags {\n    \
            tags = { \"gantrycd:resource-identity-realm\" = \"live\" }\n  }\n}\n";
        let aliased = |provider: &str| {
            format!(
                "#- web/main.tf\n{live}data \"aws_lb\" \"web\" {{\n  arn = \"LB\"\n  {provider}\n}}\n"
            )
        };
        let by_alias = aliased("provider = aws.live");
        assert_eq!(between(&by_alias, "realm=live"), [EDGE]);
        assert_eq!(between(&by_alias, ""), [""; 0]);
        assert_eq!(between(&aliased(""), "realm=live"), [""; 0]);
        assert_eq!(between(&aliased(""), ""), [EDGE]);

        let mapped = |providers: &str| {
            format!(
                "#- web/main.tf\n{live}module \"m\" {{\n  source = \"../m\"\n  {providers}\n}}\n\
                 #- m/main.tf\ndata \"aws_lb\" \"web\" {{\n  arn = \"LB\"\n}}\n"
            )
        };
        let edge = EDGE.replace("web/data", "web/module.m.data");
        let by_map = mapped("providers = { aws = aws.live }");
        assert_eq!(between(&by_map, "realm=live"), [&*edge]);
        assert_eq!(between(&by_map, ""), [""; 0]);
        assert_eq!(between(&mapped(""), ""), [&*edge]);
        assert_eq!(between(&mapped(""), "realm=live"), [""; 0]);
    }

    /// The edges of two stacks whose data source `web` has been read.
    fn recorded(data: &str, row: &str, owner: &str, rows: &str) -> Vec<String> {
        let data = data.replace("LB", LB);
        let (row, rows) = (row.replace("LB", LB), rows.replace("LB", LB));
        // without any configuration the state is all there is
        let owner = match owner {
            "" => String::new(),
            owner => format!("#- net/main.tf\n{owner}\n"),
        };
        edges(&format!(
            "{owner}#- net/terraform.tfstate\n{rows}\n\
             #- web/main.tf\n{data}\n#- web/terraform.tfstate\ndata.aws_lb.web arn={row}\n"
        ))
    }

    #[test]
    fn what_was_read_stands_until_something_else_is() {
        let owners = "resource \"aws_lb\" \"web\" {}\nresource \"aws_lb\" \"other\" {}\n";
        let rows = "aws_lb.web arn=LB\naws_lb.other arn=LB-other";
        let told = |body: &str| {
            let data = format!("data \"aws_lb\" \"web\" {{\n  {body}\n}}");
            let found = recorded(&data, "LB", owners, rows);
            let short = |it: &String| it.replace("web/data.aws_lb.web > net/aws_lb.", "");
            found.iter().map(short).collect::<Vec<_>>()
        };
        assert_eq!(told(""), ["web Always"]);
        assert_eq!(told("arn = \"LB\""), ["web Always"]);
        assert_eq!(told("name = \"other\""), ["web Always"]);
        assert_eq!(told("arn = var.lb"), ["web Always"]);
        assert_eq!(
            told("arn = \"LB-other\""),
            ["other AfterApply", "web UntilApplied"]
        );
        assert_eq!(told("arn = \"LB-nobody's\""), ["web UntilApplied"]);
        assert_eq!(told("count = 0"), ["web UntilApplied"]);
        // an abbreviation of it, or of whatever it may be
        let short = &LB[..LB.len() - 2];
        assert_eq!(told(&format!("arn = \"{short}\"")), ["web Always"]);
        assert_eq!(
            told("arn = \"arn:aws:imagebuilder:eu-west-1:111122223333:image/i/x.x.x\""),
            ["web Always"]
        );
        assert_eq!(told("arn = \"web\""), ["web Always"]);
        // in which realm it will read is not known
        let unknown = default_tags("resource-identity-realm", "var.x");
        let data = format!("{unknown}data \"aws_lb\" \"web\" {{\n  arn = \"LB-other\"\n}}");
        assert_eq!(
            recorded(&data, "LB", owners, rows),
            ["web/data.aws_lb.web > net/aws_lb.web UntilApplied"]
        );
        assert_eq!(
            recorded("locals {}", "LB", owners, rows),
            ["web/data.aws_lb.web > net/aws_lb.web UntilApplied"]
        );
        // what declared defaults say weighs less than the state
        let default = "variable \"lb\" {\n  default = \"LB-other\"\n}\n\
            data \"aws_lb\" \"web\" {\n  arn = var.lb\n}";
        assert_eq!(
            recorded(default, "LB", owners, rows),
            ["web/data.aws_lb.web > net/aws_lb.web Always"]
        );
    }

    #[test]
    fn what_becomes_of_an_owner_becomes_of_the_edge() {
        let data = "data \"aws_lb\" \"web\" {}";
        let told = |row: &str, owner: &str, rows: &str| recorded(data, row, owner, rows);
        let edge = |when: &str| format!("web/data.aws_lb.web > net/aws_lb.web {when}");
        let owner = |tags: &str| format!("resource \"aws_lb\" \"web\" {{\n  tags = {tags}\n}}");
        let realm = "{ \"gantrycd:resource-identity-realm\" = \"new\" }";
        let out = "{ \"gantrycd:resource-identity\" = \"null\" }";
        let declared = "{ \"gantrycd:resource-identity\" = \"web\" }";
        // the data source reads the tags that its owner has then
        for tags in [realm, declared] {
            let found = told("LB", &owner(tags), "aws_lb.web arn=LB");
            assert_eq!(found, [edge("Always")], "{tags}");
            let found = told("LB untaggable", &owner(tags), "aws_lb.web arn=LB");
            assert_eq!(found, [edge("UntilApplied")], "{tags}");
        }
        assert_eq!(
            told("LB", &owner(out), "aws_lb.web arn=LB"),
            [edge("UntilApplied")]
        );
        assert_eq!(
            told("LB", "locals {}", "aws_lb.web arn=LB"),
            [edge("UntilApplied")]
        );
        // what is claimed in advance is owned in advance
        let import =
            "import {\n  to = aws_lb.web\n  id = \"LB\"\n}\nresource \"aws_lb\" \"web\" {}\n"
                .replace("LB", LB);
        let found = told("LB", &import, "aws_s3_bucket.b arn=arn:aws:s3:::b");
        assert_eq!(found, [edge("AfterApply")]);
        // of a deposed and a current object at one address, one is the owner
        let twice = "aws_lb.web arn=LB deposed=abcd1234\naws_lb.web arn=LB";
        assert_eq!(
            told("LB", "resource \"aws_lb\" \"web\" {}", twice),
            [edge("Always")]
        );
    }

    #[test]
    fn realms_meet_only_where_both_have_one() {
        let data = "data \"aws_lb\" \"web\" {}";
        for (row, rows, count) in [
            ("LB realm=live", "aws_lb.web arn=LB all-realm=live", 1),
            ("LB realm=live", "aws_lb.web arn=LB realm=live", 1),
            ("LB", "aws_lb.web arn=LB realm=live", 0),
            ("LB realm=live", "aws_lb.web arn=LB", 0),
            ("LB realm=live", "aws_lb.web arn=LB realm=Live", 0),
            ("LB id=null", "aws_lb.web arn=LB", 0),
            ("LB id=web", "aws_lb.web arn=LB id=web", 1),
            ("LB id=web", "aws_lb.web arn=LB", 0),
            ("LB", "aws_lb.web arn=LB all-id=null", 0),
            ("LB realm=no!", "aws_lb.web arn=LB realm=no!", 0),
        ] {
            let found = recorded(data, row, "", rows);
            assert_eq!(found.len(), count, "{row}; {rows}: {found:?}");
        }
    }

    #[test]
    fn a_planned_reader_is_no_claim_and_is_found_both_ways() {
        let text = format!(
            "#- net/terraform.tfstate\naws_lb.web arn={LB}\n#- web/main.tf\nterraform {{\n  backend \"s3\" {{}}\n}}\n\
             data \"aws_lb\" \"web\" {{\n  arn = \"{LB}\"\n}}\n"
        );
        let snapshot = Fixture::new(&text).snapshot();
        let [edge] = snapshot.edges_from(1) else {
            panic!("one edge")
        };
        assert_eq!(snapshot.edges_to(edge.owner), [*edge]);
        assert_eq!(snapshot.edges_from(0), []);
        let row = snapshot.row(edge.reader);
        assert!(row.claim.is_err() && row.looks_up.is_none() && row.planned_claim().is_none());
        assert_eq!(&*row.planned_look_up().unwrap().id, LB);
        assert!(snapshot.place(edge.reader).is_some());
    }
}
