//! What names, paths and files are to an expression.

use std::fs::Metadata;
use std::path::Path;

use crate::eval::{FileAnswer, Resolved, Scope, Value};
use crate::identity::{Key, Mode};

use super::super::tree::is_local;
use super::instances::Repetition;
use super::{Evaluation, Symbol};

/// Larger files are not read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// What names mean to an expression in a block of a module's instance.
pub(super) struct Names<'a> {
    pub(super) evaluation: &'a Evaluation<'a>,
    pub(super) instance: usize,
    pub(super) repetition: &'a Repetition,
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

impl Evaluation<'_> {
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

#[cfg(test)]
mod tests {
    use super::joined;
    use crate::workspace::evaluation::tests::text;

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
