//! Where each stack of a graph stands, and which way each line takes.
//!
//! What is applied first stands at the left. Stacks that lines join, however indirectly, are laid out
//! together: small ones by an engine for layered graphs, large ones in columns that can be read as
//! lists. Those without a line stand in a grid below. Knows nothing of how it is drawn; lengths are
//! in pixels at the scale at which texts are read.

mod columns;
mod layered;
mod ranks;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;

use super::Graph;
use ranks::Ranks;

/// How high the box of a stack is.
pub(super) const HEIGHT: f64 = 40.0;

/// How wide it is at least and at most.
const WIDTHS: (f64, f64) = (96.0, 216.0);

/// What a letter of its name takes in width, and what else there is.
const LETTER: f64 = 7.2;
const PADDING: f64 = 22.0;

/// How much higher than other lines those between duplicates meet a stack.
const ABOVE: f64 = 10.0;

/// Between stacks that stand one below the other.
const BELOW: f64 = 14.0;

/// Between columns of stacks with nothing but stacks between them.
const BESIDE: f64 = 18.0;

/// Around everything, and between parts that no line joins.
const MARGIN: f64 = 32.0;

/// What is taken by the title of a part.
const TITLE: f64 = 26.0;

/// How much wider than high a picture is at its best.
const ASPECT: f64 = 1.6;

/// A place in the picture, from its upper left corner.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A picture of a graph.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) size: Point,
    /// How wide the box of a stack is.
    pub(super) width: f64,
    /// The upper left corner of each stack.
    pub(super) stacks: Vec<Point>,
    /// Of each dependency, from its reader to its owner.
    pub(super) dependencies: Vec<Route>,
    /// Of each line between duplicates.
    pub(super) lines: Vec<Route>,
    /// Where the title above the stacks without a line stands, and how many they are.
    pub(super) alone: Option<(Point, usize)>,
}

/// The way of a line: it leaves each point and arrives at the next horizontally.
pub(super) type Route = Vec<Point>;

/// Stacks that lines join, laid out by themselves.
struct Part {
    /// Each with its upper left corner.
    stacks: Vec<(usize, Point)>,
    /// By dependency: the columns that its line passes between stacks, each at its left end, from the
    /// owner to the reader.
    passes: BTreeMap<usize, Vec<Point>>,
    size: Point,
}

impl Layout {
    pub(super) fn new(graph: &Graph) -> Self {
        let width = width(graph);
        let (joined, alone) = parts(graph);
        let ranks = joined.iter().map(|it| Ranks::new(graph, it));
        let parts: Vec<_> = ranks
            .map(|ranks| match layered::suits(&ranks) {
                true => layered::lay_out(&ranks, width),
                false => columns::lay_out(&ranks, width),
            })
            .collect();
        let mut layout = Self {
            size: Point { x: 0.0, y: 0.0 },
            width,
            stacks: vec![Point { x: 0.0, y: 0.0 }; graph.stacks.len()],
            dependencies: vec![Vec::new(); graph.dependencies.len()],
            lines: Vec::new(),
            alone: None,
        };
        let passes = layout.pack(parts);
        layout.put_alone(&alone);
        layout.size.x += MARGIN;
        layout.size.y += MARGIN;
        layout.route(graph, passes);
        layout
    }

    /// Puts the parts on shelves, the highest first.
    fn pack(&mut self, mut parts: Vec<Part>) -> BTreeMap<usize, Vec<Point>> {
        let area: f64 = parts.iter().map(|it| with_margin(it.size)).sum();
        let widest = parts.iter().map(|it| it.size.x).fold(0.0, f64::max);
        let shelf = widest.max((area * ASPECT).sqrt());
        // the sort is stable: of equal height, the first by name stays the first
        parts.sort_by(|a, b| b.size.y.total_cmp(&a.size.y));
        let mut passes = BTreeMap::new();
        let (mut at, mut bottom) = (
            Point {
                x: MARGIN,
                y: MARGIN,
            },
            MARGIN,
        );
        for part in parts {
            if at.x > MARGIN && at.x + part.size.x > MARGIN + shelf {
                at = Point {
                    x: MARGIN,
                    y: bottom + MARGIN,
                };
            }
            let moved = |it: Point| Point {
                x: at.x + it.x,
                y: at.y + it.y,
            };
            for (stack, corner) in part.stacks {
                self.stacks[stack] = moved(corner);
            }
            let moved = |points: Vec<Point>| points.into_iter().map(moved).collect();
            passes.extend(part.passes.into_iter().map(|(at, it)| (at, moved(it))));
            bottom = f64::max(bottom, at.y + part.size.y);
            self.size.x = self.size.x.max(at.x + part.size.x);
            at.x += part.size.x + MARGIN * 2.0;
            self.size.y = bottom;
        }
        passes
    }

    /// Puts the stacks without a line in a grid, row by row.
    fn put_alone(&mut self, alone: &[usize]) {
        if alone.is_empty() {
            return;
        }
        let (across, down) = (self.width + BESIDE, HEIGHT + BELOW);
        let square = (alone.len() as f64 * down / across * ASPECT).sqrt().ceil();
        let beside = ((self.size.x - MARGIN + BESIDE) / across).floor();
        let columns = beside.max(square).max(1.0) as usize;
        let title = Point {
            x: MARGIN,
            y: self.size.y + MARGIN,
        };
        let top = title.y + TITLE;
        for (at, stack) in alone.iter().enumerate() {
            let corner = Point {
                x: MARGIN + (at % columns) as f64 * across,
                y: top + (at / columns) as f64 * down,
            };
            self.stacks[*stack] = corner;
            self.size.x = self.size.x.max(corner.x + self.width);
            self.size.y = corner.y + HEIGHT;
        }
        self.alone = Some((title, alone.len()));
    }

    fn route(&mut self, graph: &Graph, mut passes: BTreeMap<usize, Vec<Point>>) {
        for (at, it) in graph.dependencies.iter().enumerate() {
            let passes = passes.remove(&at).unwrap_or_default();
            self.dependencies[at] = self.between(it.reader, it.owner, passes);
        }
        let lines = graph.lines.iter();
        let lines = lines.map(|it| {
            let mut route = self.between(it.stacks[0], it.stacks[1], Vec::new());
            route.iter_mut().for_each(|it| it.y -= ABOVE);
            route
        });
        self.lines = lines.collect();
    }

    /// The way from one stack to another by the columns that it passes, which are told from the left
    /// to the right.
    fn between(&self, from: usize, to: usize, passes: Vec<Point>) -> Route {
        let (a, b) = (self.stacks[from], self.stacks[to]);
        let side = |it: Point, right: bool| Point {
            x: it.x + if right { self.width } else { 0.0 },
            y: it.y + HEIGHT / 2.0,
        };
        // of two in one column, both lines begin and end at the right
        let leaves_right = a.x <= b.x;
        let arrives_right = a.x >= b.x;
        let mut route = vec![side(a, leaves_right)];
        let ends = |it: Point| {
            let right = Point {
                x: it.x + self.width,
                y: it.y,
            };
            match leaves_right {
                true => [it, right],
                false => [right, it],
            }
        };
        match leaves_right {
            true => route.extend(passes.into_iter().flat_map(ends)),
            false => route.extend(passes.into_iter().rev().flat_map(ends)),
        }
        route.push(side(b, arrives_right));
        route
    }
}

fn with_margin(size: Point) -> f64 {
    (size.x + MARGIN) * (size.y + MARGIN)
}

/// How wide all stacks are: as the longest name needs.
fn width(graph: &Graph) -> f64 {
    let names = (0..graph.stacks.len()).map(|it| graph.name(it));
    let parts = names.flat_map(|it| {
        let (above, name) = split(it);
        // what stands above is smaller
        [above.chars().count() * 5 / 6, name.chars().count()]
    });
    let letters = parts.max().unwrap_or_default() as f64;
    (letters * LETTER + PADDING).clamp(WIDTHS.0, WIDTHS.1)
}

/// The directory of a stack's name, and the rest.
pub(super) fn split(name: &str) -> (&str, &str) {
    match name.rsplit_once('/') {
        Some((above, name)) if !name.is_empty() => (above, name),
        _ => ("", name),
    }
}

/// The stacks that lines join, and those without a line.
fn parts(graph: &Graph) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut joined = UnionFind::new(graph.stacks.len());
    for it in &graph.dependencies {
        joined.union(it.reader, it.owner);
    }
    for it in &graph.lines {
        joined.union(it.stacks[0], it.stacks[1]);
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for stack in 0..graph.stacks.len() {
        parts.entry(joined.find(stack)).or_default().push(stack);
    }
    let (alone, mut parts): (Vec<_>, Vec<_>) = parts.into_values().partition(|it| it.len() == 1);
    let mut alone = alone.concat();
    alone.sort_unstable();
    parts.sort_unstable();
    (parts, alone)
}
