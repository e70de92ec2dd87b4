//! A search in the texts of all stacks, side by side: the best of what matches, and no more of it.
//!
//! Ranks, and knows nothing of what is found.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem::Finder;
use rayon::prelude::*;

use crate::workspace::{Snapshot, Texts};

use super::MOST_SYMBOLS;

/// How well something matches, the best first; of two that match alike, how long the text is.
pub type Rank = (Match, u32);

/// How a text matches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Match {
    /// It is the id.
    Id,
    /// It is the address, or the stack's name.
    Address,
    /// It begins so, or is the realm.
    Start,
    /// A word of it begins so.
    Word,
    /// It stands in it.
    Within,
}

/// A line of the text of a stack that matches. Ordered as they are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Found {
    pub(super) rank: Rank,
    /// Position in [`Snapshot::stacks`].
    pub(super) stack: u32,
    /// Of the stack's [`Texts`].
    pub(super) line: u32,
}

/// What is not better than this is not among the best: so many better ones are known already. All
/// who search share it.
struct Worst(AtomicU64);

impl Worst {
    fn takes(&self, (how, length): Rank, stack: u32) -> bool {
        packed((how, length), stack) <= self.0.load(Ordering::Relaxed)
    }
}

/// As one number, ordered alike.
fn packed((how, length): Rank, stack: u32) -> u64 {
    let length = u64::from(length.min((1 << 29) - 1));
    (how as u64) << 61 | length << 32 | u64::from(stack)
}

/// The best of what one has found.
#[derive(Default)]
struct Best(Vec<Found>);

impl Best {
    fn add(&mut self, found: Found, worst: &Worst) {
        if worst.takes(found.rank, found.stack) {
            self.0.push(found);
            if self.0.len() >= 2 * MOST_SYMBOLS {
                self.shorten(worst);
            }
        }
    }

    fn shorten(&mut self, worst: &Worst) {
        if self.0.len() <= MOST_SYMBOLS {
            return;
        }
        let (_, last, _) = self.0.select_nth_unstable(MOST_SYMBOLS - 1);
        let last = packed(last.rank, last.stack);
        worst.0.fetch_min(last, Ordering::Relaxed);
        self.0.truncate(MOST_SYMBOLS);
    }

    fn join(mut self, other: Self, worst: &Worst) -> Self {
        other.0.into_iter().for_each(|it| self.add(it, worst));
        self
    }
}

/// What matches a query in small letters, the best first, each line once.
pub(super) fn search(
    snapshot: &Snapshot,
    query: &str,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<Found> {
    if query.as_bytes().contains(&Texts::END) {
        return Vec::new();
    }
    let (query, worst) = (Query::new(query), Worst(AtomicU64::new(u64::MAX)));
    let stacks = snapshot.stacks.par_iter().enumerate();
    let best = stacks.fold(Best::default, |mut best, (at, stack)| {
        if !is_cancelled() {
            let mut search = Search {
                query: &query,
                texts: stack.texts(),
                stack: at as u32,
                worst: &worst,
                best: &mut best,
            };
            search.run();
        }
        best
    });
    let best = best.reduce(Best::default, |a, b| a.join(b, &worst));
    let mut found = best.0;
    found.sort_unstable();
    let mut lines = HashSet::new();
    found.retain(|it| lines.insert((it.stack, it.line)));
    found.truncate(MOST_SYMBOLS);
    found
}

/// What is searched for, in small letters.
struct Query<'a> {
    text: &'a [u8],
    finder: Finder<'a>,
    /// Where it may be parted into a stack's name and an address.
    slashes: Vec<usize>,
}

/// Of shorter queries, only what begins with them is told: they stand in nearly everything.
const LEAST_WITHIN: usize = 3;

impl<'a> Query<'a> {
    fn new(query: &'a str) -> Self {
        let text = query.as_bytes();
        Self {
            text,
            finder: Finder::new(text),
            slashes: memchr::memchr_iter(b'/', text).collect(),
        }
    }

    fn is_brief(&self) -> bool {
        self.text.len() < LEAST_WITHIN
    }
}

/// A search in the text of one stack.
struct Search<'a> {
    query: &'a Query<'a>,
    texts: &'a Texts,
    stack: u32,
    worst: &'a Worst,
    best: &'a mut Best,
}

impl Search<'_> {
    fn run(&mut self) {
        match self.query.text {
            [] => self.add(0, Some((Match::Start, 0))),
            _ if self.query.is_brief() => self.at_beginnings(),
            _ => self.anywhere(),
        }
        self.in_a_stack();
    }

    fn add(&mut self, line: usize, rank: Option<Rank>) {
        if let Some(rank) = rank {
            let (stack, line) = (self.stack, line as u32);
            self.best.add(Found { rank, stack, line }, self.worst);
        }
    }

    fn at_beginnings(&mut self) {
        let begins = self.query.text;
        for line in 0..self.texts.line_count() {
            if self.is_hopeless(line) {
                continue;
            }
            let fields = self.texts.bytes()[self.texts.line(line)].split(|it| *it == Texts::END);
            let ranks = fields.enumerate().filter(|(_, it)| it.starts_with(begins));
            let ranks = ranks.map(|(number, field)| {
                let is_whole = field.len() == begins.len();
                (beginning(number, is_whole), field.len() as u32)
            });
            self.add(line, ranks.min());
        }
    }

    fn anywhere(&mut self) {
        let bytes = self.texts.bytes();
        let (mut line, mut rank, mut from) = (0, None, 0);
        while let Some(found) = self.query.finder.find(&bytes[from..]) {
            let at = from + found;
            let here = self.texts.line_of(at, line);
            if here > line {
                self.add(line, rank.take());
                let mut lines = here..self.texts.line_count();
                let Some(next) = lines.find(|it| !self.is_hopeless(*it)) else {
                    return;
                };
                line = next;
                if next > here {
                    from = self.texts.line(next).start;
                    continue;
                }
            }
            rank = better(rank, self.rank(line, at));
            from = at + 1;
        }
        self.add(line, rank);
    }

    /// Whether a line cannot be among the best, whatever stands in it: it is too long, and neither
    /// its address nor its id begins as it would have to.
    fn is_hopeless(&self, line: usize) -> bool {
        let Some([address, id]) = self.texts.lengths(line) else {
            return false;
        };
        let shortest = if id == 0 { address } else { address.min(id) };
        let takes = |how, length: usize| self.worst.takes((how, length as u32), self.stack);
        if !self.query.is_brief() && takes(Match::Word, shortest) {
            return false;
        }
        let (text, start) = (self.query.text, self.texts.line(line).start);
        let begins = |at: usize, length: usize| {
            let may = length == text.len() || length > text.len() && takes(Match::Start, length);
            may && self.texts.bytes()[at..].starts_with(text)
        };
        !begins(start, address) && !begins(start + address + 1, id)
    }

    /// How well a line matches by what stands at this byte. `None` where that is not well enough.
    fn rank(&self, line: usize, at: usize) -> Option<Rank> {
        let bytes = self.texts.bytes();
        let text = &bytes[self.texts.line(line)];
        let at = at - self.texts.line(line).start;
        let before = at.checked_sub(1).map_or(Texts::END, |it| text[it]);
        let how = match before {
            Texts::END => {
                let number = memchr::memchr_iter(Texts::END, &text[..at]).count();
                beginning(number, text[at + self.query.text.len()] == Texts::END)
            }
            // a letter beyond ASCII is part of a word, too
            it if it.is_ascii_alphanumeric() || it >= 0x80 => Match::Within,
            _ => Match::Word,
        };
        let length = match self.texts.lengths(line) {
            Some([address, _]) if at <= address => address,
            Some([_, id]) => id,
            None => field_length(text, at),
        };
        let rank = (how, length as u32);
        self.worst.takes(rank, self.stack).then_some(rank)
    }

    /// Rows of the stack by its name, or the end of it, and the start of an address.
    fn in_a_stack(&mut self) {
        let bytes = self.texts.bytes();
        let name = &bytes[self.texts.line(0)];
        let name = name.strip_suffix(&[Texts::END]).unwrap_or(name);
        for slash in &self.query.slashes {
            let (left, right) = self.query.text.split_at(*slash);
            let right = &right[1..];
            let is_all = match name.strip_suffix(left) {
                Some([]) => true,
                Some([.., b'/']) if !left.is_empty() => false,
                _ => continue,
            };
            for line in 1..self.texts.line_count() {
                let address = &bytes[self.texts.line(line)];
                let length = field_length(address, 0);
                let address = &address[..length];
                let how = match is_all {
                    true if address == right => Match::Address,
                    true => Match::Start,
                    false => Match::Word,
                };
                let rank = address.starts_with(right).then_some((how, length as u32));
                self.add(line, rank);
            }
        }
    }
}

/// How a field matches that begins with the query, or is it.
fn beginning(field: usize, is_whole: bool) -> Match {
    match (is_whole, field) {
        (true, 0) => Match::Address,
        (true, field) if field % 2 == 1 => Match::Id,
        _ => Match::Start,
    }
}

fn better(a: Option<Rank>, b: Option<Rank>) -> Option<Rank> {
    a.into_iter().chain(b).min()
}

/// The length of the field that a byte of a line is in.
fn field_length(line: &[u8], at: usize) -> usize {
    let start = memchr::memrchr(Texts::END, &line[..at]).map_or(0, |it| it + 1);
    let end = memchr::memchr(Texts::END, &line[at..]).map_or(line.len(), |it| at + it);
    end - start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    /// Rows in which a search has much to choose from, so many in a stack that those which are too
    /// long are passed over: the same as looking at each in turn.
    #[test]
    fn the_best_of_many_are_those_that_looking_at_each_would_find() {
        let names = [
            "abc", "xabc", "x-abc", "abcabc", "ab", "zz-abc-1", "aabc", "",
        ];
        let mut text = String::new();
        for stack in 0..4 {
            text += &format!("#- s{stack:02}/only.tfstate\n");
            // the shortest come last
            for row in (0..1500).rev() {
                let name = names[(row * 7 + stack) % names.len()];
                let filler = "y".repeat((row / 10 * 13 + stack * 5) % 17);
                let realm = if row % 9 == 0 { " realm=abc" } else { "" };
                let id = names[(row + stack * 3) % names.len()];
                text +=
                    &format!("aws_sqs_queue.{name}{filler}{row} id={filler}:{id}/{row}{realm}\n");
            }
        }
        let fixture = Fixture::new(&text);
        let snapshot = fixture.snapshot();
        for query in [
            "abc",
            "ab",
            "a",
            "aws_sqs_queue.abc",
            "aws_sqs_queue.",
            "x-a",
            ":abc",
            "1",
            "abc/7",
            "nothing",
        ] {
            let found = search(&snapshot, query, &|| false);
            assert_eq!(found, one_by_one(&snapshot, query), "{query}");
        }
    }

    fn one_by_one(snapshot: &Snapshot, query: &str) -> Vec<Found> {
        let mut all = Vec::new();
        for (stack, it) in snapshot.stacks.iter().enumerate() {
            let texts = it.texts();
            for line in 0..texts.line_count() {
                let fields = texts.bytes()[texts.line(line)].split(|it| *it == Texts::END);
                let fields = fields
                    .map(|it| std::str::from_utf8(it).unwrap())
                    .enumerate();
                let ranks = fields.flat_map(|(number, field)| {
                    let at = (0..field.len()).filter(move |it| field[*it..].starts_with(query));
                    at.filter_map(move |at| {
                        let before = field[..at].chars().next_back();
                        let how = match before {
                            None if field == query && number == 0 => Match::Address,
                            None if field == query && number % 2 == 1 => Match::Id,
                            None => Match::Start,
                            _ if query.len() < 3 => return None,
                            Some(it) if it.is_alphanumeric() => Match::Within,
                            Some(_) => Match::Word,
                        };
                        Some((how, field.len() as u32))
                    })
                });
                let (stack, line) = (stack as u32, line as u32);
                all.extend(ranks.min().map(|rank| Found { rank, stack, line }));
            }
        }
        all.sort();
        all.truncate(MOST_SYMBOLS);
        all
    }
}
