//! What was read of the states, kept in the user's cache: a second start reads a state again only if
//! its file is another.
//!
//! Whatever is wrong with the cache, it is as if it were not there, and it is written anew. Knows
//! nothing of what a row means.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use etcetera::BaseStrategy as _;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::state::State;
use crate::state::stored::{self, decode, encode};

use super::disk::Stamp;

/// A file that was written so shortly before it was read may be written once more within the same
/// tick of its file system's clock, and would not be told from what it was.
const TOO_NEW: Duration = Duration::from_secs(2);

/// Says that there is none, whatever its value, unless that is empty.
const OFF: &str = "GANTRYCD_LS_NO_CACHE";

/// The states of one workspace as they were stored.
///
/// The file is the stored states one after another, the index, and where that is.
pub(super) struct Cache {
    path: PathBuf,
    opened: SystemTime,
    file: Option<Mutex<File>>,
    index: BTreeMap<String, Entry>,
}

/// A cache that is being written.
pub(super) struct Writing(Option<JoinHandle<()>>);

impl Drop for Writing {
    fn drop(&mut self) {
        // a cache that could not be written is none
        _ = self.0.take().map(JoinHandle::join);
    }
}

/// Where the index is.
const TRAILER: usize = 16;

#[derive(Serialize, Deserialize)]
struct Index {
    /// What wrote it: no other version reads it.
    version: String,
    /// The workspace's.
    root: String,
    entries: BTreeMap<String, Entry>,
}

/// A stored state.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    stamp: StoredStamp,
    place: Place,
}

/// The stamp of the file that was read: its last change since 1970, and its length.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct StoredStamp {
    modified: Duration,
    length: u64,
}

/// Bytes of the cache's file, and what they must come to.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    start: u64,
    length: u32,
    checksum: u32,
}

impl Cache {
    /// What is stored of the workspace below a root. `None` where nothing can be, or may be.
    pub(super) fn of_user(root: &Path) -> Option<Self> {
        if std::env::var_os(OFF).is_some_and(|it| !it.is_empty()) {
            return None;
        }
        let directory = etcetera::choose_base_strategy().ok()?.cache_dir();
        let directory = directory.join("gantrycd-ls/states");
        directory
            .is_absolute()
            .then(|| Self::open(&directory, root))?
    }

    fn open(directory: &Path, root: &Path) -> Option<Self> {
        let root = root.to_str()?;
        let name = Sha256::digest(root)
            .iter()
            .take(16)
            .fold(String::new(), |name, it| name + &format!("{it:02x}"));
        let path = directory.join(name);
        let stored = File::open(&path).ok().and_then(|mut file| {
            let index = Index::read(&mut file)?;
            let is_ours = index.version == version() && index.root == root;
            is_ours.then_some((Mutex::new(file), index.entries))
        });
        let (file, index) = stored.unzip();
        Some(Self {
            path,
            opened: SystemTime::now(),
            file,
            index: index.unwrap_or_default(),
        })
    }

    /// What is stored of a state file that has this stamp.
    pub(super) fn state(&self, path: &Path, stamp: Option<Stamp>) -> Option<Arc<State>> {
        let entry = self.index.get(path.to_str()?)?;
        if self.storable(stamp)? != entry.stamp {
            return None;
        }
        // the lock is let go before the rows are made
        let bytes = entry.place.read(&mut *self.file.as_ref()?.lock().ok()?)?;
        decode(&bytes).map(Arc::new)
    }

    /// The stamp as it is stored; `None` of a file that may be another before its stamp is.
    fn storable(&self, stamp: Option<Stamp>) -> Option<StoredStamp> {
        let Stamp { modified, length } = stamp?;
        let modified = modified?;
        let age = self.opened.duration_since(modified).ok()?;
        Some(StoredStamp {
            modified: modified.duration_since(UNIX_EPOCH).ok()?,
            length,
        })
        .filter(|_| age > TOO_NEW)
    }

    /// Does [`Self::write`] beside whatever else is done. Whoever drops what is returned waits for it.
    pub(super) fn write_beside(
        self,
        root: Arc<Path>,
        states: Vec<(Arc<Path>, Option<Stamp>, Arc<State>)>,
    ) -> Writing {
        let write = move || {
            let states = states.iter();
            self.write(
                &root,
                states.map(|(path, stamp, state)| (&**path, *stamp, state)),
            );
        };
        Writing(Some(thread::spawn(write)))
    }

    /// Stores these states and no others, unless they are what is stored.
    fn write<'a>(
        self,
        root: &Path,
        states: impl Iterator<Item = (&'a Path, Option<Stamp>, &'a Arc<State>)>,
    ) {
        let states: Vec<_> = states
            .filter_map(|(path, stamp, state)| Some((path.to_str()?, self.storable(stamp)?, state)))
            .filter(|(_, _, state)| stored::is_stored(state))
            .collect();
        let stored = self.index.iter().map(|(path, it)| (&**path, it.stamp));
        if stored.eq(states.iter().map(|(path, stamp, _)| (*path, *stamp))) {
            return;
        }
        // A cache that cannot be written is none: there is nobody whom that would help to know.
        _ = self.replace(root, &states);
    }

    /// Writes the file anew, as a whole or not at all: others may be reading it, or writing it too.
    fn replace(&self, root: &Path, states: &[(&str, StoredStamp, &Arc<State>)]) -> io::Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        create_private(directory)?;
        // only the user may read it, and it goes away unless all comes through
        let unfinished = tempfile::NamedTempFile::new_in(directory)?;
        let mut file = BufWriter::new(unfinished);
        let mut entries = BTreeMap::new();
        let mut start = 0;
        // as many at a time as do not weigh much
        for states in states.chunks(64) {
            let encoded: Vec<_> = states.par_iter().map(|(.., state)| encode(state)).collect();
            for ((path, stamp, _), bytes) in states.iter().zip(encoded) {
                let Some(bytes) = bytes else { continue };
                let place = Place::of(&bytes, start)?;
                file.write_all(&bytes)?;
                start += bytes.len() as u64;
                entries.insert(
                    path.to_string(),
                    Entry {
                        stamp: *stamp,
                        place,
                    },
                );
            }
        }
        let index = Index {
            version: version(),
            root: root.to_string_lossy().into_owned(),
            entries,
        };
        let index = postcard::to_allocvec(&index).map_err(io::Error::other)?;
        let place = Place::of(&index, start)?;
        file.write_all(&index)?;
        file.write_all(&place.start.to_le_bytes())?;
        file.write_all(&place.length.to_le_bytes())?;
        file.write_all(&place.checksum.to_le_bytes())?;
        let unfinished = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        unfinished.persist(&self.path)?;
        Ok(())
    }
}

impl Index {
    fn read(file: &mut File) -> Option<Self> {
        let mut trailer = [0; TRAILER];
        file.seek(SeekFrom::End(-(TRAILER as i64))).ok()?;
        file.read_exact(&mut trailer).ok()?;
        let ([start, rest], []) = trailer.as_chunks::<8>() else {
            return None;
        };
        let ([length, checksum], []) = rest.as_chunks::<4>() else {
            return None;
        };
        let place = Place {
            start: u64::from_le_bytes(*start),
            length: u32::from_le_bytes(*length),
            checksum: u32::from_le_bytes(*checksum),
        };
        postcard::from_bytes(&place.read(file)?).ok()
    }
}

impl Place {
    fn of(bytes: &[u8], start: u64) -> io::Result<Self> {
        Ok(Self {
            start,
            length: u32::try_from(bytes.len()).map_err(io::Error::other)?,
            checksum: crc32fast::hash(bytes),
        })
    }

    /// The bytes, if they are what they were.
    fn read(&self, file: &mut File) -> Option<Vec<u8>> {
        file.seek(SeekFrom::Start(self.start)).ok()?;
        let mut bytes = Vec::new();
        file.take(self.length.into()).read_to_end(&mut bytes).ok()?;
        let is_same =
            bytes.len() == self.length as usize && crc32fast::hash(&bytes) == self.checksum;
        is_same.then_some(bytes)
    }
}

/// What a cache's bytes mean depends on the version of the program and on that of the layout.
fn version() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), stored::VERSION)
}

/// Makes a directory that only the user can enter.
fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::read;

    const LONG_AGO: u64 = 1_700_000_000;

    struct Disk {
        directory: tempfile::TempDir,
        states: Vec<(PathBuf, Option<Stamp>, Arc<State>)>,
    }

    impl Disk {
        /// A cache in which these states are stored, each of one row with this ARN.
        fn new(arns: &[&str]) -> Self {
            let states = arns.iter().enumerate().map(|(at, arn)| {
                let text = format!(
                    r#"{{"version": 4, "resources": [{{"mode": "managed", "type": "aws_vpc",
                        "name": "v", "instances": [{{"attributes": {{"arn": "{arn}"}}}}]}}]}}"#
                );
                let state = Arc::new(read(text.as_bytes()).unwrap());
                (
                    PathBuf::from(format!("/w/{at}.tfstate")),
                    stamp(LONG_AGO),
                    state,
                )
            });
            let disk = Self {
                directory: tempfile::tempdir().unwrap(),
                states: states.collect(),
            };
            disk.write();
            disk
        }

        fn cache(&self) -> Cache {
            Cache::open(&self.directory.path().join("a/states"), Path::new("/w")).unwrap()
        }

        fn write(&self) {
            let states = self.states.iter();
            self.cache().write(
                Path::new("/w"),
                states.map(|(path, stamp, it)| (&**path, *stamp, it)),
            );
        }

        fn path(&self) -> PathBuf {
            self.cache().path
        }

        /// The ARN of each state as it is stored.
        fn stored(&self) -> Vec<Option<String>> {
            let cache = self.cache();
            let states = self.states.iter();
            let states = states.map(|(path, stamp, _)| cache.state(path, *stamp));
            states
                .map(|it| Some(it?.records[0].row.attributes.arn.as_ref()?.to_string()))
                .collect()
        }
    }

    fn stamp(seconds: u64) -> Option<Stamp> {
        Some(Stamp {
            modified: Some(UNIX_EPOCH + Duration::from_secs(seconds)),
            length: 100,
        })
    }

    #[test]
    fn a_state_comes_back_until_its_file_changes() {
        let mut disk = Disk::new(&["arn:a", "arn:b"]);
        let [a, b] = ["arn:a", "arn:b"].map(|it| Some(it.to_owned()));
        assert_eq!(disk.stored(), [a.clone(), b]);
        disk.states[1].1 = stamp(LONG_AGO + 1);
        assert_eq!(disk.stored(), [a.clone(), None]);
        disk.states[1].1.as_mut().unwrap().length += 1;
        disk.write();
        let b = disk.stored()[1].clone();
        assert_eq!(b.as_deref(), Some("arn:b"));
        // what is gone is not kept
        disk.states.remove(0);
        disk.write();
        assert_eq!(disk.stored(), [b]);
        let cache = disk.cache();
        assert_eq!(cache.index.len(), 1);
    }

    #[test]
    fn what_is_stored_is_not_written_again() {
        let disk = Disk::new(&["arn:a"]);
        let written = || fs::metadata(disk.path()).unwrap().modified().unwrap();
        let marked = UNIX_EPOCH + Duration::from_secs(LONG_AGO);
        File::options()
            .write(true)
            .open(disk.path())
            .unwrap()
            .set_modified(marked)
            .unwrap();
        disk.write();
        assert_eq!(written(), marked);
    }

    #[test]
    fn a_file_that_was_just_written_is_not_stored() {
        let mut disk = Disk::new(&["arn:a", "arn:b"]);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        disk.states[0].1 = stamp(now);
        disk.states[1].1 = stamp(now + 1000);
        disk.write();
        assert_eq!(disk.stored(), [None, None]);
        assert!(disk.cache().index.is_empty());
    }

    #[test]
    fn a_damaged_cache_gives_nothing_that_was_not_stored_and_is_written_anew() {
        let disk = Disk::new(&["arn:a", "arn:b"]);
        let [a, b] = ["arn:a", "arn:b"].map(|it| Some(it.to_owned()));
        let bytes = fs::read(disk.path()).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            for damaged in [&damaged[..], &bytes[..at], &bytes[at..]] {
                fs::write(disk.path(), damaged).unwrap();
                let stored = disk.stored();
                let expected = [&a, &b];
                let is_ours = |(it, expected): (&Option<_>, _)| it.is_none() || it == expected;
                assert!(stored.iter().zip(expected).all(is_ours), "{at} {stored:?}");
            }
        }
        fs::write(disk.path(), "garbage").unwrap();
        disk.write();
        assert_eq!(disk.stored(), [a, b]);
    }

    #[test]
    fn another_workspaces_cache_is_not_read() {
        let disk = Disk::new(&["arn:a"]);
        let other = Cache::open(&disk.directory.path().join("a/states"), Path::new("/x")).unwrap();
        assert_ne!(other.path, disk.path());
        fs::copy(disk.path(), &other.path).unwrap();
        let other = Cache::open(&disk.directory.path().join("a/states"), Path::new("/x")).unwrap();
        assert!(other.index.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_reads_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let disk = Disk::new(&["arn:a"]);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&disk.path()), 0o600);
        assert_eq!(mode(disk.path().parent().unwrap()), 0o700);
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is() {
        let disk = Disk::new(&["arn:a"]);
        let file = disk.directory.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = Cache::open(&file.join("states"), Path::new("/w")).unwrap();
        let states = disk.states.iter();
        cache.write(
            Path::new("/w"),
            states.map(|(path, stamp, it)| (&**path, *stamp, it)),
        );
        assert_eq!(fs::read(&file).unwrap(), b"");
    }
}
