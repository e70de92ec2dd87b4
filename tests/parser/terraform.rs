//! Terraform itself as the judge, where it is installed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gantrycd_ls::syntax::{Expression, ExpressionKind, File, Part};

use crate::corpus::corpus;
use crate::random::Random;
use crate::{file, form, read};

/// Runs `terraform` in `folder`; `None`, and a line that says so, where there is none.
fn terraform(folder: &Path, arguments: &[&str], input: &str) -> Option<String> {
    let child = Command::new("terraform")
        .args(arguments)
        .current_dir(folder)
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: there is no terraform here");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text + &String::from_utf8_lossy(&output.stderr))
}

/// Which of `texts` Terraform reads without a fault.
fn verdicts(texts: &[impl AsRef<[u8]>]) -> Option<Vec<bool>> {
    let folder = tempfile::tempdir().unwrap();
    for (index, text) in texts.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.tf")), text).unwrap();
    }
    let arguments = ["fmt", "-no-color", "-write=false", "-list=false", "."];
    let output = terraform(folder.path(), &arguments, "")?;
    let invalid: BTreeSet<usize> = output
        .lines()
        .filter_map(|it| {
            it.strip_prefix("  on ")?
                .split_once(".tf line")?
                .0
                .parse()
                .ok()
        })
        .collect();
    Some((0..texts.len()).map(|it| !invalid.contains(&it)).collect())
}

/// Texts from a grammar that is a little too generous, some of them with a byte changed.
struct Grammar {
    random: Random,
    text: String,
}

impl Grammar {
    fn words(&mut self, of: &[&str]) {
        let word = self.random.pick(of);
        self.text += word;
    }

    fn gap(&mut self) {
        self.words(&["", " ", " ", " ", "", "\n", " /* */ ", "# c\n"]);
    }

    fn value(&mut self, depth: usize) {
        let choice = self.random.below(if depth == 0 { 4 } else { 20 });
        let inner = depth.saturating_sub(1);
        match choice {
            0 => self.words(&["a", "b.c", "null", "true", "for", "if", "é-1"]),
            1 => self.words(&["1", "0.5", "1e3", "00", "1.2.3", "7e", "1.e2"]),
            2 => self.words(&[
                "\"\"",
                "\"a\"",
                "\"$\"",
                "\"\\q\"",
                "\"\\n\"",
                "\"$${\"",
                "\"\\u12\"",
            ]),
            3 => self.words(&[
                "a.0", "a.0.1", "a.*.b", "a[*].b", "a.*[0]", "a.*.0", "a.*.*", "a[*]...",
            ]),
            4 | 5 => {
                self.value(inner);
                self.gap();
                self.words(&[
                    "+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "=", "&", "=>",
                ]);
                self.gap();
                self.value(inner);
            }
            6 => {
                for part in ["?", ":", ""] {
                    self.value(inner);
                    self.gap();
                    self.text += part;
                    self.gap();
                }
            }
            7 => {
                self.words(&["-", "!", "- ", "!!", "+"]);
                self.value(inner);
            }
            8 | 9 => self.enclosed("(", ")", 1, inner),
            10 | 11 => self.enclosed("[", "]", 3, inner),
            12 => {
                self.words(&["f", "p::f", "p::q::f", "p:: f "]);
                self.enclosed("(", ")", 2, inner);
            }
            13 | 14 => self.object(inner),
            15 => {
                let object = self.random.below(2) == 0;
                self.text += if object { "{" } else { "[" };
                self.gap();
                self.words(&[
                    "for k in ",
                    "for k, v in ",
                    "for\nk in ",
                    "for k , in ",
                    "for in ",
                ]);
                self.value(inner);
                self.gap();
                self.text += ":";
                self.gap();
                self.value(inner);
                if object || self.random.below(9) == 0 {
                    self.gap();
                    self.words(&["=>", "=>", "=>", "=>", "="]);
                    self.gap();
                    self.value(inner);
                    self.words(&["", "", "..."]);
                }
                if self.random.below(2) == 0 {
                    self.gap();
                    self.text += " if ";
                    self.value(inner);
                }
                self.gap();
                self.text += if object { "}" } else { "]" };
            }
            16 => {
                self.value(inner);
                self.words(&[
                    ".x",
                    "[0]",
                    " . y",
                    "[\n\"a\"\n]",
                    "[*]",
                    ".*",
                    ".",
                    "[]",
                    "...",
                    "\n.x",
                ]);
            }
            17 | 18 => {
                self.text += "\"";
                for _ in 0..self.random.below(3) {
                    self.words(&["x ", "$", "%", "${", "%{", "${~ ", "\\\\", "$${", "\n"]);
                    if self.text.ends_with(['{', ' ']) && self.text.contains("${") {
                        self.value(inner);
                        self.words(&["}", "}", "}", " ~}", "~ }", ""]);
                    }
                }
                self.text += "\"";
            }
            _ => {
                self.words(&["<<E\n", "<<-E\n", "<<E \n"]);
                self.words(&["", "x\n", "  $\n", "%%{ if\n", "E x\n"]);
                self.text += "${";
                self.value(inner);
                self.words(&["}\n", "}\n", "}"]);
                self.words(&["E\n", "E\n", "  E  \n", "E", "EE\n"]);
            }
        }
    }

    fn enclosed(&mut self, open: &str, close: &str, count: usize, depth: usize) {
        self.text += open;
        self.gap();
        let count = match count {
            1 => 1,
            _ => self.random.below(count),
        };
        for index in 0..count {
            self.value(depth);
            self.gap();
            if index + 1 < count {
                self.words(&[",", ",", ",", ",", ",", ""]);
                self.gap();
            }
        }
        self.words(&["", "", "", "", "", ",", "..."]);
        self.gap();
        self.text += close;
    }

    fn object(&mut self, depth: usize) {
        self.text += "{";
        self.gap();
        for _ in 0..self.random.below(4) {
            match self.random.below(4) {
                0 => self.value(depth),
                _ => self.words(&["a", "b", "\"c\"", "(d)", "true", "5", "x-y"]),
            }
            self.words(&[" = ", " : ", "=", ":", " =\n", " == "]);
            self.value(depth);
            self.words(&[",", "\n", ", ", "\n\n", ",\n", " # c\n", "", "\n,"]);
        }
        self.gap();
        self.text += "}";
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..self.random.below(3) + 1 {
            self.words(&["", "  ", "# c\n", "/* c */", "\n"]);
            match self.random.below(if depth == 0 { 3 } else { 5 }) {
                0..3 => {
                    self.words(&["a", "b", "c", "d"]);
                    self.words(&[" = ", " = ", " = ", "=", " =\n", " : "]);
                    self.value(2);
                }
                _ => {
                    self.words(&[
                        "x",
                        "x \"y\"",
                        "x y",
                        "x \"y\" \"z\"",
                        "x \"${y}\"",
                        "\"x\"",
                        "x\n",
                    ]);
                    self.words(&[" {\n", " {\n", " {\n", " {\n", " { ", "{}", " = {\n"]);
                    if !self.text.ends_with('}') {
                        self.body(depth - 1);
                        self.words(&["}", "}", "}", "}", " }", ""]);
                    }
                }
            }
            self.words(&[
                "\n", "\n", "\n", "\n", "\n", " # c\n", " ", ",\n", ";\n", "\r\n", "\r",
            ]);
        }
    }
}

#[test]
fn terraform_agrees_on_what_is_valid() {
    let mut grammar = Grammar {
        random: Random(5),
        text: String::new(),
    };
    let count = std::env::var("GANTRYCD_HCL_TRIALS").map_or(400, |it| it.parse().unwrap());
    let mut texts: Vec<String> = Vec::new();
    while texts.len() < count {
        grammar.text.clear();
        match texts.len() % 3 {
            0 => grammar.body(2),
            _ => {
                grammar.text += "a = ";
                grammar.value(4);
                grammar.text += "\n";
            }
        }
        let mut text = std::mem::take(&mut grammar.text);
        if grammar.random.below(4) == 0 {
            let at = grammar.random.below(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                text.remove(at);
            }
        }
        texts.push(text);
    }
    let mut judged = Vec::new();
    for batch in texts.chunks(1_000) {
        let Some(verdicts) = verdicts(batch) else {
            return;
        };
        judged.extend(verdicts);
    }
    let mut wrong = String::new();
    for (text, verdict) in texts.iter().zip(&judged) {
        let faults = file(text).faults();
        if faults.is_empty() != *verdict {
            let _ = writeln!(wrong, "{text:?}\n  Terraform: {verdict}; {faults:?}");
        }
    }
    let valid = judged.iter().filter(|it| **it).count();
    println!("{count} texts, {valid} of them valid");
    assert!(valid * 10 > count, "{valid} valid texts are too few");
    assert!(wrong.is_empty(), "{wrong}");
}

/// What `parts` come to, where `local.x` is `X`, `local.t` true, and `local.l` a list of `1` and
/// `2`, whose elements are `v`.
fn rendered(parts: &[Part], v: &str) -> String {
    let value = |it: &Expression| match form::value(it).as_str() {
        "local.x" => "X".to_owned(),
        "v" => v.to_owned(),
        other => panic!("{other}"),
    };
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(literal, _) => text += literal,
            Part::Interpolation(it) => text += &value(it),
            Part::If(condition, then, otherwise) => {
                let holds = form::value(condition) == "local.t";
                text += &rendered(if holds { then } else { otherwise }, v);
            }
            Part::For(it) => {
                for v in ["1", "2"] {
                    text += &rendered(&it.body, v);
                }
            }
        }
    }
    text
}

fn template(random: &mut Random, depth: usize, heredoc: bool, text: &mut String) {
    let literals = [
        "a", " ", "  ", "\t", "$", "%", "$$", "$${a}", "%%{b", "E", "\\n", "é", "\u{a0}", "}",
        " \t", "$ ", "% ",
    ];
    for _ in 0..random.below(6) {
        let opening = random.pick(&["{", "{", "{~", "{ "]);
        let closing = random.pick(&["}", "}", "~}", " ~}"]);
        match random.below(if depth == 0 { 8 } else { 10 }) {
            0..4 => *text += random.pick(&literals),
            4 | 5 if heredoc => *text += random.pick(&["\n", "\n  ", "\n\n", "\n \t", "\r\n "]),
            4..8 => {
                if text.ends_with(['$', '%']) {
                    *text += ".";
                }
                *text += &format!("${opening}local.x{closing}");
            }
            8 => {
                if text.ends_with(['$', '%']) {
                    *text += ".";
                }
                let condition = random.pick(&["local.t", "!local.t"]);
                *text += &format!("%{opening}if {condition}{closing}");
                template(random, depth - 1, heredoc, text);
                if random.below(2) == 0 {
                    if text.ends_with(['$', '%']) {
                        *text += ".";
                    }
                    *text += random.pick(&["%{else}", "%{~ else ~}", "%{ else ~}"]);
                    template(random, depth - 1, heredoc, text);
                }
                if text.ends_with(['$', '%']) {
                    *text += ".";
                }
                *text += random.pick(&["%{endif}", "%{~ endif ~}", "%{ endif ~}"]);
            }
            _ => {
                if text.ends_with(['$', '%']) {
                    *text += ".";
                }
                *text += &format!("%{opening}for v in local.l{closing}");
                template(random, depth - 1, heredoc, text);
                if text.ends_with(['$', '%']) {
                    *text += ".";
                }
                *text += random.pick(&["${v}", "${~v~}"]);
                *text += random.pick(&["%{endfor}", "%{~ endfor ~}", "%{ endfor ~}"]);
            }
        }
    }
}

#[test]
fn terraform_agrees_on_what_templates_come_to() {
    let mut random = Random(11);
    let count = 600;
    let mut texts = Vec::new();
    for index in 0..count {
        let mut text = String::new();
        let heredoc = index % 4 != 0;
        if heredoc {
            text += random.pick(&["<<-EOT\n", "<<-EOT\n", "<<EOT\n"]);
            template(&mut random, 2, true, &mut text);
            text += random.pick(&["\n", "\n  "]);
            text += "EOT";
        } else {
            text += "\"";
            template(&mut random, 2, false, &mut text);
            text += "\"";
        }
        texts.push(text);
    }
    let mut module = "locals {\n  x = \"X\"\n  t = true\n  l = [\"1\", \"2\"]\n".to_owned();
    for (index, text) in texts.iter().enumerate() {
        let _ = writeln!(module, "  t{index} = {text}");
    }
    module += "}\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.tf"), &module).unwrap();
    let all: Vec<_> = (0..count)
        .map(|it| format!("\"${{local.t{it}}}\""))
        .collect();
    let input = format!("base64encode(jsonencode([{}]))\n", all.join(", "));
    let Some(output) = terraform(folder.path(), &["console", "-no-color"], &input) else {
        return;
    };
    let encoded = output
        .lines()
        .find(|it| it.starts_with('"'))
        .unwrap_or_else(|| panic!("{output}"));
    let values = decoded(encoded.trim_matches('"'));
    let values: Vec<String> = serde_json::from_slice(&values).unwrap();
    assert_eq!(values.len(), count);
    let mut wrong = String::new();
    for (text, value) in texts.iter().zip(&values) {
        let file = file(&format!("a = {text}\n"));
        let body = file.top_level();
        let ExpressionKind::Template(template) = &body.attribute("a").unwrap().kind else {
            panic!("{text}: {:?}", body.unreadable);
        };
        let mine = rendered(&template.parts, "");
        if mine != *value {
            let _ = writeln!(
                wrong,
                "{text:?}\n  Terraform: {value:?}\n  here:      {mine:?}"
            );
        }
    }
    println!("{count} templates");
    assert!(wrong.is_empty(), "{wrong}");
}

fn decoded(base64: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut width) = (0u32, 0);
    for byte in base64.bytes().filter(|it| *it != b'=') {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(digit);
        width += 6;
        if width >= 8 {
            width -= 8;
            bytes.push((bits >> width) as u8);
        }
    }
    bytes
}

#[test]
fn terraform_agrees_on_the_table() {
    let texts: Vec<String> = crate::TABLE
        .iter()
        .map(|(text, _)| format!("a = {text}\n"))
        .collect();
    let Some(verdicts) = verdicts(&texts) else {
        return;
    };
    for (text, verdict) in texts.iter().zip(verdicts) {
        assert!(verdict, "{text}");
        assert!(read(text).is_ok(), "{text}");
    }
}

#[test]
fn terraform_agrees_on_real_files() {
    let files = corpus();
    let (mut valid, mut wrong) = (0, String::new());
    for batch in files.chunks(1_000) {
        let texts: Vec<_> = batch
            .iter()
            .map(|it| std::fs::read(&it.0).unwrap())
            .collect();
        let Some(verdicts) = verdicts(&texts) else {
            return;
        };
        for ((path, source), verdict) in batch.iter().zip(verdicts) {
            let faults = File::split(source.clone()).faults();
            valid += usize::from(verdict);
            if faults.is_empty() != verdict {
                let _ = writeln!(wrong, "{}: {verdict}; {faults:?}", path.display());
            }
        }
    }
    println!("{} files, {valid} of them valid", files.len());
    assert!(wrong.is_empty(), "{wrong}");
}
