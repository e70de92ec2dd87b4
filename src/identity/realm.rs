//! A realm: the operator's name for a world of its own, such as one person's emulator.

use arcstr::ArcStr;

/// `[A-Za-z0-9._-]{1,64}`, verbatim. `null` is a realm like any other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Realm(ArcStr);

/// Why a text is no realm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MalformedRealm {
    /// It has no character.
    Empty,
    /// It has more characters than [`Realm::MAX`]; how many.
    TooLong(usize),
    /// A character outside of the grammar; which, and at which byte.
    BadCharacter(char, usize),
}

impl Realm {
    /// The greatest number of characters.
    pub const MAX: usize = 64;

    /// Reads a realm. Nothing is normalised: it is accepted as it is, or refused.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, MalformedRealm> {
        Self::check(text)?;
        Ok(Self(text.into()))
    }

    /// Whether a text is a realm.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(text: &str) -> Result<(), MalformedRealm> {
        if text.is_empty() {
            return Err(MalformedRealm::Empty);
        }
        let count = text.chars().count();
        if count > Self::MAX {
            return Err(MalformedRealm::TooLong(count));
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        match text.char_indices().find(|(_, c)| !allowed(*c)) {
            Some((at, bad)) => Err(MalformedRealm::BadCharacter(bad, at)),
            None => Ok(()),
        }
    }

    /// The realm's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Realm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::fmt::Display for MalformedRealm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MalformedRealm::Empty => f.write_str("it is empty"),
            MalformedRealm::TooLong(count) => {
                write!(f, "it has {count} of at most {} characters", Realm::MAX)
            }
            MalformedRealm::BadCharacter(' ', _) => f.write_str("it has a space"),
            MalformedRealm::BadCharacter(c, _) if c.is_control() => {
                write!(f, "it has the control character U+{:04X}", *c as u32)
            }
            MalformedRealm::BadCharacter(c, _) => write!(f, "it has the character `{c}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_accepts_and_refuses() {
        for good in ["a", "localstack-alice", "A.b_c-9", "null", &"x".repeat(64)] {
            assert_eq!(
                Realm::parse(good).map(|it| it.to_string()).as_deref(),
                Ok(good)
            );
        }
        for (bad, why) in [
            ("", MalformedRealm::Empty),
            ("two words", MalformedRealm::BadCharacter(' ', 3)),
            ("localstack/bob", MalformedRealm::BadCharacter('/', 10)),
            ("émile", MalformedRealm::BadCharacter('é', 0)),
            ("a\n", MalformedRealm::BadCharacter('\n', 1)),
            ("(sensitive value)", MalformedRealm::BadCharacter('(', 0)),
            ("${var.realm}", MalformedRealm::BadCharacter('$', 0)),
        ] {
            assert_eq!(Realm::parse(bad), Err(why), "{bad:?}");
        }
        let long = "é".repeat(65);
        assert_eq!(Realm::parse(&long), Err(MalformedRealm::TooLong(65)));
    }
}
