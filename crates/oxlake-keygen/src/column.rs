//! Finding a field, possibly a dotted path into nested records, in a batch.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, make_array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Schema};

use crate::{Error, Result};

/// Fails when `field` is not a column or a path into nested records of `schema`.
pub(crate) fn check(schema: &Schema, field: &str, role: &'static str) -> Result<()> {
    let missing = || Error::MissingColumn {
        field: field.into(),
        role,
    };
    if schema.column_with_name(field).is_some() {
        return Ok(());
    }
    let mut parts = field.split('.');
    let first = parts.next().unwrap_or_default();
    let mut found = schema
        .field_with_name(first)
        .map_err(|_| missing())?
        .data_type();
    for part in parts {
        let DataType::Struct(children) = found else {
            return Err(missing());
        };
        let (_, child) = children.find(part).ok_or_else(missing)?;
        found = child.data_type();
    }
    Ok(())
}

/// The column of `field`; a value below a null record is null.
pub(crate) fn find(batch: &RecordBatch, field: &str, role: &'static str) -> Result<ArrayRef> {
    let missing = || Error::MissingColumn {
        field: field.into(),
        role,
    };
    if let Some(column) = batch.column_by_name(field) {
        return Ok(Arc::clone(column));
    }
    let mut parts = field.split('.');
    let first = parts.next().unwrap_or_default();
    let mut found = Arc::clone(batch.column_by_name(first).ok_or_else(missing)?);
    for part in parts {
        let record = found.as_struct_opt().ok_or_else(missing)?;
        let child = record.column_by_name(part).ok_or_else(missing)?;
        found = below(child, record.nulls(), field)?;
    }
    Ok(found)
}

fn below(child: &ArrayRef, parent: Option<&NullBuffer>, field: &str) -> Result<ArrayRef> {
    let nulls = NullBuffer::union(child.nulls(), parent);
    let data = child.to_data().into_builder().nulls(nulls).build();
    data.map(make_array).map_err(|source| Error::Arrow {
        field: field.into(),
        source,
    })
}
