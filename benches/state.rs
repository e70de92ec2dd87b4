//! How fast a large state is read, against copying its bytes and against the fastest that serde_json
//! can pass over them. The ratios say what our reading costs, whatever the machine.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use gantrycd_ls::state;
use serde::de::IgnoredAny;

const ROUNDS: usize = 9;

fn main() {
    // Without `--bench` it is a test run that only has to come through.
    let rows = match std::env::args().any(|it| it == "--bench") {
        true => 20_000,
        false => 20,
    };
    let json = large_state(rows);
    let read = || assert_eq!(state::read(json.as_bytes()).unwrap().records.len(), rows);
    let skip = || {
        black_box(serde_json::from_slice::<IgnoredAny>(json.as_bytes()).unwrap());
    };
    let mut copied = vec![0; json.len()];
    let mut copy = || black_box(&mut copied).copy_from_slice(black_box(json.as_bytes()));
    let (mut reading, mut skipping, mut copying) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        reading = reading.min(time(read));
        skipping = skipping.min(time(skip));
        copying = copying.min(time(&mut copy));
    }
    let speed = |time: Duration| json.len() as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{rows} rows, {:.1} MB, {} bytes per row in memory",
        json.len() as f64 / 1e6,
        size_of::<state::Record>(),
    );
    println!("read       {:8.0} MB/s", speed(reading));
    println!("IgnoredAny {:8.0} MB/s", speed(skipping));
    println!("copy       {:8.0} MB/s", speed(copying));
    println!(
        "read takes {:.2} times as long as copy, {:.2} times as long as IgnoredAny",
        reading.as_secs_f64() / copying.as_secs_f64(),
        reading.as_secs_f64() / skipping.as_secs_f64()
    );
}

fn time(mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// A state as an AWS estate has it: some forty attributes to a row, most of them short, a few long.
fn large_state(rows: usize) -> String {
    let types = [
        "aws_s3_bucket",
        "aws_iam_role",
        "aws_lambda_function",
        "aws_sqs_queue",
    ];
    let mut json = String::from(
        "{\n  \"version\": 4,\n  \"terraform_version\": \"1.11.4\",\n  \"serial\": 812,\n  \
         \"lineage\": \"5f6f0d3a-0b1c-4e58-9d2c-2f9a6f0f7a10\",\n  \"outputs\": {},\n  \"resources\": [",
    );
    for row in 0..rows {
        let comma = if row == 0 { "" } else { "," };
        let kind = types[row % types.len()];
        let module = match row % 3 {
            0 => String::new(),
            _ => format!("\n      \"module\": \"module.team[\\\"{}\\\"]\",", row % 50),
        };
        let _ = write!(
            json,
            r#"{comma}
    {{{module}
      "mode": "managed",
      "type": "{kind}",
      "name": "name_{row}",
      "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
      "instances": [
        {{
          "schema_version": 0,
          "attributes": {{
            "arn": "arn:aws:service:eu-central-1:123456789012:thing/name-{row}",
"#
        );
        for short in 0..24 {
            let value = match short % 4 {
                0 => "null",
                1 => "false",
                2 => "\"a-value-of-some-length\"",
                _ => "3600",
            };
            let _ = writeln!(json, "            \"attribute_number_{short}\": {value},");
        }
        for block in 0..6 {
            let _ = writeln!(
                json,
                "            \"block_{block}\": [\n              {{\n                \
                 \"enabled\": true,\n                \"mfa_delete\": null,\n                \
                 \"rule\": []\n              }}\n            ],"
            );
        }
        for policy in 0..2 {
            let _ = writeln!(
                json,
                r#"            "policy_{policy}": "{{\"Version\":\"2012-10-17\",\"Statement\":[{{\"Sid\":\"AllowReading\",\"Effect\":\"Allow\",\"Principal\":{{\"AWS\":\"arn:aws:iam::123456789012:role/reader-{row}\"}},\"Action\":[\"s3:GetObject\",\"s3:ListBucket\"],\"Resource\":[\"arn:aws:s3:::name-{row}\",\"arn:aws:s3:::name-{row}/*\"]}}]}}","#
            );
        }
        let _ = write!(
            json,
            r#"            "description": "{}",
            "tags": {{
              "Name": "name-{row}",
              "gantrycd:resource-identity-realm": "realm-{}",
              "team": "platform"
            }},
            "tags_all": {{
              "Name": "name-{row}",
              "environment": "production",
              "gantrycd:resource-identity-realm": "realm-{}",
              "team": "platform"
            }},
            "timeouts": null,
            "vpc_config": []
          }},
          "sensitive_attributes": [],
          "private": "{}",
          "dependencies": [
            "aws_kms_key.main",
            "data.aws_caller_identity.current",
            "module.network.aws_vpc.main"
          ]
        }}
      ]
    }}"#,
            "a sentence that somebody wrote about this thing. ".repeat(4),
            row % 7,
            row % 7,
            "eyJlMmJmYjczMC1lY2FhLTExZTYtOGY4OC0zNDM2M2JjN2M0YzAiOnsi".repeat(2),
        );
    }
    json.push_str("\n  ],\n  \"check_results\": null\n}\n");
    json
}
