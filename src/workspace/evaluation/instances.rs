//! The instances that `count` and `for_each` make of modules and blocks.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::config::{Argument, Merged};
use crate::eval::{Data, Entry, Origin, Value};
use crate::identity::{Key, ModulePath};

use super::Evaluation;

/// An instance of a module.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) node: usize,
    pub(super) parent: Option<usize>,
    pub(super) repetition: Repetition,
}

/// Which of the instances of a block something is.
#[derive(Clone, Debug)]
pub(in super::super) enum Repetition {
    /// The only one: the block has neither `count` nor `for_each`.
    Single,
    /// The one with this key.
    Keyed(Key, Each),
    /// Any of them.
    Unknown,
}

/// What tells the instances of one block apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Which {
    Single,
    Keyed(Key),
    Unknown,
}

/// What `each` is in an instance.
#[derive(Clone, Debug)]
pub(in super::super) struct Each {
    pub(super) value: Value,
    /// Where the key was written.
    pub(super) key: Option<Origin>,
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
pub(in super::super) enum Instances {
    /// These.
    Known(Rc<Known>),
    /// Nobody can tell.
    Unknown,
}

/// The instances of a block, each with a key of its own.
#[derive(Debug)]
pub(in super::super) struct Known {
    /// All of them, in order.
    pub(in super::super) all: Vec<Repetition>,
    by_key: FxHashMap<Key, usize>,
}

impl Known {
    /// Whether they are those of a block that is not repeated.
    fn is_single(&self) -> bool {
        matches!(self.all[..], [Repetition::Single])
    }

    /// The instance with this key.
    pub(in super::super) fn keyed(&self, key: &Key) -> Option<&Repetition> {
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

impl Evaluation<'_> {
    /// The instance of a module that stands at a module path of the state. `None` where the
    /// configuration has no such module.
    pub(in super::super) fn instance(&self, path: &ModulePath) -> Option<usize> {
        let mut instance = 0;
        for (name, key) in path.steps() {
            let child = self.child(instance, name)?;
            instance = self.enter(instance, child, |call| self.repetition(instance, call, key));
        }
        Some(instance)
    }

    /// The instance of the module at `node` of which no key is known.
    pub(in super::super) fn any_instance(&self, node: usize) -> usize {
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
    pub(in super::super) fn above(&self, mut instance: usize, node: usize) -> Option<usize> {
        loop {
            let here = self.at(instance);
            if here.node == node {
                return Some(instance);
            }
            instance = here.parent?;
        }
    }

    /// All instances of the module at `node`, each with its path. `None` where nobody can tell.
    pub(in super::super) fn all_instances(&self, node: usize) -> Option<Vec<(usize, ModulePath)>> {
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

    pub(super) fn at(&self, instance: usize) -> Instance {
        self.instances.borrow()[instance].clone()
    }

    pub(super) fn child(&self, instance: usize, name: &str) -> Option<usize> {
        let here = self.at(instance).node;
        self.children.get(&(here, name)).copied()
    }

    pub(super) fn enter(
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
    pub(in super::super) fn repetition(
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
    pub(in super::super) fn instances_of(&self, instance: usize, block: &Merged) -> Instances {
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
            return match self.is_enabled(instance, block) {
                Some(enabled) if block.is_whole() => {
                    enabled.then_some(Repetition::Single).into_iter().collect()
                }
                _ => Instances::Unknown,
            };
        };
        Instances::of_each(&evaluated(each))
    }

    /// Whether a block of `instance` that is not repeated has its only instance, by OpenTofu's
    /// `enabled`: <https://opentofu.org/docs/language/meta-arguments/enabled>.
    pub(super) fn is_enabled(&self, instance: usize, block: &Merged) -> Option<bool> {
        let Some(enabled) = block.lifecycle("enabled") else {
            return Some(true);
        };
        let enabled = self.evaluate(instance, &Repetition::Single, enabled);
        let known = enabled.as_bool();
        known.filter(|_| !enabled.sensitive)
    }
}

impl Instances {
    /// Those that the value of a `for_each` makes.
    pub(in super::super) fn of_each(each: &Value) -> Self {
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
}

impl Repetition {
    /// The instance's key.
    pub(in super::super) fn key(&self) -> Option<&Key> {
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
pub(super) fn is_repeated(block: &Merged) -> bool {
    !block.is_whole() || block.attribute("count").is_some() || block.attribute("for_each").is_some()
}
