//! The language server in other editors, set up as docs/editors.md says.

#![cfg(unix)]

#[path = "support/example.rs"]
mod example;
#[path = "support/install.rs"]
mod install;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use example::Example;

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

/// Runs an editor on a copy of the example workspace until it ends.
fn run(language: &str, editor: &mut Command) {
    let example = Example::copy();
    // where editors look for the root of a workspace
    fs::create_dir(example.path(".git")).unwrap();
    let home = Example::empty();
    home.write("configuration", configuration(language));
    let server = Path::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    let mut path = OsString::from(server.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = |name| File::create(home.path(name)).unwrap();
    let started = editor
        .current_dir(example.root())
        .env("PATH", path)
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
