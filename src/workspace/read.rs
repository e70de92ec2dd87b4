//! Reads one file of a workspace.
//!
//! What cannot be read is told of, and costs only itself.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::config::ModuleFile;
use crate::state::{self, NotRead};
use crate::text::Source;

use super::{Configuration, StateRead};

pub(super) fn read_configuration(path: &Arc<Path>) -> Configuration {
    let mut read = Configuration::default();
    match std::fs::read(path) {
        Err(error) => read.problem = Some(error.to_string()),
        Ok(bytes) => match Source::decode(&bytes) {
            Err(why) => read.problem = Some(why.to_string()),
            Ok(source) => {
                if let Some(first) = source.invalid().first() {
                    let line = source.position(*first, Default::default()).line + 1;
                    read.problem = Some(format!(
                        "line {line} has a byte that is not UTF-8; the rest of the file was read"
                    ));
                }
                read.disk = Some(Arc::new(ModuleFile::read(path.clone(), source)));
            }
        },
    }
    read
}

pub(super) fn read_state(path: &Path, old: StateRead) -> StateRead {
    let problem = match File::open(path) {
        Err(error) => error.to_string(),
        Ok(mut file) => match state::read_from(&mut file) {
            Ok(state) => {
                return StateRead {
                    state: Some(Arc::new(state)),
                    problem: None,
                };
            }
            Err(NotRead::Empty) => return StateRead::default(),
            Err(NotRead::Problem(problem)) => problem.to_string(),
        },
    };
    StateRead {
        state: old.state,
        problem: Some(problem),
    }
}
