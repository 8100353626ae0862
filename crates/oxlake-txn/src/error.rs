//! Errors of the commit protocol.

use oxlake_model::{ErrorKind, Instant, InstantTime};

/// What can go wrong between the start of a write and its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The requested or inflight file of a running write has disappeared.
    #[error(
        "the write {instant} was rolled back by another writer while it ran (its {missing} file is gone); \
         make sure that one writer works on the table at a time, then write again"
    )]
    Fenced {
        /// Requested time of the write.
        instant: InstantTime,
        /// The state whose file is missing.
        missing: &'static str,
    },
    /// A pending instant has a live heartbeat.
    #[error(
        "another writer is alive on this table: its write {instant} sent a heartbeat {age_seconds} s ago; wait for \
         it to finish, or stop it and try again after {expires_seconds} s"
    )]
    WriterAlive {
        /// Requested time of the other write.
        instant: InstantTime,
        /// Age of the last heartbeat.
        age_seconds: i64,
        /// Age at which a heartbeat counts as expired.
        expires_seconds: i64,
    },
    /// The table holds a pending instant that this engine cannot finish or take back.
    #[error("the table has a pending {instant}, which {remedy}")]
    PendingUnsupported {
        /// The instant.
        instant: Instant,
        /// What the user can do.
        remedy: &'static str,
    },
    /// A rollback plan names an instant that has completed.
    #[error(
        "the pending rollback {rollback} names the completed instant {target}; nothing was deleted: finish or \
         remove the rollback with the engine that began it"
    )]
    TargetCompleted {
        /// Requested time of the rollback.
        rollback: InstantTime,
        /// Requested time of the completed instant.
        target: InstantTime,
    },
    /// A rollback would delete a file of another instant.
    #[error(
        "{source}; nothing was deleted: the plan or the marker folder of the failed write is damaged, look at both \
         and remove the wrong entry"
    )]
    ForeignFile {
        /// The file.
        #[from]
        source: oxlake_plan::ForeignFile,
    },
    /// The completed file may or may not exist, and the storage does not answer.
    #[error(
        "the result of completing {instant} is unknown: the storage did not answer, not even to a read"
    )]
    Unknown {
        /// The instant that was to complete.
        instant: Instant,
        /// The last answer of the storage.
        #[source]
        source: oxlake_timeline::Error,
    },
    /// Someone else completed the same instant.
    #[error("{instant} was completed by another process")]
    CompletedElsewhere {
        /// The instant.
        instant: Instant,
    },
    /// No time is left after the latest one on the timeline.
    #[error("the timeline holds the time {latest}, after which no valid instant time can follow")]
    NoTimeLeft {
        /// The latest time.
        latest: InstantTime,
    },
    /// A record of the timeline does not encode.
    #[error("cannot encode the {what}")]
    Encode {
        /// The record.
        what: &'static str,
        /// The reason.
        #[source]
        source: oxlake_model::Error,
    },
    /// The timeline cannot be read or written.
    #[error(transparent)]
    Timeline(#[from] oxlake_timeline::Error),
    /// The table's files cannot be listed.
    #[error(transparent)]
    Table(#[from] oxlake_table::Error),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] oxlake_storage::Error),
}

/// The result of a step of the protocol.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Fenced { .. } => ErrorKind::Fenced,
            Self::WriterAlive { .. }
            | Self::TargetCompleted { .. }
            | Self::CompletedElsewhere { .. } => ErrorKind::Conflict,
            Self::PendingUnsupported { .. } => ErrorKind::Unsupported,
            Self::Unknown { .. } => ErrorKind::Unavailable,
            Self::NoTimeLeft { .. } => ErrorKind::Invalid,
            Self::ForeignFile { .. } => ErrorKind::Corrupt,
            Self::Encode { .. } => ErrorKind::Internal,
            Self::Timeline(source) => source.kind(),
            Self::Table(source) => source.kind(),
            Self::Storage(source) => source.kind(),
        }
    }
}
