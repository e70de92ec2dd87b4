//! Who claims the same object, and who reads what another owns.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::identity::{Identity, Realm};

use super::snapshot::RowRef;
use super::stack::Stack;

/// Two or more addresses that claim one object.
#[derive(Debug)]
pub struct Group {
    /// What they claim.
    pub id: Arc<str>,
    /// Its realm.
    pub realm: Option<Realm>,
    /// Its resource type.
    pub resource_type: Arc<str>,
    /// The rows, one for each address, sorted by stack and address.
    pub claims: Vec<RowRef>,
    /// Whether they are of more than one stack.
    pub across_stacks: bool,
}

/// A data source that reads what a resource of another stack manages.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The data source.
    pub reader: RowRef,
    /// The resource.
    pub owner: RowRef,
}

/// What two rows must share to be one object: id, realm and resource type.
type Key<'a> = (&'a str, Option<&'a Realm>, &'a str);

fn key<'a>(identity: &'a Identity, resource_type: &'a str) -> Key<'a> {
    (&identity.id, identity.realm.as_ref(), resource_type)
}

/// All duplicates and edges of these stacks.
pub(super) fn index(stacks: &[Stack]) -> (Vec<Group>, Vec<Edge>) {
    let mut claims: HashMap<Key, Vec<RowRef>> = HashMap::new();
    for (at, stack) in stacks.iter().enumerate() {
        for (row, decided) in stack.rows.iter().enumerate() {
            if let Ok(identity) = &decided.claim {
                let resource_type = &stack.record(row).row.address.resource_type;
                let claim = RowRef { stack: at, row };
                claims
                    .entry(key(identity, resource_type))
                    .or_default()
                    .push(claim);
            }
        }
    }

    let mut groups: Vec<Group> = claims
        .values()
        .filter(|rows| rows.len() > 1)
        .filter_map(|rows| group(stacks, rows))
        .collect();
    let address = |it: &RowRef| stacks[it.stack].record(it.row).row.address.to_string();
    groups.sort_by_cached_key(|it| {
        let first = it.claims[0];
        (
            it.id.clone(),
            it.realm.clone(),
            it.resource_type.clone(),
            first.stack,
        )
    });

    let mut edges = Vec::new();
    for (at, stack) in stacks.iter().enumerate() {
        for (row, decided) in stack.rows.iter().enumerate() {
            let Some(wanted) = &decided.looks_up else {
                continue;
            };
            let resource_type = &stack.record(row).row.address.resource_type;
            let owners = claims.get(&key(wanted, resource_type));
            let other = |it: &&RowRef| it.stack != at && !same_state(stacks, it.stack, at);
            let others = owners.into_iter().flatten().filter(other);
            let reader = RowRef { stack: at, row };
            edges.extend(others.map(|owner| Edge {
                reader,
                owner: *owner,
            }));
        }
    }
    edges.sort_by_cached_key(|it| {
        (
            it.reader.stack,
            address(&it.reader),
            it.owner.stack,
            address(&it.owner),
        )
    });
    edges.dedup_by_key(|it| {
        (
            it.reader.stack,
            address(&it.reader),
            it.owner.stack,
            address(&it.owner),
        )
    });
    (groups, edges)
}

/// Whether two stacks read one and the same state file, as two `local` backends may name it.
fn same_state(stacks: &[Stack], a: usize, b: usize) -> bool {
    let path = |at: usize| stacks[at].state.as_ref().map(|it| &it.path);
    a == b || path(a) == path(b)
}

/// The rows as a group, when they stand at two addresses at least. A deposed and a current object
/// at one address never count as two, and neither does one row of a state that two stacks share.
fn group(stacks: &[Stack], rows: &[RowRef]) -> Option<Group> {
    let mut by_address: Vec<_> = rows
        .iter()
        .map(|it| {
            let row = &stacks[it.stack].record(it.row).row;
            (it.stack, row.address.to_string(), row.deposed.is_some(), it)
        })
        .collect();
    by_address.sort_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    let mut seen = HashSet::new();
    by_address.retain(|(stack, address, ..)| {
        let state = stacks[*stack].state.as_ref().map(|it| &it.path);
        seen.insert((state, address.clone()))
    });
    if by_address.len() < 2 {
        return None;
    }
    let first = by_address[0].3;
    let identity = stacks[first.stack].rows[first.row].claim.as_ref().ok()?;
    let resource_type = &stacks[first.stack]
        .record(first.row)
        .row
        .address
        .resource_type;
    Some(Group {
        id: identity.id.clone(),
        realm: identity.realm.clone(),
        resource_type: resource_type.clone(),
        across_stacks: by_address
            .iter()
            .any(|it| !same_state(stacks, it.0, first.stack)),
        claims: by_address.into_iter().map(|it| *it.3).collect(),
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;

    #[test]
    fn a_row_of_a_state_that_two_stacks_share_is_one_claim() {
        let stack = |name: &str| {
            format!(
                r#"
#- {name}/main.tf
terraform {{
  backend "local" {{
    path = "../shared.tfstate"
  }}
}}
resource "aws_s3_bucket" "b" {{}}
data "aws_s3_bucket" "b" {{}}
"#
            )
        };
        let shared = "#- shared.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b\ndata.aws_s3_bucket.b arn=arn:aws:s3:::b\n";
        let text = [&*stack("x"), &*stack("y"), shared].concat();
        let snapshot = Fixture::new(&text).snapshot();
        assert_eq!(snapshot.stacks.len(), 2);
        assert!(snapshot.duplicates.is_empty(), "{:#?}", snapshot.duplicates);
        assert!(snapshot.edges.is_empty());

        // another stack's claim stands against it once, and an address of the same state in it
        let other = "#- z/terraform.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b\n";
        let snapshot = Fixture::new(&[&*text, other].concat()).snapshot();
        let group = &snapshot.duplicates[0];
        assert_eq!((group.claims.len(), group.across_stacks), (2, true));
        let twice = text.replace("\ndata.", "\naws_s3_bucket.c arn=arn:aws:s3:::b\ndata.");
        let snapshot = Fixture::new(&twice).snapshot();
        let group = &snapshot.duplicates[0];
        assert_eq!((group.claims.len(), group.across_stacks), (2, false));
    }
}
