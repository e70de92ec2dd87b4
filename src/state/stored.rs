//! The rows of a state as bytes, for whoever keeps them to save reading the state again. Nothing is
//! in them that is not in a [`State`]: no secret.
//!
//! Knows no files. Bytes that were damaged, or that another version wrote, give nothing, or rows:
//! whoever keeps them must know that they are as they were written.

use std::sync::Arc;

use arcstr::ArcStr;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::names::Names;
use super::{Format, Record, State};
use crate::identity::{Address, Attributes, Key, Mode, Row, Tags};

/// Grows whenever the bytes come to mean something else.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    format: u8,
    serial: Option<u64>,
    #[serde(borrow)]
    lineage: Option<&'a str>,
    /// What rows have in common, by its place here.
    #[serde(borrow)]
    texts: Vec<&'a str>,
    modules: Vec<String>,
    tags: Vec<[Option<u32>; 2]>,
    #[serde(borrow)]
    rows: Vec<StoredRow<'a>>,
}

#[derive(Serialize, Deserialize)]
struct StoredRow<'a> {
    module: u32,
    is_data: bool,
    resource_type: u32,
    name: u32,
    #[serde(borrow)]
    key: Option<StoredKey<'a>>,
    provider: u32,
    #[serde(borrow)]
    deposed: Option<&'a str>,
    #[serde(borrow)]
    arn: Option<&'a str>,
    #[serde(borrow)]
    catalog_id: Option<&'a str>,
    tags: Option<u32>,
    tags_all: Option<u32>,
    complete: bool,
}

#[derive(Serialize, Deserialize)]
enum StoredKey<'a> {
    Index(i64),
    Name(&'a str),
}

/// The formats whose rows are stored. Not an inventory's: it is as small as what would be stored.
const FORMATS: [Format; 3] = [Format::StateV4, Format::ShowState, Format::ShowPlan];

/// Whether a state is worth storing.
pub fn is_stored(state: &State) -> bool {
    FORMATS.contains(&state.format)
}

/// The bytes of a state. `None` of one that is not worth storing.
pub fn encode(state: &State) -> Option<Vec<u8>> {
    let format = FORMATS.iter().position(|it| *it == state.format)? as u8;
    let (mut texts, mut modules, mut tags) = (Places::new(), Places::new(), Places::new());
    let rows: Option<Vec<_>> = state
        .records
        .iter()
        .map(|record| {
            if record.decided.is_some() {
                return None;
            }
            let Row {
                address,
                provider,
                deposed,
                attributes,
            } = &record.row;
            let own = place(&attributes.tags, &mut texts, &mut tags);
            let all = place(&attributes.tags_all, &mut texts, &mut tags);
            Some(StoredRow {
                module: modules.of(&address.module),
                is_data: address.mode == Mode::Data,
                resource_type: texts.of(&address.resource_type),
                name: texts.of(&address.name),
                key: address.key.as_ref().map(|it| match it {
                    Key::Index(index) => StoredKey::Index(*index),
                    Key::Name(name) => StoredKey::Name(name),
                }),
                provider: texts.of(provider),
                deposed: deposed.as_deref(),
                arn: attributes.arn.as_deref(),
                catalog_id: attributes.catalog_id.as_deref(),
                tags: own,
                tags_all: all,
                complete: attributes.complete,
            })
        })
        .collect();
    let stored = Stored {
        format,
        serial: state.serial,
        lineage: state.lineage.as_deref(),
        texts: texts.all,
        modules: modules.all.iter().map(|it| it.to_string()).collect(),
        tags: tags.all,
        rows: rows?,
    };
    postcard::to_allocvec(&stored).ok()
}

fn place<'a>(
    of: &'a Option<Arc<Tags>>,
    texts: &mut Places<&'a str>,
    tags: &mut Places<[Option<u32>; 2]>,
) -> Option<u32> {
    let Tags { identity, realm } = &**of.as_ref()?;
    let both = [identity, realm].map(|it| Some(texts.of(it.as_deref()?)));
    Some(tags.of(both))
}

/// The state that was stored as these bytes.
pub fn decode(bytes: &[u8]) -> Option<State> {
    let stored: Stored = postcard::from_bytes(bytes).ok()?;
    let mut names = Names::default();
    let modules = stored.modules.iter().map(|it| names.module(it));
    let modules: Vec<_> = modules.collect::<Option<_>>()?;
    let texts: Vec<_> = stored.texts.iter().map(|it| ArcStr::from(*it)).collect();
    let text = |at: u32| texts.get(at as usize).cloned();
    let tags = stored.tags.iter().map(|places| {
        let [identity, realm] = places.map(|it| it.map(text));
        let tags = Tags {
            identity: identity.map_or(Some(None), |it| it.map(Some))?,
            realm: realm.map_or(Some(None), |it| it.map(Some))?,
        };
        Some(Arc::new(tags))
    });
    let tags: Vec<_> = tags.collect::<Option<_>>()?;
    let tags = |at: Option<u32>| match at {
        Some(at) => tags.get(at as usize).cloned().map(Some),
        None => Some(None),
    };
    let records = stored.rows.into_iter().map(|it| {
        let row = Row {
            address: Address {
                module: modules.get(it.module as usize)?.clone(),
                mode: if it.is_data {
                    Mode::Data
                } else {
                    Mode::Managed
                },
                resource_type: text(it.resource_type)?,
                name: text(it.name)?,
                key: it.key.map(|it| match it {
                    StoredKey::Index(index) => Key::Index(index),
                    StoredKey::Name(name) => Key::Name(name.into()),
                }),
            },
            provider: text(it.provider)?,
            deposed: it.deposed.map(Into::into),
            attributes: Attributes {
                arn: it.arn.map(Into::into),
                catalog_id: it.catalog_id.map(Into::into),
                tags: tags(it.tags)?,
                tags_all: tags(it.tags_all)?,
                complete: it.complete,
            },
        };
        Some(Record::from(row))
    });
    Some(State {
        format: *FORMATS.get(usize::from(stored.format))?,
        serial: stored.serial,
        lineage: stored.lineage.map(Into::into),
        name: None,
        cached_at: None,
        records: records.collect::<Option<_>>()?,
    })
}

/// Things, each once, and where each is among them.
struct Places<T> {
    all: Vec<T>,
    places: FxHashMap<T, u32>,
}

impl<T: Copy + Eq + std::hash::Hash> Places<T> {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            places: FxHashMap::default(),
        }
    }

    fn of(&mut self, thing: T) -> u32 {
        *self.places.entry(thing).or_insert_with(|| {
            self.all.push(thing);
            // a state of so many rows is of more bytes than any disk has
            (self.all.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    const STATE: &str = r#"{"version": 4, "serial": 7, "lineage": "l", "resources": [
        {"module": "module.net[\"a.b\"].module.sub[0]", "mode": "managed", "type": "aws_s3_bucket",
         "name": "b", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [
            {"index_key": "b.c\"d", "attributes": {"arn": "arn:é", "catalog_id": "1", "acl": null,
             "tags": {"gantrycd:resource-identity": "x"},
             "tags_all": {"gantrycd:resource-identity": "x", "gantrycd:resource-identity-realm": "r"}}},
            {"index_key": 3, "deposed": "745ba0c6", "attributes": {"arn": "arn:f", "tags": {}}}]},
        {"mode": "data", "type": "aws_vpc", "name": "v", "provider": "provider.aws",
         "instances": [{"attributes": {}}]}]}"#;

    #[test]
    fn a_state_is_what_was_stored_of_it() {
        let state = read(STATE.as_bytes()).unwrap();
        let bytes = encode(&state).unwrap();
        assert_eq!(
            format!("{:?}", decode(&bytes).unwrap()),
            format!("{state:?}")
        );
        let inventory = read(br#"{"version": 1, "resources": []}"#).unwrap();
        assert!(encode(&inventory).is_none());
    }

    #[test]
    fn no_damage_panics() {
        let bytes = encode(&read(STATE.as_bytes()).unwrap()).unwrap();
        for at in 0..bytes.len() {
            _ = decode(&bytes[..at]);
            for byte in [0, 1, 7, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                _ = decode(&damaged);
            }
        }
    }
}
