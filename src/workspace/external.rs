//! States of stacks that other workspaces hold: what `states` of the workspace file names outside of
//! this one. They take part by what they claim, and have no configuration here.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;

use crate::config::ModuleFile;

use super::discover::read;
use super::stack::{Stack, relative};
use super::tree::normalize;
use super::{WORKSPACE_FILE, Workspace};

/// Who names more files than this means none of them.
const MOST_LOOKED_AT: usize = 200_000;

/// What holds no states of anybody's.
const PASSED_OVER: &[&str] = &[".git", "node_modules", ".terraform", ".terragrunt-cache"];

/// What one `external` block names.
struct External {
    name: Box<str>,
    /// The directory that all of it lies below.
    base: PathBuf,
    glob: GlobMatcher,
    /// What the names on the way there are like, from the base on.
    way: Vec<GlobMatcher>,
    /// Whether the way goes on, through directories of any name.
    is_deep: bool,
}

/// The files that are named, and by whom.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Externals {
    /// By path: the name of the block, and what its path begins with.
    pub(super) files: BTreeMap<PathBuf, (Box<str>, PathBuf)>,
    /// The directories in which others may come to be.
    pub(super) directories: BTreeSet<PathBuf>,
    /// The blocks whose paths no file has: a slip of the pen, or states that are not there.
    pub(super) in_vain: BTreeSet<Box<str>>,
}

/// What the workspace file names.
fn named(root: &Path, file: &ModuleFile) -> Vec<External> {
    let sections = file.blocks().filter(|it| it.keyword == "states");
    let mut named = Vec::new();
    for section in sections {
        let body = file.body(section.id);
        for block in body.blocks("external") {
            let path = block.body.attribute("path");
            let path = path.and_then(|it| Some(it.literal()?.0.to_owned()));
            if let (Some(name), Some(path)) = (block.labels.first(), path) {
                named.extend(External::new(root, &name.text, &path));
            }
        }
    }
    named
}

impl External {
    fn new(root: &Path, name: &str, path: &str) -> Option<Self> {
        let special = |it: Component| {
            let text = it.as_os_str().to_string_lossy();
            text.contains(['*', '?', '[', ']', '{', '}', '\\'])
        };
        let whole = Path::new(path);
        let plain = whole.components().take_while(|it| !special(*it));
        let plain: PathBuf = plain.collect();
        let rest = whole.strip_prefix(&plain).ok()?;
        let base = normalize(&root.join(&plain));
        // what is on the way there is no pattern, whatever it is called
        let mut pattern = globset::escape(base.to_str()?);
        if !rest.as_os_str().is_empty() {
            pattern = format!("{}/{}", pattern.trim_end_matches('/'), rest.to_str()?);
        }
        let matcher = |glob: &str| {
            let glob = GlobBuilder::new(glob).literal_separator(true).build();
            glob.ok().map(|it| it.compile_matcher())
        };
        // a group may span several names
        let is_one_name = |it: &&str| !it.contains("**") && !it.contains(['{', '[', '\\']);
        let names: Vec<_> = rest.to_str()?.split('/').collect();
        let way = names.iter().copied().take_while(is_one_name);
        let way: Vec<_> = way.filter_map(matcher).collect();
        Some(Self {
            name: name.into(),
            base,
            glob: matcher(&pattern)?,
            is_deep: way.len() < names.len(),
            way,
        })
    }

    /// Whether what has this name so many directories below the base is on the way.
    fn leads_through(&self, name: &str, depth: usize) -> bool {
        match depth.checked_sub(1) {
            None => true,
            Some(at) => match self.way.get(at) {
                Some(like) => like.is_match(name),
                None => self.is_deep && !PASSED_OVER.contains(&name),
            },
        }
    }

    fn has(&self, path: &Path) -> bool {
        self.glob.is_match(path)
    }
}

impl Workspace {
    fn named_externals(&self) -> Vec<External> {
        let file = self.configuration.get(&*self.root.join(WORKSPACE_FILE));
        let file = file.and_then(|it| it.file());
        file.map_or_else(Vec::new, |it| named(&self.root, it))
    }

    /// Whether a path may be of a file that the workspace file names.
    pub(super) fn is_external(&self, path: &Path) -> bool {
        self.named_externals().iter().any(|it| it.has(path))
    }

    /// What the workspace file names, as the disk is now.
    pub(super) fn externals(&self) -> Externals {
        let mut found = Externals::default();
        for external in self.named_externals() {
            let external = Arc::new(external);
            let way = external.clone();
            let walk = WalkBuilder::new(&external.base)
                .standard_filters(false)
                .filter_entry(move |it| {
                    way.leads_through(&it.file_name().to_string_lossy(), it.depth())
                })
                .build();
            let mut is_in_vain = true;
            for entry in walk.flatten().take(MOST_LOOKED_AT) {
                let kind = entry.file_type();
                if kind.is_some_and(|it| it.is_dir()) {
                    found.directories.insert(entry.into_path());
                    continue;
                }
                if !kind.is_some_and(|it| it.is_file()) || !external.has(entry.path()) {
                    continue;
                }
                is_in_vain = false;
                // what is of this workspace is read already, by its own name
                let is_ours = self.listing.states.contains(entry.path())
                    || self.listing.inventories.contains(entry.path());
                if !is_ours {
                    let by = (external.name.clone(), external.base.clone());
                    found.files.entry(entry.into_path()).or_insert(by);
                }
            }
            if is_in_vain {
                found.in_vain.insert(external.name.clone());
            }
        }
        found
    }
}

/// Adds a stack for each state that lies elsewhere. A state that a stack here has is none, and of two
/// of one lineage the newer one counts.
pub(super) fn add(workspace: &Workspace, stacks: &mut Vec<Stack>) {
    let lineage = |stack: &Stack| {
        let lineage = stack.state.as_ref()?.file.lineage.clone();
        lineage.filter(|it| !it.is_empty())
    };
    let ours: BTreeSet<_> = stacks.iter().filter_map(lineage).collect();
    let mut added: Vec<Stack> = Vec::new();
    let mut by_lineage: HashMap<Box<str>, usize> = HashMap::new();
    let mut names: BTreeSet<Box<str>> = stacks.iter().map(|it| it.name.clone()).collect();
    for (path, (external, base)) in &workspace.externals.files {
        let Some((path, file)) = workspace.states.get_key_value(&**path) else {
            continue;
        };
        let (state, unreadable) = read(path, file);
        if state.is_none() && unreadable.is_empty() {
            continue;
        }
        let by_path = relative(base, &path.with_extension(""));
        let own = state.as_ref().and_then(|it| it.file.name.clone());
        let name = |it: &str| -> Box<str> { format!("{external}:{it}").into() };
        let stack_name = match own.map(|it| name(&it)).filter(|it| !names.contains(it)) {
            Some(own) => own,
            None => name(&by_path),
        };
        let directory: Arc<Path> = path.parent().unwrap_or(path).into();
        let stack = Stack::new(stack_name, directory, "default", None, (state, unreadable));
        if let Some(lineage) = lineage(&stack) {
            if ours.contains(&lineage) {
                continue;
            }
            let serial = |it: &Stack| it.state.as_ref().and_then(|it| it.file.serial);
            match by_lineage.get(&lineage) {
                Some(same) if serial(&added[*same]) >= serial(&stack) => continue,
                Some(same) => {
                    names.remove(&added[*same].name);
                    names.insert(stack.name.clone());
                    added[*same] = stack;
                    continue;
                }
                None => _ = by_lineage.insert(lineage, added.len()),
            }
        }
        names.insert(stack.name.clone());
        added.push(stack);
    }
    stacks.extend(added);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::External;
    use crate::fixture::{Fixture, check};

    /// The names of the stacks of a workspace in `here`, with a repository beside it.
    fn stacks(text: &str) -> Vec<String> {
        let fixture = Fixture::new(text);
        let registry = std::sync::Arc::new(crate::identity::IdentityRegistry::mounted());
        let mut workspace = crate::workspace::Workspace::open(&fixture.path("here"), registry);
        let snapshot = workspace.snapshot();
        snapshot
            .stacks
            .iter()
            .map(|it| it.name.to_string())
            .collect()
    }

    fn inventory(name: &str, lineage: &str, serial: u32) -> String {
        format!(
            r#"{{"version": 1, "name": "{name}", "state": {{"lineage": "{lineage}", "serial": {serial}}}, "resources": []}}"#
        )
    }

    #[test]
    fn what_is_named_takes_part_under_the_name_of_its_block() {
        let text = format!(
            r#"
#- here/gantrycd.hcl
states {{
  external "billing" {{
    path = "../billing/.gantrycd/state/**/*.json"
  }}
  external "files" {{
    path = "../shared/*.tfstate"
  }}
  external "nothing" {{
    path = "../nowhere/*.json"
  }}
}}
#- here/a/main.tf
#- here/a/terraform.tfstate
aws_vpc.v id=x
#- billing/.gantrycd/state/live/invoices.json
{}
#- billing/.gantrycd/state/unnamed.json
{{"version": 1, "resources": []}}
#- billing/other.json
{{}}
#- shared/net.tfstate
aws_vpc.v id=y
#- shared/deep/net.tfstate
aws_vpc.v id=z
"#,
            inventory("live/invoices", "l", 1)
        );
        assert_eq!(
            stacks(&text),
            ["a", "billing:live/invoices", "billing:unnamed", "files:net"]
        );
    }

    #[test]
    fn only_what_is_on_the_way_is_looked_at() {
        let root = Path::new("/w/here");
        let external = |path: &str| External::new(root, "x", path).unwrap();
        let beside = external("../*-infra/.gantrycd/state/**/*.json");
        assert_eq!(beside.base, Path::new("/w"));
        for (name, depth, expected) in [
            ("w", 0, true),
            ("net-infra", 1, true),
            ("other", 1, false),
            (".gantrycd", 2, true),
            ("src", 2, false),
            ("state", 3, true),
            ("anything", 4, true),
            ("anything", 9, true),
            (".git", 9, false),
        ] {
            assert_eq!(beside.leads_through(name, depth), expected, "{name}");
        }
        let flat = external("/shared/*.tfstate");
        assert_eq!(flat.base, Path::new("/shared"));
        assert!(flat.leads_through("a.tfstate", 1));
        assert!(!flat.leads_through("deep", 1) && !flat.leads_through("a.tfstate", 2));
        let one = external("../a/one.json");
        assert!(one.has(Path::new("/w/a/one.json")));
        assert!(!one.has(Path::new("/w/a/another.json")));
        let grouped = external("../{a/b,c}/*.json");
        assert!(grouped.leads_through("a", 1) && grouped.leads_through("b", 2));
        assert!(grouped.has(Path::new("/w/a/b/x.json")));
    }

    #[test]
    fn the_same_state_is_never_two_stacks() {
        let text = format!(
            r#"
#- here/gantrycd.hcl
states {{
  external "x" {{
    path = "../*/.gantrycd/state/**/*.json"
  }}
}}
#- here/.gantrycd/state/a.json
{}
#- b/.gantrycd/state/a.json
{}
#- c/.gantrycd/state/same.json
{}
#- d/.gantrycd/state/same.json
{}
#- e/.gantrycd/state/same.json
{}
"#,
            inventory("a", "ours", 1),
            inventory("a", "ours", 2),
            inventory("old", "theirs", 1),
            inventory("new", "theirs", 3),
            inventory("new", "another", 3),
        );
        assert_eq!(stacks(&text), ["a", "x:e/.gantrycd/state/same", "x:new"]);
    }

    #[test]
    fn a_duplicate_of_what_another_workspace_manages_is_told_of() {
        check(
            r#"
#- gantrycd.hcl
states {
  external "billing" {
    path = "elsewhere/.gantrycd/state/*.json"
  }
}
#- a/main.tf
resource "aws_s3_bucket" "b" {}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ duplicate-identity: aws_s3_bucket.b manages the same object as aws_s3_bucket.theirs of billing:live
resource "aws_s3_bucket" "ignored" {}
#- a/terraform.tfstate
aws_s3_bucket.b arn=arn:aws:s3:::x
aws_s3_bucket.ignored arn=arn:aws:s3:::y
#- elsewhere/.gantrycd/state/live.json
{"version": 1, "name": "live", "resources": [{"address": "aws_s3_bucket.theirs", "provider": "registry.terraform.io/hashicorp/aws", "attributes": {"arn": "arn:aws:s3:::x"}}, {"address": "aws_s3_bucket.ignored", "provider": "registry.terraform.io/hashicorp/aws", "no_identity": {"reason": "opted-out-by-comment", "detail": null}, "attributes": {"arn": "arn:aws:s3:::y"}}]}
"#,
        );
    }
}
