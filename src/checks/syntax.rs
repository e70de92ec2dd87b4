//! Something in a file could not be read.
//!
//! What rests on it is not known: an argument that cannot be read may say anything. What stands
//! beside it is analysed all the same. In an editor this is a hint, since the language's own server
//! reports the error itself.
//!
//! # Example
//!
//! ```hcl
//! #- main.tf
//! resource "aws_vpc" "main" {
//!   cidr_block = "10.0.0.0/16
//!                ^^^^^^^^^^^^ syntax: A quote is opened here and not closed on its line.
//! }
//! ```
//!
//! # Fixed
//!
//! ```hcl
//! #- main.tf
//! resource "aws_vpc" "main" {
//!   cidr_block = "10.0.0.0/16"
//! }
//! ```

use std::path::Path;
use std::sync::Arc;

use crate::config::ModuleFile;
use crate::syntax::Fault;
use crate::text::Span;
use crate::workspace::Snapshot;

use super::{Check, Finding, Looks, Severity, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "syntax",
    page: include_str!("../../docs/checks/syntax.md"),
    severity: Severity::Warning,
    looks: Looks::File(look),
    fixes: no_fixes,
};

fn look(snapshot: &Snapshot, path: &Arc<Path>) -> Vec<Finding> {
    // told by the check of its own
    let is_workspace_file = snapshot.workspace_file().is_some_and(|it| it.path == *path);
    let file = snapshot.file(path).filter(|_| !is_workspace_file);
    let found = file.into_iter().flat_map(|it| faults(it));
    let found = found.map(|(fault, span)| {
        let message = sentence(&format!("{fault}. What rests on it is not analysed."));
        // what is too deep for us may be well for others
        let severity = match fault {
            Fault::TooDeep(_) => Severity::Hint,
            _ => CHECK.severity,
        };
        Finding::new(severity, path, span, message)
    });
    found.collect()
}

/// What to tell of what is wrong with a file's text, and where. One slip of the pen may break a block
/// in many places: of each block, one.
pub(super) fn faults(file: &ModuleFile) -> impl Iterator<Item = (Fault, Span)> {
    let block = |it: &Fault| file.block_at(it.span().start).map(|it| it.id);
    let faults = match file.source().text().contains('\0') {
        // what is encrypted or compressed is at fault as a whole
        true => file.faults().get(..1).unwrap_or_default(),
        false => file.faults(),
    };
    let by_block = faults.chunk_by(move |a, b| block(a).is_some() && block(a) == block(b));
    by_block.map(|it| {
        let fault = to_blame(it);
        (fault, file.source().first_line(fault.span()))
    })
}

/// The same with a capital letter.
pub(super) fn sentence(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// What to mend first of several: what does not close is at the root of whatever comes of it.
fn to_blame(faults: &[Fault]) -> Fault {
    let unclosed = |it: &&Fault| {
        matches!(
            it,
            Fault::UnclosedQuote(_) | Fault::UnclosedBracket(_) | Fault::UnclosedHeredoc(_)
        )
    };
    *faults.iter().find(unclosed).unwrap_or(&faults[0])
}

#[cfg(test)]
mod tests {
    use crate::fixture::check;

    #[test]
    fn what_is_not_closed_is_named() {
        check(
            r#"
#- a.tf
resource "aws_vpc" "quote" {
  cidr_block = "10.0.0.0/16
               ^^^^^^^^^^^^ syntax: A quote is opened here and not closed on its line. What rests on it is not analysed.
}
#- b.tf
resource "aws_vpc" "bracket" {
  tags = {
         ^ syntax: A bracket is opened here and not closed.
    Name = "x"

resource "aws_vpc" "next" {}
#- c.tf
locals {
  x = [1, 2))
           ^ syntax
}
#- d.tf
locals {
  text = <<EOT
         ^^^^^ syntax: A heredoc starts here, and no line holds its end marker alone
    text
}
#- e.tf
/* not closed
^^^^^^^^^^^^^ syntax
resource "aws_vpc" "v" {}
"#,
        );
    }

    #[test]
    fn a_block_that_does_not_close_is_told_of_at_its_brace() {
        for rest in ["", "\nresource \"aws_vpc\" \"next\" {}\n"] {
            check(&format!(
                "#- main.tf\nresource \"aws_vpc\" \"v\" {{\n                       ^ syntax: A bracket is opened here and not closed.\n  cidr_block = 1\n{rest}"
            ));
        }
    }

    #[test]
    fn a_block_is_told_of_once() {
        check(
            r#"
#- main.tf
locals {
  a = )
      ^ syntax: A value is missing here
  b = 1 +
  c = ]
}
resource "aws_vpc" "v" {
  cidr_block = = "x"
               ^ syntax
}
"#,
        );
    }

    #[test]
    fn json_that_is_none() {
        check(
            "#- main.tf.json\n{ \"resource\": [ }\n                ^ syntax: This is no JSON object\n",
        );
    }

    #[test]
    fn what_is_encrypted_is_told_of_once() {
        let text = "#- terraform.tfvars\n\0GITCRYPT\0\u{1}{]\n\u{2}) ${\n\"x\n= =\n";
        let fixture = crate::fixture::Fixture::new(text);
        let findings = crate::checks::run(&fixture.snapshot(), &Default::default());
        assert_eq!(findings.len(), 1, "{findings:#?}");
    }

    /// As public repositories have it.
    #[test]
    fn what_is_commented_out_is_none_of_ours() {
        let old = "resource \"aws_vpc\" \"old\" {\n  tags = { \"gantrycd:resource-identity-realm\" = \"a/b\" }\n}\n";
        for comment in [
            format!("/*\n{old}/*\n*/\n"),
            format!("/*\n{old}# see /* here\n*/\n"),
            format!("/*\n{old}*/locals {{}}\n"),
            format!("/*\n{old}*/# foo\n"),
            format!("locals {{}} /*\n{old} /* */\n"),
            format!("locals {{}}/*\n{old}*/\n"),
        ] {
            check(&format!(
                "#- main.tf\n{comment}resource \"aws_vpc\" \"new\" {{}}\n"
            ));
        }
    }

    #[test]
    fn what_terraform_accepts_is_silent() {
        check(
            r#"
#- main.tf
locals {
  twice  = { a = 1, a = 2 }
  lines  = [for x in [1] :
    x
    if x > 0]
  nested = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
  text   = <<-EOT
    it's "quoted" { and ( not closed
      EOT is not the end
    EOT
}
/* { */ # [
"#,
        );
    }
}
