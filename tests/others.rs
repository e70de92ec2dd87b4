//! The language server in other editors, set up as docs/editors.md says.
//!
//! Helix is where `GANTRYCD_HELIX` says; without it, it is not tried.

#![cfg(unix)]

#[path = "support/example.rs"]
mod example;
#[path = "support/install.rs"]
mod install;
#[path = "support/terminal.rs"]
mod terminal;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use example::Example;
use terminal::Terminal;

/// Longer than any scenario takes, on the slowest machine.
const DEADLINE: Duration = Duration::from_secs(180);

const NEEDS: &str = "The tests of other editors need Emacs with eglot and Vim with ALE (on Debian: \
                     apt-get install emacs-nox elpa-eglot vim-nox vim-ale).";

/// The block of docs/editors.md in a language.
fn configuration(language: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, block) = page
        .split_once(&format!("```{language}\n"))
        .expect("the page has it");
    let (block, _) = block.split_once("```").expect("it ends");
    block.to_owned()
}

fn path_with_the_server() -> OsString {
    let server = Path::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    let mut path = OsString::from(server.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

/// Runs an editor on a copy of the example workspace until it ends.
fn run(language: &str, editor: &mut Command) {
    let example = Example::copy();
    // where editors look for the root of a workspace
    fs::create_dir(example.path(".git")).unwrap();
    let home = Example::empty();
    home.write("configuration", configuration(language));
    let output = |name| File::create(home.path(name)).unwrap();
    let started = editor
        .current_dir(example.root())
        .env("PATH", path_with_the_server())
        .env("HOME", home.root())
        .env("GANTRYCD_EXAMPLE", example.root())
        .env("GANTRYCD_CONFIGURATION", home.path("configuration"))
        .env("XDG_CACHE_HOME", home.root())
        .stdin(Stdio::null())
        .stdout(output("stdout"))
        .stderr(output("stderr"))
        .spawn();
    let mut editor = started.unwrap_or_else(|why| panic!("{NEEDS}\n{editor:?}: {why}"));
    let status = install::ended(&mut editor, Instant::now() + DEADLINE);
    let (stdout, stderr) = (home.read("stdout"), home.read("stderr"));
    assert!(status.success(), "{NEEDS}\n{status}\n{stdout}\n{stderr}");
}

fn scenario(name: &str) -> String {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/others");
    scenarios.join(name).display().to_string()
}

#[test]
fn emacs_with_eglot() {
    // what Debian's packages are found by is read without -Q only
    run(
        "elisp",
        Command::new("emacs").args(["--batch", "-l", &scenario("eglot.el")]),
    );
}

#[test]
fn vim_with_ale() {
    let vim = [
        "-N",
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        "-es",
        "--not-a-term",
        "-S",
    ];
    run(
        "vim",
        Command::new("vim").args(vim).arg(scenario("ale.vim")),
    );
}

#[test]
fn helix() {
    let Ok(helix) = std::env::var("GANTRYCD_HELIX") else {
        eprintln!("not tried: GANTRYCD_HELIX names no Helix");
        return;
    };
    let example = Example::copy();
    // what Helix takes for the root of a workspace
    fs::create_dir(example.path(".git")).unwrap();
    let home = Example::empty();
    home.write(".config/helix/languages.toml", configuration("toml"));
    // what Helix knows only by the configuration
    let file = "live/legacy/main.tofu";
    fs::rename(example.path("live/legacy/main.tf"), example.path(file)).unwrap();
    let environment = [
        ("HOME", home.root().into()),
        ("PATH", path_with_the_server()),
    ];
    let editor = Terminal::start(
        home.path("tmux"),
        example.root(),
        &environment,
        &[&helix, file],
    );

    editor.wait_for("● 1 ");
    editor.press(&["4", "G"]);
    editor.wait_for("manages the same object as aws_s3_bucket.uploads of live/account");
    editor.press(&["Space", "k"]);
    editor.wait_for("discovered from its arn, no realm");
    editor.press(&["Escape"]);
    editor.wait_until("the hover goes", |it| !it.contains("discovered from"));

    let before = example.read(file);
    let header = "resource \"aws_s3_bucket\" \"customer_uploads\" {";
    let comment = "# gantrycd:resource-identity: ignore=true";
    editor.press(&["Space", "a"]);
    editor.wait_for("Ignore aws_s3_bucket.customer_uploads in gantrycd");
    editor.press(&["Enter"]);
    editor.wait_for(&format!("4  {comment}"));
    editor.wait_until("the finding goes", |it| !it.contains("manages the same"));
    editor.press(&[":w", "Enter"]);
    editor.wait_for("written");
    let after = before.replace(header, &format!("{comment}\n{header}"));
    assert_eq!(example.read(file), after);

    editor.press(&[":o live/web/data.tf", "Enter"]);
    editor.wait_for("data \"aws_acm_certificate\" \"wildcard\"");
    editor.press(&["2", "G", "g", "d"]);
    editor.wait_for("live/account/dns.tf");
    editor.press(&[":qa", "Enter"]);
}
