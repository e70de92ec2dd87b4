//! A declared id or realm is sensitive.
//!
//! Terraform hides a sensitive value, and gantrycd sees `(sensitive value)` in its place. As an id
//! that is what it takes it for: all resources with such an id are one object. As a realm it does
//! not parse, and the resource has no identity.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! variable "network" {
//!   type      = string
//!   sensitive = true
//! }
//!
//! resource "aws_vpc" "main" {
//!   tags = {
//!     "gantrycd:resource-identity" = "net/${var.network}"
//!                                    ^^^^^^^^^^^^^^^^^^^^ sensitive-declaration
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! variable "network" {
//!   type = string
//! }
//!
//! resource "aws_vpc" "main" {
//!   tags = {
//!     "gantrycd:resource-identity" = "net/${var.network}"
//!   }
//! }
//! ```

use std::path::Path;

use crate::config::{Declared, Module, ModuleFile};
use crate::identity::{IDENTITY_TAG, SENSITIVE};
use crate::syntax::{Expression, ExpressionKind};
use crate::workspace::{IgnoredTags, Place, Said, Snapshot, Stack, Tag, Tags, header, is_editable};

use super::{Check, Finding, Looks, Related, Severity, Shares, Wrong, keys, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "sensitive-declaration",
    page: include_str!("../../docs/checks/sensitive-declaration.md"),
    severity: Severity::Error,
    looks: Looks::Stack(look, Wrong::told),
    fixes: no_fixes,
};

/// References deeper than this are not followed to the variable that is sensitive.
const MAX_DEPTH: usize = 16;

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    let mut add = |key: &str, tag: &Tag, instead: Place, reached: Place| {
        let place = tag.key.as_ref().and_then(|it| value_at(snapshot, it));
        let place = place.unwrap_or(instead);
        if !is_editable(&place.path) {
            return;
        }
        let mut finding = finding(key, &place);
        finding.stack = Some(stack.name.clone());
        finding.related.extend(marked(snapshot, stack, &place));
        let reached = (!is_in(snapshot, &place, &reached)).then(|| Related {
            message: format!("{} has it here", stack.name),
            place: reached,
        });
        shares.add(finding, reached.into_iter().collect());
    };
    for configured in &stack.configured {
        let mut tags = sensitive(&configured.own, &configured.ignored).peekable();
        if tags.peek().is_none() || !keys::are_read(snapshot, stack, configured) {
            continue;
        }
        let resource = stack.resource(configured.site);
        let Some(argument) = resource.attribute("tags") else {
            continue;
        };
        let argument = Place {
            path: argument.file.path.clone(),
            span: argument.value.span,
        };
        for (key, tag) in tags {
            add(key, tag, argument.clone(), header(resource.base()));
        }
    }
    for provider in &stack.providers {
        if snapshot.supports(provider.source.as_deref()) {
            let block = header(&provider.block);
            for (key, tag) in sensitive(&provider.tags, &provider.ignored) {
                add(key, tag, block.clone(), block.clone());
            }
        }
    }
}

/// Those of the two tags that are, and reach the state.
fn sensitive<'a>(
    tags: &'a Tags,
    ignored: &IgnoredTags,
) -> impl Iterator<Item = (&'static str, &'a Tag)> {
    let both = tags.both().into_iter();
    both.filter(|(key, tag)| matches!(tag.value, Said::Sensitive) && !ignored.may_hide(key))
}

/// Whether one place lies in the block that has its header at the other.
fn is_in(snapshot: &Snapshot, place: &Place, block: &Place) -> bool {
    snapshot
        .block_at(place)
        .is_some_and(|it| header(&it) == *block)
}

fn finding(key: &str, place: &Place) -> Finding {
    let consequence = match key {
        IDENTITY_TAG => "takes all resources whose id is hidden for one object",
        _ => "gives no identity to what has it",
    };
    let message = format!(
        "The value of {key} is sensitive: gantrycd sees {SENSITIVE:?} in its place and {consequence}."
    );
    Finding::new(CHECK.severity, &place.path, place.span, message)
}

/// The expression at the key.
fn value_at(snapshot: &Snapshot, key: &Place) -> Option<Place> {
    let found = snapshot.file(&key.path)?.entry_at(key.span)?;
    Some(Place {
        path: key.path.clone(),
        span: found.entry().value.span,
    })
}

/// Where a variable that the expression at `place` refers to is marked as sensitive.
fn marked(snapshot: &Snapshot, stack: &Stack, place: &Place) -> Option<Related> {
    let file = snapshot.file(&place.path)?;
    let tree = stack.tree.as_ref()?;
    let directory = file.path.parent()?;
    let mut nodes = tree.nodes().iter();
    let node = nodes.position(|it| is_of(&it.module, directory))?;
    let expression = expression_at(file, place)?;
    let place = marking(stack, node, &expression, 0)?;
    Some(Related {
        message: "the variable is sensitive".to_owned(),
        place,
    })
}

fn is_of(module: &Module, directory: &Path) -> bool {
    *module.directory == *directory
}

fn expression_at(file: &ModuleFile, place: &Place) -> Option<std::sync::Arc<Expression>> {
    if let Some(found) = file.entry_at(place.span) {
        return Some(found.entry().value.clone().into());
    }
    let body = file.body(file.block_at(place.span.start)?.id);
    let mut attributes = body.attributes.iter().map(|it| &it.value);
    attributes.find(|it| it.span == place.span).cloned()
}

/// Goes through an expression, and through what it refers to, to the first variable that says
/// `sensitive = true`.
fn marking(stack: &Stack, node: usize, expression: &Expression, depth: usize) -> Option<Place> {
    if depth > MAX_DEPTH {
        return None;
    }
    let here = &stack.tree.as_ref()?.nodes()[node];
    if let ExpressionKind::Attribute(source, name) = &expression.kind
        && let ExpressionKind::Variable(root) = &source.kind
    {
        return match &**root {
            "var" => {
                let variable = here.module.variables.get(&name.text)?;
                let says = variable.attribute("sensitive");
                let says = says.filter(|it| matches!(it.value.kind, ExpressionKind::Bool(true)));
                if let Some(says) = says {
                    return place_of(variable.base(), &says.value);
                }
                let (caller, call) = here.caller.as_ref()?;
                let passed = call.attribute(&name.text)?;
                marking(stack, *caller, &passed.value, depth + 1)
            }
            "local" => {
                let local = here.module.local(&name.text)?;
                marking(stack, node, &local.value, depth + 1)
            }
            _ => None,
        };
    }
    let mut parts = expression.parts().into_iter();
    parts.find_map(|it| marking(stack, node, it, depth + 1))
}

/// The line of the block's attribute that has this value.
fn place_of(block: &Declared, value: &Expression) -> Option<Place> {
    let body = block.body();
    let mut attributes = body.attributes.iter();
    let attribute = attributes.find(|it| it.value.span == value.span)?;
    Some(Place {
        path: block.file.path.clone(),
        span: crate::text::Span {
            start: attribute.name.span.start,
            end: value.span.end,
        },
    })
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check};

    #[test]
    fn the_expression_at_the_key() {
        let text = r#"
#- main.tf
variable "secret" {
  sensitive = true
}
variable "plain" {
  default = "x"
}
locals {
  realm = lower(var.secret)
}
resource "aws_vpc" "v" {
  tags = {
    "gantrycd:resource-identity" = var.secret
                                   ^^^^^^^^^^ sensitive-declaration: The value of gantrycd:resource-identity is sensitive: gantrycd sees "(sensitive value)" in its place and takes all resources whose id is hidden for one object.
    "gantrycd:resource-identity-realm" = "é-${local.realm}"
                                         ^^^^^^^^^^^^^^^^^^ sensitive-declaration: gives no identity to what has it.
  }
}
resource "aws_vpc" "function" {
  tags = { "gantrycd:resource-identity" = sensitive("x") }
                                          ^^^^^^^^^^^^^^ sensitive-declaration
}
resource "aws_vpc" "plain" {
  tags = { "gantrycd:resource-identity" = var.plain }
}
resource "aws_vpc" "revealed" {
  tags = { "gantrycd:resource-identity" = nonsensitive(var.secret) }
}
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        let related: Vec<_> = findings.iter().map(|it| it.related.len()).collect();
        assert_eq!(related, [1, 1, 0]);
        assert_eq!(findings[1].related[0].message, "the variable is sensitive");
        assert_eq!(
            findings[1].related[0].place.span,
            crate::text::Span::new(22, 38)
        );
    }

    #[test]
    fn through_modules_once_for_two_stacks() {
        let call = |name: &str| {
            format!(
                "#- {name}/main.tf\nvariable \"token\" {{\n  sensitive = true\n}}\nmodule \"m\" {{\n  source = \"../m\"\n  name   = var.token\n}}\n"
            )
        };
        let text = format!(
            r#"{}{}#- m/main.tf
variable "name" {{}}
provider "aws" {{
  default_tags {{
    tags = {{ "gantrycd:resource-identity-realm" = var.name }}
                                                  ^^^^^^^^ sensitive-declaration
  }}
}}
"#,
            call("a"),
            call("b")
        );
        check(&text);
        let findings = crate::checks::run(&Fixture::new(&text).snapshot(), &Default::default());
        assert!(findings[0].related[0].place.path.ends_with("a/main.tf"));
    }

    #[test]
    fn what_it_reaches_is_related_once() {
        let text = r#"
#- main.tf
variable "secret" {
  sensitive = true
}
locals {
  tags = { "gantrycd:resource-identity" = var.secret }
                                          ^^^^^^^^^^ sensitive-declaration
}
#- other.tf
resource "aws_vpc" "v" {
  for_each = toset(["a", "b"])
  tags     = local.tags
}
"#;
        check(text);
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        let related: Vec<_> = findings[0].related.iter().map(|it| &*it.message).collect();
        assert_eq!(related, ["the variable is sensitive", ". has it here"]);
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"variable": {"s": {"sensitive": true}}, "resource": {"aws_vpc": {"q": {"tags": {"gantrycd:resource-identity": "${var.s}"}}}}}
                                                                                                               ^^^^^^^^^^ sensitive-declaration
"#,
        );
    }

    #[test]
    fn two_such_ids_are_a_duplicate_all_the_same() {
        let stack = |name: &str| {
            format!(
                r#"#- {name}/main.tf
variable "id" {{
  sensitive = true
}}
resource "aws_vpc" "v" {{
^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: (sensitive value) (aws_vpc, no realm)
  tags = {{ "gantrycd:resource-identity" = var.id }}
                                          ^^^^^^ sensitive-declaration
}}
#- {name}/terraform.tfstate
{{"version": 4, "serial": 1, "lineage": "{name}", "resources": [{{"mode": "managed", "type": "aws_vpc", "name": "v", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [{{"attributes": {{"tags": {{"gantrycd:resource-identity": "s3cr3t"}}, "tags_all": {{"gantrycd:resource-identity": "s3cr3t"}}}}, "sensitive_attributes": [[{{"type": "get_attr", "value": "tags"}}, {{"type": "index", "value": {{"value": "gantrycd:resource-identity", "type": "string"}}}}]]}}]}}]}}
"#
            )
        };
        check(&[stack("a"), stack("b")].concat());
    }

    #[test]
    fn silent_where_it_is_not_read() {
        check(
            r#"
#- main.tf
variable "secret" {
  sensitive = true
}
provider "aws" {
  alias = "ignoring"
  ignore_tags {
    key_prefixes = var.unknown
  }
}
resource "aws_vpc" "perhaps_kept_from_the_state" {
  provider = aws.ignoring
  tags     = { "gantrycd:resource-identity" = var.secret }
}
# gantrycd:resource-identity: ignore=true
resource "aws_vpc" "ignored" {
  tags = { "gantrycd:resource-identity" = var.secret }
}
resource "aws_vpc" "other" {
  tags = { Name = var.secret }
}
data "aws_vpc" "data" {
  tags = { "gantrycd:resource-identity" = var.secret }
}
"#,
        );
    }
}
