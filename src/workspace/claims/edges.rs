//! Which data source reads what a resource of another stack manages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::identity::Identity;

use super::super::rows::Planned;
use super::super::snapshot::RowRef;
use super::super::stack::Stack;
use super::entries::{claims, hash, key, key_of, readers_of};
use super::shards::Role;
use super::{Index, When, same_state};

/// A data source that reads what a resource of another stack manages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The data source.
    pub reader: RowRef,
    /// The resource.
    pub owner: RowRef,
    /// Whether it is recorded, and whether it stands after the next apply of both stacks.
    pub when: When,
}

impl Index {
    /// The edges of all stacks, sorted by reader.
    pub(in super::super) fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.values().flat_map(|it| &**it)
    }

    /// The edges of the readers of one stack, sorted by reader.
    pub(in super::super) fn edges_from(&self, stack: usize) -> &[Edge] {
        self.edges.get(&stack).map_or(&[], |it| it)
    }

    /// The edges to what a row claims.
    pub(in super::super) fn edges_to(&self, stacks: &[Arc<Stack>], owner: RowRef) -> Vec<Edge> {
        let resource_type = &stacks[owner.stack].address(owner.row).resource_type;
        let claims = claims(&stacks[owner.stack].rows[owner.row]);
        let keys = claims.map(|it| hash(key(it, resource_type)));
        let readers = keys.flat_map(|it| readers_of(self.entries.of(it)));
        // in order, and each once
        let readers: BTreeSet<usize> = readers.collect();
        let edges = readers.into_iter().flat_map(|it| self.edges_from(it));
        edges.filter(|it| it.owner == owner).copied().collect()
    }

    /// Finds the owners of what the data sources of a stack read, now and after the next apply.
    pub(super) fn look_up(&mut self, stacks: &[Arc<Stack>], reader: usize) {
        let mut found: BTreeMap<(String, usize, String), Edge> = BTreeMap::new();
        let address = |it: RowRef| stacks[it.stack].address(it.row).to_string();
        for row in 0..stacks[reader].rows.len() {
            let reader = RowRef { stack: reader, row };
            for edge in self.owners(stacks, reader) {
                let owner = edge.owner;
                let place = (address(reader), owner.stack, address(owner));
                // a deposed and a current object at one address are one owner
                let known = found.entry(place).or_insert(edge);
                known.when = When::of(
                    known.when.is_now() || edge.when.is_now(),
                    known.when.is_after() || edge.when.is_after(),
                );
            }
        }
        match found.is_empty() {
            true => _ = self.edges.remove(&reader),
            false => _ = self.edges.insert(reader, found.into_values().collect()),
        }
    }

    /// The edges of one data source, one for each time at which it has the owner.
    fn owners(&self, stacks: &[Arc<Stack>], reader: RowRef) -> Vec<Edge> {
        let stack = &stacks[reader.stack];
        let row = &stack.rows[reader.row];
        let resource_type = &stack.address(reader.row).resource_type;
        let claimed = |identity: &Identity| {
            let wanted = key(identity, resource_type);
            let entries = self.entries.of(hash(wanted)).iter();
            let same = entries.filter(|it| key_of(stacks, it) == Some(wanted));
            let others = same.filter(|it| !same_state(stacks, it.at().stack, reader.stack));
            others.map(|it| (it.at(), it.role())).collect::<Vec<_>>()
        };
        let mut edges = Vec::new();
        for (owner, role) in row.looks_up.as_deref().map(claimed).unwrap_or_default() {
            let after = match role {
                Role::Stays => matches!(row.planned, Planned::Same),
                Role::Ends => false,
                // it reads the tags that its owner has then
                Role::Changes => matches!(row.planned, Planned::Same) && reads_tags(stack, reader),
                Role::Will | Role::LooksUp | Role::WillLookUp => continue,
            };
            let when = When::of(true, after);
            edges.push(Edge {
                reader,
                owner,
                when,
            });
        }
        for (owner, role) in row.planned_look_up().map(claimed).unwrap_or_default() {
            if matches!(role, Role::Will | Role::Stays) {
                let when = When::AfterApply;
                edges.push(Edge {
                    reader,
                    owner,
                    when,
                });
            }
        }
        edges
    }
}

/// Whether a data source tells the tags of what it reads. An inventory does not say.
fn reads_tags(stack: &Stack, reader: RowRef) -> bool {
    let record = stack.record(reader.row);
    record.is_some_and(|it| it.row.attributes.tags.is_some() || it.decided.is_some())
}
