//! The graph as a page by itself: the drawing, what there is to tell, and a script that shows it.
//!
//! The page asks for nothing: its policy allows the one script and the one style sheet that are in
//! it, by their hashes, and nothing else. A webview may use it as it is, or put another policy in
//! the place of that one `meta` element. Where a function `acquireVsCodeApi` is there, a click on a
//! source is a message to the editor, `{type: 'open', path, line, character}`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Graph;
use super::document::{Document, document};
use super::layout::Layout;
use super::svg::{drawing, summary};

const PAGE: &str = include_str!("page/graph.html");
/// In a block: no name of it is one of the page's.
const SCRIPT: &str = concat!(
    "\"use strict\";\n{\n",
    include_str!("page/stacks.js"),
    include_str!("page/moving.js"),
    include_str!("page/panel.js"),
    include_str!("page/choosing.js"),
    include_str!("page/finding.js"),
    include_str!("page/keys.js"),
    "}\n"
);
const STYLE: &str = concat!(
    include_str!("page/graph.css"),
    include_str!("page/drawing.css")
);

/// How a page links to a source if nobody says. `{path}` is absolute, `{relative}` below the root of
/// the workspace, `{line}` and `{column}` count from 1.
pub const LINKS: &str = "file://{path}";

/// What the script is given.
#[derive(Serialize)]
struct Data<'a> {
    graph: Document<'a>,
    /// The workspace's absolute root; empty where no link needs it.
    root: String,
    links: &'a str,
}

/// The graph as a page, whose links to sources are made as `links` says.
///
/// # Errors
/// When its data cannot be written.
pub(super) fn page(graph: &Graph, links: &str) -> Result<String, String> {
    let layout = Layout::new(graph);
    let root = match links.contains("{path}") {
        true => graph.snapshot.root.to_string_lossy().into_owned(),
        false => String::new(),
    };
    let data = Data {
        graph: document(graph),
        root,
        links,
    };
    let data = serde_json::to_string(&data).map_err(|it| it.to_string())?;
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    Ok(filled(
        PAGE,
        &[
            ("policy", policy),
            ("style", STYLE.to_owned()),
            ("summary", summary(graph)),
            ("width", format!("{:.0}", layout.size.x)),
            ("height", format!("{:.0}", layout.size.y)),
            ("drawing", drawing(graph, &layout)),
            // nothing in it may end the element that it is in
            ("data", data.replace('<', "\\u003c")),
            ("script", SCRIPT.to_owned()),
        ],
    ))
}

/// What a policy calls a script or a style sheet by: <https://www.w3.org/TR/CSP3/#grammardef-hash-source>.
fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    format!("sha256-{}", BASE64_STANDARD.encode(digest))
}

/// A text with `{{name}}` replaced. What is put in is not looked at again.
fn filled(text: &str, values: &[(&str, String)]) -> String {
    let mut out = String::new();
    for part in text.split("{{") {
        let Some((name, rest)) = part.split_once("}}") else {
            out.push_str(part);
            continue;
        };
        let value = values.iter().find(|(it, _)| *it == name);
        let (_, value) = value.expect("the page names what there is");
        out.push_str(value);
        out.push_str(rest);
    }
    out
}
