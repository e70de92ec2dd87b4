//! `.terraform/modules/modules.json`: where `init` has put the modules of a stack, and what it was
//! asked for when it did.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::tree::normalize;

/// The modules that are installed for one stack, by the path of the call (`a.b`).
#[derive(Debug, Default)]
pub(super) struct Manifest {
    installed: HashMap<String, Installed>,
}

/// A module that `init` has installed.
#[derive(Debug)]
pub(super) struct Installed {
    /// Where it is.
    pub directory: PathBuf,
    /// What was called, as `init` writes it.
    source: Option<String>,
    /// Which version of it this is; only modules of a registry have one.
    version: Option<String>,
}

impl Manifest {
    /// Reads a manifest; a damaged one names no module.
    pub fn read(path: &Path) -> Self {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Modules {
            #[serde(default)]
            modules: Vec<Entry>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Entry {
            key: String,
            dir: PathBuf,
            source: Option<String>,
            version: Option<String>,
        }
        // directories are relative to the stack's
        let Some(stack) = path.ancestors().nth(3) else {
            return Self::default();
        };
        let bytes = fs::read(path).unwrap_or_default();
        let Ok(Modules { modules }) = serde_json::from_slice(&bytes) else {
            return Self::default();
        };
        let entries = modules.into_iter().filter(|it| !it.key.is_empty());
        let installed = entries.map(|it| {
            let installed = Installed {
                directory: normalize(&stack.join(it.dir)),
                source: it.source,
                version: it.version,
            };
            (it.key, installed)
        });
        Self {
            installed: installed.collect(),
        }
    }

    /// Where modules are.
    pub fn directories(&self) -> impl Iterator<Item = &PathBuf> {
        self.installed.values().map(|it| &it.directory)
    }

    /// The module that is called at a path.
    pub fn find(&self, path: &str) -> Option<&Installed> {
        self.installed.get(path)
    }
}

impl Installed {
    /// Whether it certainly is another than a call with this source and version wants, so that
    /// Terraform refuses to plan until the next `init`. `None` is what the call does not say, or not
    /// as a literal.
    pub fn is_another(&self, source: Option<&str>, version: Option<&str>) -> bool {
        // the name of a bucket moves from the host into the path
        let is_bucket = |it: &str| it.starts_with("s3::") || it.starts_with("gcs::");
        let compared = match (&self.version, self.source.as_deref()) {
            (Some(_), _) => 3,
            (None, Some(source)) if is_bucket(source) => 1,
            (None, _) => 2,
        };
        let is_source = source.zip(self.source.as_deref());
        let is_version = version.zip(self.version.as_deref());
        is_source.is_some_and(|(wanted, installed)| !may_be(wanted, installed, compared))
            || is_version
                .is_some_and(|(wanted, installed)| allows(wanted, installed) == Some(false))
    }
}

/// Whether a source, as it is written, may be what `init` wrote down as another text: it gives one
/// of a registry a host, and others the scheme, the getter and the form of the address that their
/// host wants: <https://developer.hashicorp.com/terraform/language/modules/sources>. So no more is
/// compared than the revision, and as many steps at the end of the path as this.
fn may_be(written: &str, installed: &str, compared: usize) -> bool {
    // what is escaped can be written in several ways
    if written == installed || written.contains('%') || installed.contains('%') {
        return true;
    }
    let (written, installed) = (Source::read(written), Source::read(installed));
    written.revision == installed.revision && written.ends(compared) == installed.ends(compared)
}

/// What of a source is compared.
struct Source<'a> {
    /// The steps of its path, those in a repository among them.
    steps: Vec<&'a str>,
    /// The `ref` of a git repository.
    revision: Option<&'a str>,
}

impl<'a> Source<'a> {
    fn read(text: &'a str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let mut arguments = query.split('&');
        let revision = arguments.find_map(|it| it.strip_prefix("ref="));
        let path = path.rsplit_once("::").map_or(path, |it| it.1);
        let steps = path.split(['/', ':']).filter(|it| !it.is_empty());
        Self {
            steps: steps
                .map(|it| it.strip_suffix(".git").unwrap_or(it))
                .collect(),
            revision,
        }
    }

    /// The last steps, as many as that.
    fn ends(&self, steps: usize) -> &[&'a str] {
        &self.steps[self.steps.len().saturating_sub(steps)..]
    }
}

/// Whether a constraint allows a version. `None` where it cannot be read, or has to do with what
/// comes before a release:
/// <https://developer.hashicorp.com/terraform/language/expressions/version-constraints>.
fn allows(constraint: &str, version: &str) -> Option<bool> {
    let version = numbers(version)?;
    let mut all = true;
    for part in constraint.split(',') {
        let part = part.trim();
        let (operator, rest) = part.split_at(part.find(|c: char| c.is_ascii_digit() || c == 'v')?);
        let wanted = numbers(rest)?;
        let length = wanted.len().max(version.len());
        let padded = |numbers: &[u64]| {
            let mut numbers = numbers.to_vec();
            numbers.resize(length, 0);
            numbers
        };
        let order = padded(&version).cmp(&padded(&wanted));
        all &= match operator.trim() {
            "" | "=" => order.is_eq(),
            "!=" => order.is_ne(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            // the last number may grow, and no other
            "~>" => {
                let fixed = wanted.len() - 1;
                order.is_ge() && padded(&version)[..fixed] == wanted[..fixed]
            }
            _ => return None,
        };
    }
    Some(all)
}

fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim();
    let version = version.strip_prefix('v').unwrap_or(version);
    version.split('.').map(|it| it.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::workspace::Planned;

    use super::*;

    #[test]
    fn a_new_init_is_followed() {
        let manifest = |version| {
            format!(
                r#"{{"Modules": [{{"Key": "m", "Source": "registry.terraform.io/acme/m/aws", "Version": "{version}", "Dir": ".terraform/modules/m"}}]}}"#
            )
        };
        let path = "a/.terraform/modules/modules.json";
        let fixture = Fixture::new(&format!(
            r#"
#- a/main.tf
module "m" {{
  source  = "acme/m/aws"
  version = "2.0.0"
}}
#- {path}
{}
#- a/.terraform/modules/m/main.tf
resource "aws_sqs_queue" "q" {{
  tags = {{ "gantrycd:resource-identity-realm" = "r" }}
}}
#- a/terraform.tfstate
module.m.aws_sqs_queue.q arn=arn:aws:sqs:eu-west-1:111122223333:q
"#,
            manifest("1.0.0")
        ));
        let mut workspace = fixture.workspace();
        for (version, changes) in [("1.0.0", false), ("2.0.0", true), ("2.0.10", false)] {
            fs::write(fixture.path(path), manifest(version)).unwrap();
            workspace.refresh();
            let snapshot = workspace.snapshot();
            let planned = &snapshot.stacks[0].rows[0].planned;
            assert_eq!(matches!(planned, Planned::Changed(_)), changes, "{version}");
        }
    }

    #[test]
    fn versions_are_allowed_or_not() {
        for (constraint, version, expected) in [
            ("5.1.0", "5.1.0", Some(true)),
            ("5.1.0", "5.1.1", Some(false)),
            ("= 5.1", "5.1.0", Some(true)),
            ("v5.1.0", "5.1.0", Some(true)),
            ("~> 5.0", "5.9.3", Some(true)),
            ("~> 5.0", "6.0.0", Some(false)),
            ("~> 5.1.2", "5.1.9", Some(true)),
            ("~> 5.1.2", "5.1.1", Some(false)),
            ("~> 5.1.2", "5.2.0", Some(false)),
            ("~> 5", "6.0.0", Some(true)),
            (">= 4.0, < 5.0", "4.9.9", Some(true)),
            (">= 4.0, < 5.0", "5.0.0", Some(false)),
            (">=4,!=4.2.0", "4.2.0", Some(false)),
            ("> 4.0", "4.0.0", Some(false)),
            ("<= 4.0", "4.0.0", Some(true)),
            (">= 5.0.0-beta1", "5.0.0", None),
            ("5.0.0", "5.0.0-rc1", None),
            ("latest", "5.0.0", None),
            ("", "5.0.0", None),
            ("^5.0", "5.0.0", None),
        ] {
            assert_eq!(
                allows(constraint, version),
                expected,
                "{constraint} {version}"
            );
        }
    }

    #[test]
    fn a_source_is_what_init_made_of_it() {
        let vpc = "registry.terraform.io/terraform-aws-modules/vpc/aws";
        let git = "git::https://github.com/acme/modules.git//vpc?ref=v1.2.0";
        for (written, installed, expected) in [
            ("terraform-aws-modules/vpc/aws", vpc, true),
            (
                "registry.terraform.io/terraform-aws-modules/vpc/aws",
                vpc,
                true,
            ),
            ("terraform-aws-modules/rds/aws", vpc, false),
            ("acme/vpc/aws", vpc, false),
            ("terraform-aws-modules/vpc/aws//modules/x", vpc, false),
            (git, git, true),
            ("github.com/acme/modules//vpc?ref=v1.2.0", git, true),
            ("github.com/acme/modules/vpc?ref=v1.2.0", git, true),
            (
                "git::https://github.com/acme/modules//vpc?ref=v1.2.0",
                git,
                true,
            ),
            ("github.com/acme/modules//vpc?ref=v1.3.0", git, false),
            ("github.com/acme/modules//vpc", git, false),
            ("github.com/acme/modules//rds?ref=v1.2.0", git, false),
            (
                "git@github.com:acme/modules.git?ref=v1",
                "git::ssh://git@github.com/acme/modules.git?ref=v1",
                true,
            ),
            (
                "git::ssh://git@example.com/modules.git?depth=1&ref=v1",
                "git::ssh://git@example.com/modules.git?depth=1&ref=v2",
                false,
            ),
            (
                "s3::https://s3-eu-west-1.amazonaws.com/acme/vpc.zip",
                "s3::https://s3-eu-west-1.amazonaws.com/acme/vpc.zip",
                true,
            ),
            (
                "acme.s3-eu-west-1.amazonaws.com/vpc.zip",
                "s3::https://s3-eu-west-1.amazonaws.com/acme/vpc.zip",
                true,
            ),
            (
                "https://example.com/vpc-1.2.zip",
                "https://example.com/vpc-1.1.zip",
                false,
            ),
            ("terraform-aws-modules/vpc/aws", "./vpc", false),
            (
                "github.com/acme/a%20b?ref=v1",
                "git::https://github.com/acme/a b.git?ref=v1",
                true,
            ),
        ] {
            let version = installed
                .starts_with("registry")
                .then(|| "1.0.0".to_owned());
            let module = Installed {
                directory: PathBuf::new(),
                source: Some(installed.to_owned()),
                version,
            };
            let is_another = module.is_another(Some(written), None);
            assert_eq!(is_another, !expected, "{written} {installed}");
        }
    }
}
