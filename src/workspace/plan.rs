//! What each row of a stack will be after the next apply.

mod declared;
mod in_advance;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::config::{Merged, Part, mentions_a_tag};
use crate::eval::Value;
use crate::identity::{
    self, Address, IDENTITY_TAG, IdentityRegistry, Mode, ModulePath, Origin, REALM_TAG, Section,
};
use crate::state::Record;

use super::Stack;
use super::configured::{Configured, ConfiguredProvider, Reader};
use super::disk::Stamp;
use super::evaluation::{Evaluation, Unknown};
use super::kept::Kept;
use super::moves::Moves;
use super::outlook::{Outlook, Why};
use super::reading;
use super::rows::{Planned, PlannedRow, Row, Site, recorded};
use super::tree::Tree;
use super::variables::Given;
use declared::Within;

/// What is decided of a stack.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) rows: Vec<Row>,
    pub(super) planned_rows: Vec<PlannedRow>,
    pub(super) configured: Vec<Configured>,
}

impl Plan {
    /// Takes over a row that is not there yet.
    fn take_over(&mut self, (row, planned): (Row, PlannedRow)) {
        self.rows.push(row);
        self.planned_rows.push(planned);
    }
}

/// Decides about one stack.
pub(super) struct Decision<'a> {
    stack: &'a Stack,
    tree: &'a Tree,
    registry: &'a IdentityRegistry,
    evaluation: &'a Evaluation<'a>,
    reader: Reader<'a>,
    /// The same without the defaults of root variables. What a state says of a row that is there
    /// weighs more than they do.
    sure: &'a Evaluation<'a>,
    sure_reader: Reader<'a>,
    /// Whether anything in reach speaks of gantrycd: else no tag of any resource needs evaluation.
    pub(super) speaks: bool,
    /// The module that was asked about last: a state has the rows of a module together.
    last: RefCell<Option<(ModulePath, Rc<Within>)>>,
}

impl<'a> Decision<'a> {
    pub(super) fn new(
        stack: &'a Stack,
        tree: &'a Tree,
        registry: &'a IdentityRegistry,
        [evaluation, sure]: [&'a Evaluation<'a>; 2],
    ) -> Self {
        Self {
            stack,
            tree,
            registry,
            evaluation,
            reader: Reader::new(tree, evaluation),
            sure,
            sure_reader: Reader::new(tree, sure),
            speaks: false,
            last: RefCell::default(),
        }
    }

    /// Whether anything in reach speaks of gantrycd.
    pub(super) fn somebody_speaks(&self, given: &Given) -> bool {
        let files = self.tree.nodes().iter().flat_map(|it| &it.module.files);
        let mut files = files.filter(|it| it.mentions_gantrycd());
        files.next().is_some() || given.values.values().any(mentions_gantrycd)
    }

    fn resource(&self, site: Site) -> &Merged {
        &self.tree.nodes()[site.node].module.resources()[site.resource]
    }

    /// Decides about every row, now and after the next apply. What is kept is taken over.
    pub(super) fn plan(&mut self, kept: Option<&Kept>) -> Plan {
        let stack = self.stack;
        let mut plan = Plan::default();
        let known = |at| kept.and_then(|it| it.row(at));
        let mut known: Vec<_> = (0..stack.records().len()).map(known).collect();
        let mut addresses: FxHashSet<Address> = FxHashSet::default();
        let moves = Moves::of(self.tree);
        let open = stack.records().zip(&known).filter(|it| it.1.is_none());
        let old = open.map(|(it, _)| &it.row.address);
        let mut moved = moves.applied(old, &|it| self.is_declared(it)).into_iter();
        for (at, record) in stack.records().enumerate() {
            if let Some((row, configured)) = known[at].take() {
                plan.configured.extend(configured);
                plan.rows.push(row);
                continue;
            }
            let placed = moved.next().flatten();
            let address = placed.as_ref().unwrap_or(&record.row.address);
            let site = self.site(address);
            let mut row = recorded(self.registry, record, site, self.is_ignored(site));
            if site.is_none() {
                row.instead = self.removing(address).map(Box::new);
            }
            let outlook = self.outlook(at, record, &row, address);
            row.planned = outlook.planned;
            plan.configured.extend(outlook.configured);
            addresses.insert(address.clone());
            row.moved_to = placed.map(Box::new);
            plan.rows.push(row);
        }
        self.plan_imports(&mut addresses, &mut plan);
        self.plan_data_without_rows(&addresses, kept, &mut plan);
        if self.speaks {
            self.plan_without_rows(&addresses, kept, &mut plan);
        }
        for (at, configured) in plan.configured.iter().enumerate() {
            if let Some(row) = configured.row {
                plan.rows[row].configured = Some(at);
            }
        }
        plan
    }

    /// What the configuration says of every provider block.
    pub(super) fn providers(&mut self, kept: Option<&Kept>) -> Vec<ConfiguredProvider> {
        let nodes = 0..self.tree.nodes().len();
        let of = |node| match kept.filter(|it| it.has(node)) {
            Some(kept) => kept.providers(node).cloned().collect(),
            None => self.reader.providers(node),
        };
        nodes.flat_map(of).collect()
    }

    /// The modules that others asked for outputs of, sorted.
    pub(super) fn told(&self, kept: Option<&Kept>) -> Box<[u32]> {
        let mut told = self.evaluation.told();
        told.extend(self.sure.told());
        told.extend(kept.iter().flat_map(|it| it.told()));
        told.into_iter().collect()
    }

    /// The files that expressions asked for, as they are now.
    pub(super) fn asked(&self) -> Box<[(PathBuf, Option<Stamp>)]> {
        let both = self.evaluation.asked().chain(self.sure.asked());
        let both: BTreeMap<_, _> = both.collect();
        both.into_iter().collect()
    }

    /// Whether the tags of a row are worth knowing.
    fn concerns(&self, record: &Record) -> bool {
        self.speaks || is_tagged(record)
    }

    /// What becomes of record `at`, which is `row`, and which stands at `address` once it has moved.
    pub(super) fn outlook(
        &mut self,
        at: usize,
        record: &Record,
        row: &Row,
        address: &Address,
    ) -> Outlook {
        let mut outlook = match row.site {
            Some(site) if self.tree.nodes()[site.node].is_outdated => {
                Outlook::new(Planned::Same, Why::Outdated)
            }
            Some(site) if self.is_counted_out(address, site) => {
                Outlook::new(Planned::Gone, Why::CountedOut)
            }
            Some(site) if address.mode == Mode::Data => self.reading(record, address, site),
            Some(_) if !self.concerns(record) => Outlook::new(Planned::Same, Why::Unspoken),
            Some(site) => {
                let configured = self.reader.resource(site, address, Some(at));
                let mut outlook = self.tagged(record, row, &configured);
                if matches!(outlook.planned, Planned::Changed(_)) && is_tagged(record) {
                    let sure = self.sure_reader.resource(site, address, Some(at));
                    outlook = self.tagged(record, row, &sure);
                    if outlook.why == Why::NotKnown {
                        outlook.why = Why::DefaultsOnly;
                    }
                }
                outlook.configured = Some(configured);
                outlook
            }
            None if row.instead.is_some() => Outlook::new(Planned::Gone, Why::Removed),
            None if self.is_gone(address) => Outlook::new(Planned::Gone, Why::Undeclared),
            None => Outlook::new(Planned::Same, Why::Unfound),
        };
        if record.row.deposed.is_some() {
            // its object is there until the very moment in which it is destroyed
            outlook.planned = Planned::Same;
            outlook.why = Why::Deposed;
            outlook.after = None;
        }
        outlook
    }

    /// The same of any row, with what the configuration says of it in every case.
    pub(super) fn outlook_of(&mut self, at: usize) -> Outlook {
        let (stack, row) = (self.stack, &self.stack.rows[at]);
        let address = row.moved_to.as_deref().unwrap_or(stack.address(at));
        let mut outlook = match (stack.record(at), row.planned_claim()) {
            (Some(record), _) => self.outlook(at, record, row, address),
            (None, Some(claim)) => {
                let why = match claim.origin {
                    Origin::Discovered => Why::Imported,
                    Origin::Declared | Origin::Unstated => Why::Declared,
                };
                Outlook::new(row.planned.clone(), why)
            }
            (None, None) => Outlook::new(row.planned.clone(), Why::Reads),
        };
        if let (None, Some(site)) = (&outlook.configured, row.site) {
            outlook.configured = Some(self.reader.resource(site, address, Some(at)));
        }
        outlook
    }

    /// What keeps anybody from telling what a section of the configuration says of a tag.
    pub(super) fn unknowns(&self, address: &Address, section: Section, key: &str) -> Vec<Unknown> {
        let site = self.site(address);
        site.map_or_else(Vec::new, |it| {
            self.reader.unknowns(it, address, section, key)
        })
    }

    /// What the configuration says of a resource instance that has no row. `None` where it declares
    /// no such resource, or where it certainly has no such instance.
    pub(super) fn declared(&mut self, address: &Address) -> Option<Configured> {
        let site = self.site(address)?;
        let mut keys = address.module.steps().iter().map(|(_, key)| key);
        let has_key = address.key.is_some() || keys.any(Option::is_some);
        // without a key it stands for any instance
        if has_key && self.is_counted_out(address, site) {
            return None;
        }
        Some(self.reader.resource(site, address, None))
    }

    /// What a row will be, by what the configuration says of its tags.
    fn tagged(&self, record: &Record, row: &Row, configured: &Configured) -> Outlook {
        let attributes = &record.row.attributes;
        let resource = self.resource(configured.site);
        let keeps = |why| Outlook::new(Planned::Same, why);
        if record.stated().is_some() {
            return keeps(Why::Inventory);
        }
        if attributes.tags_all.is_none() {
            return keeps(Why::TakesNoTags);
        }
        if resource.may_ignore_changes(&ignores_tags) {
            return keeps(Why::IgnoresChanges);
        }
        if configured.ignored.may_hide_ours() {
            return keeps(Why::IgnoresTags);
        }
        let Some((own, all)) = configured.own.recorded_over(&configured.default) else {
            return keeps(Why::NotKnown);
        };
        let after = record.row.with_tags(own, all);
        let claim = self.registry.claim(&after, self.is_ignored(row.site));
        let same = match (&claim, &row.claim) {
            (Ok(after), Ok(now)) => (&after.id, &after.realm) == (&now.id, &now.realm),
            (Err(after), Err(now)) => after == now,
            _ => false,
        };
        let planned = match same {
            true => Planned::Same,
            false => Planned::Changed(claim),
        };
        Outlook {
            after: Some(after),
            ..Outlook::new(planned, Why::Configured)
        }
    }

    /// What the data source of a record, declared at `site`, will read.
    fn reading(&mut self, record: &Record, address: &Address, site: Site) -> Outlook {
        let mut outlook = Outlook::new(Planned::Same, Why::DataSource);
        let stated = record.decided.as_ref().and_then(|it| it.looks_up.as_ref());
        let now = stated
            .map(|it| &it.id)
            .or(record.row.attributes.arn.as_ref());
        let argument = || {
            let instance = self.sure.instance(&address.module)?;
            let key = &address.key;
            let repetition = self.sure.repetition(instance, self.resource(site), key);
            reading::arn(self.sure, (instance, &repetition), self.resource(site))
        };
        // what a state has no arn of says nothing by it
        let (Some(now), Some(arn)) = (now, argument()) else {
            return outlook;
        };
        if !self.is_ignored(Some(site)) && reading::is_another(&arn, now) {
            let configured = self.sure_reader.resource(site, address, None);
            let shows_tags = record.row.attributes.tags.is_some();
            let identity =
                reading::in_advance(self.registry, address, &configured, (&arn, shows_tags));
            outlook.planned = Planned::Reads(identity);
            outlook.why = Why::Reads;
        }
        outlook
    }

    /// Whether an ignore comment covers a block.
    pub(super) fn is_ignored(&self, site: Option<Site>) -> bool {
        site.is_some_and(|it| self.resource(it).base().block().ignored)
    }
}

/// Whether an entry of `ignore_changes` keeps one of gantrycd's two tags as it is: `tags` or
/// `tags_all`, or that entry of one of them.
pub fn ignores_tags(name: &str, part: Part) -> bool {
    name.starts_with("tags")
        && match part {
            Part::All | Part::Unclear => true,
            Part::Entry(key) => [IDENTITY_TAG, REALM_TAG].contains(&key),
            Part::Attribute => false,
        }
}

/// Whether a record has a gantrycd tag.
fn is_tagged(record: &Record) -> bool {
    let attributes = &record.row.attributes;
    let mut tags = attributes.tags.iter().chain(&attributes.tags_all);
    tags.any(|it| **it != identity::Tags::default())
}

fn mentions_gantrycd(value: &Value) -> bool {
    value.as_text().is_some_and(mentions_a_tag)
        || value.entries().iter().any(|it| mentions_a_tag(&it.key))
        || value.children().any(mentions_gantrycd)
}
