//! Moves the places of an expression that was read from a decoded copy of its text.

use crate::text::Span;

use super::expression::{Expression, ExpressionKind, Key, Name, Part};

impl Expression {
    /// Has every span within be what `place` makes of it.
    pub(super) fn move_spans(&mut self, place: &dyn Fn(Span) -> Span) {
        self.span = place(self.span);
        match &mut self.kind {
            ExpressionKind::Null
            | ExpressionKind::Bool(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Element
            | ExpressionKind::Unreadable => {}
            ExpressionKind::Template(template) => {
                template.inner = place(template.inner);
                move_parts(&mut template.parts, place);
            }
            ExpressionKind::Tuple(elements) => {
                elements.iter_mut().for_each(|it| it.move_spans(place));
            }
            ExpressionKind::Object(entries) => {
                for entry in entries {
                    match &mut entry.key {
                        Key::Name(name) => name.move_span(place),
                        Key::Expression(key) => key.move_spans(place),
                    }
                    entry.value.move_spans(place);
                }
            }
            ExpressionKind::Attribute(source, name) => {
                source.move_spans(place);
                name.move_span(place);
            }
            ExpressionKind::Index(a, b) | ExpressionKind::Binary(_, a, b) => {
                a.move_spans(place);
                b.move_spans(place);
            }
            ExpressionKind::Splat(splat) => {
                splat.source.move_spans(place);
                splat.each.move_spans(place);
            }
            ExpressionKind::Call(call) => {
                call.name.move_span(place);
                call.arguments
                    .iter_mut()
                    .for_each(|it| it.move_spans(place));
            }
            ExpressionKind::Unary(_, inner) | ExpressionKind::Parenthesis(inner) => {
                inner.move_spans(place);
            }
            ExpressionKind::Conditional(parts) => {
                parts.iter_mut().for_each(|it| it.move_spans(place));
            }
            ExpressionKind::For(it) => {
                let key = it.result_key.as_mut();
                let condition = it.condition.as_mut();
                let parts = [&mut it.collection, &mut it.result];
                for part in parts.into_iter().chain(key).chain(condition) {
                    part.move_spans(place);
                }
                for name in it.key.iter_mut().chain([&mut it.value]) {
                    name.move_span(place);
                }
            }
        }
    }
}

impl Name {
    fn move_span(&mut self, place: &dyn Fn(Span) -> Span) {
        self.span = place(self.span);
    }
}

fn move_parts(parts: &mut [Part], place: &dyn Fn(Span) -> Span) {
    for part in parts {
        match part {
            Part::Literal(_, span) => *span = place(*span),
            Part::Interpolation(it) => it.move_spans(place),
            Part::If(condition, then, otherwise) => {
                condition.move_spans(place);
                move_parts(then, place);
                move_parts(otherwise, place);
            }
            Part::For(it) => {
                for name in it.key.iter_mut().chain([&mut it.value]) {
                    name.move_span(place);
                }
                it.collection.move_spans(place);
                move_parts(&mut it.body, place);
            }
        }
    }
}
