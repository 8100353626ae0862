//! The workspace as the checks see it: its packages with their floors, and its files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process;

/// What `cargo metadata` and the file tree say.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Root folder.
    pub(crate) root: PathBuf,
    /// Members, by name.
    pub(crate) members: Vec<Member>,
    /// Every package of the resolved graph: name, version, licence expression.
    pub(crate) packages: Vec<(String, String, Option<String>)>,
    /// The resolved graph by package id: name, and ids of the dependencies that are not of tests or build scripts.
    graph: BTreeMap<String, (String, Vec<String>)>,
}

/// A crate of ours.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Folder of its manifest.
    pub(crate) folder: PathBuf,
    /// `[package.metadata.oxlake] floor`.
    pub(crate) floor: Option<u64>,
    /// Its dependencies on other members.
    pub(crate) depends_on: Vec<Dependency>,
}

/// A dependency on another member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Of the tests only.
    pub(crate) dev: bool,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self, String> {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().map_or(here.clone(), Path::to_path_buf);
        let mut command = process::cargo(&root);
        command.args(["metadata", "--format-version", "1", "--locked"]);
        let text = process::output(&mut command)?;
        let metadata: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        Ok(Self::from_metadata(root, &metadata))
    }

    fn from_metadata(root: PathBuf, metadata: &Value) -> Self {
        let ids: Vec<&str> = strings(&metadata["workspace_members"]);
        let all: &[Value] = metadata["packages"].as_array().map_or(&[], Vec::as_slice);
        let ours = |package: &&Value| ids.contains(&text(&package["id"]));
        let names: Vec<&str> = all.iter().filter(ours).map(|p| text(&p["name"])).collect();
        let mut members: Vec<Member> = all
            .iter()
            .filter(ours)
            .map(|package| Member {
                name: text(&package["name"]).into(),
                folder: Path::new(text(&package["manifest_path"]))
                    .parent()
                    .map_or_else(PathBuf::new, Path::to_path_buf),
                floor: package
                    .pointer("/metadata/oxlake/floor")
                    .and_then(Value::as_u64),
                depends_on: dependencies(package, &names),
            })
            .collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let packages = all
            .iter()
            .map(|p| {
                let licence = p["license"].as_str().map(str::to_owned);
                (text(&p["name"]).into(), text(&p["version"]).into(), licence)
            })
            .collect();
        Self {
            root,
            members,
            packages,
            graph: graph(metadata, all),
        }
    }

    /// Names of all packages that a member's normal dependencies lead to.
    pub(crate) fn reachable(&self, member: &str) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let start = self.graph.iter().find(|(_, (name, _))| name == member);
        let mut waiting: Vec<&String> = start.into_iter().map(|(id, _)| id).collect();
        while let Some(id) = waiting.pop() {
            if let Some((name, next)) = self.graph.get(id)
                && seen.insert(id)
            {
                names.insert(name.as_str());
                waiting.extend(next);
            }
        }
        names.remove(member);
        names
    }

    /// The files that belong to the project, relative to the root: those git knows or would add.
    pub(crate) fn files(&self) -> Result<Vec<String>, String> {
        let mut command = Command::new("git");
        command.current_dir(&self.root).args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let mut files: Vec<String> = process::output(&mut command)?
            .lines()
            .filter(|file| self.root.join(file).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    pub(crate) fn read(&self, file: impl AsRef<Path>) -> Result<String, String> {
        let path = self.root.join(file);
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// A path below the root, as text relative to it.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        relative.to_string_lossy().into_owned()
    }
}

fn graph(metadata: &Value, packages: &[Value]) -> BTreeMap<String, (String, Vec<String>)> {
    let name = |id: &str| {
        let package = packages.iter().find(|p| text(&p["id"]) == id);
        package.map_or(String::new(), |p| text(&p["name"]).to_owned())
    };
    let is_normal = |d: &&Value| {
        let kinds = d["dep_kinds"].as_array();
        kinds.into_iter().flatten().any(|k| k["kind"].is_null())
    };
    let nodes = metadata.pointer("/resolve/nodes").and_then(Value::as_array);
    nodes
        .into_iter()
        .flatten()
        .map(|node| {
            let id = text(&node["id"]);
            let next = node["deps"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(is_normal);
            let next = next.map(|d| text(&d["pkg"]).to_owned()).collect();
            (id.to_owned(), (name(id), next))
        })
        .collect()
}

fn dependencies(package: &Value, members: &[&str]) -> Vec<Dependency> {
    let all = package["dependencies"].as_array();
    let ours = all
        .into_iter()
        .flatten()
        .filter(|d| members.contains(&text(&d["name"])));
    ours.map(|d| Dependency {
        name: text(&d["name"]).into(),
        dev: d["kind"] == "dev",
    })
    .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().map(text).collect()
}
