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

/// A row, what was decided of it, and where its block stands.
#[derive(Serialize)]
pub struct Resource<'a, Source> {
    address: String,
    mode: &'a str,
    r#type: &'a str,
    provider: &'a str,
    #[serde(flatten)]
    identity: Columns<'a>,
    no_identity: Option<Reason<'a>>,
    looks_up: Option<Columns<'a>>,
    deposed: Option<&'a str>,
    source: Option<Source>,
}

impl<'a, Source> Resource<'a, Source> {
    /// Of a row whose identity is this, or that has none for this reason; of a data source with what
    /// its owner is looked up by.
    pub fn new(
        row: &'a Row,
        identity: Result<&'a Identity, &'a NoIdentity>,
        looks_up: Option<&'a Identity>,
        source: Option<Source>,
    ) -> Self {
        Self {
            address: row.address.to_string(),
            mode: row.address.mode.as_str(),
            r#type: &row.address.resource_type,
            provider: &row.provider,
            identity: Columns::new(identity.ok()),
            no_identity: identity.err().map(Reason::new),
            looks_up: looks_up.map(|it| Columns::new(Some(it))),
            deposed: row.deposed.as_deref(),
            source,
        }
    }

    /// What they are sorted by.
    pub fn order(&self) -> (&str, Option<&'a str>) {
        (&self.address, self.deposed)
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
    resources: Vec<Cached<'a>>,
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
struct Cached<'a> {
    #[serde(flatten)]
    resource: Resource<'a, ()>,
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
        resources.sort_by(|a, b| a.resource.order().cmp(&b.resource.order()));
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

fn resource<'a>(row: &'a Row, decided: &'a Decided) -> Cached<'a> {
    let Attributes {
        arn,
        catalog_id,
        tags,
        tags_all,
        complete,
    } = &row.attributes;
    let identity = decided.identity.as_ref();
    Cached {
        resource: Resource::new(row, identity, decided.looks_up.as_ref(), None),
        attributes: Kept {
            arn: arn.as_deref(),
            catalog_id: catalog_id.as_deref(),
            tags: tags.as_deref().map(TagMap),
            tags_all: tags_all.as_deref().map(TagMap),
        },
        complete: *complete,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Format, NotRead, Problem, read, read_stream};
    use super::*;
    use crate::identity::IdentityRegistry;

    const STATE: &str = r#"{"version": 4, "serial": 7, "lineage": "l", "resources": [
        {"module": "module.net[\"a.b\"]", "mode": "managed", "type": "aws_s3_bucket", "name": "b",
         "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [
            {"index_key": "b.c\"d", "attributes": {"arn": "arn:aws:s3:::é", "acl": null,
             "password": "not-a-real-secret",
             "tags": {"gantrycd:resource-identity": "x", "Name": "not-a-real-secret"},
             "tags_all": {"gantrycd:resource-identity": "x", "gantrycd:resource-identity-realm": "r"}},
             "sensitive_attributes": [[{"type": "get_attr", "value": "arn"}]]},
            {"index_key": 3, "deposed": "745ba0c6", "attributes": {"arn": "arn:f", "tags": {}}}]},
        {"mode": "managed", "type": "aws_glue_connection", "name": "g",
         "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
         "instances": [{"attributes": {"catalog_id": "1", "arn": ""}}]},
        {"mode": "data", "type": "aws_vpc", "name": "v", "provider": "provider.aws",
         "instances": [{"attributes": {}}]}]}"#;

    /// An inventory of a state, in which a comment opts these addresses out.
    fn written(state: &State, ignored: &[&str]) -> Vec<u8> {
        let registry = IdentityRegistry::mounted();
        let decided = state.records.iter().map(|it| {
            let ignored = ignored.contains(&&*it.row.address.to_string());
            Decided {
                identity: registry.claim(&it.row, ignored),
                looks_up: None,
                is_by_comment: ignored,
            }
        });
        let inventory = Written {
            name: "live/net@blue",
            directory: "live/net",
            workspace: "blue",
            cached_at: UNIX_EPOCH + Duration::from_millis(1_700_000_000_250),
            state,
            decided: &decided.collect::<Vec<_>>(),
        };
        let mut bytes = Vec::new();
        inventory.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn of_an_inventory_the_same_rows_are_read_as_of_its_state() {
        let state = read(STATE.as_bytes()).unwrap();
        let bytes = written(&state, &[]);
        assert!(!String::from_utf8_lossy(&bytes).contains("not-a-real-secret"));
        let again = read(&bytes).unwrap();
        assert_eq!(again.format, Format::Inventory);
        assert_eq!(
            (again.serial, again.lineage),
            (state.serial, state.lineage.clone())
        );
        assert_eq!(again.name.as_deref(), Some("live/net@blue"));
        let cached_at = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        assert_eq!(again.cached_at, Some(cached_at));
        let mut rows: Vec<_> = state.records.iter().map(|it| format!("{it:?}")).collect();
        let mut same: Vec<_> = again.records.iter().map(|it| format!("{it:?}")).collect();
        rows.sort();
        same.sort();
        assert_eq!(rows, same);
    }

    #[test]
    fn a_comment_is_kept_for_those_who_have_no_configuration() {
        let state = read(STATE.as_bytes()).unwrap();
        let address = "aws_glue_connection.g";
        let again = read(&written(&state, &[address])).unwrap();
        for record in &again.records {
            let is_it = record.row.address.to_string() == address;
            assert_eq!(record.was_ignored(), is_it);
            assert!(record.stated().is_none());
            assert_eq!(record.row.attributes.catalog_id.is_some(), is_it);
        }
    }

    #[test]
    fn who_knows_no_attributes_reads_what_was_decided() {
        let state = read(STATE.as_bytes()).unwrap();
        let mut inventory: serde_json::Value =
            serde_json::from_slice(&written(&state, &[])).unwrap();
        for it in inventory["resources"].as_array_mut().unwrap() {
            it.as_object_mut().unwrap().remove("attributes");
        }
        let again = read(inventory.to_string().as_bytes()).unwrap();
        assert_eq!(again.records.len(), state.records.len());
        let stated = again.records.iter().map(|it| it.stated().unwrap());
        let ids = stated.filter_map(|it| it.identity.as_ref().ok());
        assert_eq!(ids.map(|it| &*it.id).collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn an_entry_whose_attributes_are_malformed_is_left_out() {
        let entry = |changes: &str| {
            let text = format!(
                r#"{{"version": 1, "resources": [{{"address": "aws_vpc.v", {changes}}}]}}"#
            );
            read(text.as_bytes()).unwrap().records.len()
        };
        assert_eq!(entry(r#""attributes": {"arn": "a"}"#), 1);
        assert_eq!(entry(r#""attributes": {}, "complete": true"#), 1);
        // what decides anew need not be understood
        assert_eq!(
            entry(r#""attributes": {}, "no_identity": {"reason": "new"}"#),
            1
        );
        assert_eq!(entry(r#""attributes": 7"#), 0);
        assert_eq!(entry(r#""attributes": {}, "complete": 7"#), 0);
        assert_eq!(entry(r#""attributes": {}, "deposed": 7"#), 0);
        assert_eq!(entry(r#""attributes": {}, "provider": 7"#), 0);
    }

    #[test]
    fn what_is_printed_is_read_once_and_as_a_file_is() {
        let by = |text: &[u8]| {
            let (stream, file) = (read_stream(&mut &*text), read(text));
            (
                stream.map(|it| format!("{it:?}")),
                file.map(|it| format!("{it:?}")),
            )
        };
        let long = format!("\"serial\": 7, \"x\": \"{}\"", "y".repeat(200_000));
        let long = STATE.replace("\"serial\": 7", &long);
        for text in [
            STATE,
            &long,
            &format!("\u{feff}{STATE}"),
            "",
            " \n",
            "{}",
            "[]",
        ] {
            let (stream, file) = by(text.as_bytes());
            assert_eq!(stream, file, "{:.40}", text);
        }
        for end in (1..STATE.len()).step_by(13) {
            let (stream, file) = by(&STATE.as_bytes()[..end]);
            assert_eq!(stream, file, "{end}");
            assert_eq!(stream, Err(NotRead::Problem(Problem::Truncated)));
        }
        let fault = read_stream(&mut &b"{\"version\": 4, oops}"[..]);
        let what = "key must be a string";
        assert_eq!(
            fault.unwrap_err(),
            NotRead::Problem(Problem::NotJsonAt { at: 15, what })
        );
        let inventory = br#"{"version": 1, "resources": []}"#;
        assert_eq!(
            read_stream(&mut &inventory[..]).unwrap_err(),
            NotRead::Problem(Problem::NotAState)
        );
    }
}
