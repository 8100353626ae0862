//! Comma-separated values with a header line.

use std::error::Error as StdError;
use std::io::{BufReader, Cursor};
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::csv::reader::Format;
use arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};

use super::prefix::Prefixed;
use super::{BATCH_ROWS, Batches, known_type};

/// Records looked at to infer types.
const INFER_ROWS: usize = 10_000;

type Opened = (SchemaRef, Option<u64>, Batches);

/// Opens CSV: names from the header, types from `wanted` or else from the first records.
pub(super) fn open(
    reader: Prefixed,
    wanted: Option<&Schema>,
) -> Result<Opened, Box<dyn StdError + Send + Sync>> {
    let format = Format::default().with_header(true);
    let (inferred, _) = format.infer_schema(Cursor::new(reader.lines()), Some(INFER_ROWS))?;
    if inferred.fields().is_empty() {
        return Err("no header line".into());
    }
    let fields = inferred
        .fields()
        .iter()
        .map(|field| typed(field, wanted))
        .collect::<Vec<_>>();
    let schema = Arc::new(Schema::new(fields));
    let batches = ReaderBuilder::new(SchemaRef::clone(&schema))
        .with_format(format)
        .with_batch_size(BATCH_ROWS)
        .build(BufReader::new(reader.into_reader()))?;
    Ok((schema, None, Box::new(batches)))
}

fn typed(field: &FieldRef, wanted: Option<&Schema>) -> FieldRef {
    let known = wanted.and_then(|schema| schema.field_with_name(field.name()).ok());
    let data_type = known.map_or(field.data_type(), |known| known.data_type());
    Arc::new(Field::new(field.name(), known_type(data_type), true))
}
