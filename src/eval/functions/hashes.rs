//! Hashes and identifiers made of them.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::*;

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("base64sha256", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(&encodings::encode(&Sha256::digest(text(
            &it[0],
        )?))))
    }),
    fixed("base64sha512", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(&encodings::encode(&Sha512::digest(text(
            &it[0],
        )?))))
    }),
    // another one each time
    variadic("bcrypt", &[TEXT], NUMBER, Kind::Text, |_, _| {
        unsupported(Kind::Text)
    }),
    fixed("md5", &[TEXT], Kind::Text, |_, it| {
        Ok(hexadecimal::<Md5>(text(&it[0])?.as_bytes()))
    }),
    fixed("rsadecrypt", &[TEXT, TEXT], Kind::Text, |_, _| {
        unsupported(Kind::Text)
    }),
    fixed("sha1", &[TEXT], Kind::Text, |_, it| {
        Ok(hexadecimal::<Sha1>(text(&it[0])?.as_bytes()))
    }),
    fixed("sha256", &[TEXT], Kind::Text, |_, it| {
        Ok(hexadecimal::<Sha256>(text(&it[0])?.as_bytes()))
    }),
    fixed("sha512", &[TEXT], Kind::Text, |_, it| {
        Ok(hexadecimal::<Sha512>(text(&it[0])?.as_bytes()))
    }),
    fixed("uuid", &[], Kind::Text, |_, _| unsupported(Kind::Text)),
    fixed("uuidv5", &[TEXT, TEXT], Kind::Text, uuidv5),
];

pub(super) fn hexadecimal<D: Digest>(bytes: &[u8]) -> Value {
    Value::text(&hex(&D::digest(bytes)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

/// <https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-5>
fn uuidv5(_: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let namespace = match text(&it[0])? {
        "dns" => "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "url" => "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        "oid" => "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
        "x500" => "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
        other => other,
    };
    let dashes = [8, 13, 18, 23]
        .iter()
        .all(|at| namespace.as_bytes().get(*at) == Some(&b'-'));
    let digits = namespace.replace('-', "");
    let plain = dashes && namespace.len() == 36 && digits.len() == 32;
    let Some(number) = u128::from_str_radix(&digits, 16).ok().filter(|_| plain) else {
        // other ways to write one
        return unsupported(Kind::Text);
    };
    let mut hash = Sha1::new();
    hash.update(number.to_be_bytes());
    hash.update(text(&it[1])?);
    let mut bytes = hash.finalize()[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    Ok(Value::text(&parts.join("-")))
}
