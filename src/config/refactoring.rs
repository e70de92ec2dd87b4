//! `moved`, `removed` and `import` blocks: what the next apply does to addresses.

use crate::identity::{Address, Key, Mode, ModulePath, Step};
use crate::syntax::{Expression, ExpressionKind};

use super::Declared;

/// What a refactoring block is about: a module, a resource, or an instance of either, relative to
/// the module that the block stands in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint {
    module: Vec<Step>,
    resource: Option<Resource>,
}

/// Mode, type, name and key.
type Resource = (Mode, Box<str>, Box<str>, Option<Key>);

/// A `moved` block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    from: Endpoint,
    to: Endpoint,
}

impl Endpoint {
    /// Reads `module.a["k"].aws_s3_bucket.b[0]`. `None` for what is no such address, or has a key
    /// that is not a literal.
    pub fn read(expression: &Expression) -> Option<Self> {
        Self::read_with(expression, &mut |it| literal_key(it).map(Some))
    }

    /// The same without the keys that are no literals: of any instance.
    pub fn read_for_any(expression: &Expression) -> Option<Self> {
        Self::read_with(expression, &mut |it| Some(literal_key(it)))
    }

    /// The same where a key is what `read_key` makes of it, or left out by that.
    pub fn read_with(
        expression: &Expression,
        read_key: &mut dyn FnMut(&Expression) -> Option<Option<Key>>,
    ) -> Option<Self> {
        let mut names: Vec<(&str, Option<Key>)> = Vec::new();
        let mut at = expression;
        let mut key = None;
        loop {
            match &at.kind {
                ExpressionKind::Variable(name) => {
                    names.push((name, key.take()));
                    break;
                }
                ExpressionKind::Attribute(source, name) => {
                    names.push((&name.text, key.take()));
                    at = source;
                }
                ExpressionKind::Index(source, index)
                    if !matches!(source.kind, ExpressionKind::Index(..)) =>
                {
                    key = read_key(index)?;
                    at = source;
                }
                _ => return None,
            }
        }
        names.reverse();
        let mut rest = &names[..];
        let mut module = Vec::new();
        while let [("module", None), (name, key), after @ ..] = rest {
            module.push(((*name).into(), key.clone()));
            rest = after;
        }
        let (mode, rest) = match rest {
            [("data", None), after @ ..] => (Mode::Data, after),
            rest => (Mode::Managed, rest),
        };
        let resource = match rest {
            [] if !module.is_empty() => None,
            [(resource_type, None), (name, key)] => {
                Some((mode, (*resource_type).into(), (*name).into(), key.clone()))
            }
            _ => return None,
        };
        Some(Self { module, resource })
    }

    /// Whether an address of a module instance at `within` is what this is about, as `removed`
    /// blocks mean it: without any key, a resource or a module stands for all its instances.
    pub fn covers(&self, within: &ModulePath, address: &Address) -> bool {
        let same = |ours: &Option<Key>, theirs: &Option<Key>| ours.is_none() || ours == theirs;
        let Some((own, rest)) = self.split(within, address) else {
            return false;
        };
        let mut steps = self.module.iter().zip(own);
        steps.all(|(ours, theirs)| ours.0 == theirs.0 && same(&ours.1, &theirs.1))
            && match &self.resource {
                Some((.., key)) => self.is_resource(rest, address) && same(key, &address.key),
                None => true,
            }
    }

    /// Whether it is about the resource of an address, or about an instance of it, as `moved`
    /// blocks mean it: a module without a key has none.
    pub fn is_about(&self, within: &ModulePath, address: &Address) -> bool {
        let split = self.split(within, address);
        split.is_some_and(|(own, rest)| *own == self.module[..] && self.is_resource(rest, address))
    }

    /// The steps of `address` behind `within`: as many as the endpoint has, and the rest.
    fn split<'a>(
        &self,
        within: &ModulePath,
        address: &'a Address,
    ) -> Option<(&'a [Step], &'a [Step])> {
        let steps = address.module.steps().strip_prefix(within.steps())?;
        steps.split_at_checked(self.module.len())
    }

    fn is_resource(&self, rest: &[Step], address: &Address) -> bool {
        self.resource.as_ref().is_some_and(|it| {
            let (mode, resource_type, name, _) = it;
            rest.is_empty()
                && *mode == address.mode
                && **resource_type == *address.resource_type
                && **name == *address.name
        })
    }

    /// Whether it names one instance by its key.
    fn has_key(&self) -> bool {
        match &self.resource {
            Some((.., key)) => key.is_some(),
            None => self.module.last().is_some_and(|(_, key)| key.is_some()),
        }
    }

    /// The address of the one instance that it names, in a module instance at `within`.
    pub fn instance(&self, within: &ModulePath) -> Option<Address> {
        let (mode, resource_type, name, key) = self.resource.clone()?;
        let steps = within.steps().iter().cloned();
        Some(Address {
            module: steps.chain(self.module.iter().cloned()).collect(),
            mode,
            resource_type: (*resource_type).into(),
            name: (*name).into(),
            key,
        })
    }
}

fn literal_key(index: &Expression) -> Option<Key> {
    Some(match &index.kind {
        ExpressionKind::Number(number) => Key::Index(number.parse().ok()?),
        _ => Key::Name(index.literal()?.0.into()),
    })
}

impl Moved {
    /// Reads a `moved` block.
    pub fn read(block: &Declared) -> Option<Self> {
        let body = block.body();
        Some(Self {
            from: Endpoint::read(body.attribute("from")?)?,
            to: Endpoint::read(body.attribute("to")?)?,
        })
    }

    /// Whether it moves a module, with all that is in it.
    pub fn is_of_module(&self) -> bool {
        self.from.resource.is_none()
    }

    /// Whether it moves one instance. Otherwise each instance keeps its key.
    pub fn is_of_instance(&self) -> bool {
        // as soon as one side names an instance, the other names one too
        self.from.has_key() || self.to.has_key()
    }

    /// Whether either end is the resource of an address, or an instance of it.
    pub fn is_about(&self, within: &ModulePath, address: &Address) -> bool {
        self.from.is_about(within, address) || self.to.is_about(within, address)
    }

    /// Where an address goes, in a module instance at `within`; `None` where the block is not about
    /// it. A module without a key is the one instance that has none, but for the last one of a
    /// block that moves all instances of a module.
    ///
    /// <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/addrs/move_endpoint_module.go#L495>
    pub fn applied(&self, within: &ModulePath, address: &Address) -> Option<Address> {
        if self.from.resource.is_some() != self.to.resource.is_some() {
            return None;
        }
        let (own, rest) = self.from.split(within, address)?;
        let mut steps = self.to.module.clone();
        let kept = !self.is_of_instance();
        match (own, &self.from.module[..]) {
            ([own @ .., (name, key)], [from @ .., (from_name, _)])
                if self.is_of_module() && kept =>
            {
                if own != from || name != from_name {
                    return None;
                }
                steps.last_mut()?.1.clone_from(key);
            }
            (own, from) if own == from => {}
            _ => return None,
        }
        let within = within.steps().iter().cloned();
        let mut to = address.clone();
        if let (Some((.., from_key)), Some((mode, resource_type, name, key))) =
            (&self.from.resource, &self.to.resource)
        {
            if !self.from.is_resource(rest, address) || (!kept && *from_key != address.key) {
                return None;
            }
            to.mode = *mode;
            to.resource_type = (&**resource_type).into();
            to.name = (&**name).into();
            if !kept {
                to.key.clone_from(key);
            }
        }
        let steps = within.chain(steps).chain(rest.iter().cloned());
        to.module = steps.collect();
        Some(to)
    }

    /// What it is about in the whole configuration, where these names lead to its module.
    pub fn reach(&self, module: &[Box<str>]) -> Reach {
        let every = !self.is_of_instance();
        let end = |it: &Endpoint| {
            let above = module.iter().map(|name| (name.clone(), Keys::Every));
            let mut steps: Vec<_> = above.collect();
            let own = it.module.iter();
            steps.extend(own.map(|(name, key)| (name.clone(), Keys::One(key.clone()))));
            if let (None, Some(last), true) = (&it.resource, steps.last_mut(), every) {
                last.1 = Keys::Every;
            }
            let resource = it.resource.clone().map(|(mode, resource_type, name, key)| {
                let keys = match every {
                    true => Keys::Every,
                    false => Keys::One(key),
                };
                (mode, resource_type, name, keys)
            });
            Pattern { steps, resource }
        };
        Reach {
            from: end(&self.from),
            to: end(&self.to),
        }
    }
}

/// What a `moved` block is about in the whole configuration.
pub struct Reach {
    from: Pattern,
    to: Pattern,
}

impl Reach {
    /// Whether its block takes effect only after the other's did.
    ///
    /// <https://github.com/hashicorp/terraform/blob/v1.11.4/internal/refactoring/move_execute.go#L218>
    pub fn comes_after(&self, other: &Self) -> bool {
        self.from.is(&other.to)
            || self.from.is_in(&other.to)
            || self.to.is_in(&other.to)
            || other.from.is_in(&self.from)
            || other.to.is_in(&self.from)
    }
}

/// The instances that one end of a `moved` block is about, in the whole configuration.
struct Pattern {
    steps: Vec<(Box<str>, Keys)>,
    resource: Option<(Mode, Box<str>, Box<str>, Keys)>,
}

enum Keys {
    Every,
    One(Option<Key>),
}

impl PartialEq for Keys {
    /// Whether there is a key that is of both.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Keys::One(a), Keys::One(b)) => a == b,
            _ => true,
        }
    }
}

impl Pattern {
    fn is(&self, other: &Self) -> bool {
        self.steps == other.steps && self.resource == other.resource
    }

    /// Whether it lies in the module that `module` is about.
    fn is_in(&self, module: &Self) -> bool {
        let inner = self.steps.len() > module.steps.len() || self.resource.is_some();
        module.resource.is_none() && inner && self.steps.starts_with(&module.steps)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::config::ModuleFile;
    use crate::text::Source;

    fn block(name: &str, text: &str) -> Declared {
        let file = Arc::new(ModuleFile::read(Path::new(name).into(), Source::new(text)));
        let first = file.block_ids().next().unwrap();
        Declared::new(&file, first)
    }

    fn moved(from: &str, to: &str) -> Moved {
        let text = format!("moved {{\n  from = {from}\n  to = {to}\n}}\n");
        Moved::read(&block("main.tf", &text)).unwrap_or_else(|| panic!("{text}"))
    }

    fn endpoint(text: &str) -> Option<Endpoint> {
        let block = block("main.tf", &format!("removed {{\n  from = {text}\n}}\n"));
        Endpoint::read(block.body().attribute("from")?)
    }

    fn path(text: &str) -> ModulePath {
        match text {
            "" => ModulePath::default(),
            text => Address::parse(&format!("{text}.x.y")).unwrap().module,
        }
    }

    fn applied(within: &str, from: &str, to: &str, address: &str) -> Option<String> {
        let address = Address::parse(address).unwrap_or_else(|| panic!("{address}"));
        let to = moved(from, to).applied(&path(within), &address)?;
        Some(to.to_string())
    }

    /// Each line held to Terraform by `tests/moving.rs`.
    #[test]
    fn what_a_moved_block_does_to_an_address() {
        let moves = [
            // resources: every instance keeps its key
            ("", "x.a", "x.b", "x.a", "x.b"),
            ("", "x.a", "x.b", "x.a[1]", "x.b[1]"),
            ("", "x.a", "x.b", r#"x.a["k"]"#, r#"x.b["k"]"#),
            ("", "x.a", "y.b", "x.a[1]", "y.b[1]"),
            // as soon as one side has a key, the other is one instance
            ("", "x.a", "x.a[0]", "x.a", "x.a[0]"),
            ("", "x.a[0]", "x.a", "x.a[0]", "x.a"),
            ("", "x.a[0]", r#"x.a["k"]"#, "x.a[0]", r#"x.a["k"]"#),
            (
                "",
                r#"x.a["k"]"#,
                r#"x.b["l"]"#,
                r#"x.a["k"]"#,
                r#"x.b["l"]"#,
            ),
            // into modules, out of them, between them
            ("", "x.a", "module.m.x.a", "x.a[1]", "module.m.x.a[1]"),
            ("", "x.a", "module.m[1].x.b", "x.a", "module.m[1].x.b"),
            ("", "module.m.x.a", "x.b", "module.m.x.a", "x.b"),
            (
                "",
                r#"module.m["k"].x.a"#,
                r#"x.b["k"]"#,
                r#"module.m["k"].x.a"#,
                r#"x.b["k"]"#,
            ),
            (
                "",
                "module.m.x.a",
                "module.n.module.o.x.a",
                "module.m.x.a",
                "module.n.module.o.x.a",
            ),
            // modules, with all that is in them
            (
                "",
                "module.m",
                "module.n",
                "module.m.x.a[0]",
                "module.n.x.a[0]",
            ),
            (
                "",
                "module.m",
                "module.n",
                "module.m[1].x.a",
                "module.n[1].x.a",
            ),
            (
                "",
                "module.m",
                "module.n",
                "module.m.module.o[2].x.a",
                "module.n.module.o[2].x.a",
            ),
            (
                "",
                "module.m",
                "module.m[0]",
                "module.m.x.a",
                "module.m[0].x.a",
            ),
            (
                "",
                "module.m[1]",
                "module.m",
                "module.m[1].x.a",
                "module.m.x.a",
            ),
            (
                "",
                "module.m[1]",
                r#"module.m["k"]"#,
                "module.m[1].x.a",
                r#"module.m["k"].x.a"#,
            ),
            (
                "",
                "module.m",
                "module.n.module.o",
                "module.m[1].x.a",
                "module.n.module.o[1].x.a",
            ),
            (
                "",
                "module.m.module.o",
                "module.o",
                "module.m.module.o.x.a",
                "module.o.x.a",
            ),
            // within the instances of a module
            ("module.i", "x.a", "x.b", "module.i.x.a", "module.i.x.b"),
            (
                "module.i[1]",
                "x.a",
                "x.b",
                "module.i[1].x.a",
                "module.i[1].x.b",
            ),
            (
                "module.i[1]",
                "module.m",
                "module.n[0]",
                "module.i[1].module.m.x.a",
                "module.i[1].module.n[0].x.a",
            ),
        ];
        for (within, from, to, address, expected) in moves {
            let moved = applied(within, from, to, address);
            assert_eq!(
                moved.as_deref(),
                Some(expected),
                "{from} to {to}: {address}"
            );
        }
    }

    #[test]
    fn what_a_moved_block_does_not_reach() {
        let stays = [
            ("", "x.a", "x.b", "x.c"),
            ("", "x.a", "x.b", "y.a"),
            ("", "x.a", "x.b", "data.x.a"),
            ("", "x.a", "x.b", "module.m.x.a"),
            ("module.i", "x.a", "x.b", "x.a"),
            ("module.i[0]", "x.a", "x.b", "module.i[1].x.a"),
            // one instance without a key
            ("", "x.a", "x.a[0]", "x.a[1]"),
            ("", "x.a", r#"x.b["k"]"#, "x.a[0]"),
            ("", "x.a[0]", "x.b", "x.a"),
            ("", "module.m", r#"module.m["k"]"#, "module.m[0].x.a"),
            // the module of a resource, and all but the last of a module, are one instance
            ("", "module.m.x.a", "module.n.x.a", "module.m[0].x.a"),
            ("", "module.m.x.a", "x.a", "module.m[0].x.a"),
            (
                "",
                "module.m.module.o",
                "module.n.module.o",
                "module.m[0].module.o.x.a",
            ),
            ("", "module.m", "module.n", "module.mm.x.a"),
            ("", "module.m", "module.n", "x.m"),
            // Terraform refuses it
            ("", "module.m", "x.a", "module.m.x.a"),
        ];
        for (within, from, to, address) in stays {
            assert_eq!(
                applied(within, from, to, address),
                None,
                "{from} to {to}: {address}"
            );
        }
    }

    #[test]
    fn what_a_removed_block_covers() {
        let covers = |from: &str, within: &str, address: &str| {
            endpoint(from)
                .unwrap()
                .covers(&path(within), &Address::parse(address).unwrap())
        };
        for (from, within, address) in [
            ("x.a", "", "x.a"),
            ("x.a", "", "x.a[1]"),
            ("x.a", "", r#"x.a["k"]"#),
            ("module.m", "", "module.m.x.a"),
            ("module.m", "", "module.m[0].module.o.x.a[1]"),
            ("module.m.x.a", "", "module.m[0].x.a"),
            ("x.a", "module.i[1]", "module.i[1].x.a"),
            ("data.x.a", "", "data.x.a"),
        ] {
            assert!(covers(from, within, address), "{from} {address}");
        }
        for (from, within, address) in [
            ("x.a", "", "x.b"),
            ("x.a", "", "y.a"),
            ("x.a", "", "data.x.a"),
            ("x.a", "", "module.m.x.a"),
            ("module.m", "", "module.n.x.a"),
            ("module.m", "", "x.m"),
            ("module.m.x.a", "", "module.m.module.o.x.a"),
            ("x.a", "module.i", "x.a"),
            ("x.a", "module.i[1]", "module.i[0].x.a"),
            ("x.a[0]", "", "x.a[1]"),
        ] {
            assert!(!covers(from, within, address), "{from} {address}");
        }
    }

    #[test]
    fn what_an_import_block_names() {
        let named = |text: &str, within: &str| {
            let address = endpoint(text)?.instance(&path(within))?;
            Some(address.to_string())
        };
        for (text, within, expected) in [
            ("x.a", "", Some("x.a")),
            ("x.a[0]", "", Some("x.a[0]")),
            (r#"x.a["a.b[0]"]"#, "", Some(r#"x.a["a.b[0]"]"#)),
            (
                r#"module.m["k"].module.o[0].x.a"#,
                "",
                Some(r#"module.m["k"].module.o[0].x.a"#),
            ),
            ("x.a", "module.i[1]", Some("module.i[1].x.a")),
            ("module.m", "", None),
            // not a literal
            ("x.a[each.key]", "", None),
            ("x.a[var.n]", "", None),
            (r#"x.a["k-${var.n}"]"#, "", None),
            // no address
            ("x", "", None),
            ("x.a.b", "", None),
            ("x[0].a", "", None),
            ("module", "", None),
            ("module.m[0][1]", "", None),
            ("x.a[-1]", "", None),
            ("x.a[1.5]", "", None),
            (r#""x.a""#, "", None),
            ("f(x)", "", None),
        ] {
            assert_eq!(named(text, within).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_key_that_is_no_literal_may_be_any() {
        let expression = |text: &str| {
            let block = block("main.tf", &format!("import {{\n  to = {text}\n}}\n"));
            block.body().attribute("to").unwrap().clone()
        };
        for (text, address, expected) in [
            ("x.a[each.key]", r#"x.a["k"]"#, true),
            ("x.a[each.key]", "x.a[0]", true),
            ("x.a[each.key]", "x.b[0]", false),
            ("x.a[1]", "x.a[0]", false),
            ("module.m[each.key].x.a[1]", r#"module.m["k"].x.a[1]"#, true),
            (
                "module.m[each.key].x.a[1]",
                r#"module.m["k"].x.a[0]"#,
                false,
            ),
        ] {
            let endpoint = Endpoint::read_for_any(&expression(text)).unwrap();
            let address = Address::parse(address).unwrap();
            let covers = endpoint.covers(&ModulePath::default(), &address);
            assert_eq!(covers, expected, "{text} {address}");
        }
        for text in ["x.a[each.key][0]", "x.a[0][each.key]"] {
            assert_eq!(Endpoint::read_for_any(&expression(text)), None, "{text}");
        }
    }

    #[test]
    fn addresses_in_json_are_texts() {
        let text = r#"{ "moved": [{ "from": "x.a[0]", "to": "module.m[\"k\"].x.a" }] }"#;
        let moved = Moved::read(&block("main.tf.json", text)).unwrap();
        let address = Address::parse("x.a[0]").unwrap();
        let to = moved.applied(&ModulePath::default(), &address).unwrap();
        assert_eq!(to.to_string(), r#"module.m["k"].x.a"#);
    }

    #[test]
    fn what_a_block_waits_for() {
        let after = |a: (&str, &str), b: (&str, &str)| {
            moved(a.0, a.1)
                .reach(&[])
                .comes_after(&moved(b.0, b.1).reach(&[]))
        };
        assert!(after(("x.b", "x.c"), ("x.a", "x.b")));
        assert!(!after(("x.a", "x.b"), ("x.b", "x.c")));
        assert!(after(("x.b[0]", "x.c"), ("x.a", "x.b[0]")));
        assert!(!after(("x.b[0]", "x.c"), ("x.a", "x.b[1]")));
        assert!(after(("module.n.x.a", "x.a"), ("module.m", "module.n")));
        assert!(after(("module.m", "module.n"), ("module.m.x.a", "x.a")));
        let inner = |module: &str| moved("x.a", "x.b").reach(&[module.into()]);
        let outer = moved("module.i", "module.j").reach(&[]);
        assert!(inner("j").comes_after(&outer));
        assert!(!outer.comes_after(&inner("j")));
        assert!(!inner("k").comes_after(&outer));
    }
}
