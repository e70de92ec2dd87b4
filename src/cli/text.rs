//! Findings with the source that they stand in, for a person at a terminal.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::checks::{Finding, Severity};
use crate::text::visible;
use crate::workspace::{Place, Snapshot};

use super::check::Checked;

/// All findings and a last line that counts them.
pub(super) fn render(checked: &Checked, coloured: bool) -> String {
    let renderer = match coloured {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let mut out = String::new();
    for finding in checked.findings {
        out += &renderer.render(&report(checked.snapshot, finding));
        out += "\n\n";
    }
    out + &last_line(checked)
}

/// The last line, alone where there is something to count.
pub(super) fn render_quietly(checked: &Checked) -> String {
    match checked.findings {
        [] => String::new(),
        _ => last_line(checked),
    }
}

fn last_line(checked: &Checked) -> String {
    let summary = &checked.summary;
    let others = checked.findings.len() - summary.errors - summary.warnings;
    let stacks = checked.snapshot.stacks.iter();
    // of what they manage nothing is found: none of them looks clean by that
    let stateless = match stacks.filter(|it| it.state.is_none()).count() {
        0 => String::new(),
        count => format!(", {count} without a state"),
    };
    format!(
        "{}, {}, {} in {} ({}, {}{stateless})\n",
        counted(summary.errors, "error"),
        counted(summary.warnings, "warning"),
        counted(others, "note"),
        counted(summary.stacks, "stack"),
        counted(summary.files, "file"),
        counted(summary.rows, "row"),
    )
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
    let path = visible(&snapshot.relative(&place.path));
    match snapshot.source(&place.path) {
        Some(source) => {
            // of a long file only the lines that are shown
            let from = source.line_start(place.span.start) as usize;
            let end = place.span.range().end;
            let rest = &source.text()[end..];
            let to = rest
                .find('\n')
                .map_or(source.text().len(), |it| end + it + 1);
            let line = source.position(place.span.start, Default::default()).line;
            Snippet::source(&source.text()[from..to])
                .line_start(line as usize + 1)
                .path(path)
                .annotation(kind.span(place.span.range().start - from..end - from))
                .into()
        }
        None => Origin::path(path).into(),
    }
}
