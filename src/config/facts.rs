//! What everybody asks of a module again and again, taken from its blocks once, so that nobody has to
//! read them for it.

use std::sync::Arc;

use crate::syntax::{Body, Expression, ExpressionKind, Key};
use crate::text::Span;

use super::{Alias, Declared, Merged, ModuleFile, Named};

/// The facts of one module.
#[derive(Default, Debug)]
pub(super) struct Facts {
    /// Of each provider block, in the module's order.
    pub(super) aliases: Vec<Alias>,
    pub(super) backend: Option<Backend>,
    /// By local name, the sources that `required_providers` gives; `None` where one is no literal.
    pub(super) sources: Named<Option<Box<str>>>,
    /// Whether `required_providers` could be read: what is not in `sources` is not there.
    pub(super) sources_are_whole: bool,
    /// Sources of module calls that are literals, by the name of the call.
    pub(super) call_sources: Named<Box<str>>,
    /// Their versions, likewise.
    pub(super) call_versions: Named<Box<str>>,
    /// Whether a provider block has anything in it.
    pub(super) configures_a_provider: bool,
}

/// A `backend` or `cloud` block.
#[derive(Clone, Debug)]
pub struct Backend {
    /// The file that it stands in.
    pub file: Arc<ModuleFile>,
    /// The label, or `cloud`.
    pub kind: Box<str>,
    /// From the keyword to the last label.
    pub header: Span,
    /// The `path` argument. The outer `None` is no such argument, the inner one an argument that is
    /// no literal.
    pub path: Option<Option<Box<str>>>,
    /// The `workspace_dir` argument, where it is a literal.
    pub workspace_dir: Option<Box<str>>,
    /// What stands in it as it was written, in an order of its own: two that say the same are equal.
    pub says: Box<str>,
}

impl Backend {
    /// Whether it says where a state is kept, and that is not beside the configuration.
    pub fn names_a_place(&self) -> bool {
        *self.kind != *"local" && !self.says.is_empty()
    }

    /// The one of a `terraform` block.
    pub fn of(settings: &Declared) -> Option<Self> {
        settings.glance().blocks.iter().find_map(|block| {
            let kind = match (&*block.keyword.text, &block.labels[..]) {
                ("backend", [kind]) => kind.text.clone(),
                ("cloud", []) => "cloud".into(),
                _ => return None,
            };
            let path = block.body.attribute("path");
            let workspace_dir = block.body.attribute("workspace_dir");
            Some(Self {
                file: settings.file.clone(),
                kind,
                header: block.header,
                path: path.map(|it| literal(it)),
                workspace_dir: workspace_dir.and_then(|it| literal(it)),
                says: said(&settings.file, &block.body).into(),
            })
        })
    }
}

impl Facts {
    /// Reads all but the aliases.
    pub(super) fn read(
        &mut self,
        settings: &[Declared],
        calls: &Named<Merged>,
        providers: &[Merged],
    ) {
        self.backend = settings.iter().rev().find_map(Backend::of);
        self.sources_are_whole = true;
        let mut sources = Vec::new();
        for it in settings.iter().rev() {
            let body = it.glance();
            self.sources_are_whole &= body.unreadable.is_empty();
            for required in body.blocks("required_providers") {
                self.sources_are_whole &= required.body.unreadable.is_empty();
                for it in &required.body.attributes {
                    let source = source(&it.name.text, &it.value);
                    sources.push((it.name.text.clone(), source));
                }
            }
        }
        self.sources = sources.into_iter().collect();
        let of_calls = |argument| {
            let argument = move |(name, call): (&str, &Merged)| {
                let value = call.glance_at(argument)?;
                Some((name.into(), literal(&value)?))
            };
            calls.iter().filter_map(argument).collect()
        };
        self.call_sources = of_calls("source");
        self.call_versions = of_calls("version");
        self.configures_a_provider = providers.iter().any(Merged::says_anything);
    }
}

/// The arguments and blocks of a body as they were written, sorted.
fn said(file: &ModuleFile, body: &Body) -> String {
    let text = |span: Span| file.source().slice(span);
    let arguments = body.attributes.iter();
    let arguments = arguments.map(|it| format!("{}={}", it.name.text, text(it.value.span)));
    let blocks = body.blocks.iter();
    let blocks = blocks.map(|it| format!("{}{{{}}}", text(it.header), said(file, &it.body)));
    let mut all: Vec<_> = arguments.chain(blocks).collect();
    all.sort();
    all.join("\n")
}

/// The source that an argument of `required_providers` gives its name.
fn source(name: &str, value: &Expression) -> Option<Box<str>> {
    let ExpressionKind::Object(entries) = &value.kind else {
        // `aws = "~> 5.0"`, as Terraform 0.12 had it
        return value.literal().map(|_| name.into());
    };
    let source = entries.iter().find(|it| match &it.key {
        Key::Name(name) => *name.text == *"source",
        Key::Expression(key) => key.literal().is_some_and(|(text, _)| text == "source"),
    });
    match source {
        Some(entry) => literal(&entry.value),
        None => Some(name.into()),
    }
}

fn literal(value: &Expression) -> Option<Box<str>> {
    value.literal().map(|(text, _)| text.into())
}
