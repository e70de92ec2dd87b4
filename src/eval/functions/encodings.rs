//! Base 64, URLs, comma-separated values.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{self, GeneralPurpose, GeneralPurposeConfig};

use super::*;
use crate::eval::value::Entry;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed(
        "base64decode",
        &[TEXT.unknown().marked()],
        Kind::Text,
        |_, it| {
            let hidden = it[0].sensitive;
            let Some(encoded) = it[0].as_text() else {
                return Ok(Value::unknown_of(Type::Text).marked(hidden));
            };
            let bytes = decode(encoded).ok_or(Failure::ANY)?;
            let text = String::from_utf8(bytes).map_err(|_| Failure::ANY)?;
            Ok(Value::text(&text).marked(hidden))
        },
    ),
    fixed("base64encode", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(&encode(text(&it[0])?.as_bytes())))
    }),
    // as many results as there are compressors
    fixed("base64gzip", &[TEXT], Kind::Text, |_, _| {
        unsupported(Kind::Text)
    }),
    fixed("csvdecode", &[TEXT], Kind::Any, csvdecode),
    fixed("textdecodebase64", &[TEXT, TEXT], Kind::Text, textdecode),
    fixed("textencodebase64", &[TEXT, TEXT], Kind::Text, textencode),
    fixed("urlencode", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(&urlencode(text(&it[0])?)))
    }),
    // its quoting and folding are a library's own
    fixed("yamldecode", &[TEXT], Kind::Any, |_, _| {
        unsupported(Kind::Any)
    }),
    fixed("yamlencode", &[VERBATIM], Kind::Text, |_, _| {
        unsupported(Kind::Text)
    }),
];

pub(super) fn encode(bytes: &[u8]) -> String {
    general_purpose::STANDARD.encode(bytes)
}

/// Go passes over line ends, and over bits too many at the end.
fn decode(encoded: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    let encoded: String = encoded
        .chars()
        .filter(|c| !matches!(c, '\r' | '\n'))
        .collect();
    GeneralPurpose::new(&STANDARD, config).decode(encoded).ok()
}

fn urlencode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn textencode(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let text_bytes = text(&it[0])?;
    let bytes: Vec<u8> = match text(&it[1])?.to_ascii_uppercase().as_str() {
        "UTF-8" => text_bytes.bytes().collect(),
        "UTF-16LE" => text_bytes
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect(),
        "UTF-16BE" => text_bytes
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect(),
        _ => return unsupported(Kind::Text),
    };
    Ok(Value::text(&encode(&bytes)))
}

fn textdecode(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let name = text(&it[1])?.to_ascii_uppercase();
    let unit = match name.as_str() {
        "UTF-8" => None,
        "UTF-16LE" => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        "UTF-16BE" => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        _ => return unsupported(Kind::Text),
    };
    let bytes = decode(text(&it[0])?).ok_or(Failure::ANY)?;
    let text = match unit {
        None => String::from_utf8(bytes).ok(),
        Some(_) if bytes.len() % 2 == 1 => None,
        Some(unit) => {
            let units: Vec<u16> = bytes.chunks(2).map(|it| unit([it[0], it[1]])).collect();
            String::from_utf16(&units).ok()
        }
    };
    match text {
        Some(text) if !text.contains(['\u{fffd}', '\u{feff}']) => Ok(Value::text(&text)),
        _ => unsupported(Kind::Text),
    }
}

/// <https://pkg.go.dev/encoding/csv>
fn csvdecode(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let whole = text(&it[0])?;
    if !evaluator.spend(whole.len() / 8) {
        return unsupported(Kind::Any);
    }
    let mut records = records(whole).ok_or(Failure::ANY)?.into_iter();
    let headers = records.next().ok_or(Failure::ANY)?;
    let named = |cells: Vec<String>| {
        let cells = headers.iter().zip(cells);
        Value::object(
            cells
                .map(|(name, cell)| Entry::new(name, Value::text(&cell)))
                .collect(),
        )
    };
    let ty = named(headers.clone()).ty();
    if !matches!(&ty, Type::Object(columns) if columns.len() == headers.len()) {
        return Err(Failure::ANY);
    }
    let mut rows = Vec::new();
    for record in records {
        if record.len() != headers.len() {
            return Err(Failure::ANY);
        }
        rows.push(named(record));
    }
    Ok(Data::List(ty, rows.into()).into())
}

/// `None` if a quote is not where it may be.
fn records(text: &str) -> Option<Vec<Vec<String>>> {
    let text = text.replace("\r\n", "\n");
    let mut rest = text.strip_suffix('\r').unwrap_or(&text);
    let mut records = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\n') {
            rest = after;
            continue;
        }
        let mut record = Vec::new();
        loop {
            let mut cell = String::new();
            if let Some(mut quoted) = rest.strip_prefix('"') {
                loop {
                    let end = quoted.find('"')?;
                    cell.push_str(&quoted[..end]);
                    quoted = &quoted[end + 1..];
                    match quoted.strip_prefix('"') {
                        Some(after) => quoted = after,
                        None => break,
                    }
                    cell.push('"');
                }
                rest = quoted;
            } else {
                let end = rest.find([',', '\n']).unwrap_or(rest.len());
                cell.push_str(&rest[..end]);
                if cell.contains('"') {
                    return None;
                }
                rest = &rest[end..];
            }
            record.push(cell);
            match rest.chars().next() {
                Some(',') => rest = &rest[1..],
                Some('\n') => {
                    rest = &rest[1..];
                    break;
                }
                None => break,
                Some(_) => return None,
            }
        }
        records.push(record);
    }
    Some(records)
}
