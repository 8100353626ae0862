//! Failed writes of the JVM engine: our rollback says and does what its own did.

use std::collections::{BTreeMap, BTreeSet};

use oxlake_env::Env;
use oxlake_model::metadata::{RollbackMetadata, RollbackPlan, RollbackRequest, file_name_of};
use oxlake_model::{Action, Instant};
use oxlake_storage::Storage;
use oxlake_table::{MarkerStore, MetaClient};
use oxlake_testkit::Fixture;
use oxlake_txn::{InstantGenerator, Rollback};

/// What the only rollback of a table planned and did.
async fn rollback_of(meta: &MetaClient) -> (RollbackPlan, RollbackMetadata) {
    let store = meta.timeline_store();
    let timeline = store.load_active().await.unwrap();
    let mut rollbacks = timeline
        .completed()
        .filter(|it| it.action == Action::Rollback);
    let completed = rollbacks.next().unwrap();
    assert!(rollbacks.next().is_none());
    let requested = Instant::requested(completed.requested.clone(), Action::Rollback);
    let inflight = Instant::inflight(completed.requested.clone(), Action::Rollback);
    assert!(store.read(&inflight).await.unwrap().is_empty());
    let plan = RollbackPlan::decode(&store.read(&requested).await.unwrap()).unwrap();
    let metadata = RollbackMetadata::decode(&store.read(completed).await.unwrap()).unwrap();
    (plan, metadata)
}

/// The request without what depends on where the table lies.
fn portable(mut request: RollbackRequest) -> RollbackRequest {
    for file in &mut request.files_to_be_deleted {
        assert!(file.starts_with("file:/"), "{file}");
        *file = file_name_of(file).to_owned();
    }
    request
}

fn requests(plan: RollbackPlan) -> Vec<RollbackRequest> {
    let mut requests: Vec<_> = plan
        .rollback_requests
        .unwrap()
        .into_iter()
        .map(portable)
        .collect();
    requests.sort_by(|a, b| (&a.partition_path, &a.file_id).cmp(&(&b.partition_path, &b.file_id)));
    requests
}

async fn open(fixture: &Fixture) -> MetaClient {
    let storage = Storage::open(&fixture.url(), &BTreeMap::new()).unwrap();
    MetaClient::open(storage, Env::system()).await.unwrap()
}

async fn check(pending: &str, rolled_back: &str) {
    let (ours, theirs) = (
        Fixture::open(pending).unwrap(),
        Fixture::open(rolled_back).unwrap(),
    );
    let (ours, theirs) = (open(&ours).await, open(&theirs).await);
    let timeline = ours.timeline_store().load_active().await.unwrap();
    let target = timeline.pending_writes().instants()[0].clone();
    let marked = MarkerStore::new(ours.storage().clone(), target.requested.clone());
    let marked: BTreeSet<String> = marked
        .list()
        .await
        .unwrap()
        .iter()
        .map(oxlake_table::Marker::data_path)
        .collect();
    assert!(!marked.is_empty());

    let generator = InstantGenerator::new(ours.env(), ours.config());
    let rollback = Rollback::new(&ours, &generator);
    let timeline = rollback.failed_writes(timeline).await.unwrap();

    assert!(timeline.find(&target.requested).is_none());
    for path in &marked {
        assert_eq!(ours.storage().head(path).await.unwrap(), None, "{path}");
    }
    assert!(
        ours.storage()
            .list(".hoodie/.temp")
            .await
            .unwrap()
            .is_empty()
    );
    let ((plan, done), (their_plan, their_done)) =
        (rollback_of(&ours).await, rollback_of(&theirs).await);
    assert_eq!(plan.instant_to_rollback, their_plan.instant_to_rollback);
    assert_eq!(plan.version, their_plan.version);
    assert_eq!(requests(plan), requests(their_plan));
    assert_eq!(done.commits_rollback, their_done.commits_rollback);
    assert_eq!(done.instants_rollback, their_done.instants_rollback);
    assert_eq!(done.total_files_deleted, their_done.total_files_deleted);
    assert_eq!(done.version, their_done.version);
    let partitions = |metadata: &RollbackMetadata| {
        let of = |(name, it): (&String, &oxlake_model::metadata::RollbackPartitionMetadata)| {
            let files = it
                .success_delete_files
                .iter()
                .map(|file| file_name_of(file).to_owned());
            let files: BTreeSet<String> = files.collect();
            let logs = (
                it.rollback_log_files.clone(),
                it.log_files_from_failed_commit.clone(),
            );
            (
                name.clone(),
                it.partition_path.clone(),
                files,
                it.failed_delete_files.clone(),
                logs,
            )
        };
        metadata
            .partition_metadata
            .iter()
            .map(of)
            .collect::<Vec<_>>()
    };
    assert_eq!(partitions(&done), partitions(&their_done));
}

#[tokio::test]
async fn a_failed_insert_with_markers_of_the_timeline_server() {
    check(
        "v9_failed_insert_cow_timeline_server_pending",
        "v9_failed_insert_cow_timeline_server_rolled_back",
    )
    .await;
}

#[tokio::test]
async fn a_failed_update_with_direct_markers() {
    check(
        "v9_failed_update_cow_direct_pending",
        "v9_failed_update_cow_direct_rolled_back",
    )
    .await;
}
