//! What the schemas of installed providers say of their resource types: cached per provider version
//! below `.gantrycd/schemas`, and read for the stacks whose lock file names that version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::ModuleFile;
use crate::text::Source;

use super::disk::{Listing, Stamp};
use super::tag_support::Takes;

/// What the schema of one version of a provider says.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schema {
    /// Of this layout: 1.
    pub version: u32,
    /// The provider's source, in full.
    pub provider: Box<str>,
    /// The provider's version.
    pub provider_version: Box<str>,
    /// By resource type.
    pub resources: BTreeMap<Box<str>, OfType>,
}

/// What a schema says of a resource type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OfType {
    /// How it takes tags.
    pub tags: Takes,
    /// Whether it has an `arn`.
    pub arn: bool,
}

/// The layout of a [`Schema`].
pub const SCHEMA_VERSION: u32 = 1;

/// A version of a provider.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Locked {
    /// The provider's source, in full.
    pub provider: Box<str>,
    /// Its version.
    pub version: Box<str>,
}

impl Locked {
    /// Where its schema is cached below the root of a workspace. `None` where its name is none of a
    /// provider.
    pub fn path(&self, root: &Path) -> Option<PathBuf> {
        let is_plain = |part: &str| {
            let of = |it: char| it.is_ascii_alphanumeric() || "-_.+".contains(it);
            !part.is_empty() && !part.starts_with('.') && part.chars().all(of)
        };
        let mut parts = self.provider.split('/').chain([&*self.version]);
        let file = format!("{}/{}.json", self.provider, self.version);
        parts
            .all(is_plain)
            .then(|| root.join(".gantrycd/schemas").join(file))
    }
}

/// The versions that the lock file of a directory names.
pub fn locked(directory: &Path) -> Vec<Locked> {
    let path: Arc<Path> = directory.join(".terraform.lock.hcl").into();
    let Some(source) = std::fs::read(&path)
        .ok()
        .and_then(|it| Source::decode(&it).ok())
    else {
        return Vec::new();
    };
    let file = ModuleFile::read(path, source);
    let providers = file.blocks().filter(|it| it.keyword == "provider");
    let named = providers.filter_map(|it| {
        let version = file.body(it.id).attribute("version")?.literal()?.0.into();
        let provider = it.label()?.into();
        Some(Locked { provider, version })
    });
    named.collect()
}

/// The schemas that are cached, and which stacks they are for.
#[derive(Default)]
pub(super) struct Schemas {
    cached: BTreeMap<PathBuf, (Option<Stamp>, Option<Arc<Schema>>)>,
    locks: BTreeMap<PathBuf, (Option<Stamp>, Vec<Locked>)>,
}

impl Schemas {
    /// Reads what is other than it was. Returns whether anything is.
    pub(super) fn refresh(&mut self, listing: &Listing) -> bool {
        let mut is_other = false;
        self.cached = renewed(
            &mut self.cached,
            listing.schemas.iter(),
            &mut is_other,
            |path| {
                let schema: Schema = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
                (schema.version == SCHEMA_VERSION).then(|| Arc::new(schema))
            },
        );
        // without a schema nobody asks for a version
        let locks = listing.locked.iter().filter(|_| !self.cached.is_empty());
        let locks: Vec<_> = locks.map(|it| it.join(".terraform.lock.hcl")).collect();
        self.locks = renewed(&mut self.locks, locks.iter(), &mut is_other, |path| {
            path.parent().map(locked).unwrap_or_default()
        });
        is_other
    }

    /// The schemas of the providers that a directory has installed.
    pub(super) fn of(&self, root: &Path, directory: &Path) -> Box<[Arc<Schema>]> {
        let lock = self.locks.get(&directory.join(".terraform.lock.hcl"));
        let locked = lock.into_iter().flat_map(|(_, it)| it);
        let schemas = locked.filter_map(|it| {
            let (_, schema) = self.cached.get(&it.path(root)?)?;
            let schema = schema.clone()?;
            let is_it = schema.provider == it.provider && schema.provider_version == it.version;
            is_it.then_some(schema)
        });
        schemas.collect()
    }
}

/// What is read of each path, where that is other than it was read before.
fn renewed<'a, T>(
    kept: &mut BTreeMap<PathBuf, (Option<Stamp>, T)>,
    paths: impl Iterator<Item = &'a PathBuf>,
    is_other: &mut bool,
    read: impl Fn(&Path) -> T,
) -> BTreeMap<PathBuf, (Option<Stamp>, T)> {
    let renewed = paths.map(|path| {
        let stamp = Stamp::of(path);
        let entry = match kept.remove(path) {
            Some((old, entry)) if old == stamp => (old, entry),
            _ => {
                *is_other = true;
                (stamp, read(path))
            }
        };
        (path.clone(), entry)
    });
    let renewed = renewed.collect();
    *is_other |= !kept.is_empty();
    renewed
}
