//! A block as its header tells of it, and where it stands.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::identity::Mode;
use crate::syntax::{BlockId, Body};
use crate::text::Span;

use super::ModuleFile;

/// A block at the top level of a file, as far as it can be told without reading its body.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// Which block of the file.
    pub id: BlockId,
    /// `resource`, `provider`, …
    pub keyword: &'a str,
    /// Its labels, without quotes.
    pub labels: SmallVec<[Label<'a>; 2]>,
    /// From the keyword to the last label.
    pub header: Span,
    /// The whole block.
    pub span: Span,
    /// Whether a well-formed and well-placed comment opts it out.
    pub ignored: bool,
}

/// A label of a block.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// Without quotes.
    pub text: &'a str,
    /// Its bytes in the file, without quotes.
    pub span: Span,
}

impl<'a> Block<'a> {
    /// Of a `resource` or `data` block: what it declares.
    pub fn resource(&self) -> Option<(Mode, &'a str, &'a str)> {
        let mode = match self.keyword {
            "resource" => Mode::Managed,
            "data" => Mode::Data,
            _ => return None,
        };
        match self.labels[..] {
            [resource_type, name] => Some((mode, resource_type.text, name.text)),
            _ => None,
        }
    }

    /// Its first label.
    pub fn label(&self) -> Option<&'a str> {
        self.labels.first().map(|it| it.text)
    }
}

/// A block and the file that it stands in.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The file.
    pub file: Arc<ModuleFile>,
    id: BlockId,
}

impl Declared {
    /// A block of a file.
    pub fn new(file: &Arc<ModuleFile>, id: BlockId) -> Self {
        Self {
            file: file.clone(),
            id,
        }
    }

    /// The block.
    pub fn block(&self) -> Block<'_> {
        self.file.view(self.id)
    }

    /// Which block of its file it is.
    pub fn id(&self) -> BlockId {
        self.id
    }

    /// What stands in it.
    pub fn body(&self) -> Arc<Body> {
        self.file.body(self.id)
    }

    /// What stands in it, for a look that nobody will take again soon.
    pub fn glance(&self) -> Arc<Body> {
        self.file.glance(self.id)
    }
}
