//! The workspace as a tree to look through: stacks, what they claim, what several claim, and who
//! reads from whom.
//!
//! Nothing is kept: what stands below a node is worked out from the snapshot when somebody opens it,
//! and only what is seen of it is spelled out. A list that is too long for a person comes in pages.
//! Knows nothing of how it is drawn.

mod item;
mod stacks;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identity::{Mode, Realm};
use crate::workspace::{Edge, Group, GroupKey, Place, Row, RowRef, Snapshot};

use item::{item, page};

/// A longer list comes in pages of so many.
pub const PAGE: usize = 200;

/// A node that somebody may open. It means the same in a later snapshot, in which it may be gone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Node {
    /// All objects that several addresses claim.
    Duplicates,
    /// Who claims one of them.
    Duplicate {
        /// The id that they claim.
        id: String,
        /// Its realm.
        realm: Option<String>,
        /// Its resource type.
        resource_type: String,
    },
    /// The stacks whose names begin so.
    Stacks(String),
    /// A stack, by its name.
    Stack(String),
    /// The duplicates that a stack takes part in.
    DuplicatesOf(String),
    /// The resources of a stack with an identity, and those that will have one.
    Claims(String),
    /// The managed resources of a stack without one.
    Others(String),
    /// The stacks that a stack reads from.
    ReadsFrom(String),
    /// The stacks that read from a stack.
    ReadBy(String),
    /// What one stack reads from another.
    Reads {
        /// The one that reads.
        reader: String,
        /// The one that owns what is read.
        owner: String,
        /// Whether it is looked at from the reader's side.
        from_reader: bool,
    },
    /// A part of a list that is too long: from this entry on.
    Page(Box<Node>, usize),
}

/// A line of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// What it is for whoever opens it; `None` where nothing stands below it.
    pub node: Option<Node>,
    /// What it is called.
    pub label: String,
    /// What is said beside that.
    pub description: String,
    /// What is said when somebody points at it, in lines.
    pub tooltip: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// Where it stands.
    pub place: Option<Place>,
    /// Whether it is open from the start.
    pub is_open: bool,
}

/// What kind of thing a line is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A list of duplicates.
    Duplicates,
    /// An object that several addresses claim.
    Duplicate,
    /// One that the configuration on screen ends.
    EndingDuplicate,
    /// A list of stacks, or a directory of them.
    Stacks,
    /// A stack.
    Stack,
    /// A stack of which a state could not be read.
    UnreadableStack,
    /// A list of resources with an identity.
    Claims,
    /// A list of resources without one.
    Others,
    /// A resource.
    Resource,
    /// A resource whose object another claims too.
    DuplicateResource,
    /// A data source that reads what another stack owns.
    DataSource,
    /// The stacks that a stack reads from.
    ReadsFrom,
    /// The stacks that read from a stack.
    ReadBy,
    /// A part of a long list.
    Page,
}

/// What stands below a node; without one, at the top. Nothing stands below a node that is gone.
pub fn children(snapshot: &Snapshot, node: Option<&Node>) -> Vec<Item> {
    let spelled = |entries: &[Entry]| entries.iter().map(|it| item(snapshot, it)).collect();
    match node {
        None => spelled(&[
            Entry::Duplicates,
            Entry::Directory {
                stacks: 0..snapshot.stacks.len(),
                within: "",
            },
        ]),
        Some(Node::Page(of, from)) => {
            let entries = below(snapshot, of);
            let rest = entries.get(*from..).unwrap_or_default();
            spelled(&rest[..rest.len().min(PAGE)])
        }
        Some(node) => {
            let entries = below(snapshot, node);
            if entries.len() <= PAGE {
                return spelled(&entries);
            }
            let pages = entries.chunks(PAGE).enumerate();
            pages
                .map(|(at, entries)| page(snapshot, node, at * PAGE, entries))
                .collect()
        }
    }
}

/// What a line is about. It is spelled out when it is seen.
enum Entry<'a> {
    /// All duplicates.
    Duplicates,
    Duplicate(&'a Group),
    /// Stacks whose names begin with `within`.
    Directory {
        stacks: std::ops::Range<usize>,
        within: &'a str,
    },
    /// A stack, in a list of stacks whose names begin so.
    Stack {
        stack: usize,
        within: &'a str,
    },
    /// A list of one stack, and how many there are in it.
    List {
        kind: Kind,
        label: &'static str,
        node: Node,
        count: usize,
    },
    /// A row among those of its stack.
    Row(RowRef),
    /// A row among those of other stacks.
    Claimant(RowRef),
    /// What one stack reads from another, as seen from one of them.
    Neighbour {
        reader: usize,
        owner: usize,
        from_reader: bool,
        count: usize,
    },
    Edge {
        edge: Edge,
        from_reader: bool,
    },
}

fn below<'a>(snapshot: &'a Snapshot, node: &Node) -> Vec<Entry<'a>> {
    match node {
        Node::Duplicates => snapshot.duplicates().map(Entry::Duplicate).collect(),
        Node::Duplicate {
            id,
            realm,
            resource_type,
        } => {
            let realm = realm.as_ref().map(|it| Realm::parse(it));
            let Ok(realm) = realm.transpose() else {
                return Vec::new();
            };
            let key = GroupKey {
                id: id.as_str().into(),
                realm,
                resource_type: resource_type.as_str().into(),
            };
            let group = snapshot.group(&key);
            let rows = group.into_iter().flat_map(|it| &it.claimants().rows);
            rows.map(|it| Entry::Claimant(*it)).collect()
        }
        Node::Stacks(within) => stacks::below(snapshot, within),
        Node::Stack(name)
        | Node::DuplicatesOf(name)
        | Node::Claims(name)
        | Node::Others(name)
        | Node::ReadsFrom(name)
        | Node::ReadBy(name) => match position(snapshot, name) {
            Some(stack) => of_stack(snapshot, node, stack),
            None => Vec::new(),
        },
        Node::Reads {
            reader,
            owner,
            from_reader,
        } => {
            let both = (position(snapshot, reader), position(snapshot, owner));
            let (Some(reader), Some(owner)) = both else {
                return Vec::new();
            };
            let edges = snapshot.edges_from(reader).iter();
            let edges = edges.filter(|it| it.owner.stack == owner);
            edges
                .map(|it| Entry::Edge {
                    edge: *it,
                    from_reader: *from_reader,
                })
                .collect()
        }
        // there are no pages of pages
        Node::Page(..) => Vec::new(),
    }
}

fn of_stack<'a>(snapshot: &'a Snapshot, node: &Node, stack: usize) -> Vec<Entry<'a>> {
    match node {
        Node::Stack(name) => lists(snapshot, name, stack),
        Node::DuplicatesOf(_) => {
            let groups = duplicates(snapshot, stack).into_values();
            groups.map(Entry::Duplicate).collect()
        }
        Node::Claims(_) => rows(snapshot, stack, claims).map(Entry::Row).collect(),
        Node::Others(_) => rows(snapshot, stack, claims_nothing)
            .map(Entry::Row)
            .collect(),
        Node::ReadsFrom(_) => owners(snapshot, stack)
            .into_iter()
            .map(|(owner, count)| Entry::Neighbour {
                reader: stack,
                owner,
                from_reader: true,
                count,
            })
            .collect(),
        Node::ReadBy(_) => readers(snapshot, stack)
            .into_iter()
            .map(|(reader, count)| Entry::Neighbour {
                reader,
                owner: stack,
                from_reader: false,
                count,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// What there is to be told of a stack. What there is nothing of is left out.
fn lists<'a>(snapshot: &Snapshot, name: &str, stack: usize) -> Vec<Entry<'a>> {
    let list = |kind, label, node: fn(String) -> Node, count| Entry::List {
        kind,
        label,
        node: node(name.to_owned()),
        count,
    };
    let duplicates = duplicates(snapshot, stack).len();
    let (claims, others) = (
        rows(snapshot, stack, claims).count(),
        rows(snapshot, stack, claims_nothing).count(),
    );
    let (owners, readers) = (
        owners(snapshot, stack).len(),
        readers(snapshot, stack).len(),
    );
    let mut all = vec![
        list(
            Kind::Duplicates,
            "Duplicates",
            Node::DuplicatesOf,
            duplicates,
        ),
        list(Kind::Claims, "Claims", Node::Claims, claims),
        list(Kind::Others, "Without identity", Node::Others, others),
        list(Kind::ReadsFrom, "Reads from", Node::ReadsFrom, owners),
        list(Kind::ReadBy, "Read by", Node::ReadBy, readers),
    ];
    all.retain(|it| matches!(it, Entry::List { count: 1.., .. }));
    all
}

/// The position of the stack of this name.
fn position(snapshot: &Snapshot, name: &str) -> Option<usize> {
    let by_name = snapshot.stacks.binary_search_by(|it| (*it.name).cmp(name));
    by_name.ok()
}

/// The managed rows of a stack that are so.
fn rows(
    snapshot: &Snapshot,
    stack: usize,
    is_so: fn(&Row) -> bool,
) -> impl Iterator<Item = RowRef> {
    let of = &snapshot.stacks[stack];
    let rows = of.rows.iter().enumerate();
    let rows = rows.filter(move |(row, it)| of.address(*row).mode == Mode::Managed && is_so(it));
    rows.map(move |(row, _)| RowRef { stack, row })
}

fn claims(row: &Row) -> bool {
    row.claim.is_ok() || row.planned_claim().is_some()
}

fn claims_nothing(row: &Row) -> bool {
    !claims(row)
}

/// The duplicates that a stack takes part in.
fn duplicates(snapshot: &Snapshot, stack: usize) -> BTreeMap<GroupKey, &Group> {
    let groups = rows(snapshot, stack, claims).filter_map(|it| snapshot.duplicate(it));
    groups.map(|it| (it.key(), it)).collect()
}

/// The stacks that a stack reads from, and how much of each.
fn owners(snapshot: &Snapshot, stack: usize) -> BTreeMap<usize, usize> {
    let edges = snapshot.edges_from(stack).iter();
    counted(edges.map(|it| it.owner.stack))
}

/// The stacks that read from a stack, and how much each.
fn readers(snapshot: &Snapshot, stack: usize) -> BTreeMap<usize, usize> {
    let edges = rows(snapshot, stack, claims).flat_map(|it| snapshot.edges_to(it));
    counted(edges.map(|it| it.reader.stack))
}

fn counted(stacks: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    stacks.for_each(|it| *counts.entry(it).or_default() += 1);
    counts
}
