//! Which provider configuration serves a resource is what `terraform` writes into its state.
//!
//! Modules that say of their providers what can be said are called in all ways in which they can be,
//! and call each other so. Skipped where there is no `terraform`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::{Served, Stack, Tree, Workspace};
use serde_json::Value as Json;

#[path = "support/terraform.rs"]
mod terraform;

use terraform::is_here;

const SOURCE: &str = "terraform.io/builtin/terraform";

/// What a module says of its providers.
#[derive(Clone, Copy)]
struct Module {
    /// Its directory.
    name: &'static str,
    /// What it calls the provider.
    provider: &'static str,
    /// Whether callers must pass it an alias `x`.
    wants: bool,
    /// Its provider blocks, by alias; none of them says anything.
    blocks: &'static [&'static str],
}

const MODULES: [Module; 6] = [
    module("plain", "terraform", false, &[]),
    module("renamed", "other", false, &[]),
    module("wants", "terraform", true, &[]),
    module("empty", "terraform", false, &[""]),
    module("aliased", "terraform", false, &["x"]),
    module("both", "terraform", false, &["", "x"]),
];

/// Those that the called modules call.
const LEAVES: [Module; 2] = [MODULES[1], MODULES[2]];

const fn module(
    name: &'static str,
    provider: &'static str,
    wants: bool,
    blocks: &'static [&'static str],
) -> Module {
    Module {
        name,
        provider,
        wants,
        blocks,
    }
}

impl Module {
    fn has_alias(&self) -> bool {
        self.wants || self.blocks.contains(&"x")
    }

    /// Its configurations, as it names them.
    fn configurations(&self) -> Vec<String> {
        let alias = self.has_alias().then(|| format!("{}.x", self.provider));
        [self.provider.to_owned()]
            .into_iter()
            .chain(alias)
            .collect()
    }

    fn header(&self) -> String {
        let provider = self.provider;
        let aliases = match self.wants {
            true => format!("      configuration_aliases = [{provider}.x]\n"),
            false => String::new(),
        };
        let mut text = format!(
            "terraform {{\n  required_providers {{\n    {provider} = {{\n      \
             source = \"{SOURCE}\"\n{aliases}    }}\n  }}\n}}\n"
        );
        for alias in self.blocks {
            let alias = match *alias {
                "" => String::new(),
                alias => format!("\n  alias = \"{alias}\"\n"),
            };
            _ = writeln!(text, "provider \"{provider}\" {{{alias}}}");
        }
        for (at, it) in self.configurations().iter().enumerate() {
            _ = writeln!(
                text,
                "resource \"terraform_data\" \"r{at}\" {{\n  provider = {it}\n}}"
            );
        }
        text
    }

    /// Calls of modules in every way in which one that can pass these can, in directories of this
    /// kind.
    fn calls(modules: &[Module], callers: &[String], kind: Kind) -> String {
        let mut text = String::new();
        for called in modules {
            for (at, map) in called.maps(callers).iter().enumerate() {
                let (name, kind, map) = (called.name, kind(called, map), called.argument(map));
                _ = writeln!(
                    text,
                    "module \"{name}_{at}\" {{\n  source = \"../{name}_{kind}\"\n{map}}}"
                );
            }
        }
        text
    }

    /// The `providers` arguments with which a caller who has these can call it.
    fn maps(&self, callers: &[String]) -> Vec<Map> {
        let with_nothing = || callers.iter().cloned().map(Some).chain([None]);
        let mut maps = Vec::new();
        if !self.wants {
            maps.push(None);
        }
        for default in with_nothing() {
            for alias in with_nothing() {
                match alias.is_some() {
                    true if !self.has_alias() => {}
                    false if self.wants => {}
                    _ => maps.push(Some((default.clone(), alias))),
                }
            }
        }
        maps
    }

    fn argument(&self, map: &Map) -> String {
        let Some((default, alias)) = map else {
            return String::new();
        };
        let provider = self.provider;
        let default = default.iter().map(|it| format!("    {provider} = {it}\n"));
        let alias = alias.iter().map(|it| format!("    {provider}.x = {it}\n"));
        let entries: String = default.chain(alias).collect();
        format!("  providers = {{\n{entries}  }}\n")
    }

    /// Whether it has a default configuration that it can pass on by name: Terraform refuses one
    /// that is merely inherited.
    fn has_default(&self, map: &Map) -> bool {
        self.blocks.contains(&"") || map.as_ref().is_some_and(|it| it.0.is_some())
    }
}

/// A `providers` argument, if there is one: what is passed for the default configuration and for
/// that of the alias.
type Map = Option<(Option<String>, Option<String>)>;

/// The kind of directory in which a module lies that is called with this argument.
type Kind = fn(&Module, &Map) -> &'static str;

/// Of each resource what serves it, as the state names it.
fn theirs(root: &Path) -> BTreeMap<String, String> {
    let state: Json =
        serde_json::from_slice(&fs::read(root.join("terraform.tfstate")).unwrap()).unwrap();
    let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
    let rows = state["resources"].as_array().unwrap().iter();
    rows.map(|it| {
        let address = format!("{}.{}", text(&it["module"]), text(&it["name"]));
        (address, text(&it["provider"]))
    })
    .collect()
}

/// The same as we have it; without those of which it is not known.
fn ours(stack: &Stack) -> BTreeMap<String, String> {
    let tree = stack.tree.as_ref().unwrap();
    let mut found = BTreeMap::new();
    for (node, it) in tree.nodes().iter().enumerate() {
        for resource in it.module.resources() {
            let wanted = it.module.provider_of(resource).unwrap();
            let (_, _, name) = resource.base().block().resource().unwrap();
            let provider = match tree.served_by(node, wanted) {
                Served::Block { node, provider, .. } => {
                    let alias = provider.attribute("alias");
                    let alias = alias.and_then(|it| Some(format!(".{}", it.value.literal()?.0)));
                    format!("{}{}", default_of(tree, node), alias.unwrap_or_default())
                }
                Served::Implicit => default_of(tree, 0),
                Served::Unknown => continue,
            };
            found.insert(format!("{}.{name}", path(tree, node)), provider);
        }
    }
    found
}

fn path(tree: &Tree, node: usize) -> String {
    let names = tree.path(node);
    let steps: Vec<_> = names.iter().map(|it| format!("module.{it}")).collect();
    steps.join(".")
}

fn default_of(tree: &Tree, node: usize) -> String {
    let provider = format!("provider[\"{SOURCE}\"]");
    match node {
        0 => provider,
        node => format!("{}.{provider}", path(tree, node)),
    }
}

#[test]
fn a_resource_is_served_by_what_terraform_serves_it_by() {
    if !is_here() {
        return;
    }
    let leaf: Kind = |_, _| "leaf";
    let by_default: Kind = |it, map| match it.has_default(map) {
        true => "given",
        false => "inheriting",
    };
    for (blocks, kind) in [(&["", "x"][..], by_default), (&["x"], leaf)] {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        let write = |name: &str, text: String| {
            let at = directory.path().join(name);
            fs::create_dir(&at).unwrap();
            fs::write(at.join("main.tf"), text).unwrap();
        };
        let of_root = module("root", "terraform", false, blocks);
        let calls = Module::calls(&MODULES, &of_root.configurations(), kind);
        write("root", of_root.header() + &calls);
        for it in MODULES {
            let leaves = |callers: &[String]| Module::calls(&LEAVES, callers, leaf);
            let all = it.configurations();
            let name = |kind| format!("{}_{kind}", it.name);
            write(&name("given"), it.header() + &leaves(&all));
            write(&name("inheriting"), it.header() + &leaves(&all[1..]));
            write(&name("leaf"), it.header());
        }
        terraform::run(&root, &["init", "-no-color"]);
        terraform::run(&root, &["apply", "-auto-approve", "-no-color"]);

        let theirs = theirs(&root);
        let registry = Arc::new(IdentityRegistry::mounted());
        let snapshot = Workspace::open(directory.path(), registry).snapshot();
        let mut stacks = snapshot.stacks.iter();
        let stack = stacks.find(|it| &*it.name == "root").unwrap();
        let ours = ours(stack);
        println!("{} of {} are known", ours.len(), theirs.len());
        assert_eq!(ours, theirs);
    }
}
