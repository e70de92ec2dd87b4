//! Rows that no state has yet, as far as it is known what they will claim or read.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::config::{Argument, Declared, Endpoint, ProviderRef};
use crate::eval::{Data, Found, Value};
use crate::identity::{self, Address, Attributes, Identity, Key, Mode, ModulePath, NoIdentity};

use super::super::configured::Configured;
use super::super::evaluation::{Instances, Repetition};
use super::super::kept::Kept;
use super::super::reading;
use super::super::rows::{Planned, PlannedRow, Row, Site};
use super::super::tag_support::{shows_tags, takes_tags};
use super::super::tags::Tags;
use super::super::tree::Node;
use super::{Decision, Plan};

impl Decision<'_> {
    /// Data sources, or instances of them, that no state has yet, and of which it is known by what
    /// identity an owner will be looked up.
    pub(super) fn plan_data_without_rows(
        &mut self,
        rows: &FxHashSet<Address>,
        kept: Option<&Kept>,
        plan: &mut Plan,
    ) {
        if !self.stack.is_certain {
            return;
        }
        for (node, Node { module, .. }) in self.tree.up_to_date() {
            if let Some(kept) = kept.filter(|it| it.has(node)) {
                for at in kept.planned_data(node) {
                    plan.take_over(kept.planned(at));
                }
                continue;
            }
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

    /// Resources, or instances of them, that no state has yet.
    pub(super) fn plan_without_rows(
        &mut self,
        rows: &FxHashSet<Address>,
        kept: Option<&Kept>,
        plan: &mut Plan,
    ) {
        let with_rows: FxHashSet<Site> = plan.rows.iter().filter_map(|it| it.site).collect();
        for (node, Node { module, .. }) in self.tree.up_to_date() {
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
    pub(super) fn plan_imports(&mut self, rows: &mut FxHashSet<Address>, plan: &mut Plan) {
        let root = self.tree.nodes()[0].module.clone();
        let imports = root.refactorings.iter();
        for import in imports.filter(|it| it.block().keyword == "import") {
            let repeated = match self.imports_argument(import, "for_each", &Repetition::Single) {
                Some(each) => Instances::of_each(&each),
                None => [Repetition::Single].into_iter().collect(),
            };
            let Instances::Known(repeated) = repeated else {
                continue;
            };
            for repetition in &repeated.all {
                self.plan_import(import, repetition, rows, plan);
            }
        }
    }

    fn plan_import(
        &mut self,
        import: &Declared,
        repetition: &Repetition,
        rows: &mut FxHashSet<Address>,
        plan: &mut Plan,
    ) {
        let Some(address) = self.imported(import, repetition) else {
            return;
        };
        if rows.contains(&address) {
            return;
        }
        let argument = |name| self.imports_argument(import, name, repetition);
        let arn = match (argument("id"), argument("identity")) {
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
            return;
        };
        let site = self.site(&address);
        if site.is_some_and(|it| self.tree.nodes()[it.node].is_outdated) {
            return;
        }
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

    /// What an `import` block imports to. Only one that is repeated may have keys that are no
    /// literals.
    fn imported(&self, import: &Declared, repetition: &Repetition) -> Option<Address> {
        let body = import.body();
        let to = body.attribute("to")?;
        let endpoint = match repetition {
            Repetition::Keyed(..) => Endpoint::read_with(to, &mut |index| {
                let file = &import.file;
                let key = self.evaluation.evaluate_part(0, repetition, file, index);
                // a number in quotes is the name that it is in a state, too
                let key = Some(key).filter(|it| !it.sensitive)?;
                Some(Some(match &key.data {
                    Data::Number(_) => Key::Index(key.as_integer()?),
                    _ => Key::Name(key.as_text()?.into()),
                }))
            }),
            _ => Endpoint::read(to),
        };
        endpoint?.instance(&ModulePath::default())
    }

    fn imports_argument(
        &self,
        import: &Declared,
        name: &str,
        repetition: &Repetition,
    ) -> Option<Value> {
        let value = import.body().attribute(name)?.clone();
        let file = &import.file;
        let argument = Argument { file, value };
        Some(self.evaluation.evaluate(0, repetition, argument))
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
