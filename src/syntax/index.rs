//! Where the items of a text stand: sixteen bytes each, and no more. What can be told from the text
//! again (keyword, labels, blanks) is, when somebody asks.

use crate::text::{Source, Span};

use super::header::{self, Head};
use super::lexer::Lexer;
use super::{Block, BlockId, Chunk, Fault, Kind, Label, Labels};

/// The items of one text, in order. What lies between them is [`Kind::Space`].
#[derive(Clone, Debug)]
pub(super) struct Index {
    items: Box<[Item]>,
    /// What is wrong with some of the items, in order.
    faults: Box<[(u32, Fault)]>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    start: u32,
    end: u32,
    /// Of a block: behind its `{`.
    body: u32,
    what: What,
    header: Header,
}

/// The header of a block as nearly everybody writes it, `keyword "label" "label"` with one blank
/// between: how long each is, labels with their quotes. The keyword of any other is 0 long.
#[derive(Clone, Copy, Default, Debug)]
struct Header {
    keyword: u8,
    labels: [u8; 2],
}

impl Header {
    fn of(block: &Block) -> Self {
        let length = |span: Span| u8::try_from(span.len()).unwrap_or(0);
        let label = |at: usize| block.labels.get(at).map_or(0, |it| length(it.span));
        let header = Self {
            keyword: length(block.keyword),
            labels: [label(0), label(1)],
        };
        let written = (block.keyword, block.labels.clone(), block.header);
        match header.at(block.keyword.start) == Some(written) {
            true => header,
            false => Self::default(),
        }
    }

    /// Keyword, labels and the whole of a header that starts at a byte.
    fn at(self, start: u32) -> Option<(Span, Labels, Span)> {
        let word = Span {
            start,
            end: start + u32::from(self.keyword),
        };
        let mut labels = Labels::new();
        let mut end = word.end;
        for length in self.labels.into_iter().take_while(|it| *it >= 2) {
            let span = Span {
                start: end + 1,
                end: end + 1 + u32::from(length),
            };
            let text = Span {
                start: span.start + 1,
                end: span.end - 1,
            };
            labels.push(Label { span, text });
            end = span.end;
        }
        (!word.is_empty()).then_some((word, labels, Span { start, end }))
    }
}

const _: () = assert!(size_of::<Item>() == 16);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// A block that ends with its `}`.
    Closed,
    /// One that ends without.
    Open,
    /// One without a `{`.
    Headless,
    Attribute,
    Unreadable,
}

impl Index {
    /// Of the chunks that a text was split into.
    pub(super) fn of(chunks: &[Chunk]) -> Self {
        let mut faults = Vec::new();
        let mut items = Vec::with_capacity(chunks.len() / 2 + 1);
        for Chunk { span, kind } in chunks {
            let (what, body, fault) = match kind {
                Kind::Space => continue,
                Kind::Attribute { .. } => (What::Attribute, 0, None),
                Kind::Unreadable(fault) => (What::Unreadable, 0, Some(fault)),
                Kind::Block(Block { body, fault, .. }) => match body {
                    Some(body) if body.end < span.end => (What::Closed, body.start, fault.as_ref()),
                    Some(body) => (What::Open, body.start, fault.as_ref()),
                    None => (What::Headless, 0, fault.as_ref()),
                },
            };
            let header = match kind {
                Kind::Block(block) => Header::of(block),
                _ => Header::default(),
            };
            faults.extend(fault.map(|it| (items.len() as u32, *it)));
            items.push(Item {
                start: span.start,
                end: span.end,
                body,
                what,
                header,
            });
        }
        Self {
            items: items.into(),
            faults: faults.into(),
        }
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether every item is whole, as far as that can be told without parsing.
    pub(super) fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }

    /// The block at `at`, unless another item is there: from its keyword to its closing brace, what
    /// is between its braces, and what is wrong with it.
    pub(super) fn block(&self, at: usize) -> Option<(Span, Option<Span>, Option<Fault>)> {
        let item = self.items.get(at)?;
        let body = |end| {
            Some(Span {
                start: item.body,
                end,
            })
        };
        let body = match item.what {
            What::Closed => body(item.end - 1),
            What::Open => body(item.end),
            What::Headless => None,
            What::Attribute | What::Unreadable => return None,
        };
        Some((self.span(at), body, self.fault(at)))
    }

    /// Where an item stands.
    pub(super) fn span(&self, at: usize) -> Span {
        let Item { start, end, .. } = self.items[at];
        Span { start, end }
    }

    fn fault(&self, at: usize) -> Option<Fault> {
        let known = self.faults.binary_search_by_key(&(at as u32), |it| it.0);
        known.ok().map(|it| self.faults[it].1)
    }

    /// An item, its keyword and labels read again.
    pub(super) fn chunk(&self, source: &Source, at: usize) -> Chunk {
        let span = self.span(at);
        let kind = match (self.block(at), self.items[at].what) {
            (Some((_, body, fault)), _) => {
                let usual = self.items[at].header.at(span.start);
                let head = || head_of(source, span).map(|it| (it.word, it.labels, it.span));
                let read = usual.or_else(head);
                let (keyword, labels, header) = read.unwrap_or((span, Labels::new(), span));
                Kind::Block(Block {
                    keyword,
                    labels,
                    header,
                    body,
                    fault,
                })
            }
            (None, What::Attribute) => Kind::Attribute {
                name: header::word(source.text().as_bytes(), span.range().start).unwrap_or(span),
            },
            (None, _) => Kind::Unreadable(self.fault(at).unwrap_or(Fault::Unexpected(span))),
        };
        Chunk { span, kind }
    }

    /// What lies before the item at `at`, or behind the last one.
    pub(super) fn space(&self, source: &Source, at: usize) -> Span {
        let start = at.checked_sub(1).map_or(0, |it| self.items[it].end);
        let next = self.items.get(at).map(|it| it.start);
        Span {
            start,
            end: next.unwrap_or(source.text().len() as u32),
        }
    }

    /// Every byte of the text in exactly one chunk, in order.
    pub(super) fn chunks(&self, source: &Source) -> Vec<Chunk> {
        let mut chunks = Vec::with_capacity(2 * self.items.len() + 1);
        for at in 0..=self.items.len() {
            let span = self.space(source, at);
            if !span.is_empty() {
                let kind = Kind::Space;
                chunks.push(Chunk { span, kind });
            }
            if at < self.items.len() {
                chunks.push(self.chunk(source, at));
            }
        }
        chunks
    }

    /// How many items start at byte `offset` or before.
    pub(super) fn started(&self, offset: u32) -> usize {
        self.items.partition_point(|it| it.start <= offset)
    }

    /// The places of the blocks, in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = BlockId> {
        let items = self.items.iter().enumerate();
        items.filter_map(|(at, it)| match it.what {
            What::Closed | What::Open | What::Headless => Some(BlockId(at as u32)),
            What::Attribute | What::Unreadable => None,
        })
    }

    /// The places of what is no block, in order.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> {
        let items = self.items.iter().enumerate();
        let others = items.filter(|(_, it)| matches!(it.what, What::Attribute | What::Unreadable));
        others.map(|(at, _)| at)
    }
}

/// What an item starts with.
fn head_of(source: &Source, item: Span) -> Option<Head> {
    let at = item.range().start;
    let text = &source.text().as_bytes()[..item.range().end];
    // a comment among the labels is rare
    header::read(text, at, |comment| {
        let mut lexer = Lexer::new(text, at, ());
        lexer.start(header::indent(text, at).unwrap_or(0), false);
        lexer.block_comment(comment)
    })
}
