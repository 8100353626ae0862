//! A table of every column type: values, edges, nulls.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, Schema, TimeUnit};
use oxlake::prelude::*;
use serde_json::{Value, json};

use crate::agree::{agree, snapshots_agree};
use crate::table::{TestTable, accepted};

fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

fn structure(fields: Vec<Field>) -> DataType {
    DataType::Struct(Fields::from(fields))
}

fn map(value: DataType) -> DataType {
    let entries = structure(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", value, true),
    ]);
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}

fn schema() -> Schema {
    let point = structure(vec![
        Field::new("x", DataType::Int32, true),
        Field::new("label", DataType::Utf8, true),
    ]);
    let nested = structure(vec![
        Field::new("a", DataType::Int64, true),
        Field::new(
            "b",
            structure(vec![Field::new("c", DataType::Utf8, true)]),
            true,
        ),
        Field::new("d", list(DataType::Utf8), true),
    ]);
    Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("flag", DataType::Boolean, true),
        Field::new("small", DataType::Int32, true),
        Field::new("big", DataType::Int64, true),
        Field::new("single", DataType::Float32, true),
        Field::new("double", DataType::Float64, true),
        Field::new("money", DataType::Decimal128(10, 2), true),
        Field::new("wide", DataType::Decimal128(38, 6), true),
        Field::new("text", DataType::Utf8, true),
        Field::new("bytes", DataType::Binary, true),
        Field::new("day", DataType::Date32, true),
        Field::new(
            "at",
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            true,
        ),
        Field::new(
            "local",
            DataType::Timestamp(TimeUnit::Microsecond, None),
            true,
        ),
        Field::new("numbers", list(DataType::Int32), true),
        Field::new("points", list(point), true),
        Field::new("nested", nested, true),
        Field::new("tags", map(DataType::Utf8), true),
        Field::new("lists", map(list(DataType::Int64)), true),
        Field::new("ts", DataType::Int64, true),
    ])
}

fn full(id: &str, ts: i64) -> Value {
    json!({
        "id": id, "flag": true, "small": -2_147_483_648_i64, "big": i64::MAX, "single": 1.5, "double": -0.1,
        "money": "-12345678.90", "wide": "12345678901234567890123456789012.345678", "text": "é日本 \"quoted\"\n",
        "bytes": "00ff10", "day": "1969-12-31", "at": "2026-01-31T10:00:00.123456Z", "local": "0001-01-01T00:00:00.000001",
        "numbers": [1, 2, 3], "points": [{"x": 1, "label": "one"}, {"x": null, "label": null}],
        "nested": {"a": 1, "b": {"c": "deep"}, "d": ["x", ""]}, "tags": {"k": "v", "a": null},
        "lists": {"l": [1, 2]}, "ts": ts,
    })
}

fn empty(id: &str, ts: i64) -> Value {
    json!({"id": id, "numbers": [], "points": [], "tags": {}, "ts": ts})
}

/// Every column null but the key.
fn nulls(id: &str) -> Value {
    json!({"id": id})
}

#[tokio::test]
async fn every_type_is_read_alike() {
    let spec = TableSpec::new("types")
        .record_key_fields(["id"])
        .ordering_fields(["ts"]);
    let table = TestTable::create(spec, schema()).await;
    table
        .write(
            WriteOperation::Insert,
            &[full("full", 1), empty("empty", 1), nulls("nulls")],
        )
        .await;
    let mut jvm = oxlake_testkit::JvmOracle::shared().unwrap();
    snapshots_agree(&table, &mut jvm).await;

    table
        .write(
            WriteOperation::Upsert,
            &[full("empty", 2), empty("full", 2)],
        )
        .await;
    agree(&table, &mut jvm).await;

    let mut theirs = full("theirs", 3);
    theirs["tags"] = json!([["k", "v"], ["a", null]]);
    theirs["lists"] = json!([["l", [1, 2]]]);
    table.write_with(&mut jvm, &[theirs]);
    snapshots_agree(&table, &mut jvm).await;

    table
        .write(
            WriteOperation::Upsert,
            &[full("theirs", 4), full("nulls", 4)],
        )
        .await;
    agree(&table, &mut jvm).await;
    accepted(&table, &mut jvm);
}
