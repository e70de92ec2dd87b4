//! What an evaluation asks of those who know the module: references and files.

use std::sync::Arc;

use super::value::Value;

/// What the names in an expression mean, and what files say. Evaluation does no I/O of its own.
pub trait Scope {
    /// The value of the reference that starts with `root`, and with the attributes `names` behind
    /// it: for `var.tags.Name` the root is `var` and the names are `tags` and `Name`. The rest of
    /// the path is followed by the evaluation.
    ///
    /// Memo and cycles are the scope's own business: within a cycle it answers `None`.
    fn reference(&self, root: &str, names: &[&str]) -> Option<Resolved>;

    /// What is at `path` as a function got it, for `file`, `fileexists` and their kin. A relative
    /// one is relative to where Terraform runs, which is not always the module.
    fn file(&self, path: &str) -> FileAnswer {
        let _ = path;
        FileAnswer::Unknown
    }

    /// The files below `path` that match `pattern`, for `fileset`: relative to `path`, with `/`.
    fn files(&self, path: &str, pattern: &str) -> Option<Vec<String>> {
        let _ = (path, pattern);
        None
    }

    /// The absolute path of the directory that Terraform runs in, for `abspath`.
    fn working_directory(&self) -> Option<&str> {
        None
    }
}

/// What a reference is.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The value.
    pub value: Value,
    /// How many of the names behind the root it took to get there.
    pub used: usize,
}

/// What is at a path.
#[derive(Clone, Debug)]
pub enum FileAnswer {
    /// A file with these bytes.
    Bytes(Arc<[u8]>),
    /// Nothing.
    Missing,
    /// Something that is no file, or cannot be read.
    NoFile,
    /// Nobody knows.
    Unknown,
}
