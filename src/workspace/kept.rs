//! What of a stack need not be decided again after an edit.
//!
//! A module is reached by what its callers give it, and gives outputs to them. So an edit of a module
//! that is called decides about the rows of that module and of those below it, unless something
//! else of the stack asks for its outputs. A module that fifty stacks use costs each of them its own
//! rows only.

use std::sync::Arc;

use crate::config::Module;
use crate::identity::Mode;

use super::configured::{Configured, ConfiguredProvider};
use super::rows::{PlannedRow, Row, Site};
use super::stack::Stack;
use super::tree::Tree;

/// What was decided of a stack before, and still holds.
pub(super) struct Kept<'a> {
    before: &'a Stack,
    /// By module of the tree, whether it is decided anew.
    anew: Vec<bool>,
}

impl<'a> Kept<'a> {
    /// What of `before` holds for `stack`, which is the same stack after an edit, and `speaks` as
    /// [`Stack::speaks`] has it. `None` where everything may be other.
    pub(super) fn of(before: &'a Stack, stack: &Stack, speaks: bool) -> Option<Self> {
        let (old, new) = (before.tree.as_deref()?, stack.tree.as_deref()?);
        let is_same = stack.has_the_state_of(before)
            && stack.workspace == before.workspace
            && stack.is_certain == before.is_certain
            && stack.given == before.given
            && speaks == before.speaks
            // what a file says may be other for each who reads it
            && before.asked.is_empty();
        if !is_same || !has_the_calls_of(new, old) {
            return None;
        }
        let nodes = || old.nodes().iter().zip(new.nodes());
        // a row may go from one module to another, or come there
        if nodes().any(|(old, new)| moves(&old.module) || moves(&new.module)) {
            return None;
        }
        let mut anew: Vec<bool> = Vec::new();
        for (old, new) in nodes() {
            let is_below = new.caller.as_ref().is_some_and(|(caller, _)| anew[*caller]);
            anew.push(is_below || !Arc::ptr_eq(&old.module, &new.module));
        }
        let is_root = anew[0];
        let mut told = before.told.iter().map(|it| *it as usize);
        let is_told = told.any(|it| anew[it] && !is_anew_above(new, &anew, it));
        (!is_root && !is_told).then_some(Self { before, anew })
    }

    /// Whether a module is decided about as before.
    pub(super) fn has(&self, node: usize) -> bool {
        !self.anew[node]
    }

    /// What record `at` is, with what the configuration says of it.
    pub(super) fn row(&self, at: usize) -> Option<(Row, Option<Configured>)> {
        let row = &self.before.rows[at];
        let configured = row.configured.map(|it| self.before.configured[it].clone());
        let kept = self.has(row.site?.node);
        kept.then(|| (row.clone(), configured))
    }

    /// Which data sources of a module are not there yet.
    pub(super) fn planned_data(&self, node: usize) -> impl Iterator<Item = usize> {
        let rows = self.before.records().len()..self.before.rows.len();
        rows.filter(move |at| {
            let is_here = |it: Site| it.node == node;
            self.before.rows[*at].site.is_some_and(is_here)
                && self.before.address(*at).mode == Mode::Data
        })
    }

    /// What row `at` was, which is not there yet.
    pub(super) fn planned(&self, at: usize) -> (Row, PlannedRow) {
        let address = self.before.address(at).clone();
        (self.before.rows[at].clone(), PlannedRow { address })
    }

    /// What the configuration says of resources of a module that no record is of.
    pub(super) fn without_record(&self, node: usize) -> impl Iterator<Item = &Configured> {
        let records = self.before.records().len();
        let all = self.before.configured.iter();
        all.filter(move |it| it.site.node == node && it.row.is_none_or(|row| row >= records))
    }

    /// What the configuration says of the provider blocks of a module.
    pub(super) fn providers(&self, node: usize) -> impl Iterator<Item = &ConfiguredProvider> {
        let all = self.before.providers.iter();
        all.filter(move |it| it.node == node)
    }

    /// The modules that others asked for outputs of.
    pub(super) fn told(&self) -> impl Iterator<Item = u32> {
        let told = self.before.told.iter().copied();
        told.filter(|it| self.has(*it as usize))
    }
}

/// Whether two trees are of the same calls, whatever stands in their modules.
fn has_the_calls_of(new: &Tree, old: &Tree) -> bool {
    let mut nodes = new.nodes().iter().zip(old.nodes());
    new.nodes().len() == old.nodes().len()
        && nodes.all(|(new, old)| {
            let name = |it: &super::Node| {
                let (caller, call) = it.caller.as_ref()?;
                Some((*caller, call.base().block().label()?.to_owned()))
            };
            new.module.directory == old.module.directory
                && new.source == old.source
                && new.is_outdated == old.is_outdated
                && name(new) == name(old)
        })
}

/// Whether blocks of a module have rows come, or go elsewhere.
fn moves(module: &Module) -> bool {
    let mut blocks = module.refactorings.iter();
    blocks.any(|it| it.block().keyword != "removed")
}

/// Whether the module that calls this one is decided anew.
fn is_anew_above(tree: &Tree, anew: &[bool], node: usize) -> bool {
    let caller = tree.nodes()[node].caller.as_ref();
    caller.is_some_and(|(caller, _)| anew[*caller])
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use crate::fixture::Fixture;
    use crate::identity::IdentityRegistry;
    use crate::text::Source;
    use crate::workspace::tag_support::takes_tags;
    use crate::workspace::{Snapshot, Stack, Workspace, is_same};

    const STACK: &str = r#"
#- stack/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "default" }
  }
}
module "silent" {
  source = "../team"
  name   = "silent"
}
module "told" {
  source = "../speaker"
}
resource "aws_sqs_queue" "root" {
  tags = { "gantrycd:resource-identity" = "root" }
}
resource "aws_sqs_queue" "new" {
  tags = { "gantrycd:resource-identity" = "new" }
}
resource "aws_sns_topic" "told" {
  tags = { "gantrycd:resource-identity" = module.told.name }
}
#- stack/terraform.tfstate
aws_sqs_queue.root arn=arn:aws:sqs:eu-west-1:111122223333:root
aws_sns_topic.told arn=arn:aws:sns:eu-west-1:111122223333:told
aws_sns_topic.gone arn=arn:aws:sns:eu-west-1:111122223333:gone
module.silent.aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
module.silent.aws_sqs_queue.went arn=arn:aws:sqs:eu-west-1:111122223333:went
module.silent.module.inner["a"].aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:a
module.silent.module.gone.aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:b
module.told.aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:t
#- other/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
aws_sqs_queue.a arn=arn:aws:sqs:eu-west-1:111122223333:a realm=of-silent-a
aws_sqs_queue.new id=silent
aws_sqs_queue.by arn=arn:aws:sqs:eu-west-1:111122223333:q realm=by-silent-a
aws_lb.read arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/silent/1 realm=default
aws_lb.other arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/silent/2 realm=default
data.aws_sqs_queue.went arn=arn:aws:sqs:eu-west-1:111122223333:went
data.aws_sqs_queue.a arn=arn:aws:sqs:eu-west-1:111122223333:a realm=of-silent-a
#- team/main.tf
variable "name" {}
locals {
  realm = "of-${var.name}"
}
module "inner" {
  source   = "../inner"
  for_each = toset(["a", "b"])
  realm    = "${local.realm}-${each.key}"
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = module.inner["a"].realm }
}
resource "aws_sqs_queue" "new" {
  tags = { "gantrycd:resource-identity" = var.name }
}
data "aws_sqs_queue" "read" {
  arn = "arn:aws:sqs:eu-west-1:111122223333:${var.name}"
}
data "aws_lb" "read" {
  arn = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/${var.name}/1"
}
#- inner/main.tf
variable "realm" {}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = var.realm }
}
output "realm" {
  value = var.realm
}
#- speaker/main.tf
resource "aws_sqs_queue" "q" {}
output "name" {
  value = "told"
}
"#;

    fn dump(stack: &Stack) -> String {
        let mut out = String::new();
        for (at, row) in stack.rows.iter().enumerate() {
            let instead = row.instead.as_ref().map(|it| it.block().header);
            let said = (&row.claim, &row.planned, &row.looks_up, row.configured);
            let place = (&row.moved_to, row.site, instead);
            _ = writeln!(out, "{} {said:?} {place:?}", stack.address(at));
        }
        for it in &stack.configured {
            let provider = it.provider.as_ref().map(|it| it.block().header);
            let tags = (&it.own, &it.default, &it.ignored, &it.in_blocks);
            _ = writeln!(out, "{:?} {:?} {tags:?} {provider:?}", it.site, it.row);
        }
        for it in &stack.providers {
            let block = it.block.block().header;
            _ = writeln!(
                out,
                "{} {block:?} {:?} {:?}",
                it.node, it.tags, it.endpoints
            );
        }
        for resource_type in ["aws_sqs_queue", "aws_sns_topic"] {
            let observed = takes_tags(stack, resource_type, "registry.terraform.io/hashicorp/aws");
            _ = writeln!(out, "{resource_type} {observed:?}");
        }
        _ = writeln!(out, "{:?} {:?}", stack.realms, stack.told);
        out
    }

    /// Has one text stand in a file instead of another. What follows is what is read anew; whether the
    /// root module's resources were decided about again, too, is returned.
    fn edited(fixture: &str, (file, from, to): (&str, &str, &str)) -> bool {
        let fixture = Fixture::new(fixture);
        let registry = || Arc::new(IdentityRegistry::mounted());
        let mut workspace = Workspace::open(&fixture.path(""), registry());
        let before = workspace.snapshot();
        let path = fixture.path(file);
        let text = before.source(&path).expect("the fixture has it").text();
        assert!(text.contains(from), "{file} has no {from}");
        let text = Source::new(&text.replacen(from, to, 1));
        workspace.open_document(&path, text.clone());
        let after = workspace.snapshot();
        let mut anew = Workspace::open(&fixture.path(""), registry());
        anew.open_document(&path, text);
        let anew = anew.snapshot();
        let claims = |of: &Snapshot| {
            let groups: Vec<_> = of.duplicates().cloned().collect();
            (groups, of.edges().copied().collect::<Vec<_>>())
        };
        assert_eq!(claims(&after), claims(&anew), "{file}: {to}");
        let (after, anew) = (&after.stacks, &anew.stacks);
        let names = |of: &[Arc<Stack>]| of.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(after), names(anew));
        for (after, anew) in after.iter().zip(anew) {
            assert_eq!(dump(after), dump(anew), "{file}: {to}");
        }
        let of_root = |of: &[Arc<Stack>]| {
            let stack = of
                .iter()
                .find(|it| *it.name == *"stack")
                .expect("it is there");
            stack.configured.first().map(|it| it.own.clone())
        };
        !is_same(of_root(&before.stacks).as_ref(), of_root(after).as_ref())
    }

    #[test]
    fn an_edit_of_a_module_reaches_what_is_in_it_and_below() {
        for (file, from, to) in [
            ("team/main.tf", "of-", "by-"),
            // what is planned is another, and was another than what is now
            ("team/main.tf", "app/${var.name}/1", "app/${var.name}/2"),
            ("team/main.tf", "variable", "\n\n# moved down\nvariable"),
            (
                "team/main.tf",
                "\"gantrycd:resource-identity\" = var.name",
                "",
            ),
            ("team/main.tf", "\"a\", \"b\"", "\"b\""),
            ("team/main.tf", "\"q\"", "\"other\""),
            ("team/main.tf", "arn = ", "no = "),
            ("team/main.tf", "data \"aws_sqs", "data \"aws_sns"),
            (
                "team/main.tf",
                "variable \"name\" {}",
                "provider \"aws\" {}\nvariable \"name\" {}",
            ),
            ("team/main.tf", "locals {", "locals {{"),
            (
                "team/main.tf",
                "data",
                "removed {\n  from = aws_sqs_queue.went\n}\ndata",
            ),
        ] {
            assert!(!edited(STACK, (file, from, to)), "{file}: {to}");
        }
    }

    #[test]
    fn what_reaches_further_is_decided_as_a_whole() {
        for (file, from, to) in [
            ("inner/main.tf", "var.realm }", "\"fixed\" }"),
            ("inner/main.tf", "value = var.realm", "value = \"fixed\""),
            ("speaker/main.tf", "{}", "{\n  count = 0\n}"),
            ("speaker/main.tf", "told", "other"),
            (
                "team/main.tf",
                "data",
                "moved {\n  from = aws_sqs_queue.went\n  to = aws_sqs_queue.new\n}\ndata",
            ),
            ("team/main.tf", "../inner", "../speaker"),
            ("team/main.tf", "module \"inner\"", "module \"other\""),
            ("stack/main.tf", "\"silent\"\n}", "\"other\"\n}"),
            ("stack/main.tf", "\"default\"", "\"another\""),
        ] {
            assert!(edited(STACK, (file, from, to)), "{file}: {to}");
        }
        // from now on it is asked for
        let reads = STACK.replacen("var.name }", "file(\"name.txt\") }", 1);
        let edit = ("team/main.tf", "of-", "by-");
        assert!(edited(&reads, edit));
    }

    #[test]
    fn the_first_word_of_gantrycd_is_heard_everywhere() {
        const SILENT: &str = r#"
#- stack/main.tf
module "m" {
  source = "../m"
}
resource "aws_sqs_queue" "q" {}
#- stack/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
#- m/main.tf
resource "aws_sqs_queue" "q" {
  tags = { a = "b" }
}
"#;
        assert!(edited(
            SILENT,
            ("m/main.tf", "a =", "\"gantrycd:resource-identity\" =")
        ));
    }
}
