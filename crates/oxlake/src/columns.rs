//! Columns of new tables.

use arrow::datatypes::Schema;
use oxlake_avro::arrow::{from_arrow, record_name};
use oxlake_config::TableSpec;

use crate::error::Result;

/// Gives a specification the columns of an Arrow schema.
pub trait WithColumns: Sized {
    /// The table will have these columns, named and typed as Spark would store them.
    ///
    /// Narrow integers become `int`, times in seconds milliseconds, times in nanoseconds
    /// microseconds.
    ///
    /// # Errors
    /// Kind `Unsupported` or `Invalid` for a type or name that cannot be stored; the error names
    /// the column.
    fn with_columns(self, schema: &Schema) -> Result<Self>;
}

impl WithColumns for TableSpec {
    fn with_columns(self, schema: &Schema) -> Result<Self> {
        let (record, namespace) = record_name(self.name());
        let avro = from_arrow(schema, &record, &namespace)?;
        Ok(self.create_schema(avro.json()))
    }
}
