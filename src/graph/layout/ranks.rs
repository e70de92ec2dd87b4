//! In which column each of the stacks that lines join stands: right of all that it reads from, where
//! no circle forbids that.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use petgraph::algo::{greedy_feedback_arc_set, toposort};
use petgraph::graphmap::DiGraphMap;
use petgraph::stable_graph::StableDiGraph;
use petgraph::unionfind::UnionFind;
use petgraph::visit::EdgeRef as _;

use crate::graph::Graph;

/// Stacks that lines join, in columns.
pub(super) struct Ranks {
    /// The stacks of each column, from the left to the right, sorted.
    pub(super) columns: Vec<Vec<usize>>,
    /// What leads from a column to one further to the right.
    pub(super) arcs: Vec<Arc>,
}

/// A line from a column to one further to the right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) left: usize,
    pub(super) right: usize,
    /// How many columns further.
    pub(super) length: usize,
    /// Which dependency it is; `None` of one between duplicates.
    pub(super) dependency: Option<usize>,
}

impl Ranks {
    /// The columns of these stacks of a graph.
    pub(super) fn new(graph: &Graph, stacks: &[usize]) -> Self {
        let (pairs, dag) = acyclic(arrows(graph, stacks));
        let mut rank = ranked(&dag, stacks);
        // a column that all have left is none
        let used: BTreeSet<usize> = rank.values().copied().collect();
        let numbers: BTreeMap<usize, usize> = used.into_iter().zip(0..).collect();
        rank.values_mut().for_each(|it| *it = numbers[it]);
        let mut columns: Vec<Vec<usize>> = Vec::new();
        for stack in stacks {
            let at = rank[stack];
            columns.resize(columns.len().max(at + 1), Vec::new());
            columns[at].push(*stack);
        }
        let arc = |(left, right, dependency): (usize, usize, Option<usize>)| Arc {
            left,
            right,
            length: rank[&right] - rank[&left],
            dependency,
        };
        Self {
            columns,
            arcs: pairs.into_iter().map(arc).collect(),
        }
    }
}

type Arrow = (usize, usize, Option<usize>);

/// From owners to readers; between duplicates from the first to the other where nothing else holds
/// them together.
fn arrows(graph: &Graph, stacks: &[usize]) -> Vec<Arrow> {
    let here: HashSet<usize> = stacks.iter().copied().collect();
    let dependencies = graph.dependencies.iter().enumerate();
    let dependencies = dependencies.filter(|(_, it)| here.contains(&it.reader));
    let mut arrows: Vec<Arrow> = dependencies
        .map(|(at, it)| (it.owner, it.reader, Some(at)))
        .collect();
    let mut joined = UnionFind::new(graph.stacks.len());
    for (owner, reader, _) in &arrows {
        joined.union(*owner, *reader);
    }
    let lines = graph.lines.iter().map(|it| it.stacks);
    let lines = lines.filter(|[a, b]| here.contains(a) && joined.union(*a, *b));
    arrows.extend(lines.map(|[a, b]| (a, b, None)));
    arrows
}

/// The same with arrows turned around until none leads in a circle.
fn acyclic(arrows: Vec<Arrow>) -> (Vec<Arrow>, DiGraphMap<usize, ()>) {
    let mut at = BTreeMap::new();
    let mut graph = StableDiGraph::<usize, ()>::new();
    for (from, to, _) in &arrows {
        let [from, to] = [*from, *to].map(|it| {
            let node = at.entry(it).or_insert_with(|| graph.add_node(it));
            *node
        });
        graph.update_edge(from, to, ());
    }
    let turned = greedy_feedback_arc_set(&graph);
    let turned = turned.map(|it| (graph[it.source()], graph[it.target()]));
    let turned: BTreeSet<_> = turned.collect();
    let straight = |(from, to, what): Arrow| match turned.contains(&(from, to)) {
        true => (to, from, what),
        false => (from, to, what),
    };
    let arrows: Vec<_> = arrows.into_iter().map(straight).collect();
    let dag = arrows.iter().map(|(from, to, _)| (*from, *to)).collect();
    (arrows, dag)
}

/// As far to the left as all that leads to it allows; what is read by more than it reads, as far to
/// the right as its readers allow.
fn ranked(dag: &DiGraphMap<usize, ()>, stacks: &[usize]) -> BTreeMap<usize, usize> {
    let order = toposort(dag, None).unwrap_or_default();
    let mut rank: BTreeMap<usize, usize> = stacks.iter().map(|it| (*it, 0)).collect();
    for stack in &order {
        let after = |it| rank[&it] + 1;
        let owners = dag.neighbors_directed(*stack, petgraph::Incoming);
        let at = owners.map(after).max().unwrap_or_default();
        rank.insert(*stack, at);
    }
    for stack in order.iter().rev() {
        let owners = dag.neighbors_directed(*stack, petgraph::Incoming).count();
        let readers = dag.neighbors_directed(*stack, petgraph::Outgoing);
        let readers: Vec<_> = readers.map(|it| rank[&it]).collect();
        let first = readers.iter().min();
        if let Some(first) = first.filter(|_| readers.len() > owners) {
            rank.insert(*stack, first - 1);
        }
    }
    rank
}
