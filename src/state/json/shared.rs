//! Texts that come again and again in one file, each kept once.

use std::sync::Arc;

use rustc_hash::FxHashSet;

/// The texts that have come up so far.
#[derive(Default)]
pub(in crate::state) struct Shared(FxHashSet<Arc<str>>);

impl Shared {
    pub fn get(&mut self, text: &str) -> Arc<str> {
        if let Some(shared) = self.0.get(text) {
            return shared.clone();
        }
        let shared: Arc<str> = text.into();
        self.0.insert(shared.clone());
        shared
    }
}
