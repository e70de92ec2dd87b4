//! One thing after the other, each timed until the server has answered it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::MOST;
use crate::editor::Editor;
use crate::generate::{Random, Spot};
use crate::table::Times;

/// How long each thing is measured, unless it was measured this often.
const BUDGET: Duration = Duration::from_secs(12);
const ENOUGH: usize = 300;

/// Letters between two backspaces.
const WORD: usize = 20;

/// A text that is being typed into a file.
pub struct Typed {
    file: String,
    /// Bytes of what was inserted.
    start: usize,
    end: usize,
    cursor: usize,
    letters: usize,
}

impl Typed {
    /// Inserts a text, in which `|` stands for the cursor.
    pub fn begin(editor: &mut Editor, file: &str, at: usize, text: &str) -> Self {
        let (before, after) = text.split_once('|').expect("there is a cursor");
        let version = editor.replace(file, at..at, &[before, after].concat());
        wait_for(editor, file, version);
        Self {
            file: file.to_owned(),
            start: at,
            end: at + before.len() + after.len(),
            cursor: at + before.len(),
            letters: 0,
        }
    }

    /// Times from a key to the list of the text that it made.
    pub fn keys(&mut self, editor: &mut Editor) -> Times {
        let mut random = Random::new(1);
        let mut times = Times::default();
        let begin = Instant::now();
        while times.len() < ENOUGH && begin.elapsed() < BUDGET {
            let version = self.key(editor);
            wait_for(editor, &self.file, version);
            times.add(editor.heard - editor.edited);
            // a person stops at times, and what waited for that is done
            let pause = match random.below(10) {
                0 => random.below(300),
                _ => 5,
            };
            let until = Instant::now() + Duration::from_millis(pause as u64);
            listen_until(editor, until);
        }
        times
    }

    /// Times from a key to the answer to a hover that was asked for right after it.
    pub fn hovers(&mut self, editor: &mut Editor) -> Times {
        let mut times = Times::default();
        let begin = Instant::now();
        while times.len() < ENOUGH / 3 && begin.elapsed() < BUDGET / 3 {
            self.key(editor);
            let id = editor.ask_at("textDocument/hover", &self.file, self.cursor);
            editor.answer(id, MOST);
            times.add(editor.edited.elapsed());
            listen_until(editor, Instant::now() + Duration::from_millis(5));
        }
        times
    }

    /// Times from a new line at the top of the file, or its removal, to the list of that text.
    pub fn lines(&mut self, editor: &mut Editor) -> Times {
        let mut times = Times::default();
        let begin = Instant::now();
        while times.len() < 2 || times.len() < ENOUGH / 3 && begin.elapsed() < BUDGET / 3 {
            for (bytes, text) in [(0..0, "\n"), (0..1, "")] {
                let version = editor.replace(&self.file, bytes, text);
                wait_for(editor, &self.file, version);
                times.add(editor.heard - editor.edited);
                listen_until(editor, Instant::now() + Duration::from_millis(5));
            }
        }
        times
    }

    /// Times from saving the file to the answer to a hover that was asked for right after it.
    pub fn saves(&mut self, editor: &mut Editor) -> Times {
        let mut times = Times::default();
        let begin = Instant::now();
        while times.len() < ENOUGH / 3 && begin.elapsed() < BUDGET / 3 {
            self.key(editor);
            editor.until_quiet(Duration::from_millis(100));
            let saved = Instant::now();
            editor.save(&self.file);
            let id = editor.ask_at("textDocument/hover", &self.file, self.cursor);
            editor.answer(id, MOST);
            times.add(saved.elapsed());
        }
        times
    }

    /// Types a letter, or removes a word of them. Returns the new version.
    fn key(&mut self, editor: &mut Editor) -> i64 {
        if self.letters == WORD {
            let word = self.cursor - self.letters..self.cursor;
            self.cursor -= self.letters;
            self.end -= self.letters;
            self.letters = 0;
            return editor.replace(&self.file, word, "");
        }
        let at = self.cursor;
        self.cursor += 1;
        self.end += 1;
        self.letters += 1;
        editor.replace(&self.file, at..at, "x")
    }

    /// Removes what was typed.
    pub fn undo(self, editor: &mut Editor) {
        let version = editor.replace(&self.file, self.start..self.end, "");
        wait_for(editor, &self.file, version);
    }
}

/// Times from an edit that ends a duplicate to the list of the other side, and from one that brings
/// it back.
pub fn across(editor: &mut Editor, here: &Spot, there: &Spot) -> [Times; 2] {
    const IGNORED: &str = "# gantrycd:resource-identity: ignore=true\n";
    editor.open_from_disk(&here.path);
    let lines = editor.text(&here.path).split_inclusive('\n');
    let at: usize = lines.take(here.line).map(str::len).sum();
    let mut times = [Times::default(), Times::default()];
    let edits = [(at..at, IGNORED), (at..at + IGNORED.len(), "")];
    let begin = Instant::now();
    while times[1].len() < ENOUGH / 3 && begin.elapsed() < BUDGET {
        for ((bytes, text), times) in edits.iter().zip(&mut times) {
            editor.replace(&here.path, bytes.clone(), text);
            let told = editor.until(MOST, |it| is_duplicate(it, there) == text.is_empty());
            assert!(told, "nothing is told of {there:?}");
            times.add(editor.heard - editor.edited);
            // what else the edit brings about comes to its end
            editor.until_quiet(Duration::from_millis(200));
        }
    }
    editor.close(&here.path);
    times
}

fn is_duplicate(editor: &Editor, spot: &Spot) -> bool {
    let list = editor.told(&spot.path).map_or(&[][..], |it| &it.list);
    list.iter().any(|it| {
        let line = &it["range"]["start"]["line"];
        it["code"] == "duplicate-identity" && *line == spot.line
    })
}

/// Times of a request anywhere in a file.
pub fn requests(editor: &mut Editor, method: &str, file: &str) -> Times {
    let mut random = Random::new(1);
    repeated(editor, &mut |editor| {
        let text = editor.text(file);
        let mut at = random.below(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let id = editor.ask_at(method, file, at);
        editor.answer(id, MOST);
    })
}

/// Times of something that is asked for again and again.
pub fn repeated(editor: &mut Editor, ask: &mut dyn FnMut(&mut Editor)) -> Times {
    let mut times = Times::default();
    // what was edited before has come to its end
    editor.until_quiet(Duration::from_secs(1));
    let begin = Instant::now();
    while times.len() < ENOUGH && begin.elapsed() < BUDGET {
        let asked = Instant::now();
        ask(editor);
        times.add(asked.elapsed());
        sleep(Duration::from_millis(2));
    }
    times
}

fn wait_for(editor: &mut Editor, file: &str, version: i64) {
    let told = editor.until(MOST, |it| {
        it.told(file).is_some_and(|it| it.version >= Some(version))
    });
    assert!(told, "nothing is told of {file} at version {version}");
}

fn listen_until(editor: &mut Editor, end: Instant) {
    let left = || end.saturating_duration_since(Instant::now());
    while !left().is_zero() {
        editor.listen(left());
    }
}
