//! What the two checks for duplicates share: where each claim of a group is shown, and how a group
//! is told.

use std::collections::BTreeMap;

use crate::workspace::{Group, Place, RowRef, Snapshot, When, header};

use super::{Finding, Related, Severity, capped, listed};

/// One finding on every block that takes part in the group, each with the others as related
/// places. `relation` stands between the address and the others; the consequence is a sentence. A
/// claim that has no block is related at its state; where none has one, the finding stands at the
/// state of the first. One that the configuration on screen ends is information.
pub(super) fn findings(
    snapshot: &Snapshot,
    group: &Group,
    severity: Severity,
    (relation, consequence): (&str, &str),
) -> Vec<Finding> {
    let (severity, when) = match group.when() {
        When::Always => (severity, ""),
        When::UntilApplied => (
            Severity::Information,
            " Until applied: the configuration ends it.",
        ),
        When::AfterApply => (
            severity,
            " After the next apply: the configuration makes it.",
        ),
    };
    let mut sites: BTreeMap<Place, Vec<RowRef>> = BTreeMap::new();
    for claim in &group.claimants().rows {
        if let Some(place) = snapshot.place(*claim) {
            sites.entry(place).or_default().push(*claim);
        }
    }
    if sites.is_empty() {
        let first = group.claimants().rows[0];
        let state = snapshot.state_place(first);
        sites.extend(state.map(|place| (place, vec![first])));
    }
    let one = |(place, claims): (&Place, &Vec<RowRef>)| {
        let first = claims[0];
        let others = || group.claimants().rows.iter().filter(|it| **it != first);
        let names: Vec<_> = others().map(|it| other(snapshot, *it, place)).collect();
        let message = format!(
            "{} {relation} {}: {}.{when} {consequence}",
            name(snapshot, first),
            listed(&names),
            object(group)
        );
        let mut finding = Finding::new(severity, &place.path, place.span, message);
        let mut related: Vec<_> = others()
            .filter_map(|it| related(snapshot, group, *it, place))
            .collect();
        if let Some(declared) = block_related(snapshot, first, place) {
            related.insert(0, declared);
        }
        finding.related = capped(related);
        finding.about(snapshot, first)
    };
    sites.iter().map(one).collect()
}

/// Another claim: its address and stack, and its file where that is another.
fn other(snapshot: &Snapshot, claim: RowRef, shown: &Place) -> String {
    let stands = snapshot.place(claim);
    let stands = stands.or_else(|| snapshot.state_place(claim));
    let file = match stands.filter(|it| it.path != shown.path) {
        Some(place) => format!(" ({})", snapshot.relative(&place.path)),
        None => String::new(),
    };
    let stack = &snapshot.stack(claim).name;
    format!("{} of {stack}{file}", name(snapshot, claim))
}

/// The address, and that it is deposed when it is.
fn name(snapshot: &Snapshot, claim: RowRef) -> String {
    let record = snapshot.stack(claim).record(claim.row);
    let deposed = match record.is_some_and(|it| it.row.deposed.is_some()) {
        true => " (deposed: the next apply destroys it)",
        false => "",
    };
    format!("{}{deposed}", snapshot.address(claim))
}

/// The object in the terms of the specification.
fn object(group: &Group) -> String {
    let realm = match &group.realm {
        Some(realm) => format!("realm {realm}"),
        None => "no realm".to_owned(),
    };
    format!("{} ({}, {realm})", group.id, group.resource_type)
}

fn related(snapshot: &Snapshot, group: &Group, claim: RowRef, shown: &Place) -> Option<Related> {
    let place = snapshot
        .place(claim)
        .or_else(|| snapshot.state_place(claim))?;
    let stack = &snapshot.stack(claim).name;
    let claims = match (group.when(), place == *shown) {
        (When::AfterApply, true) => "will claim it from the same block",
        (When::AfterApply, false) => "will claim it too",
        (_, true) => "claims it from the same block",
        (_, false) => "claims it too",
    };
    Some(Related {
        message: format!("{} of {stack} {claims}", name(snapshot, claim)),
        place,
    })
}

/// The block itself, when the finding is shown at the module call above it.
fn block_related(snapshot: &Snapshot, claim: RowRef, shown: &Place) -> Option<Related> {
    let site = snapshot.row(claim).site?;
    let block = header(snapshot.stack(claim).resource(site).base());
    (block != *shown).then(|| Related {
        message: format!("{} is declared here", snapshot.address(claim)),
        place: block,
    })
}
