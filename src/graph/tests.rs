//! Which stacks and lines a graph has, and how it is told.

use super::{Fault, Format, Graph, LINKS, Selection};
use crate::fixture::Fixture;

fn arn(name: &str) -> String {
    format!("arn=arn:aws:sqs:eu-west-1:111122223333:{name}")
}

/// A stack with a queue of its name, in a realm or none, that reads the queues of others.
pub(super) fn stack(name: &str, realm: &str, reads: &[&str]) -> String {
    let mut configuration = format!("#- {name}/main.tf\nresource \"aws_sqs_queue\" \"q\" {{}}\n");
    let realm = match realm {
        "" => String::new(),
        realm => format!(" realm={realm}"),
    };
    let mut state = format!("#- {name}/terraform.tfstate\n");
    state += &format!("aws_sqs_queue.q {}{realm}\n", arn(name));
    for (at, other) in reads.iter().enumerate() {
        configuration += &format!("data \"aws_sqs_queue\" \"r{at}\" {{}}\n");
        state += &format!("data.aws_sqs_queue.r{at} {}{realm}\n", arn(other));
    }
    configuration + &state
}

/// A stack with a bucket, which others may have too.
pub(super) fn shared(name: &str, bucket: &str) -> String {
    format!(
        "#- {name}/main.tf\nresource \"aws_s3_bucket\" \"x\" {{}}\n\
         #- {name}/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::{bucket}\n"
    )
}

/// `a` ← `b` ← `c` ← `d`, `x` ⇄ `y`, and `z` by itself.
fn chain() -> String {
    [
        stack("a", "", &[]),
        stack("b", "", &["a"]),
        stack("c", "", &["b"]),
        stack("d", "", &["c", "a"]),
        stack("x", "", &["y"]),
        stack("y", "", &["x"]),
        stack("z", "", &[]),
    ]
    .concat()
}

/// What is selected, in words: stacks, then lines.
#[track_caller]
fn selected(text: &str, selection: &Selection) -> Result<String, Fault> {
    let snapshot = Fixture::new(text).snapshot();
    let graph = Graph::new(&snapshot, selection)?;
    let name = |at: usize| graph.name(at);
    let stacks: Vec<_> = (0..graph.stacks.len()).map(name).collect();
    let mut lines: Vec<String> = Vec::new();
    for it in &graph.dependencies {
        let mark = it.cycle.map_or(String::new(), |it| format!(" in {it}"));
        lines.push(format!("{}→{}{mark}", name(it.reader), name(it.owner)));
    }
    for it in &graph.lines {
        let [a, b] = it.stacks.map(name);
        lines.push(format!("{a}={b} of {:?}", it.duplicates));
    }
    let left_out = match graph.left_out {
        0 => String::new(),
        more => format!(" without {more}"),
    };
    Ok(format!(
        "{}: {}{left_out}",
        stacks.join(" "),
        lines.join(", ")
    ))
}

fn near(stacks: &[&str], depth: usize) -> Selection {
    let stacks: Vec<_> = stacks.iter().map(ToString::to_string).collect();
    Selection::new(&stacks, depth, None).unwrap()
}

#[test]
fn all_stacks_and_who_reads_from_whom() {
    assert_eq!(
        selected(&chain(), &Selection::default()).unwrap(),
        "a b c d x y z: b→a, c→b, d→a, d→c, x→y in 0, y→x in 0"
    );
}

#[test]
fn a_stack_and_those_so_many_lines_away() {
    let of = |stacks: &[&str], depth| selected(&chain(), &near(stacks, depth)).unwrap();
    assert_eq!(of(&["b"], 0), "b:  without 6");
    assert_eq!(of(&["b"], 1), "a b c: b→a, c→b without 4");
    assert_eq!(of(&["b"], 2), "a b c d: b→a, c→b, d→a, d→c without 3");
    assert_eq!(of(&["b"], 99), of(&["b"], 2));
    assert_eq!(of(&["b", "z"], 0), "b z:  without 5");
    assert_eq!(
        of(&["?"], 0),
        selected(&chain(), &Selection::default()).unwrap()
    );
}

#[test]
fn a_stack_on_a_circle_is_so_whatever_is_left_out() {
    let snapshot = Fixture::new(&chain()).snapshot();
    let graph = Graph::new(&snapshot, &near(&["x"], 0)).unwrap();
    assert_eq!(graph.cycles, [["x", "y"]]);
    assert_eq!(graph.stacks[0].cycle, Some(0));
    let others = Graph::new(&snapshot, &near(&["a"], 9)).unwrap();
    assert!(others.cycles.is_empty());
}

#[test]
fn a_name_that_no_stack_has_is_told() {
    let fault = selected(&chain(), &near(&["a", "live/*"], 1)).unwrap_err();
    assert_eq!(fault.to_string(), "no stack is called live/*");
    let fault = Selection::new(&["[".to_owned()], 1, None).unwrap_err();
    let told = "[ is no glob: unclosed character class; missing ']'";
    assert_eq!(fault, Fault::NoGlob(told.to_owned()));
}

#[test]
fn a_star_stays_within_a_directory() {
    let text = [stack("live/a", "", &[]), stack("live/b/c", "", &[])].concat();
    assert_eq!(
        selected(&text, &near(&["live/*"], 0)).unwrap(),
        "live/a:  without 1"
    );
    assert_eq!(
        selected(&text, &near(&["live/**"], 0)).unwrap(),
        "live/a live/b/c: "
    );
}

#[test]
fn lines_about_objects_of_one_realm() {
    let text = [
        stack("a", "", &[]),
        stack("b", "", &["a"]),
        stack("c", "one", &[]),
        stack("d", "one", &["c"]),
    ]
    .concat();
    let of = |realm| selected(&text, &Selection::new(&[], 1, realm).unwrap()).unwrap();
    assert_eq!(of(None), "a b c d: b→a, d→c");
    assert_eq!(of(Some("one")), "c d: d→c without 2");
    assert_eq!(of(Some("")), "a b: b→a without 2");
    let nowhere = selected(&text, &Selection::new(&[], 1, Some("two")).unwrap());
    assert_eq!(
        nowhere.unwrap_err().to_string(),
        "nothing is in a realm \"two\""
    );
    let alone = stack("e", "one", &[]);
    let of_alone = selected(&alone, &Selection::new(&[], 1, Some("one")).unwrap());
    assert_eq!(of_alone.unwrap(), ":  without 1");

    let both = text + &shared("x", "logs") + &shared("y", "logs");
    let of = |realm| selected(&both, &Selection::new(&[], 1, realm).unwrap()).unwrap();
    assert_eq!(of(Some("one")), "c d: d→c without 4");
    assert_eq!(of(Some("")), "a b x y: b→a, x=y of [0] without 2");
    let near = Selection::new(&["x".to_owned()], 1, Some("one")).unwrap();
    assert_eq!(selected(&both, &near).unwrap(), "x:  without 5");
}

#[test]
fn duplicates_are_lines_of_their_own() {
    let text = ["a", "b", "c"].map(|it| shared(it, "logs")).concat();
    let all = Selection::default();
    assert_eq!(
        selected(&text, &all).unwrap(),
        "a b c: a=b of [0], a=c of [0], b=c of [0]"
    );
    assert_eq!(
        selected(&text, &near(&["b"], 1)).unwrap(),
        selected(&text, &all).unwrap()
    );
    // two addresses of one stack are no line
    let one = "#- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::logs\n\
               aws_s3_bucket.y arn=arn:aws:s3:::logs\n#- a/main.tf\n";
    assert_eq!(selected(one, &all).unwrap(), "a: ");
    // many would hide everything else
    let many: Vec<_> = ('a'..='g')
        .map(|it| shared(&it.to_string(), "logs"))
        .collect();
    let star =
        "a b c d e f g: a=b of [0], a=c of [0], a=d of [0], a=e of [0], a=f of [0], a=g of [0]";
    assert_eq!(selected(&many.concat(), &all).unwrap(), star);
}

#[test]
fn when_a_duplicate_stands_is_told() {
    let realm = "\n  tags = { \"gantrycd:resource-identity-realm\" = \"mine\" }\n";
    let text = format!(
        "#- a/main.tf\nresource \"aws_s3_bucket\" \"x\" {{{realm}}}\n\
         #- a/terraform.tfstate\naws_s3_bucket.x arn=arn:aws:s3:::logs\n\
         #- b/main.tf\nresource \"aws_s3_bucket\" \"y\" {{}}\n\
         #- b/terraform.tfstate\naws_s3_bucket.y arn=arn:aws:s3:::logs\n"
    );
    let document = told(&text, Format::Json);
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let duplicate = &document["duplicates"][0];
    assert_eq!(duplicate["when"], "until-applied");
    assert_eq!(duplicate["claims"][1]["stack"], "b");
    assert_eq!(duplicate["claims"][1]["address"], "aws_s3_bucket.y");
    assert_eq!(duplicate["claims"][1]["source"]["path"], "b/main.tf");
}

#[test]
fn what_is_read_after_the_next_apply_is_told_so() {
    let arn = "arn:aws:s3:::logs";
    let text = format!(
        "#- a/main.tf\nresource \"aws_s3_bucket\" \"x\" {{}}\n\
         #- a/terraform.tfstate\naws_s3_bucket.x arn={arn}\n\
         #- b/main.tf\ndata \"aws_s3_bucket\" \"y\" {{\n  arn = \"{arn}\"\n}}\n\
         #- b/terraform.tfstate\naws_vpc.v\n"
    );
    let document = told(&text, Format::Json);
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let object = &document["dependencies"][0]["objects"][0];
    assert_eq!(object["when"], "after-apply");
    assert_eq!(object["cloud_identity_id"], arn);
    assert!(told(&text, Format::Svg).contains("class=\"reads after-apply\""));
    assert!(told(&text, Format::Dot).contains("style=dotted"));
}

#[test]
fn a_circle_stands_at_one_time_as_a_whole() {
    let reads = "data \"aws_s3_bucket\" \"b\" {}\n";
    let circles = |reads: &str| {
        let text = format!(
            "#- a/main.tf\nresource \"aws_s3_bucket\" \"a\" {{}}\n{reads}\
             #- a/terraform.tfstate\naws_s3_bucket.a arn=arn:aws:s3:::a\n\
             data.aws_s3_bucket.b arn=arn:aws:s3:::b\n\
             #- b/main.tf\nresource \"aws_s3_bucket\" \"b\" {{}}\n\
             data \"aws_s3_bucket\" \"a\" {{\n  arn = \"arn:aws:s3:::a\"\n}}\n\
             #- b/terraform.tfstate\naws_s3_bucket.b arn=arn:aws:s3:::b\n"
        );
        let document = told(&text, Format::Json);
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["dependencies"].as_array().unwrap().len(), 2);
        document["cycles"].clone()
    };
    assert_eq!(circles(reads), serde_json::json!([["a", "b"]]));
    // the one ends when the other begins
    assert_eq!(circles(""), serde_json::json!([]));
}

#[track_caller]
fn told(text: &str, format: Format) -> String {
    let snapshot = Fixture::new(text).snapshot();
    let graph = Graph::new(&snapshot, &Selection::default()).unwrap();
    graph.told(format, LINKS).unwrap()
}

#[test]
fn a_program_reads_the_objects_behind_a_line() {
    let text = [stack("a", "one", &[]), stack("b", "one", &["a"])].concat();
    let document: serde_json::Value = serde_json::from_str(&told(&text, Format::Json)).unwrap();
    let range = |line: u32, end: u32| {
        let at = |character: u32| serde_json::json!({ "line": line, "character": character });
        serde_json::json!({ "start": at(0), "end": at(end) })
    };
    let expected = serde_json::json!([{
        "reader": "b",
        "owner": "a",
        "cycle": null,
        "objects": [{
            "cloud_identity_id": "arn:aws:sqs:eu-west-1:111122223333:a",
            "cloud_identity_realm": "one",
            "type": "aws_sqs_queue",
            "when": "now",
            "reader": {
                "address": "data.aws_sqs_queue.r0",
                "source": { "path": "b/main.tf", "range": range(1, 25) },
            },
            "owner": {
                "address": "aws_sqs_queue.q",
                "source": { "path": "a/main.tf", "range": range(0, 28) },
            },
        }],
    }]);
    assert_eq!(document["version"], 1);
    assert_eq!(document["dependencies"], expected);
    let stack = &document["stacks"][1];
    assert_eq!(stack["name"], "b");
    assert_eq!((&stack["rows"], &stack["claims"]), (&2.into(), &1.into()));
    assert_eq!(stack["state"]["path"], "b/terraform.tfstate");
    assert_eq!(stack["source"]["path"], "b/main.tf");
}

/// What no directory should be called, and may be; and an id that somebody declared.
const ODD: &str = r#"a"b\c<d>&e`f#g;'h<∕script><!--"#;
const ODD_ID: &str = r#"</script><!--"&"#;

/// The odd one and `b` have an object in common.
fn odd() -> String {
    let text = shared(ODD, "logs") + &shared("b", "logs");
    text.replace("arn=arn:aws:s3:::logs", &format!("id={ODD_ID}"))
}

#[test]
fn graphviz_reads_it() {
    let text = [
        stack("live/a", "one", &[]),
        stack("live/b", "one", &["live/a"]),
    ]
    .concat();
    let text = text + &shared("x", "logs") + &shared("y", "logs");
    assert_eq!(
        told(&text, Format::Dot),
        r##"digraph stacks {
  rankdir=RL
  node [shape=box, style=rounded, fontname="sans-serif"]
  edge [fontname="sans-serif", fontsize=10]
  "live/a" [label="live/a\n1 claim"]
  "live/b" [label="live/b\n1 claim"]
  "x" [label="x\n1 claim"]
  "y" [label="y\n1 claim"]
  "live/b" -> "live/a" [label="1", edgetooltip="arn:aws:sqs:eu-west-1:111122223333:live/a in realm one"]
  "x" -> "y" [label="1 duplicate", edgetooltip="arn:aws:s3:::logs, now", dir=none, style=dashed, color="#be123c", fontcolor="#be123c", constraint=false]
}
"##
    );
    let odd = told(&odd(), Format::Dot);
    let name = r##""a\"b\\c<d>&amp;e`f#g;'h<∕script><!--""##;
    assert!(odd.contains(&format!("  {name} -> \"b\" [")), "{odd}");
    let id = r#"edgetooltip="</script><!--\"&amp;, until-applied""#;
    assert!(odd.contains(id), "{odd}");
}

#[test]
fn mermaid_reads_it() {
    let text = chain() + &shared("m", "logs") + &shared("n", "logs");
    assert_eq!(
        told(&text, Format::Mermaid),
        "flowchart RL\n  n0[\"a<br>1 claim\"]\n  n1[\"b<br>1 claim\"]\n  n2[\"c<br>1 claim\"]\n  \
         n3[\"d<br>1 claim\"]\n  n4[\"m<br>1 claim\"]\n  n5[\"n<br>1 claim\"]\n  \
         n6[\"x<br>1 claim\"]:::cycle\n  n7[\"y<br>1 claim\"]:::cycle\n  n8[\"z<br>1 claim\"]\n  \
         n1 -->|1| n0\n  n2 -->|1| n1\n  n3 -->|1| n0\n  n3 -->|1| n2\n  n6 -->|1| n7\n  \
         n7 -->|1| n6\n  n4 -.-|1 duplicate| n5\n  \
         classDef cycle stroke:#c2410c,stroke-width:3px\n  \
         linkStyle 4,5 stroke:#c2410c,stroke-width:3px\n  linkStyle 6 stroke:#be123c\n"
    );
    let odd = told(&odd(), Format::Mermaid);
    let name = "a#34;b#92;c#60;d#62;#38;e#96;f#35;g#59;'h#60;∕script#62;#60;!--";
    assert!(odd.contains(&format!("[\"{name}<br>1 claim\"]")), "{odd}");
}

#[test]
fn a_picture_has_every_stack_and_line() {
    let text =
        chain() + &shared("m", "logs") + &shared("n", "logs") + &odd().replace("#- b/", "#- o/");
    let picture = told(&text, Format::Svg);
    let count = |what: &str| picture.matches(what).count();
    assert_eq!(count("<g class=\"stack"), 11);
    assert_eq!(count("<g class=\"stack cycle\""), 2);
    assert_eq!(count("<path class=\"reads"), 6);
    assert_eq!(count("<path class=\"reads cycle\""), 2);
    assert_eq!(count("<path class=\"duplicate"), 2);
    let name = "a&quot;b\\c&lt;d&gt;&amp;e`f#g;'h&lt;∕script&gt;&lt;!--";
    assert!(
        picture.contains(&format!("<title>{name}</title>")),
        "{picture}"
    );
    let summary =
        "aria-label=\"11 stacks, 6 dependencies, 2 pairs with the same objects, 1 cycle\"";
    assert!(picture.contains(summary), "{picture}");
}

#[test]
fn a_page_is_not_ended_by_a_name() {
    let page = told(&odd(), Format::Html);
    let count = |what: &str| page.matches(what).count();
    assert_eq!((count("<script"), count("</script")), (2, 2));
    assert_eq!(count("<!--"), 0);
    // a browser reads other ends of lines as line feeds, and the policy's hashes would be of another text
    assert!(!page.contains('\r'));
    assert!(
        page.contains(r#""cloud_identity_id":"\u003c/script>\u003c!--\"&""#),
        "{page}"
    );
    assert!(
        page.contains(r#""name":"a\"b\\c\u003cd>&e`f#g;'h\u003c∕script>\u003c!--""#),
        "{page}"
    );
}

#[test]
fn a_page_says_where_the_workspace_is_only_if_its_links_do() {
    let fixture = Fixture::new(&chain());
    let snapshot = fixture.snapshot();
    let graph = Graph::new(&snapshot, &Selection::default()).unwrap();
    let root = fixture.path("").display().to_string();
    let root = root.trim_end_matches('/');
    let page = |links: &str| graph.told(Format::Html, links).unwrap();
    assert!(page(LINKS).contains(root));
    assert!(!page("https://forge.example/shop/blob/main/{relative}#L{line}").contains(root));
}
