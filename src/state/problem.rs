//! Why a file is not read: what it is, and what to do about it, in one line. No word of the file
//! itself is quoted, since any may be a secret.

use std::fmt;

use serde_json::error::Category;

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
        what: Box<str>,
    },
    /// It ends too early.
    Truncated,
    /// A state format before 4.
    OldFormat(u64),
    /// A state format after 4.
    NewFormat(u64),
    /// What `show -json` prints, in a major version after 1.
    NewShowFormat(u64),
    /// By OpenTofu.
    Encrypted,
    /// JSON, but none of the formats.
    NotAState,
}

impl Problem {
    pub(super) fn of_json(error: &serde_json::Error, bytes: &[u8]) -> Self {
        match error.classify() {
            Category::Eof => Problem::Truncated,
            Category::Syntax => Problem::NotJson {
                line: error.line(),
                column: error.column(),
                what: if bytes.trim_ascii_start().starts_with(b"{") {
                    // Of this category, and of no other, every message is a constant.
                    let message = error.to_string();
                    let what = message.split(" at line ").next();
                    what.unwrap_or_default().into()
                } else {
                    "a state starts with `{`".into()
                },
            },
            Category::Data | Category::Io => Problem::NotAState,
        }
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
            Problem::Utf16 => f.write_str("UTF-16 is not read: save the file as UTF-8"),
            Problem::LfsPointer => {
                f.write_str("a Git LFS pointer stands in place of the file: run `git lfs pull`")
            }
            Problem::NotJson { line, column, what } => {
                write!(f, "not JSON: {what} (line {line}, column {column})")
            }
            Problem::Truncated => f.write_str("truncated: the file ends before its JSON does"),
            Problem::OldFormat(version) => write!(
                f,
                "state format {version} is not read: run `terraform apply -refresh-only` once"
            ),
            Problem::NewFormat(version) => write!(
                f,
                "state format {version} is not read: it is newer than this gantrycd-ls"
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
