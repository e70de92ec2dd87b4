//! Regular expressions, and `replace`.
//!
//! Terraform's are Go's, whose syntax is RE2's: <https://github.com/google/re2/wiki/Syntax>. The part of
//! it that means the same to both is translated; a pattern with anything else in it is unknown.

use std::sync::Arc;

use regex::{Captures, Regex, RegexBuilder};

use super::*;
use crate::eval::value::Entry;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("regex", &[TEXT, TEXT], Kind::Any, |_, it| {
        let Some((regex, shape)) = compile(text(&it[0])?) else {
            return unsupported(Kind::Any);
        };
        if let Shape::Mixed = shape {
            return Err(Failure::ANY);
        }
        let captures = regex.captures(text(&it[1])?).ok_or(Failure::ANY)?;
        Ok(shape.result(&regex, &captures))
    }),
    fixed("regexall", &[TEXT, TEXT], Kind::Any, |evaluator, it| {
        let Some((regex, shape)) = compile(text(&it[0])?) else {
            return unsupported(Kind::Any);
        };
        if let Shape::Mixed = shape {
            return Err(Failure::ANY);
        }
        let all = regex.captures_iter(text(&it[1])?);
        let found: Vec<Value> = all.map(|it| shape.result(&regex, &it)).collect();
        if !evaluator.spend(found.len()) {
            return unsupported(Kind::Any);
        }
        Ok(Data::List(shape.ty(&regex), found.into()).into())
    }),
    fixed("replace", &[TEXT, TEXT, TEXT], Kind::Text, replace),
];

fn replace(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (whole, searched, by) = (text(&it[0])?, text(&it[1])?, text(&it[2])?);
    let most = whole.len().saturating_add(1).saturating_mul(by.len());
    if most > 1 << 16 && !evaluator.spend(most / 16) {
        return unsupported(Kind::Text);
    }
    let pattern = searched
        .strip_prefix('/')
        .and_then(|it| it.strip_suffix('/'));
    let Some(pattern) = pattern else {
        return Ok(Value::text(&whole.replace(searched, by)));
    };
    // a reference to a group can be as long as the text each time it occurs
    let references = by.matches('$').count();
    let most = whole
        .len()
        .saturating_mul(whole.len())
        .saturating_mul(references);
    if !by.is_ascii() || most > 1 << 16 && !evaluator.spend(most / 16) {
        return unsupported(Kind::Text);
    }
    let Some((regex, _)) = compile(pattern) else {
        return unsupported(Kind::Text);
    };
    Ok(Value::text(&regex.replace_all(whole, by)))
}

/// What a match is as a value.
enum Shape {
    /// No groups: the text that matched.
    Whole,
    /// Groups without names: a tuple of what each matched.
    Tuple,
    /// Groups with names: an object.
    Object,
    /// Some with and some without, which is an error.
    Mixed,
}

impl Shape {
    fn ty(&self, regex: &Regex) -> Type {
        let names = || regex.capture_names().skip(1);
        match self {
            Shape::Whole | Shape::Mixed => Type::Text,
            Shape::Tuple => Type::Tuple(names().map(|_| Type::Text).collect()),
            Shape::Object => {
                let mut names: Vec<Arc<str>> = names().flatten().map(Arc::from).collect();
                names.sort();
                Type::Object(names.into_iter().map(|it| (it, Type::Text)).collect())
            }
        }
    }

    fn result(&self, regex: &Regex, captures: &Captures<'_>) -> Value {
        let group = |at: usize| match captures.get(at) {
            Some(it) => Value::text(it.as_str()),
            None => Value::null(Type::Text),
        };
        match self {
            Shape::Whole | Shape::Mixed => group(0),
            Shape::Tuple => Value::tuple((1..captures.len()).map(group).collect::<Vec<_>>()),
            Shape::Object => {
                let names = regex.capture_names().enumerate();
                let named = names.filter_map(|(at, name)| Some(Entry::new(name?, group(at))));
                Value::object(named.collect())
            }
        }
    }
}

fn compile(pattern: &str) -> Option<(Regex, Shape)> {
    let regex = RegexBuilder::new(&translate(pattern)?)
        .size_limit(1 << 20)
        .build()
        .ok()?;
    let named = regex.capture_names().skip(1).flatten().count();
    let all = regex.captures_len() - 1;
    let shape = match (named, all) {
        (0, 0) => Shape::Whole,
        (0, _) => Shape::Tuple,
        (named, all) if named == all => Shape::Object,
        _ => Shape::Mixed,
    };
    Some((regex, shape))
}

/// The pattern in our syntax; `None` where it may mean something else to us.
fn translate(pattern: &str) -> Option<String> {
    let mut translated = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let c = rest.chars().next()?;
                rest = &rest[c.len_utf8()..];
                translated.push_str(&escape(c, false)?);
            }
            '[' => rest = class(rest, &mut translated)?,
            '(' if rest.starts_with('?') => rest = group(rest, &mut translated)?,
            // a brace that is no repetition stands for itself to Go
            '{' => {
                let end = rest.find('}')?;
                let count = &rest[..end];
                let (least, most) = count.split_once(',').unwrap_or((count, count));
                let digits = |it: &str| it.len() < 4 && it.bytes().all(|it| it.is_ascii_digit());
                if least.is_empty() || !digits(least) || !digits(most) {
                    return None;
                }
                translated.push_str(&format!("{{{count}}}"));
                rest = &rest[end + 1..];
            }
            '}' | ']' => {
                translated.push('\\');
                translated.push(c);
            }
            // `a**` is an error to Go
            '*' | '+' | '?' => {
                let lazy = rest.starts_with('?');
                rest = &rest[usize::from(lazy)..];
                if rest.starts_with(['*', '+', '?', '{']) {
                    return None;
                }
                translated.push(c);
                if lazy {
                    translated.push('?');
                }
            }
            c => translated.push(c),
        }
    }
    Some(translated)
}

/// `(?…`, of which the `(` has been read.
fn group<'a>(rest: &'a str, translated: &mut String) -> Option<&'a str> {
    if let Some(named) = rest.strip_prefix("?P<").or_else(|| rest.strip_prefix("?<")) {
        let end = named.find('>')?;
        let name = &named[..end];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || !name.chars().all(word)
        {
            return None;
        }
        translated.push_str(&format!("(?P<{name}>"));
        return Some(&named[end + 1..]);
    }
    let end = rest.find([':', ')'])?;
    let flags = &rest[1..end];
    let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
    let known = |it: &str| it.chars().all(|c| "ims".contains(c));
    if !known(on) || !known(off) || flags.ends_with('-') {
        return None;
    }
    // folding differs from one version of Unicode to the next, for letters beyond ASCII only
    translated.push('(');
    translated.push_str(&rest[..=end]);
    if rest[end..].starts_with(')') && flags.is_empty() {
        return None;
    }
    Some(&rest[end + 1..])
}

/// What follows a backslash.
fn escape(c: char, in_class: bool) -> Option<String> {
    Some(match (c, in_class) {
        // to Go these are ASCII's
        ('d', false) => "[0-9]".into(),
        ('D', false) => "[^0-9]".into(),
        ('w', false) => "[0-9A-Za-z_]".into(),
        ('W', false) => "[^0-9A-Za-z_]".into(),
        ('s', false) => r"[\t\n\x0c\r ]".into(),
        ('S', false) => r"[^\t\n\x0c\r ]".into(),
        ('d', true) => "0-9".into(),
        ('w', true) => "0-9A-Za-z_".into(),
        ('s', true) => r"\t\n\x0c\r ".into(),
        ('b', false) => r"(?-u:\b)".into(),
        ('A', false) => r"\A".into(),
        ('z', false) => r"\z".into(),
        ('t' | 'n' | 'r' | 'f' | 'v' | 'a', _) => format!("\\{c}"),
        (c, _) if c.is_ascii_punctuation() => format!("\\{c}"),
        _ => return None,
    })
}

/// `[…]`, of which the `[` has been read.
fn class<'a>(rest: &'a str, translated: &mut String) -> Option<&'a str> {
    let mut rest = rest;
    translated.push('[');
    if let Some(after) = rest.strip_prefix('^') {
        translated.push('^');
        rest = after;
    }
    let mut first = true;
    loop {
        let c = rest.chars().next()?;
        if rest.starts_with("[:") {
            let end = rest.find(":]")? + 2;
            let name = &rest[2..end - 2];
            if !name.bytes().all(|it| it.is_ascii_lowercase()) {
                return None;
            }
            translated.push_str(&rest[..end]);
            rest = &rest[end..];
            first = false;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            ']' if !first => {
                translated.push(']');
                return Some(rest);
            }
            '\\' => {
                let c = rest.chars().next()?;
                rest = &rest[c.len_utf8()..];
                translated.push_str(&escape(c, true)?);
            }
            // to us these could be operators
            '[' | ']' | '&' | '~' | '^' => {
                translated.push('\\');
                translated.push(c);
            }
            // a range, or itself at either end
            '-' if first || rest.starts_with(']') => translated.push_str("\\-"),
            '-' if rest.starts_with(['-', '[']) => return None,
            c => translated.push(c),
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_translated_only_where_it_means_the_same() {
        for (pattern, translated) in [
            (r"^\d+$", Some(r"^[0-9]+$")),
            (r"[\w.-]+", Some(r"[0-9A-Za-z_.\-]+")),
            (r"(?P<a>x)(?:y)", Some(r"(?P<a>x)(?:y)")),
            (r"[[:alpha:]&&x]", Some(r"[[:alpha:]\&\&x]")),
            (r"a{2,3}}", Some(r"a{2,3}\}")),
            (r"\pL", None),
            (r"\Qa\E", None),
            (r"(?x) a", None),
            (r"a**", None),
            (r"a{,3}", None),
            (r"(?=a)", None),
        ] {
            assert_eq!(translate(pattern).as_deref(), translated, "{pattern}");
        }
    }
}
