//! What `ignore_changes` keeps of a map of tags is what `terraform plan` says.
//!
//! Every entry that may stand there meets every edit of a small map. Terraform plans it for the
//! `input` of a `terraform_data`, of which it makes a map, as `tags` is one. Skipped where there is
//! no `terraform`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::identity::{IdentityRegistry, REALM_TAG};
use gantrycd_ls::workspace::{Planned, RowRef, Workspace};
use serde_json::{Value as Json, json};

#[path = "support/terraform.rs"]
mod terraform;

use terraform::{is_here, plan};

/// `MAP` is the argument, `KEY` the tag.
const IGNORED: [&str; 15] = [
    "[]",
    "all",
    "[MAP]",
    "[\"MAP\"]",
    "[MAP[\"KEY\"]]",
    "[MAP[\"Name\"]]",
    "[MAP[\"Name\"], MAP[\"KEY\"]]",
    "[MAP[\"Name\"], MAP]",
    "[MAP[\"nobody's\"]]",
    "[MAP.Name]",
    "[\"MAP.Name\"]",
    "[MAP.Name, MAP[\"KEY\"]]",
    "[\"MAP[\\\"KEY\\\"]\"]",
    "[\"MAP[\\\"Name\\\"]\"]",
    "[triggers_replace]",
];

/// A map of tags, and the realm in it.
fn maps() -> [Json; 6] {
    [
        json!({}),
        json!({ "Name": "n" }),
        json!({ REALM_TAG: "one" }),
        json!({ REALM_TAG: "two" }),
        json!({ REALM_TAG: "one", "Name": "n" }),
        json!({ REALM_TAG: "two", "Name": "m" }),
    ]
}

/// What is ignored, and the map before and after an edit.
fn cases() -> Vec<(&'static str, Json, Json)> {
    let mut cases = Vec::new();
    for ignored in IGNORED {
        for before in maps() {
            for after in maps() {
                cases.push((ignored, before.clone(), after));
            }
        }
    }
    cases
}

/// A resource for each case, whose map is in `argument` as `value` has it.
fn configuration(
    resource_type: &str,
    argument: &str,
    value: impl Fn(&(&str, Json, Json)) -> String,
) -> String {
    let mut text = String::new();
    for (at, case) in cases().iter().enumerate() {
        let ignored = case.0.replace("MAP", argument).replace("KEY", REALM_TAG);
        let value = value(case);
        _ = writeln!(
            text,
            "resource \"{resource_type}\" \"r{at}\" {{\n  {argument} = {value}\n  lifecycle {{\n    \
             ignore_changes = {ignored}\n  }}\n}}"
        );
    }
    text
}

/// The realm of each resource after the next apply.
fn theirs(root: &Path) -> Vec<Option<String>> {
    let main = root.join("main.tf");
    let before = |(_, before, _): &(&str, Json, Json)| format!("tomap({before})");
    fs::write(&main, configuration("terraform_data", "input", before)).unwrap();
    terraform::run(root, &["init", "-no-color"]);
    terraform::run(root, &["apply", "-auto-approve", "-no-color"]);
    let after = |(_, _, after): &(&str, Json, Json)| format!("tomap({after})");
    fs::write(&main, configuration("terraform_data", "input", after)).unwrap();
    let plan = plan(root);
    let changes = plan["resource_changes"].as_array().unwrap();
    let realm = |at: usize| {
        let name = format!("r{at}");
        let change = changes.iter().find(|it| it["name"] == *name).unwrap();
        let realm = &change["change"]["after"]["input"][REALM_TAG];
        realm.as_str().map(str::to_owned)
    };
    (0..cases().len()).map(realm).collect()
}

/// The same as we have it.
fn ours(root: &Path) -> Vec<Option<String>> {
    let after = |(_, _, after): &(&str, Json, Json)| after.to_string();
    let main = configuration("aws_sqs_queue", "tags", after);
    fs::write(root.join("main.tf"), main).unwrap();
    let row = |(at, (_, before, _)): (usize, &(&str, Json, Json))| {
        let arn = format!("arn:aws:sqs:eu-west-1:111122223333:q{at}");
        json!({
            "mode": "managed",
            "type": "aws_sqs_queue",
            "name": format!("r{at}"),
            "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
            "instances": [{ "attributes": { "arn": arn, "tags": before, "tags_all": before } }],
        })
    };
    let rows: Vec<_> = cases().iter().enumerate().map(row).collect();
    let state = json!({ "version": 4, "serial": 1, "lineage": "l", "resources": rows });
    fs::write(root.join("terraform.tfstate"), state.to_string()).unwrap();

    let snapshot = Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot();
    let stack = &snapshot.stacks[0];
    let mut realms = vec![None; cases().len()];
    for (row, it) in stack.rows.iter().enumerate() {
        let claim = match snapshot.outlook(RowRef { stack: 0, row }).planned {
            Planned::Changed(claim) => claim,
            Planned::Same => it.claim.clone(),
            other => panic!("{other:?}"),
        };
        let at: usize = stack.address(row).name[1..].parse().unwrap();
        realms[at] = claim.unwrap().realm.map(|it| it.as_str().to_owned());
    }
    realms
}

#[test]
fn tags_are_kept_as_terraform_keeps_them() {
    if !is_here() {
        return;
    }
    let (theirs, ours) = [theirs, ours]
        .map(|of| of(tempfile::tempdir().unwrap().path()))
        .into();
    let cases = cases();
    let told = cases.iter().zip(theirs.iter().zip(&ours));
    let wrong = told.filter(|(_, (theirs, ours))| theirs != ours);
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(ours.len(), cases.len());
}
