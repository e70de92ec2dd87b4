//! Where `moved` blocks put the rows of a state.
//!
//! Follows Terraform, which moves what is in the state block by block before it looks at the
//! configuration: <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/refactoring/move_execute.go>.

use std::collections::HashSet;

use crate::config::Moved;
use crate::identity::{Address, Key, Mode, ModulePath};

use super::tree::Tree;

/// The `moved` blocks of a stack, in the order in which they take effect.
pub(super) struct Moves<'a> {
    tree: &'a Tree,
    blocks: Vec<Block>,
}

/// A `moved` block, and the names that lead to its module.
struct Block {
    module: Vec<Box<str>>,
    moved: Moved,
}

impl<'a> Moves<'a> {
    pub(super) fn of(tree: &'a Tree) -> Self {
        let mut open = Vec::new();
        for (node, it) in tree.nodes().iter().enumerate() {
            let blocks = it.module.refactorings.iter();
            let moved = blocks.filter(|it| it.block().keyword == "moved");
            open.extend(moved.filter_map(|it| {
                Some(Block {
                    module: tree.path(node),
                    moved: Moved::read(it)?,
                })
            }));
        }
        let blocks = in_order(open);
        Self { tree, blocks }
    }

    /// Where each of the addresses of a state will be; `None` where it stays. What `is_declared`
    /// all the same is not moved: Terraform refuses such a block.
    pub(super) fn applied<'s>(
        &self,
        addresses: impl Iterator<Item = &'s Address>,
        is_declared: &dyn Fn(&Address) -> bool,
    ) -> Vec<Option<Address>> {
        let old: Vec<&Address> = addresses.collect();
        let mut new: Vec<Option<Address>> = vec![None; old.len()];
        for block in &self.blocks {
            let mut moved = block.moves(&old, &new);
            moved.retain(|(at, _)| !is_declared(new[*at].as_ref().unwrap_or(old[*at])));
            take(moved, &old, &mut new, |it| block.place(it));
        }
        let unsaid = old.iter().zip(&new).enumerate();
        let unsaid = unsaid.filter(|(_, (_, new))| new.is_none());
        // a state has the rows of a module together
        let mut last: Option<(&ModulePath, Option<usize>)> = None;
        let unsaid = unsaid.filter_map(|(at, (old, _))| {
            let node = match last {
                Some((path, node)) if *path == old.module => node,
                _ => self.tree.find(&old.module),
            };
            last = Some((&old.module, node));
            Some((at, self.unsaid(old, node?)?))
        });
        let unsaid = unsaid.collect();
        take(unsaid, &old, &mut new, Address::clone);
        new
    }

    /// Where an address in the module at `node` goes by itself because its block got a `count` or
    /// lost it, unless a block speaks of the resource.
    fn unsaid(&self, address: &Address, node: usize) -> Option<Address> {
        let may_go = matches!(address.key, None | Some(Key::Index(0)));
        if !may_go || address.mode != Mode::Managed {
            return None;
        }
        let module = &self.tree.nodes()[node].module;
        let (resource_type, name) = (&*address.resource_type, &*address.name);
        let resource = module.resource(address.mode, resource_type, name)?;
        let has = |it| resource.attribute(it).is_some();
        let key = match address.key {
            None if has("count") => Some(Key::Index(0)),
            Some(_) if !has("count") && !has("for_each") && resource.is_whole() => None,
            _ => return None,
        };
        let spoken_of = self.blocks.iter().any(|it| {
            let within = it.within(address);
            within.is_some_and(|within| it.moved.is_about(&within, address))
        });
        (!spoken_of).then(|| Address {
            key,
            ..address.clone()
        })
    }
}

impl Block {
    /// The instance of the block's module that an address is in.
    fn within(&self, address: &Address) -> Option<ModulePath> {
        let steps = address.module.steps().get(..self.module.len())?;
        let names = steps.iter().map(|(name, _)| name);
        names
            .eq(&self.module)
            .then(|| steps.iter().cloned().collect())
    }

    fn moves(&self, old: &[&Address], new: &[Option<Address>]) -> Vec<(usize, Address)> {
        let now = old.iter().zip(new).enumerate();
        let moved = now.filter_map(|(at, (old, new))| {
            let here = new.as_ref().unwrap_or(old);
            let to = self.moved.applied(&self.within(here)?, here)?;
            Some((at, to))
        });
        moved.collect()
    }

    /// What a row at this address occupies, as far as the block is concerned: its module, all
    /// instances of its resource, or the address alone.
    fn place(&self, address: &Address) -> Address {
        let mut place = address.clone();
        if self.moved.is_of_module() {
            place.resource_type = "".into();
            place.name = "".into();
            place.mode = Mode::Managed;
        }
        if !self.moved.is_of_instance() || self.moved.is_of_module() {
            place.key = None;
        }
        place
    }
}

/// Blocks in the order in which they take effect: as written, but for those that wait for others.
fn in_order(blocks: Vec<Block>) -> Vec<Block> {
    let reach = |it: &Block| it.moved.reach(&it.module);
    let reaches: Vec<_> = blocks.iter().map(reach).collect();
    let waits = |a: usize, b: usize| a != b && reaches[a].comes_after(&reaches[b]);
    let all = 0..blocks.len();
    let count = |a: usize| all.clone().filter(|b| waits(a, *b)).count();
    let mut waiting: Vec<usize> = all.clone().map(count).collect();
    let mut open: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(open.len());
    for _ in all.clone() {
        let mut left = all.clone().filter(|it| open[*it].is_some());
        // in a circle, which Terraform refuses, the first one
        let first = left.clone().next();
        let Some(next) = left.find(|it| waiting[*it] == 0).or(first) else {
            break;
        };
        ordered.extend(open[next].take());
        for other in all.clone().filter(|it| waits(*it, next)) {
            waiting[other] = waiting[other].saturating_sub(1);
        }
    }
    ordered
}

/// Moves rows together, but for those whose place another has.
fn take(
    mut moved: Vec<(usize, Address)>,
    old: &[&Address],
    new: &mut [Option<Address>],
    place: impl Fn(&Address) -> Address,
) {
    if moved.is_empty() {
        return;
    }
    let now = old.iter().zip(new.iter());
    let taken: HashSet<_> = now
        .map(|(old, new)| place(new.as_ref().unwrap_or(old)))
        .collect();
    moved.retain(|(_, to)| !taken.contains(&place(to)));
    for (at, to) in moved {
        new[at] = Some(to);
    }
}
