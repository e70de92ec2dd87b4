//! States of real and small workspaces whose answers are known: `export` gives them all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn workspaces() -> Vec<PathBuf> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut found = Vec::new();
    for kind in ["small", "real"] {
        for entry in fs::read_dir(cases.join(kind)).unwrap() {
            found.push(entry.unwrap().path());
        }
    }
    found.sort();
    found
}

fn export(root: &Path) -> Vec<u8> {
    let out = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"))
        .args(["export", "--format", "json"])
        .arg(root)
        .env("GANTRYCD_LS_NO_CACHE", "1")
        .output()
        .unwrap();
    assert!(out.status.success(), "{}: {out:?}", root.display());
    out.stdout
}

fn set(values: impl IntoIterator<Item = Value>) -> BTreeSet<String> {
    values.into_iter().map(|it| it.to_string()).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

/// Rows as the expectation has them. For a data source, what it looks up, and no reason when it
/// looks something up.
fn identities(export: &Value) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for stack in list(&export["stacks"]) {
        for row in list(&stack["resources"]) {
            let looks_up = &row["looks_up"];
            let (columns, reason) = match looks_up.is_null() {
                true => (row, row["no_identity"]["reason"].clone()),
                false => {
                    assert_eq!(row["no_identity"]["reason"], "data-source");
                    assert!(row["cloud_identity_id"].is_null());
                    (looks_up, Value::Null)
                }
            };
            let id = &columns["cloud_identity_id"];
            let is_aws = row["type"].as_str().unwrap().starts_with("aws_");
            if is_aws || !id.is_null() {
                let realm = &columns["cloud_identity_realm"];
                let row = json!([
                    stack["name"],
                    row["address"],
                    row["mode"],
                    id,
                    realm,
                    reason
                ]);
                rows.insert(row.to_string());
            }
        }
    }
    rows
}

#[test]
fn every_known_answer_is_given() {
    let workspaces = workspaces();
    assert!(workspaces.len() >= 18, "{workspaces:?}");
    for root in workspaces {
        let expected = fs::read(root.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let export: Value = serde_json::from_slice(&export(&root)).unwrap();
        let name = root.display();
        assert_eq!(export["version"], 1);
        assert_eq!(
            identities(&export),
            set(list(&expected["identities"]).cloned()),
            "identities of {name}"
        );
        let duplicates = list(&export["duplicates"]).map(|it| {
            let claims = list(&it["claims"]).map(|it| json!([it["stack"], it["address"]]));
            json!({
                "id": it["cloud_identity_id"],
                "realm": it["cloud_identity_realm"],
                "type": it["type"],
                "across_stacks": it["across_stacks"],
                "claims": claims.collect::<Vec<_>>(),
            })
        });
        assert_eq!(
            set(duplicates),
            set(list(&expected["duplicates"]).cloned()),
            "duplicates of {name}"
        );
        let dependencies = list(&export["dependencies"]).map(|it| {
            json!({
                "reader": it["reader"]["stack"],
                "data": it["reader"]["address"],
                "owner": it["owner"]["stack"],
                "resource": it["owner"]["address"],
                "id": it["cloud_identity_id"],
                "type": it["type"],
            })
        });
        assert_eq!(
            set(dependencies),
            set(list(&expected["dependencies"]).cloned()),
            "dependencies of {name}"
        );
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for root in workspaces() {
        assert!(export(&root) == export(&root), "{}", root.display());
    }
}

/// A data block whose `arn` is known, and that no state has a row of.
#[test]
fn what_is_planned_is_not_exported() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let arn = "arn:aws:sqs:eu-west-1:111122223333:q";
    let state = json!({ "version": 4, "serial": 1, "lineage": "l", "resources": [{
        "mode": "managed", "type": "aws_sqs_queue", "name": "q",
        "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
        "instances": [{ "attributes": { "arn": arn } }],
    }] });
    write("owner/terraform.tfstate", &state.to_string());
    let data = format!(
        "terraform {{\n  backend \"s3\" {{}}\n}}\ndata \"aws_sqs_queue\" \"q\" {{\n  arn = \"{arn}\"\n}}\n"
    );
    write("reader/main.tf", &data);
    let export: Value = serde_json::from_slice(&export(directory.path())).unwrap();
    assert_eq!(export["dependencies"], json!([]));
    assert_eq!(export["stacks"][1]["resources"], json!([]));

    let explain = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"))
        .args(["explain", "--format", "json", "reader/data.aws_sqs_queue.q"])
        .arg(directory.path())
        .env("GANTRYCD_LS_NO_CACHE", "1")
        .output()
        .unwrap();
    let explain: Value = serde_json::from_slice(&explain.stdout).unwrap();
    let only = &explain["resources"][0];
    assert_eq!(only["planned"]["outcome"], "changed");
    assert_eq!(only["planned"]["why"], "reads");
    assert_eq!(only["planned"]["looks_up"]["cloud_identity_id"], arn);
    assert_eq!(only["owned_by"], json!([]));
    assert_eq!(only["owned_after_apply_by"][0]["stack"], "owner");
}
