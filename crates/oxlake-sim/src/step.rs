//! What a process does.

use futures::stream;
use oxlake_config::{TableSpec, WriteOptions};
use oxlake_model::{ErrorKind, InstantTime, TableVersion};
use oxlake_table::MetaClient;
use oxlake_testkit::model::Change;
use oxlake_txn::CommitOutcome;
use oxlake_write::{WriteClient, WriteOperation};

use crate::rows::{batch, key_batch};
use crate::{Process, SimRow};

/// One thing to do.
#[derive(Debug, Clone)]
pub enum Step {
    /// Makes the table; a table that is there already is fine.
    Create,
    /// Writes once.
    Write(WriteOperation, Vec<SimRow>),
}

/// What the process was told in the end.
#[derive(Debug)]
pub enum Answer {
    /// The table exists.
    Created,
    /// The commit is visible.
    Committed {
        /// Requested time.
        instant: InstantTime,
        /// Completion time.
        completion: InstantTime,
    },
    /// The commit is visible or not.
    Unknown,
    /// The commit is not visible.
    Failed(String),
}

/// The kind of table that is simulated.
#[derive(Debug, Clone)]
pub struct Table {
    /// Settings of the writer.
    pub options: Vec<(&'static str, &'static str)>,
    /// Memory of the writer: with none, all rows go through temporary files.
    pub memory_bytes: u64,
    /// Version of the table format.
    pub version: TableVersion,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            options: Vec::new(),
            memory_bytes: 64 << 20,
            version: TableVersion::V9,
        }
    }
}

impl Table {
    /// The usual table in another version of the format.
    pub fn of_version(version: TableVersion) -> Self {
        Self {
            version,
            ..Self::default()
        }
    }
}

impl Step {
    /// Does it as `process`.
    pub async fn run(&self, table: &Table, process: &Process) -> Answer {
        match self {
            Self::Create => create(table, process).await,
            Self::Write(operation, rows) => write(table, process, *operation, rows).await,
        }
    }

    /// What the reference model does for it.
    pub fn change(&self) -> Option<Change<String>> {
        let Self::Write(operation, rows) = self else {
            return None;
        };
        let keys = || {
            rows.iter()
                .map(|row| (row.partition.clone(), row.key.clone()))
        };
        Some(match operation {
            WriteOperation::Insert | WriteOperation::BulkInsert => Change::Insert(rows.clone()),
            WriteOperation::Upsert => Change::Upsert(rows.clone()),
            WriteOperation::Delete => Change::Delete(keys().collect()),
        })
    }
}

async fn create(table: &Table, process: &Process) -> Answer {
    let (storage, env) = (process.storage.clone(), process.env.clone());
    match MetaClient::create(storage, env, table_spec(table)).await {
        Ok(_) => Answer::Created,
        Err(failure) if failure.kind() == ErrorKind::AlreadyExists => Answer::Created,
        Err(failure) => Answer::Failed(failure.to_string()),
    }
}

async fn write(
    table: &Table,
    process: &Process,
    operation: WriteOperation,
    rows: &[SimRow],
) -> Answer {
    match try_write(table, process, operation, rows).await {
        Ok(CommitOutcome::Committed {
            instant,
            completion,
            ..
        }) => Answer::Committed {
            instant,
            completion,
        },
        Ok(CommitOutcome::Unknown { .. }) => Answer::Unknown,
        Ok(CommitOutcome::Conflict { with, .. }) => Answer::Failed(format!("conflict with {with}")),
        Err(failure) => Answer::Failed(failure.to_string()),
    }
}

async fn try_write(
    table: &Table,
    process: &Process,
    operation: WriteOperation,
    rows: &[SimRow],
) -> oxlake_write::Result<CommitOutcome> {
    let mut env = process.env.clone();
    env.limits.memory_bytes = table.memory_bytes;
    let meta = MetaClient::open(process.storage.clone(), env).await?;
    let options = table
        .options
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let mut client = WriteClient::open(meta, WriteOptions::parse(&options.collect())?)?;
    let input = if operation == WriteOperation::Delete {
        let keys: Vec<_> = rows
            .iter()
            .map(|row| (row.partition.clone(), row.key.clone()))
            .collect();
        key_batch(&keys)
    } else {
        batch(rows)
    };
    client
        .write(operation, stream::iter([Ok::<_, std::io::Error>(input)]))
        .await
}

fn table_spec(table: &Table) -> TableSpec {
    TableSpec::new("sim")
        .version(table.version)
        .record_key_fields(["id"])
        .partition_fields(["city"])
        .ordering_fields(["ts"])
}
