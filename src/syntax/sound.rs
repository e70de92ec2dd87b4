//! Proves of most bodies that nothing is wrong with them, without making a tree.
//!
//! It reads the ordinary part of the language only and says no to all else, to the safe side: a
//! `for`, a directive, a comment of the kind that may go over several lines. Whatever it says yes to, the parser reads
//! without a fault; the parser is asked about the rest.

use super::header::{self, continues_word};

/// Deeper brackets, and higher trees, are the parser's: it has a limit of its own.
const MAX_DEPTH: usize = 24;
const MAX_HEIGHT: usize = 100;

/// Whether what stands between the braces of a block is certainly without a fault.
pub(super) fn is_sound(body: &[u8]) -> bool {
    let mut reader = Reader {
        text: body,
        at: 0,
        depth: 0,
        names: Vec::new(),
    };
    reader.items().is_some() && reader.at == body.len()
}

/// Whether what stands between the quotes of a label is certainly a text.
pub(super) fn is_plain(label: &[u8]) -> bool {
    label.iter().all(|b| is_plain_byte(*b))
}

fn is_plain_byte(byte: u8) -> bool {
    byte >= b' ' && !matches!(byte, b'"' | b'\\' | b'$' | b'%')
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// How many brackets are open.
    depth: usize,
    /// The attributes of the bodies that are open.
    names: Vec<&'a [u8]>,
}

/// `None` is: ask the parser.
type Sure = Option<()>;

/// The same, or how high a tree is at most.
type Height = Option<usize>;

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn second(&self) -> Option<u8> {
        self.text.get(self.at + 1).copied()
    }

    fn take(&mut self, byte: u8) -> Sure {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// A comment, up to its line's end.
    fn comment(&mut self) {
        if matches!(self.text[self.at..], [b'#', ..] | [b'/', b'/', ..]) {
            let rest = &self.text[self.at..];
            self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        }
    }

    /// Blanks, and the end of a line.
    fn line_end(&mut self) -> Sure {
        self.blanks();
        self.comment();
        if self.peek()? == b'\r' {
            self.at += 1;
        }
        self.take(b'\n')
    }

    /// Blanks, comments and ends of lines.
    fn lines(&mut self) {
        loop {
            self.blanks();
            self.comment();
            match self.text[self.at..] {
                [b'\n', ..] => self.at += 1,
                [b'\r', b'\n', ..] => self.at += 2,
                _ => return,
            }
        }
    }

    /// Blanks, or all that means nothing where ends of lines do not.
    fn space(&mut self, lines: bool) {
        match lines {
            true => self.blanks(),
            false => self.lines(),
        }
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if !(self.peek()?.is_ascii_alphabetic() || self.peek()? == b'_') {
            return None;
        }
        while self.peek().is_some_and(|b| b < 0x80 && continues_word(b)) {
            self.at += 1;
        }
        // whether another letter belongs to it is for others to say
        (self.peek().is_none_or(|b| b < 0x80)).then(|| &self.text[start..self.at])
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let read = read(self)?;
        self.depth -= 1;
        Some(read)
    }

    /// The items of a body, from behind its `{` to its `}` or the end.
    fn items(&mut self) -> Sure {
        let first = self.names.len();
        self.blanks();
        if matches!(self.peek(), None | Some(b'}')) {
            return Some(());
        }
        if !matches!(self.peek(), Some(b'\r' | b'\n' | b'#' | b'/')) {
            return self.only_item();
        }
        self.line_end()?;
        loop {
            self.lines();
            if matches!(self.peek(), None | Some(b'}')) {
                self.names.truncate(first);
                return Some(());
            }
            let name = self.word()?;
            self.blanks();
            match self.peek()? {
                b'=' => {
                    if self.names.len() - first > 64 || self.names[first..].contains(&name) {
                        return None;
                    }
                    self.names.push(name);
                    self.at += 1;
                    self.blanks();
                    self.expression(true)?;
                }
                _ => self.block()?,
            }
            self.line_end()?;
        }
    }

    /// The only attribute of a body on one line.
    fn only_item(&mut self) -> Sure {
        self.word()?;
        self.blanks();
        if self.second()? == b'=' {
            return None;
        }
        self.take(b'=')?;
        self.blanks();
        self.expression(true)?;
        self.blanks();
        matches!(self.peek(), None | Some(b'}')).then_some(())
    }

    /// A nested block, from behind its keyword.
    fn block(&mut self) -> Sure {
        loop {
            match self.peek()? {
                b'{' => break,
                b'"' => self.plain()?,
                _ => _ = self.word()?,
            }
            self.blanks();
        }
        self.at += 1;
        self.deeper(Self::items)?;
        self.take(b'}')
    }

    /// A quoted text without escapes and templates.
    fn plain(&mut self) -> Sure {
        self.take(b'"')?;
        while is_plain_byte(self.peek()?) {
            self.at += 1;
        }
        self.take(b'"')
    }

    /// An expression, and how high its tree is at most. `lines`: whether a line's end is more than a
    /// blank.
    fn expression(&mut self, lines: bool) -> Height {
        let mut height = 0;
        loop {
            while let Some(b'!' | b'-') = self.peek() {
                self.at += 1;
                height += 1;
                self.space(lines);
            }
            height = height.max(self.operand(lines)?) + 1;
            if height > MAX_HEIGHT {
                return None;
            }
            self.space(lines);
            match (self.peek(), self.second()) {
                (Some(b'?'), _) => {
                    self.at += 1;
                    self.space(lines);
                    let then = self.deeper(|it| it.expression(lines))?;
                    self.space(lines);
                    self.take(b':')?;
                    self.space(lines);
                    let otherwise = self.deeper(|it| it.expression(lines))?;
                    return Some(height.max(then).max(otherwise) + 1);
                }
                (Some(b'=' | b'!' | b'<' | b'>'), Some(b'='))
                | (Some(b'&'), Some(b'&'))
                | (Some(b'|'), Some(b'|')) => self.at += 2,
                // a comment of this kind is read by the parser
                (Some(b'/'), Some(b'*')) => return None,
                (Some(b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>'), _) => self.at += 1,
                _ => return Some(height),
            }
            self.space(lines);
        }
    }

    /// A term, and the names and keys behind it.
    fn operand(&mut self, lines: bool) -> Height {
        let mut height = match self.peek()? {
            b'"' => self.text()?,
            b'0'..=b'9' => return self.number(),
            b'[' => self.deeper(Self::tuple)?,
            b'{' => self.deeper(Self::object)?,
            b'(' => self.deeper(|it| it.enclosed(b')'))?,
            b'<' => return self.heredoc(),
            _ => {
                self.word()?;
                match self.peek() {
                    Some(b'(') => self.deeper(|it| it.list(b')'))?,
                    _ => 1,
                }
            }
        };
        loop {
            height += 1;
            if height > MAX_HEIGHT {
                return None;
            }
            self.space(lines);
            match (self.peek(), self.second()) {
                (Some(b'.'), _) => {
                    self.at += 1;
                    self.word()?;
                }
                (Some(b'['), Some(b'*')) => {
                    self.at += 2;
                    self.take(b']')?;
                }
                (Some(b'['), _) => height = height.max(self.deeper(|it| it.enclosed(b']'))?),
                // a call with blanks before its bracket, or of a provider's function
                (Some(b'('), _) | (Some(b':'), Some(b':')) => return None,
                _ => return Some(height),
            }
        }
    }

    /// An expression between brackets.
    fn enclosed(&mut self, closer: u8) -> Height {
        self.at += 1;
        self.lines();
        let height = self.expression(false)?;
        self.lines();
        self.take(closer)?;
        Some(height + 1)
    }

    fn number(&mut self) -> Height {
        let digits = |it: &mut Self| {
            let start = it.at;
            while it.peek().is_some_and(|b| b.is_ascii_digit()) {
                it.at += 1;
            }
            (it.at > start).then_some(())
        };
        digits(self)?;
        if self.peek() == Some(b'.') {
            self.at += 1;
            digits(self)?;
        }
        let ends = |b: u8| !(continues_word(b) || matches!(b, b'.' | b'['));
        self.peek().is_none_or(ends).then_some(1)
    }

    /// A quoted text on one line.
    fn text(&mut self) -> Height {
        let mut height = 1;
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    if !matches!(self.second()?, b'n' | b'r' | b't' | b'"' | b'\\') {
                        return None;
                    }
                    self.at += 2;
                }
                b'$' if self.second()? == b'{' => height = height.max(self.interpolation()?),
                b'$' | b'%' if matches!(self.second()?, b'$' | b'%' | b'{') => return None,
                b' '.. => self.at += 1,
                _ => return None,
            }
        }
        self.at += 1;
        Some(height)
    }

    /// `${expression}` on one line.
    fn interpolation(&mut self) -> Height {
        let start = self.at;
        self.at += 2;
        self.blanks();
        let height = self.deeper(|it| it.expression(true))?;
        self.blanks();
        self.take(b'}')?;
        let one_line = memchr::memchr(b'\n', &self.text[start..self.at]).is_none();
        one_line.then_some(height + 2)
    }

    /// A heredoc, up to the line's end behind its marker, which stands alone on its line.
    fn heredoc(&mut self) -> Height {
        let (marker, start) = header::heredoc_start(self.text, self.at)?;
        let marker = &self.text[marker.range()];
        let mut height = 1;
        self.at = start;
        loop {
            let rest = &self.text[self.at..];
            let line = &rest[..memchr::memchr(b'\n', rest)?];
            let content = line.trim_ascii();
            if content.starts_with(marker) {
                self.at += line.trim_ascii_end().len();
                return (content.len() == marker.len()).then_some(height);
            }
            let end = self.at + line.len();
            while self.at < end {
                match (self.peek()?, self.second()?) {
                    (b'$', b'{') => height = height.max(self.interpolation()?),
                    (b'$' | b'%', b'$' | b'%' | b'{') => return None,
                    (b' '.. | b'\t', _) => self.at += 1,
                    (b'\r', b'\n') => self.at += 1,
                    _ => return None,
                }
            }
            self.at += 1;
        }
    }

    fn tuple(&mut self) -> Height {
        let open = self.at;
        self.at += 1;
        self.lines();
        if self.text[self.at..].starts_with(b"for") {
            return None;
        }
        self.at = open;
        self.list(b']')
    }

    /// Expressions with commas in between, between brackets.
    fn list(&mut self, closer: u8) -> Height {
        let mut height = 0;
        self.at += 1;
        self.lines();
        while self.peek()? != closer {
            height = height.max(self.expression(false)?);
            self.lines();
            match self.peek()? {
                b',' => self.at += 1,
                byte if byte == closer => break,
                _ => return None,
            }
            self.lines();
        }
        self.at += 1;
        Some(height + 1)
    }

    fn object(&mut self) -> Height {
        let mut height = 1;
        self.at += 1;
        self.lines();
        if self.text[self.at..].starts_with(b"for") {
            return None;
        }
        while self.peek()? != b'}' {
            match self.peek()? {
                b'"' => self.plain()?,
                _ => _ = self.word()?,
            }
            self.blanks();
            let sign = (self.peek()?, self.second()?);
            if !matches!(sign, (b'=' | b':', it) if !matches!(it, b'=' | b'>' | b':')) {
                return None;
            }
            self.at += 1;
            self.blanks();
            height = height.max(self.expression(true)?);
            self.blanks();
            match self.peek()? {
                b'}' => break,
                b',' => self.at += 1,
                _ => self.line_end()?,
            }
            self.lines();
        }
        self.at += 1;
        Some(height + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::is_sound;
    use crate::syntax::{Body, File};
    use crate::text::Source;

    const ORDINARY: &[&str] = &[
        "",
        " ",
        "\n",
        " # nothing\n",
        "\n  a = 1\n",
        "\r\n  a = 1.5\r\n\r\n",
        "\n  a = \"x-${var.a}-${f(b[0])}\"\n",
        "\n  a = [\n    1, # one\n    \"b\",\n  ]\n  // c\n  b = null\n",
        "\n  tags = merge(local.tags, {\n    Name = \"x\"\n    \"a:b\" : a.b[*].c, D = -1\n  })\n",
        "\n  a = b == \"c\" && !d ? e : f.g[\"h\"]\n",
        " a = 1 ",
        "\n  a = <<-EOT\n    b ${c}\n  EOT\n  d {}\n  e { f = [1] }\n",
        "\n  b \"c\" d {\n    a = (\n      1 + 2\n    )\n  }\n  a = 1\n\n  b {\n  }\n",
    ];

    #[test]
    fn the_ordinary_is_sound() {
        for body in ORDINARY {
            assert!(is_sound(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn whatever_is_sound_the_parser_reads_without_a_fault() {
        let mut sound = 0;
        let pieces = [
            "", "\n", " ", "\"", "{", "}", "[", "]", "(", ")", "=", ",", ":", "?", ".", "$", "${",
            "-", "!", "*", "<<E\n", "#", "//", "a", "1", "for ", "\\", "%{", "\r", "\u{1a}", "é",
        ];
        for body in ORDINARY {
            let places = body.char_indices().map(|(at, c)| (at, at + c.len_utf8()));
            for (at, end) in places {
                for piece in pieces {
                    for rest in [&body[at..], &body[end..]] {
                        let text = format!("x {{{}{piece}{rest}}}\n", &body[..at]);
                        let file = File::split(Source::new(&text));
                        let Some((id, block)) = file.blocks().next() else {
                            continue;
                        };
                        let inner = block.body.map(|it| file.source().slice(it));
                        if block.fault.is_none() && inner.is_some_and(|it| is_sound(it.as_bytes()))
                        {
                            assert_eq!(unreadable(&file.body(id)), 0, "{text}");
                            sound += 1;
                        }
                    }
                }
            }
        }
        assert!(sound > 1000, "{sound}");
    }

    fn unreadable(body: &Body) -> usize {
        let within = body.blocks.iter().map(|it| unreadable(&it.body));
        body.unreadable.len() + within.sum::<usize>()
    }

    #[test]
    fn what_is_at_fault_is_not() {
        for body in [
            " a = 1\n",
            " a = 1 b = 2 ",
            " b {}",
            "\n  a = <<E\n  ${\n  E\n",
            "\n  a = <<E\n  E b\n  E\n",
            "\n  a = <<E\n  E",
            "\n  a = 1 b = 2\n",
            "\n  a = 1\n  a = 2\n",
            "\n  a = 1 }\n",
            "\n  b {\n    a = 1 }\n",
            "\n  a = \"x\n",
            "\n  a = \"${b\"\n",
            "\n  a = \"\\x\"\n",
            "\n  a = [1 2]\n",
            "\n  a = { b = 1 c = 2 }\n",
            "\n  a = { b }\n",
            "\n  a = f(1\n",
            "\n  a = 1 +\n",
            "\n  a = b ? c\n",
            "\n  a = 1.2.3\n",
            "\n  a\n",
            "\n  a =\n",
            "\n  a = 1 \u{1a}\n",
            "\n  }\n",
        ] {
            assert!(!is_sound(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn what_is_deep_or_high_is_for_the_parser() {
        for (open, close) in [
            ("[", "]"),
            ("(", ")"),
            ("f(", ")"),
            ("{ a = ", " }"),
            ("!", ""),
        ] {
            let body = format!("\n  a = {}1{}\n", open.repeat(500), close.repeat(500));
            assert!(!is_sound(body.as_bytes()), "{open}");
        }
        for more in [" + 1", ".b", "[0]", "[*]"] {
            let body = format!("\n  a = b{}\n", more.repeat(500));
            assert!(!is_sound(body.as_bytes()), "{more}");
        }
    }
}
