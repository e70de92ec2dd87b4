//! What stands in a section, whether a block of the workspace file, an object, or JSON.

use std::sync::Arc;

use crate::config::{Label, ModuleFile};
use crate::syntax::{Attribute, Body, Entry, Expression, ExpressionKind, Key, Name, NestedBlock};
use crate::text::Span;

use super::shape::{EDITOR, Takes};

/// What stands in a section.
#[derive(Default)]
pub(super) struct Items<'a> {
    /// `name = value`, in order.
    pub(super) pairs: Vec<(Name, &'a Expression)>,
    /// `name { … }`, in order.
    pub(super) blocks: Vec<Section<'a>>,
    /// Of an object: keys that are no constant names.
    pub(super) nameless: Vec<Span>,
}

/// A block.
pub(super) struct Section<'a> {
    pub(super) keyword: Name,
    /// Without quotes.
    pub(super) labels: Box<[Name]>,
    /// From the keyword to the last label.
    pub(super) header: Span,
    pub(super) items: Items<'a>,
}

/// The bodies of a file, to make [`Items`] of.
pub(super) struct Bodies {
    blocks: Vec<Arc<Body>>,
    top_level: Arc<Body>,
}

impl Bodies {
    pub(super) fn of(file: &ModuleFile) -> Self {
        Self {
            blocks: file.block_ids().map(|it| file.body(it)).collect(),
            top_level: file.top_level(),
        }
    }
}

impl<'a> Items<'a> {
    pub(super) fn of_file(file: &ModuleFile, bodies: &'a Bodies) -> Self {
        let label = |it: &Label| Name {
            text: it.text.into(),
            span: it.span,
        };
        let blocks = file.blocks().zip(&bodies.blocks);
        let blocks = blocks.map(|(it, body)| Section {
            keyword: Name {
                text: it.keyword.into(),
                span: Span {
                    start: it.header.start,
                    end: it.header.start + it.keyword.len() as u32,
                },
            },
            labels: it.labels.iter().map(label).collect(),
            header: it.header,
            items: Self::of_body(body),
        });
        Self {
            blocks: blocks.collect(),
            ..Self::of_attributes(&bodies.top_level.attributes)
        }
    }

    fn of_body(body: &'a Body) -> Self {
        let block = |it: &'a Arc<NestedBlock>| Section {
            keyword: it.keyword.clone(),
            labels: it.labels.iter().cloned().collect(),
            header: it.header,
            items: Self::of_body(&it.body),
        };
        Self {
            blocks: body.blocks.iter().map(block).collect(),
            ..Self::of_attributes(&body.attributes)
        }
    }

    fn of_attributes(attributes: &'a [Attribute]) -> Self {
        let pairs = attributes.iter().map(|it| (it.name.clone(), &*it.value));
        Self {
            pairs: pairs.collect(),
            ..Self::default()
        }
    }

    /// Of an editor's settings, in which blocks are objects.
    pub(super) fn of_json(attributes: &'a [Attribute]) -> Self {
        let mut items = Self::default();
        for (name, value) in Self::of_attributes(attributes).pairs {
            let key = EDITOR.find(&name.text);
            let is_block = key.is_some_and(|it| matches!(it.takes, Takes::Block(..)));
            match Self::of_object(value).filter(|_| is_block) {
                Some(within) => items.blocks.push(Section {
                    header: name.span,
                    keyword: name,
                    labels: Box::default(),
                    items: within,
                }),
                None => items.pairs.push((name, value)),
            }
        }
        items
    }

    /// Of a value that is an object as it is written.
    pub(super) fn of_object(value: &'a Expression) -> Option<Self> {
        let ExpressionKind::Object(entries) = &value.kind else {
            return None;
        };
        let mut items = Self::default();
        for Entry { key, value } in entries {
            match key {
                Key::Name(name) => items.pairs.push((name.clone(), value)),
                Key::Expression(key) => match key.literal() {
                    Some((text, span)) => {
                        let text = text.into();
                        items.pairs.push((Name { text, span }, value));
                    }
                    // what cannot be read is told of already
                    None if matches!(key.kind, ExpressionKind::Unreadable) => {}
                    None if key.span.is_empty() => {}
                    None => items.nameless.push(key.span),
                },
            }
        }
        Some(items)
    }

    /// Where the first of them stands.
    pub(super) fn at(&self) -> u32 {
        let pairs = self.pairs.iter().map(|(name, _)| name.span.start);
        let blocks = self.blocks.iter().map(|it| it.header.start);
        pairs.chain(blocks).min().unwrap_or(0)
    }

    /// What stands in the blocks of this name.
    pub(super) fn sections(&self, name: &str) -> impl Iterator<Item = &Items<'a>> {
        let blocks = self.blocks.iter();
        let blocks = blocks.filter(move |it| *it.keyword.text == *name);
        blocks.map(|it| &it.items)
    }
}
