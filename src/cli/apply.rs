//! Writes fixes that cannot change what was meant.
//!
//! A file is replaced as a whole or not at all, by a new one beside it that takes its name. Only the
//! bytes that a fix replaces are other ones afterwards.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use crate::checks::{Edit, Finding, Fix};
use crate::text::Source;
use crate::workspace::{Snapshot, is_editable};

use super::Read;

/// Fixes whose edits touch wait for the next pass, and for no more passes than this.
const MOST_PASSES: usize = 10;

const CHANGED: &str = "the file has changed since it was read";

/// What applying came to.
pub(super) struct Applied {
    /// The workspace as it is now.
    pub(super) read: Read,
    /// What is left.
    pub(super) findings: Vec<Finding>,
    /// `path: title` of each fix that was applied.
    pub(super) changes: Vec<String>,
    /// One line for each file that could not be written.
    pub(super) errors: Vec<String>,
}

/// Applies the safe fixes of what `find` finds, again and again until none is left.
pub(super) fn apply(mut read: Read, find: impl Fn(&Snapshot) -> Vec<Finding>) -> Applied {
    let mut findings = find(&read.snapshot);
    let (mut changes, mut errors) = (Vec::new(), Vec::new());
    let mut refused = BTreeSet::new();
    for _ in 0..MOST_PASSES {
        let batches = batches(&read.snapshot, &findings, &refused);
        if batches.is_empty() {
            break;
        }
        for batch in batches {
            match write(&read.snapshot, &batch) {
                Ok(()) => changes.extend(batch.told(&read.snapshot)),
                Err(why) => {
                    errors.push(why);
                    refused.extend(batch.files.into_keys());
                }
            }
        }
        read = read.again();
        findings = find(&read.snapshot);
    }
    Applied {
        read,
        findings,
        changes,
        errors,
    }
}

/// The files that a fix changes: where each really lies, and the path that it was read by.
type Files = BTreeMap<PathBuf, Arc<Path>>;

/// Fixes of the same files whose edits do not touch: they are written together or not at all.
struct Batch {
    files: Files,
    fixes: Vec<Fix>,
}

impl Batch {
    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.fixes.iter().flat_map(|it| &it.edits)
    }

    fn touches(&self, fix: &Fix) -> bool {
        let touch = |a: &Edit, b: &Edit| {
            a.place.path == b.place.path
                && a.place.span.start <= b.place.span.end
                && b.place.span.start <= a.place.span.end
        };
        self.edits().any(|a| fix.edits.iter().any(|b| touch(a, b)))
    }

    fn told(&self, snapshot: &Snapshot) -> Vec<String> {
        let told = |it: &Fix| {
            let path = it.edits.first().map(|it| snapshot.relative(&it.place.path));
            format!("{}: {}", path.unwrap_or_default(), it.title)
        };
        self.fixes.iter().map(told).collect()
    }
}

/// What can be written in one pass.
fn batches(snapshot: &Snapshot, findings: &[Finding], refused: &BTreeSet<PathBuf>) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut real = HashMap::new();
    let is_setting = |it: &&Finding| it.code == "workspace-file" && is_mended(snapshot, it);
    // what is set decides what else is to be fixed
    let settings_first = refused.is_empty() && findings.iter().any(|it| is_setting(&it));
    for finding in findings
        .iter()
        .filter(|it| !settings_first || is_setting(it))
    {
        let mut fixes = finding.fixes(snapshot).into_iter();
        let Some(fix) = fixes.find(|it| it.is_safe) else {
            continue;
        };
        let files = fix.edits.iter().map(|it| {
            let path = &it.place.path;
            let resolve = || path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            let real = real.entry(path.clone()).or_insert_with(resolve);
            (real.clone(), path.clone())
        });
        let files: Files = files.collect();
        // a link may lead out of the workspace, where nobody asked for anything
        let may = |(real, path): (&PathBuf, &Arc<Path>)| {
            real.starts_with(&snapshot.root)
                && is_editable(real)
                && is_editable(path)
                && !refused.contains(real)
        };
        if files.iter().all(may) {
            add(&mut batches, files, fix);
        }
    }
    batches
}

/// Whether a finding has a safe fix.
fn is_mended(snapshot: &Snapshot, finding: &Finding) -> bool {
    finding.fixes(snapshot).iter().any(|it| it.is_safe)
}

/// Adds a fix to what is written in this pass, or leaves it for the next one: where it touches one
/// that is in already, and where a file of it is in as part of other files, or by another name.
fn add(batches: &mut Vec<Batch>, files: Files, fix: Fix) {
    let shares = |it: &&mut Batch| it.files.keys().any(|it| files.contains_key(it));
    match batches.iter_mut().find(shares) {
        None => batches.push(Batch {
            files,
            fixes: vec![fix],
        }),
        Some(batch) if batch.files == files && !batch.touches(&fix) => batch.fixes.push(fix),
        Some(_) => {}
    }
}

/// Writes the files of a batch. Everything that is likely to fail is done before the first of them is
/// replaced.
///
/// # Errors
/// One line with the path of the file that is to blame.
fn write(snapshot: &Snapshot, batch: &Batch) -> Result<(), String> {
    let not_fixed = |path: &Path, why: &dyn std::fmt::Display| {
        format!("{}: not fixed: {why}", snapshot.relative(path))
    };
    let mut new = Vec::new();
    for (real, path) in &batch.files {
        let bytes = fs::read(real).map_err(|why| not_fixed(path, &why))?;
        let edits = batch.edits().filter(|it| it.place.path == *path).collect();
        let source = snapshot.source(path).filter(|it| is_of(it, &bytes));
        let edited = source
            .and_then(|_| edited(&bytes, edits))
            .ok_or_else(|| not_fixed(path, &CHANGED))?;
        let beside = beside(real, &edited).map_err(|why| not_fixed(path, &why))?;
        new.push((beside, bytes, real, path));
    }
    for (file, bytes, real, path) in new {
        // meanwhile a person may have saved it, or removed it
        if fs::read(real).ok().as_ref() != Some(&bytes) {
            return Err(not_fixed(path, &CHANGED));
        }
        let persisted = file.persist(real);
        persisted.map_err(|why| not_fixed(path, &why.error))?;
    }
    Ok(())
}

/// Whether a text was read from these bytes.
fn is_of(source: &Source, bytes: &[u8]) -> bool {
    Source::decode(bytes).is_ok_and(|it| {
        it.text() == source.text()
            && it.invalid() == source.invalid()
            && it.has_bom() == source.has_bom()
    })
}

/// The bytes of a file with its text edited. Spans count as in [`Source::decode`]: from behind the
/// byte order mark, and one for a byte that is not UTF-8. `None` where edits overlap or do not fit.
fn edited(bytes: &[u8], mut edits: Vec<&Edit>) -> Option<Vec<u8>> {
    let bom = match bytes.starts_with(b"\xef\xbb\xbf") {
        true => 3,
        false => 0,
    };
    edits.sort_by_key(|it| it.place.span);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.place.span.range();
        out.extend_from_slice(bytes.get(at..range.start + bom)?);
        out.extend_from_slice(edit.new_text.as_bytes());
        at = range.end + bom;
    }
    out.extend_from_slice(bytes.get(at..)?);
    Some(out)
}

/// A new file beside another, to take its name: with its permissions and, as far as that is
/// allowed, its owner.
fn beside(file: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let metadata = fs::metadata(file)?;
    if metadata.permissions().readonly() {
        return Err(io::Error::other("the file is read-only"));
    }
    // a new file would take the place of one that is not ours to write
    fs::OpenOptions::new().write(true).open(file)?;
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(".gantrycd-ls-")
        .tempfile_in(directory)
        .map_err(|it| io::Error::other(format!("no file can be made beside it: {}", it.kind())))?;
    new.write_all(content)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        _ = fchown(new.as_file(), None, Some(metadata.gid()));
        _ = fchown(new.as_file(), Some(metadata.uid()), None);
    }
    new.as_file().set_permissions(metadata.permissions())?;
    new.as_file().sync_all()?;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::fixture::Fixture;
    use crate::text::Span;
    use crate::workspace::Place;

    fn edit(path: &str, start: usize, end: usize, new_text: &str) -> Edit {
        Edit {
            place: Place {
                path: Path::new(path).into(),
                span: Span::new(start, end),
            },
            new_text: new_text.to_owned(),
        }
    }

    fn fix(edits: Vec<Edit>) -> Fix {
        Fix {
            title: "Mend it".to_owned(),
            edits,
            is_safe: true,
        }
    }

    #[test]
    fn only_what_is_replaced_changes() {
        let edits = [
            edit("a", 4, 5, "x"),
            edit("a", 0, 0, "# é\r\n"),
            edit("a", 7, 9, ""),
        ];
        for (bytes, expected) in [
            (&b"0123456789"[..], &b"# \xc3\xa9\r\n0123x569"[..]),
            // a byte that is no UTF-8 is one byte of the text
            (b"01\xff345678\xe9", b"# \xc3\xa9\r\n01\xff3x56\xe9"),
            // and a byte order mark is none
            (
                b"\xef\xbb\xbf0\r\n345678\r\n",
                b"\xef\xbb\xbf# \xc3\xa9\r\n0\r\n3x56\r\n",
            ),
        ] {
            let edited = edited(bytes, edits.iter().collect()).unwrap();
            assert_eq!(
                edited.escape_ascii().to_string(),
                expected.escape_ascii().to_string()
            );
        }
        assert_eq!(edited(b"abc", vec![]).unwrap(), b"abc");
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        let refused = |edits: [Edit; 2]| edited(b"01234", edits.iter().collect()).is_none();
        assert!(refused([edit("a", 1, 3, ""), edit("a", 2, 4, "")]));
        assert!(refused([edit("a", 1, 3, ""), edit("a", 4, 6, "")]));
        assert!(!refused([edit("a", 1, 3, ""), edit("a", 3, 5, "")]));
    }

    /// How many fixes there are in each batch, by the first of its files.
    fn shape(fixes: Vec<(&[(&str, &str)], Fix)>) -> Vec<(String, usize)> {
        let mut batches = Vec::new();
        for (files, fix) in fixes {
            let files = files.iter();
            let files = files.map(|(real, path)| ((*real).into(), Path::new(path).into()));
            add(&mut batches, files.collect(), fix);
        }
        let shape = batches.iter().map(|it| {
            let first = it.files.keys().next().unwrap();
            (first.display().to_string(), it.fixes.len())
        });
        shape.collect()
    }

    #[test]
    fn fixes_that_touch_wait_for_the_next_pass() {
        let a: &[_] = &[("a", "a")];
        let found = shape(vec![
            (a, fix(vec![edit("a", 0, 2, "x")])),
            (a, fix(vec![edit("a", 0, 2, "x")])),
            (a, fix(vec![edit("a", 1, 3, "y")])),
            (a, fix(vec![edit("a", 2, 2, "z")])),
            (a, fix(vec![edit("a", 3, 4, "z")])),
            (&[("b", "b")], fix(vec![edit("b", 1, 3, "y")])),
        ]);
        assert_eq!(found, [("a".to_owned(), 2), ("b".to_owned(), 1)]);
    }

    #[test]
    fn a_file_is_written_by_one_batch() {
        let both: &[_] = &[("a", "a"), ("b", "b")];
        let over_both = |at| fix(vec![edit("a", at, at, "x"), edit("b", at, at, "x")]);
        let found = shape(vec![
            (both, over_both(0)),
            (both, over_both(5)),
            (&[("a", "a")], fix(vec![edit("a", 9, 9, "x")])),
            (&[("b", "b"), ("c", "c")], fix(vec![edit("b", 9, 9, "x")])),
            // the same file by another name: its edits are the same ones again
            (&[("a", "link")], fix(vec![edit("link", 9, 9, "x")])),
        ]);
        assert_eq!(found, [("a".to_owned(), 2)]);
    }

    const NEAR_MISS: &str = "# gantrycd.resource-identity: ignore=true\nlocals {}\n";

    fn read(fixture: &Fixture) -> Read {
        Read::of(&mut fixture.workspace())
    }

    #[test]
    fn passes_go_on_while_there_is_something_to_fix_and_no_further_than_their_bound() {
        for (near_misses, left) in [(3, 0), (MOST_PASSES + 2, 2)] {
            let fixture = Fixture::new(&format!("#- a.tf\n{}", NEAR_MISS.repeat(near_misses)));
            let one_at_a_time = |snapshot: &Snapshot| {
                let mut findings = checks::run(snapshot, &Default::default());
                findings.retain(|it| it.code == "malformed-ignore");
                findings.truncate(1);
                findings
            };
            let applied = apply(read(&fixture), one_at_a_time);
            assert_eq!(applied.errors, [""; 0]);
            assert_eq!(applied.changes.len(), near_misses - left);
            let text = fs::read_to_string(fixture.path("a.tf")).unwrap();
            assert_eq!(text.matches("gantrycd.resource").count(), left);
            assert_eq!(applied.findings.len(), left.min(1));
        }
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_is_left_alone() {
        let fixture = Fixture::new(&format!("#- a.tf\n{NEAR_MISS}#- b.tf\n{NEAR_MISS}"));
        let read = read(&fixture);
        let changed = format!("# new\n{NEAR_MISS}");
        fs::write(fixture.path("a.tf"), &changed).unwrap();
        let applied = apply(read, |it| checks::run(it, &Default::default()));
        assert_eq!(
            applied.errors,
            ["a.tf: not fixed: the file has changed since it was read"]
        );
        let title = "Write `gantrycd:resource-identity: ignore=true`";
        assert_eq!(applied.changes, [format!("b.tf: {title}")]);
        assert_eq!(fs::read_to_string(fixture.path("a.tf")).unwrap(), changed);
        let left: Vec<_> = applied
            .findings
            .iter()
            .map(|it| it.place.span.start)
            .collect();
        assert_eq!(left[0], 8, "as the file is now");
    }

    #[test]
    fn a_file_that_is_gone_stays_so() {
        let fixture = Fixture::new(&format!("#- a.tf\n{NEAR_MISS}"));
        let read = read(&fixture);
        fs::remove_file(fixture.path("a.tf")).unwrap();
        let applied = apply(read, |it| checks::run(it, &Default::default()));
        assert_eq!(applied.errors.len(), 1);
        assert!(
            applied.errors[0].starts_with("a.tf: "),
            "{:?}",
            applied.errors
        );
        assert!(!fixture.path("a.tf").exists());
    }

    #[test]
    fn files_of_one_fix_are_written_together_or_not_at_all() {
        let fixture = Fixture::new("#- a.tf\nlocals {}\n#- b.tf\nlocals {}\n");
        let snapshot = fixture.snapshot();
        let path = |name: &str| fixture.path(name).canonicalize().unwrap();
        let (a, b) = (path("a.tf"), path("b.tf"));
        let batch = Batch {
            fixes: vec![fix(vec![
                edit(a.to_str().unwrap(), 0, 0, "# "),
                edit(b.to_str().unwrap(), 0, 0, "# "),
            ])],
            files: [&a, &b].map(|it| (it.clone(), Arc::from(&**it))).into(),
        };
        fs::write(&b, "locals {\n}\n").unwrap();
        assert!(write(&snapshot, &batch).unwrap_err().starts_with("b.tf: "));
        assert_eq!(fs::read_to_string(&a).unwrap(), "locals {}\n");
        fs::write(&b, "locals {}\n").unwrap();
        write(&snapshot, &batch).unwrap();
        for file in [&a, &b] {
            assert_eq!(fs::read_to_string(file).unwrap(), "# locals {}\n");
        }
        let entries = fs::read_dir(a.parent().unwrap()).unwrap();
        assert_eq!(entries.count(), 2, "nothing else is left behind");
    }
}
