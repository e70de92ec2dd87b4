//! What `moved` and `removed` blocks do to the rows of a state is what `terraform plan` says.
//!
//! The root module `moving/before.txt` is applied, then its configuration becomes that of
//! `moving/after.txt`. Skipped where there is no `terraform`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::{Planned, Workspace};

#[path = "support/terraform.rs"]
mod terraform;

use terraform::{is_here, plan, write};

/// Of each address of the state the one that it has after the apply, or `None` where it is not
/// managed any more.
fn theirs(root: &Path) -> BTreeMap<String, Option<String>> {
    let shown = plan(root);
    let mut found = BTreeMap::new();
    for change in shown["resource_changes"].as_array().unwrap() {
        let actions: Vec<_> = change["change"]["actions"]
            .as_array()
            .unwrap()
            .iter()
            .collect();
        let address = change["address"].as_str().unwrap();
        let before = change["previous_address"].as_str().unwrap_or(address);
        let after = match actions[0].as_str().unwrap() {
            "create" => continue,
            "delete" | "forget" => None,
            _ => Some(address.to_owned()),
        };
        found.insert(before.to_owned(), after);
    }
    found
}

#[test]
fn rows_go_where_terraform_puts_them() {
    if !is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let files = write(root, include_str!("moving/before.txt"));
    terraform::run(root, &["init", "-no-color"]);
    terraform::run(root, &["apply", "-auto-approve", "-no-color"]);
    for file in files {
        std::fs::remove_file(file).unwrap();
    }
    write(root, include_str!("moving/after.txt"));
    terraform::run(root, &["init", "-no-color"]);
    let theirs = theirs(root);

    let snapshot = Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot();
    let stack = &snapshot.stacks[0];
    let (mut equal, mut unknown, mut wrong) = (0, Vec::new(), Vec::new());
    for (at, row) in stack.rows.iter().enumerate() {
        let before = stack.address(at).to_string();
        let after = match (&row.planned, &row.moved_to) {
            (Planned::Gone, _) => None,
            (_, Some(moved)) => Some(moved.to_string()),
            (_, None) => Some(before.clone()),
        };
        match theirs.get(&before) {
            Some(expected) if *expected == after => equal += 1,
            // not known to go: nothing is said of what will be
            Some(None) if row.moved_to.is_none() => unknown.push(before),
            expected => wrong.push(format!("{before}: {after:?}, not {expected:?}")),
        }
    }
    println!(
        "{equal} equal, {} unknown, {} wrong",
        unknown.len(),
        wrong.len()
    );
    for it in &unknown {
        println!("  unknown {it}");
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(unknown.len() * 20 <= theirs.len(), "too much is unknown");
    assert_eq!(stack.rows.len(), theirs.len());
}
