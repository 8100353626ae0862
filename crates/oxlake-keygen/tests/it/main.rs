//! Keys and paths of the golden tables' rows, made from the stored rows and compared with the stored keys.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::from_iter_instead_of_collect
)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit};
use oxlake_config::{Properties, TableConfig};
use oxlake_keygen::{KeyGenerator, partition_values};
use serde_json::Value;

fn fixture(name: &str, extension: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/golden");
    folder.join(format!("{name}.{extension}"))
}

fn table(name: &str) -> TableConfig {
    let file = std::fs::File::open(fixture(name, "zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut bytes = Vec::new();
    let path = format!("{name}/.hoodie/hoodie.properties");
    archive
        .by_name(&path)
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    TableConfig::try_from_properties(Properties::parse(&bytes).unwrap()).unwrap()
}

/// The answer to the first snapshot query.
struct Answer {
    columns: Vec<String>,
    types: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Answer {
    fn of(name: &str) -> Self {
        let json: Value =
            serde_json::from_slice(&std::fs::read(fixture(name, "json")).unwrap()).unwrap();
        let query = json["queries"]
            .as_array()
            .unwrap()
            .iter()
            .find(|q| q["kind"] == "snapshot")
            .unwrap();
        let texts = |key: &str| {
            query[key]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_str().unwrap().to_owned())
                .collect()
        };
        let rows = query["rows"].as_array().unwrap();
        Self {
            columns: texts("columns"),
            types: texts("types"),
            rows: rows
                .iter()
                .map(|row| row.as_array().unwrap().clone())
                .collect(),
        }
    }

    fn column(&self, name: &str) -> Vec<&Value> {
        let at = self
            .columns
            .iter()
            .position(|column| column == name)
            .unwrap();
        self.rows.iter().map(|row| &row[at]).collect()
    }

    fn texts(&self, name: &str) -> Vec<Option<&str>> {
        self.column(name).into_iter().map(Value::as_str).collect()
    }

    /// The rows without meta columns.
    fn batch(&self) -> RecordBatch {
        let own = self
            .columns
            .iter()
            .zip(&self.types)
            .filter(|(name, _)| !name.starts_with("_hoodie_"));
        let columns = own.map(|(name, kind)| (name, array(kind, &self.column(name)), true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }
}

fn array(kind: &str, values: &[&Value]) -> ArrayRef {
    let texts = || StringArray::from_iter(values.iter().map(|v| v.as_str()));
    match kind {
        "int" => Arc::new(Int32Array::from_iter(
            values
                .iter()
                .map(|v| v.as_i64().map(|v| i32::try_from(v).unwrap())),
        )),
        "bigint" => Arc::new(Int64Array::from_iter(values.iter().map(|v| v.as_i64()))),
        "double" => Arc::new(Float64Array::from_iter(values.iter().map(|v| v.as_f64()))),
        #[allow(clippy::cast_possible_truncation)]
        "float" => Arc::new(Float32Array::from_iter(
            values.iter().map(|v| v.as_f64().map(|v| v as f32)),
        )),
        "boolean" => Arc::new(BooleanArray::from_iter(values.iter().map(|v| v.as_bool()))),
        "string" => Arc::new(texts()),
        "date" => Arc::new(
            cast(&texts(), &DataType::Date32)
                .unwrap()
                .as_any()
                .downcast_ref::<Date32Array>()
                .unwrap()
                .clone(),
        ),
        "timestamp" => {
            let micros = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
            let values = cast(&texts(), &micros).unwrap();
            Arc::new(
                values
                    .as_any()
                    .downcast_ref::<TimestampMicrosecondArray>()
                    .unwrap()
                    .clone(),
            )
        }
        other => {
            let inside = other
                .strip_prefix("decimal(")
                .unwrap()
                .strip_suffix(')')
                .unwrap();
            let (precision, scale) = inside.split_once(',').unwrap();
            let unscaled = values.iter().map(|v| {
                v.as_str()
                    .map(|v| v.replace('.', "").parse::<i128>().unwrap())
            });
            let array = Decimal128Array::from_iter(unscaled);
            Arc::new(
                array
                    .with_precision_and_scale(precision.parse().unwrap(), scale.parse().unwrap())
                    .unwrap(),
            )
        }
    }
}

/// Makes keys and paths of all rows and compares them with the stored ones; then reads the paths back.
/// `unreadable` are columns that the JVM answers with null although the path has a value.
fn check(name: &str, unreadable: &[&str]) {
    let (table, answer) = (table(name), Answer::of(name));
    let batch = answer.batch();
    let keys = KeyGenerator::try_new(&table, &batch.schema())
        .unwrap()
        .generate(&batch)
        .unwrap();
    assert_eq!(
        keys.record_keys.iter().collect::<Vec<_>>(),
        answer.texts("_hoodie_record_key"),
        "{name}"
    );
    let stored_paths = answer.texts("_hoodie_partition_path");
    if unreadable.is_empty() {
        assert_eq!(
            keys.partition_paths.iter().collect::<Vec<_>>(),
            stored_paths,
            "{name}"
        );
    }
    let rows = batch.num_rows();
    assert!(rows > 0);
    for (row, path) in stored_paths.iter().enumerate() {
        let values = partition_values(&table, &path.unwrap().into()).unwrap();
        assert_eq!(values.len(), table.partition_fields().len(), "{name}");
        for (field, value) in values
            .iter()
            .filter(|(field, _)| !unreadable.contains(&field.as_str()))
        {
            // The column as text is what the path says.
            let column = batch
                .project(&[batch.schema().index_of(field).unwrap()])
                .unwrap();
            let spec = oxlake_config::TableSpec::new("x").record_key_fields([field.as_str()]);
            let single = TableConfig::try_from_properties(spec.to_properties().unwrap()).unwrap();
            let one = column.slice(row, 1);
            match KeyGenerator::try_new(&single, &one.schema())
                .unwrap()
                .record_keys(&one)
            {
                Ok(text) => assert_eq!(value.as_deref(), Some(text.value(0)), "{name} row {row}"),
                Err(_) => assert_eq!(value, &None, "{name} row {row}"),
            }
        }
    }
}

#[test]
fn complex_keys_with_commas_colons_and_missing_parts() {
    check("v9_key_complex", &[]);
}

#[test]
fn complex_key_of_one_field_names_it() {
    check("v9_key_complex_single", &[]);
}

#[test]
fn value_formats_in_keys() {
    check("v9_key_value_formats", &[]);
}

#[test]
fn url_encoded_hive_style_paths() {
    check("v9_key_urlencoded_hive", &[]);
}

#[test]
fn missing_values_in_paths_of_two_fields() {
    check("v9_key_null_partition_multi", &[]);
}

#[test]
fn value_formats_in_paths() {
    // The JVM reads the time back as null; with the value that was written, the path is the stored one.
    check("v9_key_partition_types", &["tsz"]);
    let (table, answer) = (
        table("v9_key_partition_types"),
        Answer::of("v9_key_partition_types"),
    );
    let batch = answer.batch();
    let time = TimestampMicrosecondArray::from(vec![Some(1_704_164_645_678_901), None])
        .with_timezone("UTC");
    let columns = batch
        .schema()
        .fields()
        .iter()
        .zip(batch.columns())
        .map(|(field, column)| {
            let column = if field.name() == "tsz" {
                Arc::new(time.clone())
            } else {
                Arc::clone(column)
            };
            (field.name().clone(), column, true)
        })
        .collect::<Vec<_>>();
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let keys = KeyGenerator::try_new(&table, &batch.schema())
        .unwrap()
        .generate(&batch)
        .unwrap();
    assert_eq!(
        keys.partition_paths.iter().collect::<Vec<_>>(),
        answer.texts("_hoodie_partition_path")
    );
}

#[test]
fn other_generators_of_golden_tables_are_refused_by_name() {
    for (name, kind) in [
        ("v9_key_custom", "CUSTOM"),
        ("v9_key_timestamp_scalar_days", "TIMESTAMP"),
        ("v9_key_timestamp_date_string_list", "TIMESTAMP"),
        ("v9_key_auto_sql", "SIMPLE"),
    ] {
        let table = table(name);
        let error = KeyGenerator::try_new(&table, &Answer::of(name).batch().schema()).unwrap_err();
        assert!(error.to_string().contains(kind), "{name}: {error}");
        table.check_writable().unwrap_err();
    }
}
