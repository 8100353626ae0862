//! The map is true: ARCHITECTURE.md names every crate, and every path of the repository that a document names exists.

use crate::workspace::Workspace;

/// Documents whose paths are checked.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONVENTIONS.md",
    "docs/spec-notes.md",
    "docs/dependencies.md",
    "fixtures/README.md",
];

/// First parts of a path in the repository.
const FOLDERS: &[&str] = &[
    "crates/",
    "docs/",
    "fixtures/",
    "interop/",
    "services/",
    "xtask/",
    "fuzz/",
    ".ci/",
    ".config/",
];

pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    let map = workspace.read("ARCHITECTURE.md")?;
    for member in &workspace.members {
        if !quoted(&map).any(|word| word == member.name) {
            faults.push(format!(
                "ARCHITECTURE.md: `{}` is not in the code map",
                member.name
            ));
        }
    }
    for document in DOCUMENTS {
        for path in quoted(&workspace.read(document)?) {
            if is_path(path) && !workspace.root.join(path).exists() {
                faults.push(format!("{document}: `{path}` does not exist"));
            }
        }
    }
    Ok(faults)
}

/// What stands between backticks on one line.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
    FOLDERS.iter().any(|f| word.starts_with(f)) && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_other_words() {
        let text = "see `crates/a/src/lib.rs`, not `crates/<name>/x` or `cargo`";
        let paths: Vec<_> = quoted(text).filter(|w| is_path(w)).collect();
        assert_eq!(paths, ["crates/a/src/lib.rs"]);
    }
}
