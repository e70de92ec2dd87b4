//! One configuration file: which blocks it has.
//!
//! A block is known by its header. Its body is read when somebody asks for what is in it: most blocks
//! of a workspace never are.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use memchr::memmem;

use crate::identity::IDENTITY_TAG;
use crate::identity::comment::{Directive, directives};
use crate::syntax::{
    self, BlockId, Body, EntryAt, Fault, JsonBlock, Place, json_attributes, json_blocks,
};
use crate::text::{REPLACEMENT, Source, Span};

use super::block::{Block, Label};
use super::bodies::Bodies;

/// One configuration file.
#[derive(Debug)]
pub struct ModuleFile {
    /// Its absolute path.
    pub path: Arc<Path>,
    /// Comments that speak to gantrycd, in order. None in JSON.
    pub comments: Box<[IgnoreComment]>,
    content: Content,
    /// Of the blocks, and behind them what stands outside of any.
    bodies: Bodies,
    faults: OnceLock<Box<[Fault]>>,
}

/// What is known of a file's text without reading it again.
#[derive(Debug)]
enum Content {
    Native(syntax::File),
    /// The text, and its blocks without their bodies.
    Json(Source, Box<[JsonBlock]>),
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

impl ModuleFile {
    /// Reads a file. What cannot be read is left out, and the rest is as if it stood alone.
    pub fn read(path: Arc<Path>, source: Source) -> Self {
        let is_json = path.extension().is_some_and(|it| it == "json");
        match is_json {
            true => Self::read_json(path, source),
            false => Self::read_native(path, source),
        }
    }

    /// The same of a file whose text was another `before`: of the blocks that are in both, none is
    /// looked at again for what is wrong with it.
    pub fn read_after(before: &Self, path: Arc<Path>, source: Source) -> Self {
        let file = Self::read(path, source);
        if let (Some(known), Some(syntax)) = (before.faultless(), file.syntax()) {
            let faults = syntax.faults_but(&|block| known.contains(block));
            // nobody else has the file yet
            _ = file.faults.set(faults.into());
        }
        file
    }

    /// The texts of the blocks that nothing is wrong with; `None` while nobody knows.
    fn faultless(&self) -> Option<HashSet<&str>> {
        let (syntax, faults) = (self.syntax()?, self.faults.get()?);
        let mut at: Vec<u32> = faults.iter().map(|it| it.span().start).collect();
        at.sort_unstable();
        let blocks = syntax.block_ids().filter_map(|id| {
            let span = syntax.block_span(id);
            let first = at.partition_point(|it| *it < span.start);
            let has_fault = at.get(first).is_some_and(|it| *it <= span.end);
            let text = syntax.source().slice(span);
            // which of these was a byte that is no text, only the file knows
            (!has_fault && !text.contains(REPLACEMENT)).then_some(text)
        });
        Some(blocks.collect())
    }

    fn read_native(path: Arc<Path>, source: Source) -> Self {
        let syntax = syntax::File::split(source);
        Self {
            path,
            comments: ignore_comments(&syntax),
            content: Content::Native(syntax),
            bodies: Bodies::default(),
            faults: OnceLock::new(),
        }
    }

    fn read_json(path: Arc<Path>, source: Source) -> Self {
        let read = match is_of_variables(&path) {
            true => json_attributes(&source).map(|_| Vec::new()),
            false => json_blocks(&source),
        };
        let fault = read.as_ref().err().copied();
        let mut blocks = read.unwrap_or_default();
        for it in &mut blocks {
            it.block.body = Body::default();
        }
        Self {
            path,
            comments: Box::default(),
            content: Content::Json(source, blocks.into()),
            bodies: Bodies::default(),
            faults: OnceLock::from(fault.into_iter().collect::<Box<[_]>>()),
        }
    }

    /// What is wrong with its text, in order. Found out when it is first asked for, by reading all
    /// of it.
    pub fn faults(&self) -> &[Fault] {
        let read = || self.syntax().map(syntax::File::faults);
        self.faults
            .get_or_init(|| read().unwrap_or_default().into())
    }

    /// The file's text.
    pub fn source(&self) -> &Source {
        match &self.content {
            Content::Native(syntax) => syntax.source(),
            Content::Json(source, _) => source,
        }
    }

    /// The text cut into chunks; `None` of JSON.
    pub fn syntax(&self) -> Option<&syntax::File> {
        match &self.content {
            Content::Native(syntax) => Some(syntax),
            Content::Json(..) => None,
        }
    }

    /// Whether every block of it was recognised.
    pub fn is_whole(&self) -> bool {
        match &self.content {
            Content::Native(syntax) => syntax.is_whole(),
            Content::Json(..) => self.faults().is_empty(),
        }
    }

    /// Whether a block in which `word` stands may be in what has no header that can be read.
    pub fn may_have_another(&self, word: &str) -> bool {
        match &self.content {
            Content::Native(syntax) if syntax.is_whole() => false,
            Content::Native(syntax) => syntax.chunks().iter().any(|it| {
                let unreadable = match &it.kind {
                    syntax::Kind::Unreadable(_) => true,
                    // its labels may not be all that it is to have
                    syntax::Kind::Block(block) => block.body.is_none(),
                    syntax::Kind::Space | syntax::Kind::Attribute { .. } => false,
                };
                unreadable && self.source().slice(it.span).contains(word)
            }),
            Content::Json(..) => !self.is_whole(),
        }
    }

    /// Its blocks, in order.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        self.block_ids().map(|it| self.view(it))
    }

    /// Which blocks it has, in order.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> {
        let (native, json) = match &self.content {
            Content::Native(syntax) => (Some(syntax.block_ids()), 0),
            Content::Json(_, blocks) => (None, blocks.len()),
        };
        native
            .into_iter()
            .flatten()
            .chain((0..json).map(BlockId::of_json))
    }

    /// The block of this file that is `id`.
    pub(super) fn view(&self, id: BlockId) -> Block<'_> {
        let (keyword, labels, header, span) = match &self.content {
            Content::Native(syntax) => {
                let source = syntax.source();
                let block = syntax.block(id);
                let labels = block.labels.iter().map(|it| Label {
                    text: source.slice(it.text),
                    span: it.text,
                });
                let keyword = source.slice(block.keyword);
                (
                    keyword,
                    labels.collect(),
                    block.header,
                    syntax.block_span(id),
                )
            }
            Content::Json(_, blocks) => {
                let JsonBlock { block, span } = &blocks[id.index()];
                let labels = block.labels.iter().map(|it| Label {
                    text: &it.text,
                    span: it.span,
                });
                (&*block.keyword.text, labels.collect(), block.header, *span)
            }
        };
        Block {
            id,
            keyword,
            labels,
            header,
            span,
            ignored: self.comments.iter().any(|it| it.opts_out(id)),
        }
    }

    /// What stands in a block of this file. It is kept until the file is told to
    /// [`forget`](Self::forget).
    pub fn body(&self, block: BlockId) -> Arc<Body> {
        let at = block.index();
        self.bodies.get(at).unwrap_or_else(|| match &self.content {
            Content::Native(syntax) => self.bodies.keep(at, syntax.body(block)),
            Content::Json(source, _) => self.json_body(source, at),
        })
    }

    /// The same, but not kept.
    pub fn glance(&self, block: BlockId) -> Arc<Body> {
        let known = self.bodies.get(block.index());
        known.unwrap_or_else(|| match &self.content {
            Content::Native(syntax) => syntax.body(block).into(),
            Content::Json(..) => self.body(block),
        })
    }

    /// JSON is read as a whole.
    fn json_body(&self, source: &Source, wanted: usize) -> Arc<Body> {
        let blocks = json_blocks(source).unwrap_or_default();
        let blocks = blocks.into_iter().enumerate();
        let bodies = blocks.map(|(at, it)| self.bodies.keep(at, it.block.body));
        let wanted = bodies.collect::<Vec<_>>().into_iter().nth(wanted);
        wanted.unwrap_or_default()
    }

    /// What stands outside of any block, as all of a `.tfvars` file does. Kept as a body is.
    pub fn top_level(&self) -> Arc<Body> {
        let (at, read): (_, &dyn Fn() -> Body) = match &self.content {
            Content::Native(syntax) => (syntax.item_count(), &|| syntax.top_level()),
            Content::Json(source, _) if is_of_variables(&self.path) => (0, &|| Body {
                attributes: json_attributes(source).unwrap_or_default(),
                ..Body::default()
            }),
            Content::Json(..) => return Arc::default(),
        };
        let known = self.bodies.get(at);
        known.unwrap_or_else(|| self.bodies.keep(at, read()))
    }

    /// Lets go of all bodies. Whoever asks for one has it read again.
    pub fn forget(&self) {
        self.bodies.forget();
    }

    /// The entry of an object whose key or value stands at exactly these bytes.
    pub fn entry_at(&self, span: Span) -> Option<EntryAt> {
        match self.block_at(span.start) {
            Some(block) => self.body(block.id).entry_at(span),
            None => self.top_level().entry_at(span),
        }
    }

    /// The block at byte `offset`.
    pub fn block_at(&self, offset: u32) -> Option<Block<'_>> {
        match &self.content {
            Content::Native(syntax) => Some(self.view(syntax.block_at(offset)?)),
            Content::Json(..) => self.blocks().find(|it| it.span.touches(offset)),
        }
    }

    /// The block that a comment stands to.
    pub fn block(&self, id: BlockId) -> Option<Block<'_>> {
        self.block_ids().any(|it| it == id).then(|| self.view(id))
    }

    /// Whether the file names a gantrycd tag at all, or what was meant to be one.
    pub fn mentions_gantrycd(&self) -> bool {
        mentions_a_tag(self.source().text())
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

fn is_of_variables(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().ends_with(".tfvars.json")
}

fn ignore_comments(file: &syntax::File) -> Box<[IgnoreComment]> {
    let text = file.source().text();
    if !mentions(text) {
        return Box::default();
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
    found.into()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a text that was another before is what is wrong with it.
    #[test]
    fn of_what_changed_the_faults_are_told_anew() {
        let texts = [
            "a \"x\" {\n  b = [1,\n}\nb {\n  c = <<E\nE\n}\n",
            "a \"x\" {\n  b = [1]\n}\nb {\n  c = <<E\nE\n}\n",
            "a \"x\" {\n  b = [1]\n}\nb {\n  c = <<E\nE\n  c = 1\n}\n",
            "b {\n  c = <<E\nE\n  c = 1\n}\nc = 1 2\n",
            "b {\n  c = <<E\n\u{1a}E\n}\n",
            "",
        ];
        let path: Arc<Path> = Path::new("main.tf").into();
        for before in texts {
            for now in texts {
                for asked in [false, true] {
                    let before = ModuleFile::read(path.clone(), Source::new(before));
                    if asked {
                        before.faults();
                    }
                    let now = Source::new(now);
                    let after = ModuleFile::read_after(&before, path.clone(), now.clone());
                    let alone = ModuleFile::read(path.clone(), now);
                    assert_eq!(after.faults(), alone.faults());
                }
            }
        }
    }
}
