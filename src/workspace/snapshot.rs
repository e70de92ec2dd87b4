//! What a workspace comes to at one moment.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use imbl::{HashMap as ImHashMap, OrdMap};

use arcstr::ArcStr;

use crate::config::{Declared, ModuleFile};
use crate::eval::{Place, Value};
use crate::identity::{Address, Identity, IdentityRegistry, Realm, Section, Trace};
use crate::syntax::BlockId;
use crate::text::{Source, Span};

use super::Node;
use super::change::GroupKey;
use super::claims::{self, Claimants, Edge, Group, Index, OfId};
use super::configured::Configured;
use super::evaluation::Unknown;
use super::outlook::Outlook;
use super::rows::{self, Row, Site};
use super::stack::{Stack, relative};
use super::variables::Variables;

/// A row of a snapshot: which stack, and which of its rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowRef {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// Position in [`Stack::rows`].
    pub row: usize,
}

/// That a module is part of a stack: which stack, and which module of its tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// Position in the stack's tree.
    pub node: usize,
}

/// What a workspace comes to at one moment. Immutable, and cheap to clone: a snapshot and the one
/// that follows it share what no edit between them touched.
#[derive(Clone)]
pub struct Snapshot {
    /// The directory that names are relative to.
    pub root: Arc<Path>,
    /// The identity rules in force.
    pub registry: Arc<IdentityRegistry>,
    /// All stacks, sorted by name.
    pub stacks: Vec<Arc<Stack>>,
    pub(super) index: Index,
    pub(super) files: OrdMap<Arc<Path>, Arc<ModuleFile>>,
    /// Of files that are symbolic links, where they really are.
    pub(super) links: Arc<HashMap<Arc<Path>, Arc<Path>>>,
    /// By directory, sorted by stack.
    pub(super) uses: ImHashMap<Arc<Path>, Arc<[Use]>>,
    pub(super) variables: Arc<Variables>,
}

impl Snapshot {
    /// Whether a provider source is known, and identity rules for it are mounted.
    pub fn supports(&self, source: Option<&str>) -> bool {
        source.is_some_and(|it| self.registry.supports(it))
    }

    /// Objects that are claimed at more than one address, sorted by id.
    pub fn duplicates(&self) -> impl Iterator<Item = &Group> {
        self.index.groups.values().map(|it| &**it)
    }

    /// How many objects are claimed at more than one address.
    pub fn duplicate_count(&self) -> usize {
        self.index.groups.len()
    }

    /// The group of duplicates of an object.
    pub fn group(&self, key: &GroupKey) -> Option<&Group> {
        self.index.groups.get(key).map(|it| &**it)
    }

    /// Who reads what another stack owns, sorted by reader.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.index.edges()
    }

    /// What the data sources of one stack read, sorted by reader.
    pub fn edges_from(&self, stack: usize) -> &[Edge] {
        self.index.edges_from(stack)
    }

    /// Who reads what a row claims, sorted by reader.
    pub fn edges_to(&self, owner: RowRef) -> Vec<Edge> {
        self.index.edges_to(&self.stacks, owner)
    }

    /// The object that an edge is about: after the next apply, where it stands only then.
    pub fn object_of(&self, edge: &Edge) -> Option<&Identity> {
        let owner = self.row(edge.owner);
        match edge.when.is_now() {
            true => owner.claim.as_ref().ok(),
            false => owner.planned_claim(),
        }
    }

    /// A path relative to the workspace root, with `/`.
    pub fn relative(&self, path: &Path) -> Box<str> {
        relative(&self.root, path)
    }

    /// The configuration file at an absolute path.
    pub fn file(&self, path: &Path) -> Option<&Arc<ModuleFile>> {
        self.files.get(path)
    }

    /// The workspace file when there is one that cannot be read at all, and why.
    pub fn unread_workspace_file(&self) -> Option<&(Arc<Path>, String)> {
        self.variables.unread_file.as_ref()
    }

    /// The workspace file, if there is one.
    pub fn workspace_file(&self) -> Option<&Arc<ModuleFile>> {
        self.variables.workspace_file.as_ref()
    }

    /// The text of the configuration file at an absolute path.
    pub fn source(&self, path: &Path) -> Option<&Source> {
        self.file(path).map(|it| it.source())
    }

    /// The block that a place begins in, whether Terraform sees it or another of its name.
    pub fn block_at(&self, place: &Place) -> Option<Declared> {
        let file = self.file(&place.path)?;
        let id = file.block_at(place.span.start)?.id;
        Some(Declared::new(file, id))
    }

    /// The configuration files that a person may edit, sorted: those under `.terraform` belong to
    /// whoever published them.
    pub fn editable_files(&self) -> impl Iterator<Item = &Arc<ModuleFile>> {
        self.files.values().filter(|it| is_editable(&it.path))
    }

    /// The stacks that a file is part of, and where in each.
    pub fn uses(&self, file: &ModuleFile) -> &[Use] {
        let directory = file.path.parent();
        directory.map_or(&[], |it| self.uses_of(it))
    }

    /// The stacks that the module of a directory is part of, and where in each.
    pub(super) fn uses_of(&self, directory: &Path) -> &[Use] {
        self.uses.get(directory).map_or(&[], |it| it)
    }

    /// Where a file really is: a symbolic link is another name of the same text.
    pub fn real<'a>(&'a self, path: &'a Path) -> &'a Path {
        self.links.get(path).map_or(path, |it| it)
    }

    /// The stacks that a file's text is part of, by whatever name.
    pub fn stacks_of(&self, file: &ModuleFile) -> BTreeSet<usize> {
        let real = self.real(&file.path);
        let links = self.links.iter().filter(|(_, it)| ***it == *real);
        let names = links.map(|(path, _)| &**path).chain([real, &*file.path]);
        let directories = names.filter_map(Path::parent);
        let uses = directories.flat_map(|it| self.uses_of(it));
        uses.map(|it| it.stack).collect()
    }

    /// The stacks that may read something from a file: those that it is part of or gives values to.
    pub fn readers(&self, path: &Path) -> BTreeSet<usize> {
        let is_for_all = self.workspace_file().is_some_and(|it| *it.path == *path);
        match self.file(path) {
            Some(file) if !is_for_all => self.stacks_of(file),
            _ => (0..self.stacks.len()).collect(),
        }
    }

    /// The module of a stack's tree.
    pub fn node(&self, at: Use) -> &Node {
        let tree = self.stacks[at.stack].tree.as_ref();
        &tree.expect("a module that is used is in a tree").nodes()[at.node]
    }

    /// The rows that a block declares, sorted by stack.
    pub fn rows_of(&self, file: &ModuleFile, block: BlockId) -> Vec<RowRef> {
        let Some(block) = file.block(block) else {
            return Vec::new();
        };
        let mut rows = Vec::new();
        let of_stack = |a: &Use, b: &Use| a.stack == b.stack;
        for uses in self.uses(file).chunk_by(of_stack) {
            let stack = &self.stacks[uses[0].stack];
            let from = rows.len();
            for at in uses {
                if let Some(resource) = self.node(*at).module.declares_at(file, &block) {
                    let site = Site {
                        node: at.node,
                        resource,
                    };
                    let here = stack.rows_at(site);
                    rows.extend(here.map(|row| RowRef {
                        stack: at.stack,
                        row,
                    }));
                }
            }
            rows[from..].sort_unstable();
        }
        rows
    }

    /// The stack of a row.
    pub fn stack(&self, row: RowRef) -> &Stack {
        &self.stacks[row.stack]
    }

    /// What a row is.
    pub fn row(&self, row: RowRef) -> &Row {
        &self.stack(row).rows[row.row]
    }

    /// The address of a row.
    pub fn address(&self, row: RowRef) -> &Address {
        self.stack(row).address(row.row)
    }

    /// What an argument of a resource of a stack comes to, as the configuration has it. `None` where
    /// there is no such argument.
    pub fn argument(&self, stack: usize, address: &Address, name: &str) -> Option<Value> {
        let stack = &self.stacks[stack];
        rows::argument(stack, address, name)
    }

    /// What the configuration says of every resource of a stack, whether anything in it speaks of
    /// gantrycd or not.
    pub fn configured(&self, stack: usize) -> Vec<Configured> {
        let stack = &self.stacks[stack];
        rows::configured(stack, &self.registry)
    }

    /// How a row was decided, rule by rule. `None` of one that is not there yet.
    pub fn trace(&self, at: RowRef) -> Option<Trace> {
        let stack = self.stack(at);
        let site = self.row(at).site;
        let record = stack.record(at.row)?;
        let ignored = match &stack.tree {
            Some(_) => site.is_some_and(|it| stack.resource(it).base().block().ignored),
            None => record.was_ignored(),
        };
        Some(rows::case(&self.registry, record, ignored).trace())
    }

    /// What becomes of a row in the next apply, why, and what the configuration says of it.
    pub fn outlook(&self, at: RowRef) -> Outlook {
        let stack = self.stack(at);
        rows::outlook(stack, &self.registry, at.row)
    }

    /// What the configuration of a stack says of a resource instance that has no row. `None` where
    /// it declares no such resource, or where it certainly has no such instance.
    pub fn declared(&self, stack: usize, address: &Address) -> Option<Configured> {
        let stack = &self.stacks[stack];
        rows::declared(stack, &self.registry, address)
    }

    /// What keeps anybody from telling what a section of a stack's configuration says of a tag of a
    /// resource instance, as far as that can be said.
    pub fn unknowns(
        &self,
        stack: usize,
        address: &Address,
        section: Section,
        key: &str,
    ) -> Vec<Unknown> {
        let stack = &self.stacks[stack];
        rows::unknowns(stack, &self.registry, address, (section, key))
    }

    /// Who claims an object now, and who after the next apply.
    pub fn claimants(&self, identity: &Identity, resource_type: &ArcStr) -> [Claimants; 2] {
        self.index.claimants(&self.stacks, identity, resource_type)
    }

    /// How many stacks will have rows in each realm after the next apply.
    pub fn realms(&self) -> BTreeMap<&Realm, usize> {
        let mut counts = BTreeMap::new();
        for realm in self.stacks.iter().flat_map(|it| &it.realms) {
            *counts.entry(realm).or_default() += 1;
        }
        counts
    }

    /// Who claims the id of an identity, now or after the next apply, in another realm than its own,
    /// sorted by realm. What somebody claims now in a realm that no configuration has any more is
    /// not among it.
    pub fn claimed_in_other_realms(
        &self,
        identity: &Identity,
        resource_type: &ArcStr,
    ) -> Vec<(Option<Realm>, RowRef)> {
        let realms = self.realms().into_keys().map(Some);
        let others = realms.chain([None]);
        let others = others.filter(|it| *it != identity.realm.as_ref());
        let mut found = Vec::new();
        for realm in others.map(Option::<&Realm>::cloned) {
            let there = Identity {
                realm: realm.clone(),
                ..identity.clone()
            };
            let [now, planned] = self.claimants(&there, resource_type);
            let rows: BTreeSet<RowRef> = now.rows.into_iter().chain(planned.rows).collect();
            found.extend(rows.into_iter().map(|it| (realm.clone(), it)));
        }
        found
    }

    /// Whether two stacks have one state.
    pub fn is_same_state(&self, a: usize, b: usize) -> bool {
        claims::same_state(&self.stacks, a, b)
    }

    /// Who has to do with an id, whatever its realm and type.
    pub fn of_id(&self, id: &str) -> OfId {
        self.index.of_id(&self.stacks, id)
    }

    /// Whether two rows are one row of a state that stacks share, or one address of a stack.
    pub fn is_same_address(&self, a: RowRef, b: RowRef) -> bool {
        self.is_same_state(a.stack, b.stack) && self.address(a) == self.address(b)
    }

    /// The group of duplicates that a row is in; of two the last.
    pub fn duplicate(&self, row: RowRef) -> Option<&Group> {
        let keys = Index::keys_of(&self.stacks, row);
        let groups = keys.filter_map(|it| Some((self.group(&it)?, it)));
        let with_it = groups.filter(|(group, _)| {
            let mut claims = group.now.rows.iter().chain(&group.planned.rows);
            claims.any(|it| *it == row)
        });
        let last = with_it.max_by(|(_, a), (_, b)| a.cmp(b));
        last.map(|(group, _)| group)
    }

    /// Where a row is shown: the header of the block that declares it or, for a block under
    /// `.terraform`, the call of its module nearest to it that a person may edit. Without a block,
    /// the `removed` or `import` block that is about it.
    pub fn place(&self, row: RowRef) -> Option<Place> {
        let stack = self.stack(row);
        let row = self.row(row);
        match (row.site, &row.instead) {
            (Some(site), _) => self.site_place(stack, site),
            (None, Some(block)) => Some(header(block)),
            (None, None) => None,
        }
    }

    /// Where a resource of a stack is shown.
    pub fn site_place(&self, stack: &Stack, site: Site) -> Option<Place> {
        let mut place = header(stack.resource(site).base());
        let nodes = stack.tree.as_ref()?.nodes();
        let mut node = &nodes[site.node];
        while !is_editable(&place.path) {
            let (caller, call) = node.caller.as_ref()?;
            place = header(call.base());
            node = &nodes[*caller];
        }
        Some(place)
    }

    /// The place of the state that a row stands in.
    pub fn state_place(&self, row: RowRef) -> Option<Place> {
        Some(Place {
            path: self.stack(row).state.as_ref()?.path.clone(),
            span: Span::at(0),
        })
    }
}

/// Whether a configuration file is part of a module.
pub(super) fn is_module_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str());
    name.is_some_and(crate::config::is_configuration)
}

/// The header of a block.
pub fn header(block: &Declared) -> Place {
    Place {
        path: block.file.path.clone(),
        span: block.block().header,
    }
}

/// Whether a person may edit the file.
pub fn is_editable(path: &Path) -> bool {
    !path.components().any(|it| it.as_os_str() == ".terraform")
}
