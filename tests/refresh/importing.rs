//! States that somebody hands out.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use crate::states::{SECRET, bucket};
use crate::{Run, World, arn};

fn import_from_a_pipe(world: &World, stack: &str, text: &str) -> Run {
    let mut command = world.command(&["import-state", stack, "-"]);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // whoever reads no more of it has seen enough
    _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What `show -json` prints of a bucket.
fn shown() -> String {
    let values = json!({
        "arn": arn("a"), "bucket": format!("{SECRET}-1"), "tags": {},
        "tags_all": { "gantrycd:resource-identity-realm": format!("{SECRET}-2") },
    });
    let resource = json!({
        "address": "aws_s3_bucket.b", "mode": "managed", "type": "aws_s3_bucket", "name": "b",
        "provider_name": "registry.terraform.io/hashicorp/aws", "values": values,
        "sensitive_values": { "tags": {}, "tags_all": { "gantrycd:resource-identity-realm": true } },
    });
    json!({
        "format_version": "1.0",
        "values": { "root_module": { "resources": [resource] } },
    })
    .to_string()
}

#[test]
fn a_state_or_what_was_shown_of_one_from_a_file_or_a_pipe() {
    let world = World::new(&["a"]);
    world
        .outside
        .write("state.json", bucket(&arn("a"), 3).to_string());
    world
        .outside
        .write("shown.json", format!("\u{feff}{}", shown()));
    let file = |name: &str| {
        let path = world.outside.path(name);
        world.run(&["import-state", "a", path.to_str().unwrap()])
    };
    let imported = file("state.json");
    assert_eq!(
        (imported.code, &*imported.out),
        (Some(0), "a: 2 rows, serial 3\n")
    );
    let from_file = world.cached("a").unwrap();
    let piped = import_from_a_pipe(&world, "a", &bucket(&arn("a"), 3).to_string());
    assert_eq!(
        (piped.code, &*piped.out),
        (Some(0), "a: 2 rows, serial 3\n")
    );
    let without_time = |it: Vec<u8>| {
        let mut inventory: serde_json::Value = serde_json::from_slice(&it).unwrap();
        assert!(inventory["cached_at"].take().is_u64());
        inventory
    };
    assert_eq!(
        without_time(world.cached("a").unwrap()),
        without_time(from_file)
    );
    assert_eq!(file("shown.json").out, "a: 1 row\n");
    assert_eq!(import_from_a_pipe(&world, "a", &shown()).out, "a: 1 row\n");
    let status = world.run(&["status", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
    let state = &status["stacks"][0]["state"];
    assert_eq!(status["version"], 1);
    assert_eq!(state["path"], ".gantrycd/state/a.json");
    assert_eq!(
        (&state["format"], &state["serial"]),
        (&json!("inventory"), &json!(null))
    );
    assert_eq!(state["is_old"], false);
    let other = import_from_a_pipe(&world, "a@dev", &shown());
    assert_eq!(other.out, "a@dev: 1 row\n");
    world.has_no_secret();
    let explained = world.run(&["explain", "a/aws_s3_bucket.b"]);
    assert!(
        explained.out.contains("(sensitive value)"),
        "{}",
        explained.out
    );
    assert_eq!(world.asked(), [""; 0]);
}

#[test]
fn what_is_no_state_is_refused_and_what_was_cached_stays() {
    let world = World::new(&["a"]);
    let whole = bucket(&arn("a"), 3).to_string();
    assert_eq!(import_from_a_pipe(&world, "a", &whole).code, Some(0));
    let before = world.cached("a");
    let inventory = String::from_utf8(before.clone().unwrap()).unwrap();
    for (text, why) in [
        ("", "there is nothing in it"),
        (
            &whole[..300],
            "truncated: the file ends before its JSON does",
        ),
        ("no state", "not JSON: a state starts with `{` (byte "),
        ("{\"a\": b}", "not JSON: "),
        ("{}", "not a state"),
        ("{\"version\": 3}", "state format 3 is not read"),
        (&inventory, "not a state"),
        (
            &bucket(&arn("a"), 2).to_string(),
            "the state has serial 2, and what is cached of it serial 3: it is kept",
        ),
    ] {
        let refused = import_from_a_pipe(&world, "a", text);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.starts_with("error: "), "{refused:?}");
        assert!(refused.err.contains(why), "{why}: {refused:?}");
        assert!(world.cached("a") == before, "{why}");
    }
    let file = world.inventory("a");
    let refused = world.run(&["import-state", "a", file.to_str().unwrap()]);
    let copy = "it is an inventory already: copy it below .gantrycd/state";
    assert!(refused.err.contains(copy), "{refused:?}");
    let unknown = world.run(&["import-state", "elsewhere", "nowhere"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown
            .err
            .contains("is called elsewhere: `gantrycd-ls status` lists them")
    );
    let nowhere = world.run(&["import-state", "a", "nowhere"]);
    assert!(nowhere.err.contains("nowhere: No such file"), "{nowhere:?}");
}

#[test]
fn an_inventory_tells_as_much_as_the_state_that_it_was_made_of() {
    let world = World::new(&["a", "b"]);
    let queue = "resource \"aws_sqs_queue\" \"q\" {\n  tags = {\n    \
                 \"gantrycd:resource-identity\" = \"shared\"\n  }\n}\n\
                 # gantrycd:resource-identity: ignore=true\nresource \"aws_vpc\" \"v\" {}\n";
    let states = ["a", "b"].map(|stack| {
        world.workspace.write(&format!("{stack}/main.tf"), queue);
        let attributes = json!({
            "arn": format!("arn:aws:sqs:eu-west-1:111122223333:{stack}"), "x": null,
            "tags": {}, "tags_all": {},
        });
        let vpc = json!({ "arn": "arn:aws:ec2:eu-west-1:111122223333:vpc/1", "x": null });
        let resource = |kind: &str, name: &str, attributes: &serde_json::Value| {
            json!({
                "mode": "managed", "type": kind, "name": name,
                "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
                "instances": [{ "attributes": attributes, "sensitive_attributes": [] }],
            })
        };
        json!({
            "version": 4, "serial": 1, "lineage": stack,
            "resources": [
                resource("aws_sqs_queue", "q", &attributes),
                resource("aws_vpc", "v", &vpc),
            ],
        })
        .to_string()
    });
    // what the next apply will make of it, by the raw states and by the inventories
    for (stack, state) in ["a", "b"].iter().zip(&states) {
        world
            .workspace
            .write(&format!("{stack}/terraform.tfstate"), state);
    }
    let raw = world.run(&["check"]);
    assert!(raw.out.contains("After the next apply"), "{}", raw.out);
    for (stack, state) in ["a", "b"].iter().zip(&states) {
        world
            .workspace
            .remove(&format!("{stack}/terraform.tfstate"));
        assert_eq!(import_from_a_pipe(&world, stack, state).code, Some(0));
    }
    assert_eq!(world.run(&["check"]).out, raw.out);
    // a comment that goes is gone, though it was there when the state was cached
    for stack in ["a", "b"] {
        let text = queue.replace("ignore=true", "ignore=false");
        world.workspace.write(&format!("{stack}/main.tf"), text);
    }
    let without = world.run(&["check"]);
    assert!(without.out.contains("vpc/1"), "{}", without.out);
}
