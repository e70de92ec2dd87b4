//! What other programs are given: SARIF, the commands of a GitHub workflow, a test report.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::example::Example;
use super::{at_home, binary, json as document, run};

/// A workspace below a repository's root with whatever is hard to write about: names that a URI or a
/// command cannot hold, characters beyond the first plane, line ends of two bytes, a byte order mark,
/// bytes that are not UTF-8, a control character, two findings alike, and one in no text of ours.
fn tricky() -> Example {
    let example = Example::empty();
    example.write(".git/HEAD", "ref: refs/heads/main\n");
    example.write("infra/gantrycd.hcl", "");
    example.write(
        "infra/a b,ü:%/main.tf",
        "\u{feff}# é😀 gantrycd.resource-identity: ignore=true 😀\r\n\
         resource \"aws_vpc\" \"v\" { /* 😀 */ # gantrycd:resource-identity: ignore=no\r\n}\r\n\
         # é😀 gantrycd.resource-identity: ignore=true\r\n",
    );
    example.write(
        "infra/latin/main.tf",
        b"# caf\xe9 gantrycd:resource-identity: ignore=\x1b[31m\nresource \"aws_vpc\" \"v\" {}\n",
    );
    for stack in ["one", "two"] {
        example.write(
            &format!("infra/{stack}/main.tf"),
            "resource \"aws_sqs_queue\" \"é\" {}\n",
        );
        example.write(&format!("infra/{stack}/terraform.tfstate"), queue());
    }
    example.write("infra/broken/terraform.tfstate", "{ \"version\": 4,");
    example
}

fn queue() -> String {
    let arn = "arn:aws:sqs:eu-west-1:111122223333:q";
    json!({ "version": 4, "serial": 1, "lineage": "l", "resources": [{
        "mode": "managed", "type": "aws_sqs_queue", "name": "é",
        "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
        "instances": [{ "attributes": { "arn": arn, "tags": {}, "tags_all": {} } }],
    }]})
    .to_string()
}

fn checked(example: &Example, format: &str) -> String {
    let done = run(example.root(), &["check", "infra", "--format", format]);
    assert_eq!(done.code, Some(1), "{done:?}");
    done.out
}

fn sarif(example: &Example) -> Value {
    serde_json::from_str(&checked(example, "sarif")).unwrap()
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

// ------------------------------------------------------------------------------------------------
// SARIF

/// The schema of SARIF 2.1.0, which the crate ships that our types come from.
fn schema() -> Value {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|it| it.strip_prefix("host: "));
    let metadata = cargo(&[
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        host.unwrap(),
    ]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|it| it["name"] == "serde-sarif");
    let manifest = package.unwrap()["manifest_path"].as_str().unwrap();
    let schema = std::path::Path::new(manifest).with_file_name("src/schema.json");
    let schema = std::fs::read_to_string(schema).unwrap();
    // the pattern of a language has a bracket that nothing opens
    serde_json::from_str(&schema.replace("{2}]?$", "{2}$")).unwrap()
}

#[test]
fn sarif_is_valid() {
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema())
        .unwrap();
    let home = document(&at_home(&["check", "tests/example", "--format", "sarif"]));
    for log in [home, sarif(&tricky())] {
        let errors: Vec<_> = validator
            .iter_errors(&log)
            .map(|it| it.to_string())
            .collect();
        assert_eq!(errors, [""; 0]);
        // nor would it pass anything
        let result = "/runs/0/results/0";
        let uri = "/locations/0/physicalLocation/artifactLocation/uri";
        for (place, value) in [("/level", "fatal"), (uri, "a b.tf")] {
            let mut spoilt = log.clone();
            let spoil = spoilt.pointer_mut(&format!("{result}{place}"));
            *spoil.unwrap() = json!(value);
            assert!(!validator.is_valid(&spoilt), "{place}");
        }
    }
}

#[test]
fn sarif_names_a_rule_for_every_result() {
    let log = sarif(&tricky());
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "gantrycd-ls");
    let rules = driver["rules"].as_array().unwrap();
    let ids: BTreeSet<_> = rules.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len(), "each once");
    let help = at_home(&["check", "--help"]).out;
    for rule in rules {
        assert!(help.contains(rule["id"].as_str().unwrap()), "{rule}");
        for text in ["shortDescription", "help"] {
            assert!(!rule[text]["text"].as_str().unwrap().is_empty());
        }
        assert!(!rule["help"]["markdown"].as_str().unwrap().is_empty());
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level));
    }
    assert_eq!(results(&log).len(), 7);
    for result in results(&log) {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

/// The text of a file without its byte order mark, one character for each byte that is not UTF-8.
fn text(example: &Example, path: &str) -> String {
    let bytes = std::fs::read(example.path(path)).unwrap();
    let text = bytes.utf8_chunks().fold(String::new(), |text, it| {
        text + it.valid() + &"?".repeat(it.invalid().len())
    });
    text.trim_start_matches('\u{feff}').to_owned()
}

/// Where a line and a column in UTF-16 units are, both from 0, in bytes.
fn offset(text: &str, line: u64, column: u64) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line as usize)
        .map(str::len)
        .sum();
    let mut left = column as usize;
    let mut chars = text[start..].char_indices();
    let found = chars.find(|(_, c)| {
        let found = left == 0;
        left = left.saturating_sub(c.len_utf16());
        found
    });
    found.map_or(text.len(), |(at, _)| start + at)
}

fn sarif_range(text: &str, region: &Value) -> std::ops::Range<usize> {
    let at = |line: &str, column: &str| {
        let number = |key: &str| region[key].as_u64().unwrap() - 1;
        offset(text, number(line), number(column))
    };
    at("startLine", "startColumn")..at("endLine", "endColumn")
}

fn json_range(text: &str, range: &Value) -> std::ops::Range<usize> {
    let at = |end: &str| {
        let number = |key: &str| range[end][key].as_u64().unwrap();
        offset(text, number("line"), number("character"))
    };
    at("start")..at("end")
}

/// The path that a location names: it is relative to the repository.
fn path(location: &Value) -> String {
    assert_eq!(location["uriBaseId"], "%SRCROOT%");
    let uri = location["uri"].as_str().unwrap();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
    assert!(uri.chars().all(is_plain), "{uri}");
    percent_encoding::percent_decode_str(uri)
        .decode_utf8()
        .unwrap()
        .into_owned()
}

#[test]
fn sarif_regions_cover_what_is_meant() {
    let example = tricky();
    let log = sarif(&example);
    assert_eq!(log["runs"][0]["columnKind"], "utf16CodeUnits");
    let covered: Vec<_> = results(&log)
        .iter()
        .map(|it| {
            let place = &it["locations"][0]["physicalLocation"];
            let path = path(&place["artifactLocation"]);
            let text = text(&example, &path);
            let covered = text[sarif_range(&text, &place["region"])].to_owned();
            (path, covered)
        })
        .collect();
    let covered: Vec<_> = covered.iter().map(|(a, b)| (&**a, &**b)).collect();
    let header = "resource \"aws_sqs_queue\" \"é\"";
    assert_eq!(
        covered,
        [
            (
                "infra/a b,ü:%/main.tf",
                "gantrycd.resource-identity: ignore=true"
            ),
            (
                "infra/a b,ü:%/main.tf",
                "gantrycd:resource-identity: ignore=no"
            ),
            (
                "infra/a b,ü:%/main.tf",
                "gantrycd.resource-identity: ignore=true"
            ),
            ("infra/broken/terraform.tfstate", ""),
            (
                "infra/latin/main.tf",
                "gantrycd:resource-identity: ignore=\u{1b}[31m"
            ),
            ("infra/one/main.tf", header),
            ("infra/two/main.tf", header),
        ]
    );
    let queue = &results(&log)[5];
    let related = &queue["relatedLocations"][0];
    assert_eq!(
        related["message"]["text"],
        "aws_sqs_queue.é of two claims it too"
    );
    assert_eq!(
        path(&related["physicalLocation"]["artifactLocation"]),
        "infra/two/main.tf"
    );
    let logical = &queue["locations"][0]["logicalLocations"][0];
    assert_eq!(logical["fullyQualifiedName"], "one/aws_sqs_queue.é");
}

/// The files of a fix with its edits applied, the last edit first.
fn applied<'a>(
    example: &Example,
    edits: impl Iterator<Item = (String, &'a Value, &'a Value)>,
    range: fn(&str, &Value) -> std::ops::Range<usize>,
) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for (path, place, new_text) in edits {
        if files.iter().all(|(it, _)| *it != path) {
            files.push((path.clone(), text(example, &path)));
        }
        let (_, text) = files.iter_mut().find(|(it, _)| *it == path).unwrap();
        let range = range(text, place);
        text.replace_range(range, new_text.as_str().unwrap());
    }
    files
}

#[test]
fn sarif_fixes_are_those_of_json_and_of_the_flag() {
    let example = tricky();
    let log = sarif(&example);
    let report: Value = serde_json::from_str(&checked(&example, "json")).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let mut fixes = 0;
    let mut safe = Vec::new();
    for (result, finding) in results(&log).iter().zip(findings) {
        assert_eq!(result["message"]["text"], finding["message"]);
        let pair = (&result["fixes"], &finding["fixes"]);
        let (ours, theirs) = (pair.0.as_array().unwrap(), pair.1.as_array().unwrap());
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert_eq!(ours["description"]["text"], theirs["title"]);
            let changes = ours["artifactChanges"].as_array().unwrap().iter();
            let replacements = changes.flat_map(|it| {
                let path = path(&it["artifactLocation"]);
                let replacements = it["replacements"].as_array().unwrap().iter();
                replacements.map(move |it| {
                    let text = &it["insertedContent"]["text"];
                    (path.clone(), &it["deletedRegion"], text)
                })
            });
            let ours = applied(&example, replacements, sarif_range);
            let edits = theirs["edits"].as_array().unwrap().iter().map(|it| {
                let path = format!("infra/{}", it["path"].as_str().unwrap());
                (path, &it["range"], &it["new_text"])
            });
            assert_eq!(ours, applied(&example, edits, json_range));
            fixes += 1;
            if result["ruleId"] == "malformed-ignore" {
                safe.push(ours);
            }
        }
    }
    assert_eq!(
        (fixes, safe.len()),
        (9, 3),
        "one for each comment, three for each queue"
    );

    // one by one: each leaves the others where they are
    let only = ["check", "infra", "--fix", "--only", "malformed-ignore"];
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let before = lines(&text(&example, "infra/a b,ü:%/main.tf"));
    let mut expected = before.clone();
    for files in &safe {
        let after = lines(&files[0].1);
        for at in 0..after.len() {
            if after[at] != before[at] {
                expected[at].clone_from(&after[at]);
            }
        }
    }
    run(example.root(), &only);
    assert_eq!(lines(&text(&example, "infra/a b,ü:%/main.tf")), expected);
    assert_ne!(before, expected);
}

fn fingerprints(log: &Value) -> Vec<String> {
    let of = |it: &Value| {
        let all = it["partialFingerprints"].as_object().unwrap();
        assert_eq!(all.len(), 1);
        all["gantrycdFinding/v1"].as_str().unwrap().to_owned()
    };
    results(log).iter().map(of).collect()
}

#[test]
fn sarif_fingerprints_are_the_same_wherever_the_text_stands() {
    let example = tricky();
    let before = fingerprints(&sarif(&example));
    let distinct: BTreeSet<_> = before.iter().collect();
    assert_eq!(distinct.len(), before.len(), "findings that differ");

    let other = tricky();
    assert_ne!(other.root(), example.root());
    assert_eq!(fingerprints(&sarif(&other)), before, "elsewhere");
    let moved = Example::empty();
    std::fs::rename(other.path("infra"), moved.path("infra")).unwrap();
    assert_eq!(fingerprints(&sarif(&moved)), before, "in no repository");

    for file in ["infra/a b,ü:%/main.tf", "infra/one/main.tf"] {
        let text = example.read(file);
        let text = text.trim_start_matches('\u{feff}');
        example.write(file, format!("# a line\r\n\r\n{text}"));
    }
    assert_eq!(fingerprints(&sarif(&example)), before, "further down");

    // another code, place, address or text is another finding
    example.write(
        "infra/one/main.tf",
        "resource \"aws_sqs_queue\"  \"é\" {}\n",
    );
    let after = fingerprints(&sarif(&example));
    let differ: Vec<_> = (0..before.len())
        .filter(|it| before[*it] != after[*it])
        .collect();
    assert_eq!(differ, [5]);
}

#[test]
fn sarif_is_the_same_for_the_same_input_and_tells_of_no_machine() {
    let example = tricky();
    let log = checked(&example, "sarif");
    assert_eq!(checked(&example, "sarif"), log);
    assert!(!log.contains(example.root().to_str().unwrap()));
}

// ------------------------------------------------------------------------------------------------
// GitHub

#[test]
fn github_is_given_a_command_for_each_finding() {
    let annotations = checked(&tricky(), "github");
    let lines: Vec<_> = annotations.lines().collect();
    assert_eq!(lines.len(), 7);
    let near_miss = "This comment does nothing: the key is `gantrycd:resource-identity`, not \
                     `gantrycd.resource-identity`. gantrycd honours `gantrycd:resource-identity: \
                     ignore=true` and nothing near it.";
    assert_eq!(
        lines[0],
        format!(
            "::warning file=infra/a b%2Cü%3A%25/main.tf,line=1,endLine=1,col=7,endColumn=46,\
             title=malformed-ignore::{near_miss}"
        )
    );
    let state = "::warning file=infra/broken/terraform.tfstate,line=1,endLine=1,col=1,endColumn=1,\
                 title=unreadable-state::The state broken/terraform.tfstate of broken is not read";
    assert!(lines[3].starts_with(state), "{}", lines[3]);
    let queue = "::error file=infra/one/main.tf,line=1,endLine=1,col=1,endColumn=29,\
                 title=duplicate-identity::aws_sqs_queue.é manages the same object";
    assert!(lines[5].starts_with(queue), "{}", lines[5]);
    let related = "%0Ainfra/two/main.tf:1: aws_sqs_queue.é of two claims it too";
    assert!(lines[5].ends_with(related), "{}", lines[5]);

    let notes = at_home(&["check", "tests/example", "--format", "github"]).out;
    let commands: Vec<_> = notes
        .lines()
        .filter_map(|it| it.split(' ').next())
        .collect();
    assert_eq!(
        commands,
        [
            "::notice", "::error", "::notice", "::error", "::error", "::error", "::error"
        ]
    );
}

// ------------------------------------------------------------------------------------------------
// JUnit

fn report(text: &str) -> quick_junit::Report {
    quick_junit::Report::deserialize_from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// `suite: case, failed or passed` for every case.
fn cases(report: &quick_junit::Report) -> Vec<String> {
    let suites = report.test_suites.iter();
    suites
        .flat_map(|suite| {
            suite.test_cases.iter().map(|case| {
                let outcome = match &case.status {
                    quick_junit::TestCaseStatus::Success { .. } => "passed",
                    _ => "failed",
                };
                format!("{}: {}, {outcome}", &*suite.name, &*case.name)
            })
        })
        .collect()
}

#[test]
fn a_test_report_has_a_suite_for_each_file_and_a_case_for_each_finding() {
    let text = checked(&tricky(), "junit");
    let report = report(&text);
    assert_eq!((report.tests, report.failures, report.errors), (7, 7, 0));
    assert_eq!(
        cases(&report),
        [
            "infra/a b,ü:%/main.tf: malformed-ignore, failed",
            "infra/a b,ü:%/main.tf: malformed-ignore (2), failed",
            "infra/a b,ü:%/main.tf: malformed-ignore (3), failed",
            "infra/broken/terraform.tfstate: unreadable-state, failed",
            "infra/latin/main.tf: malformed-ignore, failed",
            "infra/one/main.tf: duplicate-identity aws_sqs_queue.é, failed",
            "infra/two/main.tf: duplicate-identity aws_sqs_queue.é, failed",
        ]
    );
    assert!(
        !text.contains('\u{1b}') && text.contains("not `␛[31m`"),
        "{text}"
    );
    let queue = &report.test_suites[3].test_cases[0];
    let quick_junit::TestCaseStatus::NonSuccess {
        ty, description, ..
    } = &queue.status
    else {
        panic!("{queue:?}");
    };
    assert_eq!(ty.as_deref(), Some("duplicate-identity"));
    let description = description.as_deref().unwrap();
    let first = "infra/one/main.tf:1:1: error: aws_sqs_queue.é manages";
    assert!(description.starts_with(first), "{description}");
    let last = "\ninfra/two/main.tf:1: aws_sqs_queue.é of two claims it too";
    assert!(description.ends_with(last), "{description}");
}

#[test]
fn a_case_fails_where_the_run_does() {
    let arguments = ["check", "tests/example", "--format", "junit", "--fail-on"];
    let failures = |fail_on: &str| {
        let done = at_home(&[&arguments[..], &[fail_on]].concat());
        let report = report(&done.out);
        assert_eq!(report.tests, 7);
        (done.code, report.failures)
    };
    assert_eq!(failures("information"), (Some(1), 7));
    assert_eq!(failures("warning"), (Some(1), 5));
    // the job is green on purpose, and the report tells
    assert_eq!(failures("never"), (Some(0), 5));
    let text = at_home(&["check", "tests/example", "--format", "junit"]).out;
    assert!(text.contains("<system-out>tests/example/emulators/alice/main.tf:6:1: information: "));
}

#[test]
fn a_clean_run_is_a_case_that_passes() {
    let example = Example::empty();
    example.write("main.tf", "locals {}\n");
    let clean = |format: &str| {
        let done = run(example.root(), &["check", "--format", format]);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        done.out
    };
    assert_eq!(
        cases(&report(&clean("junit"))),
        ["gantrycd-ls: check, passed"]
    );
    assert_eq!(clean("github"), "");
    let log: Value = serde_json::from_str(&clean("sarif")).unwrap();
    assert_eq!(results(&log).len(), 0);
}

// ------------------------------------------------------------------------------------------------
// All of them

#[test]
fn a_message_is_the_same_in_every_format() {
    let report = document(&at_home(&["check", "tests/example", "--format", "json"]));
    for format in ["text", "sarif", "github", "junit"] {
        let out = at_home(&["check", "tests/example", "--format", format]).out;
        for finding in report["findings"].as_array().unwrap() {
            let message = finding["message"].as_str().unwrap();
            let written = match format {
                "sarif" => json!(message).to_string(),
                "junit" => message.replace('\'', "&apos;").replace('"', "&quot;"),
                _ => message.to_owned(),
            };
            assert!(out.contains(&written), "{written} in {format}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error_in_any_format() {
    let example = tricky();
    for format in ["sarif", "github", "junit"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = binary(example.root(), &["check", "infra", "--format", format]);
        let status = command.stdout(writer).stderr(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(1));
    }
}
