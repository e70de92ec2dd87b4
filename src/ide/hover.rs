//! What gantrycd makes of what stands under the cursor, in Markdown.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use crate::checks::settings::States;
use crate::checks::{Settings, age, unreached};
use crate::config::{Block, ModuleFile};
use crate::identity::comment::Directive;
use crate::identity::{Declaration, Identity, NoIdentity, Origin, Realm, Section, opts_out};
use crate::syntax::BlockId;
use crate::text::Span;
use crate::workspace::{
    ConfiguredProvider, Place, Planned, RowRef, Said, Snapshot, Stack, Tag, Use, When,
};

use super::settings;

/// What a hover shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// Markdown.
    pub markdown: String,
    /// What it is about, in bytes of the file.
    pub span: Span,
}

/// More rows or stacks than these are counted, not listed.
const MOST_ROWS: usize = 10;

/// The address by which an editor opens a place.
pub type Link<'a> = &'a dyn Fn(&Place) -> String;

/// What stands at byte `offset` of a file. `editor` are an editor's settings. `None` wherever
/// gantrycd has nothing to say.
pub fn hover(
    snapshot: &Snapshot,
    editor: &Settings,
    path: &Path,
    offset: u32,
    link: Link,
) -> Option<Hover> {
    let file = snapshot.file(path)?;
    let page = Page {
        snapshot,
        link,
        states: Settings::in_force(snapshot, editor).states,
    };
    if let Some(comment) = file.comments.iter().find(|it| it.span.touches(offset)) {
        let markdown = match &comment.directive {
            Directive::NearMiss { fault, .. } => format!("Not honoured by gantrycd: {fault}."),
            Directive::Ignore { ignore, .. } => page.comment(file, *ignore, comment.honoured()),
        };
        let span = comment.span;
        return Some(Hover { markdown, span });
    }
    if snapshot
        .workspace_file()
        .is_some_and(|it| *it.path == *path)
        && let Some(hover) = settings::hover(snapshot, editor, file, offset, link)
    {
        return Some(hover);
    }
    // of all places, few have a span that fits
    let within = |place: &Place| place.span.touches(offset) && *place.path == *path;
    let readers: Vec<_> = snapshot.readers(path).into_iter().collect();
    let tag = tag_places(snapshot, &readers).find(|it| within(it));
    let tag = tag.map(|it| it.span);
    let block = file.block_at(offset);
    if let Some(block) = block.as_ref().filter(|it| it.resource().is_some()) {
        let header = Some(block.header).filter(|it| it.touches(offset));
        let span = header.or(tag)?;
        let markdown = page.resource(file, block)?;
        return Some(Hover { markdown, span });
    }
    let provider = |it: &&ConfiguredProvider| {
        let base = it.block.block();
        it.block.file.path == file.path && block.as_ref().is_some_and(|it| it.id == base.id)
    };
    let stacks = readers.iter().map(|it| &snapshot.stacks[*it]);
    let providers: Vec<_> = stacks
        .flat_map(|it| &it.providers)
        .filter(provider)
        .collect();
    if let Some(first) = providers.first() {
        let base = first.block.block();
        let body = first.block.body();
        let defaults = body.blocks("default_tags").map(|it| it.header);
        let mut spans = [base.header].into_iter().chain(defaults).chain(tag);
        let span = spans.find(|it| it.touches(offset))?;
        let source = first.source.as_deref()?;
        let supported = snapshot.registry.supports(source);
        let markdown = supported.then(|| page.provider(first, snapshot.uses(file)))?;
        return Some(Hover { markdown, span });
    }
    let span = tag?;
    let markdown = page.value(&readers, &within)?;
    Some(Hover { markdown, span })
}

/// Where the keys and values of gantrycd tags of these stacks were written.
fn tag_places<'a>(snapshot: &'a Snapshot, stacks: &[usize]) -> impl Iterator<Item = &'a Place> {
    let stacks = stacks.iter().map(|it| &snapshot.stacks[*it]);
    let sections = stacks.flat_map(|stack| {
        let resources = stack
            .configured
            .iter()
            .flat_map(|it| [&it.own, &it.default]);
        resources.chain(stack.providers.iter().map(|it| &it.tags))
    });
    sections
        .flat_map(|it| [&it.identity, &it.realm])
        .flat_map(|it| it.key.as_ref().into_iter().chain(it.place()))
}

struct Page<'a> {
    snapshot: &'a Snapshot,
    link: Link<'a>,
    states: States,
}

impl Page<'_> {
    fn comment(&self, file: &ModuleFile, ignore: bool, block: Option<BlockId>) -> String {
        let block = block.and_then(|it| file.block(it));
        let resource = block.and_then(|it| Some((it.resource()?, it)));
        match (resource, ignore) {
            (None, _) => "Not honoured by gantrycd where it stands.".to_owned(),
            (Some(_), false) => {
                "Honoured by gantrycd, and does nothing: `ignore=false`.".to_owned()
            }
            (Some(((_, resource_type, name), block)), true) => {
                let rows = self.snapshot.rows_of(file, block.id).len();
                let instances = match rows {
                    0 => "It has no instance in a cached state.".to_owned(),
                    1 => "It covers one instance in the cached states.".to_owned(),
                    n => format!("It covers {n} instances in the cached states."),
                };
                format!(
                    "gantrycd gives `{resource_type}.{name}` no identity, for duplicates and for \
                     dependencies. {instances}"
                )
            }
        }
    }

    fn resource(&self, file: &ModuleFile, block: &Block) -> Option<String> {
        let rows = self.snapshot.rows_of(file, block.id);
        match &rows[..] {
            [] => self.without_row(file, block),
            [row] => Some(self.row(*row)),
            rows => Some(self.table(rows)),
        }
    }

    /// A block that no cached state has a row of. Said only of what could have an identity.
    fn without_row(&self, file: &ModuleFile, block: &Block) -> Option<String> {
        let at = self.snapshot.uses(file).first()?;
        let module = &self.snapshot.node(*at).module;
        let provider = module.provider_of(module.declares(file, block)?)?;
        let source = module.source_of(&provider.name)?;
        if !self.snapshot.registry.supports(&source) {
            return None;
        }
        if block.ignored {
            return Some(format!("No identity: {}.", NoIdentity::OptedOutByComment));
        }
        let stack = &self.snapshot.stacks[at.stack];
        Some(match &stack.state {
            None => format!(
                "No identity yet: stack `{}` has no cached state.",
                stack.name
            ),
            Some(_) => format!(
                "No identity yet: the cached state of stack `{}` has no row of it.",
                stack.name
            ),
        })
    }

    fn row(&self, at: RowRef) -> String {
        let stack = self.snapshot.stack(at);
        let row = self.snapshot.row(at);
        let Some(record) = stack.record(at.row) else {
            return self.planned_row(at);
        };
        let mut lines = Vec::new();
        let subject = match (&row.claim, row.looks_up.as_deref()) {
            (Ok(identity), _) => Ok((identity, "Identity")),
            (Err(NoIdentity::DataSource), Some(identity)) => Ok((identity, "Reads")),
            (Err(reason), _) => Err(reason),
        };
        match subject {
            Ok((identity, title)) => {
                lines.push(format!("{title} `{}`", identity.id));
                lines.push(self.origin(at, identity));
                if let Some(unreached) = unreached(self.snapshot, at) {
                    lines.push(format!(
                        "The {} does not reach it: `{}` {} ({})",
                        self.linked(
                            &format!("{} of default_tags", unreached.declaration),
                            &unreached.place
                        ),
                        record.row.address.resource_type,
                        unreached.takes,
                        unreached.evidence
                    ));
                }
            }
            Err(reason) => {
                lines.push(format!("No identity: {reason}"));
            }
        }
        if record.row.deposed.is_some() {
            lines.push("Deposed: the next apply destroys it".to_owned());
        }
        lines.extend(planned(&row.planned));
        lines.extend(self.duplicates(at));
        lines.extend(self.edges(at));
        lines.push(recorded(stack, &self.states));
        lines.join("  \n")
    }

    /// A row that the next apply will make.
    fn planned_row(&self, at: RowRef) -> String {
        let stack = &self.snapshot.stack(at).name;
        let mut lines = vec![format!("Not in the state of stack `{stack}` yet")];
        lines.extend(planned(&self.snapshot.row(at).planned));
        lines.extend(self.duplicates(at));
        lines.extend(self.edges(at));
        lines.join("  \n")
    }

    fn origin(&self, at: RowRef, identity: &Identity) -> String {
        let id = match identity.origin {
            Origin::Declared => "declared by its tag",
            Origin::Discovered => "discovered from its `arn`",
            Origin::Unstated => "as the inventory says",
        };
        let Some(realm) = &identity.realm else {
            return format!("{id}, no realm");
        };
        let record = self.snapshot.stack(at).record(at.row);
        let attributes = record.map(|it| &it.row.attributes);
        let own = attributes.and_then(|it| it.tags.as_deref());
        let all = attributes.and_then(|it| it.tags_all.as_deref());
        let from = match Declaration::overlay(own, all).realm {
            Some((_, Section::Own)) => " from its own tags".to_owned(),
            Some((_, Section::Default)) => match self.default_realm(at, realm) {
                Some(place) => format!(" from {}", self.linked("default_tags", &place)),
                None => " from default_tags".to_owned(),
            },
            None => String::new(),
        };
        format!("{id}, realm `{realm}`{from}")
    }

    /// Where the configuration has the realm that a row got from its default tags.
    fn default_realm(&self, at: RowRef, realm: &Realm) -> Option<Place> {
        let configured = self.snapshot.row(at).configured?;
        let configured = &self.snapshot.stack(at).configured[configured];
        let tag = &configured.default.realm;
        tag.place()
            .filter(|_| tag.text() == Some(realm.as_str()))
            .cloned()
    }

    fn duplicates(&self, at: RowRef) -> Vec<String> {
        let group = self.snapshot.duplicate(at);
        let others = group.into_iter().flat_map(|it| &it.claimants().rows);
        let others: Vec<_> = others.filter(|it| **it != at).copied().collect();
        match others.is_empty() {
            true => Vec::new(),
            false => vec![format!("Also claimed by {}", self.named(&others))],
        }
    }

    fn edges(&self, at: RowRef) -> Vec<String> {
        let readers = self.snapshot.edges_to(at);
        let readers: Vec<_> = readers.iter().map(|it| (it.when, it.reader)).collect();
        let owners = self.snapshot.edges_from(at.stack).iter();
        let owners = owners.filter(|it| it.reader == at);
        let owners: Vec<_> = owners.map(|it| (it.when, it.owner)).collect();
        let mut lines = self.at_times(["Read by", "read by"], &readers);
        lines.extend(self.at_times(["Owned by", "owned by"], &owners));
        let row = self.snapshot.row(at);
        let looked_up = row.planned_look_up().or(row.looks_up.as_deref());
        if let (true, Some(looked_up)) = (owners.is_empty(), looked_up) {
            lines.push(self.unowned(at, looked_up));
        }
        lines
    }

    /// Rows with which one has to do, by when that is.
    fn at_times(&self, [always, sometimes]: [&str; 2], rows: &[(When, RowRef)]) -> Vec<String> {
        let times = [
            (When::Always, always.to_owned()),
            (
                When::UntilApplied,
                format!("Until the next apply: {sometimes}"),
            ),
            (
                When::AfterApply,
                format!("After the next apply: {sometimes}"),
            ),
        ];
        let lines = times.into_iter().filter_map(|(when, label)| {
            let then = rows.iter().filter(|it| it.0 == when);
            let then: Vec<_> = then.map(|it| it.1).collect();
            (!then.is_empty()).then(|| format!("{label} {}", self.named(&then)))
        });
        lines.collect()
    }

    /// That nobody owns what a data source reads, and who would if only the realm were another.
    fn unowned(&self, at: RowRef, looked_up: &Identity) -> String {
        let resource_type = &self.snapshot.address(at).resource_type;
        let near = self
            .snapshot
            .claimed_in_other_realms(looked_up, resource_type);
        let near: Vec<_> = near
            .into_iter()
            .filter(|(_, it)| !self.snapshot.is_same_state(it.stack, at.stack))
            .collect();
        let Some((realm, _)) = near.first() else {
            return "No stack of this workspace owns it".to_owned();
        };
        let own = match &looked_up.realm {
            Some(realm) => format!("in realm `{realm}`"),
            None => "without a realm".to_owned(),
        };
        let theirs = match realm {
            Some(realm) if near.iter().all(|(it, _)| it.as_ref() == Some(realm)) => {
                format!("in realm `{realm}`")
            }
            Some(_) => "in other realms".to_owned(),
            None => "without a realm".to_owned(),
        };
        let rows: Vec<_> = near.iter().map(|(_, row)| *row).collect();
        let claims = if rows.len() == 1 { "claims" } else { "claim" };
        // what has been read has the realm of its owner, what has not is of a realm that is expected
        let so = match self.snapshot.row(at).planned {
            Planned::Reads(_) => "whether that is the object shows when it is read",
            _ => "another object",
        };
        format!(
            "No stack of this workspace owns it {own}. {} {claims} it {theirs}: {so}",
            self.named(&rows)
        )
    }

    fn named(&self, rows: &[RowRef]) -> String {
        let mut names: Vec<_> = rows
            .iter()
            .take(MOST_ROWS)
            .map(|it| {
                let stack = &self.snapshot.stack(*it).name;
                let name = format!("`{}` of `{stack}`", self.snapshot.address(*it));
                match self.snapshot.place(*it) {
                    Some(place) => self.linked(&name, &place),
                    None => name,
                }
            })
            .collect();
        if rows.len() > MOST_ROWS {
            names.push(format!("{} more", rows.len() - MOST_ROWS));
        }
        names.join(", ")
    }

    fn linked(&self, text: &str, place: &Place) -> String {
        format!("[{text}]({})", (self.link)(place))
    }

    fn table(&self, rows: &[RowRef]) -> String {
        let mut out = String::from("| stack | address | identity | realm |\n|---|---|---|---|\n");
        for row in rows.iter().take(MOST_ROWS) {
            let it = self.snapshot.row(*row);
            let (id, realm) = match (&it.claim, it.looks_up.as_deref()) {
                (Ok(identity), _) => (format!("`{}`", identity.id), identity.realm.as_ref()),
                (_, Some(identity)) => {
                    (format!("reads `{}`", identity.id), identity.realm.as_ref())
                }
                (Err(reason), None) => match it.planned_look_up() {
                    Some(identity) => (
                        format!("will read `{}`", identity.id),
                        identity.realm.as_ref(),
                    ),
                    None => (format!("none: {reason}"), None),
                },
            };
            let realm = realm.map(|it| format!("`{it}`")).unwrap_or_default();
            let stack = &self.snapshot.stack(*row).name;
            let address = self.snapshot.address(*row).to_string().replace('|', "\\|");
            out += &format!(
                "| `{stack}` | `{address}` | {} | {realm} |\n",
                id.replace('|', "\\|")
            );
        }
        if rows.len() > MOST_ROWS {
            out += &format!("\nand {} more\n", rows.len() - MOST_ROWS);
        }
        for row in rows.iter().take(MOST_ROWS) {
            for line in self.duplicates(*row).into_iter().chain(self.edges(*row)) {
                out += &format!("\n`{}`: {line}  ", self.snapshot.address(*row));
            }
        }
        out
    }

    /// A gantrycd tag that was written neither in a resource nor in a provider block.
    fn value(&self, stacks: &[usize], within: &dyn Fn(&Place) -> bool) -> Option<String> {
        let is_here =
            |tag: &Tag| tag.key.as_ref().is_some_and(within) || tag.place().is_some_and(within);
        let mut lines: Vec<String> = Vec::new();
        let mut reached = BTreeSet::new();
        for at in stacks {
            for configured in &self.snapshot.stacks[*at].configured {
                for section in [&configured.own, &configured.default] {
                    let realm = Some(&section.realm).filter(|it| is_here(it));
                    let identity = Some(&section.identity).filter(|it| is_here(it));
                    if realm.is_none() && identity.is_none() {
                        continue;
                    }
                    reached.insert((at, configured.site, configured.row));
                    for line in said(identity, realm, "what takes tags of what it reaches") {
                        if !lines.contains(&line) {
                            lines.push(line);
                        }
                    }
                }
            }
        }
        let count = reached.len();
        let resources = if count == 1 { "resource" } else { "resources" };
        lines.push(format!("It reaches {count} {resources}"));
        (count > 0).then(|| lines.join("  \n"))
    }

    fn provider(&self, provider: &ConfiguredProvider, uses: &[Use]) -> String {
        let tags = &provider.tags;
        let whom = "every resource of this provider that takes tags";
        let mut lines = said(Some(&tags.identity), Some(&tags.realm), whom);
        if matches!(tags.realm.value, Said::Unknown) {
            lines.push("What its default_tags come to is not known".to_owned());
        } else if lines.is_empty() {
            lines.push("Declares no realm".to_owned());
        }
        let mut stacks: Vec<_> = uses
            .iter()
            .map(|it| format!("`{}`", self.snapshot.stacks[it.stack].name))
            .collect();
        stacks.dedup();
        let more = stacks.len().saturating_sub(MOST_ROWS);
        stacks.truncate(MOST_ROWS);
        let and_more = match more {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        if !stacks.is_empty() {
            lines.push(format!("Part of {}{and_more}", stacks.join(", ")));
        }
        lines.join("  \n")
    }
}

/// What two tags say.
fn said(identity: Option<&Tag>, realm: Option<&Tag>, whom: &str) -> Vec<String> {
    let mut lines = Vec::new();
    match identity.and_then(Tag::text) {
        Some(value) if opts_out(value) => lines.push(format!("Opts out {whom}")),
        Some(value) if whom.starts_with("every") => lines.push(format!(
            "The id `{value}` is refused here: {}",
            NoIdentity::IdentityInDefaultTags
        )),
        Some(value) => lines.push(format!("Id `{value}`")),
        None => {}
    }
    match realm.and_then(Tag::text).map(|it| (it, Realm::parse(it))) {
        Some((value, Ok(_))) => lines.push(format!("Realm `{value}` of {whom}")),
        Some((value, Err(why))) => lines.push(format!("The realm `{value}` is malformed: {why}")),
        None => {}
    }
    lines
}

/// What a row will be after the next apply, when it is something else now.
fn planned(planned: &Planned) -> Option<String> {
    match planned {
        Planned::Same => None,
        Planned::Gone => Some("After the next apply: not in the state any more".to_owned()),
        Planned::Changed(Ok(identity)) => Some(format!(
            "After the next apply: identity {}",
            in_realm(identity)
        )),
        Planned::Reads(Some(identity)) => Some(format!(
            "After the next apply: reads {}",
            in_realm(identity)
        )),
        Planned::Reads(None) => Some(
            "After the next apply: reads another object, in a realm that is not known".to_owned(),
        ),
        Planned::Changed(Err(reason)) => {
            Some(format!("After the next apply: no identity: {reason}"))
        }
    }
}

/// An id and its realm.
fn in_realm(identity: &Identity) -> String {
    match &identity.realm {
        Some(realm) => format!("`{}`, realm `{realm}`", identity.id),
        None => format!("`{}`, no realm", identity.id),
    }
}

/// Which state says so, and how old it is.
fn recorded(stack: &Stack, states: &States) -> String {
    let Some(state) = &stack.state else {
        return String::new();
    };
    let serial = match state.file.serial {
        Some(serial) => format!(", serial {serial}"),
        None => String::new(),
    };
    let now = SystemTime::now();
    let age = state
        .modified
        .and_then(|it| now.duration_since(it).ok())
        .map(|it| format!(", cached {} ago", age(it)))
        .unwrap_or_default();
    let old = match states.is_old(stack, now) {
        Some(1) => ", older than one day".to_owned(),
        Some(days) => format!(", older than {days} days"),
        None => String::new(),
    };
    format!(
        "Recorded in the state of stack `{}`{serial}{age}{old}",
        stack.name
    )
}

#[cfg(test)]
mod tests {
    use crate::fixture::hover;

    const STATES: &str = r#"
#- account/terraform.tfstate
aws_acm_certificate.c arn=arn:aws:acm:eu-west-1:111122223333:certificate/1 all-realm=live
aws_s3_bucket.b["x"] arn=arn:aws:s3:::x
aws_s3_bucket.b["y"] arn=arn:aws:s3:::y
aws_kms_alias.k arn=arn:aws:kms:eu-west-1:111122223333:alias/k untaggable
#- account/main.tf
provider "aws" {
  default_tags {
    tags = { "gantrycd:resource-identity-realm" = "live" }
  }
}
resource "aws_acm_certificate" "c" {}
resource "aws_s3_bucket" "b" {
  for_each = toset(["x", "y"])
}
resource "aws_kms_alias" "k" {}
#- web/terraform.tfstate
data.aws_acm_certificate.c arn=arn:aws:acm:eu-west-1:111122223333:certificate/1 realm=live
data.aws_iam_role.nobodys arn=arn:aws:iam::111122223333:role/r
aws_s3_bucket.b arn=arn:aws:s3:::x
aws_iam_policy.p arn=arn:aws:iam::aws:policy/ReadOnlyAccess
#- web/main.tf
data "aws_acm_certificate" "c" {}
data "aws_iam_role" "nobodys" {}
resource "aws_s3_bucket" "b" {
  tags = { "gantrycd:resource-identity-realm" = null }
}
resource "aws_iam_policy" "p" {}
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "new" {}
resource "aws_sqs_queue" "newer" {}
resource "google_storage_bucket" "g" {}
locals {}
"#;

    /// The hover at the start of `at`, whose first occurrence gets the cursor.
    fn at(at: &str) -> String {
        let text = STATES.replacen(at, &format!("$0{at}"), 1);
        assert_ne!(text, STATES, "{at} is not there");
        hover(&text).unwrap_or_default()
    }

    #[test]
    fn what_a_resource_is_and_who_reads_it() {
        assert_eq!(
            at("resource \"aws_acm"),
            "Identity `arn:aws:acm:eu-west-1:111122223333:certificate/1`  \n\
             discovered from its `arn`, realm `live` from [default_tags](account/main.tf:3)  \n\
             Read by [`data.aws_acm_certificate.c` of `web`](web/main.tf:1)  \n\
             Recorded in the state of stack `account`, serial 1"
        );
    }

    #[test]
    fn why_a_realm_does_not_reach_it() {
        assert_eq!(
            at("resource \"aws_kms_alias"),
            "Identity `arn:aws:kms:eu-west-1:111122223333:alias/k`  \n\
             discovered from its `arn`, no realm  \n\
             The [realm live of default_tags](account/main.tf:3) does not reach it: \
             `aws_kms_alias` takes no tags (as aws_kms_alias.k in this stack's state shows)  \n\
             Recorded in the state of stack `account`, serial 1"
        );
    }

    #[test]
    fn who_owns_what_a_data_source_reads() {
        assert_eq!(
            at("data \"aws_acm"),
            "Reads `arn:aws:acm:eu-west-1:111122223333:certificate/1`  \n\
             discovered from its `arn`, realm `live` from its own tags  \n\
             Owned by [`aws_acm_certificate.c` of `account`](account/main.tf:6)  \n\
             Recorded in the state of stack `web`, serial 1"
        );
        assert!(at("data \"aws_iam_role").contains("No stack of this workspace owns it"));
    }

    #[test]
    fn a_table_for_many_instances() {
        assert_eq!(
            at("resource \"aws_s3_bucket\" \"b\" {\n  for_each"),
            "| stack | address | identity | realm |\n|---|---|---|---|\n\
             | `account` | `aws_s3_bucket.b[\"x\"]` | `arn:aws:s3:::x` |  |\n\
             | `account` | `aws_s3_bucket.b[\"y\"]` | `arn:aws:s3:::y` |  |\n\n\
             `aws_s3_bucket.b[\"x\"]`: Also claimed by [`aws_s3_bucket.b` of `web`](web/main.tf:3)  "
        );
    }

    #[test]
    fn why_there_is_none() {
        assert_eq!(
            at("resource \"aws_iam_policy"),
            "No identity: the arn does not name one object: it is an object that AWS publishes \
             and nobody owns  \nRecorded in the state of stack `web`, serial 1"
        );
        assert_eq!(
            at("resource \"aws_sqs_queue\" \"new\""),
            "No identity: an ignore comment opts this resource out."
        );
        assert_eq!(
            at("resource \"aws_sqs_queue\" \"newer\""),
            "No identity yet: the cached state of stack `web` has no row of it."
        );
    }

    #[test]
    fn tags_comments_and_providers() {
        assert!(
            at("\"gantrycd:resource-identity-realm\" = null")
                .starts_with("Identity `arn:aws:s3:::x`")
        );
        assert_eq!(
            at("gantrycd:resource-identity: ignore=true"),
            "gantrycd gives `aws_sqs_queue.new` no identity, for duplicates and for dependencies. \
             It has no instance in a cached state."
        );
        let realm = "Realm `live` of every resource of this provider that takes tags  \n\
                     Part of `account`";
        assert_eq!(at("provider \"aws\""), realm);
        assert_eq!(at("default_tags {"), realm);
        assert_eq!(at("live\" }\n  }"), realm);
    }

    #[test]
    fn silent_where_gantrycd_has_nothing_to_say() {
        assert_eq!(at("resource \"google"), "");
        assert_eq!(at("locals {}"), "");
        assert_eq!(at("for_each"), "");
    }

    /// A stack that owns a load balancer, in a realm or not, and one that is to read it. A file
    /// without a text is not there.
    fn reading(owner: &str, [net, web, row]: [&str; 3]) -> String {
        let arn = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/web/1";
        let file = |name: &str, text: &str| match text {
            "" => String::new(),
            text => format!("#- {name}\n{text}\n"),
        };
        let rows = format!("aws_lb.web arn=LB {owner}\naws_lb.other arn=LB-other");
        let files = [
            file("net/main.tf", net),
            file("net/terraform.tfstate", &rows),
            file("web/main.tf", web),
            file("web/terraform.tfstate", row),
            file("web/backend.tf", "terraform {\n  backend \"s3\" {}\n}"),
        ];
        let text = files.concat().replace("LB", arn);
        hover(&text).unwrap_or_default().replace(arn, "LB")
    }

    const OWNERS: &str = "resource \"aws_lb\" \"web\" {}\nresource \"aws_lb\" \"other\" {}";

    #[test]
    fn what_a_data_source_will_read() {
        let data = "$0data \"aws_lb\" \"web\" {\n  arn = \"LB\"\n}";
        assert_eq!(
            reading("", [OWNERS, data, ""]),
            "Not in the state of stack `web` yet  \n\
             After the next apply: reads `LB`, no realm  \n\
             After the next apply: owned by [`aws_lb.web` of `net`](net/main.tf:1)"
        );
        assert_eq!(
            reading("realm=live", ["", data, ""]),
            "Not in the state of stack `web` yet  \n\
             After the next apply: reads `LB`, no realm  \n\
             No stack of this workspace owns it without a realm. `aws_lb.web` of `net` claims it in \
             realm `live`: whether that is the object shows when it is read"
        );
        let edited = data.replace("LB", "LB-other");
        assert_eq!(
            reading("", ["", &edited, "data.aws_lb.web arn=LB"]),
            "Reads `LB`  \n\
             discovered from its `arn`, no realm  \n\
             After the next apply: reads `LB-other`, no realm  \n\
             Until the next apply: owned by `aws_lb.web` of `net`  \n\
             After the next apply: owned by `aws_lb.other` of `net`  \n\
             Recorded in the state of stack `web`, serial 1"
        );
    }

    #[test]
    fn who_owns_it_but_for_the_realm() {
        let told = |owner: &str, row: &str| {
            let data = "$0data \"aws_lb\" \"web\" {}";
            let row = format!("data.aws_lb.web arn=LB {row}");
            let found = reading(owner, ["", data, &row]);
            found.split("  \n").nth(2).unwrap().to_owned()
        };
        assert_eq!(told("", ""), "Owned by `aws_lb.web` of `net`");
        let apart = |own: &str, theirs: &str| {
            format!(
                "No stack of this workspace owns it {own}. `aws_lb.web` of `net` claims it {theirs}: \
                 another object"
            )
        };
        assert_eq!(
            told("realm=a", "realm=b"),
            apart("in realm `b`", "in realm `a`")
        );
        assert_eq!(
            told("", "realm=b"),
            apart("in realm `b`", "without a realm")
        );
        assert_eq!(
            told("realm=a", ""),
            apart("without a realm", "in realm `a`")
        );
        assert_eq!(told("id=null", ""), "No stack of this workspace owns it");
    }

    #[test]
    fn who_will_read_a_resource() {
        let data = "data \"aws_lb\" \"web\" {\n  arn = \"LB\"\n}";
        assert_eq!(
            reading("", [&format!("$0{OWNERS}"), data, ""]),
            "Identity `LB`  \ndiscovered from its `arn`, no realm  \n\
             After the next apply: read by [`data.aws_lb.web` of `web`](web/main.tf:1)  \n\
             Recorded in the state of stack `net`, serial 1"
        );
    }
}
