//! Where something is defined that a stack reads: the resource of another stack that owns it.

use std::path::Path;

use crate::config::{Block, ModuleFile};
use crate::identity::{Identity, Mode, Origin};
use crate::text::Span;
use crate::workspace::{Edge, RowRef, Snapshot};

use super::links::link_at;
use super::target::{Target, targets};

/// Where something is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// What names it, in bytes of the file.
    pub span: Span,
    /// Where it is defined, sorted: at several places when several own it.
    pub targets: Vec<Target>,
}

/// Who owns what byte `offset` of a file speaks of: a data source, at its header or at an argument
/// that names the object, or an ARN wherever it is written. `None` where nobody does.
pub fn definition(snapshot: &Snapshot, path: &Path, offset: u32) -> Option<Definition> {
    let file = snapshot.file(path)?;
    let read = file.block_at(offset).and_then(|block| {
        let is_data = matches!(block.resource(), Some((Mode::Data, ..)));
        let edges = match is_data {
            true => owners(snapshot, file, &block),
            false => Vec::new(),
        };
        let span = match block.header.touches(offset) {
            true => block.header,
            false => naming(snapshot, file, &block, &edges, offset)?,
        };
        let targets = targets(snapshot, edges.iter().map(|it| it.owner));
        (!targets.is_empty()).then_some(Definition { span, targets })
    });
    read.or_else(|| {
        let link = link_at(snapshot, file, offset)?;
        Some(Definition {
            span: link.span,
            targets: vec![link.target],
        })
    })
}

/// What the data sources of a block read of others, in every stack that it is part of.
pub(super) fn owners(snapshot: &Snapshot, file: &ModuleFile, block: &Block) -> Vec<Edge> {
    let rows = snapshot.rows_of(file, block.id).into_iter();
    rows.flat_map(|it| owners_of(snapshot, it)).collect()
}

/// What one data source reads of others.
pub(super) fn owners_of(snapshot: &Snapshot, reader: RowRef) -> impl Iterator<Item = Edge> {
    let edges = snapshot.edges_from(reader.stack).iter();
    edges.filter(move |it| it.reader == reader).copied()
}

/// The name, or the literal value, of an argument at the cursor that names what is read. A value that
/// is written otherwise is somebody else's to follow.
fn naming(
    snapshot: &Snapshot,
    file: &ModuleFile,
    block: &Block,
    edges: &[Edge],
    offset: u32,
) -> Option<Span> {
    if edges.is_empty() {
        return None;
    }
    let body = file.glance(block.id);
    let (name, span) = body.attributes.iter().find_map(|it| {
        let literal = it.value.literal().map(|_| it.value.span);
        let mut spans = [it.name.span].into_iter().chain(literal);
        let span = spans.find(|it| it.touches(offset))?;
        Some((&it.name.text, span))
    })?;
    let names_it = |it: &Edge| {
        let read = snapshot.object_of(it)?;
        let is_arn = **name == *"arn" && read.origin == Origin::Discovered;
        Some(
            is_arn || {
                let address = snapshot.address(it.reader);
                let value = snapshot.argument(it.reader.stack, address, name)?;
                names(read, value.as_text()?)
            },
        )
    };
    let mut names = edges.iter().filter_map(names_it);
    names.any(|it| it).then_some(span)
}

/// Whether a text is an id, or stands in the part of an ARN that tells it from others of its service
/// and account, between that part's separators.
fn names(identity: &Identity, text: &str) -> bool {
    let id = &*identity.id;
    let resource = match id.starts_with("arn:") {
        true => id.splitn(6, ':').nth(5).unwrap_or_default(),
        false => id,
    };
    let is_whole = |at: usize| {
        let before = &resource[..at];
        let behind = &resource[at + text.len()..];
        (before.is_empty() || before.ends_with([':', '/']))
            && (behind.is_empty() || behind.starts_with([':', '/']))
    };
    !text.is_empty() && (text == id || resource.match_indices(text).any(|(at, _)| is_whole(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, told};

    const WORKSPACE: &str = r#"
#- account/terraform.tfstate
aws_iam_role.deploy arn=arn:aws:iam::111122223333:role/ci/deploy
aws_sns_topic.alerts arn=arn:aws:sns:eu-west-1:111122223333:alerts id=the-alerts realm=live
module.far.aws_s3_bucket.b arn=arn:aws:s3:::far
aws_secretsmanager_secret_version.s arn=arn:aws:secretsmanager:eu-west-1:111122223333:secret:s-AbCdEf
aws_kms_key.out arn=arn:aws:kms:eu-west-1:111122223333:key/out id=null
#- account/main.tf
resource "aws_iam_role" "deploy" {
  name = "deploy"
}
resource "aws_sns_topic" "alerts" {
  name = "alerts"
}
module "far" {
  source = "far/away"
}
resource "aws_secretsmanager_secret_version" "s" {}
resource "aws_kms_key" "out" {
  tags = { "gantrycd:resource-identity" = "null" }
}
#- account/.terraform/modules/modules.json
{"Modules":[{"Key":"far","Source":"far/away","Dir":".terraform/modules/far"}]}
#- account/.terraform/modules/far/main.tf
resource "aws_s3_bucket" "b" {}
#- gone/only.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
#- web/terraform.tfstate
data.aws_iam_role.deploy arn=arn:aws:iam::111122223333:role/ci/deploy
data.aws_sns_topic.alerts arn=arn:aws:sns:eu-west-1:111122223333:alerts id=the-alerts realm=live
data.aws_sns_topic.no_realm arn=arn:aws:sns:eu-west-1:111122223333:alerts id=the-alerts
data.aws_s3_bucket.far arn=arn:aws:s3:::far
data.aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
data.aws_iam_role.own arn=arn:aws:iam::111122223333:role/own
aws_iam_role.own arn=arn:aws:iam::111122223333:role/own
data.aws_secretsmanager_secret_version.s arn=arn:aws:secretsmanager:eu-west-1:111122223333:secret:s-AbCdEf
data.aws_kms_key.out arn=arn:aws:kms:eu-west-1:111122223333:key/out
data.aws_iam_role.ignored arn=arn:aws:iam::111122223333:role/ci/deploy
#- web/main.tf
variable "topic" {
  default = "the-alerts"
}
data "aws_iam_role" "deploy" {
  name        = "deploy"
  description = "depl"
  path        = "/ci/"
  arn         = var.anything
}
data "aws_sns_topic" "alerts" {
  name  = "alerts"
  topic = var.topic
  arn   = "arn:aws:sns:eu-west-1:111122223333:alerts"
}
data "aws_sns_topic" "no_realm" {}
data "aws_s3_bucket" "far" {}
data "aws_sqs_queue" "q" {}
data "aws_iam_role" "own" {}
resource "aws_iam_role" "own" {}
data "aws_secretsmanager_secret_version" "s" {}
data "aws_kms_key" "out" {}
# gantrycd:resource-identity: ignore=true
data "aws_iam_role" "ignored" {}
data "aws_iam_role" "new" {}
locals {
  name = "deploy"
}
"#;

    /// What names it, and where it is defined, when `$0` stands before the first occurrence of `at`
    /// in the workspace.
    #[track_caller]
    fn at(at: &str) -> Option<(String, Vec<String>)> {
        let text = WORKSPACE.replacen(at, &format!("$0{at}"), 1);
        assert_ne!(text, WORKSPACE, "{at} is not there");
        of(&text)
    }

    #[track_caller]
    fn of(text: &str) -> Option<(String, Vec<String>)> {
        let fixture = Fixture::new(text);
        let (snapshot, (path, offset)) = (fixture.snapshot(), fixture.cursor());
        let definition = definition(&snapshot, &path, offset)?;
        assert!(definition.span.touches(offset));
        let source = snapshot.source(&path).unwrap();
        let named = source.slice(definition.span).to_owned();
        Some((named, told(&snapshot, &definition.targets)))
    }

    const ROLE: &str = "account/main.tf:1 resource \"aws_iam_role\" \"deploy\"";

    #[test]
    fn the_header_of_a_data_block_leads_to_the_owner() {
        let header = "data \"aws_iam_role\" \"deploy\"";
        let expected = Some((header.to_owned(), vec![ROLE.to_owned()]));
        assert_eq!(at(header), expected);
        assert_eq!(at("aws_iam_role\" \"deploy\" {\n  name        "), expected);
        assert_eq!(at(" {\n  name        "), expected, "behind the last label");
        assert_eq!(at("{\n  name        "), None, "the brace");
    }

    #[test]
    fn so_does_an_argument_that_names_the_object() {
        let leads = |text: &str, named: &str| {
            let found = at(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found, (named.to_owned(), vec![ROLE.to_owned()]), "{text}");
        };
        leads("name        = \"deploy\"", "name");
        leads("\"deploy\"\n  description", "\"deploy\"");
        leads("arn         =", "arn");
        for other in [
            "description",
            "\"depl\"",
            "path ",
            "\"/ci/\"",
            "var.anything",
        ] {
            assert_eq!(at(other), None, "{other}");
        }
        // of a declared id: a name that comes to it; what refers to it is for others to follow
        let topic = vec!["account/main.tf:4 resource \"aws_sns_topic\" \"alerts\"".to_owned()];
        assert_eq!(at("topic = var.topic"), Some(("topic".into(), topic)));
        assert_eq!(at("var.topic"), None);
        assert_eq!(at("name  = \"alerts\""), None);
        assert_eq!(at("arn   ="), None);
    }

    #[test]
    fn a_resource_of_an_installed_module_is_shown_at_the_call() {
        let (_, targets) = at("data \"aws_s3_bucket\"").unwrap();
        assert_eq!(targets, ["account/main.tf:7 module \"far\""]);
    }

    #[test]
    fn an_owner_without_configuration_is_shown_at_its_state() {
        let (_, targets) = at("data \"aws_sqs_queue\"").unwrap();
        assert_eq!(targets, ["gone/only.tfstate"]);
    }

    #[test]
    fn nothing_leads_to_what_is_not_certainly_the_same() {
        for (text, why) in [
            ("data \"aws_sns_topic\" \"no_realm\"", "another realm"),
            ("data \"aws_iam_role\" \"own\"", "the same stack"),
            ("data \"aws_secretsmanager", "the arn is another object's"),
            ("data \"aws_kms_key\"", "the owner opted out"),
            ("data \"aws_iam_role\" \"ignored\"", "the reader did"),
            ("data \"aws_iam_role\" \"new\"", "not applied yet"),
            ("resource \"aws_iam_role\" \"own\"", "no data source"),
            ("name = \"deploy\"\n}\n", "no data source"),
            ("variable \"topic\"", "no data source"),
        ] {
            assert_eq!(at(text), None, "{why}");
        }
    }

    #[test]
    fn json_and_lines_of_windows_are_read_alike() {
        let json = "#- web/x.tf.json\n{\"data\": {\"aws_iam_role\": {\"$0deploy\": {}}}}\n";
        let rest = WORKSPACE.replace("\"deploy\" {\n  name        ", "\"e\" {\n  name        ");
        let found = of(&format!("{rest}{json}"));
        assert_eq!(found, Some(("\"deploy\"".into(), vec![ROLE.into()])));

        let text = WORKSPACE.replacen("data \"aws_iam", "/* é */ data $0\"aws_iam", 1);
        let fixture = Fixture::windows(&text);
        let (snapshot, (path, offset)) = (fixture.snapshot(), fixture.cursor());
        let definition = definition(&snapshot, &path, offset).unwrap();
        assert_eq!(told(&snapshot, &definition.targets), [ROLE]);
        let source = snapshot.source(&path).unwrap();
        assert!(source.has_bom() && source.text().contains("\r\n"));
        assert_eq!(
            source.slice(definition.span),
            "data \"aws_iam_role\" \"deploy\""
        );
    }

    #[test]
    fn several_owners_are_several_targets() {
        let text = WORKSPACE.replace(
            "#- gone/",
            "#- other/main.tf\nresource \"aws_iam_role\" \"d\" {\n}\n\
             #- other/terraform.tfstate\n\
             aws_iam_role.d arn=arn:aws:iam::111122223333:role/ci/deploy\n#- gone/",
        );
        let text = text
            .replace("data \"aws_iam_role\" \"deploy\"", "$0$&")
            .replace("$0$&", "$0data \"aws_iam_role\" \"deploy\"");
        let (_, targets) = of(&text).unwrap();
        let other = "other/main.tf:1 resource \"aws_iam_role\" \"d\"";
        assert_eq!(targets, [ROLE, other]);
    }

    #[test]
    fn in_a_module_of_several_stacks_each_has_its_owner() {
        let (_, targets) = of(&format!(
            r#"{}
#- a/terraform.tfstate
module.m.data.aws_s3_bucket.b arn=arn:aws:s3:::x
#- b/terraform.tfstate
module.m.data.aws_s3_bucket.b arn=arn:aws:s3:::y
#- m/main.tf
data "aws_s3_bucket" $0"b" {{}}
#- own/main.tf
resource "aws_s3_bucket" "x" {{}}
resource "aws_s3_bucket" "y" {{}}
#- own/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::x
aws_s3_bucket.y arn=arn:aws:s3:::y
"#,
            crate::fixture::TWO_STACKS
        ))
        .unwrap();
        let expected = [
            "own/main.tf:1 resource \"aws_s3_bucket\" \"x\"",
            "own/main.tf:2 resource \"aws_s3_bucket\" \"y\"",
        ];
        assert_eq!(targets, expected);
    }

    #[test]
    fn a_part_of_an_arn_names_it_between_separators() {
        let identity = |id: &str| Identity {
            id: id.into(),
            realm: None,
            origin: Origin::Discovered,
        };
        let role = identity("arn:aws:iam::111122223333:role/ci/deploy");
        for (text, expected) in [
            ("arn:aws:iam::111122223333:role/ci/deploy", true),
            ("deploy", true),
            ("ci/deploy", true),
            ("role", true),
            ("deplo", false),
            ("eploy", false),
            ("111122223333", false),
            ("iam", false),
            ("", false),
        ] {
            assert_eq!(names(&role, text), expected, "{text}");
        }
        assert!(names(&identity("arn:aws:s3:::b"), "b"));
        assert!(!names(&identity("arn:aws:s3:::a-b"), "b"));
        assert!(names(&identity("mine"), "mine"));
        assert!(!names(&identity("mine"), "min"));
    }
}
