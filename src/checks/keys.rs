//! What the checks about the keys of the two tags share: where a key is shown, and whether gantrycd
//! reads it there.

use crate::config::Declared;
use crate::workspace::tag_support::untaggable;
use crate::workspace::{Configured, Place, Snapshot, Stack, Tag, is_editable};

use super::{Finding, Shares};

/// A resource's own two tags, as far as their keys are written.
pub(super) fn own(configured: &Configured) -> impl Iterator<Item = (&'static str, &Tag, &Place)> {
    let own = configured.own.both().into_iter();
    own.filter_map(|(key, tag)| Some((key, tag, tag.key.as_ref()?)))
}

/// The keys of those that are not null.
pub(super) fn declared(configured: &Configured) -> impl Iterator<Item = (&'static str, &Place)> {
    let own = own(configured).filter(|(_, tag, _)| !tag.is_absent());
    own.map(|(key, _, place)| (key, place))
}

/// Whether a place lies in a block.
pub(super) fn is_within(block: &Declared, place: &Place) -> bool {
    block.file.path == place.path && block.block().span.contains(place.span)
}

/// The key itself when it stands in the resource's block; else the `tags` argument by which it gets
/// there: it may be of use to others.
fn shown(stack: &Stack, configured: &Configured, key: &Place) -> Place {
    let resource = stack.resource(configured.site);
    match resource.attribute("tags") {
        Some(tags) if !is_within(resource.base(), key) => Place {
            path: tags.file.path.clone(),
            span: tags.value.span,
        },
        _ => key.clone(),
    }
}

/// What `judge` finds on each of the written `keys` of every resource of a stack, where a person may
/// edit it. Nothing where the key is of use to some resource that it reaches.
pub(super) fn judge<'a, K>(
    stack: &'a Stack,
    shares: &mut Shares,
    keys: impl Fn(&'a Configured) -> K,
    judge: impl Fn(&'a Configured, &'static str, &Place) -> Option<Finding>,
) where
    K: IntoIterator<Item = (&'static str, &'a Place)>,
{
    for configured in &stack.configured {
        for (key, place) in keys(configured) {
            let shown = shown(stack, configured, place);
            if !is_editable(&shown.path) {
                continue;
            }
            match judge(configured, key, &shown) {
                None => shares.veto(shown),
                Some(finding) => shares.tell(finding),
            }
        }
    }
}

/// Whether a key that is written at a place gets into the default tags of a provider.
pub(super) fn reach_default_tags(snapshot: &Snapshot, key: &Place) -> bool {
    let readers = snapshot.readers(&key.path).into_iter();
    let mut providers = readers.flat_map(|it| &snapshot.stacks[it].providers);
    providers.any(|provider| {
        let tags = &provider.tags;
        let ours = tags.both();
        ours.iter().any(|(_, it)| it.key.as_ref() == Some(key))
            || tags.strays.iter().any(|it| it.place == *key)
    })
}

/// Whether gantrycd certainly reads the tags of a resource: its provider is listed, no comment opts
/// it out, and as far as anybody knows its type takes tags.
pub(super) fn are_read(snapshot: &Snapshot, stack: &Stack, configured: &Configured) -> bool {
    let block = stack.resource(configured.site).base().block();
    let Some((_, resource_type, _)) = block.resource() else {
        return false;
    };
    let source = configured.source.as_deref();
    source.is_some_and(|source| {
        snapshot.registry.supports(source)
            && !block.ignored
            && untaggable(stack, resource_type, source).is_none()
    })
}
