//! A comment that was meant to opt a block out is not honoured as it is written.
//!
//! The one spelling is `gantrycd:resource-identity: ignore=true`. Anything near it does nothing: the
//! resource has an identity as if nothing stood there.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! # gantrycd.resource-identity: ignore=true
//!   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-ignore: the key is `gantrycd:resource-identity`
//! resource "aws_autoscaling_group" "web" {
//!   min_size = 1
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
//! }
//! ```

use crate::identity::comment::{Directive, IGNORE};
use crate::workspace::Snapshot;

use super::{Check, Finding, Severity, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "malformed-ignore",
    page: include_str!("../../docs/checks/malformed-ignore.md"),
    severity: Severity::Warning,
    run,
    fixes: no_fixes,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        for comment in &file.comments {
            if let Directive::NearMiss { fault, .. } = &comment.directive {
                let message = format!(
                    "This comment does nothing: {fault}. gantrycd honours `{IGNORE}` and nothing \
                     near it."
                );
                findings.push(Finding::new(
                    CHECK.severity,
                    &file.path,
                    comment.span,
                    message,
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TWO_STACKS, check};

    #[test]
    fn near_misses_wherever_they_stand() {
        check(
            r#"
#- main.tf
# gantrycd.resource-identity: ignore=true
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-ignore: This comment does nothing: the key is `gantrycd:resource-identity`, not `gantrycd.resource-identity`. gantrycd honours `gantrycd:resource-identity: ignore=true` and nothing near it.
resource "aws_vpc" "v" { # gantrycd:resource-identity: ignore=yes
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-ignore: takes `true` or `false`, not `yes`
  # é gantrycd:resource-identity ignore=true
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-ignore: a colon is missing
}
locals {
  x = 1 /* gantrycd:resource-identity: skip=true */
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-ignore: the only parameter is `ignore`, not `skip`
}
"#,
        );
    }

    #[test]
    fn prose_strings_and_heredocs_are_none() {
        check(
            r#"
#- main.tf
# The tag gantrycd:resource-identity names the object; see the handbook.
# "gantrycd:resource-identity" = "null"
locals {
  x = "gantrycd.resource-identity: ignore=true"
  y = <<EOT
    # gantrycd.resource-identity: ignore=true
  EOT
  z = "${upper(" # gantrycd.resource-identity: ignore=true ")}"
}
"#,
        );
    }

    #[test]
    fn once_in_a_module_of_two_stacks() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
locals {{
  # é gantrycd:resource-identity: ignore=yes
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ malformed-ignore
}}
"#
        ));
    }
}
