//! Which part of a workspace's graph is wanted.

use std::collections::BTreeSet;
use std::fmt;

use globset::GlobMatcher;

use crate::checks::glob_of;
use crate::identity::{Identity, Realm};
use crate::workspace::Snapshot;

/// How far around the chosen stacks one sees if nobody says.
pub const DEPTH: usize = 1;

/// Which part of a workspace's graph is wanted.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Stacks by name; without any, all.
    stacks: Vec<GlobMatcher>,
    /// Which other stacks are seen: those so many lines from a chosen one, in whatever direction.
    depth: usize,
    /// Only lines about objects of this realm; the empty text stands for those without one.
    realm: Option<Box<str>>,
}

/// Why nothing can be selected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A text is no glob; in a sentence.
    NoGlob(String),
    /// No stack has a name that matches.
    NoStack(String),
    /// Nothing is in this realm, recorded or planned.
    NoRealm(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoGlob(why) => f.write_str(why),
            Fault::NoStack(glob) => write!(f, "no stack is called {glob}"),
            Fault::NoRealm(realm) => write!(f, "nothing is in a realm {realm:?}"),
        }
    }
}

impl Default for Selection {
    /// Everything.
    fn default() -> Self {
        Self {
            stacks: Vec::new(),
            depth: DEPTH,
            realm: None,
        }
    }
}

impl Selection {
    /// What these globs over the names of stacks select, as far around them as this, and of that the
    /// lines about objects of a realm; the empty text stands for those without one. Without a realm,
    /// all lines; without globs, all stacks.
    ///
    /// # Errors
    /// When a text is no glob.
    pub fn new(stacks: &[String], depth: usize, realm: Option<&str>) -> Result<Self, Fault> {
        let stacks = stacks.iter().map(|text| match glob_of(text) {
            Ok(glob) => Ok(glob.compile_matcher()),
            Err(why) => Err(Fault::NoGlob(format!("{text} is no glob: {}", why.kind()))),
        });
        Ok(Self {
            stacks: stacks.collect::<Result<_, _>>()?,
            depth,
            realm: realm.map(Into::into),
        })
    }

    /// Whether lines about objects of a realm are wanted.
    pub(super) fn is_about(&self, realm: Option<&Realm>) -> bool {
        let wanted = self.realm.as_deref();
        wanted.is_none_or(|it| it == realm.map_or("", Realm::as_str))
    }

    /// The stacks that are seen, sorted. `joined` are stacks that a line joins.
    pub(super) fn choose(
        &self,
        snapshot: &Snapshot,
        joined: impl Iterator<Item = Vec<usize>>,
    ) -> Result<BTreeSet<usize>, Fault> {
        if let Some(realm) = self.realm.as_deref()
            && !is_realm(snapshot, realm)
        {
            return Err(Fault::NoRealm(realm.to_owned()));
        }
        let joined: Vec<_> = joined.collect();
        if self.stacks.is_empty() {
            return Ok(match self.realm {
                // stacks without a line have nothing to say of it
                Some(_) => joined.into_iter().flatten().collect(),
                None => (0..snapshot.stacks.len()).collect(),
            });
        }
        let mut seen = self.named(snapshot)?;
        let mut joins: Vec<Vec<usize>> = vec![Vec::new(); snapshot.stacks.len()];
        for (at, members) in joined.iter().enumerate() {
            members.iter().for_each(|it| joins[*it].push(at));
        }
        let mut last = seen.clone();
        for _ in 0..self.depth {
            let lines = last.iter().flat_map(|it| &joins[*it]);
            let near = lines.flat_map(|it| &joined[*it]).copied();
            last = near.filter(|it| !seen.contains(it)).collect();
            if last.is_empty() {
                break;
            }
            seen.extend(&last);
        }
        Ok(seen)
    }

    fn named(&self, snapshot: &Snapshot) -> Result<BTreeSet<usize>, Fault> {
        let mut named = BTreeSet::new();
        for glob in &self.stacks {
            let stacks = snapshot.stacks.iter().enumerate();
            let matching: Vec<_> = stacks
                .filter(|(_, it)| glob.is_match(&*it.name))
                .map(|(at, _)| at)
                .collect();
            if matching.is_empty() {
                return Err(Fault::NoStack(glob.glob().glob().to_owned()));
            }
            named.extend(matching);
        }
        Ok(named)
    }
}

/// Whether anything is in a realm, recorded or planned; things without one always may be.
fn is_realm(snapshot: &Snapshot, realm: &str) -> bool {
    let is_it = |it: &Identity| it.realm.as_ref().is_some_and(|it| it.as_str() == realm);
    let mut rows = snapshot.stacks.iter().flat_map(|it| &it.rows);
    realm.is_empty() || rows.any(|row| row.objects().into_iter().flatten().any(is_it))
}
