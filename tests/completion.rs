//! What is completed in configuration, as an editor gets it: the real binary, the example workspace.

#[path = "support/client.rs"]
mod client;
#[path = "support/example.rs"]
mod example;

use client::{Client, range};
use example::Example;
use serde_json::{Value, json};

const FILE: &str = "live/orders/queues.tf";
const REALM: &str = "gantrycd:resource-identity-realm";

/// A client whose completions can do this.
fn editor(item: Value) -> Value {
    json!({ "textDocument": { "completion": { "completionItem": item } } })
}

/// What is offered at the end of a text's line that `|` ends, once the editor has it.
fn offered(client: &mut Client, text: &str) -> Value {
    let before = text.split('|').next().unwrap();
    let line = before.matches('\n').count() as u32;
    let last = before.rsplit('\n').next().unwrap();
    let character = last.encode_utf16().count() as u32;
    client.open_with(FILE, &text.replacen('|', "", 1));
    let offered = client.complete(FILE, line, character);
    client.close(FILE);
    offered
}

fn labels(offered: &Value) -> Vec<&str> {
    let items = offered["items"].as_array().map_or(&[][..], |it| it);
    items
        .iter()
        .map(|it| it["label"].as_str().unwrap())
        .collect()
}

/// A queue whose tags come from here.
const MERGED: &str =
    "resource \"aws_sqs_queue\" \"q\" {\n  tags = merge(local.common, { Name = \"q\" })\n}\n";

#[test]
fn a_key_with_a_stop_for_its_value_where_the_editor_has_such() {
    let example = Example::copy();
    let mut client = Client::spawn(example.root());
    let can = client.initialize(editor(json!({
        "snippetSupport": true,
        "insertReplaceSupport": true,
    })));
    let triggers = &can["completionProvider"]["triggerCharacters"];
    assert_eq!(*triggers, json!(["\"", ":", "-"]));
    client.notify("initialized", json!({}));

    // what is before it counts in the editor's units
    let text = format!("{MERGED}locals {{\n  common = {{ \"é😀\" = 1, gan|tr");
    let found = offered(&mut client, &text);
    assert_eq!(labels(&found), [REALM, "gantrycd:resource-identity"]);
    assert_eq!(found["isIncomplete"], false);
    let first = &found["items"][0];
    assert_eq!(first["insertTextFormat"], 2);
    assert_eq!(first["filterText"], REALM);
    let edit = &first["textEdit"];
    assert_eq!(edit["newText"], format!("\"{REALM}\" = \"$1\""));
    assert_eq!(edit["insert"], range([4, 24, 4, 27]));
    assert_eq!(edit["replace"], range([4, 24, 4, 29]));
    // what is in quotes already has none
    let text = format!("{MERGED}locals {{\n  common = {{ \"|\" }}\n}}\n");
    let found = offered(&mut client, &text);
    assert_eq!(found["isIncomplete"], true);
    assert_eq!(found["items"][0]["insertTextFormat"], json!(null));
    assert_eq!(found["items"][0]["textEdit"]["newText"], REALM);
}

#[test]
fn the_same_without_in_an_editor_that_has_not() {
    let example = Example::copy();
    let mut client = Client::start(example.root(), json!({}));
    let text = format!("{MERGED}locals {{\n  common = {{\n    gan|\n  }}\n}}\n");
    let found = offered(&mut client, &text);
    let first = &found["items"][0];
    assert_eq!(first["insertTextFormat"], json!(null));
    let edit = json!({ "range": range([5, 4, 5, 7]), "newText": format!("\"{REALM}\" = ") });
    assert_eq!(first["textEdit"], edit);
}

#[test]
fn realms_and_how_many_stacks_use_them() {
    let example = Example::copy();
    let mut client = Client::start(example.root(), json!({}));
    let realm = |value: &str| {
        format!("{MERGED}locals {{\n  common = {{\n    \"{REALM}\" = {value}\n  }}\n}}\n")
    };
    let found = offered(&mut client, &realm("\"loc|"));
    assert_eq!(labels(&found), ["localstack-alice"]);
    let only = &found["items"][0];
    assert_eq!(only["detail"], "used by 1 stack");
    let edit = json!({ "range": range([5, 42, 5, 45]), "newText": "localstack-alice\"" });
    assert_eq!(only["textEdit"], edit);
    // as soon as another stack has it on screen
    let providers = example.read("emulators/bob/providers.tf");
    let mended = providers.replace("localstack/bob", "localstack-alice");
    client.open_with("emulators/bob/providers.tf", &mended);
    let found = offered(&mut client, &realm("\"|\""));
    assert_eq!(found["items"][0]["detail"], "used by 2 stacks");
}

#[test]
fn the_comment_where_it_is_honoured_and_nothing_elsewhere() {
    let example = Example::copy();
    let mut client = Client::start(example.root(), json!({}));
    let comment = "# gan|\nresource \"aws_sqs_queue\" \"q\" {}\n";
    let found = offered(&mut client, comment);
    assert_eq!(labels(&found), ["gantrycd:resource-identity: ignore=true"]);
    assert_eq!(found["items"][0]["textEdit"]["range"], range([0, 2, 0, 5]));
    for text in [
        "# gan|\n\nresource \"aws_sqs_queue\" \"q\" {}\n",
        "resource \"aws_sqs_queue\" \"q\" {\n  name = \"|\"\n}\n",
        "resource \"aws_sqs_queue\" \"q\" {\n  name-|\n}\n",
        "resource \"aws_kms_alias\" \"q\" {\n  tags = { gan| }\n}\n",
        "resource \"aws_sqs_queue\" \"q\" {\n  tags = {\n    Na|\n  }\n}\n",
        "locals {\n  common = { \"gan|\n}\n",
    ] {
        assert_eq!(offered(&mut client, text), json!(null), "{text}");
    }
}
