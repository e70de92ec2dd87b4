//! An id stands in a provider's `default_tags`.
//!
//! Every resource of the provider would be one and the same object. gantrycd refuses it: none of
//! the resources that inherit it has an identity.

use crate::identity::{IDENTITY_TAG, opts_out};
use crate::workspace::{Place, Snapshot, default_tags};

use super::{Check, Finding, Related, Severity};

pub(super) const CHECK: Check = Check {
    code: "identity-in-default-tags",
    severity: Severity::Error,
    run,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for (file, provider, uses) in snapshot.providers() {
        let tags = default_tags(provider);
        let Some((id, span)) = tags.known(IDENTITY_TAG).filter(|(id, _)| !opts_out(id)) else {
            continue;
        };
        let message = format!(
            "The id {id:?} in default_tags would name every resource of this provider: gantrycd \
             refuses it and gives none of them an identity."
        );
        let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
        finding.stack = uses
            .first()
            .map(|it| snapshot.stacks[it.stack].name.clone());
        finding.related.push(Related {
            message: "the provider configuration that gives it to its resources".into(),
            place: Place {
                path: file.path.clone(),
                span: provider.header,
            },
        });
        findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::check;

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
  }
}
"#,
        );
    }
}
