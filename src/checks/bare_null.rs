//! One of gantrycd's two tags is `null`.
//!
//! HCL drops an entry whose value is null: the tag is not declared at all. `"null"` in quotes is
//! what opts a resource out; on the realm it would be a realm that is called null.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity" = null
//!                                    ^^^^ bare-null
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity" = "null"
//!   }
//! }
//! ```

use crate::identity::{IDENTITY_TAG, REALM_TAG};
use crate::syntax::ExpressionKind;
use crate::text::Span;
use crate::workspace::{IgnoredTags, Place, Snapshot, Stack, Tags, is_editable};

use super::entries::{Object, is_plain};
use super::{Check, Edit, Finding, Fix, Looks, Severity, Shares, Wrong, keys};

pub(super) const CHECK: Check = Check {
    code: "bare-null",
    page: include_str!("../../docs/checks/bare-null.md"),
    severity: Severity::Warning,
    looks: Looks::Stack(look, Wrong::told),
    fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    let mut look = |tags: &Tags, ignored: &IgnoredTags| {
        for (key, tag) in tags.both() {
            let is_read = tag.is_absent() && !ignored.may_hide(key);
            let written = tag.key.as_ref().filter(|_| is_read);
            if let Some(finding) = written.and_then(|it| finding(snapshot, stack, key, it)) {
                shares.tell(finding);
            }
        }
    };
    for configured in &stack.configured {
        if keys::are_read(snapshot, stack, configured) {
            look(&configured.own, &configured.ignored);
        }
    }
    for provider in &stack.providers {
        if snapshot.supports(provider.source.as_deref()) {
            look(&provider.tags, &provider.ignored);
        }
    }
}

fn finding(snapshot: &Snapshot, stack: &Stack, key: &str, written: &Place) -> Option<Finding> {
    let null = null_at(snapshot, written)?;
    if !is_editable(&written.path) {
        return None;
    }
    let consequence = match key {
        IDENTITY_TAG => "It neither declares an id nor opts out: `\"null\"` in quotes opts out.",
        _ => "It declares no realm.",
    };
    let message = format!("{key} is null, and HCL drops such an entry. {consequence}");
    let mut finding = Finding::new(CHECK.severity, &written.path, null, message);
    finding.stack = Some(stack.name.clone());
    Some(finding)
}

/// The `null` of the entry whose key is written at a place; `None` where another expression comes
/// to null.
fn null_at(snapshot: &Snapshot, key: &Place) -> Option<Span> {
    let found = snapshot.file(&key.path)?.entry_at(key.span)?;
    let value = &found.entry().value;
    matches!(value.kind, ExpressionKind::Null).then_some(value.span)
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    fix(snapshot, finding).into_iter().collect()
}

fn fix(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let file = snapshot.file(&finding.place.path)?;
    let found = file.entry_at(finding.place.span)?;
    if finding.message.starts_with(REALM_TAG) {
        return Some(Fix {
            title: format!("Remove {REALM_TAG} = null"),
            edits: Object::new(file, &found.object)?.remove(found.at)?,
            is_safe: true,
        });
    }
    let key = found.entry().key.span();
    if !is_plain(file, key) {
        return None;
    }
    let written = Place {
        path: finding.place.path.clone(),
        span: key,
    };
    Some(Fix {
        title: "Put null in quotes: it opts out then".to_owned(),
        edits: vec![Edit {
            place: finding.place.clone(),
            new_text: "\"null\"".to_owned(),
        }],
        // it would opt out a whole stack
        is_safe: !keys::reach_default_tags(snapshot, &written),
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, actions, check, check_action};

    #[test]
    fn where_it_is_written() {
        check(
            r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = {
    Name                               = null
    "gantrycd:resource-identity"       = null
                                         ^^^^ bare-null: gantrycd:resource-identity is null, and HCL drops such an entry. It neither declares an id nor opts out: `"null"` in quotes opts out.
    "gantrycd:resource-identity-realm" = null
                                         ^^^^ bare-null: gantrycd:resource-identity-realm is null, and HCL drops such an entry. It declares no realm.
  }
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity" = null }
                                            ^^^^ bare-null
  }
}
"#,
        );
    }

    #[test]
    fn through_locals_and_functions_and_once_for_two_stacks() {
        check(
            r#"
#- a/main.tf
module "m" {
  source = "../m"
  tags   = { "gantrycd:resource-identity" : null }
                                            ^^^^ bare-null
}
#- b/main.tf
module "m" {
  source = "../m"
  tags   = {}
}
#- m/main.tf
variable "tags" {
  type = map(string)
}
locals {
  common = merge(var.tags, { Name = "ü", "gantrycd:resource-identity-realm" = null })
                                                                              ^^^^ bare-null
}
resource "aws_sqs_queue" "q" {
  count = 2
  tags  = local.common
}
"#,
        );
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"resource": {"aws_sqs_queue": {"q": {"tags": {"gantrycd:resource-identity": null}}}}}
                                                                             ^^^^ bare-null
"#,
        );
    }

    #[test]
    fn silent_where_it_is_not_written_so_or_is_not_read() {
        check(
            r#"
#- main.tf
variable "optional" {
  default = null
}
locals {
  unused  = { "gantrycd:resource-identity" = null }
  nothing = null
}
resource "aws_sqs_queue" "variable" {
  tags = { "gantrycd:resource-identity" = var.optional }
}
resource "aws_sqs_queue" "local" {
  tags = { "gantrycd:resource-identity" = local.nothing }
}
resource "aws_sqs_queue" "conditional" {
  tags = { "gantrycd:resource-identity" = true ? null : "x" }
}
resource "aws_sqs_queue" "no_map" {
  tags = null
}
resource "aws_sqs_queue" "quoted" {
  tags = { "gantrycd:resource-identity" = "null" }
}
resource "aws_sqs_queue" "overlaid" {
  tags = merge({ "gantrycd:resource-identity" = null }, { "gantrycd:resource-identity" = "x" })
}
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "ignored" {
  tags = { "gantrycd:resource-identity" = null }
}
resource "azurerm_thing" "other" {
  tags = { Name = "gantrycd:resource-identity = null" }
}
data "aws_vpc" "filter" {
  tags = { "gantrycd:resource-identity" = null }
}
"#,
        );
    }

    #[test]
    fn the_null_of_the_id_is_quoted() {
        for (open, close) in [("", ""), ("\u{feff}", "# é\r\n")] {
            let text = |null: &str| {
                format!(
                    "{open}resource \"aws_sqs_queue\" \"q\" {{\r\n  tags = {{\r\n    Name                         = \"ü\"\r\n    \"gantrycd:resource-identity\" = {null}\r\n  }}\r\n}}\r\n{close}"
                )
            };
            check_action(
                &format!("#- main.tf\n{}", text("nu$0ll")),
                "in quotes",
                &text("\"null\""),
            );
        }
    }

    #[test]
    fn the_null_of_the_realm_goes_with_its_entry() {
        check_action(
            r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = {
    Name                               = "q"
    "gantrycd:resource-identity-realm" = null$0
    Team                               = "x"

    Other = 1
  }
}
"#,
            "Remove",
            r#"resource "aws_sqs_queue" "q" {
  tags = {
    Name = "q"
    Team = "x"

    Other = 1
  }
}
"#,
        );
        for (before, after) in [
            ("{ KEY = null$0 }", "{}"),
            ("{ KEY = null$0, a = 1 }", "{ a = 1 }"),
            ("{ a = 1, KEY = null$0 }", "{ a = 1 }"),
            ("{ a = 1, KEY = null$0, b = 2 }", "{ a = 1, b = 2 }"),
            ("merge({ KEY = $0null }, { a = 1 })", "merge({}, { a = 1 })"),
        ] {
            let text = |tags: &str| {
                format!("resource \"aws_sqs_queue\" \"q\" {{\n  tags = {tags}\n}}\n")
                    .replace("KEY", "\"gantrycd:resource-identity-realm\"")
            };
            check_action(
                &format!("#- main.tf\n{}", text(before)),
                "Remove",
                &text(after),
            );
        }
    }

    #[test]
    fn a_whole_stack_is_not_opted_out_unasked() {
        let text = |of: &str| {
            format!(
                "#- main.tf\n{of}\nlocals {{\n  tags = {{ \"gantrycd:resource-identity\" = null }}\n}}\n"
            )
        };
        let safe = |text: &str| {
            let snapshot = Fixture::new(text).snapshot();
            let findings = crate::checks::run(&snapshot, &Default::default());
            findings[0].fixes(&snapshot)[0].is_safe
        };
        let resource = "resource \"aws_sqs_queue\" \"q\" {\n  tags = local.tags\n}";
        let provider = "provider \"aws\" {\n  default_tags {\n    tags = local.tags\n  }\n}";
        assert!(safe(&text(resource)));
        assert!(!safe(&text(provider)));
        assert!(!safe(&text(&format!("{resource}\n{provider}"))));
    }

    #[test]
    fn in_json_no_entry_is_taken_out() {
        let json = |key: &str| {
            format!(
                "#- main.tf.json\n{{\"resource\": {{\"aws_sqs_queue\": {{\"q\": {{\"tags\": {{\"{key}\": nu$0ll}}}}}}}}}}\n"
            )
        };
        assert_eq!(actions(&json("gantrycd:resource-identity-realm")), [""; 0]);
        assert_eq!(actions(&json("gantrycd:resource-identity")).len(), 1);
        // in a template the quotes would have to be escaped
        let template = "#- main.tf.json\n{\"resource\": {\"aws_sqs_queue\": {\"q\": {\"tags\": \"${merge({}, { \\\"gantrycd:resource-identity\\\" = nu$0ll })}\"}}}}\n";
        assert_eq!(actions(template), [""; 0]);
    }
}
