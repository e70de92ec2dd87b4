//! What is done on the disk.

use std::fs;

use crate::disk::Disk;
use crate::editor::{CHANGED, CREATED, DELETED};
use crate::edits::SNIPPETS;
use crate::script::{Script, is_state};

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

impl Script {
    /// Replaces a state, or breaks it.
    pub(super) fn state(&mut self) -> Option<String> {
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
    pub(super) fn file(&mut self) -> Option<String> {
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
    pub(super) fn directory(&mut self) -> Option<String> {
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
    pub(super) fn put_back(&mut self) -> Option<String> {
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

    pub(super) fn settings(&mut self) -> Option<String> {
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
}
