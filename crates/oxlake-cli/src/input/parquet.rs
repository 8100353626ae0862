//! Parquet files.

use std::error::Error as StdError;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::prefix::Prefixed;
use super::{BATCH_ROWS, Batches, spool};

type Opened = (SchemaRef, Option<u64>, Batches);

/// Opens a Parquet file; `row_count` is that of its footer.
pub(super) fn open(mut reader: Prefixed) -> Result<Opened, Box<dyn StdError + Send + Sync>> {
    let file = match reader.file() {
        Some(file) => file,
        None => spool(&mut reader.into_reader())?,
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(BATCH_ROWS);
    let row_count = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
    let batches = builder.build()?;
    let schema = arrow::array::RecordBatchReader::schema(&batches);
    let same_schema = SchemaRef::clone(&schema);
    let batches = batches.map(move |batch| {
        let batch = batch?;
        RecordBatch::try_new(SchemaRef::clone(&same_schema), batch.columns().to_vec())
    });
    Ok((schema, row_count, Box::new(batches)))
}
