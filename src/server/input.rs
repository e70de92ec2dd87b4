//! The client's messages on their way to the framework.
//!
//! The framework stops reading at the first message that it cannot decode, and waits for every
//! answer before it ends. So only what it can decode is passed on, and the end is known here.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tower_lsp::jsonrpc::{Request, Response};

/// Passes messages on until the client says `exit` or closes its end. `refuse` is told of each
/// that cannot be decoded.
///
/// # Errors
/// When one of the two ends fails.
pub(super) async fn forward(
    mut from: impl AsyncBufRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    refuse: impl Fn(String),
) -> io::Result<()> {
    while let Some(length) = header(&mut from).await? {
        let Some(length) = length else {
            refuse("a message without a valid Content-Length was passed over".into());
            continue;
        };
        // not allocated beforehand: the length is only what the client says
        let mut body = Vec::new();
        (&mut from).take(length).read_to_end(&mut body).await?;
        if (body.len() as u64) < length {
            break;
        }
        mend_surrogates(&mut body);
        match decode(&body) {
            Err(why) => refuse(format!("a message cannot be decoded: {why}")),
            Ok(is_last) => {
                let header = format!("Content-Length: {}\r\n\r\n", body.len());
                to.write_all(header.as_bytes()).await?;
                to.write_all(&body).await?;
                if is_last {
                    break;
                }
            }
        }
    }
    Ok(())
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

/// Whether a message is the last one.
fn decode(body: &[u8]) -> Result<bool, serde_json::Error> {
    match serde_json::from_slice::<Request>(body) {
        Ok(request) => Ok(request.method() == "exit"),
        // an answer has neither method nor parameters, but is one of the two
        Err(why) => match serde_json::from_slice::<Response>(body) {
            Ok(_) => Ok(false),
            Err(_) => Err(why),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// What is passed on of an input, and how many messages are refused.
    fn forwarded(input: &[u8]) -> (String, usize) {
        let mut to = Vec::new();
        let refused = RefCell::new(0);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let refuse = |_| *refused.borrow_mut() += 1;
        let done = runtime.unwrap().block_on(forward(input, &mut to, refuse));
        done.unwrap();
        (String::from_utf8(to).unwrap(), refused.into_inner())
    }

    #[test]
    fn what_cannot_be_decoded_is_passed_over() {
        let good = framed(r#"{"jsonrpc":"2.0","method":"a","id":1}"#);
        let answer = framed(r#"{"jsonrpc":"2.0","result":null,"id":1}"#);
        for bad in [
            framed(""),
            framed("{"),
            framed("[]"),
            framed("\"é\""),
            "Content-Length: many\r\n\r\n".into(),
            "Content-Type: none\r\n\r\n".into(),
        ] {
            let input = [&*good, &*bad, &*answer].concat();
            let expected = ([&*good, &*answer].concat(), 1);
            assert_eq!(forwarded(input.as_bytes()), expected, "{bad}");
        }
        let input = [good.as_bytes(), b"Content-Length: 2\n\n\xff\xfe"].concat();
        assert_eq!(forwarded(&input), (good, 1));
    }

    #[test]
    fn half_a_surrogate_pair_is_mended() {
        for (sent, passed) in [
            (r"\ud83d", r"\ufffd"),
            (r"a\uDE00b", r"a\ufffdb"),
            (r"\ud83d\ude00", r"\ud83d\ude00"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\\ud83d \n\u00e9", r"\\ud83d \n\u00e9"),
            (r"\\\ud83d", r"\\\ufffd"),
        ] {
            let message = |text| framed(&format!(r#"{{"jsonrpc":"2.0","method":"{text}"}}"#));
            let expected = (message(passed), 0);
            assert_eq!(forwarded(message(sent).as_bytes()), expected, "{sent}");
        }
        for end in [r"\", r"\u", r"\ud8", "\\ud83d"] {
            assert_eq!(forwarded(framed(end).as_bytes()).1, 1);
        }
    }

    #[test]
    fn nothing_follows_the_exit() {
        let exit = framed(r#"{"jsonrpc":"2.0","method":"exit"}"#);
        let more = framed(r#"{"jsonrpc":"2.0","method":"a"}"#);
        let input = [&*exit, &*more].concat();
        assert_eq!(forwarded(input.as_bytes()), (exit, 0));
    }

    #[test]
    fn an_input_may_end_anywhere() {
        let whole = framed(r#"{"jsonrpc":"2.0","method":"a"}"#);
        for end in 0..whole.len() {
            assert_eq!(forwarded(&whole.as_bytes()[..end]).0, "", "{end}");
        }
        let endless = whole.replace(": 30", ": 18446744073709551615");
        assert_eq!(forwarded(endless.as_bytes()), (String::new(), 0));
    }
}
