//! The blocks of a stack that have an answer: what it reads of others, what it shares with them, and
//! what is wrong in it.

use std::collections::BTreeSet;

use serde_json::json;

use super::blocks::Repeat;
use super::kinds::{ALIAS, QUEUE, ROLE, ROLE_POLICY};
use super::stack::{Declares, Stack, developer, is_emulator};
use super::state::{self, Resource};
use super::writer::{Block, Writer};

impl Writer {
    /// A role that other stacks read, and the roles of others that this one reads: of earlier
    /// stacks only, so that there is no cycle.
    pub(super) fn exports_and_reads(&mut self) {
        let name = self.stack.exported_role();
        let nothing = Declares::Nothing;
        self.known(ROLE, "exported", &name, Repeat::Once, nothing);
        let index = self.stack.index;
        let mut earlier = BTreeSet::new();
        if !is_emulator(index) {
            for _ in 0..3.min(index) {
                let one = self.random.below(index);
                earlier.extend((!is_emulator(one)).then_some(one));
            }
        } else if index % 2 == 1 {
            // the second of a developer's two stacks reads the first
            earlier.insert(index - 1);
        }
        for (number, earlier) in earlier.into_iter().enumerate() {
            let owner = Stack::new(earlier);
            let role = owner.exported_role();
            let arn = ROLE.arn(&owner.account, &role, "").unwrap_or_default();
            let claim = (ROLE.name, arn.clone(), owner.realm.clone());
            self.notes.reads.push(claim);
            let attributes = json!({
                "arn": arn, "assume_role_policy": state::policy(&mut self.random, 400),
                "description": null, "id": role, "max_session_duration": 3600, "name": role,
                "path": "/", "permissions_boundary": "", "role_last_used": [],
                "tags": owner.default_tags(), "unique_id": self.random.hex(20),
            });
            let label = format!("upstream_{number}");
            self.row(Resource::data("aws_iam_role", &label, attributes));
            self.place(Block::plain(format!(
                "data \"aws_iam_role\" \"{label}\" {{\n  name = \"{role}\"\n}}\n\n"
            )));
        }
        let account = &self.stack.account;
        let attributes = json!({
            "account_id": account, "arn": format!("arn:aws:sts::{account}:assumed-role/ci/run"),
            "id": account, "user_id": "AROA2UC3EXAMPLE:run",
        });
        self.row(Resource::data("aws_caller_identity", "current", attributes));
        let block = "data \"aws_caller_identity\" \"current\" {}\n\n";
        self.place(Block::plain(block.into()));
    }

    /// Rows that are, or by a declaration are not, the same object as another.
    pub(super) fn known_conflicts(&mut self, shared: &[BTreeSet<usize>]) {
        let index = self.stack.index;
        for (group, members) in shared.iter().enumerate() {
            if !members.contains(&index) {
                continue;
            }
            // the last member of every fifth group says that it knows
            let declares = match group % 5 == 4 && members.last() == Some(&index) {
                true => Declares::Ignored,
                false => Declares::Nothing,
            };
            // all of them in one account, whoever the stack's other rows belong to
            let own = std::mem::replace(&mut self.stack.account, "111122223333".into());
            let (label, name) = (format!("shared_{group}"), format!("shared-{group}"));
            self.known(QUEUE, &label, &name, Repeat::Once, declares);
            self.stack.account = own;
        }
        if index % 25 == 7 {
            let id = format!("lock-of-{}", self.stack.prefix);
            let name = self.stack.name(0);
            self.known(QUEUE, "lock", &name, Repeat::Count(2), Declares::Id(&id));
        }
        if index % 30 == 3 {
            let name = "adopted-by-many";
            self.known(QUEUE, "adopted", name, Repeat::Once, Declares::OptOut);
        }
        if is_emulator(index) && index.is_multiple_of(2) {
            // what the realm does not reach is the same for three developers
            let name = format!("mail-{}", developer(index) / 3);
            self.known(ALIAS, "mail", &name, Repeat::Once, Declares::Nothing);
        }
    }

    pub(super) fn known_faults(&mut self) {
        let (kind, declares) = match self.stack.index % 40 {
            11 => (QUEUE, Declares::MalformedRealm),
            13 => (ALIAS, Declares::Unreachable),
            15 => (QUEUE, Declares::BareNull),
            22 => (QUEUE, Declares::UnknownTag),
            24 => (QUEUE, Declares::NearlyIgnored),
            26 => (ROLE_POLICY, Declares::Ignored),
            _ => return,
        };
        let name = format!("{}-faulty", self.stack.prefix);
        self.known(kind, "faulty", &name, Repeat::Once, declares);
    }
}
