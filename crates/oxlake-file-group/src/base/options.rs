//! What to read from a base file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::stream::BoxStream;
use oxlake_model::Predicate;

use crate::error::Result;

/// Batches of one file, in the order of the file; ends after its first error.
pub type BatchStream = BoxStream<'static, Result<RecordBatch>>;

/// The text of a value that comes from the partition path; `None` is null.
pub type ScalarText = Option<String>;

/// What to read from a base file, and how.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The columns of the output in order, with the types of the table: the file's columns are found by
    /// name and brought to these types (spec 02 §8.1).
    pub schema: SchemaRef,
    /// Where the types of columns come from that only `predicate` names; `None`: it names none.
    pub table_schema: Option<SchemaRef>,
    /// Only rows for which this is true (not false, not unknown). Also prunes row groups.
    pub predicate: Option<Predicate>,
    /// Only rows whose `_hoodie_commit_time` is one of these. Also prunes row groups.
    pub commit_times: Option<Arc<BTreeSet<String>>>,
    /// Columns whose value is the same in all rows of the file and does not come from the file.
    pub constants: BTreeMap<String, ScalarText>,
    /// Rows in a batch at most.
    pub batch_size: usize,
}

impl ReadOptions {
    /// All rows, the columns of `schema`, 8,192 rows a batch.
    pub fn new(schema: SchemaRef) -> Self {
        Self {
            schema,
            table_schema: None,
            predicate: None,
            commit_times: None,
            constants: BTreeMap::new(),
            batch_size: 8192,
        }
    }

    /// Only rows for which `predicate` is true; `table_schema` has the columns it names.
    #[must_use]
    pub fn with_predicate(mut self, predicate: Predicate, table_schema: SchemaRef) -> Self {
        self.predicate = Some(predicate);
        self.table_schema = Some(table_schema);
        self
    }

    /// Only rows written at one of these instants.
    #[must_use]
    pub fn with_commit_times(mut self, times: Arc<BTreeSet<String>>) -> Self {
        self.commit_times = Some(times);
        self
    }

    /// Takes `column` from the path instead of the file.
    #[must_use]
    pub fn with_constant(mut self, column: impl Into<String>, value: ScalarText) -> Self {
        self.constants.insert(column.into(), value);
        self
    }

    /// Rows in a batch at most; zero counts as one.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows.max(1);
        self
    }
}
