//! What an editor asks about a place in a file, answered in bytes of that file.
//!
//! Knows nothing of the language server protocol.

mod action;
pub mod explain;
mod hover;

pub use action::{Action, actions};
pub use hover::{Hover, age, hover};
