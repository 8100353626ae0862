//! Errors of writing.

use std::path::PathBuf;

use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use oxlake_model::{ErrorKind, PartitionPath};

/// An error of the caller's input stream.
pub type InputError = Box<dyn std::error::Error + Send + Sync>;

/// What can go wrong when rows are written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input has a column that the table does not have.
    #[error(
        "the table has no column '{column}' (it has: {}); adding columns by writing is not supported yet: leave the \
         column out or create the table with it",
        .columns.join(", ")
    )]
    UnknownColumn {
        /// The column of the input.
        column: String,
        /// The columns of the table.
        columns: Vec<String>,
    },
    /// The input lacks a column that may not be null.
    #[error("the input has no column '{column}', which the table needs in every row")]
    MissingColumn {
        /// The column of the table.
        column: String,
    },
    /// The input has two columns of one name.
    #[error("the input has more than one column named '{column}'")]
    DoubledColumn {
        /// The name.
        column: String,
    },
    /// A type of the input does not fit into the type of the table.
    #[error(
        "column '{column}' has type {found} in the input, which does not fit into {expected} without loss; cast it \
         before writing"
    )]
    ColumnType {
        /// The column.
        column: String,
        /// Its type in the input.
        found: DataType,
        /// Its type in the table.
        expected: DataType,
    },
    /// A type that a new table cannot have.
    #[error(
        "column '{column}' has type {found}, which a table cannot store; cast it before writing"
    )]
    UnsupportedType {
        /// The column.
        column: String,
        /// Its type in the input.
        found: DataType,
    },
    /// A null where the table allows none.
    #[error(
        "column '{column}' is null in row {row} of the input, but the table allows no nulls there"
    )]
    NullValue {
        /// The column.
        column: String,
        /// Row of the input, from zero.
        row: u64,
    },
    /// A value that would change by being stored.
    #[error(
        "column '{column}': the value in row {row} of the input ({found}) is too fine for {expected}"
    )]
    LosesPrecision {
        /// The column.
        column: String,
        /// Row of the input, from zero.
        row: u64,
        /// Type in the input.
        found: DataType,
        /// Type in the table.
        expected: DataType,
    },
    /// A value that does not fit.
    #[error("column '{column}' holds a value that does not fit")]
    Cast {
        /// The column.
        column: String,
        /// What the cast said.
        #[source]
        source: ArrowError,
    },
    /// A name that no table column can have.
    #[error("column name '{column}' cannot be used: {reason}")]
    ColumnName {
        /// The column.
        column: String,
        /// Why not.
        reason: &'static str,
    },
    /// The first write to a table without a schema brought no rows and no schema.
    #[error(
        "the table has no schema yet and the input is empty: create the table with a schema or write a row"
    )]
    NoSchema,
    /// An option has a value that is not supported.
    #[error("option {key}: {value} is not supported for writing (supported: {supported})")]
    Option {
        /// The option.
        key: &'static str,
        /// Its value.
        value: String,
        /// The values that are.
        supported: &'static str,
    },
    /// An insert that refuses known keys met one.
    #[error(
        "key '{key}' is in partition '{partition}' already (hoodie.datasource.insert.dup.policy is fail)"
    )]
    DuplicateKey {
        /// The record key.
        key: String,
        /// Its partition.
        partition: PartitionPath,
    },
    /// The caller's stream failed.
    #[error("the input failed after {row_count} rows; nothing was written")]
    Input {
        /// Rows taken before.
        row_count: u64,
        /// What the stream said.
        #[source]
        source: InputError,
    },
    /// A temporary file cannot be written or read.
    #[error("cannot spill to {path}; free some space or set another folder for temporary files", path = .path.display())]
    Spill {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A write task ended without an answer.
    #[error("a write task ended abnormally")]
    Task {
        /// What the runtime said.
        #[source]
        source: tokio::task::JoinError,
    },
    /// An invariant of the write path does not hold.
    #[error("internal error in the write path: {what}")]
    Internal {
        /// The facts.
        what: String,
    },
    /// Arrow refused an operation.
    #[error("arrow")]
    Arrow(#[from] ArrowError),
    /// The table cannot be written by this engine, or an option is bad.
    #[error(transparent)]
    Config(#[from] oxlake_config::Error),
    /// Keys cannot be made from the rows.
    #[error(transparent)]
    KeyGenerator(#[from] oxlake_keygen::Error),
    /// Rows cannot be merged.
    #[error(transparent)]
    Merge(#[from] oxlake_merge::Error),
    /// The schema cannot be expressed.
    #[error(transparent)]
    Avro(#[from] oxlake_avro::Error),
    /// A record of the timeline does not encode.
    #[error(transparent)]
    Model(#[from] oxlake_model::Error),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] oxlake_storage::Error),
    /// The timeline cannot be read or written.
    #[error(transparent)]
    Timeline(#[from] oxlake_timeline::Error),
    /// The table cannot be opened or listed.
    #[error(transparent)]
    Table(#[from] oxlake_table::Error),
    /// A data file cannot be read or written.
    #[error(transparent)]
    FileGroup(#[from] oxlake_file_group::Error),
    /// Keys cannot be looked up.
    #[error(transparent)]
    Index(#[from] oxlake_index::Error),
    /// The commit protocol stopped.
    #[error(transparent)]
    Transaction(#[from] oxlake_txn::Error),
}

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownColumn { .. } | Self::UnsupportedType { .. } | Self::Option { .. } => {
                ErrorKind::Unsupported
            }
            Self::MissingColumn { .. }
            | Self::DoubledColumn { .. }
            | Self::ColumnType { .. }
            | Self::NullValue { .. }
            | Self::LosesPrecision { .. }
            | Self::Cast { .. }
            | Self::ColumnName { .. }
            | Self::NoSchema
            | Self::DuplicateKey { .. }
            | Self::Input { .. } => ErrorKind::Invalid,
            Self::Spill { .. } => ErrorKind::Unavailable,
            Self::Task { .. } | Self::Internal { .. } | Self::Arrow(_) => ErrorKind::Internal,
            Self::Config(source) => source.kind(),
            Self::KeyGenerator(source) => source.kind(),
            Self::Merge(source) => source.kind(),
            Self::Avro(_) => ErrorKind::Unsupported,
            Self::Model(source) => source.kind(),
            Self::Storage(source) => source.kind(),
            Self::Timeline(source) => source.kind(),
            Self::Table(source) => source.kind(),
            Self::FileGroup(source) => source.kind(),
            Self::Index(source) => source.kind(),
            Self::Transaction(source) => source.kind(),
        }
    }
}
