//! What an expression comes to, and where each value was written.
//!
//! An expression and a [`Scope`] go in, a [`Value`] comes out; what cannot
//! be known is unknown, never guessed. Knows nothing of stacks, and nothing of what a name stands for.

mod call;
mod constraint;
mod convert;
mod decimal;
mod evaluate;
mod functions;
mod number;
mod operators;
mod render;
mod repetition;
pub mod scope;
mod set;
mod template;
mod traversal;
pub mod types;
mod unify;
pub mod value;

pub use constraint::{Constraint, constraint};
pub use evaluate::{evaluate, fails};
pub use functions::json::decode as from_json;
pub use number::Number;
pub use scope::{FileAnswer, Resolved, Scope};
pub use types::Type;
pub use value::{Data, Entry, Found, Open, Origin, Place, Through, Value};
