//! Why nobody can tell what a map says of a key: the references that it rests on and that are not
//! known.
//!
//! Follows them to where they come from outside. What is not followed is left out: a list that is
//! empty says nothing.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Evaluation, MAX_DEPTH, Repetition};
use crate::config::{Argument, ModuleFile};
use crate::eval::{Data, Found, Place, Value};
use crate::syntax::{Expression, ExpressionKind, Key, Part};

/// A reference that is not known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unknown {
    /// As it is written: `var.realm`.
    pub reference: Box<str>,
    /// The variable that has no value, or where the reference stands.
    pub place: Place,
    /// Why it is not known.
    pub why: NotKnown,
}

/// Why a reference is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NotKnown {
    /// A variable of the root module that nothing gives a value.
    NoValue,
    /// A variable that a file may give a value which somebody has to name with `-var-file`, or one
    /// that cannot be read.
    PerhapsGiven,
    /// Only a provider knows it.
    OfAProvider,
    /// The instances of its block are not known.
    OfAnInstance,
    /// Its module was not read.
    OfAModule,
    /// It is nowhere declared.
    Undeclared,
    /// The workspace that Terraform runs in.
    OfTheRun,
}

impl std::fmt::Display for NotKnown {
    /// Behind the name of the reference.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NotKnown::NoValue => {
                "has no default, and no .tfvars file or gantrycd.hcl gives a value"
            }
            NotKnown::PerhapsGiven => "may get its value from a file that is not read by itself",
            NotKnown::OfAProvider => "is known to the provider only",
            NotKnown::OfAnInstance => "depends on instances that are not known",
            NotKnown::OfAModule => "is of a module that was not read",
            NotKnown::Undeclared => "is not declared",
            NotKnown::OfTheRun => "is known only where Terraform runs",
        })
    }
}

/// More than these are not told.
const MOST: usize = 5;

impl<'a> Evaluation<'a> {
    /// What keeps anybody from telling what the map that an argument is says of `key`.
    pub(in super::super) fn unknowns(
        &self,
        instance: usize,
        repetition: &Repetition,
        argument: Argument<'a>,
        key: &str,
    ) -> Vec<Unknown> {
        let mut search = Search {
            evaluation: self,
            key,
            found: Vec::new(),
            seen: HashSet::new(),
            held: Vec::new(),
            depth: 0,
        };
        let here = Here {
            instance,
            repetition: repetition.clone(),
            file: argument.file,
        };
        search.follow_into(&here, argument.value, true);
        let mut found = search.found;
        found.sort();
        found.dedup();
        found.truncate(MOST);
        found
    }
}

/// Where an expression stands.
struct Here<'a> {
    instance: usize,
    repetition: Repetition,
    file: &'a Arc<ModuleFile>,
}

struct Search<'a, 'e> {
    evaluation: &'e Evaluation<'a>,
    key: &'e str,
    found: Vec<Unknown>,
    /// Expressions that were followed, by instance and address.
    seen: HashSet<(usize, usize)>,
    /// What was followed out of its block stays, so that its address is nobody else's.
    held: Vec<Arc<Expression>>,
    depth: usize,
}

impl<'a> Search<'a, '_> {
    fn evaluate(&self, here: &Here<'a>, value: &Expression) -> Value {
        self.evaluation
            .evaluate_part(here.instance, &here.repetition, here.file, value)
    }

    /// Follows an argument of another block.
    fn follow_into(&mut self, here: &Here<'a>, value: Arc<Expression>, as_map: bool) {
        self.held.push(value.clone());
        self.follow(here, &value, as_map);
    }

    /// Looks for what is not known in an expression. `as_map` says that it is a map of which only
    /// the key matters.
    fn follow(&mut self, here: &Here<'a>, expression: &Expression, as_map: bool) {
        let place = std::ptr::from_ref(expression) as usize;
        if self.depth >= MAX_DEPTH || !self.seen.insert((here.instance, place)) {
            return;
        }
        let value = self.evaluate(here, expression);
        let is_known = match value.get(self.key) {
            Found::Entry(entry) if as_map => entry.value.is_wholly_known(),
            Found::Absent if as_map => true,
            _ => value.is_wholly_known(),
        };
        if is_known {
            return;
        }
        self.depth += 1;
        match &expression.kind {
            ExpressionKind::Variable(_)
            | ExpressionKind::Attribute(..)
            | ExpressionKind::Index(..) => self.reference(here, expression, as_map),
            ExpressionKind::Parenthesis(inner) => self.follow(here, inner, as_map),
            ExpressionKind::Conditional(parts) => match self.evaluate(here, &parts[0]).data {
                Data::Bool(true) => self.follow(here, &parts[1], as_map),
                Data::Bool(false) => self.follow(here, &parts[2], as_map),
                _ => self.follow(here, &parts[0], false),
            },
            ExpressionKind::Object(entries) if as_map => {
                let mut last = None;
                for entry in entries {
                    let name = match &entry.key {
                        Key::Name(name) => Some(&*name.text),
                        Key::Expression(key) => {
                            self.follow(here, key, false);
                            key.literal().map(|(text, _)| text)
                        }
                    };
                    if name == Some(self.key) {
                        last = Some(&entry.value);
                    }
                }
                if let Some(value) = last {
                    self.follow(here, value, false);
                }
            }
            ExpressionKind::Call(call) if as_map && *call.name.text == *"merge" => {
                for argument in call.arguments.iter().rev() {
                    self.follow(here, argument, true);
                    // it is in the way of what stands before it
                    if matches!(self.evaluate(here, argument).get(self.key), Found::Entry(_)) {
                        break;
                    }
                }
            }
            kind => {
                for part in parts(kind) {
                    self.follow(here, part, false);
                }
            }
        }
        self.depth -= 1;
    }

    fn reference(&mut self, here: &Here<'a>, expression: &Expression, as_map: bool) {
        let mut names: Vec<&str> = Vec::new();
        let mut at = expression;
        let mut as_map = as_map;
        let root = loop {
            match &at.kind {
                ExpressionKind::Attribute(source, name) => {
                    names.push(&name.text);
                    at = source;
                }
                ExpressionKind::Index(source, key) => {
                    self.follow(here, key, false);
                    names.clear();
                    as_map = false;
                    at = source;
                }
                ExpressionKind::Variable(name) => break name,
                _ => return self.follow(here, at, false),
            }
        };
        names.push(root);
        names.reverse();
        let module = &self.evaluation.tree.nodes()[self.evaluation.at(here.instance).node].module;
        let why = match names[..] {
            ["var", name, ref rest @ ..] => {
                return self.variable(here, name, as_map && rest.is_empty(), expression);
            }
            ["local", name, ref rest @ ..] => match module.local(name) {
                Some(local) => {
                    let there = Here {
                        instance: here.instance,
                        repetition: Repetition::Single,
                        file: local.file,
                    };
                    return self.follow_into(&there, local.value, as_map && rest.is_empty());
                }
                None => NotKnown::Undeclared,
            },
            ["module", call, output, ref rest @ ..] => {
                match self.output(here, call, output, as_map && rest.is_empty()) {
                    true => return,
                    false => NotKnown::OfAModule,
                }
            }
            ["each" | "count", ..] => NotKnown::OfAnInstance,
            ["terraform" | "path", ..] => NotKnown::OfTheRun,
            ["data", _, _, ..] => NotKnown::OfAProvider,
            [root, _, ..] if !matches!(root, "self" | "module") => NotKnown::OfAProvider,
            _ => return,
        };
        self.tell(here.file, expression, why);
    }

    fn variable(&mut self, here: &Here<'a>, name: &str, as_map: bool, expression: &Expression) {
        let of = self.evaluation.at(here.instance);
        let node = &self.evaluation.tree.nodes()[of.node];
        let Some(variable) = node.module.variables.get(name) else {
            return self.tell(here.file, expression, NotKnown::Undeclared);
        };
        let given = match (&node.caller, of.parent) {
            (Some((_, call)), Some(parent)) => {
                let there = |argument: &Argument<'a>| Here {
                    instance: parent,
                    repetition: of.repetition,
                    file: argument.file,
                };
                call.attribute(name).map(|it| (there(&it), it.value))
            }
            _ => None,
        };
        if let Some((there, value)) = given {
            return self.follow_into(&there, value, as_map);
        }
        let may_be_given = of.parent.is_none()
            && (self.evaluation.given.values.contains_key(name) || !self.evaluation.given.whole);
        let why = match variable.attribute("default") {
            _ if may_be_given => NotKnown::PerhapsGiven,
            Some(_) => return,
            None => NotKnown::NoValue,
        };
        let block = variable.base();
        self.found.push(Unknown {
            reference: format!("var.{name}").into(),
            place: Place {
                path: block.file.path.clone(),
                span: block.block().header,
            },
            why,
        });
    }

    /// Follows an output of a module that is called once. `false` where it cannot be.
    fn output(&mut self, here: &Here<'a>, call: &str, output: &str, as_map: bool) -> bool {
        let Some(child) = self.evaluation.child(here.instance, call) else {
            return false;
        };
        let module = &self.evaluation.tree.nodes()[child].module;
        let value = module
            .outputs
            .get(output)
            .and_then(|it| it.attribute("value"));
        let Some(value) = value else {
            return false;
        };
        let there = Here {
            instance: self.evaluation.any_instance(child),
            repetition: Repetition::Single,
            file: value.file,
        };
        self.follow_into(&there, value.value, as_map);
        true
    }

    fn tell(&mut self, file: &ModuleFile, expression: &Expression, why: NotKnown) {
        self.found.push(Unknown {
            reference: file.source().slice(expression.span).into(),
            place: Place {
                path: file.path.clone(),
                span: expression.span,
            },
            why,
        });
    }
}

/// The expressions within one, but for those that see names of their own.
fn parts(kind: &ExpressionKind) -> Vec<&Expression> {
    match kind {
        ExpressionKind::Template(template) => in_template(&template.parts),
        ExpressionKind::Tuple(elements) => elements.iter().collect(),
        ExpressionKind::Object(entries) => entries.iter().map(|it| &it.value).collect(),
        ExpressionKind::Splat(splat) => vec![&splat.source],
        ExpressionKind::Unary(_, operand) => vec![operand],
        ExpressionKind::Binary(_, a, b) => vec![a, b],
        ExpressionKind::For(it) => vec![&it.collection],
        ExpressionKind::Call(call) => call.arguments.iter().collect(),
        _ => Vec::new(),
    }
}

fn in_template(parts: &[Part]) -> Vec<&Expression> {
    let of = |part| match part {
        &Part::Literal(..) => Vec::new(),
        Part::Interpolation(it) => vec![it],
        Part::If(condition, then, otherwise) => {
            let mut all = vec![&**condition];
            all.extend(in_template(then));
            all.extend(in_template(otherwise));
            all
        }
        Part::For(it) => vec![&it.collection],
    };
    parts.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::identity::{Address, REALM_TAG, Section};

    const WORKSPACE: &str = r#"
#- main.tf
terraform {
  backend "s3" {}
}
variable "none" {}
variable "tags" {
  type = map(string)
}
variable "byhand" {
  default = "x"
}
variable "known" {
  default = "known"
}
locals {
  direct = { "gantrycd:resource-identity-realm" = var.none, Name = data.aws_x.d.name }
  merged = merge(var.tags, { "gantrycd:resource-identity-realm" = "r" }, local.more)
  more   = var.known == "known" ? { (var.none) = "x" } : local.direct
  circle = local.circle
}
module "m" {
  source = "./m"
  in     = { realm = aws_x.other.realm }
}
module "away" {
  source = "git::https://example.com/away"
}
resource "aws_x" "other" {}
resource "aws_x" "r" {
  tags = TAGS
}
#- byhand/other.tfvars
byhand = "y"
#- m/main.tf
variable "in" {}
output "tags" {
  value = { for k, v in var.in : "gantrycd:resource-identity-${k}" => v }
}
"#;

    /// `reference why` of all that keeps the realm from being known.
    fn unknown(tags: &str) -> Vec<String> {
        let fixture = Fixture::new(&WORKSPACE.replace("TAGS", tags));
        let snapshot = fixture.snapshot();
        let address = Address::parse("aws_x.r").unwrap();
        let found = snapshot.unknowns(0, &address, Section::Own, REALM_TAG);
        found
            .iter()
            .map(|it| format!("{} {:?}", it.reference, it.why))
            .collect()
    }

    #[test]
    fn references_are_followed_to_where_they_come_from_outside() {
        for (tags, expected) in [
            (
                r#"{ "gantrycd:resource-identity-realm" = var.none, Name = aws_x.other.id }"#,
                &["var.none NoValue"][..],
            ),
            ("local.direct", &["var.none NoValue"]),
            ("local.merged", &["var.none NoValue"]),
            ("merge({}, var.tags)", &["var.tags NoValue"]),
            (
                "merge({ Name = var.none }, tomap(var.tags))",
                &["var.tags NoValue"],
            ),
            (
                r#"{ "gantrycd:resource-identity-realm" = "${var.byhand}-${terraform.workspace}" }"#,
                &["terraform.workspace OfTheRun", "var.byhand PerhapsGiven"],
            ),
            ("data.aws_x.d.tags", &["data.aws_x.d.tags OfAProvider"]),
            ("aws_x.other.tags", &["aws_x.other.tags OfAProvider"]),
            ("module.m.tags", &["aws_x.other.realm OfAProvider"]),
            ("module.away.tags", &["module.away.tags OfAModule"]),
            ("local.nowhere", &["local.nowhere Undeclared"]),
            (
                r#"{ "gantrycd:resource-identity-realm" = each.value }"#,
                &["each.value OfAnInstance"],
            ),
        ] {
            assert_eq!(unknown(tags), expected, "{tags}");
        }
    }

    #[test]
    fn what_is_known_or_cannot_be_followed_has_no_reason() {
        for tags in [
            r#"{ "gantrycd:resource-identity-realm" = var.known, Name = var.none }"#,
            r#"{ Name = var.none }"#,
            "local.circle",
            "null",
        ] {
            assert!(unknown(tags).is_empty(), "{tags}: {:?}", unknown(tags));
        }
    }
}
