//! What a person set: how grave the findings of each check are, and where they are not shown.
//!
//! It stands in the workspace file and in an editor's settings, which win key by key. What is wrong
//! in either costs nothing beside it.

mod fault;
mod items;
pub mod shape;
mod states;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::config::ModuleFile;
use crate::eval::{Entry, from_json};
use crate::syntax::{Expression, ExpressionKind, json_attributes};
use crate::text::Source;
use crate::workspace::{Place, Snapshot};

use super::nearest::nearest;
use super::{ALL, Check, Finding, Severity};
use items::{Bodies, Items};

pub(super) use fault::{Fault, of_file as faults};
pub use states::{PARALLELISM, States, TIMEOUT_SECONDS, Tool};

/// What a person set, in one place or in all of them.
#[derive(Clone, Default, Debug)]
pub struct Settings {
    checks: BTreeMap<&'static str, OfCheck>,
    /// Of cached states.
    pub states: States,
    /// Of an editor's settings: values of input variables.
    pub variables: Arc<[Entry]>,
    /// Of an editor's settings: what is shown beside a text.
    pub shown: Shown,
}

/// What an editor shows beside a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Lines above blocks.
    pub code_lens: bool,
    /// Identities behind headers.
    pub inlay_hints: bool,
}

impl Shown {
    pub(super) const BY_DEFAULT: Self = Self {
        code_lens: true,
        inlay_hints: false,
    };

    fn of_editor(json: &serde_json::Value) -> Self {
        let enables = |section: &str| json.get(section)?.get("enable")?.as_bool();
        Self {
            code_lens: enables("codeLens").unwrap_or(Self::BY_DEFAULT.code_lens),
            inlay_hints: enables("inlayHints").unwrap_or(Self::BY_DEFAULT.inlay_hints),
        }
    }
}

impl Default for Shown {
    fn default() -> Self {
        Self::BY_DEFAULT
    }
}

/// What a person set for one check.
#[derive(Clone, Default, Debug)]
pub struct OfCheck {
    /// How grave it is.
    pub severity: Option<Set<Level>>,
    /// Where its findings are not shown.
    pub exclude: Option<Set<Globs>>,
}

/// A setting, and where it was made.
#[derive(Clone, Debug)]
pub struct Set<T> {
    /// What it is set to.
    pub value: T,
    /// Where that stands in the workspace file; `None` of an editor's settings.
    pub place: Option<Place>,
}

/// How grave a check can be set to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Its findings are not looked for.
    Off,
    /// Its findings are as grave as this.
    At(Severity),
}

impl Level {
    /// The level of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "off" => Level::Off,
            "hint" => Level::At(Severity::Hint),
            "information" => Level::At(Severity::Information),
            "warning" => Level::At(Severity::Warning),
            "error" => Level::At(Severity::Error),
            _ => return None,
        })
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::At(severity) => severity.as_str(),
        }
    }
}

/// Globs over paths relative to the workspace root.
#[derive(Clone, Debug)]
pub struct Globs {
    /// As they were written, but for those that are none.
    pub written: Vec<Box<str>>,
    set: GlobSet,
}

impl Globs {
    fn new(written: Vec<Box<str>>) -> Option<Self> {
        let mut set = GlobSetBuilder::new();
        for glob in &written {
            set.add(glob_of(glob).ok()?);
        }
        let set = set.build().ok()?;
        Some(Self { written, set })
    }
}

/// Reads a glob, whose `*` and `?` stay within one directory.
///
/// # Errors
/// When it is none.
pub fn glob_of(text: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(text).literal_separator(true).build()
}

/// Whether such a glob matches no path that is relative to the workspace root.
fn leaves_the_root(glob: &str) -> bool {
    let mut parts = glob.split('/');
    glob.is_empty() || parts.any(|it| matches!(it, "" | "." | ".."))
}

impl Settings {
    /// What is in force: what the workspace file says, and over it what an editor's settings say.
    pub fn in_force(snapshot: &Snapshot, editor: &Settings) -> Self {
        let file = snapshot.workspace_file();
        let mut settings = file.map(|it| Self::of_file(it)).unwrap_or_default();
        for (code, over) in &editor.checks {
            let under = settings.checks.entry(code).or_default();
            let over = over.clone();
            under.severity = over.severity.or(under.severity.take());
            under.exclude = over.exclude.or(under.exclude.take());
        }
        settings.states = settings.states.under(&editor.states);
        settings
    }

    fn of_file(file: &ModuleFile) -> Self {
        let bodies = Bodies::of(file);
        let items = Items::of_file(file, &bodies);
        Self {
            checks: checks(&items, Some(&file.path)),
            states: States::of_file(&items),
            ..Self::default()
        }
    }

    /// What an editor's settings say, with a sentence for each fault in them.
    pub fn of_editor(json: &serde_json::Value) -> (Self, Vec<String>) {
        let json = &as_tables(json);
        let source = Source::new(&json.to_string());
        let Ok(attributes) = json_attributes(&source) else {
            let what = format!("The settings are to be an object, not `{}`.", source.text());
            return (Self::default(), vec![what]);
        };
        let items = Items::of_json(&attributes);
        let variables = json
            .get("variables")
            .and_then(|it| from_json(&it.to_string()));
        let settings = Self {
            checks: checks(&items, None),
            states: States::of(&items),
            variables: variables.map(|it| it.entries().into()).unwrap_or_default(),
            shown: Shown::of_editor(json),
        };
        let faults = fault::of_editor(&items, &source);
        let faults = faults.into_iter().map(|it| it.message);
        (settings, faults.collect())
    }

    /// Whether JSON is meant to be such settings: it has a key of theirs, or nearly.
    pub fn are_meant(json: &serde_json::Value) -> bool {
        let known = || shape::EDITOR.all().into_iter().map(|(name, _)| name);
        let mut keys = json.as_object().into_iter().flat_map(|it| it.keys());
        keys.any(|it| nearest(it, known()).is_some())
    }

    /// What is set for a check.
    pub fn of(&self, code: &str) -> Option<&OfCheck> {
        self.checks.get(code)
    }

    /// Whether these come to the same findings, wherever they are set.
    pub(super) fn sets_the_same(&self, other: &Settings) -> bool {
        let exclude = |it: &Settings, code: &str| {
            let exclude = it.of(code).and_then(|it| it.exclude.as_ref());
            exclude.map(|it| it.value.written.clone())
        };
        let mut all = ALL.iter().map(|it| it.code);
        self.states.max_age_days == other.states.max_age_days
            && all.all(|it| {
                self.level(it) == other.level(it) && exclude(self, it) == exclude(other, it)
            })
    }

    /// Whether a check is not made.
    pub(super) fn is_off(&self, check: &Check) -> bool {
        self.level(check.code) == Some(Level::Off)
    }

    fn level(&self, code: &str) -> Option<Level> {
        Some(self.of(code)?.severity.as_ref()?.value)
    }

    /// Has a finding of a check be as grave as a person wants it. What the check itself found less
    /// grave than its others gets no graver by that.
    pub(super) fn grade(&self, check: &Check, finding: &mut Finding) {
        let Some(Level::At(severity)) = self.level(check.code) else {
            return;
        };
        finding.is_graded = true;
        finding.severity = match finding.severity < check.severity {
            true => finding.severity.min(severity),
            false => severity,
        };
    }

    /// Whether a finding stands where a person does not want to see it.
    pub(super) fn excludes(&self, snapshot: &Snapshot, finding: &Finding) -> bool {
        let exclude = self.of(finding.code).and_then(|it| it.exclude.as_ref());
        exclude.is_some_and(|it| {
            let path = snapshot.relative(&finding.place.path);
            it.value.set.is_match(&*path)
        })
    }
}

/// The same with objects in the place of empty arrays that can be none: Neovim has one notation for
/// both.
fn as_tables(json: &serde_json::Value) -> serde_json::Value {
    let mut json = json.clone();
    let tables = |it: &mut serde_json::Value| {
        if it.as_array().is_some_and(Vec::is_empty) {
            *it = serde_json::Value::Object(Default::default());
        }
    };
    tables(&mut json);
    for (section, _) in shape::EDITOR.all() {
        if let Some(section) = json.get_mut(section) {
            tables(section);
        }
    }
    let checks = json.get_mut("checks").and_then(|it| it.as_object_mut());
    checks
        .into_iter()
        .flat_map(|it| it.values_mut())
        .for_each(tables);
    json
}

/// What is set for each check. Of a key that is set twice the last counts.
fn checks(items: &Items, path: Option<&Arc<Path>>) -> BTreeMap<&'static str, OfCheck> {
    let mut checks: BTreeMap<&'static str, OfCheck> = BTreeMap::new();
    for (name, value) in items.sections("checks").flat_map(|it| &it.pairs) {
        let Some(check) = Check::of(&name.text) else {
            continue;
        };
        let of_check = checks.entry(check.code).or_default();
        set_level(of_check, value, path);
        for (key, value) in Items::of_object(value).into_iter().flat_map(|it| it.pairs) {
            match &*key.text {
                "severity" => set_level(of_check, value, path),
                "exclude" => set_exclude(of_check, value, path),
                _ => {}
            }
        }
    }
    checks
}

fn set<T>(value: T, written: &Expression, path: Option<&Arc<Path>>) -> Option<Set<T>> {
    let place = path.map(|path| Place {
        path: path.clone(),
        span: written.span,
    });
    Some(Set { value, place })
}

fn set_level(of_check: &mut OfCheck, value: &Expression, path: Option<&Arc<Path>>) {
    let level = value.literal().and_then(|(it, _)| Level::parse(it));
    if let Some(level) = level {
        of_check.severity = set(level, value, path);
    }
}

fn set_exclude(of_check: &mut OfCheck, value: &Expression, path: Option<&Arc<Path>>) {
    let ExpressionKind::Tuple(elements) = &value.kind else {
        return;
    };
    let globs = elements.iter().filter_map(Expression::literal);
    let globs = globs.filter(|(it, _)| glob_of(it).is_ok());
    if let Some(globs) = Globs::new(globs.map(|(it, _)| it.into()).collect()) {
        of_check.exclude = set(globs, value, path);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fixture::{Fixture, check, check_with};

    /// Two stacks that manage one bucket, behind these settings.
    fn duplicate(settings: &str, marks: [&str; 2]) -> String {
        let [a, b] = marks;
        format!(
            r#"
#- gantrycd.hcl
{settings}
#- live/a/main.tf
resource "aws_s3_bucket" "b" {{}}
{a}
#- live/a/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::x
#- sandbox/deep/b/main.tf
resource "aws_s3_bucket" "b" {{}}
{b}
#- sandbox/deep/b/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::x
"#
        )
    }

    const ERROR: &str = "^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error duplicate-identity";
    const WARNING: &str = "^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning duplicate-identity";
    const HINT: &str = "^^^^^^^^^^^^^^^^^^^^^^^^^^^^ hint duplicate-identity";

    #[test]
    fn a_severity_takes_the_place_of_the_checks_own() {
        let check_set = |value: &str, mark: &str| {
            let settings = format!("checks {{\n  duplicate-identity = {value}\n}}");
            check(&duplicate(&settings, [mark, mark]));
        };
        check(&duplicate("", [ERROR, ERROR]));
        check_set("\"hint\"", HINT);
        check_set("\"information\"", &HINT.replace("hint", "information"));
        check_set("\"warning\"", WARNING);
        check_set("\"error\"", ERROR);
        check_set("\"off\"", "");
        check_set("{ severity = \"off\" }", "");
        check_set("{ \"severity\" = \"warning\", exclude = [] }", WARNING);
        check_set("null", ERROR);
    }

    #[test]
    fn what_lies_elsewhere_is_excluded_and_counts() {
        let check_exclude = |globs: &str, marks: [&str; 2]| {
            let settings =
                format!("checks {{\n  duplicate-identity = {{ exclude = [{globs}] }}\n}}");
            check(&duplicate(&settings, marks));
        };
        check_exclude("\"sandbox/**\"", [ERROR, ""]);
        check_exclude("\"**/b/*.tf\"", [ERROR, ""]);
        check_exclude("\"**/main.tf\"", ["", ""]);
        check_exclude("\"sandbox/deep/b/main.tf\"", [ERROR, ""]);
        check_exclude("\"nowhere/**\", \"{live,test}/**\"", ["", ERROR]);
        // one star stays within one directory, and a directory is no file
        check_exclude("\"sandbox/*\"", [ERROR, ERROR]);
        check_exclude("\"sandbox\"", [ERROR, ERROR]);
        check_exclude("\"*\"", [ERROR, ERROR]);
        check_exclude("\"andbox/**\"", [ERROR, ERROR]);
    }

    #[test]
    fn what_is_right_beside_a_fault_counts() {
        check(&duplicate(
            r#"nothing {}
^^^^^^^ workspace-file
checks {
  everything         = "off"
  ^^^^^^^^^^ workspace-file
  duplicate-identity = { severity = "hint", exclude = ["[", "sandbox/**"], level = 1 }
                                                        ^ workspace-file
                                                                           ^^^^^ workspace-file
}
checks {
^^^^^^ workspace-file
  syntax = )
           ^ workspace-file
}"#,
            [HINT, ""],
        ));
    }

    #[test]
    fn of_what_is_set_twice_the_last_counts() {
        check(&duplicate(
            r#"checks {
  duplicate-identity = "off"
  duplicate-identity = "hint"
  ^^^^^^^^^^^^^^^^^^ workspace-file: The last one counts.
}
checks {
^^^^^^ workspace-file
  duplicate-identity = { severity = "warning" }
}"#,
            [WARNING, WARNING],
        ));
    }

    #[test]
    fn the_editor_wins_key_by_key() {
        let file = r#"checks {
  duplicate-identity = { severity = "hint", exclude = ["sandbox/**"] }
}"#;
        let over = |of_check, marks| {
            let editor = json!({ "checks": { "duplicate-identity": of_check } });
            check_with(&editor, &duplicate(file, marks));
        };
        over(json!("warning"), [WARNING, ""]);
        over(json!({ "severity": "warning" }), [WARNING, ""]);
        over(json!({ "exclude": [] }), [HINT, HINT]);
        over(json!({ "exclude": ["live/**"] }), ["", HINT]);
        over(
            json!({ "severity": "error", "exclude": ["live/**"] }),
            ["", ERROR],
        );
        over(json!("off"), ["", ""]);
        over(json!({}), [HINT, ""]);
        over(json!(null), [HINT, ""]);
        let other = json!({ "checks": { "syntax": "off" } });
        check_with(&other, &duplicate(file, [HINT, ""]));
        check_with(&json!({}), &duplicate(file, [HINT, ""]));
    }

    #[test]
    fn what_ends_with_the_next_apply_gets_no_graver() {
        let text = |severity: &str, shown: &str| {
            let mark =
                format!("^^^^^^^^^^^^^^^^^^^^^^^^^^^^ {shown} duplicate-identity: Until applied");
            let settings = format!("checks {{\n  duplicate-identity = \"{severity}\"\n}}");
            let text = duplicate(&settings, [&mark, &mark]);
            let (before, after) = text.split_once("{}").unwrap();
            let tags = "{ tags = { \"gantrycd:resource-identity\" = \"other\" } }";
            [before, tags, after].concat()
        };
        check(&text("error", "information"));
        check(&text("warning", "information"));
        check(&text("hint", "hint"));
    }

    #[test]
    fn errors_of_syntax_are_hints_in_editors_until_somebody_says_otherwise() {
        let severities = |settings: &str| {
            let text = format!("#- gantrycd.hcl\n{settings}\n#- main.tf\nlocals {{\n  x = )\n}}\n");
            let fixture = Fixture::new(&text);
            let findings = super::super::run(&fixture.snapshot(), &Settings::default());
            let [finding] = &findings[..] else {
                panic!("{findings:#?}");
            };
            (finding.severity, finding.severity_in_editor())
        };
        assert_eq!(severities(""), (Severity::Warning, Severity::Hint));
        for severity in [Severity::Hint, Severity::Warning, Severity::Error] {
            let settings = format!("checks {{\n  syntax = \"{}\"\n}}", severity.as_str());
            assert_eq!(severities(&settings), (severity, severity));
        }
    }

    #[test]
    fn the_unsaved_text_of_the_workspace_file_counts() {
        let fixture = Fixture::new(&duplicate("", ["", ""]));
        let mut workspace = fixture.workspace();
        let severities = |workspace: &mut crate::workspace::Workspace| {
            let findings = super::super::run(&workspace.snapshot(), &Settings::default());
            findings.iter().map(|it| it.severity).collect::<Vec<_>>()
        };
        assert_eq!(severities(&mut workspace), [Severity::Error; 2]);
        let path = fixture.path("gantrycd.hcl");
        let text = "checks {\n  duplicate-identity = \"hint\"\n}\n";
        assert!(workspace.open_document(&path, Source::new(text)));
        assert_eq!(severities(&mut workspace), [Severity::Hint; 2]);
        workspace.close_document(&path);
        assert_eq!(severities(&mut workspace), [Severity::Error; 2]);
        let below = fixture.path("live/gantrycd.hcl");
        assert!(!workspace.open_document(&below, Source::new(text)));
        assert_eq!(severities(&mut workspace), [Severity::Error; 2]);
    }

    #[test]
    fn an_editor_may_give_variables_their_values() {
        let editor = json!({ "variables": { "who": "c/d" } });
        let text = |settings: &str, a: &str, b: &str| {
            let stack = |mark: &str| {
                let mark = match mark {
                    "" => String::new(),
                    why => {
                        format!("^^^^^^^^^^^^^^ malformed-realm: The realm comes to \"{why}\"\n")
                    }
                };
                format!(
                    "variable \"who\" {{}}\n{mark}resource \"aws_sqs_queue\" \"q\" {{\n  tags = {{ \
                     \"gantrycd:resource-identity-realm\" = var.who }}\n}}\n"
                )
            };
            let (a, b) = (stack(a), stack(b));
            format!("#- gantrycd.hcl\n{settings}\n#- a/main.tf\n{a}\n#- b/main.tf\n{b}\n")
        };
        check_with(&json!({}), &text("", "", ""));
        check_with(&editor, &text("", "c/d", "c/d"));
        // over those of all stacks in the file, and under those of one
        check_with(
            &editor,
            &text("variables = { who = \"fine\" }", "c/d", "c/d"),
        );
        let own = "stack \"a\" {\n  variables = { who = \"fine\" }\n}";
        check_with(&editor, &text(own, "", "c/d"));
    }

    #[test]
    fn the_empty_tables_of_lua_are_no_fault() {
        for json in [
            json!([]),
            json!({ "checks": [], "states": [], "variables": [], "codeLens": [], "inlayHints": [] }),
            json!({ "checks": { "lonely-realm": [] } }),
            json!({ "checks": { "lonely-realm": { "exclude": [] } } }),
        ] {
            let (_, faults) = Settings::of_editor(&json);
            assert_eq!(faults, [""; 0], "{json}");
        }
    }

    #[test]
    fn what_an_editor_shows_beside_a_text() {
        let shown = |json: Value| {
            let (settings, faults) = Settings::of_editor(&json);
            let Shown {
                code_lens,
                inlay_hints,
            } = settings.shown;
            ((code_lens, inlay_hints), faults.concat())
        };
        let fine = |code_lens, inlay_hints| ((code_lens, inlay_hints), String::new());
        assert_eq!(shown(json!({})), fine(true, false));
        let other = json!({ "codeLens": { "enable": false }, "inlayHints": { "enable": true } });
        assert_eq!(shown(other), fine(false, true));
        let unset = json!({ "codeLens": { "enable": null }, "inlayHints": {} });
        assert_eq!(shown(unset), fine(true, false));
        for (odd, told) in [
            (
                json!({ "codeLens": { "enable": "off" } }),
                "`enable` takes true or false, not \"off\". It is left aside.",
            ),
            (
                json!({ "codeLens": false }),
                "`codeLens` takes an object, not `false`. It is left aside.",
            ),
            (
                json!({ "inlayHints": { "enabled": true } }),
                "`inlayHints` has no key `enabled`: did you mean `enable`? It is left aside.",
            ),
        ] {
            assert_eq!(shown(odd), ((true, false), told.to_owned()));
        }
    }

    #[test]
    fn what_is_wrong_with_an_editors_settings_is_told_and_the_rest_counts() {
        let (settings, faults) = Settings::of_editor(&json!({
            "check": {},
            "checks": {
                "private": "off",
                "sintax": "off",
                "syntax": "warn",
                "untaggable-type": { "severity": 4, "exclude": ["[", "a/**"] },
                "malformed-realm": "hint",
            },
            "stack": {},
            "states": { "external": {}, "max_age_days": 7, "parallelism": 0, "refresh_on_save": 1 },
            "variables": ["a"],
        }));
        let told = faults.join("\n");
        let expected = [
            "There is no setting `check`: did you mean `checks`? It is left aside.",
            "`stack` can be set in gantrycd.hcl only. It is left aside.",
            "`variables` takes an object of names and constant values, not `[\"a\"]`. It is left \
             aside.",
            "There is no check `private`. It is left aside.",
            "There is no check `sintax`: did you mean `syntax`? It is left aside.",
            "`syntax` takes \"off\", \"hint\", \"information\", \"warning\" or \"error\", or an \
             object with `severity` and `exclude`, not \"warn\": did you mean \"warning\"? It is \
             left aside.",
            "\"[\" is no glob: unclosed character class; missing ']'. The other globs count.",
            "`severity` takes \"off\", \"hint\", \"information\", \"warning\" or \"error\", not \
             `4`. It is left aside.",
            "`external` can be set in gantrycd.hcl only. It is left aside.",
            "`parallelism` takes a whole number from 1 upward, not `0`. It is left aside.",
            "`refresh_on_save` takes true or false, not `1`. It is left aside.",
        ];
        assert_eq!(told, expected.join("\n"));
        assert_eq!(settings.states.max_age_days, Some(7));
        assert_eq!(settings.states.parallelism(), PARALLELISM);
        let level = settings.of("malformed-realm").unwrap().severity.as_ref();
        assert_eq!(level.unwrap().value, Level::At(Severity::Hint));
        let exclude = settings.of("untaggable-type").unwrap().exclude.as_ref();
        assert_eq!(exclude.unwrap().value.written, [Box::from("a/**")]);

        for odd in [json!(7), json!([1]), json!("off")] {
            let (_, faults) = Settings::of_editor(&odd);
            let told = format!("The settings are to be an object, not `{odd}`.");
            assert_eq!(faults, [told]);
        }
        let (_, faults) = Settings::of_editor(&json!({ "checks": true }));
        assert_eq!(
            faults,
            ["`checks` takes an object, not `true`. It is left aside."]
        );
    }
}
