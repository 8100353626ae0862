//! Rows into new file groups.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use oxlake_model::{FileId, PartitionPath};
use oxlake_table::IoType;

use super::conform::conform;
use super::context::HandleContext;
use super::output::OutputFile;
use super::stamp::Stamp;
use super::status::{Counts, WriteStatus};
use crate::error::{Error, Result};

/// Rows written before the size is looked at for the first time.
const FIRST_CHECK_ROWS: usize = 1_000;
/// Rows written between two looks at most.
const MOST_ROWS: usize = 8_192;

/// Writes rows of one partition into new file groups; a new one begins when the file is full.
///
/// The groups are `{prefix}-0`, `{prefix}-1`, … . Rows keep their order. Without rows no file is made.
#[derive(Debug)]
pub struct CreateHandle {
    context: HandleContext,
    task_id: u32,
    partition: PartitionPath,
    file_id_prefix: String,
    current: Option<(OutputFile, Stamp)>,
    done: Vec<WriteStatus>,
    /// Rows of all files: the sequence number goes on when a new file begins.
    row_count: u64,
}

impl CreateHandle {
    /// A handle with a fresh file-id prefix. No two handles of one write may have the same `task_id`: file
    /// names and sequence numbers are unique by it.
    pub fn new(context: &HandleContext, task_id: u32, partition: PartitionPath) -> Self {
        let prefix = context.env.ids.uuid();
        Self::with_file_id_prefix(context, task_id, partition, prefix)
    }

    /// A handle whose file groups begin with `prefix`.
    pub fn with_file_id_prefix(
        context: &HandleContext,
        task_id: u32,
        partition: PartitionPath,
        prefix: String,
    ) -> Self {
        Self {
            context: context.clone(),
            task_id,
            partition,
            file_id_prefix: prefix,
            current: None,
            done: Vec::new(),
            row_count: 0,
        }
    }

    /// Writes rows of the table's data columns with their record keys.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] before anything is written when the rows are not of the table's schema; those of
    /// storage. After an error the handle can only be aborted.
    pub async fn write(&mut self, batch: &RecordBatch, keys: &StringArray) -> Result<()> {
        let columns = conform(batch, &self.context.data_schema)?;
        if keys.len() != batch.num_rows() || keys.null_count() > 0 {
            return Err(Error::Schema {
                detail: "every row needs a record key".to_owned(),
            });
        }
        let mut offset = 0;
        while offset < keys.len() {
            let rows = self.rows_until_check().min(keys.len() - offset);
            let columns: Vec<ArrayRef> = columns
                .iter()
                .map(|column| column.slice(offset, rows))
                .collect();
            let keys = keys.slice(offset, rows);
            self.write_rows(columns, &keys).await?;
            offset += rows;
            if self.is_full() {
                self.close_current().await?;
            }
        }
        Ok(())
    }

    /// Completes the last file; one status for each file, in the order written.
    ///
    /// # Errors
    ///
    /// Those of storage.
    pub async fn close(mut self) -> Result<Vec<WriteStatus>> {
        self.close_current().await?;
        Ok(self.done)
    }

    /// Gives up. Files already completed stay and are known by their markers only.
    ///
    /// # Errors
    ///
    /// Those of storage.
    pub async fn abort(mut self) -> Result<()> {
        match self.current.take() {
            Some((file, _)) => file.writer.abort().await,
            None => Ok(()),
        }
    }

    async fn write_rows(&mut self, columns: Vec<ArrayRef>, keys: &StringArray) -> Result<()> {
        let (mut file, mut stamp) = match self.current.take() {
            Some(current) => current,
            None => self.open().await?,
        };
        let mut all: Vec<ArrayRef> = stamp.new_rows(keys, self.row_count).into();
        all.extend(columns);
        let schema = Arc::clone(self.context.schema.arrow());
        let batch = RecordBatch::try_new(schema, all).map_err(|error| Error::Schema {
            detail: error.to_string(),
        })?;
        let written = file.writer.write(&batch).await;
        self.current = Some((file, stamp));
        self.row_count += keys.len() as u64;
        written
    }

    async fn open(&mut self) -> Result<(OutputFile, Stamp)> {
        let file_id = FileId::from(format!("{}-{}", self.file_id_prefix, self.done.len()));
        let name = OutputFile::name(&self.context, self.task_id, file_id);
        let file = OutputFile::open(&self.context, &self.partition, name, IoType::Create).await?;
        let stamp = Stamp::new(
            &self.context,
            self.task_id,
            self.partition.as_str(),
            file.file_name(),
        );
        Ok((file, stamp))
    }

    async fn close_current(&mut self) -> Result<()> {
        if let Some((file, _)) = self.current.take() {
            let inserts = file.writer.row_count();
            let counts = Counts {
                inserts,
                ..Counts::default()
            };
            self.done
                .push(file.close(&self.context, None, counts).await?);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.current.as_ref().is_some_and(|(file, _)| {
            file.writer.estimated_bytes() >= self.context.writer_options.parquet.max_file_size_bytes
        })
    }

    /// Rows after which the size is looked at again: at half the distance that is left.
    fn rows_until_check(&self) -> usize {
        let Some((file, _)) = &self.current else {
            return FIRST_CHECK_ROWS;
        };
        let (rows, bytes) = (file.writer.row_count(), file.writer.estimated_bytes());
        let left = self
            .context
            .writer_options
            .parquet
            .max_file_size_bytes
            .saturating_sub(bytes);
        let left_rows = left / (bytes / rows.max(1)).max(1);
        usize::try_from(left_rows / 2)
            .unwrap_or(MOST_ROWS)
            .clamp(100, MOST_ROWS)
    }
}

/// The record keys of a batch with meta columns.
pub(crate) fn record_keys(batch: &RecordBatch) -> Option<&StringArray> {
    batch
        .column_by_name(oxlake_model::columns::RECORD_KEY)?
        .as_string_opt::<i32>()
}
