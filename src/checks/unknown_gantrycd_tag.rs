//! A tag's key looks like one of gantrycd's, and is none that gantrycd reads.
//!
//! gantrycd reads `gantrycd:resource-identity` and `gantrycd:resource-identity-realm`, letter by
//! letter. Any other key is a tag like all others: it declares nothing and opts nothing out.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity-relam" = "localstack-alice"
//!     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-gantrycd-tag
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
//!     "gantrycd:resource-identity-realm" = "localstack-alice"
//!   }
//! }
//! ```

use crate::identity::{IDENTITY_TAG, REALM_TAG, StrayKey};
use crate::syntax::{Entry, Key};
use crate::workspace::{Place, Snapshot, is_editable};

use super::entries::{Object, is_plain};
use super::{Check, Edit, Finding, Fix, Looks, Severity, Shares, Wrong, keys};

pub(super) const CHECK: Check = Check {
    code: "unknown-gantrycd-tag",
    page: include_str!("../../docs/checks/unknown-gantrycd-tag.md"),
    severity: Severity::Warning,
    looks: Looks::Stack(look, Wrong::told),
    fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    let resources = stack.configured.iter().map(|it| &it.own);
    let sections = resources.chain(stack.providers.iter().map(|it| &it.tags));
    for stray in sections.flat_map(|it| &it.strays) {
        if !is_editable(&stray.place.path) || is_broken(snapshot, &stray.place) {
            continue;
        }
        let instead = match stray.meant {
            Some(meant) => format!("It reads {meant}."),
            None => format!("It reads {IDENTITY_TAG} and {REALM_TAG}."),
        };
        let message = format!(
            "gantrycd does not read the tag {:?}, which declares nothing. {instead}",
            stray.key
        );
        let (path, span) = (&stray.place.path, stray.place.span);
        let mut finding = Finding::new(CHECK.severity, path, span, message);
        finding.stack = Some(stack.name.clone());
        shares.tell(finding);
    }
}

/// Whether the key is being typed: what an open quote takes in is no key yet.
fn is_broken(snapshot: &Snapshot, place: &Place) -> bool {
    let file = snapshot.file(&place.path);
    let mut faults = file.into_iter().flat_map(|it| it.faults());
    faults.any(|it| place.span.touches(it.span().start))
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    fix(snapshot, finding).into_iter().collect()
}

/// The key that was meant in its place, unless another entry has that already, or was meant to.
fn fix(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let file = snapshot.file(&finding.place.path)?;
    let found = file.entry_at(finding.place.span)?;
    let meant = StrayKey::of(written(found.entry())?)?.meant?;
    let means = |it: &&Entry| {
        let key = written(it).unwrap_or_default();
        key == meant || StrayKey::of(key).is_some_and(|it| it.meant == Some(meant))
    };
    if found.entries().iter().filter(means).count() > 1 {
        return None;
    }
    if !is_plain(file, finding.place.span) {
        return None;
    }
    // an id there would take the identity from everything that the provider serves
    let in_default_tags = keys::reach_default_tags(snapshot, &finding.place);
    let is_safe = meant != IDENTITY_TAG || !in_default_tags;
    let new_text = format!("\"{meant}\"");
    Some(Fix {
        title: format!("Write {meant}"),
        edits: match Object::new(file, &found.object) {
            Some(object) => object.replace_key(found.at, &new_text),
            None => vec![Edit {
                place: finding.place.clone(),
                new_text,
            }],
        },
        is_safe,
    })
}

/// The key of an entry when it is written as a text.
fn written(entry: &Entry) -> Option<&str> {
    match &entry.key {
        Key::Name(name) => Some(&name.text),
        Key::Expression(key) => key.literal().map(|(text, _)| text),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, TWO_STACKS, check, check_action, check_no_action};

    #[test]
    fn keys_that_nobody_reads() {
        check(
            r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = {
    "gantrycd:resource-identiy" = "net/a"
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-gantrycd-tag: gantrycd does not read the tag "gantrycd:resource-identiy", which declares nothing. It reads gantrycd:resource-identity.
    "Gantrycd:Owner"            = "team é"
    ^^^^^^^^^^^^^^^^ unknown-gantrycd-tag: It reads gantrycd:resource-identity and gantrycd:resource-identity-realm.
    gantrycd-team               = "x"
    ^^^^^^^^^^^^^ unknown-gantrycd-tag
    Name                        = "q"
  }
}
provider "aws" {
  default_tags {
    tags = { "gantrcyd:resource-identity-realm" = "x" }
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-gantrycd-tag: It reads gantrycd:resource-identity-realm.
  }
}
"#,
        );
    }

    #[test]
    fn once_in_a_module_of_two_stacks_and_where_it_was_written() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
locals {{
  tags = merge({{ "gantrycd:realm" = "x" }}, {{ a = 1 }})
                 ^^^^^^^^^^^^^^^^ unknown-gantrycd-tag
}}
resource "aws_sqs_queue" "q" {{
  for_each = toset(["a", "b"])
  tags     = local.tags
}}
"#
        ));
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"resource": {"aws_sqs_queue": {"q": {"tags": {"gantrycd:resource.identity": "x"}}}}}
                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-gantrycd-tag
"#,
        );
    }

    #[test]
    fn keys_of_others_and_keys_that_are_no_tags() {
        check(
            r#"
#- main.tf
locals {
  unused = { "gantrycd:nothing" = 1 }
}
resource "aws_sqs_queue" "q" {
  name = "gantrycd:resource-identiy"
  tags = {
    gantrycd                           = "x"
    "gantrycd:resource-identity"       = "x"
    "gantrycd:resource-identity-realm" = "x"
    "kubernetes.io/gantrycd:owner"     = "x"
    Name                               = "gantrycd:resource-identiy"
  }
}
resource "aws_ssm_parameter" "p" {
  insecure_value = jsonencode({ "gantrycd:other" = 1 })
}
"#,
        );
    }

    #[test]
    fn the_key_that_was_meant() {
        check_action(
            r#"
#- main.tf
resource "aws_sqs_queue" "q" {
  tags = {
    # é
    Name                        = "q"
    "gantrycd$0:resource-idntity" = "x"
  }
}
"#,
            "Write gantrycd:resource-identity",
            r#"resource "aws_sqs_queue" "q" {
  tags = {
    # é
    Name                         = "q"
    "gantrycd:resource-identity" = "x"
  }
}
"#,
        );
        // what is not aligned stays so
        check_action(
            "#- main.tf\r\nresource \"aws_sqs_queue\" \"q\" {\r\n  tags = {\r\n    Name = \"q\"\r\n    gantrycd-resource-identity-realm$0 = \"x\"\r\n  }\r\n}\r\n",
            "Write",
            "resource \"aws_sqs_queue\" \"q\" {\r\n  tags = {\r\n    Name = \"q\"\r\n    \"gantrycd:resource-identity-realm\" = \"x\"\r\n  }\r\n}\r\n",
        );
    }

    #[test]
    fn not_in_a_template_of_json_and_no_id_in_default_tags_unasked() {
        check_no_action(
            "#- main.tf.json\n{\"resource\": {\"aws_sqs_queue\": {\"q\": {\"tags\": \"${merge({}, { \\\"gantrycd:resource-$0identiy\\\" = \\\"x\\\" })}\"}}}}\n",
        );
        let safe = |key: &str| {
            let text = format!(
                "#- main.tf\nprovider \"aws\" {{\n  default_tags {{\n    tags = {{ \"{key}\" = \"x\" }}\n  }}\n}}\n"
            );
            let snapshot = Fixture::new(&text).snapshot();
            let findings = crate::checks::run(&snapshot, &Default::default());
            findings[0].fixes(&snapshot)[0].is_safe
        };
        assert!(safe("gantrycd:resource-identity-relam"));
        assert!(!safe("gantrycd:resource-identiy"));
    }

    #[test]
    fn no_key_is_guessed_or_written_twice() {
        for entry in [
            "\"gantrycd:owner$0\" = 1",
            "\"gantrycd:resource-identiy$0\" = 1, \"gantrycd:resource-identity\" = 2",
            "\"gantrycd:resource-identiy$0\" = 1, \"gantrycd.resource-identity\" = 2",
            "($0local.key) = 1",
        ] {
            check_no_action(&format!(
                "#- main.tf\nlocals {{\n  key = \"gantrycd:resource-identiy\"\n}}\nresource \"aws_sqs_queue\" \"q\" {{\n  tags = {{ {entry} }}\n}}\n"
            ));
        }
    }
}
