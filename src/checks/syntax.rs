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

use crate::syntax::Fault;
use crate::workspace::Snapshot;

use super::{Check, Finding, Severity, no_fixes};

pub(super) const CHECK: Check = Check {
    code: "syntax",
    page: include_str!("../../docs/checks/syntax.md"),
    severity: Severity::Warning,
    run,
    fixes: no_fixes,
};

fn run(snapshot: &Snapshot, findings: &mut Vec<Finding>) {
    for file in snapshot.editable_files() {
        let block = |it: &Fault| file.block_at(it.span().start).map(|it| it.id);
        // one slip of the pen may break a block in many places
        for faults in file
            .faults()
            .chunk_by(|a, b| block(a).is_some() && block(a) == block(b))
        {
            let fault = to_blame(faults);
            let message = format!("{fault}. What rests on it is not analysed.");
            let message = message[..1].to_uppercase() + &message[1..];
            // what is too deep for us may be well for others
            let severity = match fault {
                Fault::TooDeep(_) => Severity::Hint,
                _ => CHECK.severity,
            };
            let span = file.source().first_line(fault.span());
            findings.push(Finding::new(severity, &file.path, span, message));
        }
    }
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
