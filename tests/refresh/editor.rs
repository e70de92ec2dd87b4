//! An editor that has states refreshed: progress, cancellation, what is shown, and what never is.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::World;
use crate::client::Client;
use crate::states::bucket;

const REFRESH: &str = "workspace/executeCommand";

fn capabilities() -> Value {
    json!({
        "window": { "workDoneProgress": true },
        "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
    })
}

/// A server on a workspace, and what it writes down.
fn started(world: &World, options: &Value) -> Client {
    let log = world.outside.path("log");
    let record = world.outside.path("record");
    let mut command: Command = world.command(&["--log"]);
    command.arg(log).arg("--record").arg(record);
    let mut client = Client::run(&mut command, world.workspace.root());
    client.introduce(&[""], capabilities(), options.clone());
    client.notify("initialized", json!({}));
    client.serve("client/registerCapability");
    client
}

fn refresh(argument: &Value) -> Value {
    json!({ "command": "gantrycd.refresh", "arguments": [argument] })
}

/// The token of the progress that the server is about to show.
fn token(client: &mut Client) -> Value {
    client.serve("window/workDoneProgress/create")["token"].clone()
}

/// What is shown under a token until that ends.
fn progress(client: &mut Client, token: &Value) -> Vec<Value> {
    let mut shown = Vec::new();
    loop {
        let next = client.receive("progress", |it| {
            it["method"] == "$/progress" && it["params"]["token"] == *token
        });
        let value = next["params"]["value"].clone();
        let ends = value["kind"] == "end";
        shown.push(value);
        if ends {
            return shown;
        }
    }
}

fn answer(client: &mut Client, id: i64) -> Value {
    client.receive("an answer", |it| {
        it.get("method").is_none() && it["id"] == id
    })
}

fn shown(client: &mut Client) -> (u64, String) {
    let shown = client.receive("a message", |it| it["method"] == "window/showMessage");
    let params = &shown["params"];
    let kind = params["type"].as_u64().unwrap();
    (kind, params["message"].as_str().unwrap().to_owned())
}

#[test]
fn states_are_refreshed_by_command_and_count_at_once() {
    let world = World::new(&["a", "b", "c"]);
    for stack in ["a", "b"] {
        world.state(stack, &bucket("arn:aws:s3:::shared", 5));
    }
    world.does("c", "uninitialised");
    let mut client = started(&world, &json!(null));
    client.open("a/main.tf");
    let (before, _) = client.hover("a/main.tf", 3, 12).unwrap();
    assert_eq!(before, "No identity yet: stack `a` has no cached state.");

    let id = client.ask(REFRESH, refresh(&json!({ "stacks": "all" })));
    let token = token(&mut client);
    let told = progress(&mut client, &token);
    assert_eq!(told[0]["title"], "gantrycd: refreshing states");
    assert_eq!(told[0]["cancellable"], true);
    assert_eq!(told[0]["percentage"], 0);
    for it in &told[1..told.len() - 1] {
        assert!(
            it["message"].as_str().unwrap().ends_with("of 3 stacks"),
            "{it}"
        );
    }
    let reason = "c: not initialised: run `tofu init` in c: Error: Backend initialization \
                  required, please run \"tofu init\"";
    let summary = "2 of 3 stacks refreshed, 1 failed (1 not initialised)";
    assert_eq!(
        shown(&mut client),
        (2, format!("gantrycd: {summary}: {reason}"))
    );
    assert_eq!(client.logged(), format!("refresh:\n{reason}"));
    let result = answer(&mut client, id)["result"].clone();
    assert_eq!(result["summary"], summary);
    assert_eq!(
        (&result["refreshed"], &result["cancelled"]),
        (&json!(2), &json!(false))
    );
    assert_eq!(result["failed"][0]["stack"], "c");
    assert_eq!(result["failed"][0]["kind"], "not initialised");

    let (hover, _) = client.hover("a/main.tf", 3, 12).unwrap();
    assert!(hover.contains("Identity `arn:aws:s3:::shared`"), "{hover}");
    assert!(
        hover.contains("Also claimed by [`aws_s3_bucket.b` of `b`]"),
        "{hover}"
    );
    let recorded = "Recorded in the state of stack `a`, serial 5, cached less than a minute ago";
    assert!(hover.ends_with(recorded), "{hover}");
    for file in ["a/main.tf", "b/main.tf"] {
        let found = client.pushed(file).to_string();
        assert!(
            found.contains("error duplicate-identity 3:0-3:28"),
            "{found}"
        );
    }

    let status = json!({ "command": "gantrycd.status", "arguments": [] });
    let status = client.request(REFRESH, status);
    let a = &status["stacks"][0];
    assert_eq!(
        (&a["name"], &a["state"]["serial"]),
        (&json!("a"), &json!(5))
    );
    assert_eq!(a["state"]["path"], ".gantrycd/state/a.json");
    assert_eq!(a["state"]["is_old"], false);
    assert!(a["state"]["cached_at"].as_u64().unwrap() > 1_700_000_000);
    assert_eq!(status["stacks"][2]["state"], json!(null));
    client.finish();
    world.has_no_secret();
    for written in ["log", "record"] {
        let written = fs::read_to_string(world.outside.path(written)).unwrap();
        assert!(written.contains("executeCommand") && !written.contains("not-a-real-secret"));
    }
}

#[test]
fn what_a_client_wants_no_more_ends_with_all_that_it_started() {
    let world = World::new(&["a", "b", "c"]);
    for stack in ["a", "b", "c"] {
        world.does(stack, "fork-and-hang");
    }
    let mut client = started(&world, &json!(null));
    let by_progress = |client: &mut Client, _: i64, token: &Value| {
        client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    };
    let by_request = |client: &mut Client, id: i64, _: &Value| {
        client.notify("$/cancelRequest", json!({ "id": id }));
    };
    type Cancels<'a> = &'a dyn Fn(&mut Client, i64, &Value);
    let ways: [(Cancels, bool); 2] = [(&by_progress, false), (&by_request, true)];
    for (cancel, is_refused) in ways {
        let id = client.ask(REFRESH, refresh(&json!({ "stacks": ["a", "b", "c"] })));
        let token = token(&mut client);
        until_asked(&world, 3);
        let start = Instant::now();
        cancel(&mut client, id, &token);
        progress(&mut client, &token);
        // the bound is a second; the machine may be busy
        assert!(
            start.elapsed() < Duration::from_secs(3),
            "{:?}",
            start.elapsed()
        );
        let (kind, message) = shown(&mut client);
        assert_eq!(kind, 3);
        assert_eq!(message, "gantrycd: 0 of 3 stacks refreshed, 3 cancelled");
        let answer = answer(&mut client, id);
        match is_refused {
            true => assert_eq!(answer["error"]["code"], -32800),
            false => assert_eq!(answer["result"]["cancelled"], true),
        }
        world.is_left_alone();
    }
    // the server ends while it runs
    client.ask(REFRESH, refresh(&json!({ "stacks": ["a"] })));
    token(&mut client);
    until_asked(&world, 1);
    client.hang_up();
    world.is_left_alone();
}

fn until_asked(world: &World, times: usize) {
    let until = Instant::now() + crate::DEADLINE;
    while world.times_asked() < times {
        assert!(
            Instant::now() < until,
            "asked {} times",
            world.times_asked()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    world.asked();
}

#[test]
fn nothing_runs_in_a_workspace_that_is_not_trusted() {
    let world = World::new(&["a"]);
    let on = json!({
        "trusted": false,
        "gantrycd": { "states": { "refresh_on_save": true, "refresh_interval_minutes": 1 } },
    });
    let mut client = started(&world, &on);
    client.open("a/main.tf");
    client.hover("a/main.tf", 3, 12);
    let refused = client.ask(REFRESH, refresh(&json!({ "stacks": "all" })));
    let refused = answer(&mut client, refused);
    assert_eq!(
        refused["error"]["message"],
        "this workspace is not trusted: nothing is run in it"
    );
    save(&mut client, &world);
    client.hover("a/main.tf", 3, 12);
    assert_eq!(world.asked(), [""; 0]);
    client.finish();
    assert!(!world.workspace.path(".gantrycd").exists());
}

fn save(client: &mut Client, world: &World) {
    let uri = crate::client::uri(&world.workspace.path("a/main.tf"));
    client.notify(
        "textDocument/didSave",
        json!({ "textDocument": { "uri": uri } }),
    );
}

#[test]
fn nothing_runs_by_itself_unless_the_user_wants_it_to() {
    let world = World::new(&["a", "b"]);
    // a repository has no say in it
    let file = "states {\n  refresh_on_save = true\n}\n";
    world.workspace.write("gantrycd.hcl", file);
    let mut client = started(&world, &json!(null));
    let found = client.pushed("gantrycd.hcl");
    assert_eq!(
        found.diagnostics[0]["message"],
        "`refresh_on_save` can be set in an editor's settings only. It is left aside."
    );
    client.open("a/main.tf");
    save(&mut client, &world);
    client.hover("a/main.tf", 3, 12);
    assert_eq!(world.asked(), [""; 0]);

    client.configure(json!({ "gantrycd": { "states": { "refresh_on_save": true } } }));
    client.hover("a/main.tf", 3, 12);
    save(&mut client, &world);
    let token = token(&mut client);
    progress(&mut client, &token);
    let asked = world.asked();
    assert_eq!(
        asked,
        ["a|state pull -no-color|default|1|0"],
        "of its stack alone"
    );
    let (hover, _) = client.hover("a/main.tf", 3, 12).unwrap();
    assert!(hover.contains("Identity `arn:aws:s3:::a`"), "{hover}");
    client.finish();
}

#[test]
fn what_is_no_command_or_none_of_its_arguments_is_refused() {
    let world = World::new(&["a"]);
    let mut client = started(&world, &json!(null));
    for (command, argument) in [
        ("gantrycd.refresh", json!({ "stacks": "some" })),
        ("gantrycd.refresh", json!({ "stacks": ["nope"] })),
        ("gantrycd.nothing", json!(null)),
    ] {
        let params = json!({ "command": command, "arguments": [argument] });
        assert_eq!(client.refused(REFRESH, params), -32602);
    }
    // without progress, under a token of the client's own, and without arguments
    let params = json!({ "command": "gantrycd.refresh", "workDoneToken": "mine" });
    let id = client.ask(REFRESH, params);
    let told = progress(&mut client, &json!("mine"));
    assert_eq!(told[0]["kind"], "begin");
    assert_eq!(
        shown(&mut client),
        (3, "gantrycd: 1 of 1 stack refreshed".to_owned())
    );
    assert_eq!(answer(&mut client, id)["result"]["refreshed"], 1);
    client.finish();
}
