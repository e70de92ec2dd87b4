//! Managed resources of different stacks are one object.
//!
//! Each of the stacks plans and applies as if the object were its own: what one sets, the other
//! sets back, and what one destroys is gone for both. gantrycd reports the object and orders
//! neither stack before the other.
//!
//! An edit that ends it leaves the finding as information, until it is applied. One that makes it is
//! told at once.
//!
//! Two directories whose `backend` blocks say the same, and whose states have one lineage, are two
//! checkouts of one stack: they share its state, and none of it is a duplicate. A block that says
//! nothing is no proof of that.
//!
//! # Example
//!
//! ```hcl
//! #- live/account/main.tf
//! resource "aws_s3_bucket" "uploads" {
//! ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_s3_bucket.files of live/legacy
//!   bucket = "shop-uploads"
//! }
//! #- live/account/terraform.tfstate
//! aws_s3_bucket.uploads arn=arn:aws:s3:::shop-uploads
//! #- live/legacy/main.tf
//! resource "aws_s3_bucket" "files" {
//! ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_s3_bucket.uploads of live/account
//!   bucket = "shop-uploads"
//! }
//! #- live/legacy/terraform.tfstate
//! aws_s3_bucket.files arn=arn:aws:s3:::shop-uploads
//! ```
//!
//! # Fixed
//!
//! One stack owns the bucket; the other lets go of it, without destroying it, and reads it. Two
//! objects that only look alike, on two emulators say, are told apart by realms.
//!
//! ```hcl
//! #- live/legacy/main.tf
//! data "aws_s3_bucket" "files" {
//!   bucket = "shop-uploads"
//! }
//! #- live/legacy/terraform.tfstate
//! data.aws_s3_bucket.files arn=arn:aws:s3:::shop-uploads
//! ```

use crate::workspace::{Group, Snapshot};

use super::{Check, Finding, Fix, Looks, Severity, duplicate, fix, tag_fix};

pub(super) const CHECK: Check = Check {
    code: "duplicate-identity",
    page: include_str!("../../docs/checks/duplicate-identity.md"),
    severity: Severity::Error,
    looks: Looks::Group(look),
    fixes,
};

fn look(snapshot: &Snapshot, group: &Group) -> Vec<Finding> {
    if !group.claimants().across_stacks {
        return Vec::new();
    }
    let told = (
        "manages the same object as",
        "What one stack applies, the other undoes.",
    );
    duplicate::findings(snapshot, group, CHECK.severity, told)
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let by_tag = [
        tag_fix::own_realm(snapshot, finding),
        tag_fix::opt_out(snapshot, finding),
    ];
    let ignored = fix::ignore_block(snapshot, finding).into_iter();
    ignored.chain(by_tag.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check, check_action, check_broken, check_no_action};

    #[test]
    fn the_same_bucket_in_two_stacks() {
        check(
            r#"
#- a/main.tf
resource "aws_s3_bucket" "x" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: aws_s3_bucket.x manages the same object as aws_s3_bucket.y of b (b/main.tf): arn:aws:s3:::logs (aws_s3_bucket, no realm). What one stack applies, the other undoes.
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: aws_s3_bucket.y manages the same object as aws_s3_bucket.x of a
}
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#,
        );
    }

    #[test]
    fn equal_id_realm_and_type_or_nothing() {
        check(
            r#"
#- a/main.tf
resource "aws_s3_bucket" "x" {
  tags = { "gantrycd:resource-identity-realm" = "one" }
}
resource "aws_lb" "l" {}
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs realm=one
aws_lb.l arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1
#- b/main.tf
resource "aws_s3_bucket" "x" {
  tags = { "gantrycd:resource-identity-realm" = "two" }
}
resource "aws_alb" "l" {}
#- b/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs realm=two
aws_alb.l arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1
#- c/main.tf
resource "aws_s3_bucket" "x" {}
data "aws_lb" "l" {}
#- c/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
data.aws_lb.l arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1
"#,
        );
    }

    #[test]
    fn an_edit_that_ends_it_is_told_until_it_is_applied() {
        check(
            r#"
#- a/main.tf
resource "aws_s3_bucket" "x" {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied: the configuration ends it.
  tags = { "gantrycd:resource-identity-realm" = "mine" }
}
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#,
        );
    }

    #[test]
    fn an_edit_that_makes_it_is_told_at_once() {
        check(
            r#"
#- a/main.tf
resource "aws_vpc" "x" {
^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: After the next apply: the configuration makes it.
  tags = { "gantrycd:resource-identity" = local.id }
}
locals {
  id = "net/${var.name}"
}
variable "name" {
  default = "main"
}
#- a/terraform.tfstate
aws_vpc.x arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
#- b/main.tf
provider "aws" {
  region = "eu-west-1"
}
resource "aws_vpc" "new" {
^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: After the next apply
  tags = { "gantrycd:resource-identity" = "net/main" }
}
"#,
        );
    }

    #[test]
    fn an_ignored_resource_claims_nothing_in_advance() {
        check(
            r#"
#- a/main.tf
resource "aws_vpc" "x" {
  tags = { "gantrycd:resource-identity" = "net/main" }
}
resource "aws_s3_bucket" "x" {}
#- a/terraform.tfstate
aws_vpc.x id=net/main
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
provider "aws" {
  region = "eu-west-1"
}
# gantrycd:resource-identity: ignore=true
resource "aws_vpc" "new" {
  tags = { "gantrycd:resource-identity" = "net/main" }
}
# gantrycd:resource-identity: ignore=true
resource "aws_s3_bucket" "new" {}
import {
  to = aws_s3_bucket.new
  id = "arn:aws:s3:::logs"
}
"#,
        );
    }

    #[test]
    fn a_module_that_may_be_called_from_elsewhere_claims_nothing_in_advance() {
        check(
            r#"
#- a/main.tf
resource "aws_vpc" "x" {
  tags = { "gantrycd:resource-identity" = "net/main" }
}
#- a/terraform.tfstate
aws_vpc.x id=net/main
#- modules/vpc/main.tf
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {}
resource "aws_vpc" "x" {
  tags = { "gantrycd:resource-identity" = "net/main" }
}
"#,
        );
    }

    #[test]
    fn what_is_not_known_changes_nothing() {
        for tags in [
            "var.tags",
            "{ \"gantrycd:resource-identity-realm\" = var.realm }",
            "merge({ \"gantrycd:resource-identity-realm\" = \"x\" }, var.tags)",
            "{ (var.key) = \"x\" }",
        ] {
            check(&format!(
                r#"
#- a/main.tf
variable "tags" {{
  type = map(string)
}}
variable "realm" {{}}
variable "key" {{}}
resource "aws_s3_bucket" "x" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_s3_bucket.y of b (b/main.tf): arn:aws:s3:::logs (aws_s3_bucket, no realm). What one
  tags = {tags}
}}
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: no realm). What one
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#
            ));
        }
    }

    #[test]
    fn a_default_does_not_weigh_against_what_a_state_says() {
        let developer = |name: &str| {
            format!(
                r#"
#- {name}/main.tf
variable "developer" {{
  default = "somebody"
}}
variable "create" {{
  default = false
}}
provider "aws" {{
  default_tags {{
    tags = {{ "gantrycd:resource-identity-realm" = "emu-${{var.developer}}" }}
  }}
}}
resource "aws_sqs_queue" "q" {{
  count = var.create ? 1 : 0
}}
#- {name}/terraform.tfstate
aws_sqs_queue.q[0] arn=arn:aws:sqs:us-east-1:000000000000:q all-realm=emu-{name}
"#
            )
        };
        // each was applied with a value from the environment
        check(&[developer("alice"), developer("bob")].concat());
        // what a file gives is certain
        let given = "#- alice/terraform.tfvars\ndeveloper = \"bob\"\ncreate = true\n";
        let text = [&*developer("alice"), &*developer("bob"), given].concat();
        let text = text.replace(
            "resource \"aws_sqs_queue\" \"q\" {",
            "resource \"aws_sqs_queue\" \"q\" {\n^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: After the next apply",
        );
        check(&text);
    }

    #[test]
    fn an_edit_that_is_never_applied_ends_nothing() {
        for (lifecycle, provider) in [
            ("lifecycle {\n    ignore_changes = [tags]\n  }", ""),
            (
                "lifecycle {\n    ignore_changes = [bucket, tags[\"gantrycd:resource-identity-realm\"]]\n  }",
                "",
            ),
            ("lifecycle {\n    ignore_changes = all\n  }", ""),
            (
                "",
                "provider \"aws\" {\n  ignore_tags {\n    key_prefixes = [\"gantrycd:\"]\n  }\n}",
            ),
        ] {
            check(&format!(
                r#"
#- a/main.tf
{provider}
resource "aws_s3_bucket" "x" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: no realm). What one
  tags = {{ "gantrycd:resource-identity-realm" = "mine" }}
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags
  {lifecycle}
}}
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: no realm). What one
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#
            ));
        }
    }

    #[test]
    fn an_edit_of_a_key_that_is_not_ignored_ends_it() {
        check(
            r#"
#- a/main.tf
resource "aws_s3_bucket" "x" {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied
  tags = { "gantrycd:resource-identity-realm" = "mine" }
  lifecycle {
    ignore_changes = [tags["Name"], bucket, tags.Owner]
  }
}
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#,
        );
    }

    const LOGS: &str = r#"
#- b/main.tf
resource "aws_s3_bucket" "y" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#;

    #[test]
    fn a_moved_row_is_found_under_its_new_address() {
        check(&format!(
            r#"
#- a/main.tf
moved {{
  from = aws_s3_bucket.old
  to   = module.m["k"].aws_s3_bucket.new
}}
module "m" {{
  source   = "./m"
  for_each = toset(["k"])
}}
#- a/m/main.tf
resource "aws_s3_bucket" "new" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: no realm). What one
#- a/terraform.tfstate
aws_s3_bucket.old arn=arn:aws:s3:::logs
{LOGS}"#
        ));
    }

    #[test]
    fn a_removed_row_claims_now_and_not_after() {
        for removed in [
            "removed {\n^^^^^^^ duplicate-identity: Until applied\n  from = aws_s3_bucket.x\n  lifecycle {\n    destroy = false\n  }\n}",
            "removed {\n^^^^^^^ duplicate-identity: Until applied\n  from = aws_s3_bucket.x\n}",
        ] {
            check(&format!(
                "#- a/main.tf\n{removed}\n#- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::logs\n{LOGS}"
            ));
        }
    }

    #[test]
    fn an_import_claims_in_advance() {
        let import = |what: &str| format!("import {{\n  to = aws_s3_bucket.x\n  {what}\n}}\n");
        for what in [
            "id = \"arn:aws:s3:::logs\"",
            "identity = {\n    arn = \"arn:aws:s3:::logs\"\n  }",
            "id = \"arn:aws:s3:::${local.name}\"\n}\nlocals {\n  name = \"logs\"",
        ] {
            let import = import(what);
            check(&format!(
                "#- a/main.tf\nresource \"aws_s3_bucket\" \"x\" {{}}\n^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: After the next apply\n{import}{LOGS}"
            ));
        }
        // without a resource block, at the import
        check(&format!(
            "#- a/main.tf\nimport {{\n^^^^^^ duplicate-identity: After the next apply\n  to = aws_s3_bucket.x\n  id = \"arn:aws:s3:::logs\"\n}}\n{LOGS}"
        ));
        // an id that is no ARN may be anything
        let other = import("id = \"logs\"");
        check(&format!(
            "#- a/main.tf\nresource \"aws_s3_bucket\" \"x\" {{}}\n{other}#- b/main.tf\nresource \"aws_s3_bucket\" \"y\" {{}}\n#- b/terraform.tfstate\naws_s3_bucket.y arn=arn:aws:s3:::logs\n"
        ));
    }

    #[test]
    fn a_repeated_import_claims_in_advance_what_is_known_of_it() {
        let import = |each: &str, found: &str| {
            format!(
                r#"#- a/main.tf
resource "aws_s3_bucket" "x" {{
{found}
  for_each = toset(["logs"])
}}
import {{
  for_each = {each}
  to       = aws_s3_bucket.x[each.key]
  id       = "arn:aws:s3:::${{each.value}}"
}}
"#
            )
        };
        let found =
            "^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: aws_s3_bucket.x[\"logs\"] manages";
        check(&format!("{}{LOGS}", import("toset([\"logs\"])", found)));
        let alone = LOGS.lines().filter(|it| !it.starts_with('^'));
        let alone: String = alone.map(|it| format!("{it}\n")).collect();
        for each in [
            "toset([\"other\"])",
            "var.x",
            "sensitive({ logs = \"logs\" })",
            "{ logs = var.x }",
        ] {
            check(&format!("{}{alone}", import(each, "")));
        }
    }

    /// OpenTofu's `enabled`.
    #[test]
    fn what_is_not_enabled_claims_now_and_not_after() {
        let found = |what| format!("^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: {what}");
        for (enabled, what) in [
            ("false", "Until applied"),
            ("!local.on", "Until applied"),
            ("true", "no realm). What one stack applies"),
            ("var.on", "no realm). What one stack applies"),
        ] {
            let lifecycle = format!("  lifecycle {{\n    enabled = {enabled}\n  }}\n");
            let other = format!(
                "#- b/main.tf\nresource \"aws_s3_bucket\" \"y\" {{}}\n{0}\n#- b/terraform.tfstate\naws_s3_bucket.y arn=arn:aws:s3:::logs\n",
                found(what)
            );
            let locals = "locals {\n  on = true\n}\nvariable \"on\" {\n  default = false\n}\n";
            let bucket = "resource \"aws_s3_bucket\" \"x\" {\n";
            check(&format!(
                "#- a/main.tf\n{bucket}{}\n{lifecycle}}}\n{locals}#- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::logs\n{other}",
                found(what)
            ));
            check(&format!(
                "#- a/main.tf\nmodule \"m\" {{\n  source = \"../m\"\n{lifecycle}}}\n{locals}#- m/main.tf\n{bucket}{}\n}}\n\
                 #- a/terraform.tfstate\nmodule.m.aws_s3_bucket.x arn=arn:aws:s3:::logs\n{other}",
                found(what)
            ));
        }
    }

    #[test]
    fn what_is_not_enabled_claims_nothing_in_advance() {
        for (enabled, found) in [
            (
                "true",
                "^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: After the next apply",
            ),
            ("false", ""),
            ("var.unknown", ""),
        ] {
            check(&format!(
                r#"
#- a/main.tf
provider "aws" {{
  region = "eu-west-1"
}}
resource "aws_vpc" "new" {{
{found}
  tags = {{ "gantrycd:resource-identity" = "net/main" }}
  lifecycle {{
    enabled = {enabled}
  }}
}}
#- b/main.tf
resource "aws_vpc" "vpc" {{
{found}
  tags = {{ "gantrycd:resource-identity" = "net/main" }}
}}
#- b/terraform.tfstate
aws_vpc.vpc id=net/main
"#
            ));
        }
    }

    #[test]
    fn an_instance_that_is_counted_out_claims_now_and_not_after() {
        check(&format!(
            r#"
#- a/main.tf
resource "aws_s3_bucket" "x" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied
  for_each = toset(["other"])
}}
#- a/terraform.tfstate
aws_s3_bucket.x["logs"] arn=arn:aws:s3:::logs
{LOGS}"#
        ));
    }

    #[test]
    fn a_group_of_three_addresses_of_two_stacks_is_this_alone() {
        check(
            r#"
#- a/main.tf
resource "aws_vpc" "x" {}
^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_vpc.y of a and aws_vpc.x of b (b/main.tf)
resource "aws_vpc" "y" {}
^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_vpc.x of a and aws_vpc.x of b
#- a/terraform.tfstate
aws_vpc.x id=net/main
aws_vpc.y id=net/main
#- b/main.tf
resource "aws_vpc" "x" {}
^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_vpc.x of a (a/main.tf) and aws_vpc.y of a (a/main.tf)
#- b/terraform.tfstate
aws_vpc.x id=net/main
"#,
        );
    }

    #[test]
    fn a_block_of_a_module_that_two_stacks_use_is_one_finding() {
        check(
            r#"
#- a/main.tf
module "m" {
  source = "../modules/m"
}
#- a/terraform.tfstate
module.m.aws_s3_bucket.x[0] arn=arn:aws:s3:::logs
#- b/main.tf
module "m" {
  source = "../modules/m"
}
#- b/terraform.tfstate
module.m.aws_s3_bucket.x[0] arn=arn:aws:s3:::logs
#- modules/m/main.tf
resource "aws_s3_bucket" "x" {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: module.m.aws_s3_bucket.x[0] manages the same object as module.m.aws_s3_bucket.x[0] of b
  count = 1
}
"#,
        );
    }

    /// What the module will be that the next `init` installs, nobody knows.
    #[test]
    fn what_an_outdated_module_says_ends_no_duplicate() {
        let installed = |version: &str, module: &str, found: &str| {
            format!(
                r#"
#- a/main.tf
module "logs" {{
{}
  source  = "example/logs/aws"
  version = "{version}"
}}
#- a/.terraform/modules/modules.json
{{"Modules": [{{"Key": "logs", "Source": "registry.terraform.io/example/logs/aws", "Version": "1.0.0", "Dir": ".terraform/modules/logs"}}]}}
#- a/.terraform/modules/logs/main.tf
{module}
#- a/terraform.tfstate
module.logs.aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: {found}
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#,
                match module {
                    "locals {}" => String::new(),
                    _ => format!("^^^^^^^^^^^^^ duplicate-identity: {found}"),
                }
            )
        };
        let tags = r#"tags = { "gantrycd:resource-identity-realm" = "r" }"#;
        let realm = format!("resource \"aws_s3_bucket\" \"x\" {{\n  {tags}\n}}");
        for module in ["locals {}", &realm] {
            check(&installed("~> 1.0", module, "Until applied"));
            check(&installed(
                "~> 2.0",
                module,
                "no realm). What one stack applies",
            ));
        }
    }

    #[test]
    fn an_outdated_module_claims_nothing_in_advance() {
        let installed = |version: &str| {
            let queue = "arn:aws:sqs:eu-west-1:111122223333";
            format!(
                r#"
#- a/main.tf
module "m" {{
  source  = "example/m/aws"
  version = "{version}"
}}
import {{
  to = module.m.aws_sqs_queue.imported
  id = "{queue}:imported"
}}
resource "aws_sqs_queue" "told" {{
  tags = {{ "gantrycd:resource-identity" = module.m.name }}
}}
#- a/.terraform.lock.hcl
#- a/.terraform/modules/modules.json
{{"Modules": [{{"Key": "m", "Source": "registry.terraform.io/example/m/aws", "Version": "1.0.0", "Dir": ".terraform/modules/m"}}]}}
#- a/.terraform/modules/m/main.tf
resource "aws_sqs_queue" "declared" {{
  tags = {{ "gantrycd:resource-identity" = "declared" }}
}}
resource "aws_sqs_queue" "imported" {{}}
output "name" {{
  value = "told"
}}
#- b/main.tf
resource "aws_sqs_queue" "declared" {{
  tags = {{ "gantrycd:resource-identity" = "declared" }}
}}
resource "aws_sqs_queue" "imported" {{}}
resource "aws_sqs_queue" "told" {{
  tags = {{ "gantrycd:resource-identity" = "told" }}
}}
#- b/terraform.tfstate
aws_sqs_queue.declared id=declared
aws_sqs_queue.imported arn={queue}:imported
aws_sqs_queue.told id=told
"#
            )
        };
        for (version, expected) in [("1.0.0", 3), ("2.0.0", 0)] {
            let snapshot = Fixture::new(&installed(version)).snapshot();
            assert_eq!(snapshot.duplicates().count(), expected, "{version}");
        }
    }

    #[test]
    fn a_resource_of_an_installed_module_is_shown_at_the_call() {
        let text = r#"
#- a/main.tf
module "logs" {
^^^^^^^^^^^^^ duplicate-identity: module.logs.module.inner["k"].aws_s3_bucket.x manages
  source = "example/logs/aws"
}
#- a/.terraform/modules/modules.json
{"Modules": [
  {"Key": "", "Source": "", "Dir": "."},
  {"Key": "logs", "Source": "registry.terraform.io/example/logs/aws", "Dir": ".terraform/modules/logs"},
  {"Key": "logs.inner", "Source": "./inner", "Dir": ".terraform/modules/logs/inner"}
]}
#- a/.terraform/modules/logs/main.tf
module "inner" {
  source = "./inner"
}
#- a/.terraform/modules/logs/inner/main.tf
resource "aws_s3_bucket" "x" {}
# gantrycd.resource-identity: ignore=true
#- a/terraform.tfstate
module.logs.module.inner["k"].aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as module.logs.module.inner["k"].aws_s3_bucket.x of a
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#;
        check(text);
        let fixture = Fixture::new(text);
        let snapshot = fixture.snapshot();
        let findings = crate::checks::run(&snapshot, &Default::default());
        let at_call = &findings[0];
        let block = &at_call.related[0];
        assert!(
            block.place.path.ends_with("logs/inner/main.tf"),
            "{block:?}"
        );
        assert!(
            at_call.fixes(&snapshot).is_empty(),
            "nobody edits an installed module"
        );
        check_no_action(&text.replace("module \"logs\"", "module \"lo$0gs\""));
    }

    #[test]
    fn a_deposed_object_of_one_stack_and_a_current_one_of_another() {
        check(
            r#"
#- a/main.tf
resource "aws_lb" "l" {}
^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: aws_lb.l (deposed: the next apply destroys it) manages
#- a/terraform.tfstate
aws_lb.l arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1
aws_lb.l arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/2 deposed=745ba0c6
#- b/main.tf
resource "aws_lb" "l" {}
^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_lb.l (deposed: the next apply destroys it) of a
#- b/terraform.tfstate
aws_lb.l arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/2
"#,
        );
    }

    #[test]
    fn a_claim_without_a_block_is_related_at_its_state() {
        let text = r#"
#- a/main.tf
resource "aws_s3_bucket" "x" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: as aws_s3_bucket.gone of b
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/terraform.tfstate
aws_s3_bucket.gone arn=arn:aws:s3:::logs
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].related[0]
                .place
                .path
                .ends_with("b/terraform.tfstate")
        );
    }

    #[test]
    fn where_no_side_has_a_block_it_stands_at_a_state() {
        let text =
            "#- a/terraform.tfstate\naws_vpc.v id=x\n#- b/terraform.tfstate\naws_vpc.v id=x\n";
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        let [finding] = &findings[..] else {
            panic!("{findings:#?}");
        };
        assert!(finding.place.path.ends_with("a/terraform.tfstate"));
    }

    #[test]
    fn a_comment_ends_it() {
        let states = r#"
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {}
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#;
        for block in [
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_s3_bucket\" \"x\" {}\n",
            "resource \"aws_s3_bucket\" \"x\" {} // gantrycd:resource-identity: ignore=true\n",
            "resource \"aws_s3_bucket\" \"x\" {\n  /* gantrycd:resource-identity: ignore=true */\n}\n",
        ] {
            check(&format!("#- a/main.tf\n{block}{states}"));
        }
    }

    const OTHER: &str = r#"#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#;

    #[test]
    fn the_fix_puts_the_comment_above() {
        let before = "locals {}\n\n$0resource \"aws_s3_bucket\" \"x\" {\n}\n";
        check_action(
            &format!("#- a/main.tf\n{before}{OTHER}"),
            "Ignore ",
            "locals {}\n\n# gantrycd:resource-identity: ignore=true\nresource \"aws_s3_bucket\" \"x\" {\n}\n",
        );
        // at the last position of the range, too
        let before = "resource \"aws_s3_bucket\" \"x\"$0 {\n}\n";
        check_action(
            &format!("#- a/main.tf\n{before}{OTHER}"),
            "Ignore ",
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_s3_bucket\" \"x\" {\n}\n",
        );
    }

    #[test]
    fn the_fix_stands_at_the_top_of_the_comments_that_are_there() {
        let before =
            "  # tflint-ignore: all\n  # the logs\n  resource \"aws_s3$0_bucket\" \"x\" {}\n";
        check_action(
            &format!("#- a/main.tf\n# head\n\n{before}{OTHER}"),
            "Ignore ",
            "# head\n\n  # gantrycd:resource-identity: ignore=true\n  # tflint-ignore: all\n  # the logs\n  resource \"aws_s3_bucket\" \"x\" {}\n",
        );
    }

    #[test]
    fn the_fix_keeps_line_ends_and_the_byte_order_mark() {
        check_action(
            &format!(
                "#- a/main.tf\n\u{feff}# é\r\nresource \"aws_s3_bucket\" \"x$0\" {{}}\r\n{OTHER}"
            ),
            "Ignore ",
            "\u{feff}# gantrycd:resource-identity: ignore=true\r\n# é\r\nresource \"aws_s3_bucket\" \"x\" {}\r\n",
        );
    }

    #[test]
    fn the_fix_is_offered_at_the_header_only() {
        for before in [
            "$0\n\nresource \"aws_s3_bucket\" \"x\" {}\n",
            "resource \"aws_s3_bucket\" \"x\" {\n  bucket = \"$0logs\"\n}\n",
            "locals {$0}\nresource \"aws_s3_bucket\" \"x\" {}\n",
        ] {
            check_no_action(&format!("#- a/main.tf\n{before}{OTHER}"));
        }
    }

    #[test]
    fn where_nothing_is_wrong_it_is_a_refactoring() {
        check_action(
            "#- a/main.tf\nresource \"aws_s3_bucket\" \"x$0\" {}\n#- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::logs\n",
            "Ignore ",
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_s3_bucket\" \"x\" {}\n",
        );
        // and not where there is no identity
        check_no_action(
            "#- a/main.tf\nresource \"aws_s3_bucket\" \"x$0\" {}\n#- a/terraform.tfstate\naws_s3_bucket.x\n",
        );
    }

    /// Two stacks with one ARN, told apart by the realm of one: by `provider` and the tags of its
    /// resource.
    fn apart(provider: &str, tags: &str) -> String {
        format!(
            r#"
#- a/main.tf
resource "aws_sqs_queue" "q" {{
  tags = {tags}
}}
{provider}
#- a/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q all-realm=r
#- b/main.tf
resource "aws_sqs_queue" "q" {{}}
#- b/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
"#
        )
    }

    #[test]
    fn silent_while_the_provider_block_is_being_typed() {
        let tags = r#"{ "gantrycd:resource-identity-realm" = "r" }"#;
        let provider =
            format!("provider \"aws\" {{\n  default_tags {{\n    tags = {tags}\n  }}\n}}\n");
        check_broken(&apart(&provider, "{}"));
        // cut off behind every byte of its keyword and what follows
        for end in "provider".len()..provider.len() - 1 {
            check_broken(&apart(&provider[..end], "{}"));
        }
        for (at, mark) in provider.char_indices() {
            if "\"{}=".contains(mark) {
                let mut broken = provider.clone();
                broken.remove(at);
                check_broken(&apart(&broken, "{}"));
            }
        }
    }

    #[test]
    fn tags_of_a_data_source_are_those_that_it_was_looked_up_by() {
        let data = "data \"aws_vpc\" \"v\" {\n  tags = { Name = \"gantrycd\" }\n}\n";
        check(&apart(data, "data.aws_vpc.v.tags"));
    }

    #[test]
    fn ignore_tags_may_keep_the_edit_from_the_state() {
        let edited = |provider: &str| {
            let tags = r#"{ "gantrycd:resource-identity-realm" = false ? "x" : null }"#;
            apart(provider, tags)
        };
        let region = "provider \"aws\" {\n  region = \"eu-west-1\"\n}\n";
        let ignore = "ignore_tags {\n    key_prefixes = [\"gantrycd:\"]\n  }";
        let content = "dynamic \"ignore_tags\" {\n    for_each = [1]\n    content {}\n  }";
        for block in [ignore, content] {
            let block = format!("provider \"aws\" {{\n  {block}\n}}\n");
            check(&edited(&block));
            check(&edited(&format!("{region}#- a/main_override.tf\n{block}")));
        }
    }

    #[test]
    fn a_sensitive_id_of_an_import_is_not_told() {
        let import = |id: &str| {
            format!(
                "import {{\n  to = aws_sqs_queue.r\n  id = {id}\n}}\nresource \"aws_sqs_queue\" \"r\" {{}}\n"
            )
        };
        let arn = "\"arn:aws:sqs:eu-west-1:111122223333:q\"";
        let tags = r#"{ "gantrycd:resource-identity-realm" = "r" }"#;
        check(&apart(&import(&format!("sensitive({arn})")), tags));
    }

    #[test]
    fn a_module_inherits_by_source_whatever_it_calls_the_provider() {
        let text = r#"
#- a/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "r" }
  }
}
module "m" {
  source = "../m"
}
#- m/main.tf
terraform {
  required_providers {
    amazon = { source = "hashicorp/aws" }
  }
}
resource "aws_sqs_queue" "q" {
  provider = amazon
}
#- a/terraform.tfstate
module.m.aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q all-realm=r
#- b/main.tf
resource "aws_sqs_queue" "q" {}
#- b/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
"#;
        check(text);
        // the name of the caller's own is another provider's
        check(&text.replace(
            "module \"m\" {",
            "terraform {\n  required_providers {\n    amazon = { source = \"acme/amazon\" }\n  }\n}\nprovider \"amazon\" {}\nmodule \"m\" {",
        ));
    }

    #[test]
    fn of_two_default_configurations_neither_is_believed() {
        let tags = r#"{ "gantrycd:resource-identity-realm" = "r" }"#;
        let one = format!("provider \"aws\" {{\n  default_tags {{\n    tags = {tags}\n  }}\n}}\n");
        let other = "provider \"aws\" {\n}\n";
        check(&apart(&format!("{one}{other}"), "{}"));
        check(&apart(&format!("{other}{one}"), "{}"));
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- a/main.tf.json
{"resource": {"aws_s3_bucket": {"é": {}}}}
                                ^^^ duplicate-identity: aws_s3_bucket.é manages
#- a/terraform.tfstate
aws_s3_bucket.é arn=arn:aws:s3:::logs
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#,
        );
    }

    #[test]
    fn an_opt_out_counts_whatever_else_is_not_known() {
        for tags in [
            "merge(var.tags, { \"gantrycd:resource-identity\" = \"null\" })",
            "{ (var.key) = 1, \"gantrycd:resource-identity\" = \"\" }",
            "{ \"gantrycd:resource-identity\" = \"null\", \"gantrycd:resource-identity-realm\" = var.key }",
        ] {
            check(&format!(
                r#"
#- a/main.tf
variable "tags" {{}}
variable "key" {{}}
resource "aws_s3_bucket" "x" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied
  tags = {tags}
}}
#- a/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::logs
#- b/main.tf
resource "aws_s3_bucket" "y" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: Until applied
#- b/terraform.tfstate
aws_s3_bucket.y arn=arn:aws:s3:::logs
"#
            ));
        }
    }
}
