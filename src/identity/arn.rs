//! The grammar that an `arn` must pass before it is asserted: one object, in one account.

/// The six fields of an ARN that names one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arn<'a> {
    /// `aws`, `aws-cn`, …
    pub partition: &'a str,
    /// `s3`, `iam`, …
    pub service: &'a str,
    /// May be empty.
    pub region: &'a str,
    /// Twelve digits, or empty for the shapes that are unique without an account.
    pub account: &'a str,
    /// Never empty; may hold `:` and `/`.
    pub resource: &'a str,
}

/// Why a text is no ARN that names one object in one account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // each variant is its sentence below
pub enum UnanchoredArn {
    Sensitive,
    Blank,
    Placeholder,
    Fields,
    Partition,
    Service,
    Region,
    Published,
    Account,
    NoAccount,
    Resource,
}

impl std::fmt::Display for UnanchoredArn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            UnanchoredArn::Sensitive => "its value is sensitive",
            UnanchoredArn::Blank => "it has white space around it or a control character in it",
            UnanchoredArn::Placeholder => "it holds a pattern or a placeholder",
            UnanchoredArn::Fields => "it has not the six fields of an ARN",
            UnanchoredArn::Partition => "its partition is none of AWS's",
            UnanchoredArn::Service => "its service is not a service's name",
            UnanchoredArn::Region => "its region is none of its partition's",
            UnanchoredArn::Published => "it is an object that AWS publishes and nobody owns",
            UnanchoredArn::Account => "its account is not twelve digits",
            UnanchoredArn::NoAccount => "it has no account, and is not unique without one",
            UnanchoredArn::Resource => "it names no resource",
        })
    }
}

impl<'a> Arn<'a> {
    /// Reads an ARN. Nothing is normalised: it is accepted as it is, or refused.
    ///
    /// # Errors
    /// The first field that is not what it must be.
    pub fn parse(text: &'a str) -> Result<Self, UnanchoredArn> {
        if text == super::SENSITIVE {
            return Err(UnanchoredArn::Sensitive);
        }
        if text.trim() != text || text.contains(char::is_control) {
            return Err(UnanchoredArn::Blank);
        }
        if text.contains(['*', '?', '{', '}', '<', '>']) || text.contains("...") {
            return Err(UnanchoredArn::Placeholder);
        }
        let mut fields = text.splitn(6, ':');
        let mut field = || fields.next().ok_or(UnanchoredArn::Fields);
        let scheme = field()?;
        let arn = Arn {
            partition: field()?,
            service: field()?,
            region: field()?,
            account: field()?,
            resource: field()?,
        };
        if scheme != "arn" {
            return Err(UnanchoredArn::Fields);
        }
        let region_prefixes = region_prefixes(arn.partition).ok_or(UnanchoredArn::Partition)?;
        let service = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if arn.service.is_empty() || !arn.service.bytes().all(service) {
            return Err(UnanchoredArn::Service);
        }
        if !arn.region.is_empty() && !is_region(arn.region, region_prefixes) {
            return Err(UnanchoredArn::Region);
        }
        if arn.resource.is_empty() {
            return Err(UnanchoredArn::Resource);
        }
        if arn.account.is_empty() {
            return if arn.is_unique_without_account() {
                Ok(arn)
            } else {
                Err(UnanchoredArn::NoAccount)
            };
        }
        if arn.account.len() == 12 && arn.account.bytes().all(|b| b.is_ascii_digit()) {
            Ok(arn)
        } else if arn.account.bytes().any(|b| b.is_ascii_alphabetic()) {
            Err(UnanchoredArn::Published)
        } else {
            Err(UnanchoredArn::Account)
        }
    }

    /// The shapes that AWS writes without an account and that are unique all the same. Any other
    /// account-less ARN may come from `skip_requesting_account_id`, where two accounts collide.
    fn is_unique_without_account(&self) -> bool {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|it| self.resource.starts_with(it));
        match (self.service, self.region.is_empty()) {
            ("s3", true) => true,
            ("route53", true) => starts(&[
                "hostedzone/",
                "healthcheck/",
                "delegationset/",
                "queryloggingconfig/",
                "trafficpolicy/",
                "trafficpolicyinstance/",
                "cidrcollection/",
            ]),
            ("sso", true) => starts(&["permissionSet/", "instance/"]),
            ("identitystore", true) => starts(&["group/"]),
            ("ec2", false) => starts(&["image/ami-", "snapshot/snap-"]),
            ("apigateway", false) => starts(&["/restapis/", "/apis/", "/domainnames/"]),
            _ => false,
        }
    }
}

/// How the regions of a partition begin; `None` for what is no partition.
fn region_prefixes(partition: &str) -> Option<&'static [&'static str]> {
    Some(match partition {
        "aws" => &["us", "eu", "ap", "sa", "ca", "me", "af", "il", "mx"],
        "aws-cn" => &["cn"],
        "aws-us-gov" => &["us-gov"],
        "aws-iso" => &["us-iso"],
        "aws-iso-b" => &["us-isob"],
        "aws-iso-e" => &["eu-isoe"],
        "aws-iso-f" => &["us-isof"],
        "aws-eusc" => &["eusc-de"],
        _ => return None,
    })
}

/// `PREFIX-\w+-\d+`
fn is_region(region: &str, prefixes: &[&str]) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    prefixes.iter().any(|prefix| {
        region
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix('-'))
            .and_then(|rest| rest.split_once('-'))
            .is_some_and(|(place, number)| {
                !place.is_empty()
                    && place.bytes().all(word)
                    && !number.is_empty()
                    && number.bytes().all(|b| b.is_ascii_digit())
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_shapes() {
        for arn in [
            // every partition, in its own region
            "arn:aws:sqs:eu-west-1:111122223333:q",
            "arn:aws:sqs:us-east-1:111122223333:q",
            "arn:aws:sqs:ap-southeast-2:111122223333:q",
            "arn:aws:sqs:sa-east-1:111122223333:q",
            "arn:aws:sqs:ca-central-1:111122223333:q",
            "arn:aws:sqs:me-south-1:111122223333:q",
            "arn:aws:sqs:af-south-1:111122223333:q",
            "arn:aws:sqs:il-central-1:111122223333:q",
            "arn:aws:sqs:mx-central-1:111122223333:q",
            "arn:aws-cn:sqs:cn-north-1:111122223333:q",
            "arn:aws-us-gov:sqs:us-gov-west-1:111122223333:q",
            "arn:aws-iso:sqs:us-iso-east-1:111122223333:q",
            "arn:aws-iso-b:sqs:us-isob-east-1:111122223333:q",
            "arn:aws-iso-e:sqs:eu-isoe-west-1:111122223333:q",
            "arn:aws-iso-f:sqs:us-isof-south-1:111122223333:q",
            "arn:aws-eusc:sqs:eusc-de-east-1:111122223333:q",
            // global services
            "arn:aws:iam::111122223333:role/path/r",
            "arn:aws:iam::000000000000:role/emulated",
            "arn:aws:organizations::111122223333:account/o-abcde12345/222233334444",
            // unique without an account
            "arn:aws:s3:::bucket",
            "arn:aws-us-gov:s3:::bucket",
            "arn:aws:route53:::hostedzone/Z1",
            "arn:aws:route53:::healthcheck/a",
            "arn:aws:route53:::delegationset/a",
            "arn:aws:route53:::queryloggingconfig/a",
            "arn:aws:route53:::trafficpolicy/a",
            "arn:aws:route53:::trafficpolicyinstance/a",
            "arn:aws:route53:::cidrcollection/a",
            "arn:aws:sso:::permissionSet/ssoins-1/ps-1",
            "arn:aws:sso:::instance/ssoins-1",
            "arn:aws:identitystore:::group/g",
            "arn:aws:ec2:eu-west-1::image/ami-0123456789abcdef0",
            "arn:aws:ec2:eu-west-1::snapshot/snap-0123456789abcdef0",
            "arn:aws:apigateway:eu-west-1::/restapis/a1b2c3d4e5",
            "arn:aws:apigateway:eu-west-1::/apis/a1b2c3d4e5",
            "arn:aws:apigateway:eu-west-1::/domainnames/example.com",
            // legal within RESOURCE
            "arn:aws:lambda:eu-west-1:111122223333:function:f:$LATEST",
            "arn:aws:apigateway:eu-west-1::/apis/a/stages/$default",
            "arn:aws:dlm:eu-west-1:111122223333:policy/a b",
            "arn:aws:logs:eu-west-1:111122223333:log-group:/a:b/c",
        ] {
            assert!(Arn::parse(arn).is_ok(), "{arn}: {:?}", Arn::parse(arn));
        }
    }

    #[test]
    fn refused_shapes() {
        for (arn, why) in [
            ("(sensitive value)", UnanchoredArn::Sensitive),
            (" arn:aws:s3:::b", UnanchoredArn::Blank),
            ("arn:aws:s3:::b ", UnanchoredArn::Blank),
            ("arn:aws:s3:::b\n", UnanchoredArn::Blank),
            ("arn:aws:s3:::a\u{7}b", UnanchoredArn::Blank),
            ("arn:aws:s3:::a\u{85}b", UnanchoredArn::Blank),
            ("arn:aws:s3:::b/*", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::b?", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::${b}", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::%{b}", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::{b", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::b}", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::<b", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::b>", UnanchoredArn::Placeholder),
            ("arn:aws:s3:::b...", UnanchoredArn::Placeholder),
            ("arn:aws:s3", UnanchoredArn::Fields),
            ("arn:aws:s3::", UnanchoredArn::Fields),
            ("subnet-0abc", UnanchoredArn::Fields),
            ("ARN:aws:s3:::b", UnanchoredArn::Fields),
            ("urn:aws:iam::111122223333:role/r", UnanchoredArn::Fields),
            ("arn::iam::111122223333:role/r", UnanchoredArn::Partition),
            ("arn:minio:s3:::b", UnanchoredArn::Partition),
            ("arn:aws-xx:s3:::b", UnanchoredArn::Partition),
            ("arn:aws::::b", UnanchoredArn::Service),
            ("arn:aws:S3:::b", UnanchoredArn::Service),
            ("arn:aws:s_3:::b", UnanchoredArn::Service),
            (
                "arn:aws:sqs:elasticmq:000000000000:q",
                UnanchoredArn::Region,
            ),
            (
                "arn:aws:sqs:us-gov-west-1:111122223333:q",
                UnanchoredArn::Region,
            ),
            (
                "arn:aws:sqs:cn-north-1:111122223333:q",
                UnanchoredArn::Region,
            ),
            (
                "arn:aws-cn:sqs:eu-west-1:111122223333:q",
                UnanchoredArn::Region,
            ),
            (
                "arn:aws-iso:sqs:us-isob-east-1:111122223333:q",
                UnanchoredArn::Region,
            ),
            ("arn:aws:sqs:eu-west:111122223333:q", UnanchoredArn::Region),
            (
                "arn:aws:sqs:eu-west-1a:111122223333:q",
                UnanchoredArn::Region,
            ),
            ("arn:aws:sqs:eu--1:111122223333:q", UnanchoredArn::Region),
            (
                "arn:aws:iam::aws:policy/ReadOnlyAccess",
                UnanchoredArn::Published,
            ),
            ("arn:aws:iam::aws-managed:x", UnanchoredArn::Published),
            ("arn:aws:cloudfront::cloudfront:x", UnanchoredArn::Published),
            ("arn:aws:x::third-party:x", UnanchoredArn::Published),
            ("arn:aws:iam::12345677:role/r", UnanchoredArn::Account),
            ("arn:aws:iam::1111222233334:role/r", UnanchoredArn::Account),
            (
                "arn:aws:iam::１１１１２２２２３３３３:role/r",
                UnanchoredArn::Account,
            ),
            ("arn:aws:iam::111122223333:", UnanchoredArn::Resource),
            ("arn:aws:s3:::", UnanchoredArn::Resource),
            // no account
            ("arn:aws:iam:::role/r", UnanchoredArn::NoAccount),
            ("arn:aws:s3:eu-west-1::b", UnanchoredArn::NoAccount),
            (
                "arn:aws:route53:eu-west-1::hostedzone/Z1",
                UnanchoredArn::NoAccount,
            ),
            ("arn:aws:route53:::change/C1", UnanchoredArn::NoAccount),
            ("arn:aws:sso:::application/a", UnanchoredArn::NoAccount),
            ("arn:aws:identitystore:::user/u", UnanchoredArn::NoAccount),
            ("arn:aws:ec2:::image/ami-1", UnanchoredArn::NoAccount),
            ("arn:aws:ec2:eu-west-1::image/x", UnanchoredArn::NoAccount),
            (
                "arn:aws:ec2:eu-west-1::instance/i-1",
                UnanchoredArn::NoAccount,
            ),
            ("arn:aws:apigateway:::/restapis/a", UnanchoredArn::NoAccount),
            (
                "arn:aws:apigateway:eu-west-1::/vpclinks/a",
                UnanchoredArn::NoAccount,
            ),
        ] {
            assert_eq!(Arn::parse(arn), Err(why), "{arn:?}");
        }
    }
}
