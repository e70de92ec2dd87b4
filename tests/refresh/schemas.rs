//! What the schemas of installed providers say of tags.

use serde_json::{Value, json};

use crate::World;
use crate::states::bucket;

const LOCK: &str = "provider \"registry.opentofu.org/hashicorp/aws\" {\n  version = \"9.9.9\"\n}\n";

/// What `providers schema -json` prints of three types.
fn schemas() -> Value {
    let block = |attributes: Value, block_types: Value| json!({ "version": 0, "block": { "attributes": attributes, "block_types": block_types } });
    let text = json!({ "type": "string", "computed": true });
    let map = json!({ "type": ["map", "string"], "optional": true });
    json!({
        "format_version": "1.0",
        "provider_schemas": { "registry.opentofu.org/hashicorp/aws": {
            "provider": {},
            "resource_schemas": {
                // the bundled table has them the other way about
                "aws_kms_alias": block(json!({ "arn": text, "tags": map, "tags_all": map }), json!({})),
                "aws_iam_role": block(json!({ "arn": text }), json!({})),
                "aws_new_group": block(json!({ "arn": text }), json!({ "tag": { "block": {} } })),
            },
            "data_source_schemas": {},
        }},
    })
}

fn stack(resource_type: &str) -> String {
    format!(
        "terraform {{\n  backend \"s3\" {{}}\n  required_providers {{\n    aws = {{\n      \
         source = \"registry.opentofu.org/hashicorp/aws\"\n    }}\n  }}\n}}\n\
         resource \"{resource_type}\" \"x\" {{\n  \
         tags = {{ \"gantrycd:resource-identity\" = \"null\" }}\n}}\n"
    )
}

#[test]
fn an_installed_providers_schema_is_known_and_wins_over_the_table() {
    let types = ["aws_kms_alias", "aws_iam_role", "aws_new_group"];
    let world = World::new(&types);
    world.outside.write("schemas.json", schemas().to_string());
    for name in types {
        world
            .workspace
            .write(&format!("{name}/main.tf"), stack(name));
        world
            .workspace
            .write(&format!("{name}/.terraform.lock.hcl"), LOCK);
        let provider = format!("{name}/.terraform/providers/x");
        world.workspace.write(&provider, "");
        world.state(name, &bucket(&crate::arn(name), 1));
    }
    let untaggable = || -> Vec<String> {
        let checked = world.run(&["check", "--only", "untaggable-type", "--format", "json"]);
        let report: Value = serde_json::from_str(&checked.out).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let messages = findings.map(|it| it["message"].as_str().unwrap().to_owned());
        let mut told: Vec<_> = messages
            .map(|it| {
                it.split_once(": ")
                    .unwrap()
                    .1
                    .split_once(". ")
                    .unwrap()
                    .0
                    .to_owned()
            })
            .collect();
        told.sort();
        told
    };
    assert_eq!(
        untaggable(),
        ["aws_kms_alias takes no tags (by hashicorp/aws 6.61.0, observed 2026-11-29)"]
    );
    let refreshed = world.run(&["refresh", "--all"]);
    assert_eq!(
        (
            refreshed.code,
            &*refreshed.err.matches("note").collect::<String>()
        ),
        (Some(0), "")
    );
    let by = "(by the schema of hashicorp/aws 9.9.9, which is installed)";
    assert_eq!(
        untaggable(),
        [
            format!("aws_iam_role takes no tags {by}"),
            format!("aws_new_group takes tags as blocks, which gantrycd does not read {by}"),
        ]
    );
    let asked = |world: &World| {
        let asked = world.asked();
        asked
            .iter()
            .filter(|it| it.contains("providers schema -json"))
            .count()
    };
    assert_eq!(asked(&world), 1, "once for a version");
    world.run(&["refresh", "--all"]);
    assert_eq!(asked(&world), 0);
    // another version is another matter
    let lock = LOCK.replace("9.9.9", "9.9.10");
    world
        .workspace
        .write("aws_iam_role/.terraform.lock.hcl", lock);
    world
        .outside
        .write("schemas.json", "{\"provider_schemas\": ");
    let broken = world.run(&["refresh", "aws_iam_role"]);
    assert_eq!(broken.code, Some(0));
    let note = "note: aws_iam_role: the schemas of its providers are not known: ";
    assert!(broken.err.contains(note), "{}", broken.err);
    assert_eq!(
        untaggable(),
        [format!(
            "aws_new_group takes tags as blocks, which gantrycd does not read {by}"
        )]
    );
}
