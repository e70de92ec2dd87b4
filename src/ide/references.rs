//! Who has to do with an object: the data sources of other stacks that read it, and whoever else
//! claims it.

use std::path::Path;

use crate::identity::Mode;
use crate::workspace::{RowRef, Snapshot};

use super::definition::owners;
use super::target::{Target, header_at, targets};

/// Who has to do with the objects of the block whose header byte `offset` of a file touches, sorted.
/// Of a resource, its readers and its rivals; of a data source, all readers of what it reads. With
/// `declaration` also the block itself, or the owners of what it reads.
pub fn references(snapshot: &Snapshot, path: &Path, offset: u32, declaration: bool) -> Vec<Target> {
    let Some(file) = snapshot.file(path) else {
        return Vec::new();
    };
    let Some(block) = header_at(file, offset) else {
        return Vec::new();
    };
    let own = snapshot.rows_of(file, block.id);
    let is_data = matches!(block.resource(), Some((Mode::Data, ..)));
    let declared: Vec<RowRef> = match is_data {
        true => {
            let edges = owners(snapshot, file, &block);
            edges.iter().map(|it| it.owner).collect()
        }
        false => own.clone(),
    };
    let mut rows: Vec<RowRef> = declared
        .iter()
        .flat_map(|it| readers(snapshot, *it))
        .collect();
    if !is_data {
        rows.extend(rivals(snapshot, &own));
    }
    // that of a resource nobody has to do with is no reference to anything
    if declaration && !rows.is_empty() {
        rows.extend(declared);
    }
    targets(snapshot, rows)
}

/// The data sources of other stacks that read what a row claims.
pub(super) fn readers(snapshot: &Snapshot, owner: RowRef) -> impl Iterator<Item = RowRef> {
    let edges = snapshot.edges_to(owner).into_iter();
    edges.map(|it| it.reader)
}

/// Who else claims what these rows of one block claim, now or after the next apply.
pub(super) fn rivals(snapshot: &Snapshot, own: &[RowRef]) -> Vec<RowRef> {
    let groups = own.iter().filter_map(|it| snapshot.duplicate(*it));
    let claimants = groups.flat_map(|it| &it.claimants().rows);
    let mut rivals: Vec<_> = claimants.copied().collect();
    rivals.sort_unstable();
    rivals.dedup();
    rivals.retain(|it| !own.iter().any(|own| snapshot.is_same_address(*own, *it)));
    rivals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, told};

    const WORKSPACE: &str = r#"
#- account/terraform.tfstate
aws_iam_role.r arn=arn:aws:iam::111122223333:role/r
aws_s3_bucket.b["x"] arn=arn:aws:s3:::x
aws_s3_bucket.b["y"] arn=arn:aws:s3:::y
aws_sqs_queue.alone arn=arn:aws:sqs:eu-west-1:111122223333:q
#- account/main.tf
resource "aws_iam_role" "r" {}
resource "aws_s3_bucket" "b" {
  for_each = toset(["x", "y"])
}
resource "aws_sqs_queue" "alone" {}
#- old/only.tfstate
aws_s3_bucket.mine arn=arn:aws:s3:::x
#- old/readers.tfstate
data.aws_s3_bucket.y arn=arn:aws:s3:::y
#- web/terraform.tfstate
data.aws_iam_role.one arn=arn:aws:iam::111122223333:role/r
data.aws_iam_role.two[0] arn=arn:aws:iam::111122223333:role/r
data.aws_iam_role.two[1] arn=arn:aws:iam::111122223333:role/r
data.aws_iam_role.other arn=arn:aws:iam::111122223333:role/r realm=live
data.aws_iam_role.out arn=arn:aws:iam::111122223333:role/r
#- web/main.tf
data "aws_iam_role" "one" {}
data "aws_iam_role" "two" {
  count = 2
}
data "aws_iam_role" "other" {}
# gantrycd:resource-identity: ignore=true
data "aws_iam_role" "out" {}
"#;

    #[track_caller]
    fn at(at: &str, declaration: bool) -> Vec<String> {
        let text = WORKSPACE.replacen(at, &format!("$0{at}"), 1);
        assert_ne!(text, WORKSPACE, "{at} is not there");
        let fixture = Fixture::new(&text);
        let (snapshot, (path, offset)) = (fixture.snapshot(), fixture.cursor());
        let references = references(&snapshot, &path, offset, declaration);
        told(&snapshot, &references)
    }

    const READERS: [&str; 2] = [
        "web/main.tf:1 data \"aws_iam_role\" \"one\"",
        "web/main.tf:2 data \"aws_iam_role\" \"two\"",
    ];
    const ROLE: &str = "account/main.tf:1 resource \"aws_iam_role\" \"r\"";

    #[test]
    fn a_resource_has_its_readers() {
        assert_eq!(at("resource \"aws_iam_role\"", false), READERS);
        let with_itself = [&[ROLE][..], &READERS].concat();
        assert_eq!(at("resource \"aws_iam_role\"", true), with_itself);
    }

    #[test]
    fn a_data_source_has_the_readers_of_the_same_object() {
        assert_eq!(at("data \"aws_iam_role\" \"one\"", false), READERS);
        let with_owner = [&[ROLE][..], &READERS].concat();
        assert_eq!(at("data \"aws_iam_role\" \"one\"", true), with_owner);
    }

    #[test]
    fn a_duplicate_has_its_rivals_too_and_all_instances_count() {
        let expected = ["old/only.tfstate", "old/readers.tfstate"];
        assert_eq!(at("resource \"aws_s3_bucket\"", false), expected);
        let bucket = "account/main.tf:2 resource \"aws_s3_bucket\" \"b\"";
        let expected = [&[bucket][..], &expected].concat();
        assert_eq!(at("resource \"aws_s3_bucket\"", true), expected);
    }

    #[test]
    fn none_where_nobody_has_to_do_with_it() {
        for text in [
            "resource \"aws_sqs_queue\"",
            "data \"aws_iam_role\" \"other\"",
            "data \"aws_iam_role\" \"out\"",
            "for_each",
            "{}\nresource \"aws_s3",
        ] {
            assert_eq!(at(text, true), [""; 0], "{text}");
        }
    }
}
