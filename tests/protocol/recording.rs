//! What is written down of a session, and its replay.

use serde_json::{Value, json};

use crate::client::{Client, server, uri};
use crate::example::Example;
use crate::{CODE, FOUND, WRONG, modern, wrong};

/// A session of a client that edits text of several scripts, written down into a directory.
fn recorded(example: &Example, notes: &Example, redact: bool) {
    let mut command = server();
    command.arg("--log").arg(notes.path("log"));
    command.arg("--record").arg(notes.path("record"));
    if redact {
        command.arg("--redact");
    }
    let mut client = Client::run(&mut command, example.root());
    client.initialize(modern());
    client.notify("initialized", json!({}));
    assert_eq!(client.pushed("main.tf").to_string(), FOUND);
    client.open_with(
        "main.tf",
        &format!("\u{feff}# hunter2 pässwörd 名 😀\r\n{WRONG}"),
    );
    assert_eq!(client.pushed("main.tf").version, Some(1));
    // UTF-16 units: behind the name, the sign and the face
    client.edit(
        "main.tf",
        2,
        &[([0, 21, 0, 23], "😀é"), ([0, 0, 0, 0], "\n")],
    );
    let pushed = client.pushed("main.tf");
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 2:2-2:41\n");
    client.send(b"hunter2 is no message");
    client.logged();
    client.hover("main.tf", 2, 3);
    client.finish();
}

/// What a server says to a recording.
fn replayed(notes: &Example) -> Vec<Value> {
    let mut command = server();
    let command = command.arg("replay").arg(notes.path("record"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|it| serde_json::from_str(it).unwrap());
    lines.collect()
}

fn is_log(message: &Value) -> bool {
    message["method"] == "window/logMessage"
}

#[test]
fn a_log_tells_what_was_said_when_and_no_texts() {
    let (example, notes) = (wrong("main.tf"), Example::empty());
    recorded(&example, &notes, false);
    let log = notes.read("log");
    for line in [
        "received initialize 1",
        "answered initialize 1 in ",
        "received textDocument/didChange",
        "handled textDocument/didChange in ",
        "sent textDocument/publishDiagnostics",
        "received 21 bytes that are no message",
        "answered shutdown ",
        "received exit",
    ] {
        assert!(log.contains(line), "{line}:\n{log}");
    }
    for secret in ["hunter2", "locals", "main.tf", CODE] {
        assert!(!log.contains(secret), "{secret}:\n{log}");
    }
}

#[test]
fn a_recorded_session_can_be_played_again() {
    let (example, notes) = (wrong("main.tf"), Example::empty());
    recorded(&example, &notes, false);
    let said = replayed(&notes);
    let pushed = said
        .iter()
        .rfind(|it| it["method"] == "textDocument/publishDiagnostics");
    let pushed = &pushed.unwrap()["params"];
    assert_eq!(pushed["uri"], uri(&example.path("main.tf")));
    assert_eq!(pushed["version"], 2);
    assert_eq!(pushed["diagnostics"][0]["code"], CODE);
    assert_eq!(said.iter().filter(|it| is_log(it)).count(), 1, "{said:#?}");
    let answers = said.iter().filter(|it| it.get("result").is_some());
    assert_eq!(answers.count(), 3, "{said:#?}");
}

#[test]
fn a_redacted_recording_tells_nothing_and_stays_in_step() {
    let (example, notes) = (wrong("main.tf"), Example::empty());
    recorded(&example, &notes, true);
    let record = notes.read("record");
    for secret in ["hunter2", "locals", "gantrycd:", "pässwörd", "名"] {
        assert!(!record.contains(secret), "{secret}:\n{record}");
    }
    assert_eq!(record.lines().count(), 8, "{record}");
    let said = replayed(&notes);
    let logs: Vec<_> = said.iter().filter(|it| is_log(it)).collect();
    // of what was no message, and of no edit
    assert_eq!(logs.len(), 1, "{logs:?}");
    let message = logs[0]["params"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("a message cannot be decoded"),
        "{message}"
    );
}

#[test]
fn what_cannot_be_written_or_read_is_told() {
    let example = Example::empty();
    for arguments in [
        ["--log", "no/such/directory"],
        ["--record", "no/such/directory"],
        ["replay", "no-such-file"],
    ] {
        let mut command = server();
        let command = command.args(arguments).current_dir(example.root());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            told.starts_with(&format!("error: {}: ", arguments[1])),
            "{told}"
        );
    }
    example.write("record", "{\"at\":0}\n");
    let mut command = server();
    let command = command
        .args(["replay", "record"])
        .current_dir(example.root());
    let told = String::from_utf8(command.output().unwrap().stderr).unwrap();
    let refused = "error: record: line 1 is not what `--record` writes: ";
    assert!(told.starts_with(refused), "{told}");
}
