//! Which rows of a batch are deletes (spec 02 §6.7).

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Schema};
use oxlake_model::columns::{IS_DELETED, OPERATION};

use crate::error::{Error, Result};
use crate::ordering::{find_column, find_type};

/// The rule by which a data row counts as a delete.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeleteRule {
    flag: bool,
    operation: bool,
    marker: Option<(String, String)>,
}

impl DeleteRule {
    /// `field` and `marker` are the two properties of a custom delete marker.
    pub(crate) fn try_new(
        schema: &Schema,
        field: Option<&str>,
        marker: Option<&str>,
    ) -> Result<Self> {
        let marker = match (field, marker) {
            (Some(field), Some(marker)) => Some((field.to_owned(), marker.to_owned())),
            (None, None) => None,
            _ => return Err(Error::DeleteMarker),
        };
        let is_boolean = |name| find_type(schema, name) == Some(DataType::Boolean);
        Ok(Self {
            flag: is_boolean(IS_DELETED),
            operation: schema.field_with_name(OPERATION).is_ok(),
            marker,
        })
    }

    /// The deletes among the rows of `batch`; `None` when the rule cannot be met by any row.
    pub(crate) fn rows(&self, batch: &RecordBatch) -> Result<Option<BooleanArray>> {
        let mut found: Option<BooleanBuffer> = None;
        let mut add = |set: BooleanBuffer| {
            found = Some(match found.take() {
                Some(before) => &before | &set,
                None => set,
            });
        };
        if self.flag
            && let Some(column) = batch.column_by_name(IS_DELETED)
            && let Some(flags) = column.as_boolean_opt()
        {
            add(BooleanBuffer::collect_bool(flags.len(), |row| {
                flags.is_valid(row) && flags.value(row)
            }));
        }
        if self.operation {
            add(equal_text(batch, OPERATION, "D")?);
        }
        if let Some((field, marker)) = &self.marker {
            add(equal_text(batch, field, marker)?);
        }
        Ok(found.map(|set| BooleanArray::new(set, None)))
    }
}

fn equal_text(batch: &RecordBatch, column: &str, text: &str) -> Result<BooleanBuffer> {
    let Some(values) = find_column(batch, column) else {
        return Ok(BooleanBuffer::new_unset(batch.num_rows()));
    };
    let texts = cast(&values, &DataType::Utf8).map_err(|_| Error::ColumnType {
        column: column.to_owned(),
        role: "delete marker",
        data_type: values.data_type().clone(),
    })?;
    let texts = texts.as_string::<i32>();
    Ok(BooleanBuffer::collect_bool(texts.len(), |row| {
        texts.is_valid(row) && texts.value(row) == text
    }))
}
