//! Which resource types take tags and have an ARN, by the schemas of the providers that a stack has
//! installed: asked for once per provider version.
//!
//! A schema has no word of a state, and nothing fails for the want of one.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::Instant;

use crate::workspace::tag_support::Takes;
use crate::workspace::{Locked, OfType, SCHEMA_VERSION, Schema, locked};

use super::choose::Target;
use super::command::{Printed, Question};
use super::pull::{Context, NoAnswer, answer};
use super::store;

/// The provider versions that somebody asks for.
#[derive(Default)]
pub(super) struct Schemas(Mutex<HashSet<Locked>>);

/// What `providers schema -json` prints, as far as it is of use.
#[derive(Deserialize)]
struct Printout {
    #[serde(default)]
    provider_schemas: BTreeMap<String, Provider>,
}

#[derive(Deserialize)]
struct Provider {
    #[serde(default)]
    resource_schemas: BTreeMap<Box<str>, Resource>,
}

#[derive(Deserialize)]
struct Resource {
    block: Block,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default)]
    attributes: Attributes,
    #[serde(default)]
    block_types: BlockTypes,
}

#[derive(Default, Deserialize)]
struct Attributes {
    arn: Option<IgnoredAny>,
    tags: Option<Attribute>,
    tags_all: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Attribute {
    /// `["map", "string"]`, or whatever else.
    #[serde(default)]
    r#type: serde_json::Value,
}

#[derive(Default, Deserialize)]
struct BlockTypes {
    tag: Option<IgnoredAny>,
    tags: Option<IgnoredAny>,
}

impl Resource {
    fn told(&self) -> OfType {
        let Block {
            attributes,
            block_types,
        } = &self.block;
        let is_map = |it: &Attribute| it.r#type.get(0).is_some_and(|it| it == "map");
        let tags = match &attributes.tags {
            Some(tags) if is_map(tags) && attributes.tags_all.is_some() => Takes::Map,
            Some(tags) if is_map(tags) => Takes::Selector,
            Some(_) => Takes::Blocks,
            None if block_types.tag.is_some() || block_types.tags.is_some() => Takes::Blocks,
            None => Takes::None,
        };
        OfType {
            tags,
            arn: attributes.arn.is_some(),
        }
    }
}

impl Schemas {
    /// Caches the schemas of the providers of a stack that gantrycd has rules for, unless they are.
    /// Returns the paths of those that it has cached.
    ///
    /// # Errors
    /// What stood in the way, in a sentence.
    pub(super) async fn learn(
        &self,
        context: &Context,
        target: &Target,
    ) -> Result<Vec<PathBuf>, String> {
        let wanted = self.wanted(context, target);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let until = Instant::now() + context.timeout;
        let read = |printed: &mut Printed| read(printed);
        let learnt = match answer(context, target, Question::Schemas, until, read).await {
            Ok((_, Ok(printout))) => keep(context, &wanted, printout),
            Ok((_, Err(why))) => Err(why),
            Err(NoAnswer::Failed(failure)) => Err(failure.to_string()),
            Err(NoAnswer::Cancelled) => return Ok(Vec::new()),
        };
        learnt.map_err(|why| {
            // another stack may have them
            let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            wanted.iter().for_each(|it| _ = asked.remove(it));
            format!("the schemas of its providers are not known: {why}")
        })
    }

    /// The versions that a stack has installed and that nobody asks for or has.
    fn wanted(&self, context: &Context, target: &Target) -> Vec<Locked> {
        let root = &context.snapshot.root;
        if !target.directory.join(".terraform/providers").is_dir() {
            return Vec::new();
        }
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = locked(&target.directory).into_iter();
        let of_ours = versions.filter(|it| context.snapshot.registry.supports(&it.provider));
        let missing = of_ours.filter(|it| it.path(root).is_some_and(|it| !it.exists()));
        missing.filter(|it| asked.insert(it.clone())).collect()
    }
}

/// Reads what is printed. Of what is no schema the place is told, and nothing that stands there.
fn read(printed: impl Read) -> Result<Printout, String> {
    let read = serde_json::from_reader(BufReader::new(printed));
    read.map_err(|it| {
        let (line, column) = (it.line(), it.column());
        format!("what is printed is no schema (line {line}, column {column})")
    })
}

fn keep(context: &Context, wanted: &[Locked], printout: Printout) -> Result<Vec<PathBuf>, String> {
    let mut kept = Vec::new();
    let mut providers = printout.provider_schemas;
    let root = &context.snapshot.root;
    for version in wanted {
        let Some(provider) = providers.remove(&*version.provider) else {
            return Err(format!("{} is not among them", version.provider));
        };
        let resources = provider.resource_schemas.into_iter();
        let schema = Schema {
            version: SCHEMA_VERSION,
            provider: version.provider.clone(),
            provider_version: version.version.clone(),
            resources: resources.map(|(name, it)| (name, it.told())).collect(),
        };
        let path = version.path(root).ok_or("its name is none of a provider")?;
        let written = store::put(root, &path, |to| Ok(serde_json::to_writer(to, &schema)?));
        written.map_err(|it| it.to_string())?;
        kept.push(path);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_is_no_schema_is_not_repeated() {
        let why = read(&b"{\"provider_schemas\": \"not-for-you\"}"[..]).err();
        let expected = "what is printed is no schema (line 1, column 34)";
        assert_eq!(why.as_deref(), Some(expected));
        assert!(read(&b"{}"[..]).is_ok());
    }
}
