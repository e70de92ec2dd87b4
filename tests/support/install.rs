//! Editors for the tests that drive one: installed once, below the target directory, from the
//! package registries.

#![allow(dead_code)] // every editor takes a part of it

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// The directory of an editor. It is locked while the file is held: tests run side by side.
pub fn home(name: &str) -> (PathBuf, File) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let home = target.join("editors").join(name);
    fs::create_dir_all(&home).unwrap();
    let lock = File::create(home.join("lock")).unwrap();
    lock.lock().unwrap();
    (home, lock)
}

/// Runs a step of an installation and returns what it printed. Fails with `needs`, which says what
/// must be there.
pub fn done(needs: &str, command: &mut Command) -> String {
    let what = format!("{command:?}");
    let why = match command.output() {
        Ok(output) if output.status.success() => {
            return String::from_utf8(output.stdout).unwrap();
        }
        Ok(output) => [output.stdout, output.stderr]
            .map(|it| String::from_utf8_lossy(&it).into_owned())
            .concat(),
        Err(error) => error.to_string(),
    };
    panic!("{needs}\n{what}: {why}");
}

/// Waits for the end of an editor, which is killed when it does not come in time.
pub fn ended(editor: &mut Child, until: Instant) -> ExitStatus {
    loop {
        if let Some(status) = editor.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > until {
            editor.kill().unwrap();
            return editor.wait().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
}
