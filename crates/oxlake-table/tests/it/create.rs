//! New tables.

use std::collections::BTreeMap;

use futures::StreamExt;
use oxlake_config::TableSpec;
use oxlake_env::Env;
use oxlake_model::ErrorKind;
use oxlake_storage::Storage;
use oxlake_table::MetaClient;

const SCHEMA: &str = r#"{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[
    {"name":"id","type":["null","int"],"default":null},
    {"name":"city","type":["null","string"],"default":null}]}"#;

fn spec() -> TableSpec {
    TableSpec::new("t")
        .record_key_fields(["id"])
        .partition_fields(["city"])
        .create_schema(SCHEMA)
}

fn storage(path: &std::path::Path) -> Storage {
    Storage::open(&path.to_string_lossy(), &BTreeMap::new()).unwrap()
}

#[tokio::test]
async fn a_new_table_has_the_folders_of_the_reference_and_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let made = MetaClient::create(storage(&path), Env::simulated(1), spec())
        .await
        .unwrap();
    for name in [
        ".schema",
        ".temp",
        ".aux/.bootstrap/.partitions",
        ".aux/.bootstrap/.fileids",
        "timeline/history",
    ] {
        assert!(path.join(".hoodie").join(name).is_dir(), "{name}");
    }
    let text = std::fs::read_to_string(path.join(".hoodie/hoodie.properties")).unwrap();
    assert!(text.starts_with("#Properties saved on "), "{text}");

    let opened = MetaClient::open(storage(&path), Env::simulated(1))
        .await
        .unwrap();
    assert_eq!(opened.config(), made.config());
    let snapshot = opened.load_snapshot().await.unwrap();
    assert!(snapshot.timeline.is_empty());
    let schema = opened.table_schema().await.unwrap();
    assert_eq!(schema.arrow.fields().len(), 5 + 2);
    assert!(
        opened
            .load_view(&snapshot, None)
            .await
            .unwrap()
            .latest_slices()
            .is_empty()
    );
}

#[tokio::test]
async fn of_several_creators_exactly_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let create = || MetaClient::create(storage(&path), Env::simulated(1), spec());
    let results = futures::stream::iter(0..8)
        .map(|_| create())
        .buffer_unordered(8);
    let results: Vec<_> = results.collect().await;
    let mut made = 0;
    for result in results {
        match result {
            Ok(_) => made += 1,
            Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}"),
        }
    }
    assert_eq!(made, 1);
}

#[tokio::test]
async fn a_table_whose_properties_are_being_replaced_exists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    MetaClient::create(storage(&path), Env::simulated(1), spec())
        .await
        .unwrap();
    let properties = path.join(".hoodie/hoodie.properties");
    std::fs::rename(&properties, properties.with_extension("properties.backup")).unwrap();
    let error = MetaClient::create(storage(&path), Env::simulated(1), spec())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
}
