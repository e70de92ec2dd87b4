//! Writes one stack: its blocks, the rows that they have, and notes of what follows from them.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

use super::blocks::{self, KEYS, Repeat};
use super::kinds::{KINDS, Kind, MODULES, QUEUE};
use super::random::Random;
use super::stack::{Claim, Declares, Stack};
use super::state::{self, Resource};
use super::{Finding, Notes, Shape, Spot};

/// Bytes of a block, on average.
const BLOCK: usize = 380;

/// Bytes of the least block.
const LEAST: usize = 60;

/// The first files of a stack, which are as small as a third of all files.
const SMALL_FILES: usize = 3;

/// The stack and the number of the file that everything ends up in.
const LARGEST: (usize, usize) = (0, 1);

/// The path of that file.
pub fn largest() -> String {
    let (stack, number) = LARGEST;
    format!("{}/{}", Stack::new(stack).directory, file_name(number))
}

fn file_name(number: usize) -> String {
    match number {
        0 => "main.tf".into(),
        _ => format!("part_{number}.tf"),
    }
}

/// Writes a stack, and returns what there is to know of it.
pub fn write(
    root: &Path,
    shape: Shape,
    shared: &[BTreeSet<usize>],
    index: usize,
) -> io::Result<Notes> {
    let files = shape.files_per_stack.saturating_sub(SMALL_FILES).max(1);
    let mut writer = Writer {
        shape,
        random: Random::part(shape.seed, index),
        stack: Stack::new(index),
        files: (0..files).map(|_| Vec::new()).collect(),
        resources: Vec::new(),
        notes: Notes {
            stack: index,
            ..Notes::default()
        },
    };
    writer.exports_and_reads();
    writer.known_conflicts(shared);
    writer.known_faults();
    writer.fill();
    writer.configuration(root)?;
    writer.state(root)
}

pub(super) struct Writer {
    shape: Shape,
    pub(super) random: Random,
    pub(super) stack: Stack,
    files: Vec<Vec<Block>>,
    resources: Vec<Resource>,
    pub(super) notes: Notes,
}

/// A block before it is known where it stands.
#[derive(Default)]
pub(super) struct Block {
    text: String,
    claims: Vec<Claim>,
    /// Codes, and on which of its lines they are told.
    findings: Vec<(&'static str, usize)>,
    /// The line of its header.
    header: usize,
}

impl Block {
    pub(super) fn plain(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

impl Writer {
    /// A block in one file or another.
    pub(super) fn known(
        &mut self,
        kind: &'static Kind,
        label: &str,
        name: &str,
        repeat: Repeat,
        declares: Declares<'_>,
    ) {
        let block = self.resource(kind, label, name, repeat, declares);
        self.place(block);
    }

    pub(super) fn place(&mut self, block: Block) {
        let at = self.random.below(self.files.len());
        self.files[at].push(block);
    }

    pub(super) fn row(&mut self, resource: Resource) {
        self.notes.rows += resource.instances.len();
        self.resources.push(resource);
    }

    /// Blocks until each file is as large as it is to be and all rows are written.
    fn fill(&mut self) {
        let wanted: Vec<_> = (0..self.files.len())
            .map(|number| match (self.stack.index, number) == LARGEST {
                true => self.shape.largest_file,
                false => self.random.file_size(0.3),
            })
            .collect();
        let mut bytes: usize = wanted.iter().sum();
        let mut number = 0;
        for (file, wanted) in wanted.into_iter().enumerate() {
            let mut length = self.files[file].iter().map(|it| it.text.len()).sum();
            while length + LEAST <= wanted {
                number += 1;
                let blocks = (bytes.saturating_sub(length) / BLOCK).max(1);
                let block = self.next(number, wanted - length, blocks);
                length += block.text.len();
                self.files[file].push(block);
            }
            bytes = bytes.saturating_sub(wanted);
        }
        let left = self.rows_left();
        if left > 0 {
            let name = self.stack.name(number + 1);
            let rest = Repeat::Count(left);
            self.known(QUEUE, "rest", &name, rest, Declares::Nothing);
        }
    }

    fn rows_left(&self) -> usize {
        self.shape.rows_per_stack.saturating_sub(self.notes.rows)
    }

    /// A module call, a block with `for_each` or `count`, a plain block, or one without rows: as
    /// it takes to spread the rows that are left over so many blocks.
    fn next(&mut self, number: usize, room: usize, blocks: usize) -> Block {
        let left = self.rows_left();
        // in percent of a row
        let wanted = left * 100 / blocks;
        if left == 0 || room < 200 || self.random.below(100) >= wanted {
            let text = blocks::filler(&mut self.random, number, room);
            return Block::plain(text);
        }
        let wanted = (wanted / 100).max(1);
        let (name, label) = (
            self.stack.name(number),
            format!("{}_{number}", self.stack.team),
        );
        let some = 1 + self.random.below(2 * wanted);
        match self.random.below(10) {
            0..=4 => {
                let (module, kinds) = self.module();
                let rows = some.max(kinds.len()).min(left) / kinds.len();
                match rows {
                    0 => Block::plain(blocks::filler(&mut self.random, number, room)),
                    1 => self.call(module, kinds, &label, &name, Repeat::Once),
                    _ => self.call(module, kinds, &label, &name, Repeat::Count(rows)),
                }
            }
            choice => {
                let repeat = match some.min(left) {
                    1 => Repeat::Once,
                    rows @ 2..=4 if choice < 8 => Repeat::Each(rows),
                    rows => Repeat::Count(rows),
                };
                let kind = self.kind();
                self.resource(kind, &label, &name, repeat, Declares::Nothing)
            }
        }
    }

    /// A type. Of those that a developer's realm does not reach there are none but the known.
    fn kind(&mut self) -> &'static Kind {
        loop {
            let kind = &KINDS[self.random.below(KINDS.len())];
            if self.stack.realm.is_none() || kind.keeps_realm() {
                return kind;
            }
        }
    }

    fn module(&mut self) -> (&'static str, &'static [usize]) {
        loop {
            let (module, kinds) = MODULES[self.random.below(MODULES.len())];
            let keeps = |it: &usize| KINDS[*it].keeps_realm();
            if self.stack.realm.is_none() || kinds.iter().all(keeps) {
                return (module, kinds);
            }
        }
    }

    fn call(
        &mut self,
        module: &str,
        kinds: &[usize],
        label: &str,
        name: &str,
        repeat: Repeat,
    ) -> Block {
        for kind in kinds.iter().map(|it| &KINDS[*it]) {
            for (key, name) in named(repeat, name) {
                let (row, claim) = self.instance(kind, &name, Declares::Nothing);
                self.notes.claims.extend(claim.map(|it| (it, None)));
                let path = match key {
                    None => format!("module.{label}"),
                    Some(key) => format!("module.{label}[{key}]"),
                };
                self.row(Resource::managed(Some(path), kind, "this", vec![row]));
            }
        }
        Block::plain(blocks::call(&self.stack, label, module, name, repeat))
    }

    /// A block, and its rows.
    fn resource(
        &mut self,
        kind: &'static Kind,
        label: &str,
        name: &str,
        repeat: Repeat,
        declares: Declares<'_>,
    ) -> Block {
        let mut rows = Vec::new();
        let mut claims = Vec::new();
        for (key, name) in named(repeat, name) {
            let (mut row, claim) = self.instance(kind, &name, declares);
            if let Some(key) = key {
                row["index_key"] = key;
            }
            rows.push(row);
            claims.extend(claim);
        }
        self.row(Resource::managed(None, kind, label, rows));
        let text = blocks::resource(&mut self.random, kind, label, name, repeat, declares);
        let line = |needle: &str| text.lines().position(|it| it.contains(needle));
        let header = line("resource \"").unwrap_or_default();
        let mut findings = Vec::new();
        if let Some((code, needle)) = declares.finding(kind.arn("", "", "").is_some()) {
            findings.extend(line(needle).map(|it| (code, it)));
        }
        if !claims.is_empty() && self.stack.realm.is_some() && !kind.keeps_realm() {
            findings.push(("declaration-does-not-reach", header));
        }
        Block {
            text,
            claims,
            findings,
            header,
        }
    }

    /// A row, and what it claims.
    fn instance(
        &mut self,
        kind: &'static Kind,
        name: &str,
        declares: Declares<'_>,
    ) -> (Value, Option<Claim>) {
        let (stack, shape) = (&self.stack, self.shape);
        let (row, arn) = state::instance(&mut self.random, shape, stack, kind, name, declares);
        let realm = stack.realm.clone().filter(|_| kind.taggable);
        let claim = arn.and_then(|arn| declares.id(Some(arn)));
        (row, claim.map(|id| (kind.name, id, realm)))
    }

    fn configuration(&mut self, root: &Path) -> io::Result<()> {
        let directory = self.stack.directory.clone();
        fs::create_dir_all(root.join(&directory))?;
        for (number, blocks) in std::mem::take(&mut self.files).into_iter().enumerate() {
            let path = format!("{directory}/{}", file_name(number));
            let mut text = String::new();
            let mut lines = 0;
            for block in blocks {
                let spot = |line| Spot {
                    path: path.clone(),
                    line: lines + line,
                };
                let header = spot(block.header);
                let claims = block.claims.into_iter();
                let claims = claims.map(|it| (it, Some(header.clone())));
                self.notes.claims.extend(claims);
                let findings = block.findings.into_iter();
                self.notes
                    .findings
                    .extend(findings.map(|(code, line)| Finding {
                        spot: spot(line),
                        code: code.into(),
                    }));
                lines += block.text.matches('\n').count();
                text += &block.text;
            }
            self.file(root, &path, text.trim_end())?;
        }
        let small = [
            ("versions.tf", blocks::VERSIONS.to_owned()),
            ("providers.tf", blocks::providers(&self.stack)),
            ("locals.tf", blocks::locals(&self.stack)),
        ];
        for (name, text) in small {
            self.file(root, &format!("{directory}/{name}"), text.trim_end())?;
        }
        Ok(())
    }

    fn file(&mut self, root: &Path, path: &str, text: &str) -> io::Result<()> {
        let text = format!("{text}\n");
        self.notes.files += 1;
        self.notes.file_bytes += text.len();
        fs::write(root.join(path), text)
    }

    fn state(mut self, root: &Path) -> io::Result<Notes> {
        let text = state::text(&mut self.random, self.resources)?;
        self.notes.state_bytes += text.len();
        let path = format!("{}/terraform.tfstate", self.stack.directory);
        fs::write(root.join(path), text)?;
        Ok(self.notes)
    }
}

/// The key and the name of each row of a block.
fn named(repeat: Repeat, name: &str) -> Vec<(Option<Value>, String)> {
    let row = |number: usize| match repeat {
        Repeat::Once => (None, name.to_owned()),
        Repeat::Count(_) => (Some(json!(number)), format!("{name}-{number}")),
        Repeat::Each(_) => {
            let key = KEYS[number];
            (Some(json!(key)), format!("{name}-{key}"))
        }
    };
    (0..repeat.rows()).map(row).collect()
}
