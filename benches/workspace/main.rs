//! Reading and checking a large workspace, as ratios to reading the same bytes, and the memory it
//! takes.
//!
//! `cargo bench --bench workspace -- --stacks 100,1000,3000` says how large; `--keep` leaves the
//! workspace for the next time. The answers are known in advance: a fast wrong run fails.

#[path = "../generate/mod.rs"]
mod generate;
#[path = "../options/mod.rs"]
mod options;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gantrycd_ls::checks;
use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::Workspace;
use generate::kept::Kept;
use generate::{Answers, Finding, Shape, Spot};
use options::Options;
use serde::{Deserialize, Serialize};

/// Names the workspace for a process of its own, whose time and memory are those of a start.
const ALONE: &str = "GANTRYCD_BENCH_ALONE";

/// What the times are to be at most, as ratios to reading the bytes.
const GOALS: [(&str, f64); 2] = [("first start", 3.0), ("second start", 0.3)];

/// As the binary does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::io::Result<()> {
    if let Some(root) = std::env::var_os(ALONE) {
        let start = start(Path::new(&root));
        println!("{}", serde_json::to_string(&start)?);
        return Ok(());
    }
    let options = Options::read();
    for stacks in &options.stacks {
        let writing = Instant::now();
        let workspace = Kept::new(Shape::of(*stacks), options.keep)?;
        let written = writing.elapsed();
        println!("{stacks} stacks (there after {written:.1?})");
        measure(&workspace)?;
    }
    Ok(())
}

/// What one start took and found.
#[derive(Serialize, Deserialize)]
struct Start {
    reading: Duration,
    snapshot: Duration,
    checks: Duration,
    /// The most memory that the process held, in bytes.
    memory: u64,
    found: Answers,
}

impl Start {
    fn whole(&self) -> Duration {
        self.reading + self.snapshot + self.checks
    }
}

fn measure(workspace: &Kept) -> std::io::Result<()> {
    let (root, answers) = (workspace.root(), &workspace.answers);
    let bytes = (answers.file_bytes + answers.state_bytes) as f64;
    println!(
        "  {} files, {:.1} MB of configuration, {} rows, {:.1} MB of state",
        answers.files,
        answers.file_bytes as f64 / 1e6,
        answers.rows,
        answers.state_bytes as f64 / 1e6
    );
    let rounds = match bytes < 2e8 {
        true => 5,
        false => 3,
    };
    // the first one fills the page cache
    let read = (0..=rounds).map(|_| read_all(root)).min();
    let read = read.unwrap_or_default().as_secs_f64();
    println!(
        "  {:>9}  cat of the same bytes, one thread: {:.1} GB/s",
        milliseconds(read),
        bytes / read / 1e9
    );
    let mut first = Vec::new();
    let mut second = Vec::new();
    for _ in 0..rounds {
        let cache = workspace.beside("cache")?;
        first.push(start_alone(root, &cache)?);
        second.push(start_alone(root, &cache)?);
    }
    for ((name, goal), starts) in GOALS.iter().zip([first, second]) {
        for start in &starts {
            compare(&start.found, answers);
        }
        let best = starts.iter().min_by_key(|it| it.whole());
        let best = best.expect("there are rounds");
        let line = |of: &str, time: Duration, goal: Option<f64>| {
            let time = time.as_secs_f64();
            let goal = goal.map_or(String::new(), |it| format!(" (goal: {it})"));
            let ratio = time / read;
            println!(
                "  {:>9}  {of}: {ratio:.2} times that{goal}",
                milliseconds(time)
            );
        };
        line(name, best.whole(), Some(*goal));
        line("  of it reading the workspace", best.reading, None);
        line("  of it the snapshot", best.snapshot, None);
        line("  of it the checks", best.checks, None);
        let memory = starts.iter().map(|it| it.memory).max();
        let memory = memory.unwrap_or_default() as f64 / 1e6;
        let goal = (1.5 * answers.file_bytes as f64 + 250.0 * answers.rows as f64) / 1e6 + 30.0;
        println!(
            "  {memory:>6.1} MB  peak memory: {:.2} of the goal, {goal:.1} MB",
            memory / goal
        );
    }
    Ok(())
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

/// Starts a process that reads and checks the workspace.
fn start_alone(root: &Path, cache: &Path) -> std::io::Result<Start> {
    let alone = Command::new(std::env::current_exe()?)
        .env(ALONE, root)
        .env("XDG_CACHE_HOME", cache)
        .output()?;
    assert!(
        alone.status.success(),
        "{}",
        String::from_utf8_lossy(&alone.stderr)
    );
    Ok(serde_json::from_slice(&alone.stdout)?)
}

fn start(root: &Path) -> Start {
    let begin = Instant::now();
    let registry = Arc::new(IdentityRegistry::mounted());
    let mut workspace = Workspace::begin(root, registry, Arc::default());
    workspace.use_cache();
    workspace.read_all();
    let reading = begin.elapsed();
    let snapshot = workspace.snapshot();
    let read = begin.elapsed();
    let findings = checks::run(&snapshot, &Default::default());
    let checked = begin.elapsed();
    let memory = peak_memory();

    let recorded = snapshot.duplicates().map(|it| &it.now);
    let recorded: Vec<_> = recorded.filter(|it| it.are_several()).collect();
    let across = recorded.iter().filter(|it| it.across_stacks).count();
    let finding = |it: &checks::Finding| {
        let place = &it.place;
        let text = snapshot.source(&place.path).map_or("", |it| it.text());
        let before = text.get(..place.span.start as usize).unwrap_or_default();
        Finding {
            spot: Spot {
                path: snapshot.relative(&place.path).into(),
                line: before.matches('\n').count(),
            },
            code: it.code.into(),
        }
    };
    let mut findings: Vec<_> = findings.iter().map(finding).collect();
    findings.sort();
    let found = Answers {
        duplicates_across: across,
        duplicates_in_stack: recorded.len() - across,
        edges: snapshot.edges().count(),
        findings,
        ..Answers::default()
    };
    Start {
        reading,
        snapshot: read - reading,
        checks: checked - read,
        memory,
        found,
    }
}

fn compare(found: &Answers, answers: &Answers) {
    assert_eq!(found.duplicates_across, answers.duplicates_across);
    assert_eq!(found.duplicates_in_stack, answers.duplicates_in_stack);
    assert_eq!(found.edges, answers.edges);
    let lacks = |a: &[Finding], b: &[Finding]| -> Vec<Finding> {
        let missing = a.iter().filter(|it| b.binary_search(it).is_err());
        missing.take(10).cloned().collect()
    };
    let missing = lacks(&answers.findings, &found.findings);
    let invented = lacks(&found.findings, &answers.findings);
    assert!(
        found.findings == answers.findings,
        "missing: {missing:#?}, not expected: {invented:#?}"
    );
}

/// What `cat` of every file does.
fn read_all(root: &Path) -> Duration {
    let begin = Instant::now();
    let mut directories: Vec<PathBuf> = vec![root.to_owned()];
    let mut buffer = vec![0; 128 * 1024];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
                continue;
            }
            let mut file = File::open(entry.path()).unwrap();
            while file.read(&mut buffer).unwrap() > 0 {
                black_box(&buffer);
            }
        }
    }
    begin.elapsed()
}

/// The most memory that this process ever held, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.unwrap_or(0) * 1024
}
