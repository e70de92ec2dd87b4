//! What each row of a stack is, now and after the next apply.

use crate::config::Declared;
use crate::eval::Value;
use crate::identity::{Address, Case, Identity, IdentityRegistry, Mode, NoIdentity, Section};
use crate::state::Record;

use super::Stack;
use super::configured::Configured;
use super::evaluation::{Evaluation, Unknown};
use super::kept::Kept;
use super::outlook::{Outlook, Why};
use super::plan::Decision;
use super::tag_support::Observed;

/// What a row of a state is, or one that the next apply will make.
#[derive(Clone, Debug)]
pub struct Row {
    /// The identity that it claims now, or why it claims none. [`NoIdentity::NoArn`] of a managed
    /// row that is not there yet.
    pub claim: Result<Identity, NoIdentity>,
    /// The same after the next apply.
    pub planned: Planned,
    /// Of a data source: the identity that an owner is looked up by.
    pub looks_up: Option<Box<Identity>>,
    /// Its address after the next apply, where `moved` blocks give it another.
    pub moved_to: Option<Box<Address>>,
    /// Where it is declared.
    pub site: Option<Site>,
    /// Without a site: the `removed` or `import` block that is about it.
    pub instead: Option<Box<Declared>>,
    /// Which of [`Stack::configured`] is about it.
    pub configured: Option<usize>,
}

/// A row that the next apply will make.
#[derive(Clone, Debug)]
pub struct PlannedRow {
    /// Where it will stand in its stack.
    pub address: Address,
}

/// What a row will be after the next apply.
#[derive(Clone, Debug)]
pub enum Planned {
    /// What it is now, as far as anybody can tell.
    Same,
    /// This.
    Changed(Result<Identity, NoIdentity>),
    /// Of a data source: it will read another object, by which an owner is looked up then. `None`
    /// where nobody can tell by what.
    Reads(Option<Identity>),
    /// It will not be there.
    Gone,
}

/// The block that declares a row, and its module in the stack's tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// Which module of the tree.
    pub node: usize,
    /// Which of the module's resources.
    pub resource: usize,
}

impl Row {
    /// What it claims after the next apply.
    pub fn planned_claim(&self) -> Option<&Identity> {
        match &self.planned {
            Planned::Same => self.claim.as_ref().ok(),
            Planned::Changed(claim) => claim.as_ref().ok(),
            Planned::Reads(_) | Planned::Gone => None,
        }
    }

    /// Of a data source: the identity that an owner is looked up by after the next apply.
    pub fn planned_look_up(&self) -> Option<&Identity> {
        match &self.planned {
            Planned::Same => self.looks_up.as_deref(),
            Planned::Reads(identity) => identity.as_ref(),
            Planned::Changed(_) | Planned::Gone => None,
        }
    }

    /// The objects that it has to do with: what it claims and what it looks up, each now and after
    /// the next apply.
    pub fn objects(&self) -> [Option<&Identity>; 4] {
        [
            self.claim.as_ref().ok(),
            self.planned_claim(),
            self.looks_up.as_deref(),
            self.planned_look_up(),
        ]
    }
}

/// Decides what each row of the stack is, which was `before`.
pub(super) fn decide(stack: &mut Stack, registry: &IdentityRegistry, before: Option<&Stack>) {
    decide_rows(stack, registry, before);
    let claims = stack.rows.iter().filter_map(Row::planned_claim);
    stack.realms = claims.filter_map(|it| it.realm.clone()).collect();
}

fn decide_rows(stack: &mut Stack, registry: &IdentityRegistry, before: Option<&Stack>) {
    if let Some(state) = &stack.state {
        let same = before.filter(|it| stack.has_the_state_of(it));
        let observed = || Observed::of(&state.file.records).into();
        stack.observed = same.map_or_else(observed, |it| it.observed.clone());
    }
    let decided = deciding(stack, registry, |mut decision| {
        let kept = before.and_then(|it| Kept::of(it, stack, decision.speaks));
        let plan = decision.plan(kept.as_ref());
        let providers = decision.providers(kept.as_ref());
        let told = decision.told(kept.as_ref());
        (plan, providers, decision.asked(), decision.speaks, told)
    });
    let Some((plan, providers, asked, speaks, told)) = decided else {
        let alone = |it: &Record| recorded(registry, it, None, it.was_ignored());
        stack.rows = stack.records().map(alone).collect();
        stack.sort_sites();
        return;
    };
    stack.rows = plan.rows;
    stack.rows.shrink_to_fit();
    stack.planned_rows = plan.planned_rows;
    stack.configured = plan.configured;
    stack.configured.shrink_to_fit();
    stack.providers = providers;
    stack.asked = asked;
    stack.speaks = speaks;
    stack.told = told;
    stack.sort_sites();
}

/// Decides something of a stack that has a configuration.
fn deciding<T>(
    stack: &Stack,
    registry: &IdentityRegistry,
    decide: impl FnOnce(Decision) -> T,
) -> Option<T> {
    let tree = stack.tree.as_ref()?;
    let given = &*stack.given;
    let cautious = given.without_defaults(&tree.nodes()[0].module);
    let workspace = stack.known_workspace();
    let evaluation = Evaluation::new(tree, given, workspace);
    let sure = Evaluation::new(tree, &cautious, workspace);
    let mut decision = Decision::new(stack, tree, registry, [&evaluation, &sure]);
    decision.speaks = decision.somebody_speaks(given);
    Some(decide(decision))
}

/// What the configuration says of every resource of the stack, whether anything in it speaks of
/// gantrycd or not.
pub(super) fn configured(stack: &Stack, registry: &IdentityRegistry) -> Vec<Configured> {
    let Some(tree) = &stack.tree else {
        return Vec::new();
    };
    let evaluation = Evaluation::new(tree, &stack.given, stack.known_workspace());
    let mut decision = Decision::new(stack, tree, registry, [&evaluation, &evaluation]);
    decision.speaks = true;
    decision.plan(None).configured
}

/// What becomes of a row in the next apply, why, and what the configuration says of it.
pub(super) fn outlook(stack: &Stack, registry: &IdentityRegistry, at: usize) -> Outlook {
    let outlook = deciding(stack, registry, |mut it| it.outlook_of(at));
    outlook.unwrap_or_else(|| Outlook::new(Planned::Same, Why::NoConfiguration))
}

/// What the configuration says of a resource instance that has no row. `None` where it declares no
/// such resource, or where it certainly has no such instance.
pub(super) fn declared(
    stack: &Stack,
    registry: &IdentityRegistry,
    address: &Address,
) -> Option<Configured> {
    deciding(stack, registry, |mut it| it.declared(address))?
}

/// What keeps anybody from telling what a section of the configuration says of a tag of a resource
/// instance.
pub(super) fn unknowns(
    stack: &Stack,
    registry: &IdentityRegistry,
    address: &Address,
    (section, key): (Section, &str),
) -> Vec<Unknown> {
    let found = deciding(stack, registry, |it| it.unknowns(address, section, key));
    found.unwrap_or_default()
}

/// What an argument of a resource instance comes to. `None` where the stack has no such argument.
pub(super) fn argument(stack: &Stack, address: &Address, name: &str) -> Option<Value> {
    let tree = stack.tree.as_ref()?;
    let evaluation = Evaluation::new(tree, &stack.given, stack.known_workspace());
    let module = &tree.nodes()[tree.find(&address.module)?].module;
    let resource = module.resource(address.mode, &address.resource_type, &address.name)?;
    let instance = evaluation.instance(&address.module)?;
    let repetition = evaluation.repetition(instance, resource, &address.key);
    Some(evaluation.evaluate(instance, &repetition, resource.attribute(name)?))
}

/// What a record is decided by.
pub(super) fn case<'a>(registry: &IdentityRegistry, record: &'a Record, ignored: bool) -> Case<'a> {
    let Some(decided) = record.stated() else {
        return registry.case(&record.row, ignored);
    };
    let stated = decided.looks_up.as_ref().map(Ok);
    let stated = stated.unwrap_or(decided.identity.as_ref());
    Case::stated(&record.row, ignored, stated)
}

/// What a record is now.
pub(super) fn recorded(
    registry: &IdentityRegistry,
    record: &Record,
    site: Option<Site>,
    ignored: bool,
) -> Row {
    let decision = case(registry, record, ignored).decide();
    let (claim, looks_up) = match (record.row.address.mode, decision) {
        (Mode::Data, Ok(identity)) => (Err(NoIdentity::DataSource), Some(Box::new(identity))),
        (_, claim) => (claim, None),
    };
    Row {
        claim,
        planned: Planned::Same,
        looks_up,
        moved_to: None,
        site,
        instead: None,
        configured: None,
    }
}
