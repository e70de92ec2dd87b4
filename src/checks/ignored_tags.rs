//! A gantrycd tag never reaches the state, or an edit of one is never applied.
//!
//! What `ignore_tags` of the provider names is taken out before the state is written: gantrycd does
//! not see it. What `ignore_changes` of the resource names stays as the state has it, whatever the
//! configuration says.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! provider "aws" {
//!   region = "eu-west-1"
//!
//!   ignore_tags {
//!     key_prefixes = ["gantrycd:"]
//!   }
//! }
//!
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity-realm" = "localstack-alice"
//!     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! provider "aws" {
//!   region = "eu-west-1"
//!
//!   ignore_tags {
//!     key_prefixes = ["kubernetes.io/"]
//!   }
//! }
//!
//! resource "aws_sqs_queue" "jobs" {
//!   tags = {
//!     "gantrycd:resource-identity-realm" = "localstack-alice"
//!   }
//! }
//! ```

use crate::identity::IDENTITY_TAG;
use crate::workspace::{
    Configured, ConfiguredProvider, IgnoredTags, Place, Snapshot, Stack, is_editable,
};

use super::{Check, Finding, Looks, Related, Severity, Shares, Wrong, keys, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "ignored-tags",
    page: include_str!("../../docs/checks/ignored-tags.md"),
    severity: Severity::Warning,
    looks: Looks::Stack(look, Wrong::told),
    fixes: no_fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    let judge = |configured: &Configured, key: &str, place: &Place| {
        if !keys::are_read(snapshot, stack, configured) {
            return None;
        }
        let hidden = hidden(&configured.ignored, key, place);
        let mut finding = hidden.or_else(|| never_applied(stack, configured, key, place))?;
        finding.stack = Some(stack.name.clone());
        finding.address = configured.row.map(|row| stack.address(row).to_string());
        Some(finding)
    };
    keys::judge(stack, shares, keys::declared, judge);
    for provider in &stack.providers {
        for mut finding in in_default_tags(snapshot, provider) {
            finding.stack = Some(stack.name.clone());
            shares.tell(finding);
        }
    }
}

/// Keys in the default tags of a provider that the same provider ignores.
fn in_default_tags(snapshot: &Snapshot, provider: &ConfiguredProvider) -> Vec<Finding> {
    if !snapshot.supports(provider.source.as_deref()) {
        return Vec::new();
    }
    let both = provider.tags.both().into_iter();
    let found = both.filter_map(|(key, tag)| {
        let written = tag.key.as_ref().filter(|_| !tag.is_absent())?;
        // what stands elsewhere may reach others
        let here = keys::is_within(&provider.block, written) && is_editable(&written.path);
        hidden(&provider.ignored, key, written).filter(|_| here)
    });
    found.collect()
}

fn hidden(ignored: &IgnoredTags, key: &str, place: &Place) -> Option<Finding> {
    let (entry, written) = ignored.hiding(key)?;
    let message = format!(
        "{key} does nothing here: ignore_tags of the provider keeps {entry:?} from the state, and \
         gantrycd never sees it."
    );
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    finding.related.extend(written.map(|place| Related {
        message: "ignore_tags names it here".to_owned(),
        place: place.clone(),
    }));
    Some(finding)
}

/// An edit of the resource's own tag that `ignore_changes` holds back.
fn never_applied(
    stack: &Stack,
    configured: &Configured,
    key: &str,
    place: &Place,
) -> Option<Finding> {
    let record = stack.record(configured.row?)?;
    let attributes = &record.row.attributes;
    if record.stated().is_some() || attributes.tags_all.is_none() {
        return None;
    }
    let own = attributes.tags.as_deref().cloned().unwrap_or_default();
    let (recorded, planned) = match key {
        IDENTITY_TAG => (own.identity, configured.own.identity.text()?),
        _ => (own.realm, configured.own.realm.text()?),
    };
    if recorded.as_deref() == Some(planned) {
        return None;
    }
    let resource = stack.resource(configured.site);
    let entry = resource.ignored_change("tags", key)?;
    let has = match &recorded {
        Some(recorded) => format!("{recorded:?}"),
        None => "no such tag".to_owned(),
    };
    let message = format!(
        "The value {planned:?} of {key} is never applied: ignore_changes keeps what the state of \
         {} has, {has}, and gantrycd goes by that.",
        stack.name
    );
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    finding.related.push(Related {
        message: "ignore_changes names it here".to_owned(),
        place: Place {
            path: entry.file.path.clone(),
            span: entry.value.span,
        },
    });
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check};

    #[test]
    fn what_the_provider_ignores() {
        let text = r#"
#- keys/main.tf
locals {
  realm = "gantrycd:resource-identity-realm"
}
provider "aws" {
  default_tags {
    tags = {
      "gantrycd:resource-identity-realm" = "é"
      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags: gantrycd:resource-identity-realm does nothing here: ignore_tags of the provider keeps "gantrycd:resource-identity-realm" from the state, and gantrycd never sees it.
    }
  }
  ignore_tags {
    keys = [local.realm, "Name"]
  }
}
resource "aws_sqs_queue" "q" {
  tags = {
    "gantrycd:resource-identity"       = "x"
    "gantrycd:resource-identity-realm" = var.realm
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags
  }
}
#- prefixes/main.tf
provider "aws" {
  alias = "west"
  ignore_tags {
    key_prefixes = ["gantrycd"]
  }
}
resource "aws_sqs_queue" "west" {
  provider = aws.west
  tags     = { "gantrycd:resource-identity" = "x" }
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags: keeps "gantrycd" from the state
}
resource "aws_sqs_queue" "default" {
  tags = { "gantrycd:resource-identity" = "x" }
}
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        assert!(findings.iter().all(|it| it.related.len() == 1));
    }

    #[test]
    fn in_a_module_that_two_stacks_use() {
        let stack = |name: &str, ignore: &str| {
            format!(
                "#- {name}/main.tf\nprovider \"aws\" {{\n  ignore_tags {{\n    {ignore}\n  }}\n}}\nmodule \"m\" {{\n  source = \"../m\"\n}}\n"
            )
        };
        let module = |mark: &str| {
            format!(
                "#- m/main.tf\nresource \"aws_sqs_queue\" \"q\" {{\n  tags = {{ \"gantrycd:resource-identity\" = \"null\" }}\n{mark}}}\n"
            )
        };
        let ours = "keys = [\"gantrycd:resource-identity\"]";
        let mark = "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags\n";
        check(&[stack("a", ours), stack("b", ours), module(mark)].concat());
        // of use to one of them
        check(&[stack("a", ours), stack("b", ""), module("")].concat());
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"provider": {"aws": {"ignore_tags": {"keys": ["gantrycd:resource-identity"]}}}, "resource": {"aws_sqs_queue": {"q": {"tags": {
  "gantrycd:resource-identity": "x"
  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags
}}}}}
"#,
        );
    }

    #[test]
    fn an_edit_that_is_never_applied() {
        for ignored in [
            "[tags]",
            "all",
            "[name, tags[\"gantrycd:resource-identity\"]]",
            "[\"tags\"]",
            "[\"tags[\\\"gantrycd:resource-identity\\\"]\"]",
        ] {
            check(&format!(
                r#"
#- main.tf
resource "aws_sqs_queue" "new" {{
  tags = {{ "gantrycd:resource-identity" = "x" }}
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags: The value "x" of gantrycd:resource-identity is never applied: ignore_changes keeps what the state of . has, no such tag, and gantrycd goes by that.
  lifecycle {{
    ignore_changes = {ignored}
  }}
}}
resource "aws_sqs_queue" "changed" {{
  tags = {{ "gantrycd:resource-identity" = "y" }}
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ignored-tags: has, "x", and
  lifecycle {{
    ignore_changes = {ignored}
  }}
}}
resource "aws_sqs_queue" "same" {{
  tags = {{ "gantrycd:resource-identity" = "z" }}
  lifecycle {{
    ignore_changes = {ignored}
  }}
}}
resource "aws_sqs_queue" "not_there_yet" {{
  tags = {{ "gantrycd:resource-identity" = "w" }}
  lifecycle {{
    ignore_changes = {ignored}
  }}
}}
#- terraform.tfstate
aws_sqs_queue.new arn=arn:aws:sqs:eu-west-1:111122223333:new
aws_sqs_queue.changed id=x
aws_sqs_queue.same id=z
"#
            ));
        }
    }

    #[test]
    fn silent_where_it_reaches_the_state_or_nobody_can_tell() {
        for ignored in [
            "keys = [\"Name\"]",
            "key_prefixes = [\"gantrycd:resource-identity-realm:\"]",
            "keys = var.keys",
            "",
        ] {
            check(&format!(
                "#- main.tf\nprovider \"aws\" {{\n  ignore_tags {{\n    {ignored}\n  }}\n}}\nresource \"aws_sqs_queue\" \"q\" {{\n  tags = {{ \"gantrycd:resource-identity\" = \"x\" }}\n}}\n"
            ));
        }
        for ignored in ["[name]", "[tags_all]", "[tags[\"Name\"]]", "[tags.Name]"] {
            check(&format!(
                "#- main.tf\nresource \"aws_sqs_queue\" \"q\" {{\n  tags = {{ \"gantrycd:resource-identity\" = \"x\" }}\n  lifecycle {{\n    ignore_changes = {ignored}\n  }}\n}}\n#- terraform.tfstate\naws_sqs_queue.q id=y\n"
            ));
        }
    }
}
