//! A gantrycd tag on a resource type whose tags never reach the state.
//!
//! The tag does nothing: no id, no realm and no opt-out. Only an ignore comment reaches such a
//! resource.

use crate::config::ResourceBody;
use crate::eval::{self, Value};
use crate::identity::{IDENTITY_TAG, Mode, REALM_TAG};
use crate::text::Span;
use crate::workspace::Snapshot;
use crate::workspace::tag_support::{Evidence, Takes, untaggable};

use super::{Check, Finding, Severity, ignore_comment};

pub(super) const CHECK: Check = Check {
    code: "untaggable-type",
    severity: Severity::Warning,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        for resource in &file.resources {
            let looks_at = resource.mode == Mode::Managed && !resource.ignored;
            if !looks_at || !file.mentions_gantrycd(resource) {
                continue;
            }
            let Some(body) = file.body(resource) else {
                continue;
            };
            let keys = gantrycd_keys(body);
            if keys.is_empty() {
                continue;
            }
            // every stack that uses the block must agree
            let evidence: Option<Vec<_>> = snapshot
                .uses(file)
                .iter()
                .map(|at| {
                    let declared = snapshot.node(*at).module.declares(file, resource)?;
                    let source = snapshot.configured(*at, &declared).source?;
                    let stack = &snapshot.stacks[at.stack];
                    let supported = snapshot.registry.supports(&source);
                    let evidence = untaggable(stack, &resource.resource_type, &source)?;
                    supported.then(|| (evidence, stack.name.clone()))
                })
                .collect();
            let Some(((takes, evidence), stack)) = evidence.and_then(|it| it.into_iter().next())
            else {
                continue;
            };
            let rows = snapshot.rows_of(file, resource.block);
            for (key, span) in keys {
                let message = message(&key, &resource.resource_type, takes, &evidence);
                let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
                finding.stack = Some(stack.clone());
                finding.address = rows.first().map(|row| snapshot.address(*row).to_string());
                finding
                    .fixes
                    .extend(ignore_comment(snapshot, file, resource));
                findings.push(finding);
            }
        }
    }
}

/// The two keys where they are written, in `tags` and in tag blocks.
fn gantrycd_keys(body: &ResourceBody) -> Vec<(String, Span)> {
    let tags = body.tags.iter().flat_map(|tags| eval::map(tags).entries);
    let tags = tags.map(|entry| (entry.key, entry.key_span));
    let blocks =
        body.tag_blocks
            .iter()
            .filter_map(|block| match eval::text(&block.key, &block.key.node) {
                Value::Known(key, span) => Some((key, span)),
                Value::Null(_) | Value::Unknown(_) => None,
            });
    tags.chain(blocks)
        .filter(|(key, _)| key == IDENTITY_TAG || key == REALM_TAG)
        .collect()
}

fn message(key: &str, resource_type: &str, takes: Takes, evidence: &Evidence) -> String {
    let how = match takes {
        Takes::None | Takes::Map => "takes no tags",
        Takes::Blocks => "takes tags as blocks, which gantrycd does not read",
        Takes::Selector => "uses its tags to select other objects",
    };
    format!(
        "{key} does nothing here: {resource_type} {how} ({evidence}). An ignore comment is the only \
         opt-out that reaches it."
    )
}

#[cfg(test)]
mod tests {
    use crate::fixture::{check, check_action};

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
        let requires = |source: &str| {
            format!(
                "terraform {{\n  required_providers {{\n    aws = {{ source = \"{source}\" }}\n  }}\n}}\n"
            )
        };
        let mirror = requires("mirror.example/hashicorp/aws");
        check(&format!("#- main.tf\n{block}#- versions.tf\n{mirror}"));
        check(&format!(
            "#- main.tf\n{block}#- versions.tf\n{}#- versions_override.tf\n{mirror}",
            requires("hashicorp/aws")
        ));
        check(&format!("#- main.tf\n{block}#- versions.tf.json\n{{}}\n"));
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
}
"#,
        );
    }

    #[test]
    fn the_comment_is_offered_at_the_key() {
        check_action(
            "#- main.tf\nresource \"aws_kms_alias\" \"a\" {\n  tags = { \"gantrycd$0:resource-identity\" = \"null\" }\n}\n",
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_kms_alias\" \"a\" {\n  tags = { \"gantrycd:resource-identity\" = \"null\" }\n}\n",
        );
    }
}
