//! HCL text → its top-level blocks and comments, with spans; a block is parsed when somebody asks
//! for what is in it.
//!
//! Never fails: every byte is in exactly one [`Chunk`], and what cannot be read costs its own chunk
//! and no other. Knows nothing of what a block means.

mod comments;
mod cursor;
mod expression;
mod header;
mod index;
mod json;
mod lexer;
mod parse;
mod parser;
mod places;
mod sound;
mod split;

use smallvec::SmallVec;

use crate::text::{Source, Span};

use index::Index;

pub use comments::{Comment, Place};
pub use cursor::{Cursor, Opened, Word, WordKind};
pub use expression::{
    Attribute, BinaryOperator, Body, Call, Entry, EntryAt, Expression, ExpressionKind, For, Key,
    Name, NestedBlock, Part, Splat, Template, TemplateFor, UnaryOperator,
};
pub use json::{JsonBlock, json_attributes, json_blocks};
pub use parse::{ParseError, Parsed};
pub use parser::{parse_expression, parse_template, parsed_blocks};

/// A text, cut into chunks.
#[derive(Clone, Debug)]
pub struct File {
    source: Source,
    index: Index,
}

/// A block of one [`File`]. It means nothing in another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(u32);

impl BlockId {
    /// Block `at` of a JSON file, which is not cut into chunks.
    pub fn of_json(at: usize) -> Self {
        Self(at as u32)
    }

    /// Its place among the file's items: blocks, attributes and what cannot be read.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A stretch of a file's top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// In bytes of the file; of a block, from its keyword to its closing brace.
    pub span: Span,
    /// What it holds.
    pub kind: Kind,
}

/// What a [`Chunk`] holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Blanks and comments between items; never two in a row.
    Space,
    /// A block, whole or not.
    Block(Block),
    /// `name = …`, as in a file of variables.
    Attribute {
        /// The name.
        name: Span,
    },
    /// Neither.
    Unreadable(Fault),
}

/// A block as far as it can be told without parsing its body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its first word.
    pub keyword: Span,
    /// What stands between the keyword and the brace.
    pub labels: Labels,
    /// From the keyword to the end of the last label, its closing quote included.
    pub header: Span,
    /// Between the braces; up to the chunk's end where the block is not closed, `None` where it
    /// is not opened.
    pub body: Option<Span>,
    /// The first thing that is wrong with it, of what can be told without parsing.
    pub fault: Option<Fault>,
}

/// One label of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// As it is written, quotes included.
    pub span: Span,
    /// Without quotes; escapes stand as they are written.
    pub text: Span,
}

/// The labels of a block; up to two cost no memory of their own.
pub type Labels = SmallVec<[Label; 2]>;

/// What is wrong with a chunk, and where, in bytes of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// From a quote to the end of its line.
    UnclosedQuote(Span),
    /// The opening bracket, or the mark that opens a template.
    UnclosedBracket(Span),
    /// A closing bracket.
    UnmatchedBracket(Span),
    /// `<<` and the marker.
    UnclosedHeredoc(Span),
    /// The end marker on a line that goes on behind it.
    HeredocEnd(Span),
    /// `/*`.
    UnclosedComment(Span),
    /// A header behind which no brace follows.
    NoBrace(Span),
    /// The header of a block, or the name of an attribute, behind another one on its line.
    SameLine(Span),
    /// Text that starts neither a block nor an attribute, or that continues none.
    Unexpected(Span),
    /// Where a file stops being JSON.
    NotJson(Span),
    /// What stands where something else must, and what that is.
    Missing(Span, &'static str),
    /// The name of an attribute that its body has already.
    Repeated(Span),
    /// A number with too many points or exponents.
    Number(Span),
    /// Two indexes in a row of the kind that old versions had, without brackets.
    LegacyIndex(Span),
    /// A backslash, and what cannot follow it.
    Escape(Span),
    /// A directive of a template that ends nothing, or that nothing ends.
    Directive(Span),
    /// A byte that is not UTF-8.
    Encoding(Span),
    /// What stands deeper in brackets, or behind more operators, than is read here. It may be
    /// valid.
    TooDeep(Span),
}

impl Fault {
    /// What to underline, in bytes of the file.
    pub fn span(self) -> Span {
        match self {
            Fault::UnclosedQuote(span)
            | Fault::UnclosedBracket(span)
            | Fault::UnmatchedBracket(span)
            | Fault::UnclosedHeredoc(span)
            | Fault::HeredocEnd(span)
            | Fault::UnclosedComment(span)
            | Fault::NoBrace(span)
            | Fault::SameLine(span)
            | Fault::Unexpected(span)
            | Fault::NotJson(span)
            | Fault::Missing(span, _)
            | Fault::Repeated(span)
            | Fault::Number(span)
            | Fault::LegacyIndex(span)
            | Fault::Escape(span)
            | Fault::Directive(span)
            | Fault::Encoding(span)
            | Fault::TooDeep(span) => span,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::UnclosedQuote(_) => "a quote is opened here and not closed on its line",
            Fault::UnclosedBracket(_) => "a bracket is opened here and not closed",
            Fault::UnmatchedBracket(_) => "this bracket closes nothing",
            Fault::UnclosedHeredoc(_) => {
                "a heredoc starts here, and no line holds its end marker alone"
            }
            Fault::HeredocEnd(_) => "the end marker of a heredoc must stand alone on its line",
            Fault::UnclosedComment(_) => "a comment is opened here and not closed",
            Fault::NoBrace(_) => "a `{` must follow on the line of a block's header",
            Fault::SameLine(_) => "this must start on a line of its own",
            Fault::Unexpected(_) => "this is neither a block nor an argument",
            Fault::NotJson(_) => "this is no JSON object",
            Fault::Missing(_, what) => return write!(f, "{what} is missing here"),
            Fault::Repeated(_) => "this argument is set already",
            Fault::Number(_) => "this is not a number",
            Fault::LegacyIndex(_) => "two indexes in a row need brackets: `[0][1]`",
            Fault::Escape(_) => "this escape does not exist; write `\\\\` for a backslash",
            Fault::Directive(_) => "this template directive has no counterpart",
            Fault::Encoding(_) => "this is not UTF-8",
            Fault::TooDeep(_) => "this is nested too deep to be read",
        })
    }
}

impl File {
    /// Cuts a text into its chunks. The time it takes grows with the text's length, whatever the
    /// text is.
    pub fn split(source: Source) -> Self {
        let chunks = split::split(&source);
        let index = Index::of(&chunks);
        debug_assert_eq!(index.chunks(&source), chunks);
        Self { source, index }
    }

    /// The text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Every byte of the text in exactly one chunk, in order.
    pub fn chunks(&self) -> Vec<Chunk> {
        self.index.chunks(&self.source)
    }

    /// Whether every item is whole, as far as that can be told without parsing.
    pub fn is_whole(&self) -> bool {
        self.index.is_whole()
    }

    /// How many items it has: blocks, attributes and what cannot be read.
    pub fn item_count(&self) -> usize {
        self.index.len()
    }

    /// The blocks in order, broken ones included.
    pub fn blocks(&self) -> impl Iterator<Item = (BlockId, Block)> {
        self.index.blocks().map(|id| (id, self.block(id)))
    }

    /// What [`File::block`] takes, of every block in order.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> {
        self.index.blocks()
    }

    /// One block.
    ///
    /// # Panics
    /// May panic when `id` is another file's.
    pub fn block(&self, id: BlockId) -> Block {
        match self.index.chunk(&self.source, id.index()).kind {
            Kind::Block(block) => block,
            other => panic!("{id:?} is of another file: {other:?} stands here"),
        }
    }

    /// From a block's keyword to its closing brace, in bytes of the file.
    pub fn block_span(&self, id: BlockId) -> Span {
        self.index.span(id.index())
    }

    /// The block that a cursor at byte `offset` touches; of two, the one behind the cursor.
    pub fn block_at(&self, offset: u32) -> Option<BlockId> {
        let behind = self.index.started(offset);
        (behind.saturating_sub(2)..behind).rev().find_map(|at| {
            let (span, ..) = self.index.block(at)?;
            span.touches(offset).then_some(BlockId(at as u32))
        })
    }

    /// The block behind the space that byte `offset` lies in.
    pub fn block_behind(&self, offset: u32) -> Option<BlockId> {
        let behind = self.index.started(offset);
        self.index.block(behind)?;
        let before = behind.checked_sub(1).map(|it| self.index.span(it));
        let in_space = before.is_none_or(|it| !it.touches(offset));
        in_space.then_some(BlockId(behind as u32))
    }

    /// Parses one block.
    ///
    /// # Errors
    /// When the block has a fault, and when the parser refuses it: it is stricter than Terraform
    /// in a few places, so a refused block may be valid.
    pub fn parse(&self, id: BlockId) -> Result<Parsed, ParseError> {
        match self.index.block(id.index()) {
            Some((_, _, Some(fault))) => Err(fault.into()),
            _ => parse::block(&self.source, self.block_span(id)),
        }
    }
}
