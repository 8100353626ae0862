//! One entry of the archive of version 6: the content of one timeline file, of any action (spec 01 §6).

use oxlake_avro::{Schema, Value};

use super::codec::{self, Record, field_error, read_field};
use super::commit::{COMMIT, REPLACE};
use super::{
    CleanMetadata, CleanerPlan, CommitMetadata, CompactionPlan, IndexCommitMetadata,
    InstantContent, RequestedReplaceMetadata, RollbackMetadata, SavepointMetadata,
};
use crate::{Action, Instant, InstantTime, Result, State};

/// `HoodieArchivedMetaEntry`: which instant in which state, and what its file held.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedEntry {
    /// The instant; a completed one without transition time completed when it was requested.
    pub instant: Instant,
    /// What its file held; [`InstantContent::Empty`] where the entry carries no record.
    pub content: InstantContent,
}

const NAME: &str = "HoodieArchivedMetaEntry";

impl ArchivedEntry {
    /// Reads an entry with the schema of its log block; `None` for an action this engine does not know.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro) or [`Error::Field`](crate::Error::Field) when the bytes are no such
    /// entry.
    pub fn decode(schema: &Schema, bytes: &[u8]) -> Result<Option<Self>> {
        Self::from_value(&codec::bare_value(NAME, schema, bytes)?)
    }

    fn from_value(value: &Value) -> Result<Option<Self>> {
        let action: String = read_field(NAME, value, "actionType", None)?;
        let Some(action) = Action::parse(&action) else {
            return Ok(None);
        };
        let state: Option<String> = read_field(NAME, value, "actionState", None)?;
        let state = match state {
            None => State::Completed,
            Some(name) => State::parse_upper(&name)
                .ok_or_else(|| field_error(NAME, "actionState", "is no state"))?,
        };
        let requested = time(value, "commitTime")?
            .ok_or_else(|| field_error(NAME, "commitTime", "is missing"))?;
        let completed = match state {
            State::Completed => {
                time(value, "stateTransitionTime")?.or_else(|| Some(requested.clone()))
            }
            _ => None,
        };
        let instant = Instant {
            requested,
            action: if completed.is_some() {
                action.completes_as()
            } else {
                action
            },
            state,
            completed,
        };
        let content = content(&instant, value)?;
        Ok(Some(Self { instant, content }))
    }
}

fn time(value: &Value, field: &'static str) -> Result<Option<InstantTime>> {
    let text: Option<String> = read_field(NAME, value, field, None)?;
    let parse = |text: String| {
        InstantTime::parse(&text).map_err(|_| field_error(NAME, field, "is no instant time"))
    };
    text.map(parse).transpose()
}

/// Which field holds the content depends on action and state; of the wrong ones none is filled.
fn content(instant: &Instant, value: &Value) -> Result<InstantContent> {
    use InstantContent as C;
    let commit = |field: &str, record: &str| {
        let commit = value
            .opt(field)
            .map(|v| CommitMetadata::from_named_value(record, v));
        commit
            .transpose()
            .map(|commit| C::Commit(commit.unwrap_or_default()))
    };
    match (instant.action, instant.state) {
        (Action::Commit | Action::DeltaCommit, _) => commit("hoodieCommitMetadata", COMMIT),
        (Action::ReplaceCommit, State::Completed) => commit("hoodieReplaceCommitMetadata", REPLACE),
        (Action::ReplaceCommit | Action::Clustering, State::Inflight) => {
            commit("HoodieInflightReplaceMetadata", COMMIT)
        }
        (Action::ReplaceCommit | Action::Clustering, State::Requested) => {
            read(value, "hoodieRequestedReplaceMetadata", |v| {
                RequestedReplaceMetadata::from_value(v).map(C::RequestedReplace)
            })
        }
        (Action::Compaction | Action::LogCompaction, _) => {
            read(value, "hoodieCompactionPlan", |v| {
                CompactionPlan::from_value(v).map(C::CompactionPlan)
            })
        }
        (Action::Clean, State::Completed) => read(value, "hoodieCleanMetadata", |v| {
            CleanMetadata::from_value(v).map(C::Clean)
        }),
        (Action::Clean, _) => read(value, "hoodieCleanerPlan", |v| {
            CleanerPlan::from_value(v).map(C::CleanerPlan)
        }),
        (Action::Rollback, _) => read(value, "hoodieRollbackMetadata", |v| {
            RollbackMetadata::from_value(v).map(C::Rollback)
        }),
        (Action::Savepoint, _) => read(value, "hoodieSavePointMetadata", |v| {
            SavepointMetadata::from_value(v).map(C::Savepoint)
        }),
        (Action::Indexing, _) => read(value, "hoodieIndexCommitMetadata", |v| {
            IndexCommitMetadata::from_value(v).map(C::IndexCommit)
        }),
        (Action::Clustering, State::Completed) | (Action::Restore | Action::SchemaCommit, _) => {
            Ok(C::Empty)
        }
    }
}

fn read(
    value: &Value,
    field: &str,
    from: impl FnOnce(&Value) -> Result<InstantContent>,
) -> Result<InstantContent> {
    value.opt(field).map_or(Ok(InstantContent::Empty), from)
}
