//! What a savepoint protects (spec 01 §4.7).

use std::collections::BTreeMap;

use super::codec::{record, stored};

record! {
    /// The content of a completed savepoint.
    SavepointMetadata as "HoodieSavepointMetadata" {
        /// Who made it.
        savepointed_by: String as "savepointedBy",
        /// When, as epoch with milliseconds.
        savepointed_at: i64 as "savepointedAt",
        /// Why.
        comments: String as "comments",
        /// The files protected, by partition.
        partition_metadata: BTreeMap<String, SavepointPartitionMetadata> as "partitionMetadata",
        /// 1.
        version: Option<i32> as "version",
    }
}
stored!(SavepointMetadata, "HoodieSavepointMetadata.avsc");

record! {
    /// The files of one partition a savepoint protects.
    SavepointPartitionMetadata as "HoodieSavepointPartitionMetadata" {
        /// The partition.
        partition_path: String as "partitionPath",
        /// Bare names of the base file and the log files of each latest slice.
        savepoint_data_file: Vec<String> as "savepointDataFile",
    }
}
