//! What can go wrong when rows are merged.

use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use oxlake_model::ErrorKind;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong when rows are merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table's merge rule is a class of the JVM engine.
    #[error(
        "merge rule '{rule}' is not supported: only commit-time and event-time ordering are; \
         write this table with the engine that knows the rule"
    )]
    CustomMerge {
        /// The mode, strategy or class that was found.
        rule: String,
    },
    /// Only one of the two properties of a custom delete marker is set.
    #[error(
        "the delete marker needs both 'hoodie.payload.delete.field' and \
         'hoodie.payload.delete.marker': set the missing one or remove the other"
    )]
    DeleteMarker,
    /// A column that decides about merging is not in the schema.
    #[error("column '{column}' ({role}) is not in the schema: add it or change the property")]
    MissingColumn {
        /// The column as the property names it.
        column: String,
        /// What the column is for.
        role: &'static str,
    },
    /// An ordering or delete column has a type that has no order (or no text).
    #[error("column '{column}' ({role}) has type {data_type}, which cannot be used for it")]
    ColumnType {
        /// The column.
        column: String,
        /// What the column is for.
        role: &'static str,
        /// The type found.
        data_type: DataType,
    },
    /// A row has no key.
    #[error("row {row} has no record key: every key field needs a value")]
    NullKey {
        /// The row in its batch.
        row: usize,
    },
    /// The keys or partitions given do not belong to the batch.
    #[error("{what} has {found} rows where the batch has {expected}")]
    Length {
        /// What was too short or too long.
        what: &'static str,
        /// Rows of the batch.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// More rows than one merge can number.
    #[error("more than {} rows in one merge: commit in smaller batches", u32::MAX)]
    TooManyRows,
    /// A kernel failed.
    #[error("cannot compare the column '{column}'")]
    Arrow {
        /// The column.
        column: String,
        /// What Arrow said.
        #[source]
        source: ArrowError,
    },
}

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::CustomMerge { .. } => ErrorKind::Unsupported,
            Self::DeleteMarker | Self::MissingColumn { .. } | Self::ColumnType { .. } => {
                ErrorKind::Config
            }
            Self::NullKey { .. } | Self::Length { .. } | Self::TooManyRows => ErrorKind::Invalid,
            Self::Arrow { .. } => ErrorKind::Internal,
        }
    }
}
