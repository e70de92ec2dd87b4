//! What was meant by a word that is none of the known ones.

/// A known word that is near to one that was written.
pub(super) struct Near<'a> {
    pub(super) word: &'a str,
    /// Whether no other known word is near.
    pub(super) is_only: bool,
}

/// The known word that was meant. `None` when none is near, or two are equally so.
///
/// Near are words that are one or two slips of the pen away, whatever their case; where there is
/// none, one that begins or ends with what was written.
pub(super) fn nearest<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<Near<'a>> {
    let plain = |it: &str| it.to_lowercase().replace('_', "-");
    let word = plain(written);
    let slips = (word.chars().count() / 3).clamp(1, 2);
    let known: Vec<_> = known.into_iter().map(|it| (it, plain(it))).collect();
    let mut near: Vec<_> = known
        .iter()
        .map(|(it, known)| (strsim::damerau_levenshtein(&word, known), *it))
        .filter(|(distance, _)| *distance <= slips)
        .collect();
    if near.is_empty() && word.len() >= 3 {
        let holds = |known: &str| known.starts_with(&word) || known.ends_with(&word);
        let holding = known.iter().filter(|(_, known)| holds(known));
        near.extend(holding.map(|(it, _)| (0, *it)));
    }
    near.sort();
    match near[..] {
        [] => None,
        [(_, word)] => Some(Near {
            word,
            is_only: true,
        }),
        [(first, _), (second, _), ..] if first == second => None,
        [(_, word), ..] => Some(Near {
            word,
            is_only: false,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(written: &str, known: &[&'static str]) -> Option<(&'static str, bool)> {
        let near = nearest(written, known.iter().copied())?;
        Some((near.word, near.is_only))
    }

    #[test]
    fn slips_of_the_pen_case_and_dashes() {
        const CODES: &[&str] = &["lonely-realm", "malformed-realm", "syntax"];
        assert_eq!(meant("lonley-realm", CODES), Some(("lonely-realm", true)));
        assert_eq!(meant("Lonely_Realm", CODES), Some(("lonely-realm", true)));
        assert_eq!(meant("sintax", CODES), Some(("syntax", true)));
        assert_eq!(meant("realm", CODES), None, "two end with it");
        assert_eq!(meant("semantics", CODES), None);
        assert_eq!(meant("", CODES), None);
    }

    #[test]
    fn the_beginning_or_the_end_of_one() {
        const SEVERITIES: &[&str] = &["off", "hint", "information", "warning", "error"];
        assert_eq!(meant("warn", SEVERITIES), Some(("warning", true)));
        assert_eq!(meant("info", SEVERITIES), Some(("information", true)));
        assert_eq!(meant("of", SEVERITIES), Some(("off", true)));
        assert_eq!(meant("on", SEVERITIES), None);
        assert_eq!(
            meant("account", &["live/account", "live/web"]),
            Some(("live/account", true))
        );
    }

    #[test]
    fn of_several_the_nearest_is_not_the_only_one() {
        const STACKS: &[&str] = &["live/web-1", "live/web-2", "live/other"];
        assert_eq!(meant("live/web-3", STACKS), None);
        assert_eq!(meant("live/wob-2", STACKS), Some(("live/web-2", false)));
    }
}
