//! A column as text, by the rules of Java's `toString` on the Avro value (spec 02 §4.2).

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, StringArray, StringBuilder, downcast_array,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int64Type};

use crate::java_text::{decimal_text, double_text, float_text};
use crate::{Error, Result};

/// The text of every value of `array`; nulls stay null. `field` and `role` name the column in errors.
pub fn value_text(array: &ArrayRef, field: &str, role: &'static str) -> Result<StringArray> {
    let convert = |array: &ArrayRef, to: &DataType| {
        cast(array, to).map_err(|source| Error::Arrow {
            field: field.into(),
            source,
        })
    };
    let text = match array.data_type() {
        DataType::Utf8 => downcast_array::<StringArray>(array.as_ref()),
        DataType::Boolean
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => convert(array, &DataType::Utf8)?.as_string::<i32>().clone(),
        DataType::Float32 => texts(array.as_primitive::<Float32Type>().iter(), float_text),
        DataType::Float64 => texts(array.as_primitive::<Float64Type>().iter(), double_text),
        DataType::Decimal128(_, scale) => {
            let scale = *scale;
            texts(array.as_primitive::<Decimal128Type>().iter(), |v| {
                decimal_text(v, scale)
            })
        }
        DataType::Date32 => texts(array.as_primitive::<Date32Type>().iter(), date_text),
        DataType::Timestamp(..) => {
            let epoch = convert(array, &DataType::Int64)?;
            texts(epoch.as_primitive::<Int64Type>().iter(), |v| v.to_string())
        }
        DataType::Binary => bytes_text(array.as_binary::<i32>(), field, role)?,
        DataType::FixedSizeBinary(_) | DataType::LargeBinary | DataType::BinaryView => bytes_text(
            convert(array, &DataType::Binary)?.as_binary::<i32>(),
            field,
            role,
        )?,
        DataType::Dictionary(_, values) => {
            let plain = convert(array, values)?;
            value_text(&plain, field, role)?
        }
        DataType::Null => StringArray::new_null(array.len()),
        other => {
            return Err(Error::ColumnType {
                field: field.into(),
                role,
                data_type: other.clone(),
            });
        }
    };
    Ok(text)
}

/// The same, as a shared array.
pub(crate) fn value_text_ref(
    array: &ArrayRef,
    field: &str,
    role: &'static str,
) -> Result<Arc<StringArray>> {
    value_text(array, field, role).map(Arc::new)
}

fn texts<T>(values: impl Iterator<Item = Option<T>>, text: impl Fn(T) -> String) -> StringArray {
    values.map(|value| value.map(&text)).collect()
}

fn bytes_text(array: &BinaryArray, field: &str, role: &'static str) -> Result<StringArray> {
    let mut out = StringBuilder::with_capacity(array.len(), array.value_data().len());
    for (row, value) in array.iter().enumerate() {
        let text = value.map(std::str::from_utf8).transpose();
        out.append_option(text.map_err(|_| Error::NotText {
            row,
            field: field.into(),
            role,
        })?);
    }
    Ok(out.finish())
}

/// ISO `yyyy-MM-dd` of days since 1970, proleptic Gregorian as `java.time.LocalDate` prints it.
fn date_text(days: i32) -> String {
    let (year, month, day) = civil(i64::from(days));
    match year {
        0..=9999 => format!("{year:04}-{month:02}-{day:02}"),
        y if y > 9999 => format!("+{y}-{month:02}-{day:02}"),
        y => format!("-{:04}-{month:02}-{day:02}", -y),
    }
}

/// Year, month and day of days since 1970-01-01, counted in eras of 400 years that start in March.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        BooleanArray, Date32Array, Decimal128Array, Int32Array, TimestampMicrosecondArray,
    };

    use super::*;

    fn check(array: ArrayRef, expected: &[Option<&str>]) {
        let text = value_text(&array, "f", "record key").unwrap();
        assert_eq!(text.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_type_prints_as_java_does() {
        check(
            Arc::new(Int32Array::from(vec![Some(-7), None])),
            &[Some("-7"), None],
        );
        check(
            Arc::new(BooleanArray::from(vec![true, false])),
            &[Some("true"), Some("false")],
        );
        check(
            Arc::new(Date32Array::from(vec![0, -1, 19_782, 2_932_897, -719_529])),
            &[
                Some("1970-01-01"),
                Some("1969-12-31"),
                Some("2024-02-29"),
                Some("+10000-01-01"),
                Some("-0001-12-31"),
            ],
        );
        check(
            Arc::new(TimestampMicrosecondArray::from(vec![-999_000]).with_timezone("UTC")),
            &[Some("-999000")],
        );
        let decimal = Decimal128Array::from(vec![1])
            .with_precision_and_scale(20, 8)
            .unwrap();
        check(Arc::new(decimal), &[Some("1E-8")]);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let array: ArrayRef = Arc::new(BinaryArray::from(vec![&b"ok"[..], &b"\xff"[..]]));
        let error = value_text(&array, "f", "record key").unwrap_err();
        assert!(matches!(error, Error::NotText { row: 1, .. }));
    }
}
