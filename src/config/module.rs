//! The files of one directory taken together: a module.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxBuildHasher;

use crate::identity::Mode;

use super::facts::{Backend, Facts};
use super::{
    Alias, Argument, Block, Declared, Merged, ModuleFile, Named, ProviderRef, provider_source,
};

/// A module: the configuration files of one directory.
#[derive(Debug)]
pub struct Module {
    /// The directory's absolute path.
    pub directory: Arc<Path>,
    /// Its files in the order in which Terraform reads them: override files last.
    pub files: Vec<Arc<ModuleFile>>,
    /// Whether it has, or will have, files that were not read: there may be more to it than is here.
    pub unread: bool,
    /// `resource` and `data` blocks, sorted by mode, type and name.
    resources: Vec<Merged>,
    /// Where in these a block stands, by the hash of what it declares.
    by_hash: Box<[(u32, u32)]>,
    /// `provider` blocks, in order.
    providers: Vec<Merged>,
    /// `module` blocks by name.
    pub calls: Named<Merged>,
    /// `variable` blocks by name.
    pub variables: Named<Merged>,
    /// `output` blocks by name.
    pub outputs: Named<Merged>,
    /// `locals` blocks, in order.
    locals: Vec<Declared>,
    /// Where each local value is: which of these blocks, and which of its attributes.
    local_places: OnceLock<HashMap<Box<str>, (u32, u32)>>,
    /// `terraform` blocks, in order.
    settings: Vec<Declared>,
    facts: Facts,
    /// `moved`, `removed` and `import` blocks, in order.
    pub refactorings: Vec<Declared>,
}

/// The blocks of a module that have one name each, in order.
#[derive(Default)]
struct NamedBlocks {
    calls: Vec<(Box<str>, Merged)>,
    variables: Vec<(Box<str>, Merged)>,
    outputs: Vec<(Box<str>, Merged)>,
}

/// Whether Terraform reads a file of this name as configuration.
pub fn is_configuration(name: &str) -> bool {
    [".tf", ".tofu", ".tf.json", ".tofu.json"]
        .iter()
        .any(|it| name.ends_with(it))
        && !is_ignored(name)
}

/// Whether Terraform passes over a file of this name, as it does over those that editors leave
/// (`configs.IsIgnoredFile`).
pub fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'))
}

impl Module {
    /// The module of a directory. `files` are all of its configuration files that were read;
    /// `unread` says whether there are others.
    pub fn new(directory: Arc<Path>, files: Vec<Arc<ModuleFile>>, unread: bool) -> Self {
        // of a damaged JSON file nothing is known, not even which blocks it has
        let damaged = files.iter().any(|it| match it.syntax() {
            None => !it.is_whole(),
            // a block of an override file changes who knows what if its header cannot be read
            Some(_) => is_override(&name_of(it)) && it.may_have_another(""),
        });
        let mut module = Self {
            directory,
            files: in_order(files),
            unread: unread || damaged,
            resources: Vec::new(),
            by_hash: Box::default(),
            providers: Vec::new(),
            calls: Named::default(),
            variables: Named::default(),
            outputs: Named::default(),
            locals: Vec::new(),
            local_places: OnceLock::new(),
            settings: Vec::new(),
            facts: Facts::default(),
            refactorings: Vec::new(),
        };
        let files = module.files.clone();
        let mut named = NamedBlocks::default();
        let mut overriding = Vec::new();
        for file in &files {
            let changes = is_override(&name_of(file));
            for id in file.block_ids() {
                let declared = Declared::new(file, id);
                match changes {
                    true => overriding.push(declared),
                    false => module.add(&declared, &mut named),
                }
            }
        }
        let key = |it: &Merged| it.base().block().resource().map(owned);
        module.resources.sort_by_cached_key(key);
        module.resources.shrink_to_fit();
        module.by_hash = by_hash(&module.resources);
        // of two with one name Terraform refuses the second
        module.calls = named.calls.into_iter().collect();
        module.variables = named.variables.into_iter().collect();
        module.outputs = named.outputs.into_iter().collect();
        module.facts.aliases = module.providers.iter().map(alias).collect();
        for part in overriding {
            module.change(&part);
        }
        module
            .facts
            .read(&module.settings, &module.calls, &module.providers);
        module
    }

    fn add(&mut self, declared: &Declared, named: &mut NamedBlocks) {
        let block = declared.block();
        let declared = declared.clone();
        match (block.keyword, block.labels.len()) {
            ("resource" | "data", 2) => self.resources.push(Merged::new(declared)),
            ("provider", 1) => self.providers.push(Merged::new(declared)),
            ("terraform", 0) => self.settings.push(declared),
            ("locals", 0) => self.locals.push(declared),
            ("moved" | "removed" | "import", 0) => self.refactorings.push(declared),
            (keyword @ ("module" | "variable" | "output"), 1) => {
                let named = match keyword {
                    "module" => &mut named.calls,
                    "variable" => &mut named.variables,
                    _ => &mut named.outputs,
                };
                let label = block.label().map(Into::into);
                named.extend(label.map(|it| (it, Merged::new(declared))));
            }
            _ => {}
        }
    }

    /// Has a block of an override file change what it names. One that names nothing changes
    /// nothing: Terraform refuses it.
    fn change(&mut self, part: &Declared) {
        let block = part.block();
        let part = part.clone();
        let changed = match (block.keyword, block.label()) {
            ("terraform", _) => {
                self.settings.push(part);
                return;
            }
            ("locals", _) => {
                self.locals.push(part);
                return;
            }
            ("module", Some(name)) => self.calls.get_mut(name),
            ("variable", Some(name)) => self.variables.get_mut(name),
            ("output", Some(name)) => self.outputs.get_mut(name),
            ("provider", Some(name)) => {
                let new = Merged::new(part.clone());
                let alias = alias(&new);
                let mut known = self.providers.iter().zip(&self.facts.aliases);
                let changed = known.position(|(it, of)| provider_name(it) == name && *of == alias);
                match changed {
                    Some(at) => {
                        self.providers[at].change(part);
                        self.facts.aliases[at] = self::alias(&self.providers[at]);
                    }
                    // a default configuration without a block is an empty one
                    None if alias == Alias::None => {
                        self.providers.push(new);
                        self.facts.aliases.push(alias);
                    }
                    None => {}
                }
                return;
            }
            _ => match block.resource() {
                Some(wanted) => self
                    .resources
                    .iter_mut()
                    .find(|it| it.base().block().resource() == Some(wanted)),
                None => None,
            },
        };
        if let Some(changed) = changed {
            changed.change(part);
        }
    }

    /// The resource of this mode, type and name. Of two that declare the same (which Terraform
    /// refuses), the first.
    pub fn resource(&self, mode: Mode, resource_type: &str, name: &str) -> Option<&Merged> {
        let at = self.resource_index(mode, resource_type, name)?;
        Some(&self.resources[at])
    }

    /// Which of [`Module::resources`] that is.
    pub fn resource_index(&self, mode: Mode, resource_type: &str, name: &str) -> Option<usize> {
        let wanted = (mode, resource_type, name);
        let hash = hash(wanted);
        let first = self.by_hash.partition_point(|it| it.0 < hash);
        let same = self.by_hash[first..].iter();
        let mut same = same.take_while(|it| it.0 == hash).map(|it| it.1 as usize);
        same.find(|at| self.resources[*at].base().block().resource() == Some(wanted))
    }

    /// Whether every block of it was recognised: what is not here is not there.
    pub fn is_whole(&self) -> bool {
        !self.unread && self.files.iter().all(|it| it.is_whole())
    }

    /// All resources, sorted by mode, type and name.
    pub fn resources(&self) -> &[Merged] {
        &self.resources
    }

    /// The resource that a block of a file declares; `None` where another block declares the same,
    /// or where the block only changes another.
    pub fn declares(&self, file: &ModuleFile, block: &Block) -> Option<&Merged> {
        let at = self.declares_at(file, block)?;
        Some(&self.resources[at])
    }

    /// Which of [`Module::resources`] that is.
    pub fn declares_at(&self, file: &ModuleFile, block: &Block) -> Option<usize> {
        let (mode, resource_type, name) = block.resource()?;
        let at = self.resource_index(mode, resource_type, name)?;
        let base = self.resources[at].base();
        (base.file.path == file.path && base.id() == block.id).then_some(at)
    }

    /// Provider blocks, in order.
    pub fn providers(&self) -> &[Merged] {
        &self.providers
    }

    /// The provider block for a provider configuration of this module.
    pub fn provider(&self, wanted: &ProviderRef) -> Option<&Merged> {
        let mut providers = self.providers.iter().zip(&self.facts.aliases);
        let found = providers.find(|(it, alias)| {
            *provider_name(it) == *wanted.name
                && match (alias, &wanted.alias) {
                    (Alias::None, None) => true,
                    (Alias::Named(alias), Some(wanted)) => alias == wanted,
                    _ => false,
                }
        });
        Some(found?.0)
    }

    /// The provider blocks for a configuration of the provider at `source`, whatever the module
    /// calls it: Terraform refuses a second one. `None` where there may be others.
    pub fn providers_at(&self, source: &str, wanted: Option<&str>) -> Option<Vec<&Merged>> {
        if self.unread || self.files.iter().any(|it| it.may_have_another("provider")) {
            return None;
        }
        let mut found = Vec::new();
        for (provider, alias) in self.providers.iter().zip(&self.facts.aliases) {
            if self.source_of(provider_name(provider))? != source {
                continue;
            }
            match (alias, wanted) {
                (Alias::Unknown, _) => return None,
                (Alias::None, None) => found.push(provider),
                (Alias::Named(alias), Some(wanted)) if **alias == *wanted => found.push(provider),
                _ => {}
            }
        }
        Some(found)
    }

    /// The value of a local, and the file that it was written in.
    pub fn local(&self, name: &str) -> Option<Argument<'_>> {
        let places = self.local_places.get_or_init(|| {
            let mut places = HashMap::new();
            for (block, declared) in self.locals.iter().enumerate() {
                for (at, it) in declared.body().attributes.iter().enumerate() {
                    places.insert(it.name.text.clone(), (block as u32, at as u32));
                }
            }
            places
        });
        let (block, at) = *places.get(name)?;
        let declared = &self.locals[block as usize];
        Some(Argument {
            file: &declared.file,
            value: declared.body().attributes.get(at as usize)?.value.clone(),
        })
    }

    /// The provider source, in full, that a local name stands for. `None` where it cannot be said.
    pub fn source_of(&self, local_name: &str) -> Option<String> {
        if let Some(declared) = self.facts.sources.get(local_name) {
            return declared.as_deref().map(provider_source);
        }
        let mut files = self.files.iter();
        let sure = self.facts.sources_are_whole
            && !self.unread
            && !files.any(|it| it.may_have_another("required_providers"));
        sure.then(|| provider_source(local_name))
    }

    /// The source of a call of this module as it is written, when it is a literal.
    pub fn call_source(&self, name: &str) -> Option<&str> {
        self.facts.call_sources.get(name).map(|it| &**it)
    }

    /// The version constraint of a call of this module, when it is a literal.
    pub fn call_version(&self, name: &str) -> Option<&str> {
        self.facts.call_versions.get(name).map(|it| &**it)
    }

    /// Whether a provider block says anything: it is no mere stand-in for a caller's.
    pub fn configures_a_provider(&self) -> bool {
        self.facts.configures_a_provider
    }

    /// The provider configuration that serves a resource, as this module names it. `None` where
    /// the `provider` argument cannot be read.
    pub fn provider_of(&self, resource: &Merged) -> Option<ProviderRef> {
        match resource.attribute("provider") {
            Some(argument) => ProviderRef::read(&argument.value),
            None if resource.is_whole() => {
                let (_, resource_type, _) = resource.base().block().resource()?;
                Some(ProviderRef::default_of(resource_type.split('_').next()?))
            }
            None => None,
        }
    }

    /// The backend or `cloud` block.
    pub fn backend(&self) -> Option<&Backend> {
        self.facts.backend.as_ref()
    }
}

/// Whether the blocks of a file of this name only change those of other files.
pub fn is_override(name: &str) -> bool {
    let mut endings = [".tf.json", ".tofu.json", ".tf", ".tofu"].iter();
    let stem = endings.find_map(|it| name.strip_suffix(it));
    stem.is_some_and(|it| it == "override" || it.ends_with("_override"))
}

/// The label of a provider block.
pub fn provider_name(provider: &Merged) -> &str {
    provider.base().block().label().unwrap_or_default()
}

fn alias(provider: &Merged) -> Alias {
    match provider.base().glance().attribute("alias") {
        Some(alias) => match alias.literal() {
            Some((alias, _)) => Alias::Named(alias.into()),
            None => Alias::Unknown,
        },
        None if provider.is_whole() => Alias::None,
        None => Alias::Unknown,
    }
}

fn owned((mode, resource_type, name): (Mode, &str, &str)) -> (Mode, Box<str>, Box<str>) {
    (mode, resource_type.into(), name.into())
}

/// Where each of these stands, sorted by the hash of what it declares.
fn by_hash(resources: &[Merged]) -> Box<[(u32, u32)]> {
    let all = resources.iter().enumerate();
    let all = all.filter_map(|(at, it)| Some((hash(it.base().block().resource()?), at as u32)));
    let mut all: Box<[_]> = all.collect();
    all.sort_unstable();
    all
}

fn hash(declared: (Mode, &str, &str)) -> u32 {
    (FxBuildHasher.hash_one(declared) >> 32) as u32
}

fn name_of(file: &ModuleFile) -> std::borrow::Cow<'_, str> {
    file.path.file_name().unwrap_or_default().to_string_lossy()
}

/// The files as OpenTofu reads them: `x.tofu` stands in for `x.tf`, and override files come last.
fn in_order(mut files: Vec<Arc<ModuleFile>>) -> Vec<Arc<ModuleFile>> {
    let tofu: BTreeSet<String> = files
        .iter()
        .map(|it| name_of(it))
        .filter(|it| it.ends_with(".tofu") || it.ends_with(".tofu.json"))
        .map(|it| it.replace(".tofu", ".tf"))
        .collect();
    files.retain(|it| !tofu.contains(&*name_of(it)));
    files.sort_by_cached_key(|it| (is_override(&name_of(it)), it.path.clone()));
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProviderInstance;
    use crate::text::Source;

    fn module(files: &[(&str, &str)]) -> Module {
        let read = |(name, text): &(&str, &str)| {
            let path = Path::new("/stack").join(name);
            Arc::new(ModuleFile::read(path.into(), Source::new(text)))
        };
        let files = files.iter().map(read).collect();
        Module::new(Path::new("/stack").into(), files, false)
    }

    #[test]
    fn which_files_override() {
        for name in [
            "override.tf",
            "override.tf.json",
            "override.tofu",
            "x_override.tf",
            "x.y_override.tf",
            "_override.tofu.json",
        ] {
            assert!(is_override(name), "{name}");
        }
        for name in [
            "main.tf",
            "overrides.tf",
            "override.x.tf",
            "x_override.y.tf",
            "my-override.tf",
            "override_x.tf.json",
        ] {
            assert!(!is_override(name), "{name}");
        }
    }

    #[test]
    fn a_default_provider_configuration_needs_no_block_to_override() {
        let module = module(&[
            ("main.tf", "provider \"aws\" {\n  alias = \"a\"\n}\n"),
            (
                "override.tf",
                "provider \"aws\" {\n  region = \"r\"\n}\nprovider \"aws\" {\n  alias = \"b\"\n}\n",
            ),
        ]);
        let name = |alias: Option<&str>| ProviderRef {
            name: "aws".into(),
            alias: alias.map(Into::into),
            instance: ProviderInstance::Single,
        };
        assert!(module.provider(&name(None)).is_some());
        assert!(module.provider(&name(Some("a"))).is_some());
        // Terraform refuses it
        assert!(module.provider(&name(Some("b"))).is_none());
    }

    #[test]
    fn nested_blocks_replace_those_of_their_kind_dynamic_or_not() {
        let module = module(&[
            (
                "main.tf",
                "resource \"x\" \"a\" {\n  tag {\n    key = 1\n  }\n  dynamic \"tag\" {\n  }\n  dynamic \"rule\" {\n  }\n  other {\n  }\n}\n",
            ),
            (
                "a_override.tf",
                "resource \"x\" \"a\" {\n  tag {\n    key = 2\n  }\n  tag {\n    key = 3\n  }\n  rule {\n  }\n}\n",
            ),
        ]);
        let resource = module.resource(Mode::Managed, "x", "a").unwrap();
        assert_eq!(resource.blocks("tag").len(), 2);
        assert_eq!(resource.dynamic_blocks("tag").len(), 0);
        assert_eq!(resource.blocks("rule").len(), 1);
        assert_eq!(resource.dynamic_blocks("rule").len(), 0);
        assert_eq!(resource.blocks("other").len(), 1);
    }
}
