//! Findings that follow edits are those of a look at everything, whatever was edited.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::fixture::Fixture;
use crate::text::Source;
use crate::workspace::Workspace;

use super::{ALL, Check, Finding, Findings, Lists, Settings, run};

/// Six stacks, of which three share a module and three read each other in a circle.
const STACKS: &str = r#"
#- gantrycd.hcl
#- a/main.tf
module "m" {
  source = "../m"
}
resource "aws_sqs_queue" "q" {}
data "aws_vpc" "v" {}
#- a/terraform.tfstate
module.m.aws_s3_bucket.b arn=arn:aws:s3:::one
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/a
data.aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/b
#- b/main.tf
module "m" {
  source = "../m"
}
resource "aws_sqs_queue" "q" {}
data "aws_vpc" "v" {}
#- b/terraform.tfstate
module.m.aws_s3_bucket.b arn=arn:aws:s3:::one
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:r
aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/b
data.aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/c
#- c/main.tf
data "aws_vpc" "v" {}
resource "aws_vpc" "v" {}
#- c/terraform.tfstate
aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/c
data.aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/a
aws_iam_policy.one arn=arn:aws:iam::111122223333:policy/p
aws_iam_policy.two arn=arn:aws:iam::111122223333:policy/p
#- d/main.tf
terraform {
  backend "s3" {}
}
module "m" {
  source = "../m"
}
#- e/main.tf
resource "aws_sqs_queue" "q" {}
resource "aws_autoscaling_group" "g" {}
#- e/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:000000000000:q all-realm=dev
aws_autoscaling_group.g arn=arn:aws:autoscaling:eu-west-1:000000000000:g untaggable
#- f/terraform.tfstate
aws_sqs_queue.f arn=arn:aws:sqs:eu-west-1:111122223333:q realm=devs
#- m/main.tf
resource "aws_s3_bucket" "b" {
  tags = local.tags
}
locals {
  tags = {}
}
"#;

/// What is put into files: blocks of which each makes some finding, alone or with another.
const BLOCKS: &[&str] = &[
    "",
    "}",
    "\"",
    "# gantrycd:resource-identity: ignore=true",
    "# gantrycd:resource-identity: ignore=yes",
    "# gantrycd:resource-identity: ignore=true\nresource \"aws_vpc\" \"v\" {}",
    "# gantrycd:resource-identity: ignore=true\nresource \"aws_iam_policy_attachment\" \"p\" {}",
    "locals {\n  tags = { \"gantrycd:resource-identity-realm\" = \"not a realm\" }\n}",
    "locals {\n  tags = { \"gantrycd:resource-identity-realm\" = null }\n}",
    "resource \"aws_s3_bucket\" \"b\" {\n  tags = local.tags\n}",
    "resource \"aws_sqs_queue\" \"q\" {\n  tags = {\n    \"gantrycd:resource-identity-realm\" = \"devs\"\n  }\n}",
    "resource \"aws_sqs_queue\" \"q\" {\n  tags = { \"gantrycd:realm\" = \"x\" }\n}",
    "resource \"aws_sqs_queue\" \"q\" {\n  tags = { \"gantrycd:resource-identity\" = null }\n}",
    "resource \"aws_sqs_queue\" \"q\" {\n  tags = { \"gantrycd:resource-identity\" = var.secret }\n}\nvariable \"secret\" {\n  sensitive = true\n  default = \"x\"\n}",
    "resource \"aws_sqs_queue\" \"q\" {\n  count = 2\n  tags = { \"gantrycd:resource-identity\" = \"n\" }\n}",
    "resource \"aws_autoscaling_group\" \"g\" {\n  tags = { \"gantrycd:resource-identity\" = \"n\" }\n}",
    "provider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = \"dev\" }\n  }\n}\nresource \"aws_autoscaling_group\" \"g\" {}",
    "provider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = \"d/v\" }\n  }\n}",
    "provider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity\" = \"x\" }\n  }\n}",
    "provider \"aws\" {\n  endpoints {\n    sqs = \"http://localhost:4566\"\n  }\n}",
    "provider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = \"dev\" }\n  }\n  ignore_tags {\n    key_prefixes = [\"gantrycd:\"]\n  }\n}",
    "terraform {\n  required_providers {\n    aws = { source = \"acme/aws\" }\n  }\n}",
    "module \"m\" {\n  source = \"../m\"\n}",
    // of what was read, and of what is yet to be read
    "data \"aws_vpc\" \"v\" {\n  arn = \"arn:aws:ec2:eu-west-1:111122223333:vpc/a\"\n}",
    "data \"aws_vpc\" \"v\" {\n  arn = \"arn:aws:ec2:eu-west-1:111122223333:vpc/c\"\n}",
    "data \"aws_vpc\" \"w\" {\n  arn = \"arn:aws:ec2:eu-west-1:111122223333:vpc/a\"\n}",
    "data \"aws_vpc\" \"w\" {\n  arn = \"arn:aws:ec2:eu-west-1:111122223333:vpc/b\"\n}",
    "data \"aws_vpc\" \"x\" {\n  count = 2\n  arn   = \"arn:aws:ec2:eu-west-1:111122223333:vpc/c\"\n}",
    "resource \"aws_vpc\" \"v\" {\n  tags = { \"gantrycd:resource-identity-realm\" = \"dev\" }\n}\ndata \"aws_vpc\" \"v\" {}",
];

const SETTINGS: &[&str] = &[
    "",
    "checks {\n  duplicate-identity = \"hint\"\n}",
    "checks {\n  malformed-realm = \"off\"\n  lonely-realm = { exclude = [\"a/**\"] }\n}",
    "chekcs {}",
    "variables = { secret = \"y\" }",
];

const STATES: &[&str] = &[
    "aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q\naws_autoscaling_group.g arn=arn:aws:autoscaling:eu-west-1:000000000000:g untaggable",
    "aws_iam_policy_attachment.p untaggable\naws_sqs_queue.n id=n\naws_vpc.v id=v realm=devs",
    "data.aws_vpc.v arn=arn:aws:ec2:eu-west-1:111122223333:vpc/b\naws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:000000000000:q",
];

/// The same numbers from the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// A workspace that somebody works on.
struct Work {
    fixture: Fixture,
    workspace: Workspace,
    dice: Dice,
    editor: Settings,
}

impl Work {
    /// Does something, for the most part small.
    fn step(&mut self) {
        let directory = self.dice.of(&["a", "b", "c", "d", "e", "m"]);
        let main = self.fixture.path(&format!("{directory}/main.tf"));
        match self.dice.below(20) {
            0..12 => {
                let text = std::fs::read_to_string(&main).unwrap_or_default();
                let text = self.edited(&text);
                std::fs::write(&main, &text).unwrap();
                self.workspace.open_document(&main, Source::new(&text));
                return;
            }
            12 => self.workspace.close_document(&main),
            13 => {
                let settings = self.dice.of(SETTINGS);
                std::fs::write(self.fixture.path("gantrycd.hcl"), settings).unwrap();
            }
            14 => {
                let level = self.dice.of(&["warning", "off", "hint"]);
                let code = self.dice.of(&["bare-null", "dependency-cycle", "syntax"]);
                self.editor = Settings::of_editor(&json!({ "checks": { code: level } })).0;
            }
            15 | 16 => {
                let state = crate::fixture::state("x", self.dice.of(STATES));
                self.write_state(directory, &state);
            }
            17 => self.write_state(directory, "{"),
            18 => {
                let other =
                    self.fixture
                        .path(self.dice.of(&["a/more.tf", "m/more.tf", "g/main.tf"]));
                if std::fs::remove_file(&other).is_err() {
                    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
                    std::fs::write(other, self.dice.of(BLOCKS)).unwrap();
                }
            }
            _ => _ = std::fs::write(&main, ""),
        }
        self.workspace.refresh();
    }

    fn write_state(&self, directory: &str, text: &str) {
        let path = self.fixture.path(&format!("{directory}/terraform.tfstate"));
        std::fs::write(path, text).unwrap();
    }

    fn edited(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let new = format!("{}\n", self.dice.of(BLOCKS));
        let at = self.dice.below(lines.len() + 1);
        match (self.dice.below(9), lines.len()) {
            (6.., _) => {
                let blocks = 1 + self.dice.below(4);
                return (0..blocks)
                    .map(|_| format!("{}\n", self.dice.of(BLOCKS)))
                    .collect();
            }
            (0, _) => return [&*new, text].concat(),
            (1, _) => return [text, &*new].concat(),
            (2, 1..) => _ = lines.remove(at.min(lines.len() - 1)),
            (3, 1..) => {
                let at = at.min(lines.len() - 1);
                lines[at] = &new;
            }
            // as it is while it is typed
            (4, _) => return text[..self.dice.below(text.len() + 1)].to_owned(),
            _ => lines.insert(at, &new),
        }
        lines.concat()
    }
}

fn is_cross_stack(finding: &Finding) -> bool {
    Check::of(finding.code).is_some_and(Check::is_cross_stack)
}

/// The files whose lists are others, or stand in one of these texts.
fn others(before: &Lists, after: &Lists, texts: &BTreeSet<Arc<Path>>) -> BTreeSet<Arc<Path>> {
    let both = before.files().chain(after.files()).map(|(path, _)| path);
    let others = both.filter(|it| before.of(it) != after.of(it) || texts.contains(*it));
    others.cloned().collect()
}

#[test]
fn whatever_is_edited() {
    let fixture = Fixture::new(STACKS);
    let mut work = Work {
        workspace: fixture.workspace(),
        fixture,
        dice: Dice(7),
        editor: Settings::default(),
    };
    let (first, _) = work.workspace.follow();
    let mut findings = Findings::new(&first, &work.editor);
    findings.take_changed();
    let mut seen = BTreeSet::new();
    for step in 0..400 {
        let lists = findings.lists().clone();
        work.step();
        let (after, change) = work.workspace.follow();
        let all = run(&after, &work.editor);

        findings.update_own(&after, &change, &work.editor);
        let own = findings.lists().all().filter(|it| !is_cross_stack(it));
        assert!(
            own.eq(all.iter().filter(|it| !is_cross_stack(it))),
            "own, step {step}"
        );
        for path in &change.files {
            let unproven = findings
                .lists()
                .of(path)
                .iter()
                .find(|it| !all.contains(it));
            assert!(unproven.is_none(), "step {step}: {unproven:#?}");
        }

        let then = findings.lists().clone();
        assert_eq!(
            findings.take_changed(),
            others(&lists, &then, &change.files),
            "own, step {step}"
        );

        // most of the time somebody types on before it is quiet
        if step % 3 > 0 {
            continue;
        }
        findings.update_cross(&after);
        let found: Vec<_> = findings.lists().all().cloned().collect();
        assert_eq!(found, all, "step {step}");
        let others = others(&then, findings.lists(), &BTreeSet::new());
        assert_eq!(findings.take_changed(), others, "step {step}");
        seen.extend(found.iter().map(|it| it.code));
    }
    let unseen: Vec<_> = ALL
        .iter()
        .map(|it| it.code)
        .filter(|it| !seen.contains(it))
        .collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}
