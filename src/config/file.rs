//! One configuration file: which blocks it has.
//!
//! A block is known by its header. Its body is read when somebody asks for what is in it: most blocks
//! of a workspace never are.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use memchr::memmem;

use crate::identity::comment::{Directive, directives};
use crate::identity::{IDENTITY_TAG, Mode};
use crate::syntax::{
    self, BlockId, Body, EntryAt, Fault, JsonBlock, Name, Place, json_attributes, json_blocks,
};
use crate::text::{Source, Span};

use super::bodies::Bodies;

/// One configuration file.
#[derive(Debug)]
pub struct ModuleFile {
    /// Its absolute path.
    pub path: Arc<Path>,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
    /// Comments that speak to gantrycd, in order. None in JSON.
    pub comments: Vec<IgnoreComment>,
    source: Source,
    /// The text cut into chunks; `None` of JSON.
    syntax: Option<syntax::File>,
    /// Of the blocks, and behind them what stands outside of any.
    bodies: Bodies,
    whole: bool,
    faults: OnceLock<Box<[Fault]>>,
}

/// A comment that opts a block out, or was meant to.
#[derive(Clone, Debug)]
pub struct IgnoreComment {
    /// What it says.
    pub directive: Directive,
    /// Where the directive stands, in bytes of the file.
    pub span: Span,
    /// How the comment stands to the blocks around it.
    pub place: Place,
}

/// A block at the top level of a file.
#[derive(Debug)]
pub struct Block {
    /// Which block of the file.
    pub id: BlockId,
    /// `resource`, `provider`, …
    pub keyword: Box<str>,
    /// Its labels, without quotes.
    pub labels: Vec<Name>,
    /// From the keyword to the last label.
    pub header: Span,
    /// The whole block.
    pub span: Span,
    /// Whether a well-formed and well-placed comment opts it out.
    pub ignored: bool,
    /// Its place among the file's blocks.
    at: u32,
}

impl Block {
    fn of_json(at: usize, JsonBlock { block, span }: JsonBlock) -> Self {
        Self {
            id: BlockId::of_json(at),
            keyword: block.keyword.text,
            labels: block.labels,
            header: block.header,
            span,
            ignored: false,
            at: at as u32,
        }
    }

    /// Of a `resource` or `data` block: what it declares.
    pub fn resource(&self) -> Option<(Mode, &str, &str)> {
        let mode = match &*self.keyword {
            "resource" => Mode::Managed,
            "data" => Mode::Data,
            _ => return None,
        };
        match &self.labels[..] {
            [resource_type, name] => Some((mode, &resource_type.text, &name.text)),
            _ => None,
        }
    }
}

/// A block and the file that it stands in.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The file.
    pub file: Arc<ModuleFile>,
    index: u32,
}

impl Declared {
    /// Block `index` of a file.
    pub fn new(file: &Arc<ModuleFile>, index: usize) -> Self {
        Self {
            file: file.clone(),
            index: index as u32,
        }
    }

    /// The block.
    pub fn block(&self) -> &Block {
        &self.file.blocks[self.index as usize]
    }

    /// What stands in it.
    pub fn body(&self) -> Arc<Body> {
        self.file.body(self.block())
    }

    /// What stands in it, for a look that nobody will take again soon.
    pub fn glance(&self) -> Arc<Body> {
        self.file.glance(self.block())
    }
}

impl ModuleFile {
    /// Reads a file. What cannot be read is left out, and the rest is as if it stood alone.
    pub fn read(path: Arc<Path>, source: Source) -> Self {
        let is_json = path.extension().is_some_and(|it| it == "json");
        match is_json {
            true => Self::read_json(path, source),
            false => Self::read_native(path, source),
        }
    }

    fn read_native(path: Arc<Path>, source: Source) -> Self {
        let syntax = syntax::File::split(source.clone());
        let comments = ignore_comments(&syntax);
        let read = |(at, (id, block)): (usize, (BlockId, &syntax::Block))| Block {
            id,
            keyword: source.slice(block.keyword).into(),
            labels: block
                .labels
                .iter()
                .map(|it| Name {
                    text: source.slice(it.text).into(),
                    span: it.text,
                })
                .collect(),
            header: block.header,
            span: syntax.block_span(id),
            ignored: comments.iter().any(|it| it.opts_out(id)),
            at: at as u32,
        };
        let whole = |chunk: &syntax::Chunk| match &chunk.kind {
            syntax::Kind::Block(block) => block.fault.is_none(),
            syntax::Kind::Unreadable(_) => false,
            syntax::Kind::Space | syntax::Kind::Attribute { .. } => true,
        };
        Self {
            path,
            blocks: syntax.blocks().enumerate().map(read).collect(),
            comments,
            whole: syntax.chunks().iter().all(whole),
            source,
            bodies: Bodies::default(),
            faults: OnceLock::new(),
            syntax: Some(syntax),
        }
    }

    fn read_json(path: Arc<Path>, source: Source) -> Self {
        let mut file = Self {
            blocks: Vec::new(),
            comments: Vec::new(),
            syntax: None,
            bodies: Bodies::default(),
            whole: true,
            faults: OnceLock::from(Box::default()),
            path,
            source,
        };
        let fault = match file.is_of_variables() {
            true => json_attributes(&file.source).err(),
            false => match json_blocks(&file.source) {
                Ok(blocks) => {
                    let blocks = blocks.into_iter().enumerate();
                    file.blocks = blocks.map(|(at, it)| Block::of_json(at, it)).collect();
                    None
                }
                Err(fault) => Some(fault),
            },
        };
        file.whole = fault.is_none();
        file.faults = OnceLock::from(fault.into_iter().collect::<Box<[_]>>());
        file
    }

    fn is_of_variables(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().ends_with(".tfvars.json")
    }

    /// What is wrong with its text, in order. Found out when it is first asked for, by reading all
    /// of it.
    pub fn faults(&self) -> &[Fault] {
        let read = || self.syntax.as_ref().map(syntax::File::faults);
        self.faults
            .get_or_init(|| read().unwrap_or_default().into())
    }

    /// The file's text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The text cut into chunks; `None` of JSON.
    pub fn syntax(&self) -> Option<&syntax::File> {
        self.syntax.as_ref()
    }

    /// Whether every block of it was recognised.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether a block in which `word` stands may be in what has no header that can be read.
    pub fn may_have_another(&self, word: &str) -> bool {
        let Some(syntax) = &self.syntax else {
            return !self.whole;
        };
        let mut chunks = syntax.chunks().iter();
        chunks.any(|it| {
            let unreadable = match &it.kind {
                syntax::Kind::Unreadable(_) => true,
                // its labels may not be all that it is to have
                syntax::Kind::Block(block) => block.body.is_none(),
                syntax::Kind::Space | syntax::Kind::Attribute { .. } => false,
            };
            unreadable && self.source.slice(it.span).contains(word)
        })
    }

    /// What stands in a block of this file. It is kept until the file is told to
    /// [`forget`](Self::forget).
    pub fn body(&self, block: &Block) -> Arc<Body> {
        let at = block.at as usize;
        self.bodies.get(at).unwrap_or_else(|| match &self.syntax {
            Some(syntax) => self.bodies.keep(at, syntax.body(block.id)),
            None => self.json_body(at),
        })
    }

    /// The same, but not kept.
    pub fn glance(&self, block: &Block) -> Arc<Body> {
        let known = self.bodies.get(block.at as usize);
        known.unwrap_or_else(|| match &self.syntax {
            Some(syntax) => syntax.body(block.id).into(),
            None => self.body(block),
        })
    }

    /// What stands outside of any block, as all of a `.tfvars` file does. Kept as a body is.
    pub fn top_level(&self) -> Arc<Body> {
        let at = self.blocks.len();
        let read = || match &self.syntax {
            Some(syntax) => syntax.top_level(),
            None if self.is_of_variables() => Body {
                attributes: json_attributes(&self.source).unwrap_or_default(),
                ..Body::default()
            },
            None => Body::default(),
        };
        let known = self.bodies.get(at);
        known.unwrap_or_else(|| self.bodies.keep(at, read()))
    }

    /// JSON is read as a whole.
    fn json_body(&self, wanted: usize) -> Arc<Body> {
        let blocks = json_blocks(&self.source).unwrap_or_default();
        let blocks = blocks.into_iter().enumerate();
        let bodies = blocks.map(|(at, it)| self.bodies.keep(at, it.block.body));
        let wanted = bodies.collect::<Vec<_>>().into_iter().nth(wanted);
        wanted.unwrap_or_default()
    }

    /// Lets go of all bodies. Whoever asks for one has it read again.
    pub fn forget(&self) {
        self.bodies.forget();
    }

    /// The entry of an object whose key or value stands at exactly these bytes.
    pub fn entry_at(&self, span: Span) -> Option<EntryAt> {
        match self.block_at(span.start) {
            Some(block) => self.body(block).entry_at(span),
            None => self.top_level().entry_at(span),
        }
    }

    /// The block at byte `offset`.
    pub fn block_at(&self, offset: u32) -> Option<&Block> {
        match &self.syntax {
            Some(syntax) => self.block(syntax.block_at(offset)?),
            None => self.blocks.iter().find(|it| it.span.touches(offset)),
        }
    }

    /// The block that a comment stands to.
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.iter().find(|it| it.id == id)
    }

    /// Whether the file names a gantrycd tag at all, or what was meant to be one.
    pub fn mentions_gantrycd(&self) -> bool {
        mentions_a_tag(self.source.text())
    }
}

impl IgnoreComment {
    /// The block that the comment is honoured for.
    pub fn honoured(&self) -> Option<BlockId> {
        match self.place {
            Place::Above(id) | Place::HeaderLine(id) | Place::Body(id) => Some(id),
            Place::Within(_) | Place::Elsewhere => None,
        }
    }

    fn opts_out(&self, block: BlockId) -> bool {
        matches!(self.directive, Directive::Ignore { ignore: true, .. })
            && self.honoured() == Some(block)
    }
}

fn ignore_comments(file: &syntax::File) -> Vec<IgnoreComment> {
    let text = file.source().text();
    if !mentions(text) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for comment in file.comments() {
        for directive in directives(file.source().slice(comment.span)) {
            let (Directive::Ignore { span, .. } | Directive::NearMiss { span, .. }) = &directive;
            found.push(IgnoreComment {
                span: span.shifted(comment.span.start),
                directive,
                place: comment.place,
            });
        }
    }
    found
}

/// Whether a text may hold a key of gantrycd's, or what was meant to be one: cheap, and to the safe
/// side.
pub fn mentions_a_tag(text: &str) -> bool {
    ["antrycd", "source-identi", "ANTRYCD", "antryCD"]
        .iter()
        .any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some())
}

/// Whether a text may hold a comment for gantrycd: one names the key, or `ignore` in some case.
fn mentions(text: &str) -> bool {
    [IDENTITY_TAG, "gnore", "GNORE"]
        .iter()
        .any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some())
}
