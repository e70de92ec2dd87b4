//! Few stacks, by `rust-sugiyama`: it orders the stacks of a column so that few lines cross, and
//! moves them to where lines are short. Lines get room of their own between the stacks that they
//! pass.

use std::collections::BTreeMap;

use rust_sugiyama::configure::{Config, CrossingMinimization, RankingType};
use rust_sugiyama::from_vertices_and_edges;

use super::ranks::{Arc, Ranks};
use super::{BELOW, HEIGHT, Part, Point};

/// Columns of more stacks can be read as lists, and not as a drawing.
const HIGHEST: usize = 24;

/// Of more stacks and lines that pass columns, the engine takes too long.
const MOST: usize = 220;

/// Between two columns: lines change places there.
const BETWEEN: f64 = 84.0;

/// What a line takes of a column that it passes.
const LINE: f64 = 8.0;

/// Whether these stacks are few enough.
pub(super) fn suits(ranks: &Ranks) -> bool {
    let highest = ranks.columns.iter().map(Vec::len).max();
    let stacks: usize = ranks.columns.iter().map(Vec::len).sum();
    let passes: usize = ranks.arcs.iter().map(|it| it.length - 1).sum();
    highest.is_some_and(|it| it <= HIGHEST) && stacks + passes <= MOST
}

/// What the engine is given: stacks first, then the lines in each column that they pass.
struct Given {
    vertices: Vec<(u32, (f64, f64))>,
    /// The column of each.
    columns: Vec<usize>,
    edges: Vec<(u32, u32)>,
    /// By dependency, the first of its vertices, and how many there are.
    passes: BTreeMap<usize, std::ops::Range<usize>>,
    stacks: Vec<usize>,
}

impl Given {
    fn new(ranks: &Ranks) -> Self {
        let mut given = Self {
            vertices: Vec::new(),
            columns: Vec::new(),
            edges: Vec::new(),
            passes: BTreeMap::new(),
            stacks: Vec::new(),
        };
        let mut at = BTreeMap::new();
        for (column, stacks) in ranks.columns.iter().enumerate() {
            for stack in stacks {
                at.insert(*stack, given.add(column, HEIGHT));
                given.stacks.push(*stack);
            }
        }
        for arc in &ranks.arcs {
            given.join(arc, at[&arc.left], at[&arc.right]);
        }
        // the engine does not expect two between the same
        given.edges.sort_unstable();
        given.edges.dedup();
        given
    }

    fn add(&mut self, column: usize, height: f64) -> u32 {
        let at = self.vertices.len() as u32;
        // across columns the engine needs no room: what is made of it is only which column it is
        self.vertices.push((at, (height, 1.0)));
        self.columns.push(column);
        at
    }

    fn join(&mut self, arc: &Arc, left: u32, right: u32) {
        let first = self.vertices.len();
        let column = self.columns[left as usize];
        let mut from = left;
        for step in 1..arc.length {
            let to = self.add(column + step, LINE);
            self.edges.push((from, to));
            from = to;
        }
        self.edges.push((from, right));
        if let Some(dependency) = arc.dependency {
            self.passes.insert(dependency, first..self.vertices.len());
        }
    }
}

/// Where these stacks stand, from the upper left corner of what they take.
pub(super) fn lay_out(ranks: &Ranks, width: f64) -> Part {
    let given = Given::new(ranks);
    let config = Config {
        minimum_length: 1,
        vertex_spacing: BELOW,
        dummy_vertices: false,
        dummy_size: 1.0,
        // every edge leads to the next column, so that this finds the columns that there are
        ranking_type: RankingType::MinimizeEdgeLength,
        c_minimization: CrossingMinimization::Barycenter,
        transpose: true,
    };
    let mut middles = vec![0.0; given.vertices.len()];
    for (vertices, _, _) in from_vertices_and_edges(&given.vertices, &given.edges, &config) {
        for (vertex, (across, _)) in vertices {
            middles[vertex] = across;
        }
    }
    let tops = middles.iter().zip(&given.vertices);
    let top = tops.map(|(middle, (_, (height, _)))| middle - height / 2.0);
    let top = top.fold(f64::INFINITY, f64::min);
    let place = |vertex: usize| Point {
        x: given.columns[vertex] as f64 * (width + BETWEEN),
        y: middles[vertex] - top,
    };
    let stacks = given.stacks.iter().enumerate().map(|(vertex, stack)| {
        let middle = place(vertex);
        let y = middle.y - HEIGHT / 2.0;
        (*stack, Point { y, ..middle })
    });
    let passes = given.passes.iter();
    let passes = passes.map(|(it, vertices)| (*it, vertices.clone().map(place).collect()));
    let bottoms = middles.iter().zip(&given.vertices);
    let bottom = bottoms.map(|(middle, (_, (height, _)))| middle + height / 2.0);
    Part {
        stacks: stacks.collect(),
        passes: passes.collect(),
        size: Point {
            x: ranks.columns.len() as f64 * (width + BETWEEN) - BETWEEN,
            y: bottom.fold(f64::NEG_INFINITY, f64::max) - top,
        },
    }
}
