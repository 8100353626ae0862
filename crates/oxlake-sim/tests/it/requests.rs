//! How many storage requests a one-row upsert sends.

use std::sync::Arc;

use futures::stream;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use oxlake_config::{TableSpec, WriteOptions};
use oxlake_env::Env;
use oxlake_sim::{batch, row};
use oxlake_storage::Storage;
use oxlake_storage::testing::{CountingStore, Counts};
use oxlake_table::MetaClient;
use oxlake_write::{WriteClient, WriteOperation};

struct Counted {
    store: Arc<CountingStore>,
    storage: Storage,
    env: Env,
}

impl Counted {
    async fn new() -> Self {
        let store = Arc::new(CountingStore::new(Arc::new(InMemory::new())));
        let inner = Arc::clone(&store) as Arc<dyn ObjectStore>;
        let storage = Storage::from_store(inner, "t", "memory:///t").unwrap();
        let env = Env::simulated(1);
        let spec = TableSpec::new("t")
            .record_key_fields(["id"])
            .partition_fields(["city"])
            .ordering_fields(["ts"]);
        MetaClient::create(storage.clone(), env.clone(), spec)
            .await
            .unwrap();
        Self {
            store,
            storage,
            env,
        }
    }

    /// Opens the table as a new process does and upserts one row.
    async fn upsert(&self, number: i64) -> Counts {
        self.store.reset();
        let meta = MetaClient::open(self.storage.clone(), self.env.clone())
            .await
            .unwrap();
        let mut client = WriteClient::open(meta, WriteOptions::default()).unwrap();
        let rows = [Ok::<_, std::io::Error>(batch(&[row(
            "sf", "k", number, "x",
        )]))];
        let outcome = client
            .write(WriteOperation::Upsert, stream::iter(rows))
            .await
            .unwrap();
        assert!(outcome.is_committed());
        self.store.reset()
    }
}

#[tokio::test]
async fn a_one_row_upsert_sends_as_many_requests_after_50_commits_as_after_10() {
    let table = Counted::new().await;
    let mut counts = Vec::new();
    for number in 0..52 {
        counts.push(table.upsert(number).await);
    }
    assert_eq!(
        counts[50].requests(),
        counts[10].requests(),
        "{:?} {:?}",
        counts[50],
        counts[10]
    );
    assert!(counts[50].requests() <= 40, "{:?}", counts[50]);
}
