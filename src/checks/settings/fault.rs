//! What is wrong with settings: whatever the table of what can be set does not know.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::config::ModuleFile;
use crate::eval::Data;
use crate::syntax::{Expression, ExpressionKind, Name, Part};
use crate::text::{Source, Span};
use crate::workspace::{Snapshot, constant};

use super::super::nearest::nearest;
use super::items::{Bodies, Items, Section};
use super::shape::{EDITOR, FILE, Key, Keys, Label, Takes, Word};
use super::states::count;
use super::{glob_of, leaves_the_root};

/// Something wrong.
pub(in crate::checks) struct Fault {
    /// Where it stands.
    pub(in crate::checks) span: Span,
    /// What is wrong, and what comes of it.
    pub(in crate::checks) message: String,
    pub(in crate::checks) fix: Option<Replacement>,
}

/// What would mend a fault.
pub(in crate::checks) struct Replacement {
    pub(in crate::checks) title: String,
    pub(in crate::checks) span: Span,
    pub(in crate::checks) new_text: String,
    /// Whether nothing else can have been meant.
    pub(in crate::checks) is_safe: bool,
    /// Of a key: where the first key of its section stands.
    key_of: Option<u32>,
}

/// What is wrong with the workspace file, errors of syntax aside.
pub(in crate::checks) fn of_file(snapshot: &Snapshot, file: &ModuleFile) -> Vec<Fault> {
    let stacks = snapshot.stacks.iter().map(|it| &*it.name).collect();
    let reader = Reader::new(file.source(), &file.path, Some(stacks));
    reader.faults(FILE, &Items::of_file(file, &Bodies::of(file)))
}

/// What is wrong with an editor's settings, `source` being their JSON.
pub(super) fn of_editor(items: &Items, source: &Source) -> Vec<Fault> {
    let reader = Reader::new(source, &Path::new("").into(), None);
    reader.faults(EDITOR, items)
}

struct Reader<'a> {
    source: &'a Source,
    path: Arc<Path>,
    /// The names of all stacks; `None` of an editor's settings.
    stacks: Option<Vec<&'a str>>,
    faults: Vec<Fault>,
}

/// How a word is written that takes the place of another.
#[derive(Clone, Copy)]
enum As {
    /// As it is.
    Name,
    /// As it is, between quotes that stand there.
    Text,
    /// With quotes.
    Quoted,
}

const LEFT_ASIDE: &str = "It is left aside.";

impl<'a> Reader<'a> {
    fn new(source: &'a Source, path: &Arc<Path>, stacks: Option<Vec<&'a str>>) -> Self {
        Self {
            source,
            path: path.clone(),
            stacks,
            faults: Vec::new(),
        }
    }

    fn faults(mut self, keys: Keys, items: &Items) -> Vec<Fault> {
        self.section(None, keys, items);
        // of two slips for one key neither is corrected
        let mut times: HashMap<(u32, String), usize> = HashMap::new();
        let key = |it: &Replacement| Some((it.key_of?, it.new_text.clone()));
        for it in self.faults.iter().filter_map(|it| key(it.fix.as_ref()?)) {
            *times.entry(it).or_default() += 1;
        }
        for fault in &mut self.faults {
            let is_only = |it: &Replacement| key(it).is_none_or(|it| times[&it] == 1);
            fault.fix = fault.fix.take().filter(is_only);
        }
        self.faults
    }

    fn fault(&mut self, span: Span, what: &str, consequence: &str) -> &mut Fault {
        self.faults.push(Fault {
            span,
            message: format!("{what} {consequence}"),
            fix: None,
        });
        self.faults.last_mut().expect("it was just added")
    }

    /// What stands in a section; `None` is the file itself.
    fn section(&mut self, name: Option<&str>, keys: Keys, items: &Items) {
        for span in &items.nameless {
            self.fault(*span, "A key here is a constant name.", LEFT_ASIDE);
        }
        for (key_name, value) in &items.pairs {
            match keys.find(&key_name.text) {
                Some(key) => self.value(key, key_name, value),
                None => self.unknown(key_name, None, name, keys, items),
            }
        }
        let mut seen = BTreeSet::new();
        for block in &items.blocks {
            let keyword = &block.keyword;
            let Some(key) = keys.find(&keyword.text) else {
                self.unknown(keyword, Some(block.labels.len()), name, keys, items);
                continue;
            };
            let Takes::Block(label, keys) = &key.takes else {
                self.no_block(key, block, items);
                continue;
            };
            self.labels(*label, block);
            let labels: Vec<_> = block.labels.iter().map(|it| &*it.text).collect();
            if !seen.insert((&*keyword.text, labels)) {
                let written = self.source.slice(block.header);
                let what = format!("`{written}` stands in this file twice.");
                self.fault(
                    block.header,
                    &what,
                    "Of a key that both set, the last counts.",
                );
            }
            for (name, key) in keys.all() {
                let is_set = block.items.pairs.iter().any(|(it, _)| *it.text == *name);
                if key.is_required && !is_set {
                    let what = format!("`{}` has no `{name}`.", self.source.slice(block.header));
                    self.fault(block.header, &what, "It adds nothing.");
                }
            }
            self.section(Some(&keyword.text), *keys, &block.items);
        }
    }

    /// A key that does not exist; of a block, with how many labels.
    fn unknown(
        &mut self,
        key: &Name,
        labels: Option<usize>,
        section: Option<&str>,
        keys: Keys,
        items: &Items,
    ) {
        let text = &key.text;
        let what = match (section, keys) {
            (_, Keys::EachCode(_)) => format!("There is no check `{text}`"),
            _ if self.is_elsewhere(section, text) => {
                let place = match self.stacks.is_some() {
                    true => "an editor's settings",
                    false => "gantrycd.hcl",
                };
                let what = format!("`{text}` can be set in {place} only.");
                self.fault(key.span, &what, LEFT_ASIDE);
                return;
            }
            (Some(section), _) => format!("`{section}` has no key `{text}`"),
            (None, _) if self.stacks.is_some() => format!("There is no section `{text}`"),
            (None, _) => format!("There is no setting `{text}`"),
        };
        let blocks = items.blocks.iter().filter(|it| it.labels.is_empty());
        let set = items.pairs.iter().map(|(name, _)| name);
        let set: Vec<_> = set.chain(blocks.map(|it| &it.keyword)).collect();
        let known = keys.all().into_iter().map(|(name, _)| name);
        let fault = self.misspelt(key.span, what, text, known, As::Name);
        // what is set already cannot be set again, and a block is no value
        let is_free = |it: &Replacement| {
            let wanted = keys.find(&it.new_text).and_then(|it| match it.takes {
                Takes::Block(label, _) => Some(usize::from(label.is_some())),
                _ => None,
            });
            wanted == labels && set.iter().all(|set| *set.text != *it.new_text)
        };
        fault.fix = fault.fix.take().filter(is_free);
        if let Some(fix) = &mut fault.fix {
            fix.key_of = Some(items.at());
        }
    }

    /// Whether a section, or a key of one, can be set, but not here.
    fn is_elsewhere(&self, section: Option<&str>, key: &str) -> bool {
        let other = match self.stacks.is_some() {
            true => EDITOR,
            false => FILE,
        };
        let keys = match section {
            Some(section) => other.find(section).map(|it| it.takes.keys()),
            None => Some(other),
        };
        keys.is_some_and(|it| it.find(key).is_some())
    }

    /// Says what is wrong with a word, and what was meant if that is clear.
    fn misspelt<'w>(
        &mut self,
        span: Span,
        what: String,
        word: &str,
        known: impl IntoIterator<Item = &'w str>,
        written: As,
    ) -> &mut Fault {
        let Some(near) = nearest(word, known) else {
            return self.fault(span, &format!("{what}."), LEFT_ASIDE);
        };
        let quoted = format!("\"{}\"", near.word);
        let (meant, new_text) = match written {
            As::Name => (format!("`{}`", near.word), near.word.to_owned()),
            As::Text => (quoted, near.word.to_owned()),
            As::Quoted => (quoted.clone(), quoted),
        };
        let old_text = self.source.slice(span).to_owned();
        let fault = self.fault(span, &format!("{what}: did you mean {meant}?"), LEFT_ASIDE);
        // of a heredoc, the line's end would go too
        let is_plain = near.is_only && !old_text.contains('\n');
        fault.fix = is_plain.then(|| Replacement {
            title: format!("Change `{old_text}` to `{new_text}`"),
            span,
            new_text,
            is_safe: true,
            key_of: None,
        });
        fault
    }

    /// A block in the place of a value.
    fn no_block(&mut self, key: &Key, block: &Section, beside: &Items) {
        let keyword = &block.keyword;
        let what = format!("`{}` is set with `=`.", keyword.text);
        let is_object = block.labels.is_empty() && block.items.blocks.is_empty();
        let takes_object = match key.takes {
            Takes::Values => true,
            Takes::Word(_, keys) => !keys.is_empty(),
            _ => false,
        };
        let pairs = beside
            .pairs
            .iter()
            .filter(|(it, _)| it.text == keyword.text);
        let blocks = beside
            .blocks
            .iter()
            .filter(|it| it.keyword.text == keyword.text);
        let is_only = pairs.count() == 0 && blocks.count() == 1;
        let fault = self.fault(block.header, &what, LEFT_ASIDE);
        fault.fix = (is_object && takes_object && is_only).then(|| Replacement {
            title: format!("Write `{} = {{`", keyword.text),
            span: Span::at(keyword.span.range().end),
            new_text: " =".to_owned(),
            is_safe: true,
            key_of: None,
        });
    }

    fn labels(&mut self, label: Option<Label>, block: &Section) {
        let keyword = &block.keyword.text;
        let wanted = usize::from(label.is_some());
        if let Some(more) = block.labels.get(wanted) {
            let what = match label {
                None => format!("`{keyword}` has no name."),
                Some(_) => format!("`{keyword}` has one name."),
            };
            self.fault(self.written(more.span), &what, LEFT_ASIDE);
        }
        let Some(label) = label else {
            return;
        };
        let Some(name) = block.labels.first().filter(|it| !it.text.is_empty()) else {
            let span = block.labels.first().map(|it| self.written(it.span));
            let what = match label {
                Label::Stack => format!("`{keyword}` needs the name of a stack in quotes."),
                Label::Name => format!("`{keyword}` needs a name in quotes."),
            };
            let span = span.unwrap_or(block.header);
            self.fault(span, &what, "Nothing in it counts.");
            return;
        };
        if label == Label::Stack {
            self.stack(name);
        }
    }

    /// The label of a stack. Of which Terraform workspaces a directory has, only cached states
    /// tell: any may be meant.
    fn stack(&mut self, name: &Name) {
        let stacks = self.stacks.clone().unwrap_or_default();
        let directory = name.text.split_once('@').map(|(it, _)| it);
        if stacks
            .iter()
            .any(|it| *it == &*name.text || Some(*it) == directory)
        {
            return;
        }
        let what = format!("No stack of this workspace is called \"{}\"", name.text);
        let fault = self.misspelt(name.span, what, &name.text, stacks, As::Text);
        if let Some(fix) = &mut fault.fix {
            // stacks may have names like each other
            fix.is_safe = false;
        }
    }

    /// Where a text stands: between its quotes, or both of them when it is empty.
    fn written(&self, span: Span) -> Span {
        match span.is_empty() {
            true => Span {
                start: span.start.saturating_sub(1),
                end: span.end + 1,
            },
            false => span,
        }
    }

    fn value(&mut self, key: &Key, name: &Name, value: &Expression) {
        let name = &*name.text;
        let literal = value.literal();
        match (&key.takes, &value.kind) {
            // not set; told of already
            (_, ExpressionKind::Null | ExpressionKind::Unreadable) => {}
            (Takes::Block(..), _) if self.stacks.is_some() => {
                let what = format!("`{name}` is a block and stands without `=`.");
                self.fault(self.source.first_line(value.span), &what, LEFT_ASIDE);
            }
            (Takes::Word(words, keys), kind) => {
                let items = Items::of_object(value).filter(|_| !keys.is_empty());
                match (literal, kind, items) {
                    (Some((text, span)), ..) => self.word(key, name, words, text, span),
                    (_, ExpressionKind::Variable(bare), _) => {
                        let what = format!("`{bare}` stands without quotes");
                        let known = words.iter().map(|it| it.name);
                        self.misspelt(value.span, what, bare, known, As::Quoted);
                    }
                    (.., Some(items)) => self.section(Some(name), Keys::Named(keys), &items),
                    _ => self.takes(key, name, value),
                }
            }
            (Takes::Globs, ExpressionKind::Tuple(elements)) => {
                for element in elements {
                    match element.literal() {
                        Some((text, span)) => self.glob(text, span, true),
                        None => {
                            let span = self.source.first_line(element.span);
                            let what = "A glob stands in quotes.";
                            self.fault(span, what, "The other globs count.");
                        }
                    }
                }
            }
            (Takes::Path, _) => match literal {
                Some((text, span)) => self.glob(text, span, false),
                None => self.takes(key, name, value),
            },
            (Takes::Count(least), _) if count(value).is_some_and(|it| it >= *least) => {}
            (Takes::Values, _) => self.values(key, name, value),
            (Takes::Truth(_), ExpressionKind::Bool(_)) => {}
            _ => self.takes(key, name, value),
        }
    }

    /// A value of a kind that the key does not take.
    fn takes(&mut self, key: &Key, name: &str, value: &Expression) {
        let (span, written) = match value.literal() {
            Some((text, span)) => (span, format!("\"{text}\"")),
            None => {
                let span = self.source.first_line(value.span);
                (span, format!("`{}`", self.source.slice(span)))
            }
        };
        let takes = match key.takes {
            // of JSON
            Takes::Block(..) => "an object".to_owned(),
            ref takes => takes.to_string(),
        };
        let what = format!("`{name}` takes {takes}, not {written}.");
        self.fault(span, &what, LEFT_ASIDE);
    }

    fn word(&mut self, key: &Key, name: &str, words: &[Word], text: &str, span: Span) {
        let known = words.iter().map(|it| it.name);
        if known.clone().any(|it| it == text) {
            return;
        }
        let what = format!("`{name}` takes {}, not \"{text}\"", key.takes);
        self.misspelt(span, what, text, known, As::Text);
    }

    fn glob(&mut self, text: &str, span: Span, below_root: bool) {
        let consequence = match below_root {
            true => "The other globs count.",
            false => LEFT_ASIDE,
        };
        match glob_of(text) {
            Err(why) => {
                let what = format!("\"{text}\" is no glob: {}.", why.kind());
                self.fault(span, &what, consequence);
            }
            Ok(_) if below_root && leaves_the_root(text) => {
                let what = format!(
                    "\"{text}\" matches no file: it is not a path below the workspace root, such as \
                     \"sandbox/**\"."
                );
                self.fault(span, &what, consequence);
            }
            Ok(_) => {}
        }
    }

    fn values(&mut self, key: &Key, name: &str, value: &Expression) {
        let whole = constant(value, &self.path);
        let is_object = matches!(whole.data, Data::Object(_) | Data::Map(..));
        if is_object && whole.is_wholly_known() {
            return;
        }
        let Some(items) = Items::of_object(value) else {
            self.takes(key, name, value);
            return;
        };
        for span in &items.nameless {
            self.fault(*span, "A key here is a constant name.", LEFT_ASIDE);
        }
        for (variable, value) in &items.pairs {
            if let Some(culprit) = not_constant(value, &self.path) {
                let span = self.source.first_line(culprit);
                let written = self.source.slice(span);
                let what = format!(
                    "The value of `{}` must be constant, and `{written}` is not.",
                    variable.text
                );
                self.fault(span, &what, "The value is not known to gantrycd-ls.");
            }
        }
    }
}

/// The innermost part of a value that is not constant. `None` when it is, and when it could not be
/// read.
fn not_constant(value: &Expression, path: &Arc<Path>) -> Option<Span> {
    if constant(value, path).is_wholly_known() {
        return None;
    }
    let parts: Vec<&Expression> = match &value.kind {
        ExpressionKind::Unreadable => return None,
        ExpressionKind::Template(template) => {
            let interpolated = template.parts.iter().filter_map(|it| match it {
                Part::Interpolation(it) => Some(it),
                _ => None,
            });
            interpolated.collect()
        }
        ExpressionKind::Tuple(elements) => elements.iter().collect(),
        ExpressionKind::Object(entries) => entries.iter().map(|it| &it.value).collect(),
        ExpressionKind::Parenthesis(inner) => vec![inner],
        _ => Vec::new(),
    };
    let unreadable = |it: &&Expression| matches!(it.kind, ExpressionKind::Unreadable);
    if parts.iter().any(unreadable) {
        return None;
    }
    let part = parts.into_iter().find_map(|it| not_constant(it, path));
    Some(part.unwrap_or(value.span))
}
