//! Taking back failed writes.

use bytes::Bytes;
use oxlake_model::metadata::{InstantInfo, RollbackMetadata, RollbackPlan, RollbackRequest};
use oxlake_model::{Action, ErrorKind, Instant, State, Timeline};
use oxlake_storage::testing::{Fault, FaultKind};
use oxlake_table::MarkerStore;
use oxlake_txn::{Error, Rollback, StaleMarkers};

use crate::fixture::Fixture;

async fn roll_back(table: &Fixture) -> oxlake_txn::Result<Timeline> {
    let timeline = table.timeline().await;
    Rollback::new(&table.meta, &table.generator)
        .failed_writes(timeline)
        .await
}

fn rollbacks(timeline: &Timeline) -> Vec<&Instant> {
    timeline
        .completed()
        .filter(|it| it.action == Action::Rollback)
        .collect()
}

async fn rollback_metadata(table: &Fixture, instant: &Instant) -> RollbackMetadata {
    RollbackMetadata::decode(&table.meta.timeline_store().read(instant).await.unwrap()).unwrap()
}

#[tokio::test]
async fn nothing_to_do_touches_no_storage() {
    let table = Fixture::new().await;
    let instant = table.begin().await;
    assert!(table.commit(&instant).await.unwrap().is_committed());
    let timeline = table.timeline().await;
    let before = table.faults.calls();
    Rollback::new(&table.meta, &table.generator)
        .failed_writes(timeline)
        .await
        .unwrap();
    assert_eq!(table.faults.calls(), before);
}

#[tokio::test]
async fn a_failed_write_goes_with_its_files_and_is_recorded() {
    let table = Fixture::new().await;
    let committed = table.begin().await;
    assert!(table.commit(&committed).await.unwrap().is_committed());
    let failed = table.begin().await;
    let more = table.add_file(&failed, "h-0_1-1-0").await;
    let timeline = roll_back(&table).await.unwrap();
    assert!(timeline.find(&failed.requested).is_none());
    assert_eq!(
        table.files("p").await.len(),
        1,
        "the file of the commit stays"
    );
    assert_eq!(table.files(".hoodie/.temp").await, [""; 0]);
    let done = rollbacks(&timeline);
    assert_eq!(done.len(), 1);
    assert!(done[0].requested > failed.requested);
    let metadata = rollback_metadata(&table, done[0]).await;
    assert_eq!(metadata.commits_rollback, [failed.requested.to_string()]);
    assert_eq!(metadata.instants_rollback[0].action, "commit");
    assert_eq!(metadata.total_files_deleted, 2);
    let deleted = &metadata.partition_metadata["p"].success_delete_files;
    assert!(
        deleted.contains(&table.meta.storage().file_uri(&more)),
        "{deleted:?}"
    );
    let requested = Instant::requested(done[0].requested.clone(), Action::Rollback);
    let plan = table.meta.timeline_store().read(&requested).await.unwrap();
    let plan = RollbackPlan::decode(&plan).unwrap();
    let request = &plan.rollback_requests.unwrap()[0];
    assert_eq!(
        request.latest_base_instant.as_deref(),
        Some(failed.requested.as_str())
    );
}

#[tokio::test]
async fn without_markers_or_when_told_so_the_files_are_found_by_listing() {
    for uses_markers in [true, false] {
        let table = Fixture::new().await;
        let failed = table.begin().await;
        let metafile = "p/.hoodie_partition_metadata";
        let text = Bytes::from_static(b"partitionDepth=1\n");
        table.meta.storage().create(metafile, text).await.unwrap();
        if uses_markers {
            let markers = MarkerStore::new(table.meta.storage().clone(), failed.requested.clone());
            markers.delete_all().await.unwrap();
        }
        let rollback = Rollback::new(&table.meta, &table.generator).using_markers(uses_markers);
        let timeline = rollback
            .failed_writes(table.timeline().await)
            .await
            .unwrap();
        assert_eq!(table.files("p").await, [metafile]);
        let metadata = rollback_metadata(&table, rollbacks(&timeline)[0]).await;
        let deleted = &metadata.partition_metadata["p"].success_delete_files[0];
        assert!(
            deleted.starts_with('/'),
            "a listing gives paths without scheme: {deleted}"
        );
    }
}

#[tokio::test]
async fn several_failed_writes_go_newest_first() {
    let table = Fixture::new().await;
    let (older, newer) = (table.begin().await, table.begin().await);
    let timeline = roll_back(&table).await.unwrap();
    let mut targets = Vec::new();
    for instant in rollbacks(&timeline) {
        targets.extend(rollback_metadata(&table, instant).await.commits_rollback);
    }
    assert_eq!(
        targets,
        [newer.requested.to_string(), older.requested.to_string()]
    );
}

/// Crashes at every request, again and again, until one attempt goes through.
#[tokio::test]
async fn a_rollback_that_crashes_again_and_again_is_recorded_once() {
    for stride in 1..12 {
        let table = Fixture::new().await;
        let failed = table.begin().await;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let call = table.faults.calls() + stride + attempts / 2;
            table.faults.arm(Fault {
                call,
                kind: FaultKind::CrashAfter,
            });
            let result = roll_back_once(&table).await;
            table.faults.disarm();
            table.faults.restart();
            if result.is_ok() {
                break;
            }
            assert!(attempts < 100);
        }
        let timeline = table.timeline().await;
        assert_eq!(rollbacks(&timeline).len(), 1, "stride {stride}");
        assert_eq!(timeline.pending().len(), 0);
        assert!(timeline.find(&failed.requested).is_none());
        assert_eq!(table.files("p").await, [""; 0]);
        assert_eq!(table.files(".hoodie/.temp").await, [""; 0]);
    }
}

async fn roll_back_once(table: &Fixture) -> oxlake_txn::Result<()> {
    let markers = StaleMarkers::load(&table.meta).await?;
    let timeline = table.meta.timeline_store().load_active().await?;
    let rollback = Rollback::new(&table.meta, &table.generator);
    let timeline = rollback.failed_writes(timeline).await?;
    markers.delete_unless_pending(&table.meta, &timeline).await
}

#[tokio::test]
async fn a_completed_instant_is_never_rolled_back() {
    let table = Fixture::new().await;
    let instant = table.begin().await;
    let timeline = table.timeline().await;
    // Another process finishes the write after this one has listed the timeline.
    assert!(table.commit(&instant).await.unwrap().is_committed());
    let rollback = Rollback::new(&table.meta, &table.generator);
    let failure = rollback.failed_writes(timeline).await.unwrap_err();
    assert!(
        matches!(failure, Error::TargetCompleted { .. }),
        "{failure:?}"
    );
    assert_eq!(failure.kind(), ErrorKind::Conflict);
    assert_eq!(table.files("p").await.len(), 1);
    let timeline = table.timeline().await;
    assert!(timeline.is_completed(&instant.requested));
    assert_eq!(
        timeline.pending().len(),
        0,
        "the rollback that did nothing is gone"
    );
}

#[tokio::test]
async fn a_plan_that_does_not_decode_is_dropped_before_it_began() {
    let table = Fixture::new().await;
    let failed = table.begin().await;
    let time = table.generator.next(&table.timeline().await).unwrap();
    let broken = Instant::requested(time, Action::Rollback);
    table
        .meta
        .timeline_store()
        .create(&broken, Bytes::from_static(b"Obj"))
        .await
        .unwrap();
    let timeline = roll_back(&table).await.unwrap();
    assert_eq!(timeline.pending().len(), 0);
    assert_eq!(rollbacks(&timeline).len(), 1);
    assert!(timeline.find(&failed.requested).is_none());
}

#[tokio::test]
async fn a_live_writer_is_left_alone() {
    let table = Fixture::new().await;
    let running = table.begin().await;
    let path = format!(".hoodie/.heartbeat/{}", running.requested);
    table
        .meta
        .storage()
        .create(&path, Bytes::new())
        .await
        .unwrap();
    let beat_ms = table
        .meta
        .storage()
        .head(&path)
        .await
        .unwrap()
        .unwrap()
        .modified_ms;
    table.clock.set(beat_ms + 100_000);
    let failure = roll_back(&table).await.unwrap_err();
    assert!(matches!(failure, Error::WriterAlive { .. }), "{failure:?}");
    table.clock.set(beat_ms + 200_000);
    let timeline = roll_back(&table).await.unwrap();
    assert!(timeline.find(&running.requested).is_none());
    assert_eq!(table.files(".hoodie/.heartbeat").await, [""; 0]);
}

#[tokio::test]
async fn a_plan_that_names_the_file_of_a_commit_deletes_nothing() {
    let table = Fixture::new().await;
    let done = table.begin().await;
    assert!(table.commit(&done).await.unwrap().is_committed());
    let failed = table.begin().await;
    let files = table.files("p").await;
    let request = |stored: &String| RollbackRequest {
        partition_path: "p".to_owned(),
        files_to_be_deleted: vec![stored.clone()],
        ..RollbackRequest::default()
    };
    let plan = RollbackPlan {
        instant_to_rollback: Some(InstantInfo {
            commit_time: failed.requested.to_string(),
            action: "commit".to_owned(),
        }),
        rollback_requests: Some(files.iter().map(request).collect()),
        version: Some(1),
    };
    let time = table.generator.next(&table.timeline().await).unwrap();
    let rollback = Instant::requested(time, Action::Rollback);
    let bytes = Bytes::from(plan.encode_avro([7; 16]).unwrap());
    let store = table.meta.timeline_store();
    store.create(&rollback, bytes).await.unwrap();
    let failure = roll_back(&table).await.unwrap_err();
    assert!(matches!(failure, Error::ForeignFile { .. }), "{failure:?}");
    assert_eq!(failure.kind(), ErrorKind::Corrupt);
    assert_eq!(table.files("p").await, files);
}

#[tokio::test]
async fn pending_work_that_a_writer_must_not_pass_over_is_named() {
    for action in [
        Action::Restore,
        Action::Compaction,
        Action::Clustering,
        Action::Indexing,
    ] {
        let table = Fixture::new().await;
        let time = table.generator.next(&table.timeline().await).unwrap();
        let pending = Instant::requested(time, action);
        table
            .meta
            .timeline_store()
            .create(&pending, Bytes::new())
            .await
            .unwrap();
        let failure = roll_back(&table).await.unwrap_err();
        assert_eq!(failure.kind(), ErrorKind::Unsupported);
        assert!(failure.to_string().contains(action.as_str()), "{failure}");
    }
}

#[tokio::test]
async fn marker_folders_without_a_pending_owner_go() {
    let table = Fixture::new().await;
    let done = table.begin().await;
    assert!(table.commit(&done).await.unwrap().is_committed());
    // A crash came before the markers were deleted.
    table.add_file(&done, "g-0_0-1-0x").await;
    let running = table.begin().await;
    let markers = StaleMarkers::load(&table.meta).await.unwrap();
    let timeline = table.timeline().await;
    assert_eq!(
        timeline.find(&running.requested).map(|it| it.state),
        Some(State::Inflight)
    );
    markers
        .delete_unless_pending(&table.meta, &timeline)
        .await
        .unwrap();
    let left = table.files(".hoodie/.temp").await;
    assert!(
        left.iter()
            .all(|path| path.contains(running.requested.as_str())),
        "{left:?}"
    );
    assert_eq!(left.len(), 1);
}
