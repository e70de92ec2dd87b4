//! Numbers as text: how Terraform prints them, and the verbs of `format`.
//!
//! A number prints as the shortest decimal that reads back as the same number of the same precision,
//! which is why `0.1 + 0.2` is `0.3`: <https://cs.opensource.google/go/go/+/master:src/math/big/ftoa.go>.

use std::fmt;

use num_bigint::BigUint;

use super::number::Number;

/// Decimal digits: `0.digits · 10^exponent`, without zeros at the end.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// `mantissa · 2^exponent`, exactly.
    fn exact(mantissa: &BigUint, exponent: i64) -> Self {
        let (whole, power) = if exponent >= 0 {
            (mantissa << exponent as u64, 0)
        } else {
            let power = exponent.unsigned_abs() as u32;
            (mantissa * BigUint::from(5u32).pow(power), -i64::from(power))
        };
        if whole.bits() == 0 {
            return Self {
                digits: Vec::new(),
                exponent: 0,
            };
        }
        let mut decimal = Self {
            digits: whole.to_string().into_bytes(),
            exponent: 0,
        };
        decimal.exponent = decimal.digits.len() as i64 + power;
        decimal.trim();
        decimal
    }

    fn trim(&mut self) {
        let zeros = self.digits.iter().rev().take_while(|it| **it == b'0');
        self.digits.truncate(self.digits.len() - zeros.count());
        if self.digits.is_empty() {
            self.exponent = 0;
        }
    }

    fn at(&self, index: i64) -> u8 {
        let index = usize::try_from(index).ok();
        index
            .and_then(|it| self.digits.get(it))
            .copied()
            .unwrap_or(b'0')
    }

    /// To the nearest with `count` digits, a tie going to the even one.
    fn round(&mut self, count: i64) {
        let Ok(count) = usize::try_from(count) else {
            return;
        };
        let Some(next) = self.digits.get(count) else {
            return;
        };
        let tie = *next == b'5' && count + 1 == self.digits.len();
        let up = if tie {
            count > 0 && self.digits[count - 1] % 2 == 1
        } else {
            *next >= b'5'
        };
        self.cut(count, up);
    }

    fn cut(&mut self, mut count: usize, up: bool) {
        if count >= self.digits.len() {
            return;
        }
        if up {
            while count > 0 && self.digits[count - 1] == b'9' {
                count -= 1;
            }
            if count == 0 {
                self.digits = vec![b'1'];
                self.exponent += 1;
                return;
            }
            self.digits[count - 1] += 1;
            self.digits.truncate(count);
        } else {
            self.digits.truncate(count);
            self.trim();
        }
    }

    /// The fewest digits that still tell the number from its neighbours.
    fn shortest(number: &Number) -> Self {
        let mut decimal = Self::exact(&number.mantissa, number.exponent);
        if decimal.digits.is_empty() {
            return decimal;
        }
        // the last bit of `mantissa` is half of the distance to the next number
        let shift = u64::from(number.precision) + 1 - number.mantissa.bits();
        let mantissa = &number.mantissa << shift;
        let exponent = number.exponent - shift as i64;
        let lower = Self::exact(&(&mantissa - 1u32), exponent);
        let upper = Self::exact(&(&mantissa + 1u32), exponent);
        let inclusive = !mantissa.bit(1);
        for index in 0..decimal.digits.len() {
            let digit = decimal.digits[index];
            let low = lower.at(index as i64);
            let high = upper.at(index as i64);
            let down = low != digit || inclusive && index + 1 == lower.digits.len();
            let up =
                digit != high && (inclusive || digit + 1 < high || index + 1 < upper.digits.len());
            match (down, up) {
                (true, true) => decimal.round(index as i64 + 1),
                (true, false) => decimal.cut(index + 1, false),
                (false, true) => decimal.cut(index + 1, true),
                (false, false) => continue,
            }
            break;
        }
        decimal
    }

    /// `123.456`
    fn plain(&self, places: i64, text: &mut String) {
        if self.exponent > 0 {
            text.extend((0..self.exponent).map(|it| char::from(self.at(it))));
        } else {
            text.push('0');
        }
        if places > 0 {
            text.push('.');
            text.extend((0..places).map(|it| char::from(self.at(self.exponent + it))));
        }
    }

    /// `1.23456e+02`
    fn scientific(&self, places: i64, mark: char, text: &mut String) {
        text.push(char::from(self.at(0)));
        if places > 0 {
            text.push('.');
            text.extend((1..=places).map(|it| char::from(self.at(it))));
        }
        let exponent = if self.digits.is_empty() {
            0
        } else {
            self.exponent - 1
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("{mark}{sign}{:02}", exponent.abs()));
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format('f', None))
    }
}

impl Number {
    /// As one of Go's verbs `e`, `E`, `f`, `g`, `G` prints it, with so many digits or as few as say
    /// which number it is.
    pub fn format(&self, verb: char, precision: Option<u32>) -> String {
        let mut text = String::new();
        if self.negative {
            text.push('-');
        }
        let shortest = precision.is_none();
        let mut decimal = match precision {
            None => Decimal::shortest(self),
            Some(_) => Decimal::exact(&self.mantissa, self.exponent),
        };
        let digits = decimal.digits.len() as i64;
        let mut precision = match (precision, verb) {
            (None, 'f') => (digits - decimal.exponent).max(0),
            (None, 'e' | 'E') => digits - 1,
            (None, _) => digits,
            (Some(precision), _) => i64::from(precision),
        };
        match verb {
            _ if shortest => {}
            'f' => decimal.round(decimal.exponent + precision),
            'e' | 'E' => decimal.round(1 + precision),
            _ => {
                precision = precision.max(1);
                decimal.round(precision);
            }
        }
        match verb {
            'f' => decimal.plain(precision, &mut text),
            'e' | 'E' => decimal.scientific(precision, verb, &mut text),
            _ => {
                let digits = decimal.digits.len() as i64;
                let limit = match shortest {
                    true => 6,
                    false if precision > digits && digits >= decimal.exponent => digits,
                    false => precision,
                };
                let exponent = decimal.exponent - 1;
                if exponent < -4 || exponent >= limit {
                    let mark = if verb == 'G' { 'E' } else { 'e' };
                    decimal.scientific(precision.min(digits) - 1, mark, &mut text);
                } else {
                    if precision > decimal.exponent {
                        precision = digits;
                    }
                    decimal.plain((precision - decimal.exponent).max(0), &mut text);
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::number::{Number, Parsed};

    fn number(text: &str) -> Number {
        match Number::parse(text) {
            Parsed::Number(number) => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_number_prints_as_the_shortest_text_that_reads_back() {
        for (text, printed) in [
            ("1", "1"),
            ("-0", "-0"),
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("1.50", "1.5"),
            ("1.", "1"),
            (".5", "0.5"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
            ("1e-7", "0.0000001"),
        ] {
            assert_eq!(number(text).to_string(), printed);
        }
        let sum = number("0.1").plus(&number("0.2")).unwrap();
        assert_eq!(sum.to_string(), "0.3");
        let third = Number::integer(1).over(&Number::integer(3)).unwrap();
        assert_eq!(third.to_string(), "0.33333333333333333334");
    }

    #[test]
    fn verbs_print_as_in_go() {
        for (verb, precision, text, printed) in [
            ('f', Some(6), "1.5", "1.500000"),
            ('f', Some(0), "2.5", "2"),
            ('e', Some(6), "123456789", "1.234568e+08"),
            ('g', None, "100000", "100000"),
            ('g', None, "1000000", "1e+06"),
            ('g', None, "0.00001", "1e-05"),
            ('G', Some(3), "123456", "1.23E+05"),
            ('g', Some(0), "0", "0"),
        ] {
            assert_eq!(
                number(text).format(verb, precision),
                printed,
                "%{verb} {text}"
            );
        }
    }
}
