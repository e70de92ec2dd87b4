//! What a person asks to have explained: an address, an identity, or a place in a file.

use std::path::{Path, PathBuf};

use super::nearest::{nearest, nothing};
use crate::config::{Block, Declared, Endpoint, ModuleFile};
use crate::identity::{Address, Identity, ModulePath, Realm};
use crate::text::{Encoding, Position, Span};
use crate::workspace::{RowRef, Snapshot, Stack, Use, normalize};

/// What the text of a question was taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// An address, of one stack or of any.
    Address,
    /// An ARN, or a declared id.
    Identity,
    /// A line of a file.
    Place,
}

/// How a resource is related to what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// It claims that identity.
    Claims,
    /// It will claim it after the next apply.
    WillClaim,
    /// It reads the object of that identity.
    Reads,
    /// It will read it after the next apply.
    WillRead,
    /// Its state records that ARN, and it claims another identity or none.
    Records,
    /// It is what was asked for.
    Is,
}

/// The resources that a question is about.
#[derive(Debug)]
pub struct Found {
    /// What was asked for.
    pub asked: Asked,
    /// The resources, by relation, stack and row.
    pub targets: Vec<Target>,
    /// How many others there are.
    pub more: usize,
}

/// A resource that a question is about.
#[derive(Clone, Debug)]
pub struct Target {
    /// Position in [`Snapshot::stacks`].
    pub stack: usize,
    /// Its address; without keys of a block that has no row.
    pub address: Address,
    /// Its row; `None` of what no state has.
    pub row: Option<RowRef>,
    /// How it is related to what was asked for.
    pub relation: Relation,
}

/// More resources than these are counted, not explained.
const MOST: usize = 10;

/// What `text` asks for: `ADDRESS`, `STACK/ADDRESS`, `FILE:LINE`, `FILE:LINE:COLUMN` (both from 1),
/// an ARN or a declared id, or `ID in realm REALM`. An address without a key stands for every
/// instance. A file may be relative to `directory` or to the workspace root. `stack` narrows it to
/// the stack of that name.
///
/// # Errors
/// That nothing was found, in one line, with what is nearest to it.
pub fn find(
    snapshot: &Snapshot,
    text: &str,
    directory: &Path,
    stack: Option<&str>,
) -> Result<Found, String> {
    if let Some(wanted) = stack
        && !snapshot.stacks.iter().any(|it| *it.name == *wanted)
    {
        let names = snapshot.stacks.iter().map(|it| it.name.to_string());
        return Err(match nearest(wanted, None, names) {
            Some((name, _)) => format!("no stack is called {wanted}; the nearest is {name}"),
            None => format!("no stack is called {wanted}"),
        });
    }
    let question = Question {
        snapshot,
        text,
        directory,
        stack,
    };
    let (asked, mut targets) = question.answer()?;
    let more = targets.len().saturating_sub(MOST);
    targets.truncate(MOST);
    Ok(Found {
        asked,
        targets,
        more,
    })
}

struct Question<'a> {
    snapshot: &'a Snapshot,
    text: &'a str,
    directory: &'a Path,
    stack: Option<&'a str>,
}

impl<'a> Question<'a> {
    fn answer(&self) -> Result<(Asked, Vec<Target>), String> {
        if let Some((file, line, column)) = line_of_file(self.text) {
            if let Some(file) = self.file(file) {
                return Ok((Asked::Place, self.at_line(file, line, column)?));
            }
            if crate::config::is_configuration(name(file)) {
                return Err(format!("{file} is no file of this workspace"));
            }
        }
        let addressed = self.addressed();
        if !addressed.is_empty() {
            return Ok((Asked::Address, addressed));
        }
        let identified = self.identified();
        if !identified.is_empty() {
            return Ok((Asked::Identity, identified));
        }
        let stacks = self.stacks().map(|(_, it)| it);
        Err(nothing(self.text, stacks))
    }

    /// The stacks that are asked about.
    fn stacks(&self) -> impl Iterator<Item = (usize, &'a Stack)> + Clone {
        let wanted = self.stack;
        let all = self.snapshot.stacks.iter().map(|it| &**it).enumerate();
        all.filter(move |(_, it)| wanted.is_none_or(|name| *it.name == *name))
    }

    // -- addresses

    fn addressed(&self) -> Vec<Target> {
        let anywhere = Address::parse(self.text);
        let mut found = Vec::new();
        for (stack, it) in self.stacks() {
            let rest = self.text.strip_prefix(&*it.name);
            let here = rest
                .and_then(|it| it.strip_prefix('/'))
                .and_then(Address::parse);
            for wanted in here.iter().chain(&anywhere) {
                let rows = self.rows(stack, |address| covers(wanted, address));
                match rows.is_empty() {
                    true => found.extend(self.without_row(stack, wanted)),
                    false => found.extend(rows),
                }
            }
        }
        found
    }

    /// The rows of a stack whose address, now or after the next apply, is asked for.
    fn rows(&self, stack: usize, is_it: impl Fn(&Address) -> bool) -> Vec<Target> {
        let it = &self.snapshot.stacks[stack];
        let rows = it.rows.iter().enumerate().filter(|(at, row)| {
            is_it(it.address(*at)) || row.moved_to.as_deref().is_some_and(&is_it)
        });
        let rows = rows.map(|(row, _)| RowRef { stack, row });
        rows.map(|it| self.target(it, Relation::Is)).collect()
    }

    fn target(&self, row: RowRef, relation: Relation) -> Target {
        Target {
            stack: row.stack,
            address: self.snapshot.address(row).clone(),
            row: Some(row),
            relation,
        }
    }

    /// A resource that a stack declares and that its state has not.
    fn without_row(&self, stack: usize, address: &Address) -> Option<Target> {
        self.snapshot.declared(stack, address)?;
        Some(Target {
            stack,
            address: address.clone(),
            row: None,
            relation: Relation::Is,
        })
    }

    // -- identities

    fn identified(&self) -> Vec<Target> {
        let realm = self.text.rsplit_once(" in realm ");
        let realm = realm.and_then(|(id, realm)| Some((id, Realm::parse(realm).ok()?)));
        let is_it = |it: &Identity| {
            *it.id == *self.text
                || realm
                    .as_ref()
                    .is_some_and(|(id, realm)| *it.id == **id && it.realm.as_ref() == Some(realm))
        };
        let mut found = Vec::new();
        for (stack, it) in self.stacks() {
            for (row, decided) in it.rows.iter().enumerate() {
                let recorded = it.record(row).and_then(|it| it.row.attributes.arn.as_ref());
                let relation = if decided.claim.as_ref().is_ok_and(is_it) {
                    Relation::Claims
                } else if decided.planned_claim().is_some_and(is_it) {
                    Relation::WillClaim
                } else if decided.looks_up.as_deref().is_some_and(is_it) {
                    Relation::Reads
                } else if decided.planned_look_up().is_some_and(is_it) {
                    Relation::WillRead
                } else if recorded.is_some_and(|it| **it == *self.text) {
                    Relation::Records
                } else {
                    continue;
                };
                found.push(self.target(RowRef { stack, row }, relation));
            }
        }
        found.sort_by_key(|it| (it.relation, it.stack, it.row));
        found
    }

    // -- places

    fn file(&self, name: &str) -> Option<&'a ModuleFile> {
        let here = self.directory.join(name);
        let real = here.canonicalize().unwrap_or_else(|_| PathBuf::from(name));
        let below = self.snapshot.root.join(name);
        let mut paths = [real, here, below].into_iter();
        let found = paths.find_map(|it| self.snapshot.file(&normalize(&it)));
        found.map(|it| &**it)
    }

    fn at_line(
        &self,
        file: &'a ModuleFile,
        line: u32,
        column: Option<u32>,
    ) -> Result<Vec<Target>, String> {
        let source = file.source();
        let at = |line, character| source.offset(Position { line, character }, Encoding::Utf32);
        let name = self.snapshot.relative(&file.path);
        if line == 0 || column == Some(0) {
            return Err("lines and columns count from 1".to_owned());
        }
        if line > source.line_count() {
            return Err(format!("{name} has {} lines", source.line_count()));
        }
        let line_span = Span {
            start: at(line - 1, 0),
            end: at(line - 1, u32::MAX),
        };
        let touches = |span: Span| span.start <= line_span.end && line_span.start <= span.end;
        let cursor = column.map(|it| at(line - 1, it - 1));
        let in_block = |it: &Block| match cursor {
            Some(cursor) => it.span.touches(cursor),
            None => touches(it.span),
        };
        let block = file.blocks().find(in_block).or_else(|| {
            let mut comments = file.comments.iter().filter(|it| touches(it.span));
            comments.find_map(|it| file.block(it.honoured()?))
        });
        let place = format!("{name}:{line}");
        let Some(block) = block else {
            return Err(format!("there is no block at {place}"));
        };
        let found = match block.keyword {
            "resource" | "data" => self.of_block(file, &block),
            "module" => self.of_call(file, &block),
            "moved" | "removed" | "import" => self.of_refactoring(file, &block),
            keyword => {
                return Err(format!(
                    "{place} is in a `{keyword}` block; only resources can be explained"
                ));
            }
        };
        match found.is_empty() {
            true => Err(format!("no stack has a resource of the block at {place}")),
            false => Ok(found),
        }
    }

    /// The stacks that are asked about and that a file is part of.
    fn uses(&self, file: &ModuleFile) -> impl Iterator<Item = Use> {
        let uses = self.snapshot.uses(file).iter().copied();
        uses.filter(|it| self.stacks().any(|(stack, _)| stack == it.stack))
    }

    fn of_block(&self, file: &ModuleFile, block: &Block) -> Vec<Target> {
        let rows = self.snapshot.rows_of(file, block.id);
        let mut found = Vec::new();
        for at in self.uses(file) {
            let node = self.snapshot.node(at);
            let declares = node.module.declares(file, block).is_some();
            let here = rows.iter().filter(|it| {
                let site = self.snapshot.row(**it).site;
                it.stack == at.stack && site.is_some_and(|it| it.node == at.node)
            });
            let here: Vec<_> = here.map(|it| self.target(*it, Relation::Is)).collect();
            match (here.is_empty(), declares) {
                (false, _) => found.extend(here),
                (true, true) => {
                    let address = self.address(at, block);
                    found.extend(address.and_then(|it| self.without_row(at.stack, &it)));
                }
                (true, false) => {}
            }
        }
        found
    }

    /// The address of a block in a stack, without keys.
    fn address(&self, at: Use, block: &Block) -> Option<Address> {
        let nodes = self.snapshot.stacks[at.stack].tree.as_ref()?.nodes();
        let mut steps = Vec::new();
        let mut node = &nodes[at.node];
        while let Some((caller, call)) = &node.caller {
            let name = call.base().block().label()?;
            steps.push((name.into(), None));
            node = &nodes[*caller];
        }
        let (mode, resource_type, name) = block.resource()?;
        Some(Address {
            module: steps.into_iter().rev().collect(),
            mode,
            resource_type: resource_type.into(),
            name: name.into(),
            key: None,
        })
    }

    /// The rows of the modules that a call calls.
    fn of_call(&self, file: &ModuleFile, block: &Block) -> Vec<Target> {
        let is_it = |it: &Declared| it.file.path == file.path && it.id() == block.id;
        let mut found = Vec::new();
        for (stack, it) in self.stacks() {
            let Some(tree) = &it.tree else {
                continue;
            };
            let called = |mut node: usize| {
                while let Some((caller, call)) = &tree.nodes()[node].caller {
                    if is_it(call.base()) {
                        return true;
                    }
                    node = *caller;
                }
                false
            };
            let rows = it.rows.iter().enumerate();
            let rows = rows.filter(|(_, row)| row.site.is_some_and(|it| called(it.node)));
            let rows = rows.map(|(row, _)| RowRef { stack, row });
            found.extend(rows.map(|it| self.target(it, Relation::Is)));
        }
        found
    }

    /// The rows that a `moved`, `removed` or `import` block of a root module is about.
    fn of_refactoring(&self, file: &ModuleFile, block: &Block) -> Vec<Target> {
        let body = file.body(block.id);
        let ends = ["from", "to"].into_iter();
        let ends: Vec<Endpoint> = ends
            .filter_map(|it| Endpoint::read_for_any(body.attribute(it)?))
            .collect();
        let root = ModulePath::default();
        let about = |address: &Address| ends.iter().any(|it| it.covers(&root, address));
        let roots = self.uses(file).filter(|it| it.node == 0);
        roots.flat_map(|it| self.rows(it.stack, about)).collect()
    }
}

/// Whether an address is the wanted one, whose missing keys stand for any.
fn covers(wanted: &Address, address: &Address) -> bool {
    let (ours, theirs) = (wanted.module.steps(), address.module.steps());
    let mut steps = ours.iter().zip(theirs);
    wanted.mode == address.mode
        && wanted.resource_type == address.resource_type
        && wanted.name == address.name
        && (wanted.key.is_none() || wanted.key == address.key)
        && ours.len() == theirs.len()
        && steps
            .all(|(ours, theirs)| ours.0 == theirs.0 && (ours.1.is_none() || ours.1 == theirs.1))
}

/// Takes `FILE:LINE` or `FILE:LINE:COLUMN` apart. The file may have colons of its own.
fn line_of_file(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let number = |it: &str| it.parse().ok();
    let (rest, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    match rest.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() && number(line).is_some() => {
            Some((file, number(line)?, Some(last)))
        }
        _ => (!rest.is_empty()).then_some((rest, last, None)),
    }
}

/// The last part of a path, whatever separates its parts.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_file_is_taken_apart_from_the_right() {
        for (text, expected) in [
            ("a/main.tf:3", Some(("a/main.tf", 3, None))),
            ("a/main.tf:3:14", Some(("a/main.tf", 3, Some(14)))),
            (r"C:\x.tf:3", Some((r"C:\x.tf", 3, None))),
            (r"C:\x.tf:3:1", Some((r"C:\x.tf", 3, Some(1)))),
            ("odd:name.tf:3", Some(("odd:name.tf", 3, None))),
            (r"C:\x.tf", None),
            ("main.tf:0", Some(("main.tf", 0, None))),
            ("main.tf:", None),
            ("main.tf:-3", None),
            (":3", None),
            ("aws_s3_bucket.b", None),
            ("arn:aws:iam::111122223333:role/r", None),
        ] {
            assert_eq!(line_of_file(text), expected, "{text}");
        }
    }

    #[test]
    fn a_missing_key_stands_for_any_and_nothing_else_does() {
        let of = |text| Address::parse(text).unwrap();
        for (wanted, address, expected) in [
            ("a_b.c", "a_b.c", true),
            ("a_b.c", "a_b.c[0]", true),
            ("a_b.c[0]", "a_b.c[1]", false),
            ("a_b.c[0]", r#"a_b.c["0"]"#, false),
            ("a_b.c[0]", "a_b.c", false),
            ("a_b.c", "data.a_b.c", false),
            ("a_b.c", "module.m.a_b.c", false),
            ("module.m.a_b.c", r#"module.m["k"].a_b.c[3]"#, true),
            (r#"module.m["k"].a_b.c"#, r#"module.m["l"].a_b.c"#, false),
            ("module.m.a_b.c", "module.m.module.n.a_b.c", false),
        ] {
            assert_eq!(
                covers(&of(wanted), &of(address)),
                expected,
                "{wanted} {address}"
            );
        }
    }
}
