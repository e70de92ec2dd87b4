//! What `graph` draws, of what, and what it exits with.

use super::example::Example;
use super::{at_home, json, run};
use serde_json::Value;

fn graph(arguments: &[&str]) -> super::Run {
    at_home(&[&["graph", "tests/example"], arguments].concat())
}

fn names(document: &Value) -> Vec<&str> {
    let stacks = document["stacks"].as_array().unwrap().iter();
    stacks.map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn the_example_in_each_format() {
    let begins = [
        ("html", "<!DOCTYPE html>\n"),
        ("svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" "),
        ("dot", "digraph stacks {\n"),
        ("mermaid", "flowchart RL\n"),
        ("json", "{\n  \"version\": 1,\n"),
    ];
    for (format, begin) in begins {
        let drawn = graph(&["--format", format]);
        assert_eq!((drawn.code, drawn.err.as_str()), (Some(0), ""));
        assert!(drawn.out.starts_with(begin), "{}", drawn.out);
        assert!(drawn.out.ends_with('\n'), "{format}");
        assert_eq!(
            drawn.out,
            graph(&["--format", format]).out,
            "another time, another text"
        );
    }
    let without = graph(&[]);
    assert_eq!(without.code, Some(2));
    assert!(without.err.contains("--format"), "{}", without.err);
}

#[test]
fn a_program_reads_who_reads_from_whom() {
    let document = json(&graph(&["--format", "json"]));
    let all = [
        "emulators/alice",
        "emulators/bob",
        "live/account",
        "live/legacy",
        "live/orders",
        "live/web",
    ];
    assert_eq!(names(&document), all);
    let lines = document["dependencies"].as_array().unwrap().iter();
    let lines: Vec<_> = lines
        .map(|it| {
            let objects = it["objects"].as_array().unwrap().len();
            format!(
                "{} {} {objects}",
                it["reader"].as_str().unwrap(),
                it["owner"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(lines, ["live/orders live/web 1", "live/web live/account 3"]);
    assert_eq!(
        document["duplicate_lines"][1]["stacks"],
        serde_json::json!(["live/account", "live/legacy"])
    );
    let at = document["duplicate_lines"][1]["duplicates"][0]
        .as_u64()
        .unwrap() as usize;
    assert_eq!(
        document["duplicates"][at]["cloud_identity_id"],
        "arn:aws:s3:::example-shop-uploads-eu-west-1"
    );
    assert_eq!(document["left_out"], 0);
    // the same edges as those of `export`
    let exported = json(&at_home(&["export", "tests/example", "--format", "json"]));
    assert_eq!(exported["dependencies"].as_array().unwrap().len(), 4);
}

#[test]
fn some_stacks_and_what_is_near_them() {
    let of = |arguments: &[&str]| {
        let document = json(&graph(&[&["--format", "json"], arguments].concat()));
        (
            names(&document).join(" "),
            document["left_out"].as_u64().unwrap(),
        )
    };
    assert_eq!(
        of(&["--stack", "live/web"]),
        ("live/account live/orders live/web".into(), 3)
    );
    assert_eq!(
        of(&["--stack", "live/web", "--depth", "0"]),
        ("live/web".into(), 5)
    );
    let far = ["--stack", "live/orders", "--depth", "3"];
    assert_eq!(
        of(&far),
        ("live/account live/legacy live/orders live/web".into(), 2)
    );
    let two = [
        "--stack",
        "emulators/*",
        "--stack",
        "live/orders",
        "--depth",
        "0",
    ];
    assert_eq!(
        of(&two),
        ("emulators/alice emulators/bob live/orders".into(), 3)
    );
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let nobody = graph(&["--format", "dot", "--stack", "live/nobody"]);
    assert_eq!((nobody.code, nobody.out.as_str()), (Some(1), ""));
    assert_eq!(nobody.err, "no stack is called live/nobody\n");
    let nothing = graph(&["--format", "dot", "--realm", "localstack-eve"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(1), ""));
    assert_eq!(nothing.err, "nothing is in a realm \"localstack-eve\"\n");
    let no_glob = graph(&["--format", "dot", "--stack", "live/[a"]);
    assert_eq!((no_glob.code, no_glob.out.as_str()), (Some(2), ""));
    assert!(
        no_glob.err.starts_with("error: live/[a is no glob: "),
        "{}",
        no_glob.err
    );
    let no_stack = graph(&["--format", "dot", "--depth", "2"]);
    assert_eq!(no_stack.code, Some(2));
    assert!(no_stack.err.contains("--stack <GLOB>"), "{}", no_stack.err);
    let links = "https://forge.example/{realtive}#L{line}";
    let no_name = graph(&["--format", "html", "--links", links]);
    assert_eq!((no_name.code, no_name.out.as_str()), (Some(2), ""));
    let told = "there is no {realtive}, only {path}, {relative}, {line} and {column}";
    assert!(no_name.err.contains(told), "{}", no_name.err);
    let nothing = Example::empty();
    let nothing = run(nothing.root(), &["graph", "--format", "dot"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(2), ""));
}

#[test]
fn it_is_written_to_a_file() {
    let example = Example::copy();
    let printed = run(example.root(), &["graph", "--format", "svg"]);
    let written = run(
        example.root(),
        &["graph", "--format", "svg", "-o", "graph.svg"],
    );
    assert_eq!(
        (written.code, written.out.as_str(), written.err.as_str()),
        (Some(0), "", "")
    );
    assert_eq!(example.read("graph.svg"), printed.out);
    let nowhere = ["graph", "--format", "svg", "--output", "missing/graph.svg"];
    let nowhere = run(example.root(), &nowhere);
    assert_eq!(nowhere.code, Some(2));
    assert!(
        nowhere.err.starts_with("error: missing/graph.svg: "),
        "{}",
        nowhere.err
    );
}

#[test]
fn a_state_that_was_not_read_is_told_beside_the_graph() {
    let example = Example::copy();
    example.write("live/web/terraform.tfstate", "{");
    let drawn = run(example.root(), &["graph", "--format", "json"]);
    assert_eq!(drawn.code, Some(0));
    assert!(
        drawn
            .err
            .starts_with("warning: live/web/terraform.tfstate: "),
        "{}",
        drawn.err
    );
    let document = json(&drawn);
    let web = &document["stacks"][5];
    assert_eq!(web["name"], "live/web");
    assert_eq!(web["unreadable"][0]["path"], "live/web/terraform.tfstate");
    assert!(web["state"].is_null());
}
