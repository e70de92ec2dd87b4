//! What a tool says when it fails: what kind of failure that is, and its own words without its
//! secrets and its frames.
//!
//! Knows no stacks. Whatever could be a secret is masked: better a word too much than one too few.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::pull::Kind;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// How much of a message is shown, in characters.
const MOST_SHOWN: usize = 400;

/// Words of the tools and their backends by which a failure is known, in lower case: the first that
/// is found counts.
const KINDS: &[(Kind, &[&str])] = &[
    (
        Kind::Locked,
        &[
            "error acquiring the state lock",
            "error locking state",
            "state lock",
            "already locked",
            "conditionalcheckfailedexception",
            "statefile is locked",
        ],
    ),
    (
        Kind::NotInitialised,
        &[
            "initialization required",
            "terraform init",
            "tofu init",
            "required plugins are not installed",
            "module not installed",
            "inconsistent dependency lock file",
            "missing required provider",
        ],
    ),
    (
        Kind::NoCredentials,
        &[
            "no valid credential",
            "nocredentialproviders",
            "could not find default credentials",
            "failed to refresh cached credentials",
            "no ec2 imds role found",
            "expiredtoken",
            "token has expired",
            "token is expired",
            "sso session",
            "invalidclienttokenid",
            "unrecognizedclientexception",
            "invalid auth",
            "requires auth",
            "unauthorized",
            "authentication failed",
            "required token could not be found",
            "terraform login",
            "tofu login",
            "az login",
            "gcloud auth",
            "no password supplied",
        ],
    ),
    (
        Kind::NotPermitted,
        &[
            "accessdenied",
            "access denied",
            "permission denied",
            "forbidden",
            "not authorized",
            "authorizationfailed",
            "unauthorizedoperation",
            "insufficient privilege",
            "permissiondenied",
        ],
    ),
];

/// What kind of failure a tool tells of.
pub(super) fn kind(said: &str) -> Kind {
    let said = said.to_lowercase();
    let is_said = |words: &[&str]| words.iter().any(|it| said.contains(it));
    let kind = KINDS.iter().find(|(_, words)| is_said(words));
    kind.map_or(Kind::Failed, |(kind, _)| *kind)
}

/// What a tool says, on one line: its error, without what stands around it. `secrets` are masked
/// wherever they stand. Empty where it says nothing.
pub(super) fn shown(said: &str, secrets: &[String]) -> String {
    let paragraphs = paragraphs(said);
    let is_error = |it: &String| it.starts_with("Error");
    let first = paragraphs.iter().position(is_error);
    let shown = match first {
        Some(first) => {
            let rest = paragraphs[first + 1..].iter();
            let reason = rest.take(1).filter(|it| !is_error(it));
            [&paragraphs[first]].into_iter().chain(reason).cloned()
        }
        .collect::<Vec<_>>(),
        // what is no prose may be a state
        None => {
            let mut prose = paragraphs.iter().filter(|it| !it.starts_with(['{', '[']));
            prose.next_back().into_iter().cloned().collect()
        }
    };
    cut(&masked(&shown.join(" "), secrets))
}

/// The paragraphs of a text, each on one line, without frames, colours and warnings.
fn paragraphs(said: &str) -> Vec<String> {
    static COLOUR: LazyLock<Regex> = LazyLock::new(|| regex(r"\x1b\[[0-9;?]*[A-Za-z]"));
    let said = COLOUR.replace_all(said, "");
    let mut paragraphs = vec![String::new()];
    let mut is_warning = false;
    for line in said.lines() {
        let framed = line.trim_start().starts_with(['╷', '│', '╵']);
        let ends = line.trim_start().starts_with(['╷', '╵']);
        let text = line.trim_matches(|it: char| it.is_whitespace() || "╷│╵".contains(it));
        is_warning = (is_warning && framed && !ends) || text.starts_with("Warning:");
        let is_about_warnings = text.starts_with("There are some problems with the CLI config");
        if text.starts_with("Error") {
            paragraphs.push(String::new());
        }
        match paragraphs.last_mut() {
            Some(last) if !text.is_empty() && !is_warning && !is_about_warnings => {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.extend(text.chars().filter(|it| !it.is_control()));
            }
            Some(last) if !last.is_empty() => paragraphs.push(String::new()),
            _ => {}
        }
    }
    paragraphs.retain(|it| !it.is_empty());
    paragraphs
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one")
}

/// What names of secrets have in them, in lower case.
const OF_SECRETS: &str = "secret|token|passw|passphrase|pwd|credential|\
                     (?:api|access|private|account|encryption)[_-]?key|conn_str";

/// A value in quotes, as far as it was printed: it may hold quotes, and stand in a text in quotes.
const QUOTED: &str = r#"\\+".*?(?:\\+"|$)|"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)"#;

/// The text with a mask in the place of whatever may be a secret.
fn masked(text: &str, secrets: &[String]) -> String {
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let all = [
            // what stands before a host: as far as the last `@`, since whoever complains of an address
            // shows one that is badly written
            (r#"(://)[^\s"'<>]*@"#, "${1}***@"),
            (r#"[^\s"'/:@]+:[^\s"'/][^\s"']*@"#, "***@"),
            // the query of an address, which may be signed
            (r"(https?://[^\s?]+\?)[^\s]+", "${1}***"),
            // what a name says is one
            (
                &format!(
                    r#"(?i)([a-z0-9_.-]*(?:{OF_SECRETS}|auth|signature)[a-z0-9_-]*\\*["']?\s*(?:=>|[=:])\s*)(?:(?:bearer|basic)\s+)?({QUOTED}|[^\s,;]+)"#
                ),
                "${1}***",
            ),
            (r"(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}", "${1} ***"),
            // what its form says is one
            (r"\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{12,}\b", "***"),
            (r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*", "***"),
            (
                r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|sk-|hvs\.|s\.)[A-Za-z0-9_-]{12,}",
                "***",
            ),
            (r"-----BEGIN [A-Z ]*-----.*", "***"),
        ];
        all.map(|(pattern, with)| (regex(pattern), with)).into()
    });
    // long words of letters and digits are keys or hashes
    static RANDOM: LazyLock<Regex> = LazyLock::new(|| regex(r"[A-Za-z0-9+/=_-]{20,}"));
    let mut text = text.to_owned();
    // what is part of another is masked after it
    let mut secrets: Vec<_> = secrets.iter().collect();
    secrets.sort_by_key(|it| std::cmp::Reverse(it.len()));
    for secret in secrets {
        text = text.replace(secret, MASK);
    }
    for (pattern, with) in &*PATTERNS {
        text = pattern.replace_all(&text, *with).into_owned();
    }
    let random = |it: &Captures| {
        let word = &it[0];
        match looks_random(word) {
            true => MASK.to_owned(),
            false => word.to_owned(),
        }
    };
    RANDOM.replace_all(&text, random).into_owned()
}

/// Whether a long word is none that a person would write: a path or a name has its parts.
fn looks_random(word: &str) -> bool {
    let is_random = |part: &str| {
        let count = |of: fn(&u8) -> bool| part.bytes().filter(of).count();
        let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
        let digits = count(u8::is_ascii_digit);
        let is_mixed = upper > 0 && lower > 0 && digits > 0;
        part.len() >= 16 && (is_mixed || (digits >= 2 && upper + lower >= 2))
    };
    word.split(['/', '-', '_', '=']).any(is_random)
}

/// No value that is shorter is masked wherever it stands: it may be part of any word.
pub(super) const SHORTEST: usize = 4;

/// Whether a name says that what it names is a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    static NAMES: LazyLock<Regex> =
        LazyLock::new(|| regex(&format!(r"(?i){OF_SECRETS}|auth$|sas$")));
    NAMES.is_match(name)
}

/// Values of this process's environment whose names say that they are secrets.
pub(super) fn secrets_of_the_environment() -> Vec<String> {
    let all = std::env::vars();
    let secret = all.filter(|(name, it)| names_a_secret(name) && it.len() >= SHORTEST);
    secret.map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_known_by_the_words_of_the_tools() {
        for (said, expected) in [
            (
                "Error: Backend initialization required, please run \"terraform init\"",
                Kind::NotInitialised,
            ),
            (
                "Error: error configuring S3 Backend: no valid credential sources for S3 Backend found.",
                Kind::NoCredentials,
            ),
            (
                "Error: HTTP remote state endpoint requires auth",
                Kind::NoCredentials,
            ),
            (
                "pq: password authentication failed for user \"x\"",
                Kind::NoCredentials,
            ),
            (
                "operation error S3: GetObject, StatusCode: 403, AccessDenied: Access Denied",
                Kind::NotPermitted,
            ),
            ("open state.tfstate: permission denied", Kind::NotPermitted),
            (
                "Error: Error acquiring the state lock\n\nConditionalCheckFailedException",
                Kind::Locked,
            ),
            ("Error: something else", Kind::Failed),
            ("", Kind::Failed),
        ] {
            assert_eq!(kind(said), expected, "{said}");
        }
    }

    #[test]
    fn the_error_is_shown_without_frames_and_warnings() {
        let said = "There are some problems with the CLI configuration:\n╷\n│ Warning: Unable to \
                    open CLI configuration file\n│ \n│ The CLI configuration file does not exist.\n\
                    ╵\n\n\x1b[31m╷\x1b[0m\n│ \x1b[1mError: Failed to get state\x1b[0m\n│ \n│ the \
                    server\n│ is away\n│ \n│ More of it.\n╵\n";
        assert_eq!(
            shown(said, &[]),
            "Error: Failed to get state the server is away"
        );
        assert_eq!(
            shown("\nworkspaces not supported\n", &[]),
            "workspaces not supported"
        );
        assert_eq!(shown("", &[]), "");
        assert_eq!(shown("{\n  \"version\": 4,\n  \"x\": \"y\"\n}\n", &[]), "");
        assert_eq!(shown("it broke\n\n{\"version\":4}\n", &[]), "it broke");
        assert_eq!(shown("noise\nError: it broke\n", &[]), "Error: it broke");
        let long = shown(&"word ".repeat(1000), &[]);
        assert_eq!(long.chars().count(), MOST_SHOWN + 1);
    }

    #[test]
    fn secrets_are_masked_and_what_helps_is_not() {
        let known = ["hunter2".to_owned()];
        for (said, expected) in [
            ("the password is hunter2", "the password is ***"),
            ("password=abc rest", "password=*** rest"),
            ("\"secret_key\": \"a b c\", x", "\"secret_key\": ***, x"),
            ("Authorization: Bearer abcdefghij", "Authorization: ***"),
            ("postgres://me:pw@host/db", "postgres://***@host/db"),
            (
                "GET https://h/x?sig=abc&y=1 failed",
                "GET https://h/x?*** failed",
            ),
            ("key AKIAIOSFODNN7EXAMPLE is", "key *** is"),
            // an address that is badly written is what is complained of
            (
                "parse \"postgres://me:a/b@c@host/db\": invalid port",
                "parse \"postgres://***@host/db\": invalid port",
            ),
            ("dial me:a@b@tcp(host:1)/db", "dial ***@tcp(host:1)/db"),
            (
                "on main.tf line 4: 4: passphrase = \"correct horse\"",
                "on main.tf line 4: 4: passphrase = ***",
            ),
            ("account_key = \"a \\\" b\" rest", "account_key = *** rest"),
            (
                "body \"{\\\"password\\\":\\\"a b\\\",\\\"x\\\":1}\"",
                "body \"{\\\"password\\\":***,\\\"x\\\":1}\"",
            ),
            ("password = \"a b that was cut", "password = ***"),
            (
                "github.com/x/y@v1.2.3: not found",
                "github.com/x/y@v1.2.3: not found",
            ),
            (
                "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY was refused",
                "*** was refused",
            ),
            ("jwt eyJhbGciOiJIUzI1NiJ9.e30.abc", "jwt ***"),
            (
                "dial tcp 127.0.0.1:5432: connect: connection refused",
                "dial tcp 127.0.0.1:5432: connect: connection refused",
            ),
            (
                "stacks/production-network/eu-west-1/terraform.tfstate not found",
                "stacks/production-network/eu-west-1/terraform.tfstate not found",
            ),
        ] {
            assert_eq!(masked(said, &known), expected);
        }
    }
}
