//! `explain`: everything that gantrycd knows of a resource, for a person or a program.

use std::process::ExitCode;

use serde::Serialize;

use crate::checks;
use crate::ide::explain::{
    Asked, ConfiguredTag, ConfiguredTags, Explained, Near, Relation, explain, find, render,
};
use crate::identity::{Consulted, Decision, Heard, Identity, Origin, RuleStep, Section, Trace};
use crate::workspace::{Outlook, Planned, RowRef, Said, Snapshot, Unknown, header};

use super::output::{Columns, Location, Named, Reason, StateAndTime, VERSION};
use super::{Format, On};

/// What to explain, and in what.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// ADDRESS or STACK/ADDRESS (without its key: every instance), an ARN or a declared id, or
    /// FILE:LINE[:COLUMN]
    subject: String,
    #[command(flatten)]
    on: On,
    /// In the stack of this name only
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,
}

/// Explains what the subject names. The exit code is 1 where nothing is found.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let Arguments { subject, on, stack } = arguments;
    let read = super::read(&on.path)?;
    let snapshot = &read.snapshot;
    super::warn_of_states(snapshot);
    let directory = std::env::current_dir().map_err(|it| it.to_string())?;
    let found = match find(snapshot, subject, &directory, stack.as_deref()) {
        Ok(found) => found,
        Err(why) => {
            eprintln!("{why}");
            if on.format == Format::Json {
                super::print_json(&Explanation {
                    version: VERSION,
                    subject,
                    asked: None,
                    not_found: Some(&why),
                    resources: Vec::new(),
                    more: 0,
                })?;
            }
            return Ok(ExitCode::from(1));
        }
    };
    let findings = checks::run(snapshot, &Default::default());
    let all = found.targets.iter();
    let all: Vec<_> = all.map(|it| explain(snapshot, &findings, it)).collect();
    match on.format {
        Format::Text => {
            let coloured = super::coloured();
            super::print(&render(snapshot, subject, &found, &all, coloured))?;
        }
        Format::Json => super::print_json(&Explanation {
            version: VERSION,
            subject,
            asked: Some(match found.asked {
                Asked::Address => "address",
                Asked::Identity => "identity",
                Asked::Place => "place",
            }),
            not_found: None,
            resources: all.iter().map(|it| resource(snapshot, it)).collect(),
            more: found.more,
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Explanation<'a> {
    version: u32,
    /// What was asked for, as it was written.
    subject: &'a str,
    /// What it was taken for: `address`, `identity` or `place`; null where nothing was found.
    asked: Option<&'a str>,
    /// Where nothing was found: what is nearest, in a line.
    not_found: Option<&'a str>,
    resources: Vec<Resource<'a>>,
    /// How many other resources were found, and are not explained.
    more: usize,
}

#[derive(Serialize)]
struct Resource<'a> {
    stack: &'a str,
    /// As the state has it; without keys of a block that no state has an instance of.
    address: String,
    /// `is` it, `claims` the identity that was asked for, `will-claim` it, `reads` it, or `records`
    /// the ARN and claims another identity or none.
    relation: &'a str,
    mode: &'a str,
    r#type: &'a str,
    /// The provider source; null where the configuration alone cannot say.
    provider: Option<&'a str>,
    /// The key of a deposed object.
    deposed: Option<&'a str>,
    state: Option<StateAndTime<'a>>,
    /// Whether the state has a row of it.
    is_recorded: bool,
    /// The header of the block that declares it or, without one, of the `removed` or `import` block
    /// about it.
    source: Option<Location>,
    /// The module call by which a block under `.terraform` gets here.
    call: Option<Location>,
    #[serde(flatten)]
    identity: Columns<'a>,
    /// `declared`, `discovered` or `unstated`: where the id comes from.
    origin: Option<&'a str>,
    no_identity: Option<Reason<'a>>,
    looks_up: Option<Columns<'a>>,
    /// How what is recorded was decided.
    recorded: Option<Recorded<'a>>,
    /// What becomes of it in the next apply.
    planned: Option<After<'a>>,
    /// What the configuration says of its tags.
    configured: Option<Configured<'a>>,
    takes_tags: Option<TakesTags>,
    /// The realm or the opt-out of `default_tags` that does not reach it.
    unreached: Option<Unreached<'a>>,
    claimed_by: Vec<Named<'a>>,
    claimed_after_apply_by: Vec<Named<'a>>,
    read_by: Vec<Named<'a>>,
    read_after_apply_by: Vec<Named<'a>>,
    owned_by: Vec<Named<'a>>,
    owned_after_apply_by: Vec<Named<'a>>,
    /// What has its id and type in another realm: never its duplicate, its owner or its reader.
    near: Vec<NearMatch<'a>>,
    findings: Vec<Finding<'a>>,
}

/// The rules in the order of decision. The last step decides.
#[derive(Serialize)]
struct Recorded<'a> {
    steps: Vec<Step<'a>>,
    /// The rules behind it, by name.
    not_reached: Vec<&'a str>,
}

#[derive(Serialize)]
struct Step<'a> {
    /// The stable name of the rule.
    rule: &'a str,
    question: &'a str,
    consulted: Vec<Says<'a>>,
    /// `passed` or `decided`.
    outcome: &'a str,
    #[serde(flatten)]
    identity: Columns<'a>,
    no_identity: Option<Reason<'a>>,
}

/// A section that a rule consulted.
#[derive(Serialize)]
struct Says<'a> {
    section: &'a str,
    /// Which tag.
    key: Option<&'a str>,
    value: Option<&'a str>,
    /// Without a value: in which way there is none.
    absent: Option<&'a str>,
    counts: bool,
    /// Where it is written, of a comment.
    source: Option<Location>,
}

#[derive(Serialize)]
struct After<'a> {
    /// `same`, `changed` or `gone`.
    outcome: &'a str,
    /// The stable name of why it is so.
    why: &'a str,
    /// Its address then, when `moved` blocks give it another.
    moved_to: Option<String>,
    /// What it will be, where that changes.
    #[serde(flatten)]
    identity: Columns<'a>,
    no_identity: Option<Reason<'a>>,
    /// Of a data source that will read another object, or has not read any yet: by what its owner
    /// is looked up then, where that is known.
    looks_up: Option<Columns<'a>>,
    /// The rules again, where its tags as configured decide.
    steps: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Configured<'a> {
    /// The provider block that serves it.
    provider: Option<Location>,
    tags: Vec<Tag<'a>>,
    ignore_changes: Option<Location>,
    ignore_tags: Option<Location>,
}

#[derive(Serialize)]
struct Tag<'a> {
    /// `tags` or `default_tags`.
    section: &'a str,
    key: &'a str,
    /// `absent`, `text`, `sensitive` or `unknown`.
    says: &'a str,
    value: Option<&'a str>,
    counts: bool,
    /// Where the key is written.
    key_source: Option<Location>,
    /// Where the value is written; of a computed one, the expression.
    source: Option<Location>,
    computed: bool,
    /// The references that the value came through, the last one first.
    through: Vec<Through<'a>>,
    /// What is not known, as far as that can be said.
    unknown: Vec<NotKnown<'a>>,
}

#[derive(Serialize)]
struct Through<'a> {
    reference: &'a str,
    #[serde(flatten)]
    location: Location,
}

#[derive(Serialize)]
struct NotKnown<'a> {
    reference: &'a str,
    why: String,
    #[serde(flatten)]
    location: Location,
}

#[derive(Serialize)]
struct TakesTags {
    takes: bool,
    /// In words.
    how: String,
    evidence: String,
}

#[derive(Serialize)]
struct Unreached<'a> {
    declaration: &'a str,
    source: Location,
}

#[derive(Serialize)]
struct NearMatch<'a> {
    #[serde(flatten)]
    row: Named<'a>,
    /// `claims`, `will-claim`, `reads` or `will-read`.
    relation: &'a str,
    cloud_identity_realm: Option<&'a str>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(flatten)]
    location: Location,
}

fn resource<'a>(snapshot: &'a Snapshot, it: &'a Explained) -> Resource<'a> {
    let stack = &snapshot.stacks[it.stack];
    let record = it.record(snapshot);
    let row = it.row.map(|at| snapshot.row(at));
    // of what is not there yet nothing is recorded
    let decided = row.filter(|_| record.is_some());
    let claim = decided.and_then(|it| it.claim.as_ref().ok());
    let location = |place: &_| Location::new(snapshot, place);
    let named = |rows: &[RowRef]| rows.iter().map(|it| Named::new(snapshot, *it)).collect();
    let planned = it.outlook.as_ref();
    Resource {
        stack: &stack.name,
        address: it.address.to_string(),
        relation: relation(it.relation),
        mode: it.address.mode.as_str(),
        r#type: &it.address.resource_type,
        provider: it.source.as_deref(),
        deposed: record.and_then(|it| it.row.deposed.as_deref()),
        state: stack
            .state
            .as_ref()
            .map(|it| StateAndTime::new(snapshot, it)),
        is_recorded: record.is_some(),
        source: it.block.as_ref().map(|it| location(&header(it))),
        call: it.call.as_ref().map(location),
        identity: Columns::new(claim),
        origin: claim.map(|it| match it.origin {
            Origin::Declared => "declared",
            Origin::Discovered => "discovered",
            Origin::Unstated => "unstated",
        }),
        no_identity: decided
            .and_then(|it| it.claim.as_ref().err())
            .map(Reason::new),
        looks_up: decided
            .and_then(|it| it.looks_up.as_ref())
            .map(|it| Columns::new(Some(it))),
        recorded: it.trace.as_ref().map(|trace| recorded(snapshot, it, trace)),
        planned: planned.map(|outlook| after(snapshot, it, outlook)),
        configured: it.tags.as_ref().map(|it| configured(snapshot, it)),
        takes_tags: it.takes.as_ref().map(|(takes, evidence)| TakesTags {
            takes: *takes == crate::workspace::tag_support::Takes::Map,
            how: takes.to_string(),
            evidence: evidence.to_string(),
        }),
        unreached: it.unreached.as_ref().map(|it| Unreached {
            declaration: &it.declaration,
            source: location(&it.place),
        }),
        claimed_by: named(&it.claimed_by),
        claimed_after_apply_by: named(&it.claimed_after),
        read_by: named(&it.readers),
        read_after_apply_by: named(&it.readers_after),
        owned_by: named(&it.owners),
        owned_after_apply_by: named(&it.owners_after),
        near: it.near.iter().map(|it| near(snapshot, it)).collect(),
        findings: it
            .findings
            .iter()
            .map(|it| Finding {
                code: it.code,
                severity: it.severity.as_str(),
                message: &it.message,
                location: location(&it.place),
            })
            .collect(),
    }
}

fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Claims => "claims",
        Relation::WillClaim => "will-claim",
        Relation::Reads => "reads",
        Relation::WillRead => "will-read",
        Relation::Records => "records",
        Relation::Is => "is",
    }
}

/// The two columns of a decision, and the reason of one for none.
fn decided(decision: Option<&Decision>) -> (Columns<'_>, Option<Reason<'_>>) {
    let identity: Option<&Identity> = decision.and_then(|it| it.as_ref().ok());
    let reason = decision.and_then(|it| it.as_ref().err());
    (Columns::new(identity), reason.map(Reason::new))
}

fn recorded<'a>(snapshot: &Snapshot, of: &Explained, trace: &'a Trace) -> Recorded<'a> {
    Recorded {
        steps: steps(snapshot, of, trace),
        not_reached: trace.not_reached.iter().map(|it| it.name).collect(),
    }
}

fn steps<'a>(snapshot: &Snapshot, of: &Explained, trace: &'a Trace) -> Vec<Step<'a>> {
    let step = |it: &'a RuleStep| {
        let (identity, no_identity) = decided(it.decision.as_ref());
        let consulted = it.consulted.iter();
        Step {
            rule: it.rule.name,
            question: it.rule.question,
            consulted: consulted.map(|it| section(snapshot, of, it)).collect(),
            outcome: match it.decision {
                Some(_) => "decided",
                None => "passed",
            },
            identity,
            no_identity,
        }
    };
    trace.steps.iter().map(step).collect()
}

fn section<'a>(snapshot: &Snapshot, of: &Explained, it: &'a Consulted) -> Says<'a> {
    let comment = of.comment.as_ref().filter(|_| it.section == "comment");
    let (value, absent) = match &it.heard {
        Heard::Text(text) => (Some(&**text), None),
        Heard::Nothing(how) => (None, Some(*how)),
    };
    Says {
        section: it.section,
        key: it.key,
        value,
        absent,
        counts: it.counts,
        source: comment.map(|it| Location::new(snapshot, it)),
    }
}

fn after<'a>(snapshot: &'a Snapshot, of: &'a Explained, outlook: &'a Outlook) -> After<'a> {
    let moved_to = of.row.and_then(|it| snapshot.row(it).moved_to.as_ref());
    let (outcome, decision, looks_up) = match &outlook.planned {
        Planned::Same => ("same", None, None),
        Planned::Changed(decision) => ("changed", Some(decision), None),
        Planned::Reads(identity) => ("changed", None, identity.as_ref()),
        Planned::Gone => ("gone", None, None),
    };
    let (identity, no_identity) = decided(decision);
    After {
        outcome,
        why: outlook.why.name(),
        moved_to: moved_to.map(|it| it.to_string()),
        identity,
        no_identity,
        looks_up: looks_up.map(|it| Columns::new(Some(it))),
        steps: of
            .trace_after
            .as_ref()
            .map_or_else(Vec::new, |it| steps(snapshot, of, it)),
    }
}

fn configured<'a>(snapshot: &Snapshot, it: &'a ConfiguredTags) -> Configured<'a> {
    let location = |place: &_| Location::new(snapshot, place);
    Configured {
        provider: it.provider.as_ref().map(|it| location(&header(it))),
        tags: it.tags.iter().map(|it| tag(snapshot, it)).collect(),
        ignore_changes: it.ignore_changes.as_ref().map(location),
        ignore_tags: it.ignore_tags.as_ref().map(location),
    }
}

fn tag<'a>(snapshot: &Snapshot, it: &'a ConfiguredTag) -> Tag<'a> {
    let location = |place: &_| Location::new(snapshot, place);
    let (says, value, origin) = match &it.tag.value {
        Said::Absent => ("absent", None, None),
        Said::Text(text, origin) => ("text", Some(&**text), origin.as_ref()),
        Said::Sensitive => ("sensitive", None, None),
        Said::Unknown => ("unknown", None, None),
    };
    let through = origin.into_iter().flat_map(|it| it.references());
    Tag {
        section: match it.section {
            Section::Own => "tags",
            Section::Default => "default_tags",
        },
        key: it.key,
        says,
        value,
        counts: it.counts,
        key_source: it.tag.key.as_ref().map(location),
        source: origin.map(|it| location(&it.place)),
        computed: origin.is_some_and(|it| it.computed),
        through: through
            .map(|it| Through {
                reference: &it.reference,
                location: location(&it.place),
            })
            .collect(),
        unknown: it
            .unknown
            .iter()
            .map(|it: &Unknown| NotKnown {
                reference: &it.reference,
                why: it.why.to_string(),
                location: location(&it.place),
            })
            .collect(),
    }
}

fn near<'a>(snapshot: &'a Snapshot, it: &'a Near) -> NearMatch<'a> {
    NearMatch {
        row: Named::new(snapshot, it.row),
        relation: relation(it.relation),
        cloud_identity_realm: it.realm.as_ref().map(|it| it.as_str()),
    }
}
