//! What a write did to one file.

use std::collections::BTreeMap;

use super::codec::record;

record! {
    /// One entry of commit metadata: a file written (spec 01 §4.3).
    ///
    /// Every field is optional on storage. [`WriteStat::counted`] gives one with the zeros the JVM writes.
    WriteStat as "HoodieWriteStat" {
        /// The file group.
        file_id: Option<String> as "fileId",
        /// The file relative to the table's root.
        path: Option<String> as "path",
        /// Base file: the text `null` for a new group, else the instant of the file replaced. Log file: its own
        /// instant (8, 9), the slice's base instant (6).
        prev_commit: Option<String> as "prevCommit",
        /// Records in the file.
        num_writes: Option<i64> as "numWrites",
        /// Deletes applied.
        num_deletes: Option<i64> as "numDeletes",
        /// Records updated.
        num_update_writes: Option<i64> as "numUpdateWrites",
        /// Bytes written.
        total_write_bytes: Option<i64> as "totalWriteBytes",
        /// Records that could not be written.
        total_write_errors: Option<i64> as "totalWriteErrors",
        /// The partition.
        partition_path: Option<String> as "partitionPath",
        /// Compaction: log records read.
        total_log_records: Option<i64> as "totalLogRecords",
        /// Null in practice.
        total_log_files: Option<i64> as "totalLogFiles",
        /// Compaction: records updated.
        total_updated_records_compacted: Option<i64> as "totalUpdatedRecordsCompacted",
        /// Records inserted.
        num_inserts: Option<i64> as "numInserts",
        /// Compaction: log blocks read.
        total_log_blocks: Option<i64> as "totalLogBlocks",
        /// Compaction: corrupt log blocks met.
        total_corrupt_log_block: Option<i64> as "totalCorruptLogBlock",
        /// Compaction: rollback blocks met.
        total_rollback_blocks: Option<i64> as "totalRollbackBlocks",
        /// Length of the file.
        file_size_in_bytes: Option<i64> as "fileSizeInBytes",
        /// Log file: its version.
        log_version: Option<i32> as "logVersion",
        /// Log file: where the block starts.
        log_offset: Option<i64> as "logOffset",
        /// Log file: empty (8, 9), the slice's base file (6).
        base_file: Option<String> as "baseFile",
        /// Log file: itself (8, 9), all logs of the slice (6).
        log_files: Option<Vec<String>> as "logFiles",
        /// Change-image files with their lengths.
        cdc_stats: Option<BTreeMap<String, i64>> as "cdcStats",
        /// Name of the base file replaced.
        prev_base_file: Option<String> as "prevBaseFile",
        /// Least event time.
        min_event_time: Option<i64> as "minEventTime",
        /// Greatest event time.
        max_event_time: Option<i64> as "maxEventTime",
        /// How long it took.
        runtime_stats: Option<RuntimeStats> as "runtimeStats",
        /// Compaction: log files read.
        total_log_files_compacted: Option<i64> as "totalLogFilesCompacted",
        /// Compaction: time to read logs.
        total_log_read_time_ms: Option<i64> as "totalLogReadTimeMs",
        /// Compaction: bytes of logs.
        total_log_size_compacted: Option<i64> as "totalLogSizeCompacted",
        /// Null in practice.
        temp_path: Option<String> as "tempPath",
        /// Zero in practice.
        num_updates: Option<i64> as "numUpdates",
    }
}

record! {
    /// How long the parts of a write took, in milliseconds.
    RuntimeStats as "HoodieRuntimeStats" {
        /// Reading the old file.
        total_scan_time: Option<i64> as "totalScanTime",
        /// Writing a new file.
        total_create_time: Option<i64> as "totalCreateTime",
        /// Merging.
        total_upsert_time: Option<i64> as "totalUpsertTime",
    }
}

impl WriteStat {
    /// The text that stands for "no previous commit".
    pub const NO_PREVIOUS_COMMIT: &'static str = "null";

    /// A stat whose counters are zero where the JVM writes zeros, with all else null: what a writer of a base
    /// file starts from (spec 01 §4.3, column "base file").
    pub fn counted() -> Self {
        Self {
            num_writes: Some(0),
            num_deletes: Some(0),
            num_update_writes: Some(0),
            total_write_bytes: Some(0),
            total_write_errors: Some(0),
            total_log_records: Some(0),
            total_updated_records_compacted: Some(0),
            num_inserts: Some(0),
            total_log_blocks: Some(0),
            total_corrupt_log_block: Some(0),
            total_rollback_blocks: Some(0),
            file_size_in_bytes: Some(0),
            total_log_files_compacted: Some(0),
            total_log_read_time_ms: Some(0),
            total_log_size_compacted: Some(0),
            num_updates: Some(0),
            ..Self::default()
        }
    }

    /// The last component of [`path`](Self::path).
    pub fn file_name(&self) -> Option<&str> {
        self.path.as_deref().map(super::file_name_of)
    }

    /// Whether the file written is a log file.
    pub fn is_log_file(&self) -> bool {
        self.file_name().is_some_and(|name| name.starts_with('.'))
    }
}
