//! The graph as a picture: by itself, or as the drawing of a page.
//!
//! Colours are attributes too, of groups: programs that know no variables of CSS draw what a light
//! page shows.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::dot::counted;
use super::layout::{HEIGHT, Layout, Point, Route, split};
use crate::workspace::When;

use super::{Dependency, Graph, Line};

const STYLE: &str = concat!(
    include_str!("page/palette.css"),
    include_str!("page/drawing.css")
);

const MARKERS: &str = "\
<defs>
<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#818b98\"/></marker>
<marker id=\"arrow-cycle\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"10\" \
markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" \
fill=\"#c2410c\"/></marker>
</defs>
";

/// What a letter takes in width: of a name, and of what stands above it.
const LETTERS: (f64, f64) = (7.0, 5.9);

/// The graph as a picture.
pub(super) fn svg(graph: &Graph) -> String {
    let layout = Layout::new(graph);
    let Point { x, y } = layout.size;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"img\" \
         aria-label=\"{}\" viewBox=\"0 0 {x:.0} {y:.0}\" width=\"{x:.0}\" height=\"{y:.0}\">\n\
         <style>\n{STYLE}</style>\n{}</svg>\n",
        summary(graph),
        drawing(graph, &layout)
    )
}

/// What the graph shows, in a sentence.
pub(super) fn summary(graph: &Graph) -> String {
    let mut told = format!(
        "{}, {}, {} with the same objects",
        counted(graph.stacks.len(), "stack"),
        match graph.dependencies.len() {
            1 => "1 dependency".to_owned(),
            more => format!("{more} dependencies"),
        },
        counted(graph.lines.len(), "pair"),
    );
    if !graph.cycles.is_empty() {
        _ = write!(told, ", {}", counted(graph.cycles.len(), "cycle"));
    }
    if graph.left_out > 0 {
        _ = write!(told, "; {} not shown", counted(graph.left_out, "stack"));
    }
    told
}

/// What stands in the picture: an element for each stack, dependency and line, whose number is its
/// `data-at`.
pub(super) fn drawing(graph: &Graph, layout: &Layout) -> String {
    let mut out = String::from(MARKERS);
    out.push_str("<g id=\"lines\" fill=\"none\" stroke=\"#818b98\" stroke-width=\"1.4\">\n");
    for (at, it) in graph.dependencies.iter().enumerate() {
        dependency(&mut out, graph, (at, it), &layout.dependencies[at]);
    }
    out.push_str("</g>\n<g id=\"duplicates\" fill=\"none\" stroke=\"#be123c\">\n");
    for (at, it) in graph.lines.iter().enumerate() {
        duplicate(&mut out, graph, (at, it), &layout.lines[at]);
    }
    out.push_str("</g>\n");
    if let Some((Point { x, y }, count)) = layout.alone {
        let stacks = counted(count, "stack");
        let y = y + 12.0;
        let title = format!("{stacks} without a line to another");
        _ = writeln!(
            out,
            "<text class=\"title\" x=\"{x:.1}\" y=\"{y:.1}\">{title}</text>"
        );
    }
    out.push_str("<g id=\"stacks\" fill=\"#f6f8fa\" stroke=\"#8c959f\">\n");
    let shared: BTreeSet<usize> = graph.lines.iter().flat_map(|it| it.stacks).collect();
    for at in 0..graph.stacks.len() {
        stack(&mut out, graph, (at, shared.contains(&at)), layout);
    }
    out.push_str("</g>\n");
    out
}

fn dependency(out: &mut String, graph: &Graph, (at, it): (usize, &Dependency), route: &Route) {
    let mut marks = String::from(it.cycle.map_or("", |_| " cycle"));
    if !it.edges.iter().any(|it| it.when.is_now()) {
        marks.push_str(" after-apply");
    }
    let title = format!(
        "{} reads {} of {}",
        graph.name(it.reader),
        counted(it.edges.len(), "object"),
        graph.name(it.owner)
    );
    let (way, title) = (way(route), escaped(&title));
    _ = writeln!(
        out,
        "<path class=\"reads{marks}\" data-at=\"{at}\" marker-end=\"url(#arrow)\" d=\"{way}\">\
         <title>{title}</title></path>"
    );
}

fn duplicate(out: &mut String, graph: &Graph, (at, it): (usize, &Line), route: &Route) {
    let groups = || it.duplicates.iter().map(|it| graph.duplicates[*it]);
    let ends = groups().all(|it| it.when() == When::UntilApplied);
    let marks = if ends { " until-applied" } else { "" };
    let [a, b] = it.stacks.map(|it| graph.name(it));
    let objects = match it.duplicates.len() {
        1 => "the same object".to_owned(),
        more => format!("{more} of the same objects"),
    };
    let title = escaped(&format!("{a} and {b} manage {objects}"));
    let way = way(route);
    _ = writeln!(
        out,
        "<path class=\"duplicate{marks}\" data-at=\"{at}\" stroke-dasharray=\"6 4\" d=\"{way}\">\
         <title>{title}</title></path>"
    );
}

fn stack(out: &mut String, graph: &Graph, (at, is_shared): (usize, bool), layout: &Layout) {
    let node = &graph.stacks[at];
    let stack = graph.stack(at);
    let mut class = String::from("stack");
    if node.cycle.is_some() {
        class.push_str(" cycle");
    }
    if !stack.unreadable.is_empty() {
        class.push_str(" unread");
    }
    let (width, Point { x, y }) = (layout.width, layout.stacks[at]);
    let (above, name) = split(&stack.name);
    let middle = width / 2.0;
    let text = |class: &str, y: f64, text: &str, letter: f64| {
        let most = ((width - 12.0) / letter) as usize;
        let text = escaped(&shortened(text, most));
        format!(
            "<text class=\"{class}\" x=\"{middle:.1}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>"
        )
    };
    _ = write!(
        out,
        "<g class=\"{class}\" data-at=\"{at}\" transform=\"translate({x:.1} {y:.1})\">\
         <title>{}</title><rect width=\"{width:.1}\" height=\"{HEIGHT}\" rx=\"5\"/>",
        escaped(&stack.name)
    );
    if !above.is_empty() {
        out.push_str(&text("above", 15.0, above, LETTERS.1));
    }
    let y = if above.is_empty() { 24.5 } else { 30.0 };
    out.push_str(&text("name", y, name, LETTERS.0));
    if is_shared {
        _ = write!(
            out,
            "<circle cx=\"{width:.1}\" cy=\"0\" r=\"5\" fill=\"#be123c\"/>"
        );
    }
    out.push_str("</g>\n");
}

/// A text of at most so many letters: its end tells more than its beginning.
fn shortened(text: &str, most: usize) -> String {
    let letters = text.chars().count();
    match letters > most {
        true => {
            let rest = text.chars().skip(letters + 1 - most);
            format!("…{}", rest.collect::<String>())
        }
        false => text.to_owned(),
    }
}

/// The way of a line as a path, which leaves and arrives horizontally.
fn way(route: &Route) -> String {
    let mut out = String::new();
    let first = route[0];
    _ = write!(out, "M{:.1} {:.1}", first.x, first.y);
    for hop in route.windows(2) {
        let (from, to) = (hop[0], hop[1]);
        if from.y == to.y {
            _ = write!(out, "H{:.1}", to.x);
            continue;
        }
        // within one column a line goes around, the further the longer it is
        let around = 24.0 + (to.y - from.y).abs().min(400.0) * 0.12;
        let bend = match to.x - from.x {
            0.0 => [from.x + around, to.x + around],
            across => [from.x + across * 0.5, to.x - across * 0.5],
        };
        _ = write!(
            out,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            bend[0], from.y, bend[1], to.y, to.x, to.y
        );
    }
    out
}

/// A text within an element or an attribute in quotes. What XML has no characters for is replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
