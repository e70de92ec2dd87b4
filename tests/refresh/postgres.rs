//! The `pg` backend, with a real PostgreSQL that the test starts.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::example::Example;
use crate::states::{SECRET, bucket};
use crate::terraform::{self, is_here};
use crate::{finished, scan};

/// The programs of the newest PostgreSQL of this machine.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut programs: Vec<_> = versions.map(|it| it.path().join("bin")).collect();
    programs.retain(|it| it.join("initdb").is_file());
    programs.sort();
    programs.pop()
}

/// A server of its own, which ends with the test.
struct Postgres {
    programs: PathBuf,
    data: Example,
    port: u16,
}

impl Postgres {
    fn start() -> Option<Self> {
        let programs = programs()?;
        let data = Example::empty();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let postgres = Self {
            programs,
            data,
            port,
        };
        fs::create_dir(postgres.data.path("data")).unwrap();
        postgres.data.write("password", SECRET);
        if is_root() {
            // the server refuses to run as root
            let all = fs::Permissions::from_mode(0o755);
            fs::set_permissions(postgres.data.root(), all).unwrap();
            done(
                Command::new("chown")
                    .args(["-R", "nobody"])
                    .arg(postgres.data.root()),
            );
        }
        let (password, data) = (postgres.data.path("password"), postgres.data.path("data"));
        let arguments = [
            "-U",
            "tester",
            "-A",
            "scram-sha-256",
            "--no-sync",
            "--pwfile",
        ];
        done(
            postgres
                .command("initdb")
                .args(arguments)
                .arg(password)
                .arg("-D")
                .arg(&data),
        );
        let options = format!(
            "-p {port} -h 127.0.0.1 -k {} -c fsync=off",
            postgres.data.root().display()
        );
        let log = postgres.data.path("log");
        let mut start = postgres.command("pg_ctl");
        start
            .args(["-w", "-o", &options, "-l"])
            .arg(log)
            .arg("-D")
            .arg(&data)
            .arg("start");
        done(&mut start);
        Some(postgres)
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("setpriv");
                command
                    .args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"])
                    .arg(program);
                command
            }
            false => Command::new(program),
        };
        command.current_dir(self.data.root()).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Where a client finds it, as somebody with this password.
    fn address(&self, password: &str) -> String {
        let port = self.port;
        format!("postgres://tester:{password}@127.0.0.1:{port}/postgres?sslmode=disable")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let data = self.data.path("data");
        let mut stop = self.command("pg_ctl");
        _ = stop
            .args(["-m", "immediate", "-D"])
            .arg(data)
            .arg("stop")
            .status();
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

fn done(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

fn push(directory: &Path, environment: &[(&str, &str)], state: &serde_json::Value) {
    let file = Example::empty();
    file.write("state.json", state.to_string());
    let path = file.path("state.json");
    let push = ["state", "push", path.to_str().unwrap()];
    terraform::run_with(directory, &push, environment);
}

#[test]
fn a_pg_backend_with_workspaces() {
    if !is_here() {
        return;
    }
    let Some(postgres) = Postgres::start() else {
        println!("there is no PostgreSQL below /usr/lib/postgresql: nothing is asked of it");
        return;
    };
    let world = Example::empty();
    world.write("gantrycd.hcl", "");
    let backend = |stack: &str| {
        format!("terraform {{\n  backend \"pg\" {{\n    schema_name = \"{stack}\"\n  }}\n}}\n")
    };
    let address = postgres.address(SECRET);
    let environment = [("PG_CONN_STR", &*address)];
    for stack in ["a", "b"] {
        let main = format!("{stack}/main.tf");
        world.write(&main, backend(stack));
        let init = ["init", "-input=false"];
        terraform::run_with(&world.path(stack), &init, &environment);
        push(
            &world.path(stack),
            &environment,
            &bucket("arn:aws:s3:::shared", 3),
        );
        // its provider is not installed: to ask for a state needs none
        let own = "resource \"aws_s3_bucket\" \"b\" {}\n";
        world.write(&main, backend(stack) + own);
    }
    terraform::run_with(&world.path("a"), &["workspace", "new", "dev"], &environment);
    push(
        &world.path("a"),
        &environment,
        &bucket("arn:aws:s3:::dev", 9),
    );

    let run = |arguments: &[&str], address: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"));
        command.current_dir(world.root()).args(arguments);
        command
            .env("PG_CONN_STR", address)
            .env("GANTRYCD_LS_NO_CACHE", "1");
        finished(&mut command)
    };
    let refreshed = run(&["refresh", "--all", "--all-workspaces"], &address);
    assert_eq!(
        refreshed.told(),
        [
            "a: 2 rows, serial 1",
            "a@dev: 2 rows, serial 10",
            "b: 2 rows, serial 1"
        ]
    );
    let nobody = run(&["refresh", "a@nope"], &address);
    assert_eq!(
        nobody.told(),
        ["a@nope: there is no workspace nope in a: it has default, dev"]
    );
    let checked = run(&["check"], &address);
    let duplicate = "manages the same object as aws_s3_bucket.b of b (b/main.tf): \
                     arn:aws:s3:::shared";
    assert!(checked.out.contains(duplicate), "{}", checked.out);
    let refused = run(&["refresh", "b"], &postgres.address("wrong-password"));
    assert!(
        refused.told()[0].starts_with("b: no credentials: "),
        "{refused:?}"
    );
    assert!(!refused.err.contains("wrong-password"), "{}", refused.err);
    assert!(scan(world.root()) > 5);
}
