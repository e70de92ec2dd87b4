//! A recorded session played to a fresh server, and what that says to it.

use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _, BufReader, duplex};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::edge;
use super::input;
use super::trace::{Options, Recorded, Said, Trace};

/// How long a server says nothing when it has said everything.
const QUIET: Duration = Duration::from_secs(1);

/// Plays a recording, its pauses no longer than this, and prints what the server says, one line of
/// JSON each.
///
/// # Errors
/// When the recording is none, in words.
pub(super) async fn replay(file: &Path, longest_pause: Duration) -> Result<(), String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|why| failed(&why))?;
    let lines = text.lines().enumerate().map(|(at, line)| {
        let recorded = serde_json::from_str::<Recorded>(line);
        recorded.map_err(|why| {
            failed(&format_args!(
                "line {} is not what `--record` writes: {why}",
                at + 1
            ))
        })
    });
    let recorded: Vec<_> = lines.collect::<Result<_, _>>()?;
    let trace = Trace::new(&Options::default())?;

    let (to_server, from_client) = duplex(1 << 16);
    let (to_client, from_server) = duplex(1 << 16);
    let said = watch::Sender::new(());
    let served = edge::serve(from_client, to_client, trace);
    let heard = said.subscribe();
    let printed = async {
        let mut from = BufReader::new(from_server);
        while let Ok(Some(message)) = input::next(&mut from).await {
            said.send_replace(());
            let Ok(message) = message else { continue };
            if print(&message).is_err() {
                break;
            }
        }
    };
    let played = play(recorded, to_server, heard, longest_pause);
    // whoever stops first ends the others with it, by the ends of the pipes
    _ = tokio::join!(served, printed, played);
    Ok(())
}

async fn play(
    recorded: Vec<Recorded>,
    mut to: impl AsyncWrite + Unpin,
    mut heard: watch::Receiver<()>,
    longest_pause: Duration,
) -> io::Result<()> {
    let mut now = 0;
    for it in recorded {
        let pause = Duration::from_millis(it.at.saturating_sub(now));
        now = now.max(it.at);
        sleep(pause.min(longest_pause)).await;
        let body = match it.said {
            Said::Message(mut message) => {
                let ends = ["shutdown", "exit"]
                    .iter()
                    .any(|it| message["method"] == **it);
                if ends {
                    quiet(&mut heard).await;
                }
                if message["method"] == "initialize" {
                    // that process is not the client of this server
                    message["params"]["processId"] = Value::Null;
                }
                message.to_string()
            }
            Said::Undecodable(body) => body,
        };
        let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        to.write_all(framed.as_bytes()).await?;
    }
    quiet(&mut heard).await;
    Ok(())
}

/// Waits until the server has said nothing for a while.
async fn quiet(heard: &mut watch::Receiver<()>) {
    while let Ok(Ok(())) = timeout(QUIET, heard.changed()).await {}
}

fn print(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{message}")
}
