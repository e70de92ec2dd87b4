//! Findings that rest on states older than a person wants them to be: they say so.
//!
//! An old state proves no less of what it records; but whoever reads of it may know better.

use std::time::{Duration, SystemTime};

use crate::workspace::Snapshot;

use super::settings::States;
use super::{Finding, listed};

/// An age as a person tells it.
pub fn age(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    let (count, unit) = match minutes {
        0..60 => (minutes, "minute"),
        60..2880 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    match count {
        0 => "less than a minute".to_owned(),
        1 => format!("one {unit}"),
        n => format!("{n} {unit}s"),
    }
}

/// Has a finding say which of the states that it rests on are old.
pub(super) fn tell(snapshot: &Snapshot, settings: &States, finding: &mut Finding) {
    if settings.max_age_days.is_none() || finding.rests_on.is_empty() {
        return;
    }
    let now = SystemTime::now();
    let mut rests_on = finding.rests_on.clone();
    rests_on.sort_unstable();
    rests_on.dedup();
    let stacks = rests_on.iter().map(|it| &*snapshot.stacks[*it]);
    let old: Vec<_> = stacks
        .filter(|it| settings.is_old(it, now).is_some())
        .collect();
    let since = old.iter().filter_map(|it| it.state.as_ref()?.modified);
    let Some(oldest) = since.min().and_then(|it| now.duration_since(it).ok()) else {
        return;
    };
    let names = listed(old.len(), old.iter().map(|it| it.name.to_string()));
    let oldest = age(oldest);
    finding.message += &match old.len() {
        1 => format!(" The cached state of {names} is {oldest} old."),
        _ => format!(" The cached states of {names} are up to {oldest} old."),
    };
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::checks::{Settings, run};
    use crate::fixture::{Fixture, hover};

    const DAY: u64 = 24 * 60 * 60;

    /// A stack with a bucket whose state was cached so many seconds ago.
    fn stack(name: &str, ago: u64) -> String {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let inventory = json!({
            "version": 1, "name": name, "cached_at": now.as_secs() - ago,
            "resources": [{
                "address": "aws_s3_bucket.b",
                "provider": "registry.terraform.io/hashicorp/aws",
                "attributes": { "arn": "arn:aws:s3:::x", "tags": {}, "tags_all": {} },
            }],
        });
        format!(
            "#- .gantrycd/state/{name}.json\n{inventory}\n\
             #- {name}/main.tf\nresource \"aws_s3_bucket\" \"b\" {{}}\n"
        )
    }

    /// What is said of how old states are where two stacks have one bucket.
    fn said(ago: [u64; 2], settings: &str, editor: &Value) -> String {
        let file = format!("#- gantrycd.hcl\n{settings}\n");
        let text = [file, stack("a", ago[0]), stack("b", ago[1])].concat();
        let (editor, faults) = Settings::of_editor(editor);
        assert!(faults.is_empty(), "{faults:#?}");
        let findings = run(&Fixture::new(&text).snapshot(), &editor);
        assert_eq!(findings.len(), 2, "{findings:#?}");
        let said = findings.iter().map(|it| {
            let (_, said) = it.message.split_once("the other undoes.").unwrap();
            said.trim_start()
        });
        let said: Vec<_> = said.collect();
        assert_eq!(said[0], said[1]);
        said[0].to_owned()
    }

    const WEEK: &str = "states {\n  max_age_days = 7\n}";

    #[test]
    fn a_finding_says_which_of_its_states_are_old() {
        let none = json!({});
        assert_eq!(said([0, 7 * DAY - 60], WEEK, &none), "");
        assert_eq!(
            said([0, 8 * DAY + 60], WEEK, &none),
            "The cached state of b is 8 days old."
        );
        assert_eq!(
            said([9 * DAY + 60, 8 * DAY], WEEK, &none),
            "The cached states of a and b are up to 9 days old."
        );
        assert_eq!(said([9 * DAY, 8 * DAY], "", &none), "");
        let month = "states {\n  max_age_days = 30\n}";
        assert_eq!(said([9 * DAY, 8 * DAY], month, &none), "");
    }

    #[test]
    fn an_editors_limit_wins_over_the_files() {
        let editor = |days: u64| json!({ "states": { "max_age_days": days } });
        assert_eq!(
            said([0, 2 * DAY + 60], WEEK, &editor(1)),
            "The cached state of b is 2 days old."
        );
        assert_eq!(said([0, 20 * DAY], WEEK, &editor(30)), "");
    }

    #[test]
    fn what_the_configuration_alone_says_rests_on_no_state() {
        let text = [
            format!("#- gantrycd.hcl\n{WEEK}\n"),
            stack("a", 30 * DAY).replace(
                "\"b\" {}",
                "\"b\" {\n  tags = { \"gantrycd:resource-identity-realm\" = \"é\" }\n}",
            ),
        ];
        let findings = run(
            &Fixture::new(&text.concat()).snapshot(),
            &Settings::default(),
        );
        assert_eq!(findings.len(), 1, "{findings:#?}");
        assert_eq!(findings[0].code, "malformed-realm");
        assert!(!findings[0].message.contains(" old"), "{findings:#?}");
    }

    #[test]
    fn the_hover_says_how_old_a_state_is_and_whether_that_is_old() {
        let hover = |ago| {
            let text = format!("#- gantrycd.hcl\n{WEEK}\n{}", stack("a", ago));
            let text = text.replace("resource \"aws", "$0resource \"aws");
            let hover = hover(&text).unwrap();
            hover.lines().last().unwrap().to_owned()
        };
        let recorded = "Recorded in the state of stack `a`, cached";
        assert_eq!(hover(3 * DAY + 60), format!("{recorded} 3 days ago"));
        assert_eq!(
            hover(8 * DAY + 60),
            format!("{recorded} 8 days ago, older than 7 days")
        );
    }
}
