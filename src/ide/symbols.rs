//! Rows and stacks by what a person knows of them: an id or a part of one, a realm, an address, the
//! name of a stack.
//!
//! The answer is ranked, and the same for the same workspace. An id as a whole is looked up; all else
//! is searched for in the texts of all stacks, side by side.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem::Finder;
use rayon::prelude::*;

use crate::identity::Mode;
use crate::text::Span;
use crate::workspace::{Place, RowRef, Snapshot, Texts};

/// No more than these are told.
pub const MOST_SYMBOLS: usize = 256;

/// Something that was searched for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// An address, or the name of a stack.
    pub name: String,
    /// Of a row: its stack and what it claims.
    pub container: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// Where it is shown.
    pub place: Place,
    /// How well it matches: the less, the better.
    pub rank: Rank,
}

/// What a [`Symbol`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A stack.
    Stack,
    /// A resource instance.
    Resource,
    /// A data source.
    Data,
}

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

/// What matches a query, whatever its case, the best first; of an empty one, the stacks. An id as it
/// is written finds who has to do with it, and nothing else. `is_cancelled` is asked now and then:
/// once it says so, the answer is of no consequence.
pub fn symbols(
    snapshot: &Snapshot,
    query: &str,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<Symbol> {
    let query = query.trim_matches(|it: char| it.is_whitespace() || "\"'`".contains(it));
    let of_id = snapshot.of_id(query);
    let claims = of_id.now.into_iter().chain(of_id.planned);
    let of_id: Vec<RowRef> = claims.chain(of_id.readers).collect();
    let found: Vec<Found> = match of_id.is_empty() {
        false => {
            let of_id = of_id.into_iter().take(MOST_SYMBOLS);
            let found = of_id.map(|at| Found {
                rank: (Match::Id, query.len() as u32),
                stack: at.stack as u32,
                line: at.row as u32 + 1,
            });
            found.collect()
        }
        true => search(snapshot, &query.to_ascii_lowercase(), is_cancelled),
    };
    let symbols = found.into_iter().filter_map(|it| symbol(snapshot, it));
    symbols.collect()
}

fn symbol(snapshot: &Snapshot, found: Found) -> Option<Symbol> {
    let stack = &snapshot.stacks[found.stack as usize];
    let Some(row) = found.line.checked_sub(1) else {
        let configured = stack.backend_place().map(|(file, span)| Place {
            path: file.path.clone(),
            span,
        });
        let state = stack.state.as_ref().map(|it| Place {
            path: it.path.clone(),
            span: Span::at(0),
        });
        return Some(Symbol {
            name: stack.name.to_string(),
            container: None,
            kind: SymbolKind::Stack,
            place: configured.or(state)?,
            rank: found.rank,
        });
    };
    let at = RowRef {
        stack: found.stack as usize,
        row: row as usize,
    };
    let (row, address) = (snapshot.row(at), snapshot.address(at));
    let claim = row.claim.as_ref().ok().or_else(|| row.planned_claim());
    let container = match (claim, row.looks_up.as_deref()) {
        (Some(identity), _) => format!("{}: {identity}", stack.name),
        (None, Some(identity)) => format!("{}: reads {identity}", stack.name),
        (None, None) => stack.name.to_string(),
    };
    let place = snapshot.place(at);
    Some(Symbol {
        name: address.to_string(),
        container: Some(container),
        kind: match address.mode {
            Mode::Managed => SymbolKind::Resource,
            Mode::Data => SymbolKind::Data,
        },
        place: place.or_else(|| snapshot.state_place(at))?,
        rank: found.rank,
    })
}

/// A line of the text of a stack that matches. Ordered as they are told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Found {
    rank: Rank,
    stack: u32,
    line: u32,
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

fn search(
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
    use crate::fixture::{Fixture, told};
    use crate::ide::Target;

    const WORKSPACE: &str = r#"
#- live/account/main.tf
terraform {
  backend "s3" {}
}
resource "aws_iam_role" "deploy" {}
resource "aws_sns_topic" "alerts" {
  tags = { "gantrycd:resource-identity-realm" = "later" }
}
#- live/account/terraform.tfstate
aws_iam_role.deploy arn=arn:aws:iam::111122223333:role/Shop-Deploy
aws_sns_topic.alerts arn=arn:aws:sns:eu-west-1:111122223333:alerts
#- live/web/main.tf
data "aws_iam_role" "deploy" {}
module "m" {
  source = "../../m"
}
#- live/web/terraform.tfstate
data.aws_iam_role.deploy arn=arn:aws:iam::111122223333:role/Shop-Deploy
module.m["a"].aws_s3_bucket.deployed arn=arn:aws:s3:::assets.deploy realm=blue
#- m/main.tf
resource "aws_s3_bucket" "deployed" {}
#- old/only.tfstate
aws_sqs_queue.declared id=The-Queue
data.aws_vpc.nobodys arn=arn:aws:ec2:eu-west-1:111122223333:vpc/v
"#;

    /// `name | container | place`, in order.
    fn found(query: &str) -> Vec<String> {
        let fixture = Fixture::new(WORKSPACE);
        let snapshot = fixture.snapshot();
        let symbols = symbols(&snapshot, query, &|| false);
        assert!(symbols.is_sorted_by_key(|it| it.rank), "{symbols:#?}");
        let one = |it: &Symbol| {
            let target = Target::of(&snapshot, it.place.clone());
            let place = told(&snapshot, &[target]).remove(0);
            let place = place.split(' ').next().unwrap();
            let container = it.container.as_deref().unwrap_or("-");
            format!("{} | {container} | {place}", it.name)
        };
        symbols.iter().map(one).collect()
    }

    /// The names of what is found, in order.
    fn names(query: &str) -> Vec<String> {
        let all = found(query).into_iter();
        let name = |it: String| it.split(" | ").next().unwrap().to_owned();
        all.map(name).collect()
    }

    const ROLE: &str = "aws_iam_role.deploy | live/account: \
                        arn:aws:iam::111122223333:role/Shop-Deploy | live/account/main.tf:4";
    const READER: &str = "data.aws_iam_role.deploy | live/web: reads \
                          arn:aws:iam::111122223333:role/Shop-Deploy | live/web/main.tf:1";
    const BUCKET: &str = "module.m[\"a\"].aws_s3_bucket.deployed";

    #[test]
    fn a_pasted_id_finds_its_owner_and_then_its_readers() {
        let arn = "arn:aws:iam::111122223333:role/Shop-Deploy";
        assert_eq!(found(arn), [ROLE, READER]);
        assert_eq!(found(&format!(" \"{arn}\"\n")), [ROLE, READER]);
        // in another case it is the same text, which only an owner's line has
        assert_eq!(found(&arn.to_uppercase()), [ROLE]);
        assert_eq!(names("The-Queue"), ["aws_sqs_queue.declared"]);
        let vpc = "arn:aws:ec2:eu-west-1:111122223333:vpc/v";
        assert_eq!(names(vpc), ["data.aws_vpc.nobodys"]);
    }

    #[test]
    fn a_part_of_an_id_finds_it() {
        for part in ["role/shop", "Shop-Deploy", "hop-dep", "iam::111122223333"] {
            assert_eq!(found(part), [ROLE], "{part}");
        }
        assert_eq!(found("role/other"), [""; 0]);
    }

    #[test]
    fn what_matches_better_comes_first() {
        // a whole address, one that goes on with it, a word, and what only stands within
        assert_eq!(
            names("deploy"),
            ["aws_iam_role.deploy", "data.aws_iam_role.deploy", BUCKET,]
        );
        assert_eq!(names("aws_iam_role.deploy")[0], "aws_iam_role.deploy");
        assert_eq!(names("aws_s")[0], "aws_sns_topic.alerts");
        assert_eq!(names("live")[..2], ["live/web", "live/account"]);
    }

    #[test]
    fn an_address_with_its_stack_finds_it() {
        for query in [
            "live/account/aws_iam_role.deploy",
            "account/aws_iam",
            "Live/Account/aws_iam_role",
        ] {
            assert_eq!(found(query), [ROLE], "{query}");
        }
        assert_eq!(
            names("live/web/"),
            ["data.aws_iam_role.deploy", BUCKET],
            "all of it"
        );
        for query in [
            "count/aws_iam",
            "web/aws_iam",
            "/aws_iam",
            "live/account/iam",
        ] {
            assert_eq!(found(query), [""; 0], "{query}");
        }
    }

    #[test]
    fn a_realm_finds_its_rows_now_and_after_the_next_apply() {
        assert_eq!(names("blue"), [BUCKET]);
        assert_eq!(names("later"), ["aws_sns_topic.alerts"]);
    }

    #[test]
    fn a_stack_is_found_by_its_name_and_shown_at_its_backend() {
        let account = "live/account | - | live/account/main.tf:2";
        assert_eq!(found("live/account"), [account]);
        assert_eq!(found("account"), [account]);
        assert_eq!(found("old/only"), ["old/only | - | old/only.tfstate"]);
        // nothing asked for is all that there is
        assert_eq!(names(""), ["live/account", "live/web", "old/only"]);
    }

    #[test]
    fn what_has_no_block_is_shown_at_its_state() {
        let queue = "aws_sqs_queue.declared | old/only: The-Queue | old/only.tfstate";
        assert_eq!(found("declared"), [queue]);
    }

    #[test]
    fn of_a_short_query_what_begins_with_it() {
        assert_eq!(names("aw").len(), 3);
        let arns = [BUCKET, "aws_sns_topic.alerts", "aws_iam_role.deploy"];
        assert_eq!(names("ar"), arns, "the shortest first");
        assert_eq!(names("oy"), [""; 0]);
        assert_eq!(names("a\0"), [""; 0]);
    }

    #[test]
    fn an_edit_is_followed() {
        let fixture = Fixture::new(WORKSPACE);
        let mut workspace = fixture.workspace();
        let find = |workspace: &mut crate::workspace::Workspace, query: &str| {
            symbols(&workspace.snapshot(), query, &|| false).len()
        };
        assert_eq!(find(&mut workspace, "sooner"), 0);
        let path = fixture.path("live/account/main.tf");
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("later", "sooner");
        workspace.open_document(&path, crate::text::Source::new(&text));
        assert_eq!(find(&mut workspace, "sooner"), 1);
        assert_eq!(find(&mut workspace, "later"), 0);
    }

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
