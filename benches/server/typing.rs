//! Somebody types as fast as one can, and does not wait for the server.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::editor::Editor;
use crate::process::processor_time;
use crate::table::{Column, Times};
use crate::{BLOCK, MOST};

const KEYS_A_SECOND: u32 = 30;

/// Keys between two savings.
const SAVED: usize = 60;

/// Types in a file for so long. Every key changes what is wrong or where, so that a list of another
/// text than it says does not fit that text, which the editor looks at.
pub fn measure(
    editor: &mut Editor,
    root: &Path,
    file: &str,
    seconds: Duration,
    column: &mut Column,
) {
    let _restored = Restored::new(root.join(file));
    editor.open_from_disk(file);
    let (before, after) = BLOCK.split_once('|').expect("there is a cursor");
    let mut cursor = editor.text(file).len();
    editor.replace(file, cursor..cursor, &[before, after].concat());
    cursor += before.len();
    editor.until_quiet(Duration::from_millis(500));

    let server = editor.client.process();
    let (begin, spent) = (Instant::now(), processor_time(server));
    let mut behind = Times::default();
    let mut waiting = VecDeque::new();
    let mut next = begin;
    for key in 1.. {
        next += Duration::from_secs(1) / KEYS_A_SECOND;
        let version = match key % 10 {
            // all that is below moves
            0 => {
                cursor += 1;
                editor.replace(file, 0..0, "\n")
            }
            9 => {
                cursor -= 2;
                editor.replace(file, cursor..cursor + 2, "")
            }
            _ => {
                cursor += 1;
                editor.replace(file, cursor - 1..cursor - 1, "x")
            }
        };
        waiting.push_back((version, editor.edited));
        if key % SAVED == 0 {
            editor.save(file);
        }
        while Instant::now() < next {
            editor.listen(next.saturating_duration_since(Instant::now()));
            answered(editor, file, &mut waiting, &mut behind);
        }
        if begin.elapsed() >= seconds {
            break;
        }
    }
    let (took, spent) = (begin.elapsed(), processor_time(server) - spent);
    let all = editor.until(MOST, |it| {
        answered(it, file, &mut waiting, &mut behind);
        waiting.is_empty()
    });
    assert!(all, "nothing is told of the last text");
    let cores = spent.as_secs_f64() / took.as_secs_f64();
    column.add("typing: key to a list as new", "", behind);
    column.add("typing: cores", "< 1", format!("{cores:.2}"));
    editor.close(file);
}

/// Takes the keys away whose text the server has seen.
fn answered(
    editor: &Editor,
    file: &str,
    waiting: &mut VecDeque<(i64, Instant)>,
    behind: &mut Times,
) {
    let seen = editor.told(file).and_then(|it| it.version);
    while let Some((version, sent)) = waiting.front()
        && Some(*version) <= seen
    {
        behind.add(editor.heard - *sent);
        waiting.pop_front();
    }
}

/// A file that gets its text back, come what may.
pub struct Restored {
    path: PathBuf,
    text: String,
}

impl Restored {
    pub fn new(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        Self { path, text }
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        _ = std::fs::write(&self.path, &self.text);
    }
}
