//! Properties of real tables, and the reference page.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use oxlake_config::{
    KeyGeneratorType, MergeMode, Properties, TableConfig, TableSpec, choose_properties, keys,
    table_checksum,
};
use oxlake_model::{TableType, TableVersion};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every `hoodie.properties` of every golden table and its metadata table: name in the archive, bytes.
fn golden_properties() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in ["fixtures/golden", "fixtures/golden-metadata"] {
        let folder = repository().join(folder);
        let mut archives: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "zip"))
            .collect();
        archives.sort();
        for archive in archives {
            let name = archive.file_stem().unwrap().to_string_lossy().into_owned();
            collect(&name, std::fs::read(&archive).unwrap(), &mut found);
        }
    }
    found
}

fn collect(prefix: &str, archive: Vec<u8>, found: &mut Vec<(String, Vec<u8>)>) {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let name = format!("{prefix}:{}", file.name());
        let mut bytes = Vec::new();
        if Path::new(&name)
            .extension()
            .is_some_and(|extension| extension == "zip")
        {
            file.read_to_end(&mut bytes).unwrap();
            collect(prefix, bytes, found);
        } else if name.ends_with("/hoodie.properties") {
            file.read_to_end(&mut bytes).unwrap();
            found.push((name, bytes));
        }
    }
}

#[test]
fn properties_of_every_golden_table_are_understood() {
    let all = golden_properties();
    assert!(all.len() >= 134 + 36, "{}", all.len());
    for (name, bytes) in &all {
        let chosen = choose_properties(Some(bytes), None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(chosen.properties.verify_checksum().unwrap(), "{name}");
        let text = chosen.properties.print("Updated at then", "now");
        assert_eq!(
            Properties::parse(text.as_bytes()).unwrap(),
            chosen.properties,
            "{name}"
        );
        // Line by line, the escapes are the JVM's.
        let original = String::from_utf8(bytes.clone()).unwrap();
        let mut lines: Vec<&str> = original
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let mut printed: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        lines.sort_unstable();
        printed.sort_unstable();
        assert_eq!(printed, lines, "{name}");

        let table = TableConfig::try_from_properties(chosen.properties)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let (_, path) = name.split_once(':').unwrap();
        let is_metadata_table = path.contains(".hoodie/metadata/.hoodie");
        if is_metadata_table {
            assert!(
                matches!(table.merge_mode(), MergeMode::Custom { .. }),
                "{name}"
            );
            assert!(table.check_writable().is_err(), "{name}");
        } else {
            assert_ne!(
                table.key_generator(),
                &KeyGeneratorType::TableMetadata,
                "{name}"
            );
            table
                .check_readable()
                .unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn golden_tables_have_the_merge_modes_their_rows_show() {
    for (name, bytes) in golden_properties() {
        let (fixture, path) = name.split_once(':').unwrap();
        if path.contains(".hoodie/metadata/.hoodie") {
            continue;
        }
        let table = TableConfig::try_from_properties(Properties::parse(&bytes).unwrap()).unwrap();
        let expected = match fixture {
            "v9_ordering_commit_mor" => "COMMIT_TIME_ORDERING",
            "v9_ordering_event_mor" | "v6_ordering_event_mor" => "EVENT_TIME_ORDERING",
            "v6_payload_partialupdateavropayload_mor" => "CUSTOM",
            _ => continue,
        };
        assert_eq!(table.merge_mode().as_str(), expected, "{name}");
    }
}

#[test]
fn checksums_are_those_of_the_jvm() {
    let path = repository().join("fixtures/golden-metadata/vectors/checksums.json");
    let vectors: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let database = vector["database"].as_str().unwrap_or_default();
        let table = vector["table"].as_str().unwrap();
        assert_eq!(
            u64::from(table_checksum(database, table)),
            vector["checksum"],
            "{vector}"
        );
    }
}

#[test]
fn a_table_of_ours_has_no_property_the_jvm_does_not_write() {
    // `v9_key_complex` was made through the data source: it has every property that such a table can have.
    let all = golden_properties();
    let (_, bytes) = all
        .iter()
        .find(|(name, _)| name.starts_with("v9_key_complex:"))
        .unwrap();
    let theirs = Properties::parse(bytes).unwrap();
    let ours = TableSpec::new("v9_key_complex")
        .record_key_fields(["id", "name"])
        .partition_fields(["city", "ts"])
        .ordering_fields(["ts"])
        .hive_style_partitioning(true)
        .to_properties()
        .unwrap();
    for (key, value) in ours.iter() {
        let differs = ["hoodie.table.timeline.timezone", "hoodie.archivelog.folder"].contains(&key);
        assert_eq!(theirs.get(key) == Some(value), !differs, "{key}={value}");
    }
}

/// Properties of a table of ours that differ from the JVM's, and why.
const OURS: [&str; 1] = [
    // New tables of ours keep UTC (spec 01 §3.2).
    "hoodie.table.timeline.timezone",
];
/// What the data source and indexes of the JVM write besides; all are defaults, or belong to the metadata table.
const DATA_SOURCE: [&str; 9] = [
    "hoodie.database.name",
    "hoodie.table.create.schema",
    "hoodie.partition.metafile.use.base.format",
    "hoodie.populate.meta.fields",
    "hoodie.table.base.file.format",
    "hoodie.table.cdc.enabled",
    "hoodie.table.multiple.base.file.formats.enable",
    "hoodie.table.metadata.partitions",
    "hoodie.table.metadata.partitions.inflight",
];

#[test]
fn tables_of_each_version_have_the_properties_the_jvm_gives_them() {
    let all = golden_properties();
    let (cow, mor) = (TableType::CopyOnWrite, TableType::MergeOnRead);
    let (v6, v8, v9) = (TableVersion::V6, TableVersion::V8, TableVersion::V9);
    for (fixture, version, table_type, partitions) in [
        ("v6_archive_cow", v6, cow, [].as_slice()),
        ("v6_clean_versions_cow", v6, cow, &["city"]),
        ("v6_archive_mor", v6, mor, &["city"]),
        ("v8_logcompaction_later_mor", v8, mor, &["city"]),
        ("v9_clean_commits_cow", v9, cow, &["city"]),
    ] {
        let theirs = properties_of(&all, fixture);
        let ours = spec_of(&theirs, version, table_type, partitions)
            .database("default")
            .create_schema(theirs.get("hoodie.table.create.schema").unwrap())
            .to_properties()
            .unwrap();
        let mut listed = OURS.to_vec();
        // The default of 0.15, which there says nothing about merging in logs; ours names the mode (spec 01 §2.7).
        if (version, table_type) == (v6, mor) {
            listed.push("hoodie.compaction.payload.class");
        }
        assert_same(fixture, &ours, &theirs, &listed);
    }
    for (fixture, version) in [("v6_cow_full", v6), ("v8_cow_full", v8)] {
        let theirs = properties_of(&all, fixture);
        let ours = spec_of(&theirs, version, cow, &["city"])
            .to_properties()
            .unwrap();
        let mut listed = [OURS.as_slice(), &DATA_SOURCE].concat();
        // The data source of 1.0 gives `history`, SQL of every release and the data source of 0.15 `archived`; layout 2
        // does not use it.
        if version == v8 {
            listed.extend(["hoodie.archivelog.folder", "hoodie.table.index.defs.path"]);
        }
        assert_same(fixture, &ours, &theirs, &listed);
    }
}

fn spec_of(
    theirs: &Properties,
    version: TableVersion,
    table_type: TableType,
    partitions: &[&str],
) -> TableSpec {
    TableSpec::new(theirs.get("hoodie.table.name").unwrap())
        .version(version)
        .table_type(table_type)
        .record_key_fields(["id"])
        .ordering_fields(["ts"])
        .partition_fields(partitions.iter().copied())
        .hive_style_partitioning(true)
}

fn properties_of(all: &[(String, Vec<u8>)], fixture: &str) -> Properties {
    let of = |name: &str| {
        name.starts_with(&format!("{fixture}:")) && !name.contains(".hoodie/metadata/.hoodie")
    };
    let (_, bytes) = all.iter().find(|(name, _)| of(name)).unwrap();
    Properties::parse(bytes).unwrap()
}

/// The same keys with the same values, but for the listed ones.
fn assert_same(fixture: &str, ours: &Properties, theirs: &Properties, listed: &[&str]) {
    let rest = |properties: &Properties| -> Vec<(String, String)> {
        properties
            .iter()
            .filter(|(key, _)| !listed.contains(key))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    assert_eq!(rest(ours), rest(theirs), "{fixture}");
}

#[test]
fn reference_page_is_current() {
    let path = repository().join("docs/configs.md");
    let page = keys::reference_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        current == page,
        "docs/configs.md is old: run this test with UPDATE_DOCS=1"
    );
}
