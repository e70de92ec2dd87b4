//! A realm does not parse: `[A-Za-z0-9._-]{1,64}`.
//!
//! gantrycd never mends a realm, since a mended one could be another's. A resource whose realm is
//! malformed has no identity at all: its duplicates are not found, and nothing depends on it.

use crate::eval::{Found, Map};
use crate::identity::{IDENTITY_TAG, Mode, NoIdentity, REALM_TAG, Realm, opts_out};
use crate::workspace::{RowRef, Snapshot, Use, default_tags, tag_support};

use super::{Check, Finding, MOST_RELATED, Related, Severity};

pub(super) const CHECK: Check = Check {
    code: "malformed-realm",
    severity: Severity::Error,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    in_default_tags(snapshot, findings);
    in_own_tags(snapshot, findings);
}

fn in_default_tags(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for (file, provider, uses) in snapshot.providers() {
        let tags = default_tags(provider);
        let Some((value, span)) = tags.known(REALM_TAG) else {
            continue;
        };
        let Err(why) = Realm::parse(value) else {
            continue;
        };
        if may_opt_out(&tags) {
            continue;
        }
        let message = format!(
            "The realm {value:?} is malformed: {why}. gantrycd gives no identity to the resources \
             that these default_tags reach."
        );
        let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
        finding.stack = uses
            .first()
            .map(|it| snapshot.stacks[it.stack].name.clone());
        finding.related = reached(snapshot, uses, value);
        findings.push(finding);
    }
}

/// Whether a map of tags opts out, or could.
fn may_opt_out(tags: &Map) -> bool {
    match tags.get(IDENTITY_TAG) {
        Found::Absent => false,
        Found::Unknown => true,
        Found::Entry(_) => tags.known(IDENTITY_TAG).is_none_or(|(id, _)| opts_out(id)),
    }
}

/// The resources whose recorded realm is this value, by their provider's default tags.
fn reached(snapshot: &Snapshot, uses: &[Use], value: &str) -> Vec<Related> {
    let mut related = Vec::new();
    let mut more = 0;
    let mut stacks: Vec<_> = uses.iter().map(|it| it.stack).collect();
    stacks.dedup();
    for stack in stacks {
        for (row, decided) in snapshot.stacks[stack].rows.iter().enumerate() {
            let attributes = &snapshot.stacks[stack].record(row).row.attributes;
            let all = attributes
                .tags_all
                .as_ref()
                .and_then(|it| it.realm.as_deref());
            let own = attributes.tags.as_ref().and_then(|it| it.realm.as_deref());
            let refused = matches!(decided.claim, Err(NoIdentity::MalformedRealm(_)));
            if !refused || own.is_some() || all != Some(value) {
                continue;
            }
            let row = RowRef { stack, row };
            let Some(place) = snapshot.place(row) else {
                continue;
            };
            if related.len() == MOST_RELATED {
                more += 1;
                continue;
            }
            let stack = &snapshot.stack(row).name;
            related.push(Related {
                message: format!("{} of {stack} has it", snapshot.address(row)),
                place,
            });
        }
    }
    if let Some(last) = related.last_mut().filter(|_| more > 0) {
        last.message += &format!(", and {more} more");
    }
    related
}

fn in_own_tags(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        for resource in &file.resources {
            // the tags of a data source select what it reads, and declare nothing
            let declares = resource.mode == Mode::Managed && !resource.ignored;
            if !declares || !file.mentions_gantrycd(resource) {
                continue;
            }
            let read_in = snapshot.uses(file).iter().find_map(|at| {
                let declared = snapshot.node(*at).module.declares(file, resource)?;
                let configured = snapshot.configured(*at, &declared);
                let (value, span) = configured.own.known(REALM_TAG)?;
                let why = Realm::parse(value).err()?;
                let source = configured.source.as_deref()?;
                let opted_out = match configured.own.get(IDENTITY_TAG) {
                    Found::Absent => may_opt_out_by_default(&configured.default),
                    _ => may_opt_out(&configured.own),
                };
                let stack = &snapshot.stacks[at.stack];
                let unread = opted_out
                    || !snapshot.registry.supports(source)
                    || tag_support::untaggable(stack, &resource.resource_type, source).is_some();
                (!unread).then(|| (stack.name.clone(), value.to_owned(), span, why))
            });
            let Some((stack, value, span, why)) = read_in else {
                continue;
            };
            let message = format!(
                "The realm {value:?} is malformed: {why}. gantrycd gives this resource no identity."
            );
            let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
            finding.stack = Some(stack);
            finding.address = snapshot
                .rows_of(file, resource.block)
                .first()
                .map(|row| snapshot.address(*row).to_string());
            findings.push(finding);
        }
    }
}

/// The same of default tags, of which an id does not opt out but is no declaration either.
fn may_opt_out_by_default(tags: &Map) -> bool {
    tags.get(IDENTITY_TAG) != Found::Absent
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check};

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
        let findings = crate::checks::run(&Fixture::new(text).snapshot());
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
  }
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "a/b" }
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
    fn a_broken_neighbour_does_not_hide_it() {
        check(
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
}
