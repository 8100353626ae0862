//! What differs between the versions of the table format: names, places and content of timeline files.

use bytes::Bytes;
use oxlake_env::Env;
use oxlake_model::metadata::{RollbackMetadata, RollbackPlan};
use oxlake_model::{Action, CommitMetadata, Instant, TableVersion};
use oxlake_storage::Storage;
use oxlake_table::MetaClient;
use oxlake_txn::{CommitOutcome, Error, InstantGenerator, Rollback};

use crate::fixture::Fixture;

/// The names of the files directly in a folder of the table, sorted.
async fn names(meta: &MetaClient, folder: &str) -> Vec<String> {
    let listed = meta.storage().list_dir(folder).await.unwrap();
    let mut names: Vec<String> = listed.files.iter().map(|it| it.name().to_owned()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_commit_has_the_names_and_the_form_of_its_version() {
    for version in TableVersion::ALL {
        let table = Fixture::of(version).await;
        let instant = table.begin().await;
        let CommitOutcome::Committed {
            instant: time,
            completion,
            ..
        } = table.commit(&instant).await.unwrap()
        else {
            panic!("{version}")
        };
        let (folder, others, completed) = match version {
            TableVersion::V6 => (
                ".hoodie",
                vec!["hoodie.properties".to_owned()],
                format!("{time}.commit"),
            ),
            _ => (
                ".hoodie/timeline",
                vec![],
                format!("{time}_{completion}.commit"),
            ),
        };
        let mut expected = vec![
            completed,
            format!("{time}.commit.requested"),
            format!("{time}.inflight"),
        ];
        expected.extend(others);
        expected.sort();
        assert_eq!(names(&table.meta, folder).await, expected, "{version}");

        let timeline = table.timeline().await;
        assert_eq!(timeline.completion_time(&time), Some(&completion));
        let store = table.meta.timeline_store();
        let bytes = store.read(timeline.find(&time).unwrap()).await.unwrap();
        let begins = if version == TableVersion::V6 {
            b"{\n  ".as_slice()
        } else {
            b"Obj\x01"
        };
        assert!(bytes.starts_with(begins), "{version}: {bytes:?}");
        let metadata = CommitMetadata::decode(&bytes).unwrap();
        assert_eq!(metadata.write_stats().count(), 1, "{version}");
    }
}

/// The name of a completed file of layout 1 is the same whoever completes it; in layout 2 only the commit protocol can
/// notice.
#[tokio::test]
async fn in_layout_1_the_name_lets_an_instant_complete_once() {
    for version in TableVersion::ALL {
        let table = Fixture::of(version).await;
        let instant = table.begin().await;
        assert!(table.commit(&instant).await.unwrap().is_committed());
        let later = table.generator.next(&table.timeline().await).unwrap();
        let again = Instant::completed(instant.requested.clone(), Action::Commit, later);
        let store = table.meta.timeline_store();
        let created = store.create(&again, Bytes::from_static(b"{}")).await;
        let refused = matches!(created, Err(oxlake_timeline::Error::InstantExists { .. }));
        assert_eq!(refused, version == TableVersion::V6, "{created:?}");
        let outcome = table.commit(&instant).await.unwrap();
        assert!(
            matches!(outcome, CommitOutcome::Conflict { .. }),
            "{version}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_failed_write_is_rolled_back_under_the_names_of_its_version() {
    for version in TableVersion::ALL {
        let table = Fixture::of(version).await;
        let failed = table.begin().await;
        let timeline = Rollback::new(&table.meta, &table.generator)
            .failed_writes(table.timeline().await)
            .await
            .unwrap();
        let [rollback] = timeline.instants() else {
            panic!("{version}: {timeline:?}")
        };
        let time = &rollback.requested;
        let (folder, completed) = match version {
            TableVersion::V6 => (".hoodie", format!("{time}.rollback")),
            _ => (
                ".hoodie/timeline",
                format!("{time}_{}.rollback", rollback.completed.as_ref().unwrap()),
            ),
        };
        let found = names(&table.meta, folder).await;
        for name in [
            completed,
            format!("{time}.rollback.requested"),
            format!("{time}.rollback.inflight"),
        ] {
            assert!(found.contains(&name), "{version}: {name} not in {found:?}");
        }
        assert!(
            !found
                .iter()
                .any(|name| name.starts_with(failed.requested.as_str())),
            "{version}: {found:?}"
        );
        let store = table.meta.timeline_store();
        let requested = Instant::requested(time.clone(), Action::Rollback);
        let plan = RollbackPlan::decode(&store.read(&requested).await.unwrap()).unwrap();
        assert_eq!(plan.instant_to_rollback.unwrap().action, "commit");
        let metadata = RollbackMetadata::decode(&store.read(rollback).await.unwrap()).unwrap();
        assert_eq!(metadata.commits_rollback, [failed.requested.to_string()]);
        assert_eq!(table.files("p").await, [""; 0], "{version}");
    }
}

async fn golden(name: &str) -> (oxlake_testkit::Fixture, MetaClient) {
    let fixture = oxlake_testkit::Fixture::open(name).unwrap();
    let storage = Storage::open(&fixture.url(), &std::collections::BTreeMap::new()).unwrap();
    let meta = MetaClient::open(storage, Env::system()).await.unwrap();
    (fixture, meta)
}

async fn roll_back(meta: &MetaClient) -> oxlake_txn::Result<oxlake_model::Timeline> {
    let generator = InstantGenerator::new(meta.env(), meta.config());
    let timeline = meta.timeline_store().load_active().await.unwrap();
    Rollback::new(meta, &generator)
        .failed_writes(timeline)
        .await
}

/// Release 0.15 left it, with markers of its timeline server.
#[tokio::test]
async fn a_failed_write_of_the_jvm_on_a_version_6_table_goes_with_its_files() {
    let (_fixture, meta) = golden("v6_failed_insert_cow_timeline_server_pending").await;
    let before = meta.storage().list("").await.unwrap();
    let is_failed = |path: &str| path.contains("20261130142147475");
    assert!(
        before
            .iter()
            .any(|it| is_failed(&it.path) && it.path.ends_with(".parquet"))
    );
    let timeline = roll_back(&meta).await.unwrap();
    let mut rollbacks = timeline
        .completed()
        .filter(|it| it.action == Action::Rollback);
    let rollback = rollbacks.next().unwrap();
    let bytes = meta.timeline_store().read(rollback).await.unwrap();
    let metadata = RollbackMetadata::decode(&bytes).unwrap();
    assert_eq!(metadata.commits_rollback, ["20261130142147475"]);
    // Both that have a marker; one of them was never written.
    assert_eq!(metadata.total_files_deleted, 2);
    let after = meta.storage().list("").await.unwrap();
    assert!(!after.iter().any(|it| is_failed(&it.path)), "{after:?}");
    assert_eq!(timeline.completed_commits().len(), 2);
}

/// In layout 1 a pending clustering is called `replacecommit`, like a failed insert overwrite; it must not be taken back.
#[tokio::test]
async fn a_pending_clustering_on_a_version_6_table_is_no_failed_write() {
    let (_fixture, meta) = golden("v6_clustering_pending_cow").await;
    let before = meta.storage().list("").await.unwrap();
    let failure = roll_back(&meta).await.unwrap_err();
    assert!(
        matches!(failure, Error::PendingUnsupported { .. }),
        "{failure:?}"
    );
    assert!(
        failure.to_string().contains("20261130142521692"),
        "{failure}"
    );
    assert_eq!(meta.storage().list("").await.unwrap(), before);
}
