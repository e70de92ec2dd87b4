//! The gate that diagnostics go through on their way to a client that does not ask for them.
//!
//! Only lists that changed are sent, never one of an older text than the client has, and what the
//! client was told of a file that is gone is taken back.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use tower_lsp::ls_types::Diagnostic;

use super::convert::uri_of;
use super::session::Session;
use super::view::View;

/// What the client was told last of a file.
struct Told {
    list: Vec<Diagnostic>,
    /// The opening of the file at that time. Editors forget what they were told of a file when
    /// they close it.
    opening: Option<u64>,
}

/// What the client was told last, by file.
#[derive(Default)]
pub(super) struct Published {
    lists: HashMap<Arc<Path>, Told>,
}

impl Published {
    /// Tells the client what is found in these files, where that is something else than it knows.
    pub(super) async fn publish(
        &mut self,
        session: &Session,
        view: &View,
        paths: &BTreeSet<Arc<Path>>,
    ) {
        for path in paths {
            let open = session.documents.get(path).map(|it| it.value().clone());
            let version = open.as_ref().map(|it| it.version);
            // a newer text is on its way to the next run
            if version != view.versions.get(path).copied() {
                continue;
            }
            let opening = open.as_ref().map(|it| it.opening);
            let list = view.diagnostics(path, session.settings());
            let told = self.lists.get(path);
            let same = match told {
                Some(told) => told.list == list && (opening.is_none() || told.opening == opening),
                None => list.is_empty(),
            };
            if same {
                continue;
            }
            if let Some(uri) = open.map(|it| it.uri).or_else(|| uri_of(path)) {
                let client = &session.client;
                client.publish_diagnostics(uri, list.clone(), version).await;
            }
            match list.is_empty() {
                true => _ = self.lists.remove(path),
                false => _ = self.lists.insert(path.clone(), Told { list, opening }),
            }
        }
    }

    /// The files of which the client knows something.
    pub(super) fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.lists.keys()
    }
}
