//! Rows as JSON, one object a line.

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;

use super::RowSink;
use crate::error::Result;

/// Writes every field of every row; a null is written as `null`, not left out.
pub(super) struct JsonSink<'a> {
    writer: arrow::json::Writer<Box<dyn Write + 'a>, LineDelimited>,
}

impl<'a> JsonSink<'a> {
    pub(super) fn new(out: Box<dyn Write + 'a>) -> Self {
        Self {
            writer: WriterBuilder::new().with_explicit_nulls(true).build(out),
        }
    }
}

impl RowSink for JsonSink<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> Result<()> {
        Ok(self.writer.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.writer.finish()?;
        Ok(self.writer.into_inner().flush()?)
    }
}
