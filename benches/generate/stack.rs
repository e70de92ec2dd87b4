//! What tells one stack of the workspace from another, and what its resources may declare.

use serde_json::{Map, Value, json};

pub const REALM: &str = "gantrycd:resource-identity-realm";
pub const IDENTITY: &str = "gantrycd:resource-identity";

/// What an identity is the same by: type, id and realm.
pub type Claim = (&'static str, String, Option<String>);

const TEAMS: [&str; 7] = [
    "billing", "catalog", "checkout", "identity", "media", "search", "shipping",
];

/// The name of a stack and of all that is in it.
pub struct Stack {
    pub index: usize,
    pub team: &'static str,
    /// Below the root.
    pub directory: String,
    /// What its names begin with: the same in every developer's emulator.
    pub prefix: String,
    pub account: String,
    pub realm: Option<String>,
}

impl Stack {
    pub fn new(index: usize) -> Self {
        let team = TEAMS[index % TEAMS.len()];
        let (directory, prefix, account, realm) = if is_emulator(index) {
            let (developer, part) = (developer(index), ["api", "worker"][index % 2]);
            (
                format!("emulators/developer-{developer}/{part}"),
                part.to_owned(),
                "000000000000".to_owned(),
                Some(format!("localstack-{developer}")),
            )
        } else {
            (
                format!("live/{team}/service-{index:03}"),
                format!("{team}-{index:03}"),
                format!("11112222{:04}", 3333 + index % 4),
                None,
            )
        };
        Self {
            index,
            team,
            directory,
            prefix,
            account,
            realm,
        }
    }

    pub fn name(&self, number: usize) -> String {
        format!("{}-{number}", self.prefix)
    }

    /// The role that other stacks read.
    pub fn exported_role(&self) -> String {
        format!("{}-exported", self.prefix)
    }

    pub fn environment(&self) -> &'static str {
        match self.realm {
            Some(_) => "local",
            None => "live",
        }
    }

    pub fn default_tags(&self) -> Map<String, Value> {
        let mut tags = Map::new();
        tags.insert("Environment".into(), json!(self.environment()));
        tags.insert("Team".into(), json!(self.team));
        if let Some(realm) = &self.realm {
            tags.insert(REALM.into(), json!(realm));
        }
        tags
    }

    /// The modules that it calls: fifty stacks share theirs.
    pub fn modules(&self) -> String {
        format!("modules/v{}", self.index / 50)
    }
}

/// Whether a stack is one of a developer's two.
pub fn is_emulator(index: usize) -> bool {
    index % 20 >= 18
}

pub fn developer(index: usize) -> usize {
    index / 20
}

/// What the own tags of a resource declare, or a comment on it.
#[derive(Clone, Copy)]
pub enum Declares<'a> {
    Nothing,
    Id(&'a str),
    OptOut,
    /// By a comment.
    Ignored,
    /// With a comment that is none of ours, but nearly.
    NearlyIgnored,
    /// With a space in it.
    MalformedRealm,
    /// `null`, which HCL drops.
    BareNull,
    /// A key that nothing reads.
    UnknownTag,
    /// An id, on a type whose tags never reach the state.
    Unreachable,
}

impl<'a> Declares<'a> {
    /// The key of the tag.
    fn key(self) -> Option<&'static str> {
        match self {
            Self::Id(_) | Self::OptOut | Self::BareNull | Self::Unreachable => Some(IDENTITY),
            Self::MalformedRealm => Some(REALM),
            Self::UnknownTag => Some("gantrycd:resource-identiti"),
            Self::Nothing | Self::Ignored | Self::NearlyIgnored => None,
        }
    }

    fn value(self) -> &'a str {
        match self {
            Self::Id(id) => id,
            Self::MalformedRealm => "eu west",
            Self::UnknownTag | Self::Unreachable => "mine",
            _ => "null",
        }
    }

    /// The tag as it is written.
    pub fn written(self) -> Option<String> {
        let (key, value) = (self.key()?, self.value());
        Some(match self {
            Self::BareNull => format!("\"{key}\" = null"),
            _ => format!("\"{key}\" = \"{value}\""),
        })
    }

    /// The tag as the state has it.
    pub fn recorded(self) -> Option<(&'static str, &'a str)> {
        match self {
            Self::BareNull | Self::Unreachable => None,
            _ => Some((self.key()?, self.value())),
        }
    }

    pub fn comment(self) -> Option<&'static str> {
        match self {
            Self::Ignored => Some("# gantrycd:resource-identity: ignore=true\n"),
            Self::NearlyIgnored => Some("# gantrycd:resource-identity: ignore=yes\n"),
            _ => None,
        }
    }

    /// The id of a row that has this `arn`.
    pub fn id(self, arn: Option<String>) -> Option<String> {
        match self {
            Self::Id(id) => Some(id.to_owned()),
            Self::OptOut | Self::Ignored | Self::MalformedRealm => None,
            _ => arn,
        }
    }

    /// The code of what is wrong with it, and what the line holds that it is told at.
    pub fn finding(self, has_arn: bool) -> Option<(&'static str, &'static str)> {
        match self {
            Self::MalformedRealm => Some(("malformed-realm", REALM)),
            Self::BareNull => Some(("bare-null", IDENTITY)),
            Self::UnknownTag => Some(("unknown-gantrycd-tag", "gantrycd:resource-identiti\"")),
            Self::Unreachable => Some(("untaggable-type", IDENTITY)),
            Self::NearlyIgnored => Some(("malformed-ignore", "ignore=yes")),
            Self::Ignored if !has_arn => Some(("unused-ignore", "ignore=true")),
            _ => None,
        }
    }
}
