//! An editor that keeps its own copy of everything and believes nothing.
//!
//! It remembers what it was told of each file, and fails when it is told of a text that it has not
//! or no longer has: a version that goes back, a range that does not fit the text of its version.

#![allow(dead_code)] // everybody takes a part of it

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, range, uri};

/// One editor with its server.
pub struct Editor {
    pub client: Client,
    root: PathBuf,
    watches: bool,
    documents: BTreeMap<String, Document>,
    /// By path below the root. Of a file without diagnostics there is nothing, unless it is open.
    told: BTreeMap<String, Told>,
    /// Whether it asks for what is wrong, or is told.
    pulls: bool,
    /// The ids of the lists that it has.
    lists: BTreeMap<String, Value>,
    /// What it asks about, and what it has to: a file, or everything.
    asks: Option<Option<String>>,
    wants: BTreeSet<Option<String>>,
    unanswered: BTreeMap<i64, String>,
    /// Answers that nobody has asked for yet.
    answers: BTreeMap<i64, Value>,
    cancelled: BTreeSet<i64>,
    /// When the server was told of an edit last.
    pub edited: Instant,
    /// When the server said something last.
    pub heard: Instant,
}

/// An open document.
struct Document {
    version: i64,
    text: String,
    /// The texts of versions that the server may still speak of.
    earlier: BTreeMap<i64, String>,
}

/// What the server said last of a file.
#[derive(Default)]
pub struct Told {
    /// Of the text that it is about; `None` for the disk's.
    pub version: Option<i64>,
    pub list: Vec<Value>,
    /// How often it said something.
    pub times: usize,
}

impl Editor {
    /// Starts a server on folders below `root`.
    pub fn start(root: &Path, folders: &[&str], cache: &Path, does: Does) -> Self {
        let mut client = Client::spawn_caching_in(root, cache);
        client.introduce(folders, capabilities(does), json!(null));
        client.notify("initialized", json!({}));
        let mut editor = Self {
            client,
            root: root.to_owned(),
            watches: does.watches,
            documents: BTreeMap::new(),
            told: BTreeMap::new(),
            pulls: does.pulls,
            lists: BTreeMap::new(),
            asks: None,
            wants: BTreeSet::new(),
            unanswered: BTreeMap::new(),
            answers: BTreeMap::new(),
            cancelled: BTreeSet::new(),
            edited: Instant::now(),
            heard: Instant::now(),
        };
        editor.pull(None);
        editor
    }

    /// Opens a file with this text.
    pub fn open(&mut self, file: &str, version: i64, text: &str) {
        let item = json!({
            "uri": self.uri(file), "languageId": "terraform", "version": version, "text": text,
        });
        let document = Document {
            version,
            text: text.to_owned(),
            earlier: BTreeMap::new(),
        };
        self.documents.insert(file.to_owned(), document);
        self.told.entry(file.to_owned()).or_default().version = None;
        let params = json!({ "textDocument": item });
        self.client.notify("textDocument/didOpen", params);
        self.pull(Some(file));
    }

    /// Opens a file with the text that the disk has, as version 1.
    pub fn open_from_disk(&mut self, file: &str) {
        let text = std::fs::read_to_string(self.root.join(file)).unwrap();
        self.open(file, 1, &text);
    }

    pub fn close(&mut self, file: &str) {
        self.documents.remove(file);
        self.client.close(file);
        self.wants.remove(&Some(file.to_owned()));
        // nobody tells it to, since it does that itself
        self.pull(None);
    }

    /// The open documents.
    pub fn documents(&self) -> impl Iterator<Item = (&str, i64, &str)> {
        let documents = self.documents.iter();
        documents.map(|(file, it)| (&**file, it.version, &*it.text))
    }

    /// The text of an open document.
    pub fn text(&self, file: &str) -> &str {
        &self.documents[file].text
    }

    /// Replaces a range of bytes of an open document, and returns its new version.
    pub fn replace(&mut self, file: &str, bytes: Range<usize>, text: &str) -> i64 {
        let document = self.documents.get_mut(file).expect("the file is open");
        let (start, end) = (
            position(&document.text, bytes.start),
            position(&document.text, bytes.end),
        );
        let mut new = document.text.clone();
        new.replace_range(bytes, text);
        let old = std::mem::replace(&mut document.text, new);
        document.earlier.insert(document.version, old);
        document.version += 1;
        let version = document.version;
        let at = [start.0, start.1, end.0, end.1];
        self.edited = Instant::now();
        self.client.edit(file, version, &[(at, text)]);
        self.pull(Some(file));
        version
    }

    /// Writes an open document to the disk, as saving does.
    pub fn save(&mut self, file: &str) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, self.text(file)).unwrap();
        let document = json!({ "uri": self.uri(file) });
        let params = json!({ "textDocument": document });
        self.client.notify("textDocument/didSave", params);
        self.disk_changed(&[(file, CHANGED)]);
    }

    /// Tells of what happened on the disk, if it watches that.
    pub fn disk_changed(&mut self, files: &[(&str, u32)]) {
        if !self.watches {
            return;
        }
        let change = |(file, what): &(&str, u32)| json!({ "uri": self.uri(file), "type": what });
        let changes: Vec<_> = files.iter().map(change).collect();
        let params = json!({ "changes": changes });
        self.client
            .notify("workspace/didChangeWatchedFiles", params);
    }

    /// Sends a request whose answer is to come at some time.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.client.ask(method, params);
        self.unanswered.insert(id, method.to_owned());
        id
    }

    /// Takes a request back. There is an answer all the same.
    pub fn cancel(&mut self, id: i64) {
        self.cancelled.insert(id);
        self.client.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Asks about a place of a file, which is a byte of an open document.
    pub fn ask_at(&mut self, method: &str, file: &str, byte: usize) -> i64 {
        let (line, character) = position(self.text(file), byte);
        let mut params = json!({ "textDocument": { "uri": self.uri(file) } });
        if method == "textDocument/codeAction" {
            params["range"] = range([line, character, line, character]);
            params["context"] = json!({ "diagnostics": [] });
        } else {
            params["position"] = json!({ "line": line, "character": character });
        }
        if method == "textDocument/references" {
            params["context"] = json!({ "includeDeclaration": true });
        }
        self.ask(method, params)
    }

    /// Waits for the answer to a request, and returns its result.
    pub fn answer(&mut self, id: i64, most: Duration) -> Value {
        let come = self.until(most, |it| it.answers.contains_key(&id));
        assert!(come, "no answer to {:?}", self.unanswered.get(&id));
        self.answers.remove(&id).unwrap_or_default()
    }

    /// What was asked and not answered.
    pub fn unanswered(&self) -> &BTreeMap<i64, String> {
        &self.unanswered
    }

    /// Answers that nobody needs.
    pub fn forget_answers(&mut self) {
        self.answers.clear();
        self.cancelled.clear();
    }

    /// What the server said last of a file, if it said anything.
    pub fn told(&self, file: &str) -> Option<&Told> {
        self.told.get(file)
    }

    /// How often the server said something of a file.
    pub fn times(&self, file: &str) -> usize {
        self.told(file).map_or(0, |it| it.times)
    }

    /// Everything that the server says is wrong now, by file.
    pub fn all_told(&self) -> BTreeMap<&str, &[Value]> {
        let told = self.told.iter();
        told.filter(|(_, it)| !it.list.is_empty())
            .map(|(file, it)| (&**file, &*it.list))
            .collect()
    }

    /// How long the server has said nothing.
    pub fn quiet(&self) -> Duration {
        self.heard.elapsed()
    }

    /// Listens until something is so. Returns whether it is, in this time.
    pub fn until(&mut self, most: Duration, mut is_so: impl FnMut(&Self) -> bool) -> bool {
        let end = Instant::now() + most;
        loop {
            if is_so(self) {
                return true;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.listen(left);
        }
    }

    /// Listens until the server has said nothing for so long.
    pub fn until_quiet(&mut self, quiet: Duration) {
        while self.listen(quiet) {}
    }

    /// Takes what the server says next. Returns whether it said something in this time.
    pub fn listen(&mut self, wait: Duration) -> bool {
        let Some(message) = self.client.next(wait) else {
            return false;
        };
        self.heard = Instant::now();
        match (message["method"].as_str(), &message["id"]) {
            (None, id) => self.answered(id.as_i64(), &message),
            (Some("textDocument/publishDiagnostics"), _) => self.publish(&message["params"]),
            (Some(method), id) if !id.is_null() => {
                let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                let result = match method {
                    "workspace/configuration" => json!(vec![Value::Null; items]),
                    _ => Value::Null,
                };
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                self.client.send(answer.to_string().as_bytes());
                if method == "workspace/diagnostic/refresh" {
                    self.pull(None);
                }
            }
            (Some("window/logMessage" | "window/showMessage"), _) => {
                let fails = message["params"]["type"] == 1;
                assert!(!fails, "the server has failed: {message}");
            }
            _ => {}
        }
        true
    }

    fn answered(&mut self, id: Option<i64>, message: &Value) {
        let id = id.unwrap_or_else(|| panic!("an answer to nothing: {message}"));
        let method = self.unanswered.remove(&id);
        let method = method.unwrap_or_else(|| panic!("a second answer: {message}"));
        let code = message["error"]["code"].as_i64();
        let is_taken_back = code == Some(-32800) && self.cancelled.contains(&id);
        assert!(
            code.is_none() || is_taken_back || code == Some(-32801),
            "{method}: {message}"
        );
        match &*method {
            PULL | PULL_ALL => self.pulled(&message["result"]),
            _ => _ = self.answers.insert(id, message["result"].clone()),
        }
    }

    /// Asks what is wrong in a file, or anywhere: as soon as what it asked before is answered, since
    /// an answer may be about what it has.
    fn pull(&mut self, file: Option<&str>) {
        if self.pulls {
            self.wants.insert(file.map(str::to_owned));
            self.pull_next();
        }
    }

    fn pull_next(&mut self) {
        if self.asks.is_none()
            && let Some(file) = self.wants.pop_first()
        {
            let (method, params) = match &file {
                Some(file) => {
                    let document = json!({ "uri": self.uri(file) });
                    let previous = self.lists.get(file);
                    let params = json!({ "textDocument": document, "previousResultId": previous });
                    (PULL, params)
                }
                None => {
                    let lists = self.lists.iter();
                    let ids = lists.map(|(file, id)| json!({ "uri": self.uri(file), "value": id }));
                    let params = json!({ "previousResultIds": ids.collect::<Vec<_>>() });
                    (PULL_ALL, params)
                }
            };
            self.ask(method, params);
            self.asks = Some(file);
        }
    }

    fn pulled(&mut self, result: &Value) {
        let asked = self.asks.take().expect("it asked");
        match asked {
            // it was edited or closed since, and there is another answer to come
            Some(file) if self.wants.contains(&Some(file.clone())) => {}
            Some(file) if !self.documents.contains_key(&file) => {}
            Some(file) => self.reported(&file, result),
            None => {
                let items = result["items"].as_array();
                for report in items.expect("a report has items") {
                    self.reported(&self.file(&report["uri"]), report);
                }
            }
        }
        self.pull_next();
    }

    /// Takes a report of what is wrong in a file.
    fn reported(&mut self, file: &str, report: &Value) {
        let document = self.documents.get(file);
        let version = report["version"].as_i64();
        // of a text that it has no more it asked again when it edited it
        let is_of_now = document.is_none_or(|it| version.is_none_or(|of| of == it.version))
            && !self.wants.contains(&Some(file.to_owned()));
        if report["kind"] == "full" && is_of_now {
            let list = report["items"].as_array().cloned();
            let list = list.expect("diagnostics are a list");
            if let Some(document) = document {
                for it in &list {
                    assert!(fits(it, &document.text), "{file}: {it} does not fit");
                }
            }
            self.lists
                .insert(file.to_owned(), report["resultId"].clone());
            let told = self.told.entry(file.to_owned()).or_default();
            told.times += 1;
            told.list = list;
        }
    }

    /// The path of a file below the root.
    fn file(&self, of: &Value) -> String {
        let root = format!("{}/", uri(&self.root));
        let of = of.as_str().unwrap_or_default();
        let file = of.strip_prefix(&root);
        file.unwrap_or_else(|| panic!("{of} is not below {root}"))
            .to_owned()
    }

    fn publish(&mut self, params: &Value) {
        assert!(!self.pulls, "who asks is not told as well: {params}");
        let file = &*self.file(&params["uri"]);
        let version = params["version"].as_i64();
        let list = params["diagnostics"].as_array().cloned();
        let list = list.expect("diagnostics are a list");
        let told = self.told.entry(file.to_owned()).or_default();
        if let Some(document) = self.documents.get_mut(file) {
            assert!(
                version >= told.version && version <= Some(document.version),
                "{file}: version {version:?} after {:?}, at {}",
                told.version,
                document.version
            );
            if let Some(version) = version {
                document.earlier.retain(|it, _| *it >= version);
                let text = match version == document.version {
                    true => &document.text,
                    false => &document.earlier[&version],
                };
                for it in &list {
                    assert!(fits(it, text), "{file}@{version}: {it} does not fit");
                }
            }
            told.version = version;
        }
        told.times += 1;
        told.list = list;
    }

    fn uri(&self, file: &str) -> String {
        uri(&self.root.join(file))
    }

    /// Ends the server as an editor does.
    pub fn finish(mut self) {
        let id = self.ask("shutdown", json!(null));
        self.answer(id, Duration::from_secs(30));
        self.client.notify("exit", json!(null));
    }
}

/// What happened to a file, in the protocol's numbers.
pub const CREATED: u32 = 1;
pub const CHANGED: u32 = 2;
pub const DELETED: u32 = 3;

/// What an editor does itself.
#[derive(Clone, Copy)]
pub struct Does {
    /// It watches the files, so that the server need not.
    pub watches: bool,
    /// It asks what is wrong, so that the server need not tell.
    pub pulls: bool,
}

const PULL: &str = "textDocument/diagnostic";
const PULL_ALL: &str = "workspace/diagnostic";

fn capabilities(does: Does) -> Value {
    let mut capabilities = json!({
        "textDocument": {
            "publishDiagnostics": { "relatedInformation": true, "versionSupport": true },
        },
        "workspace": {
            "workspaceFolders": true,
            "didChangeWatchedFiles": { "dynamicRegistration": does.watches },
        },
    });
    if does.pulls {
        capabilities["textDocument"]["diagnostic"] = json!({});
        capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    }
    capabilities
}

/// Line and UTF-16 character of a byte.
fn position(text: &str, byte: usize) -> (u32, u32) {
    let before = &text[..byte];
    let line = before.bytes().filter(|it| *it == b'\n').count();
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let character = before[start..].encode_utf16().count();
    (line as u32, character as u32)
}

/// The byte of a position, if the text has it.
fn byte(text: &str, position: &Value) -> Option<usize> {
    let line = position["line"].as_u64()? as usize;
    let start = match line {
        0 => 0,
        _ => text.match_indices('\n').nth(line - 1)?.0 + 1,
    };
    let end = text[start..].find('\n').map_or(text.len(), |it| start + it);
    let mut left = position["character"].as_u64()? as usize;
    for (at, letter) in text[start..end].char_indices() {
        if left == 0 {
            return Some(start + at);
        }
        left = left.checked_sub(letter.len_utf16())?;
    }
    (left == 0).then_some(end)
}

/// Whether a diagnostic is about this text: its range lies within, and what is known to stand there
/// does.
fn fits(diagnostic: &Value, text: &str) -> bool {
    let place = &diagnostic["range"];
    let ends = (byte(text, &place["start"]), byte(text, &place["end"]));
    let (Some(start), Some(end)) = ends else {
        return false;
    };
    let Some(there) = text.get(start..end) else {
        return false;
    };
    let message = diagnostic["message"].as_str().unwrap_or_default();
    match diagnostic["code"].as_str() {
        Some("malformed-realm") => {
            let is_literal =
                message.starts_with("The realm \"") && !there.contains(['\\', '$', '%']);
            // both quotes of an empty one are underlined
            !is_literal || there == "\"\"" || message.contains(&format!("{there:?}"))
        }
        Some("duplicate-identity" | "duplicate-in-stack" | "declaration-does-not-reach") => {
            let blocks = ["resource", "module", "removed", "import"];
            blocks.iter().any(|it| there.starts_with(it))
        }
        _ => true,
    }
}
