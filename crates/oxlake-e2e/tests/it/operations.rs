//! One table per operation.

use arrow::datatypes::{DataType, Field, Schema};
use oxlake::prelude::*;
use serde_json::{Value, json};

use crate::agree::holds;
use crate::table::{TestTable, loop_with_the_jvm};

pub(crate) fn trips() -> Schema {
    Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("rider", DataType::Utf8, true),
        Field::new("fare", DataType::Float64, true),
        Field::new("ts", DataType::Int64, true),
        Field::new("city", DataType::Utf8, true),
    ])
}

pub(crate) fn trip(id: &str, rider: &str, fare: f64, ts: i64, city: &str) -> Value {
    json!({"id": id, "rider": rider, "fare": fare, "ts": ts, "city": city})
}

pub(crate) fn first_trips() -> Vec<Value> {
    vec![
        trip("a", "ann", 10.5, 1, "oslo"),
        trip("b", "bob", 20.0, 1, "oslo"),
        trip("c", "cem", 30.25, 1, "lima"),
    ]
}

pub(crate) fn partitioned(name: &str) -> TableSpec {
    TableSpec::new(name)
        .record_key_fields(["id"])
        .ordering_fields(["ts"])
        .partition_fields(["city"])
        .hive_style_partitioning(true)
}

#[tokio::test]
async fn insert_into_a_new_table() {
    let table = TestTable::create(partitioned("inserted"), trips()).await;
    table.write(WriteOperation::Insert, &first_trips()).await;
    holds(&table, &first_trips()).await;
    let theirs = [
        trip("a", "ann", 11.0, 2, "oslo"),
        trip("d", "dan", 1.0, 1, "rome"),
    ];
    let ours = [
        trip("d", "dan", 2.0, 2, "rome"),
        trip("e", "eva", 3.0, 1, "oslo"),
    ];
    loop_with_the_jvm(&table, &theirs, &ours).await;
}

#[tokio::test]
async fn upsert_by_event_time_into_partitions() {
    let table = TestTable::create(partitioned("upserted"), trips()).await;
    table.write(WriteOperation::Upsert, &first_trips()).await;
    let second = [
        trip("a", "ann", 99.0, 0, "oslo"), // late: loses
        trip("b", "bob", 21.0, 1, "oslo"), // equal: wins
        trip("d", "dan", 1.0, 5, "oslo"),
        trip("d", "dan", 0.5, 4, "oslo"), // late within the batch: loses
    ];
    table.write(WriteOperation::Upsert, &second).await;
    let expected = [
        trip("a", "ann", 10.5, 1, "oslo"),
        trip("b", "bob", 21.0, 1, "oslo"),
        trip("c", "cem", 30.25, 1, "lima"),
        trip("d", "dan", 1.0, 5, "oslo"),
    ];
    holds(&table, &expected).await;
    let theirs = [
        trip("a", "ann", 12.0, 3, "oslo"),
        trip("c", "cem", 9.0, 0, "lima"),
    ];
    let ours = [
        trip("a", "ann", 13.0, 2, "oslo"),
        trip("c", "cem", 31.0, 2, "lima"),
    ];
    loop_with_the_jvm(&table, &theirs, &ours).await;
}

#[tokio::test]
async fn upsert_by_commit_time_with_a_complex_key_without_partitions() {
    let table = TestTable::create(
        TableSpec::new("by_commit").record_key_fields(["id", "rider"]),
        trips(),
    )
    .await;
    table.write(WriteOperation::Upsert, &first_trips()).await;
    let second = [
        trip("a", "ann", 99.0, 0, "oslo"),
        trip("a", "other", 1.0, 1, "oslo"),
    ];
    table.write(WriteOperation::Upsert, &second).await;
    let expected = [
        trip("a", "ann", 99.0, 0, "oslo"),
        trip("a", "other", 1.0, 1, "oslo"),
        trip("b", "bob", 20.0, 1, "oslo"),
        trip("c", "cem", 30.25, 1, "lima"),
    ];
    holds(&table, &expected).await;
    let theirs = [
        trip("b", "bob", 5.0, 0, "rome"),
        trip("z", "zoe", 1.0, 0, "oslo"),
    ];
    let ours = [
        trip("z", "zoe", 2.0, 0, "oslo"),
        trip("y", "yan", 2.0, 0, "oslo"),
    ];
    loop_with_the_jvm(&table, &theirs, &ours).await;
}

#[tokio::test]
async fn bulk_insert_and_upsert_after_it() {
    let table = TestTable::create(partitioned("bulk"), trips()).await;
    let rows: Vec<Value> = (0..500_u16)
        .map(|i| {
            trip(
                &format!("k{i:03}"),
                "r",
                f64::from(i),
                1,
                ["oslo", "lima"][usize::from(i) % 2],
            )
        })
        .collect();
    table.write(WriteOperation::BulkInsert, &rows).await;
    holds(&table, &rows).await;
    let theirs = [
        trip("k000", "jvm", 0.0, 2, "oslo"),
        trip("k001", "jvm", 1.0, 2, "lima"),
    ];
    let ours = [
        trip("k000", "us", 0.0, 3, "oslo"),
        trip("k499", "us", 1.0, 2, "lima"),
    ];
    loop_with_the_jvm(&table, &theirs, &ours).await;
}

#[tokio::test]
async fn delete_some_keys_and_a_whole_partition() {
    let table = TestTable::create(partitioned("deleted"), trips()).await;
    table.write(WriteOperation::Insert, &first_trips()).await;
    // The ordering value plays no part in a delete of ours: it is older here.
    let gone = [
        trip("a", "ann", 0.0, 0, "oslo"),
        trip("c", "cem", 0.0, 0, "lima"),
        trip("x", "x", 0.0, 0, "oslo"),
    ];
    table.write(WriteOperation::Delete, &gone).await;
    holds(&table, &[trip("b", "bob", 20.0, 1, "oslo")]).await;
    let theirs = [
        trip("a", "ann", 1.0, 5, "oslo"),
        trip("c", "cem", 2.0, 5, "lima"),
    ];
    let ours = [
        trip("b", "bob", 22.0, 6, "oslo"),
        trip("c", "cem", 3.0, 6, "lima"),
    ];
    loop_with_the_jvm(&table, &theirs, &ours).await;
}
