//! What the configuration says of each resource's tags, and of each provider block's.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::config::{
    Argument, Declared, Merged, ModuleFile, ProviderInstance, ProviderRef, provider_name,
};
use crate::eval::{Data, Found, Place};
use crate::identity::{Address, IDENTITY_TAG, Key, REALM_TAG, Section};
use crate::syntax::{BlockId, Expression};

use super::evaluation::{Evaluation, Instances, Repetition, Unknown};
use super::ignored_tags::IgnoredTags;
use super::rows::Site;
use super::tags::{Tag, Tags};
use super::tree::{Served, Tree};

/// What the configuration says of one resource instance.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The block.
    pub site: Site,
    /// The row, when there is one.
    pub row: Option<usize>,
    /// The resource's own tags.
    pub own: Arc<Tags>,
    /// The gantrycd keys in its tag blocks, which never count.
    pub in_blocks: Vec<(&'static str, Place)>,
    /// The default tags of the provider configuration that serves it.
    pub default: Arc<Tags>,
    /// The provider block that serves it.
    pub provider: Option<Declared>,
    /// The tags that this provider configuration keeps from the state.
    pub ignored: Arc<IgnoredTags>,
    /// Its provider source in full, where it can be said.
    pub source: Option<Arc<str>>,
}

impl Configured {
    /// The realm tag that counts: its own before the default one.
    pub fn realm(&self) -> &Tag {
        match self.own.realm.is_absent() {
            true => &self.default.realm,
            false => &self.own.realm,
        }
    }
}

/// What the configuration says of one provider block.
#[derive(Clone, Debug)]
pub struct ConfiguredProvider {
    /// Which module of the tree.
    pub node: usize,
    /// The block.
    pub block: Declared,
    /// Its default tags.
    pub tags: Arc<Tags>,
    /// The tags that it keeps from the state.
    pub ignored: Arc<IgnoredTags>,
    /// The addresses in its `endpoints` that are known, each with where it was written, in order.
    pub endpoints: Vec<(Arc<str>, Place)>,
    /// Its provider source in full, where it can be said.
    pub source: Option<Arc<str>>,
}

/// Reads the configuration of one stack, resource by resource.
pub(super) struct Reader<'a> {
    tree: &'a Tree,
    evaluation: &'a Evaluation<'a>,
    /// What provider blocks say of tags, by module instance, file, block and key.
    sections: FxHashMap<(usize, usize, BlockId, Option<Key>), Sections>,
    /// What serves a module's provider configurations, by module and instance.
    services: FxHashMap<(usize, usize, Option<ProviderRef>), Service>,
    /// Shared by all that have no tags, and by all that nobody can read.
    absent: Arc<Tags>,
    unknown: Arc<Tags>,
    nothing_ignored: Arc<IgnoredTags>,
}

/// What a provider block says of the tags of all its resources.
#[derive(Clone)]
struct Sections {
    default: Arc<Tags>,
    ignored: Arc<IgnoredTags>,
}

/// What serves a resource.
#[derive(Clone)]
pub(super) struct Service {
    /// Its default tags.
    pub(super) default: Arc<Tags>,
    /// Its block, when it has one.
    pub(super) provider: Option<Declared>,
    /// The tags that it keeps from the state.
    pub(super) ignored: Arc<IgnoredTags>,
    /// Its provider source in full, where it can be said.
    pub(super) source: Option<Arc<str>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tree: &'a Tree, evaluation: &'a Evaluation<'a>) -> Self {
        Self {
            tree,
            evaluation,
            sections: FxHashMap::default(),
            services: FxHashMap::default(),
            absent: Arc::new(Tags::ABSENT),
            unknown: Arc::new(Tags::UNKNOWN),
            nothing_ignored: Arc::default(),
        }
    }

    /// What it says of the resource instance at `address`.
    pub(super) fn resource(
        &mut self,
        site: Site,
        address: &Address,
        row: Option<usize>,
    ) -> Configured {
        let instance = self.evaluation.instance(&address.module);
        let instance = instance.unwrap_or_else(|| self.evaluation.any_instance(site.node));
        let resource = &self.tree.nodes()[site.node].module.resources()[site.resource];
        let repetition = self.evaluation.repetition(instance, resource, &address.key);
        self.instance(site, instance, &repetition, row)
    }

    /// What it says of one instance of a resource in an instance of its module.
    pub(super) fn instance(
        &mut self,
        site: Site,
        instance: usize,
        repetition: &Repetition,
        row: Option<usize>,
    ) -> Configured {
        let module = &self.tree.nodes()[site.node].module;
        let resource = &module.resources()[site.resource];
        let own = match resource.attribute("tags") {
            Some(tags) => {
                let tags = Tags::of(&self.evaluation.evaluate(instance, repetition, tags));
                // nearly all of them, and there are many
                match tags.say_nothing() {
                    true => self.absent.clone(),
                    false => Arc::new(tags),
                }
            }
            // a block of that name is a slip, or something else
            None if resource.is_whole() && resource.blocks("tags").is_empty() => {
                self.absent.clone()
            }
            None => self.unknown.clone(),
        };
        let service = self.service(site.node, instance, module.provider_of(resource));
        Configured {
            site,
            row,
            own,
            in_blocks: self.keys_in_blocks(instance, repetition, resource),
            default: service.default,
            provider: service.provider,
            ignored: service.ignored,
            source: service.source,
        }
    }

    /// What serves a provider configuration of the module at `node`.
    pub(super) fn service(
        &mut self,
        node: usize,
        instance: usize,
        wanted: Option<ProviderRef>,
    ) -> Service {
        let key = (node, instance, wanted);
        if let Some(known) = self.services.get(&key) {
            return known.clone();
        }
        let module = &self.tree.nodes()[node].module;
        let wanted = key.2.as_ref();
        let source = wanted.and_then(|it| module.source_of(&it.name));
        let served = match wanted {
            Some(wanted) => self.tree.served_by(node, wanted.clone()),
            None => Served::Unknown,
        };
        let (sections, provider) = match served {
            Served::Implicit => (self.sections_of_none(self.absent.clone()), None),
            // whatever it ignores counts for what it may have, which is not known either
            Served::Unknown => (self.sections_of_none(self.unknown.clone()), None),
            Served::Block {
                node,
                provider,
                instance: of,
            } => {
                let (instance, of) = self.provider_instance(instance, node, provider, of);
                (self.sections(provider, instance, &of), Some(provider))
            }
        };
        let service = Service {
            default: sections.default,
            provider: provider.map(|it| it.base().clone()),
            ignored: sections.ignored,
            source: source.map(Into::into),
        };
        self.services.insert(key, service.clone());
        service
    }

    /// Which instance of a provider block of the module at `node` serves an instance of a module
    /// below it, and in which instance of its own module it is.
    fn provider_instance(
        &self,
        instance: usize,
        node: usize,
        provider: &Merged,
        of: ProviderInstance,
    ) -> (usize, Repetition) {
        let above = self.evaluation.above(instance, node);
        let instance = above.unwrap_or_else(|| self.evaluation.any_instance(node));
        let key = match of {
            ProviderInstance::Named(key) => Some(Key::Name((*key).into())),
            ProviderInstance::Single | ProviderInstance::Unknown => None,
        };
        let of = self.evaluation.repetition(instance, provider, &key);
        (instance, of)
    }

    /// What keeps anybody from telling what a section says of a tag of the resource instance at
    /// `address`. Empty where nothing does, and where that is not known either.
    pub(super) fn unknowns(
        &self,
        site: Site,
        address: &Address,
        section: Section,
        key: &str,
    ) -> Vec<Unknown> {
        let instance = self.evaluation.instance(&address.module);
        let instance = instance.unwrap_or_else(|| self.evaluation.any_instance(site.node));
        let module = &self.tree.nodes()[site.node].module;
        let resource = &module.resources()[site.resource];
        if section == Section::Own {
            let repetition = self.evaluation.repetition(instance, resource, &address.key);
            let tags = resource.attribute("tags");
            return tags.map_or_else(Vec::new, |tags| {
                self.evaluation.unknowns(instance, &repetition, tags, key)
            });
        }
        let wanted = module.provider_of(resource);
        let served = wanted.map(|it| self.tree.served_by(site.node, it));
        let Some(Served::Block {
            node,
            provider,
            instance: of,
        }) = served
        else {
            return Vec::new();
        };
        let (instance, of) = self.provider_instance(instance, node, provider, of);
        let [(file, block)] = &provider.blocks("default_tags")[..] else {
            return Vec::new();
        };
        let tags = block.body.attribute("tags");
        tags.map_or_else(Vec::new, |value| {
            let value = value.clone();
            let tags = Argument { file, value };
            self.evaluation.unknowns(instance, &of, tags, key)
        })
    }

    fn sections_of_none(&self, default: Arc<Tags>) -> Sections {
        Sections {
            default,
            ignored: self.nothing_ignored.clone(),
        }
    }

    /// What an instance of a provider block in an instance of its module says of tags.
    fn sections(
        &mut self,
        provider: &Merged,
        instance: usize,
        repetition: &Repetition,
    ) -> Sections {
        let block = provider.base().id();
        let file = Arc::as_ptr(&provider.base().file) as usize;
        let key = (instance, file, block, repetition.key().cloned());
        if let Some(known) = self.sections.get(&key) {
            return known.clone();
        }
        let sections = Sections {
            default: Arc::new(self.default_tags(provider, instance, repetition)),
            ignored: Arc::new(self.ignored_tags(provider, instance, repetition)),
        };
        self.sections.insert(key, sections.clone());
        sections
    }

    fn default_tags(&self, provider: &Merged, instance: usize, repetition: &Repetition) -> Tags {
        let dynamic = provider.dynamic_blocks("default_tags");
        match &provider.blocks("default_tags")[..] {
            _ if !dynamic.is_empty() => Tags::UNKNOWN,
            [] if provider.is_whole() && provider.attribute("default_tags").is_none() => {
                Tags::ABSENT
            }
            [(file, block)] => match block.body.attribute("tags") {
                Some(value) => {
                    let value = value.clone();
                    let argument = Argument { file, value };
                    Tags::of(&self.evaluation.evaluate(instance, repetition, argument))
                }
                // a block of that name is a slip
                None if block.body.unreadable.is_empty() && block.body.blocks.is_empty() => {
                    Tags::ABSENT
                }
                None => Tags::UNKNOWN,
            },
            // Terraform takes at most one
            _ => Tags::UNKNOWN,
        }
    }

    fn ignored_tags(
        &self,
        provider: &Merged,
        instance: usize,
        repetition: &Repetition,
    ) -> IgnoredTags {
        let dynamic = provider.dynamic_blocks("ignore_tags");
        match &provider.blocks("ignore_tags")[..] {
            _ if !dynamic.is_empty() || !provider.is_whole() => IgnoredTags::UNKNOWN,
            [] => IgnoredTags::default(),
            [(file, block)] if block.body.unreadable.is_empty() => {
                let argument = |name| {
                    let value = block.body.attribute(name)?.clone();
                    let argument = Argument { file, value };
                    Some(self.evaluation.evaluate(instance, repetition, argument))
                };
                let (keys, prefixes) = (argument("keys"), argument("key_prefixes"));
                IgnoredTags::of(keys.as_ref(), prefixes.as_ref())
            }
            _ => IgnoredTags::UNKNOWN,
        }
    }

    /// The addresses in the `endpoints` blocks of a provider.
    fn endpoints(
        &self,
        provider: &Merged,
        instance: usize,
        repetition: &Repetition,
    ) -> Vec<(Arc<str>, Place)> {
        let mut found = Vec::new();
        for (file, block) in provider.blocks("endpoints") {
            for attribute in &block.body.attributes {
                let argument = Argument {
                    file,
                    value: attribute.value.clone(),
                };
                let value = self.evaluation.evaluate(instance, repetition, argument);
                if let (Data::Text(text), Some(origin), false) =
                    (value.data, value.origin, value.sensitive)
                {
                    found.push((text, origin.place));
                }
            }
        }
        found
    }

    /// What it says of every provider block of the module at `node`.
    pub(super) fn providers(&mut self, node: usize) -> Vec<ConfiguredProvider> {
        let mut all = Vec::new();
        let module = &self.tree.nodes()[node].module;
        for provider in module.providers() {
            let instance = self.evaluation.any_instance(node);
            let source = module.source_of(provider_name(provider));
            let source: Option<Arc<str>> = source.map(Into::into);
            let each = match self.evaluation.instances_of(instance, provider) {
                Instances::Known(each) => each.all.to_vec(),
                Instances::Unknown => vec![Repetition::Unknown],
            };
            for of in &each {
                let sections = self.sections(provider, instance, of);
                all.push(ConfiguredProvider {
                    node,
                    block: provider.base().clone(),
                    tags: sections.default,
                    ignored: sections.ignored,
                    endpoints: self.endpoints(provider, instance, of),
                    source: source.clone(),
                });
            }
        }
        all
    }

    /// The gantrycd keys in `tag` and `tags` blocks, dynamic ones included.
    fn keys_in_blocks(
        &self,
        instance: usize,
        repetition: &Repetition,
        resource: &Merged,
    ) -> Vec<(&'static str, Place)> {
        let mut found = Vec::new();
        if !resource.has_blocks(&["tag", "tags"]) {
            return found;
        }
        let evaluate = |file: &Arc<ModuleFile>, value: &Arc<Expression>| {
            let value = value.clone();
            let argument = Argument { file, value };
            self.evaluation.evaluate(instance, repetition, argument)
        };
        let mut add = |key: &str, place: Option<Place>| {
            let ours = [IDENTITY_TAG, REALM_TAG].into_iter().find(|it| *it == key);
            found.extend(ours.zip(place));
        };
        for keyword in ["tag", "tags"] {
            for (file, block) in resource.blocks(keyword) {
                if let Some(key) = block.body.attribute("key") {
                    let key = evaluate(file, key);
                    let place = key.origin.as_ref().map(|it| it.place.clone());
                    add(key.as_text().unwrap_or_default(), place);
                }
            }
        }
        let dynamic = ["tag", "tags"].map(|it| resource.dynamic_blocks(it));
        for (file, block) in dynamic.into_iter().flatten() {
            let Some(each) = block.body.attribute("for_each") else {
                continue;
            };
            let each = evaluate(file, each);
            for entry in each.entries() {
                add(&entry.key, entry.written.clone());
            }
            // a list of objects, each with its key
            for element in each.elements() {
                if let Found::Entry(entry) = element.get("key") {
                    let place = entry.value.origin.as_ref().map(|it| it.place.clone());
                    add(entry.value.as_text().unwrap_or_default(), place);
                }
            }
        }
        found
    }
}
