//! Edits of the entries of an object, in the layout of `terraform fmt`.
//!
//! It aligns the `=` of entries on successive lines:
//! <https://github.com/hashicorp/hcl/blob/v2.23.0/hclwrite/format.go#L200>. Where the entries beside
//! an edited one were aligned, they are so again; where they were not, they stay as they are.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use crate::config::ModuleFile;
use crate::syntax::{Entry, Expression, ExpressionKind};
use crate::text::{Source, Span};
use crate::workspace::Place;

use super::Edit;

/// An object where it is written.
pub(super) struct Object<'a> {
    file: &'a Arc<ModuleFile>,
    span: Span,
    entries: &'a [Entry],
}

/// An entry that is aligned with those on the lines beside it.
#[derive(Clone, Copy)]
struct Cell {
    line: u32,
    /// Another one only of a heredoc.
    last_line: u32,
    key: Span,
    /// From the key's end to the `=`.
    gap: Span,
    /// Of what stands before the gap, in what a person counts as characters.
    width: usize,
}

impl<'a> Object<'a> {
    /// The expression as an object. `None` of any other, and in JSON.
    pub(super) fn new(file: &'a Arc<ModuleFile>, expression: &'a Expression) -> Option<Self> {
        file.syntax()?;
        match &expression.kind {
            ExpressionKind::Object(entries) => Some(Self {
                file,
                span: expression.span,
                entries,
            }),
            _ => None,
        }
    }

    fn source(&self) -> &'a Source {
        self.file.source()
    }

    fn line(&self, offset: u32) -> u32 {
        let position = self.source().position(offset, Default::default());
        position.line
    }

    fn edit(&self, span: Span, new_text: String) -> Edit {
        Edit {
            place: Place {
                path: self.file.path.clone(),
                span,
            },
            new_text,
        }
    }

    /// Puts `key`, quotes included, in the place of an entry's.
    pub(super) fn replace_key(&self, at: usize, key: &str) -> Vec<Edit> {
        let old = self.entries[at].key.span();
        let mut edits = vec![self.edit(old, key.to_owned())];
        let cells = self.cells();
        if let Some(target) = cells.iter().find(|it| it.key == old).copied() {
            let chain = chain(&cells, target.line);
            let own = columns(key) + target.width - columns(self.source().slice(old));
            let others = chain.iter().filter(|it| it.line != target.line);
            let widest = others.map(|it| it.width).chain([own]).max();
            if let Some(widest) = widest.filter(|_| is_aligned(chain)) {
                let width = |it: &Cell| if it.key == old { own } else { it.width };
                edits.extend(
                    chain
                        .iter()
                        .filter_map(|it| self.align(it, width(it), widest)),
                );
            }
        }
        edits
    }

    /// Takes an entry out. `None` where something else than blanks shares its lines.
    pub(super) fn remove(&self, at: usize) -> Option<Vec<Edit>> {
        let entry = &self.entries[at];
        let text = self.source().text();
        let (start, end) = (
            entry.key.span().start as usize,
            entry.value.span.end as usize,
        );
        let behind = text[end..].trim_start_matches([' ', '\t']);
        let comma = behind.strip_prefix(',').unwrap_or(behind);
        let rest = comma.trim_start_matches([' ', '\t']);
        let line_start = self.source().line_start(start as u32) as usize;
        let is_alone = text[line_start..start].trim().is_empty();
        if !is_alone || !(rest.starts_with('\n') || rest.starts_with("\r\n")) {
            // `{ a = 1, b = null }`: with the comma before it, or behind it
            let after = (text.len() - rest.len()).max(end);
            let before = text[..start].trim_end();
            let span = match before.strip_suffix(',') {
                Some(before) if before.len() > self.span.start as usize => {
                    Span::new(before.len(), end)
                }
                _ if behind.starts_with(',') => Span::new(start, after),
                // the only one
                _ if before.ends_with('{') && behind.starts_with('}') => {
                    Span::new(before.len(), text.len() - behind.len())
                }
                _ => return None,
            };
            return Some(vec![self.edit(span, String::new())]);
        }
        let line_end = text.len() - rest.len() + rest.find('\n')? + 1;
        let mut edits = vec![self.edit(Span::new(line_start, line_end), String::new())];
        let cells = self.cells();
        if let Some(target) = cells.iter().find(|it| it.key == entry.key.span()) {
            let chain = chain(&cells, target.line);
            let others = || chain.iter().filter(|it| it.line != target.line);
            let widest = others().map(|it| it.width).max();
            if let Some(widest) = widest.filter(|_| is_aligned(chain)) {
                edits.extend(others().filter_map(|it| self.align(it, it.width, widest)));
            }
        }
        Some(edits)
    }

    /// Adds an entry behind the last one; key and value as they are to be written. `None` where the
    /// brace that ends the object has company that a new line would tear apart.
    pub(super) fn insert(&self, key: &str, value: &str) -> Option<Vec<Edit>> {
        let text = self.source().text();
        let close = self.span.end as usize - 1;
        let close_line = self.source().line_start(close as u32) as usize;
        if self.line(self.span.start) == self.line(close as u32) {
            let inner = text[self.span.start as usize + 1..close].trim_end();
            let at = self.span.start as usize + 1 + inner.len();
            let new = match inner.is_empty() {
                true => format!(" {key} = {value} "),
                // a comment alone
                false if self.entries.is_empty() => format!(" {key} = {value}"),
                false if inner.ends_with(',') => format!(" {key} = {value}"),
                false => format!(", {key} = {value}"),
            };
            let span = match inner.is_empty() {
                true => Span::new(at, close),
                false => Span::at(at),
            };
            return Some(vec![self.edit(span, new)]);
        }
        let outer = &text[close_line..close];
        if !outer.trim().is_empty() {
            return None;
        }
        let line_end = self.source().line_end();
        let last = self.entries.last();
        // entries that are separated by commas may need one before the new line
        let mut edits = Vec::new();
        if let Some(last) = last {
            let behind = text[last.value.span.end as usize..close].trim_start();
            let commas = self.entries.len() > 1 && {
                let first = self.entries[0].value.span.end as usize;
                let next = self.entries[1].key.span().start as usize;
                text[first..next].contains(',')
            };
            // a new line parts them, too: nothing is put behind a heredoc or before a comment
            let is_free = behind.is_empty() || behind.starts_with('#') || behind.starts_with("//");
            if commas && is_free && !is_heredoc(&last.value) {
                edits.push(self.edit(Span::at(last.value.span.end as usize), ",".to_owned()));
            }
        }
        let cells = self.cells();
        let above = self.line(close as u32) - 1;
        let chain = chain(&cells, above);
        let own = columns(key);
        let widest = chain.iter().map(|it| it.width).chain([own]).max()?;
        let mut spaces = 1;
        if is_aligned(chain) {
            spaces = widest - own + 1;
            edits.extend(
                chain
                    .iter()
                    .filter_map(|it| self.align(it, it.width, widest)),
            );
        }
        let gap = " ".repeat(spaces);
        let indent = match self.entries.last().map(|it| it.key.span().start) {
            Some(last) => self.indent_of(last).map(str::to_owned),
            None => None,
        };
        let indent = indent.unwrap_or_else(|| format!("{outer}  "));
        let new = format!("{indent}{key}{gap}= {value}{line_end}");
        edits.push(self.edit(Span::at(close_line), new));
        Some(edits)
    }

    /// The blanks before byte `offset`, when nothing else stands before it on its line.
    fn indent_of(&self, offset: u32) -> Option<&'a str> {
        let before = self.source().slice(Span {
            start: self.source().line_start(offset),
            end: offset,
        });
        before.trim().is_empty().then_some(before)
    }

    fn align(&self, cell: &Cell, width: usize, widest: usize) -> Option<Edit> {
        let wanted = widest - width + 1;
        (cell.gap.len() != wanted).then(|| self.edit(cell.gap, " ".repeat(wanted)))
    }

    /// The entries that have lines of their own, in order.
    fn cells(&self) -> Vec<Cell> {
        let source = self.source();
        let mut cells: Vec<Cell> = Vec::new();
        for entry in self.entries {
            let key = entry.key.span();
            let line = self.line(key.start);
            let before = Span {
                start: source.line_start(key.start),
                end: key.start,
            };
            let between = source.slice(Span {
                start: key.end,
                end: entry.value.span.start,
            });
            let gap = between.len() - between.trim_start_matches(' ').len();
            let last_line = self.line(entry.value.span.end.saturating_sub(1));
            let is_cell = (line == last_line || is_heredoc(&entry.value))
                && source.slice(before).trim().is_empty()
                && between[gap..].starts_with('=');
            if is_cell {
                cells.push(Cell {
                    line,
                    last_line,
                    key,
                    gap: Span::new(key.end as usize, key.end as usize + gap),
                    width: columns(source.slice(key)),
                });
            }
        }
        cells
    }
}

/// Whether the entry whose key stands at `key` is one of the file's own objects: in JSON, what is
/// written in a template has its quotes escaped.
pub(super) fn is_plain(file: &ModuleFile, key: Span) -> bool {
    file.syntax().is_some() || file.source().slice(key).starts_with('"')
}

/// The cells on successive lines of which `line` is one.
fn chain(cells: &[Cell], line: u32) -> &[Cell] {
    let is_there = |it: &Cell| it.line == line || it.last_line == line;
    let Some(at) = cells.iter().position(is_there) else {
        return &[];
    };
    let follows = |a: &Cell, b: &Cell| a.last_line + 1 == b.line;
    let mut start = at;
    while start > 0 && follows(&cells[start - 1], &cells[start]) {
        start -= 1;
    }
    let mut end = at + 1;
    while end < cells.len() && follows(&cells[end - 1], &cells[end]) {
        end += 1;
    }
    &cells[start..end]
}

fn is_heredoc(value: &Expression) -> bool {
    matches!(&value.kind, ExpressionKind::Template(it) if it.heredoc)
}

fn is_aligned(chain: &[Cell]) -> bool {
    let widest = chain.iter().map(|it| it.width).max().unwrap_or(0);
    chain.iter().all(|it| it.gap.len() == widest - it.width + 1)
}

fn columns(text: &str) -> usize {
    text.graphemes(true).count()
}
