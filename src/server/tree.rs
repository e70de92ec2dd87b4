//! `gantrycd/tree`: the workspace as a tree to look through, a node at a time.
//!
//! `{node}` names a node by the id that it came with; without one, what is at the top is asked for.
//! An id says what it is about, not where that stood: it outlives edits, and the server's end.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Location;

use crate::ide::tree::{Kind, Node, children};
use crate::workspace::Snapshot;

use super::convert::location;
use super::session::Settings;
use super::view::View;

/// The request.
pub(super) const METHOD: &str = "gantrycd/tree";

#[derive(Deserialize)]
pub(super) struct Params {
    #[serde(default)]
    node: Option<String>,
}

/// A line of the tree.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    /// Of a line that nothing stands below: none.
    id: Option<String>,
    label: String,
    description: String,
    tooltip: String,
    kind: Shown,
    location: Option<Location>,
    has_children: bool,
    /// Whether it is open from the start.
    is_open: bool,
}

/// What kind of thing a line is.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown {
    Workspace(&'static str),
    Of(Kind),
}

/// A node of one of the client's workspaces.
#[derive(Serialize, Deserialize)]
pub(super) struct Of {
    root: PathBuf,
    /// `None` at the workspace's top.
    node: Option<Node>,
}

/// The node that is asked about.
///
/// # Errors
/// That nobody gave out such an id.
pub(super) fn node(params: &Params) -> Result<Option<Of>> {
    let node = params.node.as_deref().map(serde_json::from_str);
    node.transpose()
        .map_err(|_| Error::invalid_params("there is no such node"))
}

/// What stands below a node, or at the top.
pub(super) fn items(view: &View, settings: Settings, of: Option<&Of>) -> Vec<Item> {
    let snapshots = view.parts.iter().map(|it| &it.snapshot);
    let snapshots: Vec<_> = snapshots.collect();
    match (of, &snapshots[..]) {
        (Some(of), all) => {
            let found = all.iter().find(|it| *it.root == *of.root);
            let found = found.map(|it| below(it, settings, of.node.as_ref()));
            found.unwrap_or_default()
        }
        (None, [one]) => below(one, settings, None),
        (None, all) => all.iter().map(|it| workspace(it)).collect(),
    }
}

fn workspace(snapshot: &Snapshot) -> Item {
    let root = &snapshot.root;
    let name = root.file_name().unwrap_or(root.as_os_str());
    Item {
        id: id(snapshot, None),
        label: name.to_string_lossy().into_owned(),
        description: String::new(),
        tooltip: root.display().to_string(),
        kind: Shown::Workspace("workspace"),
        location: None,
        has_children: true,
        is_open: true,
    }
}

fn below(snapshot: &Snapshot, settings: Settings, node: Option<&Node>) -> Vec<Item> {
    let items = children(snapshot, node).into_iter();
    let items = items.map(|it| {
        let place = it.place.as_ref();
        Item {
            location: place.and_then(|it| location(snapshot, it, settings.encoding)),
            has_children: it.node.is_some(),
            id: it.node.and_then(|it| id(snapshot, Some(it))),
            label: it.label,
            description: it.description,
            tooltip: it.tooltip,
            kind: Shown::Of(it.kind),
            is_open: it.is_open,
        }
    });
    items.collect()
}

fn id(snapshot: &Snapshot, node: Option<Node>) -> Option<String> {
    let root = snapshot.root.to_path_buf();
    serde_json::to_string(&Of { root, node }).ok()
}
