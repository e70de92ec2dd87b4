//! The objects that are claimed at more than one address.

use std::collections::HashSet;
use std::sync::Arc;

use arcstr::ArcStr;

use crate::identity::Realm;

use super::super::change::GroupKey;
use super::super::snapshot::RowRef;
use super::super::stack::Stack;
use super::entries::{Key, key_of, owned};
use super::shards::{Entry, Role};
use super::{When, same_state, state};

/// Two or more addresses that claim one object, now or after the next apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What they claim.
    pub id: ArcStr,
    /// Its realm.
    pub realm: Option<Realm>,
    /// Its resource type.
    pub resource_type: ArcStr,
    /// Who claims it now.
    pub now: Claimants,
    /// Who claims it after the next apply of every stack.
    pub planned: Claimants,
}

/// Who claims one object at one time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claimants {
    /// The rows, one for each address, sorted by stack and address.
    pub rows: Vec<RowRef>,
    /// Whether they are of several stacks.
    pub across_stacks: bool,
}

impl Group {
    /// What its claims have in common.
    pub fn key(&self) -> GroupKey {
        GroupKey {
            id: self.id.clone(),
            realm: self.realm.clone(),
            resource_type: self.resource_type.clone(),
        }
    }

    /// When it stands.
    pub fn when(&self) -> When {
        When::of(self.now.are_several(), self.planned.are_several())
    }

    /// Those that it is about: the planned claimants, unless these alone are no duplicate.
    pub fn claimants(&self) -> &Claimants {
        match self.when() {
            When::UntilApplied => &self.now,
            When::Always | When::AfterApply => &self.planned,
        }
    }
}

impl Claimants {
    /// Whether they are two or more.
    pub fn are_several(&self) -> bool {
        self.rows.len() > 1
    }
}

/// The groups among entries of one hash: hardly ever more than one.
pub(super) fn groups_of(stacks: &[Arc<Stack>], same: &[Entry]) -> Vec<(GroupKey, Arc<Group>)> {
    if same.len() < 2 {
        return Vec::new();
    }
    let mut claims: Vec<(Key, Claims)> = Vec::new();
    for entry in same {
        let Some(key) = key_of(stacks, entry) else {
            continue;
        };
        match claims.iter_mut().find(|(it, _)| *it == key) {
            Some((_, claims)) => claims.add(entry),
            None => claims.push((key, Claims::of([entry]))),
        }
    }
    let groups = claims.into_iter().filter_map(|(key, claims)| {
        let key = owned(key);
        Some((key.clone(), Arc::new(group(stacks, key, &claims)?)))
    });
    groups.collect()
}

/// Who claims one object.
#[derive(Default)]
pub(super) struct Claims {
    now: Vec<RowRef>,
    planned: Vec<RowRef>,
}

impl Claims {
    pub(super) fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut claims = Self::default();
        entries.into_iter().for_each(|it| claims.add(it));
        claims
    }

    fn add(&mut self, entry: &Entry) {
        let at = entry.at();
        match entry.role() {
            Role::Ends | Role::Changes => self.now.push(at),
            Role::Will => self.planned.push(at),
            Role::Stays => {
                self.now.push(at);
                self.planned.push(at);
            }
            Role::LooksUp | Role::WillLookUp => {}
        }
    }

    pub(super) fn told(&self, stacks: &[Arc<Stack>]) -> [Claimants; 2] {
        [&self.now, &self.planned].map(|it| claimants(stacks, it))
    }
}

/// The rows as a group, when they stand at two addresses at least, now or after the next apply.
fn group(stacks: &[Arc<Stack>], key: GroupKey, claims: &Claims) -> Option<Group> {
    if claims.now.len() < 2 && claims.planned.len() < 2 {
        return None;
    }
    let [now, planned] = claims.told(stacks);
    let stands = now.are_several() || planned.are_several();
    stands.then_some(Group {
        id: key.id,
        realm: key.realm,
        resource_type: key.resource_type,
        now,
        planned,
    })
}

fn claimants(stacks: &[Arc<Stack>], rows: &[RowRef]) -> Claimants {
    let rows = by_address(stacks, rows);
    let first = rows.first().map(|it| it.stack);
    let other = |it: &RowRef| first.is_some_and(|first| !same_state(stacks, it.stack, first));
    Claimants {
        across_stacks: rows.iter().any(other),
        rows,
    }
}

/// One row for each address. A deposed and a current object at one address never count as two, and
/// neither does one row of a state that two stacks share.
fn by_address(stacks: &[Arc<Stack>], rows: &[RowRef]) -> Vec<RowRef> {
    let mut rows: Vec<_> = rows
        .iter()
        .map(|it| {
            let stack = &stacks[it.stack];
            let record = stack.record(it.row);
            let deposed = record.is_some_and(|it| it.row.deposed.is_some());
            (it.stack, stack.address(it.row).to_string(), deposed, *it)
        })
        .collect();
    rows.sort_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    let mut seen = HashSet::new();
    rows.retain(|(at, address, ..)| seen.insert((state(stacks, *at), address.clone())));
    rows.into_iter().map(|it| it.3).collect()
}
