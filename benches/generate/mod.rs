//! A made-up workspace of any size whose answers are known.
//!
//! It knows nothing of the crate that reads it: it notes each claim as it writes the row, and
//! works the answers out from these notes. The same shape gives the same bytes.
//!
//! Of twenty stacks, eighteen are of a live account. Two are a developer's emulator: every developer
//! has the same ARNs there, in a realm of their own. What one stack has to do with others does not
//! grow with their number.

#![allow(dead_code)] // everybody takes a part of it

mod blocks;
pub mod kept;
mod kinds;
mod known;
mod random;
mod stack;
mod state;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::{fs, io};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::{Deserialize, Serialize};

use kinds::{KINDS, MODULES};
pub use random::Random;
use stack::{Claim, is_emulator};

/// How large a workspace is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Stacks, each a directory with a state.
    pub stacks: usize,
    /// `.tf` files of each stack, at least 4. The local modules come on top.
    pub files_per_stack: usize,
    /// Rows of each stack, at least 16.
    pub rows_per_stack: usize,
    /// Bytes of each state on average, within a few percent; never less than 2.3 kB a row.
    pub state_bytes: usize,
    /// Bytes of the largest file.
    pub largest_file: usize,
    /// What makes one workspace differ from another of its shape.
    pub seed: u64,
}

impl Shape {
    /// So many stacks of the usual size.
    pub const fn of(stacks: usize) -> Self {
        Self {
            stacks,
            files_per_stack: 10,
            rows_per_stack: 200,
            state_bytes: 500_000,
            largest_file: 300_000,
            seed: 1,
        }
    }
}

/// What was written, and what a reader must find in it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Answers {
    /// `.tf` files, those of the local modules included.
    pub files: usize,
    /// Bytes of them.
    pub file_bytes: usize,
    /// Rows of all states.
    pub rows: usize,
    /// Bytes of all states.
    pub state_bytes: usize,
    /// Identities that rows of two or more stacks claim.
    pub duplicates_across: usize,
    /// Identities that two or more rows of one stack claim, and no other stack.
    pub duplicates_in_stack: usize,
    /// Pairs of a data row and a claim of another stack on what it reads.
    pub edges: usize,
    /// Every finding, sorted.
    pub findings: Vec<Finding>,
    /// Of each identity that several stacks claim, where the blocks are.
    pub across: Vec<Vec<Spot>>,
    /// The largest file.
    pub largest: String,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Spot {
    /// Below the root, with `/`.
    pub path: String,
    /// From 0.
    pub line: usize,
}

/// Something that is wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Where it begins.
    pub spot: Spot,
    /// What is wrong.
    pub code: String,
}

/// What was noted of a stack while it was written.
#[derive(Default)]
struct Notes {
    stack: usize,
    /// Each with its block, unless that is in a module.
    claims: Vec<(Claim, Option<Spot>)>,
    reads: Vec<Claim>,
    findings: Vec<Finding>,
    files: usize,
    file_bytes: usize,
    rows: usize,
    state_bytes: usize,
}

/// Writes a workspace below `root`.
///
/// # Errors
/// When a file cannot be written.
pub fn generate(root: &Path, shape: Shape) -> io::Result<Answers> {
    let shared = shared_queues(shape);
    let mut answers = Answers {
        largest: writer::largest(),
        ..Answers::default()
    };
    modules(root, shape, &mut answers)?;
    let stack = |index| writer::write(root, shape, &shared, index);
    let notes: io::Result<Vec<_>> = (0..shape.stacks).into_par_iter().map(stack).collect();
    answers.work_out(notes?);
    fs::write(root.join("gantrycd.hcl"), WORKSPACE_FILE)?;
    Ok(answers)
}

const WORKSPACE_FILE: &str = "checks {\n  lonely-realm = \"hint\"\n}\n";

/// Which stacks manage each of the shared queues.
fn shared_queues(shape: Shape) -> Vec<BTreeSet<usize>> {
    let mut random = Random::new(shape.seed);
    let live: Vec<_> = (0..shape.stacks).filter(|it| !is_emulator(*it)).collect();
    let mut shared = vec![BTreeSet::new(); shape.stacks / 10];
    for stacks in &mut shared {
        let members = 2 + random.below(2);
        while stacks.len() < members {
            stacks.insert(live[random.below(live.len())]);
        }
    }
    shared
}

/// The local modules, once for fifty stacks.
fn modules(root: &Path, shape: Shape, answers: &mut Answers) -> io::Result<()> {
    let mut random = Random::new(shape.seed);
    for version in 0..shape.stacks.div_ceil(50) {
        for (module, kinds) in MODULES {
            let mut main = String::new();
            for kind in kinds {
                let kind = &KINDS[*kind];
                let tags = kind.taggable.then(|| "var.tags".to_owned());
                main += &blocks::bare_resource(&mut random, kind, "this", "", "var.name", tags);
            }
            let variables = "variable \"name\" {\n  type = string\n}\n\n\
                variable \"tags\" {\n  type    = map(string)\n  default = {}\n}\n";
            let directory = root.join(format!("modules/v{version}/{module}"));
            fs::create_dir_all(&directory)?;
            for (name, text) in [("main.tf", main.trim_end()), ("variables.tf", variables)] {
                answers.files += 1;
                answers.file_bytes += text.len();
                fs::write(directory.join(name), text)?;
            }
        }
    }
    Ok(())
}

impl Answers {
    fn work_out(&mut self, notes: Vec<Notes>) {
        let mut claims: HashMap<Claim, BTreeMap<usize, Vec<Option<Spot>>>> = HashMap::new();
        let mut reads = Vec::new();
        for mut notes in notes {
            self.files += notes.files;
            self.file_bytes += notes.file_bytes;
            self.rows += notes.rows;
            self.state_bytes += notes.state_bytes;
            self.findings.append(&mut notes.findings);
            for (claim, spot) in notes.claims {
                let stacks = claims.entry(claim).or_default();
                stacks.entry(notes.stack).or_default().push(spot);
            }
            reads.extend(notes.reads.into_iter().map(|it| (notes.stack, it)));
        }
        let edges = |(reader, claim): &(usize, Claim)| -> usize {
            let owners = claims.get(claim).into_iter().flatten();
            let others = owners.filter(|(stack, _)| *stack != reader);
            others.map(|(_, rows)| rows.len()).sum()
        };
        self.edges = reads.iter().map(edges).sum();
        for stacks in claims.values() {
            let code = match stacks.values().map(Vec::len).sum::<usize>() {
                0 | 1 => continue,
                _ if stacks.len() > 1 => "duplicate-identity",
                _ => "duplicate-in-stack",
            };
            let spots = stacks.values().flatten().cloned();
            let spots: BTreeSet<_> = spots
                .map(|it| it.expect("modules have names of their own"))
                .collect();
            self.findings.extend(spots.iter().map(|spot| Finding {
                spot: spot.clone(),
                code: code.into(),
            }));
            match stacks.len() {
                1 => self.duplicates_in_stack += 1,
                _ => self.across.push(spots.into_iter().collect()),
            }
        }
        self.duplicates_across = self.across.len();
        self.across.sort();
        self.findings.sort();
    }
}
