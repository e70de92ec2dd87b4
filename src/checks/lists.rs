//! What was found, as a list for each file.
//!
//! Each finding remembers what it was found by looking at, so that it can be replaced when that is
//! looked at again. Knows nothing of checks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use imbl::OrdMap;

use crate::workspace::GroupKey;

use super::Finding;
use super::shares::OfCheck;

/// What was looked at when something was found.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Subject {
    /// A file by itself.
    File(Arc<Path>),
    /// What stacks say of a spot.
    Spot(OfCheck),
    /// A group of duplicates.
    Group(GroupKey),
    /// All stacks together, as one of the checks sees them.
    All(usize),
}

impl Subject {
    /// Whether it takes more than one stack to find it.
    pub(super) fn is_cross_stack(&self) -> bool {
        matches!(self, Subject::Group(_) | Subject::All(_))
    }
}

/// The findings of each file that has any, sorted by place. A copy costs nothing.
#[derive(Clone, Default)]
pub struct Lists(OrdMap<Arc<Path>, Arc<List>>);

/// The findings of one file, and beside each what was looked at.
#[derive(Default)]
struct List {
    findings: Vec<Finding>,
    subjects: Vec<Subject>,
}

impl Lists {
    /// The same without what is not wanted.
    pub fn filtered(&self, is_wanted: impl Fn(&Finding) -> bool) -> Self {
        let lists = self.0.iter().map(|(path, list)| {
            let both = list.findings.iter().zip(&list.subjects);
            let wanted = both.filter(|(it, _)| is_wanted(it));
            let (findings, subjects) = wanted.map(|(it, of)| (it.clone(), of.clone())).unzip();
            (path.clone(), Arc::new(List { findings, subjects }))
        });
        Self(lists.collect())
    }

    /// The findings of a file.
    pub fn of(&self, path: &Path) -> &[Finding] {
        self.0.get(path).map_or(&[], |it| &it.findings)
    }

    /// The files that have findings, sorted, with these.
    pub fn files(&self) -> impl Iterator<Item = (&Arc<Path>, &[Finding])> {
        self.0.iter().map(|(path, it)| (path, &it.findings[..]))
    }

    /// All findings, sorted by file and place.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.0.values().flat_map(|it| &it.findings)
    }
}

/// Lists that follow what is found.
#[derive(Default)]
pub(super) struct Following {
    pub(super) lists: Lists,
    /// The files that the findings of many stacks stand in.
    stand: HashMap<Subject, BTreeSet<Arc<Path>>>,
    /// The lists that are being changed.
    drafts: HashMap<Arc<Path>, HashMap<Subject, Vec<Finding>>>,
    /// The files whose lists are others than somebody knows.
    changed: BTreeSet<Arc<Path>>,
}

impl Following {
    /// Replaces what was found by looking at something. It is seen in the lists after
    /// [`Self::settle`].
    pub(super) fn put(&mut self, subject: &Subject, found: Vec<Finding>) {
        match subject {
            Subject::File(path) => self.forget(path, subject),
            Subject::Spot((_, spot)) => self.forget(&spot.place.path, subject),
            Subject::Group(_) | Subject::All(_) => {
                for path in self.stand.remove(subject).unwrap_or_default() {
                    self.forget(&path, subject);
                }
                let paths: BTreeSet<_> = found.iter().map(|it| it.place.path.clone()).collect();
                if !paths.is_empty() {
                    self.stand.insert(subject.clone(), paths);
                }
            }
        }
        for finding in found {
            let draft = self.draft(&finding.place.path);
            match draft.get_mut(subject) {
                Some(findings) => findings.push(finding),
                None => _ = draft.insert(subject.clone(), vec![finding]),
            }
        }
    }

    fn forget(&mut self, path: &Arc<Path>, subject: &Subject) {
        // most of what is looked at was never told of
        let is_told = || self.subjects(path).any(|it| it == subject);
        if self.drafts.contains_key(path) || is_told() {
            self.draft(path).remove(subject);
        }
    }

    fn draft(&mut self, path: &Arc<Path>) -> &mut HashMap<Subject, Vec<Finding>> {
        if !self.drafts.contains_key(path) {
            let mut draft: HashMap<Subject, Vec<Finding>> = HashMap::new();
            if let Some(list) = self.lists.0.get(path) {
                for (finding, subject) in list.findings.iter().zip(&list.subjects) {
                    let findings = draft.entry(subject.clone()).or_default();
                    findings.push(finding.clone());
                }
            }
            self.drafts.insert(path.clone(), draft);
        }
        self.drafts.entry(path.clone()).or_default()
    }

    /// Puts what changed into the lists.
    pub(super) fn settle(&mut self) {
        for (path, draft) in std::mem::take(&mut self.drafts) {
            let found = draft.into_iter().flat_map(|(subject, findings)| {
                let findings = findings.into_iter();
                findings.map(move |it| (it, subject.clone()))
            });
            let mut found: Vec<(Finding, Subject)> = found.collect();
            found.sort_by(|a, b| {
                let key = |(it, _): &(Finding, Subject)| (it.place.span, it.code);
                let message = a.0.message.cmp(&b.0.message);
                key(a)
                    .cmp(&key(b))
                    .then(message)
                    .then_with(|| a.1.cmp(&b.1))
            });
            let (findings, subjects) = found.into_iter().unzip();
            let list = List { findings, subjects };
            if list.findings != self.lists.of(&path) {
                self.changed.insert(path.clone());
            }
            match list.findings.is_empty() {
                true => _ = self.lists.0.remove(&path),
                false => _ = self.lists.0.insert(path, list.into()),
            }
        }
    }

    /// What was looked at to find what stands in a file.
    pub(super) fn subjects(&self, path: &Path) -> impl Iterator<Item = &Subject> {
        let list = self.lists.0.get(path);
        list.into_iter().flat_map(|it| &it.subjects)
    }

    /// Notes that a file's findings, if there are any, stand in another text.
    pub(super) fn touch(&mut self, path: &Arc<Path>) {
        if self.lists.0.contains_key(path) {
            self.changed.insert(path.clone());
        }
    }

    /// Notes what is other than it was before.
    pub(super) fn compare(&mut self, before: Following) {
        self.changed = before.changed;
        let mut lists: BTreeMap<_, _> = before.lists.files().collect();
        for (path, findings) in self.lists.files() {
            if lists.remove(path) != Some(findings) {
                self.changed.insert(path.clone());
            }
        }
        self.changed.extend(lists.into_keys().cloned());
    }

    /// The files whose lists are others than when this was asked last.
    pub(super) fn take_changed(&mut self) -> BTreeSet<Arc<Path>> {
        std::mem::take(&mut self.changed)
    }
}
