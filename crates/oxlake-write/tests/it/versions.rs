//! Tables of every version, written and read again.

use std::collections::BTreeMap;

use futures::stream;
use oxlake_config::{Error as ConfigError, WriteOptions};
use oxlake_env::Env;
use oxlake_model::{CommitMetadata, OperationType, TableVersion};
use oxlake_storage::Storage;
use oxlake_table::MetaClient;
use oxlake_write::{Error, WriteClient, WriteOperation};

use crate::fixture::{Fixture, rows, spec};

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_on_a_table_of_every_version() {
    for version in TableVersion::ALL {
        let table = Fixture::new(spec().version(version)).await;
        let (a, b, c) = (
            ("a", "sf", 1, "a1"),
            ("b", "sf", 1, "b1"),
            ("c", "la", 1, "c1"),
        );
        table
            .write(WriteOperation::Insert, &[], vec![rows(&[a, b, c])])
            .await;
        let second = rows(&[("a", "sf", 2, "a2"), ("b", "sf", 0, "late")]);
        let (time, stats) = table.write(WriteOperation::Upsert, &[], vec![second]).await;
        assert_eq!((stats.inserted_count, stats.updated_count), (0, 1));
        let (upsert, inflight) = table.commit_files(&time).await;
        assert_eq!(upsert.operation_type, Some(OperationType::Upsert));
        let first = inflight.first().copied();
        let avro = version.commit_metadata_is_avro();
        assert_eq!(first, Some(if avro { b'O' } else { b'{' }), "{version}");
        let profile = CommitMetadata::decode(&inflight).unwrap();
        assert_eq!(profile.write_stats().count(), 2, "{version}");
        let bulk = rows(&[("d", "ny", 1, "d1")]);
        table
            .write(WriteOperation::BulkInsert, &[], vec![bulk])
            .await;
        let keys = rows(&[("c", "la", 0, "")]).project(&[0, 1]).unwrap();
        table.write(WriteOperation::Delete, &[], vec![keys]).await;
        assert_eq!(table.notes().await, ["a2", "b1", "d1"], "{version}");
    }
}

/// The bytes of a version-6 commit of ours, but for what the table and the times decide.
#[tokio::test(flavor = "multi_thread")]
async fn a_version_6_commit_has_the_keys_of_the_jvm_in_its_order() {
    let table = Fixture::new(spec().version(TableVersion::V6)).await;
    let batch = rows(&[("a", "sf", 1, "a1")]);
    let (time, _) = table.write(WriteOperation::Insert, &[], vec![batch]).await;
    let golden = oxlake_testkit::Fixture::open("v6_clean_versions_cow").unwrap();
    let theirs = std::fs::read_dir(golden.path().join(".hoodie")).unwrap();
    let mut theirs: Vec<_> = theirs.map(|entry| entry.unwrap().path()).collect();
    theirs.sort();
    let last = |extension: &str| {
        let mut files = theirs.iter().rev();
        // `T.clean.inflight` is another thing.
        let file = files.find(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.len() == 18 + extension.len() && name.ends_with(extension)
        });
        std::fs::read_to_string(file.unwrap()).unwrap()
    };
    let storage = table.meta.storage();
    for extension in ["inflight", "commit"] {
        let path = format!(".hoodie/{time}.{extension}");
        let ours = storage.read(&path).await.unwrap();
        let ours = String::from_utf8(ours.to_vec()).unwrap();
        assert_eq!(
            keys_of_first_stat(&ours),
            keys_of_first_stat(&last(extension))
        );
    }
}

/// The key of each line until the end of the first write stat, with its indentation.
fn keys_of_first_stat(text: &str) -> Vec<String> {
    let key = |line: &str| line.split_once("\" :").map(|(key, _)| key.to_owned());
    let lines = text.lines().take_while(|line| !line.starts_with("    }"));
    let keys: Vec<String> = lines.filter_map(key).collect();
    // The second is the partition.
    keys.into_iter()
        .filter(|key| !key.starts_with("    \""))
        .collect()
}

/// An option that names another version than the table's is no upgrade.
#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_not_upgraded_by_an_option() {
    let table = Fixture::new(spec().version(TableVersion::V6)).await;
    let options = [("hoodie.write.table.version", "9")];
    let batch = rows(&[("a", "sf", 1, "a1")]);
    let refused = table
        .try_write(WriteOperation::Insert, &options, vec![batch.clone()])
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, Error::Config(ConfigError::Contradiction { key, .. })
            if key == "hoodie.write.table.version"),
        "{refused:?}"
    );
    let options = [("hoodie.write.table.version", "6")];
    table
        .write(WriteOperation::Insert, &options, vec![batch])
        .await;
}

/// Tables of 0.15 and 1.0 that have no metadata table are continued in their own version.
#[tokio::test(flavor = "multi_thread")]
async fn tables_of_older_releases_are_continued_as_they_are() {
    for name in [
        "v6_failed_insert_cow_timeline_server_pending",
        "v6_clean_versions_cow",
    ] {
        let golden = oxlake_testkit::Fixture::open(name).unwrap();
        let storage = Storage::open(&golden.url(), &BTreeMap::new()).unwrap();
        let meta = MetaClient::open(storage, Env::system()).await.unwrap();
        let version = meta.config().version();
        let before = meta
            .load_snapshot()
            .await
            .unwrap()
            .timeline
            .completed_commits()
            .len();
        let schema = meta.table_schema().await.unwrap().arrow;
        let columns = schema
            .fields()
            .iter()
            .filter(|it| !it.name().starts_with("_hoodie"));
        let line = r#"{"id": 77, "name": "ours", "price": 1.5, "ts": 9, "city": "sf"}"#;
        let columns: Vec<_> = columns.cloned().collect();
        let columns = std::sync::Arc::new(arrow::datatypes::Schema::new(columns));
        let mut reader = arrow::json::ReaderBuilder::new(columns)
            .build(std::io::Cursor::new(line))
            .unwrap();
        let batch = reader.next().unwrap().unwrap();
        let mut client = WriteClient::open(meta.clone(), WriteOptions::default()).unwrap();
        let input = stream::iter([Ok::<_, std::io::Error>(batch)]);
        let outcome = client.write(WriteOperation::Upsert, input).await.unwrap();
        assert!(outcome.is_committed(), "{name}: {outcome:?}");
        let snapshot = meta.load_snapshot().await.unwrap();
        assert_eq!(
            snapshot.timeline.completed_commits().len(),
            before + 1,
            "{name}"
        );
        assert_eq!(snapshot.config.version(), version);
    }
}
