//! `--schema FILE`: the columns of a new table.
//!
//! | content | taken as |
//! |---|---|
//! | JSON (`.avsc`, `.json`, or a text that starts with a brace) | an Avro record schema, kept word for word |
//! | Parquet | the columns of that file |
//! | any other text | `name type` pairs, as in a `create table` statement |

mod ddl;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::error::{Error, Result};

/// Columns, as the file gives them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SchemaText {
    /// An Avro record schema.
    Avro(String),
    /// Arrow fields.
    Arrow(SchemaRef),
}

/// Reads a schema from a file.
///
/// # Errors
/// [`Error::Input`] if the file cannot be read, [`Error::Told`] if it is none of the three forms.
pub(crate) fn read(path: &Path) -> Result<SchemaText> {
    let named = |error: Box<dyn std::error::Error + Send + Sync>| Error::Input {
        path: path.display().to_string(),
        source: error,
    };
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(|error| named(error.into()))?;
    if is_parquet(&mut file) {
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| named(error.into()))?;
        return Ok(SchemaText::Arrow(SchemaRef::clone(builder.schema())));
    }
    file.read_to_end(&mut bytes)
        .map_err(|error| named(error.into()))?;
    let text = String::from_utf8(bytes).map_err(|error| named(error.into()))?;
    if text.trim_start().starts_with('{') {
        return Ok(SchemaText::Avro(text.trim().to_owned()));
    }
    match ddl::parse(&text) {
        Ok(schema) => Ok(SchemaText::Arrow(schema.into())),
        Err(problem) => Err(Error::told(
            format!("{}: {problem}", path.display()),
            "a schema is `id bigint not null, city string, …`, an Avro schema in JSON, or a Parquet file",
        )),
    }
}

/// Looks at the magic and goes back to the start.
fn is_parquet(file: &mut File) -> bool {
    use std::io::{Seek, SeekFrom};
    let mut magic = [0; 4];
    let found = file.read_exact(&mut magic).is_ok() && magic == *b"PAR1";
    file.seek(SeekFrom::Start(0)).is_ok() && found
}
