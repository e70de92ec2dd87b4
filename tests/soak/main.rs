//! A server that lives through a long day, against one that was just started.
//!
//! A seeded script edits, opens, closes, saves, replaces states, renames and deletes on the disk, adds
//! and removes folders, and takes requests back. Every so many steps, what the client was told must be
//! what a new server tells of the same disk and the same open documents, every request must have been
//! answered, and no memory may be lost.
//!
//! With an even seed the server watches the disk itself; with one that three divides, the client asks
//! what is wrong. The new server always tells. `cargo test` does it for a few seconds. For
//! longer: `GANTRYCD_SOAK_SECONDS=1200 GANTRYCD_SOAK_SEED=7 GANTRYCD_SOAK_EVERY=500 cargo test --release
//! --test soak -- --nocapture`. A failure tells its seed and step; `GANTRYCD_SOAK_STEPS` ends there,
//! and a smaller `GANTRYCD_SOAK_EVERY` finds the step that did it.

mod changes;
#[path = "../support/client.rs"]
mod client;
mod disk;
#[path = "../support/editor.rs"]
mod editor;
mod edits;
#[path = "../../benches/generate/mod.rs"]
mod generate;
#[path = "../support/process.rs"]
mod process;
mod script;

use std::collections::{BTreeMap, VecDeque};
use std::thread::panicking;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use editor::Editor;
use script::Script;

/// Longer than it ever takes until everything is told.
const MOST: Duration = Duration::from_secs(120);

/// As long as this, a server that has something to say is never silent.
const QUIET: Duration = Duration::from_millis(400);

#[test]
fn a_long_day_leaves_no_trace() {
    let seed = number("GANTRYCD_SOAK_SEED", 1);
    live_through_a_day(seed);
}

#[test]
fn a_day_of_a_client_that_asks_leaves_no_trace() {
    let seed = number("GANTRYCD_SOAK_SEED", 1);
    // what was asked for is this very day already
    if !seed.is_multiple_of(3) {
        live_through_a_day(3 * seed);
    }
}

fn live_through_a_day(seed: usize) {
    let seconds = number("GANTRYCD_SOAK_SECONDS", 12);
    let every = number("GANTRYCD_SOAK_EVERY", 50);
    let most = number("GANTRYCD_SOAK_STEPS", usize::MAX);
    let end = Instant::now() + Duration::from_secs(seconds as u64);
    let mut script = Script::begin(seed as u64);
    let mut last = Last {
        seed,
        step: 0,
        steps: VecDeque::new(),
    };
    let mut memory = Vec::new();
    while last.step < most && Instant::now() < end {
        last.step += 1;
        last.steps.push_back(script.step());
        if last.steps.len() > every {
            last.steps.pop_front();
        }
        if last.step.is_multiple_of(every) || last.step == most {
            compare(&mut script);
            memory.push(process::memory(script.editor.client.process()));
            let megabytes = memory[memory.len() - 1] as f64 / 1e6;
            println!("{} steps, {megabytes:.1} MB", last.step);
        }
    }
    compare(&mut script);
    stays(&memory);
}

fn number(name: &str, otherwise: usize) -> usize {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |it| it.parse().unwrap())
}

/// Compares what was told with what a new server tells.
fn compare(script: &mut Script) {
    script.mend_states();
    let mut fresh = script.fresh();
    let warm = &mut script.editor;
    for editor in [&mut *warm, &mut fresh] {
        // its answer is about everything that was sent before
        let document = json!({ "uri": "file:///nowhere.tf" });
        let at = json!({ "line": 0, "character": 0 });
        let id = editor.ask(
            "textDocument/hover",
            json!({ "textDocument": document, "position": at }),
        );
        editor.answer(id, MOST);
    }
    loop {
        let quiet = warm.quiet().min(fresh.quiet());
        let is_same = lists(warm) == lists(&fresh);
        if is_same && quiet > QUIET {
            break;
        }
        if quiet > 30 * QUIET {
            panic!("{}", difference(&lists(warm), &lists(&fresh)));
        }
        warm.listen(Duration::from_millis(20));
        fresh.listen(Duration::from_millis(20));
    }
    let answered = warm.until(MOST, |it| it.unanswered().is_empty());
    assert!(answered, "no answer: {:?}", warm.unanswered());
    warm.forget_answers();
    fresh.finish();
}

type Lists = BTreeMap<String, Vec<Value>>;

/// Everything that was told, in one order.
fn lists(editor: &Editor) -> Lists {
    let told = editor.all_told().into_iter();
    told.map(|(file, list)| {
        let mut list = list.to_vec();
        list.sort_by_cached_key(Value::to_string);
        (file.to_owned(), list)
    })
    .collect()
}

fn difference(warm: &Lists, fresh: &Lists) -> String {
    let mut text = String::from("what was told is not what a new server tells:\n");
    let mut files: Vec<_> = warm.keys().chain(fresh.keys()).collect();
    files.sort();
    files.dedup();
    for file in files {
        let of = |lists: &Lists| lists.get(file).cloned().unwrap_or_default();
        let (warm, fresh) = (of(warm), of(fresh));
        for (whose, these, others) in [("told", &warm, &fresh), ("new", &fresh, &warm)] {
            for it in these.iter().filter(|it| !others.contains(it)) {
                text += &format!("  {file}: only {whose}: {it:#}\n");
            }
        }
    }
    text
}

/// That the server holds no more memory at the end than at the beginning.
fn stays(memory: &[u64]) {
    // of a short day there is nothing to say
    if memory.len() < 9 {
        return;
    }
    let third = memory.len() / 3;
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort();
        part[part.len() / 2]
    };
    let (first, last) = (
        median(&memory[..third]),
        median(&memory[memory.len() - third..]),
    );
    println!("{first} bytes of memory in the first third, {last} in the last");
    // at first it still gets to know what there is, and the system's allocator keeps some
    assert!(last < first + first / 5 + 8_000_000, "the memory grows");
}

/// Says where the script was when something failed.
struct Last {
    seed: usize,
    step: usize,
    steps: VecDeque<String>,
}

impl Drop for Last {
    fn drop(&mut self) {
        if panicking() {
            println!("the last steps:");
            for step in &self.steps {
                println!("  {step}");
            }
            println!("seed {}, step {}", self.seed, self.step);
        }
    }
}
