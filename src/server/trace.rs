//! What is written down of a session where that is asked for: a log of what was said when, and a
//! recording of what the client said, from which the session can be played again.
//!
//! The log holds no text of a document, and neither a value nor a path.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::Response;

use super::input::Refused;
use super::redact;

/// What is to be written down of a session, and where to.
#[derive(Default)]
pub struct Options {
    /// The file for methods and durations.
    pub log: Option<PathBuf>,
    /// The file for the client's messages.
    pub record: Option<PathBuf>,
    /// Whether what these say is made unreadable.
    pub redact: bool,
}

/// One line of a recording.
#[derive(Serialize, Deserialize)]
pub(super) struct Recorded {
    /// Milliseconds since the start of the session.
    pub(super) at: u64,
    #[serde(flatten)]
    pub(super) said: Said,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Said {
    Message(Value),
    /// What is no message.
    Undecodable(String),
}

/// The files that are being written.
pub(super) struct Trace {
    start: Instant,
    log: Option<Mutex<File>>,
    record: Option<Mutex<File>>,
    redact: bool,
}

impl Trace {
    /// # Errors
    /// When a file cannot be written, in words.
    pub(super) fn new(options: &Options) -> Result<Self, String> {
        let create = |path: &Option<PathBuf>| path.as_deref().map(create).transpose();
        let trace = Self {
            start: Instant::now(),
            log: create(&options.log)?,
            record: create(&options.record)?,
            redact: options.redact,
        };
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let process = std::process::id();
        trace.log(format_args!("started {name} {version}, process {process}"));
        Ok(trace)
    }

    fn log(&self, what: fmt::Arguments) {
        if let Some(log) = &self.log {
            let at = self.start.elapsed().as_secs_f64();
            write_line(log, format!("{at:11.4} {what}\n"));
        }
    }

    /// Writes down what the client said.
    pub(super) fn received(&self, message: &Result<Value, Refused>) {
        if self.log.is_some() {
            self.log_received(message);
        }
        if let Some(record) = &self.record {
            self.record(record, message);
        }
    }

    fn log_received(&self, message: &Result<Value, Refused>) {
        let word = |name| match message {
            Ok(message) => message.get(name).map(Value::to_string),
            Err(_) => None,
        };
        match (message, word("method")) {
            (Err(refused), _) => {
                let length = refused.body.len();
                self.log(format_args!("received {length} bytes that are no message"));
            }
            (Ok(_), Some(method)) => {
                let id = word("id").unwrap_or_default();
                self.log(format_args!("received {} {id}", method.trim_matches('"')));
            }
            (Ok(_), None) => {
                let id = word("id").unwrap_or_default();
                self.log(format_args!("received the answer to {id}"));
            }
        }
    }

    fn record(&self, record: &Mutex<File>, message: &Result<Value, Refused>) {
        let mut said = match message {
            Ok(message) => Said::Message(message.clone()),
            Err(refused) => Said::Undecodable(String::from_utf8_lossy(&refused.body).into_owned()),
        };
        if self.redact {
            match &mut said {
                Said::Message(message) => redact::message(message),
                Said::Undecodable(body) => *body = redact::text(body),
            }
        }
        let at = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Ok(mut line) = serde_json::to_string(&Recorded { at, said }) {
            line.push('\n');
            write_line(record, line);
        }
    }

    /// Writes down that a message was handled, and how it was answered.
    pub(super) fn handled(&self, method: &str, answer: Option<&Response>, started: Instant) {
        if self.log.is_none() {
            return;
        }
        let took = started.elapsed().as_secs_f64() * 1e3;
        let Some(answer) = answer else {
            return self.log(format_args!("handled {method} in {took:.3} ms"));
        };
        let id = answer.id();
        match answer.error() {
            None => self.log(format_args!("answered {method} {id} in {took:.3} ms")),
            Some(error) => {
                let code = error.code.code();
                self.log(format_args!(
                    "refused {method} {id} in {took:.3} ms: {code}"
                ));
            }
        }
    }

    /// Writes down that the client was told or asked something.
    pub(super) fn sent(&self, method: &str) {
        self.log(format_args!("sent {method}"));
    }
}

fn create(path: &Path) -> Result<Mutex<File>, String> {
    let file = File::create(path);
    file.map(Mutex::new)
        .map_err(|why: io::Error| format!("{}: {why}", path.display()))
}

/// A file that cannot be written any more must not end the session.
fn write_line(file: &Mutex<File>, line: String) {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    _ = file.write_all(line.as_bytes());
}
