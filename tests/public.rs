//! Public repositories: of how many resources with tags it is certain what gantrycd's two tags say.
//!
//! `GANTRYCD_HCL_CORPUS` names a directory of checked-out repositories; without it nothing is done.
//! With `GANTRYCD_HCL_WHY=N`, N resources of each repository that are not decided are shown, and with
//! `GANTRYCD_HCL_SAMPLE=N`, N of all those that are, for somebody to judge.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gantrycd_ls::eval::{Data, Value};
use gantrycd_ls::identity::{Address, IdentityRegistry, Mode};
use gantrycd_ls::workspace::{Configured, Said, Site, Snapshot, Tag, Workspace};

/// What one repository came to.
#[derive(Default, Clone, Copy)]
struct Counts {
    files: usize,
    stacks: usize,
    /// Resources with a `tags` argument, once for each stack that they are in.
    tagged: usize,
    decided: usize,
    /// The same, of stacks in which some provider has `default_tags`.
    with_default_tags: usize,
    decided_with_default_tags: usize,
    milliseconds: u128,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.stacks += other.stacks;
        self.tagged += other.tagged;
        self.decided += other.decided;
        self.with_default_tags += other.with_default_tags;
        self.decided_with_default_tags += other.decided_with_default_tags;
        self.milliseconds += other.milliseconds;
    }

    fn print(&self, name: &str) {
        println!(
            "{:>6} {:>6} {:>7} {:>7} {:>6} {:>7} {:>6} {:>7}  {name}",
            self.files,
            self.stacks,
            self.tagged,
            self.decided,
            share(self.decided, self.tagged),
            self.with_default_tags,
            share(self.decided_with_default_tags, self.with_default_tags),
            self.milliseconds,
        );
    }
}

fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1}%", part as f64 * 100.0 / whole as f64),
    }
}

/// What of a tag counts is certain.
fn is_decided(configured: &Configured) -> bool {
    configured.own.recorded_over(&configured.default).is_some()
}

fn said(tag: &Tag) -> String {
    match &tag.value {
        Said::Absent => "absent".to_owned(),
        Said::Text(text, _) => format!("{text:?}"),
        Said::Sensitive => "sensitive".to_owned(),
        Said::Unknown => "unknown".to_owned(),
    }
}

/// A value with `?` for what is not known, and `…` for entries that there may be.
fn written(value: &Value) -> String {
    let entries = value.entries().iter();
    let mut entries: Vec<_> = entries
        .map(|it| format!("{} = {}", it.key, written(&it.value)))
        .collect();
    match &value.data {
        Data::Null(_) => "null".to_owned(),
        Data::Bool(it) => it.to_string(),
        Data::Number(it) => it.to_string(),
        Data::Text(it) => format!("{it:?}"),
        Data::Unknown(_) => "?".to_owned(),
        Data::Tuple(all) | Data::List(_, all) | Data::Set(_, all) => {
            let all: Vec<_> = all.iter().map(written).collect();
            format!("[{}]", all.join(", "))
        }
        Data::Map(..) | Data::Object(_) | Data::Open(_) => {
            if matches!(&value.data, Data::Open(open) if open.more) {
                entries.push("…".to_owned());
            }
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// What the tags of a resource come to in any instance of it.
fn tags(snapshot: &Snapshot, stack: usize, site: Site) -> Option<String> {
    let nodes = snapshot.stacks[stack].tree.as_ref()?.nodes();
    let mut address = String::new();
    let mut node = &nodes[site.node];
    while let Some((caller, call)) = &node.caller {
        let name = &call.base().block().labels[0].text;
        address = format!("module.{name}.{address}");
        node = &nodes[*caller];
    }
    let block = snapshot.stacks[stack].resource(site).base().block();
    let (_, resource_type, name) = block.resource()?;
    let address = Address::parse(&format!("{address}{resource_type}.{name}"))?;
    Some(written(&snapshot.argument(stack, &address, "tags")?))
}

/// One resource as somebody would look it up: its place, its tags as written, our answer.
fn shown(snapshot: &Snapshot, stack: usize, configured: &Configured) -> String {
    let value = tags(snapshot, stack, configured.site).unwrap_or_default();
    let stack = &snapshot.stacks[stack];
    let resource = stack.resource(configured.site);
    let base = resource.base();
    let line = base
        .file
        .source()
        .position(base.block().header.start, Default::default())
        .line
        + 1;
    let argument = resource.attribute("tags").unwrap();
    let text = argument.file.source().slice(argument.value.span);
    let text: Vec<_> = text.split_whitespace().collect();
    let provider = match &configured.provider {
        Some(block) => snapshot.relative(&block.file.path).to_string(),
        None => "no provider block".to_owned(),
    };
    let (own, default) = (&configured.own, &configured.default);
    format!(
        "{}:{line} of {}: own {}/{}, default {}/{} ({provider})\n    {}\n    = {value}",
        snapshot.relative(&base.file.path),
        stack.name,
        said(&own.identity),
        said(&own.realm),
        said(&default.identity),
        said(&default.realm),
        text.join(" ").chars().take(600).collect::<String>(),
    )
}

fn wanted(variable: &str) -> usize {
    let value = std::env::var(variable).ok();
    value.and_then(|it| it.parse().ok()).unwrap_or(0)
}

fn measure(root: &Path, decided: &mut Vec<String>, undecided: &mut Vec<String>) -> Counts {
    let start = Instant::now();
    let mut workspace = Workspace::open(root, Arc::new(IdentityRegistry::mounted()));
    let snapshot = workspace.snapshot();
    let mut counts = Counts {
        files: workspace.file_count(),
        stacks: snapshot.stacks.len(),
        ..Counts::default()
    };
    let stacks = 0..snapshot.stacks.len();
    let configured: Vec<_> = stacks.map(|it| snapshot.configured(it)).collect();
    counts.milliseconds = start.elapsed().as_millis();
    for (stack, all) in configured.iter().enumerate() {
        let mut sites: BTreeMap<Site, Vec<&Configured>> = BTreeMap::new();
        for it in all {
            let resource = snapshot.stacks[stack].resource(it.site);
            let managed = resource.base().block().resource();
            if matches!(managed, Some((Mode::Managed, ..))) && resource.attribute("tags").is_some()
            {
                sites.entry(it.site).or_default().push(it);
            }
        }
        let module = snapshot.stacks[stack].module();
        let has_default_tags = module.is_some_and(|it| {
            let mut providers = it.providers().iter();
            providers.any(|it| !it.blocks("default_tags").is_empty())
        });
        for instances in sites.values() {
            let first_undecided = instances.iter().find(|it| !is_decided(it));
            counts.tagged += 1;
            counts.with_default_tags += usize::from(has_default_tags);
            match first_undecided {
                None => {
                    counts.decided += 1;
                    counts.decided_with_default_tags += usize::from(has_default_tags);
                    decided.push(shown(&snapshot, stack, instances[0]));
                }
                Some(it) => undecided.push(shown(&snapshot, stack, it)),
            }
        }
    }
    counts
}

/// Picks `count` of them, the same each time.
fn sample(all: &[String], count: usize) -> Vec<&String> {
    let mut seed = 42_u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    let count = count.min(all.len());
    (0..count).map(|_| &all[next() % all.len()]).collect()
}

#[test]
fn how_much_is_decided() {
    let Some(corpus) = std::env::var_os("GANTRYCD_HCL_CORPUS") else {
        println!("GANTRYCD_HCL_CORPUS is not set: no repository is read");
        return;
    };
    let mut repositories: Vec<_> = std::fs::read_dir(corpus)
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|it| it.is_dir())
        .collect();
    repositories.sort();
    println!(" files stacks  tagged decided  share default  share      ms  repository");
    let (mut total, mut decided) = (Counts::default(), Vec::new());
    for repository in &repositories {
        let name = repository.file_name().unwrap().to_string_lossy();
        let mut undecided = Vec::new();
        let from = decided.len();
        let counts = measure(repository, &mut decided, &mut undecided);
        decided[from..]
            .iter_mut()
            .for_each(|it| *it = format!("{name}/{it}"));
        counts.print(&name);
        for it in sample(&undecided, wanted("GANTRYCD_HCL_WHY")) {
            println!("  {it}");
        }
        total.add(&counts);
    }
    total.print("in all");
    for it in sample(&decided, wanted("GANTRYCD_HCL_SAMPLE")) {
        println!("{it}");
    }
}
