//! Texts with interpolations and directives.
//!
//! <https://github.com/hashicorp/hcl/blob/v2.23.0/hclsyntax/expression_template.go>

use super::convert::{Failure, Outcome, convert};
use super::evaluate::{Evaluator, Frame, Names};
use super::types::Type;
use super::value::{Data, Value};
use crate::syntax::{Expression, ExpressionKind, Part, TemplateFor};

/// A text that is being put together.
#[derive(Default)]
struct Text {
    text: String,
    sensitive: bool,
    unknown: bool,
    failed: bool,
}

impl Text {
    fn push(&mut self, evaluator: &Evaluator<'_>, text: &str) {
        // a text that doubles with each reference must end somewhere
        if !evaluator.spend(text.len() / 16) || self.text.len() + text.len() > 1 << 20 {
            self.give_up(evaluator);
        } else if !self.unknown && !self.failed {
            self.text.push_str(text);
        }
    }

    fn give_up(&mut self, evaluator: &Evaluator<'_>) {
        evaluator.doubt();
        self.unknown = true;
    }
}

impl Evaluator<'_> {
    pub(super) fn template(&self, expression: &Expression, frame: Frame<'_>) -> Outcome {
        let ExpressionKind::Template(template) = &expression.kind else {
            return self.expression(expression, frame);
        };
        // a lone interpolation is its value, whatever its type; in a heredoc there is a line end
        if let [Part::Interpolation(inner)] = &template.parts[..] {
            return self.expression(inner, frame);
        }
        let value = self.parts(&template.parts, frame)?;
        Ok(self.computed(value, expression.span))
    }

    /// The text of a template's parts.
    pub(super) fn parts(&self, parts: &[Part], frame: Frame<'_>) -> Outcome {
        let mut text = Text::default();
        self.append(parts, frame, &mut text);
        if text.failed {
            return Err(Failure::of(Type::Text));
        }
        let value = if text.unknown {
            Value::unknown_of(Type::Text)
        } else {
            Value::text(&text.text)
        };
        Ok(value.marked(text.sensitive))
    }

    fn append(&self, parts: &[Part], frame: Frame<'_>, text: &mut Text) {
        for part in parts {
            match part {
                Part::Literal(literal, _) => text.push(self, literal),
                Part::Interpolation(inner) => {
                    let value = self.expression(inner, frame);
                    self.append_value(value, text);
                }
                Part::If(condition, then, otherwise) => {
                    self.append_if(condition, [then, otherwise], frame, text);
                }
                Part::For(it) => self.append_for(it, frame, text),
            }
        }
    }

    fn append_value(&self, value: Outcome, text: &mut Text) {
        let value = match value {
            Ok(value) if !value.is_null() => value,
            _ => {
                text.failed = true;
                return;
            }
        };
        text.sensitive |= value.sensitive;
        match convert(&value, &Type::Text) {
            Ok(Value {
                data: Data::Text(part),
                ..
            }) => text.push(self, &part),
            Ok(_) => text.give_up(self),
            Err(_) => text.failed = true,
        }
    }

    /// An `if` is a conditional of two texts.
    fn append_if(
        &self,
        condition: &Expression,
        branches: [&[Part]; 2],
        frame: Frame<'_>,
        text: &mut Text,
    ) {
        let (condition, both) = match self.expression(condition, frame) {
            Ok(condition) if !condition.is_null() => {
                // what is wrong with the other branch does not count, what is sensitive in it does
                let both = branches.map(|parts| self.doubted(|| self.parts(parts, frame)));
                (condition, both)
            }
            _ => {
                text.failed = true;
                return;
            }
        };
        let mut marks = both.iter().filter_map(|(it, _)| it.as_ref().ok());
        text.sensitive |= condition.sensitive || marks.any(|it| it.sensitive);
        let [(then, then_doubts), (otherwise, otherwise_doubts)] = both;
        match convert(&condition, &Type::Bool).map(|it| it.data) {
            Ok(Data::Bool(true)) => {
                self.forget_doubts(otherwise_doubts);
                self.append_value(then, text);
            }
            Ok(Data::Bool(false)) => {
                self.forget_doubts(then_doubts);
                self.append_value(otherwise, text);
            }
            Ok(_) => text.give_up(self),
            Err(_) => text.failed = true,
        }
    }

    fn append_for(&self, it: &TemplateFor, frame: Frame<'_>, text: &mut Text) {
        let Ok(collection) = self.expression(&it.collection, frame) else {
            text.failed = true;
            return;
        };
        text.sensitive |= collection.sensitive;
        let elements = match self.iterate(&collection) {
            Ok(Some(elements)) => elements,
            Ok(None) => return text.give_up(self),
            Err(_) => {
                text.failed = true;
                return;
            }
        };
        for (key, value) in elements {
            if !self.spend(1) {
                return text.give_up(self);
            }
            let names = Names {
                key: it.key.as_ref().map(|name| (&*name.text, key)),
                value: (&it.value.text, value),
                outer: frame.names,
            };
            let frame = Frame {
                names: Some(&names),
                ..frame
            };
            let value = self.parts(&it.body, frame);
            self.append_value(value, text);
        }
    }
}
