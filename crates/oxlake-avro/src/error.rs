//! What can be wrong with a schema, a datum or a container.

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why bytes or a schema text could not be decoded, or a value not be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The schema text is not JSON.
    #[error("the avro schema is not valid JSON")]
    SchemaJson(#[source] serde_json::Error),
    /// The schema text is JSON, but not a schema.
    #[error("invalid avro schema at {at}: {reason}")]
    Schema {
        /// Dotted path of named types and fields, `schema` for the root.
        at: String,
        /// What is wrong there.
        reason: String,
    },
    /// A type contains itself; tables cannot have such columns.
    #[error("the avro type {name} contains itself, recursive schemas are not supported")]
    RecursiveSchema {
        /// Full name of the type.
        name: String,
    },
    /// The bytes end inside a value.
    #[error("avro bytes end early: {needed} more bytes wanted at offset {offset}, {left} left")]
    Truncated {
        /// Where the read began.
        offset: usize,
        /// Bytes wanted.
        needed: u64,
        /// Bytes left.
        left: usize,
    },
    /// The bytes at an offset cannot be what the schema says.
    #[error("corrupt avro bytes at offset {offset}: {reason}")]
    Corrupt {
        /// Where the value starts.
        offset: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// A container is compressed in a way that is not built in.
    #[error("avro codec {codec:?} is not supported, only null and deflate are")]
    UnsupportedCodec {
        /// The `avro.codec` of the file.
        codec: String,
    },
    /// A value does not fit the schema it is to be encoded with.
    #[error("cannot encode {found} as {wanted} at {at}")]
    Mismatch {
        /// Dotted path of field names, `value` for the root.
        at: String,
        /// Kind of the schema node.
        wanted: String,
        /// Kind of the value.
        found: &'static str,
    },
    /// A record value lacks a field that has no default.
    #[error("the field {field} of the avro record {record} is missing and has no default")]
    MissingField {
        /// Full name of the record.
        record: String,
        /// Field name.
        field: String,
    },
    /// A record value has a field that the schema does not know.
    #[error("the avro record {record} has no field {field}")]
    UnknownField {
        /// Full name of the record.
        record: String,
        /// Field name.
        field: String,
    },
    /// A decoded record lacks a field, or holds it with another type.
    #[error("the avro field {field} is not {wanted}, found {found}")]
    FieldType {
        /// Field name.
        field: String,
        /// The kind asked for.
        wanted: &'static str,
        /// The kind found, `nothing` for a missing field.
        found: &'static str,
    },
    /// A type has no counterpart on the other side of a schema conversion.
    #[error("column {column}: {reason}")]
    Unconvertible {
        /// Dotted path of the column.
        column: String,
        /// Which type, and what to use instead.
        reason: String,
    },
}

impl Error {
    /// Whether the fault lies in a feature this crate lacks, not in the input.
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::UnsupportedCodec { .. }
                | Self::RecursiveSchema { .. }
                | Self::Unconvertible { .. }
        )
    }
}
