//! A workspace that follows edits comes to what one that is read anew comes to, whatever the edits
//! are.

#[path = "support/example.rs"]
mod example;
#[path = "parser/random.rs"]
mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use example::Example;
use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::text::Source;
use gantrycd_ls::workspace::{RowRef, Snapshot, Stack, Workspace};
use random::Random;

/// Edits in one run.
const STEPS: usize = 120;

#[test]
fn what_follows_edits_is_what_is_read_anew() {
    for seed in 1..=3 {
        Run::new(seed).all();
    }
}

/// A workspace that is edited at random, and what the editor has open.
struct Run {
    seed: u64,
    random: Random,
    example: Example,
    open: BTreeMap<PathBuf, String>,
    workspace: Workspace,
    before: Snapshot,
}

impl Run {
    fn new(seed: u64) -> Self {
        let example = Example::copy();
        example.write("live/web/local.auto.tfvars", "unused = 1\n");
        example.write("live/web/realm.txt", "from-a-file");
        let reads = "\nlocals {\n  realm_of_file = file(\"realm.txt\")\n}\n\
            resource \"aws_sqs_queue\" \"of_file\" {\n  tags = {\n    \
            \"gantrycd:resource-identity\"       = \"of-file\"\n    \
            \"gantrycd:resource-identity-realm\" = local.realm_of_file\n  }\n}\n";
        let web = example.read("live/web/artifacts.tf");
        example.write("live/web/artifacts.tf", web + reads);
        let mut workspace = opened(example.root());
        let before = workspace.snapshot();
        Self {
            seed,
            random: Random(seed),
            example,
            open: BTreeMap::new(),
            workspace,
            before,
        }
    }

    fn all(mut self) {
        for step in 0..STEPS {
            let edit = self.edit();
            let (snapshot, change) = self.workspace.follow();
            let mut anew = opened(self.example.root());
            for (path, text) in &self.open {
                anew.open_document(path, Source::new(text));
            }
            let anew = anew.snapshot();
            let told = format!("seed {}, step {step}: {edit}", self.seed);
            assert_eq!(dump(&snapshot), dump(&anew), "{told}");
            self.compare(&snapshot, &change, &told);
            self.before = snapshot;
        }
    }

    /// What a change does not speak of is the same.
    fn compare(&self, now: &Snapshot, change: &gantrycd_ls::workspace::Change, told: &str) {
        let names = |of: &Snapshot| {
            of.stacks
                .iter()
                .map(|it| it.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            change.renumbered,
            names(&self.before) != names(now),
            "{told}"
        );
        if change.renumbered {
            return;
        }
        for (at, (old, new)) in self.before.stacks.iter().zip(&now.stacks).enumerate() {
            let same = Arc::ptr_eq(old, new);
            assert_eq!(same, !change.stacks.contains(&at), "{told}: {}", new.name);
        }
        let groups = |of: &Snapshot| -> BTreeSet<String> {
            of.duplicates().map(|it| format!("{it:?}")).collect()
        };
        let (old, new) = (groups(&self.before), groups(now));
        if old != new {
            assert!(!change.groups.is_empty(), "{told}");
        }
        let edges = |of: &Snapshot| of.edges().copied().collect::<Vec<_>>();
        assert!(change.edges || edges(&self.before) == edges(now), "{told}");
    }

    fn edit(&mut self) -> String {
        let files = files(self.example.root());
        let configuration: Vec<_> = files.iter().filter(|it| is_text(it)).collect();
        let states: Vec<_> = files.iter().filter(|it| is_state(it)).collect();
        let path = configuration[self.random.below(configuration.len())].clone();
        let name = path
            .strip_prefix(self.example.root())
            .unwrap()
            .display()
            .to_string();
        match self.random.below(13) {
            0..=5 => {
                let text = self.open.get(&path).cloned();
                let text = text.unwrap_or_else(|| fs::read_to_string(&path).unwrap());
                let text = changed(&mut self.random, &text);
                self.workspace.open_document(&path, Source::new(&text));
                self.open.insert(path, text);
                format!("typing in {name}")
            }
            6 => {
                let Some(path) = self.open.keys().next().cloned() else {
                    return "nothing".into();
                };
                let text = self.open.remove(&path).unwrap();
                if self.random.below(2) == 0 {
                    self.write(&path, &text);
                }
                self.workspace.close_document(&path);
                format!("closing {}", path.display())
            }
            7 => {
                let text = fs::read_to_string(&path).unwrap();
                let text = changed(&mut self.random, &text);
                self.write(&path, &text);
                format!("writing {name}")
            }
            8 => {
                fs::remove_file(&path).unwrap();
                self.workspace.refresh_paths(&BTreeSet::from([path]));
                format!("removing {name}")
            }
            9 => {
                let directory = path.parent().unwrap().to_path_buf();
                let to = directory.with_file_name("moved");
                if directory == *self.example.root() || to.exists() {
                    return "nothing".into();
                }
                fs::rename(&directory, &to).unwrap();
                self.workspace
                    .refresh_paths(&BTreeSet::from([directory, to]));
                format!("moving the directory of {name}")
            }
            10 if !states.is_empty() => {
                let from = states[self.random.below(states.len())].clone();
                let to = states[self.random.below(states.len())].clone();
                let text = fs::read_to_string(from).unwrap();
                if self.random.below(4) == 0 {
                    // the rows that could be read last stay meanwhile, unlike for who comes anew
                    self.write(&to, &text[..text.len() / 2]);
                    self.before = self.workspace.snapshot();
                }
                let text = match self.random.below(3) {
                    0 => text.replacen("emulator", "other", 1),
                    _ => text,
                };
                self.write(&to, &text);
                format!("another state in {}", to.display())
            }
            11 => {
                let settings = [
                    "variables = { realm = \"of-settings\" }\n",
                    "stack \"live/web\" {\n  variables = { realm = \"a b\" }\n}\n",
                    "checks {\n",
                    "",
                ];
                let settings = settings[self.random.below(settings.len())];
                self.write(&self.example.path("gantrycd.hcl"), settings);
                "another workspace file".into()
            }
            _ => {
                let realm = format!("realm-{}", self.random.below(5));
                self.write(&self.example.path("live/web/realm.txt"), &realm);
                "another file that is read by an expression".into()
            }
        }
    }

    fn write(&mut self, path: &Path, text: &str) {
        if path.parent().is_some_and(Path::is_dir) {
            fs::write(path, text).unwrap();
            self.workspace
                .refresh_paths(&BTreeSet::from([path.to_path_buf()]));
        }
    }
}

fn opened(root: &Path) -> Workspace {
    Workspace::open(root, Arc::new(IdentityRegistry::mounted()))
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all.sort();
    all
}

fn is_text(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| ["tf", "tfvars"].iter().any(|known| it == *known))
}

fn is_state(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "tfstate")
}

/// All that a snapshot says, in words.
fn dump(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for (at, stack) in snapshot.stacks.iter().enumerate() {
        dump_stack(&mut out, snapshot, at, stack);
    }
    for group in snapshot.duplicates() {
        _ = writeln!(out, "{group:?}");
    }
    for edge in snapshot.edges() {
        _ = writeln!(out, "{edge:?}");
    }
    for file in snapshot.editable_files() {
        _ = writeln!(out, "{} {:?}", file.path.display(), snapshot.uses(file));
        for block in file.blocks() {
            _ = writeln!(out, "  {:?}", snapshot.rows_of(file, block.id));
        }
    }
    out
}

fn dump_stack(out: &mut String, snapshot: &Snapshot, at: usize, stack: &Stack) {
    _ = writeln!(
        out,
        "{} {} {:?}",
        stack.name, stack.is_certain, stack.unreadable
    );
    for (row, it) in stack.rows.iter().enumerate() {
        let row = RowRef { stack: at, row };
        let instead = it.instead.as_ref().map(|it| it.block().header);
        let claims = (&it.claim, &it.planned, &it.looks_up, &it.moved_to, it.site);
        let (place, group) = (snapshot.place(row), snapshot.duplicate(row));
        let address = snapshot.address(row);
        _ = writeln!(
            out,
            "  {address} {claims:?} {instead:?} {place:?} {group:?}"
        );
        _ = writeln!(out, "    {:?}", snapshot.edges_to(row));
    }
    for it in &stack.configured {
        let served = it.provider.as_ref().map(|it| it.block().header);
        _ = writeln!(
            out,
            "  {:?} {:?} {:?} {:?}",
            it.site, it.own, it.default, served
        );
    }
    for it in &stack.providers {
        _ = writeln!(out, "  {:?} {:?}", it.block.block().header, it.tags);
    }
}

/// A text as typing, pasting or deleting leaves it.
fn changed(random: &mut Random, text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = random.below(lines.len().max(1));
    let mut lines: Vec<String> = lines.into_iter().map(Into::into).collect();
    let snippets = [
        "# gantrycd:resource-identity: ignore=true\n",
        "  \"gantrycd:resource-identity-realm\" = \"typed\"\n",
        "resource \"aws_sqs_queue\" \"typed\" {\n  count = 2\n  tags = { \"gantrycd:resource-identity\" = \"typed\" }\n}\n",
        "module \"typed\" {\n  source = \"../../modules/queue\"\n}\n",
        "data \"aws_security_group\" \"typed\" {\n  count = 2\n  arn   = \"arn:aws:ec2:eu-west-1:111122223333:security-group/sg-0a8848b3d129e9b4f\"\n}\n",
        "data \"aws_security_group\" \"web\" {\n  arn = \"arn:aws:ec2:eu-west-1:111122223333:security-group/sg-0a8848b3d129e9b40\"\n}\n",
        "terraform {\n  backend \"local\" {\n    path = \"../other.tfstate\"\n  }\n}\n",
        "{\n",
        "\"",
        "\n",
    ];
    let snippet = snippets[random.below(snippets.len())];
    match random.below(4) {
        0 if at < lines.len() => _ = lines.remove(at),
        1 if at < lines.len() => _ = lines[at].pop(),
        2 if at < lines.len() => lines[at] = lines[at].replace("emulator", "live"),
        _ => lines.insert(at.min(lines.len()), snippet.into()),
    }
    lines.concat()
}
