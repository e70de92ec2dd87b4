//! The client's messages, cut from its stream and decoded one by one: what cannot be decoded costs
//! itself only.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use tower_lsp::jsonrpc::{Request, Response};

/// What a client says: something that it wants, or its answer.
#[derive(Debug)]
pub(super) enum Message {
    Request(Request),
    Answer(Response),
}

/// What cannot be decoded.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) why: String,
    pub(super) body: Vec<u8>,
}

/// The JSON of the next message; `None` at the end of the stream, which may come anywhere.
///
/// # Errors
/// When the stream fails.
pub(super) async fn next(
    from: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<Result<Value, Refused>>> {
    let Some(length) = header(from).await? else {
        return Ok(None);
    };
    let mut body = Vec::new();
    let Some(length) = length else {
        let why = "a message without a valid Content-Length was passed over".into();
        return Ok(Some(Err(Refused { why, body })));
    };
    // not allocated beforehand: the length is only what the client says
    from.take(length).read_to_end(&mut body).await?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    mend_surrogates(&mut body);
    let json = serde_json::from_slice(&body);
    Ok(Some(json.map_err(|why| refused(&why, body))))
}

/// # Errors
/// When the JSON is no message.
pub(super) fn decode(mut json: Value) -> Result<Message, Refused> {
    if json.get("method").is_some() {
        return match serde_json::from_value(json) {
            Ok(request) => Ok(Message::Request(request)),
            Err(why) => Err(refused(&why, Vec::new())),
        };
    }
    // an answer of nothing, from where nothing is not written
    if let Value::Object(members) = &mut json
        && members.contains_key("id")
        && !members.contains_key("error")
    {
        members.entry("result").or_insert(Value::Null);
    }
    match serde_json::from_value(json) {
        Ok(answer) => Ok(Message::Answer(answer)),
        Err(why) => Err(refused(&why, Vec::new())),
    }
}

fn refused(why: &serde_json::Error, body: Vec<u8>) -> Refused {
    let why = format!("a message cannot be decoded: {why}");
    Refused { why, body }
}

/// Reads a header. `None` at the end of the input; within, the length of the body if it says so.
async fn header(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Option<u64>>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            return Ok(Some(length));
        }
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// Puts U+FFFD in the place of every half of a surrogate pair that stands alone, as JavaScript
/// writes a broken text. It is one UTF-16 unit too: refused, the edit would leave our text behind
/// the client's, and every later one would fall into another place.
fn mend_surrogates(body: &mut [u8]) {
    let unit = |body: &[u8], at: usize| {
        let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &body[from..]) {
        let at = from + found;
        from = (at + 2).min(body.len());
        let Some(it) = unit(body, at) else { continue };
        from = at + 6;
        match it {
            0xd800..=0xdbff if matches!(unit(body, from), Some(0xdc00..=0xdfff)) => from += 6,
            0xd800..=0xdfff => body[at..from].copy_from_slice(b"\\ufffd"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// The messages of an input as JSON, and how many are refused.
    fn read(mut input: &[u8]) -> (Vec<String>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let (mut messages, mut refused) = (Vec::new(), 0);
            while let Some(message) = next(&mut input).await.unwrap() {
                let json = message.as_ref().ok().map(Value::to_string);
                match message.and_then(decode) {
                    Ok(_) => messages.push(json.unwrap()),
                    Err(_) => refused += 1,
                }
            }
            (messages, refused)
        })
    }

    #[test]
    fn what_cannot_be_decoded_is_passed_over() {
        let good = r#"{"id":1,"jsonrpc":"2.0","method":"a"}"#;
        let answer = r#"{"id":1,"jsonrpc":"2.0","result":null}"#;
        for bad in [
            framed(""),
            framed("{"),
            framed("[]"),
            framed("\"é\""),
            framed("{}"),
            framed(r#"{"jsonrpc":"2.0","method":1}"#),
            "Content-Length: many\r\n\r\n".into(),
            "Content-Type: none\r\n\r\n".into(),
        ] {
            let input = [framed(good), bad.clone(), framed(answer)].concat();
            let expected = (vec![good.into(), answer.into()], 1);
            assert_eq!(read(input.as_bytes()), expected, "{bad}");
        }
        let input = [framed(good).as_bytes(), b"Content-Length: 2\n\n\xff\xfe"].concat();
        assert_eq!(read(&input), (vec![good.into()], 1));
    }

    #[test]
    fn an_answer_of_nothing_is_one() {
        for answer in [
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        ] {
            let message = decode(serde_json::from_str(answer).unwrap());
            let Ok(Message::Answer(answer)) = message else {
                panic!("{message:?}");
            };
            assert_eq!(answer.result(), Some(&Value::Null));
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_mended() {
        for (sent, passed) in [
            (r"\ud83d", "\u{fffd}"),
            (r"a\uDE00b", "a\u{fffd}b"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
            (r"\\ud83d \u00e9", r"\\ud83d é"),
            (r"\\\ud83d", "\\\\\u{fffd}"),
        ] {
            let message = |text| format!(r#"{{"jsonrpc":"2.0","method":"{text}"}}"#);
            let expected = (vec![message(passed)], 0);
            assert_eq!(read(framed(&message(sent)).as_bytes()), expected, "{sent}");
        }
        for end in [r"\", r"\u", r"\ud8", "\\ud83d"] {
            assert_eq!(read(framed(end).as_bytes()).1, 1);
        }
    }

    #[test]
    fn an_input_may_end_anywhere() {
        let whole = framed(r#"{"jsonrpc":"2.0","method":"a"}"#);
        for end in 0..whole.len() {
            assert_eq!(read(&whole.as_bytes()[..end]), (vec![], 0), "{end}");
        }
        let endless = whole.replace(": 30", ": 18446744073709551615");
        assert_eq!(read(endless.as_bytes()), (vec![], 0));
    }
}
