//! What evaluation says of where values come from, of what is known in part, and of what is too much.
//!
//! Whether the values themselves are right is for `console` to say.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::eval::scope::{Resolved, Scope};
use gantrycd_ls::eval::value::{Data, Found, Value};
use gantrycd_ls::eval::{evaluate, fails};
use gantrycd_ls::syntax::{Expression, File};
use gantrycd_ls::text::Source;

/// The attributes of one text, which see one another as `local.…`. Nothing else has a value.
struct Locals {
    text: String,
    path: Arc<Path>,
    expressions: HashMap<String, Arc<Expression>>,
    memo: RefCell<HashMap<String, Option<Value>>>,
    evaluations: Cell<u32>,
}

impl Locals {
    fn read(text: &str) -> Self {
        let file = File::split(Source::new(text));
        let body = file.top_level();
        let attributes = body.attributes.into_iter();
        Self {
            text: text.into(),
            path: Path::new("locals.tf").into(),
            expressions: attributes
                .map(|it| (it.name.text.into(), it.value))
                .collect(),
            memo: RefCell::default(),
            evaluations: Cell::new(0),
        }
    }

    fn get(&self, name: &str) -> Value {
        evaluate(&self.expressions[name], self, &self.path)
    }

    fn fails(&self, name: &str) -> bool {
        fails(&self.expressions[name], self, &self.path)
    }

    /// The text at a value's origin, the references that it came through, and whether it was
    /// computed.
    fn origin(&self, value: &Value) -> (&str, Vec<String>, bool) {
        let origin = value.origin.as_ref().expect("an origin");
        assert_eq!(origin.place.path, self.path);
        let through = origin.references().map(|it| it.reference.to_string());
        (
            &self.text[origin.place.span.range()],
            through.collect(),
            origin.computed,
        )
    }
}

impl Scope for Locals {
    fn reference(&self, root: &str, names: &[&str]) -> Option<Resolved> {
        let name = names.first().filter(|_| root == "local")?;
        let known = self.memo.borrow().get(*name).cloned();
        if let Some(value) = known {
            return value.map(|value| Resolved { value, used: 1 });
        }
        self.memo.borrow_mut().insert((*name).into(), None);
        self.evaluations.set(self.evaluations.get() + 1);
        let value = evaluate(self.expressions.get(*name)?, self, &self.path);
        self.memo
            .borrow_mut()
            .insert((*name).into(), Some(value.clone()));
        Some(Resolved { value, used: 1 })
    }
}

fn entry<'a>(value: &'a Value, key: &str) -> &'a Value {
    match value.get(key) {
        Found::Entry(entry) => &entry.value,
        other => panic!("{key}: {other:?}"),
    }
}

#[test]
fn a_value_knows_where_it_was_written() {
    let locals = Locals::read(
        r#"
realm  = "alice"
empty  = ""
number = 12
truth  = true
text   = "${local.realm}"
joined = "${local.realm}-x"
same   = (local.realm)
tags   = { "team" = "core", realm = local.realm }
merged = merge(local.tags, { owner = "me" })
again  = local.merged
list   = ["a", local.realm]
null_  = null
upper  = upper(local.realm)
sum    = 1 + 2
choice = true ? local.realm : "other"
first  = coalesce(null, "", local.realm)
or     = try(local.list[9], local.realm)
found  = lookup(local.tags, "team", "none")
none   = lookup(local.tags, "nope", "none")
map    = tomap({ a = "x", b = 1 })
item   = element(local.list, 1)
flat   = flatten([["p"], [["q"]]])
each   = { for k, v in local.tags : k => v }
loud   = { for k, v in local.tags : k => upper(v) }
splat  = [{ n = "deep" }][*].n
split  = split(",", "u,v")
set    = toset(["z", "y", "z"])
concat = concat(["a"], local.list)
keys   = keys(local.tags)
heredoc = <<EOT
two
lines
EOT
"#,
    );
    let at = |name: &str| locals.get(name);
    let expect = |value: &Value, text: &str, through: &[&str], computed: bool| {
        let through = through.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(locals.origin(value), (text, through, computed));
    };
    expect(&at("realm"), "alice", &[], false);
    expect(&at("empty"), "\"\"", &[], false);
    expect(&at("number"), "12", &[], false);
    expect(&at("truth"), "true", &[], false);
    expect(&at("null_"), "null", &[], false);
    expect(&at("heredoc"), "two\nlines\n", &[], false);
    // what passes through is where it was
    expect(&at("text"), "alice", &["local.realm"], false);
    expect(&at("same"), "alice", &["local.realm"], false);
    expect(&at("choice"), "alice", &["local.realm"], false);
    expect(&at("first"), "alice", &["local.realm"], false);
    expect(&at("or"), "alice", &["local.realm"], false);
    expect(&at("found"), "core", &["local.tags"], false);
    expect(&at("none"), "none", &[], false);
    expect(&at("item"), "alice", &["local.list", "local.realm"], false);
    expect(entry(&at("merged"), "team"), "core", &["local.tags"], false);
    expect(entry(&at("merged"), "owner"), "me", &[], false);
    expect(
        entry(&at("again"), "realm"),
        "alice",
        &["local.merged", "local.tags", "local.realm"],
        false,
    );
    expect(entry(&at("map"), "b"), "1", &[], false);
    expect(entry(&at("each"), "team"), "core", &["local.tags"], false);
    expect(&at("flat").elements()[1], "q", &[], false);
    expect(&at("splat").elements()[0], "deep", &[], false);
    expect(
        &at("concat").elements()[2],
        "alice",
        &["local.list", "local.realm"],
        false,
    );
    // the first of two equal elements is the one that stays
    let set = at("set");
    assert_eq!(
        set.elements()[1].origin.as_ref().unwrap().place.span.start as usize,
        locals.text.find("z\"").unwrap()
    );
    // what is computed is where it was computed
    expect(&at("joined"), "\"${local.realm}-x\"", &[], true);
    expect(&at("upper"), "upper(local.realm)", &[], true);
    expect(&at("sum"), "1 + 2", &[], true);
    expect(entry(&at("loud"), "team"), "upper(v)", &[], true);
    expect(
        &at("split").elements()[1],
        "split(\",\", \"u,v\")",
        &[],
        true,
    );
    // a key is where it was written
    let merged = at("merged");
    for (key, written) in [("team", "\"team\""), ("realm", "realm"), ("owner", "owner")] {
        let Found::Entry(entry) = merged.get(key) else {
            panic!("{key}");
        };
        let place = entry.written.as_ref().unwrap();
        assert_eq!(&locals.text[place.span.range()], written);
    }
    assert_eq!(locals.origin(&at("keys").elements()[1]).0, "\"team\"");
}

#[test]
fn what_is_unknown_in_one_key_does_not_blind_the_others() {
    let locals = Locals::read(
        r#"
before   = merge({ a = "1", b = "2" }, var.unknown, { b = "3" })
after    = merge(var.unknown, { a = "1" })
entry    = { a = "1", b = var.unknown }
key      = { a = "0", (var.unknown) = "1", b = "2" }
nested   = merge(local.after, { c = { d = "x", e = var.unknown } })
either   = var.unknown ? { a = "1", b = "2" } : { a = "1", b = "3", c = "4" }
other    = true ? { a = "1", n = 1 } : var.unknown
perhaps  = merge({ a = "1", b = "0" }, var.unknown ? { b = "2" } : {})
again    = merge(local.perhaps, { b = "3" })
for_     = { for k, v in local.after : upper(k) => "${v}!" }
map      = tomap(local.after)
missing  = local.after.b
there    = local.after.a
index    = local.after["a"]
lookup   = lookup(local.after, "a", "d")
default  = lookup(local.after, "b", "d")
sure     = lookup(local.other, "b", "d")
try_     = try(local.after.a, "x")
doubtful = try(local.after.b, "x")
fails    = true ? local.other.b : ""
length   = length(local.after)
equal    = var.unknown ? "same" : "same"
list     = [var.unknown, "b"][1]
logic    = false && var.unknown
"#,
    );
    let text = |name: &str, key: &str| match locals.get(name).get(key) {
        Found::Entry(entry) => entry.value.as_text().unwrap_or("?").to_owned(),
        Found::Absent => "absent".into(),
        Found::Unknown => "unknown".into(),
    };
    for (name, key, found) in [
        ("before", "a", "unknown"),
        ("before", "b", "3"),
        ("before", "z", "unknown"),
        ("after", "a", "1"),
        ("after", "b", "unknown"),
        ("entry", "a", "1"),
        ("entry", "b", "?"),
        ("entry", "c", "absent"),
        ("key", "a", "unknown"),
        ("key", "b", "2"),
        ("nested", "a", "1"),
        ("either", "a", "1"),
        ("either", "b", "?"),
        ("either", "c", "unknown"),
        ("either", "d", "absent"),
        ("perhaps", "a", "1"),
        ("perhaps", "b", "unknown"),
        ("perhaps", "c", "absent"),
        ("again", "b", "3"),
        ("again", "c", "absent"),
        ("other", "a", "1"),
        ("other", "n", "?"),
        ("other", "z", "absent"),
        ("for_", "A", "1!"),
        ("for_", "B", "unknown"),
        ("map", "a", "1"),
    ] {
        assert_eq!(text(name, key), found, "{name}.{key}");
    }
    let nested = locals.get("nested");
    assert_eq!(entry(entry(&nested, "c"), "d").as_text(), Some("x"));
    for (name, value) in [
        ("missing", None),
        ("there", Some("1")),
        ("index", Some("1")),
        ("lookup", Some("1")),
        ("default", None),
        ("sure", Some("d")),
        ("try_", Some("1")),
        ("doubtful", None),
        ("equal", Some("same")),
        ("list", Some("b")),
    ] {
        assert_eq!(locals.get(name).as_text(), value, "{name}");
    }
    assert!(
        locals.fails("fails"),
        "of an object that is known to have two keys"
    );
    assert!(!locals.fails("missing"));
    assert!(!locals.get("length").is_known());
    assert!(matches!(locals.get("logic").data, Data::Bool(false)));
}

#[test]
fn what_is_too_much_is_unknown() {
    let mut text = String::new();
    // a text that doubles thirty times, a list that does, a chain of references, a circle
    text.push_str("a0 = \"xxxxxxxx\"\nb0 = [1]\nc0 = \"c\"\n");
    for n in 1..=300 {
        let before = n - 1;
        if n <= 40 {
            text.push_str(&format!(
                "a{n} = \"${{local.a{before}}}${{local.a{before}}}\"\n"
            ));
            text.push_str(&format!("b{n} = [local.b{before}, local.b{before}]\n"));
        }
        text.push_str(&format!("c{n} = upper(lower(\"${{local.c{before}}}\"))\n"));
    }
    text.push_str("circle = { a = local.circle, b = \"x\" }\n");
    text.push_str(&format!(
        "deep = {}1{}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    ));
    text.push_str(&format!(
        "calls = {}\"x\"{}\n",
        "upper(".repeat(120),
        ")".repeat(120)
    ));
    text.push_str(&format!("sum = 1{}\n", " + 1".repeat(20_000)));
    text.push_str(
        r#"
range    = range(1000000000)
wide     = format("%1000000000d", 1)
product  = setproduct(range(1000), range(1000), range(1000), range(1000))
indented = indent(1000000000, "a\nb")
power    = 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200 * 1e200
huge     = 1e999999999
pattern  = regexall("(a{0,900}){0,900}", "aaaa")
loops    = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a + b + c]]]
replaced = replace(local.a12, "x", local.a12)
joined   = join(local.a12, [for a in range(1000) : local.a12])
"#,
    );
    let locals = Locals::read(&text);
    let start = std::time::Instant::now();
    for name in [
        "a40", "b40", "c300", "sum", "range", "wide", "product", "indented", "power", "huge",
        "pattern", "loops", "replaced", "joined", "deep",
    ] {
        assert!(!locals.get(name).is_wholly_known(), "{name}");
    }
    assert_eq!(locals.get("calls").as_text(), Some("X"));
    assert_eq!(locals.get("c30").as_text(), Some("C"));
    assert_eq!(entry(&locals.get("circle"), "b").as_text(), Some("x"));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn no_nesting_overflows_a_stack() {
    // as deep as the parser reads, and through references as deep again
    for (open, close) in [
        ("[", "]"),
        ("{ a = ", " }"),
        ("(", ")"),
        ("!", ""),
        ("upper(", ")"),
        ("try(", ")"),
        ("can(", ")"),
        ("merge({}, ", ")"),
        ("true ? ", " : null"),
        ("\"x${", "}\""),
        ("[for x in [1] : ", "]"),
        ("{ for x in [1] : x => ", " if true }"),
        ("\"%{ for x in [1] }${", "}%{ endfor }\""),
        ("\"%{ if true }${", "}%{ endif }\""),
        ("[1, ", "][0]"),
        ("[", "][*]"),
        ("-1 + ", ""),
    ] {
        let nested = |inner: &str| format!("{}{inner}{}", open.repeat(150), close.repeat(150));
        let text = format!("a = {}\nb = {}\n", nested("true"), nested("local.a"));
        let locals = Locals::read(&text);
        locals.get("b");
    }
}

#[test]
fn a_local_is_evaluated_once() {
    let locals = Locals::read(
        r#"
common = { Team = "core", Env = "prod" }
tags   = merge(local.common, { Name = "web-${local.common.Env}" })
"#,
    );
    for _ in 0..3 {
        assert_eq!(locals.get("tags").entries().len(), 3);
    }
    assert_eq!(locals.evaluations.get(), 1);
}
