//! The state of a stack.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Shape;
use super::kinds::{KINDS, Kind, attributes};
use super::random::Random;
use super::stack::{Declares, Stack};

const AWS: &str = r#"provider["registry.terraform.io/hashicorp/aws"]"#;

/// Bytes of a row without its long attribute, on average.
const PLAIN_ROW: usize = 2_320;

#[derive(Serialize)]
struct State {
    version: u8,
    terraform_version: &'static str,
    serial: usize,
    lineage: String,
    outputs: Map<String, Value>,
    resources: Vec<Resource>,
    check_results: Option<()>,
}

#[derive(Serialize)]
pub struct Resource {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    pub mode: &'static str,
    pub r#type: &'static str,
    pub name: String,
    provider: &'static str,
    pub instances: Vec<Value>,
}

impl Resource {
    pub fn managed(module: Option<String>, kind: &Kind, name: &str, rows: Vec<Value>) -> Self {
        Self {
            module,
            mode: "managed",
            r#type: kind.name,
            name: name.into(),
            provider: AWS,
            instances: rows,
        }
    }

    pub fn data(r#type: &'static str, name: &str, attributes: Value) -> Self {
        let instance = json!({
            "schema_version": 0, "attributes": attributes, "sensitive_attributes": [],
        });
        Self {
            module: None,
            mode: "data",
            r#type,
            name: name.into(),
            provider: AWS,
            instances: vec![instance],
        }
    }
}

/// The text of a state.
pub fn text(random: &mut Random, mut resources: Vec<Resource>) -> serde_json::Result<String> {
    resources.sort_by_cached_key(|it| (it.module.clone(), it.mode, it.r#type, it.name.clone()));
    let state = State {
        version: 4,
        terraform_version: "1.11.4",
        serial: 1 + random.below(300),
        lineage: random.uuid(),
        outputs: Map::new(),
        resources,
        check_results: None,
    };
    Ok(serde_json::to_string_pretty(&state)? + "\n")
}

/// A managed row as it stands in the state, and its `arn`.
pub fn instance(
    random: &mut Random,
    shape: Shape,
    stack: &Stack,
    kind: &Kind,
    name: &str,
    declares: Declares<'_>,
) -> (Value, Option<String>) {
    let mut row = Map::new();
    for attribute in attributes() {
        if random.below(4) == 0 {
            continue;
        }
        let value = match random.below(20) {
            0..=7 => Value::Null,
            8..=11 => json!(""),
            12..=14 => json!(random.below(2) == 0),
            15 | 16 => json!(random.below(3600)),
            17 | 18 => json!([]),
            _ => json!([{ "enabled": false, "id": random.hex(17), "prefix": "" }]),
        };
        row.insert(attribute.into(), value);
    }
    row.insert("id".into(), json!(name));
    row.insert("name".into(), json!(name));
    if let Some(long) = kind.long {
        let wanted = shape.state_bytes / shape.rows_per_stack;
        let long_kinds = KINDS.iter().filter(|it| it.long.is_some()).count();
        let mean = wanted.saturating_sub(PLAIN_ROW) * KINDS.len() / long_kinds;
        let length = random.below(2 * mean + 1);
        let value = match long {
            "user_data" => random.base64(length),
            _ => policy(random, length),
        };
        row.insert(long.into(), json!(value));
    }
    if kind.taggable {
        let mut own = Map::new();
        own.insert("Name".into(), json!(name));
        own.insert("Owner".into(), json!(stack.team));
        if let Some((key, value)) = declares.recorded() {
            own.insert(key.into(), json!(value));
        }
        let mut all = stack.default_tags();
        all.extend(own.clone());
        row.insert("tags".into(), own.into());
        row.insert("tags_all".into(), all.into());
    }
    let arn = kind.arn(&stack.account, name, &random.hex(17));
    if let Some(arn) = &arn {
        row.insert("arn".into(), json!(arn));
    }
    let instance = json!({
        "schema_version": 0, "attributes": row, "sensitive_attributes": [],
        "private": "bnVsbA==", "dependencies": ["aws_iam_role.exported"],
    });
    (instance, arn)
}

/// A policy of about this many bytes, as it is quoted in a state.
pub fn policy(random: &mut Random, length: usize) -> String {
    let mut text = r#"{"Version":"2012-10-17","Statement":["#.to_owned();
    while text.len() < length * 9 / 10 {
        let resource = random.hex(24);
        text += r#"{"Action":["s3:GetObject","s3:ListBucket"],"Effect":"Allow","Resource":"arn:aws:s3:::"#;
        text += &resource;
        text += r#"/*"},"#;
    }
    text.trim_end_matches(',').to_owned() + "]}"
}
