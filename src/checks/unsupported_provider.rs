//! A gantrycd tag stands on a resource whose provider gantrycd has no identity rule for.
//!
//! The tag does nothing. gantrycd knows hashicorp/aws from the registries of Terraform and of
//! OpenTofu; a mirror of it in another registry is another provider.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! terraform {
//!   required_providers {
//!     aws = {
//!       source = "registry.example.com/hashicorp/aws"
//!     }
//!   }
//! }
//!
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity" = "jobs"
//!     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! terraform {
//!   required_providers {
//!     aws = {
//!       source = "hashicorp/aws"
//!     }
//!   }
//! }
//!
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity" = "jobs"
//!   }
//! }
//! ```

use crate::workspace::{Configured, Place, Snapshot, Stack, is_editable};

use super::{Check, Finding, Looks, Severity, Shares, Wrong, keys, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "unsupported-provider",
    page: include_str!("../../docs/checks/unsupported-provider.md"),
    severity: Severity::Hint,
    looks: Looks::Stack(look, Wrong::told),
    fixes: no_fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    let judge = |configured: &Configured, key: &str, place: &Place| {
        let source = configured.source.as_deref()?;
        let block = stack.resource(configured.site).base().block();
        let does_nothing = !snapshot.registry.supports(source) && !block.ignored;
        does_nothing.then(|| finding(snapshot, stack, key, source, place))
    };
    keys::judge(stack, shares, keys::declared, judge);
    for provider in &stack.providers {
        let source = provider.source.as_deref();
        let Some(source) = source.filter(|it| !snapshot.registry.supports(it)) else {
            continue;
        };
        for (key, tag) in provider.tags.both() {
            let written = tag.key.as_ref().filter(|_| !tag.is_absent());
            let here = written.filter(|it| keys::is_within(&provider.block, it));
            if let Some(place) = here.filter(|it| is_editable(&it.path)) {
                shares.tell(finding(snapshot, stack, key, source, place));
            }
        }
    }
}

fn finding(snapshot: &Snapshot, stack: &Stack, key: &str, source: &str, place: &Place) -> Finding {
    let sources = snapshot.registry.sources().join(" and ");
    let message = format!(
        "{key} does nothing here: gantrycd has no identity rule for the provider {source}. It \
         knows {sources}."
    );
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    finding.stack = Some(stack.name.clone());
    finding
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TWO_STACKS, check};

    #[test]
    fn on_other_providers_and_on_mirrors() {
        check(
            r#"
#- main.tf
terraform {
  required_providers {
    mirror = { source = "registry.example.com/hashicorp/aws" }
  }
}
provider "mirror" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "é" }
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
  }
}
resource "azurerm_storage_account" "s" {
  tags = {
    "gantrycd:resource-identity"       = "x"
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider: gantrycd:resource-identity does nothing here: gantrycd has no identity rule for the provider registry.terraform.io/hashicorp/azurerm. It knows registry.terraform.io/hashicorp/aws and registry.opentofu.org/hashicorp/aws.
    "gantrycd:resource-identity-realm" = var.realm
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
  }
}
resource "aws_sqs_queue" "q" {
  provider = mirror
  tags     = { "gantrycd:resource-identity" = "x" }
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider: registry.example.com/hashicorp/aws
}
"#,
        );
    }

    #[test]
    fn at_the_tags_argument_where_the_key_stands_elsewhere() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
locals {{
  tags = {{ "gantrycd:resource-identity" = "x" }}
}}
resource "aws_sqs_queue" "of_use" {{
  tags = local.tags
}}
resource "azurerm_storage_account" "s" {{
  tags = local.tags
         ^^^^^^^^^^ unsupported-provider
}}
"#
        ));
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"resource": {"google_thing": {"q": {"tags": {"gantrycd:resource-identity": "x"}}}}}
                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
"#,
        );
    }

    #[test]
    fn silent_where_the_provider_is_listed_or_nobody_knows_it() {
        check(
            r#"
#- main.tf
terraform {
  required_providers {
    aws  = { source = "Registry.OpenTofu.org/HashiCorp/AWS" }
    some = { source = local.source }
  }
}
resource "aws_sqs_queue" "listed" {
  tags = { "gantrycd:resource-identity" = "x" }
}
resource "some_thing" "unknown" {
  tags = { "gantrycd:resource-identity" = "x" }
}
resource "azurerm_thing" "other_tags" {
  tags = { Name = "gantrycd:resource-identity" }
}
# gantrycd:resource-identity: ignore=true
resource "azurerm_thing" "ignored" {
  tags = { "gantrycd:resource-identity" = "x" }
}
data "azurerm_thing" "data" {
  tags = { "gantrycd:resource-identity" = "x" }
}
"#,
        );
    }
}
