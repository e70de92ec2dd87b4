//! Rows and stacks by what a person knows of them: an id or a part of one, a realm, an address, the
//! name of a stack.
//!
//! The answer is ranked, and the same for the same workspace. An id as a whole is looked up; all else
//! is searched for in the texts of all stacks, side by side.

mod search;

use crate::identity::Mode;
use crate::text::Span;
use crate::workspace::{Place, RowRef, Snapshot};

use search::{Found, search};
pub use search::{Match, Rank};

/// No more than these are told.
pub const MOST_SYMBOLS: usize = 256;

/// Something that was searched for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// An address, or the name of a stack.
    pub name: String,
    /// Of a row: its stack and what it claims.
    pub container: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// Where it is shown.
    pub place: Place,
    /// How well it matches: the less, the better.
    pub rank: Rank,
}

/// What a [`Symbol`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A stack.
    Stack,
    /// A resource instance.
    Resource,
    /// A data source.
    Data,
}

/// What matches a query, whatever its case, the best first; of an empty one, the stacks. An id as it
/// is written finds who has to do with it, and nothing else. `is_cancelled` is asked now and then:
/// once it says so, the answer is of no consequence.
pub fn symbols(
    snapshot: &Snapshot,
    query: &str,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<Symbol> {
    let query = query.trim_matches(|it: char| it.is_whitespace() || "\"'`".contains(it));
    let of_id = snapshot.of_id(query);
    let claims = of_id.now.into_iter().chain(of_id.planned);
    let of_id: Vec<RowRef> = claims.chain(of_id.readers).collect();
    let found: Vec<Found> = match of_id.is_empty() {
        false => {
            let of_id = of_id.into_iter().take(MOST_SYMBOLS);
            let found = of_id.map(|at| Found {
                rank: (Match::Id, query.len() as u32),
                stack: at.stack as u32,
                line: at.row as u32 + 1,
            });
            found.collect()
        }
        true => search(snapshot, &query.to_ascii_lowercase(), is_cancelled),
    };
    let symbols = found.into_iter().filter_map(|it| symbol(snapshot, it));
    symbols.collect()
}

fn symbol(snapshot: &Snapshot, found: Found) -> Option<Symbol> {
    let stack = &snapshot.stacks[found.stack as usize];
    let Some(row) = found.line.checked_sub(1) else {
        let configured = stack.backend_place().map(|(file, span)| Place {
            path: file.path.clone(),
            span,
        });
        let state = stack.state.as_ref().map(|it| Place {
            path: it.path.clone(),
            span: Span::at(0),
        });
        return Some(Symbol {
            name: stack.name.to_string(),
            container: None,
            kind: SymbolKind::Stack,
            place: configured.or(state)?,
            rank: found.rank,
        });
    };
    let at = RowRef {
        stack: found.stack as usize,
        row: row as usize,
    };
    let (row, address) = (snapshot.row(at), snapshot.address(at));
    let claim = row.claim.as_ref().ok().or_else(|| row.planned_claim());
    let container = match (claim, row.looks_up.as_deref()) {
        (Some(identity), _) => format!("{}: {identity}", stack.name),
        (None, Some(identity)) => format!("{}: reads {identity}", stack.name),
        (None, None) => stack.name.to_string(),
    };
    let place = snapshot.place(at);
    Some(Symbol {
        name: address.to_string(),
        container: Some(container),
        kind: match address.mode {
            Mode::Managed => SymbolKind::Resource,
            Mode::Data => SymbolKind::Data,
        },
        place: place.or_else(|| snapshot.state_place(at))?,
        rank: found.rank,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, told};
    use crate::ide::Target;

    const WORKSPACE: &str = r#"
#- live/account/main.tf
terraform {
  backend "s3" {}
}
resource "aws_iam_role" "deploy" {}
resource "aws_sns_topic" "alerts" {
  tags = { "gantrycd:resource-identity-realm" = "later" }
}
#- live/account/terraform.tfstate
aws_iam_role.deploy arn=arn:aws:iam::111122223333:role/Shop-Deploy
aws_sns_topic.alerts arn=arn:aws:sns:eu-west-1:111122223333:alerts
#- live/web/main.tf
data "aws_iam_role" "deploy" {}
module "m" {
  source = "../../m"
}
#- live/web/terraform.tfstate
data.aws_iam_role.deploy arn=arn:aws:iam::111122223333:role/Shop-Deploy
module.m["a"].aws_s3_bucket.deployed arn=arn:aws:s3:::assets.deploy realm=blue
#- m/main.tf
resource "aws_s3_bucket" "deployed" {}
#- old/only.tfstate
aws_sqs_queue.declared id=The-Queue
data.aws_vpc.nobodys arn=arn:aws:ec2:eu-west-1:111122223333:vpc/v
"#;

    /// `name | container | place`, in order.
    fn found(query: &str) -> Vec<String> {
        let fixture = Fixture::new(WORKSPACE);
        let snapshot = fixture.snapshot();
        let symbols = symbols(&snapshot, query, &|| false);
        assert!(symbols.is_sorted_by_key(|it| it.rank), "{symbols:#?}");
        let one = |it: &Symbol| {
            let target = Target::of(&snapshot, it.place.clone());
            let place = told(&snapshot, &[target]).remove(0);
            let place = place.split(' ').next().unwrap();
            let container = it.container.as_deref().unwrap_or("-");
            format!("{} | {container} | {place}", it.name)
        };
        symbols.iter().map(one).collect()
    }

    /// The names of what is found, in order.
    fn names(query: &str) -> Vec<String> {
        let all = found(query).into_iter();
        let name = |it: String| it.split(" | ").next().unwrap().to_owned();
        all.map(name).collect()
    }

    const ROLE: &str = "aws_iam_role.deploy | live/account: \
                        arn:aws:iam::111122223333:role/Shop-Deploy | live/account/main.tf:4";
    const READER: &str = "data.aws_iam_role.deploy | live/web: reads \
                          arn:aws:iam::111122223333:role/Shop-Deploy | live/web/main.tf:1";
    const BUCKET: &str = "module.m[\"a\"].aws_s3_bucket.deployed";

    #[test]
    fn a_pasted_id_finds_its_owner_and_then_its_readers() {
        let arn = "arn:aws:iam::111122223333:role/Shop-Deploy";
        assert_eq!(found(arn), [ROLE, READER]);
        assert_eq!(found(&format!(" \"{arn}\"\n")), [ROLE, READER]);
        // in another case it is the same text, which only an owner's line has
        assert_eq!(found(&arn.to_uppercase()), [ROLE]);
        assert_eq!(names("The-Queue"), ["aws_sqs_queue.declared"]);
        let vpc = "arn:aws:ec2:eu-west-1:111122223333:vpc/v";
        assert_eq!(names(vpc), ["data.aws_vpc.nobodys"]);
    }

    #[test]
    fn a_part_of_an_id_finds_it() {
        for part in ["role/shop", "Shop-Deploy", "hop-dep", "iam::111122223333"] {
            assert_eq!(found(part), [ROLE], "{part}");
        }
        assert_eq!(found("role/other"), [""; 0]);
    }

    #[test]
    fn what_matches_better_comes_first() {
        // a whole address, one that goes on with it, a word, and what only stands within
        assert_eq!(
            names("deploy"),
            ["aws_iam_role.deploy", "data.aws_iam_role.deploy", BUCKET,]
        );
        assert_eq!(names("aws_iam_role.deploy")[0], "aws_iam_role.deploy");
        assert_eq!(names("aws_s")[0], "aws_sns_topic.alerts");
        assert_eq!(names("live")[..2], ["live/web", "live/account"]);
    }

    #[test]
    fn an_address_with_its_stack_finds_it() {
        for query in [
            "live/account/aws_iam_role.deploy",
            "account/aws_iam",
            "Live/Account/aws_iam_role",
        ] {
            assert_eq!(found(query), [ROLE], "{query}");
        }
        assert_eq!(
            names("live/web/"),
            ["data.aws_iam_role.deploy", BUCKET],
            "all of it"
        );
        for query in [
            "count/aws_iam",
            "web/aws_iam",
            "/aws_iam",
            "live/account/iam",
        ] {
            assert_eq!(found(query), [""; 0], "{query}");
        }
    }

    #[test]
    fn a_realm_finds_its_rows_now_and_after_the_next_apply() {
        assert_eq!(names("blue"), [BUCKET]);
        assert_eq!(names("later"), ["aws_sns_topic.alerts"]);
    }

    #[test]
    fn a_stack_is_found_by_its_name_and_shown_at_its_backend() {
        let account = "live/account | - | live/account/main.tf:2";
        assert_eq!(found("live/account"), [account]);
        assert_eq!(found("account"), [account]);
        assert_eq!(found("old/only"), ["old/only | - | old/only.tfstate"]);
        // nothing asked for is all that there is
        assert_eq!(names(""), ["live/account", "live/web", "old/only"]);
    }

    #[test]
    fn what_has_no_block_is_shown_at_its_state() {
        let queue = "aws_sqs_queue.declared | old/only: The-Queue | old/only.tfstate";
        assert_eq!(found("declared"), [queue]);
    }

    #[test]
    fn of_a_short_query_what_begins_with_it() {
        assert_eq!(names("aw").len(), 3);
        let arns = [BUCKET, "aws_sns_topic.alerts", "aws_iam_role.deploy"];
        assert_eq!(names("ar"), arns, "the shortest first");
        assert_eq!(names("oy"), [""; 0]);
        assert_eq!(names("a\0"), [""; 0]);
    }

    #[test]
    fn an_edit_is_followed() {
        let fixture = Fixture::new(WORKSPACE);
        let mut workspace = fixture.workspace();
        let find = |workspace: &mut crate::workspace::Workspace, query: &str| {
            symbols(&workspace.snapshot(), query, &|| false).len()
        };
        assert_eq!(find(&mut workspace, "sooner"), 0);
        let path = fixture.path("live/account/main.tf");
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("later", "sooner");
        workspace.open_document(&path, crate::text::Source::new(&text));
        assert_eq!(find(&mut workspace, "sooner"), 1);
        assert_eq!(find(&mut workspace, "later"), 0);
    }
}
