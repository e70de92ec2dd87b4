//! Who reads from whom, stack by stack: a stack stands for a function, and a data source for a call.

use std::collections::BTreeMap;
use std::path::Path;

use crate::text::Span;
use crate::workspace::{Place, RowRef, Snapshot, Stack};

use super::target::{Target, header_at, targets};

/// A stack, and a place in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackAt {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// Where it is shown.
    pub target: Target,
}

/// That one stack reads from another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The other stack.
    pub other: StackAt,
    /// The headers of the data sources, sorted: in the file at which the reading stack is shown.
    pub spans: Vec<Span>,
}

/// The stacks that the `resource` or `data` block at a header is part of, sorted.
pub fn stacks_at(snapshot: &Snapshot, path: &Path, offset: u32) -> Vec<StackAt> {
    let Some(file) = snapshot.file(path) else {
        return Vec::new();
    };
    let Some(block) = header_at(file, offset) else {
        return Vec::new();
    };
    let mut stacks: Vec<usize> = snapshot.uses(file).iter().map(|it| it.stack).collect();
    stacks.dedup();
    let place = Place {
        path: file.path.clone(),
        span: block.header,
    };
    let target = Target::of(snapshot, place);
    let at = |stack| StackAt {
        stack,
        target: target.clone(),
    };
    stacks.into_iter().map(at).collect()
}

/// The stacks that read from a stack, sorted: one for each file with data sources that do, since
/// these stand in the file at which the reader is shown.
pub fn readers_of(snapshot: &Snapshot, stack: usize) -> Vec<Reading> {
    let rows = 0..snapshot.stacks[stack].rows.len();
    let edges = rows.flat_map(|row| snapshot.edges_to(RowRef { stack, row }));
    let mut readers: BTreeMap<(usize, Place), Vec<RowRef>> = BTreeMap::new();
    for edge in edges {
        let Some(target) = targets(snapshot, [edge.reader]).pop() else {
            continue;
        };
        let file = Place {
            span: Span::at(0),
            ..target.place
        };
        let of_file = readers.entry((edge.reader.stack, file)).or_default();
        of_file.push(edge.reader);
    }
    let reading = readers.into_iter().filter_map(|((stack, _), rows)| {
        let targets = targets(snapshot, rows);
        let target = targets.first()?.clone();
        Some(Reading {
            other: StackAt { stack, target },
            spans: targets.iter().map(|it| it.place.span).collect(),
        })
    });
    reading.collect()
}

/// The stacks that a stack reads from, sorted, each at the first resource that it owns of what is
/// read. The data sources are those in the file `path`, at which the reader is shown; where none is,
/// its place `shown` there stands for them.
pub fn read_by(snapshot: &Snapshot, stack: usize, path: &Path, shown: Span) -> Vec<Reading> {
    let mut owners: BTreeMap<usize, (Vec<RowRef>, Vec<RowRef>)> = BTreeMap::new();
    for edge in snapshot.edges_from(stack) {
        let (owned, readers) = owners.entry(edge.owner.stack).or_default();
        owned.push(edge.owner);
        readers.push(edge.reader);
    }
    let reading = owners.into_iter().filter_map(|(stack, (owned, readers))| {
        let target = targets(snapshot, owned).into_iter().next()?;
        let readers = targets(snapshot, readers).into_iter();
        let here = readers.filter(|it| *it.place.path == *path);
        let mut spans: Vec<_> = here.map(|it| it.place.span).collect();
        if spans.is_empty() {
            spans.push(shown);
        }
        Some(Reading {
            other: StackAt { stack, target },
            spans,
        })
    });
    reading.collect()
}

/// The position of a stack of this name.
pub fn stack_named(snapshot: &Snapshot, name: &str) -> Option<usize> {
    let is_it = |it: &std::sync::Arc<Stack>| *it.name == *name;
    snapshot.stacks.iter().position(is_it)
}
