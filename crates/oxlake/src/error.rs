//! One error for everything the façade does.

use oxlake_model::{ErrorKind, InstantTime};

/// The result of the façade's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong; [`Error::kind`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The storage cannot be opened, reached or used.
    #[error(transparent)]
    Storage(#[from] oxlake_storage::Error),
    /// A setting of the table or of the writer is bad or not supported.
    #[error(transparent)]
    Config(#[from] oxlake_config::Error),
    /// A schema cannot be stored.
    #[error(transparent)]
    Schema(#[from] oxlake_avro::Error),
    /// The timeline cannot be read.
    #[error(transparent)]
    Timeline(#[from] oxlake_timeline::Error),
    /// The table cannot be opened, created or listed.
    #[error(transparent)]
    Table(#[from] oxlake_table::Error),
    /// Rows cannot be read.
    #[error(transparent)]
    Scan(#[from] oxlake_scan::Error),
    /// Rows cannot be written.
    #[error(transparent)]
    Write(#[from] oxlake_write::Error),
    /// A query in SQL cannot be run.
    #[error(transparent)]
    Query(#[from] oxlake_datafusion::Error),
    /// Another writer got in the way; nothing of this write is visible.
    #[error(
        "the write at {instant} conflicts with {with}; nothing of it is visible, write the rows again"
    )]
    Conflict {
        /// Requested time of the write that was given up.
        instant: InstantTime,
        /// What stands in the way.
        with: String,
    },
    /// The storage took the commit and then did not answer.
    #[error(
        "it is not known whether the write at {instant} is visible ({reason}); open the table and look for that \
             instant before writing the rows again"
    )]
    Unknown {
        /// Requested time of the write.
        instant: InstantTime,
        /// The storage's last answer.
        reason: String,
    },
}

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Storage(error) => error.kind(),
            Self::Config(error) => error.kind(),
            Self::Schema(_) => ErrorKind::Invalid,
            Self::Timeline(error) => error.kind(),
            Self::Table(error) => error.kind(),
            Self::Scan(error) => error.kind(),
            Self::Write(error) => error.kind(),
            Self::Query(error) => error.kind(),
            Self::Conflict { .. } => ErrorKind::Conflict,
            Self::Unknown { .. } => ErrorKind::Unavailable,
        }
    }
}
