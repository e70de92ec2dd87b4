//! Modules, override files, JSON, variables and module inputs come to what `terraform plan` says.
//!
//! Each text under `merging/` is a root module, planned once; every `input` of a `terraform_data` in
//! the plan is compared with ours, entry by entry. What we call known must be equal. Skipped where
//! there is no `terraform`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::eval::{Data, Value};
use gantrycd_ls::identity::{Address, IdentityRegistry};
use gantrycd_ls::workspace::{Snapshot, Workspace};
use serde_json::{Map, Value as Json};

#[path = "support/terraform.rs"]
mod terraform;

use terraform::{is_here, plan, write};

/// What one root's values came to.
#[derive(Default, Debug)]
struct Tally {
    equal: usize,
    /// Terraform knows it and we do not.
    unknown: Vec<String>,
    /// We know before the apply what it will be.
    ahead: usize,
    /// Neither knows it.
    both_unknown: usize,
    wrong: Vec<String>,
}

/// What the state has of each resource, by address.
fn state(root: &Path) -> HashMap<String, Json> {
    let shown: Json = serde_json::from_slice(&terraform::run(root, &["show", "-json"])).unwrap();
    let mut open = vec![&shown["values"]["root_module"]];
    let mut found = HashMap::new();
    while let Some(module) = open.pop() {
        open.extend(module["child_modules"].as_array().into_iter().flatten());
        for resource in module["resources"].as_array().into_iter().flatten() {
            let address = resource["address"].as_str().unwrap();
            found.insert(address.to_owned(), resource["values"].clone());
        }
    }
    found
}

fn snapshot(root: &Path) -> Snapshot {
    Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot()
}

/// A wholly known value as `show -json` has it.
fn json(value: &Value) -> Json {
    match &value.data {
        Data::Null(_) => Json::Null,
        Data::Bool(it) => Json::Bool(*it),
        Data::Number(it) => serde_json::from_str(&it.to_string()).unwrap(),
        Data::Text(it) => Json::String(it.to_string()),
        Data::Tuple(all) | Data::List(_, all) | Data::Set(_, all) => all.iter().map(json).collect(),
        Data::Map(_, all) | Data::Object(all) => {
            let entries = all.iter().map(|it| (it.key.to_string(), json(&it.value)));
            entries.collect::<Map<_, _>>().into()
        }
        Data::Open(_) | Data::Unknown(_) => unreachable!("it is known"),
    }
}

fn is_unknown(unknown: &Json) -> bool {
    match unknown {
        Json::Bool(it) => *it,
        Json::Array(all) => all.iter().any(is_unknown),
        Json::Object(all) => all.values().any(is_unknown),
        _ => false,
    }
}

impl Tally {
    fn value(
        &mut self,
        place: String,
        (planned, unknown): (&Json, &Json),
        applied: &Json,
        ours: Option<&Value>,
    ) {
        let known = ours.filter(|it| it.is_wholly_known());
        let theirs = match is_unknown(unknown) {
            true => applied,
            false => planned,
        };
        match (is_unknown(unknown), known) {
            (true, None) => self.both_unknown += 1,
            (false, None) => self.unknown.push(format!("{place} = {theirs}")),
            (true, Some(ours)) if json(ours) == *theirs => self.ahead += 1,
            (_, Some(ours)) => match json(ours) {
                ours if ours == *theirs => self.equal += 1,
                ours => self.wrong.push(format!("{place}: {ours}, not {theirs}")),
            },
        }
    }

    /// Compares every `input` of a plan with that of a stack. What is not known in the plan is
    /// compared with what it was after the apply.
    fn compare(
        &mut self,
        plan: &Json,
        applied: &HashMap<String, Json>,
        snapshot: &Snapshot,
        stack: &str,
    ) {
        let mut names = snapshot.stacks.iter().map(|it| &*it.name);
        let stack = names.position(|it| it == stack).unwrap();
        for change in plan["resource_changes"].as_array().unwrap() {
            let text = change["address"].as_str().unwrap();
            let address = Address::parse(text).unwrap();
            let change = &change["change"];
            let (after, unknown) = (&change["after"]["input"], &change["after_unknown"]["input"]);
            let ours = snapshot.argument(stack, &address, "input");
            let applied = applied.get(text).map_or(&Json::Null, |it| &it["input"]);
            let Json::Object(unknown_entries) = unknown else {
                if !change["after"].is_null() && (ours.is_some() || !after.is_null()) {
                    self.value(text.to_owned(), (after, unknown), applied, ours.as_ref());
                }
                continue;
            };
            let after = after.as_object().unwrap();
            let names: std::collections::BTreeSet<_> =
                after.keys().chain(unknown_entries.keys()).collect();
            for name in names {
                let ours = ours.as_ref().and_then(|it| {
                    let entry = it.entries().iter().find(|it| *it.key == **name)?;
                    Some(&entry.value)
                });
                let nothing = Json::Null;
                let theirs = after.get(name).unwrap_or(&nothing);
                let unknown = unknown_entries.get(name).unwrap_or(&nothing);
                let place = format!("{text} {name}");
                self.value(place, (theirs, unknown), &applied[name], ours);
            }
            // an entry that is too much, or is missing, shows in the whole
            if let Some(ours) = ours.filter(Value::is_wholly_known) {
                let after = Json::Object(after.clone());
                self.value(text.to_owned(), (&after, unknown), applied, Some(&ours));
            }
        }
    }

    fn tell(&self, name: &str) {
        let known = self.equal + self.unknown.len() + self.wrong.len();
        println!(
            "{name}: {} equal, {} before Terraform knows it, {} unknown to us, {} unknown to both, {} \
             wrong",
            self.equal,
            self.ahead,
            self.unknown.len(),
            self.both_unknown,
            self.wrong.len()
        );
        for it in &self.unknown {
            println!("  unknown {it}");
        }
        assert_eq!(self.wrong, Vec::<String>::new());
        assert!(self.unknown.len() * 20 <= known, "too much is unknown");
    }
}

#[test]
fn modules_and_their_files() {
    if !is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    write(root.path(), include_str!("merging/modules.txt"));
    terraform::run(root.path(), &["init", "-no-color"]);
    let mut tally = Tally::default();
    let snapshot = snapshot(root.path());
    let plan = plan(root.path());
    terraform::run(root.path(), &["apply", "-auto-approve", "-no-color"]);
    tally.compare(&plan, &state(root.path()), &snapshot, ".");
    tally.tell("modules");
    assert!(tally.equal >= 300, "only {} values", tally.equal);
}

#[test]
fn files_of_variables() {
    if !is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    write(root.path(), include_str!("merging/variables.txt"));
    terraform::run(root.path(), &["init", "-no-color"]);
    let mut tally = Tally::default();
    let snapshot = snapshot(root.path());
    tally.compare(&plan(root.path()), &HashMap::new(), &snapshot, ".");
    tally.tell("variables");
}

#[test]
fn selected_workspaces() {
    if !is_here() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    write(root.path(), include_str!("merging/workspace.txt"));
    terraform::run(root.path(), &["init", "-no-color"]);
    terraform::run(root.path(), &["apply", "-auto-approve", "-no-color"]);
    let default = plan(root.path());
    terraform::run(root.path(), &["workspace", "new", "dev"]);
    terraform::run(root.path(), &["apply", "-auto-approve", "-no-color"]);
    let dev = plan(root.path());
    let snapshot = snapshot(root.path());
    let mut tally = Tally::default();
    tally.compare(&default, &HashMap::new(), &snapshot, ".");
    tally.compare(&dev, &HashMap::new(), &snapshot, ".@dev");
    tally.tell("workspaces");
}
