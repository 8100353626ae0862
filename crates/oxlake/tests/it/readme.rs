//! The library example of the README is the one that the crate's documentation runs.

use std::path::Path;

#[test]
fn the_example_of_the_readme_is_a_running_doctest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let example = readme
        .split("```rust\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let documentation = include_str!("../../src/lib.rs");
    let visible: String = documentation
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| !line.starts_with("# "))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert!(
        visible.contains(example),
        "not a doctest of the crate:\n{example}"
    );
}
