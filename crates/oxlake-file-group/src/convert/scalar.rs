//! The promotions of leaf columns (spec 02 §8.1) and the timestamp repair (§8.2).

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Decimal128Array, PrimitiveArray, StringArray, make_array,
};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int64Type,
    TimeUnit,
};
use oxlake_model::{CivilDate, java};

use super::{Step, decimal};

/// How a leaf of type `from` becomes one of type `to`; `None` when the two are not promotable.
///
/// The same types need no step and are not asked for.
pub(crate) fn step(from: &DataType, to: &DataType) -> Option<Step> {
    use DataType as T;
    let small_integer = matches!(from, T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16);
    let number = small_integer || matches!(from, T::Int64 | T::Float32 | T::Float64);
    Some(match (from, to) {
        (_, T::Int32) if small_integer => cast_checked,
        (_, T::Int64) if small_integer || *from == T::UInt32 => cast_checked,
        (_, T::Float32 | T::Float64 | T::Decimal128(_, _))
            if small_integer || *from == T::Int64 =>
        {
            cast_checked
        }
        (T::Float32, T::Float64) => float_to_double,
        (T::Float32 | T::Float64 | T::Utf8, T::Decimal128(_, _)) => text_to_decimal,
        (_, T::Utf8) if number => number_to_text,
        (T::Binary, T::Utf8) => bytes_to_text,
        (T::Utf8, T::Date32) => text_to_date,
        (T::Date32, T::Utf8) => date_to_text,
        (T::Decimal128(_, _), T::Decimal128(_, _)) => rescale,
        (T::Decimal128(_, _), T::Utf8) => decimal_to_text,
        (T::Int64, T::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond, None))
        | (T::Timestamp(TimeUnit::Microsecond, _), T::Timestamp(TimeUnit::Millisecond, _)) => {
            relabel
        }
        (T::Timestamp(a, _), T::Timestamp(b, _)) if a == b => relabel,
        (T::Timestamp(_, _), T::Timestamp(_, _)) => change_unit,
        (T::Utf8, T::Binary | T::LargeUtf8 | T::Utf8View | T::Dictionary(_, _))
        | (T::Binary, T::FixedSizeBinary(_) | T::LargeBinary | T::BinaryView) => cast_checked,
        _ => return None,
    })
}

/// Whether the step from one type to the other keeps the order of values, so that bounds of the file's
/// values stay bounds.
pub(crate) fn is_monotone(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    let integer = |t: &T| matches!(t, T::Int8 | T::Int16 | T::Int32 | T::Int64);
    match (from, to) {
        (T::Timestamp(a, _), T::Timestamp(b, _)) => a == b,
        (from, T::Int32 | T::Int64) => integer(from),
        _ => from == to,
    }
}

const STRICT: CastOptions<'static> = CastOptions {
    safe: false,
    format_options: arrow::util::display::FormatOptions::new(),
};

fn cast_checked(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    cast_with_options(array, to, &STRICT).map_err(|error| error.to_string())
}

/// The same bits under another type of the same width.
fn relabel(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    let data = array.to_data().into_builder().data_type(to.clone());
    Ok(make_array(data.build().map_err(|error| error.to_string())?))
}

/// Timestamps of another unit: exact when the wanted one is finer, otherwise rounded down.
fn change_unit(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    let (DataType::Timestamp(from, _), DataType::Timestamp(wanted, _)) = (array.data_type(), to)
    else {
        return Err("not a timestamp".to_owned());
    };
    let (per_second, wanted_per_second) = (ticks(*from), ticks(*wanted));
    let values = relabel(array, &DataType::Int64)?;
    let values = values.as_primitive::<Int64Type>();
    let changed: PrimitiveArray<Int64Type> = if wanted_per_second >= per_second {
        let factor = wanted_per_second / per_second;
        values
            .try_unary(|value| value.checked_mul(factor).ok_or(value))
            .map_err(|value| format!("timestamp {value} does not fit {to}"))?
    } else {
        values.unary(|value| value.div_euclid(per_second / wanted_per_second))
    };
    relabel(&(Arc::new(changed) as ArrayRef), to)
}

fn ticks(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// By way of the decimal text, so that the float 0.1 becomes the double 0.1.
fn float_to_double(array: &ArrayRef, _: &DataType) -> Result<ArrayRef, String> {
    let widen = |value: f32| {
        if value.is_finite() {
            value.to_string().parse().unwrap_or(f64::from(value))
        } else {
            f64::from(value)
        }
    };
    Ok(Arc::new(
        primitive::<Float32Type>(array)?.unary::<_, Float64Type>(widen),
    ))
}

fn number_to_text(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    match array.data_type() {
        DataType::Float32 => Ok(texts(primitive::<Float32Type>(array)?, |value| {
            printed(|out| java::float(out, value))
        })),
        DataType::Float64 => Ok(texts(primitive::<Float64Type>(array)?, |value| {
            printed(|out| java::double(out, value))
        })),
        _ => cast_checked(array, to),
    }
}

fn texts<T: ArrowPrimitiveType>(
    values: &PrimitiveArray<T>,
    print: impl Fn(T::Native) -> String,
) -> ArrayRef {
    let texts: StringArray = values.iter().map(|value| value.map(&print)).collect();
    Arc::new(texts)
}

fn text_to_decimal(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    let DataType::Decimal128(precision, scale) = to else {
        return Err("not a decimal".to_owned());
    };
    let texts = number_or_text(array)?;
    let parse = |text: &str| {
        decimal::parse(text.trim(), *precision, *scale)
            .ok_or_else(|| format!("'{text}' is not a decimal({precision},{scale})"))
    };
    let values = texts.iter().map(|text| text.map(parse).transpose());
    decimals(
        values.collect::<Result<Decimal128Array, String>>()?,
        *precision,
        *scale,
    )
}

fn number_or_text(array: &ArrayRef) -> Result<StringArray, String> {
    let texts = match array.data_type() {
        DataType::Utf8 => Arc::clone(array),
        _ => number_to_text(array, &DataType::Utf8)?,
    };
    Ok(texts.as_string::<i32>().clone())
}

fn rescale(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    let (DataType::Decimal128(_, from_scale), DataType::Decimal128(precision, scale)) =
        (array.data_type(), to)
    else {
        return Err("not a decimal".to_owned());
    };
    let values = primitive::<Decimal128Type>(array)?
        .try_unary::<_, Decimal128Type, _>(|value| {
            decimal::rescale(value, *from_scale, *scale, *precision).ok_or(value)
        })
        .map_err(|value| {
            let text = decimal_text(value, *from_scale);
            format!("{text} does not fit decimal({precision},{scale}) without losing digits")
        })?;
    decimals(values, *precision, *scale)
}

fn decimals(values: Decimal128Array, precision: u8, scale: i8) -> Result<ArrayRef, String> {
    match values.with_precision_and_scale(precision, scale) {
        Ok(values) => Ok(Arc::new(values)),
        Err(error) => Err(error.to_string()),
    }
}

fn decimal_to_text(array: &ArrayRef, _: &DataType) -> Result<ArrayRef, String> {
    let DataType::Decimal128(_, scale) = *array.data_type() else {
        return Err("not a decimal".to_owned());
    };
    Ok(texts(primitive::<Decimal128Type>(array)?, |value| {
        decimal_text(value, scale)
    }))
}

fn decimal_text(value: i128, scale: i8) -> String {
    printed(|out| java::decimal(out, &value.to_string(), scale))
}

fn printed(append: impl FnOnce(&mut String)) -> String {
    let mut text = String::new();
    append(&mut text);
    text
}

fn bytes_to_text(array: &ArrayRef, _: &DataType) -> Result<ArrayRef, String> {
    let bytes = array
        .as_binary_opt::<i32>()
        .ok_or("not a column of bytes")?;
    match StringArray::try_from_binary(bytes.clone()) {
        Ok(texts) => Ok(Arc::new(texts)),
        Err(_) => Err("bytes that are to be read as text are not UTF-8".to_owned()),
    }
}

fn text_to_date(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    let texts = array
        .as_string_opt::<i32>()
        .ok_or("not a column of texts")?;
    if let Some(bad) = texts.iter().flatten().find(|text| !is_date(text)) {
        return Err(format!("'{bad}' is not a date of the form yyyy-MM-dd"));
    }
    cast_checked(array, to)
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn date_to_text(array: &ArrayRef, _: &DataType) -> Result<ArrayRef, String> {
    Ok(texts(primitive::<Date32Type>(array)?, |days| {
        CivilDate::from_days(i64::from(days)).to_string()
    }))
}

fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef) -> Result<&PrimitiveArray<T>, String> {
    array
        .as_primitive_opt::<T>()
        .ok_or_else(|| format!("unexpected type {}", array.data_type()))
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        BinaryArray, Date32Array, Float32Array, Float64Array, Int32Array, Int64Array,
        TimestampMicrosecondArray, TimestampNanosecondArray,
    };

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "the calls read better")]
    fn run(array: ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
        let step = step(array.data_type(), to).ok_or("not promotable")?;
        let out = step(&array, to)?;
        assert_eq!(out.data_type(), to);
        assert_eq!(out.is_null(out.len() - 1), array.is_null(array.len() - 1));
        Ok(out)
    }

    fn text_of(array: ArrayRef) -> Vec<String> {
        let texts = run(array, &DataType::Utf8).unwrap();
        texts
            .as_string::<i32>()
            .iter()
            .flatten()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn a_float_becomes_the_double_of_its_text() {
        let floats = Float32Array::from(vec![Some(0.1), Some(f32::NAN), Some(1e30), None]);
        let doubles = run(Arc::new(floats), &DataType::Float64).unwrap();
        let doubles = doubles.as_primitive::<Float64Type>();
        assert_eq!(doubles.value(0).to_bits(), 0.1f64.to_bits());
        assert!(doubles.value(1).is_nan());
        assert_eq!(doubles.value(2).to_bits(), 1e30f64.to_bits());
    }

    #[test]
    fn numbers_and_dates_become_java_texts() {
        assert_eq!(
            text_of(Arc::new(Int32Array::from(vec![Some(-7), None]))),
            ["-7"]
        );
        assert_eq!(
            text_of(Arc::new(Float64Array::from(vec![1e7, 0.5, 5e-324]))),
            ["1.0E7", "0.5", "4.9E-324"]
        );
        let days = Date32Array::from(vec![0, -1, 19_000, 2_932_897, -719_529, 11_016]);
        assert_eq!(
            text_of(Arc::new(days)),
            [
                "1970-01-01",
                "1969-12-31",
                "2022-01-08",
                "+10000-01-01",
                "-0001-12-31",
                "2000-02-29"
            ]
        );
    }

    #[test]
    fn texts_become_dates_and_nothing_else_does() {
        let texts = StringArray::from(vec![Some("2022-01-08"), None]);
        let days = run(Arc::new(texts), &DataType::Date32).unwrap();
        assert_eq!(days.as_primitive::<Date32Type>().value(0), 19_000);
        for bad in ["2022-1-8", "2022-01-08T00:00", "2022-13-01", ""] {
            assert!(run(Arc::new(StringArray::from(vec![bad])), &DataType::Date32).is_err());
        }
    }

    #[test]
    fn decimals_keep_every_digit_or_fail() {
        let values = Decimal128Array::from(vec![Some(1250), None])
            .with_precision_and_scale(6, 2)
            .unwrap();
        let values: ArrayRef = Arc::new(values);
        let out = run(Arc::clone(&values), &DataType::Decimal128(6, 1)).unwrap();
        assert_eq!(out.as_primitive::<Decimal128Type>().value(0), 125);
        assert!(run(Arc::clone(&values), &DataType::Decimal128(6, 0)).is_err());
        let floats = Float64Array::from(vec![12.345, -0.5]);
        let out = run(Arc::new(floats), &DataType::Decimal128(6, 2)).unwrap();
        assert_eq!(out.as_primitive::<Decimal128Type>().values(), &[1235, -50]);
        let longs = Int64Array::from(vec![i64::MAX]);
        assert!(run(Arc::new(longs), &DataType::Decimal128(10, 2)).is_err());
    }

    #[test]
    fn timestamps_are_repaired_as_the_reference_does() {
        let utc = |unit| DataType::Timestamp(unit, Some("UTC".into()));
        let micros: ArrayRef =
            Arc::new(TimestampMicrosecondArray::from(vec![1_700]).with_timezone("UTC"));
        let millis = run(Arc::clone(&micros), &utc(TimeUnit::Millisecond)).unwrap();
        assert_eq!(millis.to_data().buffers()[0].typed_data::<i64>(), &[1_700]);
        let longs: ArrayRef = Arc::new(Int64Array::from(vec![5]));
        assert!(
            run(
                Arc::clone(&longs),
                &DataType::Timestamp(TimeUnit::Microsecond, None)
            )
            .is_ok()
        );
        assert!(run(longs, &utc(TimeUnit::Microsecond)).is_err());
        let nanos: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![-1, 1_999]));
        let out = run(nanos, &utc(TimeUnit::Microsecond)).unwrap();
        assert_eq!(out.to_data().buffers()[0].typed_data::<i64>(), &[-1, 1]);
        let back = run(millis, &utc(TimeUnit::Microsecond)).unwrap();
        assert_eq!(
            back.to_data().buffers()[0].typed_data::<i64>(),
            &[1_700_000]
        );
    }

    #[test]
    fn bytes_become_text_only_if_they_are_text() {
        let good = BinaryArray::from_opt_vec(vec![Some("é".as_bytes()), None]);
        assert_eq!(text_of(Arc::new(good)), ["é"]);
        let bad = BinaryArray::from_vec(vec![&[0xff, 0xfe]]);
        assert!(run(Arc::new(bad), &DataType::Utf8).is_err());
    }

    #[test]
    fn narrowing_is_refused() {
        use DataType as T;
        for (from, to) in [
            (T::Int64, T::Int32),
            (T::Float64, T::Float32),
            (T::Float64, T::Int64),
            (T::Utf8, T::Int32),
            (T::Boolean, T::Utf8),
            (T::Date32, T::Int32),
        ] {
            assert!(step(&from, &to).is_none(), "{from} to {to}");
        }
    }
}
