//! A language client for tests: it starts the real binary and speaks framed JSON-RPC with it.
//!
//! Nothing is waited for without a deadline, and nothing that the server says is passed over: what
//! a test did not read fails it at the end.

#![allow(dead_code)] // everybody takes a part of it

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything takes, on the slowest machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// One client with its server.
pub struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    inbox: Receiver<Value>,
    unread: VecDeque<Value>,
    requests: i64,
    root: PathBuf,
}

/// The diagnostics of one file, as they were pushed.
#[derive(Debug)]
pub struct Pushed {
    /// Relative to the root, with `/`.
    pub file: String,
    pub version: Option<i64>,
    pub diagnostics: Vec<Value>,
    root: String,
}

/// Severity, code and range of each diagnostic on a line, its related places on lines below.
impl fmt::Display for Pushed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for it in &self.diagnostics {
            let severity = match it["severity"].as_u64() {
                Some(1) => "error",
                Some(2) => "warning",
                Some(3) => "information",
                Some(4) => "hint",
                other => panic!("severity {other:?}"),
            };
            let code = it["code"].as_str().unwrap();
            writeln!(f, "  {severity} {code} {}", spelled(&it["range"]))?;
            for related in it["relatedInformation"].as_array().into_iter().flatten() {
                let location = &related["location"];
                let file = below(&self.root, &location["uri"]);
                writeln!(f, "    {file} {}", spelled(&location["range"]))?;
            }
        }
        Ok(())
    }
}

/// A range as `line:character-line:character`.
pub fn spelled(range: &Value) -> String {
    let at = |it: &Value| format!("{}:{}", it["line"], it["character"]);
    format!("{}-{}", at(&range["start"]), at(&range["end"]))
}

/// The path of a URI below a root.
fn below(root: &str, uri: &Value) -> String {
    let uri = uri.as_str().unwrap();
    let below = uri.strip_prefix(root);
    let below = below.unwrap_or_else(|| panic!("{uri} is not below the root"));
    below.trim_start_matches('/').to_owned()
}

impl Client {
    /// Starts the server; nothing is said to it yet.
    pub fn spawn(root: &Path) -> Self {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
        Self::spawn_caching_in(root, &cache)
    }

    /// Starts the server of a user with this directory for caches.
    pub fn spawn_caching_in(root: &Path, cache: &Path) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"))
            .current_dir(root)
            .env("XDG_CACHE_HOME", cache)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = server.stdout.take().unwrap();
        let (sender, inbox) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read_message(&mut stdout) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            stdin: server.stdin.take(),
            server,
            inbox,
            unread: VecDeque::new(),
            requests: 0,
            root: root.to_owned(),
        }
    }

    /// Starts the server on a workspace, for a client with these capabilities.
    pub fn start(root: &Path, capabilities: Value) -> Self {
        Self::start_in(root, &[""], capabilities)
    }

    /// Starts the server on a workspace, for an editor with these settings.
    pub fn start_with(root: &Path, capabilities: Value, options: Value) -> Self {
        let mut client = Self::spawn(root);
        client.introduce(&[""], capabilities, options);
        client.notify("initialized", json!({}));
        client
    }

    /// Starts the server on folders below `root`.
    pub fn start_in(root: &Path, folders: &[&str], capabilities: Value) -> Self {
        let mut client = Self::spawn(root);
        client.initialize_in(folders, capabilities);
        client.notify("initialized", json!({}));
        client
    }

    /// Introduces the client, and returns what the server can do.
    pub fn initialize(&mut self, capabilities: Value) -> Value {
        self.initialize_in(&[""], capabilities)
    }

    fn initialize_in(&mut self, folders: &[&str], capabilities: Value) -> Value {
        self.introduce(folders, capabilities, json!(null))
    }

    /// Introduces the client with these folders below the root and these settings, and returns what
    /// the server can do.
    pub fn introduce(&mut self, folders: &[&str], capabilities: Value, options: Value) -> Value {
        let folders = self.folders(folders);
        let params = json!({
            "initializationOptions": options,
            "processId": std::process::id(),
            "rootUri": folders.first().map(|it| it["uri"].clone()),
            "capabilities": capabilities,
            "workspaceFolders": folders,
        });
        self.request("initialize", params)["capabilities"].take()
    }

    pub fn change_folders(&mut self, added: &[&str], removed: &[&str]) {
        let event = json!({ "added": self.folders(added), "removed": self.folders(removed) });
        let params = json!({ "event": event });
        self.notify("workspace/didChangeWorkspaceFolders", params);
    }

    fn folders(&self, names: &[&str]) -> Vec<Value> {
        let folder = |name: &&str| {
            let uri = uri(&self.root.join(name));
            json!({ "uri": uri.trim_end_matches('/'), "name": name })
        };
        names.iter().map(folder).collect()
    }

    /// Sends a request and returns its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Sends a request that the server must refuse, and returns the error's code.
    pub fn refused(&mut self, method: &str, params: Value) -> i64 {
        let answer = self.answer(method, params);
        let code = answer["error"]["code"].as_i64();
        code.unwrap_or_else(|| panic!("{method} was not refused: {answer}"))
    }

    fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let is_answer = |it: &Value| it.get("method").is_none() && it["id"] == id;
        self.receive(&format!("the answer to {method}"), is_answer)
    }

    /// Sends a request without waiting for its answer, and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            request["params"] = params;
        }
        self.send(request.to_string().as_bytes());
        id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(message.to_string().as_bytes());
    }

    /// Sends the body of a message as it is.
    pub fn send(&mut self, body: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        write!(stdin, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        stdin.write_all(body).unwrap();
        stdin.flush().unwrap();
    }

    /// The first message of this kind, of those unread and those to come.
    pub fn receive(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return self.unread.remove(at).unwrap();
        }
        let until = Instant::now() + DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.inbox.recv_timeout(left) {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.unread.push_back(message),
                Err(why) => panic!("waiting for {what}: {why}; unread: {:#?}", self.unread),
            }
        }
    }

    /// The next message, whatever it is; `None` when there is none for so long.
    pub fn next(&mut self, wait: Duration) -> Option<Value> {
        if let Some(message) = self.unread.pop_front() {
            return Some(message);
        }
        match self.inbox.recv_timeout(wait) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the server has ended"),
        }
    }

    /// The server's process.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// Waits for a request of the server and answers it with null.
    pub fn serve(&mut self, method: &str) -> Value {
        self.serve_with(method, json!(null))
    }

    /// Waits for a request of the server and answers it.
    pub fn serve_with(&mut self, method: &str, result: Value) -> Value {
        let mut request = self.receive(method, |it| {
            it["method"] == method && it["id"] != json!(null)
        });
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.send(answer.to_string().as_bytes());
        request["params"].take()
    }

    /// The next diagnostics of one file.
    pub fn pushed(&mut self, file: &str) -> Pushed {
        let of_file = uri(&self.root.join(file));
        self.push(&format!("diagnostics of {file}"), |it| {
            it["params"]["uri"] == *of_file
        })
    }

    /// The diagnostics of one file at one version of it; those of earlier versions are passed
    /// over, since two quick edits may come to one push or to two.
    pub fn pushed_at(&mut self, file: &str, version: i64) -> Pushed {
        loop {
            let pushed = self.pushed(file);
            if pushed.version == Some(version) {
                return pushed;
            }
            assert!(pushed.version < Some(version), "{pushed:?}");
        }
    }

    /// The next diagnostics of this many files, by file. Their order is not told.
    pub fn pushed_all(&mut self, files: usize) -> BTreeMap<String, Pushed> {
        let mut all = BTreeMap::new();
        while all.len() < files {
            let pushed = self.push("diagnostics", |_| true);
            let before = all.insert(pushed.file.clone(), pushed);
            assert!(before.is_none(), "twice: {before:?}");
        }
        all
    }

    fn push(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Pushed {
        let message = self.receive(what, |it| {
            it["method"] == "textDocument/publishDiagnostics" && wanted(it)
        });
        let params = &message["params"];
        let root = uri(&self.root);
        Pushed {
            file: below(&root, &params["uri"]),
            version: params.get("version").and_then(Value::as_i64),
            diagnostics: params["diagnostics"].as_array().unwrap().clone(),
            root,
        }
    }

    /// Opens a file with the text that the disk has, as version 1.
    pub fn open(&mut self, file: &str) {
        let text = std::fs::read_to_string(self.root.join(file)).unwrap();
        self.open_with(file, &text);
    }

    /// Opens a file with this text, as version 1.
    pub fn open_with(&mut self, file: &str, text: &str) {
        self.open_uri(&uri(&self.root.join(file)), text);
    }

    pub fn open_uri(&mut self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "terraform", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// Edits an open file. A range is `[line, character, line, character]`.
    pub fn edit(&mut self, file: &str, version: i64, edits: &[([u32; 4], &str)]) {
        let edits = edits.iter();
        let edits: Vec<_> = edits
            .map(|(at, text)| json!({ "range": range(*at), "text": text }))
            .collect();
        let document = json!({ "uri": uri(&self.root.join(file)), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": edits });
        self.notify("textDocument/didChange", params);
    }

    pub fn close(&mut self, file: &str) {
        let document = self.document(file);
        self.notify("textDocument/didClose", json!({ "textDocument": document }));
    }

    /// Tells the server that something on the disk is not what it was.
    pub fn disk_changed(&mut self, file: &str) {
        let change = json!({ "uri": uri(&self.root.join(file)), "type": 2 });
        self.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": [change] }),
        );
    }

    /// What stands at a place: the Markdown, and the range that it is about.
    pub fn hover(&mut self, file: &str, line: u32, character: u32) -> Option<(String, Value)> {
        let document = self.document(file);
        let at = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": document, "position": at });
        let hover = self.request("textDocument/hover", params);
        let text = hover["contents"]["value"].as_str()?.to_owned();
        assert_eq!(hover["contents"]["kind"], "markdown");
        Some((text, hover["range"].clone()))
    }

    /// What could be written at a place.
    pub fn complete(&mut self, file: &str, line: u32, character: u32) -> Value {
        let document = self.document(file);
        let at = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": document, "position": at });
        self.request("textDocument/completion", params)
    }

    /// Tells the server that the editor's settings changed, to these.
    pub fn configure(&mut self, settings: Value) {
        let params = json!({ "settings": settings });
        self.notify("workspace/didChangeConfiguration", params);
    }

    /// The warning that the server shows next.
    pub fn warned(&mut self) -> String {
        let shown = self.receive("a warning", |it| it["method"] == "window/showMessage");
        assert_eq!(shown["params"]["type"], 2);
        shown["params"]["message"].as_str().unwrap().to_owned()
    }

    /// The line that the server logs next.
    pub fn logged(&mut self) -> String {
        let logged = self.receive("a line in the log", |it| {
            it["method"] == "window/logMessage"
        });
        logged["params"]["message"].as_str().unwrap().to_owned()
    }

    /// What can be done at a place.
    pub fn actions(&mut self, file: &str, at: [u32; 4], only: Option<&[&str]>) -> Vec<Value> {
        let mut context = json!({ "diagnostics": [] });
        if let Some(only) = only {
            context["only"] = json!(only);
        }
        self.actions_in(file, at, context)
    }

    pub fn actions_in(&mut self, file: &str, at: [u32; 4], context: Value) -> Vec<Value> {
        let document = self.document(file);
        let params = json!({ "textDocument": document, "range": range(at), "context": context });
        let actions = self.request("textDocument/codeAction", params);
        actions.as_array().cloned().unwrap_or_default()
    }

    fn document(&self, file: &str) -> Value {
        json!({ "uri": uri(&self.root.join(file)) })
    }

    /// Ends as an editor does: everything was read, and the server ends with 0.
    pub fn finish(mut self) {
        assert!(self.request("shutdown", json!(null)).is_null());
        self.notify("exit", json!(null));
        assert_eq!(self.ended(), Some(0));
    }

    /// Closes the server's standard input.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the server and returns its exit code. Fails on what was not read.
    pub fn ended(&mut self) -> Option<i32> {
        let until = Instant::now() + DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.inbox.recv_timeout(left) {
                Ok(message) => self.unread.push_back(message),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server has not ended"),
            }
        }
        while Instant::now() < until {
            if let Some(status) = self.server.try_wait().unwrap() {
                assert!(self.unread.is_empty(), "unread: {:#?}", self.unread);
                return status.code();
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the server has not ended");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // of a test that failed
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

/// The URI of a path. The paths of these tests hold nothing that needs to be escaped.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.to_str().unwrap())
}

/// A range of the protocol.
pub fn range([line, character, end_line, end_character]: [u32; 4]) -> Value {
    json!({
        "start": { "line": line, "character": character },
        "end": { "line": end_line, "character": end_character },
    })
}

fn read_message(from: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(value) = header.strip_prefix("Content-Length:") {
                    length = value.trim().parse().ok();
                }
            }
        }
    }
    let mut body = vec![0; length.expect("a message says how long it is")];
    from.read_exact(&mut body).ok()?;
    let text = String::from_utf8_lossy(&body);
    assert!(!text.contains("not-a-real-secret"), "a secret of a state");
    Some(serde_json::from_slice(&body).expect("a message is JSON"))
}
