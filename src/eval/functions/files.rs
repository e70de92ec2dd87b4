//! Files and their paths. What a file says is the scope's to tell.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::*;
use crate::eval::scope::FileAnswer;

const PATH: Parameter = TEXT.unknown().marked();

pub(super) const FUNCTIONS: &[Function] = &[
    fixed("abspath", &[TEXT], Kind::Text, |evaluator, it| {
        let path = text(&it[0])?;
        let whole = match evaluator.scope.working_directory() {
            _ if path.starts_with('/') => path.to_owned(),
            Some(directory) => format!("{directory}/{path}"),
            None => return unsupported(Kind::Text),
        };
        Ok(Value::text(&clean(&whole)))
    }),
    fixed("basename", &[TEXT], Kind::Text, |_, it| {
        Ok(Value::text(basename(text(&it[0])?)))
    }),
    fixed("dirname", &[TEXT], Kind::Text, |_, it| {
        let path = text(&it[0])?;
        let end = path.rfind('/').map_or(0, |at| at + 1);
        Ok(Value::text(&clean(&path[..end])))
    }),
    fixed("pathexpand", &[TEXT], Kind::Text, |_, it| {
        match text(&it[0])? {
            // whose home it is, nobody knows
            path if path.starts_with('~') => unsupported(Kind::Text),
            path => Ok(Value::text(path)),
        }
    }),
    fixed("file", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            let text = std::str::from_utf8(bytes).map_err(|_| Failure::ANY)?;
            Ok(Value::text(text))
        })
    }),
    fixed("filebase64", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(Value::text(&encodings::encode(bytes)))
        })
    }),
    fixed("filebase64sha256", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(Value::text(&encodings::encode(&Sha256::digest(bytes))))
        })
    }),
    fixed("filebase64sha512", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(Value::text(&encodings::encode(&Sha512::digest(bytes))))
        })
    }),
    fixed("filemd5", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(hashes::hexadecimal::<Md5>(bytes))
        })
    }),
    fixed("filesha1", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(hashes::hexadecimal::<Sha1>(bytes))
        })
    }),
    fixed("filesha256", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(hashes::hexadecimal::<Sha256>(bytes))
        })
    }),
    fixed("filesha512", &[PATH], Kind::Text, |evaluator, it| {
        of_file(evaluator, &it[0], |bytes| {
            Ok(hashes::hexadecimal::<Sha512>(bytes))
        })
    }),
    fixed("fileexists", &[PATH], Kind::Bool, fileexists),
    fixed("fileset", &[PATH, PATH], Kind::Any, fileset),
    fixed(
        "templatefile",
        &[PATH, ANY.marked().unknown()],
        Kind::Any,
        templatefile,
    ),
];

/// <https://pkg.go.dev/path/filepath#Base>
fn basename(path: &str) -> &str {
    if path.is_empty() {
        return ".";
    }
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit('/').next() {
        Some("") | None => "/",
        Some(name) => name,
    }
}

/// <https://pkg.go.dev/path/filepath#Clean>
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|it| *it != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    match (rooted, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".into(),
        (false, path) => path,
    }
}

fn at(evaluator: &Evaluator<'_>, path: &Value) -> FileAnswer {
    match path.as_text() {
        Some(path) if !path.starts_with('~') => evaluator.scope.file(path),
        _ => FileAnswer::Unknown,
    }
}

fn of_file(
    evaluator: &Evaluator<'_>,
    path: &Value,
    read: impl FnOnce(&[u8]) -> Outcome,
) -> Outcome {
    let value = match at(evaluator, path) {
        FileAnswer::Bytes(bytes) if evaluator.spend(bytes.len() / 64) => read(&bytes)?,
        FileAnswer::Bytes(_) | FileAnswer::Unknown => Value::unknown_of(Type::Text),
        FileAnswer::Missing | FileAnswer::NoFile => return Err(Failure::ANY),
    };
    Ok(value.marked(path.sensitive))
}

fn templatefile(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let (path, (variables, hidden)) = (&it[0], it[1].unmarked());
    let value = match at(evaluator, path) {
        FileAnswer::Bytes(bytes) if evaluator.spend(bytes.len() / 8) => {
            let text = std::str::from_utf8(&bytes).map_err(|_| Failure::ANY)?;
            evaluator.render(text, path.as_text().unwrap_or_default(), &variables)?
        }
        FileAnswer::Bytes(_) | FileAnswer::Unknown => Value::unknown(),
        FileAnswer::Missing | FileAnswer::NoFile => return Err(Failure::ANY),
    };
    Ok(value.marked(hidden || path.sensitive))
}

fn fileexists(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let value = match at(evaluator, &it[0]) {
        FileAnswer::Bytes(_) => Value::bool(true),
        FileAnswer::Missing => Value::bool(false),
        FileAnswer::NoFile => return Err(Failure::ANY),
        FileAnswer::Unknown => Value::unknown_of(Type::Bool),
    };
    Ok(value.marked(it[0].sensitive))
}

fn fileset(evaluator: &Evaluator<'_>, it: &[Value]) -> Outcome {
    let hidden = it[0].sensitive || it[1].sensitive;
    let both = it[0].as_text().zip(it[1].as_text());
    let files = both.and_then(|(path, pattern)| evaluator.scope.files(path, pattern));
    let value = match files {
        Some(files) => {
            let files = files.iter().map(|it| Value::text(it)).collect();
            crate::eval::set::build(Type::Text, files).into()
        }
        None => Value::unknown_of(Type::set(Type::Text)),
    };
    Ok(value.marked(hidden))
}
