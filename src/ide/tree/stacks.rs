//! A list of stacks that a person can find one in: as it is when it is short, by directories when it
//! is long.

use std::ops::Range;

use crate::workspace::Snapshot;

use super::Entry;

/// A longer list is put into directories.
const MOST: usize = 50;

/// The stacks whose names begin with `within`, or the directories that they are in.
pub(super) fn below<'a>(snapshot: &'a Snapshot, within: &str) -> Vec<Entry<'a>> {
    let (stacks, within) = common(snapshot, beginning(snapshot, within), within.len());
    let name = |stack: usize| &*snapshot.stacks[stack].name;
    let mut entries = Vec::new();
    let mut from = stacks.start;
    while from < stacks.end {
        let directory = match stacks.len() > MOST {
            true => name(from)[within.len()..].find('/'),
            false => None,
        };
        let directory = directory.map(|it| &name(from)[..within.len() + it + 1]);
        let same = directory.map(|it| beginning(snapshot, it));
        match (directory, same) {
            (Some(directory), Some(same)) if same.len() > 1 => {
                from = same.end;
                entries.push(Entry::Directory {
                    stacks: same,
                    within: directory,
                });
            }
            _ => {
                let stack = from;
                from += 1;
                entries.push(Entry::Stack { stack, within });
            }
        }
    }
    entries
}

/// The stacks whose names begin so.
pub(super) fn beginning(snapshot: &Snapshot, with: &str) -> Range<usize> {
    let stacks = &snapshot.stacks;
    let start = stacks.partition_point(|it| *it.name < *with);
    let rest = stacks[start..].partition_point(|it| it.name.starts_with(with));
    start..start + rest
}

/// How far the names of stacks are the same in whole directories, from a length on at which they are.
fn common(snapshot: &Snapshot, stacks: Range<usize>, length: usize) -> (Range<usize>, &str) {
    if stacks.is_empty() {
        return (stacks, "");
    }
    // sorted names have in common what the first and the last have
    let (first, last) = (
        &*snapshot.stacks[stacks.start].name,
        &*snapshot.stacks[stacks.end - 1].name,
    );
    let same = first.bytes().zip(last.bytes());
    let same = same.take_while(|(a, b)| a == b).count();
    let slash = first.as_bytes()[..same].iter().rposition(|it| *it == b'/');
    let length = slash.map_or(length, |it| length.max(it + 1));
    (stacks, &first[..length])
}
