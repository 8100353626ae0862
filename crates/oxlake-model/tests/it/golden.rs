//! Golden tables in memory.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use oxlake_model::{Instant, InstantFileName, InstantTime, TableVersion, Timeline, TimelineEntry};
use serde_json::Value;
use zip::ZipArchive;

/// A table, or the metadata table within one.
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) version: TableVersion,
    /// Relative to the table's root.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The file beside the zip.
    pub(crate) json: Value,
    /// How the JVM lists it.
    pub(crate) oracle: Value,
}

/// All 134 + 36 tables.
pub(crate) fn tables() -> &'static [Table] {
    static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
        let mut tables = Vec::new();
        for set in ["golden", "golden-metadata"] {
            let folder = fixtures().join(set);
            let entries = fs::read_dir(&folder).unwrap();
            let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
            paths.retain(|path| path.extension().is_some_and(|e| e == "zip"));
            paths.sort();
            tables.extend(paths.iter().map(|path| open(path)));
        }
        assert_eq!(tables.len(), 170);
        tables
    });
    &TABLES
}

/// All tables, and the metadata tables in them.
pub(crate) fn tables_and_metadata_tables() -> impl Iterator<Item = &'static Table> {
    static METADATA_TABLES: LazyLock<Vec<Table>> =
        LazyLock::new(|| tables().iter().filter_map(Table::metadata_table).collect());
    tables().iter().chain(METADATA_TABLES.iter())
}

impl Table {
    /// The metadata table, if there is one.
    pub(crate) fn metadata_table(&self) -> Option<Table> {
        let files: BTreeMap<String, Vec<u8>> = self
            .files
            .iter()
            .filter_map(|(path, bytes)| {
                Some((
                    path.strip_prefix(".hoodie/metadata/")?.to_owned(),
                    bytes.clone(),
                ))
            })
            .collect();
        files
            .contains_key(".hoodie/hoodie.properties")
            .then(|| Table {
                name: format!("{}/metadata", self.name),
                version: version(&files),
                files,
                json: Value::Null,
                oracle: self.oracle.get("metadata").cloned().unwrap_or(Value::Null),
            })
    }

    pub(crate) fn timeline_folder(&self) -> &'static str {
        if self.version.completion_time_in_name() {
            ".hoodie/timeline/"
        } else {
            ".hoodie/"
        }
    }

    /// The files directly in the timeline folder.
    pub(crate) fn timeline_files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter();
        files.filter_map(|(path, bytes)| {
            let name = path.strip_prefix(self.timeline_folder())?;
            (!name.is_empty() && !name.contains('/')).then_some((name, bytes.as_slice()))
        })
    }

    /// Every instant file with its content.
    pub(crate) fn instants(&self) -> Vec<(Instant, &[u8])> {
        let layout = self.version.layout();
        self.timeline_files()
            .filter_map(|(name, bytes)| Some((InstantFileName::parse(layout, name)?, bytes)))
            .collect()
    }

    /// The active timeline; completion times of version 6 are those of the JVM's listing.
    pub(crate) fn timeline(&self) -> Timeline {
        let modified: BTreeMap<(String, String), InstantTime> = self
            .oracle_lines("active")
            .into_iter()
            .filter_map(|[time, completion, action, _]| {
                Some(((time, action), InstantTime::parse(&completion).ok()?))
            })
            .collect();
        let layout = self.version.layout();
        let entries = self.timeline_files().map(|(name, _)| TimelineEntry {
            name: name.to_owned(),
            modified: InstantFileName::parse(layout, name).and_then(|i| {
                let key = (i.requested.to_string(), i.action.to_string());
                modified.get(&key).cloned()
            }),
        });
        Timeline::from_listing(layout, entries)
    }

    /// `requested completion action state` of the JVM's listing.
    pub(crate) fn oracle_lines(&self, part: &str) -> Vec<[String; 4]> {
        let lines = self.oracle["timeline"][part].as_array();
        let fields = |line: &Value| {
            let words = line.as_str().unwrap().split(' ').map(str::to_owned);
            let mut words: [String; 4] = words.collect::<Vec<_>>().try_into().unwrap();
            // The JVM shows a file time for some pending instants of version 6.
            if words[3] != "completed" {
                "-".clone_into(&mut words[1]);
            }
            words
        };
        lines.into_iter().flatten().map(fields).collect()
    }

    pub(crate) fn property(&self, key: &str) -> Option<String> {
        property(&self.files, key)
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn open(path: &Path) -> Table {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut entries = unzip(&fs::read(path).unwrap());
    if let Some(inner) = entries.remove("table.zip") {
        entries = unzip(&inner);
    }
    let files = entries
        .into_iter()
        .map(|(path, bytes)| (path.split_once('/').unwrap().1.to_owned(), bytes))
        .collect();
    let json = |path: PathBuf| serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    Table {
        version: version(&files),
        files,
        json: json(path.with_extension("json")),
        oracle: json(
            fixtures()
                .join("oracles/slices")
                .join(format!("{name}.json")),
        ),
        name,
    }
}

fn unzip(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        if entry.is_file() {
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            files.insert(entry.name().to_owned(), content);
        }
    }
    files
}

fn version(files: &BTreeMap<String, Vec<u8>>) -> TableVersion {
    let code = property(files, "hoodie.table.version").unwrap();
    TableVersion::from_code(code.parse().unwrap()).unwrap()
}

fn property(files: &BTreeMap<String, Vec<u8>>, key: &str) -> Option<String> {
    let text = String::from_utf8_lossy(&files[".hoodie/hoodie.properties"]).into_owned();
    let mut lines = text.lines().filter_map(|line| line.split_once('='));
    lines.find_map(|(k, value)| (k == key).then(|| value.to_owned()))
}
