//! An ignore comment stands on a block whose resources have no identity anyhow.
//!
//! It does nothing today. If a later version of the provider gives the type an ARN, it will: whoever
//! wants that can keep it.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! # gantrycd:resource-identity: ignore=true
//!   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unused-ignore
//! resource "aws_route_table_association" "a" {}
//!
//! #- terraform.tfstate
//! aws_route_table_association.a untaggable
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! resource "aws_route_table_association" "a" {}
//!
//! #- terraform.tfstate
//! aws_route_table_association.a untaggable
//! ```

use crate::config::{Declared, IgnoreComment};
use crate::identity::NoIdentity;
use crate::identity::comment::Directive;
use crate::workspace::{Place, RowRef, Snapshot, is_editable};

use super::{Check, Finding, Fix, Looks, Severity, Shares, Wrong, fix};

pub(super) const CHECK: Check = Check {
    code: "unused-ignore",
    page: include_str!("../../docs/checks/unused-ignore.md"),
    severity: Severity::Hint,
    looks: Looks::Stack(look, Wrong::told),
    fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    for (row, it) in snapshot.stacks[stack].rows.iter().enumerate() {
        let row = RowRef { stack, row };
        let Some(site) = it.site else {
            continue;
        };
        let block = snapshot.stacks[stack].resource(site).base();
        if block.file.comments.is_empty() || !is_editable(&block.file.path) {
            continue;
        }
        for comment in covering(block) {
            let place = Place {
                path: block.file.path.clone(),
                span: comment.span,
            };
            match without(snapshot, row) {
                Some(reason) => shares.tell(finding(snapshot, row, &place, &reason)),
                None => shares.veto(place),
            }
        }
    }
}

/// The comments that opt a block out.
fn covering(block: &Declared) -> impl Iterator<Item = &IgnoreComment> {
    let id = block.block().id;
    let comments = block.file.comments.iter();
    comments.filter(move |it| {
        let opts_out = matches!(it.directive, Directive::Ignore { ignore: true, .. });
        opts_out && it.honoured() == Some(id)
    })
}

fn finding(snapshot: &Snapshot, row: RowRef, place: &Place, reason: &NoIdentity) -> Finding {
    let message = format!(
        "This comment opts nothing out: without it {} has no identity either, since {reason}.",
        snapshot.address(row)
    );
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    finding.is_unnecessary = true;
    finding.rests_on = vec![row.stack];
    finding.about(snapshot, row)
}

/// Why a row would have no identity without the comment, now and after the next apply. `None` where
/// it would have one, and where nobody can tell.
fn without(snapshot: &Snapshot, at: RowRef) -> Option<NoIdentity> {
    let stack = snapshot.stack(at);
    let record = stack.record(at.row)?;
    let why = match record.stated() {
        None => snapshot.registry.look_up(&record.row, false).err()?,
        // whoever wrote it may have seen the comment
        Some(decided) => match &decided.identity {
            Err(NoIdentity::OptedOutByComment) => return None,
            Err(NoIdentity::DataSource) if decided.looks_up.is_some() => return None,
            other => other.as_ref().err()?.clone(),
        },
    };
    let attributes = &record.row.attributes;
    if record.stated().is_some() || attributes.tags_all.is_none() {
        return Some(why);
    }
    let configured = &stack.configured[snapshot.row(at).configured?];
    let (own, all) = configured.own.recorded_over(&configured.default)?;
    let after = record.row.with_tags(own, all);
    snapshot.registry.look_up(&after, false).err()?;
    Some(why)
}

/// Why none of these rows would have an identity without a comment: the reason of the first. `None`
/// where one of them would, where nobody can tell, and of no rows.
pub(super) fn without_any(
    snapshot: &Snapshot,
    rows: impl IntoIterator<Item = RowRef>,
) -> Option<NoIdentity> {
    let mut rows = rows.into_iter();
    let first = without(snapshot, rows.next()?)?;
    rows.all(|it| without(snapshot, it).is_some())
        .then_some(first)
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    fix::remove_comment(snapshot, &finding.place)
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check, check_action};

    #[test]
    fn where_no_instance_has_an_identity_anyhow() {
        let text = r#"
#- a/main.tf
# gantrycd:resource-identity: ignore=true
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unused-ignore: This comment opts nothing out: without it aws_route_table_association.r[0] has no identity either, since the state records no arn.
resource "aws_route_table_association" "r" {
  count = 2
}
resource "aws_iam_policy" "é" { # gantrycd:resource-identity: ignore=true
                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unused-ignore: nobody owns
}
data "aws_vpc" "v" {
  # gantrycd:resource-identity: ignore=true
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unused-ignore
}
resource "google_thing" "g" {} # gantrycd:resource-identity: ignore=true
                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unused-ignore: no identity rule
#- a/terraform.tfstate
aws_route_table_association.r[0] untaggable
aws_route_table_association.r[1] untaggable
aws_iam_policy.é arn=arn:aws:iam::aws:policy/ReadOnlyAccess
data.aws_vpc.v untaggable
google_thing.g arn=x provider=registry.terraform.io/hashicorp/google
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        assert!(findings.iter().all(|it| it.is_unnecessary));
    }

    #[test]
    fn in_a_module_only_where_no_stack_has_use_of_it() {
        let stack = |name: &str, arn: &str| {
            format!(
                "#- {name}/main.tf\nmodule \"m\" {{\n  source = \"../m\"\n}}\n#- {name}/terraform.tfstate\nmodule.m.aws_sqs_queue.q {arn}\n"
            )
        };
        let module = |mark: &str| {
            format!(
                "#- m/main.tf\n# gantrycd:resource-identity: ignore=true\n{mark}resource \"aws_sqs_queue\" \"q\" {{}}\n"
            )
        };
        let mark = "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unused-ignore\n";
        check(&[stack("a", ""), stack("b", ""), module(mark)].concat());
        let arn = "arn=arn:aws:sqs:eu-west-1:111122223333:q";
        check(&[stack("a", ""), stack("b", arn), module("")].concat());
    }

    #[test]
    fn silent_where_it_does_something_or_may() {
        check(
            r#"
#- main.tf
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "used" {}
# gantrycd:resource-identity: ignore=true
data "aws_sqs_queue" "looks_up" {}
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "without_a_row" {}
# gantrycd:resource-identity: ignore=true
resource "aws_route" "will_be_declared" {
  tags = { "gantrycd:resource-identity" = "x" }
}
# gantrycd:resource-identity: ignore=true
resource "aws_route" "perhaps" {
  tags = var.tags
}
# gantrycd:resource-identity: ignore=false
resource "aws_route" "explicitly_not" {}
#- terraform.tfstate
aws_sqs_queue.used arn=arn:aws:sqs:eu-west-1:111122223333:q
data.aws_sqs_queue.looks_up arn=arn:aws:sqs:eu-west-1:111122223333:r
aws_route.will_be_declared
aws_route.perhaps
aws_route.explicitly_not untaggable
"#,
        );
    }

    #[test]
    fn the_comment_goes_and_what_stands_beside_it_stays() {
        let state = "\n#- terraform.tfstate\naws_route.r untaggable\n";
        for (before, after) in [
            (
                "# gantrycd:resource$0-identity: ignore=true\r\nresource \"aws_route\" \"r\" {}\r\n",
                "resource \"aws_route\" \"r\" {}\r\n",
            ),
            (
                "\u{feff}# é\n  # gantrycd:resource-identity: ignore=true$0\n# tflint-ignore: x\nresource \"aws_route\" \"r\" {}\n",
                "\u{feff}# é\n# tflint-ignore: x\nresource \"aws_route\" \"r\" {}\n",
            ),
            (
                "resource \"aws_route\" \"r\" { # $0gantrycd:resource-identity: ignore=true\n}\n",
                "resource \"aws_route\" \"r\" {\n}\n",
            ),
            (
                "/* $0gantrycd:resource-identity: ignore=true */\nresource \"aws_route\" \"r\" {}\n",
                "resource \"aws_route\" \"r\" {}\n",
            ),
            (
                "# tfsec:ignore:x $0gantrycd:resource-identity: ignore=true # shared\nresource \"aws_route\" \"r\" {}\n",
                "# tfsec:ignore:x # shared\nresource \"aws_route\" \"r\" {}\n",
            ),
            (
                "/*\n * a\n * $0gantrycd:resource-identity: ignore=true\n */\nresource \"aws_route\" \"r\" {}\n",
                "/*\n * a\n */\nresource \"aws_route\" \"r\" {}\n",
            ),
            (
                "resource \"aws_route\" \"r\" {\n  /* $0gantrycd:resource-identity: ignore=true */ region = 1\n}\n",
                "resource \"aws_route\" \"r\" {\n  region = 1\n}\n",
            ),
        ] {
            check_action(
                &format!("#- main.tf\n{before}{state}"),
                "Remove",
                &format!("{after}\n"),
            );
        }
    }
}
