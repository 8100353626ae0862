//! Layouts that other writers make: lists, maps, decimals and timestamps in all their forms.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use arrow::util::pretty::pretty_format_batches;
use bytes::Bytes;
use oxlake_file_group::{Error, ReadOptions, Result};
use oxlake_storage::Storage;
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType as ParquetType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::support::{memory, open, read};

type RowGroup<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

/// Writes one row group with the columns that `fill` writes.
async fn file(message: &str, fill: impl FnOnce(&mut RowGroup<'_>)) -> Storage {
    let schema = Arc::new(parse_message_type(message).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    fill(&mut group);
    group.close().unwrap();
    let storage = memory();
    storage
        .create("f.parquet", Bytes::from(writer.into_inner().unwrap()))
        .await
        .unwrap();
    storage
}

fn column<T: ParquetType>(
    group: &mut RowGroup<'_>,
    values: &[T::T],
    definitions: Option<&[i16]>,
    repetitions: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<T>()
        .write_batch(values, definitions, repetitions)
        .unwrap();
    column.close().unwrap();
}

fn wanted(fields: Vec<Field>) -> SchemaRef {
    Arc::new(Schema::new(fields))
}

fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("element", item, true)))
}

async fn answer(storage: &Storage, schema: SchemaRef) -> Result<RecordBatch> {
    read(&open(storage).await?, &ReadOptions::new(schema)).await
}

fn check(found: &RecordBatch, expected: &str) {
    let text = pretty_format_batches(std::slice::from_ref(found))
        .unwrap()
        .to_string();
    assert_eq!(text.trim(), expected.trim());
}

#[tokio::test]
async fn every_layout_of_a_list_is_read() {
    for message in [
        "message m { optional group a (LIST) { repeated int32 array; } }",
        "message m { optional group a (LIST) { repeated group bag { optional int32 array_element; } } }",
        "message m { optional group a (LIST) { repeated group list { optional int32 element; } } }",
        "message m { optional group a (LIST) { repeated group list { required int32 element; } } }",
        "message m { repeated int32 a; }",
    ] {
        let optional_item = message.contains("optional int32");
        let optional_list = message.contains("optional group");
        let full = 1 + i16::from(optional_list) + i16::from(optional_item);
        let empty = i16::from(optional_list);
        let storage = file(message, |group| {
            column::<Int32Type>(
                group,
                &[1, 2, 3],
                Some(&[full, full, empty, full]),
                Some(&[0, 1, 0, 0]),
            );
        })
        .await;
        let schema = wanted(vec![Field::new("a", list(DataType::Int64), true)]);
        check(
            &answer(&storage, schema).await.unwrap(),
            "
+--------+
| a      |
+--------+
| [1, 2] |
| []     |
| [3]    |
+--------+",
        );
    }
}

#[tokio::test]
async fn two_level_lists_of_structs_and_lists_are_read() {
    let message = "message m {
        optional group s (LIST) { repeated group array { optional int32 x; optional binary y (STRING); } }
        optional group one (LIST) { repeated group array { optional int32 x; } }
        optional group l (LIST) { repeated group array (LIST) { repeated int32 array; } }
    }";
    let storage = file(message, |group| {
        column::<Int32Type>(group, &[1, 2], Some(&[3, 3, 0]), Some(&[0, 1, 0]));
        column::<ByteArrayType>(
            group,
            &[ByteArray::from("a")],
            Some(&[3, 2, 0]),
            Some(&[0, 1, 0]),
        );
        column::<Int32Type>(group, &[7], Some(&[3, 2, 1]), Some(&[0, 1, 0]));
        column::<Int32Type>(group, &[1, 2, 3], Some(&[3, 3, 3, 2]), Some(&[0, 2, 1, 0]));
    })
    .await;
    let item = |fields: Vec<Field>| list(DataType::Struct(fields.into()));
    let schema = wanted(vec![
        Field::new(
            "s",
            item(vec![
                Field::new("y", DataType::Utf8, true),
                Field::new("new", DataType::Int32, true),
                Field::new("x", DataType::Float64, true),
            ]),
            true,
        ),
        Field::new(
            "one",
            item(vec![Field::new("x", DataType::Int32, true)]),
            true,
        ),
        Field::new("l", list(list(DataType::Int32)), true),
    ]);
    check(
        &answer(&storage, schema).await.unwrap(),
        "
+-----------------------------------------------+-----------------+---------------+
| s                                             | one             | l             |
+-----------------------------------------------+-----------------+---------------+
| [{y: a, new: , x: 1.0}, {y: , new: , x: 2.0}] | [{x: 7}, {x: }] | [[1, 2], [3]] |
|                                               | []              | [[]]          |
+-----------------------------------------------+-----------------+---------------+",
    );
}

#[tokio::test]
async fn maps_are_read_with_old_and_new_names() {
    for message in [
        "message m { optional group m (MAP) { repeated group key_value (MAP_KEY_VALUE) { required binary key (STRING); optional int32 value; } } }",
        "message m { optional group m (MAP_KEY_VALUE) { repeated group map { required binary key (STRING); optional int32 value; } } }",
        "message m { optional group m (MAP) { repeated group entries { required binary k (STRING); optional int32 v; } } }",
    ] {
        let storage = file(message, |group| {
            let keys = [ByteArray::from("a"), ByteArray::from("b")];
            column::<ByteArrayType>(group, &keys, Some(&[2, 2, 1, 0]), Some(&[0, 1, 0, 0]));
            column::<Int32Type>(group, &[1], Some(&[3, 2, 1, 0]), Some(&[0, 1, 0, 0]));
        })
        .await;
        let entries = Field::new_struct(
            "entries",
            vec![
                Field::new("key", DataType::Utf8, false),
                Field::new("value", DataType::Int64, true),
            ],
            false,
        );
        let schema = wanted(vec![Field::new(
            "m",
            DataType::Map(Arc::new(entries), false),
            true,
        )]);
        check(
            &answer(&storage, schema).await.unwrap(),
            "
+-------------+
| m           |
+-------------+
| {a: 1, b: } |
| {}          |
|             |
+-------------+",
        );
    }
}

#[tokio::test]
async fn decimals_are_read_from_every_physical_type() {
    let message = "message m {
        required int32 a (DECIMAL(9,2));
        required int64 b (DECIMAL(18,2));
        required fixed_len_byte_array(3) c (DECIMAL(6,2));
        required binary d (DECIMAL(20,2));
    }";
    let storage = file(message, |group| {
        column::<Int32Type>(group, &[-150], None, None);
        column::<Int64Type>(group, &[-150], None, None);
        let fixed: FixedLenByteArray = ByteArray::from(vec![0xff, 0xff, 0x6a]).into();
        column::<FixedLenByteArrayType>(group, &[fixed], None, None);
        column::<ByteArrayType>(group, &[ByteArray::from(vec![0xff, 0x6a])], None, None);
    })
    .await;
    let decimal = |name| Field::new(name, DataType::Decimal128(20, 3), true);
    let schema = wanted(vec![decimal("a"), decimal("b"), decimal("c"), decimal("d")]);
    check(
        &answer(&storage, schema).await.unwrap(),
        "
+--------+--------+--------+--------+
| a      | b      | c      | d      |
+--------+--------+--------+--------+
| -1.500 | -1.500 | -1.500 | -1.500 |
+--------+--------+--------+--------+",
    );
}

#[tokio::test]
async fn old_timestamps_are_read_far_beyond_nanoseconds() {
    let message = "message m { required int96 t; }";
    let storage = file(message, |group| {
        // 0001-01-01 and 1970-01-01T00:00:01: nanoseconds of the day, Julian day.
        let stamp = |day: u32, nanos: u64| {
            let mut value = Int96::new();
            let low = u32::try_from(nanos & 0xffff_ffff).unwrap();
            value.set_data(low, u32::try_from(nanos >> 32).unwrap(), day);
            value
        };
        column::<Int96Type>(
            group,
            &[stamp(1_721_426, 0), stamp(2_440_588, 1_000_000_000)],
            None,
            None,
        );
    })
    .await;
    let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let schema = wanted(vec![Field::new("t", utc, true)]);
    check(
        &answer(&storage, schema).await.unwrap(),
        "
+----------------------+
| t                    |
+----------------------+
| 0001-01-01T00:00:00Z |
| 1970-01-01T00:00:01Z |
+----------------------+",
    );
}

#[tokio::test]
async fn promotions_and_missing_columns() {
    let message = "message m {
        required int32 i; required float f; required double d; required int32 day (DATE);
        required binary e (ENUM); required binary raw; required int64 l; required binary n (STRING);
        required int64 ts (TIMESTAMP(MICROS,true));
    }";
    let storage = file(message, |group| {
        column::<Int32Type>(group, &[7], None, None);
        column::<FloatType>(group, &[0.1], None, None);
        column::<DoubleType>(group, &[1e10], None, None);
        column::<Int32Type>(group, &[19_000], None, None);
        column::<ByteArrayType>(group, &[ByteArray::from("RED")], None, None);
        column::<ByteArrayType>(group, &[ByteArray::from("text")], None, None);
        column::<Int64Type>(group, &[5], None, None);
        column::<ByteArrayType>(group, &[ByteArray::from("2.005")], None, None);
        column::<Int64Type>(group, &[1_700], None, None);
    })
    .await;
    let schema = wanted(vec![
        Field::new("i", DataType::Float32, true),
        Field::new("f", DataType::Float64, true),
        Field::new("d", DataType::Utf8, true),
        Field::new("day", DataType::Utf8, true),
        Field::new("e", DataType::Utf8, true),
        Field::new("raw", DataType::Utf8, true),
        Field::new("l", DataType::Decimal128(10, 2), true),
        Field::new("n", DataType::Decimal128(10, 2), true),
        Field::new(
            "ts",
            DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            true,
        ),
        Field::new("added", list(DataType::Int32), true),
    ]);
    check(
        &answer(&storage, schema).await.unwrap(),
        "
+-----+-----+--------+------------+-----+------+------+------+--------------------------+-------+
| i   | f   | d      | day        | e   | raw  | l    | n    | ts                       | added |
+-----+-----+--------+------------+-----+------+------+------+--------------------------+-------+
| 7.0 | 0.1 | 1.0E10 | 2022-01-08 | RED | text | 5.00 | 2.01 | 1970-01-01T00:00:01.700Z |       |
+-----+-----+--------+------------+-----+------+------+------+--------------------------+-------+",
    );
    let required = wanted(vec![Field::new("added", DataType::Int32, false)]);
    let error = answer(&storage, required).await.unwrap_err();
    assert!(matches!(error, Error::MissingColumn { column, .. } if column == "added"));
    let narrow = wanted(vec![Field::new("l", DataType::Int32, true)]);
    let error = answer(&storage, narrow).await.unwrap_err();
    assert!(matches!(error, Error::Promotion { column, .. } if column == "l"));
    let date = wanted(vec![Field::new("n", DataType::Date32, true)]);
    let error = answer(&storage, date).await.unwrap_err();
    assert!(
        matches!(&error, Error::Value { column, .. } if column == "n"),
        "{error}"
    );
}

#[tokio::test]
async fn columns_of_the_path_are_constant_and_no_column_at_all_counts_rows() {
    let message = "message m { required int32 i; }";
    let storage = file(message, |group| {
        column::<Int32Type>(group, &[1, 2, 3], None, None);
    })
    .await;
    let reader = open(&storage).await.unwrap();
    let schema = wanted(vec![
        Field::new("day", DataType::Date32, true),
        Field::new("i", DataType::Int32, true),
        Field::new("city", DataType::Utf8, true),
        Field::new("none", DataType::Int64, true),
    ]);
    let options = ReadOptions::new(Arc::clone(&schema))
        .with_constant("day", Some("2022-01-08".to_owned()))
        .with_constant("city", Some("nyc".to_owned()))
        .with_constant("none", None)
        .with_predicate(
            oxlake_model::Predicate::compare("i", oxlake_model::CompareOp::Gt, 1),
            schema,
        );
    check(
        &read(&reader, &options).await.unwrap(),
        "
+------------+---+------+------+
| day        | i | city | none |
+------------+---+------+------+
| 2022-01-08 | 2 | nyc  |      |
| 2022-01-08 | 3 | nyc  |      |
+------------+---+------+------+",
    );
    let nothing = ReadOptions::new(wanted(vec![]));
    let mut rows = 0;
    let mut batches = reader.read(&nothing).unwrap();
    while let Some(batch) = futures::StreamExt::next(&mut batches).await {
        rows += batch.unwrap().num_rows();
    }
    assert_eq!(rows, 3);
    let bad = ReadOptions::new(wanted(vec![Field::new("day", DataType::Date32, true)]))
        .with_constant("day", Some("yesterday".to_owned()));
    assert!(matches!(reader.read(&bad), Err(Error::Value { .. })));
    let unknown = ReadOptions::new(wanted(vec![]))
        .with_predicate(oxlake_model::Predicate::eq("nope", 1), wanted(vec![]));
    assert!(matches!(
        reader.read(&unknown),
        Err(Error::UnknownColumn { .. })
    ));
}

#[tokio::test]
async fn a_required_struct_below_a_null_one_is_read() {
    let message = "message m { optional group a { required group b { required int32 c; } } }";
    let storage = file(message, |group| {
        column::<Int32Type>(group, &[1, 2], Some(&[1, 0, 1]), None);
    })
    .await;
    let required = |name, fields: Vec<Field>| Field::new_struct(name, fields, false);
    let c = Field::new("c", DataType::Int64, false);
    let inner = required("b", vec![c]);
    let schema = wanted(vec![Field::new_struct("a", vec![inner], true)]);
    check(
        &answer(&storage, schema).await.unwrap(),
        "
+-------------+
| a           |
+-------------+
| {b: {c: 1}} |
|             |
| {b: {c: 2}} |
+-------------+",
    );
}
