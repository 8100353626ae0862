//! What a rollback intends and did (spec 01 §4.7).

use std::collections::BTreeMap;

use super::codec::{record, stored};

record! {
    /// The content of a requested rollback.
    RollbackPlan as "HoodieRollbackPlan" {
        /// What is taken back.
        instant_to_rollback: Option<InstantInfo> as "instantToRollback",
        /// What to do, file by file or group by group.
        rollback_requests: Option<Vec<RollbackRequest>> as "RollbackRequests",
        /// 1.
        version: Option<i32> as "version",
    }
}
stored!(RollbackPlan, "HoodieRollbackPlan.avsc");

record! {
    /// An instant, by name.
    InstantInfo as "HoodieInstantInfo" {
        /// Requested time.
        commit_time: String as "commitTime",
        /// Action.
        action: String as "action",
    }
}

record! {
    /// Files of one group to be deleted, or log blocks to be taken back by a command block (version 6).
    RollbackRequest as "HoodieRollbackRequest" {
        /// The partition.
        partition_path: String as "partitionPath",
        /// The file group; empty in plans made by listing.
        file_id: Option<String> as "fileId",
        /// Marker-based plans: the instant rolled back; else empty.
        latest_base_instant: Option<String> as "latestBaseInstant",
        /// Absolute paths, with or without scheme.
        files_to_be_deleted: Vec<String> as "filesToBeDeleted" or Vec::new(),
        /// Log files with their length (or 1) at the time of the plan.
        log_blocks_to_be_deleted: Option<BTreeMap<String, i64>> as "logBlocksToBeDeleted",
    }
}

record! {
    /// The content of a completed rollback.
    RollbackMetadata as "HoodieRollbackMetadata" {
        /// Requested time of the rollback.
        start_rollback_time: String as "startRollbackTime",
        /// Duration.
        time_taken_in_millis: i64 as "timeTakenInMillis",
        /// Files deleted.
        total_files_deleted: i32 as "totalFilesDeleted",
        /// Requested times of the instants taken back.
        commits_rollback: Vec<String> as "commitsRollback",
        /// What was done where.
        partition_metadata: BTreeMap<String, RollbackPartitionMetadata> as "partitionMetadata",
        /// 1.
        version: Option<i32> as "version",
        /// The instants taken back.
        instants_rollback: Vec<InstantInfo> as "instantsRollback" or Vec::new(),
    }
}
stored!(RollbackMetadata, "HoodieRollbackMetadata.avsc");

record! {
    /// What a rollback did in one partition.
    RollbackPartitionMetadata as "HoodieRollbackPartitionMetadata" {
        /// The partition.
        partition_path: String as "partitionPath",
        /// The strings of the plan.
        success_delete_files: Vec<String> as "successDeleteFiles",
        /// The strings of the plan.
        failed_delete_files: Vec<String> as "failedDeleteFiles",
        /// Command-block log files written, with their length.
        rollback_log_files: Option<BTreeMap<String, i64>> as "rollbackLogFiles",
        /// Log files of the failed write.
        log_files_from_failed_commit: Option<BTreeMap<String, i64>> as "logFilesFromFailedCommit",
    }
}
