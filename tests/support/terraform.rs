//! A real Terraform, run in a directory.

#![allow(dead_code)] // everybody takes a part of it

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// Whether there is one; says so when there is none, since then nothing is compared.
pub fn is_here() -> bool {
    let here = Command::new("terraform").arg("version").output().is_ok();
    if !here {
        println!("there is no terraform: nothing is compared");
    }
    here
}

/// Writes the files of a text, each behind a line `#- path`.
pub fn write(root: &Path, text: &str) -> Vec<PathBuf> {
    let file = |file: &str| {
        let (name, text) = file.split_once('\n').unwrap();
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    text.split("#- ").skip(1).map(file).collect()
}

/// Runs a command that must succeed, and gives what it prints.
pub fn run(root: &Path, arguments: &[&str]) -> Vec<u8> {
    run_with(root, arguments, &[])
}

/// The same in an environment that has these, too.
pub fn run_with(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<u8> {
    let output = Command::new("terraform")
        .args(arguments)
        .current_dir(root)
        .env_remove("TF_WORKSPACE")
        .env("TF_IN_AUTOMATION", "1")
        .env("CHECKPOINT_DISABLE", "1")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "terraform {arguments:?}:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// What it plans.
pub fn plan(root: &Path) -> Json {
    run(root, &["plan", "-out=plan", "-input=false", "-no-color"]);
    let shown = run(root, &["show", "-json", "plan"]);
    std::fs::remove_file(root.join("plan")).unwrap();
    serde_json::from_slice(&shown).unwrap()
}
