//! Columns whose one value is a text from the partition path.

use std::sync::Arc;

use arrow::array::UInt32Array;
use arrow::array::{ArrayRef, StringArray, new_null_array};
use arrow::compute::{CastOptions, cast_with_options, take};
use arrow::datatypes::DataType;

use super::step;

/// One value of type `to`, read from `text`.
pub(crate) fn constant(text: Option<&str>, to: &DataType) -> Result<ArrayRef, String> {
    let Some(text) = text else {
        return Ok(new_null_array(to, 1));
    };
    let one: ArrayRef = Arc::new(StringArray::from(vec![text]));
    match to {
        DataType::Utf8 => Ok(one),
        DataType::Decimal128(_, _) | DataType::Date32 | DataType::Binary => {
            step(&DataType::Utf8, to).map_or_else(
                || Err(format!("a path cannot hold a value of type {to}")),
                |convert| convert(&one, to),
            )
        }
        _ => {
            let strict = CastOptions {
                safe: false,
                ..CastOptions::default()
            };
            cast_with_options(&one, to, &strict)
                .map_err(|_| format!("'{text}' from the path is not a value of type {to}"))
        }
    }
}

/// `count` times the one value of `one`.
pub(crate) fn repeat(one: &ArrayRef, count: usize) -> Result<ArrayRef, String> {
    let indices = UInt32Array::from(vec![0u32; count]);
    take(one, &indices, None).map_err(|error| error.to_string())
}
