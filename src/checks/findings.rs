//! What was found of a workspace, following it as it changes.
//!
//! After an edit only what it touches is looked at again: the files that are other, the stacks that
//! were decided anew, the groups of duplicates that these are in. What comes of it is what a look at
//! everything would. Knows no check in particular.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::workspace::{Change, Group, GroupKey, MOST_AT_WORK, Snapshot, is_editable};

use super::lists::{Following, Lists, Subject};
use super::shares::{Meeting, Shares};
use super::{ALL, Across, Check, Finding, Looks, Settings, age};

/// What was found of a workspace.
pub struct Findings {
    /// What is set.
    settings: Settings,
    lists: Following,
    meeting: Meeting,
    /// The checks that look at all stacks together, by their position in [`ALL`].
    across: Vec<(usize, Box<dyn Across>)>,
    /// What these have not seen yet.
    unseen: Change,
}

impl Findings {
    /// What is found in a snapshot. `editor` are the settings of an editor, which win over the
    /// workspace file's.
    pub fn new(snapshot: &Snapshot, editor: &Settings) -> Self {
        Self::of(snapshot, Settings::in_force(snapshot, editor))
    }

    fn of(snapshot: &Snapshot, settings: Settings) -> Self {
        let across = made(&settings).filter_map(|(at, check)| match check.looks {
            Looks::All(new) => Some((at, new())),
            _ => None,
        });
        let mut all = Self {
            across: across.collect(),
            settings,
            lists: Following::default(),
            meeting: Meeting::default(),
            unseen: Change {
                renumbered: true,
                ..Change::default()
            },
        };
        let files: Vec<_> = snapshot
            .editable_files()
            .map(|it| it.path.clone())
            .collect();
        let unread = snapshot.unread_workspace_file();
        let unread = unread.map(|(path, _)| path.clone());
        all.look_at_files(snapshot, files.into_iter().chain(unread));
        all.look_at_stacks(snapshot, 0..snapshot.stacks.len());
        let groups: Vec<_> = snapshot.duplicates().collect();
        all.look_at_groups(snapshot, groups);
        all.look_at_all(snapshot);
        all.unseen = Change::default();
        all.lists.settle();
        all
    }

    /// Follows a change to the snapshot that it led to.
    pub fn update(&mut self, snapshot: &Snapshot, change: &Change, editor: &Settings) {
        self.update_own(snapshot, change, editor);
        self.update_cross(snapshot);
    }

    /// The same without what takes several stacks to find: that may change with every letter of an
    /// id, and waits for [`Self::update_cross`]. What was told of a changed file already is not kept
    /// waiting: it stands elsewhere now, or not at all.
    pub fn update_own(&mut self, snapshot: &Snapshot, change: &Change, editor: &Settings) {
        let settings = Settings::in_force(snapshot, editor);
        if change.renumbered || !settings.sets_the_same(&self.settings) {
            let before = std::mem::replace(self, Self::of(snapshot, settings));
            self.lists.compare(before.lists);
            change.files.iter().for_each(|it| self.lists.touch(it));
            return;
        }
        self.unseen.join(change.clone());
        self.look_at_files(snapshot, change.files.iter().cloned());
        self.look_at_stacks(snapshot, change.stacks.iter().copied());
        let told = change.files.iter().flat_map(|it| self.lists.subjects(it));
        let told: BTreeSet<_> = told.filter(|it| it.is_cross_stack()).cloned().collect();
        let is_told = |it: &&GroupKey| told.contains(&Subject::Group((*it).clone()));
        // also of what an earlier change left out: it may have ended the group there
        let groups = self.unseen.groups.iter();
        let groups: Vec<_> = groups.filter(is_told).cloned().collect();
        self.look_again(snapshot, groups);
        if told.iter().any(|it| matches!(it, Subject::All(_))) {
            self.look_at_all(snapshot);
        }
        self.lists.settle();
        change.files.iter().for_each(|it| self.lists.touch(it));
    }

    /// Looks at what [`Self::update_own`] left out, in the snapshot that it saw last.
    pub fn update_cross(&mut self, snapshot: &Snapshot) {
        let groups = std::mem::take(&mut self.unseen.groups);
        self.look_again(snapshot, groups.into_iter().collect());
        self.look_at_all(snapshot);
        self.unseen = Change::default();
        self.lists.settle();
    }

    /// The findings of each file.
    pub fn lists(&self) -> &Lists {
        &self.lists.lists
    }

    /// The files whose lists are others than when this was asked last, or stand in another text.
    pub fn take_changed(&mut self) -> BTreeSet<Arc<Path>> {
        self.lists.take_changed()
    }

    fn look_at_files(&mut self, snapshot: &Snapshot, paths: impl Iterator<Item = Arc<Path>>) {
        let look = |path: Arc<Path>| {
            let found = made(&self.settings).flat_map(|(at, check)| match check.looks {
                Looks::File(look) => self.settled(snapshot, at, look(snapshot, &path)),
                _ => Vec::new(),
            });
            let found = found.collect::<Vec<_>>();
            (Subject::File(path), found)
        };
        let paths: Vec<_> = paths.filter(|it| is_editable(it)).collect();
        let found: Vec<_> = paths.into_par_iter().map(look).collect();
        self.put(found);
    }

    fn look_at_stacks(&mut self, snapshot: &Snapshot, stacks: impl Iterator<Item = usize>) {
        let stacks: Vec<_> = stacks.collect();
        let are_many = stacks.len() > MOST_AT_WORK;
        let look = |stack: usize| {
            let said = made(&self.settings).filter_map(|(at, check)| {
                let Looks::Stack(look, _) = check.looks else {
                    return None;
                };
                let mut shares = Shares::default();
                look(snapshot, stack, &mut shares);
                Some((at, shares))
            });
            let said = said.collect::<Vec<_>>();
            if are_many {
                // what was read of their blocks would be large
                snapshot.stacks[stack].let_go_of_its_own();
            }
            (stack, said)
        };
        let said: Vec<_> = stacks.into_par_iter().map(look).collect();
        let mut moved = HashSet::new();
        for (stack, said) in said {
            self.meeting.hear(stack, said, &mut moved);
        }
        let found = moved.into_iter().map(|spot| {
            let wrong = self.meeting.wrong(&spot);
            let found = wrong.map(|wrong| match ALL[spot.0].looks {
                Looks::Stack(_, tell) => tell(wrong),
                _ => wrong.told(),
            });
            let found = found.into_iter().collect();
            let found = self.settled(snapshot, spot.0, found);
            (Subject::Spot(spot), found)
        });
        let found: Vec<_> = found.collect();
        self.put(found);
    }

    fn look_again(&mut self, snapshot: &Snapshot, keys: Vec<GroupKey>) {
        let (there, gone): (Vec<_>, Vec<_>) = keys
            .into_iter()
            .partition(|it| snapshot.group(it).is_some());
        for gone in gone {
            self.lists.put(&Subject::Group(gone), Vec::new());
        }
        let groups = there.iter().filter_map(|it| snapshot.group(it)).collect();
        self.look_at_groups(snapshot, groups);
    }

    fn look_at_groups(&mut self, snapshot: &Snapshot, groups: Vec<&Group>) {
        let look = |group: &Group| {
            let found = made(&self.settings).flat_map(|(at, check)| match check.looks {
                Looks::Group(look) => self.settled(snapshot, at, look(snapshot, group)),
                _ => Vec::new(),
            });
            (Subject::Group(group.key()), found.collect::<Vec<_>>())
        };
        let found: Vec<_> = groups.into_par_iter().map(look).collect();
        self.put(found);
    }

    fn look_at_all(&mut self, snapshot: &Snapshot) {
        let mut across = std::mem::take(&mut self.across);
        for (at, check) in &mut across {
            if check.follow(snapshot, &self.unseen) {
                let found = self.settled(snapshot, *at, check.findings(snapshot));
                self.lists.put(&Subject::All(*at), found);
            }
        }
        self.across = across;
    }

    fn put(&mut self, found: Vec<(Subject, Vec<Finding>)>) {
        for (subject, found) in found {
            self.lists.put(&subject, found);
        }
    }

    /// The findings of a check as a person wants to see them.
    fn settled(&self, snapshot: &Snapshot, check: usize, mut found: Vec<Finding>) -> Vec<Finding> {
        for finding in &mut found {
            finding.code = ALL[check].code;
            self.settings.grade(&ALL[check], finding);
            age::tell(snapshot, &self.settings.states, finding);
        }
        found.retain(|it| !self.settings.excludes(snapshot, it));
        found
    }
}

/// The checks that are made, with their positions in [`ALL`].
fn made(settings: &Settings) -> impl Iterator<Item = (usize, &'static Check)> {
    let all = ALL.iter().enumerate();
    all.filter(|(_, it)| !settings.is_off(it))
}
