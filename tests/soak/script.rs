//! What is done to the server, step by step. Only the seed decides it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::disk::{Disk, FOLDERS};
use crate::editor::{CHANGED, CREATED, DELETED, Editor};
use crate::generate::Random;

/// More documents than these are never open.
const MOST_OPEN: usize = 6;

/// What is typed or pasted, mostly where it does something.
const SNIPPETS: [&str; 18] = [
    "# gantrycd:resource-identity: ignore=true\n",
    "# gantrycd:resource-identity: ignore=yes\n",
    "    \"gantrycd:resource-identity\" = \"null\"\n",
    "    \"gantrycd:resource-identity\" = null\n",
    "    \"gantrycd:resource-identity\" = \"mine\"\n",
    "    \"gantrycd:resource-identity-realm\" = \"eu west\"\n",
    "    \"gantrycd:resource-identity-realm\" = \"eu-west\"\n",
    "    \"gantrycd:resource-identiti\" = \"é😀\"\n",
    "resource \"aws_sqs_queue\" \"new\" {\n  name = \"new\"\n}\n",
    "moved {\n  from = aws_iam_role.exported\n  to   = aws_iam_role.moved\n}\n",
    "removed {\n  from = aws_iam_role.exported\n}\n",
    "import {\n  to = aws_iam_role.exported\n  id = \"exported\"\n}\n",
    "variable \"realm\" {\n  default = \"a b\"\n}\n",
    "backend \"local\" {\n  path = \"other.tfstate\"\n}\n",
    "\r\n",
    "}\n",
    "<<EOT\n",
    "/* ",
];

const SETTINGS: [&str; 6] = [
    "checks {\n  duplicate-identity = \"off\"\n}\n",
    "checks {\n  duplicate-identity = { severity = \"warning\", exclude = [\"live/media/**\"] }\n}\n",
    "checks {\n  no-such-check = \"hint\"\n",
    "variables = { realm = \"c d\" }\n",
    "stack \"live/billing/service-000\" {\n  variables = { realm = \"é f\" }\n}\n",
    "",
];

const GARBAGE: [&[u8]; 5] = [
    b"",
    b"{",
    b"version https://git-lfs.github.com/spec/v1\n",
    b"{\"version\": 3}",
    b"\xff\xfe{\0}\0",
];

/// A server, and all that was done to it.
pub struct Script {
    random: Random,
    disk: Disk,
    folders: BTreeSet<&'static str>,
    /// Whether the editor watches the files, or the server has to.
    watches: bool,
    /// Of all documents that ever were, so that a late word on an earlier one is known as such.
    version: i64,
    pub editor: Editor,
}

impl Script {
    pub fn begin(seed: u64) -> Self {
        let disk = Disk::new(seed);
        let folders = BTreeSet::from(["one", "two"]);
        let watches = !seed.is_multiple_of(2);
        Self {
            random: Random::new(seed),
            editor: start(&disk, &folders, "cache", watches),
            disk,
            folders,
            watches,
            version: 0,
        }
    }

    /// A new server for the same disk, folders and documents.
    pub fn fresh(&self) -> Editor {
        // nor does it believe what another one kept
        let cache = "empty-cache";
        _ = fs::remove_dir_all(self.disk.cache(cache));
        let mut fresh = start(&self.disk, &self.folders, cache, self.watches);
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
    fn document(&mut self) -> Option<String> {
        if self.editor.documents().next().is_none() {
            self.open();
        }
        let all: Vec<_> = self.editor.documents().map(|it| it.0.to_owned()).collect();
        self.one_of(&all)
    }

    fn one_of(&mut self, all: &[String]) -> Option<String> {
        match all.len() {
            0 => None,
            some => Some(all[self.random.below(some)].clone()),
        }
    }

    /// A place in a text between two letters.
    fn anywhere(&mut self, text: &str) -> usize {
        let mut at = self.random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The start of a line: of those behind one that opens tags or defaults, if there is one.
    fn line(&mut self, text: &str) -> usize {
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

    fn typing(&mut self) -> Option<String> {
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let mut at = self.anywhere(&text);
        let letters = [
            "a", "7", "\"", "{", "}", " ", "\n", "#", "$", "é", "😀", ".", "=",
        ];
        let mut typed = String::new();
        for _ in 0..=self.random.below(8) {
            let letter = letters[self.random.below(letters.len())];
            self.editor.replace(&file, at..at, letter);
            at += letter.len();
            typed += letter;
        }
        // most people see what they broke
        if self.random.below(3) > 0 {
            self.editor.replace(&file, at - typed.len()..at, "");
            typed += " and removed it";
        }
        Some(format!("typed {typed:?} at {at} of {file}"))
    }

    fn snippet(&mut self) -> Option<String> {
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let at = self.line(&text);
        let snippet = SNIPPETS[self.random.below(SNIPPETS.len())];
        self.editor.replace(&file, at..at, snippet);
        Some(format!("inserted {snippet:?} at {at} of {file}"))
    }

    /// A block of another file.
    fn paste(&mut self) -> Option<String> {
        let file = self.document()?;
        let from = self.one_of(&self.disk.files(".tf"))?;
        let blocks = self.disk.text(&from);
        let blocks: Vec<_> = blocks.split("\n\n").map(str::to_owned).collect();
        let block = self.one_of(&blocks)? + "\n\n";
        let text = self.editor.text(&file).to_owned();
        let at = match self.random.below(3) {
            0 => self.line(&text),
            _ => text.len(),
        };
        self.editor.replace(&file, at..at, &block);
        Some(format!("pasted {block:?} of {from} at {at} of {file}"))
    }

    fn delete(&mut self) -> Option<String> {
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let (start, end) = match self.random.below(2) {
            0 => (self.line(&text), self.line(&text)),
            _ => (self.anywhere(&text), self.anywhere(&text)),
        };
        let (start, end) = (start.min(end), start.max(end));
        let end = text.len().min(start + (end - start).min(400));
        let end = (end..=text.len()).find(|it| text.is_char_boundary(*it))?;
        self.editor.replace(&file, start..end, "");
        Some(format!("deleted {start}..{end} of {file}"))
    }

    /// The text that the file had at first, if it is one of those.
    fn take_back(&mut self) -> Option<String> {
        let file = self.document()?;
        let first = self.disk.at_first.get(&file)?;
        let first = String::from_utf8(first.clone()).unwrap();
        let length = self.editor.text(&file).len();
        self.editor.replace(&file, 0..length, &first);
        Some(format!("took back all of {file}"))
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

    /// Replaces a state, or breaks it.
    fn state(&mut self) -> Option<String> {
        let states: Vec<_> = self.disk.at_first.keys().cloned().collect();
        let states: Vec<_> = states.into_iter().filter(|it| is_state(it)).collect();
        let (to, from) = (self.one_of(&states)?, self.one_of(&states)?);
        let mut content = match self.random.below(3) {
            0 => self.disk.at_first[&from].clone(),
            _ => self.disk.at_first[&to].clone(),
        };
        let what = match self.random.below(5) {
            0 => {
                content = GARBAGE[self.random.below(GARBAGE.len())].to_vec();
                "garbage"
            }
            1 => {
                content.truncate(self.random.below(content.len()));
                "a part of a state"
            }
            _ => "a state",
        };
        let how = match self.random.below(2) {
            0 => Disk::write,
            _ => Disk::replace,
        };
        let is_new = how(&self.disk, &to, &content);
        self.tell(&[(&to, if is_new { CREATED } else { CHANGED })]);
        Some(format!("wrote {what} of {from} to {to}"))
    }

    /// Renames, deletes or edits a file behind the editor's back.
    fn file(&mut self) -> Option<String> {
        let files: Vec<_> = self.disk.files("");
        let file = self.one_of(&files)?;
        match self.random.below(3) {
            0 => {
                let to = format!("{}_{}", file.trim_end_matches(".tf"), "renamed.tf");
                fs::rename(self.disk.path(&file), self.disk.path(&to)).unwrap();
                self.tell(&[(&file, DELETED), (&to, CREATED)]);
                Some(format!("renamed {file} to {to}"))
            }
            1 => {
                self.disk.remove(&file);
                self.tell(&[(&file, DELETED)]);
                Some(format!("deleted {file}"))
            }
            _ => {
                let mut text = self.disk.text(&file);
                let at = self.line(&text);
                text.insert_str(at, SNIPPETS[self.random.below(SNIPPETS.len())]);
                self.disk.replace(&file, text.as_bytes());
                self.tell(&[(&file, CHANGED)]);
                Some(format!("edited {file} at {at} on the disk"))
            }
        }
    }

    /// Renames or deletes the directory of a stack or of a module.
    fn directory(&mut self) -> Option<String> {
        let files = self.disk.files("/main.tf");
        let file = self.one_of(&files)?;
        let directory = file.trim_end_matches("/main.tf");
        let within = self.disk.files("");
        let within = within
            .iter()
            .filter(|it| it.starts_with(&format!("{directory}/")));
        // some clients tell of the files, some of the directory alone
        let mut changes: Vec<_> = match self.random.below(2) {
            0 => vec![(directory, DELETED)],
            _ => within.map(|it| (&**it, DELETED)).collect(),
        };
        if self.random.below(2) == 0 {
            self.disk.remove(directory);
            self.tell(&changes);
            return Some(format!("deleted {directory}"));
        }
        let to = format!("{directory}-renamed");
        if self.disk.path(&to).exists() {
            return None;
        }
        fs::rename(self.disk.path(directory), self.disk.path(&to)).unwrap();
        changes.push((&to, CREATED));
        self.tell(&changes);
        Some(format!("renamed {directory} to {to}"))
    }

    /// Makes a directory what it was at first.
    fn put_back(&mut self) -> Option<String> {
        let files: Vec<_> = self.disk.at_first.keys().cloned().collect();
        let file = self.one_of(&files)?;
        let (directory, _) = file.rsplit_once('/')?;
        let below = format!("{directory}/");
        let mut changes = Vec::new();
        for file in self.disk.files("") {
            if file.starts_with(&below) && !self.disk.at_first.contains_key(&file) {
                self.disk.remove(&file);
                changes.push((file, DELETED));
            }
        }
        let renamed = format!("{directory}-renamed");
        if self.disk.path(&renamed).exists() {
            self.disk.remove(&renamed);
            changes.push((renamed, DELETED));
        }
        for (file, content) in &self.disk.at_first {
            if file.starts_with(&below) {
                let is_new = self.disk.replace(file, content);
                changes.push((file.clone(), if is_new { CREATED } else { CHANGED }));
            }
        }
        let changes: Vec<_> = changes.iter().map(|(file, it)| (&**file, *it)).collect();
        self.tell(&changes);
        Some(format!("put back {directory}"))
    }

    fn settings(&mut self) -> Option<String> {
        let file = ["one/gantrycd.hcl", "two/gantrycd.hcl"][self.random.below(2)];
        let text = SETTINGS[self.random.below(SETTINGS.len())];
        if self.editor.documents().any(|it| it.0 == file) {
            let length = self.editor.text(file).len();
            self.editor.replace(file, 0..length, text);
        } else if text.is_empty() && self.disk.path(file).exists() {
            self.disk.remove(file);
            self.tell(&[(file, DELETED)]);
        } else {
            let is_new = self.disk.replace(file, text.as_bytes());
            self.tell(&[(file, if is_new { CREATED } else { CHANGED })]);
        }
        Some(format!("made {file} {text:?}"))
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

    fn tell(&mut self, changes: &[(&str, u32)]) {
        self.editor.disk_changed(changes);
    }
}

fn is_state(file: &str) -> bool {
    file.ends_with(".tfstate")
}

fn start(disk: &Disk, folders: &BTreeSet<&'static str>, cache: &str, watches: bool) -> Editor {
    let folders: Vec<_> = folders.iter().copied().collect();
    Editor::start(disk.root(), &folders, &disk.cache(cache), watches)
}
