//! What `import` blocks import, and to where, is what `terraform plan` says.
//!
//! The root module `imports/modules.txt` is planned by Terraform with `terraform_data` for its TYPE,
//! and by us with a type whose resources have an ARN. Skipped where there is no `terraform`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::Workspace;

#[path = "support/terraform.rs"]
mod terraform;

use terraform::{is_here, plan, write};

const MODULES: &str = include_str!("imports/modules.txt");

/// By address, the ids that resources are imported by.
type Imported = BTreeMap<String, String>;

fn theirs(root: &Path) -> Imported {
    write(root, &MODULES.replace("TYPE", "terraform_data"));
    terraform::run(root, &["init", "-no-color"]);
    let plan = plan(root);
    let changes = plan["resource_changes"].as_array().unwrap().iter();
    let imported = changes.filter_map(|it| {
        let address = it["address"].as_str().unwrap();
        let id = it["change"]["importing"]["id"].as_str()?;
        Some((address.replace("terraform_data", "TYPE"), id.to_owned()))
    });
    imported.collect()
}

fn ours(root: &Path) -> Imported {
    write(root, &MODULES.replace("TYPE", "aws_sqs_queue"));
    // a root module that is applied
    std::fs::write(root.join(".terraform.lock.hcl"), "").unwrap();
    let snapshot = Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot();
    let stack = &snapshot.stacks[0];
    let rows = stack.rows.iter().enumerate();
    let imported = rows.filter_map(|(row, it)| {
        let address = stack.address(row).to_string();
        let identity = it.planned_claim()?;
        Some((
            address.replace("aws_sqs_queue", "TYPE"),
            identity.id.to_string(),
        ))
    });
    imported.collect()
}

#[test]
fn ids_are_imported_where_terraform_imports_them() {
    if !is_here() {
        return;
    }
    let [theirs, ours] =
        [theirs, ours].map(|of: fn(&Path) -> Imported| of(tempfile::tempdir().unwrap().path()));
    assert_eq!(ours, theirs);
    assert_eq!(theirs.len(), 20);
}
