//! The workspace file `gantrycd.hcl` says something that gantrycd-ls does not understand.
//!
//! What it does not understand is left aside: a check keeps its severity, a value is not known, a
//! stack is read as if nothing were said of it. What stands beside it counts all the same.
//!
//! # Example
//!
//! ```hcl
//! #- gantrycd.hcl
//! checks {
//!   untagable-type     = "off"
//!   ^^^^^^^^^^^^^^ workspace-file: There is no check `untagable-type`: did you mean `untaggable-type`? It is left aside.
//!   duplicate-identity = { severity = "warn", exclude = ["sandbox/**"] }
//!                                      ^^^^ workspace-file: did you mean "warning"?
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- gantrycd.hcl
//! checks {
//!   untaggable-type    = "off"
//!   duplicate-identity = { severity = "warning", exclude = ["sandbox/**"] }
//! }
//! ```

use std::path::Path;
use std::sync::Arc;

use crate::syntax::Fault as SyntaxFault;
use crate::text::Span;
use crate::workspace::{Place, Snapshot};

use super::settings::{Fault, faults};
use super::{Check, Edit, Finding, Fix, Looks, Severity, ready, syntax};

pub(super) const CHECK: Check = Check {
    code: "workspace-file",
    page: include_str!("../../docs/checks/workspace-file.md"),
    severity: Severity::Error,
    looks: Looks::File(look),
    fixes: ready,
};

fn look(snapshot: &Snapshot, path: &Arc<Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let unread = snapshot.unread_workspace_file();
    if let Some((path, why)) = unread.filter(|(it, _)| it == path) {
        let message = format!("{why}. Nothing that it sets counts.");
        let message = syntax::sentence(&message);
        findings.push(Finding::new(CHECK.severity, path, Span::at(0), message));
    }
    let file = snapshot.workspace_file();
    let Some(file) = file.filter(|it| it.path == *path) else {
        return findings;
    };
    for (fault, span) in syntax::faults(file) {
        let consequence = match fault {
            SyntaxFault::Repeated(_) => "The last one counts.",
            _ => "What cannot be read is left aside.",
        };
        let message = syntax::sentence(&format!("{fault}. {consequence}"));
        findings.push(Finding::new(CHECK.severity, &file.path, span, message));
    }
    for Fault { span, message, fix } in faults(snapshot, file) {
        let mut finding = Finding::new(CHECK.severity, &file.path, span, message);
        finding.ready = fix.map(|it| Fix {
            title: it.title,
            edits: vec![Edit {
                place: Place {
                    path: file.path.clone(),
                    span: it.span,
                },
                new_text: it.new_text,
            }],
            is_safe: it.is_safe,
        });
        findings.push(finding);
    }
    findings
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, check, check_action, check_no_action};

    #[test]
    fn everything_that_can_be_set() {
        check(
            r#"
#- gantrycd.hcl
checks {
  untaggable-type    = "off"                     # off | hint | information | warning | error
  duplicate-identity = { severity = "error", exclude = ["sandbox/**"] }
  syntax             = null
}

states {
  max_age_days = 7
  external "billing" { path = "../billing/.gantrycd/state/**/*.json" }
}

variables = { developer = "bob", count = 2 * 3, "zones" = ["a", "b"], nothing = null }

stack "live/account" {
  tool      = "tofu"
  variables = { developer = "alice" }
}
stack "live/account@prod" {}
#- live/account/main.tf
"#,
        );
    }

    #[test]
    fn what_does_not_exist() {
        check(
            r#"
#- gantrycd.hcl
state {
^^^^^ error workspace-file: There is no section `state`: did you mean `states`? It is left aside.
  max_age_days = 7
}
modules {}
^^^^^^^ workspace-file: There is no section `modules`. It is left aside.
codeLens { enable = false }
^^^^^^^^ workspace-file: `codeLens` can be set in an editor's settings only. It is left aside.
varables = {}
^^^^^^^^ workspace-file: did you mean `variables`?
checks {
  duplicate-identiy = "off"
  ^^^^^^^^^^^^^^^^^ workspace-file: There is no check `duplicate-identiy`: did you mean `duplicate-identity`? It is left aside.
  everything        = "off"
  ^^^^^^^^^^ workspace-file: There is no check `everything`. It is left aside.
  malformed-realm   = { level = "hint", excludes = [] }
                        ^^^^^ workspace-file: `malformed-realm` has no key `level`. It is left aside.
                                        ^^^^^^^^ workspace-file: `malformed-realm` has no key `excludes`: did you mean `exclude`?
}
"#,
        );
        check(
            r#"
#- gantrycd.hcl
states {
  max-age-days = 7
  ^^^^^^^^^^^^ workspace-file: `states` has no key `max-age-days`: did you mean `max_age_days`?
  externals "a" {}
  ^^^^^^^^^ workspace-file: `states` has no key `externals`: did you mean `external`?
}
"#,
        );
    }

    #[test]
    fn what_is_of_another_kind() {
        check(
            r#"
#- gantrycd.hcl
checks {
  malformed-realm      = "warn"
                          ^^^^ workspace-file: `malformed-realm` takes "off", "hint", "information", "warning" or "error", or an object with `severity` and `exclude`, not "warn": did you mean "warning"? It is left aside.
  duplicate-identity   = off
                         ^^^ workspace-file: `off` stands without quotes: did you mean "off"? It is left aside.
  duplicate-in-stack   = true
                         ^^^^ workspace-file: `duplicate-in-stack` takes "off", "hint"
  untaggable-type      = ""
                         ^^ workspace-file: not ""
  misplaced-ignore     = ["sandbox/**"]
                         ^^^^^^^^^^^^^^ workspace-file: not `["sandbox/**"]`
  malformed-ignore     = { severity = { }, exclude = "sandbox/**" }
                                      ^^^ workspace-file: `severity` takes "off", "hint", "information", "warning" or "error", not `{ }`.
                                                      ^^^^^^^^^^ workspace-file: `exclude` takes a list of globs, as in `["sandbox/**"]`, not "sandbox/**".
  unreadable-state {
  ^^^^^^^^^^^^^^^^ workspace-file: `unreadable-state` is set with `=`. It is left aside.
    severity = "off"
  }
  syntax               = "${"off"}x"
                         ^^^^^^^^^^^ workspace-file: `syntax` takes
}
states "cached" {
        ^^^^^^ workspace-file: `states` has no name.
  max_age_days = -1
                 ^^ workspace-file: `max_age_days` takes a whole number from 0 upward, not `-1`. It is left aside.
}
stack "a" "b" {
           ^ workspace-file: `stack` has one name.
  tool      = "terragrunt"
               ^^^^^^^^^^ workspace-file: `tool` takes "tofu" or "terraform", not "terragrunt". It is left aside.
  variables = ["alice"]
              ^^^^^^^^^ workspace-file: `variables` takes an object of names and constant values, not `["alice"]`.
}
variables {
^^^^^^^^^ workspace-file: `variables` is set with `=`.
  developer = "alice"
}
#- a/main.tf
"#,
        );
        check(
            r#"
#- gantrycd.hcl
checks = { syntax = "off" }
         ^^^^^^^^^^^^^^^^^^ workspace-file: `checks` is a block and stands without `=`.
states {
  max_age_days = "7"
                  ^ workspace-file: not "7"
  external "a" {
    path = 7
           ^ workspace-file: `path` takes a glob in quotes, not `7`.
  }
}
stack "." {
  tool = "/usr/bin/tofu"
          ^^^^^^^^^^^^^ workspace-file
}
#- main.tf
"#,
        );
    }

    #[test]
    fn globs_that_are_none() {
        check(
            r#"
#- gantrycd.hcl
checks {
  syntax = { exclude = ["sand[box/**", "{a,b", "/a/**", "./a/**", "../a/**", "a/", "", 7, "a/{b,c}/*.tf"] }
                         ^^^^^^^^^^^ workspace-file: "sand[box/**" is no glob: unclosed character class; missing ']'. The other globs count.
                                        ^^^^ workspace-file: "{a,b" is no glob
                                                ^^^^^ workspace-file: "/a/**" matches no file: it is not a path below the workspace root, such as "sandbox/**". The other globs count.
                                                         ^^^^^^ workspace-file
                                                                   ^^^^^^^ workspace-file
                                                                              ^^ workspace-file
                                                                                   ^^ workspace-file: "" matches no file
                                                                                       ^ workspace-file: A glob stands in quotes. The other globs count.
}
states {
  external "a" { path = "[" }
                         ^ workspace-file: "[" is no glob: unclosed character class; missing ']'. It is left aside.
}
"#,
        );
    }

    #[test]
    fn what_is_named() {
        check(
            r#"
#- gantrycd.hcl
stack "live/acount" {}
       ^^^^^^^^^^^ workspace-file: No stack of this workspace is called "live/acount": did you mean "live/account"? It is left aside.
stack "account" {}
       ^^^^^^^ workspace-file: did you mean "live/account"?
stack "elsewhere@prod" {}
       ^^^^^^^^^^^^^^ workspace-file: No stack of this workspace is called "elsewhere@prod". It is left aside.
stack "live/account" {}
stack "live/account" {}
^^^^^^^^^^^^^^^^^^^^ workspace-file: `stack "live/account"` stands in this file twice. Of a key that both set, the last counts.
stack {}
^^^^^ workspace-file: `stack` needs the name of a stack in quotes. Nothing in it counts.
stack "" {}
      ^^ workspace-file: `stack` needs the name of a stack in quotes.
states {
  external "a" {}
  ^^^^^^^^^^^^ workspace-file: `external "a"` has no `path`. It adds nothing.
  external "b" {
    path = "../b/**"
  }
  external "b" {
  ^^^^^^^^^^^^ workspace-file: `external "b"` stands in this file twice.
    path = "../c/**"
  }
  external {
  ^^^^^^^^ workspace-file: `external` needs a name in quotes.
    path = "../d/**"
  }
}
states {}
^^^^^^ workspace-file: `states` stands in this file twice.
#- live/account/main.tf
"#,
        );
    }

    #[test]
    fn values_that_are_not_constant() {
        check(
            r#"
#- gantrycd.hcl
variables = {
  who   = var.developer
          ^^^^^^^^^^^^^ workspace-file: The value of `who` must be constant, and `var.developer` is not. The value is not known to gantrycd-ls.
  where = "eu-${local.zone}"
                ^^^^^^^^^^ workspace-file: The value of `where` must be constant, and `local.zone` is not.
  list  = ["a", data.x.y]
                ^^^^^^^^ workspace-file
  now   = timestamp()
          ^^^^^^^^^^^ workspace-file
  (x)   = 1
  ^^^ workspace-file: A key here is a constant name. It is left aside.
  fine  = upper("a")
}
stack "." {
  variables = var.all
              ^^^^^^^ workspace-file: `variables` takes an object of names and constant values, not `var.all`.
}
#- main.tf
"#,
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_here_and_once() {
        check(
            r#"
#- gantrycd.hcl
checks {
  malformed-realm = "off
                    ^^^^ error workspace-file: A quote is opened here and not closed on its line. What cannot be read is left aside.
}
stack "." {
  tool = "tofu"
  tool = "terraform"
  ^^^^ workspace-file: This argument is set already. The last one counts.
}
whatever
^^^^^^^^ workspace-file
#- main.tf
locals {
  x = "
      ^ warning syntax
}
"#,
        );
    }

    #[test]
    fn only_the_one_at_the_root_counts() {
        check(
            r#"
#- sub/gantrycd.hcl
checks {
  syntax = "off"
  nothing = true
}
= = =
#- sub/main.tf
locals {
  x = "
      ^ warning syntax
}
#- gantrycd.hcl
"#,
        );
    }

    #[test]
    fn the_only_word_that_is_near_takes_the_place() {
        let fixed = |before: &str, title: &str, after: &str| {
            check_action(
                &format!("#- a/main.tf\n#- gantrycd.hcl\n{before}"),
                title,
                after,
            );
        };
        fixed(
            "check$0 {\n}\n",
            "Change `check` to `checks`",
            "checks {\n}\n",
        );
        fixed(
            "checks {\n  duplicate-identiy$0 = \"off\"\n}\n",
            "Change `duplicate-identiy` to `duplicate-identity`",
            "checks {\n  duplicate-identity = \"off\"\n}\n",
        );
        fixed(
            "checks {\n  syntax = \"$0Warn\"\n}\n",
            "Change `Warn` to `warning`",
            "checks {\n  syntax = \"warning\"\n}\n",
        );
        fixed(
            "checks {\n  syntax = $0off\n}\n",
            "Change `off` to `\"off\"`",
            "checks {\n  syntax = \"off\"\n}\n",
        );
        fixed(
            "checks {\n  syntax = { $0sevrity = \"off\" }\n}\n",
            "Change `sevrity` to `severity`",
            "checks {\n  syntax = { severity = \"off\" }\n}\n",
        );
        fixed(
            "stack \"$0b\" {\n}\n",
            "Change `b` to `a`",
            "stack \"a\" {\n}\n",
        );
        fixed(
            "variables$0 {\n  realm = \"a\"\n}\n",
            "Write `variables = {`",
            "variables = {\n  realm = \"a\"\n}\n",
        );
    }

    #[test]
    fn nothing_is_changed_where_more_than_one_word_is_near() {
        // one of both is set already
        check_no_action("#- gantrycd.hcl\nchecks {\n  syntax = \"off\"\n  $0sintax = \"off\"\n}\n");
        check_no_action("#- a/main.tf\n#- b/main.tf\n#- gantrycd.hcl\nstack \"$0c\" {}\n");
        check_no_action("#- gantrycd.hcl\nchecks {\n  $0everything = \"off\"\n}\n");
    }

    /// How many fixes there are of the faults in a workspace file.
    fn fixes_of(text: &str) -> usize {
        let fixture = Fixture::new(&format!("#- gantrycd.hcl\n{text}\n"));
        let snapshot = fixture.snapshot();
        let findings = crate::checks::run(&snapshot, &Default::default());
        assert!(!findings.is_empty(), "{text}");
        let fixes = findings.iter().flat_map(|it| it.fixes(&snapshot));
        fixes.count()
    }

    #[test]
    fn nothing_is_corrected_that_would_be_another_fault() {
        for text in [
            // the line's end belongs to a heredoc
            "checks {\n  untaggable-type = <<E\nOff\nE\n}",
            // two slips for one key
            "checks {\n  untagable-type = \"off\"\n  untaggable-typ = \"hint\"\n}",
            "chekcs {}\ncheks {}",
            // it is set already
            "variables = {}\nvariables {}",
            // a block is no value, and has the labels that it takes
            "variable \"realm\" {}",
            "check \"x\" {}",
            "state \"x\" {}",
            "cheks = {}",
        ] {
            assert_eq!(fixes_of(text), 0, "{text}");
        }
        assert_eq!(fixes_of("cheks {\n  untagable-type = \"of\"\n}"), 1);
        assert_eq!(fixes_of("checks {\n  untagable-type = \"of\"\n}"), 1);
    }

    #[test]
    fn one_that_cannot_be_read_at_all_is_told_of() {
        let fixture = Fixture::new("#- main.tf\nlocals {}\n");
        std::fs::write(fixture.path("gantrycd.hcl"), b"\xff\xfec\0h\0").unwrap();
        let findings = crate::checks::run(&fixture.snapshot(), &Default::default());
        let messages: Vec<_> = findings.iter().map(|it| (it.code, &*it.message)).collect();
        let expected = "The file is UTF-16; save it as UTF-8. Nothing that it sets counts.";
        assert_eq!(messages, [("workspace-file", expected)]);
    }
}
