//! `check --fix`: what it writes, and what it leaves alone.

use std::fs;

use super::example::Example;
use super::{Run, json, run};

const NEAR_MISS: &str = "# gantrycd.resource-identity: ignore=true\n";
const WELL_FORMED: &str = "# gantrycd:resource-identity: ignore=true\n";
const VPC: &str = "resource \"aws_vpc\" \"v\" {}\n";

fn told(path: &str) -> String {
    format!("fixed: {path}: Write `gantrycd:resource-identity: ignore=true`\n")
}

fn fix(example: &Example, arguments: &[&str]) -> Run {
    run(example.root(), &[&["check", "--fix"], arguments].concat())
}

/// Every file with its bytes, links as what they point to.
fn files(example: &Example) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut directories = vec![example.root().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(example.root()).unwrap();
            let name = name.display().to_string();
            match fs::symlink_metadata(&path).unwrap().file_type() {
                it if it.is_dir() => directories.push(path),
                it if it.is_symlink() => {
                    let target = fs::read_link(&path).unwrap();
                    found.push((name, target.display().to_string().into()));
                }
                _ => found.push((name, fs::read(path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_is_safe_is_written_and_the_rest_is_reported() {
    let example = Example::empty();
    let unclear = "# gantrycd:resource-identity: ignore=maybe\n";
    example.write("a/main.tf", format!("{NEAR_MISS}{VPC}{NEAR_MISS}"));
    example.write("b/main.tf", format!("{unclear}{VPC}"));
    let done = fix(&example, &[]);
    assert_eq!(done.code, Some(1));
    let twice = told("a/main.tf") + &told("a/main.tf");
    assert_eq!(done.err, twice);
    let fixed = format!("{WELL_FORMED}{VPC}{WELL_FORMED}");
    assert_eq!(example.read("a/main.tf"), fixed);
    assert_eq!(example.read("b/main.tf"), format!("{unclear}{VPC}"));
    assert_eq!(files(&example).len(), 2, "nothing is left behind");
    // the last comment stands at no block, which is seen now
    let code = |it: &str| done.out.contains(&format!("warning[{it}]"));
    assert!(
        code("malformed-ignore") && code("misplaced-ignore"),
        "{}",
        done.out
    );

    let before = files(&example);
    let again = fix(&example, &["--format", "json"]);
    assert_eq!((again.code, again.err.as_str()), (Some(1), ""));
    assert_eq!(json(&again)["summary"]["warnings"], 2);
    assert_eq!(files(&example), before);
}

#[test]
fn a_workspace_that_is_mended_is_clean() {
    let example = Example::empty();
    example.write("main.tf", format!("{NEAR_MISS}{VPC}"));
    let done = fix(&example, &["--format", "json"]);
    assert_eq!((done.code, &*done.err), (Some(0), &*told("main.tf")));
    assert_eq!(json(&done)["findings"], serde_json::json!([]));
    // and quiet about it, where that is asked for
    example.write("main.tf", format!("{NEAR_MISS}{VPC}"));
    let done = fix(&example, &["--quiet"]);
    assert_eq!(
        (done.code, done.out, done.err),
        (Some(0), String::new(), String::new())
    );
    assert_eq!(example.read("main.tf"), format!("{WELL_FORMED}{VPC}"));
}

#[test]
fn what_is_not_reported_is_not_fixed() {
    let example = Example::empty();
    example.write("gantrycd.hcl", "");
    for stack in ["a", "b"] {
        example.write(&format!("{stack}/main.tf"), format!("{NEAR_MISS}{VPC}"));
    }
    let before = files(&example);
    for flags in [["--exclude", "malformed-ignore"], ["--only", "syntax"]] {
        let done = fix(&example, &flags);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        assert_eq!(files(&example), before);
    }
    let done = fix(&example, &["b"]);
    assert_eq!((done.code, done.err), (Some(0), told("b/main.tf")));
    assert_eq!(example.read("a/main.tf"), format!("{NEAR_MISS}{VPC}"));
}

#[test]
fn a_fix_that_may_change_what_was_meant_is_not_applied() {
    let example = Example::copy();
    let before = files(&example);
    let done = fix(&example, &[]);
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
    assert_eq!(files(&example), before);
}

#[test]
fn every_other_byte_stays() {
    let example = Example::empty();
    let with = |comment: &str| {
        let rest = b"\r\n# caf\xe9 \xff\r\nresource \"aws_vpc\" \"\xc3\xa9\" {}\r\n\r\n".to_vec();
        [b"\xef\xbb\xbf# \xe9 ", comment.as_bytes(), &rest].concat()
    };
    example.write(
        "main.tf",
        with("gantrycd:resource-identity ignore=OFF # why"),
    );
    let done = fix(&example, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let expected = with("gantrycd:resource-identity: ignore=false # why");
    let found = fs::read(example.path("main.tf")).unwrap();
    assert_eq!(
        found.escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let example = Example::empty();
    example.write("shared/common.tf", format!("{NEAR_MISS}{VPC}"));
    fs::set_permissions(
        example.path("shared/common.tf"),
        PermissionsExt::from_mode(0o640),
    )
    .unwrap();
    for stack in ["a", "b"] {
        fs::create_dir(example.path(stack)).unwrap();
        symlink(
            "../shared/common.tf",
            example.path(&format!("{stack}/common.tf")),
        )
        .unwrap();
    }
    let done = fix(&example, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    // one file, by its own name
    let everywhere = " in all 3 stacks that use it\n";
    let told = told("shared/common.tf").replace('\n', everywhere);
    assert_eq!(done.err, told);
    assert_eq!(
        example.read("shared/common.tf"),
        format!("{WELL_FORMED}{VPC}")
    );
    let mode = fs::metadata(example.path("shared/common.tf"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    for stack in ["a", "b"] {
        let link = fs::read_link(example.path(&format!("{stack}/common.tf"))).unwrap();
        assert_eq!(link.to_str(), Some("../shared/common.tf"));
    }
}

#[test]
fn a_file_that_cannot_be_written_costs_no_other_file() {
    let example = Example::empty();
    for file in ["a.tf", "b.tf", "c.tf"] {
        example.write(file, NEAR_MISS);
    }
    let path = example.path("b.tf");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let done = fix(&example, &["--only", "malformed-ignore"]);
    assert_eq!(done.code, Some(2));
    let error = "error: b.tf: not fixed: the file is read-only\n";
    assert_eq!(done.err, told("a.tf") + &told("c.tf") + error);
    assert_eq!(example.read("b.tf"), NEAR_MISS);
    for file in ["a.tf", "c.tf"] {
        assert_eq!(example.read(file), WELL_FORMED);
    }
    assert!(
        done.out.starts_with("warning[malformed-ignore]"),
        "{}",
        done.out
    );
    assert_eq!(files(&example).len(), 3);
}

#[test]
fn what_init_installed_is_never_touched() {
    let example = Example::empty();
    let manifest = r#"{"Modules":[{"Key":"m","Source":"x","Dir":".terraform/modules/m"}]}"#;
    example.write(".terraform/modules/modules.json", manifest);
    example.write(".terraform/modules/m/main.tf", format!("{NEAR_MISS}{VPC}"));
    example.write("main.tf", "module \"m\" {\n  source = \"x\"\n}\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(".terraform/modules/m/main.tf", example.path("linked.tf")).unwrap();
    let before = files(&example);
    let done = fix(&example, &[]);
    assert_eq!(
        (done.code, done.err.as_str()),
        (Some(i32::from(cfg!(unix))), "")
    );
    assert_eq!(files(&example), before);
}

#[test]
fn what_is_set_is_mended_first_and_then_decides() {
    let example = Example::empty();
    let tags =
        "resource \"aws_vpc\" \"v\" {\n  tags = { \"gantrycd:resource-identity\" = null }\n}\n";
    example.write("main.tf", tags);
    example.write("gantrycd.hcl", "checks {\n  bare-null = \"of\"\n}\n");
    let done = fix(&example, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(
        example.read("gantrycd.hcl"),
        "checks {\n  bare-null = \"off\"\n}\n"
    );
    assert_eq!(example.read("main.tf"), tags);
}

#[test]
fn all_three_kinds_of_safe_fixes_are_made() {
    let example = Example::empty();
    example.write(
        "main.tf",
        format!("{NEAR_MISS}{VPC}resource \"aws_vpc\" \"w\" {{\n  tags = {{ \"gantrycd:resource-identity\" = null }}\n}}\nresource \"aws_vpc\" \"x\" {{\n  tags = {{ \"gantrycd:resource-identity-relam\" = \"r\" }}\n}}\n"),
    );
    let done = fix(&example, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(
        example.read("main.tf"),
        format!(
            "{WELL_FORMED}{VPC}resource \"aws_vpc\" \"w\" {{\n  tags = {{ \"gantrycd:resource-identity\" = \"null\" }}\n}}\nresource \"aws_vpc\" \"x\" {{\n  tags = {{ \"gantrycd:resource-identity-realm\" = \"r\" }}\n}}\n"
        )
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_workspace_is_not_followed() {
    let (example, elsewhere) = (Example::empty(), Example::empty());
    elsewhere.write("shared.tf", format!("{NEAR_MISS}{VPC}"));
    std::os::unix::fs::symlink(elsewhere.path("shared.tf"), example.path("main.tf")).unwrap();
    let done = fix(&example, &[]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(elsewhere.read("shared.tf"), format!("{NEAR_MISS}{VPC}"));
}
