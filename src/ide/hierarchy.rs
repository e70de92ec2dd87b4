//! Who reads from whom, stack by stack: a stack stands for a function, and a data source for a call.

use std::collections::BTreeMap;
use std::path::Path;

use crate::text::Span;
use crate::workspace::{Place, RowRef, Snapshot, Stack};

use super::target::{Target, header_at, targets};

/// A stack, and a place in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackAt {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// Where it is shown.
    pub target: Target,
}

/// That one stack reads from another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The other stack.
    pub other: StackAt,
    /// The headers of the data sources, sorted: in the file at which the reading stack is shown.
    pub spans: Vec<Span>,
}

/// The stacks that the `resource` or `data` block at a header is part of, sorted.
pub fn stacks_at(snapshot: &Snapshot, path: &Path, offset: u32) -> Vec<StackAt> {
    let Some(file) = snapshot.file(path) else {
        return Vec::new();
    };
    let Some(block) = header_at(file, offset) else {
        return Vec::new();
    };
    let mut stacks: Vec<usize> = snapshot.uses(file).iter().map(|it| it.stack).collect();
    stacks.dedup();
    let place = Place {
        path: file.path.clone(),
        span: block.header,
    };
    let target = Target::of(snapshot, place);
    let at = |stack| StackAt {
        stack,
        target: target.clone(),
    };
    stacks.into_iter().map(at).collect()
}

/// The stacks that read from a stack, sorted: one for each file with data sources that do, since
/// these stand in the file at which the reader is shown.
pub fn readers_of(snapshot: &Snapshot, stack: usize) -> Vec<Reading> {
    let rows = 0..snapshot.stacks[stack].rows.len();
    let edges = rows.flat_map(|row| snapshot.edges_to(RowRef { stack, row }));
    let mut readers: BTreeMap<(usize, Place), Vec<RowRef>> = BTreeMap::new();
    for edge in edges {
        let Some(target) = targets(snapshot, [edge.reader]).pop() else {
            continue;
        };
        let file = Place {
            span: Span::at(0),
            ..target.place
        };
        let of_file = readers.entry((edge.reader.stack, file)).or_default();
        of_file.push(edge.reader);
    }
    let reading = readers.into_iter().filter_map(|((stack, _), rows)| {
        let targets = targets(snapshot, rows);
        let target = targets.first()?.clone();
        Some(Reading {
            other: StackAt { stack, target },
            spans: targets.iter().map(|it| it.place.span).collect(),
        })
    });
    reading.collect()
}

/// The stacks that a stack reads from, sorted, each at the first resource that it owns of what is
/// read. The data sources are those in the file `path`, at which the reader is shown; where none is,
/// its place `shown` there stands for them.
pub fn read_by(snapshot: &Snapshot, stack: usize, path: &Path, shown: Span) -> Vec<Reading> {
    let mut owners: BTreeMap<usize, (Vec<RowRef>, Vec<RowRef>)> = BTreeMap::new();
    for edge in snapshot.edges_from(stack) {
        let (owned, readers) = owners.entry(edge.owner.stack).or_default();
        owned.push(edge.owner);
        readers.push(edge.reader);
    }
    let reading = owners.into_iter().filter_map(|(stack, (owned, readers))| {
        let target = targets(snapshot, owned).into_iter().next()?;
        let readers = targets(snapshot, readers).into_iter();
        let here = readers.filter(|it| *it.place.path == *path);
        let mut spans: Vec<_> = here.map(|it| it.place.span).collect();
        if spans.is_empty() {
            spans.push(shown);
        }
        Some(Reading {
            other: StackAt { stack, target },
            spans,
        })
    });
    reading.collect()
}

/// The position of a stack of this name.
pub fn stack_named(snapshot: &Snapshot, name: &str) -> Option<usize> {
    let is_it = |it: &std::sync::Arc<Stack>| *it.name == *name;
    snapshot.stacks.iter().position(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, TWO_STACKS, told};

    const WORKSPACE: &str = r#"
#- account/terraform.tfstate
aws_iam_role.r arn=arn:aws:iam::111122223333:role/r
aws_iam_role.s arn=arn:aws:iam::111122223333:role/s
#- account/main.tf
resource "aws_iam_role" "r" {}
resource "aws_iam_role" "s" {}
#- network/only.tfstate
aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/v
#- web/terraform.tfstate
data.aws_iam_role.r arn=arn:aws:iam::111122223333:role/r
data.aws_iam_role.s arn=arn:aws:iam::111122223333:role/s
data.aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/v
#- web/data.tf
data "aws_iam_role" "s" {}
data "aws_iam_role" "r" {}
#- web/main.tf
data "aws_vpc" "v" {}
resource "aws_sqs_queue" "q" {}
locals {}
"#;

    /// `stack place: text of each span`.
    fn of(snapshot: &Snapshot, path: Option<&Path>, readings: &[Reading]) -> Vec<String> {
        let one = |it: &Reading| {
            let other = &it.other;
            let place = told(snapshot, std::slice::from_ref(&other.target)).remove(0);
            let path = path.unwrap_or(&other.target.place.path);
            let text = |span: &Span| {
                let source = snapshot.source(path).unwrap();
                source.slice(*span).to_owned()
            };
            let spans: Vec<_> = it.spans.iter().map(text).collect();
            let stack = &snapshot.stacks[other.stack].name;
            format!("{stack} {place}: {}", spans.join(", "))
        };
        readings.iter().map(one).collect()
    }

    #[test]
    fn a_block_is_part_of_stacks() {
        let text = format!("{TWO_STACKS}#- m/main.tf\nresource \"aws_sqs_queue\" \"q\" {{}}\n");
        let fixture = Fixture::new(&text);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("m/main.tf"));
        let stacks = stacks_at(&snapshot, &path, 3);
        let names = stacks.iter().map(|it| &*snapshot.stacks[it.stack].name);
        assert_eq!(names.collect::<Vec<_>>(), ["a", "b"]);
        let places: Vec<_> = stacks.iter().map(|it| it.target.clone()).collect();
        let header = "m/main.tf:1 resource \"aws_sqs_queue\" \"q\"";
        assert_eq!(told(&snapshot, &places), [header, header]);
        assert_eq!(stack_named(&snapshot, "b"), Some(stacks[1].stack));
        assert_eq!(stack_named(&snapshot, "c"), None);
        let behind = snapshot.source(&path).unwrap().text().find('{').unwrap();
        assert_eq!(stacks_at(&snapshot, &path, behind as u32), []);
    }

    #[test]
    fn those_that_read_from_a_stack_file_by_file() {
        let fixture = Fixture::new(WORKSPACE);
        let snapshot = fixture.snapshot();
        let readers = |name| {
            let stack = stack_named(&snapshot, name).unwrap();
            of(&snapshot, None, &readers_of(&snapshot, stack))
        };
        assert_eq!(
            readers("account"),
            [
                "web web/data.tf:1 data \"aws_iam_role\" \"s\": data \"aws_iam_role\" \"s\", \
              data \"aws_iam_role\" \"r\""
            ]
        );
        assert_eq!(
            readers("network/only"),
            ["web web/main.tf:1 data \"aws_vpc\" \"v\": data \"aws_vpc\" \"v\""]
        );
        assert_eq!(readers("web"), [""; 0]);
    }

    #[test]
    fn those_that_a_stack_reads_from() {
        let fixture = Fixture::new(WORKSPACE);
        let snapshot = fixture.snapshot();
        let web = stack_named(&snapshot, "web").unwrap();
        let path = fixture.path("web/data.tf");
        let owners = read_by(&snapshot, web, &path, Span::new(0, 4));
        assert_eq!(
            of(&snapshot, Some(&path), &owners),
            [
                "account account/main.tf:1 resource \"aws_iam_role\" \"r\": \
                 data \"aws_iam_role\" \"s\", data \"aws_iam_role\" \"r\"",
                // read in another file of the stack
                "network/only network/only.tfstate: data",
            ]
        );
        let account = stack_named(&snapshot, "account").unwrap();
        assert_eq!(read_by(&snapshot, account, &path, Span::at(0)), []);
    }
}
