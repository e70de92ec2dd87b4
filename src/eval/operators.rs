//! Operators and conditionals.
//!
//! Both sides of an operator are always evaluated: Terraform 1.11 does not stop at `false && …`. A
//! later one does, so what only one of them has an answer to has none here.

use std::sync::Arc;

use super::convert::{Failure, Outcome, convert, loosened};
use super::evaluate::{Evaluator, Frame};
use super::set;
use super::types::Type;
use super::unify::unify;
use super::value::{Data, Entry, Open, Value};
use crate::syntax::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};

impl Evaluator<'_> {
    pub(super) fn unary(
        &self,
        operator: UnaryOperator,
        operand: &Expression,
        frame: Frame<'_>,
    ) -> Outcome {
        let ty = match operator {
            UnaryOperator::Not => Type::Bool,
            UnaryOperator::Minus => Type::Number,
        };
        let fail = |_| Failure::of(ty.clone());
        let operand = self.expression(operand, frame).map_err(fail)?;
        let operand = convert(&operand, &ty).map_err(fail)?;
        let value = match &operand.data {
            Data::Null(_) => return Err(Failure::of(ty)),
            Data::Bool(value) => Value::bool(!value),
            Data::Number(number) => number.negated().into(),
            _ => Value::unknown_of(ty),
        };
        Ok(value.marked(operand.sensitive))
    }

    /// A chain of operators; the first operand of each may be a long chain itself.
    pub(super) fn binary(&self, expression: &Expression, frame: Frame<'_>) -> Outcome {
        let mut chain = Vec::new();
        let mut first = expression;
        while let ExpressionKind::Binary(operator, left, right) = &first.kind {
            chain.push((*operator, right));
            first = left;
        }
        let mut left = self.expression(first, frame);
        for (operator, right) in chain.into_iter().rev() {
            if !self.spend(1) {
                return Ok(self.beyond());
            }
            let right = self.expression(right, frame);
            left = self.operation(operator, left, right);
        }
        left
    }

    fn operation(&self, operator: BinaryOperator, left: Outcome, right: Outcome) -> Outcome {
        use BinaryOperator::*;
        let (operands, result) = match operator {
            Or | And => (Type::Bool, Type::Bool),
            Equal | NotEqual => (Type::Any, Type::Bool),
            Less | LessOrEqual | Greater | GreaterOrEqual => (Type::Number, Type::Bool),
            Add | Subtract | Multiply | Divide | Modulo => (Type::Number, Type::Number),
        };
        let fail = || Failure::of(result.clone());
        let (left, right) = match (left, right) {
            (Ok(left), Ok(right)) => (left, right),
            (Ok(left), Err(_)) => {
                self.doubt_later(operator, &left);
                return Err(fail());
            }
            _ => return Err(fail()),
        };
        if !left.is_known() || !right.is_known() {
            self.doubt();
        }
        let left = convert(&left, &operands).map_err(|_| fail())?;
        let right = match convert(&right, &operands) {
            Ok(right) => right,
            Err(_) => {
                self.doubt_later(operator, &left);
                return Err(fail());
            }
        };
        let equality = matches!(operator, Equal | NotEqual);
        if !equality && (left.is_null() || right.is_null()) {
            self.doubt_later(operator, &left);
            return Err(fail());
        }
        let hidden = left.contains_sensitive() || right.contains_sensitive();
        let value = match (&left.data, &right.data) {
            _ if equality => {
                let fits = self.spend_on(&left) && self.spend_on(&right);
                let equal = fits.then(|| set::equal(&left, &right)).flatten();
                equal.map(|it| Value::bool(it == (operator == Equal)))
            }
            (Data::Bool(left), Data::Bool(right)) => Some(Value::bool(match operator {
                And => *left && *right,
                _ => *left || *right,
            })),
            // whatever the other one is
            (Data::Bool(it), Data::Unknown(_)) | (Data::Unknown(_), Data::Bool(it)) => {
                let decided = *it == (operator == Or);
                decided.then(|| Value::bool(*it))
            }
            (Data::Number(left), Data::Number(right)) => match operator {
                Add => left.plus(right).map(Value::from),
                Subtract => left.minus(right).map(Value::from),
                Multiply => left.times(right).map(Value::from),
                Divide if left.is_zero() && right.is_zero() => return Err(fail()),
                Divide => left.over(right).map(Value::from),
                Modulo => left.modulo(right).map(Value::from),
                Less => Some(Value::bool(left.compare(right).is_lt())),
                LessOrEqual => Some(Value::bool(
                    left.compare(right).is_lt() || left.equals(right),
                )),
                Greater => Some(Value::bool(left.compare(right).is_gt())),
                _ => Some(Value::bool(
                    left.compare(right).is_gt() || left.equals(right),
                )),
            },
            _ => None,
        };
        Ok(value
            .unwrap_or_else(|| Value::unknown_of(result))
            .marked(hidden))
    }

    /// Notes that a later Terraform would not look at the right side, and so find no error there.
    fn doubt_later(&self, operator: BinaryOperator, left: &Value) {
        let decided = match (operator, &left.data) {
            (BinaryOperator::And | BinaryOperator::Or, Data::Unknown(_)) => true,
            (BinaryOperator::And, Data::Bool(it)) => !it,
            (BinaryOperator::Or, Data::Bool(it)) => *it,
            (BinaryOperator::And, Data::Text(it)) => matches!(&**it, "false" | "0"),
            (BinaryOperator::Or, Data::Text(it)) => matches!(&**it, "true" | "1"),
            _ => false,
        };
        if decided {
            self.doubt();
        }
    }

    /// `predicate ? then : otherwise`. Both results are evaluated for their types, and an error in
    /// the one that is not taken is none.
    pub(super) fn conditional(&self, parts: &[Expression; 3], frame: Frame<'_>) -> Outcome {
        let [predicate, then, otherwise] = parts;
        let predicate = self.expression(predicate, frame);
        let then = self.doubted(|| self.expression(then, frame));
        let otherwise = self.doubted(|| self.expression(otherwise, frame));
        let taken = predicate.as_ref().ok().map(|it| convert(it, &Type::Bool));
        let taken = match taken {
            Some(Ok(Value {
                data: Data::Bool(taken),
                ..
            })) => Some(taken),
            _ => None,
        };
        // where the branch that is not taken may be an error, its type may be another one
        let ty = common_type(
            &then.0,
            then.1 > 0 && taken != Some(true),
            &otherwise.0,
            otherwise.1 > 0 && taken != Some(false),
        );
        // whether they have one at all may not be sure
        if ty.doubted {
            self.doubt();
        }
        let ty = ty.ty.ok_or(Failure::ANY)?;
        let fail = |_| Failure::of(ty.clone());
        let predicate = predicate.map_err(fail)?;
        if predicate.is_null() {
            return Err(fail(Failure::ANY));
        }
        convert(&predicate, &Type::Bool).map_err(fail)?;
        let marked = |it: &Outcome| matches!(it, Ok(value) if value.sensitive);
        let hidden = predicate.sensitive || marked(&then.0) || marked(&otherwise.0);
        let (result, other_doubts) = match taken {
            Some(true) => (then.0, otherwise.1),
            Some(false) => (otherwise.0, then.1),
            None => {
                self.doubt();
                let both = match (&then.0, &otherwise.0) {
                    (Ok(then), Ok(otherwise)) => common(then, otherwise, &ty),
                    _ => Value::unknown_of(ty),
                };
                return Ok(both.marked(hidden));
            }
        };
        // but for its type, what may be wrong with the other branch is of no account
        self.forget_doubts(other_doubts);
        let value = result.map_err(fail)?;
        if ty.is_unsure() && !value.is_null() || !value.is_wholly_known() && value.ty() != ty {
            self.doubt();
        }
        let value = convert(&value, &ty).map_err(fail)?;
        Ok(value.marked(hidden))
    }
}

/// The type of a conditional of two results, either of which may be an error for all that we know.
fn common_type(
    then: &Outcome,
    then_unsure: bool,
    otherwise: &Outcome,
    otherwise_unsure: bool,
) -> CommonType {
    let ty_of = |it: &Outcome, unsure: bool| match it {
        _ if unsure => Type::Unsure,
        Ok(value) => value.ty(),
        Err(failure) => failure.ty.clone(),
    };
    let is_plain_null = |it: &Outcome| match it {
        Ok(value) => matches!(value.data, Data::Null(Type::Any)) && !value.sensitive,
        Err(_) => false,
    };
    let sure = |ty: Type| CommonType {
        ty: Some(ty),
        doubted: false,
    };
    match (ty_of(then, then_unsure), ty_of(otherwise, otherwise_unsure)) {
        (_, ty) if is_plain_null(then) => sure(ty),
        (ty, _) if is_plain_null(otherwise) => sure(ty),
        // of a branch that fails not even Terraform knows the type, and converts nothing
        (Type::Any, _) | (_, Type::Any) => sure(Type::Any),
        (then, otherwise) => CommonType {
            doubted: then.is_unsure() || otherwise.is_unsure(),
            ty: unify(&[then, otherwise], true),
        },
    }
}

/// The type that two values have in common, if they have one.
struct CommonType {
    ty: Option<Type>,
    /// Whether one of theirs is not known.
    doubted: bool,
}

/// What is so in both of two values.
fn common(a: &Value, b: &Value, ty: &Type) -> Value {
    match (&a.data, &b.data) {
        (Data::Text(left), Data::Text(right)) if left == right => return a.clone(),
        (
            Data::Object(_) | Data::Map(..) | Data::Open(_),
            Data::Object(_) | Data::Map(..) | Data::Open(_),
        ) => {}
        _ => return Value::unknown_of(ty.clone()),
    }
    let part = |it: &Value| match &it.data {
        Data::Open(open) => (open.perhaps.to_vec(), open.more),
        _ => (Vec::new(), false),
    };
    let ((mut perhaps, left_more), (right_perhaps, right_more)) = (part(a), part(b));
    perhaps.extend(right_perhaps);
    let mut entries = Vec::new();
    for entry in a.entries() {
        let at = b.entries().binary_search_by(|it| it.key.cmp(&entry.key));
        let Ok(at) = at else {
            perhaps.push(entry.key.clone());
            continue;
        };
        let (left, right) = (loosened(&entry.value), loosened(&b.entries()[at].value));
        let hidden = left.sensitive || right.sensitive;
        let value = common(&left, &right, &Type::Unsure);
        entries.push(Entry {
            value: value.marked(hidden),
            ..entry.clone()
        });
    }
    let in_both = |key: &Arc<str>| {
        entries
            .binary_search_by(|it: &Entry| it.key.cmp(key))
            .is_ok()
    };
    let only_right = b.entries().iter().map(|it| it.key.clone());
    perhaps.extend(only_right.filter(|it| !in_both(it)));
    perhaps.sort();
    perhaps.dedup();
    Data::Open(Arc::new(Open {
        entries: entries.into(),
        perhaps: perhaps.into(),
        more: left_more || right_more,
    }))
    .into()
}
