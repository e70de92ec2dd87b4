//! What an expression is told of other resources and of the outputs of modules.

use crate::config::Merged;
use crate::eval::{Data, Entry, Resolved, Value};
use crate::identity::{Key, Mode};

use super::instances::{Instances, Repetition, is_repeated};
use super::{Evaluation, Symbol};

impl Evaluation<'_> {
    /// The attribute `name` of a resource, or the whole of it as far as it is written.
    pub(super) fn resource(
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
            // one that is not there is null
            if self.is_enabled(instance, resource) != Some(true) {
                return None;
            }
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

    pub(super) fn module_output(
        &self,
        instance: usize,
        call: &str,
        names: &[&str],
    ) -> Option<Resolved> {
        let child = self.child(instance, call)?;
        self.told.borrow_mut().insert(child as u32);
        let node = &self.tree.nodes()[child];
        if node.is_outdated {
            return None;
        }
        let (_, block) = node.caller.as_ref()?;
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
        let is_repeated = is_repeated(block);
        if !is_repeated && self.is_enabled(instance, block) != Some(true) {
            return None;
        }
        let value = match (is_repeated, names.first()) {
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

#[cfg(test)]
mod tests {
    use crate::workspace::evaluation::tests::text;

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
    fn of_what_may_not_be_enabled_nothing_is_known() {
        let of = |enabled: &str, argument: &str| {
            let text_of = format!(
                r#"
#- main.tf
variable "on" {{}}
locals {{
  on = true
}}
resource "aws_x" "a" {{
  name = "n"
  lifecycle {{
    enabled = {enabled}
  }}
}}
module "m" {{
  source = "./m"
  lifecycle {{
    enabled = {enabled}
  }}
}}
resource "aws_x" "b" {{
  it = {argument}
}}
#- m/main.tf
output "name" {{
  value = "n"
}}
"#
            );
            text(&text_of, "aws_x.b", "it")
        };
        for argument in ["aws_x.a.name", "module.m.name"] {
            for enabled in ["true", "\"true\"", "\"1\"", "local.on", "!false"] {
                let found = of(enabled, argument);
                assert_eq!(found.as_deref(), Some("n"), "{enabled} {argument}");
            }
            let or_else = format!("try({argument}, \"none\")");
            for enabled in ["false", "var.on", "null", "sensitive(true)", "aws_x.b.id"] {
                for argument in [argument, &or_else] {
                    assert_eq!(of(enabled, argument), None, "{enabled} {argument}");
                }
            }
        }
    }
}
