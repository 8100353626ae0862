//! Rows as JSON and the hash of a table, in the encoding that the stored answers and the JVM engine use.
//!
//! ```
//! use std::sync::Arc;
//! use arrow::array::{ArrayRef, Int32Array, StringArray, RecordBatch};
//! use oxlake_testkit::rows;
//!
//! let batch = RecordBatch::try_from_iter([
//!     ("id", Arc::new(Int32Array::from(vec![1])) as ArrayRef),
//!     ("name", Arc::new(StringArray::from(vec![None::<&str>])) as ArrayRef),
//! ])?;
//! assert_eq!(rows::encode(&[batch])?, [serde_json::json!({"id": 1, "name": null})]);
//! # Ok::<(), oxlake_testkit::Error>(())
//! ```

use arrow::array::RecordBatch;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{Cell, Result};

/// The five columns every table of ours starts with.
pub const META_COLUMNS: [&str; 5] = [
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
];

/// The rows of some batches as JSON objects, in their order.
pub fn encode(batches: &[RecordBatch]) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for batch in batches {
        let mut objects = vec![Map::new(); batch.num_rows()];
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            for (object, cell) in objects.iter_mut().zip(Cell::column(column)?) {
                object.insert(field.name().clone(), cell.to_json());
            }
        }
        rows.extend(objects.into_iter().map(Value::Object));
    }
    Ok(rows)
}

/// The rows of a stored query (`columns` and `rows` of [`Fixture::queries`](crate::Fixture::queries)) as objects.
pub fn of_stored(query: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let columns = list(&query["columns"]);
    let names = || {
        columns
            .iter()
            .map(|c| c.as_str().unwrap_or_default().to_owned())
    };
    list(&query["rows"])
        .iter()
        .map(|row| Value::Object(names().zip(list(row)).collect()))
        .collect()
}

/// The rows without the meta columns.
pub fn without_meta_columns(rows: &[Value]) -> Vec<Value> {
    rows.iter()
        .map(|row| match row {
            Value::Object(fields) => fields
                .iter()
                .filter(|(name, _)| !META_COLUMNS.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            other => other.clone(),
        })
        .collect()
}

/// The rows in an order that depends on nothing but their content: two answers are equal when these are.
pub fn sorted(mut rows: Vec<Value>) -> Vec<Value> {
    rows.sort_by_cached_key(Value::to_string);
    rows
}

/// What differs between two answers, in words; `None` when they hold the same rows.
pub fn difference(ours: &[Value], theirs: &[Value]) -> Option<String> {
    let (mut ours, mut theirs) = (sorted(ours.to_vec()), sorted(theirs.to_vec()));
    let mut only_theirs = Vec::new();
    for row in theirs.drain(..) {
        match ours.iter().position(|r| *r == row) {
            Some(at) => {
                ours.remove(at);
            }
            None => only_theirs.push(row),
        }
    }
    if ours.is_empty() && only_theirs.is_empty() {
        return None;
    }
    let show = |title: &str, rows: &[Value]| -> String {
        let shown = rows.iter().take(5).map(|r| format!("\n  {r}"));
        format!(
            "{title}: {}{}",
            rows.len(),
            shown.collect::<Vec<_>>().concat()
        )
    };
    Some(format!(
        "{}\n{}",
        show("rows only in ours", &ours),
        show("rows only in theirs", &only_theirs)
    ))
}

/// Row count and hash of a table (`interop/README.md`, table hash). Independent of the order of rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableHash {
    /// Number of rows.
    pub count: u64,
    /// Sum of the row hashes.
    pub sum: u128,
}

impl TableHash {
    /// The hash of some batches, meta columns left out.
    pub fn of(batches: &[RecordBatch]) -> Result<Self> {
        let mut hash = Self::default();
        for batch in batches {
            hash.add(batch)?;
        }
        Ok(hash)
    }

    /// Adds the rows of one batch, meta columns left out.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut columns = Vec::new();
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if !META_COLUMNS.contains(&field.name().as_str()) {
                columns.push((field.name().clone(), Cell::column(column)?));
            }
        }
        columns.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        let mut bytes = Vec::new();
        for row in 0..batch.num_rows() {
            bytes.clear();
            for (name, cells) in &columns {
                bytes.extend(format!("s{}:{name}", name.len()).bytes());
                if let Some(cell) = cells.get(row) {
                    cell.write_canonical(&mut bytes);
                }
            }
            self.sum = self.sum.wrapping_add(row_hash(&bytes));
            self.count += 1;
        }
        Ok(())
    }

    /// The 32 hex digits the JVM engine prints.
    pub fn hex(&self) -> String {
        format!("{:032x}", self.sum)
    }
}

fn row_hash(bytes: &[u8]) -> u128 {
    Sha256::digest(bytes)
        .iter()
        .take(16)
        .fold(0, |sum, byte| (sum << 8) | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array,
        Float64Array, Int32Array, Int64Array, ListArray, MapBuilder, StringArray, StringBuilder,
        StructArray, TimestampMicrosecondArray,
    };
    use arrow::datatypes::{DataType, Field, Int32Type};
    use serde_json::json;

    use super::*;

    fn encode_column(column: ArrayRef) -> Vec<Value> {
        let batch = RecordBatch::try_from_iter_with_nullable([("c", column, true)]).unwrap();
        let rows = encode(&[batch]).unwrap();
        rows.into_iter().map(|row| row["c"].clone()).collect()
    }

    #[test]
    fn scalars_follow_the_encoding() {
        assert_eq!(
            encode_column(Arc::new(BooleanArray::from(vec![Some(true), None]))),
            [json!(true), json!(null)]
        );
        assert_eq!(
            encode_column(Arc::new(Int64Array::from(vec![i64::MIN, i64::MAX]))),
            [json!(i64::MIN), json!(i64::MAX)]
        );
        assert_eq!(
            encode_column(Arc::new(Float64Array::from(vec![
                1.5,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY
            ]))),
            [
                json!(1.5),
                json!("NaN"),
                json!("Infinity"),
                json!("-Infinity")
            ]
        );
        assert_eq!(
            encode_column(Arc::new(Float32Array::from(vec![0.1]))),
            [json!(0.100_000_001_490_116_12)]
        );
        let decimals = Decimal128Array::from(vec![-5, 12345])
            .with_precision_and_scale(9, 2)
            .unwrap();
        assert_eq!(
            encode_column(Arc::new(decimals)),
            [json!("-0.05"), json!("123.45")]
        );
        assert_eq!(
            encode_column(Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..]]))),
            [json!("00ff")]
        );
        assert_eq!(
            encode_column(Arc::new(Date32Array::from(vec![-1, 20454]))),
            [json!("1969-12-31"), json!("2026-01-01")]
        );
        let times = TimestampMicrosecondArray::from(vec![-1, 1_500_000]);
        assert_eq!(
            encode_column(Arc::new(times.clone())),
            [
                json!("1969-12-31T23:59:59.999999"),
                json!("1970-01-01T00:00:01.500000")
            ]
        );
        assert_eq!(
            encode_column(Arc::new(times.with_timezone("UTC")))[0],
            json!("1969-12-31T23:59:59.999999Z")
        );
    }

    #[test]
    fn nested_values_follow_the_encoding() {
        let list =
            ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None]);
        assert_eq!(
            encode_column(Arc::new(list)),
            [json!([1, null]), json!(null)]
        );

        let field = Arc::new(Field::new("x", DataType::Int32, true));
        let values: ArrayRef = Arc::new(Int32Array::from(vec![7]));
        let nested = StructArray::from(vec![(field, values)]);
        assert_eq!(encode_column(Arc::new(nested)), [json!({"x": 7})]);

        let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        for key in ["b", "a"] {
            map.keys().append_value(key);
            map.values().append_value(key);
        }
        map.append(true).unwrap();
        assert_eq!(
            encode_column(Arc::new(map.finish())),
            [json!([["a", "a"], ["b", "b"]])]
        );
    }

    #[test]
    fn stored_rows_become_objects() {
        let query = json!({"columns": ["a", "b"], "rows": [[1, null], [2, "x"]]});
        assert_eq!(
            of_stored(&query),
            [json!({"a": 1, "b": null}), json!({"a": 2, "b": "x"})]
        );
    }

    #[test]
    fn the_hash_ignores_the_order_of_rows_and_the_meta_columns() {
        let batch = |ids: Vec<i32>, file: &str| {
            let files = vec![file; ids.len()];
            RecordBatch::try_from_iter([
                (
                    "_hoodie_file_name",
                    Arc::new(StringArray::from(files)) as ArrayRef,
                ),
                ("id", Arc::new(Int32Array::from(ids)) as ArrayRef),
            ])
            .unwrap()
        };
        let one = TableHash::of(&[batch(vec![1, 2], "x")]).unwrap();
        let two = TableHash::of(&[batch(vec![2], "y"), batch(vec![1], "z")]).unwrap();
        assert_eq!(one, two);
        assert_ne!(one, TableHash::of(&[batch(vec![1, 1], "x")]).unwrap());
    }

    #[test]
    fn the_difference_names_the_rows_of_each_side() {
        assert_eq!(difference(&[json!({"a": 1})], &[json!({"a": 1})]), None);
        let text = difference(&[json!({"a": 1})], &[json!({"a": 2})]).unwrap();
        assert!(text.contains("rows only in ours: 1\n  {\"a\":1}"), "{text}");
    }
}
