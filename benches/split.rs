//! Splitting against parsing, over the same bytes: `cargo bench --bench split`.
//!
//! `GANTRYCD_HCL_CORPUS` names a folder of checked-out repositories; without it the repository's
//! own test files are read again and again. Files that the parser refuses are left out, since it
//! stops at the first error.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use divan::Bencher;
use divan::counter::BytesCount;
use gantrycd_ls::syntax::File;
use gantrycd_ls::text::Source;
use hcl::edit::parser::parse_body;

static CORPUS: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hcl");
    let root = std::env::var_os("GANTRYCD_HCL_CORPUS").map_or(own.into(), PathBuf::from);
    let mut walk = ignore::WalkBuilder::new(root);
    let files: Vec<Source> = walk
        .standard_filters(false)
        .build()
        .flatten()
        .filter(|it| it.path().extension().is_some_and(|it| it == "tf"))
        .filter_map(|it| Source::decode(&std::fs::read(it.path()).ok()?).ok())
        .filter(|it| parse_body(it.text()).is_ok())
        .collect();
    let bytes = size(&files).max(1);
    let times = 1_000_000_usize.div_ceil(bytes);
    files
        .iter()
        .cycle()
        .take(files.len() * times)
        .cloned()
        .collect()
});

fn size(files: &[Source]) -> usize {
    files.iter().map(|it| it.text().len()).sum()
}

fn main() {
    report();
    divan::main();
}

/// One line with what the two cost in this run, each at its best of several rounds.
fn report() {
    let best = |work: &dyn Fn()| {
        let rounds = (0..7).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        });
        rounds.min().unwrap_or(Duration::MAX).as_secs_f64()
    };
    let bytes = size(&CORPUS) as f64;
    let split = best(&|| CORPUS.iter().for_each(|it| drop(File::split(it.clone()))));
    let parse = best(&|| CORPUS.iter().for_each(|it| drop(parse_body(it.text()))));
    println!(
        "{:.1} MB in {} files: split {:.0} MB/s, parse {:.0} MB/s, ratio {:.1}",
        bytes / 1e6,
        CORPUS.len(),
        bytes / split / 1e6,
        bytes / parse / 1e6,
        parse / split,
    );
}

#[divan::bench]
fn split(bencher: Bencher) {
    bencher.counter(BytesCount::new(size(&CORPUS))).bench(|| {
        CORPUS
            .iter()
            .map(|it| File::split(it.clone()).item_count())
            .sum::<usize>()
    });
}

#[divan::bench]
fn comments(bencher: Bencher) {
    let files: Vec<File> = CORPUS.iter().map(|it| File::split(it.clone())).collect();
    bencher
        .counter(BytesCount::new(size(&CORPUS)))
        .bench(|| files.iter().map(|it| it.comments().len()).sum::<usize>());
}

#[divan::bench]
fn parse(bencher: Bencher) {
    bencher.counter(BytesCount::new(size(&CORPUS))).bench(|| {
        CORPUS
            .iter()
            .filter(|it| parse_body(it.text()).is_ok())
            .count()
    });
}
