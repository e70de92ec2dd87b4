//! One block read in full, on demand, by `hcl::edit`.

use hcl::edit::parser::parse_body;
use hcl::edit::structure::Block;

use crate::text::{Source, Span};

use super::Fault;

/// A block as the parser read it, and where it stands.
#[derive(Clone, Debug)]
pub struct Parsed {
    block: Block,
    /// In bytes of the whole file.
    offset: u32,
}

impl Parsed {
    /// Where a node of this tree stands, in **bytes of the whole file**; `None` for one that was
    /// not parsed from it.
    pub fn span(&self, node: &impl hcl::edit::Span) -> Option<Span> {
        let range = node.span()?;
        Some(Span::new(range.start, range.end).shifted(self.offset))
    }

    /// The block. Its own spans count from the start of its keyword: ask [`Parsed::span`].
    pub fn block(&self) -> &Block {
        &self.block
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
pub(super) fn block(source: &Source, span: Span) -> Result<Parsed, ParseError> {
    let text = source.slice(span);
    let body = parse_body(text).map_err(|error| {
        let at = error.location().offset().min(text.len());
        let length = text[at..].chars().next().map_or(0, char::len_utf8);
        ParseError {
            span: Span::new(at, at + length).shifted(span.start),
            message: error.message().to_owned(),
        }
    })?;
    match body.into_blocks().next() {
        Some(block) => Ok(Parsed {
            block,
            offset: span.start,
        }),
        None => Err(Fault::Unexpected(span).into()),
    }
}

/// Whether the parser reads `text`.
pub(super) fn is_sound(text: &str) -> bool {
    parse_body(text).is_ok()
}
