//! What each stack says of a place, and what these shares of all stacks come to together.
//!
//! A literal or a block that several stacks share is one finding. Each stack has its say by itself:
//! when one changed, the others are not asked again. Knows no check in particular, and nothing of
//! what a person set.

use std::collections::{HashMap, HashSet};

use crate::workspace::Place;

use super::{Finding, Related, capped};

/// Where shares of one finding meet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Spot {
    /// Where the finding stands.
    pub(super) place: Place,
    /// Of several findings at one place: what this one is about.
    about: Option<Box<Place>>,
}

/// What one stack says of a spot.
#[derive(Clone, PartialEq, Debug)]
enum Share {
    /// That nothing is wrong there, whatever other stacks say.
    Veto,
    /// That this is.
    Wrong(Box<Wrong>),
}

/// Something wrong, as one stack has it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Wrong {
    /// What the first stack says is told.
    pub(super) finding: Finding,
    /// Places that each stack adds to those of the finding.
    pub(super) added: Vec<Related>,
    /// Of a value that reaches resources: these.
    pub(super) reached: Option<Reached>,
}

/// Which resources a value reaches.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Reached {
    /// How many.
    pub(super) count: usize,
    /// Whether the value stands outside of the block of any of them.
    pub(super) is_elsewhere: bool,
    /// Whether it reaches the first as a default.
    pub(super) by_default: bool,
}

/// What one stack says of all spots, as one check sees it.
#[derive(Default)]
pub(super) struct Shares(HashMap<Spot, Share>);

impl Shares {
    /// Has nothing be told of a place.
    pub(super) fn veto(&mut self, place: Place) {
        let about = None;
        self.0.insert(Spot { place, about }, Share::Veto);
    }

    /// Tells of a finding, once at its place.
    pub(super) fn tell(&mut self, finding: Finding) {
        self.add(finding, Vec::new());
    }

    /// Tells of a finding, once at its place about this.
    pub(super) fn tell_about(&mut self, finding: Finding, about: Place) {
        let spot = Spot {
            place: finding.place.clone(),
            about: Some(about.into()),
        };
        self.join(spot, Wrong::new(finding));
    }

    /// Tells of a finding once at its place, and of related places as often as there are some.
    pub(super) fn add(&mut self, finding: Finding, added: Vec<Related>) {
        self.say(Wrong {
            added,
            ..Wrong::new(finding)
        });
    }

    /// Tells of something once at its place.
    pub(super) fn say(&mut self, wrong: Wrong) {
        let spot = Spot {
            place: wrong.finding.place.clone(),
            about: None,
        };
        self.join(spot, wrong);
    }

    fn join(&mut self, spot: Spot, wrong: Wrong) {
        let share = Share::Wrong(wrong.into());
        match self.0.get_mut(&spot) {
            Some(first) => first.join(&share),
            None => _ = self.0.insert(spot, share),
        }
    }
}

impl Share {
    fn join(&mut self, other: &Share) {
        match (&mut *self, other) {
            (Share::Wrong(first), Share::Wrong(other)) => first.join(other),
            _ => *self = Share::Veto,
        }
    }
}

impl Wrong {
    pub(super) fn new(finding: Finding) -> Self {
        Self {
            finding,
            added: Vec::new(),
            reached: None,
        }
    }

    fn join(&mut self, other: &Wrong) {
        self.added.extend(other.added.iter().cloned());
        self.finding.rests_on.extend(&other.finding.rests_on);
        if let (Some(reached), Some(more)) = (&mut self.reached, &other.reached) {
            if reached.count == 0 {
                self.finding.address.clone_from(&other.finding.address);
            }
            reached.count += more.count;
            reached.is_elsewhere |= more.is_elsewhere;
        }
    }

    /// The finding with all that was added, each place once.
    pub(super) fn told(self) -> Finding {
        let mut finding = self.finding;
        finding.related.extend(self.added);
        let mut seen = HashSet::new();
        finding.related.retain(|it| seen.insert(it.place.clone()));
        finding.related = capped(finding.related);
        finding
    }
}

/// A spot as one of the checks sees it, by its position in [`ALL`](super::ALL).
pub(super) type OfCheck = (usize, Spot);

/// The shares of all stacks.
#[derive(Default)]
pub(super) struct Meeting {
    /// By stack, where it has its say.
    spots: Vec<Vec<OfCheck>>,
    /// By stack, what it says there; sorted.
    shares: HashMap<OfCheck, Vec<(usize, Share)>>,
}

impl Meeting {
    /// Has a stack say these and nothing else. What may be told otherwise by that is added to
    /// `moved`.
    pub(super) fn hear(
        &mut self,
        stack: usize,
        said: Vec<(usize, Shares)>,
        moved: &mut HashSet<OfCheck>,
    ) {
        if self.spots.len() <= stack {
            self.spots.resize_with(stack + 1, Vec::new);
        }
        let before = std::mem::take(&mut self.spots[stack]);
        let mut now = HashSet::new();
        for (check, shares) in said {
            for (spot, share) in shares.0 {
                let spot = (check, spot);
                if self.put(stack, &spot, share) {
                    moved.insert(spot.clone());
                }
                now.insert(spot);
            }
        }
        for gone in before.into_iter().filter(|it| !now.contains(it)) {
            self.take(stack, &gone);
            moved.insert(gone);
        }
        self.spots[stack] = now.into_iter().collect();
    }

    /// Whether that is another share than the stack had there.
    fn put(&mut self, stack: usize, spot: &OfCheck, share: Share) -> bool {
        let Some(shares) = self.shares.get_mut(spot) else {
            self.shares.insert(spot.clone(), vec![(stack, share)]);
            return true;
        };
        match shares.binary_search_by_key(&stack, |it| it.0) {
            Ok(at) if shares[at].1 == share => false,
            Ok(at) => {
                shares[at].1 = share;
                true
            }
            Err(at) => {
                shares.insert(at, (stack, share));
                true
            }
        }
    }

    fn take(&mut self, stack: usize, spot: &OfCheck) {
        if let Some(shares) = self.shares.get_mut(spot) {
            shares.retain(|it| it.0 != stack);
            if shares.is_empty() {
                self.shares.remove(spot);
            }
        }
    }

    /// What is wrong at a spot, as all stacks together have it. `None` when that
    /// is nothing.
    pub(super) fn wrong(&self, spot: &OfCheck) -> Option<Wrong> {
        let shares = self.shares.get(spot)?;
        let wrong = shares.iter().map(|(_, share)| match share {
            Share::Veto => None,
            Share::Wrong(wrong) => Some(&**wrong),
        });
        let mut all = wrong.collect::<Option<Vec<_>>>()?.into_iter();
        let mut first = all.next()?.clone();
        all.for_each(|it| first.join(it));
        Some(first)
    }
}
