//! Many stacks: each column in as many lists, sorted by name, as make the whole as wide as it should
//! be. Lines pass behind the stacks.

use std::collections::BTreeMap;

use super::ranks::Ranks;
use super::{ASPECT, BELOW, BESIDE, HEIGHT, Part, Point};

/// Between what is applied first and what is applied after it, at least and at most: the more lists
/// stand one below the other, the more lines change places there.
const BETWEEN: (f64, f64) = (64.0, 150.0);

/// Where these stacks stand, from the upper left corner of what they take.
pub(super) fn lay_out(ranks: &Ranks, width: f64) -> Part {
    let highest = ranks.columns.iter().map(Vec::len).max().unwrap_or(1);
    let distance = |rows: usize| {
        let size = size(ranks, width, rows);
        ((size.x / size.y).ln() - ASPECT.ln()).abs()
    };
    let rows = (1..=highest).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    let rows = rows.unwrap_or(1);
    let (most, size) = (rows, size(ranks, width, rows));
    let mut stacks = Vec::new();
    let mut x = 0.0;
    for column in &ranks.columns {
        // lists of equal length rather than full ones and a rest
        let lists = column.len().div_ceil(rows);
        let rows = column.len().div_ceil(lists);
        let top = (size.y - height(rows)) / 2.0;
        for (at, stack) in column.iter().enumerate() {
            let corner = Point {
                x: x + (at / rows) as f64 * (width + BESIDE),
                y: top + (at % rows) as f64 * (HEIGHT + BELOW),
            };
            stacks.push((*stack, corner));
        }
        x += lists as f64 * (width + BESIDE) - BESIDE + between(most);
    }
    Part {
        stacks,
        passes: BTreeMap::new(),
        size,
    }
}

/// What is between columns with lists of so many stacks.
fn between(rows: usize) -> f64 {
    (rows as f64 * 4.0).clamp(BETWEEN.0, BETWEEN.1)
}

fn height(rows: usize) -> f64 {
    rows as f64 * (HEIGHT + BELOW) - BELOW
}

/// What all takes with lists of so many stacks.
fn size(ranks: &Ranks, width: f64, rows: usize) -> Point {
    let columns = ranks.columns.iter();
    let lists: usize = columns.map(|it| it.len().div_ceil(rows)).sum();
    let gaps = (ranks.columns.len() - 1) as f64;
    let x = lists as f64 * (width + BESIDE) + gaps * (between(rows) - BESIDE) - BESIDE;
    Point { x, y: height(rows) }
}
