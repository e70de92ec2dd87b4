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

use crate::workspace::Snapshot;

use super::{Check, Finding, Fix, Severity, duplicate, fix, tag_fix};

pub(super) const CHECK: Check = Check {
    code: "duplicate-in-stack",
    page: include_str!("../../docs/checks/duplicate-in-stack.md"),
    severity: Severity::Warning,
    run,
    fixes,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for group in snapshot
        .duplicates
        .iter()
        .filter(|it| !it.claimants().across_stacks)
    {
        let told = (
            "is the same object as",
            "gantrycd cannot tell which of them manages it.",
        );
        findings.extend(duplicate::findings(snapshot, group, CHECK.severity, told));
    }
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
}
