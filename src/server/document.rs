//! An open document: the client's text, kept in step with its edits.

use tower_lsp::ls_types::{TextDocumentContentChangeEvent, Uri};

use crate::text::{Encoding, Position, Source};

/// The text of a document as the client has it.
#[derive(Clone)]
pub(super) struct Document {
    /// As the client spells it.
    pub(super) uri: Uri,
    /// Which opening of the file this is: the session's revision at that time.
    pub(super) opening: u64,
    pub(super) version: i32,
    pub(super) source: Source,
}

/// That an edit does not fit the text: from then on the text is not known.
pub(super) struct OutOfStep;

impl Document {
    /// The text after these edits, each on the text that the one before it left.
    pub(super) fn edited(
        &self,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> Result<Self, OutOfStep> {
        if version <= self.version {
            return Err(OutOfStep);
        }
        let mut source = self.source.clone();
        for change in changes {
            source = match change.range {
                None => Source::new(&change.text),
                Some(range) => {
                    let at = |position: tower_lsp::ls_types::Position| {
                        let position = Position {
                            line: position.line,
                            character: position.character,
                        };
                        let inside = source.has_line(position.line);
                        inside.then(|| source.offset(position, encoding) as usize)
                    };
                    // the end of the text may be named as the start of the line behind it
                    let end = at(range.end).unwrap_or(source.text().len());
                    let start = at(range.start).ok_or(OutOfStep)?;
                    let text = source.text();
                    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else {
                        return Err(OutOfStep);
                    };
                    if start > end {
                        return Err(OutOfStep);
                    }
                    Source::new(&[before, &change.text, after].concat())
                }
            };
        }
        Ok(Self {
            uri: self.uri.clone(),
            opening: self.opening,
            version,
            source,
        })
    }

    /// The text after these edits, whatever it was before: the last of them that sends it as a
    /// whole is where it begins.
    pub(super) fn edited_anew(
        &self,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> Result<Self, OutOfStep> {
        let whole = changes.iter().rposition(|it| it.range.is_none());
        self.edited(version, &changes[whole.ok_or(OutOfStep)?..], encoding)
    }

    /// The document while its text and its version are not known.
    pub(super) fn without_text(self) -> Self {
        Self {
            version: i32::MIN,
            source: Source::new(""),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use tower_lsp::ls_types::{Position, Range};

    use super::*;

    fn document(text: &str) -> Document {
        Document {
            uri: "file:///a.tf".parse().unwrap(),
            opening: 0,
            version: 1,
            source: Source::new(text),
        }
    }

    fn change(start: (u32, u32), end: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: Some(Range::new(
                Position::new(start.0, start.1),
                Position::new(end.0, end.1),
            )),
            range_length: None,
            text: text.into(),
        }
    }

    #[test]
    fn edits_apply_one_after_the_other() {
        let edits = [
            change((0, 0), (0, 0), "x\n"),
            change((1, 1), (1, 2), ""),
            change((2, 0), (2, 0), "end"),
        ];
        let edited = document("a😀b\n").edited(2, &edits[..1], Encoding::Utf16);
        assert_eq!(edited.ok().unwrap().source.text(), "x\na😀b\n");
        let edited = document("aéb\n").edited(2, &edits, Encoding::Utf16);
        assert_eq!(edited.ok().unwrap().source.text(), "x\nab\nend");
    }

    #[test]
    fn the_units_are_the_clients() {
        let edit = |column| [change((0, column), (0, column), "|")];
        for (encoding, column) in [
            (Encoding::Utf8, 5),
            (Encoding::Utf16, 3),
            (Encoding::Utf32, 2),
        ] {
            let edited = document("a😀b").edited(2, &edit(column), encoding);
            assert_eq!(edited.ok().unwrap().source.text(), "a😀|b");
        }
    }

    #[test]
    fn what_does_not_fit_is_not_guessed() {
        let text = document("a\n");
        let late = text.edited(1, &[change((0, 0), (0, 0), "x")], Encoding::Utf16);
        assert!(late.is_err(), "an old version");
        let far = text.edited(2, &[change((7, 0), (7, 0), "x")], Encoding::Utf16);
        assert!(far.is_err(), "a line that is not there");
        let turned = text.edited(2, &[change((1, 0), (0, 0), "x")], Encoding::Utf16);
        assert!(turned.is_err(), "an end before its start");
        let to_the_end = text.edited(2, &[change((0, 1), (2, 0), "")], Encoding::Utf16);
        assert_eq!(to_the_end.ok().unwrap().source.text(), "a");
    }

    #[test]
    fn what_is_sent_as_a_whole_needs_nothing_before_it() {
        let lost = document("a\n").without_text();
        let edit = change((0, 0), (0, 0), "x");
        let whole = TextDocumentContentChangeEvent {
            range: None,
            ..change((0, 0), (0, 0), "b\n")
        };
        let edited = |changes: &[_]| lost.edited_anew(1, changes, Encoding::Utf16).ok();
        assert!(edited(&[]).is_none());
        assert!(edited(std::slice::from_ref(&edit)).is_none());
        let far = change((7, 0), (7, 0), "x");
        let found = edited(&[far.clone(), whole.clone(), edit.clone()]).unwrap();
        assert_eq!((found.version, found.source.text()), (1, "xb\n"));
        assert!(edited(&[whole, far]).is_none());
    }
}
