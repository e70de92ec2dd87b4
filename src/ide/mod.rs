//! What an editor asks about a place in a file, answered in bytes of that file.
//!
//! Knows nothing of the language server protocol.

mod action;
mod completion;
mod declaring;
mod definition;
pub mod explain;
mod hierarchy;
mod hints;
mod hover;
mod lens;
mod links;
mod opting_out;
mod references;
mod settings;
mod symbols;
mod target;
pub mod tree;

pub use action::{Action, actions, fix_all};
pub use completion::{Completion, CompletionKind, completion};
pub use definition::{Definition, definition};
pub use hierarchy::{Reading, StackAt, read_by, readers_of, stack_named, stacks_at};
pub use hints::{Hint, hints};
pub use hover::{Hover, Link, hover};
pub use lens::{Lens, LensKind, lens, lens_spans};
pub use links::{ArnLink, links};
pub use references::references;
pub use symbols::{MOST_SYMBOLS, Match, Rank, Symbol, SymbolKind, symbols};
pub use target::Target;
