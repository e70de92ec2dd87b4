//! Terraform's functions, one file for each family: evaluated arguments → a value.
//!
//! A function that is not in the table, or that says so, is unknown. Knows nothing of expressions.

mod choices;
mod conversions;
mod dates;
mod encodings;
mod files;
mod format;
mod hashes;
pub(super) mod json;
mod maps;
mod networks;
mod numbers;
mod patterns;
mod sequences;
mod sets;
mod texts;

use super::convert::{Failure, Outcome};
use super::evaluate::Evaluator;
use super::number::Number;
use super::types::Type;
use super::value::{Data, Value};

/// One function.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) parameters: &'static [Parameter],
    /// What further arguments are, if there may be any.
    pub(super) rest: Option<Parameter>,
    /// What it returns, for when an argument is not known.
    pub(super) returns: Kind,
    /// Gets as many arguments as it has parameters, converted to their types; none is null, unknown
    /// or sensitive, but for what the parameters allow.
    pub(super) apply: fn(&Evaluator<'_>, &[Value]) -> Outcome,
}

/// What a function takes. <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/function/argument.go>
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    kind: Kind,
    /// It may be null.
    pub(super) null: bool,
    /// It may be unknown.
    pub(super) unknown: bool,
    /// Its type may be unknown; that of a literal `null` is.
    pub(super) dynamic: bool,
    /// It may be sensitive.
    pub(super) marked: bool,
    /// It may be known in part.
    pub(super) open: bool,
    /// Nothing within it can make the call an error.
    pub(super) opaque: bool,
}

/// The types that parameters and results have.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Any,
    Bool,
    Number,
    Text,
    Bools,
    Texts,
    List,
    Set,
    TextsByKey,
}

impl Kind {
    fn asked(self) -> Type {
        match self {
            Kind::Any => Type::Any,
            Kind::Bool => Type::Bool,
            Kind::Number => Type::Number,
            Kind::Text => Type::Text,
            Kind::Bools => Type::list(Type::Bool),
            Kind::Texts => Type::list(Type::Text),
            Kind::List => Type::list(Type::Any),
            Kind::Set => Type::set(Type::Any),
            Kind::TextsByKey => Type::map(Type::list(Type::Text)),
        }
    }

    /// As the type of a result, where anything means that nobody knows.
    pub(super) fn ty(self) -> Type {
        match self {
            Kind::Any | Kind::List | Kind::Set => Type::Unsure,
            kind => kind.asked(),
        }
    }
}

impl Parameter {
    const fn of(kind: Kind) -> Self {
        Self {
            kind,
            null: false,
            unknown: false,
            dynamic: false,
            marked: false,
            open: false,
            opaque: false,
        }
    }

    const fn null(self) -> Self {
        Self { null: true, ..self }
    }

    const fn unknown(self) -> Self {
        Self {
            unknown: true,
            ..self
        }
    }

    const fn dynamic(self) -> Self {
        Self {
            dynamic: true,
            ..self
        }
    }

    const fn marked(self) -> Self {
        Self {
            marked: true,
            ..self
        }
    }

    const fn opaque(self) -> Self {
        Self {
            opaque: true,
            ..self
        }
    }

    const fn open(self) -> Self {
        Self { open: true, ..self }
    }

    pub(super) fn ty(&self) -> Type {
        self.kind.asked()
    }
}

const ANY: Parameter = Parameter::of(Kind::Any);
const NUMBER: Parameter = Parameter::of(Kind::Number);
const TEXT: Parameter = Parameter::of(Kind::Text);
const TEXTS: Parameter = Parameter::of(Kind::Texts);
const LIST: Parameter = Parameter::of(Kind::List);
const SET: Parameter = Parameter::of(Kind::Set).dynamic();
/// Anything at all, as it is.
const VERBATIM: Parameter = ANY.null().unknown().dynamic().marked().open();
/// Anything at all, of which only the outside counts.
const OPAQUE: Parameter = VERBATIM.opaque();

/// A function of a fixed number of arguments.
const fn fixed(
    name: &'static str,
    parameters: &'static [Parameter],
    returns: Kind,
    apply: fn(&Evaluator<'_>, &[Value]) -> Outcome,
) -> Function {
    Function {
        name,
        parameters,
        rest: None,
        returns,
        apply,
    }
}

/// A function of any number of arguments.
const fn variadic(
    name: &'static str,
    parameters: &'static [Parameter],
    rest: Parameter,
    returns: Kind,
    apply: fn(&Evaluator<'_>, &[Value]) -> Outcome,
) -> Function {
    Function {
        name,
        parameters,
        rest: Some(rest),
        returns,
        apply,
    }
}

const FAMILIES: &[&[Function]] = &[
    choices::FUNCTIONS,
    conversions::FUNCTIONS,
    dates::FUNCTIONS,
    encodings::FUNCTIONS,
    files::FUNCTIONS,
    format::FUNCTIONS,
    hashes::FUNCTIONS,
    json::FUNCTIONS,
    maps::FUNCTIONS,
    networks::FUNCTIONS,
    numbers::FUNCTIONS,
    patterns::FUNCTIONS,
    sequences::FUNCTIONS,
    sets::FUNCTIONS,
    texts::FUNCTIONS,
];

/// The function of this name.
pub(super) fn find(name: &str) -> Option<&'static Function> {
    FAMILIES
        .iter()
        .flat_map(|it| it.iter())
        .find(|it| it.name == name)
}

/// A result that we do not compute.
fn unsupported(kind: Kind) -> Outcome {
    Ok(Value::unknown_of(kind.ty()))
}

/// What is computed, or unknown where it is not.
fn computed<T: Into<Value>>(result: Option<T>, kind: Kind) -> Outcome {
    result.map_or_else(|| unsupported(kind), |it| Ok(it.into()))
}

fn text(value: &Value) -> Result<&str, Failure> {
    value.as_text().ok_or(Failure::ANY)
}

fn number(value: &Value) -> Result<&Number, Failure> {
    match &value.data {
        Data::Number(number) => Ok(number),
        _ => Err(Failure::ANY),
    }
}

/// A whole number that fits.
fn integer(value: &Value) -> Result<i64, Failure> {
    number(value)?.as_integer().ok_or(Failure::ANY)
}
