//! The graph for a program, and for the page that shows it. The fields are stable.

use serde::Serialize;

use crate::output::{Columns, Location, StateAndTime, VERSION};
use crate::text::Span;
use crate::workspace::{self, Group, Place, RowRef};

use super::{Dependency, Graph, Line, Node, when};

/// The document of one graph.
#[derive(Serialize)]
pub struct Document<'a> {
    version: u32,
    stacks: Vec<Stack<'a>>,
    dependencies: Vec<Reads<'a>>,
    duplicates: Vec<Duplicate<'a>>,
    duplicate_lines: Vec<Shares<'a>>,
    cycles: &'a [Vec<&'a str>],
    /// How many stacks of the workspace were not selected.
    left_out: usize,
}

#[derive(Serialize)]
struct Stack<'a> {
    name: &'a str,
    directory: Box<str>,
    workspace: &'a str,
    /// How many rows its state has.
    rows: usize,
    /// How many of them claim an object.
    claims: usize,
    state: Option<StateAndTime<'a>>,
    /// States that should have been read and could not be.
    unreadable: Vec<Unreadable<'a>>,
    /// The backend block, or else its first file; of a stack without configuration, its state.
    source: Option<Location>,
    /// Which of the cycles it is on.
    cycle: Option<usize>,
}

#[derive(Serialize)]
struct Unreadable<'a> {
    path: Box<str>,
    problem: &'a str,
}

#[derive(Serialize)]
struct Reads<'a> {
    reader: &'a str,
    owner: &'a str,
    /// Which of the cycles it is a part of.
    cycle: Option<usize>,
    objects: Vec<Object<'a>>,
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    identity: Columns<'a>,
    r#type: &'a str,
    /// `now`, `until-applied` or `after-apply`.
    when: &'a str,
    reader: Row,
    owner: Row,
}

#[derive(Serialize)]
struct Row {
    address: String,
    source: Option<Location>,
}

#[derive(Serialize)]
struct Duplicate<'a> {
    cloud_identity_id: &'a str,
    cloud_identity_realm: Option<&'a str>,
    r#type: &'a str,
    /// `now`, `until-applied` or `after-apply`.
    when: &'a str,
    claims: Vec<Claim<'a>>,
}

#[derive(Serialize)]
struct Claim<'a> {
    stack: &'a str,
    #[serde(flatten)]
    row: Row,
}

#[derive(Serialize)]
struct Shares<'a> {
    stacks: [&'a str; 2],
    /// Which of the duplicates.
    duplicates: &'a [usize],
}

/// The graph for a program.
pub fn document<'a>(graph: &'a Graph<'a>) -> Document<'a> {
    let dependencies = graph.dependencies.iter();
    let duplicates = graph.duplicates.iter();
    Document {
        version: VERSION,
        stacks: graph.stacks.iter().map(|it| stack(graph, it)).collect(),
        dependencies: dependencies.map(|it| reads(graph, it)).collect(),
        duplicates: duplicates.map(|it| duplicate(graph, it)).collect(),
        duplicate_lines: graph.lines.iter().map(|it| shares(graph, it)).collect(),
        cycles: &graph.cycles,
        left_out: graph.left_out,
    }
}

fn stack<'a>(graph: &'a Graph, node: &Node) -> Stack<'a> {
    let snapshot = graph.snapshot;
    let stack = &snapshot.stacks[node.stack];
    let unreadable = stack.unreadable.iter().map(|it| Unreadable {
        path: snapshot.relative(&it.path),
        problem: &it.problem,
    });
    let state = stack.state.as_ref();
    Stack {
        name: &stack.name,
        directory: snapshot.relative(&stack.directory),
        workspace: &stack.workspace,
        rows: stack.records().len(),
        claims: node.claims,
        state: state.map(|it| StateAndTime::new(snapshot, it)),
        unreadable: unreadable.collect(),
        source: source(stack).map(|it| Location::new(snapshot, &it)),
        cycle: node.cycle,
    }
}

/// Where a stack is shown.
fn source(stack: &workspace::Stack) -> Option<Place> {
    let of_state = || {
        let state = stack.state.as_ref().map(|it| &it.path);
        let unread = stack.unreadable.first().map(|it| &it.path);
        let path = state.or(unread)?.clone();
        let span = Span::at(0);
        Some(Place { path, span })
    };
    let block = stack.backend_place().map(|(file, span)| Place {
        path: file.path.clone(),
        span,
    });
    block.or_else(of_state)
}

fn reads<'a>(graph: &'a Graph, dependency: &Dependency) -> Reads<'a> {
    let objects = dependency.edges.iter().map(|edge| {
        let (identity, resource_type) = graph.object(edge);
        Object {
            identity: Columns::new(identity),
            r#type: resource_type,
            when: when(edge.when),
            reader: row(graph, edge.reader),
            owner: row(graph, edge.owner),
        }
    });
    Reads {
        reader: graph.name(dependency.reader),
        owner: graph.name(dependency.owner),
        cycle: dependency.cycle,
        objects: objects.collect(),
    }
}

fn row(graph: &Graph, at: RowRef) -> Row {
    let place = graph.place(at);
    Row {
        address: graph.snapshot.address(at).to_string(),
        source: place.map(|it| Location::new(graph.snapshot, &it)),
    }
}

fn duplicate<'a>(graph: &'a Graph, group: &'a Group) -> Duplicate<'a> {
    let claims = group.claimants().rows.iter().map(|it| Claim {
        stack: &graph.snapshot.stack(*it).name,
        row: row(graph, *it),
    });
    Duplicate {
        cloud_identity_id: &group.id,
        cloud_identity_realm: group.realm.as_ref().map(|it| it.as_str()),
        r#type: &group.resource_type,
        when: when(group.when()),
        claims: claims.collect(),
    }
}

fn shares<'a>(graph: &'a Graph, line: &'a Line) -> Shares<'a> {
    Shares {
        stacks: line.stacks.map(|it| graph.name(it)),
        duplicates: &line.duplicates,
    }
}
