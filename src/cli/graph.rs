//! `graph`: who reads from whom, and who manages the same objects, as text, picture or page.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::graph::{DEPTH, Fault, Format, Graph, LINKS, Selection};

/// What to draw of what, and how.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The workspace, or a part of it where a directory above holds gantrycd.hcl
    #[arg(default_value = ".")]
    path: PathBuf,
    /// How to draw it
    #[arg(long, value_enum)]
    format: Format,
    /// Only stacks whose names match, and those near them
    #[arg(long = "stack", value_name = "GLOB")]
    stacks: Vec<String>,
    /// How many lines away from such a stack another is still near
    #[arg(long, value_name = "LINES", requires = "stacks", default_value_t = DEPTH)]
    depth: usize,
    /// Only lines about objects of this realm, and the stacks that they join; '' is for objects
    /// without a realm
    #[arg(long)]
    realm: Option<String>,
    /// How a page links to sources: {path} is absolute, {relative} below the root of the workspace,
    /// {line} and {column} count from 1
    #[arg(long, value_name = "TEMPLATE", default_value = LINKS, value_parser = links)]
    links: String,
    /// Write it to FILE
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        Format::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let about = match self {
            Format::Dot => "For Graphviz",
            Format::Mermaid => "For Mermaid, which many forges and wikis draw",
            Format::Json => "For a program: one document, with a version",
            Format::Svg => "A picture",
            Format::Html => "A page by itself, to look around in",
        };
        Some(PossibleValue::new(self.name()).help(about))
    }
}

/// A template of links whose names are all known: a page with any other leads nowhere.
fn links(text: &str) -> Result<String, String> {
    let opened = text.match_indices('{').map(|(at, _)| &text[at + 1..]);
    let names = opened.filter_map(|it| it.split_once('}')).map(|it| it.0);
    for name in names {
        if !matches!(name, "path" | "relative" | "line" | "column") {
            return Err(format!(
                "there is no {{{name}}}, only {{path}}, {{relative}}, {{line}} and {{column}}"
            ));
        }
    }
    Ok(text.to_owned())
}

/// Draws the graph. The exit code is 1 where a glob matches no stack, or nothing is in the realm.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let realm = arguments.realm.as_deref();
    let selection = Selection::new(&arguments.stacks, arguments.depth, realm);
    let selection = selection.map_err(|it| it.to_string())?;
    let read = super::read(&arguments.path)?;
    super::warn_of_states(&read.snapshot);
    let graph = match Graph::new(&read.snapshot, &selection) {
        Ok(graph) => graph,
        Err(why @ (Fault::NoStack(_) | Fault::NoRealm(_))) => {
            eprintln!("{why}");
            return Ok(ExitCode::from(1));
        }
        Err(why) => return Err(why.to_string()),
    };
    let text = graph.told(arguments.format, &arguments.links)?;
    match &arguments.output {
        Some(file) => {
            let told = |why| format!("{}: {why}", file.display());
            fs::write(file, text).map_err(told)?;
        }
        None => super::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}
