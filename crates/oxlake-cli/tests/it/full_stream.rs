//! All 1,002,073 events of a year, in order and shuffled, end in the same table.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::Int64Type;
use oxlake::prelude::*;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const COMMITS: usize = 10;

fn events() -> RecordBatch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/flights/events.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = Arc::clone(reader.schema());
    let batches: Vec<RecordBatch> = reader
        .with_batch_size(65536)
        .build()
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let events = concat_batches(&schema, &batches).unwrap();
    assert_eq!(events.num_rows(), 1_002_073);
    events
}

/// The same order for every run: a walk over all rows with a step that has no common divisor with
/// their number.
fn shuffled(events: &RecordBatch) -> RecordBatch {
    const STEP: u64 = 619_907;
    let count = events.num_rows() as u64;
    let indices = UInt32Array::from_iter_values(
        (0..count).map(|row| u32::try_from(row * STEP % count).unwrap()),
    );
    take_record_batch(events, &indices).unwrap()
}

/// Upserts the events in ten commits and counts `(flights, cancelled, landed)` at the end.
async fn load(events: &RecordBatch, partition: &str) -> (i64, i64, i64) {
    let home = tempfile::tempdir().unwrap();
    let url = home.path().join("flights").display().to_string();
    let spec = TableSpec::new("flights")
        .record_key_fields(["flight_id"])
        .ordering_fields(["event_time"])
        .partition_fields([partition])
        .hive_style_partitioning(true)
        .with_columns(&events.schema())
        .unwrap();
    let table = Table::create(&url, spec).await.unwrap();
    let part = events.num_rows().div_ceil(COMMITS);
    for commit in 0..COMMITS {
        let start = commit * part;
        let rows = events.slice(start, part.min(events.num_rows() - start));
        // As a reader would hand them over.
        let batches: Vec<RecordBatch> = (0..rows.num_rows())
            .step_by(8192)
            .map(|at| rows.slice(at, 8192.min(rows.num_rows() - at)))
            .collect();
        table.upsert(batches).await.unwrap();
    }
    let text = format!(
        "select count(*), count(*) filter (where status = 'cancelled'), count(*) filter (where status = 'landed'),
                count(distinct flight_id)
         from '{url}'"
    );
    let answer = table
        .session()
        .sql(&text)
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    let count = |column: usize| {
        let column: &ArrayRef = answer[0].column(column);
        column.as_primitive::<Int64Type>().value(0)
    };
    assert_eq!(count(0), count(3), "a key is there twice");
    (count(0), count(1), count(2))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_year_in_order_ends_in_its_flights() {
    assert_eq!(
        load(&events(), "flight_date").await,
        (336_776, 8_255, 328_521)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_year_shuffled_ends_in_the_same_flights() {
    assert_eq!(
        load(&shuffled(&events()), "carrier").await,
        (336_776, 8_255, 328_521)
    );
}
