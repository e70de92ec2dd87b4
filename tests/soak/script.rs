//! What is done to the server, step by step. Only the seed decides it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::disk::{Disk, FOLDERS};
use crate::editor::{CHANGED, Does, Editor};
use crate::generate::Random;

/// More documents than these are never open.
const MOST_OPEN: usize = 6;

/// A server, and all that was done to it.
pub struct Script {
    pub(super) random: Random,
    pub(super) disk: Disk,
    folders: BTreeSet<&'static str>,
    does: Does,
    /// Of all documents that ever were, so that a late word on an earlier one is known as such.
    version: i64,
    pub editor: Editor,
}

impl Script {
    pub fn begin(seed: u64) -> Self {
        let disk = Disk::new(seed);
        let folders = BTreeSet::from(["one", "two"]);
        let does = Does {
            watches: !seed.is_multiple_of(2),
            pulls: seed.is_multiple_of(3),
        };
        Self {
            random: Random::new(seed),
            editor: start(&disk, &folders, "cache", does),
            disk,
            folders,
            does,
            version: 0,
        }
    }

    /// A new server for the same disk, folders and documents.
    pub fn fresh(&self) -> Editor {
        // nor does it believe what another one kept
        let cache = "empty-cache";
        _ = fs::remove_dir_all(self.disk.cache(cache));
        let does = Does {
            pulls: false,
            ..self.does
        };
        let mut fresh = start(&self.disk, &self.folders, cache, does);
        for (file, version, text) in self.editor.documents() {
            fresh.open(file, version, text);
        }
        fresh
    }

    /// Does one thing, and says what.
    pub fn step(&mut self) -> String {
        let did = match self.random.below(100) {
            0..=24 => self.typing(),
            25..=36 => self.snippet(),
            37..=41 => self.paste(),
            42..=46 => self.delete(),
            47..=49 => self.take_back(),
            50..=57 => self.open(),
            58..=61 => self.close(),
            62..=66 => self.save(),
            67..=73 => self.state(),
            74..=77 => self.file(),
            78..=79 => self.directory(),
            80..=83 => self.put_back(),
            84..=85 => self.settings(),
            86..=87 => self.folder(),
            88 => self.nothing(),
            _ => self.request(),
        };
        let pause = match self.random.below(4) {
            0 => self.random.below(60),
            _ => 0,
        };
        self.editor.listen(Duration::from_millis(pause as u64));
        did.unwrap_or_else(|| "nothing to do".into())
    }

    /// Makes every state one that can be read. Of one that cannot, a server that knew it before tells
    /// more than a new one does.
    pub fn mend_states(&mut self) {
        for file in self.disk.files(".tfstate") {
            let state = serde_json::from_str::<Value>(&self.disk.text(&file));
            if state.is_ok_and(|it| it["version"] == 4) {
                continue;
            }
            let first = self.disk.at_first.iter();
            let mut states = first.filter(|(it, _)| is_state(it));
            let own = self.disk.at_first.get(&file);
            let state = own.or_else(|| states.next().map(|it| it.1));
            self.disk.replace(&file, state.expect("there are states"));
            self.tell(&[(&file, CHANGED)]);
        }
    }

    /// An open document, or else one that is opened now.
    pub(super) fn document(&mut self) -> Option<String> {
        if self.editor.documents().next().is_none() {
            self.open();
        }
        let all: Vec<_> = self.editor.documents().map(|it| it.0.to_owned()).collect();
        self.one_of(&all)
    }

    pub(super) fn one_of(&mut self, all: &[String]) -> Option<String> {
        match all.len() {
            0 => None,
            some => Some(all[self.random.below(some)].clone()),
        }
    }

    /// A place in a text between two letters.
    pub(super) fn anywhere(&mut self, text: &str) -> usize {
        let mut at = self.random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The start of a line: of those behind one that opens tags or defaults, if there is one.
    pub(super) fn line(&mut self, text: &str) -> usize {
        let starts = |wanted: &[&str]| -> Vec<usize> {
            let ends = text.match_indices('\n').map(|(at, _)| at);
            let lines = ends.filter(|at| {
                let line = text[..*at].rsplit('\n').next().unwrap_or_default();
                wanted.iter().any(|it| line.contains(it))
            });
            lines.map(|it| it + 1).collect()
        };
        let mut lines = starts(&["tags ", "default_tags", "terraform {"]);
        if lines.is_empty() || self.random.below(2) == 0 {
            lines = starts(&[""]);
        }
        match lines.len() {
            0 => 0,
            some => lines[self.random.below(some)],
        }
    }

    fn open(&mut self) -> Option<String> {
        let open: Vec<_> = self.editor.documents().map(|it| it.0.to_owned()).collect();
        if open.len() >= MOST_OPEN {
            return self.close();
        }
        let mut files = self.disk.files(".tf");
        files.extend(self.disk.files("gantrycd.hcl"));
        files.retain(|it| !open.contains(it));
        let file = self.one_of(&files)?;
        let text = self.disk.text(&file);
        self.version += 1000;
        self.editor.open(&file, self.version, &text);
        Some(format!("opened {file}"))
    }

    fn close(&mut self) -> Option<String> {
        let file = self.document()?;
        self.editor.close(&file);
        Some(format!("closed {file}"))
    }

    fn save(&mut self) -> Option<String> {
        let file = self.document()?;
        self.editor.save(&file);
        Some(format!("saved {file}"))
    }

    fn folder(&mut self) -> Option<String> {
        let folder = FOLDERS[self.random.below(FOLDERS.len())];
        if !self.disk.path(folder).exists() {
            return None;
        }
        if self.folders.insert(folder) {
            self.editor.client.change_folders(&[folder], &[]);
            return Some(format!("added the folder {folder}"));
        }
        if self.folders.len() == 1 {
            return None;
        }
        self.folders.remove(folder);
        self.editor.client.change_folders(&[], &[folder]);
        Some(format!("removed the folder {folder}"))
    }

    /// Tells of a change that is none.
    fn nothing(&mut self) -> Option<String> {
        let file = self.one_of(&self.disk.files(""))?;
        self.tell(&[(&file, CHANGED)]);
        Some(format!("touched {file}"))
    }

    fn request(&mut self) -> Option<String> {
        const METHODS: [&str; 3] = [
            "textDocument/hover",
            "textDocument/codeAction",
            "textDocument/completion",
        ];
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let at = self.anywhere(&text);
        let method = METHODS[self.random.below(METHODS.len())];
        let id = self.editor.ask_at(method, &file, at);
        if self.random.below(2) == 0 {
            self.editor.cancel(id);
        }
        Some(format!("asked for {method} at {at} of {file}"))
    }

    pub(super) fn tell(&mut self, changes: &[(&str, u32)]) {
        self.editor.disk_changed(changes);
    }
}

pub fn is_state(file: &str) -> bool {
    file.ends_with(".tfstate")
}

fn start(disk: &Disk, folders: &BTreeSet<&'static str>, cache: &str, does: Does) -> Editor {
    let folders: Vec<_> = folders.iter().copied().collect();
    Editor::start(disk.root(), &folders, &disk.cache(cache), does)
}
