//! What the server tells of the whole workspace beyond the protocol: the status, the tree of stacks,
//! and explanations.

#[path = "support/client.rs"]
mod client;
#[path = "support/example.rs"]
mod example;

use client::{Client, range, uri};
use example::Example;
use serde_json::{Value, json};

const LEGACY: &str = "live/legacy/main.tf";

/// How many files of the example have something wrong with them.
const FILES: usize = 6;

/// A client that shows the status.
fn showing() -> Value {
    json!({ "experimental": { "gantrycd": { "status": true } } })
}

/// A client on a copy of the example that has read what is wrong with it.
fn started(capabilities: Value) -> (Example, Client) {
    let example = Example::copy();
    let mut client = Client::start(example.root(), capabilities);
    client.pushed_all(FILES);
    (example, client)
}

/// Waits for the status that is so.
fn status(client: &mut Client, is_so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let mut told = client.receive("a status", |it| it["method"] == "gantrycd/status");
        if is_so(&told["params"]) {
            return told["params"].take();
        }
    }
}

fn tree(client: &mut Client, node: Option<&Value>) -> Vec<Value> {
    let params = node.map_or_else(|| json!({}), |it| json!({ "node": it }));
    let items = client.request("gantrycd/tree", params);
    items.as_array().unwrap().clone()
}

/// The line of this label below a node.
fn find(client: &mut Client, node: Option<&Value>, label: &str) -> Value {
    let items = tree(client, node);
    let found = items.iter().find(|it| it["label"] == label);
    found
        .unwrap_or_else(|| panic!("no {label} in {items:#?}"))
        .clone()
}

fn command(name: &str, arguments: Value) -> Value {
    json!({ "command": name, "arguments": arguments })
}

// ------------------------------------------------------------------------------------------------
// The status

#[test]
fn the_status_is_told_to_those_who_show_it() {
    let (example, mut client) = started(showing());
    let mut told = status(&mut client, |it| {
        it["loading"] == false && it["errors"] == 5
    });
    let oldest = ["live/web", "live/account", "emulators/bob"].map(|it| {
        let state = example.path(&format!("{it}/terraform.tfstate"));
        let written = std::fs::metadata(state).unwrap().modified().unwrap();
        let since = written.duration_since(std::time::UNIX_EPOCH).unwrap();
        since.as_secs()
    });
    let state = told["oldestState"].take().as_u64().unwrap();
    // the others were written in the same moment
    assert!(oldest.iter().any(|it| it.abs_diff(state) <= 5), "{state}");
    told["tree"].take();
    assert_eq!(
        told,
        json!({
            "stacks": 6, "duplicates": 2, "oldestState": null, "unreadable": 0, "loading": false,
            "errors": 5, "warnings": 0, "tree": null,
        })
    );
    client.finish();
}

#[test]
fn nobody_else_is_told() {
    let (_example, client) = started(json!({ "experimental": { "gantrycd": {} } }));
    // fails on what was not read
    client.finish();
}

#[test]
fn the_status_follows_edits_and_the_disk() {
    let (example, mut client) = started(showing());
    let before = status(&mut client, |it| it["errors"] == 5);
    client.open(LEGACY);
    client.edit(
        LEGACY,
        2,
        &[([3, 0, 3, 0], "# gantrycd:resource-identity: ignore=true\n")],
    );
    let after = status(&mut client, |it| it["errors"] == 3);
    assert_eq!(after["duplicates"], 1);
    assert_ne!(after["tree"], before["tree"]);

    example.write("live/web/terraform.tfstate", "{ \"version\": 4,");
    client.disk_changed("live/web/terraform.tfstate");
    let after = status(&mut client, |it| it["unreadable"] == 1);
    assert_eq!(after["stacks"], 6, "its rows are kept");
    assert_eq!(after["warnings"], 1);
}

#[test]
fn what_says_nothing_to_a_stack_is_no_news() {
    let (example, mut client) = started(showing());
    status(&mut client, |it| it["errors"] == 5);
    example.write("README.md", "# Stacks\n");
    client.disk_changed("README.md");
    tree(&mut client, None);
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// The tree

#[test]
fn the_tree_is_told_a_node_at_a_time() {
    let (example, mut client) = started(json!({}));
    let top = tree(&mut client, None);
    let labels: Vec<_> = top.iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["Duplicates", "Stacks"]);
    assert_eq!(top[0]["isOpen"], true);

    let bucket = find(&mut client, Some(&top[0]["id"]), "aws_s3_bucket");
    let claimants = tree(&mut client, Some(&bucket["id"]));
    let legacy = &claimants[1];
    assert_eq!(
        *legacy,
        json!({
            "id": null,
            "label": "aws_s3_bucket.customer_uploads",
            "description": "live/legacy",
            "tooltip": "aws_s3_bucket.customer_uploads of live/legacy\n\
                arn:aws:s3:::example-shop-uploads-eu-west-1",
            "kind": "duplicate-resource",
            "location": { "uri": uri(&example.path(LEGACY)), "range": range([3, 0, 3, 43]) },
            "hasChildren": false,
            "isOpen": false,
        })
    );
    client.finish();
}

#[test]
fn a_node_is_the_same_after_an_edit_and_may_be_gone() {
    let (_example, mut client) = started(json!({}));
    let top = tree(&mut client, None);
    let stack = find(&mut client, Some(&top[1]["id"]), "live/legacy");
    let duplicates = find(&mut client, Some(&stack["id"]), "Duplicates");
    assert_eq!(tree(&mut client, Some(&duplicates["id"])).len(), 1);

    client.open(LEGACY);
    client.edit(
        LEGACY,
        2,
        &[([3, 0, 3, 0], "# gantrycd:resource-identity: ignore=true\n")],
    );
    assert_eq!(tree(&mut client, Some(&duplicates["id"])), [json!(null); 0]);
    assert_eq!(find(&mut client, Some(&top[1]["id"]), "live/legacy"), stack);
    client.pushed_at(LEGACY, 2);
    client.pushed("live/account/storage.tf");
    client.finish();
}

#[test]
fn several_workspaces_have_a_tree_each() {
    let example = Example::copy();
    let mut client = Client::start_in(example.root(), &["emulators", "live"], json!({}));
    client.pushed_all(FILES);
    let top = tree(&mut client, None);
    let kinds: Vec<_> = top.iter().map(|it| (&it["label"], &it["kind"])).collect();
    assert_eq!(
        kinds,
        [
            (&json!("emulators"), &json!("workspace")),
            (&json!("live"), &json!("workspace"))
        ]
    );
    let live = tree(&mut client, Some(&top[1]["id"]));
    let stacks = tree(&mut client, Some(&live[1]["id"]));
    assert_eq!(stacks.len(), 4);
    client.finish();
}

#[test]
fn an_id_that_nobody_gave_out_is_refused() {
    let (_example, mut client) = started(json!({}));
    for node in [
        "",
        "live/web",
        "{}",
        "{\"root\":\"/\",\"node\":{\"stack\":1}}",
    ] {
        let refused = client.refused("gantrycd/tree", json!({ "node": node }));
        assert_eq!(refused, -32602, "{node}");
    }
    let elsewhere = json!("{\"root\":\"/nowhere\",\"node\":\"duplicates\"}");
    assert_eq!(tree(&mut client, Some(&elsewhere)), [json!(null); 0]);
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Explanations

#[test]
fn a_resource_is_explained_where_it_stands_and_by_its_name() {
    let (example, mut client) = started(json!({}));
    let at = json!([{
        "uri": uri(&example.path(LEGACY)),
        "position": { "line": 4, "character": 3 },
    }]);
    let subject = json!([{ "subject": "live/legacy/aws_s3_bucket.customer_uploads" }]);
    for asked in [at, subject] {
        let asked = command("gantrycd.explain", asked);
        let answer = client.request("workspace/executeCommand", asked);
        assert_eq!(answer["title"], "aws_s3_bucket.customer_uploads");
        assert_eq!(answer["root"], uri(example.root()));
        let text = answer["text"].as_str().unwrap();
        assert!(
            text.starts_with("aws_s3_bucket.customer_uploads of live/legacy\n──"),
            "{text}"
        );
        assert!(text.contains("live/legacy/main.tf:4:1"), "{text}");
        assert!(text.contains("duplicate-identity"), "its findings: {text}");
        assert!(!text.contains('\u{1b}'), "colours are for terminals");
    }
    client.finish();
}

#[test]
fn where_there_is_nothing_to_explain_the_reason_is_told() {
    let (example, mut client) = started(json!({}));
    let at = |file: &str, line: u32| {
        let position = json!({ "line": line, "character": 0 });
        json!([{ "uri": uri(&example.path(file)), "position": position }])
    };
    let cases = [
        (at(LEGACY, 2), "there is no block at live/legacy/main.tf:3"),
        (at("README.md", 0), "this is no file of the workspace"),
        (
            json!([{ "subject": "aws_sqs_queue.nobody" }]),
            "aws_sqs_queue.nobody was not found; the nearest address is aws_sqs_queue.dead",
        ),
    ];
    for (asked, why) in cases {
        let asked = command("gantrycd.explain", asked);
        let answer = client.request("workspace/executeCommand", asked);
        assert_eq!(answer, json!({ "why": why }));
    }
    client.finish();
}

#[test]
fn commands_are_announced_and_others_are_refused() {
    let example = Example::copy();
    let mut client = Client::spawn(example.root());
    let server = client.initialize(json!({}));
    let commands = server["executeCommandProvider"]["commands"].as_array();
    assert!(commands.unwrap().contains(&json!("gantrycd.explain")));
    client.notify("initialized", json!({}));
    client.pushed_all(FILES);
    for asked in [
        command("gantrycd.nothing", json!([])),
        command("gantrycd.explain", json!([])),
        command("gantrycd.explain", json!([{ "uri": "file:///x" }])),
    ] {
        let refused = client.refused("workspace/executeCommand", asked.clone());
        assert_eq!(refused, -32602, "{asked}");
    }
    client.finish();
}
