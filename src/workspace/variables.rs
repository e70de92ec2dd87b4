//! Values of root variables from outside of the configuration: `.tfvars` files and the workspace
//! file.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::config::{Block, Module, ModuleFile};
use crate::eval::{Data, Entry, Origin, Resolved, Scope, Value, evaluate};
use crate::syntax::{Attribute, Expression};

use super::snapshot::header;
use super::stack::Stack;
use super::{WORKSPACE_FILE, Workspace};

/// What the variables of a root module are given.
#[derive(PartialEq, Default, Debug)]
pub(super) struct Given {
    /// Values by name.
    pub(super) values: HashMap<Box<str>, Value>,
    /// Whether all files could be read: what is not here is not given.
    pub(super) whole: bool,
}

impl Given {
    /// What is known is perhaps not what is given.
    fn is_doubtful(&mut self) {
        self.values.clear();
        self.whole = false;
    }

    /// Takes the values of `variables = { … }`, over those that are known.
    fn take(&mut self, attributes: &[Attribute], file: &Arc<ModuleFile>) {
        for attribute in attributes.iter().filter(|it| *it.name.text == *"variables") {
            let value = constant(&attribute.value, &file.path);
            if !matches!(value.data, Data::Object(_) | Data::Map(..)) {
                self.is_doubtful();
            }
            for entry in value.entries() {
                let name = (*entry.key).into();
                self.values.insert(name, entry.value.clone());
            }
        }
    }

    /// The same where nobody trusts in a default: what a state has was perhaps made with a value
    /// from the environment.
    pub(super) fn without_defaults(&self, root: &Module) -> Self {
        let mut values = self.values.clone();
        for name in root.variables.keys() {
            values.entry(name.into()).or_insert_with(Value::unknown);
        }
        Self {
            values,
            whole: self.whole,
        }
    }
}

/// What gives variables their values.
#[derive(Clone, Default)]
pub(super) struct Variables {
    /// By directory, in the order in which Terraform reads them: later ones win.
    files: HashMap<Arc<Path>, Vec<Arc<ModuleFile>>>,
    /// Directories with such a file that cannot be read at all.
    unread: HashSet<Arc<Path>>,
    /// Those that somebody names with `-var-file`, or does not.
    by_hand: Vec<Arc<ModuleFile>>,
    pub(super) workspace_file: Option<Arc<ModuleFile>>,
    /// The workspace file when it cannot be read, and why.
    pub(super) unread_file: Option<(Arc<Path>, String)>,
    /// Of an editor's settings.
    editor: Arc<[Entry]>,
}

/// Whether a file of this name has values of variables.
pub(super) fn is_variables_file(name: &str) -> bool {
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}

/// Of the files that Terraform reads by itself: `terraform.tfvars`, then `terraform.tfvars.json`,
/// then the others by name.
fn rank(name: &str) -> Option<u8> {
    match name {
        "terraform.tfvars" => Some(0),
        "terraform.tfvars.json" => Some(1),
        name if name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json") => Some(2),
        _ => None,
    }
}

/// The directories of files that Terraform reads by itself and we cannot.
fn unread(workspace: &Workspace) -> HashSet<Arc<Path>> {
    let files = workspace.configuration.iter();
    let unread = files.filter(|(_, it)| it.file().is_none());
    let of = |path: &Arc<Path>| {
        rank(&path.file_name()?.to_string_lossy())?;
        Some(path.parent()?.into())
    };
    unread.filter_map(|(path, _)| of(path)).collect()
}

impl Variables {
    pub(super) fn new<'a>(
        workspace: &Workspace,
        files: impl Iterator<Item = &'a Arc<ModuleFile>>,
    ) -> Self {
        let workspace_file = workspace.root.join(WORKSPACE_FILE);
        let on_disk = workspace.configuration.get(&*workspace_file);
        let mut found = Self {
            files: HashMap::new(),
            unread: unread(workspace),
            by_hand: Vec::new(),
            workspace_file: None,
            unread_file: on_disk.filter(|it| it.file().is_none()).map(|it| {
                let why = it.problem.clone().unwrap_or_default();
                (workspace_file.as_path().into(), why)
            }),
            editor: workspace.variables.clone(),
        };
        for file in files {
            let (Some(directory), Some(name)) = (file.path.parent(), file.path.file_name()) else {
                continue;
            };
            let name = name.to_string_lossy();
            if *file.path == *workspace_file {
                found.workspace_file = Some(file.clone());
            } else if rank(&name).is_some() {
                let files = found.files.entry(directory.into()).or_default();
                files.push(file.clone());
            } else if is_variables_file(&name) {
                found.by_hand.push(file.clone());
            }
        }
        for files in found.files.values_mut() {
            files.sort_by_cached_key(|it| {
                let name = it.path.file_name().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                (rank(&name), name)
            });
        }
        found
    }

    /// The same with another text of a `.tfvars` file.
    pub(super) fn with(&self, file: &Arc<ModuleFile>) -> Self {
        let mut other = self.clone();
        let files = other.files.values_mut().flatten();
        for it in files.chain(&mut other.by_hand) {
            if it.path == file.path {
                *it = file.clone();
            }
        }
        other
    }

    /// Whether the workspace file speaks of a stack.
    pub(super) fn names(&self, stack: &Stack) -> bool {
        let file = self.workspace_file.as_ref();
        file.is_some_and(|it| it.blocks().any(|it| is_of(&it, stack)))
    }

    /// What a stack's variables are given. The workspace file wins over `.tfvars` files, as a
    /// `-var` would; over what it says for the whole workspace an editor's settings, and over
    /// those its block of the stack.
    pub(super) fn of(&self, stack: &Stack) -> Given {
        let mut given = Given {
            values: HashMap::new(),
            // what a module lacks may give them values, too
            whole: stack.module().is_none_or(|it| !it.unread),
        };
        for file in self.files.get(&stack.directory).into_iter().flatten() {
            if !file.is_whole() {
                // it may give another value to what was given before
                given.is_doubtful();
            }
            for attribute in &file.top_level().attributes {
                let name = attribute.name.text.clone();
                let value = constant(&attribute.value, &file.path);
                given.values.insert(name, value);
            }
        }
        if self.unread.contains(&stack.directory) {
            given.is_doubtful();
        }
        // what such a file in the stack's directory sets, somebody may set so, or otherwise
        for file in &self.by_hand {
            if file.path.starts_with(&stack.directory) {
                let names = file.top_level();
                let names = names.attributes.iter().map(|it| it.name.text.clone());
                given.values.extend(names.map(|it| (it, Value::unknown())));
            }
        }
        if self.unread_file.is_some() {
            given.is_doubtful();
        }
        if let Some(file) = &self.workspace_file {
            let block_instead = |it: Block| it.keyword == "variables";
            if !file.is_whole() || file.blocks().any(block_instead) {
                given.is_doubtful();
            }
            given.take(&file.top_level().attributes, file);
        }
        for entry in &*self.editor {
            let variables = stack.module().map(|it| &it.variables);
            let Some(variable) = variables.and_then(|it| it.get(&entry.key)) else {
                continue;
            };
            // it stands in no file: where it arrives is shown
            let origin = Origin {
                place: header(variable.base()),
                through: None,
                computed: true,
            };
            let value = entry
                .value
                .map_all(&mut |it| it.from_origin(origin.clone()));
            given.values.insert((*entry.key).into(), value);
        }
        if let Some(file) = &self.workspace_file {
            for block in file.blocks().filter(|it| is_of(it, stack)) {
                let body = file.body(block.id);
                if body.blocks("variables").next().is_some() {
                    given.is_doubtful();
                }
                given.take(&body.attributes, file);
            }
        }
        // what no variable takes makes no difference
        given.values.retain(|name, _| {
            stack
                .module()
                .is_some_and(|it| it.variables.contains_key(name))
        });
        given
    }
}

/// Whether a block of the workspace file is `stack "NAME"` of this stack.
fn is_of(block: &Block, stack: &Stack) -> bool {
    block.keyword == "stack" && block.label() == Some(&*stack.name)
}

/// What an expression of such a file comes to: it may name nothing.
pub fn constant(expression: &Expression, file: &Arc<Path>) -> Value {
    evaluate(expression, &Nothing, file)
}

/// A scope without names.
struct Nothing;

impl Scope for Nothing {
    fn reference(&self, _: &str, _: &[&str]) -> Option<Resolved> {
        None
    }
}
