//! An emulator's resources have no realm.
//!
//! Every emulator gives out the same ARNs, most of them in account 000000000000. Without a realm,
//! an object in one person's emulator and another in somebody else's are one object to gantrycd.
//!
//! # Example
//!
//! ```hcl
//! #- emulators/alice/main.tf
//! provider "aws" {
//!   region = "us-east-1"
//!
//!   endpoints {
//!     sqs = "http://localhost:4566"
//!            ^^^^^^^^^^^^^^^^^^^^^ emulator-without-realm
//!   }
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- emulators/alice/main.tf
//! provider "aws" {
//!   region = "us-east-1"
//!
//!   default_tags {
//!     tags = {
//!       "gantrycd:resource-identity-realm" = "localstack-alice"
//!     }
//!   }
//!
//!   endpoints {
//!     sqs = "http://localhost:4566"
//!   }
//! }
//! ```

use std::net::IpAddr;

use crate::identity::{Arn, Origin};
use crate::workspace::{
    ConfiguredProvider, Place, RowRef, Served, Snapshot, Stack, Tags, header, is_editable,
};

use super::{Check, Finding, Fix, Looks, Related, Severity, Shares, Wrong, fix, tag_fix};

pub(super) const CHECK: Check = Check {
    code: "emulator-without-realm",
    page: include_str!("../../docs/checks/emulator-without-realm.md"),
    severity: Severity::Hint,
    looks: Looks::Stack(look, Wrong::told),
    fixes,
};

/// The account that emulators put into their ARNs. AWS gives it to nobody.
const EMULATED: &str = "000000000000";

fn look(snapshot: &Snapshot, at: usize, shares: &mut Shares) {
    let stack = &snapshot.stacks[at];
    let mut by_endpoint = false;
    for provider in &stack.providers {
        let Some((place, endpoint)) = local_endpoint(snapshot, stack, provider) else {
            continue;
        };
        by_endpoint = true;
        let message = format!(
            "The endpoint {endpoint:?} is a local or private address, and provider {:?} declares no \
             realm: gantrycd takes its objects for those with equal ARNs elsewhere.",
            name(provider)
        );
        let mut finding = Finding::new(CHECK.severity, &place.path, place.span, message);
        finding.stack = Some(stack.name.clone());
        finding.related.push(Related {
            message: "the provider configuration".to_owned(),
            place: header(&provider.block),
        });
        shares.tell(finding);
    }
    if !by_endpoint && let Some(finding) = by_account(snapshot, at) {
        shares.tell(finding);
    }
}

fn name(provider: &ConfiguredProvider) -> &str {
    provider.block.block().label().unwrap_or_default()
}

/// The first endpoint of a provider configuration that lies on this machine or in a private
/// network, when what it serves has no realm.
fn local_endpoint(
    snapshot: &Snapshot,
    stack: &Stack,
    provider: &ConfiguredProvider,
) -> Option<(Place, String)> {
    let source = provider.source.as_deref()?;
    let (endpoint, place) = provider.endpoints.iter().find(|(it, _)| is_local(it))?;
    let claims = || stack.rows.iter().filter_map(|it| it.planned_claim());
    let all_have_one = claims().next().is_some() && claims().all(|it| it.realm.is_some());
    let place = match is_editable(&place.path) {
        true => place.clone(),
        false => header(&provider.block),
    };
    let is_wrong = snapshot.registry.supports(source)
        && declares_nothing(&provider.tags)
        && !all_have_one
        && is_editable(&place.path);
    is_wrong.then(|| (place, endpoint.to_string()))
}

/// Whether default tags certainly have neither a realm nor an opt-out.
fn declares_nothing(tags: &Tags) -> bool {
    tags.realm.is_absent() && tags.identity.opts_out() == Some(false)
}

/// Whether an endpoint lies on this machine or in a private network.
fn is_local(endpoint: &str) -> bool {
    let behind_scheme = endpoint.split_once("://").map_or(endpoint, |(_, it)| it);
    let authority = behind_scheme.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit_once('@').map_or(authority, |(_, it)| it);
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(it)) => it.is_loopback() || it.is_private() || it.is_link_local(),
        Ok(IpAddr::V6(it)) => {
            it.is_loopback() || it.is_unique_local() || it.is_unicast_link_local()
        }
        Err(_) => {
            let host = host.trim_end_matches('.').to_ascii_lowercase();
            let is_name = host.chars().any(|it| it.is_ascii_alphabetic());
            let ends = [".local", ".internal", ".localhost"];
            is_name && (!host.contains('.') || ends.iter().any(|it| host.ends_with(it)))
        }
    }
}

/// The first row of a stack that lies in the emulators' account without a realm.
fn by_account(snapshot: &Snapshot, at: usize) -> Option<Finding> {
    let stack = &snapshot.stacks[at];
    let rows = (0..stack.records().len()).map(|row| RowRef { stack: at, row });
    let mut rows: Vec<_> = rows.filter(|it| is_emulated(snapshot, *it)).collect();
    rows.sort_by_cached_key(|it| snapshot.address(*it).to_string());
    let shown = |row: &RowRef| Some((*row, place(snapshot, *row)?));
    let (row, place) = rows.iter().find_map(shown)?;
    let message = format!(
        "{} lies in account {EMULATED}, which is every emulator's, and has no realm: gantrycd takes \
         it for every object with an equal ARN elsewhere.",
        snapshot.address(row)
    );
    let finding = Finding::new(CHECK.severity, &place.path, place.span, message);
    Some(finding.about(snapshot, row))
}

fn is_emulated(snapshot: &Snapshot, at: RowRef) -> bool {
    let row = snapshot.row(at);
    let stack = snapshot.stack(at);
    let (Ok(now), Some(planned)) = (&row.claim, row.planned_claim()) else {
        return false;
    };
    let configured = row.configured.map(|it| &stack.configured[it]);
    now.id.contains(EMULATED)
        && Arn::parse(&now.id).is_ok_and(|it| it.account == EMULATED)
        && now.origin == Origin::Discovered
        && now.realm.is_none()
        && planned.realm.is_none()
        // a realm that does not reach it is another finding
        && configured.is_none_or(|it| declares_nothing(&it.default))
}

/// The provider block that serves a row, else the row's own.
fn place(snapshot: &Snapshot, at: RowRef) -> Option<Place> {
    let stack = snapshot.stack(at);
    let site = snapshot.row(at).site?;
    let tree = stack.tree.as_ref()?;
    let module = &tree.nodes()[site.node].module;
    let wanted = module.provider_of(stack.resource(site));
    let serving = wanted.map(|it| tree.served_by(site.node, it));
    if let Some(Served::Block { provider, .. }) = serving {
        let block = header(provider.base());
        if is_editable(&block.path) {
            return Some(block);
        }
    }
    snapshot.site_place(stack, site)
}

fn fixes(snapshot: &Snapshot, finding: &Finding) -> Vec<Fix> {
    let realm = tag_fix::default_realm(snapshot, finding);
    realm
        .into_iter()
        .chain(fix::ignore_block(snapshot, finding))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::is_local;
    use crate::fixture::{TWO_STACKS, check, check_action};

    #[test]
    fn which_endpoints_are_local() {
        for local in [
            "http://localhost:4566",
            "http://127.0.0.1:4566/x",
            "https://user:secret@10.0.0.7",
            "http://192.168.1.1",
            "http://172.16.0.1",
            "http://169.254.1.1",
            "http://[::1]:4566",
            "http://[fd00::1]",
            "http://localstack:4566",
            "http://MinIO.local",
            "https://s3.internal:9000",
            "http://s3.localhost",
            "localhost:4566",
        ] {
            assert!(is_local(local), "{local}");
        }
        for public in [
            "https://s3.eu-west-1.amazonaws.com",
            "https://8.8.8.8",
            "https://172.32.0.1",
            "https://[2001:db8::1]",
            "https://localhost.example.com",
            "https://vpce-1.s3.eu-west-1.vpce.amazonaws.com",
            "https://s3.example.com/http://localhost",
            "",
            "http://",
            "1",
        ] {
            assert!(!is_local(public), "{public}");
        }
    }

    #[test]
    fn at_the_first_local_endpoint_of_each_provider_configuration() {
        check(
            r#"
#- main.tf
variable "port" {
  default = 4566
}
locals {
  url = "http://localhost:${var.port}"
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ emulator-without-realm: The endpoint "http://localhost:4566" is a local or private address, and provider "aws" declares no realm: gantrycd takes its objects for those with equal ARNs elsewhere.
}
provider "aws" {
  endpoints {
    sts = "https://sts.amazonaws.com"
    s3  = local.url
    sqs = "http://é:1"
  }
}
provider "aws" {
  alias = "two"
  endpoints {
    s3  = "http://10.0.0.1"
           ^^^^^^^^^^^^^^^ emulator-without-realm
    sqs = "http://10.0.0.1"
  }
}
"#,
        );
    }

    #[test]
    fn by_account_once_for_a_stack() {
        let state = "aws_sqs_queue.a arn=arn:aws:sqs:us-east-1:000000000000:a\naws_sqs_queue.b arn=arn:aws:sqs:us-east-1:000000000000:b\n";
        check(&format!(
            r#"
#- with_a_block/main.tf
provider "aws" {{
^^^^^^^^^^^^^^ emulator-without-realm: aws_sqs_queue.a lies in account 000000000000, which is every emulator's, and has no realm: gantrycd takes it for every object with an equal ARN elsewhere.
  region = "us-east-1"
}}
resource "aws_sqs_queue" "a" {{}}
resource "aws_sqs_queue" "b" {{}}
#- with_a_block/terraform.tfstate
{state}
#- without/main.tf
resource "aws_sqs_queue" "b" {{}}
resource "aws_sqs_queue" "a" {{}}
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ emulator-without-realm
#- without/terraform.tfstate
{}
"#,
            state.replace("000:", "000:other-")
        ));
    }

    #[test]
    fn once_in_a_module_of_two_stacks() {
        check(&format!(
            r#"{TWO_STACKS}#- m/main.tf
provider "aws" {{
  endpoints {{
    s3 = "http://localhost"
          ^^^^^^^^^^^^^^^^ emulator-without-realm
  }}
}}
"#
        ));
    }

    #[test]
    fn in_json() {
        check(
            r#"
#- main.tf.json
{"provider": {"aws": {"endpoints": {"s3": "http://localhost"}}}}
                                           ^^^^^^^^^^^^^^^^ emulator-without-realm
"#,
        );
    }

    #[test]
    fn silent_with_a_realm_or_an_opt_out_and_where_nobody_can_tell() {
        let endpoints = "endpoints {\n    s3 = \"http://localhost\"\n  }\n";
        for tags in [
            "\"gantrycd:resource-identity-realm\" = \"alice\"",
            "\"gantrycd:resource-identity-realm\" = var.realm",
            "\"gantrycd:resource-identity\" = \"null\"",
            "(var.key) = \"x\"",
        ] {
            check(&format!(
                "#- main.tf\nprovider \"aws\" {{\n  default_tags {{\n    tags = {{ {tags} }}\n  }}\n  {endpoints}}}\nresource \"aws_sqs_queue\" \"q\" {{}}\n"
            ));
        }
        check(&format!(
            r#"
#- google/main.tf
provider "google" {{
  {endpoints}}}
#- realms/main.tf
provider "aws" {{
  {endpoints}}}
resource "aws_sqs_queue" "q" {{
  tags = {{ "gantrycd:resource-identity-realm" = "alice" }}
}}
#- realms/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:000000000000:q realm=alice
#- ignored/main.tf
# gantrycd:resource-identity: ignore=true
resource "aws_sqs_queue" "q" {{}}
#- ignored/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:000000000000:r
#- mended/main.tf
resource "aws_sqs_queue" "q" {{
  tags = {{ "gantrycd:resource-identity-realm" = "bob" }}
}}
#- mended/terraform.tfstate
aws_sqs_queue.q arn=arn:aws:sqs:us-east-1:000000000000:s
#- public/main.tf
provider "aws" {{
  endpoints {{
    s3  = "https://s3.example.com"
    sqs = var.unknown
  }}
}}
"#
        ));
    }

    #[test]
    fn a_realm_is_added_to_the_default_tags() {
        let endpoints = "  endpoints {\n    s3 = \"http://local$0host\"\n  }\n";
        for (before, after) in [
            (
                format!("provider \"aws\" {{\n  region = \"us-east-1\"\n{endpoints}}}\n"),
                format!(
                    "provider \"aws\" {{\n  region = \"us-east-1\"\n{endpoints}\n  default_tags {{\n    tags = {{\n      \"gantrycd:resource-identity-realm\" = \"emulators-alice\"\n    }}\n  }}\n}}\n"
                ),
            ),
            (
                format!(
                    "provider \"aws\" {{\n  default_tags {{\n    tags = {{\n      Name = \"x\"\n    }}\n  }}\n{endpoints}}}\n"
                ),
                format!(
                    "provider \"aws\" {{\n  default_tags {{\n    tags = {{\n      Name                               = \"x\"\n      \"gantrycd:resource-identity-realm\" = \"emulators-alice\"\n    }}\n  }}\n{endpoints}}}\n"
                ),
            ),
            (
                format!(
                    "provider \"aws\" {{\n  default_tags {{\n    tags = local.tags\n  }}\n{endpoints}}}\n\nlocals {{\n  tags = {{}}\n}}\n"
                ),
                format!(
                    "provider \"aws\" {{\n  default_tags {{\n    tags = merge(local.tags, {{ \"gantrycd:resource-identity-realm\" = \"emulators-alice\" }})\n  }}\n{endpoints}}}\n\nlocals {{\n  tags = {{}}\n}}\n"
                ),
            ),
        ] {
            check_action(
                &format!("#- emulators/alice/main.tf\n{before}"),
                "realm",
                &after.replace("$0", ""),
            );
        }
    }
}
