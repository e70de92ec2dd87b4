//! The two tags in a map under the cursor: where its keys get to tags that gantrycd reads, they and
//! their values could be written there.
//!
//! Others complete what Terraform knows, in the same editor. Wherever it is not certain that a key
//! gets to such tags, nothing is offered.

use std::path::Path;
use std::sync::Arc;

use crate::config::ModuleFile;
use crate::identity::{IDENTITY_TAG, REALM_TAG};
use crate::syntax::{self, Cursor, Word, WordKind};
use crate::text::{Source, Span};
use crate::workspace::{Reach, Snapshot};

use super::completion::{Completion, CompletionKind};

/// A key that nobody writes, in quotes.
const PROBE: &str = "\"gantrycd:(on trial)\"";

/// What could be written at byte `offset` of a configuration file that is no JSON.
pub(super) fn complete(snapshot: &Snapshot, file: &ModuleFile, offset: u32) -> Vec<Completion> {
    let Some(cursor) = file.syntax().and_then(|it| it.cursor(offset)) else {
        return Vec::new();
    };
    let writing = Writing {
        source: file.source(),
        path: &file.path,
        offset,
        cursor: &cursor,
    };
    match &cursor.before[..] {
        [] => writing.keys(snapshot),
        [key, equals] if equals.kind == WordKind::Equals => writing.values(snapshot, *key),
        _ => Vec::new(),
    }
}

/// What is being written.
struct Writing<'a> {
    source: &'a Source,
    path: &'a Arc<Path>,
    offset: u32,
    cursor: &'a Cursor,
}

/// The file with an entry on trial in the place of what is being written.
struct Trial {
    file: Arc<ModuleFile>,
    key: Span,
    /// The other keys of the map, without quotes.
    beside: Vec<String>,
}

impl Writing<'_> {
    fn keys(&self, snapshot: &Snapshot) -> Vec<Completion> {
        let (word, typed) = (self.word(), self.typed());
        let fits = |key: &&str| typed.is_empty() || key.starts_with(typed);
        let keys: Vec<&str> = [REALM_TAG, IDENTITY_TAG].into_iter().filter(fits).collect();
        if keys.is_empty() || self.is_before_a_quote() {
            return Vec::new();
        }
        let has_value = self.goes_on_with(&["=", ":"]);
        let entry = match has_value {
            true => PROBE.to_owned(),
            false => format!("{PROBE} = \"\""),
        };
        let Some((trial, reach)) = self.reach(snapshot, self.quoted(word), &entry) else {
            return Vec::new();
        };
        let free = keys.into_iter();
        let free = free.filter(|key| !trial.beside.iter().any(|it| it == key));
        let complete = |key: &str| {
            let (open, close) = match word.kind {
                WordKind::Text(true) => ("", ""),
                WordKind::Text(false) => ("", "\""),
                _ => ("\"", "\""),
            };
            let written = format!("{open}{key}{close}");
            // what is closed already, its value follows
            let (value, with_stop) = match has_value || close.is_empty() {
                true => ("", None),
                false => (" = ", Some(format!("{written} = \"$1\""))),
            };
            Completion {
                name: key.to_owned(),
                kind: CompletionKind::Key,
                detail: None,
                about: about(key, reach).to_owned(),
                span: word.span,
                new_text: written + value,
                snippet: with_stop,
            }
        };
        free.map(complete).collect()
    }

    fn values(&self, snapshot: &Snapshot, key: Word) -> Vec<Completion> {
        let name = self.source.slice(key.span);
        let is_text = matches!(key.kind, WordKind::Text(true));
        let (word, typed) = (self.word(), self.typed());
        let in_quotes = matches!(word.kind, WordKind::Text(_));
        // without quotes it is to be a reference
        let is_open = in_quotes || typed.is_empty() || "null".starts_with(typed);
        let computes = ["${", "%{"].iter().any(|it| typed.contains(it));
        if computes || !is_text || ![REALM_TAG, IDENTITY_TAG].contains(&name) || !is_open {
            return Vec::new();
        }
        if self.is_before_a_quote() {
            return Vec::new();
        }
        let start = self.quoted(key).start;
        let item = Span {
            start,
            end: self.quoted(word).end,
        };
        let entry = format!("{PROBE} = \"\"");
        let Some((_, reach)) = self.reach(snapshot, item, &entry) else {
            return Vec::new();
        };
        let value = |value: &str, detail: Option<String>, about: &str| Completion {
            name: value.to_owned(),
            kind: CompletionKind::Value,
            detail,
            about: about.to_owned(),
            span: word.span,
            new_text: match word.kind {
                WordKind::Text(true) => value.to_owned(),
                WordKind::Text(false) => format!("{value}\""),
                _ => format!("\"{value}\""),
            },
            snippet: None,
        };
        match name {
            IDENTITY_TAG => vec![value("null", Some("opt out".to_owned()), opting_out(reach))],
            _ if !in_quotes && !typed.is_empty() => Vec::new(),
            _ => {
                let realms = self.realms(snapshot, typed);
                let offered = realms.into_iter().map(|(realm, stacks)| {
                    let detail = match stacks {
                        1 => "used by 1 stack".to_owned(),
                        n => format!("used by {n} stacks"),
                    };
                    value(&realm, Some(detail), "")
                });
                offered.collect()
            }
        }
    }

    /// The realms in use, those first that most stacks use. What is being typed is none, as long as
    /// nobody else uses it.
    fn realms(&self, snapshot: &Snapshot, typed: &str) -> Vec<(String, usize)> {
        let readers = snapshot.readers(self.path);
        let is_new = |realm: &str| {
            realm == typed && {
                let mut stacks = snapshot.stacks.iter().enumerate();
                stacks.all(|(at, it)| {
                    readers.contains(&at) || !it.realms.iter().any(|it| it.as_str() == realm)
                })
            }
        };
        let counts = snapshot.realms().into_iter();
        let mut realms: Vec<_> = counts
            .filter(|(realm, _)| !is_new(realm.as_str()))
            .map(|(realm, count)| (realm.as_str().to_owned(), count))
            .collect();
        realms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        realms
    }

    /// The word at the cursor. A text that is not closed goes on with what follows on its line: of it,
    /// what is before the cursor.
    fn word(&self) -> Word {
        let mut word = self.cursor.word;
        if word.kind == WordKind::Text(false) {
            word.span.end = self.offset;
        }
        word
    }

    /// What is typed of it, up to the cursor.
    fn typed(&self) -> &str {
        let start = self.cursor.word.span.start;
        self.source.slice(Span {
            start,
            end: self.offset,
        })
    }

    /// A word with its quotes.
    fn quoted(&self, word: Word) -> Span {
        let Span { start, end } = word.span;
        match word.kind {
            WordKind::Text(is_closed) => Span {
                start: start - 1,
                end: end + u32::from(is_closed),
            },
            _ => word.span,
        }
    }

    /// What follows the word on its line.
    fn rest(&self) -> &str {
        let end = self.quoted(self.word()).end;
        let rest = self.source.text().get(end as usize..).unwrap_or_default();
        rest.lines().next().unwrap_or_default().trim_start()
    }

    fn goes_on_with(&self, marks: &[&str]) -> bool {
        marks.iter().any(|it| self.rest().starts_with(it))
    }

    /// Whether a text begins right at the cursor, which is in no word.
    fn is_before_a_quote(&self) -> bool {
        let word = self.cursor.word;
        let rest = self.source.text().get(self.offset as usize..);
        word.kind == WordKind::Other
            || word.kind == WordKind::Name
                && word.span.is_empty()
                && rest.is_some_and(|it| it.starts_with('"'))
    }

    /// Where an entry gets to that begins with [`PROBE`] in the place of `span`. `None` where that is
    /// nowhere.
    fn reach(&self, snapshot: &Snapshot, span: Span, entry: &str) -> Option<(Trial, Reach)> {
        // a block's braces are around no map
        self.cursor.around.last().filter(|it| it.bracket == b'{')?;
        let is_last = self.rest().is_empty() || self.goes_on_with(&[",", "}", "=", ":", "#", "//"]);
        let mut text = entry.to_owned();
        if !is_last {
            text.push('\n');
        }
        let trial = self.on_trial(span, &text)?;
        let reach = snapshot.reach(&trial.file, trial.key);
        reach.is_any().then_some((trial, reach))
    }

    /// The text with `entry` in the place of `span`. Of the brackets around it, as many are closed
    /// behind it as it takes to make its block whole.
    fn on_trial(&self, span: Span, entry: &str) -> Option<Trial> {
        let text = self.source.text();
        let key = Span::new(span.range().start, span.range().start + PROBE.len());
        let mut closers = String::new();
        let mut first = None;
        for bracket in [None]
            .into_iter()
            .chain(self.cursor.around.iter().rev().map(Some))
        {
            match bracket.map(|it| it.bracket) {
                None => {}
                Some(b'{') => closers.push_str("\n}"),
                Some(b'(') => closers.push(')'),
                Some(_) => closers.push(']'),
            }
            let (before, behind) = (&text[..span.range().start], &text[span.range().end..]);
            let changed = [before, entry, &closers, behind].concat();
            let file = ModuleFile::read(self.path.clone(), Source::new(&changed));
            let Some(at) = file.entry_at(key) else {
                continue;
            };
            let others = at.entries().iter().filter(|it| it.key.span() != key);
            let beside = others.filter_map(|it| match &it.key {
                syntax::Key::Name(name) => Some((*name.text).to_owned()),
                syntax::Key::Expression(key) => Some(key.literal()?.0.to_owned()),
            });
            let is_whole = match file.block_at(key.start) {
                Some(block) => file.body(block.id).unreadable.is_empty(),
                None => file.top_level().unreadable.is_empty(),
            };
            let trial = Trial {
                beside: beside.collect(),
                file: file.into(),
                key,
            };
            if is_whole {
                return Some(trial);
            }
            first = first.or(Some(trial));
        }
        first
    }
}

fn about(key: &str, reach: Reach) -> &'static str {
    match (key, reach.own) {
        (REALM_TAG, _) => {
            "The realm within which the ids of these resources are unique. Two resources are one \
             object only where the realm is the same, too."
        }
        (_, true) => {
            "The id by which gantrycd knows this resource, instead of its ARN. `\"null\"` opts it \
             out."
        }
        (_, false) => {
            "One id cannot name every resource of a provider: here only `\"null\"` is allowed, which \
             opts out all of them."
        }
    }
}

fn opting_out(reach: Reach) -> &'static str {
    match reach.own {
        true => "gantrycd gives the resource no identity, for duplicates and for dependencies.",
        false => {
            "gantrycd gives no resource of this provider configuration an identity, for duplicates \
             and for dependencies."
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::completions;

    const REALM: &str = "gantrycd:resource-identity-realm";
    const ID: &str = "gantrycd:resource-identity";

    /// Stacks of three realms, of which two use one.
    const REALMS: &str = r#"
#- r1/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b1 realm=live
#- r2/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b2 realm=live
#- r3/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::b3 realm=dev
"#;

    fn offered(text: &str) -> Vec<(String, String)> {
        let file = if text.contains("#- ") {
            ""
        } else {
            "#- a/main.tf\n"
        };
        completions(&format!("{REALMS}{file}{text}"))
    }

    /// The names that are offered at the cursor.
    #[track_caller]
    fn names(text: &str) -> Vec<String> {
        offered(text).into_iter().map(|(name, _)| name).collect()
    }

    /// The line once the name is chosen at the cursor.
    #[track_caller]
    fn chosen(text: &str, name: &str) -> String {
        let offered = offered(text);
        let mut chosen = offered.iter().filter(|it| it.0 == name);
        let (_, line) = chosen
            .next()
            .unwrap_or_else(|| panic!("{text}: {offered:#?}"));
        assert!(chosen.next().is_none(), "twice");
        line.clone()
    }

    /// A queue with these tags.
    fn queue(tags: &str) -> String {
        format!("resource \"aws_sqs_queue\" \"q\" {{\n  tags = {tags}\n}}\n")
    }

    #[test]
    fn the_two_keys_in_tags() {
        for tags in [
            "{ $0 }",
            "{$0}",
            "{\n    $0\n  }",
            "{ gan$0 }",
            "{ \"gan$0\" }",
            "{ \"$0\" = \"x\" }",
            "{\n    Name = \"x\"\n    gan$0\n  }",
            "{ Name = \"x\", gan$0 }",
            "{ gan$0, Name = \"x\" }",
            "{ gan$0 Name = \"x\" }",
            "{ gan$0 : \"x\" }",
            "merge(local.common, { gan$0 })",
            "merge({ gan$0 }, var.more)",
            "true ? { gan$0 } : {}",
            "tomap({ gan$0 })",
            "({ gan$0 })",
        ] {
            let text = queue(tags)
                + "locals {\n  common = {}\n}\nvariable \"more\" {\n  type = map(string)\n}\n";
            assert_eq!(names(&text), [REALM, ID], "{text}");
        }
        // one that is there is not offered again
        for key in [REALM, ID] {
            let other = if key == ID { REALM } else { ID };
            let text = queue(&format!("{{\n    \"{key}\" = \"x\"\n    $0\n  }}"));
            assert_eq!(names(&text), [other]);
            let text = queue(&format!("{{\n    $0\n    \"{key}\" : \"x\"\n  }}"));
            assert_eq!(names(&text), [other]);
        }
        assert_eq!(
            names(&queue(&format!("{{ \"{REALM}$0\" = \"x\" }}"))),
            [REALM]
        );
    }

    #[test]
    fn a_key_is_written_as_far_as_it_is_not_there_yet() {
        let line = |tags: &str| chosen(&queue(tags), REALM);
        let key = "\"gantrycd:resource-identity-realm\"";
        assert_eq!(line("{ gan$0 }"), format!("  tags = {{ {key} =  }}"));
        assert_eq!(line("{ $0 }"), format!("  tags = {{ {key} =  }}"));
        assert_eq!(
            line("{ gan$0 = \"x\" }"),
            format!("  tags = {{ {key} = \"x\" }}")
        );
        assert_eq!(
            line("{ gan$0: \"x\" }"),
            format!("  tags = {{ {key}: \"x\" }}")
        );
        assert_eq!(line("{ \"gan$0\" }"), format!("  tags = {{ {key} }}"));
        assert_eq!(
            line("{ \"gan$0try\" = 1 }"),
            format!("  tags = {{ {key} = 1 }}")
        );
        assert_eq!(line("{ \"gan$0 }"), format!("  tags = {{ {key} =  }}"));
        assert_eq!(line("{\n    \"gan$0\n  }"), format!("    {key} = "));
        assert_eq!(
            line("{\n    é = 1, \"gan$0\n  }"),
            format!("    é = 1, {key} = ")
        );
    }

    #[test]
    fn wherever_a_key_gets_to_tags() {
        let uses = queue("merge(local.common, { Name = \"q\" })");
        for text in [
            format!("locals {{\n  common = {{ gan$0 }}\n}}\n{uses}"),
            format!("locals {{\n  common = merge(local.more, {{}})\n  more = {{\n    gan$0\n  }}\n}}\n{uses}"),
            format!("locals {{\n  all = {{ sqs = {{ gan$0 }} }}\n  common = local.all.sqs\n}}\n{uses}"),
            format!("variable \"t\" {{\n  default = {{ gan$0 }}\n}}\nlocals {{\n  common = var.t\n}}\n{uses}"),
            format!("locals {{\n  common = {{ for k, v in {{ gan$0 }} : k => v }}\n}}\n{uses}"),
            // each instance has its own
            "locals {\n  queues = {\n    a = { tags = { gan$0 } }\n  }\n}\nresource \"aws_sqs_queue\" \"q\" {\n  \
             for_each = local.queues\n  tags = each.value.tags\n}\n"
                .to_owned(),
            "provider \"aws\" {\n  default_tags {\n    tags = { gan$0 }\n  }\n}\n".to_owned(),
            "provider \"aws\" {\n  default_tags {\n    tags = local.t\n  }\n}\nlocals {\n  t = { gan$0 }\n}\n"
                .to_owned(),
            // of a module, and to one
            "module \"m\" {\n  source = \"../m\"\n  tags = { gan$0 }\n}\n#- m/main.tf\nvariable \"tags\" {}\n\
             resource \"aws_sqs_queue\" \"q\" {\n  tags = var.tags\n}\n"
                .to_owned(),
            "module \"m\" {\n  source = \"../m\"\n}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = module.m.tags\n}\n\
             #- m/main.tf\noutput \"tags\" {\n  value = { gan$0 }\n}\n"
                .to_owned(),
            "variable \"tags\" {}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = var.tags\n}\n\
             #- a/terraform.tfvars\ntags = { gan$0 }\n"
                .to_owned(),
            "variable \"tags\" {}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = var.tags\n}\n\
             #- a/x.auto.tfvars\ntags = {\n  \"gan$0"
                .to_owned(),
        ] {
            let text = format!("#- a/main.tf\n{text}");
            assert_eq!(names(&text), [REALM, ID], "{text}");
        }
    }

    #[test]
    fn silent_wherever_it_does_not() {
        for text in [
            "$0",
            "gan$0",
            "locals {\n  gan$0\n}\n",
            // nobody uses it
            "locals {\n  common = { gan$0 }\n}\n",
            "locals {\n  common = { other = { gan$0 } }\n}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = local.common\n}\n",
            "locals {\n  common = { gan$0 }\n}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = { Name = local.common.Name }\n}\n",
            // untaggable, not supported, no tags
            "resource \"aws_kms_alias\" \"k\" {\n  tags = { gan$0 }\n}\n",
            "resource \"aws_autoscaling_group\" \"g\" {\n  tags = { gan$0 }\n}\n",
            "resource \"aws_inspector_resource_group\" \"g\" {\n  tags = { gan$0 }\n}\n",
            "resource \"aws_unheard_of\" \"g\" {\n  tags = { gan$0 }\n}\n",
            "resource \"google_storage_bucket\" \"g\" {\n  labels = { gan$0 }\n}\n",
            "resource \"azurerm_storage_account\" \"g\" {\n  tags = { gan$0 }\n}\n",
            "terraform {\n  required_providers {\n    aws = { source = \"acme/aws\" }\n  }\n}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = { gan$0 }\n}\n",
            "provider \"google\" {\n  default_tags {\n    tags = { gan$0 }\n  }\n}\n",
            "data \"aws_vpc\" \"v\" {\n  tags = { gan$0 }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  redrive = { gan$0 }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = gan$0\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = [gan$0]\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags {\n    gan$0\n  }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { Name = gan$0 }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { Name = \"gan$0\" }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { Na$0 }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { (gan$0) = 1 }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { $0\"x\" = 1 }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { for k, v in { gan$0 } : k => v if k == \"x\" }\n}\n",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = { # gan$0\n  }\n}\n",
            // which of both is not known
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = merge({ gan$0 }, data.x.y.tags)\n}\n",
            // a type without it drops it
            "variable \"t\" {\n  type = object({ Name = string })\n  default = { gan$0 }\n}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = var.t\n}\n",
            // what is not read by itself
            "#- a/main.tf\nvariable \"tags\" {}\nresource \"aws_sqs_queue\" \"q\" {\n  tags = var.tags\n}\n#- a/x.tfvars\ntags = { gan$0 }\n",
            "#- a/main.tf\nmodule \"m\" {\n  source = \"acme/m/aws\"\n}\n#- a/.terraform/modules/modules.json\n{\"Modules\": [{\"Key\": \"m\", \"Source\": \"registry.terraform.io/acme/m/aws\", \"Dir\": \".terraform/modules/m\"}]}\n#- a/.terraform/modules/m/main.tf\nresource \"aws_sqs_queue\" \"q\" {\n  tags = { gan$0 }\n}\n",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn realms_in_use_and_how_many_use_them() {
        let realm = |value: &str| queue(&format!("{{ \"{REALM}\" = {value} }}"));
        for value in ["\"$0\"", "\"li$0\"", "\"$0", "\"de$0v\"", "$0"] {
            assert_eq!(names(&realm(value)), ["live", "dev"], "{value}");
        }
        assert_eq!(
            names(&queue(&format!("{{ \"{REALM}\": \"$0\" }}"))),
            ["live", "dev"]
        );
        assert_eq!(
            chosen(&realm("\"li$0\""), "live"),
            format!("  tags = {{ \"{REALM}\" = \"live\" }}")
        );
        assert_eq!(
            chosen(&realm("\"li$0x\""), "live"),
            format!("  tags = {{ \"{REALM}\" = \"live\" }}")
        );
        assert_eq!(
            chosen(&realm("\"li$0"), "live"),
            format!("  tags = {{ \"{REALM}\" = \"live\" }}")
        );
        assert_eq!(
            chosen(&realm("$0"), "live"),
            format!("  tags = {{ \"{REALM}\" = \"live\" }}")
        );
        // without quotes it is to be a reference
        assert_eq!(names(&realm("li$0")), [""; 0]);
        assert_eq!(names(&realm("local.li$0")), [""; 0]);
        assert_eq!(names(&realm("\"${li$0}\"")), [""; 0]);
        // in a key's place nothing is a value
        assert_eq!(names(&queue("{ \"Name\" = \"$0\" }")), [""; 0]);
        assert_eq!(
            names(&format!(
                "locals {{\n  x = {{ \"{REALM}\" = \"$0\" }}\n}}\n"
            )),
            [""; 0]
        );
        // what is being typed is not in use yet, unless another stack has it, too
        let row = "aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q";
        let applied = |value: &str| {
            let text = realm(value);
            format!("#- a/terraform.tfstate\n{row}\n#- a/main.tf\n{text}")
        };
        assert_eq!(names(&applied("\"deve$0\"")), ["live", "dev"]);
        assert_eq!(names(&applied("\"dev$0\"")), ["dev", "live"]);
    }

    #[test]
    fn the_opt_out_and_what_it_means() {
        let id = |value: &str| format!("{{ \"{ID}\" = {value} }}");
        for value in ["\"$0\"", "\"nu$0", "$0", "nu$0"] {
            let tags = id(value);
            assert_eq!(names(&queue(&tags)), ["null"], "{value}");
            let line = chosen(&queue(&tags), "null");
            assert_eq!(
                line,
                format!("  tags = {{ \"{ID}\" = \"null\" }}"),
                "{value}"
            );
        }
        let default = |tags: &str| {
            format!("provider \"aws\" {{\n  default_tags {{\n    tags = {tags}\n  }}\n}}\n")
        };
        assert_eq!(names(&default(&id("\"$0\""))), ["null"]);
        assert_eq!(
            names(&default(&format!("{{ \"{REALM}\" = \"$0\" }}"))),
            ["live", "dev"]
        );
    }

    /// Text that is being typed closes nothing.
    #[test]
    fn every_prefix_of_what_is_typed() {
        let before = [
            "resource \"aws_sqs_queue\" \"q\" {\n  name = \"q\"\n  tags = { ",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = {\n    Name = \"x\"\n    ",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = merge(local.c, {\n    ",
            "resource \"aws_sqs_queue\" \"q\" {\n  tags = local.t\n}\nlocals {\n  t = {\n    ",
            "provider \"aws\" {\n  default_tags {\n    tags = { ",
        ];
        let behind = [
            "",
            "\n",
            "\n}\n",
            " }\n}\n",
            "\n  }\n}\n",
            "\n\nresource \"aws_s3_bucket\" \"other\" {\n  bucket = \"b\"\n}\n",
            "\n    Other = \"y\"\n  }\n}\n",
        ];
        for before in before {
            // every prefix, each before something else
            let mut behind = behind.iter().cycle();
            for quote in ["", "\""] {
                let longest = if quote.is_empty() { "gantrycd" } else { REALM };
                for length in 0..=longest.len() {
                    let behind = behind.next().unwrap();
                    let text = format!("{before}{quote}{}$0{behind}", &REALM[..length]);
                    let names = names(&text);
                    assert!(names.iter().any(|it| it == REALM), "{text}: {names:?}");
                    let count = if length > ID.len() { 1 } else { 2 };
                    assert_eq!(names.len(), count, "{text}");
                }
            }
            for (value, behind) in ["", "l", "li", "liv"].iter().zip(behind) {
                let text = format!("{before}\"{REALM}\" = \"{value}$0{behind}");
                assert_eq!(names(&text), ["live", "dev"], "{text}");
            }
        }
    }
}
