//! A terminal that a test looks at and types into, by tmux.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A program in a terminal, which ends with it.
pub struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// Starts a program with its arguments. `socket` is a path that nothing has yet.
    pub fn start(
        socket: PathBuf,
        directory: &Path,
        environment: &[(&str, OsString)],
        program: &[&str],
    ) -> Self {
        let terminal = Self { socket };
        let mut tmux = terminal.tmux(&["-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", "160", "-y", "48"]).args(program);
        tmux.current_dir(directory)
            .env_remove("TMUX")
            .env_remove("XDG_CONFIG_HOME")
            .envs(environment.iter().map(|(name, value)| (name, value)));
        let status = tmux.status();
        assert!(status.is_ok_and(|it| it.success()), "tmux is needed");
        terminal
    }

    /// Types keys, each by its name or as the text that it is.
    pub fn press(&self, keys: &[&str]) {
        let status = self.tmux(&["send-keys"]).args(keys).status().unwrap();
        assert!(status.success(), "the program ended before {keys:?}");
    }

    /// Waits until what is on the screen is as it should be.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let until = Instant::now() + super::DEADLINE;
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]).output().unwrap().stdout;
            let screen = String::from_utf8_lossy(&screen);
            if is_so(&screen) {
                return;
            }
            assert!(Instant::now() < until, "not so: {what}\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket).args(arguments);
        tmux
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        _ = self.tmux(&["kill-server"]).status();
    }
}
