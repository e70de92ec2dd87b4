//! What the configuration says of a resource's tags: its own, and those of its provider
//! configuration.

use std::sync::Arc;

use crate::config::{Declared, DefaultTags, Module, ModuleFile, Provider};
use crate::eval::{self, Map};
use crate::identity::Mode;

use super::{Served, Snapshot, Use};

/// What the configuration says of a resource in one place of one stack.
pub struct Configured<'a> {
    /// The resource's own `tags`.
    pub own: Map,
    /// What serves it.
    pub served: Served<'a>,
    /// The `default_tags` of what serves it.
    pub default: Map,
    /// The provider source in full, where it can be said.
    pub source: Option<String>,
}

/// The `default_tags` of a provider block.
pub fn default_tags(provider: &Provider) -> Map {
    match &provider.default_tags {
        DefaultTags::None => Map::default(),
        DefaultTags::Tags(tags, _) => eval::map(tags),
        DefaultTags::Unknown => unknown(),
    }
}

/// The own `tags` of a resource of this module.
pub fn own_tags(module: &Module, declared: &Declared) -> Map {
    if module.is_overridden(declared) {
        return unknown();
    }
    match declared.file.body(declared.resource()) {
        Some(body) => body.tags.as_ref().map(eval::map).unwrap_or_default(),
        None => unknown(),
    }
}

fn unknown() -> Map {
    Map {
        entries: Vec::new(),
        open: true,
    }
}

impl Snapshot {
    /// What the configuration says of a resource at one of its uses.
    pub fn configured(&self, at: Use, declared: &Declared) -> Configured<'_> {
        let tree = self.stacks[at.stack].tree.as_ref();
        let tree = tree.expect("a module that is used is in a tree");
        let module = &tree.nodes()[at.node].module;
        let provider = module.provider_of(declared);
        let source = provider.as_ref().and_then(|it| module.source_of(&it.name));
        let served = match provider {
            Some(provider) => tree.served_by(at.node, provider),
            None => Served::Unknown,
        };
        Configured {
            own: own_tags(module, declared),
            served,
            // a data source takes no default tags
            default: match (declared.resource().mode, served) {
                (Mode::Data, _) | (_, Served::Implicit) => Map::default(),
                (Mode::Managed, Served::Block(_, provider)) => default_tags(provider),
                (Mode::Managed, Served::Unknown) => unknown(),
            },
            source,
        }
    }

    /// Provider blocks of the files that a person may edit whose source has identity rules, each
    /// with the uses of its module.
    pub fn providers(&self) -> impl Iterator<Item = (&Arc<ModuleFile>, &Provider, &[Use])> {
        self.editable_files().flat_map(move |file| {
            let uses = self.uses(file);
            let module = uses.first().map(|at| &self.node(*at).module);
            let blocks = module.into_iter().flat_map(|it| it.providers());
            blocks
                .filter(move |(of, provider)| {
                    let source = module.and_then(|it| it.source_of(&provider.name));
                    of.path == file.path && source.is_some_and(|it| self.registry.supports(&it))
                })
                .map(move |(of, provider)| (of, provider, uses))
        })
    }
}
