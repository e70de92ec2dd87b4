//! From the start of the server to the last it has to say.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use crate::MOST;
use crate::editor::{Does, Editor};
use crate::generate::Answers;
use crate::generate::kept::Kept;
use crate::table::Column;

/// Starts a server, opens one file and waits until everything is told, which must be the answers.
pub fn start(
    workspace: &Kept,
    cache: &Path,
    opened: &str,
    name: &str,
    column: &mut Column,
) -> Editor {
    let begin = Instant::now();
    let does = Does {
        watches: true,
        pulls: false,
    };
    let mut editor = Editor::start(workspace.root(), &[""], cache, does);
    column.add_one(format!("{name}: initialized"), "", begin.elapsed());
    editor.open_from_disk(opened);
    let told = editor.until(MOST, |it| {
        it.told(opened).is_some_and(|it| it.version.is_some())
    });
    assert!(told, "nothing is told of {opened}");
    column.add_one(
        format!("{name}: the opened file's list"),
        "",
        begin.elapsed(),
    );
    let wanted = wanted(&workspace.answers);
    let all = editor.until(MOST, |it| {
        let told = it.all_told();
        told.len() == wanted.len()
            && *told.values().map(|it| it.len()).collect::<Vec<_>>()
                == *wanted.values().map(Vec::len).collect::<Vec<_>>()
    });
    column.add_one(format!("{name}: the last list"), "", begin.elapsed());
    let told = found(&editor);
    for (file, list) in &wanted {
        assert_eq!(told.get(file), Some(list), "{file}");
    }
    assert!(all, "more is told than there is: {:#?}", told.keys());
    editor
}

/// Lines and codes by file.
type Lists = BTreeMap<String, Vec<(u64, String)>>;

fn wanted(answers: &Answers) -> Lists {
    let mut lists = Lists::new();
    for it in &answers.findings {
        let list = lists.entry(it.spot.path.clone()).or_default();
        list.push((it.spot.line as u64, it.code.clone()));
    }
    lists
}

fn found(editor: &Editor) -> Lists {
    let line = |it: &Value| it["range"]["start"]["line"].as_u64().unwrap_or_default();
    let one = |it: &Value| (line(it), it["code"].as_str().unwrap_or_default().to_owned());
    let told = editor.all_told().into_iter();
    told.map(|(file, list)| {
        let mut list: Vec<_> = list.iter().map(one).collect();
        list.sort();
        (file.to_owned(), list)
    })
    .collect()
}
