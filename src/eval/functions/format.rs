//! `format` and `formatlist`.
//!
//! <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/function/stdlib/format.go>

use super::*;
use crate::eval::convert::convert;

pub(super) const FUNCTIONS: &[Function] = &[
    variadic(
        "format",
        &[TEXT],
        ANY.null().unknown(),
        Kind::Text,
        |evaluator, it| {
            if !it.iter().all(Value::is_wholly_known) {
                return unsupported(Kind::Text);
            }
            let formatted = format(evaluator, text(&it[0])?, &it[1..])?;
            computed(formatted.map(|it| Value::text(&it)), Kind::Text)
        },
    ),
    variadic(
        "formatlist",
        &[TEXT],
        ANY.null().unknown(),
        Kind::Texts,
        formatlist,
    ),
];

/// One `%…` of a format.
#[derive(Default)]
struct Verb {
    sharp: bool,
    zero: bool,
    minus: bool,
    plus: bool,
    space: bool,
    width: Option<usize>,
    precision: Option<usize>,
    mode: char,
}

/// Wider than this nobody asks for in earnest.
const WIDEST: usize = 4096;

/// The text; `None` if it is not ours to tell.
fn format(
    evaluator: &Evaluator<'_>,
    format: &str,
    arguments: &[Value],
) -> Result<Option<String>, Failure> {
    let mut result = String::with_capacity(format.len());
    let mut rest = format;
    let mut next = 1;
    let mut highest = 0;
    while let Some(at) = rest.find('%') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            result.push('%');
            rest = after;
            continue;
        }
        let mut verb = Verb::default();
        rest = flags(rest, &mut verb);
        let argument;
        (argument, rest) = numbers_of(rest, &mut verb, next)?;
        if verb.width.max(verb.precision) > Some(WIDEST) {
            return Ok(None);
        }
        verb.mode = rest.chars().next().ok_or(Failure::ANY)?;
        if !verb.mode.is_ascii_alphabetic() {
            return Err(Failure::ANY);
        }
        rest = &rest[1..];
        highest = highest.max(argument);
        next = argument + 1;
        let value = arguments
            .get(argument.wrapping_sub(1))
            .ok_or(Failure::ANY)?;
        match verb.format(value)? {
            Some(text) if evaluator.spend(text.len() / 16) => result.push_str(&text),
            _ => return Ok(None),
        }
    }
    result.push_str(rest);
    if highest < arguments.len() {
        return Err(Failure::ANY);
    }
    Ok(Some(result))
}

fn flags<'a>(text: &'a str, verb: &mut Verb) -> &'a str {
    let end = text.find(|c| !"0#-+ ".contains(c)).unwrap_or(text.len());
    for flag in text[..end].chars() {
        match flag {
            '0' => verb.zero = true,
            '#' => verb.sharp = true,
            '-' => verb.minus = true,
            '+' => verb.plus = true,
            _ => verb.space = true,
        }
    }
    &text[end..]
}

/// Width, precision and the argument's number, from one.
fn numbers_of<'a>(
    text: &'a str,
    verb: &mut Verb,
    next: usize,
) -> Result<(usize, &'a str), Failure> {
    let number = |text: &'a str| -> (Option<usize>, &'a str) {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        let value = digits.parse().unwrap_or(usize::MAX);
        ((end > 0).then_some(value), rest)
    };
    let (width, mut rest) = number(text);
    verb.width = width;
    if let Some(after) = rest.strip_prefix('.') {
        let precision;
        (precision, rest) = number(after);
        verb.precision = Some(precision.unwrap_or(0));
    }
    let Some(after) = rest.strip_prefix('[') else {
        return Ok((next, rest));
    };
    let (argument, rest) = number(after);
    let argument = argument
        .filter(|_| !after.starts_with('0'))
        .ok_or(Failure::ANY)?;
    let rest = rest.strip_prefix(']').ok_or(Failure::ANY)?;
    Ok((argument, rest))
}

impl Verb {
    fn format(&self, value: &Value) -> Result<Option<String>, Failure> {
        if value.is_null() && self.mode != 'v' {
            return Err(Failure::ANY);
        }
        let as_type = |ty: Type| convert(value, &ty).map_err(|_| Failure::ANY);
        Ok(match self.mode {
            'v' => match &value.data {
                Data::Text(text) if !self.sharp => self.padded(text),
                Data::Number(number) if !self.sharp => self.padded(&number.format('g', None)),
                _ => json::encode(value).and_then(|it| self.padded(&it)),
            },
            't' => match as_type(Type::Bool)?.data {
                Data::Bool(value) => Some(value.to_string()),
                _ => None,
            },
            'b' | 'd' | 'o' | 'x' | 'X' => match &as_type(Type::Number)?.data {
                Data::Number(number) => self.integer(number)?,
                _ => None,
            },
            'e' | 'E' | 'f' | 'g' | 'G' => match &as_type(Type::Number)?.data {
                Data::Number(number) => self.number(number),
                _ => None,
            },
            's' | 'q' => {
                let text = as_type(Type::Text)?;
                let text = super::text(&text)?;
                let cut = match self.precision {
                    None | Some(0) => Some(text.to_owned()),
                    Some(count) => {
                        let cut = texts::graphemes(text);
                        cut.map(|it| it.iter().take(count).copied().collect())
                    }
                };
                cut.and_then(|text| match self.mode {
                    's' => self.padded(&text),
                    _ => self.padded(&json::quoted(&text)),
                })
            }
            _ => return Err(Failure::ANY),
        })
    }

    fn padded(&self, text: &str) -> Option<String> {
        let Some(width) = self.width else {
            return Some(text.to_owned());
        };
        let length = texts::graphemes(text)?.len();
        let filler = if self.zero { "0" } else { " " };
        let padding = filler.repeat(width.saturating_sub(length));
        Some(match self.minus {
            true => format!("{text}{padding}"),
            false => format!("{padding}{text}"),
        })
    }

    /// As Go's `big.Int` prints itself: <https://pkg.go.dev/math/big#Int.Format>.
    fn integer(&self, number: &Number) -> Result<Option<String>, Failure> {
        let whole = number.as_big().ok_or(Failure::ANY)?;
        let magnitude = whole.magnitude();
        let (digits, prefix) = match self.mode {
            'b' => (format!("{magnitude:b}"), "0b"),
            'o' => (format!("{magnitude:o}"), "0"),
            'x' => (format!("{magnitude:x}"), "0x"),
            'X' => (format!("{magnitude:X}"), "0X"),
            _ => (magnitude.to_string(), ""),
        };
        let prefix = if self.sharp { prefix } else { "" };
        let sign = self.sign(whole.sign() == num_bigint::Sign::Minus);
        let mut zeros = 0;
        if let Some(precision) = self.precision {
            if precision == 0 && digits == "0" {
                return Ok(Some(String::new()));
            }
            zeros = precision.saturating_sub(digits.len());
        }
        let length = sign.len() + prefix.len() + zeros + digits.len();
        let padding = self.width.unwrap_or(0).saturating_sub(length);
        let (mut left, mut right) = (0, 0);
        match (self.minus, self.zero && self.precision.is_none()) {
            (true, true) => return Ok(None),
            (true, false) => right = padding,
            (false, true) => zeros = padding,
            (false, false) => left = padding,
        }
        let (left, right, zeros) = (" ".repeat(left), " ".repeat(right), "0".repeat(zeros));
        Ok(Some(format!("{left}{sign}{prefix}{zeros}{digits}{right}")))
    }

    /// As Go's `big.Float` prints itself: <https://pkg.go.dev/math/big#Float.Format>.
    fn number(&self, number: &Number) -> Option<String> {
        let precision = match (self.precision, self.mode) {
            (Some(precision), _) => Some(precision as u32),
            (None, 'g' | 'G') => None,
            (None, _) => Some(6),
        };
        if self.minus && self.zero || self.sharp {
            return None;
        }
        let text = number.format(self.mode, precision);
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let sign = self.sign(digits.len() < text.len());
        let padding = self
            .width
            .unwrap_or(0)
            .saturating_sub(sign.len() + digits.len());
        let (blanks, zeros) = (" ".repeat(padding), "0".repeat(padding));
        Some(match (self.zero, self.minus) {
            (true, _) => format!("{sign}{zeros}{digits}"),
            (false, true) => format!("{sign}{digits}{blanks}"),
            (false, false) => format!("{blanks}{sign}{digits}"),
        })
    }

    fn sign(&self, negative: bool) -> &'static str {
        match negative {
            true => "-",
            false if self.plus => "+",
            false if self.space => " ",
            false => "",
        }
    }
}

fn formatlist(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (template, arguments) = (text(&it[0])?, &it[1..]);
    let mut length: Option<usize> = None;
    let mut unknown = false;
    for argument in arguments {
        match &argument.data {
            Data::Set(_, elements) if elements.len() > 1 && !argument.is_wholly_known() => {
                unknown = true;
            }
            Data::Tuple(elements) | Data::List(_, elements) | Data::Set(_, elements) => {
                if length.is_some_and(|it| it != elements.len()) {
                    return Err(Failure::ANY);
                }
                length = Some(elements.len());
            }
            Data::Unknown(ty) if !ty.is_primitive() => unknown = true,
            _ => {}
        }
    }
    if unknown {
        return unsupported(Kind::Texts);
    }
    let mut texts = Vec::new();
    for at in 0..length.unwrap_or(1) {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|it| match it.data {
                Data::Tuple(_) | Data::List(..) | Data::Set(..) => it.elements()[at].clone(),
                _ => it.clone(),
            })
            .collect();
        if !arguments.iter().all(Value::is_wholly_known) {
            texts.push(Value::unknown_of(Type::Text));
            continue;
        }
        match format(evaluator, template, &arguments)? {
            Some(text) => texts.push(Value::text(&text)),
            None => return unsupported(Kind::Texts),
        }
    }
    Ok(Data::List(Type::Text, texts.into()).into())
}
