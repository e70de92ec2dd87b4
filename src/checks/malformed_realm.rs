//! A realm is not 1 to 64 of `A-Z a-z 0-9 . _ -`.
//!
//! gantrycd never mends a realm, since a mended one could be another's. A resource whose realm is
//! malformed has no identity at all: its duplicates are not found, and nothing depends on it.
//!
//! # Example
//!
//! ```hcl
//! #- emulators/bob/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = {
//!       "gantrycd:resource-identity-realm" = "localstack/bob"
//!                                             ^^^^^^^^^^^^^^ malformed-realm: it has the character `/`
//!     }
//!   }
//! }
//!
//! resource "aws_sqs_queue" "orders" {
//!   name = "orders"
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- emulators/bob/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = {
//!       "gantrycd:resource-identity-realm" = "localstack-bob"
//!     }
//!   }
//! }
//!
//! resource "aws_sqs_queue" "orders" {
//!   name = "orders"
//! }
//! ```

use std::collections::BTreeSet;

use crate::eval::Origin;
use crate::identity::{MalformedRealm, REALM_TAG, Realm};
use crate::workspace::tag_support::untaggable;
use crate::workspace::{Configured, Place, Said, Snapshot, Stack, Tag, is_editable};

use super::shares::Reached;
use super::{Check, Edit, Finding, Fix, Looks, Related, Severity, Shares, Wrong, keys, tag_fix};

pub(super) const CHECK: Check = Check {
    code: "malformed-realm",
    page: include_str!("../../docs/checks/malformed-realm.md"),
    severity: Severity::Error,
    looks: Looks::Stack(look, told),
    fixes,
};

fn look(snapshot: &Snapshot, at: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[at];
    for configured in &stack.configured {
        let Some((text, why, origin)) = malformed(configured.realm()) else {
            continue;
        };
        if is_read(snapshot, at, configured) != Some(true) {
            continue;
        }
        let mut place = origin.place.clone();
        if !is_editable(&place.path) {
            let Some(shown) = snapshot.site_place(stack, configured.site) else {
                continue;
            };
            place = shown;
        }
        let mut finding = finding(stack, &place, origin, text, why);
        let address = configured.row.map(|row| stack.address(row).to_string());
        finding.address = address.clone();
        shares.say(Wrong {
            finding,
            added: related(snapshot, stack, configured, address)
                .into_iter()
                .collect(),
            reached: Some(Reached {
                count: 1,
                is_elsewhere: !keys::is_within(stack.resource(configured.site).base(), &place),
                by_default: configured.own.realm.is_absent(),
            }),
        });
    }
    // a provider that serves nothing yet
    for provider in &stack.providers {
        let supported = snapshot.supports(provider.source.as_deref());
        let opted_out = provider.tags.identity.opts_out() != Some(false);
        if let Some((text, why, origin)) = malformed(&provider.tags.realm)
            && supported
            && !opted_out
            && !provider.ignored.may_hide(REALM_TAG)
            && is_editable(&origin.place.path)
        {
            let none = Reached {
                by_default: true,
                ..Reached::default()
            };
            shares.say(Wrong {
                reached: Some(none),
                ..Wrong::new(finding(stack, &origin.place, origin, text, why))
            });
        }
    }
}

fn malformed(tag: &Tag) -> Option<(&str, MalformedRealm, &Origin)> {
    match &tag.value {
        Said::Text(text, Some(origin)) => Some((text, Realm::parse(text).err()?, origin)),
        _ => None,
    }
}

/// Whether gantrycd gets to read the realm of a resource: nothing that is decided before it refuses
/// the resource, and tags reach its state. `None` where nobody can tell.
fn is_read(snapshot: &Snapshot, stack: usize, configured: &Configured) -> Option<bool> {
    let stack = &snapshot.stacks[stack];
    let block = stack.resource(configured.site).base();
    let (_, resource_type, _) = block.block().resource()?;
    let source = configured.source.as_deref()?;
    if !snapshot.registry.supports(source) || block.block().ignored {
        return Some(false);
    }
    if configured.ignored.may_hide(REALM_TAG) {
        return None;
    }
    let opted_out = match configured.own.identity.is_absent() {
        false => configured.own.identity.opts_out()?,
        // an id in default tags is refused before the realm is read
        true if configured.default.identity.is_absent() => false,
        true => return Some(false),
    };
    Some(!opted_out && untaggable(stack, resource_type, source).is_none())
}

/// What one stack says of a realm that is written there, but for whom it concerns.
fn finding(
    stack: &Stack,
    place: &Place,
    origin: &Origin,
    text: &str,
    why: MalformedRealm,
) -> Finding {
    let what = match origin.computed {
        // the text stands nowhere as it is
        true => format!("The realm comes to {text:?}, which"),
        false => format!("The realm {text:?}"),
    };
    let message = format!("{what} is malformed: {why}.");
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    finding.stack = Some(stack.name.clone());
    finding
}

/// What all stacks say of it.
fn told(mut wrong: Wrong) -> Finding {
    let reached = wrong.reached.take().unwrap_or_default();
    let in_the_block = reached.count > 0 && !reached.is_elsewhere;
    let whom = match (in_the_block, reached.by_default, reached.count) {
        (true, ..) => "gantrycd gives this resource no identity".to_owned(),
        (_, true, _) => {
            "gantrycd gives no identity to the resources that these default_tags reach".to_owned()
        }
        (_, false, 1) => "gantrycd gives no identity to the resource that it reaches".to_owned(),
        (_, false, n) => format!("gantrycd gives no identity to the {n} resources that it reaches"),
    };
    wrong.finding.message += &format!(" {whom}.");
    if in_the_block {
        wrong.added.clear();
    }
    wrong.told()
}

/// The block that a realm reaches.
fn related(
    snapshot: &Snapshot,
    stack: &Stack,
    reached: &Configured,
    address: Option<String>,
) -> Option<Related> {
    let place = snapshot.site_place(stack, reached.site)?;
    let block = stack.resource(reached.site).base().block();
    let name = || {
        let (_, resource_type, name) = block.resource()?;
        Some(format!("{resource_type}.{name}"))
    };
    Some(Related {
        message: format!("{} of {} has it", address.or_else(name)?, stack.name),
        place,
    })
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    fix(snapshot, finding).unwrap_or_default()
}

/// A realm near to what is written, and one in use that is.
fn fix(snapshot: &Snapshot, finding: &Finding) -> Option<Vec<Fix>> {
    let source = snapshot.source(&finding.place.path)?;
    let span = finding.place.span;
    let written = source.slice(span);
    let is_empty = written == "\"\"";
    let around = [
        &source.text()[..span.range().start],
        &source.text()[span.range().end..],
    ];
    let is_quoted = around[0].ends_with('"') && around[1].starts_with('"');
    // what is computed, or stands in a heredoc, is for a person to mend
    if !is_empty && (!is_quoted || written.contains(['$', '%', '\\'])) {
        return None;
    }
    let near = match is_empty {
        true => {
            let stack = snapshot
                .stacks
                .iter()
                .find(|it| Some(&it.name) == finding.stack.as_ref());
            Realm::parse(&tag_fix::realm_of(stack?)).ok()
        }
        false => tag_fix::near(written),
    };
    let in_use: BTreeSet<&Realm> = snapshot.stacks.iter().flat_map(|it| &it.realms).collect();
    let is_near = |it: &&&Realm| strsim::damerau_levenshtein(it.as_str(), written) <= 2;
    let nearest = in_use
        .iter()
        .filter(is_near)
        .min_by_key(|it| strsim::damerau_levenshtein(it.as_str(), written));
    let mut realms: Vec<&Realm> = nearest.into_iter().copied().chain(&near).collect();
    realms.dedup();
    let fix = |realm: &Realm| Fix {
        title: format!("Write {:?}", realm.as_str()),
        edits: vec![Edit {
            place: finding.place.clone(),
            new_text: match is_empty {
                true => format!("\"{realm}\""),
                false => realm.to_string(),
            },
        }],
        is_safe: false,
    };
    Some(realms.into_iter().map(fix).collect())
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, actions, check, check_action, check_broken};

    #[test]
    fn a_realm_near_to_it() {
        let text = |realm: &str| {
            format!(
                "resource \"aws_sqs_queue\" \"é\" {{\r\n  tags = {{ \"gantrycd:resource-identity-realm\" = \"{realm}\" }}\r\n}}\r\n"
            )
        };
        for (before, after) in [
            ("two$0 words", "two-words"),
            ("$0localstack/bob", "localstack-bob"),
            ("émile$0", "emile"),
            ("$0", "live-eu"),
        ] {
            check_action(
                &format!("#- live/eu/main.tf\n\u{feff}{}", text(before)),
                "Write",
                &format!("\u{feff}{}", text(after)),
            );
        }
        check_action(
            "#- main.tf.json\n{\"resource\": {\"aws_sqs_queue\": {\"q\": {\"tags\": {\"gantrycd:resource-identity-realm\": \"a$0/b\"}}}}}\n",
            "Write",
            "{\"resource\": {\"aws_sqs_queue\": {\"q\": {\"tags\": {\"gantrycd:resource-identity-realm\": \"a-b\"}}}}}\n",
        );
    }

    #[test]
    fn a_realm_in_use_comes_first() {
        let offered = actions(
            r#"
#- a/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q realm=local.bob
#- b/main.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "local/$0bob" }
}
"#,
        );
        assert_eq!(offered, [r#"Write "local.bob""#, r#"Write "local-bob""#]);
    }

    #[test]
    fn what_is_computed_is_for_a_person_to_mend() {
        for realm in [
            "\"${lower(\"A\")}$0/b\"",
            "join(\"/$0\", [\"a\", \"b\"])",
            "\"日本$0\"",
        ] {
            let offered = actions(&format!(
                "#- main.tf\nresource \"aws_sqs_queue\" \"q\" {{\n  tags = {{ \"gantrycd:resource-identity-realm\" = {realm} }}\n}}\n"
            ));
            assert_eq!(offered, [""; 0], "{realm}");
        }
    }

    #[test]
    fn in_own_tags() {
        check(
            r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = {
    Name                               = "q"
    "gantrycd:resource-identity-realm" = "two words"
                                          ^^^^^^^^^ malformed-realm: The realm "two words" is malformed: it has a space. gantrycd gives this resource no identity.
  }
}
resource "aws_sqs_queue" "empty" {
  tags = { "gantrycd:resource-identity-realm" = "" }
                                                ^^ malformed-realm: it is empty
}
resource "aws_sqs_queue" "long" {
  tags = { "gantrycd:resource-identity-realm" = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-realm: it has 65 of at most 64 characters
}
resource "aws_sqs_queue" "accent" {
  tags = { "é" = "é", "gantrycd:resource-identity-realm" = "émile" }
                                                            ^^^^^ malformed-realm: it has the character `é`
}
resource "aws_sqs_queue" "good" {
  tags = { "gantrycd:resource-identity-realm" = "null" }
}
resource "aws_sqs_queue" "unknown" {
  tags = { "gantrycd:resource-identity-realm" = var.realm }
}
resource "aws_sqs_queue" "dropped" {
  tags = { "gantrycd:resource-identity-realm" = null }
                                                ^^^^ bare-null
}
"#,
        );
    }

    #[test]
    fn in_default_tags_with_what_it_reaches() {
        let text = r#"
#- a/main.tf
provider "aws" {
  default_tags {
    tags = {
      "gantrycd:resource-identity-realm" = "a/b"
                                            ^^^ malformed-realm: The realm "a/b" is malformed: it has the character `/`. gantrycd gives no identity to the resources that these default_tags reach.
    }
  }
}
provider "aws" {
  alias = "west"
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "west" }
  }
}
resource "aws_sqs_queue" "q" {}
resource "aws_sqs_queue" "own" {
  tags = { "gantrycd:resource-identity-realm" = "mine" }
}
#- a/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q all-realm=a/b
aws_sqs_queue.own arn=arn:aws:sqs:eu-west-1:111122223333:o realm=mine
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        let related: Vec<_> = findings[0].related.iter().map(|it| &*it.message).collect();
        assert_eq!(related, ["aws_sqs_queue.q of a has it"]);
    }

    #[test]
    fn silent_where_it_is_not_read() {
        check(
            r#"
#- main.tf
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "ignored" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
}
resource "aws_sqs_queue" "opted_out" {
  tags = {
    "gantrycd:resource-identity"       = "null"
    "gantrycd:resource-identity-realm" = "a/b"
  }
}
resource "aws_sqs_queue" "perhaps_opted_out" {
  tags = {
    "gantrycd:resource-identity"       = var.id
    "gantrycd:resource-identity-realm" = "a/b"
  }
}
resource "google_storage_bucket" "unsupported" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
}
data "aws_vpc" "filter" {
  provider = aws.other
  tags     = { Name = "x" }
}
data "aws_vpc" "wanted" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
}
#- fork/main.tf
terraform {
  required_providers {
    aws = { source = "acme/aws" }
  }
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "a/b" }
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
  }
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
}
#- optout/main.tf
provider "aws" {
  default_tags {
    tags = {
      "gantrycd:resource-identity"       = ""
      "gantrycd:resource-identity-realm" = "a/b"
    }
  }
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
}
#- override/main.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "a/b" }
  }
}
#- override/main_override.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "ab" }
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "ab" }
  }
}
"#,
        );
    }

    #[test]
    fn a_module_that_two_stacks_use_has_one_finding() {
        check(
            r#"
#- a/main.tf
module "q" {
  source = "../q"
}
#- b/main.tf
module "q" {
  source = "../q"
}
#- q/main.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
                                                 ^^^ malformed-realm
}
"#,
        );
    }

    #[test]
    fn in_a_local_that_reaches_many_resources_of_several_stacks() {
        let text = r#"
#- a/main.tf
module "m" {
  source = "../m"
}
#- b/main.tf
module "m" {
  source = "../m"
}
#- m/main.tf
locals {
  common = {
    Team                               = "x"
    "gantrycd:resource-identity-realm" = "a/b"
                                          ^^^ malformed-realm: The realm "a/b" is malformed: it has the character `/`. gantrycd gives no identity to the 6 resources that it reaches.
  }
  tags = merge(local.common, { Name = "q" })
}
resource "aws_sqs_queue" "q" {
  count = 2
  tags  = local.tags
}
resource "aws_sns_topic" "t" {
  tags = merge({ "gantrycd:resource-identity-realm" = "over" }, local.tags)
}
resource "aws_sqs_queue" "own" {
  tags = merge(local.tags, { "gantrycd:resource-identity-realm" = "ab" })
}
resource "aws_sqs_queue" "unknown" {
  tags = merge(local.tags, var.tags)
}
variable "tags" {
  type = map(string)
}
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        let related: Vec<_> = findings[0].related.iter().map(|it| &*it.message).collect();
        assert_eq!(
            related,
            ["aws_sns_topic.t of a has it", "aws_sqs_queue.q of a has it"]
        );
    }

    #[test]
    fn many_related_places_are_counted_and_not_all_listed() {
        let queues: String = (0..40)
            .map(|it| {
                format!("resource \"aws_sqs_queue\" \"q{it:02}\" {{\n  tags = local.tags\n}}\n")
            })
            .collect();
        let stack =
            |name: &str| format!("#- {name}/main.tf\nmodule \"m\" {{\n  source = \"../m\"\n}}\n");
        let text = format!(
            "{}{}{}#- m/main.tf\nlocals {{\n  tags = {{ \"gantrycd:resource-identity-realm\" = \"a/b\" }}\n}}\n{queues}",
            stack("a"),
            stack("b"),
            stack("c"),
        );
        let findings = crate::checks::run(&Fixture::new(&text).snapshot(), &Default::default());
        let [finding] = &findings[..] else {
            panic!("{findings:#?}");
        };
        assert!(
            finding
                .message
                .contains("the 120 resources that it reaches"),
            "{}",
            finding.message
        );
        assert_eq!(finding.related.len(), 20);
        assert_eq!(
            finding.related[19].message,
            "aws_sqs_queue.q19 of a has it, and 20 more"
        );
    }

    #[test]
    fn in_a_variable_it_stands_where_the_caller_wrote_it() {
        check(
            r#"
#- a/main.tf
module "m" {
  source = "../m"
  realm  = "a/b"
            ^^^ malformed-realm: to the resource that it reaches
}
module "good" {
  source = "../m"
}
#- m/main.tf
variable "realm" {
  default = "fine"
}
resource "aws_sqs_queue" "q" {
  tags = {
    "gantrycd:resource-identity-realm" = var.realm
  }
}
"#,
        );
    }

    #[test]
    fn in_files_that_give_variables_their_values() {
        let main = r#"
#- a/main.tf
variable "realm" {
  default = "default/ed"
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = var.realm }
  }
}
"#;
        check(&format!(
            "{main}#- a/terraform.tfvars\nrealm = \"a/b\"\n         ^^^ malformed-realm\n"
        ));
        // later files win
        check(&format!(
            "{main}#- a/terraform.tfvars\nrealm = \"a/b\"\n#- a/z.auto.tfvars.json\n{{\"realm\": \"c/d\"}}\n           ^^^ malformed-realm\n#- a/y.auto.tfvars\nrealm = \"e/f\"\n"
        ));
        // which of the files for `-var-file` is used, nobody can tell
        check(&format!(
            "{main}#- a/terraform.tfvars\nrealm = \"a/b\"\n#- a/env/prod.tfvars\nrealm = \"g/h\"\n"
        ));
        // the workspace file wins over them, and in it the stack's own
        check(&format!(
            "{main}#- a/terraform.tfvars\nrealm = \"a/b\"\n#- gantrycd.hcl\nvariables = {{ realm = \"c/d\" }}\n                       ^^^ malformed-realm\n"
        ));
        check(&format!(
            "{main}#- gantrycd.hcl\nvariables = {{ realm = \"c/d\" }}\nstack \"a\" {{\n  variables = {{ realm = \"e/f\" }}\n                         ^^^ malformed-realm\n}}\nstack \"b\" {{\n  variables = {{ realm = \"g/h\" }}\n}}\n#- b/main.tf\n"
        ));
        check(&main.replace(
            "\"default/ed\"",
            "\"default/ed\"\n             ^^^^^^^^^^ malformed-realm",
        ));
    }

    #[test]
    fn the_unsaved_text_of_such_files_counts() {
        let fixture = Fixture::new(
            "#- a/main.tf\nvariable \"realm\" {}\nprovider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = var.realm }\n  }\n}\n#- a/terraform.tfvars\nrealm = \"fine\"\n",
        );
        let mut workspace = fixture.workspace();
        let places = |workspace: &mut crate::workspace::Workspace| {
            let snapshot = workspace.snapshot();
            let findings = crate::checks::run(&snapshot, &Default::default());
            let places = findings.iter().map(|it| snapshot.relative(&it.place.path));
            places.collect::<Vec<_>>()
        };
        assert!(places(&mut workspace).is_empty());
        for (name, text) in [
            ("a/terraform.tfvars", "realm = \"a/b\"\n"),
            ("gantrycd.hcl", "variables = { realm = \"a/b\" }\n"),
        ] {
            let path = fixture.path(name);
            assert!(workspace.open_document(&path, crate::text::Source::new(text)));
            assert_eq!(places(&mut workspace), [Box::from(name)]);
            workspace.close_document(&path);
            assert!(places(&mut workspace).is_empty(), "{name}");
        }
    }

    #[test]
    fn what_is_computed_is_shown_at_the_expression() {
        check(
            r#"
#- main.tf
variable "who" {
  default = "al ice"
}
resource "aws_sqs_queue" "q" {
  tags = {
    "gantrycd:resource-identity-realm" = "localstack-${var.who}"
                                         ^^^^^^^^^^^^^^^^^^^^^^^ malformed-realm: The realm comes to "localstack-al ice", which is malformed: it has a space.
  }
}
resource "aws_sqs_queue" "each" {
  for_each = toset(["x", "y z"])
                          ^^^ malformed-realm: "y z"
  tags = {
    "gantrycd:resource-identity-realm" = each.key
  }
}
"#,
        );
    }

    #[test]
    fn in_json_configuration() {
        check(
            r#"
#- main.tf.json
{
  "provider": {
    "aws": [{
      "default_tags": {
        "tags": { "gantrycd:resource-identity-realm": "a/b" }
                                                       ^^^ malformed-realm
      }
    }, {
      "alias": "west",
      "default_tags": [{ "tags": { "gantrycd:resource-identity-realm": "west" } }]
    }]
  },
  "resource": {
    "aws_sqs_queue": {
      "q": {
        "//": "a comment",
        "tags": { "gantrycd:resource-identity-realm": "${local.realm}" }
      }
    }
  },
  "locals": { "realm": "c/d" }
                        ^^^ malformed-realm
}
"#,
        );
    }

    #[test]
    fn an_override_file_has_the_last_word() {
        check(
            r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
}
provider "aws" {
  region = "eu-west-1"
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "good" }
  }
}
#- main_override.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "c/d" }
                                                 ^^^ malformed-realm
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "e/f" }
                                                   ^^^ malformed-realm
  }
}
"#,
        );
    }

    /// Terragrunt writes files and gives variables their values before it runs Terraform.
    #[test]
    fn what_terragrunt_may_complete_is_not_known() {
        check(
            r#"
#- live/dns/terragrunt.hcl
terraform {
  source = "../../modules/dns"
}
#- modules/dns/main.tf
variable "realm" {
  default = "a/b"
}
resource "aws_route53_zone" "z" {
  tags = { "gantrycd:resource-identity-realm" = var.realm }
}
#- whole/main.tf
terraform {
  backend "s3" {}
}
variable "realm" {
  default = "a/b"
             ^^^ malformed-realm
}
resource "aws_route53_zone" "z" {
  tags = { "gantrycd:resource-identity-realm" = var.realm }
}
"#,
        );
    }

    #[test]
    fn in_a_template_of_json_it_stands_at_its_own_characters() {
        check(
            r#"
#- main.tf.json
{
  "resource": { "aws_sqs_queue": { "q": {
    "tags": { "gantrycd:resource-identity-realm": "${\u0022a/b\u0022}" }
                                                           ^^^ malformed-realm
  }, "r": {
    "tags": { "gantrycd:resource-identity-realm": "${join(\"/\", [\"c\", \"d\"])}" }
                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-realm: comes to "c/d"
  }, "typed": {
    "tags": { "gantrycd:resource-identity-realm": "${var.realm}" }
  } } },
  "variable": { "realm": { "type": "string", "default": "${x}" } }
                                                         ^^^^ malformed-realm: has the character `$`
}
"#,
        );
    }

    #[test]
    fn a_broken_neighbour_does_not_hide_it() {
        check_broken(
            r#"
#- main.tf
resource "aws_sqs_queue" "broken" {
  name = "unclosed
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
                                                 ^^^ malformed-realm
}
"#,
        );
    }

    #[test]
    fn line_ends_and_the_byte_order_mark_move_nothing() {
        check(
            "#- main.tf\n\u{feff}resource \"aws_sqs_queue\" \"q\" {\r\n  tags = { \"gantrycd:resource-identity-realm\" = \"ü\" }\r\n                                                 ^ malformed-realm\n}\r\n",
        );
    }

    #[test]
    fn silent_while_what_may_replace_the_value_cannot_be_read() {
        let main = r#"
#- main.tf
variable "realm" {
  default = "a/b"
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = var.realm }
}
"#;
        let resource = r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
}
"#;
        for file in [
            "#- gantrycd.hcl\nvariables = { realm = \"ok }\n",
            "#- gantrycd.hcl\nvariables {\n  realm = \"ok\"\n}\n",
            "#- gantrycd.hcl\nvariables = \n",
            "#- gantrycd.hcl\nstack \".\" {\n  variables = { realm = \"ok }\n}\n",
            "#- gantrycd.hcl\nstack \".\" {\n  variables {\n    realm = \"ok\"\n  }\n}\n",
            // UTF-16
            "#- gantrycd.hcl\nv\0a\0r\0\n",
            "#- terraform.tfvars\nrealm = \"ok\n",
            "#- terraform.tfvars\nrealm = \"c/d\"\n#- z.auto.tfvars\nrealm\n",
        ] {
            check_broken(&format!("{main}{file}"));
        }
        check_broken(&format!(
            "{resource}#- main_override.tf\nresource \"aws_sqs_queue\" \"q {{\n  tags = {{}}\n}}\n"
        ));
        check_broken(&main.replace("default", "ephemeral = true\n  default"));
    }

    #[test]
    fn a_key_that_is_sensitive_is_not_told() {
        let each = |set: &str| {
            format!(
                "#- main.tf\nvariable \"s\" {{\n  sensitive = true\n  default = [\"a/b\"]\n}}\nresource \"aws_sqs_queue\" \"q\" {{\n  for_each = {set}\n  tags = {{ \"gantrycd:resource-identity-realm\" = each.key }}\n}}\n"
            )
        };
        check(&each("toset(var.s)"));
        check(&each("toset([for it in var.s : it])"));
        check(&each("{ for it in var.s : it => 1 }"));
    }

    #[test]
    fn a_default_is_not_believed_beside_values_that_cannot_be_read() {
        let text = "#- main.tf\nvariable \"realm\" {\n  default = \"a/b\"\n}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = { \"gantrycd:resource-identity-realm\" = var.realm }\n}\n#- terraform.tfvars\n";
        let fixture = Fixture::new(text);
        let count = || crate::checks::run(&fixture.snapshot(), &Default::default()).len();
        assert_eq!(count(), 1);
        // UTF-16
        std::fs::write(fixture.path("terraform.tfvars"), b"\xff\xfer\0e\0").unwrap();
        assert_eq!(count(), 0);
    }
}
