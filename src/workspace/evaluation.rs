//! What the expressions of one stack come to: variables, locals, module inputs and outputs, and
//! the instances that `count` and `for_each` make.
//!
//! Everything is evaluated when it is asked for, once. What lies in a circle is not known.

mod unknown;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::config::{Argument, Merged, ModuleFile};
use crate::eval::{
    Constraint, Data, Entry, FileAnswer, Origin, Resolved, Scope, Value, constraint, evaluate,
};
use crate::identity::{Key, Mode, ModulePath};
use crate::syntax::{BlockId, Expression, ExpressionKind};

use super::disk::Stamp;
use super::tree::{Tree, is_local};
use super::variables::Given;

pub use unknown::{NotKnown, Unknown};

/// References deeper than this are not followed: a chain of them is a thread's stack.
const MAX_DEPTH: usize = 64;

/// Larger files are not read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The evaluation of one stack.
pub(super) struct Evaluation<'a> {
    tree: &'a Tree,
    /// Values of the root module's variables from outside of the configuration.
    given: &'a Given,
    /// The Terraform workspace, where it is known.
    workspace: Option<&'a str>,
    instances: RefCell<Vec<Instance>>,
    /// Which of `instances` has this parent, node and key.
    entered: RefCell<FxHashMap<(usize, usize, Which), usize>>,
    /// The module that a node calls by a name.
    children: FxHashMap<(usize, &'a str), usize>,
    /// The instances of a block, by the instance that it is in and its file.
    repeated: RefCell<FxHashMap<(usize, usize, BlockId), Instances>>,
    memo: RefCell<FxHashMap<(usize, Symbol), Option<Value>>>,
    /// The modules that others asked for outputs of.
    told: RefCell<BTreeSet<u32>>,
    /// The files that expressions asked for.
    asked: RefCell<BTreeSet<PathBuf>>,
    depth: Cell<usize>,
}

/// An instance of a module.
#[derive(Clone, Debug)]
struct Instance {
    node: usize,
    parent: Option<usize>,
    repetition: Repetition,
}

/// What a module's instance knows by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Symbol {
    Variable(Box<str>),
    Local(Box<str>),
    Output(Box<str>),
}

/// Which of the instances of a block something is.
#[derive(Clone, Debug)]
pub(super) enum Repetition {
    /// The only one: the block has neither `count` nor `for_each`.
    Single,
    /// The one with this key.
    Keyed(Key, Each),
    /// Any of them.
    Unknown,
}

/// What tells the instances of one block apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Which {
    Single,
    Keyed(Key),
    Unknown,
}

/// What `each` is in an instance.
#[derive(Clone, Debug)]
pub(super) struct Each {
    value: Value,
    /// Where the key was written.
    key: Option<Origin>,
}

impl Each {
    /// Of an instance of which only the key is known.
    fn unknown() -> Self {
        Self {
            value: Value::unknown(),
            key: None,
        }
    }
}

/// The instances that a block has.
#[derive(Clone, Debug)]
pub(super) enum Instances {
    /// These.
    Known(Rc<Known>),
    /// Nobody can tell.
    Unknown,
}

/// The instances of a block, each with a key of its own.
#[derive(Debug)]
pub(super) struct Known {
    /// All of them, in order.
    pub(super) all: Vec<Repetition>,
    by_key: FxHashMap<Key, usize>,
}

impl Known {
    /// Whether they are those of a block that is not repeated.
    fn is_single(&self) -> bool {
        matches!(self.all[..], [Repetition::Single])
    }

    /// The instance with this key.
    pub(super) fn keyed(&self, key: &Key) -> Option<&Repetition> {
        Some(&self.all[*self.by_key.get(key)?])
    }
}

impl FromIterator<Repetition> for Instances {
    fn from_iter<T: IntoIterator<Item = Repetition>>(all: T) -> Self {
        let all: Vec<Repetition> = all.into_iter().collect();
        let keys = all.iter().enumerate();
        let by_key = keys.filter_map(|(at, it)| Some((it.key()?.clone(), at)));
        let by_key = by_key.collect();
        Instances::Known(Rc::new(Known { all, by_key }))
    }
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(tree: &'a Tree, given: &'a Given, workspace: Option<&'a str>) -> Self {
        let root = Instance {
            node: 0,
            parent: None,
            repetition: Repetition::Single,
        };
        let calls = tree.nodes().iter().enumerate();
        let calls = calls.filter_map(|(node, it)| {
            let (caller, call) = it.caller.as_ref()?;
            Some(((*caller, call.base().block().label()?), node))
        });
        Self {
            tree,
            given,
            workspace,
            children: calls.collect(),
            instances: RefCell::new(vec![root]),
            entered: RefCell::default(),
            repeated: RefCell::default(),
            memo: RefCell::default(),
            told: RefCell::default(),
            asked: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// The files that expressions asked for, there or not, each as it is now.
    pub(super) fn asked(&self) -> impl Iterator<Item = (PathBuf, Option<Stamp>)> {
        let asked = self.asked.take().into_iter();
        asked.map(|path| {
            let stamp = Stamp::of(&path);
            (path, stamp)
        })
    }

    /// The modules that others asked for outputs of.
    pub(super) fn told(&self) -> BTreeSet<u32> {
        self.told.take()
    }

    /// The instance of a module that stands at a module path of the state. `None` where the
    /// configuration has no such module.
    pub(super) fn instance(&self, path: &ModulePath) -> Option<usize> {
        let mut instance = 0;
        for (name, key) in path.steps() {
            let child = self.child(instance, name)?;
            instance = self.enter(instance, child, |call| self.repetition(instance, call, key));
        }
        Some(instance)
    }

    /// The instance of the module at `node` of which no key is known.
    pub(super) fn any_instance(&self, node: usize) -> usize {
        let Some((caller, call)) = &self.tree.nodes()[node].caller else {
            return 0;
        };
        let parent = self.any_instance(*caller);
        let repetition = match is_repeated(call) {
            true => Repetition::Unknown,
            false => Repetition::Single,
        };
        self.enter(parent, node, |_| repetition)
    }

    /// The instance of the module at `node` that `instance` is, or is within.
    pub(super) fn above(&self, mut instance: usize, node: usize) -> Option<usize> {
        loop {
            let here = self.at(instance);
            if here.node == node {
                return Some(instance);
            }
            instance = here.parent?;
        }
    }

    /// All instances of the module at `node`, each with its path. `None` where nobody can tell.
    pub(super) fn all_instances(&self, node: usize) -> Option<Vec<(usize, ModulePath)>> {
        let Some((caller, call)) = &self.tree.nodes()[node].caller else {
            return Some(vec![(0, ModulePath::default())]);
        };
        let name: Box<str> = call.base().block().label()?.into();
        let mut all = Vec::new();
        for (parent, path) in self.all_instances(*caller)? {
            let Instances::Known(keys) = self.instances_of(parent, call) else {
                return None;
            };
            for repetition in keys.all.iter().cloned() {
                let key = repetition.key().cloned();
                let steps = path.steps().iter().cloned();
                let path = steps.chain([(name.clone(), key)]).collect();
                all.push((self.enter(parent, node, |_| repetition), path));
            }
        }
        Some(all)
    }

    fn at(&self, instance: usize) -> Instance {
        self.instances.borrow()[instance].clone()
    }

    fn child(&self, instance: usize, name: &str) -> Option<usize> {
        let here = self.at(instance).node;
        self.children.get(&(here, name)).copied()
    }

    fn enter(
        &self,
        parent: usize,
        node: usize,
        repetition: impl FnOnce(&Merged) -> Repetition,
    ) -> usize {
        let repetition = match &self.tree.nodes()[node].caller {
            Some((_, call)) => repetition(call),
            None => Repetition::Single,
        };
        let mut instances = self.instances.borrow_mut();
        let mut entered = self.entered.borrow_mut();
        let key = (parent, node, repetition.which());
        *entered.entry(key).or_insert_with(|| {
            instances.push(Instance {
                node,
                parent: Some(parent),
                repetition,
            });
            instances.len() - 1
        })
    }

    /// Which instance of a block of `instance` has this key.
    pub(super) fn repetition(
        &self,
        instance: usize,
        block: &Merged,
        key: &Option<Key>,
    ) -> Repetition {
        let known = match self.instances_of(instance, block) {
            Instances::Known(known) => Some(known),
            Instances::Unknown => None,
        };
        let known = known.as_deref();
        let Some(key) = key else {
            return match known.is_some_and(Known::is_single) {
                true => Repetition::Single,
                false => Repetition::Unknown,
            };
        };
        let each = match known.and_then(|it| it.keyed(key)) {
            Some(Repetition::Keyed(_, each)) => each.clone(),
            _ => Each::unknown(),
        };
        Repetition::Keyed(key.clone(), each)
    }

    /// The instances of a block of `instance`, by its `count` or `for_each`.
    pub(super) fn instances_of(&self, instance: usize, block: &Merged) -> Instances {
        let declared = block.base();
        let file = Arc::as_ptr(&declared.file) as usize;
        let key = (instance, file, declared.id());
        if let Some(known) = self.repeated.borrow().get(&key) {
            return known.clone();
        }
        let found = self.count_instances(instance, block);
        // within a circle, or too deep, it is not what it is elsewhere
        if self.depth.get() == 0 {
            self.repeated.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn count_instances(&self, instance: usize, block: &Merged) -> Instances {
        let evaluated = |it: Argument| self.evaluate(instance, &Repetition::Single, it);
        if let Some(count) = block.attribute("count") {
            let count = evaluated(count);
            let known = count.as_integer().filter(|_| !count.sensitive);
            return match known.filter(|it| (0..=10_000).contains(it)) {
                Some(count) => {
                    let keyed = |index| Repetition::Keyed(Key::Index(index), Each::unknown());
                    (0..count).map(keyed).collect()
                }
                None => Instances::Unknown,
            };
        }
        let Some(each) = block.attribute("for_each") else {
            return match block.is_whole() {
                true => [Repetition::Single].into_iter().collect(),
                false => Instances::Unknown,
            };
        };
        let each = evaluated(each);
        // Terraform refuses it: keys are told everywhere
        if each.sensitive {
            return Instances::Unknown;
        }
        let keyed = |name: &str, value: &Value, key: Option<Origin>| {
            let value = value.clone();
            Repetition::Keyed(Key::Name(name.into()), Each { value, key })
        };
        match &each.data {
            Data::Map(_, entries) | Data::Object(entries) => {
                let entry = |it: &Entry| {
                    let written = it.written.clone().map(|place| Origin {
                        place,
                        through: None,
                        computed: false,
                    });
                    keyed(&it.key, &it.value, written)
                };
                entries.iter().map(entry).collect()
            }
            Data::Set(_, elements) => {
                let element = |it: &Value| {
                    let key = it.as_text().filter(|_| !it.sensitive)?;
                    Some(keyed(key, it, it.origin.clone()))
                };
                let keys: Option<Instances> = elements.iter().map(element).collect();
                keys.unwrap_or(Instances::Unknown)
            }
            _ => Instances::Unknown,
        }
    }

    /// What an argument of a block of `instance` comes to.
    pub(super) fn evaluate(
        &self,
        instance: usize,
        repetition: &Repetition,
        argument: Argument<'_>,
    ) -> Value {
        self.evaluate_part(instance, repetition, argument.file, &argument.value)
    }

    /// The same of an expression that stands in one.
    fn evaluate_part(
        &self,
        instance: usize,
        repetition: &Repetition,
        file: &ModuleFile,
        expression: &Expression,
    ) -> Value {
        if self.depth.get() >= MAX_DEPTH {
            return Value::unknown();
        }
        self.depth.set(self.depth.get() + 1);
        let names = Names {
            evaluation: self,
            instance,
            repetition,
        };
        let value = evaluate(expression, &names, &file.path);
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// A symbol's value, evaluated once. `None` within a circle, and of what is not declared.
    fn symbol(&self, instance: usize, symbol: Symbol) -> Option<Value> {
        let key = (instance, symbol);
        if let Some(known) = self.memo.borrow().get(&key) {
            return known.clone();
        }
        // whoever asks for it meanwhile is in a circle
        self.memo.borrow_mut().insert(key.clone(), None);
        let value = match &key.1 {
            Symbol::Variable(name) => self.variable(instance, name),
            Symbol::Local(name) => {
                let module = &self.tree.nodes()[self.at(instance).node].module;
                let local = module.local(name);
                local.map(|it| self.evaluate(instance, &Repetition::Single, it))
            }
            Symbol::Output(name) => self.output(instance, name),
        };
        self.memo.borrow_mut().insert(key, value.clone());
        value
    }

    fn output(&self, instance: usize, name: &str) -> Option<Value> {
        let module = &self.tree.nodes()[self.at(instance).node].module;
        let output = module.outputs.get(name)?;
        let value = output.attribute("value")?;
        let value = self.evaluate(instance, &Repetition::Single, value);
        Some(value.marked(is_true(output, "sensitive")))
    }

    fn variable(&self, instance: usize, name: &str) -> Option<Value> {
        let here = self.at(instance);
        let node = &self.tree.nodes()[here.node];
        let variable = node.module.variables.get(name)?;
        // what is ephemeral Terraform keeps out of every state
        if !variable.is_whole() || is_true(variable, "ephemeral") {
            return Some(Value::unknown());
        }
        let given = match (&node.caller, here.parent) {
            (Some((_, call)), Some(parent)) => match call.attribute(name) {
                Some(argument) => Some(self.evaluate(parent, &here.repetition, argument)),
                None if call.is_whole() => None,
                None => Some(Value::unknown()),
            },
            _ => match self.given.values.get(name) {
                None if !self.given.whole => Some(Value::unknown()),
                given => given.cloned(),
            },
        };
        let nullable = !is_false(variable, "nullable");
        let given = given.filter(|it| nullable || !it.is_null());
        let value = given.or_else(|| {
            let default = variable.attribute("default")?;
            Some(self.evaluate(instance, &Repetition::Single, default))
        });
        let constraint = match variable.attribute("type") {
            Some(it) => constraint(&it.value, &it.file.path),
            None => Constraint::any(),
        };
        let value = match value {
            Some(value) => constraint.applied(&value),
            None => Value::unknown_of(constraint.ty()),
        };
        Some(value.marked(is_true(variable, "sensitive")))
    }

    /// The attribute `name` of a resource, or the whole of it as far as it is written.
    fn resource(
        &self,
        instance: usize,
        (mode, resource_type, name): (Mode, &str, &str),
        attribute: Option<&str>,
    ) -> Option<Resolved> {
        // `data.type.name.attribute`
        let before = match mode {
            Mode::Managed => 1,
            Mode::Data => 2,
        };
        let module = &self.tree.nodes()[self.at(instance).node].module;
        let resource = module.resource(mode, resource_type, name)?;
        if !is_repeated(resource) {
            let Some(attribute) = attribute else {
                let value = self.written(instance, &Repetition::Single, resource);
                return Some(Resolved {
                    value,
                    used: before,
                });
            };
            let value = self.written_attribute(instance, &Repetition::Single, resource, attribute);
            return Some(Resolved {
                value,
                used: before + 1,
            });
        }
        let value = match self.instances_of(instance, resource) {
            Instances::Unknown => Value::unknown(),
            Instances::Known(all) => keyed(resource, &all.all, |it| {
                self.written(instance, it, resource)
            }),
        };
        Some(Resolved {
            value,
            used: before,
        })
    }

    /// What a resource is written to be. The provider adds the rest.
    fn written(&self, instance: usize, repetition: &Repetition, resource: &Merged) -> Value {
        let names = resource.attribute_names();
        let entries = names.into_iter().map(|name| {
            let value = self.written_attribute(instance, repetition, resource, &name);
            Entry::new(&name, value)
        });
        Value::open(entries.collect(), true)
    }

    fn written_attribute(
        &self,
        instance: usize,
        repetition: &Repetition,
        resource: &Merged,
        attribute: &str,
    ) -> Value {
        const META: &[&str] = &["count", "for_each", "provider", "depends_on"];
        if META.contains(&attribute) {
            return Value::unknown();
        }
        let Some(argument) = resource.attribute(attribute) else {
            return Value::unknown();
        };
        let mode = resource.base().block().resource().map(|it| it.0);
        // what it is in the state then counts
        if resource.may_ignore_changes(&|it, _| it == attribute) {
            return Value::unknown();
        }
        let value = self.evaluate(instance, repetition, argument);
        // a text is what the provider keeps, unless its type is another; the rest it may complete
        match &value.data {
            Data::Text(text) if !reads_as_another_type(text) => value,
            // no provider completes these; whether it is a map, and of what, is its own business
            _ if attribute == "tags" && mode == Some(Mode::Managed) => opened(&value),
            _ => Value::unknown(),
        }
    }

    fn module_output(&self, instance: usize, call: &str, names: &[&str]) -> Option<Resolved> {
        let child = self.child(instance, call)?;
        self.told.borrow_mut().insert(child as u32);
        let (_, block) = self.tree.nodes()[child].caller.as_ref()?;
        let outputs = |repetition: &Repetition| {
            let module = &self.tree.nodes()[child].module;
            let inner = self.enter(instance, child, |_| repetition.clone());
            let outputs = module.outputs.keys().map(|name| {
                let value = self.symbol(inner, Symbol::Output(name.into()));
                Entry::new(name, value.unwrap_or_else(Value::unknown))
            });
            match module.is_whole() {
                true => Value::object(outputs.collect()),
                false => Value::open(outputs.collect(), true),
            }
        };
        let value = match (is_repeated(block), names.first()) {
            // the others may depend on it
            (false, Some(output)) => {
                let inner = self.enter(instance, child, |_| Repetition::Single);
                let value = self.symbol(inner, Symbol::Output((*output).into()))?;
                return Some(Resolved { value, used: 2 });
            }
            (false, None) => outputs(&Repetition::Single),
            (true, _) => match self.instances_of(instance, block) {
                Instances::Known(all) => keyed(block, &all.all, outputs),
                Instances::Unknown => return None,
            },
        };
        Some(Resolved { value, used: 1 })
    }

    /// The directory of a module as Terraform names it in `path.module`: a local source from the
    /// caller on, and where it was installed for any other.
    fn module_path(&self, node: usize) -> Option<String> {
        let here = &self.tree.nodes()[node];
        let Some((caller, _)) = here.caller else {
            return Some(".".to_owned());
        };
        match here.source.as_deref().filter(|it| is_local(it)) {
            Some(source) => Some(joined(&self.module_path(caller)?, source)),
            None => {
                let root = &self.tree.nodes()[0].module.directory;
                let below = here.module.directory.strip_prefix(root).ok()?;
                Some(below.to_str()?.replace('\\', "/"))
            }
        }
    }

    /// The directory that Terraform runs in.
    fn working_directory(&self) -> &Path {
        &self.tree.nodes()[0].module.directory
    }
}

/// A path and a way from there, by the text alone.
fn joined(base: &str, way: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in base.split('/').chain(way.split(['/', '\\'])) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|it| *it != "..") => _ = names.pop(),
            name => names.push(name),
        }
    }
    match names.is_empty() {
        true => ".".to_owned(),
        false => names.join("/"),
    }
}

/// Of an object or a map its entries, with those left out that a provider has no use for.
fn opened(value: &Value) -> Value {
    let more = match &value.data {
        Data::Object(_) | Data::Map(..) => false,
        Data::Open(open) => !open.is_closed(),
        _ => return Value::unknown(),
    };
    let entries = value.entries().iter().filter(|it| !it.value.is_null());
    Value::open(entries.cloned().collect(), more).marked(value.sensitive)
}

/// Whether a text may be a number or a truth once a provider has it.
fn reads_as_another_type(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse::<f64>().is_ok()
}

/// A tuple or an object of what each instance of a block is.
fn keyed(block: &Merged, all: &[Repetition], of: impl Fn(&Repetition) -> Value) -> Value {
    if block.attribute("count").is_some() {
        return Value::tuple(all.iter().map(of).collect::<Vec<_>>());
    }
    let entry = |it: &Repetition| match it {
        Repetition::Keyed(Key::Name(name), _) => Some(Entry::new(name, of(it))),
        _ => None,
    };
    match all.iter().map(entry).collect() {
        Some(entries) => Value::object(entries),
        None => Value::unknown(),
    }
}

impl Repetition {
    /// The instance's key.
    pub(super) fn key(&self) -> Option<&Key> {
        match self {
            Repetition::Keyed(key, _) => Some(key),
            Repetition::Single | Repetition::Unknown => None,
        }
    }

    fn which(&self) -> Which {
        match self {
            Repetition::Keyed(key, _) => Which::Keyed(key.clone()),
            Repetition::Single => Which::Single,
            Repetition::Unknown => Which::Unknown,
        }
    }
}

/// Whether a block has `count` or `for_each`, or may have.
fn is_repeated(block: &Merged) -> bool {
    !block.is_whole() || block.attribute("count").is_some() || block.attribute("for_each").is_some()
}

fn is_true(block: &Merged, name: &str) -> bool {
    says(block, name, true)
}

fn is_false(block: &Merged, name: &str) -> bool {
    says(block, name, false)
}

/// Whether an argument, which takes literals only, says this.
fn says(block: &Merged, name: &str, truth: bool) -> bool {
    block.attribute(name).is_some_and(|it| match it.value.kind {
        ExpressionKind::Bool(it) => it == truth,
        _ => it
            .value
            .literal()
            .is_some_and(|(it, _)| it == truth.to_string()),
    })
}

/// What names mean to an expression in a block of a module's instance.
struct Names<'a> {
    evaluation: &'a Evaluation<'a>,
    instance: usize,
    repetition: &'a Repetition,
}

impl Scope for Names<'_> {
    fn reference(&self, root: &str, names: &[&str]) -> Option<Resolved> {
        let evaluation = self.evaluation;
        let one = |value| Some(Resolved { value, used: 1 });
        match (root, names) {
            ("var", [name, ..]) => {
                one(evaluation.symbol(self.instance, Symbol::Variable((*name).into()))?)
            }
            ("local", [name, ..]) => {
                one(evaluation.symbol(self.instance, Symbol::Local((*name).into()))?)
            }
            ("each", ["key", ..]) => match self.repetition {
                Repetition::Keyed(Key::Name(name), each) => one(Value {
                    origin: each.key.clone(),
                    ..Value::text(name)
                }),
                _ => None,
            },
            ("each", ["value", ..]) => match self.repetition {
                Repetition::Keyed(Key::Name(_), each) => one(each.value.clone()),
                _ => None,
            },
            ("count", ["index", ..]) => match self.repetition {
                Repetition::Keyed(Key::Index(index), _) => one(Value::integer(*index)),
                _ => None,
            },
            ("path", ["module", ..]) => {
                let node = evaluation.at(self.instance).node;
                one(Value::text(&evaluation.module_path(node)?))
            }
            ("path", ["root", ..]) => one(Value::text(".")),
            ("path", ["cwd", ..]) => one(Value::text(self.working_directory()?)),
            ("terraform", ["workspace", ..]) => one(Value::text(evaluation.workspace?)),
            ("module", [call, rest @ ..]) => evaluation.module_output(self.instance, call, rest),
            ("data", [resource_type, name, rest @ ..]) => evaluation.resource(
                self.instance,
                (Mode::Data, resource_type, name),
                rest.first().copied(),
            ),
            ("self" | "path" | "terraform" | "each" | "count" | "data" | "var" | "local", _) => {
                None
            }
            (resource_type, [name, rest @ ..]) => evaluation.resource(
                self.instance,
                (Mode::Managed, resource_type, name),
                rest.first().copied(),
            ),
            _ => None,
        }
    }

    /// Of the files that a configuration reads, those that are there now: what is missing may be
    /// made before Terraform runs.
    fn file(&self, path: &str) -> FileAnswer {
        let root = self.evaluation.working_directory();
        let path = root.join(path);
        // a home directory, and what lies elsewhere, is not part of the configuration
        let outside = path.is_absolute() && !path.starts_with(root);
        if !outside {
            self.evaluation.asked.borrow_mut().insert(path.clone());
        }
        let small = |it: &Metadata| it.is_file() && it.len() <= MAX_FILE;
        if outside || !std::fs::metadata(&path).is_ok_and(|it| small(&it)) {
            return FileAnswer::Unknown;
        }
        match std::fs::read(&path) {
            Ok(bytes) => FileAnswer::Bytes(bytes.into()),
            Err(_) => FileAnswer::Unknown,
        }
    }

    fn working_directory(&self) -> Option<&str> {
        self.evaluation.working_directory().to_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use crate::identity::Address;

    /// What an argument of the only stack comes to, when it is wholly known.
    fn text(fixture: &str, address: &str, argument: &str) -> Option<String> {
        let fixture = Fixture::new(fixture);
        let snapshot = fixture.snapshot();
        let address = Address::parse(address).unwrap();
        let value = snapshot.argument(0, &address, argument)?;
        value.as_text().map(str::to_owned)
    }

    #[test]
    fn circles_and_long_chains_end() {
        let mut chain = String::new();
        for at in 0..10_000 {
            chain += &format!("locals {{\n  l{at} = local.l{}\n}}\n", at + 1);
        }
        let circles = format!(
            r#"
#- main.tf
locals {{
  a = local.b
  b = "${{local.a}}"
  self = {{ x = local.self }}
}}
variable "v" {{
  default = "v"
}}
module "m" {{
  source = "./m"
  count  = length(module.m)
  in     = module.m[0].out
}}
module "n" {{
  source = "./m"
  in     = module.n.out
}}
resource "aws_x" "r" {{
  for_each = aws_x.r
  name     = aws_x.r["a"].name
}}
resource "aws_x" "t" {{
  name  = aws_x.t.name
  a     = local.a
  self  = local.self.x
  m     = module.m[0].out
  n     = module.n.out
  chain = local.l0
  fine  = var.v
}}
{chain}
#- m/main.tf
variable "in" {{}}
output "out" {{
  value = var.in
}}
"#
        );
        for argument in ["name", "a", "self", "m", "n", "chain"] {
            assert_eq!(text(&circles, "aws_x.t", argument), None, "{argument}");
        }
        assert_eq!(text(&circles, r#"aws_x.r["a"]"#, "name"), None);
        assert_eq!(text(&circles, "aws_x.t", "fine").as_deref(), Some("v"));
    }

    #[test]
    fn what_a_provider_may_change_is_not_known_of_another_resource() {
        let of = |argument: &str| {
            let text_of = format!(
                r#"
#- main.tf
resource "aws_x" "a" {{
  name    = "n"
  port    = "080"
  on      = "true"
  count_  = 5
  list    = ["a"]
  ignored = "i"
  tags    = {{ Team = "t", None = null, Id = aws_x.other.id }}
  lifecycle {{
    ignore_changes = [ignored]
  }}
}}
resource "aws_x" "b" {{
  it = {argument}
}}
"#
            );
            text(&text_of, "aws_x.b", "it")
        };
        assert_eq!(of("aws_x.a.name").as_deref(), Some("n"));
        assert_eq!(of("aws_x.a.tags.Team").as_deref(), Some("t"));
        assert_eq!(of(r#"aws_x.a.tags["Team"]"#).as_deref(), Some("t"));
        for unknown in [
            "aws_x.a.port",
            "aws_x.a.on",
            "aws_x.a.count_",
            "aws_x.a.list[0]",
            "aws_x.a.ignored",
            "aws_x.a.arn",
            "aws_x.a.tags.Id",
            r#"try(aws_x.a.tags.None, "absent")"#,
        ] {
            let found = of(unknown);
            assert!(
                found.is_none() || found.as_deref() == Some("absent"),
                "{unknown}"
            );
        }
    }

    #[test]
    fn files_of_the_configuration_are_read_and_no_others() {
        let of = |argument: &str| {
            let fixture = format!(
                "#- a/main.tf\nresource \"aws_x\" \"b\" {{\n  it = {argument}\n}}\n#- a/x.txt\nhello\n#- b/y.txt\nthere\n"
            );
            text(&fixture, "aws_x.b", "it")
        };
        assert_eq!(of(r#"trimspace(file("x.txt"))"#).as_deref(), Some("hello"));
        assert_eq!(
            of(r#"trimspace(file("${path.module}/../b/y.txt"))"#).as_deref(),
            Some("there")
        );
        assert_eq!(of(r#"file("z.txt")"#), None);
        assert_eq!(of(r#"fileexists("z.txt") ? "a" : "b""#), None);
        assert_eq!(of(r#"file("/etc/hostname")"#), None);
        assert_eq!(of(r#"file("~/.profile")"#), None);
        assert_eq!(of(r#"try(file("/etc/hostname"), "none")"#), None);
    }

    /// A chart of sources and the `path.module` that Terraform has of them.
    #[test]
    fn paths_of_modules_follow_the_sources() {
        for (base, way, expected) in [
            (".", "./m", "m"),
            (".", "../m", "../m"),
            (".", "../stack/m", "../stack/m"),
            (".", "../", ".."),
            ("m", "../n", "n"),
            ("m", "..", "."),
            ("../m", "../../n", "../../n"),
            ("m", "./././a//b/", "m/a/b"),
            (".terraform/modules/x", "./y", ".terraform/modules/x/y"),
        ] {
            assert_eq!(joined(base, way), expected, "{base} {way}");
        }
    }
}
