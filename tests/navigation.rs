//! From one stack to another, as an editor meets it: the real binary, real framed messages.

#[path = "support/client.rs"]
mod client;
#[path = "support/example.rs"]
mod example;

use std::time::Duration;

use client::{Client, range, spelled, uri};
use example::Example;
use serde_json::{Value, json};

/// How many files of the example have something wrong with them.
const FILES: usize = 6;

const DATA: &str = "live/web/data.tf";
const OWNER: &str = "live/account/dns.tf";
const CERTIFICATE: &str =
    "arn:aws:acm:eu-west-1:111122223333:certificate/06298432-e806-4b29-a222-3bcc23aa9504";

/// What a client of today offers that follows links, and can be told to ask again.
fn modern() -> Value {
    json!({
        "textDocument": { "definition": { "linkSupport": true } },
        "workspace": {
            "codeLens": { "refreshSupport": true },
            "inlayHint": { "refreshSupport": true },
        },
    })
}

/// A client on a copy of the example that has read what is wrong with it.
fn started(capabilities: Value, settings: Value) -> (Example, Client) {
    let example = Example::copy();
    let refreshes = capabilities["workspace"].get("codeLens").is_some();
    let mut client = Client::start_with(example.root(), capabilities, settings);
    client.pushed_all(FILES);
    if refreshes {
        client.serve(LENSES);
        client.serve(HINTS);
    }
    (example, client)
}

const LENSES: &str = "workspace/codeLens/refresh";
const HINTS: &str = "workspace/inlayHint/refresh";

fn at(example: &Example, file: &str, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": uri(&example.path(file)) },
        "position": { "line": line, "character": character },
    })
}

fn document(example: &Example, file: &str) -> Value {
    json!({ "textDocument": { "uri": uri(&example.path(file)) } })
}

/// `file range` of locations.
fn places(example: &Example, locations: &Value) -> Vec<String> {
    let locations = locations.as_array().into_iter().flatten();
    let place = |it: &Value| {
        let file = below(example, &it["uri"]);
        format!("{file} {}", spelled(&it["range"]))
    };
    locations.map(place).collect()
}

fn below(example: &Example, uri_of: &Value) -> String {
    let root = uri(example.root());
    let below = uri_of.as_str().unwrap().strip_prefix(&root);
    below.unwrap().trim_start_matches('/').to_owned()
}

// ------------------------------------------------------------------------------------------------
// Definition and references

#[test]
fn a_data_block_leads_to_the_resource_of_another_stack() {
    let (example, mut client) = started(modern(), json!(null));
    client.open(DATA);
    let answer = client.request("textDocument/definition", at(&example, DATA, 1, 10));
    let link = json!([{
        "originSelectionRange": range([1, 0, 1, 37]),
        "targetUri": uri(&example.path(OWNER)),
        "targetRange": range([6, 0, 17, 1]),
        "targetSelectionRange": range([6, 0, 6, 41]),
    }]);
    assert_eq!(answer, link);
    let nowhere = client.request("textDocument/definition", at(&example, DATA, 1, 39));
    assert_eq!(nowhere, json!(null));
    let nobodys = client.request("textDocument/definition", at(&example, DATA, 12, 3));
    assert_eq!(nobodys, json!(null), "the network is nobody's here");
    client.finish();
}

#[test]
fn who_takes_no_links_gets_locations() {
    let (example, mut client) = started(json!({}), json!(null));
    // the file is not open
    let answer = client.request("textDocument/definition", at(&example, DATA, 1, 0));
    assert_eq!(places(&example, &answer), [format!("{OWNER} 6:0-6:41")]);
    client.finish();
}

#[test]
fn references_are_its_readers_and_rivals() {
    let (example, mut client) = started(json!({}), json!(null));
    let mut ask = |file: &str, line: u32, declaration: bool| {
        let mut params = at(&example, file, line, 3);
        params["context"] = json!({ "includeDeclaration": declaration });
        let answer = client.request("textDocument/references", params);
        places(&example, &answer)
    };
    let reader = format!("{DATA} 1:0-1:37");
    let owner = format!("{OWNER} 6:0-6:41");
    assert_eq!(ask(OWNER, 6, false), [&*reader]);
    assert_eq!(ask(OWNER, 6, true), [owner, reader]);
    let rival = "live/legacy/main.tf 3:0-3:43";
    assert_eq!(ask("live/account/storage.tf", 1, false), [rival]);
    assert_eq!(ask("live/legacy/main.tf", 20, true), [""; 0], "it opts out");
    client.finish();
}

/// What is typed and not saved counts, in the reader's file and in the owner's, in UTF-16 units and
/// whatever ends a line.
#[test]
fn edits_that_are_not_saved_are_followed() {
    let (example, mut client) = started(modern(), json!(null));
    let text = example.read(OWNER).replace('\n', "\r\n");
    let header = "resource \"aws_acm_certificate\"";
    let moved = text.replace(header, &format!("/* 🌍é */ {header}"));
    client.open_with(OWNER, &format!("\u{feff}# é\r\n{moved}"));
    client.open(DATA);
    client.edit(DATA, 2, &[([1, 0, 1, 0], "/* 🌍 */ ")]);
    let answer = client.request("textDocument/definition", at(&example, DATA, 1, 9));
    let link = json!([{
        "originSelectionRange": range([1, 9, 1, 46]),
        "targetUri": uri(&example.path(OWNER)),
        "targetRange": range([7, 10, 18, 1]),
        "targetSelectionRange": range([7, 10, 7, 51]),
    }]);
    assert_eq!(answer, link);

    // an opt-out ends it before it is saved, on either side
    let ignore = "# gantrycd:resource-identity: ignore=true\n";
    client.edit(DATA, 3, &[([1, 0, 1, 0], ignore)]);
    let answer = client.request("textDocument/definition", at(&example, DATA, 2, 9));
    assert_eq!(answer, json!(null));
    client.edit(DATA, 4, &[([1, 0, 2, 0], "")]);
    client.edit(OWNER, 2, &[([7, 0, 7, 0], ignore)]);
    let answer = client.request("textDocument/definition", at(&example, DATA, 1, 9));
    assert_eq!(answer, json!(null));
    client.edit(OWNER, 3, &[([7, 0, 8, 0], "")]);
    let answer = client.request("textDocument/definition", at(&example, DATA, 1, 9));
    assert_eq!(answer, link);
    client.serve(LENSES);
    client.notify("textDocument/didClose", document(&example, OWNER));
    drop(client);
}

#[test]
fn an_arn_in_a_text_is_a_link_to_its_owner() {
    let (example, mut client) = started(json!({}), json!(null));
    let text = format!("# é {CERTIFICATE}.\nlocals {{\n  a = \"{CERTIFICATE}/x\"\n}}\n");
    client.open_with("live/web/notes.tf", &text);
    let links = client.request(
        "textDocument/documentLink",
        document(&example, "live/web/notes.tf"),
    );
    let link = json!([{
        "range": range([0, 4, 0, 4 + CERTIFICATE.len() as u32]),
        "target": format!("{}#L7", uri(&example.path(OWNER))),
        "tooltip": "Owned by aws_acm_certificate.wildcard of live/account",
    }]);
    assert_eq!(links, link);
    let answer = client.request(
        "textDocument/definition",
        at(&example, "live/web/notes.tf", 0, 9),
    );
    assert_eq!(places(&example, &answer), [format!("{OWNER} 6:0-6:41")]);
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// The hierarchy of stacks

#[test]
fn stacks_call_those_that_they_read_from() {
    let (example, mut client) = started(json!({}), json!(null));
    let prepared = |client: &mut Client, file: &str, line: u32| {
        let at = at(&example, file, line, 0);
        let items = client.request("textDocument/prepareCallHierarchy", at);
        items.as_array().cloned().unwrap_or_default()
    };
    let item = &prepared(&mut client, OWNER, 6)[0];
    assert_eq!(item["name"], "live/account");
    assert_eq!(item["kind"], 2, "a module");
    assert_eq!(item["selectionRange"], range([6, 0, 6, 41]));
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": item }));
    let calls = |calls: &Value, other: &str| -> Vec<String> {
        let call = |it: &Value| {
            let spans = it["fromRanges"].as_array().unwrap().iter().map(spelled);
            let spans: Vec<_> = spans.collect();
            let name = it[other]["name"].as_str().unwrap();
            let file = below(&example, &it[other]["uri"]);
            assert_eq!(it[other]["detail"], *file);
            format!("{name} {file} {}", spans.join(" "))
        };
        calls.as_array().unwrap().iter().map(call).collect()
    };
    assert_eq!(
        calls(&incoming, "from"),
        [
            "live/web live/web/artifacts.tf 0:0-0:28",
            "live/web live/web/data.tf 1:0-1:37 7:0-7:32",
        ]
    );

    // and from there back
    let item = json!({ "item": incoming[1]["from"] });
    let outgoing = client.request("callHierarchy/outgoingCalls", item);
    assert_eq!(
        calls(&outgoing, "to"),
        ["live/account live/account/dns.tf 1:0-1:37 7:0-7:32"]
    );
    assert_eq!(
        prepared(&mut client, OWNER, 8),
        [json!(null); 0],
        "no header"
    );

    // of a stack that is gone there is nothing to tell
    let mut gone = prepared(&mut client, OWNER, 6).remove(0);
    gone["data"]["stack"] = json!("live/gone");
    let calls = client.request("callHierarchy/incomingCalls", json!({ "item": gone }));
    assert_eq!(calls, json!(null));
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// At a glance

/// The lenses of a file, each asked for: `range: title -> places`.
fn lenses(client: &mut Client, example: &Example, file: &str) -> Vec<String> {
    let lenses = client.request("textDocument/codeLens", document(example, file));
    let lenses = lenses.as_array().cloned().unwrap_or_default();
    let lenses = lenses.into_iter().map(|lens| {
        assert_eq!(lens.get("command"), None);
        let at = spelled(&lens["range"]);
        let start = lens["range"]["start"].clone();
        let lens = client.request("codeLens/resolve", lens);
        let command = &lens["command"];
        assert_eq!(command["command"], "gantrycd.showReferences");
        assert_eq!(below(example, &command["arguments"][0]), file);
        assert_eq!(command["arguments"][1], start);
        let places = places(example, &command["arguments"][2]).join(", ");
        format!("{at}: {} -> {places}", command["title"].as_str().unwrap())
    });
    lenses.collect()
}

#[test]
fn lenses_tell_who_reads_claims_and_owns() {
    let (example, mut client) = started(json!({}), json!(null));
    assert_eq!(
        lenses(&mut client, &example, OWNER),
        [
            "0:0-0:36: read by 1 stack -> live/web/data.tf 7:0-7:32",
            "6:0-6:41: read by 1 stack -> live/web/data.tf 1:0-1:37",
        ]
    );
    assert_eq!(
        lenses(&mut client, &example, DATA),
        [
            "1:0-1:37: owned by live/account → aws_acm_certificate.wildcard -> \
             live/account/dns.tf 6:0-6:41",
            "7:0-7:32: owned by live/account → aws_route53_zone.public -> \
             live/account/dns.tf 0:0-0:36",
        ]
    );
    let storage = lenses(&mut client, &example, "live/account/storage.tf");
    assert_eq!(
        storage,
        ["1:0-1:34: also claimed by 1 stack -> live/legacy/main.tf 3:0-3:43"]
    );
    client.finish();
}

#[test]
fn a_lens_of_another_text_is_asked_for_again() {
    let (example, mut client) = started(json!({}), json!(null));
    client.open(OWNER);
    let all = client.request("textDocument/codeLens", document(&example, OWNER));
    client.edit(OWNER, 2, &[([0, 0, 0, 0], "\n")]);
    const CONTENT_MODIFIED: i64 = -32801;
    assert_eq!(
        client.refused("codeLens/resolve", all[0].clone()),
        CONTENT_MODIFIED
    );
    let broken = json!({ "range": range([0, 0, 0, 1]), "data": { "uri": 7 } });
    assert_eq!(client.refused("codeLens/resolve", broken), CONTENT_MODIFIED);
    client.finish();
}

fn hints(client: &mut Client, example: &Example, file: &str) -> Vec<String> {
    let mut params = document(example, file);
    params["range"] = range([0, 0, 1000, 0]);
    let hints = client.request("textDocument/inlayHint", params);
    let hints = hints.as_array().cloned().unwrap_or_default();
    let hint = |it: &Value| {
        let at = &it["position"];
        let label = it["label"].as_str().unwrap();
        format!("{}:{} {label}", at["line"], at["character"])
    };
    hints.iter().map(hint).collect()
}

#[test]
fn hints_are_shown_to_those_who_want_them() {
    let (example, mut client) = started(json!({}), json!(null));
    assert_eq!(hints(&mut client, &example, DATA), [""; 0]);
    client.configure(json!({ "gantrycd": { "inlayHints": { "enable": true } } }));
    assert_eq!(
        hints(&mut client, &example, DATA),
        [
            "1:37 reads acm:…:certificate/06298432-e806-4b29-a222-3bcc23aa9504",
            "7:32 reads route53:…:hostedzone/Z08423091KQXN5R7V2M4T",
            "12:21 reads ec2:…:vpc/vpc-038faba71b3a6cfc9",
        ]
    );
    client.finish();
}

#[test]
fn lenses_go_for_those_who_do_not_want_them() {
    let (example, mut client) = started(modern(), json!({ "codeLens": { "enable": false } }));
    assert_eq!(lenses(&mut client, &example, OWNER), [""; 0]);
    client.configure(json!({ "gantrycd": {} }));
    client.serve(LENSES);
    client.serve(HINTS);
    assert_eq!(lenses(&mut client, &example, OWNER).len(), 2);
    client.finish();
}

/// What changes between stacks is to be asked for again, once nobody types; what leaves all as it
/// is is not.
#[test]
fn a_client_is_told_to_ask_again_when_other_stacks_are_others() {
    let (example, mut client) = started(modern(), json!({ "inlayHints": { "enable": true } }));
    client.open(DATA);
    client.edit(DATA, 2, &[([3, 0, 3, 0], "  # a comment\n")]);
    // a block that is a duplicate, in a stack that others read
    client.open("live/account/storage.tf");
    client.edit("live/account/storage.tf", 2, &[([0, 0, 0, 0], "# more\n")]);
    lenses(&mut client, &example, OWNER);
    while let Some(message) = client.next(Duration::from_millis(700)) {
        let method = &message["method"];
        assert_eq!(method, "textDocument/publishDiagnostics", "{message:#}");
    }
    client.edit(
        DATA,
        3,
        &[([1, 0, 1, 0], "# gantrycd:resource-identity: ignore=true\n")],
    );
    client.serve(LENSES);
    client.serve(HINTS);
    assert_eq!(lenses(&mut client, &example, OWNER).len(), 1);
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Symbols

fn symbols(client: &mut Client, example: &Example, query: &str) -> Vec<String> {
    let symbols = client.request("workspace/symbol", json!({ "query": query }));
    let symbol = |it: &Value| {
        let place = places(example, &json!([it["location"]])).remove(0);
        let container = it["containerName"].as_str().unwrap_or("-");
        format!(
            "{} {} | {container} | {place}",
            it["kind"],
            it["name"].as_str().unwrap()
        )
    };
    symbols.as_array().unwrap().iter().map(symbol).collect()
}

#[test]
fn a_pasted_arn_lands_on_its_owner() {
    let (example, mut client) = started(json!({}), json!(null));
    let owner =
        format!("5 aws_acm_certificate.wildcard | live/account: {CERTIFICATE} | {OWNER} 6:0-6:41");
    let reader = format!(
        "13 data.aws_acm_certificate.wildcard | live/web: reads {CERTIFICATE} | {DATA} 1:0-1:37"
    );
    assert_eq!(
        symbols(&mut client, &example, CERTIFICATE),
        [&*owner, &*reader]
    );
    assert_eq!(symbols(&mut client, &example, "06298432-E806"), [&*owner]);
    let by_address = symbols(
        &mut client,
        &example,
        "live/account/aws_acm_certificate.wildcard",
    );
    assert_eq!(by_address, [&*owner]);
    assert_eq!(
        symbols(&mut client, &example, "nothing of the kind"),
        [""; 0]
    );

    // as it is typed
    client.open(OWNER);
    client.edit(OWNER, 2, &[([0, 0, 0, 0], "\n\n")]);
    let moved = owner.replace("6:0-6:41", "8:0-8:41");
    assert_eq!(symbols(&mut client, &example, "06298432"), [moved]);
    client.finish();
}

#[test]
fn the_symbols_of_all_folders() {
    let example = Example::copy();
    let folders = ["live/account", "live/web"];
    let mut client = Client::start_in(example.root(), &folders, json!({}));
    let found = symbols(&mut client, &example, "aws_acm_certificate.wildcard");
    let names: Vec<_> = found
        .iter()
        .map(|it| it.split(" | ").next().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "5 aws_acm_certificate.wildcard",
            "13 data.aws_acm_certificate.wildcard"
        ]
    );
    client.finish();
}

#[test]
fn a_search_that_was_taken_back_is_answered_at_once() {
    let (example, mut client) = started(json!({}), json!(null));
    let id = client.ask("workspace/symbol", json!({ "query": "aws" }));
    client.notify("$/cancelRequest", json!({ "id": id }));
    let answer = client.receive("an answer", |it| {
        it["id"] == id && it.get("method").is_none()
    });
    // it may have been found already
    if let Some(error) = answer.get("error") {
        assert_eq!(error["code"], -32800);
    }
    assert!(!symbols(&mut client, &example, "aws").is_empty());
    client.finish();
}
