//! The cache of a workspace: `.gantrycd/state`, one inventory for each stack.
//!
//! Knows what a file must not be: read by others, written by halves, behind a link, or older than what
//! it takes the place of.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::state;

/// The directory of everything that is cached of a workspace, at its root.
const CACHE: &str = ".gantrycd";

/// What came of writing an inventory.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// It is there.
    There(PathBuf),
    /// What is cached already is of the same state, and newer.
    Older {
        /// The serial of what is cached.
        cached: u64,
        /// The serial of what was to be written.
        serial: u64,
    },
}

/// Where the inventory of a stack is.
pub(super) fn path_of(root: &Path, stack: &str) -> PathBuf {
    let parts: Vec<_> = stack.split('/').map(file_name).collect();
    root.join(CACHE)
        .join("state")
        .join(parts.join("/") + ".json")
}

/// A part of a stack's name as a file's: nothing in it is special to a file system, and no two are
/// the same.
fn file_name(part: &str) -> String {
    // between two separators, which a file system takes for one
    if part.is_empty() {
        return "%".to_owned();
    }
    let mut name = String::new();
    for (at, c) in part.char_indices() {
        let rest = &part[at + c.len_utf8()..];
        let is_special = match c {
            '%' | '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*' => true,
            // of a hidden or unfinished file, and of a directory that is named as a file of ours
            '.' => at == 0 || rest.is_empty() || rest.eq_ignore_ascii_case("json"),
            ' ' => rest.is_empty(),
            other => other.is_control(),
        };
        match is_special {
            true => name.extend(c.to_string().bytes().map(|it| format!("%{it:02X}"))),
            false => name.push(c),
        }
    }
    name
}

/// Writes an inventory, as a whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(
    root: &Path,
    inventory: &state::Written,
    even_if_older: bool,
) -> io::Result<Written> {
    let path = path_of(root, inventory.name);
    if let Some((cached, serial)) = newer(&path, inventory.state).filter(|_| !even_if_older) {
        return Ok(Written::Older { cached, serial });
    }
    put(root, &path, |to| inventory.write(to))?;
    Ok(Written::There(path))
}

/// The serials of what is cached and of a state, when they are of one lineage and the first is newer.
fn newer(path: &Path, state: &state::State) -> Option<(u64, u64)> {
    // to open a pipe is to wait for whoever writes to it
    let is_file = path.metadata().is_ok_and(|it| it.is_file());
    let mut file = is_file.then(|| File::open(path))?.ok()?;
    let cached = state::read_from(&mut file).ok()?;
    let lineage = state.lineage.as_deref().filter(|it| !it.is_empty())?;
    let serials = (cached.serial?, state.serial?);
    let is_newer = cached.lineage.as_deref() == Some(lineage) && serials.0 > serials.1;
    is_newer.then_some(serials)
}

/// Writes a file below the cache that the user alone can read, and makes the directories on the way
/// to it. Whoever reads it meanwhile reads the old one.
///
/// # Errors
/// When it cannot be written, and when something on the way is a link that leads elsewhere.
pub(super) fn put(
    root: &Path,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut tempfile::NamedTempFile>) -> io::Result<()>,
) -> io::Result<()> {
    let below = path.strip_prefix(root).map_err(io::Error::other)?;
    let mut directory = root.to_path_buf();
    for part in below.parent().into_iter().flat_map(Path::components) {
        let Component::Normal(part) = part else {
            return Err(io::Error::other("it is no path below the workspace"));
        };
        directory.push(part);
        make_private(&directory)?;
    }
    ignore_it(root)?;
    // only the user may read it, and it goes away unless all comes through
    let mut unfinished = tempfile::Builder::new()
        .prefix(".")
        .tempfile_in(&directory)?;
    let mut to = BufWriter::new(&mut unfinished);
    write(&mut to)?;
    to.flush()?;
    drop(to);
    unfinished.persist(path)?;
    Ok(())
}

/// Makes a directory that only the user can enter.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) => return Ok(()),
        Err(_) => {}
    }
    let there = fs::symlink_metadata(directory)?;
    if !there.is_dir() {
        let what = format!("{} is no directory", directory.display());
        return Err(io::Error::other(what));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if there.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Keeps the cache out of git, unless somebody has decided about that.
fn ignore_it(root: &Path) -> io::Result<()> {
    let path = root.join(CACHE).join(".gitignore");
    match File::create_new(path) {
        Ok(mut file) => file.write_all(b"# what gantrycd-ls caches of states\n*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stack_has_a_file_of_its_own() {
        let path = |stack: &str| {
            let path = path_of(Path::new("/w"), stack);
            let below = path.strip_prefix("/w/.gantrycd/state").unwrap();
            below.to_str().unwrap().to_owned()
        };
        assert_eq!(path("live/account"), "live/account.json");
        assert_eq!(path("live/net@blue"), "live/net@blue.json");
        assert_eq!(path("."), "%2E.json");
        assert_eq!(path(".@dev"), "%2E@dev.json");
        assert_eq!(path("a/.b/c"), "a/%2Eb/c.json");
        assert_eq!(path("a.json/b"), "a%2Ejson/b.json");
        assert_eq!(path("a:b/%2E/x*"), "a%3Ab/%252E/x%2A.json");
        assert_eq!(path("../x"), "%2E%2E/x.json");
        assert_eq!(path("v1.2/é"), "v1.2/é.json");
        assert_eq!(path("a@b//c"), "a@b/%/c.json");
        assert_eq!(path("a@b/"), "a@b/%.json");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_is_waited_for_who_could_write_to_a_pipe() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let (done, is_done) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let state = state::read(br#"{"version":4,"serial":1,"lineage":"l","resources":[]}"#);
            let Ok(state) = state else { return };
            _ = done.send(newer(&path, &state).is_none());
        });
        let soon = std::time::Duration::from_secs(10);
        assert_eq!(is_done.recv_timeout(soon), Ok(true));
    }
}
