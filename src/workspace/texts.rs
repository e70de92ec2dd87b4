//! What a stack and its rows are found by, as one text that is searched as a whole.
//!
//! A row, its address and its id lie in places of their own, and to look at each in turn takes many
//! times as long as to go through one text. It is made when somebody searches for the first time,
//! and again when its stack was decided anew: who never searches has none.

use std::fmt::Write as _;
use std::ops::Range;

use crate::identity::Identity;

use super::stack::Stack;

/// The text of one stack: line 0 is its name, line `n + 1` its row `n`. A line is fields, each with
/// [`Texts::END`] behind it: the address first, then id and realm of what the row claims, and again
/// of what it will claim if that is something else. Capitals of ASCII are small letters.
#[derive(Debug)]
pub struct Texts {
    text: Box<str>,
    /// Where each line begins, and where the last one ends.
    starts: Box<[u32]>,
    /// Of each line, how long address and id are; [`MORE`] twice where there is more than these, or
    /// one is longer than can be said.
    lengths: Box<[[u8; 2]]>,
}

const MORE: u8 = u8::MAX;

impl Texts {
    /// What stands behind each field, and in none.
    pub const END: u8 = 0;

    pub(super) fn new(stack: &Stack) -> Self {
        let mut text = String::with_capacity(stack.rows.len() * 128);
        let mut starts = Vec::with_capacity(stack.rows.len() + 2);
        let mut lengths = Vec::with_capacity(stack.rows.len() + 1);
        let end = char::from(Self::END);
        let mut begin = |text: &String, length: [u8; 2]| {
            starts.push(text.len() as u32);
            lengths.push(length);
        };
        begin(&text, lengths_of(stack.name.len(), &[]));
        _ = write!(text, "{}{end}", stack.name);
        let mut address = String::new();
        for (at, row) in stack.rows.iter().enumerate() {
            address.clear();
            _ = write!(address, "{}", stack.address(at));
            let now = row.claim.as_ref().ok();
            let what = |it: &Identity| (it.id.clone(), it.realm.clone());
            let planned = row.planned_claim();
            let planned = planned.filter(|it| now.map(what) != Some(what(it)));
            let claims: Vec<&Identity> = now.into_iter().chain(planned).collect();
            begin(&text, lengths_of(address.len(), &claims));
            text.push_str(&address);
            text.push(end);
            for identity in claims {
                match identity.id.contains(end) {
                    true => text.push_str(&identity.id.replace(end, " ")),
                    false => text.push_str(&identity.id),
                }
                text.push(end);
                text.push_str(identity.realm.as_ref().map_or("", |it| it.as_str()));
                text.push(end);
            }
        }
        starts.push(text.len() as u32);
        text.make_ascii_lowercase();
        Self {
            text: text.into(),
            starts: starts.into(),
            lengths: lengths.into(),
        }
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.lengths.len()
    }

    /// The bytes of a line.
    pub fn line(&self, at: usize) -> Range<usize> {
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// The line of a byte, which is in line `from` or behind it.
    pub fn line_of(&self, byte: usize, from: usize) -> usize {
        let begins_before = |it: &&u32| **it as usize <= byte;
        let behind = self.starts[from + 1..].iter();
        from + behind.take_while(begins_before).count()
    }

    /// How many bytes the address and the id of a line have, 0 where there is no id. `None` of a line
    /// that says more, or much.
    pub fn lengths(&self, line: usize) -> Option<[usize; 2]> {
        let lengths = self.lengths[line];
        (lengths != [MORE; 2]).then(|| lengths.map(usize::from))
    }
}

fn lengths_of(address: usize, claims: &[&Identity]) -> [u8; 2] {
    let id = match claims {
        [] => Some(0),
        [only] if only.realm.is_none() => Some(only.id.len()),
        _ => None,
    };
    let short = |it: usize| u8::try_from(it).ok().filter(|it| *it < MORE);
    let lengths = short(address).zip(id.and_then(short));
    lengths.map_or([MORE; 2], |(address, id)| [address, id])
}

#[cfg(test)]
mod tests {
    use super::Texts;
    use crate::fixture::Fixture;

    #[test]
    fn a_line_for_each_row_behind_that_of_the_stack() {
        let long = "l".repeat(255);
        let text = format!(
            r#"
#- A/main.tf
resource "aws_sns_topic" "t" {{
  tags = {{ "gantrycd:resource-identity-realm" = "Two" }}
}}
#- A/terraform.tfstate
aws_sqs_queue.Q id=x
aws_sns_topic.t id=T realm=One arn=arn:aws:sns:eu-west-1:111122223333:T
data.aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/v
aws_sqs_queue.long id={long}
"#
        );
        let snapshot = Fixture::new(&text).snapshot();
        let texts = snapshot.stacks[0].texts();
        let line = |at: usize| {
            let line = texts.bytes()[texts.line(at)].strip_suffix(&[Texts::END]);
            let line = std::str::from_utf8(line.unwrap()).unwrap();
            line.replace(char::from(Texts::END), "|")
        };
        let lines: Vec<_> = (0..texts.line_count()).map(line).collect();
        assert_eq!(
            lines,
            [
                "a",
                "aws_sqs_queue.q|x|",
                "aws_sns_topic.t|t|one|arn:aws:sns:eu-west-1:111122223333:t|two",
                "data.aws_vpc.v",
                &format!("aws_sqs_queue.long|{long}|"),
            ]
        );
        let lengths: Vec<_> = (0..lines.len()).map(|it| texts.lengths(it)).collect();
        let short = |address, id| Some([address, id]);
        assert_eq!(
            lengths,
            [short(1, 0), short(15, 1), None, short(14, 0), None]
        );
        for (at, _) in texts.bytes().iter().enumerate() {
            let of = texts.line_of(at, 0);
            assert!(texts.line(of).contains(&at));
            assert_eq!(texts.line_of(at, of), of);
        }
    }
}
