//! The process that started the server: when it is gone, nobody will end the server any more.
//!
//! The end of its pipe tells the same, unless a third process holds it too.

use std::time::Duration;

/// How often the parent is looked for.
const EVERY: Duration = Duration::from_secs(1);

/// Waits until the process with this id is gone.
pub(super) async fn gone(id: u32) {
    while is_there(id) {
        tokio::time::sleep(EVERY).await;
    }
}

/// Whether a process runs. One that has ended and that nobody has asked for its exit code is still
/// listed, and does not.
#[cfg(target_os = "linux")]
pub(super) fn is_there(id: u32) -> bool {
    // `pid (name) state …`, where the name may hold anything, and half a character
    let stat = match std::fs::read(format!("/proc/{id}/stat")) {
        Ok(stat) => String::from_utf8_lossy(&stat).into_owned(),
        // of what cannot be read just now nobody knows that it is gone
        Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
    };
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    !state.is_some_and(|it| it.starts_with(['Z', 'X']))
}

/// Whether a process runs.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn is_there(id: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    // one of another user is there, though it must not be sent a signal
    id.is_some_and(|it| test_kill_process(it) != Err(rustix::io::Errno::SRCH))
}

/// Not known here: no process is watched.
#[cfg(not(unix))]
pub(super) fn is_there(_: u32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_there_until_it_ends() {
        assert!(is_there(std::process::id()));
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        assert!(is_there(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_there(child.id()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_may_have_any_name() {
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::process::CommandExt as _;
        let directory = tempfile::tempdir().unwrap();
        // as the kernel cuts a long one
        let name = directory
            .path()
            .join(std::ffi::OsStr::from_bytes(b") x\xc3"));
        std::os::unix::fs::symlink("/bin/sleep", &name).unwrap();
        let mut command = Command::new(name);
        let mut child = command.arg0("sleep").arg("1000").spawn().unwrap();
        let is_there = is_there(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_there);
    }
}
