//! An explanation for a person, as text in letters of one width: 96 columns wide at most unless an id
//! is longer. Knows nothing of where it is shown.

mod planned;
mod recorded;

use crate::identity::{Identity, Mode, NoIdentity, Realm};
use crate::text::{Encoding, visible};
use crate::workspace::{Place, Row, RowRef, Snapshot, header};

use super::{Asked, Explained, Found, Near, Relation};

/// Lines of prose are not longer, in characters.
const WIDTH: usize = 96;

/// More names than these are counted, not listed.
const MOST: usize = 10;

/// All that was found: a list when it is more than one, then each by itself. `coloured` is for
/// terminals that understand it.
pub fn render(
    snapshot: &Snapshot,
    subject: &str,
    found: &Found,
    all: &[Explained],
    coloured: bool,
) -> String {
    let mut page = Page {
        snapshot,
        coloured,
        out: String::new(),
    };
    if all.len() > 1 || found.more > 0 || found.asked == Asked::Identity {
        page.list(subject, found, all);
    }
    for it in all {
        page.resource(it);
    }
    page.out
}

struct Page<'a> {
    snapshot: &'a Snapshot,
    coloured: bool,
    out: String,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out += text.trim_end();
        self.out.push('\n');
    }

    /// A line of its own, with an empty one before it unless it is the first.
    fn heading(&mut self, text: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let text = match self.coloured {
            true => format!("\u{1b}[1m{text}\u{1b}[0m"),
            false => text.to_owned(),
        };
        self.line(&text);
    }

    /// A heading with a line under it.
    fn title(&mut self, text: &str) {
        self.heading(text);
        self.line(&"─".repeat(text.chars().count()));
    }

    /// `label  text`, with what does not fit below the text.
    fn field(&mut self, label: &str, text: &str) {
        self.indented(&format!("  {label:<10} "), text);
    }

    /// The same within a section.
    fn inner(&mut self, label: &str, text: &str) {
        self.indented(&format!("    {label:<14} "), text);
    }

    /// `lead` and the text behind it, wrapped.
    fn indented(&mut self, lead: &str, text: &str) {
        let indent = lead.chars().count();
        for (at, line) in wrapped(text, WIDTH - indent).iter().enumerate() {
            match at {
                0 => self.line(&format!("{lead}{line}")),
                _ => self.line(&format!("{:indent$}{line}", "")),
            }
        }
    }

    fn dim(&self, text: &str) -> String {
        match self.coloured {
            true => format!("\u{1b}[2m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }

    // -- the list

    fn list(&mut self, subject: &str, found: &Found, all: &[Explained]) {
        self.title(&visible(subject));
        let rows = all.iter().map(|it| (self.name(it), self.relation(it)));
        let rows: Vec<_> = rows.collect();
        let width = |of: &dyn Fn(&(String, String)) -> usize| rows.iter().map(of).max();
        let names = width(&|it| it.0.chars().count()).unwrap_or(0);
        let fits = width(&|it| names + it.1.chars().count()) <= Some(WIDTH - 4);
        for (name, relation) in &rows {
            match fits {
                true => self.line(&format!("  {name:<names$}  {relation}")),
                false => {
                    self.line(&format!("  {name}"));
                    self.indented("      ", relation);
                }
            }
        }
        if found.more > 0 {
            let more = found.more;
            self.line(&format!("  and {more} more: a key or --stack narrows it"));
        }
    }

    fn relation(&self, it: &Explained) -> String {
        match it.relation {
            Relation::Claims => "claims it".to_owned(),
            Relation::WillClaim => "will claim it after the next apply".to_owned(),
            Relation::Reads => "reads it".to_owned(),
            Relation::WillRead => "will read it after the next apply".to_owned(),
            Relation::Records => format!("records this arn: {}", self.summary(it)),
            Relation::Is => self.summary(it),
        }
    }

    fn name(&self, it: &Explained) -> String {
        let stack = &self.snapshot.stacks[it.stack].name;
        let record = it.record(self.snapshot);
        match record.and_then(|it| it.row.deposed.as_ref()) {
            Some(key) => visible(&format!("{} (deposed {key}) of {stack}", it.address)),
            None => visible(&format!("{} of {stack}", it.address)),
        }
    }

    /// What a resource is, in a line.
    fn summary(&self, it: &Explained) -> String {
        let row = it.row.map(|it| self.snapshot.row(it));
        let is_recorded = it.record(self.snapshot).is_some();
        match row.map(|it| (&it.claim, it.looks_up.as_deref(), it.planned_claim())) {
            Some((Ok(identity), ..)) => format!("claims {}", told(identity)),
            Some((Err(_), Some(identity), _)) => format!("reads {}", told(identity)),
            Some((Err(reason), ..)) if is_recorded => format!("no identity ({})", reason.name()),
            Some((.., Some(identity))) => format!("will claim {}", told(identity)),
            Some(_) | None => match row.and_then(Row::planned_look_up) {
                Some(identity) => format!("will read {}", told(identity)),
                None => "not in the state".to_owned(),
            },
        }
    }

    // -- one resource

    fn resource(&mut self, it: &Explained) {
        self.title(&self.name(it));
        self.outcome(it);
        let mode = match it.address.mode {
            Mode::Managed => "managed by the stack",
            Mode::Data => "a data source, which reads and never claims",
        };
        self.field("type", &format!("{}, {mode}", it.address.resource_type));
        let provider = it.source.as_deref();
        let provider = provider.unwrap_or("not known here");
        self.field("provider", &visible(provider));
        self.declared(it);
        self.state(it);
        if let Some(trace) = &it.trace {
            self.recorded(it, trace);
        }
        self.planned(it);
        self.others(it);
        if !it.findings.is_empty() {
            self.heading("  Findings");
            for finding in &it.findings {
                let place = self.place(&finding.place);
                let severity = finding.severity.as_str();
                self.line(&format!("    {severity}[{}] {place}", finding.code));
                self.indented("      ", &visible(&finding.message));
            }
        }
    }

    /// What it is, before all else.
    fn outcome(&mut self, it: &Explained) {
        let row = it.row.map(|it| self.snapshot.row(it));
        let Some(row) = row.filter(|_| it.record(self.snapshot).is_some()) else {
            let why = match self.refused_in_advance(it) {
                Some(reason) => format!("none: {reason}"),
                None => "none yet: it is not in the state".to_owned(),
            };
            return self.field("identity", &why);
        };
        match (&row.claim, row.looks_up.as_deref()) {
            (Ok(identity), _) => self.identity("identity", identity),
            (Err(NoIdentity::DataSource), Some(identity)) => self.identity("reads", identity),
            (Err(reason), _) => self.field("identity", &format!("none: {reason}")),
        }
    }

    /// Why what no state has will have no identity.
    fn refused_in_advance(&self, it: &Explained) -> Option<NoIdentity> {
        let source = it.source.as_ref();
        if source.is_some_and(|it| !self.snapshot.registry.supports(it)) {
            return Some(NoIdentity::UnsupportedProvider);
        }
        it.comment.as_ref().map(|_| NoIdentity::OptedOutByComment)
    }

    fn identity(&mut self, label: &str, identity: &Identity) {
        self.line(&format!("  {label:<10} {}", visible(&identity.id)));
        let realm = identity.realm.as_ref().map_or("none", |it| it.as_str());
        self.field("realm", realm);
    }

    fn declared(&mut self, it: &Explained) {
        let stack = &self.snapshot.stacks[it.stack];
        let Some(block) = &it.block else {
            return self.field(
                "declared",
                match stack.tree {
                    Some(_) => "by no block that was found",
                    None => "not known: the workspace has no configuration of this stack",
                },
            );
        };
        let place = self.place(&header(block));
        let text = match (block.block().keyword, &it.call) {
            ("resource" | "data", None) => place,
            ("resource" | "data", Some(call)) => {
                format!("{place}, by the module call at {}", self.place(call))
            }
            (keyword, _) => format!("by the `{keyword}` block at {place} alone"),
        };
        self.field("declared", &text);
    }

    // -- others

    fn others(&mut self, it: &Explained) {
        let (now, after) = (&it.claimed_by, &it.claimed_after);
        let only = |rows: &[RowRef], others: &[RowRef], within: bool| -> Vec<RowRef> {
            let rows = rows.iter().filter(|it| others.contains(it) == within);
            rows.copied().collect()
        };
        let own = it.row.map(|it| self.snapshot.row(it));
        let looks_up = own.is_some_and(|it| it.looks_up.is_some());
        let edges = [&it.readers, &it.readers_after, &it.owners, &it.owners_after];
        let unowned = looks_up && it.owners.is_empty();
        let mut silent = [now, after].into_iter().chain(edges);
        let silent = silent.all(|it| it.is_empty());
        if silent && !unowned && it.near.is_empty() {
            return;
        }
        self.heading("  Others");
        self.rows("also claimed by", &only(now, after, true));
        self.rows(
            "also claimed, until the next apply, by",
            &only(now, after, false),
        );
        self.rows(
            "also claimed, after the next apply, by",
            &only(after, now, false),
        );
        for (does, now, after) in [
            ("read", &it.readers, &it.readers_after),
            ("owned", &it.owners, &it.owners_after),
        ] {
            self.rows(&format!("{does} by"), &only(now, after, true));
            let until = format!("{does}, until the next apply, by");
            self.rows(&until, &only(now, after, false));
            let then = format!("{does}, after the next apply, by");
            self.rows(&then, &only(after, now, false));
        }
        if unowned {
            self.line("    owned by no stack of this workspace");
        }
        if it.near.is_empty() {
            return;
        }
        let own = own.and_then(|it| {
            let now = it.claim.as_ref().ok().or(it.looks_up.as_deref());
            now.or(it.planned_claim())
        });
        let but = match own.and_then(|it| it.realm.as_ref()) {
            Some(realm) => format!("not in realm {realm}"),
            None => "in a realm".to_owned(),
        };
        self.line(&format!(
            "    the same id and type, but {but}: another object"
        ));
        for near in it.near.iter().take(MOST) {
            self.near(near);
        }
        self.more(it.near.len());
    }

    fn rows(&mut self, label: &str, rows: &[RowRef]) {
        if rows.is_empty() {
            return;
        }
        self.line(&format!("    {label}"));
        for row in rows.iter().take(MOST) {
            let text = self.row(*row);
            self.line(&format!("      {text}"));
        }
        self.more(rows.len());
    }

    fn more(&mut self, count: usize) {
        if count > MOST {
            self.line(&format!("      and {} more", count - MOST));
        }
    }

    fn near(&mut self, near: &Near) {
        let does = match near.relation {
            Relation::Reads => "reads it",
            Relation::WillRead => "will read it",
            Relation::WillClaim => "will claim it",
            _ => "claims it",
        };
        let row = self.row(near.row);
        let theirs = realm(near.realm.as_ref());
        self.indented("      ", &format!("{row} {does} in {theirs}"));
    }

    fn row(&self, row: RowRef) -> String {
        let (address, stack) = (self.snapshot.address(row), &self.snapshot.stack(row).name);
        let stack = visible(stack);
        match self.snapshot.place(row) {
            Some(place) => format!("{address} of {stack} ({})", self.place(&place)),
            None => format!("{address} of {stack}"),
        }
    }

    /// `path:line:column`, both from 1; of a file that is no text of ours, its path.
    fn place(&self, place: &Place) -> String {
        let path = visible(&self.snapshot.relative(&place.path));
        match self.snapshot.source(&place.path) {
            Some(source) => {
                let at = source.position(place.span.start, Encoding::Utf32);
                format!("{path}:{}:{}", at.line + 1, at.character + 1)
            }
            None => path,
        }
    }
}

/// Stands behind the section that counts, of several.
const COUNTS: &str = "   <- counts";

fn realm(realm: Option<&Realm>) -> String {
    match realm {
        Some(realm) => format!("realm {realm}"),
        None => "no realm".to_owned(),
    }
}

fn told(identity: &Identity) -> String {
    visible(&identity.to_string())
}

/// The words of a text in lines of at most `width` characters. A longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("one line at least");
        let length = line.chars().count();
        match line.is_empty() {
            true => line.push_str(word),
            false if length + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            false => lines.push(word.to_owned()),
        }
    }
    lines
}
