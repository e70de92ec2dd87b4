//! What is done to open documents.

use crate::script::Script;

/// What is typed or pasted, mostly where it does something.
pub const SNIPPETS: [&str; 18] = [
    "# gantrycd:resource-identity: ignore=true\n",
    "# gantrycd:resource-identity: ignore=yes\n",
    "    \"gantrycd:resource-identity\" = \"null\"\n",
    "    \"gantrycd:resource-identity\" = null\n",
    "    \"gantrycd:resource-identity\" = \"mine\"\n",
    "    \"gantrycd:resource-identity-realm\" = \"eu west\"\n",
    "    \"gantrycd:resource-identity-realm\" = \"eu-west\"\n",
    "    \"gantrycd:resource-identiti\" = \"é😀\"\n",
    "resource \"aws_sqs_queue\" \"new\" {\n  name = \"new\"\n}\n",
    "moved {\n  from = aws_iam_role.exported\n  to   = aws_iam_role.moved\n}\n",
    "removed {\n  from = aws_iam_role.exported\n}\n",
    "import {\n  to = aws_iam_role.exported\n  id = \"exported\"\n}\n",
    "variable \"realm\" {\n  default = \"a b\"\n}\n",
    "backend \"local\" {\n  path = \"other.tfstate\"\n}\n",
    "\r\n",
    "}\n",
    "<<EOT\n",
    "/* ",
];

impl Script {
    pub(super) fn typing(&mut self) -> Option<String> {
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let mut at = self.anywhere(&text);
        let letters = [
            "a", "7", "\"", "{", "}", " ", "\n", "#", "$", "é", "😀", ".", "=",
        ];
        let mut typed = String::new();
        for _ in 0..=self.random.below(8) {
            let letter = letters[self.random.below(letters.len())];
            self.editor.replace(&file, at..at, letter);
            at += letter.len();
            typed += letter;
        }
        // most people see what they broke
        if self.random.below(3) > 0 {
            self.editor.replace(&file, at - typed.len()..at, "");
            typed += " and removed it";
        }
        Some(format!("typed {typed:?} at {at} of {file}"))
    }

    pub(super) fn snippet(&mut self) -> Option<String> {
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let at = self.line(&text);
        let snippet = SNIPPETS[self.random.below(SNIPPETS.len())];
        self.editor.replace(&file, at..at, snippet);
        Some(format!("inserted {snippet:?} at {at} of {file}"))
    }

    /// A block of another file.
    pub(super) fn paste(&mut self) -> Option<String> {
        let file = self.document()?;
        let from = self.one_of(&self.disk.files(".tf"))?;
        let blocks = self.disk.text(&from);
        let blocks: Vec<_> = blocks.split("\n\n").map(str::to_owned).collect();
        let block = self.one_of(&blocks)? + "\n\n";
        let text = self.editor.text(&file).to_owned();
        let at = match self.random.below(3) {
            0 => self.line(&text),
            _ => text.len(),
        };
        self.editor.replace(&file, at..at, &block);
        Some(format!("pasted {block:?} of {from} at {at} of {file}"))
    }

    pub(super) fn delete(&mut self) -> Option<String> {
        let file = self.document()?;
        let text = self.editor.text(&file).to_owned();
        let (start, end) = match self.random.below(2) {
            0 => (self.line(&text), self.line(&text)),
            _ => (self.anywhere(&text), self.anywhere(&text)),
        };
        let (start, end) = (start.min(end), start.max(end));
        let end = text.len().min(start + (end - start).min(400));
        let end = (end..=text.len()).find(|it| text.is_char_boundary(*it))?;
        self.editor.replace(&file, start..end, "");
        Some(format!("deleted {start}..{end} of {file}"))
    }

    /// The text that the file had at first, if it is one of those.
    pub(super) fn take_back(&mut self) -> Option<String> {
        let file = self.document()?;
        let first = self.disk.at_first.get(&file)?;
        let first = String::from_utf8(first.clone()).unwrap();
        let length = self.editor.text(&file).len();
        self.editor.replace(&file, 0..length, &first);
        Some(format!("took back all of {file}"))
    }
}
