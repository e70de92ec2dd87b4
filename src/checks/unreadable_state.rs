//! A cached state could not be read.
//!
//! What the stack manages is not known: none of its duplicates is found, and nothing depends on
//! it. In an editor, the rows of the last state that could be read stay.
//!
//! The message says why. A file that ends too early, or stands for another in Git LFS, has to be
//! fetched again. A state that OpenTofu encrypted can be handed over without a copy on the disk:
//! `tofu show -json | gantrycd-ls import-state STACK -` in the stack's directory. What is kept
//! elsewhere, `gantrycd-ls refresh STACK` fetches.
//!
//! # Example
//!
//! ```hcl
//! #- network/main.tf
//! terraform {
//!   backend "local" {}
//!   ^^^^^^^^^^^^^^^ unreadable-state: state format 3 is not read
//! }
//! #- network/terraform.tfstate
//! {"version": 3, "serial": 7, "lineage": "network", "modules": []}
//! ```
//!
//! # Fixed
//!
//! `terraform apply -refresh-only` writes the state anew, in format 4.
//!
//! ```hcl
//! #- network/terraform.tfstate
//! {"version": 4, "serial": 8, "lineage": "network", "resources": []}
//! ```

use crate::text::Span;
use crate::workspace::{Place, Snapshot};

use super::{Check, Finding, Looks, Severity, Shares, Wrong, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "unreadable-state",
    page: include_str!("../../docs/checks/unreadable-state.md"),
    severity: Severity::Warning,
    looks: Looks::Stack(look, Wrong::told),
    fixes: no_fixes,
};

fn look(snapshot: &Snapshot, stack: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[stack];
    for unreadable in &stack.unreadable {
        let consequence = match &stack.state {
            Some(it) if it.path == unreadable.path => {
                "The rows that it had when it was last read stay.".to_owned()
            }
            Some(it) => format!("What {} has counts.", snapshot.relative(&it.path)),
            None => "Nothing that it records is known.".to_owned(),
        };
        let message = format!(
            "The state {} of {} is not read: {}. {consequence}",
            snapshot.relative(&unreadable.path),
            stack.name,
            unreadable.problem
        );
        let (path, span) = match stack.backend_place() {
            Some((file, span)) => (&file.path, span),
            None => (&unreadable.path, Span::at(0)),
        };
        let mut finding = Finding::new(CHECK.severity, path, span, message);
        finding.stack = Some(stack.name.clone());
        let state = Place {
            path: unreadable.path.clone(),
            span: Span::at(0),
        };
        shares.tell_about(finding, state);
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check};

    #[test]
    fn it_stands_at_the_backend_or_at_the_first_file() {
        check(
            r#"
#- a/main.tf
terraform {
  backend "local" {
  ^^^^^^^^^^^^^^^ unreadable-state: The state a/terraform.tfstate of a is not read: state format 3 is not read: run `terraform apply -refresh-only` once. Nothing that it records is known.
  }
}
#- a/terraform.tfstate
{"version": 3, "modules": []}
#- b/z.tf
#- b/main.tf
# what b is
^^^^^^^^^^^ unreadable-state: The state b/terraform.tfstate of b is not read
#- b/terraform.tfstate
{"version": 4, "serial"
"#,
        );
    }

    #[test]
    fn a_state_alone_has_it_at_itself() {
        let fixture = Fixture::new("#- a/terraform.tfstate\n{\"version\": 4,\n");
        let findings = crate::checks::run(&fixture.snapshot(), &Default::default());
        assert_eq!(findings.len(), 1);
        assert!(findings[0].place.path.ends_with("a/terraform.tfstate"));
    }

    #[test]
    fn rows_of_the_last_readable_state_stay() {
        let fixture = Fixture::new(
            "#- a/main.tf\nresource \"aws_vpc\" \"v\" {}\n#- a/terraform.tfstate\naws_vpc.v id=x\n#- b/terraform.tfstate\naws_vpc.v id=x\n",
        );
        let mut workspace = fixture.workspace();
        let state = fixture.path("a/terraform.tfstate");
        let whole = std::fs::read_to_string(&state).unwrap();
        std::fs::write(&state, &whole[..whole.len() / 2]).unwrap();
        workspace.refresh();
        let findings = crate::checks::run(&workspace.snapshot(), &Default::default());
        let codes: Vec<_> = findings.iter().map(|it| it.code).collect();
        assert_eq!(codes, ["duplicate-identity", "unreadable-state"]);
        assert!(
            findings[1].message.contains("stay"),
            "{}",
            findings[1].message
        );
        std::fs::write(&state, whole).unwrap();
        workspace.refresh();
        assert_eq!(
            crate::checks::run(&workspace.snapshot(), &Default::default()).len(),
            1
        );
    }

    #[test]
    fn a_copy_that_is_not_older_takes_the_place_of_a_state_that_cannot_be_read() {
        let encrypted = r#"{"serial": 3, "lineage": "l", "meta": {}, "encrypted_data": "x", "encryption_version": "v0"}"#;
        let shown = r#"{"format_version": "1.0", "values": {"root_module": {"resources": []}}}"#;
        let inventory = |cached_at: u64| {
            format!(
                r#"{{"version": 1, "name": "a", "directory": "a", "workspace": "default", "cached_at": {cached_at}, "state": null, "resources": []}}"#
            )
        };
        for (place, copy, expected) in [
            (
                "b/state.json",
                shown,
                Some("Nothing that it records is known."),
            ),
            ("a/state.json", shown, None),
            (".gantrycd/state/a.json", &inventory(4_000_000_000), None),
            (
                ".gantrycd/state/a.json",
                &inventory(1),
                Some("What .gantrycd/state/a.json has counts."),
            ),
        ] {
            let fixture = Fixture::new(&format!(
                "#- a/main.tf\nlocals {{}}\n#- a/terraform.tfstate\n{encrypted}\n#- {place}\n{copy}\n"
            ));
            let findings = crate::checks::run(&fixture.snapshot(), &Default::default());
            let told: Vec<_> = findings.iter().map(|it| &*it.message).collect();
            assert_eq!(told.len(), usize::from(expected.is_some()), "{told:?}");
            assert!(told.iter().all(|it| it.ends_with(expected.unwrap())));
        }
    }

    #[test]
    fn what_is_no_state_is_passed_over_in_silence() {
        let fixture = Fixture::new(
            "#- a/main.tf\nlocals {}\n#- a/terraform.tfstate\n#- a/x.tfstate.backup\nrubbish\n#- a/.terraform/terraform.tfstate\n{\"version\": 3}\n",
        );
        std::fs::create_dir(fixture.path("a/named.tfstate")).unwrap();
        let findings = crate::checks::run(&fixture.snapshot(), &Default::default());
        assert!(findings.is_empty(), "{findings:#?}");
    }

    #[test]
    fn an_errored_state_of_the_same_lineage_counts_when_it_is_newer() {
        let state = |lineage: &str, serial: u32, id: &str| {
            format!(
                r#"{{"version": 4, "lineage": "{lineage}", "serial": {serial}, "resources": [{{"mode": "managed", "type": "aws_vpc", "name": "v", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [{{"attributes": {{"tags": {{"gantrycd:resource-identity": "{id}"}}}}}}]}}]}}"#
            )
        };
        for (errored, expected, unreadable) in [
            (state("l", 8, "new"), "new", 0),
            (state("l", 7, "new"), "old", 0),
            (state("l", 6, "new"), "old", 0),
            (state("other", 9, "new"), "old", 1),
        ] {
            let fixture = Fixture::new(&format!(
                "#- terraform.tfstate\n{}\n#- errored.tfstate\n{errored}\n",
                state("l", 7, "old")
            ));
            let snapshot = fixture.snapshot();
            let [stack] = &snapshot.stacks[..] else {
                panic!("one stack");
            };
            assert_eq!(&*stack.rows[0].claim.as_ref().unwrap().id, expected);
            assert_eq!(stack.unreadable.len(), unreadable);
        }
    }
}
