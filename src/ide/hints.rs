//! The identity behind the header of a block, in short.

use std::path::Path;

use crate::identity::Identity;
use crate::text::Span;
use crate::workspace::{Planned, RowRef, Snapshot};

/// What stands behind a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The end of the header, in bytes of the file.
    pub offset: u32,
    /// The identity in short.
    pub label: String,
    /// All of it.
    pub tooltip: String,
}

/// More identities than these are counted, not listed.
const MOST_ROWS: usize = 10;

/// More characters of an id are left out.
const MOST_CHARACTERS: usize = 48;

/// The identities of the blocks whose headers end within `span` of a file, in order. Those that are
/// recorded; of what is not in any state yet, those that the next apply makes.
pub fn hints(snapshot: &Snapshot, path: &Path, span: Span) -> Vec<Hint> {
    let Some(file) = snapshot.file(path) else {
        return Vec::new();
    };
    let blocks = file.blocks().filter(|it| it.resource().is_some());
    let here = blocks.filter(|it| span.touches(it.header.end));
    let hint = here.filter_map(|block| {
        let rows = snapshot.rows_of(file, block.id);
        let all: Vec<Shown> = rows.iter().filter_map(|it| shown(snapshot, *it)).collect();
        let (first, rest) = all.split_first()?;
        let label = match rest.iter().all(|it| it.label == first.label) {
            true => first.label.clone(),
            false => format!("{} identities", distinct(&all)),
        };
        let mut lines: Vec<&str> = Vec::new();
        for it in &all {
            if !lines.contains(&&*it.full) {
                lines.push(&it.full);
            }
        }
        let more = lines.len().saturating_sub(MOST_ROWS);
        lines.truncate(MOST_ROWS);
        let more = (more > 0).then(|| format!("\nand {more} more"));
        Some(Hint {
            offset: block.header.end,
            label,
            tooltip: lines.join("\n") + &more.unwrap_or_default(),
        })
    });
    hint.collect()
}

fn distinct(all: &[Shown]) -> usize {
    let mut full: Vec<&str> = all.iter().map(|it| &*it.full).collect();
    full.sort_unstable();
    full.dedup();
    full.len()
}

/// What is shown of one row.
struct Shown {
    label: String,
    full: String,
}

fn shown(snapshot: &Snapshot, at: RowRef) -> Option<Shown> {
    let row = snapshot.row(at);
    let now = row.claim.as_ref().ok();
    let planned = match &row.planned {
        Planned::Changed(Ok(planned)) => Some((planned, "")),
        Planned::Reads(Some(planned)) => Some((planned, "reads ")),
        _ => None,
    };
    let (label, full) = match (now, row.looks_up.as_deref(), planned) {
        (Some(now), ..) => (short(now), now.to_string()),
        (None, Some(read), _) => (format!("reads {}", short(read)), format!("reads {read}")),
        (None, None, Some((planned, reads))) => (
            format!("{reads}{} after the next apply", short(planned)),
            String::new(),
        ),
        (None, None, None) => return None,
    };
    let planned = match &row.planned {
        Planned::Same => None,
        Planned::Changed(Ok(identity)) => Some(identity.to_string()),
        Planned::Reads(Some(identity)) => Some(format!("reads {identity}")),
        Planned::Reads(None) => Some("reads another object".to_owned()),
        Planned::Changed(Err(reason)) => Some(format!("no identity: {reason}")),
        Planned::Gone => Some("not in the state any more".to_owned()),
    };
    let planned = planned.map(|it| format!("After the next apply: {it}"));
    let full = [Some(full).filter(|it| !it.is_empty()), planned];
    let full: Vec<_> = full.into_iter().flatten().collect();
    Some(Shown {
        label,
        full: full.join("\n"),
    })
}

/// The service and the resource of an ARN, or the beginning of another id, and the realm.
fn short(identity: &Identity) -> String {
    let fields: Vec<&str> = identity.id.splitn(6, ':').collect();
    let id = match fields[..] {
        ["arn", _, service, _, _, resource] => format!("{service}:…:{}", cut(resource)),
        _ => cut(&identity.id),
    };
    match &identity.realm {
        Some(realm) => format!("{id} in realm {realm}"),
        None => id,
    }
}

/// A text without the middle of it, where it is long.
fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST_CHARACTERS {
        return text.to_owned();
    }
    let half = MOST_CHARACTERS / 2;
    let start = text.chars().take(half);
    let end = text.chars().skip(count - half);
    start.chain(['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;

    const WORKSPACE: &str = r#"
#- a/main.tf
resource "aws_iam_role" "r" {}
resource "aws_s3_bucket" "b" {
  for_each = toset(["x", "y"])
}
resource "aws_sqs_queue" "same" {
  count = 2
}
data "aws_iam_role" "read" {}
resource "aws_sns_topic" "moved" {
  tags = { "gantrycd:resource-identity-realm" = "live" }
}
resource "aws_sns_topic" "out" {
  tags = { "gantrycd:resource-identity" = "null" }
}
resource "aws_acm_certificate" "long" {}
resource "aws_sns_topic" "new" {}
import {
  to = aws_sns_topic.new
  id = "arn:aws:sns:eu-west-1:111122223333:new"
}
resource "aws_sns_topic" "nothing" {}
resource "null_resource" "n" {}
variable "v" {}
#- a/terraform.tfstate
aws_iam_role.r arn=arn:aws:iam::111122223333:role/r realm=live
aws_s3_bucket.b["x"] arn=arn:aws:s3:::x
aws_s3_bucket.b["y"] arn=arn:aws:s3:::y
aws_sqs_queue.same[0] id=mine
aws_sqs_queue.same[1] id=mine
data.aws_iam_role.read arn=arn:aws:iam::111122223333:role/x
aws_sns_topic.moved arn=arn:aws:sns:eu-west-1:111122223333:m
aws_sns_topic.out arn=arn:aws:sns:eu-west-1:111122223333:o
aws_acm_certificate.long arn=arn:aws:acm:eu-west-1:111122223333:certificate/06298432-e806-4b29-a222-3bcc23aa9504-and-more
null_resource.n provider=registry.terraform.io/hashicorp/null
"#;

    /// `line: label | tooltip`, and whether it stands behind the last label.
    fn all(span: impl Fn(&str) -> Span) -> Vec<String> {
        let fixture = Fixture::new(WORKSPACE);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("a/main.tf"));
        let source = snapshot.source(&path).unwrap();
        let hints = hints(&snapshot, &path, span(source.text()));
        let one = |it: &Hint| {
            let rest = &source.text()[it.offset as usize..];
            assert!(rest.starts_with(" {"), "{rest}");
            let line = source.position(it.offset, Default::default()).line + 1;
            format!("{line}: {} | {}", it.label, it.tooltip)
        };
        hints.iter().map(one).collect()
    }

    #[test]
    fn the_identity_of_each_block_in_short() {
        let expected = [
            "1: iam:…:role/r in realm live | arn:aws:iam::111122223333:role/r in realm live\n\
             After the next apply: arn:aws:iam::111122223333:role/r",
            "2: 2 identities | arn:aws:s3:::x\narn:aws:s3:::y",
            "5: mine | mine\nAfter the next apply: no identity: the state records no arn",
            "8: reads iam:…:role/x | reads arn:aws:iam::111122223333:role/x",
            "9: sns:…:m | arn:aws:sns:eu-west-1:111122223333:m\n\
             After the next apply: arn:aws:sns:eu-west-1:111122223333:m in realm live",
            "12: sns:…:o | arn:aws:sns:eu-west-1:111122223333:o\n\
             After the next apply: no identity: the tag gantrycd:resource-identity opts this \
             resource out",
            "15: acm:…:certificate/06298432-e80…22-3bcc23aa9504-and-more | arn:aws:acm",
            "16: sns:…:new after the next apply | \
             After the next apply: arn:aws:sns:eu-west-1:111122223333:new",
        ];
        let hints = all(|text| Span::new(0, text.len()));
        assert_eq!(hints.len(), expected.len());
        for (hint, expected) in hints.iter().zip(expected) {
            assert!(hint.starts_with(expected), "{hint}\nnot\n{expected}");
        }
    }

    #[test]
    fn only_where_it_is_asked_for() {
        let one = all(|text| {
            let at = text.find("data").unwrap();
            Span::new(
                at,
                text.find("resource \"aws_sns_topic\" \"moved\"").unwrap(),
            )
        });
        assert_eq!(one.len(), 1);
        assert!(one[0].starts_with("8: reads"));
    }

    #[test]
    fn of_many_identities_ten_are_listed() {
        let mut text = String::from(
            "#- a/main.tf\nresource \"aws_s3_bucket\" \"b\" {\n  count = 12\n}\n\
             #- a/terraform.tfstate\n",
        );
        for it in 0..12 {
            text += &format!("aws_s3_bucket.b[{it}] arn=arn:aws:s3:::b{it:02}\n");
        }
        let fixture = Fixture::new(&text);
        let hints = hints(
            &fixture.snapshot(),
            &fixture.path("a/main.tf"),
            Span::new(0, 99),
        );
        assert_eq!(hints[0].label, "12 identities");
        let tooltip = &hints[0].tooltip;
        assert!(
            tooltip.ends_with("arn:aws:s3:::b09\nand 2 more"),
            "{tooltip}"
        );
    }

    #[test]
    fn the_middle_of_what_is_long_is_left_out() {
        let long = "x".repeat(MOST_CHARACTERS);
        assert_eq!(cut(&long), long);
        let longer = format!("a{}é", "x".repeat(MOST_CHARACTERS - 1));
        let half = "x".repeat(MOST_CHARACTERS / 2 - 1);
        assert_eq!(cut(&longer), format!("a{half}…{half}é"));
    }
}
