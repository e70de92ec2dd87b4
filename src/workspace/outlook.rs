//! What becomes of a row in the next apply, and why.

use crate::identity;

use super::configured::Configured;
use super::rows::Planned;

/// What becomes of a row in the next apply, and why.
#[derive(Debug)]
pub struct Outlook {
    /// What it will be.
    pub planned: Planned,
    /// Why.
    pub why: Why,
    /// What the configuration says of it, as far as that was asked for.
    pub configured: Option<Configured>,
    /// The row as its state will have it, where its tags as configured decide.
    pub after: Option<identity::Row>,
}

/// Why a row will be what it will be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// What the configuration says of its tags is known, and decides.
    Configured,
    /// What counts of its tags is not known.
    NotKnown,
    /// What counts of its tags is known by the default of a variable only. What the state says of a
    /// row that has the tags weighs more.
    DefaultsOnly,
    /// Nothing in reach speaks of gantrycd.
    Unspoken,
    /// Its tags never reach the state: it has no `tags_all`.
    TakesNoTags,
    /// The `ignore_changes` of its block.
    IgnoresChanges,
    /// The `ignore_tags` of its provider.
    IgnoresTags,
    /// An inventory says what was decided, and not by what.
    Inventory,
    /// A data source is read anew by every plan.
    DataSource,
    /// What a data source reads is known by its `arn` argument.
    Reads,
    /// The object of a deposed row is there until it is destroyed.
    Deposed,
    /// `count`, `for_each` or `enabled` of its block, or of a module call above it, leaves it out.
    CountedOut,
    /// A `removed` block covers it.
    Removed,
    /// The configuration does not declare it.
    Undeclared,
    /// No block that declares it was found, and not everything could be read.
    Unfound,
    /// The module that is installed is another than the one that is called.
    Outdated,
    /// Its stack is known by its state alone.
    NoConfiguration,
    /// It is not there yet, and its own tag declares its id.
    Declared,
    /// It is not there yet, and an `import` block names its ARN.
    Imported,
}

impl Why {
    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Why::Configured => "configured",
            Why::NotKnown => "not-known",
            Why::DefaultsOnly => "defaults-only",
            Why::Unspoken => "unspoken",
            Why::TakesNoTags => "takes-no-tags",
            Why::IgnoresChanges => "ignores-changes",
            Why::IgnoresTags => "ignores-tags",
            Why::Inventory => "inventory",
            Why::DataSource => "data-source",
            Why::Reads => "reads",
            Why::Deposed => "deposed",
            Why::CountedOut => "counted-out",
            Why::Removed => "removed",
            Why::Undeclared => "undeclared",
            Why::Unfound => "unfound",
            Why::Outdated => "outdated",
            Why::NoConfiguration => "no-configuration",
            Why::Declared => "declared",
            Why::Imported => "imported",
        }
    }
}

impl std::fmt::Display for Why {
    /// As a sentence without its full stop.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Why::Configured => "its tags as configured are known, and decide",
            Why::NotKnown => {
                "what its tags come to is not known here, so what the state records stands"
            }
            Why::DefaultsOnly => {
                "what its tags come to rests on the default of a variable that the environment may \
                 set, so what the state records stands"
            }
            Why::Unspoken => "nothing in this stack's configuration speaks of gantrycd",
            Why::TakesNoTags => "its row has no tags_all, so no tag ever reaches it",
            Why::IgnoresChanges => "ignore_changes keeps an edit of its tags from being applied",
            Why::IgnoresTags => "ignore_tags of its provider may keep its tags from the state",
            Why::Inventory => "an inventory says what was decided, and not by which tags",
            Why::DataSource => "a data source is read anew by every plan",
            Why::Reads => "its arn argument names what it reads",
            Why::Deposed => "its object is there until the very moment in which it is destroyed",
            Why::CountedOut => "count, for_each or enabled leaves this instance out",
            Why::Removed => "a removed block covers it",
            Why::Undeclared => "the configuration does not declare it",
            Why::Unfound => {
                "no block that declares it was found, and not all of the configuration could be read"
            }
            Why::Outdated => {
                "another module is installed than the one that is called now, so what the state records \
                 stands until the next init"
            }
            Why::NoConfiguration => "this workspace has no configuration of its stack",
            Why::Declared => "its own tag declares an id",
            Why::Imported => "an import block names its ARN",
        })
    }
}

impl Outlook {
    pub(super) fn new(planned: Planned, why: Why) -> Self {
        Self {
            planned,
            why,
            configured: None,
            after: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::workspace::RowRef;

    /// Why the first row of the stack `a` will be what it will be.
    fn why(configuration: &str, row: &str) -> &'static str {
        let text = format!("#- a/main.tf\n{configuration}\n#- a/terraform.tfstate\n{row}\n");
        let snapshot = Fixture::new(&text).snapshot();
        snapshot.outlook(RowRef { stack: 0, row: 0 }).why.name()
    }

    #[test]
    fn why_a_row_will_be_what_it_will_be() {
        let queue = "aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q";
        let tagged = |tags: &str| format!("resource \"aws_sqs_queue\" \"q\" {{\n  {tags}\n}}");
        let realm =
            |value: &str| format!("tags = {{ \"gantrycd:resource-identity-realm\" = {value} }}");
        let own = tagged(&realm("\"r\""));
        let variable = "variable \"r\" {\n  default = \"r\"\n}\n";
        let ignoring = "provider \"aws\" {\n  ignore_tags {\n    keys = [var.x]\n  }\n}\n";
        let with = |more: &str| format!("{queue} {more}");
        for (configuration, row, expected) in [
            (own.clone(), queue.to_owned(), "configured"),
            (
                format!("{variable}{}", tagged(&realm("var.r"))),
                queue.to_owned(),
                "configured",
            ),
            // what a state says weighs more than a default
            (
                format!("{variable}{}", tagged(&realm("var.r"))),
                with("realm=s"),
                "defaults-only",
            ),
            (tagged(&realm("var.x")), queue.to_owned(), "not-known"),
            (tagged(""), queue.to_owned(), "unspoken"),
            (own.clone(), with("untaggable"), "takes-no-tags"),
            (
                tagged(&format!(
                    "{}\n  lifecycle {{\n    ignore_changes = all\n  }}",
                    realm("\"r\"")
                )),
                queue.to_owned(),
                "ignores-changes",
            ),
            (format!("{ignoring}{own}"), queue.to_owned(), "ignores-tags"),
            (tagged("count = 0"), queue.to_owned(), "counted-out"),
            (own.clone(), with("deposed=abcd1234"), "deposed"),
            (
                "removed {\n  from = aws_sqs_queue.q\n}".to_owned(),
                queue.to_owned(),
                "removed",
            ),
            ("locals {}".to_owned(), queue.to_owned(), "undeclared"),
            (
                "resource \"aws_sqs_queue\" {".to_owned(),
                queue.to_owned(),
                "unfound",
            ),
            (
                "data \"aws_sqs_queue\" \"q\" {}".to_owned(),
                format!("data.{queue}"),
                "data-source",
            ),
        ] {
            assert_eq!(
                why(&configuration, &row),
                expected,
                "{configuration}\n{row}"
            );
        }
    }
}
