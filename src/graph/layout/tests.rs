//! What holds of every picture.

use std::collections::BTreeSet;

use super::ranks::{Arc, Ranks};
use super::{HEIGHT, Layout, Point, layered};
use crate::fixture::Fixture;
use crate::graph::tests::{shared, stack};
use crate::graph::{Graph, Selection};

/// Stacks that each read from so many of those before them, some in circles, some that manage what
/// others manage, and some by themselves.
fn workspace(stacks: usize, reads: usize, circles: bool) -> String {
    let mut seed = 11;
    let mut text = String::new();
    for at in 0..stacks {
        let others: Vec<_> = (0..reads)
            .filter(|_| at > 0)
            .map(|_| format!("s{}", random(&mut seed, at)))
            .chain((circles && at % 7 == 1).then(|| format!("s{}", at + 1)))
            .collect();
        let others: Vec<_> = others.iter().map(|it| &**it).collect();
        text += &stack(&format!("s{at}"), "", &others);
    }
    for at in 0..stacks / 5 {
        text += &stack(&format!("alone/a{at}"), "", &[]);
        text += &shared(&format!("pair/{at}"), &format!("b{}", at / 2));
    }
    text
}

#[track_caller]
fn check(text: &str) -> Layout {
    let snapshot = Fixture::new(text).snapshot();
    let graph = Graph::new(&snapshot, &Selection::default()).unwrap();
    let layout = Layout::new(&graph);
    let width = layout.width;
    for (at, a) in layout.stacks.iter().enumerate() {
        assert!(a.x >= 0.0 && a.x + width <= layout.size.x, "{at} at {a:?}");
        assert!(a.y >= 0.0 && a.y + HEIGHT <= layout.size.y, "{at} at {a:?}");
        for b in &layout.stacks[at + 1..] {
            let apart = (a.x - b.x).abs() >= width || (a.y - b.y).abs() >= HEIGHT;
            assert!(apart, "{a:?} lies over {b:?}");
        }
    }
    for (it, route) in graph.dependencies.iter().zip(&layout.dependencies) {
        let (reader, owner) = (layout.stacks[it.reader], layout.stacks[it.owner]);
        let (first, last) = (route[0], route[route.len() - 1]);
        for (end, stack) in [(first, reader), (last, owner)] {
            assert!(end.x == stack.x || end.x == stack.x + width, "{route:?}");
            assert_eq!(end.y, stack.y + HEIGHT / 2.0);
        }
        if it.cycle.is_none() {
            assert!(owner.x + width < reader.x, "an owner right of its reader");
        }
    }
    // the same graph, the same picture
    assert_eq!(format!("{:?}", Layout::new(&graph)), format!("{layout:?}"));
    layout
}

#[test]
fn nothing_lies_over_anything() {
    for (stacks, reads) in [(1, 0), (2, 1), (12, 1), (12, 3), (30, 2), (90, 3)] {
        for circles in [false, true] {
            let text = workspace(stacks, reads, circles && stacks > 2);
            let layout = check(&text);
            assert!(layout.dependencies.iter().all(|it| it.len() >= 2));
        }
    }
}

/// A number below another, as if by chance.
fn random(seed: &mut usize, below: usize) -> usize {
    let next = seed.wrapping_mul(6_364_136_223_846_793_005);
    *seed = next.wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

#[test]
fn the_engine_takes_whatever_columns_there_are() {
    for seed in 0..60 {
        let mut seed = seed;
        let mut columns: Vec<Vec<usize>> = Vec::new();
        let mut stacks = 0;
        for _ in 0..2 + random(&mut seed, 6) {
            let more = 1 + random(&mut seed, 9);
            columns.push((stacks..stacks + more).collect());
            stacks += more;
        }
        let column_of = |stack| columns.iter().position(|it| it.contains(&stack)).unwrap();
        let first = columns[0].len();
        let mut pairs: BTreeSet<(usize, usize)> = (0..first).map(|it| (it, stacks - 1)).collect();
        for stack in first..stacks {
            for _ in 0..1 + random(&mut seed, 3) {
                let before = columns[column_of(stack) - 1][0];
                pairs.insert((random(&mut seed, before + 1), stack));
            }
        }
        let arcs = pairs.iter().enumerate().map(|(at, (left, right))| Arc {
            left: *left,
            right: *right,
            length: column_of(*right) - column_of(*left),
            dependency: Some(at),
        });
        let arcs = arcs.collect();
        let part = layered::lay_out(&Ranks { columns, arcs }, 100.0);
        assert_eq!(part.stacks.len(), stacks);
        for (at, (_, a)) in part.stacks.iter().enumerate() {
            assert!(a.y >= 0.0 && a.y + HEIGHT <= part.size.y + 0.01, "{a:?}");
            for (_, b) in &part.stacks[at + 1..] {
                assert!(a.x != b.x || (a.y - b.y).abs() >= HEIGHT, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_line_passes_between_the_stacks_of_a_column() {
    let text = [
        stack("a", "", &[]),
        stack("b", "", &["a"]),
        stack("c", "", &["b", "a"]),
    ]
    .concat();
    let layout = check(&text);
    // b→a, c→a, c→b
    let route = &layout.dependencies[1];
    assert_eq!(route.len(), 4);
    let beside = layout.stacks[1];
    let passes = [route[1], route[2]];
    assert_eq!(passes.map(|it| it.x), [beside.x + layout.width, beside.x]);
    for Point { y, .. } in passes {
        assert!(y < beside.y || y > beside.y + HEIGHT, "through a stack");
    }
}

#[test]
fn what_only_later_stacks_read_stands_beside_them() {
    let text = [
        stack("a", "", &[]),
        stack("b", "", &["a"]),
        stack("c", "", &["b", "late"]),
        stack("late", "", &[]),
    ]
    .concat();
    let layout = check(&text);
    // a b c late
    assert_eq!(layout.stacks[3].x, layout.stacks[1].x);
}

#[test]
fn what_many_read_stands_in_lists() {
    let mut text = stack("hub", "", &[]);
    for at in 0..120 {
        text += &stack(&format!("reader/{at:03}"), "", &["hub"]);
    }
    let layout = check(&text);
    let ratio = layout.size.x / layout.size.y;
    assert!((1.0..2.5).contains(&ratio), "{:?}", layout.size);
    // by name: down, then to the right
    let readers = &layout.stacks[1..];
    let in_order = |it: &[Point]| (it[0].x, it[0].y) < (it[1].x, it[1].y);
    assert!(readers.windows(2).all(in_order));
}

#[test]
fn stacks_without_a_line_stand_below_all_others() {
    let names = ["a", "m", "z"];
    let text: String = names.iter().map(|it| stack(it, "", &[])).collect();
    let text = text + &stack("x", "", &["y"]) + &stack("y", "", &[]);
    let layout = check(&text);
    // a m x y z
    let lowest = layout.stacks[2].y.max(layout.stacks[3].y) + HEIGHT;
    let (title, count) = layout.alone.unwrap();
    assert_eq!(count, 3);
    assert!(title.y >= lowest);
    for alone in [0, 1, 4] {
        assert!(layout.stacks[alone].y > title.y);
    }
}

#[test]
fn duplicates_are_laid_out_together() {
    let pairs = |from: usize| {
        shared(&format!("s{from}"), "one") + &shared(&format!("s{}", from + 1), "one")
    };
    let layout = check(&(pairs(0) + &pairs(2) + &stack("t", "", &[])));
    assert_eq!(layout.lines.len(), 6);
    assert_eq!(layout.alone.unwrap().1, 1);
}
