//! Creating and deleting instants.

use std::collections::BTreeMap;
use std::slice::from_ref;

use bytes::Bytes;
use oxlake_config::TableSpec;
use oxlake_env::Env;
use oxlake_model::{
    Action, CommitMetadata, ErrorKind, Instant, InstantTime, OperationType, TableVersion,
};
use oxlake_storage::Storage;
use oxlake_timeline::{Error, TimelineStore};

fn store(name: &str, version: TableVersion) -> TimelineStore {
    let properties = TableSpec::new("t")
        .version(version)
        .to_properties()
        .unwrap();
    let config = oxlake_config::TableConfig::try_from_properties(properties).unwrap();
    let url = format!("memory://timeline-{name}/table");
    let storage = Storage::open(&url, &BTreeMap::new()).unwrap();
    TimelineStore::new(storage, &config, Env::simulated(1))
}

fn time(text: &str) -> InstantTime {
    InstantTime::parse(text).unwrap()
}

#[tokio::test]
async fn an_instant_goes_through_its_states_and_back() {
    let store = store("states", TableVersion::V9);
    let (t, c) = (time("20260101000000000"), time("20260101000000500"));
    let requested = Instant::requested(t.clone(), Action::Commit);
    let inflight = Instant::inflight(t.clone(), Action::Commit);
    let completed = Instant::completed(t.clone(), Action::Commit, c);
    let metadata = CommitMetadata {
        operation_type: Some(OperationType::Insert),
        ..CommitMetadata::default()
    };
    let bytes = Bytes::from(metadata.encode_avro([3; 16]).unwrap());

    assert!(store.load_active().await.unwrap().is_empty());
    store.create(&requested, Bytes::new()).await.unwrap();
    assert_eq!(
        store.load_active().await.unwrap().instants(),
        from_ref(&requested)
    );
    store.create(&inflight, bytes.clone()).await.unwrap();
    assert_eq!(
        store.load_active().await.unwrap().instants(),
        from_ref(&inflight)
    );
    store.create(&completed, bytes).await.unwrap();
    let timeline = store.load_active().await.unwrap();
    assert_eq!(timeline.instants(), from_ref(&completed));
    assert_eq!(*store.commit_metadata(&completed).await.unwrap(), metadata);

    assert_eq!(
        store.path(&inflight),
        ".hoodie/timeline/20260101000000000.inflight"
    );
    for instant in [&completed, &inflight, &requested] {
        assert!(store.delete(instant).await.unwrap());
    }
    assert!(store.load_active().await.unwrap().is_empty());
    let error = store.commit_metadata(&completed).await.unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::NotFound,
        "a deleted instant is not remembered"
    );
}

#[tokio::test]
async fn of_two_creations_one_wins() {
    let store = store("twice", TableVersion::V8);
    let instant = Instant::requested(time("20260101000000001"), Action::Clean);
    store
        .create(&instant, Bytes::from_static(b"one"))
        .await
        .unwrap();
    let error = store
        .create(&instant, Bytes::from_static(b"two"))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::InstantExists { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(store.read(&instant).await.unwrap(), "one");
}

#[tokio::test]
async fn a_content_of_another_kind_is_an_error_that_names_instant_and_file() {
    let store = store("content", TableVersion::V9);
    let instant = Instant::completed(time("1"), Action::Clean, time("2"));
    store
        .create(&instant, Bytes::from_static(b"no record"))
        .await
        .unwrap();
    let error = store.content(&instant).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let text = error.to_string();
    assert!(
        text.contains("1__2__clean") && text.contains(".hoodie/timeline/1_2.clean"),
        "{text}"
    );
}
