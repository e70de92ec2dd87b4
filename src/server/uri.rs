//! URIs and paths, and URIs of clients that do not spell them as RFC 3986 has it.
//!
//! Knows nothing of documents.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::Value;
use tower_lsp::ls_types::Uri;

use crate::workspace::normalize;

/// What does not stand for itself in a path.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The path of a `file:` URI, without `.` and `..`; `None` for a document that lies in no file of
/// this machine.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    let host = uri.authority().map_or("", |it| it.host());
    let path = local(host, &uri.path().decode().to_bytes())?;
    path.is_absolute().then(|| normalize(&path))
}

#[cfg(not(unix))]
fn local(host: &str, path: &[u8]) -> Option<PathBuf> {
    windows_path(host, std::str::from_utf8(path).ok()?).map(Into::into)
}

#[cfg(unix)]
fn local(host: &str, path: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let is_here = is_this_machine(host);
    is_here.then(|| std::ffi::OsStr::from_bytes(path).into())
}

fn is_this_machine(host: &str) -> bool {
    host.is_empty() || host.eq_ignore_ascii_case("localhost")
}

/// A path of Windows: that of a drive, whose letter is large, or of another machine's share.
#[cfg(any(not(unix), test))]
fn windows_path(host: &str, path: &str) -> Option<String> {
    let path = path.replace('/', "\\");
    if !is_this_machine(host) {
        return Some(format!("\\\\{host}{path}"));
    }
    let path = path.strip_prefix('\\')?;
    let (drive, rest) = (path.get(..1)?, path.get(1..)?);
    let is_drive = drive.starts_with(|it: char| it.is_ascii_alphabetic()) && rest.starts_with(':');
    is_drive.then(|| format!("{}{rest}", drive.to_ascii_uppercase()))
}

/// The URI of an absolute path.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let path = path.is_absolute().then_some(path)?;
    let encoded = percent_encode(path.as_os_str().as_encoded_bytes(), ESCAPED);
    match cfg!(windows) {
        true => windows_uri(path.to_str()?).parse().ok(),
        false => format!("file://{encoded}").parse().ok(),
    }
}

fn windows_uri(path: &str) -> String {
    let path = path.strip_prefix(r"\\?\").unwrap_or(path);
    let (start, path) = match path.strip_prefix(r"\\") {
        Some(share) => ("file://", share),
        None => ("file:///", path),
    };
    let path = path.replace('\\', "/");
    format!("{start}{}", percent_encode(path.as_bytes(), ESCAPED))
}

pub(super) const DID_OPEN: &str = "textDocument/didOpen";

/// The names of the members of messages that hold URIs.
pub(super) const HOLDERS: &[&str] = &[
    "uri",
    "rootUri",
    "scopeUri",
    "baseUri",
    "oldUri",
    "newUri",
    "targetUri",
    "href",
];

/// Shows every URI in the parameters or the result of a message, to be replaced where need be.
pub(super) fn each_uri(message: &mut Value, replace: &mut impl FnMut(&mut String)) {
    match message {
        Value::Array(items) => items.iter_mut().for_each(|it| each_uri(it, replace)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(uri) if HOLDERS.contains(&&**name) => replace(uri),
                    value => each_uri(value, replace),
                }
            }
        }
        _ => {}
    }
}

/// Mends the URIs of the client's messages: were they left as they are, the whole message could not
/// be decoded. Of the documents that it opens, it knows how the client spells them, by how they are
/// spelled here.
#[derive(Default)]
pub(super) struct Spellings(Mutex<HashMap<String, String>>);

impl Spellings {
    /// Mends the URIs of a message of the client.
    pub(super) fn mend(&self, message: &mut Value) {
        let opens = message["method"] == DID_OPEN;
        each_uri(message, &mut |uri| {
            let is_well = uri.parse::<Uri>().is_ok();
            if is_well && !opens {
                return;
            }
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if is_well {
                all.remove(uri);
                return;
            }
            let mended = mended(uri);
            let theirs = std::mem::replace(uri, mended.clone());
            if opens {
                all.insert(mended, theirs);
            }
        });
    }

    /// Whether the client spells all URIs as they are spelled here.
    pub(super) fn are_ours(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.is_empty()
    }

    /// Has a message to the client spell URIs as the client does.
    pub(super) fn restore(&self, message: &mut Value) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let theirs = |uri: &mut String| {
            if let Some(theirs) = all.get(uri) {
                uri.clone_from(theirs);
            }
        };
        each_uri(message, &mut { theirs });
        // the edits of a workspace edit, which stand under their URIs
        each_changes(message, &mut |changes| {
            let edits = std::mem::take(changes).into_iter();
            *changes = edits
                .map(|(mut uri, edits)| {
                    theirs(&mut uri);
                    (uri, edits)
                })
                .collect();
        });
    }
}

fn each_changes(message: &mut Value, of: &mut impl FnMut(&mut serde_json::Map<String, Value>)) {
    match message {
        Value::Array(items) => items.iter_mut().for_each(|it| each_changes(it, of)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::Object(changes) if name == "changes" => of(changes),
                    value => each_changes(value, of),
                }
            }
        }
        _ => {}
    }
}

/// A URI that says what this text means to: what must be escaped is. What is none even so becomes
/// the URI of no file.
fn mended(text: &str) -> String {
    let mut uri = String::new();
    for (at, byte) in text.bytes().enumerate() {
        let is_escape = || {
            let digits = text.as_bytes().get(at + 1..at + 3);
            digits.is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit))
        };
        let stands = match byte {
            b'%' => is_escape(),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte),
        };
        match stands {
            true => uri.push(char::from(byte)),
            false => uri.extend(percent_encode(&[byte], NON_ALPHANUMERIC)),
        }
    }
    match uri.parse::<Uri>() {
        Ok(_) => uri,
        Err(_) => format!("unreadable:{}", percent_encode(text.as_bytes(), ESCAPED)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn one_path_has_many_spellings() {
        for spelling in [
            "file:///a/b%20c/%5Bx%5D.tf",
            "file:///a/b%20c/%5bx%5d.tf",
            "FILE:///a/b%20c/%5Bx%5D.tf",
            "file:///a/./b%20c/../b%20c/%5Bx%5D.tf",
            "file://localhost/a//b%20c/%5Bx%5D.tf",
            "file:/a/b%20c/%5B%78%5D.tf",
            "file:///a/b c/[x].tf",
        ] {
            let uri: Uri = mended(spelling).parse().unwrap();
            let path = path_of(&uri).unwrap();
            assert_eq!(path, Path::new("/a/b c/[x].tf"), "{spelling}");
            let ours = uri_of(&path).unwrap();
            assert_eq!(ours.as_str(), "file:///a/b%20c/%5Bx%5D.tf");
        }
        let no_text: Uri = "file:///a/%FF.tf".parse().unwrap();
        let path = path_of(&no_text).unwrap();
        assert_eq!(uri_of(&path), Some(no_text));
    }

    #[test]
    fn what_lies_in_no_file_has_no_path() {
        for uri in [
            "untitled:Untitled-1",
            "git:/a/main.tf?ref=HEAD",
            "vscode-notebook-cell:/a.ipynb#1",
            "http://example.com/main.tf",
            "file:main.tf",
            "file:",
        ] {
            assert_eq!(path_of(&uri.parse().unwrap()), None, "{uri}");
        }
        let share = "file://server/share/main.tf".parse().unwrap();
        assert_eq!(path_of(&share).is_some(), cfg!(windows));
    }

    #[test]
    fn drives_and_shares_of_windows() {
        for (host, path, expected) in [
            ("", "/c:/a b/x.tf", Some(r"C:\a b\x.tf")),
            ("localhost", "/C:/x.tf", Some(r"C:\x.tf")),
            ("server", "/share/x.tf", Some(r"\\server\share\x.tf")),
            ("", "/share/x.tf", None),
            ("", "/é:/x.tf", None),
            ("", "/", None),
            ("", "", None),
        ] {
            assert_eq!(windows_path(host, path).as_deref(), expected, "{path}");
        }
        for (path, expected) in [
            (r"C:\a b\x.tf", "file:///C%3A/a%20b/x.tf"),
            (r"\\?\C:\x.tf", "file:///C%3A/x.tf"),
            (r"\\server\share\x.tf", "file://server/share/x.tf"),
        ] {
            assert_eq!(windows_uri(path), expected);
        }
    }

    #[test]
    fn what_must_be_escaped_is() {
        for (theirs, ours) in [
            ("file:///a b/x.tf", "file:///a%20b/x.tf"),
            ("file:///[a]/x.tf", "file:///%5Ba%5D/x.tf"),
            (
                "file:///{a}|^`\"<>\\.tf",
                "file:///%7Ba%7D%7C%5E%60%22%3C%3E%5C.tf",
            ),
            ("file:///100%/50%2/%20.tf", "file:///100%25/50%252/%20.tf"),
            ("file:///é.tf", "file:///%C3%A9.tf"),
            ("", "unreadable:"),
            ("/a/x.tf", "unreadable:/a/x.tf"),
            ("1:2 3", "unreadable:1%3A2%203"),
        ] {
            assert_eq!(mended(theirs), ours);
            assert!(ours.parse::<Uri>().is_ok(), "{ours}");
        }
    }

    #[test]
    fn every_uri_of_a_message_is_mended() {
        let spellings = Spellings::default();
        let mut message = json!({ "params": {
            "changes": [{ "uri": "file:///b.tf" }, { "uri": "file:///c d.tf" }],
            "text": "uri: [a]",
        } });
        spellings.mend(&mut message);
        let params = &message["params"];
        assert_eq!(params["changes"][0]["uri"], "file:///b.tf");
        assert_eq!(params["changes"][1]["uri"], "file:///c%20d.tf");
        assert_eq!(params["text"], "uri: [a]");
        // none of them is a document that it has open
        assert!(spellings.are_ours());
    }

    #[test]
    fn the_client_gets_its_own_spelling_back() {
        let spellings = Spellings::default();
        let open = |uri| json!({ "method": DID_OPEN, "params": { "uri": uri } });
        let mut opened = open("file:///[a].tf");
        spellings.mend(&mut opened);
        assert_eq!(opened, open("file:///%5Ba%5D.tf"));
        spellings.restore(&mut opened);
        assert_eq!(opened, open("file:///[a].tf"));
        let edit = |uri: &str| json!({ "edit": { "changes": { uri: [1] } } });
        let mut edited = edit("file:///%5Ba%5D.tf");
        spellings.restore(&mut edited);
        assert_eq!(edited, edit("file:///[a].tf"));
        // it has changed its mind
        spellings.mend(&mut open("file:///%5Ba%5D.tf"));
        assert!(spellings.are_ours());
    }
}
