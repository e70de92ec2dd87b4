//! `docs/settings.md` and the settings of the VS Code extension are made from the table by which
//! settings are read.
//!
//! After a change that is meant, `GANTRYCD_REGENERATE=1 cargo test --test settings_reference` writes
//! them anew.

#[path = "support/example.rs"]
mod example;

use std::path::Path;
use std::sync::Arc;

use example::Example;
use gantrycd_ls::checks::settings::shape::{EDITOR, FILE, Key, Keys, Takes, Word};
use gantrycd_ls::checks::{self, ALL, Check, Settings};
use gantrycd_ls::identity::IdentityRegistry;
use gantrycd_ls::workspace::Workspace;
use serde_json::{Value, json};

const FILE_EXAMPLE: &str = r#"checks {
  untaggable-type    = "off" # off | hint | information | warning | error
  duplicate-identity = { severity = "error", exclude = ["sandbox/**"] }
}

states {
  tool         = "tofu"
  max_age_days = 7
  external "billing" { path = "../billing/.gantrycd/state/**/*.json" }
}

variables = { region = "eu-west-1" }

stack "live/account" {
  tool      = "tofu"
  variables = { developer = "alice" }
}
"#;

fn editor_example() -> Value {
    json!({
        "checks": {
            "untaggable-type": "off",
            "duplicate-identity": { "severity": "error", "exclude": ["sandbox/**"] },
        },
        "states": { "refresh_on_save": true, "max_age_days": 1 },
        "variables": { "developer": "alice" },
        "inlayHints": { "enable": true },
    })
}

#[test]
fn the_page_says_what_can_be_set() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/settings.md");
    let page = page();
    if std::env::var_os("GANTRYCD_REGENERATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page);
}

#[test]
fn its_examples_have_no_fault() {
    let example = Example::empty();
    example.write("gantrycd.hcl", FILE_EXAMPLE);
    example.write("live/account/main.tf", "");
    let mut workspace = Workspace::open(example.root(), Arc::new(IdentityRegistry::mounted()));
    let (editor, faults) = Settings::of_editor(&editor_example());
    assert_eq!(faults, [""; 0]);
    let findings = checks::run(&workspace.snapshot(), &editor);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn the_extension_says_what_can_be_set() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode/package.json");
    let package = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = package
        .split_once("    \"configuration\": {\n")
        .expect("package.json contributes a configuration");
    let (_, after) = rest.split_once("\n    }").expect("the configuration ends");
    let configuration = written(&configuration()).replace('\n', "\n    ");
    let new = format!("{before}    \"configuration\": {configuration}{after}");
    if std::env::var_os("GANTRYCD_REGENERATE").is_some() {
        std::fs::write(&path, &new).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), new);
    serde_json::from_str::<Value>(&new).expect("package.json is JSON");
}

/// JSON with alternatives on one line each: they are the same for every check.
fn written(json: &Value) -> String {
    let pretty = serde_json::to_string_pretty(json).unwrap();
    let mut lines = String::new();
    let mut rest = &*pretty;
    while let Some((before, from)) = rest.split_once("\"anyOf\": ") {
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<Value>();
        let alternatives = values.next().unwrap().unwrap();
        lines += &format!("{before}\"anyOf\": {alternatives}");
        rest = &from[values.byte_offset()..];
    }
    lines + rest
}

/// What the extension contributes: what an editor can set, and what concerns its own client alone.
fn configuration() -> Value {
    let mut properties = json!({
        "gantrycd.server.path": {
            "type": "string",
            "default": "",
            "scope": "machine-overridable",
            "markdownDescription": "The server to use: the path of a `gantrycd-ls`. Without one it \
                is the extension's own, else the first on the `PATH`. What a workspace says of it \
                counts only if the workspace is trusted.",
        },
        "gantrycd.trace.server": {
            "type": "string",
            "enum": ["off", "messages", "verbose"],
            "default": "off",
            "scope": "window",
            "description": "Whether what the editor and the server say to each other is logged.",
        },
    });
    for (name, key) in EDITOR.all() {
        // what is on or off has a box to tick
        if let Takes::Block(None, Keys::Named(boxes)) = key.takes
            && boxes.iter().all(|it| matches!(it.takes, Takes::Truth(_)))
        {
            for it in boxes {
                properties[format!("gantrycd.{name}.{}", it.name)] = schema(it, it.about);
            }
            continue;
        }
        let mut schema = schema(key, key.about);
        schema["default"] = json!({});
        properties[format!("gantrycd.{name}")] = schema;
    }
    for (name, property) in properties.as_object_mut().expect("it is one") {
        if !name.starts_with("gantrycd.server.") {
            property["scope"] = json!("window");
        }
    }
    json!({ "title": "gantrycd", "properties": properties })
}

/// What a key can be set to, as a JSON schema.
fn schema(key: &Key, about: &str) -> Value {
    let names = |it: &[Word]| it.iter().map(|it| it.name).collect::<Vec<_>>();
    let abouts = |it: &[Word]| it.iter().map(|it| it.about).collect::<Vec<_>>();
    let word = |words: &[Word]| {
        json!({
            "type": "string",
            "enum": names(words),
            "markdownEnumDescriptions": abouts(words),
        })
    };
    let object = |keys: Keys| {
        let of = |(name, key): (&str, &Key)| (name.to_owned(), schema(key, &about_of(name, key)));
        json!({
            "type": "object",
            "properties": keys.all().into_iter().map(of).collect::<serde_json::Map<_, _>>(),
            "additionalProperties": false,
        })
    };
    let mut schema = match &key.takes {
        Takes::Block(None, keys) => object(*keys),
        Takes::Word(words, []) => word(words),
        Takes::Word(words, keys) => json!({ "anyOf": [word(words), object(Keys::Named(keys))] }),
        Takes::Globs => json!({ "type": "array", "items": { "type": "string" } }),
        Takes::Values => json!({ "type": "object" }),
        Takes::Truth(by_default) => json!({ "type": "boolean", "default": by_default }),
        Takes::Count(least) => json!({ "type": "integer", "minimum": least }),
        Takes::Block(..) | Takes::Path => {
            panic!("{} is of the workspace file alone", key.name)
        }
    };
    schema["markdownDescription"] = json!(about);
    schema
}

/// What a key does; under the code of a check, what the check finds.
fn about_of(name: &str, key: &Key) -> String {
    match Check::of(name) {
        Some(check) => {
            let severity = check.severity_in_editor().as_str();
            format!("{} By default: {severity}.", check.what())
        }
        None => key.about.to_owned(),
    }
}

fn page() -> String {
    let editor = serde_json::to_string_pretty(&editor_example()).unwrap();
    let editors = EDITOR.all();
    let shared = editors.iter().filter(|it| FILE.find(it.0).is_some());
    let shared: Vec<_> = shared.map(|it| format!("`{}`", it.0)).collect();
    let (last, others) = shared.split_last().unwrap();
    let mut page = format!(
        "# Settings\n\n\
         <!-- Made by `GANTRYCD_REGENERATE=1 cargo test --test settings_reference`. -->\n\n\
         Settings stand in the file `gantrycd.hcl` at the root of the workspace, for the editor and \
         the command line alike. Without it everything is as this page says it is by default. A \
         file of this name further down is not read.\n\n\
         ```hcl\n{FILE_EXAMPLE}```\n\n\
         Values are constant: they name nothing. What is not understood is underlined where it \
         stands and left aside; what stands beside it counts.\n\n\
         An editor may set {} and {last} too. What it sets wins over the file, key by key, and counts in the \
         editor only; `states.external` and `stack` are of the file alone. It is sent as `initializationOptions`, with \
         `workspace/didChangeConfiguration`, or in answer to `workspace/configuration` for the \
         section `gantrycd`:\n\n\
         ```json\n{editor}\n```\n\n\
         In the `settings.json` of VS Code the first names have `gantrycd.` before them, as in \
         `\"gantrycd.checks\": {{ … }}`. The plugin for Neovim has all of it as `settings` in \
         `vim.g.gantrycd`; without the plugin it is `settings = {{ gantrycd = {{ … }} }}` in \
         `vim.lsp.config`.\n",
        others.join(", "),
    );
    for (_, key) in FILE.all() {
        section(key, "", 2, &[], &mut page);
    }
    page += "\n## In an editor alone\n\nWhat starts a program by itself is set by whoever sits at \
             the editor, and by no repository; so is what is shown beside a text.\n";
    for (name, key) in EDITOR.all() {
        let in_file = FILE.find(name).map(|it| it.takes.keys());
        let Keys::Named(keys) = key.takes.keys() else {
            continue;
        };
        for key in keys {
            if in_file.is_none_or(|it| it.find(key.name).is_none()) {
                section(key, &format!("{name}."), 3, &[], &mut page);
            }
        }
    }
    page += "\n### `trusted`\n\nWhether the workspace is trusted. In one that is not, nothing is run. \
             An editor that knows of such workspaces says so beside the settings; it is true where \
             nothing is said.\n\nTakes true or false.\n";
    page
}

/// A key and what can stand in it, under a heading of this level. `told` are words that the page has
/// explained just above.
fn section(key: &Key, within: &str, level: usize, told: &[Word], page: &mut String) {
    let label = match key.takes {
        Takes::Block(Some(_), _) => " \"NAME\"",
        _ => "",
    };
    let path = format!("{within}{}{label}", key.name);
    *page += &format!("\n{} `{path}`\n\n{}\n", "#".repeat(level), key.about);
    if !matches!(key.takes, Takes::Block(..)) {
        let takes = key.takes.to_string();
        let required = if key.is_required {
            " It is required."
        } else {
            ""
        };
        let by_default = match key.takes {
            Takes::Truth(by_default) => format!(" By default it is {by_default}."),
            _ => String::new(),
        };
        *page += &format!("\nTakes {takes}.{by_default}{required}\n");
    }
    let words = key.takes.words();
    let names = |it: &[Word]| it.iter().map(|it| it.name).collect::<Vec<_>>();
    if names(words) != names(told) {
        *page += "\n| value | |\n|---|---|\n";
        for word in words {
            *page += &format!("| `\"{}\"` | {} |\n", word.name, word.about);
        }
    }
    if key.name == "CODE" {
        codes(page);
    }
    let within = format!("{path}.");
    match key.takes.keys() {
        Keys::EachCode(key) => section(key, &within, level + 1, &[], page),
        keys => {
            for (_, key) in keys.all() {
                let told = if key.takes.words().is_empty() {
                    &[]
                } else {
                    words
                };
                section(key, &within, level + 1, told, page);
            }
        }
    }
}

/// Every check and how grave it is by itself.
fn codes(page: &mut String) {
    *page += "\n| `CODE` | by default |\n|---|---|\n";
    for check in ALL {
        let (own, in_editor) = (check.severity, check.severity_in_editor());
        let severity = match own == in_editor {
            true => own.as_str().to_owned(),
            false => format!("{}, in editors {}", own.as_str(), in_editor.as_str()),
        };
        *page += &format!("| `{}` | {severity} |\n", check.code);
    }
}
