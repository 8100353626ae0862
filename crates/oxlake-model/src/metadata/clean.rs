//! What a clean intends and did (spec 01 §4.6).

use std::collections::BTreeMap;

use super::codec::{record, stored};

record! {
    /// The content of a requested clean (of 0.x also of the inflight one).
    CleanerPlan as "HoodieCleanerPlan" {
        /// The first instant whose files all stay.
        earliest_instant_to_retain: Option<ActionInstant> as "earliestInstantToRetain",
        /// The last commit the plan knew.
        last_completed_commit_timestamp: String as "lastCompletedCommitTimestamp" or String::new(),
        /// `KEEP_LATEST_COMMITS`, `KEEP_LATEST_FILE_VERSIONS` or `KEEP_LATEST_BY_HOURS`.
        policy: String as "policy",
        /// Bare names by partition; deprecated, an empty map is written.
        files_to_be_deleted_per_partition: Option<BTreeMap<String, Vec<String>>> as "filesToBeDeletedPerPartition",
        /// 2.
        version: Option<i32> as "version",
        /// Files by partition.
        file_paths_to_be_deleted_per_partition: Option<BTreeMap<String, Vec<CleanFileInfo>>>
            as "filePathsToBeDeletedPerPartition",
        /// Partitions to delete as a whole.
        partitions_to_be_deleted: Option<Vec<String>> as "partitionsToBeDeleted",
        /// `savepointed_timestamps` names the savepoints heeded.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
    }
}
stored!(CleanerPlan, "HoodieCleanerPlan.avsc");

record! {
    /// An instant, by name.
    ActionInstant as "HoodieActionInstant" {
        /// Requested time.
        timestamp: String as "timestamp",
        /// Action.
        action: String as "action",
        /// State in upper case.
        state: String as "state",
    }
}

record! {
    /// A file to be deleted.
    CleanFileInfo as "HoodieCleanFileInfo" {
        /// Absolute, with scheme.
        file_path: Option<String> as "filePath",
        /// Whether it belongs to the source table of a bootstrap.
        is_bootstrap_base_file: Option<bool> as "isBootstrapBaseFile",
    }
}

record! {
    /// The content of a completed clean.
    CleanMetadata as "HoodieCleanMetadata" {
        /// Requested time of the clean.
        start_clean_time: String as "startCleanTime",
        /// Duration.
        time_taken_in_millis: i64 as "timeTakenInMillis",
        /// Files deleted.
        total_files_deleted: i32 as "totalFilesDeleted",
        /// The first instant whose files all stayed; may be empty.
        earliest_commit_to_retain: String as "earliestCommitToRetain",
        /// The last commit the plan knew.
        last_completed_commit_timestamp: String as "lastCompletedCommitTimestamp" or String::new(),
        /// What was deleted where.
        partition_metadata: BTreeMap<String, CleanPartitionMetadata> as "partitionMetadata",
        /// 2.
        version: Option<i32> as "version",
        /// The same for files of the source table of a bootstrap.
        bootstrap_partition_metadata: Option<BTreeMap<String, CleanPartitionMetadata>>
            as "bootstrapPartitionMetadata",
        /// Free entries.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
    }
}
stored!(CleanMetadata, "HoodieCleanMetadata.avsc");

record! {
    /// What a clean deleted in one partition.
    CleanPartitionMetadata as "HoodieCleanPartitionMetadata" {
        /// The partition.
        partition_path: String as "partitionPath",
        /// The policy of the plan.
        policy: String as "policy",
        /// Bare file names.
        delete_path_patterns: Vec<String> as "deletePathPatterns",
        /// Bare file names.
        success_delete_files: Vec<String> as "successDeleteFiles",
        /// Bare file names.
        failed_delete_files: Vec<String> as "failedDeleteFiles",
        /// Whether the partition went as a whole.
        is_partition_deleted: Option<bool> as "isPartitionDeleted",
    }
}
