//! Makes expressions from a grammar and a seed.

/// A generator of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

/// What kind of value an expression is meant to have. It may have another one.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Bool,
    List,
    Map,
}

struct Grammar {
    dice: Dice,
    /// What stands in now and then for an expression of any kind.
    unknown: Option<&'static str>,
}

/// So many expressions.
pub fn expressions(seed: u64, count: usize) -> Vec<String> {
    make(seed, count, None)
}

/// So many expressions with an unknown variable in each.
pub fn with_unknown(seed: u64, count: usize) -> Vec<String> {
    make(seed, count, Some("var.unset"))
}

fn make(seed: u64, count: usize, unknown: Option<&'static str>) -> Vec<String> {
    let mut grammar = Grammar {
        dice: Dice(seed),
        unknown,
    };
    let mut all = Vec::new();
    while all.len() < count {
        let kind = grammar.kind();
        let expression = grammar.of(kind, 3);
        let wanted = unknown.is_none_or(|it| expression.contains(it));
        if wanted && expression.len() > 8 && expression.len() < 400 && !all.contains(&expression) {
            all.push(expression);
        }
    }
    all
}

impl Grammar {
    fn kind(&mut self) -> Kind {
        [Kind::Text, Kind::Number, Kind::Bool, Kind::List, Kind::Map][self.dice.roll(5)]
    }

    fn of(&mut self, kind: Kind, depth: usize) -> String {
        if let Some(unknown) = self.unknown
            && self.dice.roll(8) == 0
        {
            return unknown.into();
        }
        // now and then something else than what is wanted
        let kind = if self.dice.roll(25) == 0 {
            self.kind()
        } else {
            kind
        };
        if depth == 0 {
            return self.leaf(kind);
        }
        match kind {
            Kind::Text => self.text(depth - 1),
            Kind::Number => self.number(depth - 1),
            Kind::Bool => self.bool(depth - 1),
            Kind::List => self.list(depth - 1),
            Kind::Map => self.map(depth - 1),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let leaf = match kind {
            Kind::Text => self.dice.pick(&[
                "\"a\"",
                "\"\"",
                "\"7\"",
                "\"b-c\"",
                "\"é\"",
                "\"true\"",
                "var.realm",
                "local.tags.Name",
                "local.list[1]",
                "null",
                "\"Web App\"",
                "local.users[0].role",
            ]),
            Kind::Number => self.dice.pick(&[
                "0",
                "1",
                "2",
                "3.5",
                "\"4\"",
                "-1",
                "10",
                "local.tags.count",
                "1e3",
                "0.1",
            ]),
            Kind::Bool => self.dice.pick(&["true", "false", "\"true\"", "\"false\""]),
            Kind::List => self.dice.pick(&[
                "[]",
                "[\"a\", \"b\"]",
                "[1, 2]",
                "local.list",
                "[\"x\", 1]",
                "[null]",
                "tolist([\"c\"])",
                "toset([\"b\", \"a\"])",
                "[[\"a\"], [\"b\"]]",
            ]),
            Kind::Map => self.dice.pick(&[
                "{}",
                "{a = 1}",
                "{a = \"x\", b = \"y\"}",
                "local.tags",
                "tomap({b = \"z\"})",
                "{c = null}",
                "{a = {b = 1}}",
                "local.nested",
            ]),
        };
        leaf.into()
    }

    fn any(&mut self, depth: usize) -> String {
        let kind = self.kind();
        self.of(kind, depth)
    }

    fn text(&mut self, depth: usize) -> String {
        let t = |it: &mut Self| it.of(Kind::Text, depth);
        match self.dice.roll(20) {
            0 => format!("upper({})", t(self)),
            1 => format!("\"${{{}}}-${{{}}}\"", t(self), t(self)),
            2 => format!(
                "\"%{{if {}}}${{{}}}%{{else}}no%{{endif}}\"",
                self.of(Kind::Bool, depth),
                t(self)
            ),
            3 => format!("join(\",\", {})", self.of(Kind::List, depth)),
            4 => format!(
                "({} ? {} : {})",
                self.of(Kind::Bool, depth),
                t(self),
                self.any(depth)
            ),
            5 => format!("coalesce({}, {})", t(self), t(self)),
            6 => format!(
                "lookup({}, {}, {})",
                self.of(Kind::Map, depth),
                t(self),
                t(self)
            ),
            7 => format!("try({}, {})", self.any(depth), t(self)),
            8 => format!("format(\"%s/%v\", {}, {})", t(self), self.any(depth)),
            9 => format!("replace({}, \"a\", {})", t(self), t(self)),
            10 => format!(
                "element({}, {})",
                self.of(Kind::List, depth),
                self.of(Kind::Number, depth)
            ),
            11 => format!("{}[{}]", self.of(Kind::Map, depth), t(self)),
            12 => format!("({}).a", self.of(Kind::Map, depth)),
            13 => format!("tostring({})", self.any(depth)),
            14 => format!("trimprefix({}, {})", t(self), t(self)),
            15 => format!("substr({}, 0, {})", t(self), self.of(Kind::Number, depth)),
            16 => format!("jsonencode({})", self.any(depth)),
            17 => format!(
                "\"%{{for x in {}}}<${{x}}>%{{endfor}}\"",
                self.of(Kind::List, depth)
            ),
            18 => format!("title(lower({}))", t(self)),
            _ => format!(
                "{}[{}]",
                self.of(Kind::List, depth),
                self.of(Kind::Number, depth)
            ),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        let n = |it: &mut Self| it.of(Kind::Number, depth);
        match self.dice.roll(9) {
            0 | 1 => {
                let operator = self.dice.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", n(self), n(self))
            }
            2 => format!("length({})", self.any(depth)),
            3 => format!("max({}, {})", n(self), n(self)),
            4 => format!("-{}", n(self)),
            5 => format!(
                "({} ? {} : {})",
                self.of(Kind::Bool, depth),
                n(self),
                self.any(depth)
            ),
            6 => format!("sum({})", self.of(Kind::List, depth)),
            7 => format!("floor({})", n(self)),
            _ => format!("tonumber({})", self.of(Kind::Text, depth)),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        let b = |it: &mut Self| it.of(Kind::Bool, depth);
        match self.dice.roll(10) {
            0 => format!("({} == {})", self.any(depth), self.any(depth)),
            1 => {
                let kind = self.kind();
                format!("({} != {})", self.of(kind, depth), self.of(kind, depth))
            }
            2 => {
                let operator = self.dice.pick(&["<", ">", "<=", ">="]);
                format!(
                    "({} {operator} {})",
                    self.of(Kind::Number, depth),
                    self.of(Kind::Number, depth)
                )
            }
            3 => format!("({} && {})", b(self), b(self)),
            4 => format!("({} || {})", b(self), b(self)),
            5 => format!("!{}", b(self)),
            6 => format!("can({})", self.any(depth)),
            7 => format!(
                "contains({}, {})",
                self.of(Kind::List, depth),
                self.any(depth)
            ),
            8 => format!(
                "startswith({}, {})",
                self.of(Kind::Text, depth),
                self.of(Kind::Text, depth)
            ),
            _ => format!("alltrue([{}, {}])", b(self), b(self)),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let l = |it: &mut Self| it.of(Kind::List, depth);
        match self.dice.roll(22) {
            0 | 1 => format!("[{}, {}]", self.any(depth), self.any(depth)),
            2 => format!(
                "[for x in {} : {}]",
                l(self),
                self.dice
                    .pick(&["x", "\"${x}!\"", "[x]", "upper(x)", "x == \"a\""])
            ),
            3 => format!(
                "[for x in {} : x if x != {}]",
                l(self),
                self.of(Kind::Text, depth)
            ),
            4 => format!(
                "[for k, v in {} : {}]",
                self.of(Kind::Map, depth),
                self.dice.pick(&["k", "v", "{(k) = v}"])
            ),
            5 => format!("concat({}, {})", l(self), l(self)),
            6 => format!("flatten([{}, {}])", l(self), l(self)),
            7 => format!("distinct({})", l(self)),
            8 => format!("keys({})", self.of(Kind::Map, depth)),
            9 => format!("values({})", self.of(Kind::Map, depth)),
            10 => format!("{}[*]", self.any(depth)),
            11 => format!("tolist({})", l(self)),
            12 => format!("toset({})", l(self)),
            13 => format!("compact({})", l(self)),
            14 => format!(
                "({} ? {} : {})",
                self.of(Kind::Bool, depth),
                l(self),
                l(self)
            ),
            15 => format!("sort({})", l(self)),
            16 => format!("reverse({})", l(self)),
            17 => format!("slice({}, 0, {})", l(self), self.of(Kind::Number, depth)),
            18 => format!("setunion({}, {})", l(self), l(self)),
            19 => format!(
                "split({}, {})",
                self.of(Kind::Text, depth),
                self.of(Kind::Text, depth)
            ),
            20 => format!("setproduct({}, {})", l(self), l(self)),
            _ => format!(
                "[{{a = {}}}, {{a = {}}}][*].a",
                self.any(depth),
                self.any(depth)
            ),
        }
    }

    fn map(&mut self, depth: usize) -> String {
        let m = |it: &mut Self| it.of(Kind::Map, depth);
        match self.dice.roll(13) {
            0 | 1 => format!("{{a = {}, b = {}}}", self.any(depth), self.any(depth)),
            2 => format!(
                "{{({}) = {}, z = 1}}",
                self.of(Kind::Text, depth),
                self.any(depth)
            ),
            3 | 4 => format!("merge({}, {})", m(self), m(self)),
            5 => format!(
                "{{for x in {} : x => {}}}",
                self.of(Kind::List, depth),
                self.dice.pick(&["x", "1", "\"${x}\""])
            ),
            6 => format!(
                "{{for k, v in {} : upper(k) => v if {}}}",
                m(self),
                self.dice.pick(&["v != null", "k != \"a\"", "true"])
            ),
            7 => format!(
                "{{for x in {} : length(x) => x...}}",
                self.of(Kind::List, depth)
            ),
            8 => format!("tomap({})", m(self)),
            9 => format!(
                "zipmap({}, {})",
                self.of(Kind::List, depth),
                self.of(Kind::List, depth)
            ),
            10 => format!(
                "({} ? {} : {})",
                self.of(Kind::Bool, depth),
                m(self),
                m(self)
            ),
            11 => format!("jsondecode(jsonencode({}))", m(self)),
            _ => format!("try({}, {})", self.any(depth), m(self)),
        }
    }
}
