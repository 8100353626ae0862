//! What can go wrong when the files of a file group are read or written.

use arrow::datatypes::DataType;
use oxlake_model::ErrorKind;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error, as the source of ours.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync + 'static>;

/// What can go wrong when the files of a file group are read or written.
///
/// `path` is relative to the table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes of a file are not what its format asks for: damaged, truncated or of another format.
    #[error("file '{path}' is damaged or not a base file: {detail}")]
    Corrupt {
        /// The file.
        path: String,
        /// What was found.
        detail: String,
        /// The decoder's error.
        #[source]
        source: Option<BoxError>,
    },
    /// Storage failed.
    #[error("cannot access file '{path}'")]
    Storage {
        /// The file.
        path: String,
        /// Storage's error.
        #[source]
        source: oxlake_storage::Error,
    },
    /// A file lacks a column that the table declares as required.
    #[error(
        "file '{path}' has no column '{column}', which the table schema declares as required: \
         make the column nullable"
    )]
    MissingColumn {
        /// The file.
        path: String,
        /// The column, by dotted path.
        column: String,
    },
    /// A column of a file cannot become the type the table declares (spec 02 §8.1).
    #[error(
        "column '{column}' of file '{path}' has type {from}, which cannot be read as the table's {to}"
    )]
    Promotion {
        /// The file.
        path: String,
        /// The column, by dotted path.
        column: String,
        /// The type in the file.
        from: Box<DataType>,
        /// The type in the table.
        to: Box<DataType>,
    },
    /// A value cannot be read as the type the table declares.
    #[error("column '{column}' of file '{path}': {detail}")]
    Value {
        /// The file.
        path: String,
        /// The column, by dotted path.
        column: String,
        /// What is wrong with the value.
        detail: String,
    },
    /// A base file in a format this engine does not read.
    #[error("base files in format '{format}' are not supported ('{path}'): only parquet is")]
    BaseFormat {
        /// The file.
        path: String,
        /// Its extension.
        format: String,
    },
    /// A condition names a column that the read does not know.
    #[error("the condition names column '{column}', which is not in the schema")]
    UnknownColumn {
        /// The column as named.
        column: String,
    },
    /// A condition compares a column with a value of another kind.
    #[error("column '{column}' of type {data_type} cannot be compared with {literal}")]
    Incomparable {
        /// The column as named.
        column: String,
        /// Its type.
        data_type: Box<DataType>,
        /// The value.
        literal: String,
    },
    /// Rows handed to a writer are not of the table's schema.
    #[error("rows do not fit the table schema: {detail}")]
    Schema {
        /// The first difference.
        detail: String,
    },
    /// The table schema has a type that a base file cannot hold.
    #[error("column '{column}' has type {data_type}, which cannot be written to a base file")]
    ColumnType {
        /// The column, by dotted path.
        column: String,
        /// Its type.
        data_type: Box<DataType>,
    },
    /// An option of the writer has a value it cannot use.
    #[error("option '{key}' has value '{value}': {expected}")]
    Option {
        /// The key.
        key: &'static str,
        /// The value found.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// Two incoming rows of one merge have the same key.
    #[error("record key '{key}' comes twice in one merge: deduplicate the input before")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// Encoding failed.
    #[error("cannot encode file '{path}'")]
    Encode {
        /// The file.
        path: String,
        /// The encoder's error.
        #[source]
        source: BoxError,
    },
    /// Merging rows failed.
    #[error(transparent)]
    Merge(#[from] oxlake_merge::Error),
    /// The table's markers or partition metadata could not be written.
    #[error(transparent)]
    Table(#[from] oxlake_table::Error),
    /// A broken invariant: a defect of this engine.
    #[error("broken invariant: {detail}")]
    Internal {
        /// The facts.
        detail: String,
    },
}

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Corrupt { .. } | Self::Value { .. } => ErrorKind::Corrupt,
            Self::Storage { source, .. } => source.kind(),
            Self::MissingColumn { .. }
            | Self::Promotion { .. }
            | Self::BaseFormat { .. }
            | Self::ColumnType { .. } => ErrorKind::Unsupported,
            Self::UnknownColumn { .. }
            | Self::Incomparable { .. }
            | Self::Schema { .. }
            | Self::DuplicateKey { .. } => ErrorKind::Invalid,
            Self::Option { .. } => ErrorKind::Config,
            Self::Merge(source) => source.kind(),
            Self::Table(source) => source.kind(),
            Self::Encode { .. } | Self::Internal { .. } => ErrorKind::Internal,
        }
    }

    pub(crate) fn corrupt(path: &str, detail: impl Into<String>) -> Self {
        Self::Corrupt {
            path: path.to_owned(),
            detail: detail.into(),
            source: None,
        }
    }

    pub(crate) fn internal(detail: impl Into<String>) -> Self {
        Self::Internal {
            detail: detail.into(),
        }
    }
}
