//! What a person set of cached states: how they are fetched, and how old they may be.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::eval::Data;
use crate::syntax::{Expression, ExpressionKind};
use crate::workspace::{Stack, constant};

use super::items::Items;

/// A tool that stacks are applied with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    /// OpenTofu.
    Tofu,
    /// Terraform.
    Terraform,
}

impl Tool {
    /// The tool of this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "tofu" => Some(Tool::Tofu),
            "terraform" => Some(Tool::Terraform),
            _ => None,
        }
    }

    /// Its name, which is its program's.
    pub fn as_str(self) -> &'static str {
        match self {
            Tool::Tofu => "tofu",
            Tool::Terraform => "terraform",
        }
    }
}

/// What a person set of cached states.
#[derive(Clone, Default, Debug)]
pub struct States {
    tool: Option<Tool>,
    /// By the stack's name.
    tools: BTreeMap<Box<str>, Tool>,
    parallelism: Option<usize>,
    timeout_seconds: Option<u64>,
    all_workspaces: Option<bool>,
    /// How many days old a state may be before what rests on it says so.
    pub max_age_days: Option<u64>,
    refresh_on_save: Option<bool>,
    refresh_interval_minutes: Option<u64>,
}

/// How many stacks are asked at the same time unless somebody sets it otherwise.
pub const PARALLELISM: usize = 4;

/// How many seconds one stack may take unless somebody sets it otherwise.
pub const TIMEOUT_SECONDS: u64 = 120;

/// In seconds.
const A_DAY: u64 = 24 * 60 * 60;

const A_YEAR: u64 = 365 * A_DAY;

impl States {
    pub(super) fn of(items: &Items) -> Self {
        let mut states = Self::default();
        for (name, value) in items.sections("states").flat_map(|it| &it.pairs) {
            match &*name.text {
                "tool" => set(&mut states.tool, tool(value)),
                "parallelism" => set(&mut states.parallelism, positive(value)),
                "timeout_seconds" => set(&mut states.timeout_seconds, positive(value)),
                "all_workspaces" => set(&mut states.all_workspaces, flag(value)),
                "max_age_days" => set(&mut states.max_age_days, count(value)),
                "refresh_on_save" => set(&mut states.refresh_on_save, flag(value)),
                "refresh_interval_minutes" => {
                    set(&mut states.refresh_interval_minutes, count(value));
                }
                _ => {}
            }
        }
        for block in items
            .blocks
            .iter()
            .filter(|it| *it.keyword.text == *"stack")
        {
            let tools = block.items.pairs.iter();
            let tools = tools.filter(|(name, _)| *name.text == *"tool");
            if let (Some(stack), Some(tool)) = (
                block.labels.first(),
                tools.rev().find_map(|(_, it)| tool(it)),
            ) {
                states.tools.insert((*stack.text).into(), tool);
            }
        }
        states
    }

    /// The same of the workspace file, in which nobody says that anything is to be run by itself: who
    /// clones a repository has not read it.
    pub(super) fn of_file(items: &Items) -> Self {
        Self {
            refresh_on_save: None,
            refresh_interval_minutes: None,
            ..Self::of(items)
        }
    }

    /// The same under what an editor's settings say.
    pub(super) fn under(mut self, editor: &Self) -> Self {
        let Self {
            tool,
            tools,
            parallelism,
            timeout_seconds,
            all_workspaces,
            max_age_days,
            refresh_on_save,
            refresh_interval_minutes,
        } = editor;
        set(&mut self.tool, *tool);
        self.tools.extend(tools.clone());
        set(&mut self.parallelism, *parallelism);
        set(&mut self.timeout_seconds, *timeout_seconds);
        set(&mut self.all_workspaces, *all_workspaces);
        set(&mut self.max_age_days, *max_age_days);
        set(&mut self.refresh_on_save, *refresh_on_save);
        set(
            &mut self.refresh_interval_minutes,
            *refresh_interval_minutes,
        );
        self
    }

    /// The tool that is set for a stack by its own name, by that of its directory, or for all.
    pub fn tool(&self, stack: &str) -> Option<Tool> {
        let directory = stack.split_once('@').map_or(stack, |(it, _)| it);
        let own = self.tools.get(stack).or_else(|| self.tools.get(directory));
        own.copied().or(self.tool)
    }

    /// How many stacks are asked at the same time.
    pub fn parallelism(&self) -> usize {
        self.parallelism.unwrap_or(PARALLELISM)
    }

    /// How long one stack may take.
    pub fn timeout(&self) -> Duration {
        let seconds = self.timeout_seconds.unwrap_or(TIMEOUT_SECONDS);
        // no clock goes further than some
        Duration::from_secs(seconds.min(A_YEAR))
    }

    /// Whether all Terraform workspaces of a directory are asked for, where nobody names any.
    pub fn all_workspaces(&self) -> bool {
        self.all_workspaces.unwrap_or(false)
    }

    /// How many days old the state of a stack may be, when it is older.
    pub fn is_old(&self, stack: &Stack, now: SystemTime) -> Option<u64> {
        let days = self.max_age_days?;
        let age = now.duration_since(stack.state.as_ref()?.modified?).ok()?;
        (age > Duration::from_secs(days.saturating_mul(A_DAY))).then_some(days)
    }

    /// Whether a stack is asked for its state whenever a file of it is saved.
    pub fn refreshes_on_save(&self) -> bool {
        self.refresh_on_save.unwrap_or(false)
    }

    /// How often all stacks are asked for their states, if they are.
    pub fn refresh_interval(&self) -> Option<Duration> {
        let minutes = self.refresh_interval_minutes.filter(|it| *it > 0)?;
        Some(Duration::from_secs(minutes.saturating_mul(60)))
    }
}

/// Takes what is set, if it is.
fn set<T>(to: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *to = value;
    }
}

fn tool(value: &Expression) -> Option<Tool> {
    Tool::parse(value.literal()?.0)
}

fn flag(value: &Expression) -> Option<bool> {
    match value.kind {
        ExpressionKind::Bool(flag) => Some(flag),
        _ => None,
    }
}

/// A whole number from 0 upward.
pub(super) fn count(value: &Expression) -> Option<u64> {
    let value = constant(value, &Arc::from(Path::new("")));
    match value.data {
        Data::Number(_) => value.as_integer()?.try_into().ok(),
        _ => None,
    }
}

fn positive<T: TryFrom<u64>>(value: &Expression) -> Option<T> {
    count(value).filter(|it| *it > 0)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::checks::Settings;
    use crate::fixture::Fixture;

    /// What is in force.
    fn states(file: &str, editor: &serde_json::Value) -> States {
        let snapshot = Fixture::new(&format!("#- gantrycd.hcl\n{file}")).snapshot();
        let (editor, _) = Settings::of_editor(editor);
        Settings::in_force(&snapshot, &editor).states
    }

    #[test]
    fn a_stacks_own_tool_wins_over_its_directorys_and_that_over_all() {
        let file = "states {\n  tool = \"terraform\"\n}\nstack \"a\" {\n  tool = \"tofu\"\n}\n\
                    stack \"a@dev\" {\n  tool = \"terraform\"\n}\n";
        let tool = |stack| states(file, &json!({})).tool(stack);
        assert_eq!(tool("a"), Some(Tool::Tofu));
        assert_eq!(tool("a@prod"), Some(Tool::Tofu));
        assert_eq!(tool("a@dev"), Some(Tool::Terraform));
        assert_eq!(tool("b"), Some(Tool::Terraform));
        assert_eq!(states("", &json!({})).tool("a"), None);
        let path = "stack \"a\" {\n  tool = \"./evil\"\n}\n";
        assert_eq!(states(path, &json!({})).tool("a"), None);
        let editor = json!({ "states": { "tool": "tofu" } });
        assert_eq!(states(file, &editor).tool("b"), Some(Tool::Tofu));
    }

    #[test]
    fn what_is_not_set_has_a_default_and_an_editor_wins_over_the_file() {
        let none = states("", &json!({}));
        assert_eq!((none.parallelism(), none.timeout().as_secs()), (4, 120));
        assert!(!none.all_workspaces());
        let file =
            "states {\n  parallelism = 8\n  timeout_seconds = 5\n  all_workspaces = true\n}\n";
        let set = states(file, &json!({}));
        assert_eq!((set.parallelism(), set.timeout().as_secs()), (8, 5));
        assert!(set.all_workspaces());
        let editor = json!({ "states": { "parallelism": 2, "all_workspaces": false } });
        let over = states(file, &editor);
        assert_eq!((over.parallelism(), over.timeout().as_secs()), (2, 5));
        assert!(!over.all_workspaces());
    }

    #[test]
    fn whoever_waits_for_ever_waits_as_long_as_a_clock_goes() {
        for seconds in [i64::MAX as u64, A_YEAR + 1] {
            let file = format!("states {{\n  timeout_seconds = {seconds}\n}}\n");
            let timeout = states(&file, &json!({})).timeout();
            assert_eq!(timeout, Duration::from_secs(A_YEAR));
            assert!(std::time::Instant::now().checked_add(timeout).is_some());
        }
    }

    #[test]
    fn nothing_that_a_repository_says_starts_anything() {
        let file = "states {\n  refresh_on_save = true\n  refresh_interval_minutes = 1\n}\n";
        let set = states(file, &json!({}));
        assert!(!set.refreshes_on_save() && set.refresh_interval().is_none());
        let editor =
            json!({ "states": { "refresh_on_save": true, "refresh_interval_minutes": 2 } });
        let set = states("", &editor);
        assert!(set.refreshes_on_save());
        assert_eq!(set.refresh_interval(), Some(Duration::from_secs(120)));
        let never = json!({ "states": { "refresh_interval_minutes": 0 } });
        assert_eq!(states("", &never).refresh_interval(), None);
    }
}
