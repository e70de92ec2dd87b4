//! States that an editor has fetched: by command, or by itself where the user has switched that on.
//!
//! One refresh at a time. Nothing is run in a workspace that the editor says is not trusted, and what
//! runs ends with the server.

mod wanted;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::{Mutex as Turn, watch};
use tokio::time::{Instant, sleep, timeout};
use tower_lsp::ls_types::{MessageType, ProgressToken};

use crate::checks::Settings;
use crate::refresh::{Cancel, Event, Outcome, Refresh, Status, Summary};

use super::session::Session;
use super::watch::Disk;
use wanted::{Chosen, Wanted};

/// Fetches states. Its argument is `{ "stacks": [NAME…] | "all" | "changed", "workspaces": [NAME…] |
/// "all", "force": true }`, each of which may be left out: all stacks then.
pub(super) const REFRESH: &str = "gantrycd.refresh";

/// Tells which state each stack has, and how old it is.
pub(super) const STATUS: &str = "gantrycd.status";

/// How often the client hears how far a refresh has come.
const OFTEN: Duration = Duration::from_millis(100);

/// How often it is looked whether the user wants all stacks to be asked by now.
const LOOK: Duration = Duration::from_secs(5);

const NOT_TRUSTED: &str = "this workspace is not trusted: nothing is run in it";

/// What is being fetched.
pub(super) struct Refreshing {
    turn: Turn<()>,
    /// What is being fetched, each with the token of its progress.
    running: Mutex<Vec<(ProgressToken, Cancel)>>,
    at_work: watch::Sender<usize>,
    /// Files that were saved and whose stacks are still to be asked.
    saved: Mutex<BTreeSet<Arc<Path>>>,
    trusted: AtomicBool,
    ended: AtomicBool,
}

impl Refreshing {
    pub(super) fn new() -> Self {
        Self {
            turn: Turn::default(),
            running: Mutex::default(),
            at_work: watch::Sender::new(0),
            saved: Mutex::default(),
            // most editors know no workspace that is not
            trusted: AtomicBool::new(true),
            ended: AtomicBool::new(false),
        }
    }

    /// Takes from an editor's settings whether it trusts the workspace: that is none of what a person
    /// sets.
    pub(super) fn take_trust(&self, settings: &mut Value) {
        let said = settings.as_object_mut().and_then(|it| it.remove("trusted"));
        if let Some(trusted) = said.and_then(|it| it.as_bool()) {
            self.trusted.store(trusted, Ordering::SeqCst);
        }
    }

    fn is_trusted(&self) -> bool {
        self.trusted.load(Ordering::SeqCst)
    }

    fn running(&self) -> MutexGuard<'_, Vec<(ProgressToken, Cancel)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client wants no more of what it was shown under this token.
    pub(super) fn cancel(&self, token: &ProgressToken) {
        let running = self.running();
        let wanted = running.iter().filter(|(it, _)| it == token);
        wanted.for_each(|(_, it)| it.cancel());
    }

    /// Ends everything, and waits until nothing runs any more.
    pub(super) async fn end(&self, most: Duration) {
        self.ended.store(true, Ordering::SeqCst);
        self.running().iter().for_each(|(_, it)| it.cancel());
        let mut at_work = self.at_work.subscribe();
        _ = timeout(most, at_work.wait_for(|it| *it == 0)).await;
    }
}

/// Nobody wants what was asked for once its request is gone.
struct OfRequest(Cancel);

impl Drop for OfRequest {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// That something is being fetched.
struct AtWork<'a> {
    refreshing: &'a Refreshing,
    token: ProgressToken,
}

impl<'a> AtWork<'a> {
    fn new(refreshing: &'a Refreshing, token: ProgressToken, cancel: &Cancel) -> Self {
        refreshing.at_work.send_modify(|it| *it += 1);
        refreshing.running().push((token.clone(), cancel.clone()));
        if refreshing.ended.load(Ordering::SeqCst) {
            cancel.cancel();
        }
        Self { refreshing, token }
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let of_ours = |it: &(ProgressToken, Cancel)| it.0 != self.token;
        self.refreshing.running().retain(of_ours);
        self.refreshing.at_work.send_modify(|it| *it -= 1);
    }
}

/// Fetches what a client wants, and tells it what came of that.
pub(super) async fn refresh(
    session: Arc<Session>,
    argument: Value,
    token: Option<ProgressToken>,
) -> Result<Value, String> {
    let wanted = Wanted::of(&argument)?;
    if !session.refreshing.is_trusted() {
        return Err(NOT_TRUSTED.to_owned());
    }
    let request = OfRequest(Cancel::default());
    let cancel = request.0.clone();
    let fetching = tokio::spawn(async move {
        let _turn = session.refreshing.turn.lock().await;
        let view = session.view().await;
        let chosen = wanted.chosen(&view)?;
        let summary = fetch(&session, chosen, wanted.even_if_older, &cancel, token).await;
        session.show(&summary).await;
        Ok(answer(&summary))
    });
    fetching.await.map_err(|it| it.to_string())?
}

/// Tells which state each stack has.
pub(super) async fn status(session: Arc<Session>) -> Result<Value, String> {
    let view = session.view().await;
    let now = SystemTime::now();
    let parts = view.parts.iter().map(|part| {
        let settings = Settings::in_force(&part.snapshot, &view.editor);
        serde_json::to_value(Status::of(&part.snapshot, &settings.states, now))
    });
    let mut parts = parts
        .collect::<Result<Vec<_>, _>>()
        .map_err(|it| it.to_string())?;
    let mut status = json!({ "version": 1, "stacks": [] });
    let stacks = parts.iter_mut().flat_map(|it| match it["stacks"].take() {
        Value::Array(stacks) => stacks,
        _ => Vec::new(),
    });
    status["stacks"] = stacks.collect();
    Ok(status)
}

fn answer(summary: &Summary) -> Value {
    let failed = summary.failures().map(|(stack, it)| {
        json!({ "stack": stack, "kind": it.kind.as_str(), "message": it.to_string() })
    });
    json!({
        "summary": summary.to_string(),
        "refreshed": summary.refreshed(),
        "failed": failed.collect::<Vec<_>>(),
        "cancelled": summary.is_cancelled(),
    })
}

/// Fetches the states of these stacks, and shows how far that has come. What is new counts at once.
async fn fetch(
    session: &Arc<Session>,
    chosen: Vec<Chosen>,
    even_if_older: bool,
    cancel: &Cancel,
    token: Option<ProgressToken>,
) -> Summary {
    let own = token.is_none();
    let token = token.unwrap_or_else(next_token);
    let _at_work = AtWork::new(&session.refreshing, token.clone(), cancel);
    let counts = watch::Sender::new((0, 0));
    let shown = show_progress(session.clone(), (token, own), counts.subscribe());
    let shown = tokio::spawn(shown);
    let mut summary = Summary { done: Vec::new() };
    for (snapshot, targets, settings) in chosen {
        let before = *counts.borrow();
        let refresh = Refresh {
            snapshot,
            targets,
            settings: settings.states,
            even_if_older,
            cancel: cancel.clone(),
        };
        let tell = |event: Event| {
            counts.send_replace((before.0 + event.done, before.1 + event.all));
        };
        summary.done.extend(refresh.run(tell).await.done);
    }
    drop(counts);
    let written = summary.done.iter().flat_map(|it| {
        let inventory = match &it.outcome {
            Outcome::Refreshed { path, .. } => Some(path),
            _ => None,
        };
        inventory.into_iter().chain(&it.learnt).cloned()
    });
    session.disk_changed(Disk::paths(written));
    _ = shown.await;
    summary
}

fn next_token() -> ProgressToken {
    static TOKENS: AtomicI32 = AtomicI32::new(0);
    let token = TOKENS.fetch_add(1, Ordering::Relaxed);
    ProgressToken::String(format!("gantrycd-refreshing-{token}"))
}

/// Shows how many stacks are done, until there is nobody left who counts them. A token of our own is
/// made known first.
async fn show_progress(
    session: Arc<Session>,
    (token, own): (ProgressToken, bool),
    mut counts: watch::Receiver<(usize, usize)>,
) {
    let client = &session.client;
    if own {
        let can = session.settings().shows_progress;
        let made = can
            && client
                .create_work_done_progress(token.clone())
                .await
                .is_ok();
        if !made {
            return;
        }
    }
    let shown = client.progress(token, "gantrycd: refreshing states");
    let shown = shown.with_percentage(0).with_cancel_button().begin().await;
    while counts.changed().await.is_ok() {
        let (done, all) = *counts.borrow_and_update();
        let percent = (done * 100).checked_div(all).unwrap_or(0).min(100);
        let message = format!("{done} of {all} stacks");
        shown
            .report_with_message(message, percent as u32, Some(true))
            .await;
        sleep(OFTEN).await;
    }
    shown.finish().await;
}

impl Session {
    /// Shows what came of a refresh, and logs why there is nothing new of which stack.
    async fn show(&self, summary: &Summary) {
        let failures = summary
            .failures()
            .map(|(stack, it)| format!("{stack}: {it}"));
        let notes = summary.done.iter();
        let notes = notes.filter_map(|it| Some(format!("{}: {}", it.name, it.note.as_ref()?)));
        let lines: Vec<_> = failures.chain(notes).collect();
        if !lines.is_empty() {
            let lines = format!("refresh:\n{}", lines.join("\n"));
            self.say(MessageType::WARNING, lines);
        }
        let failed = summary.failures().next();
        let (kind, first) = match failed {
            Some((stack, failure)) => (MessageType::WARNING, format!(": {stack}: {failure}")),
            None => (MessageType::INFO, String::new()),
        };
        let more = if summary.failures().count() > 1 {
            " (the others are in the log)"
        } else {
            ""
        };
        let what = format!("gantrycd: {summary}{first}{more}");
        self.client.show_message(kind, what).await;
    }

    /// Asks the stacks of a file that was saved for their states, if the user has switched that on.
    pub(super) fn saved(self: &Arc<Self>, path: &Path) {
        let view = self.view.borrow().clone();
        if !view.editor.states.refreshes_on_save() || !self.refreshing.is_trusted() {
            return;
        }
        let saved = &self.refreshing.saved;
        let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
        saved.insert(path.into());
        drop(saved);
        let session = self.clone();
        tokio::spawn(async move { session.refresh_saved().await });
    }

    async fn refresh_saved(self: Arc<Self>) {
        let _turn = self.refreshing.turn.lock().await;
        let saved = {
            let saved = &self.refreshing.saved;
            std::mem::take(&mut *saved.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if saved.is_empty() {
            return;
        }
        let view = self.view().await;
        let Ok(mut chosen) = Wanted::all().chosen(&view) else {
            return;
        };
        for (snapshot, targets, _) in &mut chosen {
            let files = saved.iter().filter_map(|it| snapshot.file(it));
            let stacks: BTreeSet<_> = files.flat_map(|it| snapshot.stacks_of(it)).collect();
            let stacks = stacks.iter().map(|it| &snapshot.stacks[*it]);
            let directories: BTreeSet<_> = stacks.map(|it| it.directory.clone()).collect();
            targets.retain(|it| directories.contains(&it.directory));
        }
        self.refresh_quietly(chosen).await;
    }

    /// Fetches states that nobody waits for: only what goes wrong is logged.
    async fn refresh_quietly(self: &Arc<Self>, chosen: Vec<Chosen>) {
        if chosen.iter().all(|(_, targets, _)| targets.is_empty()) {
            return;
        }
        let summary = fetch(self, chosen, false, &Cancel::default(), None).await;
        let failures = summary
            .failures()
            .map(|(stack, it)| format!("{stack}: {it}"));
        let failures: Vec<_> = failures.collect();
        if !failures.is_empty() {
            let lines = format!("refresh: {summary}\n{}", failures.join("\n"));
            self.say(MessageType::WARNING, lines);
        }
    }
}

/// Asks all stacks for their states as often as the user wants, until the process ends.
pub(super) async fn every_so_often(session: Arc<Session>) {
    let mut due = Due(Instant::now());
    loop {
        sleep(LOOK).await;
        let interval = session.view.borrow().editor.states.refresh_interval();
        if !due.is_now(interval, Instant::now()) || !session.refreshing.is_trusted() {
            continue;
        }
        let _turn = session.refreshing.turn.lock().await;
        let view = session.view().await;
        if let Ok(chosen) = Wanted::all().chosen(&view) {
            session.refresh_quietly(chosen).await;
        }
    }
}

/// When something was begun last that is done again and again, or when somebody began to want it.
struct Due(Instant);

impl Due {
    /// Whether it is to be begun by now; then it counts as begun.
    fn is_now(&mut self, interval: Option<Duration>, now: Instant) -> bool {
        let is_now = interval.is_some_and(|it| now.duration_since(self.0) >= it);
        if is_now || interval.is_none() {
            self.0 = now;
        }
        is_now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_asked_as_often_as_the_user_wants_and_never_else() {
        let start = Instant::now();
        let mut due = Due(start);
        let mut asked = |from: u64, to: u64, minutes: Option<u64>| {
            let interval = minutes.map(|it| Duration::from_secs(60 * it));
            let looks = (from..to).map(|it| start + Duration::from_secs(60 * it));
            looks.filter(|it| due.is_now(interval, *it)).count()
        };
        assert_eq!(asked(0, 60, None), 0);
        assert_eq!(
            asked(60, 69, Some(10)),
            0,
            "it begins when it is switched on"
        );
        assert_eq!(asked(69, 120, Some(10)), 6);
        assert_eq!(asked(120, 180, None), 0);
    }

    #[test]
    fn whether_a_workspace_is_trusted_is_no_setting() {
        let refreshing = Refreshing::new();
        let mut settings = json!({ "checks": {}, "trusted": false });
        refreshing.take_trust(&mut settings);
        assert_eq!(settings, json!({ "checks": {} }));
        assert!(!refreshing.is_trusted());
        refreshing.take_trust(&mut json!({ "checks": {} }));
        assert!(!refreshing.is_trusted(), "what is not said stays");
        refreshing.take_trust(&mut json!({ "trusted": true }));
        assert!(refreshing.is_trusted());
        refreshing.take_trust(&mut json!(null));
    }
}
