//! What became of a commit, and what it changed.

use oxlake_model::{CommitMetadata, Instant, InstantTime};

/// What became of a commit. The caller must look: only `Committed` means that the rows are in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum CommitOutcome {
    /// The commit is visible.
    Committed {
        /// Requested time: the value of `_hoodie_commit_time` in its rows.
        instant: InstantTime,
        /// Completion time: the value that incremental queries go by from version 8 on. On version 6 they go by the
        /// requested time, and this is when the storage says that the completed file was written.
        completion: InstantTime,
        /// What it changed.
        stats: CommitStats,
    },
    /// The commit is not visible and will not become so; writing the batch again is safe.
    Conflict {
        /// Requested time of the attempt.
        instant: InstantTime,
        /// The instant that stands in the way.
        with: Instant,
    },
    /// The storage took the request and did not answer, not even to a read afterwards. Open the table again: the
    /// commit is there entirely or not at all.
    Unknown {
        /// Requested time of the attempt.
        instant: InstantTime,
        /// Completion time, if it did complete.
        completion: InstantTime,
        /// The last answer of the storage.
        reason: String,
    },
}

impl CommitOutcome {
    /// Whether the commit is known to be visible.
    pub fn is_committed(&self) -> bool {
        matches!(self, Self::Committed { .. })
    }
}

/// Counts of one commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommitStats {
    /// Rows whose key was new.
    pub inserted_count: u64,
    /// Rows that replaced a stored row.
    pub updated_count: u64,
    /// Stored rows that were removed.
    pub deleted_count: u64,
    /// Data files written.
    pub file_count: u64,
    /// Bytes of these files.
    pub written_bytes: u64,
    /// Bytes of input that went through files on local disk because memory was short.
    pub spilled_bytes: u64,
}

impl CommitStats {
    /// The sums over the write stats of `commit`; `spilled_bytes` is zero.
    pub fn from_metadata(commit: &CommitMetadata) -> Self {
        let mut sums = Self::default();
        for stat in commit.partition_to_write_stats.values().flatten() {
            sums.inserted_count += positive(stat.num_inserts);
            sums.updated_count += positive(stat.num_update_writes);
            sums.deleted_count += positive(stat.num_deletes);
            sums.file_count += u64::from(stat.path.is_some());
            sums.written_bytes += positive(stat.total_write_bytes);
        }
        sums
    }
}

fn positive(value: Option<i64>) -> u64 {
    value
        .and_then(|value| u64::try_from(value).ok())
        .unwrap_or(0)
}
