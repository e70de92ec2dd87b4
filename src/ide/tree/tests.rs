//! The tree as it is drawn.

use std::fmt::Write as _;

use super::*;
use crate::fixture::Fixture;

const WORKSPACE: &str = r#"
#- live/base/main.tf
resource "aws_vpc" "main" {}
resource "aws_s3_bucket" "logs" {
  tags = { "gantrycd:resource-identity-realm" = "live" }
}
resource "aws_route" "none" {}
#- live/base/terraform.tfstate
aws_vpc.main arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
aws_s3_bucket.logs arn=arn:aws:s3:::logs realm=live
aws_route.none
#- live/shop/main.tf
data "aws_vpc" "main" {}
resource "aws_s3_bucket" "b" {
  tags = { "gantrycd:resource-identity-realm" = "live" }
}
#- live/shop/terraform.tfstate
data.aws_vpc.main arn=arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
aws_s3_bucket.b arn=arn:aws:s3:::logs realm=live
#- live/new/main.tf
resource "aws_s3_bucket" "n" {}
"#;

/// The tree below a node to a depth: kind, label and description of each line.
fn drawn(snapshot: &Snapshot, node: Option<&Node>, depth: usize) -> String {
    let mut out = String::new();
    draw(snapshot, node, depth, 0, &mut out);
    out
}

fn draw(snapshot: &Snapshot, node: Option<&Node>, depth: usize, indent: usize, out: &mut String) {
    for item in children(snapshot, node) {
        let Item {
            kind,
            label,
            description,
            ..
        } = &item;
        writeln!(out, "{:indent$}{kind:?} {label}: {description}", "").unwrap();
        if depth > 1 && item.node.is_some() {
            draw(snapshot, item.node.as_ref(), depth - 1, indent + 2, out);
        }
    }
}

fn stack(name: &str) -> Node {
    Node::Stack(name.to_owned())
}

#[test]
fn duplicates_stand_above_the_stacks() {
    let snapshot = Fixture::new(WORKSPACE).snapshot();
    assert_eq!(
        drawn(&snapshot, None, 3),
        "\
Duplicates Duplicates: 1
  Duplicate aws_s3_bucket: arn:aws:s3:::logs in realm live
    DuplicateResource aws_s3_bucket.logs: live/base
    DuplicateResource aws_s3_bucket.b: live/shop
Stacks Stacks: 3
  Stack base: 3 resources
    Duplicates Duplicates: 1
    Claims Claims: 2
    Others Without identity: 1
    ReadBy Read by: 1 stack
  Stack new: no state
  Stack shop: 2 resources
    Duplicates Duplicates: 1
    Claims Claims: 1
    ReadsFrom Reads from: 1 stack
"
    );
}

#[test]
fn a_stack_tells_what_it_claims_and_who_reads_it() {
    let snapshot = Fixture::new(WORKSPACE).snapshot();
    assert_eq!(
        drawn(&snapshot, Some(&stack("live/base")), 3),
        "\
Duplicates Duplicates: 1
  Duplicate aws_s3_bucket: arn:aws:s3:::logs in realm live
    DuplicateResource aws_s3_bucket.logs: live/base
    DuplicateResource aws_s3_bucket.b: live/shop
Claims Claims: 2
  Resource aws_vpc.main: arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1
  DuplicateResource aws_s3_bucket.logs: arn:aws:s3:::logs in realm live
Others Without identity: 1
  Resource aws_route.none: no-arn
ReadBy Read by: 1 stack
  ReadBy live/shop: 1 data source
    Resource aws_vpc.main: is read by data.aws_vpc.main
"
    );
    assert_eq!(
        drawn(&snapshot, Some(&Node::ReadsFrom("live/shop".to_owned())), 2),
        "\
ReadsFrom live/base: 1 data source
  DataSource data.aws_vpc.main: reads aws_vpc.main
"
    );
}

#[test]
fn lines_stand_where_their_blocks_do() {
    let fixture = Fixture::new(WORKSPACE);
    let snapshot = fixture.snapshot();
    let below = children(&snapshot, Some(&Node::Claims("live/base".to_owned())));
    let place = below[1].place.as_ref().unwrap();
    assert_eq!(*place.path, *fixture.path("live/base/main.tf"));
    let text = snapshot.source(&place.path).unwrap().text();
    assert_eq!(
        &text[place.span.range()],
        r#"resource "aws_s3_bucket" "logs""#
    );
    assert_eq!(
        below[1].tooltip,
        "aws_s3_bucket.logs of live/base\narn:aws:s3:::logs in realm live"
    );
}

#[test]
fn what_the_next_apply_changes_is_said() {
    let snapshot = Fixture::new(
        r#"
#- a/main.tf
resource "aws_s3_bucket" "b" {
  tags = { "gantrycd:resource-identity" = "b" }
}
removed {
  from = aws_s3_bucket.gone
}
import {
  to = aws_s3_bucket.come
  id = "come"
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity" = "q" }
}
#- a/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b
aws_s3_bucket.gone arn=arn:aws:s3:::b
aws_sqs_queue.q
"#,
    )
    .snapshot();
    let below = children(&snapshot, Some(&Node::Claims("a".to_owned())));
    let told: Vec<_> = below
        .iter()
        .map(|it| (&*it.label, &*it.description, &*it.tooltip))
        .collect();
    assert_eq!(
        told,
        [
            (
                "aws_s3_bucket.b",
                "arn:aws:s3:::b",
                "aws_s3_bucket.b of a\narn:aws:s3:::b\nafter the next apply b"
            ),
            (
                "aws_s3_bucket.gone",
                "arn:aws:s3:::b",
                "aws_s3_bucket.gone of a\narn:aws:s3:::b\ngone after the next apply"
            ),
            (
                "aws_sqs_queue.q",
                "after the next apply q",
                "aws_sqs_queue.q of a\nafter the next apply q"
            ),
        ]
    );
    let duplicates = drawn(&snapshot, Some(&Node::Duplicates), 1);
    assert_eq!(
        duplicates,
        "EndingDuplicate aws_s3_bucket: until the next apply: arn:aws:s3:::b\n"
    );
}

/// A state with so many queues.
fn queues(count: usize) -> String {
    let row = |it| format!("aws_sqs_queue.q[{it}] arn=arn:aws:sqs:eu-west-1:111122223333:q{it}\n");
    (0..count).map(row).collect()
}

#[test]
fn a_long_list_comes_in_pages() {
    let state = format!("#- a/terraform.tfstate\n{}", queues(2 * PAGE + 1));
    let snapshot = Fixture::new(&state).snapshot();
    let claims = Node::Claims("a".to_owned());
    assert_eq!(
        drawn(&snapshot, Some(&claims), 1),
        "\
Page 1 to 200: aws_sqs_queue.q[0] … aws_sqs_queue.q[199]
Page 201 to 400: aws_sqs_queue.q[200] … aws_sqs_queue.q[399]
Page 401 to 401: aws_sqs_queue.q[400] … aws_sqs_queue.q[400]
"
    );
    let page = |from| children(&snapshot, Some(&Node::Page(Box::new(claims.clone()), from)));
    let labels = |items: Vec<Item>| items.into_iter().map(|it| it.label).collect::<Vec<_>>();
    let second = labels(page(PAGE));
    assert_eq!(second.len(), PAGE);
    assert_eq!(second[0], "aws_sqs_queue.q[200]");
    assert_eq!(labels(page(2 * PAGE)), ["aws_sqs_queue.q[400]"]);
    assert_eq!(page(3 * PAGE), []);

    let state = format!("#- a/terraform.tfstate\n{}", queues(PAGE));
    let snapshot = Fixture::new(&state).snapshot();
    assert_eq!(children(&snapshot, Some(&claims)).len(), PAGE);
}

fn stacks(names: impl IntoIterator<Item = String>) -> Snapshot {
    let state = |name| format!("#- {name}/terraform.tfstate\naws_route.r\n");
    let states: String = names.into_iter().map(state).collect();
    Fixture::new(&states).snapshot()
}

#[test]
fn many_stacks_stand_in_their_directories() {
    let names = (0..30).flat_map(|it| [format!("live/eu/s{it:02}"), format!("test/us/s{it:02}")]);
    let snapshot = stacks(names.chain(["test/lonely".to_owned(), "all".to_owned()]));
    assert_eq!(
        drawn(&snapshot, Some(&Node::Stacks(String::new())), 1),
        "\
Stack all: 1 resource
Stacks live: 30
Stacks test: 31
"
    );
    // the directories that all have in common are told once
    let live = drawn(&snapshot, Some(&Node::Stacks("live/".to_owned())), 1);
    assert_eq!(live.lines().count(), 30);
    assert!(live.starts_with("Stack s00: 1 resource\n"), "{live}");
    let test = drawn(&snapshot, Some(&Node::Stacks("test/".to_owned())), 1);
    assert_eq!(test.lines().next(), Some("Stack lonely: 1 resource"));
    assert_eq!(test.lines().nth(1), Some("Stack us/s00: 1 resource"));
}

#[test]
fn a_directory_of_one_stack_is_that_stack() {
    let names = (0..60).map(|it| format!("stacks/s{it:02}/prod"));
    let snapshot = stacks(names);
    let all = drawn(&snapshot, Some(&Node::Stacks(String::new())), 1);
    assert_eq!(all.lines().count(), 60);
    assert!(all.starts_with("Stack s00/prod: 1 resource\n"), "{all}");
}

#[test]
fn nothing_stands_below_what_is_gone() {
    let snapshot = Fixture::new(WORKSPACE).snapshot();
    let duplicate = |realm: Option<&str>| Node::Duplicate {
        id: "arn:aws:s3:::logs".to_owned(),
        realm: realm.map(str::to_owned),
        resource_type: "aws_s3_bucket".to_owned(),
    };
    assert_eq!(children(&snapshot, Some(&duplicate(Some("live")))).len(), 2);
    for node in [
        stack("live/gone"),
        Node::Stacks("gone/".to_owned()),
        duplicate(None),
        duplicate(Some("no realm")),
        Node::Reads {
            reader: "live/shop".to_owned(),
            owner: "live/gone".to_owned(),
            from_reader: true,
        },
        Node::Page(Box::new(Node::Page(Box::new(Node::Duplicates), 0)), 0),
    ] {
        assert_eq!(children(&snapshot, Some(&node)), [], "{node:?}");
    }
}

#[test]
fn a_workspace_without_duplicates_says_so() {
    let snapshot = stacks(["a".to_owned()]);
    assert_eq!(
        drawn(&snapshot, None, 2),
        "Duplicates Duplicates: none\nStacks Stacks: 1\n  Stack a: 1 resource\n"
    );
    let nothing = Fixture::new("#- README.md\n").snapshot();
    assert_eq!(
        drawn(&nothing, None, 2),
        "Duplicates Duplicates: none\nStacks Stacks: 0\n"
    );
}
