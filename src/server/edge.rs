//! The edge around the framework: it reads the client, has the service handle what it says in the
//! order in which it came, and writes what the service says.
//!
//! The framework brings its own loop, which stops reading while the client does not read, and
//! which a handler that panics takes down. Its service is all that is used of it. A handler is
//! polled once when its message has come, so what it does before it first waits is done before
//! the next message is looked at; if it waits, it goes on by itself. Knows nothing of what is
//! handled, apart from what an edit that was not understood means.

use std::future::{Future as _, poll_fn};
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::{FutureExt as _, SinkExt as _, StreamExt as _};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_lsp::ls_types::{DidChangeTextDocumentParams, MessageType, Uri};
use tower_lsp::{ClientSocket, Loopback, LspService};
use tower_service::Service as _;

use super::input::{self, Message, Refused};
use super::session::Session;
use super::trace::Trace;
use super::uri::{DID_OPEN, Spellings, path_of};
use super::{Backend, parent, tree};

/// How long the end waits for answers that are still to come.
const GRACE: Duration = Duration::from_millis(500);

/// The variable that names a method whose handler panics, for tests of what that costs.
const PANICS: &str = "GANTRYCD_LS_PANIC";

const CANCEL_PROGRESS: &str = "window/workDoneProgress/cancel";

const DID_CHANGE: &str = "textDocument/didChange";

type Wanted = <ClientSocket as Loopback>::RequestStream;
type Answers = <ClientSocket as Loopback>::ResponseSink;

/// Serves one client until it says `exit`, closes an end, or is gone. Returns whether it had said
/// `shutdown`.
pub(super) async fn serve(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    trace: Trace,
) -> bool {
    let mut session = None;
    let service = LspService::build(|client| {
        let new = Arc::new(Session::new(client));
        session = Some(new.clone());
        Backend::new(new)
    });
    let service = service.custom_method(tree::METHOD, Backend::tree);
    // the framework knows no such notification
    let service = service.custom_method(CANCEL_PROGRESS, Backend::work_done_progress_cancel);
    let (service, socket) = service.finish();
    let session = session.expect("the service is made from a session");
    let (wanted, answers) = socket.split();
    let (answered, to_answer) = mpsc::unbounded_channel();
    let (spellings, trace) = (Arc::new(Spellings::default()), Arc::new(trace));
    let out = Out {
        to: output,
        spellings: spellings.clone(),
        trace: trace.clone(),
    };
    let mut writing = tokio::spawn(out.write(to_answer, wanted));
    let (parent, parent_told) = oneshot::channel();
    let edge = Edge {
        service,
        session: session.clone(),
        answers,
        answered,
        spellings,
        trace,
        parent: Some(parent),
        panics: std::env::var(PANICS).ok(),
    };
    let parent_gone = async {
        match parent_told.await {
            Ok(id) => parent::gone(id).await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = edge.read(BufReader::new(input)) => {
            _ = timeout(GRACE, &mut writing).await;
        }
        // nobody reads any more
        _ = &mut writing => {}
        () = parent_gone => {}
    }
    // what runs for the client ends with it
    session.refreshing.end(GRACE).await;
    writing.abort();
    session.was_shut_down()
}

/// What comes from the client.
struct Edge {
    service: LspService<Backend>,
    session: Arc<Session>,
    /// Where the client's answers go.
    answers: Answers,
    /// Where ours go. Whoever reads them is waited for by nobody: the client may ask as much as it
    /// likes before it reads.
    answered: mpsc::UnboundedSender<Response>,
    spellings: Arc<Spellings>,
    trace: Arc<Trace>,
    /// Who is told of the client's process.
    parent: Option<oneshot::Sender<u32>>,
    /// The method whose handler panics.
    panics: Option<String>,
}

impl Edge {
    /// Reads until the client says `exit` or closes its end.
    async fn read(mut self, mut from: BufReader<impl AsyncRead + Unpin>) {
        // an input that fails is at its end
        while let Ok(Some(message)) = input::next(&mut from).await {
            self.trace.received(&message);
            let message = message.and_then(|mut message| {
                self.spellings.mend(&mut message);
                input::decode(message)
            });
            match message {
                Err(refused) => self.refuse(refused),
                Ok(Message::Answer(answer)) => _ = self.answers.send(answer).await,
                Ok(Message::Request(request)) => {
                    let is_last = request.method() == "exit";
                    self.handle(request).await;
                    if is_last {
                        break;
                    }
                }
            }
        }
    }

    fn refuse(&self, refused: Refused) {
        self.session.say(MessageType::ERROR, refused.why);
        if memchr::memmem::find(&refused.body, DID_CHANGE.as_bytes()).is_some() {
            self.session.lose_all();
        }
    }

    async fn handle(&mut self, request: Request) {
        if poll_fn(|context| self.service.poll_ready(context))
            .await
            .is_err()
        {
            return;
        }
        let params = request.params().unwrap_or(&Value::Null);
        let method = request.method().to_owned();
        let mut document = None;
        match &*method {
            "initialize" => {
                let id = params["processId"].as_u64();
                let id = id.and_then(|it| it.try_into().ok());
                // else it is the id of another machine or container
                if let Some(id) = id.filter(|it| parent::is_there(*it))
                    && let Some(parent) = self.parent.take()
                {
                    _ = parent.send(id);
                }
            }
            DID_OPEN => document = document_of(params),
            DID_CHANGE => {
                document = document_of(params);
                // the framework would pass it over
                if DidChangeTextDocumentParams::deserialize(params).is_err() {
                    match document {
                        Some(path) => self.session.lose(&path),
                        None => self.session.lose_all(),
                    }
                    return;
                }
            }
            _ => {}
        }
        let panics = self.panics.as_ref() == Some(&method);
        let (id, started) = (request.id().cloned(), Instant::now());
        let call = self.service.call(request);
        let call = async move {
            assert!(!panics, "{PANICS} names this method");
            call.await
        };
        let (session, answered, trace) = (
            self.session.clone(),
            self.answered.clone(),
            self.trace.clone(),
        );
        let handling = async move {
            let answer = match AssertUnwindSafe(call).catch_unwind().await {
                Ok(answer) => answer.ok().flatten(),
                Err(_) => {
                    session.say(
                        MessageType::ERROR,
                        format!("{method} failed: a fault of ours"),
                    );
                    // its text may not be what the client has
                    if let Some(path) = document {
                        session.lose(&path);
                    }
                    id.map(|it| Response::from_error(it, Error::internal_error()))
                }
            };
            trace.handled(&method, answer.as_ref(), started);
            if let Some(answer) = answer {
                // fails when nobody reads any more
                _ = answered.send(answer);
            }
        };
        let mut handling = Box::pin(handling);
        let first = poll_fn(|context| Poll::Ready(handling.as_mut().poll(context))).await;
        if first.is_pending() {
            tokio::spawn(handling);
        }
    }
}

/// The path of the document that a notification is about.
fn document_of(params: &Value) -> Option<PathBuf> {
    let uri = params["textDocument"]["uri"].as_str()?;
    path_of(&uri.parse::<Uri>().ok()?)
}

/// What goes to the client.
struct Out<W> {
    to: W,
    spellings: Arc<Spellings>,
    trace: Arc<Trace>,
}

impl<W: AsyncWrite + Unpin> Out<W> {
    /// Writes our answers and what is wanted of the client, until there is nobody left who could
    /// answer. What is wanted is taken one by one: whoever wants more of the client than it reads
    /// waits for it.
    ///
    /// # Errors
    /// When the client does not listen any more.
    async fn write(
        mut self,
        mut answers: mpsc::UnboundedReceiver<Response>,
        mut wanted: Wanted,
    ) -> io::Result<()> {
        let mut wants = true;
        loop {
            tokio::select! {
                answer = answers.recv() => match answer {
                    Some(answer) => self.send(&answer).await?,
                    None => return Ok(()),
                },
                request = wanted.next(), if wants => match request {
                    Some(request) => {
                        self.send(&request).await?;
                        self.trace.sent(request.method());
                    }
                    None => wants = false,
                },
            }
        }
    }

    async fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        let body = match self.spellings.are_ours() {
            true => serde_json::to_vec(message)?,
            false => {
                let mut message = serde_json::to_value(message)?;
                self.spellings.restore(&mut message);
                serde_json::to_vec(&message)?
            }
        };
        let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        framed.extend(body);
        self.to.write_all(&framed).await?;
        self.to.flush().await
    }
}
