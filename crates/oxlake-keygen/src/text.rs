//! Columns as the texts of their values (spec 02 §4.2).

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, StringArray, StringBuilder};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Decimal128Type, Decimal256Type, Float32Type, Float64Type, TimeUnit,
};

use oxlake_model::java;

use crate::{Error, Result};

/// Whether values of this type have a text.
pub(crate) fn is_supported(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_supported(values),
        DataType::Timestamp(unit, _) => {
            matches!(unit, TimeUnit::Millisecond | TimeUnit::Microsecond)
        }
        DataType::Null
        | DataType::Boolean
        | DataType::Float32
        | DataType::Float64
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(TimeUnit::Millisecond)
        | DataType::Time64(TimeUnit::Microsecond)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => true,
        other => other.is_integer(),
    }
}

/// The texts of a column. `field` and `part` are for messages.
pub(crate) fn texts(values: &ArrayRef, field: &str, part: &'static str) -> Result<StringArray> {
    let to = |values: &ArrayRef, data_type: &DataType| {
        cast(values, data_type).map_err(|source| Error::Arrow {
            field: field.to_owned(),
            source,
        })
    };
    match values.data_type() {
        DataType::Utf8 => Ok(values.as_string::<i32>().clone()),
        DataType::Dictionary(_, inner) => texts(&to(values, inner)?, field, part),
        DataType::Float32 => {
            let values = values.as_primitive::<Float32Type>();
            Ok(printed(values.iter(), java::float))
        }
        DataType::Float64 => {
            let values = values.as_primitive::<Float64Type>();
            Ok(printed(values.iter(), |out, value| {
                java::double(out, value);
            }))
        }
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => texts(
            &to(values, &DataType::Decimal128(*precision, *scale))?,
            field,
            part,
        ),
        DataType::Decimal128(_, scale) => {
            let values = values.as_primitive::<Decimal128Type>();
            Ok(printed(values.iter(), |out, value| {
                java::decimal(out, &value.to_string(), *scale);
            }))
        }
        DataType::Decimal256(_, scale) => {
            let values = values.as_primitive::<Decimal256Type>();
            Ok(printed(values.iter(), |out, value| {
                java::decimal(out, &value.to_string(), *scale);
            }))
        }
        DataType::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond, _)
        | DataType::Time64(TimeUnit::Microsecond) => {
            texts(&to(values, &DataType::Int64)?, field, part)
        }
        DataType::Time32(TimeUnit::Millisecond) => {
            texts(&to(values, &DataType::Int32)?, field, part)
        }
        DataType::Date64 => texts(&to(values, &DataType::Date32)?, field, part),
        DataType::Binary => Ok(from_bytes(values.as_binary())),
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Ok(from_bytes(to(values, &DataType::Binary)?.as_binary()))
        }
        other if is_supported(other) => Ok(to(values, &DataType::Utf8)?.as_string::<i32>().clone()),
        other => Err(Error::UnsupportedType {
            field: field.to_owned(),
            data_type: other.to_string(),
            part,
        }),
    }
}

fn printed<T>(
    values: impl Iterator<Item = Option<T>>,
    mut append: impl FnMut(&mut String, T),
) -> StringArray {
    let mut builder = StringBuilder::new();
    let mut text = String::new();
    for value in values {
        match value {
            None => builder.append_null(),
            Some(value) => {
                text.clear();
                append(&mut text, value);
                builder.append_value(&text);
            }
        }
    }
    builder.finish()
}

/// Bytes are taken for UTF-8, with the replacement character where they are not, as Java does.
fn from_bytes(values: &BinaryArray) -> StringArray {
    values
        .iter()
        .map(|bytes| bytes.map(String::from_utf8_lossy))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
        FixedSizeBinaryArray, Int8Array, Int32Array, Int64Array, LargeStringArray, StringViewArray,
        Time32MillisecondArray, Time64MicrosecondArray, TimestampMicrosecondArray,
        TimestampMillisecondArray, UInt64Array,
    };
    use arrow::datatypes::Int32Type;

    use super::*;

    #[track_caller]
    fn check(values: impl Array + 'static, expected: &[Option<&str>]) {
        let texts = texts(&(Arc::new(values) as ArrayRef), "f", "record key").unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_have_the_texts_java_gives_them() {
        check(Int8Array::from(vec![Some(-1), None]), &[Some("-1"), None]);
        check(Int32Array::from(vec![i32::MIN]), &[Some("-2147483648")]);
        check(
            Int64Array::from(vec![i64::MAX]),
            &[Some("9223372036854775807")],
        );
        check(
            UInt64Array::from(vec![u64::MAX]),
            &[Some("18446744073709551615")],
        );
        check(
            BooleanArray::from(vec![Some(true), Some(false), None]),
            &[Some("true"), Some("false"), None],
        );
        check(
            Date32Array::from(vec![19_724, -1, 0]),
            &[Some("2024-01-02"), Some("1969-12-31"), Some("1970-01-01")],
        );
        check(Date64Array::from(vec![86_400_000]), &[Some("1970-01-02")]);
        check(
            TimestampMicrosecondArray::from(vec![-999_000]).with_timezone("UTC"),
            &[Some("-999000")],
        );
        check(
            TimestampMillisecondArray::from(vec![1_704_164_645_678]),
            &[Some("1704164645678")],
        );
        check(Time32MillisecondArray::from(vec![1000]), &[Some("1000")]);
        check(Time64MicrosecondArray::from(vec![5]), &[Some("5")]);
        check(
            LargeStringArray::from(vec!["é", ""]),
            &[Some("é"), Some("")],
        );
        check(
            StringViewArray::from(vec![Some("a longer text than twelve"), None]),
            &[Some("a longer text than twelve"), None],
        );
        check(
            BinaryArray::from(vec![b"ab".as_slice(), b"\xff"]),
            &[Some("ab"), Some("\u{fffd}")],
        );
        let fixed = FixedSizeBinaryArray::try_from_iter([b"xy", b"zz"].into_iter()).unwrap();
        check(fixed, &[Some("xy"), Some("zz")]);
        let dictionary: DictionaryArray<Int32Type> = ["b", "a", "b"].into_iter().collect();
        check(dictionary, &[Some("b"), Some("a"), Some("b")]);
        let decimal = Decimal128Array::from(vec![Some(1), None])
            .with_precision_and_scale(20, 8)
            .unwrap();
        check(decimal, &[Some("1E-8"), None]);
        check(arrow::array::NullArray::new(2), &[None, None]);
    }
}
