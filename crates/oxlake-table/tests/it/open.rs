//! Opening tables whose properties are missing, damaged, being replaced, or of another kind.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use oxlake_config::TableSpec;
use oxlake_env::Env;
use oxlake_model::ErrorKind;
use oxlake_storage::Storage;
use oxlake_table::{Error, MetaClient, Result};
use tempfile::TempDir;

/// A new table, and the paths of its properties and their backup.
async fn table() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let spec = TableSpec::new("t").record_key_fields(["id"]);
    MetaClient::create(storage(&folder), Env::simulated(1), spec)
        .await
        .unwrap();
    let properties = folder.path().join(".hoodie/hoodie.properties");
    let backup = folder.path().join(".hoodie/hoodie.properties.backup");
    (folder, properties, backup)
}

fn storage(folder: &TempDir) -> Storage {
    Storage::open(&folder.path().to_string_lossy(), &BTreeMap::new()).unwrap()
}

async fn open(folder: &TempDir) -> Result<MetaClient> {
    MetaClient::open(storage(folder), Env::simulated(1)).await
}

#[tokio::test]
async fn a_folder_without_properties_is_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(&folder).await.unwrap_err();
    assert!(matches!(error, Error::NotATable { .. }));
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error
            .to_string()
            .contains(&*folder.path().to_string_lossy()),
        "{error}"
    );
}

#[tokio::test]
async fn the_backup_counts_while_the_properties_are_missing_or_torn() {
    let (folder, properties, backup) = table().await;
    fs::copy(&properties, &backup).unwrap();
    let text = fs::read_to_string(&properties).unwrap();
    fs::write(&properties, &text[..text.len() / 2]).unwrap();
    open(&folder).await.unwrap();
    fs::remove_file(&properties).unwrap();
    open(&folder).await.unwrap();
}

#[tokio::test]
async fn a_wrong_checksum_without_backup_is_damage_and_says_so() {
    let (folder, properties, _) = table().await;
    let text = fs::read_to_string(&properties).unwrap();
    fs::write(
        &properties,
        text.replace("hoodie.table.name=t", "hoodie.table.name=u"),
    )
    .unwrap();
    let error = open(&folder).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("hoodie.table.checksum"), "{cause}");
}

#[tokio::test]
async fn unknown_versions_and_kinds_are_refused_by_name() {
    for (from, to, expected) in [
        ("hoodie.table.version=9", "hoodie.table.version=10", "10"),
        ("hoodie.table.version=9", "hoodie.table.version=5", "5"),
        (
            "hoodie.timeline.layout.version=2",
            "hoodie.timeline.layout.version=3",
            "3",
        ),
        (
            "hoodie.table.format=native",
            "hoodie.table.format=iceberg",
            "iceberg",
        ),
    ] {
        let (folder, properties, _) = table().await;
        let text = fs::read_to_string(&properties).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&properties, text.replace(from, to)).unwrap();
        let error = open(&folder).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
}
