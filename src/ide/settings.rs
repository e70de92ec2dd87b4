//! The workspace file under the cursor: which key, value or label it is, by the table of what can be
//! set.

use crate::checks::Check;
use crate::checks::settings::shape::{FILE, Key, Keys, Label, Takes};
use crate::checks::settings::{Set, Settings};
use crate::config::ModuleFile;
use crate::syntax::{self, ExpressionKind, Opened, Word, WordKind};
use crate::text::Span;
use crate::workspace::Snapshot;

use super::completion::{Completion, CompletionKind};
use super::hover::{Hover, Link};

/// Where a cursor stands in the workspace file.
struct Standing<'a> {
    file: &'a ModuleFile,
    at: At,
    word: Word,
    /// How many brackets are around it.
    depth: usize,
}

/// What stands, or could stand, at a cursor.
enum At {
    /// One of these keys.
    Key(Keys),
    /// A value of this key.
    Value(&'static Key),
    /// The label of a block.
    Label(Label),
}

impl<'a> Standing<'a> {
    fn new(file: &'a ModuleFile, offset: u32) -> Option<Self> {
        let cursor = file.syntax()?.cursor(offset)?;
        let mut keys = FILE;
        for Opened { bracket, before } in &cursor.around {
            let (key, rest) = key_of(file, keys, before)?;
            keys = match (bracket, &key.takes, rest) {
                (b'{', Takes::Block(..), labels) if labels.iter().all(is_label) => key.takes.keys(),
                (b'{', Takes::Word(..), [equals]) if equals.kind == WordKind::Equals => {
                    key.takes.keys()
                }
                // what stands in a list, or names and values of a person's own
                _ => return None,
            };
        }
        let at = match (&cursor.before[..], cursor.word.kind) {
            (_, WordKind::Other) => return None,
            ([], _) => At::Key(keys),
            (before, _) => {
                let (key, rest) = key_of(file, keys, before)?;
                match (rest, &key.takes) {
                    ([], Takes::Block(Some(label), _)) => At::Label(*label),
                    ([equals], _) if equals.kind == WordKind::Equals => At::Value(key),
                    _ => return None,
                }
            }
        };
        Some(Self {
            file,
            at,
            word: cursor.word,
            depth: cursor.around.len(),
        })
    }

    fn text(&self) -> &'a str {
        self.file.source().slice(self.word.span)
    }
}

/// The key that an item begins with, and what stands behind it.
fn key_of<'w>(
    file: &ModuleFile,
    keys: Keys,
    item: &'w [Word],
) -> Option<(&'static Key, &'w [Word])> {
    let (first, rest) = item.split_first()?;
    let key = keys.find(file.source().slice(first.span))?;
    Some((key, rest))
}

fn is_label(word: &Word) -> bool {
    matches!(word.kind, WordKind::Name | WordKind::Text(_))
}

/// What the key, the word or the label at a cursor is about.
pub(super) fn hover(
    snapshot: &Snapshot,
    editor: &Settings,
    file: &ModuleFile,
    offset: u32,
    link: Link,
) -> Option<Hover> {
    let standing = Standing::new(file, offset)?;
    let text = standing.text();
    let markdown = match standing.at {
        At::Key(keys @ Keys::EachCode(_)) => {
            keys.find(text)?;
            of_check(snapshot, editor, Check::of(text)?, link)
        }
        At::Key(keys) => keys.find(text)?.about.to_owned(),
        At::Value(key) => {
            let word = key.takes.words().iter().find(|it| it.name == text)?;
            word.about.to_owned()
        }
        At::Label(_) => return None,
    };
    let span = standing.word.span;
    Some(Hover { markdown, span })
}

/// How grave a check is, who says so, and what it is about.
fn of_check(snapshot: &Snapshot, editor: &Settings, check: &Check, link: Link) -> String {
    let settings = Settings::in_force(snapshot, editor);
    let set = settings.of(check.code);
    let severity = set.and_then(|it| it.severity.as_ref());
    let mut lines = vec![match severity {
        Some(set) => format!("Severity `{}`, {}", set.value.as_str(), by(set, link)),
        None => own_severity(check),
    }];
    if let Some(set) = set.and_then(|it| it.exclude.as_ref()) {
        let globs = set.value.written.iter();
        let globs: Vec<_> = globs.map(|it| format!("`{it}`")).collect();
        lines.push(format!(
            "Not shown in {}, {}",
            globs.join(", "),
            by(set, link)
        ));
    }
    format!("{}\n\n{}", lines.join("  \n"), check.about())
}

fn own_severity(check: &Check) -> String {
    let (own, in_editor) = (check.severity, check.severity_in_editor());
    match own == in_editor {
        true => format!("Severity `{}`, its own", own.as_str()),
        false => format!(
            "Severity `{}`, its own; in editors `{}`",
            own.as_str(),
            in_editor.as_str()
        ),
    }
}

/// Who set something.
fn by<T>(set: &Set<T>, link: Link) -> String {
    match &set.place {
        Some(place) => format!("set [here]({})", link(place)),
        None => "set by the editor".to_owned(),
    }
}

/// What could stand at a cursor.
pub(super) fn complete(snapshot: &Snapshot, file: &ModuleFile, offset: u32) -> Vec<Completion> {
    let Some(standing) = Standing::new(file, offset) else {
        return Vec::new();
    };
    let source = file.source();
    let Word { kind, mut span } = standing.word;
    let rest = source.text().get(offset as usize..).unwrap_or_default();
    if span.is_empty() && kind == WordKind::Name && rest.starts_with('"') {
        return Vec::new();
    }
    // a text that is not closed goes on with what follows on its line
    let is_open = kind == WordKind::Text(false);
    if is_open {
        span.end = offset;
    }
    let complete = |kind, name: &str, about: &str| Completion {
        name: name.to_owned(),
        kind,
        detail: None,
        about: about.to_owned(),
        span,
        new_text: name.to_owned(),
        snippet: None,
    };
    let quoted = |it: Completion| Completion {
        new_text: match kind {
            WordKind::Text(true) => it.new_text,
            WordKind::Text(false) => format!("{}\"", it.new_text),
            _ => format!("\"{}\"", it.new_text),
        },
        ..it
    };
    match &standing.at {
        At::Key(keys) => {
            let set = standing.set_beside(offset);
            let free = keys.all().into_iter();
            let free = free.filter(|(name, _)| !set.iter().any(|it| it == name));
            free.map(|(name, key)| match (&key.takes, keys) {
                (Takes::Block(..), _) => complete(CompletionKind::Section, name, key.about),
                (_, Keys::EachCode(_)) => {
                    let about = Check::of(name).map(Check::about).unwrap_or_default();
                    complete(CompletionKind::Key, name, about)
                }
                _ => complete(CompletionKind::Key, name, key.about),
            })
            .collect()
        }
        At::Value(key) => {
            let words = key.takes.words().iter();
            let words = words.map(|it| complete(CompletionKind::Value, it.name, it.about));
            words.map(quoted).collect()
        }
        At::Label(Label::Stack) => {
            let set = standing.stacks_beside();
            let names = snapshot.stacks.iter().map(|it| &*it.name);
            let names = names.filter(|it| !set.contains(it));
            let names = names.map(|it| complete(CompletionKind::Stack, it, ""));
            names.map(quoted).collect()
        }
        At::Label(Label::Name) => Vec::new(),
    }
}

impl<'a> Standing<'a> {
    /// The names that are set where the cursor stands, but for the word at hand.
    fn set_beside(&self, offset: u32) -> Vec<String> {
        let mut names: Vec<(&str, Span)> = Vec::new();
        let top = self.file.top_level();
        let block = self.file.block_at(offset).map(|it| self.file.body(it.id));
        match (self.depth, &block) {
            (0, _) => {
                let attributes = top.attributes.iter();
                names.extend(attributes.map(|it| (&*it.name.text, it.name.span)));
                let blocks = self.file.blocks().filter(|it| it.labels.is_empty());
                names.extend(blocks.map(|it| (it.keyword, it.header)));
            }
            (1, Some(body)) => {
                let attributes = body.attributes.iter();
                names.extend(attributes.map(|it| (&*it.name.text, it.name.span)));
            }
            (_, Some(body)) => {
                let mut attributes = body.attributes.iter();
                let around = attributes.find(|it| it.value.span.touches(offset));
                if let Some(ExpressionKind::Object(entries)) = around.map(|it| &it.value.kind) {
                    names.extend(entries.iter().filter_map(|it| match &it.key {
                        syntax::Key::Name(name) => Some((&*name.text, name.span)),
                        syntax::Key::Expression(key) => key.literal(),
                    }));
                }
            }
            (_, None) => {}
        }
        let others = names.into_iter().filter(|(_, it)| !it.touches(offset));
        others.map(|(name, _)| name.to_owned()).collect()
    }

    /// The stacks that have a block, but for the one at hand.
    fn stacks_beside(&self) -> Vec<&'a str> {
        let labels = self
            .file
            .blocks()
            .filter_map(|it| it.labels.first().copied());
        let others = labels.filter(|it| it.span != self.word.span);
        others.map(|it| it.text).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::checks::ALL;
    use crate::fixture::{completions, hover, hover_with};

    const STACKS: &str = "#- live/a/main.tf\n#- live/b/main.tf\n#- gantrycd.hcl\n";

    /// The names that are offered at the cursor.
    #[track_caller]
    fn names(text: &str) -> Vec<String> {
        let completions = completions(&format!("{STACKS}{text}"));
        completions.into_iter().map(|(name, _)| name).collect()
    }

    /// The line once the name is chosen at the cursor.
    #[track_caller]
    fn chosen(text: &str, name: &str) -> String {
        let completions = completions(&format!("{STACKS}{text}"));
        let mut chosen = completions.iter().filter(|it| it.0 == name);
        let (_, line) = chosen.next().unwrap_or_else(|| panic!("{completions:#?}"));
        assert!(chosen.next().is_none(), "twice");
        line.clone()
    }

    const SECTIONS: [&str; 4] = ["checks", "states", "variables", "stack"];
    const SEVERITIES: [&str; 5] = ["off", "hint", "information", "warning", "error"];

    #[test]
    fn sections_at_the_top() {
        for text in [
            "$0",
            "\n$0\n",
            "che$0",
            "# a comment\n$0",
            "stack \"live/a\" {}\n$0",
            "checks$0 {\n}\n",
        ] {
            assert_eq!(names(text), SECTIONS, "{text}");
        }
        assert_eq!(
            names("checks {\n}\n$0"),
            SECTIONS[1..],
            "what is set is set"
        );
        assert_eq!(names("variables = {}\n$0")[2..], ["stack"]);
        assert_eq!(chosen("che$0", "checks"), "checks");
        assert_eq!(chosen("  st$0at {", "states"), "  states {");
    }

    #[test]
    fn keys_within_a_section() {
        let codes: Vec<_> = ALL.iter().map(|it| it.code).collect();
        for text in [
            "checks {\n  $0\n}\n",
            "checks {\n  lon$0\n}\n",
            "checks { $0 }\n",
            "checks {\n  $0",
            "checks {\n  $0\n\nstates {\n  max_age_days = 7\n}\n",
        ] {
            assert_eq!(names(text), codes, "{text}");
        }
        let others = names("checks {\n  syntax = \"off\"\n  $0\n}\n");
        assert_eq!(others.len(), codes.len() - 1);
        assert!(!others.contains(&"syntax".to_owned()));
        let of_states = [
            "tool",
            "parallelism",
            "timeout_seconds",
            "all_workspaces",
            "max_age_days",
            "external",
        ];
        assert_eq!(names("states {\n  $0\n}\n"), of_states);
        assert_eq!(
            names("states {\n  external \"x\" {\n    $0\n  }\n}\n"),
            ["path"]
        );
        assert_eq!(
            names("stack \"live/a\" {\n  $0\n}\n"),
            ["tool", "variables"]
        );
        assert_eq!(
            names("stack \"live/a\" {\n  tool = \"tofu\"\n  $0\n}\n"),
            ["variables"]
        );
        assert_eq!(
            chosen("checks {\n  syn$0 = \"off\"\n}\n", "syntax"),
            "  syntax = \"off\""
        );
    }

    #[test]
    fn keys_of_the_object_form() {
        assert_eq!(
            names("checks {\n  syntax = { $0 }\n}\n"),
            ["severity", "exclude"]
        );
        assert_eq!(
            names("checks {\n  syntax = {\n    sev$0\n  }\n}\n"),
            ["severity", "exclude"]
        );
        assert_eq!(
            names("checks {\n  syntax = { severity = \"off\", $0 }\n}\n"),
            ["exclude"]
        );
        assert_eq!(
            chosen(
                "checks {\n  syntax = { \"s$0\" = \"off\" }\n}\n",
                "severity"
            ),
            "  syntax = { \"severity\" = \"off\" }"
        );
    }

    #[test]
    fn words_with_quotes_where_there_are_none() {
        for (text, line) in [
            ("checks {\n  syntax = $0\n}\n", "  syntax = \"hint\""),
            ("checks {\n  syntax =$0\n}\n", "  syntax =\"hint\""),
            ("checks {\n  syntax = h$0i\n}\n", "  syntax = \"hint\""),
            ("checks {\n  syntax = \"$0\"\n}\n", "  syntax = \"hint\""),
            ("checks {\n  syntax = \"of$0f\"\n}\n", "  syntax = \"hint\""),
            ("checks {\n  syntax = \"off$0\"\n}\n", "  syntax = \"hint\""),
            ("checks {\n  syntax = \"h$0\n}\n", "  syntax = \"hint\""),
            (
                "checks {\n  syntax = { severity = \"$0\" }\n}\n",
                "  syntax = { severity = \"hint\" }",
            ),
            (
                "checks {\n  syntax = { severity: $0 }\n}\n",
                "  syntax = { severity: \"hint\" }",
            ),
            (
                "checks {\n  syntax = \"$0\" # é😀\n}\n",
                "  syntax = \"hint\" # é😀",
            ),
        ] {
            assert_eq!(names(text), SEVERITIES, "{text}");
            assert_eq!(chosen(text, "hint"), line, "{text}");
        }
        assert_eq!(
            names("stack \"live/a\" {\n  tool = \"$0\"\n}\n"),
            ["tofu", "terraform"]
        );
    }

    #[test]
    fn names_of_stacks() {
        for (text, line) in [
            ("stack \"$0\" {\n}\n", "stack \"live/b\" {"),
            ("stack $0", "stack \"live/b\""),
            ("stack $0 {\n}\n", "stack \"live/b\" {"),
            ("stack \"liv$0", "stack \"live/b\""),
            ("stack \"$0 {\n}\n", "stack \"live/b\" {"),
            ("stack \"live/a$0\" {}\n", "stack \"live/b\" {}"),
        ] {
            assert_eq!(names(text), ["live/a", "live/b"], "{text}");
            assert_eq!(chosen(text, "live/b"), line, "{text}");
        }
        assert_eq!(names("stack \"live/a\" {}\nstack \"$0\" {}\n"), ["live/b"]);
    }

    #[test]
    fn nothing_where_a_value_is_a_persons_own() {
        for text in [
            "states {\n  max_age_days = $0\n}\n",
            "states {\n  max_age_days = 7$0\n}\n",
            "states {\n  external \"$0\" {}\n}\n",
            "states {\n  external \"a\" { path = \"$0\" }\n}\n",
            "checks {\n  syntax = { exclude = [$0] }\n}\n",
            "checks {\n  syntax = { exclude = [\"$0\"] }\n}\n",
            "checks {\n  syntax = $0\"off\"\n}\n",
            "checks {\n  syntax = \"off\" $0\n}\n",
            "checks {\n  syntax $0\n}\n",
            "checks {\n  nothing = $0\n}\n",
            "nothing {\n  $0\n}\n",
            "variables = { $0 }\n",
            "variables = { a = $0 }\n",
            "variables = $0\n",
            "checks $0\n",
            "checks \"$0\" {}\n",
            "checks {\n  # $0\n}\n",
            "checks {\n  syntax = \"off\" // $0\n}\n",
            "/* $0 */",
            "checks {}$0\n",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn nothing_in_other_files() {
        for text in [
            "#- gantrycd.hcl\n#- main.tf\n$0\n",
            "#- gantrycd.hcl\n#- terraform.tfvars\nx = $0\n",
        ] {
            assert_eq!(completions(text), [], "{text}");
        }
    }

    #[test]
    fn what_can_be_set_is_explained() {
        let about = |text: &str| hover(&format!("{STACKS}{text}")).unwrap_or_default();
        assert_eq!(
            about("che$0cks {\n}\n"),
            "How grave the findings of each check are, and where they are not shown."
        );
        assert_eq!(
            about("checks {\n  syntax = \"$0off\"\n}\n"),
            "The check is not made."
        );
        assert!(
            about("checks {\n  syntax = { $0exclude = [] }\n}\n").starts_with("Globs of files")
        );
        assert!(
            about("checks {\n  syntax = { severity = \"error$0\" }\n}\n").starts_with("An error")
        );
        assert!(about("stack \"live/a\" {\n  tool$0 = \"tofu\"\n}\n").starts_with("The tool"));
        assert_eq!(
            about("stack \"live/a\" {\n  tool = \"t$0ofu\"\n}\n"),
            "OpenTofu."
        );
        for text in [
            "no$0thing {}\n",
            "checks {\n  nothing$0 = 1\n}\n",
            "checks {\n  syntax = \"warn$0\"\n}\n",
            "stack \"live/$0a\" {}\n",
            "states {\n  max_age_days = $07\n}\n",
            "# checks$0\n",
            "$0\n",
        ] {
            assert_eq!(about(text), "", "{text}");
        }
    }

    #[test]
    fn a_code_tells_how_grave_it_is_and_who_says_so() {
        const OWN: &str = "#- gantrycd.hcl\nchecks {\n  syn$0tax = null\n}\n";
        let own = hover(OWN).unwrap();
        assert!(
            own.starts_with("Severity `warning`, its own; in editors `hint`\n\n"),
            "{own}"
        );
        const FILE: &str = "#- gantrycd.hcl\nchecks {\n  syn$0tax = {\n    severity = \"error\"\n    exclude = [\"a/**\", \"b\"]\n  }\n}\n";
        let file = hover(FILE).unwrap();
        assert!(
            file.starts_with(
                "Severity `error`, set [here](gantrycd.hcl:3)  \n\
                 Not shown in `a/**`, `b`, set [here](gantrycd.hcl:4)\n\n"
            ),
            "{file}"
        );
        let editor = json!({ "checks": { "syntax": { "severity": "off" } } });
        let editor = hover_with(&editor, FILE).unwrap();
        assert!(
            editor.starts_with(
                "Severity `off`, set by the editor  \n\
                 Not shown in `a/**`, `b`, set [here](gantrycd.hcl:4)\n\n"
            ),
            "{editor}"
        );
    }

    #[test]
    fn a_realm_that_stands_here_is_explained_as_elsewhere() {
        let text = "#- main.tf\nvariable \"r\" {}\nprovider \"aws\" {\n  default_tags {\n    tags = { \"gantrycd:resource-identity-realm\" = var.r }\n  }\n}\nresource \"aws_sqs_queue\" \"q\" {}\n#- gantrycd.hcl\nvariables = { r = \"a$0b\" }\n";
        let shown = hover(text).unwrap();
        assert!(shown.starts_with("Realm `ab` of"), "{shown}");
    }
}
