//! Findings as a test report, for the dashboards of pipelines.
//!
//! A suite is a file, since every finding stands in one, a dashboard links to one, and a literal of a
//! module may concern many stacks. A test case is a finding. Its name is the code and the address,
//! without a line: a dashboard knows a case by its name, and a finding that moved down is no new one.
//! What does not fail the run is a case that passes and tells of itself in its output, so that a red
//! case means a red job. A clean run is one case that passes: an empty report counts as a lost one.

use std::collections::HashMap;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::checks::{Finding, Severity};

use super::check::Checked;
use super::forge::Forge;

/// The report. Findings from `failing` upward are failures.
///
/// # Errors
/// When it cannot be written as XML.
pub(super) fn render(checked: &Checked, failing: Severity) -> Result<String, String> {
    let forge = Forge::new(checked.snapshot);
    let mut report = quick_junit::Report::new("gantrycd-ls");
    for findings in checked
        .findings
        .chunk_by(|a, b| a.place.path == b.place.path)
    {
        let path = xml(&forge.path(&findings[0].place));
        let mut suite = TestSuite::new(&path);
        let mut names = HashMap::new();
        for finding in findings {
            let name = name(finding, &mut names);
            let mut case = case(&forge, finding, name, failing);
            case.set_classname(&path);
            case.extra.insert("file".into(), path.as_str().into());
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    if checked.findings.is_empty() {
        let mut suite = TestSuite::new("gantrycd-ls");
        let mut case = TestCase::new("check", TestCaseStatus::success());
        case.set_classname("gantrycd-ls");
        suite.add_test_case(case);
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|it| it.to_string())
}

/// The second of two findings that would be called the same is counted: dashboards drop one.
fn name(finding: &Finding, seen: &mut HashMap<String, usize>) -> String {
    let mut name = finding.code.to_owned();
    if let Some(address) = &finding.address {
        name += &format!(" {address}");
    }
    let count = seen.entry(name.clone()).or_default();
    *count += 1;
    match *count {
        1 => name,
        n => format!("{name} ({n})"),
    }
}

fn case(forge: &Forge, finding: &Finding, name: String, failing: Severity) -> TestCase {
    let at = forge.region(&finding.place);
    let told = format!(
        "{}:{}:{}: {}: {}",
        forge.path(&finding.place),
        at.start_line,
        at.start_column,
        finding.severity.as_str(),
        forge.message(finding)
    );
    if finding.severity < failing {
        let mut case = TestCase::new(xml(&name), TestCaseStatus::success());
        case.set_system_out(xml(&told));
        return case;
    }
    let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
    failure.set_type(finding.code);
    failure.set_message(xml(&finding.message));
    failure.set_description(xml(&told));
    TestCase::new(xml(&name), failure)
}

/// Control characters as their pictures, as the text for a person shows them: XML has no way to
/// write them, and without them a message would say something else.
fn xml(text: &str) -> String {
    let picture = |c: char| match c {
        '\n' | '\t' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(picture).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_shown() {
        assert_eq!(xml("a\x1b[31mb\r\0\n\u{fffe}é"), "a␛[31mb␍␀\n\u{fffd}é");
    }
}
