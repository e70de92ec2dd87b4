//! Numbers.

use num_bigint::BigInt;

use super::*;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed(
        "abs",
        &[NUMBER.dynamic().marked()],
        Kind::Number,
        |_, it| Ok(Value::from(number(&it[0])?.magnitude()).marked(it[0].sensitive)),
    ),
    fixed("ceil", &[NUMBER], Kind::Number, |_, it| {
        computed(number(&it[0])?.whole(true), Kind::Number)
    }),
    fixed("floor", &[NUMBER], Kind::Number, |_, it| {
        computed(number(&it[0])?.whole(false), Kind::Number)
    }),
    // the last digit depends on the machine
    fixed("log", &[NUMBER, NUMBER], Kind::Number, |_, _| {
        unsupported(Kind::Number)
    }),
    variadic("max", &[], NUMBER.dynamic(), Kind::Number, |_, it| {
        best(it, true)
    }),
    variadic("min", &[], NUMBER.dynamic(), Kind::Number, |_, it| {
        best(it, false)
    }),
    fixed(
        "parseint",
        &[ANY.marked().unknown(), NUMBER.marked().unknown()],
        Kind::Number,
        parseint,
    ),
    fixed("pow", &[NUMBER, NUMBER], Kind::Number, pow),
    fixed("signum", &[NUMBER], Kind::Number, |_, it| {
        Ok(Value::integer(integer(&it[0])?.signum()))
    }),
];

fn best(numbers: &[Value], greatest: bool) -> Outcome {
    let mut best: Option<&Value> = None;
    for it in numbers {
        let better = match best {
            None => true,
            Some(best) => {
                let order = number(it)?.compare(number(best)?);
                if greatest {
                    order.is_gt()
                } else {
                    order.is_lt()
                }
            }
        };
        if better {
            best = Some(it);
        }
    }
    best.cloned().ok_or(Failure::ANY)
}

fn parseint(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let hidden = it[0].sensitive || it[1].sensitive;
    match &it[0].data {
        Data::Text(_) => {}
        Data::Unknown(Type::Text | Type::Unsure) => {
            return Ok(Value::unknown_of(Type::Number).marked(hidden));
        }
        _ => return Err(Failure::ANY),
    }
    if !it[1].is_known() {
        return Ok(Value::unknown_of(Type::Number).marked(hidden));
    }
    let (digits, base) = (text(&it[0])?, integer(&it[1])?);
    let base = u32::try_from(base).ok().filter(|it| (2..=62).contains(it));
    let base = base.ok_or(Failure::ANY)?;
    if digits.len() > 2048 {
        return unsupported(Kind::Number);
    }
    let (negative, digits) = match digits.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    if digits.is_empty() {
        return Err(Failure::ANY);
    }
    let mut value = BigInt::from(0);
    for digit in digits {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'z' => digit - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => digit - b'A' + 10,
            b'A'..=b'Z' => digit - b'A' + 36,
            _ => return Err(Failure::ANY),
        };
        if u32::from(digit) >= base {
            return Err(Failure::ANY);
        }
        value = value * base + digit;
    }
    let value = if negative { -value } else { value };
    Ok(computed(Number::big(&value), Kind::Number)?.marked(hidden))
}

/// Exact powers only: of others the last digit is Go's own.
fn pow(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (base, power) = (number(&it[0])?.as_integer(), number(&it[1])?.as_integer());
    let exact = match (base, power) {
        (Some(base), Some(power @ 0..=62)) => base.checked_pow(power as u32),
        _ => None,
    };
    let exact = exact.filter(|it| it.unsigned_abs() < 1 << 53);
    computed(exact.and_then(|it| Number::float(it as f64)), Kind::Number)
}
