//! One value of a row, taken out of Arrow: the common ground of the JSON encoding and the table hash.

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, UInt64Type,
};
use chrono::{DateTime, NaiveDate};
use serde_json::{Number, Value, json};

use crate::{Error, Result};

/// A value with just the differences that the row encoding knows.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A boolean.
    Boolean(bool),
    /// Any integer type.
    Integer(i128),
    /// Any floating-point type, widened.
    Float(f64),
    /// A decimal as plain text with its scale.
    Decimal(String),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Days since 1970.
    Date(i32),
    /// Microseconds since 1970; an instant when zoned, else local time.
    Timestamp {
        /// Microseconds.
        micros: i64,
        /// Has a time zone.
        zoned: bool,
    },
    /// A list.
    List(Vec<Cell>),
    /// A struct, in schema order.
    Struct(Vec<(String, Cell)>),
    /// A map, in stored order.
    Map(Vec<(Cell, Cell)>),
}

impl Cell {
    /// The cells of a whole column.
    ///
    /// # Errors
    /// [`Error::UnsupportedType`] for types Spark has no equal of.
    pub fn column(array: &ArrayRef) -> Result<Vec<Self>> {
        let cells = match array.data_type() {
            DataType::Null => vec![Self::Null; array.len()],
            DataType::Boolean => array
                .as_boolean()
                .iter()
                .map(|v| v.map_or(Self::Null, Self::Boolean))
                .collect(),
            DataType::UInt64 => array
                .as_primitive::<UInt64Type>()
                .iter()
                .map(|v| v.map_or(Self::Null, |v| Self::Integer(v.into())))
                .collect(),
            kind if kind.is_integer()
                || matches!(kind, DataType::Time32(_) | DataType::Time64(_)) =>
            {
                integers(array)?
            }
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                cast(array, &DataType::Float64)?
                    .as_primitive::<Float64Type>()
                    .iter()
                    .map(|v| v.map_or(Self::Null, Self::Float))
                    .collect()
            }
            DataType::Decimal128(_, _) => {
                let array = array.as_primitive::<Decimal128Type>();
                by_index(array, |i| Self::Decimal(array.value_as_string(i)))
            }
            DataType::Decimal256(_, _) => {
                let array = array.as_primitive::<Decimal256Type>();
                by_index(array, |i| Self::Decimal(array.value_as_string(i)))
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                cast(array, &DataType::Utf8)?
                    .as_string::<i32>()
                    .iter()
                    .map(|v| v.map_or(Self::Null, |v| Self::Text(v.into())))
                    .collect()
            }
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => cast(array, &DataType::Binary)?
                .as_binary::<i32>()
                .iter()
                .map(|v| v.map_or(Self::Null, |v| Self::Bytes(v.into())))
                .collect(),
            DataType::Date32 => array
                .as_primitive::<Date32Type>()
                .iter()
                .map(|v| v.map_or(Self::Null, Self::Date))
                .collect(),
            DataType::Timestamp(_, zone) => timestamps(array, zone.is_some())?,
            DataType::Dictionary(_, value) => Self::column(&cast(array, value)?)?,
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _) => {
                lists(array)?
            }
            DataType::Struct(_) => structs(array)?,
            DataType::Map(_, _) => maps(array)?,
            other => {
                return Err(Error::UnsupportedType {
                    data_type: other.clone(),
                });
            }
        };
        Ok(cells)
    }

    /// The JSON of `fixtures/golden/README.md`, which is also the JVM engine's.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(v) => json!(v),
            Self::Integer(v) => {
                Number::from_i128(*v).map_or_else(|| json!(v.to_string()), Value::Number)
            }
            Self::Float(v) if v.is_nan() => json!("NaN"),
            Self::Float(v) if v.is_infinite() && *v > 0.0 => json!("Infinity"),
            Self::Float(v) if v.is_infinite() => json!("-Infinity"),
            Self::Float(v) => json!(v),
            Self::Decimal(v) | Self::Text(v) => json!(v),
            Self::Bytes(v) => json!(hex(v)),
            Self::Date(days) => json!(date_text(*days)),
            Self::Timestamp { micros, zoned } => json!(timestamp_text(*micros, *zoned)),
            Self::List(v) => Value::Array(v.iter().map(Self::to_json).collect()),
            Self::Struct(v) => v.iter().map(|(k, v)| (k.clone(), v.to_json())).collect(),
            Self::Map(v) => {
                let mut entries: Vec<_> =
                    v.iter().map(|(k, v)| (k.to_json(), v.to_json())).collect();
                entries.sort_by_cached_key(|(k, _)| key_text(k));
                Value::Array(entries.into_iter().map(|(k, v)| json!([k, v])).collect())
            }
        }
    }

    /// Appends the bytes that the table hash is made of (`interop/README.md`, table hash).
    pub fn write_canonical(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.push(b'n'),
            Self::Boolean(v) => out.extend(if *v { b"b1" } else { b"b0" }),
            Self::Integer(v) => out.extend(format!("i{v};").bytes()),
            Self::Float(v) => {
                let bits = if v.is_nan() {
                    0x7ff8_0000_0000_0000
                } else {
                    v.to_bits()
                };
                out.extend(format!("f{bits:016x}").bytes());
            }
            Self::Decimal(v) => out.extend(format!("d{v};").bytes()),
            Self::Text(v) => {
                out.extend(format!("s{}:", v.len()).bytes());
                out.extend(v.bytes());
            }
            Self::Bytes(v) => {
                out.extend(format!("x{}:", v.len()).bytes());
                out.extend(v);
            }
            Self::Date(days) => out.extend(format!("D{days};").bytes()),
            Self::Timestamp { micros, .. } => out.extend(format!("T{micros};").bytes()),
            Self::List(v) => {
                out.push(b'[');
                for v in v {
                    v.write_canonical(out);
                }
                out.push(b']');
            }
            Self::Struct(v) => {
                out.push(b'(');
                for (_, v) in v {
                    v.write_canonical(out);
                }
                out.push(b')');
            }
            Self::Map(v) => {
                let mut entries: Vec<_> = v
                    .iter()
                    .map(|(k, v)| (k.canonical(), v.canonical()))
                    .collect();
                entries.sort();
                out.push(b'{');
                for (k, v) in entries {
                    out.extend(k);
                    out.extend(v);
                }
                out.push(b'}');
            }
        }
    }

    fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_canonical(&mut out);
        out
    }
}

fn by_index(array: &dyn Array, cell: impl Fn(usize) -> Cell) -> Vec<Cell> {
    (0..array.len())
        .map(|i| {
            if array.is_null(i) {
                Cell::Null
            } else {
                cell(i)
            }
        })
        .collect()
}

fn integers(array: &ArrayRef) -> Result<Vec<Cell>> {
    let wide = cast(array, &DataType::Int64)?;
    let wide: &Int64Array = wide.as_primitive::<Int64Type>();
    Ok(wide
        .iter()
        .map(|v| v.map_or(Cell::Null, |v| Cell::Integer(v.into())))
        .collect())
}

fn timestamps(array: &ArrayRef, zoned: bool) -> Result<Vec<Cell>> {
    let zone = match array.data_type() {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    };
    let micros = cast(array, &DataType::Timestamp(TimeUnit::Microsecond, zone))?;
    Ok(micros
        .as_primitive::<TimestampMicrosecondType>()
        .iter()
        .map(|v| v.map_or(Cell::Null, |micros| Cell::Timestamp { micros, zoned }))
        .collect())
}

fn lists(array: &ArrayRef) -> Result<Vec<Cell>> {
    let item = |i: usize| match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(i),
        DataType::LargeList(_) => array.as_list::<i64>().value(i),
        _ => array.as_fixed_size_list().value(i),
    };
    (0..array.len())
        .map(|i| {
            if array.is_null(i) {
                return Ok(Cell::Null);
            }
            Cell::column(&item(i)).map(Cell::List)
        })
        .collect()
}

fn structs(array: &ArrayRef) -> Result<Vec<Cell>> {
    let array = array.as_struct();
    let mut rows = vec![Vec::with_capacity(array.num_columns()); array.len()];
    for (field, column) in array.fields().iter().zip(array.columns()) {
        for (row, cell) in rows.iter_mut().zip(Cell::column(column)?) {
            row.push((field.name().clone(), cell));
        }
    }
    Ok(rows
        .into_iter()
        .enumerate()
        .map(|(i, row)| {
            if array.is_null(i) {
                Cell::Null
            } else {
                Cell::Struct(row)
            }
        })
        .collect())
}

fn maps(array: &ArrayRef) -> Result<Vec<Cell>> {
    let array = array.as_map();
    (0..array.len())
        .map(|i| {
            if array.is_null(i) {
                return Ok(Cell::Null);
            }
            let entries = array.value(i);
            let keys = Cell::column(entries.column(0))?;
            let values = Cell::column(entries.column(1))?;
            Ok(Cell::Map(keys.into_iter().zip(values).collect()))
        })
        .collect()
}

/// What map entries are sorted by: the key's text.
fn key_text(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|b| format!("{b:02x}"));
    digits.collect::<Vec<_>>().concat()
}

fn date_text(days: i32) -> String {
    NaiveDate::default()
        .checked_add_signed(chrono::Duration::days(days.into()))
        .map_or_else(
            || format!("day {days}"),
            |d| d.format("%Y-%m-%d").to_string(),
        )
}

fn timestamp_text(micros: i64, zoned: bool) -> String {
    let zone = if zoned { "Z" } else { "" };
    DateTime::from_timestamp_micros(micros).map_or_else(
        || format!("microsecond {micros}"),
        |t| format!("{}{zone}", t.format("%Y-%m-%dT%H:%M:%S%.6f")),
    )
}
