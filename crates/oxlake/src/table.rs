//! The handle of a table.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{FieldRef, Schema, SchemaRef};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use oxlake_config::{TableConfig, TableSpec, WriteOptions};
use oxlake_datafusion::{QueryTable, Rows, Session};
use oxlake_model::{CommitMetadata, FileSlice, Instant, InstantTime, META_COLUMNS, Timeline};
use oxlake_scan::{Query, QueryKind, parse_begin, parse_time, plan_scan};
use oxlake_table::{MetaClient, TableSnapshot};
use oxlake_write::{CommitOutcome, CommitStats, WriteClient, WriteOperation};

use crate::error::{Error, Result};
use crate::input::Input;
use crate::location::Location;

/// A table: written by batches or streams of rows, read at any moment of its past.
///
/// Cheap to clone. Every call looks at the table anew, so a handle never gets stale.
#[derive(Clone)]
pub struct Table {
    meta: Arc<MetaClient>,
    conf: BTreeMap<String, String>,
}

/// A write that is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Requested time: the value of `_hoodie_commit_time` in the rows it wrote, and what time
    /// travel goes by.
    pub instant: InstantTime,
    /// Completion time: what incremental queries go by.
    pub completed: InstantTime,
    /// What it changed.
    pub stats: CommitStats,
}

impl Table {
    pub(crate) fn new(meta: Arc<MetaClient>, conf: BTreeMap<String, String>) -> Self {
        Self { meta, conf }
    }

    /// A place to open or create a table with settings of your own.
    pub fn at(url: &str) -> Location {
        Location::new(url)
    }

    /// Opens the table at a path or URL.
    ///
    /// # Errors
    /// As [`Location::open`].
    pub async fn open(url: &str) -> Result<Self> {
        Self::at(url).open().await
    }

    /// Makes an empty table.
    ///
    /// # Errors
    /// As [`Location::create`].
    pub async fn create(url: &str, spec: TableSpec) -> Result<Self> {
        Self::at(url).create(spec).await
    }

    /// Opens the table, or makes it if there is none.
    ///
    /// # Errors
    /// As [`Location::open_or_create`].
    pub async fn open_or_create(url: &str, spec: TableSpec) -> Result<Self> {
        Self::at(url).open_or_create(spec).await
    }

    /// Adds rows without looking for their keys.
    ///
    /// # Errors
    /// As [`Table::write`]; a conflict and an unknown outcome are errors too.
    pub async fn insert(&self, rows: impl Into<Input>) -> Result<Commit> {
        self.commit(WriteOperation::Insert, rows.into()).await
    }

    /// Adds rows with new keys, and merges rows with known keys into those stored.
    ///
    /// # Errors
    /// As [`Table::insert`].
    pub async fn upsert(&self, rows: impl Into<Input>) -> Result<Commit> {
        self.commit(WriteOperation::Upsert, rows.into()).await
    }

    /// Adds rows without looking for their keys or for small files, for large first loads.
    ///
    /// # Errors
    /// As [`Table::insert`].
    pub async fn bulk_insert(&self, rows: impl Into<Input>) -> Result<Commit> {
        self.commit(WriteOperation::BulkInsert, rows.into()).await
    }

    /// Removes the rows with these keys. The input needs the key and partition columns only.
    ///
    /// # Errors
    /// As [`Table::insert`].
    pub async fn delete(&self, rows: impl Into<Input>) -> Result<Commit> {
        self.commit(WriteOperation::Delete, rows.into()).await
    }

    /// Writes rows, and says what became of the commit as a value.
    ///
    /// A write that a crashed process left behind is rolled back first.
    ///
    /// # Errors
    /// Kind `Unsupported` if the table uses what cannot be kept true yet, `Invalid` if the rows do
    /// not fit the table. After an error nothing of the write is visible.
    pub async fn write(&self, operation: WriteOperation, rows: Input) -> Result<CommitOutcome> {
        let options = WriteOptions::parse(&self.conf)?;
        let mut client = WriteClient::open(MetaClient::clone(&self.meta), options)?;
        Ok(client.write(operation, rows.batches).await?)
    }

    async fn commit(&self, operation: WriteOperation, rows: Input) -> Result<Commit> {
        match self.write(operation, rows).await? {
            CommitOutcome::Committed {
                instant,
                completion,
                stats,
            } => Ok(Commit {
                instant,
                completed: completion,
                stats,
            }),
            CommitOutcome::Conflict { instant, with } => Err(Error::Conflict {
                instant,
                with: with.to_string(),
            }),
            CommitOutcome::Unknown {
                instant, reason, ..
            } => Err(Error::Unknown { instant, reason }),
        }
    }
}

/// Reading.
impl Table {
    /// The rows of a query, as a stream.
    ///
    /// # Errors
    /// Kind `Invalid` for a column that does not exist, `NotFound` for a moment whose files were
    /// cleaned, `Unsupported` for what is not built yet. Errors of reading come with the rows.
    pub async fn query(&self, query: Query) -> Result<Rows> {
        let plan = plan_scan(&self.meta, &query).await?;
        let batches: BoxStream<'static, _> = plan
            .stream()
            .map_err(oxlake_datafusion::Error::from)
            .boxed();
        Ok(Rows {
            schema: plan.schema,
            batches,
        })
    }

    /// All rows of the latest snapshot that an SQL condition holds for, at once.
    ///
    /// # Errors
    /// As [`Table::query`].
    pub async fn filter(&self, condition: &str) -> Result<Vec<RecordBatch>> {
        let view = self.view(QueryKind::Snapshot).await?;
        Ok(self
            .session()
            .select(view, Some(condition), None, None)
            .await?
            .collect()
            .await?)
    }

    /// The table as one query type shows it, to be queried in SQL.
    ///
    /// # Errors
    /// As [`Table::query`].
    pub async fn view(&self, kind: QueryKind) -> Result<QueryTable> {
        Ok(QueryTable::try_new(Arc::clone(&self.meta), kind).await?)
    }

    /// A session for SQL over this and other tables, with the same settings.
    pub fn session(&self) -> Session {
        Session::new(self.meta.env(), &self.conf)
    }

    /// The instant that a text means: a date, a time with or without zone, or the digits of an
    /// instant.
    ///
    /// # Errors
    /// Kind `Invalid` for any other text.
    pub fn parse_time(&self, text: &str) -> Result<InstantTime> {
        let zone = self.meta.config().timeline_zone();
        Ok(parse_time(text, zone, self.meta.env().clock.as_ref())?)
    }

    /// The begin of an incremental query that a text means; `None` for `earliest` and `000`, the
    /// whole history.
    ///
    /// # Errors
    /// As [`Table::parse_time`].
    pub fn parse_begin(&self, text: &str) -> Result<Option<InstantTime>> {
        let zone = self.meta.config().timeline_zone();
        Ok(parse_begin(text, zone, self.meta.env().clock.as_ref())?)
    }
}

/// Looking inside.
impl Table {
    /// The table's name.
    pub fn name(&self) -> &str {
        self.config().table_name()
    }

    /// Where the table is.
    pub fn url(&self) -> &str {
        self.meta.storage().url()
    }

    /// The table's properties.
    pub fn config(&self) -> &Arc<TableConfig> {
        self.meta.config()
    }

    /// The engine's own handle, for what this one does not offer.
    pub fn meta(&self) -> &Arc<MetaClient> {
        &self.meta
    }

    /// The columns, meta columns first.
    ///
    /// # Errors
    /// Kind `Invalid` for a table without a schema: made without one, and never written.
    pub async fn schema(&self) -> Result<SchemaRef> {
        Ok(self.meta.table_schema().await?.arrow)
    }

    /// The columns that rows to write may have: those without the meta columns. `None` for a table
    /// that gets its columns from the first rows written.
    ///
    /// # Errors
    /// As [`Table::snapshot`].
    pub async fn columns(&self) -> Result<Option<SchemaRef>> {
        let schema = match self.meta.table_schema().await {
            Err(oxlake_table::Error::NoSchema { .. }) => return Ok(None),
            schema => schema?.arrow,
        };
        let is_column = |field: &&FieldRef| !META_COLUMNS.contains(&field.name().as_str());
        let fields: Vec<_> = schema.fields().iter().filter(is_column).cloned().collect();
        Ok(Some(Arc::new(Schema::new(fields))))
    }

    /// The state of the table: its timeline, and what it says about file groups.
    ///
    /// # Errors
    /// Kind `Corrupt` if a file of the timeline does not decode, `Unavailable` if the storage does
    /// not answer.
    pub async fn snapshot(&self) -> Result<TableSnapshot> {
        Ok(self.meta.load_snapshot().await?)
    }

    /// What happened to the table, oldest first; without archived instants.
    ///
    /// # Errors
    /// As [`Table::snapshot`].
    pub async fn timeline(&self) -> Result<Timeline> {
        Ok(self.meta.timeline_store().load_active().await?)
    }

    /// What a completed commit wrote.
    ///
    /// # Errors
    /// Kind `NotFound` if there is no such commit.
    pub async fn commit_metadata(&self, instant: &Instant) -> Result<Arc<CommitMetadata>> {
        Ok(self.meta.timeline_store().commit_metadata(instant).await?)
    }

    /// The newest slice of each file group, now or as of a requested time.
    ///
    /// # Errors
    /// As [`Table::snapshot`].
    pub async fn file_slices(&self, as_of: Option<&InstantTime>) -> Result<Vec<FileSlice>> {
        let snapshot = self.meta.load_snapshot().await?;
        let view = self.meta.load_view(&snapshot, None).await?;
        Ok(match as_of {
            Some(time) => view.latest_slices_at(time),
            None => view.latest_slices(),
        })
    }
}

/// Settings may hold credentials and are not shown.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}
