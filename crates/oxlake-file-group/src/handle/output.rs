//! One base file of a handle: marker, partition metafile, file, in this order (spec 01 §12).

use oxlake_model::{BaseFile, BaseFileExtension, BaseFileName, FileId, PartitionPath};
use oxlake_table::{IoType, MarkerStore, PartitionMetadata};

use super::context::HandleContext;
use super::status::{Counts, Elapsed, WriteStatus};
use crate::base::BaseFileWriter;
use crate::error::Result;

/// A base file being written.
#[derive(Debug)]
pub(crate) struct OutputFile {
    partition: PartitionPath,
    name: BaseFileName,
    file_name: String,
    io_type: IoType,
    started_ms: i64,
    pub(crate) writer: BaseFileWriter,
}

impl OutputFile {
    /// The name that task `task_id` gives the file of a group in this write.
    ///
    /// The token is `{task}-1-0`: unique for the task, and never one of the reserved `0-0-0`, `1-0-1`.
    pub(crate) fn name(context: &HandleContext, task_id: u32, file_id: FileId) -> BaseFileName {
        BaseFileName {
            file_id,
            write_token: format!("{task_id}-1-0"),
            instant: context.instant.clone(),
            extension: BaseFileExtension::Parquet,
        }
    }

    pub(crate) async fn open(
        context: &HandleContext,
        partition: &PartitionPath,
        name: BaseFileName,
        io_type: IoType,
    ) -> Result<Self> {
        let started_ms = context.env.clock.now_ms();
        let file_name = name.print();
        let markers = MarkerStore::new(context.storage.clone(), context.instant.clone());
        markers.create(partition, &file_name, io_type).await?;
        if io_type == IoType::Create {
            PartitionMetadata::ensure(&context.storage, partition, &context.instant).await?;
        }
        let writer = BaseFileWriter::try_new(
            &context.storage,
            &partition.join(&file_name),
            &context.schema,
            &context.writer_options,
        )?;
        Ok(Self {
            partition: partition.clone(),
            name,
            file_name,
            io_type,
            started_ms,
            writer,
        })
    }

    pub(crate) fn file_name(&self) -> &str {
        &self.file_name
    }

    /// Completes the file; `previous` is the one it replaces.
    pub(crate) async fn close(
        self,
        context: &HandleContext,
        previous: Option<&BaseFile>,
        counts: Counts,
    ) -> Result<WriteStatus> {
        let written = self.writer.finish().await?;
        let ms = context.env.clock.now_ms() - self.started_ms;
        let elapsed = match self.io_type {
            IoType::Create => Elapsed::CreateMs(ms),
            IoType::Merge | IoType::Append => Elapsed::UpsertMs(ms),
        };
        let file = BaseFile {
            partition: self.partition,
            name: self.name,
            size_bytes: written.size_bytes,
        };
        Ok(WriteStatus::new(file, written, previous, counts, elapsed))
    }
}
