//! The identity behind the header of a block, in short.

use std::path::Path;

use crate::identity::Identity;
use crate::text::Span;
use crate::workspace::{Planned, RowRef, Snapshot};

/// What stands behind a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The end of the header, in bytes of the file.
    pub offset: u32,
    /// The identity in short.
    pub label: String,
    /// All of it.
    pub tooltip: String,
}

/// More identities than these are counted, not listed.
const MOST_ROWS: usize = 10;

/// More characters of an id are left out.
const MOST_CHARACTERS: usize = 48;

/// The identities of the blocks whose headers end within `span` of a file, in order. Those that are
/// recorded; of what is not in any state yet, those that the next apply makes.
pub fn hints(snapshot: &Snapshot, path: &Path, span: Span) -> Vec<Hint> {
    let Some(file) = snapshot.file(path) else {
        return Vec::new();
    };
    let blocks = file.blocks().filter(|it| it.resource().is_some());
    let here = blocks.filter(|it| span.touches(it.header.end));
    let hint = here.filter_map(|block| {
        let rows = snapshot.rows_of(file, block.id);
        let all: Vec<Shown> = rows.iter().filter_map(|it| shown(snapshot, *it)).collect();
        let (first, rest) = all.split_first()?;
        let label = match rest.iter().all(|it| it.label == first.label) {
            true => first.label.clone(),
            false => format!("{} identities", distinct(&all)),
        };
        let mut lines: Vec<&str> = Vec::new();
        for it in &all {
            if !lines.contains(&&*it.full) {
                lines.push(&it.full);
            }
        }
        let more = lines.len().saturating_sub(MOST_ROWS);
        lines.truncate(MOST_ROWS);
        let more = (more > 0).then(|| format!("\nand {more} more"));
        Some(Hint {
            offset: block.header.end,
            label,
            tooltip: lines.join("\n") + &more.unwrap_or_default(),
        })
    });
    hint.collect()
}

fn distinct(all: &[Shown]) -> usize {
    let mut full: Vec<&str> = all.iter().map(|it| &*it.full).collect();
    full.sort_unstable();
    full.dedup();
    full.len()
}

/// What is shown of one row.
struct Shown {
    label: String,
    full: String,
}

fn shown(snapshot: &Snapshot, at: RowRef) -> Option<Shown> {
    let row = snapshot.row(at);
    let now = row.claim.as_ref().ok();
    let planned = match &row.planned {
        Planned::Changed(Ok(planned)) => Some(planned),
        _ => None,
    };
    let (label, full) = match (now, row.looks_up.as_deref(), planned) {
        (Some(now), ..) => (short(now), now.to_string()),
        (None, Some(read), _) => (format!("reads {}", short(read)), format!("reads {read}")),
        (None, None, Some(planned)) => (
            format!("{} after the next apply", short(planned)),
            String::new(),
        ),
        (None, None, None) => return None,
    };
    let planned = match &row.planned {
        Planned::Same => None,
        Planned::Changed(Ok(identity)) => Some(identity.to_string()),
        Planned::Changed(Err(reason)) => Some(format!("no identity: {reason}")),
        Planned::Gone => Some("not in the state any more".to_owned()),
    };
    let planned = planned.map(|it| format!("After the next apply: {it}"));
    let full = [Some(full).filter(|it| !it.is_empty()), planned];
    let full: Vec<_> = full.into_iter().flatten().collect();
    Some(Shown {
        label,
        full: full.join("\n"),
    })
}

/// The service and the resource of an ARN, or the beginning of another id, and the realm.
fn short(identity: &Identity) -> String {
    let fields: Vec<&str> = identity.id.splitn(6, ':').collect();
    let id = match fields[..] {
        ["arn", _, service, _, _, resource] => format!("{service}:…:{}", cut(resource)),
        _ => cut(&identity.id),
    };
    match &identity.realm {
        Some(realm) => format!("{id} in realm {realm}"),
        None => id,
    }
}

/// A text without the middle of it, where it is long.
fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST_CHARACTERS {
        return text.to_owned();
    }
    let half = MOST_CHARACTERS / 2;
    let start = text.chars().take(half);
    let end = text.chars().skip(count - half);
    start.chain(['…']).chain(end).collect()
}
