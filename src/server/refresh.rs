//! What the client shows and has to ask for again when it is other than it was: not after each key,
//! but when nobody types, and only where something did change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::identity::{Identity, NoIdentity, Realm};
use crate::workspace::{Change, Planned, Row, Snapshot, Stack};

use super::session::Session;

/// Has the client ask again, once at a time.
#[derive(Default)]
pub(super) struct Again {
    /// Whether the client was told to and has not answered yet.
    asked: Arc<AtomicBool>,
    /// Whether it is to be told once more then.
    again: Arc<AtomicBool>,
}

impl Again {
    /// Tells the client by this request. Nobody waits for the answer, which says nothing.
    pub(super) fn ask<T: Future + Send>(&self, tell: impl Fn() -> T + Send + Sync + 'static) {
        self.again.store(true, Ordering::SeqCst);
        if self.asked.swap(true, Ordering::SeqCst) {
            return;
        }
        let (asked, again) = (self.asked.clone(), self.again.clone());
        tokio::spawn(async move {
            loop {
                while again.swap(false, Ordering::SeqCst) {
                    tell().await;
                }
                asked.store(false, Ordering::SeqCst);
                // whoever told meanwhile has seen that somebody asks
                if !again.load(Ordering::SeqCst) || asked.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
        });
    }
}

/// Has the client ask again for what it shows beside texts.
#[derive(Default)]
pub(super) struct Refreshed {
    lenses: Again,
    hints: Again,
}

impl Refreshed {
    pub(super) fn tell(&self, session: &Session, others: Others) {
        let (settings, client) = (session.settings(), &session.client);
        if others.lenses && settings.refreshes_lenses {
            let client = client.clone();
            self.lenses.ask(move || {
                let client = client.clone();
                async move { client.code_lens_refresh().await }
            });
        }
        if others.hints && settings.refreshes_hints {
            let client = client.clone();
            self.hints.ask(move || {
                let client = client.clone();
                async move { client.inlay_hint_refresh().await }
            });
        }
    }
}

/// What is other than the client knows, of what is told of several files.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Others {
    /// Who reads or claims the same, or owns what is read.
    pub(super) lenses: bool,
    /// What a row is.
    pub(super) hints: bool,
}

impl Others {
    pub(super) const ALL: Self = Self {
        lenses: true,
        hints: true,
    };

    pub(super) fn join(&mut self, other: Self) {
        self.lenses |= other.lenses;
        self.hints |= other.hints;
    }
}

/// What the client was told of last, and what changed since.
#[derive(Default)]
pub(super) struct Since(Option<(Snapshot, Change)>);

impl Since {
    pub(super) fn follow(&mut self, before: &Snapshot, change: &Change) {
        let (_, since) = self
            .0
            .get_or_insert_with(|| (before.clone(), Change::default()));
        since.join(change.clone());
    }

    /// What is other now. The client is told of it.
    pub(super) fn take(&mut self, now: &Snapshot) -> Others {
        let Some((before, change)) = self.0.take() else {
            return Others::default();
        };
        if change.renumbered {
            return Others::ALL;
        }
        let stacks = change.stacks.iter();
        let stacks = stacks.map(|it| (&*before.stacks[*it], &*now.stacks[*it]));
        let mut groups = change.groups.iter();
        Others {
            lenses: change.edges
                || groups.any(|it| before.group(it) != now.group(it))
                || stacks.clone().any(|(a, b)| !has_one_state(a, b)),
            hints: stacks.clone().any(|(a, b)| !has_the_same_identities(a, b)),
        }
    }
}

fn has_one_state(a: &Stack, b: &Stack) -> bool {
    match (&a.state, &b.state) {
        (Some(a), Some(b)) => Arc::ptr_eq(&a.file, &b.file),
        (None, None) => true,
        _ => false,
    }
}

fn has_the_same_identities(a: &Stack, b: &Stack) -> bool {
    let mut rows = a.rows.iter().zip(&b.rows);
    a.rows.len() == b.rows.len() && rows.all(|(a, b)| is_the_same(a, b))
}

fn is_the_same(a: &Row, b: &Row) -> bool {
    is_one(&a.claim, &b.claim)
        && a.looks_up.as_deref().map(what) == b.looks_up.as_deref().map(what)
        && match (&a.planned, &b.planned) {
            (Planned::Changed(a), Planned::Changed(b)) => is_one(a, b),
            (Planned::Same, Planned::Same) | (Planned::Gone, Planned::Gone) => true,
            _ => false,
        }
}

fn is_one(a: &Result<Identity, NoIdentity>, b: &Result<Identity, NoIdentity>) -> bool {
    a.as_ref().map(what) == b.as_ref().map(what)
}

/// What is told of an identity.
fn what(identity: &Identity) -> (&str, Option<&Realm>) {
    (&identity.id, identity.realm.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, state};
    use crate::text::Source;

    const WORKSPACE: &str = r#"
#- a/main.tf
resource "aws_s3_bucket" "b" {}
resource "aws_iam_role" "r" {}
#- a/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b
aws_iam_role.r arn=arn:aws:iam::111122223333:role/r
#- b/main.tf
resource "aws_s3_bucket" "b" {}
data "aws_iam_role" "r" {}
#- b/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b
data.aws_iam_role.r arn=arn:aws:iam::111122223333:role/r
"#;

    const NOTHING: Others = Others {
        lenses: false,
        hints: false,
    };

    /// What is other after these texts of `a/main.tf`, one after the other.
    fn after(texts: &[&str]) -> Others {
        let fixture = Fixture::new(WORKSPACE);
        let mut workspace = fixture.workspace();
        let (mut before, _) = workspace.follow();
        let mut since = Since::default();
        for text in texts {
            workspace.open_document(&fixture.path("a/main.tf"), Source::new(text));
            let (now, change) = workspace.follow();
            since.follow(&before, &change);
            before = now;
        }
        let others = since.take(&before);
        assert_eq!(since.take(&before), NOTHING, "it is told once");
        others
    }

    const PLAIN: &str = "resource \"aws_s3_bucket\" \"b\" {}\nresource \"aws_iam_role\" \"r\" {}\n";

    #[test]
    fn keys_that_leave_all_as_it_is_are_not_told() {
        let typed = format!("# a\n{PLAIN}resource \"aws_sqs_queue\" \"n\" {{}}\n");
        assert_eq!(
            after(&[&typed]),
            NOTHING,
            "though its stack has a duplicate"
        );
        let out = format!("# gantrycd:resource-identity: ignore=true\n{PLAIN}");
        assert!(!after(&[&out, PLAIN]).hints, "taken back");
    }

    #[test]
    fn what_others_see_is_told() {
        let out = format!("# gantrycd:resource-identity: ignore=true\n{PLAIN}");
        assert_eq!(after(&[&out]), Others::ALL, "a duplicate ends");
        let reader = PLAIN.replace("\nres", "\n# gantrycd:resource-identity: ignore=true\nres");
        assert_eq!(
            after(&[&out, PLAIN, &reader]),
            Others::ALL,
            "a reading ends"
        );
        assert_eq!(after(&["\n"]), Others::ALL);
    }

    #[test]
    fn what_only_a_row_is_after_the_next_apply_is_a_hint() {
        let realm = "{ tags = { \"gantrycd:resource-identity-realm\" = \"x\" } }";
        let (first, last) = PLAIN.rsplit_once("{}").unwrap();
        let planned = [first, realm, last].concat();
        let hints = Others {
            hints: true,
            ..NOTHING
        };
        assert_eq!(after(&[&planned]), hints);
    }

    #[test]
    fn another_address_and_another_stack_are_told() {
        let fixture = Fixture::new(WORKSPACE);
        let mut workspace = fixture.workspace();
        let (before, _) = workspace.follow();
        let mut follow = |before: &Snapshot| {
            workspace.refresh();
            let (now, change) = workspace.follow();
            let mut since = Since::default();
            since.follow(before, &change);
            (since.take(&now), now)
        };
        assert_eq!(follow(&before).0, NOTHING);
        let moved = "aws_s3_bucket.b arn=arn:aws:s3:::b\n\
                     aws_iam_role.renamed arn=arn:aws:iam::111122223333:role/r\n";
        let path = fixture.path("a/terraform.tfstate");
        std::fs::write(path, state("a", moved)).unwrap();
        let (others, now) = follow(&before);
        assert!(others.lenses);
        let path = fixture.path("c/terraform.tfstate");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, state("c", moved)).unwrap();
        assert_eq!(follow(&now).0, Others::ALL);
    }
}
