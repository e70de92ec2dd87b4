//! An expression and a scope → a value.
//!
//! Follows HCL's own evaluation step by step, of Terraform 1.11:
//! <https://github.com/hashicorp/hcl/blob/v2.23.0/hclsyntax/expression.go>. What takes too many steps,
//! goes too deep or grows too large is unknown.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use super::convert::{Failure, Outcome, convert};
use super::number::{Number, Parsed};
use super::scope::Scope;
use super::types::Type;
use super::value::{Data, Entry, Origin, Place, Value};
use crate::syntax::{self, Expression, ExpressionKind, Key};
use crate::text::Span;

/// What an expression of `file` comes to. An expression that Terraform calls an error is unknown.
pub fn evaluate(expression: &Expression, scope: &dyn Scope, file: &Arc<Path>) -> Value {
    let evaluator = Evaluator::new(scope, file);
    match evaluator.expression(expression, Frame::default()) {
        Ok(value) => value,
        Err(_) => Value::unknown(),
    }
}

/// Whether it is sure that Terraform calls an expression an error.
pub fn fails(expression: &Expression, scope: &dyn Scope, file: &Arc<Path>) -> bool {
    let evaluator = Evaluator::new(scope, file);
    let outcome = evaluator.expression(expression, Frame::default());
    outcome.is_err() && evaluator.doubts.get() == 0
}

/// Steps that one evaluation may take: each is a node, an element or some bytes of a text.
const STEPS: u32 = 400_000;

/// How many values one that is used may hold.
const LARGEST: usize = 50_000;

/// How deep evaluation may go on one thread, through references too. A debug build needs up to 8 KiB
/// of stack for a level, a release build 3.
const DEPTH: u32 = 150;

thread_local! {
    static DEPTH_NOW: Cell<u32> = const { Cell::new(0) };
}

/// One evaluation.
pub(super) struct Evaluator<'a> {
    pub(super) scope: &'a dyn Scope,
    file: &'a Arc<Path>,
    steps: Cell<u32>,
    /// Whether it is of a template that a function renders.
    pub(super) in_template: bool,
    /// How often something was met that may be an error in Terraform, for all that we know.
    doubts: Cell<u32>,
}

/// The names that an expression sees besides those of the scope.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame<'a> {
    pub(super) names: Option<&'a Names<'a>>,
    /// What [`ExpressionKind::Element`] is.
    pub(super) element: Option<&'a Value>,
}

/// The variables of a `for`.
pub(super) struct Names<'a> {
    pub(super) key: Option<(&'a str, Value)>,
    pub(super) value: (&'a str, Value),
    pub(super) outer: Option<&'a Names<'a>>,
}

impl Frame<'_> {
    pub(super) fn find(&self, name: &str) -> Option<&Value> {
        let mut names = self.names;
        while let Some(it) = names {
            // of a variable that is the key's and the value's the value counts
            if it.value.0 == name {
                return Some(&it.value.1);
            }
            if let Some((key, value)) = &it.key
                && *key == name
            {
                return Some(value);
            }
            names = it.outer;
        }
        None
    }
}

/// Gives back the level that it stands for.
struct Level;

impl Level {
    fn enter() -> Option<Self> {
        let depth = DEPTH_NOW.get();
        if depth >= DEPTH {
            return None;
        }
        DEPTH_NOW.set(depth + 1);
        Some(Level)
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH_NOW.set(DEPTH_NOW.get() - 1);
    }
}

impl<'a> Evaluator<'a> {
    fn new(scope: &'a dyn Scope, file: &'a Arc<Path>) -> Self {
        Self {
            scope,
            file,
            steps: Cell::new(STEPS),
            in_template: false,
            doubts: Cell::new(0),
        }
    }

    /// The evaluation of a template in another scope, with what is left of the steps.
    pub(super) fn within<'b>(&self, scope: &'b dyn Scope, file: &'b Arc<Path>) -> Evaluator<'b> {
        Evaluator {
            steps: self.steps.clone(),
            in_template: true,
            ..Evaluator::new(scope, file)
        }
    }

    /// Goes on with what `inner` has left, and with its doubts.
    pub(super) fn take_over(&self, inner: &Evaluator<'_>) {
        self.steps.set(inner.steps.get());
        self.doubts.set(self.doubts.get() + inner.doubts.get());
    }

    /// Whether there are still so many steps; takes them.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get();
        let after = u32::try_from(steps)
            .ok()
            .and_then(|it| left.checked_sub(it));
        self.steps.set(after.unwrap_or(0));
        after.is_some()
    }

    /// Takes a step for everything that a value holds, if there are as many.
    pub(super) fn spend_on(&self, value: &Value) -> bool {
        let most = LARGEST.min(self.steps.get() as usize);
        value.size(most).is_some_and(|it| self.spend(it))
    }

    /// Notes that what comes now may be an error in Terraform.
    pub(super) fn doubt(&self) {
        self.doubts.set(self.doubts.get() + 1);
    }

    /// Takes back doubts about what turned out not to matter.
    pub(super) fn forget_doubts(&self, count: u32) {
        self.doubts.set(self.doubts.get() - count);
    }

    /// What a step comes to, and how much doubt there was in it.
    pub(super) fn doubted(&self, step: impl FnOnce() -> Outcome) -> (Outcome, u32) {
        let before = self.doubts.get();
        let outcome = step();
        (outcome, self.doubts.get() - before)
    }

    pub(super) fn place(&self, span: Span) -> Place {
        Place {
            path: self.file.clone(),
            span,
        }
    }

    fn written(&self, span: Span) -> Origin {
        Origin {
            place: self.place(span),
            through: None,
            computed: false,
        }
    }

    /// Gives an origin to everything in `value` that has none: it was computed at `span`.
    pub(super) fn computed(&self, value: Value, span: Span) -> Value {
        let has_children = !value.elements().is_empty() || !value.entries().is_empty();
        if !has_children {
            return self.computed_leaf(value, span);
        }
        if !lacks_origin(&value) {
            return value;
        }
        value.map_all(&mut |it| self.computed_leaf(it, span))
    }

    fn computed_leaf(&self, value: Value, span: Span) -> Value {
        if value.origin.is_some() {
            return value;
        }
        value.from_origin(Origin {
            computed: true,
            ..self.written(span)
        })
    }

    /// A value that is not known because it is beyond what we evaluate.
    pub(super) fn beyond(&self) -> Value {
        self.doubt();
        Value::unknown()
    }

    pub(super) fn expression(&self, expression: &Expression, frame: Frame<'_>) -> Outcome {
        let (Some(_level), true) = (Level::enter(), self.spend(1)) else {
            return Ok(self.beyond());
        };
        self.step(expression, frame)
    }

    /// Each arm is one call, so that a level takes as little of the stack as it can.
    fn step(&self, expression: &Expression, frame: Frame<'_>) -> Outcome {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Null | ExpressionKind::Bool(_) | ExpressionKind::Number(_) => {
                Ok(self.literal(expression))
            }
            ExpressionKind::Template(_) => match expression.literal() {
                Some((text, inner)) => Ok(self.literal_text(text, inner)),
                None => self.template(expression, frame),
            },
            ExpressionKind::Tuple(elements) => self.tuple(elements, frame),
            ExpressionKind::Object(entries) => self.object(entries, frame),
            ExpressionKind::Variable(_) | ExpressionKind::Attribute(..) => {
                self.traversal(expression, frame)
            }
            ExpressionKind::Index(source, key) => {
                self.settled(self.index_expression(source, key, frame), None)
            }
            ExpressionKind::Splat(splat) => self.settled(self.splat(splat, frame), None),
            ExpressionKind::Element => Ok(self.element(frame)),
            ExpressionKind::Call(call) => self.settled(self.call(call, span, frame), None),
            ExpressionKind::Unary(operator, operand) => {
                self.settled(self.unary(*operator, operand, frame), Some(span))
            }
            ExpressionKind::Binary(..) => self.settled(self.binary(expression, frame), Some(span)),
            ExpressionKind::Conditional(parts) => self.conditional(parts, frame),
            ExpressionKind::For(it) => self.settled(self.for_expression(it, frame), None),
            ExpressionKind::Parenthesis(inner) => self.expression(inner, frame),
            ExpressionKind::Unreadable => Ok(self.beyond()),
        }
    }

    fn literal(&self, expression: &Expression) -> Value {
        let value = match &expression.kind {
            ExpressionKind::Bool(value) => Value::bool(*value),
            ExpressionKind::Number(text) => match Number::parse(text) {
                Parsed::Number(number) => Value::from(number),
                _ => Value::unknown_of(Type::Number),
            },
            _ => Value::null(Type::Any),
        };
        value.from_origin(self.written(expression.span))
    }

    fn literal_text(&self, text: &str, span: Span) -> Value {
        Value::text(text).from_origin(self.written(span))
    }

    fn element(&self, frame: Frame<'_>) -> Value {
        match frame.element {
            Some(value) => value.clone(),
            None => self.beyond(),
        }
    }

    /// The result of an operation, which was computed at `span` if there is one. What is not known
    /// may be the operation's error.
    fn settled(&self, outcome: Outcome, span: Option<Span>) -> Outcome {
        let value = outcome?;
        if !value.is_known() {
            self.doubt();
        }
        Ok(match span {
            Some(span) => self.computed(value, span),
            None => value,
        })
    }

    fn tuple(&self, elements: &[Expression], frame: Frame<'_>) -> Outcome {
        let mut values = Vec::with_capacity(elements.len());
        let mut failed = false;
        for element in elements {
            match self.expression(element, frame) {
                Ok(value) => values.push(value),
                Err(failure) => {
                    failed = true;
                    values.push(Value::unknown_of(failure.ty));
                }
            }
        }
        let value = Value::tuple(values);
        if failed {
            return Err(Failure::of(value.ty()));
        }
        Ok(value)
    }

    fn object(&self, entries: &[syntax::Entry], frame: Frame<'_>) -> Outcome {
        let mut found = Vec::with_capacity(entries.len());
        let mut more = false;
        let mut key_failed = false;
        let mut failed = false;
        let mut sensitive = false;
        for entry in entries {
            let key = match &entry.key {
                Key::Name(name) => Ok((Some((*name.text).into()), Some(self.place(name.span)))),
                Key::Expression(key) => self.key(key, frame, &mut sensitive),
            };
            let value = match self.expression(&entry.value, frame) {
                Ok(value) => value,
                Err(failure) => {
                    failed = true;
                    Value::unknown_of(failure.ty)
                }
            };
            match key {
                Ok((Some(key), written)) => found.push(Entry {
                    key,
                    written,
                    value,
                }),
                // it may be any of those before it
                Ok((None, _)) => {
                    found.clear();
                    more = true;
                }
                Err(_) => key_failed = true,
            }
        }
        if key_failed {
            return Err(Failure::ANY);
        }
        if more && !failed {
            return Ok(Value::open(found, true).marked(sensitive));
        }
        let value = Value::object(found).marked(sensitive);
        if failed {
            return Err(Failure::of(value.ty()));
        }
        Ok(value)
    }

    /// The text of an object's key and where it was written; no text if it is not known.
    #[allow(clippy::type_complexity)]
    fn key(
        &self,
        key: &Expression,
        frame: Frame<'_>,
        sensitive: &mut bool,
    ) -> Result<(Option<Arc<str>>, Option<Place>), Failure> {
        let value = match &key.kind {
            // a bare word is a text, and a bare path is an error
            ExpressionKind::Variable(name) => Value::text(name),
            ExpressionKind::Attribute(..) => return Err(Failure::ANY),
            ExpressionKind::Null => Value::text("null"),
            ExpressionKind::Bool(value) => Value::text(&value.to_string()),
            _ => self.expression(key, frame)?,
        };
        *sensitive |= value.sensitive;
        if value.is_null() {
            return Err(Failure::ANY);
        }
        let text = convert(&value, &Type::Text)?;
        let written = self.place(key.span);
        match text.data {
            Data::Text(text) => Ok((Some(text), Some(written))),
            _ => {
                self.doubt();
                Ok((None, None))
            }
        }
    }
}

/// Whether anything within was computed just now.
fn lacks_origin(value: &Value) -> bool {
    value.origin.is_none() && value.elements().is_empty() && value.entries().is_empty()
        || value.children().any(lacks_origin)
}
