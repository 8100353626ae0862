//! One write, from the rows to the commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use oxlake_config::{InsertDuplicates, WriteOptions};
use oxlake_file_group::{HandleContext, WriteStatus};
use oxlake_index::{FooterCache, index_of};
use oxlake_model::{
    Action, BaseFile, CommitMetadata, FileGroupId, FileSystemView, Instant, PartitionPath,
};
use oxlake_plan::{
    BucketAssignment, RecordSizeOptions, Sizing, SmallFile, WorkloadProfile, assign_buckets,
    average_record_size, small_files,
};
use oxlake_table::{MetaClient, TableSnapshot};
use oxlake_txn::{CommitOutcome, Committer, InstantGenerator};

use crate::intake::Intake;
use crate::route::{Lookup, Routed, Router};
use crate::tasks::{TaskContext, plan_tasks, run_tasks};
use crate::writer_schema::WriterSchema;
use crate::{Result, WriteOperation};

/// One write after its instant was requested.
pub(crate) struct Write<'a> {
    /// The table.
    pub(crate) meta: &'a MetaClient,
    /// How to write.
    pub(crate) options: &'a WriteOptions,
    /// Gives the completion time.
    pub(crate) generator: &'a InstantGenerator,
    /// Footers that earlier writes of this client have read.
    pub(crate) footers: &'a FooterCache,
    /// What is being done.
    pub(crate) operation: WriteOperation,
    /// Schema of the rows.
    pub(crate) schema: WriterSchema,
    /// The table just before the instant was requested.
    pub(crate) snapshot: TableSnapshot,
    /// The requested, later the inflight instant.
    pub(crate) instant: Instant,
}

impl Write<'_> {
    /// Carries it out, from the rows to the commit.
    pub(crate) async fn run(
        mut self,
        intake: Intake,
        extra_metadata: BTreeMap<String, String>,
    ) -> Result<CommitOutcome> {
        let meta = self.meta;
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
                && self.options.merge_allow_duplicate_on_inserts,
        };
        let concurrency = meta.env().limits.write_concurrency;
        let statuses = run_tasks(&context, tasks, concurrency).await?;
        let metadata = self.commit_metadata(statuses, extra_metadata);
        let committer = Committer::new(meta, self.generator);
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
        if let Err(failure) = self.meta.timeline_store().delete(&self.instant).await {
            tracing::warn!(instant = %self.instant, error = %failure, "a requested instant stays");
        }
    }

    /// The file groups of the touched partitions, where the operation needs to know them.
    async fn view(&self, partitions: &[PartitionPath]) -> Result<FileSystemView> {
        let options = self.options;
        let fills = self.operation.fills_small_files() && options.small_file_limit_bytes > 0;
        let looks = self.operation.looks_up_keys(options) || fills;
        let wanted = if looks { partitions } else { &[] };
        Ok(self.meta.load_view(&self.snapshot, Some(wanted)).await?)
    }

    fn handle_context(&self) -> Result<HandleContext> {
        let meta = self.meta;
        Ok(HandleContext::try_new(
            meta.storage().clone(),
            meta.env().clone(),
            meta.config(),
            self.options,
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
        let limits = &self.meta.env().limits;
        let options = self.options;
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
        let lookup = Lookup {
            meta: self.meta,
            index,
            footers: self.footers,
            files,
        };
        router.route_by_key(intake, &lookup).await
    }

    /// Creates the inflight file. From here on data files may appear.
    async fn begin(&mut self, profile: &WorkloadProfile) -> Result<()> {
        let meta = self.meta;
        let content = if self.operation.has_profile() {
            let profile = profile.to_commit_metadata(self.operation.operation_type());
            let version = meta.config().version();
            Bytes::from(profile.encode(version, meta.env().ids.sync_marker())?)
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
        let options = self.options;
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
        let options = self.options;
        let max_commits =
            usize::try_from(options.record_size_estimator_max_commits).unwrap_or(usize::MAX);
        let newest = timeline
            .completed()
            .rev()
            .filter(|instant| instant.action == Action::Commit);
        let mut commits = Vec::new();
        for instant in newest.take(max_commits) {
            commits.push(self.meta.timeline_store().commit_metadata(instant).await?);
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
        let given = self.options.commit_metadata();
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
