//! What each row of a stack will be after the next apply.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::config::{Argument, Declared, Endpoint, Merged, ProviderRef, mentions_a_tag};
use crate::eval::{Found, Value};
use crate::identity::{
    self, Address, Attributes, IDENTITY_TAG, Identity, IdentityRegistry, Mode, ModulePath,
    NoIdentity, Origin, REALM_TAG, Section,
};
use crate::state::Record;

use super::Stack;
use super::configured::{Configured, ConfiguredProvider, Reader};
use super::disk::Stamp;
use super::evaluation::{Evaluation, Instances, Repetition, Unknown};
use super::kept::Kept;
use super::moves::Moves;
use super::reading;
use super::rows::{Planned, PlannedRow, Row, Site, recorded};
use super::tag_support::{shows_tags, takes_tags};
use super::tags::Tags;
use super::tree::Tree;
use super::variables::Given;

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

/// What becomes of a row in the next apply, and why.
#[derive(Debug)]
pub struct Outlook {
    /// What it will be.
    pub planned: Planned,
    /// Why.
    pub why: Why,
    /// What the configuration says of it, as far as that was asked for.
    pub configured: Option<Configured>,
    /// The row as its state will have it, where its tags as configured decide.
    pub after: Option<identity::Row>,
}

/// Why a row will be what it will be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// What the configuration says of its tags is known, and decides.
    Configured,
    /// What counts of its tags is not known.
    NotKnown,
    /// What counts of its tags is known by the default of a variable only. What the state says of a
    /// row that has the tags weighs more.
    DefaultsOnly,
    /// Nothing in reach speaks of gantrycd.
    Unspoken,
    /// Its tags never reach the state: it has no `tags_all`.
    TakesNoTags,
    /// The `ignore_changes` of its block.
    IgnoresChanges,
    /// The `ignore_tags` of its provider.
    IgnoresTags,
    /// An inventory says what was decided, and not by what.
    Inventory,
    /// A data source is read anew by every plan.
    DataSource,
    /// What a data source reads is known by its `arn` argument.
    Reads,
    /// The object of a deposed row is there until it is destroyed.
    Deposed,
    /// `count` or `for_each` of its block, or of a module call above it, leaves it out.
    CountedOut,
    /// A `removed` block covers it.
    Removed,
    /// The configuration does not declare it.
    Undeclared,
    /// No block that declares it was found, and not everything could be read.
    Unfound,
    /// Its stack is known by its state alone.
    NoConfiguration,
    /// It is not there yet, and its own tag declares its id.
    Declared,
    /// It is not there yet, and an `import` block names its ARN.
    Imported,
}

impl Why {
    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Why::Configured => "configured",
            Why::NotKnown => "not-known",
            Why::DefaultsOnly => "defaults-only",
            Why::Unspoken => "unspoken",
            Why::TakesNoTags => "takes-no-tags",
            Why::IgnoresChanges => "ignores-changes",
            Why::IgnoresTags => "ignores-tags",
            Why::Inventory => "inventory",
            Why::DataSource => "data-source",
            Why::Reads => "reads",
            Why::Deposed => "deposed",
            Why::CountedOut => "counted-out",
            Why::Removed => "removed",
            Why::Undeclared => "undeclared",
            Why::Unfound => "unfound",
            Why::NoConfiguration => "no-configuration",
            Why::Declared => "declared",
            Why::Imported => "imported",
        }
    }
}

impl std::fmt::Display for Why {
    /// As a sentence without its full stop.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Why::Configured => "its tags as configured are known, and decide",
            Why::NotKnown => {
                "what its tags come to is not known here, so what the state records stands"
            }
            Why::DefaultsOnly => {
                "what its tags come to rests on the default of a variable that the environment may \
                 set, so what the state records stands"
            }
            Why::Unspoken => "nothing in this stack's configuration speaks of gantrycd",
            Why::TakesNoTags => "its row has no tags_all, so no tag ever reaches it",
            Why::IgnoresChanges => "ignore_changes keeps an edit of its tags from being applied",
            Why::IgnoresTags => "ignore_tags of its provider may keep its tags from the state",
            Why::Inventory => "an inventory says what was decided, and not by which tags",
            Why::DataSource => "a data source is read anew by every plan",
            Why::Reads => "its arn argument names what it reads",
            Why::Deposed => "its object is there until the very moment in which it is destroyed",
            Why::CountedOut => "count or for_each leaves this instance out",
            Why::Removed => "a removed block covers it",
            Why::Undeclared => "the configuration does not declare it",
            Why::Unfound => {
                "no block that declares it was found, and not all of the configuration could be read"
            }
            Why::NoConfiguration => "this workspace has no configuration of its stack",
            Why::Declared => "its own tag declares an id",
            Why::Imported => "an import block names its ARN",
        })
    }
}

impl Outlook {
    pub(super) fn new(planned: Planned, why: Why) -> Self {
        Self {
            planned,
            why,
            configured: None,
            after: None,
        }
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

/// A module instance, as far as every row in it asks the same.
#[derive(Default)]
struct Within {
    /// The module in the tree.
    node: Option<usize>,
    /// Which instance it is to [`Decision::sure`].
    instance: Option<usize>,
    /// Whether the calls above it make such instances.
    calls: Vec<Option<bool>>,
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

    fn site(&self, address: &Address) -> Option<Site> {
        let node = self.within(&address.module).node?;
        let module = &self.tree.nodes()[node].module;
        let (resource_type, name) = (&*address.resource_type, &*address.name);
        let resource = module.resource_index(address.mode, resource_type, name)?;
        Some(Site { node, resource })
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

    /// Data sources, or instances of them, that no state has yet, and of which it is known by what
    /// identity an owner will be looked up.
    fn plan_data_without_rows(
        &mut self,
        rows: &FxHashSet<Address>,
        kept: Option<&Kept>,
        plan: &mut Plan,
    ) {
        if !self.stack.is_certain {
            return;
        }
        for node in 0..self.tree.nodes().len() {
            if let Some(kept) = kept.filter(|it| it.has(node)) {
                for at in kept.planned_data(node) {
                    plan.take_over(kept.planned(at));
                }
                continue;
            }
            let module = self.tree.nodes()[node].module.clone();
            for (at, resource) in module.resources().iter().enumerate() {
                let block = resource.base().block();
                let Some((Mode::Data, resource_type, name)) = block.resource() else {
                    continue;
                };
                if block.ignored || !resource.mentions("arn") {
                    continue;
                }
                let site = Site { node, resource: at };
                let instances = self.evaluation.all_instances(node);
                for (instance, path) in instances.into_iter().flatten() {
                    let Instances::Known(all) = self.evaluation.instances_of(instance, resource)
                    else {
                        continue;
                    };
                    for repetition in &all.all {
                        let address = Address {
                            module: path.clone(),
                            mode: Mode::Data,
                            resource_type: resource_type.into(),
                            name: name.into(),
                            key: repetition.key().cloned(),
                        };
                        if rows.contains(&address) {
                            continue;
                        }
                        let identity = self.read_in_advance(&address, site, (instance, repetition));
                        if let Some(identity) = identity {
                            let planned = Planned::Reads(Some(identity));
                            let claim = Err(NoIdentity::DataSource);
                            push_planned(plan, address, (claim, planned), Some(site), None);
                        }
                    }
                }
            }
        }
    }

    /// What a data source that no state has yet will read, by what is known of it.
    fn read_in_advance(
        &mut self,
        address: &Address,
        site: Site,
        (instance, repetition): (usize, &Repetition),
    ) -> Option<Identity> {
        let of = (instance, repetition);
        let arn = reading::arn(self.evaluation, of, self.resource(site))?;
        let configured = self.reader.instance(site, instance, repetition, None);
        let source = configured.source.as_deref()?;
        let shows_tags = shows_tags(self.stack, &address.resource_type, source);
        reading::in_advance(self.registry, address, &configured, (&arn, shows_tags))
    }

    /// Whether an ignore comment covers a block.
    pub(super) fn is_ignored(&self, site: Option<Site>) -> bool {
        site.is_some_and(|it| self.resource(it).base().block().ignored)
    }

    /// Whether an instance will not be there, by `count` or `for_each` of its block or of a module
    /// above it.
    fn is_counted_out(&self, address: &Address, site: Site) -> bool {
        self.counted(address, site).any(|it| it == Some(false))
    }

    /// Whether an instance is certainly declared.
    fn is_declared(&self, address: &Address) -> bool {
        let site = self.site(address);
        site.is_some_and(|site| self.counted(address, site).all(|it| it == Some(true)))
    }

    /// Whether the block of an address, and each of the calls above it, has the instance that the
    /// address names. `None` where nobody can tell.
    fn counted(&self, address: &Address, site: Site) -> impl Iterator<Item = Option<bool>> {
        let within = self.within(&address.module);
        let has = |it| self.has(it, self.resource(site), &address.key);
        let own = within.instance.and_then(has);
        let calls = within.calls.clone().into_iter();
        calls.chain([own])
    }

    /// Whether a block of a module instance has the instance with this key.
    fn has(&self, instance: usize, block: &Merged, key: &Option<identity::Key>) -> Option<bool> {
        match self.sure.instances_of(instance, block) {
            Instances::Known(known) => Some(match key {
                Some(key) => known.keyed(key).is_some(),
                None => known.all.iter().any(|it| it.key().is_none()),
            }),
            Instances::Unknown => None,
        }
    }

    fn within(&self, path: &ModulePath) -> Rc<Within> {
        if let Some((last, within)) = &*self.last.borrow()
            && last == path
        {
            return within.clone();
        }
        let steps = path.steps().iter().enumerate();
        let calls = steps.map(|(length, (name, key))| {
            let above: ModulePath = path.steps()[..length].iter().cloned().collect();
            let node = self.tree.find(&above)?;
            let call = self.tree.nodes()[node].module.calls.get(name)?;
            self.has(self.sure.instance(&above)?, call, key)
        });
        let within = Rc::new(Within {
            calls: calls.collect(),
            node: self.tree.find(path),
            instance: self.sure.instance(path),
        });
        self.last.replace(Some((path.clone(), within.clone())));
        within
    }

    /// The `removed` block that covers an address.
    fn removing(&self, address: &Address) -> Option<Declared> {
        let steps = address.module.steps();
        (0..=steps.len()).find_map(|length| {
            let within: ModulePath = steps[..length].iter().cloned().collect();
            let node = self.tree.find(&within)?;
            let blocks = &self.tree.nodes()[node].module.refactorings;
            let mut removed = blocks.iter().filter(|it| it.block().keyword == "removed");
            let covers = |it: &&Declared| {
                let body = it.body();
                let from = body.attribute("from");
                let from = from.and_then(|it| Endpoint::read(it));
                from.is_some_and(|it| it.covers(&within, address))
            };
            removed.find(covers).cloned()
        })
    }

    /// Whether the configuration certainly does not declare an address: every module on the way
    /// to it was read whole.
    fn is_gone(&self, address: &Address) -> bool {
        let steps = address.module.steps();
        for length in 0..=steps.len() {
            let within: ModulePath = steps[..length].iter().cloned().collect();
            let Some(node) = self.tree.find(&within) else {
                return false;
            };
            let module = &self.tree.nodes()[node].module;
            if !module.is_whole() {
                return false;
            }
            if let Some((call, _)) = steps.get(length)
                && !module.calls.contains_key(call)
            {
                return true;
            }
        }
        true
    }

    /// Resources, or instances of them, that no state has yet.
    fn plan_without_rows(
        &mut self,
        rows: &FxHashSet<Address>,
        kept: Option<&Kept>,
        plan: &mut Plan,
    ) {
        let with_rows: FxHashSet<Site> = plan.rows.iter().filter_map(|it| it.site).collect();
        for node in 0..self.tree.nodes().len() {
            if let Some(kept) = kept.filter(|it| it.has(node)) {
                for configured in kept.without_record(node) {
                    let row = configured.row.map(|at| {
                        plan.take_over(kept.planned(at));
                        plan.rows.len() - 1
                    });
                    let configured = configured.clone();
                    plan.configured.push(Configured { row, ..configured });
                }
                continue;
            }
            let instances = self.evaluation.all_instances(node);
            let module = self.tree.nodes()[node].module.clone();
            for (at, resource) in module.resources().iter().enumerate() {
                let Some((Mode::Managed, resource_type, name)) = resource.base().block().resource()
                else {
                    continue;
                };
                let site = Site { node, resource: at };
                let mut known = Vec::new();
                let mut all_known = instances.is_some();
                for (instance, path) in instances.iter().flatten() {
                    let Instances::Known(all) = self.evaluation.instances_of(*instance, resource)
                    else {
                        all_known = false;
                        continue;
                    };
                    let all = all.all.iter().cloned();
                    known.extend(all.map(|it| (*instance, path.clone(), it)));
                }
                let mut any = with_rows.contains(&site);
                for (instance, module, repetition) in known {
                    let address = Address {
                        module,
                        mode: Mode::Managed,
                        resource_type: resource_type.into(),
                        name: name.into(),
                        key: repetition.key().cloned(),
                    };
                    any = true;
                    if rows.contains(&address) {
                        continue;
                    }
                    let mut configured = self.reader.instance(site, instance, &repetition, None);
                    let claim = self.declared_claim(&address, &configured, None);
                    if let Some(claim) = claim.filter(|_| self.stack.is_certain) {
                        configured.row = Some(plan.rows.len());
                        push_planned(plan, address, claimed(claim), Some(site), None);
                    }
                    plan.configured.push(configured);
                }
                if !any && !all_known {
                    let instance = self.evaluation.any_instance(node);
                    let repetition = Repetition::Unknown;
                    let configured = self.reader.instance(site, instance, &repetition, None);
                    plan.configured.push(configured);
                }
            }
        }
    }

    /// What a resource that is not there yet will claim: a declared id, or the ARN that it is
    /// imported by.
    fn declared_claim(
        &self,
        address: &Address,
        configured: &Configured,
        arn: Option<&str>,
    ) -> Option<Identity> {
        let source = configured.source.clone()?;
        let (own, all) = configured.own.recorded_over(&configured.default)?;
        let declares = own.identity.is_some();
        if (arn.is_none() && !declares) || configured.ignored.may_hide_ours() {
            return None;
        }
        let ignored = self.is_ignored(Some(configured.site));
        self.claim_in_advance(address, source, arn, (own, all), ignored)
    }

    /// `import` blocks of the root module whose id is an ARN: what they name is claimed in advance.
    fn plan_imports(&mut self, rows: &mut FxHashSet<Address>, plan: &mut Plan) {
        let root = self.tree.nodes()[0].module.clone();
        let imports = root.refactorings.iter();
        for import in imports.filter(|it| it.block().keyword == "import") {
            let body = import.body();
            let to = body.attribute("to").and_then(|it| Endpoint::read(it));
            let Some(address) = to.and_then(|it| it.instance(&ModulePath::default())) else {
                continue;
            };
            if rows.contains(&address) || body.attribute("for_each").is_some() {
                continue;
            }
            let evaluate = |name: &str| {
                let value = body.attribute(name)?.clone();
                let file = &import.file;
                let argument = Argument { file, value };
                Some(self.evaluation.evaluate(0, &Repetition::Single, argument))
            };
            let arn = match (evaluate("id"), evaluate("identity")) {
                // Terraform refuses a sensitive one
                (Some(id), _) => id.as_text().filter(|_| !id.sensitive).map(str::to_owned),
                (None, Some(identity)) => match identity.get("arn") {
                    Found::Entry(entry) if identity.sensitive || entry.value.sensitive => None,
                    Found::Entry(entry) => entry.value.as_text().map(str::to_owned),
                    Found::Absent | Found::Unknown => None,
                },
                (None, None) => None,
            };
            let Some(arn) = arn else {
                continue;
            };
            let site = self.site(&address);
            let claim = match site {
                Some(site) => {
                    let configured = self.reader.resource(site, &address, None);
                    self.declared_claim(&address, &configured, Some(&arn))
                }
                None => self.imported_claim(&address, &arn),
            };
            if let Some(claim) = claim {
                rows.insert(address.clone());
                push_planned(plan, address, claimed(claim), site, Some(import.clone()));
            }
        }
    }

    /// An import without a resource block, as `-generate-config-out` takes it: served by the
    /// provider's default configuration.
    fn imported_claim(&mut self, address: &Address, arn: &str) -> Option<Identity> {
        if !address.module.steps().is_empty() {
            return None;
        }
        let wanted = ProviderRef::default_of(address.resource_type.split('_').next()?);
        let service = self.reader.service(0, 0, Some(wanted));
        let source = service.source?;
        let (own, all) = Tags::ABSENT.recorded_over(&service.default)?;
        self.claim_in_advance(address, source, Some(arn), (own, all), false)
    }

    /// What a row that is not there yet will claim, by the ARN that it is imported by, if it is,
    /// and by its own and all its tags, as far as its type takes them.
    fn claim_in_advance(
        &self,
        address: &Address,
        provider: Arc<str>,
        arn: Option<&str>,
        (own, all): (identity::Tags, identity::Tags),
        ignored: bool,
    ) -> Option<Identity> {
        let taken = takes_tags(self.stack, &address.resource_type, &provider);
        let (tags, tags_all) = tags_if_taken(taken, arn.is_some(), own, all)?;
        let row = identity::Row {
            address: address.clone(),
            provider: (&*provider).into(),
            deposed: None,
            attributes: Attributes {
                arn: arn.map(Into::into),
                tags: tags.map(Into::into),
                tags_all: tags_all.map(Into::into),
                ..Attributes::default()
            },
        };
        self.registry.claim(&row, ignored).ok()
    }
}

/// Whether an entry of `ignore_changes` keeps one of gantrycd's two tags as it is: `tags` or
/// `tags_all`, of which only one key may be named.
pub fn ignores_tags(name: &str, key: Option<&str>) -> bool {
    let is_ours = |key: &str| [IDENTITY_TAG, REALM_TAG].contains(&key);
    name.starts_with("tags") && key.is_none_or(is_ours)
}

/// Whether a record has a gantrycd tag.
fn is_tagged(record: &Record) -> bool {
    let attributes = &record.row.attributes;
    let mut tags = attributes.tags.iter().chain(&attributes.tags_all);
    tags.any(|it| **it != identity::Tags::default())
}

/// The tags that a row will have, by whether its type takes them. `None` where that decides and
/// nobody knows.
fn tags_if_taken(
    taken: Option<bool>,
    imported: bool,
    own: identity::Tags,
    all: identity::Tags,
) -> Option<(Option<identity::Tags>, Option<identity::Tags>)> {
    let says_nothing = all == identity::Tags::default();
    match taken {
        Some(true) => Some((Some(own), Some(all))),
        Some(false) if imported => Some((None, None)),
        Some(false) => None,
        // whoever writes `tags` knows that the type takes them
        None if !imported || own != identity::Tags::default() => Some((Some(own), Some(all))),
        None => says_nothing.then_some((None, None)),
    }
}

/// What a resource claims that is not there yet, now and after the next apply.
fn claimed(claim: Identity) -> (Result<Identity, NoIdentity>, Planned) {
    (Err(NoIdentity::NoArn), Planned::Changed(Ok(claim)))
}

fn push_planned(
    plan: &mut Plan,
    address: Address,
    (claim, planned): (Result<Identity, NoIdentity>, Planned),
    site: Option<Site>,
    instead: Option<Declared>,
) {
    plan.rows.push(Row {
        claim,
        planned,
        looks_up: None,
        moved_to: None,
        instead: instead.filter(|_| site.is_none()).map(Box::new),
        configured: None,
        site,
    });
    plan.planned_rows.push(PlannedRow { address });
}

fn mentions_gantrycd(value: &Value) -> bool {
    value.as_text().is_some_and(mentions_a_tag)
        || value.entries().iter().any(|it| mentions_a_tag(&it.key))
        || value.children().any(mentions_gantrycd)
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::workspace::RowRef;

    /// Why the first row of the stack `a` will be what it will be.
    fn why(configuration: &str, row: &str) -> &'static str {
        let text = format!("#- a/main.tf\n{configuration}\n#- a/terraform.tfstate\n{row}\n");
        let snapshot = Fixture::new(&text).snapshot();
        snapshot.outlook(RowRef { stack: 0, row: 0 }).why.name()
    }

    #[test]
    fn why_a_row_will_be_what_it_will_be() {
        let queue = "aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q";
        let tagged = |tags: &str| format!("resource \"aws_sqs_queue\" \"q\" {{\n  {tags}\n}}");
        let realm =
            |value: &str| format!("tags = {{ \"gantrycd:resource-identity-realm\" = {value} }}");
        let own = tagged(&realm("\"r\""));
        let variable = "variable \"r\" {\n  default = \"r\"\n}\n";
        let ignoring = "provider \"aws\" {\n  ignore_tags {\n    keys = [var.x]\n  }\n}\n";
        let with = |more: &str| format!("{queue} {more}");
        for (configuration, row, expected) in [
            (own.clone(), queue.to_owned(), "configured"),
            (
                format!("{variable}{}", tagged(&realm("var.r"))),
                queue.to_owned(),
                "configured",
            ),
            // what a state says weighs more than a default
            (
                format!("{variable}{}", tagged(&realm("var.r"))),
                with("realm=s"),
                "defaults-only",
            ),
            (tagged(&realm("var.x")), queue.to_owned(), "not-known"),
            (tagged(""), queue.to_owned(), "unspoken"),
            (own.clone(), with("untaggable"), "takes-no-tags"),
            (
                tagged(&format!(
                    "{}\n  lifecycle {{\n    ignore_changes = all\n  }}",
                    realm("\"r\"")
                )),
                queue.to_owned(),
                "ignores-changes",
            ),
            (format!("{ignoring}{own}"), queue.to_owned(), "ignores-tags"),
            (tagged("count = 0"), queue.to_owned(), "counted-out"),
            (own.clone(), with("deposed=abcd1234"), "deposed"),
            (
                "removed {\n  from = aws_sqs_queue.q\n}".to_owned(),
                queue.to_owned(),
                "removed",
            ),
            ("locals {}".to_owned(), queue.to_owned(), "undeclared"),
            (
                "resource \"aws_sqs_queue\" {".to_owned(),
                queue.to_owned(),
                "unfound",
            ),
            (
                "data \"aws_sqs_queue\" \"q\" {}".to_owned(),
                format!("data.{queue}"),
                "data-source",
            ),
        ] {
            assert_eq!(
                why(&configuration, &row),
                expected,
                "{configuration}\n{row}"
            );
        }
    }
}
