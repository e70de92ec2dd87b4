//! States as tests push them somewhere, and a server that keeps some as the `http` backend wants it.

#![allow(dead_code)] // everybody takes a part of it

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What no output may have in it.
pub const SECRET: &str = "not-a-real-secret";

/// A state with one bucket, and secrets wherever there is room for one.
pub fn bucket(arn: &str, serial: u64) -> Value {
    json!({
        "version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": format!("of {arn}"),
        "outputs": { "password": { "value": format!("{SECRET}-1"), "type": "string", "sensitive": true } },
        "resources": [
            {
                "mode": "managed", "type": "aws_s3_bucket", "name": "b",
                "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
                "instances": [{
                    "schema_version": 0,
                    "attributes": {
                        "arn": arn, "bucket": format!("{SECRET}-2"), "policy": null,
                        "tags": { "Name": format!("{SECRET}-3") },
                        "tags_all": { "Name": format!("{SECRET}-3") },
                        "nested": [{ "key": format!("{SECRET}-4") }],
                    },
                    "sensitive_attributes": [],
                    "private": "bm90LWEtcmVhbC1zZWNyZXQ=",
                }],
            },
            {
                "mode": "managed", "type": "aws_sqs_queue", "name": "q",
                "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
                "instances": [{
                    "schema_version": 0,
                    "attributes": {
                        "arn": format!("arn:aws:sqs:eu-west-1:111122223333:{SECRET}-5"),
                        "tags": { "gantrycd:resource-identity-realm": format!("{SECRET}-6") },
                        "tags_all": { "gantrycd:resource-identity-realm": format!("{SECRET}-6") },
                    },
                    "sensitive_attributes": [
                        [{ "type": "get_attr", "value": "arn" }],
                        [{ "type": "get_attr", "value": "tags" }],
                        [{ "type": "get_attr", "value": "tags_all" }],
                    ],
                }],
            },
        ],
    })
}

/// A state server on loopback, with locking and basic authentication.
pub struct StateServer {
    port: u16,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    states: HashMap<String, Vec<u8>>,
    locks: HashMap<String, Vec<u8>>,
    /// Each request that was allowed: its method and path.
    asked: Vec<String>,
}

/// `user:` and [`SECRET`], as a client sends it.
const AUTHORIZATION: &str = "Basic dXNlcjpub3QtYS1yZWFsLXNlY3JldA==";

impl StateServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept = Arc::<Mutex<Kept>>::default();
        let of_all = kept.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = of_all.clone();
                thread::spawn(move || _ = answer(stream, &kept));
            }
        });
        Self { port, kept }
    }

    /// The configuration of a stack whose state it keeps under a name. Who may ask for it stands in
    /// the environment.
    pub fn backend(&self, name: &str) -> String {
        let port = self.port;
        format!(
            "terraform {{\n  backend \"http\" {{\n    \
             address        = \"http://127.0.0.1:{port}/{name}\"\n    \
             lock_address   = \"http://127.0.0.1:{port}/{name}\"\n    \
             unlock_address = \"http://127.0.0.1:{port}/{name}\"\n    \
             retry_max      = 0\n  }}\n}}\n"
        )
    }

    /// The environment of whoever may ask.
    pub fn credentials() -> [(&'static str, &'static str); 2] {
        [("TF_HTTP_USERNAME", "user"), ("TF_HTTP_PASSWORD", SECRET)]
    }

    /// Has somebody hold the lock of a state.
    pub fn lock(&self, name: &str) {
        let lock = br#"{"ID":"1","Who":"somebody"}"#.to_vec();
        self.kept
            .lock()
            .unwrap()
            .locks
            .insert(format!("/{name}"), lock);
    }

    /// What it was asked since it was asked this last.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.kept.lock().unwrap().asked)
    }
}

fn answer(stream: TcpStream, kept: &Mutex<Kept>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let path = path.split('?').next()?.to_owned();
    let (mut length, mut may) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else {
            break;
        };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => may = value == AUTHORIZATION,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut kept = kept.lock().unwrap();
    let (status, body) = match (&*method, may) {
        (_, false) => ("401 Unauthorized", Vec::new()),
        ("GET", _) => match kept.states.get(&path) {
            Some(state) => ("200 OK", state.clone()),
            None => ("404 Not Found", Vec::new()),
        },
        ("POST", _) => {
            kept.states.insert(path.clone(), body);
            ("200 OK", Vec::new())
        }
        ("LOCK", _) => match kept.locks.get(&path) {
            Some(lock) => ("423 Locked", lock.clone()),
            None => {
                kept.locks.insert(path.clone(), body);
                ("200 OK", Vec::new())
            }
        },
        ("UNLOCK", _) => {
            kept.locks.remove(&path);
            ("200 OK", Vec::new())
        }
        _ => ("405 Method Not Allowed", Vec::new()),
    };
    if may {
        kept.asked.push(format!("{method} {path}"));
    }
    drop(kept);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let stream = reader.get_mut();
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body).ok()
}
