//! The graph for Graphviz: <https://graphviz.org/doc/info/lang.html>.

use std::fmt::Write;

use super::{Graph, when};

/// Of more objects than these, a tooltip only says how many there are.
const MOST_TOLD: usize = 12;

/// The graph in the language of Graphviz. What is applied first stands at the left.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from(
        "digraph stacks {\n  rankdir=RL\n  node [shape=box, style=rounded, fontname=\"sans-serif\"]\n  \
         edge [fontname=\"sans-serif\", fontsize=10]\n",
    );
    for (at, node) in graph.stacks.iter().enumerate() {
        let name = graph.name(at);
        let claims = counted(node.claims, "claim");
        let marks = match node.cycle {
            Some(_) => ", color=\"#c2410c\", penwidth=2",
            None => "",
        };
        let label = label(name);
        _ = writeln!(out, "  {} [label=\"{label}\\n{claims}\"{marks}]", id(name));
    }
    for it in &graph.dependencies {
        let objects = it.edges.iter().map(|edge| {
            let (identity, _) = graph.object(edge);
            identity.map_or(String::new(), ToString::to_string)
        });
        let marks = match it.cycle {
            Some(_) => ", color=\"#c2410c\", penwidth=2",
            None => "",
        };
        let marks = match it.edges.iter().any(|it| it.when.is_now()) {
            true => marks.to_owned(),
            false => format!("{marks}, style=dotted"),
        };
        _ = writeln!(
            out,
            "  {} -> {} [label=\"{}\", edgetooltip=\"{}\"{marks}]",
            id(graph.name(it.reader)),
            id(graph.name(it.owner)),
            it.edges.len(),
            tooltip(objects, it.edges.len()),
        );
    }
    for it in &graph.lines {
        let groups = it.duplicates.iter().map(|it| graph.duplicates[*it]);
        let objects = groups.map(|it| match &it.realm {
            Some(realm) => format!("{} in {realm}, {}", it.id, when(it.when())),
            None => format!("{}, {}", it.id, when(it.when())),
        });
        let [a, b] = it.stacks.map(|it| id(graph.name(it)));
        _ = writeln!(
            out,
            "  {a} -> {b} [label=\"{}\", edgetooltip=\"{}\", dir=none, style=dashed, \
             color=\"#be123c\", fontcolor=\"#be123c\", constraint=false]",
            counted(it.duplicates.len(), "duplicate"),
            tooltip(objects, it.duplicates.len()),
        );
    }
    out.push_str("}\n");
    out
}

/// A number of things.
pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

fn tooltip(lines: impl Iterator<Item = String>, count: usize) -> String {
    let told: Vec<_> = lines.take(MOST_TOLD).map(|it| label(&it)).collect();
    match count.saturating_sub(MOST_TOLD) {
        0 => told.join("\\n"),
        more => format!("{}\\nand {more} more", told.join("\\n")),
    }
}

/// A name in quotes. Within them a backslash only escapes a quote.
fn id(name: &str) -> String {
    format!("\"{}\"", label(name))
}

/// A text within the quotes of a label, where escapes and HTML's entities are read.
fn label(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            _ if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
