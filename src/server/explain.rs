//! `gantrycd.explain`: everything that is known of a resource, as a text to read.
//!
//! The one argument says what is asked for: `{uri, position}` in a document, or `{subject}`, which is
//! what the command line takes. The answer is `{title, text, root}`, `root` being what paths in the
//! text are relative to, or `{why}` where there is nothing to explain.

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

pub(super) async fn execute(
    session: Arc<Session>,
    mut arguments: Vec<Value>,
) -> Result<Option<Value>> {
    let asked = match arguments.len() {
        1 => Asked::deserialize(arguments.remove(0)),
        n => return Err(Error::invalid_params(format!("one argument, not {n}"))),
    };
    let asked = asked.map_err(|it| Error::invalid_params(it.to_string()))?;
    let view = session.view().await;
    let settings = session.settings();
    Ok(compute(move || serde_json::to_value(answer(&view, settings, &asked)).ok()).await)
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
    let path = path_of(uri).filter(|it| view.part(it).is_some());
    let path = path.ok_or("this is no file of the workspace")?;
    let part = view.part(&path).ok_or("this is no file of the workspace")?;
    let source = part.snapshot.source(&path);
    let source = source.ok_or("this is no file of the workspace")?;
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
