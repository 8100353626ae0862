//! [`ScanPlan`]: which slices to read and how, before anything is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use oxlake_file_group::{BaseFileReader, ReadOptions};
use oxlake_model::{BaseFile, ErrorKind, FileSlice, InstantTime, Predicate};
use oxlake_storage::Storage;

use crate::ordered::Ordered;
use crate::{Error, Result};

/// Batches of a query; ends after its first error.
pub type BatchStream = BoxStream<'static, Result<RecordBatch>>;

/// How many batches a slice that is not yet wanted may be ahead.
const BATCHES_AHEAD: usize = 2;

/// What a query will read. A value: it can be shown, split by slice and executed any number of times.
#[derive(Debug, Clone)]
pub struct ScanPlan {
    /// The columns of the answer.
    pub schema: SchemaRef,
    /// All columns of the table as the query sees it.
    pub table_schema: SchemaRef,
    /// The slices to read, by partition and file id.
    pub slices: Vec<FileSliceScan>,
    /// Only rows for which this is true; applied to every row.
    pub predicate: Option<Predicate>,
    /// Only rows of these commits; applied to every row.
    pub commit_times: Option<Arc<BTreeSet<String>>>,
    /// At most so many rows.
    pub limit: Option<usize>,
    /// Rows in a batch at most; `None` leaves it to the reader.
    pub batch_size: Option<usize>,
    /// The state that is read, or the end of the range: newest completed write it takes part of; `None` for a
    /// table without one.
    pub instant: Option<InstantTime>,
    /// What was left out, and why.
    pub report: PruningReport,
    /// Where the files are.
    pub(crate) storage: Storage,
    /// How many slices are read at a time.
    pub(crate) concurrency: usize,
}

/// One slice of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSliceScan {
    /// The slice.
    pub slice: FileSlice,
    /// Columns whose value does not come from the file, as text; `None` is null.
    pub constants: BTreeMap<String, Option<String>>,
}

/// What planning left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PruningReport {
    /// Partitions that were met and cannot hold a matching row; those below them were not even listed.
    pub pruned_partition_count: usize,
    /// Partitions to read.
    pub partition_count: usize,
    /// Files to read.
    pub file_count: usize,
    /// Their size.
    pub size_bytes: u64,
    /// Incremental: why the newest snapshot is read instead of the files of the range.
    pub full_scan_reason: Option<String>,
}

impl ScanPlan {
    /// The rows of one slice, without the limit of the query; empty for an index there is no slice for.
    ///
    /// Nothing is read before the stream is polled.
    pub fn execute(&self, slice_index: usize) -> BatchStream {
        let base_file = self.slices.get(slice_index).and_then(|scan| {
            let file = scan.slice.base_file.clone()?;
            Some((file, self.read_options(scan)))
        });
        match base_file {
            Some((file, options)) => read(self.storage.clone(), file, options),
            None => futures::stream::empty().boxed(),
        }
    }

    /// All rows, by partition and file id, in the order of the files.
    ///
    /// Several slices are read at a time, and the later ones wait when they are two batches ahead: memory is
    /// bounded by the number of slices read at a time, whatever the table holds.
    pub fn stream(&self) -> BatchStream {
        let plan = self.clone();
        let slices = (0..self.slices.len()).map(move |index| plan.execute(index));
        let rows = Ordered::new(slices, self.concurrency, BATCHES_AHEAD);
        match self.limit {
            Some(limit) => limited(rows, limit),
            None => rows.boxed(),
        }
    }

    fn read_options(&self, scan: &FileSliceScan) -> ReadOptions {
        let mut options = ReadOptions::new(Arc::clone(&self.schema));
        options.table_schema = Some(Arc::clone(&self.table_schema));
        options.predicate.clone_from(&self.predicate);
        options.commit_times.clone_from(&self.commit_times);
        options.constants.clone_from(&scan.constants);
        if let Some(rows) = self.batch_size {
            options = options.with_batch_size(rows);
        }
        options
    }
}

/// One line for the query and one for each slice.
impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        let at = self
            .instant
            .as_ref()
            .map_or("no commit", InstantTime::as_str);
        writeln!(
            f,
            "scan at {at}: {} files, {} bytes, {} partitions ({} pruned)",
            report.file_count,
            report.size_bytes,
            report.partition_count,
            report.pruned_partition_count
        )?;
        if let Some(reason) = &report.full_scan_reason {
            writeln!(
                f,
                "  newest snapshot instead of the files of the range: {reason}"
            )?;
        }
        for scan in &self.slices {
            match &scan.slice.base_file {
                Some(file) => writeln!(f, "  {}", file.path())?,
                None => writeln!(
                    f,
                    "  {}",
                    scan.slice.partition.join(scan.slice.file_id.as_str())
                )?,
            }
        }
        Ok(())
    }
}

fn read(storage: Storage, file: BaseFile, options: ReadOptions) -> BatchStream {
    let path = file.path();
    let batches = async move {
        let reader = BaseFileReader::open(&storage, &file).await?;
        reader.read(&options)
    };
    futures::stream::once(batches)
        .try_flatten()
        .map_err(move |error: oxlake_file_group::Error| match error.kind() {
            ErrorKind::NotFound => Error::FileGone {
                path: path.clone(),
                source: Box::new(error),
            },
            _ => error.into(),
        })
        .boxed()
}

/// The first `limit` rows; the inner stream is dropped as soon as it has given them.
fn limited(
    rows: impl futures::Stream<Item = Result<RecordBatch>> + Send + 'static,
    limit: usize,
) -> BatchStream {
    if limit == 0 {
        return futures::stream::empty().boxed();
    }
    let state = Some((rows.boxed(), limit));
    futures::stream::unfold(state, |state| async move {
        let (mut rows, left) = state?;
        match rows.next().await? {
            Ok(batch) if batch.num_rows() >= left => Some((Ok(batch.slice(0, left)), None)),
            Ok(batch) => {
                let left = left - batch.num_rows();
                Some((Ok(batch), Some((rows, left))))
            }
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::Int32Array;

    fn batch(rows: usize) -> RecordBatch {
        let column = Arc::new(Int32Array::from(vec![1; rows])) as _;
        RecordBatch::try_from_iter([("a", column)]).unwrap()
    }

    async fn rows(batches: Vec<Result<RecordBatch>>, limit: usize) -> Vec<Option<usize>> {
        let stream = limited(futures::stream::iter(batches), limit);
        stream
            .map(|batch| batch.ok().map(|batch| batch.num_rows()))
            .collect()
            .await
    }

    #[tokio::test]
    async fn the_limit_cuts_the_batch_it_falls_into() {
        assert_eq!(
            rows(vec![Ok(batch(3)), Ok(batch(3)), Ok(batch(3))], 4).await,
            [Some(3), Some(1)]
        );
        assert_eq!(rows(vec![Ok(batch(3)), Ok(batch(3))], 3).await, [Some(3)]);
        assert_eq!(rows(vec![Ok(batch(3))], 9).await, [Some(3)]);
        assert!(rows(vec![Ok(batch(3))], 0).await.is_empty());
    }

    #[tokio::test]
    async fn an_error_behind_the_limit_is_not_met() {
        let error = || Err(Error::NoCommitTimes);
        assert_eq!(rows(vec![Ok(batch(3)), error()], 3).await, [Some(3)]);
        assert_eq!(
            rows(vec![Ok(batch(3)), error(), Ok(batch(3))], 9).await,
            [Some(3), None]
        );
    }
}
