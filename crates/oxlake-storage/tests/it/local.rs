//! What only the local file system has: folders, temporary files, permissions.

use std::path::Path;

use oxlake_storage::testing::FailingSync;
use oxlake_storage::{Error, Storage};

fn open(folder: &Path) -> Storage {
    Storage::open(&folder.display().to_string(), &crate::conf(&[])).unwrap()
}

#[tokio::test]
async fn temporary_files_of_a_crash_are_never_seen() {
    let folder = tempfile::tempdir().unwrap();
    let storage = open(folder.path());
    storage.create("p/f", "x".into()).await.unwrap();
    std::fs::write(folder.path().join("p/.oxlake-tmp#42"), "left over").unwrap();
    assert_eq!(storage.list("").await.unwrap().len(), 1);
    assert_eq!(storage.list_dir("p").await.unwrap().files.len(), 1);
    assert!(matches!(
        storage.read("p/.oxlake-tmp#42").await,
        Err(Error::InvalidPath { .. })
    ));
    assert_eq!(storage.delete_folder("p").await.unwrap(), 1);
    assert!(!folder.path().join("p").exists());
}

#[tokio::test]
async fn writing_leaves_no_temporary_file_whatever_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let storage = open(folder.path());
    storage.create("f", "x".into()).await.unwrap();
    storage.create("f", "y".into()).await.unwrap_err();
    storage.overwrite("f", "z".into()).await.unwrap();
    let mut writer = storage.writer("g").unwrap();
    writer.write(vec![0; 9 << 20].into()).await.unwrap();
    writer.abort().await.unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["f"]);
}

#[tokio::test]
async fn a_creation_that_cannot_be_synced_fails_and_can_be_made_durable_later() {
    let folder = tempfile::tempdir().unwrap();
    let syncs = FailingSync::default();
    let storage = syncs.open(&folder.path().display().to_string()).unwrap();
    syncs.fail(2);
    storage.create("f", "x".into()).await.unwrap_err();
    assert_eq!(storage.read("f").await.unwrap(), "x", "it is there");
    let error = storage.make_durable("f").await.unwrap_err();
    assert!(matches!(error, Error::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains("make durable"), "{error}");
    storage.make_durable("f").await.unwrap();
    storage.make_durable("absent").await.unwrap_err();
}

#[tokio::test]
async fn folders_can_be_made_and_are_listed_empty() {
    let folder = tempfile::tempdir().unwrap();
    let storage = open(&folder.path().join("not/yet/there"));
    storage
        .ensure_folder(".hoodie/.aux/.bootstrap")
        .await
        .unwrap();
    storage.ensure_folder(".hoodie/.aux").await.unwrap();
    assert_eq!(storage.list_dir("").await.unwrap().folders, [".hoodie"]);
    assert_eq!(
        storage.list_dir(".hoodie").await.unwrap().folders,
        [".hoodie/.aux"]
    );
    assert!(storage.list("").await.unwrap().is_empty());
    storage.delete_folder("").await.unwrap();
    assert!(!folder.path().join("not/yet/there").exists());
}

#[tokio::test]
async fn a_file_where_a_folder_should_be_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let storage = open(folder.path());
    storage.create("f", "x".into()).await.unwrap();
    let error = storage.create("f/inside", "x".into()).await.unwrap_err();
    assert!(error.to_string().contains("f/inside"), "{error}");
    assert!(matches!(
        storage.ensure_folder("f").await,
        Err(Error::Folder { .. })
    ));
}

#[tokio::test]
async fn a_folder_read_as_a_file_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let storage = open(folder.path());
    storage.create("d/f", "x".into()).await.unwrap();
    assert!(storage.read("d").await.unwrap_err().is_not_found());
    assert_eq!(storage.head("d").await.unwrap(), None);
}
