//! Two addresses of one stack are one object.
//!
//! It was imported twice, or `count` or `for_each` repeats one declared id. gantrycd cannot tell
//! which of the two manages the object.
//!
//! # Example
//!
//! ```hcl
//! #- network/main.tf
//! resource "aws_subnet" "private" {
//! ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: aws_subnet.private[0] is the same object
//!   count = 2
//!   tags = {
//!     "gantrycd:resource-identity" = "net/private"
//!   }
//! }
//! #- network/terraform.tfstate
//! aws_subnet.private[0] id=net/private
//! aws_subnet.private[1] id=net/private
//! ```
//!
//! # Fixed
//!
//! Each instance has an id of its own, once it is applied.
//!
//! ```hcl
//! #- network/main.tf
//! resource "aws_subnet" "private" {
//!   count = 2
//!   tags = {
//!     "gantrycd:resource-identity" = "net/private-${count.index}"
//!   }
//! }
//! #- network/terraform.tfstate
//! aws_subnet.private[0] id=net/private-0
//! aws_subnet.private[1] id=net/private-1
//! ```

use crate::workspace::{Group, Snapshot};

use super::{Check, Finding, Fix, Looks, Severity, duplicate, fix, tag_fix};

pub(super) const CHECK: Check = Check {
    code: "duplicate-in-stack",
    page: include_str!("../../docs/checks/duplicate-in-stack.md"),
    severity: Severity::Warning,
    looks: Looks::Group(look),
    fixes,
};

fn look(snapshot: &Snapshot, group: &Group) -> Vec<Finding> {
    if group.claimants().across_stacks {
        return Vec::new();
    }
    let told = (
        "is the same object as",
        "gantrycd cannot tell which of them manages it.",
    );
    duplicate::findings(snapshot, group, CHECK.severity, told)
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let ignored = fix::ignore_block(snapshot, finding).into_iter();
    ignored.chain(tag_fix::opt_out(snapshot, finding)).collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::check;

    #[test]
    fn one_object_at_two_addresses() {
        check(
            r#"
#- a/main.tf
resource "aws_iam_policy" "one" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: aws_iam_policy.one is the same object as aws_iam_policy.two[0] of a: arn:aws:iam::111122223333:policy/p (aws_iam_policy, no realm). gantrycd cannot tell which of them manages it.
resource "aws_iam_policy" "two" {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: aws_iam_policy.two[0] is the same object as aws_iam_policy.one of a
  count = 2
}
#- a/terraform.tfstate
aws_iam_policy.one arn=arn:aws:iam::111122223333:policy/p
aws_iam_policy.two[0] arn=arn:aws:iam::111122223333:policy/p
aws_iam_policy.two[1] arn=arn:aws:iam::111122223333:policy/q
"#,
        );
    }

    #[test]
    fn count_over_one_declared_id_is_one_finding() {
        check(
            r#"
#- a/main.tf
resource "aws_subnet" "s" {
^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: aws_subnet.s[0] is the same object as aws_subnet.s[1] of a and aws_subnet.s[2] of a
  count = 3
  tags  = { "gantrycd:resource-identity" = "net/a" }
}
#- a/terraform.tfstate
aws_subnet.s[0] id=net/a
aws_subnet.s[1] id=net/a
aws_subnet.s[2] id=net/a
"#,
        );
    }

    #[test]
    fn a_deposed_and_a_current_object_at_one_address_are_one() {
        check(
            r#"
#- a/main.tf
resource "aws_lb" "l" {}
#- a/terraform.tfstate
aws_lb.l id=lb
aws_lb.l id=lb deposed=745ba0c6
"#,
        );
    }

    #[test]
    fn through_evaluation_before_the_first_apply() {
        check(
            r#"
#- a/main.tf
terraform {
  backend "s3" {}
}
locals {
  id = join("/", ["net", "é"])
}
resource "aws_subnet" "s" {
^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: net/é (aws_subnet, no realm). After the next apply: the configuration makes it.
  for_each = toset(["a", "b"])
  tags     = { "gantrycd:resource-identity" = local.id }
}
"#,
        );
    }

    #[test]
    fn in_a_module_of_two_stacks_it_is_one_finding_or_the_other() {
        let stack = |name: &str| {
            format!(
                "#- {name}/main.tf\nmodule \"m\" {{\n  source = \"../m\"\n}}\n#- {name}/terraform.tfstate\nmodule.m.aws_vpc.v[0] id={name}\nmodule.m.aws_vpc.v[1] id={name}\n"
            )
        };
        check(&format!(
            r#"{}{}#- m/main.tf
variable "id" {{}}
resource "aws_vpc" "v" {{
^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: a (aws_vpc, no realm)
^^^^^^^^^^^^^^^^^^^^^^ duplicate-in-stack: b (aws_vpc, no realm)
  count = 2
  tags  = {{ "gantrycd:resource-identity" = var.id }}
}}
"#,
            stack("a"),
            stack("b")
        ));
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"resource": {"aws_vpc": {"v": {"count": 2}}}}
                          ^^^ duplicate-in-stack
#- terraform.tfstate
aws_vpc.v[0] id=net
aws_vpc.v[1] id=net
"#,
        );
    }

    #[test]
    fn silent_for_what_differs() {
        check(
            r#"
#- main.tf
resource "aws_vpc" "by_key" {
  for_each = toset(["a", "b"])
  tags     = { "gantrycd:resource-identity" = each.key }
}
resource "aws_vpc" "by_realm" {
  tags = { "gantrycd:resource-identity" = "a", "gantrycd:resource-identity-realm" = "r" }
}
resource "aws_subnet" "of_another_type" {
  tags = { "gantrycd:resource-identity" = "a" }
}
resource "aws_vpc" "opted_out" {
  count = 2
  tags  = { "gantrycd:resource-identity" = "null" }
}
# gantrycd:resource-identity: ignore=true
resource "aws_vpc" "ignored" {
  tags = { "gantrycd:resource-identity" = "a" }
}
#- terraform.tfstate
aws_vpc.by_key["a"] id=a
aws_vpc.by_key["b"] id=b
aws_vpc.by_realm id=a realm=r
aws_subnet.of_another_type id=a
aws_vpc.opted_out[0] id=null
aws_vpc.opted_out[1] id=null
aws_vpc.ignored id=a
"#,
        );
    }
}
