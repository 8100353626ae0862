//! More rows than memory, several files, several partitions.

use oxlake_config::TableSpec;
use oxlake_env::{Env, Limits};
use oxlake_write::WriteOperation;

use crate::fixture::{Fixture, rows, spec};

fn small_memory() -> Env {
    let limits = Limits {
        memory_bytes: 64 << 10,
        write_concurrency: 3,
        ..Limits::by_cores()
    };
    Env::system().with_limits(limits)
}

type Owned = (String, String, i64, String);

fn batches(rows_of: &[Owned]) -> Vec<arrow::array::RecordBatch> {
    let chunks = rows_of.chunks(500).map(|chunk| {
        let borrowed: Vec<_> = chunk
            .iter()
            .map(|(id, city, ts, note)| (id.as_str(), city.as_str(), *ts, note.as_str()))
            .collect();
        rows(&borrowed)
    });
    chunks.collect()
}

fn generate(count: i64, cities: i64, ts: i64) -> Vec<Owned> {
    let row = |n: i64| {
        (
            format!("key-{n:06}"),
            format!("c{}", n % cities),
            ts,
            format!("note {n} at {ts}"),
        )
    };
    (0..count).map(row).collect()
}

fn sorted(mut rows: Vec<Owned>) -> Vec<Owned> {
    rows.sort();
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_larger_than_memory_spills_and_arrives_whole() {
    let table = Fixture::with_env(spec(), small_memory()).await;
    let first = generate(20_000, 3, 1);
    let (_, stats) = table
        .write(WriteOperation::Upsert, &[], batches(&first))
        .await;
    assert!(stats.spilled_bytes > 500_000, "{stats:?}");
    assert_eq!(stats.inserted_count, 20_000);
    let mut second = generate(10_000, 3, 2);
    second.extend(generate(10_000, 3, 0));
    let (_, stats) = table
        .write(WriteOperation::Upsert, &[], batches(&second))
        .await;
    assert_eq!((stats.inserted_count, stats.updated_count), (0, 10_000));
    let mut expected = generate(10_000, 3, 2);
    expected.extend(first.into_iter().skip(10_000));
    assert_eq!(table.snapshot().await, sorted(expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_cut_at_their_size_and_updates_find_all_of_them() {
    let spec = TableSpec::new("t")
        .record_key_fields(["id"])
        .ordering_fields(["ts"]);
    let table = Fixture::with_env(spec, small_memory()).await;
    let options = [
        ("hoodie.parquet.max.file.size", "40000"),
        ("hoodie.parquet.small.file.limit", "0"),
        ("hoodie.copyonwrite.record.size.estimate", "20"),
        ("hoodie.index.type", "BLOOM"),
    ];
    let first = generate(10_000, 1, 1);
    let (_, stats) = table
        .write(WriteOperation::BulkInsert, &options, batches(&first))
        .await;
    assert!(stats.file_count >= 4, "{stats:?}");
    let update: Vec<Owned> = generate(10_000, 1, 2).into_iter().step_by(3).collect();
    let (_, stats) = table
        .write(WriteOperation::Upsert, &options, batches(&update))
        .await;
    assert_eq!(
        (stats.updated_count, stats.inserted_count),
        (update.len() as u64, 0)
    );
    let keys: Vec<Owned> = generate(10_000, 1, 2)
        .into_iter()
        .skip(1)
        .step_by(3)
        .collect();
    let (_, stats) = table
        .write(WriteOperation::Delete, &options, batches(&keys))
        .await;
    assert_eq!(stats.deleted_count, keys.len() as u64);
    let mut expected = update;
    expected.extend(generate(10_000, 1, 1).into_iter().skip(2).step_by(3));
    assert_eq!(table.snapshot().await, sorted(expected));
}
