//! What splitting promises, held against real files, against damage and against noise.
//!
//! `GANTRYCD_HCL_CORPUS` names a folder of checked-out repositories; without it the files under
//! `tests/` are used. `GANTRYCD_HCL_TRIALS` sets the number of damaged texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gantrycd_ls::syntax::{File, Kind};
use gantrycd_ls::text::{Source, Span};
use hcl::edit::Span as _;
use hcl::edit::structure::{BlockLabel, Structure};

/// A small generator of pseudo-random numbers (SplitMix64): the same trials on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

fn corpus() -> Vec<(PathBuf, Source)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let root = match std::env::var_os("GANTRYCD_HCL_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => {
            println!("GANTRYCD_HCL_CORPUS is not set: only the files under tests/ are used");
            own
        }
    };
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(&root)
        .standard_filters(false)
        .sort_by_file_path(Ord::cmp)
        .build()
        .flatten()
    {
        let known = entry
            .path()
            .extension()
            .is_some_and(|it| it == "tf" || it == "tofu" || it == "tfvars" || it == "hcl");
        if known
            && let Ok(bytes) = std::fs::read(entry.path())
            && let Ok(source) = Source::decode(&bytes)
        {
            files.push((entry.into_path(), source));
        }
    }
    assert!(!files.is_empty(), "no files under {}", root.display());
    files
}

fn assert_covers(file: &File, what: &dyn std::fmt::Display) {
    let mut end = 0;
    for chunk in file.chunks() {
        assert_eq!(chunk.span.start, end, "{what}: a gap or an overlap");
        assert!(!chunk.span.is_empty(), "{what}: an empty chunk at {end}");
        let text = file.source().text();
        assert!(
            text.is_char_boundary(chunk.span.end as usize),
            "{what}: a chunk ends within a character"
        );
        end = chunk.span.end;
    }
    assert_eq!(
        end as usize,
        file.source().text().len(),
        "{what}: the end is missing"
    );
    let spaces = |at: usize| matches!(file.chunks()[at].kind, Kind::Space);
    for at in 1..file.chunks().len() {
        assert!(
            !(spaces(at - 1) && spaces(at)),
            "{what}: two spaces in a row"
        );
    }
}

#[test]
fn every_byte_is_in_one_chunk() {
    for (path, source) in corpus() {
        let file = File::split(source);
        assert_covers(&file, &path.display());
        let comments = file.comments();
        for pair in comments.windows(2) {
            assert!(pair[0].span.end <= pair[1].span.start, "{}", path.display());
        }
        let mut each = Vec::new();
        for (id, _) in file.blocks() {
            each.extend(file.comments_of(id));
        }
        let placed = comments.into_iter().filter(|it| it.place.block().is_some());
        assert_eq!(each, placed.collect::<Vec<_>>(), "{}", path.display());
    }
}

#[test]
fn no_text_is_too_strange() {
    let tokens = [
        "\"",
        "\"",
        "${",
        "%{",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "#",
        "//",
        "/*",
        "*/",
        "<<EOF\n",
        "<<-EOF\n",
        "EOF\n",
        "\nEOF\n",
        "EOF",
        "<",
        "=",
        " = ",
        " ",
        "  ",
        "a",
        "resource",
        "resource \"a\" \"b\" {\n",
        "\nmodule \"m\" {\n",
        "\nlocals {\n",
        "x = 1\n",
        "\\",
        "\\\"",
        "$",
        "$$",
        "$${",
        "%",
        "é",
        "😀",
        "\u{1a}",
        "\0",
        ",",
        ".",
        "-",
        "~",
    ];
    let mut random = Random(1);
    for round in 0..20_000 {
        let length = random.below(60);
        let text: String = (0..length).map(|_| *random.pick(&tokens)).collect();
        let file = File::split(Source::new(&text));
        assert_covers(&file, &format_args!("round {round}: {text:?}"));
        let comments = file.comments();
        assert!(comments.len() <= text.len());
        for (id, _) in file.blocks() {
            file.comments_of(id);
            let _ = file.parse(id);
        }
        for offset in 0..=text.len() as u32 + 1 {
            file.block_at(offset);
        }
    }
}

/// Keyword, labels and span of a block.
type Outline = (String, Vec<String>, std::ops::Range<usize>);

fn parsed_whole(text: &str) -> Option<Vec<Outline>> {
    let body = hcl::edit::parser::parse_body(text).ok()?;
    let blocks = body.iter().filter_map(|it| match it {
        Structure::Block(block) => Some(block),
        Structure::Attribute(_) => None,
    });
    let written = |label: &BlockLabel| {
        let span = match label {
            BlockLabel::Ident(it) => it.span(),
            BlockLabel::String(it) => it.span(),
        };
        span.map(|it| text[it].trim_matches('"').to_owned())
            .unwrap_or_else(|| label.as_str().to_owned())
    };
    Some(
        blocks
            .map(|it| {
                let labels = it.labels.iter().map(written).collect();
                let span = it.span().expect("a parsed block has a span");
                (it.ident.to_string(), labels, span)
            })
            .collect(),
    )
}

#[test]
fn no_block_of_a_whole_file_is_lost() {
    let (mut whole, mut blocks) = (0, 0);
    for (path, source) in corpus() {
        let Some(expected) = parsed_whole(source.text()) else {
            continue;
        };
        let file = File::split(source);
        let slice = |span: Span| file.source().slice(span).to_owned();
        let found: Vec<Outline> = file
            .blocks()
            .map(|(id, it)| {
                let labels = it.labels.iter().map(|it| slice(it.text)).collect();
                (slice(it.keyword), labels, file.block_span(id).range())
            })
            .collect();
        assert_eq!(found, expected, "{}", path.display());
        whole += 1;
        blocks += found.len();
        for (id, block) in file.blocks() {
            if block.fault.is_some() {
                println!("{}: {:?}", path.display(), block.fault);
                continue;
            }
            let parsed = file.parse(id).expect("it was parsed with the whole file");
            assert_eq!(parsed.span(parsed.block()), Some(file.block_span(id)));
        }
    }
    println!("{blocks} blocks in {whole} files that the parser reads whole");
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Damage {
    Drop,
    Insert(char),
    Truncate,
}

/// What of a block must survive: its text and where it stands.
fn survivors(file: &File) -> Vec<(Span, Span, String)> {
    file.blocks()
        .filter(|(_, it)| it.fault.is_none())
        .filter_map(|(id, it)| Some((file.block_span(id), it.body?, it)))
        .map(|(span, body, it)| {
            let slice = |span: Span| file.source().slice(span);
            let labels: Vec<_> = it.labels.iter().map(|it| slice(it.text)).collect();
            (span, body, format!("{} {labels:?}", slice(it.keyword)))
        })
        .collect()
}

#[test]
fn damage_costs_only_the_block_in_which_it_is() {
    let nasty = [
        '"', '"', '{', '}', '[', ']', '(', ')', '\n', '<', '/', '*', '#', '$', '%', '\\', '=', 'x',
        'E', '-', ' ',
    ];
    let trials: usize = std::env::var("GANTRYCD_HCL_TRIALS")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(6_000);
    let files: Vec<_> = corpus()
        .into_iter()
        .filter(|(_, source)| (1..100_000).contains(&source.text().len()))
        .map(|(path, source)| (path, File::split(source)))
        .filter(|(_, file)| {
            file.chunks().iter().all(|it| match &it.kind {
                Kind::Unreadable(_) => false,
                Kind::Block(block) => block.fault.is_none(),
                _ => true,
            })
        })
        .filter(|(_, file)| file.blocks().count() > 1)
        .map(|(path, file)| {
            let it = survivors(&file);
            (path, file, it)
        })
        .collect();
    // every byte of the corpus is as likely as any other
    let mut ends = Vec::new();
    for (_, file, _) in &files {
        ends.push(ends.last().unwrap_or(&0) + file.source().text().len());
    }
    let mut random = Random(
        std::env::var("SEED")
            .ok()
            .and_then(|it| it.parse().ok())
            .unwrap_or(7),
    );
    let mut tally: BTreeMap<Damage, (usize, usize)> = BTreeMap::new();
    let mut shown = 0;
    for _ in 0..trials {
        let place = random.below(*ends.last().expect("there are files"));
        let index = ends.partition_point(|end| *end <= place);
        let (path, file, before) = &files[index];
        let text = file.source().text();
        let mut at = random.below(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let damage = match random.below(10) {
            0..4 => Damage::Drop,
            4..8 => Damage::Insert(*random.pick(&nasty)),
            _ => Damage::Truncate,
        };
        let next = at + text[at..].chars().next().map_or(0, char::len_utf8);
        let (damaged, resumed, by) = match damage {
            Damage::Drop => (
                format!("{}{}", &text[..at], &text[next..]),
                next,
                at as i64 - next as i64,
            ),
            Damage::Insert(c) => (
                format!("{}{c}{}", &text[..at], &text[at..]),
                at,
                c.len_utf8() as i64,
            ),
            Damage::Truncate => (text[..at].to_owned(), text.len() + 1, 0),
        };
        let mut touched = None;
        let after = survivors(&File::split(Source::new(&damaged)));
        let mut lost = Vec::new();
        for (span, body, outline) in before {
            let shift = if span.end as usize <= at {
                0
            } else if span.start as usize >= resumed
                && !(span.start as usize == at && matches!(damage, Damage::Insert(_)))
            {
                by
            } else {
                touched = Some(*span);
                continue;
            };
            let moved = |span: Span| {
                Span::new(
                    (i64::from(span.start) + shift) as usize,
                    (i64::from(span.end) + shift) as usize,
                )
            };
            let expected = (moved(*span), moved(*body), outline.clone());
            if after.binary_search(&expected).is_err() {
                lost.push((*span, outline.clone()));
            }
        }
        let tally = tally.entry(damage).or_default();
        tally.0 += 1;
        // outside of every block: its own line, and the block that the line then holds
        if touched.is_none() && lost.len() == 1 {
            let (from, to) = (lost[0].0.start as usize, lost[0].0.end as usize);
            let first = at <= from && !text[next.min(from)..from].contains('\n');
            let last = at >= to && !text[to..at].contains('\n');
            if first || last {
                lost.clear();
            }
        }
        if !lost.is_empty() {
            tally.1 += 1;
            shown += 1;
            if shown <= 40 {
                let mut from = at.saturating_sub(120);
                while !text.is_char_boundary(from) {
                    from -= 1
                }
                let mut to = (at + 80).min(text.len());
                while !text.is_char_boundary(to) {
                    to += 1
                }
                println!(
                    "--- {damage:?} at {at} in {}: {} lost, first {:?}\n{}⟨⟩{}",
                    path.display(),
                    lost.len(),
                    lost[0],
                    &text[from..at],
                    &text[at..to],
                );
            }
        }
    }
    let (mut all, mut failed) = (0, 0);
    for (damage, (trials, lost)) in &tally {
        println!("{damage:?}: {lost} of {trials}");
        all += trials;
        failed += lost;
    }
    println!(
        "{failed} of {all} damaged texts cost another block ({} files)",
        files.len()
    );
    assert!(failed * 1000 <= all, "less than 99.9 % survive");
}
