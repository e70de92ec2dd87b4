//! What an editor asks about a place in a file, answered in bytes of that file.
//!
//! Knows nothing of the language server protocol.

mod action;
mod completion;
mod declaring;
pub mod explain;
mod hover;
mod opting_out;
mod settings;

pub use action::{Action, actions, fix_all};
pub use completion::{Completion, CompletionKind, completion};
pub use hover::{Hover, Link, age, hover};
