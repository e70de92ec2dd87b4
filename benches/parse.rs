//! How fast blocks are parsed, against `hcl-edit` on the same bytes. The ratio says what our reading
//! costs, whatever the machine. `GANTRYCD_HCL_CORPUS` names a folder of files to read; without it
//! the files under `tests/` are.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gantrycd_ls::syntax::{BlockId, File};
use gantrycd_ls::text::Source;

fn main() {
    // Without `--bench` it is a test run that only has to come through.
    let rounds = match std::env::args().any(|it| it == "--bench") {
        true => 5,
        false => 1,
    };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let root = std::env::var_os("GANTRYCD_HCL_CORPUS").map_or(own, PathBuf::from);
    let walk = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .build();
    let files: Vec<File> = walk
        .flatten()
        .filter(|it| it.path().extension().is_some_and(|it| it == "tf"))
        .filter_map(|it| Source::decode(&std::fs::read(it.path()).ok()?).ok())
        .map(File::split)
        .collect();
    let blocks: Vec<(&File, BlockId)> = files
        .iter()
        .flat_map(|file| file.blocks().map(move |(id, _)| (file, id)))
        .filter(|(file, id)| file.parse(*id).is_ok())
        .collect();
    let bytes: usize = blocks
        .iter()
        .map(|(file, id)| file.block_span(*id).len())
        .sum();
    let (mut here, mut there) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        here = here.min(time(&blocks, |file, id| {
            black_box(file.body(id));
        }));
        there = there.min(time(&blocks, |file, id| {
            black_box(file.parse(id).is_ok());
        }));
    }
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{} blocks, {:.1} MB", blocks.len(), bytes as f64 / 1e6);
    println!("body       {:8.0} MB/s", speed(here));
    println!("hcl-edit   {:8.0} MB/s", speed(there));
    println!("ratio      {:8.2}", speed(here) / speed(there));
}

fn time(blocks: &[(&File, BlockId)], read: impl Fn(&File, BlockId)) -> Duration {
    let start = Instant::now();
    blocks.iter().for_each(|(file, id)| read(file, *id));
    start.elapsed()
}
