//! What an editor asks about a place in a file, answered in bytes of that file.
//!
//! Knows nothing of the language server protocol.

mod action;
mod completion;
mod definition;
pub mod explain;
mod hover;
mod links;
mod references;
mod settings;
mod target;

pub use action::{Action, actions, fix_all};
pub use completion::{Completion, CompletionKind, completion};
pub use definition::{Definition, definition};
pub use hover::{Hover, Link, age, hover};
pub use links::{ArnLink, links};
pub use references::references;
pub use target::Target;
