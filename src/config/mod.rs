//! What the blocks of a directory declare: resources, provider configurations, module calls and
//! settings, each with its place.
//!
//! Knows nothing of values: an expression is kept as it was parsed, and `eval` says what it is.

mod file;
mod module;

pub use file::{
    Alias, Backend, Call, DefaultTags, IgnoreComment, ModuleFile, Passed, Provider, ProviderRef,
    Resource, ResourceBody, Settings, TagBlock,
};
pub use module::{Declared, Module, is_configuration, is_ignored, is_override, provider_source};

use hcl::edit::expr::Expression;

use crate::text::Span;

/// An expression and where its block stands, so that every node has a span in its file.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The expression as parsed.
    pub node: Expression,
    /// The byte at which the text that it was parsed from starts in its file.
    pub start: u32,
}

impl Expr {
    /// Where a node of this expression stands, in bytes of the file. Nodes that a parser made
    /// always have a span.
    pub fn span(&self, node: &impl hcl::edit::Span) -> Span {
        span_from(self.start, node)
    }

    /// Where the whole expression stands, in bytes of the file.
    pub fn whole(&self) -> Span {
        self.span(&self.node)
    }
}

fn span_from(start: u32, node: &impl hcl::edit::Span) -> Span {
    let range = node.span().unwrap_or_default();
    Span::new(range.start, range.end).shifted(start)
}
