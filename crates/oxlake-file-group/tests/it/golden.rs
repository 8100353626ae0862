//! Base files of the golden copy-on-write tables: our rows are the JVM's rows.
//!
//! Each row of a stored snapshot names the file it lies in, so no timeline is needed: every file named is
//! read under the types of the answer, and its rows are those the answer names it for.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Field, Fields, Float32Type, Float64Type, Int32Type,
    Int64Type, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType,
};
use bytes::Bytes;
use futures::TryStreamExt;
use oxlake_file_group::{BaseFileReader, ReadOptions};
use oxlake_model::{META_COLUMNS, Predicate};
use oxlake_storage::Storage;
use serde_json::{Value, json};

use crate::support::memory;

/// Tables whose answers differ from their files: the scan makes them the same, not the file reader.
const LEFT_OUT: [(&str, &str); 4] = [
    (
        "v9_key_partition_types",
        "a timestamp partition column is null in the answer, wrongly",
    ),
    (
        "v9_key_urlencoded_hive",
        "the empty partition value is null in the answer, from the path",
    ),
    (
        "v9_drop_partition_columns_cow",
        "partition columns come from the path",
    ),
    ("v9_no_meta_fields", "rows have no meta columns"),
];

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The base files of an archive by name, in a store of their own.
async fn base_files(archive: &[u8]) -> (Storage, BTreeMap<String, (String, u64)>) {
    let storage = memory();
    let mut files = BTreeMap::new();
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().to_owned();
        if entry.is_dir() || !name.ends_with(".parquet") || name.contains("/.hoodie/") {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let short = name.rsplit('/').next().unwrap().to_owned();
        files.insert(short, (name.clone(), bytes.len() as u64));
        storage.create(&name, Bytes::from(bytes)).await.unwrap();
    }
    (storage, files)
}

/// A type as Spark prints it.
fn spark_type(text: &str) -> DataType {
    let inside = |name: &str| {
        text.strip_prefix(name)?
            .strip_prefix('<')?
            .strip_suffix('>')
    };
    if let Some(inner) = inside("array") {
        return DataType::List(Arc::new(Field::new("element", spark_type(inner), true)));
    }
    if let Some(inner) = inside("map") {
        let parts = split(inner);
        let fields = vec![
            Field::new("key", spark_type(parts[0]), false),
            Field::new("value", spark_type(parts[1]), true),
        ];
        return DataType::Map(Arc::new(Field::new_struct("entries", fields, false)), false);
    }
    if let Some(inner) = inside("struct") {
        let fields: Fields = split(inner)
            .into_iter()
            .map(|field| {
                let (name, data_type) = field.split_once(':').unwrap();
                Field::new(name, spark_type(data_type), true)
            })
            .collect();
        return DataType::Struct(fields);
    }
    if let Some(inner) = text
        .strip_prefix("decimal(")
        .and_then(|t| t.strip_suffix(')'))
    {
        let (precision, scale) = inner.split_once(',').unwrap();
        return DataType::Decimal128(precision.parse().unwrap(), scale.parse().unwrap());
    }
    match text {
        "string" => DataType::Utf8,
        "int" => DataType::Int32,
        "bigint" => DataType::Int64,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        "boolean" => DataType::Boolean,
        "binary" => DataType::Binary,
        "date" => DataType::Date32,
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        "timestamp_ntz" => DataType::Timestamp(TimeUnit::Microsecond, None),
        other => panic!("unknown type {other}"),
    }
}

/// Splits at the commas that are not inside brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A value as `fixtures/golden/README.md` writes it.
fn encode(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float32 => number(f64::from(array.as_primitive::<Float32Type>().value(row))),
        DataType::Float64 => number(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(row);
            json!(
                bytes
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect::<Vec<_>>()
                    .concat()
            )
        }
        DataType::Decimal128(_, _) => {
            json!(array.as_primitive::<Decimal128Type>().value_as_string(row))
        }
        DataType::Date32 => {
            json!(
                array
                    .as_primitive::<Date32Type>()
                    .value_as_date(row)
                    .unwrap()
                    .to_string()
            )
        }
        DataType::Timestamp(_, zone) => {
            let stamps = array.as_primitive::<TimestampMicrosecondType>();
            let time = stamps.value_as_datetime(row).unwrap();
            let suffix = if zone.is_some() { "Z" } else { "" };
            json!(format!("{}{suffix}", time.format("%Y-%m-%dT%H:%M:%S%.6f")))
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            (0..items.len()).map(|item| encode(&items, item)).collect()
        }
        DataType::Map(_, _) => {
            let map = array.as_map().value(row);
            let mut entries: Vec<Value> = (0..map.len())
                .map(|at| json!([encode(map.column(0), at), encode(map.column(1), at)]))
                .collect();
            entries.sort_by_key(|entry| entry[0].to_string());
            entries.into()
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let pairs = fields.iter().zip(columns);
            pairs
                .map(|(field, column)| (field.name().clone(), encode(column, row)))
                .collect()
        }
        other => panic!("no encoding of {other}"),
    }
}

fn number(value: f64) -> Value {
    if value.is_nan() {
        return json!("NaN");
    }
    match value {
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        value => json!(value),
    }
}

fn encoded_rows(batches: &[RecordBatch]) -> Vec<Value> {
    let mut rows: Vec<Value> = Vec::new();
    for batch in batches {
        rows.extend((0..batch.num_rows()).map(|row| -> Value {
            batch
                .columns()
                .iter()
                .map(|column| encode(column, row))
                .collect()
        }));
    }
    sorted(rows)
}

/// Rows sorted by their text; integral floats are printed alike, however they were stored.
fn sorted(rows: Vec<Value>) -> Vec<Value> {
    fn plain(value: Value) -> Value {
        match value {
            Value::Number(number) if number.is_f64() => json!(number.to_string()),
            Value::Number(number) => json!(format!("{:?}", number.as_f64().unwrap())),
            Value::Array(items) => items.into_iter().map(plain).collect(),
            Value::Object(map) => map
                .into_iter()
                .map(|(key, value)| (key, plain(value)))
                .collect(),
            other => other,
        }
    }
    let mut rows: Vec<Value> = rows.into_iter().map(plain).collect();
    rows.sort_by_key(Value::to_string);
    rows
}

fn schema_of(query: &Value) -> SchemaRef {
    let names = query["columns"].as_array().unwrap();
    let types = query["types"].as_array().unwrap();
    let fields: Vec<Field> = names
        .iter()
        .zip(types)
        .map(|(name, t)| {
            Field::new(
                name.as_str().unwrap(),
                spark_type(t.as_str().unwrap()),
                true,
            )
        })
        .collect();
    Arc::new(Schema::new(fields))
}

/// Rows of an answer by the base file they name.
fn rows_by_file(query: &Value) -> BTreeMap<String, Vec<Value>> {
    let file_name = query["columns"]
        .as_array()
        .unwrap()
        .iter()
        .position(|c| c == META_COLUMNS[4]);
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in query["rows"].as_array().into_iter().flatten() {
        let name = file_name
            .and_then(|at| row[at].as_str())
            .unwrap_or_default();
        if name.ends_with(".parquet") {
            files.entry(name.to_owned()).or_default().push(row.clone());
        }
    }
    files
}

async fn read(storage: &Storage, file: &(String, u64), options: &ReadOptions) -> Vec<RecordBatch> {
    let reader = BaseFileReader::open_path(storage, &file.0, file.1)
        .await
        .unwrap();
    reader.read(options).unwrap().try_collect().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_every_snapshot_is_read_as_the_jvm_reads_it() {
    let mut seen = (0, 0, 0);
    for entry in std::fs::read_dir(fixtures().join("golden")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let left_out = LEFT_OUT.iter().any(|(table, _)| name.starts_with(table));
        if path.extension().is_none_or(|e| e != "json") || left_out {
            continue;
        }
        let answer: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        if answer["table_type"] != "COPY_ON_WRITE" {
            continue;
        }
        let (storage, files) =
            base_files(&std::fs::read(path.with_extension("zip")).unwrap()).await;
        let queries = answer["queries"].as_array().unwrap();
        for query in queries.iter().filter(|query| query["kind"] == "snapshot") {
            let schema = schema_of(query);
            for (file, rows) in rows_by_file(query) {
                // A file that cleaning took away after the query.
                let Some(place) = files.get(&file) else {
                    continue;
                };
                let found = read(&storage, place, &ReadOptions::new(Arc::clone(&schema))).await;
                assert_eq!(encoded_rows(&found), sorted(rows), "{name}: {file}");
                seen.1 += 1;
                seen.2 += found.iter().map(RecordBatch::num_rows).sum::<usize>();
            }
        }
        seen.0 += 1;
    }
    // Tables, files, rows: the test would be worth nothing if it looked at nothing.
    assert!(seen.0 >= 40 && seen.1 >= 90 && seen.2 >= 170, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_footer_knows_all_keys_of_its_file() {
    let mut filters = 0;
    for folder in ["golden", "golden-metadata"] {
        for entry in std::fs::read_dir(fixtures().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "zip") {
                continue;
            }
            let (storage, files) = base_files(&std::fs::read(&path).unwrap()).await;
            let key = Field::new(META_COLUMNS[2], DataType::Utf8, true);
            let options = ReadOptions::new(Arc::new(Schema::new(vec![key])));
            for (name, place) in files {
                let reader = BaseFileReader::open_path(&storage, &place.0, place.1)
                    .await
                    .unwrap();
                let footer = reader.footer().unwrap();
                let batches: Vec<RecordBatch> =
                    reader.read(&options).unwrap().try_collect().await.unwrap();
                let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
                assert_eq!(rows as u64, footer.row_count, "{name}");
                if let Some(avro) = &footer.avro_schema {
                    oxlake_avro::Schema::parse(avro).unwrap();
                }
                filters += usize::from(footer.bloom.is_some());
                for key in batches
                    .iter()
                    .flat_map(|b| b.column(0).as_string::<i32>())
                    .flatten()
                {
                    assert!(footer.may_contain(key), "{name}: {key}");
                    assert!(footer.bloom.is_none() || !footer.may_contain(&format!("{key}?")));
                }
            }
        }
    }
    assert!(filters > 300, "{filters}");
}

#[tokio::test]
async fn conditions_and_commit_times_are_pushed_into_a_real_file() {
    let archive = std::fs::read(fixtures().join("golden/v9_types_cow.zip")).unwrap();
    let (storage, files) = base_files(&archive).await;
    for place in files.values() {
        let reader = BaseFileReader::open_path(&storage, &place.0, place.1)
            .await
            .unwrap();
        let schema = Arc::clone(reader.file_schema());
        let wanted = Arc::new(schema.project(&[2]).unwrap());
        let all = ReadOptions::new(Arc::clone(&wanted));
        let of = |predicate| all.clone().with_predicate(predicate, Arc::clone(&schema));
        let count = async |options: &ReadOptions| {
            let batches: Vec<RecordBatch> =
                reader.read(options).unwrap().try_collect().await.unwrap();
            batches.iter().map(RecordBatch::num_rows).sum::<usize>()
        };
        let nulls = count(&of(Predicate::IsNull("st.inner.b".into()))).await;
        let values = count(&of(Predicate::IsNotNull("st.inner.b".into()))).await;
        assert_eq!(nulls + values, count(&all).await);
        let none = all
            .clone()
            .with_commit_times(Arc::new(["1".to_owned()].into()));
        assert_eq!(count(&none).await, 0);
        assert!(reader.row_groups(&none).unwrap().is_empty());
    }
}
