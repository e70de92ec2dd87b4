//! The stacks of a workspace as a graph: who reads from whom, who manages what another manages, and
//! what leads in circles; and this graph as text, picture and page.
//!
//! Knows nothing of the command line or of the language server protocol.

mod document;
mod dot;
mod layout;
mod mermaid;
mod page;
mod selection;
mod svg;

use std::collections::BTreeMap;

pub use page::LINKS;
pub use selection::{DEPTH, Fault, Selection};

use serde::Deserialize;

use crate::checks;
use crate::identity::{Identity, Realm};
use crate::output;
use crate::workspace::{Edge, Group, Place, RowRef, Snapshot, Stack, When};

/// How a graph is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For Graphviz.
    Dot,
    /// For Mermaid.
    Mermaid,
    /// For a program: one document, with a version.
    Json,
    /// A picture.
    Svg,
    /// A page by itself, that needs nothing else and asks for nothing.
    Html,
}

impl Format {
    /// All of them.
    pub const ALL: &[Self] = &[
        Format::Dot,
        Format::Mermaid,
        Format::Json,
        Format::Svg,
        Format::Html,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Dot => "dot",
            Format::Mermaid => "mermaid",
            Format::Json => "json",
            Format::Svg => "svg",
            Format::Html => "html",
        }
    }

    /// How the names of files in this format end.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Mermaid => "mmd",
            other => other.name(),
        }
    }
}

/// Of a group of more stacks than these not every two are joined by a line.
const MOST_JOINED: usize = 6;

/// The stacks of a workspace, and the lines between them. Everything is sorted: the same snapshot
/// gives the same graph.
pub struct Graph<'a> {
    snapshot: &'a Snapshot,
    /// Sorted by name.
    pub stacks: Vec<Node>,
    /// Sorted by reader and owner.
    pub dependencies: Vec<Dependency>,
    /// Objects that several of the stacks manage, sorted by id.
    pub duplicates: Vec<&'a Group>,
    /// Which stacks have such objects in common, sorted.
    pub lines: Vec<Line>,
    /// The circles that any of the stacks are on, each by the names of all its stacks.
    pub cycles: Vec<Vec<&'a str>>,
    /// How many stacks of the workspace were not selected.
    pub left_out: usize,
}

/// A stack of the graph.
#[derive(Debug)]
pub struct Node {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// How many rows of its state claim an object.
    pub claims: usize,
    /// Which of [`Graph::cycles`] it is on.
    pub cycle: Option<usize>,
}

/// That a stack reads what another owns.
#[derive(Debug)]
pub struct Dependency {
    /// Position in [`Graph::stacks`].
    pub reader: usize,
    /// Position in [`Graph::stacks`].
    pub owner: usize,
    /// Which of [`Graph::cycles`] it is a part of.
    pub cycle: Option<usize>,
    /// Which data sources read what, sorted by reader; never empty.
    pub edges: Vec<Edge>,
}

/// That two stacks manage the same objects.
#[derive(Debug)]
pub struct Line {
    /// Positions in [`Graph::stacks`], the smaller one first.
    pub stacks: [usize; 2],
    /// Positions in [`Graph::duplicates`]; never empty.
    pub duplicates: Vec<usize>,
}

impl<'a> Graph<'a> {
    /// The graph of what is selected of a snapshot. What is left out changes nothing that is said of
    /// the rest: a stack on a circle is so wherever the circle leads.
    ///
    /// # Errors
    /// When no stack has a name, or nothing is in the realm, that was asked for.
    pub fn new(snapshot: &'a Snapshot, selection: &Selection) -> Result<Self, Fault> {
        let circles = circles(snapshot);
        let mut reads: BTreeMap<(usize, usize), Vec<Edge>> = BTreeMap::new();
        let edges = snapshot.edges();
        for edge in edges.filter(|it| selection.is_about(realm_of(snapshot, it))) {
            reads.entry(stacks_of(edge)).or_default().push(*edge);
        }
        let groups = snapshot.duplicates();
        let groups = groups.filter(|it| it.claimants().across_stacks);
        let groups = groups.filter(|it| selection.is_about(it.realm.as_ref()));
        let groups: Vec<(&Group, Vec<usize>)> = groups.map(|it| (it, members(it))).collect();

        let reading = reads.keys().map(|(reader, owner)| vec![*reader, *owner]);
        let sharing = groups.iter().map(|(_, members)| members.clone());
        let chosen = selection.choose(snapshot, reading.chain(sharing))?;

        let mut graph = Self {
            snapshot,
            left_out: snapshot.stacks.len() - chosen.len(),
            stacks: chosen.iter().map(|it| node(snapshot, *it)).collect(),
            dependencies: Vec::new(),
            duplicates: Vec::new(),
            lines: Vec::new(),
            cycles: Vec::new(),
        };
        graph.join(reads);
        graph.join_duplicates(groups);
        for circle in circles {
            graph.mark(&circle);
        }
        Ok(graph)
    }

    /// The graph as a text in this format. In a page, links to sources are made as `links` says.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn told(&self, format: Format, links: &str) -> Result<String, String> {
        match format {
            Format::Dot => Ok(dot::dot(self)),
            Format::Mermaid => Ok(mermaid::mermaid(self)),
            Format::Json => output::json(&document::document(self)),
            Format::Svg => Ok(svg::svg(self)),
            Format::Html => page::page(self, links),
        }
    }

    fn position(&self, stack: usize) -> Option<usize> {
        self.stacks.binary_search_by_key(&stack, |it| it.stack).ok()
    }

    fn join(&mut self, reads: BTreeMap<(usize, usize), Vec<Edge>>) {
        for ((reader, owner), mut edges) in reads {
            if let (Some(reader), Some(owner)) = (self.position(reader), self.position(owner)) {
                edges.sort_by_cached_key(|it| {
                    let address = |row| self.snapshot.address(row).to_string();
                    (address(it.reader), address(it.owner), it.reader, it.owner)
                });
                self.dependencies.push(Dependency {
                    reader,
                    owner,
                    cycle: None,
                    edges,
                });
            }
        }
    }

    fn join_duplicates(&mut self, groups: Vec<(&'a Group, Vec<usize>)>) {
        let mut lines: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
        for (group, members) in groups {
            let members = members.iter().filter_map(|it| self.position(*it));
            let members: Vec<_> = members.collect();
            if members.len() < 2 {
                continue;
            }
            for pair in pairs(&members) {
                lines.entry(pair).or_default().push(self.duplicates.len());
            }
            self.duplicates.push(group);
        }
        let lines = lines.into_iter();
        self.lines = lines
            .map(|(stacks, duplicates)| Line { stacks, duplicates })
            .collect();
    }

    fn mark(&mut self, circle: &[usize]) {
        let here: Vec<_> = circle.iter().filter_map(|it| self.position(*it)).collect();
        if here.is_empty() {
            return;
        }
        let snapshot = self.snapshot;
        let number = self.cycles.len();
        let names = circle.iter().map(|it| &*snapshot.stacks[*it].name);
        self.cycles.push(names.collect());
        for at in &here {
            self.stacks[*at].cycle = Some(number);
        }
        let is_here = |at: &usize| here.binary_search(at).is_ok();
        for it in &mut self.dependencies {
            if is_here(&it.reader) && is_here(&it.owner) {
                it.cycle = Some(number);
            }
        }
    }

    /// A stack by its position in [`Graph::stacks`].
    pub fn stack(&self, at: usize) -> &'a Stack {
        &self.snapshot.stacks[self.stacks[at].stack]
    }

    /// The name of a stack by its position in [`Graph::stacks`].
    pub fn name(&self, at: usize) -> &'a str {
        &self.stack(at).name
    }

    /// What a dependency is about, and its type.
    pub fn object(&self, edge: &Edge) -> (Option<&'a Identity>, &'a str) {
        let resource_type = &self.snapshot.address(edge.owner).resource_type;
        (self.snapshot.object_of(edge), resource_type)
    }

    /// Where a row is shown: at its block, or else at its state.
    fn place(&self, row: RowRef) -> Option<Place> {
        let block = self.snapshot.place(row);
        block.or_else(|| self.snapshot.state_place(row))
    }
}

/// The name of when something stands.
pub fn when(when: When) -> &'static str {
    match when {
        When::Always => "now",
        When::UntilApplied => "until-applied",
        When::AfterApply => "after-apply",
    }
}

fn stacks_of(edge: &Edge) -> (usize, usize) {
    (edge.reader.stack, edge.owner.stack)
}

fn realm_of<'a>(snapshot: &'a Snapshot, edge: &Edge) -> Option<&'a Realm> {
    snapshot.object_of(edge)?.realm.as_ref()
}

/// The stacks that read from each other in circles, now or after the next apply.
fn circles(snapshot: &Snapshot) -> Vec<Vec<usize>> {
    let at = |stand: fn(When) -> bool| {
        let edges = snapshot.edges().filter(move |it| stand(it.when));
        let reads: Vec<_> = edges.map(stacks_of).collect();
        let circles = checks::circles(&reads);
        let within = move |(reader, owner): &(usize, usize)| {
            let mut circles = circles.iter();
            circles.any(|it| it.contains(reader) && it.contains(owner))
        };
        reads.into_iter().filter(within).collect::<Vec<_>>()
    };
    // an edge that ends and one that begins make no circle
    checks::circles(&[at(When::is_now), at(When::is_after)].concat())
}

/// The stacks of those that a group is about, sorted.
fn members(group: &Group) -> Vec<usize> {
    let rows = group.claimants().rows.iter();
    let mut stacks: Vec<_> = rows.map(|it| it.stack).collect();
    stacks.sort_unstable();
    stacks.dedup();
    stacks
}

/// Every two of the sorted members; of many, the first with each other: lines between all of a
/// hundred would hide everything else.
fn pairs(members: &[usize]) -> Vec<[usize; 2]> {
    let firsts = match members.len() > MOST_JOINED {
        true => 1,
        false => members.len(),
    };
    let firsts = members[..firsts].iter().enumerate();
    firsts
        .flat_map(|(at, first)| members[at + 1..].iter().map(|it| [*first, *it]))
        .collect()
}

fn node(snapshot: &Snapshot, at: usize) -> Node {
    let stack = &snapshot.stacks[at];
    let recorded = stack.rows.iter().take(stack.records().len());
    Node {
        stack: at,
        claims: recorded.filter(|it| it.claim.is_ok()).count(),
        cycle: None,
    }
}

#[cfg(test)]
mod tests;
