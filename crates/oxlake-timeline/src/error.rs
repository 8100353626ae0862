//! What can go wrong with a timeline.

use std::fmt::Display;

use oxlake_model::{ErrorKind, Instant, TableVersion};

/// An error of the timeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Storage failed, or a file is not there.
    #[error(transparent)]
    Storage(#[from] oxlake_storage::Error),
    /// Another writer created the instant's file first.
    #[error("instant {instant} exists already in {path}; reload the timeline")]
    InstantExists {
        /// The instant.
        instant: Box<Instant>,
        /// Its file, relative to the table.
        path: String,
    },
    /// The content of an instant's file cannot be read.
    #[error("cannot read the content of instant {instant} in {path}")]
    Content {
        /// The instant.
        instant: Box<Instant>,
        /// The file it lies in, relative to the table.
        path: String,
        /// What is wrong with it.
        #[source]
        source: Box<oxlake_model::Error>,
    },
    /// The properties say one layout, the files of the timeline have the other.
    #[error(
        "a downgrade of this table stopped half-way: hoodie.properties says version {version}, but its timeline \
         folder '{folder}' is empty and '{example}' and {others} more timeline files of version 6 lie in .hoodie; \
         finish the downgrade with the engine that began it, or set hoodie.table.version=6 and \
         hoodie.timeline.layout.version=1 when all instants have arrived there"
    )]
    HalfDoneDowngrade {
        /// The version the properties say.
        version: TableVersion,
        /// The empty folder.
        folder: String,
        /// One of the files found.
        example: String,
        /// How many more there are.
        others: usize,
    },
    /// A file of the archive or history is damaged.
    #[error("the archived timeline file {path} is damaged: {problem}")]
    DamagedArchive {
        /// The file, relative to the table.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A log file of the archive cannot be read.
    #[error("cannot read the archived timeline file {path}")]
    ArchiveLog {
        /// The file, relative to the table.
        path: String,
        /// What is wrong with it.
        #[source]
        source: oxlake_log::Error,
    },
    /// An entry of the archive cannot be read.
    #[error("cannot read an entry of the archived timeline file {path}")]
    ArchiveEntry {
        /// The file, relative to the table.
        path: String,
        /// What is wrong with it.
        #[source]
        source: Box<oxlake_model::Error>,
    },
    /// A Parquet file of the history cannot be read.
    #[error("cannot read the archived timeline file {path}")]
    HistoryFile {
        /// The file, relative to the table.
        path: String,
        /// What is wrong with it.
        #[source]
        source: parquet::errors::ParquetError,
    },
    /// Files the history names vanish again and again.
    #[error(
        "the archived timeline changed {attempts} times while it was read (last gone: {path}); try again"
    )]
    HistoryMoves {
        /// The file that was gone last, relative to the table.
        path: String,
        /// How often it was tried.
        attempts: u32,
    },
}

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Storage(source) => source.kind(),
            Self::InstantExists { .. } => ErrorKind::AlreadyExists,
            Self::Content { source, .. } | Self::ArchiveEntry { source, .. } => source.kind(),
            Self::HalfDoneDowngrade { .. } => ErrorKind::Unsupported,
            Self::ArchiveLog { source, .. } if source.is_unsupported() => ErrorKind::Unsupported,
            Self::DamagedArchive { .. } | Self::ArchiveLog { .. } | Self::HistoryFile { .. } => {
                ErrorKind::Corrupt
            }
            Self::HistoryMoves { .. } => ErrorKind::Unavailable,
        }
    }

    pub(crate) fn damaged(path: &str, problem: impl Display) -> Self {
        Self::DamagedArchive {
            path: path.to_owned(),
            problem: problem.to_string(),
        }
    }
}
