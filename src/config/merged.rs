//! A declaration and what override files change of it, taken together as Terraform does.
//!
//! See <https://developer.hashicorp.com/terraform/language/files/override>: an argument replaces
//! the argument of its name, nested blocks replace all those of their kind, and `lifecycle` is
//! merged argument by argument.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memmem;

use crate::syntax::{Body, Expression, ExpressionKind, NestedBlock, parse_expression};
use crate::text::{Source, Span};

use super::{Declared, ModuleFile};

/// A declaration: its block, and the blocks of override files that change it.
#[derive(Clone, Debug)]
pub struct Merged {
    block: Declared,
    /// What changes it, in the order in which Terraform reads it.
    changes: Box<[Declared]>,
}

/// An argument's value, and the file that it was written in.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// The file.
    pub file: &'a Arc<ModuleFile>,
    /// The value.
    pub value: Arc<Expression>,
}

impl Merged {
    /// A declaration that nothing changes yet.
    pub fn new(block: Declared) -> Self {
        Self {
            block,
            changes: Box::default(),
        }
    }

    /// Has `part` change it.
    pub fn change(&mut self, part: Declared) {
        let changes = std::mem::take(&mut self.changes).into_iter();
        self.changes = changes.chain([part]).collect();
    }

    /// The block itself.
    pub fn base(&self) -> &Declared {
        &self.block
    }

    /// The block, then what changes it.
    fn parts(&self) -> impl DoubleEndedIterator<Item = &Declared> {
        [&self.block].into_iter().chain(&self.changes)
    }

    /// The value of an argument: the last one that was written.
    pub fn attribute(&self, name: &str) -> Option<Argument<'_>> {
        self.parts().rev().find_map(|it| {
            Some(Argument {
                file: &it.file,
                value: it.body().attribute(name)?.clone(),
            })
        })
    }

    /// The same, for a look that nobody will take again soon.
    pub(super) fn glance_at(&self, name: &str) -> Option<Arc<Expression>> {
        let mut parts = self.parts().rev();
        parts.find_map(|it| it.glance().attribute(name).cloned())
    }

    /// Whether a word stands anywhere in it: without it, no argument has that name, and none need be
    /// read to tell.
    pub fn mentions(&self, word: &str) -> bool {
        let has = |it: &Declared| {
            let text = it.file.source().slice(it.block().span);
            memmem::find(text.as_bytes(), word.as_bytes()).is_some()
        };
        self.parts().any(has)
    }

    /// The names of its arguments, each once.
    pub fn attribute_names(&self) -> BTreeSet<Box<str>> {
        let mut names = BTreeSet::new();
        for part in self.parts() {
            let body = part.body();
            names.extend(body.attributes.iter().map(|it| it.name.text.clone()));
        }
        names
    }

    /// Whether it has any argument or nested block.
    pub fn says_anything(&self) -> bool {
        let says = |it: &Body| !it.attributes.is_empty() || !it.blocks.is_empty();
        self.parts().any(|it| says(&it.glance()))
    }

    /// Its nested blocks with this keyword, each with its file.
    pub fn blocks(&self, keyword: &str) -> Vec<(&Arc<ModuleFile>, Arc<NestedBlock>)> {
        let mut blocks = self.last_of(keyword);
        blocks.retain(|(_, it)| !is_dynamic(it));
        blocks
    }

    /// Its `dynamic` blocks that make nested blocks with this keyword, each with its file.
    pub fn dynamic_blocks(&self, keyword: &str) -> Vec<(&Arc<ModuleFile>, Arc<NestedBlock>)> {
        let mut blocks = self.last_of(keyword);
        blocks.retain(|(_, it)| is_dynamic(it));
        blocks
    }

    /// Whether it has nested blocks of one of these kinds, dynamic or not.
    pub fn has_blocks(&self, keywords: &[&str]) -> bool {
        let mut parts = self.parts();
        parts.any(|it| {
            it.body()
                .blocks
                .iter()
                .any(|it| keywords.contains(&kind(it)))
        })
    }

    /// Its nested blocks of one kind, dynamic or not: those of the last part that has any.
    /// <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/configs/module_merge_body.go#L76>
    fn last_of(&self, keyword: &str) -> Vec<(&Arc<ModuleFile>, Arc<NestedBlock>)> {
        let of = |it: &Declared| -> Vec<_> {
            let body = it.body();
            let blocks = body.blocks.iter().filter(|block| kind(block) == keyword);
            blocks.cloned().collect()
        };
        let parts = self.parts().rev();
        let mut found = parts.map(|it| (&it.file, of(it)));
        let last = found.find(|(_, blocks)| !blocks.is_empty());
        let last = last.map(|(file, blocks)| blocks.into_iter().map(move |it| (file, it)));
        last.into_iter().flatten().collect()
    }

    /// An argument of the `lifecycle` block.
    pub fn lifecycle(&self, name: &str) -> Option<Argument<'_>> {
        self.parts().rev().find_map(|it| {
            it.body().blocks("lifecycle").find_map(|block| {
                Some(Argument {
                    file: &it.file,
                    value: block.body.attribute(name)?.clone(),
                })
            })
        })
    }

    /// Whether an edit of an argument may never be applied: `ignore_changes` names one that `is`
    /// says yes to, or `all`, or something that cannot be read. `is` is asked for the argument, and
    /// what of it is named.
    pub fn may_ignore_changes(&self, is: &dyn Fn(&str, Part) -> bool) -> bool {
        let Some(ignored) = self.lifecycle("ignore_changes") else {
            return false;
        };
        match &ignored.value.kind {
            ExpressionKind::Tuple(entries) => {
                let mut entries = entries.iter();
                entries.any(|it| named(&unquoted(it)).is_none_or(|(name, part)| is(name, part)))
            }
            _ => true,
        }
    }

    /// The entry of `ignore_changes` that certainly keeps an edit of one key of a map from being
    /// applied: `all`, the argument, or `argument["key"]`.
    pub fn ignored_change(&self, argument: &str, key: &str) -> Option<Argument<'_>> {
        let ignored = self.lifecycle("ignore_changes")?;
        let of = |it: &&Expression| match named(&unquoted(it)) {
            Some((name, Part::All)) => name == argument,
            Some((name, Part::Entry(entry))) => name == argument && entry == key,
            _ => false,
        };
        let value = match &ignored.value.kind {
            ExpressionKind::Tuple(entries) => entries.iter().find(of)?.clone().into(),
            _ if is_named(&ignored.value, "all") => ignored.value,
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
        self.parts().all(whole)
    }
}

/// Whether an expression is a name, in quotes or not.
fn is_named(expression: &Expression, name: &str) -> bool {
    match &expression.kind {
        ExpressionKind::Variable(it) => **it == *name,
        _ => expression.literal().is_some_and(|(text, _)| text == name),
    }
}

/// What of an argument an entry of `ignore_changes` names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part<'a> {
    /// `tags`: all of it.
    All,
    /// `tags["key"]`: one entry of a map.
    Entry(&'a str),
    /// `tags.key`: one attribute of an object. Of a map, it names nothing:
    /// <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/terraform/node_resource_abstract_instance.go>,
    /// `processIgnoreChangesIndividual`.
    Attribute,
    /// Something that cannot be told.
    Unclear,
}

/// The argument that an entry of `ignore_changes` names, and what of it.
fn named(entry: &Expression) -> Option<(&str, Part<'_>)> {
    match &entry.kind {
        ExpressionKind::Variable(name) => Some((name, Part::All)),
        ExpressionKind::Attribute(source, _) => match &source.kind {
            ExpressionKind::Variable(name) => Some((name, Part::Attribute)),
            _ => Some((named(source)?.0, Part::Unclear)),
        },
        ExpressionKind::Index(source, key) => {
            let (name, of) = named(source)?;
            let key = key.literal().filter(|_| of == Part::All);
            Some((name, key.map_or(Part::Unclear, |(key, _)| Part::Entry(key))))
        }
        _ => None,
    }
}

/// An entry of `ignore_changes` without the quotes that it may stand in, and in JSON always does.
fn unquoted(entry: &Expression) -> Cow<'_, Expression> {
    match entry.literal() {
        Some((text, _)) => Cow::Owned(parse_expression(
            &Source::new(text),
            Span::new(0, text.len()),
        )),
        None => Cow::Borrowed(entry),
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
