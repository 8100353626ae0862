//! A table in a temporary folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use futures::{TryStreamExt, stream};
use oxlake_config::{TableSpec, WriteOptions};
use oxlake_env::Env;
use oxlake_model::{CommitMetadata, Instant, InstantTime};
use oxlake_scan::{Query, plan_scan};
use oxlake_storage::Storage;
use oxlake_table::MetaClient;
use oxlake_write::{CommitOutcome, CommitStats, Error, WriteClient, WriteOperation};

pub(crate) struct Fixture {
    _folder: tempfile::TempDir,
    pub(crate) meta: MetaClient,
}

/// Keys, partitions, ordering values and notes.
pub(crate) type Row<'a> = (&'a str, &'a str, i64, &'a str);

pub(crate) fn spec() -> TableSpec {
    TableSpec::new("t")
        .record_key_fields(["id"])
        .partition_fields(["city"])
        .ordering_fields(["ts"])
}

pub(crate) fn rows(rows: &[Row<'_>]) -> RecordBatch {
    let text = |of: fn(&Row<'_>) -> String| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| Some(of(row)))
                .collect::<StringArray>(),
        )
    };
    RecordBatch::try_from_iter([
        ("id", text(|row| row.0.to_owned())),
        ("city", text(|row| row.1.to_owned())),
        (
            "ts",
            Arc::new(rows.iter().map(|row| Some(row.2)).collect::<Int64Array>()),
        ),
        ("note", text(|row| row.3.to_owned())),
    ])
    .unwrap()
}

impl Fixture {
    pub(crate) async fn new(spec: TableSpec) -> Self {
        Self::with_env(spec, Env::system()).await
    }

    pub(crate) async fn with_env(spec: TableSpec, env: Env) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::open(folder.path().to_str().unwrap(), &BTreeMap::new()).unwrap();
        let meta = MetaClient::create(storage, env, spec).await.unwrap();
        Self {
            _folder: folder,
            meta,
        }
    }

    /// The same table, opened by a process with another clock or zone.
    pub(crate) async fn meta_of(&self, env: Env) -> MetaClient {
        MetaClient::open(self.meta.storage().clone(), env)
            .await
            .unwrap()
    }

    pub(crate) async fn try_write(
        &self,
        operation: WriteOperation,
        options: &[(&str, &str)],
        batches: Vec<RecordBatch>,
    ) -> Result<CommitOutcome, Error> {
        let options = options
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        let options = WriteOptions::parse(&options).unwrap();
        let mut client = WriteClient::open(self.meta.clone(), options)?;
        let input = batches.into_iter().map(Ok::<_, std::io::Error>);
        client.write(operation, stream::iter(input)).await
    }

    /// Writes; answers the requested time and the counts.
    pub(crate) async fn write(
        &self,
        operation: WriteOperation,
        options: &[(&str, &str)],
        batches: Vec<RecordBatch>,
    ) -> (InstantTime, CommitStats) {
        match self.try_write(operation, options, batches).await.unwrap() {
            CommitOutcome::Committed { instant, stats, .. } => (instant, stats),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn upsert(&self, batch: RecordBatch) -> CommitStats {
        self.write(WriteOperation::Upsert, &[], vec![batch]).await.1
    }

    /// Key, partition, ordering value and note of all rows, sorted.
    pub(crate) async fn snapshot(&self) -> Vec<(String, String, i64, String)> {
        let query = Query::snapshot().with_columns(["id", "city", "ts", "note"]);
        let plan = plan_scan(&self.meta, &query).await.unwrap();
        let batches: Vec<RecordBatch> = plan.stream().try_collect().await.unwrap();
        let mut rows = Vec::new();
        for batch in &batches {
            let text = |at: usize| batch.column(at).as_string::<i32>();
            let times = batch.column(2).as_primitive::<Int64Type>();
            rows.extend((0..batch.num_rows()).map(|row| {
                let text = |at: usize| text(at).value(row).to_owned();
                (text(0), text(1), times.value(row), text(3))
            }));
        }
        rows.sort();
        rows
    }

    pub(crate) async fn notes(&self) -> Vec<String> {
        self.snapshot().await.into_iter().map(|row| row.3).collect()
    }

    /// The metadata of the completed commit, and of its inflight file.
    pub(crate) async fn commit_files(&self, time: &InstantTime) -> (CommitMetadata, bytes::Bytes) {
        let store = self.meta.timeline_store();
        let timeline = store.load_active().await.unwrap();
        let completed = timeline.find(time).unwrap();
        let metadata = store.commit_metadata(completed).await.unwrap();
        let inflight = Instant::inflight(time.clone(), completed.action);
        ((*metadata).clone(), store.read(&inflight).await.unwrap())
    }

    pub(crate) async fn files(&self) -> Vec<String> {
        let files = self.meta.storage().list("").await.unwrap();
        files.into_iter().map(|file| file.path).collect()
    }
}
