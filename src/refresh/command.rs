//! One question to a tool: which there are, how long one may take, and that nothing of it stays.
//!
//! Knows no stacks and nothing of what is answered.

use std::io::{self, Read};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

/// Everything that a tool is ever asked. None of it writes a state, takes a lock, or changes what is
/// installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Question {
    /// For the state, on standard output.
    State,
    /// Which Terraform workspaces there are.
    Workspaces,
    /// What resource types the installed providers have.
    Schemas,
}

impl Question {
    /// What stands behind the name of the tool.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Question::State => &["state", "pull", "-no-color"],
            Question::Workspaces => &["workspace", "list", "-no-color"],
            Question::Schemas => &["providers", "schema", "-json", "-no-color"],
        }
    }
}

/// How much of what a tool says of an error is kept: its first bytes and its last.
const MOST_SAID: usize = 16 * 1024;

/// How long what a tool has still to say is waited for once it has ended.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// The same of what it says of errors, of which the pipe may hold the end.
const A_MOMENT: Duration = Duration::from_millis(200);

/// Variables whose names begin so are not handed on: they change the question, or write down what is
/// answered.
const NOT_HANDED_ON: &[&str] = &["TF_CLI_ARGS", "TF_LOG", "TF_WORKSPACE"];

/// Somebody may want no answers any more.
#[derive(Clone)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Cancel {
    /// Nobody wants an answer any more.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether nobody does.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until nobody does.
    pub async fn cancelled(&self) {
        // the sender is ours
        _ = self.0.subscribe().wait_for(|it| *it).await;
    }
}

/// Where and for how long a question is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The tool's absolute path.
    pub(super) program: &'a Path,
    /// The directory of the stack.
    pub(super) directory: &'a Path,
    /// The Terraform workspace; `None` is whichever is selected there.
    pub(super) workspace: Option<&'a str>,
    /// When the answer must be here.
    pub(super) until: Instant,
    pub(super) cancel: &'a Cancel,
}

/// How a tool ended.
pub(super) enum Ended {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
    NotStarted(io::Error),
}

/// What a tool answered.
pub(super) struct Answer<T> {
    pub(super) ended: Ended,
    /// What was made of its standard output; `None` where it was not started.
    pub(super) read: Option<T>,
    /// What it said on standard error, as far as it is kept.
    pub(super) said: String,
}

/// Asks a question; `read` is given what the tool prints, as it prints it.
pub(super) async fn ask<T: Send + 'static>(
    question: Question,
    asked: Asked<'_>,
    read: impl FnOnce(&mut Printed) -> T + Send + 'static,
) -> Answer<T> {
    let mut running = match Running::start(question, asked) {
        Ok(running) => running,
        Err(error) => {
            return Answer {
                ended: Ended::NotStarted(error),
                read: None,
                said: String::new(),
            };
        }
    };
    let (printed, chunks) = mpsc::channel(4);
    let reading = tokio::task::spawn_blocking(move || read(&mut Printed::new(chunks)));
    let printing = hand_on(running.child.stdout().take(), printed);
    let said = Arc::<Mutex<Said>>::default();
    let mut hearing = tokio::spawn(hear(running.child.stderr().take(), said.clone()));
    let ended = running.runs_to_its_end(asked, printing).await;
    // a process that got away may hold the pipe for ever
    if timeout(A_MOMENT, &mut hearing).await.is_err() {
        hearing.abort();
    }
    let said = said.lock().unwrap_or_else(PoisonError::into_inner).text();
    Answer {
        ended,
        read: reading.await.ok(),
        said,
    }
}

/// A tool that runs. Whoever lets go of it ends it, and all that it has started.
struct Running {
    child: Box<dyn ChildWrapper>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // fails when there is nothing left
        _ = self.child.start_kill();
    }
}

impl Running {
    fn start(question: Question, asked: Asked) -> io::Result<Self> {
        let mut command = CommandWrap::with_new(asked.program, |command| {
            command
                .args(question.arguments())
                .current_dir(asked.directory)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            for (name, _) in std::env::vars_os() {
                let text = name.to_string_lossy();
                if NOT_HANDED_ON.iter().any(|it| text.starts_with(it)) {
                    command.env_remove(&name);
                }
            }
            command
                .env("TF_IN_AUTOMATION", "1")
                .env("TF_INPUT", "0")
                .env("CHECKPOINT_DISABLE", "1");
            if let Some(workspace) = asked.workspace {
                command.env("TF_WORKSPACE", workspace);
            }
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let child = command.spawn()?;
        Ok(Self { child })
    }

    /// Hands on what it prints until it ends, or must.
    async fn runs_to_its_end(
        &mut self,
        asked: Asked<'_>,
        printing: impl Future<Output = ()>,
    ) -> Ended {
        let mut printing = std::pin::pin!(printing);
        let mut has_printed = false;
        let ended = loop {
            let leader = self.child.inner_mut().wait();
            tokio::select! {
                biased;
                () = asked.cancel.cancelled() => break Ended::Cancelled,
                status = leader => break match status {
                    Ok(status) => Ended::Exited(status),
                    Err(error) => Ended::NotStarted(error),
                },
                () = sleep_until(asked.until) => break Ended::TimedOut,
                () = &mut printing, if !has_printed => has_printed = true,
            }
        };
        // what it has started and not ended
        _ = self.child.start_kill();
        if matches!(ended, Ended::Exited(_)) && !has_printed {
            // what is in the pipe is printed, whoever else holds the pipe
            let latest = asked.until.min(Instant::now() + AFTERWARDS);
            tokio::select! {
                () = printing => {}
                () = sleep_until(latest) => {}
                () = asked.cancel.cancelled() => return Ended::Cancelled,
            }
        }
        _ = timeout(AFTERWARDS, self.child.wait()).await;
        ended
    }
}

/// Reads what is printed until there is no more, or nobody wants it: a tool that cannot print waits.
async fn hand_on(from: Option<impl AsyncRead + Unpin>, to: mpsc::Sender<Vec<u8>>) {
    let Some(mut from) = from else {
        return;
    };
    loop {
        let mut chunk = Vec::with_capacity(64 * 1024);
        match from.read_buf(&mut chunk).await {
            Ok(1..) => _ = to.send(chunk).await,
            Ok(0) | Err(_) => return,
        }
    }
}

/// What is printed, as it is printed.
pub(super) struct Printed {
    chunks: mpsc::Receiver<Vec<u8>>,
    chunk: io::Cursor<Vec<u8>>,
}

impl Printed {
    fn new(chunks: mpsc::Receiver<Vec<u8>>) -> Self {
        Self {
            chunks,
            chunk: io::Cursor::default(),
        }
    }
}

impl Read for Printed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match Read::read(&mut self.chunk, buffer)? {
                0 if !buffer.is_empty() => match self.chunks.blocking_recv() {
                    Some(chunk) => self.chunk = io::Cursor::new(chunk),
                    None => return Ok(0),
                },
                read => return Ok(read),
            }
        }
    }
}

/// What a tool says, however much it is: the first of it and the last.
#[derive(Default)]
struct Said {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Said {
    fn hear(&mut self, mut chunk: &[u8]) {
        let room = (MOST_SAID - self.first.len()).min(chunk.len());
        self.first.extend(&chunk[..room]);
        chunk = &chunk[room..];
        self.last.extend(chunk);
        let too_many = self.last.len().saturating_sub(MOST_SAID);
        self.last.drain(..too_many);
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&[&*self.first, &*self.last].concat()).into_owned()
    }
}

async fn hear(from: Option<impl AsyncRead + Unpin>, said: Arc<Mutex<Said>>) {
    let Some(mut from) = from else {
        return;
    };
    let mut chunk = Vec::with_capacity(8 * 1024);
    while let Ok(1..) = from.read_buf(&mut chunk).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.hear(&chunk);
        chunk.clear();
    }
}
