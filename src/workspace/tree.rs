//! The modules of one stack: its root module and every module call below it.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::config::{Merged, Module, Passed, ProviderInstance, ProviderRef, passed};
use crate::identity::ModulePath;

use super::manifest::Manifest;

/// Calls deeper than this, or more of them in one stack, are an error of somebody's.
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 10_000;

/// The module tree of a stack.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    by_path: HashMap<Vec<Box<str>>, usize>,
}

/// One module in a stack's tree. Instances of `count` and `for_each` share one.
#[derive(Clone, Debug)]
pub struct Node {
    /// The module.
    pub module: Arc<Module>,
    /// The node that calls it, and the call; `None` for the root module.
    pub caller: Option<(usize, Merged)>,
    /// The source of the call as written, when it is a literal.
    pub source: Option<Box<str>>,
    /// Whether what is installed here is another module than the one that is called, or was called
    /// by such a one: what the next `init` will install is not known.
    pub is_outdated: bool,
}

impl Tree {
    pub(super) fn new(
        root: &Arc<Module>,
        manifest: Option<&Manifest>,
        modules: &HashMap<Arc<Path>, Arc<Module>>,
    ) -> Self {
        let mut tree = Self {
            nodes: vec![Node {
                module: root.clone(),
                caller: None,
                source: None,
                is_outdated: false,
            }],
            by_path: HashMap::from([(Vec::new(), 0)]),
        };
        let mut open: Vec<(usize, Vec<Box<str>>)> = vec![(0, Vec::new())];
        while let Some((at, path)) = open.pop() {
            let module = tree.nodes[at].module.clone();
            if path.len() >= MAX_DEPTH || tree.nodes.len() >= MAX_NODES {
                continue;
            }
            for (name, call) in module.calls.iter() {
                let mut path = path.clone();
                path.push(name.into());
                let source = module.call_source(name);
                let mut is_outdated = tree.nodes[at].is_outdated;
                let directory = called_directory(&module, call).or_else(|| {
                    let installed = manifest?.find(&path.join("."))?;
                    is_outdated |= installed.is_another(source, module.call_version(name));
                    Some(installed.directory.clone())
                });
                let Some(called) = directory.and_then(|it| modules.get(&*it)) else {
                    continue;
                };
                if tree.is_below(at, called) {
                    continue;
                }
                tree.nodes.push(Node {
                    module: called.clone(),
                    caller: Some((at, call.clone())),
                    source: source.map(Into::into),
                    is_outdated,
                });
                let node = tree.nodes.len() - 1;
                tree.by_path.insert(path.clone(), node);
                open.push((node, path));
            }
        }
        tree
    }

    /// The same with another module in a directory, which calls the same modules.
    pub(super) fn with(&self, module: &Arc<Module>) -> Self {
        let mut nodes = self.nodes.clone();
        let is_there = |it: &Node| it.module.directory == module.directory;
        for node in &mut nodes {
            if is_there(node) {
                node.module = module.clone();
            }
            let Some((caller, call)) = &mut node.caller else {
                continue;
            };
            let name = call.base().block().label().unwrap_or_default();
            if is_there(&self.nodes[*caller])
                && let Some(now) = module.calls.get(name)
            {
                *call = now.clone();
            }
        }
        Self {
            nodes,
            by_path: self.by_path.clone(),
        }
    }

    /// Whether its modules are those that there are now.
    pub(super) fn is_of(&self, modules: &HashMap<Arc<Path>, Arc<Module>>) -> bool {
        self.nodes.iter().all(|it| {
            let now = modules.get(&it.module.directory);
            now.is_some_and(|now| Arc::ptr_eq(now, &it.module))
        })
    }

    /// Whether the node is in the module, at any depth: a call of it from here would not end.
    fn is_below(&self, mut at: usize, module: &Arc<Module>) -> bool {
        loop {
            if Arc::ptr_eq(&self.nodes[at].module, module) {
                return true;
            }
            match self.nodes[at].caller {
                Some((caller, _)) => at = caller,
                None => return false,
            }
        }
    }

    /// All modules of the stack, its root module first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The modules of which it is known what they will be, each with its position.
    pub(super) fn up_to_date(&self) -> impl Iterator<Item = (usize, &Node)> {
        let all = self.nodes.iter().enumerate();
        all.filter(|(_, it)| !it.is_outdated)
    }

    /// The names of the calls that lead to a module.
    pub fn path(&self, mut node: usize) -> Vec<Box<str>> {
        let mut names = Vec::new();
        while let Some((caller, call)) = &self.nodes[node].caller {
            names.extend(call.base().block().label().map(Into::into));
            node = *caller;
        }
        names.reverse();
        names
    }

    /// The module that declares what stands at a module path of the state.
    pub fn find(&self, path: &ModulePath) -> Option<usize> {
        let names: Vec<Box<str>> = path.steps().iter().map(|(name, _)| name.clone()).collect();
        self.by_path.get(&names).copied()
    }

    /// What serves the provider configuration `wanted` of the module of `node`: one of its own
    /// blocks, or one further up, by inheritance or by `providers` maps on the way.
    pub fn served_by(&self, node: usize, wanted: ProviderRef) -> Served<'_> {
        self.serving(node, wanted).unwrap_or(Served::Unknown)
    }

    fn serving(&self, mut node: usize, wanted: ProviderRef) -> Option<Served<'_>> {
        // each module has names of its own for providers
        let mut source = self.nodes[node].module.source_of(&wanted.name)?;
        let mut alias = wanted.alias;
        let mut instance = wanted.instance;
        loop {
            let here = &self.nodes[node];
            let own = here.module.providers_at(&source, alias.as_deref())?;
            let own = match own[..] {
                [] => None,
                [it] => Some(it),
                _ => return None,
            };
            let block = own.map(|provider| Served::Block {
                node,
                provider,
                instance: instance.clone(),
            });
            let (caller, call) = match &here.caller {
                Some(it) if own.is_none_or(is_proxy) => it,
                _ => return block.or(alias.is_none().then_some(Served::Implicit)),
            };
            match passed_as(&here.module, call, &source, alias.as_deref())? {
                Some(outer) => {
                    source = self.nodes[*caller].module.source_of(&outer.name)?;
                    alias = outer.alias;
                    instance = outer.instance;
                }
                // a stand-in that stands for nothing is the module's own
                None if block.is_some() => return block,
                // the default configuration is inherited beside those that are passed
                None if alias.is_none() => {}
                None => return None,
            }
            node = *caller;
        }
    }
}

/// What the caller passes for a provider configuration of the module that it calls, if anything:
/// `None` where that cannot be said. What Terraform does where the `providers` map leaves one out:
/// <https://github.com/hashicorp/terraform/issues/35781>.
fn passed_as(
    module: &Module,
    call: &Merged,
    source: &str,
    alias: Option<&str>,
) -> Option<Option<ProviderRef>> {
    let map = match passed(call) {
        Passed::Inherited => return Some(None),
        Passed::Unknown => return None,
        Passed::Map(map) => map,
    };
    for (inner, outer) in map {
        if inner.alias.as_deref() == alias && module.source_of(&inner.name)? == source {
            return Some(Some(outer));
        }
    }
    Some(None)
}

/// Which provider configuration serves a resource.
#[derive(Clone, Debug)]
pub enum Served<'a> {
    /// A block of the module at `node`.
    Block {
        /// The module that it is in.
        node: usize,
        /// The block.
        provider: &'a Merged,
        /// Which of its instances.
        instance: ProviderInstance,
    },
    /// The default configuration, which has no block.
    Implicit,
    /// It cannot be said.
    Unknown,
}

/// Whether a provider block in a called module only says that the caller passes its configuration:
/// <https://developer.hashicorp.com/terraform/language/modules/develop/providers#legacy-shared-modules-with-provider-configurations>.
fn is_proxy(provider: &Merged) -> bool {
    let body = provider.base().body();
    let says = |name: &str| !matches!(name, "alias" | "version");
    provider.is_whole()
        && body.blocks.is_empty()
        && !provider.attribute_names().iter().any(|it| says(it))
}

/// The directory that a call with a local source names. Sources of other kinds are looked up in
/// the manifest.
pub(super) fn called_directory(caller: &Module, call: &Merged) -> Option<PathBuf> {
    let source = caller.call_source(call.base().block().label()?)?;
    is_local(source).then(|| normalize(&caller.directory.join(source)))
}

/// Whether a source is a way from the caller's directory.
pub(super) fn is_local(source: &str) -> bool {
    ["./", "../", ".\\", "..\\"]
        .iter()
        .any(|it| source.starts_with(it))
        || matches!(source, "." | "..")
}

/// The path without `.` and `..`, by its text alone.
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    out.push(component);
                }
            }
            other => out.push(other),
        }
    }
    out
}
