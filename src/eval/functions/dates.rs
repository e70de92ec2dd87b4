//! Timestamps.
//!
//! <https://github.com/zclconf/go-cty/blob/v1.16.0/cty/function/stdlib/datetime.go>

use super::*;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed(
        "formatdate",
        &[TEXT, TEXT],
        Kind::Text,
        |_, it| match Timestamp::parse(text(&it[1])?) {
            Some(timestamp) => Ok(Value::text(&timestamp.format(text(&it[0])?)?)),
            None => unsupported(Kind::Text),
        },
    ),
    // now is another time
    fixed("plantimestamp", &[], Kind::Text, |_, _| {
        unsupported(Kind::Text)
    }),
    fixed("timestamp", &[], Kind::Text, |_, _| unsupported(Kind::Text)),
    fixed("timeadd", &[TEXT, TEXT], Kind::Text, |_, it| {
        let moment = Timestamp::parse(text(&it[0])?).zip(duration(text(&it[1])?));
        let later = moment.and_then(|(it, by)| it.plus(by));
        computed(later.map(|it| Value::text(&it.to_text())), Kind::Text)
    }),
    fixed("timecmp", &[TEXT, TEXT], Kind::Number, |_, it| {
        let both = Timestamp::parse(text(&it[0])?).zip(Timestamp::parse(text(&it[1])?));
        let order = both.map(|(a, b)| a.instant.cmp(&b.instant) as i64);
        computed(order.map(Value::integer), Kind::Number)
    }),
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];
const SECOND: i128 = 1_000_000_000;

struct Timestamp {
    /// Nanoseconds since 1970, UTC.
    instant: i128,
    /// Seconds that its clock is ahead of UTC.
    offset: i64,
}

/// A [`Timestamp`] on its own clock.
struct Clock {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: usize,
}

impl Timestamp {
    /// As RFC 3339 has it, strictly.
    fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let digits = |from: usize, to: usize| -> Option<i64> {
            let part = bytes.get(from..to)?;
            let all = part.iter().all(u8::is_ascii_digit);
            all.then(|| {
                part.iter()
                    .fold(0, |value, it| value * 10 + i64::from(it - b'0'))
            })
        };
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if !marks.iter().all(|(at, mark)| bytes.get(*at) == Some(mark)) {
            return None;
        }
        let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
        let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut at = 19;
        let mut nanoseconds = 0;
        if bytes.get(at) == Some(&b'.') {
            let count = bytes[at + 1..]
                .iter()
                .take_while(|it| it.is_ascii_digit())
                .count();
            if count == 0 {
                return None;
            }
            let read = count.min(9);
            nanoseconds = digits(at + 1, at + 1 + read)? * 10i64.pow(9 - read as u32);
            at += 1 + count;
        }
        let offset = match &bytes[at..] {
            b"Z" => 0,
            [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
                let (hours, minutes) = (digits(at + 1, at + 3)?, digits(at + 4, at + 6)?);
                if hours > 23 || minutes > 59 {
                    return None;
                }
                let offset = (hours * 60 + minutes) * 60;
                if *sign == b'-' { -offset } else { offset }
            }
            _ => return None,
        };
        let seconds = days_from(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
        Some(Self {
            instant: i128::from(seconds - offset) * SECOND + i128::from(nanoseconds),
            offset,
        })
    }

    /// `None` beyond the years that have four digits.
    fn plus(&self, nanoseconds: i128) -> Option<Self> {
        let later = Self {
            instant: self.instant.checked_add(nanoseconds)?,
            offset: self.offset,
        };
        let years = i128::from(days_from(0, 1, 2))..i128::from(days_from(9999, 12, 31));
        years
            .contains(&(later.instant / SECOND / 86400))
            .then_some(later)
    }

    fn clock(&self) -> Clock {
        let seconds = self.instant.div_euclid(SECOND) as i64 + self.offset;
        let (days, second) = (seconds.div_euclid(86400), seconds.rem_euclid(86400));
        let (year, month, day) = date_of(days);
        Clock {
            year,
            month,
            day,
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
            weekday: days.rem_euclid(7) as usize,
        }
    }

    fn zone(&self, colon: &str) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs() / 60;
        format!("{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60)
    }

    fn short_zone(&self) -> String {
        match self.offset {
            0 => "Z".into(),
            _ => self.zone(":"),
        }
    }

    fn to_text(&self) -> String {
        let it = self.clock();
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}",
            it.year,
            it.month,
            it.day,
            it.hour,
            it.minute,
            it.second,
            self.short_zone()
        )
    }

    fn format(&self, format: &str) -> Result<String, Failure> {
        let clock = self.clock();
        let mut result = String::new();
        let mut rest = format;
        while let Some(c) = rest.chars().next() {
            if c == '\'' {
                rest = quoted(&rest[1..], &mut result)?;
            } else if c.is_ascii_alphabetic() {
                let end = rest.find(|it| it != c).unwrap_or(rest.len());
                result.push_str(&self.part(&clock, c, end)?);
                rest = &rest[end..];
            } else {
                result.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        Ok(result)
    }

    /// What a letter stands for that is written so many times.
    fn part(&self, it: &Clock, letter: char, count: usize) -> Result<String, Failure> {
        let month = MONTHS[it.month as usize - 1];
        let day = DAYS[it.weekday];
        let half = if it.hour < 12 { "am" } else { "pm" };
        let number = match letter {
            'M' => it.month,
            'D' => it.day,
            'h' => it.hour,
            'H' => (it.hour + 11) % 12 + 1,
            'm' => it.minute,
            's' => it.second,
            _ => 0,
        };
        Ok(match (letter, count) {
            ('Y', 2) => format!("{:02}", it.year % 100),
            ('Y', 4) => format!("{:04}", it.year),
            ('M', 3) => month[..3].into(),
            ('M', 4) => month.into(),
            ('E', 3) => day[..3].into(),
            ('E', 4) => day.into(),
            ('M' | 'D' | 'h' | 'H' | 'm' | 's', 1) => number.to_string(),
            ('M' | 'D' | 'h' | 'H' | 'm' | 's', 2) => format!("{number:02}"),
            ('A', 2) => half.to_uppercase(),
            ('a', 2) => half.into(),
            ('Z', 1) => self.short_zone(),
            ('Z', 3) if self.offset == 0 => "UTC".into(),
            ('Z', 3 | 4) => self.zone(""),
            ('Z', 5) => self.zone(":"),
            _ => return Err(Failure::ANY),
        })
    }
}

/// Text behind an opening quote, in which a doubled quote stands for one.
fn quoted<'a>(rest: &'a str, result: &mut String) -> Result<&'a str, Failure> {
    if let Some(rest) = rest.strip_prefix('\'') {
        result.push('\'');
        return Ok(rest);
    }
    let mut rest = rest;
    loop {
        let end = rest.find('\'').ok_or(Failure::ANY)?;
        result.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => rest = after,
            None => return Ok(rest),
        }
        result.push('\'');
    }
}

/// Days from 1970 to a date: <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>.
fn days_from(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The way back.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12 + 1;
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// `1h30m` in nanoseconds; `None` if we do not read it. <https://pkg.go.dev/time#ParseDuration>
fn duration(text: &str) -> Option<i128> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total = 0i128;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (whole, fraction) = rest[..end].split_once('.').unwrap_or((&rest[..end], ""));
        rest = &rest[end..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.');
        let (unit, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        let unit: i128 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => SECOND,
            "m" => 60 * SECOND,
            "h" => 3600 * SECOND,
            _ => return None,
        };
        if whole.len() + fraction.len() == 0 || whole.len() > 12 || fraction.len() > 9 {
            return None;
        }
        let whole: i128 = if whole.is_empty() {
            0
        } else {
            whole.parse().ok()?
        };
        let scale = 10i128.pow(fraction.len() as u32);
        let fraction: i128 = if fraction.is_empty() {
            0
        } else {
            fraction.parse().ok()?
        };
        total += whole * unit + fraction * unit / scale;
    }
    let total = if negative { -total } else { total };
    i64::try_from(total).is_ok().then_some(total)
}
