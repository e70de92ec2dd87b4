//! The modules are layers: each uses those before it in the list and none after it.

use std::fs;
use std::path::{Path, PathBuf};

const LAYERS: &[&str] = &[
    "text",
    "identity",
    "syntax",
    "config",
    "eval",
    "state",
    "workspace",
    "checks",
    "refresh",
    "ide",
    "output",
    "graph",
    "server",
    "cli",
];

/// Pairs that could use one another by their order, and must not know each other all the same.
const STRANGERS: &[(&str, &str)] = &[
    ("syntax", "identity"),
    ("state", "syntax"),
    ("state", "config"),
    ("state", "eval"),
    ("output", "checks"),
    ("output", "ide"),
    ("graph", "ide"),
    ("cli", "server"),
    ("ide", "refresh"),
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// The layers that a line of code names: `crate::config::…`, or `crate::{config, eval}`.
fn named(line: &str) -> Vec<&str> {
    let paths = line.split("crate::").skip(1);
    paths
        .flat_map(|rest| rest.trim_start_matches('{').split([',', ' ', '}', ';']))
        .map(|path| path.split("::").next().unwrap_or_default())
        .filter(|it| LAYERS.contains(it))
        .collect()
}

#[test]
fn each_layer_uses_only_those_before_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut seen = 0;
    for path in files {
        let below = path.strip_prefix(&root).unwrap();
        let first = below.components().next().unwrap().as_os_str();
        let layer = first.to_str().unwrap().trim_end_matches(".rs");
        let Some(rank) = LAYERS.iter().position(|it| *it == layer) else {
            assert!(
                ["lib", "main", "fixture"].contains(&layer),
                "{layer} is no layer"
            );
            continue;
        };
        seen += 1;
        let text = fs::read_to_string(&path).unwrap();
        // tests may use what they like
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            for other in named(line.split("//").next().unwrap()) {
                let other_rank = LAYERS.iter().position(|it| *it == other).unwrap();
                let place = format!("{}:{}", below.display(), number + 1);
                assert!(other_rank <= rank, "{place}: {layer} uses {other}");
                let strangers = STRANGERS.contains(&(layer, other));
                assert!(!strangers, "{place}: {layer} must not know {other}");
            }
        }
    }
    assert!(seen > LAYERS.len(), "only {seen} files were read");
}

#[test]
fn only_the_outermost_layers_speak_the_protocol() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for layer in LAYERS.iter().take_while(|it| **it != "server") {
        let mut files = Vec::new();
        match root.join(layer).is_dir() {
            true => sources(&root.join(layer), &mut files),
            false => files.push(root.join(layer).with_extension("rs")),
        }
        for path in files {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("tower_lsp"), "{}", path.display());
        }
    }
}
