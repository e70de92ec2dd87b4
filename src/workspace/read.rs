//! Reads one file of a workspace.
//!
//! What cannot be read is told of, and costs only itself.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::config::ModuleFile;
use crate::state::{self, NotRead};
use crate::text::Source;

use super::tree::{Manifest, normalize};
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

/// Reads `modules.json`; a damaged one names no module.
pub(super) fn read_manifest(path: &Path) -> Manifest {
    #[derive(Deserialize)]
    struct Modules {
        #[serde(rename = "Modules", default)]
        modules: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        #[serde(rename = "Key")]
        key: String,
        #[serde(rename = "Dir")]
        directory: PathBuf,
    }
    // `.terraform/modules/modules.json`, with directories relative to the stack's
    let Some(stack) = path.ancestors().nth(3) else {
        return Manifest::default();
    };
    let bytes = std::fs::read(path).unwrap_or_default();
    let modules = serde_json::from_slice(&bytes).unwrap_or(Modules {
        modules: Vec::new(),
    });
    let entries = modules.modules.into_iter();
    entries
        .filter(|it| !it.key.is_empty())
        .map(|it| (it.key, normalize(&stack.join(it.directory))))
        .collect::<HashMap<_, _>>()
}
