//! `oxlake file-group list`: the files a query would read.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use clap::Args;
use oxlake::FileSlice;

use super::query::time;
use crate::context::Context;
use crate::error::Result;

/// The file groups of a table with their latest files
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  oxlake file-group list trips\n  \
    oxlake file-group list trips --as-of 2026-03-07 --format json")]
pub(crate) struct FileGroupList {
    /// Folder or URL of the table
    table: String,
    /// The files as they were at this moment
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
}

impl FileGroupList {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let table = context.open(&self.table).await?;
        let as_of = self
            .as_of
            .map(|text| time(&table, "--as-of", &text))
            .transpose()?;
        let all = batch(&table.file_slices(as_of.as_ref()).await?)?;
        context.print_batch(&all, &all.project(&[0, 1, 2, 3, 4])?)
    }
}

fn batch(slices: &[FileSlice]) -> Result<RecordBatch> {
    let text = |value: fn(&FileSlice) -> Option<String>| -> ArrayRef {
        Arc::new(slices.iter().map(value).collect::<StringArray>())
    };
    let count = |value: fn(&FileSlice) -> Option<u64>| -> ArrayRef {
        Arc::new(slices.iter().map(value).collect::<UInt64Array>())
    };
    Ok(RecordBatch::try_from_iter_with_nullable([
        (
            "partition",
            text(|slice| Some(slice.partition.to_string())),
            false,
        ),
        (
            "file_id",
            text(|slice| Some(slice.file_id.to_string())),
            false,
        ),
        (
            "base_instant",
            text(|slice| Some(slice.base_instant.to_string())),
            false,
        ),
        (
            "base_bytes",
            count(|slice| slice.base_file.as_ref().map(|file| file.size_bytes)),
            true,
        ),
        (
            "log_files",
            count(|slice| Some(slice.log_files.len() as u64)),
            false,
        ),
        (
            "log_bytes",
            count(|slice| Some(slice.log_files.iter().map(|log| log.size_bytes).sum())),
            false,
        ),
        (
            "base_file",
            text(|slice| slice.base_file.as_ref().map(|file| file.name.to_string())),
            true,
        ),
    ])?)
}
