//! Whether the configuration declares an address.

use std::rc::Rc;

use crate::config::{Declared, Endpoint, Merged};
use crate::identity::{Address, Key, ModulePath};

use super::super::evaluation::Instances;
use super::super::rows::Site;
use super::super::tree::Node;
use super::Decision;

/// A module instance, as far as every row in it asks the same.
#[derive(Default)]
pub(super) struct Within {
    /// The module in the tree.
    node: Option<usize>,
    /// Which instance it is to [`Decision::sure`].
    instance: Option<usize>,
    /// Whether the calls above it make such instances.
    calls: Vec<Option<bool>>,
}

impl Decision<'_> {
    pub(super) fn site(&self, address: &Address) -> Option<Site> {
        let node = self.within(&address.module).node?;
        let module = &self.tree.nodes()[node].module;
        let (resource_type, name) = (&*address.resource_type, &*address.name);
        let resource = module.resource_index(address.mode, resource_type, name)?;
        Some(Site { node, resource })
    }

    /// Whether an instance will not be there, by `count` or `for_each` of its block or of a module
    /// above it.
    pub(super) fn is_counted_out(&self, address: &Address, site: Site) -> bool {
        self.counted(address, site).any(|it| it == Some(false))
    }

    /// Whether an instance is certainly declared.
    pub(super) fn is_declared(&self, address: &Address) -> bool {
        let site = self.site(address);
        site.is_some_and(|site| self.counted(address, site).all(|it| it == Some(true)))
    }

    /// Whether the block of an address, and each of the calls above it, has the instance that the
    /// address names. `None` where nobody can tell.
    fn counted(&self, address: &Address, site: Site) -> impl Iterator<Item = Option<bool>> {
        let within = self.within(&address.module);
        let has = |it| self.has(it, self.resource(site), &address.key);
        let own = within.instance.and_then(has);
        let calls = within.calls.clone().into_iter();
        calls.chain([own])
    }

    /// Whether a block of a module instance has the instance with this key.
    fn has(&self, instance: usize, block: &Merged, key: &Option<Key>) -> Option<bool> {
        match self.sure.instances_of(instance, block) {
            Instances::Known(known) => Some(match key {
                Some(key) => known.keyed(key).is_some(),
                None => known.all.iter().any(|it| it.key().is_none()),
            }),
            Instances::Unknown => None,
        }
    }

    fn within(&self, path: &ModulePath) -> Rc<Within> {
        if let Some((last, within)) = &*self.last.borrow()
            && last == path
        {
            return within.clone();
        }
        let steps = path.steps().iter().enumerate();
        let calls = steps.map(|(length, (name, key))| {
            let above: ModulePath = path.steps()[..length].iter().cloned().collect();
            let node = self.tree.find(&above)?;
            let call = self.tree.nodes()[node].module.calls.get(name)?;
            self.has(self.sure.instance(&above)?, call, key)
        });
        let within = Rc::new(Within {
            calls: calls.collect(),
            node: self.tree.find(path),
            instance: self.sure.instance(path),
        });
        self.last.replace(Some((path.clone(), within.clone())));
        within
    }

    /// The `removed` block that covers an address.
    pub(super) fn removing(&self, address: &Address) -> Option<Declared> {
        let steps = address.module.steps();
        (0..=steps.len()).find_map(|length| {
            let within: ModulePath = steps[..length].iter().cloned().collect();
            let node = self.tree.find(&within)?;
            let blocks = &self.tree.nodes()[node].module.refactorings;
            let mut removed = blocks.iter().filter(|it| it.block().keyword == "removed");
            let covers = |it: &&Declared| {
                let body = it.body();
                let from = body.attribute("from");
                let from = from.and_then(|it| Endpoint::read(it));
                from.is_some_and(|it| it.covers(&within, address))
            };
            removed.find(covers).cloned()
        })
    }

    /// Whether the configuration certainly does not declare an address: every module on the way
    /// to it was read whole.
    pub(super) fn is_gone(&self, address: &Address) -> bool {
        let steps = address.module.steps();
        for length in 0..=steps.len() {
            let within: ModulePath = steps[..length].iter().cloned().collect();
            let Some(node) = self.tree.find(&within) else {
                return false;
            };
            let Node {
                module,
                is_outdated,
                ..
            } = &self.tree.nodes()[node];
            if *is_outdated || !module.is_whole() {
                return false;
            }
            if let Some((call, _)) = steps.get(length)
                && !module.calls.contains_key(call)
            {
                return true;
            }
        }
        true
    }
}
