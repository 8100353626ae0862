//! The rows of the simulated table.

use std::sync::Arc;

use arrow::array::{Array, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use oxlake_testkit::model::{Key, Row};

/// A row: `city` is the partition, `id` the key, `ts` the ordering value and `note` the payload.
pub type SimRow = Row<String>;

/// A row of the partition `city`.
pub fn row(city: &str, id: &str, ts: i64, note: &str) -> SimRow {
    Row::new(city, id, ts, note.to_owned())
}

/// Columns of the table, without meta columns.
pub fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("ts", DataType::Int64, false),
        Field::new("note", DataType::Utf8, true),
        Field::new("city", DataType::Utf8, false),
    ]))
}

/// The rows as one batch.
pub fn batch(rows: &[SimRow]) -> RecordBatch {
    let texts = |of: fn(&SimRow) -> &str| -> Arc<dyn Array> {
        Arc::new(
            rows.iter()
                .map(|row| Some(of(row)))
                .collect::<StringArray>(),
        )
    };
    let times = rows
        .iter()
        .map(|row| Some(row.ordering))
        .collect::<Int64Array>();
    let columns = vec![
        texts(|row| &row.key),
        Arc::new(times),
        texts(|row| &row.payload),
        texts(|row| &row.partition),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// The keys as a batch for a delete.
pub(crate) fn key_batch(keys: &[Key]) -> RecordBatch {
    let schema = schema().project(&[0, 3]).unwrap();
    let ids = keys
        .iter()
        .map(|(_, id)| Some(id.as_str()))
        .collect::<StringArray>();
    let cities = keys
        .iter()
        .map(|(city, _)| Some(city.as_str()))
        .collect::<StringArray>();
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(ids), Arc::new(cities)]).unwrap()
}

/// The rows of a batch that was read with its meta columns. Checks that the meta columns agree with the others.
pub fn to_rows(batch: &RecordBatch) -> Vec<SimRow> {
    let text = |name: &str| {
        batch
            .column_by_name(name)
            .unwrap()
            .as_string::<i32>()
            .clone()
    };
    let times = batch
        .column_by_name("ts")
        .unwrap()
        .as_primitive::<Int64Type>()
        .clone();
    let (keys, partitions) = (text("_hoodie_record_key"), text("_hoodie_partition_path"));
    let (commits, ids, cities, notes) = (
        text("_hoodie_commit_time"),
        text("id"),
        text("city"),
        text("note"),
    );
    let rows = (0..batch.num_rows()).map(|at| {
        assert_eq!(
            (keys.value(at), partitions.value(at)),
            (ids.value(at), cities.value(at))
        );
        let mut row = row(
            cities.value(at),
            ids.value(at),
            times.value(at),
            notes.value(at),
        );
        commits.value(at).clone_into(&mut row.commit_time);
        row
    });
    rows.collect()
}
