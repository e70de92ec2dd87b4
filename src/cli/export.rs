//! `export`: what is recorded. Tags come from the states, comments from the configuration.

use std::fmt::Write;
use std::process::ExitCode;

use serde::Serialize;

use crate::identity::Row;
use crate::state::Resource;
use crate::text::visible;
use crate::workspace::{Group, RowRef, Snapshot, Stack, header};

use super::output::{Columns, Location, Named, State, VERSION};
use super::{Format, On};

/// Prints every row with its identity, the duplicates and the dependencies.
pub(super) fn run(on: &On) -> Result<ExitCode, String> {
    let read = super::read(&on.path)?;
    super::warn_of_states(&read.snapshot);
    match on.format {
        Format::Json => super::print_json(&Export::new(&read.snapshot))?,
        Format::Text => super::print(&text(&read.snapshot))?,
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Export<'a> {
    version: u32,
    stacks: Vec<ExportedStack<'a>>,
    duplicates: Vec<Duplicate<'a>>,
    dependencies: Vec<Dependency<'a>>,
}

#[derive(Serialize)]
struct ExportedStack<'a> {
    name: &'a str,
    directory: Box<str>,
    workspace: &'a str,
    state: Option<State<'a>>,
    resources: Vec<Resource<'a, Location>>,
}

#[derive(Serialize)]
struct Duplicate<'a> {
    cloud_identity_id: &'a str,
    cloud_identity_realm: Option<&'a str>,
    r#type: &'a str,
    across_stacks: bool,
    claims: Vec<Named<'a>>,
}

#[derive(Serialize)]
struct Dependency<'a> {
    reader: Named<'a>,
    owner: Named<'a>,
    #[serde(flatten)]
    identity: Columns<'a>,
    r#type: &'a str,
}

impl<'a> Export<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let stacks = snapshot.stacks.iter().enumerate();
        let duplicates = recorded_duplicates(snapshot);
        let edges = snapshot.edges().filter(|it| it.when.is_now());
        Self {
            version: VERSION,
            stacks: stacks.map(|(at, it)| stack(snapshot, at, it)).collect(),
            duplicates: duplicates.map(|it| duplicate(snapshot, it)).collect(),
            dependencies: edges
                .map(|edge| Dependency {
                    reader: Named::new(snapshot, edge.reader),
                    owner: Named::new(snapshot, edge.owner),
                    identity: Columns::new(snapshot.row(edge.owner).claim.as_ref().ok()),
                    r#type: &snapshot.address(edge.owner).resource_type,
                })
                .collect(),
        }
    }
}

fn stack<'a>(snapshot: &'a Snapshot, at: usize, stack: &'a Stack) -> ExportedStack<'a> {
    let records = stack.records().enumerate();
    let mut resources: Vec<_> = records
        .map(|(row, it)| resource(snapshot, RowRef { stack: at, row }, &it.row))
        .collect();
    resources.sort_by(|a, b| a.order().cmp(&b.order()));
    ExportedStack {
        name: &stack.name,
        directory: snapshot.relative(&stack.directory),
        workspace: &stack.workspace,
        state: stack.state.as_ref().map(|it| State::new(snapshot, it)),
        resources,
    }
}

fn resource<'a>(snapshot: &'a Snapshot, at: RowRef, record: &'a Row) -> Resource<'a, Location> {
    let row = snapshot.row(at);
    let source = row.site.map(|site| {
        let block = snapshot.stack(at).resource(site).base();
        Location::new(snapshot, &header(block))
    });
    Resource::new(record, row.claim.as_ref(), row.looks_up.as_deref(), source)
}

fn recorded_duplicates(snapshot: &Snapshot) -> impl Iterator<Item = &Group> {
    let groups = snapshot.duplicates();
    groups.filter(|it| it.now.are_several())
}

fn duplicate<'a>(snapshot: &'a Snapshot, group: &'a Group) -> Duplicate<'a> {
    let claims = group.now.rows.iter();
    Duplicate {
        cloud_identity_id: &group.id,
        cloud_identity_realm: group.realm.as_ref().map(|it| it.as_str()),
        r#type: &group.resource_type,
        across_stacks: group.now.across_stacks,
        claims: claims.map(|it| Named::new(snapshot, *it)).collect(),
    }
}

/// The same for a person: a line for each row, then duplicates and dependencies.
fn text(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for (at, stack) in snapshot.stacks.iter().enumerate() {
        _ = writeln!(out, "{}", visible(&stack.name));
        for row in 0..stack.records().len() {
            let row = RowRef { stack: at, row };
            _ = writeln!(out, "  {}  {}", snapshot.address(row), what(snapshot, row));
        }
    }
    let named = |it: RowRef| {
        let stack = &snapshot.stack(it).name;
        visible(&format!("{} of {stack}", snapshot.address(it)))
    };
    for group in recorded_duplicates(snapshot) {
        let claims: Vec<_> = group.now.rows.iter().map(|it| named(*it)).collect();
        _ = writeln!(
            out,
            "duplicate {}: {}",
            visible(&group.id),
            claims.join(", ")
        );
    }
    for edge in snapshot.edges().filter(|it| it.when.is_now()) {
        _ = writeln!(out, "{} reads {}", named(edge.reader), named(edge.owner));
    }
    out
}

fn what(snapshot: &Snapshot, row: RowRef) -> String {
    let row = snapshot.row(row);
    match (&row.claim, row.looks_up.as_deref()) {
        (Ok(identity), _) => visible(&identity.to_string()),
        (Err(_), Some(identity)) => visible(&format!("reads {identity}")),
        (Err(reason), None) => visible(&format!("none: {reason}")),
    }
}
