//! How long it takes to find something among a million rows, and what memory that takes.
//!
//! `cargo bench --bench symbols` prints the times that half of the searches and all of them do not
//! exceed, and what one spends on processors, in which other processes have no part. The rows are those of states alone, as small as rows are; what is
//! searched for is known to be there, or not to be.

#[path = "../tests/support/process.rs"]
mod process;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gantrycd_ls::ide::symbols;
use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::{Snapshot, Workspace};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const ROWS: usize = 200;

const KINDS: [(&str, &str); 7] = [
    ("aws_sqs_queue", "sqs:eu-west-1:111122223333:"),
    ("aws_s3_bucket", "s3:::"),
    ("aws_iam_role", "iam::111122223333:role/"),
    (
        "aws_lambda_function",
        "lambda:eu-west-1:111122223333:function:",
    ),
    ("aws_kms_key", "kms:eu-west-1:111122223333:key/"),
    (
        "aws_cloudwatch_log_group",
        "logs:eu-west-1:111122223333:log-group:/app/",
    ),
    (
        "aws_security_group",
        "ec2:eu-west-1:111122223333:security-group/sg-",
    ),
];

const TEAMS: [&str; 5] = ["billing", "catalog", "checkout", "search", "shipping"];

fn main() -> std::io::Result<()> {
    // Without `--bench` it is a test run that only has to come through.
    let stacks = match std::env::args().any(|it| it == "--bench") {
        true => 5000,
        false => 20,
    };
    let root = tempfile::tempdir()?;
    for stack in 0..stacks {
        let team = TEAMS[stack % TEAMS.len()];
        let directory = root.path().join(format!("live/{team}/service-{stack:04}"));
        std::fs::create_dir_all(&directory)?;
        std::fs::write(directory.join("terraform.tfstate"), state(stack, team))?;
    }
    let snapshot = open(root.path());
    let rows: usize = snapshot.stacks.iter().map(|it| it.rows.len()).sum();
    let before = MEMORY.current_usage();
    println!("{rows} rows, {:.0} bytes each", per_row(before, 0, rows));
    let begin = Instant::now();
    symbols(&snapshot, "nothing-of-the-kind", &|| false);
    let took = begin.elapsed();
    let more = per_row(MEMORY.current_usage(), before, rows);
    println!("the first search: {took:.1?}, {more:.0} bytes for each row");
    let arn = format!("arn:aws:{}{}", KINDS[0].1, name(7, 0));
    let wanted = stacks.min(256);
    for (what, query, least) in [
        ("an ARN", &*arn, 1),
        ("the start of an ARN", &arn[..arn.len() - 3], 1),
        ("the start of all ARNs", "arn:aws:", wanted),
        ("a part of one", "name-0007-0", 1),
        ("an address", "aws_iam_role.role_60", wanted),
        ("a stack and an address", "service-0007/aws_s3", 1),
        ("a stack", "service-0007", 1),
        ("in every address", "aws", wanted),
        ("in most ids", "est", wanted),
        ("in most ids, several times", "111", wanted),
        ("a word in many", "checkout", wanted),
        ("two letters", "aw", wanted),
        ("one letter", "e", 0),
        ("in none", "nothing-of-the-kind", 0),
    ] {
        let mut times: Vec<Duration> = Vec::new();
        let spent = process::processor_time(std::process::id());
        for _ in 0..50 {
            let begin = Instant::now();
            let found = symbols(&snapshot, query, &|| false);
            times.push(begin.elapsed());
            assert!(found.len() >= least, "{query}: {}", found.len());
        }
        times.sort();
        let spent = (process::processor_time(std::process::id()) - spent) / 50;
        let (half, all) = (times[24], times[49]);
        println!("  {half:>8.2?} / {all:>8.2?}, {spent:>8.2?} spent  {what}");
    }
    Ok(())
}

fn open(root: &Path) -> Snapshot {
    let registry = Arc::new(IdentityRegistry::mounted());
    Workspace::open(root, registry).snapshot()
}

fn per_row(now: usize, before: usize, rows: usize) -> f64 {
    (now as f64 - before as f64) / rows as f64
}

fn name(stack: usize, row: usize) -> String {
    let team = TEAMS[stack % TEAMS.len()];
    let hash = (stack as u64 * 1_000_003 + row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{team}-name-{stack:04}-{row}-{:08x}", hash >> 32)
}

fn state(stack: usize, team: &str) -> String {
    let mut rows = String::new();
    for row in 0..ROWS {
        let (kind, arn) = KINDS[row * KINDS.len() / ROWS];
        let label = kind.rsplit('_').next().unwrap_or_default();
        let comma = if row == 0 { "" } else { "," };
        _ = write!(
            rows,
            "{comma}{{\"mode\":\"managed\",\"type\":\"{kind}\",\"name\":\"{label}_{row}\",\
             \"provider\":\"provider[\\\"registry.terraform.io/hashicorp/aws\\\"]\",\
             \"instances\":[{{\"attributes\":{{\"arn\":\"arn:aws:{arn}{}\"}}}}]}}",
            name(stack, row)
        );
    }
    format!("{{\"version\":4,\"serial\":1,\"lineage\":\"{team}-{stack}\",\"resources\":[{rows}]}}")
}
