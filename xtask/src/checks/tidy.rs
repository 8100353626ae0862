//! Small rules about every file: nothing of one machine, nothing unfinished, the same head on every manifest and module.

use std::path::Path;

use crate::workspace::Workspace;

/// Texts that a file must not hold, put together here so that this file does not hold them itself.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("/ro", "ot/", "a path of one machine"),
    ("/wo", "rk/", "a path of one machine"),
    ("/ho", "me/", "a path of one machine"),
    ("--index", "-url", "a registry of one machine"),
    ("replace", "-with", "a registry of one machine"),
    ("registry.np", "mjs", "the host of a registry"),
    ("repo1.ma", "ven.org", "the host of a registry"),
    ("repo.maven.ap", "ache.org", "the host of a registry"),
    ("files.python", "hosted.org", "the host of a registry"),
    ("proxy.go", "lang.org", "the host of a registry"),
];

/// Texts that Rust sources must not hold.
const UNFINISHED: &[(&str, &str, &str)] = &[
    ("to", "do!(", "a stub"),
    ("unimple", "mented!(", "a stub"),
    ("#[ig", "nore", "a silenced test"),
    ("assert!(", "true", "a test of nothing"),
];

/// Files a project of ours has.
const EXPECTED: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONVENTIONS.md",
    "CHANGELOG.md",
    "LICENSE",
    "deny.toml",
    ".ci/run",
    ".config/clippy.toml",
];

/// Above this a file should be made by a script; those that may be larger say what they are.
const LARGEST_BYTES: u64 = 1_500_000;
const LARGE: &[&str] = &["fixtures/flights/events.parquet"];

pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for file in EXPECTED {
        if !workspace.root.join(file).is_file() {
            faults.push(format!("{file}: missing"));
        }
    }
    for file in workspace.files()? {
        let path = workspace.root.join(&file);
        let size = std::fs::metadata(&path).map_or(0, |m| m.len());
        if size > LARGEST_BYTES && !LARGE.contains(&file.as_str()) {
            faults.push(format!("{file}: {size} bytes; should a script make it?"));
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue; // not a text
        };
        if !has_extension(&file, "lock") {
            faults.extend(held(&file, &text, FORBIDDEN));
        }
        if is_source(&file) {
            faults.extend(held(&file, &text, UNFINISHED));
            if !text.starts_with("//!") && !file.ends_with("/tests.rs") {
                faults.push(format!(
                    "{file}: begin with `//!`: what the module is, in one sentence"
                ));
            }
        }
        if file.ends_with("Cargo.toml")
            && (file.starts_with("crates/") || file == "xtask/Cargo.toml")
        {
            faults.extend(manifest(&file, &text));
        }
    }
    Ok(faults)
}

fn is_source(file: &str) -> bool {
    has_extension(file, "rs") && (file.starts_with("crates/") || file.starts_with("xtask/"))
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|e| e == extension)
}

fn held(file: &str, text: &str, patterns: &[(&str, &str, &str)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (one, two, what) in patterns {
        let pattern = format!("{one}{two}");
        if let Some(line) = text.lines().position(|l| l.contains(&pattern)) {
            faults.push(format!("{file}:{}: {what}: {pattern}", line + 1));
        }
    }
    faults
}

/// Versions, lints and licence stand once, in the workspace.
fn manifest(file: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for line in [
        "license.workspace = true",
        "rust-version.workspace = true",
        "[lints]",
    ] {
        if !text.contains(line) {
            faults.push(format!("{file}: missing `{line}`"));
        }
    }
    let mut section = "";
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section.contains("dependencies")
            && line.contains('=')
            && !line.trim_start().starts_with('#')
        {
            let inherits = line.contains("workspace = true") || line.contains("path =");
            if !inherits && !section.contains("dependencies.") {
                faults.push(format!(
                    "{file}: `{line}`: the version belongs into [workspace.dependencies]"
                ));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_outside_the_workspace_is_a_fault() {
        let head = "license.workspace = true\nrust-version.workspace = true\n[lints]\n";
        let fine = format!(
            "{head}[dependencies]\nserde.workspace = true\nzip = {{ workspace = true, optional = true }}\n"
        );
        assert!(manifest("x", &fine).is_empty());
        let faults = manifest("x", &format!("{head}[dev-dependencies]\nserde = \"1\"\n"));
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn a_forbidden_text_is_found_with_its_line() {
        let text = format!("fine\nlet x = {}{}\n", "to", "do!()");
        assert_eq!(held("f", &text, UNFINISHED).len(), 1);
        assert!(held("f", &text, UNFINISHED)[0].starts_with("f:2: a stub"));
    }
}
