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

use rayon::prelude::*;

use crate::identity::Realm;
use crate::workspace::{Change, Place, RowRef, Snapshot, Stack, Tag, header, is_editable};

use super::{Across, Check, Edit, Finding, Fix, Looks, Related, Severity, listed, ready};

pub(super) const CHECK: Check = Check {
    code: "lonely-realm",
    page: include_str!("../../docs/checks/lonely-realm.md"),
    severity: Severity::Hint,
    looks: Looks::All(|| Box::new(Realms::default())),
    fixes: ready,
};

/// The realms of all stacks.
#[derive(Default)]
struct Realms {
    /// By stack, each realm that it uses and the first place of it.
    of_stacks: Vec<First>,
    /// By realm, the stacks that use it, with the same.
    used: BTreeMap<String, Users>,
    /// Each realm that one stack alone uses, with the one that it is near to.
    lonely: Vec<(String, String)>,
}

/// The first place of each realm: where it is written, or else the block of what has it.
type First = BTreeMap<String, Option<Place>>;

type Users = BTreeMap<usize, Option<Place>>;

impl Across for Realms {
    fn follow(&mut self, snapshot: &Snapshot, change: &Change) -> bool {
        let all = 0..snapshot.stacks.len();
        let stacks: Vec<usize> = match change.renumbered {
            true => all.clone().collect(),
            false => change.stacks.iter().copied().collect(),
        };
        if change.renumbered {
            *self = Self::default();
            self.of_stacks = all.map(|_| First::new()).collect();
        }
        let now: Vec<_> = stacks
            .into_par_iter()
            .map(|it| (it, first(snapshot, it)))
            .collect();
        let mut is_other = change.renumbered;
        for (stack, now) in now {
            is_other |= !now.keys().eq(self.of_stacks[stack].keys());
            self.put(stack, now);
        }
        if is_other {
            self.pair();
        }
        // places may be others
        is_other || !self.lonely.is_empty() && !change.stacks.is_empty()
    }

    fn findings(&self, snapshot: &Snapshot) -> Vec<Finding> {
        let pairs = self.lonely.iter();
        pairs.flat_map(|it| self.told(snapshot, it)).collect()
    }
}

impl Realms {
    fn put(&mut self, stack: usize, now: First) {
        for realm in self.of_stacks[stack]
            .keys()
            .filter(|it| !now.contains_key(*it))
        {
            if let Some(users) = self.used.get_mut(realm) {
                users.remove(&stack);
                if users.is_empty() {
                    self.used.remove(realm);
                }
            }
        }
        for (realm, place) in &now {
            let users = self.used.entry(realm.clone()).or_default();
            users.insert(stack, place.clone());
        }
        self.of_stacks[stack] = now;
    }

    fn pair(&mut self) {
        let shared: Vec<_> = self.used.iter().filter(|(_, it)| it.len() > 1).collect();
        let lonely = self.used.iter().filter(|(_, it)| it.len() == 1);
        let pairs = lonely.filter_map(|(realm, _)| {
            let other = near(&shared, realm)?;
            Some((realm.clone(), other.clone()))
        });
        self.lonely = pairs.collect();
    }

    fn told(&self, snapshot: &Snapshot, (realm, other): &(String, String)) -> Vec<Finding> {
        let (Some(users), Some(others)) = (self.used.get(realm), self.used.get(other)) else {
            return Vec::new();
        };
        let Some(stack) = users.keys().next() else {
            return Vec::new();
        };
        let names = others
            .keys()
            .map(|it| snapshot.stacks[*it].name.to_string());
        let others_named = listed(others.len(), names);
        let first = others.values().flatten().min();
        let mut places = BTreeSet::new();
        uses(snapshot, *stack, |it, place| {
            places.extend(place.filter(|_| it == realm));
        });
        let editable = places.into_iter().filter(|it| is_editable(&it.path));
        let told = editable.map(|place| {
            let message = format!(
                "The realm {realm:?} is this stack's alone, one edit away from {other:?} of \
                 {others_named}: gantrycd takes them for two."
            );
            let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
            finding.stack = Some(snapshot.stacks[*stack].name.clone());
            finding.related.extend(first.map(|place| Related {
                message: format!("{other:?} is used here"),
                place: place.clone(),
            }));
            finding.ready = fix(snapshot, &place, realm, other);
            finding
        });
        told.collect()
    }
}

/// Of the realms that are one edit away the one that most stacks use. `shared` are those that two
/// stacks use at least.
fn near<'a>(shared: &[(&'a String, &Users)], realm: &str) -> Option<&'a String> {
    let others = shared.iter().filter(|(other, _)| {
        other.len().abs_diff(realm.len()) <= 1
            && strsim::damerau_levenshtein(other, realm) == 1
            && without_digits(other) != without_digits(realm)
    });
    others.max_by_key(|(_, it)| it.len()).map(|(it, _)| *it)
}

/// `emulator-1` and `emulator-2` are told apart on purpose.
fn without_digits(realm: &str) -> String {
    realm.chars().filter(|it| !it.is_ascii_digit()).collect()
}

fn first(snapshot: &Snapshot, stack: usize) -> First {
    let mut first = First::new();
    uses(snapshot, stack, |realm, place| match first.get_mut(realm) {
        Some(known) => {
            let both = known.take().into_iter().chain(place);
            *known = both.min();
        }
        None => _ = first.insert(realm.to_owned(), place),
    });
    first
}

/// The realms that a stack uses, each as often as it does: what the configuration on screen says,
/// and what its state has where that says nothing of it.
fn uses(snapshot: &Snapshot, at: usize, mut add: impl FnMut(&str, Option<Place>)) {
    let stack = &snapshot.stacks[at];
    for provider in &stack.providers {
        if snapshot.supports(provider.source.as_deref())
            && let Some((realm, place)) = written(&provider.tags.realm)
        {
            add(realm, place.or_else(|| Some(header(&provider.block))));
        }
    }
    for (row, it) in stack.rows.iter().enumerate() {
        let Some(realm) = it.planned_claim().and_then(|it| it.realm.as_ref()) else {
            continue;
        };
        let place = written_of(stack, row, realm);
        let place = place.or_else(|| snapshot.place(RowRef { stack: at, row }));
        add(realm.as_str(), place);
    }
    for configured in stack.configured.iter().filter(|it| it.row.is_none()) {
        let block = stack.resource(configured.site).base();
        let is_read = snapshot.supports(configured.source.as_deref());
        if let Some((realm, place)) = written(&configured.own.realm)
            && is_read
            && !block.block().ignored
        {
            add(realm, place.or_else(|| Some(header(block))));
        }
    }
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
