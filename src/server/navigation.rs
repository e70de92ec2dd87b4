//! From a place in a file to others that have to do with the same object: definitions, references and
//! links.

use std::path::PathBuf;

use tower_lsp::ls_types::{
    DocumentLink, GotoDefinitionResponse, Location, LocationLink, ReferenceParams,
    TextDocumentPositionParams, Uri,
};

use crate::ide::{self, Target};
use crate::text::Source;
use crate::workspace::{Place, Snapshot};

use super::convert::{link, location, offset, path_of, range};
use super::session::Session;
use super::view::View;

/// A file, and the workspace that it belongs to.
pub(super) struct Here<'a> {
    pub(super) path: PathBuf,
    pub(super) snapshot: &'a Snapshot,
    pub(super) source: &'a Source,
}

impl<'a> Here<'a> {
    /// `None` of a file that is no configuration.
    pub(super) fn new(view: &'a View, uri: &Uri) -> Option<Self> {
        let path = path_of(uri)?;
        let snapshot = &view.part(&path)?.snapshot;
        Some(Self {
            source: snapshot.source(&path)?,
            snapshot,
            path,
        })
    }
}

/// Where a place is, as the client spells its file.
pub(super) fn located(session: &Session, snapshot: &Snapshot, place: &Place) -> Option<Location> {
    let at = location(snapshot, place, session.settings().encoding)?;
    Some(Location {
        uri: session.uri_of(&place.path)?,
        ..at
    })
}

pub(super) fn definition(
    session: &Session,
    view: &View,
    at: &TextDocumentPositionParams,
) -> Option<GotoDefinitionResponse> {
    let settings = session.settings();
    let here = Here::new(view, &at.text_document.uri)?;
    let offset = offset(here.source, at.position, settings.encoding);
    let definition = ide::definition(here.snapshot, &here.path, offset)?;
    let located = |place: &Place| located(session, here.snapshot, place);
    let targets = definition.targets.iter();
    if !settings.links_definitions {
        let locations = targets.filter_map(|it| located(&it.place));
        return Some(GotoDefinitionResponse::Array(locations.collect()));
    }
    let origin = range(here.source, definition.span, settings.encoding);
    let link = |it: &Target| {
        let whole = Place {
            span: it.whole,
            ..it.place.clone()
        };
        let (at, whole) = (located(&it.place)?, located(&whole)?);
        Some(LocationLink {
            origin_selection_range: Some(origin),
            target_uri: at.uri,
            target_range: whole.range,
            target_selection_range: at.range,
        })
    };
    Some(GotoDefinitionResponse::Link(
        targets.filter_map(link).collect(),
    ))
}

pub(super) fn references(
    session: &Session,
    view: &View,
    params: &ReferenceParams,
) -> Option<Vec<Location>> {
    let at = &params.text_document_position;
    let here = Here::new(view, &at.text_document.uri)?;
    let offset = offset(here.source, at.position, session.settings().encoding);
    let declaration = params.context.include_declaration;
    let targets = ide::references(here.snapshot, &here.path, offset, declaration);
    let locations = targets.iter();
    let locations = locations.filter_map(|it| located(session, here.snapshot, &it.place));
    let locations: Vec<_> = locations.collect();
    (!locations.is_empty()).then_some(locations)
}

pub(super) fn links(session: &Session, view: &View, uri: &Uri) -> Option<Vec<DocumentLink>> {
    let here = Here::new(view, uri)?;
    let links = ide::links(here.snapshot, &here.path);
    let links = links.into_iter().filter_map(|it| {
        let target = link(here.snapshot, &it.target.place)?;
        Some(DocumentLink {
            range: range(here.source, it.span, session.settings().encoding),
            target: Some(target.parse().ok()?),
            tooltip: Some(it.tooltip),
            data: None,
        })
    });
    Some(links.collect())
}
