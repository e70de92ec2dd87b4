//! Which states a client wants to be fetched: the argument of the command, and what of it is in each
//! workspace.

use serde_json::Value;

use crate::checks::Settings;
use crate::refresh::{Choice, Target, Which, Workspaces, choose};
use crate::workspace::Snapshot;

use crate::server::view::{Part, View};

/// What a client wants to be fetched.
pub(super) struct Wanted {
    which: Which,
    /// `None` is as it is set.
    workspaces: Option<Workspaces>,
    pub(super) even_if_older: bool,
}

/// Stacks of one workspace, and what is set there.
pub(super) type Chosen = (Snapshot, Vec<Target>, Settings);

impl Wanted {
    /// All stacks, as they are set to be asked.
    pub(super) fn all() -> Self {
        Self {
            which: Which::All,
            workspaces: None,
            even_if_older: false,
        }
    }

    pub(super) fn of(argument: &Value) -> Result<Self, String> {
        let names = |it: &Value| -> Option<Vec<String>> {
            let names = it.as_array()?.iter();
            names.map(|it| Some(it.as_str()?.to_owned())).collect()
        };
        let which = match &argument["stacks"] {
            Value::Null => Which::All,
            Value::String(all) if all == "all" => Which::All,
            Value::String(changed) if changed == "changed" => Which::Changed,
            other => Which::Named(
                names(other).ok_or("`stacks` is \"all\", \"changed\" or a list of names")?,
            ),
        };
        let workspaces = match &argument["workspaces"] {
            Value::Null => None,
            Value::String(all) if all == "all" => Some(Workspaces::All),
            other => Some(Workspaces::Named(
                names(other).ok_or("`workspaces` is \"all\" or a list of names")?,
            )),
        };
        let force = &argument["force"];
        Ok(Self {
            which,
            workspaces,
            even_if_older: force.as_bool().unwrap_or(false),
        })
    }

    /// What of it is in one workspace.
    fn within(&self, part: &Part, editor: &Settings) -> Result<(Vec<Target>, Settings), String> {
        let settings = Settings::in_force(&part.snapshot, editor);
        let workspaces = self.workspaces.clone();
        let all = settings.states.all_workspaces();
        let choice = Choice {
            which: self.which.clone(),
            workspaces: workspaces.unwrap_or(match all {
                true => Workspaces::All,
                false => Workspaces::Known,
            }),
        };
        let targets = choose(&part.snapshot, &settings.states, &choice)?;
        Ok((targets, settings))
    }

    /// What of it is in each workspace of a view.
    pub(super) fn chosen(&self, view: &View) -> Result<Vec<Chosen>, String> {
        let mut chosen = Vec::new();
        let mut unknown = None;
        for part in &view.parts {
            match self.within(part, &view.editor) {
                Ok((targets, settings)) => {
                    chosen.push((part.snapshot.clone(), targets, settings));
                }
                Err(why) => unknown = Some(why),
            }
        }
        match (chosen.is_empty(), unknown) {
            // of several workspaces, one has the stack
            (true, Some(why)) => Err(why),
            _ => Ok(chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_client_wants_is_understood_or_refused() {
        let which = |argument| Wanted::of(&argument).map(|it| format!("{:?}", it.which));
        assert_eq!(which(json!(null)).unwrap(), "All");
        assert_eq!(which(json!({ "stacks": "all" })).unwrap(), "All");
        assert_eq!(which(json!({ "stacks": "changed" })).unwrap(), "Changed");
        let named = which(json!({ "stacks": ["a", "b/*"] })).unwrap();
        assert_eq!(named, r#"Named(["a", "b/*"])"#);
        for wrong in [
            json!({ "stacks": "some" }),
            json!({ "stacks": [1] }),
            json!({ "stacks": 1 }),
            json!({ "workspaces": "some" }),
        ] {
            assert!(which(wrong).is_err());
        }
    }
}
