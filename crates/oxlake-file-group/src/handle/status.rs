//! What a handle did to one file.

use oxlake_model::{BaseFile, RuntimeStats, WriteStat};

use crate::base::WrittenFile;

/// What a handle did to one file: the statistics for the commit, and the file.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteStatus {
    /// The statistics as the commit stores them (spec 01 §4.3).
    pub stat: WriteStat,
    /// The file written.
    pub file: BaseFile,
    /// The smallest record key in it; `None` in an empty file.
    pub min_key: Option<String>,
    /// The greatest record key in it.
    pub max_key: Option<String>,
}

/// Rows by what happened to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) inserts: u64,
    pub(crate) updates: u64,
    pub(crate) deletes: u64,
}

/// Which handle took how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elapsed {
    CreateMs(i64),
    UpsertMs(i64),
}

impl WriteStatus {
    /// The statistics of a base file; `previous` is the file it replaces.
    pub(crate) fn new(
        file: BaseFile,
        written: WrittenFile,
        previous: Option<&BaseFile>,
        counts: Counts,
        elapsed: Elapsed,
    ) -> Self {
        let (create, upsert) = match elapsed {
            Elapsed::CreateMs(ms) => (ms, 0),
            Elapsed::UpsertMs(ms) => (0, ms),
        };
        let prev_commit = previous.map_or(WriteStat::NO_PREVIOUS_COMMIT, |base| {
            base.name.instant.as_str()
        });
        let stat = WriteStat {
            file_id: Some(file.name.file_id.to_string()),
            path: Some(file.path()),
            prev_commit: Some(prev_commit.to_owned()),
            num_writes: Some(signed(written.row_count)),
            num_deletes: Some(signed(counts.deletes)),
            num_update_writes: Some(signed(counts.updates)),
            num_inserts: Some(signed(counts.inserts)),
            total_write_bytes: Some(signed(written.size_bytes)),
            file_size_in_bytes: Some(signed(written.size_bytes)),
            partition_path: Some(file.partition.to_string()),
            prev_base_file: previous.map(|base| base.name.print()),
            runtime_stats: Some(RuntimeStats {
                total_scan_time: Some(0),
                total_create_time: Some(create),
                total_upsert_time: Some(upsert),
            }),
            ..WriteStat::counted()
        };
        Self {
            stat,
            file,
            min_key: written.min_key,
            max_key: written.max_key,
        }
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
