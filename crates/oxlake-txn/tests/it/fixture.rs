//! A table in memory, or on local files, with a writer that is driven by hand.

use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use oxlake_config::TableSpec;
use oxlake_env::{Env, ManualClock};
use oxlake_model::{
    Action, CommitMetadata, Instant, PartitionPath, TableVersion, Timeline, WriteStat,
};
use oxlake_storage::Storage;
use oxlake_storage::testing::{FailingSync, FaultStore};
use oxlake_table::{IoType, MarkerStore, MetaClient};
use oxlake_txn::{CommitOutcome, Committer, InstantGenerator};

pub(crate) const FILE: &str = "g-0_0-1-0";

pub(crate) struct Fixture {
    pub(crate) faults: Arc<FaultStore>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) meta: MetaClient,
    pub(crate) generator: InstantGenerator,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::of(TableVersion::V9).await
    }

    /// A table of a version of the format.
    pub(crate) async fn of(version: TableVersion) -> Self {
        let faults = Arc::new(FaultStore::new(Arc::new(InMemory::new())));
        let store = Arc::clone(&faults) as Arc<dyn ObjectStore>;
        let storage = Storage::from_store(store, "t", "memory:///t").unwrap();
        Self::on(storage, faults, version).await
    }

    /// A table on local files whose syncs can fail; the requests do not.
    pub(crate) async fn on_disk(folder: &std::path::Path, syncs: &FailingSync) -> Self {
        let faults = Arc::new(FaultStore::new(Arc::new(InMemory::new())));
        let storage = syncs.open(folder.to_str().unwrap()).unwrap();
        Self::on(storage, faults, TableVersion::V9).await
    }

    async fn on(storage: Storage, faults: Arc<FaultStore>, version: TableVersion) -> Self {
        let clock = Arc::new(ManualClock::default());
        let env = Env {
            clock: Arc::clone(&clock) as _,
            ..Env::simulated(1)
        };
        let spec = TableSpec::new("t")
            .record_key_fields(["id"])
            .version(version);
        let meta = MetaClient::create(storage, env, spec).await.unwrap();
        let generator = InstantGenerator::new(meta.env(), meta.config());
        Self {
            faults,
            clock,
            meta,
            generator,
        }
    }

    pub(crate) async fn timeline(&self) -> Timeline {
        self.meta.timeline_store().load_active().await.unwrap()
    }

    /// A write that has gone as far as its data file.
    pub(crate) async fn begin(&self) -> Instant {
        let time = self.generator.next(&self.timeline().await).unwrap();
        let store = self.meta.timeline_store();
        store
            .create(
                &Instant::requested(time.clone(), Action::Commit),
                Bytes::new(),
            )
            .await
            .unwrap();
        let inflight = Instant::inflight(time, Action::Commit);
        store.create(&inflight, Bytes::new()).await.unwrap();
        self.add_file(&inflight, FILE).await;
        inflight
    }

    /// A data file with its marker; answers its path.
    pub(crate) async fn add_file(&self, instant: &Instant, stem: &str) -> String {
        let name = format!("{stem}_{}.parquet", instant.requested);
        let markers = MarkerStore::new(self.meta.storage().clone(), instant.requested.clone());
        markers
            .create(&PartitionPath::from("p"), &name, IoType::Create)
            .await
            .unwrap();
        let path = format!("p/{name}");
        self.meta
            .storage()
            .create(&path, Bytes::from_static(b"rows"))
            .await
            .unwrap();
        path
    }

    /// The metadata of a commit that wrote the file of [`begin`](Self::begin).
    pub(crate) fn metadata(instant: &Instant) -> CommitMetadata {
        let stat = WriteStat {
            path: Some(format!("p/{FILE}_{}.parquet", instant.requested)),
            num_inserts: Some(3),
            num_update_writes: Some(2),
            num_deletes: Some(1),
            total_write_bytes: Some(4),
            ..WriteStat::default()
        };
        let mut metadata = CommitMetadata::default();
        metadata
            .partition_to_write_stats
            .insert("p".to_owned(), vec![stat]);
        metadata
    }

    pub(crate) async fn commit(&self, instant: &Instant) -> oxlake_txn::Result<CommitOutcome> {
        let committer = Committer::new(&self.meta, &self.generator);
        committer.commit(instant, &Self::metadata(instant)).await
    }

    pub(crate) async fn files(&self, folder: &str) -> Vec<String> {
        let files = self.meta.storage().list(folder).await.unwrap();
        files.into_iter().map(|file| file.path).collect()
    }
}
