//! Every source file is a module of its crate, and stands in the visible list of its folder where there is one.
//!
//! The compiler ignores a file that no `mod` names, and an implementation that is missing from its `ALL` list works in no
//! test; both would be silent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for member in &workspace.members {
        for folder in ["src", "tests/it"] {
            let sources = Sources::read(&member.folder.join(folder))?;
            faults.extend(sources.faults(workspace));
        }
    }
    Ok(faults)
}

/// The `.rs` files below a folder with their text.
struct Sources {
    folder: PathBuf,
    texts: BTreeMap<PathBuf, String>,
}

impl Sources {
    fn read(folder: &Path) -> Result<Self, String> {
        let mut texts = BTreeMap::new();
        let mut waiting = vec![folder.to_path_buf()];
        while let Some(next) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(&next) else {
                continue;
            };
            for entry in entries {
                let path = entry.map_err(|e| e.to_string())?.path();
                if path.is_dir() {
                    waiting.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let text = std::fs::read_to_string(&path)
                        .map_err(|e| format!("{}: {e}", path.display()))?;
                    texts.insert(path, text);
                }
            }
        }
        Ok(Self {
            folder: folder.into(),
            texts,
        })
    }

    fn faults(&self, workspace: &Workspace) -> Vec<String> {
        let mut faults = Vec::new();
        for path in self.texts.keys() {
            let Some(name) = module_name(path) else {
                continue;
            };
            let shown = workspace.relative(path);
            let Some((parent, text)) = self.parent(path) else {
                faults.push(format!("{shown}: no file declares its folder as a module"));
                continue;
            };
            let parent = workspace.relative(parent);
            if !declares(text, &name) {
                faults.push(format!("{shown}: add `mod {name};` to {parent}"));
            } else if let Some(list) = visible_list(text)
                && !words(list).any(|w| w == name)
                && !is_helper(text, &name)
            {
                faults.push(format!("{shown}: add it to the list ALL in {parent}"));
            }
        }
        faults
    }

    /// The file that must declare a module: the one above its folder.
    fn parent(&self, path: &Path) -> Option<(&PathBuf, &String)> {
        let mut folder = path.parent()?;
        if path.file_name()? == "mod.rs" {
            folder = folder.parent()?;
        }
        let mut candidates = vec![folder.join("mod.rs"), folder.with_extension("rs")];
        if folder == self.folder || folder == self.folder.join("bin") {
            candidates = vec![folder.join("lib.rs"), folder.join("main.rs")];
        }
        // A crate with a library and a program declares a module in one of the two.
        let name = module_name(path)?;
        let there: Vec<_> = candidates
            .iter()
            .filter_map(|c| self.texts.get_key_value(c))
            .collect();
        let declaring = there.iter().find(|(_, text)| declares(text, &name));
        declaring.or(there.first()).copied()
    }
}

/// The module a file is; `None` for the roots of a crate.
fn module_name(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    match stem.as_str() {
        "lib" | "main" => None,
        "mod" => Some(path.parent()?.file_name()?.to_string_lossy().into_owned()),
        _ => (path.parent()?.file_name()? != "bin").then_some(stem),
    }
}

fn declares(text: &str, name: &str) -> bool {
    let declaration = format!("mod {name}");
    text.lines().any(|line| {
        let line = line.trim_start();
        let line = line.rsplit_once(") ").map_or(line, |(_, rest)| rest);
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix(&declaration)
            .is_some_and(|rest| rest.starts_with([';', ' ', '{']))
    })
}

/// The text of `const ALL: … = …;`.
fn visible_list(text: &str) -> Option<&str> {
    let start = text
        .find("const ALL:")
        .or_else(|| text.find("static ALL:"))?;
    let list = text.get(start..)?;
    let list = list.get(list.find('=')?..)?;
    list.get(..list.find("];")?)
}

/// A module of the folder that is not an implementation says so: `mod x; // not in ALL: why`.
fn is_helper(text: &str, name: &str) -> bool {
    let declared = format!("mod {name};");
    text.lines()
        .any(|line| line.contains(&declared) && line.contains("// not in ALL"))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_every_visibility_are_seen() {
        for text in [
            "mod a;",
            "pub mod a;",
            "pub(crate) mod a;",
            "    mod a {",
            "#[cfg(test)]\nmod a;",
        ] {
            assert!(declares(text, "a"), "{text}");
        }
        assert!(!declares("mod ab;", "a"));
        assert!(!declares("// mod a", "a"));
    }

    #[test]
    fn the_visible_list_is_cut_out() {
        let text = "mod a;\npub const ALL: &[&dyn Kind] = &[&a::A, &b::B];\nfn other() {}";
        let list = visible_list(text).unwrap();
        assert!(words(list).any(|w| w == "a") && words(list).any(|w| w == "b"));
        assert!(!words(list).any(|w| w == "other"));
    }
}
