//! The page of `graph --format html` in a real browser.
//!
//! The library that drives it is installed from the npm registry once, below the target directory.
//! The browser is the system's.

#![cfg(unix)]

#[path = "support/example.rs"]
mod example;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use example::Example;
use serde_json::{Value, json};

/// What the browser may be called.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

const NEEDS: &str = "The tests of the graph's page need Chromium on the PATH (on Debian: apt-get \
                     install chromium), `node` 20 or later and `npm`, and an npm registry.";

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graph")
}

fn browser() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<_> = std::env::split_paths(&path).collect();
    let places = BROWSERS
        .iter()
        .flat_map(|name| directories.iter().map(move |it| it.join(name)));
    let mut places = places.filter(|it| it.is_file());
    places.next().unwrap_or_else(|| panic!("{NEEDS}"))
}

/// What a command printed. Fails with what it says when it does.
fn done(command: &mut Command) -> Output {
    let what = format!("{command:?}");
    let output = command.output();
    let output = output.unwrap_or_else(|why| panic!("{NEEDS}\n{what}: {why}"));
    let told = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success(), "{what}\n{}", told.concat());
    output
}

/// Where the library is, installed when it is not there as it should be.
fn library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let home = target.join("editors/browser");
    fs::create_dir_all(&home).unwrap();
    // tests run side by side
    let lock = File::create(home.join("lock")).unwrap();
    lock.lock().unwrap();
    let file = "package-lock.json";
    let wanted = fs::read(scenarios().join(file)).unwrap();
    let installed = home.join("installed");
    if fs::read(&installed).is_ok_and(|it| it == wanted) {
        return home;
    }
    for file in [file, "package.json"] {
        fs::copy(scenarios().join(file), home.join(file)).unwrap();
    }
    done(
        Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund"])
            .current_dir(&home),
    );
    fs::write(installed, wanted).unwrap();
    home
}

fn row(mode: &str, address: &str, arn: &str, realm: Option<&str>) -> Value {
    let (resource_type, name) = address.split_once('.').unwrap();
    let tags = match realm {
        Some(realm) => json!({ "gantrycd:resource-identity-realm": realm }),
        None => json!({}),
    };
    let mut attributes = json!({ "arn": arn, "tags": tags });
    if mode == "managed" {
        attributes["tags_all"] = attributes["tags"].clone();
    }
    json!({
        "mode": mode,
        "type": resource_type,
        "name": name,
        "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
        "instances": [{ "attributes": attributes }],
    })
}

/// A stack of these rows: what it owns, and what it reads.
fn stack(to: &Example, name: &str, owns: &[(&str, &str)], reads: &[(&str, &str)]) {
    let realm = name.starts_with("shared").then_some("live");
    let mut configuration = String::from("# a line above\n");
    let mut rows = Vec::new();
    for (keyword, mode, list) in [("resource", "managed", owns), ("data", "data", reads)] {
        for (address, arn) in list {
            let (resource_type, label) = address.split_once('.').unwrap();
            configuration += &format!("{keyword} \"{resource_type}\" \"{label}\" {{");
            if realm.is_some() {
                configuration += "\n  tags = { \"gantrycd:resource-identity-realm\" = \"live\" }\n";
            }
            configuration += "}\n";
            rows.push(row(mode, address, arn, realm));
        }
    }
    let state = json!({ "version": 4, "serial": 1, "lineage": name, "resources": rows });
    to.write(&format!("{name}/main.tf"), configuration);
    to.write(&format!("{name}/terraform.tfstate"), state.to_string());
}

/// A workspace with one of everything that a page shows.
fn workspace() -> Example {
    const VPC: &str = "arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1";
    const SUBNET: &str = "arn:aws:ec2:eu-west-1:111122223333:subnet/subnet-1";
    const LB: &str = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1";
    const LOGS: &str = "arn:aws:s3:::logs";
    const A: &str = "arn:aws:sqs:eu-west-1:111122223333:a";
    const B: &str = "arn:aws:sqs:eu-west-1:111122223333:b";
    let at = Example::empty();
    let owns = [("aws_vpc.main", VPC), ("aws_subnet.a", SUBNET)];
    stack(&at, "network", &owns, &[]);
    let reads = [("aws_vpc.main", VPC), ("aws_subnet.a", SUBNET)];
    stack(&at, "shop/web", &[("aws_lb.web", LB)], &reads);
    stack(&at, "shop/orders", &[], &[("aws_lb.web", LB)]);
    stack(&at, "shared/a", &[("aws_s3_bucket.x", LOGS)], &[]);
    stack(&at, "shared/b", &[("aws_s3_bucket.x", LOGS)], &[]);
    stack(
        &at,
        "ring/a",
        &[("aws_sqs_queue.q", A)],
        &[("aws_sqs_queue.r", B)],
    );
    stack(
        &at,
        "ring/b",
        &[("aws_sqs_queue.q", B)],
        &[("aws_sqs_queue.r", A)],
    );
    stack(&at, "Alone", &[], &[]);
    let odd = "odd \"<img src=x onerror=alert(1)>&amp; {{script}}";
    stack(&at, odd, &[], &[]);
    at
}

/// Draws the workspace into a file.
fn draw(at: &Example, format: &str, to: &Path) {
    done(
        Command::new(env!("CARGO_BIN_EXE_gantrycd-ls"))
            .args(["graph", "--format", format, "--output"])
            .arg(to)
            .current_dir(at.root())
            .env("GANTRYCD_LS_NO_CACHE", "1"),
    );
}

/// Runs one of `tests/graph/*.mjs` on the page of the workspace.
fn scenario(name: &str) {
    let (browser, library) = (browser(), library());
    let workspace = workspace();
    let drawn = Example::empty();
    let (page, graph) = (drawn.path("graph.html"), drawn.path("graph.json"));
    draw(&workspace, "html", &page);
    draw(&workspace, "json", &graph);
    done(
        Command::new("node")
            .arg(scenarios().join(format!("{name}.mjs")))
            .env("GANTRYCD_BROWSER", library)
            .env("GANTRYCD_CHROMIUM", browser)
            .env("GANTRYCD_PAGE", page)
            .env("GANTRYCD_GRAPH", graph)
            .env("GANTRYCD_ROOT", workspace.root()),
    );
}

#[test]
fn everything_is_drawn() {
    scenario("drawing");
}

#[test]
fn a_click_tells_of_a_stack() {
    scenario("panel");
}

#[test]
fn stacks_are_found() {
    scenario("find");
}

#[test]
fn everything_can_be_done_by_keys() {
    scenario("keys");
}

#[test]
fn it_is_light_or_dark() {
    scenario("looks");
}

#[test]
fn an_editor_opens_sources() {
    scenario("webview");
}

#[test]
fn nothing_gets_out_and_nothing_else_runs() {
    scenario("shut");
}
