//! Where to go: the places at which rows are shown.

use crate::config::{Block, ModuleFile};
use crate::text::Span;
use crate::workspace::{Place, RowRef, Snapshot};

/// A place to go to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Target {
    /// What to look at: a block's header, or the start of a state that has no configuration.
    pub place: Place,
    /// All of the block, in bytes of the same file.
    pub whole: Span,
}

impl Target {
    pub(super) fn of(snapshot: &Snapshot, place: Place) -> Self {
        let block = snapshot.block_at(&place);
        let whole = block.map_or(place.span, |it| it.block().span);
        Self { place, whole }
    }
}

/// Where rows are shown, sorted, each place once. A row without a block is shown at its state.
pub(super) fn targets(snapshot: &Snapshot, rows: impl IntoIterator<Item = RowRef>) -> Vec<Target> {
    let place = |it| snapshot.place(it).or_else(|| snapshot.state_place(it));
    let places = rows.into_iter().filter_map(place);
    let mut targets: Vec<_> = places.map(|it| Target::of(snapshot, it)).collect();
    targets.sort();
    targets.dedup();
    targets
}

/// The `resource` or `data` block whose header a cursor touches.
pub(super) fn header_at(file: &ModuleFile, offset: u32) -> Option<Block<'_>> {
    let block = file.block_at(offset)?;
    let is_header = block.resource().is_some() && block.header.touches(offset);
    is_header.then_some(block)
}
