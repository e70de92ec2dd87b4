//! With the real `terraform`: a `local` backend with a path, several workspaces, and an `http` backend
//! with locking and basic authentication.

use std::fs;
use std::path::Path;

use crate::example::Example;
use crate::states::{SECRET, StateServer, bucket};
use crate::terraform::{self, is_here};
use crate::{Run, finished, scan};

const DATA: &str = "resource \"terraform_data\" \"d\" {\n  input = 1\n}\n";
const BUCKET: &str = "resource \"aws_s3_bucket\" \"b\" {}\n";

/// Runs the binary in a workspace, as somebody who may ask the server.
fn run(world: &Example, arguments: &[&str]) -> Run {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    command
        .current_dir(world.root())
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .env("GANTRYCD_LS_NO_CACHE", "1")
        .env_remove("TF_WORKSPACE")
        .envs(StateServer::credentials());
    finished(&mut command)
}

fn terraform(directory: &Path, arguments: &[&str]) {
    terraform::run_with(directory, arguments, &StateServer::credentials());
}

/// Initialises a stack, and pushes a state that nobody has applied.
fn push(world: &Example, stack: &str, state: &serde_json::Value) {
    let directory = world.path(stack);
    if !directory.join(".terraform").exists() {
        terraform(&directory, &["init", "-input=false"]);
    }
    let file = Example::empty();
    file.write("state.json", state.to_string());
    let path = file.path("state.json");
    terraform(&directory, &["state", "push", path.to_str().unwrap()]);
}

#[test]
fn a_local_backend_with_a_path_and_several_workspaces() {
    if !is_here() {
        return;
    }
    let world = Example::empty();
    world.write("gantrycd.hcl", "");
    let backend = "terraform {\n  backend \"local\" {\n    path = \"../deep/x.state\"\n  }\n}\n";
    world.write("named/main.tf", format!("{backend}{DATA}"));
    world.write(
        "spaces/main.tf",
        format!("terraform {{\n  backend \"local\" {{}}\n}}\n{DATA}"),
    );
    for stack in ["named", "spaces"] {
        let apply = ["apply", "-auto-approve", "-input=false"];
        terraform(&world.path(stack), &["init", "-input=false"]);
        terraform(&world.path(stack), &apply);
    }
    for workspace in ["dev", "prod"] {
        let directory = world.path("spaces");
        terraform(&directory, &["workspace", "new", workspace]);
        terraform(&directory, &["apply", "-auto-approve", "-input=false"]);
    }
    let uninitialised = format!("terraform {{\n  backend \"local\" {{}}\n}}\n{BUCKET}");
    world.write("new/main.tf", uninitialised);

    // `prod` is what is selected: the default workspace is asked for all the same
    let refreshed = run(&world, &["refresh", "named", "spaces", "new"]);
    assert_eq!(refreshed.code, Some(1));
    let told = refreshed.told();
    assert_eq!(told[0], "named: 1 row, serial 1");
    assert_eq!(told[2], "spaces: 1 row, serial 1");
    assert!(
        told[1].starts_with(
            "new: not initialised: run `terraform init` in new: Error: Backend initialization \
             required, please run \"terraform init\""
        ),
        "{told:#?}"
    );
    let all = run(&world, &["refresh", "spaces", "--all-workspaces"]);
    let rows = |name: &str| format!("{name}: 1 row, serial 1");
    assert_eq!(
        all.told(),
        [rows("spaces"), rows("spaces@dev"), rows("spaces@prod")]
    );
    let lineage = |name: &str| {
        let inventory = fs::read(world.path(&format!(".gantrycd/state/{name}.json"))).unwrap();
        let inventory: serde_json::Value = serde_json::from_slice(&inventory).unwrap();
        assert_eq!(inventory["name"], *name);
        assert_eq!(inventory["resources"][0]["address"], "terraform_data.d");
        inventory["state"]["lineage"].as_str().unwrap().to_owned()
    };
    let lineages = ["spaces", "spaces@dev", "spaces@prod"].map(lineage);
    assert!(lineages[0] != lineages[1] && lineages[1] != lineages[2]);
    let gone = run(&world, &["refresh", "spaces@nope"]);
    assert_eq!(
        gone.told(),
        ["spaces@nope: there is no workspace nope in spaces: it has default, dev, prod"]
    );
    assert!(!world.path("spaces/terraform.tfstate.d/nope").exists());
}

#[test]
fn an_http_backend_with_locking_and_authentication() {
    if !is_here() {
        return;
    }
    let (world, server) = (Example::empty(), StateServer::start());
    world.write("gantrycd.hcl", "");
    for stack in ["a", "b", "applied", "empty"] {
        let own = if stack == "applied" { DATA } else { "" };
        world.write(&format!("{stack}/main.tf"), server.backend(stack) + own);
    }
    for stack in ["a", "b"] {
        push(&world, stack, &bucket("arn:aws:s3:::shared", 4));
        // its provider is not installed: to ask for a state needs none
        world.write(&format!("{stack}/main.tf"), server.backend(stack) + BUCKET);
    }
    for stack in ["applied", "empty"] {
        terraform(&world.path(stack), &["init", "-input=false"]);
    }
    let apply = ["apply", "-auto-approve", "-input=false"];
    terraform(&world.path("applied"), &apply);
    server.asked();

    // whoever applies does not keep others from reading
    server.lock("b");
    let refreshed = run(&world, &["refresh", "--all", "--all-workspaces"]);
    assert_eq!(
        refreshed.told(),
        [
            "a: 2 rows, serial 1",
            "applied: 1 row, serial 1",
            "b: 2 rows, serial 1",
            "empty: no state yet"
        ]
    );
    assert_eq!(
        refreshed.out,
        "3 of 4 stacks refreshed, 1 without a state yet\n"
    );
    let asked = server.asked();
    assert!(asked.len() >= 4);
    assert!(asked.iter().all(|it| it.starts_with("GET ")), "{asked:?}");

    let checked = run(&world, &["check"]);
    let duplicate = "aws_s3_bucket.b manages the same object as aws_s3_bucket.b of b (b/main.tf): \
                     arn:aws:s3:::shared";
    assert!(checked.out.contains(duplicate), "{}", checked.out);
    let status = run(&world, &["status"]);
    let line = "a: .gantrycd/state/a.json, serial 1, cached less than a minute ago";
    assert!(status.out.lines().any(|it| it == line), "{}", status.out);
    assert!(scan(world.root()) > 8);

    // somebody else's password
    let mut other = std::process::Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    other.current_dir(world.root()).args(["refresh", "a"]);
    other
        .env("TF_HTTP_USERNAME", "user")
        .env("TF_HTTP_PASSWORD", format!("{SECRET}-wrong"));
    let refused = finished(&mut other);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.told()[0].starts_with("a: no credentials: "),
        "{refused:?}"
    );
    let out = "0 of 1 stack refreshed, 1 failed (1 no credentials)\n";
    assert_eq!(refused.out, out);
}
