//! Rows and stacks of all workspaces by what a person knows of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tower_lsp::ls_types::{OneOf, SymbolKind, WorkspaceSymbol};

use crate::ide::{self, MOST_SYMBOLS};

use super::navigation::located;
use super::session::Session;
use super::view::View;

/// Whoever waits for an answer. When they are gone, the answer is of no consequence.
#[derive(Default)]
pub(super) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// What says whether they are gone.
    pub(super) fn gone(&self) -> impl Fn() -> bool + Sync + Send + 'static {
        let gone = self.0.clone();
        move || gone.load(Ordering::Relaxed)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) fn symbols(
    session: &Session,
    view: &View,
    query: &str,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<WorkspaceSymbol> {
    let of_part = |snapshot| {
        let symbols = ide::symbols(snapshot, query, is_cancelled).into_iter();
        symbols.map(move |it| (snapshot, it))
    };
    let snapshots = view.parts.iter().map(|it| &it.snapshot);
    let mut found: Vec<_> = snapshots.flat_map(of_part).collect();
    found.sort_by_key(|(_, it)| it.rank);
    found.truncate(MOST_SYMBOLS);
    let symbol = |(snapshot, it): (_, ide::Symbol)| {
        Some(WorkspaceSymbol {
            location: OneOf::Left(located(session, snapshot, &it.place)?),
            name: it.name,
            // of those that every client knows
            kind: match it.kind {
                ide::SymbolKind::Stack => SymbolKind::MODULE,
                ide::SymbolKind::Resource => SymbolKind::CLASS,
                ide::SymbolKind::Data => SymbolKind::VARIABLE,
            },
            tags: None,
            container_name: it.container,
            data: None,
        })
    };
    found.into_iter().filter_map(symbol).collect()
}
