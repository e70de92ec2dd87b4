//! The comment that opts a block out: `gantrycd:resource-identity: ignore=true`.

use crate::text::Span;

use super::IDENTITY_TAG;

/// What a comment says to gantrycd.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directive {
    /// Well formed: `ignore=true` or `ignore=false`.
    Ignore {
        /// Whether it opts out.
        ignore: bool,
        /// From the key to the value, in bytes of the comment.
        span: Span,
    },
    /// Meant to be one, but not honoured.
    NearMiss {
        /// What is wrong with it.
        fault: Fault,
        /// What `ignore` was to be, where that is plain.
        meant: Option<bool>,
        /// From what stands for the key to what stands for the value, in bytes of the comment.
        span: Span,
    },
}

/// What is wrong with a comment that was meant to opt out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Another separator, another case or a slip of the pen: what stands where the key must.
    Key(Box<str>),
    /// No colon behind the key.
    NoColon,
    /// A parameter other than `ignore`.
    Parameter(Box<str>),
    /// `ignore` without a value.
    NoValue,
    /// A value other than `true` and `false`.
    Value(Box<str>),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Key(key) => write!(f, "the key is `{IDENTITY_TAG}`, not `{key}`"),
            Fault::NoColon => write!(f, "a colon is missing behind `{IDENTITY_TAG}`"),
            Fault::Parameter(name) => {
                write!(f, "the only parameter is `ignore`, not `{name}`")
            }
            Fault::NoValue => f.write_str("`ignore` has no value; it takes `true` or `false`"),
            Fault::Value(value) => {
                write!(f, "`ignore` takes `true` or `false`, not `{value}`")
            }
        }
    }
}

/// The well-formed directive, as it is written by a quick fix.
pub const IGNORE: &str = "gantrycd:resource-identity: ignore=true";

/// The one that opts nothing out.
pub const IGNORE_NOT: &str = "gantrycd:resource-identity: ignore=false";

/// Every directive in the text of one comment, marks included or not.
///
/// Other tools' text may stand around one. Prose that names the key without `ignore` is none, and
/// neither is a tag that was commented out.
pub fn directives(comment: &str) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((start, end)) = next_word(comment, from) {
        from = end;
        if let Some(directive) = at_key(comment, start, end) {
            let (Directive::Ignore { span, .. } | Directive::NearMiss { span, .. }) = &directive;
            from = span.end as usize;
            found.push(directive);
        }
    }
    found
}

/// The next run of the characters that may stand in a key, or in what was meant to be one.
fn next_word(text: &str, from: usize) -> Option<(usize, usize)> {
    let part =
        |c: char| c.is_alphanumeric() || matches!(c, ':' | '.' | '_' | '-' | '/' | '"' | '=');
    let start = from + text[from..].find(part)?;
    let length = text[start..]
        .find(|c| !part(c))
        .unwrap_or(text.len() - start);
    Some((start, start + length))
}

/// Reads a directive whose key is, or was meant to be, the word from `start` to `end`.
fn at_key(text: &str, start: usize, end: usize) -> Option<Directive> {
    let word = &text[start..end];
    // `//gantrycd:…` and `/*gantrycd:…` without a space behind the mark
    let marks = word.len() - word.trim_start_matches('/').len();
    let (start, word) = (start + marks, &word[marks..]);
    // the key ends at the colon that follows it, or where the word does
    let exact = word
        .strip_prefix(IDENTITY_TAG)
        .filter(|rest| rest.is_empty() || rest.starts_with(':'));
    let (key, fault) = match exact {
        Some(_) => (IDENTITY_TAG.len(), None),
        None => {
            let key = meant_key(word)?;
            (key, Some(Fault::Key(word[..key].into())))
        }
    };
    let mut rest = Cursor {
        text,
        at: start + key,
    };
    rest.space();
    let colon = rest.eat(':');
    if colon {
        rest.space();
    }
    let name_start = rest.at;
    let name = rest.word()?;
    let after_name = rest.at;
    rest.space();
    let equals = rest.eat('=');
    let miss = |fault, meant, end| {
        Some(Directive::NearMiss {
            fault,
            meant,
            span: Span::new(start, end),
        })
    };
    if !name.eq_ignore_ascii_case("ignore") {
        // only what is written as a parameter is one; anything else is prose
        let parameter = fault.is_none() && colon && equals && rest.parameter_value();
        return parameter
            .then(|| miss(Fault::Parameter(name.into()), None, rest.at))
            .flatten();
    }
    if !equals {
        // `ignore` as the last word, or before a value, was meant as the parameter
        let here = rest.at;
        let value_follows = rest.eat(':') || here > after_name;
        rest.space();
        let value = rest.word().filter(|_| value_follows);
        return match value {
            Some(value) => {
                let truth = truth(value)?;
                // `ignore no longer needed` says nothing plainly
                let line = text[rest.at..].lines().next().unwrap_or_default();
                let is_last = line.trim_end_matches("*/").trim().is_empty();
                let meant = is_last.then_some(truth);
                miss(fault.unwrap_or(Fault::NoValue), meant, rest.at)
            }
            None if text[after_name..].trim_end_matches("*/").trim().is_empty() => {
                miss(fault.unwrap_or(Fault::NoValue), None, after_name)
            }
            None => None,
        };
    }
    rest.space();
    let value_start = rest.at;
    let value = rest.value();
    let end = if value.is_empty() {
        value_start
    } else {
        rest.at
    };
    let meant = truth(value.trim_matches(['"', '\'', '`']));
    if let Some(fault) = fault {
        return miss(fault, meant, end);
    }
    if !colon {
        return miss(Fault::NoColon, meant, end);
    }
    if name != "ignore" {
        let fault = Fault::Parameter(text[name_start..after_name].into());
        return miss(fault, meant, end);
    }
    let ignore = match value {
        "true" => true,
        "false" => false,
        "" => return miss(Fault::NoValue, None, after_name),
        other => return miss(Fault::Value(other.into()), meant, end),
    };
    Some(Directive::Ignore {
        ignore,
        span: Span::new(start, end),
    })
}

/// Length of the part of `word` that was meant to be the key: the key in another case, with other
/// separators, or with at most two slips.
fn meant_key(word: &str) -> Option<usize> {
    let end = word.trim_end_matches([':', '=', '.']).len();
    // `gantrycd:resource-identity:ignore=true` without white space, with a slip in the key
    let end = word[..end]
        .to_ascii_lowercase()
        .rfind("ignore")
        .filter(|at| *at > 0)
        .map_or(end, |at| {
            word[..at].trim_end_matches([':', '.', '-', '/', '_']).len()
        });
    let plain: String = word[..end]
        .to_lowercase()
        .replace(['.', '_', '/', ' '], "-")
        .replace(':', "-");
    let key = IDENTITY_TAG.replace(':', "-");
    (strsim::damerau_levenshtein(&plain, &key) <= 2).then_some(end)
}

/// What a word that plainly says yes or no says.
fn truth(word: &str) -> Option<bool> {
    match &*word.to_ascii_lowercase() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// Up to white space, a separator of a list, or the end of the comment.
    fn value(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '#' | ')' | '*'))
            .unwrap_or(rest.len());
        // `ignore=true.` and `ignore=true:` end a sentence
        let value = rest[..end].trim_end_matches(['.', ':', '!']);
        self.at += value.len();
        value
    }

    fn parameter_value(&mut self) -> bool {
        self.space();
        !self.value().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(comment: &str) -> Option<Directive> {
        let mut found = directives(comment);
        assert!(found.len() < 2, "{comment}: {found:?}");
        found.pop()
    }

    #[test]
    fn well_formed() {
        for (comment, ignore, covered) in [
            ("# gantrycd:resource-identity: ignore=true", true, IGNORE),
            ("//gantrycd:resource-identity: ignore=true", true, IGNORE),
            ("/*gantrycd:resource-identity: ignore=true*/", true, IGNORE),
            (
                "#gantrycd:resource-identity:ignore=true",
                true,
                "gantrycd:resource-identity:ignore=true",
            ),
            (
                "# gantrycd:resource-identity :  ignore = true",
                true,
                "gantrycd:resource-identity :  ignore = true",
            ),
            (
                "# gantrycd:resource-identity: ignore=false",
                false,
                "gantrycd:resource-identity: ignore=false",
            ),
            (
                "# gantrycd:resource-identity: ignore=true, shared with team a",
                true,
                IGNORE,
            ),
            ("# gantrycd:resource-identity: ignore=true.", true, IGNORE),
            (
                "# tfsec:ignore:x gantrycd:resource-identity: ignore=true # owned by team a",
                true,
                IGNORE,
            ),
            (
                "# see above; gantrycd:resource-identity: ignore=true",
                true,
                IGNORE,
            ),
        ] {
            match only(comment) {
                Some(Directive::Ignore { ignore: it, span }) => {
                    assert_eq!((it, &comment[span.range()]), (ignore, covered));
                }
                other => panic!("{comment}: {other:?}"),
            }
        }
    }

    #[test]
    fn near_misses() {
        for (comment, fault) in [
            (
                "# gantrycd.resource-identity: ignore=true",
                Fault::Key("gantrycd.resource-identity".into()),
            ),
            (
                "# Gantrycd:Resource-Identity: ignore=true",
                Fault::Key("Gantrycd:Resource-Identity".into()),
            ),
            (
                "# gantrycd:resource_identity: ignore=true",
                Fault::Key("gantrycd:resource_identity".into()),
            ),
            (
                "# gantrycd:resouce-identity: ignore=true",
                Fault::Key("gantrycd:resouce-identity".into()),
            ),
            (
                "# gantrycd:resource-identiy:ignore=true",
                Fault::Key("gantrycd:resource-identiy".into()),
            ),
            ("# gantrycd:resource-identity ignore=true", Fault::NoColon),
            (
                "# gantrycd:resource-identity: ignore=yes",
                Fault::Value("yes".into()),
            ),
            (
                "# gantrycd:resource-identity: ignore=True",
                Fault::Value("True".into()),
            ),
            (
                "# gantrycd:resource-identity: ignore=\"true\"",
                Fault::Value("\"true\"".into()),
            ),
            ("# gantrycd:resource-identity: ignore", Fault::NoValue),
            ("# gantrycd:resource-identity: ignore=", Fault::NoValue),
            ("/* gantrycd:resource-identity: ignore */", Fault::NoValue),
            ("# gantrycd:resource-identity: ignore: true", Fault::NoValue),
            (
                "# gantrycd:resource-identity: Ignore=true",
                Fault::Parameter("Ignore".into()),
            ),
            (
                "# gantrycd:resource-identity: skip=true",
                Fault::Parameter("skip".into()),
            ),
        ] {
            match only(comment) {
                Some(Directive::NearMiss { fault: it, .. }) => assert_eq!(it, fault, "{comment}"),
                other => panic!("{comment}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_a_near_miss_meant_is_told_where_it_is_plain() {
        for (comment, expected) in [
            ("# gantrycd.resource-identity: ignore=true", Some(true)),
            (
                "# gantrycd.resource-identity: ignore=NO, reason",
                Some(false),
            ),
            ("# gantrycd:resource-identity ignore=off", Some(false)),
            ("# gantrycd:resource-identity: Ignore=yes", Some(true)),
            ("# gantrycd:resource-identity: ignore=\"true\"", Some(true)),
            ("# gantrycd:resource-identity: ignore='False'", Some(false)),
            ("# gantrycd:resource-identity: ignore: true", Some(true)),
            ("/* gantrycd:resource-identity: ignore on */", Some(true)),
            ("# gantrycd:resource-identity: ignore=maybe", None),
            ("# gantrycd.resource-identity: ignore=maybe", None),
            ("# gantrycd:resource-identity: ignore=", None),
            ("# gantrycd:resource-identity: ignore", None),
            (
                "# gantrycd:resource-identity: ignore no longer needed",
                None,
            ),
            ("# gantrycd:resource-identity: ignore: on staging", None),
            ("# gantrycd:resource-identity: skip=true", None),
        ] {
            match only(comment) {
                Some(Directive::NearMiss { meant, .. }) => assert_eq!(meant, expected, "{comment}"),
                other => panic!("{comment}: {other:?}"),
            }
        }
    }

    #[test]
    fn prose_and_other_tools_are_none_of_ours() {
        for comment in [
            "# the tag gantrycd:resource-identity names the object",
            "# gantrycd:resource-identity: see the handbook",
            "# \"gantrycd:resource-identity\" = \"null\"",
            "# gantrycd:resource-identity = \"x\"",
            "# gantrycd:resource-identity-realm: ignore=true",
            "# gantrycd:resource-identity: ignore the next one, it is shared",
            "# tfsec:ignore:aws-s3-enable-versioning",
            "# checkov:skip=CKV_AWS_18: ignore=true",
            "# resource-identity: ignore=true",
            "# gantrycd",
            "#",
            "",
        ] {
            assert_eq!(only(comment), None, "{comment}");
        }
    }

    #[test]
    fn two_in_one_comment_are_both_found() {
        let block = "/* gantrycd:resource-identity: ignore=false\n gantrycd:resource-identity: ignore=true */";
        let ignores: Vec<_> = directives(block)
            .into_iter()
            .map(|it| matches!(it, Directive::Ignore { ignore: true, .. }))
            .collect();
        assert_eq!(ignores, [false, true]);
    }
}
