//! What an editor asks about a place in a file, answered in bytes of that file.
//!
//! Knows nothing of the language server protocol.

mod action;
mod completion;
pub mod explain;
mod hover;
mod settings;

pub use action::{Action, actions, fix_all};
pub use completion::{Completion, CompletionKind, completion};
pub use hover::{Hover, Link, hover};
