//! The text of blocks.

use std::fmt::Write as _;

use super::kinds::{Kind, attributes};
use super::random::Random;
use super::stack::{Declares, REALM, Stack};

/// How often a block stands for a resource.
#[derive(Clone, Copy)]
pub enum Repeat {
    Once,
    /// `for_each` over the first of these keys.
    Each(usize),
    Count(usize),
}

pub const KEYS: [&str; 4] = ["blue", "green", "red", "white"];

impl Repeat {
    pub fn rows(self) -> usize {
        match self {
            Self::Once => 1,
            Self::Each(rows) | Self::Count(rows) => rows,
        }
    }

    fn argument(self) -> String {
        match self {
            Self::Once => String::new(),
            Self::Count(rows) => format!("  count = {rows}\n\n"),
            Self::Each(rows) => {
                let keys: Vec<_> = KEYS[..rows].iter().map(|it| format!("{it:?}")).collect();
                format!("  for_each = toset([{}])\n\n", keys.join(", "))
            }
        }
    }

    /// The expression of a name that is another for each.
    fn name(self, name: &str) -> String {
        match self {
            Self::Once => format!("\"{name}\""),
            Self::Each(_) => format!("\"{name}-${{each.key}}\""),
            Self::Count(_) => format!("\"{name}-${{count.index}}\""),
        }
    }
}

/// A resource of a stack.
pub fn resource(
    random: &mut Random,
    kind: &Kind,
    label: &str,
    name: &str,
    repeat: Repeat,
    declares: Declares<'_>,
) -> String {
    let name = repeat.name(name);
    let tags = match declares.written() {
        Some(tag) if !kind.taggable => Some(format!("{{\n    {tag}\n  }}")),
        _ => kind.taggable.then(|| own_tags(&name, declares)),
    };
    let block = bare_resource(random, kind, label, &repeat.argument(), &name, tags);
    let comment = match declares.comment() {
        Some(comment) => comment,
        None if random.below(6) == 0 => "# Kept apart from the others: it outlives them.\n",
        None => "",
    };
    format!("{comment}{block}")
}

/// A resource with these expressions for its name and tags.
pub fn bare_resource(
    random: &mut Random,
    kind: &Kind,
    label: &str,
    repeat: &str,
    name: &str,
    tags: Option<String>,
) -> String {
    let mut block = format!(
        "resource \"{}\" \"{label}\" {{\n{repeat}  name = {name}\n",
        kind.name
    );
    for attribute in attributes() {
        if random.below(16) > 0 {
            continue;
        }
        let value = random.below(900);
        let _ = write!(block, "\n  {attribute} = {value}\n");
    }
    if let Some(long) = kind.long {
        let _ = write!(
            block,
            "\n  {long} = jsonencode({{\n    Version = \"2012-10-17\"\n    Statement = [{{\n      \
             Action   = [\"sts:AssumeRole\"]\n      Effect   = \"Allow\"\n      \
             Resource = \"arn:aws:iam::*:role/${{local.team}}-*\"\n    }}]\n  }})\n"
        );
    }
    if let Some(tags) = tags {
        let _ = write!(block, "\n  tags = {tags}\n");
    }
    block + "}\n\n"
}

/// The own tags of a block. `name` is an expression.
fn own_tags(name: &str, declares: Declares<'_>) -> String {
    let tag = declares.written().map(|it| format!("\n    {it}\n"));
    let tag = tag.unwrap_or_default();
    format!("merge(local.labels, {{\n    Name = {name}\n{tag}  }})")
}

/// A call of a local module.
pub fn call(stack: &Stack, label: &str, module: &str, name: &str, repeat: Repeat) -> String {
    let (modules, repeated) = (stack.modules(), repeat.argument());
    let name = repeat.name(name);
    let tags = own_tags(&name, Declares::Nothing);
    format!(
        "module \"{label}\" {{\n{repeated}  source = \"../../../{modules}/{module}\"\n\n  \
         name = {name}\n  tags = {tags}\n}}\n\n"
    )
}

/// A block without a resource that was applied, of about this many bytes or fewer.
pub fn filler(random: &mut Random, number: usize, room: usize) -> String {
    match random.below(4) {
        _ if room < 150 => format!("output \"team_{number}\" {{\n  value = local.team\n}}\n\n"),
        0 => format!(
            "variable \"size_{number}\" {{\n  description = \"How large {} is.\"\n  \
             type        = number\n  default     = {}\n}}\n\n",
            random.hex(12),
            random.below(900)
        ),
        1 => format!(
            "locals {{\n  zone_{number} = {{\n    name = \"zone-${{local.team}}-{number}\"\n    \
             id   = \"{}\"\n  }}\n}}\n\n",
            random.hex(14)
        ),
        _ => format!(
            "data \"aws_iam_policy_document\" \"at_{number}\" {{\n  statement {{\n    \
             sid       = \"Read{number}\"\n    actions   = [\"s3:GetObject\", \"s3:ListBucket\"]\n    \
             resources = [\"arn:aws:s3:::${{local.team}}-{number}/*\"]\n  }}\n}}\n\n"
        ),
    }
}

pub const VERSIONS: &str = "terraform {\n  required_version = \">= 1.9\"\n\n  required_providers {\n    \
    aws = {\n      source  = \"hashicorp/aws\"\n      version = \"~> 6.0\"\n    }\n  }\n}\n";

pub fn providers(stack: &Stack) -> String {
    let endpoints = match stack.realm {
        None => "",
        Some(_) => "\n  endpoints {\n    sqs = \"http://localhost:4566\"\n  }\n",
    };
    format!(
        "provider \"aws\" {{\n  region = \"eu-west-1\"\n{endpoints}\n  default_tags {{\n    \
         tags = local.default_tags\n  }}\n}}\n"
    )
}

pub fn locals(stack: &Stack) -> String {
    let realm = stack.realm.as_ref().map_or(String::new(), |realm| {
        format!("\n    \"{REALM}\" = \"{realm}\"\n")
    });
    format!(
        "locals {{\n  team = \"{}\"\n\n  labels = {{\n    Owner = local.team\n  }}\n\n  \
         default_tags = {{\n    Environment = \"{}\"\n    Team        = local.team\n{realm}  }}\n}}\n",
        stack.team,
        stack.environment()
    )
}
