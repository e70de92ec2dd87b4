//! What splitting promises, held against real files, against damage and against noise.
//!
//! `GANTRYCD_HCL_CORPUS` names a folder of checked-out repositories; without it the files under
//! `tests/hcl` are used. `GANTRYCD_HCL_TRIALS` sets the number of damaged texts.

#[path = "parser/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gantrycd_ls::syntax::{Fault, File, Kind, Place};
use gantrycd_ls::text::{Source, Span};
use hcl::edit::Span as _;
use hcl::edit::structure::{BlockLabel, Structure};
use random::Random;

fn corpus() -> Vec<(PathBuf, Source)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hcl");
    let root = match std::env::var_os("GANTRYCD_HCL_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => {
            println!("GANTRYCD_HCL_CORPUS is not set: only the files under tests/hcl are used");
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
    let chunks = file.chunks();
    let spaces = |at: usize| matches!(chunks[at].kind, Kind::Space);
    for at in 1..chunks.len() {
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
        let text: String = (0..length).map(|_| random.pick(&tokens)).collect();
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
    Insert(&'static str),
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
        "\"", "{", "}", "[", "]", "(", ")", "\n", "<", "/", "*", "#", "$", "%", "\\", "=", "x",
        "E", "-", " ", "${", "/*", "*/", "<<EOF\n", " {\n",
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
    let mut random = Random(7);
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
            4..8 => Damage::Insert(nasty[random.below(nasty.len())]),
            _ => Damage::Truncate,
        };
        let next = at + text[at..].chars().next().map_or(0, char::len_utf8);
        let (damaged, mut resumed, by) = match damage {
            Damage::Drop => (
                format!("{}{}", &text[..at], &text[next..]),
                next,
                at as i64 - next as i64,
            ),
            Damage::Insert(c) => (
                format!("{}{c}{}", &text[..at], &text[at..]),
                at,
                c.len() as i64,
            ),
            Damage::Truncate => (text[..at].to_owned(), text.len() + 1, 0),
        };
        // a comment that the damage opens, or keeps from closing, goes on to the next `*/`, as it does
        // for Terraform: what lies in it is no block any more
        let opens = matches!(damage, Damage::Insert("/*"));
        let closed = [at.saturating_sub(1), at].map(|it| text.get(it..it + 2));
        let was_closed = matches!(damage, Damage::Drop) && closed.contains(&Some("*/"));
        if let Some(end) = text[next.min(text.len())..]
            .find("*/")
            .filter(|_| opens || was_closed)
        {
            resumed = next + end + 2;
        }
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

/// Splits `text` and writes each comment's own words with its place beside them.
fn places(text: &str) -> Vec<String> {
    let file = File::split(Source::new(text));
    let name = |id| {
        let labels = &file.block(id).labels;
        let last = labels.last().map_or(file.block(id).keyword, |it| it.text);
        file.source().slice(last).to_owned()
    };
    let comments = file.comments();
    let placed = comments.iter().map(|it| {
        let words = file.source().slice(it.span);
        match it.place {
            Place::Above(id) => format!("{words} → above {}", name(id)),
            Place::HeaderLine(id) => format!("{words} → header line of {}", name(id)),
            Place::Body(id) => format!("{words} → body of {}", name(id)),
            Place::Within(id) => format!("{words} → within {}", name(id)),
            Place::Elsewhere => format!("{words} → elsewhere"),
        }
    });
    placed.collect()
}

#[test]
fn comments_know_where_they_stand() {
    for (text, expected) in [
        // above: the run of whole lines that ends at the keyword's line
        ("# x\nm \"a\" {}", &["# x → above a"][..]),
        ("// x\nm \"a\" {}", &["// x → above a"]),
        ("/* x */\nm \"a\" {}", &["/* x */ → above a"]),
        ("/* x\ny */\nm \"a\" {}", &["/* x\ny */ → above a"]),
        ("  # x\n  m \"a\" {}", &["# x → above a"]),
        ("# x\r\n\tm \"a\" {}", &["# x → above a"]),
        (
            "#tfsec:ignore:x\n# tflint-ignore: y\n# checkov:skip=z\nm \"a\" {}",
            &[
                "#tfsec:ignore:x → above a",
                "# tflint-ignore: y → above a",
                "# checkov:skip=z → above a",
            ],
        ),
        (
            "/* x */ # y\nm \"a\" {}",
            &["/* x */ → above a", "# y → above a"],
        ),
        (
            "# x\n\n# y\nm \"a\" {}",
            &["# x → elsewhere", "# y → above a"],
        ),
        (
            "# x\r\n  \r\n# y\r\nm \"a\" {}",
            &["# x → elsewhere", "# y → above a"],
        ),
        ("# x\n\nm \"a\" {}", &["# x → elsewhere"]),
        (
            "# x\n/* y */ m \"a\" {}",
            &["# x → above a", "/* y */ → elsewhere"],
        ),
        ("x = 1 # x\nm \"a\" {}", &["# x → elsewhere"]),
        ("# x\ny = 1\n# z", &["# x → elsewhere", "# z → elsewhere"]),
        (
            "# x\n? # y\nm \"a\" {}",
            &["# x → elsewhere", "# y → elsewhere"],
        ),
        (
            "m \"a\" {\n} # x\n# y\nm \"b\" {}",
            &["# x → within a", "# y → above b"],
        ),
        (
            "m \"a\" {\n} /* x\n*/\nm \"b\" {}",
            &["/* x\n*/ → within a"],
        ),
        (
            "m \"a\" {} # x\nm \"b\" {} # y",
            &["# x → header line of a", "# y → header line of b"],
        ),
        // the header's line
        ("m \"a\" { # x\n}", &["# x → header line of a"]),
        ("m \"a\" { // x\r\n}", &["// x → header line of a"]),
        ("m \"a\" {/* x */\n}", &["/* x */ → header line of a"]),
        (
            "m \"a\" { /* x */ # y\n}",
            &["/* x */ → header line of a", "# y → header line of a"],
        ),
        ("m \"a\" { b = 1 } # x", &["# x → header line of a"]),
        (
            "m \"a\" {} /* x */ # y",
            &["/* x */ → header line of a", "# y → header line of a"],
        ),
        // directly in the body
        ("m \"a\" {\n  # x\n}", &["# x → body of a"]),
        ("m \"a\" {\n  b = 1 # x\n}", &["# x → body of a"]),
        ("m \"a\" {\n  /* x */ b = 1\n}", &["/* x */ → body of a"]),
        ("m \"a\" { /* x */ b = 1 }", &["/* x */ → body of a"]),
        ("m \"a\" {\n  b = {\n  } # x\n}", &["# x → body of a"]),
        (
            "m \"a\" {\n  b = <<E\n# t\nE\n  # x\n}",
            &["# x → body of a"],
        ),
        (
            "m \"a\" {\n# x\n\n# y\n}",
            &["# x → body of a", "# y → body of a"],
        ),
        // within, but not directly
        ("m \"a\" {\n  n {\n    # x\n  }\n}", &["# x → within a"]),
        (
            "m \"a\" {\n  n { # x\n  } # y\n}",
            &["# x → within a", "# y → within a"],
        ),
        ("m \"a\" {\n  n /* x */ {}\n}", &["/* x */ → within a"]),
        (
            "m \"a\" {\n  b = [ # x\n    1, # y\n  ]\n}",
            &["# x → within a", "# y → within a"],
        ),
        ("m \"a\" {\n  b = { # x\n  }\n}", &["# x → within a"]),
        ("m \"a\" {\n  b = f(1, # x\n  2)\n}", &["# x → within a"]),
        (
            "m \"a\" {\n  b = \"${c /* x */}\"\n}",
            &["/* x */ → within a"],
        ),
        (
            "m \"a\" {\n  b = <<E\n${c # x\n}\nE\n}",
            &["# x → within a"],
        ),
        (
            "m /* x */ \"a\" /* y */ {}",
            &["/* x */ → within a", "/* y */ → within a"],
        ),
        // no comments
        (
            "m \"a\" {\n  b = \"# // /* x */\"\n  c = \"\\\" # x\"\n}",
            &[],
        ),
        ("m \"a\" {\n  b = <<-E\n  # x\n  // /* y */\n  E\n}", &[]),
        ("m \"a\" {\n  b = \"${\"# x\"}\"\n}", &[]),
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
}

#[test]
fn the_cases_split_as_a_reader_would() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hcl");
    let verdicts = std::fs::read_to_string(cases.join("verdict.tsv")).expect("the verdicts");
    for line in verdicts.lines().filter(|it| !it.starts_with('#')) {
        let (name, verdict) = line.split_once('\t').expect("a name and a verdict");
        let bytes = std::fs::read(cases.join(name)).expect("the case");
        let file = File::split(Source::decode(&bytes).expect("text"));
        assert_covers(&file, &name);
        let readable = file.chunks().iter().all(|it| match &it.kind {
            Kind::Block(block) => block.fault.is_none(),
            Kind::Space | Kind::Attribute { .. } => true,
            Kind::Unreadable(_) => false,
        });
        let chunks = file.chunks();
        let items = chunks.iter().filter(|it| it.kind != Kind::Space);
        if verdict == "valid" {
            assert!(readable, "{name}: {:?}", file.chunks());
            assert_eq!(items.count(), 1, "{name}: {:?}", file.chunks());
        }
    }
}

/// What is wrong with the blocks and the rest of `text`, in order.
fn faults(text: &str) -> Vec<(Fault, String)> {
    let file = File::split(Source::new(text));
    let faults = file.chunks().into_iter().filter_map(|it| match it.kind {
        Kind::Block(block) => block.fault,
        Kind::Unreadable(fault) => Some(fault),
        _ => None,
    });
    faults
        .map(|it| (it, file.source().slice(it.span()).to_owned()))
        .collect()
}

#[test]
fn faults_say_what_is_wrong_and_where() {
    let rest = "\n}\nresource \"c\" \"d\" {\n  e = 1\n}\n";
    for (broken, fault, at) in [
        (
            "resource \"a\" \"b\" {\n  x = \"y",
            "a quote is opened here and not closed on its line",
            "\"y",
        ),
        (
            "resource \"a\" \"b {\n  x = 1",
            "a quote is opened here and not closed on its line",
            "\"b {",
        ),
        (
            "resource \"a\" \"b\" {\n  x = [",
            "a bracket is opened here and not closed",
            "[",
        ),
        (
            "resource \"a\" \"b\" {\n  x {",
            "a bracket is opened here and not closed",
            "{",
        ),
        (
            "resource \"a\" \"b\" {\n  x = 1]",
            "this bracket closes nothing",
            "]",
        ),
        (
            "resource \"a\" \"b\" {\n  }\n  x = 1",
            "this bracket closes nothing",
            "}",
        ),
        (
            "resource \"a\" \"b\" {\n  x = <<E\n",
            "a heredoc starts here, and no line holds its end marker alone",
            "<<E",
        ),
        (
            "resource \"a\" \"b\" {\n  x = <<E\nE # no",
            "the end marker of a heredoc must stand alone on its line",
            "E",
        ),
        (
            "resource \"a\" \"b\" {\n  /* x",
            "a comment is opened here and not closed",
            "/*",
        ),
        (
            "resource \"a\" \"b\"\n  x = 1",
            "a `{` must follow on the line of a block's header",
            "resource \"a\" \"b\"",
        ),
        (
            "resource \"a\" \"z\" {} resource \"a\" \"b\" {",
            "this must start on a line of its own",
            "resource \"a\" \"b\"",
        ),
        (
            "hello, world",
            "this is neither a block nor an argument",
            "hello",
        ),
    ] {
        let text = format!("{broken}{rest}");
        let found = faults(&text);
        let (first, place) = found.first().expect("a fault");
        assert_eq!(
            (first.to_string().as_str(), place.as_str()),
            (fault, at),
            "{text}"
        );
        let file = File::split(Source::new(&text));
        let (last, block) = file.blocks().last().expect("a block");
        assert_eq!(block.fault, None, "{text}");
        assert_eq!(
            file.source().slice(file.block_span(last)),
            &rest[3..rest.len() - 1]
        );
    }
}

#[test]
fn a_cursor_touches_a_block_at_both_ends() {
    let file = File::split(Source::new("a {} b {}\n\nc {}"));
    let keyword = |offset| {
        let id = file.block_at(offset)?;
        Some(file.source().slice(file.block(id).keyword))
    };
    for (offset, expected) in [
        (0, Some("a")),
        (4, Some("a")),
        (5, Some("b")),
        (9, Some("b")),
        (10, None),
        (11, Some("c")),
        (15, Some("c")),
        (16, None),
    ] {
        assert_eq!(keyword(offset), expected, "at {offset}");
    }
}

#[test]
fn an_attribute_ends_before_what_follows_it() {
    let text = "a = [1] # x\nb = <<E\n1\nE\nc = f(\n1) /* y */ # z\nd = 1";
    let file = File::split(Source::new(text));
    let chunks = file.chunks();
    let items = chunks.iter().filter(|it| it.kind != Kind::Space);
    let texts: Vec<_> = items
        .clone()
        .map(|it| file.source().slice(it.span))
        .collect();
    assert_eq!(texts, ["a = [1]", "b = <<E\n1\nE", "c = f(\n1)", "d = 1"]);
    for chunk in items {
        let attribute = file.attribute(chunk).expect("it is one");
        let (start, end) = (attribute.name.span.start, attribute.value.span.end);
        assert_eq!(Span { start, end }, chunk.span);
    }
}

/// The parser's own limits hold, and what it costs to look ahead is bounded.
#[test]
fn neither_depth_nor_size_is_a_danger() {
    let size = 200_000;
    for (what, unit, close) in [
        ("lists", "[", "]"),
        ("objects", "{a=", "}"),
        ("calls", "f(", ")"),
        ("templates", "\"${", "}\""),
        ("blocks", "b {\n", "}\n"),
        ("operators", "1 + ", ""),
        ("negations", "!", ""),
        ("conditions", "a ? ", ""),
        ("loops", "[for x in ", ""),
    ] {
        let deep = format!(
            "x {{\n y = {}1{}\n}}\n",
            unit.repeat(10_000),
            close.repeat(10_000)
        );
        let file = File::split(Source::new(&deep));
        file.comments();
        for (id, _) in file.blocks() {
            assert!(file.parse(id).is_err(), "{what}: the parser has its limits");
        }
    }
    for unit in [
        "resource \"a\" \"b\" {\n",
        "resource \"a\" \"b\" { x = <<E\n",
        "resource \"a\" \"b\" {\n  x = [<<E\nE)\n",
        "resource \"a\" \"b\" {} /*\n",
        "/*\nlocals {\n",
        "x = [\n",
        "x = <<E\n",
        "x = \"${\n",
        "x = \"${<<E\n",
        "[",
        "x = (}\n",
        "}\n",
        " x = 1\n}\n",
        "a {}\n  }\n",
        "# x\n",
        "\"\n",
        "\"${",
        "locals {\n{{}\n",
        "a ",
        "a \"b\" ",
        "a /*",
        "x = 1 # y\n",
        "locals {\n#\n/* */\n",
        "{\nlocals {\n",
        "x = [\nlocals {\n",
        " locals {\n",
        "x /* */",
        "/* */",
        "# x\n a {}\n",
        "\"\\",
        "x = <<E\n${\nE\n",
        "a {}\nb /*\n",
        " x = 1\n }\n",
        " ?\n}\n",
        "locals {\nx = <<E\n${\nlocals {\n",
    ] {
        let text = unit.repeat(size / unit.len());
        let start = std::time::Instant::now();
        let file = File::split(Source::new(&text));
        assert_covers(&file, &unit);
        file.comments();
        // a quadratic step would take minutes
        assert!(
            start.elapsed().as_secs() < 5,
            "{unit:?} took {:?}",
            start.elapsed()
        );
        println!("{unit:?}: {:?}", start.elapsed());
    }
}
