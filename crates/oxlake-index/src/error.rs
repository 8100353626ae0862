//! What can go wrong when keys are looked for.

use oxlake_model::ErrorKind;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong when keys are looked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A base file could not be read.
    #[error("cannot look for keys in '{path}'")]
    BaseFile {
        /// The file, relative to the table.
        path: String,
        /// What went wrong.
        #[source]
        source: Box<oxlake_file_group::Error>,
    },
    /// A base file has a row without a record key.
    #[error(
        "'{path}' has a row without a record key in row {row}: the table was written without meta \
         columns, or the file is damaged"
    )]
    NoKey {
        /// The file, relative to the table.
        path: String,
        /// The row in the file, from 0.
        row: u64,
    },
    /// More keys were asked for than can be counted.
    #[error("{count} keys are too many for one look-up: split the batch")]
    TooManyKeys {
        /// How many.
        count: usize,
    },
    /// A batch does not have the columns it was read with.
    #[error("a key column of '{path}' is not text: this is a defect of the reader")]
    Internal {
        /// The file, relative to the table.
        path: String,
    },
}

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::BaseFile { source, .. } => source.kind(),
            Self::NoKey { .. } => ErrorKind::Corrupt,
            Self::TooManyKeys { .. } => ErrorKind::Invalid,
            Self::Internal { .. } => ErrorKind::Internal,
        }
    }
}
