//! Diagnostics of clients that ask for them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::example::Example;
use crate::{CODE, WRONG, modern, wrong};

/// A client that asks for diagnostics, and can be told to.
fn pulling() -> Value {
    let mut capabilities = modern();
    capabilities["textDocument"]["diagnostic"] = json!({ "relatedDocumentSupport": false });
    capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    capabilities
}

const REFRESH: &str = "workspace/diagnostic/refresh";

fn of_document(client: &mut Client, example: &Example, file: &str, previous: &Value) -> Value {
    let params = json!({
        "textDocument": { "uri": uri(&example.path(file)) },
        "previousResultId": previous,
    });
    client.request("textDocument/diagnostic", params)
}

fn of_workspace(client: &mut Client, previous: &[Value]) -> Vec<Value> {
    let params = json!({ "previousResultIds": previous });
    let report = client.request("workspace/diagnostic", params);
    report["items"].as_array().unwrap().clone()
}

/// `file: code …` or `file: unchanged`, sorted.
fn told(items: &[Value]) -> Vec<String> {
    let one = |it: &Value| {
        let file = it["uri"].as_str().unwrap().rsplit('/').next().unwrap();
        let found = match it["items"].as_array() {
            None => it["kind"].as_str().unwrap().to_owned(),
            Some(found) => {
                let codes = found.iter().map(|it| it["code"].as_str().unwrap());
                codes.collect::<Vec<_>>().join(" ")
            }
        };
        format!("{file}: {found}")
    };
    let mut told: Vec<_> = items.iter().map(one).collect();
    told.sort();
    told
}

fn ids(items: &[Value]) -> Vec<Value> {
    let ids = items.iter();
    let ids = ids.map(|it| json!({ "uri": it["uri"], "value": it["resultId"] }));
    ids.collect()
}

#[test]
fn who_asks_is_not_told_as_well() {
    let example = wrong("main.tf");
    let mut client = Client::spawn(example.root());
    let result = client.initialize(pulling());
    let provider = &result["diagnosticProvider"];
    assert_eq!(provider["workspaceDiagnostics"], true);
    assert_eq!(provider["interFileDependencies"], true);
    client.notify("initialized", json!({}));
    client.serve(REFRESH);
    client.open("main.tf");
    let report = of_document(&mut client, &example, "main.tf", &Value::Null);
    assert_eq!(report["kind"], "full");
    assert_eq!(report["items"][0]["code"], CODE);

    let again = of_document(&mut client, &example, "main.tf", &report["resultId"]);
    assert_eq!(again["kind"], "unchanged");
    assert_eq!(again["resultId"], report["resultId"]);

    // the text that it was asked about, and no refresh for what the client does itself
    client.edit("main.tf", 2, &[([0, 0, 1, 0], "")]);
    let mended = of_document(&mut client, &example, "main.tf", &report["resultId"]);
    assert_eq!(mended["items"], json!([]));
    assert_eq!(client.next(Duration::from_millis(400)), None);
    client.finish();
}

#[test]
fn all_files_are_told_and_those_that_are_gone() {
    let example = wrong("a.tf");
    example.write("b.tf", WRONG);
    let mut client = Client::start(example.root(), pulling());
    client.serve(REFRESH);
    let items = of_workspace(&mut client, &[]);
    assert_eq!(
        told(&items),
        [format!("a.tf: {CODE}"), format!("b.tf: {CODE}")]
    );
    let same = of_workspace(&mut client, &ids(&items));
    assert_eq!(told(&same), ["a.tf: unchanged", "b.tf: unchanged"]);

    example.remove("b.tf");
    client.serve(REFRESH);
    let gone = of_workspace(&mut client, &ids(&items));
    assert_eq!(told(&gone), ["a.tf: unchanged", "b.tf: "]);
    client.finish();
}

#[test]
fn what_an_edit_makes_of_other_files_is_to_be_asked_for() {
    let example = Example::copy();
    let mut client = Client::start(example.root(), pulling());
    client.serve(REFRESH);
    let before = of_workspace(&mut client, &[]);
    // in the other's realm, a stack claims what the other does
    client.open("emulators/bob/providers.tf");
    let text = example.read("emulators/bob/providers.tf");
    let line = text.lines().position(|it| it.contains("localstack/bob"));
    let line = line.unwrap() as u32;
    let others = example.read("emulators/alice/providers.tf");
    let others = others.lines().find(|it| it.contains("localstack-alice"));
    let edit = [([line, 0, line + 1, 0], &*format!("{}\n", others.unwrap()))];
    client.edit("emulators/bob/providers.tf", 2, &edit);
    client.serve(REFRESH);
    let after = of_workspace(&mut client, &ids(&before));
    assert!(told(&after).iter().any(|it| it.ends_with(": unchanged")));
    let other = told(&after);
    let mut other = other.iter().filter(|it| !it.ends_with("unchanged"));
    assert!(
        other.any(|it| !it.starts_with("providers.tf")),
        "{:?}",
        told(&after)
    );
    client.finish();
}

#[test]
fn a_client_that_cannot_be_told_to_ask_again_is_told_at_once() {
    let example = wrong("main.tf");
    let mut capabilities = pulling();
    capabilities["workspace"]["diagnostics"] = Value::Null;
    let mut client = Client::spawn(example.root());
    let result = client.initialize(capabilities);
    assert_eq!(result.get("diagnosticProvider"), None);
    client.notify("initialized", json!({}));
    assert_eq!(client.pushed("main.tf").to_string(), crate::FOUND);
    client.finish();
}
