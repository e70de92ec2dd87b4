//! What a data source will read, by its configuration alone.
//!
//! Of a data source that has been read, its row says what it read: the ARN, and the tags of the
//! object, which are its owner's. Of one that has not, only its `arn` argument tells, and no argument
//! tells those tags. What may be said before the first apply is said here, and nothing else.

use std::sync::Arc;

use crate::config::Merged;
use crate::eval::Data;
use crate::identity::{Address, Arn, Attributes, Identity, IdentityRegistry, Realm, Row, Tags};

use super::configured::Configured;
use super::evaluation::{Evaluation, Repetition};
use super::tags::Said;

/// The `arn` argument of a data source in an instance of its module, where it is known.
pub(super) fn arn(
    evaluation: &Evaluation,
    (instance, repetition): (usize, &Repetition),
    resource: &Merged,
) -> Option<Arc<str>> {
    let argument = resource.attribute("arn")?;
    let value = evaluation.evaluate(instance, repetition, argument);
    match value.data {
        // a state keeps what is sensitive to itself
        Data::Text(text) if !value.sensitive => Some(text),
        _ => None,
    }
}

/// Whether an `arn` argument certainly names another object than the ARN that was recorded. Some
/// data sources take an abbreviated one, and record the whole: a secret's without its suffix, an
/// image's with `x.x.x` for the latest version.
pub(super) fn is_another(argument: &str, recorded: &str) -> bool {
    let is_abbreviated = recorded.starts_with(argument) || argument.contains("x.x");
    !is_abbreviated && Arn::parse(argument).is_ok()
}

/// The identity by which the owner of what a data source reads will be looked up, once it has read
/// `arn`. `None` where that is not certain. `shows_tags` says whether the data source certainly
/// shows the tags of what it reads.
///
/// The realm is that of the object which is read, and an ARN alone does not say which object that
/// is: realms are there because ARNs repeat. It is known by what the data source reads through. A
/// provider configuration reaches one environment, and what its `default_tags` declare holds for the
/// objects there. So a data source reads from the realm of its own provider configuration: when an
/// owner claims the ARN in that realm, or without one where the configuration has none, the object is
/// the owner's and shows the owner's tags. Where the two differ nobody can tell. An ARN that one stack
/// alone claims, in a realm, may be another object in the emulator next door, whose owner was not
/// applied yet. The first apply tells.
pub(super) fn in_advance(
    registry: &IdentityRegistry,
    address: &Address,
    configured: &Configured,
    (arn, shows_tags): (&str, bool),
) -> Option<Identity> {
    let (own, default) = (&configured.own, &configured.default);
    // what opts out, or is refused, or declares another id than the ARN
    if !own.identity.is_absent() || !default.identity.is_absent() {
        return None;
    }
    // its own tags are what it looks for, so that what it finds has them
    let realm = match &configured.realm().value {
        Said::Absent => None,
        Said::Text(text, _) => Some(Realm::parse(text).ok()?),
        Said::Sensitive | Said::Unknown => return None,
    };
    if realm.is_some() && (!shows_tags || configured.ignored.may_hide_ours()) {
        return None;
    }
    let tags = realm.map(|it| Tags {
        identity: None,
        realm: Some(it.as_str().into()),
    });
    let row = Row {
        address: address.clone(),
        provider: configured.source.as_deref()?.into(),
        deposed: None,
        attributes: Attributes {
            arn: Some(arn.into()),
            tags: tags.map(Into::into),
            ..Attributes::default()
        },
    };
    registry.look_up(&row, false).ok()
}
