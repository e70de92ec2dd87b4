//! Where something would get to that is still to be written.
//!
//! It is written on trial, into a text that nobody sees, and the stacks that read the file are asked
//! where it arrives: the answer is that of the evaluation itself, through any reference, module or
//! expression, and where that cannot tell there is none.

use std::path::Path;
use std::sync::Arc;

use crate::config::{Argument, Block, Merged, Module, ModuleFile, provider_name};
use crate::eval::{Entry, Value};
use crate::identity::Mode;
use crate::syntax::ExpressionKind;
use crate::text::Span;

use super::evaluation::{Evaluation, Instances, Repetition};
use super::snapshot::{Snapshot, Use};
use super::stack::Stack;
use super::tag_support::takes_tags;
use super::tree::Tree;
use super::variables::{Given, is_variables_file};

/// So many of the stacks that read a file are asked: one is enough to tell, and nearly always the
/// first one does.
const MOST_STACKS: usize = 8;

/// So many instances of a resource are.
const MOST_INSTANCES: usize = 64;

/// Where a tag gets to, of those that gantrycd reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reach {
    /// Into the own tags of a resource whose type takes tags.
    pub own: bool,
    /// Into the `default_tags` of a provider.
    pub default: bool,
}

impl Reach {
    /// Whether it gets to any.
    pub fn is_any(self) -> bool {
        self.own || self.default
    }
}

impl Snapshot {
    /// Where the entry of a map gets to whose key stands at `key`, in bytes of `file`, whose text is
    /// another than the one that the snapshot has of it.
    pub fn reach(&self, file: &Arc<ModuleFile>, key: Span) -> Reach {
        let here = |it: &Entry| {
            let written = it.written.as_ref();
            written.is_some_and(|it| it.span == key && it.path == file.path)
        };
        let mut reach = Reach::default();
        for (stack, tree, given) in self.on_trial(file).into_iter().take(MOST_STACKS) {
            self.follow(stack, &tree, &given, &here, &mut reach);
            if reach.own && reach.default {
                break;
            }
        }
        reach
    }

    /// Whether there are identity rules for the provider of a block of `file`, whose text is another
    /// than the one that the snapshot has of it.
    pub fn supports_block(&self, file: &Arc<ModuleFile>, block: &Block) -> bool {
        let directory = file.path.parent().unwrap_or(Path::new(""));
        let Some(first) = self.uses_of(directory).first() else {
            return false;
        };
        let module = self.changed(*first, file);
        let declared = module.declares(file, block);
        let provider = declared.and_then(|it| module.provider_of(it));
        let source = provider.and_then(|it| module.source_of(&it.name));
        self.supports(source.as_deref())
    }

    /// The stacks that read a file, with the modules and the values that they would have by it.
    fn on_trial(&self, file: &Arc<ModuleFile>) -> Vec<(&Stack, Arc<Tree>, Given)> {
        let directory = file.path.parent().unwrap_or(Path::new(""));
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let uses = self.uses_of(directory);
        let each = uses.chunk_by(|a, b| a.stack == b.stack);
        let mut module: Option<Arc<Module>> = None;
        let stacks = each.take(MOST_STACKS).filter_map(|uses| {
            let at = uses[0];
            let stack = &*self.stacks[at.stack];
            let tree = stack.tree.as_ref()?;
            if is_variables_file(&name) {
                let given = self.variables.with(file).of(stack);
                return Some((stack, tree.clone(), given));
            }
            let module = module.get_or_insert_with(|| Arc::new(self.changed(at, file)));
            let tree = Arc::new(tree.with(module));
            Some((stack, tree, self.variables.of(stack)))
        });
        stacks.collect()
    }

    /// A module with another text of one of its files.
    fn changed(&self, at: Use, file: &Arc<ModuleFile>) -> Module {
        let module = &self.node(at).module;
        let files = module.files.iter().map(|it| match it.path == file.path {
            true => file.clone(),
            false => it.clone(),
        });
        Module::new(module.directory.clone(), files.collect(), module.unread)
    }

    fn follow(
        &self,
        stack: &Stack,
        tree: &Tree,
        given: &Given,
        here: &dyn Fn(&Entry) -> bool,
        reach: &mut Reach,
    ) {
        let given = with_empty_maps(given, &tree.nodes()[0].module);
        let evaluation = Evaluation::new(tree, &given, stack.known_workspace());
        let has_it = |value: &Value| value.entries().iter().any(here);
        for (node, it) in tree.nodes().iter().enumerate() {
            let module = &it.module;
            for resource in module.resources() {
                let Some((Mode::Managed, resource_type, _)) = resource.base().block().resource()
                else {
                    continue;
                };
                if reach.own || !resource.mentions("tags") {
                    continue;
                }
                let provider = module.provider_of(resource);
                let source = provider.and_then(|it| module.source_of(&it.name));
                let takes = |it: &String| takes_tags(stack, resource_type, it) == Some(true);
                if !self.supports(source.as_deref()) || !source.as_ref().is_some_and(takes) {
                    continue;
                }
                let instances = instances(&evaluation, node, resource);
                reach.own = instances.iter().any(|(instance, of)| {
                    let tags = resource.attribute("tags");
                    tags.is_some_and(|it| has_it(&evaluation.evaluate(*instance, of, it)))
                });
            }
        }
        for (node, it) in tree.nodes().iter().enumerate() {
            for provider in it.module.providers() {
                let source = it.module.source_of(provider_name(provider));
                if reach.default || !self.supports(source.as_deref()) {
                    continue;
                }
                let instances = instances(&evaluation, node, provider);
                reach.default = provider.blocks("default_tags").iter().any(|(file, block)| {
                    let Some(value) = block.body.attribute("tags").cloned() else {
                        return false;
                    };
                    let argument = Argument { file, value };
                    let evaluated = |(instance, of): &(usize, Repetition)| {
                        evaluation.evaluate(*instance, of, argument.clone())
                    };
                    instances.iter().any(|it| has_it(&evaluated(it)))
                });
            }
        }
    }
}

/// The instances of a block of the module at `node`, or one that stands for all of them.
fn instances(evaluation: &Evaluation, node: usize, block: &Merged) -> Vec<(usize, Repetition)> {
    let modules = evaluation.all_instances(node).unwrap_or_default();
    let known = modules.into_iter().flat_map(|(instance, _)| {
        let of = match evaluation.instances_of(instance, block) {
            Instances::Known(all) => all.all.to_vec(),
            Instances::Unknown => Vec::new(),
        };
        of.into_iter().map(move |it| (instance, it))
    });
    let known: Vec<_> = known.take(MOST_INSTANCES).collect();
    match known.is_empty() {
        true => vec![(evaluation.any_instance(node), Repetition::Unknown)],
        false => known,
    }
}

/// Has root variables that are maps, and that nobody gives a value here, be empty: whatever they
/// bring, a key that they do not have gets as far.
fn with_empty_maps(given: &Given, root: &Module) -> Given {
    let mut values = given.values.clone();
    for (name, variable) in root.variables.iter() {
        let is_map = || {
            let of = variable.attribute("type");
            of.is_some_and(
                |it| matches!(&it.value.kind, ExpressionKind::Call(it) if *it.name.text == *"map"),
            )
        };
        if variable.attribute("default").is_none() && !values.contains_key(name) && is_map() {
            values.insert(name.into(), Value::object(Vec::new()));
        }
    }
    Given {
        values,
        whole: given.whole,
    }
}
