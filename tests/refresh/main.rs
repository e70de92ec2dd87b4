//! States from where they really live: the real binary, and a `terraform` or a `tofu` that is real or
//! as bad as they come.

#![cfg(unix)]

#[path = "../support/client.rs"]
mod client;
mod editor;
#[path = "../support/example.rs"]
mod example;
mod failing;
mod importing;
mod many;
mod postgres;
mod real;
mod schemas;
#[path = "../support/states.rs"]
mod states;
#[path = "../support/terraform.rs"]
mod terraform;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use example::Example;
use serde_json::Value;
use states::SECRET;

/// Longer than anything takes, on the slowest machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A workspace, what its stacks' tools do, and a user's cache.
pub struct World {
    /// The workspace.
    pub workspace: Example,
    outside: Example,
}

/// What one run of the binary came to.
#[derive(Debug)]
pub struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

/// A tool that does what the file `does/STACK` says, `/` being `_`, and notes what it was asked.
const TOOL: &str = r#"#!/bin/sh
world=WORLD
name=$(printf '%s' "${PWD#"$world_root"}" | sed 's|^/||; s|/|_|g')
echo "$name|$*|$TF_WORKSPACE|$TF_IN_AUTOMATION|$TF_INPUT" >> "$world/asked"
case "$1" in
  workspace) cat "$world/workspaces"; exit 0 ;;
  providers) cat "$world/schemas.json"; exit 0 ;;
esac
state="$world/states/$name.json"
case "$(cat "$world/does/$name" 2>/dev/null)" in
  hang) sleep 1000 ;;
  flood) head -c 30000000 /dev/zero | tr '\0' 'x' >&2; echo >&2; echo 'Error: flooded' >&2; exit 1 ;;
  half) head -c 200 "$state" ;;
  half-and-fail) head -c 200 "$state"; echo 'Error: the connection broke' >&2; exit 1 ;;
  secrets) echo "Error: no, password=$(cat "$world/secret") is not it" >&2; exit 1 ;;
  fail) echo 'Error: it broke' >&2; exit 3 ;;
  fork) sleep 1000 & cat "$state" ;;
  fork-and-hang) sleep 1000 & sleep 1000 ;;
  deaf) trap '' TERM INT HUP; while :; do sleep 1; done ;;
  uninitialised) echo 'Error: Backend initialization required, please run "tofu init"' >&2; exit 1 ;;
  denied) echo 'Error: AccessDenied: Access Denied' >&2; exit 1 ;;
  locked) echo 'Error: Error acquiring the state lock' >&2; exit 1 ;;
  nothing) ;;
  slow) echo begin >> "$world/work"; sleep 0.1; cat "$state"; echo end >> "$world/work" ;;
  *) cat "$state" ;;
esac
"#;

impl World {
    /// A workspace with these stacks, each with a remote backend and a bucket. Their tool is `tofu`.
    pub fn new(stacks: &[&str]) -> Self {
        let world = Self {
            workspace: Example::empty(),
            outside: Example::empty(),
        };
        let tool = TOOL
            .replace("WORLD", world.outside.root().to_str().unwrap())
            .replace("$world_root", world.workspace.root().to_str().unwrap());
        world.outside.write("bin/tofu", tool);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(world.outside.path("bin/tofu"), executable).unwrap();
        world.outside.write("workspaces", "* default\n  dev\n");
        world.outside.write("secret", SECRET);
        world.workspace.write("gantrycd.hcl", "");
        for stack in stacks {
            world.stack(stack);
            world.state(stack, &states::bucket(&arn(stack), 1));
        }
        world
    }

    fn stack(&self, stack: &str) {
        let text = "terraform {\n  backend \"s3\" {}\n}\nresource \"aws_s3_bucket\" \"b\" {}\n";
        self.workspace.write(&format!("{stack}/main.tf"), text);
    }

    /// Has the tool answer this for a stack.
    pub fn state(&self, stack: &str, state: &Value) {
        let name = stack.replace('/', "_");
        self.outside
            .write(&format!("states/{name}.json"), state.to_string());
    }

    /// Has the tool do something else for a stack.
    pub fn does(&self, stack: &str, what: &str) {
        let name = stack.replace('/', "_");
        self.outside.write(&format!("does/{name}"), what);
    }

    /// What the tool was asked: the stack, the arguments, the workspace and what it was told besides.
    pub fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.outside.path("asked")).unwrap_or_default();
        _ = fs::remove_file(self.outside.path("asked"));
        let mut asked: Vec<_> = asked.lines().map(str::to_owned).collect();
        asked.sort();
        asked
    }

    /// How often the tool was asked something.
    pub fn times_asked(&self) -> usize {
        let asked = fs::read_to_string(self.outside.path("asked")).unwrap_or_default();
        asked.lines().count()
    }

    fn path(&self) -> OsString {
        let mut path = self.outside.path("bin").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        path
    }

    /// The binary in the workspace, its tool first on the path.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
        command
            .current_dir(self.workspace.root())
            .args(arguments)
            .stdin(Stdio::null())
            .env("PATH", self.path())
            .env("XDG_CACHE_HOME", self.outside.path("cache"))
            .env("CHECKPOINT_DISABLE", "1");
        command
    }

    /// Runs the binary in the workspace to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        finished(&mut self.command(arguments))
    }

    /// The inventory of a stack.
    pub fn cached(&self, stack: &str) -> Option<Vec<u8>> {
        fs::read(self.inventory(stack)).ok()
    }

    /// Where the inventory of a stack is.
    pub fn inventory(&self, stack: &str) -> PathBuf {
        self.workspace
            .path(&format!(".gantrycd/state/{stack}.json"))
    }

    /// Fails while anything runs that was started for this workspace, and does not end.
    pub fn is_left_alone(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let left = running_in(self.workspace.root());
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "left behind: {left:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Fails where a secret of a state stands below the workspace or in the user's cache.
    pub fn has_no_secret(&self) {
        let mut scanned = scan(self.workspace.root());
        let cache = self.outside.path("cache");
        if cache.exists() {
            scanned += scan(&cache);
        }
        assert!(scanned > 2, "only {scanned} files were there to be scanned");
    }
}

/// An ARN that a stack alone has.
pub fn arn(stack: &str) -> String {
    format!("arn:aws:s3:::{}", stack.replace('/', "-"))
}

/// Runs a command to its end. No secret is in what it says.
pub fn finished(command: &mut Command) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let run = Run {
        code: status.code(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    };
    for stream in [&run.out, &run.err] {
        assert!(!stream.contains(SECRET), "a secret of a state: {stream}");
        assert!(!stream.contains("panicked"), "{stream}");
    }
    run
}

impl Run {
    /// The lines about stacks, without how many are done, sorted.
    pub fn told(&self) -> Vec<String> {
        let lines = self.err.lines().filter_map(|it| it.strip_prefix('['));
        let told = lines.filter_map(|it| Some(it.split_once("] ")?.1.to_owned()));
        told.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Scans every byte of every file below a directory, and returns how many there are.
pub fn scan(directory: &Path) -> usize {
    let mut scanned = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scanned += scan(&path);
        } else {
            let bytes = fs::read(&path).unwrap();
            let secrets = [SECRET.as_bytes(), b"bm90LWEtcmVhbC1zZWNyZXQ"];
            for secret in secrets {
                let found = bytes.windows(secret.len()).any(|it| it == secret);
                assert!(!found, "a secret in {}", path.display());
            }
            scanned += 1;
        }
    }
    scanned
}

/// The processes that run below a directory, a server aside. Only Linux says so.
fn running_in(directory: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let here = processes.filter(|it| {
        let cwd = fs::read_link(it.path().join("cwd"));
        cwd.is_ok_and(|it| it.starts_with(directory))
    });
    let named = here.map(|it| {
        let command = fs::read_to_string(it.path().join("cmdline")).unwrap_or_default();
        command.replace('\0', " ")
    });
    let server = env!("CARGO_BIN_EXE_gantrycd-ls");
    let others = named.filter(|it| !it.is_empty() && !it.starts_with(server));
    others.collect()
}
