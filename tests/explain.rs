//! `explain` as an operator meets it: the real binary, on the example and on workspaces of its own.

#[path = "support/example.rs"]
mod example;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use example::Example;
use gantrycd_ls::identity::{Address, IdentityRegistry, Key, Mode};
use gantrycd_ls::workspace::{Planned, RowRef, Snapshot, Workspace};
use serde_json::{Value, json};

const ID: &str = "gantrycd:resource-identity";
const REALM: &str = "gantrycd:resource-identity-realm";

/// Stands in every row that a test writes, in an attribute and in a tag.
const SECRET: &str = "not-a-real-secret";

#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(directory: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    command
        .current_dir(directory)
        .arg("explain")
        .args(arguments)
        .env("GANTRYCD_LS_NO_CACHE", "1");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let run = Run {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    for stream in [&run.out, &run.err] {
        assert!(!stream.contains(SECRET), "a secret of a state: {stream}");
        assert!(!stream.contains("panicked"), "{stream}");
        assert!(!stream.contains('\u{1b}'), "colours where no terminal is");
    }
    run
}

/// What is said of a subject, where something is found.
#[track_caller]
fn text(directory: &Path, arguments: &[&str]) -> String {
    let run = run(directory, arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{arguments:?}");
    run.out
}

#[track_caller]
fn document(directory: &Path, arguments: &[&str]) -> Value {
    let text = text(directory, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap()
}

/// Checks that an explanation has these lines.
#[track_caller]
fn tells(told: &str, lines: &[&str]) {
    for line in lines {
        assert!(told.lines().any(|it| it == *line), "{line}\n{told}");
    }
}

/// The only resource that a subject names.
#[track_caller]
fn one(directory: &Path, subject: &str) -> Value {
    let document = document(directory, &[subject]);
    let resources = document["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 1, "{subject}: {resources:#?}");
    resources[0].clone()
}

/// `STACK/ADDRESS` of each resource.
fn names(document: &Value) -> Vec<String> {
    let name = |it: &Value| {
        let word = |key: &str| it[key].as_str().unwrap().to_owned();
        format!("{}/{}", word("stack"), word("address"))
    };
    document["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(name)
        .collect()
}

/// `rule: identity` or `rule: reason` of the step that decides; no step behind it, and none before
/// it decides.
#[track_caller]
fn decided(resource: &Value) -> String {
    let steps = resource["recorded"]["steps"].as_array().unwrap();
    let (last, passed) = steps.split_last().unwrap();
    assert_eq!(last["outcome"], "decided");
    assert!(passed.iter().all(|it| it["outcome"] == "passed"));
    let told = match &last["no_identity"] {
        Value::Null => last["cloud_identity_id"].as_str().unwrap(),
        reason => reason["reason"].as_str().unwrap(),
    };
    format!("{}: {told}", last["rule"].as_str().unwrap())
}

/// A state with these rows, each an address and its attributes. `@provider`, `@deposed` and
/// `@sensitive` are of the row, not of its attributes.
fn state(rows: &[(&str, Value)]) -> String {
    let resources = rows.iter().map(|(address, attributes)| {
        let address = Address::parse(address).unwrap();
        let mut attributes = attributes.as_object().unwrap().clone();
        let mut taken = |key: &str| attributes.remove(key).unwrap_or(Value::Null);
        let [provider, deposed, sensitive] =
            ["@provider", "@deposed", "@sensitive"].map(&mut taken);
        let provider = provider
            .as_str()
            .unwrap_or("registry.terraform.io/hashicorp/aws");
        for tags in ["tags", "tags_all"] {
            if let Some(Value::Object(tags)) = attributes.get_mut(tags) {
                tags.insert("Secret".into(), json!(SECRET));
            }
        }
        attributes.insert("password".into(), json!(SECRET));
        attributes.insert("timeouts".into(), Value::Null);
        let mut instance = json!({ "attributes": attributes });
        match &address.key {
            Some(Key::Index(index)) => instance["index_key"] = json!(index),
            Some(Key::Name(name)) => instance["index_key"] = json!(**name),
            None => {}
        }
        if !deposed.is_null() {
            instance["deposed"] = deposed;
        }
        if !sensitive.is_null() {
            instance["sensitive_attributes"] = sensitive;
        }
        json!({
            "module": address.module.to_string(),
            "mode": address.mode.as_str(),
            "type": &*address.resource_type,
            "name": &*address.name,
            "provider": format!("provider[{provider:?}]"),
            "instances": [instance],
        })
    });
    let resources: Vec<_> = resources.collect();
    let lineage = format!("{:?}", rows.first().map(|it| it.0));
    json!({ "version": 4, "serial": 7, "lineage": lineage, "resources": resources }).to_string()
}

fn at_home(arguments: &[&str]) -> String {
    text(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

// ------------------------------------------------------------------------------------------------
// The trace and the decision

fn open(root: &Path) -> Snapshot {
    Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot()
}

/// The end of each row's trace is its claim, or what it is looked up by, and what its outlook says
/// is what was planned. Returns how many rows there were.
fn every_trace_ends_in_its_decision(snapshot: &Snapshot) -> usize {
    let mut rows = 0;
    for (stack, it) in snapshot.stacks.iter().enumerate() {
        for (row, decided) in it.rows.iter().enumerate() {
            let at = RowRef { stack, row };
            let outlook = snapshot.outlook(at);
            let planned = |it: &Planned| format!("{it:?}");
            let name = format!("{} of {}", snapshot.address(at), it.name);
            assert_eq!(
                planned(&outlook.planned),
                planned(&decided.planned),
                "{name}"
            );
            let Some(trace) = snapshot.trace(at) else {
                continue;
            };
            rows += 1;
            let expected = match (snapshot.address(at).mode, decided.looks_up.as_deref()) {
                (Mode::Data, Some(looked_up)) => Ok(looked_up),
                _ => decided.claim.as_ref(),
            };
            assert_eq!(
                format!("{:?}", trace.decision),
                format!("{expected:?}"),
                "{name}"
            );
            let last = trace.steps.last().unwrap();
            assert_eq!(
                format!("{:?}", last.decision),
                format!("{:?}", Some(trace.decision))
            );
        }
    }
    rows
}

#[test]
fn of_every_row_of_the_cases_the_trace_ends_in_the_decision() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut rows = 0;
    for kind in ["small", "real"] {
        for case in std::fs::read_dir(cases.join(kind)).unwrap() {
            rows += every_trace_ends_in_its_decision(&open(&case.unwrap().path()));
        }
    }
    rows += every_trace_ends_in_its_decision(&open(&example::original()));
    assert!(rows > 400, "only {rows} rows");
}

#[test]
fn of_every_row_of_these_tests_the_trace_ends_in_the_decision() {
    for workspace in [decisions(), plans(), shared()] {
        assert!(every_trace_ends_in_its_decision(&open(workspace.root())) > 0);
    }
}

// ------------------------------------------------------------------------------------------------
// The example

/// After a change that is meant, `GANTRYCD_REGENERATE=1 cargo test --test explain` writes the file
/// anew.
#[test]
fn an_operator_reads_the_example() {
    let mut told = String::new();
    for subject in [
        "aws_sqs_queue.orders",
        "arn:aws:s3:::example-shop-uploads-eu-west-1",
        "emulators/alice/aws_kms_alias.app",
        "live/legacy/main.tf:22",
        "live/web/data.tf:2:3",
    ] {
        told += &format!("$ gantrycd-ls explain {subject}\n\n");
        told += &at_home(&[subject, "tests/example"]);
        told += "\n";
    }
    // its state was written whenever somebody checked it out
    let lines = told.lines().map(|it| match it.split_once(", written ") {
        Some((before, _)) => before,
        None => it,
    });
    let told = lines.collect::<Vec<_>>().join("\n") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/example.explain.txt");
    if std::env::var_os("GANTRYCD_REGENERATE").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    for (told, expected) in told.lines().zip(expected.lines()) {
        assert_eq!(told, expected);
    }
    assert_eq!(told.len(), expected.len());
    let longest = told
        .lines()
        .filter(|it| !it.contains("arn:"))
        .map(|it| it.chars().count());
    assert!(longest.max() <= Some(96));
}

#[test]
fn a_program_reads_the_same() {
    let root = example::original();
    let queues = document(&root, &["aws_sqs_queue.orders"]);
    assert_eq!(
        (&queues["version"], &queues["asked"]),
        (&json!(1), &json!("address"))
    );
    assert_eq!(
        names(&queues),
        [
            "emulators/alice/aws_sqs_queue.orders",
            "emulators/bob/aws_sqs_queue.orders",
            "live/orders/aws_sqs_queue.orders"
        ]
    );
    let bob = &queues["resources"][1];
    assert_eq!(decided(bob), "realm: malformed-realm");
    assert_eq!(bob["no_identity"]["detail"], "it has the character `/`");
    let not_reached = json!(["declared-id", "foreign-arn", "other-catalog", "arn"]);
    assert_eq!(bob["recorded"]["not_reached"], not_reached);
    let heard = &bob["recorded"]["steps"][4]["consulted"];
    assert_eq!(heard[0]["absent"], "absent or null");
    let default = json!({
        "section": "tags_all",
        "key": REALM,
        "value": "localstack/bob",
        "absent": null,
        "counts": true,
        "source": null,
    });
    assert_eq!(heard[1], default);
    assert_eq!(bob["findings"][0]["code"], "malformed-realm");
    assert_eq!(bob["findings"][0]["path"], "emulators/bob/providers.tf");
    assert_eq!(bob["source"]["path"], "emulators/bob/main.tf");
    let state = &bob["state"];
    assert_eq!(
        (&state["path"], &state["serial"]),
        (&json!("emulators/bob/terraform.tfstate"), &json!(6))
    );
    assert!(state["modified"].as_u64().is_some());
    let only = document(&root, &["aws_sqs_queue.orders", "--stack", "live/orders"]);
    assert_eq!(names(&only), ["live/orders/aws_sqs_queue.orders"]);
    let again = document(&root, &["live/orders/aws_sqs_queue.orders"]);
    assert_eq!(only["resources"], again["resources"]);

    let reader = one(&root, "data.aws_acm_certificate.wildcard");
    let owner = json!([{ "stack": "live/account", "address": "aws_acm_certificate.wildcard" }]);
    assert_eq!(reader["owned_by"], owner);
    assert_eq!(reader["no_identity"]["reason"], "data-source");
    assert_eq!(
        reader["looks_up"]["cloud_identity_id"],
        reader["recorded"]["steps"][8]["cloud_identity_id"]
    );
    let owner = one(&root, "aws_acm_certificate.wildcard");
    let reader = json!([{ "stack": "live/web", "address": "data.aws_acm_certificate.wildcard" }]);
    assert_eq!(owner["read_by"], reader);
}

// ------------------------------------------------------------------------------------------------
// Every outcome

/// A stack with a row for every way in which a row is decided.
fn decisions() -> Example {
    let example = Example::empty();
    example.write("gantrycd.hcl", "");
    let role = "arn:aws:iam::111122223333:role/r";
    let tagged = |own: Value, all: Value| json!({ "arn": role, "tags": own, "tags_all": all });
    let sensitive = json!([
        [{ "type": "get_attr", "value": "tags" }, { "type": "index", "value": { "value": ID, "type": "string" } }],
        [{ "type": "get_attr", "value": "tags_all" }, { "type": "index", "value": { "value": ID, "type": "string" } }],
    ]);
    let mut hidden = tagged(json!({ ID: SECRET }), json!({ ID: SECRET }));
    hidden["@sensitive"] = sensitive;
    let mut unsupported = tagged(json!({ ID: "x" }), json!({ ID: "x" }));
    unsupported["@provider"] = json!("registry.example.com/hashicorp/aws");
    let mut deposed = tagged(json!({}), json!({}));
    deposed["@deposed"] = json!("abcd1234");
    let database = "arn:aws:glue:eu-west-1:111122223333:database/d";
    example.write(
        "a/terraform.tfstate",
        state(&[
            (
                "aws_iam_role.declared",
                tagged(json!({ ID: "r/1" }), json!({ ID: "r/1", REALM: "blue" })),
            ),
            (
                "aws_iam_role.by_tag",
                tagged(json!({ ID: "null" }), json!({ ID: "null" })),
            ),
            (
                "aws_iam_role.by_default",
                tagged(json!(null), json!({ ID: "" })),
            ),
            ("aws_iam_role.by_comment", tagged(json!({}), json!({}))),
            (
                "aws_iam_role.default_id",
                tagged(json!({}), json!({ ID: "all" })),
            ),
            (
                "aws_iam_role.bad_realm",
                tagged(json!({ REALM: "" }), json!({ REALM: "" })),
            ),
            ("aws_iam_role.hidden", hidden),
            (
                "aws_iam_role.discovered",
                tagged(json!({}), json!({ REALM: "blue" })),
            ),
            ("aws_iam_role.deposed", deposed),
            ("aws_iam_role.mirror", unsupported),
            (
                "aws_kms_alias.untaggable",
                json!({ "arn": "arn:aws:kms:eu-west-1:111122223333:alias/k" }),
            ),
            (
                "aws_cloudwatch_event_target.foreign",
                json!({ "arn": role }),
            ),
            (
                "aws_glue_catalog_database.elsewhere",
                json!({ "arn": database, "catalog_id": "444455556666" }),
            ),
            (
                "aws_iam_policy.published",
                json!({ "arn": "arn:aws:iam::aws:policy/ReadOnlyAccess" }),
            ),
            ("aws_iam_policy.without", json!({ "arn": "" })),
            (
                "data.aws_iam_role.read",
                json!({ "arn": role, "tags": { REALM: "green" } }),
            ),
        ]),
    );
    example.write(
        "a/main.tf",
        r#"provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "blue" }
  }
}

# team a
# gantrycd:resource-identity: ignore=true
resource "aws_iam_role" "by_comment" {}

resource "aws_kms_alias" "untaggable" {}

data "aws_iam_role" "read" {}
"#,
    );
    example
}

#[test]
fn every_outcome_names_the_rule_that_decides() {
    let example = decisions();
    let role = "arn:aws:iam::111122223333:role/r";
    for (address, expected) in [
        ("aws_iam_role.declared", "declared-id: r/1"),
        ("aws_iam_role.by_tag", "opt-out-tag: opted-out-by-tag"),
        ("aws_iam_role.by_default", "opt-out-tag: opted-out-by-tag"),
        ("aws_iam_role.by_comment", "comment: opted-out-by-comment"),
        (
            "aws_iam_role.default_id",
            "default-tags-id: identity-in-default-tags",
        ),
        ("aws_iam_role.bad_realm", "realm: malformed-realm"),
        ("aws_iam_role.hidden", "declared-id: (sensitive value)"),
        ("aws_iam_role.discovered", &format!("arn: {role}")),
        ("aws_iam_role.deposed", &format!("arn: {role}")),
        ("aws_iam_role.mirror", "provider: unsupported-provider"),
        (
            "aws_kms_alias.untaggable",
            "arn: arn:aws:kms:eu-west-1:111122223333:alias/k",
        ),
        (
            "aws_cloudwatch_event_target.foreign",
            "foreign-arn: foreign-arn",
        ),
        (
            "aws_glue_catalog_database.elsewhere",
            "other-catalog: other-catalog",
        ),
        ("aws_iam_policy.published", "arn: unanchored-arn"),
        ("aws_iam_policy.without", "arn: no-arn"),
        ("data.aws_iam_role.read", &format!("arn: {role}")),
    ] {
        assert_eq!(
            decided(&one(example.root(), address)),
            expected,
            "{address}"
        );
    }
}

#[test]
fn the_text_tells_the_operator_why() {
    let example = decisions();
    // every run of these tests is searched for it
    assert!(example.read("a/terraform.tfstate").contains(SECRET));
    for (address, lines) in [
        (
            "aws_iam_role.declared",
            &[
                "  identity   r/1",
                "  realm      blue",
                "         tags       gantrycd:resource-identity = \"r/1\"   <- counts",
                "         tags_all   gantrycd:resource-identity-realm = \"blue\"   <- counts",
                "       => it claims the id that its tag declares, in realm blue",
                "       not reached: foreign-arn, other-catalog, arn",
            ][..],
        ),
        (
            "aws_iam_role.by_comment",
            &[
                "  identity   none: an ignore comment opts this resource out",
                "  declared   a/main.tf:9:1",
                "         comment    gantrycd:resource-identity: ignore=true, a/main.tf:8:3",
                "       => no identity: an ignore comment opts this resource out (opted-out-by-comment)",
            ],
        ),
        (
            "aws_iam_role.hidden",
            &[
                "  identity   (sensitive value)",
                "         tags       gantrycd:resource-identity = \"(sensitive value)\"   <- counts",
            ],
        ),
        (
            "aws_iam_role.deposed",
            &["aws_iam_role.deposed (deposed abcd1234) of a"],
        ),
        (
            "aws_kms_alias.untaggable",
            &[
                "  realm      none",
                "                   the realm blue at a/main.tf:3:52 does not reach it",
                "    after apply    the same: its row has no tags_all, so no tag ever reaches it",
                "    information[declaration-does-not-reach] a/main.tf:11:1",
            ],
        ),
        (
            "aws_cloudwatch_event_target.foreign",
            &["    7  Is the arn of its type another object's?        yes"],
        ),
        (
            "aws_glue_catalog_database.elsewhere",
            &["         catalog_id 444455556666"],
        ),
        (
            "aws_iam_role.mirror",
            &[
                "  provider   registry.example.com/hashicorp/aws",
                "    1  Does gantrycd have rules for its provider?      no",
            ],
        ),
        (
            "data.aws_iam_role.read",
            &[
                "  reads      arn:aws:iam::111122223333:role/r",
                "       => its owner is looked up by this arn, in realm green",
                "    after apply    not known: a data source is read anew by every plan",
                "    owned by no stack of this workspace",
                "    the same id and type, but not in realm green: another object",
                "      aws_iam_role.discovered of a claims it in realm blue",
                "      aws_iam_role.deposed of a claims it in no realm",
            ],
        ),
    ] {
        tells(&text(example.root(), &[address]), lines);
    }
}

// ------------------------------------------------------------------------------------------------
// The next apply

fn plans() -> Example {
    let example = Example::empty();
    example.write("gantrycd.hcl", "");
    let vpc = |id: &str| format!("arn:aws:ec2:eu-west-1:111122223333:vpc/{id}");
    let bare = |arn: &str| json!({ "arn": arn, "tags": null, "tags_all": {} });
    example.write(
        "net/terraform.tfstate",
        state(&[
            ("aws_vpc.main", bare(&vpc("main"))),
            ("aws_vpc.old", bare(&vpc("old"))),
            ("aws_vpc.gone", bare(&vpc("gone"))),
            (r#"aws_vpc.each["a"]"#, bare(&vpc("a"))),
            (r#"aws_vpc.each["b"]"#, bare(&vpc("b"))),
            ("aws_vpc.unknown", bare(&vpc("unknown"))),
            ("aws_vpc.frozen", bare(&vpc("frozen"))),
        ]),
    );
    example.write(
        "net/main.tf",
        r#"variable "team" {}

locals {
  tags = { "gantrycd:resource-identity" = "net/main" }
}

resource "aws_vpc" "main" {
  tags = local.tags
}

resource "aws_vpc" "new" {}

moved {
  from = aws_vpc.old
  to   = aws_vpc.new
}

removed {
  from = aws_vpc.gone
  lifecycle {
    destroy = false
  }
}

resource "aws_vpc" "each" {
  for_each = toset(["a"])
  tags     = { "gantrycd:resource-identity-realm" = each.key }
}

resource "aws_vpc" "unknown" {
  tags = { "gantrycd:resource-identity-realm" = var.team, Name = aws_vpc.new.id }
}

resource "aws_vpc" "frozen" {
  tags = { "gantrycd:resource-identity-realm" = "ice" }
  lifecycle {
    ignore_changes = [tags]
  }
}

resource "aws_s3_bucket" "imported" {
  tags = { "gantrycd:resource-identity-realm" = "blue" }
}

import {
  to = aws_s3_bucket.imported
  id = "arn:aws:s3:::imported"
}

resource "aws_ecs_service" "never_applied" {}
"#,
    );
    example.write(
        "old/terraform.tfstate",
        state(&[
            ("aws_s3_bucket.b", json!({ "arn": "arn:aws:s3:::imported", "tags": { REALM: "blue" }, "tags_all": { REALM: "blue" } })),
            ("data.aws_vpc.main", json!({ "arn": vpc("main"), "tags": {} })),
        ]),
    );
    example
}

#[test]
fn what_the_next_apply_makes_of_it_and_by_what() {
    let example = plans();
    let planned = |address: &str| one(example.root(), address)["planned"].clone();
    let outcome = |it: &Value| {
        let word = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        let (outcome, why, id) = (word("outcome"), word("why"), word("cloud_identity_id"));
        format!("{outcome} {why} {id}")
    };
    let main = planned("aws_vpc.main");
    assert_eq!(outcome(&main), "changed configured net/main");
    let last = main["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["rule"], &last["cloud_identity_id"]),
        (&json!("declared-id"), &json!("net/main"))
    );
    for (address, expected) in [
        ("aws_vpc.gone", "gone removed "),
        (r#"aws_vpc.each["b"]"#, "gone counted-out "),
        ("aws_vpc.unknown", "same not-known "),
        ("aws_vpc.frozen", "same ignores-changes "),
        (
            "aws_s3_bucket.imported",
            "changed imported arn:aws:s3:::imported",
        ),
        ("data.aws_vpc.main", "same no-configuration "),
    ] {
        assert_eq!(outcome(&planned(address)), expected, "{address}");
    }
    let never = one(example.root(), "aws_ecs_service.never_applied");
    assert_eq!(
        (&never["planned"], &never["is_recorded"]),
        (&json!(null), &json!(false))
    );
    assert_eq!(never["configured"]["tags"][0]["says"], "absent");
}

#[test]
fn a_moved_row_is_found_by_both_addresses() {
    let example = plans();
    for address in ["aws_vpc.old", "aws_vpc.new"] {
        let row = one(example.root(), address);
        assert_eq!(
            (&row["address"], &row["planned"]["moved_to"]),
            (&json!("aws_vpc.old"), &json!("aws_vpc.new"))
        );
        assert_eq!(row["source"]["range"]["start"]["line"], 10);
    }
    let by_line = document(example.root(), &["net/main.tf:14"]);
    assert_eq!(names(&by_line), ["net/aws_vpc.old"]);
}

#[test]
fn what_the_tags_of_the_configuration_say_and_where_they_come_from() {
    let example = plans();
    for (address, lines) in [
        (
            "aws_vpc.main",
            &[
                "    tags           gantrycd:resource-identity = \"net/main\"   <- counts",
                "                   written at net/main.tf:4:44",
                "                   through local.tags at net/main.tf:8:10",
                "    default_tags   no gantrycd tag (its provider has no block)",
                "    after apply    net/main, the id that its tag declares",
                "    read by",
                "      data.aws_vpc.main of old",
            ][..],
        ),
        (
            "aws_vpc.unknown",
            &[
                "    tags           gantrycd:resource-identity-realm is not known",
                "                   var.team has no default, and no .tfvars file or gantrycd.hcl gives a value",
                "    after apply    taken to be the same: what its tags come to is not known here, so what the",
            ],
        ),
        (
            "aws_vpc.frozen",
            &[
                "    ignore_changes names its tags, or may (net/main.tf:37:22)",
                "    after apply    the same: ignore_changes keeps an edit of its tags from being applied",
            ],
        ),
        (
            "aws_s3_bucket.imported",
            &[
                "  identity   none yet: it is not in the state",
                "  state      net/terraform.tfstate has no row of it",
                "    after apply    arn:aws:s3:::imported in realm blue: an import block names its ARN",
                "    also claimed, after the next apply, by",
                "      aws_s3_bucket.b of old",
            ],
        ),
        (
            "aws_vpc.gone",
            &[
                "  declared   by the `removed` block at net/main.tf:18:1 alone",
                "    after apply    gone from the state: a removed block covers it",
            ],
        ),
    ] {
        tells(&text(example.root(), &[address]), lines);
        let another_tag = "aws_vpc.new.id";
        assert!(!text(example.root(), &[address]).contains(another_tag));
    }
}

// ------------------------------------------------------------------------------------------------
// Several rows

/// A module that two stacks use, one of them twice, and twelve instances of one block.
fn shared() -> Example {
    let example = Example::empty();
    example.write("gantrycd.hcl", "");
    example.write(
        "m/main.tf",
        "variable \"realm\" {}\n\nresource \"aws_s3_bucket\" \"b\" {\n  tags = { \"gantrycd:resource-identity-realm\" = var.realm }\n}\n",
    );
    example.write(
        "a/main.tf",
        "module \"m\" {\n  source   = \"../m\"\n  for_each = toset([\"x\", \"y\"])\n  realm    = each.key\n}\n\nresource \"aws_sqs_queue\" \"q\" {\n  count = 12\n}\n",
    );
    let bucket =
        |name: &str| json!({ "arn": format!("arn:aws:s3:::{name}"), "tags": {}, "tags_all": {} });
    let addresses: Vec<_> = (0..12).map(|it| format!("aws_sqs_queue.q[{it}]")).collect();
    let mut rows = vec![
        (r#"module.m["x"].aws_s3_bucket.b"#, bucket("x")),
        (r#"module.m["y"].aws_s3_bucket.b"#, bucket("y")),
    ];
    rows.extend(addresses.iter().map(|it| {
        (
            &**it,
            json!({ "arn": "arn:aws:sqs:eu-west-1:111122223333:q" }),
        )
    }));
    example.write("a/terraform.tfstate", state(&rows));
    example.write(
        "b/main.tf",
        "provider \"aws\" {}\n\nmodule \"m\" {\n  source = \"../m\"\n  realm  = \"z\"\n}\n",
    );
    example.write(
        "b/terraform.tfstate",
        state(&[("module.m.aws_s3_bucket.b", bucket("z"))]),
    );
    example.write(
        "c/main.tf",
        "provider \"aws\" {}\n\nmodule \"m\" {\n  source = \"../m\"\n  realm  = \"c\"\n}\n",
    );
    example
}

#[test]
fn an_address_without_its_key_stands_for_every_instance() {
    let example = shared();
    let all = document(example.root(), &["aws_sqs_queue.q"]);
    assert_eq!((names(&all).len(), &all["more"]), (10, &json!(2)));
    let told = text(example.root(), &["aws_sqs_queue.q"]);
    assert!(
        told.contains("\n  and 2 more: a key or --stack narrows it\n"),
        "{told}"
    );
    let one = document(example.root(), &["aws_sqs_queue.q[11]"]);
    assert_eq!(names(&one), ["a/aws_sqs_queue.q[11]"]);
    let modules = document(example.root(), &["module.m.aws_s3_bucket.b"]);
    let expected = [
        r#"a/module.m["x"].aws_s3_bucket.b"#,
        r#"a/module.m["y"].aws_s3_bucket.b"#,
        "b/module.m.aws_s3_bucket.b",
        // which no state has yet
        "c/module.m.aws_s3_bucket.b",
    ];
    assert_eq!(names(&modules), expected);
    assert_eq!(modules["resources"][3]["is_recorded"], false);
}

#[test]
fn a_line_of_a_module_stands_for_its_rows_in_every_stack() {
    let example = shared();
    let all = [
        r#"a/module.m["x"].aws_s3_bucket.b"#,
        r#"a/module.m["y"].aws_s3_bucket.b"#,
        "b/module.m.aws_s3_bucket.b",
        "c/module.m.aws_s3_bucket.b",
    ];
    let absolute = format!("{}:3:1", example.path("m/main.tf").display());
    for line in ["m/main.tf:4", "m/main.tf:5:1", &absolute] {
        assert_eq!(names(&document(example.root(), &[line])), all, "{line}");
    }
    // relative to the directory, and to the root all the same
    for line in ["main.tf:3", "../m/main.tf:3", "m/main.tf:3"] {
        assert_eq!(names(&document(&example.path("m"), &[line])), all, "{line}");
    }
    let of_stack = document(example.root(), &["m/main.tf:3", "--stack", "b"]);
    assert_eq!(names(&of_stack), all[2..3]);
    // a call stands for what it calls
    let called = document(example.root(), &["a/main.tf:2"]);
    assert_eq!(names(&called), all[..2]);
    let through = &called["resources"][0]["configured"]["tags"][1];
    let references: Vec<_> = through["through"].as_array().unwrap().iter().collect();
    assert_eq!(references[0]["reference"], "var.realm");
    assert_eq!(
        (&through["value"], &references[1]["path"]),
        (&json!("x"), &json!("a/main.tf"))
    );
}

#[test]
fn an_identity_stands_for_all_who_have_to_do_with_it() {
    let example = plans();
    let relations = |subject: &str| {
        let found = document(example.root(), &[subject]);
        assert_eq!(found["asked"], "identity");
        let all = found["resources"].as_array().unwrap().clone();
        let all = all
            .iter()
            .map(|it| it["relation"].as_str().unwrap().to_owned());
        names(&found)
            .into_iter()
            .zip(all)
            .map(|(a, b)| format!("{a} {b}"))
            .collect::<Vec<_>>()
    };
    let imported = [
        "old/aws_s3_bucket.b claims",
        "net/aws_s3_bucket.imported will-claim",
    ];
    assert_eq!(relations("arn:aws:s3:::imported"), imported);
    assert_eq!(relations("arn:aws:s3:::imported in realm blue"), imported);
    assert_eq!(relations("net/main"), ["net/aws_vpc.main will-claim"]);
    let main = ["net/aws_vpc.main claims", "old/data.aws_vpc.main reads"];
    assert_eq!(
        relations("arn:aws:ec2:eu-west-1:111122223333:vpc/main"),
        main
    );
    let decisions = decisions();
    let found = document(decisions.root(), &["arn:aws:iam::111122223333:role/r"]);
    let declared = found["resources"].as_array().unwrap().iter();
    let declared = declared.filter(|it| it["relation"] == "records").count();
    assert!(declared > 0, "rows with that arn and another identity");
    let told = text(decisions.root(), &["arn:aws:iam::111122223333:role/r"]);
    let lines =
        "\n  aws_iam_role.declared of a\n      records this arn: claims r/1 in realm blue\n";
    assert!(told.contains(lines), "{told}");
}

// ------------------------------------------------------------------------------------------------
// Nothing to explain

#[test]
fn what_is_not_found_is_told_with_what_is_nearest() {
    let example = shared();
    for (subject, expected) in [
        (
            "aws_s3_bucket.b",
            r#"aws_s3_bucket.b was not found; the nearest address is module.m["x"].aws_s3_bucket.b"#,
        ),
        (
            "aws_sqs_queue.p",
            "aws_sqs_queue.p was not found; the nearest address is aws_sqs_queue.q",
        ),
        (
            "a/aws_sqs_queue.qq",
            "a/aws_sqs_queue.qq was not found; the nearest address is a/aws_sqs_queue.q",
        ),
        (
            "module.m[x].aws_s3_bucket.b",
            r#"module.m[x].aws_s3_bucket.b was not found; the nearest address is module.m["x"].aws_s3_bucket.b"#,
        ),
        (
            "arn:aws:s3:::w",
            "arn:aws:s3:::w was not found; the nearest identity is arn:aws:s3:::x",
        ),
        (
            "something else entirely, of no use",
            "something else entirely, of no use was not found",
        ),
        (r"C:\x.tf:3", r"C:\x.tf is no file of this workspace"),
        (
            "m/nothing.tf:3:1",
            "m/nothing.tf is no file of this workspace",
        ),
        (
            "m/main.tf:1",
            "m/main.tf:1 is in a `variable` block; only resources can be explained",
        ),
        ("m/main.tf:2", "there is no block at m/main.tf:2"),
        ("m/main.tf:99", "m/main.tf has 6 lines"),
        ("m/main.tf:0", "lines and columns count from 1"),
        ("m/main.tf:3:0", "lines and columns count from 1"),
    ] {
        let found = run(example.root(), &[subject]);
        assert_eq!(found.code, Some(1), "{found:?}");
        let line = format!("{expected}\n");
        assert_eq!(
            (found.out.as_str(), found.err.as_str()),
            ("", line.as_str())
        );
        let found = run(example.root(), &[subject, "--format", "json"]);
        assert_eq!(found.code, Some(1));
        let document: Value = serde_json::from_str(&found.out).unwrap();
        assert_eq!(
            (&document["resources"], &document["not_found"]),
            (&json!([]), &json!(expected))
        );
    }
    let found = run(example.root(), &["aws_sqs_queue.q", "--stack", "aa"]);
    assert_eq!(found.code, Some(1));
    assert_eq!(found.err, "no stack is called aa; the nearest is a\n");
}

#[test]
fn what_cannot_run_says_so() {
    let example = shared();
    let gone = run(example.root(), &["aws_sqs_queue.q", "no/such/place"]);
    assert_eq!((gone.code, gone.out.as_str()), (Some(2), ""));
    assert_eq!(
        gone.err,
        "error: no/such/place: No such file or directory (os error 2)\n"
    );
    assert_eq!(run(example.root(), &[]).code, Some(2), "no subject");
}

#[test]
fn of_what_no_state_has_the_configuration_is_told() {
    let example = Example::empty();
    example.write(
        "a/main.tf",
        r#"terraform {
  backend "s3" {}
}

variable "tags" {}

provider "aws" {
  alias = "x"
  default_tags {
    tags = var.tags
  }
}

resource "aws_sqs_queue" "of_nobody" {
  provider = aws.nowhere
}

resource "aws_sqs_queue" "x" {
  provider = aws.x
}

# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "ignored" {}

resource "google_x" "x" {}
"#,
    );
    let not_known = "    default_tags   not known: there may be gantrycd tags, or none";
    for (address, lines) in [
        (
            "aws_sqs_queue.of_nobody",
            &[
                "  identity   none yet: it is not in the state",
                "  state      none of this stack is cached",
                not_known,
                "                   of a provider block that cannot be told",
                "    after apply    not known before it is there",
            ][..],
        ),
        (
            "aws_sqs_queue.x",
            &[
                not_known,
                "                   var.tags has no default, and no .tfvars file or gantrycd.hcl gives a value",
                "                   of provider \"aws\" at a/main.tf:7:1",
            ],
        ),
        (
            "aws_sqs_queue.ignored",
            &["  identity   none: an ignore comment opts this resource out"],
        ),
        (
            "google_x.x",
            &["  identity   none: gantrycd has no identity rule for this provider source"],
        ),
    ] {
        tells(&text(example.root(), &[address]), lines);
    }
}

#[test]
fn a_state_that_cannot_be_read_is_told() {
    let example = shared();
    example.write("b/terraform.tfstate", "{ \"version\": 4,");
    let told = run(example.root(), &["b/module.m.aws_s3_bucket.b"]);
    let problem = "truncated: the file ends before its JSON does";
    assert_eq!(told.code, Some(0));
    assert_eq!(
        told.err,
        format!("warning: b/terraform.tfstate: {problem}\n")
    );
    let line = format!("  state      b/terraform.tfstate is not read: {problem}");
    tells(&told.out, &[&line]);
}

#[test]
fn a_value_cannot_speak_to_the_terminal() {
    let example = Example::empty();
    let id = "x\u{1b}[31mred\nline";
    let tags = json!({ ID: id });
    example.write(
        "terraform.tfstate",
        state(&[(
            "aws_vpc.v",
            json!({ "arn": "a\u{7}", "tags": tags, "tags_all": tags }),
        )]),
    );
    let told = text(example.root(), &["aws_vpc.v"]);
    assert!(
        told.contains(r"  identity   x\u{1b}[31mred\nline"),
        "{told}"
    );
    let told = text(example.root(), &[id]);
    assert!(told.contains("aws_vpc.v of ."), "{told}");
}

#[cfg(unix)]
#[test]
fn a_name_of_a_directory_cannot_either() {
    let example = Example::empty();
    let vpc = ("aws_vpc.v", json!({ "arn": "arn:aws:s3:::x" }));
    for stack in ["a\u{1b}[31m", "b\u{1b}[31m"] {
        example.write(
            &format!("{stack}/terraform.tfstate"),
            state(std::slice::from_ref(&vpc)),
        );
    }
    let told = text(example.root(), &["aws_vpc.v"]);
    assert!(told.contains(r"aws_vpc.v of a\u{1b}[31m"), "{told}");
    assert!(told.contains(r"b\u{1b}[31m/terraform.tfstate"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
}
