//! Findings as SARIF 2.1.0, which forges and editors show.
//!
//! See <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>. Nothing in it tells of the
//! machine, and the same input gives the same bytes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Location, LogicalLocation, Message,
    MultiformatMessageString, PhysicalLocation, Region, Replacement, ReportingConfiguration,
    ReportingDescriptor, Result, ResultColumnKind, ResultLevel, Run, Sarif, ToolComponent, Version,
};
use sha2::{Digest, Sha256};

use crate::checks::{self, Check, Edit, Finding, Severity};
use crate::workspace::{Place, Snapshot};

use super::check::Checked;
use super::forge::Forge;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The root of the repository. Whoever reads the file knows where it lies: a path of the machine
/// that wrote it would help nobody.
const SOURCE_ROOT: &str = "%SRCROOT%";

/// What stands in a URI as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The log of one check.
pub(super) fn log(checked: &Checked) -> Sarif {
    let forge = Forge::new(checked.snapshot);
    let mut seen = HashMap::new();
    let results = checked.findings.iter().map(|finding| {
        let fingerprint = fingerprint(checked.snapshot, finding, &mut seen);
        result(checked.snapshot, &forge, finding, fingerprint)
    });
    let driver = ToolComponent::builder()
        .name("gantrycd-ls")
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(checks::ALL.iter().map(rule).collect::<Vec<_>>())
        .build();
    let run = Run::builder()
        .tool(driver)
        .column_kind(json!(ResultColumnKind::Utf16CodeUnits))
        .results(results.collect::<Vec<_>>())
        .build();
    Sarif::builder()
        .schema(SCHEMA)
        .version(json!(Version::V2_1_0))
        .runs(vec![run])
        .build()
}

fn rule(check: &Check) -> ReportingDescriptor {
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    let mut help = text(check.page);
    help.markdown = Some(check.page.to_owned());
    ReportingDescriptor::builder()
        .id(check.code)
        .short_description(text(check.what()))
        .help(help)
        .default_configuration(
            ReportingConfiguration::builder()
                .level(json!(level(check.severity)))
                .build(),
        )
        .build()
}

fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Information | Severity::Hint => ResultLevel::Note,
    }
}

fn result(snapshot: &Snapshot, forge: &Forge, finding: &Finding, fingerprint: String) -> Result {
    let rule = checks::ALL.iter().position(|it| it.code == finding.code);
    let mut location = location(forge, &finding.place);
    location.logical_locations = logical(finding).map(|it| vec![it]);
    let related = finding.related.iter().zip(1..).map(|(it, id)| {
        let mut location = self::location(forge, &it.place);
        location.id = Some(id);
        location.message = Some(Message::from(&it.message));
        location
    });
    let fixes = finding.fixes(snapshot).into_iter();
    let fixes = fixes.map(|it| fix(forge, &it));
    let mut result = Result::builder()
        .rule_id(finding.code)
        .level(level(finding.severity))
        .message(Message::from(&finding.message))
        .locations(vec![location])
        .related_locations(related.collect::<Vec<_>>())
        .fixes(fixes.collect::<Vec<_>>())
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint)]))
        .build();
    result.rule_index = rule.map(|it| it as i64);
    result
}

/// The name and the version of what [`fingerprint`] gives. GitHub's own name for one is not taken:
/// its upload works out its own, and tells of every difference.
const FINGERPRINT: &str = "gantrycdFinding/v1";

/// By this a forge knows a finding again. The code, the file below the workspace's root, the stack,
/// the address and the text that is underlined go in; where the workspace lies and on which line the
/// text stands do not, and neither does the message, which counts what else there is. Findings that
/// are equal in all this are numbered in their order.
fn fingerprint(
    snapshot: &Snapshot,
    finding: &Finding,
    seen: &mut HashMap<[u8; 32], usize>,
) -> String {
    let source = snapshot.source(&finding.place.path);
    let path = snapshot.relative(&finding.place.path);
    let mut hash = Sha256::new();
    for part in [
        finding.code,
        &path,
        finding.stack.as_deref().unwrap_or_default(),
        finding.address.as_deref().unwrap_or_default(),
        source.map_or("", |it| it.slice(finding.place.span)),
    ] {
        // no two lists of parts are one run of bytes
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let hash: [u8; 32] = hash.finalize().into();
    let count = seen.entry(hash).or_default();
    *count += 1;
    let hex: String = hash[..16].iter().map(|it| format!("{it:02x}")).collect();
    format!("{hex}:{count}")
}

/// The stack and the address.
fn logical(finding: &Finding) -> Option<LogicalLocation> {
    let stack = finding.stack.as_deref()?;
    Some(match &finding.address {
        Some(address) => LogicalLocation::builder()
            .name(address)
            .fully_qualified_name(format!("{stack}/{address}"))
            .kind("resource")
            .build(),
        None => LogicalLocation::builder()
            .name(stack)
            .fully_qualified_name(stack)
            .kind("module")
            .build(),
    })
}

fn location(forge: &Forge, place: &Place) -> Location {
    Location::builder()
        .physical_location(
            PhysicalLocation::builder()
                .artifact_location(artifact(forge.root, &place.path))
                .region(region(forge, place))
                .build(),
        )
        .build()
}

fn region(forge: &Forge, place: &Place) -> Region {
    let at = forge.region(place);
    Region::builder()
        .start_line(at.start_line)
        .start_column(at.start_column)
        .end_line(at.end_line)
        .end_column(at.end_column)
        .build()
}

fn artifact(root: &Path, path: &Path) -> ArtifactLocation {
    let segments = |path: &Path| {
        let segments = path.components().filter_map(|it| match it {
            Component::RootDir => None,
            it => Some(percent_encode(it.as_os_str().as_encoded_bytes(), KEPT).to_string()),
        });
        segments.collect::<Vec<_>>().join("/")
    };
    match path.strip_prefix(root) {
        Ok(below) => ArtifactLocation::builder()
            .uri(segments(below))
            .uri_base_id(SOURCE_ROOT)
            .build(),
        Err(_) => ArtifactLocation::builder()
            .uri(format!("file:///{}", segments(path)))
            .build(),
    }
}

fn fix(forge: &Forge, fix: &checks::Fix) -> Fix {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|it| &it.place);
    let changes = edits
        .chunk_by(|a, b| a.place.path == b.place.path)
        .map(|edits| {
            let replacements = edits.iter().map(|it| replacement(forge, it));
            ArtifactChange::builder()
                .artifact_location(artifact(forge.root, &edits[0].place.path))
                .replacements(replacements.collect::<Vec<_>>())
                .build()
        });
    Fix::builder()
        .description(Message::from(&fix.title))
        .artifact_changes(changes.collect::<Vec<_>>())
        .build()
}

fn replacement(forge: &Forge, edit: &Edit) -> Replacement {
    Replacement::builder()
        .deleted_region(region(forge, &edit.place))
        .inserted_content(ArtifactContent::builder().text(&edit.new_text).build())
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_relative_uri() {
        let uri = |path: &str| artifact(Path::new("/repo"), Path::new(path)).uri.unwrap();
        assert_eq!(uri("/repo/a b/ü:%#?.tf"), "a%20b/%C3%BC%3A%25%23%3F.tf");
        assert_eq!(uri("/repo/live/main_v2-x~.tf"), "live/main_v2-x~.tf");
        // a state that another repository keeps
        assert_eq!(uri("/other one/x.tfstate"), "file:///other%20one/x.tfstate");
        let elsewhere = artifact(Path::new("/repo"), Path::new("/other/x.tfstate"));
        assert_eq!(elsewhere.uri_base_id, None);
    }
}
