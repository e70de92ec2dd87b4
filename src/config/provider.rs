//! Names of providers and their configurations.

use crate::syntax::{Expression, ExpressionKind, Key};

use super::Merged;

/// A provider configuration by name: `aws`, or `aws.west`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProviderRef {
    /// The provider's local name.
    pub name: Box<str>,
    /// The alias; `None` is the default configuration.
    pub alias: Option<Box<str>>,
    /// Which instance of it.
    pub instance: ProviderInstance,
}

/// Which instance of a provider configuration. OpenTofu gives them `for_each`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum ProviderInstance {
    /// The only one.
    #[default]
    Single,
    /// `aws.by_region["…"]`
    Named(Box<str>),
    /// By a key that is not a literal.
    Unknown,
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

/// A provider source in full: `Hashicorp/aws` is `registry.terraform.io/hashicorp/aws`. Capital letters
/// are no others: <https://github.com/hashicorp/terraform-registry-address/blob/v0.2.4/provider.go>,
/// `ParseProviderPart`.
pub fn provider_source(source: &str) -> String {
    let source = source.to_ascii_lowercase();
    match source.matches('/').count() {
        0 => format!("registry.terraform.io/hashicorp/{source}"),
        1 => format!("registry.terraform.io/{source}"),
        _ => source,
    }
}

impl ProviderRef {
    /// The default configuration of a provider.
    pub fn default_of(name: &str) -> Self {
        Self {
            name: name.into(),
            alias: None,
            instance: ProviderInstance::Single,
        }
    }

    /// Reads `aws`, `aws.west`, `"aws.west"` as Terraform 0.11 had it, and `aws.by_region[key]` of
    /// OpenTofu.
    pub fn read(expression: &Expression) -> Option<Self> {
        match &expression.kind {
            ExpressionKind::Variable(name) => Some(Self::default_of(name)),
            ExpressionKind::Attribute(source, alias) => match &source.kind {
                ExpressionKind::Variable(name) => Some(Self {
                    name: name.clone(),
                    alias: Some(alias.text.clone()),
                    instance: ProviderInstance::Single,
                }),
                _ => None,
            },
            ExpressionKind::Index(source, key) => Some(Self {
                instance: match key.literal() {
                    Some((key, _)) => ProviderInstance::Named(key.into()),
                    None => ProviderInstance::Unknown,
                },
                ..Self::read(source)?
            }),
            _ => {
                let (text, _) = expression.literal()?;
                let (name, alias) = match text.split_once('.') {
                    Some((name, alias)) => (name, Some(alias.into())),
                    None => (text, None),
                };
                Some(Self {
                    name: name.into(),
                    alias,
                    instance: ProviderInstance::Single,
                })
            }
        }
    }
}

/// The `providers` argument of a module call.
pub fn passed(call: &Merged) -> Passed {
    let Some(providers) = call.attribute("providers") else {
        // a block of that name is a slip
        let sure = call.is_whole() && call.blocks("providers").is_empty();
        return match sure {
            true => Passed::Inherited,
            false => Passed::Unknown,
        };
    };
    let ExpressionKind::Object(entries) = &providers.value.kind else {
        return Passed::Unknown;
    };
    let entry = |entry: &crate::syntax::Entry| {
        let inner = match &entry.key {
            Key::Name(name) => ProviderRef::default_of(&name.text),
            Key::Expression(key) => ProviderRef::read(key)?,
        };
        Some((inner, ProviderRef::read(&entry.value)?))
    };
    match entries.iter().map(entry).collect() {
        Some(map) => Passed::Map(map),
        None => Passed::Unknown,
    }
}
