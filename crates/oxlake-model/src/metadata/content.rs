//! The content of any timeline file.

use oxlake_avro::container;

use super::codec::{Record, container_value, field_error};
use super::commit::{COMMIT, REPLACE};
use super::{
    CleanMetadata, CleanerPlan, CommitMetadata, CompactionPlan, IndexCommitMetadata, IndexPlan,
    RequestedReplaceMetadata, RestoreMetadata, RestorePlan, RollbackMetadata, RollbackPlan,
    SavepointMetadata,
};
use crate::{Action, Instant, Result, State};

/// What a timeline file holds (spec 01 §4.1).
#[derive(Clone, Debug, PartialEq)]
pub enum InstantContent {
    /// Nothing, where nothing is what stands there.
    Empty,
    /// A commit, delta commit or replace commit; empty files of these are default metadata.
    Commit(CommitMetadata),
    /// A requested replace commit or clustering.
    RequestedReplace(RequestedReplaceMetadata),
    /// A requested compaction or log compaction.
    CompactionPlan(CompactionPlan),
    /// A requested clean.
    CleanerPlan(CleanerPlan),
    /// A completed clean.
    Clean(CleanMetadata),
    /// A requested rollback.
    RollbackPlan(RollbackPlan),
    /// A completed rollback.
    Rollback(RollbackMetadata),
    /// A requested restore.
    RestorePlan(RestorePlan),
    /// A completed restore.
    Restore(RestoreMetadata),
    /// A completed savepoint.
    Savepoint(SavepointMetadata),
    /// A requested indexing.
    IndexPlan(IndexPlan),
    /// A completed indexing.
    IndexCommit(IndexCommitMetadata),
    /// A completed schema commit: the JSON text of all schemas (spec 01 §11).
    SchemaHistory(String),
}

impl InstantContent {
    /// Reads the content of the file of `instant`, or of its row in the history.
    ///
    /// An Avro container says itself what it holds; for JSON and bare datums the instant decides.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), [`Error::Json`](crate::Error::Json) or
    /// [`Error::Field`](crate::Error::Field) when the bytes are not what stands in such a file.
    pub fn decode(instant: &Instant, bytes: &[u8]) -> Result<Self> {
        let kind = Kind::of(instant);
        if bytes.is_empty() {
            return Ok(match kind {
                Kind::Commit => Self::Commit(CommitMetadata::default()),
                _ => Self::Empty,
            });
        }
        if container::is_container(bytes) {
            return Self::decode_container(bytes);
        }
        kind.decode(bytes)
    }

    /// Writes the record as a bare datum, as upgraded tables keep it in their history; `None` for no content.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
    pub fn encode_datum(&self) -> Result<Option<Vec<u8>>> {
        match self {
            Self::Empty => return Ok(None),
            Self::Commit(record) => record.encode_datum(),
            Self::RequestedReplace(record) => record.encode_datum(),
            Self::CompactionPlan(record) => record.encode_datum(),
            Self::CleanerPlan(record) => record.encode_datum(),
            Self::Clean(record) => record.encode_datum(),
            Self::RollbackPlan(record) => record.encode_datum(),
            Self::Rollback(record) => record.encode_datum(),
            Self::RestorePlan(record) => record.encode_datum(),
            Self::Restore(record) => record.encode_datum(),
            Self::Savepoint(record) => record.encode_datum(),
            Self::IndexPlan(record) => record.encode_datum(),
            Self::IndexCommit(record) => record.encode_datum(),
            Self::SchemaHistory(text) => Ok(text.clone().into_bytes()),
        }
        .map(Some)
    }

    /// The commit metadata, if it is that.
    pub fn as_commit(&self) -> Option<&CommitMetadata> {
        match self {
            Self::Commit(metadata) => Some(metadata),
            _ => None,
        }
    }

    fn decode_container(bytes: &[u8]) -> Result<Self> {
        let (name, value) = container_value("the content of a timeline file", bytes)?;
        macro_rules! by_name {
            ($($record:ident => $variant:ident,)*) => {
                match name.as_str() {
                    COMMIT | REPLACE => {
                        CommitMetadata::from_named_value(&name, &value).map(Self::Commit)
                    }
                    $(name if name == $record::NAME => {
                        $record::from_value(&value).map(Self::$variant)
                    })*
                    _ => Err(field_error(
                        "the content of a timeline file", &name, "is a record this engine does not know",
                    )),
                }
            };
        }
        by_name! {
            RequestedReplaceMetadata => RequestedReplace,
            CompactionPlan => CompactionPlan,
            CleanerPlan => CleanerPlan,
            CleanMetadata => Clean,
            RollbackPlan => RollbackPlan,
            RollbackMetadata => Rollback,
            RestorePlan => RestorePlan,
            RestoreMetadata => Restore,
            SavepointMetadata => Savepoint,
            IndexPlan => IndexPlan,
            IndexCommitMetadata => IndexCommit,
        }
    }
}

/// What an instant's file holds by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    Commit,
    RequestedReplace,
    CompactionPlan,
    CleanerPlan,
    Clean,
    RollbackPlan,
    Rollback,
    RestorePlan,
    Restore,
    Savepoint,
    IndexPlan,
    IndexCommit,
    SchemaHistory,
}

impl Kind {
    fn of(instant: &Instant) -> Self {
        use Action::{
            Clean, Clustering, Commit, Compaction, DeltaCommit, Indexing, LogCompaction,
            ReplaceCommit, Restore, Rollback, Savepoint, SchemaCommit,
        };
        use State::{Completed, Inflight, Requested};
        match (instant.action, instant.state) {
            (ReplaceCommit | Clustering, Requested) => Self::RequestedReplace,
            (Compaction | LogCompaction, Requested) => Self::CompactionPlan,
            (Commit | DeltaCommit | ReplaceCommit, _)
            | (Compaction | LogCompaction | Clustering, Completed) => Self::Commit,
            (Clean, Requested | Inflight) => Self::CleanerPlan,
            (Clean, Completed) => Self::Clean,
            (Rollback, Requested) => Self::RollbackPlan,
            (Rollback, Completed) => Self::Rollback,
            (Restore, Requested) => Self::RestorePlan,
            (Restore, Completed) => Self::Restore,
            (Savepoint, Completed) => Self::Savepoint,
            (Indexing, Requested) => Self::IndexPlan,
            (Indexing, Completed) => Self::IndexCommit,
            (SchemaCommit, Completed) => Self::SchemaHistory,
            (
                Compaction | LogCompaction | Clustering | Rollback | Restore | Savepoint | Indexing
                | SchemaCommit,
                Requested | Inflight,
            ) => Self::Nothing,
        }
    }

    /// Reads JSON or a bare datum.
    fn decode(self, bytes: &[u8]) -> Result<InstantContent> {
        use InstantContent as C;
        match self {
            Self::Nothing => Err(field_error(
                "the content of a timeline file",
                "",
                "is there, but is no avro container, and none belongs there",
            )),
            Self::Commit => CommitMetadata::decode(bytes).map(C::Commit),
            Self::RequestedReplace => {
                RequestedReplaceMetadata::decode(bytes).map(C::RequestedReplace)
            }
            Self::CompactionPlan => CompactionPlan::decode(bytes).map(C::CompactionPlan),
            Self::CleanerPlan => CleanerPlan::decode(bytes).map(C::CleanerPlan),
            Self::Clean => CleanMetadata::decode(bytes).map(C::Clean),
            Self::RollbackPlan => RollbackPlan::decode(bytes).map(C::RollbackPlan),
            Self::Rollback => RollbackMetadata::decode(bytes).map(C::Rollback),
            Self::RestorePlan => RestorePlan::decode(bytes).map(C::RestorePlan),
            Self::Restore => RestoreMetadata::decode(bytes).map(C::Restore),
            Self::Savepoint => SavepointMetadata::decode(bytes).map(C::Savepoint),
            Self::IndexPlan => IndexPlan::decode(bytes).map(C::IndexPlan),
            Self::IndexCommit => IndexCommitMetadata::decode(bytes).map(C::IndexCommit),
            Self::SchemaHistory => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(C::SchemaHistory(text.to_owned())),
                Err(_) => Err(field_error("the schema history", "", "is not UTF-8")),
            },
        }
    }
}
