//! The address of a resource instance, as Terraform prints it:
//! `module.a["k"].data.aws_s3_bucket.b[0]`.

use std::sync::Arc;

use arcstr::ArcStr;

/// Whether a row is an object that the stack manages or one that it reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mode {
    /// A `resource` block.
    Managed,
    /// A `data` block.
    Data,
}

impl Mode {
    /// As it stands in states and in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Managed => "managed",
            Mode::Data => "data",
        }
    }
}

/// What tells the instances of one block apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// Of `count`. `[0]` and `["0"]` are different instances.
    Index(i64),
    /// Of `for_each`.
    Name(ArcStr),
}

/// One step into a module: the call's name, and which of its instances.
pub type Step = (Box<str>, Option<Key>);

/// One module instance: the steps from the root module. As small as a pointer: every row has one, and
/// few are different.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ModulePath(Arc<Vec<Step>>);

impl ModulePath {
    /// The steps from the root module; none for the root module itself.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Reads `module.a["k"].module.b`; an empty text is the root module.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let mut rest = text;
        let mut steps = Vec::new();
        loop {
            steps.push(module_step(&mut rest)?);
            if rest.is_empty() {
                return Some(Self(steps.into()));
            }
            rest = rest.strip_prefix('.')?;
        }
    }
}

impl FromIterator<Step> for ModulePath {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Self {
        Self(Arc::new(steps.into_iter().collect()))
    }
}

/// The address of one resource instance within its stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address {
    /// The module instance that declares it.
    pub module: ModulePath,
    /// Managed or data.
    pub mode: Mode,
    /// The resource type, `aws_s3_bucket`.
    pub resource_type: ArcStr,
    /// The block's name.
    pub name: ArcStr,
    /// Which instance of the block.
    pub key: Option<Key>,
}

impl Address {
    /// Reads an address as Terraform prints it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut steps = Vec::new();
        while rest.starts_with("module.") {
            steps.push(module_step(&mut rest)?);
            rest = rest.strip_prefix('.')?;
        }
        let mode = match rest.strip_prefix("data.") {
            Some(after) => {
                rest = after;
                Mode::Data
            }
            None => Mode::Managed,
        };
        let (resource_type, after) = rest.split_once('.')?;
        rest = after;
        let name = name(&mut rest)?;
        let key = key(&mut rest)?;
        (rest.is_empty() && !resource_type.is_empty()).then(|| Self {
            module: ModulePath(steps.into()),
            mode,
            resource_type: resource_type.into(),
            name: name.into(),
            key,
        })
    }
}

fn module_step(rest: &mut &str) -> Option<Step> {
    *rest = rest.strip_prefix("module.")?;
    let name = name(rest)?.into();
    Some((name, key(rest)?))
}

fn name<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    (!name.is_empty()).then_some(name)
}

/// An optional `[…]`. The outer `None` is a key that cannot be read.
fn key(rest: &mut &str) -> Option<Option<Key>> {
    let Some(after) = rest.strip_prefix('[') else {
        return Some(None);
    };
    if let Some(quoted) = after.strip_prefix('"') {
        let (text, end) = unquote(quoted)?;
        *rest = quoted[end..].strip_prefix(']')?;
        return Some(Some(Key::Name(text.into())));
    }
    let (number, after) = after.split_once(']')?;
    *rest = after;
    Some(Some(Key::Index(number.parse().ok()?)))
}

/// The text up to the closing quote, and the byte after that quote.
fn unquote(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                digits @ ('u' | 'U') => {
                    let count = if digits == 'u' { 4 } else { 8 };
                    let mut code = 0;
                    for _ in 0..count {
                        code = code * 16 + chars.next()?.1.to_digit(16)?;
                    }
                    out.push(char::from_u32(code)?);
                }
                other => out.push(other),
            },
            '$' | '%' if text[at + 1..].starts_with(c) && text[at + 2..].starts_with('{') => {
                chars.next();
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    None
}

impl std::fmt::Display for Key {
    /// `[0]` or `["name"]`, escaped as Terraform does (`toHCLQuotedString`).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Key::Index(index) => return write!(f, "[{index}]"),
            Key::Name(name) => name,
        };
        f.write_str("[\"")?;
        for (at, c) in name.char_indices() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '$' | '%' if name[at + 1..].starts_with('{') => write!(f, "{c}{c}")?,
                c if is_printable(c) => write!(f, "{c}")?,
                c if (c as u32) < 0x10000 => write!(f, "\\u{:04x}", c as u32)?,
                c => write!(f, "\\U{:08x}", c as u32)?,
            }
        }
        f.write_str("\"]")
    }
}

/// Near enough to Go's `unicode.IsPrint`: no control, no space but the plain one, no format mark.
fn is_printable(c: char) -> bool {
    let format = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{feff}');
    !format && !c.is_control() && (c == ' ' || !c.is_whitespace())
}

impl std::fmt::Display for ModulePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (name, key)) in self.0.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            write!(f, "{dot}module.{name}")?;
            if let Some(key) = key {
                write!(f, "{key}")?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.module.0.is_empty() {
            write!(f, "{}.", self.module)?;
        }
        if self.mode == Mode::Data {
            f.write_str("data.")?;
        }
        write!(f, "{}.{}", self.resource_type, self.name)?;
        match &self.key {
            Some(key) => write!(f, "{key}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_as_it_prints() {
        for text in [
            "aws_s3_bucket.b",
            "aws_s3_bucket.b[0]",
            r#"aws_s3_bucket.b["0"]"#,
            "data.aws_s3_bucket.b",
            r#"module.m["a.b"].module.n[0].aws_s3_bucket.x"#,
            r#"module.m.data.aws_s3_bucket.x["b.c\"d\\"]"#,
            r#"aws_s3_bucket.b["été/ü"]"#,
            r#"aws_s3_bucket.b["a]b"]"#,
            r#"aws_s3_bucket.b["$${a} %%{b} $c"]"#,
            r#"aws_s3_bucket.b["line\nend\ttab\u0007"]"#,
            r#"aws_s3_bucket.b[""]"#,
        ] {
            let address = Address::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(address.to_string(), text);
        }
        let address = Address::parse(r#"a_b.c["$${x}"]"#).unwrap();
        assert_eq!(address.key, Some(Key::Name("${x}".into())));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "aws_s3_bucket",
            "aws_s3_bucket.",
            ".b",
            "aws_s3_bucket.b[",
            "aws_s3_bucket.b[x]",
            r#"aws_s3_bucket.b["x]"#,
            "aws_s3_bucket.b[0].c",
            "module.m",
            "module..aws_s3_bucket.b",
        ] {
            assert_eq!(Address::parse(text), None, "{text}");
        }
        assert!(ModulePath::parse("module.a[1].module.b").is_some());
        assert_eq!(ModulePath::parse("module.a."), None);
    }
}
