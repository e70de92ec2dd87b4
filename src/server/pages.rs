//! The help pages as files that diagnostics link to. They have no public address; the binary
//! carries them. Whatever else is made for the user to look at stands beside them.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use tempfile::NamedTempFile;
use tower_lsp::ls_types::Uri;

use crate::checks;

use super::convert::uri_of;

/// Where the pages are that were asked for; `None` of one that could not be written.
#[derive(Clone, Default, Debug)]
pub(super) struct Pages(HashMap<&'static str, Option<Uri>>);

impl Pages {
    /// Where the page of a code is.
    pub(super) fn get(&self, code: &str) -> Option<&Uri> {
        self.0.get(code)?.as_ref()
    }

    /// Writes the page of a code to the user's cache, unless it is there as it should be.
    pub(super) fn write(&mut self, code: &'static str) {
        self.0.entry(code).or_insert_with(|| {
            let check = checks::ALL.iter().find(|it| it.code == code)?;
            let name = format!("{code}.md");
            let path = write(&directory()?, &name, check.page).ok()?;
            uri_of(&path)
        });
    }
}

/// The directory of the pages of this version. `None` where nobody says which the user's is.
pub(super) fn directory() -> Option<PathBuf> {
    let cache = etcetera::choose_base_strategy().ok()?.cache_dir();
    let below = Path::new("gantrycd-ls").join(env!("CARGO_PKG_VERSION"));
    cache.is_absolute().then(|| cache.join(below))
}

/// Writes a file as a whole or not at all: others may be reading it, or writing it too. Only the user
/// can read it.
pub(super) fn write(directory: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = directory.join(name);
    if fs::read_to_string(&path).is_ok_and(|it| it == text) {
        return Ok(path);
    }
    fs::create_dir_all(directory)?;
    let mut unfinished = NamedTempFile::new_in(directory)?;
    unfinished.write_all(text.as_bytes())?;
    unfinished.persist(&path)?;
    Ok(path)
}
