//! A state that somebody else hands out: it is cached as one that a tool was asked for.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use crate::state::{self, Format, NotRead, State};
use crate::workspace::Snapshot;

use super::choose::one;
use super::pull::{Failure, Kind, Outcome, write};

/// Caches a state of a stack from a file, or from standard input where there is none.
///
/// # Errors
/// Why nothing is cached.
pub fn import(
    snapshot: &Snapshot,
    stack: &str,
    file: Option<&Path>,
    even_if_older: bool,
) -> Result<Outcome, Failure> {
    let target = one(snapshot, stack).map_err(|it| Failure::new(Kind::NoWorkspace, it))?;
    let (read, name) = match file {
        None => (
            state::read_stream(&mut io::stdin().lock()),
            "standard input".to_owned(),
        ),
        Some(path) => {
            let read = File::open(path).map_err(NotRead::from).and_then(read);
            (read, path.display().to_string())
        }
    };
    let unreadable = |why: String| Failure::new(Kind::Unreadable, format!("{name}: {why}"));
    let state = read.map_err(|why| match why {
        NotRead::Empty => unreadable("there is nothing in it".to_owned()),
        NotRead::Problem(problem) => unreadable(problem.to_string()),
    })?;
    if state.format == Format::Inventory {
        let what = "it is an inventory already: copy it below .gantrycd/state";
        return Err(unreadable(what.to_owned()));
    }
    write(snapshot, &target, &state, even_if_older)
}

/// Reads a file, or a pipe that has a name.
fn read(mut file: File) -> Result<State, NotRead> {
    match file.stream_position() {
        Ok(_) => state::read_from(&mut file),
        Err(_) => state::read_stream(&mut file.by_ref()),
    }
}
