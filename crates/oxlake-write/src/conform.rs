//! Bringing input rows into the form of the table: columns by name, types widened, nothing lost.
//!
//! What is wrong with the schema of the input is found before any row is read; what is wrong with a value (a null
//! where the table allows none, a time finer than the table's unit) is found before the first instant exists.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{Field, Schema, SchemaRef};
use oxlake_model::META_COLUMNS;

use crate::widen::{Widening, widening};
use crate::{Error, Result};

/// Turns batches of one input schema into batches of the table's.
#[derive(Debug)]
pub(crate) struct Conformer {
    input: SchemaRef,
    output: SchemaRef,
    sources: Vec<Source>,
}

/// Where an output column comes from.
#[derive(Debug)]
enum Source {
    Input { index: usize, widening: Widening },
    Nulls,
}

/// What is done with input columns that the output does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// An error: writing would lose them.
    Refuse,
    /// Passed over: only the keys count.
    Ignore,
}

impl Conformer {
    /// A conformer from `input` to `output`, which has no meta columns; meta columns of the input are left out.
    pub(crate) fn try_new(input: SchemaRef, output: SchemaRef, extra: Extra) -> Result<Self> {
        refuse_doubled(&input)?;
        if extra == Extra::Refuse {
            refuse_unknown(&input, &output)?;
        }
        let sources = output.fields().iter().map(|field| source(&input, field));
        let sources = sources.collect::<Result<_>>()?;
        Ok(Self {
            input,
            output,
            sources,
        })
    }

    /// Whether `schema` is the input schema of this conformer.
    pub(crate) fn takes(&self, schema: &SchemaRef) -> bool {
        Arc::ptr_eq(&self.input, schema) || self.input == *schema
    }

    /// The rows in the output's schema. `first_row` is the number of the batch's first row in the input, for
    /// messages.
    pub(crate) fn conform(&self, batch: &RecordBatch, first_row: u64) -> Result<RecordBatch> {
        let fields = self.output.fields().iter();
        let columns = fields
            .zip(&self.sources)
            .map(|(field, source)| column(batch, field, source, first_row))
            .collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let output = Arc::clone(&self.output);
        Ok(RecordBatch::try_new_with_options(
            output, columns, &options,
        )?)
    }
}

fn refuse_doubled(input: &Schema) -> Result<()> {
    let mut seen = BTreeSet::new();
    match input
        .fields()
        .iter()
        .find(|field| !seen.insert(field.name()))
    {
        Some(field) => Err(Error::DoubledColumn {
            column: field.name().clone(),
        }),
        None => Ok(()),
    }
}

fn refuse_unknown(input: &Schema, output: &Schema) -> Result<()> {
    let is_known = |name: &str| output.index_of(name).is_ok() || META_COLUMNS.contains(&name);
    match input.fields().iter().find(|field| !is_known(field.name())) {
        Some(field) => Err(Error::UnknownColumn {
            column: field.name().clone(),
            columns: output
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect(),
        }),
        None => Ok(()),
    }
}

fn source(input: &Schema, field: &Field) -> Result<Source> {
    let Ok(index) = input.index_of(field.name()) else {
        if field.is_nullable() {
            return Ok(Source::Nulls);
        }
        return Err(Error::MissingColumn {
            column: field.name().clone(),
        });
    };
    let from = input.field(index).data_type();
    let widening = widening(from, field.data_type()).ok_or_else(|| Error::ColumnType {
        column: field.name().clone(),
        found: from.clone(),
        expected: field.data_type().clone(),
    })?;
    Ok(Source::Input { index, widening })
}

fn column(batch: &RecordBatch, field: &Field, source: &Source, first_row: u64) -> Result<ArrayRef> {
    let Source::Input { index, widening } = source else {
        return Ok(new_null_array(field.data_type(), batch.num_rows()));
    };
    let found = batch.column(*index);
    let array = match widening {
        Widening::Same => Arc::clone(found),
        Widening::Cast => cast(found, field)?,
        Widening::Exact => {
            let array = cast(found, field)?;
            refuse_loss(found, &array, field, first_row)?;
            array
        }
    };
    if !field.is_nullable()
        && let Some(row) = first_null(&array)
    {
        return Err(Error::NullValue {
            column: field.name().clone(),
            row: first_row + row,
        });
    }
    Ok(array)
}

fn cast(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, field.data_type(), &options).map_err(|source| Error::Cast {
        column: field.name().clone(),
        source,
    })
}

/// A value that does not come back when it is cast to its own type again has lost something.
fn refuse_loss(found: &ArrayRef, array: &ArrayRef, field: &Field, first_row: u64) -> Result<()> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    let back =
        cast_with_options(array, found.data_type(), &options).map_err(|source| Error::Cast {
            column: field.name().clone(),
            source,
        })?;
    if back.to_data() == found.to_data() {
        return Ok(());
    }
    let differs = |row: &usize| back.slice(*row, 1).to_data() != found.slice(*row, 1).to_data();
    let row = (0..found.len()).find(differs).unwrap_or_default() as u64;
    Err(Error::LosesPrecision {
        column: field.name().clone(),
        row: first_row + row,
        found: found.data_type().clone(),
        expected: field.data_type().clone(),
    })
}

fn first_null(array: &ArrayRef) -> Option<u64> {
    let nulls = array.logical_nulls()?;
    nulls
        .iter()
        .position(|is_valid| !is_valid)
        .map(|row| row as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{
        AsArray, DictionaryArray, Int32Array, Int64Array, LargeStringArray, StringArray,
        StringViewArray, TimestampNanosecondArray,
    };
    use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType};

    fn table() -> SchemaRef {
        let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("n", DataType::Int64, true),
            Field::new("at", utc, true),
        ]))
    }

    fn input(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        )
        .unwrap()
    }

    fn conform(batch: &RecordBatch) -> Result<RecordBatch> {
        Conformer::try_new(batch.schema(), table(), Extra::Refuse)?.conform(batch, 100)
    }

    #[test]
    fn columns_are_found_by_name_widened_and_filled() {
        let dictionary: DictionaryArray<Int32Type> = vec!["a", "b"].into_iter().collect();
        for ids in [
            Arc::new(StringViewArray::from(vec!["a", "b"])) as ArrayRef,
            Arc::new(LargeStringArray::from(vec!["a", "b"])),
            Arc::new(dictionary),
        ] {
            let numbers = Arc::new(Int32Array::from(vec![Some(1), None]));
            let names: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
            let batch = input(vec![
                ("n", numbers),
                ("_hoodie_file_name", names),
                ("id", ids),
            ]);
            let rows = conform(&batch).unwrap();
            assert_eq!(rows.schema(), table());
            assert_eq!(rows.column(0).as_string::<i32>().value(1), "b");
            assert_eq!(rows.column(1).as_primitive::<Int64Type>().value(0), 1);
            assert_eq!(rows.column(2).null_count(), 2);
        }
    }

    #[test]
    fn schema_errors_name_the_column() {
        let ids: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
        let unknown = conform(&input(vec![
            ("id", Arc::clone(&ids)),
            ("x", Arc::clone(&text)),
        ]))
        .unwrap_err();
        assert!(unknown.to_string().contains("'x'"), "{unknown}");
        let missing =
            conform(&input(vec![("n", Arc::new(Int64Array::from(vec![1])))])).unwrap_err();
        assert!(missing.to_string().contains("'id'"), "{missing}");
        let narrow = conform(&input(vec![("id", ids), ("n", text)])).unwrap_err();
        assert!(narrow.to_string().contains("'n'"), "{narrow}");
    }

    #[test]
    fn a_null_in_a_required_column_names_the_row() {
        let ids: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
        let failure = conform(&input(vec![("id", ids)])).unwrap_err();
        assert!(
            matches!(failure, Error::NullValue { row: 101, .. }),
            "{failure:?}"
        );
    }

    #[test]
    fn a_finer_time_is_taken_when_nothing_is_lost() {
        let ids: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let times = |values: Vec<Option<i64>>| -> ArrayRef {
            Arc::new(TimestampNanosecondArray::from(values).with_timezone("UTC"))
        };
        let rows = conform(&input(vec![
            ("id", Arc::clone(&ids)),
            ("at", times(vec![Some(-2_000), None])),
        ]))
        .unwrap();
        assert_eq!(
            rows.column(2)
                .as_primitive::<TimestampMicrosecondType>()
                .value(0),
            -2
        );
        let lossy = input(vec![
            ("id", ids),
            ("at", times(vec![Some(1_000), Some(1_001)])),
        ]);
        let failure = conform(&lossy).unwrap_err();
        assert!(
            matches!(failure, Error::LosesPrecision { row: 101, .. }),
            "{failure:?}"
        );
    }
}
