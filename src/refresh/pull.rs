//! One stack: its tool is asked for its state, and what identity needs of that is cached.
//!
//! A failure leaves what was cached before as it is.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::checks::settings::Tool;
use crate::identity::{IdentityRegistry, Mode, Row};
use crate::state::{self, Decided, NotRead, State};
use crate::workspace::{Snapshot, Stack};

use super::choose::{DEFAULT, Target, directory};
use super::command::{Answer, Asked, Cancel, Ended, Question, ask};
use super::message;
use super::schemas::Schemas;
use super::store::{self, Written};
use super::tool::Tools;

/// How much of a list of workspaces is read, in bytes.
const LONGEST_LIST: u64 = 4 * 1024 * 1024;

/// More workspaces than these are counted, not named.
const MOST_NAMED: usize = 10;

/// What all stacks of a refresh have in common.
pub(super) struct Context {
    pub(super) snapshot: Snapshot,
    pub(super) tools: Tools,
    pub(super) schemas: Schemas,
    /// How long one stack may take.
    pub(super) timeout: Duration,
    /// Whether a state may take the place of a newer one.
    pub(super) even_if_older: bool,
    pub(super) cancel: Cancel,
    /// What is masked wherever a tool says it.
    pub(super) secrets: Vec<String>,
}

/// What came of one stack.
#[derive(Debug)]
pub struct Done {
    /// The stack's name.
    pub name: Box<str>,
    /// What came of it.
    pub outcome: Outcome,
    /// The absolute paths of schemas that were cached beside it.
    pub learnt: Vec<PathBuf>,
    /// What could not be found out beside it, in a sentence.
    pub note: Option<String>,
}

/// What came of asking a stack for its state.
#[derive(Debug)]
pub enum Outcome {
    /// Its inventory is written.
    Refreshed {
        /// The inventory's absolute path.
        path: PathBuf,
        /// The state's serial.
        serial: Option<u64>,
        /// How many rows it has.
        rows: usize,
    },
    /// It has no state yet.
    NoState,
    /// Nobody waited for it.
    Cancelled,
    /// This is why there is nothing new.
    Failed(Failure),
}

/// Why there is nothing new of a stack.
#[derive(Debug)]
pub struct Failure {
    /// Of which kind it is.
    pub kind: Kind,
    /// What it is, and the remedy, in a sentence without its full stop.
    pub what: String,
    /// The tool's own words, without secrets; perhaps none.
    pub said: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        match self.said.is_empty() {
            true => Ok(()),
            false => write!(f, ": {}", self.said),
        }
    }
}

/// The kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // each is what its name says
pub enum Kind {
    NotInitialised,
    NoCredentials,
    NotPermitted,
    Locked,
    TimedOut,
    ToolMissing,
    NoWorkspace,
    Unreadable,
    Older,
    NotWritten,
    Failed,
}

impl Kind {
    /// As it stands in a summary.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::NotInitialised => "not initialised",
            Kind::NoCredentials => "no credentials",
            Kind::NotPermitted => "not permitted",
            Kind::Locked => "locked",
            Kind::TimedOut => "timeout",
            Kind::ToolMissing => "tool missing",
            Kind::NoWorkspace => "no such workspace",
            Kind::Unreadable => "unreadable",
            Kind::Older => "older than what is cached",
            Kind::NotWritten => "not written",
            Kind::Failed => "other",
        }
    }
}

impl Done {
    pub(super) fn new(target: &Target, outcome: Outcome) -> Self {
        Self {
            name: target.name.clone(),
            outcome,
            learnt: Vec::new(),
            note: None,
        }
    }
}

impl Failure {
    pub(super) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            said: String::new(),
        }
    }
}

/// Why a question has no answer.
pub(super) enum NoAnswer {
    Cancelled,
    Failed(Failure),
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        NoAnswer::Failed(failure)
    }
}

impl From<NoAnswer> for Outcome {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Cancelled => Outcome::Cancelled,
            NoAnswer::Failed(failure) => Outcome::Failed(failure),
        }
    }
}

/// Asks one stack for its state and caches it.
pub(super) async fn pull(context: Arc<Context>, target: Target) -> Done {
    let (context, target) = (&context, &target);
    let until = Instant::now() + context.timeout;
    let outcome = cached(context, target, until).await;
    let outcome = outcome.unwrap_or_else(Outcome::from);
    let learnt = match outcome {
        Outcome::Refreshed { .. } => context.schemas.learn(context, target).await,
        _ => Ok(Vec::new()),
    };
    Done {
        note: learnt.as_ref().err().cloned(),
        learnt: learnt.unwrap_or_default(),
        ..Done::new(target, outcome)
    }
}

async fn cached(
    context: &Arc<Context>,
    target: &Target,
    until: Instant,
) -> Result<Outcome, NoAnswer> {
    if &*target.workspace != DEFAULT && !target.is_listed {
        let names = workspaces(context, target, until).await?;
        if !names.iter().any(|it| **it == *target.workspace) {
            let what = format!(
                "there is no workspace {} in {}: {}",
                target.workspace,
                directory(&context.snapshot, target),
                some_of(&names)
            );
            return Err(Failure::new(Kind::NoWorkspace, what).into());
        }
    }
    let read = |printed: &mut _| state::read_stream(printed);
    let (tool, read) = answer(context, target, Question::State, until, read).await?;
    let state = match read {
        Ok(state) if is_none(&state) => return Ok(Outcome::NoState),
        Ok(state) => state,
        Err(NotRead::Empty) => return Ok(Outcome::NoState),
        Err(NotRead::Problem(problem)) => {
            let what = format!("what `{} state pull` printed: {problem}", tool.as_str());
            return Err(Failure::new(Kind::Unreadable, what).into());
        }
    };
    let (context, target) = (context.clone(), target.clone());
    let write = move || write(&context.snapshot, &target, &state, context.even_if_older);
    let written = tokio::task::spawn_blocking(write).await;
    Ok(written.map_err(|it| Failure::new(Kind::NotWritten, it.to_string()))??)
}

/// Whether a state is what is printed where there is none.
fn is_none(state: &State) -> bool {
    let has_lineage = state.lineage.as_ref().is_some_and(|it| !it.is_empty());
    !has_lineage && state.records.is_empty()
}

/// The Terraform workspaces of a stack's directory.
pub(super) async fn workspaces(
    context: &Context,
    target: &Target,
    until: Instant,
) -> Result<Vec<String>, NoAnswer> {
    // the one that is selected may be gone, and would come to be
    let target = target.with(DEFAULT);
    let (tool, listed) = answer(context, &target, Question::Workspaces, until, listed).await?;
    let listed = listed.map_err(|why| {
        let what = format!("what `{} workspace list` printed: {why}", tool.as_str());
        Failure::new(Kind::Unreadable, what)
    })?;
    Ok(names(&listed))
}

/// What `workspace list` prints. Of what is longer, or no text, nobody can say which names it has.
fn listed(printed: &mut impl Read) -> Result<String, &'static str> {
    let mut listed = Vec::new();
    let read = printed.take(LONGEST_LIST + 1).read_to_end(&mut listed);
    match read {
        Ok(length) if length as u64 > LONGEST_LIST => Err("too long for a list of workspaces"),
        _ => String::from_utf8(listed).map_err(|_| "not UTF-8"),
    }
}

/// Which workspaces there are: the first of them, and how many more.
fn some_of(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST_NAMED)].join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        _ if names.is_empty() => "none is listed".to_owned(),
        0 => format!("it has {shown}"),
        more => format!("it has {shown} and {more} more"),
    }
}

/// The names in what `workspace list` prints, as far as its first empty line.
fn names(listed: &str) -> Vec<String> {
    let lines = listed.lines().skip_while(|it| it.trim().is_empty());
    let names = lines.take_while(|it| !it.trim().is_empty());
    let names = names.map(|it| it.trim_start_matches('*').trim().to_owned());
    names.filter(|it| is_name(it)).collect()
}

/// Whether a workspace may be called so: other characters are none that the tools take. What else is
/// printed is none of ours to repeat.
fn is_name(text: &str) -> bool {
    let is_of_names = |it: char| it.is_alphanumeric() || "-_.~$&+=:@".contains(it);
    !text.is_empty() && text.chars().all(is_of_names)
}

/// Asks the tool of a stack something. Only what it printed before it ended well counts.
pub(super) async fn answer<T: Send + 'static>(
    context: &Context,
    target: &Target,
    question: Question,
    until: Instant,
    read: impl FnOnce(&mut super::command::Printed) -> T + Send + 'static,
) -> Result<(Tool, T), NoAnswer> {
    let found = context
        .tools
        .of(&context.snapshot.root, &target.directory, target.tool);
    let (tool, program) = found.map_err(|it| Failure::new(Kind::ToolMissing, it.to_string()))?;
    let asked = Asked {
        program,
        directory: &target.directory,
        workspace: target.selects(),
        until,
        cancel: &context.cancel,
    };
    let Answer { ended, read, said } = ask(question, asked, read).await;
    let secrets = [&*context.secrets, &*target.secrets].concat();
    let said_so = || message::shown(&said, &secrets);
    let failed = |kind, what: String| {
        NoAnswer::Failed(Failure {
            said: said_so(),
            ..Failure::new(kind, what)
        })
    };
    let name = tool.as_str();
    match (ended, read) {
        (Ended::Exited(status), Some(read)) if status.success() => Ok((tool, read)),
        (Ended::Exited(status), _) => {
            let kind = message::kind(&said);
            let what = match kind {
                Kind::NotInitialised => {
                    let directory = directory(&context.snapshot, target);
                    format!("not initialised: run `{name} init` in {directory}")
                }
                Kind::Failed => format!("`{name}` failed ({status})"),
                kind => kind.as_str().to_owned(),
            };
            Err(failed(kind, what))
        }
        (Ended::TimedOut, _) => {
            let seconds = context.timeout.as_secs_f64();
            let what = format!("`{name}` did not answer within {seconds} s and was ended");
            Err(failed(Kind::TimedOut, what))
        }
        (Ended::Cancelled, _) => Err(NoAnswer::Cancelled),
        (Ended::NotStarted(error), _) => {
            let what = format!("`{name}` could not be run: {error}");
            Err(Failure::new(Kind::ToolMissing, what).into())
        }
    }
}

/// Writes the inventory of a stack.
pub(super) fn write(
    snapshot: &Snapshot,
    target: &Target,
    state: &State,
    even_if_older: bool,
) -> Result<Outcome, Failure> {
    let decided = decided(snapshot, target, state);
    let inventory = state::Written {
        name: &target.name,
        directory: &directory(snapshot, target),
        workspace: &target.workspace,
        cached_at: SystemTime::now(),
        state,
        decided: &decided,
    };
    match store::write(&snapshot.root, &inventory, even_if_older) {
        Ok(Written::There(path)) => Ok(Outcome::Refreshed {
            path,
            serial: state.serial,
            rows: state.records.len(),
        }),
        Ok(Written::Older { cached, serial }) => {
            let what = format!(
                "the state has serial {serial}, and what is cached of it serial {cached}: it is kept"
            );
            Err(Failure::new(Kind::Older, what))
        }
        Err(error) => {
            let path = snapshot.relative(&store::path_of(&snapshot.root, &target.name));
            let what = format!("{path} could not be written: {error}");
            Err(Failure::new(Kind::NotWritten, what))
        }
    }
}

/// What is decided of each row of a stack's new state, by the comments that its configuration has.
fn decided(snapshot: &Snapshot, target: &Target, state: &State) -> Vec<Decided> {
    let configured = |it: &&Arc<Stack>| it.directory == target.directory && it.tree.is_some();
    let stack = snapshot.stacks.iter().find(configured);
    let rows = state.records.iter().map(|it| &it.row);
    rows.map(|row| {
        let ignored = stack.is_some_and(|it| it.ignores(&row.address));
        of_row(&snapshot.registry, row, ignored)
    })
    .collect()
}

fn of_row(registry: &IdentityRegistry, row: &Row, ignored: bool) -> Decided {
    let looks_up = match row.address.mode {
        Mode::Data => registry.look_up(row, ignored).ok(),
        Mode::Managed => None,
    };
    Decided {
        identity: registry.claim(row, ignored),
        looks_up,
        is_by_comment: ignored,
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LIST, listed, names, some_of};

    #[test]
    fn a_list_without_end_is_none_and_of_a_long_one_the_first_are_named() {
        let endless = listed(&mut std::io::repeat(b'x'));
        assert_eq!(endless, Err("too long for a list of workspaces"));
        let longest = "x".repeat(LONGEST_LIST as usize);
        assert_eq!(listed(&mut longest.as_bytes()), Ok(longest.clone()));
        assert_eq!(listed(&mut &b"\xff\n"[..]), Err("not UTF-8"));
        let many: Vec<_> = (0..12).map(|it| it.to_string()).collect();
        assert_eq!(
            some_of(&many),
            "it has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
        );
        assert_eq!(some_of(&many[..2]), "it has 0, 1");
        assert_eq!(some_of(&[]), "none is listed");
    }

    #[test]
    fn the_workspaces_that_are_listed() {
        assert_eq!(names("  default\n* dev\n\n"), ["default", "dev"]);
        let overridden = "\n* default\n  dev\n\n\n\nThe active workspace is being overridden using \
                          the TF_WORKSPACE environment\nvariable.\n\n";
        assert_eq!(names(overridden), ["default", "dev"]);
        assert_eq!(names(""), [""; 0]);
        assert_eq!(names("* é-1_x.y~z\n"), ["é-1_x.y~z"]);
        // a tool that answers another question
        let state =
            "{\"version\":4,\"password\":\"not-for-you\"}\n  \"token\": \"x\",\n  }\n  a/b\n";
        assert_eq!(names(state), [""; 0]);
    }
}
