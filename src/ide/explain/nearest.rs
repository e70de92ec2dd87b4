//! What is nearest to what was not found.

use crate::identity::{Address, Identity, Mode};
use crate::workspace::Stack;

/// That `text` was not found in these stacks, in a line that names what is nearest to it.
pub(super) fn nothing<'a>(text: &str, stacks: impl Iterator<Item = &'a Stack> + Clone) -> String {
    let address = Address::parse(text);
    let with_stack = text.contains('/');
    let addresses = stacks.clone().flat_map(|it| {
        let rows = (0..it.rows.len()).map(|row| it.address(row).to_string());
        let name = move |address| match with_stack {
            true => format!("{}/{address}", it.name),
            false => address,
        };
        rows.chain(declared(it)).map(name)
    });
    let resource_type = address.as_ref().map(|it| &*it.resource_type);
    let found = nearest(text, resource_type, addresses);
    let mut found: Vec<_> = found.into_iter().map(|it| (it, "address")).collect();
    if address.is_none() {
        let ids = stacks.flat_map(|it| &it.rows).filter_map(|it| {
            let now = it.claim.as_ref().ok().or(it.looks_up.as_deref());
            now.or(it.planned_claim()).map(Identity::to_string)
        });
        let id = nearest(text, None, ids);
        found.extend(id.map(|it| (it, "identity")));
    }
    match found.into_iter().min_by_key(|((_, apart), _)| *apart) {
        Some(((nearest, _), what)) => {
            format!("{text} was not found; the nearest {what} is {nearest}")
        }
        None => format!("{text} was not found"),
    }
}

/// The addresses of the blocks of a stack's root module, without keys.
fn declared(stack: &Stack) -> impl Iterator<Item = String> {
    let modules = stack.module().into_iter();
    let resources = modules.flat_map(|it| it.resources());
    resources.filter_map(|it| {
        let (mode, resource_type, name) = it.base().block().resource()?;
        let data = match mode {
            Mode::Data => "data.",
            Mode::Managed => "",
        };
        Some(format!("{data}{resource_type}.{name}"))
    })
}

/// The likest of some texts and how far it is away, unless more than half of it is another. Those
/// of a resource type are taken to be nearer.
pub(super) fn nearest(
    text: &str,
    resource_type: Option<&str>,
    all: impl Iterator<Item = String>,
) -> Option<(String, usize)> {
    let mut best = None;
    let mut distance = text.len() / 2 + 1;
    for it in all {
        // the resource alone, without the modules that it is in
        let is_tail = it.strip_suffix(text).is_some_and(|it| it.ends_with('.'));
        let is_of_type = resource_type.is_some_and(|of| it.contains(of));
        let weight = if is_of_type { 2 } else { 1 };
        if !is_tail && it.len().abs_diff(text.len()) / weight >= distance {
            continue;
        }
        let apart = match is_tail {
            true => 0,
            false => strsim::osa_distance(text, &it) / weight,
        };
        if apart < distance {
            distance = apart;
            best = Some((it, apart));
        }
    }
    best
}
