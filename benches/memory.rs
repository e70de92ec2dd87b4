//! What configuration costs in memory, in bytes for each byte of its text, part by part: over a
//! generated workspace, and over the folder that `GANTRYCD_HCL_CORPUS` names if it names one.
//!
//! Counts what is asked for, not what an allocator adds to it.

#[path = "generate/mod.rs"]
mod generate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gantrycd_ls::config::{Module, ModuleFile, is_configuration};
use gantrycd_ls::text::Source;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() -> std::io::Result<()> {
    // Without `--bench` it is a test run that only has to come through.
    let stacks = match std::env::args().any(|it| it == "--bench") {
        true => 200,
        false => 3,
    };
    let root = tempfile::tempdir()?;
    let shape = generate::Shape {
        state_bytes: 0,
        rows_per_stack: 100,
        ..generate::Shape::of(stacks)
    };
    generate::generate(root.path(), shape)?;
    measure("generated", root.path());
    if let Some(corpus) = std::env::var_os("GANTRYCD_HCL_CORPUS") {
        measure("corpus", Path::new(&corpus));
    }
    Ok(())
}

fn measure(name: &str, root: &Path) {
    let mut paths: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let walk = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .build();
    for entry in walk.flatten() {
        let name = entry.file_name().to_string_lossy();
        if is_configuration(&name) && entry.path().is_file() {
            let directory = entry.path().parent().unwrap_or(root).to_owned();
            paths.entry(directory).or_default().push(entry.into_path());
        }
    }
    let before = MEMORY.current_usage();
    let start = Instant::now();
    let mut bytes = 0;
    let mut blocks = 0;
    let read = |path: &PathBuf| {
        let source = Source::decode(&std::fs::read(path).ok()?).ok()?;
        bytes += source.text().len();
        let file = ModuleFile::read(path.as_path().into(), source);
        blocks += file.blocks().count();
        Some(Arc::new(file))
    };
    let mut read = read;
    let files: Vec<Vec<Arc<ModuleFile>>> = paths
        .values()
        .map(|it| it.iter().filter_map(&mut read).collect())
        .collect();
    let took = start.elapsed();
    let all = || files.iter().flatten();
    println!(
        "{name}: {:.1} MB in {} files, {blocks} blocks",
        bytes as f64 / 1e6,
        all().count()
    );
    let told = |what: &str, from: usize, start: Instant| {
        let used = (MEMORY.current_usage() as f64 - from as f64) / bytes as f64;
        println!("  {used:>7.3}  {what} ({:.0?})", start.elapsed());
    };
    println!("  reading took {took:.0?}");
    told("files, their text included", before, start);
    let (from, start) = (MEMORY.current_usage(), Instant::now());
    let modules: Vec<Module> = paths
        .keys()
        .zip(&files)
        .map(|(directory, files)| Module::new(directory.as_path().into(), files.clone(), false))
        .collect();
    told("modules", from, start);
    let (from, start) = (MEMORY.current_usage(), Instant::now());
    let faults: usize = all().map(|it| it.faults().len()).sum();
    told(&format!("faults, of which there are {faults}"), from, start);
    let (from, start) = (MEMORY.current_usage(), Instant::now());
    for file in all() {
        file.block_ids().for_each(|it| drop(file.body(it)));
    }
    told("bodies", from, start);
    all().for_each(|it| it.forget());
    told("bodies once they are forgotten", from, start);
    drop(modules);
}
