//! What a client can have executed.

use std::path::Path;

use super::{Client, Example, modern};
use serde_json::{Value, json};

const INVALID: i64 = -32602;
const FAILED: i64 = -32803;

fn started(capabilities: Value) -> (Example, Client) {
    let example = Example::copy();
    let mut client = Client::start(example.root(), capabilities);
    // what is wrong with the example
    client.pushed_all(6);
    (example, client)
}

fn graph(arguments: &Value) -> Value {
    json!({ "command": "gantrycd.showGraph", "arguments": [arguments] })
}

fn executed(client: &mut Client, arguments: &Value) -> Value {
    client.request("workspace/executeCommand", graph(arguments))
}

#[test]
fn the_commands_are_told() {
    let example = Example::empty();
    let mut client = Client::spawn(example.root());
    let capabilities = client.initialize(json!({}));
    let commands = &capabilities["executeCommandProvider"]["commands"];
    let all = [
        "gantrycd.explain",
        "gantrycd.showGraph",
        "gantrycd.refresh",
        "gantrycd.status",
    ];
    assert_eq!(*commands, json!(all));
}

#[test]
fn the_graph_is_given_in_each_format() {
    let (_example, mut client) = started(modern());
    let begins = [
        ("html", "<!DOCTYPE html>\n"),
        ("svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" "),
        ("dot", "digraph stacks {\n"),
        ("mermaid", "flowchart RL\n"),
        ("json", "{\n  \"version\": 1,\n"),
    ];
    for (format, begin) in begins {
        let answer = executed(&mut client, &json!({ "format": format, "open": false }));
        assert_eq!(answer["format"], format);
        assert!(
            answer["text"].as_str().unwrap().starts_with(begin),
            "{answer}"
        );
        assert_eq!(answer.as_object().unwrap().len(), 2);
    }
    // a page, unless something else is asked for
    let nothing = json!({ "command": "gantrycd.showGraph" });
    let answer = client.request("workspace/executeCommand", nothing);
    assert_eq!(answer["format"], "html");
    client.finish();
}

#[test]
fn a_part_of_the_graph_is_given() {
    let (example, mut client) = started(modern());
    let mut stacks = |arguments: Value| -> Vec<String> {
        let mut asked = json!({ "format": "json" });
        for (key, value) in arguments.as_object().unwrap() {
            asked[key] = value.clone();
        }
        let answer = executed(&mut client, &asked);
        let document: Value = serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
        let stacks = document["stacks"].as_array().unwrap().iter();
        stacks
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let near = ["live/account", "live/orders", "live/web"];
    assert_eq!(stacks(json!({ "stack": "live/web" })), near);
    assert_eq!(
        stacks(json!({ "stack": "live/web", "depth": 0 })),
        ["live/web"]
    );
    let alone = json!({ "realm": "localstack-alice" });
    assert_eq!(stacks(alone), [""; 0]);
    let uri = super::client::uri(&example.path("live/web/main.tf"));
    assert_eq!(stacks(json!({ "uri": uri, "stack": "live/web" })), near);
    client.finish();
}

#[test]
fn the_graph_is_of_what_is_on_screen() {
    let (_example, mut client) = started(modern());
    let groups = |client: &mut Client| -> Vec<String> {
        let answer = executed(client, &json!({ "format": "json" }));
        let document: Value = serde_json::from_str(answer["text"].as_str().unwrap()).unwrap();
        let groups = document["duplicates"].as_array().unwrap().iter();
        groups
            .map(|it| it["when"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(groups(&mut client), ["now", "now"]);
    let file = "live/legacy/main.tf";
    client.open(file);
    client.pushed(file);
    let comment = "# gantrycd:resource-identity: ignore=true\n";
    client.edit(file, 2, &[([3, 0, 3, 0], comment)]);
    assert_eq!(groups(&mut client), ["now"]);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let (_example, mut client) = started(modern());
    let mut refused = |params: Value| client.refused("workspace/executeCommand", params);
    assert_eq!(refused(json!({ "command": "gantrycd.other" })), INVALID);
    assert_eq!(refused(graph(&json!({ "format": "png" }))), INVALID);
    assert_eq!(refused(graph(&json!({ "stacks": "*" }))), INVALID);
    assert_eq!(refused(graph(&json!({ "stack": "[" }))), INVALID);
    assert_eq!(refused(graph(&json!({ "depth": -1 }))), INVALID);
    assert_eq!(refused(graph(&json!({ "stack": "nobody" }))), FAILED);
    assert_eq!(refused(graph(&json!({ "realm": "nobody's" }))), FAILED);
    assert_eq!(
        refused(graph(&json!({ "uri": "file:///elsewhere/a.tf" }))),
        FAILED
    );
    client.finish();

    let nowhere = Example::empty();
    let mut client = Client::start_in(nowhere.root(), &[], modern());
    assert_eq!(
        client.refused("workspace/executeCommand", graph(&json!({}))),
        FAILED
    );
    client.finish();
}

/// A client whose user has a directory for caches of their own.
fn caching(capabilities: Value) -> (Example, Example, Client) {
    let (example, cache) = (Example::copy(), Example::empty());
    let mut client = Client::spawn_caching_in(example.root(), cache.root());
    client.initialize(capabilities);
    client.notify("initialized", json!({}));
    client.pushed_all(6);
    (example, cache, client)
}

#[track_caller]
fn is_page(path: &str, cache: &Example) {
    assert!(
        Path::new(path).starts_with(cache.path("gantrycd-ls")),
        "{path}"
    );
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains("live/account"), "{path}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "others could read it");
    }
}

#[test]
fn a_client_that_shows_documents_is_told_to() {
    let mut capabilities = modern();
    capabilities["window"] = json!({ "showDocument": { "support": true } });
    let (_example, cache, mut client) = caching(capabilities.clone());
    let answer = executed(&mut client, &json!({ "open": true }));
    let path = answer["path"].as_str().unwrap().to_owned();
    assert_eq!(answer, json!({ "path": path }));
    is_page(&path, &cache);
    let shown = json!({ "success": true });
    let request = client.serve_with("window/showDocument", shown);
    let uri = super::client::uri(Path::new(&path));
    assert_eq!(
        request,
        json!({ "uri": uri, "external": true, "takeFocus": true })
    );
    client.finish();

    // one that could not show it
    let (_example, cache, mut client) = caching(capabilities);
    let answer = executed(&mut client, &json!({ "open": true, "format": "mermaid" }));
    let path = answer["path"].as_str().unwrap().to_owned();
    assert!(path.ends_with(".mmd"), "{path}");
    is_page(&path, &cache);
    client.serve_with("window/showDocument", json!({ "success": false }));
    told(&mut client, &path);
    client.finish();
}

#[track_caller]
fn told(client: &mut Client, path: &str) {
    let shown = client.receive("a message", |it| it["method"] == "window/showMessage");
    assert_eq!(shown["params"]["type"], 3);
    let message = format!("The graph of the stacks is in {path}");
    assert_eq!(shown["params"]["message"], *message);
}

#[test]
fn one_that_shows_none_is_told_where_it_is() {
    let (_example, cache, mut client) = caching(modern());
    let answer = executed(&mut client, &json!({ "open": true }));
    let path = answer["path"].as_str().unwrap().to_owned();
    is_page(&path, &cache);
    told(&mut client, &path);
    // the same file again
    let again = executed(&mut client, &json!({ "open": true }));
    assert_eq!(again, answer);
    told(&mut client, &path);
    client.finish();
}
