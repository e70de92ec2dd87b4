//! An inventory: one stack as `gantrycd-ls refresh` caches it, or as somebody else wrote it down.
//! It says what was decided of each row, and what `refresh` caches also by which attributes: of such
//! a row everything is decided anew, as of a row of a state.
//!
//! An entry that contradicts itself, or that speaks of what this version does not know, is left
//! out: nothing in it is guessed.

use std::time::{Duration, UNIX_EPOCH};

use arcstr::ArcStr;

use super::json::{Field, List, Scalar, Shape, object};
use super::names::Names;
use super::shared::Shared;
use super::v4::deposed;
use super::{Format, Problem, Record, State};
use crate::identity::{Address, Attributes, Identity, Mode, NoIdentity, Origin, Realm, Row};

/// What an inventory says of a row.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The identity that the row claims, or why it claims none.
    pub identity: Result<Identity, NoIdentity>,
    /// Of a data row: what inference looks its owner up by.
    pub looks_up: Option<Identity>,
    /// Whether it was decided by a comment of the configuration alone, and the attributes are here.
    pub is_by_comment: bool,
}

#[derive(Default)]
pub(super) struct Inventory {
    name: Field<ArcStr>,
    cached_at: Field<u64>,
    state: Field<Recorded>,
    resources: Field<List<Resource>>,
}

object!(Inventory {
    b"name" => name,
    b"cached_at" => cached_at,
    b"state" => state,
    b"resources" => resources,
});

/// The state that the inventory was taken from.
#[derive(Default)]
struct Recorded {
    serial: Field<u64>,
    lineage: Field<ArcStr>,
}

object!(Recorded { b"serial" => serial, b"lineage" => lineage });

#[derive(Default)]
struct Resource {
    address: Field<ArcStr>,
    mode: Field<Mode>,
    resource_type: Field<ArcStr>,
    provider: Field<ArcStr>,
    id: Field<ArcStr>,
    realm: Field<ArcStr>,
    no_identity: Field<Reason>,
    looks_up: Field<LooksUp>,
    deposed: Field<ArcStr>,
    attributes: Field<Attributes>,
    complete: Field<Whole>,
}

object!(Resource {
    b"address" => address,
    b"mode" => mode,
    b"type" => resource_type,
    b"provider" => provider,
    b"cloud_identity_id" => id,
    b"cloud_identity_realm" => realm,
    b"no_identity" => no_identity,
    b"looks_up" => looks_up,
    b"deposed" => deposed,
    b"attributes" => attributes,
    b"complete" => complete,
});

/// [`Attributes::complete`], which what is kept of the attributes does not show.
#[derive(Default)]
struct Whole(bool);

impl Shape for Whole {
    fn scalar(scalar: Scalar, _: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Bool(is_whole) => Some(Whole(is_whole)),
            Scalar::Text(_) | Scalar::Number(_) => None,
        }
    }
}

#[derive(Default)]
struct Reason {
    reason: Field<ArcStr>,
    detail: Field<ArcStr>,
}

object!(Reason { b"reason" => reason, b"detail" => detail });

#[derive(Default)]
struct LooksUp {
    id: Field<ArcStr>,
    realm: Field<ArcStr>,
}

object!(LooksUp { b"cloud_identity_id" => id, b"cloud_identity_realm" => realm });

impl Inventory {
    pub fn state(self) -> Result<State, Problem> {
        let mut names = Names::default();
        let resources = self.resources.get().ok_or(Problem::NotAState)?.into_iter();
        let records = resources.filter_map(|it| it.get()?.record(&mut names));
        let recorded = self.state.get().unwrap_or_default();
        Ok(State {
            format: Format::Inventory,
            serial: recorded.serial.get(),
            lineage: recorded.lineage.get().map(|it| (&*it).into()),
            name: self.name.get().map(|it| (&*it).into()),
            cached_at: self
                .cached_at
                .get()
                .and_then(|it| UNIX_EPOCH.checked_add(Duration::from_secs(it))),
            records: records.collect(),
        })
    }
}

impl Resource {
    fn record(self, names: &mut Names) -> Option<Record> {
        let parsed = Address::parse(&self.address.get()?)?;
        let address = Address {
            module: names.module(&parsed.module.to_string())?,
            resource_type: names.name(&parsed.resource_type),
            ..parsed
        };
        let mode = self.mode.optional()?.unwrap_or(address.mode);
        let resource_type = self.resource_type.optional()?;
        if mode != address.mode || resource_type.is_some_and(|it| *it != *address.resource_type) {
            return None;
        }
        let row = |names: &mut Names, attributes| {
            Some(Row {
                address,
                provider: names.name(&self.provider.optional()?.unwrap_or_default()),
                deposed: deposed(self.deposed)?,
                attributes,
            })
        };
        if let Some(attributes) = self.attributes.optional()? {
            let complete = self.complete.or_default()?.0;
            let reason = self.no_identity.optional()?.and_then(|it| it.reason.get());
            let is_by_comment =
                reason.is_some_and(|it| *it == *NoIdentity::OptedOutByComment.name());
            let row = row(
                names,
                Attributes {
                    complete,
                    ..attributes
                },
            )?;
            let by_comment = Decided {
                identity: Err(NoIdentity::OptedOutByComment),
                looks_up: None,
                is_by_comment,
            };
            return Some(Record {
                row,
                decided: is_by_comment.then(|| Box::new(by_comment)),
            });
        }
        let claimed = identity(self.id, self.realm)?;
        let reason = match self.no_identity.optional()? {
            Some(it) => Some(NoIdentity::from_name(
                &it.reason.get()?,
                it.detail.optional()?.as_deref(),
            )?),
            None => None,
        };
        let looks_up = match self.looks_up.optional()? {
            Some(it) => Some(identity(it.id, it.realm)??),
            None => None,
        };
        let identity = match (mode, claimed, reason, &looks_up) {
            (Mode::Managed, Some(claimed), None, None) => Ok(claimed),
            (Mode::Data, None, Some(NoIdentity::DataSource), Some(_)) => {
                Err(NoIdentity::DataSource)
            }
            (_, None, Some(reason), None) => Err(reason),
            _ => return None,
        };
        Some(Record {
            row: row(names, Attributes::default())?,
            decided: Some(Box::new(Decided {
                identity,
                looks_up,
                is_by_comment: false,
            })),
        })
    }
}

/// An id with its realm. The outer `None` is one that cannot be read, a realm without an id too.
fn identity(id: Field<ArcStr>, realm: Field<ArcStr>) -> Option<Option<Identity>> {
    let realm = match realm.optional()? {
        Some(text) => Some(Realm::parse(&text).ok()?),
        None => None,
    };
    match id.optional()? {
        Some(id) if !id.is_empty() => Some(Some(Identity {
            id,
            realm,
            origin: Origin::Unstated,
        })),
        None if realm.is_none() => Some(None),
        _ => None,
    }
}
