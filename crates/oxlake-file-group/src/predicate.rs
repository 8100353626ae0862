//! Conditions evaluated over batches, exactly.
//!
//! Three-valued logic as in SQL. Floats compare as in Spark: NaN equals NaN and is greater than every
//! other number, -0.0 equals 0.0. Numbers of different kinds meet in the wider one; anything else that
//! does not match is an error, not `false`.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Date32Array, Datum, Decimal128Array,
    Decimal256Array, Float64Array, Int64Array, RecordBatch, Scalar, StringArray, StructArray,
};
use arrow::compute::kernels::cmp;
use arrow::compute::{and_kleene, cast, is_not_null, is_null, not, nullif, or_kleene};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type, TimeUnit, i256};
use arrow::error::ArrowError;
use oxlake_model::{CompareOp, Literal, Predicate};

use crate::convert::widen;
use crate::error::{Error, Result};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Evaluates a predicate for every row: true, false, or null for unknown.
///
/// Columns are found by name, or by dotted path through structs.
///
/// # Errors
///
/// [`Error::UnknownColumn`], and [`Error::Incomparable`] for a value of another kind than the column.
pub fn evaluate(predicate: &Predicate, batch: &RecordBatch) -> Result<BooleanArray> {
    let rows = batch.num_rows();
    match predicate {
        Predicate::True => Ok(BooleanArray::from(vec![true; rows])),
        Predicate::And(parts) => fold(parts, batch, true, and_kleene),
        Predicate::Or(parts) => fold(parts, batch, false, or_kleene),
        Predicate::Not(part) => kernel(not(&evaluate(part, batch)?)),
        Predicate::Compare { column, op, value } => {
            compare(column, &find_column(batch, column)?, *op, value)
        }
        Predicate::In { column, values } => {
            let array = find_column(batch, column)?;
            let mut any = BooleanArray::from(vec![false; rows]);
            for value in values {
                any = kernel(or_kleene(
                    &any,
                    &compare(column, &array, CompareOp::Eq, value)?,
                ))?;
            }
            Ok(any)
        }
        Predicate::IsNull(column) => kernel(is_null(&find_column(batch, column)?)),
        Predicate::IsNotNull(column) => kernel(is_not_null(&find_column(batch, column)?)),
    }
}

type Combine = fn(&BooleanArray, &BooleanArray) -> Result<BooleanArray, ArrowError>;

fn fold(
    parts: &[Predicate],
    batch: &RecordBatch,
    start: bool,
    combine: Combine,
) -> Result<BooleanArray> {
    let mut all = BooleanArray::from(vec![start; batch.num_rows()]);
    for part in parts {
        all = kernel(combine(&all, &evaluate(part, batch)?))?;
    }
    Ok(all)
}

/// Compares a column with a value, row by row.
pub(crate) fn compare(
    name: &str,
    array: &ArrayRef,
    op: CompareOp,
    literal: &Literal,
) -> Result<BooleanArray> {
    if matches!(literal, Literal::Null) {
        return Ok(BooleanArray::new_null(array.len()));
    }
    let (left, right) = sides(array, literal)
        .map_err(|error| kernel_error(&error))?
        .ok_or_else(|| Error::Incomparable {
            column: name.to_owned(),
            data_type: Box::new(array.data_type().clone()),
            literal: format!("{literal:?}"),
        })?;
    let right = Scalar::new(right);
    let (left, right): (&dyn Datum, &dyn Datum) = (&left, &right);
    kernel(match op {
        CompareOp::Eq => cmp::eq(left, right),
        CompareOp::NotEq => cmp::neq(left, right),
        CompareOp::Lt => cmp::lt(left, right),
        CompareOp::LtEq => cmp::lt_eq(left, right),
        CompareOp::Gt => cmp::gt(left, right),
        CompareOp::GtEq => cmp::gt_eq(left, right),
    })
}

/// The column and the value in one common type; `None` when there is none.
fn sides(array: &ArrayRef, literal: &Literal) -> Result<Option<(ArrayRef, ArrayRef)>, ArrowError> {
    use DataType as T;
    Ok(Some(match (array.data_type(), literal) {
        (T::Boolean, Literal::Boolean(value)) => (
            Arc::clone(array),
            Arc::new(BooleanArray::from(vec![*value])),
        ),
        (t, Literal::Int64(value)) if is_integer(t) => (
            cast(array, &T::Int64)?,
            Arc::new(Int64Array::from(vec![*value])),
        ),
        (T::Time32(_), Literal::Int64(value)) => {
            let ints = cast(&cast(array, &T::Int32)?, &T::Int64)?;
            (ints, Arc::new(Int64Array::from(vec![*value])))
        }
        (T::Time64(_), Literal::Int64(value)) => (
            cast(array, &T::Int64)?,
            Arc::new(Int64Array::from(vec![*value])),
        ),
        (t, Literal::Float64(value)) if is_integer(t) || is_float(t) || is_decimal(t) => {
            (doubles(array)?, double(*value))
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "as SQL compares a double with a long"
        )]
        (t, Literal::Int64(value)) if is_float(t) => (doubles(array)?, double(*value as f64)),
        #[expect(
            clippy::cast_precision_loss,
            reason = "as SQL compares a double with a decimal"
        )]
        (t, Literal::Decimal128 { value, scale, .. }) if is_float(t) => (
            doubles(array)?,
            double(*value as f64 / 10f64.powi(i32::from(*scale))),
        ),
        (t, Literal::Decimal128 { value, scale, .. }) if is_integer(t) || is_decimal(t) => {
            return decimals(array, *value, *scale).map(Some);
        }
        (t, Literal::Int64(value)) if is_decimal(t) => {
            return decimals(array, i128::from(*value), 0).map(Some);
        }
        (t, Literal::Utf8(value)) if is_text(t) => (
            cast(array, &T::Utf8)?,
            Arc::new(StringArray::from(vec![value.as_str()])),
        ),
        (t, Literal::Binary(value)) if is_bytes(t) => (
            cast(array, &T::Binary)?,
            Arc::new(BinaryArray::from_vec(vec![value])),
        ),
        (t, Literal::Utf8(value)) if is_bytes(t) => (
            cast(array, &T::Binary)?,
            Arc::new(BinaryArray::from_vec(vec![value.as_bytes()])),
        ),
        (T::Date32, Literal::Date32(days)) => {
            (Arc::clone(array), Arc::new(Date32Array::from(vec![*days])))
        }
        (T::Date32, Literal::TimestampMicros(micros)) => {
            let days = cast(&cast(array, &T::Int32)?, &T::Int64)?;
            let stamps = days
                .as_primitive::<Int64Type>()
                .unary::<_, Int64Type>(|d| d * MICROS_PER_DAY);
            (Arc::new(stamps), Arc::new(Int64Array::from(vec![*micros])))
        }
        (T::Timestamp(unit, _), Literal::TimestampMicros(micros)) => {
            stamps(array, *unit, i128::from(*micros))?
        }
        (T::Timestamp(unit, _), Literal::Date32(days)) => {
            stamps(array, *unit, i128::from(*days) * i128::from(MICROS_PER_DAY))?
        }
        _ => return Ok(None),
    }))
}

fn is_integer(t: &DataType) -> bool {
    t.is_integer() && *t != DataType::UInt64
}

fn is_float(t: &DataType) -> bool {
    matches!(t, DataType::Float32 | DataType::Float64)
}

fn is_decimal(t: &DataType) -> bool {
    matches!(t, DataType::Decimal128(_, _))
}

fn is_text(t: &DataType) -> bool {
    match t {
        DataType::Dictionary(_, value) => is_text(value),
        t => matches!(t, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

fn is_bytes(t: &DataType) -> bool {
    matches!(
        t,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// One NaN and one zero, so that Arrow's total order is Spark's.
fn normal(value: f64) -> f64 {
    if value.is_nan() {
        f64::NAN
    } else {
        value + 0.0
    }
}

fn double(value: f64) -> ArrayRef {
    Arc::new(Float64Array::from(vec![normal(value)]))
}

fn doubles(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    Ok(match array.data_type() {
        DataType::Float32 => {
            let floats = array.as_primitive::<Float32Type>();
            Arc::new(floats.unary::<_, Float64Type>(|value| normal(f64::from(value))))
        }
        DataType::Float64 => Arc::new(
            array
                .as_primitive::<Float64Type>()
                .unary::<_, Float64Type>(normal),
        ),
        _ => cast(array, &DataType::Float64)?,
    })
}

/// A decimal or integer column and a decimal value at the greater of the two scales.
fn decimals(array: &ArrayRef, value: i128, scale: i8) -> Result<(ArrayRef, ArrayRef), ArrowError> {
    let column_scale = match array.data_type() {
        DataType::Decimal128(_, scale) => *scale,
        _ => 0,
    };
    let up = u32::try_from(i32::from(column_scale) - i32::from(scale)).ok();
    let scaled = up.and_then(|up| value.checked_mul(10i128.checked_pow(up)?));
    if let (DataType::Decimal128(precision, _), Some(value)) = (array.data_type(), scaled) {
        let one = Decimal128Array::from(vec![value])
            .with_precision_and_scale(*precision, column_scale)?;
        return Ok((Arc::clone(array), Arc::new(one)));
    }
    // At most 38 digits of value and 38 of shift: both sides fit 256 bits.
    let common = column_scale.max(scale).clamp(0, 38);
    let wide = |value: i128, from: i8| -> Option<i256> {
        match u8::try_from(i32::from(common) - i32::from(from)) {
            Ok(power) => Some(widen(value, power)),
            Err(_) => None,
        }
    };
    let overflow = || ArrowError::ComputeError(format!("scale {scale} is too large to compare"));
    let right = wide(value, scale).ok_or_else(overflow)?;
    let ints = match array.data_type() {
        DataType::Decimal128(_, _) => Arc::clone(array),
        _ => cast(
            &cast(array, &DataType::Int64)?,
            &DataType::Decimal128(38, 0),
        )?,
    };
    let left: Decimal256Array = ints
        .as_primitive::<arrow::datatypes::Decimal128Type>()
        .try_unary(|value| wide(value, column_scale).ok_or_else(overflow))?;
    Ok((Arc::new(left), Arc::new(Decimal256Array::from(vec![right]))))
}

/// A timestamp column of any unit and a value in microseconds, as integers of the finer unit.
fn stamps(
    array: &ArrayRef,
    unit: TimeUnit,
    micros: i128,
) -> Result<(ArrayRef, ArrayRef), ArrowError> {
    let per_second: i128 = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let ints = cast(array, &DataType::Int64)?;
    let ints = ints.as_primitive::<Int64Type>();
    if per_second > 1_000_000 || micros * per_second % 1_000_000 == 0 {
        let value = micros * per_second / 1_000_000;
        if let Ok(value) = i64::try_from(value) {
            return Ok((
                Arc::new(ints.clone()),
                Arc::new(Int64Array::from(vec![value])),
            ));
        }
    }
    let factor = i256::from_i128(1_000_000_000 / per_second);
    let wide = |value: i128, factor: i256| i256::from_i128(value).wrapping_mul(factor);
    let left: Decimal256Array = ints.unary(|value| wide(i128::from(value), factor));
    let right = wide(micros, i256::from_i128(1_000));
    Ok((Arc::new(left), Arc::new(Decimal256Array::from(vec![right]))))
}

/// The column given by name or dotted path, null where a struct on the way is null.
pub(crate) fn find_column(batch: &RecordBatch, path: &str) -> Result<ArrayRef> {
    let unknown = || Error::UnknownColumn {
        column: path.to_owned(),
    };
    if let Some(column) = batch.column_by_name(path) {
        return Ok(Arc::clone(column));
    }
    let mut parts = path.split('.');
    let root = parts.next().and_then(|root| batch.column_by_name(root));
    let mut found = Arc::clone(root.ok_or_else(unknown)?);
    for part in parts {
        let parent = found.as_struct_opt().ok_or_else(unknown)?;
        found = child(parent, part)?.ok_or_else(unknown)?;
    }
    Ok(found)
}

fn child(parent: &StructArray, name: &str) -> Result<Option<ArrayRef>> {
    let Some(child) = parent.column_by_name(name) else {
        return Ok(None);
    };
    let Some(nulls) = parent.nulls() else {
        return Ok(Some(Arc::clone(child)));
    };
    let mask = BooleanArray::new(!nulls.inner(), None);
    kernel(nullif(child, &mask)).map(Some)
}

fn kernel<T>(result: Result<T, ArrowError>) -> Result<T> {
    result.map_err(|error| kernel_error(&error))
}

fn kernel_error(error: &ArrowError) -> Error {
    Error::internal(format!("evaluating a condition: {error}"))
}
