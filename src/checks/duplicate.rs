//! What the two checks for duplicates share: where each claim of a group is shown, and how a group
//! is told.

use std::collections::BTreeMap;

use crate::workspace::{Group, Place, RowRef, Snapshot, When, header};

use super::{Finding, MOST_RELATED, Related, Severity, count_more, listed};

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
    let rows = &group.claimants().rows;
    let claims: Vec<Claim> = rows.iter().map(|it| Claim::of(snapshot, *it)).collect();
    let mut sites: BTreeMap<&Place, usize> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        if let Some(place) = claim.stands.as_ref().filter(|_| claim.has_block) {
            sites.entry(place).or_insert(at);
        }
    }
    if sites.is_empty() {
        sites.extend(claims[0].stands.as_ref().map(|place| (place, 0)));
    }
    let mut stacks: Vec<_> = rows.iter().map(|it| it.stack).collect();
    stacks.dedup();
    let standing = claims.iter().filter(|it| it.stands.is_some()).count();
    let one = |(place, at): (&Place, usize)| {
        let first = claims[at].row;
        let others = || claims.iter().filter(|it| it.row != first);
        let names = others().map(|it| other(snapshot, it, place));
        let message = format!(
            "{} {relation} {}: {}.{when} {consequence}",
            name(snapshot, first),
            listed(claims.len() - 1, names),
            object(group)
        );
        let mut finding = Finding::new(severity, &place.path, place.span, message);
        // of a large group, the texts of those that are not shown would take long
        let declared = block_related(snapshot, first, place);
        let all = standing - 1 + usize::from(declared.is_some());
        let others = others().filter_map(|it| related(snapshot, group, it, place));
        finding.related = declared
            .into_iter()
            .chain(others)
            .take(MOST_RELATED)
            .collect();
        count_more(&mut finding.related, all.saturating_sub(MOST_RELATED));
        finding.rests_on.clone_from(&stacks);
        finding.about(snapshot, first)
    };
    sites.into_iter().map(one).collect()
}

/// A claim, and where it stands: at its block, or else at its state.
struct Claim {
    row: RowRef,
    stands: Option<Place>,
    has_block: bool,
}

impl Claim {
    fn of(snapshot: &Snapshot, row: RowRef) -> Self {
        let block = snapshot.place(row);
        Self {
            row,
            has_block: block.is_some(),
            stands: block.or_else(|| snapshot.state_place(row)),
        }
    }
}

/// Another claim: its address and stack, and its file where that is another.
fn other(snapshot: &Snapshot, claim: &Claim, shown: &Place) -> String {
    let stands = claim.stands.as_ref();
    let file = match stands.filter(|it| it.path != shown.path) {
        Some(place) => format!(" ({})", snapshot.relative(&place.path)),
        None => String::new(),
    };
    let stack = &snapshot.stack(claim.row).name;
    format!("{} of {stack}{file}", name(snapshot, claim.row))
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

fn related(snapshot: &Snapshot, group: &Group, claim: &Claim, shown: &Place) -> Option<Related> {
    let place = claim.stands.clone()?;
    let stack = &snapshot.stack(claim.row).name;
    let claims = match (group.when(), place == *shown) {
        (When::AfterApply, true) => "will claim it from the same block",
        (When::AfterApply, false) => "will claim it too",
        (_, true) => "claims it from the same block",
        (_, false) => "claims it too",
    };
    Some(Related {
        message: format!("{} of {stack} {claims}", name(snapshot, claim.row)),
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
