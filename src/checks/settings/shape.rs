//! What can be set: one table, by which settings are read, checked, explained, completed and
//! documented.

use super::super::{ALL, Check};
use super::Shown;

/// What can stand in `gantrycd.hcl`.
pub const FILE: Keys = Keys::Named(&[CHECKS, STATES, VARIABLES, STACK]);

/// What can stand in an editor's settings: some of it, and what only an editor has.
pub const EDITOR: Keys = Keys::Named(&[CHECKS, EDITOR_STATES, VARIABLES, CODE_LENS, INLAY_HINTS]);

/// One thing that can be set.
pub struct Key {
    /// How it is written; in capitals where it stands for many.
    pub name: &'static str,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// What it can be set to.
    pub takes: Takes,
    /// Whether what holds it is of no use without it.
    pub is_required: bool,
}

/// What a key can be set to.
pub enum Takes {
    /// A block with these keys. If it has a label, there may be many of them.
    Block(Option<Label>, Keys),
    /// One of these words in quotes. If there are keys, also an object of them.
    Word(&'static [Word], &'static [Key]),
    /// A list of globs over paths below the workspace root.
    Globs,
    /// A glob over paths anywhere.
    Path,
    /// A whole number from this upward.
    Count(u64),
    /// An object of names and constant values.
    Values,
    /// `true` or `false`; which of them by default.
    Truth(bool),
}

/// What the label of a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// The name of a stack of the workspace.
    Stack,
    /// A name that a person gives.
    Name,
}

/// A word that a key can be set to.
#[derive(Debug)]
pub struct Word {
    /// How it is written between quotes.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
}

/// The keys that can stand in one place.
#[derive(Clone, Copy)]
pub enum Keys {
    /// These.
    Named(&'static [Key]),
    /// This one, under the code of each check.
    EachCode(&'static Key),
}

const CHECKS: Key = Key {
    name: "checks",
    about: "How grave the findings of each check are, and where they are not shown.",
    takes: Takes::Block(None, Keys::EachCode(&CODE)),
    is_required: false,
};

const CODE: Key = Key {
    name: "CODE",
    about: "The severity of a check by its code, or an object of settings.",
    takes: Takes::Word(SEVERITIES, &[SEVERITY, EXCLUDE]),
    is_required: false,
};

const SEVERITY: Key = Key {
    name: "severity",
    about: "How grave the findings of the check are. What is information until the next apply \
            never becomes graver by it.",
    takes: Takes::Word(SEVERITIES, &[]),
    is_required: false,
};

const EXCLUDE: Key = Key {
    name: "exclude",
    about: "Globs of files, relative to the workspace root, in which findings of the check are \
            not shown. Stacks that lie there are compared with the others all the same. `*` stays \
            within one directory, `**` goes through any number of them.",
    takes: Takes::Globs,
    is_required: false,
};

const SEVERITIES: &[Word] = &[
    Word {
        name: "off",
        about: "The check is not made.",
    },
    Word {
        name: "hint",
        about: "Shown faintly in editors, and a note on the command line.",
    },
    Word {
        name: "information",
        about: "Shown as information in editors, and a note on the command line.",
    },
    Word {
        name: "warning",
        about: "A warning, with which `check` fails.",
    },
    Word {
        name: "error",
        about: "An error, with which `check` fails.",
    },
];

const STATES: Key = Key {
    name: "states",
    about: "Cached states: how `gantrycd-ls refresh` fetches them, how old they may be, and which \
            lie outside of the workspace.",
    takes: Takes::Block(
        None,
        Keys::Named(&[
            STATES_TOOL,
            PARALLELISM,
            TIMEOUT_SECONDS,
            ALL_WORKSPACES,
            MAX_AGE_DAYS,
            EXTERNAL,
        ]),
    ),
    is_required: false,
};

const EDITOR_STATES: Key = Key {
    takes: Takes::Block(
        None,
        Keys::Named(&[
            STATES_TOOL,
            PARALLELISM,
            TIMEOUT_SECONDS,
            ALL_WORKSPACES,
            MAX_AGE_DAYS,
            REFRESH_ON_SAVE,
            REFRESH_INTERVAL_MINUTES,
        ]),
    ),
    ..STATES
};

const STATES_TOOL: Key = Key {
    about: "The tool that stacks are asked with. Without it the nearest `.opentofu-version` or \
            `.terraform-version` decides, then the registry in the lock file, then which of the two \
            comes first on the path.",
    ..TOOL
};

const PARALLELISM: Key = Key {
    name: "parallelism",
    about: "How many stacks are asked for their states at the same time: 4 unless it is set.",
    takes: Takes::Count(1),
    is_required: false,
};

const TIMEOUT_SECONDS: Key = Key {
    name: "timeout_seconds",
    about: "How many seconds one stack may take to answer: 120 unless it is set.",
    takes: Takes::Count(1),
    is_required: false,
};

const ALL_WORKSPACES: Key = Key {
    name: "all_workspaces",
    about: "Whether all Terraform workspaces of a directory are asked for, where nobody names any. \
            Otherwise these are the default one and those whose states are cached.",
    takes: Takes::Truth(false),
    is_required: false,
};

const MAX_AGE_DAYS: Key = Key {
    name: "max_age_days",
    about: "How many days old a cached state may be before findings that rest on it say how old it \
            is. Without it none does.",
    takes: Takes::Count(0),
    is_required: false,
};

const REFRESH_ON_SAVE: Key = Key {
    name: "refresh_on_save",
    about: "Whether the stacks of a file are asked for their states when it is saved. Nothing is run \
            by itself unless this or the interval is set, and neither can be set in a repository.",
    takes: Takes::Truth(false),
    is_required: false,
};

const REFRESH_INTERVAL_MINUTES: Key = Key {
    name: "refresh_interval_minutes",
    about: "Every so many minutes all stacks with a remote backend are asked for their states. 0 is \
            never, and so it is by default.",
    takes: Takes::Count(0),
    is_required: false,
};

const EXTERNAL: Key = Key {
    name: "external",
    about: "Cached states of stacks that other workspaces hold, under a name of your own. They take \
            part in duplicates and dependencies, each as a stack `NAME:STACK`.",
    takes: Takes::Block(Some(Label::Name), Keys::Named(&[PATH])),
    is_required: false,
};

const PATH: Key = Key {
    name: "path",
    about: "A glob of the state files, relative to the workspace root.",
    takes: Takes::Path,
    is_required: true,
};

const VARIABLES: Key = Key {
    name: "variables",
    about: "Values of input variables that come from outside of the repository. They count as if \
            they stood in a `.tfvars` file that is read last, and are constant.",
    takes: Takes::Values,
    is_required: false,
};

const STACK: Key = Key {
    name: "stack",
    about: "What cannot be found out about one stack, by the stack's name: its directory relative \
            to the workspace root, with `@NAME` for a Terraform workspace other than the default \
            one.",
    takes: Takes::Block(Some(Label::Stack), Keys::Named(&[TOOL, STACK_VARIABLES])),
    is_required: false,
};

const TOOL: Key = Key {
    name: "tool",
    about: "The tool that the stack is asked with.",
    takes: Takes::Word(
        &[
            Word {
                name: "tofu",
                about: "OpenTofu.",
            },
            Word {
                name: "terraform",
                about: "Terraform.",
            },
        ],
        &[],
    ),
    is_required: false,
};

const STACK_VARIABLES: Key = Key {
    about: "Values of input variables of this stack. They win over those of the whole workspace, \
            key by key.",
    ..VARIABLES
};

const CODE_LENS: Key = Key {
    name: "codeLens",
    about: "The lines above a block.",
    takes: Takes::Block(None, Keys::Named(&[ENABLE_CODE_LENS])),
    is_required: false,
};

const ENABLE_CODE_LENS: Key = Key {
    name: "enable",
    about: "Whether there are lines above a block that say who reads what it manages, who else claims \
            it, and who owns what it reads.",
    takes: Takes::Truth(Shown::BY_DEFAULT.code_lens),
    is_required: false,
};

const INLAY_HINTS: Key = Key {
    name: "inlayHints",
    about: "What is shown within a line.",
    takes: Takes::Block(None, Keys::Named(&[ENABLE_INLAY_HINTS])),
    is_required: false,
};

const ENABLE_INLAY_HINTS: Key = Key {
    name: "enable",
    about: "Whether the identity is shown behind the header of a block.",
    takes: Takes::Truth(Shown::BY_DEFAULT.inlay_hints),
    is_required: false,
};

impl Keys {
    /// The key of this name.
    pub fn find(self, name: &str) -> Option<&'static Key> {
        match self {
            Keys::Named(keys) => keys.iter().find(|it| it.name == name),
            Keys::EachCode(key) => Check::of(name).map(|_| key),
        }
    }

    /// All names, in order, each with its key.
    pub fn all(self) -> Vec<(&'static str, &'static Key)> {
        match self {
            Keys::Named(keys) => keys.iter().map(|it| (it.name, it)).collect(),
            Keys::EachCode(key) => ALL.iter().map(|it| (it.code, key)).collect(),
        }
    }
}

impl Takes {
    /// The words that it can be.
    pub fn words(&self) -> &'static [Word] {
        match self {
            Takes::Word(words, _) => words,
            _ => &[],
        }
    }

    /// The keys that can stand in it.
    pub fn keys(&self) -> Keys {
        match self {
            Takes::Block(_, keys) => *keys,
            Takes::Word(_, keys) => Keys::Named(keys),
            _ => Keys::Named(&[]),
        }
    }
}

/// As it follows `takes`.
impl std::fmt::Display for Takes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Takes::Block(..) => f.write_str("a block"),
            Takes::Word(words, keys) => {
                let words: Vec<_> = words.iter().map(|it| format!("\"{}\"", it.name)).collect();
                f.write_str(&any_of(&words))?;
                if !keys.is_empty() {
                    let keys: Vec<_> = keys.iter().map(|it| format!("`{}`", it.name)).collect();
                    write!(f, ", or an object with {}", keys.join(" and "))?;
                }
                Ok(())
            }
            Takes::Globs => f.write_str("a list of globs, as in `[\"sandbox/**\"]`"),
            Takes::Path => f.write_str("a glob in quotes"),
            Takes::Count(least) => write!(f, "a whole number from {least} upward"),
            Takes::Values => f.write_str("an object of names and constant values"),
            Takes::Truth(_) => f.write_str("true or false"),
        }
    }
}

/// `a`, `a or b`, `a, b or c`
fn any_of(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.concat(),
    }
}
