//! Messages of a client made unreadable, so that they can be shown to others: what the texts say
//! is gone, and every place in them is where it was.

use serde_json::Value;

use super::uri::HOLDERS;

/// Members whose words are the protocol's or ours, not the client's.
const KEPT: &[&str] = &[
    "jsonrpc",
    "method",
    "command",
    "format",
    "id",
    "capabilities",
    "clientInfo",
    "locale",
    "trace",
    "languageId",
    "kind",
    "only",
    "code",
    "source",
    "token",
    "severity",
];

/// Members that hold paths.
const PATHS: &[&str] = &["rootPath"];

/// Directories whose next part names a person.
const HOMES: &[&str] = &["home", "Users", "users"];

/// Makes a message unreadable: all but its structure, numbers, URIs and what is the protocol's.
pub(super) fn message(message: &mut Value) {
    match message {
        Value::String(it) => *it = text(it),
        Value::Array(items) => items.iter_mut().for_each(self::message),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    _ if KEPT.contains(&&**name) => {}
                    Value::String(it) if HOLDERS.contains(&&**name) => *it = path(it),
                    Value::String(it) if PATHS.contains(&&**name) => *it = path(it),
                    value => self::message(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text of the same lines and lengths, in bytes, in characters and in UTF-16 units alike.
/// Blanks, quotes, brackets and other marks stay.
pub(super) fn text(text: &str) -> String {
    let mask = |it: char| match (it.is_ascii(), it.len_utf8()) {
        (true, _) if it.is_ascii_alphanumeric() => 'x',
        (true, _) => it,
        // a byte order mark is no part of a text
        (false, _) if it == '\u{feff}' => it,
        (false, 2) => 'é',
        (false, 3) => '語',
        (false, _) => '😀',
    };
    text.chars().map(mask).collect()
}

/// A path or a URI without the name of the person in whose home it lies.
fn path(path: &str) -> String {
    let mut is_person = false;
    let parts = path.split_inclusive(['/', '\\']).map(|part| {
        let name = part.trim_end_matches(['/', '\\']);
        let shown = match is_person && !name.is_empty() {
            true => part.replacen(name, "user", 1),
            false => part.to_owned(),
        };
        is_person = HOMES.contains(&name);
        shown
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_keeps_its_places() {
        let secret = "\u{feff}a = \"pässwörd 名 😀\" # 7\r\n\t}\n";
        let redacted = text(secret);
        assert_eq!(redacted, "\u{feff}x = \"xéxxxéxx 語 😀\" # x\r\n\t}\n");
        assert_eq!(redacted.len(), secret.len());
    }

    #[test]
    fn only_what_is_the_protocols_stays() {
        let mut opened = json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didOpen",
            "params": { "textDocument": {
                "uri": "file:///home/alice/shop/main.tf",
                "languageId": "terraform",
                "version": 1,
                "text": "password = \"hunter2\"\n",
            } },
        });
        message(&mut opened);
        let document = &opened["params"]["textDocument"];
        assert_eq!(opened["method"], "textDocument/didOpen");
        assert_eq!(document["uri"], "file:///home/user/shop/main.tf");
        assert_eq!(document["languageId"], "terraform");
        assert_eq!(document["version"], 1);
        assert_eq!(document["text"], "xxxxxxxx = \"xxxxxxx\"\n");

        let mut settings = json!({ "settings": { "variables": { "password": "hunter2" } } });
        message(&mut settings);
        assert!(!settings.to_string().contains("hunter2"));
    }

    #[test]
    fn a_path_does_not_name_a_person() {
        for (named, unnamed) in [
            ("file:///home/alice/a.tf", "file:///home/user/a.tf"),
            ("file:///Users/alice", "file:///Users/user"),
            ("file:///c%3A/Users/alice/a", "file:///c%3A/Users/user/a"),
            (r"C:\Users\alice\a", r"C:\Users\user\a"),
            ("file:///srv/a.tf", "file:///srv/a.tf"),
        ] {
            assert_eq!(path(named), unnamed);
        }
    }
}
