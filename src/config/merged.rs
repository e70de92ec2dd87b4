//! A declaration and what override files change of it, taken together as Terraform does.
//!
//! See <https://developer.hashicorp.com/terraform/language/files/override>: an argument replaces
//! the argument of its name, nested blocks replace all those of their kind, and `lifecycle` is
//! merged argument by argument.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::syntax::{Expression, ExpressionKind, NestedBlock};

use super::{Declared, ModuleFile};

/// A declaration: its block, and the blocks of override files that change it.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The block first, then what changes it in the order in which Terraform reads it. Never empty.
    parts: Vec<Declared>,
}

/// An argument's value, and the file that it was written in.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// The file.
    pub file: &'a Arc<ModuleFile>,
    /// The value.
    pub value: &'a Expression,
}

impl Merged {
    /// A declaration that nothing changes yet.
    pub fn new(block: Declared) -> Self {
        Self { parts: vec![block] }
    }

    /// Has `part` change it.
    pub fn change(&mut self, part: Declared) {
        self.parts.push(part);
    }

    /// The block itself.
    pub fn base(&self) -> &Declared {
        &self.parts[0]
    }

    /// The value of an argument: the last one that was written.
    pub fn attribute(&self, name: &str) -> Option<Argument<'_>> {
        self.parts.iter().rev().find_map(|it| {
            Some(Argument {
                file: &it.file,
                value: it.body().attribute(name)?,
            })
        })
    }

    /// The names of its arguments, each once.
    pub fn attribute_names(&self) -> BTreeSet<&str> {
        let bodies = self.parts.iter().map(Declared::body);
        let attributes = bodies.flat_map(|it| &it.attributes);
        attributes.map(|it| &*it.name.text).collect()
    }

    /// Whether it has any nested block.
    pub fn has_blocks(&self) -> bool {
        self.parts.iter().any(|it| !it.body().blocks.is_empty())
    }

    /// Its nested blocks with this keyword, each with its file.
    pub fn blocks<'a>(&'a self, keyword: &'a str) -> Vec<(&'a Arc<ModuleFile>, &'a NestedBlock)> {
        self.last_of(keyword)
            .filter(|(_, it)| !is_dynamic(it))
            .collect()
    }

    /// Its `dynamic` blocks that make nested blocks with this keyword, each with its file.
    pub fn dynamic_blocks<'a>(
        &'a self,
        keyword: &'a str,
    ) -> Vec<(&'a Arc<ModuleFile>, &'a NestedBlock)> {
        self.last_of(keyword)
            .filter(|(_, it)| is_dynamic(it))
            .collect()
    }

    /// Its nested blocks of one kind, dynamic or not: those of the last part that has any.
    /// <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/configs/module_merge_body.go#L76>
    fn last_of<'a>(
        &'a self,
        keyword: &'a str,
    ) -> impl Iterator<Item = (&'a Arc<ModuleFile>, &'a NestedBlock)> {
        let of = move |it: &'a Declared| {
            let blocks = it.body().blocks.iter();
            blocks
                .filter(move |block| kind(block) == keyword)
                .map(|block| (&it.file, block))
        };
        let last = self.parts.iter().rev().find(|it| of(it).next().is_some());
        last.into_iter().flat_map(of)
    }

    /// An argument of the `lifecycle` block.
    pub fn lifecycle(&self, name: &str) -> Option<Argument<'_>> {
        self.parts.iter().rev().find_map(|it| {
            it.body().blocks("lifecycle").find_map(|block| {
                Some(Argument {
                    file: &it.file,
                    value: block.body.attribute(name)?,
                })
            })
        })
    }

    /// Whether an edit of an argument may never be applied: `ignore_changes` names one that `is`
    /// says yes to, or `all`, or something that cannot be read. `is` is asked for the argument, and
    /// for the key where only one entry of it is named.
    pub fn may_ignore_changes(&self, is: &dyn Fn(&str, Option<&str>) -> bool) -> bool {
        let Some(ignored) = self.lifecycle("ignore_changes") else {
            return false;
        };
        match &ignored.value.kind {
            // `tags`, `tags["key"]`, in quotes or not
            ExpressionKind::Tuple(entries) => {
                let mut entries = entries.iter();
                entries.any(|it| first_name(it).is_none_or(|name| is(name, only_key(it))))
            }
            _ => true,
        }
    }

    /// The entry of `ignore_changes` that certainly keeps an edit of one key of a map from being
    /// applied: `all`, the argument, or `argument["key"]`.
    pub fn ignored_change(&self, argument: &str, key: &str) -> Option<Argument<'_>> {
        let ignored = self.lifecycle("ignore_changes")?;
        let of = |it: &&Expression| match &it.kind {
            ExpressionKind::Index(source, of) => {
                is_named(source, argument) && of.literal().is_some_and(|(text, _)| text == key)
            }
            _ => is_named(it, argument),
        };
        let value = match &ignored.value.kind {
            ExpressionKind::Tuple(entries) => entries.iter().find(of)?,
            _ if is_named(ignored.value, "all") => ignored.value,
            _ => return None,
        };
        Some(Argument {
            file: ignored.file,
            value,
        })
    }

    /// Whether all of it could be read. What a broken part says is not known, so that an argument
    /// that is not there may be in it.
    pub fn is_whole(&self) -> bool {
        let whole = |it: &Declared| it.body().unreadable.is_empty();
        self.parts.iter().all(whole)
    }
}

/// Whether an expression is a name, in quotes or not.
fn is_named(expression: &Expression, name: &str) -> bool {
    match &expression.kind {
        ExpressionKind::Variable(it) => **it == *name,
        _ => expression.literal().is_some_and(|(text, _)| text == name),
    }
}

/// The first name of `tags["key"]`, or of the same in quotes.
fn first_name(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        ExpressionKind::Variable(name) => Some(name),
        ExpressionKind::Attribute(source, _) | ExpressionKind::Index(source, _) => {
            first_name(source)
        }
        _ => {
            let (text, _) = expression.literal()?;
            text.split(['.', '[']).next()
        }
    }
}

/// The key of `tags["key"]`.
fn only_key(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        ExpressionKind::Index(_, key) => key.literal().map(|(text, _)| text),
        _ => None,
    }
}

fn is_dynamic(block: &NestedBlock) -> bool {
    *block.keyword.text == *"dynamic" && block.labels.len() == 1
}

/// The keyword of the blocks that a nested block is, or makes.
fn kind(block: &NestedBlock) -> &str {
    match &block.labels[..] {
        [label] if is_dynamic(block) => &label.text,
        _ => &block.keyword.text,
    }
}
