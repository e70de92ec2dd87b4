//! What is told above a block at a glance: who reads what it manages, who else claims it, and who
//! owns what it reads.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::{Block, ModuleFile};
use crate::identity::Mode;
use crate::text::Span;
use crate::workspace::{Group, RowRef, Snapshot, When};

use super::definition::owners_of;
use super::target::{Target, targets};

/// Something that is told of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The header of the block, in bytes of the file.
    pub span: Span,
    /// What it tells of.
    pub about: LensKind,
    /// A few words.
    pub title: String,
    /// Those that it tells of, sorted.
    pub targets: Vec<Target>,
}

/// What a [`Lens`] tells of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LensKind {
    /// Who reads it.
    Readers,
    /// Who else claims it.
    Rivals,
    /// Who owns it.
    Owners,
}

impl LensKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Readers, Self::Rivals, Self::Owners];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Readers => "readers",
            Self::Rivals => "rivals",
            Self::Owners => "owners",
        }
    }
}

/// Where something is told in a file, and of what, in order.
pub fn lens_spans(snapshot: &Snapshot, path: &Path) -> Vec<(Span, LensKind)> {
    let told = |it: Told| (it.span, it.about);
    let file = snapshot.file(path).into_iter();
    let blocks = file.flat_map(|file| file.blocks().map(move |it| (file, it)));
    let all = blocks.flat_map(|(file, block)| of_block(snapshot, file, &block));
    all.map(told).collect()
}

/// What is told at the header that begins at this byte of a file. `None` where nothing is any more.
pub fn lens(snapshot: &Snapshot, path: &Path, start: u32, about: LensKind) -> Option<Lens> {
    let file = snapshot.file(path)?;
    let block = file.block_at(start)?;
    let all = of_block(snapshot, file, &block).into_iter();
    let mut here = all.filter(|it| it.span.start == start);
    let told = here.find(|it| it.about == about)?;
    Some(Lens {
        span: told.span,
        about,
        title: told.title(snapshot),
        targets: targets(snapshot, told.others),
    })
}

/// What is to be told of one block.
struct Told {
    span: Span,
    about: LensKind,
    own: Vec<RowRef>,
    /// Those that it tells of.
    others: Vec<RowRef>,
    /// When what it tells of them stands.
    whens: Vec<When>,
}

fn of_block(snapshot: &Snapshot, file: &ModuleFile, block: &Block) -> Vec<Told> {
    let abouts: &[LensKind] = match block.resource() {
        Some((Mode::Data, ..)) => &[LensKind::Owners],
        Some((Mode::Managed, ..)) => &[LensKind::Readers, LensKind::Rivals],
        None => return Vec::new(),
    };
    let own = snapshot.rows_of(file, block.id);
    let told = abouts.iter().map(|about| {
        let (mut others, whens): (Vec<RowRef>, Vec<When>) = match about {
            LensKind::Readers => {
                let edges = own.iter().flat_map(|it| snapshot.edges_to(*it));
                edges.map(|it| (it.reader, it.when)).unzip()
            }
            LensKind::Rivals => {
                let groups = own.iter().filter_map(|it| snapshot.duplicate(*it));
                let groups: Vec<_> = groups.collect();
                let whens = groups.iter().map(|it| it.when()).collect();
                (claimants(snapshot, &own, &groups), whens)
            }
            LensKind::Owners => {
                let edges = own.iter().flat_map(|it| owners_of(snapshot, *it));
                edges.map(|it| (it.owner, it.when)).unzip()
            }
        };
        others.sort_unstable();
        others.dedup();
        Told {
            span: block.header,
            about: *about,
            own: own.clone(),
            others,
            whens,
        }
    });
    told.filter(|it| !it.others.is_empty()).collect()
}

/// All who are in the groups of these rows, where these are not the only ones. Where they are, and are
/// several, it is they.
fn claimants(snapshot: &Snapshot, own: &[RowRef], groups: &[&Group]) -> Vec<RowRef> {
    let rows = groups.iter().flat_map(|it| &it.claimants().rows);
    let all: Vec<RowRef> = rows.copied().collect();
    let is_own = |it: &RowRef| own.iter().any(|own| snapshot.is_same_address(*own, *it));
    match all.iter().all(is_own) {
        true => all,
        false => all.into_iter().filter(|it| !is_own(it)).collect(),
    }
}

impl Told {
    fn title(&self, snapshot: &Snapshot) -> String {
        match self.about {
            LensKind::Readers => format!("read by {}{}", stacks(&self.others), when(&self.whens)),
            LensKind::Rivals => self.rivals(),
            LensKind::Owners => owned_by(snapshot, &self.others) + when(&self.whens),
        }
    }

    fn rivals(&self) -> String {
        let is_own = |it: &RowRef| self.own.contains(it);
        let also = match self.others.iter().any(is_own) {
            true => "",
            false => "also ",
        };
        let own: BTreeSet<usize> = self.own.iter().map(|it| it.stack).collect();
        let elsewhere = self.others.iter().filter(|it| !own.contains(&it.stack));
        let elsewhere: Vec<RowRef> = elsewhere.copied().collect();
        let all: BTreeSet<usize> = self.others.iter().map(|it| it.stack).collect();
        let who = match (elsewhere.is_empty(), all.len()) {
            (false, _) => format!("by {}", stacks(&elsewhere)),
            (true, 2..) if also.is_empty() => format!("by {}", stacks(&self.others)),
            (true, _) => format!("at {}", counted(self.others.len(), "address", "addresses")),
        };
        format!("{also}claimed {who}{}", when(&self.whens))
    }
}

/// When all of it stands, where it does not stand always.
fn when(whens: &[When]) -> &'static str {
    let first = whens
        .first()
        .filter(|first| whens.iter().all(|it| it == *first));
    match first {
        Some(When::UntilApplied) => ", until applied",
        Some(When::AfterApply) => ", after the next apply",
        Some(When::Always) | None => "",
    }
}

fn owned_by(snapshot: &Snapshot, owners: &[RowRef]) -> String {
    let all: BTreeSet<usize> = owners.iter().map(|it| it.stack).collect();
    match owners {
        [owner] => {
            let stack = &snapshot.stack(*owner).name;
            format!("owned by {stack} → {}", snapshot.address(*owner))
        }
        [first, ..] if all.len() == 1 => {
            let stack = &snapshot.stack(*first).name;
            let count = counted(owners.len(), "resource", "resources");
            format!("owned by {stack} → {count}")
        }
        _ => format!("owned by {}", stacks(owners)),
    }
}

/// How many stacks rows are of.
fn stacks(rows: &[RowRef]) -> String {
    let stacks: BTreeSet<usize> = rows.iter().map(|it| it.stack).collect();
    counted(stacks.len(), "stack", "stacks")
}

fn counted(count: usize, one: &str, several: &str) -> String {
    let what = if count == 1 { one } else { several };
    format!("{count} {what}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, TWO_STACKS, told};

    /// What is told above the blocks of a file: `line: title -> targets`, lines counted from 1.
    fn all(text: &str, file: &str) -> Vec<String> {
        let fixture = Fixture::new(text);
        let (snapshot, path) = (fixture.snapshot(), fixture.path(file));
        let source = snapshot.source(&path).unwrap();
        let one = |(span, about): (Span, LensKind)| {
            let lens = lens(&snapshot, &path, span.start, about).unwrap();
            assert_eq!((lens.span, lens.about), (span, about));
            let line = source.position(span.start, Default::default()).line + 1;
            let targets = told(&snapshot, &lens.targets);
            let places = targets.iter().map(|it| it.split(' ').next().unwrap());
            let places: Vec<_> = places.collect();
            format!("{line}: {} -> {}", lens.title, places.join(" "))
        };
        let spans = lens_spans(&snapshot, &path);
        spans.into_iter().map(one).collect()
    }

    const ROLE: &str = "arn:aws:iam::111122223333:role/r";

    fn workspace(others: &str) -> String {
        format!(
            "#- own/main.tf\nresource \"aws_iam_role\" \"r\" {{}}\nlocals {{}}\n\
             resource \"aws_sqs_queue\" \"q\" {{}}\n#- own/terraform.tfstate\n\
             aws_iam_role.r arn={ROLE}\n\
             aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q\n{others}"
        )
    }

    fn reader(stack: &str) -> String {
        format!(
            "#- {stack}/main.tf\ndata \"aws_iam_role\" \"r\" {{}}\n#- {stack}/terraform.tfstate\n\
             data.aws_iam_role.r arn={ROLE}\n"
        )
    }

    fn rival(stack: &str) -> String {
        format!("#- {stack}/only.tfstate\naws_iam_role.mine arn={ROLE}\n")
    }

    #[test]
    fn how_many_stacks_read_a_resource() {
        assert_eq!(all(&workspace(""), "own/main.tf"), [""; 0]);
        let text = workspace(&reader("a"));
        assert_eq!(
            all(&text, "own/main.tf"),
            ["1: read by 1 stack -> a/main.tf:1"]
        );
        let text = workspace(&[reader("a"), reader("b")].concat());
        let text = text.replace(
            "data.aws",
            "data.aws_iam_role.s arn=arn:aws:s3:::x\ndata.aws",
        );
        let expected = ["1: read by 2 stacks -> a/main.tf:1 b/main.tf:1"];
        assert_eq!(all(&text, "own/main.tf"), expected);
    }

    #[test]
    fn two_data_sources_of_a_stack_are_one_stack() {
        let more = "data \"aws_iam_role\" \"s\" {}\n#- a/terraform.tfstate\n";
        let text = workspace(&reader("a")).replace("#- a/terraform.tfstate\n", more);
        let text = format!("{text}data.aws_iam_role.s arn={ROLE}\n");
        let expected = ["1: read by 1 stack -> a/main.tf:1 a/main.tf:2"];
        assert_eq!(all(&text, "own/main.tf"), expected);
    }

    #[test]
    fn how_many_stacks_claim_the_same() {
        let text = workspace(&rival("a"));
        let expected = ["1: also claimed by 1 stack -> a/only.tfstate"];
        assert_eq!(all(&text, "own/main.tf"), expected);
        let text = workspace(&[rival("a"), rival("b"), reader("c")].concat());
        let expected = [
            "1: read by 1 stack -> c/main.tf:1",
            "1: also claimed by 2 stacks -> a/only.tfstate b/only.tfstate",
        ];
        assert_eq!(all(&text, "own/main.tf"), expected);
    }

    #[test]
    fn when_it_ends_or_begins_is_said() {
        let text = workspace(&rival("a"));
        let out = "{ tags = { \"gantrycd:resource-identity\" = \"other\" } }";
        let ended = text.replacen("{}", out, 1);
        let expected = ["1: also claimed by 1 stack, until applied -> a/only.tfstate"];
        assert_eq!(all(&ended, "own/main.tf"), expected);
        let begun = text.replace(&format!("mine arn={ROLE}"), "mine id=other");
        let begun = begun.replacen("{}", out, 1);
        let expected = ["1: also claimed by 1 stack, after the next apply -> a/only.tfstate"];
        assert_eq!(all(&begun, "own/main.tf"), expected);
    }

    #[test]
    fn what_is_read_after_the_next_apply_is_said_so() {
        let reader = format!(
            "#- c/main.tf\ndata \"aws_iam_role\" \"new\" {{\n  arn = \"{ROLE}\"\n}}\n\
             #- c/terraform.tfstate\naws_vpc.v\n"
        );
        let text = workspace(&reader);
        let expected = ["1: read by 1 stack, after the next apply -> c/main.tf:1"];
        assert_eq!(all(&text, "own/main.tf"), expected);
        let expected = ["1: owned by own → aws_iam_role.r, after the next apply -> own/main.tf:1"];
        assert_eq!(all(&text, "c/main.tf"), expected);
    }

    #[test]
    fn what_one_stack_claims_twice_is_counted_by_addresses() {
        let text = workspace("").replace(
            "aws_sqs_queue.q",
            &format!("aws_iam_role.s arn={ROLE}\naws_sqs_queue.q"),
        );
        let text = text.replace("locals {}", "resource \"aws_iam_role\" \"s\" {}");
        let expected = [
            "1: also claimed at 1 address -> own/main.tf:2",
            "2: also claimed at 1 address -> own/main.tf:1",
        ];
        assert_eq!(all(&text, "own/main.tf"), expected);
        let text = "#- own/main.tf\nresource \"aws_iam_role\" \"r\" {\n  count = 2\n  tags \
                    = { \"gantrycd:resource-identity\" = \"x\" }\n}\n\
                    #- own/terraform.tfstate\naws_iam_role.r[0] id=x\naws_iam_role.r[1] id=x\n";
        let expected = ["1: claimed at 2 addresses -> own/main.tf:1"];
        assert_eq!(all(text, "own/main.tf"), expected);
    }

    #[test]
    fn a_block_of_several_stacks_that_claim_one_object() {
        let text = format!(
            "{TWO_STACKS}#- m/main.tf\nresource \"aws_iam_role\" \"r\" {{}}\n\
             #- a/terraform.tfstate\nmodule.m.aws_iam_role.r arn={ROLE}\n\
             #- b/terraform.tfstate\nmodule.m.aws_iam_role.r arn={ROLE}\n"
        );
        let expected = ["1: claimed by 2 stacks -> m/main.tf:1"];
        assert_eq!(all(&text, "m/main.tf"), expected);
        let expected = ["1: also claimed by 1 stack -> c/only.tfstate"];
        assert_eq!(all(&[&*text, &rival("c")].concat(), "m/main.tf"), expected);
    }

    #[test]
    fn who_owns_what_a_data_source_reads() {
        let text = workspace(&reader("a"));
        let expected = ["1: owned by own → aws_iam_role.r -> own/main.tf:1"];
        assert_eq!(all(&text, "a/main.tf"), expected);
        let text = workspace(&[reader("a"), rival("b")].concat());
        let expected = ["1: owned by 2 stacks -> b/only.tfstate own/main.tf:1"];
        assert_eq!(all(&text, "a/main.tf"), expected);
        let text = format!(
            "{TWO_STACKS}#- m/main.tf\ndata \"aws_s3_bucket\" \"b\" {{}}\n\
             #- a/terraform.tfstate\nmodule.m.data.aws_s3_bucket.b arn=arn:aws:s3:::x\n\
             #- b/terraform.tfstate\nmodule.m.data.aws_s3_bucket.b arn=arn:aws:s3:::y\n\
             #- own/only.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::x\n\
             aws_s3_bucket.y arn=arn:aws:s3:::y\n"
        );
        let expected = ["1: owned by own/only → 2 resources -> own/only.tfstate"];
        assert_eq!(all(&text, "m/main.tf"), expected);
    }

    #[test]
    fn opted_out_in_another_realm_or_in_one_stack_nothing_is_told() {
        let ignore = "# gantrycd:resource-identity: ignore=true\n";
        for (what, text) in [
            (
                "the owner opts out",
                workspace(&reader("a")).replacen("resource", &format!("{ignore}resource"), 1),
            ),
            (
                "the reader opts out",
                workspace(&reader("a")).replace("data \"", &format!("{ignore}data \"")),
            ),
            (
                "another realm",
                workspace(&reader("a"))
                    .replace("data.aws_iam_role.r", "data.aws_iam_role.r realm=x"),
            ),
            (
                "the same stack",
                workspace("")
                    .replace("locals {}", "data \"aws_iam_role\" \"r\" {}")
                    .replace(
                        "aws_sqs_queue.q arn",
                        &format!("data.aws_iam_role.r arn={ROLE}\naws_sqs_queue.q arn"),
                    ),
            ),
        ] {
            for file in ["own/main.tf", "a/main.tf"] {
                let is_there = text.contains(&format!("#- {file}"));
                let told = is_there.then(|| all(&text, file));
                assert_eq!(told.unwrap_or_default(), [""; 0], "{what}: {file}");
            }
        }
    }

    #[test]
    fn what_is_not_told_any_more_is_none() {
        let fixture = Fixture::new(&workspace(&reader("a")));
        let (snapshot, path) = (fixture.snapshot(), fixture.path("own/main.tf"));
        assert!(lens(&snapshot, &path, 0, LensKind::Readers).is_some());
        assert!(lens(&snapshot, &path, 1, LensKind::Readers).is_none());
        assert!(lens(&snapshot, &path, 0, LensKind::Rivals).is_none());
        assert!(lens(&snapshot, &path, 0, LensKind::Owners).is_none());
    }
}
