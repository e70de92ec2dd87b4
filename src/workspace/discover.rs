//! Which stacks a workspace has, and which state belongs to each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{Backend, Module};
use crate::state::Format;

use super::stack::{Stack, StackState, Unreadable, relative};
use super::tree::{Tree, called_directory, normalize};
use super::{StateFile, Workspace, external};

/// The file that a `local` backend names; `None` for another backend, or the default file.
pub(super) fn local_path(directory: &Path, backend: &Backend) -> Option<PathBuf> {
    let path = backend.path.as_ref();
    let path = path.filter(|_| *backend.kind == *"local")?.as_deref()?;
    Some(normalize(&directory.join(path)))
}

/// The directory in which a `local` backend keeps a directory for each workspace; `None` for
/// another backend, or the default one:
/// <https://developer.hashicorp.com/terraform/language/backend/local>.
pub(super) fn workspace_dir(directory: &Path, backend: &Backend) -> Option<PathBuf> {
    let named = backend.workspace_dir.as_ref();
    let named = named.filter(|_| *backend.kind == *"local")?;
    Some(normalize(&directory.join(&**named)))
}

/// The states of one directory, by what each is to it.
#[derive(Default)]
struct States<'a> {
    /// `terraform.tfstate`, or what the `local` backend names.
    main: Option<(&'a Arc<Path>, &'a StateFile)>,
    errored: Option<(&'a Arc<Path>, &'a StateFile)>,
    shown: Vec<(&'a Arc<Path>, &'a StateFile)>,
    workspaces: BTreeMap<Box<str>, (&'a Arc<Path>, &'a StateFile)>,
    named: Vec<(&'a Arc<Path>, &'a StateFile)>,
}

/// The module tree of a stack.
pub(super) fn tree(
    workspace: &Workspace,
    root: &Arc<Module>,
    modules: &HashMap<Arc<Path>, Arc<Module>>,
) -> Tree {
    let manifest = root.directory.join(".terraform/modules/modules.json");
    let manifest = workspace.manifests.get(&manifest).map(|(_, it)| &**it);
    Tree::new(root, manifest, modules)
}

/// All stacks of a workspace, sorted by name, without their rows. `trees` are those that are known,
/// by directory.
pub(super) fn discover(
    workspace: &Workspace,
    modules: &HashMap<Arc<Path>, Arc<Module>>,
    trees: &HashMap<Arc<Path>, Arc<Tree>>,
) -> Vec<Stack> {
    let root = &workspace.root;
    let mut states = states_by_directory(workspace, modules);
    let called = called_directories(modules);
    let installed = |path: &Path| path.components().any(|it| it.as_os_str() == ".terraform");
    let mut directories: BTreeSet<Arc<Path>> = states.keys().cloned().collect();
    directories.extend(modules.keys().filter(|it| !installed(it)).cloned());

    let mut stacks = Vec::new();
    let mut errored = Vec::new();
    for directory in directories {
        let mut found = states.remove(&directory).unwrap_or_default();
        let module = modules.get(&directory);
        let base = relative(root, &directory);
        let tree = module.map(|module| match trees.get(&directory) {
            Some(known) => known.clone(),
            None => Arc::new(tree(workspace, module, modules)),
        });
        let mut push = |name: Box<str>, workspace: &str, tree, read| {
            stacks.push(Stack::new(name, directory.clone(), workspace, tree, read));
        };
        let is_root = module.is_some_and(|module| {
            module.backend().is_some()
                || workspace.listing.locked.contains(&*directory)
                || !called.contains(&*directory)
        });
        // what was shown beside a module that others call is of one of them
        if !is_root && found.main.is_none() {
            found.shown.clear();
        }
        let (state, unreadable) = default_state(&found);
        let has_state = state.is_some() || !unreadable.is_empty();
        if has_state || (is_root && found.workspaces.is_empty()) {
            push(base.clone(), "default", tree.clone(), (state, unreadable));
        }
        if let Some((path, file)) = found.errored
            && let (Some(state), _) = read(path, file)
        {
            errored.push(Errored {
                name: base.clone(),
                directory: directory.clone(),
                tree: tree.clone(),
                state,
            });
        }
        let named = newest_of_each_lineage(&found);
        for (name, (path, file)) in found.workspaces {
            let read = read(path, file);
            if read.0.is_some() || !read.1.is_empty() {
                push(format!("{base}@{name}").into(), &name, tree.clone(), read);
            }
        }
        for (path, file) in named {
            let read = read(path, file);
            if read.0.is_some() || !read.1.is_empty() {
                let name = relative(root, &path.with_extension(""));
                push(name, "default", None, read);
            }
        }
    }
    adopt_inventories(workspace, &mut stacks);
    for it in errored {
        it.join(&mut stacks);
    }
    leave_out_copies(&mut stacks);
    external::add(workspace, &mut stacks);
    stacks.sort_by(|a, b| a.name.cmp(&b.name));
    stacks
}

/// A file that is known by its state alone is no stack where one with configuration has that
/// lineage: it is a backup, or what was pulled once. An inventory says of which stack it is.
fn leave_out_copies(stacks: &mut Vec<Stack>) {
    let lineage = |state: &StackState| {
        let lineage = state.file.lineage.clone();
        lineage.filter(|it| !it.is_empty())
    };
    let configured = stacks.iter().filter(|it| it.tree.is_some());
    let configured: HashSet<_> = configured
        .filter_map(|it| lineage(it.state.as_ref()?))
        .collect();
    let is_copy = |state: &StackState| {
        state.file.format != Format::Inventory
            && lineage(state).is_some_and(|it| configured.contains(&it))
    };
    stacks.retain(|it| it.tree.is_some() || !it.state.as_ref().is_some_and(is_copy));
}

/// Sorts every state file to the directory that it belongs to.
fn states_by_directory<'a>(
    workspace: &'a Workspace,
    modules: &HashMap<Arc<Path>, Arc<Module>>,
) -> HashMap<Arc<Path>, States<'a>> {
    let mut by_directory: HashMap<Arc<Path>, States> = HashMap::new();
    let mut taken = HashSet::new();
    // whose they are that several stacks name, nobody knows
    let mut workspace_dirs: HashMap<PathBuf, Option<&Path>> = HashMap::new();
    // what a backend names belongs to that stack, wherever it lies
    for (directory, module) in modules {
        let local = module.backend().filter(|it| *it.kind == *"local");
        if let Some(named) = local.and_then(|it| workspace_dir(directory, it)) {
            let named = workspace_dirs.entry(named);
            named.and_modify(|it| *it = None).or_insert(Some(directory));
        }
        let Some(backend) = local.filter(|it| it.path.is_some()) else {
            continue;
        };
        taken.insert(directory.join("terraform.tfstate"));
        let Some(path) = local_path(directory, backend) else {
            continue;
        };
        if let Some((path, file)) = workspace.states.get_key_value(&*path) {
            taken.insert(path.to_path_buf());
            by_directory.entry(directory.clone()).or_default().main = Some((path, file));
        }
    }
    for (path, file) in &workspace.states {
        let is_elsewhere = workspace.externals.files.contains_key(&**path);
        if taken.contains(&**path)
            || workspace.listing.inventories.contains(&**path)
            || is_elsewhere
        {
            continue;
        }
        let name = path
            .file_name()
            .and_then(|it| it.to_str())
            .unwrap_or_default();
        let Some(parent) = path.parent() else {
            continue;
        };
        let workspaces = parent.parent().unwrap_or(parent);
        let by_default = workspaces.file_name() == Some("terraform.tfstate.d".as_ref());
        let of_workspaces = match workspace_dirs.get(workspaces) {
            Some(named) => *named,
            None => workspaces.parent().filter(|_| by_default),
        };
        match (name, of_workspaces) {
            ("terraform.tfstate", Some(directory)) => {
                let name = parent.file_name().unwrap_or_default().to_string_lossy();
                let states = by_directory.entry(directory.into()).or_default();
                states.workspaces.insert(name.into(), (path, file));
            }
            (name, _) => {
                let states = by_directory.entry(parent.into()).or_default();
                match name {
                    "terraform.tfstate" => states.main = Some((path, file)),
                    "errored.tfstate" => states.errored = Some((path, file)),
                    name if name.ends_with(".json") => states.shown.push((path, file)),
                    _ => states.named.push((path, file)),
                }
            }
        }
    }
    by_directory
}

/// Directories that some module calls, in this workspace.
pub(super) fn called_directories(modules: &HashMap<Arc<Path>, Arc<Module>>) -> HashSet<PathBuf> {
    let calls = modules.values().flat_map(|module| {
        let called = module.calls.values();
        called.filter_map(|it| called_directory(module, it))
    });
    calls.collect()
}

/// Root modules that Terragrunt may add files and values of variables to before they run: those
/// beside its own configuration and, in a workspace that has any, those that have no backend, lock
/// file or state of their own.
pub(super) fn completed_by_terragrunt(
    workspace: &Workspace,
    modules: &HashMap<Arc<Path>, Arc<Module>>,
) -> Vec<Arc<Path>> {
    let listing = &workspace.listing;
    if listing.terragrunt.is_empty() {
        return Vec::new();
    }
    let called = called_directories(modules);
    let with_states: HashSet<&Path> = listing.states.iter().filter_map(|it| it.parent()).collect();
    let may_be = |directory: &Path, module: &Module| {
        let alone = module.backend().is_none()
            && !listing.locked.contains(directory)
            && !with_states.contains(directory)
            && !called.contains(directory);
        alone || listing.terragrunt.contains(directory)
    };
    let found = modules.iter().filter(|(path, it)| may_be(path, it));
    found.map(|(directory, _)| directory.clone()).collect()
}

pub(super) fn read(path: &Arc<Path>, file: &StateFile) -> (Option<StackState>, Vec<Unreadable>) {
    let state = file.read.state.as_ref().map(|state| StackState {
        path: path.clone(),
        file: state.clone(),
        modified: state.cached_at.or(file.modified()),
    });
    let unreadable = file.read.problem.iter().map(|problem| Unreadable {
        path: path.clone(),
        problem: problem.clone(),
        modified: file.modified(),
    });
    (state, unreadable.collect())
}

/// The main state of the default workspace; without one, what `show -json` wrote beside the
/// configuration. That does not say which workspace it is of: where there are others, nobody knows.
fn default_state(states: &States) -> (Option<StackState>, Vec<Unreadable>) {
    let (mut state, mut unreadable) = match states.main {
        Some((path, file)) => read(path, file),
        None => (None, Vec::new()),
    };
    if let Some((path, file)) = states.errored {
        unreadable.extend(read(path, file).1);
    }
    let alone = states.errored.is_none() && states.workspaces.is_empty();
    if state.is_none() && alone {
        let shown = states.shown.iter().map(|(path, file)| read(path, file));
        let shown: Vec<_> = shown.collect();
        let of = |format| {
            let mut states = shown.iter().filter_map(|(state, _)| state.as_ref());
            states.find(|it| it.file.format == format).cloned()
        };
        let copy = of(Format::ShowState).or_else(|| of(Format::ShowPlan));
        // of a state that is encrypted, say, it is all that can be read
        if let Some(copy) = copy
            && unreadable.iter().all(|it| it.is_told_by(&copy))
        {
            unreadable.clear();
            state = Some(copy);
        }
    }
    (state, unreadable)
}

/// An `errored.tfstate` that could be read. Terraform writes it beside the configuration, whatever
/// the workspace and the backend: its lineage says which stack it is of.
struct Errored {
    /// The name of the directory's default stack.
    name: Box<str>,
    directory: Arc<Path>,
    tree: Option<Arc<Tree>>,
    state: StackState,
}

impl Errored {
    /// Replaces the state of the stack of its lineage when it is newer. Without one it is the state
    /// of the default stack, unless that has another.
    fn join(self, stacks: &mut Vec<Stack>) {
        let mut own = stacks.iter_mut().filter(|it| {
            let workspace = it.name.strip_prefix(&*self.name);
            workspace.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
        });
        let same = own.find(|it| {
            let state = it.state.as_ref();
            state.is_some_and(|it| it.file.lineage == self.state.file.lineage)
        });
        if let Some(Stack {
            state: Some(state), ..
        }) = same
        {
            if state.file.serial < self.state.file.serial {
                *state = self.state;
            }
            return;
        }
        match stacks.iter_mut().find(|it| it.name == self.name) {
            None => {
                let read = (Some(self.state), Vec::new());
                stacks.push(Stack::new(
                    self.name,
                    self.directory,
                    "default",
                    self.tree,
                    read,
                ));
            }
            Some(stack) => match &stack.state {
                None => stack.state = Some(self.state),
                // of a state that does not say, nobody knows
                Some(main) if main.file.lineage.is_none() => {}
                Some(_) => stack.unreadable.push(Unreadable {
                    path: self.state.path,
                    problem: "of another lineage than the stack's state: passed over".into(),
                    modified: self.state.modified,
                }),
            },
        }
    }
}

/// Of states with names of their own that lie side by side, the newest of each lineage: the others
/// are what it was before. None of a lineage that a stack of the directory has: it is a copy.
fn newest_of_each_lineage<'a>(states: &States<'a>) -> Vec<(&'a Arc<Path>, &'a StateFile)> {
    let stamp = |file: &StateFile| {
        let state = file.read.state.as_ref()?;
        let lineage = state.lineage.clone().filter(|it| !it.is_empty())?;
        Some((lineage, state.serial))
    };
    let of_stacks = states.main.iter().chain(&states.errored);
    let of_stacks = of_stacks.chain(states.workspaces.values());
    let taken: HashSet<_> = of_stacks
        .filter_map(|(_, file)| Some(stamp(file)?.0))
        .collect();
    let mut newest: Vec<(&Arc<Path>, &StateFile)> = Vec::new();
    for (path, file) in &states.named {
        let Some((lineage, serial)) = stamp(file) else {
            newest.push((path, file));
            continue;
        };
        if taken.contains(&lineage) {
            continue;
        }
        let same = newest
            .iter_mut()
            .find(|(_, it)| stamp(it).is_some_and(|(other, _)| other == lineage));
        match same {
            Some(same) if stamp(same.1).is_some_and(|(_, other)| other < serial) => {
                *same = (path, file);
            }
            Some(_) => {}
            None => newest.push((path, file)),
        }
    }
    newest
}

/// Gives each inventory of the cache to the stack that it names, or makes a stack of it.
fn adopt_inventories(workspace: &Workspace, stacks: &mut Vec<Stack>) {
    for path in &workspace.listing.inventories {
        let Some((path, file)) = workspace.states.get_key_value(&**path) else {
            continue;
        };
        let (state, unreadable) = read(path, file);
        let name = state.as_ref().and_then(|it| it.file.name.clone());
        let name = name.unwrap_or_else(|| {
            let cache = workspace.root.join(".gantrycd/state");
            relative(&cache, &path.with_extension(""))
        });
        if let Some(stack) = stacks.iter_mut().find(|it| it.name == name) {
            stack.unreadable.extend(unreadable);
            let backend = stack.module().and_then(|it| it.backend());
            let is_local = backend.is_none_or(|it| *it.kind == *"local") && stack.tree.is_some();
            // a local state that was begun anew is what there is, whatever was cached before
            let counts = |cached: &StackState| {
                let Some(own) = &stack.state else {
                    return true;
                };
                match own.file.lineage == cached.file.lineage {
                    true => own.file.serial <= cached.file.serial,
                    false => !is_local || own.file.lineage.is_none(),
                }
            };
            if let Some(cached) = state.filter(counts) {
                stack.unreadable.retain(|it| !it.is_told_by(&cached));
                stack.state = Some(cached);
            }
            continue;
        }
        let (directory, terraform_workspace) = match name.split_once('@') {
            Some((directory, workspace)) => (directory, workspace),
            None => (&*name, "default"),
        };
        let directory: Arc<Path> = normalize(&workspace.root.join(directory)).into();
        let same = stacks.iter().find(|it| it.directory == directory);
        let tree = same.and_then(|it| it.tree.clone());
        let workspace = terraform_workspace.to_owned();
        let read = (state, unreadable);
        stacks.push(Stack::new(name, directory, &workspace, tree, read));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::text::Source;

    /// `name: state format` of each stack; `-` for none.
    fn stacks(text: &str) -> Vec<String> {
        let snapshot = Fixture::new(text).snapshot();
        let told = snapshot.stacks.iter().map(|it| match &it.state {
            Some(state) => format!("{}: {}", it.name, snapshot.relative(&state.path)),
            None => format!("{}: -", it.name),
        });
        told.collect()
    }

    #[test]
    fn a_stack_has_a_backend_a_state_a_lock_file_or_no_caller() {
        assert_eq!(
            stacks(
                r#"
#- live/a/main.tf
module "called" {
  source = "../../modules/called"
}
module "with_state" {
  source = "../../modules/with_state/"
}
module "with_lock" {
  source = "./../../modules/with_lock"
}
module "with_backend" {
  source = "../../modules/with_backend"
}
#- modules/called/main.tf
module "inner" {
  source = "./inner"
}
#- modules/called/inner/main.tf
#- modules/with_state/main.tf
#- modules/with_state/terraform.tfstate
aws_vpc.v id=x
#- modules/with_lock/main.tf
#- modules/with_lock/.terraform.lock.hcl
#- modules/with_backend/main.tf
terraform {
  cloud {}
}
#- modules/uncalled/main.tf
#- README.md
#- node_modules/x/main.tf
#- .terragrunt-cache/x/main.tf
#- json/main.tf.json
{}
#- empty/terraform.tfstate
"#
            ),
            [
                "json: -",
                "live/a: -",
                "modules/uncalled: -",
                "modules/with_backend: -",
                "modules/with_lock: -",
                "modules/with_state: modules/with_state/terraform.tfstate",
            ]
        );
    }

    #[test]
    fn workspaces_and_states_with_names_of_their_own() {
        assert_eq!(
            stacks(
                r#"
#- main.tf
#- terraform.tfstate.d/dev/terraform.tfstate
aws_vpc.v id=x
#- terraform.tfstate.d/prod/terraform.tfstate
aws_vpc.v id=y
#- a/main.tf
#- a/terraform.tfstate
aws_vpc.v id=a
#- a/terraform.tfstate.d/dev/terraform.tfstate
aws_vpc.v id=b
#- states/net-443.tfstate
aws_vpc.v id=c
#- states/net-22.tfstate
aws_vpc.v id=d
"#
            ),
            [
                ".@dev: terraform.tfstate.d/dev/terraform.tfstate",
                ".@prod: terraform.tfstate.d/prod/terraform.tfstate",
                "a: a/terraform.tfstate",
                "a@dev: a/terraform.tfstate.d/dev/terraform.tfstate",
                "states/net-22: states/net-22.tfstate",
                "states/net-443: states/net-443.tfstate",
            ]
        );
    }

    #[test]
    fn the_file_that_a_local_backend_names() {
        assert_eq!(
            stacks(
                r#"
#- live/net/main.tf
terraform {
  backend "local" {
    path = "../../states/net.tfstate"
  }
}
#- live/net/terraform.tfstate
aws_vpc.left_behind id=x
#- live/dns/main.tf
terraform {
  backend "local" {
    path = "dns.state"
  }
}
#- live/dns/dns.state
{"version": 4, "serial": 1, "lineage": "dns", "resources": []}
#- states/net.tfstate
aws_vpc.v id=x
"#
            ),
            [
                "live/dns: live/dns/dns.state",
                "live/net: states/net.tfstate",
            ]
        );
    }

    #[test]
    fn what_a_state_was_before_is_no_stack_of_its_own() {
        let state = |serial| {
            format!(r#"{{"version": 4, "lineage": "l", "serial": {serial}, "resources": []}}"#)
        };
        assert_eq!(
            stacks(&format!(
                "#- a-old.tfstate\n{}\n#- a.tfstate\n{}\n#- b/a.tfstate\n{}\n",
                state(3),
                state(4),
                state(3),
            )),
            ["a: a.tfstate", "b/a: b/a.tfstate"]
        );
        // nor is it wherever it lies, of a stack with configuration
        assert_eq!(
            stacks(&format!(
                "#- a/main.tf\n#- a/terraform.tfstate\n{}\n#- backup/a/terraform.tfstate\n{}\n\
                 #- c/main.tf\n#- c/terraform.tfstate\n{}\n#- old.tfstate\n{}\n",
                state(4),
                state(3),
                state(4),
                state(5),
            )),
            ["a: a/terraform.tfstate", "c: c/terraform.tfstate"]
        );
    }

    #[test]
    fn a_copy_of_a_state_is_no_stack_beside_its_own() {
        let state = |lineage, serial| {
            format!(
                r#"{{"version": 4, "lineage": "{lineage}", "serial": {serial}, "resources": []}}"#
            )
        };
        let nameless = r#"{"version": 4, "lineage": "", "serial": 1, "resources": []}"#;
        assert_eq!(
            stacks(&format!(
                "#- a/before.tfstate\n{}\n#- a/main.tf\n#- a/terraform.tfstate\n{}\n\
                 #- b/before.tfstate\n{}\n#- b/terraform.tfstate.d/dev/terraform.tfstate\n{}\n\
                 #- c/x.tfstate\n{nameless}\n#- c/y.tfstate\n{nameless}\n",
                state("a", 3),
                state("a", 4),
                state("b", 9),
                state("b", 4),
            )),
            [
                "a: a/terraform.tfstate",
                "b@dev: b/terraform.tfstate.d/dev/terraform.tfstate",
                "c/x: c/x.tfstate",
                "c/y: c/y.tfstate",
            ]
        );
    }

    #[test]
    fn an_errored_state_is_of_the_workspace_that_has_its_lineage() {
        let state = |lineage, serial| {
            format!(
                r#"{{"version": 4, "lineage": "{lineage}", "serial": {serial}, "resources": []}}"#
            )
        };
        let inventory = |name| {
            format!(
                r#"{{"version": 1, "name": "{name}", "state": {{"serial": 4, "lineage": "remote"}}, "resources": []}}"#
            )
        };
        assert_eq!(
            stacks(&format!(
                "#- a/main.tf\n#- a/errored.tfstate\n{}\n\
                 #- a/terraform.tfstate\n{}\n\
                 #- a/terraform.tfstate.d/dev/terraform.tfstate\n{}\n\
                 #- b/main.tf\n#- b/errored.tfstate\n{}\n\
                 #- b/terraform.tfstate.d/dev/terraform.tfstate\n{}\n\
                 #- c/main.tf\n#- c/errored.tfstate\n{}\n#- .gantrycd/state/c.json\n{}\n\
                 #- d/errored.tfstate\n{}\n",
                state("dev", 5),
                state("default", 9),
                state("dev", 4),
                state("dev", 3),
                state("dev", 4),
                state("remote", 5),
                inventory("c@prod"),
                state("d", 1),
            )),
            [
                "a: a/terraform.tfstate",
                "a@dev: a/errored.tfstate",
                "b@dev: b/terraform.tfstate.d/dev/terraform.tfstate",
                "c: -",
                "c@prod: c/errored.tfstate",
                "d: d/errored.tfstate",
            ]
        );
    }

    #[test]
    fn where_a_backend_keeps_the_states_of_workspaces() {
        let backend = |named: &str| {
            format!("terraform {{\n  backend \"local\" {{\n    workspace_dir = {named}\n  }}\n}}\n")
        };
        assert_eq!(
            stacks(&format!(
                "#- a/main.tf\n{}#- a/terraform.tfstate\naws_vpc.v id=a\n\
                 #- a/ws/dev/terraform.tfstate\naws_vpc.v id=b\n\
                 #- b/main.tf\n{}#- states/b/dev/terraform.tfstate\naws_vpc.v id=c\n\
                 #- c/main.tf\n{1}#- states/b/prod/terraform.tfstate\naws_vpc.v id=d\n\
                 #- d/main.tf\n{}#- d/ws/dev/terraform.tfstate\naws_vpc.v id=e\n\
                 #- e/main.tf\n{}#- states/e/dev/terraform.tfstate\naws_vpc.v id=f\n",
                backend("\"ws\""),
                backend("\"../states/b\""),
                backend("var.x"),
                backend("\"../states/e/\"").replace("\"local\"", "\"s3\""),
            )),
            [
                "a: a/terraform.tfstate",
                "a@dev: a/ws/dev/terraform.tfstate",
                "b: -",
                "c: -",
                "d: -",
                "d/ws/dev: d/ws/dev/terraform.tfstate",
                "e: -",
                "states/b/dev: states/b/dev/terraform.tfstate",
                "states/b/prod: states/b/prod/terraform.tfstate",
                "states/e/dev: states/e/dev/terraform.tfstate",
            ]
        );
    }

    #[test]
    fn an_edit_of_where_the_states_of_workspaces_are_is_followed() {
        let backend = |named: &str| {
            format!(
                "terraform {{\n  backend \"local\" {{\n    workspace_dir = \"{named}\"\n  }}\n}}\n"
            )
        };
        let fixture = Fixture::new(&format!(
            "#- a/main.tf\n{}#- a/ws/dev/terraform.tfstate\naws_vpc.v id=a\n",
            backend("other")
        ));
        let mut workspace = fixture.workspace();
        let mut names = |named: &str| {
            let text = Source::new(&backend(named));
            workspace.open_document(&fixture.path("a/main.tf"), text);
            let snapshot = workspace.snapshot();
            let names = snapshot.stacks.iter().map(|it| it.name.to_string());
            names.collect::<Vec<_>>()
        };
        assert_eq!(names("other"), ["a", "a/ws/dev"]);
        assert_eq!(names("ws"), ["a@dev"]);
    }

    #[test]
    fn what_show_json_wrote_beside_configuration() {
        let show = r#"{"format_version": "1.0", "values": {"root_module": {}}}"#;
        let plan = r#"{"format_version": "1.2", "planned_values": {}}"#;
        assert_eq!(
            stacks(&format!(
                r#"
#- a/main.tf
#- a/plan.json
{plan}
#- a/show.json
{show}
#- b/main.tf
#- b/plan.json
{plan}
#- b/package.json
{{"name": "x"}}
#- c/show.json
{show}
#- d/main.tf
#- d/terraform.tfstate
{show}
"#
            )),
            ["a: a/show.json", "b: b/plan.json", "d: d/terraform.tfstate"]
        );
        // of which workspace it is, it does not say
        assert_eq!(
            stacks(&format!(
                "#- main.tf\n#- show.json\n{show}\n#- terraform.tfstate.d/dev/terraform.tfstate\naws_vpc.v id=x\n"
            )),
            [".@dev: terraform.tfstate.d/dev/terraform.tfstate"]
        );
    }

    #[test]
    fn what_was_shown_beside_a_called_module_is_no_state_of_its_own() {
        let show = r#"{"format_version": "1.0", "values": {"root_module": {}}}"#;
        assert_eq!(
            stacks(&format!(
                "#- a/main.tf\nmodule \"m\" {{\n  source = \"./m\"\n}}\n#- a/m/main.tf\n#- a/m/state.json\n{show}\n"
            )),
            ["a: -"]
        );
    }

    #[test]
    fn inventories_go_to_the_stacks_that_they_name() {
        let inventory = |name: &str, serial: u32| {
            format!(
                r#"{{"version": 1, "name": "{name}", "directory": "x", "workspace": "default", "state": {{"path": "p", "format": "state-v4", "serial": {serial}, "lineage": "a/terraform.tfstate"}}, "resources": []}}"#
            )
        };
        assert_eq!(
            stacks(&format!(
                r#"
#- a/main.tf
#- a/terraform.tfstate
aws_vpc.v id=x
#- b/main.tf
#- .gantrycd/state/a.json
{}
#- .gantrycd/state/deep/b.json
{}
#- .gantrycd/state/c.json
{}
"#,
                inventory("a", 0),
                inventory("b", 7),
                inventory("elsewhere@prod", 7),
            )),
            [
                "a: a/terraform.tfstate",
                "b: .gantrycd/state/deep/b.json",
                "elsewhere@prod: .gantrycd/state/c.json",
            ]
        );
    }

    #[test]
    fn rows_find_the_block_that_declares_them() {
        let fixture = Fixture::new(
            r#"
#- a/main.tf
module "one" {
  source = "../m"
}
module "installed" {
  source  = "example/m/aws"
  version = "1.0"
}
resource "aws_vpc" "counted" {
  count = 2
}
data "aws_vpc" "d" {}
#- a/.terraform/modules/modules.json
{"Modules": [{"Key": "installed", "Source": "registry.terraform.io/example/m/aws", "Version": "1.0.0", "Dir": ".terraform/modules/installed"}]}
#- a/.terraform/modules/installed/main.tf
resource "aws_vpc" "v" {}
#- m/main.tf
module "two" {
  source = "./n"
}
#- m/n/main.tf
# a first line
resource "aws_vpc" "v" {}
#- a/terraform.tfstate
aws_vpc.counted[0] id=a
aws_vpc.counted[1] id=b
aws_vpc.gone id=c
data.aws_vpc.d
module.one["x"].module.two[0].aws_vpc.v id=d
module.installed.aws_vpc.v id=e
module.gone.aws_vpc.v id=f
"#,
        );
        let snapshot = fixture.snapshot();
        let stack = &snapshot.stacks[0];
        let told: Vec<_> = (0..stack.rows.len())
            .map(|row| {
                let address = stack.address(row);
                match &stack.rows[row].site {
                    Some(site) => {
                        let declared = stack.resource(*site).base();
                        let file = &declared.file;
                        let at = declared.block().header.start;
                        let line = file.source().position(at, Default::default()).line + 1;
                        format!("{address} {}:{line}", snapshot.relative(&file.path))
                    }
                    None => format!("{address} -"),
                }
            })
            .collect();
        assert_eq!(
            told,
            [
                "aws_vpc.counted[0] a/main.tf:8",
                "aws_vpc.counted[1] a/main.tf:8",
                "aws_vpc.gone -",
                "data.aws_vpc.d a/main.tf:11",
                "module.one[\"x\"].module.two[0].aws_vpc.v m/n/main.tf:2",
                "module.installed.aws_vpc.v a/.terraform/modules/installed/main.tf:1",
                "module.gone.aws_vpc.v -",
            ]
        );
    }

    #[test]
    fn a_module_that_calls_itself_ends() {
        let told = stacks(
            "#- a/main.tf\nmodule \"b\" {\n  source = \"../b\"\n}\n#- b/main.tf\nmodule \"a\" {\n  source = \"../a\"\n}\nmodule \"self\" {\n  source = \"../b\"\n}\n#- b/terraform.tfstate\naws_vpc.v id=x\n",
        );
        assert_eq!(told, ["b: b/terraform.tfstate"]);
    }
}
