//! Two hundred stacks.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::World;

fn world(parallelism: usize) -> World {
    let names: Vec<_> = (0..200).map(|it| format!("s/{it:03}")).collect();
    let names: Vec<_> = names.iter().map(|it| &**it).collect();
    let world = World::new(&names);
    for name in names {
        world.does(name, "slow");
    }
    let settings = format!("states {{\n  parallelism = {parallelism}\n}}\n");
    world.workspace.write("gantrycd.hcl", settings);
    world
}

#[test]
fn two_hundred_stacks_are_refreshed_so_many_at_a_time() {
    let world = world(6);
    let run = world.run(&["refresh", "--all"]);
    assert_eq!(
        (run.code, &*run.out),
        (Some(0), "200 of 200 stacks refreshed\n")
    );
    let counts: Vec<_> = run
        .err
        .lines()
        .filter_map(|it| it.split_once(']'))
        .collect();
    let counts: Vec<_> = counts.iter().map(|it| it.0.to_owned()).collect();
    let expected: Vec<_> = (1..=200).map(|it| format!("[{it}/200")).collect();
    assert_eq!(counts, expected);
    let work = fs::read_to_string(world.outside.path("work")).unwrap();
    let (mut now, mut most) = (0, 0);
    for line in work.lines() {
        match line {
            "begin" => now += 1,
            _ => now -= 1,
        }
        most = most.max(now);
    }
    assert_eq!((now, most), (0, 6));
    world.is_left_alone();
}

#[test]
fn who_interrupts_it_half_way_waits_no_longer() {
    let world = world(4);
    world.does("s/100", "hang");
    let mut refresh = world.command(&["refresh", "--all"]);
    let mut refresh = refresh
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(refresh.stderr.take().unwrap()).lines();
    let half = lines.find(|it| it.as_ref().is_ok_and(|it| it.starts_with("[100/200]")));
    assert!(half.is_some());
    let start = Instant::now();
    let interrupt = ["-INT", &refresh.id().to_string()];
    assert!(
        Command::new("kill")
            .args(interrupt)
            .status()
            .unwrap()
            .success()
    );
    let code = refresh.wait().unwrap().code();
    let took = start.elapsed();
    // the bound is a second; the machine may be busy
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(code, Some(130));
    let mut out = String::new();
    refresh.stdout.unwrap().read_to_string(&mut out).unwrap();
    assert!(
        out.contains("of 200 stacks refreshed") && out.contains("cancelled"),
        "{out}"
    );
    assert!(!out.contains("failed"), "{out}");
    world.is_left_alone();
    // what was done before stays
    assert!(
        fs::read_dir(world.workspace.path(".gantrycd/state/s"))
            .unwrap()
            .count()
            >= 100
    );
}
