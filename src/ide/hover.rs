//! What gantrycd makes of what stands under the cursor, in Markdown.

mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use crate::checks::Settings;
use crate::checks::settings::States;
use crate::config::{Block, ModuleFile};
use crate::identity::comment::Directive;
use crate::identity::{NoIdentity, Realm, opts_out};
use crate::syntax::BlockId;
use crate::text::Span;
use crate::workspace::{ConfiguredProvider, Place, RowRef, Said, Snapshot, Tag, Use};

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
