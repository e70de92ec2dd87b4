//! What the server knows of its client, and what the client changed since the last analysis.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;
use tower_lsp::Client;
use tower_lsp::ls_types::{
    CodeActionClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities,
    DiagnosticTag, DocumentLinkOptions, ExecuteCommandOptions, HoverProviderCapability,
    InitializeParams, MessageType, OneOf, PositionEncodingKind, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri, WorkDoneProgressOptions, WorkspaceFoldersChangeEvent,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::checks;
use crate::text::Encoding;

use super::actions::FIX_ALL;
use super::commands;
use super::configuration::Configuration;
use super::convert::path_of;
use super::document::Document;
use super::loading::Loading;
use super::refreshing::Refreshing;
use super::view::View;
use super::watch::{Disk, Unsettled};

/// How many lines for the client's log may wait for it to read them.
const MOST_LINES: usize = 64;

/// How long an answer waits for stacks that are still to be read, before it says what is known of
/// those that were.
const FOR_THE_REST: Duration = Duration::from_secs(1);

/// What the client can do, resolved once.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Settings {
    pub(super) encoding: Encoding,
    /// Edits may name the version of the document that they are for.
    pub(super) document_changes: bool,
    /// Diagnostics may carry related places.
    pub(super) related_information: bool,
    /// Diagnostics may link to the page of their code.
    pub(super) links_codes: bool,
    /// Diagnostics may say that a text does nothing.
    pub(super) unnecessary_tag: bool,
    /// Completions may have stops for the cursor.
    pub(super) snippets: bool,
    /// The client chooses whether a completion takes the place of what is behind the cursor.
    pub(super) inserts_or_replaces: bool,
    /// The client asks for the edit of a code action when it is chosen.
    pub(super) resolves_edits: bool,
    /// The client tells of changes on the disk.
    pub(super) watches_files: bool,
    /// The client can be asked for the editor's settings.
    pub(super) answers_configuration: bool,
    /// The client asks for diagnostics by itself, and can be told to.
    pub(super) pulls: bool,
    /// Definitions may say what of the text names them, and how far what they name reaches.
    pub(super) links_definitions: bool,
    /// The client can be told to ask for lenses again, and for hints.
    pub(super) refreshes_lenses: bool,
    pub(super) refreshes_hints: bool,
    /// The client shows how far something has come.
    pub(super) shows_progress: bool,
    /// The client tells of changes of the editor's settings if it is told to.
    pub(super) registers_configuration: bool,
    /// The client shows documents that it is told of.
    pub(super) shows_documents: bool,
    /// The client shows what the whole workspace comes to.
    pub(super) shows_status: bool,
}

/// Everything that notifications change.
pub(super) struct Session {
    pub(super) client: Client,
    settings: OnceLock<Settings>,
    configuration: Mutex<Configuration>,
    pub(super) documents: DashMap<Arc<Path>, Document>,
    /// Documents that are open too, but whose text is not known any more.
    pub(super) lost: DashMap<Arc<Path>, Document>,
    pending: Mutex<Changes>,
    pub(super) unsettled: Unsettled,
    wake: Notify,
    revision: AtomicU64,
    pub(super) view: watch::Sender<Arc<View>>,
    pub(super) loading: Loading,
    pub(super) refreshing: Refreshing,
    /// The lines that wait for the client to log them; `None` before there was any.
    lines: OnceLock<mpsc::Sender<(MessageType, String)>>,
    started: AtomicBool,
    shut_down: AtomicBool,
}

/// What changed since the last analysis.
#[derive(Default, Debug)]
pub(super) struct Changes {
    /// The session's revision that they bring about.
    pub(super) revision: u64,
    /// Documents that were opened, edited or closed.
    pub(super) documents: BTreeSet<Arc<Path>>,
    /// What did on the disk.
    pub(super) disk: Disk,
    /// The workspace folders, when they are others.
    pub(super) added: Vec<PathBuf>,
    pub(super) removed: Vec<PathBuf>,
    /// The editor's settings, when they are others.
    pub(super) settings: Option<Arc<checks::Settings>>,
}

impl Session {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            settings: OnceLock::new(),
            configuration: Mutex::default(),
            documents: DashMap::new(),
            lost: DashMap::new(),
            pending: Mutex::default(),
            unsettled: Unsettled::new(),
            wake: Notify::new(),
            revision: AtomicU64::new(0),
            view: watch::Sender::new(Arc::default()),
            loading: Loading::new(),
            refreshing: Refreshing::new(),
            lines: OnceLock::new(),
            started: AtomicBool::new(false),
            shut_down: AtomicBool::new(false),
        }
    }

    pub(super) fn initialize(&self, params: &InitializeParams) -> ServerCapabilities {
        let settings = *self.settings.get_or_init(|| settings(params));
        let folders = params.workspace_folders.iter().flatten();
        let mut folders: Vec<_> = folders.filter_map(|it| path_of(&it.uri)).collect();
        if folders.is_empty() {
            #[allow(deprecated)] // what clients without workspace folders send
            let root = params.root_uri.as_ref().and_then(path_of);
            folders.extend(root);
        }
        self.update(|it| it.added.extend(folders));
        self.configure_initially(params.initialization_options.as_ref());
        capabilities(settings)
    }

    pub(super) fn settings(&self) -> Settings {
        self.settings.get().copied().unwrap_or_default()
    }

    pub(super) fn configuration(&self) -> MutexGuard<'_, Configuration> {
        let configuration = self.configuration.lock();
        configuration.unwrap_or_else(PoisonError::into_inner)
    }

    /// What the client says that changed on the disk.
    pub(super) fn files_changed<'a>(&self, uris: impl Iterator<Item = &'a Uri>) {
        let paths = uris.filter_map(path_of);
        // the text of an open document is the editor's: there is nothing to wait for
        let (open, others): (BTreeSet<_>, BTreeSet<_>) =
            paths.partition(|it| self.documents.contains_key(&**it));
        if !open.is_empty() {
            self.disk_changed(Disk::paths(open));
        }
        if !others.is_empty() {
            self.unsettled.told(Disk::paths(others));
        }
    }

    pub(super) fn disk_changed(&self, disk: Disk) {
        self.update(|it| it.disk.join(disk));
    }

    pub(super) fn change_folders(&self, event: &WorkspaceFoldersChangeEvent) {
        let added = event.added.iter().filter_map(|it| path_of(&it.uri));
        let removed = event.removed.iter().filter_map(|it| path_of(&it.uri));
        self.update(|it| {
            for folder in removed {
                it.added.retain(|added| *added != folder);
                it.removed.push(folder);
            }
            it.added.extend(added);
        });
    }

    /// The revision that everything until now comes to.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    /// Has the client log a line, after those before it. Nobody waits for it; of a client that does
    /// not read, no more than a few are kept.
    pub(super) fn say(&self, kind: MessageType, what: String) {
        let lines = self.lines.get_or_init(|| {
            let (lines, mut waiting) = mpsc::channel(MOST_LINES);
            let client = self.client.clone();
            tokio::spawn(async move {
                while let Some((kind, what)) = waiting.recv().await {
                    client.log_message(kind, what).await;
                }
            });
            lines
        });
        _ = lines.try_send((kind, what));
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut Changes)) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut pending);
        pending.revision = self.revision.fetch_add(1, Ordering::SeqCst) + 1;
        drop(pending);
        self.wake.notify_one();
    }

    /// Waits until something changed after this revision. The wake-up may be of a change that was
    /// taken already.
    pub(super) async fn changed_after(&self, revision: u64) {
        while self.revision() <= revision {
            self.wake.notified().await;
        }
    }

    /// What changed since this was asked last.
    pub(super) fn take_changes(&self) -> Changes {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut pending)
    }

    /// What the present text comes to. Waits for the analysis that knows of it.
    pub(super) async fn view(&self) -> Arc<View> {
        self.unsettled.settled().await;
        let wanted = self.revision();
        let mut views = self.view.subscribe();
        let whole = views.wait_for(|it| it.revision >= wanted && !it.is_partial);
        if let Ok(Ok(view)) = timeout(FOR_THE_REST, whole).await {
            return view.clone();
        }
        match views.wait_for(|it| it.revision >= wanted).await {
            Ok(view) => view.clone(),
            Err(_) => Arc::default(),
        }
    }

    /// The same, when everything has been read, however long that takes.
    pub(super) async fn whole_view(&self) -> Arc<View> {
        self.unsettled.settled().await;
        let wanted = self.revision();
        let mut views = self.view.subscribe();
        let whole = views.wait_for(|it| it.revision >= wanted && !it.is_partial);
        match whole.await {
            Ok(view) => view.clone(),
            Err(_) => Arc::default(),
        }
    }

    /// Whether this is the first time that the client says that it is initialized.
    pub(super) fn start(&self) -> bool {
        !self.started.swap(true, Ordering::SeqCst)
    }

    pub(super) fn shut_down(&self) {
        self.shut_down.store(true, Ordering::SeqCst);
    }

    pub(super) fn was_shut_down(&self) -> bool {
        self.shut_down.load(Ordering::SeqCst)
    }
}

fn settings(params: &InitializeParams) -> Settings {
    let capabilities = &params.capabilities;
    let general = capabilities.general.as_ref();
    let encodings = general.and_then(|it| it.position_encodings.as_deref());
    let offers = |kind: PositionEncodingKind| encodings.is_some_and(|it| it.contains(&kind));
    let workspace = capabilities.workspace.as_ref();
    let document = capabilities.text_document.as_ref();
    let diagnostics = document.and_then(|it| it.publish_diagnostics.as_ref());
    let item = document.and_then(|it| it.completion.as_ref()?.completion_item.as_ref());
    Settings {
        // bytes are what everything here counts in
        encoding: match offers(PositionEncodingKind::UTF8) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        },
        document_changes: workspace
            .and_then(|it| it.workspace_edit.as_ref()?.document_changes)
            .unwrap_or(false),
        related_information: diagnostics
            .and_then(|it| it.related_information)
            .unwrap_or(false),
        links_codes: diagnostics
            .and_then(|it| it.code_description_support)
            .unwrap_or(false),
        unnecessary_tag: diagnostics
            .and_then(|it| it.tag_support.as_ref())
            .is_some_and(|it| it.value_set.contains(&DiagnosticTag::UNNECESSARY)),
        snippets: item.and_then(|it| it.snippet_support).unwrap_or(false),
        inserts_or_replaces: item
            .and_then(|it| it.insert_replace_support)
            .unwrap_or(false),
        resolves_edits: document
            .and_then(|it| it.code_action.as_ref())
            .is_some_and(resolves_edits),
        watches_files: workspace
            .and_then(|it| it.did_change_watched_files.as_ref()?.dynamic_registration)
            .unwrap_or(false),
        answers_configuration: workspace.and_then(|it| it.configuration).unwrap_or(false),
        // one that cannot be told to would not hear of what an edit makes of other files
        pulls: document.is_some_and(|it| it.diagnostic.is_some())
            && workspace
                .and_then(|it| it.diagnostics.as_ref()?.refresh_support)
                .unwrap_or(false),
        links_definitions: document
            .and_then(|it| it.definition.as_ref()?.link_support)
            .unwrap_or(false),
        refreshes_lenses: workspace
            .and_then(|it| it.code_lens.as_ref()?.refresh_support)
            .unwrap_or(false),
        refreshes_hints: workspace
            .and_then(|it| it.inlay_hint.as_ref()?.refresh_support)
            .unwrap_or(false),
        shows_progress: capabilities
            .window
            .as_ref()
            .and_then(|it| it.work_done_progress)
            .unwrap_or(false),
        registers_configuration: workspace
            .and_then(|it| it.did_change_configuration.as_ref()?.dynamic_registration)
            .unwrap_or(false),
        shows_documents: capabilities
            .window
            .as_ref()
            .and_then(|it| it.show_document.as_ref())
            .is_some_and(|it| it.support),
        shows_status: capabilities
            .experimental
            .as_ref()
            .is_some_and(|it| it["gantrycd"]["status"] == true),
    }
}

fn resolves_edits(client: &CodeActionClientCapabilities) -> bool {
    let resolves = client.resolve_support.as_ref();
    let edits = resolves.is_some_and(|it| it.properties.iter().any(|it| it == "edit"));
    edits && client.data_support == Some(true)
}

fn capabilities(settings: Settings) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match settings.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..Default::default()
            },
        )),
        diagnostic_provider: settings.pulls.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("gantrycd".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..Default::default()
            })
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: Default::default(),
        }),
        call_hierarchy_provider: Some(true.into()),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(true),
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions {
            // editors do not ask within quotes by themselves, and stop at what is in no word
            trigger_characters: Some(["\"", ":", "-"].map(str::to_owned).into()),
            ..Default::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![
                CodeActionKind::QUICKFIX,
                CodeActionKind::REFACTOR_REWRITE,
                FIX_ALL,
            ]),
            resolve_provider: settings.resolves_edits.then_some(true),
            ..Default::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL.iter().map(ToString::to_string).collect(),
            work_done_progress_options: WorkDoneProgressOptions {
                work_done_progress: Some(true),
            },
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}
