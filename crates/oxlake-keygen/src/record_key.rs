//! Record keys (spec 02 §4.3).

use std::sync::Arc;

use arrow::array::{Array, RecordBatch, StringArray, StringBuilder};

use crate::value_text::value_text_ref;
use crate::{Error, Result, column};

pub(crate) const ROLE: &str = "record key";
const NULL_PART: &str = "__null__";
const EMPTY_PART: &str = "__empty__";

/// The value of the single key field.
pub(crate) fn simple(batch: &RecordBatch, field: &str) -> Result<StringArray> {
    let text = value_text_ref(&column::find(batch, field, ROLE)?, field, ROLE)?;
    let empty = (0..text.len()).find(|row| text.is_null(*row) || text.value(*row).is_empty());
    match empty {
        Some(row) => Err(Error::EmptyKey {
            row,
            field: field.into(),
        }),
        None => Ok(Arc::unwrap_or_clone(text)),
    }
}

/// `field:value` of every key field, joined with commas; nothing is escaped.
pub(crate) fn complex(batch: &RecordBatch, fields: &[String]) -> Result<StringArray> {
    let texts = fields
        .iter()
        .map(|field| value_text_ref(&column::find(batch, field, ROLE)?, field, ROLE))
        .collect::<Result<Vec<_>>>()?;
    let mut keys = StringBuilder::with_capacity(batch.num_rows(), batch.num_rows() * 24);
    let mut key = String::new();
    for row in 0..batch.num_rows() {
        key.clear();
        let mut any = false;
        for (field, text) in fields.iter().zip(&texts) {
            if !key.is_empty() {
                key.push(',');
            }
            key.push_str(field);
            key.push(':');
            if text.is_null(row) {
                key.push_str(NULL_PART);
            } else if text.value(row).is_empty() {
                key.push_str(EMPTY_PART);
            } else {
                any = true;
                key.push_str(text.value(row));
            }
        }
        if !any {
            return Err(Error::EmptyKey {
                row,
                field: fields.join(","),
            });
        }
        keys.append_value(&key);
    }
    Ok(keys.finish())
}
