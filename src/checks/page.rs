//! The help pages: each is written from the doc comment of its check's file, and what it shows is
//! true.
//!
//! Before `# Example`, the doc comment says in one sentence what is found, and in further paragraphs
//! why it matters. `# Example` has a fixture with what is found in it, `# Fixed` those of its files
//! that are others once nothing is found any more.
//!
//! `GANTRYCD_REGENERATE=1 cargo test --lib page` writes the pages and the tables of codes. A new
//! check compiles only when it has a page, which may be empty: `touch docs/checks/CODE.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::{self, Fixture};
use crate::text::Span;

use super::{ALL, Check, Finding};

fn at_home(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The doc comment of a check.
struct Doc {
    meaning: Vec<String>,
    example: Section,
    fixed: Section,
}

/// What stands under a heading.
struct Section {
    prose: Vec<String>,
    /// Paths and texts of the fixture's files.
    files: Vec<(String, String)>,
}

impl Doc {
    fn of(check: &Check) -> Self {
        let path = format!("src/checks/{}.rs", check.code.replace('-', "_"));
        let source = fs::read_to_string(at_home(&path)).unwrap();
        let lines = source.lines().map_while(|it| it.strip_prefix("//!"));
        let lines = lines.map(|it| it.strip_prefix(' ').unwrap_or(it));
        let text: String = lines.map(|it| format!("{it}\n")).collect();
        let parts = text
            .split_once("\n# Example\n")
            .and_then(|(meaning, rest)| {
                let (example, fixed) = rest.split_once("\n# Fixed\n")?;
                Some((meaning, Section::read(example)?, Section::read(fixed)?))
            });
        let Some((meaning, example, fixed)) = parts else {
            panic!("{path}: `# Example` and `# Fixed`, each with a block of hcl");
        };
        Self {
            meaning: paragraphs(meaning),
            example,
            fixed,
        }
    }

    /// The fixture with what is found in it.
    fn before(&self) -> String {
        fixture(&self.example.files)
    }

    /// The fixture in which nothing is found.
    fn after(&self) -> String {
        let fixed = &self.fixed.files;
        let is_fixed = |path: &String| fixed.iter().any(|(fixed, _)| fixed == path);
        let others = self
            .example
            .files
            .iter()
            .filter(|(path, _)| !is_fixed(path));
        let others = others.map(|(path, text)| (path.clone(), marked(text, |_| None)));
        let files: Vec<_> = others.chain(fixed.iter().cloned()).collect();
        fixture(&files)
    }
}

impl Section {
    fn read(text: &str) -> Option<Self> {
        let (prose, rest) = text.split_once("```hcl\n#- ")?;
        let (fixture, _) = rest.split_once("\n```\n")?;
        let files = fixture.split("\n#- ").map(|file| {
            let (path, text) = file.split_once('\n').unwrap_or((file, ""));
            (path.to_owned(), format!("{text}\n"))
        });
        Some(Self {
            prose: paragraphs(prose),
            files: files.collect(),
        })
    }
}

/// Paragraphs of prose, each on one line; lists and tables as they are.
fn paragraphs(text: &str) -> Vec<String> {
    let paragraphs = text.trim().split("\n\n").filter(|it| !it.is_empty());
    let paragraphs = paragraphs.map(|it| match it.starts_with(['-', '|']) {
        true => it.to_owned(),
        false => it.replace('\n', " "),
    });
    paragraphs.collect()
}

fn fixture(files: &[(String, String)]) -> String {
    let files = files
        .iter()
        .map(|(path, text)| format!("#- {path}\n{text}"));
    files.collect()
}

/// The text of a file with something else for each of the marks in it.
fn marked(text: &str, mark: impl Fn(&str) -> Option<String>) -> String {
    let lines = text.lines().filter_map(|line| {
        let is_mark = line.trim_start().starts_with('^');
        if is_mark {
            mark(line)
        } else {
            Some(line.to_owned())
        }
    });
    lines.map(|it| it + "\n").collect()
}

/// The page of a check.
fn page(check: &Check, doc: &Doc) -> String {
    let fixture = Fixture::new(&doc.before());
    let snapshot = fixture.snapshot();
    let findings = super::run(&snapshot, &Default::default());
    let shown = |path: &str| {
        let of_file = findings.iter();
        let of_file = of_file.filter(|it| &*snapshot.relative(&it.place.path) == path);
        let told = |it: &Finding| {
            let message = it.message.replace('<', "\\<");
            format!("> `{}[{}]`: {message}", it.severity.as_str(), it.code)
        };
        of_file.map(told).collect()
    };
    let mut parts = vec![format!("# {}", check.code)];
    parts.extend(doc.meaning.clone());
    parts.push(format!(
        "Its severity is {} unless the settings say otherwise.",
        severity(check)
    ));
    parts.push("## Example".into());
    parts.extend(section(&doc.example, shown));
    parts.push("## Fixed".into());
    parts.extend(section(&doc.fixed, |_| Vec::new()));
    let mut titles = BTreeSet::new();
    for finding in findings.iter().filter(|it| it.code == check.code) {
        let fixes = finding.fixes(&snapshot).into_iter();
        titles.extend(fixes.map(|it| match it.is_safe {
            true => format!(
                "- {} (safe: `check --fix` and fix-all in editors make it unasked)",
                it.title
            ),
            false => format!("- {}", it.title),
        }));
    }
    if !titles.is_empty() {
        parts.push("## Quick fixes".into());
        parts.push("In the example:".into());
        parts.push(Vec::from_iter(titles).join("\n"));
    }
    parts.push(settings(check));
    parts.join("\n\n") + "\n"
}

/// The prose of a section and its files, each with what is `shown` under it.
fn section(section: &Section, shown: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let mut parts = section.prose.clone();
    for (path, text) in &section.files {
        let underlined = marked(text, |mark| {
            Some(mark.trim_end_matches(|it| it != '^').to_owned())
        });
        let (language, what) = match path.rsplit_once('.') {
            Some((_, "tfstate" | "json")) if text.starts_with('{') => ("json", ""),
            Some((_, "tfstate")) => ("text", ", its rows"),
            _ => ("hcl", ""),
        };
        parts.push(format!("### `{path}`{what}"));
        parts.push(format!("```{language}\n{}\n```", underlined.trim_end()));
        parts.extend(shown(path));
    }
    parts
}

/// The severity, and that of editors where it is another.
fn severity(check: &Check) -> String {
    let mut finding = Finding::new(
        check.severity,
        &Path::new("").into(),
        Span::at(0),
        String::new(),
    );
    finding.code = check.code;
    let (everywhere, in_editors) = (check.severity, finding.severity_in_editor());
    match everywhere == in_editors {
        true => everywhere.as_str().to_owned(),
        false => format!(
            "{} ({} in editors)",
            everywhere.as_str(),
            in_editors.as_str()
        ),
    }
}

fn settings(check: &Check) -> String {
    let code = check.code;
    format!(
        r#"## Settings

In `gantrycd.hcl`, at the root of the workspace, `"off"`, `"hint"`, `"information"`, `"warning"` or `"error"`:

```hcl
checks {{
  {code} = "off"
}}
```

With a severity, and not in a part of the workspace:

```hcl
checks {{
  {code} = {{ severity = "{}", exclude = ["sandbox/**"] }}
}}
```

In an editor, whose settings win over the file; here in the `settings.json` of VS Code:

```json
{{ "gantrycd.checks": {{ "{code}": "off" }} }}
```"#,
        check.severity.as_str()
    )
}

/// The table of codes, its links from a directory to that of the pages.
fn table(docs: &[Doc], to: &str) -> String {
    let rows = ALL.iter().zip(docs).map(|(check, doc)| {
        let (code, severity, what) = (check.code, severity(check), &doc.meaning[0]);
        format!("| [`{code}`]({to}/{code}.md) | {severity} | {what} |\n")
    });
    let head = "| code | severity | what |\n|---|---|---|\n";
    [head.to_owned()].into_iter().chain(rows).collect()
}

#[test]
fn pages_and_tables_are_those_of_the_checks() {
    const MARKS: [&str; 2] = ["<!-- table of codes -->\n", "<!-- end -->\n"];
    let docs: Vec<_> = ALL.iter().map(Doc::of).collect();
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for (check, doc) in ALL.iter().zip(&docs) {
        let path = at_home(&format!("docs/checks/{}.md", check.code));
        files.push((path, page(check, doc)));
    }
    for (name, to) in [("README.md", "docs/checks"), ("docs/README.md", "checks")] {
        let text = fs::read_to_string(at_home(name)).unwrap();
        let cut = text.split_once(MARKS[0]).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(MARKS[1])?;
            Some((before, after))
        });
        let (before, after) = cut.unwrap_or_else(|| panic!("{name}: {MARKS:?}"));
        let table = table(&docs, to);
        let text = [before, MARKS[0], "\n", &table, "\n", MARKS[1], after].concat();
        files.push((at_home(name), text));
    }
    let is_stale =
        |(path, text): &&(PathBuf, String)| fs::read_to_string(path).ok().as_ref() != Some(text);
    let pages = fs::read_dir(at_home("docs/checks")).unwrap();
    let pages = pages.map(|it| it.unwrap().path());
    let strangers = pages.filter(|it| !files.iter().any(|(path, _)| path == it));
    let strangers: Vec<_> = strangers.collect();
    if std::env::var_os("GANTRYCD_REGENERATE").is_some() {
        for (path, text) in files.iter().filter(is_stale) {
            fs::write(path, text).unwrap();
        }
        strangers.iter().for_each(|it| fs::remove_file(it).unwrap());
        return;
    }
    let stale: Vec<_> = files
        .iter()
        .filter(is_stale)
        .map(|(path, _)| path)
        .collect();
    assert!(
        stale.is_empty(),
        "GANTRYCD_REGENERATE=1 writes anew: {stale:#?}"
    );
    assert!(strangers.is_empty(), "pages of no check: {strangers:#?}");
    for (check, doc) in ALL.iter().zip(&docs) {
        let what = check.what();
        assert_eq!(what, doc.meaning[0]);
        assert!(what.ends_with('.') && !what.contains('|'), "{what}");
    }
}

#[test]
fn examples_are_found_and_fixed_ones_are_not() {
    for check in ALL {
        let doc = Doc::of(check);
        let (before, after) = (doc.before(), doc.after());
        println!("{}", check.code); // shown when it fails
        let findings = super::run(&Fixture::new(&before).snapshot(), &Default::default());
        let codes: BTreeSet<_> = findings.iter().map(|it| it.code).collect();
        assert!(codes.contains(check.code), "{codes:?}");
        fixture::check(&before);
        fixture::check(&after);
    }
}
