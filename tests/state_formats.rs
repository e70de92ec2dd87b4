//! Every format that is read, every one that is not, and all that may be wrong within one.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use gantrycd_ls::identity::{IDENTITY_TAG, NoIdentity, Origin, REALM_TAG, SENSITIVE, Tags};
use gantrycd_ls::state::{Format, NotRead, Problem, Record, State, read, read_from, read_stream};
use serde_json::{Value, json};

const AWS: &str = "registry.terraform.io/hashicorp/aws";

fn case(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All that was kept of a row, in one line.
fn line(record: &Record) -> String {
    let row = &record.row;
    let mut line = format!("{} {}", row.address, row.provider);
    let attributes = &row.attributes;
    let tags = |tags: &Option<Arc<Tags>>| {
        tags.as_ref()
            .map(|it| format!("{:?} {:?}", it.identity, it.realm))
    };
    for (name, value) in [
        ("deposed", row.deposed.as_deref().map(str::to_owned)),
        ("arn", attributes.arn.as_deref().map(str::to_owned)),
        (
            "catalog_id",
            attributes.catalog_id.as_deref().map(str::to_owned),
        ),
        ("tags", tags(&attributes.tags)),
        ("tags_all", tags(&attributes.tags_all)),
        ("complete", attributes.complete.then(|| "yes".to_owned())),
        (
            "decided",
            record.decided.as_ref().map(|it| format!("{it:?}")),
        ),
    ] {
        if let Some(value) = value {
            line += &format!(" {name}={value}");
        }
    }
    line
}

fn lines(state: &State) -> Vec<String> {
    state.records.iter().map(line).collect()
}

#[track_caller]
fn state(json: &Value) -> State {
    read(json.to_string().as_bytes()).unwrap()
}

/// What [`read`] says of a file that it does not read.
#[track_caller]
fn problem(bytes: impl AsRef<[u8]>) -> String {
    match read(bytes.as_ref()) {
        Err(NotRead::Problem(problem)) => problem.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A state of these resources.
fn v4(resources: Value) -> Value {
    json!({"version": 4, "serial": 7, "lineage": "l", "resources": resources})
}

/// A resource of this one instance.
fn bucket(instance: Value) -> Value {
    json!({
        "mode": "managed", "type": "aws_s3_bucket", "name": "b",
        "provider": format!("provider[\"{AWS}\"]"), "instances": [instance],
    })
}

/// The one row of a state of one instance.
#[track_caller]
fn row(instance: Value) -> Record {
    let mut records = state(&v4(json!([bucket(instance)]))).records;
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn show(resource: Value) -> Value {
    json!({"format_version": "1.0", "values": {"root_module": {"resources": [resource]}}})
}

/// A state with all that is read in it: modules, keys, deposed, tags, marks.
fn full_v4() -> Value {
    let provider = format!("module.net.provider[\"{AWS}\"].west");
    let tags = json!({"Name": "x", IDENTITY_TAG: "declared", REALM_TAG: "alice"});
    json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 7, "lineage": "abc",
        "outputs": {"o": {"value": ["x", {"resources": []}], "type": "string"}},
        "resources": [
            {
                "module": "module.net[\"a.b\"].module.sub[0]", "mode": "managed",
                "type": "aws_s3_bucket", "name": "b", "provider": provider,
                "instances": [
                    {
                        "index_key": "b.c\"d", "schema_version": 0, "status": "tainted",
                        "attributes": {
                            "arn": "arn:aws:s3:::one", "catalog_id": "123456789012",
                            "policy": "{\"a\": [1, 2]}", "grant": [{"arn": "no"}], "acl": null,
                            "tags": tags, "tags_all": tags,
                        },
                        "sensitive_attributes": [[
                            {"type": "get_attr", "value": "tags_all"},
                            {"type": "index", "value": {"value": REALM_TAG, "type": "string"}},
                        ]],
                        "private": "bnVsbA==", "dependencies": ["aws_kms_key.k"],
                    },
                    {
                        "index_key": "été/ü", "deposed": "745ba0c6",
                        "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"]",
                        "attributes": {"arn": "arn:aws:s3:::two", "tags": null},
                    },
                ],
            },
            {
                "mode": "data", "type": "aws_vpc", "name": "v", "provider": "provider.aws",
                "instances": [{"index_key": 0.0, "attributes": {"arn": null, "tags": [{}]}}],
            },
        ],
        "check_results": null,
    })
}

fn full_show() -> Value {
    let row = |name: &str, index: Value| {
        json!({
            "address": "not.read", "mode": "managed", "type": "aws_sqs_queue", "name": name,
            "index": index, "provider_name": AWS, "schema_version": 0,
            "values": {"arn": format!("arn:{name}"), "tags": {IDENTITY_TAG: "x"}, "policy": null},
            "sensitive_values": {"tags": {IDENTITY_TAG: true}, "policy": []},
        })
    };
    let mut deposed = row("b", json!(1));
    deposed["deposed_key"] = json!("f2b5e499");
    json!({
        "format_version": "1.0", "terraform_version": "1.11.4",
        "values": {
            "outputs": {},
            "root_module": {
                "resources": [row("a", json!(null)), row("b", json!(1)), deposed],
                "child_modules": [{
                    "address": "module.m[\"é\"]",
                    "resources": [row("c", json!("k"))],
                    "child_modules": [{
                        "address": "module.m[\"é\"].module.n",
                        "resources": [row("d", json!(null))],
                    }],
                }],
            },
        },
    })
}

fn full_plan() -> Value {
    let planned = show(json!({"mode": "managed", "type": "a_b", "name": "planned"}));
    json!({
        "format_version": "1.2", "planned_values": planned["values"],
        "resource_changes": [{"mode": "managed", "type": "a_b", "name": "c", "address": "a_b.c"}],
        "prior_state": full_show(),
    })
}

fn full_inventory() -> Value {
    let none = json!({"reason": "unanchored-arn", "detail": "it names no resource"});
    json!({
        "version": 1, "name": "live/net@blue", "directory": "live/net", "workspace": "blue",
        "state": {"path": "a.tfstate", "format": "state-v4", "serial": 9, "lineage": "xyz"},
        "resources": [
            {
                "address": "module.m[\"k\"].aws_s3_bucket.b[0]", "mode": "managed",
                "type": "aws_s3_bucket", "provider": AWS, "cloud_identity_id": "arn:aws:s3:::b",
                "cloud_identity_realm": "alice", "no_identity": null, "looks_up": null,
                "deposed": "745ba0c6", "source": null,
            },
            {
                "address": "aws_sqs_queue.q", "mode": "managed", "type": "aws_sqs_queue",
                "provider": AWS, "cloud_identity_id": null, "cloud_identity_realm": null,
                "no_identity": none, "looks_up": null, "deposed": null,
            },
            {
                "address": "data.aws_vpc.v", "mode": "data", "type": "aws_vpc", "provider": AWS,
                "cloud_identity_id": null, "cloud_identity_realm": null,
                "no_identity": {"reason": "data-source", "detail": null},
                "looks_up": {"cloud_identity_id": "arn:v", "cloud_identity_realm": null},
            },
        ],
    })
}

fn all_formats() -> [Value; 4] {
    [full_v4(), full_show(), full_plan(), full_inventory()]
}

/// The same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn the_cases_read_as_they_are_said_to() {
    let expected = [
        (
            "backend-record-v3.tfstate",
            "state format 3 is not read: run `terraform apply -refresh-only` once",
        ),
        (
            "encrypted.tfstate",
            "encrypted: `tofu show -json > …` writes a copy that can be read",
        ),
        (
            "git-lfs-pointer.tfstate",
            "a Git LFS pointer stands in place of the file: run `git lfs pull`",
        ),
        (
            "hcl-by-mistake.tfstate",
            "not JSON: a state starts with `{` (line 1, column 2)",
        ),
        ("plan-modules.json", "show-plan, 6 rows"),
        ("plan-moved.json", "show-plan, 1 rows"),
        (
            "plan-utf16.json",
            "UTF-16 is not read: save the file as UTF-8",
        ),
        ("show-checks.json", "show-state, 2 rows"),
        ("show-sensitive.json", "show-state, 7 rows"),
        ("terraform-1.11/plan.json", "show-plan, 16 rows"),
        ("terraform-1.11/show.json", "show-state, 16 rows"),
        ("terraform-1.11/terraform.tfstate", "state-v4, 16 rows"),
        (
            "v1.tfstate",
            "state format 1 is not read: run `terraform apply -refresh-only` once",
        ),
        (
            "v3.tfstate",
            "state format 3 is not read: run `terraform apply -refresh-only` once",
        ),
        ("v4-azurerm.tfstate", "state-v4, 5 rows"),
        ("v4-future-keys.tfstate", "state-v4, 3 rows"),
        ("v4-legacy-provider.tfstate", "state-v4, 4 rows"),
    ];
    for (file, verdict) in expected {
        let found = match read(&case(&format!("formats/{file}"))) {
            Ok(state) => format!("{}, {} rows", state.format.as_str(), state.records.len()),
            Err(NotRead::Problem(problem)) => problem.to_string(),
            Err(NotRead::Empty) => "empty".to_owned(),
        };
        assert_eq!(found, verdict, "{file}");
    }
}

#[test]
fn terraforms_state_and_its_show_json_are_the_same_rows() {
    let [state, show, plan] = ["terraform.tfstate", "show.json", "plan.json"]
        .map(|file| read(&case(&format!("formats/terraform-1.11/{file}"))).unwrap());
    assert_eq!((state.serial, show.serial), (Some(20), None));
    assert_eq!(
        state.lineage.as_deref(),
        Some("1ae6e42e-af79-9483-7dd5-8e07e648a511")
    );
    let sorted = |state: &State| {
        let mut lines = lines(state);
        lines.sort();
        lines
    };
    assert_eq!(sorted(&state), sorted(&show));
    assert_eq!(sorted(&state), sorted(&plan));
    let terraform = "terraform.io/builtin/terraform";
    for expected in [
        format!("terraform_data.cnt[2] {terraform} complete=yes"),
        format!("terraform_data.dep {terraform}"),
        format!("terraform_data.dep {terraform} deposed=745ba0c6"),
        format!("terraform_data.dependent {terraform} complete=yes"),
        format!(r#"terraform_data.fe["b.c\"d"] {terraform} complete=yes"#),
        format!(r#"terraform_data.fe["été/ü"] {terraform} complete=yes"#),
        format!("terraform_data.taint {terraform}"),
        format!(r#"module.m["us-east-1"].terraform_data.in[1] {terraform} complete=yes"#),
    ] {
        assert!(lines(&state).contains(&expected), "{expected}");
    }
}

#[test]
fn every_part_of_a_state_is_read() {
    let read = state(&full_v4());
    assert_eq!(read.format, Format::StateV4);
    assert_eq!(
        (read.serial, read.lineage.as_deref()),
        (Some(7), Some("abc"))
    );
    assert_eq!(
        lines(&read),
        [
            r#"module.net["a.b"].module.sub[0].aws_s3_bucket.b["b.c\"d"] registry.terraform.io/hashicorp/aws arn=arn:aws:s3:::one catalog_id=123456789012 tags=Some("declared") Some("alice") tags_all=Some("declared") Some("(sensitive value)") complete=yes"#,
            r#"module.net["a.b"].module.sub[0].aws_s3_bucket.b["été/ü"] registry.opentofu.org/hashicorp/aws deposed=745ba0c6 arn=arn:aws:s3:::two"#,
            "data.aws_vpc.v[0] provider.aws",
        ]
    );
}

#[test]
fn every_part_of_a_show_is_read() {
    let hidden = r#"tags=Some("(sensitive value)") None complete=yes"#;
    let expected = [
        format!("aws_sqs_queue.a {AWS} arn=arn:a {hidden}"),
        format!("aws_sqs_queue.b[1] {AWS} arn=arn:b {hidden}"),
        format!("aws_sqs_queue.b[1] {AWS} deposed=f2b5e499 arn=arn:b {hidden}"),
        format!(r#"module.m["é"].aws_sqs_queue.c["k"] {AWS} arn=arn:c {hidden}"#),
        format!(r#"module.m["é"].module.n.aws_sqs_queue.d {AWS} arn=arn:d {hidden}"#),
    ];
    for (json, format) in [
        (full_show(), Format::ShowState),
        (full_plan(), Format::ShowPlan),
    ] {
        let read = state(&json);
        assert_eq!(read.format, format);
        assert_eq!(lines(&read), expected);
    }
}

#[test]
fn every_part_of_an_inventory_is_read() {
    let read = state(&full_inventory());
    assert_eq!(read.format, Format::Inventory);
    assert_eq!(
        (read.serial, read.lineage.as_deref()),
        (Some(9), Some("xyz"))
    );
    assert_eq!(read.name.as_deref(), Some("live/net@blue"));
    let [bucket, queue, vpc] = &read.records[..] else {
        panic!("{:?}", read.records)
    };

    assert_eq!(
        bucket.row.address.to_string(),
        r#"module.m["k"].aws_s3_bucket.b[0]"#
    );
    assert_eq!(bucket.row.deposed.as_deref(), Some("745ba0c6"));
    assert_eq!(&*bucket.row.provider, AWS);
    let identity = bucket.decided.as_ref().unwrap().identity.as_ref().unwrap();
    assert_eq!(&*identity.id, "arn:aws:s3:::b");
    assert_eq!(identity.realm.as_ref().unwrap().as_str(), "alice");
    assert_eq!(identity.origin, Origin::Unstated);

    let decided = queue.decided.as_ref().unwrap();
    assert_eq!(
        decided.identity.as_ref().unwrap_err(),
        &NoIdentity::UnanchoredArn("it names no resource".into())
    );
    assert!(decided.looks_up.is_none());

    let decided = vpc.decided.as_ref().unwrap();
    assert_eq!(
        decided.identity.as_ref().unwrap_err(),
        &NoIdentity::DataSource
    );
    let looks_up = decided.looks_up.as_ref().unwrap();
    assert_eq!((&*looks_up.id, looks_up.realm.is_none()), ("arn:v", true));
}

#[test]
fn an_inventorys_entry_that_cannot_be_understood_is_left_out() {
    let entry = |changes: &[(&str, Value)]| {
        let mut entry = full_inventory()["resources"][0].take();
        for (key, value) in changes {
            entry[*key] = value.clone();
        }
        let inventory = json!({"version": 1, "resources": [7, null, entry]});
        state(&inventory).records.len()
    };
    let id = "cloud_identity_id";
    let (reason, data) = (
        json!({"reason": "no-arn"}),
        json!({"reason": "data-source"}),
    );
    let looks_up = json!({"cloud_identity_id": "arn:v"});
    assert_eq!(entry(&[]), 1);
    assert_eq!(
        entry(&[
            (id, json!(null)),
            ("cloud_identity_realm", json!(null)),
            ("no_identity", reason.clone())
        ]),
        1
    );
    assert_eq!(
        entry(&[
            ("mode", json!(null)),
            ("type", json!(null)),
            ("provider", json!(null))
        ]),
        1
    );
    for changes in [
        &[("address", json!(null))][..],
        &[("address", json!("no address"))],
        &[("address", json!(["a_b.c"]))],
        &[("mode", json!("data"))],
        &[("type", json!("aws_sqs_queue"))],
        &[("provider", json!(5))],
        &[("deposed", json!(true))],
        &[(id, json!(null))],
        &[(id, json!(""))],
        &[(id, json!(5))],
        &[("cloud_identity_realm", json!("two words"))],
        &[("cloud_identity_realm", json!(5))],
        &[("no_identity", reason.clone())],
        &[("no_identity", json!("no-arn"))],
        &[("looks_up", looks_up.clone())],
        &[(id, json!(null)), ("no_identity", reason.clone())],
        &[
            (id, json!(null)),
            ("cloud_identity_realm", json!(null)),
            ("no_identity", json!({"reason": "of-a-later-version"})),
        ],
        &[
            (id, json!(null)),
            ("cloud_identity_realm", json!(null)),
            ("no_identity", data),
            ("looks_up", looks_up),
        ],
    ] {
        assert_eq!(entry(changes), 0, "{changes:?}");
    }
}

/// The JSON with the keys of every object in another order.
fn shuffled(json: &Value, random: &mut Random) -> String {
    match json {
        Value::Object(map) => {
            let mut entries: Vec<_> = map
                .iter()
                .map(|(key, value)| format!("{}:{}", json!(key), shuffled(value, random)))
                .collect();
            for at in (1..entries.len()).rev() {
                entries.swap(at, random.below(at + 1));
            }
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(list) => {
            let entries: Vec<_> = list.iter().map(|it| shuffled(it, random)).collect();
            format!("[{}]", entries.join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let mut random = Random(4);
    for json in all_formats() {
        let expected = format!("{:?}", state(&json));
        for _ in 0..100 {
            let text = shuffled(&json, &mut random);
            assert_eq!(format!("{:?}", read(text.as_bytes()).unwrap()), expected);
        }
    }
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    let json = format!(
        r#"{{"version": 1, "resources": [{{}}], "resources": [{{
            "mode": "data", "mode": "managed", "type": "x", "type": "a_b", "name": "c",
            "instances": 5, "instances": [{{
                "index_key": true, "index_key": 1,
                "attributes": {{"arn": "x", "arn": "y", "tags": {{"{REALM_TAG}": "a"}},
                    "tags": {{"{IDENTITY_TAG}": "a", "{IDENTITY_TAG}": null, "{REALM_TAG}": "b"}}}}
            }}]
        }}], "serial": 1, "serial": 2, "version": 4}}"#
    );
    let read = read(json.as_bytes()).unwrap();
    assert_eq!(read.serial, Some(2));
    assert_eq!(lines(&read), [r#"a_b.c[1]  arn=y tags=None Some("b")"#]);
}

#[test]
fn a_provider_string_names_its_source() {
    for (provider, source) in [
        (r#"provider["registry.terraform.io/hashicorp/aws"]"#, AWS),
        (
            r#"provider["registry.terraform.io/hashicorp/aws"].west"#,
            AWS,
        ),
        (
            r#"module.a.module.b.provider["registry.terraform.io/hashicorp/aws"].west"#,
            AWS,
        ),
        (
            r#"provider["registry.terraform.io/hashicorp/aws"].by_region["eu"]"#,
            AWS,
        ),
        (
            r#"provider["registry.terraform.io/-/aws"]"#,
            "registry.terraform.io/-/aws",
        ),
        ("provider.aws", "provider.aws"),
        ("module.a.provider.aws.west", "module.a.provider.aws.west"),
        ("provider. null", "provider. null"),
        (r#"provider["unclosed"#, r#"provider["unclosed"#),
        ("", ""),
    ] {
        let mut resource = bucket(json!({}));
        resource["provider"] = json!(provider);
        let read = state(&v4(json!([resource])));
        assert_eq!(&*read.records[0].row.provider, source, "{provider}");
        // On the instance it wins.
        let mut resource = bucket(json!({"provider": provider}));
        resource["provider"] = json!("provider.other");
        let read = state(&v4(json!([resource])));
        assert_eq!(&*read.records[0].row.provider, source, "{provider}");
    }
}

#[test]
fn keys_tell_instances_apart() {
    for (key, address) in [
        ("null", Some("aws_s3_bucket.b")),
        ("0", Some("aws_s3_bucket.b[0]")),
        ("3.0", Some("aws_s3_bucket.b[3]")),
        ("1e1", Some("aws_s3_bucket.b[10]")),
        (r#""0""#, Some(r#"aws_s3_bucket.b["0"]"#)),
        (r#""""#, Some(r#"aws_s3_bucket.b[""]"#)),
        (r#""a\"b\u00e9""#, Some(r#"aws_s3_bucket.b["a\"bé"]"#)),
        ("1.5", None),
        ("1e300", None),
        ("18446744073709551615", None),
        ("true", None),
        (r#"["a"]"#, None),
        (r#"{"a": 1}"#, None),
    ] {
        let json = v4(json!([bucket(json!({"index_key": "KEY"}))])).to_string();
        let read = read(json.replace("\"KEY\"", key).as_bytes()).unwrap();
        let found = read.records.first().map(|it| it.row.address.to_string());
        assert_eq!(found.as_deref(), address, "{key}");
    }
}

#[test]
fn tags_are_a_map_or_none() {
    for (tags, expected) in [
        (json!({}), Some((None, None))),
        (
            json!({"Name": "x", "gantrycd:other": "y"}),
            Some((None, None)),
        ),
        (
            json!({IDENTITY_TAG: "i", REALM_TAG: ""}),
            Some((Some("i"), Some(""))),
        ),
        (
            json!({IDENTITY_TAG: "null", REALM_TAG: null}),
            Some((Some("null"), None)),
        ),
        (
            json!({IDENTITY_TAG: 12, REALM_TAG: true}),
            Some((Some("12"), Some("true"))),
        ),
        (
            json!({IDENTITY_TAG: -1.5, REALM_TAG: false}),
            Some((Some("-1.5"), Some("false"))),
        ),
        (
            json!({IDENTITY_TAG: ["i"], REALM_TAG: {"a": "b"}}),
            Some((None, None)),
        ),
        (json!(null), None),
        (json!([{"key": IDENTITY_TAG, "value": "i"}]), None),
        (json!("i"), None),
        (json!(true), None),
    ] {
        let record = row(json!({"attributes": {"tags": tags, "tags_all": tags}}));
        let attributes = record.row.attributes;
        for found in [attributes.tags, attributes.tags_all] {
            let found = found.as_ref();
            let found = found.map(|it| (it.identity.as_deref(), it.realm.as_deref()));
            assert_eq!(found, expected, "{tags}");
        }
    }
}

#[test]
fn a_row_is_complete_when_another_attribute_is_null() {
    for (attributes, complete) in [
        (
            json!({"arn": null, "catalog_id": null, "tags": null, "tags_all": null}),
            false,
        ),
        (
            json!({"arn": "a", "policy": "null", "grant": [null], "x": {"y": null}}),
            false,
        ),
        (json!({"a": 1, "b": null}), true),
        (json!({"a": null, "b": 1, "c": null}), true),
        (json!({}), false),
        (json!(null), false),
    ] {
        let record = row(json!({"attributes": attributes}));
        assert_eq!(record.row.attributes.complete, complete, "{attributes}");
    }
}

#[test]
fn flat_attributes_are_read_where_there_are_no_others() {
    let flat = json!({
        "id": "x", "arn": "arn:flat", "catalog_id": "1", "tags.%": "2", "tags.Name": "x",
        format!("tags.{IDENTITY_TAG}"): "i", "triggers.#": "0",
    });
    let expected = r#"arn=arn:flat catalog_id=1 tags=Some("i") None"#;
    for instance in [
        json!({"attributes_flat": flat}),
        json!({"attributes": null, "attributes_flat": flat}),
    ] {
        assert_eq!(
            line(&row(instance)),
            format!("aws_s3_bucket.b {AWS} {expected}")
        );
    }
    let both = row(json!({"attributes_flat": flat, "attributes": {"arn": "arn:nested"}}));
    assert_eq!(line(&both), format!("aws_s3_bucket.b {AWS} arn=arn:nested"));
    let blocks = row(json!({"attributes_flat": {"tags.#": "1", "tags.0.key": "k"}}));
    assert_eq!(line(&blocks), format!("aws_s3_bucket.b {AWS}"));
    let sensitive = json!([[{"type": "get_attr", "value": "arn"}]]);
    let marked = row(json!({"attributes_flat": flat, "sensitive_attributes": sensitive}));
    assert_eq!(marked.row.attributes.arn.as_deref(), Some(SENSITIVE));
}

/// Which of the kept leaves are hidden: arn, catalog, and identity and realm of both maps of tags.
fn hidden(record: &Record) -> String {
    let attributes = &record.row.attributes;
    let (tags, all) = (&attributes.tags, &attributes.tags_all);
    let (tags, all) = (tags.as_ref().unwrap(), all.as_ref().unwrap());
    [
        ("arn", attributes.arn.as_deref()),
        ("catalog", attributes.catalog_id.as_deref()),
        ("identity", tags.identity.as_deref()),
        ("realm", tags.realm.as_deref()),
        ("all-identity", all.identity.as_deref()),
        ("all-realm", all.realm.as_deref()),
    ]
    .into_iter()
    .filter(|(_, value)| *value == Some(SENSITIVE))
    .map(|(name, _)| name)
    .collect::<Vec<_>>()
    .join(" ")
}

const EVERYTHING: &str = "arn catalog identity realm all-identity all-realm";

fn all_leaves() -> Value {
    let tags = json!({IDENTITY_TAG: "i", REALM_TAG: "r"});
    json!({"arn": "a", "catalog_id": "c", "tags": tags, "tags_all": tags})
}

#[test]
fn a_sensitive_path_hides_what_it_could_cover() {
    let attr = |name: &str| json!({"type": "get_attr", "value": name});
    let raw = |name: &str| json!({"type": "index", "value": name});
    let typed = |name: &str| json!({"type": "index", "value": {"value": name, "type": "string"}});
    let number = json!({"type": "index", "value": {"value": 0, "type": "number"}});
    for (paths, expected) in [
        (json!(null), ""),
        (json!([]), ""),
        (json!([[attr("arn")]]), "arn"),
        (json!([[attr("catalog_id")], [attr("arn")]]), "arn catalog"),
        (json!([[attr("tags")]]), "identity realm"),
        (json!([[attr("tags_all")]]), "all-identity all-realm"),
        (json!([[attr("tags"), raw(IDENTITY_TAG)]]), "identity"),
        (json!([[attr("tags"), typed(REALM_TAG)]]), "realm"),
        (json!([[attr("tags_all"), attr(REALM_TAG)]]), "all-realm"),
        (
            json!([[attr("tags_all"), typed(IDENTITY_TAG)]]),
            "all-identity",
        ),
        (
            json!([[raw("tags"), raw(IDENTITY_TAG), raw("x")]]),
            "identity",
        ),
        (json!([[attr("tags"), raw("Name")], [attr("policy")]]), ""),
        (json!([[attr("grant"), number, attr("arn")]]), ""),
        (json!([[attr("arn"), number]]), "arn"),
        // What follows cannot be understood.
        (json!([[attr("tags"), number]]), "identity realm"),
        (json!([[attr("tags"), {"type": "splat"}]]), "identity realm"),
        (json!([[attr("tags"), null]]), "identity realm"),
        (json!([[]]), EVERYTHING),
        (json!([null]), EVERYTHING),
        (json!(["tags"]), EVERYTHING),
        (json!([[{"type": "splat", "value": "tags"}]]), EVERYTHING),
        (json!([[{"value": "tags"}]]), EVERYTHING),
        (json!([[{"type": "get_attr"}]]), EVERYTHING),
        (json!([["tags"]]), EVERYTHING),
        (json!({"tags": true}), EVERYTHING),
        (json!("tags"), EVERYTHING),
        (json!(true), EVERYTHING),
    ] {
        let instance = json!({"attributes": all_leaves(), "sensitive_attributes": paths});
        assert_eq!(hidden(&row(instance)), expected, "{paths}");
    }
}

#[test]
fn a_sensitive_mark_hides_what_it_could_cover() {
    for (marks, expected) in [
        (json!(null), ""),
        (json!({}), ""),
        (json!(false), ""),
        (json!({"arn": true}), "arn"),
        (
            json!({"arn": false, "catalog_id": true, "policy": true}),
            "catalog",
        ),
        (json!({"tags": true}), "identity realm"),
        (json!({"tags": {}, "tags_all": {}}), ""),
        (
            json!({"tags": {IDENTITY_TAG: true, "Name": true}}),
            "identity",
        ),
        (
            json!({"tags_all": {REALM_TAG: true, IDENTITY_TAG: false}}),
            "all-realm",
        ),
        (json!({"tags": false, "tags_all": null}), ""),
        // What follows cannot be understood.
        (
            json!({"tags": {IDENTITY_TAG: {}}, "arn": [true]}),
            "arn identity",
        ),
        (
            json!({"tags": [{}], "tags_all": "yes"}),
            "identity realm all-identity all-realm",
        ),
        (json!(true), EVERYTHING),
        (json!([]), EVERYTHING),
        (json!("yes"), EVERYTHING),
    ] {
        let read = state(&show(json!({
            "mode": "managed", "type": "a_b", "name": "c",
            "values": all_leaves(), "sensitive_values": marks,
        })));
        assert_eq!(hidden(&read.records[0]), expected, "{marks}");
    }
    let unmarked = state(&show(json!({
        "mode": "data", "type": "a_b", "name": "c", "values": all_leaves(),
    })));
    assert_eq!(hidden(&unmarked.records[0]), "");
}

#[test]
fn a_malformed_entry_does_not_lose_the_others() {
    let good = bucket(json!({}));
    let with = |key: &str, value: Value| {
        let mut resource = good.clone();
        resource[key] = value;
        resource
    };
    let instances = json!([7, null, {}, [], {"index_key": {}}, {"deposed": 5}]);
    let read = state(&v4(json!([
        null,
        "resource",
        [{}],
        {},
        with("type", json!(5)),
        with("type", json!("")),
        with("name", json!(null)),
        with("mode", json!("ephemeral")),
        with("mode", json!(null)),
        with("module", json!("no module")),
        with("module", json!({"a": [1e300]})),
        with("instances", json!({"a": {}})),
        with("instances", json!([])),
        with("instances", instances),
        with("provider", json!(5)),
    ])));
    let expected = [
        format!("aws_s3_bucket.b {AWS}"),
        "aws_s3_bucket.b ".to_owned(),
    ];
    assert_eq!(lines(&read), expected);

    let broken = json!({"mode": "managed", "type": 5, "name": "c"});
    let good = json!({"mode": "managed", "type": "a_b", "name": "c", "values": []});
    let read = state(&json!({"format_version": "0.1", "values": {"root_module": {
        "resources": [broken, null, good],
        "child_modules": [
            5,
            {"address": "nonsense", "resources": [good], "child_modules": [
                {"address": "module.a", "resources": [broken, good]},
            ]},
            {"address": 5, "resources": [good]},
        ],
    }}}));
    assert_eq!(lines(&read), ["a_b.c ", "module.a.a_b.c "]);
}

#[test]
fn what_is_left_out_is_no_fault() {
    for (json, format) in [
        (json!({"version": 4}), Format::StateV4),
        (json!({"version": 4, "resources": null}), Format::StateV4),
        (
            json!({"version": 4, "resources": [{"mode": "managed", "type": "a_b", "name": "c"}]}),
            Format::StateV4,
        ),
        (json!({"format_version": "1.0"}), Format::ShowState),
        (
            json!({"format_version": "0.1", "values": {}}),
            Format::ShowState,
        ),
        (
            json!({"format_version": "1.0", "values": {"root_module": {}}}),
            Format::ShowState,
        ),
        (
            json!({"format_version": "1.2", "planned_values": full_show()["values"]}),
            Format::ShowPlan,
        ),
        (
            json!({"format_version": "1.2", "resource_changes": [], "prior_state": null}),
            Format::ShowPlan,
        ),
        (
            json!({"format_version": "1.2", "prior_state": {"format_version": "1.0"}}),
            Format::ShowPlan,
        ),
        (json!({"version": 1, "resources": []}), Format::Inventory),
    ] {
        let read = state(&json);
        assert_eq!((read.format, read.records.len()), (format, 0), "{json}");
    }
}

/// Nothing of it ends, and so would who reads to the end of what is wrong.
#[test]
fn what_has_no_end_is_refused_at_its_first_fault() {
    let refused = |start: &str, forever: u8| {
        let mut stream = start.as_bytes().chain(io::repeat(forever));
        match read_stream(&mut stream) {
            Err(NotRead::Problem(problem)) => problem.to_string(),
            other => panic!("{other:?}"),
        }
    };
    for (start, forever, expected) in [
        ("", 0, "not JSON: a state starts with `{` (byte 0)"),
        ("", b'x', "not JSON: a state starts with `{` (byte 0)"),
        ("{\"serial\": ", b'x', "not JSON: expected value (byte 11)"),
        (
            "{\"serial\": tr",
            b'x',
            "not JSON: expected ident (byte 13)",
        ),
        ("{\"serial\": 1", b'x', "not JSON: invalid number (byte 12)"),
    ] {
        assert_eq!(refused(start, forever), expected, "{start}");
    }
}

#[test]
fn what_is_not_read_is_named() {
    let not_a_state = Problem::NotAState.to_string();
    for (json, expected) in [
        (
            json!({"version": 2, "modules": []}),
            "state format 2 is not read: run `terraform apply -refresh-only` once",
        ),
        (
            json!({"version": 2, "resources": []}),
            "format 2 of inventories is not read: it is newer than this gantrycd-ls",
        ),
        (
            json!({"version": 5, "resources": []}),
            "state format 5 is not read: it is newer than this gantrycd-ls",
        ),
        (
            json!({"format_version": "2.0", "values": {}}),
            "format 2 of `show -json` is not read: it is newer than this gantrycd-ls",
        ),
        (
            json!({"serial": 1, "lineage": "l", "meta": {}, "encrypted_data": "x", "encryption_version": "v0"}),
            "encrypted: `tofu show -json > …` writes a copy that can be read",
        ),
        (json!({"version": 1}), &not_a_state),
        (json!({"version": 1, "stacks": []}), &not_a_state),
        (json!({"version": 0, "resources": []}), &not_a_state),
        (json!({"version": "4", "resources": []}), &not_a_state),
        (json!({"version": -4}), &not_a_state),
        (json!({"version": 4, "resources": {}}), &not_a_state),
        (json!({"format_version": "x", "values": {}}), &not_a_state),
        (json!({"format_version": 1, "values": {}}), &not_a_state),
        (json!({"format_version": "1.0", "values": []}), &not_a_state),
        (
            json!({"format_version": "1.0", "values": {"root_module": {"resources": {}}}}),
            &not_a_state,
        ),
        (
            json!({"format_version": "1.0", "prior_state": 5}),
            &not_a_state,
        ),
        (
            json!({"format_version": "1.0", "provider_schemas": {}}),
            &not_a_state,
        ),
        (
            json!({"format_version": "1.0", "valid": true, "error_count": 0, "diagnostics": []}),
            &not_a_state,
        ),
        (
            json!({"format_version": "1.0", "function_signatures": {}}),
            &not_a_state,
        ),
        (
            json!({"format_version": "1.0", "modules": []}),
            &not_a_state,
        ),
        (json!({"name": "package", "version": "1.2.3"}), &not_a_state),
        (json!({}), &not_a_state),
        (json!([]), &not_a_state),
        (json!("text"), &not_a_state),
        (json!(4), &not_a_state),
    ] {
        assert_eq!(problem(json.to_string()), expected, "{json}");
    }
    for (text, expected) in [
        (
            "{\"version\": 4,\n  \"resources\": [}",
            "not JSON: expected value (line 2, column 17)",
        ),
        (
            "<<<<<<< HEAD\n{}",
            "not JSON: a state starts with `{` (line 1, column 1)",
        ),
        (
            "{\"version\": 4}\n{\"version\": 4}",
            "not JSON: trailing characters (line 2, column 1)",
        ),
        (
            "\u{feff}{\"version\" 4}",
            "not JSON: expected `:` (line 1, column 12)",
        ),
        (
            "{\"version\": 4",
            "truncated: the file ends before its JSON does",
        ),
        (
            "# a comment",
            "not JSON: a state starts with `{` (line 1, column 1)",
        ),
        (
            "\u{feff}version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "a Git LFS pointer stands in place of the file: run `git lfs pull`",
        ),
    ] {
        assert_eq!(problem(text), expected, "{text}");
    }
    for empty in ["", " ", "\r\n\t \n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(read(empty.as_bytes()).unwrap_err(), NotRead::Empty);
    }
}

#[test]
fn a_byte_order_mark_and_crlf_change_nothing() {
    let pretty = serde_json::to_string_pretty(&full_v4()).unwrap();
    let expected = lines(&read(pretty.as_bytes()).unwrap());
    for text in [
        format!("\u{feff}{pretty}"),
        pretty.replace('\n', "\r\n"),
        format!("\u{feff}\r\n{}\r\n", pretty.replace('\n', "\r\n")),
    ] {
        assert_eq!(lines(&read(text.as_bytes()).unwrap()), expected);
    }
    for file in ["bom", "crlf"] {
        let read = read(&case(&format!("small/encodings/{file}/terraform.tfstate"))).unwrap();
        assert_eq!(read.records.len(), 1, "{file}");
    }
}

#[test]
fn a_truncated_file_has_no_rows() {
    for json in all_formats() {
        let text = serde_json::to_string_pretty(&json).unwrap();
        for end in 0..text.len() {
            match read(&text.as_bytes()[..end]) {
                Err(NotRead::Empty) => assert_eq!(end, 0),
                Err(NotRead::Problem(problem)) => assert_eq!(problem, Problem::Truncated, "{end}"),
                Ok(state) => panic!("{end}: {state:?}"),
            }
        }
    }
}

#[test]
fn no_nesting_overflows_the_stack() {
    let nest = |text: &str, deep: &str| text.replace("DEEP", deep);
    let (lists, objects) = (
        format!("{}{}", "[".repeat(200_000), "]".repeat(200_000)),
        format!("{}1{}", r#"{"a":"#.repeat(200_000), "}".repeat(200_000)),
    );
    let modules = format!(
        "{}{{}}{}",
        r#"{"child_modules":["#.repeat(100_000),
        "]}".repeat(100_000)
    );
    let attributes = r#"{"version":4,"resources":[{"mode":"managed","type":"a_b","name":"c",
        "instances":[{"attributes":{"policy":DEEP,"arn":"x"}}]}]}"#;
    for deep in [&lists, &objects] {
        let read = read(nest(attributes, deep).as_bytes()).unwrap();
        assert_eq!(lines(&read), ["a_b.c  arn=x"]);
        assert_eq!(problem(deep), Problem::NotAState.to_string());
        for text in [
            r#"{"version":DEEP}"#,
            r#"{"version":4,"resources":DEEP}"#,
            r#"{"version":4,"resources":[{"instances":[{"attributes":{"tags":DEEP}}]}]}"#,
            r#"{"version":4,"resources":[{"instances":[{"sensitive_attributes":DEEP}]}]}"#,
        ] {
            let _ = read_debug(nest(text, deep).as_bytes());
        }
    }
    let deep = nest(
        r#"{"format_version":"1.0","values":{"root_module":DEEP}}"#,
        &modules,
    );
    assert!(problem(deep).starts_with("not JSON: recursion limit exceeded"));
}

/// Everything that can be printed of what was read.
fn read_debug(bytes: &[u8]) -> String {
    match read(bytes) {
        Ok(state) => format!("{state:?} {:?}", lines(&state)),
        Err(NotRead::Problem(problem)) => format!("{problem:?} {problem}"),
        Err(NotRead::Empty) => "empty".to_owned(),
    }
}

#[test]
fn no_secret_gets_out() {
    let secret = "hunter2";
    let tags = json!({"Name": secret, secret: "x", IDENTITY_TAG: secret, REALM_TAG: secret});
    let attributes = json!({
        "arn": secret, "catalog_id": secret, "password": secret, secret: "x",
        "blocks": [{"arn": secret, "tags": {IDENTITY_TAG: secret}}],
        "tags": tags, "tags_all": tags,
    });
    let path = |name: &str| json!([{"type": "get_attr", "value": name}]);
    let state = json!({
        "version": 4, "outputs": {secret: {"value": secret}}, secret: secret,
        "resources": [bucket(json!({
            "attributes": attributes, "private": secret, "dependencies": [secret],
            "sensitive_attributes":
                [path("arn"), path("catalog_id"), path("tags"), path("tags_all")],
        }))],
        "check_results": [{"failure_messages": [secret]}],
    });
    let shown = json!({
        "format_version": "1.0", secret: secret,
        "values": {"outputs": {"o": {"value": secret}}, "root_module": {"resources": [{
            "address": secret, "mode": "managed", "type": "a_b", "name": "c", "values": attributes,
            "sensitive_values": {"arn": true, "catalog_id": true, "tags": true, "tags_all": true},
        }]}},
    });
    for json in [&state, &shown] {
        let text = json.to_string();
        let read = read(text.as_bytes()).unwrap();
        assert_eq!(hidden(&read.records[0]), EVERYTHING);
        assert!(!read_debug(text.as_bytes()).contains(secret));
        // And of a file that is broken anywhere.
        for at in 0..text.len() {
            for broken in [
                text.as_bytes()[..at].to_vec(),
                [&text.as_bytes()[..at], b"\x01", &text.as_bytes()[at..]].concat(),
                [&text.as_bytes()[..at], b"\"", &text.as_bytes()[at..]].concat(),
                [&text.as_bytes()[..at], b"\\", &text.as_bytes()[at..]].concat(),
                [&text.as_bytes()[..at], b"]", &text.as_bytes()[at..]].concat(),
            ] {
                if let Err(error) = gantrycd_ls::state::read(&broken) {
                    assert!(!format!("{error:?}").contains(secret), "{error:?}");
                }
            }
        }
    }
    for key in [
        "version",
        "format_version",
        "resources",
        "values",
        "prior_state",
        "modules",
    ] {
        for value in [json!(secret), json!([secret]), json!({secret: secret})] {
            for json in [
                json!({key: value}),
                json!({"version": 4, "format_version": "1.0", key: value}),
            ] {
                assert!(
                    !read_debug(json.to_string().as_bytes()).contains(secret),
                    "{json}"
                );
            }
        }
    }
}

#[test]
fn no_damage_panics() {
    let mut random = Random(20);
    let bytes = [
        b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b'0', b'-', b'e', b'n', 0, 0xff, 0xc3,
    ];
    for json in all_formats() {
        let text = serde_json::to_string_pretty(&json).unwrap();
        for _ in 0..4_000 {
            let mut damaged = text.clone().into_bytes();
            for _ in 0..=random.below(4) {
                let at = random.below(damaged.len());
                match random.below(3) {
                    0 => damaged[at] = bytes[random.below(bytes.len())],
                    1 => drop(damaged.remove(at)),
                    _ => damaged.insert(at, bytes[random.below(bytes.len())]),
                }
            }
            let _ = read_debug(&damaged);
        }
    }
}

/// A file that gives its bytes as a slow disk might: never as many as are asked for.
struct Trickle<'a> {
    file: Cursor<&'a [u8]>,
    random: Random,
    most: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = 1 + self.random.below(self.most);
        let end = most.min(buffer.len());
        self.file.read(&mut buffer[..end])
    }
}

impl Seek for Trickle<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_file_reads_the_same_in_pieces_of_any_size() {
    for json in all_formats() {
        for text in [
            json.to_string(),
            serde_json::to_string_pretty(&json).unwrap(),
        ] {
            let expected = lines(&read(text.as_bytes()).unwrap());
            for most in [1, 2, 7, 63, 64, 65, 200] {
                let mut file = Trickle {
                    file: Cursor::new(text.as_bytes()),
                    random: Random(most as u64),
                    most,
                };
                assert_eq!(lines(&read_from(&mut file).unwrap()), expected);
            }
        }
    }
}

#[test]
fn a_text_may_be_longer_than_any_window() {
    let long = "a\"\\é".repeat(20_000);
    let arn = format!("arn:{long}");
    for before in [0, 1, 31, 63] {
        let tags = json!({"Name": long, IDENTITY_TAG: arn});
        let attributes = json!({
            "a": "x".repeat(before), "arn": arn, "policy": long, "tags": tags, long.clone(): null,
        });
        let text = v4(json!([bucket(json!({"attributes": attributes}))])).to_string();
        let read = read(text.as_bytes()).unwrap();
        let attributes = &read.records[0].row.attributes;
        assert_eq!(attributes.arn.as_deref(), Some(&*arn));
        let tags = attributes.tags.as_ref().unwrap();
        assert_eq!(tags.identity.as_deref(), Some(&*arn));
        assert!(attributes.complete);
        // and one that never ends
        let end = text.len() - arn.len();
        assert_eq!(
            problem(&text.as_bytes()[..end]),
            Problem::Truncated.to_string()
        );
    }
}

#[test]
fn what_is_damaged_is_refused_where_serde_json_refuses_it() {
    let mut random = Random(4);
    let bytes = b"\"{}[],:0-e.+n tx\n\t\x01\x0c";
    for json in all_formats() {
        let text = serde_json::to_string_pretty(&json).unwrap();
        for _ in 0..4_000 {
            let mut damaged = text.clone().into_bytes();
            let at = random.below(damaged.len());
            // what a backslash escapes in a text that is skipped is not looked at
            if at > 0 && damaged[at - 1] == b'\\' {
                continue;
            }
            match random.below(3) {
                0 => damaged[at] = bytes[random.below(bytes.len())],
                1 => drop(damaged.remove(at)),
                _ => damaged.insert(at, bytes[random.below(bytes.len())]),
            }
            // nor whether it is UTF-8
            if std::str::from_utf8(&damaged).is_err() {
                continue;
            }
            let expected = serde_json::from_slice::<serde::de::IgnoredAny>(&damaged);
            // serde_json places a newline that may not be there at the start of the next line
            let line = |it: &serde_json::Error| it.line() - usize::from(it.column() == 0);
            let expected = expected.err().map(|it| (it.is_eof(), line(&it)));
            let found = match read(&damaged) {
                Err(NotRead::Problem(Problem::NotJson { line, .. })) => Some((false, line)),
                Err(NotRead::Problem(Problem::Truncated)) => Some((true, 0)),
                _ => None,
            };
            let is_the_same = match (expected, found) {
                (Some((true, _)), Some((true, _))) => true,
                (expected, found) => expected == found,
            };
            let damaged = String::from_utf8_lossy(&damaged);
            assert!(is_the_same, "{expected:?} {found:?} {at} {damaged}");
        }
    }
}

#[test]
fn a_file_that_stops_being_given_is_told_of_in_the_systems_words() {
    struct Broken(Cursor<Vec<u8>>);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk is gone")),
                read => Ok(read),
            }
        }
    }

    impl Seek for Broken {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    let file = v4(json!([bucket(json!({}))])).to_string().into_bytes();
    let error = read_from(&mut Broken(Cursor::new(file[..90].to_vec()))).unwrap_err();
    let NotRead::Problem(problem) = error else {
        panic!("{error:?}");
    };
    assert_eq!(problem.to_string(), "the disk is gone");
}
