//! What an editor asks about a place in a file, answered in bytes of that file.
//!
//! Knows nothing of the language server protocol.

mod action;
mod hover;

pub use action::{Action, actions, fix_all};
pub use hover::{Hover, hover};
