//! Many stacks: several at a time, each for itself, and what came of all.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream;
use tokio::time::Instant;

use crate::checks::settings::States;
use crate::workspace::Snapshot;

use super::choose::{DEFAULT, Target};
use super::command::Cancel;
use super::message;
use super::pull::{Context, Done, Failure, Kind, Outcome, pull, workspaces};
use super::schemas::Schemas;
use super::tool::Tools;

/// A refresh that is to be made.
pub struct Refresh {
    /// The workspace as it is.
    pub snapshot: Snapshot,
    /// The stacks that are asked.
    pub targets: Vec<Target>,
    /// How they are.
    pub settings: States,
    /// Whether a state may take the place of a newer one.
    pub even_if_older: bool,
    /// Whether somebody wants it no more.
    pub cancel: Cancel,
}

/// How far a refresh has come.
pub struct Event<'a> {
    /// How many stacks are done.
    pub done: usize,
    /// Of how many; more while workspaces are still being listed.
    pub all: usize,
    /// The one that was done last; `None` when it has become known how many there are.
    pub last: Option<&'a Done>,
}

/// What came of a refresh.
#[derive(Debug)]
pub struct Summary {
    /// By the stack's name.
    pub done: Vec<Done>,
}

impl Refresh {
    /// Asks all stacks, so many at a time as is set, and tells of each that is done. Must run within
    /// tokio. Nothing that it has started runs when it is done, or when nobody waits for it any more.
    pub async fn run(self, tell: impl Fn(Event)) -> Summary {
        let Self {
            snapshot,
            targets,
            settings,
            even_if_older,
            cancel,
        } = self;
        let context = Arc::new(Context {
            snapshot,
            tools: Tools::of_this_process(),
            schemas: Schemas::default(),
            timeout: settings.timeout(),
            even_if_older,
            cancel,
            secrets: message::secrets_of_the_environment(),
        });
        let at_once = settings.parallelism();
        let (each, mut targets): (Vec<_>, Vec<_>) = targets.into_iter().partition(|it| it.is_each);
        let mut done = Vec::new();
        let of_all = context.clone();
        let listing = each.into_iter().map(move |it| listed(of_all.clone(), it));
        let mut listing = stream::iter(listing).buffer_unordered(at_once);
        while let Some(listed) = listing.next().await {
            match listed {
                Ok(listed) => targets.extend(listed),
                Err(failed) => done.push(failed),
            }
        }
        drop(listing);
        let all = targets.len() + done.len();
        for (at, failed) in done.iter().enumerate() {
            tell(Event {
                done: at + 1,
                all,
                last: Some(failed),
            });
        }
        tell(Event {
            done: done.len(),
            all,
            last: None,
        });
        let pulling = targets.into_iter().map(move |it| pull(context.clone(), it));
        let mut pulling = stream::iter(pulling).buffer_unordered(at_once);
        while let Some(pulled) = pulling.next().await {
            tell(Event {
                done: done.len() + 1,
                all,
                last: Some(&pulled),
            });
            done.push(pulled);
        }
        done.sort_by(|a, b| a.name.cmp(&b.name));
        Summary { done }
    }
}

/// The stacks of all workspaces of a directory.
async fn listed(context: Arc<Context>, target: Target) -> Result<Vec<Target>, Done> {
    let until = Instant::now() + context.timeout;
    let alone = || vec![target.with(DEFAULT)];
    match workspaces(&context, &target, until)
        .await
        .map_err(Outcome::from)
    {
        // of a service, the one that the configuration names
        Ok(names) if target.is_cloud && names.len() == 1 => Ok(alone()),
        Ok(names) if names.is_empty() => {
            let none = Failure::new(Kind::NoWorkspace, "none of its workspaces is listed");
            Err(Done::new(&target, Outcome::Failed(none)))
        }
        Ok(names) => Ok(names
            .iter()
            .map(|it| Target {
                is_listed: true,
                ..target.with(it)
            })
            .collect()),
        // of some backends there is the default one alone
        Err(Outcome::Failed(failure)) if failure.said.contains("workspaces not supported") => {
            Ok(alone())
        }
        Err(outcome) => Err(Done::new(&target, outcome)),
    }
}

impl Summary {
    /// How many are of which outcome: refreshed, without a state yet, cancelled, failed.
    fn counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        for it in &self.done {
            let at = match it.outcome {
                Outcome::Refreshed { .. } => 0,
                Outcome::NoState => 1,
                Outcome::Cancelled => 2,
                Outcome::Failed(_) => 3,
            };
            counts[at] += 1;
        }
        counts
    }

    /// How many are refreshed.
    pub fn refreshed(&self) -> usize {
        self.counts()[0]
    }

    /// Those of which there is nothing new, and why.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &Failure)> {
        self.done.iter().filter_map(|it| match &it.outcome {
            Outcome::Failed(failure) => Some((&*it.name, failure)),
            _ => None,
        })
    }

    /// Whether somebody wanted it no more before it was done.
    pub fn is_cancelled(&self) -> bool {
        self.counts()[2] > 0
    }
}

impl std::fmt::Display for Summary {
    /// How many stacks are refreshed, and of which kinds the others are, in a sentence without its
    /// full stop.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [refreshed, without, cancelled, failed] = self.counts();
        let all = self.done.len();
        if all == 0 {
            return f.write_str("no stack is to be refreshed");
        }
        let stacks = if all == 1 { "stack" } else { "stacks" };
        write!(f, "{refreshed} of {all} {stacks} refreshed")?;
        if without > 0 {
            write!(f, ", {without} without a state yet")?;
        }
        if cancelled > 0 {
            write!(f, ", {cancelled} cancelled")?;
        }
        if failed > 0 {
            let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
            for (_, failure) in self.failures() {
                *kinds.entry(failure.kind).or_default() += 1;
            }
            let kinds: Vec<_> = kinds
                .iter()
                .map(|(kind, count)| format!("{count} {}", kind.as_str()))
                .collect();
            write!(f, ", {failed} failed ({})", kinds.join(", "))?;
        }
        Ok(())
    }
}
