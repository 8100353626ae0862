//! What a write did to one file.

use std::collections::BTreeMap;

/// One entry of commit metadata: a file written (spec 01 §4.3, `HoodieWriteStat`).
///
/// Every field is optional on storage; counters of JSON metadata that are missing read as `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteStat {
    /// The file group.
    pub file_id: Option<String>,
    /// The file relative to the table's root.
    pub path: Option<String>,
    /// Base file: the text `null` for a new group, else the instant of the file replaced. Log file: its own
    /// instant (8, 9), the slice's base instant (6).
    pub prev_commit: Option<String>,
    /// Records in the file.
    pub num_writes: Option<i64>,
    /// Deletes applied.
    pub num_deletes: Option<i64>,
    /// Records updated.
    pub num_update_writes: Option<i64>,
    /// Bytes written.
    pub total_write_bytes: Option<i64>,
    /// Records that could not be written.
    pub total_write_errors: Option<i64>,
    /// The partition.
    pub partition_path: Option<String>,
    /// Compaction: log records read.
    pub total_log_records: Option<i64>,
    /// Null in practice.
    pub total_log_files: Option<i64>,
    /// Compaction: records updated.
    pub total_updated_records_compacted: Option<i64>,
    /// Records inserted.
    pub num_inserts: Option<i64>,
    /// Compaction: log blocks read.
    pub total_log_blocks: Option<i64>,
    /// Compaction: corrupt log blocks met.
    pub total_corrupt_log_block: Option<i64>,
    /// Compaction: rollback blocks met.
    pub total_rollback_blocks: Option<i64>,
    /// Length of the file.
    pub file_size_in_bytes: Option<i64>,
    /// Log file: its version.
    pub log_version: Option<i32>,
    /// Log file: where the block starts.
    pub log_offset: Option<i64>,
    /// Log file: empty (8, 9), the slice's base file (6).
    pub base_file: Option<String>,
    /// Log file: itself (8, 9), all logs of the slice (6).
    pub log_files: Option<Vec<String>>,
    /// Change-image files with their lengths.
    pub cdc_stats: Option<BTreeMap<String, i64>>,
    /// Name of the base file replaced.
    pub prev_base_file: Option<String>,
    /// Least event time.
    pub min_event_time: Option<i64>,
    /// Greatest event time.
    pub max_event_time: Option<i64>,
    /// How long it took.
    pub runtime_stats: Option<RuntimeStats>,
    /// Compaction: log files read.
    pub total_log_files_compacted: Option<i64>,
    /// Compaction: time to read logs.
    pub total_log_read_time_ms: Option<i64>,
    /// Compaction: bytes of logs.
    pub total_log_size_compacted: Option<i64>,
    /// Null in practice.
    pub temp_path: Option<String>,
    /// Zero in practice.
    pub num_updates: Option<i64>,
}

/// How long the parts of a write took, in milliseconds (`HoodieRuntimeStats`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeStats {
    /// Reading the old file.
    pub total_scan_time: Option<i64>,
    /// Writing a new file.
    pub total_create_time: Option<i64>,
    /// Merging.
    pub total_upsert_time: Option<i64>,
}
