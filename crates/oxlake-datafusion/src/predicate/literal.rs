//! From DataFusion's scalars to our [`Literal`].

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use oxlake_model::Literal;

/// The value, if it is not null and compares with a column of `data_type` without a cast.
pub(super) fn literal_of(value: &ScalarValue, data_type: &DataType) -> Option<Literal> {
    if !same_family(&value.data_type(), data_type) {
        return None;
    }
    Some(match value {
        ScalarValue::Boolean(Some(value)) => Literal::Boolean(*value),
        ScalarValue::Int8(Some(value)) => Literal::Int64(i64::from(*value)),
        ScalarValue::Int16(Some(value)) => Literal::Int64(i64::from(*value)),
        ScalarValue::Int32(Some(value)) => Literal::Int64(i64::from(*value)),
        ScalarValue::Int64(Some(value)) => Literal::Int64(*value),
        ScalarValue::Float32(Some(value)) if !value.is_nan() => Literal::Float64(f64::from(*value)),
        ScalarValue::Float64(Some(value)) if !value.is_nan() => Literal::Float64(*value),
        ScalarValue::Utf8(Some(value))
        | ScalarValue::LargeUtf8(Some(value))
        | ScalarValue::Utf8View(Some(value)) => Literal::Utf8(value.clone()),
        ScalarValue::Binary(Some(value))
        | ScalarValue::LargeBinary(Some(value))
        | ScalarValue::BinaryView(Some(value)) => Literal::Binary(value.clone()),
        ScalarValue::Date32(Some(days)) => Literal::Date32(*days),
        ScalarValue::TimestampSecond(Some(value), _) => micros(value.checked_mul(1_000_000)?),
        ScalarValue::TimestampMillisecond(Some(value), _) => micros(value.checked_mul(1_000)?),
        ScalarValue::TimestampMicrosecond(Some(value), _) => micros(*value),
        ScalarValue::Decimal128(Some(value), precision, scale) => Literal::Decimal128 {
            value: *value,
            precision: *precision,
            scale: *scale,
        },
        _ => return None,
    })
}

fn micros(value: i64) -> Literal {
    Literal::TimestampMicros(value)
}

/// Equal types, or types that differ in the layout of memory only.
fn same_family(left: &DataType, right: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Timestamp, Utf8, Utf8View};
    match (left, right) {
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8 | Utf8View)
        | (Binary | LargeBinary | BinaryView, Binary | LargeBinary | BinaryView) => true,
        (Timestamp(TimeUnit::Nanosecond, _), _) => false,
        // A moment compares with a moment whatever the zone of its display; wall-clock time only
        // with its like.
        (Timestamp(left_unit, left_zone), Timestamp(right_unit, right_zone)) => {
            left_unit == right_unit && left_zone.is_some() == right_zone.is_some()
        }
        (left, right) => left == right,
    }
}
