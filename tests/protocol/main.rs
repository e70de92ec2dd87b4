//! The language server when its client, the disk or itself does what it should not: it goes on, or
//! ends as it should.

#[path = "../support/client.rs"]
mod client;
#[path = "../support/example.rs"]
mod example;

mod commands;
mod documents;
mod ends;
mod faults;
mod pulled;
mod recording;
mod uris;
mod watching;

use client::Client;
use example::Example;
use serde_json::{Value, json};

/// A file with one thing wrong, which needs nothing else.
const WRONG: &str = "# gantrycd:resource-identity: ignore=true\nlocals {}\n";
const COMMENT: &str = "# gantrycd:resource-identity: ignore=true\n";
const FOUND: &str = "  warning misplaced-ignore 0:2-0:41\n";
const CODE: &str = "misplaced-ignore";

/// What a client of today offers, apart from telling of changes on the disk.
fn modern() -> Value {
    json!({
        "textDocument": { "publishDiagnostics": { "versionSupport": true } },
        "workspace": { "workspaceEdit": { "documentChanges": true } },
    })
}

/// A client that tells of changes on the disk.
fn watching() -> Value {
    let mut capabilities = modern();
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": true });
    capabilities
}

/// A workspace with one file, in which one thing is wrong.
fn wrong(file: &str) -> Example {
    let example = Example::empty();
    example.write(file, WRONG);
    example
}

/// A client that has read what is wrong with `main.tf`, which is open.
fn opened() -> (Example, Client) {
    let example = wrong("main.tf");
    let mut client = Client::start(example.root(), modern());
    assert_eq!(client.pushed("main.tf").to_string(), FOUND);
    client.open("main.tf");
    assert_eq!(client.pushed("main.tf").version, Some(1));
    (example, client)
}

fn hover_at(uri: &str, line: u32) -> Value {
    json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": 3 },
    })
}
