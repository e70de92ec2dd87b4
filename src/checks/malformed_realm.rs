//! A realm does not parse: `[A-Za-z0-9._-]{1,64}`.
//!
//! gantrycd never mends a realm, since a mended one could be another's. A resource whose realm is
//! malformed has no identity at all: its duplicates are not found, and nothing depends on it.

use crate::eval::{Found, Map};
use crate::identity::{IDENTITY_TAG, NoIdentity, REALM_TAG, Realm, opts_out};
use crate::workspace::{RowRef, Snapshot, Use, default_tags, tag_support};

use super::{Check, Finding, MOST_RELATED, Related, Severity};

pub(super) const CHECK: Check = Check {
    code: "malformed-realm",
    severity: Severity::Error,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    in_default_tags(snapshot, findings);
    in_own_tags(snapshot, findings);
}

fn in_default_tags(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for (file, provider, uses) in snapshot.providers() {
        let tags = default_tags(provider);
        let Some((value, span)) = tags.known(REALM_TAG) else {
            continue;
        };
        let Err(why) = Realm::parse(value) else {
            continue;
        };
        if may_opt_out(&tags) {
            continue;
        }
        let message = format!(
            "The realm {value:?} is malformed: {why}. gantrycd gives no identity to the resources \
             that these default_tags reach."
        );
        let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
        finding.stack = uses
            .first()
            .map(|it| snapshot.stacks[it.stack].name.clone());
        finding.related = reached(snapshot, uses, value);
        findings.push(finding);
    }
}

/// Whether a map of tags opts out, or could.
fn may_opt_out(tags: &Map) -> bool {
    match tags.get(IDENTITY_TAG) {
        Found::Absent => false,
        Found::Unknown => true,
        Found::Entry(_) => tags.known(IDENTITY_TAG).is_none_or(|(id, _)| opts_out(id)),
    }
}

/// The resources whose recorded realm is this value, by their provider's default tags.
fn reached(snapshot: &Snapshot, uses: &[Use], value: &str) -> Vec<Related> {
    let mut related = Vec::new();
    let mut more = 0;
    let mut stacks: Vec<_> = uses.iter().map(|it| it.stack).collect();
    stacks.dedup();
    for stack in stacks {
        for (row, decided) in snapshot.stacks[stack].rows.iter().enumerate() {
            let attributes = &snapshot.stacks[stack].record(row).row.attributes;
            let all = attributes
                .tags_all
                .as_ref()
                .and_then(|it| it.realm.as_deref());
            let own = attributes.tags.as_ref().and_then(|it| it.realm.as_deref());
            let refused = matches!(decided.claim, Err(NoIdentity::MalformedRealm(_)));
            if !refused || own.is_some() || all != Some(value) {
                continue;
            }
            let row = RowRef { stack, row };
            let Some(place) = snapshot.place(row) else {
                continue;
            };
            if related.len() == MOST_RELATED {
                more += 1;
                continue;
            }
            let stack = &snapshot.stack(row).name;
            related.push(Related {
                message: format!("{} of {stack} has it", snapshot.address(row)),
                place,
            });
        }
    }
    if let Some(last) = related.last_mut().filter(|_| more > 0) {
        last.message += &format!(", and {more} more");
    }
    related
}

fn in_own_tags(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        for resource in &file.resources {
            if resource.ignored || !file.mentions_gantrycd(resource) {
                continue;
            }
            let read_in = snapshot.uses(file).iter().find_map(|at| {
                let declared = snapshot.node(*at).module.declares(file, resource)?;
                let configured = snapshot.configured(*at, &declared);
                let (value, span) = configured.own.known(REALM_TAG)?;
                let why = Realm::parse(value).err()?;
                let source = configured.source.as_deref()?;
                let opted_out = match configured.own.get(IDENTITY_TAG) {
                    Found::Absent => may_opt_out_by_default(&configured.default),
                    _ => may_opt_out(&configured.own),
                };
                let stack = &snapshot.stacks[at.stack];
                let unread = opted_out
                    || !snapshot.registry.supports(source)
                    || tag_support::untaggable(stack, &resource.resource_type, source).is_some();
                (!unread).then(|| (stack.name.clone(), value.to_owned(), span, why))
            });
            let Some((stack, value, span, why)) = read_in else {
                continue;
            };
            let message = format!(
                "The realm {value:?} is malformed: {why}. gantrycd gives this resource no identity."
            );
            let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
            finding.stack = Some(stack);
            finding.address = snapshot
                .rows_of(file, resource.block)
                .first()
                .map(|row| snapshot.address(*row).to_string());
            findings.push(finding);
        }
    }
}

/// The same of default tags, of which an id does not opt out but is no declaration either.
fn may_opt_out_by_default(tags: &Map) -> bool {
    tags.get(IDENTITY_TAG) != Found::Absent
}
