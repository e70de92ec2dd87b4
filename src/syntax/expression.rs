//! Bodies and expressions as they were written, each piece with its place.
//!
//! What is here is only what was said; `eval` says what it comes to. A piece that cannot be read is
//! [`ExpressionKind::Unreadable`], or is listed in [`Body::unreadable`], and costs nothing beside it.

use std::sync::Arc;

use crate::text::Span;

use super::Fault;

/// What stands between the braces of a block, or in a file. Values and nested blocks are shared, so
/// that whoever needs one of them keeps it and nothing beside it.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Its attributes in order.
    pub attributes: Vec<Attribute>,
    /// Its nested blocks in order.
    pub blocks: Vec<Arc<NestedBlock>>,
    /// Pieces that could not be read. What an attribute among them says is not known.
    pub unreadable: Vec<Fault>,
}

/// `name = value`
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Arc<Expression>,
}

/// A block within a body.
#[derive(Clone, Debug)]
pub struct NestedBlock {
    /// The keyword.
    pub keyword: Name,
    /// The labels, without their quotes.
    pub labels: Vec<Name>,
    /// From the keyword to the end of the last label, quotes included.
    pub header: Span,
    /// What is between the braces.
    pub body: Body,
}

/// A name where it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: Box<str>,
    /// Its bytes in the file, without quotes.
    pub span: Span,
}

/// An expression and its bytes in the file, parentheses and quotes included.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub kind: ExpressionKind,
}

/// What an expression says.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written.
    Number(Box<str>),
    /// A quoted text or a heredoc. A text without interpolation has at most one part.
    Template(Template),
    /// `[a, b]`
    Tuple(Vec<Expression>),
    /// `{ a = b }`, in order, keys that occur twice included: the last of them counts.
    Object(Vec<Entry>),
    /// The name that a reference begins with: `var`, `local`, `aws_s3_bucket`, or the variable of a
    /// `for`.
    Variable(Box<str>),
    /// `source.name`
    Attribute(Box<Expression>, Name),
    /// `source[key]`, and `source.0`, whose key is a number.
    Index(Box<Expression>, Box<Expression>),
    /// `source[*]…` and `source.*…`
    Splat(Box<Splat>),
    /// Within [`Splat::each`]: the element at hand.
    Element,
    /// `name(arguments…)`
    Call(Box<Call>),
    /// `!a`, `-a`
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b`
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `predicate ? then : otherwise`
    Conditional(Box<[Expression; 3]>),
    /// `[for …]` and `{for …}`
    For(Box<For>),
    /// `(a)`
    Parenthesis(Box<Expression>),
    /// It could not be read.
    Unreadable,
}

/// One entry of an object.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Expression,
}

/// An entry, and the object that it stands in.
#[derive(Clone, Debug)]
pub struct EntryAt {
    /// The object.
    pub object: Expression,
    /// Which of its entries it is.
    pub at: usize,
}

impl EntryAt {
    /// All entries of the object.
    pub fn entries(&self) -> &[Entry] {
        match &self.object.kind {
            ExpressionKind::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The entry.
    pub fn entry(&self) -> &Entry {
        &self.entries()[self.at]
    }
}

/// The key of an object's entry.
#[derive(Clone, Debug)]
pub enum Key {
    /// A bare name, which stands for itself.
    Name(Name),
    /// Anything else: a text, a number, an expression in parentheses.
    Expression(Expression),
}

/// A text made of parts. Escapes are decoded, strip markers (`~`) have taken effect, and the
/// indentation of a `<<-` heredoc is gone.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its parts in order. One lone interpolation has the value of its expression, of any type. No
    /// part is an empty literal, but for one beside a lone interpolation: blanks stood there that
    /// a strip marker took, and the value is a text.
    pub parts: Vec<Part>,
    /// The bytes between the quotes, or the lines between a heredoc's markers (the last line's end
    /// included).
    pub inner: Span,
    /// Whether it is a heredoc.
    pub heredoc: bool,
}

/// One part of a template.
#[derive(Clone, Debug)]
pub enum Part {
    /// Text as it is after decoding, and its bytes in the file.
    Literal(Box<str>, Span),
    /// `${expression}`
    Interpolation(Expression),
    /// `%{ if condition }then%{ else }otherwise%{ endif }`
    If(Box<Expression>, Vec<Part>, Vec<Part>),
    /// `%{ for key, value in collection }body%{ endfor }`
    For(Box<TemplateFor>),
}

/// A `for` directive of a template.
#[derive(Clone, Debug)]
pub struct TemplateFor {
    /// The variable of the key, when there are two.
    pub key: Option<Name>,
    /// The variable of the value.
    pub value: Name,
    /// What is gone through.
    pub collection: Expression,
    /// What stands there once for each element.
    pub body: Vec<Part>,
}

/// A splat.
#[derive(Clone, Debug)]
pub struct Splat {
    /// What is splatted.
    pub source: Expression,
    /// What is taken of each element, which is [`ExpressionKind::Element`] in it. `.*` takes
    /// attributes only (`a.*.b[0]` is `(a.*.b)[0]`), `[*]` everything that follows.
    pub each: Expression,
}

/// A function call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name; `provider::aws::arn_parse` of a provider's function.
    pub name: Name,
    /// The arguments.
    pub arguments: Vec<Expression>,
    /// Whether the last argument is expanded (`args...`).
    pub expands: bool,
}

/// A `for` expression.
#[derive(Clone, Debug)]
pub struct For {
    /// The variable of the key, when there are two.
    pub key: Option<Name>,
    /// The variable of the value.
    pub value: Name,
    /// What is gone through.
    pub collection: Expression,
    /// Of an object, what its keys are.
    pub result_key: Option<Expression>,
    /// What its values are.
    pub result: Expression,
    /// Which elements are taken.
    pub condition: Option<Expression>,
    /// Whether values with equal keys are grouped (`...`).
    pub groups: bool,
}

/// `!` and `-`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the language's own two
pub enum UnaryOperator {
    Not,
    Minus,
}

/// The operators between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the language's own
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Body {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Expression>> {
        let attribute = self.attributes.iter().find(|it| *it.name.text == *name)?;
        Some(&attribute.value)
    }

    /// The nested blocks with this keyword.
    pub fn blocks<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = &'a Arc<NestedBlock>> {
        self.blocks
            .iter()
            .filter(move |it| *it.keyword.text == *keyword)
    }
}

impl Body {
    /// The entry, in the value of an attribute here or in a nested block, whose key or value stands at
    /// exactly these bytes.
    pub fn entry_at(&self, span: Span) -> Option<EntryAt> {
        let mut attributes = self.attributes.iter();
        let here = attributes.find_map(|it| it.value.entry_at(span));
        here.or_else(|| self.blocks.iter().find_map(|it| it.body.entry_at(span)))
    }
}

impl Key {
    /// Where it stands, quotes or parentheses included.
    pub fn span(&self) -> Span {
        match self {
            Key::Name(name) => name.span,
            Key::Expression(key) => key.span,
        }
    }
}

impl Expression {
    /// See [`Body::entry_at`].
    pub fn entry_at(&self, span: Span) -> Option<EntryAt> {
        if !self.span.contains(span) {
            return None;
        }
        let is_there = |it: &Entry| it.key.span() == span || it.value.span == span;
        if let ExpressionKind::Object(entries) = &self.kind
            && let Some(at) = entries.iter().position(is_there)
        {
            return Some(EntryAt {
                object: self.clone(),
                at,
            });
        }
        self.parts().into_iter().find_map(|it| it.entry_at(span))
    }

    /// The expressions that it is made of.
    pub fn parts(&self) -> Vec<&Expression> {
        match &self.kind {
            ExpressionKind::Null
            | ExpressionKind::Bool(_)
            | ExpressionKind::Number(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Element
            | ExpressionKind::Unreadable => Vec::new(),
            ExpressionKind::Template(template) => {
                let mut found = Vec::new();
                parts_of(&template.parts, &mut found);
                found
            }
            ExpressionKind::Tuple(elements) => elements.iter().collect(),
            ExpressionKind::Object(entries) => {
                let mut found = Vec::new();
                for entry in entries {
                    if let Key::Expression(key) = &entry.key {
                        found.push(key);
                    }
                    found.push(&entry.value);
                }
                found
            }
            ExpressionKind::Attribute(inner, _)
            | ExpressionKind::Unary(_, inner)
            | ExpressionKind::Parenthesis(inner) => vec![inner],
            ExpressionKind::Index(a, b) | ExpressionKind::Binary(_, a, b) => vec![a, b],
            ExpressionKind::Splat(splat) => vec![&splat.source, &splat.each],
            ExpressionKind::Call(call) => call.arguments.iter().collect(),
            ExpressionKind::Conditional(parts) => parts.iter().collect(),
            ExpressionKind::For(it) => {
                let mut found = vec![&it.collection, &it.result];
                found.extend(&it.result_key);
                found.extend(&it.condition);
                found
            }
        }
    }

    /// The text of an expression that is one and has no interpolation, and where it was written:
    /// between the quotes, or both quotes when it is empty.
    pub fn literal(&self) -> Option<(&str, Span)> {
        let ExpressionKind::Template(template) = &self.kind else {
            return None;
        };
        match &template.parts[..] {
            [] => Some(("", self.span)),
            [Part::Literal(text, _)] => Some((text, template.inner)),
            _ => None,
        }
    }
}

fn parts_of<'a>(parts: &'a [Part], found: &mut Vec<&'a Expression>) {
    for part in parts {
        match part {
            Part::Literal(..) => {}
            Part::Interpolation(it) => found.push(it),
            Part::If(condition, then, otherwise) => {
                found.push(condition);
                parts_of(then, found);
                parts_of(otherwise, found);
            }
            Part::For(it) => {
                found.push(&it.collection);
                parts_of(&it.body, found);
            }
        }
    }
}
