//! Function calls: what every function has in common.
//!
//! <https://github.com/hashicorp/hcl/blob/v2.23.0/hclsyntax/expression.go#L295> and
//! <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/function/function.go#L211>

use super::convert::{Failure, Outcome, convert};
use super::evaluate::{Evaluator, Frame};
use super::functions::{self, Function};
use super::types::Type;
use super::value::{Data, Value};
use crate::syntax::{Call, Expression};
use crate::text::Span;

impl Evaluator<'_> {
    pub(super) fn call(&self, call: &Call, span: Span, frame: Frame<'_>) -> Outcome {
        let name = call.name.text.strip_prefix("core::");
        let name = name.unwrap_or(&call.name.text);
        match name {
            "try" if !call.expands => return self.call_try(&call.arguments, frame),
            "can" if !call.expands => return self.call_can(&call.arguments, frame),
            "try" | "can" => return Ok(self.beyond()),
            // a template cannot render others
            "templatefile" | "templatestring" if self.in_template => return Err(Failure::ANY),
            "templatestring" => {
                let value = self.call_templatestring(call, frame)?;
                return Ok(self.computed(value, span));
            }
            _ => {}
        }
        let Some(function) = functions::find(name) else {
            // a provider's, a later Terraform's, OpenTofu's, or nobody's
            return Ok(self.beyond());
        };
        let Some(arguments) = self.arguments(call, frame)? else {
            return Ok(self.beyond());
        };
        let value = self.apply(function, arguments)?;
        Ok(self.computed(value, span))
    }

    /// `None` if it is not known how many there are.
    fn arguments(&self, call: &Call, frame: Frame<'_>) -> Result<Option<Vec<Value>>, Failure> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (at, argument) in call.arguments.iter().enumerate() {
            let value = self.expression(argument, frame).map_err(|_| Failure::ANY)?;
            if !call.expands || at + 1 < call.arguments.len() {
                arguments.push(value);
                continue;
            }
            match &value.data {
                Data::Tuple(elements) | Data::List(_, elements) | Data::Set(_, elements) => {
                    if !self.spend(elements.len()) {
                        return Ok(None);
                    }
                    let elements = elements.iter().map(|it| it.clone().marked(value.sensitive));
                    arguments.extend(elements);
                }
                Data::Unknown(
                    Type::Unsure | Type::Any | Type::Tuple(_) | Type::List(_) | Type::Set(_),
                ) => return Ok(None),
                _ => return Err(Failure::ANY),
            }
        }
        Ok(Some(arguments))
    }

    fn apply(&self, function: &Function, mut arguments: Vec<Value>) -> Outcome {
        let fixed = function.parameters.len();
        if arguments.len() < fixed || arguments.len() > fixed && function.rest.is_none() {
            return Err(Failure::ANY);
        }
        if !arguments.iter().all(|it| self.spend_on(it)) {
            return Ok(self.beyond());
        }
        let parameters = function
            .parameters
            .iter()
            .chain(function.rest.iter().cycle());
        let mut unknown = false;
        let mut sensitive = false;
        for (argument, parameter) in arguments.iter_mut().zip(parameters.clone()) {
            let known = match parameter.opaque {
                true => argument.is_known(),
                false => argument.is_wholly_known(),
            };
            if !known {
                self.doubt();
            }
            *argument = convert(argument, &parameter.ty()).map_err(|_| Failure::ANY)?;
        }
        for (argument, parameter) in arguments.iter_mut().zip(parameters) {
            if argument.is_null() && !parameter.null {
                return Err(Failure::ANY);
            }
            if !parameter.marked {
                let (plain, marked) = argument.unmarked();
                *argument = plain;
                sensitive |= marked;
            }
            let untyped = match &argument.data {
                Data::Null(ty) | Data::Unknown(ty) => matches!(ty, Type::Any | Type::Unsure),
                Data::Open(_) => !parameter.open,
                _ => false,
            };
            if untyped && !parameter.dynamic || !argument.is_known() && !parameter.unknown {
                unknown |= !(parameter.open && matches!(argument.data, Data::Open(_)));
            }
        }
        if unknown {
            return Ok(Value::unknown_of(function.returns.ty()).marked(sensitive));
        }
        let value = (function.apply)(self, &arguments)?;
        Ok(value.marked(sensitive))
    }

    /// The first of the expressions that is no error.
    ///
    /// <https://github.com/hashicorp/hcl/blob/v2.23.0/ext/tryfunc/tryfunc.go>
    fn call_try(&self, expressions: &[Expression], frame: Frame<'_>) -> Outcome {
        for expression in expressions {
            let (outcome, doubts) = self.doubted(|| self.expression(expression, frame));
            match outcome {
                _ if doubts > 0 => return Ok(self.beyond()),
                Ok(value) => return Ok(value),
                Err(_) => {}
            }
        }
        Err(Failure::ANY)
    }

    fn call_can(&self, expressions: &[Expression], frame: Frame<'_>) -> Outcome {
        let [expression] = expressions else {
            return Err(Failure::ANY);
        };
        let (outcome, doubts) = self.doubted(|| self.expression(expression, frame));
        match outcome {
            _ if doubts > 0 => Ok(Value::unknown_of(Type::Bool)),
            Ok(_) => Ok(Value::bool(true)),
            Err(_) => Ok(Value::bool(false)),
        }
    }
}
