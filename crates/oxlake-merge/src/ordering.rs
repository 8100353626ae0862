//! Ordering values of a batch in a form that compares fast.
//!
//! One integer-like ordering field (the usual case: a time or a version) is kept as a column of 64-bit
//! integers; everything else becomes byte-comparable rows. Both give the order of spec 02 §6.5: null is
//! smallest, NaN greatest, -0.0 below 0.0, several fields lexicographic.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int32Array, Int64Array, RecordBatch, StructArray,
    new_null_array,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int32Type, Int64Type, Schema};
use arrow::row::{RowConverter, Rows, SortField};

use crate::error::{Error, Result};

const ROLE: &str = "ordering field";

/// The ordering values of one batch, row by row; made by [`Merger::ordering`](crate::Merger::ordering).
#[derive(Debug)]
pub struct OrderingValues {
    encoded: Encoded,
    /// Set for the rows whose value is the default; `None`: all rows.
    default: Option<BooleanBuffer>,
    len: usize,
}

#[derive(Debug)]
enum Encoded {
    /// No ordering field: all rows are equal.
    Nothing,
    /// One field that fits 64 bits.
    Integer(Int64Array),
    /// Anything else.
    Rows(Rows),
}

impl OrderingValues {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the row's ordering value is null or the default, the integer 0 (spec 02 §6.5).
    ///
    /// A delete with such a value always wins.
    pub fn is_default(&self, row: usize) -> bool {
        self.default
            .as_ref()
            .is_none_or(|set| row < set.len() && set.value(row))
    }

    /// Compares a row of this batch with a row of another one that was encoded by the same merger.
    pub fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        match (&self.encoded, &other.encoded) {
            (Encoded::Integer(left), Encoded::Integer(right)) => {
                integer(left, row).cmp(&integer(right, other_row))
            }
            (Encoded::Rows(left), Encoded::Rows(right)) => left.row(row).cmp(&right.row(other_row)),
            _ => Ordering::Equal,
        }
    }
}

/// `None` is smaller than every `Some`, as null has to be.
fn integer(values: &Int64Array, row: usize) -> Option<i64> {
    values.is_valid(row).then(|| values.value(row))
}

/// Encodes the ordering fields of batches; one per merger so that its values compare with each other.
#[derive(Debug, Clone)]
pub(crate) struct OrderingEncoder {
    fields: Vec<(String, DataType)>,
    converter: Option<Arc<RowConverter>>,
}

impl OrderingEncoder {
    pub(crate) fn try_new(fields: &[String], schema: &Schema) -> Result<Self> {
        let mut typed = Vec::with_capacity(fields.len());
        for field in fields {
            let data_type = find_type(schema, field).ok_or_else(|| Error::MissingColumn {
                column: field.clone(),
                role: ROLE,
            })?;
            if !is_ordered(&data_type) {
                return Err(Error::ColumnType {
                    column: field.clone(),
                    role: ROLE,
                    data_type,
                });
            }
            typed.push((field.clone(), data_type));
        }
        let converter = match typed.as_slice() {
            [] => None,
            [(_, one)] if fits_integer(one) => None,
            many => {
                let sort = many
                    .iter()
                    .map(|(_, t)| SortField::new(t.clone()))
                    .collect();
                let converter = RowConverter::new(sort).map_err(|e| arrow_error(many, e))?;
                Some(Arc::new(converter))
            }
        };
        Ok(Self {
            fields: typed,
            converter,
        })
    }

    /// The values of `batch`; a field the batch does not have counts as null in every row.
    pub(crate) fn encode(&self, batch: &RecordBatch) -> Result<OrderingValues> {
        let len = batch.num_rows();
        let mut columns = Vec::with_capacity(self.fields.len());
        for (field, data_type) in &self.fields {
            let column =
                find_column(batch, field).unwrap_or_else(|| new_null_array(data_type, len));
            columns.push(normalize(field, &column, data_type)?);
        }
        let default = default_rows(&columns, len);
        let encoded = match (columns.as_slice(), &self.converter) {
            ([], _) => Encoded::Nothing,
            ([one], None) => Encoded::Integer(as_int64(&self.fields, one)?),
            (many, Some(converter)) => Encoded::Rows(
                converter
                    .convert_columns(many)
                    .map_err(|e| arrow_error(&self.fields, e))?,
            ),
            _ => Encoded::Nothing,
        };
        Ok(OrderingValues {
            encoded,
            default,
            len,
        })
    }
}

fn arrow_error(fields: &[(String, DataType)], source: arrow::error::ArrowError) -> Error {
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    Error::Arrow {
        column: names.join(","),
        source,
    }
}

/// The type of a column given by dotted path; a column whose own name has dots is found first.
pub(crate) fn find_type(schema: &Schema, path: &str) -> Option<DataType> {
    if let Ok(field) = schema.field_with_name(path) {
        return Some(field.data_type().clone());
    }
    let mut parts = path.split('.');
    let mut found = schema.field_with_name(parts.next()?).ok()?.data_type();
    for part in parts {
        let DataType::Struct(children) = found else {
            return None;
        };
        found = children
            .iter()
            .find(|child| child.name() == part)?
            .data_type();
    }
    Some(found.clone())
}

/// The column given by dotted path, null where a struct on the way is null.
pub(crate) fn find_column(batch: &RecordBatch, path: &str) -> Option<ArrayRef> {
    if let Some(column) = batch.column_by_name(path) {
        return Some(Arc::clone(column));
    }
    let mut parts = path.split('.');
    let mut found = Arc::clone(batch.column_by_name(parts.next()?)?);
    for part in parts {
        found = child(found.as_struct_opt()?, part)?;
    }
    Some(found)
}

fn child(parent: &StructArray, name: &str) -> Option<ArrayRef> {
    let child = parent.column_by_name(name)?;
    let Some(nulls) = parent.nulls() else {
        return Some(Arc::clone(child));
    };
    let mask = BooleanArray::new(!nulls.inner(), None);
    arrow::compute::nullif(child, &mask).ok()
}

fn is_ordered(data_type: &DataType) -> bool {
    !data_type.is_nested() && RowConverter::supports_fields(&[SortField::new(data_type.clone())])
}

fn fits_integer(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::Date32
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(_, _)
    )
}

fn as_int64(fields: &[(String, DataType)], column: &ArrayRef) -> Result<Int64Array> {
    // Date32 and Time32 cast to Int64 only by way of their own width.
    let narrow = matches!(column.data_type(), DataType::Date32 | DataType::Time32(_));
    let column = if narrow {
        cast(column, &DataType::Int32).map_err(|e| arrow_error(fields, e))?
    } else {
        Arc::clone(column)
    };
    let wide = cast(&column, &DataType::Int64).map_err(|e| arrow_error(fields, e))?;
    Ok(wide.as_primitive::<Int64Type>().clone())
}

/// Brings a column to the declared type, with every NaN the same (greatest) one, as Java compares.
fn normalize(field: &str, column: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    let error = |source| Error::Arrow {
        column: field.to_owned(),
        source,
    };
    let column = if column.data_type() == data_type {
        Arc::clone(column)
    } else {
        cast(column, data_type).map_err(error)?
    };
    Ok(match data_type {
        DataType::Float32 => Arc::new(
            column
                .as_primitive::<Float32Type>()
                .unary::<_, Float32Type>(|v| if v.is_nan() { f32::NAN } else { v }),
        ),
        DataType::Float64 => Arc::new(
            column
                .as_primitive::<Float64Type>()
                .unary::<_, Float64Type>(|v| if v.is_nan() { f64::NAN } else { v }),
        ),
        _ => column,
    })
}

/// Rows in which every field is null or the integer 0; `None` when there is no field at all.
fn default_rows(columns: &[ArrayRef], len: usize) -> Option<BooleanBuffer> {
    let mut all: Option<BooleanBuffer> = None;
    for column in columns {
        let zeros: Option<&Int32Array> = match column.data_type() {
            DataType::Int32 => column.as_primitive_opt::<Int32Type>(),
            _ => None,
        };
        let set = BooleanBuffer::collect_bool(len, |row| {
            column.is_null(row) || zeros.is_some_and(|values| values.value(row) == 0)
        });
        all = Some(match all {
            Some(before) => &before & &set,
            None => set,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use arrow::array::{Float64Array, StringArray};
    use arrow::datatypes::Field;

    use super::*;

    fn order_of(column: ArrayRef) -> Vec<usize> {
        let schema = Schema::new(vec![Field::new("o", column.data_type().clone(), true)]);
        let encoder = OrderingEncoder::try_new(&["o".to_owned()], &schema).unwrap();
        let batch = RecordBatch::try_new(Arc::new(schema), vec![column]).unwrap();
        let values = encoder.encode(&batch).unwrap();
        let mut rows: Vec<usize> = (0..values.len()).collect();
        rows.sort_by(|a, b| values.compare(*a, &values, *b));
        rows
    }

    #[test]
    fn floats_order_as_java_compares_them() {
        let column = Float64Array::from(vec![
            Some(f64::INFINITY),
            Some(-f64::NAN),
            Some(0.0),
            None,
            Some(-0.0),
            Some(f64::NEG_INFINITY),
        ]);
        assert_eq!(order_of(Arc::new(column)), [3, 5, 4, 2, 0, 1]);
    }

    #[test]
    fn nulls_are_smallest_and_texts_order_by_bytes() {
        let column = StringArray::from(vec![Some("b"), None, Some("a"), Some(""), Some("é")]);
        assert_eq!(order_of(Arc::new(column)), [1, 3, 2, 0, 4]);
        let column = Int64Array::from(vec![Some(3), None, Some(i64::MIN)]);
        assert_eq!(order_of(Arc::new(column)), [1, 2, 0]);
    }

    #[test]
    fn dates_and_times_are_integers() {
        let days = arrow::array::Date32Array::from(vec![Some(5), Some(-5), None]);
        assert_eq!(order_of(Arc::new(days)), [2, 1, 0]);
        let stamps = arrow::array::TimestampMicrosecondArray::from(vec![2, 1]).with_timezone("UTC");
        assert_eq!(order_of(Arc::new(stamps)), [1, 0]);
    }

    #[test]
    fn the_default_is_null_or_the_integer_zero() {
        let schema = Schema::new(vec![
            Field::new("a", DataType::Int32, true),
            Field::new("b", DataType::Int64, true),
        ]);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![Some(0), None, Some(0), Some(1)])),
            Arc::new(Int64Array::from(vec![None, None, Some(0), None])),
        ];
        let batch = RecordBatch::try_new(Arc::new(schema.clone()), columns).unwrap();
        let one = OrderingEncoder::try_new(&["a".to_owned()], &schema).unwrap();
        let values = one.encode(&batch).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|row| values.is_default(row)),
            [true, true, true, false]
        );
        let two = OrderingEncoder::try_new(&["a".to_owned(), "b".to_owned()], &schema).unwrap();
        let values = two.encode(&batch).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|row| values.is_default(row)),
            [true, true, false, false]
        );
    }

    #[test]
    fn a_nested_field_is_found_by_path_and_a_missing_one_is_an_error() {
        let inner = Field::new("ts", DataType::Int64, true);
        let outer = Field::new("meta", DataType::Struct(vec![inner].into()), true);
        let schema = Schema::new(vec![outer]);
        assert!(OrderingEncoder::try_new(&["meta.ts".to_owned()], &schema).is_ok());
        let error = OrderingEncoder::try_new(&["meta.no".to_owned()], &schema).unwrap_err();
        assert!(matches!(error, Error::MissingColumn { .. }));
        let error = OrderingEncoder::try_new(&["meta".to_owned()], &schema).unwrap_err();
        assert!(matches!(error, Error::ColumnType { .. }));
    }
}
