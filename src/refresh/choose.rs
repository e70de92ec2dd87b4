//! Which stacks are asked for their states.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use globset::{GlobBuilder, GlobMatcher};

use crate::checks::settings::{States, Tool};
use crate::config::Backend;
use crate::state::Format;
use crate::workspace::{Snapshot, Stack, is_editable, relative};

use super::message;

/// Terraform's name of the workspace that is always there.
pub(super) const DEFAULT: &str = "default";

/// Which stacks somebody wants.
#[derive(Clone, Debug)]
pub enum Which {
    /// Those of these names or globs, as `status` prints names.
    Named(Vec<String>),
    /// All whose state is not on the disk: with a `cloud` block or a backend other than `local`.
    All,
    /// Of all, those whose configuration was written after their state was cached, and those of
    /// which none is.
    Changed,
}

/// Which Terraform workspaces of these somebody wants.
#[derive(Clone, Debug, Default)]
pub enum Workspaces {
    /// The default one, and those of which something is cached.
    #[default]
    Known,
    /// These.
    Named(Vec<String>),
    /// Whatever there are.
    All,
}

/// What somebody wants to be refreshed.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Which stacks.
    pub which: Which,
    /// And which workspaces of them.
    pub workspaces: Workspaces,
}

/// A stack that is to be asked for its state.
#[derive(Clone, Debug)]
pub struct Target {
    /// The stack's name.
    pub name: Box<str>,
    /// Its absolute directory.
    pub directory: Arc<Path>,
    /// Its Terraform workspace.
    pub workspace: Box<str>,
    /// Whether the workspaces are those of a service, which has no default one.
    pub(super) is_cloud: bool,
    /// Whether it stands for all workspaces of its directory, and these are still to be listed.
    pub(super) is_each: bool,
    /// Whether it is known that the workspace is there: to ask for another's state would make it.
    pub(super) is_listed: bool,
    pub(super) tool: Option<Tool>,
    /// What the backend's configuration has in clear that nobody is to see.
    pub(super) secrets: Vec<String>,
}

impl Target {
    /// The workspace that the tool is told of; `None` is whichever is selected.
    pub(super) fn selects(&self) -> Option<&str> {
        match self.is_cloud && &*self.workspace == DEFAULT {
            true => None,
            false => Some(&self.workspace),
        }
    }

    /// The name of its directory's default stack.
    fn base(&self) -> &str {
        base(&self.name, &self.workspace)
    }

    /// The same directory in another workspace.
    pub(super) fn with(&self, workspace: &str) -> Self {
        let base = self.base();
        Self {
            name: match workspace {
                DEFAULT => base.into(),
                other => format!("{base}@{other}").into(),
            },
            workspace: workspace.into(),
            is_each: false,
            ..self.clone()
        }
    }
}

/// A stack's name without its workspace.
fn base<'a>(name: &'a str, workspace: &str) -> &'a str {
    let stripped = name.strip_suffix(workspace);
    let stripped = stripped.and_then(|it| it.strip_suffix('@'));
    stripped.unwrap_or(name)
}

/// The stacks that somebody wants, sorted by name.
///
/// # Errors
/// A name or a glob that no stack has, in a sentence.
pub fn choose(
    snapshot: &Snapshot,
    settings: &States,
    choice: &Choice,
) -> Result<Vec<Target>, String> {
    let known = snapshot.stacks.iter().map(|it| &**it);
    let mut wanted: Vec<Target> = Vec::new();
    match &choice.which {
        Which::All => wanted.extend(known.filter(|it| is_remote(it)).map(target)),
        Which::Changed => {
            let changed = known.filter(|it| is_remote(it) && is_changed(snapshot, it));
            wanted.extend(changed.map(target));
        }
        Which::Named(names) => {
            for name in names {
                let found = named(snapshot, name)?;
                wanted.extend(found);
            }
        }
    }
    let named_one = |it: &Target| match &choice.which {
        // who names a workspace means it
        Which::Named(names) => {
            &*it.workspace != DEFAULT && names.iter().any(|name| name.contains('@'))
        }
        _ => false,
    };
    let with_workspaces = wanted.iter().flat_map(|it| match &choice.workspaces {
        _ if named_one(it) => vec![it.clone()],
        Workspaces::Known => vec![it.clone()],
        Workspaces::Named(names) => names.iter().map(|name| it.with(name)).collect(),
        Workspaces::All => vec![Target {
            is_each: true,
            ..it.with(DEFAULT)
        }],
    });
    let mut seen = BTreeSet::new();
    let mut targets: Vec<_> = with_workspaces
        .filter(|it| seen.insert((it.name.clone(), it.is_each)))
        .map(|it| Target {
            tool: settings.tool(&it.name),
            ..it
        })
        .collect();
    targets.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(targets)
}

/// The stack of this name.
///
/// # Errors
/// Why there is none, in a sentence.
pub(super) fn one(snapshot: &Snapshot, name: &str) -> Result<Target, String> {
    let stack = snapshot.stacks.iter().find(|it| *it.name == *name);
    match stack {
        Some(stack) => Ok(target(stack)),
        None => in_workspace(snapshot, name).ok_or_else(|| unknown(snapshot, name)),
    }
}

fn named(snapshot: &Snapshot, name: &str) -> Result<Vec<Target>, String> {
    let name = name.trim_end_matches('/');
    let exact = snapshot.stacks.iter().find(|it| *it.name == *name);
    if let Some(stack) = exact {
        return match &stack.tree {
            Some(_) => Ok(vec![target(stack)]),
            None => Err(format!(
                "{name} has no configuration here that says where its state is"
            )),
        };
    }
    let glob = glob(name)?;
    let stacks = snapshot.stacks.iter().filter(|it| it.tree.is_some());
    let found: Vec<_> = stacks
        .filter(|it| glob.is_match(&*it.name))
        .map(|it| target(it))
        .collect();
    match found.is_empty() {
        false => Ok(found),
        true => match in_workspace(snapshot, name) {
            Some(target) => Ok(vec![target]),
            None => Err(unknown(snapshot, name)),
        },
    }
}

fn glob(name: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(name).literal_separator(true).build();
    glob.map(|it| it.compile_matcher())
        .map_err(|why| format!("\"{name}\" is no glob: {}", why.kind()))
}

/// A workspace of a directory of which nothing is known yet.
fn in_workspace(snapshot: &Snapshot, name: &str) -> Option<Target> {
    let (directory, workspace) = name.rsplit_once('@')?;
    let mut stacks = snapshot.stacks.iter().filter(|it| it.tree.is_some());
    let same = stacks.find(|it| base(&it.name, &it.workspace) == directory)?;
    (!workspace.is_empty()).then(|| target(same).with(workspace))
}

fn unknown(snapshot: &Snapshot, name: &str) -> String {
    let names = snapshot.stacks.iter().map(|it| &*it.name);
    let near = names.map(|it| (strsim::damerau_levenshtein(it, name), it));
    match near.min().filter(|(distance, _)| *distance <= 2) {
        Some((_, near)) => {
            format!("no stack of this workspace is called {name}: did you mean {near}?")
        }
        None => {
            format!("no stack of this workspace is called {name}: `gantrycd-ls status` lists them")
        }
    }
}

fn target(stack: &Stack) -> Target {
    let backend = stack.module().and_then(|it| it.backend());
    Target {
        name: stack.name.clone(),
        directory: stack.directory.clone(),
        workspace: stack.workspace.clone(),
        is_cloud: backend.is_some_and(|it| matches!(&*it.kind, "cloud" | "remote")),
        is_each: false,
        is_listed: false,
        tool: None,
        secrets: backend.map(secrets).unwrap_or_default(),
    }
}

fn is_remote(stack: &Stack) -> bool {
    let backend = stack.module().and_then(|it| it.backend());
    backend.is_some_and(|it| *it.kind != *"local")
}

/// Whether a file of a stack's own modules was written after its state was cached.
fn is_changed(snapshot: &Snapshot, stack: &Stack) -> bool {
    let state = stack.state.as_ref();
    let cached = state.filter(|it| it.file.format == Format::Inventory);
    let modified = |it: &Path| -> Option<SystemTime> { it.metadata().ok()?.modified().ok() };
    // both by the clock of one disk
    let Some(cached_at) = cached.and_then(|it| modified(&it.path)) else {
        return true;
    };
    let nodes = stack.tree.iter().flat_map(|it| it.nodes());
    let files = nodes.flat_map(|it| &it.module.files);
    let own = files
        .map(|it| snapshot.real(&it.path))
        .filter(|it| is_editable(it));
    own.filter_map(modified).any(|it| it > cached_at)
}

/// What a backend's configuration has in clear under a name that says that it is a secret.
fn secrets(backend: &Backend) -> Vec<String> {
    let file = &backend.file;
    let Some(block) = file.block_at(backend.header.start) else {
        return Vec::new();
    };
    let body = file.body(block.id);
    let backends = body.blocks("backend");
    let attributes = backends.flat_map(|it| &it.body.attributes);
    let secret = attributes.filter(|it| message::names_a_secret(&it.name.text));
    let values = secret.filter_map(|it| Some(it.value.literal()?.0.to_owned()));
    values.filter(|it| it.len() >= message::SHORTEST).collect()
}

/// The directory of a stack as it is written.
pub(super) fn directory(snapshot: &Snapshot, target: &Target) -> Box<str> {
    relative(&snapshot.root, &target.directory)
}
