//! What the two tags declare: every pair of an own tag and a default one, as a state records them
//! and as the configuration plans them.
//!
//! Each cell of a grid is one stack with one resource, which has an `arn`. Read through the state
//! the claim is the recorded one; read through the configuration, over a state that says nothing,
//! it is the planned one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::checks;
use gantrycd_ls::identity::{Identity, IdentityRegistry, NoIdentity, Origin};
use gantrycd_ls::workspace::{Planned, Row, Snapshot, Workspace};
use serde_json::{Map, Value as Json, json};

const IDENTITY: &str = "gantrycd:resource-identity";
const REALM: &str = "gantrycd:resource-identity-realm";

/// A row is an own tag, a column a default one.
///
/// - `arn`: discovered, `own`: the id of the own tag, `hidden`: the id `(sensitive value)`
/// - `out`: opted out by tag, `refused`: an id in default tags, `?`: nobody can tell
const IDENTITIES: &str = r#"
             absent   text     "null"   ""       null     unknown  sensitive
absent       arn      refused  out      out      arn      ?        refused
text         own      own      own      own      own      own      own
"null"       out      out      out      out      out      out      out
""           out      out      out      out      out      out      out
null         arn      refused  out      out      arn      ?        refused
unknown      ?        ?        ?        ?        ?        ?        ?
sensitive    hidden   hidden   hidden   hidden   hidden   hidden   hidden
"#;

/// The same of the realm.
///
/// - `none`: no realm, `own` and `default`: the realm of that tag, `called`: the realm `null`
/// - `bad`: the realm is malformed, `?`: nobody can tell
const REALMS: &str = r#"
             absent   text     "null"   ""       words    null     unknown  sensitive
absent       none     default  called   bad      bad      none     ?        bad
text         own      own      own      own      own      own      own      own
"null"       called   called   called   called   called   called   called   called
""           bad      bad      bad      bad      bad      bad      bad      bad
words        bad      bad      bad      bad      bad      bad      bad      bad
null         none     default  called   bad      bad      none     ?        bad
unknown      ?        ?        ?        ?        ?        ?        ?        ?
sensitive    bad      bad      bad      bad      bad      bad      bad      bad
"#;

/// One cell: what the tags are, and what they come to.
struct Cell<'a> {
    name: String,
    own: &'a str,
    default: &'a str,
    expected: &'a str,
}

fn cells(grid: &str) -> Vec<Cell<'_>> {
    let mut lines = grid.trim_matches('\n').lines();
    let defaults: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    let mut cells = Vec::new();
    for (row, line) in lines.enumerate() {
        let mut words = line.split_whitespace();
        let own = words.next().unwrap();
        for (column, expected) in words.enumerate() {
            cells.push(Cell {
                name: format!("r{row}c{column}"),
                own,
                default: defaults[column],
                expected,
            });
        }
        assert_eq!(cells.len(), (row + 1) * defaults.len());
    }
    cells
}

impl Cell<'_> {
    fn arn(&self) -> String {
        format!("arn:aws:sqs:eu-west-1:111122223333:{}", self.name)
    }

    /// What a tag of this kind says. Ids differ by cell: none is a duplicate of another.
    fn text(&self, kind: &str, section: &str, key: &str) -> Option<String> {
        match kind {
            "absent" | "null" | "unknown" => None,
            "text" if key == IDENTITY => Some(format!("{section}/{}", self.name)),
            "text" => Some(section.to_owned()),
            "words" => Some("two words".to_owned()),
            "sensitive" => Some("secret".to_owned()),
            quoted => Some(quoted.trim_matches('"').to_owned()),
        }
    }

    fn entry(&self, kind: &str, section: &str, key: &str) -> String {
        let value = match kind {
            "absent" => return String::new(),
            "null" => "null".to_owned(),
            "unknown" => "var.unknown".to_owned(),
            "sensitive" => "var.secret".to_owned(),
            _ => format!("{:?}", self.text(kind, section, key).unwrap()),
        };
        format!("{key:?} = {value}")
    }

    fn configuration(&self, key: &str, more: &str) -> String {
        let own = self.entry(self.own, "own", key);
        let default = self.entry(self.default, "default", key);
        format!(
            r#"variable "unknown" {{}}
variable "secret" {{
  default   = "secret"
  sensitive = true
}}
provider "aws" {{
  default_tags {{
    tags = {{
      Team = "x"
      {default}
    }}
  }}
}}
resource "aws_sqs_queue" "q" {{
  tags = {{
    Name = "q"
    {more}
    {own}
  }}
}}
"#
        )
    }

    /// A state with these tags; one that says nothing when there are none.
    fn state(&self, tags: Json, tags_all: Json, sensitive: Json) -> String {
        let attributes = json!({"arn": self.arn(), "tags": tags, "tags_all": tags_all});
        let instance = json!({"attributes": attributes, "sensitive_attributes": sensitive});
        let resource = json!({
            "mode": "managed", "type": "aws_sqs_queue", "name": "q",
            "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
            "instances": [instance],
        });
        let lineage = &self.name;
        json!({"version": 4, "serial": 1, "lineage": lineage, "resources": [resource]}).to_string()
    }

    /// The state after an apply of the configuration.
    fn applied(&self, key: &str, more: Option<(&str, String)>) -> String {
        let mut own = Map::from_iter([("Name".to_owned(), json!("q"))]);
        own.extend(more.map(|(key, value)| (key.to_owned(), value.into())));
        if self.own != "absent" {
            own.insert(key.to_owned(), self.text(self.own, "own", key).into());
        }
        let mut all = Map::from_iter([("Team".to_owned(), json!("x"))]);
        all.extend(
            self.text(self.default, "default", key)
                .map(|it| (key.to_owned(), it.into())),
        );
        all.extend(own.clone().into_iter().filter(|(_, it)| !it.is_null()));
        let path = |section: &str| {
            let index = json!({"type": "index", "value": {"value": key, "type": "string"}});
            json!([{"type": "get_attr", "value": section}, index])
        };
        let by_default = self.default == "sensitive" && matches!(self.own, "absent" | "null");
        let sensitive = match self.own == "sensitive" {
            true => vec![path("tags"), path("tags_all")],
            false if by_default => vec![path("tags_all")],
            false => Vec::new(),
        };
        self.state(own.into(), all.into(), sensitive.into())
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn open(root: &Path) -> Snapshot {
    Workspace::open(root, Arc::new(IdentityRegistry::mounted())).snapshot()
}

/// The row of each stack, by the stack's name.
fn rows(snapshot: &Snapshot) -> BTreeMap<&str, &Row> {
    let row = |it: &gantrycd_ls::workspace::Stack| it.rows.len() == 1;
    let stacks = snapshot.stacks.iter();
    stacks
        .filter(|it| row(it))
        .map(|it| (&*it.name, &it.rows[0]))
        .collect()
}

/// A claim in the words of [`IDENTITIES`].
fn identity_word(cell: &Cell, claim: &Result<Identity, NoIdentity>) -> &'static str {
    match claim {
        Ok(it) if *it.id == *cell.arn() && it.origin == Origin::Discovered => "arn",
        Ok(it) if *it.id == *format!("own/{}", cell.name) => "own",
        Ok(it) if &*it.id == "(sensitive value)" => "hidden",
        Err(NoIdentity::OptedOutByTag) => "out",
        Err(NoIdentity::IdentityInDefaultTags) => "refused",
        other => panic!("{}: {other:?}", cell.name),
    }
}

/// A claim in the words of [`REALMS`].
fn realm_word(cell: &Cell, claim: &Result<Identity, NoIdentity>) -> &'static str {
    match claim {
        Ok(it) => match it.realm.as_ref().map(|it| it.as_str()) {
            None => "none",
            Some("own") => "own",
            Some("default") => "default",
            Some("null") => "called",
            other => panic!("{}: {other:?}", cell.name),
        },
        Err(NoIdentity::MalformedRealm(_)) => "bad",
        other => panic!("{}: {other:?}", cell.name),
    }
}

type Word = fn(&Cell, &Result<Identity, NoIdentity>) -> &'static str;

/// What both readings say of a grid. `more` is a further own tag of each resource.
fn check(grid: &str, key: &str, more: Option<&str>, word: Word) {
    let cells = cells(grid);
    let more_tag = |cell: &Cell| more.map(|key| (key, format!("own/{}", cell.name)));
    let in_state = tempfile::tempdir().unwrap();
    let on_screen = tempfile::tempdir().unwrap();
    for cell in &cells {
        let directory = in_state.path().join(&cell.name);
        if cell.own != "unknown" && cell.default != "unknown" {
            let state = cell.applied(key, more_tag(cell));
            write(&directory.join("terraform.tfstate"), &state);
        }
        let directory = on_screen.path().join(&cell.name);
        let more = more_tag(cell).map(|(key, value)| format!("{key:?} = {value:?}"));
        let configuration = cell.configuration(key, &more.unwrap_or_default());
        write(&directory.join("main.tf"), &configuration);
        let silent = cell.state(json!({}), json!({}), json!([]));
        write(&directory.join("terraform.tfstate"), &silent);
    }
    let (recorded, planned) = (open(in_state.path()), open(on_screen.path()));
    let (recorded, planned) = (rows(&recorded), rows(&planned));
    let mut wrong = Vec::new();
    for cell in &cells {
        let place = format!("own {} over default {}", cell.own, cell.default);
        // a state knows everything
        if cell.own != "unknown" && cell.default != "unknown" {
            let found = word(cell, &recorded[&*cell.name].claim);
            if found != cell.expected {
                wrong.push(format!("recorded, {place}: {found}, not {}", cell.expected));
            }
        }
        let row = planned[&*cell.name];
        let found = match &row.planned {
            Planned::Changed(claim) => word(cell, claim),
            // nobody can tell, or it is what the silent state says
            Planned::Same => match cell.expected {
                "?" => "?",
                _ => word(cell, &row.claim),
            },
            Planned::Reads(_) => "reads",
            Planned::Gone => "gone",
        };
        if found != cell.expected {
            wrong.push(format!("planned, {place}: {found}, not {}", cell.expected));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn identities() {
    check(IDENTITIES, IDENTITY, None, identity_word);
}

#[test]
fn realms_of_discovered_ids() {
    check(REALMS, REALM, None, realm_word);
}

#[test]
fn realms_of_declared_ids() {
    check(REALMS, REALM, Some(IDENTITY), realm_word);
}

/// A resource that is not in any state yet claims an id that it declares, and nothing else.
#[test]
fn claims_in_advance() {
    let cells = cells(IDENTITIES);
    let root = tempfile::tempdir().unwrap();
    for cell in &cells {
        let path = root.path().join(&cell.name).join("main.tf");
        write(&path, &cell.configuration(IDENTITY, ""));
    }
    let snapshot = open(root.path());
    let rows = rows(&snapshot);
    for cell in &cells {
        let claim = rows.get(&*cell.name).and_then(|it| it.planned_claim());
        let found = claim.map(|it| identity_word(cell, &Ok(it.clone())));
        let declared = ["own", "hidden"].contains(&cell.expected);
        let expected = declared.then_some(cell.expected);
        assert_eq!(
            found, expected,
            "own {} over default {}",
            cell.own, cell.default
        );
    }
}

/// The findings of each stack: an id in default tags is told of whatever the own tag says, and a
/// malformed realm wherever it is written, unless nobody reads it.
#[test]
fn findings() {
    for (grid, key) in [(IDENTITIES, IDENTITY), (REALMS, REALM)] {
        let cells = cells(grid);
        let root = tempfile::tempdir().unwrap();
        for cell in &cells {
            let directory = root.path().join(&cell.name);
            write(&directory.join("main.tf"), &cell.configuration(key, ""));
            let silent = cell.state(json!({}), json!({}), json!([]));
            write(&directory.join("terraform.tfstate"), &silent);
        }
        let snapshot = open(root.path());
        let mut found: BTreeMap<String, Vec<(&str, u32)>> = BTreeMap::new();
        for finding in checks::run(&snapshot, &Default::default()) {
            let source = snapshot.source(&finding.place.path).unwrap();
            let line = source
                .position(finding.place.span.start, Default::default())
                .line;
            let path = snapshot.relative(&finding.place.path);
            let stack = path.split('/').next().unwrap().to_owned();
            if ["malformed-realm", "identity-in-default-tags"].contains(&finding.code) {
                found.entry(stack).or_default().push((finding.code, line));
            }
        }
        for cell in &cells {
            let (of_default, of_own) = (9, 17);
            let malformed = |it: &str| ["\"\"", "words"].contains(&it);
            let mut expected = Vec::new();
            if key == IDENTITY && cell.default == "text" {
                expected.push(("identity-in-default-tags", of_default));
            }
            if key == REALM && malformed(cell.default) {
                expected.push(("malformed-realm", of_default));
            }
            if key == REALM && malformed(cell.own) {
                expected.push(("malformed-realm", of_own));
            }
            let found = found.remove(&cell.name).unwrap_or_default();
            assert_eq!(
                found, expected,
                "own {} over default {}",
                cell.own, cell.default
            );
        }
    }
}
