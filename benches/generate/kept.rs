//! A workspace on the disk for as long as somebody measures it, or for the next time too.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::{Answers, Shape, generate};

/// A workspace below the system's directory for temporary files, and what must be found in it.
pub struct Kept {
    root: PathBuf,
    pub answers: Answers,
    stays: bool,
}

/// What a kept workspace was written by. One of another text is not used again.
const SOURCES: &str = concat!(
    include_str!("mod.rs"),
    include_str!("blocks.rs"),
    include_str!("kinds.rs"),
    include_str!("known.rs"),
    include_str!("random.rs"),
    include_str!("stack.rs"),
    include_str!("state.rs"),
    include_str!("writer.rs"),
);

impl Kept {
    /// Writes a workspace, which goes when this does. If it `stays`, the next one that is to stay and
    /// has the same shape is this one.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new(shape: Shape, stays: bool) -> io::Result<Self> {
        let whose = match stays {
            true => "kept".to_owned(),
            false => std::process::id().to_string(),
        };
        let name = format!("gantrycd-ls-{}-stacks-{whose}", shape.stacks);
        let directory = std::env::temp_dir().join(name);
        let root = directory.join("workspace");
        let made_of = fingerprint(&format!("{shape:?}{SOURCES}"));
        let notes = directory.join(format!("answers-{made_of:016x}.json"));
        let written = fs::read(&notes).ok();
        let answers = match written.and_then(|it| serde_json::from_slice(&it).ok()) {
            Some(answers) => answers,
            None => {
                _ = fs::remove_dir_all(&directory);
                fs::create_dir_all(&root)?;
                let answers = generate(&root, shape)?;
                fs::write(notes, serde_json::to_vec(&answers)?)?;
                answers
            }
        };
        // as the server and the editors spell it: the temporary directory may lie behind a link
        Ok(Self {
            root: root.canonicalize()?,
            answers,
            stays,
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A directory beside the workspace, empty.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn beside(&self, name: &str) -> io::Result<PathBuf> {
        let directory = self.root.with_file_name(name);
        _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(directory) = self.root.parent().filter(|_| !self.stays) {
            _ = fs::remove_dir_all(directory);
        }
    }
}

/// FNV-1a: the same in every version of Rust.
fn fingerprint(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
