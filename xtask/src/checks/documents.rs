//! The map is true: ARCHITECTURE.md names every crate, every path of the repository that a document names exists, and every
//! `spec 01 §2.3` in the sources stands in docs/spec-notes.md, and the README's example is tested.

use crate::workspace::Workspace;

/// Documents whose paths are checked. CONVENTIONS.md names files of other projects.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
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
    faults.extend(names(workspace, &map));
    faults.extend(citations(workspace)?);
    faults.extend(example(workspace)?);
    Ok(faults)
}

/// In the table from JVM classes to our types, the first type named is defined in the file of its row.
fn names(workspace: &Workspace, map: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for row in map.lines() {
        let Some((ours, file)) = table_row(row) else {
            continue;
        };
        let text = workspace.read(file).unwrap_or_default();
        if !text.lines().any(|line| defines(line, ours)) {
            faults.push(format!(
                "ARCHITECTURE.md: `{ours}` is not defined in {file}"
            ));
        }
    }
    faults
}

/// Our type and its file, of a row `| JVM | ours | file |`.
fn table_row(row: &str) -> Option<(&str, &str)> {
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let [_, _, ours, file, _] = cells.as_slice() else {
        return None;
    };
    let file = quoted(file).next().filter(|f| f.ends_with("rs"))?;
    Some((quoted(ours).next()?, file))
}

fn defines(line: &str, name: &str) -> bool {
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let is_definition =
        |w: &[&str]| matches!(w, ["struct" | "enum" | "trait" | "fn" | "type", n] if *n == name);
    line.starts_with("pub ") && words.windows(2).any(is_definition)
}

/// The example of the README is the one that runs as a doctest of the façade.
fn example(workspace: &Workspace) -> Result<Vec<String>, String> {
    let readme = workspace.read("README.md")?;
    let tested = workspace.read("crates/oxlake/src/lib.rs")?;
    let example = readme
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let Some(example) = example else {
        return Ok(vec!["README.md: no example in Rust".into()]);
    };
    let is_tested = |line: &&str| {
        tested
            .lines()
            .any(|t| t.strip_prefix("//! ") == Some(*line))
    };
    let lines = example.lines().filter(|line| !line.is_empty());
    Ok(lines
        .filter(|line| !is_tested(line))
        .map(|line| {
            format!("README.md: `{line}` is not in the doctest of crates/oxlake/src/lib.rs")
        })
        .collect())
}

/// Sections cited by the sources that the notes do not have.
fn citations(workspace: &Workspace) -> Result<Vec<String>, String> {
    let notes = workspace.read("docs/spec-notes.md")?;
    let mut faults = Vec::new();
    for file in workspace.files()? {
        if !file.starts_with("crates/") || !file.ends_with("rs") {
            continue;
        }
        for (chapter, section) in cited(&workspace.read(&file)?) {
            if !has_section(&notes, &chapter, &section) {
                faults.push(format!(
                    "docs/spec-notes.md: no §{section} in chapter {chapter}, cited in {file}"
                ));
            }
        }
    }
    Ok(faults)
}

/// Chapter and section of each citation.
fn cited(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for rest in text.split("spec 0").skip(1) {
        let Some((chapter, rest)) = rest.split_at_checked(1) else {
            continue;
        };
        if let Some(rest) = rest.strip_prefix(" §") {
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(rest.len());
            let section = rest.get(..end).unwrap_or_default().trim_end_matches('.');
            found.push((format!("0{chapter}"), section.to_owned()));
        }
    }
    found
}

/// Whether an entry `**2.3` followed by a blank or `**` stands under the chapter's heading.
fn has_section(notes: &str, chapter: &str, section: &str) -> bool {
    let chapters = notes.split("\n## ").skip(1);
    let mut of_chapter = chapters.filter(|c| c.starts_with(chapter));
    let entry = format!("**{section}");
    of_chapter.any(|text| {
        text.split(&entry)
            .skip(1)
            .any(|rest| rest.starts_with([' ', '*']))
    })
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
    fn citations_are_found_and_looked_up() {
        let text = "(spec 01 §3.4, see also spec 02 §6.5.)";
        let found = cited(text);
        assert_eq!(
            found,
            [("01".into(), "3.4".into()), ("02".into(), "6.5".into())]
        );
        let notes = "# n\n\n## 01 T\n\n**3.4 Names.** x **3.45** y\n\n## 02 D\n\n**6** z\n";
        assert!(has_section(notes, "01", "3.4") && has_section(notes, "02", "6"));
        assert!(!has_section(notes, "02", "3.4") && !has_section(notes, "01", "3"));
    }

    #[test]
    fn the_first_type_of_a_row_is_looked_for_in_its_file() {
        let row = "| `HoodieX` | `X`, `Y` | `crates/a/src/x.rs` |";
        assert_eq!(table_row(row), Some(("X", "crates/a/src/x.rs")));
        assert_eq!(table_row("| a | b |"), None);
        assert!(defines("pub struct X<'a> {", "X") && defines("pub fn x(a: u8)", "x"));
        assert!(!defines("pub struct XY;", "X") && !defines("struct X;", "X"));
    }

    #[test]
    fn paths_are_told_from_other_words() {
        let text = "see `crates/a/src/lib.rs`, not `crates/<name>/x` or `cargo`";
        let paths: Vec<_> = quoted(text).filter(|w| is_path(w)).collect();
        assert_eq!(paths, ["crates/a/src/lib.rs"]);
    }
}
