//! URIs as clients spell them.

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::{FOUND, WRONG, hover_at, modern, watching, wrong};

/// A directory whose name must be escaped in a URI.
const ODD: &str = "a b [c] {d}^|";
const ODD_ESCAPED: &str = "a%20b%20%5Bc%5D%20%7Bd%7D%5E%7C";

#[test]
fn a_client_that_does_not_escape_is_answered_in_kind() {
    let file = format!("{ODD}/main.tf");
    let example = wrong(&file);
    let mut client = Client::start(&example.path(ODD), modern());
    let told = client.receive("diagnostics", |it| {
        it["method"] == "textDocument/publishDiagnostics"
    });
    let told = &told["params"]["uri"];
    let escaped = uri(&example.path(&format!("{ODD_ESCAPED}/main.tf")));
    // it is not open: nobody has spelled it
    assert_eq!(*told, escaped);
    client.open("main.tf");
    let pushed = client.pushed("main.tf");
    assert_eq!(
        (pushed.version, pushed.to_string()),
        (Some(1), FOUND.into())
    );
    client.edit("main.tf", 2, &[([0, 0, 0, 0], "\n")]);
    assert_eq!(client.pushed("main.tf").version, Some(2));
    client.finish();
}

#[test]
fn a_document_of_two_spellings_is_one() {
    let example = wrong("a b/main.tf");
    let mut client = Client::start(example.root(), modern());
    let first = uri(&example.path("a%20b/main.tf"));
    assert_eq!(client.pushed("a%20b/main.tf").to_string(), FOUND);
    client.open_uri(&first, WRONG);
    assert_eq!(client.pushed("a%20b/main.tf").version, Some(1));
    let mut version = 1;
    for spelling in [
        example.path("a b/main.tf"),
        example.path("a%20b/./main.tf"),
        example.path("x/../%61%20b//main%2etf"),
    ] {
        version += 1;
        let document = json!({ "uri": uri(&spelling), "version": version });
        let change = json!({ "text": format!("{}{WRONG}", "\n".repeat(version)) });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        client.notify("textDocument/didChange", params);
        // as it was spelled when it was opened
        let pushed = client.pushed("a%20b/main.tf");
        assert_eq!(pushed.version, Some(version as i64));
    }
    let document = json!({ "uri": uri(&example.path("a b/main.tf")) });
    client.notify("textDocument/didClose", json!({ "textDocument": document }));
    let pushed = client.pushed("a%20b/main.tf");
    assert_eq!((pushed.version, pushed.to_string()), (None, FOUND.into()));
    client.finish();
}

#[test]
fn an_edit_names_a_document_as_the_client_does() {
    let example = wrong("main.tf");
    let mut client = Client::start(example.root(), modern());
    client.pushed("main.tf");
    client.open_uri(&uri(&example.path("./main.tf")), WRONG);
    assert_eq!(client.pushed("./main.tf").version, Some(1));
    let actions = client.actions("main.tf", [0, 5, 0, 5], None);
    let edit = &actions[0]["edit"]["documentChanges"][0]["textDocument"];
    assert_eq!(edit["uri"], uri(&example.path("./main.tf")));
    client.finish();
}

#[test]
fn what_is_no_file_of_this_machine_is_no_error() {
    let example = wrong("main.tf");
    let mut client = Client::start(example.root(), modern());
    client.pushed("main.tf");
    for stranger in [
        "untitled:Untitled-1",
        "untitled:a [b]",
        "git:/a/main.tf?{\"ref\":\"HEAD\"}",
        "vscode-notebook-cell:/a.ipynb#1",
        "file:///c%3A/a/main.tf",
        "file:///C:/a/main.tf",
        "file://server/share/a b.tf",
        "file:///100%/main.tf",
        "file:///%00.tf",
        "file:",
        "C:\\a\\main.tf",
        "/a/main.tf",
        "main.tf",
        "",
        "::",
        "http://[::1/",
    ] {
        client.open_uri(stranger, WRONG);
        assert!(
            client
                .request("textDocument/hover", hover_at(stranger, 0))
                .is_null()
        );
        let document = json!({ "uri": stranger, "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": "" }] });
        client.notify("textDocument/didChange", params);
        client.notify("textDocument/didSave", json!({ "textDocument": document }));
        client.notify("textDocument/didClose", json!({ "textDocument": document }));
    }
    client.open("main.tf");
    assert_eq!(client.pushed("main.tf").version, Some(1));
    client.finish();
}

#[test]
fn a_uri_that_is_none_does_not_hide_those_beside_it() {
    let example = wrong("main.tf");
    let mut client = Client::start(example.root(), watching());
    client.serve("client/registerCapability");
    client.pushed("main.tf");
    example.write("main.tf", format!("\n{WRONG}"));
    let changes = [
        "",
        "no uri",
        "%",
        "file:///[",
        &uri(&example.path("main.tf")),
    ];
    let changes: Vec<_> = changes
        .iter()
        .map(|it| json!({ "uri": it, "type": 2 }))
        .collect::<Vec<Value>>();
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": changes }),
    );
    let pushed = client.pushed("main.tf").to_string();
    assert_eq!(pushed, "  warning misplaced-ignore 1:2-1:41\n");
    client.finish();
}
