//! Numbers as Terraform has them: binary floating point of up to 512 bits, each with its precision.
//!
//! The precision is part of what a number prints as: `1 / 3` has 512 bits and `length(a) / length(b)`
//! has 64. Knows nothing of values. What would take an unreasonable amount of memory is `None`.
//!
//! Terraform's numbers are Go's `big.Float`: <https://pkg.go.dev/math/big#Float>.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

/// The precision of a number that was read from text, in bits.
const TEXT_PRECISION: u32 = 512;

/// How far a number's last bit may be from the point, in bits.
const REACH: i64 = 1 << 14;

/// A number: `±mantissa · 2^exponent`, and how many bits its mantissa may have.
#[derive(Clone, PartialEq, Debug)]
pub struct Number {
    pub(super) negative: bool,
    /// Odd, or zero.
    pub(super) mantissa: BigUint,
    pub(super) exponent: i64,
    pub(super) precision: u32,
}

/// What a text is as a number.
#[derive(Clone, Debug)]
pub enum Parsed {
    /// A number.
    Number(Number),
    /// No number.
    Invalid,
    /// Terraform may read it as a number, and we do not: an infinity, a huge exponent.
    Unsupported,
}

impl Number {
    /// The nearest number of `precision` bits, a tie going to the even one.
    fn rounded(negative: bool, mantissa: BigUint, exponent: i64, precision: u32) -> Option<Self> {
        Self::nearest(negative, mantissa, exponent, precision, false)
    }

    /// The same where `more` says that a little more than `mantissa` is meant.
    fn nearest(
        negative: bool,
        mut mantissa: BigUint,
        mut exponent: i64,
        precision: u32,
        more: bool,
    ) -> Option<Self> {
        let excess = mantissa.bits().saturating_sub(u64::from(precision));
        if excess > 0 {
            let half = mantissa.bit(excess - 1);
            let below = mantissa.trailing_zeros().unwrap_or(0) < excess - 1 || more;
            mantissa >>= excess;
            if half && (below || mantissa.bit(0)) {
                mantissa += 1u32;
            }
            exponent += excess as i64;
        }
        let zeros = mantissa.trailing_zeros().unwrap_or(0);
        mantissa >>= zeros;
        exponent += zeros as i64;
        if mantissa.bits() == 0 {
            exponent = 0;
        }
        let fits = exponent.abs() <= REACH && mantissa.bits() <= REACH as u64;
        fits.then_some(Self {
            negative,
            mantissa,
            exponent,
            precision,
        })
    }

    /// A count, with the 64 bits that Go gives it.
    pub fn integer(value: i64) -> Self {
        let mantissa = BigUint::from(value.unsigned_abs());
        Self::rounded(value < 0, mantissa, 0, 64).expect("64 bits fit")
    }

    /// An integer of any size, with as many bits as it needs, 64 at the least.
    pub fn big(value: &BigInt) -> Option<Self> {
        let precision = u32::try_from(value.bits()).ok()?.max(64);
        let negative = value.sign() == Sign::Minus;
        Self::rounded(negative, value.magnitude().clone(), 0, precision)
    }

    /// A finite `f64`, with its 53 bits.
    pub fn float(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = match (bits >> 52) & 0x7ff {
            0 => (fraction, -1074),
            exponent => (fraction | 1 << 52, exponent as i64 - 1075),
        };
        Self::rounded(value.is_sign_negative(), mantissa.into(), exponent, 53)
    }

    /// What a decimal text says.
    pub fn parse(text: &str) -> Parsed {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        if rest == "Inf" || rest == "inf" {
            return Parsed::Unsupported;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (mantissa, exponent) = rest.split_at(end.unwrap_or(rest.len()));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Parsed::Invalid;
        }
        let mut power = -(fraction.len() as i64);
        if !exponent.is_empty() {
            // for Go, `1p3` is eight
            if exponent.starts_with(['p', 'P']) {
                return Parsed::Unsupported;
            }
            let Some(digits) = exponent.strip_prefix(['e', 'E']) else {
                return Parsed::Invalid;
            };
            let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
            if unsigned.is_empty() || !unsigned.bytes().all(|it| it.is_ascii_digit()) {
                return Parsed::Invalid;
            }
            let Ok(exponent) = digits.parse::<i32>() else {
                return Parsed::Unsupported;
            };
            power += i64::from(exponent);
        }
        // with a larger power of five Go rounds twice
        if power.abs() > 240 || mantissa.len() > 4096 {
            return Parsed::Unsupported;
        }
        let digits = [whole, fraction].concat();
        let Some(digits) = BigUint::parse_bytes(digits.as_bytes(), 10) else {
            return Parsed::Invalid;
        };
        let scaled = if power >= 0 {
            let value = digits * BigUint::from(10u32).pow(power as u32);
            // a whole number is not rounded twice either
            Self::rounded(negative, value, 0, TEXT_PRECISION)
        } else {
            let ten = BigUint::from(10u32).pow(power.unsigned_abs() as u32);
            Self::quotient(negative, &digits, &ten, 0, TEXT_PRECISION)
        };
        scaled.map_or(Parsed::Unsupported, Parsed::Number)
    }

    /// `±dividend / divisor · 2^exponent`
    fn quotient(
        negative: bool,
        dividend: &BigUint,
        divisor: &BigUint,
        exponent: i64,
        precision: u32,
    ) -> Option<Self> {
        let wanted = u64::from(precision) + 2 + divisor.bits();
        let shift = wanted.saturating_sub(dividend.bits());
        let dividend = dividend << shift;
        let result = &dividend / divisor;
        let more = &result * divisor != dividend;
        Self::nearest(negative, result, exponent - shift as i64, precision, more)
    }

    /// Whether it is zero, of either sign.
    pub fn is_zero(&self) -> bool {
        self.mantissa.bits() == 0
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    /// The whole number that remains without the fraction.
    pub fn truncated(&self) -> BigInt {
        let magnitude = if self.exponent >= 0 {
            &self.mantissa << self.exponent as u64
        } else {
            &self.mantissa >> self.exponent.unsigned_abs()
        };
        let sign = if self.negative {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_biguint(sign, magnitude)
    }

    /// The whole number that it is.
    pub fn as_big(&self) -> Option<BigInt> {
        self.is_whole().then(|| self.truncated())
    }

    /// The whole number that it is, if it is not too large.
    pub fn as_integer(&self) -> Option<i64> {
        self.as_big().and_then(|it| i64::try_from(it).ok())
    }

    /// With the other sign; zero has one too.
    pub fn negated(&self) -> Self {
        Self {
            negative: !self.negative,
            ..self.clone()
        }
    }

    /// Without its sign.
    pub fn magnitude(&self) -> Self {
        Self {
            negative: false,
            ..self.clone()
        }
    }

    /// The next whole number towards an infinity, or the number if it is one.
    pub fn whole(&self, upwards: bool) -> Option<Self> {
        let mut whole = self.truncated();
        if !self.is_whole() && self.negative != upwards {
            whole += if upwards { 1 } else { -1 };
        }
        let negative = whole.sign() == Sign::Minus;
        Self::rounded(negative, whole.magnitude().clone(), 0, self.precision)
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.plus_within(other, self.precision.max(other.precision))
    }

    fn plus_within(&self, other: &Self, precision: u32) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let signed = |it: &Self| {
            let sign = if it.negative { Sign::Minus } else { Sign::Plus };
            BigInt::from_biguint(sign, &it.mantissa << (it.exponent - exponent) as u64)
        };
        let sum = signed(self) + signed(other);
        let negative = match sum.sign() {
            Sign::Minus => true,
            Sign::NoSign => self.negative && other.negative && self.is_zero() && other.is_zero(),
            Sign::Plus => false,
        };
        Self::rounded(negative, sum.into_parts().1, exponent, precision)
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.negated())
    }

    /// The product, with more precision than its factors have where it needs more.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let precision = self.precision.max(other.precision);
        let product = self.times_within(other, 512)?;
        let needed = product.mantissa.bits() as u32;
        Some(Self {
            precision: precision.max(needed),
            ..product
        })
    }

    fn times_within(&self, other: &Self, precision: u32) -> Option<Self> {
        Self::rounded(
            self.negative != other.negative,
            &self.mantissa * &other.mantissa,
            self.exponent + other.exponent,
            precision,
        )
    }

    /// The quotient; `None` for a divisor of zero, where Terraform has infinities.
    pub fn over(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        Self::quotient(
            self.negative != other.negative,
            &self.mantissa,
            &other.mantissa,
            self.exponent - other.exponent,
            self.precision.max(other.precision),
        )
    }

    /// The remainder of a division that truncates; by zero, the number itself.
    pub fn modulo(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return Some(self.clone());
        }
        let whole = self.over(other)?.truncated();
        let negative = whole.sign() == Sign::Minus;
        let times = Self::rounded(negative, whole.magnitude().clone(), 0, self.precision)?;
        let product = other.times_within(&times, self.precision)?;
        self.plus_within(&product.negated(), self.precision)
    }

    /// Which is smaller.
    pub fn compare(&self, other: &Self) -> Ordering {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |it: &Self| &it.mantissa << (it.exponent - exponent) as u64;
        match (
            self.negative && !self.is_zero(),
            other.negative && !other.is_zero(),
        ) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => scaled(self).cmp(&scaled(other)),
            (true, true) => scaled(other).cmp(&scaled(self)),
        }
    }

    /// Whether Terraform calls them equal: whole numbers exactly, others by what they print as.
    pub fn equals(&self, other: &Self) -> bool {
        if self.is_whole() || other.is_whole() {
            return self.compare(other) == Ordering::Equal;
        }
        self.negative == other.negative && self.to_string() == other.to_string()
    }
}
