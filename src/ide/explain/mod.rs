//! Everything that gantrycd knows of a resource, and how it came to it.
//!
//! Decides nothing: the steps are those of the decision itself, and the rest is looked up. Plain
//! data, and a text of it.

mod nearest;
mod subject;
mod text;

pub use subject::{Asked, Found, Relation, Target, find};
pub use text::render;

use arcstr::ArcStr;

use crate::checks::{Finding, Unreached, unreached};
use crate::config::Declared;
use crate::identity::comment::Directive;
use crate::identity::{
    Address, IDENTITY_TAG, Identity, Mode, NoIdentity, REALM_TAG, Realm, Section, Trace,
};
use crate::state::Record;
use crate::workspace::tag_support::{Evidence, Takes, support};
use crate::workspace::{
    Configured, Edge, Group, Outlook, Place, Planned, RowRef, Said, Snapshot, Tag, Unknown, When,
    header, ignores_tags,
};

/// A resource, as far as gantrycd knows it.
pub struct Explained<'a> {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// Its address; without keys of a block that has no row.
    pub address: Address,
    /// How it is related to what was asked for.
    pub relation: Relation,
    /// Its row, recorded or claimed in advance; `None` of a block that has neither.
    pub row: Option<RowRef>,
    /// Its provider source in full, where it can be said.
    pub source: Option<ArcStr>,
    /// The block that declares it or, without one, the `removed` or `import` block about it.
    pub block: Option<Declared>,
    /// Of a block under `.terraform`: the call of its module that a person may edit.
    pub call: Option<Place>,
    /// The ignore comment that opts its block out.
    pub comment: Option<Place>,
    /// How what is recorded was decided; `None` of what no state has.
    pub trace: Option<Trace>,
    /// What becomes of its row in the next apply, and why.
    pub outlook: Option<Outlook>,
    /// How what it will be is decided, where its tags as configured decide.
    pub trace_after: Option<Trace>,
    /// What the configuration says of its tags. Of a managed resource only: what a data source says
    /// of tags is what it looks for.
    pub tags: Option<ConfiguredTags>,
    /// Whether its type takes tags, and what says so.
    pub takes: Option<(Takes, Evidence)>,
    /// The declaration of default tags that does not reach it.
    pub unreached: Option<Unreached>,
    /// Who else claims the same object now.
    pub claimed_by: Vec<RowRef>,
    /// Who else will claim the same object after the next apply.
    pub claimed_after: Vec<RowRef>,
    /// Which data sources of other stacks read it now.
    pub readers: Vec<RowRef>,
    /// Which will read it after the next apply.
    pub readers_after: Vec<RowRef>,
    /// Of a data source: which resources of other stacks it reads now.
    pub owners: Vec<RowRef>,
    /// Which it will read after the next apply.
    pub owners_after: Vec<RowRef>,
    /// What has its id and its type, and another realm.
    pub near: Vec<Near>,
    /// The findings that stand on it.
    pub findings: Vec<&'a Finding>,
}

/// What the configuration says of the tags of a resource.
pub struct ConfiguredTags {
    /// Both tags in both sections: own before default, identity before realm.
    pub tags: [ConfiguredTag; 4],
    /// The provider block that serves it.
    pub provider: Option<Declared>,
    /// The `ignore_changes` that keeps an edit of tags from being applied, or may keep it.
    pub ignore_changes: Option<Place>,
    /// The `ignore_tags` of its provider, which may keep tags from the state.
    pub ignore_tags: Option<Place>,
}

/// What one section of the configuration says of one tag.
pub struct ConfiguredTag {
    /// Which section.
    pub section: Section,
    /// Which tag.
    pub key: &'static str,
    /// What it says.
    pub tag: Tag,
    /// Whether it is the one that counts.
    pub counts: bool,
    /// Where nobody can tell: by what references, as far as that can be said.
    pub unknown: Vec<Unknown>,
}

/// A row with the same id and type, and another realm.
pub struct Near {
    /// The row.
    pub row: RowRef,
    /// What it does with the id.
    pub relation: Relation,
    /// Its realm.
    pub realm: Option<Realm>,
}

/// Explains one of the resources that were found. `findings` are those of the snapshot.
pub fn explain<'a>(snapshot: &Snapshot, findings: &'a [Finding], target: &Target) -> Explained<'a> {
    let stack = &snapshot.stacks[target.stack];
    let address = &target.address;
    let row = target.row.map(|at| (at, snapshot.row(at)));
    let outlook = target.row.map(|it| snapshot.outlook(it));
    let configured = match &outlook {
        Some(_) => None,
        None => snapshot.declared(target.stack, address),
    };
    let configured = outlook
        .as_ref()
        .map_or(configured.as_ref(), |it| it.configured.as_ref());
    let site = row.map_or(configured.map(|it| it.site), |(_, it)| it.site);
    let block = match (site, row) {
        (Some(site), _) => Some(stack.resource(site).base().clone()),
        (None, Some((_, row))) => row.instead.as_deref().cloned(),
        (None, None) => None,
    };
    let after = outlook.as_ref().and_then(|it| it.after.as_ref());
    let trace_after = after.map(|after| {
        let ignored = block.as_ref().is_some_and(|it| it.block().ignored);
        snapshot.registry.case(after, ignored).trace()
    });
    let record = row.and_then(|(at, _)| stack.record(at.row));
    let source = match record {
        Some(record) => Some(record.row.provider.clone()),
        None => configured.and_then(|it| it.source.as_deref().map(Into::into)),
    };
    let related = row.map(|(at, _)| Relations::of(snapshot, at));
    let Relations {
        claimed_by,
        claimed_after,
        readers,
        readers_after,
        owners,
        owners_after,
        near,
    } = related.unwrap_or_default();
    let takes = source.as_ref().filter(|_| address.mode == Mode::Managed);
    let takes = takes.and_then(|it| support(stack, &address.resource_type, it));
    let is_gone = matches!(&outlook, Some(it) if matches!(it.planned, Planned::Gone));
    let tags = configured.filter(|_| address.mode == Mode::Managed && !is_gone);
    let tags = tags.map(|it| {
        let moved_to = row.and_then(|(_, row)| row.moved_to.as_deref());
        let takes_none = takes.as_ref().is_some_and(|(it, _)| *it != Takes::Map);
        let at = (target.stack, moved_to.unwrap_or(address));
        configured_tags(snapshot, at, it, !takes_none)
    });
    let shown = site.and_then(|it| snapshot.site_place(stack, it));
    let call = shown.filter(|it| block.as_ref().is_some_and(|block| header(block) != *it));
    let mut explained = Explained {
        stack: target.stack,
        address: address.clone(),
        relation: target.relation,
        row: target.row,
        call,
        comment: block.as_ref().and_then(comment),
        block,
        trace: target.row.and_then(|it| snapshot.trace(it)),
        tags,
        takes,
        source,
        unreached: target.row.and_then(|it| unreached(snapshot, it)),
        trace_after,
        outlook,
        claimed_by,
        claimed_after,
        readers,
        readers_after,
        owners,
        owners_after,
        near,
        findings: Vec::new(),
    };
    let about = findings
        .iter()
        .filter(|it| explained.is_concerned(snapshot, it));
    explained.findings = about.collect();
    explained
}

/// The comment that opts a block out.
fn comment(block: &Declared) -> Option<Place> {
    let opts_out = |it: &Directive| matches!(it, Directive::Ignore { ignore: true, .. });
    let mut comments = block.file.comments.iter();
    let id = block.block().id;
    let comment = comments.find(|it| opts_out(&it.directive) && it.honoured() == Some(id))?;
    Some(Place {
        path: block.file.path.clone(),
        span: comment.span,
    })
}

/// What the configuration says of the tags of an address. None of it counts unless tags `reach` it.
fn configured_tags(
    snapshot: &Snapshot,
    (stack, address): (usize, &Address),
    configured: &Configured,
    reach: bool,
) -> ConfiguredTags {
    let (own, default) = (&configured.own, &configured.default);
    let tag = |section, key: &'static str| {
        let (tag, other) = match (section, key) {
            (Section::Own, IDENTITY_TAG) => (&own.identity, None),
            (Section::Own, _) => (&own.realm, None),
            (Section::Default, IDENTITY_TAG) => (&default.identity, Some(&own.identity)),
            (Section::Default, _) => (&default.realm, Some(&own.realm)),
        };
        let is_unknown = matches!(tag.value, Said::Unknown);
        ConfiguredTag {
            section,
            key,
            tag: tag.clone(),
            counts: reach && !tag.is_absent() && !is_unknown && other.is_none_or(Tag::is_absent),
            unknown: match is_unknown {
                true => snapshot.unknowns(stack, address, section, key),
                false => Vec::new(),
            },
        }
    };
    let resource = snapshot.stacks[stack].resource(configured.site);
    let changes = resource
        .lifecycle("ignore_changes")
        .filter(|_| resource.may_ignore_changes(&ignores_tags));
    let provider = configured.provider.clone();
    let ignoring = provider
        .as_ref()
        .filter(|_| configured.ignored.may_hide_ours());
    ConfiguredTags {
        tags: [
            tag(Section::Own, IDENTITY_TAG),
            tag(Section::Own, REALM_TAG),
            tag(Section::Default, IDENTITY_TAG),
            tag(Section::Default, REALM_TAG),
        ],
        ignore_changes: changes.map(|it| Place {
            path: it.file.path.clone(),
            span: it.value.span,
        }),
        ignore_tags: ignoring.map(|it| {
            let body = it.body();
            let block = body.blocks("ignore_tags").next();
            Place {
                span: block.map_or(it.block().header, |it| it.header),
                ..header(it)
            }
        }),
        provider,
    }
}

impl Explained<'_> {
    /// What the state says of it; `None` of what is not there yet.
    pub fn record<'s>(&self, snapshot: &'s Snapshot) -> Option<&'s Record> {
        snapshot.stacks[self.stack].record(self.row?.row)
    }

    /// Whether a finding stands on this resource: it names it, stands in its block, or at a tag that
    /// it has. One about rows that are one object is about these alone.
    fn is_concerned(&self, snapshot: &Snapshot, finding: &Finding) -> bool {
        let stack = &snapshot.stacks[self.stack];
        let address = Some(self.address.to_string());
        if finding.stack.as_ref() == Some(&stack.name) && finding.address == address {
            return true;
        }
        if let Some(group) = group_of(snapshot, finding) {
            let mut claims = group.claimants().rows.iter();
            let own = |it: &RowRef| {
                self.row
                    .is_some_and(|own| snapshot.is_same_address(*it, own))
            };
            return self.has_place(&finding.place) && claims.any(own);
        }
        let tags = self.tags.iter().flat_map(|it| &it.tags);
        let mut places = tags
            .filter(|it| it.counts)
            .flat_map(|it| it.tag.key.iter().chain(it.tag.place()));
        self.is_in_block(&finding.place)
            || places.any(|it| *it == finding.place) && self.is_read(snapshot, finding)
    }

    fn is_in_block(&self, place: &Place) -> bool {
        let block = self.block.as_ref();
        block.is_some_and(|it| it.file.path == place.path && it.block().span.contains(place.span))
    }

    /// Whether it is shown at a place.
    fn has_place(&self, place: &Place) -> bool {
        self.is_in_block(place) || self.call.as_ref() == Some(place)
    }

    /// Whether a finding at a tag that it has is of any consequence to it. One that refuses it an
    /// identity is of none where something before it decides.
    fn is_read(&self, snapshot: &Snapshot, finding: &Finding) -> bool {
        let Some(row) = self.row.map(|it| snapshot.row(it)) else {
            return true;
        };
        let planned = match &row.planned {
            Planned::Changed(Err(reason)) => Some(reason.name()),
            _ => None,
        };
        let now = row.claim.as_ref().err().map(NoIdentity::name);
        NoIdentity::from_name(finding.code, None).is_none()
            || [now, planned].contains(&Some(finding.code))
    }
}

/// The duplicates that a finding is about.
fn group_of<'a>(snapshot: &'a Snapshot, finding: &Finding) -> Option<&'a Group> {
    if !finding.code.starts_with("duplicate-") {
        return None;
    }
    let mut groups = snapshot.duplicates();
    groups.find(|group| {
        let mut claims = group.claimants().rows.iter();
        claims.any(|it| {
            finding.stack.as_ref() == Some(&snapshot.stack(*it).name)
                && finding.address.as_ref() == Some(&snapshot.address(*it).to_string())
        })
    })
}

/// How a row stands to those of other stacks.
#[derive(Default)]
struct Relations {
    claimed_by: Vec<RowRef>,
    claimed_after: Vec<RowRef>,
    readers: Vec<RowRef>,
    readers_after: Vec<RowRef>,
    owners: Vec<RowRef>,
    owners_after: Vec<RowRef>,
    near: Vec<Near>,
}

impl Relations {
    fn of(snapshot: &Snapshot, at: RowRef) -> Self {
        let row = snapshot.row(at);
        let address = snapshot.address(at);
        let others = |identity: Option<&Identity>, when: usize| {
            let claimants = identity.map(|it| snapshot.claimants(it, &address.resource_type));
            let rows = claimants
                .map(|it| it[when].rows.clone())
                .unwrap_or_default();
            let others = rows
                .into_iter()
                .filter(|it| !snapshot.is_same_address(*it, at));
            others.collect::<Vec<_>>()
        };
        let is_here = |it: RowRef| it.stack == at.stack && snapshot.address(it) == address;
        let to_it = snapshot.edges().filter(|it| is_here(it.owner));
        let to_it: Vec<&Edge> = to_it.collect();
        let from_it = snapshot.edges_from(at.stack).iter();
        let from_it: Vec<&Edge> = from_it.filter(|it| is_here(it.reader)).collect();
        let those = |edges: &[&Edge], stands: fn(When) -> bool, end: fn(&Edge) -> RowRef| {
            let edges = edges.iter().filter(|it| stands(it.when));
            edges.map(|it| end(it)).collect()
        };
        let (reader, owner) = (|it: &Edge| it.reader, |it: &Edge| it.owner);
        Self {
            claimed_by: others(row.claim.as_ref().ok(), 0),
            claimed_after: others(row.planned_claim(), 1),
            readers: those(&to_it, When::is_now, reader),
            readers_after: those(&to_it, When::is_after, reader),
            owners: those(&from_it, When::is_now, owner),
            owners_after: those(&from_it, When::is_after, owner),
            near: near(snapshot, at),
        }
    }
}

/// The rows that differ from one in the realm alone: what would be its duplicate, its owner or its
/// reader.
fn near(snapshot: &Snapshot, at: RowRef) -> Vec<Near> {
    let row = snapshot.row(at);
    let address = snapshot.address(at);
    let identity = match (&row.claim, row.looks_up.as_deref()) {
        (Ok(claim), _) => claim,
        (_, Some(looked_up)) => looked_up,
        (Err(_), None) => match row.planned_claim().or(row.planned_look_up()) {
            Some(planned) => planned,
            None => return Vec::new(),
        },
    };
    let mut found = Vec::new();
    for (stack, it) in snapshot.stacks.iter().enumerate() {
        for (at_row, other) in it.rows.iter().enumerate() {
            let (relation, theirs) = match (&other.claim, other.looks_up.as_deref()) {
                (Ok(claim), _) => (Relation::Claims, claim),
                (_, Some(_)) if address.mode == Mode::Data => continue,
                (_, Some(looked_up)) => (Relation::Reads, looked_up),
                (Err(_), None) => match (other.planned_claim(), other.planned_look_up()) {
                    (Some(planned), _) => (Relation::WillClaim, planned),
                    (None, Some(_)) if address.mode == Mode::Data => continue,
                    (None, Some(planned)) => (Relation::WillRead, planned),
                    (None, None) => continue,
                },
            };
            let row = RowRef { stack, row: at_row };
            if theirs.id == identity.id
                && theirs.realm != identity.realm
                && snapshot.address(row).resource_type == address.resource_type
                && !snapshot.is_same_address(row, at)
            {
                let realm = theirs.realm.clone();
                found.push(Near {
                    row,
                    relation,
                    realm,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::fixture::Fixture;

    /// What `of` says of the only resource that a subject names.
    #[track_caller]
    fn told<T>(fixture: &str, subject: &str, of: impl FnOnce(&Snapshot, &Explained) -> T) -> T {
        let fixture = Fixture::new(fixture);
        let snapshot = fixture.snapshot();
        let found = find(&snapshot, subject, &snapshot.root, None).unwrap();
        let [target] = &found.targets[..] else {
            panic!("{found:#?}");
        };
        let findings = checks::run(&snapshot, &Default::default());
        of(&snapshot, &explain(&snapshot, &findings, target))
    }

    fn named(snapshot: &Snapshot, rows: &[RowRef]) -> Vec<String> {
        let name =
            |it: &RowRef| format!("{} of {}", snapshot.address(*it), snapshot.stack(*it).name);
        rows.iter().map(name).collect()
    }

    /// The codes of the findings that stand on it.
    fn codes(_: &Snapshot, it: &Explained) -> Vec<&'static str> {
        it.findings.iter().map(|it| it.code).collect()
    }

    const SHARED: &str = r#"
#- a/main.tf
resource "aws_s3_bucket" "b" {
  for_each = toset(["x", "y", "z"])
}
#- a/terraform.tfstate
aws_s3_bucket.b["x"] arn=arn:aws:s3:::x
aws_s3_bucket.b["y"] arn=arn:aws:s3:::y
aws_s3_bucket.b["z"] arn=arn:aws:s3:::z
#- b/main.tf
resource "aws_s3_bucket" "x" {
  tags = { "gantrycd:resource-identity-realm" = "mine" }
}
resource "aws_s3_bucket" "z" {}
data "aws_s3_bucket" "y" {}
data "aws_s3_bucket" "w" {}
#- b/terraform.tfstate
aws_s3_bucket.x arn=arn:aws:s3:::x
aws_s3_bucket.z arn=arn:aws:s3:::z
data.aws_s3_bucket.y arn=arn:aws:s3:::y
data.aws_s3_bucket.w arn=arn:aws:s3:::y realm=other
#- c.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::y realm=c
aws_s3_bucket.l arn=arn:aws:s3:::x realm=mine
"#;

    #[test]
    fn who_else_claims_it_now_and_after_the_next_apply() {
        let claims = |subject: &str| {
            told(SHARED, subject, |snapshot, it| {
                [&it.claimed_by, &it.claimed_after].map(|it| named(snapshot, it).join(", "))
            })
        };
        // the realm takes one of them elsewhere
        assert_eq!(
            claims(r#"aws_s3_bucket.b["x"]"#),
            ["aws_s3_bucket.x of b", ""]
        );
        assert_eq!(
            claims("b/aws_s3_bucket.x"),
            [r#"aws_s3_bucket.b["x"] of a"#, "aws_s3_bucket.l of c"]
        );
        assert_eq!(
            claims(r#"aws_s3_bucket.b["z"]"#),
            ["aws_s3_bucket.z of b"; 2]
        );
        assert_eq!(claims(r#"aws_s3_bucket.b["y"]"#), [""; 2]);
    }

    #[test]
    fn who_reads_it_and_what_only_the_realm_keeps_apart() {
        let others = |subject: &str| {
            told(SHARED, subject, |snapshot, it| {
                let near = it.near.iter().map(|it| {
                    let name = named(snapshot, &[it.row]).remove(0);
                    let realm = it.realm.as_ref().map_or("none", |it| it.as_str());
                    format!("{name} {:?} {realm}", it.relation)
                });
                let rows = [&it.readers, &it.owners].map(|it| named(snapshot, it).join(", "));
                (rows, near.collect::<Vec<_>>())
            })
        };
        let (rows, near) = others(r#"aws_s3_bucket.b["y"]"#);
        assert_eq!(rows, ["data.aws_s3_bucket.y of b", ""]);
        assert_eq!(
            near,
            [
                "data.aws_s3_bucket.w of b Reads other",
                "aws_s3_bucket.b of c Claims c"
            ]
        );
        let (rows, near) = others("data.aws_s3_bucket.w");
        assert_eq!(rows, ["", ""]);
        assert_eq!(
            near,
            [
                r#"aws_s3_bucket.b["y"] of a Claims none"#,
                "aws_s3_bucket.b of c Claims c"
            ]
        );
        let (rows, _) = others("data.aws_s3_bucket.y");
        assert_eq!(rows, ["", r#"aws_s3_bucket.b["y"] of a"#]);
    }

    #[test]
    fn the_findings_that_stand_on_it_and_not_on_its_neighbours() {
        let duplicate = "duplicate-identity";
        assert_eq!(told(SHARED, r#"aws_s3_bucket.b["x"]"#, codes), [duplicate]);
        assert_eq!(told(SHARED, r#"aws_s3_bucket.b["z"]"#, codes), [duplicate]);
        assert!(told(SHARED, r#"aws_s3_bucket.b["y"]"#, codes).is_empty());
        assert_eq!(told(SHARED, "b/aws_s3_bucket.z", codes), [duplicate]);

        // where the value is written, and where it does nothing
        let realm = r#"
#- main.tf
locals {
  realm = "a b"
}
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = local.realm }
  }
}
resource "aws_sqs_queue" "q" {}
resource "aws_sqs_queue" "other" {
  tags = { "gantrycd:resource-identity-realm" = "own" }
}
resource "aws_kms_alias" "k" {
  tags = { "gantrycd:resource-identity" = "x" }
}
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "ignored" {}
#- terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:000000000000:q all-realm=a
aws_sqs_queue.ignored arn=arn:aws:sqs:us-east-1:000000000000:i all-realm=a
aws_sqs_queue.other arn=arn:aws:sqs:us-east-1:000000000000:o realm=own
aws_kms_alias.k arn=arn:aws:kms:us-east-1:000000000000:alias/k untaggable
"#;
        assert_eq!(told(realm, "aws_sqs_queue.q", codes), ["malformed-realm"]);
        assert_eq!(told(realm, "aws_kms_alias.k", codes), ["untaggable-type"]);
        assert!(told(realm, "aws_sqs_queue.other", codes).is_empty());
        assert!(told(realm, "aws_sqs_queue.ignored", codes).is_empty());
    }

    #[test]
    fn of_two_sections_one_counts_unless_its_type_takes_no_tags() {
        let text = |kind: &str| {
            format!(
                r#"
#- main.tf
provider "aws" {{
  default_tags {{
    tags = {{
      "gantrycd:resource-identity"       = "null"
      "gantrycd:resource-identity-realm" = "default"
    }}
  }}
}}
resource "{kind}" "r" {{
  tags = {{ "gantrycd:resource-identity-realm" = "own" }}
}}
"#
            )
        };
        let counting = |kind: &str| {
            let address = format!("{kind}.r");
            told(&text(kind), &address, |_, it| {
                let tags = it.tags.as_ref().unwrap().tags.iter();
                let counting = tags.filter(|it| it.counts);
                counting
                    .map(|it| it.tag.text().unwrap().to_owned())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(counting("aws_sqs_queue"), ["own", "null"]);
        assert!(counting("aws_kms_alias").is_empty());
        // nobody knows whether the type takes tags
        assert_eq!(counting("aws_unheard_of"), ["own", "null"]);
    }

    #[test]
    fn a_deposed_object_is_another_row_and_no_other_claim() {
        let text = r#"
#- main.tf
resource "aws_s3_bucket" "b" {}
#- terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b
aws_s3_bucket.b arn=arn:aws:s3:::b deposed=abcd1234
"#;
        let fixture = Fixture::new(text);
        let snapshot = fixture.snapshot();
        let found = find(&snapshot, "aws_s3_bucket.b", &snapshot.root, None).unwrap();
        assert_eq!(found.targets.len(), 2);
        for target in &found.targets {
            let it = explain(&snapshot, &[], target);
            assert!(it.claimed_by.is_empty() && it.near.is_empty());
        }
    }
}
