//! How a snapshot follows from the one before it.
//!
//! What an edit touches is worked out anew, and everything else is kept: a file that changed makes
//! its module another, a module the stacks that it is part of, a stack its own claims. Only when it
//! may be that stacks come or go is it worked out again which there are.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use imbl::HashMap as ImHashMap;
use rayon::prelude::*;

use crate::config::{Module, ModuleFile};

use super::change::Change;
use super::claims::Index;
use super::discover::{self, local_path, workspace_dir};
use super::snapshot::{Snapshot, is_module_file};
use super::stack::Stack;
use super::tree::{Tree, called_directory};
use super::uses::{follow_uses, uses};
use super::variables::{self, Variables};
use super::{WORKSPACE_FILE, Workspace, is_same, rows};

/// What is other in what was read than at the last snapshot.
#[derive(Default, Debug)]
pub(super) struct Touched {
    /// Configuration files whose text is other, or that came or went.
    pub(super) files: BTreeSet<Arc<Path>>,
    /// Whether the states are, or which files there are of other kinds.
    pub(super) disk: bool,
    /// Whether it is known otherwise where installed modules lie.
    pub(super) manifests: bool,
    /// Whether files that expressions ask for may be.
    pub(super) asked: bool,
    /// Whether the values of variables from an editor's settings are.
    pub(super) variables: bool,
}

impl Touched {
    fn is_nothing(&self) -> bool {
        let Self {
            files,
            disk,
            manifests,
            asked,
            variables,
        } = self;
        files.is_empty() && !disk && !manifests && !asked && !variables
    }

    /// Takes note of a file that was `before` and is `now`.
    pub(super) fn of(
        &mut self,
        path: &Arc<Path>,
        before: Option<&Arc<ModuleFile>>,
        now: Option<&Arc<ModuleFile>>,
    ) {
        if !is_same(before, now) {
            self.files.insert(path.clone());
        }
    }
}

/// The last snapshot, and what it was made of.
pub(super) struct Present {
    snapshot: Snapshot,
    modules: HashMap<Arc<Path>, Arc<Module>>,
    /// The configuration files of each module.
    files: HashMap<Arc<Path>, BTreeSet<Arc<Path>>>,
    /// Modules that Terragrunt may add to.
    completed: HashSet<Arc<Path>>,
    /// Whether states were still to be read.
    is_partial: bool,
    /// The stacks that were decided last, if they are few: somebody works on them, and what was
    /// read of their blocks is kept.
    at_work: Vec<Arc<Stack>>,
}

/// So many stacks at once nobody works on.
pub const MOST_AT_WORK: usize = 16;

impl Present {
    fn empty(workspace: &Workspace) -> Self {
        Self {
            snapshot: Snapshot {
                root: workspace.root.clone(),
                registry: workspace.registry.clone(),
                stacks: Vec::new(),
                index: Index::default(),
                files: Default::default(),
                links: Arc::default(),
                uses: ImHashMap::new(),
                variables: Arc::default(),
            },
            modules: HashMap::new(),
            files: HashMap::new(),
            completed: HashSet::new(),
            is_partial: false,
            at_work: Vec::new(),
        }
    }
}

/// What decides which stacks there are, of one module.
#[derive(PartialEq)]
struct Facts {
    has_backend: bool,
    local_path: Option<Option<PathBuf>>,
    workspace_dir: Option<PathBuf>,
    calls: BTreeSet<PathBuf>,
}

impl Facts {
    fn of(module: &Module) -> Self {
        let backend = module.backend();
        let local = backend.filter(|it| *it.kind == *"local");
        let local = local.filter(|it| it.path.is_some());
        let calls = module.calls.values();
        Self {
            has_backend: backend.is_some(),
            local_path: local.map(|it| local_path(&module.directory, it)),
            workspace_dir: backend.and_then(|it| workspace_dir(&module.directory, it)),
            calls: calls
                .filter_map(|it| called_directory(module, it))
                .collect(),
        }
    }
}

/// What everything read comes to now, and what is other in it than in the last snapshot.
pub(super) fn follow(workspace: &mut Workspace) -> (Snapshot, Change) {
    if let Some(present) = &workspace.present
        && workspace.touched.is_nothing()
        && workspace.is_read() != present.is_partial
    {
        return (present.shown(workspace), Change::default());
    }
    let touched = std::mem::take(&mut workspace.touched);
    // should this not come to its end, the next one starts from nothing
    let present = workspace.present.take();
    let is_first = present.is_none();
    let mut present = present.unwrap_or_else(|| Present::empty(workspace));
    let mut change = Change {
        files: touched.files.clone(),
        renumbered: is_first,
        ..Change::default()
    };
    let before = present.snapshot.stacks.clone();
    let completes = std::mem::replace(&mut present.is_partial, !workspace.is_read());

    present.follow_files(workspace, &touched.files);
    let directories = module_directories(&touched.files);
    let mut rediscover = is_first || touched.disk || touched.manifests || completes;
    let mut modules_came_or_went = is_first;
    let modules: Vec<_> = directories
        .par_iter()
        .map(|it| present.module(workspace, it))
        .collect();
    for (directory, new) in directories.iter().zip(modules) {
        let old = present.modules.get(directory).cloned();
        modules_came_or_went |= old.is_some() != new.is_some();
        rediscover |= old.as_deref().map(Facts::of) != new.as_deref().map(Facts::of);
        match new {
            Some(new) => _ = present.modules.insert(directory.clone(), new),
            None => _ = present.modules.remove(directory),
        }
    }
    let variables = touched.variables || touched.files.iter().any(|it| gives_values(it));
    if variables || is_first {
        let files = present.snapshot.files.values();
        present.snapshot.variables = Arc::new(Variables::new(workspace, files));
    }
    if touched.disk || is_first {
        let links = workspace.listing.links.iter();
        let links = links.map(|(path, real)| (path.as_path().into(), real.as_path().into()));
        present.snapshot.links = Arc::new(links.collect());
    }

    let mut stacks = match rediscover {
        true => {
            present.complete_by_terragrunt(workspace);
            let keep_trees = !modules_came_or_went && !touched.manifests;
            present.discovered(workspace, keep_trees)
        }
        false => before
            .iter()
            .map(|it| Undecided::Same(it.clone()))
            .collect(),
    };
    present.put_in_trees(workspace, &directories, &mut stacks, rediscover);
    let again = |it: &Undecided| {
        let stack = it.stack();
        variables && present.is_given_otherwise(&touched, stack)
            || touched.asked && !stack.finds_what_it_asked_for()
    };
    let again: Vec<_> = stacks.iter().map(again).collect();
    for (it, _) in stacks.iter_mut().zip(again).filter(|(_, again)| *again) {
        let tree = it.stack().tree.clone();
        *it = Undecided::Other(Box::new(it.stack().undecided(tree)));
    }
    present.snapshot.stacks = decide(workspace, &present.snapshot, &before, stacks);
    present.follow_stacks(&before, rediscover, &mut change);
    present.let_go(&change);
    let snapshot = present.shown(workspace);
    workspace.present = Some(present);
    (snapshot, change)
}

/// A stack on its way into the next snapshot.
enum Undecided {
    /// It is what it was.
    Same(Arc<Stack>),
    /// It is perhaps another.
    Other(Box<Stack>),
}

impl Undecided {
    fn stack(&self) -> &Stack {
        match self {
            Undecided::Same(it) => it,
            Undecided::Other(it) => it,
        }
    }
}

/// Decides what there is to be decided. What was decided by the same is kept.
fn decide(
    workspace: &Workspace,
    snapshot: &Snapshot,
    before: &[Arc<Stack>],
    stacks: Vec<Undecided>,
) -> Vec<Arc<Stack>> {
    let others = stacks.iter().filter(|it| matches!(it, Undecided::Other(_)));
    let others = others.count();
    let old: HashMap<&str, &Arc<Stack>> = match others {
        0 => HashMap::new(),
        _ => before.iter().map(|it| (&*it.name, it)).collect(),
    };
    let decided = |it: Undecided| match it {
        Undecided::Same(stack) => stack,
        Undecided::Other(mut stack) => {
            let locked = workspace.listing.locked.contains(&*stack.directory);
            stack.is_certain = locked || stack.is_applied() || snapshot.variables.names(&stack);
            stack.given = Arc::new(snapshot.variables.of(&stack));
            stack.schemas = workspace.schemas.of(&workspace.root, &stack.directory);
            match old.get(&*stack.name) {
                Some(old) if old.is_decided_as(&stack) => (*old).clone(),
                _ => {
                    let before = old.get(&*stack.name).map(|it| &***it);
                    rows::decide(&mut stack, &workspace.registry, before);
                    if others > MOST_AT_WORK {
                        stack.let_go_of_its_own();
                    }
                    Arc::from(stack)
                }
            }
        }
    };
    // a thread for one of them takes longer than it does
    match others {
        0..2 => stacks.into_iter().map(decided).collect(),
        _ => stacks.into_par_iter().map(decided).collect(),
    }
}

impl Present {
    /// The snapshot as it is shown: while states are still to be read, only with the files that
    /// what is still to be read has no part in.
    fn shown(&self, workspace: &Workspace) -> Snapshot {
        let mut snapshot = self.snapshot.clone();
        if self.is_partial {
            let called = discover::called_directories(&self.modules);
            let first = workspace.first.iter();
            let alone = first.filter(|it| !called.contains(*it));
            let files = alone.filter_map(|it| self.files.get(&**it)).flatten();
            let of = |it: &Arc<Path>| Some((it.clone(), self.snapshot.file(it)?.clone()));
            snapshot.files = files.filter_map(of).collect();
        }
        snapshot
    }

    fn follow_files(&mut self, workspace: &Workspace, touched: &BTreeSet<Arc<Path>>) {
        for path in touched {
            let entry = workspace.configuration.get(path);
            match entry.and_then(|it| it.file()) {
                Some(file) => _ = self.snapshot.files.insert(path.clone(), file.clone()),
                None => _ = self.snapshot.files.remove(path),
            }
            let Some(directory) = path.parent().filter(|_| is_module_file(path)) else {
                continue;
            };
            if entry.is_some() {
                let files = self.files.entry(directory.into()).or_default();
                files.insert(path.clone());
            } else if let Some(files) = self.files.get_mut(directory) {
                files.remove(path);
                if files.is_empty() {
                    self.files.remove(directory);
                }
            }
        }
    }

    /// The module of a directory as it is now; `None` when it has no configuration.
    fn module(&self, workspace: &Workspace, directory: &Arc<Path>) -> Option<Arc<Module>> {
        let paths = self.files.get(directory)?;
        let read = |it: &Arc<Path>| workspace.configuration.get(it)?.file().cloned();
        let files: Vec<_> = paths.iter().filter_map(read).collect();
        let unread = files.len() < paths.len() || self.completed.contains(directory);
        Some(Arc::new(Module::new(directory.clone(), files, unread)))
    }

    fn complete_by_terragrunt(&mut self, workspace: &Workspace) {
        let completed = discover::completed_by_terragrunt(workspace, &self.modules);
        let completed: HashSet<_> = completed.into_iter().collect();
        let before = std::mem::replace(&mut self.completed, completed);
        let other = before.symmetric_difference(&self.completed);
        let other: Vec<_> = other.cloned().collect();
        // on the first time that is what `before` has of none
        for directory in other {
            if let Some(module) = self.module(workspace, &directory) {
                self.modules.insert(directory, module);
            }
        }
    }

    /// The stacks that there are now. Of `keep_trees`, those whose modules are what they were keep
    /// theirs.
    fn discovered(&self, workspace: &Workspace, keep_trees: bool) -> Vec<Undecided> {
        let mut trees: HashMap<Arc<Path>, Arc<Tree>> = HashMap::new();
        if keep_trees {
            for stack in &self.snapshot.stacks {
                if let Some(tree) = stack.tree.as_ref().filter(|it| it.is_of(&self.modules)) {
                    trees.insert(stack.directory.clone(), tree.clone());
                }
            }
        }
        let mut stacks = discover::discover(workspace, &self.modules, &trees);
        if self.is_partial {
            stacks.retain(|it| workspace.first.contains(&*it.directory));
        }
        let stacks = stacks.into_iter().map(Box::new);
        stacks.map(Undecided::Other).collect()
    }

    /// Gives the stacks that a module is part of a tree with the module as it is now.
    fn put_in_trees(
        &self,
        workspace: &Workspace,
        directories: &BTreeSet<Arc<Path>>,
        stacks: &mut [Undecided],
        rediscovered: bool,
    ) {
        // what was found anew has its tree of the modules as they are
        if rediscovered {
            return;
        }
        let uses = directories.iter().flat_map(|it| self.snapshot.uses_of(it));
        let touched: BTreeSet<usize> = uses.map(|it| it.stack).collect();
        let mut trees: HashMap<Arc<Path>, Arc<Tree>> = HashMap::new();
        for at in touched {
            let stack = stacks[at].stack();
            let tree = trees.entry(stack.directory.clone()).or_insert_with(|| {
                let module = &self.modules[&stack.directory];
                Arc::new(discover::tree(workspace, module, &self.modules))
            });
            let undecided = stack.undecided(Some(tree.clone()));
            stacks[at] = Undecided::Other(Box::new(undecided));
        }
    }

    /// Whether what gives variables their values may give a stack other ones than before.
    fn is_given_otherwise(&self, touched: &Touched, stack: &Stack) -> bool {
        touched.variables
            || touched.files.iter().any(|it| {
                let of_all = it.ends_with(WORKSPACE_FILE);
                gives_values(it) && (of_all || it.starts_with(&stack.directory))
            })
    }

    /// Lets go of what was read of blocks that nobody works on.
    fn let_go(&mut self, change: &Change) {
        if change.stacks.is_empty() {
            return;
        }
        let stacks = &self.snapshot.stacks;
        let decided: Vec<_> = change.stacks.iter().map(|at| stacks[*at].clone()).collect();
        match decided.len() > MOST_AT_WORK {
            true => decided.iter().for_each(|it| it.let_go()),
            false => {
                let left = std::mem::replace(&mut self.at_work, decided);
                let is_at_work = |it: &Stack| self.at_work.iter().any(|now| now.name == it.name);
                let left = left.iter().filter(|it| !is_at_work(it));
                left.for_each(|it| it.let_go());
            }
        }
    }

    /// Brings what is looked up by stack up to date.
    fn follow_stacks(&mut self, before: &[Arc<Stack>], rediscovered: bool, change: &mut Change) {
        let snapshot = &mut self.snapshot;
        let names = before.iter().map(|it| &it.name);
        change.renumbered |= rediscovered && !names.eq(snapshot.stacks.iter().map(|it| &it.name));
        if change.renumbered {
            change.stacks = (0..snapshot.stacks.len()).collect();
            change.edges = true;
            snapshot.index = Index::new(&snapshot.stacks);
            snapshot.uses = uses(&snapshot.stacks);
            return;
        }
        let stacks = snapshot.stacks.iter().zip(before).enumerate();
        let changed = stacks.filter(|(_, (new, old))| !Arc::ptr_eq(new, old));
        change.stacks = changed.map(|(at, _)| at).collect();
        let told = snapshot
            .index
            .replace(before, &snapshot.stacks, &change.stacks);
        change.groups = told.groups;
        change.edges = told.edges;
        for at in &change.stacks {
            follow_uses(&mut snapshot.uses, *at, &before[*at], &snapshot.stacks[*at]);
        }
    }
}

/// Whether a file of this name gives variables values.
fn gives_values(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == WORKSPACE_FILE || variables::is_variables_file(&name)
}

fn module_directories(files: &BTreeSet<Arc<Path>>) -> BTreeSet<Arc<Path>> {
    let files = files.iter().filter(|it| is_module_file(it));
    files.filter_map(|it| Some(it.parent()?.into())).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use crate::fixture::Fixture;
    use crate::identity::IdentityRegistry;
    use crate::workspace::Workspace;

    const STACKS: &str = r#"
#- a/main.tf
module "m" {
  source = "../m"
}
resource "aws_sqs_queue" "q" {}
#- a/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
#- b/main.tf
resource "aws_sqs_queue" "q" {}
module "m" {
  source = "../m"
}
#- b/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
#- m/main.tf
resource "aws_vpc" "v" {}
"#;

    #[test]
    fn while_states_are_read_there_is_only_what_they_cannot_change() {
        let fixture = Fixture::new(STACKS);
        let registry = Arc::new(IdentityRegistry::mounted());
        let root = fixture.path("");
        let mut workspace = Workspace::begin(&root, registry, Arc::default());
        let first = ["b", "m"].map(|it| fixture.path(it));
        workspace.read_first(BTreeSet::from(first));
        assert!(!workspace.is_read());
        let snapshot = workspace.snapshot();
        let names: Vec<_> = snapshot.stacks.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["b"]);
        assert_eq!(snapshot.duplicates().count(), 0);
        let files = snapshot.editable_files();
        let files: Vec<_> = files.map(|it| snapshot.relative(&it.path)).collect();
        // what a module has, other stacks may have, too
        assert_eq!(files, [Box::<str>::from("b/main.tf")]);

        // what is edited meanwhile counts
        let text = "data \"aws_sqs_queue\" \"q\" {}\n";
        let path = fixture.path("b/main.tf");
        workspace.open_document(&path, crate::text::Source::new(text));
        let snapshot = workspace.snapshot();
        assert!(snapshot.stacks[0].rows[0].planned_claim().is_none());
        workspace.close_document(&path);

        workspace.read_all();
        assert!(workspace.is_read());
        let (snapshot, change) = workspace.follow();
        assert!(change.renumbered);
        assert_eq!(snapshot.stacks.len(), 2);
        assert_eq!(snapshot.duplicates().count(), 1);
        assert_eq!(snapshot.editable_files().count(), 3);
    }

    /// Whose addresses alone are others has the same claims, and is named otherwise by its readers.
    #[test]
    fn readers_follow_owners_that_only_have_other_addresses() {
        let arn = "arn=arn:aws:sqs:eu-west-1:111122223333:q";
        let rows = |names: [&str; 2]| {
            names
                .map(|it| format!("aws_sqs_queue.{it} {arn}\n"))
                .concat()
        };
        let text = format!(
            "#- owner/terraform.tfstate\n{}#- reader/terraform.tfstate\n\
             data.aws_sqs_queue.q {arn}\n",
            rows(["a", "b"])
        );
        let fixture = Fixture::new(&text);
        let owners = |snapshot: &crate::workspace::Snapshot| -> Vec<String> {
            let edges = snapshot.edges_from(1).iter();
            edges
                .map(|it| snapshot.address(it.owner).to_string())
                .collect()
        };
        let mut workspace = fixture.workspace();
        assert_eq!(
            owners(&workspace.snapshot()),
            ["aws_sqs_queue.a", "aws_sqs_queue.b"]
        );
        let path = fixture.path("owner/terraform.tfstate");
        let state = crate::fixture::state("owner", &rows(["z", "b"]));
        std::fs::write(&path, state).unwrap();
        workspace.refresh_paths(&BTreeSet::from([path]));
        let (snapshot, change) = workspace.follow();
        assert_eq!(change.stacks, BTreeSet::from([0]));
        assert!(change.edges);
        assert_eq!(owners(&snapshot), ["aws_sqs_queue.b", "aws_sqs_queue.z"]);
    }
}
