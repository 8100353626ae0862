//! The active timeline.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use oxlake_env::Env;
use oxlake_model::{Action, ErrorKind, InstantTime};
use oxlake_storage::Storage;
use oxlake_storage::testing::CountingStore;
use oxlake_testkit::Fixture;
use oxlake_timeline::{Error, TimelineStore};

use crate::golden::{config, fixtures, open, show, tables};

/// Also compares completion times of version 6, which are file times there.
#[tokio::test]
async fn active_timelines_are_those_the_jvm_lists() {
    let mut count = 0;
    for fixture in fixtures() {
        for table in tables(&fixture) {
            match table.store.load_active().await {
                Ok(timeline) => {
                    assert_eq!(
                        show(timeline.instants()),
                        table.expected("active"),
                        "{}",
                        table.name
                    );
                    count += 1;
                }
                Err(error) => {
                    let half_done = table.name.starts_with("v8_downgrade_4_failed_");
                    assert!(half_done, "{}: {error}", table.name);
                }
            }
        }
    }
    assert!(count > 200, "{count} tables");
}

/// The `timeline` of the golden tables lists every file; the completed ones have their completion time there.
#[tokio::test]
async fn completion_times_are_those_the_golden_tables_state() {
    let mut count = 0;
    for fixture in fixtures() {
        let Some(expected) = fixture.json()["timeline"].as_array() else {
            continue;
        };
        let Ok(timeline) = open(fixture.path()).load_active().await else {
            continue;
        };
        for entry in expected
            .iter()
            .filter(|entry| entry["state"] == "completed")
        {
            let text = |key: &str| entry[key].as_str().unwrap();
            let completion = InstantTime::parse(text("completion")).unwrap();
            let found = timeline.instants().iter().find(|i| {
                i.requested.as_str() == text("time")
                    && i.action.as_str() == text("action")
                    && i.completed.as_ref() == Some(&completion)
            });
            assert!(found.is_some(), "{}: {entry}", fixture.name());
            count += 1;
        }
    }
    assert!(count > 500, "{count} instants");
}

#[tokio::test]
async fn a_half_done_downgrade_is_named_and_not_shown_as_an_empty_table() {
    for name in ["v8_downgrade_4_failed_cow", "v8_downgrade_4_failed_mor"] {
        let fixture = Fixture::open(name).unwrap();
        let error = open(fixture.path()).load_active().await.unwrap_err();
        assert!(matches!(error, Error::HalfDoneDowngrade { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let text = error.to_string();
        assert!(
            text.contains("downgrade") && text.contains("'.hoodie/timeline'"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn loading_lists_the_folder_once() {
    for name in ["v6_archive_cow", "v9_archive_cow"] {
        let fixture = Fixture::open(name).unwrap();
        let local = Storage::open(&fixture.url(), &BTreeMap::new()).unwrap();
        let counting = Arc::new(CountingStore::new(local.object_store()));
        let root = fixture.url();
        let store = Arc::clone(&counting);
        let storage = Storage::from_store(store, root.trim_start_matches('/'), &root).unwrap();
        let store = TimelineStore::new(storage, &config(fixture.path()), Env::simulated(1));
        assert!(!store.load_active().await.unwrap().is_empty());
        assert_eq!(
            counting.counts().requests(),
            1,
            "{name}: {:?}",
            counting.counts()
        );
    }
}

#[tokio::test]
async fn contents_are_read_by_instant_and_metadata_is_kept() {
    let fixture = Fixture::open("v9_archive_mor").unwrap();
    let store = open(fixture.path());
    let timeline = store.load_active().await.unwrap();
    let commit = timeline.last_completed_commit().unwrap();
    let metadata = store.commit_metadata(commit).await.unwrap();
    assert!(metadata.schema().is_some());
    fs::remove_file(fixture.path().join(store.path(commit))).unwrap();
    assert_eq!(
        store.commit_metadata(commit).await.unwrap(),
        metadata,
        "from memory"
    );
    let error = store.content(commit).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[tokio::test]
async fn every_instant_of_every_table_is_read_by_its_name() {
    for fixture in fixtures() {
        for table in tables(&fixture) {
            let Ok(timeline) = table.store.load_active().await else {
                continue;
            };
            for instant in timeline.instants() {
                let content = table.store.content(instant).await;
                let content = content.unwrap_or_else(|e| panic!("{}: {instant}: {e}", table.name));
                if instant.is_completed() && instant.is_write() {
                    let metadata = table.store.commit_metadata(instant).await.unwrap();
                    assert_eq!(content.as_commit(), Some(metadata.as_ref()));
                }
            }
        }
    }
}

/// A half-upgraded table of layout 2 can hold completed files without completion time in their name.
#[tokio::test]
async fn a_completed_file_named_as_in_layout_1_is_read() {
    let fixture = Fixture::open("v9_savepoint_cow").unwrap();
    let store = open(fixture.path());
    let timeline = store.load_active().await.unwrap();
    let commit = timeline.last_completed_commit().unwrap();
    let metadata = store.commit_metadata(commit).await.unwrap();
    let old = fixture.path().join(store.path(commit));
    let new = old.with_file_name(format!("{}.commit", commit.requested));
    fs::rename(old, new).unwrap();
    let store = open(fixture.path());
    let timeline = store.load_active().await.unwrap();
    let legacy = timeline.last_completed_commit().unwrap();
    assert_eq!(legacy.requested, commit.requested);
    assert!(legacy.completed.is_some() && legacy.completed != commit.completed);
    assert_eq!(store.commit_metadata(legacy).await.unwrap(), metadata);
}

#[tokio::test]
async fn schema_commits_lie_in_a_folder_of_their_own() {
    let fixture = Fixture::open("v9_schema_on_read_mor").unwrap();
    let store = open(fixture.path());
    let folder = fixture.path().join(".hoodie/.schema");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let instant = oxlake_model::InstantFileName::parse(store.layout(), &name).unwrap();
        assert_eq!(instant.action, Action::SchemaCommit);
        let content = store.content(&instant).await.unwrap();
        if instant.is_completed() {
            let text = format!("{content:?}");
            assert!(
                text.starts_with("SchemaHistory") && text.contains("version_id"),
                "{text}"
            );
            count += 1;
        }
    }
    assert!(count > 3, "{count}");
}
