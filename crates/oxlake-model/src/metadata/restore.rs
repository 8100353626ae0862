//! What a restore intends and did (spec 01 §4.7).

use std::collections::BTreeMap;

use super::codec::{record, stored};
use super::rollback::{InstantInfo, RollbackMetadata};

record! {
    /// The content of a requested restore.
    RestorePlan as "HoodieRestorePlan" {
        /// Newest first; a compaction or clustering carries its completed action.
        instants_to_rollback: Vec<InstantInfo> as "instantsToRollback" or Vec::new(),
        /// 2.
        version: Option<i32> as "version",
        /// The savepoint to go back to.
        savepoint_to_restore_timestamp: Option<String> as "savepointToRestoreTimestamp",
    }
}
stored!(RestorePlan, "HoodieRestorePlan.avsc");

record! {
    /// The content of a completed restore.
    RestoreMetadata as "HoodieRestoreMetadata" {
        /// Requested time of the restore.
        start_restore_time: String as "startRestoreTime",
        /// Duration.
        time_taken_in_millis: i64 as "timeTakenInMillis",
        /// Requested times of the instants taken back.
        instants_to_rollback: Vec<String> as "instantsToRollback",
        /// By instant taken back, what was done; each rollback has a time of its own that is on no timeline.
        rollbacks: BTreeMap<String, Vec<RollbackMetadata>> as "hoodieRestoreMetadata",
        /// 1.
        version: Option<i32> as "version",
        /// The instants taken back.
        restore_instant_info: Vec<InstantInfo> as "restoreInstantInfo" or Vec::new(),
    }
}
stored!(RestoreMetadata, "HoodieRestoreMetadata.avsc");
