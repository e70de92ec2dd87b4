//! One configuration file: which blocks it has, and what the few that matter say.
//!
//! A resource is known by its header. Its body is parsed only when it mentions gantrycd, or when
//! somebody asks for it: most blocks of a workspace never are.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use hcl::edit::expr::{Expression, ObjectKey, TraversalOperator};
use hcl::edit::structure::{Block, Body};
use memchr::memmem;

use crate::identity::comment::{Directive, directives};
use crate::identity::{IDENTITY_TAG, Mode};
use crate::syntax::{self, BlockId, Place};
use crate::text::{Source, Span};

use super::{Expr, span_from};

/// One configuration file in the native syntax.
#[derive(Debug)]
pub struct ModuleFile {
    /// Its absolute path.
    pub path: Arc<Path>,
    /// Its text and blocks.
    pub syntax: syntax::File,
    /// `resource` and `data` blocks, in order.
    pub resources: Vec<Resource>,
    /// `provider` blocks, in order.
    pub providers: Vec<Provider>,
    /// `module` blocks, in order.
    pub calls: Vec<Call>,
    /// `terraform` blocks, in order.
    pub settings: Vec<Settings>,
    /// Comments that speak to gantrycd, in order.
    pub comments: Vec<IgnoreComment>,
}

/// A comment that opts a block out, or was meant to.
#[derive(Clone, Debug)]
pub struct IgnoreComment {
    /// What it says; spans are bytes of the file.
    pub directive: Directive,
    /// Where the directive stands, in bytes of the file.
    pub span: Span,
    /// How the comment stands to the blocks around it.
    pub place: Place,
}

/// A `resource` or `data` block.
#[derive(Debug)]
pub struct Resource {
    /// Which block of the file.
    pub block: BlockId,
    /// `resource` or `data`.
    pub mode: Mode,
    /// The first label.
    pub resource_type: Box<str>,
    /// The second label.
    pub name: Box<str>,
    /// From the keyword to the last label.
    pub header: Span,
    /// The whole block.
    pub span: Span,
    /// Whether a well-formed and well-placed comment opts the block out.
    pub ignored: bool,
    body: OnceLock<Option<Box<ResourceBody>>>,
}

/// What a resource's body says, as far as identity goes.
#[derive(Debug)]
pub struct ResourceBody {
    /// The `provider` argument; the outer `None` is no argument, the inner one an unreadable one.
    pub provider: Option<Option<ProviderRef>>,
    /// The `tags` argument.
    pub tags: Option<Expr>,
    /// `tag` blocks, and `tags` blocks.
    pub tag_blocks: Vec<TagBlock>,
}

/// A block `tag { key = …, value = … }`.
#[derive(Debug)]
pub struct TagBlock {
    /// The block's own keyword.
    pub keyword: Box<str>,
    /// The value of its `key`.
    pub key: Expr,
}

/// A provider configuration by name: `aws`, or `aws.west`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProviderRef {
    /// The provider's local name.
    pub name: Box<str>,
    /// The alias; `None` is the default configuration.
    pub alias: Option<Box<str>>,
}

/// The alias of a provider block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    /// The default configuration.
    None,
    /// `alias = "…"`
    Named(Box<str>),
    /// Not a literal.
    Unknown,
}

/// A `provider` block.
#[derive(Debug)]
pub struct Provider {
    /// Which block of the file.
    pub block: BlockId,
    /// From the keyword to the last label.
    pub header: Span,
    /// The label: the provider's local name.
    pub name: Box<str>,
    /// Which of its configurations.
    pub alias: Alias,
    /// The tags that it gives to every resource.
    pub default_tags: DefaultTags,
}

/// The `default_tags` of a provider block.
#[derive(Debug)]
pub enum DefaultTags {
    /// It has none.
    None,
    /// Its `tags` argument, and where the block `default_tags` stands.
    Tags(Expr, Span),
    /// It cannot be read: the block is broken, or `default_tags` is dynamic.
    Unknown,
}

/// A `module` block.
#[derive(Debug)]
pub struct Call {
    /// Which block of the file.
    pub block: BlockId,
    /// From the keyword to the last label.
    pub header: Span,
    /// The label.
    pub name: Box<str>,
    /// `source`, when it is a literal.
    pub source: Option<Box<str>>,
    /// `providers`.
    pub providers: Passed,
}

/// The `providers` argument of a module call.
#[derive(Debug)]
pub enum Passed {
    /// None: the module inherits the default configurations.
    Inherited,
    /// The module's own configurations, each with the caller's that stands for it.
    Map(Vec<(ProviderRef, ProviderRef)>),
    /// It cannot be read.
    Unknown,
}

/// A `terraform` block.
#[derive(Debug)]
pub struct Settings {
    /// `required_providers`: local name and `source`; `None` where the source is not a literal.
    pub required_providers: Vec<(Box<str>, Option<Box<str>>)>,
    /// `backend` or `cloud`.
    pub backend: Option<Backend>,
}

/// A `backend` or `cloud` block.
#[derive(Clone, Debug)]
pub struct Backend {
    /// The label, or `cloud`.
    pub kind: Box<str>,
    /// From the keyword to the last label.
    pub header: Span,
    /// `path`, when it is a literal.
    pub path: Option<Box<str>>,
    /// `workspace_dir`, when it is a literal.
    pub workspace_dir: Option<Box<str>>,
}

impl ModuleFile {
    /// Reads a file. What cannot be read is left out, and the rest is as if it stood alone.
    pub fn read(path: Arc<Path>, source: Source) -> Self {
        let syntax = syntax::File::split(source);
        let mut file = Self {
            comments: ignore_comments(&syntax),
            path,
            resources: Vec::new(),
            providers: Vec::new(),
            calls: Vec::new(),
            settings: Vec::new(),
            syntax,
        };
        let ids: Vec<_> = file.syntax.blocks().map(|(id, _)| id).collect();
        for id in ids {
            file.read_block(id);
        }
        file
    }

    /// The file's text.
    pub fn source(&self) -> &Source {
        self.syntax.source()
    }

    fn read_block(&mut self, id: BlockId) {
        let block = self.syntax.block(id);
        let text = |span| self.source().slice(span);
        let header = block.header;
        let labels: Vec<Box<str>> = block.labels.iter().map(|it| text(it.text).into()).collect();
        match (text(block.keyword), &labels[..]) {
            (keyword @ ("resource" | "data"), [resource_type, name]) => {
                let mode = match keyword {
                    "data" => Mode::Data,
                    _ => Mode::Managed,
                };
                self.resources.push(Resource {
                    block: id,
                    mode,
                    resource_type: resource_type.clone(),
                    name: name.clone(),
                    header,
                    span: self.syntax.block_span(id),
                    ignored: self.comments.iter().any(|it| it.opts_out(id)),
                    body: OnceLock::new(),
                });
            }
            ("provider", [name]) => {
                let mut provider = Provider {
                    block: id,
                    header,
                    name: name.clone(),
                    alias: Alias::Unknown,
                    default_tags: DefaultTags::Unknown,
                };
                if let Some((start, block)) = self.parse(id) {
                    provider.alias = match block.body.get_attribute("alias") {
                        None => Alias::None,
                        Some(alias) => match alias.value.as_str() {
                            Some(alias) => Alias::Named(alias.into()),
                            None => Alias::Unknown,
                        },
                    };
                    provider.default_tags = default_tags(&block.body, start);
                }
                self.providers.push(provider);
            }
            ("module", [name]) => {
                let mut call = Call {
                    block: id,
                    header,
                    name: name.clone(),
                    source: None,
                    providers: Passed::Unknown,
                };
                if let Some((_, block)) = self.parse(id) {
                    call.source = literal(&block.body, "source");
                    call.providers = passed(&block.body);
                }
                self.calls.push(call);
            }
            ("terraform", []) => {
                if let Some((start, block)) = self.parse(id) {
                    self.settings.push(settings(&block.body, start));
                }
            }
            _ => {}
        }
    }

    fn parse(&self, id: BlockId) -> Option<(u32, Block)> {
        let parsed = self.syntax.parse(id).ok()?;
        Some((self.syntax.block_span(id).start, parsed.block().clone()))
    }

    /// What a resource of this file says in its body; `None` when it cannot be read. Parsed at the
    /// first call.
    pub fn body<'a>(&self, resource: &'a Resource) -> Option<&'a ResourceBody> {
        let parse = || {
            let (start, block) = self.parse(resource.block)?;
            Some(Box::new(resource_body(&block.body, start)))
        };
        resource.body.get_or_init(parse).as_deref()
    }

    /// Whether the text of a resource's block names gantrycd at all. Without that, no literal in
    /// it declares anything.
    pub fn mentions_gantrycd(&self, resource: &Resource) -> bool {
        memmem::find(self.source().slice(resource.span).as_bytes(), b"gantrycd:").is_some()
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

impl ProviderRef {
    fn read(expression: &Expression) -> Option<Self> {
        let of = |name: &str, alias: Option<&str>| Self {
            name: name.into(),
            alias: alias.map(Into::into),
        };
        match expression {
            Expression::Variable(name) => Some(of(name.as_str(), None)),
            // the spelling of Terraform 0.11 is still read
            Expression::String(text) => Some(match text.as_str().split_once('.') {
                Some((name, alias)) => of(name, Some(alias)),
                None => of(text.as_str(), None),
            }),
            Expression::Traversal(traversal) => match &traversal.operators[..] {
                [operator] => match (&traversal.expr, operator.value()) {
                    (Expression::Variable(name), TraversalOperator::GetAttr(alias)) => {
                        Some(of(name.as_str(), Some(alias.as_str())))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
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

/// Whether a text may hold a comment for gantrycd: one names the key, or `ignore` in some case.
fn mentions(text: &str) -> bool {
    [IDENTITY_TAG, "gnore", "GNORE"]
        .iter()
        .any(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_some())
}

fn literal(body: &Body, name: &str) -> Option<Box<str>> {
    let value = &body.get_attribute(name)?.value;
    value.as_str().map(Into::into)
}

fn default_tags(body: &Body, start: u32) -> DefaultTags {
    let dynamic = |block: &Block| block.has_ident("dynamic") && block.has_labels(&["default_tags"]);
    if body.blocks().any(dynamic) {
        return DefaultTags::Unknown;
    }
    let blocks: Vec<_> = body.get_blocks("default_tags").collect();
    match &blocks[..] {
        [] => DefaultTags::None,
        [block] => match block.body.get_attribute("tags") {
            None => DefaultTags::None,
            Some(tags) => DefaultTags::Tags(
                Expr {
                    node: tags.value.clone(),
                    start,
                },
                span_from(start, &block.ident),
            ),
        },
        // Terraform takes at most one
        _ => DefaultTags::Unknown,
    }
}

fn passed(body: &Body) -> Passed {
    let Some(providers) = body.get_attribute("providers") else {
        return Passed::Inherited;
    };
    let Expression::Object(object) = &providers.value else {
        return Passed::Unknown;
    };
    let entry = |(key, value): (&ObjectKey, &hcl::edit::expr::ObjectValue)| {
        let key = match key {
            ObjectKey::Ident(name) => ProviderRef {
                name: name.as_str().into(),
                alias: None,
            },
            ObjectKey::Expression(key) => ProviderRef::read(key)?,
        };
        Some((key, ProviderRef::read(value.expr())?))
    };
    match object.iter().map(entry).collect() {
        Some(map) => Passed::Map(map),
        None => Passed::Unknown,
    }
}

fn settings(body: &Body, start: u32) -> Settings {
    let mut required_providers = Vec::new();
    for block in body.get_blocks("required_providers") {
        for attribute in block.body.attributes() {
            let source = match &attribute.value {
                Expression::Object(object) => object.iter().find_map(|(key, value)| {
                    let is_source = match key {
                        ObjectKey::Ident(name) => name.as_str() == "source",
                        ObjectKey::Expression(key) => key.as_str() == Some("source"),
                    };
                    is_source.then(|| value.expr().as_str().map(Into::into))
                }),
                _ => None,
            };
            let implied = || format!("hashicorp/{}", attribute.key.as_str()).into();
            let source = source.unwrap_or_else(|| Some(implied()));
            required_providers.push((attribute.key.as_str().into(), source));
        }
    }
    let backend = body.blocks().find_map(|block| {
        let keyword = span_from(start, &block.ident);
        let last = block.labels.last().map(|label| match label {
            hcl::edit::structure::BlockLabel::Ident(ident) => span_from(start, ident),
            hcl::edit::structure::BlockLabel::String(text) => span_from(start, text),
        });
        let kind = match (block.ident.as_str(), &block.labels[..]) {
            ("backend", [kind]) => kind.as_str(),
            ("cloud", []) => "cloud",
            _ => return None,
        };
        Some(Backend {
            kind: kind.into(),
            header: Span {
                start: keyword.start,
                end: last.map_or(keyword.end, |it| it.end),
            },
            path: literal(&block.body, "path"),
            workspace_dir: literal(&block.body, "workspace_dir"),
        })
    });
    Settings {
        required_providers,
        backend,
    }
}

fn resource_body(body: &Body, start: u32) -> ResourceBody {
    let expr = |node: &Expression| Expr {
        node: node.clone(),
        start,
    };
    let tag_block = |block: &Block| {
        let keyword = block.ident.as_str();
        let key = block.body.get_attribute("key");
        let key = key.filter(|_| matches!(keyword, "tag" | "tags"))?;
        Some(TagBlock {
            keyword: keyword.into(),
            key: expr(&key.value),
        })
    };
    ResourceBody {
        provider: body
            .get_attribute("provider")
            .map(|it| ProviderRef::read(&it.value)),
        tags: body.get_attribute("tags").map(|it| expr(&it.value)),
        tag_blocks: body.blocks().filter_map(tag_block).collect(),
    }
}
