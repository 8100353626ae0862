//! Rows appended to an existing file group without looking at keys.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray};
use futures::TryStreamExt;
use oxlake_model::BaseFile;
use oxlake_table::IoType;

use super::conform::conform;
use super::context::HandleContext;
use super::merge::stored_rows;
use super::output::OutputFile;
use super::stamp::Stamp;
use super::status::{Counts, WriteStatus};
use crate::error::{Error, Result};

/// Writes the next version of a base file: all stored rows as they are, then the new ones.
///
/// Keys are not compared, so a key can then be there twice (`insert` with
/// `hoodie.merge.allow.duplicate.on.inserts`, spec 04 §1.10).
#[derive(Debug)]
pub struct ConcatHandle {
    context: HandleContext,
    base: BaseFile,
    file: OutputFile,
    stamp: Stamp,
    counts: Counts,
}

impl ConcatHandle {
    /// Begins the new file and copies the stored rows. No two handles of one write may have the same
    /// `task_id`.
    ///
    /// # Errors
    ///
    /// Those of reading the old file; those of storage. On error nothing is visible.
    pub async fn open(context: &HandleContext, task_id: u32, base: BaseFile) -> Result<Self> {
        let name = OutputFile::name(context, task_id, base.name.file_id.clone());
        let mut stored = stored_rows(context, &base, &name.print()).await?;
        let mut file = OutputFile::open(context, &base.partition, name, IoType::Merge).await?;
        let copied: Result<()> = async {
            while let Some(batch) = stored.try_next().await? {
                file.writer.write(&batch).await?;
            }
            Ok(())
        }
        .await;
        if let Err(error) = copied {
            // The first error is the one to report; what abort leaves behind has its marker.
            let _ = file.writer.abort().await;
            return Err(error);
        }
        let stamp = Stamp::new(context, task_id, base.partition.as_str(), file.file_name());
        let counts = Counts::default();
        Ok(Self {
            context: context.clone(),
            base,
            file,
            stamp,
            counts,
        })
    }

    /// Appends rows of the table's data columns with their record keys.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] when the rows are not of the table's schema; those of storage. After an error the
    /// handle can only be aborted.
    pub async fn write(&mut self, batch: &RecordBatch, keys: &StringArray) -> Result<()> {
        let columns = conform(batch, &self.context.data_schema)?;
        if keys.len() != batch.num_rows() || keys.null_count() > 0 {
            return Err(Error::Schema {
                detail: "every row needs a record key".to_owned(),
            });
        }
        let mut all: Vec<ArrayRef> = self
            .stamp
            .new_rows(keys, self.file.writer.row_count())
            .into();
        all.extend(columns);
        let batch = RecordBatch::try_new(Arc::clone(self.context.schema.arrow()), all).map_err(
            |error| Error::Schema {
                detail: error.to_string(),
            },
        )?;
        self.counts.inserts += batch.num_rows() as u64;
        self.file.writer.write(&batch).await
    }

    /// Completes the new file.
    ///
    /// # Errors
    ///
    /// Those of storage.
    pub async fn close(self) -> Result<WriteStatus> {
        self.file
            .close(&self.context, Some(&self.base), self.counts)
            .await
    }

    /// Gives up; nothing is left but the marker.
    ///
    /// # Errors
    ///
    /// Those of storage.
    pub async fn abort(self) -> Result<()> {
        self.file.writer.abort().await
    }
}
