//! What the rows of one state share, each kept once: thousands of rows have a handful of types,
//! providers and modules.

use arcstr::ArcStr;

use rustc_hash::FxHashMap;

use super::json::{Scalar, Shape};
use super::shared::Shared;
use crate::identity::{Key, Mode, ModulePath};

/// The names that have come up so far.
#[derive(Default)]
pub(super) struct Names {
    names: Shared,
    modules: FxHashMap<ArcStr, ModulePath>,
}

impl Names {
    pub fn name(&mut self, text: &str) -> ArcStr {
        self.names.text(text)
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

impl Shape for Mode {
    fn scalar(scalar: Scalar, _: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Text("managed") => Some(Mode::Managed),
            Scalar::Text("data") => Some(Mode::Data),
            _ => None,
        }
    }
}

impl Shape for Key {
    fn scalar(scalar: Scalar, shared: &mut Shared) -> Option<Self> {
        match scalar {
            Scalar::Text(text) => Some(Key::Name(text.into())),
            other => Shape::scalar(other, shared).map(Key::Index),
        }
    }
}
