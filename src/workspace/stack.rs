//! A stack: a root module and one state of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use crate::config::{Merged, Module, ModuleFile};
use crate::identity::{Address, Realm};
use crate::state::{Record, State};
use crate::text::Span;

use super::configured::{Configured, ConfiguredProvider};
use super::disk::Stamp;
use super::is_same;
use super::rows::{PlannedRow, Row, Site};
use super::schemas::Schema;
use super::tag_support::Observed;
use super::texts::Texts;
use super::tree::Tree;
use super::variables::Given;

/// A root module and one state of it.
#[derive(Debug)]
pub struct Stack {
    /// The directory below the workspace root, with `@NAME` for a workspace other than default; of
    /// a state that has its own name, the path without `.tfstate`.
    pub name: Box<str>,
    /// The absolute directory.
    pub directory: Arc<Path>,
    /// The Terraform workspace.
    pub workspace: Box<str>,
    /// The configuration; `None` for a stack that is known by its state alone.
    pub tree: Option<Arc<Tree>>,
    /// The state that counts.
    pub state: Option<StackState>,
    /// States that should have been read and could not be.
    pub unreadable: Vec<Unreadable>,
    /// What each record of the state is, in the state's order; behind them the rows that the next
    /// apply will make.
    pub rows: Vec<Row>,
    /// The rows that the next apply will make.
    pub planned_rows: Vec<PlannedRow>,
    /// What the configuration says of each resource, where anything speaks of gantrycd.
    pub configured: Vec<Configured>,
    /// What it says of each provider block.
    pub providers: Vec<ConfiguredProvider>,
    /// The realms that its rows will have after the next apply.
    pub realms: BTreeSet<Realm>,
    /// What the state shows of resource types.
    pub observed: Arc<Observed>,
    /// The schemas of the providers that it has installed, where they are cached.
    pub(super) schemas: Box<[Arc<Schema>]>,
    /// Whether somebody surely applies it: a directory that nobody calls may also be a module that
    /// is called from elsewhere.
    pub is_certain: bool,
    /// What its variables are given.
    pub(super) given: Arc<Given>,
    /// The files that its expressions asked for, as they were then.
    pub(super) asked: Box<[(PathBuf, Option<Stamp>)]>,
    /// Whether anything in its configuration speaks of gantrycd.
    pub(super) speaks: bool,
    /// The modules of its tree that others asked for outputs of, sorted.
    pub(super) told: Box<[u32]>,
    /// Rows that a block declares, sorted by it.
    sites: Box<[u32]>,
    /// What it is found by, once somebody searches.
    texts: OnceLock<Texts>,
}

/// The state of a stack.
#[derive(Clone, Debug)]
pub struct StackState {
    /// The file's absolute path.
    pub path: Arc<Path>,
    /// What was read.
    pub file: Arc<State>,
    /// When it was what the stack had: as an inventory says, or when the file was last written.
    pub modified: Option<SystemTime>,
}

/// A state that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable {
    /// The file's absolute path.
    pub path: Arc<Path>,
    /// One line that says why, and the remedy.
    pub problem: String,
    /// When the file was last written.
    pub modified: Option<SystemTime>,
}

impl Unreadable {
    /// Whether another state of the stack is a copy that was made since this file was written, as
    /// somebody made it whom the remedy was told. Whole seconds are compared: an inventory has no
    /// others.
    pub(super) fn is_told_by(&self, copy: &StackState) -> bool {
        let seconds = |time: Option<SystemTime>| {
            let since = time?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some(since.as_secs())
        };
        match (seconds(self.modified), seconds(copy.modified)) {
            (Some(written), Some(copied)) => written <= copied,
            _ => false,
        }
    }
}

impl Stack {
    pub(super) fn new(
        name: Box<str>,
        directory: Arc<Path>,
        workspace: &str,
        tree: Option<Arc<Tree>>,
        (state, unreadable): (Option<StackState>, Vec<Unreadable>),
    ) -> Self {
        Self {
            name,
            directory,
            workspace: workspace.into(),
            tree,
            state,
            unreadable,
            rows: Vec::new(),
            planned_rows: Vec::new(),
            configured: Vec::new(),
            providers: Vec::new(),
            realms: BTreeSet::new(),
            observed: Arc::default(),
            schemas: Box::default(),
            is_certain: false,
            given: Arc::default(),
            asked: Box::default(),
            speaks: false,
            told: Box::default(),
            sites: Box::default(),
            texts: OnceLock::new(),
        }
    }

    /// The same stack with nothing decided yet, over another module tree.
    pub(super) fn undecided(&self, tree: Option<Arc<Tree>>) -> Self {
        let read = (self.state.clone(), self.unreadable.clone());
        let (name, directory) = (self.name.clone(), self.directory.clone());
        Self {
            is_certain: self.is_certain,
            given: self.given.clone(),
            schemas: self.schemas.clone(),
            ..Self::new(name, directory, &self.workspace, tree, read)
        }
    }

    /// Whether all that another stack is decided by is what this one was decided by.
    pub(super) fn is_decided_as(&self, other: &Self) -> bool {
        let modified = |it: &Self| it.state.as_ref().map(|it| it.modified);
        self.has_the_state_of(other)
            && modified(self) == modified(other)
            && is_same(self.tree.as_ref(), other.tree.as_ref())
            && self.name == other.name
            && self.directory == other.directory
            && self.workspace == other.workspace
            && self.unreadable == other.unreadable
            && self.is_certain == other.is_certain
            && self.given == other.given
            && self.schemas == other.schemas
            && self.finds_what_it_asked_for()
    }

    /// Whether its state is another's: the same file, as it was read at one time.
    pub(super) fn has_the_state_of(&self, other: &Self) -> bool {
        let path = |it: &Self| it.state.as_ref().map(|it| it.path.clone());
        let file = |it: &Self| it.state.as_ref().map(|it| it.file.clone());
        path(self) == path(other) && is_same(file(self).as_ref(), file(other).as_ref())
    }

    /// Whether the files that its expressions asked for are what they were.
    pub(super) fn finds_what_it_asked_for(&self) -> bool {
        let mut asked = self.asked.iter();
        asked.all(|(path, stamp)| Stamp::of(path) == *stamp)
    }

    /// Lets go of what was read of the blocks of its root module.
    pub fn let_go_of_its_own(&self) {
        let files = self.module().into_iter().flat_map(|it| &it.files);
        files.for_each(|it| it.forget());
    }

    /// Lets go of what was read of the blocks of its modules.
    pub(super) fn let_go(&self) {
        let nodes = self.tree.iter().flat_map(|it| it.nodes());
        let files = nodes.flat_map(|it| &it.module.files);
        files.for_each(|it| it.forget());
    }

    /// Makes [`Stack::rows_at`] know the rows.
    pub(super) fn sort_sites(&mut self) {
        let rows = self.rows.iter().enumerate();
        let mut sites: Vec<_> = rows
            .filter_map(|(at, it)| Some((it.site?, at as u32)))
            .collect();
        sites.sort_unstable();
        self.sites = sites.into_iter().map(|(_, at)| at).collect();
    }

    /// The rows that a resource of its configuration declares, in order.
    pub fn rows_at(&self, site: Site) -> impl Iterator<Item = usize> {
        let of = |at: &u32| self.rows[*at as usize].site;
        let from = self.sites.partition_point(|it| of(it) < Some(site));
        let rows = self.sites[from..].iter();
        let rows = rows.take_while(move |it| of(it) == Some(site));
        rows.map(|it| *it as usize)
    }

    /// What it and its rows are found by.
    pub fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::new(self))
    }

    /// The record of a row; `None` of one that the next apply will make.
    pub fn record(&self, row: usize) -> Option<&Record> {
        self.state.as_ref()?.file.records.get(row)
    }

    /// The address of a row.
    pub fn address(&self, row: usize) -> &Address {
        match self.record(row) {
            Some(record) => &record.row.address,
            None => &self.planned_rows[row - self.records().len()].address,
        }
    }

    /// The resource that a site is.
    pub fn resource(&self, site: Site) -> &Merged {
        let tree = self.tree.as_ref().expect("a site is of a tree");
        &tree.nodes()[site.node].module.resources()[site.resource]
    }

    /// Whether an ignore comment of its configuration covers an address.
    pub fn ignores(&self, address: &Address) -> bool {
        let module = self.tree.as_ref().and_then(|tree| {
            let node = tree.find(&address.module)?;
            Some(&tree.nodes()[node].module)
        });
        let resource =
            module.and_then(|it| it.resource(address.mode, &address.resource_type, &address.name));
        resource.is_some_and(|it| it.base().block().ignored)
    }

    /// The Terraform workspace, as far as it is known: a state of a remote backend may be of any, and
    /// where a service keeps it none is called `default`.
    pub(super) fn known_workspace(&self) -> Option<&str> {
        let backend = self.module().and_then(|it| it.backend());
        let is_known = match backend.map(|it| &*it.kind) {
            Some("local") => true,
            Some("cloud" | "remote") => self.state.is_some() && &*self.workspace != "default",
            Some(_) => self.state.is_some(),
            None => self.state.is_some() || self.module().is_some_and(|it| !it.unread),
        };
        is_known.then_some(&*self.workspace)
    }

    /// All records of the state.
    pub fn records(&self) -> std::slice::Iter<'_, Record> {
        let records = self.state.as_ref().map(|it| &it.file.records[..]);
        records.unwrap_or_default().iter()
    }

    /// Whether the configuration alone shows that somebody applies it: it has a backend, or a
    /// provider block that says something.
    pub(super) fn is_applied(&self) -> bool {
        let applied = |it: &Arc<Module>| it.backend().is_some() || it.configures_a_provider();
        self.state.is_some() || self.module().is_some_and(applied)
    }

    /// The root module.
    pub fn module(&self) -> Option<&Arc<Module>> {
        Some(&self.tree.as_ref()?.nodes()[0].module)
    }

    /// Where a fault of the stack's state stands: its backend block, else the start of its first
    /// file by name.
    pub fn backend_place(&self) -> Option<(&Arc<ModuleFile>, Span)> {
        let module = self.module()?;
        if let Some(backend) = module.backend() {
            return Some((&backend.file, backend.header));
        }
        let first = module.files.iter().min_by_key(|it| it.path.clone())?;
        let line = first.source().text().lines().next().unwrap_or_default();
        Some((first, Span::new(0, line.len())))
    }
}

/// A path below `root`, with `/`; `.` for the root itself, and the whole path elsewhere.
pub fn relative(root: &Path, path: &Path) -> Box<str> {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = relative
        .components()
        .map(|it| it.as_os_str().to_string_lossy())
        .collect();
    match (parts.is_empty(), relative.has_root()) {
        (true, _) => ".".into(),
        (false, true) => relative.to_string_lossy().replace('\\', "/").into(),
        (false, false) => parts.join("/").into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::identity::Address;

    #[test]
    fn the_workspace_of_a_state_is_known_but_where_a_service_keeps_it() {
        let is_known = |settings: &str, name: &str| {
            let text = format!(
                r#"
#- a/main.tf
terraform {{
  {settings} {{}}
}}
resource "aws_vpc" "v" {{
  cidr_block = terraform.workspace
}}
#- .gantrycd/state/a.json
{{"version": 1, "name": "{name}", "resources": [{{"address": "aws_vpc.v", "attributes": {{}}}}]}}
"#
            );
            let snapshot = Fixture::new(&text).snapshot();
            let at = snapshot.stacks.iter().position(|it| *it.name == *name);
            let address = Address::parse("aws_vpc.v").unwrap();
            let value = snapshot.argument(at.unwrap(), &address, "cidr_block");
            value.unwrap().is_wholly_known()
        };
        assert!(is_known("backend \"s3\"", "a"));
        assert!(is_known("backend \"local\"", "a"));
        assert!(is_known("cloud", "a@dev"));
        assert!(!is_known("cloud", "a"));
        assert!(!is_known("backend \"remote\"", "a"));
    }
}
