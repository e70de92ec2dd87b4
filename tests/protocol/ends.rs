//! How the server ends.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::{Client, server};
use crate::example::Example;
use crate::{modern, opened};

#[test]
fn a_pipe_may_be_closed_within_a_message() {
    let message = "Content-Length: 60\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":";
    for end in [3, 17, 22, 23, 30, message.len()] {
        let (_example, mut client) = opened();
        client.write(&message.as_bytes()[..end]);
        client.hang_up();
        assert_eq!(client.ended(), Some(1), "{end}");
    }
}

#[test]
fn exit_without_shutdown_is_no_success() {
    let (_example, mut client) = opened();
    client.notify("exit", json!(null));
    assert_eq!(client.ended(), Some(1));
}

#[test]
fn a_client_that_does_not_listen_any_more_is_gone() {
    let example = Example::empty();
    let mut command = server();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.current_dir(example.root()).spawn().unwrap();
    drop(server.stdout.take());
    let mut stdin = server.stdin.take().unwrap();
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": { "capabilities": {} },
    });
    let body = body.to_string();
    write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(1));
    // it was open all the time
    drop(stdin);
}

#[cfg(unix)]
#[test]
fn the_server_ends_with_the_process_of_its_client() {
    let mut parent = Command::new("sleep").arg("1000").spawn().unwrap();
    let example = Example::empty();
    let mut client = Client::spawn(example.root());
    client.process = parent.id();
    client.initialize(modern());
    client.notify("initialized", json!({}));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_eq!(client.ended(), Some(1));
}
