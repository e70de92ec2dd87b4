//! What is stored of states between two runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime};

use super::binary;

/// A workspace of two stacks that own the same object, and a user's cache.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        for stack in ["a", "b"] {
            workspace.write(
                &format!("{stack}/main.tf"),
                "resource \"aws_vpc\" \"v\" {}\n",
            );
            workspace.write(&format!("{stack}/terraform.tfstate"), &state("vpc-1"));
        }
        workspace
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join("w").join(below)
    }

    /// Writes a file as somebody did an hour ago.
    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(an_hour_ago()).unwrap();
    }

    fn run(&self, environment: &[(&str, &Path)]) -> String {
        let mut check = binary(&self.path(""), &["check"]);
        check.env_remove("GANTRYCD_LS_NO_CACHE");
        check.env("XDG_CACHE_HOME", self.0.path().join("cache"));
        check.envs(environment.iter().copied());
        let Output { stdout, stderr, .. } = check.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&stderr), "");
        String::from_utf8(stdout).unwrap()
    }

    fn cached(&self) -> PathBuf {
        let directory = self.0.path().join("cache/gantrycd-ls/states");
        let mut files = fs::read_dir(directory).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        file
    }
}

fn an_hour_ago() -> SystemTime {
    // the same for all: a second is told from its neighbours
    static AT: std::sync::LazyLock<SystemTime> =
        std::sync::LazyLock::new(|| SystemTime::now() - Duration::from_secs(3600));
    *AT
}

fn state(vpc: &str) -> String {
    format!(
        r#"{{"version": 4, "serial": 1, "lineage": "l", "resources": [{{"mode": "managed",
        "type": "aws_vpc", "name": "v",
        "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [{{
        "attributes": {{"arn": "arn:aws:ec2:eu-west-1:111122223333:vpc/{vpc}",
        "password": "not-a-real-secret"}}}}]}}]}}"#
    )
}

#[cfg(unix)]
#[test]
fn a_state_whose_file_did_not_change_is_not_read_again() {
    let workspace = Workspace::new();
    let first = workspace.run(&[]);
    assert!(first.contains("duplicate-identity"), "{first}");
    let stored = fs::read(workspace.cached()).unwrap();
    assert!(!String::from_utf8_lossy(&stored).contains("not-a-real-secret"));

    // nobody could do this by accident
    let garbage = "x".repeat(state("vpc-1").len());
    workspace.write("b/terraform.tfstate", &garbage);
    assert_eq!(workspace.run(&[]), first);
    let uncached = workspace.run(&[("GANTRYCD_LS_NO_CACHE", Path::new("1"))]);
    assert!(!uncached.contains("duplicate-identity"), "{uncached}");

    // another state of the same length, a second later
    workspace.write("b/terraform.tfstate", &state("vpc-2"));
    let file = File::options()
        .write(true)
        .open(workspace.path("b/terraform.tfstate"))
        .unwrap();
    file.set_modified(an_hour_ago() + Duration::from_secs(1))
        .unwrap();
    assert!(!workspace.run(&[]).contains("duplicate-identity"));
    assert!(!workspace.run(&[]).contains("duplicate-identity"));
}

#[cfg(unix)]
#[test]
fn whatever_is_wrong_with_the_cache_nobody_hears_of_it() {
    let workspace = Workspace::new();
    let first = workspace.run(&[]);
    let stored = fs::read(workspace.cached()).unwrap();
    for damaged in [
        &b"garbage"[..],
        b"",
        &stored[..stored.len() / 2],
        &stored[7..],
    ] {
        fs::write(workspace.cached(), damaged).unwrap();
        assert_eq!(workspace.run(&[]), first);
        assert_eq!(fs::read(workspace.cached()).unwrap(), stored);
    }
    // a cache that cannot be, and a user without a home
    let file = workspace.path("a/main.tf");
    assert_eq!(workspace.run(&[("XDG_CACHE_HOME", &file)]), first);
    let nowhere = Path::new("");
    assert_eq!(
        workspace.run(&[("XDG_CACHE_HOME", nowhere), ("HOME", nowhere)]),
        first
    );
    // several at once
    std::thread::scope(|scope| {
        fs::remove_file(workspace.cached()).unwrap();
        let runs = [(); 8].map(|()| scope.spawn(|| workspace.run(&[])));
        for run in runs {
            assert_eq!(run.join().unwrap(), first);
        }
    });
    assert_eq!(fs::read(workspace.cached()).unwrap(), stored);
}
