//! What the configuration says of the two gantrycd tags of a resource.

use std::sync::Arc;

use arcstr::ArcStr;

use crate::eval::{Data, Entry, Found, Origin, Place, Value};
use crate::identity::{self, IDENTITY_TAG, REALM_TAG, SENSITIVE, StrayKey};

/// One of the two tags in one section.
#[derive(Clone, Debug)]
pub struct Tag {
    /// What it says.
    pub value: Said,
    /// The key where it was written, quotes included.
    pub key: Option<Place>,
}

/// What a tag says, as far as anybody who follows the references can tell.
#[derive(Clone, Debug)]
pub enum Said {
    /// There is no such tag, or null in its place.
    Absent,
    /// This, and where it was written.
    Text(Arc<str>, Option<Origin>),
    /// Something that Terraform hides.
    Sensitive,
    /// Nobody can tell.
    Unknown,
}

/// The two tags of one section: a resource's own, or its provider configuration's default ones.
#[derive(Clone, Debug)]
pub struct Tags {
    /// `gantrycd:resource-identity`
    pub identity: Tag,
    /// `gantrycd:resource-identity-realm`
    pub realm: Tag,
    /// Keys that look like these and are not read.
    pub strays: Vec<Stray>,
}

/// A key that looks like one of gantrycd's, and is not read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stray {
    /// Where it was written, quotes included.
    pub place: Place,
    /// The key.
    pub key: Arc<str>,
    /// The one that it was meant to be, where that can be told.
    pub meant: Option<&'static str>,
}

impl Stray {
    fn of(entry: &Entry) -> Option<Self> {
        Some(Self {
            meant: StrayKey::of(&entry.key)?.meant,
            place: entry.written.clone()?,
            key: entry.key.clone(),
        })
    }
}

impl Tag {
    const fn said(value: Said) -> Self {
        Self { value, key: None }
    }

    fn of(tags: &Value, key: &str) -> Self {
        let entry = match tags.get(key) {
            Found::Entry(entry) => entry,
            Found::Absent => return Self::said(Said::Absent),
            Found::Unknown => return Self::said(Said::Unknown),
        };
        let value = &entry.value;
        let said = match &value.data {
            Data::Null(_) => Said::Absent,
            _ if tags.sensitive || value.sensitive => Said::Sensitive,
            Data::Text(text) => Said::Text(text.clone(), value.origin.clone()),
            Data::Number(number) => Said::Text(number.to_string().into(), value.origin.clone()),
            Data::Bool(it) => Said::Text(it.to_string().into(), value.origin.clone()),
            _ => Said::Unknown,
        };
        Self {
            value: said,
            key: entry.written.clone(),
        }
    }

    /// The known text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Said::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// Where the known text was written.
    pub fn place(&self) -> Option<&Place> {
        match &self.value {
            Said::Text(_, Some(origin)) => Some(&origin.place),
            _ => None,
        }
    }

    /// Of an identity tag: whether it opts out. `None` where nobody can tell.
    pub fn opts_out(&self) -> Option<bool> {
        match &self.value {
            Said::Absent | Said::Sensitive => Some(false),
            Said::Text(text, _) => Some(identity::opts_out(text)),
            Said::Unknown => None,
        }
    }

    /// Whether there certainly is no such tag.
    pub fn is_absent(&self) -> bool {
        matches!(self.value, Said::Absent)
    }

    /// What a state will have of it. The outer `None` where nobody can tell.
    fn recorded(&self) -> Option<Option<ArcStr>> {
        match &self.value {
            Said::Absent => Some(None),
            Said::Text(text, _) => Some(Some((&**text).into())),
            Said::Sensitive => Some(Some(SENSITIVE.into())),
            Said::Unknown => None,
        }
    }
}

impl Tags {
    /// Whether they have neither of the two, not even as null, and no key that looks like one.
    pub(super) fn say_nothing(&self) -> bool {
        let is_nothing = |it: &Tag| it.is_absent() && it.key.is_none();
        is_nothing(&self.identity) && is_nothing(&self.realm) && self.strays.is_empty()
    }

    /// A section that has neither.
    pub const ABSENT: Self = Self {
        identity: Tag::said(Said::Absent),
        realm: Tag::said(Said::Absent),
        strays: Vec::new(),
    };

    /// A section that nobody can read.
    pub const UNKNOWN: Self = Self {
        identity: Tag::said(Said::Unknown),
        realm: Tag::said(Said::Unknown),
        strays: Vec::new(),
    };

    /// Both, each with its key.
    pub fn both(&self) -> [(&'static str, &Tag); 2] {
        [(IDENTITY_TAG, &self.identity), (REALM_TAG, &self.realm)]
    }

    /// The two tags of a map.
    pub fn of(tags: &Value) -> Self {
        Self {
            identity: Tag::of(tags, IDENTITY_TAG),
            realm: Tag::of(tags, REALM_TAG),
            strays: tags.entries().iter().filter_map(Stray::of).collect(),
        }
    }

    /// What a state will have after the apply: these own tags, and all of them over the default
    /// ones. `None` where what counts of either is not known.
    pub fn recorded_over(&self, default: &Self) -> Option<(identity::Tags, identity::Tags)> {
        let over = |own: &Tag, default: &Tag| match own.recorded()? {
            None => Some((None, default.recorded()?)),
            own => Some((own.clone(), own)),
        };
        let (own_identity, identity) = over(&self.identity, &default.identity)?;
        let realms = over(&self.realm, &default.realm);
        // of what is opted out nobody asks for the realm
        let is_asked_for = !identity.as_deref().is_some_and(identity::opts_out);
        let (own_realm, realm) = match realms {
            None if !is_asked_for => (None, None),
            realms => realms?,
        };
        let own = identity::Tags {
            identity: own_identity,
            realm: own_realm,
        };
        Some((own, identity::Tags { identity, realm }))
    }
}
