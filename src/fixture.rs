//! Workspaces as text, for tests that read like the manual.
//!
//! Several files in one string, each behind a line `#- path`. Under what a finding underlines
//! stands a line `^^^ code: text`, which is taken out before the file is written: the text must be
//! in the message, and the findings must be these and no others. A severity may stand before the
//! code. `$0` is the cursor.
//!
//! A state that does not begin with `{` is a line for each row: its address, then `arn=…`,
//! `id=…` and `realm=…` (own tags), `all-id=…` and `all-realm=…` (only in `tags_all`),
//! `catalog=…`, `provider=…`, `deposed=…`, and the word `untaggable` for a row that has no tags.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::checks::{self, Finding, Settings};
use crate::ide;
use crate::identity::{Address, IDENTITY_TAG, IdentityRegistry, Mode, REALM_TAG};
use crate::text::Span;
use crate::workspace::{Place, Snapshot, Workspace};

/// Two stacks that use a module `m`.
pub(crate) const TWO_STACKS: &str = r#"
#- a/main.tf
module "m" {
  source = "../m"
}
#- b/main.tf
module "m" {
  source = "../m"
}
"#;

/// A workspace on the disk that goes when it is dropped.
pub(crate) struct Fixture {
    directory: tempfile::TempDir,
    expected: Vec<Expected>,
    /// The file with the cursor, and its byte.
    cursor: Option<(String, u32)>,
}

/// `path:line:column..column code`, columns in characters.
struct Expected {
    place: String,
    severity: Option<String>,
    text: String,
}

/// How the files of configuration are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// As they stand.
    Plain,
    /// With a byte order mark and with `\r\n`, as some editors on Windows write them.
    Windows,
}

impl Lines {
    fn of(self, text: &str) -> String {
        match self {
            Lines::Plain => text.to_owned(),
            Lines::Windows => {
                let text = text.trim_start_matches('\u{feff}');
                format!(
                    "\u{feff}{}",
                    text.replace("\r\n", "\n").replace('\n', "\r\n")
                )
            }
        }
    }
}

impl Fixture {
    pub(crate) fn new(text: &str) -> Self {
        Self::written(text, Lines::Plain)
    }

    /// The same with files as some editors on Windows write them.
    pub(crate) fn windows(text: &str) -> Self {
        Self::written(text, Lines::Windows)
    }

    fn written(text: &str, lines: Lines) -> Self {
        let mut fixture = Self {
            directory: tempfile::tempdir().unwrap(),
            expected: Vec::new(),
            cursor: None,
        };
        let mut files: Vec<(&str, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("#- ") {
                files.push((path.trim(), String::new()));
                continue;
            }
            let Some((path, file)) = files.last_mut() else {
                assert!(line.trim().is_empty(), "no file for {line:?}");
                continue;
            };
            let marks = line.trim_start().trim_start_matches('^');
            let start = line.len() - line.trim_start().len();
            let length = line.trim_start().len() - marks.len();
            if length == 0 {
                file.push_str(line);
                continue;
            }
            let (code, text) = marks.trim().split_once(": ").unwrap_or((marks.trim(), ""));
            let (severity, code) = match code.split_once(' ') {
                Some((severity, code)) => (Some(severity.to_owned()), code),
                None => (None, code),
            };
            let line = file.lines().count();
            fixture.expected.push(Expected {
                place: format!("{path}:{line}:{start}..{} {code}", start + length),
                severity,
                text: text.to_owned(),
            });
        }
        for (path, mut file) in files {
            let endings = [".tf", ".tofu", ".tf.json", ".tofu.json", ".tfvars", ".hcl"];
            if endings.iter().any(|it| path.ends_with(it)) {
                file = lines.of(&file);
            }
            if let Some(at) = file.find("$0") {
                file.replace_range(at..at + 2, "");
                let bom = if file.starts_with('\u{feff}') { 3 } else { 0 };
                fixture.cursor = Some((path.to_owned(), (at - bom) as u32));
            }
            if path.ends_with(".tfstate") && !file.trim().is_empty() && !file.starts_with('{') {
                file = state(path, &file);
            }
            let path = fixture.path(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        fixture
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.directory.path().join(path)
    }

    /// The file with the cursor, and its byte.
    #[track_caller]
    pub(crate) fn cursor(&self) -> (std::path::PathBuf, u32) {
        let (name, at) = self.cursor.as_ref().expect("a cursor");
        (self.path(name), *at)
    }

    pub(crate) fn workspace(&self) -> Workspace {
        let registry = Arc::new(IdentityRegistry::mounted());
        Workspace::open(self.directory.path(), registry)
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.workspace().snapshot()
    }
}

/// A state in format 4 with these rows.
pub(crate) fn state(path: &str, rows: &str) -> String {
    let resources: Vec<Value> = rows
        .lines()
        .filter(|it| !it.trim().is_empty())
        .map(|line| {
            let mut words = line.split_whitespace();
            let address = words.next().unwrap();
            let address = Address::parse(address).unwrap_or_else(|| panic!("{address}"));
            let mut provider = "registry.terraform.io/hashicorp/aws";
            let mut instance = Map::new();
            let mut attributes = Map::from_iter([("timeouts".to_owned(), Value::Null)]);
            let (mut own, mut all, mut taggable) = (Map::new(), Map::new(), true);
            for word in words {
                let (key, value) = word.split_once('=').unwrap_or((word, ""));
                match key {
                    "arn" => _ = attributes.insert("arn".into(), json!(value)),
                    "catalog" => _ = attributes.insert("catalog_id".into(), json!(value)),
                    "id" => _ = own.insert(IDENTITY_TAG.into(), json!(value)),
                    "realm" => _ = own.insert(REALM_TAG.into(), json!(value)),
                    "all-id" => _ = all.insert(IDENTITY_TAG.into(), json!(value)),
                    "all-realm" => _ = all.insert(REALM_TAG.into(), json!(value)),
                    "provider" => provider = value,
                    "deposed" => _ = instance.insert("deposed".into(), json!(value)),
                    "untaggable" => taggable = false,
                    other => panic!("a row has no {other}"),
                }
            }
            if taggable {
                all.extend(own.clone());
                attributes.insert("tags".into(), own.into());
                if address.mode == Mode::Managed {
                    attributes.insert("tags_all".into(), all.into());
                }
            }
            if let Some(key) = &address.key {
                let key = match key {
                    crate::identity::Key::Index(index) => json!(index),
                    crate::identity::Key::Name(name) => json!(**name),
                };
                instance.insert("index_key".into(), key);
            }
            instance.insert("attributes".into(), attributes.into());
            json!({
                "module": address.module.to_string(),
                "mode": address.mode.as_str(),
                "type": &*address.resource_type,
                "name": &*address.name,
                "provider": format!("provider[\"{provider}\"]"),
                "instances": [instance],
            })
        })
        .collect();
    json!({"version": 4, "serial": 1, "lineage": path, "resources": resources}).to_string()
}

/// Checks a workspace: its findings are those that are marked, and no others.
/// However its lines end.
#[track_caller]
pub(crate) fn check(text: &str) {
    check_with(&json!({}), text);
}

/// The same under an editor's settings, which have no fault.
#[track_caller]
pub(crate) fn check_with(editor: &Value, text: &str) {
    let (editor, faults) = Settings::of_editor(editor);
    assert!(faults.is_empty(), "{faults:#?}");
    compare(Fixture::new(text), &editor, |_| true);
    compare(Fixture::windows(text), &editor, |_| true);
}

/// The same of a workspace with a text that cannot be read, which is told of somewhere.
#[track_caller]
pub(crate) fn check_broken(text: &str) {
    compare(Fixture::new(text), &Settings::default(), |it| {
        !["syntax", "workspace-file"].contains(&it.code)
    });
}

#[track_caller]
fn compare(fixture: Fixture, editor: &Settings, counts: impl Fn(&Finding) -> bool) {
    let mut workspace = fixture.workspace();
    workspace.set_variables(&editor.variables);
    let snapshot = workspace.snapshot();
    let mut findings = checks::run(&snapshot, editor);
    findings.retain(counts);
    let found: Vec<_> = findings.iter().map(|it| place(&snapshot, it)).collect();
    let mut unmatched: Vec<_> = found.iter().zip(&findings).collect();
    for expected in &fixture.expected {
        let at = unmatched.iter().position(|(place, it)| {
            let severity = expected.severity.as_deref();
            **place == expected.place
                && severity.is_none_or(|wanted| wanted == it.severity.as_str())
                && it.message.contains(&expected.text)
        });
        match at {
            Some(at) => _ = unmatched.remove(at),
            None => panic!(
                "not found: {} {:?}\nfound: {:#?}",
                expected.place,
                expected.text,
                findings
                    .iter()
                    .map(|it| (it.severity, place(&snapshot, it), &it.message))
                    .collect::<Vec<_>>()
            ),
        }
    }
    assert!(
        unmatched.is_empty(),
        "not expected: {:#?}",
        unmatched
            .iter()
            .map(|(place, it)| (place, &it.message))
            .collect::<Vec<_>>()
    );
}

/// Checks that of the actions at the cursor the one whose title has `title` in it turns the file into
/// `after`, that it is not offered again then, and that the file is read and formatted as before.
/// However its lines end.
#[track_caller]
pub(crate) fn check_action(before: &str, title: &str, after: &str) {
    check_action_in(Fixture::new(before), title, after);
    let windows = Fixture::windows(before);
    check_action_in(windows, title, &Lines::Windows.of(after));
}

#[track_caller]
fn check_action_in(mut fixture: Fixture, title: &str, after: &str) {
    let (name, cursor) = fixture.cursor.take().expect("a cursor");
    let path = fixture.path(&name);
    let offered = |fixture: &Fixture, cursor: u32| {
        let snapshot = fixture.snapshot();
        let findings = checks::run(&snapshot, &Settings::default());
        let actions = ide::actions(&snapshot, &findings, &path, Span::at(cursor as usize));
        let fixes = actions.iter().map(|it| it.fix.clone());
        fixes.collect::<Vec<_>>()
    };
    let fixes = offered(&fixture, cursor);
    let of_that_title = |it: &&checks::Fix| it.title.contains(title);
    let matching: Vec<_> = fixes.iter().filter(of_that_title).collect();
    let [fix] = matching[..] else {
        panic!("one action {title:?}, not these: {fixes:#?}");
    };
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = edited(&path, &fix.edits);
    assert_eq!(edited, after);
    let before_cursor = fix.edits.iter().filter(|it| it.place.span.end <= cursor);
    let moves = before_cursor.map(|it| it.new_text.len() as i64 - it.place.span.len() as i64);
    let moved = i64::from(cursor) + moves.sum::<i64>();
    if let (Some(was), Some(is)) = (formatted(&path, &text), formatted(&path, &edited))
        && was == text
    {
        assert_eq!(is, edited, "terraform fmt writes it otherwise");
    }
    std::fs::write(&path, edited).unwrap();
    let snapshot = fixture.snapshot();
    let faults = snapshot.file(&path).map(|it| it.faults());
    assert_eq!(faults, Some(&[][..]), "it cannot be read");
    let again = offered(&fixture, moved.max(0) as u32);
    let again: Vec<_> = again.iter().filter(of_that_title).collect();
    assert!(again.is_empty(), "offered again: {again:#?}");
}

/// The text of a file after edits of it and of no other.
#[track_caller]
pub(crate) fn edited(path: &Path, edits: &[checks::Edit]) -> String {
    let mut text = std::fs::read_to_string(path).unwrap();
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|it| std::cmp::Reverse(it.place.span));
    for edit in edits {
        assert_eq!(*edit.place.path, *path);
        let range = edit.place.span.range();
        text.replace_range(range.start + bom..range.end + bom, &edit.new_text);
    }
    text
}

/// What `terraform fmt` makes of a text. `None` of JSON, and where there is no terraform, which is
/// said.
fn formatted(path: &Path, text: &str) -> Option<String> {
    if path.extension().is_none_or(|it| it == "json") {
        return None;
    }
    let child = Command::new("terraform")
        .args(["fmt", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        println!("there is no terraform: how it formats is not compared");
        return None;
    };
    let input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut &input, text.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "terraform fmt refuses {text}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The titles of what is offered at the cursor, in order.
#[track_caller]
pub(crate) fn actions(text: &str) -> Vec<String> {
    let fixture = Fixture::new(text);
    let (name, cursor) = fixture.cursor.clone().expect("a cursor");
    let snapshot = fixture.snapshot();
    let findings = checks::run(&snapshot, &Settings::default());
    let path = fixture.path(&name);
    let actions = ide::actions(&snapshot, &findings, &path, Span::at(cursor as usize));
    actions.iter().map(|it| it.fix.title.clone()).collect()
}

/// Checks that nothing is offered at the cursor.
#[track_caller]
pub(crate) fn check_no_action(text: &str) {
    let offered = actions(text);
    assert!(offered.is_empty(), "{offered:#?}");
}

/// The hover at the cursor; links are `<path:line>`.
#[track_caller]
pub(crate) fn hover(text: &str) -> Option<String> {
    hover_with(&json!({}), text)
}

/// The same under an editor's settings.
#[track_caller]
pub(crate) fn hover_with(editor: &Value, text: &str) -> Option<String> {
    let fixture = Fixture::new(text);
    let (name, cursor) = fixture.cursor.clone().expect("a cursor");
    let snapshot = fixture.snapshot();
    let link = |it: &Place| {
        let source = snapshot.source(&it.path).unwrap();
        let line = source.position(it.span.start, Default::default()).line + 1;
        format!("{}:{line}", snapshot.relative(&it.path))
    };
    let (editor, _) = Settings::of_editor(editor);
    let hover = ide::hover(&snapshot, &editor, &fixture.path(&name), cursor, &link)?;
    // the age of a file that was just written
    Some(
        hover
            .markdown
            .replace(", cached less than a minute ago", ""),
    )
}

/// What could be written at the cursor: what it is chosen by, and its line after that.
#[track_caller]
pub(crate) fn completions(text: &str) -> Vec<(String, String)> {
    let fixture = Fixture::new(text);
    let (name, cursor) = fixture.cursor.clone().expect("a cursor");
    let snapshot = fixture.snapshot();
    let path = fixture.path(&name);
    let source = snapshot.source(&path).unwrap();
    let chosen = |it: ide::Completion| {
        assert!(it.span.touches(cursor), "{it:?}");
        let mut line = Span {
            start: source.line_start(cursor),
            end: source.text().len() as u32,
        };
        line = source.first_line(line);
        assert!(line.contains(it.span), "{it:?}");
        let replaced = it.span.range();
        let range = line.range();
        let text = source.text();
        let (before, after) = (
            &text[range.start..replaced.start],
            &text[replaced.end..range.end],
        );
        (it.name, [before, &it.new_text, after].concat())
    };
    let completions = ide::completion(&snapshot, &path, cursor).into_iter();
    completions.map(chosen).collect()
}

/// Where each target is and what stands there: `path:line text`, lines counted from 1; of what is no
/// configuration, the path alone.
pub(crate) fn told(snapshot: &Snapshot, targets: &[ide::Target]) -> Vec<String> {
    let one = |it: &ide::Target| {
        let path = snapshot.relative(&it.place.path);
        let Some(source) = snapshot.source(&it.place.path) else {
            assert_eq!((it.place.span, it.whole), (Span::at(0), Span::at(0)));
            return path.into();
        };
        assert!(it.whole.contains(it.place.span), "{it:?}");
        let line = source
            .position(it.place.span.start, Default::default())
            .line
            + 1;
        format!("{path}:{line} {}", source.slice(it.place.span))
    };
    targets.iter().map(one).collect()
}

fn place(snapshot: &Snapshot, finding: &Finding) -> String {
    let path: &Path = &finding.place.path;
    let Some(source) = snapshot.source(path) else {
        return format!("{} {}", snapshot.relative(path), finding.code);
    };
    let at = |offset| source.position(offset, crate::text::Encoding::Utf32);
    let (start, end) = (at(finding.place.span.start), at(finding.place.span.end));
    assert_eq!(start.line, end.line, "a finding of several lines");
    format!(
        "{}:{}:{}..{} {}",
        snapshot.relative(path),
        start.line + 1,
        start.character,
        end.character,
        finding.code
    )
}
