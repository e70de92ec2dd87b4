//! What comes again and again in one file, each kept once: thousands of rows have a handful of types,
//! providers and tags.
//!
//! One file's own: what files that are read at the same time have in common is not worth their
//! waiting for each other at every row.

use std::sync::Arc;

use arcstr::ArcStr;
use rustc_hash::FxHashSet;

use crate::identity::Tags;

/// What has come up so far.
#[derive(Default)]
pub(super) struct Shared {
    texts: FxHashSet<ArcStr>,
    tags: FxHashSet<Arc<Tags>>,
}

impl Shared {
    pub fn text(&mut self, text: &str) -> ArcStr {
        if let Some(shared) = self.texts.get(text) {
            return shared.clone();
        }
        let shared = ArcStr::from(text);
        self.texts.insert(shared.clone());
        shared
    }

    pub fn tags(&mut self, tags: Tags) -> Arc<Tags> {
        if let Some(shared) = self.tags.get(&tags) {
            return shared.clone();
        }
        let shared = Arc::new(tags);
        self.tags.insert(shared.clone());
        shared
    }
}
