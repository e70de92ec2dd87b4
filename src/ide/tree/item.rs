//! How a line of the tree is spelled out.

use std::time::SystemTime;

use crate::identity::Realm;
use crate::workspace::{Edge, Group, Place, Planned, RowRef, Snapshot, Stack, When};

use super::{Entry, Item, Kind, Node};
use crate::checks::age;

/// More names than these are counted, not listed.
const MOST: usize = 10;

pub(super) fn item(snapshot: &Snapshot, entry: &Entry) -> Item {
    match entry {
        Entry::Duplicates => {
            let count = snapshot.duplicate_count();
            let (node, description) = match count {
                0 => (None, "none".to_owned()),
                n => (Some(Node::Duplicates), n.to_string()),
            };
            Item {
                description,
                is_open: count <= MOST,
                ..Item::new(Kind::Duplicates, "Duplicates", node)
            }
        }
        Entry::Duplicate(group) => duplicate(snapshot, group),
        Entry::Directory { stacks, within } => {
            let (label, node) = match *within {
                "" => ("Stacks", Node::Stacks(String::new())),
                within => {
                    let name = within.trim_end_matches('/');
                    let parent = name.rfind('/').map_or(0, |it| it + 1);
                    (&name[parent..], Node::Stacks(within.to_owned()))
                }
            };
            let node = Some(node).filter(|_| !stacks.is_empty());
            Item {
                description: stacks.len().to_string(),
                is_open: within.is_empty(),
                ..Item::new(Kind::Stacks, label, node)
            }
        }
        Entry::Stack { stack, within } => {
            let stack = &snapshot.stacks[*stack];
            of_stack(snapshot, stack, &stack.name[within.len()..])
        }
        Entry::List {
            kind,
            label,
            node,
            count,
        } => Item {
            description: match kind {
                Kind::ReadsFrom | Kind::ReadBy => counted(*count, "stack"),
                _ => count.to_string(),
            },
            ..Item::new(*kind, label, Some(node.clone()))
        },
        Entry::Row(at) => row(snapshot, *at),
        Entry::Claimant(at) => Item {
            description: snapshot.stack(*at).name.to_string(),
            kind: Kind::DuplicateResource,
            ..row(snapshot, *at)
        },
        Entry::Neighbour {
            reader,
            owner,
            from_reader,
            count,
        } => {
            let name = |at: &usize| snapshot.stacks[*at].name.to_string();
            let (kind, other) = match from_reader {
                true => (Kind::ReadsFrom, name(owner)),
                false => (Kind::ReadBy, name(reader)),
            };
            let node = Node::Reads {
                reader: name(reader),
                owner: name(owner),
                from_reader: *from_reader,
            };
            Item {
                description: counted(*count, "data source"),
                ..Item::new(kind, &other, Some(node))
            }
        }
        Entry::Edge { edge, from_reader } => of_edge(snapshot, edge, *from_reader),
    }
}

/// A part of a long list, from an entry on.
pub(super) fn page(snapshot: &Snapshot, of: &Node, from: usize, entries: &[Entry]) -> Item {
    let label = |it: Option<&Entry>| it.map(|it| item(snapshot, it).label).unwrap_or_default();
    let (first, last) = (label(entries.first()), label(entries.last()));
    let node = Node::Page(Box::new(of.clone()), from);
    Item {
        description: format!("{first} … {last}"),
        ..Item::new(
            Kind::Page,
            &format!("{} to {}", from + 1, from + entries.len()),
            Some(node),
        )
    }
}

fn duplicate(snapshot: &Snapshot, group: &Group) -> Item {
    let rows = &group.claimants().rows;
    let (kind, when) = match group.when() {
        When::Always => (Kind::Duplicate, ""),
        When::UntilApplied => (Kind::EndingDuplicate, "until the next apply: "),
        When::AfterApply => (Kind::Duplicate, "after the next apply: "),
    };
    let identity = told(&group.id, group.realm.as_ref());
    let mut lines = vec![identity.clone(), group.resource_type.to_string()];
    let named = rows.iter().take(MOST);
    lines.extend(
        named.map(|it| format!("{} of {}", snapshot.address(*it), snapshot.stack(*it).name)),
    );
    if rows.len() > MOST {
        lines.push(format!("and {} more", rows.len() - MOST));
    }
    Item {
        description: format!("{when}{identity}"),
        tooltip: lines.join("\n"),
        ..Item::new(
            kind,
            &group.resource_type,
            Some(Node::Duplicate {
                id: group.id.to_string(),
                realm: group.realm.as_ref().map(|it| it.as_str().to_owned()),
                resource_type: group.resource_type.to_string(),
            }),
        )
    }
}

fn of_stack(snapshot: &Snapshot, stack: &Stack, label: &str) -> Item {
    let now = SystemTime::now();
    let (description, mut lines) = match &stack.state {
        None => ("no state".to_owned(), vec![stack.name.to_string()]),
        Some(state) => {
            let count = counted(stack.records().len(), "resource");
            let written = state.modified.and_then(|it| now.duration_since(it).ok());
            let cached = written.map(|it| format!(", cached {} ago", age(it)));
            let cached = cached.unwrap_or_default();
            let path = snapshot.relative(&state.path);
            (
                count.clone(),
                vec![stack.name.to_string(), format!("{path}: {count}{cached}")],
            )
        }
    };
    let unreadable = stack.unreadable.iter();
    lines.extend(unreadable.map(|it| format!("{}: {}", snapshot.relative(&it.path), it.problem)));
    let place = stack.backend_place().map(|(file, span)| Place {
        path: file.path.clone(),
        span,
    });
    let kind = match stack.unreadable.is_empty() {
        true => Kind::Stack,
        false => Kind::UnreadableStack,
    };
    Item {
        description,
        tooltip: lines.join("\n"),
        place,
        ..Item::new(kind, label, Some(Node::Stack(stack.name.to_string())))
    }
}

fn row(snapshot: &Snapshot, at: RowRef) -> Item {
    let (address, stack) = (snapshot.address(at).to_string(), snapshot.stack(at));
    let row = snapshot.row(at);
    let now = row.claim.as_ref().map(|it| it.to_string());
    let after = row.planned_claim().map(|it| it.to_string());
    let is_recorded = stack.record(at.row).is_some();
    let (description, mut lines) = match (&now, &after) {
        (Ok(now), _) => (now.clone(), vec![now.clone()]),
        (Err(_), Some(after)) => (format!("after the next apply {after}"), Vec::new()),
        (Err(reason), None) if is_recorded => (
            reason.name().to_owned(),
            vec![format!("no identity: {reason}")],
        ),
        (Err(_), None) => ("not in the state yet".to_owned(), Vec::new()),
    };
    match (&row.planned, after) {
        (Planned::Gone, _) => lines.push("gone after the next apply".to_owned()),
        (_, after) if after.as_ref() == now.as_ref().ok() => {}
        (_, Some(after)) => lines.push(format!("after the next apply {after}")),
        (_, None) => lines.push("no identity after the next apply".to_owned()),
    }
    let kind = match snapshot.duplicate(at) {
        Some(_) => Kind::DuplicateResource,
        None => Kind::Resource,
    };
    lines.insert(0, format!("{address} of {}", stack.name));
    Item {
        description,
        tooltip: lines.join("\n"),
        place: snapshot.place(at),
        ..Item::new(kind, &address, None)
    }
}

fn of_edge(snapshot: &Snapshot, edge: &Edge, from_reader: bool) -> Item {
    let name = |at| format!("{} of {}", snapshot.address(at), snapshot.stack(at).name);
    let address = |at| snapshot.address(at).to_string();
    let (label, description) = match from_reader {
        true => (
            address(edge.reader),
            format!("reads {}", address(edge.owner)),
        ),
        false => (
            address(edge.owner),
            format!("is read by {}", address(edge.reader)),
        ),
    };
    let identity = snapshot.object_of(edge);
    let identity = identity.map(|it| format!("\n{it}")).unwrap_or_default();
    let (own, kind) = match from_reader {
        true => (edge.reader, Kind::DataSource),
        false => (edge.owner, Kind::Resource),
    };
    Item {
        description,
        tooltip: format!("{} reads {}{identity}", name(edge.reader), name(edge.owner)),
        place: snapshot.place(own),
        ..Item::new(kind, &label, None)
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn told(id: &str, realm: Option<&Realm>) -> String {
    match realm {
        Some(realm) => format!("{id} in realm {realm}"),
        None => id.to_owned(),
    }
}

impl Item {
    fn new(kind: Kind, label: &str, node: Option<Node>) -> Self {
        Self {
            node,
            label: label.to_owned(),
            description: String::new(),
            tooltip: String::new(),
            kind,
            place: None,
            is_open: false,
        }
    }
}
