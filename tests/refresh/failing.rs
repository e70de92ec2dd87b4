//! A tool that goes wrong in every way: the message is the right one, the old cache stays, nothing is
//! left running, and the other stacks get theirs.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Instant;
use std::{fs, thread};

use crate::states::bucket;
use crate::{DEADLINE, World, arn};

#[test]
fn each_failure_is_told_and_costs_one_stack() {
    let failing = [
        ("deaf", "`tofu` did not answer within 2 s and was ended"),
        (
            "denied",
            "not permitted: Error: AccessDenied: Access Denied",
        ),
        ("fail", "`tofu` failed (exit status: 3): Error: it broke"),
        ("flood", "`tofu` failed (exit status: 1): Error: flooded"),
        (
            "fork-and-hang",
            "`tofu` did not answer within 2 s and was ended",
        ),
        (
            "half",
            "what `tofu state pull` printed: truncated: the file ends before its JSON does",
        ),
        (
            "half-and-fail",
            "`tofu` failed (exit status: 1): Error: the connection broke",
        ),
        ("hang", "`tofu` did not answer within 2 s and was ended"),
        ("locked", "locked: Error: Error acquiring the state lock"),
        (
            "secrets",
            "`tofu` failed (exit status: 1): Error: no, password=*** is not it",
        ),
        (
            "uninitialised",
            "not initialised: run `tofu init` in uninitialised: Error: Backend initialization \
             required, please run \"tofu init\"",
        ),
    ];
    let well = ["fork", "good", "nothing"];
    let names: Vec<_> = failing.iter().map(|it| it.0).chain(well).collect();
    let world = World::new(&names);
    let settings = "states {\n  timeout_seconds = 2\n  parallelism     = 8\n}\n";
    world.workspace.write("gantrycd.hcl", settings);
    let first = world.run(&["refresh", "--all"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert_eq!(first.out, "14 of 14 stacks refreshed\n");

    for name in &names {
        world.does(name, name);
        world.state(name, &bucket(&arn(name), 2));
    }
    let before: Vec<_> = failing.iter().map(|it| world.cached(it.0)).collect();
    let start = Instant::now();
    let second = world.run(&["refresh", "--all"]);
    assert!(start.elapsed() < DEADLINE);
    assert_eq!(second.code, Some(1));
    let mut expected: Vec<_> = failing
        .iter()
        .map(|(name, what)| format!("{name}: {what}"))
        .collect();
    expected.push("fork: 2 rows, serial 2".to_owned());
    expected.push("good: 2 rows, serial 2".to_owned());
    expected.push("nothing: no state yet".to_owned());
    expected.sort();
    assert_eq!(second.told(), expected);
    assert_eq!(
        second.out,
        "2 of 14 stacks refreshed, 1 without a state yet, 11 failed (1 not initialised, 1 not \
         permitted, 1 locked, 3 timeout, 1 unreadable, 4 other)\n"
    );
    let after: Vec<_> = failing.iter().map(|it| world.cached(it.0)).collect();
    assert!(before == after, "what was cached is not what it was");
    assert!(world.cached("nothing").is_some());
    world.is_left_alone();
    world.has_no_secret();
}

#[test]
fn only_what_reads_is_ever_asked() {
    let world = World::new(&["a"]);
    world.workspace.write("a/.terraform.lock.hcl", "");
    world.state("a", &bucket(&arn("a"), 1));
    let commands = [
        &["refresh", "--all"][..],
        &["refresh", "--changed"],
        &["refresh", "a", "--force"],
        &["refresh", "a", "--all-workspaces"],
        &["refresh", "a", "--workspace", "dev"],
        &["refresh", "a@nope"],
        &["check"],
        &["status"],
    ];
    for command in commands {
        world.run(command);
    }
    let mut asked = world.asked();
    asked.dedup();
    assert_eq!(
        asked,
        [
            "a|state pull -no-color|default|1|0",
            "a|state pull -no-color|dev|1|0",
            "a|workspace list -no-color|default|1|0",
        ]
    );
    let none = world.run(&["refresh", "a@nope"]);
    assert_eq!(none.code, Some(1));
    assert_eq!(
        none.told(),
        ["a@nope: there is no workspace nope in a: it has default, dev"]
    );
    // to ask for its state would have made it
    assert_eq!(world.asked(), ["a|workspace list -no-color|default|1|0"]);
    world.outside.write("workspaces", "");
    let none = world.run(&["refresh", "a", "--all-workspaces"]);
    assert_eq!(none.code, Some(1));
    assert_eq!(none.told(), ["a: none of its workspaces is listed"]);
}

#[test]
fn a_tool_that_is_not_there_is_missing() {
    let world = World::new(&["a", "b"]);
    world.workspace.write("b/.terraform-version", "1.11.4\n");
    let empty = world.workspace.path("empty");
    fs::create_dir(&empty).unwrap();
    let run = |path: &std::path::Path| {
        crate::finished(world.command(&["refresh", "--all"]).env("PATH", path))
    };
    let none = run(&empty);
    assert_eq!(
        none.told(),
        [
            "a: neither `tofu` nor `terraform` is on the path",
            "b: `terraform`, which `.terraform-version` asks for, is not on the path",
        ]
    );
    assert_eq!(
        none.out,
        "0 of 2 stacks refreshed, 2 failed (2 tool missing)\n"
    );
    let system = |name: &str| world.workspace.path(&format!("empty/{name}"));
    for name in ["sh", "cat", "sed", "printf"] {
        let there = ["/bin", "/usr/bin"].map(|it| format!("{it}/{name}"));
        let there = there.iter().find(|it| fs::exists(it).unwrap()).unwrap();
        symlink(there, system(name)).unwrap();
    }
    fs::copy(world.outside.path("bin/tofu"), system("tofu")).unwrap();
    let one = run(&empty);
    assert_eq!(one.code, Some(1));
    assert_eq!(one.told()[0], "a: 2 rows, serial 1");
}

#[test]
fn the_cache_is_the_users_alone_and_nowhere_else() {
    let world = World::new(&["live/a"]);
    // whoever made it before
    fs::create_dir_all(world.workspace.path(".gantrycd/state/live")).unwrap();
    fs::set_permissions(
        world.workspace.path(".gantrycd/state"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    assert_eq!(world.run(&["refresh", "--all"]).code, Some(0));
    let mode = |path: &str| {
        let metadata = fs::metadata(world.workspace.path(path)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode(".gantrycd"), 0o700);
    assert_eq!(mode(".gantrycd/state"), 0o700);
    assert_eq!(mode(".gantrycd/state/live"), 0o700);
    assert_eq!(mode(".gantrycd/state/live/a.json"), 0o600);
    let ignored = world.workspace.read(".gantrycd/.gitignore");
    assert!(ignored.lines().any(|it| it == "*"), "{ignored}");
    // somebody wants it in the repository
    world.workspace.write(".gantrycd/.gitignore", "");
    assert_eq!(world.run(&["refresh", "--all"]).code, Some(0));
    assert_eq!(world.workspace.read(".gantrycd/.gitignore"), "");

    let elsewhere = world.outside.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::remove_dir_all(world.workspace.path(".gantrycd")).unwrap();
    symlink(&elsewhere, world.workspace.path(".gantrycd")).unwrap();
    let refused = world.run(&["refresh", "--all"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.told()[0].contains(".gantrycd is no directory"),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn an_older_state_takes_the_place_of_a_newer_one_only_if_it_is_forced_to() {
    let world = World::new(&["a"]);
    world.state("a", &bucket(&arn("a"), 7));
    assert_eq!(world.run(&["refresh", "a"]).code, Some(0));
    world.state("a", &bucket(&arn("a"), 6));
    let older = world.run(&["refresh", "a"]);
    assert_eq!(older.code, Some(1));
    assert_eq!(
        older.told(),
        ["a: the state has serial 6, and what is cached of it serial 7: it is kept"]
    );
    assert!(
        older.out.contains("1 older than what is cached"),
        "{older:?}"
    );
    assert_eq!(
        world.run(&["refresh", "a", "--force"]).told(),
        ["a: 2 rows, serial 6"]
    );
    // one that was begun anew is none that is older
    let mut anew = bucket(&arn("a"), 1);
    anew["lineage"] = "another".into();
    world.state("a", &anew);
    assert_eq!(world.run(&["refresh", "a"]).told(), ["a: 2 rows, serial 1"]);
}

#[test]
fn stacks_are_chosen_by_name_by_glob_and_by_what_changed() {
    let world = World::new(&["live/a", "live/b", "test/a"]);
    world.workspace.write(
        "local/main.tf",
        "terraform {\n  backend \"local\" {}\n}\nresource \"aws_vpc\" \"v\" {}\n",
    );
    world.state("local", &bucket(&arn("local"), 1));
    let names = |arguments: &[&str]| {
        let run = world.run(&[&["refresh"], arguments].concat());
        let names = run
            .told()
            .into_iter()
            .map(|it| it.split_once(": ").unwrap().0.to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&["--all"]), ["live/a", "live/b", "test/a"]);
    assert_eq!(names(&["live/*"]), ["live/a", "live/b"]);
    assert_eq!(
        names(&["local", "**/a", "live/a/"]),
        ["live/a", "local", "test/a"]
    );
    assert_eq!(names(&["--changed"]), [""; 0]);
    thread::sleep(std::time::Duration::from_millis(1100));
    world.stack("live/b");
    fs::remove_file(world.inventory("test/a")).unwrap();
    assert_eq!(names(&["--changed"]), ["live/b", "test/a"]);
    assert_eq!(
        names(&["live/a", "--workspace", "dev", "--workspace", "default"]),
        ["live/a", "live/a@dev"]
    );
    assert_eq!(names(&["live/a@dev"]), ["live/a@dev"]);
    // what was asked for once is known from then on
    assert_eq!(
        names(&["--all"]),
        ["live/a", "live/a@dev", "live/b", "test/a"]
    );
    let unknown = world.run(&["refresh", "live/c"]);
    assert_eq!(unknown.code, Some(2));
    assert_eq!(
        unknown.err,
        "error: no stack of this workspace is called live/c: did you mean live/a?\n"
    );
    let none = world.run(&["refresh"]);
    assert_eq!(none.code, Some(2));
    let set = "states {\n  all_workspaces = true\n}\n";
    world.workspace.write("gantrycd.hcl", set);
    assert_eq!(names(&["live/b"]), ["live/b", "live/b@dev"]);
}
