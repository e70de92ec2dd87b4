//! What people reported of tools of this kind, one fixture each: here it must go well.
//!
//! Knows the checks by what a person sees of them.

use crate::fixture::{actions, check, check_action};

/// Two stacks that manage one bucket each way; `block` is the block of the first.
fn duplicate(block: &str) -> String {
    format!(
        "#- a/main.tf\n{block}#- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::x\n#- b/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::x\n"
    )
}

const IGNORE: &str = "gantrycd:resource-identity: ignore=true";

#[test]
fn comments_of_other_tools_stand_above_or_below_or_on_the_line() {
    for other in [
        "# tflint-ignore: aws_s3_bucket_name",
        "# checkov:skip=CKV_AWS_18: no logs here",
        "#tfsec:ignore:aws-s3-enable-bucket-logging",
        "#trivy:ignore:AVD-AWS-0089",
        "// nosemgrep: terraform.aws",
        "/* kics-scan ignore-block */",
        "# é: a bucket",
    ] {
        for comments in [
            format!("{other}\n# {IGNORE}\n"),
            format!("# {IGNORE}\n{other}\n"),
            format!("{other}\n// {IGNORE}\n{other}\n"),
        ] {
            check(&duplicate(&format!(
                "{comments}resource \"aws_s3_bucket\" \"x\" {{}}\n"
            )));
        }
        check(&duplicate(
            &format!("{other} {IGNORE}\nresource \"aws_s3_bucket\" \"x\" {{}}\n").replace(
                "*/ gantrycd:resource-identity: ignore=true",
                &format!("{IGNORE} */"),
            ),
        ));
    }
}

#[test]
fn a_comment_is_honoured_at_the_header_in_the_body_and_behind_prose() {
    for block in [
        format!("resource \"aws_s3_bucket\" \"x\" {{ # {IGNORE}\n}}\n"),
        format!("resource \"aws_s3_bucket\" \"x\" {{ /* x */ // {IGNORE}\n  bucket = 1\n}}\n"),
        format!("resource \"aws_s3_bucket\" \"x\" {{\n  bucket = 1\n  # {IGNORE}\n}}\n"),
        format!("resource \"aws_s3_bucket\" \"x\" {{\n  bucket = 1 # {IGNORE}\n}}\n"),
        format!("resource \"aws_s3_bucket\" \"x\" {{}} # {IGNORE}\n"),
        format!("resource \"aws_s3_bucket\" \"x\" {{ bucket = 1 }} # {IGNORE}\n"),
        format!(
            "# shared with team b, so {IGNORE}, see the handbook\nresource \"aws_s3_bucket\" \"x\" {{}}\n"
        ),
        // blocks without a blank line between them
        format!("locals {{}}\n# {IGNORE}\nresource \"aws_s3_bucket\" \"x\" {{}}\nlocals {{}}\n"),
    ] {
        check(&duplicate(&block));
    }
}

#[test]
fn a_comment_that_is_none_or_stands_elsewhere_is_not_honoured() {
    let header = "resource \"aws_s3_bucket\" \"x\" {";
    let mark = format!("{} duplicate-identity", "^".repeat(header.len() - 2));
    for (before, body, told) in [
        ("", format!("  bucket = \"# {IGNORE}\"\n"), ""),
        ("", format!("  bucket = <<EOT\n# {IGNORE}\nEOT\n"), ""),
        (
            "",
            format!("  bucket = \"${{lower(\"# {IGNORE}\")}}\"\n"),
            "",
        ),
        (
            "",
            format!("  tags = {{\n    # {IGNORE}\n"),
            "      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore\n  }\n",
        ),
    ] {
        check(&duplicate(&format!(
            "{before}{header}\n{mark}\n{body}{told}}}\n"
        )));
    }
    // of the neighbour on the line before
    check(&duplicate(&format!(
        "resource \"aws_vpc\" \"v\" {{\n}} # {IGNORE}\n    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore\n{header}}}\n{mark}\n"
    )));
}

#[test]
fn a_comment_above_a_module_with_for_each_reaches_nothing() {
    check(
        r#"
#- a/main.tf
# gantrycd:resource-identity: ignore=true
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: it reaches no resource of the module that is called
module "m" {
  for_each = toset(["a", "b"])
  source   = "../m"
}
#- a/terraform.tfstate
module.m["a"].aws_s3_bucket.x arn=arn:aws:s3:::x
#- m/main.tf
resource "aws_s3_bucket" "x" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity
#- b/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::x
"#,
    );
}

#[test]
fn the_fix_puts_its_comment_before_those_of_other_tools() {
    let block =
        |comments: &str, x: &str| format!("{comments}resource \"aws_s3_bucket\" \"{x}\" {{}}\n");
    let others = "# checkov:skip=CKV_AWS_18: é\n#tfsec:ignore:all\n";
    let (before, after) = (
        block(others, "x$0"),
        block(&format!("# {IGNORE}\n{others}"), "x"),
    );
    let text = duplicate(&before);
    check_action(&text, "Ignore aws_s3_bucket.x", &after);
}

#[test]
fn a_realm_in_tags_and_the_same_in_default_tags() {
    check(
        r#"
#- main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "é" }
                                                   ^ malformed-realm
  }
}
resource "aws_sqs_queue" "same" {
  tags = { "gantrycd:resource-identity-realm" = "é" }
                                                 ^ malformed-realm
}
#- b/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "live" }
  }
}
resource "aws_sqs_queue" "same" {
  tags = { "gantrycd:resource-identity-realm" = "live" }
}
#- b/terraform.tfstate
aws_sqs_queue.same arn=arn:aws:sqs:eu-west-1:111122223333:q realm=live
"#,
    );
}

#[test]
fn tag_blocks_of_autoscaling_groups() {
    check(
        r#"
#- main.tf
locals {
  tags = { "gantrycd:resource-identity-realm" = "live" }
}
resource "aws_autoscaling_group" "static" {
  tag {
    key                 = "gantrycd:resource-identity"
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type: takes tags as blocks
    value               = "null"
    propagate_at_launch = true
  }
}
resource "aws_autoscaling_group" "dynamic" {
  dynamic "tag" {
    for_each = { "gantrycd:resource-identity-realm" = "live", Name = "é" }
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ untaggable-type
    content {
      key   = tag.key
      value = tag.value
    }
  }
}
resource "aws_autoscaling_group" "unknown" {
  dynamic "tag" {
    for_each = var.tags
    content {
      key   = tag.key
      value = tag.value
    }
  }
}
# gantrycd:resource-identity: ignore=true
resource "aws_autoscaling_group" "ignored" {
  tag {
    key   = "gantrycd:resource-identity"
    value = "null"
  }
}
"#,
    );
}

#[test]
fn null_maps_and_null_values() {
    check(
        r#"
#- main.tf
variable "tags" {
  type    = map(string)
  default = null
}
variable "realm" {
  default = null
}
provider "aws" {
  default_tags {
    tags = null
  }
}
resource "aws_sqs_queue" "null_map" {
  tags = null
}
resource "aws_sqs_queue" "null_variable" {
  tags = var.tags
}
resource "aws_sqs_queue" "null_in_merge" {
  tags = merge(var.tags, null, { "gantrycd:resource-identity-realm" = "a/b" })
                                                                       ^^^ malformed-realm
}
resource "aws_sqs_queue" "null_value" {
  tags = { "gantrycd:resource-identity-realm" = var.realm, Name = null }
}
"#,
    );
}

#[test]
fn provider_aliases_and_inherited_providers() {
    check(
        r#"
#- main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "one" }
  }
}
provider "aws" {
  alias = "two"
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "t/wo" }
                                                   ^^^^ malformed-realm
  }
}
module "inherits" {
  source = "./m"
}
module "is_given" {
  source    = "./m"
  providers = { aws = aws.two }
}
#- terraform.tfstate
module.inherits.aws_kms_alias.a arn=arn:aws:kms:eu-west-1:111122223333:alias/a untaggable
module.is_given.aws_kms_alias.a arn=arn:aws:kms:eu-west-1:111122223333:alias/b untaggable
#- m/main.tf
resource "aws_kms_alias" "a" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: The realm one of default_tags does not reach module.inherits.aws_kms_alias.a
"#,
    );
}

#[test]
fn one_unknown_value_beside_known_ones() {
    check(
        r#"
#- main.tf
data "aws_caller_identity" "me" {}
variable "team" {}
resource "aws_sqs_queue" "q" {
  tags = {
    Team                               = var.team
    Account                            = data.aws_caller_identity.me.account_id
    Version                            = file("nowhere")
    "gantrycd:resource-identity-realm" = "a/b"
                                          ^^^ malformed-realm
  }
}
resource "aws_sqs_queue" "a_key_that_may_opt_out" {
  tags = {
    (var.team)                         = "null"
    "gantrycd:resource-identity-realm" = "a/b"
  }
}
"#,
    );
}

#[test]
fn what_a_person_can_do_about_one_finding() {
    assert_eq!(
        actions(&duplicate("resource \"aws_s3_bucket\" \"x$0\" {}\n")),
        [
            "Ignore aws_s3_bucket.x in gantrycd",
            "Give aws_s3_bucket.x the realm \"a\"",
            "Opt aws_s3_bucket.x out by tag"
        ]
    );
}
