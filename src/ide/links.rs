//! ARNs as they are written, in literals and in comments, that some stack owns.

use std::path::Path;

use memchr::memmem;

use crate::config::ModuleFile;
use crate::syntax::Comment;
use crate::text::Span;
use crate::workspace::{RowRef, Snapshot};

use super::target::{Target, targets};

/// An ARN, and the resource that owns what it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArnLink {
    /// The ARN, in bytes of the file.
    pub span: Span,
    /// Where its owner is shown.
    pub target: Target,
    /// Who that is.
    pub tooltip: String,
}

/// More owners than these are counted, not named.
const MOST_OWNERS: usize = 10;

/// The ARNs in a file that are owned at one place, in order. A text says nothing of realms: where
/// that leaves a choice, there is no link.
pub fn links(snapshot: &Snapshot, path: &Path) -> Vec<ArnLink> {
    let Some(file) = snapshot.file(path) else {
        return Vec::new();
    };
    let arns = Arns::of(file);
    let starts = arns.starts(0);
    starts.filter_map(|at| arns.link(snapshot, at)).collect()
}

/// The link that a cursor touches.
pub(super) fn link_at(snapshot: &Snapshot, file: &ModuleFile, offset: u32) -> Option<ArnLink> {
    let arns = Arns::of(file);
    let line = file.source().line_start(offset) as usize;
    let mut starts = arns.starts(line).take_while(|at| *at <= offset as usize);
    starts.find_map(|at| {
        let link = arns.link(snapshot, at);
        link.filter(|it| it.span.touches(offset))
    })
}

/// Where ARNs may stand in a file.
struct Arns<'a> {
    file: &'a ModuleFile,
    text: &'a str,
    /// Read only when an ARN may be in one.
    comments: std::cell::OnceCell<Vec<Comment>>,
}

const START: &str = "arn:";

impl<'a> Arns<'a> {
    fn of(file: &'a ModuleFile) -> Self {
        Self {
            file,
            text: file.source().text(),
            comments: Default::default(),
        }
    }

    /// Where one may begin, from a byte of the file on.
    fn starts(&self, from: usize) -> impl Iterator<Item = usize> {
        let all = memmem::find_iter(&self.text.as_bytes()[from..], START);
        let all = all.map(move |at| from + at);
        all.filter(|at| {
            let before = self.text[..*at].chars().next_back();
            before.is_none_or(|it| !it.is_alphanumeric() && !matches!(it, '_' | '-' | ':' | '/'))
        })
    }

    /// The link of the ARN that begins at a byte.
    fn link(&self, snapshot: &Snapshot, at: usize) -> Option<ArnLink> {
        let ends = self.ends(at);
        ends.into_iter().find_map(|end| {
            let owners = owners(snapshot, &self.text[at..end]);
            let [target] = &targets(snapshot, owners.iter().copied())[..] else {
                return None;
            };
            let span = Span::new(at, end);
            let is_here = target.place.path == self.file.path && target.whole.contains(span);
            (!is_here).then(|| ArnLink {
                span,
                target: target.clone(),
                tooltip: told(snapshot, &owners),
            })
        })
    }

    /// Where an ARN that begins at a byte may end: with the literal or the line that it stands in; in
    /// a comment, with the word, whose punctuation may be the sentence's.
    fn ends(&self, at: usize) -> Vec<usize> {
        let rest = &self.text[at..];
        if !self.is_in_comment(at) {
            let literal = rest.split(['"', '\\', '\n', '\r']).next();
            return vec![at + literal.unwrap_or_default().trim_end().len()];
        }
        let is_end = |it: char| it.is_whitespace() || "\"'`,;()[]{}<>".contains(it);
        let mut word = rest.split(is_end).next().unwrap_or_default();
        let mut ends = vec![at + word.len()];
        while let Some(shorter) = word.strip_suffix(['.', ':', '!', '?']) {
            word = shorter;
            ends.push(at + word.len());
        }
        ends
    }

    fn is_in_comment(&self, at: usize) -> bool {
        let read = || self.file.syntax().map(|it| it.comments());
        let comments = self.comments.get_or_init(|| read().unwrap_or_default());
        let behind = comments.partition_point(|it| it.span.range().end <= at);
        let comment = comments.get(behind);
        comment.is_some_and(|it| it.span.range().contains(&at))
    }
}

/// Who owns what an ARN names; while nobody does, who will.
fn owners(snapshot: &Snapshot, arn: &str) -> Vec<RowRef> {
    let of_id = snapshot.of_id(arn);
    match of_id.now.is_empty() {
        true => of_id.planned,
        false => of_id.now,
    }
}

fn told(snapshot: &Snapshot, owners: &[RowRef]) -> String {
    let one = |it: &RowRef| {
        let stack = &snapshot.stack(*it).name;
        format!("{} of {stack}", snapshot.address(*it))
    };
    let mut named: Vec<_> = owners.iter().take(MOST_OWNERS).map(one).collect();
    if owners.len() > MOST_OWNERS {
        named.push(format!("{} more", owners.len() - MOST_OWNERS));
    }
    format!("Owned by {}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, told};

    const OWNERS: &str = r#"
#- account/terraform.tfstate
aws_iam_role.r arn=arn:aws:iam::111122223333:role/r
aws_sns_topic.t arn=arn:aws:sns:eu-west-1:111122223333:t
aws_cloudwatch_event_rule.e arn=arn:aws:events:eu-west-1:111122223333:rule/a.b
#- account/main.tf
resource "aws_iam_role" "r" {}
resource "aws_sns_topic" "t" {}
resource "aws_cloudwatch_event_rule" "e" {}
#- one/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:000000000000:q realm=one
#- two/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:000000000000:q realm=two
data.aws_s3_bucket.nobodys arn=arn:aws:s3:::nobodys
"#;

    const ROLE: &str = "arn:aws:iam::111122223333:role/r";

    /// The links of a text of configuration: what is linked, and to where.
    fn of(text: &str) -> Vec<(String, String)> {
        let fixture = Fixture::new(&format!("{OWNERS}#- web/main.tf\n{text}\n"));
        let (snapshot, path) = (fixture.snapshot(), fixture.path("web/main.tf"));
        let source = snapshot.source(&path).unwrap();
        let links = links(&snapshot, &path).into_iter();
        let links = links.map(|it| {
            let to = told(&snapshot, &[it.target]).remove(0);
            (source.slice(it.span).to_owned(), to)
        });
        links.collect()
    }

    /// What is linked in a text.
    fn linked(text: &str) -> Vec<String> {
        of(text).into_iter().map(|(arn, _)| arn).collect()
    }

    #[test]
    fn a_literal_and_a_comment_lead_to_the_owner() {
        let to = "account/main.tf:1 resource \"aws_iam_role\" \"r\"";
        let link = (ROLE.to_owned(), to.to_owned());
        for text in [
            format!("locals {{\n  a = \"{ROLE}\"\n}}"),
            format!("locals {{\n  a = [\"x\", \"{ROLE}\"]\n}}"),
            format!("locals {{\n  a = <<E\n{{\"Resource\": \"{ROLE}\"}}\nE\n}}"),
            format!("locals {{\n  a = \"{{\\\"Resource\\\": \\\"{ROLE}\\\"}}\"\n}}"),
            format!("locals {{\n  a = <<E\nrole = {ROLE} \nE\n}}"),
            format!("# {ROLE}"),
            format!("# made by {ROLE}."),
            format!("# see `{ROLE}`, and (more)"),
            format!("/* ({ROLE}) */"),
            format!("locals {{ # {ROLE}: deploys\n}}"),
        ] {
            assert_eq!(of(&text), std::slice::from_ref(&link), "{text}");
        }
    }

    #[test]
    fn so_does_a_literal_of_json() {
        let text = format!("{OWNERS}#- web/main.tf.json\n{{\"locals\": {{\"a\": \"{ROLE}\"}}}}\n");
        let fixture = Fixture::windows(&text);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("web/main.tf.json"));
        let links = links(&snapshot, &path);
        let source = snapshot.source(&path).unwrap();
        let linked: Vec<_> = links.iter().map(|it| source.slice(it.span)).collect();
        assert_eq!(linked, [ROLE]);
    }

    #[test]
    fn only_a_whole_arn_is_linked() {
        let none = [""; 0];
        for text in [
            format!("locals {{\n  a = \"{ROLE}/more\"\n}}"),
            format!("locals {{\n  a = \"{ROLE}*\"\n}}"),
            format!("locals {{\n  a = \"{ROLE}.\"\n}}"),
            format!("locals {{\n  a = \"{ROLE} too\"\n}}"),
            format!("locals {{\n  a = \"my{ROLE}\"\n}}"),
            "locals {\n  a = \"arn:aws:iam::${var.account}:role/r\"\n}".to_owned(),
            format!("# {ROLE}-2"),
            format!("# {ROLE}:*"),
            format!("# x:{ROLE}"),
            "# arn:".to_owned(),
        ] {
            assert_eq!(linked(&text), none, "{text}");
        }
        // a full stop that belongs to it, and one that does not
        let rule = "arn:aws:events:eu-west-1:111122223333:rule/a.b";
        assert_eq!(linked(&format!("# {rule}.")), [rule]);
    }

    #[test]
    fn where_a_realm_leaves_a_choice_there_is_none() {
        assert_eq!(linked("# arn:aws:sqs:eu-west-1:000000000000:q"), [""; 0]);
        assert_eq!(linked("# arn:aws:s3:::nobodys"), [""; 0], "a reader");
    }

    #[test]
    fn nothing_is_linked_to_the_block_that_it_stands_in() {
        let text = format!(
            "{OWNERS}#- web/terraform.tfstate\naws_iam_role.w id={ROLE}-w\n#- web/main.tf\n\
             resource \"aws_iam_role\" \"w\" {{\n  tags = {{ \"gantrycd:resource-identity\" = \
             \"{ROLE}-w\" }}\n}}\nlocals {{\n  a = \"{ROLE}-w\"\n}}\n"
        );
        let fixture = Fixture::new(&text);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("web/main.tf"));
        let links = links(&snapshot, &path);
        let [link] = &links[..] else {
            panic!("{links:#?}");
        };
        let locals = snapshot
            .source(&path)
            .unwrap()
            .text()
            .find("locals")
            .unwrap();
        assert!(link.span.range().start > locals);
        assert_eq!(link.tooltip, "Owned by aws_iam_role.w of web");
    }

    #[test]
    fn what_the_next_apply_makes_counts_while_nobody_has_it() {
        let import = "resource \"aws_iam_role\" \"new\" {}\nimport {\n  to = aws_iam_role.new\n  \
                      id = \"arn:aws:iam::111122223333:role/new\"\n}\n\
                      # arn:aws:iam::111122223333:role/new";
        let links = of(import);
        let to = "web/main.tf:1 resource \"aws_iam_role\" \"new\"";
        assert_eq!(links.len(), 2);
        assert!(links.iter().all(|it| it.1 == to), "{links:#?}");
    }

    #[test]
    fn who_owns_it_is_named_in_several_stacks_and_many_are_counted() {
        let tooltip = |stacks: usize| {
            let mut text = String::from(
                "#- m/main.tf\nresource \"aws_iam_role\" \"r\" {}\n#- web/main.tf\n# arn:aws:s3:::x\n",
            );
            for it in 0..stacks {
                text += &format!(
                    "#- s{it:02}/main.tf\nmodule \"m\" {{\n  source = \"../m\"\n}}\n\
                     #- s{it:02}/terraform.tfstate\nmodule.m.aws_iam_role.r arn=arn:aws:s3:::x\n"
                );
            }
            let fixture = Fixture::new(&text);
            let links = links(&fixture.snapshot(), &fixture.path("web/main.tf"));
            links[0].tooltip.clone()
        };
        let two = "Owned by module.m.aws_iam_role.r of s00, module.m.aws_iam_role.r of s01";
        assert_eq!(tooltip(2), two);
        assert!(tooltip(10).ends_with("aws_iam_role.r of s09"));
        assert!(tooltip(12).ends_with("aws_iam_role.r of s09, 2 more"));
    }

    #[test]
    fn a_cursor_finds_the_link_that_it_touches() {
        let text = format!("{OWNERS}#- web/main.tf\n# {ROLE} and {ROLE}\n");
        let fixture = Fixture::new(&text);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("web/main.tf"));
        let file = snapshot.file(&path).unwrap();
        let second = 2 + ROLE.len() + " and ".len();
        for (at, expected) in [
            (1, None),
            (2, Some(2)),
            (2 + ROLE.len(), Some(2)),
            (3 + ROLE.len(), None),
            (second, Some(second)),
            (second + ROLE.len(), Some(second)),
        ] {
            let link = link_at(&snapshot, file, at as u32);
            assert_eq!(link.map(|it| it.span.range().start), expected, "{at}");
        }
    }
}
