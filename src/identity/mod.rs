//! The contract: what real cloud object a row of a state is, or why nobody can say.
//!
//! Knows no files, no HCL, no editor, and no table of types: a row's own values decide.
//! **Missing beats wrong**: whatever is not certain is refused, with its reason.

pub mod address;
mod arn;
mod aws;
pub mod comment;
mod declaration;
mod realm;
mod row;
mod rule;

use arcstr::ArcStr;

pub use address::{Address, Key, Mode, ModulePath, Step};
pub use arn::{Arn, UnanchoredArn};
pub use aws::AwsIdentity;
pub use declaration::{Declaration, IDENTITY_TAG, REALM_TAG, Section, StrayKey, opts_out};
pub use realm::{MalformedRealm, Realm};
pub use row::{Attributes, Row, SENSITIVE, Tags};
pub use rule::{Case, Consulted, Decision, Heard, Rule, Stated, Step as RuleStep, Trace};

/// What a resource is. Two managed rows are the same object when id, realm and resource type are
/// all equal; a realm never equals the absence of one.
#[derive(Clone, Debug)]
pub struct Identity {
    /// An ARN as the provider recorded it, or what the operator declared, verbatim.
    pub id: ArcStr,
    /// The realm that the operator declared.
    pub realm: Option<Realm>,
    /// Where the id came from.
    pub origin: Origin,
}

impl std::fmt::Display for Identity {
    /// The id, and the realm behind it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.id)?;
        match &self.realm {
            Some(realm) => write!(f, " in realm {realm}"),
            None => Ok(()),
        }
    }
}

/// Where an identity's id came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The tag `gantrycd:resource-identity`.
    Declared,
    /// The row's `arn`.
    Discovered,
    /// An inventory that somebody else wrote, which does not say.
    Unstated,
}

/// Why a row has no identity. Each reason has a stable name, which is part of the output format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoIdentity {
    /// No mounted provider lists the row's provider source.
    UnsupportedProvider,
    /// The identity tag is `"null"` or empty.
    OptedOutByTag,
    /// `# gantrycd:resource-identity: ignore=true` covers the block.
    OptedOutByComment,
    /// An id stands in `default_tags` only: one id cannot name every resource.
    IdentityInDefaultTags,
    /// The realm does not parse; what is wrong with it.
    MalformedRealm(ArcStr),
    /// The type's `arn` names another object; which one.
    ForeignArn(ArcStr),
    /// The object lies in a catalog of another account; which.
    OtherCatalog(ArcStr),
    /// A data source reads an object. It never claims one.
    DataSource,
    /// `arn` is absent, null or empty.
    NoArn,
    /// `arn` does not name one object in one account; why.
    UnanchoredArn(ArcStr),
}

impl NoIdentity {
    /// The stable name of the reason.
    pub fn name(&self) -> &'static str {
        match self {
            NoIdentity::UnsupportedProvider => "unsupported-provider",
            NoIdentity::OptedOutByTag => "opted-out-by-tag",
            NoIdentity::OptedOutByComment => "opted-out-by-comment",
            NoIdentity::IdentityInDefaultTags => "identity-in-default-tags",
            NoIdentity::MalformedRealm(_) => "malformed-realm",
            NoIdentity::ForeignArn(_) => "foreign-arn",
            NoIdentity::OtherCatalog(_) => "other-catalog",
            NoIdentity::DataSource => "data-source",
            NoIdentity::NoArn => "no-arn",
            NoIdentity::UnanchoredArn(_) => "unanchored-arn",
        }
    }

    /// What the row's own values add to the reason.
    pub fn detail(&self) -> Option<&str> {
        match self {
            NoIdentity::MalformedRealm(detail)
            | NoIdentity::ForeignArn(detail)
            | NoIdentity::OtherCatalog(detail)
            | NoIdentity::UnanchoredArn(detail) => Some(detail),
            _ => None,
        }
    }

    /// The reason with this stable name, as an inventory states it. `None` for a name of a later
    /// version.
    pub fn from_name(name: &str, detail: Option<&str>) -> Option<Self> {
        let detail = || detail.unwrap_or_default().into();
        Some(match name {
            "unsupported-provider" => NoIdentity::UnsupportedProvider,
            "opted-out-by-tag" => NoIdentity::OptedOutByTag,
            "opted-out-by-comment" => NoIdentity::OptedOutByComment,
            "identity-in-default-tags" => NoIdentity::IdentityInDefaultTags,
            "malformed-realm" => NoIdentity::MalformedRealm(detail()),
            "foreign-arn" => NoIdentity::ForeignArn(detail()),
            "other-catalog" => NoIdentity::OtherCatalog(detail()),
            "data-source" => NoIdentity::DataSource,
            "no-arn" => NoIdentity::NoArn,
            "unanchored-arn" => NoIdentity::UnanchoredArn(detail()),
            _ => return None,
        })
    }
}

impl std::fmt::Display for NoIdentity {
    /// The reason as a sentence without its full stop.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoIdentity::UnsupportedProvider => {
                f.write_str("gantrycd has no identity rule for this provider source")
            }
            NoIdentity::OptedOutByTag => {
                write!(f, "the tag {IDENTITY_TAG} opts this resource out")
            }
            NoIdentity::OptedOutByComment => {
                f.write_str("an ignore comment opts this resource out")
            }
            NoIdentity::IdentityInDefaultTags => write!(
                f,
                "{IDENTITY_TAG} stands in default_tags, and one id cannot name every resource"
            ),
            NoIdentity::MalformedRealm(detail) => write!(f, "the realm is malformed: {detail}"),
            NoIdentity::ForeignArn(detail) => {
                write!(f, "the arn of this type is another object's: {detail}")
            }
            NoIdentity::OtherCatalog(detail) => {
                write!(f, "the object lies in another catalog: {detail}")
            }
            NoIdentity::DataSource => f.write_str("a data source reads an object and claims none"),
            NoIdentity::NoArn => f.write_str("the state records no arn"),
            NoIdentity::UnanchoredArn(detail) => {
                write!(f, "the arn does not name one object: {detail}")
            }
        }
    }
}

/// The identity rules of one Terraform provider.
///
/// A new provider is one file with an implementation, one line in [`IdentityRegistry::mounted`],
/// and one table test.
pub trait IdentityProvider: Send + Sync {
    /// The provider sources that these rules are for, in full (`registry/namespace/type`).
    fn sources(&self) -> &'static [&'static str];

    /// What is asked of a row of theirs, its mode and its comments aside, in the order of the
    /// contract. The last rule always decides.
    fn rules(&self) -> &'static [Rule];
}

/// The providers whose rules a build knows.
pub struct IdentityRegistry {
    providers: Vec<Box<dyn IdentityProvider>>,
}

impl IdentityRegistry {
    /// A registry of these providers.
    ///
    /// # Panics
    /// When two of them claim one source: which rules apply must never depend on their order.
    pub fn new(providers: impl IntoIterator<Item = Box<dyn IdentityProvider>>) -> Self {
        let providers: Vec<_> = providers.into_iter().collect();
        let mut sources: Vec<_> = providers.iter().flat_map(|it| it.sources()).collect();
        sources.sort_unstable();
        if let Some(twice) = sources.windows(2).find(|pair| pair[0] == pair[1]) {
            panic!("two identity providers claim the source {}", twice[0]);
        }
        Self { providers }
    }

    /// The registry of this build: the one place that decides which providers it knows.
    pub fn mounted() -> Self {
        Self::new([Box::new(AwsIdentity) as Box<dyn IdentityProvider>])
    }

    /// Whether rules for this provider source are mounted.
    pub fn supports(&self, source: &str) -> bool {
        self.provider(source).is_some()
    }

    /// The provider sources whose rules are mounted, in full.
    pub fn sources(&self) -> Vec<&'static str> {
        let providers = self.providers.iter();
        providers.flat_map(|it| it.sources()).copied().collect()
    }

    fn provider(&self, source: &str) -> Option<&dyn IdentityProvider> {
        self.providers
            .iter()
            .find(|it| it.sources().contains(&source))
            .map(|it| &**it)
    }

    /// What the rules are asked about. `ignored` says whether an ignore comment covers the row's
    /// block.
    pub fn case<'a>(&self, row: &'a Row, ignored: bool) -> Case<'a> {
        let provider = self.provider(&row.provider);
        Case {
            row,
            ignored,
            is_supported: provider.is_some(),
            stated: None,
            rules: [rule::COMMON, provider.map_or(&[], |it| it.rules())],
        }
    }

    /// The identity that the row claims. `ignored` says whether an ignore comment covers its block.
    ///
    /// # Errors
    /// Why it claims none; [`NoIdentity::DataSource`] for every data source that could be looked up.
    pub fn claim(&self, row: &Row, ignored: bool) -> Result<Identity, NoIdentity> {
        let identity = self.look_up(row, ignored)?;
        match row.address.mode {
            Mode::Managed => Ok(identity),
            Mode::Data => Err(NoIdentity::DataSource),
        }
    }

    /// The identity by which inference looks for the owner of what the row reads; for a managed
    /// row, what it claims.
    ///
    /// # Errors
    /// Why there is none.
    pub fn look_up(&self, row: &Row, ignored: bool) -> Result<Identity, NoIdentity> {
        self.case(row, ignored).decide()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "two identity providers claim the source")]
    fn one_source_claimed_twice_stops_the_start() {
        let twice: [Box<dyn IdentityProvider>; 2] = [Box::new(AwsIdentity), Box::new(AwsIdentity)];
        IdentityRegistry::new(twice);
    }

    #[test]
    fn every_reason_survives_its_name() {
        for reason in [
            NoIdentity::UnsupportedProvider,
            NoIdentity::OptedOutByTag,
            NoIdentity::OptedOutByComment,
            NoIdentity::IdentityInDefaultTags,
            NoIdentity::MalformedRealm("a".into()),
            NoIdentity::ForeignArn("b".into()),
            NoIdentity::OtherCatalog("c".into()),
            NoIdentity::DataSource,
            NoIdentity::NoArn,
            NoIdentity::UnanchoredArn("d".into()),
        ] {
            let again = NoIdentity::from_name(reason.name(), reason.detail());
            assert_eq!(again, Some(reason));
        }
        assert_eq!(NoIdentity::from_name("of-a-later-version", None), None);
    }
}
