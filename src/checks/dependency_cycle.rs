//! Stacks read from each other in a circle.
//!
//! gantrycd applies a stack after those that own what it reads. In a circle there is no such order:
//! each waits for the next.
//!
//! A data block whose `arn` argument is known takes part before its first apply. A circle that the
//! configuration on screen opens stays as information until it is applied.
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

use crate::workspace::{Change, Edge, Place, Snapshot, When};

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

/// What leads in circles after the next apply, and what does now.
#[derive(Default)]
struct Circles {
    after: Ways,
    now: Ways,
}

/// What leads in circles at one time.
#[derive(Default)]
struct Ways {
    /// Which stacks read which others, sorted by reader and owner, and whether they do at all times.
    reads: Vec<Hop>,
    /// Those of them that lie on a circle, each with the way from the owner back to the reader.
    back: BTreeMap<(usize, usize), Vec<usize>>,
}

/// The stacks of readers and owners, and whether any edge between them stands at all times.
type Hop = ((usize, usize), bool);

impl Across for Circles {
    fn follow(&mut self, snapshot: &Snapshot, change: &Change) -> bool {
        if change.renumbered || change.edges {
            let after = self.after.follow(snapshot, When::is_after);
            if self.now.follow(snapshot, When::is_now) || after {
                return true;
            }
        }
        // the same circles may be of other edges, or stand elsewhere
        let mut readers = self.readers().into_iter();
        change.renumbered || readers.any(|it| change.edges || change.stacks.contains(&it))
    }

    fn findings(&self, snapshot: &Snapshot) -> Vec<Finding> {
        let readers = self.readers().into_iter();
        let edges = readers.flat_map(|it| snapshot.edges_from(it));
        // of several edges at one place, what stands longest is told
        let mut edges: Vec<_> = edges.collect();
        edges.sort_by_key(|it| !it.when.is_after());
        let mut told: BTreeSet<(Place, usize)> = BTreeSet::new();
        let mut findings = Vec::new();
        for edge in edges {
            let back = |ways: &'_ Ways| ways.back.get(&stacks(edge)).cloned();
            let after = edge.when.is_after().then(|| back(&self.after)).flatten();
            let now = || edge.when.is_now().then(|| back(&self.now)).flatten();
            let is_after = after.is_some();
            if let (Some(back), Some(place)) = (after.or_else(now), stands(snapshot, edge))
                && told.insert((place.clone(), edge.owner.stack))
            {
                findings.push(finding(snapshot, edge, place, (&back, is_after)));
            }
        }
        findings
    }
}

impl Circles {
    /// The stacks that read on a circle.
    fn readers(&self) -> BTreeSet<usize> {
        let ways = self.after.back.keys().chain(self.now.back.keys());
        ways.map(|(reader, _)| *reader).collect()
    }
}

impl Ways {
    /// Follows a change of edges, of which those that `stand` count. Returns whether anything is
    /// other for it.
    fn follow(&mut self, snapshot: &Snapshot, stand: fn(When) -> bool) -> bool {
        let mut reads: BTreeMap<(usize, usize), bool> = BTreeMap::new();
        for edge in snapshot.edges().filter(|it| stand(it.when)) {
            *reads.entry(stacks(edge)).or_default() |= edge.when == When::Always;
        }
        let reads: Vec<Hop> = reads.into_iter().collect();
        let is_other = reads != self.reads;
        if is_other {
            self.back = back(&reads);
            self.reads = reads;
        }
        is_other
    }
}

/// The stacks that read from each other in circles, each circle sorted, and they by their first.
/// Circles that share a stack are one. `reads` are readers and those that they read from.
pub fn circles(reads: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let all: DiGraphMap<usize, ()> = reads.iter().copied().collect();
    let mut circles = tarjan_scc(&all);
    circles.retain(|it| it.len() > 1);
    circles.iter_mut().for_each(|it| it.sort_unstable());
    circles.sort_unstable();
    circles
}

/// Of what lies on a circle, the way back: the shortest, if it can be by what stands at all times.
fn back(reads: &[Hop]) -> BTreeMap<(usize, usize), Vec<usize>> {
    let hops: Vec<_> = reads.iter().map(|(hop, _)| *hop).collect();
    let mut circle_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, members) in circles(&hops).into_iter().enumerate() {
        circle_of.extend(members.into_iter().map(|it| (it, at)));
    }
    let on_circle = |((reader, owner), _): &&Hop| {
        let circle = circle_of.get(reader);
        reader != owner && circle.is_some() && circle == circle_of.get(owner)
    };
    let on_circle: Vec<_> = reads.iter().filter(on_circle).copied().collect();
    // no way back leaves the circle, and none has more hops than there are
    let longest = on_circle.len() + 1;
    let weighed = on_circle.iter().map(|((reader, owner), always)| {
        let weight = if *always { 1 } else { longest };
        (*reader, *owner, weight)
    });
    let graph: DiGraphMap<usize, usize> = weighed.collect();
    let way = |((reader, owner), _): &Hop| {
        let is_end = |it| it == *reader;
        let (_, back) = astar(&graph, *owner, is_end, |(_, _, weight)| *weight, |_| 0)?;
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

/// `back` leads from the owner's stack to the reader's, after the next apply or now only.
fn finding(
    snapshot: &Snapshot,
    edge: &Edge,
    place: Place,
    (back, is_after): (&[usize], bool),
) -> Finding {
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
    let hops = back.windows(2).filter_map(|hop| {
        let from = snapshot.edges_from(hop[0]).iter();
        let stands = |it: &When| if is_after { it.is_after() } else { it.is_now() };
        let steps = from.filter(|it| it.owner.stack == hop[1] && stands(&it.when));
        // of several, one that stands at all times
        steps.min_by_key(|it| it.when != When::Always)
    });
    let hops: Vec<&Edge> = hops.collect();
    let mut all = hops.iter().copied().chain([edge]);
    let (severity, when) = match is_after {
        true if all.all(|it| it.when.is_now()) => (CHECK.severity, ""),
        true => (
            CHECK.severity,
            " After the next apply: the configuration closes it.",
        ),
        false => (
            Severity::Information,
            " Until applied: the configuration opens it.",
        ),
    };
    let message = format!(
        "{} reads what {} owns, and that depends on {}: {circle}.{when} gantrycd finds no order \
         for them.",
        snapshot.address(edge.reader),
        name(owner),
        name(reader)
    );
    let mut finding = Finding::new(severity, &place.path, place.span, message);
    let steps = hops.into_iter().filter_map(|step| {
        let message = format!(
            "{} of {} reads what {} owns",
            snapshot.address(step.reader),
            name(step.reader.stack),
            name(step.owner.stack)
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

    /// The stack `a` reads from `b`, and `b` by what is on screen from `a`.
    fn on_screen(b: &str, row: &str) -> String {
        let read = format!(
            "#- b/main.tf\nresource \"aws_sqs_queue\" \"q\" {{}}\n{b}\n\
             #- b/terraform.tfstate\naws_sqs_queue.q {}\n{row}\n",
            arn("b")
        );
        [stack("a", &["b"], ""), read].concat()
    }

    /// `severity: message`, sorted.
    fn told(text: &str) -> Vec<String> {
        let findings = crate::checks::run(&Fixture::new(text).snapshot(), &Default::default());
        let findings = findings.iter();
        findings
            .map(|it| format!("{}: {}", it.severity.as_str(), it.message))
            .collect()
    }

    #[test]
    fn what_is_on_screen_closes_a_circle_and_opens_it() {
        let reads = |arn: &str| format!("data \"aws_sqs_queue\" \"x\" {{\n  {arn}\n}}");
        let of = |name: &str| reads(&format!("arn = \"{}\"", &arn(name)["arn=".len()..]));
        let row = format!("data.aws_sqs_queue.x {}", arn("a"));
        let circle = |when: &str| {
            [
                format!(
                    "data.aws_sqs_queue.b reads what b owns, and that depends on a: a → b → a.{when} \
                     gantrycd finds no order for them."
                ),
                format!(
                    "data.aws_sqs_queue.x reads what a owns, and that depends on b: b → a → b.{when} \
                     gantrycd finds no order for them."
                ),
            ]
        };
        let closes = circle(" After the next apply: the configuration closes it.");
        let opens = circle(" Until applied: the configuration opens it.");
        let warning = |it: [String; 2]| it.map(|it| format!("warning: {it}"));
        assert_eq!(told(&on_screen(&of("a"), "")), warning(closes));
        assert_eq!(told(&on_screen(&of("a"), &row)), warning(circle("")));
        assert_eq!(told(&on_screen(&reads(""), &row)), warning(circle("")));
        assert_eq!(told(&on_screen("", "")), [""; 0]);
        let information = opens.map(|it| format!("information: {it}"));
        assert_eq!(told(&on_screen(&of("c"), &row)), information);
        assert_eq!(told(&on_screen("", &row)), information);

        // another block goes on with what one ends
        let both = format!("{}\n{}", of("c"), reads("").replace("\"x\"", "\"y\""));
        let rows = format!("{row}\n{}", row.replace(".x", ".y"));
        let found = told(&on_screen(&both, &rows));
        let severities: Vec<_> = found
            .iter()
            .map(|it| it.split_once(": ").unwrap())
            .collect();
        let severities: Vec<_> = severities
            .iter()
            .map(|(severity, it)| (*severity, it.split(' ').next().unwrap()))
            .collect();
        assert_eq!(
            severities,
            [
                ("warning", "data.aws_sqs_queue.b"),
                ("information", "data.aws_sqs_queue.x"),
                ("warning", "data.aws_sqs_queue.y"),
            ]
        );
    }

    #[test]
    fn the_way_back_is_by_what_stands_already() {
        // from b there is a short way that is not there yet, and a long one that is
        let short = format!(
            "data \"aws_sqs_queue\" \"x\" {{\n  arn = \"{}\"\n}}\n#- b/terraform",
            &arn("a")["arn=".len()..]
        );
        let text = [
            stack("a", &["b"], ""),
            stack("b", &["c"], "").replace("#- b/terraform", &short),
            stack("c", &["a"], ""),
        ]
        .concat();
        let found = told(&text);
        assert_eq!(found.len(), 4);
        assert!(found[0].contains("a → b → c → a. gantrycd"), "{found:#?}");
        assert!(found[2].contains("b → a → b. After"), "{found:#?}");
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
