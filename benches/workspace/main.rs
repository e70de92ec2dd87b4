//! `check` on a large workspace, as a ratio to reading the same bytes, and its peak memory.
//!
//! The answers are known in advance: a fast wrong run fails.

mod generate;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gantrycd_ls::checks;
use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::Workspace;
use generate::{Answers, Shape, generate};

/// Names the workspace for a process of its own, whose memory is that of `check` alone.
const ALONE: &str = "GANTRYCD_BENCH_ALONE";

const ROUNDS: usize = 5;

fn main() -> std::io::Result<()> {
    if let Some(root) = std::env::var_os(ALONE) {
        check(Path::new(&root));
        println!("{}", peak_memory());
        return Ok(());
    }
    let root = std::env::temp_dir().join(format!("gantrycd-ls-workspace-{}", std::process::id()));
    let answers = generate(&root, Shape::LARGE)?;
    let measured = measure(&root, &answers);
    std::fs::remove_dir_all(&root)?;
    measured
}

fn measure(root: &Path, answers: &Answers) -> std::io::Result<()> {
    println!(
        "{} files, {:.1} MB of configuration, {} rows, {:.1} MB of state",
        answers.files,
        answers.file_bytes as f64 / 1e6,
        answers.rows,
        answers.state_bytes as f64 / 1e6
    );
    let read = best(|| read_all(root));
    let open = best(|| Workspace::open(root, registry()));
    let mut workspace = Workspace::open(root, registry());
    let snapshot = best(|| workspace.snapshot());
    let told = workspace.snapshot();
    let findings = best(|| checks::run(&told, &Default::default()));
    let whole = best(|| check(root));

    let recorded = || {
        told.duplicates
            .iter()
            .map(|it| &it.now)
            .filter(|it| it.are_several())
    };
    let across = recorded().filter(|it| it.across_stacks).count();
    assert_eq!(across, answers.duplicates_across);
    assert_eq!(recorded().count() - across, answers.duplicates_in_stack);
    assert_eq!(told.edges.len(), answers.edges);

    let ratio = |it: Duration| it.as_secs_f64() / read.as_secs_f64();
    println!("{:>8.1?}  reading the bytes (page cache, one thread)", read);
    println!(
        "{:>8.1?}  check, cold: {:.2} times that",
        whole,
        ratio(whole)
    );
    println!("{:>8.1?}    of it reading the workspace", open);
    println!("{:>8.1?}    of it the snapshot", snapshot);
    println!("{:>8.1?}    of it the checks", findings);

    let alone = Command::new(std::env::current_exe()?)
        .env(ALONE, root)
        .output()?;
    let peak: f64 = String::from_utf8_lossy(&alone.stdout)
        .trim()
        .parse()
        .unwrap_or(f64::NAN);
    let rows = answers.rows as f64;
    println!(
        "{:>5.1} MB  peak memory, {:.0} bytes a row",
        peak / 1e6,
        peak / rows
    );
    Ok(())
}

fn registry() -> Arc<IdentityRegistry> {
    Arc::new(IdentityRegistry::mounted())
}

fn check(root: &Path) -> usize {
    let mut workspace = Workspace::open(root, registry());
    checks::run(&workspace.snapshot(), &Default::default()).len()
}

/// What `cat` of every file would do.
fn read_all(root: &Path) -> usize {
    let mut directories: Vec<PathBuf> = vec![root.to_owned()];
    let mut bytes = 0;
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => directories.push(entry.path()),
                false => bytes += black_box(std::fs::read(entry.path()).unwrap()).len(),
            }
        }
    }
    bytes
}

fn best<T>(run: impl Fn() -> T) -> Duration {
    let once = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..ROUNDS).map(|_| once()).min().unwrap()
}

/// The most memory that this process ever held, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.unwrap_or(0) * 1024
}
