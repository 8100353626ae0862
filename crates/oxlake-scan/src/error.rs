//! What can go wrong when a query is planned or its rows are read.

use oxlake_model::{ErrorKind, InstantTime};

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of this crate. [`Error::kind`] tells the caller what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text that should be a time is none.
    #[error("'{text}' is not a time: {expected}")]
    Time {
        /// The text.
        text: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A column is asked for that the table does not have at that moment.
    #[error("the table has no column '{column}'; it has {}", .available.join(", "))]
    UnknownColumn {
        /// The column.
        column: String,
        /// The columns there are.
        available: Vec<String>,
    },
    /// Something of the table or the query is not built yet.
    #[error("{what} not supported yet; {remedy}")]
    Unsupported {
        /// What, as the beginning of a sentence: "change data capture queries are".
        what: String,
        /// What works instead.
        remedy: &'static str,
    },
    /// The rows of a table without meta columns cannot be told apart by commit.
    #[error(
        "an incremental query needs the column _hoodie_commit_time, and this table is written without it \
         (hoodie.populate.meta.fields=false); use time travel instead"
    )]
    NoCommitTimes,
    /// The cleaner took files that a query of the past needs.
    #[error(
        "the cleaner has removed files that the table had at {asked}; the earliest moment that can still be \
         read from there on is {earliest}"
    )]
    Cleaned {
        /// The moment asked for.
        asked: InstantTime,
        /// The first one at or after it that is whole.
        earliest: InstantTime,
    },
    /// The cleaner took files that a bounded incremental query needs, and later commits hide what they held.
    #[error(
        "file '{path}' holds changes of the range and has been cleaned; changes up to {until} can no longer be \
         told from later ones: leave the end open, or choose one at or after {earliest}"
    )]
    RangeCleaned {
        /// One of the missing files, relative to the table.
        path: String,
        /// The end of the range.
        until: InstantTime,
        /// The first end that can be answered.
        earliest: InstantTime,
    },
    /// A pending write lies before completed ones, and the table orders changes by requested time: when it
    /// completes, a consumer that has gone past it never sees it.
    #[error(
        "write {pending} is not completed and lies before completed writes of the range; wait until it \
         completes or is rolled back, or end the range before it"
    )]
    HollowCommit {
        /// The pending write.
        pending: InstantTime,
    },
    /// A file vanished between planning and reading: a cleaner was faster than the query.
    #[error("file '{path}' was removed while the query ran; run it again")]
    FileGone {
        /// The file, relative to the table.
        path: String,
        /// Storage's answer.
        #[source]
        source: Box<oxlake_file_group::Error>,
    },
    /// The path of a partition does not tell the values of its columns.
    #[error(transparent)]
    PartitionPath(#[from] oxlake_keygen::Error),
    /// A file of a slice.
    #[error(transparent)]
    FileGroup(Box<oxlake_file_group::Error>),
    /// The table's settings: files of a kind that cannot be read.
    #[error(transparent)]
    Config(#[from] oxlake_config::Error),
    /// The table.
    #[error(transparent)]
    Table(#[from] oxlake_table::Error),
    /// The timeline.
    #[error(transparent)]
    Timeline(#[from] oxlake_timeline::Error),
    /// A stored record.
    #[error(transparent)]
    Model(#[from] oxlake_model::Error),
}

impl From<oxlake_file_group::Error> for Error {
    fn from(source: oxlake_file_group::Error) -> Self {
        Self::FileGroup(Box::new(source))
    }
}

impl Error {
    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Time { .. } | Self::UnknownColumn { .. } => ErrorKind::Invalid,
            Self::Unsupported { .. } | Self::NoCommitTimes => ErrorKind::Unsupported,
            Self::Cleaned { .. } | Self::RangeCleaned { .. } => ErrorKind::NotFound,
            Self::HollowCommit { .. } | Self::FileGone { .. } => ErrorKind::Unavailable,
            Self::PartitionPath(source) => source.kind(),
            Self::FileGroup(source) => source.kind(),
            Self::Config(source) => source.kind(),
            Self::Table(source) => source.kind(),
            Self::Timeline(source) => source.kind(),
            Self::Model(source) => source.kind(),
        }
    }

    /// Log files of a merge-on-read table: not readable yet.
    pub(crate) fn log_files(path: &str) -> Self {
        Self::Unsupported {
            what: format!("log files (here '{path}') are"),
            remedy: "compact the table with the engine that writes it",
        }
    }
}
