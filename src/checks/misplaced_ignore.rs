//! An ignore comment stands where none is honoured.
//!
//! It does nothing there. It is honoured directly above the header of a `resource` or `data` block, at
//! the end of the header's line, and directly in the block's body. It covers that one block: above a
//! `module` block it reaches none of the module's resources.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! # gantrycd:resource-identity: ignore=true
//!   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: it stands at no resource or data block
//!
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

use crate::config::{IgnoreComment, ModuleFile, is_override};
use crate::identity::comment::Directive;
use crate::syntax::Place;
use crate::workspace::Snapshot;

use super::{Check, Finding, Severity, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "misplaced-ignore",
    page: include_str!("../../docs/checks/misplaced-ignore.md"),
    severity: Severity::Warning,
    run,
    fixes: no_fixes,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        for comment in &file.comments {
            if !matches!(comment.directive, Directive::Ignore { .. }) {
                continue;
            }
            if let Some(why) = misplaced(file, comment) {
                let message = format!(
                    "This comment does nothing: {why}. gantrycd honours it directly above a \
                     resource or data block, at the end of the header's line, and directly in the \
                     block's body."
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

/// Why the comment is not honoured where it stands; `None` where it is.
fn misplaced(file: &ModuleFile, comment: &IgnoreComment) -> Option<String> {
    match comment.place {
        Place::Above(id) | Place::HeaderLine(id) | Place::Body(id) => {
            let block = file.block(id)?;
            let covered = block.resource().is_some();
            let name = file.path.file_name().and_then(|it| it.to_str());
            if covered && name.is_some_and(is_override) {
                return Some("its block changes another, which it does not cover".to_owned());
            }
            (!covered).then(|| match &*block.keyword {
                "module" => "it reaches no resource of the module that is called".to_owned(),
                keyword => format!("a {keyword} block has no identity"),
            })
        }
        Place::Within(_) => Some("it stands deeper than the block's own body".to_owned()),
        Place::Elsewhere => Some("it stands at no resource or data block".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::check;

    #[test]
    fn at_a_block_of_an_override_file() {
        check(
            r#"
#- main.tf
resource "aws_vpc" "v" {}
#- main_override.tf
# gantrycd:resource-identity: ignore=true
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: its block changes another
resource "aws_vpc" "v" {}
"#,
        );
    }

    #[test]
    fn honoured_places_are_silent() {
        check(
            r#"
#- main.tf
# tfsec:ignore:aws-x
# gantrycd:resource-identity: ignore=true
# checkov:skip=CKV_AWS_1: reason
resource "aws_vpc" "above" {}

/* gantrycd:resource-identity: ignore=true */
# tflint-ignore: all
data "aws_vpc" "above" {}

resource "aws_vpc" "line" { # gantrycd:resource-identity: ignore=true
}
resource "aws_vpc" "one_line" {} # gantrycd:resource-identity: ignore=true
# gantrycd:resource-identity: ignore=false
resource "aws_vpc" "body" {
  # gantrycd:resource-identity: ignore=true
  cidr_block = "10.0.0.0/16"
}
"#,
        );
    }

    #[test]
    fn other_places_are_not() {
        check(
            r#"
#- main.tf
# gantrycd:resource-identity: ignore=true
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: it stands at no resource or data block

resource "aws_vpc" "blank_line" {}

# gantrycd:resource-identity: ignore=true
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: it reaches no resource of the module that is called
module "m" {
  source = "./m"
}

provider "aws" { # gantrycd:resource-identity: ignore=true
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: a provider block has no identity
}

resource "aws_vpc" "deep" {
  timeouts {
    # gantrycd:resource-identity: ignore=true
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: it stands deeper than the block's own body
  }
  tags = {
    # gantrycd:resource-identity: ignore=false
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore: deeper
  }
} # gantrycd:resource-identity: ignore=true
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore
#- m/main.tf
"#,
        );
    }
}
