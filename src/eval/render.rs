//! Templates that are texts of their own: `templatefile` and `templatestring`.
//!
//! <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/lang/funcs/string.go#L289>

use std::path::Path;
use std::sync::Arc;

use super::convert::{Failure, Outcome, convert};
use super::evaluate::{Evaluator, Frame};
use super::scope::{FileAnswer, Resolved, Scope};
use super::types::Type;
use super::value::{Data, Found, Place, Value};
use crate::syntax::{Call, Expression, ExpressionKind, parse_template};
use crate::text::{Source, Span};

/// What a template sees: its variables, and the files that its functions may read.
struct Variables<'a> {
    variables: &'a Value,
    /// Not for a template that is a text.
    files: Option<&'a dyn Scope>,
}

impl Scope for Variables<'_> {
    fn reference(&self, root: &str, _: &[&str]) -> Option<Resolved> {
        match self.variables.get(root) {
            Found::Entry(entry) => Some(Resolved {
                value: entry.value.clone(),
                used: 0,
            }),
            Found::Absent | Found::Unknown => None,
        }
    }

    fn file(&self, path: &str) -> FileAnswer {
        self.files.map_or(FileAnswer::Unknown, |it| it.file(path))
    }

    fn files(&self, path: &str, pattern: &str) -> Option<Vec<String>> {
        self.files.and_then(|it| it.files(path, pattern))
    }

    fn working_directory(&self) -> Option<&str> {
        self.files.and_then(Scope::working_directory)
    }
}

impl Evaluator<'_> {
    /// What the template in the file `path` comes to.
    pub(super) fn render(&self, text: &str, path: &str, variables: &Value) -> Outcome {
        let scope = Variables {
            variables,
            files: Some(self.scope),
        };
        self.render_in(text, &Path::new(path).into(), &scope)
    }

    /// `templatestring(reference, variables)`, whose first argument must be a reference.
    pub(super) fn call_templatestring(&self, call: &Call, frame: Frame<'_>) -> Outcome {
        let [template, variables] = &call.arguments[..] else {
            return Err(Failure::ANY);
        };
        if call.expands {
            return Ok(self.beyond());
        }
        if !is_reference(template) {
            return Err(Failure::ANY);
        }
        let variables = self.expression(variables, frame);
        let template = self.expression(template, frame);
        let (Ok(variables), Ok(template)) = (variables, template) else {
            return Err(Failure::ANY);
        };
        let (variables, hidden) = variables.unmarked();
        let text = match &template.data {
            Data::Text(text) => text,
            Data::Unknown(_) => return Ok(self.beyond()),
            _ => return Err(Failure::ANY),
        };
        let scope = Variables {
            variables: &variables,
            files: None,
        };
        let value = self.render_in(text, &Path::new("").into(), &scope)?;
        let value = convert(&value, &Type::Text).map_err(|_| Failure::ANY)?;
        Ok(value.marked(hidden || template.sensitive))
    }

    fn render_in(&self, text: &str, path: &Arc<Path>, scope: &Variables<'_>) -> Outcome {
        match &scope.variables.data {
            Data::Object(_) | Data::Map(..) => {}
            Data::Open(_) | Data::Unknown(_) => return Ok(self.beyond()),
            _ => return Err(Failure::ANY),
        }
        let source = Source::new(text);
        if source.has_bom() {
            return Ok(self.beyond());
        }
        let template = parse_template(&source, Span::new(0, text.len()));
        let inner = self.within(scope, path);
        let outcome = inner.expression(&template, Frame::default());
        self.take_over(&inner);
        match outcome {
            Ok(value) if !value.is_null() => Ok(value.map_all(&mut |it| outside(it, path))),
            _ => Err(Failure::ANY),
        }
    }
}

/// A value without what was noted of the template: only its call can be pointed at.
fn outside(value: Value, template: &Arc<Path>) -> Value {
    let within = |place: &Place| Arc::ptr_eq(&place.path, template);
    let origin = value.origin.filter(|it| !within(&it.place));
    let origin = origin.map(|mut origin| {
        while let Some(through) = origin.through.clone().filter(|it| within(&it.place)) {
            origin.through = through.before.clone();
        }
        origin
    });
    Value { origin, ..value }
}

fn is_reference(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Variable(_) => true,
        ExpressionKind::Attribute(source, _) | ExpressionKind::Index(source, _) => {
            is_reference(source)
        }
        ExpressionKind::Splat(splat) => is_reference(&splat.source),
        _ => false,
    }
}
