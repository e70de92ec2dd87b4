//! The files of one directory taken together: a module.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::identity::Mode;
use crate::syntax::BlockId;

use super::{Alias, Backend, Call, ModuleFile, Passed, Provider, ProviderRef, Resource};

/// A module: the configuration files of one directory.
#[derive(Debug)]
pub struct Module {
    /// The directory's absolute path.
    pub directory: Arc<Path>,
    /// Its files in the order in which Terraform reads them: override files last.
    pub files: Vec<Arc<ModuleFile>>,
    /// Places of resources in `files`, sorted by what they declare.
    resources: Vec<(u32, u32)>,
    /// Resources that an override file changes, by file and position: nobody can say yet what
    /// their bodies come to.
    overridden: BTreeSet<(u32, u32)>,
    /// Whether there may be provider blocks, or arguments of them, that are not read: in an
    /// override file, or in JSON.
    providers_open: bool,
    /// Whether there are files that are not read, which may name provider sources.
    unread: bool,
}

/// A resource and the file that declares it.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The file.
    pub file: Arc<ModuleFile>,
    index: u32,
}

impl Declared {
    /// The resource block.
    pub fn resource(&self) -> &Resource {
        &self.file.resources[self.index as usize]
    }

    /// The block within its file.
    pub fn block(&self) -> BlockId {
        self.resource().block
    }
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

/// Whether the blocks of a file of this name only change those of other files.
pub fn is_override(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    stem == "override" || stem.ends_with("_override")
}

/// A provider source in full: `hashicorp/aws` is `registry.terraform.io/hashicorp/aws`.
pub fn provider_source(source: &str) -> String {
    match source.matches('/').count() {
        0 => format!("registry.terraform.io/hashicorp/{source}"),
        1 => format!("registry.terraform.io/{source}"),
        _ => source.to_owned(),
    }
}

impl Module {
    /// The module of a directory. `files` are all of its configuration files that were read;
    /// `unread` says whether there are others.
    pub fn new(directory: Arc<Path>, mut files: Vec<Arc<ModuleFile>>, unread: bool) -> Self {
        let name = |file: &ModuleFile| {
            let name = file.path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        // a file `x.tofu` stands in for `x.tf`
        let tofu: BTreeSet<String> = files
            .iter()
            .filter_map(|file| name(file).strip_suffix(".tofu").map(str::to_owned))
            .collect();
        files.retain(|file| {
            let name = name(file);
            !name
                .strip_suffix(".tf")
                .is_some_and(|stem| tofu.contains(stem))
        });
        let is_override = |file: &Arc<ModuleFile>| is_override(&name(file));
        files.sort_by_cached_key(|file| (is_override(file), file.path.clone()));

        let mut resources = Vec::new();
        let mut overridden = BTreeSet::new();
        let mut providers_open = unread;
        let of = |(file, index): (u32, u32)| {
            let resource = &files[file as usize].resources[index as usize];
            (resource.mode, &*resource.resource_type, &*resource.name)
        };
        for (at, file) in files.iter().enumerate() {
            let base = !is_override(file);
            providers_open |= !base && !file.providers.is_empty();
            for index in 0..file.resources.len() {
                let place = (at as u32, index as u32);
                if base {
                    resources.push(place);
                } else {
                    let same = resources.iter().filter(|it| of(**it) == of(place));
                    overridden.extend(same.copied().collect::<Vec<_>>());
                }
            }
        }
        resources.sort_by(|a, b| of(*a).cmp(&of(*b)));
        Self {
            directory,
            resources,
            overridden,
            providers_open,
            unread,
            files,
        }
    }

    /// The block that declares a resource. Of two that declare the same (which Terraform refuses),
    /// the first.
    pub fn resource(&self, mode: Mode, resource_type: &str, name: &str) -> Option<Declared> {
        let key = |place: &(u32, u32)| {
            let resource = self.at(*place);
            (resource.mode, &*resource.resource_type, &*resource.name)
        };
        let first = self
            .resources
            .partition_point(|it| key(it) < (mode, resource_type, name));
        let place = self.resources.get(first)?;
        (key(place) == (mode, resource_type, name)).then(|| self.declared(*place))
    }

    /// The block of a file as what the module declares; `None` where another block declares the
    /// same, or where the file's blocks only change others.
    pub fn declares(&self, file: &ModuleFile, resource: &Resource) -> Option<Declared> {
        self.resource(resource.mode, &resource.resource_type, &resource.name)
            .filter(|it| it.file.path == file.path && it.block() == resource.block)
    }

    fn at(&self, (file, index): (u32, u32)) -> &Resource {
        &self.files[file as usize].resources[index as usize]
    }

    fn declared(&self, (file, index): (u32, u32)) -> Declared {
        Declared {
            file: self.files[file as usize].clone(),
            index,
        }
    }

    /// Whether an override file changes this resource, so that its block alone does not say what
    /// it comes to.
    pub fn is_overridden(&self, declared: &Declared) -> bool {
        !self.overridden.is_empty()
            && self.overridden.iter().any(|(file, index)| {
                Arc::ptr_eq(&self.files[*file as usize], &declared.file) && *index == declared.index
            })
    }

    /// Module calls with their files, in order.
    pub fn calls(&self) -> impl Iterator<Item = (&Arc<ModuleFile>, &Call)> {
        self.files
            .iter()
            .flat_map(|file| file.calls.iter().map(move |call| (file, call)))
    }

    /// Provider blocks with their files, in order. None where there may be more to them than was
    /// read: what they come to cannot be said.
    pub fn providers(&self) -> impl Iterator<Item = (&Arc<ModuleFile>, &Provider)> {
        self.files
            .iter()
            .filter(|_| !self.providers_open)
            .flat_map(|file| file.providers.iter().map(move |it| (file, it)))
    }

    /// Whether the module certainly has no provider block for this configuration.
    pub fn lacks_provider(&self, wanted: &ProviderRef) -> bool {
        let may_be = |it: &Provider| it.name == wanted.name && it.alias == Alias::Unknown;
        !self.providers_open
            && self.provider(wanted).is_none()
            && !self.providers().any(|(_, it)| may_be(it))
    }

    /// The provider block for a provider configuration of this module.
    pub fn provider(&self, wanted: &ProviderRef) -> Option<(&Arc<ModuleFile>, &Provider)> {
        self.providers().find(|(_, it)| {
            *it.name == *wanted.name
                && match (&it.alias, &wanted.alias) {
                    (Alias::None, None) => true,
                    (Alias::Named(alias), Some(wanted)) => alias == wanted,
                    _ => false,
                }
        })
    }

    /// The provider source, in full, that a local name stands for: an override file's word counts
    /// before the others'. `None` where it cannot be said.
    pub fn source_of(&self, local_name: &str) -> Option<String> {
        let declared = self
            .files
            .iter()
            .rev()
            .flat_map(|file| &file.settings)
            .flat_map(|it| &it.required_providers)
            .find(|(name, _)| **name == *local_name);
        match declared {
            Some((_, source)) => source.as_deref().map(provider_source),
            None => (!self.unread).then(|| provider_source(local_name)),
        }
    }

    /// The provider configuration that serves a resource, as this module names it. `None` where
    /// the `provider` argument cannot be read.
    pub fn provider_of(&self, declared: &Declared) -> Option<ProviderRef> {
        if self.is_overridden(declared) {
            return None;
        }
        let resource = declared.resource();
        match &declared.file.body(resource)?.provider {
            Some(argument) => argument.clone(),
            None => Some(ProviderRef {
                name: resource.resource_type.split('_').next()?.into(),
                alias: None,
            }),
        }
    }

    /// The backend or `cloud` block and its file.
    pub fn backend(&self) -> Option<(&Arc<ModuleFile>, &Backend)> {
        self.files.iter().rev().find_map(|file| {
            let backend = file.settings.iter().find_map(|it| it.backend.as_ref())?;
            Some((file, backend))
        })
    }
}

impl Call {
    /// The caller's provider configuration that stands for `wanted` in the called module. `None`
    /// where none is passed, or where that cannot be said.
    pub fn pass(&self, wanted: &ProviderRef) -> Option<ProviderRef> {
        match &self.providers {
            Passed::Inherited if wanted.alias.is_none() => Some(wanted.clone()),
            Passed::Map(map) => {
                let found = map.iter().find(|(inner, _)| inner == wanted);
                found.map(|(_, outer)| outer.clone())
            }
            Passed::Inherited | Passed::Unknown => None,
        }
    }
}
