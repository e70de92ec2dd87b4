//! A made-up workspace of any size whose answers are known.
//!
//! It knows nothing of the crate that reads it: it notes each claim as it writes the row, and
//! counts the answers from these notes. The same shape gives the same bytes.
//!
//! Of twenty stacks, eighteen are of a live account. Two are a developer's emulator: every developer
//! has the same ARNs there, in a realm of their own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use serde::Serialize;
use serde_json::{Map, Value, json};

/// How large a workspace is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Stacks, each a directory with a state.
    pub stacks: usize,
    /// `.tf` files of each stack, at least 4. The local modules come on top.
    pub files_per_stack: usize,
    /// Rows of each stack, at least 16.
    pub rows_per_stack: usize,
    /// Bytes of all states together, within a few percent; never less than 2.3 kB a row.
    pub state_bytes: usize,
    /// What makes one workspace differ from another of its shape.
    pub seed: u64,
}

impl Shape {
    /// As large as the workspaces get that we promise to serve.
    pub const LARGE: Self = Self {
        stacks: 200,
        files_per_stack: 10,
        rows_per_stack: 100,
        state_bytes: 60_000_000,
        seed: 1,
    };
}

/// What was written, and what a reader must find in it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Answers {
    /// `.tf` files, those of the local modules included.
    pub files: usize,
    /// Bytes of them.
    pub file_bytes: usize,
    /// Rows of all states.
    pub rows: usize,
    /// Bytes of all states.
    pub state_bytes: usize,
    /// Identities that rows of two or more stacks claim.
    pub duplicates_across: usize,
    /// Identities that two or more rows of one stack claim, and no other stack.
    pub duplicates_in_stack: usize,
    /// Pairs of a data row and a claim of another stack on what it reads.
    pub edges: usize,
}

/// Writes a workspace below `root`.
///
/// # Errors
/// When a file cannot be written.
pub fn generate(root: &Path, shape: Shape) -> io::Result<Answers> {
    let mut writer = Writer::new(root, shape);
    writer.modules()?;
    for index in 0..shape.stacks {
        writer.stack(index)?;
    }
    Ok(writer.answers())
}

/// A resource type. `{account}`, `{name}` and `{unique}` stand for a row's own in its `arn`.
struct Kind {
    name: &'static str,
    /// Empty when the type has none.
    arn: &'static str,
    taggable: bool,
    /// The attribute that holds kilobytes, if one does.
    long: Option<&'static str>,
}

const fn kind(
    name: &'static str,
    arn: &'static str,
    taggable: bool,
    long: Option<&'static str>,
) -> Kind {
    Kind {
        name,
        arn,
        taggable,
        long,
    }
}

#[rustfmt::skip]
const KINDS: [Kind; 14] = [
    kind("aws_iam_role", "arn:aws:iam::{account}:role/{name}", true, Some("assume_role_policy")),
    kind("aws_sqs_queue", "arn:aws:sqs:eu-west-1:{account}:{name}", true, Some("policy")),
    kind("aws_s3_bucket", "arn:aws:s3:::{account}-{name}", true, Some("policy")),
    kind("aws_kms_key", "arn:aws:kms:eu-west-1:{account}:key/{unique}", true, Some("policy")),
    kind("aws_kms_alias", "arn:aws:kms:eu-west-1:{account}:alias/{name}", false, None),
    kind("aws_launch_template", "arn:aws:ec2:eu-west-1:{account}:launch-template/lt-{unique}", true, Some("user_data")),
    kind("aws_autoscaling_group", "arn:aws:autoscaling:eu-west-1:{account}:autoScalingGroup:{unique}:autoScalingGroupName/{name}", false, None),
    kind("aws_security_group", "arn:aws:ec2:eu-west-1:{account}:security-group/sg-{unique}", true, None),
    kind("aws_lb", "arn:aws:elasticloadbalancing:eu-west-1:{account}:loadbalancer/app/{name}/{unique}", true, None),
    kind("aws_sfn_state_machine", "arn:aws:states:eu-west-1:{account}:stateMachine:{name}", true, Some("definition")),
    kind("aws_ecs_task_definition", "arn:aws:ecs:eu-west-1:{account}:task-definition/{name}:7", true, Some("container_definitions")),
    kind("aws_cloudwatch_log_group", "arn:aws:logs:eu-west-1:{account}:log-group:/{name}", true, None),
    kind("aws_iam_role_policy", "", false, Some("policy")),
    kind("aws_route53_record", "", false, None),
];
const ROLE: &Kind = &KINDS[0];
const QUEUE: &Kind = &KINDS[1];

/// The local modules, and the [`KINDS`] of their resources, each called `this`.
const MODULES: [(&str, &[usize]); 6] = [
    ("queue", &[1, 3, 4]),
    ("bucket", &[2, 3]),
    ("service", &[0, 7, 8, 10, 11]),
    ("servers", &[5, 6, 7]),
    ("workflow", &[0, 9, 12]),
    ("site", &[2, 8, 13]),
];

/// Other attributes of a row. Values do not matter, names and number do.
const ATTRIBUTES: &str = "acceleration_status access_logs allocated_storage auto_minor_version_upgrade \
    availability_zones backup_window bucket_prefix ca_cert_identifier capacity_rebalance cors_rule \
    create_date default_cooldown delay_seconds deletion_protection description ebs_optimized \
    enable_http2 enabled_metrics expected_bucket_owner fifo_queue force_destroy \
    health_check_grace_period hosted_zone_id idle_timeout instance_market_options ip_address_type \
    kms_master_key_id lifecycle_rule load_balancers logging max_size metadata_options \
    mixed_instances_policy name_prefix network_interfaces object_lock_enabled owner_id path \
    permissions_boundary placement_group receive_wait_time_seconds region revoke_rules_on_delete \
    service_linked_role_arn skip_destroy timeouts vpc_id website_endpoint";

/// Bytes of a row without its long attribute, on average.
const PLAIN_ROW: usize = 2_320;
const REALM: &str = "gantrycd:resource-identity-realm";
const IDENTITY: &str = "gantrycd:resource-identity";
const TEAMS: [&str; 7] = [
    "billing", "catalog", "checkout", "identity", "media", "search", "shipping",
];
const AWS: &str = r#"provider["registry.terraform.io/hashicorp/aws"]"#;

/// Type, id and realm.
type Claim = (&'static str, String, Option<String>);

struct Writer<'a> {
    root: &'a Path,
    shape: Shape,
    random: Random,
    /// Which stacks manage each of the shared queues.
    shared: Vec<BTreeSet<usize>>,
    claims: HashMap<Claim, BTreeMap<usize, usize>>,
    reads: Vec<(usize, Claim)>,
    written: Answers,
}

/// A stack as far as it is written.
struct Stack {
    index: usize,
    team: &'static str,
    directory: String,
    /// What its names begin with: the same in every developer's emulator.
    prefix: String,
    account: String,
    realm: Option<String>,
    blocks: Vec<String>,
    resources: Vec<Resource>,
    rows: usize,
}

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
struct Resource {
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    mode: &'static str,
    r#type: &'static str,
    name: String,
    provider: &'static str,
    instances: Vec<Value>,
}

/// What the own tags of a resource declare.
#[derive(Clone, Copy)]
enum Declares<'a> {
    Nothing,
    Id(&'a str),
    OptOut,
    /// Not a tag: an ignore comment covers the block.
    Ignored,
}

impl<'a> Writer<'a> {
    fn new(root: &'a Path, shape: Shape) -> Self {
        let mut random = Random(shape.seed);
        let live: Vec<_> = (0..shape.stacks).filter(|it| !is_emulator(*it)).collect();
        let mut shared = vec![BTreeSet::new(); shape.stacks / 10];
        for stacks in &mut shared {
            let members = 2 + random.below(2);
            while stacks.len() < members {
                stacks.insert(live[random.below(live.len())]);
            }
        }
        Self {
            root,
            shape,
            random,
            shared,
            claims: HashMap::new(),
            reads: Vec::new(),
            written: Answers::default(),
        }
    }

    fn answers(&self) -> Answers {
        let stacks = self.claims.values();
        let twice = |it: &&BTreeMap<usize, usize>| it.values().sum::<usize>() > 1;
        let duplicates = stacks.filter(twice);
        let (across, within): (Vec<_>, Vec<_>) = duplicates.partition(|it| it.len() > 1);
        let owners = |(reader, claim): &(usize, Claim)| -> usize {
            let owners = self.claims.get(claim).into_iter().flatten();
            let others = owners.filter(|(stack, _)| *stack != reader);
            others.map(|(_, rows)| rows).sum()
        };
        Answers {
            duplicates_across: across.len(),
            duplicates_in_stack: within.len(),
            edges: self.reads.iter().map(owners).sum(),
            ..self.written
        }
    }

    fn modules(&mut self) -> io::Result<()> {
        for (module, kinds) in MODULES {
            let mut main = String::new();
            for kind in kinds {
                let kind = &KINDS[*kind];
                let tags = kind.taggable.then_some("var.tags");
                main += &self.resource_block(kind, "this", "", "var.name", tags);
            }
            let variables = "variable \"name\" {\n  type = string\n}\n\n\
                variable \"tags\" {\n  type    = map(string)\n  default = {}\n}\n";
            let directory = format!("modules/{module}");
            self.write(&format!("{directory}/main.tf"), &main)?;
            self.write(&format!("{directory}/variables.tf"), variables)?;
        }
        Ok(())
    }

    fn stack(&mut self, index: usize) -> io::Result<()> {
        let mut stack = Stack::new(index);
        self.exports_and_reads(&mut stack);
        self.known_conflicts(&mut stack);
        let mut number = 0;
        while stack.rows < self.shape.rows_per_stack {
            number += 1;
            self.fill(&mut stack, number);
        }
        self.configuration(&mut stack)?;
        self.state(stack)
    }

    /// A role that other stacks read, and the roles of others that this one reads: of earlier
    /// stacks only, so that there is no cycle.
    fn exports_and_reads(&mut self, stack: &mut Stack) {
        let name = exported_role(stack);
        self.resource(stack, ROLE, "exported", &name, &[None], Declares::Nothing);
        let earlier: Vec<_> = if is_emulator(stack.index) {
            // the second of a developer's two stacks reads the first
            (stack.index % 20 == 19)
                .then(|| stack.index - 1)
                .into_iter()
                .collect()
        } else {
            (0..stack.index).filter(|it| !is_emulator(*it)).collect()
        };
        for number in 0..earlier.len().min(3) {
            let owner = Stack::new(earlier[self.random.below(earlier.len())]);
            let role = exported_role(&owner);
            let arn = ROLE.arn(&owner.account, &role, "");
            let claim = (ROLE.name, arn.clone(), owner.realm.clone());
            self.reads.push((stack.index, claim));
            let attributes = json!({
                "arn": arn, "assume_role_policy": self.policy(400), "description": null,
                "id": role, "max_session_duration": 3600, "name": role, "path": "/",
                "permissions_boundary": "", "role_last_used": [], "tags": owner.default_tags(),
                "unique_id": self.random.hex(20),
            });
            stack.data("aws_iam_role", &format!("upstream_{number}"), attributes);
            stack.blocks.push(format!(
                "data \"aws_iam_role\" \"upstream_{number}\" {{\n  name = \"{role}\"\n}}\n\n"
            ));
        }
        let account = &stack.account;
        let attributes = json!({
            "account_id": account, "arn": format!("arn:aws:sts::{account}:assumed-role/ci/run"),
            "id": account, "user_id": "AROA2UC3EXAMPLE:run",
        });
        stack.data("aws_caller_identity", "current", attributes);
        let block = "data \"aws_caller_identity\" \"current\" {}\n\n";
        stack.blocks.push(block.into());
    }

    /// Rows that are, or by a declaration are not, the same object as another.
    fn known_conflicts(&mut self, stack: &mut Stack) {
        for group in 0..self.shared.len() {
            let members = &self.shared[group];
            if !members.contains(&stack.index) {
                continue;
            }
            // the last member of every fifth group says that it knows
            let ignored = group % 5 == 4 && members.last() == Some(&stack.index);
            let declares = if ignored {
                Declares::Ignored
            } else {
                Declares::Nothing
            };
            // all of them in one account, whoever the stack's other rows belong to
            let own = std::mem::replace(&mut stack.account, "111122223333".into());
            let name = format!("shared-{group}");
            let label = format!("shared_{group}");
            self.resource(stack, QUEUE, &label, &name, &[None], declares);
            stack.account = own;
        }
        if stack.index % 25 == 7 {
            let id = format!("lock-of-{}", stack.prefix);
            let (name, two) = (stack.name(0), [Some(json!(0)), Some(json!(1))]);
            self.resource(stack, QUEUE, "lock", &name, &two, Declares::Id(&id));
        }
        if stack.index % 30 == 3 {
            let name = "adopted-by-many";
            self.resource(stack, QUEUE, "adopted", name, &[None], Declares::OptOut);
        }
    }

    /// A module call, a block with `for_each`, or a plain block.
    fn fill(&mut self, stack: &mut Stack, number: usize) {
        let left = self.shape.rows_per_stack - stack.rows;
        let name = stack.name(number);
        let (module, kinds) = MODULES[self.random.below(MODULES.len())];
        let kind = &KINDS[self.random.below(KINDS.len())];
        let label = format!("{}_{number}", stack.team);
        let kinds = kinds.iter().map(|it| &KINDS[*it]);
        match self.random.below(10) {
            0 | 1 if kinds.len() <= left => {
                for kind in kinds {
                    let instance = self.instance(stack, kind, &name, None, Declares::Nothing);
                    let path = Some(format!("module.{label}"));
                    stack.managed(kind, path, "this", vec![instance]);
                }
                stack.blocks.push(format!(
                    "module \"{label}\" {{\n  source = \"../../../modules/{module}\"\n\n  \
                     name = \"{name}\"\n  tags = {}\n}}\n\n",
                    own_tags(&format!("\"{name}\""), Declares::Nothing)
                ));
            }
            2..=4 if left > 4 => {
                let keys: Vec<_> = ["blue", "green", "red", "white"]
                    .iter()
                    .take(2 + self.random.below(3))
                    .map(|it| Some(json!(it)))
                    .collect();
                self.resource(stack, kind, &label, &name, &keys, Declares::Nothing);
            }
            _ => self.resource(stack, kind, &label, &name, &[None], Declares::Nothing),
        }
    }

    /// A block, and its rows: one per key.
    fn resource(
        &mut self,
        stack: &mut Stack,
        kind: &'static Kind,
        label: &str,
        name: &str,
        keys: &[Option<Value>],
        declares: Declares<'_>,
    ) {
        let instances: Vec<_> = keys
            .iter()
            .map(|key| self.instance(stack, kind, name, key.clone(), declares))
            .collect();
        stack.managed(kind, None, label, instances);
        let (repeat, name) = match &keys[0] {
            None => (String::new(), format!("\"{name}\"")),
            Some(Value::Number(_)) => (
                format!("  count = {}\n\n", keys.len()),
                format!("\"{name}-${{count.index}}\""),
            ),
            Some(_) => {
                let keys: Vec<_> = keys.iter().flatten().map(Value::to_string).collect();
                (
                    format!("  for_each = toset([{}])\n\n", keys.join(", ")),
                    format!("\"{name}-${{each.key}}\""),
                )
            }
        };
        let tags = kind.taggable.then(|| own_tags(&name, declares));
        let block = self.resource_block(kind, label, &repeat, &name, tags.as_deref());
        let comment = match declares {
            Declares::Ignored => "# gantrycd:resource-identity: ignore=true\n",
            _ if self.random.below(6) == 0 => "# Kept apart from the others: it outlives them.\n",
            _ => "",
        };
        stack.blocks.push(format!("{comment}{block}"));
    }

    fn resource_block(
        &mut self,
        kind: &Kind,
        label: &str,
        repeat: &str,
        name: &str,
        tags: Option<&str>,
    ) -> String {
        let mut block = format!(
            "resource \"{}\" \"{label}\" {{\n{repeat}  name = {name}\n",
            kind.name
        );
        for attribute in attributes() {
            if self.random.below(16) > 0 {
                continue;
            }
            let value = self.random.below(900);
            let _ = write!(block, "\n  {attribute} = {value}\n");
        }
        if let Some(long) = kind.long {
            let _ = write!(
                block,
                "\n  {long} = jsonencode({{\n    Version = \"2012-10-17\"\n    Statement = [{{\n      \
                 Action   = [\"sts:AssumeRole\"]\n      Effect   = \"Allow\"\n      \
                 Resource = \"arn:aws:iam::*:role/${{local.team}}-*\"\n    }}]\n  }})\n"
            );
        }
        if let Some(tags) = tags {
            let _ = write!(block, "\n  tags = {tags}\n");
        }
        block + "}\n\n"
    }

    /// One row as it stands in the state; notes what it claims.
    fn instance(
        &mut self,
        stack: &Stack,
        kind: &'static Kind,
        name: &str,
        key: Option<Value>,
        declares: Declares<'_>,
    ) -> Value {
        let name = match &key {
            None => name.to_owned(),
            Some(Value::String(key)) => format!("{name}-{key}"),
            Some(key) => format!("{name}-{key}"),
        };
        let mut row = Map::new();
        for attribute in attributes() {
            if self.random.below(4) == 0 {
                continue;
            }
            let value = match self.random.below(20) {
                0..=7 => Value::Null,
                8..=11 => json!(""),
                12..=14 => json!(self.random.below(2) == 0),
                15 | 16 => json!(self.random.below(3600)),
                17 | 18 => json!([]),
                _ => json!([{ "enabled": false, "id": self.random.hex(17), "prefix": "" }]),
            };
            row.insert(attribute.into(), value);
        }
        row.insert("id".into(), json!(name));
        row.insert("name".into(), json!(name));
        if let Some(long) = kind.long {
            let wanted = self.shape.state_bytes / (self.shape.stacks * self.shape.rows_per_stack);
            let long_kinds = KINDS.iter().filter(|it| it.long.is_some()).count();
            let mean = wanted.saturating_sub(PLAIN_ROW) * KINDS.len() / long_kinds;
            let length = self.random.below(2 * mean + 1);
            let value = match long {
                "user_data" => self.random.base64(length),
                _ => self.policy(length),
            };
            row.insert(long.into(), json!(value));
        }
        if kind.taggable {
            let mut own = Map::new();
            own.insert("Name".into(), json!(name));
            own.insert("Owner".into(), json!(stack.team));
            match declares {
                Declares::Id(id) => own.insert(IDENTITY.into(), json!(id)),
                Declares::OptOut => own.insert(IDENTITY.into(), json!("null")),
                _ => None,
            };
            let mut all = stack.default_tags();
            all.extend(own.clone());
            row.insert("tags".into(), own.into());
            row.insert("tags_all".into(), all.into());
        }
        if !kind.arn.is_empty() {
            let arn = kind.arn(&stack.account, &name, &self.random.hex(17));
            row.insert("arn".into(), json!(arn));
            let id = match declares {
                Declares::Nothing => Some(arn),
                Declares::Id(id) => Some(id.to_owned()),
                Declares::OptOut | Declares::Ignored => None,
            };
            if let Some(id) = id {
                let realm = stack.realm.clone().filter(|_| kind.taggable);
                let claims = self.claims.entry((kind.name, id, realm)).or_default();
                *claims.entry(stack.index).or_default() += 1;
            }
        }
        let mut instance = json!({
            "schema_version": 0, "attributes": row, "sensitive_attributes": [],
            "private": "bnVsbA==", "dependencies": ["aws_iam_role.exported"],
        });
        if let Some(key) = key {
            instance["index_key"] = key;
        }
        instance
    }

    fn configuration(&mut self, stack: &mut Stack) -> io::Result<()> {
        let Stack { team, realm, .. } = &*stack;
        let versions = "terraform {\n  required_version = \">= 1.9\"\n\n  required_providers {\n    \
            aws = {\n      source  = \"hashicorp/aws\"\n      version = \"~> 6.0\"\n    }\n  }\n}\n";
        let endpoints = match realm {
            None => "",
            Some(_) => "\n  endpoints {\n    sqs = \"http://localhost:4566\"\n  }\n",
        };
        let providers = format!(
            "provider \"aws\" {{\n  region = \"eu-west-1\"\n{endpoints}\n  default_tags {{\n    \
             tags = local.default_tags\n  }}\n}}\n"
        );
        let realm = realm.as_ref().map_or(String::new(), |realm| {
            format!("\n    \"{REALM}\" = \"{realm}\"\n")
        });
        let locals = format!(
            "locals {{\n  team = \"{team}\"\n\n  labels = {{\n    Owner = local.team\n  }}\n\n  \
             default_tags = {{\n    Environment = \"{}\"\n    Team        = local.team\n{realm}  }}\n}}\n",
            stack.environment()
        );
        let directory = stack.directory.clone();
        self.write(&format!("{directory}/versions.tf"), versions)?;
        self.write(&format!("{directory}/providers.tf"), &providers)?;
        self.write(&format!("{directory}/locals.tf"), &locals)?;

        let mut files = vec![String::new(); self.shape.files_per_stack.saturating_sub(3).max(1)];
        for block in stack.blocks.drain(..) {
            // the lower of two: some files are much fuller than others
            let at = self
                .random
                .below(files.len())
                .min(self.random.below(files.len()));
            files[at] += &block;
        }
        for (number, text) in files.iter_mut().enumerate() {
            // one in fifty is one of those files that everything ends up in
            if self.random.below(50) == 0 {
                let length = 20_000 + self.random.below(40_000);
                while text.len() < length {
                    *text += &policy_document(text.len());
                }
            }
            let name = match number {
                0 => "main.tf".into(),
                _ => format!("part_{number}.tf"),
            };
            if text.is_empty() {
                *text = format!("output \"team_{number}\" {{\n  value = local.team\n}}\n");
            }
            let text = text.trim_end().to_owned() + "\n";
            self.write(&format!("{directory}/{name}"), &text)?;
        }
        Ok(())
    }

    fn state(&mut self, mut stack: Stack) -> io::Result<()> {
        let key = |it: &Resource| (it.module.clone(), it.mode, it.r#type, it.name.clone());
        stack.resources.sort_by_cached_key(key);
        let state = State {
            version: 4,
            terraform_version: "1.11.4",
            serial: 1 + self.random.below(300),
            lineage: self.random.uuid(),
            outputs: Map::new(),
            resources: stack.resources,
            check_results: None,
        };
        let mut text = serde_json::to_string_pretty(&state)?;
        text.push('\n');
        self.written.rows += stack.rows;
        self.written.state_bytes += text.len();
        let path = format!("{}/terraform.tfstate", stack.directory);
        fs::write(self.root.join(path), text)
    }

    /// Writes a configuration file.
    fn write(&mut self, path: &str, text: &str) -> io::Result<()> {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(self.root))?;
        self.written.files += 1;
        self.written.file_bytes += text.len();
        fs::write(path, text)
    }

    /// A policy of about this many bytes, as it is quoted in a state.
    fn policy(&mut self, length: usize) -> String {
        let mut text = r#"{"Version":"2012-10-17","Statement":["#.to_owned();
        while text.len() < length * 9 / 10 {
            let resource = self.random.hex(24);
            let _ = write!(
                text,
                r#"{{"Action":["s3:GetObject","s3:ListBucket"],"Effect":"Allow","Resource":"arn:aws:s3:::{resource}/*"}},"#
            );
        }
        text.trim_end_matches(',').to_owned() + "]}"
    }
}

impl Kind {
    fn arn(&self, account: &str, name: &str, unique: &str) -> String {
        let arn = self.arn.replace("{account}", account);
        arn.replace("{name}", name).replace("{unique}", unique)
    }
}

impl Stack {
    fn new(index: usize) -> Self {
        let team = TEAMS[index % TEAMS.len()];
        let (directory, prefix, account, realm) = if is_emulator(index) {
            let (developer, part) = (index / 20, ["api", "worker"][index % 2]);
            (
                format!("emulators/developer-{developer}/{part}"),
                part.to_owned(),
                "000000000000".to_owned(),
                Some(format!("localstack-{developer}")),
            )
        } else {
            (
                format!("live/{team}/service-{index:03}"),
                format!("{team}-{index:03}"),
                format!("11112222{:04}", 3333 + index % 4),
                None,
            )
        };
        Self {
            index,
            team,
            directory,
            prefix,
            account,
            realm,
            blocks: Vec::new(),
            resources: Vec::new(),
            rows: 0,
        }
    }

    fn name(&self, number: usize) -> String {
        format!("{}-{number}", self.prefix)
    }

    fn environment(&self) -> &'static str {
        if self.realm.is_some() {
            "local"
        } else {
            "live"
        }
    }

    fn default_tags(&self) -> Map<String, Value> {
        let mut tags = Map::new();
        tags.insert("Environment".into(), json!(self.environment()));
        tags.insert("Team".into(), json!(self.team));
        if let Some(realm) = &self.realm {
            tags.insert(REALM.into(), json!(realm));
        }
        tags
    }

    fn data(&mut self, r#type: &'static str, name: &str, attributes: Value) {
        let instance = json!({
            "schema_version": 0, "attributes": attributes, "sensitive_attributes": [],
        });
        self.push(None, "data", r#type, name, vec![instance]);
    }

    fn managed(&mut self, kind: &Kind, module: Option<String>, name: &str, rows: Vec<Value>) {
        self.push(module, "managed", kind.name, name, rows);
    }

    fn push(
        &mut self,
        module: Option<String>,
        mode: &'static str,
        r#type: &'static str,
        name: &str,
        instances: Vec<Value>,
    ) {
        self.rows += instances.len();
        self.resources.push(Resource {
            module,
            mode,
            r#type,
            name: name.into(),
            provider: AWS,
            instances,
        });
    }
}

fn is_emulator(index: usize) -> bool {
    index % 20 >= 18
}

fn exported_role(stack: &Stack) -> String {
    format!("{}-exported", stack.prefix)
}

fn attributes() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.split_ascii_whitespace()
}

/// The own tags of a block. `name` is an expression.
fn own_tags(name: &str, declares: Declares<'_>) -> String {
    let id = match declares {
        Declares::Id(id) => format!("\n    \"{IDENTITY}\" = \"{id}\"\n"),
        Declares::OptOut => format!("\n    \"{IDENTITY}\" = \"null\"\n"),
        Declares::Nothing | Declares::Ignored => String::new(),
    };
    format!("merge(local.labels, {{\n    Name = {name}\n{id}  }})")
}

fn policy_document(number: usize) -> String {
    format!(
        "data \"aws_iam_policy_document\" \"at_{number}\" {{\n  statement {{\n    \
         sid       = \"Read{number}\"\n    actions   = [\"s3:GetObject\", \"s3:ListBucket\"]\n    \
         resources = [\"arn:aws:s3:::${{local.team}}-{number}/*\"]\n  }}\n}}\n\n"
    )
}

/// SplitMix64: ours, so that a newer version of somebody else's never changes the workspace.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `limit`, which is not included.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn text(&mut self, alphabet: &[u8], length: usize) -> String {
        let mut letter = || char::from(alphabet[self.below(alphabet.len())]);
        (0..length).map(|_| letter()).collect()
    }

    fn hex(&mut self, length: usize) -> String {
        self.text(b"0123456789abcdef", length)
    }

    fn base64(&mut self, length: usize) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        self.text(ALPHABET, length)
    }

    fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|it| self.hex(it)).join("-")
    }
}
