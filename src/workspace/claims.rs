//! Who claims the same object, and who reads what another owns.
//!
//! One index over the rows of all stacks. A stack that is decided anew replaces its own entries, and
//! only the objects that they are about are looked at again: the cost follows the edit, not the
//! workspace. A clone is as cheap as a pointer, so that every snapshot has its own.

mod edges;
mod entries;
mod groups;
mod shards;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::Arc;

use arcstr::ArcStr;
use imbl::OrdMap;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::identity::Identity;

use super::change::GroupKey;
use super::snapshot::RowRef;
use super::stack::Stack;
use entries::{
    NOT_OF_THE_ID, claims, entries, entries_of, hash, hash_of_id, key, key_of, others, owned,
    readers_of,
};
use groups::{Claims, groups_of};
use shards::{Role, Shards};

pub use edges::Edge;
pub use groups::{Claimants, Group};

/// When a group or an edge stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Now, and after the next apply.
    Always,
    /// Now only: the configuration on screen ends it.
    UntilApplied,
    /// Not yet: the configuration on screen makes it.
    AfterApply,
}

impl When {
    /// Of what stands `now`, and after the next apply, or at one of the two.
    fn of(now: bool, after: bool) -> Self {
        match (now, after) {
            (true, false) => When::UntilApplied,
            (false, _) => When::AfterApply,
            (true, true) => When::Always,
        }
    }

    /// Whether it stands now.
    pub fn is_now(self) -> bool {
        self != When::AfterApply
    }

    /// Whether it stands after the next apply.
    pub fn is_after(self) -> bool {
        self != When::UntilApplied
    }
}

/// Who has to do with an id, whatever its realm and type. Sorted by stack and row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OfId {
    /// Who claims it now.
    pub now: Vec<RowRef>,
    /// Who claims it after the next apply, and does not now.
    pub planned: Vec<RowRef>,
    /// The data sources that look its owner up.
    pub readers: Vec<RowRef>,
}

/// The rows of all stacks by what they claim and look up, the objects that several claim, and who
/// reads whose.
#[derive(Clone, Default, Debug)]
pub(super) struct Index {
    entries: Shards,
    /// Objects that are claimed at more than one address.
    pub(super) groups: OrdMap<GroupKey, Arc<Group>>,
    /// By the reader's stack, sorted by addresses.
    edges: OrdMap<usize, Arc<[Edge]>>,
}

/// What an update of the index has changed.
#[derive(Default)]
pub(super) struct Changed {
    pub(super) groups: BTreeSet<GroupKey>,
    pub(super) edges: bool,
}

impl Index {
    /// The index of all these stacks.
    pub(super) fn new(stacks: &[Arc<Stack>]) -> Self {
        let all = stacks.par_iter().enumerate();
        let all = all.flat_map_iter(|(at, stack)| entries(at, stack));
        let mut index = Self {
            entries: Shards::new(all.collect()),
            ..Self::default()
        };
        let mut readers = BTreeSet::new();
        let mut groups = Vec::new();
        for same in index.entries.by_hash().filter(|it| it.len() > 1) {
            groups.extend(groups_of(stacks, same));
            readers.extend(readers_of(same));
        }
        index.groups = groups.into_iter().collect();
        for reader in readers {
            index.look_up(stacks, reader);
        }
        index
    }

    /// Follows a change of some stacks, which keep their positions.
    pub(super) fn replace(
        &mut self,
        before: &[Arc<Stack>],
        stacks: &[Arc<Stack>],
        changed: &BTreeSet<usize>,
    ) -> Changed {
        let mut told = Changed::default();
        // of those that end, and of those whose claimants stand elsewhere in a text now
        let known = changed.iter().flat_map(|at| entries(*at, &before[*at]));
        for entry in known.filter(|it| self.entries.of(it.hash).len() > 1) {
            let group = key_of(before, &entry).map(owned);
            told.groups
                .extend(group.filter(|it| self.groups.contains_key(it)));
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for at in changed {
            let rows = others(&before[*at], &stacks[*at]);
            old.extend(entries_of(*at, &before[*at], rows.iter().copied()));
            new.extend(entries_of(*at, &stacks[*at], rows.iter().copied()));
        }
        for entry in old.iter().filter(|it| self.entries.of(it.hash).len() > 1) {
            let group = key_of(before, entry).map(owned);
            group.map(|it| self.groups.remove(&it));
        }
        self.entries.replace(&old, &new);
        let hashes: FxHashSet<u64> = old.iter().chain(&new).map(|it| it.hash).collect();
        let mut readers: BTreeSet<usize> = readers_of(&old).chain(readers_of(&new)).collect();
        for hash in hashes {
            let same = self.entries.of(hash);
            // what they read may be another's now
            readers.extend(readers_of(same));
            for (key, group) in groups_of(stacks, same) {
                told.groups.insert(key.clone());
                self.groups.insert(key, group);
            }
        }
        for reader in readers {
            let before = self.edges.get(&reader).cloned();
            self.look_up(stacks, reader);
            told.edges |= before.as_ref() != self.edges.get(&reader);
        }
        told
    }

    /// Who claims an object now, and who after the next apply.
    pub(super) fn claimants(
        &self,
        stacks: &[Arc<Stack>],
        identity: &Identity,
        resource_type: &ArcStr,
    ) -> [Claimants; 2] {
        let wanted = key(identity, resource_type);
        let same = self.entries.of(hash(wanted)).iter();
        let same = same.filter(|it| key_of(stacks, it) == Some(wanted));
        Claims::of(same).told(stacks)
    }

    /// Who has to do with an id. Its cost is theirs, not the index's.
    pub(super) fn of_id(&self, stacks: &[Arc<Stack>], id: &str) -> OfId {
        let mut of_id = OfId::default();
        let first = hash_of_id(id);
        for entry in self.entries.between(first, first | NOT_OF_THE_ID) {
            if key_of(stacks, entry).is_none_or(|(it, ..)| *it != *id) {
                continue;
            }
            let rows = match entry.role() {
                Role::Ends | Role::Changes | Role::Stays => &mut of_id.now,
                Role::Will => &mut of_id.planned,
                Role::LooksUp | Role::WillLookUp => &mut of_id.readers,
            };
            rows.push(entry.at());
        }
        let OfId {
            now,
            planned,
            readers,
        } = &mut of_id;
        // one that stays what it is in a realm of another name is there twice
        planned.retain(|it| !now.contains(it));
        let all = [now, planned, readers];
        all.into_iter().for_each(|it| {
            it.sort();
            it.dedup();
        });
        of_id
    }

    /// The objects that a row is to be found under: now, and after the next apply.
    pub(super) fn keys_of(stacks: &[Arc<Stack>], at: RowRef) -> impl Iterator<Item = GroupKey> {
        let row = &stacks[at.stack].rows[at.row];
        let resource_type = &stacks[at.stack].address(at.row).resource_type;
        claims(row).map(move |it| owned(key(it, resource_type)))
    }
}

/// What tells states apart.
#[derive(PartialEq, Eq, Hash)]
enum Which<'a> {
    /// It is what this file holds. Two stacks may share it, as two `local` backends may name it.
    File(&'a OsStr),
    /// It is kept elsewhere, and each stack has a copy of its own, as two checkouts of one directory
    /// have: the lineage is that of one state, and nothing says that one of them was copied.
    Elsewhere {
        lineage: &'a str,
        backend: (&'a str, &'a str),
        workspace: &'a str,
    },
    /// There is none of this stack.
    None(usize),
}

fn state(stacks: &[Arc<Stack>], at: usize) -> Which<'_> {
    let stack = &stacks[at];
    let Some(state) = &stack.state else {
        return Which::None(at);
    };
    let backend = stack.module().and_then(|it| it.backend());
    match (&state.file.lineage, backend) {
        // where it is kept has to be said: what only the command line says may be another place
        (Some(lineage), Some(backend)) if backend.names_a_place() => Which::Elsewhere {
            lineage,
            backend: (&backend.kind, &backend.says),
            workspace: &stack.workspace,
        },
        _ => Which::File(state.path.as_os_str()),
    }
}

pub(super) fn same_state(stacks: &[Arc<Stack>], a: usize, b: usize) -> bool {
    a == b || state(stacks, a) == state(stacks, b)
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;

    #[test]
    fn a_row_of_a_state_that_two_stacks_share_is_one_claim() {
        let stack = |name: &str| {
            format!(
                r#"
#- {name}/main.tf
terraform {{
  backend "local" {{
    path = "../shared.tfstate"
  }}
}}
resource "aws_s3_bucket" "b" {{}}
data "aws_s3_bucket" "b" {{}}
"#
            )
        };
        let shared = "#- shared.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b\ndata.aws_s3_bucket.b arn=arn:aws:s3:::b\n";
        let text = [&*stack("x"), &*stack("y"), shared].concat();
        let snapshot = Fixture::new(&text).snapshot();
        assert_eq!(snapshot.stacks.len(), 2);
        assert_eq!(snapshot.duplicates().count(), 0);
        assert_eq!(snapshot.edges().count(), 0);

        // another stack's claim stands against it once, and an address of the same state in it
        let other = "#- z/terraform.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b\n";
        let snapshot = Fixture::new(&[&*text, other].concat()).snapshot();
        let group = snapshot.duplicates().next().unwrap();
        assert_eq!((group.now.rows.len(), group.now.across_stacks), (2, true));
        let twice = text.replace("\ndata.", "\naws_s3_bucket.c arn=arn:aws:s3:::b\ndata.");
        let snapshot = Fixture::new(&twice).snapshot();
        let group = snapshot.duplicates().next().unwrap();
        assert_eq!((group.now.rows.len(), group.now.across_stacks), (2, false));
    }

    #[test]
    fn two_copies_of_a_state_that_is_kept_elsewhere_are_one_claim() {
        let stack = |name: &str, backend: &str| {
            format!(
                "#- {name}/main.tf\nterraform {{\n  {backend}\n}}\nresource \"aws_s3_bucket\" \"b\" {{}}\n"
            )
        };
        let state = |name: &str, lineage: &str, serial: u64| {
            let bucket = r#"{"address": "aws_s3_bucket.b", "provider": "registry.terraform.io/hashicorp/aws", "attributes": {"arn": "arn:aws:s3:::b"}}"#;
            format!(
                r#"
#- .gantrycd/state/{name}.json
{{"version": 1, "name": "{name}", "state": {{"path": "", "format": "state-v4", "serial": {serial}, "lineage": "{lineage}"}}, "resources": [{bucket}]}}
"#
            )
        };
        let s3 = |key: &str| {
            format!("backend \"s3\" {{\n    bucket = \"states\"\n    key = \"{key}\"\n  }}")
        };
        let duplicates = |a: &str, b: &str, lineages: [&str; 2]| {
            let parts = [
                stack("a", a),
                stack("b", b),
                state("a", lineages[0], 1),
                state("b", lineages[1], 2),
            ];
            Fixture::new(&parts.concat())
                .snapshot()
                .duplicates()
                .count()
        };
        let same = ["l", "l"];
        let otherwise = "backend \"s3\" {\n    key = \"k\" # of both\n    bucket = \"states\"\n  }";
        assert_eq!(duplicates(&s3("k"), &s3("k"), same), 0);
        assert_eq!(duplicates(&s3("k"), otherwise, same), 0);
        // a state that was copied is another
        assert_eq!(duplicates(&s3("k"), &s3("other"), same), 1);
        assert_eq!(duplicates(&s3("k"), &s3("k"), ["l", "m"]), 1);
        assert_eq!(
            duplicates("backend \"local\" {}", "backend \"local\" {}", same),
            1
        );
        let s3 = "backend \"s3\" {}";
        assert_eq!(duplicates(s3, s3, same), 1);
        assert_eq!(duplicates("", "", same), 1);
    }

    #[test]
    fn an_id_has_all_who_have_to_do_with_it_whatever_its_realm_and_type() {
        let text = r#"
#- a/main.tf
resource "aws_sns_topic" "moves" {
  tags = { "gantrycd:resource-identity" = "x", "gantrycd:resource-identity-realm" = "two" }
}
resource "aws_s3_bucket" "new" {
  tags = { "gantrycd:resource-identity" = "x" }
}
#- a/terraform.tfstate
aws_sqs_queue.q id=x
aws_sns_topic.moves id=x realm=one
aws_sqs_queue.other id=y
aws_s3_bucket.new arn=arn:aws:s3:::new
#- b/terraform.tfstate
aws_iam_role.r id=x realm=two
data.aws_iam_role.d id=x
data.aws_iam_role.e id=xy
"#;
        let snapshot = Fixture::new(text).snapshot();
        let of_id = snapshot.of_id("x");
        let names = |rows: &[super::RowRef]| {
            let one = |it: &super::RowRef| snapshot.address(*it).to_string();
            rows.iter().map(one).collect::<Vec<_>>()
        };
        // the topic is one, in whatever realm
        assert_eq!(
            names(&of_id.now),
            ["aws_sqs_queue.q", "aws_sns_topic.moves", "aws_iam_role.r"]
        );
        assert_eq!(names(&of_id.planned), ["aws_s3_bucket.new"]);
        assert_eq!(names(&of_id.readers), ["data.aws_iam_role.d"]);
        assert_eq!(snapshot.of_id("X"), super::OfId::default());
        assert_eq!(snapshot.of_id(""), super::OfId::default());
    }
}
