//! What gantrycd makes of what stands under the cursor, in Markdown.

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::checks::unreached;
use crate::config::{ModuleFile, Provider, Resource};
use crate::eval;
use crate::identity::comment::Directive;
use crate::identity::{
    Declaration, IDENTITY_TAG, Identity, Mode, NoIdentity, Origin, REALM_TAG, Realm, Section,
    opts_out,
};
use crate::syntax::BlockId;
use crate::text::Span;
use crate::workspace::{Place, RowRef, Served, Snapshot, Stack, Use, default_tags};

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

/// What stands at byte `offset` of a file. `link` gives the address by which an editor opens a
/// place. `None` wherever gantrycd has nothing to say.
pub fn hover(
    snapshot: &Snapshot,
    path: &Path,
    offset: u32,
    link: &dyn Fn(&Place) -> String,
) -> Option<Hover> {
    let file = snapshot.file(path)?;
    let page = Page { snapshot, link };
    if let Some(comment) = file.comments.iter().find(|it| it.span.touches(offset)) {
        let markdown = match &comment.directive {
            Directive::NearMiss { fault, .. } => format!("Not honoured by gantrycd: {fault}."),
            Directive::Ignore { ignore, .. } => page.comment(file, *ignore, comment.honoured()),
        };
        let span = comment.span;
        return Some(Hover { markdown, span });
    }
    let block = file.syntax.block_at(offset)?;
    if let Some(resource) = file.resources.iter().find(|it| it.block == block) {
        let span = [Some(resource.header)]
            .into_iter()
            .chain(gantrycd_tags(file, resource))
            .flatten()
            .find(|it| it.touches(offset))?;
        let markdown = page.resource(file, resource)?;
        return Some(Hover { markdown, span });
    }
    let (_, provider, uses) = snapshot
        .providers()
        .find(|(of, it, _)| it.block == block && of.path == file.path)?;
    let span = provider_spans(provider)
        .into_iter()
        .find(|it| it.touches(offset))?;
    let markdown = page.provider(provider, uses);
    Some(Hover { markdown, span })
}

/// Keys and values of the two tags in a resource's own `tags`.
fn gantrycd_tags(file: &ModuleFile, resource: &Resource) -> Vec<Option<Span>> {
    let tags = file
        .mentions_gantrycd(resource)
        .then(|| file.body(resource)?.tags.as_ref())
        .flatten();
    tags.map(|it| entry_spans(&eval::map(it)))
        .unwrap_or_default()
}

fn entry_spans(tags: &eval::Map) -> Vec<Option<Span>> {
    let ours = |key: &str| key == IDENTITY_TAG || key == REALM_TAG;
    let entries = tags.entries.iter().filter(|it| ours(&it.key));
    entries
        .flat_map(|it| {
            let (eval::Value::Known(_, value)
            | eval::Value::Null(value)
            | eval::Value::Unknown(value)) = &it.value;
            [Some(it.key_span), Some(*value)]
        })
        .collect()
}

fn provider_spans(provider: &Provider) -> Vec<Span> {
    let mut spans = vec![provider.header];
    if let crate::config::DefaultTags::Tags(_, keyword) = &provider.default_tags {
        spans.push(*keyword);
        spans.extend(entry_spans(&default_tags(provider)).into_iter().flatten());
    }
    spans
}

struct Page<'a> {
    snapshot: &'a Snapshot,
    link: &'a dyn Fn(&Place) -> String,
}

impl Page<'_> {
    fn comment(&self, file: &ModuleFile, ignore: bool, block: Option<BlockId>) -> String {
        let resource = file.resources.iter().find(|it| Some(it.block) == block);
        match (resource, ignore) {
            (None, _) => "Not honoured by gantrycd where it stands.".to_owned(),
            (Some(_), false) => {
                "Honoured by gantrycd, and does nothing: `ignore=false`.".to_owned()
            }
            (Some(it), true) => {
                let rows = self.snapshot.rows_of(file, it.block).len();
                let instances = match rows {
                    0 => "It has no instance in a cached state.".to_owned(),
                    1 => "It covers one instance in the cached states.".to_owned(),
                    n => format!("It covers {n} instances in the cached states."),
                };
                format!(
                    "gantrycd gives `{}.{}` no identity, for duplicates and for dependencies. \
                     {instances}",
                    it.resource_type, it.name
                )
            }
        }
    }

    fn resource(&self, file: &ModuleFile, resource: &Resource) -> Option<String> {
        let rows = self.snapshot.rows_of(file, resource.block);
        match rows {
            [] => self.without_row(file, resource),
            [row] => Some(self.row(*row)),
            rows => Some(self.table(rows)),
        }
    }

    /// A block that no cached state has a row of. Said only of what could have an identity.
    fn without_row(&self, file: &ModuleFile, resource: &Resource) -> Option<String> {
        let at = self.snapshot.uses(file).first()?;
        let declared = self.snapshot.node(*at).module.declares(file, resource)?;
        let source = self.snapshot.configured(*at, &declared).source?;
        if !self.snapshot.registry.supports(&source) {
            return None;
        }
        if resource.ignored {
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
        let record = stack.record(at.row);
        let mut lines = Vec::new();
        let subject = match (&row.claim, &row.looks_up) {
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
                        "The {} does not reach it: `{}` takes no tags ({})",
                        self.linked(
                            &format!("{} of default_tags", unreached.declaration),
                            &unreached.place
                        ),
                        record.row.address.resource_type,
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
        lines.extend(self.duplicates(at));
        lines.extend(self.edges(at));
        lines.push(recorded(stack));
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
        let attributes = &self.snapshot.stack(at).record(at.row).row.attributes;
        let declaration =
            Declaration::overlay(attributes.tags.as_ref(), attributes.tags_all.as_ref());
        let from = match declaration.realm {
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
        let site = self.snapshot.row(at).site.as_ref()?;
        let place = Use {
            stack: at.stack,
            node: site.node,
        };
        let configured = self.snapshot.configured(place, &site.declared);
        let Served::Block(file, _) = configured.served else {
            return None;
        };
        let (value, span) = configured.default.known(REALM_TAG)?;
        (value == realm.as_str()).then(|| Place {
            path: file.path.clone(),
            span,
        })
    }

    fn duplicates(&self, at: RowRef) -> Vec<String> {
        let group = self.snapshot.duplicate(at);
        let others = group.into_iter().flat_map(|it| &it.claims);
        let others: Vec<_> = others.filter(|it| **it != at).copied().collect();
        match others.is_empty() {
            true => Vec::new(),
            false => vec![format!("Also claimed by {}", self.named(&others))],
        }
    }

    fn edges(&self, at: RowRef) -> Vec<String> {
        let edges = &self.snapshot.edges;
        let readers: Vec<_> = edges
            .iter()
            .filter(|it| it.owner == at)
            .map(|it| it.reader)
            .collect();
        let owners: Vec<_> = edges
            .iter()
            .filter(|it| it.reader == at)
            .map(|it| it.owner)
            .collect();
        let is_reader = self.snapshot.address(at).mode == Mode::Data;
        let mut lines = Vec::new();
        if !readers.is_empty() {
            lines.push(format!("Read by {}", self.named(&readers)));
        }
        if !owners.is_empty() {
            lines.push(format!("Owned by {}", self.named(&owners)));
        } else if is_reader && self.snapshot.row(at).looks_up.is_some() {
            lines.push("No stack of this workspace owns it".to_owned());
        }
        lines
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
            let (id, realm) = match (&it.claim, &it.looks_up) {
                (Ok(identity), _) => (format!("`{}`", identity.id), identity.realm.as_ref()),
                (_, Some(identity)) => {
                    (format!("reads `{}`", identity.id), identity.realm.as_ref())
                }
                (Err(reason), None) => (format!("none: {reason}"), None),
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

    fn provider(&self, provider: &Provider, uses: &[Use]) -> String {
        let tags = default_tags(provider);
        let mut lines = Vec::new();
        match tags.known(IDENTITY_TAG) {
            Some((value, _)) if opts_out(value) => {
                lines.push("Opts out every resource of this provider that takes tags".to_owned());
            }
            Some((value, _)) => lines.push(format!(
                "The id `{value}` is refused here: {}",
                NoIdentity::IdentityInDefaultTags
            )),
            None => {}
        }
        match tags
            .known(REALM_TAG)
            .map(|(value, _)| (value, Realm::parse(value)))
        {
            Some((value, Ok(_))) => lines.push(format!(
                "Realm `{value}` of every resource of this provider that takes tags"
            )),
            Some((value, Err(why))) => {
                lines.push(format!("The realm `{value}` is malformed: {why}"));
            }
            None if tags.open => {
                lines.push("What its default_tags come to is not known".to_owned())
            }
            None if lines.is_empty() => lines.push("Declares no realm".to_owned()),
            None => {}
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

/// Which state says so, and how old it is.
fn recorded(stack: &Stack) -> String {
    let Some(state) = &stack.state else {
        return String::new();
    };
    let serial = match state.file.serial {
        Some(serial) => format!(", serial {serial}"),
        None => String::new(),
    };
    let age = state
        .modified
        .and_then(|it| SystemTime::now().duration_since(it).ok())
        .map(|it| format!(", cached {} ago", age(it)))
        .unwrap_or_default();
    format!(
        "Recorded in the state of stack `{}`{serial}{age}",
        stack.name
    )
}

fn age(age: Duration) -> String {
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
}
