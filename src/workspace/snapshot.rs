//! What a workspace comes to at one moment.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::config::{Declared, Module, ModuleFile};
use crate::eval::{Place, Value};
use crate::identity::{Address, Identity, IdentityRegistry, Section, Trace};
use crate::syntax::BlockId;
use crate::text::{Source, Span};

use super::change::GroupKey;
use super::claims::{self, Claimants, Edge, Group};
use super::configured::Configured;
use super::discover;
use super::evaluation::Unknown;
use super::plan::Outlook;
use super::rows::{self, Row, Site};
use super::stack::{Stack, relative};
use super::variables::Variables;
use super::{Node, Workspace};

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

/// What a workspace comes to at one moment. Immutable.
pub struct Snapshot {
    /// The directory that names are relative to.
    pub root: Arc<Path>,
    /// The identity rules in force.
    pub registry: Arc<IdentityRegistry>,
    /// All stacks, sorted by name.
    pub stacks: Vec<Stack>,
    /// Objects that are claimed at more than one address, sorted by id.
    pub duplicates: Vec<Group>,
    /// Who reads what another stack owns, sorted by reader.
    pub edges: Vec<Edge>,
    files: BTreeMap<Arc<Path>, Arc<ModuleFile>>,
    /// Of files that are symbolic links, where they really are.
    links: HashMap<Arc<Path>, Arc<Path>>,
    uses: HashMap<Arc<Path>, Vec<Use>>,
    rows: HashMap<(Arc<Path>, BlockId), Vec<RowRef>>,
    groups: HashMap<RowRef, usize>,
    variables: Variables,
}

impl Snapshot {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let mut files = BTreeMap::new();
        let mut by_directory: BTreeMap<Arc<Path>, (Vec<Arc<ModuleFile>>, bool)> = BTreeMap::new();
        for (path, configuration) in &workspace.configuration {
            let Some(directory) = path.parent() else {
                continue;
            };
            if let Some(file) = configuration.file() {
                files.insert(path.clone(), file.clone());
            }
            if !is_module_file(path) {
                continue;
            }
            let (module, unread) = by_directory.entry(directory.into()).or_default();
            match configuration.file() {
                Some(file) => module.push(file.clone()),
                None => *unread = true,
            }
        }
        let mut modules: HashMap<Arc<Path>, Arc<Module>> = by_directory
            .into_iter()
            .map(|(directory, (files, unread))| {
                let module = Module::new(directory.clone(), files, unread);
                (directory, Arc::new(module))
            })
            .collect();
        for directory in discover::completed_by_terragrunt(workspace, &modules) {
            let module = modules.get_mut(&directory).and_then(Arc::get_mut);
            if let Some(module) = module {
                module.unread = true;
            }
        }

        let variables = Variables::new(workspace, files.values());
        let mut stacks = discover::discover(workspace, &modules);
        stacks.par_iter_mut().for_each(|stack| {
            let locked = workspace.listing.locked.contains(&*stack.directory);
            stack.is_certain = locked || stack.is_applied() || variables.names(stack);
            let given = variables.of(stack);
            rows::decide(stack, &workspace.registry, &given);
        });
        let (duplicates, edges) = claims::index(&stacks);

        let mut uses: HashMap<Arc<Path>, Vec<Use>> = HashMap::new();
        let mut rows: HashMap<(Arc<Path>, BlockId), Vec<RowRef>> = HashMap::new();
        for (at, stack) in stacks.iter().enumerate() {
            let nodes = stack.tree.iter().flat_map(|it| it.nodes());
            for (node, it) in nodes.enumerate() {
                let module = it.module.directory.clone();
                uses.entry(module)
                    .or_default()
                    .push(Use { stack: at, node });
            }
            for (row, it) in stack.rows.iter().enumerate() {
                if let Some(site) = it.site {
                    let declared = stack.resource(site).base();
                    let block = (declared.file.path.clone(), declared.block().id);
                    let rows = rows.entry(block).or_default();
                    rows.push(RowRef { stack: at, row });
                }
            }
        }
        let links = workspace.listing.links.iter();
        let links = links.map(|(path, real)| (path.as_path().into(), real.as_path().into()));
        let links = links.collect();
        let members = |(at, group): (usize, &Group)| {
            let claims = group.now.rows.iter().chain(&group.planned.rows);
            claims.map(move |it| (*it, at)).collect::<Vec<_>>()
        };
        Self {
            groups: duplicates.iter().enumerate().flat_map(members).collect(),
            root: workspace.root.clone(),
            registry: workspace.registry.clone(),
            stacks,
            duplicates,
            edges,
            files,
            links,
            uses,
            rows,
            variables,
        }
    }

    /// Whether a provider source is known, and identity rules for it are mounted.
    pub fn supports(&self, source: Option<&str>) -> bool {
        source.is_some_and(|it| self.registry.supports(it))
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
        let index = file.blocks.iter().position(|it| it.id == id)?;
        Some(Declared::new(file, index))
    }

    /// The configuration files that a person may edit, sorted: those under `.terraform` belong to
    /// whoever published them.
    pub fn editable_files(&self) -> impl Iterator<Item = &Arc<ModuleFile>> {
        self.files.values().filter(|it| is_editable(&it.path))
    }

    /// The stacks that a file is part of, and where in each.
    pub fn uses(&self, file: &ModuleFile) -> &[Use] {
        let directory = file.path.parent();
        let uses = directory.and_then(|it| self.uses.get(it));
        uses.map_or(&[], |it| it)
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
        let directories = names.filter_map(|it| self.uses.get(it.parent()?));
        directories.flatten().map(|it| it.stack).collect()
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
    pub fn rows_of(&self, file: &ModuleFile, block: BlockId) -> &[RowRef] {
        let rows = self.rows.get(&(file.path.clone(), block));
        rows.map_or(&[], |it| it)
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
        rows::argument(stack, &self.variables.of(stack), address, name)
    }

    /// What the configuration says of every resource of a stack, whether anything in it speaks of
    /// gantrycd or not.
    pub fn configured(&self, stack: usize) -> Vec<Configured> {
        let stack = &self.stacks[stack];
        rows::configured(stack, &self.registry, &self.variables.of(stack))
    }

    /// How a row was decided, rule by rule. `None` of one that is not there yet.
    pub fn trace(&self, at: RowRef) -> Option<Trace> {
        let stack = self.stack(at);
        let site = self.row(at).site;
        let ignored = site.is_some_and(|it| stack.resource(it).base().block().ignored);
        let record = stack.record(at.row)?;
        Some(rows::case(&self.registry, record, ignored).trace())
    }

    /// What becomes of a row in the next apply, why, and what the configuration says of it.
    pub fn outlook(&self, at: RowRef) -> Outlook {
        let stack = self.stack(at);
        rows::outlook(stack, &self.registry, &self.variables.of(stack), at.row)
    }

    /// What the configuration of a stack says of a resource instance that has no row. `None` where
    /// it declares no such resource, or where it certainly has no such instance.
    pub fn declared(&self, stack: usize, address: &Address) -> Option<Configured> {
        let stack = &self.stacks[stack];
        rows::declared(stack, &self.registry, &self.variables.of(stack), address)
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
        let given = self.variables.of(stack);
        rows::unknowns(stack, &self.registry, &given, address, (section, key))
    }

    /// Who claims an object now, and who after the next apply.
    pub fn claimants(&self, identity: &Identity, resource_type: &str) -> [Claimants; 2] {
        claims::of(&self.stacks, identity, resource_type)
    }

    /// Whether two rows are one row of a state that stacks share, or one address of a stack.
    pub fn is_same_address(&self, a: RowRef, b: RowRef) -> bool {
        claims::same_state(&self.stacks, a.stack, b.stack) && self.address(a) == self.address(b)
    }

    /// The group of duplicates that a row is in.
    pub fn duplicate(&self, row: RowRef) -> Option<&Group> {
        self.groups.get(&row).map(|at| &self.duplicates[*at])
    }

    /// The group of duplicates of an object.
    pub fn group(&self, key: &GroupKey) -> Option<&Group> {
        let of = |it: &Group| {
            let wanted = (&key.id, &key.realm, &key.resource_type);
            (&it.id, &it.realm, &it.resource_type).cmp(&wanted)
        };
        let at = self.duplicates.binary_search_by(of).ok()?;
        Some(&self.duplicates[at])
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
