//! What was measured: one column for each workspace.

use std::fmt;
use std::time::Duration;

/// All columns, as Markdown.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<Column>,
}

/// What was measured in a workspace of one size.
pub struct Column {
    stacks: usize,
    rows: Vec<(String, &'static str, String)>,
}

/// How long something took each time.
#[derive(Default)]
pub struct Times(Vec<Duration>);

impl Times {
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The times beyond one that is waited on purpose.
    pub fn beyond(self, wait: Duration) -> Self {
        let times = self.0.into_iter();
        Self(times.map(|it| it.saturating_sub(wait)).collect())
    }

    /// The time that so many percent of all times do not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(at).copied().unwrap_or_default()
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (half, most) = (self.percentile(50), self.percentile(99));
        let (half, most) = (milliseconds(half), milliseconds(most));
        write!(f, "{half} / {most} ms (of {})", self.len())
    }
}

fn milliseconds(time: Duration) -> String {
    let time = time.as_secs_f64() * 1e3;
    match time {
        _ if time < 10.0 => format!("{time:.2}"),
        _ if time < 100.0 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

impl Column {
    pub fn new(stacks: usize) -> Self {
        println!("{stacks} stacks");
        Self {
            stacks,
            rows: Vec::new(),
        }
    }

    pub fn add(&mut self, name: impl Into<String>, goal: &'static str, value: impl fmt::Display) {
        let name = name.into();
        println!("  {name}: {value} {goal}");
        self.rows.push((name, goal, value.to_string()));
    }

    pub fn add_one(&mut self, name: String, goal: &'static str, time: Duration) {
        self.add(name, goal, format!("{} ms", milliseconds(time)));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.columns.first() else {
            return Ok(());
        };
        write!(f, "| p50 / p99 | goal |")?;
        for column in &self.columns {
            write!(f, " {} stacks |", column.stacks)?;
        }
        write!(f, "\n|---|---|{}", "---|".repeat(self.columns.len()))?;
        for (at, (name, goal, _)) in first.rows.iter().enumerate() {
            write!(f, "\n| {name} | {goal} |")?;
            for column in &self.columns {
                write!(f, " {} |", column.rows[at].2)?;
            }
        }
        writeln!(f)
    }
}
