//! What must not cost more than itself.

use std::process::Stdio;

use serde_json::json;

use crate::client::{Client, server, uri};
use crate::{CODE, COMMENT, FOUND, WRONG, hover_at, modern, opened, wrong};

#[test]
fn requests_that_are_cancelled_are_answered_at_once() {
    let example = wrong("main.tf");
    let mut client = Client::spawn(example.root());
    client.initialize(modern());
    // nothing is analysed before the client says that it is initialized: all of them wait
    let at = hover_at(&uri(&example.path("main.tf")), 0);
    let asked: Vec<_> = (0..200)
        .map(|_| client.ask("textDocument/hover", at.clone()))
        .collect();
    for id in &asked {
        client.notify("$/cancelRequest", json!({ "id": id }));
    }
    for id in &asked {
        let answer = client.receive("an answer", |it| it["id"] == *id);
        assert_eq!(answer["error"]["code"], -32800, "{answer}");
    }
    // none is answered again
    client.notify("initialized", json!({}));
    assert_eq!(client.pushed("main.tf").to_string(), FOUND);
    client.request("textDocument/hover", at);
    client.finish();
}

#[test]
fn a_client_that_does_not_read_is_still_heard() {
    const CHANGES: i64 = 5_000;
    let (example, mut client) = opened();
    let at = hover_at(&uri(&example.path("main.tf")), 0);
    client.stop_reading();
    let mut asked = Vec::new();
    for version in 2..CHANGES + 2 {
        client.edit("main.tf", version, &[([0, 0, 0, 0], "\n")]);
        if version % 10 == 0 {
            asked.push(client.ask("textDocument/completion", at.clone()));
        }
    }
    // all that was written, and the pipe holds little of it
    client.read_again();
    for id in asked {
        client.receive("an answer", |it| it["id"] == id);
    }
    let mut pushes = 0;
    let last = loop {
        let pushed = client.pushed("main.tf");
        pushes += 1;
        if pushed.version == Some(CHANGES + 1) {
            break pushed.to_string();
        }
    };
    let line = CHANGES;
    assert_eq!(last, format!("  warning {CODE} {line}:2-{line}:41\n"));
    assert!(pushes < 1_000, "{pushes} lists were kept for the client");
    client.finish();
}

#[test]
fn a_handler_that_fails_costs_one_answer() {
    let example = wrong("main.tf");
    let mut command = server();
    let command = command.env("GANTRYCD_LS_PANIC", "textDocument/hover");
    let command = command.stderr(Stdio::null());
    let mut client = Client::run(command, example.root());
    client.initialize(modern());
    client.notify("initialized", json!({}));
    assert_eq!(client.pushed("main.tf").to_string(), FOUND);
    let at = hover_at(&uri(&example.path("main.tf")), 0);
    for _ in 0..3 {
        assert_eq!(client.refused("textDocument/hover", at.clone()), -32603);
        assert_eq!(
            client.logged(),
            "textDocument/hover failed: a fault of ours"
        );
        client.request("textDocument/completion", at.clone());
    }
    client.finish();
}

#[test]
fn a_text_whose_handler_fails_is_not_guessed_at() {
    let example = wrong("main.tf");
    let mut command = server();
    let command = command.env("GANTRYCD_LS_PANIC", "textDocument/didChange");
    let command = command.stderr(Stdio::null());
    let mut client = Client::run(command, example.root());
    client.initialize(modern());
    client.notify("initialized", json!({}));
    assert_eq!(client.pushed("main.tf").to_string(), FOUND);
    client.open_with("main.tf", &format!("\n{WRONG}"));
    assert_eq!(client.pushed("main.tf").version, Some(1));
    client.edit("main.tf", 2, &[([0, 0, 0, 0], "\n")]);
    let logged = [client.logged(), client.logged()].concat();
    assert!(logged.contains("didChange failed"), "{logged}");
    assert!(logged.contains("do not fit"), "{logged}");
    let pushed = client.pushed("main.tf");
    assert_eq!((pushed.version, pushed.to_string()), (None, FOUND.into()));
    client.finish();
}

#[test]
fn frames_that_are_none_are_passed_over() {
    let (_example, mut client) = opened();
    for frame in [
        "Content-Length: many\r\n\r\n",
        "Content-Type: none\r\n\r\n",
        "\r\n",
        "\n\n",
        "no header at all\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
    ] {
        client.write(frame.as_bytes());
        let told = client.logged();
        assert!(told.starts_with("a message without a valid "), "{told}");
        if frame == "\n\n" {
            client.logged();
        }
    }
    for header in ["content-length:2", "X: y\r\nContent-Length :  2"] {
        client.write(format!("{header}\r\n\r\n{{}}").as_bytes());
        let told = client.logged();
        assert!(told.starts_with("a message cannot be decoded: "), "{told}");
    }
    client.edit("main.tf", 2, &[([0, 0, 0, 0], "\n")]);
    assert_eq!(client.pushed("main.tf").version, Some(2));
    client.finish();
}

#[test]
fn answers_to_no_question_are_passed_over() {
    let (_example, mut client) = opened();
    for answer in [
        json!({ "jsonrpc": "2.0", "id": 777, "result": null }),
        json!({ "jsonrpc": "2.0", "id": null, "result": 1 }),
        json!({ "jsonrpc": "2.0", "id": "x", "error": { "code": 1, "message": "" } }),
    ] {
        client.send(answer.to_string().as_bytes());
    }
    client.edit("main.tf", 2, &[([0, 0, 0, 0], "\n")]);
    assert_eq!(client.pushed("main.tf").version, Some(2));
    client.finish();
}

#[test]
fn a_text_may_be_nested_without_end() {
    let (_example, mut client) = opened();
    let deep = 10_000;
    for (open, close) in [
        ("[", "]"),
        ("{a=", "}"),
        ("(", ")"),
        ("\"${", "}\""),
        ("b {\n", "}\n"),
    ] {
        for close in ["", close] {
            let nested = [open.repeat(deep), close.repeat(deep)].concat();
            let text = format!("{WRONG}resource \"a\" \"b\" {{\n  x = {nested}\n}}\n");
            client.open_with("main.tf", &text);
            let pushed = client.pushed("main.tf").to_string();
            assert!(pushed.contains(CODE), "{open}{close}: {pushed}");
            client.close("main.tf");
            client.pushed("main.tf");
        }
    }
    client.finish();
}

#[test]
fn a_text_may_be_large() {
    // of what there can be so much: data that somebody has put into a text
    let line = format!("    {}\n", "0123456789abcdef".repeat(1 << 12));
    let data = line.repeat(50_000_000 / line.len());
    let large = format!("{WRONG}locals {{\n  data = <<EOT\n{data}EOT\n}}\n");
    let example = wrong("large.tf");
    example.write("large.tf", &large);
    let mut client = Client::start(example.root(), modern());
    assert_eq!(client.pushed("large.tf").to_string(), FOUND);
    client.open_with("large.tf", &large[COMMENT.len()..]);
    assert_eq!(client.pushed("large.tf").to_string(), "");
    client.finish();
}
