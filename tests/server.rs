//! The language server as an editor meets it: the real binary, real framed messages, the example
//! workspace.

#[path = "support/client.rs"]
mod client;
#[path = "support/example.rs"]
mod example;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use client::{Client, Pushed, range, spelled, uri};
use example::Example;
use serde_json::{Value, json};

/// What is wrong with the example: by file, each with its related places.
const EXAMPLE: &str = "\
emulators/alice/main.tf
  information declaration-does-not-reach 5:0-5:30
    emulators/alice/providers.tf 21:44-21:60
  error duplicate-identity 5:0-5:30
    emulators/bob/main.tf 5:0-5:30
emulators/alice/workers.tf
  information declaration-does-not-reach 6:0-6:42
    emulators/alice/providers.tf 21:44-21:60
emulators/bob/main.tf
  error duplicate-identity 5:0-5:30
    emulators/alice/main.tf 5:0-5:30
emulators/bob/providers.tf
  error malformed-realm 21:44-21:58
    emulators/bob/main.tf 0:0-0:28
    emulators/bob/workers.tf 0:0-0:40
    emulators/bob/main.tf 10:0-10:33
live/account/storage.tf
  error duplicate-identity 1:0-1:34
    live/legacy/main.tf 3:0-3:43
live/legacy/main.tf
  error duplicate-identity 3:0-3:43
    live/account/storage.tf 1:0-1:34
";

const MAIN: &str = "emulators/alice/main.tf";
const WORKERS: &str = "emulators/alice/workers.tf";
const COMMENT: &str = "# gantrycd:resource-identity: ignore=true\n";

/// How many files of the example have something wrong with them.
const FILES: usize = 6;

/// What a client of today offers, apart from telling of changes on the disk.
fn modern() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-8", "utf-16"] },
        "textDocument": {
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
        },
        "workspace": { "workspaceEdit": { "documentChanges": true } },
    })
}

/// A client that asks for the edit of a code action when it is chosen.
fn lazy() -> Value {
    let mut capabilities = modern();
    capabilities["textDocument"]["codeAction"] = json!({
        "dataSupport": true,
        "resolveSupport": { "properties": ["command", "edit"] },
    });
    capabilities
}

/// A client that tells of changes on the disk: the server watches nothing itself.
fn watching() -> Value {
    let mut capabilities = modern();
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": true });
    capabilities
}

/// A client on a copy of the example that has read what is wrong with it.
fn started(capabilities: Value) -> (Example, Client) {
    let example = Example::copy();
    let watches = capabilities["workspace"]
        .get("didChangeWatchedFiles")
        .is_some();
    let mut client = Client::start(example.root(), capabilities);
    client.pushed_all(FILES);
    if watches {
        client.serve("client/registerCapability");
    }
    (example, client)
}

fn told(all: &BTreeMap<String, Pushed>) -> String {
    let told = all.iter().map(|(file, it)| format!("{file}\n{it}"));
    told.collect()
}

/// The part of [`EXAMPLE`] about one file.
fn example_of(file: &str) -> String {
    let lines = EXAMPLE.lines().skip_while(|it| *it != file).skip(1);
    let lines = lines.take_while(|it| it.starts_with(' '));
    lines.map(|it| format!("{it}\n")).collect()
}

fn titles(actions: &[Value]) -> Vec<&str> {
    let titles = actions.iter().map(|it| it["title"].as_str().unwrap());
    titles.collect()
}

// ------------------------------------------------------------------------------------------------
// Introduction

#[test]
fn the_unit_of_positions_is_agreed_upon() {
    let cases = [
        (json!(["utf-8", "utf-16"]), "utf-8"),
        (json!(["utf-16", "utf-8"]), "utf-8"),
        (json!(["utf-16"]), "utf-16"),
        (json!(["utf-32"]), "utf-16"),
        (json!(null), "utf-16"),
    ];
    for (offered, agreed) in cases {
        let example = Example::empty();
        let mut client = Client::spawn(example.root());
        let capabilities = match offered.is_null() {
            true => json!({}),
            false => json!({ "general": { "positionEncodings": offered } }),
        };
        let server = client.initialize(capabilities);
        assert_eq!(server["positionEncoding"], agreed, "offered: {offered}");
        assert_eq!(server["textDocumentSync"]["openClose"], true);
        assert_eq!(server["textDocumentSync"]["change"], 2, "incremental");
        assert_eq!(server["hoverProvider"], true);
        client.finish();
    }
}

#[test]
fn nothing_is_answered_before_the_introduction() {
    let example = Example::copy();
    let mut client = Client::spawn(example.root());
    let not_initialized = client.refused("textDocument/hover", json!({}));
    assert_eq!(not_initialized, -32002);
    client.initialize(json!({}));
    client.notify("initialized", json!({}));
    client.pushed_all(FILES);
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Diagnostics

#[test]
fn everything_wrong_with_the_example_is_pushed() {
    let example = Example::copy();
    let mut client = Client::start(example.root(), modern());
    let all = client.pushed_all(FILES);
    assert_eq!(told(&all), EXAMPLE);
    assert!(all.values().all(|it| it.version.is_none()), "none is open");
    for it in all.values().flat_map(|it| &it.diagnostics) {
        assert_eq!(it["source"], "gantrycd");
        assert_ne!(it["message"], "");
    }
    client.finish();
}

#[test]
fn a_client_that_offers_nothing_gets_plain_diagnostics_and_edits() {
    let example = Example::copy();
    let mut client = Client::start(example.root(), json!({}));
    let lines = EXAMPLE.lines().filter(|it| !it.starts_with("    "));
    let without_related: String = lines.map(|it| format!("{it}\n")).collect();
    let all = client.pushed_all(FILES);
    assert_eq!(told(&all), without_related);
    for it in all.values().flat_map(|it| &it.diagnostics) {
        assert_eq!(it.get("codeDescription"), None);
    }

    let actions = client.actions(WORKERS, [6, 3, 6, 3], None);
    let edits = &actions[0]["edit"]["changes"][uri(&example.path(WORKERS))];
    let edit = json!({ "range": range([6, 0, 6, 0]), "newText": COMMENT });
    assert_eq!(*edits, json!([edit]));
    client.finish();
}

/// Where the codes of all diagnostics link to, by code.
fn links(client: &mut Client) -> BTreeMap<String, Value> {
    client.initialize(modern());
    client.notify("initialized", json!({}));
    let all = client.pushed_all(FILES);
    let all = all.values().flat_map(|it| &it.diagnostics);
    let link = |it: &Value| {
        let code = it["code"].as_str().unwrap().to_owned();
        (code, it["codeDescription"]["href"].clone())
    };
    all.map(link).collect()
}

#[test]
fn a_code_links_to_its_page() {
    let (example, cache) = (Example::copy(), Example::empty());
    let pages = format!("gantrycd-ls/{}", env!("CARGO_PKG_VERSION"));
    let page = |code: &str| format!("{pages}/{code}.md");
    // as another build of this version left it
    cache.write(&page("malformed-realm"), "# malformed-realm\n\nOld.\n");
    for _ in 0..2 {
        let mut client = Client::spawn_caching_in(example.root(), cache.root());
        let links = links(&mut client);
        assert_eq!(links.len(), 3);
        for (code, href) in links {
            assert_eq!(href, uri(&cache.path(&page(&code))));
            let text = cache.read(&page(&code));
            assert!(text.starts_with(&format!("# {code}\n\n")), "{text}");
            assert!(text.contains("\n## Example\n"), "{text}");
        }
        client.finish();
    }
    let files = std::fs::read_dir(cache.path(&pages)).unwrap();
    assert_eq!(files.count(), 3, "those that are linked to, and no rests");
}

#[test]
fn a_page_that_cannot_be_written_is_not_linked_to() {
    let (example, cache) = (Example::copy(), Example::empty());
    cache.write("gantrycd-ls", "this is no directory");
    let mut client = Client::spawn_caching_in(example.root(), cache.root());
    let links = links(&mut client);
    assert!(links.values().all(Value::is_null), "{links:?}");
    client.finish();
}

#[test]
fn text_that_does_nothing_is_faded_where_the_client_can() {
    let mut other_tags = modern();
    other_tags["textDocument"]["publishDiagnostics"]["tagSupport"]["valueSet"] = json!([2]);
    for (capabilities, tags) in [
        (modern(), json!([1])),
        (other_tags, json!(null)),
        (json!({}), json!(null)),
    ] {
        let example = Example::empty();
        let block = "resource \"aws_kms_alias\" \"a\" {}\n";
        example.write("main.tf", format!("{COMMENT}{block}"));
        let alias = r#""type": "aws_kms_alias", "name": "a""#;
        example.write("terraform.tfstate", state(alias, r#""name": "alias/a""#));
        let mut client = Client::start(example.root(), capabilities);
        let pushed = client.pushed("main.tf");
        assert_eq!(pushed.to_string(), "  hint unused-ignore 0:2-0:41\n");
        assert_eq!(pushed.diagnostics[0]["tags"], tags);
        client.finish();
    }
}

#[test]
fn an_open_document_is_told_with_its_version() {
    let (_example, mut client) = started(modern());
    client.open(MAIN);
    let pushed = client.pushed(MAIN);
    assert_eq!(pushed.version, Some(1));
    assert_eq!(pushed.to_string(), example_of(MAIN));

    client.edit(MAIN, 7, &[([0, 0, 0, 0], "\n")]);
    let pushed = client.pushed(MAIN);
    assert_eq!(pushed.version, Some(7));
    let moved = "  information declaration-does-not-reach 6:0-6:30
    emulators/alice/providers.tf 21:44-21:60
  error duplicate-identity 6:0-6:30
    emulators/bob/main.tf 5:0-5:30
";
    assert_eq!(pushed.to_string(), moved);
    let other_side = client.pushed("emulators/bob/main.tf").to_string();
    assert!(other_side.ends_with(" emulators/alice/main.tf 6:0-6:30\n"));

    client.edit(MAIN, 8, &[([0, 0, 1, 0], "")]);
    let pushed = client.pushed(MAIN);
    assert_eq!(pushed.version, Some(8));
    assert_eq!(pushed.to_string(), example_of(MAIN));
    client.pushed("emulators/bob/main.tf");
    client.finish();
}

#[test]
fn what_an_editor_forgot_when_it_closed_a_file_is_told_again() {
    let (_example, mut client) = started(modern());
    for _ in 0..3 {
        client.open(MAIN);
        let pushed = client.pushed(MAIN);
        assert_eq!(pushed.version, Some(1));
        assert_eq!(pushed.to_string(), example_of(MAIN));
        client.close(MAIN);
    }
    client.finish();
}

#[test]
fn a_broken_line_costs_no_other_block_its_findings() {
    let (_example, mut client) = started(modern());
    client.open(MAIN);
    client.pushed(MAIN);
    let broken = [
        "  description = \"no end\n",
        "  tags = {\n",
        "  policy = jsonencode([\n",
        "  = = \n",
        "}\n",
        "  <<EOF\n",
    ];
    let mut version = 1;
    for line in broken {
        version += 1;
        client.edit(MAIN, version, &[([1, 0, 1, 0], line)]);
        let pushed = client.pushed(MAIN);
        assert_eq!(pushed.version, Some(version));
        let told = pushed.to_string();
        assert!(
            told.contains("declaration-does-not-reach 6:0-6:30"),
            "{line}{told}"
        );
        assert!(told.contains("duplicate-identity 6:0-6:30"), "{line}{told}");
        client.pushed("emulators/bob/main.tf");

        version += 1;
        client.edit(MAIN, version, &[([1, 0, 2, 0], "")]);
        assert_eq!(client.pushed(MAIN).to_string(), example_of(MAIN));
        client.pushed("emulators/bob/main.tf");
    }
    client.finish();
}

#[test]
fn unsaved_text_counts_until_it_is_closed() {
    const REALM: &str = "emulators/bob/providers.tf";
    let (example, mut client) = started(modern());
    let on_disk = example.read(REALM);
    client.open(REALM);
    assert_eq!(client.pushed(REALM).to_string(), example_of(REALM));

    // "localstack/bob" becomes "localstack-bob": a realm, which two of bob's resources miss
    client.edit(REALM, 2, &[([21, 54, 21, 55], "-")]);
    let pushed = client.pushed(REALM);
    assert_eq!(
        (pushed.version, pushed.to_string()),
        (Some(2), String::new())
    );
    let missed = client.pushed("emulators/bob/workers.tf").to_string();
    assert!(missed.starts_with("  information declaration-does-not-reach 6:0-6:42\n"));
    let missed = client.pushed("emulators/bob/main.tf").to_string();
    assert!(missed.starts_with("  information declaration-does-not-reach 5:0-5:30\n"));
    assert_eq!(example.read(REALM), on_disk);

    client.close(REALM);
    let pushed = client.pushed(REALM);
    assert_eq!(
        (pushed.version, pushed.to_string()),
        (None, example_of(REALM))
    );
    assert_eq!(client.pushed("emulators/bob/workers.tf").to_string(), "");
    let main = client.pushed("emulators/bob/main.tf").to_string();
    assert_eq!(main, example_of("emulators/bob/main.tf"));
    client.finish();
}

#[test]
fn a_file_counts_before_it_is_saved_for_the_first_time() {
    const NEW: &str = "emulators/bob/locals.tf";
    let (_example, mut client) = started(modern());
    client.open_with(
        NEW,
        "# gantrycd:resource-identity: ignore=true\nlocals {}\n",
    );
    let pushed = client.pushed(NEW);
    assert_eq!(pushed.version, Some(1));
    assert_eq!(pushed.to_string(), "  warning misplaced-ignore 0:2-0:41\n");
    client.close(NEW);
    assert_eq!(client.pushed(NEW).to_string(), "");
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Edits

/// A realm becomes malformed by two edits of one message, the second behind text that is longer in
/// some units than in others.
fn edit_behind_other_scripts(capabilities: Value, comment: u32) {
    const REALM: &str = "emulators/alice/providers.tf";
    let (_example, mut client) = started(capabilities);
    client.open(REALM);
    let dash = 44 + comment + "localstack".len() as u32;
    let edits = [
        ([21, 6, 21, 6], "/* é😀 */ "),
        ([21, dash, 21, dash + 1], "/"),
    ];
    client.edit(REALM, 2, &edits);
    let pushed = client.pushed(REALM);
    let (start, end) = (44 + comment, 44 + comment + 16);
    let told = pushed.to_string();
    let first = told.lines().next().unwrap();
    assert_eq!(
        first,
        format!("  error malformed-realm 21:{start}-21:{end}")
    );
    let message = pushed.diagnostics[0]["message"].as_str().unwrap();
    assert!(message.contains("\"localstack/alice\""), "{message}");
    // there is no realm any more that could miss them
    assert_eq!(client.pushed(WORKERS).to_string(), "");
    let main = client.pushed(MAIN).to_string();
    assert!(main.starts_with("  error duplicate-identity"), "{main}");
    client.finish();
}

#[test]
fn edits_count_bytes_when_that_was_agreed_upon() {
    edit_behind_other_scripts(modern(), 13);
}

#[test]
fn edits_count_utf_16_units_when_nothing_was_agreed_upon() {
    let mut capabilities = modern();
    capabilities["general"] = json!({});
    edit_behind_other_scripts(capabilities, 10);
}

#[test]
fn edits_out_of_step_are_not_guessed_at() {
    let (_example, mut client) = started(modern());
    let out_of_step = [
        (1, [0, 0, 0, 0]),
        (-5, [0, 0, 0, 0]),
        (2, [900, 0, 900, 1]),
        (2, [3, 4, 1, 0]),
        (2, [u32::MAX, u32::MAX, u32::MAX, u32::MAX]),
    ];
    for (version, at) in out_of_step {
        client.open(MAIN);
        assert_eq!(client.pushed(MAIN).version, Some(1));
        client.edit(MAIN, version, &[(at, "resource \"x\" \"y\" {\n\n")]);
        // from here on the disk's text counts
        client.edit(MAIN, 3, &[([0, 0, 0, 0], "\n\n")]);
        let told = client.logged();
        assert!(told.contains(" do not fit the text "), "{told}");
        let (_, at) = client.hover(MAIN, 5, 0).unwrap();
        assert_eq!(spelled(&at), "5:0-5:30");
        client.close(MAIN);
    }
    client.finish();
}

#[test]
fn documents_of_no_folder_do_no_harm() {
    let (_example, mut client) = started(modern());
    let strangers = [
        "untitled:Untitled-1",
        "vscode-notebook-cell:/a.ipynb#1",
        "git:/a/main.tf?ref=HEAD",
        "file:///nowhere/at/all/main.tf",
        "file:///",
        "file://server/share/main.tf",
        "file:///with%20a%20space/%C3%A9/main.tf",
        "file:///%FF/main.tf",
    ];
    for stranger in strangers {
        client.open_uri(stranger, "resource \"aws_s3_bucket\" \"a\" {}\n");
        let document = json!({ "uri": stranger });
        let at = json!({ "line": 0, "character": 3 });
        let params = json!({ "textDocument": document, "position": at });
        assert!(client.request("textDocument/hover", params).is_null());
        let context = json!({ "diagnostics": [] });
        let at = range([0, 3, 0, 3]);
        let params = json!({ "textDocument": document, "range": at, "context": context });
        let actions = client.request("textDocument/codeAction", params);
        assert!(actions.is_null() || actions == json!([]), "{actions}");
        let change = json!([{ "range": range([0, 0, 9, 9]), "text": "" }]);
        let changed = json!({ "uri": stranger, "version": 2 });
        let params = json!({ "textDocument": changed, "contentChanges": change });
        client.notify("textDocument/didChange", params);
        client.notify("textDocument/didSave", json!({ "textDocument": document }));
        client.notify("textDocument/didClose", json!({ "textDocument": document }));
    }
    assert!(client.hover(MAIN, 5, 0).is_some());
    client.finish();
}

#[test]
fn folders_come_and_go() {
    let example = Example::copy();
    let mut client = Client::start_in(example.root(), &["modules"], modern());
    assert!(client.hover(MAIN, 5, 0).is_none());
    client.change_folders(&["live"], &[]);
    for file in ["live/account/storage.tf", "live/legacy/main.tf"] {
        assert_eq!(client.pushed(file).to_string(), example_of(file));
    }
    client.change_folders(&[], &["live"]);
    for file in ["live/account/storage.tf", "live/legacy/main.tf"] {
        assert_eq!(client.pushed(file).to_string(), "");
    }
    client.finish();
}

/// A state with one resource.
fn state(resource: &str, attributes: &str) -> String {
    let provider = r#""provider": "provider[\"registry.terraform.io/hashicorp/aws\"]""#;
    let instances = format!(r#""instances": [{{"attributes": {{{attributes}}}}}]"#);
    let resource = format!(r#"{{"mode": "managed", {resource}, {provider}, {instances}}}"#);
    format!(r#"{{"version": 4, "serial": 1, "lineage": "l", "resources": [{resource}]}}"#)
}

/// Two directories, each with a malformed realm.
fn two_stacks() -> Example {
    let example = Example::empty();
    let realm = Example::copy().read("emulators/bob/providers.tf");
    example.write("a/providers.tf", &realm);
    example.write("b/providers.tf", &realm);
    example
}

#[test]
fn a_folder_that_stays_keeps_its_findings_when_another_goes() {
    let example = two_stacks();
    // one lies within the one that goes
    let mut client = Client::start_in(example.root(), &["", "a"], modern());
    client.pushed_all(2);
    client.change_folders(&[], &[""]);
    assert_eq!(client.pushed("b/providers.tf").to_string(), "");
    assert!(client.hover("a/providers.tf", 21, 50).is_some());
    client.finish();
    // both belong to one workspace
    example.write("gantrycd.hcl", "");
    let mut client = Client::start_in(example.root(), &["a", "b"], modern());
    client.pushed_all(2);
    client.change_folders(&[], &["b"]);
    assert!(client.hover("a/providers.tf", 21, 50).is_some());
    client.finish();
}

#[test]
fn without_a_folder_every_open_file_is_served() {
    let example = two_stacks();
    let mut client = Client::start_in(example.root(), &[], modern());
    for file in ["a/providers.tf", "b/providers.tf"] {
        client.open(file);
        let pushed = client.pushed(file);
        assert_eq!(pushed.version, Some(1));
        assert_eq!(pushed.to_string(), "  error malformed-realm 21:44-21:58\n");
    }
    // each by another name of it, too
    for file in ["a/providers.tf", "b/providers.tf", "a/../b/providers.tf"] {
        assert!(client.hover(file, 21, 50).is_some(), "{file}");
    }
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Hover

/// What a hover says, without how old the state is: that depends on the test's own speed.
fn hover(client: &mut Client, file: &str, line: u32, character: u32) -> (String, String) {
    let (text, at) = client
        .hover(file, line, character)
        .unwrap_or_else(|| panic!("{file}:{line}:{character} has no hover"));
    let text = match text.split_once(", cached ") {
        Some((before, age)) => [before, age.split_once(" ago").unwrap().1].concat(),
        None => text,
    };
    (text, spelled(&at))
}

#[test]
fn a_resource_shows_its_identity_its_state_and_its_reader() {
    let (example, mut client) = started(modern());
    let (text, at) = hover(&mut client, "live/account/dns.tf", 6, 0);
    let reader = uri(&example.path("live/web/data.tf"));
    let id = "arn:aws:acm:eu-west-1:111122223333:certificate/06298432-e806-4b29-a222-3bcc23aa9504";
    assert_eq!(
        text,
        format!(
            "Identity `{id}`  \n\
             discovered from its `arn`, no realm  \n\
             Read by [`data.aws_acm_certificate.wildcard` of `live/web`]({reader}#L2)  \n\
             Recorded in the state of stack `live/account`, serial 41"
        )
    );
    assert_eq!(at, "6:0-6:41");

    let (text, at) = hover(&mut client, "live/web/data.tf", 1, 37);
    let owner = uri(&example.path("live/account/dns.tf"));
    assert_eq!(
        text,
        format!(
            "Reads `{id}`  \n\
             discovered from its `arn`, no realm  \n\
             Owned by [`aws_acm_certificate.wildcard` of `live/account`]({owner}#L7)  \n\
             Recorded in the state of stack `live/web`, serial 87"
        )
    );
    assert_eq!(at, "1:0-1:37");
    client.finish();
}

#[test]
fn a_resource_without_tags_shows_why_the_realm_does_not_reach_it() {
    let (example, mut client) = started(modern());
    let (text, at) = hover(&mut client, MAIN, 5, 12);
    let realm = uri(&example.path("emulators/alice/providers.tf"));
    let other = uri(&example.path("emulators/bob/main.tf"));
    assert_eq!(
        text,
        format!(
            "Identity `arn:aws:kms:eu-west-1:000000000000:alias/app`  \n\
             discovered from its `arn`, no realm  \n\
             The [realm localstack-alice of default_tags]({realm}#L22) does not reach it: \
             `aws_kms_alias` takes no tags (by hashicorp/aws 6.61.0, observed 2026-11-29)  \n\
             Also claimed by [`aws_kms_alias.app` of `emulators/bob`]({other}#L6)  \n\
             Recorded in the state of stack `emulators/alice`, serial 9"
        )
    );
    assert_eq!(at, "5:0-5:30");

    // its neighbour takes them
    let (text, _) = hover(&mut client, MAIN, 10, 12);
    let from = format!("realm `localstack-alice` from [default_tags]({realm}#L22)  \n");
    assert!(text.contains(&from), "{text}");
    client.finish();
}

#[test]
fn a_realm_shows_what_it_is_good_for() {
    let (_example, mut client) = started(modern());
    let (text, at) = hover(&mut client, "emulators/alice/providers.tf", 21, 50);
    let good = "Realm `localstack-alice` of every resource of this provider that takes tags  \n\
                Part of `emulators/alice`";
    assert_eq!((text.as_str(), at.as_str()), (good, "21:44-21:60"));

    let bad = "The realm `localstack/bob` is malformed: it has the character `/`  \n\
               Part of `emulators/bob`";
    for (line, character, at) in [
        (21, 44, "21:44-21:58"),
        (21, 8, "21:6-21:40"),
        (18, 4, "18:2-18:14"),
        (1, 0, "1:0-1:14"),
    ] {
        let (text, here) = hover(&mut client, "emulators/bob/providers.tf", line, character);
        assert_eq!((text.as_str(), here.as_str()), (bad, at));
    }
    let (text, _) = hover(&mut client, "emulators/bob/main.tf", 10, 0);
    assert!(text.starts_with("No identity: the realm is malformed: it has the character `/`"));
    client.finish();
}

#[test]
fn an_ignore_comment_and_its_block_show_what_it_does() {
    let (_example, mut client) = started(modern());
    let (text, at) = hover(&mut client, "live/legacy/main.tf", 20, 20);
    assert_eq!(
        text,
        "gantrycd gives `aws_cloudwatch_log_group.audit` no identity, for duplicates and for \
         dependencies. It covers one instance in the cached states."
    );
    assert_eq!(at, "20:2-20:41");
    let (text, _) = hover(&mut client, "live/legacy/main.tf", 21, 20);
    assert!(text.starts_with("No identity: an ignore comment opts this resource out"));
    client.finish();
}

#[test]
fn nothing_is_shown_where_there_is_nothing_to_say() {
    let (_example, mut client) = started(modern());
    for (file, line, character) in [
        ("live/account/dns.tf", 7, 5),     // an argument of no interest
        ("live/account/dns.tf", 5, 5),     // a comment of no interest
        ("live/account/dns.tf", 4, 0),     // an empty line
        ("live/account/dns.tf", 9999, 0),  // behind the end
        ("live/account/outputs.tf", 0, 3), // another kind of block
        ("live/account/terraform.tfstate", 5, 5),
        ("live/account/no-such-file.tf", 0, 0),
    ] {
        let shown = client.hover(file, line, character);
        assert_eq!(shown, None, "{file}:{line}:{character}");
    }
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Fixes

#[test]
fn a_fix_is_offered_all_over_its_finding_and_nowhere_else() {
    for capabilities in [modern(), lazy()] {
        a_fix_is_offered_all_over(capabilities);
    }
}

fn a_fix_is_offered_all_over(capabilities: Value) {
    let (_example, mut client) = started(capabilities);
    let ignore = ["Ignore aws_kms_alias.app in gantrycd"];
    for at in [
        [5, 0, 5, 0],
        [5, 15, 5, 15],
        [5, 30, 5, 30],
        [5, 3, 5, 9],
        [5, 0, 5, 30],
        [3, 0, 8, 0],
    ] {
        let actions = client.actions(MAIN, at, Some(&["quickfix"]));
        assert_eq!(titles(&actions), ignore, "{at:?}");
        assert_eq!(actions[0]["kind"], "quickfix");
    }
    for at in [
        [4, 0, 4, 0],
        [5, 31, 5, 31],
        [6, 0, 6, 0],
        [6, 2, 8, 1],
        [9999, 0, 9999, 0],
    ] {
        let actions = client.actions(MAIN, at, None);
        assert_eq!(titles(&actions), [""; 0], "{at:?}");
    }
    client.finish();
}

#[test]
fn only_the_kinds_that_are_asked_for_are_offered() {
    let (_example, mut client) = started(modern());
    let kms_alias = [5, 3, 5, 3];
    let fix: &[&str] = &["Ignore aws_kms_alias.app in gantrycd"];
    for (only, offered) in [
        (&["quickfix"][..], fix),
        (&["refactor", "quickfix"], fix),
        (&[""], fix),
        (&["quickfix.gantrycd"], &[]),
        (&["quick"], &[]),
        (&["refactor"], &[]),
        (&["source.fixAll"], &[]),
        (&[], &[]),
    ] {
        let actions = client.actions(MAIN, kms_alias, Some(only));
        assert_eq!(titles(&actions), offered, "{only:?}");
    }
    // nothing is wrong with the queue: opting it out is a refactoring
    let queue = [10, 3, 10, 3];
    let refactoring: &[&str] = &["Ignore aws_sqs_queue.orders in gantrycd"];
    for (only, offered) in [
        (&["refactor.rewrite"][..], refactoring),
        (&["refactor"], refactoring),
        (&["refactor.extract"], &[]),
        (&["quickfix"], &[]),
    ] {
        let actions = client.actions(MAIN, queue, Some(only));
        assert_eq!(titles(&actions), offered, "{only:?}");
    }
    client.finish();
}

#[test]
fn a_fix_names_the_diagnostics_that_it_mends() {
    let (_example, mut client) = started(modern());
    client.open(MAIN);
    let sent = client.pushed(MAIN).diagnostics;
    // some clients send back no more than this
    let bare = json!({ "code": sent[0]["code"], "message": "", "range": sent[0]["range"] });
    let other = json!({ "code": "other", "message": "", "range": sent[0]["range"] });
    for (diagnostics, mended) in [
        (json!([sent[0]]), json!([sent[0]])),
        (json!([bare, other]), json!([bare])),
        (json!([other]), json!(null)),
        (json!([]), json!(null)),
    ] {
        let context = json!({ "diagnostics": diagnostics });
        let actions = client.actions_in(MAIN, [5, 0, 5, 30], context);
        assert_eq!(actions.len(), 1);
        assert_eq!(actions[0]["diagnostics"], mended);
    }
    client.finish();
}

#[test]
fn a_fix_that_was_applied_ends_the_finding_and_is_not_offered_again() {
    let (example, mut client) = started(modern());
    // not open: there is no version
    let actions = client.actions(MAIN, [5, 3, 5, 3], None);
    let document = &actions[0]["edit"]["documentChanges"][0]["textDocument"];
    assert_eq!(
        *document,
        json!({ "uri": uri(&example.path(MAIN)), "version": null })
    );

    client.open(MAIN);
    client.pushed(MAIN);
    client.edit(MAIN, 2, &[([5, 0, 5, 0], "\n")]);
    client.pushed_at(MAIN, 2);
    client.pushed("emulators/bob/main.tf");

    let actions = client.actions(MAIN, [6, 3, 6, 3], None);
    assert_eq!(titles(&actions), ["Ignore aws_kms_alias.app in gantrycd"]);
    let document = json!({ "uri": uri(&example.path(MAIN)), "version": 2 });
    let edit = json!({ "range": range([6, 0, 6, 0]), "newText": COMMENT });
    let change = json!({ "textDocument": document, "edits": [edit] });
    assert_eq!(actions[0]["edit"], json!({ "documentChanges": [change] }));

    client.edit(MAIN, 3, &[([6, 0, 6, 0], COMMENT)]);
    let pushed = client.pushed(MAIN);
    assert_eq!(
        (pushed.version, pushed.to_string()),
        (Some(3), String::new())
    );
    // with nobody else claiming it, it is no duplicate
    assert_eq!(client.pushed("emulators/bob/main.tf").to_string(), "");
    for line in [6, 7] {
        assert_eq!(
            client.actions(MAIN, [line, 3, line, 3], None),
            [json!(null); 0]
        );
    }
    let (text, _) = hover(&mut client, MAIN, 7, 3);
    assert!(text.starts_with("No identity: an ignore comment"), "{text}");
    client.finish();
}

#[test]
fn what_can_be_done_is_announced_with_how_it_is_asked_for() {
    let without = |property: &str| {
        let mut capabilities = lazy();
        let actions = &mut capabilities["textDocument"]["codeAction"];
        actions.as_object_mut().unwrap().remove(property);
        capabilities
    };
    let mut other_property = lazy();
    other_property["textDocument"]["codeAction"]["resolveSupport"]["properties"] =
        json!(["command"]);
    for (capabilities, resolves) in [
        (lazy(), true),
        (modern(), false),
        (json!({}), false),
        (without("dataSupport"), false),
        (without("resolveSupport"), false),
        (other_property, false),
    ] {
        let example = Example::empty();
        let mut client = Client::spawn(example.root());
        let provider = client.initialize(capabilities)["codeActionProvider"].take();
        let kinds = json!(["quickfix", "refactor.rewrite", "source.fixAll.gantrycd"]);
        assert_eq!(provider["codeActionKinds"], kinds);
        assert_eq!(
            provider.get("resolveProvider"),
            resolves.then_some(&json!(true))
        );
        client.finish();
    }
}

#[test]
fn the_edit_of_a_fix_comes_when_it_is_chosen() {
    let (_example, mut client) = started(modern());
    let at = [5, 3, 5, 3];
    let whole = client.actions(MAIN, at, None);
    client.finish();

    let (example, mut client) = started(lazy());
    client.open(MAIN);
    let sent = client.pushed(MAIN).diagnostics;
    let context = json!({ "diagnostics": [sent[0]] });
    let mut offered = client.actions_in(MAIN, at, context);
    assert_eq!(titles(&offered), titles(&whole));
    let offered = offered.remove(0);
    assert_eq!(offered.get("edit"), None);
    assert!(offered["data"].to_string().len() < 500);

    let chosen = client.request("codeAction/resolve", offered.clone());
    let document = json!({ "uri": uri(&example.path(MAIN)), "version": 1 });
    let edit = json!({ "range": range([5, 0, 5, 0]), "newText": COMMENT });
    let change = json!({ "textDocument": document, "edits": [edit] });
    let mut expected = offered;
    expected["edit"] = json!({ "documentChanges": [change] });
    assert_eq!(chosen, expected);
    // one that has its edit stays as it is
    let again = client.request("codeAction/resolve", chosen.clone());
    assert_eq!(again, chosen);
    client.finish();
}

/// The text or what was found in it is another than the client asks about.
const CONTENT_MODIFIED: i64 = -32801;

#[test]
fn a_fix_for_another_text_is_refused() {
    let (example, mut client) = started(lazy());
    let at = [5, 3, 5, 3];
    client.open(MAIN);
    client.pushed(MAIN);
    let offered = client.actions(MAIN, at, None).remove(0);

    // even where the fix would be the same
    client.edit(MAIN, 2, &[([6, 0, 6, 0], "# within\n")]);
    let refused = client.refused("codeAction/resolve", offered.clone());
    assert_eq!(refused, CONTENT_MODIFIED);
    // the same text again, as another version
    client.edit(MAIN, 3, &[([6, 0, 7, 0], "")]);
    let resolved = client.request("codeAction/resolve", offered.clone());
    let document = &resolved["edit"]["documentChanges"][0]["textDocument"];
    assert_eq!(document["version"], 3);

    // another text, as the version that it was offered for
    client.close(MAIN);
    client.open_with(MAIN, &format!("{}# below\n", example.read(MAIN)));
    let refused = client.refused("codeAction/resolve", offered);
    assert_eq!(refused, CONTENT_MODIFIED);
    client.pushed(MAIN);
    for data in [json!(null), json!([1]), json!({ "uri": "untitled:a" })] {
        let other = json!({ "title": "x", "kind": "quickfix", "data": data });
        let refused = client.refused("codeAction/resolve", other);
        assert_eq!(refused, CONTENT_MODIFIED);
    }
    client.finish();
}

#[test]
fn a_fix_of_what_is_no_longer_wrong_is_refused() {
    const STORAGE: &str = "live/account/storage.tf";
    let (example, mut client) = started(lazy());
    let offered = client.actions(STORAGE, [1, 3, 1, 3], None).remove(0);
    assert_eq!(offered["kind"], "quickfix");
    let state = example.read(LEGACY);
    example.replace(
        LEGACY,
        state.replace(UPLOADS, "arn:aws:s3:::another-bucket"),
    );
    assert_eq!(client.pushed(STORAGE).to_string(), "");
    client.pushed("live/legacy/main.tf");
    let refused = client.refused("codeAction/resolve", offered);
    assert_eq!(refused, CONTENT_MODIFIED);
    client.finish();
}

/// A workspace with a misspelt key, which has a safe fix, and a duplicate, which has none.
fn misspelt() -> Example {
    let example = Example::copy();
    let file = example.read("live/legacy/main.tf");
    let queue = r#"
resource "aws_sqs_queue" "jobs" {
  tags = { "gantrycd:resource-identity-relam" = "jobs" }
}
"#;
    example.write("live/legacy/main.tf", file + queue);
    example
}

#[test]
fn all_safe_fixes_of_a_file_are_made_when_that_is_asked_for() {
    const FILE: &str = "live/legacy/main.tf";
    let example = misspelt();
    let line = example.read(FILE).lines().count() as u32 - 2;
    for capabilities in [modern(), lazy()] {
        let mut client = Client::start(example.root(), capabilities);
        client.pushed_all(FILES);
        let start = [0, 0, 0, 0];
        for only in ["source.fixAll.gantrycd", "source.fixAll", "source", ""] {
            let actions = client.actions(FILE, start, Some(&[only]));
            let [action] = &actions[..] else {
                panic!("{only}: {actions:#?}");
            };
            assert_eq!(action["kind"], "source.fixAll.gantrycd");
            let action = match action.get("edit") {
                Some(_) => action.clone(),
                None => client.request("codeAction/resolve", action.clone()),
            };
            let edits = &action["edit"]["documentChanges"][0]["edits"];
            let new_text = "\"gantrycd:resource-identity-realm\"";
            let edit = json!({ "range": range([line, 11, line, 45]), "newText": new_text });
            assert_eq!(*edits, json!([edit]));
        }
        for only in [
            &["source.fixAll.eslint"][..],
            &["source.organizeImports"],
            &["source.fixAll.gantrycd.more"],
            &["quickfix", "refactor"],
        ] {
            assert_eq!(client.actions(FILE, start, Some(only)), [json!(null); 0]);
        }
        // no menu has it
        assert_eq!(client.actions(FILE, start, None), [json!(null); 0]);
        // a file whose fixes are none to be made unasked
        let fixes = client.actions(MAIN, [5, 0, 5, 0], Some(&["source.fixAll"]));
        assert_eq!(fixes, [json!(null); 0]);
        client.finish();
    }
}

#[test]
fn the_fix_that_is_safe_is_preferred() {
    const FILE: &str = "live/legacy/main.tf";
    let example = misspelt();
    let mut client = Client::start(example.root(), modern());
    client.pushed_all(FILES);
    let end = [0, 0, 9999, 0];
    let actions = client.actions(FILE, end, Some(&["quickfix"]));
    assert!(titles(&actions).contains(&"Ignore aws_s3_bucket.customer_uploads in gantrycd"));
    let (preferred, others): (Vec<_>, Vec<_>) = actions
        .into_iter()
        .partition(|it| it.get("isPreferred") == Some(&json!(true)));
    assert_eq!(
        titles(&preferred),
        ["Write gantrycd:resource-identity-realm"]
    );
    assert!(others.iter().all(|it| it.get("isPreferred").is_none()));
    client.finish();
}

#[test]
fn nothing_is_changed_below_terraforms_own_directory() {
    const INSTALLED: &str = ".terraform/modules/logs/main.tf";
    let example = Example::empty();
    example.write(
        "main.tf",
        "module \"logs\" {\n  source = \"example/logs/aws\"\n}\n",
    );
    let modules = r#"{"Modules": [
        {"Key": "", "Source": "", "Dir": "."},
        {"Key": "logs", "Source": "registry.terraform.io/example/logs/aws", "Dir": ".terraform/modules/logs"}
    ]}"#;
    example.write(".terraform/modules/modules.json", modules);
    let block = "resource \"aws_sqs_queue\" \"q\" {\n  tags = { \"gantrycd:resource-identity-relam\" = \"x\" }\n}\n";
    example.write(INSTALLED, block);
    let queue = r#""module": "module.logs", "type": "aws_sqs_queue", "name": "q""#;
    let arn = r#""arn": "arn:aws:sqs:eu-west-1:111122223333:q""#;
    example.write("terraform.tfstate", state(queue, arn));
    let mut client = Client::start(example.root(), modern());
    client.open(INSTALLED);
    let (text, _) = hover(&mut client, INSTALLED, 0, 3);
    assert!(text.starts_with("Identity "), "{text}");
    for only in [None, Some(&["source"][..]), Some(&["quickfix"][..])] {
        let actions = client.actions(INSTALLED, [0, 0, 9999, 0], only);
        assert_eq!(actions, [json!(null); 0]);
    }
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// Settings

const SETTINGS: &str = "gantrycd.hcl";

/// The files of the example that have a duplicate in them.
const DUPLICATES: [&str; 4] = [
    MAIN,
    "emulators/bob/main.tf",
    "live/account/storage.tf",
    "live/legacy/main.tf",
];

/// The next diagnostics of these files have a duplicate of this severity; none, if it is off.
fn duplicates_become(client: &mut Client, files: &[&str], severity: &str) {
    for file in files {
        let told = client.pushed(file).to_string();
        let duplicate = format!("  {severity} duplicate-identity");
        match severity {
            "off" => assert!(!told.contains("duplicate-identity"), "{file}\n{told}"),
            _ => assert!(told.contains(&duplicate), "{file}\n{told}"),
        }
    }
}

#[test]
fn the_workspace_file_is_served_like_any_other() {
    let (example, mut client) = started(modern());
    let text = "checks {\n  duplicate-identty = \"off\"\n  syntax = \"hint\"\n}\n";
    client.open_with(SETTINGS, text);
    let pushed = client.pushed(SETTINGS);
    assert_eq!(pushed.to_string(), "  error workspace-file 1:2-1:19\n");
    assert_eq!(
        pushed.diagnostics[0]["message"],
        "There is no check `duplicate-identty`: did you mean `duplicate-identity`? It is left \
         aside."
    );
    let actions = client.actions(SETTINGS, [1, 5, 1, 5], Some(&["quickfix"]));
    assert_eq!(
        titles(&actions),
        ["Change `duplicate-identty` to `duplicate-identity`"]
    );
    let change = &actions[0]["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["uri"], uri(&example.path(SETTINGS)));
    let edit = json!({ "range": range([1, 2, 1, 19]), "newText": "duplicate-identity" });
    assert_eq!(change["edits"], json!([edit]));

    let (shown, at) = hover(&mut client, SETTINGS, 2, 4);
    let here = format!(
        "Severity `hint`, set [here]({}#L3)",
        uri(&example.path(SETTINGS))
    );
    assert!(shown.starts_with(&here), "{shown}");
    assert_eq!(at, "2:2-2:8");
    let (shown, at) = hover(&mut client, SETTINGS, 0, 0);
    assert!(shown.starts_with("How grave the findings"), "{shown}");
    assert_eq!(at, "0:0-0:6");
    assert_eq!(client.hover(SETTINGS, 1, 5), None);
    client.finish();
}

#[test]
fn the_workspace_file_is_completed() {
    let mut capabilities = modern();
    // positions in UTF-16 units, behind what has fewer of them than bytes
    capabilities["general"] = json!({});
    let (_example, mut client) = started(capabilities);
    client.open_with(SETTINGS, "checks {\n  /* é😀 */ syntax = \"h\"\n  du\n}\n");
    client.pushed(SETTINGS);

    let list = client.complete(SETTINGS, 1, 23);
    assert_eq!(list["isIncomplete"], false);
    let items = list["items"].as_array().unwrap();
    let labels: Vec<_> = items.iter().map(|it| &it["label"]).collect();
    assert_eq!(labels, ["off", "hint", "information", "warning", "error"]);
    let edit = json!({ "range": range([1, 22, 1, 23]), "newText": "hint" });
    assert_eq!(items[1]["textEdit"], edit);
    assert_eq!(items[1]["documentation"]["kind"], "markdown");

    let list = client.complete(SETTINGS, 2, 4);
    let items = list["items"].as_array().unwrap();
    let duplicate = items.iter().find(|it| it["label"] == "duplicate-in-stack");
    let edit = json!({ "range": range([2, 2, 2, 4]), "newText": "duplicate-in-stack" });
    assert_eq!(duplicate.unwrap()["textEdit"], edit);
    assert!(items.iter().all(|it| it["label"] != "syntax"), "it is set");

    client.edit(SETTINGS, 2, &[([0, 0, 4, 0], "stack \"\"")]);
    client.pushed(SETTINGS);
    let list = client.complete(SETTINGS, 0, 7);
    let items = list["items"].as_array().unwrap();
    let labels: Vec<_> = items
        .iter()
        .map(|it| it["label"].as_str().unwrap())
        .collect();
    assert!(labels.contains(&"live/account"), "{labels:?}");

    assert_eq!(client.complete(MAIN, 5, 3), json!(null));
    assert_eq!(client.complete("no-such-file.tf", 0, 0), json!(null));
    client.finish();
}

#[test]
fn unsaved_settings_count_at_once() {
    let (_example, mut client) = started(modern());
    client.open_with(SETTINGS, "checks {\n  duplicate-identity = \"hint\"\n}\n");
    duplicates_become(&mut client, &DUPLICATES, "hint");
    client.edit(SETTINGS, 2, &[([1, 24, 1, 28], "off")]);
    duplicates_become(&mut client, &DUPLICATES, "off");
    let exclude = "{ exclude = [\"live/legacy/**\"] }";
    client.edit(SETTINGS, 3, &[([1, 23, 1, 28], exclude)]);
    for file in &DUPLICATES[..3] {
        assert_eq!(client.pushed(file).to_string(), example_of(file));
    }
    client.close(SETTINGS);
    let legacy = client.pushed("live/legacy/main.tf").to_string();
    assert_eq!(legacy, example_of("live/legacy/main.tf"));
    client.finish();
}

#[test]
fn settings_on_the_disk_are_read_when_they_change() {
    for (capabilities, says_so) in [(watching(), true), (modern(), false)] {
        let (example, mut client) = started(capabilities);
        let text = "checks {\n  duplicate-identity = \"hint\"\n}\n";
        replace(&mut client, &example, SETTINGS, text, says_so);
        duplicates_become(&mut client, &DUPLICATES, "hint");
        example.remove(SETTINGS);
        if says_so {
            client.disk_changed(SETTINGS);
        }
        duplicates_become(&mut client, &DUPLICATES, "error");
        client.finish();
    }
}

#[test]
fn settings_that_an_editor_begins_with_count_from_the_start() {
    let settings = json!({ "checks": { "duplicate-identity": "warning" } });
    for options in [settings.clone(), json!({ "gantrycd": settings })] {
        let example = Example::copy();
        let mut client = Client::start_with(example.root(), modern(), options);
        let told = told(&client.pushed_all(FILES));
        assert_eq!(
            told,
            EXAMPLE.replace("error duplicate", "warning duplicate")
        );
        client.finish();
    }
}

#[test]
fn settings_change_while_the_editor_runs() {
    let (example, mut client) = started(modern());
    let checks = |severity: &str| json!({ "checks": { "duplicate-identity": severity } });
    client.configure(json!({ "gantrycd": checks("warning"), "other": { "checks": 7 } }));
    duplicates_become(&mut client, &DUPLICATES, "warning");
    client.configure(checks("hint"));
    duplicates_become(&mut client, &DUPLICATES, "hint");
    // the same once more, and others' settings, change nothing
    client.configure(checks("hint"));
    client.configure(json!({ "gantrycd": {} }));
    duplicates_become(&mut client, &DUPLICATES, "error");

    // over the workspace file's, key by key
    let file =
        "checks {\n  duplicate-identity = { severity = \"hint\", exclude = [\"live/**\"] }\n}\n";
    client.open_with(SETTINGS, file);
    duplicates_become(&mut client, &DUPLICATES[..2], "hint");
    duplicates_become(&mut client, &DUPLICATES[2..], "off");
    client.configure(checks("warning"));
    duplicates_become(&mut client, &DUPLICATES[..2], "warning");
    let (shown, _) = hover(&mut client, SETTINGS, 1, 5);
    let here = uri(&example.path(SETTINGS));
    let expected = format!(
        "Severity `warning`, set by the editor  \nNot shown in `live/**`, set [here]({here}#L2)"
    );
    assert!(shown.starts_with(&expected), "{shown}");
    client.configure(json!(null));
    duplicates_become(&mut client, &DUPLICATES[..2], "hint");
    client.finish();
}

#[test]
fn a_fault_in_settings_is_told_once_and_the_rest_counts() {
    let (_example, mut client) = started(modern());
    let settings = json!({ "checks": {
        "duplicate-identity": "warning",
        "malformed-relm": "off",
        "syntax": { "exclude": "sandbox" },
    }, "colour": "red" });
    for _ in 0..2 {
        client.configure(json!({ "gantrycd": settings }));
    }
    duplicates_become(&mut client, &DUPLICATES, "warning");
    assert_eq!(
        client.warned(),
        "gantrycd settings: There is no setting `colour`. It is left aside. There is no check \
         `malformed-relm`: did you mean `malformed-realm`? It is left aside. `exclude` takes a \
         list of globs, as in `[\"sandbox/**\"]`, not \"sandbox\". It is left aside."
    );
    client.configure(json!({ "gantrycd": "off" }));
    duplicates_become(&mut client, &DUPLICATES, "error");
    let what = "gantrycd settings: The settings are to be an object, not `\"off\"`.";
    assert_eq!(client.warned(), what);
    client.finish();

    let example = Example::copy();
    let mut client = Client::start_with(example.root(), modern(), json!({ "colour": "red" }));
    client.pushed_all(FILES);
    let what = "gantrycd settings: There is no setting `colour`. It is left aside.";
    assert_eq!(client.warned(), what);
    client.finish();
}

#[test]
fn a_client_that_answers_is_asked_for_the_settings() {
    let mut capabilities = modern();
    capabilities["workspace"]["configuration"] = json!(true);
    capabilities["workspace"]["didChangeConfiguration"] = json!({ "dynamicRegistration": true });
    let example = Example::copy();
    let options = json!({ "checks": { "duplicate-identity": "information" } });
    let mut client = Client::start_with(example.root(), capabilities, options);
    let registered = client.serve("client/registerCapability");
    let method = &registered["registrations"][0]["method"];
    assert_eq!(method, "workspace/didChangeConfiguration");
    // it has none: those from the start count
    let asked = client.serve_with("workspace/configuration", json!([null]));
    assert_eq!(asked, json!({ "items": [{ "section": "gantrycd" }] }));
    let told = told(&client.pushed_all(FILES));
    assert_eq!(
        told,
        EXAMPLE.replace("error duplicate", "information duplicate")
    );

    let answer = |severity: &str| json!([{ "checks": { "duplicate-identity": severity } }]);
    for (changed, severity) in [
        (json!(null), "warning"),
        (json!({}), "hint"),
        (json!({ "other": 1 }), "off"),
    ] {
        client.configure(changed);
        client.serve_with("workspace/configuration", answer(severity));
        duplicates_become(&mut client, &DUPLICATES, severity);
    }

    // nobody waits for an answer, and one to an older question is passed over
    client.configure(json!(null));
    let question = |it: &Value| it["method"] == "workspace/configuration";
    let older = client.receive("a question", question);
    client.configure(json!({ "gantrycd": { "checks": { "duplicate-identity": "hint" } } }));
    duplicates_become(&mut client, &DUPLICATES, "hint");
    let answer = json!({ "jsonrpc": "2.0", "id": older["id"], "result": answer("warning") });
    client.send(answer.to_string().as_bytes());
    client.configure(json!({ "gantrycd": { "checks": { "duplicate-identity": "error" } } }));
    duplicates_become(&mut client, &DUPLICATES, "error");
    client.finish();
}

#[test]
fn an_editor_gives_variables_their_values() {
    let example = Example::empty();
    let realm = "variable \"realm\" {}\nprovider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = var.realm }\n  }\n}\nresource \"aws_sqs_queue\" \"q\" {}\n";
    example.write("main.tf", realm);
    let mut client = Client::start_in(example.root(), &[""], modern());
    assert!(client.hover("main.tf", 1, 0).is_some());
    client.configure(json!({ "variables": { "realm": "a b" } }));
    let pushed = client.pushed("main.tf");
    assert_eq!(
        pushed.to_string().lines().next(),
        Some("  error malformed-realm 0:0-0:16")
    );
    client.configure(json!({ "variables": { "realm": "ab" } }));
    assert_eq!(client.pushed("main.tf").to_string(), "");
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// The disk

const LEGACY: &str = "live/legacy/terraform.tfstate";
const UPLOADS: &str = "arn:aws:s3:::example-shop-uploads-eu-west-1";

/// Changes a file, and says so when the client is one that does.
fn replace(client: &mut Client, example: &Example, file: &str, content: &str, says_so: bool) {
    example.replace(file, content);
    if says_so {
        client.disk_changed(file);
    }
}

fn a_new_state_changes_the_findings(capabilities: Value, says_so: bool) {
    let (example, mut client) = started(capabilities);
    let state = example.read(LEGACY);
    let other = state.replace(UPLOADS, "arn:aws:s3:::another-bucket");
    replace(&mut client, &example, LEGACY, &other, says_so);
    assert_eq!(client.pushed("live/account/storage.tf").to_string(), "");
    assert_eq!(client.pushed("live/legacy/main.tf").to_string(), "");

    replace(&mut client, &example, LEGACY, &state, says_so);
    for file in ["live/account/storage.tf", "live/legacy/main.tf"] {
        assert_eq!(client.pushed(file).to_string(), example_of(file));
    }
    client.finish();
}

#[test]
fn a_new_state_changes_the_findings_when_the_client_tells_of_it() {
    a_new_state_changes_the_findings(watching(), true);
}

#[test]
fn a_new_state_changes_the_findings_when_nobody_tells_of_it() {
    a_new_state_changes_the_findings(modern(), false);
}

#[test]
fn a_truncated_state_is_told_and_its_rows_stay() {
    for (capabilities, says_so) in [(watching(), true), (modern(), false)] {
        let (example, mut client) = started(capabilities);
        let state = example.read(LEGACY);
        client.open("live/legacy/main.tf");
        client.pushed("live/legacy/main.tf");

        let half = &state[..state.len() / 2];
        replace(&mut client, &example, LEGACY, half, says_so);
        // on the first file by name: the stack has no backend block
        let pushed = client.pushed("live/legacy/alerts.tf");
        assert_eq!(pushed.to_string(), "  warning unreadable-state 0:0-0:35\n");
        assert_eq!(
            pushed.diagnostics[0]["message"],
            "The state live/legacy/terraform.tfstate of live/legacy is not read: truncated: the \
             file ends before its JSON does. The rows that it had when it was last read stay."
        );
        let (text, _) = hover(&mut client, "live/legacy/main.tf", 3, 0);
        assert!(text.starts_with(&format!("Identity `{UPLOADS}`")), "{text}");
        assert!(text.contains("Also claimed by"), "{text}");

        replace(&mut client, &example, LEGACY, &state, says_so);
        assert_eq!(client.pushed("live/legacy/alerts.tf").to_string(), "");
        client.finish();
    }
}

#[test]
fn a_deleted_file_has_no_findings() {
    for (capabilities, says_so) in [(watching(), true), (modern(), false)] {
        let (example, mut client) = started(capabilities);
        example.remove(WORKERS);
        if says_so {
            client.disk_changed(WORKERS);
        }
        assert_eq!(client.pushed(WORKERS).to_string(), "");
        client.finish();
    }
}

#[test]
fn a_stack_that_appears_is_followed_from_then_on() {
    let (example, mut client) = started(modern());
    let malformed = example.read("emulators/bob/providers.tf");
    example.write("emulators/carol/providers.tf", &malformed);
    let file = "emulators/carol/providers.tf";
    assert_eq!(
        client.pushed(file).to_string(),
        "  error malformed-realm 21:44-21:58\n"
    );
    // the directory is watched by now
    example.write(
        file,
        malformed.replace("localstack/bob", "localstack-carol"),
    );
    assert_eq!(client.pushed(file).to_string(), "");
    client.finish();
}

// ------------------------------------------------------------------------------------------------
// The end, and what must not be one

#[test]
fn the_exit_code_says_whether_shutdown_came_first() {
    let (_example, client) = started(modern());
    client.finish();

    let (_example, mut client) = started(modern());
    client.notify("exit", json!(null));
    assert_eq!(client.ended(), Some(1));

    let example = Example::empty();
    let mut client = Client::spawn(example.root());
    client.notify("exit", json!(null));
    assert_eq!(client.ended(), Some(1));
}

#[test]
fn nothing_but_exit_is_done_after_shutdown() {
    let (_example, mut client) = started(modern());
    assert!(client.request("shutdown", json!(null)).is_null());
    assert_eq!(client.refused("textDocument/hover", json!({})), -32600);
    client.notify("exit", json!(null));
    assert_eq!(client.ended(), Some(0));
}

#[test]
fn the_server_ends_with_its_client() {
    let (_example, mut client) = started(modern());
    client.hang_up();
    assert_eq!(client.ended(), Some(1));

    let example = Example::empty();
    let mut client = Client::spawn(example.root());
    client.hang_up();
    assert_eq!(client.ended(), Some(1));
}

#[test]
fn a_request_that_waits_does_not_keep_the_server() {
    for hangs_up in [true, false] {
        let example = Example::copy();
        let mut client = Client::spawn(example.root());
        client.initialize(modern());
        // nothing is analysed before the client says that it is initialized
        let at = json!({ "line": 5, "character": 0 });
        let document = json!({ "uri": uri(&example.path(MAIN)) });
        let params = json!({ "textDocument": document, "position": at });
        let asked = client.ask("textDocument/hover", params);
        match hangs_up {
            true => client.hang_up(),
            false => {
                client.notify("exit", json!(null));
                let cancelled = client.receive("the answer", |it| it["id"] == asked);
                assert_eq!(cancelled["error"]["code"], -32800);
            }
        }
        assert_eq!(client.ended(), Some(1));
    }
}

#[test]
fn a_message_that_is_none_costs_nothing_else() {
    let (_example, mut client) = started(modern());
    for body in [
        &b"{ this is no JSON"[..],
        b"",
        b"\xff\xfe\x00",
        b"[]",
        b"\"exit\"",
        "[".repeat(100_000).as_bytes(),
    ] {
        client.send(body);
        let message = client.logged();
        assert!(
            message.starts_with("a message cannot be decoded: "),
            "{message}"
        );
    }
    assert_eq!(client.refused("gantrycd/noSuchThing", json!({})), -32601);
    assert_eq!(
        client.refused("textDocument/hover", json!({ "position": 1 })),
        -32602
    );
    client.notify("$/noSuchThing", json!({}));
    client.notify("textDocument/didOpen", json!({ "textDocument": 1 }));
    assert!(client.hover(MAIN, 5, 0).is_some());
    client.finish();
}

#[test]
fn a_request_can_be_cancelled() {
    let (example, mut client) = started(modern());
    let at = json!({ "line": 5, "character": 0 });
    let document = json!({ "uri": uri(&example.path(MAIN)) });
    let params = json!({ "textDocument": document, "position": at });
    let asked = client.ask("textDocument/hover", params);
    client.notify("$/cancelRequest", json!({ "id": asked }));
    // it may have been answered before
    let answer = client.receive("an answer", |it| it["id"] == asked);
    assert!(answer.get("result").is_some() || answer["error"]["code"] == -32800);
    assert!(client.hover(MAIN, 5, 0).is_some());
    client.finish();
}

#[test]
fn many_requests_at_once_are_all_answered() {
    let (example, mut client) = started(modern());
    client.open(MAIN);
    client.pushed(MAIN);
    let mut asked = Vec::new();
    for _ in 0..100 {
        let at = json!({ "line": 5, "character": 0 });
        let document = json!({ "uri": uri(&example.path(MAIN)) });
        let params = json!({ "textDocument": document, "position": at });
        asked.push(client.ask("textDocument/hover", params));
    }
    for id in asked {
        let answer = client.receive("an answer", |it| it["id"] == id);
        assert!(answer["result"].is_object(), "{answer}");
    }
    client.finish();
}

#[test]
fn a_burst_of_edits_comes_to_its_last_text() {
    let (_example, mut client) = started(modern());
    client.open(MAIN);
    client.pushed(MAIN);
    for version in 2..=60 {
        client.edit(MAIN, version, &[([0, 0, 0, 0], "\n")]);
    }
    let pushed = client.pushed_at(MAIN, 60).to_string();
    assert!(pushed.contains("duplicate-identity 64:0-64:30"), "{pushed}");
    let (_, at) = hover(&mut client, MAIN, 64, 0);
    assert_eq!(at, "64:0-64:30");
    let actions = client.actions(MAIN, [64, 0, 64, 0], None);
    let document = &actions[0]["edit"]["documentChanges"][0]["textDocument"];
    assert_eq!(document["version"], 60);
    // the other side of the duplicate was told as often as it changed
    let until = Instant::now() + Duration::from_secs(60);
    while !client
        .pushed("emulators/bob/main.tf")
        .to_string()
        .contains("emulators/alice/main.tf 64:0-64:30")
    {
        assert!(Instant::now() < until);
    }
    client.finish();
}
