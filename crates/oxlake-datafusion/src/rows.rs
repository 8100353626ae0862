//! The answer of a query.

use std::fmt;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::common::spawn_buffered;
use futures::future::ready;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};

use crate::error::{Error, Result};

/// Batches that a partition may be ahead of what is asked for.
const BATCHES_AHEAD: usize = 2;

/// The answer of a query: its columns, and its rows as they come.
pub struct Rows {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, in the order of the query.
    pub batches: BoxStream<'static, Result<RecordBatch>>,
}

impl Rows {
    /// All rows at once; for answers known to be small.
    ///
    /// # Errors
    /// The first error of reading.
    pub async fn collect(self) -> Result<Vec<RecordBatch>> {
        self.batches.try_collect().await
    }

    /// The rows of one stream.
    pub(crate) fn of_stream(stream: SendableRecordBatchStream) -> Self {
        Self {
            schema: stream.schema(),
            batches: stream.map_err(Error::from).boxed(),
        }
    }

    /// The rows of all partitions of a plan, one partition after the other, `limit` at most. The
    /// next partitions are read ahead, `concurrency` at a time.
    pub(crate) fn of_partitions(
        schema: SchemaRef,
        partitions: Vec<SendableRecordBatchStream>,
        concurrency: usize,
        limit: Option<usize>,
    ) -> Self {
        let batches = futures::stream::iter(partitions)
            .map(|partition| ready(spawn_buffered(partition, BATCHES_AHEAD)))
            .buffered(concurrency.max(1))
            .flatten()
            .map_err(Error::from)
            .boxed();
        let batches = match limit {
            Some(limit) => first_rows(batches, limit),
            None => batches,
        };
        Self { schema, batches }
    }
}

/// The first `limit` rows; what comes after them is not asked for.
fn first_rows(
    batches: BoxStream<'static, Result<RecordBatch>>,
    limit: usize,
) -> BoxStream<'static, Result<RecordBatch>> {
    futures::stream::unfold((batches, limit), |(mut batches, left)| async move {
        if left == 0 {
            return None;
        }
        let batch = batches.next().await?;
        let batch = batch.map(|batch| batch.slice(0, batch.num_rows().min(left)));
        let taken = batch.as_ref().map_or(left, RecordBatch::num_rows);
        Some((batch, (batches, left - taken)))
    })
    .boxed()
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
