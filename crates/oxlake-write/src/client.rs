//! The write client: from a stream of rows to a commit.
//!
//! ```text
//! roll back   what failed before                                    oxlake-txn
//! intake      columns, types, keys; by partition, spilled           intake
//! request     <T>.commit.requested
//! combine     one row a key (upsert, delete)                        units
//! look up     where each key lies (upsert, delete)                  route
//! inflight    <T>.inflight with the workload profile
//! write       one task a bucket: marker, data file, statistics      tasks
//! commit      <T>_<C>.commit, create-once                           oxlake-txn
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt};
use oxlake_config::WriteOptions;
use oxlake_index::FooterCache;
use oxlake_keygen::KeyGenerator;
use oxlake_merge::Merger;
use oxlake_model::{Action, ErrorKind, Instant, Timeline};
use oxlake_table::MetaClient;
use oxlake_txn::{CommitOutcome, InstantGenerator, Rollback, StaleMarkers};

use crate::conform::Extra;
use crate::intake::{Input, Intake, IntakeOptions};
use crate::write::Write;
use crate::writer_schema::WriterSchema;
use crate::{Error, InputError, Result, WriteOperation};

/// Writes one table, a commit at a time.
///
/// At its start each write rolls back what an earlier writer left unfinished, so after any failure it is enough to
/// write again.
#[derive(Debug)]
pub struct WriteClient {
    meta: MetaClient,
    options: WriteOptions,
    generator: InstantGenerator,
    footers: FooterCache,
}

impl WriteClient {
    /// A client for an opened table.
    ///
    /// # Errors
    /// A table that this engine cannot write and keep true is refused, naming the feature; so are options that are
    /// not supported.
    pub fn open(meta: MetaClient, options: WriteOptions) -> Result<Self> {
        meta.config().check_writable()?;
        options.check_against(meta.config())?;
        if !options.allow_empty_commit {
            return Err(Error::Option {
                key: "hoodie.allow.empty.commit",
                value: "false".to_owned(),
                supported: "true",
            });
        }
        let generator = InstantGenerator::new(meta.env(), meta.config());
        Ok(Self {
            meta,
            options,
            generator,
            footers: FooterCache::default(),
        })
    }

    /// The table.
    pub fn meta(&self) -> &MetaClient {
        &self.meta
    }

    /// Writes all rows of `input` in one commit.
    ///
    /// # Errors
    /// Input that does not fit the table is refused, naming the column, before anything is written. After any error
    /// the rows are not in the table; only [`CommitOutcome::Unknown`] leaves that open.
    pub async fn write<E: Into<InputError>>(
        &mut self,
        operation: WriteOperation,
        input: impl Stream<Item = Result<RecordBatch, E>> + Send,
    ) -> Result<CommitOutcome> {
        self.write_with(operation, input, BTreeMap::new()).await
    }

    /// As [`write`](Self::write), with entries of the caller in the extra metadata of the commit.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    #[tracing::instrument(
        name = "write", skip_all, fields(table = self.meta.storage().url(), action = %operation)
    )]
    pub async fn write_with<E: Into<InputError>>(
        &mut self,
        operation: WriteOperation,
        input: impl Stream<Item = Result<RecordBatch, E>> + Send,
        extra_metadata: BTreeMap<String, String>,
    ) -> Result<CommitOutcome> {
        let mut input = input.map_err(Into::into).boxed();
        self.meta.refresh().await?;
        self.meta.config().check_writable()?;
        let timeline = self.recover().await?;
        let (intake, schema) = self.take_in(operation, timeline, &mut input).await?;
        let (instant, timeline) = self.request().await?;
        let snapshot = self.meta.snapshot_of(timeline).await?;
        let write = Write {
            meta: &self.meta,
            options: &self.options,
            generator: &self.generator,
            footers: &self.footers,
            operation,
            schema,
            snapshot,
            instant,
        };
        write.run(intake, extra_metadata).await
    }

    /// Clears away what failed writes left: their instants and files, and marker folders.
    ///
    /// # Errors
    /// Pending work that a writer must not pass over, a writer that is alive; those of the storage.
    pub async fn recover(&self) -> Result<Timeline> {
        let markers = StaleMarkers::load(&self.meta).await?;
        let timeline = self.meta.timeline_store().load_active().await?;
        let rollback = Rollback::new(&self.meta, &self.generator)
            .using_markers(self.options.rollback_using_markers);
        let timeline = rollback.failed_writes(timeline).await?;
        markers.delete_unless_pending(&self.meta, &timeline).await?;
        Ok(timeline)
    }

    async fn take_in(
        &self,
        operation: WriteOperation,
        timeline: Timeline,
        input: &mut Input<'_>,
    ) -> Result<(Intake, WriterSchema)> {
        let first = input.try_next().await.map_err(|source| Error::Input {
            row_count: 0,
            source,
        })?;
        let snapshot = self.meta.snapshot_of(timeline).await?;
        let input_schema = first.as_ref().map(RecordBatch::schema);
        let schema = WriterSchema::resolve(&self.meta, &snapshot, input_schema.as_ref()).await?;
        let config = self.meta.config();
        let (columns, extra) = match operation {
            WriteOperation::Delete => (schema.key_columns(config), Extra::Ignore),
            _ => (Arc::clone(&schema.data), Extra::Refuse),
        };
        let keys = KeyGenerator::try_new(config, &columns)?;
        let merger = Merger::try_new(config, &schema.table)?;
        let only_adds = matches!(
            operation,
            WriteOperation::Insert | WriteOperation::BulkInsert
        );
        let limits = &self.meta.env().limits;
        let options = IntakeOptions {
            columns,
            extra,
            keys: &keys,
            delete_filter: only_adds.then_some(&merger),
            budget_bytes: limits.memory_bytes / 4,
            spill_folder: limits.spill_dir.clone(),
        };
        let intake = Intake::load(first, input, &options).await?;
        Ok((intake, schema))
    }

    /// Takes a time and creates the requested file. Another writer may take the same time first: then a later one.
    /// Also answers the timeline as it was just before.
    async fn request(&self) -> Result<(Instant, Timeline)> {
        let store = self.meta.timeline_store();
        loop {
            let timeline = store.load_active().await?;
            let instant = Instant::requested(self.generator.next(&timeline)?, Action::Commit);
            match store.create(&instant, Bytes::new()).await {
                Ok(()) => return Ok((instant, timeline)),
                Err(failure) if failure.kind() == ErrorKind::AlreadyExists => {}
                Err(failure) => return Err(failure.into()),
            }
        }
    }
}
