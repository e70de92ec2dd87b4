//! One short form for trees, so that two parsers' trees, or a tree and an expectation, compare as
//! text.

use std::fmt::Write as _;

use gantrycd_ls::syntax::{
    BinaryOperator, Body, Expression, ExpressionKind, Key, Name, Part, UnaryOperator,
};
use gantrycd_ls::text::Source;

pub fn list(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// The form of a body, with the places of its names.
pub fn body(body: &Body) -> String {
    Form(None).body(body)
}

pub fn value(expression: &Expression) -> String {
    Form(None).value(expression)
}

/// Writes forms. With a source, it leaves the texts out of templates from which blanks are taken:
/// the other parser does not take them, or wrongly.
pub struct Form<'a>(pub Option<&'a Source>);

/// Whether strip markers or the indentation of a heredoc take blanks from the template `text`.
pub fn takes_blanks(text: &str) -> bool {
    text.starts_with("<<-") || ["{~", "~}"].iter().any(|it| text.contains(it))
}

impl Form<'_> {
    pub fn body(&self, body: &Body) -> String {
        let mut form = String::new();
        for it in &body.attributes {
            let span = it.name.span;
            let _ = writeln!(
                form,
                "{}@{span:?} = {}",
                it.name.text,
                self.value(&it.value)
            );
        }
        for it in &body.blocks {
            let labels = it.labels.iter().map(|it| format!("{:?} ", it.text));
            let labels = labels.collect::<String>();
            let span = it.keyword.span;
            let inner = self.body(&it.body);
            let _ = writeln!(form, "{}@{span:?} {labels}{{\n{inner}}}", it.keyword.text);
        }
        form
    }

    pub fn value(&self, expression: &Expression) -> String {
        use ExpressionKind::*;
        let value = |it: &Expression| self.value(it);
        match &expression.kind {
            Template(template)
                if self
                    .0
                    .is_some_and(|it| takes_blanks(it.slice(expression.span))) =>
            {
                format!("\"~{}\"", self.parts(&template.parts, false))
            }
            Null => "null".into(),
            Bool(value) => value.to_string(),
            Number(text) => number(text),
            Template(template) => match &template.parts[..] {
                [] => "\"\"".into(),
                [Part::Literal(text, _)] => format!("{text:?}"),
                parts => format!("\"{}\"", self.parts(parts, true)),
            },
            Tuple(elements) => format!("[{}]", list(elements.iter().map(value))),
            Object(entries) => {
                let entries = entries.iter().map(|it| {
                    let key = match &it.key {
                        Key::Name(name) => name.text.to_string(),
                        Key::Expression(key) => value(key),
                    };
                    format!("{key}={}", value(&it.value))
                });
                format!("{{{}}}", list(entries))
            }
            Variable(name) => name.to_string(),
            Attribute(source, name) => format!("{}.{}", value(source), name.text),
            Index(source, key) => format!("{}[{}]", value(source), value(key)),
            Splat(splat) => format!("(* {} {})", value(&splat.source), value(&splat.each)),
            Element => "_".into(),
            Call(call) => format!(
                "{}({}{})",
                call.name.text,
                list(call.arguments.iter().map(value)),
                if call.expands { "..." } else { "" }
            ),
            Unary(operator, operand) => {
                let sign = match operator {
                    UnaryOperator::Not => "!",
                    UnaryOperator::Minus => "-",
                };
                format!("({sign} {})", value(operand))
            }
            Binary(operator, left, right) => {
                format!("({} {} {})", sign(*operator), value(left), value(right))
            }
            Conditional(parts) => format!("(? {})", list(parts.iter().map(value))),
            For(it) => {
                let key = it.result_key.as_ref().map(|it| value(it) + "=>");
                format!(
                    "(for {} in {} : {}{}{}{})",
                    names(&it.key, &it.value),
                    value(&it.collection),
                    key.unwrap_or_default(),
                    value(&it.result),
                    if it.groups { "..." } else { "" },
                    it.condition
                        .as_ref()
                        .map_or(String::new(), |it| format!(" if {}", value(it)))
                )
            }
            Parenthesis(inner) => format!("({})", value(inner)),
            Unreadable => "UNREADABLE".into(),
        }
    }

    fn parts(&self, parts: &[Part], literals: bool) -> String {
        list(parts.iter().filter_map(|it| {
            Some(match it {
                Part::Literal(text, _) if literals => format!("{text:?}"),
                Part::Literal(..) => return None,
                Part::Interpolation(it) => format!("${{{}}}", self.value(it)),
                Part::If(condition, then, otherwise) => format!(
                    "%{{if {} {{{}}} {{{}}}}}",
                    self.value(condition),
                    self.parts(then, literals),
                    self.parts(otherwise, literals)
                ),
                Part::For(it) => format!(
                    "%{{for {} in {} {{{}}}}}",
                    names(&it.key, &it.value),
                    self.value(&it.collection),
                    self.parts(&it.body, literals)
                ),
            })
        }))
    }
}

/// A number, the same for all that are equal. The other parser takes a sign for a part of it.
pub fn number(text: &str) -> String {
    if let Some(number) = text.strip_prefix('-') {
        return format!("(- {})", self::number(number));
    }
    match text.parse::<f64>() {
        Ok(number) => format!("{number:?}"),
        Err(_) => format!("NOT A NUMBER: {text}"),
    }
}

pub fn sign(operator: BinaryOperator) -> &'static str {
    use BinaryOperator::*;
    match operator {
        Or => "||",
        And => "&&",
        Equal => "==",
        NotEqual => "!=",
        Less => "<",
        LessOrEqual => "<=",
        Greater => ">",
        GreaterOrEqual => ">=",
        Add => "+",
        Subtract => "-",
        Multiply => "*",
        Divide => "/",
        Modulo => "%",
    }
}

fn names(key: &Option<Name>, value: &Name) -> String {
    match key {
        Some(key) => format!("{},{}", key.text, value.text),
        None => value.text.to_string(),
    }
}
