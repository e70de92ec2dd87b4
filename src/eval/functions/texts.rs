//! Texts: case, trimming, cutting, joining.
//!
//! What Terraform counts as a character is a grapheme cluster of Unicode 15.

use unicode_segmentation::UnicodeSegmentation;

use super::*;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("chomp", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(text(&it[0])?.trim_end_matches(['\r', '\n'])))
    }),
    fixed("endswith", &[TEXT, TEXT], Kind::Bool, |_, it| {
        Ok(Value::bool(text(&it[0])?.ends_with(text(&it[1])?)))
    }),
    fixed("startswith", &[TEXT, TEXT], Kind::Bool, |_, it| {
        Ok(Value::bool(text(&it[0])?.starts_with(text(&it[1])?)))
    }),
    fixed("strcontains", &[TEXT, TEXT], Kind::Bool, |_, it| {
        Ok(Value::bool(text(&it[0])?.contains(text(&it[1])?)))
    }),
    fixed("indent", &[NUMBER, TEXT], Kind::Text, indent),
    variadic("join", &[TEXT], TEXTS, Kind::Text, join),
    fixed("lower", &[TEXT.dynamic()], Kind::Text, |_, it| {
        computed(
            each_char(text(&it[0])?, |c| single(c.to_lowercase())),
            Kind::Text,
        )
    }),
    fixed("upper", &[TEXT.dynamic()], Kind::Text, |_, it| {
        computed(
            each_char(text(&it[0])?, |c| single(c.to_uppercase())),
            Kind::Text,
        )
    }),
    fixed("title", &[TEXT], Kind::Text, title),
    fixed("split", &[TEXT, TEXT], Kind::Texts, split),
    fixed("strrev", &[TEXT.dynamic()], Kind::Text, |_, it| {
        let reversed = graphemes(text(&it[0])?).map(|mut it| {
            it.reverse();
            Value::text(&it.concat())
        });
        computed(reversed, Kind::Text)
    }),
    fixed(
        "substr",
        &[TEXT.dynamic(), NUMBER.dynamic(), NUMBER.dynamic()],
        Kind::Text,
        substr,
    ),
    fixed("trim", &[TEXT, TEXT], Kind::Text, |_, it| {
        let cutset = text(&it[1])?;
        Ok(Value::text(
            text(&it[0])?.trim_matches(|c| cutset.contains(c)),
        ))
    }),
    fixed("trimprefix", &[TEXT, TEXT], Kind::Text, |_, it| {
        let whole = text(&it[0])?;
        Ok(Value::text(
            whole.strip_prefix(text(&it[1])?).unwrap_or(whole),
        ))
    }),
    fixed("trimsuffix", &[TEXT, TEXT], Kind::Text, |_, it| {
        let whole = text(&it[0])?;
        Ok(Value::text(
            whole.strip_suffix(text(&it[1])?).unwrap_or(whole),
        ))
    }),
    fixed("trimspace", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(text(&it[0])?.trim()))
    }),
];

/// The characters of a text; `None` where Unicode 15 and our tables may disagree on them: the
/// conjuncts of Indic scripts.
pub(super) fn graphemes(text: &str) -> Option<Vec<&str>> {
    let indic = |c: char| matches!(c, '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1700}'..='\u{1cff}' | '\u{a800}'..='\u{abff}' | '\u{11000}'..='\u{11fff}');
    if text.chars().any(indic) {
        return None;
    }
    Some(text.graphemes(true).collect())
}

/// Go changes one code point into one.
fn single(mut changed: impl Iterator<Item = char>) -> Option<char> {
    let first = changed.next();
    first.filter(|_| changed.next().is_none())
}

fn each_char(text: &str, change: impl Fn(char) -> Option<char>) -> Option<Value> {
    let changed: Option<String> = text.chars().map(change).collect();
    changed.map(|it| Value::text(&it))
}

/// The first letter of each word: <https://pkg.go.dev/strings#Title>.
fn title(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let mut before = ' ';
    let changed: Option<String> = text(&it[0])?
        .chars()
        .map(|c| {
            let starts = match before {
                c if c.is_ascii() => !(c.is_ascii_alphanumeric() || c == '_'),
                c => c.is_whitespace(),
            };
            before = c;
            match c {
                c if !starts => Some(c),
                c if c.is_ascii() => Some(c.to_ascii_uppercase()),
                // their title case is another one
                '\u{1c4}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}' | '\u{10d0}'..='\u{10ff}' => None,
                c => single(c.to_uppercase()),
            }
        })
        .collect();
    computed(changed.map(|it| Value::text(&it)), Kind::Text)
}

fn indent(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let spaces = usize::try_from(integer(&it[0])?).map_err(|_| Failure::ANY)?;
    let whole = text(&it[1])?;
    let lines = whole.matches('\n').count();
    if !evaluator.spend(spaces.saturating_mul(lines + 1) / 16) {
        return unsupported(Kind::Text);
    }
    let end = format!("\n{}", " ".repeat(spaces));
    Ok(Value::text(&whole.replace('\n', &end)))
}

fn join(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (separator, lists) = it.split_first().ok_or(Failure::ANY)?;
    if lists.is_empty() {
        return Err(Failure::ANY);
    }
    if !lists.iter().all(Value::is_wholly_known) {
        return unsupported(Kind::Text);
    }
    let parts: Result<Vec<&str>, Failure> = lists
        .iter()
        .flat_map(|it| it.elements())
        .map(text)
        .collect();
    let (parts, separator) = (parts?, text(separator)?);
    let length: usize = parts.iter().map(|it| it.len() + separator.len()).sum();
    if !evaluator.spend(length / 16) {
        return unsupported(Kind::Text);
    }
    Ok(Value::text(&parts.join(separator)))
}

fn split(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (separator, whole) = (text(&it[0])?, text(&it[1])?);
    if !evaluator.spend(whole.len() / 4) {
        return unsupported(Kind::Texts);
    }
    if separator.is_empty() {
        let mut buffer = [0; 4];
        let each = whole
            .chars()
            .map(|c| Value::text(c.encode_utf8(&mut buffer)));
        return Ok(Data::List(Type::Text, each.collect()).into());
    }
    Ok(Value::texts(whole.split(separator)))
}

fn substr(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (whole, mut offset, length) = (text(&it[0])?, integer(&it[1])?, integer(&it[2])?);
    let Some(characters) = graphemes(whole) else {
        return unsupported(Kind::Text);
    };
    if offset < 0 {
        offset += characters.len() as i64;
    } else if length == 0 {
        return Ok(Value::text(""));
    }
    let rest = usize::try_from(offset).unwrap_or(0).min(characters.len());
    let rest = &characters[rest..];
    // from a negative offset, no length is all of it
    let count = usize::try_from(length).ok().filter(|it| *it > 0);
    let count = count.map_or(rest.len(), |it| it.min(rest.len()));
    Ok(Value::text(&rest[..count].concat()))
}
