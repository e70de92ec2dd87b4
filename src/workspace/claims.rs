//! Who claims the same object, and who reads what another owns.
//!
//! One index over the rows of all stacks. A stack that is decided anew replaces its own entries, and
//! only the objects that they are about are looked at again: the cost follows the edit, not the
//! workspace. A clone is as cheap as a pointer, so that every snapshot has its own.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use arcstr::ArcStr;
use imbl::OrdMap;
use rayon::prelude::*;

use crate::identity::{Identity, Realm};

use super::change::GroupKey;
use super::rows::{Planned, Row};
use super::shards::{Entry, Role, Shards};
use super::snapshot::RowRef;
use super::stack::Stack;

/// Two or more addresses that claim one object, now or after the next apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What they claim.
    pub id: ArcStr,
    /// Its realm.
    pub realm: Option<Realm>,
    /// Its resource type.
    pub resource_type: ArcStr,
    /// Who claims it now.
    pub now: Claimants,
    /// Who claims it after the next apply of every stack.
    pub planned: Claimants,
}

/// Who claims one object at one time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claimants {
    /// The rows, one for each address, sorted by stack and address.
    pub rows: Vec<RowRef>,
    /// Whether they are of several stacks.
    pub across_stacks: bool,
}

/// When a group or an edge stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Now, and after the next apply.
    Always,
    /// Now only: the configuration on screen ends it.
    UntilApplied,
    /// Not yet: the configuration on screen makes it.
    AfterApply,
}

impl When {
    /// Of what stands `now`, and after the next apply, or at one of the two.
    fn of(now: bool, after: bool) -> Self {
        match (now, after) {
            (true, false) => When::UntilApplied,
            (false, _) => When::AfterApply,
            (true, true) => When::Always,
        }
    }

    /// Whether it stands now.
    pub fn is_now(self) -> bool {
        self != When::AfterApply
    }

    /// Whether it stands after the next apply.
    pub fn is_after(self) -> bool {
        self != When::UntilApplied
    }
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
        When::of(self.now.are_several(), self.planned.are_several())
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

/// Who has to do with an id, whatever its realm and type. Sorted by stack and row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OfId {
    /// Who claims it now.
    pub now: Vec<RowRef>,
    /// Who claims it after the next apply, and does not now.
    pub planned: Vec<RowRef>,
    /// The data sources that look its owner up.
    pub readers: Vec<RowRef>,
}

/// A data source that reads what a resource of another stack manages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The data source.
    pub reader: RowRef,
    /// The resource.
    pub owner: RowRef,
    /// Whether it is recorded, and whether it stands after the next apply of both stacks.
    pub when: When,
}

/// What two rows must share to be one object: id, realm and resource type.
type Key<'a> = (&'a ArcStr, Option<&'a Realm>, &'a ArcStr);

fn key<'a>(identity: &'a Identity, resource_type: &'a ArcStr) -> Key<'a> {
    (&identity.id, identity.realm.as_ref(), resource_type)
}

/// The bits of a hash that tell apart what has one id. The others are the id's, so that all that has
/// to do with it stands together, whatever its realm and type.
const NOT_OF_THE_ID: u64 = (1 << 20) - 1;

fn hash((id, realm, resource_type): Key) -> u64 {
    let rest = hash_of(&(realm, resource_type));
    hash_of_id(id) | rest & NOT_OF_THE_ID
}

fn hash_of_id(id: &str) -> u64 {
    hash_of(id) & !NOT_OF_THE_ID
}

fn hash_of(what: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn owned((id, realm, resource_type): Key) -> GroupKey {
    GroupKey {
        id: id.clone(),
        realm: realm.cloned(),
        resource_type: resource_type.clone(),
    }
}

/// The rows of all stacks by what they claim and look up, the objects that several claim, and who
/// reads whose.
#[derive(Clone, Default, Debug)]
pub(super) struct Index {
    entries: Shards,
    /// Objects that are claimed at more than one address.
    pub(super) groups: OrdMap<GroupKey, Arc<Group>>,
    /// By the reader's stack, sorted by addresses.
    edges: OrdMap<usize, Arc<[Edge]>>,
}

/// What an update of the index has changed.
#[derive(Default)]
pub(super) struct Changed {
    pub(super) groups: BTreeSet<GroupKey>,
    pub(super) edges: bool,
}

impl Index {
    /// The index of all these stacks.
    pub(super) fn new(stacks: &[Arc<Stack>]) -> Self {
        let all = stacks.par_iter().enumerate();
        let all = all.flat_map_iter(|(at, stack)| entries(at, stack));
        let mut index = Self {
            entries: Shards::new(all.collect()),
            ..Self::default()
        };
        let mut readers = BTreeSet::new();
        let mut groups = Vec::new();
        for same in index.entries.by_hash().filter(|it| it.len() > 1) {
            groups.extend(groups_of(stacks, same));
            readers.extend(readers_of(same));
        }
        index.groups = groups.into_iter().collect();
        for reader in readers {
            index.look_up(stacks, reader);
        }
        index
    }

    /// Follows a change of some stacks, which keep their positions.
    pub(super) fn replace(
        &mut self,
        before: &[Arc<Stack>],
        stacks: &[Arc<Stack>],
        changed: &BTreeSet<usize>,
    ) -> Changed {
        let all = |of: &[Arc<Stack>]| -> Vec<Entry> {
            let changed = changed.iter();
            changed.flat_map(|at| entries(*at, &of[*at])).collect()
        };
        let (old, new) = (all(before), all(stacks));
        let mut told = Changed::default();
        // of those that end, and of those that stand elsewhere now
        for entry in old.iter().filter(|it| self.entries.of(it.hash).len() > 1) {
            let group = key_of(before, entry).map(owned);
            if let Some(group) = group.filter(|it| self.groups.remove(it).is_some()) {
                told.groups.insert(group);
            }
        }
        self.entries.replace(&old, &new);
        let hashes: HashSet<u64> = old.iter().chain(&new).map(|it| it.hash).collect();
        for hash in hashes {
            for (key, group) in groups_of(stacks, self.entries.of(hash)) {
                told.groups.insert(key.clone());
                self.groups.insert(key, group);
            }
        }
        let mut readers = changed.clone();
        for hash in self.owned_otherwise(before, stacks, changed, (&old, &new)) {
            readers.extend(readers_of(self.entries.of(hash)));
        }
        for reader in readers {
            let before = self.edges.get(&reader).cloned();
            self.look_up(stacks, reader);
            told.edges |= before.as_ref() != self.edges.get(&reader);
        }
        told
    }

    /// What somebody may own now who did not before, or not any more, or at another address. An edit
    /// that leaves a stack its state and its claims changes nothing for those who read from it.
    fn owned_otherwise(
        &self,
        before: &[Arc<Stack>],
        stacks: &[Arc<Stack>],
        changed: &BTreeSet<usize>,
        (old, new): (&[Entry], &[Entry]),
    ) -> HashSet<u64> {
        let has_its_state = |at: &usize| stacks[*at].has_the_state_of(&before[*at]);
        let with_others = changed.iter().copied().filter(|it| !has_its_state(it));
        let with_others: BTreeSet<usize> = with_others.collect();
        let (known, now): (HashSet<_>, HashSet<_>) = (old.iter().collect(), new.iter().collect());
        let is_other = |it: &&&Entry| {
            let stays = known.contains(**it) && now.contains(**it);
            !stays || with_others.contains(&it.at().stack)
        };
        let all = known.iter().chain(&now);
        all.filter(is_other).map(|it| it.hash).collect()
    }

    /// The edges of all stacks, sorted by reader.
    pub(super) fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.values().flat_map(|it| &**it)
    }

    /// The edges of the readers of one stack, sorted by reader.
    pub(super) fn edges_from(&self, stack: usize) -> &[Edge] {
        self.edges.get(&stack).map_or(&[], |it| it)
    }

    /// The edges to what a row claims.
    pub(super) fn edges_to(&self, stacks: &[Arc<Stack>], owner: RowRef) -> Vec<Edge> {
        let resource_type = &stacks[owner.stack].address(owner.row).resource_type;
        let claims = claims(&stacks[owner.stack].rows[owner.row]);
        let keys = claims.map(|it| hash(key(it, resource_type)));
        let readers = keys.flat_map(|it| readers_of(self.entries.of(it)));
        // in order, and each once
        let readers: BTreeSet<usize> = readers.collect();
        let edges = readers.into_iter().flat_map(|it| self.edges_from(it));
        edges.filter(|it| it.owner == owner).copied().collect()
    }

    /// Who claims an object now, and who after the next apply.
    pub(super) fn claimants(
        &self,
        stacks: &[Arc<Stack>],
        identity: &Identity,
        resource_type: &ArcStr,
    ) -> [Claimants; 2] {
        let wanted = key(identity, resource_type);
        let same = self.entries.of(hash(wanted)).iter();
        let same = same.filter(|it| key_of(stacks, it) == Some(wanted));
        Claims::of(same).told(stacks)
    }

    /// Who has to do with an id. Its cost is theirs, not the index's.
    pub(super) fn of_id(&self, stacks: &[Arc<Stack>], id: &str) -> OfId {
        let mut of_id = OfId::default();
        let first = hash_of_id(id);
        for entry in self.entries.between(first, first | NOT_OF_THE_ID) {
            if key_of(stacks, entry).is_none_or(|(it, ..)| *it != *id) {
                continue;
            }
            let rows = match entry.role() {
                Role::Ends | Role::Changes | Role::Stays => &mut of_id.now,
                Role::Will => &mut of_id.planned,
                Role::LooksUp | Role::WillLookUp => &mut of_id.readers,
            };
            rows.push(entry.at());
        }
        let OfId {
            now,
            planned,
            readers,
        } = &mut of_id;
        // one that stays what it is in a realm of another name is there twice
        planned.retain(|it| !now.contains(it));
        let all = [now, planned, readers];
        all.into_iter().for_each(|it| {
            it.sort();
            it.dedup();
        });
        of_id
    }

    /// The objects that a row is to be found under: now, and after the next apply.
    pub(super) fn keys_of(stacks: &[Arc<Stack>], at: RowRef) -> impl Iterator<Item = GroupKey> {
        let row = &stacks[at.stack].rows[at.row];
        let resource_type = &stacks[at.stack].address(at.row).resource_type;
        claims(row).map(move |it| owned(key(it, resource_type)))
    }

    /// Finds the owners of what the data sources of a stack read, now and after the next apply.
    fn look_up(&mut self, stacks: &[Arc<Stack>], reader: usize) {
        let mut found: BTreeMap<(String, usize, String), Edge> = BTreeMap::new();
        let address = |it: RowRef| stacks[it.stack].address(it.row).to_string();
        for row in 0..stacks[reader].rows.len() {
            let reader = RowRef { stack: reader, row };
            for edge in self.owners(stacks, reader) {
                let owner = edge.owner;
                let place = (address(reader), owner.stack, address(owner));
                // a deposed and a current object at one address are one owner
                let known = found.entry(place).or_insert(edge);
                known.when = When::of(
                    known.when.is_now() || edge.when.is_now(),
                    known.when.is_after() || edge.when.is_after(),
                );
            }
        }
        match found.is_empty() {
            true => _ = self.edges.remove(&reader),
            false => _ = self.edges.insert(reader, found.into_values().collect()),
        }
    }

    /// The edges of one data source, one for each time at which it has the owner.
    fn owners(&self, stacks: &[Arc<Stack>], reader: RowRef) -> Vec<Edge> {
        let stack = &stacks[reader.stack];
        let row = &stack.rows[reader.row];
        let resource_type = &stack.address(reader.row).resource_type;
        let claimed = |identity: &Identity| {
            let wanted = key(identity, resource_type);
            let entries = self.entries.of(hash(wanted)).iter();
            let same = entries.filter(|it| key_of(stacks, it) == Some(wanted));
            let others = same.filter(|it| !same_state(stacks, it.at().stack, reader.stack));
            others.map(|it| (it.at(), it.role())).collect::<Vec<_>>()
        };
        let mut edges = Vec::new();
        for (owner, role) in row.looks_up.as_deref().map(claimed).unwrap_or_default() {
            let after = match role {
                Role::Stays => matches!(row.planned, Planned::Same),
                Role::Ends => false,
                // it reads the tags that its owner has then
                Role::Changes => matches!(row.planned, Planned::Same) && reads_tags(stack, reader),
                Role::Will | Role::LooksUp | Role::WillLookUp => continue,
            };
            let when = When::of(true, after);
            edges.push(Edge {
                reader,
                owner,
                when,
            });
        }
        for (owner, role) in row.planned_look_up().map(claimed).unwrap_or_default() {
            if matches!(role, Role::Will | Role::Stays) {
                let when = When::AfterApply;
                edges.push(Edge {
                    reader,
                    owner,
                    when,
                });
            }
        }
        edges
    }
}

/// Whether a data source tells the tags of what it reads. An inventory does not say.
fn reads_tags(stack: &Stack, reader: RowRef) -> bool {
    let record = stack.record(reader.row);
    record.is_some_and(|it| it.row.attributes.tags.is_some() || it.decided.is_some())
}

/// What a row claims, now and after the next apply.
fn claims(row: &Row) -> impl Iterator<Item = &Identity> {
    [row.claim.as_ref().ok(), row.planned_claim()]
        .into_iter()
        .flatten()
}

/// The entries of one stack.
fn entries(at: usize, stack: &Stack) -> Vec<Entry> {
    let mut found = Vec::with_capacity(stack.rows.len());
    for (row, decided) in stack.rows.iter().enumerate() {
        let resource_type = &stack.address(row).resource_type;
        let mut add = |identity: &Identity, role| {
            let hash = hash(key(identity, resource_type));
            found.push(Entry::new(hash, RowRef { stack: at, row }, role));
        };
        let same = |a: &Identity, b: &Identity| key(a, resource_type) == key(b, resource_type);
        match (decided.claim.as_ref().ok(), decided.planned_claim()) {
            (Some(now), Some(planned)) if same(now, planned) => add(now, Role::Stays),
            (Some(now), Some(planned)) => {
                add(now, Role::Changes);
                add(planned, Role::Will);
            }
            (Some(now), None) => add(now, Role::Ends),
            (None, Some(planned)) => add(planned, Role::Will),
            (None, None) => {}
        }
        let (now, planned) = (decided.looks_up.as_deref(), decided.planned_look_up());
        if let Some(now) = now {
            add(now, Role::LooksUp);
        }
        if let Some(planned) = planned.filter(|it| now.is_none_or(|now| !same(now, it))) {
            add(planned, Role::WillLookUp);
        }
    }
    found
}

/// What an entry is about.
fn key_of<'a>(stacks: &'a [Arc<Stack>], entry: &Entry) -> Option<Key<'a>> {
    let at = entry.at();
    let stack = &stacks[at.stack];
    let row = &stack.rows[at.row];
    let identity = match entry.role() {
        Role::Ends | Role::Changes | Role::Stays => row.claim.as_ref().ok(),
        Role::Will => row.planned_claim(),
        Role::LooksUp => row.looks_up.as_deref(),
        Role::WillLookUp => row.planned_look_up(),
    };
    Some(key(identity?, &stack.address(at.row).resource_type))
}

/// The stacks with a data source that looks for an owner.
fn readers_of(same: &[Entry]) -> impl Iterator<Item = usize> {
    let reads = |it: &&Entry| matches!(it.role(), Role::LooksUp | Role::WillLookUp);
    let looks_up = same.iter().filter(reads);
    let mut stacks: Vec<_> = looks_up.map(|it| it.at().stack).collect();
    stacks.dedup();
    stacks.into_iter()
}

/// The groups among entries of one hash: hardly ever more than one.
fn groups_of(stacks: &[Arc<Stack>], same: &[Entry]) -> Vec<(GroupKey, Arc<Group>)> {
    if same.len() < 2 {
        return Vec::new();
    }
    let mut claims: Vec<(Key, Claims)> = Vec::new();
    for entry in same {
        let Some(key) = key_of(stacks, entry) else {
            continue;
        };
        match claims.iter_mut().find(|(it, _)| *it == key) {
            Some((_, claims)) => claims.add(entry),
            None => claims.push((key, Claims::of([entry]))),
        }
    }
    let groups = claims.into_iter().filter_map(|(key, claims)| {
        let key = owned(key);
        Some((key.clone(), Arc::new(group(stacks, key, &claims)?)))
    });
    groups.collect()
}

/// Who claims one object.
#[derive(Default)]
struct Claims {
    now: Vec<RowRef>,
    planned: Vec<RowRef>,
}

impl Claims {
    fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut claims = Self::default();
        entries.into_iter().for_each(|it| claims.add(it));
        claims
    }

    fn add(&mut self, entry: &Entry) {
        let at = entry.at();
        match entry.role() {
            Role::Ends | Role::Changes => self.now.push(at),
            Role::Will => self.planned.push(at),
            Role::Stays => {
                self.now.push(at);
                self.planned.push(at);
            }
            Role::LooksUp | Role::WillLookUp => {}
        }
    }

    fn told(&self, stacks: &[Arc<Stack>]) -> [Claimants; 2] {
        [&self.now, &self.planned].map(|it| claimants(stacks, it))
    }
}

/// What tells states apart: two stacks may share a file, as two `local` backends may name it.
fn state(stacks: &[Arc<Stack>], at: usize) -> Result<&Arc<Path>, usize> {
    stacks[at].state.as_ref().map(|it| &it.path).ok_or(at)
}

pub(super) fn same_state(stacks: &[Arc<Stack>], a: usize, b: usize) -> bool {
    a == b || state(stacks, a) == state(stacks, b)
}

/// The rows as a group, when they stand at two addresses at least, now or after the next apply.
fn group(stacks: &[Arc<Stack>], key: GroupKey, claims: &Claims) -> Option<Group> {
    if claims.now.len() < 2 && claims.planned.len() < 2 {
        return None;
    }
    let [now, planned] = claims.told(stacks);
    let stands = now.are_several() || planned.are_several();
    stands.then_some(Group {
        id: key.id,
        realm: key.realm,
        resource_type: key.resource_type,
        now,
        planned,
    })
}

fn claimants(stacks: &[Arc<Stack>], rows: &[RowRef]) -> Claimants {
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
fn by_address(stacks: &[Arc<Stack>], rows: &[RowRef]) -> Vec<RowRef> {
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
        assert_eq!(snapshot.duplicates().count(), 0);
        assert_eq!(snapshot.edges().count(), 0);

        // another stack's claim stands against it once, and an address of the same state in it
        let other = "#- z/terraform.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b\n";
        let snapshot = Fixture::new(&[&*text, other].concat()).snapshot();
        let group = snapshot.duplicates().next().unwrap();
        assert_eq!((group.now.rows.len(), group.now.across_stacks), (2, true));
        let twice = text.replace("\ndata.", "\naws_s3_bucket.c arn=arn:aws:s3:::b\ndata.");
        let snapshot = Fixture::new(&twice).snapshot();
        let group = snapshot.duplicates().next().unwrap();
        assert_eq!((group.now.rows.len(), group.now.across_stacks), (2, false));
    }

    #[test]
    fn an_id_has_all_who_have_to_do_with_it_whatever_its_realm_and_type() {
        let text = r#"
#- a/main.tf
resource "aws_sns_topic" "moves" {
  tags = { "gantrycd:resource-identity" = "x", "gantrycd:resource-identity-realm" = "two" }
}
resource "aws_s3_bucket" "new" {
  tags = { "gantrycd:resource-identity" = "x" }
}
#- a/terraform.tfstate
aws_sqs_queue.q id=x
aws_sns_topic.moves id=x realm=one
aws_sqs_queue.other id=y
aws_s3_bucket.new arn=arn:aws:s3:::new
#- b/terraform.tfstate
aws_iam_role.r id=x realm=two
data.aws_iam_role.d id=x
data.aws_iam_role.e id=xy
"#;
        let snapshot = Fixture::new(text).snapshot();
        let of_id = snapshot.of_id("x");
        let names = |rows: &[super::RowRef]| {
            let one = |it: &super::RowRef| snapshot.address(*it).to_string();
            rows.iter().map(one).collect::<Vec<_>>()
        };
        // the topic is one, in whatever realm
        assert_eq!(
            names(&of_id.now),
            ["aws_sqs_queue.q", "aws_sns_topic.moves", "aws_iam_role.r"]
        );
        assert_eq!(names(&of_id.planned), ["aws_s3_bucket.new"]);
        assert_eq!(names(&of_id.readers), ["data.aws_iam_role.d"]);
        assert_eq!(snapshot.of_id("X"), super::OfId::default());
        assert_eq!(snapshot.of_id(""), super::OfId::default());
    }
}
