//! Which tool a stack is asked with: what a person set, else what the stack's files say, else what
//! is on the path.
//!
//! A tool is a program of one of two names in an absolute directory of the path, never a file that a
//! workspace names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::checks::settings::Tool;

/// The programs of this process's path.
pub(super) struct Tools {
    /// In the order of the path.
    found: Vec<(Tool, PathBuf)>,
}

/// A tool that is not there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// This one, and why it and no other is asked.
    Wanted(Tool, &'static str),
    /// Either.
    Any,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Missing::Wanted(tool, why) => {
                write!(f, "`{}`, which {why}, is not on the path", tool.as_str())
            }
            Missing::Any => f.write_str("neither `tofu` nor `terraform` is on the path"),
        }
    }
}

impl Tools {
    pub(super) fn of_this_process() -> Self {
        Self::on(&std::env::var_os("PATH").unwrap_or_default())
    }

    fn on(path: &OsStr) -> Self {
        // what is relative is relative to the stack: whoever writes there would be run
        let directories = std::env::split_paths(path).filter(|it| it.is_absolute());
        let found = directories.flat_map(|directory| {
            let there = [Tool::Tofu, Tool::Terraform].map(|tool| {
                let name = format!("{}{}", tool.as_str(), std::env::consts::EXE_SUFFIX);
                (tool, directory.join(name))
            });
            there.into_iter().filter(|(_, path)| is_program(path))
        });
        Self {
            found: found.collect(),
        }
    }

    fn find(&self, wanted: Tool) -> Option<&PathBuf> {
        let mut found = self.found.iter().filter(|(tool, _)| *tool == wanted);
        found.next().map(|(_, path)| path)
    }

    /// The tool of the stack in a directory of a workspace, and its program.
    pub(super) fn of(
        &self,
        root: &Path,
        directory: &Path,
        set: Option<Tool>,
    ) -> Result<(Tool, &Path), Missing> {
        let wanted = set.map(|it| (it, "is set"));
        if let Some((tool, why)) = wanted.or_else(|| by_version_file(root, directory)) {
            let program = self.find(tool).ok_or(Missing::Wanted(tool, why))?;
            return Ok((tool, program));
        }
        // of a state either can be asked: what is there is better than none
        let locked = by_lock_file(directory);
        if let Some((tool, program)) = locked.and_then(|it| Some((it, self.find(it)?))) {
            return Ok((tool, program));
        }
        let first = self.found.first().ok_or(Missing::Any)?;
        Ok((first.0, &first.1))
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = path.metadata();
    metadata.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The tool whose version a file names in the stack's directory, or in one above it as far as the
/// workspace goes.
fn by_version_file(root: &Path, directory: &Path) -> Option<(Tool, &'static str)> {
    let above = directory.ancestors().take_while(|it| it.starts_with(root));
    above.into_iter().find_map(|directory| {
        let files = [
            (
                ".opentofu-version",
                Tool::Tofu,
                "`.opentofu-version` asks for",
            ),
            (
                ".terraform-version",
                Tool::Terraform,
                "`.terraform-version` asks for",
            ),
        ];
        let mut there = files.into_iter();
        let (_, tool, why) = there.find(|(name, ..)| directory.join(name).is_file())?;
        Some((tool, why))
    })
}

/// The tool that wrote the lock file: each names providers by its own registry.
fn by_lock_file(directory: &Path) -> Option<Tool> {
    let lock = std::fs::read_to_string(directory.join(".terraform.lock.hcl")).ok()?;
    let names = |registry: &str| {
        let provider = format!("provider \"{registry}/");
        lock.lines().any(|it| it.starts_with(&provider))
    };
    match (
        names("registry.opentofu.org"),
        names("registry.terraform.io"),
    ) {
        (true, _) => Some(Tool::Tofu),
        (false, true) => Some(Tool::Terraform),
        (false, false) => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct Disk(tempfile::TempDir);

    impl Disk {
        fn new(programs: &[&str], files: &[(&str, &str)]) -> Self {
            let disk = Self(tempfile::tempdir().unwrap());
            for program in programs {
                disk.write(program, "");
                let executable = fs::Permissions::from_mode(0o755);
                fs::set_permissions(disk.0.path().join(program), executable).unwrap();
            }
            for (file, text) in files {
                disk.write(file, text);
            }
            disk
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn tool(&self, set: Option<Tool>) -> Result<String, String> {
            let root = self.0.path().join("w");
            let path = std::env::join_paths(["first", "second"].map(|it| self.0.path().join(it)));
            let tools = Tools::on(&path.unwrap());
            let found = tools.of(&root, &root.join("live/a"), set);
            let below = |it: &Path| {
                it.strip_prefix(self.0.path())
                    .unwrap()
                    .display()
                    .to_string()
            };
            found
                .map(|(_, program)| below(program))
                .map_err(|it| it.to_string())
        }
    }

    const BOTH: [&str; 2] = ["first/terraform", "second/tofu"];

    #[test]
    fn what_is_set_wins_over_files_and_they_over_the_path() {
        let lock = "provider \"registry.opentofu.org/hashicorp/aws\" {\n}\n";
        let files = [
            ("w/.terraform-version", "1.11.4\n"),
            ("w/live/a/.terraform.lock.hcl", lock),
        ];
        let all = Disk::new(&BOTH, &files);
        assert_eq!(all.tool(Some(Tool::Tofu)).unwrap(), "second/tofu");
        assert_eq!(all.tool(None).unwrap(), "first/terraform");
        all.write("w/live/.opentofu-version", "1.8.0\n");
        assert_eq!(all.tool(None).unwrap(), "second/tofu", "the nearest");
        assert_eq!(
            Disk::new(&BOTH, &files[1..]).tool(None).unwrap(),
            "second/tofu"
        );
        assert_eq!(Disk::new(&BOTH, &[]).tool(None).unwrap(), "first/terraform");
        let both = Disk::new(&["first/terraform", "first/tofu"], &[]);
        assert_eq!(both.tool(None).unwrap(), "first/tofu");
    }

    #[test]
    fn a_tool_that_is_wanted_and_not_there_is_missing() {
        let disk = Disk::new(&["first/tofu"], &[("w/.terraform-version", "")]);
        assert_eq!(
            disk.tool(None).unwrap_err(),
            "`terraform`, which `.terraform-version` asks for, is not on the path"
        );
        assert_eq!(
            disk.tool(Some(Tool::Terraform)).unwrap_err(),
            "`terraform`, which is set, is not on the path"
        );
        let lock = "provider \"registry.terraform.io/hashicorp/aws\" {\n}\n";
        let only_locked = Disk::new(&["first/tofu"], &[("w/live/a/.terraform.lock.hcl", lock)]);
        assert_eq!(only_locked.tool(None).unwrap(), "first/tofu");
        assert_eq!(
            Disk::new(&[], &[("first/tofu", "no program")])
                .tool(None)
                .unwrap_err(),
            "neither `tofu` nor `terraform` is on the path"
        );
    }

    #[test]
    fn what_lies_in_the_workspace_is_never_run() {
        let disk = Disk::new(&["w/live/a/tofu", "w/live/a/bin/tofu"], &[]);
        for path in [".", "", "bin", "live/a"] {
            let found = Tools::on(OsStr::new(path)).found;
            assert!(found.is_empty(), "{path}");
        }
        drop(disk);
    }
}
