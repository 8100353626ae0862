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
use oxlake_config::{InsertDuplicates, WriteOptions};
use oxlake_file_group::{HandleContext, WriteStatus};
use oxlake_index::{FooterCache, index_of};
use oxlake_keygen::KeyGenerator;
use oxlake_merge::Merger;
use oxlake_model::{
    Action, BaseFile, CommitMetadata, ErrorKind, FileGroupId, FileSystemView, Instant,
    PartitionPath, Timeline,
};
use oxlake_plan::{
    BucketAssignment, RecordSizeOptions, Sizing, SmallFile, WorkloadProfile, assign_buckets,
    average_record_size, small_files,
};
use oxlake_table::{MetaClient, TableSnapshot};
use oxlake_txn::{CommitOutcome, Committer, InstantGenerator, Rollback, StaleMarkers};

use crate::conform::Extra;
use crate::intake::{Input, Intake, IntakeOptions};
use crate::route::{Lookup, Routed, Router};
use crate::tasks::{TaskContext, plan_tasks, run_tasks};
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
            client: self,
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

/// One write after its instant was requested.
struct Write<'a> {
    client: &'a WriteClient,
    operation: WriteOperation,
    schema: WriterSchema,
    /// The table just before the instant was requested.
    snapshot: TableSnapshot,
    instant: Instant,
}

impl Write<'_> {
    async fn run(
        mut self,
        intake: Intake,
        extra_metadata: BTreeMap<String, String>,
    ) -> Result<CommitOutcome> {
        let meta = &self.client.meta;
        let (context, view, routed) = match self.prepare(intake).await {
            Ok(prepared) => prepared,
            Err(failure) => {
                self.discard().await;
                return Err(failure);
            }
        };
        self.begin(&routed.profile).await?;
        let spilled_bytes = routed.spilled_bytes;
        let assignment = self.assign(&routed.profile, &view).await?;
        let tasks = plan_tasks(assignment, routed, &base_files(&view))?;
        let context = TaskContext {
            handles: context,
            operation: self.operation,
            appends: self.operation == WriteOperation::Insert
                && self.client.options.merge_allow_duplicate_on_inserts,
        };
        let concurrency = meta.env().limits.write_concurrency;
        let statuses = run_tasks(&context, tasks, concurrency).await?;
        let metadata = self.commit_metadata(statuses, extra_metadata);
        let committer = Committer::new(meta, &self.client.generator);
        let mut outcome = committer.commit(&self.instant, &metadata).await?;
        if let CommitOutcome::Committed { stats, .. } = &mut outcome {
            stats.spilled_bytes = spilled_bytes;
        }
        tracing::info!(instant = %self.instant, ?outcome, "write finished");
        Ok(outcome)
    }

    /// Finds out where every row goes. Nothing is written yet.
    async fn prepare(&self, intake: Intake) -> Result<(HandleContext, FileSystemView, Routed)> {
        let view = self.view(&intake.rows.keys()).await?;
        let context = self.handle_context()?;
        let routed = self.route(&context, intake, &view).await?;
        Ok((context, view, routed))
    }

    /// Takes the requested file back. If that fails the next writer does it.
    async fn discard(&self) {
        if let Err(failure) = self
            .client
            .meta
            .timeline_store()
            .delete(&self.instant)
            .await
        {
            tracing::warn!(instant = %self.instant, error = %failure, "a requested instant stays");
        }
    }

    /// The file groups of the touched partitions, where the operation needs to know them.
    async fn view(&self, partitions: &[PartitionPath]) -> Result<FileSystemView> {
        let options = &self.client.options;
        let fills = self.operation.fills_small_files() && options.small_file_limit_bytes > 0;
        let looks = self.operation.looks_up_keys(options) || fills;
        let wanted = if looks { partitions } else { &[] };
        Ok(self
            .client
            .meta
            .load_view(&self.snapshot, Some(wanted))
            .await?)
    }

    fn handle_context(&self) -> Result<HandleContext> {
        let meta = &self.client.meta;
        Ok(HandleContext::try_new(
            meta.storage().clone(),
            meta.env().clone(),
            meta.config(),
            &self.client.options,
            self.instant.requested.clone(),
            &self.schema.avro,
            Arc::clone(&self.schema.table),
        )?)
    }

    async fn route(
        &self,
        context: &HandleContext,
        intake: Intake,
        view: &FileSystemView,
    ) -> Result<Routed> {
        let limits = &self.client.meta.env().limits;
        let options = &self.client.options;
        let router = Router {
            operation: self.operation,
            combines: self.operation.combines(options),
            merger: &context.merger,
            refuses_known_keys: options.insert_duplicates == InsertDuplicates::Fail,
            budget_bytes: limits.memory_bytes / 4,
            spill_folder: limits.spill_dir.clone(),
        };
        if !self.operation.looks_up_keys(options) {
            return router.route_inserts(intake);
        }
        let mut files: BTreeMap<PartitionPath, Vec<BaseFile>> = BTreeMap::new();
        for (group, file) in base_files(view) {
            files.entry(group.partition).or_default().push(file);
        }
        let index = index_of(options.index_type);
        let (meta, footers) = (&self.client.meta, &self.client.footers);
        router
            .route_by_key(
                intake,
                &Lookup {
                    meta,
                    index,
                    footers,
                    files,
                },
            )
            .await
    }

    /// Creates the inflight file. From here on data files may appear.
    async fn begin(&mut self, profile: &WorkloadProfile) -> Result<()> {
        let meta = &self.client.meta;
        let content = if self.operation.has_profile() {
            let profile = profile.to_commit_metadata(self.operation.operation_type());
            Bytes::from(profile.encode_avro(meta.env().ids.sync_marker())?)
        } else {
            Bytes::new()
        };
        let inflight = Instant::inflight(self.instant.requested.clone(), self.instant.action);
        meta.timeline_store().create(&inflight, content).await?;
        self.instant = inflight;
        Ok(())
    }

    async fn assign(
        &self,
        profile: &WorkloadProfile,
        view: &FileSystemView,
    ) -> Result<BucketAssignment> {
        let options = &self.client.options;
        let mut small: BTreeMap<PartitionPath, Vec<SmallFile>> = BTreeMap::new();
        if self.operation.fills_small_files() {
            for slice in view.latest_slices() {
                let files = small_files([&slice], options.small_file_limit_bytes);
                small.entry(slice.partition).or_default().extend(files);
            }
        }
        let has_inserts = profile
            .partitions
            .values()
            .any(|partition| partition.insert_count > 0);
        let sizing = Sizing {
            max_file_size_bytes: options.parquet.max_file_size_bytes,
            average_record_size_bytes: if has_inserts {
                self.average_record_size().await?
            } else {
                options.record_size_estimate_bytes
            },
            insert_split_count: options.insert_split_size,
            auto_split: options.insert_auto_split,
        };
        Ok(assign_buckets(profile, &small, &sizing))
    }

    async fn average_record_size(&self) -> Result<u64> {
        let timeline = &self.snapshot.timeline;
        let options = &self.client.options;
        let max_commits =
            usize::try_from(options.record_size_estimator_max_commits).unwrap_or(usize::MAX);
        let newest = timeline
            .completed()
            .rev()
            .filter(|instant| instant.action == Action::Commit);
        let mut commits = Vec::new();
        for instant in newest.take(max_commits) {
            commits.push(
                self.client
                    .meta
                    .timeline_store()
                    .commit_metadata(instant)
                    .await?,
            );
        }
        let settings = RecordSizeOptions {
            default_bytes: options.record_size_estimate_bytes,
            least_commit_bytes: share_of(
                options.small_file_limit_bytes,
                options.record_size_estimation_threshold,
            ),
            metadata_bytes: options.record_size_estimator_metadata_bytes,
            max_commits,
        };
        Ok(average_record_size(
            commits.iter().map(AsRef::as_ref),
            &settings,
        ))
    }

    fn commit_metadata(
        &self,
        statuses: Vec<WriteStatus>,
        extra_metadata: BTreeMap<String, String>,
    ) -> CommitMetadata {
        let given = self.client.options.commit_metadata();
        let mut metadata = CommitMetadata {
            extra_metadata: given
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            operation_type: Some(self.operation.operation_type()),
            ..CommitMetadata::default()
        };
        metadata.extra_metadata.extend(extra_metadata);
        let schema = self.schema.avro.json().to_owned();
        metadata
            .extra_metadata
            .insert(CommitMetadata::SCHEMA_KEY.to_owned(), schema);
        for status in statuses {
            let partition = status.file.partition.into_string();
            metadata
                .partition_to_write_stats
                .entry(partition)
                .or_default()
                .push(status.stat);
        }
        metadata
    }
}

fn base_files(view: &FileSystemView) -> BTreeMap<FileGroupId, BaseFile> {
    let slices = view.latest_slices().into_iter();
    slices
        .filter_map(|slice| Some((slice.file_group_id(), slice.base_file?)))
        .collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share of a size need not be exact"
)]
fn share_of(bytes: u64, share: f64) -> u64 {
    (bytes as f64 * share.max(0.0)) as u64
}
