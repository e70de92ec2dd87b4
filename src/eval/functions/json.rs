//! JSON, as Go writes and reads it.

use std::sync::Arc;

use super::*;
use crate::eval::number::Parsed;
use crate::eval::value::Entry;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed(
        "jsondecode",
        &[TEXT],
        Kind::Any,
        |evaluator, it| match Reader::read(text(&it[0])?) {
            _ if !evaluator.spend(text(&it[0])?.len() / 4) => unsupported(Kind::Any),
            Ok(value) => Ok(value),
            Err(Refused::Invalid) => Err(Failure::ANY),
            Err(Refused::Unsupported) => unsupported(Kind::Any),
        },
    ),
    fixed(
        "jsonencode",
        &[ANY.unknown().dynamic().null()],
        Kind::Text,
        |evaluator, it| {
            let encoded = encode(&it[0]).filter(|it| evaluator.spend(it.len() / 16));
            computed(encoded.map(|it| Value::text(&it)), Kind::Text)
        },
    ),
];

/// The value of a JSON text, which was written nowhere. `None` if it cannot be read.
pub fn decode(text: &str) -> Option<Value> {
    Reader::read(text).ok()
}

/// The JSON text of a value; `None` if it is not wholly known.
pub(super) fn encode(value: &Value) -> Option<String> {
    let mut text = String::new();
    encode_into(value, &mut text)?;
    Some(text)
}

fn encode_into(value: &Value, text: &mut String) -> Option<()> {
    match &value.data {
        Data::Null(_) => text.push_str("null"),
        Data::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Data::Number(number) => text.push_str(&number.to_string()),
        Data::Text(value) => quote(value, text),
        Data::Tuple(_) | Data::List(..) | Data::Set(..) => {
            text.push('[');
            for (at, it) in value.elements().iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                encode_into(it, text)?;
            }
            text.push(']');
        }
        Data::Map(_, entries) | Data::Object(entries) => {
            text.push('{');
            for (at, it) in entries.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                quote(&it.key, text);
                text.push(':');
                encode_into(&it.value, text)?;
            }
            text.push('}');
        }
        Data::Open(_) | Data::Unknown(_) => return None,
    }
    Some(())
}

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quote(text, &mut quoted);
    quoted
}

/// Go also escapes what could close a script in a page.
fn quote(text: &str, quoted: &mut String) {
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                quoted.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
}

enum Refused {
    Invalid,
    Unsupported,
}

/// Deeper than this is not ours to read.
const DEEPEST: usize = 100;

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn read(text: &'a str) -> Result<Value, Refused> {
        let mut reader = Self {
            bytes: text.as_bytes(),
            text,
            at: 0,
        };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Ok(value),
            // Go takes these for the end
            Some(b']' | b'}') => Err(Refused::Unsupported),
            Some(_) => Err(Refused::Invalid),
        }
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, Refused> {
        if depth > DEEPEST {
            return Err(Refused::Unsupported);
        }
        match self.peek().ok_or(Refused::Invalid)? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => Ok(Value::text(&self.string()?)),
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                let words = [
                    ("null", Value::null(Type::Any)),
                    ("true", Value::bool(true)),
                    ("false", Value::bool(false)),
                ];
                for (word, value) in words {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(Refused::Invalid)
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Refused> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        if self.take(b'}') {
            return Ok(Value::object(entries));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(Refused::Invalid);
            }
            let key = self.string()?;
            if !self.take(b':') {
                return Err(Refused::Invalid);
            }
            let value = self.value(depth + 1)?;
            entries.push(Entry::new(&key, value));
            if self.take(b'}') {
                break;
            }
            if !self.take(b',') {
                return Err(Refused::Invalid);
            }
        }
        let count = entries.len();
        let value = Value::object(entries);
        // Go reads all of them as the last one's type
        if value.entries().len() < count {
            return Err(Refused::Unsupported);
        }
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Value, Refused> {
        self.at += 1;
        let mut elements = Vec::new();
        if self.take(b']') {
            return Ok(Value::tuple(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Value::tuple(elements));
            }
            if !self.take(b',') {
                return Err(Refused::Invalid);
            }
        }
    }

    fn number(&mut self) -> Result<Value, Refused> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let digits = |from: usize| {
            rest[from..]
                .iter()
                .take_while(|it| it.is_ascii_digit())
                .count()
        };
        let mut at = usize::from(rest[0] == b'-');
        match digits(at) {
            0 => return Err(Refused::Invalid),
            count if count > 1 && rest[at] == b'0' => return Err(Refused::Invalid),
            count => at += count,
        }
        if rest.get(at) == Some(&b'.') {
            match digits(at + 1) {
                0 => return Err(Refused::Invalid),
                count => at += 1 + count,
            }
        }
        if let Some(b'e' | b'E') = rest.get(at) {
            let sign = usize::from(matches!(rest.get(at + 1), Some(b'+' | b'-')));
            match digits(at + 1 + sign) {
                0 => return Err(Refused::Invalid),
                count => at += 1 + sign + count,
            }
        }
        self.at += at;
        match Number::parse(&self.text[start..self.at]) {
            Parsed::Number(number) => Ok(Data::Number(Arc::new(number)).into()),
            _ => Err(Refused::Unsupported),
        }
    }

    fn string(&mut self) -> Result<String, Refused> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let c = self.text[self.at..]
                .chars()
                .next()
                .ok_or(Refused::Invalid)?;
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(string),
                '\\' => string.push(self.escape()?),
                '\0'..='\u{1f}' => return Err(Refused::Invalid),
                c => string.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Refused> {
        let byte = *self.bytes.get(self.at).ok_or(Refused::Invalid)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return Ok(char::from_u32(first).unwrap_or('\u{fffd}'));
                }
                // half of a pair, which without the other half is a replacement character
                let before = self.at;
                if self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let second = self.unit()?;
                    if (0xdc00..0xe000).contains(&second) {
                        let c = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        return Ok(char::from_u32(c).unwrap_or('\u{fffd}'));
                    }
                    self.at = before;
                }
                '\u{fffd}'
            }
            _ => return Err(Refused::Invalid),
        })
    }

    fn unit(&mut self) -> Result<u32, Refused> {
        let digits = self
            .bytes
            .get(self.at..self.at + 4)
            .ok_or(Refused::Invalid)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(Refused::Invalid);
        }
        let unit = u32::from_str_radix(&self.text[self.at..self.at + 4], 16);
        self.at += 4;
        unit.map_err(|_| Refused::Invalid)
    }
}
