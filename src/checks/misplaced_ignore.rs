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

use std::path::Path;
use std::sync::Arc;

use crate::config::{Declared, IgnoreComment, ModuleFile, is_override};
use crate::identity::comment::Directive;
use crate::syntax::Place;
use crate::workspace::Snapshot;

use super::{Check, Finding, Fix, Looks, Severity, fix};

pub(super) const CHECK: Check = Check {
    code: "misplaced-ignore",
    page: include_str!("../../docs/checks/misplaced-ignore.md"),
    severity: Severity::Warning,
    looks: Looks::File(look),
    fixes,
};

fn look(snapshot: &Snapshot, path: &Arc<Path>) -> Vec<Finding> {
    let file = snapshot.file(path).into_iter();
    let comments = file.flat_map(|file| file.comments.iter().map(move |it| (file, it)));
    let well_formed = comments.filter(|(_, it)| matches!(it.directive, Directive::Ignore { .. }));
    let found = well_formed.filter_map(|(file, comment)| {
        let why = misplaced(file, comment)?;
        let message = format!(
            "This comment does nothing: {why}. gantrycd honours it directly above a resource or \
             data block, at the end of the header's line, and directly in the block's body."
        );
        Some(Finding::new(CHECK.severity, path, comment.span, message))
    });
    found.collect()
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
            (!covered).then(|| match block.keyword {
                "module" => "it reaches no resource of the module that is called".to_owned(),
                keyword => format!("a {keyword} block has no identity"),
            })
        }
        Place::Within(_) => Some("it stands deeper than the block's own body".to_owned()),
        Place::Elsewhere => Some("it stands at no resource or data block".to_owned()),
    }
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let moved = moved(snapshot, finding);
    let removed = fix::remove_comment(snapshot, &finding.place);
    moved.into_iter().chain(removed).collect()
}

/// The comment above the block that it was meant for: the one that it stands in, or the next one
/// when only blanks and comments lie in between.
fn moved(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let file = snapshot.file(&finding.place.path)?;
    let mut comments = file.comments.iter();
    let comment = comments.find(|it| it.span == finding.place.span)?;
    if !matches!(comment.directive, Directive::Ignore { ignore: true, .. }) {
        return None;
    }
    let meant = match comment.place {
        Place::Within(id) => id,
        Place::Elsewhere => file.syntax()?.block_behind(comment.span.start)?,
        Place::Above(_) | Place::HeaderLine(_) | Place::Body(_) => return None,
    };
    let above = fix::ignore_comment(&Declared::new(file, meant))?;
    let mut edits = fix::remove_comment(snapshot, &finding.place)?.edits;
    edits.extend(above.edits);
    let (_, resource_type, name) = file.block(meant)?.resource()?;
    Some(Fix {
        title: format!("Move the ignore comment above {resource_type}.{name}"),
        edits,
        is_safe: false,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TWO_STACKS, actions, check, check_action};

    #[test]
    fn it_moves_above_the_block_that_it_was_meant_for() {
        let after =
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_vpc\" \"v\" {BODY}\n";
        for (before, body) in [
            (
                "# $0gantrycd:resource-identity: ignore=true\n\nresource \"aws_vpc\" \"v\" {}\n",
                "",
            ),
            (
                "resource \"aws_vpc\" \"v\" {\n  timeouts {\n    # é\n    # gantrycd:resource-identity: $0ignore=true\n  }\n}\n",
                "\n  timeouts {\n    # é\n  }\n",
            ),
            (
                "resource \"aws_vpc\" \"v\" {\n  tags = {\n    a = 1 # gantrycd:resource-identity: ignore=true$0\n  }\n}\n",
                "\n  tags = {\n    a = 1\n  }\n",
            ),
            (
                "resource \"aws_vpc\" \"v\" {\n  a = 1\n} // gantrycd:$0resource-identity: ignore=true\n",
                "\n  a = 1\n",
            ),
        ] {
            let after = after.replace("BODY", body);
            let blank = if before.starts_with('#') { "\n" } else { "" };
            check_action(
                &format!("#- main.tf\n{before}"),
                "Move the ignore comment above aws_vpc.v",
                &format!("{blank}{after}"),
            );
        }
    }

    #[test]
    fn what_was_meant_for_no_block_is_only_removed() {
        for text in [
            "# $0gantrycd:resource-identity: ignore=true\nmodule \"m\" {\n  source = \"./m\"\n}\n",
            "# $0gantrycd:resource-identity: ignore=true\n",
            "# $0gantrycd:resource-identity: ignore=true\n\nlocals {}\n",
            "# $0gantrycd:resource-identity: ignore=false\n\nresource \"aws_vpc\" \"v\" {}\n",
            "# gantrycd:resource-identity: ignore=true\nresource \"aws_vpc\" \"v\" {\n  a = { # $0gantrycd:resource-identity: ignore=true\n  }\n}\n",
        ] {
            let offered = actions(&format!("#- main.tf\n{text}"));
            assert_eq!(offered, ["Remove the ignore comment"], "{text}");
        }
    }

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

    #[test]
    fn once_in_a_module_of_two_stacks() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
locals {{
  # é gantrycd:resource-identity: ignore=true
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ misplaced-ignore
}}
"#
        ));
    }
}
