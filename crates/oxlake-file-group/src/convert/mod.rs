//! From the columns a file has to the columns the table wants (spec 02 §8.1, §8.2).
//!
//! A [`plan`] is made once per file and column from the two types: fields are matched by name at every
//! nesting level, and each leaf gets a [`Step`]. Applying the plan to a batch then needs no decisions.
//! What is not in the table of promotions is refused when planning, before a row is read.

mod decimal;
pub(crate) use decimal::widen;
mod nested;
mod scalar;
mod text;

pub(crate) use nested::{Convert, Planner, leaf_count};
pub(crate) use scalar::{is_monotone, step};
pub(crate) use text::{constant, repeat};

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;

/// Brings one leaf column to a type; the error is a sentence about the value in the way.
pub(crate) type Step = fn(&ArrayRef, &DataType) -> Result<ArrayRef, String>;
