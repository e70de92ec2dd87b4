//! A comment that was meant to opt a block out is not honoured as it is written.
//!
//! The one spelling is `gantrycd:resource-identity: ignore=true`. Anything near it does nothing: the
//! resource has an identity as if nothing stood there. Where it is plain what was meant, the quick fix
//! writes that.
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

use std::path::Path;
use std::sync::Arc;

use crate::identity::comment::{Directive, IGNORE, IGNORE_NOT, directives};
use crate::workspace::Snapshot;

use super::{Check, Edit, Finding, Fix, Looks, Severity};

pub(super) const CHECK: Check = Check {
    code: "malformed-ignore",
    page: include_str!("../../docs/checks/malformed-ignore.md"),
    severity: Severity::Warning,
    looks: Looks::File(look),
    fixes,
};

fn look(snapshot: &Snapshot, path: &Arc<Path>) -> Vec<Finding> {
    let comments = snapshot.file(path).into_iter().flat_map(|it| &it.comments);
    let found = comments.filter_map(|comment| {
        let Directive::NearMiss { fault, .. } = &comment.directive else {
            return None;
        };
        let message = format!(
            "This comment does nothing: {fault}. gantrycd honours `{IGNORE}` and nothing near it."
        );
        Some(Finding::new(CHECK.severity, path, comment.span, message))
    });
    found.collect()
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    well_formed(snapshot, finding).into_iter().collect()
}

/// The comment as gantrycd reads it. `None` where nobody can tell what was meant, and where what
/// follows on the line would spoil it again.
fn well_formed(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let place = &finding.place;
    let file = snapshot.file(&place.path)?;
    let comment = file.comments.iter().find(|it| it.span == place.span)?;
    let Directive::NearMiss {
        meant: Some(meant), ..
    } = comment.directive
    else {
        return None;
    };
    let new_text = match meant {
        true => IGNORE,
        false => IGNORE_NOT,
    };
    let behind = file.source().text().get(place.span.end as usize..)?;
    let line = behind.lines().next().unwrap_or_default();
    let read = directives(&format!("{new_text}{line}")).into_iter().next();
    if !matches!(read, Some(Directive::Ignore { ignore, .. }) if ignore == meant) {
        return None;
    }
    Some(Fix {
        title: format!("Write `{new_text}`"),
        edits: vec![Edit {
            place: place.clone(),
            new_text: new_text.to_owned(),
        }],
        is_safe: true,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TWO_STACKS, check, check_action, check_no_action};

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

    #[test]
    fn the_fix_writes_what_was_meant() {
        let check = |comment: &str, title: &str, fixed: &str| {
            let file =
                |comment: &str| format!("# café\n{comment}\nresource \"aws_vpc\" \"v\" {{}}\n");
            let marked = format!("#- main.tf\n{}", file(comment));
            check_action(&marked, title, &file(fixed));
        };
        let ignore = "Write `gantrycd:resource-identity: ignore=true`";
        let not = "Write `gantrycd:resource-identity: ignore=false`";
        check(
            "# $0gantrycd.resource-identity: ignore=true",
            ignore,
            "# gantrycd:resource-identity: ignore=true",
        );
        check(
            "# tfsec:ignore:x gantrycd:resource-identity$0: ignore=yes # of team a",
            ignore,
            "# tfsec:ignore:x gantrycd:resource-identity: ignore=true # of team a",
        );
        check(
            "/*Gantrycd_Resource-Identity IGNORE=\"Off\"$0*/",
            not,
            "/*gantrycd:resource-identity: ignore=false*/",
        );
        check(
            "//gantrycd:resource-identity: ignore: no$0",
            not,
            "//gantrycd:resource-identity: ignore=false",
        );
        check(
            "# gantrycd:resource-identity $0ignore = true, and more",
            ignore,
            "# gantrycd:resource-identity: ignore=true, and more",
        );
    }

    #[test]
    fn the_fix_keeps_line_ends_and_byte_order_mark() {
        check_action(
            "#- main.tf\n\u{feff}# gantrycd:$0resource_identity: ignore=true\r\nlocals {}\r\n",
            "Write",
            "\u{feff}# gantrycd:resource-identity: ignore=true\r\nlocals {}\r\n",
        );
    }

    #[test]
    fn nothing_is_offered_where_nobody_can_tell_what_was_meant() {
        for comment in [
            "gantrycd:resource-identity: skip=true",
            "gantrycd.resource-identity: ignore=maybe",
            "gantrycd:resource-identity: ignore=",
            "gantrycd:resource-identity: ignore",
            "gantrycd.resource-identity: ignore no longer needed",
            "gantrycd:resource-identity: ignore: true/false",
        ] {
            check_no_action(&format!("#- main.tf\n# $0{comment}\nlocals {{}}\n"));
        }
    }

    #[test]
    fn nothing_is_offered_in_a_file_of_a_module_that_was_installed() {
        let manifest = r#"{"Modules":[{"Key":"m","Source":"x","Dir":".terraform/modules/m"}]}"#;
        check_no_action(&format!(
            "#- main.tf\nmodule \"m\" {{\n  source = \"x\"\n}}\n#- .terraform/modules/modules.json\n\
             {manifest}\n#- .terraform/modules/m/main.tf\n# $0gantrycd.resource-identity: ignore=true\n"
        ));
    }
}
