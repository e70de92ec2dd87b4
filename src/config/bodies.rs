//! The bodies of a file's blocks: read when somebody asks for one, and kept until they are forgotten.
//!
//! A tree costs about twenty times its text, so a file has trees only while it is looked at.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::syntax::Body;

/// Bodies by the place of their block in the file.
#[derive(Default, Debug)]
pub(super) struct Bodies(Mutex<Vec<Option<Arc<Body>>>>);

impl Bodies {
    /// The body at `at`, if it is there.
    pub(super) fn get(&self, at: usize) -> Option<Arc<Body>> {
        self.lock().get(at).cloned().flatten()
    }

    /// Keeps a body. Of two readers that came at once, both get that of the first.
    pub(super) fn keep(&self, at: usize, body: Body) -> Arc<Body> {
        let mut bodies = self.lock();
        if bodies.len() <= at {
            bodies.resize(at + 1, None);
        }
        bodies[at].get_or_insert_with(|| body.into()).clone()
    }

    /// Leaves them to those who still look at them.
    pub(super) fn forget(&self) {
        *self.lock() = Vec::new();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Arc<Body>>>> {
        // what a panic left is as good as it was before
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use crate::config::ModuleFile;
    use crate::text::Source;

    fn file(name: &str, text: &str) -> ModuleFile {
        ModuleFile::read(Path::new(name).into(), Source::new(text))
    }

    #[test]
    fn what_was_forgotten_is_read_again() {
        for (name, text) in [
            ("a.tf", "locals {\n  a = 1\n}\nlocals {\n  a = 1\n}\n"),
            ("a.tf.json", r#"{"locals": [{"a": 1}, {"a": 1}]}"#),
        ] {
            let file = file(name, text);
            let read = || file.block_ids().map(|it| file.body(it));
            let first: Vec<_> = read().collect();
            let same = read().zip(&first).all(|(a, b)| Arc::ptr_eq(&a, b));
            assert!(same, "{name}: what is known is not read twice");
            let gone = Arc::downgrade(&first[0]);
            file.forget();
            assert!(gone.upgrade().is_some(), "{name}: it is still looked at");
            drop(first);
            assert!(gone.upgrade().is_none(), "{name}");
            for body in read() {
                assert!(body.attribute("a").is_some(), "{name}");
            }
        }
        for (name, text) in [("a.tfvars", "a = 1\n"), ("a.tfvars.json", r#"{"a": 1}"#)] {
            let file = file(name, text);
            let gone = Arc::downgrade(&file.top_level());
            file.forget();
            assert!(gone.upgrade().is_none(), "{name}");
            assert!(file.top_level().attribute("a").is_some(), "{name}");
        }
    }

    #[test]
    fn of_a_glance_nothing_stays() {
        let file = file("a.tf", "locals {\n  a = 1\n}\n");
        let gone = Arc::downgrade(&file.glance(file.block_ids().next().unwrap()));
        assert!(gone.upgrade().is_none());
    }
}
