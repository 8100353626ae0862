//! Why a row has no key or no partition path.

use oxlake_model::ErrorKind;

/// An error of key generation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table's key generator is not supported.
    #[error("the key generator {kind} of this table is not supported: {reason}")]
    UnsupportedGenerator {
        /// Its type or class.
        kind: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A field that makes the key or the path is not in the data.
    #[error("the field '{field}' that makes the {part} is not in the data; columns: {columns}")]
    MissingField {
        /// The field, dots leading into nested ones.
        field: String,
        /// `record key` or `partition path`.
        part: &'static str,
        /// What the data has.
        columns: String,
    },
    /// A field is of a type that has no text.
    #[error("the field '{field}' of type {data_type} cannot make a {part}")]
    UnsupportedType {
        /// The field.
        field: String,
        /// Its type.
        data_type: String,
        /// `record key` or `partition path`.
        part: &'static str,
    },
    /// A key that must have a value has none.
    #[error("row {row}: the key field '{field}' is null or empty")]
    NullKey {
        /// The row of the batch, from 0.
        row: usize,
        /// The field.
        field: String,
    },
    /// All parts of a key are missing.
    #[error("row {row}: all key fields ({fields}) are null or empty")]
    NullKeys {
        /// The row of the batch, from 0.
        row: usize,
        /// The fields.
        fields: String,
    },
    /// A value cannot be a part of a path.
    #[error("row {row}: '{value}' of the field '{field}' cannot be a partition: {reason}")]
    BadPartitionValue {
        /// The row of the batch, from 0.
        row: usize,
        /// The field.
        field: String,
        /// The value.
        value: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A partition path does not have the table's fields.
    #[error("the partition path '{path}' does not have a value for each of {fields}")]
    BadPartitionPath {
        /// The path.
        path: String,
        /// The partition fields.
        fields: String,
    },
    /// Arrow refused to convert a column.
    #[error("cannot convert the field '{field}'")]
    Arrow {
        /// The field.
        field: String,
        /// What Arrow said.
        #[source]
        source: arrow::error::ArrowError,
    },
}

/// Result of key generation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnsupportedGenerator { .. } | Self::UnsupportedType { .. } => {
                ErrorKind::Unsupported
            }
            Self::MissingField { .. }
            | Self::NullKey { .. }
            | Self::NullKeys { .. }
            | Self::BadPartitionValue { .. } => ErrorKind::Invalid,
            Self::BadPartitionPath { .. } => ErrorKind::Corrupt,
            Self::Arrow { .. } => ErrorKind::Internal,
        }
    }
}
