//! What the expressions of one stack come to: variables, locals, module inputs and outputs, and
//! the instances that `count` and `for_each` make.
//!
//! Everything is evaluated when it is asked for, once. What lies in a circle is not known.

mod instances;
mod names;
mod others;
mod unknown;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::config::{Argument, Merged, ModuleFile};
use crate::eval::{Constraint, Value, constraint, evaluate};
use crate::syntax::{BlockId, Expression, ExpressionKind};

use super::disk::Stamp;
use super::tree::Tree;
use super::variables::Given;
use instances::{Instance, Which};
use names::Names;

pub(super) use instances::{Instances, Repetition};
pub use unknown::{NotKnown, Unknown};

/// References deeper than this are not followed: a chain of them is a thread's stack.
const MAX_DEPTH: usize = 64;

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

/// What a module's instance knows by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Symbol {
    Variable(Box<str>),
    Local(Box<str>),
    Output(Box<str>),
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
    pub(super) fn evaluate_part(
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

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::identity::Address;

    /// What an argument of the only stack comes to, when it is wholly known.
    pub(super) fn text(fixture: &str, address: &str, argument: &str) -> Option<String> {
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
}
