//! `gantrycd.explain`: everything that is known of a resource, as a text to read.
//!
//! The one argument says what is asked for: `{uri, position}` in a document, or `{subject}`, which is
//! what the command line takes. The answer is `{title, text, root}`, `root` being what paths in the
//! text are relative to, or `{why}` where there is nothing to explain.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Position, Uri};

use crate::ide::explain::{explain, find, render};
use crate::text::Encoding;

use super::compute;
use super::convert::{offset, path_of, uri_of};
use super::session::{Session, Settings};
use super::view::{Part, View};

/// Its name.
pub(super) const COMMAND: &str = "gantrycd.explain";

#[derive(Deserialize)]
#[serde(untagged)]
enum Asked {
    At { uri: Uri, position: Position },
    Subject { subject: String },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Found {
        title: String,
        text: String,
        root: Option<Uri>,
    },
    Nothing {
        why: String,
    },
}

pub(super) async fn execute(session: Arc<Session>, arguments: Vec<Value>) -> Result<Value> {
    let first = arguments.into_iter().next().unwrap_or_default();
    let asked = Asked::deserialize(first);
    let asked = asked.map_err(|why| Error::invalid_params(why.to_string()))?;
    let view = session.view().await;
    let settings = session.settings();
    let answer = compute(move || Some(answer(&view, settings, &asked))).await;
    serde_json::to_value(answer).map_err(|_| Error::internal_error())
}

fn answer(view: &View, settings: Settings, asked: &Asked) -> Answer {
    let answers = match asked {
        Asked::Subject { subject } => {
            let parts = view.parts.iter();
            parts.map(|it| explained(it, subject)).collect()
        }
        Asked::At { uri, position } => vec![at(view, settings, uri, *position)],
    };
    let mut nothing = None;
    for answer in answers {
        match answer {
            Ok(found) => return found,
            Err(why) => _ = nothing.get_or_insert(why),
        }
    }
    Answer::Nothing {
        why: nothing.unwrap_or_else(|| "no workspace is open".to_owned()),
    }
}

fn at(
    view: &View,
    settings: Settings,
    uri: &Uri,
    position: Position,
) -> std::result::Result<Answer, String> {
    let of_a_workspace = |path: PathBuf| {
        let part = view.part(&path)?;
        Some((part, part.snapshot.source(&path)?, path))
    };
    let found = path_of(uri).and_then(of_a_workspace);
    let (part, source, path) = found.ok_or("this is no file of the workspace")?;
    let offset = offset(source, position, settings.encoding);
    let at = source.position(offset, Encoding::Utf32);
    let (line, column) = (at.line + 1, at.character + 1);
    let subject = format!("{}:{line}:{column}", part.snapshot.relative(&path));
    explained(part, &subject)
}

/// # Errors
/// Why there is nothing to explain.
fn explained(part: &Part, subject: &str) -> std::result::Result<Answer, String> {
    let snapshot = &part.snapshot;
    let found = find(snapshot, subject, &snapshot.root, None)?;
    let findings: Vec<_> = part.lists.all().cloned().collect();
    let all = found.targets.iter();
    let all: Vec<_> = all.map(|it| explain(snapshot, &findings, it)).collect();
    let title = match &all[..] {
        [one] => one.address.to_string(),
        _ => subject.to_owned(),
    };
    Ok(Answer::Found {
        title,
        text: render(snapshot, subject, &found, &all, false),
        root: uri_of(&snapshot.root),
    })
}
