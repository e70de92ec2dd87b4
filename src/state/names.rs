//! What the rows of one state share, each kept once: thousands of rows have a handful of types,
//! providers and modules.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::json::{Scalar, Shape};
use crate::identity::{Key, Mode, ModulePath};

/// The names that have come up so far.
#[derive(Default)]
pub(super) struct Names {
    names: HashSet<Arc<str>>,
    modules: HashMap<Box<str>, ModulePath>,
}

impl Names {
    pub fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Arc<str> = text.into();
        self.names.insert(name.clone());
        name
    }

    pub fn module(&mut self, text: &str) -> Option<ModulePath> {
        if let Some(module) = self.modules.get(text) {
            return Some(module.clone());
        }
        let module = ModulePath::parse(text)?;
        self.modules.insert(text.into(), module.clone());
        Some(module)
    }
}

impl<'de> Shape<'de> for Mode {
    fn scalar(scalar: Scalar<'de>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) if text == "managed" => Some(Mode::Managed),
            Scalar::Text(text) if text == "data" => Some(Mode::Data),
            _ => None,
        }
    }
}

impl<'de> Shape<'de> for Key {
    fn scalar(scalar: Scalar<'de>) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => Some(Key::Name(text.into())),
            other => Shape::scalar(other).map(Key::Index),
        }
    }
}
