//! The hierarchy of stacks, in the protocol's terms that of calls.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Range, SymbolKind,
    TextDocumentPositionParams,
};

use crate::ide::{self, Reading, StackAt};
use crate::text::Span;
use crate::workspace::{Place, Snapshot};

use super::convert::{offset, path_of, range};
use super::navigation::{Here, located};
use super::session::Session;
use super::view::View;

/// Which stack an item is.
#[derive(Serialize, Deserialize)]
struct Which {
    root: PathBuf,
    stack: String,
}

pub(super) fn prepared(
    session: &Session,
    view: &View,
    at: &TextDocumentPositionParams,
) -> Option<Vec<CallHierarchyItem>> {
    let here = Here::new(view, &at.text_document.uri)?;
    let offset = offset(here.source, at.position, session.settings().encoding);
    let stacks = ide::stacks_at(here.snapshot, &here.path, offset);
    let items = stacks.iter();
    let items: Vec<_> = items
        .filter_map(|it| item(session, here.snapshot, it))
        .collect();
    (!items.is_empty()).then_some(items)
}

pub(super) fn incoming(
    session: &Session,
    view: &View,
    of: &CallHierarchyItem,
) -> Option<Vec<CallHierarchyIncomingCall>> {
    let (snapshot, stack) = stack_of(view, of)?;
    let readers = ide::readers_of(snapshot, stack).into_iter();
    let calls = readers.filter_map(|it| {
        Some(CallHierarchyIncomingCall {
            from: item(session, snapshot, &it.other)?,
            from_ranges: ranges(session, snapshot, &it.other.target.place.path, &it),
        })
    });
    Some(calls.collect())
}

pub(super) fn outgoing(
    session: &Session,
    view: &View,
    of: &CallHierarchyItem,
) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let (snapshot, stack) = stack_of(view, of)?;
    let path = path_of(&of.uri)?;
    let encoding = session.settings().encoding;
    let source = snapshot.source(&path);
    let shown = source.map(|source| {
        let at = |position| offset(source, position, encoding);
        let (start, end) = (at(of.selection_range.start), at(of.selection_range.end));
        Span {
            start,
            end: end.max(start),
        }
    });
    let shown = shown.unwrap_or(Span::at(0));
    let owners = ide::read_by(snapshot, stack, &path, shown).into_iter();
    let calls = owners.filter_map(|it| {
        Some(CallHierarchyOutgoingCall {
            to: item(session, snapshot, &it.other)?,
            from_ranges: ranges(session, snapshot, &path, &it),
        })
    });
    Some(calls.collect())
}

/// The stack that an item is, unless it is gone.
fn stack_of<'a>(view: &'a View, item: &CallHierarchyItem) -> Option<(&'a Snapshot, usize)> {
    let which = Which::deserialize(item.data.as_ref()?).ok()?;
    let mut snapshots = view.parts.iter().map(|it| &it.snapshot);
    let snapshot = snapshots.find(|it| *it.root == *which.root)?;
    Some((snapshot, ide::stack_named(snapshot, &which.stack)?))
}

fn item(session: &Session, snapshot: &Snapshot, at: &StackAt) -> Option<CallHierarchyItem> {
    let stack = &snapshot.stacks[at.stack];
    let header = located(session, snapshot, &at.target.place)?;
    let whole = Place {
        span: at.target.whole,
        ..at.target.place.clone()
    };
    let which = Which {
        root: snapshot.root.to_path_buf(),
        stack: stack.name.to_string(),
    };
    Some(CallHierarchyItem {
        name: stack.name.to_string(),
        kind: SymbolKind::MODULE,
        tags: None,
        detail: Some(snapshot.relative(&at.target.place.path).into()),
        uri: header.uri,
        range: located(session, snapshot, &whole)?.range,
        selection_range: header.range,
        data: Some(serde_json::to_value(which).ok()?),
    })
}

/// The ranges of data sources in the file at which their stack is shown.
fn ranges(session: &Session, snapshot: &Snapshot, path: &Path, of: &Reading) -> Vec<Range> {
    let Some(source) = snapshot.source(path) else {
        return vec![Range::default()];
    };
    let spans = of.spans.iter();
    let encoding = session.settings().encoding;
    spans.map(|it| range(source, *it, encoding)).collect()
}
