//! Stacks read from each other in a circle.
//!
//! gantrycd applies a stack after those that own what it reads. In a circle there is no such order:
//! each waits for the next.
//!
//! # Example
//!
//! ```hcl
//! #- network/main.tf
//! resource "aws_vpc" "main" {}
//!
//! data "aws_lb" "public" {}
//! ^^^^^^^^^^^^^^^^^^^^^^ dependency-cycle
//!
//! #- network/terraform.tfstate
//! aws_vpc.main arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
//! data.aws_lb.public arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/public/1
//!
//! #- web/main.tf
//! resource "aws_lb" "public" {}
//!
//! data "aws_vpc" "main" {}
//! ^^^^^^^^^^^^^^^^^^^^^ dependency-cycle
//!
//! #- web/terraform.tfstate
//! aws_lb.public arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/public/1
//! data.aws_vpc.main arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- network/main.tf
//! resource "aws_vpc" "main" {}
//!
//! #- network/terraform.tfstate
//! aws_vpc.main arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
//!
//! #- web/main.tf
//! resource "aws_lb" "public" {}
//!
//! data "aws_vpc" "main" {}
//!
//! #- web/terraform.tfstate
//! aws_lb.public arn=arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/public/1
//! data.aws_vpc.main arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
//! ```

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::{astar, tarjan_scc};
use petgraph::graphmap::DiGraphMap;

use crate::workspace::{Change, Edge, Place, Snapshot};

use super::{Across, Check, Finding, Looks, Related, Severity, capped, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "dependency-cycle",
    page: include_str!("../../docs/checks/dependency-cycle.md"),
    severity: Severity::Warning,
    looks: Looks::All(|| Box::new(Circles::default())),
    fixes: no_fixes,
};

/// More stacks than these are counted, not named.
const MOST_NAMED: usize = 8;

/// What leads in circles.
#[derive(Default)]
struct Circles {
    /// Which stacks read which others, sorted by reader and owner.
    reads: Vec<(usize, usize)>,
    /// Those of them that lie on a circle, each with the way from the owner back to the reader.
    back: BTreeMap<(usize, usize), Vec<usize>>,
}

impl Across for Circles {
    fn follow(&mut self, snapshot: &Snapshot, change: &Change) -> bool {
        if change.renumbered || change.edges {
            let mut reads: Vec<_> = snapshot.edges().map(stacks).collect();
            reads.sort_unstable();
            reads.dedup();
            if reads != self.reads {
                self.back = back(&reads);
                self.reads = reads;
                return true;
            }
        }
        // the same circles may be of other edges, or stand elsewhere
        let mut readers = self.back.keys().map(|(reader, _)| reader);
        change.renumbered || readers.any(|it| change.edges || change.stacks.contains(it))
    }

    fn findings(&self, snapshot: &Snapshot) -> Vec<Finding> {
        let mut readers: Vec<_> = self.back.keys().map(|(reader, _)| *reader).collect();
        readers.dedup();
        let edges = readers.iter().flat_map(|it| snapshot.edges_from(*it));
        let mut told: BTreeSet<(Place, usize)> = BTreeSet::new();
        let mut findings = Vec::new();
        for edge in edges {
            let (back, place) = (self.back.get(&stacks(edge)), stands(snapshot, edge));
            if let (Some(back), Some(place)) = (back, place)
                && told.insert((place.clone(), edge.owner.stack))
            {
                findings.push(finding(snapshot, edge, place, back));
            }
        }
        findings
    }
}

/// Of what lies on a circle, the way back.
fn back(reads: &[(usize, usize)]) -> BTreeMap<(usize, usize), Vec<usize>> {
    let all: DiGraphMap<usize, ()> = reads.iter().copied().collect();
    let mut circle_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, members) in tarjan_scc(&all).into_iter().enumerate() {
        circle_of.extend(members.into_iter().map(|it| (it, at)));
    }
    let on_circle = |(reader, owner): &&(usize, usize)| {
        reader != owner && circle_of.get(reader) == circle_of.get(owner)
    };
    let on_circle: Vec<_> = reads.iter().filter(on_circle).copied().collect();
    // no way back leaves the circle
    let graph: DiGraphMap<usize, ()> = on_circle.iter().copied().collect();
    let way = |(reader, owner): &(usize, usize)| {
        let (_, back) = astar(&graph, *owner, |it| it == *reader, |_| 1, |_| 0)?;
        Some(((*reader, *owner), back))
    };
    on_circle.iter().filter_map(way).collect()
}

/// The stacks of the reader and the owner.
fn stacks(edge: &Edge) -> (usize, usize) {
    (edge.reader.stack, edge.owner.stack)
}

/// Where the reader of an edge stands.
fn stands(snapshot: &Snapshot, edge: &Edge) -> Option<Place> {
    let block = snapshot.place(edge.reader);
    block.or_else(|| snapshot.state_place(edge.reader))
}

/// `back` leads from the owner's stack to the reader's.
fn finding(snapshot: &Snapshot, edge: &Edge, place: Place, back: &[usize]) -> Finding {
    let name = |at: usize| &*snapshot.stacks[at].name;
    let (reader, owner) = stacks(edge);
    let mut circle = vec![name(reader)];
    circle.extend(back.iter().map(|it| name(*it)));
    let more = circle.len().saturating_sub(MOST_NAMED);
    let circle = match more {
        0 => circle.join(" → "),
        more => {
            let first = circle[..MOST_NAMED - 1].join(" → ");
            format!("{first} → {} more → {}", more, name(reader))
        }
    };
    let message = format!(
        "{} reads what {} owns, and that depends on {}: {circle}. gantrycd finds no order for \
         them.",
        snapshot.address(edge.reader),
        name(owner),
        name(reader)
    );
    let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    let steps = back.windows(2).filter_map(|hop| {
        let mut from = snapshot.edges_from(hop[0]).iter();
        let step = from.find(|it| it.owner.stack == hop[1])?;
        let message = format!(
            "{} of {} reads what {} owns",
            snapshot.address(step.reader),
            name(hop[0]),
            name(hop[1])
        );
        let place = stands(snapshot, step)?;
        Some(Related { message, place })
    });
    finding.related = capped(steps.collect());
    finding.rests_on = back.to_vec();
    finding.about(snapshot, edge.reader)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check};

    fn arn(name: &str) -> String {
        format!("arn=arn:aws:sqs:eu-west-1:111122223333:{name}")
    }

    /// A stack with a queue of its name that reads the queues of others.
    fn stack(name: &str, reads: &[&str], mark: &str) -> String {
        let mut configuration =
            format!("#- {name}/main.tf\nresource \"aws_sqs_queue\" \"q\" {{}}\n");
        let mut state = format!(
            "#- {name}/terraform.tfstate\naws_sqs_queue.q {}\n",
            arn(name)
        );
        for other in reads {
            let block = format!("data \"aws_sqs_queue\" \"{other}\"");
            let under = "^".repeat(block.chars().count());
            let mark = if mark.is_empty() {
                String::new()
            } else {
                format!("{under} {mark}\n")
            };
            configuration += &format!("{block} {{}}\n{mark}");
            state += &format!("data.aws_sqs_queue.{other} {}\n", arn(other));
        }
        configuration + &state
    }

    #[test]
    fn two_stacks_that_read_from_each_other() {
        let text = [
            stack(
                "a",
                &["b"],
                "dependency-cycle: data.aws_sqs_queue.b reads what b owns, and that depends on a: a → b → a. gantrycd finds no order for them.",
            ),
            stack("b", &["a"], "dependency-cycle: a: b → a → b") .replace("on a: b", "b"),
        ]
        .concat()
        .replace("dependency-cycle: a: b → a → b", "dependency-cycle: b → a → b");
        check(&text);
        let findings = crate::checks::run(&Fixture::new(&text).snapshot(), &Default::default());
        assert_eq!(findings[0].related.len(), 1);
        assert_eq!(
            findings[0].related[0].message,
            "data.aws_sqs_queue.a of b reads what a owns"
        );
    }

    #[test]
    fn only_what_lies_on_the_circle() {
        let text = [
            stack("a", &["b"], "dependency-cycle: a → b → c → a"),
            stack("b", &["c"], "dependency-cycle: b → c → a → b"),
            stack("c", &["a"], "dependency-cycle: c → a → b → c"),
            // reads from the circle, and is read by nobody in it
            stack("outside", &["a"], ""),
            stack("line", &["outside"], ""),
        ]
        .concat();
        check(&text);
    }

    #[test]
    fn every_instance_and_module_once() {
        check(&format!(
            r#"
#- a/main.tf
module "m" {{
  source = "../m"
}}
resource "aws_sqs_queue" "q" {{}}
#- a/terraform.tfstate
aws_sqs_queue.q {a}
module.m.data.aws_sqs_queue.é[0] {b}
module.m.data.aws_sqs_queue.é[1] {b}
#- m/main.tf
data "aws_sqs_queue" "é" {{
^^^^^^^^^^^^^^^^^^^^^^^^ dependency-cycle: module.m.data.aws_sqs_queue.é[0] reads what b owns
  count = 2
}}
#- b/main.tf.json
{{"data": {{"aws_sqs_queue": {{"q": {{}}}}}}}}
                            ^^^ dependency-cycle
#- b/terraform.tfstate
aws_sqs_queue.q {b}
data.aws_sqs_queue.q {a}
"#,
            a = arn("a"),
            b = arn("b")
        ));
    }

    #[test]
    fn silent_without_a_circle() {
        check(
            &[
                stack("a", &["b", "c"], ""),
                stack("b", &["c"], ""),
                stack("c", &[], ""),
            ]
            .concat(),
        );
        // a comment ends the edge
        let ignored = stack("b", &["a"], "").replace(
            "data \"",
            "# gantrycd:resource-identity: ignore=true\ndata \"",
        );
        check(&[stack("a", &["b"], ""), ignored].concat());
        // a realm on one side is no edge
        let apart = stack("b", &["a"], "").replace(
            &format!("a {}\n", arn("a")),
            &format!("a {} realm=x\n", arn("a")),
        );
        check(&[stack("a", &["b"], ""), apart].concat());
        // a stack that reads what it owns itself
        check(&stack("a", &["a"], ""));
    }

    #[test]
    fn a_long_circle_is_counted() {
        let names: Vec<String> = (0..30).map(|it| format!("s{it:02}")).collect();
        let text: String = names
            .iter()
            .enumerate()
            .map(|(at, it)| stack(it, &[&names[(at + 1) % 30]], ""))
            .collect();
        let findings = crate::checks::run(&Fixture::new(&text).snapshot(), &Default::default());
        assert_eq!(findings.len(), 30);
        assert!(
            findings[0].message.contains("s05 → s06 → 23 more → s00."),
            "{}",
            findings[0].message
        );
        assert_eq!(findings[0].related.len(), 20);
    }
}
