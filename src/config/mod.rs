//! What the blocks of a directory declare: resources, provider configurations, module calls,
//! variables, locals and settings, each with its place.
//!
//! Knows nothing of values: an expression is kept as it was written, and `eval` says what it is.

mod block;
mod bodies;
mod facts;
mod file;
mod merged;
mod module;
mod named;
mod provider;
mod refactoring;

pub use block::{Block, Declared, Label};
pub use facts::Backend;
pub use file::{IgnoreComment, ModuleFile, mentions_a_tag};
pub use merged::{Argument, Merged, Part};
pub use module::{Module, is_configuration, is_ignored, is_override, provider_name};
pub use named::Named;
pub use provider::{Alias, Passed, ProviderInstance, ProviderRef, passed, provider_source};
pub use refactoring::{Endpoint, Moved, Reach};
