//! Which stacks the module of a directory is part of.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use imbl::HashMap as ImHashMap;

use super::snapshot::Use;
use super::stack::Stack;

/// The modules of a stack, each with its node.
fn directories(stack: &Stack) -> Vec<(Arc<Path>, usize)> {
    let nodes = stack.tree.iter().flat_map(|it| it.nodes());
    let nodes = nodes.enumerate();
    let of = nodes.map(|(node, it)| (it.module.directory.clone(), node));
    of.collect()
}

/// Of all stacks, by directory, sorted by stack.
pub(super) fn uses(stacks: &[Arc<Stack>]) -> ImHashMap<Arc<Path>, Arc<[Use]>> {
    let mut uses: HashMap<Arc<Path>, Vec<Use>> = HashMap::new();
    for (at, stack) in stacks.iter().enumerate() {
        for (directory, node) in directories(stack) {
            let here = uses.entry(directory).or_default();
            here.push(Use { stack: at, node });
        }
    }
    uses.into_iter()
        .map(|(it, uses)| (it, uses.into()))
        .collect()
}

/// Follows a change of the stack at a position.
pub(super) fn follow_uses(
    uses: &mut ImHashMap<Arc<Path>, Arc<[Use]>>,
    at: usize,
    before: &Stack,
    now: &Stack,
) {
    let (before, now) = (directories(before), directories(now));
    if before == now {
        return;
    }
    let mut touched: BTreeSet<&Arc<Path>> = before.iter().map(|(it, _)| it).collect();
    touched.extend(now.iter().map(|(it, _)| it));
    for directory in touched {
        let others = uses.get(directory).into_iter().flat_map(|it| &**it);
        let mut all: Vec<_> = others.filter(|it| it.stack != at).copied().collect();
        let here = now.iter().filter(|(it, _)| it == directory);
        all.extend(here.map(|(_, node)| Use {
            stack: at,
            node: *node,
        }));
        all.sort_unstable();
        match all.is_empty() {
            true => _ = uses.remove(directory),
            false => _ = uses.insert(directory.clone(), all.into()),
        }
    }
}
