//! What the parser promises: Terraform's word on small inputs, one row for each rule of the
//! grammar, agreement with another parser over real files, and no panic, overflow or long wait on
//! any text.

mod corpus;
mod form;
mod random;
mod terraform;

use std::path::{Path, PathBuf};

use gantrycd_ls::syntax::{Fault, File};
use gantrycd_ls::text::Source;

fn file(text: &str) -> File {
    File::split(Source::new(text))
}

/// The form of the value that `a` has in `text`, or the first fault.
fn read(text: &str) -> Result<String, Fault> {
    let file = file(text);
    if let Some(fault) = file.faults().into_iter().next() {
        return Err(fault);
    }
    let body = file.top_level();
    Ok(form::value(body.attribute("a").expect("an `a`")))
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hcl")
}

#[test]
fn terraform_has_the_last_word() {
    let verdicts = std::fs::read_to_string(cases().join("verdict.tsv")).unwrap();
    let mut count = 0;
    for line in verdicts.lines().filter(|it| !it.starts_with('#')) {
        let (name, verdict) = line.split_once('\t').unwrap();
        let bytes = std::fs::read(cases().join(name)).unwrap();
        let faults = File::split(Source::decode(&bytes).unwrap()).faults();
        assert_eq!(
            faults.is_empty(),
            verdict == "valid",
            "{name} is {verdict}: {faults:?}"
        );
        count += 1;
    }
    assert!(count >= 36);
}

/// Values, and the form that each has.
const TABLE: &[(&str, &str)] = &[
    // numbers, names, keywords
    ("0", "0.0"),
    ("00", "0.0"),
    ("1.5e-3", "0.0015"),
    ("1E3", "1000.0"),
    ("true", "true"),
    ("null", "null"),
    ("a-b_9", "a-b_9"),
    ("été", "été"),
    ("truer", "truer"),
    // operators
    ("1 + 2 * 3 - 4", "(- (+ 1.0 (* 2.0 3.0)) 4.0)"),
    (
        "a || b && c == d < e + f * g",
        "(|| a (&& b (== c (< d (+ e (* f g))))))",
    ),
    (
        "a * b + c < d == e && f || g",
        "(|| (&& (== (< (+ (* a b) c) d) e) f) g)",
    ),
    ("1 - 2 - 3", "(- (- 1.0 2.0) 3.0)"),
    ("a % b / c", "(/ (% a b) c)"),
    ("a <= b != c >= d > e", "(!= (<= a b) (> (>= c d) e))"),
    ("-a.b + !c", "(+ (- a.b) (! c))"),
    ("- -1", "(- (- 1.0))"),
    ("!!a", "(! (! a))"),
    ("a -1", "(- a 1.0)"),
    ("a-1", "a-1"),
    ("a ? b : c ? d : e", "(? a b (? c d e))"),
    ("a ? b ? c : d : e", "(? a (? b c d) e)"),
    ("a || b ? c : d || e", "(? (|| a b) c (|| d e))"),
    ("(a + b) * c", "(* ((+ a b)) c)"),
    ("(a\n+\nb\n? c\n: d)", "((? (+ a b) c d))"),
    ("a /* x */ + /* y\n */ b # z", "(+ a b)"),
    // references
    ("a.b.c[0].d[\"e\"]", "a.b.c[0.0].d[\"e\"]"),
    ("a . b [ 0 ]", "a.b[0.0]"),
    ("a.0.b", "a[0.0].b"),
    ("a.1e3", "a[1000.0]"),
    ("a[b.c + 1]", "a[(+ b.c 1.0)]"),
    ("a[\n0\n]", "a[0.0]"),
    ("(a\n.b\n[0])", "(a.b[0.0])"),
    ("a.*", "(* a _)"),
    ("a.*.b.c", "(* a _.b.c)"),
    ("a.*.b[0].c", "(* a _.b)[0.0].c"),
    ("a.*.0.b", "(* a _[0.0].b)"),
    ("a[*]", "(* a _)"),
    ("a[*].b[0].c", "(* a _.b[0.0].c)"),
    ("a[*].b[*].c", "(* a (* _.b _.c))"),
    ("a[*].b.*.c", "(* a (* _.b _.c))"),
    ("a.*.b[*].c", "(* (* a _.b) _.c)"),
    ("[a[\n*\n]]", "[(* a _)]"),
    ("f(a).b", "f(a).b"),
    ("\"a\".b", "\"a\".b"),
    ("{}.b", "{}.b"),
    ("a[-1]", "a[(- 1.0)]"),
    ("-a[*].b", "(- (* a _.b))"),
    // calls
    ("f()", "f()"),
    ("f(a, b,)", "f(a b)"),
    ("f(a, b...)", "f(a b...)"),
    ("f (\n a\n,\n b # x\n)", "f(a b)"),
    ("f(1...)", "f(1.0...)"),
    ("provider::aws::arn_parse(a)", "provider::aws::arn_parse(a)"),
    ("provider :: aws :: f (a)", "provider::aws::f(a)"),
    ("(f\n(a))", "(f(a))"),
    // tuples and objects
    ("[]", "[]"),
    ("[1, 2,]", "[1.0 2.0]"),
    ("[\n1\n,\n2\n]", "[1.0 2.0]"),
    ("{}", "{}"),
    ("{ a = 1, b : 2 }", "{a=1.0 b=2.0}"),
    (
        "{\n a = 1 # x\n\n \"b\" = 2,\n (c) = 3\n 4 = 5, \"${d}\" = 6\n}",
        "{a=1.0 \"b\"=2.0 (c)=3.0 4.0=5.0 \"${d}\"=6.0}",
    ),
    (
        "{ true = 1, null = 2, if = 3, in = 4 }",
        "{true=1.0 null=2.0 if=3.0 in=4.0}",
    ),
    ("{ a = 1, for = 2 }", "{a=1.0 for=2.0}"),
    ("{ forever = 1 }", "{forever=1.0}"),
    ("{ a.b = 1 }", "{a.b=1.0}"),
    ("{ (a).b = 1, (true) = 2 }", "{(a).b=1.0 (true)=2.0}"),
    ("{ a ? b : c = d }", "{(? a b c)=d}"),
    ("{ a = b ? c : d, e = f }", "{a=(? b c d) e=f}"),
    ("{ a = 1, a = 2 }", "{a=1.0 a=2.0}"),
    ("{ a = [\n1\n] }", "{a=[1.0]}"),
    ("{ a = (\n1\n) }", "{a=(1.0)}"),
    // for
    ("[for a in b : a.c]", "(for a in b : a.c)"),
    (
        "[\nfor\na\n,\nb\nin\nc\n:\nb\nif\na\n]",
        "(for a,b in c : b if a)",
    ),
    ("{for a, b in c : a => b}", "(for a,b in c : a=>b)"),
    (
        "{\n for a in b : a.c => a... if a.d != null\n}",
        "(for a in b : a.c=>a... if (!= a.d null))",
    ),
    ("[for for in in : for]", "(for for in in : for)"),
    (
        "{for k in v : k ? a : b => c}",
        "(for k in v : (? k a b)=>c)",
    ),
    ("[for a in b : a][0]", "(for a in b : a)[0.0]"),
    (
        "[for a in [for c in d : c] : a]",
        "(for a in (for c in d : c) : a)",
    ),
    // quoted texts
    ("\"\"", "\"\""),
    (r#""\n\r\t\"\\""#, r#""\n\r\t\"\\""#),
    (r#""\u00e9\U0001F600""#, "\"é😀\""),
    (
        "\"$${a} %%{b} $ % $$ $$$ 100%\"",
        "\"${a} %{b} $ % $$ $$$ 100%\"",
    ),
    ("\"$$${a}\"", "\"$${a}\""),
    ("\"a${b}c\"", "\"\"a\" ${b} \"c\"\""),
    ("\"${a}\"", "\"${a}\""),
    ("\"${ \"${ \"a\" }\" }\"", "\"${\"${\"a\"}\"}\""),
    ("\"${\n a\n +\n b\n}\"", "\"${(+ a b)}\""),
    ("\"${{ a = 1 }.a}\"", "\"${{a=1.0}.a}\""),
    ("\"a ${~ b ~} c\"", "\"\"a\" ${b} \"c\"\""),
    ("\"a ${~ b ~}\\n\\t c\"", "\"\"a\" ${b} \"c\"\""),
    ("\"a\\n${~ b}\"", "\"\"a\" ${b}\""),
    ("\"  ${~ b}\"", "\"\"\" ${b}\""),
    ("\"  ${~ b ~}${~ c ~}  d\"", "\"${b} ${c} \"d\"\""),
    ("\"%{ if a }b%{ endif }\"", "\"%{if a {\"b\"} {}}\""),
    (
        "\"%{ if a ~} b %{~ else ~} c %{~ endif }\"",
        "\"%{if a {\"b\"} {\"c\"}}\"",
    ),
    (
        "\"%{ for a, b in c }${a}%{ endfor }\"",
        "\"%{for a,b in c {${a}}}\"",
    ),
    (
        "\"%{if a}%{if b}1%{else}2%{endif}%{for c in d}3%{endfor}%{endif}\"",
        "\"%{if a {%{if b {\"1\"} {\"2\"}} %{for c in d {\"3\"}}} {}}\"",
    ),
    // heredocs
    ("<<E\na\n b\nE", "\"a\\n b\\n\""),
    ("<<E\nE", "\"\""),
    (
        "<<E\n\\n $${a} %%{b} \"c\"\nE",
        "\"\\\\n ${a} %{b} \\\"c\\\"\\n\"",
    ),
    ("<<E\na\n  E  ", "\"a\\n\""),
    ("<<E\nE x\nEE\n$E\nE", "\"E x\\nEE\\n$E\\n\""),
    ("<<E\n100%\n$\n$$\nE", "\"100%\\n$\\n$$\\n\""),
    ("<<E\r\na\r\nE\r", "\"a\\r\\n\""),
    ("<<-E\n  a\n   b\n\n  c\n  E", "\"a\\n b\\n\\nc\\n\""),
    ("<<-E\n  a\n \n   b\nE", "\"a\\n \\n b\\n\""),
    ("<<-E\n\ta\n\t b\nE", "\"a\\n b\\n\""),
    ("<<-E\n  ${a}\n   b\nE", "\"${a} \"\\n b\\n\"\""),
    ("<<-E\n${a}\n   b\nE", "\"${a} \"\\n   b\\n\"\""),
    (
        "<<-E\nView\n* ${x}\n    y\nE",
        "\"\"View\\n* \" ${x} \"\\n    y\\n\"\"",
    ),
    (
        "<<-E\n  %{ for a in b ~}\n  x ${a}\n  %{ endfor ~}\n  E",
        "\"%{for a in b {\"  x \" ${a} \"\\n\"}}\"",
    ),
    (
        "<<E\n${f(<<F\n${b}\nF\n)}\nE",
        "\"${f(\"${b} \"\\n\"\")} \"\\n\"\"",
    ),
    ("[<<E\na\nE\n, 1]", "[\"a\\n\" 1.0]"),
    ("{ b = <<E\na\nE\n c = 1 }", "{b=\"a\\n\" c=1.0}"),
    ("f(<<E\na\nE\n)", "f(\"a\\n\")"),
];

#[test]
fn every_rule_of_the_grammar_has_a_row() {
    for (text, form) in TABLE {
        let read = read(&format!("a = {text}\n"));
        assert_eq!(read.as_deref(), Ok(*form), "{text}");
    }
}

/// What would overflow the stack of whoever reads it, or walks it, or drops it.
#[test]
fn no_text_is_too_deep() {
    let deep = |opener: &str, closer: &str, count: usize| {
        format!("{}1{}", opener.repeat(count), closer.repeat(count))
    };
    let texts = [
        deep("[", "]", 10_000),
        deep("(", ")", 10_000),
        deep("f(", ")", 10_000),
        deep("{a=", "}", 10_000),
        deep("\"${", "}\"", 10_000),
        deep("\"%{if a}", "%{endif}\"", 10_000),
        format!("\"{}\"", deep("%{if a}", "%{endif}", 10_000)),
        deep("a[", "]", 10_000),
        deep("[for a in b:", "]", 10_000),
        deep("a?b:", "", 10_000),
        deep("a?", ":b", 10_000),
        deep("!", "", 100_000),
        deep("- ", "", 100_000),
        deep("<<A\n${", "\n}\nA\n", 5_000),
        deep("1||1&&1==1<1+1*(", ")", 10_000),
        deep("!(a?{(a)=[", "]}:1)", 10_000),
        format!("a{}", ".b".repeat(100_000)),
        format!("a{}", "[0]".repeat(100_000)),
        format!("a{}", "[*]".repeat(100_000)),
        format!("a{}", ".*".repeat(100_000)),
        format!("1{}", "+1".repeat(100_000)),
        format!("1{}", "||1&&1".repeat(100_000)),
        format!("a::{}f()", "a::".repeat(100_000)),
    ];
    for text in &texts {
        let start = &text[..text.len().min(20)];
        for whole in [
            format!("a = {text}\nb = 1\n"),
            format!("x {{\n  a = {text}\n  b = 1\n}}\n"),
            format!("x {{\n  a = {}\n  b = 1\n}}\n", &text[..text.len() / 2]),
        ] {
            let before = std::time::Instant::now();
            let file = file(&whole);
            let top = file.top_level();
            let bodies: Vec<_> = file.blocks().map(|(id, _)| file.body(id)).collect();
            let _ = top.clone();
            assert!(
                before.elapsed().as_secs() < 5,
                "{start}: {:?}",
                before.elapsed()
            );
            drop(bodies);
        }
        let whole = format!("x {{\n  a = {text}\n  b = 1\n}}\n");
        let file = file(&whole);
        for (id, _) in file.blocks() {
            let body = file.body(id);
            let b = body.attribute("b").map(|it| form::value(it));
            assert_eq!(b.as_deref(), Some("1.0"), "{start}");
        }
    }
    let blocks = "a {\n".repeat(10_000) + &"}\n".repeat(10_000);
    assert!(!file(&blocks).faults().is_empty());
    assert!(
        file(&("a = ".to_owned() + &deep("[", "]", 140)))
            .faults()
            .is_empty()
    );
}

/// The form of a block's body, places left out, and how often it is at fault.
fn body_of(text: &str) -> (String, usize) {
    let file = file(text);
    let (id, _) = file.blocks().next().expect("a block");
    let form = form::body(&file.body(id));
    let mut placeless = String::new();
    for line in form.lines() {
        match line.split_once('@') {
            Some((name, rest)) => {
                let rest = rest.split_once(' ').unwrap_or_default().1;
                placeless += &format!("{name} {rest}\n");
            }
            None => placeless += &format!("{line}\n"),
        }
    }
    (placeless, file.faults().len())
}

#[test]
fn what_cannot_be_read_costs_nothing_beside_it() {
    for (text, form) in [
        ("a =\n b = 1\n", "a = UNREADABLE\nb = 1.0\n"),
        ("a = x.\n b = 1\n", "a = UNREADABLE\nb = 1.0\n"),
        ("a = 1 2\n b = 1\n", "a = UNREADABLE\nb = 1.0\n"),
        ("a = \"x\n b = 1\n", "a = UNREADABLE\nb = 1.0\n"),
        ("a = \"${x\"\n b = 1\n", "a = UNREADABLE\nb = 1.0\n"),
        (
            "a = \"${x y} z\"\n b = 1\n",
            "a = \"${UNREADABLE} \" z\"\"\nb = 1.0\n",
        ),
        (
            "a = [1, 2 3, 4]\n b = 1\n",
            "a = [1.0 UNREADABLE 4.0]\nb = 1.0\n",
        ),
        ("a = [1, 2\n b = 1\n", "a = [1.0 UNREADABLE]\nb = 1.0\n"),
        (
            "a = [\n \"x,\n \"y\"\n ]\n b = 1\n",
            "a = [UNREADABLE \"y\"]\nb = 1.0\n",
        ),
        (
            "a = f(1, , 2)\n b = 1\n",
            "a = f(1.0 UNREADABLE 2.0)\nb = 1.0\n",
        ),
        (
            "a = {\n  x = 1\n  y =\n  z = 2 3\n  v\n  w = 4\n }\n b = 1\n",
            "a = {x=1.0 y=UNREADABLE z=UNREADABLE v=UNREADABLE w=4.0}\nb = 1.0\n",
        ),
        (
            "a = {\n  x = 1\n b = 1\n",
            "a = {x=1.0 UNREADABLE=UNREADABLE}\nb = 1.0\n",
        ),
        (
            "a = {\n  x = {\n   y = 1\n  z = 2\n }\n b = 1\n",
            "a = {x={y=1.0 UNREADABLE=UNREADABLE} z=2.0}\nb = 1.0\n",
        ),
        ("a = (1\n b = 1\n", "a = (UNREADABLE)\nb = 1.0\n"),
        ("a {\n  x = 1\n b = 1\n", "b = 1.0\na {\nx = 1.0\n}\n"),
        ("a \"x\" =\n b = 1\n", "b = 1.0\n"),
        ("] = 2\n b = 1\n", "b = 1.0\n"),
        ("a = <<X\n foo\n b = 1\n", "a = UNREADABLE\nb = 1.0\n"),
        ("a = 1 b = 1\n", "a = 1.0\nb = 1.0\n"),
        ("a = 1\n a = 2\n", "a = 1.0\na = 2.0\n"),
    ] {
        let (read, faults) = body_of(&format!("x \"y\" {{\n {text}}}\n"));
        assert_eq!(read, form, "{text}");
        assert!(faults > 0, "{text}");
    }
}
