//! One stack alone uses a realm that is one edit away from a realm that others use.
//!
//! Realms only match letter by letter. What this stack manages stands apart from what the others
//! manage, which may be a slip of the pen: its duplicates are not found, and nothing of theirs
//! depends on it.
//!
//! # Example
//!
//! ```hcl
//! #- a/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = { "gantrycd:resource-identity-realm" = "localstack-bob" }
//!   }
//! }
//!
//! #- b/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = { "gantrycd:resource-identity-realm" = "localstack-bob" }
//!   }
//! }
//!
//! #- c/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = { "gantrycd:resource-identity-realm" = "localstck-bob" }
//!                                                    ^^^^^^^^^^^^^ lonely-realm
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- a/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = { "gantrycd:resource-identity-realm" = "localstack-bob" }
//!   }
//! }
//!
//! #- b/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = { "gantrycd:resource-identity-realm" = "localstack-bob" }
//!   }
//! }
//!
//! #- c/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = { "gantrycd:resource-identity-realm" = "localstack-bob" }
//!   }
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::identity::Realm;
use crate::workspace::{Place, RowRef, Snapshot, Stack, Tag, header, is_editable};

use super::{Check, Edit, Finding, Fix, Related, Severity, listed, ready};

pub(super) const CHECK: Check = Check {
    code: "lonely-realm",
    page: include_str!("../../docs/checks/lonely-realm.md"),
    severity: Severity::Hint,
    run,
    fixes: ready,
};

/// Who uses a realm, and where.
#[derive(Default)]
struct Used {
    /// Positions in [`Snapshot::stacks`].
    stacks: BTreeSet<usize>,
    /// Where it is written, or else the blocks of what has it.
    places: BTreeSet<Place>,
}

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    let used = used(snapshot);
    for (realm, lonely) in used.iter().filter(|(_, it)| it.stacks.len() == 1) {
        let Some((other, others)) = near(&used, realm) else {
            continue;
        };
        let name = |it: &usize| snapshot.stacks[*it].name.to_string();
        let stacks: Vec<_> = others.stacks.iter().map(name).collect();
        let stack = lonely.stacks.iter().next().map(|it| &snapshot.stacks[*it]);
        for place in lonely.places.iter().filter(|it| is_editable(&it.path)) {
            let message = format!(
                "The realm {realm:?} is this stack's alone, one edit away from {other:?} of {}: \
                 gantrycd takes them for two.",
                listed(&stacks)
            );
            let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
            finding.stack = stack.map(|it| it.name.clone());
            finding
                .related
                .extend(others.places.iter().take(1).map(|place| Related {
                    message: format!("{other:?} is used here"),
                    place: place.clone(),
                }));
            finding.ready = fix(snapshot, place, realm, other);
            findings.push(finding);
        }
    }
}

/// Of the realms that are one edit away the one that most stacks use, two at least.
fn near<'a>(used: &'a BTreeMap<String, Used>, realm: &str) -> Option<(&'a String, &'a Used)> {
    let others = used.iter().filter(|(other, it)| {
        it.stacks.len() > 1
            && without_digits(other) != without_digits(realm)
            && strsim::damerau_levenshtein(other, realm) == 1
    });
    others.max_by_key(|(_, it)| it.stacks.len())
}

/// `emulator-1` and `emulator-2` are told apart on purpose.
fn without_digits(realm: &str) -> String {
    realm.chars().filter(|it| !it.is_ascii_digit()).collect()
}

/// The realms in use: what the configuration on screen says, and what states have where it says
/// nothing of them.
fn used(snapshot: &Snapshot) -> BTreeMap<String, Used> {
    let mut used: BTreeMap<String, Used> = BTreeMap::new();
    let mut add = |at: usize, realm: &str, place: Option<Place>| {
        let of = used.entry(realm.to_owned()).or_default();
        of.stacks.insert(at);
        of.places.extend(place);
    };
    for (at, stack) in snapshot.stacks.iter().enumerate() {
        for provider in &stack.providers {
            if snapshot.supports(provider.source.as_deref())
                && let Some((realm, place)) = written(&provider.tags.realm)
            {
                add(at, realm, place.or_else(|| Some(header(&provider.block))));
            }
        }
        for (row, it) in stack.rows.iter().enumerate() {
            let Some(realm) = it.planned_claim().and_then(|it| it.realm.as_ref()) else {
                continue;
            };
            let place = written_of(stack, row, realm);
            let place = place.or_else(|| snapshot.place(RowRef { stack: at, row }));
            add(at, realm.as_str(), place);
        }
        for configured in stack.configured.iter().filter(|it| it.row.is_none()) {
            let block = stack.resource(configured.site).base();
            let is_read = snapshot.supports(configured.source.as_deref());
            if let Some((realm, place)) = written(&configured.own.realm)
                && is_read
                && !block.block().ignored
            {
                add(at, realm, place.or_else(|| Some(header(block))));
            }
        }
    }
    used
}

/// The realm that a tag certainly has, and where it is written as it is.
fn written(tag: &Tag) -> Option<(&str, Option<Place>)> {
    let realm = tag.text().filter(|it| Realm::parse(it).is_ok())?;
    Some((realm, tag.place().cloned()))
}

/// Where the configuration has the realm of a row.
fn written_of(stack: &Stack, row: usize, realm: &Realm) -> Option<Place> {
    let configured = &stack.configured[stack.rows[row].configured?];
    let tag = configured.realm();
    tag.place()
        .filter(|_| tag.text() == Some(realm.as_str()))
        .cloned()
}

/// The other realm in the place of this one, where this one is written as it is.
fn fix(snapshot: &Snapshot, place: &Place, realm: &str, other: &str) -> Option<Fix> {
    let written = snapshot.source(&place.path)?.slice(place.span);
    (written == realm).then(|| Fix {
        title: format!("Write {other:?}"),
        edits: vec![Edit {
            place: place.clone(),
            new_text: other.to_owned(),
        }],
        is_safe: false,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{check, check_action};

    /// Stacks that each have a realm in their default tags.
    fn stacks(realms: &[(&str, &str)]) -> String {
        let stack = |(name, realm): &(&str, &str)| {
            format!(
                "#- {name}/main.tf\nprovider \"aws\" {{\n  default_tags {{\n    tags = {{ \"gantrycd:resource-identity-realm\" = \"{realm}\" }}\n  }}\n}}\n"
            )
        };
        realms.iter().map(stack).collect()
    }

    const TWO: &[(&str, &str)] = &[("a", "live-eu"), ("b", "live-eu")];

    #[test]
    fn one_edit_away_from_what_others_use() {
        let two = stacks(TWO);
        for slip in [
            "live-ue", "live-eu.", "live_eu", "liv-eu", "Live-eu", "live-eux",
        ] {
            let mark = "^".repeat(slip.len());
            check(&format!(
                r#"{two}#- c/main.tf
provider "aws" {{
  default_tags {{
    tags = {{ "gantrycd:resource-identity-realm" = "{slip}" }}
                                                   {mark} lonely-realm: The realm "{slip}" is this stack's alone, one edit away from "live-eu" of a and b: gantrycd takes them for two.
  }}
}}
"#
            ));
        }
    }

    #[test]
    fn through_evaluation_in_own_tags_and_in_states() {
        check(&format!(
            r#"{}#- c/main.tf
module "m" {{
  source = "../m"
  realm  = "live-eü"
            ^^^^^^^ malformed-realm
}}
module "n" {{
  source = "../m"
  realm  = "live-e"
            ^^^^^^ lonely-realm
}}
#- m/main.tf
variable "realm" {{}}
resource "aws_sqs_queue" "q" {{
  tags = {{ "gantrycd:resource-identity-realm" = var.realm }}
}}
#- d/main.tf
variable "outside" {{}}
resource "aws_sqs_queue" "q" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ lonely-realm
  tags = {{ "gantrycd:resource-identity-realm" = var.outside }}
}}
#- d/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:111122223333:q realm=live-u
"#,
            stacks(TWO)
        ));
    }

    #[test]
    fn in_json() {
        check(&format!(
            r#"{}#- c/main.tf.json
{{"provider": {{"aws": {{"default_tags": {{"tags": {{"gantrycd:resource-identity-realm": "live-eU"}}}}}}}}}}
                                                                                     ^^^^^^^ lonely-realm
"#,
            stacks(TWO)
        ));
    }

    #[test]
    fn silent_for_what_is_told_apart_on_purpose() {
        for others in [
            // only one other stack uses it
            &[("a", "live-eu"), ("c", "live-ue")][..],
            // used by two stacks itself
            &[("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")],
            // only digits differ
            &[
                ("a", "emulator-1"),
                ("b", "emulator-1"),
                ("c", "emulator-2"),
            ],
            &[("a", "emulator"), ("b", "emulator"), ("c", "emulator2")],
            // two edits
            &[("a", "live-eu"), ("b", "live-eu"), ("c", "live-us1")],
            &[("a", "live-eu"), ("b", "live-eu"), ("c", "dive-ue")],
        ] {
            check(&stacks(others));
        }
    }

    #[test]
    fn silent_once_the_slip_is_mended_on_screen() {
        check(&format!(
            r#"{}#- c/main.tf
resource "aws_sqs_queue" "q" {{
  tags = {{ "gantrycd:resource-identity-realm" = "live-eu" }}
}}
#- c/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:111122223333:q realm=live-e
"#,
            stacks(TWO)
        ));
    }

    #[test]
    fn the_realm_of_the_others() {
        let two = stacks(TWO);
        let own = |realm: &str| {
            format!(
                "resource \"aws_sqs_queue\" \"q\" {{\r\n  tags = {{\r\n    \"gantrycd:resource-identity-realm\" = \"{realm}\" # é\r\n  }}\r\n}}\r\n"
            )
        };
        check_action(
            &format!("{two}#- c/main.tf\n\u{feff}{}", own("live-$0e")),
            "Write",
            &format!("\u{feff}{}", own("live-eu")),
        );
    }
}
