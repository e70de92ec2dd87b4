//! The two tags by which an operator declares an identity, and how two maps of tags overlay.

use super::{MalformedRealm, Realm, Tags};

/// Declares a resource's id, or opts it out.
pub const IDENTITY_TAG: &str = "gantrycd:resource-identity";

/// Declares the realm that a resource's id is unique within.
pub const REALM_TAG: &str = "gantrycd:resource-identity-realm";

/// Whether an identity tag of this value opts out instead of declaring an id.
pub fn opts_out(value: &str) -> bool {
    value.is_empty() || value == "null"
}

/// A tag's key that looks like one of gantrycd's two, and is neither: gantrycd does not read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StrayKey {
    /// The one that it must have been meant to be: the same within two edits, case and separators
    /// aside.
    pub meant: Option<&'static str>,
}

impl StrayKey {
    /// Looks at a key. `None` of a key that is read, and of one that has nothing to do with gantrycd.
    pub fn of(key: &str) -> Option<Self> {
        let keys = [IDENTITY_TAG, REALM_TAG];
        if keys.contains(&key) {
            return None;
        }
        let plain = plain(key);
        let slips = |it: &str| strsim::damerau_levenshtein(key, it) <= 2;
        // the distance is dear, and nearly all keys are far too short
        let is_long = |it: &str| key.len().abs_diff(it.len()) <= 2 * 4;
        let ours = plain.starts_with("gantrycd-");
        if !ours && !keys.iter().any(|it| is_long(it) && slips(it)) {
            return None;
        }
        let near = |it: &&&str| strsim::damerau_levenshtein(&plain, &self::plain(it)) <= 2;
        Some(Self {
            meant: keys.iter().find(near).copied(),
        })
    }
}

/// A key in one case and with one separator.
fn plain(key: &str) -> String {
    key.to_lowercase().replace([':', '.', '_', '/'], "-")
}

/// Which map of tags a value stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// The resource's own `tags`.
    Own,
    /// The `default_tags` of the provider configuration that serves it.
    Default,
}

/// What the tags of one row declare, the own value of each key before the default one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Declaration<'a> {
    /// The identity tag and where its value stands.
    pub identity: Option<(&'a str, Section)>,
    /// The realm tag and where its value stands.
    pub realm: Option<(&'a str, Section)>,
}

impl<'a> Declaration<'a> {
    /// Overlays a resource's own tags on all of its tags (`tags_all`), or on the provider's
    /// `default_tags`: whatever is not its own comes from these.
    pub fn overlay(own: Option<&'a Tags>, all: Option<&'a Tags>) -> Self {
        fn pick<'a>(
            own: Option<&'a Tags>,
            all: Option<&'a Tags>,
            key: impl Fn(&'a Tags) -> Option<&'a str>,
        ) -> Option<(&'a str, Section)> {
            let own = own.and_then(&key).map(|value| (value, Section::Own));
            own.or_else(|| all.and_then(&key).map(|value| (value, Section::Default)))
        }
        Self {
            identity: pick(own, all, |tags| tags.identity.as_deref()),
            realm: pick(own, all, |tags| tags.realm.as_deref()),
        }
    }

    /// Whether the identity tag opts out.
    pub fn opts_out(&self) -> bool {
        self.identity.is_some_and(|(value, _)| opts_out(value))
    }

    /// The id that the resource's own tag declares.
    pub fn id(&self) -> Option<&'a str> {
        match self.identity {
            Some((value, Section::Own)) if !opts_out(value) => Some(value),
            _ => None,
        }
    }

    /// Whether an id, and no opt-out, stands in the default tags only.
    pub fn id_in_default_tags(&self) -> bool {
        matches!(self.identity, Some((value, Section::Default)) if !opts_out(value))
    }

    /// The realm.
    ///
    /// # Errors
    /// When a value is there and is no realm.
    pub fn realm(&self) -> Result<Option<Realm>, MalformedRealm> {
        self.realm.map(|(value, _)| Realm::parse(value)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_were_meant_to_be_read() {
        for (key, meant) in [
            ("gantrycd:resource-identiy", Some(IDENTITY_TAG)),
            ("gantrycd.resource-identity", Some(IDENTITY_TAG)),
            ("Gantrycd:Resource-Identity", Some(IDENTITY_TAG)),
            ("gantrycd/resource_identity", Some(IDENTITY_TAG)),
            ("gntrycd:resource-identity", Some(IDENTITY_TAG)),
            ("GANTRYCD_RESOURCE_IDENTITY_REALM", Some(REALM_TAG)),
            ("gantrycd:resource-identity:realm", Some(REALM_TAG)),
            ("gantrycd:resource-identity-relam", Some(REALM_TAG)),
            ("gantrycd:realm", None),
            ("gantrycd:", None),
            ("gantrycd-team", None),
        ] {
            assert_eq!(StrayKey::of(key), Some(StrayKey { meant }), "{key}");
        }
    }

    #[test]
    fn keys_of_others() {
        for key in [
            IDENTITY_TAG,
            REALM_TAG,
            "Name",
            "gantrycd",
            "gantrycdresource-identity-of-mine",
            "my-gantrycd:resource-identity",
            "resource-identity",
            "kubernetes.io/resource-identity",
            "",
        ] {
            assert_eq!(StrayKey::of(key), None, "{key}");
        }
    }
}
