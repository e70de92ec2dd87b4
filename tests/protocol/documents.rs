//! Documents whose client does not do as agreed.

use serde_json::json;

use crate::client::uri;
use crate::{FOUND, WRONG, opened};

/// Puts an open `main.tf` out of step with an edit of a line that is not there; then it counts as
/// the disk has it.
fn lose(client: &mut crate::Client) {
    open_other(client);
    client.edit("main.tf", 2, &[([900, 0, 900, 1], "x")]);
    assert!(client.logged().contains("do not fit"));
    let pushed = client.pushed("main.tf");
    assert_eq!((pushed.version, pushed.to_string()), (None, FOUND.into()));
}

/// Opens a text that the disk does not have.
fn open_other(client: &mut crate::Client) {
    client.open_with("main.tf", &format!("\n\n\n{WRONG}"));
    let pushed = client.pushed("main.tf").to_string();
    assert_eq!(pushed, "  warning misplaced-ignore 3:2-3:41\n");
}

#[test]
fn a_text_that_is_sent_as_a_whole_is_taken_up_again() {
    let (example, mut client) = opened();
    lose(&mut client);
    // edits of what nobody knows: it is not said again
    client.edit("main.tf", 3, &[([0, 0, 0, 0], "\n")]);
    let document = json!({ "uri": uri(&example.path("main.tf")), "version": 4 });
    let changes = json!([{ "text": format!("\n{WRONG}") }]);
    let params = json!({ "textDocument": document, "contentChanges": changes });
    client.notify("textDocument/didChange", params);
    let pushed = client.pushed("main.tf");
    assert_eq!(pushed.version, Some(4));
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 1:2-1:41\n");
    // from here on edits fit again
    client.edit("main.tf", 5, &[([0, 0, 0, 0], "\n")]);
    let pushed = client.pushed("main.tf");
    assert_eq!(pushed.version, Some(5));
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 2:2-2:41\n");
    client.finish();
}

#[test]
fn a_text_that_is_opened_anew_is_taken_up_again() {
    let (_example, mut client) = opened();
    lose(&mut client);
    client.open_with("main.tf", &format!("\n{WRONG}"));
    let pushed = client.pushed("main.tf");
    assert_eq!(pushed.version, Some(1));
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 1:2-1:41\n");
    client.finish();
}

#[test]
fn an_edit_that_is_not_understood_is_not_guessed_at() {
    let (example, mut client) = opened();
    let file = uri(&example.path("main.tf"));
    let change = |version: i64, change| {
        let document = json!({ "uri": file, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params })
    };
    let no_text = change(2, json!({ "text": null })).to_string();
    let no_range = change(2, json!({ "text": "", "range": { "start": 1 } })).to_string();
    let no_json = no_text.replace("null", "nil");
    for message in [no_text, no_range, no_json] {
        open_other(&mut client);
        client.send(message.as_bytes());
        while !client.logged().contains("do not fit") {}
        assert_eq!(client.pushed("main.tf").version, None);
        // would be an edit of another text than the client's
        client.edit("main.tf", 3, &[([0, 0, 0, 0], "\n")]);
        client.close("main.tf");
    }
    client.finish();
}

#[test]
fn documents_are_opened_twice_and_closed_twice_and_never_opened() {
    let (_example, mut client) = opened();
    client.close("other.tf");
    client.edit("other.tf", 2, &[([0, 0, 0, 0], "\n")]);
    client.close("other.tf");
    // what was sent last counts
    client.open_with("main.tf", &format!("\n\n{WRONG}"));
    let pushed = client.pushed("main.tf");
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 2:2-2:41\n");
    client.edit("main.tf", 2, &[([0, 0, 1, 0], "")]);
    let pushed = client.pushed("main.tf");
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 1:2-1:41\n");
    client.close("main.tf");
    let pushed = client.pushed("main.tf");
    assert_eq!((pushed.version, pushed.to_string()), (None, FOUND.into()));
    client.close("main.tf");
    client.finish();
}
