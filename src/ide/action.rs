//! What can be done at a place: the fixes of the findings there, and refactorings; and what can be
//! done in a whole file without asking anybody.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::checks::{Edit, Finding, Fix, ignore_comment};
use crate::config::Declared;
use crate::text::{Encoding, Span};
use crate::workspace::{Snapshot, is_editable};

/// Something that can be done at a place.
#[derive(Debug)]
pub struct Action<'a> {
    /// What it does.
    pub fix: Fix,
    /// The finding that it mends. Where nothing is wrong, it changes what gantrycd makes of a
    /// resource.
    pub mends: Option<&'a Finding>,
}

/// What can be done where `span` touches the file, each under a title of its own. `findings` are
/// those of the snapshot.
pub fn actions<'a>(
    snapshot: &Snapshot,
    findings: &'a [Finding],
    path: &Path,
    span: Span,
) -> Vec<Action<'a>> {
    let touches = |other: Span| other.start <= span.end && span.start <= other.end;
    let mut actions: Vec<Action> = Vec::new();
    let mut offer = |fix: Fix, mends| {
        let is_new = !actions.iter().any(|it| it.fix.edits == fix.edits);
        if is_new && fix.edits.iter().all(|it| is_editable(&it.place.path)) {
            actions.push(Action { fix, mends });
        }
    };
    let here = findings
        .iter()
        .filter(|it| *it.place.path == *path && touches(it.place.span));
    for finding in here {
        for fix in finding.fixes(snapshot) {
            offer(fix, Some(finding));
        }
    }
    if let Some(file) = snapshot.file(path) {
        for block in file.blocks() {
            if block.resource().is_none() || !touches(block.header) {
                continue;
            }
            let mut rows = snapshot.rows_of(file, block.id).into_iter();
            let has_identity = rows.any(|it| {
                let row = snapshot.row(it);
                let now = row.claim.is_ok() || row.looks_up.is_some();
                now || row.planned_claim().or(row.planned_look_up()).is_some()
            });
            let fix = ignore_comment(&Declared::new(file, block.id));
            if let Some(fix) = fix.filter(|_| has_identity) {
                offer(fix.with_stacks(snapshot), None);
            }
        }
    }
    tell_apart(snapshot, &mut actions);
    actions
}

/// Gives what is called the same the line and column that it is about, counted from 1.
fn tell_apart(snapshot: &Snapshot, actions: &mut Vec<Action>) {
    let mut times: HashMap<String, usize> = HashMap::new();
    for action in &*actions {
        *times.entry(action.fix.title.clone()).or_default() += 1;
    }
    for Action { fix, mends } in &mut *actions {
        let first = fix.edits.first().map(|it| &it.place);
        let place = mends.map(|it| &it.place).or(first);
        let source = place.and_then(|it| Some((snapshot.source(&it.path)?, it.span.start)));
        if let (Some((source, start)), 2..) = (source, times[&fix.title]) {
            let at = source.position(start, Encoding::Utf32);
            fix.title += &format!(" at {}:{}", at.line + 1, at.character + 1);
        }
    }
    let mut titles = HashSet::new();
    actions.retain(|it| titles.insert(it.fix.title.clone()));
}

/// All safe fixes of the findings in a file that change nothing but this file, as one. Of those that
/// overlap, the first is taken. `None` where there is none. `findings` are those of the snapshot.
pub fn fix_all(snapshot: &Snapshot, findings: &[Finding], path: &Path) -> Option<Fix> {
    let here = findings.iter().filter(|it| *it.place.path == *path);
    // of several, any one mends the finding
    let safe = here.filter_map(|it| it.fixes(snapshot).into_iter().find(|it| it.is_safe));
    joined(safe, path)
}

fn joined(fixes: impl Iterator<Item = Fix>, path: &Path) -> Option<Fix> {
    let mut edits: Vec<Edit> = Vec::new();
    for fix in fixes {
        let fits = |new: &Edit| {
            let overlaps = |old: &Edit| {
                let (old, new) = (old.place.span, new.place.span);
                // nobody could say which of two insertions at one place comes first
                old.start == new.start || (old.start < new.end && new.start < old.end)
            };
            *new.place.path == *path && !edits.iter().any(overlaps)
        };
        if is_editable(path) && fix.edits.iter().all(fits) {
            edits.extend(fix.edits);
        }
    }
    edits.sort_by_key(|it| it.place.span);
    (!edits.is_empty()).then(|| Fix {
        title: "Make all safe fixes of gantrycd in this file".to_owned(),
        edits,
        is_safe: true,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::checks;
    use crate::fixture::{Fixture, edited};
    use crate::workspace::Place;

    const WORKSPACE: &str = r#"
#- a/main.tf
resource "aws_s3_bucket" "b" {
  tags = {
    "gantrycd:resource-identity-realm" = null
    Name                               = "b"
  }
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-relam" = "x" }
}
resource "aws_sqs_queue" "r" {
  tags = { "gantrycd:resource-identity-relam" = "y" }
}
#- a/other.tf
resource "aws_sqs_queue" "s" {
  tags = { "gantrycd:resource-identity-relam" = "z" }
}
#- a/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b
#- b/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b
"#;

    #[test]
    fn all_safe_fixes_of_one_file_and_no_others() {
        let fixture = Fixture::new(WORKSPACE);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("a/main.tf"));
        let findings = checks::run(&snapshot, &Default::default());
        let fix = fix_all(&snapshot, &findings, &path).unwrap();
        assert!(fix.is_safe);
        // the bucket stays a duplicate: what ends it is no safe fix
        assert_eq!(
            edited(&path, &fix.edits),
            r#"resource "aws_s3_bucket" "b" {
  tags = {
    Name = "b"
  }
}
resource "aws_sqs_queue" "q" {
  tags = { "gantrycd:resource-identity-realm" = "x" }
}
resource "aws_sqs_queue" "r" {
  tags = { "gantrycd:resource-identity-realm" = "y" }
}
"#
        );
        std::fs::write(&path, edited(&path, &fix.edits)).unwrap();
        let snapshot = fixture.snapshot();
        let findings = checks::run(&snapshot, &Default::default());
        assert!(!findings.is_empty());
        assert_eq!(fix_all(&snapshot, &findings, &path), None);
    }

    #[test]
    fn what_is_called_the_same_is_told_apart() {
        let fixture = Fixture::new(WORKSPACE);
        let (snapshot, path) = (fixture.snapshot(), fixture.path("a/main.tf"));
        let findings = checks::run(&snapshot, &Default::default());
        let titles = |span| {
            let actions = actions(&snapshot, &findings, &path, span).into_iter();
            let titles = actions.map(|it| it.fix.title);
            let corrections = titles.filter(|it| it.starts_with("Write "));
            corrections.collect::<Vec<_>>()
        };
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            titles(Span::new(0, text.len())),
            [
                "Write gantrycd:resource-identity-realm at 8:12",
                "Write gantrycd:resource-identity-realm at 11:12",
            ]
        );
        let one = text.find("relam").unwrap();
        assert_eq!(
            titles(Span::at(one)),
            ["Write gantrycd:resource-identity-realm"]
        );
    }

    /// A fix that replaces these bytes of a file.
    fn fix(path: &str, edits: &[(usize, usize)]) -> Fix {
        let edit = |(start, end): &(usize, usize)| Edit {
            place: Place {
                path: Arc::from(Path::new(path)),
                span: Span::new(*start, *end),
            },
            new_text: String::new(),
        };
        Fix {
            title: String::new(),
            edits: edits.iter().map(edit).collect(),
            is_safe: true,
        }
    }

    #[test]
    fn of_overlapping_fixes_the_first_is_made_whole() {
        for (fixes, made) in [
            (&[&[(4, 8)][..], &[(0, 2)]][..], &[(0, 2), (4, 8)][..]),
            // one within another, and one that begins in another
            (&[&[(4, 8)], &[(5, 6)], &[(7, 9)]], &[(4, 8)]),
            (&[&[(5, 6)], &[(4, 8)]], &[(5, 6)]),
            // what only touches
            (
                &[&[(4, 8)], &[(8, 9)], &[(2, 4)]],
                &[(2, 4), (4, 8), (8, 9)],
            ),
            // insertions: within, at the end, twice at one place
            (&[&[(4, 8)], &[(6, 6)]], &[(4, 8)]),
            (&[&[(4, 8)], &[(8, 8)]], &[(4, 8), (8, 8)]),
            (&[&[(6, 6)], &[(6, 6)]], &[(6, 6)]),
            // all edits of a fix, or none
            (&[&[(4, 8)], &[(0, 2), (7, 9)]], &[(4, 8)]),
            (&[&[(0, 2), (7, 9)], &[(4, 8)]], &[(0, 2), (7, 9)]),
        ] {
            let fixes = fixes.iter().map(|it| fix("/a.tf", it));
            let joined = joined(fixes, Path::new("/a.tf")).unwrap();
            let spans = joined.edits.iter().map(|it| it.place.span.range());
            let spans: Vec<_> = spans.map(|it| (it.start, it.end)).collect();
            assert_eq!(spans, made);
        }
    }

    #[test]
    fn no_other_file_is_changed_and_no_installed_module() {
        let other = fix("/b.tf", &[(0, 1)]);
        assert_eq!(joined([other].into_iter(), Path::new("/a.tf")), None);
        let installed = "/a/.terraform/modules/m/main.tf";
        let fix = fix(installed, &[(0, 1)]);
        assert_eq!(joined([fix].into_iter(), Path::new(installed)), None);
    }
}
