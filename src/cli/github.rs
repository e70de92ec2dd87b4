//! Findings as annotations of a GitHub workflow: one command for each, on a line of its own.
//!
//! See <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>; how values
//! are escaped stands in `command.ts` of the toolkit.

use std::fmt::Write;

use crate::checks::Severity;

use super::check::Checked;
use super::forge::Forge;

/// Nothing where nothing was found.
pub(super) fn render(checked: &Checked) -> String {
    let forge = Forge::new(checked.snapshot);
    let mut out = String::new();
    for finding in checked.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "notice",
        };
        let path = property(&forge.path(&finding.place));
        let at = forge.region(&finding.place);
        _ = write!(
            out,
            "::{command} file={path},line={},endLine={}",
            at.start_line, at.end_line
        );
        // columns are refused where the lines differ
        if at.start_line == at.end_line {
            _ = write!(out, ",col={},endColumn={}", at.start_column, at.end_column);
        }
        let (title, message) = (property(finding.code), data(&forge.message(finding)));
        _ = writeln!(out, ",title={title}::{message}");
    }
    out
}

fn data(text: &str) -> String {
    let shown = |c: char| match c {
        '%' => "%25".to_owned(),
        '\r' => "%0D".to_owned(),
        '\n' => "%0A".to_owned(),
        // it would speak to whoever reads the log
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_or_a_property_is_escaped() {
        assert_eq!(data("100%: a,\r\nb::c"), "100%25: a,%0D%0Ab::c");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
