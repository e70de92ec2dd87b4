//! What is told above a block at a glance: who reads what it manages, who else claims it, and who
//! owns what it reads.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::{Block, ModuleFile};
use crate::identity::Mode;
use crate::text::Span;
use crate::workspace::{RowRef, Snapshot, When};

use super::definition::owners;
use super::references::readers;
use super::target::{Target, targets};

/// Something that is told of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The header of the block, in bytes of the file.
    pub span: Span,
    /// What it tells of.
    pub about: LensKind,
    /// A few words.
    pub title: String,
    /// Those that it tells of, sorted.
    pub targets: Vec<Target>,
}

/// What a [`Lens`] tells of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LensKind {
    /// Who reads it.
    Readers,
    /// Who else claims it.
    Rivals,
    /// Who owns it.
    Owners,
}

impl LensKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Readers, Self::Rivals, Self::Owners];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Readers => "readers",
            Self::Rivals => "rivals",
            Self::Owners => "owners",
        }
    }
}

/// Where something is told in a file, and of what, in order.
pub fn lens_spans(snapshot: &Snapshot, path: &Path) -> Vec<(Span, LensKind)> {
    let told = |it: Told| (it.span, it.about);
    let file = snapshot.file(path).into_iter();
    let blocks = file.flat_map(|file| file.blocks().map(move |it| (file, it)));
    let all = blocks.flat_map(|(file, block)| of_block(snapshot, file, &block));
    all.map(told).collect()
}

/// What is told at the header that begins at this byte of a file. `None` where nothing is any more.
pub fn lens(snapshot: &Snapshot, path: &Path, start: u32, about: LensKind) -> Option<Lens> {
    let file = snapshot.file(path)?;
    let block = file.block_at(start)?;
    let all = of_block(snapshot, file, &block).into_iter();
    let mut here = all.filter(|it| it.span.start == start);
    let told = here.find(|it| it.about == about)?;
    Some(Lens {
        span: told.span,
        about,
        title: told.title(snapshot),
        targets: targets(snapshot, told.others),
    })
}

/// What is to be told of one block.
struct Told {
    span: Span,
    about: LensKind,
    own: Vec<RowRef>,
    /// Those that it tells of.
    others: Vec<RowRef>,
}

fn of_block(snapshot: &Snapshot, file: &ModuleFile, block: &Block) -> Vec<Told> {
    let own = snapshot.rows_of(file, block.id);
    let rows = |about| -> Vec<RowRef> {
        let mut rows: Vec<RowRef> = match about {
            LensKind::Readers => own.iter().flat_map(|it| readers(snapshot, *it)).collect(),
            LensKind::Rivals => claimants(snapshot, &own),
            LensKind::Owners => {
                let edges = owners(snapshot, file, block);
                edges.iter().map(|it| it.owner).collect()
            }
        };
        rows.sort_unstable();
        rows.dedup();
        rows
    };
    let abouts: &[LensKind] = match block.resource() {
        Some((Mode::Data, ..)) => &[LensKind::Owners],
        Some((Mode::Managed, ..)) => &[LensKind::Readers, LensKind::Rivals],
        None => &[],
    };
    let told = abouts.iter().map(|about| Told {
        span: block.header,
        about: *about,
        own: own.clone(),
        others: rows(*about),
    });
    told.filter(|it| !it.others.is_empty()).collect()
}

/// All who claim what these rows claim, where these are not the only ones. Where they are, and are
/// several, it is they.
fn claimants(snapshot: &Snapshot, own: &[RowRef]) -> Vec<RowRef> {
    let groups = own.iter().filter_map(|it| snapshot.duplicate(*it));
    let all: Vec<RowRef> = groups.flat_map(|it| it.claimants().rows.clone()).collect();
    let is_own = |it: &RowRef| own.iter().any(|own| snapshot.is_same_address(*own, *it));
    match all.iter().all(is_own) {
        true => all,
        false => all.into_iter().filter(|it| !is_own(it)).collect(),
    }
}

impl Told {
    fn title(&self, snapshot: &Snapshot) -> String {
        match self.about {
            LensKind::Readers => format!("read by {}", stacks(&self.others)),
            LensKind::Rivals => self.rivals(snapshot),
            LensKind::Owners => owned_by(snapshot, &self.others),
        }
    }

    fn rivals(&self, snapshot: &Snapshot) -> String {
        let is_own = |it: &RowRef| self.own.contains(it);
        let also = match self.others.iter().any(is_own) {
            true => "",
            false => "also ",
        };
        let own: BTreeSet<usize> = self.own.iter().map(|it| it.stack).collect();
        let elsewhere = self.others.iter().filter(|it| !own.contains(&it.stack));
        let elsewhere: Vec<RowRef> = elsewhere.copied().collect();
        let all: BTreeSet<usize> = self.others.iter().map(|it| it.stack).collect();
        let who = match (elsewhere.is_empty(), all.len()) {
            (false, _) => format!("by {}", stacks(&elsewhere)),
            (true, 2..) if also.is_empty() => format!("by {}", stacks(&self.others)),
            (true, _) => format!("at {}", counted(self.others.len(), "address", "addresses")),
        };
        let groups = self.own.iter().filter_map(|it| snapshot.duplicate(*it));
        let mut whens = groups.map(|it| it.when());
        let first = whens.next();
        let when = match first.filter(|first| whens.all(|it| it == *first)) {
            Some(When::UntilApplied) => ", until applied",
            Some(When::AfterApply) => ", after the next apply",
            Some(When::Always) | None => "",
        };
        format!("{also}claimed {who}{when}")
    }
}

fn owned_by(snapshot: &Snapshot, owners: &[RowRef]) -> String {
    let all: BTreeSet<usize> = owners.iter().map(|it| it.stack).collect();
    match owners {
        [owner] => {
            let stack = &snapshot.stack(*owner).name;
            format!("owned by {stack} → {}", snapshot.address(*owner))
        }
        [first, ..] if all.len() == 1 => {
            let stack = &snapshot.stack(*first).name;
            let count = counted(owners.len(), "resource", "resources");
            format!("owned by {stack} → {count}")
        }
        _ => format!("owned by {}", stacks(owners)),
    }
}

/// How many stacks rows are of.
fn stacks(rows: &[RowRef]) -> String {
    let stacks: BTreeSet<usize> = rows.iter().map(|it| it.stack).collect();
    counted(stacks.len(), "stack", "stacks")
}

fn counted(count: usize, one: &str, several: &str) -> String {
    let what = if count == 1 { one } else { several };
    format!("{count} {what}")
}
