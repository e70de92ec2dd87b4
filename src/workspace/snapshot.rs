//! What a workspace comes to at one moment.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::config::{Module, ModuleFile};
use crate::identity::{Address, IdentityRegistry};
use crate::syntax::BlockId;
use crate::text::{Source, Span};

use super::claims::{self, Edge, Group};
use super::stack::{self, Row, Site, Stack, relative};
use super::{Node, Workspace};

/// A place in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file's absolute path.
    pub path: Arc<Path>,
    /// Bytes of the file.
    pub span: Span,
}

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
    uses: HashMap<Arc<Path>, Vec<Use>>,
    rows: HashMap<(Arc<Path>, BlockId), Vec<RowRef>>,
    groups: HashMap<RowRef, usize>,
}

impl Snapshot {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let mut files = BTreeMap::new();
        let mut by_directory: BTreeMap<Arc<Path>, (Vec<Arc<ModuleFile>>, bool)> = BTreeMap::new();
        for (path, configuration) in &workspace.configuration {
            let Some(directory) = path.parent() else {
                continue;
            };
            // a directory with nothing but JSON configuration is a module all the same
            let (module, unread) = by_directory.entry(directory.into()).or_default();
            match configuration.file() {
                Some(file) => {
                    module.push(file.clone());
                    files.insert(path.clone(), file.clone());
                }
                None => *unread = true,
            }
        }
        let modules: HashMap<Arc<Path>, Arc<Module>> = by_directory
            .into_iter()
            .map(|(directory, (files, unread))| {
                let module = Module::new(directory.clone(), files, unread);
                (directory, Arc::new(module))
            })
            .collect();

        let mut stacks = stack::discover(workspace, &modules);
        for stack in &mut stacks {
            stack::decide(stack, &workspace.registry);
        }
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
                if let Some(site) = &it.site {
                    let block = (site.declared.file.path.clone(), site.declared.block());
                    rows.entry(block)
                        .or_default()
                        .push(RowRef { stack: at, row });
                }
            }
        }
        let members = |(at, group): (usize, &Group)| {
            let claims = group.claims.clone();
            claims.into_iter().map(move |it| (it, at))
        };
        Self {
            groups: duplicates.iter().enumerate().flat_map(members).collect(),
            root: workspace.root.clone(),
            registry: workspace.registry.clone(),
            stacks,
            duplicates,
            edges,
            files,
            uses,
            rows,
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

    /// The text of the configuration file at an absolute path.
    pub fn source(&self, path: &Path) -> Option<&Source> {
        self.file(path).map(|it| it.source())
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
        &self.stack(row).record(row.row).row.address
    }

    /// The group of duplicates that a row is in.
    pub fn duplicate(&self, row: RowRef) -> Option<&Group> {
        self.groups.get(&row).map(|at| &self.duplicates[*at])
    }

    /// Where a row is shown: the header of the block that declares it or, for a block under
    /// `.terraform`, the call of its module nearest to it that a person may edit.
    pub fn place(&self, row: RowRef) -> Option<Place> {
        let site = self.row(row).site.as_ref()?;
        self.site_place(self.stack(row), site)
    }

    fn site_place(&self, stack: &Stack, site: &Site) -> Option<Place> {
        let mut place = Place {
            path: site.declared.file.path.clone(),
            span: site.declared.resource().header,
        };
        let nodes = stack.tree.as_ref()?.nodes();
        let mut node = &nodes[site.node];
        while !is_editable(&place.path) {
            let (caller, ..) = node.caller.as_ref()?;
            let (file, call) = node.call()?;
            place = Place {
                path: file.path.clone(),
                span: call.header,
            };
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

/// Whether a person may edit the file.
pub fn is_editable(path: &Path) -> bool {
    !path.components().any(|it| it.as_os_str() == ".terraform")
}
