//! What a hover says of the rows of a resource.

use std::time::SystemTime;

use crate::checks::settings::States;
use crate::checks::{age, unreached};
use crate::identity::{Declaration, Identity, NoIdentity, Origin, Realm, Section};
use crate::workspace::{Place, Planned, RowRef, Stack, When};

use super::{MOST_ROWS, Page};

impl Page<'_> {
    pub(super) fn row(&self, at: RowRef) -> String {
        let stack = self.snapshot.stack(at);
        let row = self.snapshot.row(at);
        let Some(record) = stack.record(at.row) else {
            return self.planned_row(at);
        };
        let mut lines = Vec::new();
        let subject = match (&row.claim, row.looks_up.as_deref()) {
            (Ok(identity), _) => Ok((identity, "Identity")),
            (Err(NoIdentity::DataSource), Some(identity)) => Ok((identity, "Reads")),
            (Err(reason), _) => Err(reason),
        };
        match subject {
            Ok((identity, title)) => {
                lines.push(format!("{title} `{}`", identity.id));
                lines.push(self.origin(at, identity));
                if let Some(unreached) = unreached(self.snapshot, at) {
                    lines.push(format!(
                        "The {} does not reach it: `{}` {} ({})",
                        self.linked(
                            &format!("{} of default_tags", unreached.declaration),
                            &unreached.place
                        ),
                        record.row.address.resource_type,
                        unreached.takes,
                        unreached.evidence
                    ));
                }
            }
            Err(reason) => {
                lines.push(format!("No identity: {reason}"));
            }
        }
        if record.row.deposed.is_some() {
            lines.push("Deposed: the next apply destroys it".to_owned());
        }
        lines.extend(planned(&row.planned));
        lines.extend(self.duplicates(at));
        lines.extend(self.edges(at));
        lines.push(recorded(stack, &self.states));
        lines.join("  \n")
    }

    /// A row that the next apply will make.
    fn planned_row(&self, at: RowRef) -> String {
        let stack = &self.snapshot.stack(at).name;
        let mut lines = vec![format!("Not in the state of stack `{stack}` yet")];
        lines.extend(planned(&self.snapshot.row(at).planned));
        lines.extend(self.duplicates(at));
        lines.extend(self.edges(at));
        lines.join("  \n")
    }

    fn origin(&self, at: RowRef, identity: &Identity) -> String {
        let id = match identity.origin {
            Origin::Declared => "declared by its tag",
            Origin::Discovered => "discovered from its `arn`",
            Origin::Unstated => "as the inventory says",
        };
        let Some(realm) = &identity.realm else {
            return format!("{id}, no realm");
        };
        let record = self.snapshot.stack(at).record(at.row);
        let attributes = record.map(|it| &it.row.attributes);
        let own = attributes.and_then(|it| it.tags.as_deref());
        let all = attributes.and_then(|it| it.tags_all.as_deref());
        let from = match Declaration::overlay(own, all).realm {
            Some((_, Section::Own)) => " from its own tags".to_owned(),
            Some((_, Section::Default)) => match self.default_realm(at, realm) {
                Some(place) => format!(" from {}", self.linked("default_tags", &place)),
                None => " from default_tags".to_owned(),
            },
            None => String::new(),
        };
        format!("{id}, realm `{realm}`{from}")
    }

    /// Where the configuration has the realm that a row got from its default tags.
    fn default_realm(&self, at: RowRef, realm: &Realm) -> Option<Place> {
        let configured = self.snapshot.row(at).configured?;
        let configured = &self.snapshot.stack(at).configured[configured];
        let tag = &configured.default.realm;
        tag.place()
            .filter(|_| tag.text() == Some(realm.as_str()))
            .cloned()
    }

    fn duplicates(&self, at: RowRef) -> Vec<String> {
        let group = self.snapshot.duplicate(at);
        let others = group.into_iter().flat_map(|it| &it.claimants().rows);
        let others: Vec<_> = others.filter(|it| **it != at).copied().collect();
        match others.is_empty() {
            true => Vec::new(),
            false => vec![format!("Also claimed by {}", self.named(&others))],
        }
    }

    fn edges(&self, at: RowRef) -> Vec<String> {
        let readers = self.snapshot.edges_to(at);
        let readers: Vec<_> = readers.iter().map(|it| (it.when, it.reader)).collect();
        let owners = self.snapshot.edges_from(at.stack).iter();
        let owners = owners.filter(|it| it.reader == at);
        let owners: Vec<_> = owners.map(|it| (it.when, it.owner)).collect();
        let mut lines = self.at_times(["Read by", "read by"], &readers);
        lines.extend(self.at_times(["Owned by", "owned by"], &owners));
        let row = self.snapshot.row(at);
        let looked_up = row.planned_look_up().or(row.looks_up.as_deref());
        if let (true, Some(looked_up)) = (owners.is_empty(), looked_up) {
            lines.push(self.unowned(at, looked_up));
        }
        lines
    }

    /// Rows with which one has to do, by when that is.
    fn at_times(&self, [always, sometimes]: [&str; 2], rows: &[(When, RowRef)]) -> Vec<String> {
        let times = [
            (When::Always, always.to_owned()),
            (
                When::UntilApplied,
                format!("Until the next apply: {sometimes}"),
            ),
            (
                When::AfterApply,
                format!("After the next apply: {sometimes}"),
            ),
        ];
        let lines = times.into_iter().filter_map(|(when, label)| {
            let then = rows.iter().filter(|it| it.0 == when);
            let then: Vec<_> = then.map(|it| it.1).collect();
            (!then.is_empty()).then(|| format!("{label} {}", self.named(&then)))
        });
        lines.collect()
    }

    /// That nobody owns what a data source reads, and who would if only the realm were another.
    fn unowned(&self, at: RowRef, looked_up: &Identity) -> String {
        let resource_type = &self.snapshot.address(at).resource_type;
        let near = self
            .snapshot
            .claimed_in_other_realms(looked_up, resource_type);
        let near: Vec<_> = near
            .into_iter()
            .filter(|(_, it)| !self.snapshot.is_same_state(it.stack, at.stack))
            .collect();
        let Some((realm, _)) = near.first() else {
            return "No stack of this workspace owns it".to_owned();
        };
        let own = match &looked_up.realm {
            Some(realm) => format!("in realm `{realm}`"),
            None => "without a realm".to_owned(),
        };
        let theirs = match realm {
            Some(realm) if near.iter().all(|(it, _)| it.as_ref() == Some(realm)) => {
                format!("in realm `{realm}`")
            }
            Some(_) => "in other realms".to_owned(),
            None => "without a realm".to_owned(),
        };
        let rows: Vec<_> = near.iter().map(|(_, row)| *row).collect();
        let claims = if rows.len() == 1 { "claims" } else { "claim" };
        // what has been read has the realm of its owner, what has not is of a realm that is expected
        let so = match self.snapshot.row(at).planned {
            Planned::Reads(_) => "whether that is the object shows when it is read",
            _ => "another object",
        };
        format!(
            "No stack of this workspace owns it {own}. {} {claims} it {theirs}: {so}",
            self.named(&rows)
        )
    }

    pub(super) fn table(&self, rows: &[RowRef]) -> String {
        let mut out = String::from("| stack | address | identity | realm |\n|---|---|---|---|\n");
        for row in rows.iter().take(MOST_ROWS) {
            let it = self.snapshot.row(*row);
            let (id, realm) = match (&it.claim, it.looks_up.as_deref()) {
                (Ok(identity), _) => (format!("`{}`", identity.id), identity.realm.as_ref()),
                (_, Some(identity)) => {
                    (format!("reads `{}`", identity.id), identity.realm.as_ref())
                }
                (Err(reason), None) => match it.planned_look_up() {
                    Some(identity) => (
                        format!("will read `{}`", identity.id),
                        identity.realm.as_ref(),
                    ),
                    None => (format!("none: {reason}"), None),
                },
            };
            let realm = realm.map(|it| format!("`{it}`")).unwrap_or_default();
            let stack = &self.snapshot.stack(*row).name;
            let address = self.snapshot.address(*row).to_string().replace('|', "\\|");
            out += &format!(
                "| `{stack}` | `{address}` | {} | {realm} |\n",
                id.replace('|', "\\|")
            );
        }
        if rows.len() > MOST_ROWS {
            out += &format!("\nand {} more\n", rows.len() - MOST_ROWS);
        }
        for row in rows.iter().take(MOST_ROWS) {
            for line in self.duplicates(*row).into_iter().chain(self.edges(*row)) {
                out += &format!("\n`{}`: {line}  ", self.snapshot.address(*row));
            }
        }
        out
    }
}

/// What a row will be after the next apply, when it is something else now.
fn planned(planned: &Planned) -> Option<String> {
    match planned {
        Planned::Same => None,
        Planned::Gone => Some("After the next apply: not in the state any more".to_owned()),
        Planned::Changed(Ok(identity)) => Some(format!(
            "After the next apply: identity {}",
            in_realm(identity)
        )),
        Planned::Reads(Some(identity)) => Some(format!(
            "After the next apply: reads {}",
            in_realm(identity)
        )),
        Planned::Reads(None) => Some(
            "After the next apply: reads another object, in a realm that is not known".to_owned(),
        ),
        Planned::Changed(Err(reason)) => {
            Some(format!("After the next apply: no identity: {reason}"))
        }
    }
}

/// An id and its realm.
fn in_realm(identity: &Identity) -> String {
    match &identity.realm {
        Some(realm) => format!("`{}`, realm `{realm}`", identity.id),
        None => format!("`{}`, no realm", identity.id),
    }
}

/// Which state says so, and how old it is.
fn recorded(stack: &Stack, states: &States) -> String {
    let Some(state) = &stack.state else {
        return String::new();
    };
    let serial = match state.file.serial {
        Some(serial) => format!(", serial {serial}"),
        None => String::new(),
    };
    let now = SystemTime::now();
    let age = state
        .modified
        .and_then(|it| now.duration_since(it).ok())
        .map(|it| format!(", cached {} ago", age(it)))
        .unwrap_or_default();
    let old = match states.is_old(stack, now) {
        Some(1) => ", older than one day".to_owned(),
        Some(days) => format!(", older than {days} days"),
        None => String::new(),
    };
    format!(
        "Recorded in the state of stack `{}`{serial}{age}{old}",
        stack.name
    )
}
