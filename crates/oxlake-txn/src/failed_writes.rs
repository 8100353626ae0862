//! Which pending instants are failed writes, and which stop a writer (spec 04 §2.3).

use oxlake_model::{Action, Instant, Timeline};

use crate::{Error, Result};

/// What a new writer has to clear away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedWrites {
    /// Pending commits, delta commits and replace commits, newest first.
    pub writes: Vec<Instant>,
    /// Pending rollbacks, newest first.
    pub rollbacks: Vec<Instant>,
}

/// Sorts the pending instants of `timeline`. Pending cleans and savepoints do not concern a writer and are left
/// alone. A pending clustering of layout 1 is called `replacecommit` and lands among the writes: only its content tells.
///
/// # Errors
/// [`Error::PendingUnsupported`] for a pending restore, compaction, log compaction, clustering, indexing or schema
/// change: writing beside them could lose rows, and this engine does not finish them yet.
pub fn failed_writes(timeline: &Timeline) -> Result<FailedWrites> {
    let mut failed = FailedWrites::default();
    for instant in timeline.pending().instants().iter().rev() {
        match instant.action {
            Action::Commit | Action::DeltaCommit | Action::ReplaceCommit => {
                failed.writes.push(instant.clone());
            }
            Action::Rollback => failed.rollbacks.push(instant.clone()),
            Action::Clean | Action::Savepoint => {}
            other => {
                let instant = instant.clone();
                return Err(Error::PendingUnsupported {
                    instant,
                    remedy: remedy_for(other),
                });
            }
        }
    }
    Ok(failed)
}

/// What a user can do about a pending instant that stops a writer.
pub(crate) fn remedy_for(action: Action) -> &'static str {
    match action {
        Action::Restore => "must be finished first with the engine that began it",
        Action::Compaction | Action::LogCompaction => {
            "this engine does not run yet: run it with the engine that planned it, or unschedule it"
        }
        Action::Clustering => {
            "this engine does not run yet, and a write into its file groups would be lost: run it or roll it back \
             with the engine that planned it"
        }
        Action::Indexing => "needs a metadata table, which this engine does not write yet",
        _ => "this engine does not finish yet: finish it with the engine that began it",
    }
}
