//! Asks `terraform console`.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine;

/// What somebody says of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Its value as JSON, and whether the whole of it is sensitive.
    Known {
        /// The JSON.
        json: String,
        /// Whether it is sensitive.
        sensitive: bool,
    },
    /// It is, or contains something that is, not known.
    Unknown,
    /// It is an error.
    Error,
}

/// Whether there is a Terraform to ask.
pub fn is_there() -> bool {
    let version = Command::new("terraform").arg("version").output();
    version.is_ok_and(|it| it.status.success())
}

/// Terraform's answers, for a module of this one file.
pub fn ask(main: &str, expressions: &[String], arguments: &[&str]) -> Vec<Answer> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("main.tf"), main).unwrap();
    let template = include_str!("greeting.tftpl");
    std::fs::write(directory.path().join("greeting.tftpl"), template).unwrap();
    let mut answers = Vec::new();
    // the console reads lines of up to 64 KiB, and prints the last answer only
    let mut rest = expressions;
    while !rest.is_empty() {
        let mut length = 0;
        let fits = rest.iter().take_while(|it| {
            length += 2 * it.len() + 120;
            length < 50_000
        });
        let (chunk, after) = rest.split_at(fits.count());
        ask_chunk(directory.path(), chunk, arguments, &mut answers);
        rest = after;
    }
    answers
}

fn ask_chunk(
    directory: &std::path::Path,
    chunk: &[String],
    arguments: &[&str],
    answers: &mut Vec<Answer>,
) {
    let questions: Vec<String> = chunk
        .iter()
        .map(|it| {
            format!("try(join(\" \", [base64encode(nonsensitive(jsonencode({it}))), issensitive({it})]), \"!\")")
        })
        .collect();
    let mut console = Command::new("terraform")
        .args(["console", "-no-color"])
        .args(arguments)
        .current_dir(directory)
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = console.stdin.take().unwrap();
    writeln!(input, "[{}]", questions.join(", ")).unwrap();
    drop(input);
    let output = console.wait_with_output().unwrap();
    if !output.status.success() {
        // one of them is no expression, or an error that `try` does not catch
        if let [_] = chunk {
            answers.push(Answer::Error);
            return;
        }
        let (first, second) = chunk.split_at(chunk.len() / 2);
        ask_chunk(directory, first, arguments, answers);
        ask_chunk(directory, second, arguments, answers);
        return;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let before = answers.len();
    for line in text.lines().map(|it| it.trim().trim_end_matches(',')) {
        answers.push(match line {
            "[" | "]" => continue,
            "\"!\"" => Answer::Error,
            "(known after apply)" => Answer::Unknown,
            line => {
                let (json, sensitive) = line
                    .trim_matches('"')
                    .split_once(' ')
                    .unwrap_or_else(|| panic!("{line}: {text}"));
                let json = base64::engine::general_purpose::STANDARD
                    .decode(json)
                    .unwrap();
                Answer::Known {
                    json: String::from_utf8(json).unwrap(),
                    sensitive: sensitive == "true",
                }
            }
        });
    }
    assert_eq!(answers.len() - before, chunk.len(), "{text}");
}
