//! The graph for Mermaid: <https://mermaid.js.org/syntax/flowchart.html>.

use std::fmt::Write;

use super::Graph;
use super::dot::counted;

/// The graph as a flowchart of Mermaid. What is applied first stands at the left.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart RL\n");
    for (at, node) in graph.stacks.iter().enumerate() {
        let name = text(graph.name(at));
        let claims = counted(node.claims, "claim");
        let marks = node.cycle.map_or("", |_| ":::cycle");
        _ = writeln!(out, "  n{at}[\"{name}<br>{claims}\"]{marks}");
    }
    let mut on_cycles = Vec::new();
    for (at, it) in graph.dependencies.iter().enumerate() {
        let (reader, owner) = (it.reader, it.owner);
        _ = writeln!(out, "  n{reader} -->|{}| n{owner}", it.edges.len());
        if it.cycle.is_some() {
            on_cycles.push(at.to_string());
        }
    }
    for it in &graph.lines {
        let ([a, b], count) = (it.stacks, it.duplicates.len());
        _ = writeln!(out, "  n{a} -.-|{}| n{b}", counted(count, "duplicate"));
    }
    // a class or a style of nothing is an error
    if !graph.cycles.is_empty() {
        out.push_str("  classDef cycle stroke:#c2410c,stroke-width:3px\n");
    }
    if !on_cycles.is_empty() {
        let on_cycles = on_cycles.join(",");
        _ = writeln!(
            out,
            "  linkStyle {on_cycles} stroke:#c2410c,stroke-width:3px"
        );
    }
    if !graph.lines.is_empty() {
        let first = graph.dependencies.len();
        let lines: Vec<_> = (first..first + graph.lines.len())
            .map(|it| it.to_string())
            .collect();
        _ = writeln!(out, "  linkStyle {} stroke:#be123c", lines.join(","));
    }
    out
}

/// A text within quotes, where entities stand for what would mean something: quotes, HTML, the mark
/// of an entity itself, and the backtick that begins Markdown.
fn text(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            _ if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            '"' | '#' | '<' | '>' | '&' | '`' | ';' | '\\' => {
                _ = write!(out, "#{};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}
