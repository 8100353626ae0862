//! Which row groups of a file can hold rows that a read wants.
//!
//! Conservative by construction: for each row group and part of a predicate two questions are answered,
//! *can it be true for a row* and *can it be false for a row*, and only a clear no drops anything.
//!
//! * Bounds may be truncated: they are used as bounds only, never as values.
//! * Statistics of floats leave NaN out, and NaN is the greatest value: an upper bound says nothing.
//! * Bounds that are NaN, upside down, absent, of the old unsigned kind or of a column whose order the
//!   promotion to the table's type does not keep are unknown.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::kernels::cmp;
use arrow::compute::nullif;
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type};
use arrow::error::ArrowError;
use oxlake_model::{CompareOp, Literal, Predicate};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, Type as PhysicalType};
use parquet::file::metadata::ParquetMetaData;

use crate::convert::{is_monotone, step};
use crate::error::{Error, Result};
use crate::predicate::compare;

/// What is known about a column in each row group.
#[derive(Debug)]
pub(crate) enum Facts {
    /// Nothing.
    Unknown,
    /// Every value is null: the file does not have the column.
    AllNull,
    /// What the statistics say, an entry for each row group.
    Known(Bounds),
}

/// Bounds of a column in the type of the table, an entry for each row group, null where unknown.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) min: ArrayRef,
    pub(crate) max: ArrayRef,
    /// Nulls in the row group, where counted.
    pub(crate) null_counts: Vec<Option<u64>>,
}

impl Facts {
    /// Reads the statistics of the leaf `leaf`, a column `file` at the root of the file's schema.
    pub(crate) fn load(
        metadata: &ParquetMetaData,
        leaf: usize,
        file: &Field,
        table_type: &DataType,
    ) -> Self {
        if file.data_type().is_nested() || !is_monotone(file.data_type(), table_type) {
            return Self::Unknown;
        }
        Self::read(metadata, leaf, file, table_type).unwrap_or(Self::Unknown)
    }

    fn read(
        metadata: &ParquetMetaData,
        leaf: usize,
        file: &Field,
        table_type: &DataType,
    ) -> Option<Self> {
        let schema = metadata.file_metadata().schema_descr();
        let converter = StatisticsConverter::from_column_index(leaf, file, schema)
            .ok()?
            .with_missing_null_counts_as_zero(false);
        let groups = || metadata.row_groups().iter();
        let null_counts = converter
            .row_group_null_counts(groups())
            .ok()?
            .iter()
            .collect();
        let mut min = converter.row_group_mins(groups()).ok()?;
        let mut max = converter.row_group_maxes(groups()).ok()?;
        if file.data_type() != table_type {
            let convert = step(file.data_type(), table_type)?;
            min = convert(&min, table_type).ok()?;
            max = convert(&max, table_type).ok()?;
        }
        let usable = usable_groups(metadata, leaf);
        let (min, max) = trusted(&min, &max, &usable).ok()?;
        Some(Self::Known(Bounds {
            min,
            max,
            null_counts,
        }))
    }
}

/// Row groups whose bounds are of the kind that orders bytes unsigned.
fn usable_groups(metadata: &ParquetMetaData, leaf: usize) -> Vec<bool> {
    let file = metadata.file_metadata();
    let defined = matches!(file.column_order(leaf), ColumnOrder::TYPE_DEFINED_ORDER(_));
    let is_usable = |group: &parquet::file::metadata::RowGroupMetaData| {
        let Some(column) = group.columns().get(leaf) else {
            return false;
        };
        match column.column_type() {
            PhysicalType::INT96 => false,
            PhysicalType::BYTE_ARRAY | PhysicalType::FIXED_LEN_BYTE_ARRAY => {
                defined
                    && column
                        .statistics()
                        .is_some_and(|s| !s.is_min_max_deprecated())
            }
            _ => true,
        }
    };
    metadata.row_groups().iter().map(is_usable).collect()
}

/// Nulls out bounds that cannot be trusted.
fn trusted(
    min: &ArrayRef,
    max: &ArrayRef,
    usable: &[bool],
) -> Result<(ArrayRef, ArrayRef), ArrowError> {
    let upside_down = cmp::gt(min, max)?;
    let bad: BooleanArray = (0..min.len())
        .map(|group| {
            let turned = upside_down.is_valid(group) && upside_down.value(group);
            let usable = usable.get(group).copied().unwrap_or(false);
            Some(!usable || turned || is_nan(min, group) || is_nan(max, group))
        })
        .collect();
    Ok((nullif(min, &bad)?, nullif(max, &bad)?))
}

fn is_nan(values: &ArrayRef, at: usize) -> bool {
    match values.data_type() {
        DataType::Float32 => values.as_primitive::<Float32Type>().value(at).is_nan(),
        DataType::Float64 => values.as_primitive::<Float64Type>().value(at).is_nan(),
        _ => false,
    }
}

/// For each row group: can the predicate be true, can it be false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Verdict {
    can_be_true: bool,
    can_be_false: bool,
}

const OPEN: Verdict = Verdict {
    can_be_true: true,
    can_be_false: true,
};
const NEVER: Verdict = Verdict {
    can_be_true: false,
    can_be_false: false,
};

/// Decides over the row groups of one file.
pub(crate) struct Pruner<'a> {
    /// Rows in each row group.
    pub(crate) row_counts: Vec<u64>,
    /// What is known about a column, by the name the predicate uses.
    pub(crate) facts: &'a dyn Fn(&str) -> Result<Arc<Facts>>,
}

impl Pruner<'_> {
    /// For each row group, whether a row of it can satisfy the predicate.
    pub(crate) fn keep(&self, predicate: &Predicate) -> Result<Vec<bool>> {
        Ok(self
            .verdicts(predicate)?
            .into_iter()
            .map(|verdict| verdict.can_be_true)
            .collect())
    }

    fn verdicts(&self, predicate: &Predicate) -> Result<Vec<Verdict>> {
        match predicate {
            Predicate::True => Ok(vec![
                Verdict {
                    can_be_true: true,
                    can_be_false: false
                };
                self.row_counts.len()
            ]),
            Predicate::And(parts) => self.fold(parts, true, |all, one| Verdict {
                can_be_true: all.can_be_true && one.can_be_true,
                can_be_false: all.can_be_false || one.can_be_false,
            }),
            Predicate::Or(parts) => self.fold(parts, false, |any, one| Verdict {
                can_be_true: any.can_be_true || one.can_be_true,
                can_be_false: any.can_be_false && one.can_be_false,
            }),
            Predicate::Not(part) => Ok(self
                .verdicts(part)?
                .into_iter()
                .map(|v| Verdict {
                    can_be_true: v.can_be_false,
                    can_be_false: v.can_be_true,
                })
                .collect()),
            Predicate::Compare { column, op, value } => self.compare(column, *op, value),
            Predicate::In { column, values } => {
                let mut any = vec![NEVER; self.row_counts.len()];
                for value in values {
                    let one = self.compare(column, CompareOp::Eq, value)?;
                    for (any, one) in any.iter_mut().zip(one) {
                        any.can_be_true |= one.can_be_true;
                    }
                }
                Ok(any
                    .into_iter()
                    .map(|v| Verdict {
                        can_be_false: true,
                        ..v
                    })
                    .collect())
            }
            Predicate::IsNull(column) => self.is_null(column),
            Predicate::IsNotNull(column) => {
                self.verdicts(&Predicate::Not(Box::new(Predicate::IsNull(column.clone()))))
            }
        }
    }

    fn fold(
        &self,
        parts: &[Predicate],
        start: bool,
        combine: impl Fn(Verdict, Verdict) -> Verdict,
    ) -> Result<Vec<Verdict>> {
        let start = Verdict {
            can_be_true: start,
            can_be_false: !start,
        };
        let mut all = vec![start; self.row_counts.len()];
        for part in parts {
            for (all, one) in all.iter_mut().zip(self.verdicts(part)?) {
                *all = combine(*all, one);
            }
        }
        Ok(all)
    }

    fn is_null(&self, column: &str) -> Result<Vec<Verdict>> {
        Ok(match &*(self.facts)(column)? {
            Facts::Unknown => vec![OPEN; self.row_counts.len()],
            Facts::AllNull => {
                vec![
                    Verdict {
                        can_be_true: true,
                        can_be_false: false
                    };
                    self.row_counts.len()
                ]
            }
            Facts::Known(bounds) => self
                .row_counts
                .iter()
                .zip(&bounds.null_counts)
                .map(|(rows, nulls)| Verdict {
                    can_be_true: *nulls != Some(0),
                    can_be_false: *nulls != Some(*rows),
                })
                .collect(),
        })
    }

    fn compare(&self, column: &str, op: CompareOp, value: &Literal) -> Result<Vec<Verdict>> {
        if matches!(value, Literal::Null) {
            return Ok(vec![NEVER; self.row_counts.len()]);
        }
        let facts = (self.facts)(column)?;
        let bounds = match &*facts {
            Facts::Unknown => return Ok(vec![OPEN; self.row_counts.len()]),
            Facts::AllNull => return Ok(vec![NEVER; self.row_counts.len()]),
            Facts::Known(bounds) => bounds,
        };
        let yes = possible(column, bounds, op, value)?;
        let no = possible(column, bounds, op.negate(), value)?;
        let mut verdicts = Vec::with_capacity(yes.len());
        for (group, (can_be_true, can_be_false)) in yes.into_iter().zip(no).enumerate() {
            let rows = self.row_counts.get(group).copied();
            let nulls = bounds.null_counts.get(group).copied().flatten();
            let all_null = rows.is_some() && rows == nulls;
            verdicts.push(if all_null {
                NEVER
            } else {
                Verdict {
                    can_be_true,
                    can_be_false,
                }
            });
        }
        Ok(verdicts)
    }
}

/// Whether a value between the bounds (or a NaN) can satisfy the comparison; unknown counts as yes.
fn possible(column: &str, bounds: &Bounds, op: CompareOp, value: &Literal) -> Result<Vec<bool>> {
    let groups = bounds.min.len();
    let is_float = matches!(
        bounds.min.data_type(),
        DataType::Float32 | DataType::Float64
    );
    let value_is_nan = matches!(value, Literal::Float64(value) if value.is_nan());
    let open_above = matches!(op, CompareOp::Gt | CompareOp::GtEq | CompareOp::NotEq);
    if value_is_nan || (is_float && open_above) {
        return Ok(vec![true; groups]);
    }
    let min = |op| compare(column, &bounds.min, op, value);
    let max = |op| compare(column, &bounds.max, op, value);
    let maybe = |answer: &BooleanArray, group| answer.is_null(group) || answer.value(group);
    Ok(match op {
        CompareOp::Eq => {
            let (low, high) = (min(CompareOp::LtEq)?, max(CompareOp::GtEq)?);
            (0..groups)
                .map(|group| maybe(&low, group) && maybe(&high, group))
                .collect()
        }
        CompareOp::NotEq => {
            let (low, high) = (min(CompareOp::NotEq)?, max(CompareOp::NotEq)?);
            (0..groups)
                .map(|group| maybe(&low, group) || maybe(&high, group))
                .collect()
        }
        CompareOp::Lt | CompareOp::LtEq => {
            let low = min(op)?;
            (0..groups).map(|group| maybe(&low, group)).collect()
        }
        CompareOp::Gt | CompareOp::GtEq => {
            let high = max(op)?;
            (0..groups).map(|group| maybe(&high, group)).collect()
        }
    })
}

/// For each row group, whether one of `times` lies between the bounds of its commit times.
pub(crate) fn keep_commit_times(
    facts: &Facts,
    groups: usize,
    times: &BTreeSet<String>,
) -> Result<Vec<bool>> {
    let bounds = match facts {
        Facts::Unknown => return Ok(vec![true; groups]),
        Facts::AllNull => return Ok(vec![false; groups]),
        Facts::Known(bounds) => bounds,
    };
    let texts = |array: &ArrayRef| {
        let texts = array.as_string_opt::<i32>().cloned();
        texts.ok_or_else(|| Error::internal("commit times that are not texts"))
    };
    let (min, max) = (texts(&bounds.min)?, texts(&bounds.max)?);
    let keep = |group| {
        if min.is_null(group) || max.is_null(group) {
            return true;
        }
        let range = min.value(group).to_owned()..=max.value(group).to_owned();
        times.range(range).next().is_some()
    };
    Ok((0..groups).map(keep).collect())
}
