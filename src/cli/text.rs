//! Findings with the source that they stand in, for a person at a terminal.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::checks::{Finding, Severity};
use crate::workspace::{Place, Snapshot};

use super::check::Summary;

/// All findings and a last line that counts them. Coloured on a terminal only.
pub(super) fn render(snapshot: &Snapshot, findings: &[Finding], summary: &Summary) -> String {
    let renderer = match super::coloured() {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let mut out = String::new();
    for finding in findings {
        out += &renderer.render(&report(snapshot, finding));
        out += "\n\n";
    }
    let others = findings.len() - summary.errors - summary.warnings;
    out += &format!(
        "{}, {}, {} in {} ({}, {})\n",
        counted(summary.errors, "error"),
        counted(summary.warnings, "warning"),
        counted(others, "note"),
        counted(summary.stacks, "stack"),
        counted(summary.files, "file"),
        counted(summary.rows, "row"),
    );
    out
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

fn report<'a>(snapshot: &'a Snapshot, finding: &'a Finding) -> Vec<Group<'a>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO.with_name("information"),
        Severity::Hint => Level::HELP.with_name("hint"),
    };
    let title = level.primary_title(&*finding.message).id(finding.code);
    let place = element(snapshot, &finding.place, AnnotationKind::Primary);
    let mut groups = vec![title.element(place)];
    for related in &finding.related {
        let title = Level::NOTE.secondary_title(&*related.message);
        groups.push(title.element(element(snapshot, &related.place, AnnotationKind::Context)));
    }
    groups
}

/// The line of a place with its span underlined; of a file that is no text of ours, its name.
fn element<'a>(snapshot: &'a Snapshot, place: &Place, kind: AnnotationKind) -> Element<'a> {
    let path = snapshot.relative(&place.path).into_string();
    match snapshot.source(&place.path) {
        Some(source) => Snippet::source(source.text())
            .path(path)
            .annotation(kind.span(place.span.range()))
            .into(),
        None => Origin::path(path).into(),
    }
}
