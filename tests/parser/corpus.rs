//! Real files: agreement with another parser, and what damage costs.
//!
//! `GANTRYCD_HCL_CORPUS` names a folder of checked-out repositories; without it the files under
//! `tests/` are used. `GANTRYCD_HCL_TRIALS` sets the number of damaged texts.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gantrycd_ls::syntax::{
    Body, Expression, ExpressionKind, File, Key, Name, Parsed, Part, Template,
};
use gantrycd_ls::text::{Source, Span};
use hcl::edit::expr::{self as other, BinaryOperator, ObjectKey, TraversalOperator, UnaryOperator};
use hcl::edit::structure::BlockLabel;
use hcl::edit::template::{self, Directive, Element};

use crate::form::{self, Form, list, number, takes_blanks};
use crate::random::Random;

pub fn corpus() -> Vec<(PathBuf, Source)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let root = std::env::var_os("GANTRYCD_HCL_CORPUS").map_or(own, PathBuf::from);
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(&root)
        .standard_filters(false)
        .sort_by_file_path(Ord::cmp)
        .build()
        .flatten()
    {
        let extension = entry.path().extension().and_then(|it| it.to_str());
        if let Some("tf" | "tofu" | "tfvars" | "hcl") = extension
            && let Ok(bytes) = std::fs::read(entry.path())
            && let Ok(source) = Source::decode(&bytes)
        {
            files.push((entry.into_path(), source));
        }
    }
    assert!(!files.is_empty(), "no files under {}", root.display());
    files
}

fn trials(default: usize) -> usize {
    std::env::var("GANTRYCD_HCL_TRIALS").map_or(default, |it| it.parse().unwrap())
}

/// The other parser's tree in the same form.
struct Other<'a> {
    source: &'a Source,
    parsed: &'a Parsed,
}

impl Other<'_> {
    fn span(&self, node: &impl hcl::edit::Span) -> Span {
        self.parsed.span(node).expect("a place")
    }

    fn body(&self, body: &hcl::edit::structure::Body) -> String {
        let mut form = String::new();
        for it in body.attributes() {
            let span = self.span(&it.key);
            let _ = writeln!(
                form,
                "{}@{span:?} = {}",
                it.key.as_str(),
                self.value(&it.value)
            );
        }
        for it in body.blocks() {
            let labels = it.labels.iter().map(|it| match it {
                BlockLabel::Ident(label) => format!("{:?} ", label.as_str()),
                BlockLabel::String(label) => format!("{:?} ", label.as_str()),
            });
            let labels = labels.collect::<String>();
            let span = self.span(&it.ident);
            let inner = self.body(&it.body);
            let _ = writeln!(form, "{}@{span:?} {labels}{{\n{inner}}}", it.ident.as_str());
        }
        form
    }

    fn value(&self, expression: &other::Expression) -> String {
        use other::Expression::*;
        let value = |it: &other::Expression| self.value(it);
        match expression {
            Null(_) => "null".into(),
            Bool(it) => it.value().to_string(),
            Number(it) => number(&it.value().to_string()),
            String(it) => format!("{:?}", it.as_str()),
            Array(it) => format!("[{}]", list(it.iter().map(value))),
            Object(it) => {
                let entries = it.iter().map(|(key, it)| {
                    let key = match key {
                        ObjectKey::Ident(name) => name.as_str().to_owned(),
                        ObjectKey::Expression(key) => value(key),
                    };
                    format!("{key}={}", value(it.expr()))
                });
                format!("{{{}}}", list(entries))
            }
            StringTemplate(it) => self.template(expression, it),
            HeredocTemplate(it) => self.template(expression, &it.template),
            Parenthesis(it) => format!("({})", value(it.inner())),
            Variable(it) => it.as_str().to_owned(),
            Conditional(it) => format!(
                "(? {} {} {})",
                value(&it.cond_expr),
                value(&it.true_expr),
                value(&it.false_expr)
            ),
            FuncCall(it) => {
                let names = it.name.namespace.iter().chain([&it.name.name]);
                let names: Vec<_> = names.map(|it| it.as_str()).collect();
                let dots = if it.args.expand_final() { "..." } else { "" };
                let arguments = list(it.args.iter().map(value));
                format!("{}({arguments}{dots})", names.join("::"))
            }
            Traversal(it) => {
                let steps: Vec<_> = it.operators.iter().map(|it| it.value()).collect();
                self.steps(value(&it.expr), &steps)
            }
            UnaryOp(it) => {
                let sign = match it.operator.value() {
                    UnaryOperator::Neg => "-",
                    UnaryOperator::Not => "!",
                };
                format!("({sign} {})", value(&it.expr))
            }
            BinaryOp(it) => {
                let sign = match it.operator.value() {
                    BinaryOperator::Eq => "==",
                    BinaryOperator::NotEq => "!=",
                    BinaryOperator::LessEq => "<=",
                    BinaryOperator::GreaterEq => ">=",
                    BinaryOperator::Less => "<",
                    BinaryOperator::Greater => ">",
                    BinaryOperator::Plus => "+",
                    BinaryOperator::Minus => "-",
                    BinaryOperator::Mul => "*",
                    BinaryOperator::Div => "/",
                    BinaryOperator::Mod => "%",
                    BinaryOperator::And => "&&",
                    BinaryOperator::Or => "||",
                };
                format!("({sign} {} {})", value(&it.lhs_expr), value(&it.rhs_expr))
            }
            ForExpr(it) => {
                let key = it.intro.key_var.as_ref();
                let key = key.map_or("".into(), |it| format!("{},", it.as_str()));
                let result = it.key_expr.as_ref();
                let result = result.map_or("".into(), |it| format!("{}=>", value(it)));
                let condition = it.cond.as_ref();
                let condition =
                    condition.map_or("".into(), |it| format!(" if {}", value(&it.expr)));
                format!(
                    "(for {key}{} in {} : {result}{}{}{condition})",
                    it.intro.value_var.as_str(),
                    value(&it.intro.collection_expr),
                    value(&it.value_expr),
                    if it.grouping { "..." } else { "" },
                )
            }
        }
    }

    fn steps(&self, mut source: String, steps: &[&TraversalOperator]) -> String {
        let mut at = 0;
        while at < steps.len() {
            let behind = &steps[at + 1..];
            source = match steps[at] {
                TraversalOperator::GetAttr(name) => format!("{source}.{}", name.as_str()),
                TraversalOperator::Index(key) => format!("{source}[{}]", self.value(key)),
                TraversalOperator::LegacyIndex(key) => {
                    format!("{source}[{}]", number(&key.value().to_string()))
                }
                TraversalOperator::AttrSplat(_) => {
                    let names = behind.iter().take_while(|it| {
                        matches!(
                            it,
                            TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_)
                        )
                    });
                    let names = names.count();
                    at += names;
                    format!("(* {source} {})", self.steps("_".into(), &behind[..names]))
                }
                TraversalOperator::FullSplat(_) => {
                    return format!("(* {source} {})", self.steps("_".into(), behind));
                }
            };
            at += 1;
        }
        source
    }

    fn template(&self, whole: &other::Expression, template: &template::Template) -> String {
        let text = self.source.slice(self.span(whole));
        if takes_blanks(text) {
            return format!("\"~{}\"", self.elements(template, false));
        }
        match template.iter().collect::<Vec<_>>()[..] {
            [] => "\"\"".into(),
            [Element::Literal(text)] => format!("{:?}", text.as_str()),
            _ => format!("\"{}\"", self.elements(template, true)),
        }
    }

    fn elements(&self, template: &template::Template, literals: bool) -> String {
        list(template.iter().filter_map(|it| {
            Some(match it {
                Element::Literal(text) if literals => format!("{:?}", text.as_str()),
                Element::Literal(_) => return None,
                Element::Interpolation(it) => format!("${{{}}}", self.value(&it.expr)),
                Element::Directive(it) => match &**it {
                    Directive::If(it) => format!(
                        "%{{if {} {{{}}} {{{}}}}}",
                        self.value(&it.if_expr.cond_expr),
                        self.elements(&it.if_expr.template, literals),
                        it.else_expr
                            .as_ref()
                            .map_or("".into(), |it| self.elements(&it.template, literals))
                    ),
                    Directive::For(it) => {
                        let key = it.for_expr.key_var.as_ref();
                        let key = key.map_or("".into(), |it| format!("{},", it.as_str()));
                        format!(
                            "%{{for {key}{} in {} {{{}}}}}",
                            it.for_expr.value_var.as_str(),
                            self.value(&it.for_expr.collection_expr),
                            self.elements(&it.for_expr.template, literals)
                        )
                    }
                },
            })
        }))
    }
}

#[test]
fn another_parser_agrees_on_real_files() {
    let (mut files, mut blocks, mut refused, mut unread, mut bytes) = (0, 0, 0, 0, 0);
    let mut differences = Vec::new();
    let mut only_here = Vec::new();
    for (path, source) in corpus() {
        files += 1;
        let file = File::split(source);
        for (id, block) in file.blocks() {
            blocks += 1;
            bytes += file.block_span(id).len();
            let body = file.body(id);
            check_places(&file, &body);
            let mut faults = Vec::new();
            collect(&body, &mut faults);
            let parsed = match file.parse(id) {
                Ok(parsed) => parsed,
                Err(error) => {
                    refused += 1;
                    match faults.is_empty() && block.fault.is_none() {
                        true => only_here.push(format!("{}: {error}", path.display())),
                        false => unread += 1,
                    }
                    continue;
                }
            };
            let other = Other {
                source: file.source(),
                parsed: &parsed,
            };
            let theirs = other.body(&parsed.block().body);
            let ours = Form(Some(file.source())).body(&body);
            if !faults.is_empty() || theirs != ours {
                let line = theirs.lines().zip(ours.lines()).find(|(a, b)| a != b);
                differences.push(format!("{}: {faults:?}\n  {line:#?}", path.display()));
            }
        }
    }
    println!(
        "{files} files, {blocks} blocks, {:.1} MB: {refused} refused by the other parser, of which \
         {} are read here and {unread} are at fault; {} differ",
        bytes as f64 / 1e6,
        only_here.len(),
        differences.len()
    );
    for it in only_here.iter().take(20) {
        println!("read only here: {it}");
    }
    for it in differences.iter().take(20) {
        println!("{it}");
    }
    assert!(differences.is_empty());
}

fn collect(body: &Body, faults: &mut Vec<gantrycd_ls::syntax::Fault>) {
    faults.extend(&body.unreadable);
    for block in &body.blocks {
        collect(&block.body, faults);
    }
}

/// An attribute as it is after damage: its name and place, and what its value is.
type Kept = (String, Span, Span, String);

fn attributes(body: &Body, kept: &mut Vec<Kept>) {
    for it in &body.attributes {
        kept.push((
            it.name.text.to_string(),
            it.name.span,
            it.value.span,
            form::value(&it.value),
        ));
    }
    for block in &body.blocks {
        attributes(&block.body, kept);
    }
}

#[test]
fn a_lost_byte_costs_no_other_attribute() {
    let mut random = Random(3);
    let mut blocks = Vec::new();
    for (_, source) in corpus() {
        let file = File::split(source);
        for (id, _) in file.blocks() {
            let mut before = Vec::new();
            let body = file.body(id);
            attributes(&body, &mut before);
            let mut faults = Vec::new();
            collect(&body, &mut faults);
            if before.len() > 1 && faults.is_empty() {
                blocks.push(file.source().slice(file.block_span(id)).to_owned());
            }
        }
    }
    let count = trials(3_000);
    let (mut others, mut kept, mut worst) = (0, 0, Vec::new());
    for _ in 0..count {
        let text = &blocks[random.below(blocks.len())];
        let whole = File::split(Source::new(&format!("{text}\n\nx \"y\" {{}}\n")));
        let (id, block) = whole.blocks().next().unwrap();
        let inner = block.body.unwrap().range();
        if inner.is_empty() {
            continue;
        }
        let lost = inner.start + random.below(inner.len());
        if !text.is_char_boundary(lost) || !text.is_char_boundary(lost + 1) {
            continue;
        }
        let mut before = Vec::new();
        attributes(&whole.body(id), &mut before);
        let mut damaged = whole.source().text().to_owned();
        damaged.remove(lost);
        let file = File::split(Source::new(&damaged));
        let mut after = Vec::new();
        if let Some((id, _)) = file.blocks().next() {
            let body = file.body(id);
            check_places(&file, &body);
            attributes(&body, &mut after);
        }
        let after: HashSet<_> = after.into_iter().collect();
        let moved = |it: Span| match (it.start as usize) > lost {
            true => Span::new(it.start as usize - 1, it.end as usize - 1),
            false => it,
        };
        let mut gone = 0;
        for (name, place, value, form) in before {
            // the newline behind belongs to it
            if (place.start as usize..=value.end as usize).contains(&lost) {
                continue;
            }
            others += 1;
            match after.contains(&(name, moved(place), moved(value), form)) {
                true => kept += 1,
                false => gone += 1,
            }
        }
        worst.push((gone, lost, damaged));
    }
    worst.sort_by_key(|it| std::cmp::Reverse(it.0));
    println!(
        "{count} bytes lost: {kept} of {others} other attributes kept, {:.2} %",
        kept as f64 * 100.0 / others as f64
    );
    for (gone, lost, text) in worst.iter().take(trials(0).min(5)) {
        let around = text.get(lost.saturating_sub(60)..(lost + 60).min(text.len()));
        println!("{gone} gone: {around:?}");
    }
    assert!(kept * 100 >= others * 95, "{kept} of {others}");
}

/// Every place is within the text, on a character's edge, and within the place that encloses it.
fn check_places(file: &File, body: &Body) {
    let whole = Span::new(0, file.source().text().len());
    Places(file.source().text()).body(body, whole);
}

struct Places<'a>(&'a str);

impl Places<'_> {
    fn span(&self, span: Span, within: Span) {
        assert!(
            within.contains(span),
            "{span:?} within {within:?}: {:?}",
            self.0
        );
        assert!(self.0.is_char_boundary(span.start as usize), "{span:?}");
        assert!(self.0.is_char_boundary(span.end as usize), "{span:?}");
    }

    fn body(&self, body: &Body, within: Span) {
        for it in &body.attributes {
            self.name(&it.name, within);
            self.value(&it.value, within);
            assert!(it.name.span.end <= it.value.span.start);
        }
        for it in &body.blocks {
            self.span(it.header, within);
            self.name(&it.keyword, it.header);
            it.labels
                .iter()
                .for_each(|label| self.name(label, it.header));
            self.body(&it.body, within);
        }
        body.unreadable
            .iter()
            .for_each(|it| self.span(it.span(), within));
    }

    fn name(&self, name: &Name, within: Span) {
        self.span(name.span, within);
    }

    fn value(&self, expression: &Expression, within: Span) {
        use ExpressionKind::*;
        let span = expression.span;
        self.span(span, within);
        let value = |it: &Expression| self.value(it, span);
        match &expression.kind {
            Null | Bool(_) | Number(_) | Variable(_) | Element | Unreadable => {}
            Template(it) => self.template(it, span),
            Tuple(elements) => elements.iter().for_each(value),
            Object(entries) => entries.iter().for_each(|it| {
                match &it.key {
                    Key::Name(name) => self.name(name, span),
                    Key::Expression(key) => value(key),
                }
                value(&it.value);
            }),
            Attribute(source, name) => {
                value(source);
                self.name(name, span);
            }
            Index(source, key) => {
                value(source);
                value(key);
            }
            Splat(it) => {
                value(&it.source);
                value(&it.each);
            }
            Call(it) => {
                self.name(&it.name, span);
                it.arguments.iter().for_each(value);
            }
            Unary(_, operand) => value(operand),
            Binary(_, left, right) => {
                value(left);
                value(right);
            }
            Conditional(parts) => parts.iter().for_each(value),
            For(it) => {
                self.name(&it.value, span);
                value(&it.collection);
                value(&it.result);
                it.key.iter().for_each(|it| self.name(it, span));
                it.result_key.iter().for_each(value);
                it.condition.iter().for_each(value);
            }
            Parenthesis(inner) => value(inner),
        }
    }

    fn template(&self, template: &Template, within: Span) {
        self.span(template.inner, within);
        self.parts(&template.parts, template.inner);
    }

    fn parts(&self, parts: &[Part], within: Span) {
        for part in parts {
            match part {
                Part::Literal(_, span) => self.span(*span, within),
                Part::Interpolation(it) => self.value(it, within),
                Part::If(condition, then, otherwise) => {
                    self.value(condition, within);
                    self.parts(then, within);
                    self.parts(otherwise, within);
                }
                Part::For(it) => {
                    self.name(&it.value, within);
                    self.value(&it.collection, within);
                    self.parts(&it.body, within);
                }
            }
        }
    }
}

/// Reads everything there is in a text.
fn read_all(text: &str) {
    let file = File::split(Source::new(text));
    for (id, _) in file.blocks() {
        check_places(&file, &file.body(id));
    }
    check_places(&file, &file.top_level());
    file.faults();
}

#[test]
fn no_text_is_too_strange() {
    let mut random = Random(9);
    let words = [
        "\"",
        "\"",
        "${",
        "%{",
        "${~",
        "~}",
        "{",
        "}",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<<A\n",
        "<<-A\n",
        "A\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "=",
        "==",
        "=>",
        ":",
        "::",
        ",",
        ".",
        "...",
        ".*",
        "[*]",
        "?",
        "a",
        "b = ",
        "c \"d\" {\n",
        "resource \"a\" \"b\" {\n",
        "for",
        "in",
        "if ",
        "else",
        "endif",
        "endfor",
        "1",
        "1.",
        "1e",
        "#",
        "//",
        "/*",
        "*/",
        "\\",
        "\\u12",
        "$",
        "%",
        "$$",
        "é",
        "“",
        "\u{1a}",
        "😀",
        "-",
        "!",
        "&&",
        "||",
        "+",
        "*",
        "/",
        "<",
        ">",
        "~",
        "'",
        "`",
        ";",
        "null",
        "\t",
    ];
    for _ in 0..trials(20_000) {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            text += random.pick(&words);
        }
        read_all(&text);
        read_all(&format!("x {{\n  {text}\n}}\n"));
    }
    let files = corpus();
    for _ in 0..trials(20_000) / 20 {
        let text = files[random.below(files.len())].1.text();
        let mut end = random.below(text.len() + 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        read_all(&text[..end]);
    }
}
