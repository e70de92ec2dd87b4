//! What `check` reports, how, and what it exits with.

use super::example::Example;
use super::{Run, at_home, json, line, run};

/// A workspace with findings of every severity that there is: an error, a warning, an information.
fn check(arguments: &[&str]) -> Run {
    let example = Example::copy();
    example.write(
        "live/web/near.tf",
        "# gantrycd.resource-identity: ignore=true\n",
    );
    let done = run(example.root(), &[&["check"], arguments].concat());
    assert_eq!(done.err, "");
    done
}

fn codes(arguments: &[&str]) -> Vec<String> {
    let report = json(&check(&[arguments, &["--format", "json"]].concat()));
    let findings = report["findings"].as_array().unwrap().iter();
    let mut codes: Vec<_> = findings
        .map(|it| it["code"].as_str().unwrap().to_owned())
        .collect();
    codes.dedup();
    codes
}

#[test]
fn the_exit_code_follows_the_severity() {
    let code = |only: &str, fail_on: &[&str]| check(&[&["--only", only], fail_on].concat()).code;
    for (only, severity) in [
        ("malformed-realm", "error"),
        ("malformed-ignore", "warning"),
        ("declaration-does-not-reach", "information"),
    ] {
        let order = ["hint", "information", "warning", "error", "never"];
        let own = order.iter().position(|it| *it == severity).unwrap();
        for (at, fail_on) in order.iter().enumerate() {
            let expected = Some(i32::from(at <= own));
            let code = code(only, &["--fail-on", fail_on]);
            assert_eq!(code, expected, "{severity} with --fail-on {fail_on}");
        }
        let expected = Some(i32::from(severity != "information"));
        assert_eq!(code(only, &[]), expected, "{severity}");
    }
}

#[test]
fn codes_are_reported_or_left_out() {
    let realm = ["malformed-realm"];
    assert_eq!(codes(&["--only", "malformed-realm"]), realm);
    let both = ["malformed-realm", "malformed-ignore"];
    assert_eq!(codes(&["--only", "malformed-realm,malformed-ignore"]), both);
    let repeated = ["--only", "malformed-realm", "--only=malformed-ignore"];
    assert_eq!(codes(&repeated), both);
    let but = "duplicate-identity,declaration-does-not-reach";
    assert_eq!(codes(&["--exclude", but]), both);
    let none = [&repeated[..], &["--exclude", "malformed-ignore"]].concat();
    assert_eq!(codes(&none), realm);
    // what is not reported is not counted either
    let report = json(&check(&["--only", "malformed-ignore", "--format", "json"]));
    assert_eq!(report["summary"]["errors"], 0);
    assert_eq!(report["summary"]["warnings"], 1);
}

#[test]
fn a_code_that_is_none_is_an_error_with_the_nearest_one() {
    for flag in ["--only", "--exclude"] {
        let done = at_home(&[
            "check",
            "tests/example",
            flag,
            "malformed-realm,malformd-ignore",
        ]);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
        let told = format!("error: invalid value 'malformd-ignore' for '{flag} <CODE>'");
        assert!(done.err.starts_with(&told), "{}", done.err);
        let tip = "tip: a similar value exists: 'malformed-ignore'";
        assert!(done.err.contains(tip), "{}", done.err);
    }
    let done = at_home(&["check", "tests/example", "--fail-on", "info"]);
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("'information'"), "{}", done.err);
}

fn places(done: &Run) -> Vec<String> {
    let report = json(done);
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}

#[test]
fn a_stack_of_which_no_state_is_known_is_counted() {
    let example = Example::empty();
    example.write("gantrycd.hcl", "");
    example.write("a/main.tf", "terraform {\n  backend \"s3\" {}\n}\n");
    example.write("b/main.tf", "resource \"aws_vpc\" \"b\" {}\n");
    example.write("b/terraform.tfstate", r#"{"version": 4, "resources": []}"#);
    let line = |done: Run| done.out.lines().last().unwrap().to_owned();
    assert_eq!(
        line(run(example.root(), &["check"])),
        "0 errors, 0 warnings, 0 notes in 2 stacks (3 files, 0 rows, 1 without a state)"
    );
    let status = run(example.root(), &["status"]);
    assert!(
        status
            .out
            .starts_with("a: no state\nb: b/terraform.tfstate, ")
    );
    example.write("b/terraform.tfstate", r#"{"version": 3}"#);
    let status = run(example.root(), &["status"]);
    assert_eq!(
        status.out,
        "a: no state\nb: b/terraform.tfstate is not read\n"
    );
    example.write("a/main.tf", "terraform {}\n");
    for (which, why) in [
        ("--all", "none has a backend other than `local`"),
        ("--changed", "no configuration with a remote backend"),
    ] {
        let done = run(example.root(), &["refresh", which]);
        assert_eq!(done.code, Some(0));
        assert!(done.out.contains(why), "{}", done.out);
    }
}

#[test]
fn an_external_that_names_no_file_is_told() {
    let example = Example::empty();
    example.write("shop/a/main.tf", "");
    let external =
        |path: &str| format!("states {{\n  external \"b\" {{ path = \"{path}\" }}\n}}\n");
    example.write("b/a.tfstate", r#"{"version": 4, "resources": []}"#);
    for (path, told) in [
        ("../b/*.tfstate", ""),
        (
            "../bb/*.tfstate",
            "warning: gantrycd.hcl: no file has the path of external \"b\"\n",
        ),
    ] {
        example.write("shop/gantrycd.hcl", external(path));
        let done = run(&example.path("shop"), &["check"]);
        assert_eq!((done.code, &*done.err), (Some(0), told), "{path}");
    }
}

#[test]
fn several_paths_narrow_what_is_reported_and_not_what_is_read() {
    let example = Example::copy();
    example.write("gantrycd.hcl", "");
    let paths = ["live/legacy", "emulators/bob/main.tf"];
    let done = run(
        &example.path("live"),
        &[
            "check",
            "legacy",
            "../emulators/bob/main.tf",
            "--format=json",
        ],
    );
    assert_eq!(done.code, Some(1));
    assert_eq!(
        places(&done),
        [
            "error duplicate-identity emulators/bob/main.tf 5:0-5:30",
            "error duplicate-identity live/legacy/main.tf 3:0-3:43",
        ]
    );
    assert_eq!(json(&done)["summary"]["stacks"], 6);
    let reversed = run(
        example.root(),
        &["check", "--format=json", paths[1], paths[0], paths[0]],
    );
    assert_eq!(places(&reversed), places(&done));
}

#[test]
fn a_path_in_another_workspace_is_an_error() {
    let example = Example::copy();
    let refused = |paths: &[&str]| {
        let done = run(example.root(), &[&["check"], paths].concat());
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
        done.err
    };
    let root = example.path("live/web");
    assert_eq!(
        refused(&["live/web", "live/orders"]),
        format!(
            "error: live/orders is in another workspace than live/web, whose root is {}: check \
             them one by one, or put a gantrycd.hcl above both\n",
            root.display()
        )
    );
    assert_eq!(
        refused(&["live/web", "live/ordres"]),
        "error: live/ordres: No such file or directory (os error 2)\n"
    );
    // what lies below the first one's root is in its workspace, whatever is named
    let done = run(example.root(), &["check", "live", "live/orders"]);
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_a_link_is_reported_by_its_own_name() {
    let example = Example::copy();
    example.write("gantrycd.hcl", "");
    example.write("shared.txt", "# gantrycd.resource-identity: ignore=true\n");
    let link = example.path("live/web/shared.tf");
    std::os::unix::fs::symlink("../../shared.txt", link).unwrap();
    let done = run(
        example.root(),
        &["check", "live/web/shared.tf", "--format=json"],
    );
    let warning = "warning malformed-ignore live/web/shared.tf 0:2-0:41";
    assert_eq!(places(&done), [warning]);
}

#[test]
fn colour_is_for_a_terminal_unless_it_is_asked_for() {
    let is_coloured = |arguments: &[&str]| {
        let done = at_home(&[&["check", "tests/example"], arguments].concat());
        assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
        done.out.contains("\u{1b}[")
    };
    assert!(!is_coloured(&[]), "on a pipe");
    assert!(!is_coloured(&["--color", "auto"]));
    assert!(!is_coloured(&["--color", "never"]));
    assert!(is_coloured(&["--color", "always"]));
    for format in ["json", "sarif", "github", "junit"] {
        assert!(
            !is_coloured(&["--color=always", "--format", format]),
            "{format}"
        );
    }
}

#[test]
fn quiet_is_the_last_line_or_nothing() {
    let done = check(&["--quiet"]);
    let line = "5 errors, 1 warning, 2 notes in 6 stacks (41 files, 59 rows)\n";
    assert_eq!((done.code, done.out.as_str()), (Some(1), line));
    let clean = check(&["-q", "--only", "syntax"]);
    assert_eq!((clean.code, clean.out.as_str()), (Some(0), ""));
    for format in ["json", "sarif", "github", "junit"] {
        let done = at_home(&["check", "tests/example", "-q", "--format", format]);
        let line = "error: --quiet is for --format text alone: a document is whole or none\n";
        assert_eq!((done.code, done.err.as_str()), (Some(2), line));
        assert_eq!(done.out, "");
    }
}

#[test]
fn the_help_names_every_flag_and_code() {
    let help = at_home(&["check", "--help"]).out;
    for word in [
        "--format",
        "--fix",
        "--fail-on",
        "--only",
        "--exclude",
        "--color",
        "--quiet",
        "NO_COLOR",
        "gantrycd.hcl",
        "sarif",
        "github",
        "junit",
        "malformed-realm",
        "syntax",
    ] {
        assert!(help.contains(word), "{word}\n{help}");
    }
}

/// As a public repository has it: one file of provider blocks, and links to it in every stack.
#[cfg(unix)]
#[test]
fn a_text_with_several_names_is_told_of_once() {
    let example = Example::empty();
    example.write(
        "provider.tf",
        "provider \"aws\" {\n  endpoints {\n    s3 = \"http://localhost:4566\"\n  }\n}\n",
    );
    for stack in ["a", "b"] {
        example.write(
            &format!("{stack}/main.tf"),
            "resource \"aws_sqs_queue\" \"q\" {}\n",
        );
        std::os::unix::fs::symlink(
            "../provider.tf",
            example.path(&format!("{stack}/provider.tf")),
        )
        .unwrap();
    }
    let report = json(&run(example.root(), &["check", "--format", "json"]));
    let findings = report["findings"].as_array().unwrap();
    let lines: Vec<_> = findings.iter().map(line).collect();
    assert_eq!(lines, ["hint emulator-without-realm provider.tf 2:10-2:31"]);
    // one realm would be that of all three
    assert_eq!(findings[0]["fixes"].as_array().unwrap().len(), 0);
}

#[test]
fn stats_are_told_beside_the_report_and_not_in_it() {
    let example = Example::copy();
    let plain = run(example.root(), &["check", "--format", "json"]);
    let told = run(example.root(), &["check", "--format", "json", "--stats"]);
    assert_eq!((plain.code, plain.out), (told.code, told.out));
    assert_eq!(plain.err, "");
    let value = |name: &str| {
        let line = told.err.lines().find(|it| it.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {}", told.err));
        let value = line[name.len()..].split_whitespace().next().unwrap();
        value.parse::<f64>().unwrap()
    };
    for name in ["listing", "configuration", "states ", "snapshot", "checks"] {
        assert!(value(name) > 0.0, "{name}: {}", told.err);
    }
    assert!(value("blocks parsed") > 0.0 && value("blocks  ") > 0.0);
    let report = json(&run(example.root(), &["check", "--format", "json"]));
    assert_eq!(report["summary"]["files"].as_f64(), Some(value("files")));
    assert!(value("bytes of states") > value("rows"));
    #[cfg(target_os = "linux")]
    assert!(value("peak memory") > 1.0);
}
