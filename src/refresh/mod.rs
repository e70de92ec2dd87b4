//! States from where they really live: the tool of each stack is asked for its state, and what identity
//! needs of it is written below `.gantrycd`.
//!
//! Nothing is run that writes a state: [`command`] has all that is ever asked. A raw state is nowhere
//! but in the window that it is read through. Knows nothing of editors or of the command line.

mod choose;
mod command;
mod import;
mod message;
mod pull;
mod run;
mod schemas;
mod status;
mod store;
mod tool;

pub use choose::{Choice, Target, Which, Workspaces, choose};
pub use command::Cancel;
pub use import::import;
pub use pull::{Done, Failure, Kind, Outcome};
pub use run::{Event, Refresh, Summary};
pub use status::Status;
