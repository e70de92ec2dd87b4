//! What can be wrong, one file per finding: its meaning, its code, its quick fix.
//!
//! A check sees a snapshot and proves what it reports from it. Knows nothing of editors. The doc
//! comment of its file is the source of its help page in `docs/checks`, as `page.rs` says.

mod age;
mod bare_null;
mod declaration_does_not_reach;
mod dependency_cycle;
mod duplicate;
mod duplicate_identity;
mod duplicate_in_stack;
mod emulator_without_realm;
mod entries;
mod findings;
mod fix;
mod identity_in_default_tags;
mod ignored_tags;
mod keys;
mod lists;
mod lonely_realm;
mod malformed_ignore;
mod malformed_realm;
mod misplaced_ignore;
mod nearest;
#[cfg(test)]
mod reported;
mod sensitive_declaration;
pub mod settings;
mod shares;
mod syntax;
mod tag_fix;
mod unknown_gantrycd_tag;
mod unreadable_state;
mod unsupported_provider;
mod untaggable_type;
mod unused_ignore;
mod workspace_file;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

pub use age::age;
pub use declaration_does_not_reach::{Unreached, unreached};
pub use dependency_cycle::circles;
pub use findings::Findings;
pub use fix::{Edit, Fix, ignore_comment};
pub use lists::Lists;
pub use settings::{Settings, glob_of};

use crate::text::Span;
use crate::workspace::{Change, Group, Place, RowRef, Snapshot};

use shares::{Shares, Wrong};

/// All checks, in the order of the specification.
pub const ALL: &[Check] = &[
    malformed_realm::CHECK,
    duplicate_identity::CHECK,
    duplicate_in_stack::CHECK,
    untaggable_type::CHECK,
    declaration_does_not_reach::CHECK,
    identity_in_default_tags::CHECK,
    bare_null::CHECK,
    sensitive_declaration::CHECK,
    unknown_gantrycd_tag::CHECK,
    ignored_tags::CHECK,
    unsupported_provider::CHECK,
    malformed_ignore::CHECK,
    misplaced_ignore::CHECK,
    unused_ignore::CHECK,
    lonely_realm::CHECK,
    emulator_without_realm::CHECK,
    dependency_cycle::CHECK,
    unreadable_state::CHECK,
    syntax::CHECK,
    workspace_file::CHECK,
];

/// One kind of finding.
pub struct Check {
    /// Its stable code.
    pub code: &'static str,
    /// Its help page, in Markdown.
    pub page: &'static str,
    /// How grave it is unless somebody sets it otherwise.
    pub severity: Severity,
    looks: Looks,
    /// What would mend a finding of it: asked when somebody wants to know.
    fixes: fn(&Snapshot, &Finding) -> Vec<Fix>,
}

/// What a check looks at to find something, and how it does.
enum Looks {
    /// At one file by itself.
    File(fn(&Snapshot, &Arc<Path>) -> Vec<Finding>),
    /// At one stack by itself. What the stacks say of one place is told as one finding.
    Stack(fn(&Snapshot, usize, &mut Shares), fn(Wrong) -> Finding),
    /// At one group of duplicates.
    Group(fn(&Snapshot, &Group) -> Vec<Finding>),
    /// At all stacks together.
    All(fn() -> Box<dyn Across>),
}

/// A check that looks at all stacks together. It keeps what little it needs to know of each.
trait Across: Send + Sync {
    /// Follows a change to the snapshot that it led to. Whether there may be other findings by it.
    fn follow(&mut self, snapshot: &Snapshot, change: &Change) -> bool;

    /// What is found in the snapshot that was followed to.
    fn findings(&self, snapshot: &Snapshot) -> Vec<Finding>;
}

impl Check {
    /// Whether it takes more than one stack to find something.
    pub fn is_cross_stack(&self) -> bool {
        matches!(self.looks, Looks::Group(_) | Looks::All(_))
    }

    /// What it finds, in one sentence of Markdown: the first paragraph of its page.
    pub fn what(&self) -> &'static str {
        self.page.split("\n\n").nth(1).unwrap_or_default()
    }

    /// What it finds and why it matters, in Markdown: its page as far as the settings.
    pub fn about(&self) -> &'static str {
        let text = self.page.split_once("\n\n").map_or("", |(_, it)| it);
        let end = text.find("\n\nIts severity is");
        &text[..end.unwrap_or(text.len())]
    }

    /// The check of this code.
    pub fn of(code: &str) -> Option<&'static Check> {
        ALL.iter().find(|it| it.code == code)
    }

    /// How grave it is in an editor unless somebody sets it otherwise: there the language's own
    /// server tells of errors of syntax.
    pub fn severity_in_editor(&self) -> Severity {
        match self.code == syntax::CHECK.code {
            true => Severity::Hint,
            false => self.severity,
        }
    }
}

/// How grave a finding is, the gravest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // the protocol's own four
pub enum Severity {
    Hint,
    Information,
    Warning,
    Error,
}

impl Severity {
    /// As it stands in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Hint => "hint",
            Severity::Information => "information",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Something that is provably wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The code of its check.
    pub code: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, and what gantrycd does about it.
    pub message: String,
    /// What is underlined.
    pub place: Place,
    /// The stack that it is about; of several, the first by name.
    pub stack: Option<Box<str>>,
    /// The address that it is about; of several, the first.
    pub address: Option<String>,
    /// Other places that take part.
    pub related: Vec<Related>,
    /// The stacks without whose states it would not be found, by their positions.
    rests_on: Vec<usize>,
    /// Whether it is about text that does nothing, which an editor may fade.
    pub is_unnecessary: bool,
    /// Whether a person set how grave it is.
    is_graded: bool,
    /// What would mend it, where that came of looking for it.
    ready: Option<Fix>,
}

/// Another place that takes part in a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// What stands there.
    pub message: String,
    /// Where.
    pub place: Place,
}

/// All findings of a snapshot that a person wants to see, sorted by file and place. `editor` are the
/// settings of an editor, which win over the workspace file's.
pub fn run(snapshot: &Snapshot, editor: &Settings) -> Vec<Finding> {
    let findings = Findings::new(snapshot, editor);
    findings.lists().all().cloned().collect()
}

/// Leaves one of what stands at one place of one text, whatever names the file has: where it really
/// is, or else the first. An editor shows it under the name that it was opened by, and needs all.
pub fn once_for_each_text(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    let text = |it: &Finding| {
        let real = snapshot.real(&it.place.path).to_path_buf();
        (real, it.place.span, it.code)
    };
    let mut names: HashMap<_, Arc<Path>> = HashMap::new();
    for finding in &*findings {
        let path = &finding.place.path;
        let name = names.entry(text(finding)).or_insert_with(|| path.clone());
        if snapshot.real(path) == &**path {
            *name = path.clone();
        }
    }
    findings.retain(|it| names.get(&text(it)) == Some(&it.place.path));
}

impl Finding {
    /// What would mend it, the likeliest first. `snapshot` is the one that it was found in.
    pub fn fixes(&self, snapshot: &Snapshot) -> Vec<Fix> {
        let check = Check::of(self.code);
        let fixes = check.map_or_else(Vec::new, |it| (it.fixes)(snapshot, self));
        fixes
            .into_iter()
            .map(|it| it.with_stacks(snapshot))
            .collect()
    }

    /// How grave it is in an editor.
    pub fn severity_in_editor(&self) -> Severity {
        let check = Check::of(self.code).filter(|_| !self.is_graded);
        let most = check.map(Check::severity_in_editor);
        most.map_or(self.severity, |most| self.severity.min(most))
    }

    /// A finding at a place, with nothing else to it. Its code is set by [`Findings`].
    fn new(severity: Severity, path: &Arc<Path>, span: Span, message: String) -> Self {
        Self {
            code: "",
            severity,
            message,
            place: Place {
                path: path.clone(),
                span,
            },
            stack: None,
            address: None,
            related: Vec::new(),
            is_unnecessary: false,
            rests_on: Vec::new(),
            is_graded: false,
            ready: None,
        }
    }

    /// The same finding about a row.
    fn about(mut self, snapshot: &Snapshot, row: RowRef) -> Self {
        self.stack = Some(snapshot.stack(row).name.clone());
        self.address = Some(snapshot.address(row).to_string());
        self
    }
}

/// Of a check whose findings only a person can mend.
fn no_fixes(_: &Snapshot, _: &Finding) -> Vec<Fix> {
    Vec::new()
}

/// More places than these are counted, not listed.
const MOST_RELATED: usize = 20;

/// Of a check that knows what would mend a finding as soon as it has found it.
fn ready(_: &Snapshot, finding: &Finding) -> Vec<Fix> {
    finding.ready.iter().cloned().collect()
}

/// Leaves out related places that are too many, and has the last one say how many they are.
fn capped(mut related: Vec<Related>) -> Vec<Related> {
    let more = related.len().saturating_sub(MOST_RELATED);
    related.truncate(MOST_RELATED);
    count_more(&mut related, more);
    related
}

/// Has the last related place say how many more there are.
fn count_more(related: &mut [Related], more: usize) {
    if let Some(last) = related.last_mut().filter(|_| more > 0) {
        last.message += &format!(", and {more} more");
    }
}

/// A list of `count` names as a person would write it: `a`, `a and b`, `a, b and 7 more`. No more of
/// them are asked for than are named.
fn listed(count: usize, names: impl IntoIterator<Item = String>) -> String {
    let named = if count > 3 { 2 } else { count };
    let names: Vec<_> = names.into_iter().take(named).collect();
    match (&names[..], count - named) {
        (rest, more @ 1..) => format!("{} and {more} more", rest.join(", ")),
        ([rest @ .., last], _) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        (names, _) => names.concat(),
    }
}

#[cfg(test)]
mod followed;
#[cfg(test)]
mod page;
