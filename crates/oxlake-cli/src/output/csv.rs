//! Rows as comma-separated values.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::RowSink;
use crate::error::Result;

/// Writes a header line and the rows; nested values become text, nulls empty fields.
pub(super) struct CsvSink<'a> {
    schema: SchemaRef,
    writer: Writer<Box<dyn Write + 'a>>,
}

impl<'a> CsvSink<'a> {
    pub(super) fn new(schema: &SchemaRef, out: Box<dyn Write + 'a>) -> Result<Self> {
        let fields = schema.fields().iter().map(|field| {
            if is_flat(field.data_type()) {
                Arc::clone(field)
            } else {
                Arc::new(Field::new(field.name(), DataType::Utf8, true))
            }
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut writer = WriterBuilder::new().with_header(true).build(out);
        writer.write(&RecordBatch::new_empty(Arc::clone(&schema)))?;
        Ok(Self { schema, writer })
    }
}

impl RowSink for CsvSink<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns = batch
            .columns()
            .iter()
            .map(flat_column)
            .collect::<Result<Vec<_>>>()?;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        Ok(self.writer.write(&batch)?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(self.writer.into_inner().flush()?)
    }
}

fn is_flat(data_type: &DataType) -> bool {
    !data_type.is_nested()
}

fn flat_column(column: &ArrayRef) -> Result<ArrayRef> {
    if is_flat(column.data_type()) {
        return Ok(Arc::clone(column));
    }
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(column, &options)?;
    let texts = (0..column.len())
        .map(|row| {
            let is_valid = column.is_valid(row);
            is_valid
                .then(|| formatter.value(row).try_to_string())
                .transpose()
        })
        .collect::<Result<StringArray, _>>()?;
    Ok(Arc::new(texts))
}
