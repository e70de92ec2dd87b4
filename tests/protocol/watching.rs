//! Changes on the disk, seen by the server or told by its client.

use std::fs;

use serde_json::json;

use crate::client::{Client, uri};
use crate::example::Example;
use crate::{FOUND, WRONG, modern, watching, wrong};

/// A text that is not read.
const UTF_16: &[u8] = b"\xff\xfea\0";

/// Whether the client tells of what it is told to watch.
const EITHER: [bool; 2] = [true, false];

fn start(example: &Example, tells: bool) -> Client {
    let capabilities = if tells { watching() } else { modern() };
    let mut client = Client::start(example.root(), capabilities);
    if tells {
        client.serve("client/registerCapability");
    }
    client
}

/// Has a client that tells of files tell of these.
fn tell(client: &mut Client, example: &Example, tells: bool, files: &[&str]) {
    if !tells {
        return;
    }
    let change = |it: &&str| json!({ "uri": uri(&example.path(it)), "type": 1 });
    let changes: Vec<_> = files.iter().map(change).collect();
    let params = json!({ "changes": changes });
    client.notify("workspace/didChangeWatchedFiles", params);
}

#[test]
fn the_client_is_asked_to_watch_files_and_directories() {
    let example = Example::empty();
    let mut client = Client::start(example.root(), watching());
    let asked = client.serve("client/registerCapability");
    let watchers = &asked["registrations"][0]["registerOptions"]["watchers"];
    let files = "**/*.{tf,tofu,tfvars,tfstate,json,hcl}";
    let expected = json!([{ "globPattern": files }, { "globPattern": "**/*", "kind": 5 }]);
    assert_eq!(*watchers, expected);
    client.finish();
}

/// What no finding tells of is logged, and once.
#[test]
fn what_is_not_read_is_told_once() {
    for tells in EITHER {
        let example = wrong("main.tf");
        example.write("other.tf", UTF_16);
        let mut client = start(&example, tells);
        let other = "other.tf: the file is UTF-16; save it as UTF-8";
        assert_eq!(client.logged(), other);
        assert_eq!(client.pushed("main.tf").to_string(), FOUND);
        // what was told of is not told again
        example.write("third.tf", UTF_16);
        tell(&mut client, &example, tells, &["third.tf"]);
        assert_eq!(client.logged(), other.replace("other", "third"));
        client.finish();
    }
}

#[test]
fn a_directory_is_renamed_and_removed() {
    for tells in EITHER {
        let example = wrong("a/b/main.tf");
        let mut client = start(&example, tells);
        assert_eq!(client.pushed("a/b/main.tf").to_string(), FOUND);
        // clients tell of the directory, not of what is in it
        fs::rename(example.path("a"), example.path("c")).unwrap();
        tell(&mut client, &example, tells, &["a", "c"]);
        assert_eq!(client.pushed("a/b/main.tf").to_string(), "");
        assert_eq!(client.pushed("c/b/main.tf").to_string(), FOUND);
        fs::remove_dir_all(example.path("c")).unwrap();
        tell(&mut client, &example, tells, &["c"]);
        assert_eq!(client.pushed("c/b/main.tf").to_string(), "");
        client.finish();
    }
}

#[test]
fn a_directory_that_was_replaced_is_still_watched() {
    let example = wrong("a/main.tf");
    let mut client = start(&example, false);
    client.pushed("a/main.tf");
    for text in [format!("\n{WRONG}"), WRONG.to_owned()] {
        // another directory of the same name, with the same file in it
        let old = example.read("a/main.tf");
        example.write("new/main.tf", &old);
        fs::rename(example.path("a"), example.path("old")).unwrap();
        fs::rename(example.path("new"), example.path("a")).unwrap();
        fs::remove_dir_all(example.path("old")).unwrap();
        // it is seen before anything of it changes
        example.write("b.tf", WRONG);
        while client.pushed("b.tf").to_string() != FOUND {}
        example.remove("b.tf");
        while !client.pushed("b.tf").to_string().is_empty() {}
        example.write("a/main.tf", &text);
        // for a moment there was no such directory, and that may have been told
        let is_of = |pushed: &str| match text == WRONG {
            true => pushed == FOUND,
            false => pushed.contains(" 1:2-1:41"),
        };
        while !is_of(&client.pushed("a/main.tf").to_string()) {}
    }
    client.finish();
}

#[test]
fn thousands_of_files_change_at_once() {
    const FILES: usize = 1_500;
    for tells in EITHER {
        let example = wrong("main.tf");
        let mut client = start(&example, tells);
        assert_eq!(client.pushed("main.tf").to_string(), FOUND);
        let files: Vec<_> = (0..FILES)
            .map(|it| format!("d{}/f{it}.tf", it / 50))
            .collect();
        for file in &files {
            example.write(file, "locals {}\n");
        }
        let last = &files[FILES - 1];
        example.write(last, WRONG);
        let names: Vec<_> = files.iter().map(|it| &**it).collect();
        tell(&mut client, &example, tells, &names);
        assert_eq!(client.pushed(last).to_string(), FOUND);
        for directory in 0..FILES / 50 {
            fs::remove_dir_all(example.path(&format!("d{directory}"))).unwrap();
        }
        tell(&mut client, &example, tells, &names);
        assert_eq!(client.pushed(last).to_string(), "");
        client.finish();
    }
}

/// A state with one bucket.
fn state(bucket: &str) -> String {
    let instance = json!({ "schema_version": 0, "attributes": {
        "arn": format!("arn:aws:s3:::{bucket}"), "id": bucket, "bucket": bucket,
    } });
    let resource = json!({
        "mode": "managed", "type": "aws_s3_bucket", "name": "x",
        "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
        "instances": [instance],
    });
    json!({ "version": 4, "serial": 1, "lineage": "l", "resources": [resource] }).to_string()
}

const BUCKET: &str = "resource \"aws_s3_bucket\" \"x\" {}\n";

#[test]
fn a_state_outside_of_the_folders_is_watched_whoever_watches_them() {
    for tells in EITHER {
        let (example, elsewhere) = (Example::empty(), Example::empty());
        let path = elsewhere.path("a.state").to_str().unwrap().to_owned();
        let backend =
            format!("terraform {{\n  backend \"local\" {{\n    path = \"{path}\"\n  }}\n}}\n");
        example.write("a/main.tf", format!("{BUCKET}{backend}"));
        example.write("b/main.tf", BUCKET);
        elsewhere.write("a.state", state("one"));
        example.write("b/terraform.tfstate", state("two"));
        let mut client = start(&example, tells);
        // it is read when this is answered
        client.hover("b/main.tf", 0, 3);
        elsewhere.replace("a.state", state("two"));
        for file in ["a/main.tf", "b/main.tf"] {
            let pushed = client.pushed(file).to_string();
            assert_eq!(pushed, "  error duplicate-identity 0:0-0:28\n");
        }
        client.finish();
    }
}

#[test]
fn a_state_becomes_garbage_and_is_itself_again() {
    for tells in EITHER {
        let example = Example::empty();
        for stack in ["a", "b"] {
            example.write(&format!("{stack}/main.tf"), BUCKET);
            example.write(&format!("{stack}/terraform.tfstate"), state("one"));
        }
        let mut client = start(&example, tells);
        let duplicate = "  error duplicate-identity 0:0-0:28\n";
        for file in ["a/main.tf", "b/main.tf"] {
            assert_eq!(client.pushed(file).to_string(), duplicate);
        }
        let garbage: [&[u8]; 4] = [b"\x00\x01\x02", b"\xff\xfe{", b"{\"version\":", b"[[[["];
        for garbage in garbage {
            example.replace("a/terraform.tfstate", garbage);
            tell(&mut client, &example, tells, &["a/terraform.tfstate"]);
            // the rows stay, and so does what is wrong with them
            let pushed = client.pushed("a/main.tf").to_string();
            let unreadable = "  warning unreadable-state 0:0-0:31\n";
            assert_eq!(pushed, [duplicate, unreadable].concat());
            example.replace("a/terraform.tfstate", state("one"));
            tell(&mut client, &example, tells, &["a/terraform.tfstate"]);
            assert_eq!(client.pushed("a/main.tf").to_string(), duplicate);
        }
        client.finish();
    }
}
