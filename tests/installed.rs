//! Whether an installed module is the one that is called is what `terraform validate` says.
//!
//! Nothing is installed for it: the manifest is written as `init` writes it. Skipped where there is
//! no `terraform`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::Workspace;
use serde_json::{Value as Json, json};

#[path = "support/terraform.rs"]
mod terraform;

const VPC: &str = "registry.terraform.io/acme/vpc/aws";
const GIT: &str = "git::https://github.com/acme/modules.git//vpc?ref=v1.2.0";
const SSH: &str = "git::ssh://git@github.com/acme/modules.git?ref=v1.2.0";

/// What is called, and what is installed: a source and a version or "" each.
const CALLS: &[[&str; 4]] = &[
    ["acme/vpc/aws", "", VPC, "5.1.0"],
    ["acme/vpc/aws", "5.1.0", VPC, "5.1.0"],
    ["registry.terraform.io/acme/vpc/aws", "5.1.0", VPC, "5.1.0"],
    ["acme/vpc/aws", "5.1.1", VPC, "5.1.0"],
    ["acme/vpc/aws", "= 5.1", VPC, "5.1.0"],
    ["acme/vpc/aws", "~> 5.0", VPC, "5.1.0"],
    ["acme/vpc/aws", "~> 5.1.1", VPC, "5.1.0"],
    ["acme/vpc/aws", "~> 5.1.1", VPC, "5.1.7"],
    ["acme/vpc/aws", "~> 5.1.1", VPC, "5.2.0"],
    ["acme/vpc/aws", "~> 4", VPC, "5.1.0"],
    ["acme/vpc/aws", ">= 4.0, < 5.0", VPC, "5.1.0"],
    ["acme/vpc/aws", ">= 4.0, < 6.0", VPC, "5.1.0"],
    ["acme/vpc/aws", ">=5,!=5.1.0", VPC, "5.1.0"],
    ["acme/vpc/aws", "> 5.1.0", VPC, "5.1.0"],
    ["acme/vpc/aws", "<= 5.1", VPC, "5.1.0"],
    ["acme/rds/aws", "", VPC, "5.1.0"],
    ["other/vpc/aws", "", VPC, "5.1.0"],
    ["acme/vpc/aws//modules/x", "", VPC, "5.1.0"],
    [
        "acme/vpc/aws//modules/x",
        "",
        "registry.terraform.io/acme/vpc/aws//modules/x",
        "5.1.0",
    ],
    [
        "app.terraform.io/acme/vpc/aws",
        "5.1.0",
        "app.terraform.io/acme/vpc/aws",
        "5.1.0",
    ],
    ["github.com/acme/modules//vpc?ref=v1.2.0", "", GIT, ""],
    [
        "git::https://github.com/acme/modules.git//vpc?ref=v1.2.0",
        "",
        GIT,
        "",
    ],
    ["github.com/acme/modules/vpc?ref=v1.2.0", "", GIT, ""],
    ["github.com/acme/modules//vpc?ref=v1.3.0", "", GIT, ""],
    ["github.com/acme/modules//vpc", "", GIT, ""],
    ["github.com/acme/modules//rds?ref=v1.2.0", "", GIT, ""],
    ["git@github.com:acme/modules.git?ref=v1.2.0", "", SSH, ""],
    ["git@github.com:acme/modules.git?ref=main", "", SSH, ""],
    ["acme/vpc/aws", "", GIT, ""],
    [
        "https://example.com/vpc-1.2.zip",
        "",
        "https://example.com/vpc-1.2.zip",
        "",
    ],
    [
        "https://example.com/vpc-1.3.zip",
        "",
        "https://example.com/vpc-1.2.zip",
        "",
    ],
    [
        "acme.s3-eu-west-1.amazonaws.com/vpc.zip",
        "",
        "s3::https://s3-eu-west-1.amazonaws.com/acme/vpc.zip",
        "",
    ],
    ["acme/vpc/aws", "", "./vpc", ""],
];

/// Writes the calls, each on a line of its own, and the manifest.
fn write(root: &Path) {
    let (mut main, mut modules) = (String::new(), Vec::new());
    for (at, [source, version, installed, its_version]) in CALLS.iter().enumerate() {
        let directory = format!(".terraform/modules/m{at}");
        fs::create_dir_all(root.join(&directory)).unwrap();
        fs::write(root.join(&directory).join("main.tf"), "").unwrap();
        let version = match *version {
            "" => String::new(),
            version => format!("version = \"{version}\""),
        };
        _ = writeln!(
            main,
            "module \"m{at}\" {{\nsource = \"{source}\"\n{version}\n}}"
        );
        let mut module = json!({ "Key": format!("m{at}"), "Source": installed, "Dir": directory });
        if !its_version.is_empty() {
            module["Version"] = json!(its_version);
        }
        modules.push(module);
    }
    fs::write(root.join("main.tf"), main).unwrap();
    modules.push(json!({ "Key": "", "Source": "", "Dir": "." }));
    let manifest = json!({ "Modules": modules }).to_string();
    fs::write(root.join(".terraform/modules/modules.json"), manifest).unwrap();
}

/// The calls for which something else is installed.
fn theirs(root: &Path) -> BTreeSet<usize> {
    let mut terraform = Command::new("terraform");
    let output = terraform
        .args(["validate", "-json"])
        .current_dir(root)
        .output();
    let told: Json = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let diagnostics = told["diagnostics"].as_array().unwrap().iter();
    let calls = diagnostics.map(|it| {
        let summary = it["summary"].as_str().unwrap();
        assert!(
            summary.starts_with("Module ") && summary.ends_with(" changed"),
            "{it}"
        );
        (it["range"]["start"]["line"].as_u64().unwrap() as usize - 1) / 4
    });
    calls.collect()
}

fn ours(root: &Path) -> BTreeSet<usize> {
    let snapshot = Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot();
    let tree = snapshot.stacks[0].tree.as_ref().unwrap();
    assert_eq!(tree.nodes().len(), CALLS.len() + 1);
    let outdated = tree.nodes().iter().filter(|it| it.is_outdated);
    let calls = outdated.map(|it| {
        let (_, call) = it.caller.as_ref().unwrap();
        call.base().block().label().unwrap()[1..].parse().unwrap()
    });
    calls.collect()
}

#[test]
fn what_terraform_refuses_is_outdated() {
    if !terraform::is_here() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    write(directory.path());
    let (theirs, ours) = (theirs(directory.path()), ours(directory.path()));
    let differ: Vec<_> = theirs
        .symmetric_difference(&ours)
        .map(|it| CALLS[*it])
        .collect();
    assert!(
        differ.is_empty(),
        "theirs {theirs:?}, ours {ours:?}, {differ:#?}"
    );
    println!("{} of {} are outdated", theirs.len(), CALLS.len());
    assert!(!theirs.is_empty());
}
