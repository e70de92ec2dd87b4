//! The open documents, as the client opens, edits and closes them.
//!
//! A document whose text is not known any more counts as the disk has it, and is taken up again
//! with the next text that the client sends as a whole.

use std::path::Path;
use std::sync::Arc;

use tower_lsp::ls_types::{DidChangeTextDocumentParams, MessageType, TextDocumentItem, Uri};

use crate::text::Source;

use super::document::Document;
use super::session::Session;
use super::uri::{path_of, uri_of};

impl Session {
    pub(super) fn open(&self, document: TextDocumentItem) {
        let Some(path) = path_of(&document.uri) else {
            return;
        };
        let path: Arc<Path> = path.into();
        let opened = Document {
            uri: document.uri,
            opening: self.revision(),
            version: document.version,
            source: Source::new(&document.text),
        };
        self.lost.remove(&path);
        self.documents.insert(path.clone(), opened);
        self.update(|it| _ = it.documents.insert(path));
    }

    pub(super) fn change(&self, params: DidChangeTextDocumentParams) {
        let Some(path) = path_of(&params.text_document.uri) else {
            return;
        };
        let version = params.text_document.version;
        let (changes, encoding) = (&params.content_changes, self.settings().encoding);
        let open = self.documents.get(&*path);
        let edited = match open.map(|it| it.edited(version, changes, encoding)) {
            Some(edited) => edited,
            None => match self.lost.get(&*path) {
                Some(lost) => match lost.edited_anew(version, changes, encoding) {
                    Ok(edited) => Ok(edited),
                    // as lost as before
                    Err(_) => return,
                },
                // it was never opened
                None => return,
            },
        };
        match edited {
            Ok(edited) => {
                let path: Arc<Path> = path.into();
                self.lost.remove(&path);
                self.documents.insert(path.clone(), edited);
                self.update(|it| _ = it.documents.insert(path));
            }
            Err(_) => self.lose(&path),
        }
    }

    pub(super) fn close(&self, uri: &Uri) {
        let Some(path) = path_of(uri) else {
            return;
        };
        self.lost.remove(&*path);
        if let Some((path, _)) = self.documents.remove(&*path) {
            self.update(|it| _ = it.documents.insert(path));
        }
    }

    /// Has a document count as the disk has it: an edit of it does not fit, or was not understood.
    /// What the disk has is true of the disk; a guess is true of nothing.
    pub(super) fn lose(&self, path: &Path) {
        let Some((path, document)) = self.documents.remove(path) else {
            return;
        };
        let what = format!(
            "The edits of {} do not fit the text that was sent before. Until it is opened anew, or \
             sent as a whole, it counts as it is on the disk.",
            path.display()
        );
        self.say(MessageType::WARNING, what);
        self.lost.insert(path.clone(), document.without_text());
        self.update(|it| _ = it.documents.insert(path));
    }

    /// The same of every open document: nobody knows which one an edit was for.
    pub(super) fn lose_all(&self) {
        let all: Vec<_> = self.documents.iter().map(|it| it.key().clone()).collect();
        all.iter().for_each(|it| self.lose(it));
    }

    /// The URI of a path, as the client spells it where the file is open.
    pub(super) fn uri_of(&self, path: &Path) -> Option<Uri> {
        let open = self.documents.get(path).map(|it| it.uri.clone());
        open.or_else(|| uri_of(path))
    }
}
