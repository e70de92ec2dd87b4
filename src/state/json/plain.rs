//! The values of JSON that have neither quotes nor brackets.

/// The length of the number or the word with which the bytes begin, and behind which they have
/// spaces alone. Else which byte should not be there (the one behind the last, where more should
/// follow), and why.
pub(super) fn length(bytes: &[u8]) -> Result<usize, (usize, &'static str)> {
    let (found, what) = match bytes.first() {
        Some(b't') => (word(bytes, b"true"), "expected ident"),
        Some(b'f') => (word(bytes, b"false"), "expected ident"),
        Some(b'n') => (word(bytes, b"null"), "expected ident"),
        Some(b'-' | b'0'..=b'9') => (number(bytes), "invalid number"),
        _ => (Err(0), "expected value"),
    };
    let length = found.map_err(|at| (at, what))?;
    match bytes.get(length) {
        None | Some(b' ' | b'\n' | b'\r' | b'\t') => Ok(length),
        Some(_) => Err((length, what)),
    }
}

fn word(bytes: &[u8], word: &[u8]) -> Result<usize, usize> {
    let same = bytes.iter().zip(word).take_while(|(a, b)| a == b).count();
    if same == word.len() {
        Ok(same)
    } else {
        Err(same)
    }
}

fn number(run: &[u8]) -> Result<usize, usize> {
    let digits = |from: usize| {
        let count = run[from..].iter().take_while(|it| it.is_ascii_digit());
        match count.count() {
            0 => Err(from),
            count => Ok(from + count),
        }
    };
    let start = usize::from(run[0] == b'-');
    let mut at = digits(start)?;
    if run[start] == b'0' && at > start + 1 {
        return Err(start + 1);
    }
    if run.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = run.get(at) {
        let sign = matches!(run.get(at + 1), Some(b'+' | b'-'));
        at = digits(at + 1 + usize::from(sign))?;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_quotes_is_proven() {
        for good in [
            "0", "-0", "7", "-10.50", "1e9", "0.1E-7", "2e+0", "true", "false", "null",
        ] {
            assert_eq!(length(good.as_bytes()), Ok(good.len()), "{good}");
            assert_eq!(length(format!("{good}\r\n ").as_bytes()), Ok(good.len()));
        }
        for (bad, at) in [
            ("", 0),
            ("-", 1),
            ("01", 1),
            ("-01", 2),
            ("1.", 2),
            ("1.e", 2),
            ("1e", 2),
            ("1e+", 3),
            ("1x", 1),
            (".5", 0),
            ("+1", 0),
            ("tru", 3),
            ("trux", 3),
            ("nulls", 4),
            ("x", 0),
        ] {
            assert_eq!(length(bad.as_bytes()).map_err(|it| it.0), Err(at), "{bad}");
        }
    }
}
