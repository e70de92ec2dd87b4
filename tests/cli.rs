//! The command line as a person or a pipeline meets it: the real binary, its two streams and its
//! exit code.

#[path = "cli/cache.rs"]
mod cache;
#[path = "support/example.rs"]
mod example;
#[path = "cli/fix.rs"]
mod fix;
#[path = "cli/flags.rs"]
mod flags;
#[path = "cli/formats.rs"]
mod formats;
#[path = "cli/graph.rs"]
mod graph;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use example::Example;
use serde_json::{Value, json};

/// What one run of the binary came to.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

fn binary(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    command.current_dir(directory).args(arguments);
    command.stdin(Stdio::null());
    command.env("GANTRYCD_LS_NO_CACHE", "1");
    command
}

fn run(directory: &Path, arguments: &[&str]) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = binary(directory, arguments).output().unwrap();
    let run = Run {
        code: status.code(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    };
    for stream in [&run.out, &run.err] {
        assert!(!stream.contains("not-a-real-secret"), "a secret of a state");
        assert!(!stream.contains("panicked"), "{stream}");
    }
    run
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{why}: {run:?}"))
}

fn at_home(arguments: &[&str]) -> Run {
    run(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

// ------------------------------------------------------------------------------------------------
// The example

/// After a change that is meant, `GANTRYCD_REGENERATE=1 cargo test --test cli` writes the file anew.
#[test]
fn a_person_reads_the_findings_with_the_source_under_them() {
    let checked = at_home(&["check", "tests/example"]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(1), ""));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/example.check.txt");
    if std::env::var_os("GANTRYCD_REGENERATE").is_some() {
        std::fs::write(&path, &checked.out).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    assert_eq!(checked.out, expected);
}

#[test]
fn a_program_reads_the_findings_as_json() {
    let checked = at_home(&["check", "tests/example", "--format", "json"]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(1), ""));
    let report = json(&checked);
    assert_eq!(report["version"], 1);
    let summary = json!({ "stacks": 6, "files": 40, "rows": 59, "errors": 5, "warnings": 0 });
    assert_eq!(report["summary"], summary);
    let findings = report["findings"].as_array().unwrap();
    let lines: Vec<_> = findings.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "information declaration-does-not-reach emulators/alice/main.tf 5:0-5:30",
            "error duplicate-identity emulators/alice/main.tf 5:0-5:30",
            "information declaration-does-not-reach emulators/alice/workers.tf 6:0-6:42",
            "error duplicate-identity emulators/bob/main.tf 5:0-5:30",
            "error malformed-realm emulators/bob/providers.tf 21:44-21:58",
            "error duplicate-identity live/account/storage.tf 1:0-1:34",
            "error duplicate-identity live/legacy/main.tf 3:0-3:43",
        ]
    );
    let uploads = &findings[5];
    assert_eq!(uploads["stack"], "live/account");
    assert_eq!(uploads["address"], "aws_s3_bucket.uploads");
    assert_eq!(uploads["related"][0]["path"], "live/legacy/main.tf");
    let fix = &uploads["fixes"][0];
    assert_eq!(fix["title"], "Ignore aws_s3_bucket.uploads in gantrycd");
    let edit = &fix["edits"][0];
    assert_eq!(edit["path"], "live/account/storage.tf");
    // above the comment that stands there
    assert_eq!(edit["range"]["start"], json!({ "line": 0, "character": 0 }));
    assert_eq!(edit["range"]["end"], edit["range"]["start"]);
    let comment = "# gantrycd:resource-identity: ignore=true\n";
    assert_eq!(edit["new_text"], comment);
}

fn line(finding: &Value) -> String {
    let word = |key: &str| finding[key].as_str().unwrap().to_owned();
    let at = |end: &str| {
        let at = &finding["range"][end];
        format!("{}:{}", at["line"], at["character"])
    };
    let (severity, code, path) = (word("severity"), word("code"), word("path"));
    format!("{severity} {code} {path} {}-{}", at("start"), at("end"))
}

#[test]
fn an_export_has_the_identities_duplicates_and_dependencies() {
    let exported = at_home(&["export", "tests/example", "--format", "json"]);
    assert_eq!((exported.code, exported.err.as_str()), (Some(0), ""));
    let export = json(&exported);
    assert_eq!(export["version"], 1);
    let stacks = export["stacks"].as_array().unwrap();
    let names: Vec<_> = stacks
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "emulators/alice",
            "emulators/bob",
            "live/account",
            "live/legacy",
            "live/orders",
            "live/web",
        ]
    );
    let row = |stack: usize, address: &str| {
        let rows = stacks[stack]["resources"].as_array().unwrap();
        let row = rows.iter().find(|it| it["address"] == address);
        row.unwrap_or_else(|| panic!("{address} is not exported"))
    };
    let id = "arn:aws:acm:eu-west-1:111122223333:certificate/06298432-e806-4b29-a222-3bcc23aa9504";
    let certificate = row(2, "aws_acm_certificate.wildcard");
    assert_eq!(certificate["cloud_identity_id"], id);
    assert_eq!(certificate["cloud_identity_realm"], json!(null));
    assert_eq!(certificate["source"]["path"], "live/account/dns.tf");
    let reader = row(5, "data.aws_acm_certificate.wildcard");
    assert_eq!(reader["cloud_identity_id"], json!(null));
    assert_eq!(reader["no_identity"]["reason"], "data-source");
    assert_eq!(reader["looks_up"]["cloud_identity_id"], id);
    let queue = row(0, "aws_sqs_queue.orders");
    assert_eq!(queue["cloud_identity_realm"], "localstack-alice");
    let queue = row(1, "aws_sqs_queue.orders");
    assert_eq!(queue["no_identity"]["reason"], "malformed-realm");
    let ignored = row(3, "aws_cloudwatch_log_group.audit");
    assert_eq!(ignored["no_identity"]["reason"], "opted-out-by-comment");

    let ids = |of: &str| {
        let of = export[of].as_array().unwrap();
        let ids = of
            .iter()
            .map(|it| it["cloud_identity_id"].as_str().unwrap());
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    let duplicates = [
        "arn:aws:kms:eu-west-1:000000000000:alias/app",
        "arn:aws:s3:::example-shop-uploads-eu-west-1",
    ];
    assert_eq!(ids("duplicates"), duplicates);
    let dependency = json!({
        "reader": { "stack": "live/web", "address": "data.aws_acm_certificate.wildcard" },
        "owner": { "stack": "live/account", "address": "aws_acm_certificate.wildcard" },
        "cloud_identity_id": id,
        "cloud_identity_realm": null,
        "type": "aws_acm_certificate",
    });
    let dependencies = export["dependencies"].as_array().unwrap();
    assert!(dependencies.contains(&dependency));
    assert_eq!(
        dependencies.len(),
        4,
        "certificate, zone, role; security group"
    );

    let again = at_home(&["export", "tests/example", "--format", "json"]);
    assert_eq!(
        again.out, exported.out,
        "the same input gives the same bytes"
    );
}

#[test]
fn an_export_can_be_read_by_a_person() {
    let exported = at_home(&["export", "tests/example"]);
    assert_eq!((exported.code, exported.err.as_str()), (Some(0), ""));
    for line in [
        "live/legacy",
        "  aws_s3_bucket.customer_uploads  arn:aws:s3:::example-shop-uploads-eu-west-1",
        "  aws_cloudwatch_log_group.audit  none: an ignore comment opts this resource out",
        "  aws_sqs_queue.orders  arn:aws:sqs:eu-west-1:000000000000:orders in realm localstack-alice",
        "duplicate arn:aws:s3:::example-shop-uploads-eu-west-1: aws_s3_bucket.uploads of \
         live/account, aws_s3_bucket.customer_uploads of live/legacy",
        "data.aws_acm_certificate.wildcard of live/web reads aws_acm_certificate.wildcard of \
         live/account",
    ] {
        assert!(
            exported.out.lines().any(|it| it == line),
            "{line}\n{}",
            exported.out
        );
    }
}

#[cfg(unix)]
#[test]
fn a_name_of_a_directory_cannot_speak_to_the_terminal() {
    let example = Example::empty();
    let state = Example::copy().read("live/orders/terraform.tfstate");
    example.write("x\u{1b}[31m\n/terraform.tfstate", state);
    let exported = run(example.root(), &["export"]);
    assert!(!exported.out.contains('\u{1b}'), "{}", exported.out);
    let mut lines = exported.out.lines();
    assert!(lines.any(|it| it == r"x\u{1b}[31m\n"), "{}", exported.out);
}

#[test]
fn the_example_has_a_secret_that_no_output_shows() {
    // every run of these tests is searched for it
    let state = Example::copy().read("live/orders/terraform.tfstate");
    assert!(state.contains("not-a-real-secret"));
    for format in ["text", "json"] {
        for command in ["check", "export"] {
            at_home(&[command, "tests/example", "--format", format]);
        }
    }
}

#[test]
fn a_part_of_the_workspace_can_be_asked_for() {
    let codes = |path: &str| {
        let report = json(&at_home(&["check", path, "--format", "json"]));
        let findings = report["findings"].as_array().unwrap().iter();
        findings.map(line).collect::<Vec<_>>()
    };
    // where nothing marks a root above it, what is asked for is all there is
    let bob = "error malformed-realm providers.tf 21:44-21:58";
    assert_eq!(codes("tests/example/emulators/bob"), [bob]);
    assert_eq!(codes("tests/example/emulators/bob/providers.tf"), [bob]);
    assert_eq!(codes("tests/example/emulators/bob/main.tf"), [""; 0]);

    // where something does, the rest of the workspace is read with it
    let example = Example::copy();
    example.write("gantrycd.hcl", "");
    let checked = run(example.root(), &["check", "live/legacy/main.tf"]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(1), ""));
    assert!(
        checked.out.starts_with("error[duplicate-identity]"),
        "{}",
        checked.out
    );
    assert!(
        checked
            .out
            .contains("1 error, 0 warnings, 0 notes in 6 stacks"),
        "{}",
        checked.out
    );
    let checked = run(&example.path("live/orders"), &["check"]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""));
}

#[test]
fn the_workspace_file_decides_how_grave_a_finding_is() {
    let example = Example::copy();
    let check = |settings: &str| {
        example.write("gantrycd.hcl", settings);
        let checked = run(example.root(), &["check", "--format", "json"]);
        assert_eq!(checked.err, "");
        let report = json(&checked);
        let findings = report["findings"].as_array().unwrap().iter();
        let severities = findings.map(|it| format!("{} {}", it["severity"], it["code"]));
        let mut severities: Vec<_> = severities.map(|it| it.replace('"', "")).collect();
        severities.dedup();
        (checked.code, severities.join(", "))
    };
    let (code, told) = check(
        "checks {\n  duplicate-identity = \"hint\"\n  malformed-realm = \"information\"\n  \
         declaration-does-not-reach = \"off\"\n}\n",
    );
    let expected = "hint duplicate-identity, information malformed-realm, hint duplicate-identity";
    assert_eq!((code, told.as_str()), (Some(0), expected));
    let (code, told) = check(
        "checks {\n  duplicate-identity = { exclude = [\"live/**\", \"emulators/**\"] }\n  \
         malformed-realm = \"off\"\n}\n",
    );
    let expected = "information declaration-does-not-reach";
    assert_eq!((code, told.as_str()), (Some(0), expected));
    let (code, told) = check(
        "checks {\n  duplicate-identity = \"off\"\n  malformed-realm = \"off\"\n  \
         declaration-does-not-reach = \"warning\"\n}\n",
    );
    let expected = "warning declaration-does-not-reach";
    assert_eq!((code, told.as_str()), (Some(1), expected));
    let (code, told) = check(
        "checks {\n  duplicate-identity = \"off\"\n  malformed-realm = \"off\"\n  \
         declaration-reaches = \"off\"\n}\n",
    );
    let expected = "information declaration-does-not-reach, error workspace-file";
    assert_eq!((code, told.as_str()), (Some(1), expected));
}

// ------------------------------------------------------------------------------------------------
// Bad input

/// Both commands have nothing to work on, and say this.
fn nothing_to_check(example: &Example, path: &str, line: &str) {
    for command in ["check", "export"] {
        for format in ["text", "json"] {
            let done = run(example.root(), &[command, path, "--format", format]);
            assert_eq!(done.code, Some(2), "{done:?}");
            assert_eq!((done.out.as_str(), done.err.as_str()), ("", line));
        }
    }
}

#[test]
fn a_path_that_is_not_there() {
    let line = "error: no/such/place: No such file or directory (os error 2)\n";
    nothing_to_check(&Example::copy(), "no/such/place", line);
}

#[test]
fn a_directory_without_configuration() {
    let example = Example::empty();
    example.write("docs/README.md", "# Nothing to see here\n");
    let line = "error: docs: neither configuration nor a state was found\n";
    nothing_to_check(&example, "docs", line);
    let line = "error: docs/README.md: neither configuration nor a state was found\n";
    nothing_to_check(&example, "docs/README.md", line);
}

#[test]
fn nothing_but_an_empty_state_or_a_directory_of_that_name() {
    let example = Example::empty();
    example.write("zero/terraform.tfstate", "");
    example.write("directory/terraform.tfstate/README.md", "");
    for path in ["zero", "directory", "zero/terraform.tfstate"] {
        let line = format!("error: {path}: neither configuration nor a state was found\n");
        nothing_to_check(&example, path, &line);
    }
}

#[test]
fn nothing_but_configuration_that_is_not_utf_8() {
    let example = Example::empty();
    let utf16 = "resource \"a\" \"b\" {}\n".encode_utf16();
    let utf16: Vec<_> = utf16.flat_map(u16::to_le_bytes).collect();
    example.write("a/main.tf", &utf16);
    let line = "warning: main.tf: the file is UTF-16; save it as UTF-8\n\
                error: a: nothing of it could be read\n";
    nothing_to_check(&example, "a", line);
}

/// What `check` says of a changed copy of the example: its code, what it warns of, and the findings
/// that it has beside or without those of the example.
fn differences(example: &Example) -> (Option<i32>, String, Vec<String>) {
    let findings = |run: &Run| {
        let report = json(run);
        let findings = report["findings"].as_array().unwrap().iter();
        findings.map(line).collect::<Vec<_>>()
    };
    let before = findings(&at_home(&["check", "tests/example", "--format", "json"]));
    let checked = run(example.root(), &["check", "--format", "json"]);
    let after = findings(&checked);
    let lost = before.iter().filter(|it| !after.contains(it));
    let new = after.iter().filter(|it| !before.contains(it));
    let lost = lost.map(|it| format!("- {it}"));
    let new = new.map(|it| format!("+ {it}"));
    (checked.code, checked.err, lost.chain(new).collect())
}

#[test]
fn a_truncated_state_costs_its_own_stack_alone() {
    let example = Example::copy();
    let path = "live/legacy/terraform.tfstate";
    let state = example.read(path);
    example.write(path, &state[..state.len() / 2]);
    let (code, err, differences) = differences(&example);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert_eq!(
        differences,
        [
            "- error duplicate-identity live/account/storage.tf 1:0-1:34",
            "- error duplicate-identity live/legacy/main.tf 3:0-3:43",
            "+ warning unreadable-state live/legacy/alerts.tf 0:0-0:35",
        ]
    );
    let checked = run(example.root(), &["check"]);
    let told = "warning[unreadable-state]: The state live/legacy/terraform.tfstate of live/legacy \
                is not read: truncated: the file ends before its JSON does.";
    assert!(checked.out.contains(told), "{}", checked.out);

    let exported = run(example.root(), &["export", "--format", "json"]);
    let told = "warning: live/legacy/terraform.tfstate: truncated: the file ends before its JSON \
                does\n";
    assert_eq!((exported.code, exported.err.as_str()), (Some(0), told));
    assert_eq!(json(&exported)["stacks"].as_array().unwrap().len(), 6);
}

#[test]
fn a_truncated_state_without_configuration_is_told_all_the_same() {
    let example = Example::empty();
    example.write("a/terraform.tfstate", "{ \"version\": 4,");
    let checked = run(example.root(), &["check", "a"]);
    assert_eq!((checked.code, checked.err.as_str()), (Some(1), ""));
    assert!(
        checked.out.starts_with("warning[unreadable-state]"),
        "{}",
        checked.out
    );
    assert!(
        checked.out.contains("--> terraform.tfstate\n"),
        "{}",
        checked.out
    );
}

#[test]
fn an_empty_state_or_a_directory_of_that_name_is_passed_over() {
    for zero in [true, false] {
        let example = Example::copy();
        let path = "live/legacy/terraform.tfstate";
        match zero {
            true => example.write(path, ""),
            false => {
                example.remove(path);
                example.write("live/legacy/terraform.tfstate/README.md", "");
            }
        }
        let (code, err, differences) = differences(&example);
        assert_eq!((code, err.as_str()), (Some(1), ""));
        assert_eq!(
            differences,
            [
                "- error duplicate-identity live/account/storage.tf 1:0-1:34",
                "- error duplicate-identity live/legacy/main.tf 3:0-3:43",
            ]
        );
    }
}

#[test]
fn a_file_that_is_not_utf_8_costs_no_other_file() {
    let example = Example::copy();
    let path = "live/account/storage.tf";
    let text = example.read(path);
    let utf16: Vec<_> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    example.write(path, [&b"\xff\xfe"[..], &utf16].concat());
    let (code, err, lost) = differences(&example);
    assert_eq!(code, Some(1));
    let line = "warning: live/account/storage.tf: the file is UTF-16; save it as UTF-8\n";
    assert_eq!(err, line);
    // the other side of the duplicate is still there
    assert_eq!(
        lost,
        ["- error duplicate-identity live/account/storage.tf 1:0-1:34"]
    );

    // of a file with one bad byte, everything is read
    let example = Example::copy();
    example.write(path, [text.as_bytes(), b"# caf\xe9\n"].concat());
    let (code, err, lost) = differences(&example);
    let line = "warning: live/account/storage.tf: line 45 has a byte that is not UTF-8; the rest of \
                the file was read\n";
    assert_eq!((code, err.as_str()), (Some(1), line));
    assert_eq!(lost, [""; 0]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (arguments, code) in [
        (["check", "tests/example", "--format=text"], 1),
        (["check", "tests/example", "--format=json"], 1),
        (["export", "tests/example", "--format=text"], 0),
        (["export", "tests/example", "--format=json"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = binary(root, &arguments);
        let done = command.stdout(writer).stderr(Stdio::piped()).spawn();
        let done = done.unwrap().wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(code));
        assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut check = binary(root, &["check", "tests/example"]);
    let done = check.stdout(full.unwrap()).stderr(Stdio::piped());
    let done = done.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    let line = "error: No space left on device (os error 28)\n";
    assert_eq!(String::from_utf8_lossy(&done.stderr), line);
}

#[test]
fn arguments_that_are_none_are_told() {
    for arguments in [
        &["chekc"][..],
        &["check", "--format", "xml"],
        &["check", "a", "b"],
    ] {
        let done = at_home(arguments);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
        assert!(done.err.starts_with("error: "), "{}", done.err);
    }
    let version = at_home(&["--version"]);
    let expected = concat!("gantrycd-ls ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((version.code, version.out.as_str()), (Some(0), expected));
    let help = at_home(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(
        help.out.contains("check") && help.out.contains("export"),
        "{}",
        help.out
    );
}
