//! Incoming rows have to be of the table's schema; what is the same but for names inside lists is taken.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Schema};

use crate::convert::Planner;
use crate::error::{Error, Result};

/// The columns of `batch` as those of `schema`, in its order.
///
/// # Errors
///
/// [`Error::Schema`] naming the first column that is missing, of another type, or null where the table
/// requires a value.
pub(crate) fn conform(batch: &RecordBatch, schema: &Schema) -> Result<Vec<ArrayRef>> {
    let wrong = |detail| Err(Error::Schema { detail });
    if batch.num_columns() != schema.fields().len() {
        let (found, expected) = (batch.num_columns(), schema.fields().len());
        return wrong(format!("{found} columns found, {expected} expected"));
    }
    let found_schema = batch.schema();
    let mut columns = Vec::with_capacity(batch.num_columns());
    for ((found, wanted), column) in found_schema
        .fields()
        .iter()
        .zip(schema.fields())
        .zip(batch.columns())
    {
        if found.name() != wanted.name() {
            return wrong(format!(
                "column '{}' found, '{}' expected",
                found.name(),
                wanted.name()
            ));
        }
        if !wanted.is_nullable() && column.null_count() > 0 {
            return wrong(format!(
                "column '{}' is required but has nulls",
                wanted.name()
            ));
        }
        if found.data_type() == wanted.data_type() {
            columns.push(Arc::clone(column));
            continue;
        }
        if !same_shape(found.data_type(), wanted.data_type()) {
            return wrong(format!(
                "column '{}' is of type {}, {} expected",
                wanted.name(),
                found.data_type(),
                wanted.data_type()
            ));
        }
        let plan = Planner::new("").column(wanted.name(), found, wanted, 0)?;
        let column = plan
            .apply(column, wanted.data_type())
            .map_err(|(path, detail)| Error::Schema {
                detail: format!("column '{}{path}': {detail}", wanted.name()),
            })?;
        columns.push(column);
    }
    Ok(columns)
}

/// The same type but for nullability, metadata and the names that lists and maps give their insides.
fn same_shape(a: &DataType, b: &DataType) -> bool {
    match (a, b) {
        (DataType::Struct(a), DataType::Struct(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a.name() == b.name() && same_shape(a.data_type(), b.data_type()))
        }
        (DataType::List(a), DataType::List(b)) => same_shape(a.data_type(), b.data_type()),
        (DataType::Map(a, _), DataType::Map(b, _)) => match (a.data_type(), b.data_type()) {
            (DataType::Struct(a), DataType::Struct(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| same_shape(a.data_type(), b.data_type()))
            }
            _ => false,
        },
        (DataType::Timestamp(a, a_zone), DataType::Timestamp(b, b_zone)) => {
            a == b && a_zone.is_some() == b_zone.is_some()
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, Int64Array, ListArray, StringArray};
    use arrow::datatypes::{Field, Int32Type};

    use super::*;

    #[test]
    fn only_rows_of_the_schema_are_taken() {
        let schema = Schema::new(vec![
            Field::new("a", DataType::Int64, false),
            Field::new("b", DataType::Utf8, true),
        ]);
        let rows = |columns: Vec<(&str, ArrayRef)>| RecordBatch::try_from_iter(columns).unwrap();
        let long: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
        let good = rows(vec![("a", Arc::clone(&long)), ("b", Arc::clone(&text))]);
        assert!(conform(&good, &schema).is_ok());
        let null: ArrayRef = Arc::new(Int64Array::from(vec![None]));
        let narrow: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        for (bad, says) in [
            (rows(vec![("a", Arc::clone(&long))]), "1 columns"),
            (
                rows(vec![("b", Arc::clone(&text)), ("a", long)]),
                "'a' expected",
            ),
            (rows(vec![("a", narrow), ("b", Arc::clone(&text))]), "Int32"),
            (rows(vec![("a", null), ("b", text)]), "nulls"),
        ] {
            let error = conform(&bad, &schema).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn names_inside_lists_do_not_matter() {
        let item = Arc::new(Field::new("element", DataType::Int32, true));
        let schema = Schema::new(vec![Field::new("l", DataType::List(item), true)]);
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
        let batch = RecordBatch::try_from_iter([("l", Arc::new(list) as ArrayRef)]).unwrap();
        let columns = conform(&batch, &schema).unwrap();
        assert_eq!(columns[0].data_type(), schema.field(0).data_type());
    }
}
