//! One block read in full, on demand, by `hcl::edit`.

use hcl::edit::parser::parse_body;
use hcl::edit::structure::{Attribute, Block, Structure};

use crate::text::{Source, Span};

use super::Fault;

/// A block (or an attribute) as the parser read it, and where it stands.
#[derive(Clone, Debug)]
pub struct Parsed<T = Block> {
    node: T,
    /// In bytes of the whole file.
    offset: u32,
}

impl<T> Parsed<T> {
    /// Where a node of this tree stands, in **bytes of the whole file**; `None` for one that was
    /// not parsed from it.
    pub fn span(&self, node: &impl hcl::edit::Span) -> Option<Span> {
        let range = node.span()?;
        Some(Span::new(range.start, range.end).shifted(self.offset))
    }
}

impl Parsed<Block> {
    /// The block. Its own spans count from the start of its keyword: ask [`Parsed::span`].
    pub fn block(&self) -> &Block {
        &self.node
    }
}

impl Parsed<Attribute> {
    /// The attribute. Its own spans count from the start of its name: ask [`Parsed::span`].
    pub fn attribute(&self) -> &Attribute {
        &self.node
    }
}

/// Why a block could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Where, in bytes of the whole file.
    pub span: Span,
    /// What is wrong, in a few words without a full stop.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

impl From<Fault> for ParseError {
    fn from(fault: Fault) -> Self {
        Self {
            span: fault.span(),
            message: fault.to_string(),
        }
    }
}

/// Parses the one block that `span` of `source` holds.
pub(super) fn block(source: &Source, span: Span) -> Result<Parsed<Block>, ParseError> {
    one(source, span, |it| match it {
        Structure::Block(block) => Some(block),
        Structure::Attribute(_) => None,
    })
}

/// Parses the one attribute that `span` of `source` holds.
pub(super) fn attribute(source: &Source, span: Span) -> Result<Parsed<Attribute>, ParseError> {
    one(source, span, |it| match it {
        Structure::Attribute(attribute) => Some(attribute),
        Structure::Block(_) => None,
    })
}

fn one<T>(
    source: &Source,
    span: Span,
    wanted: impl FnMut(Structure) -> Option<T>,
) -> Result<Parsed<T>, ParseError> {
    let text = source.slice(span);
    let body = parse_body(text).map_err(|error| {
        let at = error.location().offset().min(text.len());
        let length = text[at..].chars().next().map_or(0, char::len_utf8);
        ParseError {
            span: Span::new(at, at + length).shifted(span.start),
            message: error.message().to_owned(),
        }
    })?;
    match body.into_iter().find_map(wanted) {
        Some(node) => Ok(Parsed {
            node,
            offset: span.start,
        }),
        None => Err(Fault::Unexpected(span).into()),
    }
}

/// Whether the parser reads `text`.
pub(super) fn is_sound(text: &str) -> bool {
    parse_body(text).is_ok()
}
