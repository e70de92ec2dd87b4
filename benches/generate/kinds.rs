//! Resource types, and the local modules that are made of them.

/// A resource type. `{account}`, `{name}` and `{unique}` stand for a row's own in its `arn`.
pub struct Kind {
    pub name: &'static str,
    /// Empty when the type has none.
    arn: &'static str,
    pub taggable: bool,
    /// The attribute that holds kilobytes, if one does.
    pub long: Option<&'static str>,
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
pub const KINDS: [Kind; 14] = [
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
pub const ROLE: &Kind = &KINDS[0];
pub const QUEUE: &Kind = &KINDS[1];
pub const ALIAS: &Kind = &KINDS[4];
pub const ROLE_POLICY: &Kind = &KINDS[12];

/// The local modules, and the [`KINDS`] of their resources, each called `this`.
pub const MODULES: [(&str, &[usize]); 6] = [
    ("queue", &[1, 3, 4]),
    ("bucket", &[2, 3]),
    ("service", &[0, 7, 8, 10, 11]),
    ("servers", &[5, 6, 7]),
    ("workflow", &[0, 9, 12]),
    ("site", &[2, 8, 13]),
];

impl Kind {
    /// The `arn` of a row, if it has one.
    pub fn arn(&self, account: &str, name: &str, unique: &str) -> Option<String> {
        let arn = self.arn.replace("{account}", account);
        let arn = arn.replace("{name}", name).replace("{unique}", unique);
        (!arn.is_empty()).then_some(arn)
    }

    /// Whether a realm of default tags reaches what has an identity: an untaggable type with an
    /// `arn` asserts it bare.
    pub fn keeps_realm(&self) -> bool {
        self.taggable || self.arn.is_empty()
    }
}

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

pub fn attributes() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.split_ascii_whitespace()
}
