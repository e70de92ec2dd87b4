//! JSON configuration → the same blocks, bodies and expressions as the native syntax.
//!
//! See <https://developer.hashicorp.com/terraform/language/syntax/json>. Whether a property is an
//! argument or a nested block depends on who reads it; it is given as both.

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, StringLit, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::text::{Source, Span};

use super::expression::{
    Attribute, Body, Entry, Expression, ExpressionKind, Key, Name, NestedBlock, Part, Template,
};
use super::{Fault, parse_expression, parse_template};

/// A block at the top level of a JSON file.
#[derive(Debug)]
pub struct JsonBlock {
    /// What it says. Its header is the last property that names it, quotes included.
    pub block: NestedBlock,
    /// From the header to the end of its value.
    pub span: Span,
}

/// The properties that name a block, by its keyword.
fn label_count(keyword: &str) -> usize {
    match keyword {
        "resource" | "data" | "ephemeral" => 2,
        "provider" | "module" | "variable" | "output" | "check" => 1,
        _ => 0,
    }
}

/// Properties of a body that are blocks with a label.
const LABELED: &[&str] = &["backend", "dynamic", "provisioner", "provider_meta"];

/// What the texts of an argument are.
#[derive(Clone, Copy)]
enum Reading {
    /// Templates of the native syntax.
    Template,
    /// Texts as they are. Terraform evaluates these without a scope, and then reads no template:
    /// <https://github.com/hashicorp/hcl/blob/v2.23.0/json/structure.go#L370>.
    Literal,
    /// Expressions of the native syntax: types and addresses.
    Expression,
}

impl Reading {
    /// How an argument is read, by its name and the keyword of its block.
    fn of(keyword: &str, name: &str) -> Self {
        match (keyword, name) {
            ("variable", "default") => Self::Literal,
            ("variable", "type") | ("moved" | "removed" | "import", "from" | "to") => {
                Self::Expression
            }
            _ => Self::Template,
        }
    }
}

/// The blocks of a configuration file.
///
/// # Errors
/// When the text is no JSON object.
pub fn json_blocks(source: &Source) -> Result<Vec<JsonBlock>, Fault> {
    let reader = Reader { source };
    let root = reader.root()?;
    let mut blocks = Vec::new();
    for property in &root.properties {
        let keyword = reader.name(&property.name);
        let at = Span::from_range(property.name.range());
        let depth = label_count(&keyword.text);
        reader.blocks(
            &keyword,
            at,
            Vec::new(),
            depth,
            &property.value,
            &mut blocks,
        );
    }
    Ok(blocks)
}

/// The arguments of a `.tfvars.json` file.
///
/// # Errors
/// When the text is no JSON object.
pub fn json_attributes(source: &Source) -> Result<Vec<Attribute>, Fault> {
    let reader = Reader { source };
    let root = reader.root()?;
    let attribute = |property: &ObjectProp| Attribute {
        name: reader.name(&property.name),
        value: reader.expression(&property.value, Reading::Literal).into(),
    };
    Ok(arguments(&root).map(attribute).collect())
}

struct Reader<'a> {
    source: &'a Source,
}

impl Span {
    fn from_range(range: Range) -> Self {
        Span::new(range.start, range.end)
    }
}

impl<'a> Reader<'a> {
    fn root(&self) -> Result<Object<'a>, Fault> {
        let strict = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::Off,
            tokens: false,
        };
        let text = self.source.text();
        let parsed = parse_to_ast(text, &collect, &strict).map_err(|error| {
            let range = error.range();
            Fault::NotJson(Span::new(range.start, range.end.max(range.start)))
        })?;
        match parsed.value {
            Some(Value::Object(root)) => Ok(root),
            _ => Err(Fault::NotJson(Span::new(0, text.len()))),
        }
    }

    fn name(&self, name: &ObjectPropName) -> Name {
        Name {
            text: name.as_str().into(),
            span: inner(name.range()),
        }
    }

    /// Goes down `depth` more names, then takes each object as a block. Arrays are several blocks
    /// of one name.
    fn blocks(
        &self,
        keyword: &Name,
        header: Span,
        labels: Vec<Name>,
        depth: usize,
        value: &Value,
        found: &mut Vec<JsonBlock>,
    ) {
        match value {
            Value::Array(array) => {
                for element in &array.elements {
                    self.blocks(keyword, header, labels.clone(), depth, element, found);
                }
            }
            Value::Object(object) if depth == 0 => found.push(JsonBlock {
                block: NestedBlock {
                    keyword: keyword.clone(),
                    labels,
                    header,
                    body: self.body(&keyword.text, object),
                },
                span: Span {
                    start: header.start,
                    end: object.range.end as u32,
                },
            }),
            Value::Object(object) => {
                for property in arguments(object) {
                    let mut labels = labels.clone();
                    labels.push(self.name(&property.name));
                    let header = Span::from_range(property.name.range());
                    self.blocks(keyword, header, labels, depth - 1, &property.value, found);
                }
            }
            _ => {}
        }
    }

    fn body(&self, keyword: &str, object: &Object) -> Body {
        let mut body = Body::default();
        for property in arguments(object) {
            let name = self.name(&property.name);
            let header = Span::from_range(property.name.range());
            let depth = usize::from(LABELED.contains(&&*name.text));
            let mut blocks = Vec::new();
            self.blocks(
                &name,
                header,
                Vec::new(),
                depth,
                &property.value,
                &mut blocks,
            );
            body.blocks
                .extend(blocks.into_iter().map(|it| it.block.into()));
            let reading = Reading::of(keyword, &name.text);
            body.attributes.push(Attribute {
                name,
                value: self.expression(&property.value, reading).into(),
            });
        }
        body
    }

    fn expression(&self, value: &Value, reading: Reading) -> Expression {
        let kind = match value {
            Value::StringLit(text) => return self.text(text, reading),
            Value::NumberLit(number) => ExpressionKind::Number(number.value.into()),
            Value::BooleanLit(it) => ExpressionKind::Bool(it.value),
            Value::NullKeyword(_) => ExpressionKind::Null,
            Value::Array(array) => ExpressionKind::Tuple(
                array
                    .elements
                    .iter()
                    .map(|it| self.expression(it, reading))
                    .collect(),
            ),
            Value::Object(object) => {
                let entry = |property: &ObjectProp| Entry {
                    // a key may be a template, too
                    key: Key::Expression(match &property.name {
                        ObjectPropName::String(text) => self.text(text, reading),
                        ObjectPropName::Word(word) => literal(word.value, word.range),
                    }),
                    value: self.expression(&property.value, reading),
                };
                ExpressionKind::Object(object.properties.iter().map(entry).collect())
            }
        };
        Expression {
            span: Span::from_range(value.range()),
            kind,
        }
    }

    /// A text is read after JSON's own escapes are decoded.
    fn text(&self, text: &StringLit, reading: Reading) -> Expression {
        let is_template = || text.value.contains("${") || text.value.contains("%{");
        let parse = match reading {
            Reading::Expression => parse_expression,
            Reading::Template if is_template() => parse_template,
            Reading::Template | Reading::Literal => return literal(&text.value, text.range),
        };
        let inner = inner(text.range);
        let raw = self.source.slice(inner);
        let mut expression = match raw == text.value {
            true => parse(self.source, inner),
            false => {
                let decoded = Source::new(&text.value);
                let all = Span::new(0, text.value.len());
                let places = places(raw, inner.start);
                if decoded.text() != text.value || places.len() != all.len() + 1 {
                    return unreadable(text.range);
                }
                let mut expression = parse(&decoded, all);
                expression.move_spans(&|it| Span {
                    start: places[it.start as usize],
                    end: places[it.end as usize],
                });
                expression
            }
        };
        expression.span = Span::from_range(text.range);
        expression
    }
}

/// Where each byte of a decoded text stands in the file, and where it ends. `raw` is the text as
/// written, which is at `start`.
fn places(raw: &str, start: u32) -> Vec<u32> {
    let mut places = Vec::with_capacity(raw.len() + 1);
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        let at = start + (raw.len() - rest.len()) as u32;
        let hex = |from: usize| u16::from_str_radix(rest.get(from..from + 4)?, 16).ok();
        let (written, decoded) = match (first, rest.as_bytes().get(1)) {
            ('\\', Some(b'u')) => match (hex(2), hex(8)) {
                // two escapes are one character
                (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => (12, 4),
                (Some(unit), _) => {
                    let decoded = char::from_u32(unit.into()).map_or(3, char::len_utf8);
                    (6, decoded)
                }
                (None, _) => (2, 1),
            },
            ('\\', Some(_)) => (2, 1),
            _ => (first.len_utf8(), first.len_utf8()),
        };
        places.extend(std::iter::repeat_n(at, decoded));
        rest = rest.get(written..).unwrap_or_default();
    }
    places.push(start + raw.len() as u32);
    places
}

fn unreadable(range: Range) -> Expression {
    Expression {
        span: Span::from_range(range),
        kind: ExpressionKind::Unreadable,
    }
}

/// The properties of a body, `"//"` aside: it is a comment.
fn arguments<'a>(object: &'a Object<'a>) -> impl Iterator<Item = &'a ObjectProp<'a>> {
    object
        .properties
        .iter()
        .filter(|it| it.name.as_str() != "//")
}

/// Between the quotes.
fn inner(range: Range) -> Span {
    Span::new(
        range.start + 1,
        range.end.saturating_sub(1).max(range.start + 1),
    )
}

fn literal(text: &str, range: Range) -> Expression {
    let inner = inner(range);
    let parts = match text.is_empty() {
        true => Vec::new(),
        false => vec![Part::Literal(text.into(), inner)],
    };
    Expression {
        span: Span::from_range(range),
        kind: ExpressionKind::Template(Template {
            parts,
            inner,
            heredoc: false,
        }),
    }
}
