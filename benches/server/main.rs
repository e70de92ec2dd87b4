//! The server as an editor feels it: how long each thing takes, on workspaces of several sizes.
//!
//! `cargo bench --bench server -- --stacks 100,1000,3000 --seconds 60 --quiet 100` says how large the
//! workspaces are, how long somebody types, and how many milliseconds the server waits on purpose
//! before it tells of other stacks. `--keep` leaves the workspaces for the next time. The answers are
//! known in advance: a fast wrong server fails.

#[path = "../../tests/support/client.rs"]
mod client;
#[path = "../../tests/support/editor.rs"]
mod editor;
#[path = "../generate/mod.rs"]
mod generate;
mod keys;
mod navigation;
#[path = "../options/mod.rs"]
mod options;
#[path = "../../tests/support/process.rs"]
mod process;
mod start;
mod table;
mod typing;

use std::time::Duration;

use generate::kept::Kept;
use generate::{Answers, Shape, Spot};
use keys::Typed;
use options::Options;
use start::start;
use table::{Column, Table};
use typing::Restored;

/// Longer than anything is waited for.
const MOST: Duration = Duration::from_secs(600);

fn main() -> std::io::Result<()> {
    let options = Options::read();
    let mut table = Table::default();
    for stacks in &options.stacks {
        let workspace = Kept::new(Shape::of(*stacks), options.keep)?;
        let mut column = Column::new(*stacks);
        measure(&workspace, &options, &mut column)?;
        table.columns.push(column);
    }
    println!("\n{table}");
    Ok(())
}

/// A block whose list changes with each letter at `|`.
const BLOCK: &str = "\n\nresource \"aws_sqs_queue\" \"typed\" {\n  name = \"typed\"\n\n  tags = {\n    \
    \"gantrycd:resource-identity-realm\" = \"a b|\"\n  }\n}\n";

fn measure(workspace: &Kept, options: &Options, column: &mut Column) -> std::io::Result<()> {
    let answers = &workspace.answers;
    let opened = told_of("malformed-realm", answers);
    let cache = workspace.beside("cache")?;
    let first = start(workspace, &cache, &opened.path, "first start", column);
    first.finish();
    let mut editor = start(workspace, &cache, &opened.path, "second start", column);
    let server = editor.client.process();
    let megabytes = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    column.add(
        "memory after the start",
        "",
        megabytes(process::memory(server)),
    );

    let module = "modules/v0/queue/main.tf";
    let settings = "gantrycd.hcl";
    for (what, file) in [
        ("a stack's file", &*opened.path),
        ("a module of 50 stacks", module),
        ("the largest file", &answers.largest),
        ("gantrycd.hcl", settings),
    ] {
        if file != opened.path {
            editor.open_from_disk(file);
        }
        let text = editor.text(file);
        let (at, block) = match file == settings {
            true => (
                text.find('\n').map_or(0, |it| it + 1),
                "  unknown-| = \"off\"\n",
            ),
            false => (text.len(), BLOCK),
        };
        let mut typed = Typed::begin(&mut editor, file, at, block);
        let before = process::processor_time(server);
        let keys = typed.keys(&mut editor);
        // what other processes on this machine do has no part in it
        let spent = (process::processor_time(server) - before) / keys.len() as u32;
        column.add(format!("key to its list, {what}"), "p99 ≤ 10 ms", keys);
        column.add_one(format!("processor time a key, {what}"), "", spent);
        let hovers = typed.hovers(&mut editor);
        column.add(format!("key and hover, {what}"), "", hovers);
        let lines = typed.lines(&mut editor);
        column.add(format!("a line at the top, {what}"), "", lines);
        let restored = Restored::new(workspace.root().join(file));
        let saves = typed.saves(&mut editor);
        column.add(format!("save and hover, {what}"), "", saves);
        typed.undo(&mut editor);
        editor.save(file);
        drop(restored);
        if file != opened.path {
            editor.close(file);
        }
    }

    let [here, there] = two_sides(answers);
    let [ended, begun] = keys::across(&mut editor, here, there);
    column.add("a duplicate ends: the other stack's list", "", ended);
    let name = format!("one begins: the same, beyond {:?}", options.quiet);
    column.add(name, "p99 ≤ 50 ms", begun.beyond(options.quiet));

    for method in ["textDocument/hover", "textDocument/codeAction"] {
        let answered = keys::requests(&mut editor, method, &opened.path);
        column.add(
            method.trim_start_matches("textDocument/"),
            "p99 ≤ 5 ms",
            answered,
        );
    }

    navigation::measure(&mut editor, workspace.root(), column);
    column.add(
        "memory after searching",
        "",
        megabytes(process::memory(server)),
    );

    typing::measure(
        &mut editor,
        workspace.root(),
        &answers.largest,
        options.typing,
        column,
    );
    column.add("memory at the end", "", megabytes(process::memory(server)));
    column.add("peak memory", "", megabytes(process::peak_memory(server)));
    editor.finish();
    Ok(())
}

/// Where a finding of this code is.
fn told_of<'a>(code: &str, answers: &'a Answers) -> &'a Spot {
    let finding = answers.findings.iter().find(|it| it.code == code);
    &finding.expect("every fault is in every workspace").spot
}

/// Two blocks of two stacks that are the same object, and nobody else's.
fn two_sides(answers: &Answers) -> [&Spot; 2] {
    let two = answers.across.iter().find_map(|it| match &it[..] {
        [here, there] => Some([here, there]),
        _ => None,
    });
    two.expect("some object has two owners")
}
