//! An id stands in a provider's `default_tags`.
//!
//! Every resource of the provider would be one and the same object. gantrycd refuses it: none of
//! the resources that inherit it has an identity. A realm may stand there, and so may `"null"`, which
//! opts out the whole stack.
//!
//! # Example
//!
//! ```hcl
//! #- network/main.tf
//! provider "aws" {
//!   default_tags {
//!     tags = {
//!       "gantrycd:resource-identity" = "net/main"
//!                                       ^^^^^^^^ identity-in-default-tags: The id "net/main"
//!     }
//!   }
//! }
//!
//! resource "aws_vpc" "main" {
//!   cidr_block = "10.0.0.0/16"
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- network/main.tf
//! provider "aws" {}
//!
//! resource "aws_vpc" "main" {
//!   cidr_block = "10.0.0.0/16"
//!   tags = {
//!     "gantrycd:resource-identity" = "net/main"
//!   }
//! }
//! ```

use crate::identity::opts_out;
use crate::workspace::{Snapshot, header, is_editable};

use super::{Check, Finding, Looks, Related, Severity, Shares, Wrong, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "identity-in-default-tags",
    page: include_str!("../../docs/checks/identity-in-default-tags.md"),
    severity: Severity::Error,
    looks: Looks::Stack(look, Wrong::told),
    fixes: no_fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    for provider in &stack.providers {
        let supported = snapshot.supports(provider.source.as_deref());
        let tag = &provider.tags.identity;
        let id = tag.text().filter(|it| supported && !opts_out(it));
        let Some((id, place)) = id.zip(tag.place()) else {
            continue;
        };
        let block = header(&provider.block);
        let place = match is_editable(&place.path) {
            true => place,
            false => &block,
        };
        let message = format!(
            "The id {id:?} in default_tags would name every resource of this provider: gantrycd \
             refuses it and gives none of them an identity."
        );
        let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
        finding.stack = Some(stack.name.clone());
        let related = Related {
            message: "the provider configuration that gives it to its resources".into(),
            place: block,
        };
        shares.add(finding, vec![related]);
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{TWO_STACKS, check};

    #[test]
    fn an_id_names_one_resource_only() {
        check(
            r#"
#- main.tf
provider "aws" {
  default_tags {
    tags = {
      "gantrycd:resource-identity" = "net/a"
                                      ^^^^^ identity-in-default-tags: The id "net/a" in default_tags would name every resource of this provider: gantrycd refuses it and gives none of them an identity.
    }
  }
}
"#,
        );
    }

    #[test]
    fn an_opt_out_of_the_whole_stack_is_none() {
        check(
            r#"
#- a/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity" = "null" }
  }
}
#- b/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity" = "" }
  }
}
#- c/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity" = null }
                                            ^^^^ bare-null
  }
}
#- d/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity" = local.id }
  }
}
#- e/main.tf
provider "aws" {
  default_tags {
    tags = local.tags
  }
}
provider "google" {
  default_tags {
    tags = { "gantrycd:resource-identity" = "x" }
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unsupported-provider
  }
}
"#,
        );
    }

    #[test]
    fn through_evaluation_and_once_for_two_stacks() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
locals {{
  common = {{ Team = "x" }}
  id     = "é"
            ^ identity-in-default-tags: The id "é"
}}
provider "aws" {{
  default_tags {{
    tags = merge(local.common, {{ "gantrycd:resource-identity" = local.id }})
  }}
}}
"#
        ));
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"provider": {"aws": {"default_tags": {"tags": {"gantrycd:resource-identity": "net/a"}}}}}
                                                                               ^^^^^ identity-in-default-tags
"#,
        );
    }
}
