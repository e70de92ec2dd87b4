//! The stack's `default_tags` declare a realm or opt out, and this resource takes no tags.
//!
//! The declaration never reaches it: it asserts its bare ARN all the same, without the realm that
//! everything around it has. Two emulators, say, then seem to manage one object.
//!
//! # Example
//!
//! ```hcl
//! #- emulators/alice/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = {
//!       "gantrycd:resource-identity-realm" = "localstack-alice"
//!     }
//!   }
//! }
//!
//! resource "aws_kms_alias" "app" {
//! ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: The realm localstack-alice
//!   name = "alias/app"
//! }
//! #- emulators/alice/terraform.tfstate
//! aws_kms_alias.app arn=arn:aws:kms:eu-west-1:000000000000:alias/app untaggable
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- emulators/alice/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = {
//!       "gantrycd:resource-identity-realm" = "localstack-alice"
//!     }
//!   }
//! }
//!
//! # gantrycd:resource-identity: ignore=true
//! resource "aws_kms_alias" "app" {
//!   name = "alias/app"
//! }
//! ```

use std::path::Path;

use crate::config::Declared;
use crate::identity::{Origin, Realm, opts_out};
use crate::workspace::tag_support::{self, Evidence, Takes};
use crate::workspace::{Place, RowRef, Snapshot, header};

use super::{Check, Finding, Fix, Looks, Related, Severity, Shares, Wrong, fix};

pub(super) const CHECK: Check = Check {
    code: "declaration-does-not-reach",
    page: include_str!("../../docs/checks/declaration-does-not-reach.md"),
    severity: Severity::Information,
    looks: Looks::Stack(look, Wrong::told),
    fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    for row in 0..snapshot.stacks[stack].rows.len() {
        let row = RowRef { stack, row };
        if let Some(finding) = finding(snapshot, row) {
            match snapshot.row(row).site {
                Some(site) => {
                    let block = header(snapshot.stack(row).resource(site).base());
                    shares.tell_about(finding, block);
                }
                None => shares.tell(finding),
            }
        }
    }
}

/// A declaration of default tags that does not reach a row.
pub struct Unreached {
    /// `realm x`, or `opt-out`.
    pub declaration: String,
    /// Where it is written.
    pub place: Place,
    /// How the row's type takes tags.
    pub takes: Takes,
    /// What says so.
    pub evidence: Evidence,
    provider: Box<str>,
}

/// The declaration that the row would have if its type took tags. `None` where it has none, or
/// where it has an identity of its own making or none at all.
pub fn unreached(snapshot: &Snapshot, at: RowRef) -> Option<Unreached> {
    let row = snapshot.row(at);
    let identity = row.claim.as_ref().ok()?;
    if identity.origin != Origin::Discovered || identity.realm.is_some() {
        return None;
    }
    let stack = snapshot.stack(at);
    let address = snapshot.address(at);
    let source = &stack.record(at.row)?.row.provider;
    let (takes, evidence) = tag_support::untaggable(stack, &address.resource_type, source)?;
    let configured = &stack.configured[row.configured?];
    let provider = configured.provider.as_ref()?;
    let default = &configured.default;
    let opts_out = default.identity.text().is_some_and(opts_out);
    let realm = default.realm.text().filter(|it| Realm::parse(it).is_ok());
    let (declaration, tag) = match (opts_out, realm) {
        (true, _) => ("opt-out".to_owned(), &default.identity),
        (false, Some(realm)) => (format!("realm {realm}"), &default.realm),
        (false, None) => return None,
    };
    Some(Unreached {
        declaration,
        place: tag.place().cloned().unwrap_or_else(|| header(provider)),
        takes,
        evidence,
        provider: provider.block().label()?.into(),
    })
}

fn finding(snapshot: &Snapshot, at: RowRef) -> Option<Finding> {
    let unreached = unreached(snapshot, at)?;
    let shown = snapshot.place(at)?;
    let row = snapshot.row(at);
    let address = snapshot.address(at);
    let message = format!(
        "The {} of default_tags does not reach {address}: {} {} ({}). gantrycd gives it \
         the identity {}, without a realm.",
        unreached.declaration,
        address.resource_type,
        unreached.takes,
        unreached.evidence,
        row.claim.as_ref().ok()?.id
    );
    let mut finding = Finding::new(CHECK.severity, &shown.path, shown.span, message);
    finding.rests_on = vec![at.stack];
    finding.related.push(Related {
        message: format!(
            "the {} of provider {:?}",
            unreached.declaration, unreached.provider
        ),
        place: unreached.place,
    });
    Some(finding.about(snapshot, at))
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let all = ignore_all(snapshot, &finding.place.path);
    fix::ignore_block(snapshot, finding)
        .into_iter()
        .chain(all)
        .collect()
}

/// Ignores every resource of a file that a declaration does not reach. `None` where these are not
/// several.
fn ignore_all(snapshot: &Snapshot, path: &Path) -> Option<Fix> {
    let file = snapshot.file(path)?;
    let mut edits = Vec::new();
    for block in file.blocks() {
        let mut rows = snapshot.rows_of(file, block.id).into_iter();
        if rows.any(|it| unreached(snapshot, it).is_some()) {
            let one = fix::ignore_comment(&Declared::new(file, block.id));
            edits.extend(one.into_iter().flat_map(|it| it.edits));
        }
    }
    (edits.len() > 1).then(|| Fix {
        title: format!(
            "Ignore all {} resources of this file that the declaration does not reach",
            edits.len()
        ),
        edits,
        is_safe: false,
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check, check_action};

    const EMULATOR: &str = r#"
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "emu" }
  }
}
"#;

    #[test]
    fn a_realm_that_an_untaggable_resource_does_not_get() {
        let text = format!(
            r#"
#- main.tf
{EMULATOR}
resource "aws_kms_alias" "a" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: The realm emu of default_tags does not reach aws_kms_alias.a[0]: aws_kms_alias takes no tags (as aws_kms_alias.a[0] in this stack's state shows). gantrycd gives it the identity arn:aws:kms:us-east-1:000000000000:alias/a0, without a realm.
  count = 2
}}
resource "aws_sqs_queue" "q" {{}}
resource "aws_ses_domain_identity_verification" "no_identity" {{}}
resource "aws_kms_alias" "never_applied" {{}}
#- terraform.tfstate
aws_kms_alias.a[0] arn=arn:aws:kms:us-east-1:000000000000:alias/a0 untaggable
aws_kms_alias.a[1] arn=arn:aws:kms:us-east-1:000000000000:alias/a1 untaggable
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:000000000000:q all-realm=emu
aws_ses_domain_identity_verification.no_identity arn=arn:aws:ses:us-east-1:000000000000:identity/d untaggable
"#
        );
        check(&text);
        let findings = crate::checks::run(&Fixture::new(&text).snapshot(), &Default::default());
        assert_eq!(
            findings[0].related[0].message,
            "the realm emu of provider \"aws\""
        );
    }

    #[test]
    fn an_opt_out_that_it_does_not_get() {
        check(
            r#"
#- main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity" = "null" }
  }
}
resource "aws_kms_alias" "a" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: The opt-out of default_tags does not reach aws_kms_alias.a
#- terraform.tfstate
aws_kms_alias.a arn=arn:aws:kms:us-east-1:000000000000:alias/a untaggable
"#,
        );
    }

    #[test]
    fn silent_without_a_declaration_that_would_reach_it() {
        let row = "aws_kms_alias.a arn=arn:aws:kms:us-east-1:111122223333:alias/a untaggable";
        let alias = r#"resource "aws_kms_alias" "a" {}"#;
        for configuration in [
            alias.to_owned(),
            format!("provider \"aws\" {{}}\n{alias}"),
            // not known
            format!("{}{alias}", EMULATOR.replace("\"emu\"", "var.realm")),
            format!("{EMULATOR}# gantrycd:resource-identity: ignore=true\n{alias}"),
            // another configuration of the provider
            format!("{EMULATOR}resource \"aws_kms_alias\" \"a\" {{\n  provider = aws.live\n}}"),
        ] {
            check(&format!(
                "#- main.tf\n{configuration}\n#- terraform.tfstate\n{row}\n"
            ));
        }
    }

    #[test]
    fn by_alias_and_through_the_providers_of_a_module_call() {
        let emu = "provider \"aws\" {\n  alias = \"emu\"\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = \"emu\" }\n  }\n}";
        check(&format!(
            r#"
#- a/main.tf
{emu}
resource "aws_kms_alias" "direct" {{
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: reach aws_kms_alias.direct
  provider = aws.emu
}}
resource "aws_kms_alias" "default" {{}}
module "passed" {{
  source    = "../m"
  providers = {{ aws = aws.emu }}
}}
#- a/terraform.tfstate
aws_kms_alias.direct arn=arn:aws:kms:us-east-1:111122223333:alias/direct untaggable
aws_kms_alias.default arn=arn:aws:kms:us-east-1:111122223333:alias/default untaggable
module.passed.aws_kms_alias.a arn=arn:aws:kms:us-east-1:111122223333:alias/passed untaggable
#- m/main.tf
resource "aws_kms_alias" "a" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: reach module.passed.aws_kms_alias.a
#- c/main.tf
{emu}
module "inherits_the_default_only" {{
  source = "../n"
}}
#- c/terraform.tfstate
module.inherits_the_default_only.aws_kms_alias.a arn=arn:aws:kms:us-east-1:111122223333:alias/n untaggable
#- n/main.tf
resource "aws_kms_alias" "a" {{}}
"#
        ));
    }

    #[test]
    fn an_empty_provider_block_of_a_called_module_passes_on_the_callers() {
        check(&format!(
            r#"
#- a/main.tf
{EMULATOR}
module "m" {{
  source    = "../m"
  providers = {{ aws = aws }}
}}
#- a/terraform.tfstate
module.m.aws_kms_alias.a arn=arn:aws:kms:us-east-1:000000000000:alias/a untaggable
#- m/main.tf
provider "aws" {{}}
resource "aws_kms_alias" "a" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: realm emu
"#
        ));
    }

    /// A module that says this, called with this, whose alias `a` the realm does or does not reach.
    fn called(call: &str, module: &str, reaches: bool) {
        let finding = match reaches {
            true => "^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: realm emu",
            false => "",
        };
        check(&format!(
            r#"
#- a/main.tf
{EMULATOR}
provider "aws" {{
  alias = "live"
}}
module "m" {{
  source = "../m"
  {call}
}}
#- a/terraform.tfstate
module.m.aws_kms_alias.a arn=arn:aws:kms:us-east-1:111122223333:alias/a untaggable
#- m/main.tf
{module}
resource "aws_kms_alias" "a" {{}}
{finding}
"#
        ));
    }

    #[test]
    fn the_default_configuration_is_inherited_beside_those_that_are_passed() {
        let module = "terraform {\n  required_providers {\n    aws = {\n      \
            source                = \"hashicorp/aws\"\n      \
            configuration_aliases = [aws.other]\n    }\n  }\n}";
        called("providers = {}", "", true);
        called("providers = { aws.other = aws.live }", module, true);
        called("providers = { google = google }", module, true);
        called("providers = { aws = aws.live }", module, false);
        // what is passed cannot be told
        called(
            "providers = { aws.other = aws.live, (x) = aws }",
            module,
            false,
        );
        called("providers = var.providers", module, false);
        let source = module.replace("\"hashicorp/aws\"", "var.source");
        called("providers = { aws.other = aws.live, }", &source, false);
    }

    #[test]
    fn an_empty_provider_block_that_stands_for_nothing_is_the_modules_own() {
        let empty = "provider \"aws\" {}";
        called("providers = { aws = aws }", empty, true);
        called("", empty, false);
        called("providers = {}", empty, false);
        called("providers = { aws.other = aws }", empty, false);
        called("", "provider \"aws\" {\n  alias = \"other\"\n}", true);
    }

    #[test]
    fn by_an_instance_of_a_provider_configuration() {
        check(
            r#"
#- main.tf
provider "aws" {
  alias    = "emu"
  for_each = { alice = "realm-a", bob = "b/b" }
                                         ^^^ malformed-realm
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = each.value }
  }
}
resource "aws_kms_alias" "alice" {
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: realm realm-a
  provider = aws.emu["alice"]
}
resource "aws_kms_alias" "bob" {
  provider = aws.emu["bob"]
}
resource "aws_kms_alias" "any" {
  for_each = toset(["alice"])
  provider = aws.emu[each.key]
}
#- terraform.tfstate
aws_kms_alias.alice arn=arn:aws:kms:us-east-1:000000000000:alias/alice untaggable
aws_kms_alias.bob arn=arn:aws:kms:us-east-1:000000000000:alias/bob untaggable
aws_kms_alias.any["alice"] arn=arn:aws:kms:us-east-1:000000000000:alias/any untaggable
"#,
        );
    }

    #[test]
    fn all_of_a_file_at_once() {
        let state = "#- terraform.tfstate\naws_kms_alias.a arn=arn:aws:kms:us-east-1:111122223333:alias/a untaggable\naws_kms_alias.b arn=arn:aws:kms:us-east-1:111122223333:alias/b untaggable\n";
        let alias = |name: &str, above: &str| {
            format!("{above}resource \"aws_kms_alias\" \"{name}\" {{}}\n")
        };
        let comment = "# gantrycd:resource-identity: ignore=true\n";
        check_action(
            &format!(
                "#- main.tf\n{EMULATOR}{}{}{state}",
                alias("$0a", "# é\n"),
                alias("b", "")
            ),
            "Ignore all 2 resources of this file that the declaration does not reach",
            &format!(
                "{EMULATOR}{}{}",
                alias("a", &format!("{comment}# é\n")),
                alias("b", comment)
            ),
        );
    }

    #[test]
    fn the_fix() {
        check_action(
            &format!(
                "#- main.tf\n{EMULATOR}\nresource \"aws_kms_alias\" \"a$0\" {{}}\n#- terraform.tfstate\naws_kms_alias.a arn=arn:aws:kms:us-east-1:000000000000:alias/a untaggable\n"
            ),
            "Ignore ",
            &format!(
                "{EMULATOR}\n# gantrycd:resource-identity: ignore=true\nresource \"aws_kms_alias\" \"a\" {{}}\n"
            ),
        );
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"provider": {"aws": {"default_tags": {"tags": {"gantrycd:resource-identity-realm": "emu"}}}}, "resource": {"aws_kms_alias": {"é": {}}}}
                                                                                                                              ^^^ declaration-does-not-reach: The realm emu
#- terraform.tfstate
aws_kms_alias.é arn=arn:aws:kms:us-east-1:000000000000:alias/a untaggable
"#,
        );
    }

    #[test]
    fn in_a_module_of_two_stacks_with_the_first_of_them() {
        let stack = |name: &str| {
            format!(
                "#- {name}/main.tf\n{EMULATOR}module \"m\" {{\n  source = \"../m\"\n}}\n#- {name}/terraform.tfstate\nmodule.m.aws_kms_alias.a arn=arn:aws:kms:us-east-1:000000000000:alias/{name} untaggable\n"
            )
        };
        let module = "#- m/main.tf\nresource \"aws_kms_alias\" \"a\" {}\n^^^^^^^^^^^^^^^^^^^^^^^^^^^^ declaration-does-not-reach: alias/a,\n";
        check(&[&stack("a"), &stack("b"), module].concat());
    }
}
