//! A gantrycd tag stands on a resource type whose tags never reach the state.
//!
//! The tag does nothing: no id, no realm and no opt-out. Only an ignore comment reaches such a
//! resource, and none is needed where its type has no identity anyhow: then the message says why. That a
//! type takes no tags is shown by a row of it in the stack's own state, or known from the provider's
//! schema, whose version the message names.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! resource "aws_autoscaling_group" "web" {
//!   min_size = 1
//!   max_size = 3
//!
//!   tag {
//!     key                 = "gantrycd:resource-identity"
//!                            ^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: takes tags as blocks
//!     value               = "null"
//!     propagate_at_launch = false
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! # gantrycd:resource-identity: ignore=true
//! resource "aws_autoscaling_group" "web" {
//!   min_size = 1
//!   max_size = 3
//! }
//! ```

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::identity::NoIdentity;
use crate::workspace::tag_support::{Evidence, Takes, untaggable};
use crate::workspace::{Configured, Place, RowRef, Site, Snapshot, Stack};

use super::{Check, Finding, Fix, Looks, Severity, Shares, Wrong, fix, keys, unused_ignore};

pub(super) const CHECK: Check = Check {
    code: "untaggable-type",
    page: include_str!("../../docs/checks/untaggable-type.md"),
    severity: Severity::Warning,
    looks: Looks::Stack(look, Wrong::told),
    fixes,
};

fn look(snapshot: &Snapshot, at: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[at];
    // a block of many instances is asked about once
    let anyhow: RefCell<FxHashMap<Site, Option<NoIdentity>>> = RefCell::default();
    let judge = |configured: &Configured, key: &str, place: &Place| {
        let (takes, evidence) = evidence(snapshot, stack, configured)?;
        let mut anyhow = anyhow.borrow_mut();
        let anyhow = anyhow.entry(configured.site).or_insert_with(|| {
            let rows = stack.rows_at(configured.site);
            unused_ignore::without_any(snapshot, rows.map(|row| RowRef { stack: at, row }))
        });
        let anyhow = anyhow.as_ref();
        Some(finding(
            stack, configured, place, key, takes, &evidence, anyhow,
        ))
    };
    keys::judge(stack, shares, written, judge);
}

/// What says that tags of a resource never reach its state. `None` where they may, and where a tag
/// would do nothing anyhow.
fn evidence(
    snapshot: &Snapshot,
    stack: &Stack,
    configured: &Configured,
) -> Option<(Takes, Evidence)> {
    let block = stack.resource(configured.site).base().block();
    let (_, resource_type, _) = block.resource()?;
    let source = configured.source.as_deref()?;
    let reads = snapshot.registry.supports(source) && !block.ignored;
    reads.then(|| untaggable(stack, resource_type, source))?
}

/// The two keys where they are written, in `tags` and in tag blocks.
fn written(configured: &Configured) -> impl Iterator<Item = (&'static str, &Place)> {
    let in_blocks = configured.in_blocks.iter();
    let in_blocks = in_blocks.map(|(key, place)| (*key, place));
    keys::own(configured)
        .map(|(key, _, place)| (key, place))
        .chain(in_blocks)
}

fn finding(
    stack: &Stack,
    configured: &Configured,
    place: &Place,
    key: &str,
    takes: Takes,
    evidence: &Evidence,
    anyhow: Option<&NoIdentity>,
) -> Finding {
    let block = stack.resource(configured.site).base();
    let resource = block.block().resource();
    let resource_type = resource.map_or("this type", |(_, it, _)| it);
    let remedy = match anyhow {
        None => "An ignore comment is the only opt-out that reaches it.".to_owned(),
        // a comment would be an unused-ignore
        Some(reason) => format!("It has no identity anyhow, since {reason}."),
    };
    let message =
        format!("{key} does nothing here: {resource_type} {takes} ({evidence}). {remedy}");
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    finding.stack = Some(stack.name.clone());
    finding.address = configured.row.map(|row| stack.address(row).to_string());
    finding
}

/// The ignore comment, unless it would opt nothing out in any stack.
fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let rows = snapshot
        .block_at(&finding.place)
        .map(|it| snapshot.rows_of(&it.file, it.block().id));
    match unused_ignore::without_any(snapshot, rows.into_iter().flatten()) {
        Some(_) => Vec::new(),
        None => fix::ignore_block(snapshot, finding),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TWO_STACKS, check, check_action, check_broken, check_no_action};

    #[test]
    fn a_tag_that_does_nothing() {
        check(
            r#"
#- main.tf
resource "aws_kms_alias" "a" {
  tags = {
    "gantrycd:resource-identity"       = "null"
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: gantrycd:resource-identity does nothing here: aws_kms_alias takes no tags (by hashicorp/aws 6.61.0, observed 2026-11-29). An ignore comment is the only opt-out that reaches it.
    "gantrycd:resource-identity-realm" = var.realm
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: gantrycd:resource-identity-realm does nothing here
  }
}
resource "aws_autoscaling_group" "g" {
  tag {
    key                 = "gantrycd:resource-identity-realm"
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: takes tags as blocks, which gantrycd does not read
    value               = "r"
    propagate_at_launch = true
  }
  tag {
    key                 = "Name"
    value               = "g"
    propagate_at_launch = true
  }
}
resource "aws_inspector_resource_group" "g" {
  tags = { "gantrycd:resource-identity" = "x" }
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: uses its tags to select other objects
}
"#,
        );
    }

    #[test]
    fn a_row_speaks_before_the_table() {
        check(
            r#"
#- main.tf
resource "aws_kms_alias" "a" {
  tags = { "gantrycd:resource-identity" = "null" }
}
resource "aws_future_thing" "t" {
  tags = { "gantrycd:resource-identity" = "null" }
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: takes no tags (as aws_future_thing.other in this stack's state shows)
}
#- terraform.tfstate
aws_kms_alias.other arn=arn:aws:kms:eu-west-1:111122223333:alias/b
aws_future_thing.other arn=arn:aws:future:eu-west-1:111122223333:thing/t untaggable
"#,
        );
    }

    #[test]
    fn a_row_without_tags_all_whose_tags_are_null_takes_tags() {
        // as hashicorp/aws wrote it before 3.38
        check(
            r#"
#- main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "r" }
  }
}
resource "aws_s3_bucket" "b" {
  tags = { "gantrycd:resource-identity-realm" = "r" }
}
resource "aws_s3_bucket" "untagged" {}
#- terraform.tfstate
{"version": 4, "serial": 1, "lineage": "l", "resources": [
  {"mode": "managed", "type": "aws_s3_bucket", "name": "untagged",
   "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
   "instances": [{"attributes": {"arn": "arn:aws:s3:::b", "policy": null, "tags": null}}]}
]}
"#,
        );
    }

    #[test]
    fn silent_where_the_provider_is_a_mirror_or_may_be_one() {
        let block = "resource \"aws_kms_alias\" \"a\" {\n  tags = { \"gantrycd:resource-identity\" = \"null\" }\n}\n";
        let unsupported = block.replace(
            "null\" }",
            "null\" }\n           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider",
        );
        let requires = |source: &str| {
            format!(
                "terraform {{\n  required_providers {{\n    aws = {{ source = \"{source}\" }}\n  }}\n}}\n"
            )
        };
        let mirror = requires("mirror.example/hashicorp/aws");
        check(&format!(
            "#- main.tf\n{unsupported}#- versions.tf\n{mirror}"
        ));
        check(&format!(
            "#- main.tf\n{unsupported}#- versions.tf\n{}#- versions_override.tf\n{mirror}",
            requires("hashicorp/aws")
        ));
        let json = r#"{"terraform": {"required_providers": {"aws": {"source": "acme/aws"}}}}"#;
        check(&format!(
            "#- main.tf\n{unsupported}#- versions.tf.json\n{json}\n"
        ));
        // one that cannot be read may name another, too
        check_broken(&format!("#- main.tf\n{block}#- versions.tf.json\n{{\n"));
    }

    #[test]
    fn silent_where_nothing_is_known_or_nothing_is_wrong() {
        check(
            r#"
#- main.tf
resource "aws_unheard_of" "x" {
  tags = { "gantrycd:resource-identity" = "null" }
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity" = "null" }
}
# gantrycd:resource-identity: ignore=true
resource "aws_kms_alias" "ignored" {
  tags = { "gantrycd:resource-identity" = "null" }
}
resource "aws_kms_alias" "other_tags" {
  tags = { Name = "gantrycd:resource-identity" }
}
resource "aws_kms_alias" "prose" {
  name = "alias/gantrycd:resource-identity"
}
data "aws_kms_alias" "filter" {
  tags = { "gantrycd:resource-identity" = "null" }
}
resource "google_kms_alias" "x" {
  tags = { "gantrycd:resource-identity" = "null" }
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
}
"#,
        );
    }

    #[test]
    fn the_comment_is_offered_at_the_key() {
        check_action(
            "#- main.tf\nresource \"aws_kms_alias\" \"a\" {\n  tags = { \"gantrycd$0:resource-identity\" = \"null\" }\n}\n",
            "Ignore ",
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_kms_alias\" \"a\" {\n  tags = { \"gantrycd:resource-identity\" = \"null\" }\n}\n",
        );
    }

    #[test]
    fn no_comment_is_offered_that_would_opt_nothing_out() {
        let block = "resource \"aws_secretsmanager_secret_version\" \"v\" {\n  tags = { \"gantrycd$0:resource-identity\" = \"null\" }\n}\n";
        let state = "#- terraform.tfstate\naws_secretsmanager_secret_version.v arn=arn:aws:secretsmanager:eu-west-1:111122223333:secret:s-abcdef untaggable\n";
        check_no_action(&format!("#- main.tf\n{block}{state}"));
        let block = block.replace("$0", "").replace(
            "null\" }",
            "null\" }\n           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: It has no identity anyhow, since",
        );
        check(&format!("#- main.tf\n{block}{state}"));
        // one instance of the block has an identity
        check(
            r#"
#- main.tf
resource "aws_kms_alias" "a" {
  count = 2
  tags  = { "gantrycd:resource-identity" = "null" }
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: An ignore comment is the only opt-out that reaches it.
}
#- terraform.tfstate
aws_kms_alias.a[0] untaggable
aws_kms_alias.a[1] arn=arn:aws:kms:eu-west-1:111122223333:alias/a untaggable
"#,
        );
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"resource": {"aws_kms_alias": {"é": {"tags": {"gantrycd:resource-identity": "null"}}}}}
                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type
"#,
        );
    }

    #[test]
    fn once_in_a_module_of_two_stacks_and_at_the_argument_of_a_shared_map() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
locals {{
  tags = {{ "gantrycd:resource-identity" = "null" }}
}}
resource "aws_kms_alias" "a" {{
  tags = local.tags
         ^^^^^^^^^^ untaggable-type
}}
resource "aws_sqs_queue" "of_use" {{
  tags = local.tags
}}
"#
        ));
    }
}
