//! An inventory as it is written: what was decided of each row, and by which attributes. Nothing is in
//! it that is not in a [`State`]: no secret.
//!
//! Knows no files. [`super::inventory`] reads it.

use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Decided, State};
use crate::identity::{Attributes, IDENTITY_TAG, Identity, NoIdentity, REALM_TAG, Row, Tags};

/// The two columns of an identity.
#[derive(Serialize)]
pub struct Columns<'a> {
    cloud_identity_id: Option<&'a str>,
    cloud_identity_realm: Option<&'a str>,
}

impl<'a> Columns<'a> {
    /// Those of an identity, or of none.
    pub fn new(identity: Option<&'a Identity>) -> Self {
        let realm = identity.and_then(|it| it.realm.as_ref());
        Self {
            cloud_identity_id: identity.map(|it| &*it.id),
            cloud_identity_realm: realm.map(|it| it.as_str()),
        }
    }
}

/// Why there is no identity.
#[derive(Serialize)]
pub struct Reason<'a> {
    reason: &'a str,
    detail: Option<&'a str>,
}

impl<'a> Reason<'a> {
    /// As it stands in the output.
    pub fn new(reason: &'a NoIdentity) -> Self {
        Self {
            reason: reason.name(),
            detail: reason.detail(),
        }
    }
}

/// An inventory that is to be written.
pub struct Written<'a> {
    /// The stack's name.
    pub name: &'a str,
    /// Its directory, relative to the workspace root.
    pub directory: &'a str,
    /// Its Terraform workspace.
    pub workspace: &'a str,
    /// When the state was what the stack had.
    pub cached_at: SystemTime,
    /// The state.
    pub state: &'a State,
    /// What is decided of each of its records, in their order.
    pub decided: &'a [Decided],
}

#[derive(Serialize)]
struct Inventory<'a> {
    version: u32,
    name: &'a str,
    directory: &'a str,
    workspace: &'a str,
    cached_at: u64,
    state: Recorded<'a>,
    resources: Vec<Resource<'a>>,
}

#[derive(Serialize)]
struct Recorded<'a> {
    /// It was never a file.
    path: Option<&'a str>,
    format: &'a str,
    serial: Option<u64>,
    lineage: Option<&'a str>,
}

#[derive(Serialize)]
struct Resource<'a> {
    address: String,
    mode: &'a str,
    r#type: &'a str,
    provider: &'a str,
    #[serde(flatten)]
    identity: Columns<'a>,
    no_identity: Option<Reason<'a>>,
    looks_up: Option<Columns<'a>>,
    deposed: Option<&'a str>,
    source: Option<()>,
    attributes: Kept<'a>,
    complete: bool,
}

/// What is kept of a row's attributes.
#[derive(Serialize)]
struct Kept<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    arn: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<TagMap<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags_all: Option<TagMap<'a>>,
}

struct TagMap<'a>(&'a Tags);

impl Serialize for TagMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tags { identity, realm } = self.0;
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in [(IDENTITY_TAG, identity), (REALM_TAG, realm)] {
            if let Some(value) = value {
                map.serialize_entry(key, &**value)?;
            }
        }
        map.end()
    }
}

impl Written<'_> {
    /// Writes it as JSON. The same rows give the same bytes, whatever their order.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, to: impl Write) -> io::Result<()> {
        let records = self.state.records.iter().zip(self.decided);
        let mut resources: Vec<_> = records
            .map(|(it, decided)| resource(&it.row, decided))
            .collect();
        resources.sort_by(|a, b| (&a.address, a.deposed).cmp(&(&b.address, b.deposed)));
        let since = self.cached_at.duration_since(UNIX_EPOCH);
        let inventory = Inventory {
            version: 1,
            name: self.name,
            directory: self.directory,
            workspace: self.workspace,
            cached_at: since.unwrap_or_default().as_secs(),
            state: Recorded {
                path: None,
                format: self.state.format.as_str(),
                serial: self.state.serial,
                lineage: self.state.lineage.as_deref(),
            },
            resources,
        };
        Ok(serde_json::to_writer(to, &inventory)?)
    }
}

fn resource<'a>(row: &'a Row, decided: &'a Decided) -> Resource<'a> {
    let Attributes {
        arn,
        catalog_id,
        tags,
        tags_all,
        complete,
    } = &row.attributes;
    let identity = decided.identity.as_ref();
    Resource {
        address: row.address.to_string(),
        mode: row.address.mode.as_str(),
        r#type: &row.address.resource_type,
        provider: &row.provider,
        identity: Columns::new(identity.ok()),
        no_identity: identity.err().map(Reason::new),
        looks_up: decided.looks_up.as_ref().map(|it| Columns::new(Some(it))),
        deposed: row.deposed.as_deref(),
        source: None,
        attributes: Kept {
            arn: arn.as_deref(),
            catalog_id: catalog_id.as_deref(),
            tags: tags.as_deref().map(TagMap),
            tags_all: tags_all.as_deref().map(TagMap),
        },
        complete: *complete,
    }
}
