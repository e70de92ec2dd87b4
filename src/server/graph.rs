//! `gantrycd.showGraph`: which stack reads from which, as a text, or as a page that the client shows.
//!
//! The one argument may say `{format, open, stack, depth, realm, uri}`. The answer is
//! `{format, text}`, or with `open` the `{path}` of what was written and is shown.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{MessageType, ShowDocumentParams, Uri};

use crate::graph::{DEPTH, Format, Graph, LINKS, Selection};
use crate::workspace::Snapshot;

use super::convert::{path_of, uri_of};
use super::session::Session;
use super::view::View;
use super::{compute, pages};

/// Its name.
pub(super) const COMMAND: &str = "gantrycd.showGraph";

/// `RequestFailed` of the protocol: nothing is wrong with the request, but it cannot be answered.
const FAILED: i64 = -32803;

/// What a command is asked for: one object, or nothing.
fn asked<T: DeserializeOwned>(arguments: Vec<Value>) -> Result<T> {
    let first = arguments.into_iter().next().unwrap_or_else(|| json!({}));
    serde_json::from_value(first).map_err(|why| Error::invalid_params(why.to_string()))
}

fn failed(why: String) -> Error {
    Error {
        code: ErrorCode::ServerError(FAILED),
        message: why.into(),
        data: None,
    }
}

/// What graph is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default = "html")]
    format: Format,
    /// Whether it is shown; otherwise the client is given the text.
    #[serde(default)]
    open: bool,
    /// A glob over the names of stacks.
    stack: Option<String>,
    depth: Option<usize>,
    realm: Option<String>,
    /// A file or folder of the workspace; without it, the first that has stacks.
    uri: Option<Uri>,
}

fn html() -> Format {
    Format::Html
}

pub(super) async fn execute(session: Arc<Session>, arguments: Vec<Value>) -> Result<Value> {
    let asked: Asked = asked(arguments)?;
    let globs: Vec<_> = asked.stack.iter().cloned().collect();
    let depth = asked.depth.unwrap_or(DEPTH);
    let selection = Selection::new(&globs, depth, asked.realm.as_deref());
    let selection = selection.map_err(|why| Error::invalid_params(why.to_string()))?;
    let view = session.whole_view().await;
    let (format, open, uri) = (asked.format, asked.open, asked.uri);
    let drawn = move || {
        let snapshot = snapshot(&view, uri.as_ref());
        Some(snapshot.and_then(|it| drawn(it, &selection, format, open)))
    };
    let drawn = compute(drawn).await;
    let drawn = drawn.unwrap_or_else(|| Err("the server ends".to_owned()));
    let answer = drawn.map_err(failed)?;
    if let Some(path) = answer["path"].as_str() {
        let shows = session.settings().shows_documents;
        tokio::spawn(show(session.client.clone(), path.to_owned(), shows));
    }
    Ok(answer)
}

/// The workspace that a file or folder belongs to.
fn snapshot<'a>(view: &'a View, uri: Option<&Uri>) -> std::result::Result<&'a Snapshot, String> {
    let all = || view.parts.iter().map(|it| &it.snapshot);
    let Some(uri) = uri else {
        let with_stacks = all().find(|it| !it.stacks.is_empty());
        return with_stacks
            .or_else(|| all().next())
            .ok_or_else(|| "no workspace is open".to_owned());
    };
    let path = path_of(uri);
    let holds = |it: &&Snapshot| path.as_ref().is_some_and(|path| path.starts_with(&it.root));
    // of one within another, the inner one
    let within = all().filter(holds);
    let innermost = within.max_by_key(|it| it.root.components().count());
    innermost.ok_or_else(|| format!("{} is of no open workspace", uri.as_str()))
}

/// The answer: the text, or where it was written.
fn drawn(
    snapshot: &Snapshot,
    selection: &Selection,
    format: Format,
    open: bool,
) -> std::result::Result<Value, String> {
    let graph = Graph::new(snapshot, selection).map_err(|it| it.to_string())?;
    let text = graph.told(format, LINKS)?;
    if !open {
        return Ok(json!({ "format": format.name(), "text": text }));
    }
    let directory = pages::directory().ok_or("there is no directory for caches")?;
    let name = format!("graph-{}.{}", hash(&snapshot.root), format.extension());
    let written = pages::write(&directory, &name, &text);
    let path = written.map_err(|why| format!("{name} could not be written: {why}"))?;
    Ok(json!({ "path": path }))
}

/// What tells the files of one workspace from those of another.
fn hash(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    digest[..6].iter().map(|it| format!("{it:02x}")).collect()
}

/// Has a file shown by what the client's system shows such files with; says where it is if nobody
/// shows it.
async fn show(client: Client, path: String, shows: bool) {
    let uri = uri_of(Path::new(&path)).filter(|_| shows);
    if let Some(uri) = uri {
        let shown = client.show_document(ShowDocumentParams {
            uri,
            external: Some(true),
            take_focus: Some(true),
            selection: None,
        });
        if shown.await == Ok(true) {
            return;
        }
    }
    let told = format!("The graph of the stacks is in {path}");
    client.show_message(MessageType::INFO, told).await;
}
