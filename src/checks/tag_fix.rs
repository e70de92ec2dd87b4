//! Quick fixes that declare something by a tag: an opt-out, or a realm.

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::config::{Argument, Declared, Merged, ModuleFile, is_override};
use crate::identity::{IDENTITY_TAG, Mode, REALM_TAG, Realm};
use crate::syntax::{Expression, ExpressionKind};
use crate::text::Span;
use crate::workspace::tag_support::takes_tags;
use crate::workspace::{
    Place, RowRef, Snapshot, Stack, Tag, When, header, ignores_tags, is_editable,
};

use super::entries::Object;
use super::{Edit, Finding, Fix};

/// Opts the resource of the block that a finding stands in out by its own tags.
pub(super) fn opt_out(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let resource = Taggable::at(snapshot, finding, |it| &it.identity)?;
    Some(Fix {
        title: format!("Opt {} out by tag", resource.name),
        edits: resource.with(IDENTITY_TAG, "null")?,
        is_safe: false,
    })
}

/// Gives the resource of the block that a finding stands in a realm by its own tags. In a module
/// that several stacks use, one realm would tell none of them apart.
pub(super) fn own_realm(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let resource = Taggable::at(snapshot, finding, |it| &it.realm)?;
    let realm = realm_of(only_stack(snapshot, &resource.block.file)?);
    Some(Fix {
        title: format!("Give {} the realm {realm:?}", resource.name),
        edits: resource.with(REALM_TAG, &realm)?,
        is_safe: false,
    })
}

/// Gives everything that the provider block served a realm by its default tags: the block that a
/// finding stands in, or that it names.
pub(super) fn default_realm(snapshot: &Snapshot, finding: &Finding) -> Option<Fix> {
    let related = finding.related.iter().map(|it| &it.place);
    let mut places = related.chain([&finding.place]);
    let block = places.find_map(|it| {
        let block = snapshot.block_at(it)?;
        let is_provider = block.block().keyword == "provider";
        is_provider.then_some(block)
    })?;
    let readers = snapshot.readers(&block.file.path).into_iter();
    let mut providers = readers.flat_map(|it| &snapshot.stacks[it].providers);
    let is_hidden =
        providers.any(|it| header(&it.block) == header(&block) && it.ignored.may_hide(REALM_TAG));
    if is_hidden {
        return None;
    }
    let realm = realm_of(only_stack(snapshot, &block.file)?);
    let value = format!("\"{realm}\"");
    let key = format!("\"{REALM_TAG}\"");
    let body = block.body();
    let mut sections = body.blocks("default_tags");
    let edits = match (sections.next(), sections.next()) {
        (None, _) => {
            let lines = [
                "default_tags {".to_owned(),
                "  tags = {".to_owned(),
                format!("    {key} = {value}"),
                "  }".to_owned(),
                "}".to_owned(),
            ];
            vec![append(&block, &lines)?]
        }
        (Some(section), None) => {
            let tags = section.body.attribute("tags")?;
            add_entry(&block.file, tags, &key, &value)?
        }
        _ => return None,
    };
    let name = block.block().label()?.to_owned();
    Some(Fix {
        title: format!("Give what provider {name:?} serves the realm {realm:?}"),
        edits,
        is_safe: false,
    })
}

/// The realm near to a text that is none: its letters without their marks, a `-` for whatever else
/// may not be in it, and no more characters than there may be.
pub(super) fn near(text: &str) -> Option<Realm> {
    let allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
    let mut near = String::new();
    for c in text.trim().nfd() {
        match c {
            c if allowed(c) => near.push(c),
            c if unicode_normalization::char::is_combining_mark(c) => {}
            _ if !near.ends_with('-') => near.push('-'),
            _ => {}
        }
    }
    near.truncate(Realm::MAX);
    Realm::parse(near.trim_matches('-')).ok()
}

/// A realm that is named after a stack.
pub(super) fn realm_of(stack: &Stack) -> String {
    let directory = stack.directory.file_name().unwrap_or_default();
    let of_root = directory.to_string_lossy();
    let name = match &*stack.name {
        "." => &*of_root,
        name => name,
    };
    near(name).map_or_else(|| "realm".to_owned(), |it| it.to_string())
}

/// The stack that a file is part of, if it is only one.
fn only_stack<'a>(snapshot: &'a Snapshot, file: &ModuleFile) -> Option<&'a Stack> {
    let mut stacks = snapshot.stacks_of(file).into_iter();
    match (stacks.next(), stacks.next()) {
        (Some(only), None) => Some(&snapshot.stacks[only]),
        _ => None,
    }
}

/// A managed resource whose own tags can be added to.
struct Taggable<'a> {
    block: Declared,
    resource: &'a Merged,
    name: String,
}

impl<'a> Taggable<'a> {
    /// The resource of the block that a finding stands in. `None` where its type may take no tags,
    /// and where the tag is written already.
    fn at(
        snapshot: &'a Snapshot,
        finding: &Finding,
        tag: impl Fn(&crate::workspace::Tags) -> &Tag,
    ) -> Option<Self> {
        let block = snapshot.block_at(&finding.place)?;
        let (Mode::Managed, resource_type, name) = block.block().resource()? else {
            return None;
        };
        let name = format!("{resource_type}.{name}");
        let rows = snapshot.rows_of(&block.file, block.block().id);
        let can = |row: &RowRef| {
            let stack = snapshot.stack(*row);
            let configured = snapshot.row(*row).configured;
            let configured = configured.map(|it| &stack.configured[it]);
            let source = match (stack.record(row.row), configured) {
                (Some(record), _) => Some(&*record.row.provider),
                (None, Some(configured)) => configured.source.as_deref(),
                (None, None) => None,
            };
            let takes = source.and_then(|it| takes_tags(stack, resource_type, it));
            takes == Some(true)
                && configured
                    .is_none_or(|it| tag(&it.own).key.is_none() && !it.ignored.may_hide_ours())
        };
        let ends_already = |row: &RowRef| {
            let group = snapshot.duplicate(*row);
            group.is_some_and(|it| it.when() == When::UntilApplied)
        };
        let file_name = block.file.path.file_name()?.to_str()?;
        let is_ours = is_editable(&block.file.path) && !is_override(file_name);
        if rows.is_empty() || !rows.iter().all(can) || block.block().ignored || !is_ours {
            return None;
        }
        let first = rows.first()?;
        let resource = snapshot.stack(*first).resource(snapshot.row(*first).site?);
        if rows.iter().any(ends_already) || resource.may_ignore_changes(&ignores_tags) {
            return None;
        }
        Some(Self {
            block,
            resource,
            name,
        })
    }

    fn with(&self, key: &str, value: &str) -> Option<Vec<Edit>> {
        let (key, value) = (format!("\"{key}\""), format!("\"{value}\""));
        match self.resource.attribute("tags") {
            Some(Argument { file, value: tags }) => add_entry(file, &tags, &key, &value),
            None if self.resource.is_whole() && self.resource.blocks("tags").is_empty() => {
                let lines = [
                    "tags = {".to_owned(),
                    format!("  {key} = {value}"),
                    "}".to_owned(),
                ];
                Some(vec![append(&self.block, &lines)?])
            }
            None => None,
        }
    }
}

/// Adds an entry to a map of tags, so that it wins. `None` in JSON, and where the entry would not
/// be the last word.
fn add_entry(
    file: &Arc<ModuleFile>,
    tags: &Expression,
    key: &str,
    value: &str,
) -> Option<Vec<Edit>> {
    file.syntax()?;
    if !is_editable(&file.path) {
        return None;
    }
    let insert = |at: u32, new_text: String| Edit {
        place: Place {
            path: file.path.clone(),
            span: Span::at(at as usize),
        },
        new_text,
    };
    match &tags.kind {
        ExpressionKind::Object(_) => Object::new(file, tags)?.insert(key, value),
        ExpressionKind::Call(call) if *call.name.text == *"merge" && !call.expands => {
            let last = call.arguments.last()?;
            if let Some(object) = Object::new(file, last) {
                return object.insert(key, value);
            }
            let behind = Span {
                start: last.span.end,
                end: tags.span.end,
            };
            let more = format!("{{ {key} = {value} }}");
            let at_once = file.source().slice(behind) == ")";
            at_once.then(|| vec![insert(last.span.end, format!(", {more}"))])
        }
        ExpressionKind::Null | ExpressionKind::Unreadable => None,
        _ => Some(vec![
            insert(tags.span.start, "merge(".to_owned()),
            insert(tags.span.end, format!(", {{ {key} = {value} }})")),
        ]),
    }
}

/// Lines at the end of a block's body, behind an empty one. `None` where the body has no line of its
/// own for its closing brace.
fn append(block: &Declared, lines: &[String]) -> Option<Edit> {
    let (file, block) = (&block.file, block.block());
    let body = file.syntax()?.block(block.id).body?;
    let source = file.source();
    let line_end = source.line_end();
    let header = source.line_start(block.span.start);
    let outer = source.slice(Span {
        start: header,
        end: block.span.start,
    });
    if !outer.trim().is_empty() {
        return None;
    }
    let lines: String = lines
        .iter()
        .map(|it| format!("{outer}  {it}{line_end}"))
        .collect();
    let inside = source.slice(body);
    let close = source.line_start(body.end);
    let (span, new_text) = if inside.trim().is_empty() {
        (body, format!("{line_end}{lines}{outer}"))
    } else if close > body.start {
        let before = source.slice(Span {
            start: body.start,
            end: close,
        });
        let empty = match before
            .trim_end_matches([' ', '\t'])
            .ends_with(&line_end.repeat(2))
        {
            true => "",
            false => line_end,
        };
        let indent = source.slice(Span {
            start: close,
            end: body.end,
        });
        if !indent.trim().is_empty() {
            return None;
        }
        (Span::at(close as usize), format!("{empty}{lines}"))
    } else {
        return None;
    };
    Some(Edit {
        place: Place {
            path: file.path.clone(),
            span,
        },
        new_text,
    })
}

#[cfg(test)]
mod tests {
    use super::near;
    use crate::fixture::{actions, check_action};

    #[test]
    fn realms_near_to_what_is_none() {
        for (text, realm) in [
            ("two words", Some("two-words")),
            ("localstack/bob", Some("localstack-bob")),
            (" émile ", Some("emile")),
            ("a / b", Some("a-b")),
            ("${var.realm}", Some("var.realm")),
            ("(sensitive value)", Some("sensitive-value")),
            ("", None),
            ("/", None),
            ("日本", None),
        ] {
            let near = near(text);
            assert_eq!(near.as_ref().map(|it| it.as_str()), realm, "{text:?}");
        }
        assert_eq!(near(&"x".repeat(65)).unwrap().as_str(), "x".repeat(64));
    }

    const OTHER: &str = "\n#- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::logs\n#- b/terraform.tfstate\naws_s3_bucket.y arn=arn:aws:s3:::logs\n";

    /// The block with `before` in it becomes the one with `after`.
    fn becomes(title: &str, before: &str, after: &str) {
        let block =
            |name: &str, body: &str| format!("resource \"aws_s3_bucket\" \"{name}\" {{{body}}}\n");
        check_action(
            &format!("#- a/main.tf\n{}{OTHER}", block("x$0", before)),
            title,
            &format!("{}\n", block("x", after)),
        );
    }

    #[test]
    fn an_opt_out_wherever_tags_may_be() {
        let opt_out = "\"gantrycd:resource-identity\" = \"null\"";
        for (before, after) in [
            ("", "\n  tags = {\n    OUT\n  }\n"),
            (
                "\n  bucket = \"é\"\n",
                "\n  bucket = \"é\"\n\n  tags = {\n    OUT\n  }\n",
            ),
            (
                "\n  tags = {\n    Name = \"logs\"\n    T    = 1 # one\n  }\n",
                "\n  tags = {\n    Name                         = \"logs\"\n    T                            = 1 # one\n    OUT\n  }\n",
            ),
            (
                "\n  tags = {\n    a_key_that_is_longer_than_the_one_of_gantrycd = 1\n  }\n",
                "\n  tags = {\n    a_key_that_is_longer_than_the_one_of_gantrycd = 1\n    \"gantrycd:resource-identity\"                  = \"null\"\n  }\n",
            ),
            (
                "\n  tags = {\n    Name = \"logs\",\n    T    = 1\n  }\n",
                "\n  tags = {\n    Name                         = \"logs\",\n    T                            = 1,\n    OUT\n  }\n",
            ),
            (
                "\n  tags = {\n    list = [\n      1\n    ]\n  }\n",
                "\n  tags = {\n    list = [\n      1\n    ]\n    OUT\n  }\n",
            ),
            ("\n  tags = {}\n", "\n  tags = { OUT }\n"),
            ("\n  tags = { /* c */ }\n", "\n  tags = { /* c */ OUT }\n"),
            // entries may be parted by a comma or by a new line
            (
                "\n  tags = {\n    A = 1,\n    B = <<EOT\nx\nEOT\n  }\n",
                "\n  tags = {\n    A                            = 1,\n    B                            = <<EOT\nx\nEOT\n    OUT\n  }\n",
            ),
            (
                "\n  tags = {\n    a_key_as_long_as_the_one_of_gantrycd = 1,\n    b_key_as_long_as_the_one_of_gantrycd = 2 /* c */,\n  }\n",
                "\n  tags = {\n    a_key_as_long_as_the_one_of_gantrycd = 1,\n    b_key_as_long_as_the_one_of_gantrycd = 2 /* c */,\n    \"gantrycd:resource-identity\"         = \"null\"\n  }\n",
            ),
            (
                "\n  tags = merge(\n    local.tags, {\n      A = 1\n  })\n",
                "\n  tags = merge(\n    local.tags, {\n      A                            = 1\n      OUT\n  })\n",
            ),
            (
                "\n  tags = { Name = \"logs\" }\n",
                "\n  tags = { Name = \"logs\", OUT }\n",
            ),
            (
                "\n  tags = local.tags\n",
                "\n  tags = merge(local.tags, { OUT })\n",
            ),
            (
                "\n  tags = merge(local.tags, var.more)\n",
                "\n  tags = merge(local.tags, var.more, { OUT })\n",
            ),
            (
                "\n  tags = merge(local.tags, {\n    Name = \"logs\"\n  })\n",
                "\n  tags = merge(local.tags, {\n    Name                         = \"logs\"\n    OUT\n  })\n",
            ),
            (
                "\n  tags = true ? local.tags : {}\n",
                "\n  tags = merge(true ? local.tags : {}, { OUT })\n",
            ),
        ] {
            becomes(
                "Opt aws_s3_bucket.x out by tag",
                before,
                &after.replace("OUT", opt_out),
            );
        }
    }

    #[test]
    fn with_the_line_ends_and_the_indentation_that_are_there() {
        check_action(
            &format!(
                "#- a/main.tf\n\u{feff}\tresource \"aws_s3_bucket\" \"x$0\" {{\r\n\t  bucket = 1\r\n\r\n\t}}\r\n{OTHER}"
            ),
            "Opt ",
            "\u{feff}\tresource \"aws_s3_bucket\" \"x\" {\r\n\t  bucket = 1\r\n\r\n\t  tags = {\r\n\t    \"gantrycd:resource-identity\" = \"null\"\r\n\t  }\r\n\t}\r\n\n",
        );
    }

    #[test]
    fn a_realm_that_is_named_after_the_stack() {
        becomes(
            "the realm \"a\"",
            "",
            "\n  tags = {\n    \"gantrycd:resource-identity-realm\" = \"a\"\n  }\n",
        );
    }

    #[test]
    fn not_where_it_would_do_nothing_or_harm() {
        let offered = |text: &str| {
            let mut titles = actions(&format!("#- a/main.tf\n{text}{OTHER}"));
            titles.retain(|it| !it.starts_with("Ignore "));
            titles
        };
        let block = |body: &str| format!("resource \"aws_s3_bucket\" \"x$0\" {{{body}}}\n");
        assert_eq!(offered(&block("")).len(), 2);
        let declared = "\n  tags = {\n    \"gantrycd:resource-identity\" = \"x\"\n    \"gantrycd:resource-identity-realm\" = \"x\"\n  }\n";
        for body in [
            declared,
            " bucket = 1 ",
            "\n  tags = null\n",
            "\n  tags = )\n",
        ] {
            assert_eq!(offered(&block(body)), [""; 0], "{body}");
        }
        let json = "{\"resource\": {\"aws_s3_bucket\": {\"x$0\": {}}}}";
        let in_json = format!("#- a/main.tf.json\n{json}{OTHER}");
        assert_eq!(actions(&in_json), [""; 0]);
        // what would never be applied, and what is on its way
        for body in [
            "\n  lifecycle {\n    ignore_changes = [tags]\n  }\n",
            "\n  lifecycle {\n    ignore_changes = all\n  }\n",
        ] {
            assert_eq!(offered(&block(body)), [""; 0], "{body}");
        }
        let provider =
            "provider \"aws\" {\n  ignore_tags {\n    key_prefixes = [\"gantrycd:\"]\n  }\n}\n";
        assert_eq!(offered(&format!("{provider}{}", block(""))), [""; 0]);
        let realm = "\n  tags = { \"gantrycd:resource-identity-realm\" = \"x\" }\n";
        assert_eq!(offered(&block(realm)), [""; 0]);
        // a type that takes no tags
        let alias = "#- a/main.tf\nresource \"aws_kms_alias\" \"x$0\" {}\n#- a/terraform.tfstate\naws_kms_alias.x id=1 untaggable arn=arn:aws:kms:eu-west-1:111122223333:alias/x\n#- b/terraform.tfstate\naws_kms_alias.x arn=arn:aws:kms:eu-west-1:111122223333:alias/x untaggable\n"
            .replace("id=1 ", "");
        assert_eq!(actions(&alias).len(), 1);
    }

    #[test]
    fn a_module_of_several_stacks_gets_no_realm_and_says_how_many_it_opts_out() {
        let stack = |name: &str| {
            format!(
                "#- {name}/main.tf\nmodule \"m\" {{\n  source = \"../m\"\n}}\n#- {name}/terraform.tfstate\nmodule.m.aws_s3_bucket.x arn=arn:aws:s3:::logs\n"
            )
        };
        let module = "#- m/main.tf\nresource \"aws_s3_bucket\" \"x$0\" {}\n";
        assert_eq!(
            actions(&[stack("a"), stack("b"), module.to_owned()].concat()),
            [
                "Ignore aws_s3_bucket.x in gantrycd in all 2 stacks that use it",
                "Opt aws_s3_bucket.x out by tag in all 2 stacks that use it"
            ]
        );
    }
}
