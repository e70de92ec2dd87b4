//! Entries by hash: many of them in little memory, cheap to clone, and cheap to change a few of.
//!
//! A sorted list, cut into as many pieces as make the piece that a change copies small. Knows
//! nothing of what the entries are about.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::super::snapshot::RowRef;

/// How many leading bits of a hash choose the piece.
const BITS: u32 = 12;

/// What a row is to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// It claims it now, and nothing after the next apply.
    Ends,
    /// It claims it now, and the same object by another id or in another realm after the next apply.
    Changes,
    /// It claims it after the next apply.
    Will,
    /// It claims it now and after the next apply.
    Stays,
    /// It is a data source that looks its owner up.
    LooksUp,
    /// It is one that will look its owner up after the next apply.
    WillLookUp,
}

/// All roles, each at its place.
const ROLES: [Role; 6] = [
    Role::Ends,
    Role::Changes,
    Role::Will,
    Role::Stays,
    Role::LooksUp,
    Role::WillLookUp,
];

/// That a row has to do with an object of this hash. Two objects may share one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Entry {
    pub(super) hash: u64,
    stack: u32,
    /// The role in the last three bits: there may be a million of these.
    row: u32,
}

impl Entry {
    pub(super) fn new(hash: u64, at: RowRef, role: Role) -> Self {
        Self {
            hash,
            stack: at.stack as u32,
            row: (at.row as u32) << 3 | role as u32,
        }
    }

    pub(super) fn at(&self) -> RowRef {
        RowRef {
            stack: self.stack as usize,
            row: (self.row >> 3) as usize,
        }
    }

    pub(super) fn role(&self) -> Role {
        ROLES[(self.row & 7) as usize]
    }
}

/// All entries, sorted by hash, then stack and row.
#[derive(Clone, Debug)]
pub(super) struct Shards(Vec<Arc<[Entry]>>);

impl Default for Shards {
    fn default() -> Self {
        Self(vec![Arc::default(); 1 << BITS])
    }
}

fn piece(hash: u64) -> usize {
    (hash >> (64 - BITS)) as usize
}

impl Shards {
    pub(super) fn new(mut all: Vec<Entry>) -> Self {
        all.par_sort_unstable();
        let mut shards = Self::default();
        for part in all.chunk_by(|a, b| piece(a.hash) == piece(b.hash)) {
            shards.0[piece(part[0].hash)] = part.into();
        }
        shards
    }

    /// All entries of one hash.
    pub(super) fn of(&self, hash: u64) -> &[Entry] {
        self.between(hash, hash)
    }

    /// All entries of the hashes from `first` to `last`, which begin with the same bits.
    pub(super) fn between(&self, first: u64, last: u64) -> &[Entry] {
        debug_assert_eq!(piece(first), piece(last));
        let all = &self.0[piece(first)];
        let from = all.partition_point(|it| it.hash < first);
        let to = all.partition_point(|it| it.hash <= last);
        &all[from..to]
    }

    /// The entries, hash by hash.
    pub(super) fn by_hash(&self) -> impl Iterator<Item = &[Entry]> {
        let pieces = self.0.iter();
        pieces.flat_map(|it| it.chunk_by(|a, b| a.hash == b.hash))
    }

    /// Takes `old` away and puts `new` in.
    pub(super) fn replace(&mut self, old: &[Entry], new: &[Entry]) {
        let mut changes: BTreeMap<usize, (Vec<Entry>, Vec<Entry>)> = BTreeMap::new();
        for entry in old {
            changes.entry(piece(entry.hash)).or_default().0.push(*entry);
        }
        for entry in new {
            changes.entry(piece(entry.hash)).or_default().1.push(*entry);
        }
        for (at, (mut old, mut new)) in changes {
            old.sort_unstable();
            new.sort_unstable();
            if old == new {
                continue;
            }
            let kept = self.0[at].iter().copied();
            new.extend(kept.filter(|it| old.binary_search(it).is_err()));
            new.sort_unstable();
            self.0[at] = new.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(hash: u64, row: usize) -> Entry {
        Entry::new(hash << 50, RowRef { stack: 7, row }, Role::Will)
    }

    #[test]
    fn what_is_replaced_is_as_if_it_had_never_been() {
        let all: Vec<_> = (0..500).map(|it| entry(it % 40, it as usize)).collect();
        let (old, kept) = all.split_at(200);
        let new: Vec<_> = (0..30)
            .map(|it| entry(it * 3, 1000 + it as usize))
            .collect();
        let mut shards = Shards::new(all.clone());
        let before = shards.clone();
        shards.replace(old, &new);
        let expected = Shards::new([kept, &new].concat());
        assert_eq!(shards.0, expected.0);
        assert_eq!(before.0, Shards::new(all).0, "a clone is left alone");
        let of = shards.of(3 << 50);
        assert!(of.iter().all(|it| it.hash == 3 << 50) && of.contains(&new[1]));
        let all: Vec<_> = shards.by_hash().flatten().collect();
        assert_eq!(all.len(), 330);
    }

    #[test]
    fn an_entry_is_what_it_was_made_of() {
        for role in ROLES {
            let at = RowRef {
                stack: 3,
                row: 70_000_000,
            };
            let entry = Entry::new(1, at, role);
            assert_eq!((entry.at(), entry.role()), (at, role));
        }
    }
}
