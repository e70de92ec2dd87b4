//! Values of root variables from outside of the configuration: `.tfvars` files and the workspace
//! file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::config::{Block, Module, ModuleFile};
use crate::eval::{Data, Resolved, Scope, Value, evaluate};
use crate::syntax::Attribute;

use super::WORKSPACE_FILE;
use super::stack::Stack;

/// What the variables of a root module are given.
pub(super) struct Given {
    /// Values by name.
    pub(super) values: HashMap<Box<str>, Value>,
    /// Whether all files could be read: what is not here is not given.
    pub(super) whole: bool,
}

impl Given {
    /// The same where nobody trusts in a default: what a state has was perhaps made with a value
    /// from the environment.
    pub(super) fn without_defaults(&self, root: &Module) -> Self {
        let mut values = self.values.clone();
        for name in root.variables.keys() {
            values.entry(name.clone()).or_insert_with(Value::unknown);
        }
        Self {
            values,
            whole: self.whole,
        }
    }
}

/// The files that give variables their values.
pub(super) struct Variables {
    /// By directory, in the order in which Terraform reads them: later ones win.
    files: HashMap<Arc<Path>, Vec<Arc<ModuleFile>>>,
    /// Those that somebody names with `-var-file`, or does not.
    by_hand: Vec<Arc<ModuleFile>>,
    workspace_file: Option<Arc<ModuleFile>>,
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

impl Variables {
    pub(super) fn new<'a>(root: &Path, files: impl Iterator<Item = &'a Arc<ModuleFile>>) -> Self {
        let mut found = Self {
            files: HashMap::new(),
            by_hand: Vec::new(),
            workspace_file: None,
        };
        for file in files {
            let (Some(directory), Some(name)) = (file.path.parent(), file.path.file_name()) else {
                continue;
            };
            let name = name.to_string_lossy();
            if directory == root && name == WORKSPACE_FILE {
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

    /// Whether the workspace file speaks of a stack.
    pub(super) fn names(&self, stack: &Stack) -> bool {
        let blocks = self.workspace_file.iter().flat_map(|it| &it.blocks);
        blocks.into_iter().any(|it| is_of(it, stack))
    }

    /// What a stack's variables are given. The workspace file wins over `.tfvars` files, as a
    /// `-var` would, and in it the stack's own block over the whole workspace's.
    pub(super) fn of(&self, stack: &Stack) -> Given {
        let mut given = Given {
            values: HashMap::new(),
            // what a module lacks may give them values, too
            whole: stack.module().is_none_or(|it| !it.unread),
        };
        for file in self.files.get(&stack.directory).into_iter().flatten() {
            if !file.is_whole() {
                // it may give another value to what was given before
                given.values.clear();
                given.whole = false;
            }
            for attribute in file.attributes() {
                let name = attribute.name.text.clone();
                given.values.insert(name, value(attribute, file));
            }
        }
        // what such a file in the stack's directory sets, somebody may set so, or otherwise
        for file in &self.by_hand {
            if file.path.starts_with(&stack.directory) {
                let names = file.attributes().iter().map(|it| it.name.text.clone());
                given.values.extend(names.map(|it| (it, Value::unknown())));
            }
        }
        let Some(file) = &self.workspace_file else {
            return given;
        };
        let block_instead = |it: &Block| *it.keyword == *"variables";
        if !file.is_whole() || file.blocks.iter().any(block_instead) {
            given.values.clear();
            given.whole = false;
        }
        let everywhere = file.attributes().iter();
        let blocks = file.blocks.iter().filter(|it| is_of(it, stack));
        let own = blocks.flat_map(|it| &file.body(it).attributes);
        for attribute in everywhere.chain(own) {
            if *attribute.name.text != *"variables" {
                continue;
            }
            let value = value(attribute, file);
            if !matches!(value.data, Data::Object(_) | Data::Map(..)) {
                given.values.clear();
                given.whole = false;
            }
            for entry in value.entries() {
                let name = (*entry.key).into();
                given.values.insert(name, entry.value.clone());
            }
        }
        given
    }
}

/// Whether a block of the workspace file is `stack "NAME"` of this stack.
fn is_of(block: &Block, stack: &Stack) -> bool {
    let label = block.labels.first();
    *block.keyword == *"stack" && label.is_some_and(|it| it.text == stack.name)
}

fn value(attribute: &Attribute, file: &Arc<ModuleFile>) -> Value {
    evaluate(&attribute.value, &Nothing, &file.path)
}

/// Such a value may name nothing.
struct Nothing;

impl Scope for Nothing {
    fn reference(&self, _: &str, _: &[&str]) -> Option<Resolved> {
        None
    }
}
