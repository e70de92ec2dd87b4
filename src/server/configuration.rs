//! The editor's settings on their way in: when the client introduces itself, when it says that they
//! changed, and when it answers what they are.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::ls_types::{ConfigurationItem, MessageType, Registration};

use crate::checks::Settings;

use super::session::Session;

/// The name under which our settings stand among those of others.
const SECTION: &str = "gantrycd";

/// The settings as the client has told them.
#[derive(Default)]
pub(super) struct Configuration {
    /// What it said when it introduced itself, which counts while it says nothing else.
    initial: Value,
    /// What counts.
    now: Value,
    /// How often it has told, or was asked: an answer to anything but the last question is too old.
    told: u64,
}

/// Those of ours among the settings that a client sent, under our name or as they are.
fn ours(sent: &Value) -> Option<&Value> {
    match sent.get(SECTION) {
        Some(ours) => Some(ours).filter(|it| !it.is_null()),
        None => Some(sent).filter(|it| Settings::are_meant(it)),
    }
}

impl Session {
    /// Keeps what a client said when it introduced itself.
    pub(super) fn configure_initially(&self, options: Option<&Value>) {
        let mut options = options.cloned().unwrap_or_default();
        self.refreshing.take_trust(&mut options);
        let ours = options.get(SECTION).unwrap_or(&options);
        self.configuration().initial = ours.clone();
    }

    /// Takes the settings that a client has from the start.
    pub(super) fn start_configuration(self: &Arc<Self>) {
        self.set_configuration(Value::Null, None);
        if self.settings().registers_configuration {
            let registration = Registration {
                id: "gantrycd-settings".into(),
                method: "workspace/didChangeConfiguration".into(),
                register_options: None,
            };
            let client = self.client.clone();
            // as with the watchers, the answer is of no consequence
            tokio::spawn(async move { client.register_capability(vec![registration]).await });
        }
        if self.settings().answers_configuration {
            self.ask_for_configuration();
        }
    }

    /// Takes the settings that a client sent because they changed; where it sent none, it is asked.
    pub(super) fn configure(self: &Arc<Self>, sent: &Value) {
        match ours(sent) {
            Some(ours) => self.set_configuration(ours.clone(), None),
            None if self.settings().answers_configuration => self.ask_for_configuration(),
            None => self.set_configuration(Value::Null, None),
        }
    }

    fn ask_for_configuration(self: &Arc<Self>) {
        let asked = {
            let mut configuration = self.configuration();
            configuration.told += 1;
            configuration.told
        };
        let session = self.clone();
        // whoever waits for the client in a handler may wait for ever
        tokio::spawn(async move {
            let item = ConfigurationItem {
                scope_uri: None,
                section: Some(SECTION.into()),
            };
            if let Ok(answer) = session.client.configuration(vec![item]).await {
                let ours = answer.into_iter().next().unwrap_or_default();
                session.set_configuration(ours, Some(asked));
            }
        });
    }

    /// Has these settings count; null is those from the start. `asked` is the question that they
    /// answer.
    fn set_configuration(&self, mut settings: Value, asked: Option<u64>) {
        let mut configuration = self.configuration();
        if asked.is_some_and(|it| it != configuration.told) {
            return;
        }
        configuration.told += 1;
        if settings.is_null() {
            settings.clone_from(&configuration.initial);
        }
        self.refreshing.take_trust(&mut settings);
        if configuration.now == settings {
            return;
        }
        let (read, faults) = match &settings {
            Value::Null => Default::default(),
            settings => Settings::of_editor(settings),
        };
        configuration.now = settings;
        // before the next ones can be set
        self.update(|it| it.settings = Some(Arc::new(read)));
        drop(configuration);
        if !faults.is_empty() {
            let client = self.client.clone();
            let what = format!("gantrycd settings: {}", faults.join(" "));
            tokio::spawn(async move { client.show_message(MessageType::WARNING, what).await });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ours_under_our_name_or_as_they_are() {
        let checks = json!({ "checks": { "syntax": "off" } });
        let among_others = json!({ "gantrycd": checks, "other": { "checks": 1 } });
        assert_eq!(ours(&among_others), Some(&checks));
        assert_eq!(ours(&checks), Some(&checks));
        let misspelt = json!({ "cheks": {} });
        assert_eq!(ours(&misspelt), Some(&misspelt));
        let empty = json!({ "gantrycd": {} });
        assert_eq!(
            ours(&empty),
            Some(&json!({})),
            "that nothing is set is something"
        );
    }

    #[test]
    fn none_of_ours() {
        for sent in [
            json!(null),
            json!({}),
            json!({ "gantrycd": null }),
            json!({ "editor": { "tabSize": 2 } }),
            json!([]),
        ] {
            assert_eq!(ours(&sent), None, "{sent}");
        }
    }
}
