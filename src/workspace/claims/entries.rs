//! The entries of a stack in the index: what each of its rows claims and looks up, and when.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arcstr::ArcStr;
use rustc_hash::FxHasher;

use crate::identity::{Identity, Realm};

use super::super::change::GroupKey;
use super::super::rows::{Planned, Row};
use super::super::snapshot::RowRef;
use super::super::stack::Stack;
use super::shards::{Entry, Role};

/// What two rows must share to be one object: id, realm and resource type.
pub(super) type Key<'a> = (&'a ArcStr, Option<&'a Realm>, &'a ArcStr);

pub(super) fn key<'a>(identity: &'a Identity, resource_type: &'a ArcStr) -> Key<'a> {
    (&identity.id, identity.realm.as_ref(), resource_type)
}

/// The bits of a hash that tell apart what has one id. The others are the id's, so that all that has
/// to do with it stands together, whatever its realm and type.
pub(super) const NOT_OF_THE_ID: u64 = (1 << 20) - 1;

pub(super) fn hash((id, realm, resource_type): Key) -> u64 {
    let rest = hash_of(&(realm, resource_type));
    hash_of_id(id) | rest & NOT_OF_THE_ID
}

pub(super) fn hash_of_id(id: &str) -> u64 {
    hash_of(id) & !NOT_OF_THE_ID
}

fn hash_of(what: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn owned((id, realm, resource_type): Key) -> GroupKey {
    GroupKey {
        id: id.clone(),
        realm: realm.cloned(),
        resource_type: resource_type.clone(),
    }
}

/// What a row claims, now and after the next apply.
pub(super) fn claims(row: &Row) -> impl Iterator<Item = &Identity> {
    [row.claim.as_ref().ok(), row.planned_claim()]
        .into_iter()
        .flatten()
}

/// The entries of one stack.
pub(super) fn entries(at: usize, stack: &Stack) -> Vec<Entry> {
    entries_of(at, stack, 0..stack.rows.len())
}

/// The entries of some of its rows, of which it need not have all.
pub(super) fn entries_of(
    at: usize,
    stack: &Stack,
    rows: impl ExactSizeIterator<Item = usize>,
) -> Vec<Entry> {
    let mut found = Vec::with_capacity(rows.len());
    for (row, decided) in rows.filter_map(|row| Some((row, stack.rows.get(row)?))) {
        let resource_type = &stack.address(row).resource_type;
        let mut add = |identity: &Identity, role| {
            let hash = hash(key(identity, resource_type));
            found.push(Entry::new(hash, RowRef { stack: at, row }, role));
        };
        let same = |a: &Identity, b: &Identity| key(a, resource_type) == key(b, resource_type);
        match (decided.claim.as_ref().ok(), decided.planned_claim()) {
            (Some(now), Some(planned)) if same(now, planned) => add(now, Role::Stays),
            (Some(now), Some(planned)) => {
                add(now, Role::Changes);
                add(planned, Role::Will);
            }
            (Some(now), None) => add(now, Role::Ends),
            (None, Some(planned)) => add(planned, Role::Will),
            (None, None) => {}
        }
        let (now, planned) = (decided.looks_up.as_deref(), decided.planned_look_up());
        if let Some(now) = now {
            add(now, Role::LooksUp);
        }
        if let Some(planned) = planned.filter(|it| now.is_none_or(|now| !same(now, it))) {
            add(planned, Role::WillLookUp);
        }
    }
    found
}

/// The rows in which a stack differs from what it was `before`, by what they claim and read. An edit
/// that leaves a stack its state leaves most of them what they are.
pub(super) fn others(before: &Stack, stack: &Stack) -> Vec<usize> {
    let rows = 0..before.rows.len().max(stack.rows.len());
    if !stack.has_the_state_of(before) {
        return rows.collect();
    }
    let records = stack.records().len();
    let is_same = |row: usize| {
        let (Some(old), Some(new)) = (before.rows.get(row), stack.rows.get(row)) else {
            return false;
        };
        // what is in the state has its address by that
        (row < records || before.address(row) == stack.address(row)) && is_same_object(old, new)
    };
    rows.filter(|it| !is_same(*it)).collect()
}

/// Whether two rows of one type claim, and read, the same now and after the next apply.
fn is_same_object(a: &Row, b: &Row) -> bool {
    fn of(row: &Row) -> [Option<(&ArcStr, Option<&Realm>)>; 4] {
        let objects = row.objects();
        objects.map(|it| it.map(|it| (&it.id, it.realm.as_ref())))
    }
    let stays = |row: &Row| matches!(row.planned, Planned::Same);
    stays(a) == stays(b) && of(a) == of(b)
}

/// What an entry is about.
pub(super) fn key_of<'a>(stacks: &'a [Arc<Stack>], entry: &Entry) -> Option<Key<'a>> {
    let at = entry.at();
    let stack = &stacks[at.stack];
    let row = &stack.rows[at.row];
    let identity = match entry.role() {
        Role::Ends | Role::Changes | Role::Stays => row.claim.as_ref().ok(),
        Role::Will => row.planned_claim(),
        Role::LooksUp => row.looks_up.as_deref(),
        Role::WillLookUp => row.planned_look_up(),
    };
    Some(key(identity?, &stack.address(at.row).resource_type))
}

/// The stacks with a data source that looks for an owner.
pub(super) fn readers_of(same: &[Entry]) -> impl Iterator<Item = usize> {
    let reads = |it: &&Entry| matches!(it.role(), Role::LooksUp | Role::WillLookUp);
    let looks_up = same.iter().filter(reads);
    let mut stacks: Vec<_> = looks_up.map(|it| it.at().stack).collect();
    stacks.dedup();
    stacks.into_iter()
}
