//! JSON objects, one a line.

use std::error::Error as StdError;
use std::io::{BufReader, Cursor};
use std::sync::Arc;

use arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use arrow::json::ReaderBuilder;
use arrow::json::reader::infer_json_schema;

use super::prefix::Prefixed;
use super::{BATCH_ROWS, Batches, known_type};

/// Objects looked at to infer names and types.
const INFER_ROWS: usize = 10_000;

type Opened = (SchemaRef, Option<u64>, Batches);

/// Opens JSON lines: names and types from `wanted`, or from the first objects where it knows
/// nothing.
///
/// A field that neither knows is refused when it appears, so that nothing is lost in silence.
pub(super) fn open(
    reader: Prefixed,
    wanted: Option<&Schema>,
) -> Result<Opened, Box<dyn StdError + Send + Sync>> {
    let (inferred, _) = infer_json_schema(Cursor::new(reader.lines()), Some(INFER_ROWS))?;
    let known = wanted
        .map(|schema| schema.fields().clone())
        .unwrap_or_default();
    let mut fields: Vec<FieldRef> = known.iter().map(nullable).collect();
    for field in inferred.fields() {
        if known.find(field.name()).is_none() {
            fields.push(nullable(field));
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let batches = ReaderBuilder::new(SchemaRef::clone(&schema))
        .with_strict_mode(true)
        .with_batch_size(BATCH_ROWS)
        .build(BufReader::new(reader.into_reader()))?;
    Ok((schema, None, Box::new(batches)))
}

fn nullable(field: &FieldRef) -> FieldRef {
    Arc::new(Field::new(
        field.name(),
        known_type(field.data_type()),
        true,
    ))
}
