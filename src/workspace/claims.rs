//! Who claims the same object, and who reads what another owns.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::identity::{Identity, Realm};

use super::change::GroupKey;
use super::snapshot::RowRef;
use super::stack::Stack;

/// Two or more addresses that claim one object, now or after the next apply.
#[derive(Debug)]
pub struct Group {
    /// What they claim.
    pub id: Arc<str>,
    /// Its realm.
    pub realm: Option<Realm>,
    /// Its resource type.
    pub resource_type: Arc<str>,
    /// Who claims it now.
    pub now: Claimants,
    /// Who claims it after the next apply of every stack.
    pub planned: Claimants,
}

/// Who claims one object at one time.
#[derive(Debug, Default)]
pub struct Claimants {
    /// The rows, one for each address, sorted by stack and address.
    pub rows: Vec<RowRef>,
    /// Whether they are of several stacks.
    pub across_stacks: bool,
}

/// When a group stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Now, and after the next apply.
    Always,
    /// Now only: the configuration on screen ends it.
    UntilApplied,
    /// Not yet: the configuration on screen makes it.
    AfterApply,
}

impl Group {
    /// What its claims have in common.
    pub fn key(&self) -> GroupKey {
        GroupKey {
            id: self.id.clone(),
            realm: self.realm.clone(),
            resource_type: self.resource_type.clone(),
        }
    }

    /// When it stands.
    pub fn when(&self) -> When {
        match (self.now.are_several(), self.planned.are_several()) {
            (true, false) => When::UntilApplied,
            (false, _) => When::AfterApply,
            (true, true) => When::Always,
        }
    }

    /// Those that it is about: the planned claimants, unless these alone are no duplicate.
    pub fn claimants(&self) -> &Claimants {
        match self.when() {
            When::UntilApplied => &self.now,
            When::Always | When::AfterApply => &self.planned,
        }
    }
}

impl Claimants {
    /// Whether they are two or more.
    pub fn are_several(&self) -> bool {
        self.rows.len() > 1
    }
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

/// Who claims one object.
#[derive(Default)]
struct Claims {
    now: Vec<RowRef>,
    planned: Vec<RowRef>,
}

/// All duplicates and edges of these stacks.
pub(super) fn index(stacks: &[Stack]) -> (Vec<Group>, Vec<Edge>) {
    let mut claims: HashMap<Key, Claims> = HashMap::new();
    for (at, stack) in stacks.iter().enumerate() {
        for (row, decided) in stack.rows.iter().enumerate() {
            let resource_type = &stack.address(row).resource_type;
            let claim = RowRef { stack: at, row };
            if let Ok(identity) = &decided.claim {
                let of = claims.entry(key(identity, resource_type)).or_default();
                of.now.push(claim);
            }
            if let Some(identity) = decided.planned_claim() {
                let of = claims.entry(key(identity, resource_type)).or_default();
                of.planned.push(claim);
            }
        }
    }
    let groups = claims.iter().filter_map(|(key, it)| group(stacks, key, it));
    let mut groups: Vec<Group> = groups.collect();
    groups.sort_by_cached_key(|it| {
        let of = (it.id.clone(), it.realm.clone(), it.resource_type.clone());
        (of, it.claimants().rows[0])
    });
    let edges = edges(stacks, &claims);
    (groups, edges)
}

/// Who claims an object now, and who after the next apply.
pub(super) fn of(stacks: &[Stack], identity: &Identity, resource_type: &str) -> [Claimants; 2] {
    let wanted = key(identity, resource_type);
    let mut found = Claims::default();
    for (at, stack) in stacks.iter().enumerate() {
        for (row, decided) in stack.rows.iter().enumerate() {
            let is_it = |it: &Identity| key(it, &stack.address(row).resource_type) == wanted;
            let claim = RowRef { stack: at, row };
            if decided.claim.as_ref().is_ok_and(is_it) {
                found.now.push(claim);
            }
            if decided.planned_claim().is_some_and(is_it) {
                found.planned.push(claim);
            }
        }
    }
    [found.now, found.planned].map(|it| claimants(stacks, &it))
}

fn edges(stacks: &[Stack], claims: &HashMap<Key, Claims>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (at, stack) in stacks.iter().enumerate() {
        for (row, decided) in stack.rows.iter().enumerate() {
            let Some(wanted) = &decided.looks_up else {
                continue;
            };
            let owners = claims.get(&key(wanted, &stack.address(row).resource_type));
            let owners = owners.into_iter().flat_map(|it| &it.now);
            let reader = RowRef { stack: at, row };
            let others = owners.filter(|it| !same_state(stacks, it.stack, at));
            edges.extend(others.map(|owner| Edge {
                reader,
                owner: *owner,
            }));
        }
    }
    let address = |it: &RowRef| stacks[it.stack].address(it.row).to_string();
    let order = |it: &Edge| {
        let (reader, owner) = (it.reader, it.owner);
        (reader.stack, address(&reader), owner.stack, address(&owner))
    };
    edges.sort_by_cached_key(order);
    edges.dedup_by_key(|it| order(it));
    edges
}

/// What tells states apart: two stacks may share a file, as two `local` backends may name it.
fn state(stacks: &[Stack], at: usize) -> Result<&Arc<Path>, usize> {
    stacks[at].state.as_ref().map(|it| &it.path).ok_or(at)
}

pub(super) fn same_state(stacks: &[Stack], a: usize, b: usize) -> bool {
    a == b || state(stacks, a) == state(stacks, b)
}

/// The rows as a group, when they stand at two addresses at least, now or after the next apply.
fn group(stacks: &[Stack], key: &Key, claims: &Claims) -> Option<Group> {
    if claims.now.len() < 2 && claims.planned.len() < 2 {
        return None;
    }
    let now = claimants(stacks, &claims.now);
    let planned = claimants(stacks, &claims.planned);
    if !now.are_several() && !planned.are_several() {
        return None;
    }
    let (id, realm, resource_type) = *key;
    Some(Group {
        id: id.into(),
        realm: realm.cloned(),
        resource_type: resource_type.into(),
        now,
        planned,
    })
}

fn claimants(stacks: &[Stack], rows: &[RowRef]) -> Claimants {
    let rows = by_address(stacks, rows);
    let first = rows.first().map(|it| it.stack);
    let other = |it: &RowRef| first.is_some_and(|first| !same_state(stacks, it.stack, first));
    Claimants {
        across_stacks: rows.iter().any(other),
        rows,
    }
}

/// One row for each address. A deposed and a current object at one address never count as two, and
/// neither does one row of a state that two stacks share.
fn by_address(stacks: &[Stack], rows: &[RowRef]) -> Vec<RowRef> {
    let mut rows: Vec<_> = rows
        .iter()
        .map(|it| {
            let stack = &stacks[it.stack];
            let record = stack.record(it.row);
            let deposed = record.is_some_and(|it| it.row.deposed.is_some());
            (it.stack, stack.address(it.row).to_string(), deposed, *it)
        })
        .collect();
    rows.sort_by(|a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    let mut seen = HashSet::new();
    rows.retain(|(at, address, ..)| seen.insert((state(stacks, *at), address.clone())));
    rows.into_iter().map(|it| it.3).collect()
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
        assert_eq!((group.now.rows.len(), group.now.across_stacks), (2, true));
        let twice = text.replace("\ndata.", "\naws_s3_bucket.c arn=arn:aws:s3:::b\ndata.");
        let snapshot = Fixture::new(&twice).snapshot();
        let group = &snapshot.duplicates[0];
        assert_eq!((group.now.rows.len(), group.now.across_stacks), (2, false));
    }
}
