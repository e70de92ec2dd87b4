//! What is built away from this repository's own tests: the container and the release.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex::Regex;

fn at_home(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(at_home(path)).unwrap()
}

/// The files outside of `src` that a source has in it, relative to the repository.
fn included(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            included(&path, found);
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (_, rest) in text
            .match_indices("include_")
            .map(|(at, _)| text.split_at(at))
        {
            let Some((mark, rest)) = rest.split_once("!(\"") else {
                continue;
            };
            if matches!(mark, "include_str" | "include_bytes") {
                let (name, _) = rest.split_once('"').unwrap();
                let mut plain = PathBuf::new();
                for part in directory.join(name).components() {
                    match part {
                        Component::ParentDir => assert!(plain.pop()),
                        part => plain.push(part),
                    }
                }
                let relative = plain.strip_prefix(at_home("")).unwrap();
                if !relative.starts_with("src") {
                    found.insert(relative.to_owned());
                }
            }
        }
    }
}

#[test]
fn the_container_is_built_with_all_that_the_sources_have_in_them() {
    let mut wanted = BTreeSet::from(["Cargo.toml", "Cargo.lock", "src"].map(PathBuf::from));
    included(&at_home("src"), &mut wanted);
    let (file, ignored) = (read("Dockerfile"), read(".dockerignore"));
    let copied = file
        .lines()
        .filter_map(|it| it.strip_prefix("COPY ")?.rsplit_once(' '))
        .flat_map(|(from, _)| from.split(' '));
    let copied: BTreeSet<_> = copied.collect();
    let sent: BTreeSet<_> = ignored
        .lines()
        .filter_map(|it| it.strip_prefix('!'))
        .collect();
    for path in wanted {
        assert!(
            path.ancestors()
                .any(|it| copied.contains(it.to_str().unwrap())),
            "{path:?}"
        );
        assert!(
            path.ancestors()
                .any(|it| sent.contains(it.to_str().unwrap())),
            "{path:?}"
        );
    }
}

/// A step of a workflow that runs one line.
fn step<'a>(workflow: &'a str, name: &str) -> &'a str {
    let (_, rest) = workflow
        .split_once(&format!("- name: {name}\n"))
        .expect("there is such a step");
    let (line, _) = rest.split_once('\n').unwrap();
    line.trim_start()
        .strip_prefix("run: ")
        .expect("it is one line")
}

#[cfg(unix)]
#[test]
fn a_release_tries_the_server_as_its_shell_runs_it() {
    let line = step(&read(".github/workflows/release.yml"), "Try it").replace(
        "target/${{ matrix.target }}/release/gantrycd-ls",
        env!("CARGO_BIN_EXE_gantrycd-ls"),
    );
    // `shell: bash` of a workflow
    let mut shell = Command::new("bash");
    shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &line]);
    let tried = shell.current_dir(at_home("")).output().unwrap();
    assert!(tried.status.success(), "{line}: {tried:?}");
}

#[test]
fn the_hook_runs_for_every_file_that_is_read() {
    let hook = read(".pre-commit-hooks.yaml");
    let pattern = hook
        .lines()
        .find_map(|it| it.trim().strip_prefix("files: '")?.strip_suffix('\''));
    let pattern = Regex::new(pattern.expect("it says which")).unwrap();
    for name in [
        "live/web/main.tf",
        "live/web/main.tofu",
        "live/web/main.tf.json",
        "live/web/main.tofu.json",
        "live/web/terraform.tfvars",
        "live/web/a.auto.tfvars.json",
        "live/web/terraform.tfstate",
        "live/web/.terraform.lock.hcl",
        "gantrycd.hcl",
    ] {
        assert!(pattern.is_match(name), "{name}");
    }
    assert!(!pattern.is_match("package.json"));
}
