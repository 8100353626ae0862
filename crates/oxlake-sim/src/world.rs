//! The storage that stays, and the processes that come and go.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use futures::TryStreamExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use oxlake_env::{Env, Limits, ManualClock, SeededIds};
use oxlake_storage::Storage;
use oxlake_storage::testing::FaultStore;

/// Midnight of 1 January 2026, UTC.
const FIRST_MS: i64 = 1_767_225_600_000;
/// Time between the start of two processes.
const PROCESS_MS: i64 = 3_600_000;

/// What survives a crash.
#[derive(Debug)]
pub struct World {
    store: Arc<InMemory>,
    process_count: u64,
}

/// One process of the engine.
#[derive(Debug)]
pub struct Process {
    /// Its way to the storage.
    pub faults: Arc<FaultStore>,
    /// The folder of the table.
    pub storage: Storage,
    /// Its clock and ids.
    pub env: Env,
}

impl World {
    /// Nothing stored.
    pub fn new() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            process_count: 0,
        }
    }

    /// A copy that goes its own way.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            store: Arc::new(self.store.fork()),
            process_count: self.process_count,
        }
    }

    /// Starts a process. Its clock is an hour after that of the one before, its ids follow from its number.
    pub fn start_process(&mut self) -> Process {
        let number = self.process_count;
        self.process_count += 1;
        let start_ms = FIRST_MS + PROCESS_MS * i64::try_from(number).unwrap();
        let env = Env {
            clock: Arc::new(ManualClock::new(start_ms, 0)),
            ids: Arc::new(SeededIds::new(number)),
            limits: Limits::small(),
        };
        let faults = Arc::new(FaultStore::new(
            Arc::clone(&self.store) as Arc<dyn ObjectStore>
        ));
        let store = Arc::clone(&faults) as Arc<dyn ObjectStore>;
        let storage = Storage::from_store(store, "table", "memory:///table")
            .unwrap()
            .with_ids(Arc::clone(&env.ids));
        Process {
            faults,
            storage,
            env,
        }
    }

    /// Paths of all files, relative to the table, sorted.
    pub async fn files(&self) -> Vec<String> {
        let prefix = Path::from("table");
        let files = self.store.list(Some(&prefix)).map_ok(|file| file.location);
        let mut paths: Vec<String> = files
            .map_ok(|path| path.as_ref().trim_start_matches("table/").to_owned())
            .try_collect()
            .await
            .unwrap();
        paths.sort();
        paths
    }

    /// A number that tells two contents of the storage apart.
    pub async fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for path in self.files().await {
            let location = Path::parse(format!("table/{path}")).unwrap();
            let bytes = self
                .store
                .get(&location)
                .await
                .unwrap()
                .bytes()
                .await
                .unwrap();
            path.hash(&mut hasher);
            bytes.hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl Process {
    /// A number for the requests sent so far, in their order and with their results.
    pub fn trace_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.faults.trace().hash(&mut hasher);
        hasher.finish()
    }
}
