//! From one stack to another, and by what somebody knows of a resource. No answer may be empty that
//! is known not to be.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::MOST;
use crate::client::uri;
use crate::editor::Editor;
use crate::keys::repeated;
use crate::table::Column;

const READER: &str = "data \"aws_iam_role\" \"upstream_0\"";
const OWNER: &str = "resource \"aws_iam_role\" \"exported\"";

pub fn measure(editor: &mut Editor, root: &Path, column: &mut Column) {
    let (reader, role) = reader(root);
    let directory = role.strip_suffix("-exported").and_then(|it| {
        let (team, number) = it.rsplit_once('-')?;
        Some(format!("live/{team}/service-{number}"))
    });
    let directory = directory.expect("a live stack's role is named after it");
    let owner = file_with(&root.join(directory), OWNER).expect("the role is somewhere");
    let below = |path: &Path| {
        path.strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    let (reader, owner) = (below(&reader), below(&owner));
    for file in [&reader, &owner] {
        editor.open_from_disk(file);
    }
    for (what, file, header) in [
        ("definition", &reader, READER),
        ("references", &owner, OWNER),
    ] {
        let at = editor.text(file).find(header).expect("it is in the file");
        let method = format!("textDocument/{what}");
        let times = repeated(editor, &mut |editor| {
            let id = editor.ask_at(&method, file, at);
            assert_ne!(editor.answer(id, MOST), Value::Null, "{what}");
        });
        column.add(what, "p99 ≤ 5 ms", times);
    }
    let document = json!({ "textDocument": { "uri": uri(&root.join(&owner)) } });
    for what in ["codeLens", "documentLink"] {
        let method = format!("textDocument/{what}");
        let times = repeated(editor, &mut |editor| {
            let id = editor.ask(&method, document.clone());
            assert_ne!(editor.answer(id, MOST), Value::Null, "{what}");
        });
        column.add(what, "p99 ≤ 5 ms", times);
    }
    symbols(editor, &role, column);
    completions(editor, &owner, column);
    for file in [&reader, &owner] {
        editor.close(file);
    }
}

/// What is offered while somebody types a tag.
fn completions(editor: &mut Editor, file: &str, column: &mut Column) {
    const TYPED: &str = "\nresource \"aws_sqs_queue\" \"typed\" {\n  tags = {\n                             \"gantrycd:resource-identity-realm\" = \"\"\n    \"gan\" = 1\n  }\n}\n";
    let end = editor.text(file).len();
    editor.replace(file, end..end, TYPED);
    for (what, before) in [("realms", "realm\" = \""), ("keys", "\"gan")] {
        let at = end + TYPED.find(before).expect("it is typed") + before.len();
        let times = repeated(editor, &mut |editor| {
            let id = editor.ask_at("textDocument/completion", file, at);
            let answer = editor.answer(id, MOST);
            let items = answer["items"].as_array().or(answer.as_array());
            assert!(items.is_some_and(|it| !it.is_empty()), "{what}: {answer}");
        });
        column.add(format!("completion, {what}"), "p99 ≤ 20 ms", times);
    }
}

fn symbols(editor: &mut Editor, role: &str, column: &mut Column) {
    let search = |editor: &mut Editor, query: &str| {
        let id = editor.ask("workspace/symbol", json!({ "query": query }));
        editor.answer(id, MOST)
    };
    let begin = Instant::now();
    let found = search(editor, role);
    column.add_one("the first search".to_owned(), "", begin.elapsed());
    let container = found[0]["containerName"].as_str().unwrap_or_default();
    let (stack, arn) = container.split_once(": ").expect("the role has an ARN");
    let address = format!("{stack}/aws_iam_role.exported");
    for (what, query, is_found) in [
        ("an ARN", arn, true),
        ("a part of one", role, true),
        ("a stack and an address", &*address, true),
        ("in every address", "aws", true),
        ("in every ARN of an account", "111", true),
        ("in none", "nothing-of-the-kind", false),
    ] {
        let times = repeated(editor, &mut |editor| {
            let found = search(editor, query);
            assert_eq!(found[0] != Value::Null, is_found, "{query}");
        });
        column.add(format!("symbols, {what}"), "p99 ≤ 20 ms", times);
    }
}

/// A file with a data source that reads a role of a live stack, and the name of that.
fn reader(root: &Path) -> (std::path::PathBuf, String) {
    for team in std::fs::read_dir(root.join("live")).unwrap() {
        for stack in std::fs::read_dir(team.unwrap().path()).unwrap() {
            if let Some(file) = file_with(&stack.unwrap().path(), READER) {
                let text = std::fs::read_to_string(&file).unwrap();
                let (_, block) = text.split_once(READER).unwrap();
                let name = block.split('"').nth(1).expect("it has a name");
                return (file, name.to_owned());
            }
        }
    }
    panic!("some stack reads from another");
}

fn file_with(directory: &Path, text: &str) -> Option<std::path::PathBuf> {
    let files = std::fs::read_dir(directory).ok()?;
    let mut files = files.filter_map(|it| Some(it.ok()?.path()));
    files.find(|it| {
        let is_configuration = it.extension().is_some_and(|it| it == "tf");
        is_configuration && std::fs::read_to_string(it).is_ok_and(|it| it.contains(text))
    })
}
