//! Publishing a write.

use oxlake_model::{Action, CommitMetadata, ErrorKind, Instant, State};
use oxlake_storage::testing::{FailingSync, Fault, FaultKind};
use oxlake_txn::{CommitOutcome, Error, Rollback};

use crate::fixture::Fixture;

#[tokio::test]
async fn a_commit_appears_once_and_leaves_no_markers_and_no_strays() {
    let table = Fixture::new().await;
    let instant = table.begin().await;
    let stray = table.add_file(&instant, "retried-0_7-1-0").await;
    let outcome = table.commit(&instant).await.unwrap();
    let CommitOutcome::Committed {
        instant: time,
        completion,
        stats,
    } = outcome
    else {
        panic!("{outcome:?}")
    };
    assert!(completion > time);
    let counts = (
        stats.inserted_count,
        stats.updated_count,
        stats.deleted_count,
    );
    assert_eq!(
        (counts, stats.file_count, stats.written_bytes),
        ((3, 2, 1), 1, 4)
    );
    let timeline = table.timeline().await;
    assert_eq!(timeline.completion_time(&time), Some(&completion));
    assert_eq!(table.files(".hoodie/.temp").await, [""; 0]);
    assert!(!table.files("p").await.contains(&stray));
    let completed = timeline.find(&time).unwrap();
    let stored = table.meta.timeline_store().read(completed).await.unwrap();
    assert_eq!(
        CommitMetadata::decode(&stored).unwrap(),
        Fixture::metadata(&instant)
    );
}

#[tokio::test]
async fn a_writer_that_was_rolled_back_is_fenced() {
    let table = Fixture::new().await;
    let instant = table.begin().await;
    let other = Fixture {
        meta: table.meta.clone(),
        ..Fixture::new().await
    };
    Rollback::new(&other.meta, &other.generator)
        .failed_writes(table.timeline().await)
        .await
        .unwrap();
    let failure = table.commit(&instant).await.unwrap_err();
    assert!(matches!(failure, Error::Fenced { .. }), "{failure:?}");
    assert_eq!(failure.kind(), ErrorKind::Fenced);
    assert!(table.timeline().await.find(&instant.requested).is_none());
}

#[tokio::test]
async fn a_commit_found_again_after_a_failed_sync_counts_only_when_it_is_durable() {
    for (failing, committed) in [(1, true), (2, false)] {
        let folder = tempfile::tempdir().unwrap();
        let syncs = FailingSync::default();
        let table = Fixture::on_disk(folder.path(), &syncs).await;
        let instant = table.begin().await;
        syncs.fail(failing);
        let outcome = table.commit(&instant).await.unwrap();
        assert_eq!(
            syncs.left(),
            0,
            "the completed file is the first to be synced"
        );
        assert_eq!(outcome.is_committed(), committed, "{outcome:?}");
        if !committed {
            let CommitOutcome::Unknown { reason, .. } = outcome else {
                panic!("{outcome:?}")
            };
            assert!(reason.contains("syncing failed on purpose"), "{reason}");
        }
        assert!(table.timeline().await.is_completed(&instant.requested));
    }
}

#[tokio::test]
async fn a_second_completion_is_a_conflict() {
    let table = Fixture::new().await;
    let instant = table.begin().await;
    assert!(table.commit(&instant).await.unwrap().is_committed());
    let outcome = table.commit(&instant).await.unwrap();
    assert!(
        matches!(outcome, CommitOutcome::Conflict { .. }),
        "{outcome:?}"
    );
    let completed = table.files(".hoodie/timeline").await;
    assert_eq!(
        completed.iter().filter(|path| path.contains('_')).count(),
        1
    );
}

/// The number of the request that creates the completed file, counted from the start of the commit.
async fn publishing_call() -> u64 {
    let table = Fixture::new().await;
    let instant = table.begin().await;
    let before = table.faults.calls();
    assert!(table.commit(&instant).await.unwrap().is_committed());
    let trace = table.faults.trace();
    let line = trace.lines().find(|line| {
        line.contains("create") && line.contains("_2026") && line.contains("timeline")
    });
    let number: u64 = line.unwrap().split(' ').next().unwrap().parse().unwrap();
    number - before
}

#[tokio::test]
async fn a_lost_reply_of_the_completed_file_is_resolved() {
    let call = publishing_call().await;
    for kind in [FaultKind::LostReply, FaultKind::Refuse] {
        let table = Fixture::new().await;
        let instant = table.begin().await;
        table.faults.arm(Fault {
            call: table.faults.calls() + call,
            kind,
        });
        let outcome = table.commit(&instant).await.unwrap();
        assert!(table.faults.struck());
        assert!(outcome.is_committed(), "{kind:?}: {outcome:?}");
        let timeline = table.timeline().await;
        let state = timeline
            .find(&instant.requested)
            .map(|it: &Instant| (it.state, it.action));
        assert_eq!(state, Some((State::Completed, Action::Commit)));
    }
}

#[tokio::test]
async fn without_any_answer_the_outcome_is_unknown() {
    let call = publishing_call().await;
    for kind in [FaultKind::CrashBefore, FaultKind::CrashAfter] {
        let table = Fixture::new().await;
        let instant = table.begin().await;
        table.faults.arm(Fault {
            call: table.faults.calls() + call,
            kind,
        });
        let outcome = table.commit(&instant).await.unwrap();
        assert!(
            matches!(outcome, CommitOutcome::Unknown { .. }),
            "{kind:?}: {outcome:?}"
        );
        table.faults.restart();
        let happened = table.timeline().await.is_completed(&instant.requested);
        assert_eq!(happened, kind == FaultKind::CrashAfter);
    }
}
