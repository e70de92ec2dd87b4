//! What is other in a snapshot than in the one before it, for whoever keeps something beside it.
//!
//! Says what changed, not what comes of it. Knows nothing of findings.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arcstr::ArcStr;

use crate::identity::Realm;

/// What the claims of one object have in common. Ordered as the groups of a snapshot are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupKey {
    /// The id that they claim.
    pub id: ArcStr,
    /// Its realm.
    pub realm: Option<Realm>,
    /// Its resource type.
    pub resource_type: ArcStr,
}

/// What is other in a snapshot than in the one before it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Change {
    /// Whether stacks came or went: positions in [`Snapshot::stacks`](super::Snapshot::stacks) mean
    /// other stacks than before, and everything is looked at again.
    pub renumbered: bool,
    /// Stacks that were decided anew.
    pub stacks: BTreeSet<usize>,
    /// Configuration files whose text is other, that are new, or that are gone.
    pub files: BTreeSet<Arc<Path>>,
    /// Objects whose group of duplicates is other, came or went. A group is other when the stack of
    /// a member was decided anew.
    pub groups: BTreeSet<GroupKey>,
    /// Whether any edge between stacks is.
    pub edges: bool,
}

impl Change {
    /// Whether anything is that stacks come to, and not only a text that says nothing to any.
    pub fn is_of_stacks(&self) -> bool {
        self.renumbered || self.edges || !self.stacks.is_empty() || !self.groups.is_empty()
    }

    /// What is other in a later snapshot yet than in this change's, with what this one has.
    pub fn join(&mut self, later: Change) {
        self.renumbered |= later.renumbered;
        self.stacks.extend(later.stacks);
        self.files.extend(later.files);
        self.groups.extend(later.groups);
        self.edges |= later.edges;
    }
}
