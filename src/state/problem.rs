//! Why a file is not read: what it is, and what to do about it, in one line. No word of the file
//! itself is quoted, since any may be a secret.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::json::Fault;

/// Why [`read`](super::read) gives no rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotRead {
    /// There is nothing in it: silent.
    Empty,
    /// Worth a line.
    Problem(Problem),
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The system does not give it; its words.
    Unreadable(Box<str>),
    /// As PowerShell redirects output.
    Utf16,
    /// Git has only the pointer to it.
    LfsPointer,
    /// Something else than JSON, or JSON with a fault.
    NotJson {
        /// Counted from 1.
        line: usize,
        /// In bytes, counted from 1.
        column: usize,
        /// The parser's words, which never quote the text.
        what: &'static str,
    },
    /// The same in what cannot be read again.
    NotJsonAt {
        /// In bytes, counted from 0.
        at: u64,
        /// The parser's words, which never quote the text.
        what: &'static str,
    },
    /// It ends too early.
    Truncated,
    /// A state format before 4.
    OldFormat(u64),
    /// A state format after 4.
    NewFormat(u64),
    /// An inventory, in a version after 1.
    NewInventory(u64),
    /// What `show -json` prints, in a major version after 1.
    NewShowFormat(u64),
    /// By OpenTofu.
    Encrypted,
    /// JSON, but none of the formats.
    NotAState,
}

impl NotRead {
    /// What a fault in the JSON that begins at a byte of the file comes to.
    pub(super) fn of(fault: Fault, file: &mut (impl Read + Seek), start: u64) -> Self {
        let (at, what) = match fault {
            Fault::Io(error) => return error.into(),
            Fault::Ended => return Problem::Truncated.into(),
            Fault::Syntax { at, what } => (at, what),
        };
        let before = file.seek(SeekFrom::Start(start));
        match before.and_then(|_| position(&mut file.take(at))) {
            Ok((line, column)) => Problem::NotJson { line, column, what }.into(),
            Err(error) => error.into(),
        }
    }

    /// What a fault in JSON comes to that cannot be read again to say where it is.
    pub(super) fn of_stream(fault: Fault) -> Self {
        match fault {
            Fault::Io(error) => error.into(),
            Fault::Ended => Problem::Truncated.into(),
            Fault::Syntax { at, what } => Problem::NotJsonAt { at, what }.into(),
        }
    }
}

impl From<io::Error> for NotRead {
    fn from(error: io::Error) -> Self {
        Problem::Unreadable(error.to_string().into()).into()
    }
}

/// The line and the column of the byte behind the last one.
fn position(before: &mut impl Read) -> io::Result<(usize, usize)> {
    let (mut line, mut column) = (1, 1);
    let mut window = [0; 4096];
    loop {
        let read = match before.read(&mut window)? {
            0 => return Ok((line, column)),
            read => &window[..read],
        };
        line += memchr::memchr_iter(b'\n', read).count();
        column = match memchr::memrchr(b'\n', read) {
            Some(newline) => read.len() - newline,
            None => column + read.len(),
        };
    }
}

impl From<Problem> for NotRead {
    fn from(problem: Problem) -> Self {
        NotRead::Problem(problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(why) => f.write_str(why),
            Problem::Utf16 => f.write_str("UTF-16 is not read: save the file as UTF-8"),
            Problem::LfsPointer => {
                f.write_str("a Git LFS pointer stands in place of the file: run `git lfs pull`")
            }
            Problem::NotJson { line, column, what } => {
                write!(f, "not JSON: {what} (line {line}, column {column})")
            }
            Problem::NotJsonAt { at, what } => write!(f, "not JSON: {what} (byte {at})"),
            Problem::Truncated => f.write_str("truncated: the file ends before its JSON does"),
            Problem::OldFormat(version) => write!(
                f,
                "state format {version} is not read: run `terraform apply -refresh-only` once"
            ),
            Problem::NewFormat(version) => write!(
                f,
                "state format {version} is not read: it is newer than this gantrycd-ls"
            ),
            Problem::NewInventory(version) => write!(
                f,
                "format {version} of inventories is not read: it is newer than this gantrycd-ls"
            ),
            Problem::NewShowFormat(version) => write!(
                f,
                "format {version} of `show -json` is not read: it is newer than this gantrycd-ls"
            ),
            Problem::Encrypted => {
                f.write_str("encrypted: `tofu show -json > …` writes a copy that can be read")
            }
            Problem::NotAState => f.write_str(
                "not a state: neither state format 4, nor `show -json`, nor an inventory",
            ),
        }
    }
}

impl std::error::Error for Problem {}
