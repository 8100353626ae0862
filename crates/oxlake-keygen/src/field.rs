//! A field that makes a key or a path: found by its dotted name, read from batches.

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray, StructArray, make_array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Schema};

use crate::{Error, Result, text};

/// Where a field is in the data.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The name as the table gives it.
    pub(crate) name: String,
    part: &'static str,
    /// Index of the column, then of the field in each nested record.
    indices: Vec<usize>,
}

impl Field {
    /// Finds a field; dots lead into nested records. `part` is what it makes, for messages.
    pub(crate) fn find(schema: &Schema, name: &str, part: &'static str) -> Result<Self> {
        let missing = || Error::MissingField {
            field: name.to_owned(),
            part,
            columns: schema
                .fields()
                .iter()
                .map(|field| field.name().as_str())
                .collect::<Vec<_>>()
                .join(", "),
        };
        let mut fields = schema.fields();
        let mut indices = Vec::new();
        let mut rest = name;
        let found = loop {
            let (step, after) = match rest.split_once('.') {
                Some((step, after)) => (step, Some(after)),
                None => (rest, None),
            };
            let (index, field) = fields.find(step).ok_or_else(missing)?;
            indices.push(index);
            match (after, field.data_type()) {
                (None, data_type) => break data_type,
                (Some(after), DataType::Struct(inner)) => {
                    fields = inner;
                    rest = after;
                }
                (Some(_), _) => return Err(missing()),
            }
        };
        if !text::is_supported(found) {
            let data_type = found.to_string();
            return Err(Error::UnsupportedType {
                field: name.to_owned(),
                data_type,
                part,
            });
        }
        Ok(Self {
            name: name.to_owned(),
            part,
            indices,
        })
    }

    /// The field's values as texts, null where the value or a record around it is null.
    pub(crate) fn texts(&self, batch: &RecordBatch) -> Result<StringArray> {
        let values = self.values(batch)?;
        text::texts(&values, &self.name, self.part)
    }

    fn values(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        let missing = || Error::MissingField {
            field: self.name.clone(),
            part: self.part,
            columns: format!(
                "those of another schema than announced ({})",
                batch.num_columns()
            ),
        };
        let mut indices = self.indices.iter();
        let first = indices.next().and_then(|index| batch.columns().get(*index));
        let mut values = ArrayRef::clone(first.ok_or_else(missing)?);
        for index in indices {
            let record = values
                .as_any()
                .downcast_ref::<StructArray>()
                .ok_or_else(missing)?;
            let child = record.columns().get(*index).ok_or_else(missing)?;
            values = masked(child, record.nulls()).map_err(|source| Error::Arrow {
                field: self.name.clone(),
                source,
            })?;
        }
        Ok(values)
    }
}

/// The values with those null whose record is null.
fn masked(child: &ArrayRef, outer: Option<&NullBuffer>) -> arrow::error::Result<ArrayRef> {
    if outer.is_none_or(|nulls| nulls.null_count() == 0) {
        return Ok(ArrayRef::clone(child));
    }
    let nulls = NullBuffer::union(outer, child.nulls());
    Ok(make_array(
        child.to_data().into_builder().nulls(nulls).build()?,
    ))
}
