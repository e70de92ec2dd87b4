//! Our evaluation against `terraform console`: what we call known must be what Terraform says, what
//! Terraform calls an error must never be known, and what Terraform knows should be known to us.
//!
//! The expressions are in the files beside this one, one a line, and come from a grammar with a fixed
//! seed. Without a `terraform` on the path the test says so and passes.

mod grammar;
mod terraform;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::eval::scope::{FileAnswer, Resolved, Scope};
use gantrycd_ls::eval::types::Type;
use gantrycd_ls::eval::value::Value;
use gantrycd_ls::eval::{evaluate, fails};
use gantrycd_ls::syntax::{Expression, File, parse_expression};
use gantrycd_ls::text::{Source, Span};

use terraform::Answer;

/// `main.tf` as a scope.
struct Module {
    file: Arc<Path>,
    locals: HashMap<String, Arc<Expression>>,
    variables: HashMap<String, Value>,
    memo: RefCell<HashMap<String, Option<Value>>>,
}

impl Module {
    fn read(text: &str) -> Self {
        let file = File::split(Source::new(text));
        let mut module = Self {
            file: Path::new("main.tf").into(),
            locals: HashMap::new(),
            variables: HashMap::new(),
            memo: RefCell::default(),
        };
        let source = file.source();
        for (id, block) in file.blocks() {
            let body = file.body(id);
            match source.slice(block.keyword) {
                "locals" => {
                    for it in body.attributes {
                        module.locals.insert(it.name.text.into(), it.value);
                    }
                }
                _ => {
                    let name = source.slice(block.labels[0].text).to_owned();
                    let value = match body.attribute("default") {
                        Some(default) => evaluate(default, &module, &module.file.clone()),
                        None if body.attribute("type").is_some() => Value::unknown_of(Type::Text),
                        None => Value::unknown(),
                    };
                    let sensitive = body.attribute("sensitive").is_some();
                    module.variables.insert(name, value.marked(sensitive));
                }
            }
        }
        module
    }
}

impl Scope for Module {
    fn reference(&self, root: &str, names: &[&str]) -> Option<Resolved> {
        let name = names.first()?;
        let value = match root {
            "var" => self.variables.get(*name)?.clone(),
            "local" => {
                let known = self.memo.borrow().get(*name).cloned();
                if let Some(value) = known {
                    value?
                } else {
                    self.memo.borrow_mut().insert((*name).into(), None);
                    let value = evaluate(self.locals.get(*name)?, self, &self.file);
                    self.memo
                        .borrow_mut()
                        .insert((*name).into(), Some(value.clone()));
                    value
                }
            }
            _ => return None,
        };
        Some(Resolved { value, used: 1 })
    }

    fn file(&self, path: &str) -> FileAnswer {
        let path = directory().join(path);
        match std::fs::read(&path) {
            Ok(bytes) => FileAnswer::Bytes(bytes.into()),
            Err(_) if path.exists() => FileAnswer::NoFile,
            Err(_) => FileAnswer::Missing,
        }
    }
}

fn parse(text: &str) -> Expression {
    let source = Source::new(text);
    parse_expression(&source, Span::new(0, text.len()))
}

/// What we say of an expression.
fn ours(text: &str, module: &Module) -> Answer {
    let place: Arc<Path> = Path::new("expression").into();
    let expression = parse(text);
    if fails(&expression, module, &place) {
        return Answer::Error;
    }
    let value = evaluate(&expression, module, &place);
    let json = evaluate(&parse(&format!("jsonencode({text})")), module, &place);
    match json.as_text() {
        Some(json) if value.is_known() => Answer::Known {
            json: json.to_owned(),
            sensitive: value.sensitive,
        },
        _ => Answer::Unknown,
    }
}

/// What is wrong with our answers, and how many of Terraform's we do not have.
fn compare(
    expressions: &[String],
    module: &Module,
    answers: &[Answer],
) -> (Vec<String>, Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut missing = Vec::new();
    let mut known = 0;
    for (text, theirs) in expressions.iter().zip(answers) {
        let ours = ours(text, module);
        known += usize::from(matches!(theirs, Answer::Known { .. }));
        match (&ours, theirs) {
            (Answer::Unknown, Answer::Known { .. }) => missing.push(text.clone()),
            // what is not known at the time of a plan may be sure all the same
            (Answer::Unknown, _) | (_, Answer::Unknown) => {}
            (ours, theirs) if ours == theirs => {}
            _ => wrong.push(format!(
                "{text}\n    ours:   {ours:?}\n    theirs: {theirs:?}"
            )),
        }
    }
    (wrong, missing, known)
}

fn directory() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/console"))
}

/// The module, and what another parser that reads the repository's files does not understand.
fn module() -> String {
    let text = std::fs::read_to_string(directory().join("main.tf.txt")).unwrap();
    text + "\nlocals {\n  heredoc_empty = <<EOT\nEOT\n}\n"
}

fn written() -> Vec<String> {
    let mut all = Vec::new();
    for name in ["operators.txt", "values.txt", "functions.txt"] {
        let text = std::fs::read_to_string(directory().join(name)).unwrap();
        let lines = text
            .lines()
            .filter(|it| !it.is_empty() && !it.starts_with('#'));
        all.extend(lines.map(str::to_owned));
    }
    all
}

#[test]
fn what_we_know_is_what_terraform_knows() {
    if !terraform::is_there() {
        println!("skipped: there is no terraform here");
        return;
    }
    let main = module();
    let module = Module::read(&main);
    let mut expressions = written();
    expressions.extend(grammar::expressions(0x5eed, 800));
    let answers = terraform::ask(&main, &expressions, &[]);
    let (wrong, missing, known) = compare(&expressions, &module, &answers);
    let count = |test: fn(&Answer) -> bool| answers.iter().filter(|it| test(it)).count();
    println!(
        "{} expressions: Terraform knows {known}, calls {} an error and {} unknown",
        expressions.len(),
        count(|it| *it == Answer::Error),
        count(|it| *it == Answer::Unknown),
    );
    let share = missing.len() as f64 / known as f64;
    println!(
        "not known to us: {} ({:.2} %)",
        missing.len(),
        share * 100.0
    );
    for it in &missing {
        println!("    {it}");
    }
    assert!(expressions.len() > 600);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(share < 0.03);
}

/// A variable of which we know nothing, in every expression that the grammar makes of it, against
/// what Terraform says when the variable is one thing and another.
#[test]
fn what_we_know_holds_whatever_the_unknown_turns_out_to_be() {
    if !terraform::is_there() {
        println!("skipped: there is no terraform here");
        return;
    }
    let main = module();
    let module = Module::read(&main);
    let mut expressions: Vec<String> = written();
    expressions.retain(|it| it.contains("var.unset") && !it.contains("unset_text"));
    expressions.extend(grammar::with_unknown(0xbeef, 600));
    let mut decided = 0;
    for value in [
        "\"text\"",
        "{}",
        "{ a = \"x\", zz = \"y\" }",
        "[\"a\"]",
        "7",
        "null",
        "{ a = { b = 1 } }",
        "true",
    ] {
        let main = main.replace(
            "variable \"unset\" {}",
            &format!("variable \"unset\" {{\ndefault = {value}\n}}"),
        );
        let answers = terraform::ask(&main, &expressions, &[]);
        for (text, theirs) in expressions.iter().zip(&answers) {
            let ours = ours(text, &module);
            match (&ours, theirs) {
                (Answer::Unknown, _) | (_, Answer::Error | Answer::Unknown) => {}
                (ours, theirs) => {
                    decided += 1;
                    assert_eq!(ours, theirs, "{text}, where var.unset is {value}");
                }
            }
        }
    }
    println!(
        "{} expressions with an unknown: {decided} answers",
        expressions.len()
    );
}
