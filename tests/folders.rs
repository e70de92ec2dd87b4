//! The real binary over a real pipe, with folders that overlap, that go, or that are not there.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any answer takes, and short enough to wait for one that never comes.
const PATIENCE: Duration = Duration::from_secs(20);

struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    diagnostics: HashMap<String, Value>,
    asked: u64,
}

impl Client {
    fn start(folders: &[&Path]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"))
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Self {
            server,
            input,
            messages,
            diagnostics: HashMap::new(),
            asked: 0,
        };
        let folders: Vec<_> = folders.iter().map(|it| folder(it)).collect();
        let params = json!({"capabilities": {}, "workspaceFolders": folders});
        client.ask("initialize", params);
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().unwrap().to_owned();
            let list = message["params"]["diagnostics"].clone();
            self.diagnostics.insert(uri, list);
        }
        message
    }

    fn hover(&mut self, path: &Path) -> Value {
        let params =
            json!({"textDocument": {"uri": uri(path)}, "position": {"line": 0, "character": 3}});
        self.ask("textDocument/hover", params)
    }

    fn change_folders(&mut self, added: &[&Path], removed: &[&Path]) {
        let folders = |all: &[&Path]| all.iter().map(|it| folder(it)).collect::<Vec<_>>();
        let event = json!({"added": folders(added), "removed": folders(removed)});
        self.tell(
            "workspace/didChangeWorkspaceFolders",
            json!({"event": event}),
        );
    }

    fn wait_for_findings(&mut self, path: &Path, count: usize) {
        let uri = uri(path);
        let counted = |it: &Self| {
            it.diagnostics
                .get(&uri)
                .map(|it| it.as_array().unwrap().len())
        };
        while counted(self) != Some(count) {
            self.receive();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(it) => length = it.parse().unwrap(),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).unwrap())
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn folder(path: &Path) -> Value {
    json!({"uri": uri(path), "name": "folder"})
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn two_roots() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        let block = "resource \"aws_sqs_queue\" \"q\" {\n  tags = {\n    \"gantrycd:resource-identity-realm\" = \"two words\"\n  }\n}\n";
        write(root.path(), &format!("{name}/main.tf"), block);
    }
    root
}

#[test]
fn a_folder_that_stays_keeps_its_workspace_when_another_goes() {
    let root = two_roots();
    let (a, b) = (root.path().join("a"), root.path().join("b"));
    let (in_a, in_b) = (a.join("main.tf"), b.join("main.tf"));
    // within the one that goes
    let mut client = Client::start(&[root.path(), &a]);
    client.wait_for_findings(&in_b, 1);
    client.change_folders(&[], &[root.path()]);
    client.wait_for_findings(&in_b, 0);
    assert!(client.hover(&in_a).is_object());
    // of one workspace with the one that goes
    write(root.path(), "gantrycd.hcl", "");
    let mut client = Client::start(&[&a, &b]);
    client.wait_for_findings(&in_b, 1);
    client.change_folders(&[], &[&b]);
    assert!(client.hover(&in_a).is_object());
}

#[test]
fn without_a_folder_every_open_file_is_served() {
    let root = two_roots();
    let mut client = Client::start(&[]);
    for name in ["a", "b"] {
        let path = root.path().join(name).join("main.tf");
        let text = std::fs::read_to_string(&path).unwrap();
        let document =
            json!({"uri": uri(&path), "languageId": "terraform", "version": 1, "text": text});
        client.tell("textDocument/didOpen", json!({"textDocument": document}));
    }
    for name in ["a", "b"] {
        let path = root.path().join(name).join("main.tf");
        assert!(client.hover(&path).is_object(), "{name}");
        // the same file by another name of it
        let path = root
            .path()
            .join(name)
            .join("../")
            .join(name)
            .join("main.tf");
        assert!(client.hover(&path).is_object(), "{name} by way of ..");
    }
}
