//! What was found, as a list for each file.
//!
//! Each finding remembers where it came from, so that it can be replaced when that is looked at
//! again. Knows nothing of checks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use imbl::OrdMap;

use crate::workspace::GroupKey;

use super::Finding;
use super::shares::OfCheck;

/// What a finding came from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum From {
    /// A file by itself.
    File(Arc<Path>),
    /// What stacks say of a spot.
    Stacks(OfCheck),
    /// A group of duplicates.
    Group(GroupKey),
    /// All stacks together, as one of the checks sees them.
    All(usize),
}

impl From {
    /// Whether it takes more than one stack to find it.
    pub(super) fn is_cross_stack(&self) -> bool {
        matches!(self, From::Group(_) | From::All(_))
    }
}

/// The findings of each file that has any, sorted by place. A copy costs nothing.
#[derive(Clone, Default)]
pub struct Lists(OrdMap<Arc<Path>, Arc<List>>);

/// The findings of one file, and beside each what it came from.
#[derive(Default)]
struct List {
    findings: Vec<Finding>,
    from: Vec<From>,
}

impl Lists {
    /// The same without what is not wanted.
    pub fn filtered(&self, is_wanted: impl Fn(&Finding) -> bool) -> Self {
        let lists = self.0.iter().map(|(path, list)| {
            let both = list.findings.iter().zip(&list.from);
            let wanted = both.filter(|(it, _)| is_wanted(it));
            let (findings, from) = wanted.map(|(it, from)| (it.clone(), from.clone())).unzip();
            (path.clone(), Arc::new(List { findings, from }))
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
    /// The files that findings of many stacks stand in, by what they came from.
    stand: HashMap<From, BTreeSet<Arc<Path>>>,
    /// The lists that are being changed.
    drafts: HashMap<Arc<Path>, HashMap<From, Vec<Finding>>>,
    /// The files whose lists are others than somebody knows.
    changed: BTreeSet<Arc<Path>>,
}

impl Following {
    /// Replaces what was found of something. It is seen in the lists after [`Self::settle`].
    pub(super) fn put(&mut self, from: &From, found: Vec<Finding>) {
        match from {
            From::File(path) => _ = self.draft(path).remove(from),
            From::Stacks((_, spot)) => _ = self.draft(&spot.place.path).remove(from),
            From::Group(_) | From::All(_) => {
                for path in self.stand.remove(from).unwrap_or_default() {
                    self.draft(&path).remove(from);
                }
                let paths: BTreeSet<_> = found.iter().map(|it| it.place.path.clone()).collect();
                if !paths.is_empty() {
                    self.stand.insert(from.clone(), paths);
                }
            }
        }
        for finding in found {
            let draft = self.draft(&finding.place.path.clone());
            match draft.get_mut(from) {
                Some(findings) => findings.push(finding),
                None => _ = draft.insert(from.clone(), vec![finding]),
            }
        }
    }

    fn draft(&mut self, path: &Arc<Path>) -> &mut HashMap<From, Vec<Finding>> {
        if !self.drafts.contains_key(path) {
            let mut draft: HashMap<From, Vec<Finding>> = HashMap::new();
            if let Some(list) = self.lists.0.get(path) {
                for (finding, from) in list.findings.iter().zip(&list.from) {
                    draft.entry(from.clone()).or_default().push(finding.clone());
                }
            }
            self.drafts.insert(path.clone(), draft);
        }
        self.drafts.entry(path.clone()).or_default()
    }

    /// Puts what changed into the lists.
    pub(super) fn settle(&mut self) {
        for (path, draft) in std::mem::take(&mut self.drafts) {
            let found = draft.into_iter();
            let mut found: Vec<(From, Finding)> = found
                .flat_map(|(from, findings)| findings.into_iter().map(move |it| (from.clone(), it)))
                .collect();
            found.sort_by(|(from, a), (other, b)| {
                (&a.place.span, a.code, &a.message, from).cmp(&(
                    &b.place.span,
                    b.code,
                    &b.message,
                    other,
                ))
            });
            let (from, findings) = found.into_iter().unzip();
            let list = List { findings, from };
            if list.findings != self.lists.of(&path) {
                self.changed.insert(path.clone());
            }
            match list.findings.is_empty() {
                true => _ = self.lists.0.remove(&path),
                false => _ = self.lists.0.insert(path, list.into()),
            }
        }
    }

    /// What findings in a file came from.
    pub(super) fn from(&self, path: &Path) -> impl Iterator<Item = &From> {
        self.lists.0.get(path).into_iter().flat_map(|it| &it.from)
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
